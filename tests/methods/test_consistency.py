"""Consistency counted from packed bits is what two loops over the rows count."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import elicit.methods.consistency as consistency
from elicit.errors import InputError
from elicit.methods import Inconsistency
from elicit.subsets import members


def counted(rows, classes, columns, tolerance):
    """The share of rows that agree with a row of another class, by two loops."""
    found = 0
    for a, ca in zip(rows, classes, strict=True):
        found += any(
            ca != cb and all(abs(a[i] - b[i]) <= tolerance for i in columns)
            for b, cb in zip(rows, classes, strict=True)
        )
    return found / len(rows)


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0]), st.integers(1, 3))
def test_it_is_what_two_loops_count(seed, n, tolerance, kinds):
    rng = np.random.default_rng(seed)
    rows, classes = rng.integers(0, 4, (9, n)), rng.integers(0, kinds, 9)
    measure = Inconsistency(rows, classes, tolerance=tolerance)
    for mask in range(1 << n):
        columns = [i for i in range(n) if mask >> i & 1]
        assert measure(mask) == pytest.approx(counted(rows, classes, columns, tolerance))
        assert all(measure(mask | 1 << i) <= measure(mask) for i in range(n))


@given(st.integers(0, 10_000), st.integers(1, 10))
def test_a_clash_names_what_tells_apart_a_pair_that_fewest_attributes_do(seed, n):
    rng = np.random.default_rng(seed)
    rows, classes = rng.integers(0, 2, (6, n)), rng.integers(0, 2, 6)
    measure = Inconsistency(rows, classes)
    apart = [
        {i for i in range(n) if rows[a, i] != rows[b, i]}
        for a, b in combinations(range(6), 2)
        if classes[a] != classes[b]
    ]
    for mask in range(1 << min(n, 4)):
        left = [which for which in apart if not which & set(members(mask))]
        agree = measure.agreeing(mask)
        assert len(agree) == len(left)
        if left:
            found = measure.clash_among(agree)
            assert set(members(found)) in left
            assert found.bit_count() == min(map(len, left))


def test_a_group_agrees_when_all_its_columns_do():
    rows = [[0, 0, 1], [0, 1, 1]]
    assert Inconsistency(rows, ["x", "y"], groups=[[0, 1], [2]])(0b01) == 0.0
    assert Inconsistency(rows, ["x", "y"], groups=[[0], [1], [2]])(0b001) == 1.0


@pytest.mark.parametrize(
    ("rows", "classes", "options", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], {}, "without gaps"),
        ([[0.0], [1.0]], [0], {}, "one class for each row"),
        ([[0.0], [1.0]], [0, 1], {"tolerance": -1.0}, "at least 0"),
    ],
)
def test_what_cannot_be_judged_is_refused(rows, classes, options, message):
    with pytest.raises(InputError, match=message):
        Inconsistency(rows, classes, **options)


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(consistency, "LARGEST_PAIRS", 5)
    with pytest.raises(InputError, match="6 pairs of cases differ in class, too many"):
        Inconsistency(np.zeros((5, 1)), [0, 0, 1, 1, 1])


@pytest.mark.parametrize("n", [1, 3, 6])
def test_the_pairs_that_still_agree_are_those_that_agree_on_one_more(n):
    rng = np.random.default_rng(n)
    measure = Inconsistency(rng.integers(0, 3, (30, n)), rng.integers(0, 3, 30))
    for mask in range(1 << n):
        for i in range(n):
            left = measure.still_agreeing(measure.agreeing(mask), i)
            assert left.tolist() == measure.agreeing(mask | 1 << i).tolist()
