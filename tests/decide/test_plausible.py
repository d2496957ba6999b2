"""The crowd of plausible operators: monotone in the criteria, moved by answers, and never a proof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.plausible import CROWD, PlausibleOperators, _drawn, _returning
from elicit.events import Answer, Assumed, Criterion, Evaluated, Preferred, Retracted
from elicit.knowledge.history import History
from elicit.subsets import Attributes

CRITERIA = (Criterion("score"), Criterion("size", maximise=False), Criterion("cost", maximise=False))


def history(vectors, answers=()):
    n = 5
    facts = [Evaluated(k, k + 1, tuple(float(c) for c in v)) for k, v in enumerate(vectors)]
    facts += [Preferred(100 + k, a, b, answer) for k, (a, b, answer) in enumerate(answers)]
    return History(Attributes.numbered(n), CRITERIA[: len(vectors[0])], facts=facts)


measured = st.lists(
    st.tuples(st.integers(0, 20).map(lambda s: s / 20), st.integers(1, 5), st.integers(0, 3)), min_size=1, max_size=8
)


@given(measured)
def test_nobody_prefers_what_is_dominated(vectors):
    known = history(vectors)
    crowd = PlausibleOperators(known)
    assert crowd.values.shape == (CROWD, len(vectors))
    assert np.isfinite(crowd.values).all()
    place = {x: k for k, x in enumerate(known.subsets)}
    for above, below in ((a, b) for a in known.subsets for b in known.dominates[a]):
        assert (crowd.values[:, place[above]] >= crowd.values[:, place[below]] - 1e-9).all()


@given(measured)
def test_the_best_of_the_front_is_worth_1_and_none_of_it_less_than_it_may(vectors):
    known = history(vectors)
    different = {tuple(known.vectors[k]): k for k in (known.subsets.index(x) for x in known.front)}
    front = PlausibleOperators(known).values[:, list(different.values())]
    alone = len(different) == 1
    assert (front.max(axis=1) <= 1 + 1e-6).all()
    assert np.median(front, axis=1) == pytest.approx(np.zeros(CROWD), abs=1e-6)
    assert alone or front.min() >= -10 - 1e-6, "ten times the better half is all that the front may span"


@given(measured)
def test_operators_judge_what_was_not_measured_as_they_judge_what_was(vectors):
    known = history(vectors)
    crowd = PlausibleOperators(known)
    operators = np.arange(0, CROWD, 7)
    assert crowd.worth(list(known.vectors.T), operators) == pytest.approx(crowd.values[operators])
    apart = [
        column[:, None] if c else np.stack([column, column + 1], axis=1) for c, column in enumerate(known.vectors.T)
    ]
    worth = crowd.worth(apart, operators)
    assert worth.shape == (len(operators), len(known.subsets), 2)
    assert worth[:, :, 0] == pytest.approx(crowd.values[operators])
    assert (worth[:, :, 1] >= worth[:, :, 0] - 1e-9).all(), "more of a criterion is never worse"


@pytest.mark.parametrize("start", [0.9, 0.5])
def test_beyond_the_front_every_further_step_is_worth_the_same(start):
    crowd = PlausibleOperators(history([(0.9, 4, 0), (0.7, 2, 0), (0.5, 1, 0)]))
    way = 1 if start == 0.9 else -1
    scores = start + way * np.array([0.0, 0.1, 0.2, 0.3])
    worth = crowd.worth([scores, np.full(4, -2.0), np.zeros(4)], np.arange(CROWD))
    steps = way * np.diff(worth, axis=1)
    assert (steps > 0).all()
    assert steps == pytest.approx(steps[:, [0]] * np.ones(3))


def test_who_demands_something_draws_the_line_on_the_front_itself():
    # all of the front but one lie close together: half of those who demand a score do so among them
    vectors = [(0.5, 1, 0), (0.95, 2, 0), (0.96, 3, 0), (0.97, 4, 0), (0.98, 5, 0)]
    crowd = PlausibleOperators(history(vectors))
    gains = np.diff(crowd.values, axis=1)  # what one attribute more brings: it brings nothing beyond the line
    stops = ((gains[:, 1:-1] > 0) & (gains[:, 2:] < 0)).any(axis=1)
    assert stops.mean() > 0.04


def test_who_gives_little_for_an_attribute_is_among_them_however_far_the_front_spans():
    # from poor with one attribute to nearly right with twenty, then .0002 more with each of eleven others
    sizes = np.arange(1, 32)
    scores = 0.3 + 0.69 * np.minimum(1, (sizes - 1) / 19) + 0.0002 * np.maximum(0, sizes - 20)
    crowd = PlausibleOperators(history(np.column_stack([scores, sizes, np.zeros(31)])))
    best = crowd.values.argmax(axis=1) + 1
    giving_less, giving_more = scores - 0.0001 * sizes, scores - 0.0004 * sizes
    assert (giving_less.argmax() + 1, giving_more.argmax() + 1) == (31, 20)
    assert all((best == size).mean() > 0.015 for size in (20, 31))


@given(measured)
def test_weights_are_a_distribution_and_even_before_any_answer(vectors):
    weights = PlausibleOperators(history(vectors)).weights
    assert weights == pytest.approx(np.full(CROWD, 1 / CROWD))


@given(measured, st.data())
def test_an_answer_moves_the_crowd_towards_who_would_give_it_and_its_retraction_back(vectors, data):
    known = history(vectors)
    front = known.front
    if len(front) < 2:
        return
    a, b = data.draw(st.permutations(front))[:2]
    before = PlausibleOperators(known)
    gain = before.of(a) - before.of(b)
    known.record(Preferred(100, a, b, Answer.FIRST))
    after = PlausibleOperators(known)
    assert after.weights.sum() == pytest.approx(1)
    assert after.of(a) - after.of(b) >= gain - 1e-12
    known.record(Retracted(101, 100))
    assert PlausibleOperators(known).weights == pytest.approx(before.weights)


def test_equal_favours_those_who_see_little_difference():
    vectors = [(0.9, 4, 0), (0.85, 3, 0), (0.7, 1, 0)]
    before = PlausibleOperators(history(vectors))
    after = PlausibleOperators(history(vectors, [(1, 2, Answer.EQUAL)]))
    spread = np.abs(before.values[:, 0] - before.values[:, 1])
    assert after.weights @ spread < before.weights @ spread


@given(measured, st.just(-np.inf) | st.floats(-2, 1))
def test_the_worth_of_a_question_is_what_its_answers_are_expected_to_add(vectors, floor):
    """Where what is worth less than a floor counts as that."""
    known = history(vectors)
    crowd = PlausibleOperators(known)
    front = list(known.front)
    found = crowd.question_values(front, floor)
    assert found.shape == (len(front), len(front))
    worth = np.array([[max(floor, crowd.values[p, known.subsets.index(x)]) for x in front] for p in range(CROWD)])
    now = (crowd.weights @ worth).max()
    assert floor > -np.inf or now == pytest.approx(max(crowd.of(x) for x in front))
    for i in range(len(front)):
        for j in range(i + 1, len(front)):
            first = 0.12 + 0.76 / (1 + np.exp(-60 * (worth[:, i] - worth[:, j])))
            plain = sum((crowd.weights * p) @ worth[:, x] for p, x in best_after(crowd.weights, worth, first)) - now
            assert found[i, j] == pytest.approx(plain, abs=1e-9)
            assert found[i, j] == found[j, i]
            assert found[i, j] >= -1e-12


@given(measured, st.data())
def test_everybody_weighs_as_much_as_the_answers_are_likely_to_be_theirs(vectors, data):
    plain = PlausibleOperators(history(vectors))
    places = st.integers(1, len(vectors))
    pairs = st.tuples(places, places).filter(lambda pair: pair[0] != pair[1])
    said = data.draw(st.lists(st.tuples(pairs, st.sampled_from(Answer)), max_size=3)) if len(vectors) > 1 else []
    found = PlausibleOperators(history(vectors, [(a, b, answer) for (a, b), answer in said])).weights
    likely = np.ones(CROWD)
    for (a, b), answer in said:
        prefers = 1 / (1 + np.exp(np.clip(-60 * (plain.values[:, a - 1] - plain.values[:, b - 1]), -500, 500)))
        sure = {Answer.FIRST: prefers, Answer.SECOND: 1 - prefers, Answer.EQUAL: 4 * prefers * (1 - prefers)}
        if answer in sure:
            likely *= 0.12 + 0.76 * sure[answer]
    assert found == pytest.approx(likely / likely.sum())


@given(measured, st.data())
def test_the_chance_of_a_preference_is_the_weight_of_those_who_have_it(vectors, data):
    crowd = PlausibleOperators(history(vectors))
    places = st.integers(1, len(vectors))
    pairs = data.draw(st.lists(st.tuples(places, places), max_size=5))
    for (a, b), chance in zip(pairs, crowd.against(pairs), strict=True):
        having = crowd.values[:, b - 1] > crowd.values[:, a - 1]
        assert chance == pytest.approx(crowd.weights[having].sum())


def test_who_is_assumed_to_trade_at_fixed_rates_is_taken_for_nobody_else():
    vectors = [(0.9, 4, 0), (0.85, 3, 2), (0.7, 2, 1), (0.5, 1, 0), (0.2, 1, 3), (0.6, 3, 3)]
    known = History(Attributes.numbered(5), CRITERIA, assume="linear")
    for fact in history(vectors).facts:
        known.record(fact)
    crowd = PlausibleOperators(known)
    table = np.column_stack([np.array(vectors), np.ones(len(vectors))])
    fitted = table @ np.linalg.lstsq(table, crowd.values.T, rcond=None)[0]
    linear = np.abs(fitted.T - crowd.values).max(axis=1) < 1e-9
    assert ((crowd.weights > 0) == linear).all()
    assert 0.4 < linear.mean() < 0.6
    assert crowd.weights[linear] == pytest.approx(1 / linear.sum())


def test_who_is_assumed_to_add_up_criteria_may_still_be_anybody():
    known = History(Attributes.numbered(5), CRITERIA[:2], assume="additive")
    for fact in history([(0.9, 4), (0.5, 1)]).facts:
        known.record(fact)
    assert PlausibleOperators(known).weights == pytest.approx(np.full(CROWD, 1 / CROWD))


def test_one_who_stands_for_all_is_from_their_middle():
    operators, shares = PlausibleOperators(history([(0.9, 4, 0), (0.5, 1, 0)])).sample(1)
    assert abs(operators[0] - CROWD / 2) <= 1
    assert shares.tolist() == [1.0]


def best_after(weights, worth, first):
    """The chance of each answer for everybody, with the best choice once it was given."""
    for chance in (first, 1 - first):
        yield chance, int(np.argmax((weights * chance) @ worth))


@given(measured, st.integers(1, 40), st.sampled_from([1.0, 2.0, 3.5]))
def test_a_sample_stands_for_the_crowd_or_for_the_likelier_of_it(vectors, count, power):
    crowd = PlausibleOperators(history(vectors))
    crowd.weights = np.arange(1.0, CROWD + 1) / np.arange(1, CROWD + 1).sum()
    operators, shares = crowd.sample(count, power)
    assert len(operators) <= count
    assert shares.sum() == pytest.approx(1)
    counted = np.zeros(CROWD)
    counted[operators] = shares
    meant = crowd.weights**power / (crowd.weights**power).sum()
    assert np.abs(counted - meant).max() < 1 / count + 1e-9, "nobody counts for a place more or less"
    assert np.abs(counted.cumsum() - meant.cumsum()).max() < 1 / count + 1e-9, "nor any number of them together"


def test_by_a_very_high_power_the_likeliest_stands_for_all():
    crowd = PlausibleOperators(history([(0.9, 4, 0), (0.5, 1, 0)]))
    crowd.weights = np.arange(1.0, CROWD + 1) / np.arange(1, CROWD + 1).sum()
    operators, shares = crowd.sample(16, 1e9)
    assert (operators.tolist(), shares.tolist()) == ([CROWD - 1], [1.0])


@given(measured, st.sampled_from([8.0, 1000.0]))
def test_the_unit_of_a_criterion_is_nothing_to_anybody(vectors, unit):
    known, other = history(vectors), history([(score, size, unit * cost) for score, size, cost in vectors])
    assert PlausibleOperators(other).values == pytest.approx(PlausibleOperators(known).values, rel=1e-6, abs=1e-6)


def test_how_bad_the_worst_is_changes_nobody_s_mind_about_the_best():
    front = [(0.9, 4, 0), (0.85, 3, 2), (0.7, 2, 1), (0.5, 1, 0)]
    alone, beside = PlausibleOperators(history(front)), PlausibleOperators(history([*front, (-100.0, 5, 60)]))
    assert beside.values[:, :4] == pytest.approx(alone.values)
    assert (beside.values[:, 4] < beside.values[:, :4].min(axis=1)).all()


@given(measured, st.integers(1, 4))
def test_what_measures_the_same_once_more_changes_nobody_s_mind(vectors, times):
    once = PlausibleOperators(history(vectors))
    again = PlausibleOperators(history([*vectors, *[vectors[0]] * times]))
    assert again.values[:, : len(vectors)] == pytest.approx(once.values, abs=1e-9)


def test_returns_diminish_up_to_the_best_and_are_as_steep_beyond_as_at_the_end():
    x = np.array([-1.0, 0.0, 0.5, 1.0, 3.0])
    assert _returning(x, np.array(2.0)).tolist() == [-2.0, 0.0, 0.75, 1.0, 3.0]
    assert _returning(x, np.array(1.0)).tolist() == x.tolist()


@pytest.mark.parametrize("criteria", [1, 3])
def test_what_the_criteria_weigh_together_is_the_same_for_everybody(criteria):
    assert _drawn(criteria).weights.sum(axis=1) == pytest.approx(np.ones(CROWD))


def test_what_is_assumed_of_a_subset_that_was_not_measured_moves_nobody():
    facts = [Evaluated(0, 0b01, (0.5, 1.0)), Evaluated(1, 0b11, (0.8, 2.0))]
    facts += [Assumed(2, 0b01, 0b10, "strict", "prior"), Assumed(3, 0b10, 0b11, "strict", "prior")]
    known = History(Attributes.numbered(2), CRITERIA[:2], facts=facts)
    assert len(known.stated) == 2
    assert np.ptp(PlausibleOperators(known).weights) == 0


def test_after_however_many_answers_against_one_another_somebody_is_plausible():
    answers = [(1, 2, Answer.FIRST), (1, 2, Answer.SECOND)] * 600
    weights = PlausibleOperators(history([(0.5, 1, 0), (0.8, 2, 0)], answers)).weights
    assert weights.sum() == pytest.approx(1)
