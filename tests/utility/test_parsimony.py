"""The parsimonious set agrees with the judge, and keeps the laws that the design promises."""

import itertools
import weakref

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import BAND, BATCHES, NEAR, Case, batch, dense, forms, plainly, random_case, stated

from elicit.errors import InputError
from elicit.knowledge.statements import Source, Statement
from elicit.utility import costs, prices
from elicit.utility.monomials import Utility
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.solver import Program

SMALL = judge.instance_strategy(max_n=4, max_evaluated=6)


@pytest.fixture(params=["all at once", "on demand"])
def statements_enter(request, monkeypatch):
    """Whether programs list every statement and rival, or let them in when they are lacking."""
    if request.param == "on demand":
        for name, few in [("STATEMENTS_AT_ONCE", 2), ("STATEMENTS_ENTER", 2), ("RIVALS_ENTER", 1)]:
            monkeypatch.setattr(prices, name, few)


def proven(verdict, v, statements, *soft):
    """What the multipliers of a verdict prove that it costs at least to believe in v."""
    lam = [x if r[2] == "equal" else max(x, 0.0) for x, r in zip(verdict.multipliers, statements, strict=True)]
    return float(judge.cost_lower_bound(lam, verdict.rivals, v, statements, *soft))


# The judge


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("k", BATCHES)
def test_costs_unit_budget_and_cap_agree_with_the_judge(k):
    for case in batch(k):
        theirs = case.parsimonious()
        assert theirs.informative == case.informative
        assert theirs.least_cost == pytest.approx(case.least_cost, abs=NEAR)
        assert theirs.least_slack == pytest.approx(case.least_slack, abs=NEAR)
        assert theirs.unit == pytest.approx(case.unit, abs=NEAR)
        assert theirs.budget == pytest.approx(case.budget, abs=NEAR)
        assert theirs.cap == pytest.approx(judge.price_cap(*case.soft), abs=NEAR)


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("k", BATCHES)
def test_every_price_and_verdict_agrees_with_the_judge(k):
    for case in batch(k):
        theirs = case.parsimonious()
        for v in case.everything:
            expected, verdict = case.price(v), theirs.verdict(v)
            assert theirs.price(v) == verdict.price == pytest.approx(expected, abs=NEAR)
            if not case.informative:
                assert verdict.possible
            elif abs(expected - case.told.tau) > BAND:
                assert verdict.possible == (expected <= case.told.tau)
            fresh = case.parsimonious()  # S* is not known here
            excluded = fresh.excluded(v)
            assert (excluded is None) == verdict.possible
            assert excluded is None or excluded.price == pytest.approx(verdict.price, abs=NEAR)
            assert verdict.price <= theirs.cap + NEAR


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("k", BATCHES)
def test_the_witness_of_a_price_costs_just_that_and_ranks_the_subset_first(k):
    for case in batch(k):
        theirs, told = case.parsimonious(), case.told
        for v in case.everything[:: 1 + told.n // 3]:
            verdict = theirs.verdict(v)
            paid = judge.cost(dense(verdict.witness, told.monos), *case.soft)
            assert paid == pytest.approx(theirs.least_cost + verdict.price * theirs.unit, abs=NEAR)
            values = verdict.witness.values([v, *told.evaluated])
            assert values.max() <= values[0] + NEAR
            if case.informative:
                assert proven(verdict, v, *case.soft) == pytest.approx(paid, abs=NEAR)


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("k", BATCHES)
def test_the_maximum_of_a_form_agrees_with_the_judge(k):
    for case in batch(k):
        theirs, told = case.parsimonious(), case.told
        for form in [{}, *forms(case, case.rng(), 3)]:
            optimum = theirs.maximum(form)
            assert optimum.value == pytest.approx(case.most_in_budget(form), abs=NEAR)
            theta = dense(optimum.witness, told.monos)
            assert judge.form_vector(form, told.monos) @ theta == pytest.approx(optimum.value, abs=NEAR)
            assert judge.cost(theta, *case.soft) <= case.budget + NEAR
            # the multipliers prove the value: σB − Σ_strict λ, feasible in the dual
            strict = sum(x for x, s in zip(optimum.multipliers, case.statements, strict=True) if s.strict)
            assert optimum.sigma * theirs.budget - strict == pytest.approx(optimum.value, abs=NEAR)
            combined = judge.form_vector(form, told.monos)
            combined = combined + np.array(optimum.multipliers) @ judge.rows(told.statements, told.monos)
            assert (np.abs(combined) <= optimum.sigma * judge.prices_of_monomials(told.monos, told.w) + NEAR).all()
            assert (np.abs(optimum.multipliers) <= optimum.sigma * theirs.limits + NEAR).all()


@pytest.mark.parametrize("k", BATCHES)
def test_the_cost_of_any_theta_is_the_judges(k):
    for case in batch(k):
        theirs, told, rng = case.parsimonious(), case.told, case.rng()
        simplest = theirs.simplest.theta
        assert judge.cost(dense(simplest, told.monos), *case.soft) == pytest.approx(case.least_cost, abs=NEAR)
        assert theirs.admits([simplest]) == [True]
        for _ in range(3):
            drawn = rng.normal(size=len(told.monos))
            theta = Utility(told.n, dict(zip(told.monos, drawn.tolist(), strict=True)))
            vector = dense(theta, told.monos)
            assert theirs.slacks(theta) == pytest.approx(judge.slacks(vector, told.statements, told.monos))
            cost = judge.cost(vector, *case.soft)
            assert theirs.cost(theta) == pytest.approx(cost)
            assert theirs.admits([theta]) == [cost <= case.budget]
        slacks = judge.slacks(dense(simplest, told.monos), told.statements, told.monos)
        aside = dict(zip(case.statements, slacks.tolist(), strict=True))
        for statement, slack in theirs.set_aside():
            assert aside[statement] == pytest.approx(slack)
        assert {s for s, x in aside.items() if x > BAND} <= {s for s, _ in theirs.set_aside()}
        strained = dense(theirs.least_strained, told.monos)
        weights = np.array([s.weight for s in case.statements])
        slacks = judge.slacks(strained, told.statements, told.monos)
        assert weights @ slacks == pytest.approx(case.least_slack, abs=NEAR)


@pytest.mark.parametrize("k", BATCHES)
def test_bounds_without_a_program_are_bounds(k):
    for case in batch(k):
        theirs, told = case.parsimonious(), case.told
        bounds = theirs.upper_bounds(told.evaluated)
        for i, x in enumerate(told.evaluated):
            for j, v in enumerate(told.evaluated):
                assert theirs.maximum(judge.difference(x, v)).value <= bounds[i, j] + NEAR


@pytest.mark.parametrize("k", BATCHES)
def test_who_is_strictly_below_another_is_not_recommended_unless_the_answers_go_in_circles(k):
    for case in batch(k):
        theirs, told = case.parsimonious(), case.told
        pairs = {edge for s in case.statements for edge in s.edges}
        reach = set(judge.transitive_closure(pairs))
        strict = [s for s in case.statements if s.strict]
        contradicted = {m for s in strict if (s.worse, s.better) in reach for m in (s.better, s.worse)}
        beaten = {s.worse for s in strict if (s.worse, s.better) not in reach or s.source is Source.DOMINANCE}
        free_of_doubt = [x for x in told.evaluated if x not in contradicted]
        assert [x for x in theirs.candidates(told.evaluated) if x not in contradicted] == [
            x for x in free_of_doubt if x not in beaten
        ]
        assert not beaten & set(theirs.candidates(told.evaluated))
        assert theirs.candidates(told.evaluated)
        assert theirs.rivals(told.evaluated) == told.evaluated
        assert theirs.conflict is None


# Laws


@given(SMALL, st.lists(st.floats(1.3, 60.0), min_size=3, max_size=3, unique=True))
@settings(max_examples=40, deadline=None)
def test_costs_grow_with_c_and_are_concave_in_it(told, slacks):
    case = Case.of(told)
    low, middle, high = (case.parsimonious(slack=c) for c in sorted(slacks))
    share = (middle.settings.slack - low.settings.slack) / (high.settings.slack - low.settings.slack)
    candidates = [None, *case.everything[::3]]

    def believed(utilities, v):
        return utilities.least_cost if v is None else utilities.least_cost + utilities.price(v) * utilities.unit

    for v in candidates:
        costs = [believed(s, v) for s in (low, middle, high)]
        assert costs[0] <= costs[1] + NEAR
        assert costs[1] <= costs[2] + NEAR
        assert costs[1] >= (1 - share) * costs[0] + share * costs[2] - NEAR


@given(SMALL, st.lists(st.floats(0.0, 5.0), min_size=2, max_size=2))
@settings(max_examples=25, deadline=None)
def test_what_is_possible_grows_with_tau(told, taus):
    case = Case.of(told)
    small, large = (case.parsimonious(tau=t) for t in sorted(taus))
    for v in case.everything:
        assert small.price(v) == pytest.approx(large.price(v), abs=NEAR)
        assert large.verdict(v).possible or not small.verdict(v).possible
    for form in forms(case, case.rng(), 2):
        assert small.maximum(form).value <= large.maximum(form).value + NEAR


@given(SMALL)
@settings(max_examples=40, deadline=None)
def test_some_evaluated_subset_has_price_zero_and_no_price_is_negative(told):
    prices = [Case.of(told).parsimonious().price(v) for v in told.evaluated]
    assert min(prices) == pytest.approx(0.0, abs=NEAR)


@given(SMALL)
@settings(max_examples=40, deadline=None)
def test_without_a_strict_statement_every_price_is_zero(told):
    case = Case.of(told)
    weak = [s for s in case.statements if not s.strict]
    theirs = case.parsimonious(statements=weak)
    assert not theirs.informative
    assert all(theirs.price(v) == 0 and theirs.verdict(v).possible for v in case.everything)
    assert theirs.least_cost == 0


@given(SMALL, st.sampled_from([1.0, 3.0]), st.integers(1, 3), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_an_unrelated_contradiction_moves_no_price(told, weight, p, q):
    p, q = (p, q) if p != q else (p, p % 3 + 1)
    a, b = p << told.n, q << told.n  # two new attributes, of which no row and no candidate knows
    case = Case.of(told)
    evaluated = [*told.evaluated, a, b]
    quarrel = [stated(a, b, weight=weight), stated(b, a, weight=weight)]
    before, after = (
        ParsimoniousSet(told.n + 2, evaluated, [*case.statements, *more], case.settings()) for more in ([], quarrel)
    )
    if not before.informative:
        return  # nothing was priced before
    assert after.unit == pytest.approx(before.unit, abs=NEAR)
    for v in case.everything:
        assert after.price(v) == pytest.approx(before.price(v), abs=NEAR)


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("seed", [0, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_monomials_on_demand_change_no_value(monkeypatch, degree, seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=8, evaluated=14, answers=6, degree=degree, C=[2.0, 10.0][seed % 2])
    full = case.parsimonious()
    expected = full.least_cost, full.least_slack, full.budget
    subsets = [int(m) for m in rng.integers(1, 1 << 8, size=12)] + case.told.evaluated[:4]
    prices = [full.price(v) for v in subsets]
    chosen = forms(case, rng, 3)
    maxima = [full.maximum(f).value for f in chosen]
    monkeypatch.setattr(costs, "LISTED_AT_ONCE", 3)
    monkeypatch.setattr(costs, "ENTER_AT_ONCE", 2)
    lean = case.parsimonious()
    assert not lean.complete
    assert len(lean.starting_monomials) == 8
    assert (lean.least_cost, lean.least_slack, lean.budget) == pytest.approx(expected, abs=NEAR)
    assert [lean.price(v) for v in subsets] == pytest.approx(prices, abs=NEAR)
    assert [lean.maximum(f).value for f in chosen] == pytest.approx(maxima, abs=NEAR)
    late = case.parsimonious()  # the forms first this time
    assert [late.maximum(f).value for f in chosen] == pytest.approx(maxima, abs=NEAR)
    assert [late.price(v) for v in subsets] == pytest.approx(prices, abs=NEAR)


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("listed", [600, 3])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
def test_a_warm_start_changes_no_value(monkeypatch, listed, seed):
    monkeypatch.setattr(costs, "LISTED_AT_ONCE", listed)
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=6, evaluated=12, answers=8)
    told, previous = case.told, None
    for known in range(1, len(case.statements) + 1, 2):
        evaluated = told.evaluated[: max(2, known)]
        said = case.statements[:known]
        if known > 9:
            said = said[2:]  # two are taken back
        warm = case.parsimonious(said, previous, evaluated)
        cold = case.parsimonious(said, evaluated=evaluated)
        figures = [(s.least_cost, s.least_slack, s.unit, s.budget) for s in (warm, cold)]
        assert figures[0] == pytest.approx(figures[1], abs=NEAR)
        for v in range(1, 64, 5):
            assert warm.price(v) == pytest.approx(cold.price(v), abs=NEAR)
        for form in forms(case, rng, 1):
            assert warm.maximum(form).value == pytest.approx(cold.maximum(form).value, abs=NEAR)
        assert warm.simplest.theta.theta == cold.simplest.theta.theta
        previous = warm


@pytest.mark.usefixtures("statements_enter")
@pytest.mark.parametrize("listed", [600, 3])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 8))])
def test_statements_that_leave_with_a_multiplier_change_no_value(monkeypatch, listed, seed):
    monkeypatch.setattr(costs, "LISTED_AT_ONCE", listed)
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=5, evaluated=9, answers=6)
    warm, left = case.parsimonious(), 0
    assert warm.least_slack >= 0  # both programs of the first state are solved
    while warm.statements:
        bearing = [k for k, x in enumerate(warm.cost_multipliers) if abs(x) > NEAR]
        gone = set(rng.permutation(bearing or len(warm.statements))[:2].tolist())
        left += len(gone & set(bearing))
        said = [s for k, s in enumerate(warm.statements) if k not in gone]
        warm, cold = case.parsimonious(said, warm), case.parsimonious(said)
        assert warm.least_cost == pytest.approx(cold.least_cost, abs=NEAR)
        assert warm.least_slack == pytest.approx(cold.least_slack, abs=NEAR)
        for v in range(1, 32, 3):
            verdict = warm.verdict(v)
            assert verdict.price == pytest.approx(cold.price(v), abs=NEAR)
            bound = proven(verdict, v, plainly(said), *case.soft[1:])
            assert (bound - cold.least_cost) / cold.unit >= verdict.price - NEAR
    assert left > 3


@pytest.mark.usefixtures("statements_enter")
def test_a_state_in_which_nothing_was_said_may_come_before_one_with_many_statements():
    case = random_case(np.random.default_rng(3), n=4, evaluated=8, answers=0)
    silent = case.parsimonious(())
    assert silent.least_cost == 0
    assert case.parsimonious(previous=silent).least_cost == pytest.approx(case.least_cost, abs=NEAR)


def test_states_that_were_never_asked_for_anything_are_not_kept_alive():
    case = random_case(np.random.default_rng(3), n=4, evaluated=8, answers=2)
    first = state = case.parsimonious(case.statements)
    assert state.least_cost > 0
    for _ in range(3000):  # so many in a row would be too deep to go back through
        state = case.parsimonious(case.statements, state)
    seen = weakref.ref(case.parsimonious(case.statements, state))
    last = case.parsimonious(case.statements, seen())
    assert seen() is None
    assert last.least_cost == pytest.approx(first.least_cost, abs=NEAR)


@pytest.mark.parametrize("seed", range(6))
def test_a_support_lets_no_other_monomial_in(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=5, evaluated=8, answers=5)
    pairs = [s for s in case.told.monos if s.bit_count() == 2]
    support = [int(s) for s in rng.choice(pairs, size=4, replace=False)]
    theirs = ParsimoniousSet(5, case.told.evaluated, case.statements, case.settings(), support=support)
    monos = list(theirs.monomials.terms)
    assert set(monos) == {1, 2, 4, 8, 16, *support}
    soft = case.told.statements, monos, case.told.C, case.told.w
    assert theirs.least_cost == pytest.approx(judge.j_star(*soft), abs=NEAR)
    assert theirs.budget == pytest.approx(judge.budget(*soft[:2], case.told.tau, *soft[2:]), abs=NEAR)
    for v in case.everything[::3]:
        assert theirs.price(v) == pytest.approx(judge.price(v, case.told.evaluated, *soft), abs=NEAR)
        form = {v: 1.0, 31: -1.0} if v != 31 else {31: 1.0}
        expected = judge.set_max(form, *soft[:2], case.told.tau, *soft[2:])
        assert theirs.maximum(form).value == pytest.approx(expected, abs=NEAR)


def test_a_subset_below_an_unevaluated_one_may_still_be_recommended():
    prior = [stated(0b100, 0b010, source=Source.PRIOR)]
    theirs = ParsimoniousSet(3, [0b001, 0b010], prior)
    assert theirs.candidates([0b001, 0b010]) == [0b001, 0b010]
    assert theirs.candidates([0b100, 0b010]) == [0b100]


@pytest.mark.usefixtures("statements_enter")
def test_prices_do_not_depend_on_what_was_asked_before():
    case = random_case(np.random.default_rng(3), n=5, evaluated=10, answers=5)
    theirs = case.parsimonious()
    first = [theirs.price(v) for v in case.everything]
    for form in forms(case, case.rng(), 3):
        theirs.maximum(form)
    again = [theirs.price(v) for v in reversed(case.everything)]
    assert again[::-1] == pytest.approx(first, abs=NEAR)


def test_one_preference_by_hand():
    # {a1} ≻ {a2}: the simplest θ is θ_1 = 1 (or θ_2 = -1), J* = 1; to believe {a2} best costs the slack of 1
    theirs = ParsimoniousSet(2, [1, 2], [stated(1, 2, weight=3.0)], Parsimony(tau=0.1, slack=10.0))
    assert theirs.least_cost == pytest.approx(1.0)
    assert (theirs.least_slack, theirs.unit, theirs.budget) == pytest.approx((0.0, 1.0, 1.1))
    assert (theirs.price(1), theirs.price(2)) == pytest.approx((0.0, 29.0))
    assert theirs.cap == pytest.approx(29.0)
    assert theirs.maximum({1: 1.0, 2: -1.0}).value == pytest.approx(1.1)
    assert theirs.maximum({2: 1.0, 1: -1.0}).value == pytest.approx(-(1 - 0.1 / 29))


# Bad input


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"tau": float("nan")}, "between 0 and 10000"),
        ({"tau": 1e300}, "between 0 and 10000"),
        ({"slack": float("nan")}, "must exceed w_1"),
        ({"slack": 1.0}, "must exceed w_1"),
        ({"slack": 1e6}, r"be at most 100000 \(100000, or so many times the smallest weight\), found"),
        ({"slack": 1e3, "weights": (1.0, 0.005)}, "be at most 500 "),
        ({"degree": 0}, "at least 1, found 0"),
        ({"degree": -1}, "at least 1, found -1"),
        ({"weights": (1.0,)}, "2 positive weights"),
        ({"weights": (1.0, 1e4)}, "from 0.001 to 1000, found"),
        ({"weights": (1.0, float("nan"))}, "2 positive weights"),
    ],
)
def test_bad_settings_are_named(changes, complaint):
    with pytest.raises(InputError, match=complaint):
        Parsimony(**changes)


def test_a_statement_that_is_cheaper_to_break_than_any_utility_that_keeps_it_is_refused():
    cheap = [Statement(1, 2, weight=0.5), Statement(1, 4, weight=0.25)]
    with pytest.raises(InputError, match=r"a statement weighs 0.25, but times C = 4 that must exceed w_1 = 1; give it"):
        ParsimoniousSet(3, [1, 2, 4], cheap, Parsimony(slack=4.0))
    assert ParsimoniousSet(3, [1, 2, 4], cheap, Parsimony(slack=4.1)).informative


def test_a_degree_that_no_utility_has_is_refused():
    with pytest.raises(InputError, match="degree must be 1, 2 or 3"):
        ParsimoniousSet(5, [1], [], Parsimony(degree=4, weights=(1.0,) * 4))


@pytest.mark.parametrize(("ask", "within"), [("price", "optimum"), ("maximum", "add_columns")])
def test_what_is_interrupted_leaves_no_half_of_a_change_behind(ask, within, monkeypatch):
    monkeypatch.setattr(costs, "LISTED_AT_ONCE", 1)  # monomials enter when they are needed
    rng = np.random.default_rng(1)
    evaluated = rng.choice(np.arange(1, 1 << 8), 25, replace=False).tolist()
    worth = {x: (x & 0b1011).bit_count() - 0.2 * x.bit_count() + 0.5 * (x & 0b101 == 0b101) for x in evaluated}
    order = sorted(evaluated, key=lambda x: -worth[x])
    statements = [stated(a, b) for a, b in itertools.pairwise(order) if worth[a] > worth[b]]
    asked = [mask for mask in range(1, 1 << 8) if mask not in worth][:20]

    def fresh():
        return ParsimoniousSet(8, evaluated, statements)

    def value(utilities, mask):
        return utilities.price(mask) if ask == "price" else utilities.maximum({mask: 1.0, order[0]: -1.0}).value

    whole = getattr(Program, within)

    def interrupted(program, *arguments):
        whole(program, *arguments)
        raise KeyboardInterrupt

    for victim in (0b100, evaluated[3] if ask == "price" else 0b1100):
        utilities = fresh()
        assert utilities.budget > 0  # J* is known, so that what is broken off is the change that follows
        with monkeypatch.context() as patch:
            patch.setattr(Program, within, interrupted)
            with pytest.raises(KeyboardInterrupt):
                value(utilities, victim)
        for mask in (victim, *asked):
            assert value(utilities, mask) == pytest.approx(value(fresh(), mask), abs=NEAR)
