"""History: facts folded, in order, into what is known.

`record` takes one fact, checks it, and changes nothing when it is wrong. Everything else is a view
that is computed from the facts on demand and kept until the next fact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.events import (
    SCORE_AND_SIZE,
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Fact,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
)
from elicit.knowledge.deduction import deduce, follow_from, is_refuted
from elicit.knowledge.dominance import (
    Folds,
    Noise,
    Vectors,
    dominance_relation,
    oriented,
    pareto_front,
    reduced_dominance,
)
from elicit.knowledge.statements import WEIGHTS, Relation, Source, Statement, answers_of, contradiction
from elicit.numeric import GRID, LARGEST_MEASURED, is_finite, is_number
from elicit.subsets import Attributes, Mask, members, simplest

#: A criterion whose range is below `FINE` is resolved badly by the grid; below this share of its size, it is rounding.
FINE, ROUNDING = 1e3 * GRID, 1e-12


@dataclass(frozen=True)
class Rejection:
    """A subset was passed over in the round that began with `request`, at this price."""

    request: int
    price: float


class History:
    """The facts of one run and the state they amount to."""

    def __init__(
        self,
        attributes: Attributes,
        criteria: Sequence[Criterion] = SCORE_AND_SIZE,
        *,
        noise: Noise | None = None,
        assume: str = "nothing",
        facts: Iterable[Fact] = (),
    ) -> None:
        if not criteria:
            raise InputError("at least one criterion is needed, none was given")
        self.attributes = attributes
        self.criteria = tuple(criteria)
        self.noise = noise
        #: what is assumed of the operator, one of ASSUMPTIONS
        self.assume = assume
        self.facts: list[Fact] = []
        self.evaluated: dict[Mask, Evaluated] = {}
        self.failed: dict[Mask, Failed] = {}
        self.rejected: dict[Mask, Rejection] = {}
        self.answers: dict[int, Preferred] = {}
        self.assumed: dict[int, Assumed] = {}
        self.retracted: set[int] = set()
        #: those that were retracted without a request to reconcile: their questions may be put again
        self.undone: set[int] = set()
        self.settled: set[tuple[int, ...]] = set()
        self.rounds: list[Asked] = []
        self.stopped: Stopped | None = None
        #: grows with every fact that changes what is known of preferences
        self.version = 0
        for fact in facts:
            self.record(fact)

    def alike(self, facts: Iterable[Fact] = ()) -> History:
        """The history of other facts, read as this one is."""
        return History(self.attributes, self.criteria, noise=self.noise, assume=self.assume, facts=facts)

    def with_answer(self, answer: Preferred) -> History:
        """A copy with this answer in place of the one to the same question; measurements are not folded again."""
        given = self.answers[answer.request]
        other = copy(self)
        other.facts = [answer if fact == given else fact for fact in self.facts]
        other.answers = {**self.answers, answer.request: answer}
        for name, value in vars(other).items():
            if name not in _VIEWS and isinstance(value, list | dict | set):
                setattr(other, name, copy(value))
        other._forget(_VIEWS - _MEASURED)
        return other

    def record(self, fact: Fact) -> None:
        """Fold one fact in."""
        match fact:
            case Asked():
                self._record_round(fact)
            case Evaluated():
                self._record_evaluation(fact)
            case Failed(subset=subset):
                self._expect_new(subset)
                self.failed[subset] = fact
                self.rejected.pop(subset, None)  # as when a subset is measured
            case Preferred():
                self._record_answer(fact)
            case Assumed():
                self._record_assumption(fact)
            case Retracted(retracts=request):
                self.check_retractable(request)
                self.retracted.add(request)
                if request in self.answers and not any(fact.request in asked.requests for asked in self.rounds):
                    self.undone.add(request)
            case Settled(conflict=conflict):
                self.settled.add(conflict)
                self._forget({"unsettled"})
            case Stopped():
                self.stopped = fact
            case Resumed():
                self.stopped = None
            case _:
                assert_never(fact)
        self.facts.append(fact)
        if isinstance(fact, Evaluated | Preferred | Assumed | Retracted):
            self.version += 1
            self._forget(_VIEWS if isinstance(fact, Evaluated) else _VIEWS - _MEASURED)

    def _forget(self, views: Iterable[str]) -> None:
        """Have these views computed anew when they are next looked at."""
        for name in views:
            self.__dict__.pop(name, None)

    def check_retractable(self, request: int) -> None:
        """An error when there is nothing at a request that could be taken back."""
        if request not in self.answers and request not in self.assumed:
            raise InputError(f"request {request} holds no answer that could be retracted")

    def _record_round(self, fact: Asked) -> None:
        for subset in (*fact.evaluate, *(subset for subset, _ in fact.rejected)):
            self._expect_new(subset)
        for subset in fact.compare or ():
            if subset not in self.evaluated:
                raise InputError(f"request {fact.request} compares a subset that was not evaluated")
        if fact.compare is not None and fact.compare[0] == fact.compare[1]:
            raise InputError(f"request {fact.request} compares a subset with itself; a question needs two")
        self.rounds.append(fact)
        for subset, price in fact.rejected:
            self.rejected[subset] = Rejection(fact.request, price)

    def _record_evaluation(self, fact: Evaluated) -> None:
        self.check_measurement(fact)
        self.evaluated[fact.subset] = fact
        self.rejected.pop(fact.subset, None)  # a rejection is provisional: it may be looked at again

    def check_measurement(self, fact: Evaluated) -> None:
        """An error when a measurement cannot be recorded."""
        self._expect_new(fact.subset)
        names = self.attributes.subset(fact.subset)
        if not _is_list(fact.criteria, len(self.criteria)):
            found = len(fact.criteria) if _is_list(fact.criteria) else repr(fact.criteria)
            raise InputError(f"expected {len(self.criteria)} criteria for {names}, found {found}")
        for criterion, value in zip(self.criteria, fact.criteria, strict=True):
            if not (is_number(value) and abs(value) < LARGEST_MEASURED):  # NaN fails here, too
                raise InputError(
                    f"criterion {criterion.name!r} of {names} is not a number below {LARGEST_MEASURED:g}, "
                    f"found {value!r:.40}; record a failure instead"
                )
        if not self._none_or_one_each(fact.folds, lambda row: _is_list(row) and all(map(is_finite, row))):
            raise InputError(
                f"folds of {names} are (), or for each criterion the numbers behind it; found {fact.folds!r:.80}"
            )
        if not self._none_or_one_each(fact.spread, lambda value: value is None or (is_finite(value) and value >= 0)):
            raise InputError(
                f"spread of {names} is (), or for each criterion a number of at least 0 or None; "
                f"found {fact.spread!r:.80}"
            )
        self._check_folds_for_noise(fact)

    def _none_or_one_each(self, given: Sequence[Any], right: Callable[[Any], bool]) -> bool:
        """Whether a list is empty, or holds something right for each criterion."""
        return _is_list(given, 0) or (_is_list(given, len(self.criteria)) and all(map(right, given)))

    def _check_folds_for_noise(self, fact: Evaluated) -> None:
        """An error when noise is to be judged by the folds, and there are none, or not as many as before."""
        if self.noise is None:
            return
        names, found = self.attributes.subset(fact.subset), [len(row) for row in fact.folds]
        if not any(found):
            raise InputError(f"noise_level needs fold scores, and {names} came without any; leave noise_level out")
        before = next(([len(row) for row in e.folds] for e in self.evaluated.values()), found)
        if found != before:
            raise InputError(
                f"noise_level compares subsets fold by fold: {names} has {found} fold scores, those before {before}"
            )

    def _record_answer(self, fact: Preferred) -> None:
        for mask in (fact.first, fact.second):
            if mask not in self.evaluated:
                raise InputError(f"the answer to request {fact.request} names a subset that was not evaluated")
        if fact.first == fact.second:
            raise InputError(f"the answer to request {fact.request} compares a subset with itself")
        if fact.request in self.assumed:
            raise InputError(f"request {fact.request} holds an assumption already; an answer needs its own")
        self.answers[fact.request] = fact

    def _record_assumption(self, fact: Assumed) -> None:
        if fact.request in self.assumed or fact.request in self.answers:
            raise InputError(f"request {fact.request} holds another preference already; an assumption needs its own")
        self.attributes.check(fact.better)
        self.attributes.check(fact.worse)
        assumption_statement(fact)  # refuses what cannot be a statement
        self.assumed[fact.request] = fact

    def _expect_new(self, subset: Mask) -> None:
        names = self.attributes.subset(subset)
        if subset in self.evaluated or subset in self.failed:
            raise InputError(f"the subset {names} was measured before; a subset is never paid for twice")

    @property
    def subsets(self) -> tuple[Mask, ...]:
        """The evaluated subsets, in the order of their facts."""
        return tuple(self.evaluated)

    def named(self, subset: Mask | None) -> dict[str, float]:
        """The measured criteria of a subset by name; none of no subset."""
        if subset is None:
            return {}
        return dict(zip((c.name for c in self.criteria), self.evaluated[subset].criteria, strict=True))

    @cached_property
    def vectors(self) -> Vectors:
        """Criteria of the evaluated subsets on the grid, larger is better; rows as in `subsets`."""
        return oriented([e.criteria for e in self.evaluated.values()], self.criteria)

    @property
    def too_fine(self) -> tuple[str, ...]:
        """Criteria whose numbers differ by hardly more than what counts as equal, which the grid resolves badly."""
        table = np.array([e.criteria for e in self.evaluated.values()]).reshape(-1, len(self.criteria))
        found = []
        for criterion, column in zip(self.criteria, table.T, strict=True):
            apart = float(np.ptp(column)) if len(column) else 0.0
            if ROUNDING * float(np.abs(column).max(initial=0.0)) < apart < FINE:
                found.append(criterion.name)
        return tuple(found)

    @cached_property
    def dominance(self) -> tuple[Statement, ...]:
        """Dominance among the evaluated subsets, transitively reduced, in a fixed order."""
        subsets, weight = self.subsets, WEIGHTS[Source.DOMINANCE]
        pairs = reduced_dominance(self.vectors, self.noise, self._folds())
        return tuple(Statement(subsets[i], subsets[j], Relation.STRICT, Source.DOMINANCE, weight) for i, j in pairs)

    def _folds(self) -> Folds:
        """Fold scores turned so that larger is better; None for a criterion that has none."""
        return [] if self.noise is None else self._recorded_folds()

    def _recorded_folds(self) -> Folds:
        """The same where nothing was checked: None, too, where subsets have different numbers of folds."""
        found: Folds = []
        for c, criterion in enumerate(self.criteria):
            rows = [e.folds[c] if e.folds else () for e in self.evaluated.values()]
            even = len({len(row) for row in rows}) == 1
            found.append((1.0 if criterion.maximise else -1.0) * np.array(rows) if even and rows[0] else None)
        return found

    def certainties(self, noise: Noise) -> NDArray[np.float64]:
        """For each statement of R, from 0 to 1, how certain it is by the folds behind it.

        Of dominance the least that holds for any criterion with folds; what was not measured is certain.
        """
        found = np.ones(len(self.statements))
        better = np.array([self._place[s.better] for s in self.dominance], dtype=np.int64)
        worse = np.array([self._place[s.worse] for s in self.dominance], dtype=np.int64)
        for scores in self._recorded_folds() if len(better) else []:
            if scores is not None:
                measured = noise.certainty(scores[better] - scores[worse])
                found[: len(better)] = np.minimum(found[: len(better)], measured)
        return found

    @cached_property
    def dominates(self) -> dict[Mask, frozenset[Mask]]:
        """For each evaluated subset, all those it dominates (not reduced)."""
        subsets = self.subsets
        rows = dominance_relation(self.vectors, self.noise, self._folds())
        return {x: frozenset([subsets[j] for j in members(row)]) for x, row in zip(subsets, rows, strict=True)}

    def same_criteria(self, a: Mask, b: Mask) -> bool:
        """Whether two evaluated subsets are equal in every criterion."""
        return bool((self.vectors[self._place[a]] == self.vectors[self._place[b]]).all())

    @cached_property
    def _place(self) -> dict[Mask, int]:
        """The row of each evaluated subset in `vectors`."""
        return {x: k for k, x in enumerate(self.subsets)}

    @property
    def standing(self) -> dict[int, Preferred]:
        """The answers that were not taken back, by request, in the order of their requests."""
        return {r: self.answers[r] for r in sorted(self.answers) if r not in self.retracted}

    @property
    def besides_answers(self) -> str:
        """In words, what is stated besides answers: a single one of these contradicts some of it, if anything."""
        return "what was measured" + (" or assumed" if self.assumed.keys() - self.retracted else "")

    @property
    def failures(self) -> dict[str, int]:
        """How many subsets could not be measured, by the reason."""
        return dict(Counter(failed.reason for failed in self.failed.values()))

    @property
    def asked(self) -> int:
        """How many questions count as asked: not those whose answer the operator took back without being asked to."""
        return len(self.answers) - len(self.undone)

    @property
    def _calls(self) -> list[Evaluated | Failed]:
        """The oracle calls that were made."""
        return [*self.evaluated.values(), *self.failed.values()]

    @property
    def calls_since_answer(self) -> int:
        """Oracle calls that were asked for after the last question that was answered."""
        last = max(self.answers, default=-1)
        return sum(call.request > last for call in self._calls)

    @property
    def asked_since_call(self) -> int:
        """How many questions count as asked after the last oracle call."""
        last = max((call.request for call in self._calls), default=-1)
        return sum(request > last and request not in self.undone for request in self.answers)

    @property
    def rejections_in_a_row(self) -> int:
        """Subsets that were rejected since the last one was to be evaluated."""
        since = takewhile(lambda asked: not asked.evaluate, reversed(self.rounds))
        return sum(len(asked.rejected) for asked in since)

    @property
    def cheapest_rejected(self) -> list[Mask]:
        """The rejected subsets, those of the least price first; of those alike the simplest."""
        return sorted(self.rejected, key=lambda x: (self.rejected[x].price, simplest(x)))

    @property
    def question_numbers(self) -> dict[int, int]:
        """The number of each answered question, counted from 1, by its request: these numbers are what people see."""
        return {request: number for number, request in enumerate(sorted(self.answers), start=1)}

    @cached_property
    def front(self) -> tuple[Mask, ...]:
        """The evaluated subsets that no evaluated subset dominates by its measured criteria."""
        chosen = pareto_front(self.vectors).tolist() if self.evaluated else []
        return tuple(mask for mask, in_front in zip(self.subsets, chosen, strict=True) if in_front)

    @cached_property
    def stated(self) -> tuple[Statement, ...]:
        """Live statements that are not dominance: answers and assumptions, by request."""
        found = [answer_statement(a) for a in self.standing.values()]
        found += [assumption_statement(a) for r, a in self.assumed.items() if r not in self.retracted]
        return tuple(sorted((s for s in found if s is not None), key=lambda s: s.request or 0))

    @cached_property
    def deduced(self) -> tuple[Statement, ...]:
        """What follows from the answers under what is assumed of the operator."""
        return () if self.assume == "nothing" else self._deduce_from(self.stated)

    def deduced_from(self, stated: Sequence[Statement]) -> list[Statement]:
        """Which of the deduced statements follow from some of the stated ones alone, besides what was measured."""
        if not self.deduced:
            return []
        return follow_from(self.deduced, [*self.dominance, *stated, *self._deduce_from(stated)])

    def answers_behind(self, statements: Iterable[Statement]) -> tuple[int, ...]:
        """The requests whose answers are among the statements, or are what those deduced follow from.

        What was only assumed, also on behalf of the operator, is no answer: nobody was asked, so nobody can settle it.
        """
        behind = list(statements)
        for s in [s for s in behind if s.source is Source.DEDUCED]:
            needed = list(self.stated)
            for one in self.stated:
                rest = [other for other in needed if other is not one]
                needed = rest if s in self.deduced_from(rest) else needed
            behind += needed
        return tuple(sorted({request for request in answers_of(behind) if request in self.answers}))

    @cached_property
    def refuted(self) -> bool:
        """Whether the answers refute what is assumed of the operator; then nothing is deduced."""
        return is_refuted(self.assume, self._on_grid(), self.dominance, self.stated)

    def _on_grid(self) -> dict[Mask, list[int]]:
        """The criteria of the evaluated subsets as whole steps of the grid, larger is better."""
        return {x: [int(v) for v in row] for x, row in zip(self.subsets, self.vectors, strict=True)}

    def _deduce_from(self, stated: Sequence[Statement]) -> tuple[Statement, ...]:
        return deduce(self.assume, self._on_grid(), self.dominance, stated)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """R: reduced dominance first, then what was stated, then what follows from it."""
        return self.dominance + self.stated + self.deduced

    @cached_property
    def contradiction(self) -> tuple[Statement, ...]:
        """The shortest contradictory cycle of R, () when there is none."""
        return contradiction(self.statements)

    @cached_property
    def unsettled(self) -> tuple[Statement, ...]:
        """The shortest contradictory cycle of R but for those whose answers the operator has already looked at."""
        return contradiction(self.statements, self.settled)


#: The views that are kept, and those of them that depend on measurements alone.
_VIEWS = frozenset(name for name, view in vars(History).items() if isinstance(view, cached_property))
_MEASURED = frozenset({"vectors", "dominance", "dominates", "_place", "front"})


def _is_list(values: object, length: int | None = None) -> bool:
    """Whether these are a tuple or a list, of this length where one is given."""
    return isinstance(values, tuple | list) and (length is None or len(values) == length)


def answer_statement(fact: Preferred) -> Statement | None:
    """What an answer means in R; None when it states nothing."""
    weight = WEIGHTS[Source.OPERATOR]
    match fact.answer:
        case Answer.FIRST:
            return Statement(fact.first, fact.second, Relation.STRICT, Source.OPERATOR, weight, fact.request)
        case Answer.SECOND:
            return Statement(fact.second, fact.first, Relation.STRICT, Source.OPERATOR, weight, fact.request)
        case Answer.EQUAL:
            return Statement(fact.first, fact.second, Relation.EQUAL, Source.OPERATOR, weight, fact.request)
        case Answer.INCOMPARABLE | Answer.LATER:
            return None


def assumption_statement(fact: Assumed) -> Statement:
    """What an assumption means in R."""
    relations = [r.value for r in Relation]
    sources = [s.value for s in (Source.OPERATOR, Source.PRIOR)]  # the others follow from facts, and from nothing else
    if fact.relation not in relations:
        raise InputError(f"an assumption is one of {', '.join(relations)}; found {fact.relation!r}")
    if fact.source not in sources:
        raise InputError(f"an assumption comes from one of {', '.join(sources)}; found {fact.source!r}")
    source = Source(fact.source)
    return Statement(fact.better, fact.worse, Relation(fact.relation), source, WEIGHTS[source], fact.request)
