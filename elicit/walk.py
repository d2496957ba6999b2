"""Walk: a classical method under way, with the same facts as an elicitation, and over the same oracles.

The core is asked and told (`Walk`); `explore` plays it to its end, with a journal if wanted. A method's
search is deterministic in the values it is sent, so what a journal holds is answered from there: a run goes
on where it stopped, no subset is measured twice, and its facts may begin an elicitation.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from elicit.asks import Done, Evaluate, Failure, Measured, Oracle
from elicit.drive import OUT_OF_TIME, ended_from_outside
from elicit.errors import InputError, JournalError, OracleError, ProtocolError
from elicit.events import Asked, Criterion, Evaluated, Fact, Failed, Resumed, Stopped
from elicit.journal import Header, Journal, begun, library_versions
from elicit.knowledge.history import History
from elicit.methods.frame import Ended, Space
from elicit.methods.goals import UNMEASURED
from elicit.methods.method import Method
from elicit.oracles.parallel import Remembering, measure_many
from elicit.progress import Progress
from elicit.subsets import Attributes, Family, Mask

#: The scope of whatever a classical method says.
SCOPE = "among the evaluated subsets"

_BUDGET = "budget"


class Walk:
    """The state of one run of a method: facts, the open batch, and the best so far."""

    def __init__(
        self,
        method: Method,
        attributes: Attributes,
        criteria: tuple[Criterion, ...],
        *,
        family: Family | None = None,
        seed: int = 0,
        facts: Iterable[Fact] = (),
    ) -> None:
        self.method, self.seed = method, seed
        self.family = Family(len(attributes)) if family is None else family
        if self.family.n != len(attributes):
            raise InputError(f"the family is over {self.family.n} attributes, there are {len(attributes)}")
        self.space = Space(self.family, method.goal, method.start, bounded=method.budget is not None)
        self.budget = method.budget
        self.history = History(attributes, criteria)
        self.values: dict[Mask, float] = {}
        self.incumbent: Mask | None = None
        self._open: dict[int, Evaluate] = {}
        self._log: list[Fact] = []
        self._next_id = 0
        self._search = method.explorer(self.space, np.random.default_rng(seed))
        self._batch: list[Mask] | None = None
        self._ended: Ended | None = None
        for fact in facts:
            self._fold(fact)
        self.budget = method.budget  # what is wanted now counts, whatever was wanted before

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact so far, in order: what a journal must hold."""
        return tuple(self._log)

    @property
    def evaluations(self) -> int:
        """Oracle calls made: measured and failed."""
        return len(self.values)

    @property
    def met(self) -> bool:
        """Whether what would be recommended is what the goal asks for."""
        return self.incumbent is not None and self.method.goal.met(self.incumbent, self.values[self.incumbent])

    def ask(self) -> Evaluate | Done:
        """The first open request, or the end."""
        while not self._open and self.history.stopped is None:
            self._advance()
        stopped = self.history.stopped
        if stopped is not None:
            return Done(stopped.request, stopped.reason, self.incumbent, SCOPE)
        return self.pending()[0]

    def pending(self) -> list[Evaluate]:
        """Every open request, in the order of the search."""
        return [self._open[request] for request in sorted(self._open)]

    def tell(self, request: int, reply: Measured | Failure) -> Fact:
        """Take a reply; a wrong or late one is an error that changes nothing."""
        if request not in self._open:
            raise ProtocolError(f"request {request} is not open; ask() says what is")
        subset = self._open[request].subset
        fact: Fact
        if isinstance(reply, Measured):
            fact = Evaluated(request, subset, reply.criteria, reply.folds, reply.spread)
        else:
            fact = Failed(request, subset, reply.reason)
        self._fold(fact)
        return fact

    def stop(self, reason: str) -> Fact:
        """End the run by somebody's wish."""
        return self._record(Stopped(self._next_id, reason))

    def resume(self, budget: int | None = None) -> Fact:
        """Go on after the end, with another budget (None: the same)."""
        return self._record(Resumed(self._next_id, budget))

    def _record(self, fact: Fact) -> Fact:
        self._fold(fact)
        return fact

    def _fold(self, fact: Fact) -> None:
        self.history.record(fact)
        self._log.append(fact)
        match fact:
            case Asked():
                self._open = {r: Evaluate(r, m, fact.why) for r, m in zip(fact.requests, fact.evaluate, strict=True)}
                self._next_id = fact.requests.stop
            case Evaluated(request, subset, criteria):
                self._open.pop(request, None)
                self._take(subset, self.method.value(subset, criteria))
            case Failed(request, subset):
                self._open.pop(request, None)
                self._take(subset, UNMEASURED)
            case Resumed(budget=budget):
                self.budget = self.budget if budget is None else budget
        self._next_id = max(self._next_id, fact.request + 1)

    def _take(self, subset: Mask, value: float) -> None:
        self.values[subset] = value
        if value == UNMEASURED or subset not in self.family:
            return
        rank, best = self.method.goal.rank, self.incumbent
        if best is None or rank(subset, value) > rank(best, self.values[best]):
            self.incumbent = subset

    @property
    def ended(self) -> Ended | None:
        """How the search ended by itself; None while it goes on."""
        self._search_on()
        return self._ended

    def _search_on(self) -> None:
        """Let the search go on as far as values are known."""
        try:
            if self._batch is None:
                self._batch = list(next(self._search))
            while self._ended is None and all(mask in self.values for mask in self._batch):
                self._batch = list(self._search.send([self.values[mask] for mask in self._batch]))
        except StopIteration as end:
            self._ended = end.value

    def _advance(self) -> None:
        """Open the next batch of the search, or end."""
        if (ended := self.ended) is not None:
            self.stop(ended.why)
            return
        unknown = [mask for mask in dict.fromkeys(self._batch or ()) if mask not in self.values]
        left = len(unknown) if self.budget is None else self.budget - self.evaluations
        if left <= 0:
            self.stop(f"{_BUDGET}: {self.budget} evaluations")
        else:
            self._record(Asked(self._next_id, tuple(unknown[:left]), why=self.method.name))


@dataclass(frozen=True)
class Outcome:
    """What a method came to.

    subset: the best for its goal among all that it evaluated, None when nothing could be measured; `met`
    says whether it is what the goal asks for. chosen: what the method's own rule selects, where it has one.
    facts: everything that happened, as an elicitation takes it.
    """

    subset: Mask | None
    names: tuple[str, ...]
    criteria: Mapping[str, float]
    value: float
    met: bool
    chosen: Mask | None
    reason: str
    evaluations: int
    failures: Mapping[str, int]
    seconds: float
    facts: tuple[Fact, ...]
    scope: str = SCOPE
    questions: int = 0
    set_aside: tuple[()] = ()


def explore(
    method: Method,
    oracle: Oracle,
    *,
    family: Family | None = None,
    seed: int = 0,
    journal: str | os.PathLike[str] | None = None,
    about: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    clock: Callable[[], float] | None = None,
    time_limit: float | None = None,
) -> Outcome:
    """Play a method to its end, and say what it came to.

    journal: where every fact is kept; a journal that is there already is continued.
    about: kept in the journal's header, and expected there when it is continued.
    n_jobs, progress, clock, time_limit: as in `drive`.
    """
    now = clock or time.monotonic
    start = now()
    with _kept(journal, method, oracle, family, seed, about, clock or time.time) as keep:
        walk = Walk(method, oracle.attributes, tuple(oracle.criteria), family=family, seed=seed, facts=keep.facts)
        if _goes_on(walk):
            walk.resume(method.budget)
        remembering = oracle if isinstance(oracle, Remembering) else Remembering(oracle)
        while not isinstance(walk.ask(), Done):
            keep(walk)
            if time_limit is not None and now() - start >= time_limit:
                walk.stop(f"{OUT_OF_TIME}: {time_limit:g} seconds have passed")
                continue
            part = walk.pending()[: int(effective_n_jobs(n_jobs))]  # at most one a worker is under way and unsaved
            replies = measure_many(remembering, [request.subset for request in part], n_jobs)
            for request, reply in zip(part, replies, strict=True):
                try:
                    walk.tell(request.id, reply)
                except InputError as error:
                    raise OracleError(f"the oracle's reply cannot be used: {error}") from error
                keep(walk)
                if progress is not None:
                    progress(_progress(walk, now() - start))
        keep(walk)
        return _outcome(walk, now() - start)


def _goes_on(walk: Walk) -> bool:
    """Whether a run that had ended goes on: the clock or a person ended it, or the budget, which is larger now."""
    stopped = walk.history.stopped
    if stopped is None:
        return False
    more = walk.budget is None or walk.budget > walk.evaluations
    return ended_from_outside(stopped) or (stopped.reason.startswith(_BUDGET) and more)


class _Keeper:
    """Appends the facts that a journal does not have yet; without a journal it does nothing."""

    def __init__(self, journal: Journal | None, clock: Callable[[], float]) -> None:
        self._journal, self._clock = journal, clock
        self.facts = () if journal is None else journal.facts
        self._saved = len(self.facts)

    def __call__(self, walk: Walk) -> None:
        if self._journal is not None:
            for fact in walk.facts[self._saved :]:
                self._journal.append(fact, at=self._clock())
                self._saved += 1


@contextmanager
def _kept(
    path: str | os.PathLike[str] | None,
    method: Method,
    oracle: Oracle,
    family: Family | None,
    seed: int,
    about: Mapping[str, Any] | None,
    clock: Callable[[], float],
) -> Iterator[_Keeper]:
    """The journal of a run, new or continued; one of another run is refused."""
    if path is None:
        yield _Keeper(None, clock)
        return
    attributes = oracle.attributes
    limits = Family(len(attributes)) if family is None else family
    settings = {
        "method": method.plain(attributes),
        "family": {"keep": limits.keep, "drop": limits.drop, "max_size": limits.max_size},
        "about": dict(about or {}),
    }
    header = Header(seed, oracle.fingerprint, attributes, oracle.criteria, settings, library_versions())
    if not begun(path):
        with Journal.create(path, header, at=clock()) as journal:
            yield _Keeper(journal, clock)
        return
    with Journal.open(path, expect_fingerprint=oracle.fingerprint) as journal:
        found = journal.header
        if (found.seed, found.attributes, found.criteria) != (header.seed, header.attributes, header.criteria):
            raise JournalError(f"journal {os.fspath(path)!r} belongs to another run; begin another journal")
        for key, wanted in header.settings.items():
            if found.settings.get(key) != wanted:
                raise JournalError(
                    f"journal {os.fspath(path)!r} belongs to a run with another {key}: it has "
                    f"{found.settings.get(key)!r}, this one {wanted!r}; begin another journal"
                )
        yield _Keeper(journal, clock)


def _criteria(walk: Walk) -> dict[str, float]:
    """The measured criteria of what would be recommended, by name."""
    if walk.incumbent is None:
        return {}
    names = (criterion.name for criterion in walk.history.criteria)
    return dict(zip(names, walk.history.evaluated[walk.incumbent].criteria, strict=True))


def _progress(walk: Walk, seconds: float) -> Progress:
    most = walk.space.count() if walk.budget is None else walk.budget
    return Progress(walk.evaluations, most, 0, 0, walk.incumbent, _criteria(walk), seconds)


def _outcome(walk: Walk, seconds: float) -> Outcome:
    history, best = walk.history, walk.incumbent
    assert history.stopped is not None
    return Outcome(
        best,
        () if best is None else history.attributes.subset(best),
        _criteria(walk),
        UNMEASURED if best is None else walk.values[best],
        walk.met,
        None if walk.ended is None else walk.ended.chosen,
        history.stopped.reason,
        walk.evaluations,
        dict(Counter(failed.reason for failed in history.failed.values())),
        seconds,
        walk.facts,
    )


def knowledge(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """What a run measured, as an elicitation with the same oracle takes it to begin with."""
    return tuple(fact for fact in facts if isinstance(fact, Asked | Evaluated | Failed))
