"""FOCUS against cases worked by hand, and against looking at every pair of rows."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from played import play

import elicit.methods.focus as focus
from elicit.methods import Focus, Inconsistency, Reaching, Sized
from elicit.subsets import Family

#: Hand-worked: the class is a XOR b; c repeats a, d is constant, e tells two of the cases apart only.
XOR = np.array([[0, 0, 0, 5, 0], [0, 1, 0, 5, 0], [1, 0, 1, 5, 0], [1, 1, 1, 5, 1]])
CLASSES = [0, 1, 1, 0]


def test_focus_finds_the_smallest_consistent_subsets_by_hand():
    found = play(Focus(Inconsistency(XOR, CLASSES)), 5, lambda mask: float(mask == 0b00110))
    assert set(found.values) == {0b00011, 0b00110}  # a, b and b, c; no attribute alone, no other pair
    assert found.best == found.ended.chosen == 0b00110
    assert found.ended.why == "2 smallest consistent subsets were evaluated"


def test_focus_starts_where_it_is_told():
    found = play(Focus(Inconsistency(XOR, CLASSES)), 5, lambda _: 1.0, start=0b01000)
    assert set(found.values) == {0b01011, 0b01110}
    found = play(Focus(Inconsistency(XOR, CLASSES)), 5, lambda _: 1.0, start=0b01011)
    assert set(found.values) == {0b01011}, "it is consistent as it stands"


def test_focus_goes_on_until_a_value_is_reached():
    found = play(Focus(Inconsistency(XOR, CLASSES)), 5, lambda mask: mask.bit_count() / 5, goal=Reaching(0.6))
    assert found.best.bit_count() == 3
    assert play(Focus(Inconsistency(XOR, CLASSES)), 5, lambda _: 1.0, goal=Sized(4)).best.bit_count() == 4


def test_focus_says_when_nothing_is_consistent():
    rows = np.array([[1, 0], [1, 0], [0, 1]])
    found = play(Focus(Inconsistency(rows, [0, 1, 1])), 2, lambda _: 1.0)
    assert (found.values, found.best) == ({}, None)
    assert "even all attributes leave an inconsistency of 0.6667" in found.ended.why
    part = play(Focus(Inconsistency(rows, [0, 1, 1])), 2, lambda _: 1.0, family=Family(2, drop=0b10))
    assert "even all that may be chosen leave an inconsistency of 0.6667" in part.ended.why
    allowed = play(Focus(Inconsistency(rows, [0, 1, 1]), most=0.7), 2, lambda _: 1.0)
    assert allowed.best == 0b01
    small = play(Focus(Inconsistency(XOR, CLASSES)), 5, lambda _: 1.0, family=Family(5, max_size=1))
    assert "no subset of at most 1 attribute is consistent" in small.ended.why


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_focus_agrees_with_looking_at_every_pair_of_rows(seed, n):
    rng = np.random.default_rng(seed)
    rows, classes = rng.integers(0, 2, (8, n)), rng.integers(0, 2, 8)

    def consistent(mask):
        cases = zip(rows.tolist(), classes.tolist(), strict=True)
        chosen = [(tuple(v for i, v in enumerate(row) if mask >> i & 1), c) for row, c in cases]
        return all(a[1] == b[1] or a[0] != b[0] for a, b in itertools.combinations(chosen, 2))

    found = play(Focus(Inconsistency(rows, classes)), n, lambda _: 1.0)
    every = play(Focus(Inconsistency(rows, classes), most=1e-9), n, lambda _: 1.0)
    assert every.values == found.values  # the search that branches and the one that looks at all
    for size in range(1, n + 1):
        sized = play(Focus(Inconsistency(rows, classes)), n, lambda _: 1.0, goal=Sized(size))
        assert set(sized.values) == {m for m in range(1, 1 << n) if m.bit_count() == size and consistent(m)}
    sizes = [mask.bit_count() for mask in range(1, 1 << n) if consistent(mask)]
    smallest = min(sizes, default=0)
    assert set(found.values) == {m for m in range(1, 1 << n) if m.bit_count() == smallest and consistent(m)}


@pytest.mark.parametrize("most", [0.0, 0.1])
def test_focus_gives_up_before_it_looks_at_too_many(monkeypatch, most):
    monkeypatch.setattr(focus, "LARGEST_SEARCH", 4)
    found = play(Focus(Inconsistency(XOR, CLASSES), most), 5, lambda _: 1.0)
    assert (found.values, found.best) == ({}, None)
    assert "not found by looking at 4 subsets; tolerate less distance" in found.ended.why


def test_where_nothing_is_tolerated_few_of_all_subsets_are_looked_at(monkeypatch):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (40, 30))
    rows[:, 29] = rows[:, 7] ^ rows[:, 12]
    exact = Focus(Inconsistency(rows[:, :29], rows[:, 29]))
    monkeypatch.setattr(focus, "LARGEST_SEARCH", 200)  # of 436 of up to two attributes
    assert set(play(exact, 29, lambda _: 1.0).values) == {1 << 7 | 1 << 12}


def test_all_pairs_are_gone_through_once_a_size_and_then_those_that_agree_alone(monkeypatch):
    rng = np.random.default_rng(0)
    inconsistency = Inconsistency(rng.integers(0, 2, (40, 14)), rng.integers(0, 2, 40))
    agreeing, gone_through = Inconsistency.agreeing, []

    def counted(measure, subset):
        gone_through.append(subset)
        return agreeing(measure, subset)

    monkeypatch.setattr(Inconsistency, "agreeing", counted)
    found = play(Focus(inconsistency), 14, lambda _: 1.0)
    assert len(gone_through) == 1 + found.best.bit_count()  # whether any is consistent, and then from no attribute on
    monkeypatch.undo()
    fewer = {mask & ~(1 << i) for mask in found.values for i in range(14) if mask >> i & 1}
    assert all(inconsistency(mask) == 0 for mask in found.values)
    assert all(inconsistency(mask) > 0 for mask in fewer)


def test_focus_gives_up_before_it_lists_too_many_of_which_each_would_do(monkeypatch):
    alike = Focus(Inconsistency(XOR, [1, 1, 1, 1]))
    monkeypatch.setattr(focus, "LARGEST_SEARCH", 10)
    assert len(play(alike, 5, lambda _: 1.0, goal=Sized(3)).values) == 10
    monkeypatch.setattr(focus, "LARGEST_SEARCH", 9)
    found = play(alike, 5, lambda _: 1.0, goal=Sized(3))
    assert found.values == {}
    assert "not found by looking at 9 subsets" in found.ended.why


def test_a_subset_as_inconsistent_as_is_tolerated_will_do():
    rows = np.array([[5, 0], [5, 0], [5, 1], [5, 1]])  # the first attribute is constant
    inconsistency = Inconsistency(rows, [0, 1, 1, 1])
    assert inconsistency(0b10) == inconsistency(0b11) < inconsistency(0b01)
    assert set(play(Focus(inconsistency, inconsistency(0b10)), 2, lambda _: 1.0).values) == {0b10}
