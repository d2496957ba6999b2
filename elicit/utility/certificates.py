"""Certificates: what a set of utilities decided, as plain data that exact arithmetic can re-check.

A solver's multipliers are floats. Here they become integers over a common unit, and a printed θ a
list of fractions; then `verify` is run on the result. What fails that check is not a certificate:
every function returns one that passed, or None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from elicit.errors import CertificateError
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Family, Mask, members
from elicit.utility import tolerances
from elicit.utility.exact import ExactSet, row_bounds, statement_rows
from elicit.utility.family import family_regret
from elicit.utility.monomials import Monomials, Utility
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.partition import MOST_CUBES, Piece
from elicit.utility.sets import difference
from elicit.utility.solver import INFINITY, Program
from elicit.utility.verify import verify

VERSION = 1
Certificate = dict[str, Any]
AnySet = ExactSet | ParsimoniousSet

#: θ is printed with this denominator: fine enough for any margin that a decision may rest on.
THETA_UNIT = 1 << 40

#: What a θ of the slice should have to spare before it is rounded: more than a solver's tolerance.
SPARE = 1e-5

#: The largest denominator of a fraction that counts as simple.
SIMPLE = 1_000

#: Shares by which a θ at the edge of the set is moved inwards before it is printed, the first that serves.
INWARD = tuple(Fraction(1, 1 << k) for k in (24, 18, 12, 8))


def certify_rejection(utilities: AnySet, subset: Mask) -> Certificate | None:
    """That `subset` is not potentially optimal."""
    verdict = utilities.verdict(subset)
    if verdict.possible:
        return None
    claim = {"kind": "rejected", "subset": members(subset), "evaluated": [members(x) for x in utilities.evaluated]}
    unit = tolerances.DENOMINATOR
    proof = {
        "unit": unit,
        "multipliers": _integers(utilities.statements, verdict.multipliers, unit),
        "rivals": [[members(x), round(mu * unit)] for x, mu in verdict.rivals.items()],
    }
    return _issue(utilities, claim, proof)


def certify_possible(utilities: AnySet, subset: Mask) -> Certificate | None:
    """That `subset` is potentially optimal: a θ in which no evaluated subset is better."""
    verdict = utilities.verdict(subset)
    if not verdict.possible or verdict.witness is None:
        return None
    claim = {"kind": "possible", "subset": members(subset), "evaluated": [members(x) for x in utilities.evaluated]}
    proof: dict[str, Any] = {"unit": tolerances.DENOMINATOR}
    if isinstance(utilities, ParsimoniousSet):
        proof |= _room(utilities)
    witness = _sturdy_witness(utilities, subset) if isinstance(utilities, ExactSet) else verdict.witness
    # rounding may cost the subset its lead: move θ in its favour by a little more than it lacks
    values = witness.values([subset, *utilities.evaluated])
    lead = max(tolerances.NUDGE, 2 * float((values - values[0]).max()))
    for nudge in (0.0, lead, 1e3 * lead):
        theta = _nudged(utilities.n, _fractions(witness), subset, Fraction(nudge))
        proof["theta"] = _plain_theta(_into_set(utilities, theta))
        certificate = _issue(utilities, claim, proof)
        if certificate is not None:
            return certificate
    return None


def certify_preference(utilities: AnySet, better: Mask, worse: Mask) -> Certificate | None:
    """That every θ of the set finds `better` at least as good as `worse`."""
    return certify_best_among(utilities, better, [worse])


def certify_best_among(
    utilities: AnySet, subset: Mask, rivals: Sequence[Mask], bound: float | None = 0.0
) -> Certificate | None:
    """That no θ of the set gives a listed rival more than `bound` beyond the subset; None: the least that holds.

    With 0 no θ finds one better, and this is shown on the whole cone where it can be.
    """
    rivals = [y for y in dict.fromkeys(rivals) if y != subset]
    if not utilities.informative:
        return None
    claim = {
        "kind": "regret",
        "subset": members(subset),
        "bound": "0" if bound is None else str(Fraction(bound)),
        "scope": {"subsets": [members(y) for y in rivals]},
    }
    if isinstance(utilities, ExactSet) and not bound:
        certificate = _on_the_cone(utilities, subset, rivals, claim)
        if certificate is not None:
            return certificate
    everything = (1 << utilities.n) - 1
    optima = [utilities.maximum(difference(y, subset)) for y in rivals]
    worst = max((optimum.value for optimum in optima), default=0.0)
    if bound is None:
        claim["bound"] = _rounded_up(worst)
    elif worst > bound + tolerances.DECISION:
        return None
    pieces = []
    for y, optimum in zip(rivals, optima, strict=True):
        # only a proof that nothing is better is ever read as an explanation
        sparse = _sparse_multipliers(utilities, y, subset, optimum.value) if worst <= tolerances.DECISION else None
        pieces.append(Piece(y, everything & ~y, sparse or optimum.multipliers, optimum.value))
    return _issue_pieces(utilities, claim, pieces)


def certify_optimal(
    utilities: AnySet,
    subset: Mask,
    family: Family,
    bound: float | None = 0.0,
    *,
    most_cubes: int = MOST_CUBES,
) -> Certificate | None:
    """That no subset of the family gains more than `bound` on this one in any θ of the set; 0: it is optimal.

    None proves the least bound that the search over at most `most_cubes` subcubes comes to.
    """
    if not utilities.informative:
        return None
    found = family_regret(utilities, subset, family, decide_only=bound == 0.0, with_proof=True, most_cubes=most_cubes)
    if found.proof is None or (bound is not None and found.upper > bound + tolerances.DECISION):
        return None
    claim = {
        "kind": "regret",
        "subset": members(subset),
        "bound": _rounded_up(found.upper) if bound is None else str(Fraction(bound)),
        "scope": {
            "keep": members(family.keep),
            "drop": members(family.drop),
            "max_size": family.n if family.max_size is None else family.max_size,
        },
    }
    return _issue_pieces(utilities, claim, found.proof.pieces)


def certify_least(utilities: AnySet, subset: Mask, rivals: Mapping[Mask, Mask], regret: float) -> Certificate | None:
    """That each candidate (a key of `rivals`) may lose about `regret` to its rival: no other loses less than `subset`.

    Few θ serve many candidates. Each is moved inwards by a share that grows until rounding does not matter;
    the floor that is claimed is what the printed ones then show exactly.
    """
    thetas: list[Utility] = []
    gaps: list[tuple[int, Mask]] = []
    for candidate, rival in rivals.items():
        known = (k for k, t in enumerate(thetas) if t(rival) - t(candidate) >= regret - tolerances.DECISION)
        k = next(known, len(thetas))
        if k == len(thetas):
            thetas.append(utilities.maximum(difference(rival, candidate)).witness)
        gaps.append((k, rival))
    evaluated = [members(x) for x in utilities.evaluated]
    claim = {"kind": "least", "subset": members(subset), "candidates": [members(x) for x in rivals]}
    for share in INWARD:
        printed = [_inward(utilities, theta, share) for theta in thetas]
        lost = [_gain(printed[k], y, x) for (k, y), x in zip(gaps, rivals, strict=True)]
        floor = Fraction(math.floor(min(lost, default=Fraction(regret)) * 10**6), 10**6)
        proof = {"unit": 1, "thetas": [_plain_theta(t) for t in printed], "gaps": [[k, members(y)] for k, y in gaps]}
        if isinstance(utilities, ParsimoniousSet):
            proof |= _room(utilities)
        if floor > 0 or not rivals:
            certificate = _issue(utilities, {**claim, "floor": str(floor), "evaluated": evaluated}, proof)
            if certificate is not None:
                return certificate
    return None


def certify_inconsistent(monomials: Monomials, statements: Sequence[Statement]) -> Certificate | None:
    """That no θ satisfies all the statements: multipliers of them that add up to nothing (Farkas)."""
    strict = np.array([1.0 if s.strict else 0.0 for s in statements])
    if not strict.any():
        return None
    d = statement_rows(monomials, statements)
    equal = [s.relation is Relation.EQUAL for s in statements]
    program = Program(
        np.vstack([d.T, strict]),
        cost=np.zeros(len(statements)),
        lower=np.where(equal, -INFINITY, 0.0),
        upper=np.full(len(statements), INFINITY),
        row_lower=np.append(np.zeros(len(monomials)), 1.0),
        row_upper=np.append(np.zeros(len(monomials)), 1.0),
    )
    solution = program.solve()
    if not len(solution.values):
        return None
    support = [r for r, x in enumerate(solution.values) if abs(x) > tolerances.MULTIPLIER]
    rows = [[int(x) for x in d[r]] + [int(strict[r])] for r in support]
    exact = rational_combination(rows, [0] * len(monomials) + [1], solution.values[support].tolist())
    if exact is None:
        return None
    unit = lcm(*(x.denominator for x in exact))
    proof = {"unit": unit, "multipliers": [[r, int(x * unit)] for r, x in zip(support, exact, strict=True)]}
    space = {"kind": "cone", **_plain_monomials(monomials)}
    return _checked(monomials.n, space, statements, {"kind": "inconsistent"}, proof)


# -- putting a certificate together -------------------------------------------------------------


def _issue(utilities: AnySet, claim: Mapping[str, Any], proof: dict[str, Any]) -> Certificate | None:
    """Add what the kind of set demands to the proof, and check the whole."""
    if isinstance(utilities, ParsimoniousSet):
        proof = {**_budget_proof(utilities), **proof}
    else:
        proof = {**proof, "witness": _plain_theta(_into_set(utilities, _fractions(utilities.roomiest)))}
    return _checked(utilities.n, plain_set(utilities), utilities.statements, claim, proof)


def _checked(
    n: int, space: Mapping[str, Any], statements: Sequence[Statement], claim: Mapping[str, Any], proof: Any
) -> Certificate | None:
    certificate = {
        "version": VERSION,
        "n": n,
        "set": dict(space),
        "statements": plain_statements(statements),
        "claim": dict(claim),
        "proof": proof,
    }
    try:
        verify(certificate)
    except CertificateError:
        return None
    return certificate


def plain_statements(statements: Sequence[Statement]) -> list[dict[str, Any]]:
    """Statements as plain data, as a certificate lists them."""
    return [
        {
            "better": members(s.better),
            "worse": members(s.worse),
            "relation": s.relation.value,
            "weight": str(Fraction(repr(s.weight))),
        }
        for s in statements
    ]


def plain_set(utilities: AnySet) -> dict[str, Any]:
    """The set of utilities as plain data."""
    monomials = _plain_monomials(utilities.monomials if isinstance(utilities, ExactSet) else utilities.support)
    if isinstance(utilities, ExactSet):
        return {"kind": "slice", "delta": repr(utilities.delta), **monomials}
    settings = utilities.settings
    return {
        "kind": "parsimonious",
        "tau": repr(float(settings.tau)),
        "C": repr(float(settings.slack)),
        "w": [repr(float(w)) for w in settings.weights[: settings.degree]],
        **monomials,
    }


def _plain_monomials(monomials: Monomials) -> dict[str, Any]:
    """The degree alone when all monomials of it are there, else the list of the higher ones too."""
    degree = int(monomials.degrees.max(initial=1))
    if monomials.terms == Monomials.full(monomials.n, degree).terms:
        return {"degree": degree}
    return {"degree": degree, "support": [members(t) for t in monomials.terms[monomials.n :]]}


def _issue_pieces(utilities: AnySet, claim: Mapping[str, Any], pieces: Sequence[Piece]) -> Certificate | None:
    """A bound by pieces. Rounding costs one that is only just reached: then with simple fractions instead."""
    certificate = _issue(utilities, claim, _proof_of(utilities, pieces, _integers))
    if certificate is None:
        proof = _proof_of(utilities, pieces, _simple_integers)
        if isinstance(utilities, ParsimoniousSet):
            theta = {term: _simple(x) for term, x in utilities.simplest.theta.theta.items()}
            proof["simple"] = _plain_theta(theta)
        certificate = _issue(utilities, claim, proof)
    return certificate


#: Makes integers of multipliers, over a unit.
Rounding = Callable[[Sequence[Statement], Sequence[float], int], list[list[int]]]


def _proof_of(utilities: AnySet, pieces: Sequence[Piece], rounding: Rounding) -> dict[str, Any]:
    """Pieces with their cuts, each cut listed once."""
    unit = tolerances.DENOMINATOR
    if rounding is _simple_integers:
        unit *= lcm(*{_simple(x).denominator for piece in pieces for x in piece.multipliers})
    cuts: list[list[list[int]]] = []
    number: dict[tuple[float, ...], int] = {}
    plain = []
    for piece in pieces:
        if piece.multipliers not in number:
            number[piece.multipliers] = len(cuts)
            cuts.append(rounding(utilities.statements, piece.multipliers, unit))
        plain.append({"in": members(piece.inside), "out": members(piece.outside), "cut": number[piece.multipliers]})
    return {"unit": unit, "cuts": cuts, "pieces": plain}


def _simple(x: float) -> Fraction:
    """The simple fraction that a float is meant to be, where there is one; else rounded as usual."""
    near = Fraction(x).limit_denominator(SIMPLE)
    if abs(near - Fraction(x)) <= tolerances.MULTIPLIER:
        return near
    return Fraction(round(x * tolerances.DENOMINATOR), tolerances.DENOMINATOR)


def _simple_integers(statements: Sequence[Statement], multipliers: Sequence[float], unit: int) -> list[list[int]]:
    """The same of simple fractions; the unit is a multiple of their denominators."""
    return _positive(statements, [(r, int(_simple(x) * unit)) for r, x in enumerate(multipliers)])


def _integers(statements: Sequence[Statement], multipliers: Sequence[float], unit: int) -> list[list[int]]:
    """Multipliers as [statement, numerator], zeros left out."""
    kept = [(r, x) for r, x in enumerate(multipliers) if abs(x) > tolerances.MULTIPLIER]
    return _positive(statements, [(r, round(x * unit)) for r, x in kept])


def _positive(statements: Sequence[Statement], rounded: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Those above 0; those of an equality may be below."""
    return [[r, x] for r, x in rounded if x > 0 or (x and statements[r].relation is Relation.EQUAL)]


def _budget_proof(utilities: ParsimoniousSet) -> dict[str, Any]:
    """What bounds B from above: a simple θ̂, and multipliers of S* when they cancel exactly."""
    simple = _plain_theta(_fractions(utilities.simplest.theta))
    strain: list[list[int]] = []
    if utilities.least_slack > tolerances.DECISION:
        duals = utilities.slack_multipliers
        support = [r for r, x in enumerate(duals) if abs(x) > tolerances.MULTIPLIER]
        d = statement_rows(utilities.support, [utilities.statements[r] for r in support])
        rows = [[int(x) for x in row] for row in d]
        exact = rational_combination(rows, [0] * len(utilities.support), np.asarray(duals)[support].tolist())
        if exact is not None and _signs_hold(utilities.statements, support, exact):
            scale = lcm(*(x.denominator for x in exact))
            strain = [[r, int(x * scale)] for r, x in zip(support, exact, strict=True) if x]
    return {"simple": simple, "strain": strain}


def _room(utilities: ParsimoniousSet) -> dict[str, Any]:
    """What bounds B from below: multipliers of J*, and a θ̂ that strains little."""
    return {
        "least": _integers(utilities.statements, utilities.cost_multipliers, tolerances.DENOMINATOR),
        "strained": _plain_theta(_fractions(utilities.least_strained)),
    }


def _signs_hold(statements: Sequence[Statement], support: Sequence[int], values: Sequence[Fraction]) -> bool:
    return all(x >= 0 or statements[r].relation is Relation.EQUAL for r, x in zip(support, values, strict=True))


# -- exact numbers ------------------------------------------------------------------------------


def _fractions(theta: Utility) -> dict[Mask, Fraction]:
    """θ rounded to `THETA_UNIT`."""
    rounded = {term: Fraction(round(x * THETA_UNIT), THETA_UNIT) for term, x in theta.theta.items()}
    return {term: x for term, x in rounded.items() if x}


def _plain_theta(theta: Mapping[Mask, Fraction]) -> list[list[Any]]:
    return [[members(term), str(x)] for term, x in theta.items() if x]


def _rounded_up(value: float) -> str:
    """A bound a little above a float that is not exact."""
    return str(Fraction(math.ceil(value * 10**6) + 1, 10**6)) if value > tolerances.DECISION / 2 else "0"


def _gain(theta: Mapping[Mask, Fraction], y: Mask, x: Mask) -> Fraction:
    """f_θ(y) − f_θ(x)."""
    return sum((((t & y == t) - (t & x == t)) * value for t, value in theta.items()), Fraction(0))


def _inward(utilities: AnySet, theta: Utility, share: Fraction) -> dict[Mask, Fraction]:
    """θ moved by a share of the way to one well inside the set."""
    centre = utilities.simplest.theta if isinstance(utilities, ParsimoniousSet) else utilities.roomiest
    here, there = _fractions(theta), _fractions(centre)
    moved = {
        t: (1 - share) * here.get(t, Fraction(0)) + share * there.get(t, Fraction(0))
        for t in here.keys() | there.keys()
    }
    return _into_set(utilities, dict(sorted(moved.items())))


def _nudged(n: int, theta: Mapping[Mask, Fraction], subset: Mask, nudge: Fraction) -> dict[Mask, Fraction]:
    """θ moved in favour of a subset: more for its attributes, less for the others."""
    moved = dict(theta)
    if nudge:
        for i in range(n):
            step = nudge if subset >> i & 1 else -nudge
            moved[1 << i] = moved.get(1 << i, Fraction(0)) + step
    return moved


def _into_set(utilities: AnySet, theta: dict[Mask, Fraction]) -> dict[Mask, Fraction]:
    """θ moved onto the equalities exactly (and onto the weak statements that hold with equality).

    Rounding breaks an equality, and no margin can absorb it: the smallest correction is solved for in
    fractions. In the parsimonious set nothing must hold exactly.
    """
    if isinstance(utilities, ParsimoniousSet):
        return theta
    terms = utilities.monomials.terms
    tight = []
    for s in utilities.rows:
        if not s.strict:
            row = [(t & s.better == t) - (t & s.worse == t) for t in terms]
            gained = sum((d * theta.get(t, Fraction(0)) for d, t in zip(row, terms, strict=True) if d), Fraction(0))
            if s.relation is Relation.EQUAL or gained < tolerances.MULTIPLIER:
                tight.append((row, gained))
    if tight:
        rows = [row for row, _ in tight]
        gram = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows]
        weights = solve_fractions(gram, [gained for _, gained in tight])
        if weights is not None:
            for row, weight in zip(rows, weights, strict=True):
                for t, d in zip(terms, row, strict=True):
                    if d:
                        theta[t] = theta.get(t, Fraction(0)) - d * weight
    most = max((abs(x) for x in theta.values()), default=Fraction(0))
    return {t: x / most for t, x in theta.items()} if most > 1 else theta


def rational_combination(
    rows: Sequence[Sequence[int]], target: Sequence[int], near: Sequence[float]
) -> list[Fraction] | None:
    """Multipliers with Σ λ_r rows_r = target exactly, near the given floats; None when there are none.

    Simple fractions are tried first: multipliers of such programs are mostly small integers.
    """
    for most in (1, 64, 10_000):
        guess = [Fraction(float(x)).limit_denominator(most) for x in near]
        if _combines(rows, target, guess):
            return guess
    columns = len(target)
    if all(x == 0 for x in target):  # homogeneous: keep the scale by fixing the largest multiplier
        anchor = max(range(len(rows)), key=lambda r: abs(near[r]))
        guess = [Fraction(float(x)).limit_denominator(10_000) for x in near]
        others = [r for r in range(len(rows)) if r != anchor]
        fixed = [-guess[anchor] * rows[anchor][k] for k in range(columns)]
        solved = _least_squares([rows[r] for r in others], fixed)
        if solved is None:
            return None
        exact = dict(zip(others, solved, strict=True)) | {anchor: guess[anchor]}
        return [exact[r] for r in range(len(rows))]
    return _least_squares(rows, [Fraction(x) for x in target])


def _combines(rows: Sequence[Sequence[int]], target: Sequence[int], multipliers: Sequence[Fraction]) -> bool:
    return all(
        sum(x * row[k] for x, row in zip(multipliers, rows, strict=True) if row[k]) == target[k]
        for k in range(len(target))
    )


def _least_squares(rows: Sequence[Sequence[int]], target: Sequence[Fraction]) -> list[Fraction] | None:
    """Σ λ_r rows_r = target by the normal equations, checked; None when the system has no solution."""
    gram = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows]
    right = [sum((a * t for a, t in zip(row, target, strict=True) if a), Fraction(0)) for row in rows]
    found = solve_fractions(gram, right)
    if found is None:
        return None
    for k, t in enumerate(target):
        if sum((x * row[k] for x, row in zip(found, rows, strict=True) if row[k]), Fraction(0)) != t:
            return None
    return found


def solve_fractions(matrix: Sequence[Sequence[int]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """One solution of a square system in fractions (free unknowns at 0), None when there is none."""
    size = len(matrix)
    table = [[Fraction(x) for x in row] + [Fraction(b)] for row, b in zip(matrix, right, strict=True)]
    pivots: list[int] = []
    for column in range(size):
        here = len(pivots)
        pivot = next((r for r in range(here, size) if table[r][column]), None)
        if pivot is None:
            continue
        table[here], table[pivot] = table[pivot], table[here]
        lead = table[here][column]
        table[here] = [x / lead for x in table[here]]
        for r in range(size):
            if r != here and table[r][column]:
                factor = table[r][column]
                table[r] = [x - factor * y for x, y in zip(table[r], table[here], strict=True)]
        pivots.append(column)
    if any(row[-1] for row in table[len(pivots) :]):
        return None
    found = [Fraction(0)] * size
    for row, column in zip(table, pivots, strict=False):
        found[column] = row[-1]
    return found


# -- better witnesses and multipliers -----------------------------------------------------------


def _sturdy_witness(utilities: ExactSet, subset: Mask) -> Utility:
    """A θ of the slice that ranks the subset first with something to spare, so that rounding does not lose it.

    max t + u subject to f(subset) ≥ f(x) + t for every other evaluated x, and margins of at least δ + u,
    where t, u ≤ SPARE: a tie leaves no t, and still some u. From a fresh program.
    """
    others = [x for x in utilities.evaluated if x != subset]
    ahead = utilities.monomials.row(subset) - utilities.monomials.rows(others)
    d = statement_rows(utilities.monomials, utilities.rows)
    lead = np.repeat([[-1.0, 0.0], [0.0, -1.0]], [len(others), len(d)], axis=0)
    lead[len(others) :, 1] *= [s.strict for s in utilities.rows]
    lower, upper = row_bounds(utilities.rows, utilities.delta)
    p = len(utilities.monomials)
    program = Program(
        np.hstack([np.vstack([ahead, d]), lead]),
        cost=np.append(np.zeros(p), [-1.0, -1.0]),
        lower=np.append(-np.ones(p), [-1.0, 0.0]),
        upper=np.append(np.ones(p), [SPARE, SPARE]),
        row_lower=np.concatenate([np.zeros(len(others)), lower]),
        row_upper=np.concatenate([np.full(len(others), INFINITY), upper]),
    )
    return Utility.of(utilities.monomials, program.optimum().values[:-2])


def _on_the_cone(
    utilities: ExactSet, subset: Mask, rivals: Sequence[Mask], claim: Mapping[str, Any]
) -> Certificate | None:
    """The identity φ(x) − φ(y) = Σ λ d for every rival y: true for every θ of the cone, whatever its size."""
    everything = (1 << utilities.n) - 1
    cuts: list[list[Fraction]] = []
    supports: list[list[int]] = []
    for y in rivals:
        floats = utilities.cone_multipliers(difference(subset, y))
        if floats is None:
            return None
        support = [r for r, x in enumerate(floats) if abs(x) > tolerances.MULTIPLIER]
        d = statement_rows(utilities.monomials, [utilities.statements[r] for r in support])
        target = [int(g) for g in utilities.gain(difference(subset, y))]
        exact = rational_combination([[int(x) for x in row] for row in d], target, [floats[r] for r in support])
        if exact is None:
            return None
        cuts.append(exact)
        supports.append(support)
    unit = lcm(*(x.denominator for cut in cuts for x in cut))
    proof = {
        "unit": unit,
        "witness": _plain_theta(_into_set(utilities, _fractions(utilities.roomiest))),
        "cuts": [
            [[r, int(x * unit)] for r, x in zip(support, cut, strict=True) if x]
            for support, cut in zip(supports, cuts, strict=True)
        ],
        "pieces": [{"in": members(y), "out": members(everything & ~y), "cut": k} for k, y in enumerate(rivals)],
    }
    space = {**plain_set(utilities), "kind": "cone"}
    del space["delta"]
    return _checked(utilities.n, space, utilities.statements, claim, proof)


def _sparse_multipliers(utilities: AnySet, y: Mask, subset: Mask, value: float) -> tuple[float, ...] | None:
    """Multipliers of least sum that still prove half of what can be proven: few causes instead of many.

    Solved from a fresh program, so that the same question always names the same causes.
    """
    if value > -tolerances.DECISION:
        return None
    monomials = utilities.monomials if isinstance(utilities, ExactSet) else utilities.support
    gain = monomials.row(y) - monomials.row(subset)
    d = statement_rows(monomials, utilities.statements)
    m, p = d.shape
    strict = np.array([1.0 if s.strict else 0.0 for s in utilities.statements])
    equal = np.array([s.relation is Relation.EQUAL for s in utilities.statements], dtype=np.bool_)
    # an equality's multiplier is split in two, so that the sum counts its size
    split = np.vstack([d, -d[equal]])
    count = len(split)
    if isinstance(utilities, ExactSet):
        paid, cost, promised = np.eye(p), np.ones(p), utilities.delta * strict
        extra = np.zeros((0, count + p))
    else:
        w = np.array([utilities.settings.weights[k - 1] for k in monomials.degrees])
        paid, cost, promised = w[:, None], np.array([utilities.budget]), strict
        limits = np.concatenate([utilities.limits, utilities.limits[equal]])
        extra = np.hstack([np.eye(count), -limits[:, None]])
    promised = np.concatenate([promised, np.zeros(int(equal.sum()))])
    program = Program(
        np.vstack(
            [
                np.hstack([split.T, -paid]),
                np.hstack([split.T, paid]),
                extra,
                np.concatenate([-promised, cost])[None, :],
            ]
        ),
        cost=np.concatenate([np.ones(count), np.zeros(len(cost))]),
        lower=np.zeros(count + len(cost)),
        upper=np.full(count + len(cost), INFINITY),
        row_lower=np.concatenate([np.full(p, -INFINITY), -gain, np.full(len(extra) + 1, -INFINITY)]),
        row_upper=np.concatenate([-gain, np.full(p, INFINITY), np.zeros(len(extra)), [value / 2]]),
    )
    solution = program.optimum()
    multipliers = solution.values[:m]
    multipliers[equal] -= solution.values[m:count]
    return tuple(multipliers.tolist())
