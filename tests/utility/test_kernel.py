"""The kernel form says the same as the explicit θ, and works where no θ could be listed."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import BATCHES, Case, batch, plainly, random_case, stated
from threadpoolctl import threadpool_limits

from elicit.errors import InputError
from elicit.knowledge.statements import Relation
from elicit.subsets import Family, indicator, mask_of
from elicit.utility.kernel import NORM_WEIGHTS, KernelUtility, kernel, least_norm
from elicit.utility.sampling import LAWS, draw


@pytest.fixture(autouse=True)
def _one_thread():
    """Threads of a linear algebra library only hinder each other on matrices as small as these."""
    with threadpool_limits(1):
        yield


SMALL = judge.instance_strategy(max_n=4, max_evaluated=6)


def coefficient(utility, term):
    """θ_S = Σ_x β_x [S ⊆ x] / ω_|S|."""
    held = sum(b for x, b in zip(utility.subsets, utility.beta, strict=True) if x & term == term)
    return held / utility.omega[term.bit_count() - 1]


def explicit(utility, monos):
    return np.array([coefficient(utility, s) for s in monos])


@pytest.mark.parametrize("k", BATCHES)
def test_the_least_norm_is_the_judges(k):
    for case in batch(k):
        told = case.told
        omega = told.w[: told.degree]
        theirs = least_norm(told.n, case.statements, degree=told.degree, slack=told.C, omega=told.w)
        theta, alpha = judge.min_norm_l2(told.statements, told.monos, told.C, omega)
        assert judge.l2_gap(theta, alpha, told.statements, told.monos, told.C, omega) < 1e-6
        mine = explicit(theirs, told.monos)
        cost = judge.l2_cost(theta, told.statements, told.monos, told.C, omega)
        mine_cost = judge.l2_cost(mine, told.statements, told.monos, told.C, omega)
        assert mine_cost == pytest.approx(cost, rel=1e-6, abs=1e-6)
        # θ is unique, but a cost so close leaves it some room
        assert mine == pytest.approx(theta, abs=5e-4)


@pytest.mark.parametrize("k", BATCHES)
def test_values_power_and_interactions_are_those_of_the_explicit_theta(k):
    for case in batch(k):
        told = case.told
        theirs = least_norm(told.n, case.statements, degree=told.degree, slack=told.C, omega=told.w)
        theta = explicit(theirs, told.monos)
        expected = [judge.utility(theta, v, told.monos) for v in case.everything]
        assert theirs.values(case.everything) == pytest.approx(np.array(expected), abs=1e-9)
        assert theirs(case.everything[-1]) == pytest.approx(expected[-1], abs=1e-9)
        assert theirs.power("shapley") == pytest.approx(np.array(judge.shapley(theta, told.monos, told.n)), abs=1e-9)
        assert theirs.power("banzhaf") == pytest.approx(np.array(judge.banzhaf(theta, told.monos, told.n)), abs=1e-9)
        table = theirs.interactions()
        assert table == pytest.approx(table.T)
        for i in range(told.n):
            for j in range(told.n):
                known = told.degree >= 2 or i == j
                assert table[i, j] == pytest.approx(coefficient(theirs, 1 << i | 1 << j) if known else 0.0, abs=1e-9)


def test_very_many_statements_are_worked_with_by_their_subsets_as_soon_as_these_are_fewer(monkeypatch):
    statements = random_case(np.random.default_rng(5), n=5, evaluated=12, answers=8).statements
    named = {m for s in statements for m in (s.better, s.worse)}
    assert len(named) < len(statements) < 3 * len(named)
    expected = least_norm(5, statements).values(range(1, 32))
    monkeypatch.setattr("elicit.utility.kernel.VERY_MANY", len(statements) - 1)
    monkeypatch.setattr("elicit.utility.kernel._DenseGram", None)
    assert least_norm(5, statements).values(range(1, 32)) == pytest.approx(expected, abs=1e-6)


@given(SMALL, st.lists(st.floats(0.2, 5.0), min_size=3, max_size=3))
@settings(max_examples=50, deadline=None)
def test_the_kernel_counts_the_monomials_in_common(told, omega):
    inside = indicator(told.evaluated, told.n)
    found = kernel(inside, inside, omega[: told.degree])
    for i, v in enumerate(told.evaluated):
        for j, w in enumerate(told.evaluated):
            assert found[i, j] == pytest.approx(judge.kernel(v, w, told.monos, omega))


@pytest.mark.parametrize("k", BATCHES)
def test_so_it_is_where_one_works_with_the_subsets(k, monkeypatch):
    monkeypatch.setattr("elicit.utility.kernel.LOW_RANK_RATIO", 0)
    test_the_least_norm_is_the_judges(k)


def test_many_statements_about_few_subsets_have_the_same_least_norm(monkeypatch):
    rng = np.random.default_rng(5)
    masks = sorted(set(rng.integers(1, 1 << 9, size=60).tolist()))
    level = {m: int(rng.integers(4)) for m in masks}  # equal ones make every statement between two levels
    statements = [stated(a, b) for a in masks for b in masks if level[a] == level[b] + 1]
    statements += [stated(b, a) for a, b in [(s.better, s.worse) for s in statements[::40]]]  # and contradictions
    values = {}
    for wide in (0, 10**6):
        monkeypatch.setattr("elicit.utility.kernel.LOW_RANK_RATIO", wide)
        values[wide] = least_norm(9, statements).values(range(1, 1 << 9))
    assert len(statements) > 10 * len(masks)
    assert values[0] == pytest.approx(values[10**6], abs=1e-7)
    assert np.abs(values[0]).max() > 0.1


@given(SMALL, st.floats(0.5, 40.0))
@settings(max_examples=50, deadline=None)
def test_no_theta_nearby_is_cheaper(told, slack):
    case = Case.of(told)
    theirs = least_norm(told.n, case.statements, degree=told.degree, slack=slack)
    omega, theta = NORM_WEIGHTS[: told.degree], explicit(theirs, told.monos)
    least = judge.l2_cost(theta, told.statements, told.monos, slack, omega)
    rng = np.random.default_rng(0)
    for size in (1e-3, 0.1, 1.0):
        for _ in range(5):
            other = theta + size * rng.normal(size=len(theta))
            assert judge.l2_cost(other, told.statements, told.monos, slack, omega) >= least - 1e-7


def cost(utility, statements, slack):
    """½ Σ ω_|S| θ_S² + C Σ c_r s_r."""
    inside = indicator(utility.subsets, utility.n)
    paid = 0.5 * utility.beta @ kernel(inside, inside, utility.omega) @ utility.beta
    for s in statements:
        better, worse = utility.values([s.better, s.worse])
        short = abs(better - worse) if s.relation is Relation.EQUAL else max(0.0, float(s.strict) - better + worse)
        paid += slack * s.weight * short
    return float(paid)


def is_least_on_its_ray(utility, statements, slack):
    """Whether no multiple of θ nearby costs less: the cost is convex."""
    least = cost(utility, statements, slack)
    others = [cost(replace(utility, beta=times * utility.beta), statements, slack) for times in (0.98, 1.02)]
    return all(other >= least - 1e-6 * max(1.0, least) for other in others)


@given(st.integers(0, 2**32 - 1), st.sampled_from([2.0, 10.0, 1e3, 1e5]), st.sampled_from([0.0, 1.0, 5.0]))
@settings(max_examples=60, deadline=None)
def test_orders_that_fit_no_utility_are_weighed_at_any_slack(seed, slack, noise):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 20))
    masks = sorted({int(x) for x in rng.integers(1, 1 << n, 40)})
    level = indicator(masks, n) @ rng.normal(size=n) + noise * rng.normal(size=len(masks))
    said = []
    for a, b in rng.integers(len(masks), size=(150, 2)):
        if level[a] > level[b]:
            said.append(stated(masks[a], masks[b], "equal" if rng.random() < 0.1 else "strict"))
    theirs = least_norm(n, said, slack=slack)
    assert is_least_on_its_ray(theirs, said, slack)


def test_orders_on_which_steps_went_round_in_circles():
    orders = json.loads((Path(__file__).parents[1] / "golden" / "orders_of_eight.json").read_text(encoding="utf-8"))
    said = [stated(better, worse) for better, worse in orders]
    assert is_least_on_its_ray(least_norm(8, said, slack=1000.0), said, 1000.0)


@pytest.mark.parametrize("slack", [0.6, 10.0, 1e3, 1e5])
def test_one_preference_by_hand(slack):
    # {a1} ≻ {a2}, ω_1 = 1: θ = (α, −α) with 2α = 1, unless the slack is cheaper
    theirs = least_norm(2, [stated(1, 2)], degree=1, slack=slack)
    assert explicit(theirs, [1, 2]) == pytest.approx(np.array([0.5, -0.5]), abs=1e-6)
    cheap = least_norm(2, [stated(1, 2)], degree=1, slack=0.1)
    assert explicit(cheap, [1, 2]) == pytest.approx(np.array([0.1, -0.1]), abs=1e-6)


@pytest.mark.parametrize("weights", [1.0, 3.0])
def test_a_contradiction_leaves_nothing(weights):
    theirs = least_norm(3, [stated(1, 6, weight=weights), stated(6, 1, weight=weights)])
    assert theirs.values(range(1, 8)) == pytest.approx(np.zeros(7), abs=1e-6)
    assert theirs.power() == pytest.approx(np.zeros(3), abs=1e-6)


def test_without_statements_everything_is_zero():
    theirs = least_norm(4, [])
    assert theirs.values([1, 15]).tolist() == [0, 0]
    assert theirs.power().tolist() == [0] * 4
    assert theirs.interactions().tolist() == [[0] * 4] * 4
    assert isinstance(theirs, KernelUtility)


def test_saying_the_same_again_and_again_is_no_trouble():
    said = [stated(1, 2), stated(2, 4), stated(1, 4)] * 30 + [stated(1, 2, "equal", 3.0)] * 5
    theirs = least_norm(3, said)
    theta, alpha = judge.min_norm_l2(plainly(said[:3]), judge.monomials(3, 2), 300.0, (1.0, 2.0))
    assert np.isfinite(explicit(theirs, judge.monomials(3, 2))).all()
    assert judge.l2_gap(theta, alpha, plainly(said[:3]), judge.monomials(3, 2), 300.0, (1.0, 2.0)) < 1e-6


@pytest.mark.parametrize(("n", "degree", "slack"), [(30, 2, 10.0), (30, 3, 1e4), (200, 3, 10.0)])
def test_statements_that_depend_on_each_other_are_no_trouble(n, degree, slack):
    case = random_case(np.random.default_rng(n), n=12, evaluated=60, answers=30)
    shift = n - 12
    said = [stated(s.better << shift, s.worse << shift, s.relation.value, s.weight) for s in case.statements]
    theirs = least_norm(n, said, degree=degree, slack=slack)
    assert np.isfinite(theirs.power()).all()


def test_a_thousand_attributes_are_enough_for_power_and_a_draw():
    rng = np.random.default_rng(1)
    masks = [int.from_bytes(rng.bytes(125), "little") for _ in range(200)]
    n = 1000
    order = sorted(masks, key=lambda m: (m & ((1 << 500) - 1)).bit_count(), reverse=True)
    said = [stated(a, b) for a, b in pairwise(order)]
    said += [stated(order[i], order[i + 20], weight=3.0) for i in range(0, 180, 20)]
    for degree in (1, 2, 3):
        theirs = least_norm(n, said, degree=degree)
        values = theirs.values(order)
        assert (values[:-40] > values[40:]).mean() > 0.95
        index = theirs.power()
        assert index.shape == (n,)
        assert index[:500].mean() > index[500:].mean()
        for law in LAWS:
            mask = draw(law, index, Family(n, keep=1, max_size=300), rng)
            assert mask in Family(n, keep=1, max_size=300)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"degree": 3}, "needs at least 3 attributes"),
        ({"degree": 0}, "degree must be"),
        ({"slack": float("nan")}, "positive and finite"),
        ({"slack": 0.0}, "positive and finite"),
    ],
)
def test_bad_settings_are_named(arguments, complaint):
    with pytest.raises(InputError, match=complaint):
        least_norm(2, [stated(1, 2)], **arguments)


def test_a_statement_of_unknown_attributes_is_named():
    with pytest.raises(InputError, match="beyond the 2"):
        least_norm(2, [stated(1, 8)])


@pytest.mark.parametrize("slack", [1e3, 1e5])
@pytest.mark.parametrize("said", ["equal", "strict"])
def test_a_contradiction_among_many_attributes_leaves_what_weighs_more(said, slack):
    rng = np.random.default_rng(2)
    for _ in range(4):
        a, b = (mask_of(np.flatnonzero(rng.random(1500) < p)) for p in rng.uniform(0.05, 0.95, 2))
        heavier = stated(a, b, "equal", 3.0) if said == "equal" else stated(b, a, "strict", 3.0)
        theirs = least_norm(1500, [stated(a, b), heavier], degree=3, slack=slack)
        assert theirs(a) - theirs(b) == pytest.approx(0.0 if said == "equal" else -1.0, abs=0.02)
