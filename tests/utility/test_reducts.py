"""Reducts and cores against brute force over every choice of answers, and against the judge's programs.

The rule: what a choice of answers proves is said by the judge, a program of its own over θ, not over multipliers.
"""

from itertools import combinations, pairwise

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances import Case

from elicit.knowledge.statements import Source, Statement
from elicit.utility.exact import ExactSet
from elicit.utility.reducts import ProofByAnswers, core, smallest_reduct

#: Where a bound is met this nearly, either answer is right.
BAND = (1e-7, 1e-5)


def choices(places):
    return [frozenset(c) for k in range(len(places) + 1) for c in combinations(sorted(places), k)]


# the search itself, on any monotone property


@given(st.integers(0, 6), st.lists(st.frozensets(st.integers(0, 5)), max_size=6))
def test_the_smallest_reduct_and_the_core_are_those_of_an_exhaustive_search(count, wanted):
    """It is proven by any choice that holds one of the wanted sets."""
    places = range(count)

    def proves(chosen):
        return any(want <= chosen for want in wanted)

    proving = [c for c in choices(places) if proves(c)]
    found = smallest_reduct(proves, places)
    if not proving:
        assert found is None
        return
    assert found.smallest
    assert proves(found.places)
    assert len(found.places) == min(map(len, proving))
    assert core(proves, places) == frozenset.intersection(*proving)


@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=1, max_size=6))
def test_a_search_that_is_cut_short_still_gives_what_has_nothing_to_spare(wanted):
    def proves(chosen):
        return any(want <= chosen for want in wanted)

    found = smallest_reduct(proves, range(6), rounds=0)
    assert not found.smallest
    assert proves(found.places)
    assert not any(proves(found.places - {r}) for r in found.places)


# what answers prove, by the judge


def values(case, utilities, subset, rivals):
    """For each choice of answers, by brute force, the most that a rival gains when only these count."""
    told = case.told
    places = [r for r, s in enumerate(utilities.statements) if s.source is not Source.DOMINANCE]
    found = {}
    if isinstance(utilities, ExactSet):
        for chosen in choices(places):
            kept = [s for r, s in enumerate(told.statements) if r in chosen or r not in places]
            gains = [-judge.slice_min(judge.difference(subset, y), kept, told.monos, utilities.delta) for y in rivals]
            found[chosen] = max(gains)
        return found
    limit = judge.budget(told.statements, told.monos, told.tau, told.C, told.w)
    limit += 1e-9 * max(1.0, limit)
    for chosen in choices(places):
        kept = [s for r, s in enumerate(told.statements) if r in chosen or r not in places]
        gains = [
            -judge.set_extreme(judge.difference(subset, y), kept, told.monos, told.C, told.w, limit)[0] for y in rivals
        ]
        found[chosen] = max(gains)
    return found


def agrees(case, utilities, subset, rivals):
    """Check one subset against the judge; False when the instance is too near a tie, or has no answers."""
    found = values(case, utilities, subset, rivals)
    whole = max(found, key=len)
    bound = max(0.0, found[whole])
    if not whole or any(BAND[0] < v - bound < BAND[1] for v in found.values()):
        return False
    proving = [c for c, v in found.items() if v <= bound + 1e-6]
    needed = ProofByAnswers(utilities, subset, rivals, bound)
    assert needed.places == whole
    for chosen in found:
        assert needed.proves(chosen) == (chosen in proving), (chosen, found[chosen], bound)
    reduct = smallest_reduct(needed.proves, needed.places)
    assert reduct.smallest
    assert reduct.places in proving
    assert len(reduct.places) == min(map(len, proving))
    assert core(needed.proves, needed.places) == frozenset.intersection(*proving)
    return True


@pytest.mark.parametrize("drawn", [60, pytest.param(150, marks=pytest.mark.slow)])
@pytest.mark.parametrize("exact", [False, True], ids=["parsimonious", "exact"])
def test_what_answers_prove_agrees_with_brute_force(exact, drawn):
    rng = np.random.default_rng(31)
    checked = told = 0
    for instance in judge.instances(rng, max_n=5, max_evaluated=6, max_answers=4):
        case = Case.of(instance)
        if told == drawn:
            break
        told += 1
        if not case.informative or len(instance.evaluated) < 2:
            continue
        if exact:
            utilities = ExactSet(instance.n, instance.evaluated, case.statements, degree=instance.degree)
            if utilities.conflict is not None:
                continue
        else:
            utilities = case.parsimonious()
        subset = instance.evaluated[int(rng.integers(len(instance.evaluated)))]
        rivals = [y for y in instance.evaluated if y != subset]
        checked += agrees(case, utilities, subset, rivals)
    assert checked >= drawn / (15 if exact else 5)


def test_a_worked_case():
    """a ≻ b and b ≻ c, each by an answer: both are needed for a ≻ c, and each alone for its own pair."""
    a, b, c = 0b001, 0b010, 0b100
    utilities = ExactSet(3, [a, b, c], [Statement(a, b), Statement(b, c)], degree=1)
    assert core(*of(ProofByAnswers(utilities, a, [c], 0.0))) == {0, 1}
    assert core(*of(ProofByAnswers(utilities, a, [b], 0.0))) == {0}
    assert smallest_reduct(*of(ProofByAnswers(utilities, a, [b, c], 0.0))).places == {0, 1}


def test_a_proof_that_used_none_of_the_answers_left_out_is_not_looked_for_again():
    """Each of three rivals is put below the subset by an answer of its own: leaving one out touches one proof."""
    best, rivals = 0b1, [0b010, 0b100, 0b1000]
    utilities = ExactSet(4, [best, *rivals], [Statement(best, y) for y in rivals], degree=1)
    needed = ProofByAnswers(utilities, best, rivals, 0.0)
    solved = [needed._program.solved]
    for chosen in ({0, 1, 2}, {0, 1}, {0, 2}, {1, 2}):
        assert needed.proves(frozenset(chosen)) == (len(chosen) == 3)
        solved.append(needed._program.solved)
    assert [after - before for before, after in pairwise(solved)] == [3, 1, 1, 1]


def of(needed):
    return needed.proves, needed.places
