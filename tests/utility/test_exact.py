"""The exact set agrees with the judge, and only ever shrinks."""

from unittest.mock import MagicMock

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import BAND, BATCHES, NEAR, Case, batch, dense, forms, grown, random_case, stated

from elicit.errors import InputError
from elicit.knowledge.statements import transitive_reduction
from elicit.utility import tolerances
from elicit.utility.certificates import certify_possible
from elicit.utility.exact import ExactSet
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.sets import Inconsistent
from elicit.utility.solver import Program

SMALL = judge.instance_strategy(max_n=4, max_evaluated=6)


def consistent(k):
    """The consistent cases of a batch, with their exact sets."""
    return [(case, case.exact()) for case in batch(k) if case.consistent]


# The judge


@pytest.mark.parametrize("k", BATCHES)
def test_margin_and_consistency_agree_with_the_judge(k):
    for case in batch(k):
        theirs, told = case.exact(), case.told
        assert theirs.informative == case.informative
        if case.informative:
            assert theirs.margin == pytest.approx(case.margin, abs=NEAR)
        else:
            assert theirs.margin == case.margin == float("inf")
        assert theirs.consistent == case.consistent == judge.cone_consistent(told.statements, told.monos)
        assert (theirs.conflict is None) == case.consistent
        assert judge.slice_consistent(told.statements, told.monos, theirs.delta) == case.consistent
        if case.consistent and case.informative:
            assert theirs.delta == told.delta if case.margin >= 2 * told.delta else theirs.delta < told.delta
            roomy = dense(theirs.roomiest, told.monos)
            strict = np.array([s.strict for s in case.statements])
            assert (judge.rows(told.statements, told.monos) @ roomy)[strict].min() >= case.margin - NEAR


@pytest.mark.parametrize("k", BATCHES)
def test_an_inconsistent_set_says_so_and_decides_nothing(k):
    for case in batch(k):
        if not case.consistent:
            theirs = case.exact()
            assert isinstance(theirs.conflict, Inconsistent)
            with pytest.raises(TypeError, match="decides nothing"):
                bool(theirs.conflict)
            with pytest.raises(InputError, match="empty"):
                theirs.maximum({1: 1.0})
            with pytest.raises(InputError, match="empty"):
                theirs.verdict(1)


@pytest.mark.parametrize("k", BATCHES)
def test_every_verdict_agrees_with_the_judge(k):
    for case, theirs in consistent(k):
        told, delta = case.told, theirs.delta
        for v in case.everything:
            verdict = theirs.verdict(v)
            if not case.informative:
                assert verdict.possible
                continue
            lead = case.lead_in_slice(v, delta)
            if abs(lead) > BAND:
                expected = judge.slice_potentially_optimal(v, told.evaluated, told.statements, told.monos, delta)
                assert expected == (lead > 0)
                assert verdict.possible == expected
            elif lead >= 0:  # at most tied with the best: still possible
                assert verdict.possible
            if verdict.possible:
                values = verdict.witness.values([v, *told.evaluated])
                assert values.max() <= values[0] + 2 * NEAR
                assert theirs.admits([verdict.witness]) == [True]


@pytest.mark.parametrize("k", BATCHES)
def test_the_maximum_of_a_form_agrees_with_the_judge(k):
    for case, theirs in consistent(k):
        told = case.told
        for form in [{}, *forms(case, case.rng(), 3)]:
            optimum = theirs.maximum(form)
            assert optimum.value == pytest.approx(case.most_in_slice(form, theirs.delta), abs=NEAR)
            theta = dense(optimum.witness, told.monos)
            assert judge.form_vector(form, told.monos) @ theta == pytest.approx(optimum.value, abs=NEAR)
            assert theirs.admits([optimum.witness]) == [True]
            # the multipliers prove the value: ‖c + Dᵀλ‖₁ − δ Σ_strict λ
            strict = sum(x for x, s in zip(optimum.multipliers, case.statements, strict=True) if s.strict)
            rest = judge.form_vector(form, told.monos)
            rest = rest + np.array(optimum.multipliers) @ judge.rows(told.statements, told.monos)
            assert np.abs(rest).sum() - theirs.delta * strict == pytest.approx(optimum.value, abs=NEAR)


@pytest.mark.parametrize("k", BATCHES)
def test_the_identity_of_the_cone_is_found_whenever_there_is_one(k):
    for case, theirs in consistent(k):
        told, rng = case.told, case.rng()
        pairs = [(s.better, s.worse) for s in case.statements]
        pairs += [tuple(int(x) for x in rng.integers(1, 1 << told.n, size=2)) for _ in range(5)]
        for a, b in pairs:
            multipliers = theirs.cone_multipliers(judge.difference(a, b))
            assert (multipliers is not None) == judge.cone_necessarily_preferred(a, b, told.statements, told.monos)
            if multipliers is not None:
                reached = np.array(multipliers) @ judge.rows(told.statements, told.monos)
                assert reached == pytest.approx(judge.form_vector(judge.difference(a, b), told.monos), abs=NEAR)
                signs = zip(multipliers, case.statements, strict=True)
                assert all(x >= -NEAR for x, s in signs if s.relation.value != "equal")


@pytest.mark.parametrize("k", BATCHES)
def test_bounds_and_shortlists_lose_nothing(k):
    for case, theirs in consistent(k):
        told = case.told
        bounds = theirs.upper_bounds(told.evaluated)
        most = {(x, v): theirs.maximum(judge.difference(x, v)).value for x in told.evaluated for v in told.evaluated}
        for i, x in enumerate(told.evaluated):
            for j, v in enumerate(told.evaluated):
                assert most[x, v] <= bounds[i, j] + NEAR
        rivals = theirs.rivals(told.evaluated)
        beaten = {s.worse for s in case.statements if s.strict}
        assert theirs.candidates(told.evaluated) == rivals == [x for x in told.evaluated if x not in beaten]
        for v in told.evaluated:
            worst = max(most[x, v] for x in told.evaluated)
            among_rivals = max([0.0, *(most[x, v] for x in rivals)])
            assert among_rivals == pytest.approx(max(0.0, worst), abs=NEAR)


@pytest.mark.parametrize("k", BATCHES)
def test_membership_is_the_definition(k):
    for case, theirs in consistent(k):
        told, rng = case.told, case.rng()
        d = judge.rows(told.statements, told.monos)
        inside = dense(theirs.roomiest, told.monos)
        for _ in range(4):
            theta = np.clip(inside + rng.choice([0.0, 0.05, 0.6]) * rng.normal(size=len(inside)), -1.3, 1.3)
            held = [
                {"strict": g >= theirs.delta, "weak": g >= 0, "equal": abs(g) < 1e-12}[s.relation.value]
                for g, s in zip(d @ theta, case.statements, strict=True)
            ]
            utility = theirs.roomiest.of(theirs.monomials, theta)
            assert theirs.admits([utility]) == [all(held) and np.abs(theta).max() <= 1]


#: each above all the smaller ones together: the more of them, the smaller the margin
TOWER = [stated(1 << i, (1 << i) - 1) for i in range(1, 5)]


def test_a_consistent_set_never_has_an_empty_slice():
    theirs = ExactSet(5, [1, 2, 4], TOWER, degree=1, delta=0.6)
    plain = [(s.better, s.worse, "strict", 1.0) for s in TOWER]
    assert theirs.margin == pytest.approx(judge.slice_margin(plain, judge.monomials(5, 1)))
    assert 0.6 < theirs.margin < 1.2
    assert type(theirs.delta) is float
    assert theirs.delta == pytest.approx(theirs.margin / 10, rel=1e-2)
    assert theirs.scope == f"exact set, slice with margin {theirs.delta:g}"
    assert theirs.verdict(4).possible
    assert not theirs.verdict(1).possible


@pytest.mark.parametrize("delta", [0.6, 0.95])
def test_the_margin_in_force_does_not_depend_on_the_order_of_learning(delta):
    everything = [*TOWER, stated(0b00001, 0b00110), stated(0b00110, 0b01000)]
    for order in (everything, everything[::-1], everything[2:] + everything[:2]):
        slow = ExactSet(5, [1, 2, 4], [], degree=1, delta=delta)
        for statement in order:
            slow.state(statement)
            slow.maximum({1: 1.0})
        fast = ExactSet(5, [1, 2, 4], order, degree=1, delta=delta)
        assert slow.delta == fast.delta
        assert slow.maximum({2: 1.0, 4: -1.0}).value == pytest.approx(fast.maximum({2: 1.0, 4: -1.0}).value)


def test_the_reduction_changes_no_answer():
    for case in batch(0) + batch(1):
        reduced = transitive_reduction(case.statements)
        told = case.told
        lean = [(s.better, s.worse, s.relation.value, s.weight) for s in reduced]
        assert set(reduced) <= set(case.statements)
        assert judge.slice_margin(lean, told.monos) == pytest.approx(case.margin, abs=NEAR)
        for s in case.statements:
            form = judge.difference(s.worse, s.better)
            if case.consistent:
                assert judge.slice_max(form, lean, told.monos, 1e-6) == pytest.approx(
                    case.most_in_slice(form, 1e-6), abs=NEAR
                )


# Laws


@given(SMALL, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_adding_a_statement_never_enlarges_the_set(told, random):
    case = Case.of(told)
    said = list(case.statements)
    random.shuffle(said)
    before = case.exact(statements=[])
    chosen = forms(case, np.random.default_rng(random.randrange(99)), 2)
    for k in range(1, len(said) + 1):
        after = case.exact(statements=said[:k])
        if not after.consistent:
            assert not case.exact(statements=said).consistent
            return
        assert after.margin <= before.margin + NEAR
        if after.delta == before.delta:
            for form in chosen:
                assert after.maximum(form).value <= before.maximum(form).value + NEAR
            for v in case.everything[::3]:
                assert before.verdict(v).possible or not after.verdict(v).possible
        before = after


@pytest.mark.parametrize("k", BATCHES)
def test_statements_one_by_one_give_the_same_set_as_all_at_once(k):
    for case in batch(k):
        said = grown(case, case.rng())
        slow = case.exact(statements=[])
        chosen = forms(case, case.rng(), 1)
        for statement in said:
            if slow.consistent:
                slow.maximum(chosen[0])  # the programs are alive while the statement comes in
                slow.verdict(1)
            slow.state(statement)
        fast = case.exact(statements=said)
        assert slow.statements == fast.statements
        assert slow.consistent == fast.consistent
        if fast.consistent:
            assert slow.delta == fast.delta
            for form in chosen:
                assert slow.maximum(form).value == pytest.approx(fast.maximum(form).value, abs=NEAR)
            for v in case.everything[::4]:
                assert slow.verdict(v).possible == fast.verdict(v).possible
            assert slow.candidates(case.told.evaluated) == fast.candidates(case.told.evaluated)


@pytest.mark.parametrize("n", [17, 18, 19, 20])
def test_what_is_stated_to_be_worse_is_not_best_however_thin_the_margin(n):
    """Each attribute alone counts for more than all before it together: what is left is a margin of some 2^-n."""
    whole = (1 << n) - 1
    said = [*(stated(1 << i, (1 << i) - 1) for i in range(1, n)), stated(whole, whole - 1)]
    theirs = ExactSet(n, sorted({mask for s in said for mask in (s.better, s.worse)}), said, degree=1)
    assert theirs.delta < 2e-6
    assert not theirs.verdict(whole - 1).possible
    assert theirs.verdict(whole).possible


@given(SMALL)
@settings(max_examples=40, deadline=None)
def test_without_a_strict_statement_nothing_is_rejected(told):
    case = Case.of(told)
    theirs = case.exact(statements=[s for s in case.statements if not s.strict])
    assert not theirs.informative
    assert theirs.conflict is None
    assert all(theirs.verdict(v).possible for v in case.everything)


@pytest.mark.parametrize("seed", range(4))
def test_an_affine_witness_saves_the_program_while_the_rows_are_independent(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=8, evaluated=12, answers=0)
    theirs = case.exact()
    monkeypatch.setattr(Program, "solve", None)  # from here on none can be solved
    top = [v for v in theirs.candidates(case.told.evaluated) if theirs.verdict(v).possible]
    assert len(top) == len(theirs.candidates(case.told.evaluated))


def test_a_subset_below_an_unevaluated_one_is_still_a_rival():
    # a prior says {a3} ≻ {a2}, and {a3} is not evaluated: {a2} may well be the best of {a1} and {a2}
    theirs = ExactSet(3, [0b001, 0b010], [stated(0b100, 0b010)])
    assert theirs.candidates([0b001, 0b010]) == [0b001, 0b010]
    said = [stated(0b100, 0b010), stated(0b010, 0b001)]
    theirs = ExactSet(3, [0b001, 0b010], said)
    assert not theirs.verdict(0b001).possible
    assert theirs.verdict(0b010).possible
    assert theirs.candidates([0b001, 0b010]) == [0b010]


def test_a_support_lets_no_other_monomial_in():
    said = [stated(0b011, 0b001), stated(0b011, 0b010), stated(0b100, 0b011)]
    theirs = ExactSet(3, [1, 2, 3, 4], said, support=[0b011])
    assert theirs.monomials.terms == (1, 2, 4, 3)
    plain = [(s.better, s.worse, "strict", 1.0) for s in said]
    assert theirs.margin == pytest.approx(judge.slice_margin(plain, [1, 2, 4, 3]))
    assert theirs.maximum({7: 1.0, 4: -1.0}).value == pytest.approx(
        judge.slice_max({7: 1.0, 4: -1.0}, plain, [1, 2, 4, 3], theirs.delta)
    )


# Bad input


@pytest.mark.parametrize("delta", [float("nan"), 0.0, 1e-7, 1.0, -1.0])
def test_a_margin_outside_its_range_is_an_error(delta):
    with pytest.raises(InputError, match="margin δ must lie between"):
        ExactSet(2, [1], [], delta=delta)


@pytest.mark.parametrize("kind", [ExactSet, ParsimoniousSet])
@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda kind: kind(1, [1], []), "degree 2 needs at least 2 attributes"),
        (lambda kind: kind(2, [1, 1], []), "listed twice"),
        (lambda kind: kind(2, [np.int64(1)], []), "a subset is an integer mask"),
        (lambda kind: kind(2, [0], []), "is empty"),
        (lambda kind: kind(2, [4], []), "beyond the 2"),
        (lambda kind: kind(2, [1], [stated(1, 4)]), "beyond the 2"),
        (lambda kind: kind(3, [1], [], support=[0b111]), "the support has a monomial of 3 attributes, the degree is 2"),
        (lambda kind: kind(2, [1], []).verdict(0), "is empty"),
        (lambda kind: kind(2, [1], []).verdict(4), "beyond the 2"),
        (lambda kind: kind(2, [1], []).maximum({0: 1.0}), "is empty"),
        (lambda kind: kind(2, [1], []).maximum({1: float("nan")}), "not a number"),
    ],
)
def test_bad_knowledge_is_named(kind, ask, words):
    with pytest.raises(InputError, match=words):
        ask(kind)


def test_a_statement_of_what_there_is_not_is_refused():
    with pytest.raises(InputError, match="beyond the 2"):
        ExactSet(2, [1], []).state(stated(1, 4))


def test_a_contradiction_of_tiny_margin_is_still_one():
    assert tolerances.SMALLEST_MARGIN <= tolerances.MARGIN
    theirs = ExactSet(2, [1, 2], [stated(1, 2), stated(2, 1)], delta=tolerances.SMALLEST_MARGIN)
    assert not theirs.consistent
    assert len(theirs.conflict.conflict) == 2


def lexicographic(n):
    """Each attribute is worth more than all after it together, and each is worth something: consistent for any n."""
    everything = (1 << n) - 1
    useful = [stated(everything, everything ^ 1 << i) for i in range(n)]
    return [*useful, *(stated(1 << i, everything >> i + 1 << i + 1) for i in range(n - 1))]


def test_statements_with_a_margin_too_thin_for_floats_are_undecided_and_not_called_contradictory():
    statements = lexicographic(22)
    theirs = ExactSet(22, [1, 2], statements, degree=1)
    assert not theirs.consistent
    assert theirs.thin
    assert theirs.conflict is None
    assert not theirs.informative
    assert theirs.verdict(2).possible
    assert certify_possible(theirs, 2) is None  # no utility of it can be printed
    with pytest.raises(InputError, match="too thin to compute with"):
        theirs.maximum({1: 1.0})
    last, before = 1 << 21, 1 << 20
    theirs.state(stated(last, before))  # now they do contradict each other
    assert not theirs.thin
    assert stated(last, before) in theirs.conflict.conflict
    assert not ExactSet(12, [1, 2], lexicographic(12), degree=1).thin


@pytest.mark.parametrize("k", BATCHES)
def test_no_program_is_solved_for_what_no_statements_combine_to(k, monkeypatch):
    for case, theirs in consistent(k):
        told, rng = case.told, case.rng()
        for _ in range(5):
            form = judge.difference(*(int(x) for x in rng.integers(1, 1 << told.n, size=2)))
            row, D = judge.form_vector(form, told.monos), judge.rows(told.statements, told.monos)
            inside = len(D) > 0 and np.linalg.matrix_rank(np.vstack([D, row])) == np.linalg.matrix_rank(D)
            with monkeypatch.context() as patched:
                counted = MagicMock(side_effect=Program)
                patched.setattr("elicit.utility.exact.Program", counted)
                found = theirs.cone_multipliers(form)
            assert inside or found is None or not row.any()
            assert counted.call_count == inside


@given(SMALL, st.integers(0, 2**32 - 1))
def test_what_is_stated_later_combines_as_if_it_had_been_there(told, seed):
    case, rng = Case.of(told), np.random.default_rng(seed)
    said = transitive_reduction(case.statements)
    if not said or not judge.cone_consistent(told.statements, told.monos):
        return
    grown, whole = case.exact(said[:-1]), case.exact(said)
    form = judge.difference(*(int(x) for x in rng.integers(1, 1 << told.n, size=2)))
    grown.cone_multipliers(form)  # looks at what there is so far
    grown.state(said[-1])
    for asked in (form, judge.difference(said[-1].better, said[-1].worse)):
        assert (grown.cone_multipliers(asked) is None) == (whole.cone_multipliers(asked) is None)
