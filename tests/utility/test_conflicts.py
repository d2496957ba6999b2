"""The smallest conflict and the cheapest retraction are those that trying everything finds."""

import itertools
from unittest.mock import patch

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances import BATCHES, batch, plainly, random_case, stated

from elicit.knowledge.statements import Source, contradiction
from elicit.utility import conflicts
from elicit.utility.conflicts import (
    Consistency,
    cheapest_retraction,
    contradiction_in,
    farkas_multipliers,
    retractable,
    smallest_conflict,
    with_implied_dominance,
)
from elicit.utility.monomials import Monomials

FULL = {n: Monomials.full(n, min(2, n)) for n in range(1, 7)}


def monomials(case):
    return Monomials.full(case.told.n, case.told.degree)


def holds(statements, monos):
    return judge.cone_consistent(plainly(statements), monos)


# The judge


@pytest.mark.parametrize("k", BATCHES)
def test_the_smallest_conflict_is_one_and_nothing_smaller_is(k):
    for case in batch(k):
        told = case.told
        found = smallest_conflict(monomials(case), case.statements)
        assert found.smallest
        if case.consistent:
            assert found.statements == ()
            continue
        closed = with_implied_dominance(case.statements)
        assert set(found.statements) <= set(closed)
        assert not holds(found.statements, told.monos)
        fewer = len(found.statements) - 1  # a part of something consistent is consistent: one size tells all
        assert all(holds(part, told.monos) for part in itertools.combinations(set(closed), fewer))


@pytest.mark.parametrize("k", BATCHES)
def test_the_cheapest_retraction_is_the_judges(k):
    for case in batch(k):
        monos = case.told.monos
        closed = with_implied_dominance(case.statements)
        repair = cheapest_retraction(monomials(case), case.statements)
        words = [r for r, s in enumerate(closed) if retractable(s)]
        costs = [
            sum(closed[r].weight for r in gone)
            for size in range(len(words) + 1)
            for gone in itertools.combinations(words, size)
            if holds([s for r, s in enumerate(closed) if r not in gone], monos)
        ]
        assert (repair is None) == (not costs)
        if repair is None:
            continue  # with single attributes alone, what was measured may contradict itself
        assert repair.cheapest
        assert all(retractable(s) for s in repair.statements)
        assert sum(s.weight for s in repair.statements) == pytest.approx(min(costs))
        kept = list(closed)
        for s in repair.statements:
            kept.remove(s)
        assert holds(kept, monos)


@pytest.mark.parametrize("k", BATCHES)
def test_when_anything_may_go_the_cheapest_retraction_is_still_the_judges(k):
    for case in batch(k):
        closed = with_implied_dominance(case.statements)
        if case.consistent or len(closed) > 9:
            continue
        repair = cheapest_retraction(monomials(case), case.statements, may=lambda _s: True)
        expected, _ = judge.cheapest_retraction(plainly(closed), case.told.monos)
        assert sum(s.weight for s in repair.statements) == pytest.approx(expected)


@pytest.mark.parametrize("k", BATCHES)
def test_dominance_is_closed_and_nothing_else_is_added(k):
    for case in batch(k):
        said = [(s.better, s.worse) for s in case.statements if s.source is Source.DOMINANCE]
        closed = with_implied_dominance(case.statements)
        assert closed[: len(case.statements)] == case.statements
        dominance = [(s.better, s.worse) for s in closed if s.source is Source.DOMINANCE]
        assert set(dominance) == judge.transitive_closure(set(said))
        assert len(dominance) - len(set(dominance)) == len(said) - len(set(said))


@pytest.mark.parametrize("k", BATCHES)
def test_a_cycle_needs_no_program_and_is_a_conflict(k):
    for case in batch(k):
        cycle = contradiction(case.statements)
        if cycle:
            assert not holds(cycle, case.told.monos)
            assert not case.consistent
        found = smallest_conflict(monomials(case), case.statements).statements
        assert not found or not cycle or len(found) <= len(cycle)


@pytest.mark.parametrize("k", BATCHES)
def test_consistency_of_a_part_is_the_judges(k):
    for case in batch(k):
        rng, logic = case.rng(), Consistency(monomials(case), case.statements)
        for _ in range(4):
            part = {r for r in range(len(case.statements)) if rng.random() < 0.6}
            chosen = [case.statements[r] for r in sorted(part)]
            assert logic.consistent(part) == holds(chosen, case.told.monos)
            if any(s.strict for s in chosen):
                expected = judge.slice_margin(plainly(chosen), case.told.monos)
                assert logic.margin(part)[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("k", BATCHES)
def test_minimal_and_maximal_parts_are_what_they_say(k):
    for case in batch(k):
        if case.consistent:
            continue
        logic, everything = Consistency(monomials(case), case.statements), set(range(len(case.statements)))

        def agree(part, case=case):
            return holds([case.statements[r] for r in part], case.told.monos)

        part = logic.minimal_conflict(everything)
        assert not agree(part)
        assert all(agree(part - {r}) for r in part)
        grown = logic.maximal_consistent(set())
        assert agree(grown)
        assert all(not agree(grown | {r}) for r in everything - grown)


@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_a_conflict_is_minimal_even_when_the_multipliers_say_nothing(monkeypatch, fill):
    margin = Consistency.margin

    def coarse(self, chosen):
        largest, theta, duals = margin(self, chosen)
        return largest, theta, np.full_like(duals, fill)

    monkeypatch.setattr(Consistency, "margin", coarse)
    for case in batch(0) + batch(1):
        if not case.consistent:
            logic, everything = Consistency(monomials(case), case.statements), set(range(len(case.statements)))
            part = logic.minimal_conflict(everything)
            assert not holds([case.statements[r] for r in part], case.told.monos)
            assert all(holds([case.statements[r] for r in part - {q}], case.told.monos) for q in part)


def tangled(seed):
    """Seven statements on three attributes that contradict each other, though no two say the opposite; else None."""
    rng = np.random.default_rng(seed)
    said = [
        stated(*rng.choice(range(1, 8), 2, replace=False).tolist(), str(rng.choice(judge.RELATIONS)), 3.0)
        for _ in range(7)
    ]
    logic = Consistency(Monomials.full(3, 1), said)
    return None if logic.consistent(set(range(7))) or logic.opposite() else said


def test_where_no_two_are_opposite_the_smallest_conflict_is_searched_for():
    monomials, monos, shortened = Monomials.full(3, 1), judge.monomials(3, 1), 0
    for said in filter(None, map(tangled, range(9))):
        fewest = next(k for k in range(1, 8) if any(not holds(c, monos) for c in itertools.combinations(said, k)))
        first = Consistency(monomials, said).minimal_conflict(set(range(7)))
        found, begun, given_up = (smallest_conflict(monomials, said, rounds) for rounds in (200, 1, 0))
        assert all(not holds(conflict.statements, monos) for conflict in (found, begun, given_up))
        assert found.smallest
        assert len(found.statements) == len(contradiction_in(monomials, said)) == fewest
        assert not begun.smallest
        assert (given_up.smallest, len(given_up.statements)) == (False, len(first))
        shortened += fewest < len(first)
    assert shortened


def test_no_smaller_conflict_is_looked_for_beside_a_long_one(monkeypatch):
    monos, longer = judge.monomials(3, 1), 0
    for said in filter(None, map(tangled, range(9))):
        first = Consistency(Monomials.full(3, 1), said).minimal_conflict(set(range(7)))
        for limit in (len(first) - 1, len(first)):
            monkeypatch.setattr(conflicts, "LONGEST_SHORTENED", limit)
            found = smallest_conflict(Monomials.full(3, 1), said)
            assert found.smallest == (limit == len(first))
            assert not holds(found.statements, monos)
            longer += not found.smallest
    assert longer


@pytest.mark.parametrize("k", BATCHES)
def test_a_choice_is_grown_by_one_program_a_statement_at_most(k):
    for case in batch(k):
        logic = Consistency(monomials(case), case.statements)
        grown = logic.maximal_consistent(set())
        assert logic.solved <= 1 + len(case.statements)
        for r in {*range(len(case.statements))} - grown:
            assert not logic.consistent(grown | {r})


# By hand


def test_a_chain_of_dominance_counts_as_one_statement():
    chain = [stated(0b1000, 0b0100), stated(0b0100, 0b0010), stated(0b0010, 0b0001)]
    quarrel = stated(0b0001, 0b1000, weight=3.0)
    found = smallest_conflict(FULL[4], [*chain, quarrel])
    assert found.smallest
    assert len(found.statements) == 2
    assert quarrel in found.statements
    implied = next(s for s in found.statements if s is not quarrel)
    assert (implied.better, implied.worse, implied.source) == (0b1000, 0b0001, Source.DOMINANCE)


def test_the_cheaper_of_two_answers_is_taken_back():
    cheap, dear = stated(1, 2, weight=2.0), stated(2, 1, weight=3.0)
    assert cheapest_retraction(FULL[2], [dear, cheap]).statements == (cheap,)
    assert set(smallest_conflict(FULL[2], [dear, cheap]).statements) == {cheap, dear}


def test_near_weights_are_told_apart():
    cheap, dear = stated(1, 2, weight=3.0), stated(2, 1, weight=3.00001)
    others = [stated(4 << k, 8 << k, weight=1000.0) for k in range(0, 3, 2)]
    others += [stated(8 << k, 4 << k, weight=1000.0) for k in range(0, 3, 2)]
    gone = cheapest_retraction(FULL[6], [dear, cheap, *others]).statements
    assert cheap in gone
    assert dear not in gone


def test_what_was_measured_is_never_taken_back():
    measured, word = stated(1, 2), stated(2, 1, weight=50.0)
    assert cheapest_retraction(FULL[2], [measured, word]).statements == (word,)
    # measured facts alone can contradict each other in a model with too few monomials: nothing to take back
    additive = Monomials.full(3, 1)
    facts = [stated(0b101, 0b100), stated(0b010, 0b011)]
    assert cheapest_retraction(additive, facts) is None
    assert smallest_conflict(additive, facts).statements == tuple(facts)


def test_a_conflict_of_indifference_and_preference():
    said = [stated(1, 2, "equal", 3.0), stated(2, 4, "weak", 3.0), stated(4, 1, weight=3.0), stated(4, 2, weight=3.0)]
    found = smallest_conflict(FULL[3], said)
    assert set(found.statements) == {said[1], said[3]}
    assert cheapest_retraction(FULL[3], said).statements in {(said[1],)}


@pytest.mark.parametrize("statements", [[], [stated(1, 2, "weak", 3.0), stated(2, 1, "weak", 3.0)]])
def test_without_a_strict_statement_there_is_no_conflict(statements):
    assert smallest_conflict(FULL[2], statements).statements == ()
    assert cheapest_retraction(FULL[2], statements).statements == ()


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_search_cut_short_says_that_it_was(rounds):
    rng = np.random.default_rng(0)
    case = random_case(rng, n=4, evaluated=8, answers=14, degree=1)
    full = smallest_conflict(monomials(case), case.statements)
    short = smallest_conflict(monomials(case), case.statements, rounds=rounds)
    assert not holds(short.statements, case.told.monos)
    assert len(short.statements) >= len(full.statements)
    assert short.smallest <= (len(short.statements) == len(full.statements))
    for may in (retractable, lambda _: True):
        repair = cheapest_retraction(monomials(case), case.statements, rounds=rounds, may=may)
        assert repair is not None
        assert not repair.cheapest
        assert all(map(may, repair.statements))
        kept = [s for s in case.statements if s not in repair.statements]
        assert holds(kept, case.told.monos)


def test_the_same_conflict_is_named_every_time():
    case = random_case(np.random.default_rng(4), n=4, evaluated=8, answers=10, degree=1)
    first = smallest_conflict(monomials(case), case.statements)
    assert all(smallest_conflict(monomials(case), case.statements) == first for _ in range(3))


@given(st.integers(0, 2**32), st.sampled_from(["strict", "weak", "equal"]), st.booleans())
def test_what_says_the_opposite_of_another_is_found_without_a_search(seed, relation, turned):
    """Noise makes many of these; a search for the smallest conflict among hundreds took minutes."""
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=5, evaluated=12, answers=8, degree=1)
    said = list(case.statements)
    against = said[rng.choice([k for k, s in enumerate(said) if s.strict])]
    pair = (against.worse, against.better)[:: -1 if turned and relation == "equal" else 1]
    said.insert(int(rng.integers(len(said) + 1)), stated(*pair, relation, 3.0))
    with patch.object(Consistency, "maximal_consistent", side_effect=AssertionError("searched")):
        found = smallest_conflict(monomials(case), said)
    assert not holds(found.statements, case.told.monos)
    assert len(found.statements) <= 2
    assert found.smallest


def test_a_search_ends_after_so_many_programs_and_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    case = random_case(rng, n=6, evaluated=20, answers=14, degree=2)
    whole = smallest_conflict(monomials(case), case.statements)
    monkeypatch.setattr(conflicts, "MOST_PROGRAMS", 0)
    monkeypatch.setattr(Consistency, "opposite", lambda _: None)
    cut = smallest_conflict(monomials(case), case.statements)
    assert whole.statements
    assert not cut.smallest
    assert not holds(cut.statements, case.told.monos)


RELATIONS_OF_TWO = list(itertools.product(judge.RELATIONS, judge.RELATIONS, [(1, 2), (2, 1), (1, 4)]))


@pytest.mark.parametrize(("one", "other", "pair"), RELATIONS_OF_TWO)
def test_two_statements_are_opposite_just_where_they_cannot_hold_together(one, other, pair):
    said = [stated(1, 2, one, 3.0), stated(*pair, other, 3.0)]
    for told in (said, said[::-1], [said[0], stated(1, 2, "weak", 3.0), said[1]]):
        found = Consistency(FULL[3], told).opposite()
        assert (found is None) == holds(said, judge.monomials(3, 2))
        assert found is None or {told[r] for r in found} == set(said)


def test_of_what_says_the_opposite_an_answer_is_named_before_what_was_measured():
    measured, noise, answer = stated(1, 2), stated(2, 1), stated(1, 2, weight=3.0)
    for told in itertools.permutations([measured, noise, answer]):
        assert set(smallest_conflict(FULL[2], told).statements) == {noise, answer}


def test_a_minimal_conflict_keeps_the_answer_where_something_else_may_go(monkeypatch):
    margin = Consistency.margin
    monkeypatch.setattr(Consistency, "margin", lambda *given: (*margin(*given)[:2], np.ones(3)))
    told = [stated(1, 2, weight=3.0), stated(1, 2), stated(2, 1)]
    assert Consistency(FULL[2], told).minimal_conflict({0, 1, 2}) == {0, 2}


@pytest.mark.parametrize(
    ("told", "multipliers"),
    [
        ([(1, 2, "strict"), (2, 1, "strict")], {0: "1/2", 1: "1/2"}),
        ([(1, 2, "strict"), (2, 1, "weak")], {0: "1", 1: "1"}),
        ([(1, 2, "equal"), (1, 2, "strict"), (4, 1, "strict")], {0: "-1", 1: "1"}),
        ([(1, 2, "strict"), (2, 4, "strict"), (4, 1, "equal")], {0: "1/2", 1: "1/2", 2: "1/2"}),
        ([(1, 2, "strict"), (1, 2, "weak"), (2, 4, "strict")], None),
        ([(1, 2, "weak"), (2, 1, "weak")], None),
        ([], None),
    ],
)
def test_multipliers_that_cancel_are_found_just_where_statements_contradict_each_other(told, multipliers):
    said = [stated(*s, 3.0) for s in told]
    found = farkas_multipliers(FULL[3], said)
    assert (None if found is None else {r: str(x) for r, x in found if x}) == multipliers
    named = {said[r] for r in multipliers or ()}
    assert set(contradiction_in(FULL[3], said)) == named


def test_what_only_looks_like_a_contradiction_is_not_named_as_one(monkeypatch):
    # with a margin of 1.5 for every strict statement even two in a row are too many for coefficients of at most 1
    monkeypatch.setattr("elicit.utility.tolerances.SMALLEST_MARGIN", 1.5)
    circle = [stated(1, 2, weight=3.0), stated(2, 4, weight=3.0), stated(4, 1, weight=3.0)]
    thin = [stated(8, 16, weight=3.0), stated(16, 32, weight=3.0)]
    additive = Monomials.full(6, 1)
    assert len(smallest_conflict(additive, [*thin, *circle]).statements) == 2
    assert contradiction_in(additive, thin) == ()
    assert set(contradiction_in(additive, [*thin, *circle])) == set(circle)
