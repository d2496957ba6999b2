"""Output: lines of prose, and files that are written whole or not at all, checked before the work begins."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from elicit.commands.status import width_of
from elicit.complete import complete, require_room
from elicit.errors import InputError, system_reason
from elicit.journal import is_journal
from elicit.printable import entry, printable


def input_files(section: Mapping[str, Any], folder: Path) -> list[str]:
    """The files that an [oracle] section reads; relative paths start from `folder`."""
    return [str(folder / section[key]) for key in ("data", "path") if isinstance(section.get(key), str)]


def refuse_to_overwrite(output: str | None, *inputs: str | None) -> None:
    """Refuse an output that is also an input, or any journal: what somebody answered would be gone."""
    for read in filter(None, inputs):
        if output is None:
            return
        same = os.path.abspath(output) == os.path.abspath(read)
        if same or (os.path.exists(output) and os.path.exists(read) and os.path.samefile(output, read)):
            raise InputError(f"{output}: is read or kept by this command too; give another file")
    if output is not None and is_journal(output):
        raise InputError(f"{output}: is a journal, which writing would destroy; give another file")


def check_place(output: str | None, *inputs: str | None) -> None:
    """Refuse, before any work begins, an output that cannot be written or would overwrite an input."""
    refuse_to_overwrite(output, *inputs)
    if output is None:
        return
    if os.path.isdir(output) or not os.path.isdir(os.path.dirname(output) or "."):
        raise InputError(f"{output}: cannot be written; give a file in a folder that exists")
    if not os.path.exists(output) or os.path.isfile(output):  # a device or a pipe is written to as it is
        try:
            require_room(output)
        except OSError as error:
            raise _not_written(output, error) from error


def _not_written(output: str, error: OSError) -> InputError:
    return InputError(f"{output}: cannot be written ({system_reason(error)}); choose another place")


@contextmanager
def destination(path: str | None, *inputs: str | None) -> Iterator[IO[str] | None]:
    """The file to write to, None without a path; it appears under its name once it is complete.

    A name that ends in .gz is compressed. Errors come at once: when it cannot be made, or is one of the inputs.
    """
    if path is None:
        yield None
        return
    refuse_to_overwrite(path, *inputs)
    of_the_work: OSError | None = None  # in the block, while all that is written is in memory
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe is written to as it is
            if os.path.isdir(path):
                raise InputError(f"{path}: is a folder; give a file")
            with open(path, "w", encoding="utf-8") as out:
                yield out
            return
        with complete(path) as out:
            try:
                yield out
            except OSError as error:
                of_the_work = error
                raise
    except OSError as error:
        if error is of_the_work:
            raise
        raise _not_written(path, error) from error


def write_json(out: IO[str], plain: object) -> None:
    """Write plain data as JSON; what JSON does not know is an error."""
    json.dump(plain, out, indent=1, allow_nan=False)
    out.write("\n")


def screen_width() -> int | None:
    """The columns of the terminal that is written to, None where there is none."""
    return width_of(sys.stdout)


def say(line: str) -> None:
    """Print a line of prose, fit to be shown; on a terminal it goes on below at a space.

    Of a word that is longer than a line of the terminal the middle is left out.
    """
    columns = screen_width()
    print(printable(line) if columns is None else "\n".join(entry(line, columns, 2)))


def journal_folder(path: str | None) -> Path | None:
    """The folder for journals, which is created if need be; None without a path."""
    if path is None:
        return None
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be made a folder ({system_reason(error)}); choose another") from error
    return Path(path)
