"""Why this subset, and why not that one: in the operator's own answers, with what each weighs.

The rule: nothing is said that is not computed. A reason is the multipliers of an exact certificate; what an
answer is needed for is decided by taking it away; and what would have been recommended had an answer been
different is worked out by folding the same facts with that answer in its place. Nothing is measured anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from elicit.alongside.display import Update
from elicit.decide.beliefs import Beliefs
from elicit.errors import InputError
from elicit.events import Answer
from elicit.journal import Record
from elicit.knowledge.history import History
from elicit.knowledge.statements import Statement
from elicit.proof.strained import set_aside_of
from elicit.sessions import elicitation_of
from elicit.subsets import Attributes, Mask
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.certificates import certify_best_among, certify_preference, certify_rejection
from elicit.utility.explain import Cause, explain
from elicit.utility.issuing import Certificate, provable
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.reducts import ProofByAnswers, core, smallest_reduct
from elicit.utility.regret import beyond_worth
from elicit.utility.sets import difference


@dataclass(frozen=True)
class NeededAnswers:
    """The answers (or assumptions) that a bound needs: those in every proof, and a set of them that suffices.

    `smallest`: no smaller set does; `answers`: how many there are in all. The `request` of each statement is the number
    of its question, None for an assumption.
    """

    core: tuple[Statement, ...]
    enough: tuple[Statement, ...]
    smallest: bool
    answers: int


@dataclass(frozen=True)
class Otherwise:
    """Had this question been answered so, and not as it was given, this subset would be recommended.

    `insisting`: only if the operator had stood by that answer, for the others would have made it doubted.
    """

    question: int
    given: Answer
    answer: Answer
    preferred: Mask
    subset: Mask | None
    insisting: bool = False


@dataclass(frozen=True)
class Reason:
    """What the subset is worth against one rival, or (rival None) against all that were measured.

    `loses` is the most that a utility of the set lets the rival gain on it, None where that is beyond what is worth
    working out among so many; `causes` are those of the certificate that nothing is gained, `needed` the answers
    without which that bound is not proven. `price` is what believing in the rival costs, `rejected` whether that is
    more than τ, with the causes of it.
    """

    subset: Mask
    rival: Mask | None
    loses: float | None
    causes: tuple[Cause, ...]
    needed: NeededAnswers | None
    price: float | None = None
    rejected: tuple[Cause, ...] | None = None


class Why:
    """The reasons that one record holds."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.elicitation = elicitation_of(record)
        self.history, self.beliefs = self.elicitation.history, self.elicitation.beliefs
        self.attributes: Attributes = self.history.attributes
        self.questions = self.history.question_numbers
        now = self.elicitation.incumbent
        if now is None:
            raise InputError(
                "nothing that may be chosen was measured, so there is nothing to explain; "
                "go on with elicit resume, or begin anew with another model or score"
            )
        #: what would be recommended now; it differs from `best` only when the record comes from another version
        self.now: Mask = now
        self.best: Mask = _claimed(record, self.history) or now
        self.utilities: AnySet = self.beliefs.fresh_utilities()

    def this(self) -> Reason:
        """Why the recommended subset, of all that were measured."""
        if beyond_worth(self.beliefs.regrets, self.best):
            return Reason(self.best, None, None, (), None)
        loses = self.beliefs.regrets.of(self.best).value
        certificate = None  # only a proof that nothing is better is told
        if loses == 0:
            certificate = certify_best_among(self.utilities, self.best, self.utilities.evaluated, bound=None)
        return Reason(
            self.best, None, loses, self._causes(certificate), self._needed_answers(self.utilities.evaluated, loses)
        )

    def not_that(self, rival: Mask) -> Reason:
        """Why not that one."""
        loses = max(0.0, self.utilities.maximum(difference(rival, self.best)).value)
        loses = 0.0 if loses <= tolerances.DECISION else loses
        certificate = certify_preference(self.utilities, self.best, rival) if loses == 0 else None
        verdict = self.utilities.verdict(rival)
        rejected = None if verdict.possible else self._causes(certify_rejection(self.utilities, rival))
        return Reason(
            self.best,
            rival,
            loses,
            self._causes(certificate),
            self._needed_answers([rival], loses),
            verdict.price,
            rejected,
        )

    def _causes(self, certificate: Certificate | None) -> tuple[Cause, ...]:
        if certificate is None:
            return ()
        strained = self.utilities.set_aside() if isinstance(self.utilities, ParsimoniousSet) else ()
        aside = set_aside_of(strained)
        causes = explain(certificate, self.utilities.statements, self.attributes, aside).causes
        return tuple(replace(cause, statement=self.numbered(cause.statement)) for cause in causes)

    def numbered(self, statement: Statement) -> Statement:
        """The statement with the number of its question in place of the request; None for an assumption."""
        return numbered(statement, self.questions)

    def _needed_answers(self, rivals: Sequence[Mask], bound: float) -> NeededAnswers | None:
        """Which answers the bound needs; None when rounding already costs all of them the bound, or none is proven."""
        if not provable(self.utilities):
            return None
        needed = ProofByAnswers(self.utilities, self.best, rivals, bound, self._deduced_from)
        found = smallest_reduct(needed.proves, needed.places)
        if found is None:
            return None
        return NeededAnswers(
            self._stated(core(needed.proves, needed.places)),
            self._stated(found.places),
            found.smallest,
            len(needed.places),
        )

    def _deduced_from(self, places: frozenset[int]) -> frozenset[int]:
        """The places of what is deduced from the answers at some places."""
        statements = self.utilities.statements
        follow = self.history.deduced_from([statements[r] for r in sorted(places)])
        return frozenset(r for r, s in enumerate(statements) if s in follow)

    def _stated(self, places: frozenset[int]) -> tuple[Statement, ...]:
        return tuple(self.numbered(self.utilities.statements[r]) for r in sorted(places))


def numbered(statement: Statement, numbers: Mapping[int, int]) -> Statement:
    """The statement with the number of its question in place of the request; None for an assumption."""
    request = statement.request
    return replace(statement, request=None if request is None else numbers.get(request))


def otherwise(beliefs: Beliefs, progress: Update | None = None) -> list[Otherwise]:
    """What each answer that stands, reversed alone, would have made of the recommendation, by their questions."""
    history, found = beliefs.history, []
    standing = [(history.question_numbers[r], given) for r, given in history.standing.items() if given.reversed]
    for k, (number, given) in enumerate(standing):
        if progress is not None:
            progress(k / len(standing), f"answer {k + 1} of {len(standing)} reversed")
        for other in given.reversed:  # of an equality there are two
            assert other.preferred is not None  # what is reversed is a preference
            then = beliefs.with_answer(other)
            insisting = then.meant_against_the_odds
            found.append(Otherwise(number, given.answer, other.answer, other.preferred, then.incumbent, insisting))
    return found


def _claimed(record: Record, history: History) -> Mask | None:
    """What the record itself recommends, when it says so of all its facts."""
    if record.last_claim is None:
        return None
    names = record.last_claim.content.get("subset")
    if not isinstance(names, list) or not all(name in history.attributes.names for name in names):
        return None
    subset = history.attributes.mask(names)
    return subset if subset in history.evaluated else None
