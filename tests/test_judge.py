"""Who judges the judge: cases worked by hand, and identities that must hold whatever the instance.

The rule: no expected value here was read off the judge; it was worked out on paper or follows from a theorem.
"""

import math
from fractions import Fraction
from itertools import islice

import judge
import numpy as np
import pytest
from hypothesis import given, settings

W = (1.0, 1.5, 2.0)
NEAR = 1e-6
ONE_OVER_TWO = [(0b01, 0b10, "strict", 1.0)]  # {1} ≻ {2}


def sample(seed, count, **sizes):
    return list(islice(judge.instances(np.random.default_rng(seed), **sizes), count))


def soft(instance):
    """The arguments that every function on costs ends with."""
    return instance.statements, instance.monos, instance.C, instance.w


def random_multipliers(rng, statements):
    """Dyadic fractions of a random support; negative for indifference alone."""
    found = []
    for _, _, relation, _ in statements:
        low = -64 if relation == "equal" else 0
        found.append(Fraction(int(rng.integers(low, 65)), 16) if rng.random() < 0.7 else Fraction(0))
    return found


def random_theta(rng, monos):
    return [Fraction(int(rng.integers(-32, 33)), 16) for _ in monos]


# Words


def test_monomials_come_by_size_and_phi_marks_those_inside():
    assert judge.monomials(3, 2) == [0b001, 0b010, 0b100, 0b011, 0b101, 0b110]
    assert judge.phi([0b011, 0], judge.monomials(3, 2)).tolist() == [[1, 1, 0, 1, 0, 0], [0] * 6]
    assert len(judge.monomials(5, 3)) == 5 + 10 + 10


def test_a_family_obeys_keep_drop_and_size_and_never_holds_the_empty_set():
    assert judge.family(2) == [1, 2, 3]
    assert judge.family(3, keep=0b001, drop=0b100) == [0b001, 0b011]
    assert judge.family(3, max_size=1) == [1, 2, 4]
    assert judge.family(3, keep=0b011, max_size=1) == []


# Dominance


def test_dominance_needs_no_worse_anywhere_and_better_somewhere_beyond_the_grid():
    directions = (1, -1)
    assert judge.dominates((0.9, 2), (0.8, 2), directions)
    assert not judge.dominates((0.9, 3), (0.8, 2), directions)
    assert not judge.dominates((0.8, 2), (0.8, 2), directions)
    assert not judge.dominates((0.8 + 1e-12, 2), (0.8, 2), directions)
    assert judge.dominates((0.8 + 2e-9, 2), (0.8, 2), directions)


def test_the_reduction_keeps_both_of_two_equals_and_drops_what_a_chain_implies():
    criteria = {1: (0.9, 1), 2: (0.8, 1), 4: (0.8, 1), 3: (0.7, 2), 7: (1.0, 3)}
    pairs = judge.dominance_pairs(criteria, (1, -1))
    assert pairs == {(1, 2), (1, 4), (1, 3), (2, 3), (4, 3)}
    assert judge.transitive_reduction(pairs) == {(1, 2), (1, 4), (2, 3), (4, 3)}
    assert [v for v in criteria if not judge.dominated(v, criteria, (1, -1))] == [1, 7]


def test_a_reduction_is_the_least_relation_with_the_same_closure():
    for instance in sample(0, 40):
        pairs = judge.dominance_pairs(instance.criteria, instance.directions)
        assert judge.transitive_closure(pairs) == pairs
        reduced = judge.transitive_reduction(pairs)
        assert judge.transitive_closure(reduced) == pairs
        assert all(judge.transitive_closure(reduced - {pair}) != pairs for pair in reduced)


# The exact set, by hand


def test_one_strict_statement_in_the_slice():
    monos = judge.monomials(2, 1)
    assert judge.slice_margin(ONE_OVER_TWO, monos) == pytest.approx(2)  # θ = (1, −1)
    assert judge.slice_max({0b10: 1.0, 0b01: -1.0}, ONE_OVER_TWO, monos, 0.01) == pytest.approx(-0.01)
    assert judge.slice_min({0b11: 1.0}, ONE_OVER_TWO, monos, 0.01) == pytest.approx(-1.99)
    assert judge.slice_regret(0b01, [0b01, 0b10], ONE_OVER_TWO, monos, 0.01) == 0
    assert judge.slice_regret(0b01, judge.family(2), ONE_OVER_TWO, monos, 0.01) == pytest.approx(0.99)
    assert not judge.slice_potentially_optimal(0b10, [1, 2], ONE_OVER_TWO, monos, 0.01)
    assert judge.cone_necessarily_preferred(0b01, 0b10, ONE_OVER_TWO, monos)
    assert not judge.cone_possibly_preferred(0b10, 0b01, ONE_OVER_TWO, monos)
    assert judge.cone_potentially_optimal(0b11, [1, 2], ONE_OVER_TWO, monos)


@pytest.mark.parametrize(
    ("statements", "consistent"),
    [
        pytest.param([], True, id="nothing said"),
        pytest.param([(1, 2, "weak", 1.0), (2, 1, "weak", 1.0)], True, id="weak both ways is indifference"),
        pytest.param([(1, 2, "strict", 1.0), (2, 1, "weak", 1.0)], False, id="weak against strict"),
        pytest.param([(1, 2, "strict", 1.0), (1, 2, "equal", 1.0)], False, id="equal against strict"),
        pytest.param([(1, 2, "strict", 1.0), (2, 3, "equal", 1.0), (3, 1, "weak", 1.0)], False, id="cycle"),
        pytest.param(
            [(0b110, 0b101, "strict", 1.0), (0b001, 0b010, "weak", 1.0)], True, id="a pair may turn the order"
        ),
    ],
)
def test_consistency_by_hand(statements, consistent):
    monos = judge.monomials(3, 2)
    assert judge.cone_consistent(statements, monos) is consistent
    assert (judge.slice_margin(statements, monos) > NEAR) is consistent
    assert (judge.s_star(statements, monos) < NEAR) is consistent


def test_without_a_strict_statement_the_margin_has_no_meaning():
    assert judge.slice_margin([(1, 2, "weak", 1.0)], judge.monomials(2, 1)) == math.inf


def test_a_weak_statement_makes_its_subject_best_of_two_by_the_definition_alone():
    monos = judge.monomials(2, 2)
    assert judge.cone_necessarily_optimal(1, [1, 2], [(1, 2, "weak", 1.0)], monos)
    assert not judge.set_necessarily_optimal(1, [1, 2], [(1, 2, "weak", 1.0)], monos, 0.1, 4.0, W)
    # at τ = 0 all that is left is θ = 0
    assert judge.set_necessarily_optimal(1, [1, 2], [], monos, 0.0, 4.0, W)


# The parsimonious set, by hand


def test_one_strict_statement_in_the_parsimonious_set():
    monos = judge.monomials(2, 1)
    arguments = ONE_OVER_TWO, monos, 4.0, W
    assert judge.j_star(*arguments) == pytest.approx(1)
    assert judge.s_star(ONE_OVER_TWO, monos) == pytest.approx(0)
    assert judge.budget(ONE_OVER_TWO, monos, 0.1, 4.0, W) == pytest.approx(1.1)
    assert judge.price(0b01, [1, 2], *arguments) == pytest.approx(0)
    assert judge.price(0b11, [1, 2], *arguments) == pytest.approx(0)
    assert judge.price(0b10, [1, 2], *arguments) == pytest.approx(3) == judge.price_cap(*arguments)
    # f({1}) − f({2}) = t with 4 − 3t ≤ 1.1, and f({1,2}) − f({1}) = θ_2 with t + 2θ_2 ≤ 1.1 at t = 1
    assert judge.set_min({1: 1.0, 2: -1.0}, ONE_OVER_TWO, monos, 0.1, 4.0, W) == pytest.approx(2.9 / 3)
    assert judge.set_regret(1, [1, 2], ONE_OVER_TWO, monos, 0.1, 4.0, W) == 0
    assert judge.set_regret(1, judge.family(2), ONE_OVER_TWO, monos, 0.1, 4.0, W) == pytest.approx(0.05)


def test_a_bare_contradiction_costs_its_slack_and_the_unit_is_the_least_weight():
    statements = [*ONE_OVER_TWO, (0b10, 0b01, "strict", 1.0)]
    monos = judge.monomials(2, 1)
    assert judge.j_star(statements, monos, 4.0, W) == pytest.approx(8)
    assert judge.s_star(statements, monos) == pytest.approx(2)
    assert judge.unit(statements, monos, 4.0, W) == pytest.approx(1)
    assert judge.budget(statements, monos, 0.1, 4.0, W) == pytest.approx(8.1)


def test_consistent_statements_may_be_cheapest_to_ignore_though_each_outweighs_a_singleton():
    # {1,2} ≻ {1,3} and {3,4} ≻ {2,4}: the singletons cancel, and only pairs could satisfy both
    statements = [(0b0011, 0b0101, "strict", 1.0), (0b1100, 0b1010, "strict", 1.0)]
    monos = judge.monomials(4, 2)
    assert judge.cone_consistent(statements, monos)
    assert judge.j_star(statements, monos, 1.2, W) == pytest.approx(2.4)
    assert judge.price_cap(statements, monos, 1.2, W) == pytest.approx(0)


def test_a_new_evaluation_may_lower_the_cost_when_it_takes_the_place_of_reduced_rows():
    # 2 over 4 and 1; then 7 in between. One long slack on 2 ≻ 7 serves where two were paid for.
    monos = judge.monomials(3, 1)
    answer = (0b101, 0b010, "strict", 2.0)
    before = [answer, (2, 4, "strict", 1.0), (2, 1, "strict", 1.0)]
    after = [answer, (2, 7, "strict", 1.0), (7, 4, "strict", 1.0), (7, 1, "strict", 1.0)]
    assert judge.j_star(before, monos, 2.0, W) == pytest.approx(7)
    assert judge.j_star(after, monos, 2.0, W) == pytest.approx(19 / 3)


def test_the_least_regret_may_be_that_of_a_dominated_subset():
    criteria = {4: (0.1, 1), 1: (0.5, 1), 5: (0.1, 2), 3: (0.2, 2), 6: (0.5, 2), 2: (0.4, 1)}
    statements = judge.dominance_statements(criteria, (1, -1))
    arguments = list(criteria), statements, judge.monomials(3, 2), 0.1, 1.5, W
    assert judge.dominates(criteria[1], criteria[2], (1, -1))
    assert judge.set_regret(2, *arguments) < judge.set_regret(1, *arguments) - 0.1


# Conflicts, indices, kernel, least squares: by hand


def test_the_smallest_conflict_and_the_cheapest_way_out():
    monos = judge.monomials(3, 2)
    chain = [(1, 2, "strict", 1.0), (2, 4, "strict", 1.0), (4, 1, "strict", 4.0)]
    assert judge.smallest_conflicts(chain, monos) == [(0, 1, 2)]
    assert judge.cheapest_retraction(chain, monos) == (1.0, (0,))
    # what the reduction left out makes the conflict smaller and the way out dearer
    whole = [*chain, (1, 4, "strict", 1.0)]
    assert judge.smallest_conflicts(whole, monos) == [(2, 3)]
    assert judge.cheapest_retraction(whole, monos)[0] == 2.0
    assert judge.smallest_conflicts(chain[:2], monos) == []
    assert judge.cheapest_retraction(chain[:2], monos) == (0, ())


def test_power_indices_of_a_triple_part_company():
    monos = judge.monomials(3, 3)
    theta = [Fraction(x) for x in (1, 2, 3, 4, 0, 0, 12)]  # θ_12 = 4, θ_123 = 12
    assert judge.banzhaf(theta, monos, 3) == [1 + 2 + 3, 2 + 2 + 3, 3 + 3]
    assert judge.shapley(theta, monos, 3) == [1 + 2 + 4, 2 + 2 + 4, 3 + 4]


def test_one_statement_by_least_squares():
    theta, alpha = judge.min_norm_l2(ONE_OVER_TWO, judge.monomials(2, 1), 4.0, W)
    assert theta == pytest.approx([0.5, -0.5])
    assert alpha == pytest.approx([0.5])
    # a slack cheaper than the norm: α stops at C c
    assert judge.min_norm_l2(ONE_OVER_TWO, judge.monomials(2, 1), 0.25, W)[0] == pytest.approx([0.25, -0.25])


# Identities


def test_every_route_to_consistency_agrees():
    seen = set()
    for instance in sample(1, 60):
        consistent = judge.cone_consistent(instance.statements, instance.monos)
        seen.add(consistent)
        assert (judge.slice_margin(instance.statements, instance.monos) > NEAR) == consistent
        assert (judge.s_star(instance.statements, instance.monos) < NEAR) == consistent
        assert (judge.cone_theta(instance.statements, instance.monos) is not None) == consistent
    assert seen == {True, False}


def test_the_slice_and_the_cone_agree_on_what_is_necessary_and_what_is_optimal():
    for instance in sample(2, 25, max_n=3, max_evaluated=5):
        statements, monos, evaluated = instance.statements, instance.monos, instance.evaluated
        if not judge.slice_consistent(statements, monos, 1e-4):
            continue
        for a in evaluated:
            inside = judge.cone_potentially_optimal(a, evaluated, statements, monos)
            assert judge.slice_potentially_optimal(a, evaluated, statements, monos, 1e-4) == inside
            for b in evaluated:
                proven = judge.cone_necessarily_preferred(a, b, statements, monos)
                # a gap of δ times a multiplier is all that the slice may add
                assert not proven or judge.slice_necessarily_preferred(a, b, statements, monos, 1e-4)
                assert judge.cone_possibly_preferred(a, b, statements, monos) == (
                    judge.slice_possibly_preferred(a, b, statements, monos, 1e-4)
                )


def test_only_undominated_rivals_matter_in_the_exact_set():
    for instance in sample(3, 25, max_n=4):
        statements = judge.dominance_statements(instance.criteria, instance.directions)
        if not judge.cone_consistent(statements, instance.monos):
            continue
        front = [v for v in instance.evaluated if not judge.dominated(v, instance.criteria, instance.directions)]
        for v in judge.family(instance.n):
            whole = judge.cone_potentially_optimal(v, instance.evaluated, statements, instance.monos)
            assert whole == judge.cone_potentially_optimal(v, front, statements, instance.monos)


def test_costs_prices_and_their_cap():
    for instance in sample(4, 15, max_n=4):
        least, theta = judge.least_cost(*soft(instance))
        assert judge.cost(theta, *soft(instance)) == pytest.approx(least, abs=NEAR)
        assert least <= judge.cost(np.zeros(len(theta)), *soft(instance)) + NEAR
        assert judge.unit(*soft(instance)) >= instance.w[0]
        prices = {v: judge.price(v, instance.evaluated, *soft(instance)) for v in judge.family(instance.n)}
        assert min(prices.values()) >= -NEAR
        assert min(prices[v] for v in instance.evaluated) <= NEAR
        assert max(prices.values()) <= judge.price_cap(*soft(instance)) + NEAR
        if not judge.has_strict(instance.statements):
            assert max(prices.values()) <= NEAR
        accepted = [{v for v, p in prices.items() if p <= tau + NEAR} for tau in (0.0, 0.1, 1.0)]
        assert accepted[0] <= accepted[1] <= accepted[2]


def test_a_price_within_tau_is_a_utility_within_the_set():
    for instance in sample(5, 20, max_n=3):
        limit = judge.budget(instance.statements, instance.monos, instance.tau, instance.C, instance.w)
        for v in judge.family(instance.n):
            rivals = [judge.form_vector(judge.difference(v, x), instance.monos) for x in instance.evaluated if x != v]
            value, theta = judge.least_cost(*soft(instance), rivals)
            if abs(value - limit) < 1e-5:
                continue
            inside = judge.set_potentially_optimal(
                v,
                instance.evaluated,
                instance.statements,
                instance.monos,
                instance.tau,
                instance.C,
                instance.w,
            )
            assert inside == (value < limit)
            assert judge.cost(theta, *soft(instance)) == pytest.approx(value, abs=NEAR)
            assert all(row @ theta >= -NEAR for row in rivals)


def test_costs_rise_and_are_concave_in_the_weight_of_slack():
    grid = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
    for instance in sample(6, 12, max_n=4):
        statements, monos, w = instance.statements, instance.monos, instance.w
        v = judge.family(instance.n)[-1]
        for curve in (
            [judge.j_star(statements, monos, C, w) for C in grid],
            [judge.j_of(v, instance.evaluated, statements, monos, C, w) for C in grid],
        ):
            steps = np.diff(curve)
            assert (steps >= -NEAR).all()
            assert (np.diff(steps) <= NEAR).all()


def test_the_unit_of_consistent_statements_is_their_cost():
    seen = 0
    for instance in sample(7, 40):
        if not judge.has_strict(instance.statements) or instance.w[0] >= instance.C:
            continue
        if judge.cone_consistent(instance.statements, instance.monos):
            seen += 1
            least = judge.j_star(*soft(instance))
            assert judge.unit(*soft(instance)) == pytest.approx(least, abs=NEAR)
    assert seen >= 5


def test_an_unrelated_contradiction_moves_no_price():
    # unrelated: between subsets already evaluated, of attributes met nowhere else, and equally heavy
    for instance in sample(8, 15, max_n=3, max_evaluated=5):
        n = instance.n + 2
        a, b = 1 << instance.n, 1 << (instance.n + 1)
        monos = judge.monomials(n, instance.degree)
        evaluated = [*instance.evaluated, a, b]
        contradiction = [(a, b, "strict", 2.0), (b, a, "strict", 2.0)]
        for v in judge.family(instance.n):
            before = judge.price(v, evaluated, instance.statements, monos, instance.C, instance.w)
            after = judge.price(v, evaluated, instance.statements + contradiction, monos, instance.C, instance.w)
            assert after == pytest.approx(before, abs=NEAR)


def test_regret_over_more_is_more_and_necessity_is_optimality():
    for instance in sample(9, 8, max_n=3):
        statements, monos, tau, C, w = (
            instance.statements,
            instance.monos,
            instance.tau,
            instance.C,
            instance.w,
        )
        for x in instance.evaluated:
            narrow = judge.set_regret(x, instance.evaluated, statements, monos, tau, C, w)
            wide = judge.set_regret(x, judge.family(instance.n), statements, monos, tau, C, w)
            assert 0 <= narrow <= wide + NEAR
            if narrow <= NEAR:
                assert judge.price(x, instance.evaluated, statements, monos, C, w) <= tau + 1e-5
            for y in instance.evaluated[::2]:
                least = judge.set_min(judge.difference(x, y), statements, monos, tau, C, w)
                assert least <= judge.set_max(judge.difference(x, y), statements, monos, tau, C, w) + NEAR
                assert narrow >= -least - NEAR


def test_a_statement_dearer_than_the_budget_is_never_turned_round():
    dearer = 0
    for instance in sample(10, 30, max_n=4):
        statements, monos, tau, C, w = (
            instance.statements,
            instance.monos,
            instance.tau,
            instance.C,
            instance.w,
        )
        limit = judge.budget(statements, monos, tau, C, w)
        for better, worse, relation, weight in statements:
            if relation == "strict" and C * weight > limit:
                dearer += 1
                assert judge.set_min(judge.difference(better, worse), statements, monos, tau, C, w) >= -NEAR
    assert dearer > 10


# Certificates: the bounds hold for any multipliers, and the solver's own reach them


def test_any_multipliers_bound_the_cost_from_below():
    rng = np.random.default_rng(11)
    for instance in sample(11, 15, max_n=4):
        for v in judge.family(instance.n)[:6]:
            value = judge.j_of(v, instance.evaluated, *soft(instance))
            for _ in range(10):
                lam = random_multipliers(rng, instance.statements)
                mu = {x: Fraction(int(rng.integers(0, 65)), 16) for x in instance.evaluated if x != v}
                assert judge.cost_lower_bound(lam, mu, v, *soft(instance)) <= value + NEAR


def test_the_duals_rounded_bound_the_cost_almost_tightly():
    for instance in sample(12, 20, max_n=4):
        for v in judge.family(instance.n)[:6]:
            value = judge.j_of(v, instance.evaluated, *soft(instance))
            dual, lam, mu = judge.cost_multipliers(*soft(instance), v, instance.evaluated)
            assert dual == pytest.approx(value, abs=NEAR)
            lam = [
                max(x, Fraction(0)) if r[2] != "equal" else x
                for x, r in zip(judge.exact(lam), instance.statements, strict=True)
            ]
            mu = {x: max(z, Fraction(0)) for x, z in zip(mu, judge.exact(mu.values()), strict=True)}
            bound = judge.cost_lower_bound(lam, mu, v, *soft(instance))
            assert value - 1e-3 <= bound <= value + NEAR


def test_multipliers_whose_rows_cancel_bound_the_slack_from_below():
    inconsistent = 0
    for instance in sample(20, 60):
        statements, monos = instance.statements, instance.monos
        least = judge.s_star(statements, monos)
        dual, lam = judge.slack_multipliers(statements, monos)
        assert dual == pytest.approx(least, abs=NEAR)
        # vertices of these small duals have small denominators: nearest fractions restore exactness
        lam = [Fraction(float(x)).limit_denominator(64) for x in lam]
        bound = judge.slack_lower_bound(lam, statements, monos)
        assert bound <= least + NEAR
        inconsistent += least > NEAR
        if least > NEAR:
            assert bound == pytest.approx(least, abs=NEAR)
    assert inconsistent >= 3


def test_the_budget_of_contradicted_statements_needs_the_slack_from_both_sides():
    # {1,2,3} ≻ {3} four times as dear as a plain row, {3} ≻ {1,2,3} twice: S* = 4, and the rest costs 1
    statements = [(0b0111, 0b0100, "strict", 4.0), (0b0100, 0b0111, "strict", 2.0)]
    monos, w = judge.monomials(4, 3), (1.0, 1.0, 1.0)
    assert judge.budget(statements, monos, 1.0, 20.0, w) == pytest.approx(82)
    rejected = judge.j_of(0b0100, [0b0111, 0b0100], statements, monos, 20.0, w)
    assert rejected == pytest.approx(120)
    # with S* ≥ 0 alone the budget could be (1 + τ) J* = 162, which proves nothing about 120
    assert 82 < rejected < 2 * judge.j_star(statements, monos, 20.0, w)


def test_the_bounds_hold_in_exact_arithmetic_for_any_utility():
    rng = np.random.default_rng(14)
    for instance in sample(14, 40):
        statements, monos, C, w = soft(instance)
        theta = random_theta(rng, monos)
        value = judge.exact_cost(theta, statements, monos, C, w)
        assert float(value) == pytest.approx(judge.cost(np.array(theta, dtype=float), statements, monos, C, w))
        f = {v: judge.utility(theta, v, monos) for v in judge.family(instance.n)}
        best = max(f, key=f.get)
        lam = random_multipliers(rng, statements)
        mu = {x: Fraction(int(rng.integers(0, 33)), 8) for x in instance.evaluated if x != best}
        assert judge.cost_lower_bound(lam, mu, best, statements, monos, C, w) <= value


def test_a_nudged_utility_accepts_exactly():
    nudge = Fraction(1, 10**9)
    for instance in sample(16, 15, max_n=4):
        statements, monos, C, w = soft(instance)
        for v in judge.family(instance.n):
            rivals = [judge.form_vector(judge.difference(v, x), monos) for x in instance.evaluated if x != v]
            value, theta = judge.least_cost(statements, monos, C, w, rivals)
            # a solver may leave a comparison short by its own tolerance, which the nudge must outweigh
            short = max([0.0, *(-float(row @ theta) for row in rivals)])
            step = max(nudge, 2 * Fraction(short))
            printed = [
                t + (0 if judge.size(s) > 1 else step if s & v else -step)
                for s, t in zip(monos, map(Fraction, theta.tolist()), strict=True)
            ]
            best = judge.utility(printed, v, monos)
            assert all(best >= judge.utility(printed, x, monos) for x in instance.evaluated)
            assert float(judge.exact_cost(printed, statements, monos, C, w)) == pytest.approx(value, abs=1e-5)


# Conflicts, indices, kernel, least squares: identities


def test_conflicts_are_minimal_and_retractions_suffice():
    seen = 0
    for instance in sample(17, 60, max_n=3, max_evaluated=5):
        statements, monos = instance.statements, instance.monos
        if judge.cone_consistent(statements, monos):
            continue
        seen += 1
        weight, removed = judge.cheapest_retraction(statements, monos)
        assert 0 < weight == sum(statements[i][3] for i in removed)
        for conflict in judge.smallest_conflicts(statements, monos):
            assert set(conflict) & set(removed)  # every way out breaks every conflict
            chosen = [statements[i] for i in conflict]
            assert all(judge.cone_consistent(chosen[:i] + chosen[i + 1 :], monos) for i in range(len(chosen)))
    assert seen >= 3


@pytest.mark.parametrize("n", [1, 2, 4])
def test_the_power_index_has_a_closed_form_by_monomial(n):
    rng = np.random.default_rng(n)
    for degree in range(1, min(n, 3) + 1):
        monos = judge.monomials(n, degree)
        theta = random_theta(rng, monos)
        through = [[(t, judge.size(s)) for t, s in zip(theta, monos, strict=True) if s >> i & 1] for i in range(n)]
        assert judge.banzhaf(theta, monos, n) == [sum(t / 2 ** (k - 1) for t, k in own) for own in through]
        assert judge.shapley(theta, monos, n) == [sum(t / k for t, k in own) for own in through]
        if degree <= 2:
            assert judge.banzhaf(theta, monos, n) == judge.shapley(theta, monos, n)


def test_the_kernel_counts_by_binomials_and_is_the_product_of_rows():
    monos = judge.monomials(4, 3)
    for v in judge.family(4):
        for w in judge.family(4):
            common = judge.size(v & w)
            closed = sum(math.comb(common, j) / W[j - 1] for j in (1, 2, 3))
            assert judge.kernel(v, w, monos, W) == pytest.approx(closed)
            left, right = judge.phi([v, w], monos)
            assert left @ (right / judge.prices_of_monomials(monos, W)) == pytest.approx(closed)


def test_the_least_squares_utility_meets_its_optimality_conditions():
    for instance in sample(18, 40):
        statements, monos, C, omega = soft(instance)
        theta, alpha = judge.min_norm_l2(statements, monos, C, omega)
        assert abs(judge.l2_gap(theta, alpha, statements, monos, C, omega)) <= 1e-8
        for a, s, (_, _, relation, weight) in zip(
            alpha, judge.slacks(theta, statements, monos), statements, strict=True
        ):
            assert -1e-9 <= (abs(a) if relation == "equal" else a) <= C * weight + 1e-9
            assert s <= 1e-5 or abs(a) == pytest.approx(C * weight, abs=1e-5)  # slack only at the full price
        # the index by the kernel's z_i, from the multipliers alone
        q = (1, 2, 3)

        def z(i, v, degree=instance.degree, omega=omega, q=q):
            inside = v >> i & 1
            terms = range(1, degree + 1)
            return inside * sum(math.comb(judge.size(v) - 1, j - 1) / (q[j - 1] * omega[j - 1]) for j in terms)

        by_kernel = [
            sum(a * (z(i, r[0]) - z(i, r[1])) for a, r in zip(alpha, statements, strict=True))
            for i in range(instance.n)
        ]
        assert judge.shapley(theta.tolist(), monos, instance.n) == pytest.approx(by_kernel, abs=1e-7)


# Instances


def test_the_instances_cover_what_goes_wrong():
    drawn = sample(19, 300)
    assert {i.n for i in drawn} == {1, 2, 3, 4, 5}
    assert {i.degree for i in drawn} == {1, 2, 3}
    assert any(not i.statements for i in drawn)
    assert any(len(i.criteria) == 1 for i in drawn)
    assert any(i.statements and not judge.has_strict(i.statements) for i in drawn)
    assert any(len(set(i.statements)) < len(i.statements) for i in drawn)
    assert any(len(set(i.criteria.values())) < len(i.criteria) for i in drawn)
    assert {r[2] for i in drawn for r in i.statements} == set(judge.RELATIONS)
    assert all(r[0] != r[1] for i in drawn for r in i.statements)
    assert len({i.C * i.tau for i in drawn}) > 10


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(judge.instance_strategy(max_n=3, max_evaluated=4))
def test_a_price_never_exceeds_its_cap(instance):
    cap = judge.price_cap(*soft(instance))
    assert all(judge.price(v, instance.evaluated, *soft(instance)) <= cap + NEAR for v in judge.family(instance.n))
