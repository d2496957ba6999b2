"""Climbing finds what is uphill of the pool, and nothing twice."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.climbing import CLIMBS, climbed
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
    found = climbed([start], lambda pool: np.array([height[m] for m in pool]), around, FAMILY.__contains__)
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

    found = climbed([start], gain, FAMILY.neighbours, lambda m: m not in old)
    assert len(judged) == len(set(judged)) == len(found)
    assert not (set(found) - {start}) & old


def test_an_empty_pool_gives_nothing():
    assert climbed([], np.array, FAMILY.neighbours, FAMILY.__contains__) == []
