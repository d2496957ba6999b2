"""Exit statuses, and complaints of one line: the same for every command."""

from __future__ import annotations

import sys
from contextlib import suppress

from elicit.printable import printable

DONE, DOES_NOT_HOLD, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def complain(message: str) -> None:
    """One line on the standard error, whatever the message holds."""
    line = printable(" ".join(message.split("\n")))
    with suppress(OSError):
        sys.stderr.write(f"elicit: {line}\n")
        sys.stderr.flush()
