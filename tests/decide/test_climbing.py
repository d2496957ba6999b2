"""Climbing finds what is uphill of the pool, and nothing twice."""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide import climbing
from elicit.decide.climbing import CLIMBERS, CLIMBS, Candidates, climbed
from elicit.subsets import Family

FAMILY = Family(8)


def heights(seed):
    worth = np.random.default_rng(seed).normal(size=8)
    return {m: float(sum(w for i, w in enumerate(worth) if m >> i & 1)) for m in FAMILY}


def around(mask):
    return [*FAMILY.neighbours(mask), *FAMILY.swaps(mask)]


@given(st.integers(0, 2**32), st.integers(1, 255))
def test_a_hill_without_hollows_is_climbed_to_the_top(seed, start):
    height = heights(seed)
    found = climbed([start], lambda pool: np.array([height[m] for m in pool]), around, FAMILY.__contains__).in_order()
    steps = (start ^ max(height, key=height.get)).bit_count()
    if steps <= CLIMBS:
        assert found[0] == max(height, key=height.get)
    assert len(set(found)) == len(found)
    assert all(round(height[a], 9) >= round(height[b], 9) for a, b in pairwise(found))


@given(st.integers(0, 2**32), st.sets(st.integers(1, 255), min_size=1), st.integers(1, 255))
def test_nothing_is_found_that_is_not_new_and_nothing_judged_twice(seed, old, start):
    height, judged = heights(seed), []

    def gain(pool):
        judged.extend(pool)
        return np.array([height[m] for m in pool])

    found = climbed([start], gain, FAMILY.neighbours, lambda m: m not in old).subsets
    assert len(judged) == len(set(judged)) == len(found)
    assert not (set(found) - {start}) & old


def test_one_climbs_so_many_times_and_no_further():
    found = climbed([1], lambda pool: np.array(pool, dtype=float), lambda m: [m + 1], lambda _: True).subsets
    assert found == list(range(1, 2 + CLIMBS))


def test_one_looks_once_around_each_of_the_best_few():
    looked = []

    def nothing_new(mask):
        looked.append(mask)
        return [1] if len(looked) < CLIMBERS else [100]

    climbed(range(1, 9), lambda pool: -np.array(pool, dtype=float), nothing_new, lambda _: True)
    assert looked == list(range(1, 1 + CLIMBERS))


def test_dust_on_a_gain_puts_nothing_before_what_is_simpler():
    assert climbed([1, 2], lambda _: np.array([0.5, 0.5 + 1e-12]), lambda _: [], bool).in_order() == [1, 2]
    left = Candidates([7, 2, 1], np.array([3.0, 2.0, 2.0])).without(7, lambda _: np.array([0.5 + 1e-12, 0.5]))
    assert left.in_order() == [1, 2]


def test_an_empty_pool_gives_nothing():
    assert climbed([], np.array, FAMILY.neighbours, FAMILY.__contains__).in_order() == []


@given(st.integers(0, 2**32), st.integers(1, 255), st.integers(1, 5))
def test_the_foremost_are_the_first_in_order(seed, seldom, count):
    rng = np.random.default_rng(seed)
    subsets = rng.permutation(np.arange(1, 256))[: rng.integers(1, 60)].tolist()
    found = Candidates(subsets, np.round(rng.integers(0, 1 + seldom % 9, len(subsets)) / 3, 9))
    assert found.foremost(count) == found.in_order()[:count]


@given(st.integers(0, 2**32), st.integers(1, 30))
def test_the_foremost_of_the_others_is_known_though_few_are_judged_anew(seed, at_once):
    rng = np.random.default_rng(seed)
    subsets = rng.permutation(np.arange(1, 256)).tolist()
    before = dict(zip(subsets, np.round(rng.normal(size=255), 9), strict=True))
    after = {m: round(before[m] - (rng.random() < 0.3) * rng.exponential(), 9) for m in subsets}
    judged = []

    def gain(pool):
        judged.extend(pool)
        return np.array([after[m] for m in pool])

    with patch.object(climbing, "JUDGED_AT_ONCE", at_once):
        taken = max(before, key=before.get)
        left = Candidates(subsets, np.array(list(before.values()))).without(taken, gain)
    assert left.foremost(1) == [max((m for m in subsets if m != taken), key=lambda m: (after[m], -m))]
    assert taken not in left.subsets
    assert len(judged) == len(set(judged)) < len(subsets) - 1


def test_equal_gains_go_to_the_simplest_also_when_judged_anew():
    left = Candidates([7, 3, 4, 1], np.array([3.0, 2.0, 2.0, 2.0])).without(7, lambda pool: np.ones(len(pool)))
    assert left.foremost(1) == [1]
    with patch.object(climbing, "JUDGED_AT_ONCE", 1):  # the first comes out as the second promised
        left = Candidates([7, 3, 1], np.array([3.0, 2.0, 1.0])).without(7, lambda pool: np.array([len(pool) * 1.0]))
        assert left.foremost(1) == [1]
        once = Candidates([7, 3, 1], np.array([3.0, 2.0, 1.0]))
        left = once.without(7, lambda pool: np.array([1.0 if pool == [3] else 0.5]))
    assert left.foremost(1) == [3]
