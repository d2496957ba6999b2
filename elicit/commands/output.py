"""Output to a file that takes its name once it is complete; that it can be made is known before the work begins."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from elicit.errors import InputError
from elicit.printable import printable


@contextmanager
def destination(path: str | None) -> Iterator[IO[str] | None]:
    """A file that takes its name once it is complete; that it can be made is known before the work begins."""
    if path is None:
        yield None
        return
    shown = printable(path)
    special = os.path.exists(path) and not os.path.isfile(path)
    try:
        if special:
            if os.path.isdir(path):
                raise InputError(f"{shown}: is a folder; give a file")
            with open(path, "w", encoding="utf-8") as out:
                yield out
            return
        folder, name = os.path.split(os.path.abspath(path))
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(temporary, 0o666 & ~mask)
            os.replace(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{shown}: cannot be written ({error.strerror or error}); choose another place") from error
