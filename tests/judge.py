"""The judge: every decision worked out the obvious way, for few attributes, so that other code can be wrong.

The rule: definitions, double loops and plain linear programs built afresh; nothing here is fast, nothing is
cached, and nothing is imported from the package. Subsets are integer masks (bit i is attribute i). Statements
are tuples (better, worse, relation, weight) with relation "strict", "weak" or "equal". A utility is a vector
aligned with the list of monomials (fractions, in exact arithmetic). A linear form is {subset: coefficient}.
A criteria vector comes with directions: +1 where more is better, -1 where less is better.
"""

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linprog, lsq_linear

RELATIONS = ("strict", "weak", "equal")
GRID = 1e-9  # two criteria nearer than this are the same number
TOLERANCE = 1e-6  # of every decision read off a float program


# Subsets and utilities


def size(mask):
    return int(mask).bit_count()


def members(mask):
    return [i for i in range(int(mask).bit_length()) if mask >> i & 1]


def family(n, keep=0, drop=0, max_size=None):
    """Every non-empty subset that holds `keep`, avoids `drop` and has at most `max_size` attributes."""
    largest = n if max_size is None else max_size
    return [v for v in range(1, 1 << n) if v & keep == keep and not v & drop and size(v) <= largest]


def monomials(n, degree):
    """The subsets of 1..degree attributes: singletons first, then pairs, then triples, each in order."""
    return [sum(1 << i for i in chosen) for k in range(1, degree + 1) for chosen in itertools.combinations(range(n), k)]


def phi(masks, monos):
    """0/1 matrix, a row for each subset: which monomials it contains."""
    return np.array([[float(s & v == s) for s in monos] for v in masks]).reshape(len(masks), len(monos))


def rows(statements, monos):
    """D: a row φ(better) − φ(worse) for each statement."""
    return phi([r[0] for r in statements], monos) - phi([r[1] for r in statements], monos)


def form_vector(form, monos):
    """The vector c with c·θ = Σ_x form[x] f(x)."""
    total = np.zeros(len(monos))
    for mask, coefficient in form.items():
        total += coefficient * phi([mask], monos)[0]
    return total


def difference(a, b):
    """The linear form f(a) − f(b)."""
    return {} if a == b else {a: 1.0, b: -1.0}


# Pareto dominance


def quantised(vector, directions):
    """Criteria as integers on the grid, turned so that more is better."""
    return tuple(round(d * float(x) / GRID) for x, d in zip(vector, directions, strict=True))


def dominates(x, y, directions):
    a, b = quantised(x, directions), quantised(y, directions)
    return a != b and all(p >= q for p, q in zip(a, b, strict=True))


def dominance_pairs(criteria, directions):
    """All (better, worse) among {subset: vector}; equal vectors give nothing."""
    return {(a, b) for a in criteria for b in criteria if dominates(criteria[a], criteria[b], directions)}


def transitive_closure(pairs):
    closure = set(pairs)
    while True:
        more = {(a, d) for a, b in closure for c, d in closure if b == c} - closure
        if not more:
            return closure
        closure |= more


def transitive_reduction(pairs):
    """The pairs of the closure with nothing between them; for a strict partial order."""
    closure = transitive_closure(pairs)
    nodes = {x for pair in closure for x in pair}
    return {(a, c) for a, c in closure if not any((a, b) in closure and (b, c) in closure for b in nodes)}


def dominance_statements(criteria, directions, weight=1.0):
    reduced = transitive_reduction(dominance_pairs(criteria, directions))
    return [(a, b, "strict", weight) for a, b in sorted(reduced)]


def dominated(mask, criteria, directions):
    return any(dominates(criteria[x], criteria[mask], directions) for x in criteria)


# One door to the solver


def solve(costs, upper, upper_limits, equal, equal_values, bounds):
    """(value, x) of min costs·x, or None when infeasible; any other end is an error, never a value."""
    result = linprog(
        costs,
        A_ub=np.array(upper) if len(upper) else None,
        b_ub=np.array(upper_limits) if len(upper) else None,
        A_eq=np.array(equal) if len(equal) else None,
        b_eq=np.array(equal_values) if len(equal) else None,
        bounds=bounds,
        method="highs",
    )
    if result.status == 2:
        return None
    if result.status != 0:
        raise RuntimeError(f"the linear program ended with status {result.status}: {result.message}")
    return float(result.fun), result.x


def has_strict(statements):
    return any(r[2] == "strict" for r in statements)


# The exact set, as a slice of the cube [-1, 1]


def _hard_rows(statements, monos, delta):
    """d·θ ≥ delta (strict), ≥ 0 (weak), = 0 (equal), as upper rows and equal rows."""
    upper, limits, equal, values = [], [], [], []
    for (_, _, relation, _), d in zip(statements, rows(statements, monos), strict=True):
        if relation == "equal":
            equal.append(d)
            values.append(0.0)
        else:
            upper.append(-d)
            limits.append(-delta if relation == "strict" else 0.0)
    return upper, limits, equal, values


def slice_margin(statements, monos):
    """The largest t with d·θ ≥ t for every strict statement; inf without one, 0 when inconsistent."""
    if not has_strict(statements):
        return math.inf
    upper, limits, equal, values = [], [], [], []
    for (_, _, relation, _), d in zip(statements, rows(statements, monos), strict=True):
        if relation == "equal":
            equal.append(np.append(d, 0.0))
            values.append(0.0)
        else:
            upper.append(np.append(-d, 1.0 if relation == "strict" else 0.0))
            limits.append(0.0)
    costs = np.append(np.zeros(len(monos)), -1.0)
    bounds = [(-1, 1)] * len(monos) + [(None, None)]
    value, _ = solve(costs, upper, limits, equal, values, bounds)
    return -value


def slice_consistent(statements, monos, delta):
    return _slice_extreme(np.zeros(len(monos)), statements, monos, delta) is not None


def _slice_extreme(costs, statements, monos, delta, extra=()):
    """(min of costs·θ, θ) over the slice, with rows e·θ ≥ 0 added for e in `extra`; None when empty."""
    upper, limits, equal, values = _hard_rows(statements, monos, delta)
    upper += [-np.asarray(e) for e in extra]
    limits += [0.0] * len(extra)
    return solve(costs, upper, limits, equal, values, [(-1, 1)] * len(monos))


def slice_min(form, statements, monos, delta):
    """Least value of Σ_x form[x] f(x) over the slice; None when the slice is empty."""
    found = _slice_extreme(form_vector(form, monos), statements, monos, delta)
    return None if found is None else found[0]


def slice_max(form, statements, monos, delta):
    found = slice_min({x: -c for x, c in form.items()}, statements, monos, delta)
    return None if found is None else -found


def _nowhere_better(v, evaluated, monos):
    """The rows φ(v) − φ(x), one for each evaluated x ≠ v."""
    return [phi([v], monos)[0] - phi([x], monos)[0] for x in evaluated if x != v]


def slice_potentially_optimal(v, evaluated, statements, monos, delta):
    """Is there θ in the slice with f(v) ≥ f(x) for every evaluated x?"""
    challengers = _nowhere_better(v, evaluated, monos)
    return _slice_extreme(np.zeros(len(monos)), statements, monos, delta, challengers) is not None


def slice_regret(x, ys, statements, monos, delta):
    """max over y and θ of f(y) − f(x); y = x counts, so never below 0. None when the slice is empty."""
    gains = [slice_max(difference(y, x), statements, monos, delta) for y in ys if y != x]
    if any(g is None for g in gains) or not slice_consistent(statements, monos, delta):
        return None
    return max([0.0, *gains])


def slice_necessarily_preferred(a, b, statements, monos, delta, tolerance=TOLERANCE):
    least = slice_min(difference(a, b), statements, monos, delta)
    return least is not None and least >= -tolerance


def slice_possibly_preferred(a, b, statements, monos, delta, tolerance=TOLERANCE):
    most = slice_max(difference(a, b), statements, monos, delta)
    return most is not None and most >= -tolerance


# The exact set, as a cone


def cone_consistent(statements, monos):
    """Farkas: empty exactly when Σ λ d = 0 with Σ_strict λ = 1, λ ≥ 0 (free for equal)."""
    if not has_strict(statements):
        return True
    bounds = [(None, None) if r[2] == "equal" else (0, None) for r in statements]
    strict = np.array([float(r[2] == "strict") for r in statements])
    equal = [*rows(statements, monos).T, strict]
    return solve(np.zeros(len(statements)), [], [], equal, [0.0] * len(monos) + [1.0], bounds) is None


def cone_theta(statements, monos, extra=()):
    """A θ with d·θ ≥ 1 (strict), ≥ 0 (weak), = 0 (equal) and e·θ ≥ 0 for e in `extra`; None without one.

    A cone has no scale, so a margin of one is as good as any.
    """
    upper, limits, equal, values = _hard_rows(statements, monos, 1.0)
    upper += [-np.asarray(e) for e in extra]
    limits += [0.0] * len(extra)
    found = solve(np.zeros(len(monos)), upper, limits, equal, values, [(None, None)] * len(monos))
    return None if found is None else found[1]


def cone_identity(a, b, statements, monos):
    """(λ, residual): the λ with Σ λ_r d_r nearest to φ(a) − φ(b), and the sum of sizes of what is left."""
    target = form_vector(difference(a, b), monos)
    m, p = len(statements), len(monos)
    # target − Dᵀλ = plus − minus
    equal = np.hstack([rows(statements, monos).T.reshape(p, m), np.eye(p), -np.eye(p)])
    bounds = [(None, None) if r[2] == "equal" else (0, None) for r in statements] + [(0, None)] * (2 * p)
    value, x = solve(np.append(np.zeros(m), np.ones(2 * p)), [], [], equal, target, bounds)
    return x[:m], value


def cone_necessarily_preferred(a, b, statements, monos, tolerance=TOLERANCE):
    return cone_identity(a, b, statements, monos)[1] <= tolerance


def cone_possibly_preferred(a, b, statements, monos):
    return cone_theta(statements, monos, [form_vector(difference(a, b), monos)]) is not None


def cone_potentially_optimal(v, evaluated, statements, monos):
    return cone_theta(statements, monos, _nowhere_better(v, evaluated, monos)) is not None


def cone_necessarily_optimal(x, ys, statements, monos, tolerance=TOLERANCE):
    return all(cone_necessarily_preferred(x, y, statements, monos, tolerance) for y in ys)


# The parsimonious set


def prices_of_monomials(monos, w):
    """w_|S| for each monomial."""
    return np.array([float(w[size(s) - 1]) for s in monos])


def slacks(theta, statements, monos):
    """The least s for this θ: 1 − d·θ (strict), −d·θ (weak), each from 0 up; |d·θ| (equal)."""
    found = []
    for (_, _, relation, _), d in zip(statements, rows(statements, monos), strict=True):
        value = float(d @ theta)
        found.append({"strict": max(0.0, 1.0 - value), "weak": max(0.0, -value), "equal": abs(value)}[relation])
    return np.array(found)


def cost(theta, statements, monos, C, w):
    """J(θ) with the least slacks."""
    weights = np.array([r[3] for r in statements])
    norm = prices_of_monomials(monos, w) @ np.abs(theta)
    return float(norm + C * weights @ slacks(theta, statements, monos))


def _soft_rows(statements, monos):
    """Rows over (θ⁺, θ⁻, s) that say what each slack must cover."""
    m = len(statements)
    upper, limits = [], []
    for r, ((_, _, relation, _), d) in enumerate(zip(statements, rows(statements, monos), strict=True)):
        s = np.zeros(m)
        s[r] = -1.0
        upper.append(np.concatenate([-d, d, s]))
        limits.append(-1.0 if relation == "strict" else 0.0)
        if relation == "equal":
            upper.append(np.concatenate([d, -d, s]))
            limits.append(0.0)
    return upper, limits


def least_cost(statements, monos, C, w, extra=()):
    """(min J, θ) subject to e·θ ≥ 0 for e in `extra`; w = (0, 0, 0) and C = 1 give S*."""
    costs = np.concatenate([np.tile(prices_of_monomials(monos, w), 2), [C * r[3] for r in statements]])
    upper, limits = _soft_rows(statements, monos)
    upper += [np.concatenate([-np.asarray(e), e, np.zeros(len(statements))]) for e in extra]
    limits += [0.0] * len(extra)
    value, x = solve(costs, upper, limits, [], [], [(0, None)] * len(costs))
    p = len(monos)
    return value, x[:p] - x[p : 2 * p]


def j_star(statements, monos, C, w):
    return least_cost(statements, monos, C, w)[0]


def s_star(statements, monos):
    return least_cost(statements, monos, 1.0, (0.0, 0.0, 0.0))[0]


def least_and_unit(statements, monos, C, w):
    """(J*, N) with N = max(w_1, J* − C S*)."""
    least = j_star(statements, monos, C, w)
    return least, max(float(w[0]), least - C * s_star(statements, monos))


def unit(statements, monos, C, w):
    return least_and_unit(statements, monos, C, w)[1]


def budget(statements, monos, tau, C, w):
    """B = J* + τ N."""
    least, one = least_and_unit(statements, monos, C, w)
    return least + tau * one


def j_of(v, evaluated, statements, monos, C, w):
    """J_v: the least J for which v is nowhere below an evaluated subset."""
    return least_cost(statements, monos, C, w, _nowhere_better(v, evaluated, monos))[0]


def price(v, evaluated, statements, monos, C, w):
    """(J_v − J*) / N."""
    least, one = least_and_unit(statements, monos, C, w)
    return (j_of(v, evaluated, statements, monos, C, w) - least) / one


def price_cap(statements, monos, C, w):
    """The price at θ = 0, which no price exceeds."""
    at_zero = C * sum(r[3] for r in statements if r[2] == "strict")
    least, one = least_and_unit(statements, monos, C, w)
    return (at_zero - least) / one


def set_extreme(form, statements, monos, C, w, limit):
    """(least value of Σ_x form[x] f(x), θ) over {J ≤ limit}; None when empty."""
    p = len(monos)
    c = form_vector(form, monos)
    upper, limits = _soft_rows(statements, monos)
    upper.append(np.concatenate([np.tile(prices_of_monomials(monos, w), 2), [C * r[3] for r in statements]]))
    limits.append(limit)
    costs = np.concatenate([c, -c, np.zeros(len(statements))])
    found = solve(costs, upper, limits, [], [], [(0, None)] * len(costs))
    return None if found is None else (found[0], found[1][:p] - found[1][p : 2 * p])


def set_min(form, statements, monos, tau, C, w):
    """Least value of Σ_x form[x] f(x) over Θ_τ (never empty: a breath is added for the solver's rounding)."""
    limit = budget(statements, monos, tau, C, w)
    return set_extreme(form, statements, monos, C, w, limit + 1e-9 * max(1.0, limit))[0]


def set_max(form, statements, monos, tau, C, w):
    return -set_min({x: -c for x, c in form.items()}, statements, monos, tau, C, w)


def set_potentially_optimal(v, evaluated, statements, monos, tau, C, w, tolerance=TOLERANCE):
    """Is there θ in Θ_τ with f(v) ≥ f(x) for every evaluated x?"""
    return price(v, evaluated, statements, monos, C, w) <= tau + tolerance


def set_regret(x, ys, statements, monos, tau, C, w):
    """max over y and Θ_τ of f(y) − f(x), y = x included; ys are the evaluated subsets or a whole family."""
    limit = budget(statements, monos, tau, C, w)
    limit += 1e-9 * max(1.0, limit)
    gains = [-set_extreme(difference(x, y), statements, monos, C, w, limit)[0] for y in ys if y != x]
    return max([0.0, *gains])


def set_necessarily_optimal(x, ys, statements, monos, tau, C, w, tolerance=TOLERANCE):
    """By the definition alone: the rule that no strict statement means no claim is left to the caller."""
    return set_regret(x, ys, statements, monos, tau, C, w) <= tolerance


# The dual programs, whose solutions are what certificates are made of


def cost_multipliers(statements, monos, C, w, v, evaluated):
    """(J_v, λ, μ by evaluated subset) from the dual: max Σ_strict λ with |Dᵀλ + Eᵀμ|_S ≤ w_|S| and |λ_r| ≤ C c_r."""
    others = [x for x in evaluated if x != v]
    combined = [*rows(statements, monos), *(phi([v], monos)[0] - phi([x], monos)[0] for x in others)]
    if not combined:
        return 0.0, np.zeros(0), {}
    upper = np.array(combined).reshape(-1, len(monos)).T
    costs = [-1.0 if r[2] == "strict" else 0.0 for r in statements] + [0.0] * len(others)
    bounds = [(-C * r[3] if r[2] == "equal" else 0.0, C * r[3]) for r in statements] + [(0, None)] * len(others)
    value, x = solve(costs, [*upper, *-upper], [*prices_of_monomials(monos, w)] * 2, [], [], bounds)
    return -value, x[: len(statements)], dict(zip(others, x[len(statements) :], strict=True))


def slack_multipliers(statements, monos):
    """(S*, λ) from the dual: max Σ_strict λ with Dᵀλ = 0 and |λ_r| ≤ c_r."""
    if not statements:
        return 0.0, np.zeros(0)
    costs = [-1.0 if r[2] == "strict" else 0.0 for r in statements]
    bounds = [(-r[3] if r[2] == "equal" else 0.0, r[3]) for r in statements]
    value, lam = solve(costs, [], [], rows(statements, monos).T, np.zeros(len(monos)), bounds)
    return -value, lam


# Conflicts, by trying every set of statements


def smallest_conflicts(statements, monos):
    """Every conflicting set of least size, as tuples of positions; none when all is consistent."""
    for k in range(1, len(statements) + 1):
        found = [
            chosen
            for chosen in itertools.combinations(range(len(statements)), k)
            if not cone_consistent([statements[i] for i in chosen], monos)
        ]
        if found:
            return found
    return []


def cheapest_retraction(statements, monos):
    """(least total weight whose removal gives consistency, one such tuple of positions)."""
    positions = range(len(statements))
    removals = [c for k in range(len(statements) + 1) for c in itertools.combinations(positions, k)]
    removals.sort(key=lambda c: (sum(statements[i][3] for i in c), len(c), c))
    for removed in removals:
        if cone_consistent([statements[i] for i in positions if i not in removed], monos):
            return sum(statements[i][3] for i in removed), removed
    raise AssertionError("no statement at all is always consistent")


# Power indices and the kernel


def utility(theta, mask, monos):
    """f_θ(mask), exact when θ is."""
    return sum(t for t, s in zip(theta, monos, strict=True) if s & mask == s)


def marginal_sums(theta, monos, n):
    """Σ_{v∌i} [f(v∪i) − f(v)] for each i, the empty v included."""
    return [
        sum(utility(theta, v | 1 << i, monos) - utility(theta, v, monos) for v in range(1 << n) if not v >> i & 1)
        for i in range(n)
    ]


def banzhaf(theta, monos, n):
    return [total / 2 ** (n - 1) for total in marginal_sums(theta, monos, n)]


def shapley(theta, monos, n):
    """The mean marginal of each attribute over all orders of arrival."""
    totals = [0] * n
    for order in itertools.permutations(range(n)):
        before = 0
        for i in order:
            totals[i] += utility(theta, before | 1 << i, monos) - utility(theta, before, monos)
            before |= 1 << i
    return [total / math.factorial(n) for total in totals]


def kernel(v, w, monos, omega):
    """K(v, w): the monomials in both, each counted 1/ω_|S|."""
    return sum(1.0 / omega[size(s) - 1] for s in monos if s & v == s and s & w == s)


def min_norm_l2(statements, monos, C, omega, rounds=200):
    """(θ, α): the minimum of ½ Σ ω θ² + C Σ c s, and multipliers with θ = Ω⁻¹ Dᵀ α.

    The dual is max Σ_strict α − ½ ‖Ω^(−1/2) Dᵀ α‖² in a box. Its linear part keeps it from being a least
    squares problem, a proximal term makes it one: repeated, it settles on the optimum. Check `l2_gap`.
    """
    inverse = 1.0 / np.array([float(omega[size(s) - 1]) for s in monos])
    m = len(statements)
    if not m:
        return np.zeros(len(monos)), np.zeros(0)
    D = rows(statements, monos)
    top = np.array([C * r[3] for r in statements])
    bottom = np.array([-C * r[3] if r[2] == "equal" else 0.0 for r in statements])
    gain = np.array([float(r[2] == "strict") for r in statements])
    rho = 0.1
    design = np.vstack([np.sqrt(inverse)[:, None] * D.T, math.sqrt(rho) * np.eye(m)])
    alpha = (top + bottom) / 2
    for _ in range(rounds):
        target = np.append(np.zeros(len(monos)), math.sqrt(rho) * alpha + gain / math.sqrt(rho))
        alpha = np.clip(lsq_linear(design, target, (bottom, top), method="bvls", tol=1e-14).x, bottom, top)
        theta = inverse * (D.T @ alpha)
        if l2_gap(theta, alpha, statements, monos, C, omega) <= 1e-11:
            break
    return inverse * (D.T @ alpha), alpha


def l2_cost(theta, statements, monos, C, omega):
    weights = np.array([r[3] for r in statements])
    norm = prices_of_monomials(monos, omega) @ np.square(theta) / 2
    return float(norm + C * weights @ slacks(theta, statements, monos))


def l2_gap(theta, alpha, statements, monos, C, omega):
    """Primal minus dual value, relative to the primal's; zero proves θ optimal when α lies in its box."""
    primal = l2_cost(theta, statements, monos, C, omega)
    inverse = 1.0 / prices_of_monomials(monos, omega)
    spread = rows(statements, monos).T @ alpha
    dual = sum(a for a, r in zip(alpha, statements, strict=True) if r[2] == "strict")
    return float(primal - (dual - spread @ (inverse * spread) / 2)) / max(1.0, primal)


# Exact arithmetic: the same definitions and the bounds of the certificates, on fractions


def exact(values, denominator=1 << 20):
    """Floats rounded down to fractions with a common denominator: what a printed multiplier is."""
    return [Fraction(math.floor(float(x) * denominator), denominator) for x in values]


def exact_rows(statements, monos):
    return [[int(s & a == s) - int(s & b == s) for s in monos] for a, b, _, _ in statements]


def exact_cost(theta, statements, monos, C, w):
    """J(θ) exactly, for a θ of fractions; C, the weights and w are taken at their exact value."""
    total = sum((Fraction(w[size(s) - 1]) * abs(t) for s, t in zip(monos, theta, strict=True)), Fraction(0))
    for (_, _, relation, weight), d in zip(statements, exact_rows(statements, monos), strict=True):
        value = sum((x * t for x, t in zip(d, theta, strict=True)), Fraction(0))
        slack = {"strict": max(Fraction(0), 1 - value), "weak": max(Fraction(0), -value), "equal": abs(value)}
        total += Fraction(C) * Fraction(weight) * slack[relation]
    return total


def _combination(lam, statements, monos, start):
    """start + Σ_r λ_r d_r, monomial by monomial."""
    total = list(start)
    for multiplier, d in zip(lam, exact_rows(statements, monos), strict=True):
        total = [t + multiplier * x for t, x in zip(total, d, strict=True)]
    return total


def _check_signs(lam, statements):
    if any(x < 0 and r[2] != "equal" for x, r in zip(lam, statements, strict=True)):
        raise ValueError("a negative multiplier is for indifference alone")


def _strict_sum(lam, statements):
    return sum((x for x, r in zip(lam, statements, strict=True) if r[2] == "strict"), Fraction(0))


def _scale(vector, lam, statements, monos, C, w):
    """max(max_S |vector_S| / w_|S|, max_r |λ_r| / (C c_r))."""
    sides = [abs(x) / Fraction(w[size(s) - 1]) for x, s in zip(vector, monos, strict=True)]
    slack = [abs(x) / (Fraction(C) * Fraction(r[3])) for x, r in zip(lam, statements, strict=True)]
    return max([Fraction(0), *sides, *slack])


def cost_lower_bound(lam, mu, v, statements, monos, C, w):
    """The κ recipe: a lower bound of J_v from any λ and μ = {evaluated subset: multiplier}; of J* without μ.

    κ = 0 means that every λ is 0 (with at most idle μ), which bounds by 0.
    """
    _check_signs(lam, statements)
    if any(x < 0 for x in mu.values()):
        raise ValueError("a multiplier of a comparison with v is never negative")
    start = [Fraction(0)] * len(monos)
    for x, multiplier in mu.items():
        row = exact_rows([(v, x, "strict", 1)], monos)[0]
        start = [t + multiplier * e for t, e in zip(start, row, strict=True)]
    kappa = _scale(_combination(lam, statements, monos, start), lam, statements, monos, C, w)
    return _strict_sum(lam, statements) / kappa if kappa else Fraction(0)


def slack_lower_bound(lam, statements, monos):
    """A lower bound of S* from any λ whose rows cancel exactly; 0 from any other, for θ is free there."""
    _check_signs(lam, statements)
    if any(_combination(lam, statements, monos, [Fraction(0)] * len(monos))):
        return Fraction(0)
    most = max((abs(z) / Fraction(r[3]) for z, r in zip(lam, statements, strict=True)), default=Fraction(0))
    return _strict_sum(lam, statements) / most if most else Fraction(0)


# Instances


class Instance(NamedTuple):
    n: int
    degree: int
    criteria: dict  # {evaluated subset: vector}, in order of evaluation
    directions: tuple
    statements: list  # dominance reduced (weight 1) and the operator's
    tau: float
    C: float
    w: tuple
    delta: float

    @property
    def evaluated(self):
        return list(self.criteria)

    @property
    def monos(self):
        return monomials(self.n, self.degree)


def build_instance(integer, max_n=5, max_evaluated=8, max_answers=4):
    """An instance from a source of integers: integer(low, high), both included.

    Few scores make ties and equal vectors common. The kinds: dominance and answers; dominance alone; answers
    alone (any); weak and equal answers alone; no statement; answers that all follow one hidden θ.
    """
    n = integer(1, max_n)
    degree = integer(1, min(3, n))
    monos = monomials(n, degree)
    everything = list(range(1, 1 << n))
    count = integer(1, min(max_evaluated, len(everything)))
    evaluated = [everything.pop(integer(0, len(everything) - 1)) for _ in range(count)]
    directions = (1, -1)
    criteria = {v: (integer(0, 5) / 10, float(size(v))) for v in evaluated}
    kind = ("both", "dominance", "answers", "weak", "empty", "hidden")[integer(0, 5)]
    statements = dominance_statements(criteria, directions) if kind in ("both", "dominance") else []
    hidden = [integer(-2, 2) for _ in monos] if kind == "hidden" else None
    if kind not in ("dominance", "empty") and count > 1:
        for _ in range(integer(0, max_answers)):
            a = integer(0, count - 1)
            b = (a + integer(1, count - 1)) % count
            a, b = evaluated[a], evaluated[b]
            relation = RELATIONS[1 + integer(0, 1)] if kind == "weak" else RELATIONS[integer(0, 2)]
            if hidden is not None:
                gap = utility(hidden, a, monos) - utility(hidden, b, monos)
                a, b = (b, a) if gap < 0 else (a, b)
                relation = "equal" if gap == 0 else "strict"
            statements.append((a, b, relation, (1.5, 2.0, 4.0)[integer(0, 2)]))
    if statements and (again := integer(0, 4)) >= 3:
        better, worse, relation, weight = statements[integer(0, len(statements) - 1)]
        # said twice, or taken back without a word
        statements.append((better, worse, relation, weight) if again == 3 else (worse, better, relation, 2.0))
    return Instance(
        n,
        degree,
        criteria,
        directions,
        statements,
        tau=(0.05, 0.1, 0.3, 1.0, 5.0)[integer(0, 4)],
        C=(0.5, 1.5, 4.0, 20.0)[integer(0, 3)],
        w=((1.0, 1.5, 2.0), (1.0, 1.0, 1.0), (0.5, 2.0, 3.0))[integer(0, 2)],
        delta=(1e-3, 1e-2)[integer(0, 1)],
    )


def instances(rng, **sizes):
    """Instances without end, from a numpy generator."""
    while True:
        yield build_instance(lambda low, high: int(rng.integers(low, high + 1)), **sizes)


@st.composite
def instance_strategy(draw, **sizes):
    """The same instances for hypothesis, which shrinks every choice towards its first value."""
    return build_instance(lambda low, high: draw(st.integers(low, high)), **sizes)
