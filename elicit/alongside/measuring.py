"""Measuring: what a run asks for is measured, told to it, and in its journal, synced, before anything else is asked.

So whatever ends the process, the journal goes on from there. What is known from before is not measured again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from elicit.alongside.hopeless import only_failures
from elicit.asks import Evaluate, Failure, Measured, Oracle
from elicit.errors import InputError, JournalError, OracleError, WorthError
from elicit.events import Evaluated, Fact, Failed
from elicit.journal import Journal
from elicit.knowledge.history import History
from elicit.oracles.parallel import Remembering, Workers
from elicit.subsets import Mask

#: Seconds of a round after which what arrives is kept although the others of the round are still out.
LONG = 0.5

#: Seconds, in whatever way whoever plays the run counts them.
Clock = Callable[[], float]


class Run(Protocol):
    """What is played: an elicitation, or the walk of a classical method."""

    history: History

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact so far, in order."""

    @property
    def evaluations(self) -> int:
        """Oracle calls made: measured and failed."""

    def tell(self, request: int, reply: Measured | Failure, /) -> Fact:
        """Take a reply."""


class JournalWriter:
    """Writes what becomes known into the journal; without a journal it does nothing."""

    def __init__(self, run: Run, journal: Journal | None, clock: Clock) -> None:
        self._run, self._journal, self._clock = run, journal, clock
        self._writing = threading.Lock()
        self._trouble: JournalError | None = None

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Whatever ends the block, the facts that are known by then are in the journal."""
        try:
            yield
        except BaseException:
            with suppress(JournalError):  # what happened first is what is told
                self.save()
            raise
        self.save()

    def save(self) -> None:
        """Append the facts that the journal does not have yet.

        Failures before anything was measured wait for the first success, or the end: what stands in the way of all
        subsets may be mended, and whoever resumes then tries these again.
        """
        facts, ended = self._run.facts, self._run.history.stopped is not None
        if self._journal is None or (not ended and only_failures(facts)):
            return
        with self._writing:
            if self._trouble is not None:
                raise self._trouble
            self._journal.catch_up(facts, self._clock)

    def keep(self, subset: Mask, result: Measured | Failure) -> None:
        """Write down a result that was measured ahead of need; called from any thread."""
        with self._writing:
            if self._journal is not None and self._trouble is None and subset not in self._journal.cached:
                found = result.plain if isinstance(result, Measured) else result
                try:
                    self._journal.cache(subset, found, at=self._clock())
                except JournalError as error:  # told by whoever writes next, in the thread that can be told
                    self._trouble = error


def measure(
    run: Run,
    requests: Sequence[Evaluate],
    oracle: Oracle,
    workers: Workers,
    writer: JournalWriter,
    after_reply: Callable[[], None],
) -> None:
    """Measure, tell and keep, in the order of the requests; at most one a worker is under way."""
    part = requests[: workers.count]
    replies = measured_by(workers, oracle, [request.subset for request in part], writer)
    left = dict(zip((request.subset for request in part), replies, strict=True))
    with _kept_if_broken_off(left, writer):
        for request in part:
            reply = left.pop(request.subset)
            with _blaming_the_oracle():
                run.tell(request.id, reply)
            writer.save()
            after_reply()


def measured_by(
    workers: Workers, oracle: Oracle, subsets: Sequence[Mask], writer: JournalWriter
) -> list[Measured | Failure]:
    """The replies for these subsets. Whatever breaks this off, what had arrived from a worker is kept.

    Where it takes long, at once: a process that is killed breaks nothing off.
    """
    arrived: dict[Mask, Measured | Failure] = {}
    begun = time.monotonic()

    def arrive(replies: Mapping[Mask, Measured | Failure]) -> None:
        arrived.update(replies)
        if time.monotonic() - begun >= LONG and len(arrived) < len(set(subsets)):  # the last is told with all others
            _keep_measured(replies, writer)

    with _kept_if_broken_off(arrived, writer):
        return workers.measure(oracle, subsets, arrive)


@contextmanager
def _kept_if_broken_off(replies: Mapping[Mask, Measured | Failure], writer: JournalWriter) -> Iterator[None]:
    """Whatever breaks the block off, what these replies measured by then is kept, ahead of need."""
    try:
        yield
    except BaseException:
        _keep_measured(replies, writer)
        raise


def _keep_measured(replies: Mapping[Mask, Measured | Failure], writer: JournalWriter) -> None:
    for subset, reply in replies.items():
        if isinstance(reply, Measured):
            writer.keep(subset, reply)


def looked_at(
    oracle: Remembering, workers: Workers, writer: JournalWriter, subsets: Sequence[Mask]
) -> list[Measured | Failure]:
    """What the oracle says of subsets that nobody has asked for yet; what was measured is kept."""
    replies = measured_by(workers, oracle, subsets, writer)
    _keep_measured(dict(zip(subsets, replies, strict=True)), writer)
    return replies


@contextmanager
def _blaming_the_oracle() -> Iterator[None]:
    """A reply that cannot be recorded is the fault of whoever gave it, unless it is a utility that cannot rate it."""
    try:
        yield
    except WorthError:
        raise
    except InputError as error:
        raise OracleError(f"the oracle's reply cannot be used: {error}") from error


def remembering(oracle: Oracle, facts: Sequence[Fact], cached: Mapping[Mask, Measured | Failure]) -> Remembering:
    """The oracle, knowing every result so far: those computed ahead of need, and those of the facts."""
    known = oracle if isinstance(oracle, Remembering) else Remembering(oracle)  # others may share this memory
    known.learn(cached)
    known.learn(measured(facts))
    return known


def measured(facts: Sequence[Fact]) -> dict[Mask, Measured | Failure]:
    """What the oracle replied for each subset."""
    found: dict[Mask, Measured | Failure] = {}
    for fact in facts:
        if isinstance(fact, Evaluated):
            found[fact.subset] = Measured(fact.criteria, fact.folds, fact.spread)
        elif isinstance(fact, Failed):
            found[fact.subset] = Failure(fact.reason)
    return found
