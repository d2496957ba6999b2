"""An interior point ends in a basis from which the simplex has hardly anything left to do."""

import numpy as np
import pytest
from instances import NEAR, batch, random_case

from elicit.utility import interior, parsimony, prices
from elicit.utility.interior import near_optimum
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.solver import BasisStatus, Program


def many_statements(seed):
    """A set with some hundred statements, contradictions among them."""
    case = random_case(np.random.default_rng(seed), n=7, evaluated=60, answers=20, degree=2, C=10.0)
    return case.parsimonious()


def pivots_to(utilities, monkeypatch):
    """What J* is, and how many pivots it took."""
    counted, plain = [], Program.solve

    def solve(self, *args):
        solution = plain(self, *args)
        counted.append(solution.pivots)
        return solution

    with monkeypatch.context() as patch:
        patch.setattr(Program, "solve", solve)
        return utilities.least_cost, sum(counted)


@pytest.mark.parametrize("seed", range(4))
def test_the_simplex_needs_a_fraction_of_the_pivots_and_says_the_same(monkeypatch, seed):
    expected, many = pivots_to(many_statements(seed), monkeypatch)
    monkeypatch.setattr(prices, "STATEMENTS_AT_LENGTH", 0)
    found, few = pivots_to(many_statements(seed), monkeypatch)
    assert found == pytest.approx(expected, abs=NEAR)
    assert many > 20
    assert few < many / 10


def test_a_basis_among_more_than_it_has_and_few_steps_are_enough(monkeypatch):
    steps, plain = [], interior.cho_factor
    monkeypatch.setattr(interior, "cho_factor", lambda *args, **how: steps.append(1) or plain(*args, **how))
    monkeypatch.setattr(prices, "STATEMENTS_AT_LENGTH", 0)
    case = random_case(np.random.default_rng(3), n=13, evaluated=120, answers=60, degree=2, C=1e5)
    _, few = pivots_to(case.parsimonious(), monkeypatch)  # some 300 from nothing, 80 of the firmest alone
    assert few < 40
    assert len(steps) < 21  # 24 without the correction for curvature


def test_costs_agree_with_the_judge(monkeypatch):
    for room in (prices, parsimony):
        monkeypatch.setattr(room, "STATEMENTS_AT_LENGTH", 0)
    for name, few in [("STATEMENTS_AT_ONCE", 2), ("STATEMENTS_ENTER", 2), ("RIVALS_ENTER", 1)]:
        monkeypatch.setattr(prices, name, few)
    for case in batch(0):
        theirs = case.parsimonious()
        assert theirs.least_cost == pytest.approx(case.least_cost, abs=NEAR)
        assert theirs.least_slack == pytest.approx(case.least_slack, abs=NEAR)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_as_many_are_basic_as_there_are_monomials(seed, free):
    utilities = many_statements(seed)
    weights = np.zeros(len(utilities.monomials)) if free else np.array([1.0] * 7 + [2.0] * 21)
    phi = utilities.monomials.rows(utilities.subsets)
    arrays = utilities.arrays_of(utilities.statements)
    statements, rows = near_optimum(phi, arrays, weights)
    assert (len(statements), len(rows)) == (len(utilities.statements), 28)
    assert [*statements, *rows].count(BasisStatus.BASIC) == 28


def test_one_statement_is_enough():
    told = many_statements(0).statements[:1]
    utilities = ParsimoniousSet(7, (told[0].better, told[0].worse), told)
    near_optimum(utilities.monomials.rows(utilities.subsets), utilities.arrays_of(told), np.ones(28))
