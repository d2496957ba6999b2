"""How sure a session's end is: why the run ended, and by how much another subset may be better.

The rule: what is proven is told with its scope; what is only computed, or is not shown at all, is called so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isinf
from typing import Any, NamedTuple

from elicit.commands.ending_words import beside, changes, set_in_lines
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import unproven_choice
from elicit.drive import Result
from elicit.errors import CertificateError
from elicit.journal import Journal, Record
from elicit.printable import bounded, counted
from elicit.proof.record_check import check_record
from elicit.subsets import Family, Mask
from elicit.utility.any_set import AnySet
from elicit.utility.exact import TOO_THIN, ExactSet
from elicit.utility.issuing import provable
from elicit.utility.numbers import MOST_MONOMIALS, exact
from elicit.utility.parsimony import ParsimoniousSet


class Bounds(NamedTuple):
    """By how much another subset may be better, as the journal's last claim proves: of the measured, of the family.

    None where there is no proof.
    """

    measured: Fraction | None = None
    family: Fraction | None = None


def proven_bounds(journal: Journal, family: Family) -> Bounds:
    """The bounds that the last claim of the journal proves.

    A proof of a narrower scope says nothing of the subsets outside it, so it does not count for the family. A claim
    that was found is checked beforehand (`false_step`).
    """
    claim: Mapping[str, Any] = journal.last_claim or {}
    proven = [proof["claim"] for proof in claim.get("proofs", ())]
    regrets = [each for each in proven if each["kind"] == "regret"]

    def least(scope: Mapping[str, Any]) -> Fraction | None:
        return min((exact(each["bound"]) for each in regrets if each["scope"] == scope), default=None)

    return Bounds(measured=least({"evaluated": True}), family=least(family.claimed))


def false_step(record: Record) -> str | None:
    """What does not hold in a record that claims something; None where all holds."""
    try:
        for _ in check_record(record) if record.claims else ():
            pass
    except CertificateError as error:
        return str(error)
    return None


def what_is_proven(elicitation: Elicitation, result: Result, bounds: Bounds) -> Iterator[str]:
    """Why the run ended, and what is proven of the recommended subset, in which scope."""
    yield from set_in_lines(f"ended by {result.reason}")
    for text in (*_undecided(elicitation.beliefs.utilities), *_bounds(elicitation, result.scope, bounds)):
        yield from set_in_lines(text)


def _undecided(utilities: AnySet) -> Iterator[str]:
    """Where the set of utilities decides nothing: why."""
    if isinstance(utilities, ParsimoniousSet) and utilities.informative and utilities.cap <= utilities.settings.tau:
        text = f"no subset can be rejected: setting every statement aside costs only {utilities.cap:.2g}, and tau is "
        yield f"{text}{utilities.settings.tau:g}"
    if isinstance(utilities, ExactSet) and utilities.thin:
        yield f"{TOO_THIN}, so nothing is decided; the parsimonious set has no such limit"


def _bounds(elicitation: Elicitation, scope: str, bounds: Bounds) -> Iterator[str]:
    """By how much another subset may be better, of the measured ones and of the family, and the strongest rival."""
    beliefs = elicitation.beliefs
    evaluated, total = len(elicitation.history.evaluated), elicitation.family.count()
    clear = beliefs.utilities.clear
    unmeasured = total - len(beliefs.eligible)
    others = _unmeasured_in_words(unmeasured, None if bounds.family is None else float(bounds.family) / clear)
    if beliefs.far_from_proven:
        yield _not_near_best(evaluated, scope) + others
        return
    found = beliefs.incumbent_regret  # not worked out where it is far
    if found is None or isinf(found.value):
        choice = unproven_choice(elicitation.settings, bool(elicitation.history.stated))
        yield f"proven: nothing beyond the measured numbers; {choice} is named"
        return
    if bounds.family == 0:
        measured = all(y in elicitation.history.evaluated for y in elicitation.family.around(found.subset))
        told = f"proven: no subset of the {counted(total)} is better in any utility of the {scope}"
        yield told + ("; all with one attribute more, fewer or another were evaluated as well" if measured else "")
    else:
        yield _bound_in_words(found.lead, bounds, evaluated, scope, beliefs.utilities, others)
    # a bound may come from straining what was measured; what that puts below is no alternative
    if found.rival is not None and found.rival not in elicitation.history.dominates[found.subset]:
        yield _strongest_rival(elicitation, found.rival, found.subset)


def _strongest_rival(elicitation: Elicitation, rival: Mask, subset: Mask) -> str:
    """The strongest rival of the recommended subset, beside it."""
    named = beside(elicitation, rival, subset)
    return f"its strongest rival among the evaluated is {named} ({changes(elicitation, rival, subset)})"


def _not_near_best(evaluated: int, scope: str) -> str:
    """What is said where the regret exceeds one margin, and was not worked out exactly."""
    return (
        f"not proven best: a utility that fits what was measured and answered ({scope}) prefers another of the "
        f"{evaluated} measured by more than the margin of one clear answer"
    )


def _bound_in_words(computed: float, bounds: Bounds, evaluated: int, scope: str, utilities: AnySet, others: str) -> str:
    """By how much another measured subset may be better; "proven" only where the bound is proven and below one margin.

    A proven bound may be a hair above the computed one, since the numbers of a proof are rounded. Both are in the units
    of the set of utilities; the text gives them in margins of one clear answer, as during the session, and says after
    the first such number what a margin is.
    """
    most = (computed if bounds.measured is None else float(bounds.measured)) / utilities.clear
    margin = ", where 1 is the margin of one clear answer"
    if most >= 1:
        return (
            f"not proven best: a utility that fits what was measured and answered ({scope}) may prefer another of the "
            f"{evaluated} measured by up to {bounded(most)}{margin}{others}"
        )
    if bounds.measured is not None:
        known = "proven"
    elif provable(utilities):
        known = "computed, though no proof was found"
    else:
        known = f"computed, though no proof is written (more than {MOST_MONOMIALS} attributes and pairs)"
    none = f"{known}: none of the {evaluated} measured is better"
    fits = f"in any utility that fits what was measured and answered ({scope})"
    if most == 0:
        return f"{none} {fits}{others}{margin if others and bounds.family is not None else ''}"
    return f"{none} by more than {bounded(most)} {fits}{margin}{others}"


def _unmeasured_in_words(count: int, bound: float | None) -> str:
    """What is proven of the subsets that were not measured, in margins of one clear answer."""
    if count <= 0:
        return ""
    if bound is None:
        others = "the one other subset" if count == 1 else f"the other {counted(count)} subsets"
        return f"; of {others} nothing is proven here"
    if count == 1:
        return f"; the one other is not better by more than {bounded(bound)}"
    return f"; of the other {counted(count)} none is better by more than {bounded(bound)}"
