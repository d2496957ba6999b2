"""elicit verify: what a journal claims, re-checked exactly and without a solver; exit 1 at the first false step."""

from __future__ import annotations

import argparse
from typing import Any

from elicit.commands.status import DONE
from elicit.errors import CertificateError, JournalError
from elicit.journal import read
from elicit.operators.lines import printable
from elicit.proof.record_check import check_record


def add(commands: Any) -> None:
    """Make the command known to the parser."""
    command = commands.add_parser(
        "verify",
        help="re-check all that a session claims, exactly; exit 1 when it does not hold",
        description="Re-checks in exact arithmetic, without a solver: that every line is as it was written, which "
        "statements follow from the measurements and answers, and each claim with its proof at its scope. "
        "Exit 1 with the first step that does not hold.",
        allow_abbrev=False,
    )
    command.add_argument("path", metavar="JOURNAL", help="the journal of the session")
    command.set_defaults(command=_verify)


def _verify(args: argparse.Namespace) -> int:
    try:
        record = read(args.path)
    except JournalError as error:  # a damaged line is a step that does not hold
        raise CertificateError(str(error)) from error
    for step in check_record(record):
        where = "" if step.line is None else f" (line {step.line})"
        print(f"holds: {printable(step.words)}{where}")
    return DONE
