"""elicit resume: go on exactly where a session stopped, or further."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elicit.alongside.insight import Insight
from elicit.asks import Oracle
from elicit.commands.ending_bounds import false_step
from elicit.commands.output import check_place
from elicit.commands.session import PlayOptions, play_session, session_oracle
from elicit.data import BUILT_IN
from elicit.decide.elicitation import Elicitation
from elicit.decide.turns import Turns
from elicit.errors import InputError, JournalError
from elicit.events import Stopped
from elicit.journal import Record, other_versions, read
from elicit.printable import many, printable
from elicit.sessions import require_session, resume


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    record = read(args.path)
    section = session_section(record, args.path)
    _require_data(section, args.path)
    check_place(args.output, args.path, section.get("data"))
    try:
        oracle: Oracle = session_oracle(section)
    except InputError as error:
        raise JournalError(f"journal {args.path!r}: its oracle cannot be made again: {error}") from error
    _require_same_data(record, oracle, section, args.path)
    wrong = false_step(record)  # before anything is added to it
    torn, last = record.torn, record.facts[-1] if record.facts else None
    notes: tuple[str, ...] = (f"an incomplete last line ({many(torn, 'byte')}) was dropped",) if torn else ()
    # whoever wants the reduced data of a session that they ended wants its end
    with resume(args.path, oracle, reopen=args.output is None) as session:
        elicitation = session.elicitation
        if isinstance(last, Stopped) and elicitation.history.stopped is None:
            notes += ("the session had been ended; it is open again",)
        if args.budget is not None:
            elicitation.resume(_budget(args.budget, elicitation.budget, elicitation.evaluations))
        if args.undo is not None:
            _undo(elicitation, args.undo)
            notes += (f"the answer to question {args.undo} was taken back",)
        history = elicitation.history
        answers = len(history.answers.keys() - history.retracted)
        kept = many(answers, "answer"), many(elicitation.evaluations, "evaluation")
        notes += (f"goes on where it stopped: {kept[0]} and {kept[1]} are kept",)
        others = other_versions(session.journal.header.versions)
        if others:
            notes += (f"begun with {printable(others)}: what is measured now may differ a little from what is kept",)
        if section.get("costs"):
            notes += ("costs are those that the session began with",)
        notes += (f"at most {many(elicitation.budget, 'evaluation')} in all, and {_questions_left(elicitation.turns)}",)
        return play_session(session, oracle, section, PlayOptions(args.n_jobs, args.output, notes, wrong))


def _require_same_data(record: Record, oracle: Oracle, section: Mapping[str, Any], path: str) -> None:
    """Refuse data that changed. By other versions of libraries the same may seem others, as `Journal.open` says."""
    if record.header.fingerprint != oracle.fingerprint and not other_versions(record.header.versions):
        data = printable(str(section.get("data", section.get("path", "the data"))))
        raise JournalError(
            f"journal {path!r}: {data} is not what it was when the session began: a row, "
            "a name or a value differs, and scores of both would not compare; put it back as it was, or begin another "
            f"session (in Python, ElicitSelector(operator={path!r}) reuses the answers)"
        )


def _questions_left(turns: Turns) -> str:
    """How many questions may still be put, and how many should answers be doubted."""
    told = many(turns.left, "more question")
    return f"{told} ({turns.left + turns.spare} where answers are doubted)" if turns.spare else told


def _undo(elicitation: Elicitation, number: int) -> None:
    """Take back the answer to the question of this number."""
    standing = {given.number: given.request for given in Insight(elicitation).answers()}
    if number not in standing:
        there = f"those to {', '.join(map(str, standing))} stand" if standing else "none stands"
        raise InputError(f"--undo needs the number of a question whose answer stands ({there}), found {number}")
    elicitation.retract(standing[number])


def session_section(record: Record, path: str) -> Mapping[str, Any]:
    """The [oracle] section that a journal was made with. A data file that is gone is looked for beside the journal."""
    require_session(record.header)
    about = record.header.settings.get("about")
    about = about if isinstance(about, dict) else {}
    section = about.get("oracle")
    if "operator" in about and "utility" not in about:
        raise InputError(
            f"journal {path!r} belongs to a fit of ElicitSelector: the same fit with its folder as journal goes on"
        )
    if "operator" in about:
        raise InputError(
            f"journal {path!r} is a run with a simulated operator: elicit run or elicit compare with the same scenario "
            "and --journals goes on there"
        )
    if not isinstance(section, dict):
        raise InputError(
            f"journal {path!r} does not say what its oracle was made of; resume it from Python, "
            "with elicit.sessions.resume"
        )
    if (gone := _file_that_is_gone(section)) is not None:
        beside = Path(path).parent / Path(gone).name
        if beside.is_file():
            return {**section, "data": str(beside)}
    return section


def _file_that_is_gone(section: Mapping[str, Any]) -> str | None:
    """The data file that a section names, where there is none any more, or none seen from this folder."""
    data = section.get("data")
    return data if isinstance(data, str) and data not in BUILT_IN and not os.path.exists(data) else None


def _require_data(section: Mapping[str, Any], path: str) -> None:
    if (gone := _file_that_is_gone(section)) is not None:
        raise JournalError(
            f"journal {path!r} needs the data {gone!r}, which are neither there nor beside the journal; "
            "go to the folder where the session began, or put them beside the journal"
        )


def _budget(text: str, now: int, spent: int) -> int:
    """The evaluations in all that a budget on the command line (see `further`) stands for."""
    number = int(text.removeprefix("+"))
    wanted = number + (now if text.startswith("+") else 0)
    if wanted < spent:
        raise InputError(f"--budget {wanted} is less than the {spent} evaluations spent already; +{number} gives more")
    return wanted
