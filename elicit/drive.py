"""Drive: carry requests to the oracle and the operator until the run has ended, and lose nothing on the way.

    with begin("session.jsonl", oracle) as session:
        result = drive(session.elicitation, oracle, operator, session.journal)

Every fact is in the journal, synced, before the next request goes out. So whatever ends the process, the
journal resumes: `resume` builds the same elicitation from it, and `drive` goes on with what is still
open (`begin` and `resume` are those of `elicit.sessions`). Clocks and interrupts belong to whoever drives; the
core has neither.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import cast

from elicit.alongside.ahead import Ahead
from elicit.alongside.hopeless import only_failures, require_hope
from elicit.alongside.measuring import Clock, JournalWriter, Run, looked_at, measure, remembering
from elicit.alongside.progress import Follower, Progress, progress_of
from elicit.asks import (
    Compare,
    Comparer,
    Done,
    Enough,
    Evaluate,
    Operator,
    Oracle,
    Reconcile,
    Settlement,
    TakeBack,
    require_oracle,
)
from elicit.decide.elicitation import Elicitation
from elicit.errors import InputError, JournalError, one_line
from elicit.events import Answer, Retracted
from elicit.interrupts import until_kept
from elicit.journal import Journal, StrPath
from elicit.knowledge.statements import Statement
from elicit.oracles.parallel import Workers
from elicit.proof.claims import claim_of
from elicit.proof.strained import strained_in
from elicit.sessions import header_of, is_header_of
from elicit.subsets import Mask
from elicit.threads import one_thread

#: What a comparison has and a contradiction has not.
_OF_COMPARISONS = {field.name for field in fields(Compare)} - {field.name for field in fields(Reconcile)}


@dataclass(frozen=True)
class Result:
    """What a run came to. `subset` is None when nothing in the family could be measured.

    `scope` is the set in which `reason` speaks. `failures` counts subsets by why they could not be
    measured. `set_aside` are statements that the recommendation does not honour in full, with their slack (see
    `elicit.proof.strained`). `kept` counts evaluations that the journal already held; `seconds` are for the others.
    """

    subset: Mask | None
    names: tuple[str, ...]
    criteria: Mapping[str, float]
    reason: str
    scope: str
    evaluations: int
    questions: int
    failures: Mapping[str, int]
    set_aside: tuple[tuple[Statement, float], ...]
    seconds: float
    kept: int


def drive(
    elicitation: Elicitation,
    oracle: Oracle,
    operator: Operator | Comparer | None,
    journal: Journal | StrPath | None = None,
    *,
    n_jobs: int | None = None,
    progress: Callable[[Progress], object] | None = None,
    clock: Clock | None = None,
    time_limit: float | None = None,
    ahead: int = 0,
    claim: bool = True,
    strained: bool = True,
    attended: bool = False,
) -> Result:
    """Play the elicitation to its end, and say what it came to.

    Where small and large subsets all fail alike it ends with an error after the first few (`alongside/hopeless.py`).

    operator: who answers; None where nothing is asked (`questions = 0`).
    journal: where every fact is kept, open or as a path. One that is there already is continued, if the elicitation
        was built of what it holds (`elicitation_of` of `elicit.sessions`; `resume` gives it with the open journal).
    n_jobs: evaluations of one round that run at once, by joblib; the facts are the same for any number.
    progress: called after every reply. Without it no time is spent on what would be recommended meanwhile. Once it has
        returned True no other round is begun, as after the time limit.
    clock: gives the seconds, for the time limit and for the times in the journal.
    time_limit: seconds after which no other round is begun: what was asked is replied to first, one round at
        least, so that nothing that was decided is thrown away and every sitting brings the run further.
    ahead: processes that go on with the run while the operator thinks; the facts are the same for any number.
    claim: write what was proven into the journal at the end, which may take a while.
    strained: work out which statements are set aside, by a linear program over all of them; otherwise none is named.
    attended: a person reads along: what would be recommended, and its regret (some linear programs), is told before
        a question only, so that nobody waits for it after a reply.
    """
    require_oracle(oracle)
    _require_operator(operator, elicitation.settings.questions)
    stamp = clock or time.time
    with _opened(journal, elicitation, oracle, stamp) as kept:
        known = remembering(oracle, elicitation.facts, {} if kept is None else kept.cached)
        writer = JournalWriter(elicitation, kept, stamp)
        # durations are measured by a clock that never jumps
        reporter = _ProgressReporter(elicitation, progress, clock or time.monotonic, attended, time_limit)
        with Workers(n_jobs) as workers, writer.saving(), Ahead(known, ahead, writer.keep) as thinking:
            look_at = partial(looked_at, known, workers, writer)
            # who only compares is told apart by what comes of a contradiction
            dialogue = _Dialogue(elicitation, cast("Operator | None", operator), thinking, writer, reporter)
            while not isinstance(request := elicitation.ask(), Done):
                writer.save()
                if isinstance(request, Evaluate):
                    require_hope(only_failures(elicitation.facts), elicitation.family, look_at)
                    requests = [r for r in elicitation.pending() if isinstance(r, Evaluate)]
                    measure(elicitation, requests, known, workers, writer, reporter.after_reply)
                else:
                    dialogue.ask(request)
                at_rest = not elicitation.pending() and elicitation.history.stopped is None
                if (end := reporter.end) is not None and at_rest:
                    elicitation.stop(*end)
        if thinking.hindrance is not None:
            warnings.warn(
                f"nothing was computed ahead: the oracle cannot be sent to a process ({one_line(thinking.hindrance)})",
                stacklevel=2,
            )
        seconds = reporter.seconds  # what is proven afterwards is not part of the run
        with one_thread():
            if claim and kept is not None and not _is_claimed(kept, request.subset):
                kept.claim(claim_of(elicitation), at=stamp())
            return result_of(elicitation, request, seconds, reporter.kept, strained_in(elicitation) if strained else ())


@contextmanager
def _opened(
    journal: Journal | StrPath | None, elicitation: Elicitation, oracle: Oracle, stamp: Clock
) -> Iterator[Journal | None]:
    """The journal of the run: the one given, or that of a path, which is closed at the end."""
    if journal is None or isinstance(journal, Journal):
        _require_one_run(elicitation, oracle, journal)
        yield journal
        return
    if not isinstance(journal, str | os.PathLike):
        raise InputError(f"journal is a Journal, the path of one, or None; found {journal!r:.80}")
    _require_one_run(elicitation, oracle, None)
    with Journal.open_or_create(journal, header_of(elicitation, oracle.fingerprint), at=stamp()) as opened:
        _require_one_run(elicitation, oracle, opened)
        yield opened


def _is_claimed(journal: Journal, subset: Mask | None) -> bool:
    """Whether a journal says what is proven of a subset; another version may have recommended another one."""
    names = None if subset is None else list(journal.header.attributes.subset(subset))
    return journal.last_claim is not None and journal.last_claim.get("subset") == names


class _ProgressReporter(Follower):
    """Reports where a driven run stands: where a person reads along, in full before a question and else briefly."""

    def __init__(
        self,
        elicitation: Elicitation,
        progress: Callable[[Progress], object] | None,
        clock: Clock,
        attended: bool,
        time_limit: float | None,
    ) -> None:
        super().__init__(progress, clock, time_limit)
        self._elicitation, self._attended = elicitation, attended
        self.kept = elicitation.evaluations
        self._reported_ahead = False

    def after_reply(self) -> None:
        """Report after a reply; only briefly where a person waits for the next question."""
        self.report(brief=self._attended)

    def before_question(self) -> None:
        """Report in full, unless that came with what was computed ahead."""
        if self._attended and not self._reported_ahead:
            self.report(brief=False)
        self._reported_ahead = False

    def found_ahead(self, standing: Progress) -> None:
        """Report what was computed ahead: where the run stands at its next question."""
        if self._progress is not None:
            self.tell(standing)
            self._reported_ahead = True

    def report(self, *, brief: bool) -> None:
        """Report where the run stands; when nobody wants to know, no time is spent on it."""
        if self._progress is not None:
            with one_thread():
                standing = progress_of(self._elicitation, self.seconds, brief=brief, regret=self._attended)
            self.tell(standing)

    def tell(self, standing: Progress) -> None:
        """Tell it as this sitting counts: the copies that are played ahead count from when they began."""
        super().tell(replace(standing, seconds=self.seconds, kept=self.kept))


@dataclass(frozen=True)
class _Dialogue:
    """Carries questions to the operator, and tells the answers."""

    elicitation: Elicitation
    operator: Operator | None
    ahead: Ahead
    writer: JournalWriter
    reporter: _ProgressReporter

    def ask(self, request: Compare | Reconcile) -> None:
        """Ask the operator and tell the answer, then adopt what was decided ahead for this answer."""
        self.reporter.before_question()
        self.ahead.begin(self.elicitation, request)
        while isinstance(reply := self._kept_reply(request), TakeBack):
            self.reporter.report(brief=False)
            if request not in self.elicitation.pending():  # a contradiction that is none any more
                return
            self.ahead.begin(self.elicitation, request)
        if isinstance(reply, Enough):
            return
        if self.ahead.under_way(reply):
            self.reporter.report(brief=True)  # whoever answered sees that the answer was taken
        found = self.ahead.take(reply, self.reporter.tell)
        if found is None or self.reporter.end is not None:  # what was decided ahead would be another round
            self.reporter.after_reply()
            return
        self.elicitation.adopt(found.facts)
        self.writer.save()
        self.reporter.found_ahead(found.progress)

    def _kept_reply(self, request: Compare | Reconcile) -> Answer | Settlement | TakeBack | Enough:
        """What the operator replies, once it is told and in the journal: no interrupt makes an answer lost."""
        with until_kept() as hold:
            reply = self._said(self._as_it_stands(request))
            hold()
            if isinstance(reply, TakeBack):
                self.elicitation.retract(reply.request)
            elif isinstance(reply, Enough):
                self.elicitation.stop("the operator is content with the best so far")
            else:
                self.elicitation.tell(request.id, reply)
            self.writer.save()
        return reply

    def _said(self, request: Compare | Reconcile) -> Answer | Settlement | TakeBack | Enough:
        """What the operator says. Who only compares, or is nobody, leaves what contradicts each other to be weighed."""
        if self.operator is None:
            return Settlement(None)
        settles = isinstance(request, Reconcile)
        try:
            reply = self.operator(request)
        except AttributeError as error:
            if settles and error.obj is request and error.name in _OF_COMPARISONS:  # it looked for two subsets, say
                return Settlement(None)
            raise
        return Settlement(None) if settles and isinstance(reply, str) and reply in set(Answer) else reply

    def _as_it_stands(self, request: Compare | Reconcile) -> Compare | Reconcile:
        """The question as it is put: no check any more where an answer that may have implied it was taken back."""
        since = (f for f in self.elicitation.history.facts if isinstance(f, Retracted) and f.request > request.id)
        if isinstance(request, Compare) and request.check and next(since, None) is not None:
            return replace(request, why="it was a check of answers, of which one was taken back", check=False)
        return request


def result_of(
    run: Run,
    done: Done,
    seconds: float,
    kept: int,
    set_aside: tuple[tuple[Statement, float], ...] = (),
) -> Result:
    """What a run came to, once it is done."""
    history = run.history
    return Result(
        subset=done.subset,
        names=() if done.subset is None else history.attributes.subset(done.subset),
        criteria=history.named(done.subset),
        reason=done.reason,
        scope=done.scope,
        evaluations=run.evaluations,
        questions=len(history.answers),
        failures=history.failures,
        set_aside=set_aside,
        seconds=seconds,
        kept=kept,
    )


def _require_operator(operator: object, questions: int) -> None:
    """Refuse what cannot answer, such as a bare expression, before anything is measured for it."""
    if not callable(operator) and (operator is not None or questions > 0):
        raise InputError(
            f"an operator is called with each question, found {operator!r:.80}; SimulatedOperator(expression, "
            "criteria) makes one of an expression, and with questions = 0 none is needed"
        )


def _require_one_run(elicitation: Elicitation, oracle: Oracle, journal: Journal | None) -> None:
    """Refuse an oracle or a journal of another run, before anything is measured or written."""
    history = elicitation.history
    if oracle.attributes != history.attributes or tuple(oracle.criteria) != history.criteria:
        raise InputError("the oracle measures other attributes or criteria than the elicitation knows; make it of both")
    if journal is None:
        return
    journal.require_data(oracle.fingerprint)
    if not is_header_of(journal.header, elicitation):
        raise JournalError(
            "the journal belongs to another run: its seed, settings, attributes or criteria are not those of the "
            "elicitation; begin() and resume() of elicit.sessions make both together"
        )
    written = journal.facts
    if written != elicitation.facts[: len(written)]:
        raise JournalError("the journal holds other facts than the elicitation; build the elicitation with resume()")
