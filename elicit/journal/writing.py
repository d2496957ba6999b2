"""Writing: a journal has one writer; a line counts once it is on the disk, and is otherwise not in the file at all."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from elicit.asks import Failure, Measured
from elicit.errors import InputError, JournalError, system_reason
from elicit.events import Fact
from elicit.journal.files import StrPath, locked, named, read_whole, require_file, sync_folder
from elicit.journal.lines import add_time, afresh_in, cached_in, fact_in, fact_out, header_out, result_out
from elicit.journal.plain import Json, plain
from elicit.journal.reading import begun, body, parse, torn_header
from elicit.journal.record import Header, Record, Shuffled, other_versions
from elicit.subsets import Mask

#: So much of a fingerprint is shown in an error: enough to tell two apart.
_SHOWN = 15


class Journal:
    """A journal open for writing, locked against every other writer until it is closed.

    Once `append` has returned, its fact survives the death of the process. If it raises, no part of the fact is in
    the file.
    """

    def __init__(self, path: StrPath, file: Any, record: Record) -> None:
        """Use `create`, `open` or `open_or_create`."""
        self.path = path
        self.header = record.header
        self._facts = list(record.facts)
        self._cached, self._afresh = dict(record.cached), dict(record.afresh)
        self._claim = None if record.last_claim is None else record.last_claim.content
        self._found_claim = self._claim
        self._file = file
        self._place = os.path.abspath(path)
        self._opened = os.fstat(file.fileno())
        self._length = record.length
        self._check = record.check
        self._sound = True

    @classmethod
    def create(cls, path: StrPath, header: Header, at: float | None = None) -> Journal:
        """A new journal; a file that already holds something is refused.

        A header that was never completed holds nothing, and is replaced.
        """
        content = header_out(header)
        add_time(content, at)
        file = locked(path, os.O_RDWR | os.O_CREAT)
        try:
            found = read_whole(file, path)
            if found and not torn_header(found):
                what = "resume it, or" if found.startswith(b"{") else "it is no journal;"
                raise InputError(f"{named(path)} already exists; {what} choose another path")
            journal = cls(path, file, Record(header, (), (), {}, length=0, check=0))
            journal._make_ready()
            with journal._written(content):
                sync_folder(path)
        except BaseException:
            file.close()
            raise
        return journal

    @classmethod
    def open(cls, path: StrPath, expect_fingerprint: str | None = None) -> Journal:
        """An existing journal, to be continued; a torn last line is removed from the file."""
        require_file(path)
        file = locked(path, os.O_RDWR)
        try:
            found = read_whole(file, path)
            record = parse(found, path)
            journal = cls(path, file, record)
            if expect_fingerprint is not None:
                journal.require_data(expect_fingerprint)
            if len(found) > record.length:
                journal._make_ready()
        except BaseException:
            file.close()
            raise
        return journal

    @classmethod
    def open_or_create(cls, path: StrPath, header: Header, at: float | None = None) -> Journal:
        """The journal that is there, if its data are those of the header; a new one where none was begun."""
        return cls.open(path, header.fingerprint) if begun(path) else cls.create(path, header, at)

    def require_data(self, fingerprint: str) -> None:
        """Refuse data with another fingerprint than those that the journal is of."""
        header = self.header
        if header.fingerprint == fingerprint:
            return
        others = other_versions(header.versions)
        # a default that a newer scikit-learn names otherwise makes another model of the same words
        hint = f"; it was written with {others}, by which the same data and model may be told otherwise"
        raise JournalError(
            f"{named(self.path)} belongs to other data: its fingerprint begins with {header.fingerprint[:_SHOWN]!r}, "
            f"that of these with {fingerprint[:_SHOWN]!r}; "
            f"give the data that it began with, or begin another journal{hint if others else ''}"
        )

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact so far, in order."""
        return tuple(self._facts)

    @property
    def cached(self) -> Mapping[Mask, Measured | Failure]:
        """Results computed ahead of need, by subset."""
        return dict(self._cached)

    @property
    def afresh(self) -> Mapping[Shuffled, Measured | Failure]:
        """Results on folds that had no part in the run, by the seed of the folds and the subset."""
        return dict(self._afresh)

    def append(self, fact: Fact, at: float | None = None, *, more: bool = False) -> None:
        """Write one fact, and return when it is safe. `at` is a time, in whatever clock the caller keeps.

        With `more` to follow at once, it is safe only when the last of them is.
        """
        with self._written(fact_out(fact, self.header), at, sync=not more) as line:
            self._facts.append(fact_in(line, self.header)[0])
            self._claim = None

    def catch_up(self, facts: Sequence[Fact], clock: Callable[[], float]) -> None:
        """Write the facts of a run that are not in the journal yet, and return when they are safe."""
        new = facts[len(self._facts) :]
        for k, fact in enumerate(new, start=1):
            self.append(fact, at=clock(), more=k < len(new))

    def cache(self, subset: Mask, result: Measured | Failure, at: float | None = None, *, more: bool = False) -> None:
        """Write a result that nobody has asked for yet, and return when it is safe.

        With `more` to follow at once, it is safe only when the last of them is.
        """
        with self._written(result_out(subset, result, self.header), at, sync=not more) as line:
            self._cached[subset] = cached_in(line, self.header)[1]

    def keep_afresh(self, seed: int, subset: Mask, result: Measured | Failure, at: float | None = None) -> None:
        """Write a result on the folds of another seed, and return when it is safe."""
        with self._written(result_out(subset, result, self.header, seed), at) as line:
            shuffled, kept = afresh_in(line, self.header)
            self._afresh[shuffled] = kept

    @property
    def last_claim(self) -> Mapping[str, Json] | None:
        """The claim on the present facts, None when there is none."""
        return self._claim

    @property
    def claim_was_found(self) -> bool:
        """Whether the present claim stood in the file when it was opened: so far nobody here has checked it."""
        return self._claim is not None and self._claim is self._found_claim

    @property
    def there(self) -> bool:
        """Whether its file is still in its place and whole.

        What was written is lost with a file that is deleted, moved, cut short or replaced meanwhile: by an editor, say,
        or by a program that keeps folders alike.
        """
        try:
            found = os.stat(self._place)
        except OSError:
            return False
        return os.path.samestat(found, self._opened) and found.st_size >= self._length

    def claim(self, content: Mapping[str, Json], at: float | None = None) -> None:
        """Write what the facts so far prove, and return when it is safe."""
        with self._written({"claim": plain(dict(content), "claim")}, at):
            self._claim = dict(content)

    def close(self) -> None:
        """Close the file and release its lock; closing twice does nothing."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _written(
        self, content: dict[str, Json], at: float | None = None, *, sync: bool = True
    ) -> Iterator[dict[str, Json]]:
        """Write a line safely, or not at all; in the block the caller notes what a replay would read of it.

        After an interrupt before the end of the block, nobody knows whether the line is in the file. So nothing may be
        written after it until the journal is opened again, which drops an incomplete line.
        """
        add_time(content, at)
        if self._file.closed or not self._sound:
            raise JournalError(f"{named(self.path)} is closed; open it again to go on")
        if not self.there:
            raise JournalError(
                f"{named(self.path)} was deleted, moved or changed while it was written to; resume it from where it is "
                "now, or begin anew"
            )
        if os.fstat(self._file.fileno()).st_size > self._length:
            self._truncate()  # what somebody else appended is no line of this run
            if not self._sound:
                raise JournalError(f"{named(self.path)} holds what is no line of this run, and cannot be truncated")
        written = body(content)
        check = zlib.crc32(written, self._check)
        line = written + b', "crc": "%08x"}\n' % check
        self._sound = False
        try:
            rest = memoryview(line)
            while rest:  # a disk that is nearly full takes a part
                rest = rest[self._file.write(rest) :]
            if sync:
                os.fsync(self._file.fileno())
        except OSError as error:
            self._truncate()
            held = "what it held before is unharmed, mend the cause and resume it"
            told = held if self._length else "nothing is in it yet, mend the cause and begin it anew"
            raise JournalError(f"{named(self.path)} cannot be written: {system_reason(error)}; {told}") from error
        self._length += len(line)
        self._check = check
        yield content
        self._sound = True

    def _make_ready(self) -> None:
        """Truncate a file that was just opened to whole lines; where that fails, nothing can be written: say why."""
        try:
            self._cut()
        except OSError as error:
            raise JournalError(
                f"{named(self.path)} cannot be written: {system_reason(error)}; mend the cause, or choose another path"
            ) from error

    def _truncate(self) -> None:
        """Truncate the file to whole lines; if that fails too, `_sound` stays false and nothing more can be written."""
        with suppress(OSError):
            self._cut()

    def _cut(self) -> None:
        self._sound = False
        self._file.truncate(self._length)
        self._file.seek(self._length)
        os.fsync(self._file.fileno())
        self._sound = True
