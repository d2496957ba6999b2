"""Where a selector looks when nobody is asked: first what the prior proposes, then around the best."""

import numpy as np

from elicit.asks import Done, Measured
from elicit.decide.beliefs import best_by_score
from elicit.decide.climbing import CLIMBS
from elicit.decide.forecast import Forecast
from elicit.decide.outlook import WIDER, Outlook
from elicit.decide.process import Process
from elicit.decide.settings import Settings
from elicit.estimator.declared import SETTINGS, Declared
from elicit.estimator.seeking import _Aim, _Fewest, _Ground, _Search, _turns, _worth, next_subsets
from elicit.estimator.tolerance import least_within, lowest_within
from elicit.events import SCORE_AND_SIZE, Evaluated
from elicit.knowledge.history import History
from elicit.subsets import Attributes, Family, indicator, mask_of

PRIOR = np.array([0.0, 9.0, 3.0, 5.0, 1.0, 2.0, 8.0, 4.0])  # places: 1, 6, 3, 7, 2, 5, 4, 0


def history(scores, n=8):
    found = History(Attributes.numbered(n), SCORE_AND_SIZE)
    for request, (mask, score) in enumerate(scores.items()):
        found.record(Evaluated(request, mask, (score, float(mask.bit_count())), (), ()))
    return found


def test_the_first_looks_are_the_best_by_the_prior_and_every_attribute():
    ladder = Outlook(3, PRIOR).ladder(Family(8))
    assert ladder == [mask_of(c) for c in ([1], [1, 6], [1, 6, 3, 7], range(8))]
    chosen, why = next_subsets(history({}), Family(8), Outlook(3, PRIOR), 100, 6, np.random.default_rng(0))
    assert chosen[:4] == tuple(ladder)
    assert len(set(chosen)) == 6
    assert why == "a first look at the family"


def test_few_rows_allow_only_small_subsets_at_first_besides_the_whole():
    ladder = Outlook(3, PRIOR, rows=25).ladder(Family(8))
    assert ladder == [mask_of([1]), mask_of([1, 6]), mask_of(range(8))]
    drawn, _ = next_subsets(history({}), Family(8), Outlook(40, PRIOR, rows=25), 100, 20, np.random.default_rng(0))
    assert {m.bit_count() for m in drawn} == {1, 2, 8}


def test_the_family_holds_for_whatever_is_looked_at():
    family = Family(8, keep=0b1, drop=0b10, max_size=4)
    seen = {}
    outlook = Outlook(4, PRIOR)
    for round in range(12):
        chosen, _ = next_subsets(history(seen), family, outlook, 100, 3, np.random.default_rng(round))
        assert all(m in family and m not in seen for m in chosen)
        seen |= {m: float(m.bit_count()) for m in chosen}
    assert len(seen) == 36
    assert outlook.ladder(family)[0] == mask_of([0, 6])


def test_a_small_family_is_looked_at_to_the_last_member_and_no_further():
    for prior in (None, PRIOR[:4]):
        seen = {}
        for round in range(9):
            chosen, _ = next_subsets(
                history(seen, 4), Family(4), Outlook(2, prior), 100, 2, np.random.default_rng(round)
            )
            seen |= dict.fromkeys(chosen, 0.5)
        assert set(seen) == set(range(1, 16))
        assert next_subsets(history(seen, 4), Family(4), Outlook(2, prior), 100, 2, np.random.default_rng(0))[0] == ()


def test_what_was_measured_is_not_proposed_again_where_draws_give_nothing_new():
    """Few rows allow draws of one or two attributes, and all of those were measured."""
    n, narrow = 20, Outlook(1000, -np.arange(20.0), rows=20)
    seen = {1 << i | 1 << j: 0.5 for i in range(n) for j in range(n)} | {mask_of(range(n)): 0.5}
    assert next_subsets(history(seen, n), Family(n), narrow, 5000, 4, np.random.default_rng(0))[0] == ()


def test_the_run_ends_when_nothing_is_left_to_measure():
    run = Declared(Attributes.numbered(2), settings=Settings(**SETTINGS), prior=np.array([1.0, 2.0]))
    while not isinstance(request := run.ask(), Done):
        run.tell(request.id, Measured((1.0 / request.subset, float(request.subset.bit_count()))))
    assert request.reason == "exhausted: every subset of the family was evaluated"
    assert best_by_score(run.history, run.family) == 0b01


def test_a_run_ends_where_nothing_new_is_found_though_its_budget_is_not_spent():
    small = [1 << i | 1 << j for i in range(20) for j in range(i + 1)]
    facts = [Evaluated(k, m, (0.5, float(m.bit_count()))) for k, m in enumerate([*small, mask_of(range(20))])]
    settings = Settings(**SETTINGS, budget=5000, start=1000)
    run = Declared(Attributes.numbered(20), settings=settings, prior=-np.arange(20.0), rows=20, facts=facts)
    end = run.ask()
    assert isinstance(end, Done)
    assert (end.reason, end.subset) == ("nothing new was found in the family", 0b1)


def test_a_prior_that_is_wrong_costs_looks_but_hides_nothing():
    """The score counts the last attributes alone; the prior puts them last."""
    worth = np.array([0, 0, 0, 0, 0, 0, 1.0, 2.0, 3.0, 4.0])
    outlook = Outlook(4, -worth)
    seen = {}
    while len(seen) < 60:
        chosen, _ = next_subsets(history(seen, 10), Family(10), outlook, 100, 2, np.random.default_rng(len(seen)))
        for m in chosen:
            row = indicator([m], 10)[0]
            seen[m] = float(row @ worth - 0.1 * row.sum())
    assert max(seen, key=seen.get) == mask_of([6, 7, 8, 9])


def test_of_many_neighbours_those_that_the_prior_likes_are_looked_at_more_often():
    n = 3000
    prior = -np.arange(n, dtype=float)
    start = {mask_of([5]): 0.5, mask_of([5, 2000]): 0.6, mask_of(range(n)): 0.1, mask_of([0]): 0.2}
    outlook = Outlook(0, prior, rows=1)
    entered = []
    for seed in range(6):
        chosen, why = next_subsets(history(start, n), Family(n), outlook, 100, 4, np.random.default_rng(seed))
        assert why == "where most may be gained"
        entered += [i for m in chosen if m.bit_count() < 20 for i in np.flatnonzero(indicator([m], n)[0])]
    assert np.median([i for i in entered if i not in (0, 5, 2000)]) < n / 10


def test_of_many_attributes_those_that_are_kept_stay_and_others_leave_join_or_are_traded():
    n, kept, start = 3000, mask_of([0]), mask_of([0, 1, 2])
    around = _Ground(Family(n, keep=kept), Outlook(0), np.random.default_rng(0)).around(start)
    assert {start ^ 1 << 1, start ^ 1 << 2} <= set(around)
    assert all(m & kept for m in around)
    traded = [start & ~m for m in around if m.bit_count() == 3]
    assert set(traded) == {1 << 1, 1 << 2}
    more = [m for m in around if m.bit_count() == 4]
    assert min(len(more), len(traded)) > 0.3 * len(around)


def test_what_is_drawn_later_is_not_much_wider_than_the_best():
    """At most twice as wide, and what climbing adds to that one by one."""
    n = 400
    rng = np.random.default_rng(0)
    seen = {mask_of(rng.choice(60, size, replace=False).tolist()): float(rng.random()) for size in (1, 2, 3, 4) * 5}
    outlook = Outlook(0, -np.arange(n, dtype=float))
    seen |= {m: -0.1 * k for k, m in enumerate(outlook.ladder(Family(n)), start=1)}
    rounds = [
        next_subsets(history(seen, n), Family(n), outlook, 100, 4, np.random.default_rng(seed)) for seed in range(5)
    ]
    assert {why for _, why in rounds} == {"where most may be gained"}
    widths = [m.bit_count() for chosen, _ in rounds for m in chosen]
    assert max(widths) <= WIDER * 4 + 1 + CLIMBS


def test_what_is_sought_does_not_hang_on_the_last_digits_of_a_forecast(monkeypatch):
    def sought_in_turn():
        seen = {}
        for round in range(8):
            chosen, _ = next_subsets(history(seen, 5), Family(5), Outlook(6), 100, 4, np.random.default_rng([0, round]))
            seen |= {m: 0.5 + 0.3 * (m & 0b11 == 0b11) - 0.001 * m.bit_count() for m in chosen}
        return list(seen)

    plain, predicted, digits = sought_in_turn(), Process.predicted, np.random.default_rng(1000)

    def perturbed(self, subsets):  # as other versions of the libraries that compute it would have them
        mean, spread = predicted(self, subsets)
        return mean + 1e-13 * digits.normal(size=mean.shape), spread * (1 + 1e-13 * digits.normal(size=spread.shape))

    monkeypatch.setattr(Process, "predicted", perturbed)
    assert sought_in_turn() == plain


def test_gains_of_many_are_worked_out_in_parts(monkeypatch):
    seen = {m: 0.5 + 0.1 * (m % 5) - 0.02 * m.bit_count() for m in (1, 2, 6, 9, 31, 77, 128, 255)}

    def sought():
        return next_subsets(history(seen), Family(8), Outlook(3), 100, 6, np.random.default_rng(0))

    plain, sizes, outcomes = sought(), [], Forecast.outcomes

    def noted(self, subsets):
        sizes.append(len(subsets))
        return outcomes(self, subsets)

    monkeypatch.setattr(Forecast, "outcomes", noted)
    monkeypatch.setattr(_Aim, "at_once", 5)
    assert sought() == plain
    assert max(sizes) == 5


def test_fewer_attributes_at_the_same_score_are_a_gain_and_the_least_better_score_is_a_greater_one():
    found = history({0b1111: 0.9, 0b111: 0.9, 0b11: 0.9 - 1e-9, 0b11111111: 0.9 + 1e-9})
    four, three, worse, better = _worth(found, 8).tolist()
    assert worse < four < three < better


def test_with_a_tolerance_every_second_evaluation_of_the_second_half_may_go_to_fewer_attributes():
    """Of ten attributes three make the score, one more adds a little, the rest only noise."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=1 << 10) * 0.001

    def score(m):
        return 0.3 * (m & 0b111).bit_count() + 0.02 * (m >> 3 & 1) - 0.001 * (m >> 4).bit_count() + noise[m]

    def chosen(tolerance):
        seen, looks = {}, Outlook(6)
        for round in range(10):
            rng = np.random.default_rng([1, round])
            found, _ = next_subsets(history(seen, 10), Family(10), looks, 40, 4, rng, tolerance=tolerance)
            seen |= {m: score(m) for m in found}
        return seen

    plain, within = chosen(None), chosen(0.05)
    assert list(plain)[:20] == list(within)[:20]  # the first half is for the best score alone
    assert list(plain) != list(within)
    assert least_within(history(within, 10), Family(10), 0.05) == 0b111


def test_of_the_second_half_every_second_evaluation_is_a_turn_whatever_the_batch():
    assert [place for place in range(40) if _turns(range(place, place + 1), 40)] == list(range(20, 40, 2))
    assert sum(_turns(range(start, start + 5), 40) for start in range(0, 40, 5)) == 10


def test_what_has_too_little_chance_of_fewer_attributes_is_not_looked_for(monkeypatch):
    """The smallest within the tolerance has two; of single ones two were not measured, with a chance of one in ten."""
    seen = {0b11: 0.7, 0b1111: 0.7, 0b1110: 0.68, 0b100: 0.6, 0b111: 0.55, 0b1010: 0.5, 0b1100: 0.45, 0b1: 0.3}
    seen |= {0b110: 0.2}
    for least, found in ((0.2, 0), (0.05, 1)):
        monkeypatch.setattr("elicit.estimator.seeking.FEWER_AT_LEAST", least)
        search = _Search(history(seen, 4), 0, _Ground(Family(4), Outlook(2), np.random.default_rng(5)), seen)
        assert len(search.fewest(1, 0.05)) == found


def test_where_no_fewer_attributes_are_to_be_expected_none_are_looked_for():
    """The smallest within the tolerance is one attribute, and none has fewer."""
    seen = {1 << i: 0.9 - 0.01 * i for i in range(6)} | {0b11: 0.905, 0b111111: 0.8}
    ground = _Ground(Family(6), Outlook(2), np.random.default_rng(5))
    search = _Search(history(seen, 6), 0, ground, seen)
    assert search.fewest(2, 0.05) == []
    assert len(search.best(2)) == 2


def test_what_is_gained_by_fewer_attributes_is_how_many_for_whatever_score_is_not_too_low():
    aim = _Fewest(8, 100.0, 5)
    ahead = aim.ahead(np.array([[99.0, 100.0, 120.0], [50.0, 99.0, 101.0]]), np.array([[3.0], [6.0]]))
    assert ahead[0, 1:].tolist() == [2, 2]
    assert ahead[1, 2] == -1
    assert (ahead[[0, 1, 1], [0, 0, 1]] < -8).all()
    assert ahead[1, 0] < ahead[1, 1]  # what misses by less is nearer


def test_fewer_attributes_are_looked_for_around_the_smallest_within_the_tolerance(monkeypatch):
    seen = {0b1111: 0.9, 0b0111: 0.88, 0b1110: 0.87, 0b0001: 0.2, 0b110: 0.84}
    search = _Search(history(seen, 4), 0, _Ground(Family(4), Outlook(2), np.random.default_rng(5)), seen)
    around = []
    monkeypatch.setattr(search, "_of_most_gain", lambda _aim, order, *_: around.extend(order.tolist()))
    search.fewest(1, 0.05)
    assert [list(seen)[k] for k in around] == [0b0111, 0b1110, 0b1111, 0b110, 0b0001]


def test_the_lowest_score_within_a_tolerance_is_that_of_the_best_of_the_family():
    found = history({0b1111: 0.9, 0b11: 0.7})
    assert lowest_within(found, Family(8), 0.1) == 0.9 - 0.1 - 1e-9
    assert lowest_within(found, Family(8, drop=0b100), 0.1) == 0.7 - 0.1 - 1e-9
    assert lowest_within(found, Family(8, keep=1 << 7), 0.1) is None
    assert least_within(found, Family(8, keep=1 << 7), 0.1) is None


def test_whatever_is_measured_is_within_a_tolerance_beyond_all_scores():
    seen = {1 << i: -1e200 * (i + 1) for i in range(6)} | {0b11: -1e199, 0b111111: -2e199}
    ground = _Ground(Family(6), Outlook(2), np.random.default_rng(5))
    for tolerance in (1e300, 1.7e308):
        assert _Search(history(seen, 6), 0, ground, seen).fewest(2, tolerance) == []
        assert least_within(history(seen, 6), Family(6), tolerance) == 1
