"""The content of a page: plain values from a record, each computed once. Nothing here is markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from elicit.errors import CertificateError
from elicit.events import (
    MEANING,
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
)
from elicit.journal import Header, Record
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation
from elicit.printable import in_a_list, many, rounded
from elicit.proof.record_check import Step, check_record
from elicit.proof.strained import although, not_honoured, strained_in
from elicit.proof.why import Otherwise, Why
from elicit.proof.why_words import reason_lines, reversed_answers
from elicit.subsets import Family, Mask, members
from elicit.utility.explain import FIRST_CAUSES
from elicit.utility.monomials import Vector

#: How many rejected subsets have their price worked out again, the cheapest first.
MOST_PRICES = 30

#: What is below this share of the largest power index, or interaction, is rounding.
ROUNDING = 1e-9


def listed(names: Iterable[str]) -> str:
    """Names between commas, as commands take them: in quotes where they hold one themselves."""
    return ", ".join(map(in_a_list, names))


@dataclass(frozen=True)
class Measurement:
    """A measured subset: its place in the order of measuring, names, criteria with their spread."""

    place: int
    subset: Mask
    names: tuple[str, ...]
    values: tuple[float, ...]
    spread: tuple[float | None, ...]
    in_front: bool


@dataclass(frozen=True)
class Question:
    """A question and its answer; A and B are measurements by their place."""

    number: int
    first: int
    second: int
    reply: Answer
    retracted: bool
    check: bool

    @property
    def answer(self) -> str:
        """The answer in words."""
        return MEANING[self.reply]

    @property
    def answer_turned(self) -> str:
        """The answer in words, where A and B have changed places."""
        turned = {Answer.FIRST: Answer.SECOND, Answer.SECOND: Answer.FIRST}
        return MEANING[turned.get(self.reply, self.reply)]


@dataclass(frozen=True)
class Price:
    """A subset that was passed over: its price then and now, and whether it can be best now (None: not known).

    On the exact set there are no prices.
    """

    names: tuple[str, ...]
    then: float | None
    now: float | None
    possible: bool | None


@dataclass(frozen=True)
class Content:
    """Everything that the page shows, but for the model.

    best: the place of what is recommended. scope, meaning, clear: what the set of utilities is called, what it is, and
    how large in it the margin of one clear answer is.
    holds, false_step: the steps that hold in `elicit verify`, and the first that does not. current: those that hold and
    speak of the result as it is. unproven: what is said where none of these is a proof of the result itself.
    prices: of the `passed_over` subsets the cheapest. power, interactions: of each attribute and each pair, in the
    utility that the settings call `theta`.
    set_aside: the statements that the recommendation does not honour, or not in full.
    """

    attributes: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    measured: tuple[Measurement, ...]
    best: int
    ended: str
    scope: str
    meaning: str
    clear: float
    holds: tuple[str, ...]
    current: tuple[Step, ...]
    unproven: str
    false_step: str | None
    reasons: tuple[str, ...]
    otherwise: tuple[str, ...]
    questions: tuple[Question, ...]
    implied: str
    events: tuple[tuple[str, str], ...]
    prices: tuple[Price, ...]
    passed_over: int
    theta: str
    power: tuple[float, ...]
    interactions: tuple[tuple[float, ...], ...]
    failures: tuple[tuple[tuple[str, ...], str], ...]
    set_aside: tuple[str, ...]
    family: Family
    measured_with: tuple[tuple[str, str], ...]
    settings: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    seed: int
    fingerprint: str

    @property
    def recommended(self) -> Measurement:
        """What is recommended."""
        return self.measured[self.best]

    @property
    def candidates(self) -> list[int]:
        """Positions of the attributes that may be chosen."""
        return members(self.family.largest)

    @property
    def dropped(self) -> list[str]:
        """Names of the attributes that no subset may hold."""
        return [self.attributes[i] for i in members(self.family.drop)]


def gather(why: Why, otherwise: Sequence[Otherwise]) -> Content:
    """The content of a record, with its reasons and what reversed answers would have led to."""
    record, history, elicitation = why.record, why.history, why.elicitation
    place = {x: k for k, x in enumerate(history.evaluated)}
    holds, current, false_step = _checked(record)
    stopped = history.stopped
    theta = why.beliefs.theta
    header = record.header
    return Content(
        attributes=history.attributes.names,
        criteria=history.criteria,
        measured=_measured(history),
        best=place[why.best],
        ended="The run has not ended yet." if stopped is None else f"Ended by {stopped.reason}.",
        scope=why.utilities.scope,
        meaning=why.utilities.meaning,
        clear=why.utilities.clear,
        holds=holds,
        current=current,
        unproven=_unproven(record, stopped, current),
        false_step=false_step,
        reasons=tuple(reason_lines(why, why.this(), FIRST_CAUSES)) if why.beliefs.decides else (),
        otherwise=tuple(reversed_answers(why, otherwise, None)),
        questions=_questions(why, place),
        implied=_implied(why),
        events=tuple(_events(record, history)),
        prices=_prices(why),
        passed_over=len(history.rejected),
        theta=why.beliefs.theta_name,
        power=_beyond_rounding(theta.power()),
        interactions=tuple(map(tuple, theta.interactions().tolist())),
        failures=tuple((history.attributes.subset(x), fact.reason) for x, fact in history.failed.items()),
        set_aside=tuple(not_honoured(elicitation, strained_in(elicitation), why.attributes.braced)),
        family=elicitation.family,
        measured_with=_measured_with(header, elicitation.family),
        settings=tuple((key, _plain(value)) for key, value in sorted(header.settings["elicit"].items())),
        versions=tuple(sorted(header.versions.items())),
        seed=header.seed,
        fingerprint=header.fingerprint,
    )


def _unproven(record: Record, stopped: Stopped | None, current: Sequence[Step]) -> str:
    """Why nothing is proven of the result, where it is not: a claim may be missing, or speak of other subsets alone."""
    if stopped is None:
        why = "the run went on after what it claimed" if record.claims else "the run has not ended"
        return f"Nothing yet of this result: {why}."
    if not current:
        return "Nothing of this result: the run has ended, and no claim of its end holds."
    return "Nothing of this result: its claim gives no bound on how much better another subset may be."


def _beyond_rounding(index: Vector) -> tuple[float, ...]:
    """The power indices, of which one that is nothing beside the largest is 0: rounding has no sign, and no order."""
    return tuple(np.where(np.abs(index) > ROUNDING * np.abs(index).max(), index, 0.0).tolist())


def _measured(history: History) -> tuple[Measurement, ...]:
    front = set(history.front)
    return tuple(
        Measurement(
            k,
            x,
            history.attributes.subset(x),
            fact.criteria,
            fact.spread or (None,) * len(fact.criteria),
            x in front,
        )
        for k, (x, fact) in enumerate(history.evaluated.items())
    )


def _measured_with(header: Header, family: Family) -> tuple[tuple[str, str], ...]:
    """What the oracle was made of. What is dropped needs no cost: whatever stands for one there is not told."""
    about: Any = header.settings.get("about") or {}
    if not isinstance(about, dict):
        return (("about", _plain(about)),)
    section = about.get("oracle")
    if family.drop and isinstance(section, dict) and isinstance(costs := section.get("costs"), dict):
        dropped = header.attributes.subset(family.drop)
        told = {name: value for name, value in costs.items() if name not in dropped}
        about = {**about, "oracle": {**section, "costs": told}}
    return tuple(_rows("", {key: about[key] for key in sorted(about, key=lambda key: key != "oracle")}))


def _rows(above: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys with their plain values; one that stands below others is told with them, but for the oracle's own."""
    for key, value in values.items():
        called = f"{above}: {key}" if above else key
        if isinstance(value, dict):
            yield from _rows("" if called == "oracle" else called, value)
        else:
            yield called, _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return "none" if value is None else str(value)


def _checked(record: Record) -> tuple[tuple[str, ...], tuple[Step, ...], str | None]:
    """What `elicit verify` says: the steps that hold, those that speak of the result as it is, the first that fails."""
    last = None if record.last_claim is None else record.last_claim.line
    earlier = {claim.line for claim in record.claims} - {last}
    holds: list[str] = []
    current: list[Step] = []
    false_step: str | None = None
    try:
        for step in check_record(record):
            before = f" (an earlier claim, of line {step.line})" if step.line in earlier else ""
            holds.append(step.words + before)
            if last is not None and step.line == last:
                current.append(step)
    except CertificateError as error:
        false_step = str(error)
    return tuple(holds), tuple(current), false_step


def _questions(why: Why, place: dict[Mask, int]) -> tuple[Question, ...]:
    asked = {f.request + len(f.evaluate): f.check for f in why.history.rounds if f.compare is not None}
    return tuple(
        Question(
            why.questions.get(request, request),
            place[answer.first],
            place[answer.second],
            answer.answer,
            request in why.history.retracted,
            asked.get(request, False),
        )
        for request, answer in why.history.answers.items()
    )


#: How an assumption is told.
_IS = {Relation.STRICT: "over", Relation.WEAK: "at least as good as", Relation.EQUAL: "as good as"}


def _events(record: Record, history: History) -> list[tuple[str, str]]:
    """The session step by step: what happened, and to which subset."""
    names, criteria, numbers = record.header.attributes, record.header.criteria, history.question_numbers
    found: list[tuple[str, str]] = []
    for fact in record.facts:
        match fact:
            case Asked(rejected=rejected) if rejected:
                which = "; ".join(listed(names.subset(subset)) for subset, _ in rejected)
                found.append((f"{len(rejected)} passed over", which))
            case Evaluated(subset=subset, criteria=values):
                told = "; ".join(f"{c.name} {rounded(value)}" for c, value in zip(criteria, values, strict=True))
                found.append(("measured", f"{listed(names.subset(subset))}: {told}"))
            case Failed(subset=subset, reason=reason):
                found.append(("could not be measured", f"{listed(names.subset(subset))}: {reason}"))
            case Preferred(first=first, second=second, answer=answer):
                sides = f"A = {listed(names.subset(first))}; B = {listed(names.subset(second))}"
                found.append(("answered", f"{MEANING[answer]}. {sides}"))
            case Assumed(better=better, worse=worse, relation=relation, source=source):
                one, other = (listed(names.subset(x)) for x in (better, worse))
                found.append((f"assumed ({source})", f"{one} {_IS[Relation(relation)]} {other}"))
            case Retracted(retracts=request):
                what = f"the answer to question {numbers[request]}" if request in numbers else "an assumption"
                found.append(("taken back", what))
            case Settled(conflict=conflict):
                found.append(("kept and weighed", although(history, conflict)))
            case Stopped(reason=reason):
                found.append(("ended", reason))
            case Resumed(budget=budget):
                found.append(("resumed", "" if budget is None else f"with a budget of {budget}"))
            case Asked():
                pass  # what it asked for is told by the replies
            case _:
                assert_never(fact)
    return found


def _implied(why: Why) -> str:
    """What answers imply by what is assumed of the operator; nothing where nothing is."""
    history = why.history
    if history.assume == "nothing":
        return ""
    kind = ASSUMPTIONS[history.assume]
    if history.refuted:
        return f"Assumed: {kind}. These answers speak against it, so nothing is deduced."
    return (
        f"Assumed: {kind}. Of the other subsets {many(len(history.deduced), 'order')} follow from these answers and "
        "what was measured; what is proven may rest on them."
    )


def _prices(why: Why) -> tuple[Price, ...]:
    rejected, names = why.history.rejected, why.attributes
    found = []
    for x in why.history.cheapest_rejected[:MOST_PRICES]:
        verdict = why.utilities.verdict(x) if why.beliefs.decides else None
        found.append(
            Price(
                names.subset(x),
                rejected[x].price if rejected[x].price >= 0 else None,
                None if verdict is None else verdict.price,
                None if verdict is None else verdict.possible,
            )
        )
    return tuple(found)
