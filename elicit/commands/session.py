"""Sessions: `elicit` on the built-in data, and `elicit resume`; played with whoever is at the standard input."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from elicit.asks import Compare, Oracle, Reconcile, Settlement
from elicit.commands.arguments import jobs
from elicit.commands.status import DONE, INTERRUPTED, complain
from elicit.display import Meter, clock_time, standing, told
from elicit.drive import Progress, Result, Session, begin, drive, resume
from elicit.errors import InputError, JournalError
from elicit.events import Answer
from elicit.journal import begun, read
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.operators.lines import Leave, LineOperator, printable
from elicit.scenario import SyntheticSpec, oracle_from
from elicit.subsets import Attributes

#: What `elicit` without an argument is about.
FIRST_SESSION = {"kind": "wrapper", "data": "wine", "model": "knn:3", "folds": 10}


def add_resume(commands: Any) -> None:
    """Make the command known to the parser."""
    command = commands.add_parser(
        "resume", help="go on exactly where a session stopped, or further", allow_abbrev=False
    )
    command.add_argument("path", metavar="JOURNAL", help="the journal of the session")
    command.add_argument("--budget", metavar="N", help="oracle calls in all from now on, or with + that many more")
    command.add_argument("--n-jobs", type=jobs, metavar="N", help="evaluations at once")
    command.set_defaults(command=_resume)


def first_session(args: argparse.Namespace) -> int:
    """A session on the built-in data."""
    oracle = oracle_of(FIRST_SESSION, Path())
    path = _free_path("elicit-wine") if args.journal is None else args.journal
    with begin(path, oracle, about={"oracle": FIRST_SESSION}) as session:
        return _play(session, oracle, path)


def _resume(args: argparse.Namespace) -> int:
    record = read(args.path)
    about = record.header.settings.get("about")
    section = about.get("oracle") if isinstance(about, dict) else None
    if not isinstance(section, dict):
        raise InputError(
            f"journal {args.path!r} does not say what its oracle was made of; resume it from Python, "
            "with elicit.drive.resume"
        )
    try:
        oracle = oracle_of(section, Path())
    except InputError as error:
        raise JournalError(f"journal {args.path!r}: its oracle cannot be made again: {error}") from error
    with resume(args.path, oracle) as session:
        if args.budget is not None:
            session.elicitation.resume(_budget(args.budget, session.elicitation.budget))
        return _play(session, oracle, args.path, args.n_jobs)


def _budget(text: str, now: int) -> int:
    number = text.removeprefix("+")
    if not number.isdecimal() or int(number) < 1:
        raise InputError(f"--budget is a number of at least 1, or +N for N more than {now}; found {text!r}")
    return int(number) + (now if text.startswith("+") else 0)


def oracle_of(section: Mapping[str, Any], folder: Path) -> Oracle:
    """The oracle of a section, which must be one that a session can ask."""
    oracle = oracle_from(section, folder)
    if isinstance(oracle, SyntheticSpec):
        raise InputError("a drawn truth has no session; use elicit run")
    return oracle


def _free_path(stem: str) -> str:
    """The first of stem.jsonl, stem-2.jsonl, … that no session has taken."""
    path, k = f"{stem}.jsonl", 1
    while os.path.lexists(path) and (not os.path.isfile(path) or begun(path)):
        k += 1
        path = f"{stem}-{k}.jsonl"
    return path


def _play(session: Session, oracle: Oracle, path: str, n_jobs: int | None = None) -> int:
    """A session with whoever is at the standard input, to its end or until they leave."""
    elicitation = session.elicitation
    attributes = elicitation.history.attributes
    again = f"elicit resume {printable(path)}"
    print(f"journal: {printable(path)}", flush=True)
    meter = Meter(sys.stderr)
    lines = LineOperator(
        attributes,
        elicitation.history.criteria,
        iter(sys.stdin.readline, ""),
        sys.stdout,
        recall=lambda request: elicitation.history.answers[request],
        prompt=sys.stdin.isatty(),
    )

    def operator(request: Compare | Reconcile) -> Answer | Settlement:
        meter.clear()
        return lines(request)

    def show(progress: Progress) -> None:
        meter.update(progress.evaluations / progress.budget, standing(progress))

    try:
        result = drive(elicitation, oracle, operator, session.journal, n_jobs=n_jobs, progress=show)
    except Leave as reason:
        meter.clear()
        print(f"\n{reason}; everything is kept, go on with: {again}")
        return DONE
    except KeyboardInterrupt:
        meter.clear()
        complain(f"interrupted; everything is kept, go on with: {again}")
        return INTERRUPTED
    meter.clear()
    print("\n".join(_told(result, attributes)))
    print(f"to go further: {again} --budget +50")
    return DONE


def _told(result: Result, attributes: Attributes) -> Iterator[str]:
    """A result in plain lines."""
    yield ""
    if result.subset is None:
        yield "nothing could be measured, so nothing is recommended"
    else:
        yield f"recommended: {', '.join(map(printable, result.names))}"
        yield f"  {told(result.criteria)}"
    yield f"ended by {printable(result.reason)} ({result.scope})"
    spent = f"{result.evaluations} evaluations, {result.questions} questions, {clock_time(result.seconds)}"
    yield f"spent: {spent}"
    for reason, times in result.failures.items():
        yield f"not measured, {times} times: {printable(reason)}"
    measured = sum(1 for statement, _ in result.set_aside if statement.source is Source.DOMINANCE)
    for statement, _ in result.set_aside:
        if statement.source is not Source.DOMINANCE:
            yield f"set aside: {_stated(statement, attributes)}"
    if measured:
        yield f"set aside: {measured} of the orders that were measured, as noise"


def _stated(statement: Statement, attributes: Attributes) -> str:
    sign = {Relation.STRICT: "better than", Relation.WEAK: "at least as good as"}.get(statement.relation, "as good as")
    sides = [
        "{" + ", ".join(map(printable, attributes.subset(mask))) + "}" for mask in (statement.better, statement.worse)
    ]
    return f"{sides[0]} {sign} {sides[1]} ({statement.source.value})"
