"""Bounds on subcubes: on one subset what a program says, by hand where nothing is known, never below any member."""

from types import SimpleNamespace

import judge
import numpy as np
import pytest
from instances import NEAR, batch, plainly, stated

from elicit.subsets import Family
from elicit.utility.cube_program import CubeProgram, cube_program
from elicit.utility.exact import ExactSet
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.partition import partition
from elicit.utility.sets import difference


def sets():
    """Both sets of some cases that are quick to look at, with the case."""
    for case in batch(0) + batch(1):
        if case.informative and case.told.n in (2, 3):
            yield case, case.parsimonious()
            if case.consistent:
                yield case, case.exact()


def most(theirs, y, x):
    """The most that y gains on x; the empty subset is worth 0."""
    form = {mask: c for mask, c in difference(y, x).items() if mask}
    return theirs.maximum(form).value if form else 0.0


def test_on_one_subset_the_bound_is_the_most_that_it_gains_on_the_subset_or_on_itself_with_one_flip():
    for case, theirs in sets():
        n, x = case.told.n, case.told.evaluated[0]
        program = cube_program(theirs, x)
        for y in case.everything[::2]:
            others = [(x, None), *((y ^ 1 << i, i) for i in range(n))]
            for other, flip in others:
                found = program.least_bound(y, (1 << n) - 1 & ~y, flip).value
                assert found == pytest.approx(most(theirs, y, other), abs=NEAR)


def test_on_a_subcube_the_bound_holds_for_every_member_and_shrinks_with_it():
    for case, theirs in sets():
        rng, n, x = case.rng(), case.told.n, case.told.evaluated[0]
        program = cube_program(theirs, x)
        inside = outside = 0
        before = program.least_bound(0, 0).value
        for i in rng.permutation(n).tolist():
            inside, outside = (inside | 1 << i, outside) if rng.random() < 0.5 else (inside, outside | 1 << i)
            found = program.least_bound(inside, outside)
            bound = found.value
            members = [y for y in range(1 << n) if y & inside == inside and not y & outside]
            assert max(most(theirs, y, x) for y in members) <= bound + NEAR
            assert bound <= before + NEAR
            assert bound <= program.loose_bound(inside, outside).value + NEAR
            step = program.least_bound(inside, outside, i).value
            assert max(most(theirs, y, y ^ 1 << i) for y in members) <= step + NEAR
            before = bound
        assert not found.undecided.any(), "nothing is undecided"


def test_without_a_program_the_bound_is_what_the_budget_or_the_box_allows():
    solved = 0
    for case, theirs in sets():
        n, x = case.told.n, case.told.evaluated[0]
        program = cube_program(theirs, x)
        for inside, outside in ((0, 0), (1, 0), (0, 1), (1, 2), (2, 1)):
            members = [y for y in range(1 << n) if y & inside == inside and not y & outside]
            entries = theirs.monomials.rows(members) - theirs.monomials.row(x)
            least, most = entries.min(axis=0), entries.max(axis=0)
            if isinstance(theirs, ExactSet):
                expected = np.maximum(np.abs(least), np.abs(most)).sum()
            else:
                weights = theirs.settings.weights_of(theirs.monomials)
                expected = theirs.budget * (np.maximum(np.abs(least), np.abs(most)) / weights).max()
            found = program.loose_bound(inside, outside)
            assert found.value == pytest.approx(expected)
            assert not any(found.multipliers)
            uncertain = [t for t, low, high in zip(theirs.monomials.terms, least, most, strict=True) if low != high]
            assert found.undecided.tolist() == [sum(t >> i & 1 for t in uncertain) for i in range(n)]
        solved += program.solved
    assert solved == 0


@pytest.mark.parametrize(
    ("degree", "inside", "outside", "flip", "bound"),
    [
        (1, 0b010, 0b000, None, 3),  # without {a}, with {b}, and perhaps with {c}: 1 each
        (1, 0b011, 0b000, None, 2),
        (1, 0b010, 0b001, None, 3),
        (1, 0b011, 0b100, None, 1),
        (1, 0b001, 0b110, None, 0),
        (1, 0b010, 0b000, 1, 1),
        (1, 0b000, 0b010, 1, 1),
        (2, 0b010, 0b000, 1, 3),  # {b}, {a, b} and {b, c}
        (2, 0b010, 0b100, 1, 2),
        (2, 0b000, 0b110, 1, 2),
        (2, 0b001, 0b110, 1, 2),
        (2, 0b000, 0b111, 1, 1),
    ],
)
def test_where_nothing_is_known_all_that_may_differ_counts(degree, inside, outside, flip, bound):
    program = cube_program(ExactSet(3, [1, 2], [], degree=degree), 0b001)
    assert program.least_bound(inside, outside, flip).value == pytest.approx(bound)


@pytest.mark.parametrize(
    ("inside", "x", "bound"),
    [
        (0b11, 0b10, 2),  # θ_a = 2 spends all of B, and θ_ab would cost twice as much
        (0b01, 0b10, 2),
        (0b10, 0b01, -8 / 9),  # θ_a − θ_b = 1 − s costs 1 − s, and s ten times s: with 2 to spend s is 1/9
    ],
)
def test_where_a_budget_is_all_that_binds_it_is_spent_on_what_costs_least(inside, x, bound):
    theirs = ParsimoniousSet(2, [1, 2], [stated(1, 2)], Parsimony(tau=1.0, slack=10.0, weights=(1.0, 2.0)))
    assert cube_program(theirs, x).least_bound(inside, 0b11 & ~inside).value == pytest.approx(bound)


@pytest.mark.parametrize("x", [0b001, 0b101])  # with {c} the others gain θ_c; or they lose it, without
def test_where_a_budget_is_shared_only_what_the_bound_comes_from_counts_as_undecided(x):
    theirs = ParsimoniousSet(3, [1, 2], [stated(1, 2)], Parsimony(tau=1.0, slack=10.0, weights=(1.0, 3.0)))
    found = cube_program(theirs, x).least_bound(0b001, 0b010)
    # 2σ − λ with λ ≤ σ, 1 ≤ σ for θ_c, and 1 ≤ 3σ for θ_ac, which is undecided, too, but costs too much to count
    assert found.value == pytest.approx(1)
    assert found.undecided == pytest.approx([0, 0, 1])


def test_what_is_said_to_be_equal_bounds_both_sides_as_long_as_it_counts():
    theirs = ExactSet(2, [1, 2], [stated(1, 2, "equal")], degree=1)
    for x, y in ((1, 2), (2, 1)):
        program = cube_program(theirs, x)
        for chosen, most_gained in (({0}, 0), (set(), 2), ({0}, 0)):
            program.restrict_to(chosen)
            assert program.least_bound(y, x).value == pytest.approx(most_gained)


def test_whatever_multipliers_a_solver_gives_the_bound_made_of_them_holds(monkeypatch):
    rng = np.random.default_rng(0)
    for case, theirs in sets():
        n, x = case.told.n, case.told.evaluated[0]
        program = cube_program(theirs, x)
        signs = [[1.0, -1.0] if s.relation.value == "equal" else [1.0] for s in theirs.statements]
        for _ in range(10):
            given = np.array([rng.choice([0.0, 0.3, 1.0, 30.0]) * rng.choice(sign) for sign in signs])
            solution = SimpleNamespace(values=given, duals=np.zeros(program._program.rows))
            monkeypatch.setattr(program._program, "optimum", lambda solution=solution: solution)
            y = int(rng.integers(1, 1 << n))
            assert most(theirs, y, x) <= program.least_bound(y, (1 << n) - 1 & ~y).value + NEAR


def test_a_multiplier_of_an_equality_costs_whatever_its_sign(monkeypatch):
    theirs = ParsimoniousSet(2, [1, 2], [stated(1, 2, "equal")], Parsimony(tau=1.0, slack=10.0, degree=1))
    for x, y, given in ((1, 2, 1.0), (2, 1, -1.0)):  # it cancels what y gains: what is left is B / C = 1 / 10
        program = cube_program(theirs, x)
        solution = SimpleNamespace(values=np.array([given, 0.1]), duals=np.zeros(program._program.rows))
        monkeypatch.setattr(program._program, "optimum", lambda solution=solution: solution)
        assert program.least_bound(y, x).value == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("family", "gained"),
    [
        (Family(4), 4),  # {b, c, d} instead of {a}
        (Family(4, max_size=1), 2),
        (Family(4, max_size=2), 3),
        (Family(4, keep=0b0001), 3),
        (Family(4, drop=0b1100), 2),
        (Family(4, keep=0b0001, drop=0b1100), 1),
        (Family(4, keep=0b0001, drop=0b1110), 0),
        (Family(4, drop=0b1110), 0),
    ],
)
def test_of_a_family_only_the_members_count(family, gained):
    found = partition(ExactSet(4, [1, 2], [], degree=1), 0b0001, family)
    assert found.upper == pytest.approx(gained)
    for y in set(family) - {0b0001}:
        assert any(y & p.inside == p.inside and not y & p.outside for p in found.pieces)
    assert (0b0001, 0b1110) not in [(p.inside, p.outside) for p in found.pieces], "it is no rival of its own"


def test_a_search_ends_with_enough_when_it_is_told_to_or_after_so_many_programs():
    theirs, told = ExactSet(4, [1, 2], [stated(0b0010, 0b0100)], degree=1), []

    def watch(lower, upper):
        told.append((lower, upper))
        return False

    gained = partition(theirs, 0b0001, Family(4), progress=watch).upper
    assert gained == pytest.approx(max(most(theirs, y, 0b0001) for y in Family(4)))
    assert all(lower <= gained + NEAR and upper >= gained - NEAR for lower, upper in told)
    assert [upper for _, upper in told] == sorted((upper for _, upper in told), reverse=True)
    assert told[-1] == pytest.approx((gained, gained))
    whole = len(told)
    told.clear()
    partition(theirs, 0b0001, Family(4), progress=lambda *bounds: told.append(bounds) or True)
    assert len(told) == 1
    told.clear()
    assert partition(theirs, 0b0001, Family(4), enough=0.5, attempt=lambda _: 1.0, progress=watch).upper >= gained
    assert len(told) == 1, "the first subset that is tried gains enough"
    partition(theirs, 0b0001, Family(4), most_cubes=2, progress=watch)
    assert len(told) < whole
    told.clear()
    assert len(partition(theirs, 0b0001, Family(4), most_cubes=1, progress=watch).pieces) == 1
    assert told == [], "the one program bounds the family as a whole"
    assert partition(theirs, 0b0001, Family(4), lower=gained).upper == pytest.approx(gained)
    above = partition(theirs, 0b0001, Family(4), lower=gained + 1)
    assert (len(above.pieces), above.upper) == (1, gained + 1)
    told.clear()
    partition(theirs, 0b0001, Family(4), enough=0.5, attempt=lambda _: 0.5, progress=watch)
    assert len(told) > 1, "no more than enough is not above it"
    for before in range(8):
        told.clear()
        left = iter([*[0.0] * before, 9.0])  # what is found by trying, and then nothing
        partition(theirs, 0b0001, Family(4), lower=1.0, attempt=lambda _, left=left: next(left, 0.0), progress=watch)
        known = [1.0, *(lower for lower, _ in told)]
        assert known == sorted(known), "a gain that is known stays known"
        assert known[-1] == 9.0 or next(left, None) is not None


def test_a_single_subset_is_compared_at_once_and_not_by_steps(monkeypatch):
    asked, plain = [], CubeProgram.least_bound

    def watched(program, inside, outside, flip=None):
        asked.append((inside | outside == 0b111, flip))
        return plain(program, inside, outside, flip)

    monkeypatch.setattr(CubeProgram, "least_bound", watched)
    partition(ExactSet(3, [1, 2], [stated(1, 2)]), 0b001, Family(3), by_steps=True)
    assert {flip for single, flip in asked if single} == {None}
    assert {flip for single, flip in asked if not single} - {None}


def test_what_only_some_statements_bound_is_what_a_set_of_these_alone_would():
    rng = np.random.default_rng(0)
    for case, theirs in sets():
        told, x = case.told, case.told.evaluated[0]
        program = cube_program(theirs, x)
        for _ in range(3):
            chosen = {r for r in range(len(case.statements)) if rng.random() < 0.6}
            program.restrict_to(chosen)
            said = plainly([theirs.statements[r] for r in sorted(chosen)])
            y = int(rng.integers(1, 1 << told.n))
            if isinstance(theirs, ExactSet):
                expected = judge.slice_max(difference(y, x), said, told.monos, theirs.delta)
            else:
                expected = -judge.set_extreme(difference(x, y), said, told.monos, told.C, told.w, theirs.budget)[0]
            found = program.least_bound(y, (1 << told.n) - 1 & ~y).value
            assert found == pytest.approx(expected, abs=10 * NEAR)
