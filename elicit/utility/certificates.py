"""Certificates: what a set of utilities decided, as plain data that exact arithmetic can re-check.

A solver's multipliers are floats. Here they become integers over a common unit, and a printed θ a
list of fractions; then `verify` is run on the result. What fails that check is not a certificate:
every function returns one that passed, or None.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from elicit.knowledge.statements import Statement
from elicit.subsets import Family, Mask, members
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.conflicts import farkas_multipliers
from elicit.utility.cubes import MOST_CUBES
from elicit.utility.exact import ExactSet
from elicit.utility.family import FamilyRegret, family_regret
from elicit.utility.issuing import (
    Certificate,
    budget_from_below,
    exact_multipliers,
    integer_multipliers,
    into_set,
    issue,
    issue_least_bound,
    issue_pieces,
    moved_inward,
    nudge_towards,
    plain_monomials,
    plain_set,
    provable,
    valid_certificate,
)
from elicit.utility.monomials import Monomials, Utility
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.partition import Piece
from elicit.utility.polishing import interior_witness, sparse_multipliers
from elicit.utility.rationals import fractions_of, gain_of, plain_theta
from elicit.utility.sets import difference

#: Shares by which a θ at the edge of the set is moved inwards before it is printed, the first that serves.
INWARD = tuple(Fraction(1, 1 << k) for k in (24, 18, 12, 8))

#: Python, for one, reads no whole number of more than 4,300 digits, and so no journal with one in it.
TOO_LONG = 10**4300


def certify_rejection(utilities: AnySet, subset: Mask) -> Certificate | None:
    """That `subset` is not potentially optimal."""
    if not provable(utilities):
        return None
    verdict = utilities.verdict(subset)
    if verdict.possible:
        return None
    claim = {"kind": "rejected", "subset": members(subset), "evaluated": [members(x) for x in utilities.evaluated]}
    unit = tolerances.DENOMINATOR
    proof = {
        "unit": unit,
        "multipliers": integer_multipliers(utilities.statements, verdict.multipliers, unit),
        "rivals": [[members(x), round(mu * unit)] for x, mu in verdict.rivals.items()],
    }
    return issue(utilities, claim, proof)


def certify_possible(utilities: AnySet, subset: Mask) -> Certificate | None:
    """That `subset` is potentially optimal: a θ in which no evaluated subset is better."""
    if not provable(utilities):
        return None
    verdict = utilities.verdict(subset)
    if not verdict.possible or verdict.witness is None:
        return None
    claim = {"kind": "possible", "subset": members(subset), "evaluated": [members(x) for x in utilities.evaluated]}
    proof: dict[str, Any] = {"unit": tolerances.DENOMINATOR}
    if isinstance(utilities, ParsimoniousSet):
        proof |= budget_from_below(utilities)
    witness = interior_witness(utilities, subset) if isinstance(utilities, ExactSet) else verdict.witness
    # rounding may cost the subset its lead: move θ in its favour by a little more than it lacks
    values = witness.values([subset, *utilities.evaluated])
    lead = max(tolerances.NUDGE, 2 * float((values - values[0]).max()))
    for nudge in (0.0, lead, 1e3 * lead):
        theta = nudge_towards(utilities.n, fractions_of(witness), subset, Fraction(nudge))
        proof["theta"] = plain_theta(into_set(utilities, theta))
        certificate = issue(utilities, claim, proof)
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
    if not utilities.informative or not provable(utilities):
        return None
    claim = _regret_claim(subset, bound, {"subsets": [members(y) for y in rivals]})
    if isinstance(utilities, ExactSet) and not bound:
        certificate = _on_the_cone(utilities, subset, rivals, claim)
        if certificate is not None:
            return certificate
    if bound is not None and rivals:
        values = utilities.inside.values([subset, *rivals])
        if values[1:].max() - values[0] > bound + tolerances.DECISION:  # no program is needed to see that
            return None
    everything = (1 << utilities.n) - 1
    optima = [utilities.maximum(difference(y, subset)) for y in rivals]
    worst = max((optimum.value for optimum in optima), default=0.0)
    if bound is not None and worst > bound + tolerances.DECISION:
        return None
    pieces = []
    for y, optimum in zip(rivals, optima, strict=True):
        # only a proof that nothing is better is ever read as an explanation
        sparse = sparse_multipliers(utilities, y, subset, optimum.value) if worst <= tolerances.DECISION else None
        pieces.append(Piece(y, everything & ~y, sparse or optimum.multipliers, optimum.value))
    if bound is None:
        return issue_least_bound(utilities, claim, pieces, worst)
    return issue_pieces(utilities, claim, pieces)


def _regret_claim(subset: Mask, bound: float | None, scope: Mapping[str, Any]) -> dict[str, Any]:
    """That nothing in a scope gains more than the bound on the subset; None is filled in once the least is known."""
    return {"kind": "regret", "subset": members(subset), "bound": str(Fraction(bound or 0)), "scope": scope}


def _on_the_cone(
    utilities: ExactSet, subset: Mask, rivals: Sequence[Mask], claim: Mapping[str, Any]
) -> Certificate | None:
    """The identity φ(x) − φ(y) = Σ λ d for every rival y: true for every θ of the cone, whatever its size.

    None where that is not found, or takes numbers that nobody could read.
    """
    everything = (1 << utilities.n) - 1
    cuts: list[list[tuple[int, Fraction]]] = []
    for y in rivals:
        floats = utilities.cone_multipliers(difference(subset, y))
        if floats is None:
            return None
        cut = exact_multipliers(utilities, [int(g) for g in utilities.gain(difference(subset, y))], floats)
        if cut is None:
            return None
        cuts.append(cut)
    unit = lcm(*(x.denominator for cut in cuts for _, x in cut))
    whole = [[[r, int(x * unit)] for r, x in cut if x] for cut in cuts]
    if unit >= TOO_LONG or any(abs(x) >= TOO_LONG for cut in whole for _, x in cut):
        return None
    proof = {
        "unit": unit,
        "witness": plain_theta(into_set(utilities, fractions_of(utilities.roomiest))),
        "cuts": whole,
        "pieces": [{"in": members(y), "out": members(everything & ~y), "cut": k} for k, y in enumerate(rivals)],
    }
    space = {**plain_set(utilities), "kind": "cone"}
    del space["delta"]
    return valid_certificate(utilities.n, space, utilities.statements, claim, proof)


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
    if not utilities.informative or not provable(utilities):
        return None
    found = family_regret(utilities, subset, family, decide_only=bound == 0.0, with_proof=True, most_cubes=most_cubes)
    return certify_found(utilities, found, family, bound)


def certify_found(
    utilities: AnySet, found: FamilyRegret, family: Family, bound: float | None = 0.0
) -> Certificate | None:
    """The same by the proof that a search of the family in this set of utilities left, without searching again."""
    if found.proof is None or (bound is not None and found.upper > bound + tolerances.DECISION):
        return None
    claim = _regret_claim(found.subset, bound, family.claimed)
    if bound is None:
        return issue_least_bound(utilities, claim, found.proof.pieces, found.upper)
    return issue_pieces(utilities, claim, found.proof.pieces)


def certify_least(utilities: AnySet, subset: Mask, rivals: Mapping[Mask, Mask], regret: float) -> Certificate | None:
    """That each candidate (a key of `rivals`) may lose about `regret` to its rival: none loses less than `subset`.

    Few θ serve many candidates. Each is moved inwards by a share that grows until rounding does not matter;
    the floor that is claimed is what the printed ones then show exactly.
    """
    if not provable(utilities):
        return None
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
        printed = [moved_inward(utilities, theta, share) for theta in thetas]
        lost = [gain_of(printed[k], y, x) for (k, y), x in zip(gaps, rivals, strict=True)]
        floor = Fraction(math.floor(min(lost, default=Fraction(regret)) * 10**6), 10**6)
        proof = {"unit": 1, "thetas": [plain_theta(t) for t in printed], "gaps": [[k, members(y)] for k, y in gaps]}
        if isinstance(utilities, ParsimoniousSet):
            proof |= budget_from_below(utilities)
        if floor > 0 or not rivals:
            certificate = issue(utilities, {**claim, "floor": str(floor), "evaluated": evaluated}, proof)
            if certificate is not None:
                return certificate
    return None


def certify_inconsistent(monomials: Monomials, statements: Sequence[Statement]) -> Certificate | None:
    """That no θ satisfies all the statements: multipliers of them that add up to nothing (Farkas)."""
    found = farkas_multipliers(monomials, statements)
    if found is None:
        return None
    unit = lcm(*(x.denominator for _, x in found))
    proof = {"unit": unit, "multipliers": [[r, int(x * unit)] for r, x in found]}
    space = {"kind": "cone", **plain_monomials(monomials)}
    return valid_certificate(monomials.n, space, statements, {"kind": "inconsistent"}, proof)
