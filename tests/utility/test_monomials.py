"""Rows φ, utilities and their power indices, as the judge counts them; and what is refused at the door."""

from itertools import combinations

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit.errors import InputError
from elicit.knowledge.statements import Statement
from elicit.subsets import Attributes, members
from elicit.utility import numbers
from elicit.utility.monomials import Monomials, Utility

SIZES = st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, min(3, n))))


@st.composite
def utilities(draw):
    n, degree = draw(SIZES)
    monos = judge.monomials(n, degree)
    theta = draw(st.lists(st.integers(-4, 4), min_size=len(monos), max_size=len(monos)))
    return n, monos, [float(x) for x in theta]


@given(SIZES)
def test_monomials_and_rows_are_the_judges(size):
    n, degree = size
    full = Monomials.full(n, degree)
    assert list(full.terms) == judge.monomials(n, degree)
    assert full.degrees.tolist() == [t.bit_count() for t in full.terms]
    assert [full.terms[k] for k in full.position.values()] == list(full.position)
    masks = list(range(1 << n))
    assert (full.rows(masks) == judge.phi(masks, list(full.terms))).all()
    assert (full.row(masks[-1]) == 1).all()
    assert all((full.row(mask) == row).all() for mask, row in zip(masks, full.rows(masks), strict=True))


@given(st.integers(60, 66), st.data())
def test_one_row_is_as_many_rows_where_masks_outgrow_the_machines_integers(n, data):
    full = Monomials.full(n, 2)
    masks = data.draw(st.lists(st.integers(1, (1 << n) - 1), min_size=1, max_size=3))
    assert (np.array([full.row(mask) for mask in masks]) == full.rows(masks)).all()


@given(utilities())
@settings(max_examples=60, deadline=None)
def test_values_power_and_interactions_follow_from_theta(drawn):
    n, monos, theta = drawn
    utility = Utility.of(Monomials(n, monos), np.array(theta))
    masks = list(range(1, 1 << n))
    assert utility.values(masks).tolist() == [judge.utility(theta, v, monos) for v in masks]
    assert utility(masks[-1]) == pytest.approx(sum(theta))
    assert utility.power("banzhaf") == pytest.approx(np.array(judge.banzhaf(theta, monos, n)))
    if n <= 5:
        assert utility.power() == pytest.approx(np.array(judge.shapley(theta, monos, n)))
    if all(s.bit_count() <= 2 for s in monos):
        assert utility.power("shapley") == pytest.approx(utility.power("banzhaf"))
    assert utility.theta == {t: x for t, x in zip(monos, theta, strict=True) if x}
    again = Utility(n, utility.theta)  # without what it was made from
    assert again.theta == utility.theta
    assert again.values(masks) == pytest.approx(utility.values(masks))
    table = utility.interactions()
    known = dict(zip(monos, theta, strict=True))
    assert all(table[i, j] == known.get(1 << i | 1 << j, 0.0) for i in range(n) for j in range(n))


def test_a_support_holds_all_single_attributes_first():
    support = Monomials.support(4, [0b1100, 0b0011, 0b0001, 0b0111, 0b1100])
    assert support.terms == (1, 2, 4, 8, 0b0011, 0b1100, 0b0111)
    assert len(support) == 7


def test_rows_work_beyond_a_machine_word():
    wide = Monomials.support(200, [1 << 199 | 1])
    assert wide.row(1 << 199 | 1).sum() == 3
    assert wide.row(1 << 199).sum() == 1


@pytest.mark.parametrize("n", [5, 62, 63, 64, 130])
def test_what_an_entry_may_be_in_a_subcube_is_what_it_is_for_some_member(n):
    rng = np.random.default_rng(n)
    free = sorted({0, 1, n - 1, *rng.integers(0, n, 2).tolist()})
    terms = [1 << i for i in free] + [1 << i | 1 << j for i in free for j in free if i < j]
    some = Monomials(n, [*terms, 1 << free[0] | 1 << free[1] | 1 << n - 1])
    for _ in range(20):
        states = rng.integers(0, 3, len(free)).tolist()  # out, in, or either
        inside = sum(1 << i for i, state in zip(free, states, strict=True) if state == 1)
        outside = sum(1 << i for i, state in zip(free, states, strict=True) if state == 0)
        rest = [1 << i for i, state in zip(free, states, strict=True) if state == 2]
        chosen = (sum(c) for k in range(len(rest) + 1) for c in combinations(rest, k))
        entries = some.rows([inside | more for more in chosen])
        least, most = some.entries_between(inside, outside)
        assert least.tolist() == entries.min(axis=0).tolist()
        assert most.tolist() == entries.max(axis=0).tolist()
    for i in range(n):
        assert some.holding(i).tolist() == [i in members(t) for t in some.terms]


def test_the_empty_utility_is_zero():
    assert Utility(3, {}).values([1, 7]).tolist() == [0, 0]
    assert Utility(3, {}).power().tolist() == [0, 0, 0]


@pytest.mark.parametrize(("n", "degree"), [(1, 2), (2, 3), (5, 4), (5, 0)])
def test_a_degree_that_cannot_be_is_an_error(n, degree):
    with pytest.raises(InputError, match="degree"):
        Monomials.full(n, degree)


def test_too_many_monomials_are_not_listed(monkeypatch):
    monkeypatch.setattr(numbers, "MOST_MONOMIALS", 10)
    assert len(Monomials.full(4, 2)) == 10
    with pytest.raises(InputError, match="too many monomials"):
        Monomials.full(5, 2)


@pytest.mark.parametrize("term", [0, 8, 0b1111 << 1])
def test_a_foreign_monomial_is_an_error(term):
    with pytest.raises(InputError, match="a monomial holds"):
        Monomials(3 if term == 8 else 8, [term])


def test_an_unknown_index_is_an_error():
    with pytest.raises(InputError, match="'shapley' or 'banzhaf'"):
        Utility(1, {1: 1.0}).power("core")


def test_bad_subsets_and_statements_are_one_clear_error_each():
    names = Attributes(("alcohol", "ash"))
    with pytest.raises(InputError, match="unknown attribute 'alcohl'; did you mean 'alcohol'"):
        names.mask(["alcohl"])
    with pytest.raises(InputError, match="empty"):
        Statement(0, 1)
    with pytest.raises(InputError, match="against itself"):
        Statement(2, 2)
    for weight in (float("nan"), 0.0, -1.0, float("inf")):
        with pytest.raises(InputError, match="positive and finite"):
            Statement(1, 2, weight=weight)


@given(st.integers(1, 6), st.integers(1, 3), st.data())
def test_what_an_attribute_shares_in_is_the_sum_over_the_monomials_that_hold_it(n, degree, data):
    monomials = Monomials.full(n, min(degree, n))
    values = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=len(monomials), max_size=len(monomials))), float)
    expected = [sum(v for t, v in zip(monomials.terms, values, strict=True) if t >> i & 1) for i in range(n)]
    assert monomials.by_attribute(values).tolist() == expected
    for term, held in zip(monomials.terms, monomials.held.tolist(), strict=True):
        assert sorted({*held}) == members(term)
    assert Monomials(7, [0b01, 0b11]).by_attribute(np.array([2.0, 3.0])).tolist() == [5, 3, 0, 0, 0, 0, 0]
