"""Explore: a classical method played to its end over an oracle, with a journal if wanted.

The rule: every fact is in the journal before the next subset is measured, so that a run that was interrupted
goes on where it stopped. Clocks and interrupts belong to whoever plays it, not to the method.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

from elicit.alongside.hopeless import only_failures, require_hope
from elicit.alongside.measuring import Clock, JournalWriter, looked_at, measure, remembering
from elicit.alongside.progress import Follower, Progress
from elicit.asks import Done, Oracle, require_oracle
from elicit.drive import Result, result_of
from elicit.errors import InputError, JournalError
from elicit.events import BUDGET, Fact
from elicit.journal import Header, Journal, StrPath, library_versions
from elicit.journal.files import named
from elicit.methods.goals import UNMEASURED
from elicit.methods.method import Method
from elicit.methods.walk import Walk
from elicit.oracles import TableOracle
from elicit.oracles.describe import fingerprint
from elicit.oracles.parallel import Workers
from elicit.subsets import Family, Mask

#: What a method is made of: a journal holds a digest of each that is somebody's own.
_PARTS = ("value", "explorer", "goal")


@dataclass(frozen=True)
class Outcome(Result):
    """What a method came to; it asks nothing and sets nothing aside.

    subset: the best for its goal among all that it evaluated, None when nothing could be measured; `value` is what it
    is worth there, and `met` says whether it is what the goal asks for. chosen: what the method's own rule selects,
    where it has one. facts: everything that happened, as an elicitation takes it. The end is among them, so that one
    which begins with them goes on only after its `resume()`.
    """

    value: float
    met: bool
    chosen: Mask | None
    facts: tuple[Fact, ...]


def explore(
    method: Method,
    oracle: Oracle,
    *,
    family: Family | None = None,
    seed: int = 0,
    journal: StrPath | None = None,
    about: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[Progress], object] | None = None,
    clock: Clock | None = None,
    time_limit: float | None = None,
) -> Outcome:
    """Play a method to its end, and say what it came to.

    journal: where every fact is kept; a journal that is there already is continued.
    about: kept in the journal's header, and expected there when it is continued; without it the code of a `value`, an
    explorer or a goal of one's own is.
    n_jobs, clock: as in `drive`.
    progress: called after every reply. Once it has returned True nothing more is measured, as after the time limit.
    time_limit: seconds after which nothing more is measured; what one call of the workers measures is measured in any
        case, so that every sitting brings the run further.

    Where small and large subsets all fail alike it ends with an error after the first few (`alongside/hopeless.py`).
    """
    require_oracle(oracle)
    if not isinstance(method, Method):
        raise InputError(f'explore plays a Method, such as Method("sffs", Floating()), found {method!r:.80}')
    follower, stamp = Follower(progress, clock or time.monotonic, time_limit), clock or time.time
    opened = nullcontext() if journal is None else _opened(journal, _header(method, oracle, family, seed, about), stamp)
    with Workers(n_jobs) as workers, opened as kept:
        facts = () if kept is None else kept.facts
        walk = Walk(method, oracle.attributes, tuple(oracle.criteria), family=family, seed=seed, facts=facts)
        before = walk.evaluations
        writer = JournalWriter(walk, kept, stamp)
        if journal is not None:
            _require_budget(walk, journal)
        if _goes_on(walk):
            walk.resume(method.budget)
        known = remembering(oracle, walk.facts, {} if kept is None else kept.cached)

        def report() -> None:
            if progress is not None:
                follower.tell(_progress(walk, follower.seconds, before))

        while not isinstance(done := walk.ask(), Done):
            writer.save()
            if not isinstance(oracle, TableOracle):  # looking there costs nothing, and what lacks a row is no failure
                require_hope(only_failures(walk.facts), walk.family, partial(looked_at, known, workers, writer))
            measure(walk, walk.pending(workers.count), known, workers, writer, report)
            if (end := follower.end) is not None:
                walk.stop(*end)
        writer.save()
        return _outcome(walk, done, follower.seconds, before)


def _require_budget(walk: Walk, journal: StrPath) -> None:
    """Refuse a journal of more evaluations than the budget allows."""
    if walk.budget is not None and walk.evaluations > walk.budget:
        raise JournalError(
            f"{named(journal)} holds {walk.evaluations} evaluations, more than the budget of "
            f"{walk.budget}; begin another journal, or give a larger budget"
        )


def _goes_on(walk: Walk) -> bool:
    """Whether a run that had ended goes on: the clock or a person ended it, or the budget, which is larger now."""
    stopped = walk.history.stopped
    if stopped is None:
        return False
    more = walk.budget is None or walk.budget > walk.evaluations
    return stopped.from_outside or (stopped.rule == BUDGET and more)


def _header(
    method: Method, oracle: Oracle, family: Family | None, seed: int, about: Mapping[str, Any] | None
) -> Header:
    """The header of a run's journal."""
    attributes = oracle.attributes
    limits = Family(len(attributes)) if family is None else family
    settings: dict[str, Any] = {
        "method": method.plain(attributes),
        "family": limits.plain(attributes),
        "about": dict(about or {}),
    }
    if about is None:  # with another part of one's own it may have ended elsewhere
        parts = {name: getattr(method, name) for name in _PARTS}
        settings |= {name: fingerprint(part)[:16] for name, part in parts.items() if _is_ones_own(part)}
    return Header(seed, oracle.fingerprint, attributes, oracle.criteria, settings, library_versions())


def _is_ones_own(part: object) -> bool:
    """Whether a part of a method is none of those that are here, which the names and settings of a method tell."""
    return not str(getattr(part, "__module__", "")).startswith("elicit.methods.")


@contextmanager
def _opened(path: StrPath, header: Header, clock: Clock) -> Iterator[Journal]:
    """The journal of a run, new or continued."""
    with Journal.open_or_create(path, header, at=clock()) as journal:
        _require_same_run(named(path), journal.header, header)
        yield journal


def _require_same_run(journal: str, found: Header, header: Header) -> None:
    """Refuse the journal of another run."""
    if "method" not in found.settings:
        raise JournalError(
            f"{journal} holds a session, not a run of a classical method; "
            "elicit resume goes on there, or begin another journal"
        )
    if (found.seed, found.attributes, found.criteria) != (header.seed, header.attributes, header.criteria):
        raise JournalError(f"{journal} belongs to another run; begin another journal")
    had, wanted = _by_name(found.settings), _by_name(header.settings)
    for key in dict.fromkeys((*wanted, *had)):
        if not _alike(had.get(key), wanted.get(key)):
            if key in _PARTS:  # of which a digest is kept, in which nobody could read how they differ
                raise JournalError(
                    f"{journal} belongs to a run with another {key}, or was begun when none was noted; "
                    "begin another journal"
                )
            raise JournalError(
                f"{journal} belongs to a run with another {key}: it has {had.get(key)!r}, "
                f"this one {wanted.get(key)!r}; begin another journal"
            )


def _by_name(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run, and what it is about, each by a name that can be told."""
    own = {key: value for key, value in settings.items() if key != "about"}
    return own | {f"`{key}`": value for key, value in settings.get("about", {}).items()}


def _alike(found: Any, wanted: Any) -> bool:
    """Whether two settings are the same but for the last digits, which other versions of libraries compute otherwise.

    A ranking holds the score of each attribute.
    """
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_alike(found[key], wanted[key]) for key in wanted)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_alike, found, wanted))
    if isinstance(found, float) and isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=1e-12)
    return bool(found == wanted)


def _progress(walk: Walk, seconds: float, kept: int) -> Progress:
    most = walk.space.count() if walk.budget is None else walk.budget
    return Progress(
        evaluations=walk.evaluations,
        budget=most,
        questions=0,
        most_questions=0,
        subset=walk.incumbent,
        criteria=walk.history.named(walk.incumbent),
        seconds=seconds,
        names=() if walk.incumbent is None else walk.history.attributes.subset(walk.incumbent),
        kept=kept,
    )


def _outcome(walk: Walk, done: Done, seconds: float, kept: int) -> Outcome:
    return Outcome(
        **vars(result_of(walk, done, seconds, kept)),
        value=UNMEASURED if done.subset is None else walk.values[done.subset],
        met=walk.met,
        chosen=None if walk.ended is None else walk.ended.chosen,
        facts=walk.facts,
    )
