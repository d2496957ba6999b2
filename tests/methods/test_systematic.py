"""Exhaustive search, rankings and SAC against brute force and cases worked by hand."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from played import drawn_value, play

from elicit.errors import InputError
from elicit.methods import Adaptive, Exhaustive, Ranking, Reaching, Sized, TradeOff
from elicit.methods.systematic import discriminating_cut
from elicit.subsets import Family

CASES = st.tuples(st.integers(2, 6), st.integers(0, 10_000), st.sampled_from([None, 1]))


# exhaustive


@given(CASES, st.sampled_from(["trade-off", "size", "reach"]), st.booleans())
def test_exhaustive_search_finds_the_best_of_the_family(case, kind, narrow):
    n, seed, digits = case
    value = drawn_value(n, seed, digits)
    family = Family(n, keep=1 << seed % n, max_size=max(2, n - 1)) if narrow else Family(n)
    goal = {"trade-off": TradeOff(), "size": Sized(2), "reach": Reaching(0.8)}[kind]
    found = play(Exhaustive(), n, value, goal=goal, family=family)
    assert found.best == max(family, key=lambda mask: goal.rank(mask, value(mask)))
    if kind == "trade-off":
        assert set(found.values) == set(family)


def test_to_reach_a_value_it_stops_after_the_first_size_that_does():
    found = play(Exhaustive(), 5, lambda mask: mask.bit_count() + (mask == 0b11000), goal=Reaching(3))
    assert {mask.bit_count() for mask in found.values} == {1, 2}
    assert found.best == 0b11000


def test_it_begins_near_its_start():
    found = list(play(Exhaustive(), 4, drawn_value(4, 0), start=0b0110).values)
    assert found[0] == 0b0110
    off = [(mask ^ 0b0110).bit_count() for mask in found]
    assert off == sorted(off)
    assert len(found) == 15


def test_too_many_subsets_need_a_budget():
    with pytest.raises(InputError, match=r"too many to evaluate.*give a budget"):
        play(Exhaustive(), 30, lambda _: 0.0)
    assert len(play(Exhaustive(), 30, lambda _: 0.0, budget=100).values) == 100


# rankings

SCORES = (0.2, 0.9, 0.5, math.nan, 0.9)  # in order: b, e, c, a, d


def test_every_prefix_of_a_ranking_is_evaluated():
    found = play(Ranking(SCORES), 5, lambda mask: float(mask.bit_count() == 3))
    assert list(found.values) == [0b00010, 0b10010, 0b10110, 0b10111, 0b11111]
    assert found.best == 0b10110


def test_the_k_best_are_one_evaluation():
    found = play(Ranking(SCORES), 5, lambda _: 0.0, goal=Sized(2))
    assert list(found.values) == [0b10010]


def test_to_reach_a_value_no_prefix_is_evaluated_in_vain():
    found = play(Ranking(SCORES), 5, lambda mask: mask.bit_count() / 5, goal=Reaching(0.6))
    assert list(found.values) == [0b00010, 0b10010, 0b10110]
    assert found.ended.chosen == 0b10110


def test_attributes_above_a_threshold_are_one_subset():
    found = play(Ranking(SCORES, threshold=0.2), 5, lambda _: 0.0)
    assert list(found.values) == [0b10110]  # more than, not equal; what is not a number is below
    nothing = play(Ranking(SCORES, threshold=1.0), 5, lambda _: 0.0)
    assert nothing.values == {}
    assert nothing.ended.why.startswith("0 attributes lie above the threshold")


def test_what_is_kept_or_given_comes_first_and_what_is_dropped_never():
    family = Family(5, keep=0b00001, drop=0b00010)
    found = play(Ranking(SCORES), 5, lambda _: 0.0, family=family, start=0b01000)
    assert list(found.values) == [0b01001, 0b11001, 0b11101]


def test_without_scores_attributes_are_ranked_by_what_they_do_alone():
    alone = {0b001: 0.3, 0b010: 0.5, 0b100: 0.4}
    found = play(Ranking(), 3, lambda mask: alone.get(mask, 1.0))
    assert list(found.values) == [0b001, 0b010, 0b100, 0b110, 0b111]


def test_a_ranking_has_a_number_for_each_attribute():
    with pytest.raises(InputError, match="a ranking of 3 attributes needs as many numbers, found 5"):
        play(Ranking(SCORES), 3, lambda _: 0.0)


# SAC


def test_the_cut_of_sac_by_hand():
    # after 2: means .9 and .45, variances .0001 and .0025: .45 / .0026 = 173;
    # after 1: .91 and .5967 (variance .0427): 7; after 3: .7667 (.0336) and .4: 11
    assert discriminating_cut([0.91, 0.89, 0.5, 0.4]) == 2
    assert discriminating_cut([0.7]) == 1
    assert discriminating_cut([0.7, 0.7, 0.7]) == 1  # nothing sets them apart
    assert discriminating_cut([0.9, 0.9, 0.5, 0.5]) == 2  # apart, and without any spread


def test_of_two_cuts_that_separate_equally_well_sac_takes_the_one_with_fewer_attributes():
    for high, low in itertools.combinations(range(10), 2):  # after 1 and after 3 the same, whatever rounding says
        a, b = 1 - high / 1000, 1 - low / 1000
        assert discriminating_cut([a, (a + b) / 2, (a + b) / 2, b]) == 1


def test_sac_cuts_a_ranking_of_very_large_performances():
    assert discriminating_cut([0.91e200, 0.89e200, 0.5e200, 0.4e200]) == 2


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_the_cut_of_sac_maximises_the_discriminant(performances):
    ordered = sorted(performances, reverse=True)

    def discriminant(i):
        m1, m2 = sum(ordered[:i]) / i, sum(ordered[i:]) / (len(ordered) - i)
        v1 = sum((p - m1) ** 2 for p in ordered[:i]) / i
        v2 = sum((p - m2) ** 2 for p in ordered[i:]) / (len(ordered) - i)
        return abs(m1 - m2) / (v1 + v2) if v1 + v2 > 1e-12 else math.inf

    best = max(discriminant(i) for i in range(1, len(ordered)))
    if best < 1e9:  # beyond that rounding decides
        assert discriminant(discriminating_cut(ordered)) == pytest.approx(best, rel=1e-6)


def test_sac_evaluates_each_attribute_alone_and_then_its_choice():
    alone = {0b0001: 0.5, 0b0010: 0.91, 0b0100: 0.4, 0b1000: 0.89}
    found = play(Adaptive(), 4, lambda mask: alone.get(mask, 0.95))
    assert list(found.values) == [0b0001, 0b0010, 0b0100, 0b1000, 0b1010]
    assert found.ended.chosen == found.best == 0b1010
    assert play(Adaptive(), 4, lambda mask: alone.get(mask, 0.95), goal=Sized(3)).best == 0b1011
    assert play(Adaptive(), 4, lambda mask: alone.get(mask, 0.95), goal=Reaching(0.93)).best == 0b1010


def test_sac_takes_no_more_than_the_family_allows_what_is_kept_included():
    worth = [0.5, 0.91, 0.9, 0.89, 0.4]
    alone = {0b1 | 1 << i: value for i, value in enumerate(worth)}
    found = play(Adaptive(), 5, lambda mask: alone.get(mask, 0.95), family=Family(5, keep=0b1, max_size=3))
    assert found.ended.chosen == found.best == 0b00111  # of three that stand out, there is room for two


def test_sac_leaves_out_what_cannot_be_measured():
    found = play(Adaptive(), 3, lambda mask: -math.inf if mask == 1 else 0.5)
    assert not found.ended.chosen & 1
    nothing = play(Adaptive(), 3, lambda _: -math.inf)
    assert (nothing.best, nothing.ended.why) == (None, "no attribute could be measured alone")
