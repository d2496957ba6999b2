"""Claims: what a run has proven when it ends, with the proofs, as plain data for the journal.

The rule: a claim is written only with a proof that exact arithmetic has already accepted, so whatever is
missing here could not be shown. `record_check` re-checks a claim against the facts, without a solver.

    {"version": 1, "request": 57, "subset": […], "criteria": […], "set": {…}, "statements": […], "proofs": […]}

A run whose utility was declared claims the best by it, and nothing else: {…, "by": "score"}.
`statements` are those that the facts imply, each with its source; the multipliers of every proof refer to
them. A proof is a certificate without what is common to all: n, the set, the statements, and the evaluated
subsets where a claim speaks of all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from elicit.decide.elicitation import Elicitation
from elicit.errors import CertificateError
from elicit.events import EVALUATED, OPTIMAL
from elicit.knowledge.statements import Statement
from elicit.subsets import Mask, members, simplest
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.certificates import (
    certify_best_among,
    certify_inconsistent,
    certify_least,
    certify_optimal,
    certify_rejection,
)
from elicit.utility.exact import ExactSet
from elicit.utility.issuing import Certificate, plain_set, plain_statements, provable
from elicit.utility.numbers import exact
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.regret import Regrets, beyond_worth
from elicit.utility.verify import verify

VERSION = 1

#: Rejected subsets whose price is proven, the cheapest first: each proof costs a program and some kilobytes.
MOST_REJECTIONS = 10

#: Subcubes looked at for a bound over the whole family when optimality was not proven; the search takes
#: longer with every monomial, so together they are limited too.
CUBES_FOR_A_BOUND = 64
CUBE_ENTRIES_FOR_A_BOUND = 64 * 500

#: Prices are claimed in steps of this, rounded down.
PRICE_STEP = 1e-4


def claim_by_score(elicitation: Elicitation) -> dict[str, Any]:
    """That the subset is the best measured by the first criterion, then by fewer attributes: this needs no proof."""
    return _outcome(elicitation) | {"by": "score"}


def _outcome(elicitation: Elicitation) -> dict[str, Any]:
    """What was recommended at which end, with its measured criteria."""
    history, subset = elicitation.history, elicitation.incumbent
    return {
        "version": VERSION,
        "request": None if history.stopped is None else history.stopped.request,
        "subset": None if subset is None else list(history.attributes.subset(subset)),
        "criteria": None if subset is None else list(history.evaluated[subset].criteria),
    }


def claim_of(elicitation: Elicitation, *, proofs: bool = True) -> dict[str, Any]:
    """What the facts of an elicitation prove now. Without `proofs`, which may take minutes, only what an end needs."""
    beliefs, subset = elicitation.beliefs, elicitation.incumbent
    content = _outcome(elicitation)
    utilities = beliefs.fresh_utilities()
    content["set"] = plain_set(utilities)
    content["statements"] = with_sources(utilities.statements)
    if beliefs.doubted:
        content["doubted"] = [s.request for s in beliefs.doubted]
    content["proofs"] = []
    if subset is None or not utilities.informative:
        return content
    certificates = [c for c in _certificates(elicitation, utilities, subset, proofs) if c is not None]
    content["proofs"] = [*_proof_at_scope(elicitation, subset), *(_abridged(c, utilities) for c in certificates)]
    return content


def _certificates(
    elicitation: Elicitation, utilities: AnySet, subset: Mask, proofs: bool
) -> Iterator[Certificate | None]:
    """What is proven of the recommended subset and of those passed over or, where nothing can be, that nothing can."""
    if isinstance(utilities, ExactSet) and utilities.empty:
        yield certify_inconsistent(utilities.monomials, utilities.statements)
    elif provable(utilities) and proofs:
        yield from _certificates_of_best(elicitation, utilities, subset)
        yield from _certificates_of_rejected(elicitation, utilities)
    elif provable(utilities) and _ended_by_proof(elicitation):
        yield _over_the_family(elicitation, utilities, subset)


def _proof_at_scope(elicitation: Elicitation, subset: Mask) -> Iterator[dict[str, Any]]:
    """That the subset is optimal at the scope by which a run ended, where that is not the family."""
    beliefs, stopped = elicitation.beliefs, elicitation.history.stopped
    if stopped is not None and stopped.rule == EVALUATED:
        among = certify_best_among(beliefs.fresh_utilities(), subset, beliefs.evaluated)
        if among is not None:
            yield _abridged(among, beliefs.utilities)
    elif beliefs.scope.kind != "family" and _ended_by_proof(elicitation) and beliefs.certificate is not None:
        abridged = _abridged(beliefs.certificate, beliefs.utilities)
        if beliefs.scope.kind == "flips":
            abridged["claim"]["scope"] = {"flips": beliefs.scope.number}
        yield abridged


def with_sources(statements: Sequence[Statement]) -> list[dict[str, Any]]:
    """Statements as a certificate lists them, each with its source and the request that it answers."""
    plain = plain_statements(statements)
    return [
        entry | {"source": s.source.value, "request": s.request} for entry, s in zip(plain, statements, strict=True)
    ]


def _certificates_of_best(elicitation: Elicitation, utilities: AnySet, subset: Mask) -> Iterator[Certificate | None]:
    """That the subset loses little to any other, and that no other evaluated one that is below none loses less.

    Nothing of both where very many are evaluated and one of them may gain more than a bound is worth.
    """
    regrets = Regrets(utilities)
    if beyond_worth(regrets, subset):
        return
    among = certify_best_among(utilities, subset, utilities.evaluated, bound=None)
    if among is not None:
        yield among
        yield _least_among(utilities, regrets, subset, lossless=exact(among["claim"]["bound"]) == 0)
    yield _over_the_family(elicitation, utilities, subset)


def _least_among(utilities: AnySet, regrets: Regrets, subset: Mask, lossless: bool) -> Certificate | None:
    """That each other candidate (below no other) may lose at least as much; None where one loses less.

    `lossless`: the subset is proven to lose nothing. Then no other can lose less, and only the simpler ones must lose
    something.
    """
    most = regrets.of(subset).value
    rivals: dict[Mask, Mask] = {}
    for x in utilities.candidates(utilities.evaluated):
        if x != subset and (not lossless or simplest(x) < simplest(subset)):
            regret = regrets.of(x)
            if regret.rival is None or regret.value < most - tolerances.DECISION:
                return None
            rivals[x] = regret.rival
    return certify_least(utilities, subset, rivals, most)


def _over_the_family(elicitation: Elicitation, utilities: AnySet, subset: Mask) -> Certificate | None:
    """That the subset is optimal in the family, or else how much any other may gain at most."""
    cubes = min(CUBES_FOR_A_BOUND, CUBE_ENTRIES_FOR_A_BOUND // len(utilities.monomials), elicitation.settings.effort)
    proven = _ended_by_proof(elicitation) and elicitation.beliefs.scope.kind == "family"
    effort = elicitation.settings.effort if proven else cubes  # proven then, so it can be now
    optimal = certify_optimal(utilities, subset, elicitation.family, most_cubes=effort)
    return optimal or certify_optimal(utilities, subset, elicitation.family, bound=None, most_cubes=cubes)


def _ended_by_proof(elicitation: Elicitation) -> bool:
    stopped = elicitation.history.stopped
    return stopped is not None and stopped.rule == OPTIMAL


def _certificates_of_rejected(elicitation: Elicitation, utilities: AnySet) -> Iterator[Certificate]:
    """That subsets passed over still cannot be best, the cheapest at the time first; in Θ_τ with what they cost."""
    certified = 0
    for subset in elicitation.history.cheapest_rejected:
        certificate = certify_rejection(utilities, subset) if certified < MOST_REJECTIONS else None
        if certificate is not None:
            certified += 1
            if isinstance(utilities, ParsimoniousSet):
                certificate = _with_price(certificate, utilities.price(subset))
            yield certificate


def _with_price(certificate: Certificate, price: float) -> Certificate:
    """The certificate at the price itself: what is rejected at τ = p costs more than p. Where that fails, at τ."""
    stated = f"{math.floor(price * (1 - 1e-6) / PRICE_STEP) * PRICE_STEP:.4f}"
    if exact(stated) <= exact(certificate["set"]["tau"]):
        return certificate
    sharper = certificate | {"set": certificate["set"] | {"tau": stated}}
    try:
        verify(sharper)
    except CertificateError:
        return certificate
    return sharper


def _abridged(certificate: Certificate, utilities: AnySet) -> dict[str, Any]:
    """A certificate without what every proof of the claim shares."""
    claim, space = dict(certificate["claim"]), certificate["set"]
    everything = [members(x) for x in utilities.evaluated]
    if claim.pop("evaluated", everything) != everything:
        raise AssertionError("a claim speaks of the evaluated subsets in their order")
    if claim["kind"] == "rejected" and space["kind"] == "parsimonious":
        claim["price"] = space["tau"]
    if claim["kind"] == "regret" and "subsets" in claim["scope"]:
        claim["scope"] = {"evaluated": True}
    return {"set": space["kind"], "claim": claim, "proof": certificate["proof"]}
