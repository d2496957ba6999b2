"""elicit verify: what a journal claims, re-checked exactly and without a solver; exit 1 at the first false step."""

from __future__ import annotations

import argparse
from contextlib import suppress

from elicit.commands.output import say
from elicit.commands.status import DONE
from elicit.errors import CertificateError, JournalError, JournalFormatError
from elicit.journal import read
from elicit.proof.record_check import check_record


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    try:
        record = read(args.path)
    except JournalFormatError:
        raise
    except JournalError as error:  # a damaged line is a step that does not hold
        raise CertificateError(str(error)) from error
    for step in check_record(record):
        where = "" if step.line is None else f" (line {step.line})"
        with suppress(BrokenPipeError):  # whoever reads has read enough; whether the rest holds, the status says
            say(f"holds: {step.words}{where}")
    return DONE
