"""A certificate put together: claim, set, statements and proof as plain data, checked before it is given out.

Multipliers become integers over a common unit, a θ a list of fractions in the set. What fails `verify` is
not a certificate: then there is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from elicit.errors import CertificateError
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Mask, members
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.exact import ExactSet
from elicit.utility.family import interior_theta
from elicit.utility.lifting import solve_exactly
from elicit.utility.monomials import Monomials, Utility
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.partition import Piece
from elicit.utility.rationals import fractions_of, plain_theta, rational_combination, rounded_up, simple_fraction
from elicit.utility.sets import statement_rows
from elicit.utility.verify import verify

VERSION = 1
Certificate = dict[str, Any]


def issue(utilities: AnySet, claim: Mapping[str, Any], proof: dict[str, Any]) -> Certificate | None:
    """Add what the kind of set demands to the proof, and check the whole."""
    if isinstance(utilities, ParsimoniousSet):
        proof = {**_budget_from_above(utilities), **proof}
    else:
        proof = {**proof, "witness": plain_theta(into_set(utilities, fractions_of(utilities.roomiest)))}
    return valid_certificate(utilities.n, plain_set(utilities), utilities.statements, claim, proof)


def valid_certificate(
    n: int, space: Mapping[str, Any], statements: Sequence[Statement], claim: Mapping[str, Any], proof: Any
) -> Certificate | None:
    """The certificate put together, None when it does not verify."""
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


def provable(utilities: AnySet) -> bool:
    """Whether there can be certificates: they need a list of all monomials."""
    return isinstance(utilities, ExactSet) or utilities.listable


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
    if isinstance(utilities, ExactSet):
        return {"kind": "slice", "delta": repr(utilities.delta), **plain_monomials(utilities.monomials)}
    settings = utilities.settings
    monomials = plain_monomials(utilities.monomials) if utilities.listable else {"degree": settings.degree}
    return {
        "kind": "parsimonious",
        "tau": repr(float(settings.tau)),
        "C": repr(float(settings.slack)),
        "w": [repr(float(w)) for w in settings.weights[: settings.degree]],
        **monomials,
    }


def plain_monomials(monomials: Monomials) -> dict[str, Any]:
    """The degree alone when all monomials of it are there, else the list of the higher ones too."""
    degree = int(monomials.degrees.max(initial=1))
    if monomials.terms == Monomials.full(monomials.n, degree).terms:
        return {"degree": degree}
    return {"degree": degree, "support": [members(t) for t in monomials.terms[monomials.n :]]}


def issue_pieces(utilities: AnySet, claim: Mapping[str, Any], pieces: Sequence[Piece]) -> Certificate | None:
    """A bound by pieces. Where rounding costs a bound that is reached exactly, by simple fractions instead."""
    unit = tolerances.DENOMINATOR
    certificate = issue(utilities, claim, _proof_by_pieces(utilities, pieces, unit, integer_multipliers))
    if certificate is None:
        unit *= lcm(*{simple_fraction(x).denominator for piece in pieces for x in piece.multipliers if x})
        proof = _proof_by_pieces(utilities, pieces, unit, _simple_multipliers)
        if isinstance(utilities, ParsimoniousSet):
            theta = {term: simple_fraction(x) for term, x in utilities.simplest.theta.theta.items()}
            proof["simple"] = plain_theta(theta)
        certificate = issue(utilities, claim, proof)
    return certificate


def issue_least_bound(
    utilities: AnySet, claim: Mapping[str, Any], pieces: Sequence[Piece], value: float
) -> Certificate | None:
    """The least bound that pieces prove: just above the solver's or, if that fails, by what rounding may cost.

    Rounding may cost a bound of 0, too; then there is a positive one.
    """
    for spare in (0.0, max(tolerances.DECISION, _rounding_loss(utilities))):
        certificate = issue_pieces(utilities, {**claim, "bound": rounded_up(value + spare)}, pieces)
        if certificate is not None:
            return certificate
    return None


def _rounding_loss(utilities: AnySet) -> float:
    """The most a proof can lose by rounding, when every multiplier is off by `MULTIPLIER`."""
    if isinstance(utilities, ParsimoniousSet):
        settings = utilities.settings
        times = utilities.budget / min(1.0, *settings.weights[: settings.degree])
    else:
        times = float(len(utilities.monomials))
    return (1.0 + times) * len(utilities.statements) * tolerances.MULTIPLIER


#: A function of statements, multipliers and a unit: the multipliers as integers over the unit.
ToIntegers = Callable[[Sequence[Statement], Sequence[float], int], list[list[int]]]


def _proof_by_pieces(utilities: AnySet, pieces: Sequence[Piece], unit: int, rounding: ToIntegers) -> dict[str, Any]:
    """The pieces with their multipliers ("cuts"); equal cuts are listed once."""
    cuts: list[list[list[int]]] = []
    number: dict[tuple[float, ...], int] = {}
    plain = []
    for piece in pieces:
        if piece.multipliers not in number:
            number[piece.multipliers] = len(cuts)
            cuts.append(rounding(utilities.statements, piece.multipliers, unit))
        flip = {} if piece.flip is None else {"flip": piece.flip}
        cube = {"in": members(piece.inside), "out": members(piece.outside)}
        plain.append({**cube, "cut": number[piece.multipliers], **flip})
    return {"unit": unit, "cuts": cuts, "pieces": plain}


def _simple_multipliers(statements: Sequence[Statement], multipliers: Sequence[float], unit: int) -> list[list[int]]:
    """The same with every multiplier as a simple fraction; the unit is a multiple of their denominators."""
    return _admissible(statements, [(r, int(simple_fraction(x) * unit)) for r, x in enumerate(multipliers) if x])


def integer_multipliers(statements: Sequence[Statement], multipliers: Sequence[float], unit: int) -> list[list[int]]:
    """Multipliers as [statement, numerator], zeros left out."""
    kept = [(r, x) for r, x in enumerate(multipliers) if abs(x) > tolerances.MULTIPLIER]
    return _admissible(statements, [(r, round(x * unit)) for r, x in kept])


def _admissible(statements: Sequence[Statement], rounded: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The multipliers of a sign that counts: above 0 or, of an equality, not 0."""
    return [[r, x] for r, x in rounded if x > 0 or (x and statements[r].relation is Relation.EQUAL)]


def exact_multipliers(
    utilities: AnySet, target: Sequence[int], multipliers: Sequence[float]
) -> list[tuple[int, Fraction]] | None:
    """The multipliers that are not 0, as (statement, fraction), where the rows then add up to just the target."""
    support = [r for r, x in enumerate(multipliers) if abs(x) > tolerances.MULTIPLIER]
    d = statement_rows(utilities.monomials, [utilities.statements[r] for r in support])
    exact = rational_combination([[int(x) for x in row] for row in d], target, [multipliers[r] for r in support])
    return None if exact is None else list(zip(support, exact, strict=True))


def _budget_from_above(utilities: ParsimoniousSet) -> dict[str, Any]:
    """What bounds B from above: a simple θ̂, and multipliers of S* when they cancel exactly."""
    believed = plain_theta(fractions_of(utilities.simplest.theta))
    strain: list[list[int]] = []
    if utilities.least_slack > tolerances.DECISION:
        exact = exact_multipliers(utilities, [0] * len(utilities.monomials), utilities.slack_multipliers.tolist())
        if exact is not None and all(x >= 0 or utilities.statements[r].relation is Relation.EQUAL for r, x in exact):
            scale = lcm(*(x.denominator for _, x in exact))
            strain = [[r, int(x * scale)] for r, x in exact if x]
    return {"simple": believed, "strain": strain}


def budget_from_below(utilities: ParsimoniousSet) -> dict[str, Any]:
    """What bounds B from below: multipliers of J*, and a θ̂ that strains little."""
    return {
        "least": integer_multipliers(utilities.statements, utilities.cost_multipliers, tolerances.DENOMINATOR),
        "strained": plain_theta(fractions_of(utilities.least_strained)),
    }


# -- a θ that is in the set exactly -------------------------------------------------------------


def moved_inward(utilities: AnySet, theta: Utility, share: Fraction) -> dict[Mask, Fraction]:
    """θ moved by a share of the way to a point in the interior of the set."""
    here, there = fractions_of(theta), fractions_of(interior_theta(utilities))
    moved = {
        t: (1 - share) * here.get(t, Fraction(0)) + share * there.get(t, Fraction(0))
        for t in here.keys() | there.keys()
    }
    return into_set(utilities, dict(sorted(moved.items())))


def nudge_towards(n: int, theta: Mapping[Mask, Fraction], subset: Mask, nudge: Fraction) -> dict[Mask, Fraction]:
    """θ moved in favour of a subset: more for its attributes, less for the others."""
    moved = dict(theta)
    for i in range(n):
        step = nudge if subset >> i & 1 else -nudge
        moved[1 << i] = moved.get(1 << i, Fraction(0)) + step
    return moved


def into_set(utilities: AnySet, theta: dict[Mask, Fraction]) -> dict[Mask, Fraction]:
    """θ projected onto the equalities, and onto the weak statements that hold with equality, then scaled to |θ_S| ≤ 1.

    In exact arithmetic: rounding breaks an equality, and no margin can absorb that. In the parsimonious set nothing
    must hold exactly.
    """
    if isinstance(utilities, ParsimoniousSet):
        return theta
    moved = dict(theta)
    tight = _tight_rows(utilities, theta)
    rows = [row for row, _ in tight]
    gram = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows]
    weights = solve_exactly(gram, [gained for _, gained in tight], [Fraction(0)] * len(tight))
    if weights is not None:
        for row, weight in zip(rows, weights, strict=True):
            for t, d in zip(utilities.monomials.terms, row, strict=True):
                if d:
                    moved[t] = moved.get(t, Fraction(0)) - d * weight
    most = max((abs(x) for x in moved.values()), default=Fraction(0))
    return {t: x / most for t, x in moved.items()} if most > 1 else moved


def _tight_rows(utilities: ExactSet, theta: Mapping[Mask, Fraction]) -> list[tuple[list[int], Fraction]]:
    """d and d·θ of the equalities, and of the weak statements that leave θ nothing to spare."""
    terms = utilities.monomials.terms
    values = [theta.get(t, Fraction(0)) for t in terms]
    found = []
    for s in utilities.rows:
        if not s.strict:
            row = [(t & s.better == t) - (t & s.worse == t) for t in terms]
            gained = sum((d * x for d, x in zip(row, values, strict=True) if d), Fraction(0))
            if s.relation is Relation.EQUAL or gained < tolerances.MULTIPLIER:
                found.append((row, gained))
    return found
