"""Sessions: an elicitation played with the operator at the terminal, or on standard input.

The rule: on a terminal it is a dialogue on the whole screen. Elsewhere there is no prompt: each line is an answer,
and the end of the input saves and leaves.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, filterfalse, takewhile
from pathlib import Path
from typing import Any, TextIO

from joblib import effective_n_jobs

from elicit.alongside.display import Meter, activity, clock_time, run_status
from elicit.alongside.insight import Insight
from elicit.alongside.progress import Progress
from elicit.asks import Compare, Evaluate, Failure, Measured, Oracle, Reconcile
from elicit.commands.caught_warnings import counted_warnings, warning_lines
from elicit.commands.chosen_data import reading
from elicit.commands.defaults import FIRST_SESSION, SETTINGS
from elicit.commands.ending import ending
from elicit.commands.output import screen_width
from elicit.commands.reduced_data import write_reduced
from elicit.commands.status import BAD_INPUT, DOES_NOT_HOLD, DONE, INTERRUPTED, complain, tell
from elicit.data import Data, load
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import Result, drive
from elicit.errors import InputError, JournalError, JournalInUseError, system_reason
from elicit.events import SCORE_AND_SIZE, Resumed, Stopped
from elicit.journal import begun, read
from elicit.operators.lines import COLUMNS, LineOperator
from elicit.operators.page import Leave, Reply
from elicit.operators.terminal import TerminalOperator
from elicit.oracles import Remembering
from elicit.printable import many, pasted, printable, rounded
from elicit.sessions import Session, begin
from elicit.sources.oracle import SyntheticSpec, oracle_from

#: Seconds of deciding for each evaluation and attribute, roughly; measured at n = 13 to 300.
_SECONDS_OF_DECIDING = 0.002

#: A line of so many characters is no word, but a stream without an end, which would fill the memory.
_LONGEST_ANSWER = 10_000


@dataclass(frozen=True)
class PlayOptions:
    """How a session is played: the processes, the file for the reduced data (None: none), and notes to print first.

    wrong: what did not hold in the journal when it was opened.
    """

    n_jobs: int | None = None
    output: str | None = None
    notes: tuple[str, ...] = ()
    wrong: str | None = None


def run(args: argparse.Namespace) -> int:
    """A session on the built-in data."""
    oracle = session_oracle(FIRST_SESSION)
    start = partial(begin, oracle=oracle, settings=Settings(**SETTINGS), about={"oracle": FIRST_SESSION})
    notes = unfinished_note("elicit-wine", oracle) if args.journal is None else ()
    with begun_at(args.journal, "elicit-wine", start) as session:
        notes += (data_summary(load(str(FIRST_SESSION["data"])), FIRST_SESSION, len(oracle.attributes)),)
        return play_session(session, oracle, FIRST_SESSION, PlayOptions(notes=notes))


def data_summary(data: Data, section: Mapping[str, Any], attributes: int) -> str:
    """One line on the rows, the attributes, the target, the model and the score."""
    kind = "classes" if data.classes else "numbers"
    scored = section.get("scoring") or ("accuracy" if data.classes else "R²")
    return (
        f"{len(data.y)} rows, {attributes} attributes; the target holds {kind}; model {section['model']}, "
        f"score: {scored} over {section['folds']} folds"
    )


def session_oracle(section: Mapping[str, Any]) -> Oracle:
    """The oracle that a section describes, if it is one that a session can ask; paths are relative to where one is."""
    with reading(str(section.get("data", "the data"))):
        oracle = oracle_from(section, Path())
    if isinstance(oracle, SyntheticSpec):
        raise InputError("a drawn truth has no session; use elicit run")
    return oracle


def free_path(stem: str) -> str:
    """The first of stem.jsonl, stem-2.jsonl, … that no session has taken."""
    if not os.access(os.curdir, os.W_OK):
        raise InputError("this folder, in which the session would be kept, cannot be written; give --journal FILE")
    return next(path for path in _paths(stem) if not _taken(path))


def begun_at(path: str | None, stem: str, start: Callable[[str], Session]) -> Session:
    """The session that `start` begins at a path; without one, at the first of `free_path` that it may have.

    Others may take paths in the moment in which this one looks for its own.
    """
    if path is not None:
        return start(path)
    free_path(stem)  # where the folder cannot be written it says so
    for each in filterfalse(_taken, _paths(stem)):
        try:
            return start(each)
        except JournalInUseError:
            continue
        except InputError:
            if not _taken(each):
                raise
    raise AssertionError("there is always another path")


def _paths(stem: str) -> Iterator[str]:
    """The paths that sessions without --journal are given, in order."""
    yield f"{stem}.jsonl"
    yield from (f"{stem}-{k}.jsonl" for k in count(2))


def _taken(path: str) -> bool:
    if not os.path.isfile(path):
        return os.path.lexists(path)
    try:
        return begun(path)
    except InputError:
        return True  # somebody else's, who lets nobody read it


def unfinished_note(stem: str, oracle: Oracle) -> tuple[str, ...]:
    """A line on the latest session of the same data that has not ended, if there is one."""
    taken = list(takewhile(_taken, _paths(stem)))
    for path in reversed(taken):
        if os.path.isfile(path) and _is_unfinished(path, oracle):
            return (f"an unfinished session is in {printable(path)}: elicit resume {pasted(path)} goes on there",)
    return ()


def _is_unfinished(path: str, oracle: Oracle) -> bool:
    """Whether a journal holds a session of the same data that has begun and has not ended."""
    try:
        record = read(path)
    except (InputError, JournalError):
        return False  # whoever resumes it is told what is wrong with it
    ends = [isinstance(fact, Stopped) for fact in record.facts if isinstance(fact, Stopped | Resumed)]
    return record.header.fingerprint == oracle.fingerprint and bool(record.facts) and not any(ends[-1:])


def play_session(session: Session, oracle: Oracle, section: Mapping[str, Any], options: PlayOptions) -> int:
    """Play a session to its end, or until the operator leaves; return the exit status."""
    remembering = Remembering(oracle, session.journal.cached)
    with counted_warnings() as warned:
        try:
            opening = [
                f"journal: {printable(os.fspath(session.journal.path))}",
                *options.notes,
                *_estimate(session, remembering),
            ]
            if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
                title = f"elicit  {section.get('data', section['kind'])}"
                result = _drive_on_screen(session, remembering, opening, title, options.n_jobs)
            else:
                result = _drive_on_lines(session, remembering, opening, options.n_jobs)
            lines = list(ending(session, remembering, section, result, options.wrong))
        except Leave as reason:
            print()
            tell(f"{reason}; {_how_to_resume(session)}", sys.stdout)
            if options.output is not None:
                tell(
                    f"{options.output} was not written, for the session has not ended; resume it with -o, too",
                    sys.stdout,
                )
            return DONE
        except InputError as error:  # such as a word of a stream that means nothing
            raise InputError(f"{error}; {_how_to_resume(session)}") from error
        except KeyboardInterrupt:
            if sys.stderr.isatty():
                print(file=sys.stderr)  # the line of the prompt, where ^C stands
            complain(f"interrupted; {_how_to_resume(session)}")
            return INTERRUPTED
    status = _finish(session, section, options, result, lines, list(warning_lines(warned)))
    return DOES_NOT_HOLD if status == DONE and options.wrong is not None else status


def _how_to_resume(session: Session) -> str:
    """What is kept of a session that was left, and how to go on with it."""
    path = os.fspath(session.journal.path)
    if session.journal.there:
        return f"everything is kept, go on with: elicit resume {pasted(path)}"
    return f"but {printable(path)} was deleted, moved or changed meanwhile, and what was kept may be lost with it"


def _finish(
    session: Session,
    section: Mapping[str, Any],
    options: PlayOptions,
    result: Result,
    lines: Sequence[str],
    warned: Sequence[str],
) -> int:
    """Write the reduced data, if they are wanted, and tell the end; return the exit status."""
    written = None
    try:  # before anything is told: whoever reads may have read enough
        if options.output is not None and result.subset is not None:
            written = write_reduced(options.output, section, result.names, session.journal.header.fingerprint)
    finally:
        print("\n".join(lines))
        for line in warned:
            tell(line, sys.stdout)
    if written is not None:
        tell(f"{options.output}: {written}", sys.stdout)
    return BAD_INPUT if result.subset is None else DONE  # whatever comes next in a script has nothing to go by


def _drive_on_lines(session: Session, oracle: Remembering, opening: Sequence[str], n_jobs: int | None) -> Result:
    """Drive the session with the operator's answers, one on each line of standard input."""
    for line in opening:
        tell(line, sys.stdout)
    elicitation = session.elicitation
    insight = Insight(elicitation)
    lines = LineOperator(
        elicitation.history.attributes,
        elicitation.history.criteria,
        _answers(sys.stdin),
        sys.stdout,
        desk=insight,
        prompt=sys.stdin.isatty(),
        columns=min(screen_width() or COLUMNS, COLUMNS),
    )

    with Meter(sys.stderr) as meter:

        def operator(request: Compare | Reconcile) -> Reply:
            meter.clear()
            return lines(request)

        def show(progress: Progress) -> None:
            insight.latest = progress
            meter.update(progress.evaluations / progress.budget, run_status(progress), progress.kept / progress.budget)

        return drive(elicitation, oracle, operator, session.journal, n_jobs=n_jobs, progress=show)


def _answers(stream: TextIO) -> Iterator[str]:
    """The lines of a stream up to its end; one that cannot be read, as behind nohup, is bad input like any other."""
    while True:
        try:
            line = stream.readline(_LONGEST_ANSWER)
        except OSError as error:
            raise InputError(f"the answers cannot be read ({system_reason(error)})") from error
        if not line:
            return
        if len(line) == _LONGEST_ANSWER:
            raise InputError(f"a line of the answers has {_LONGEST_ANSWER} characters or more; put one word on each")
        yield line


def _drive_on_screen(
    session: Session, oracle: Remembering, opening: Sequence[str], title: str, n_jobs: int | None
) -> Result:
    """Drive it with a dialogue on the whole screen; other processes play on while the operator reads."""
    elicitation = session.elicitation
    attributes, criteria = elicitation.history.attributes, elicitation.history.criteria
    insight = Insight(elicitation)
    with TerminalOperator(attributes, criteria, insight, title=title) as operator:

        def show(progress: Progress) -> None:
            insight.latest = progress
            operator.show(progress.evaluations / progress.budget, activity(progress))

        if elicitation.history.stopped is None:
            operator.open(opening)
            operator.show(0.0, "measuring the first subsets")
        result = drive(
            elicitation,
            oracle,
            operator,
            session.journal,
            n_jobs=n_jobs,
            progress=show,
            ahead=int(effective_n_jobs(-1 if n_jobs is None else n_jobs)),
            attended=True,
        )
        operator.show(1.0, "working out how sure the result is")
    return result


def _estimate(session: Session, oracle: Remembering) -> Iterator[str]:
    """How long it will take, judged by one evaluation of the largest subset, the baseline, whose result is kept."""
    elicitation, journal = session.elicitation, session.journal
    baseline = elicitation.family.largest
    if elicitation.history.stopped is not None or baseline in oracle.known:
        return
    with Meter(sys.stderr) as meter:
        meter.update(0.0, "timing one evaluation")
        start = time.monotonic()
        reply = oracle(Evaluate(0, baseline))
        seconds = time.monotonic() - start
    left = elicitation.budget - elicitation.evaluations
    if isinstance(reply, Measured):  # what failed is tried again by whoever resumes
        journal.cache(baseline, reply)
    total = left * (seconds + _SECONDS_OF_DECIDING * baseline.bit_count())
    settings, asked, meanwhile = elicitation.settings, "nothing asked", ""
    if settings.questions and min(elicitation.budget, elicitation.family.count()) > 1:
        asked = f"at most {many(settings.undoubted_questions, 'question')} asked"
        meanwhile = ", much of it while you read"
        if settings.undoubted_questions < settings.questions:
            asked += f" ({settings.questions} where answers are doubted)"
    yield (
        f"at most {elicitation.budget} of {many(elicitation.family.count(), 'subset')} will be evaluated and {asked}: "
        f"roughly {clock_time(max(total, 1.0))} of computing ({rounded(seconds, 2)} s for one evaluation){meanwhile}."
    )
    if isinstance(reply, Failure):
        yield _failure_advice(elicitation, reply)


def _failure_advice(elicitation: Elicitation, failure: Failure) -> str:
    """That the largest subset could not be measured, why, and what may help."""
    family = elicitation.family
    there = many(family.largest.bit_count(), "attribute")
    what = f"The {there} that may be chosen" if family.drop else "All attributes"
    further = len(elicitation.history.criteria) > len(SCORE_AND_SIZE)
    another = "--model, --scoring or --criteria" if further else "--model or --scoring"
    reason = printable(failure.reason).removesuffix(".")  # a library's words may end a sentence, as these do
    return (
        f"{what} together could not be measured: {reason}. If that is so of every subset, leave, and begin with "
        f"another {another}."
    )
