"""Files: where a journal lives, and the lock that keeps it to one writer."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from elicit.errors import InputError, JournalError, JournalInUseError, system_reason

StrPath = str | os.PathLike[str]


def named(path: StrPath) -> str:
    """A journal as an error message calls it."""
    return f"journal {os.fspath(path)!r}"


def require_file(path: StrPath) -> None:
    """Refuse a path where there is no file."""
    if not os.path.isfile(path):  # unlike Path.is_file, false for every path that cannot be
        what = "is not a file" if os.path.exists(path) else "does not exist"
        raise InputError(f"{named(path)} {what}; check the path")


def contents(path: StrPath, lines: int | None = None) -> bytes:
    """All that is in the file at `path`, or so many lines of it."""
    require_file(path)
    try:
        with Path(path).open("rb") as file:
            return read_whole(file, path, lines)
    except OSError as error:
        raise _unreadable(path, error) from error


def read_whole(file: Any, path: StrPath, lines: int | None = None) -> bytes:
    """What an open file holds, or so many lines, if it is no more than the memory does: a journal never is."""
    try:
        content: bytes = file.read() if lines is None else b"".join(islice(file, lines))
    except MemoryError:
        size = os.fstat(file.fileno()).st_size
        raise InputError(
            f"{named(path)} cannot be read: {size} bytes are too many for the memory; check the path"
        ) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    return content


def _unreadable(path: StrPath, error: OSError) -> InputError:
    return InputError(f"{named(path)} cannot be read: {system_reason(error)}; check the path")


def locked(path: StrPath, flags: int) -> Any:
    """Open the file at `path`, unbuffered, and lock it; the lock is released when the process ends, at the latest."""
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)
    except (OSError, ValueError) as error:  # a path may hold what no path can
        raise InputError(f"{named(path)} cannot be opened: {system_reason(error)}; check the path") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{named(path)} is not a file; choose another path")
    file = os.fdopen(descriptor, "r+b", buffering=0)
    try:
        _lock(file.fileno())
    except OSError as error:
        file.close()
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK):
            raise JournalInUseError(
                f"{named(path)} is in use by another session; end that one first, or choose another path"
            ) from None
        raise JournalError(
            f"{named(path)} cannot be locked: {system_reason(error)}; put it on a disk that supports locks"
        ) from error
    return file


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Windows keeps others from reading what is locked, so the locked byte lies beyond any journal
        os.lseek(descriptor, 1 << 62, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def sync_folder(path: StrPath) -> None:
        """Windows writes the name of a new file by itself."""

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def sync_folder(path: StrPath) -> None:
        """Make the name of a new file as durable as its content, where the file system can."""
        with suppress(OSError):
            descriptor = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)  # a link's file is elsewhere
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
