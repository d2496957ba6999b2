"""Complete: text files, zipped or not: read as they are, and written so that nobody ever reads half of one."""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

#: What every zipped file begins with.
_ZIPPED = b"\x1f\x8b"


def is_zipped(path: Path) -> bool:
    """Whether a file is zipped, whatever its name says."""
    with path.open("rb") as raw:
        return raw.read(len(_ZIPPED)) == _ZIPPED


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    """The text of a file, zipped or not, whatever its name says; read once, so that it may be a pipe."""
    _require_name(path)
    with path.open("rb") as raw:
        zipped = raw.peek(len(_ZIPPED)).startswith(_ZIPPED)
        inside = gzip.GzipFile(fileobj=raw) if zipped else raw
        with io.TextIOWrapper(inside, encoding="utf-8-sig", newline="") as text:
            yield text


def _require_name(path: Path) -> None:
    """Refuse what can name no file as the system does; from open() it would be a ValueError."""
    if "\0" in str(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:  # a scenario is in UTF-8 everywhere, but not the names of files
        told = f"its name has characters that are not in {error.encoding}, the encoding of names of files here"
        raise OSError(errno.EILSEQ, told, str(path)) from error


@contextmanager
def complete(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """Text for a file of this name, zipped where it ends in .gz; it is in memory until the end.

    A folder that takes no file is an error at once. Whatever goes wrong on the way, what was there before stays, and
    nothing else is left: not even by a process that is killed in hours of work, since a temporary file beside it is
    there for the moment of writing only. A link stays one, and a file keeps who may read it.
    """
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    require_room(path)
    gathered = io.StringIO(newline="")
    yield gathered
    handle, temporary = tempfile.mkstemp(prefix=".elicit-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as raw:
            with _text(raw, name.endswith(".gz")) as out:
                out.write(gathered.getvalue())
            raw.flush()
            os.fsync(raw.fileno())
        os.chmod(temporary, _mode(path))
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def require_room(path: str | os.PathLike[str]) -> None:
    """Raise an error if the folder of a file takes no other."""
    tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))).close()


def _mode(path: str) -> int:
    """Who may read and write a file: as it was, or like any file that the user makes."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _text(raw: IO[bytes], zipped: bool) -> Iterator[IO[str]]:
    """Text on its way into a file of bytes, which stays open; no name and no time is in it."""
    if zipped:
        with (
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="") as out,
        ):
            yield out
        return
    plain = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    yield plain
    plain.detach()
