"""The forecast of criteria: what is a sum is known, what is not has outcomes; and the gain against sampling."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from elicit.decide.forecast import CENTRES, MOST_FITTED, REST, Forecast, Sum, _outcomes, bits, log_gain, log_improvement
from elicit.decide.plausible import PlausibleOperators
from elicit.decide.process import Process, Scale, last_refit
from elicit.events import Criterion, Evaluated
from elicit.knowledge.history import History
from elicit.subsets import Attributes

CRITERIA = (Criterion("score"), Criterion("size", maximise=False), Criterion("cost", maximise=False))


@st.composite
def runs(draw, least=3, criteria=2):
    """A history of subsets with a score, their size, and the sum of what their attributes cost."""
    n = draw(st.integers(3, 6))
    subsets = draw(st.lists(st.integers(1, 2**n - 1), min_size=least, max_size=30, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    price = rng.integers(1, 9, size=n)
    facts = [
        Evaluated(
            k, m, (float(rng.normal()), float(m.bit_count()), float(sum(price[i] for i in range(n) if m >> i & 1)))
        )
        for k, m in enumerate(subsets)
    ]
    facts = [Evaluated(f.request, f.subset, f.criteria[:criteria]) for f in facts]
    return History(Attributes.numbered(n), CRITERIA[:criteria], facts=facts), price


def forecast_of(history):
    return Forecast(len(history.attributes), history.subsets, history.vectors, history.vectors[:, 0])


@given(runs(least=7, criteria=3))
def test_what_has_been_a_sum_is_foretold_without_a_doubt(known):
    history, price = known
    n = len(history.attributes)
    forecast = forecast_of(history)
    everything = list(range(1, 2**n))
    outcomes = forecast.outcomes(everything)
    sizes = {m.bit_count() for m in history.subsets}
    score, size, cost = forecast.criteria
    assert isinstance(score, Process)
    if len(sizes) > 1:
        assert isinstance(size, Sum)
    unit = history.vectors[0, 1] / -history.subsets[0].bit_count()  # criteria are kept on a grid
    if isinstance(size, Sum) and len(sizes) > 1:
        assert outcomes[1][:, 0] / -unit == pytest.approx([m.bit_count() for m in everything])
    seen = np.array([[m >> i & 1 for i in range(n)] for m in history.subsets])
    if len(seen) >= n + 4 and np.linalg.matrix_rank(np.column_stack([np.ones(len(seen)), seen])) == n + 1:
        assert isinstance(cost, Sum)
        assert outcomes[2][:, 0] / -unit == pytest.approx(
            [sum(price[i] for i in range(n) if m >> i & 1) for m in everything]
        )


@given(runs(least=4))
def test_a_few_numbers_that_a_sum_would_fit_by_chance_are_no_sum(known):
    history, _ = known
    few = Forecast(len(history.attributes), history.subsets[:4], history.vectors[:4], history.vectors[:4, 0])
    assert all(isinstance(criterion, Process) for criterion in few.criteria)


def test_what_two_attributes_cost_that_always_came_together_is_not_known_of_either():
    seen = [m | m << 1 & 0b10 for m in range(1, 32) if not m & 0b10]  # the second is in wherever the first is
    costs = bits(seen, 5) @ np.array([5.0, 1.0, 2.0, 4.0, 8.0])
    assert isinstance(Forecast(5, seen, costs[:, None], costs).criteria[0], Process)
    apart = [*seen, 0b01]
    costs = bits(apart, 5) @ np.array([5.0, 1.0, 2.0, 4.0, 8.0])
    known = Forecast(5, apart, costs[:, None], costs)
    assert isinstance(known.criteria[0], Sum)
    assert known.outcomes([0b01, 0b10, 0b11110])[0][:, 0] == pytest.approx([5, 1, 15])


def test_what_is_in_every_subset_takes_no_part_in_what_an_unknown_attribute_is_taken_to_cost():
    price = np.array([100.0, 1.0, 2.0, 4.0, 7.0])
    seen = [0b00001 | m << 1 for m in range(1, 8)] + [0b00001]  # the first is kept, the last was never tried
    costs = bits(seen, 5) @ price
    known = Forecast(5, seen, costs[:, None], costs)
    assert isinstance(known.criteria[0], Sum)
    alone, all_four, unknown = known.outcomes([0b00001, 0b01111, 0b10001])[0][:, 0].tolist()
    assert (alone, all_four) == (pytest.approx(100), pytest.approx(107))
    assert unknown == pytest.approx(100 + 7 / 3)


def test_what_was_the_same_so_far_is_not_taken_for_granted():
    forecast = Forecast(4, [1, 2, 4, 3, 6, 7, 15], np.ones((7, 1)), np.ones(7))
    assert isinstance(forecast.criteria[0], Process)


@given(runs(least=5))
def test_the_gain_is_the_mean_improvement_over_operators_and_outcomes(known):
    history, _ = known
    n = len(history.attributes)
    crowd, forecast = PlausibleOperators(history), forecast_of(history)
    operators, shares = crowd.sample(16)
    everything = list(range(1, 2**n))
    found = log_gain(forecast, crowd, operators, shares, everything)
    score, size = forecast.criteria
    rng = np.random.default_rng(0)
    if not isinstance(score, Process) or not isinstance(size, Sum):
        return
    bits = np.array([[m >> i & 1 for i in range(n)] for m in everything], dtype=float)
    mean, spread = score.predicted(bits)
    drawn = score.scale.number(mean[:, None] + spread[:, None] * rng.normal(size=4000))
    worth = crowd.worth([drawn, size.of(bits)[:, None]], operators)
    gain = np.maximum(worth - crowd.values[operators].max(axis=1)[:, None, None], 0)
    sampled, doubt = shares @ gain.mean(axis=2), np.sqrt(shares @ gain.var(axis=2) / 4000)
    often = shares @ (gain > 0).mean(axis=2) >= 0.01  # else the tail is seen too seldom to tell
    told = np.where(found > -1e3, np.exp(found), 0.0)
    assert (np.abs(told - sampled) <= 0.15 * sampled + 6 * doubt)[often].all()


@given(runs(least=5), st.floats(1, 4))
def test_by_agreement_the_gain_is_the_power_mean_of_what_each_operator_gains(known, agreement):
    history, _ = known
    crowd, forecast = PlausibleOperators(history), forecast_of(history)
    operators, shares = crowd.sample(16)
    everything = list(range(1, 2 ** len(history.attributes)))
    each = np.array([log_gain(forecast, crowd, operators[[k]], np.ones(1), everything) for k in range(len(shares))])
    gains = np.where(each > -1e3, np.exp(each), 0.0)
    found = log_gain(forecast, crowd, operators, shares, everything, agreement=agreement)
    some = (gains > 0).any(axis=0)
    mean = (shares @ gains ** (1 / agreement)) ** agreement
    assert np.exp(found[some]) == pytest.approx(mean[some], rel=1e-6)
    assert (found[~some] <= -1e3).all()


def test_one_who_gains_very_much_outweighs_many_who_gain_little_but_not_where_agreement_counts():
    ahead = {0b01: [100.0, 0.0, 0.0, 0.0], 0b10: [10.0, 10.0, 10.0, 10.0]}
    crowd = SimpleNamespace(
        values=np.zeros((4, 1)),
        worth=lambda outcomes, operators: np.array([[[ahead[m][k]] for m in outcomes[0]] for k in operators]),
    )
    forecast = SimpleNamespace(outcomes=lambda subsets: [subsets], chances=np.ones(1))
    gained = {
        agreement: log_gain(forecast, crowd, np.arange(4), np.full(4, 0.25), [0b01, 0b10], agreement=agreement)
        for agreement in (1.0, 2.0)
    }
    assert np.exp(gained[1.0]) == pytest.approx([25, 10])
    assert np.exp(gained[2.0]) == pytest.approx([6.25, 10])


@given(runs(least=5))
def test_gains_are_finite(known):
    history, _ = known
    crowd, forecast = PlausibleOperators(history), forecast_of(history)
    operators, shares = crowd.sample(16)
    assert np.isfinite(log_gain(forecast, crowd, operators, shares, list(range(1, 2 ** len(history.attributes))))).all()


def test_who_gains_gains_on_the_best_since_and_where_nobody_does_the_mean_miss_counts():
    seen, price = [1, 2, 4, 3, 5, 6, 7, 9, 11, 15], (1.0, 2.0, 4.0, 8.0)
    facts = [
        Evaluated(k, m, (float(m.bit_count()), sum(price[i] for i in range(4) if m >> i & 1)))
        for k, m in enumerate(seen)
    ]
    history = History(Attributes.numbered(4), CRITERIA[1:], facts=facts)
    crowd, forecast, since = PlausibleOperators(history), forecast_of(history), 3  # the best three are forgotten
    operators, shares = crowd.sample(16)
    everything = list(range(1, 16))
    ahead = crowd.worth(forecast.outcomes(everything), operators)[:, :, 0]
    ahead -= crowd.values[operators, since:].max(axis=1)[:, None]
    gain = shares @ np.maximum(ahead, 0)
    assert 0 < (gain > 0).sum() < 15
    found = log_gain(forecast, crowd, operators, shares, everything, since)
    assert np.exp(found[gain > 0]) == pytest.approx(gain[gain > 0])
    assert found[gain == 0] == pytest.approx((shares @ ahead)[gain == 0] - 1e3, rel=1e-9)


def test_the_smallest_gain_is_more_than_none_and_of_none_the_nearest_miss_the_most():
    found = log_improvement(np.array([[-2.0, 1e-250], [-1e-9, -1.0], [-0.1, -0.2], [-1.0, 1e-3]]), np.array([0.5, 0.5]))
    assert np.argsort(-found).tolist() == [3, 0, 1, 2]


@given(runs(least=5), st.data())
def test_what_is_believed_leaves_less_doubt_about_itself(known, data):
    history, _ = known
    chosen = data.draw(st.integers(1, 2 ** len(history.attributes) - 1))
    before, seen = forecast_of(history), bits([chosen], len(history.attributes))
    after = before.believing(chosen)
    for was, now in zip(before.criteria, after.criteria, strict=True):
        if isinstance(was, Sum):
            assert now is was
            continue
        ((mean,), (spread,)), noise = was.predicted(seen), was.noise
        doubt = spread**2 / was.variance
        assert now.predicted(seen)[1] == pytest.approx(spread * np.sqrt(noise / (doubt + noise)), rel=1e-4, abs=1e-6)
        assert now.predicted(seen)[0] == pytest.approx(mean, abs=1e-5)


@pytest.mark.parametrize("criteria", [1, 2, 3])
def test_outcomes_have_the_moments_of_independent_normal_numbers(criteria):
    points, chances = _outcomes(criteria)
    assert points.shape[1] == criteria
    assert chances.sum() == pytest.approx(1)
    assert chances @ points == pytest.approx(np.zeros(criteria), abs=0.05)
    assert (points * chances[:, None]).T @ points == pytest.approx(np.eye(criteria), abs=0.12)


def test_criteria_that_are_not_known_may_turn_out_each_by_itself():
    rng = np.random.default_rng(0)
    forecast = Forecast(5, list(range(1, 25)), rng.normal(size=(24, 2)), rng.normal(size=24))
    one, other = (c.scale.read(o[0]) for c, o in zip(forecast.criteria, forecast.outcomes([31]), strict=True))
    assert abs(np.cov(one, other, aweights=forecast.chances)[0, 1]) < 0.1 * min(one.std(), other.std()) ** 2


def test_a_second_and_a_third_unknown_criterion_have_four_times_the_outcomes_and_further_ones_no_more():
    assert [len(_outcomes(criteria)[1]) for criteria in range(6)] == [1, 17, 68, 272, 272, 272]


def test_gains_by_three_unknown_criteria_are_computed_in_parts_that_a_core_holds():
    rng, n = np.random.default_rng(5), 9
    criteria = (Criterion("p"), Criterion("q"), Criterion("r"))
    facts = [Evaluated(k, k + 1, tuple(rng.normal(size=3).tolist())) for k in range(12)]
    history = History(Attributes.numbered(n), criteria, facts=facts)
    crowd, forecast = PlausibleOperators(history), forecast_of(history)
    operators, shares = crowd.sample(16)
    subsets = list(range(13, 2**n))
    alone = [float(log_gain(forecast, crowd, operators, shares, [m])[0]) for m in subsets]
    tracemalloc.start()
    together = log_gain(forecast, crowd, operators, shares, subsets)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert together == pytest.approx(alone, abs=1e-9)
    assert most < 8 * len(operators) * len(subsets) * len(forecast.chances)  # one table of all would take as much


def test_what_is_expected_of_attributes_reaches_the_kernel():
    scores, expected = np.random.default_rng(0).normal(size=8), np.array([3.0, 2.0, 1.0, 2.0])
    (process,) = Forecast(4, list(range(1, 9)), scores[:, None], scores, expected).criteria
    assert isinstance(process, Process)
    assert process.kernel.weights == pytest.approx(expected / 2)


def many(seed=0, more=250):
    """More subsets of 12 attributes than are fitted: many near one that is worth most, and far ones that are bad."""
    rng = np.random.default_rng(seed)
    subsets = rng.permutation(np.arange(1, 2**12))[: MOST_FITTED + more].tolist()
    scores = np.array([1.0 / (1 + (s ^ 0b111111).bit_count()) for s in subsets]) + 1e-3 * rng.random(len(subsets))
    return subsets, scores


def test_of_more_subsets_than_can_be_fitted_those_most_alike_the_best_and_some_of_all_others_are_kept():
    subsets, scores = many()
    (process,) = Forecast(12, subsets, scores[:, None], scores).criteria
    assert isinstance(process, Process)
    kept = {tuple(row) for row in process.seen}
    fitted = np.array([tuple(row) in kept for row in bits(subsets, 12)])
    assert len(kept) == fitted.sum() == MOST_FITTED
    alike = process.kernel(bits(subsets, 12), bits([subsets[k] for k in np.argsort(-scores)[:CENTRES]], 12)).max(axis=1)
    assert fitted[np.argsort(-alike)[: MOST_FITTED - REST]].all()
    others = np.argsort(-alike)[MOST_FITTED - REST :]
    by_worth = fitted[others[np.argsort(-scores[others])]]
    assert fitted[others].sum() == REST
    halves = by_worth[: len(others) // 2].sum(), by_worth[len(others) // 2 :].sum()
    assert abs(halves[0] - halves[1]) <= 1
    assert process.scale == Scale.of(scores)


def test_as_many_as_can_be_fitted_are_fitted_each_once():
    subsets, scores = many(more=-1)
    (process,) = Forecast(12, subsets, scores[:, None], scores).criteria
    assert isinstance(process, Process)
    assert np.array_equal(process.seen, bits(subsets, 12))


def test_what_is_worth_most_decides_what_is_kept_be_it_in_several_places_or_bad_by_the_criterion():
    subsets, _ = many()
    low, high = 0b000000000111, 0b111111111000
    near = np.array([min((s ^ low).bit_count(), (s ^ high).bit_count()) for s in subsets])
    worth = -near - 1e-3 * np.arange(len(subsets))
    (process,) = Forecast(12, subsets, near[:, None] + 0.1 * (np.arange(len(subsets)) % 7)[:, None], worth).criteria
    assert isinstance(process, Process)
    kept = {tuple(row) for row in process.seen}
    for peak in (low, high):
        assert all(tuple(row) in kept for row in bits([s for s in subsets if (s ^ peak).bit_count() <= 2], 12))


@pytest.mark.parametrize("seed", range(5))
def test_what_was_measured_far_from_the_best_is_known_however_much_was_measured_near_it(seed):
    n, rng = 20, np.random.default_rng(seed)
    best = (1 << n // 2) - 1

    def flipped(mask, times):
        return mask ^ sum(1 << int(i) for i in rng.permutation(n)[:times])

    def score(mask):
        return np.exp(-(mask ^ best).bit_count() / n)

    near, far = ([flipped(*x) for x in some] for some in ([(best, 1 + k % 3) for k in range(900)], [(0, 3)] * 200))
    subsets = rng.permutation(list(dict.fromkeys(near + far))).tolist()
    scores = np.array([score(s) for s in subsets]) + 1e-3 * rng.random(len(subsets))
    assert len(subsets) > MOST_FITTED + 100
    forecast = Forecast(n, subsets, scores[:, None], scores)
    asked = [flipped(0, 4) for _ in range(50)]
    found = forecast.outcomes(asked)[0] @ forecast.chances
    assert found.mean() == pytest.approx(np.mean([score(s) for s in asked]), abs=0.03)


def test_an_attribute_that_nobody_tried_is_expected_to_cost_what_the_others_do_on_average():
    seen = list(range(1, 32))  # the sixth is in none of them
    costs = bits(seen, 6) @ np.array([5.0, 1.0, 2.0, 4.0, 8.0, 100.0])
    known = Forecast(6, seen, costs[:, None], costs)
    assert known.outcomes([0b100000, 0b100001])[0][:, 0] == pytest.approx([4, 9])


@pytest.mark.parametrize(("count", "since"), [(60, 1), (60, 30), (60, 55), (132, 21), (480, 450)])
def test_what_is_forgotten_tells_of_sums_alone(count, since):
    subsets, scores = many(more=count - MOST_FITTED)
    costs = bits(subsets, 12) @ np.arange(12.0)
    vectors, asked = np.column_stack([scores, -costs]), [1, 2, 4094, 4095]
    after = Forecast(12, subsets, vectors, scores, since=since)
    assert isinstance(after.criteria[1], Sum)  # of a last five no such sum could be told
    alone = Forecast(12, subsets[since:], scores[since:, None], scores[since:])
    assert np.array_equal(after.outcomes(asked)[0], alone.outcomes(asked)[0])


def test_a_criterion_that_stops_being_a_sum_is_none():
    subsets, _ = many()
    sizes = -np.array([s.bit_count() for s in subsets], dtype=float)
    worth = np.arange(len(subsets), dtype=float)
    assert isinstance(Forecast(12, subsets, sizes[:, None], worth).criteria[0], Sum)
    sizes[MOST_FITTED + 5] -= 1e-6  # by however little
    assert isinstance(Forecast(12, subsets, sizes[:, None], worth).criteria[0], Process)


@given(st.integers(101, 120), st.integers(0, 2**32))
def test_how_a_criterion_is_read_hangs_on_nothing_that_came_after_the_last_look(count, seed):
    rng = np.random.default_rng(seed)
    subsets, numbers = rng.permutation(np.arange(1, 128))[:count].tolist(), rng.normal(size=count)
    other = numbers.copy()
    other[last_refit(count) :] = rng.normal(size=count - last_refit(count))
    one, two = (Forecast(7, subsets, x[:, None], x).criteria[0] for x in (numbers, other))
    assert isinstance(one, Process)
    assert isinstance(two, Process)
    assert one.kernel == two.kernel
    assert one.noise == two.noise


@given(st.floats(-3, 3), st.floats(0.01, 5))
def test_the_improvement_is_that_of_the_textbook(best, spread):
    points, chances = _outcomes(1)
    found = log_improvement(spread * points.T - best * spread, chances)
    z = -best
    assert np.exp(found[0]) == pytest.approx(spread * (norm.pdf(z) + z * norm.cdf(z)), rel=0.15, abs=2e-3 * spread)
