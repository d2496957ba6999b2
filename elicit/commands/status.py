"""Exit statuses, and messages of one line, complaints among them: the same for every command."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from typing import TextIO

from elicit.printable import message, printable

DONE, DOES_NOT_HOLD, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def width_of(stream: TextIO) -> int | None:
    """How many columns the terminal behind a stream has room for; None where it goes to a file or another program."""
    return shutil.get_terminal_size().columns - 1 if stream.isatty() else None


def tell(text: str, stream: TextIO) -> None:
    """One line, whatever the text holds; on a terminal it goes on below at a space."""
    line = " ".join(text.split("\n"))
    columns = width_of(stream)
    told = printable(line) if columns is None else "\n".join(message(line, columns))
    stream.write(f"{told}\n")
    stream.flush()


def complain(text: str) -> None:
    """One line on the standard error."""
    with suppress(OSError):
        tell(f"elicit: {text}", sys.stderr)
