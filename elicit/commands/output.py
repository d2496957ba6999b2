"""Output to a file that takes its name once it is complete; that it can be made is known before the work begins."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from elicit.complete import complete
from elicit.errors import InputError
from elicit.printable import printable


def files_of(section: Mapping[str, Any], folder: Path) -> list[str]:
    """The files that an [oracle] reads, relative to a folder."""
    return [str(folder / section[key]) for key in ("data", "path") if isinstance(section.get(key), str)]


def keep_apart(output: str | None, *inputs: str | None) -> None:
    """Refuse an output that is one of the files that a command reads: it would destroy them."""
    for read in filter(None, inputs):
        if output is None:
            return
        same = os.path.abspath(output) == os.path.abspath(read)
        if same or (os.path.exists(output) and os.path.exists(read) and os.path.samefile(output, read)):
            raise InputError(f"{printable(output)}: is read or kept by this command too; give another file")


@contextmanager
def destination(path: str | None, *inputs: str | None) -> Iterator[IO[str] | None]:
    """A file that takes its name once it is complete, zipped where the name ends in .gz.

    That it can be made, and is none of the inputs, is known before the work begins.
    """
    if path is None:
        yield None
        return
    keep_apart(path, *inputs)
    shown = printable(path)
    special = os.path.exists(path) and not os.path.isfile(path)
    try:
        if special:
            if os.path.isdir(path):
                raise InputError(f"{shown}: is a folder; give a file")
            with open(path, "w", encoding="utf-8") as out:
                yield out
            return
        with complete(path) as out:
            yield out
    except OSError as error:
        raise InputError(f"{shown}: cannot be written ({error.strerror or error}); choose another place") from error


def screen_width() -> int | None:
    """How many columns of text the terminal takes; None where the output is for a file or another program."""
    return shutil.get_terminal_size().columns - 1 if sys.stdout.isatty() else None


def folder(path: str | None) -> Path | None:
    """A folder to keep journals in, made if need be."""
    if path is None:
        return None
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be made a folder ({error.strerror}); choose another") from error
    return Path(path)
