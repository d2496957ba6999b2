"""Why this subset, and why not that one: in the operator's own answers, with what each weighs.

The rule: nothing is said that is not computed. A reason is the multipliers of an exact certificate; what an
answer is needed for is decided by taking it away; and what would have been recommended had an answer been
different is worked out by folding the same facts with that answer in its place. Nothing is measured anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from elicit.decide.elicitation import Elicitation
from elicit.drive import elicitation_of
from elicit.errors import InputError
from elicit.events import Answer, Asked, Evaluated, Fact, Preferred
from elicit.journal import Record
from elicit.knowledge.statements import Source, Statement
from elicit.subsets import Attributes, Mask
from elicit.utility import tolerances
from elicit.utility.certificates import AnySet, Certificate, certify_best_among, certify_preference, certify_rejection
from elicit.utility.explain import Cause, explain
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.reducts import Needed, core, smallest_reduct
from elicit.utility.sets import difference

#: What a reversed answer says.
OTHER_ANSWERS: Mapping[Answer, tuple[Answer, ...]] = {
    Answer.FIRST: (Answer.SECOND,),
    Answer.SECOND: (Answer.FIRST,),
    Answer.EQUAL: (Answer.FIRST, Answer.SECOND),
}

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Matter:
    """Which answers a bound rests on, by question: those in every proof, and a smallest set that suffices."""

    core: tuple[int, ...]
    enough: tuple[int, ...]
    smallest: bool
    answers: int


@dataclass(frozen=True)
class Otherwise:
    """Had this question been answered so, this subset would be recommended."""

    question: int
    answer: Answer
    preferred: Mask
    subset: Mask | None


@dataclass(frozen=True)
class Reason:
    """What the subset is worth against one rival, or (rival None) against all that were measured.

    `loses` is the most that a utility of the set lets the rival gain on it; `causes` are those of the
    certificate that nothing is gained. `price` is what believing in the rival costs, `rejected` whether that is
    more than τ, with the causes of it.
    """

    subset: Mask
    rival: Mask | None
    loses: float
    causes: tuple[Cause, ...]
    matter: Matter | None
    price: float | None = None
    rejected: tuple[Cause, ...] | None = None


class Why:
    """The reasons that one record holds."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.elicitation = elicitation_of(record)
        self.history, self.beliefs = self.elicitation.history, self.elicitation.beliefs
        self.attributes: Attributes = self.history.attributes
        self.questions = questions(record.facts)
        best = self.elicitation.incumbent
        if best is None:
            raise InputError("nothing that may be chosen was measured, so there is nothing to explain; resume the run")
        self.best: Mask = best
        self.utilities: AnySet = self.beliefs.fresh_utilities()

    @property
    def decides(self) -> bool:
        """Whether the statements decide anything: some are strict, and a utility satisfies them."""
        return self.utilities.informative and self.utilities.conflict is None

    def this(self) -> Reason:
        """Why the recommended subset, of all that were measured."""
        loses = self.beliefs.regrets.of(self.best).value
        certificate = certify_best_among(self.utilities, self.best, self.utilities.evaluated, bound=None)
        return Reason(self.best, None, loses, self._causes(certificate), self._matter(self.utilities.evaluated, loses))

    def not_that(self, rival: Mask) -> Reason:
        """Why not that one."""
        loses = max(0.0, self.utilities.maximum(difference(rival, self.best)).value)
        loses = 0.0 if loses <= tolerances.DECISION else loses
        certificate = certify_preference(self.utilities, self.best, rival) if loses == 0 else None
        verdict = self.utilities.verdict(rival)
        rejected = None if verdict.possible else self._causes(certify_rejection(self.utilities, rival))
        return Reason(
            self.best, rival, loses, self._causes(certificate), self._matter([rival], loses), verdict.price, rejected
        )

    def _causes(self, certificate: Certificate | None) -> tuple[Cause, ...]:
        if certificate is None:
            return ()
        causes = explain(certificate, self.utilities.statements, self.attributes).causes
        return tuple(Cause(self.numbered(cause.statement), cause.share) for cause in causes)

    def numbered(self, statement: Statement) -> Statement:
        """The statement with the number of its question in place of the request."""
        return replace(statement, request=self.questions.get(statement.request or -1, statement.request))

    def _matter(self, rivals: Sequence[Mask], bound: float) -> Matter | None:
        """Which answers the bound needs; None when the solver's rounding already costs all of them the bound."""
        needed = Needed(self.utilities, self.best, rivals, bound)
        found = smallest_reduct(needed.proves, needed.places)
        if found is None:
            return None
        return Matter(
            self._numbers(core(needed.proves, needed.places)),
            self._numbers(found.places),
            found.smallest,
            len(needed.places),
        )

    def _numbers(self, places: frozenset[int]) -> tuple[int, ...]:
        requests = (self.utilities.statements[r].request for r in places)
        return tuple(sorted(self.questions.get(r or -1, r or 0) for r in requests))

    def otherwise(self, progress: Progress | None = None) -> list[Otherwise]:
        """What each answer that stands, reversed alone, would have made of the recommendation."""
        standing = {r: a for r, a in self.history.answers.items() if r not in self.history.retracted}
        tasks = [(r, a, other) for r, a in standing.items() for other in OTHER_ANSWERS.get(a.answer, ())]
        found = []
        for k, (request, given, other) in enumerate(tasks):
            if progress is not None:
                progress(k / len(tasks), f"answer {k + 1} of {len(tasks)} reversed")
            subset = with_answer(self.record, request, other).incumbent
            preferred = given.first if other is Answer.FIRST else given.second
            found.append(Otherwise(self.questions[request], other, preferred, subset))
        return found


def questions(facts: Sequence[Fact]) -> dict[int, int]:
    """The number of each question, counted from 1, by its request."""
    asked = [fact for fact in facts if isinstance(fact, Asked) and fact.compare is not None]
    return {fact.request + len(fact.evaluate): k for k, fact in enumerate(asked, start=1)}


def with_answer(record: Record, request: int, answer: Answer) -> Elicitation:
    """The elicitation of the same facts but for one answer."""
    facts = tuple(
        replace(fact, answer=answer) if isinstance(fact, Preferred) and fact.request == request else fact
        for fact in record.facts
    )
    return elicitation_of(replace(record, facts=facts))


# --- words -------------------------------------------------------------------------------------------


def told(why: Why, reason: Reason, most: int | None) -> list[str]:
    """A reason in lines of text; `most` causes of a kind, None for all."""
    names, scope = why.attributes, why.utilities.scope
    everything = reason.rival is None
    lines = _of_all(why, reason) if everything else _of_one(why, reason)
    against = f"any of the {len(why.utilities.evaluated)} measured" if everything else "it"
    if reason.loses == 0:
        lines.append(f"no utility of the {scope} finds {against} better" + (", because:" if reason.causes else "."))
        lines += _causes(reason.causes, names, most)
    else:
        lines.append(f"no utility of the {scope} gives {against} more than {reason.loses:.4g} beyond it.")
    if reason.matter is not None:
        lines += _mattering(reason.matter)
    if everything:
        lines += _of_the_others(why, reason)
    elif reason.rejected:
        lines.append(
            f"it cannot be best (to believe it costs {reason.price:.4g}), because:"
            if reason.price is not None
            else "it cannot be best, because:"
        )
        lines += _causes(reason.rejected, names, most)
    elif reason.price is not None:
        lines.append(f"it could still be best: to believe so costs {reason.price:.4g}, tau is {_tau(why):g}.")
    else:
        lines.append("it could still be best: some utility of the set ranks it first.")
    return lines


def _of_all(why: Why, reason: Reason) -> list[str]:
    below = len(why.history.dominates[reason.subset])
    answers = [s for s in why.history.stated if s.strict and s.better == reason.subset]
    lines = [f"no measured subset dominates it; it dominates {below} of the {len(why.history.evaluated)} measured."]
    if answers:
        numbers = sorted(why.questions.get(s.request or -1, 0) for s in answers if s.source is Source.OPERATOR)
        lines.append(f"you preferred it outright in {_listed(numbers)}.")
    return lines


def _of_the_others(why: Why, reason: Reason) -> list[str]:
    """Why none of the others: what each that nothing puts below another may lose."""
    others = [x for x in why.utilities.candidates(why.utilities.evaluated) if x != reason.subset]
    if not others:
        return ["every other is below another, by what was measured or by what you answered."]
    least = min(why.beliefs.regrets.of(x).value for x in others)
    which = f"of {_several(len(others))} that nothing puts below another,"
    if least < reason.loses - tolerances.DECISION:
        return [f"{which} one may lose less ({least:.4g}), but plausible operators expect less of it."]
    if least <= reason.loses + tolerances.DECISION:
        return [f"{which} one may lose as little."]
    return [f"{which} each may lose more: {least:.4g} or above."]


def _several(count: int) -> str:
    return "the one other" if count == 1 else f"the {count} others"


def _of_one(why: Why, reason: Reason) -> list[str]:
    rival, history = reason.rival, why.history
    assert rival is not None
    if rival in history.failed:
        return [f"it could not be measured: {history.failed[rival].reason}."]
    if rival not in history.evaluated:
        return ["it was not measured."]
    lines = []
    for k, criterion in enumerate(history.criteria):
        ours, its = (history.evaluated[x].criteria[k] for x in (reason.subset, rival))
        way = "more" if criterion.maximise else "less"
        lines.append(f"{criterion.name} ({way} is better): {its:.6g}, the recommended subset has {ours:.6g}.")
    above = [x for x, below in history.dominates.items() if rival in below]
    if reason.subset in above:
        lines.append("the recommended subset dominates it.")
    elif above:
        lines.append(f"{len(above)} of the measured subsets dominate it, such as {_named(why.attributes, above[0])}.")
    return lines


def _causes(causes: Sequence[Cause], names: Attributes, most: int | None) -> list[str]:
    shown = causes if most is None else causes[:most]
    lines = [f"  {cause.share:4.0%}  {cause.words(names)}" for cause in shown]
    left = causes[len(shown) :]
    if left:
        lines.append(f"  {sum(c.share for c in left):4.0%}  {len(left)} more (--all shows them)")
    return lines


def _mattering(matter: Matter) -> list[str]:
    if not matter.answers:
        return []
    if not matter.enough:
        return [f"none of your {matter.answers} answers is needed for that: what was measured shows it."]
    fewest = "a smallest set that shows it" if matter.smallest else "a set that shows it, none of it to spare"
    lines = [f"of your {matter.answers} answers, {fewest}: {_listed(matter.enough)}."]
    if matter.core:
        lines.append(f"no proof of it can do without: {_listed(matter.core)}.")
    else:
        lines.append("no single answer is in every proof of it.")
    return lines


def reversed_answers(why: Why, found: Sequence[Otherwise], rival: Mask | None) -> list[str]:
    """What other answers would have come to, in lines; with a rival, those that would have led to it."""
    changing = [o for o in found if o.subset != why.best and (rival is None or o.subset == rival)]
    lines = [
        f"had you preferred {_named(why.attributes, o.preferred)} in question {o.question}, it would be "
        + ("that one." if o.subset == o.preferred else f"{_named(why.attributes, o.subset)}.")
        for o in changing
        if o.subset is not None
    ]
    if not found:
        return ["no question was answered with a preference."]
    if not changing:
        what = "changes the recommendation" if rival is None else "would have made it the recommendation"
        return [f"no single answer, had it been the other way round, {what}."]
    rest = len({o.question for o in found} - {o.question for o in changing})
    if rival is None and rest:
        whose = (
            "the other answer, reversed, changes"
            if rest == 1
            else f"the other {rest} answers, each reversed alone, change"
        )
        lines.append(f"{whose} nothing.")
    return lines


def _tau(why: Why) -> float:
    return why.utilities.settings.tau if isinstance(why.utilities, ParsimoniousSet) else 0.0


def _listed(numbers: Sequence[int]) -> str:
    return f"question{'' if len(numbers) == 1 else 's'} " + ", ".join(map(str, numbers))


def _named(attributes: Attributes, mask: Mask) -> str:
    return "{" + ", ".join(attributes.subset(mask)) + "}"


def measured_line(why: Why, fact: Evaluated) -> str:
    """A subset with its criteria in one line."""
    criteria = zip(why.history.criteria, fact.criteria, strict=True)
    return f"{_named(why.attributes, fact.subset)}: " + ", ".join(f"{c.name} {value:.6g}" for c, value in criteria)
