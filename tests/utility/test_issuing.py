"""A certificate put together: what rounding would break is mended in exact numbers, by hand."""

from fractions import Fraction

import pytest
from instances import stated

from elicit.utility import issuing
from elicit.utility.exact import ExactSet
from elicit.utility.issuing import (
    integer_multipliers,
    into_set,
    issue,
    issue_pieces,
    moved_inward,
    nudge_towards,
    plain_monomials,
    plain_statements,
)
from elicit.utility.monomials import Monomials, Utility
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.partition import Piece
from elicit.utility.rationals import fractions_of, plain_theta, simple_fraction
from elicit.utility.tolerances import DENOMINATOR, MULTIPLIER

HAIR = Fraction(1, 10**10)


def only(y, n, multipliers):
    """A piece that holds one subset."""
    return Piece(y, (1 << n) - 1 & ~y, multipliers, 0.0)


def no_more(bound, subset, y):
    """The claim that one subset gains at most so much on another."""
    return {"kind": "regret", "subset": subset, "bound": bound, "scope": {"subsets": [y]}}


def thirds_of_two():
    """θ_5 ≥ 1 and θ_1 + θ_2 + θ_3 ≥ θ_5 + 1 in equal parts: thirds of 2, which are rounded up. J* = 3, so B = 6."""
    alike = [stated(0b001, 0b010, "equal"), stated(0b010, 0b100, "equal")]
    said = [stated(0b001111, 0b011000), stated(0b011000, 0b001000), *alike]
    return ParsimoniousSet(6, [0b001, 0b100000], said, Parsimony(tau=1.0, slack=10.0, degree=1))


def test_thirds_that_must_add_up_to_one_are_issued_as_thirds():
    # that {a} and {b} are equal was said three times: a third of each proves it, and no rounded third does
    theirs = ExactSet(3, [1, 2, 4], [*[stated(1, 2, "equal", 3.0)] * 3, stated(1, 4)], degree=1)
    pieces = [only(0b010, 3, (1 / 3, 1 / 3, 1 / 3, 0.0))]
    certificate = issue_pieces(theirs, no_more("0", [0], [1]), pieces)
    unit = certificate["proof"]["unit"]
    assert certificate["proof"]["cuts"] == [[[r, unit // 3] for r in range(3)]]
    assert unit % 3 == 0
    rounded = {
        "unit": DENOMINATOR,
        "cuts": [integer_multipliers(theirs.statements, pieces[0].multipliers, DENOMINATOR)],
    }
    rounded["pieces"] = certificate["proof"]["pieces"]
    assert issue(theirs, no_more("0", [0], [1]), rounded) is None
    roomy = issue_pieces(theirs, no_more("1", [0], [1]), pieces)
    assert roomy["proof"] == rounded | {"witness": certificate["proof"]["witness"]}, "with room rounded ones do"


def test_no_simple_fraction_is_looked_for_where_a_statement_has_no_multiplier(monkeypatch):
    """Most statements have none in most pieces, of which there may be a thousand."""
    looked_at = []
    monkeypatch.setattr(issuing, "simple_fraction", lambda x: looked_at.append(x) or simple_fraction(x))
    theirs = ExactSet(3, [1, 2, 4], [*[stated(1, 2, "equal", 3.0)] * 3, stated(1, 4)], degree=1)
    assert issue_pieces(theirs, no_more("0", [0], [1]), [only(0b010, 3, (1 / 3, 1 / 3, 1 / 3, 0.0))])
    assert set(looked_at) == {1 / 3}


def test_a_budget_that_is_spent_whole_is_worked_out_from_a_simple_utility():
    theirs = thirds_of_two()
    pieces = [only(0b100000, 6, (0.0,) * 4)]
    certificate = issue_pieces(theirs, no_more("6", [0], [5]), pieces)
    assert certificate["proof"]["simple"] == [[[0], "2/3"], [[1], "2/3"], [[2], "2/3"], [[4], "1"]]
    rounded = certificate["proof"] | {"simple": plain_theta(fractions_of(theirs.simplest.theta))}
    assert issue(theirs, no_more("6", [0], [5]), rounded) is None
    assert issue_pieces(theirs, no_more("5999999/1000000", [0], [5]), pieces) is None


@pytest.mark.parametrize("off", [HAIR, -HAIR, Fraction(1, 100)])
@pytest.mark.parametrize("equal", [[(0b011, 0b100)], [(0b100, 0b011)], [(0b011, 0b100)] * 3])
def test_a_utility_is_moved_onto_an_equality_by_the_smallest_correction(equal, off):
    said = [*(stated(*pair, "equal", 3.0) for pair in equal), stated(0b001, 0b010)]
    theirs = ExactSet(3, [1, 2, 3, 4], said, degree=1)
    theta = {1: Fraction(1, 2), 2: Fraction(1, 4), 4: Fraction(3, 4) - 3 * off}
    assert into_set(theirs, theta) == {1: theta[1] - off, 2: theta[2] - off, 4: theta[4] + off}


def test_a_weak_statement_is_mended_where_it_is_broken_and_let_alone_where_it_holds():
    said = [stated(0b01, 0b10, "weak", 3.0), stated(0b10, 0b100)]
    theirs = ExactSet(3, [1, 2, 4], said, degree=1)
    half = Fraction(1, 2)
    assert into_set(theirs, {1: half - HAIR, 2: half + HAIR, 4: -half}) == {1: half, 2: half, 4: -half}
    for spare in (Fraction(MULTIPLIER), Fraction(1, 4)):
        theta = {1: half, 2: half - spare, 4: -half}
        assert into_set(theirs, theta) == theta
    for beyond in ({1: 1 + HAIR, 2: half, 4: -half}, {1: half, 2: -half, 4: -1 - HAIR}):
        assert into_set(theirs, beyond) == {t: x / (1 + HAIR) for t, x in beyond.items()}


def test_in_the_parsimonious_set_nothing_need_hold_exactly():
    theirs = ParsimoniousSet(2, [1, 2], [stated(1, 2, "equal"), stated(3, 1)], Parsimony(degree=1))
    theta = {1: Fraction(3), 2: 3 + HAIR}
    assert into_set(theirs, theta) == theta


def test_a_utility_is_moved_inwards_by_a_share_of_the_way():
    theirs = thirds_of_two()
    there = {1: Fraction(2, 3), 2: Fraction(2, 3), 4: Fraction(2, 3), 16: Fraction(1)}
    for share in (Fraction(1, 2), Fraction(1, 256)):
        moved = moved_inward(theirs, Utility(6, {0b100000: -0.25, 0b10: 3.0}), share)
        expected = {t: share * x for t, x in there.items()} | {0b100000: (1 - share) * Fraction(-1, 4)}
        expected[0b10] += (1 - share) * 3
        assert list(moved) == sorted(expected)
        assert all(abs(moved[t] - x) < HAIR for t, x in expected.items())


def test_a_nudge_favours_the_attributes_of_a_subset_over_all_others():
    nudge = Fraction(1, 8)
    theta = {0b001: Fraction(1), 0b100: Fraction(1), 0b110: Fraction(5)}
    assert nudge_towards(3, theta, 0b101, nudge) == {
        0b001: Fraction(9, 8),
        0b010: -nudge,
        0b100: Fraction(9, 8),
        0b110: Fraction(5),
    }
    assert {t: x for t, x in nudge_towards(3, theta, 0b101, Fraction(0)).items() if x} == theta


def test_multipliers_are_rounded_and_those_that_may_not_be_below_nothing_left_out():
    said = [stated(1, 2), stated(1, 2, "weak", 3.0), stated(1, 2, "equal", 3.0), stated(2, 1, "equal", 3.0)]
    found = integer_multipliers(said, [0.25, -0.5, -0.5, 1e-12], 8)
    assert found == [[0, 2], [2, -4]]
    assert integer_multipliers(said, [0.01, 0.3, 0.01, 0.0], 8) == [[1, 2]], "what is rounded to nothing is left out"


def test_monomials_are_listed_only_where_some_of_their_degree_are_left_out():
    assert plain_monomials(Monomials.full(3, 2)) == {"degree": 2}
    assert plain_monomials(Monomials.support(3, [0b011])) == {"degree": 2, "support": [[0, 1]]}


def test_statements_are_listed_with_the_digits_of_their_weights():
    assert plain_statements([stated(0b101, 0b10, "weak", 0.1)]) == [
        {"better": [0, 2], "worse": [1], "relation": "weak", "weight": "1/10"}
    ]
