"""A journal is a run as lines of JSON: a header, then one fact a line, each synced before it counts.

    {"journal": 1, "seed": 0, "settings": {…}, "fingerprint": "…", "attributes": […], "criteria": […],
     "versions": {…}, "check": "…"}
    {"fact": "evaluated", "request": 0, "subset": ["alcohol"], "criteria": [0.7, 1.0], …, "check": "…"}
    {"cache": "measured", "subset": ["hue"], "criteria": [0.6, 1.0], …, "check": "…"}
    {"claim": {"subset": ["alcohol"], "statements": […], "proofs": […], …}, "check": "…"}

Subsets are lists of names in attribute order, floats are written so that they read back exactly, and
whatever is not ASCII is escaped. A cache line holds a result computed ahead of need. It belongs to the
journal but not to the run: `identity` leaves cache lines out, and the optional "time" of any line.
A claim line says what the facts above it prove (see `claims`); it follows from them, so it is left out too.

"check" is the CRC-32 of the line before ", "check"", continued from the check of the line above. So a
changed, missing or moved line is found, and named. The one damage that is no error is a last line
without its newline: its fact was never acknowledged, and it is dropped.
"""

from __future__ import annotations

import errno
import importlib.metadata
import json
import math
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from elicit.asks import Failure, Measured
from elicit.errors import InputError, JournalError, JournalInUseError
from elicit.events import (
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Fact,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
)
from elicit.subsets import Attributes, Mask

#: The format that this code writes, and the only one that it reads.
FORMAT = 1

#: The libraries whose versions may change a run.
LIBRARIES = ("elicit", "numpy", "scipy", "scikit-learn", "pulp", "highspy")

_START = b'{"journal": '
_CHECK = re.compile(rb', "check": "([0-9a-f]{8})"}')
_CHECK_LENGTH = len(', "check": "01234567"}')

Json = Any
StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Header:
    """What a run is about: everything that a replay needs besides the facts.

    `settings` is anything that JSON can hold; it reads back with sorted keys, and lists for tuples.
    """

    seed: int
    fingerprint: str
    attributes: Attributes
    criteria: tuple[Criterion, ...]
    settings: Mapping[str, Json] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "criteria", tuple(self.criteria))
        object.__setattr__(self, "settings", _plain(dict(self.settings), "settings"))
        object.__setattr__(self, "versions", _plain(dict(self.versions), "versions"))


@dataclass(frozen=True)
class Claimed:
    """What the journal claims at line `line`, when it held `facts` facts: plain data, not yet believed."""

    facts: int
    line: int
    content: Mapping[str, Json]


@dataclass(frozen=True)
class Record:
    """What a journal holds: its header, its facts with the time of each, and results ahead of need.

    `length` bytes of the file are whole lines, the last of which has the check `check`. `lines` says
    where each fact stands.
    """

    header: Header
    facts: tuple[Fact, ...]
    times: tuple[float | None, ...]
    cached: Mapping[Mask, Measured | Failure]
    length: int
    check: int
    claims: tuple[Claimed, ...] = ()
    lines: tuple[int, ...] = ()


def library_versions() -> dict[str, str]:
    """The installed versions of the libraries that a run depends on."""
    found = {}
    for library in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[library] = importlib.metadata.version(library)
    return found | {"python": ".".join(map(str, sys.version_info[:3]))}


def read(path: StrPath) -> Record:
    """What the journal at `path` holds now, whoever is writing it; the file is left as it is."""
    return _parse(_contents(path), path)


def begun(path: StrPath) -> bool:
    """Whether there is anything at `path` to open; if not, `Journal.create` makes a new journal there."""
    return os.path.exists(path) and not _torn_header(_contents(path))


def identity(path: StrPath) -> bytes:
    """The run itself, in bytes: header and facts without times, checks and results ahead of need."""
    record = read(path)
    lines = [_header_out(record.header), *(_fact_out(fact, record.header) for fact in record.facts)]
    return b"".join(_body(line) + b"}\n" for line in lines)


class Journal:
    """A journal open for writing, locked against every other writer until it is closed.

    A fact that `append` has returned from survives the death of the process. A fact that it could not
    write is not in the file, in whole or in part.
    """

    def __init__(self, path: StrPath, file: Any, record: Record) -> None:
        """Use `create` or `open`."""
        self.path = path
        self.header = record.header
        self._facts = list(record.facts)
        self._times = list(record.times)
        self._cached = dict(record.cached)
        self._claimed = record.claims[-1].facts if record.claims else -1
        self._file = file
        self._length = record.length
        self._check = record.check
        self._sound = True

    @classmethod
    def create(cls, path: StrPath, header: Header, at: float | None = None) -> Journal:
        """A new journal; a file that already holds something is refused.

        A header that was never completed holds nothing, and is replaced.
        """
        content = _header_out(header)
        _with_time(content, at)
        file = _locked(path, os.O_RDWR | os.O_CREAT)
        try:
            found = file.read()
            if found and not _torn_header(found):
                raise InputError(f"{_named(path)} already exists; resume it, or choose another path")
            journal = cls(path, file, Record(header, (), (), {}, length=0, check=0))
            journal._cut()
            journal._write(content)
            journal._sound = True
            _sync_folder(path)
        except BaseException:
            file.close()
            raise
        return journal

    @classmethod
    def open(cls, path: StrPath, expect_fingerprint: str | None = None) -> Journal:
        """An existing journal, to be continued; a torn last line is removed from the file."""
        _require_file(path)
        file = _locked(path, os.O_RDWR)
        try:
            found = file.read()
            record = _parse(found, path)
            if expect_fingerprint is not None and record.header.fingerprint != expect_fingerprint:
                raise JournalError(
                    f"{_named(path)} belongs to other data: it has fingerprint "
                    f"{record.header.fingerprint!r}, these have {expect_fingerprint!r}; "
                    "give the data that it began with, or begin another journal"
                )
            journal = cls(path, file, record)
            if len(found) > record.length:
                journal._cut()
        except BaseException:
            file.close()
            raise
        return journal

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact so far, in order."""
        return tuple(self._facts)

    @property
    def times(self) -> tuple[float | None, ...]:
        """The time of each fact, or None where none was told."""
        return tuple(self._times)

    @property
    def cached(self) -> Mapping[Mask, Measured | Failure]:
        """Results computed ahead of need, by subset."""
        return dict(self._cached)

    def append(self, fact: Fact, at: float | None = None, *, more: bool = False) -> None:
        """Write one fact, and return when it is safe. `at` is a time, in whatever clock the caller keeps.

        With `more` to follow at once, it is safe only when the last of them is.
        """
        content = _fact_out(fact, self.header)
        _with_time(content, at)
        self._write(content, sync=not more)
        # what is kept is what a replay would read
        self._facts.append(_fact_in(dict(content), self.header)[0])
        self._times.append(None if at is None else float(at))
        self._sound = True

    def cache(self, subset: Mask, result: Measured | Failure, at: float | None = None) -> None:
        """Write a result that nobody has asked for yet, and return when it is safe."""
        content = _cached_out(subset, result, self.header)
        _with_time(content, at)
        self._write(content)
        self._cached[subset] = _cached_in(dict(content), self.header)[1]
        self._sound = True

    @property
    def claimed(self) -> bool:
        """Whether what the present facts prove is in the journal already."""
        return self._claimed == len(self._facts)

    def claim(self, content: Mapping[str, Json], at: float | None = None) -> None:
        """Write what the facts so far prove, and return when it is safe."""
        line: dict[str, Json] = {"claim": _plain(dict(content), "claim")}
        _with_time(line, at)
        self._write(line)
        self._claimed = len(self._facts)
        self._sound = True

    def close(self) -> None:
        """Close the file and release its lock; closing twice does nothing."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, content: dict[str, Json], *, sync: bool = True) -> None:
        """Write a line safely, or not at all; the caller says when it has taken note (`_sound`).

        Whoever is interrupted before that cannot know whether the line is in the file, so nothing may
        follow it until the journal is opened again, which drops it if it is torn.
        """
        if self._file.closed or not self._sound:
            raise JournalError(f"{_named(self.path)} is closed; open it again to go on")
        body = _body(content)
        check = zlib.crc32(body, self._check)
        line = body + b', "check": "%08x"}\n' % check
        self._sound = False
        try:
            rest = memoryview(line)
            while rest:  # a disk that is nearly full takes a part
                rest = rest[self._file.write(rest) :]
            if sync:
                os.fsync(self._file.fileno())
        except OSError as error:
            self._cut()
            raise JournalError(
                f"{_named(self.path)} cannot be written: {_why(error)}; what it held before is unharmed, "
                "mend the cause and resume it"
            ) from error
        self._length += len(line)
        self._check = check

    def _cut(self) -> None:
        """Back to whole lines; if even that fails, nothing more may be written after what is there."""
        self._sound = False
        with suppress(OSError):
            self._file.truncate(self._length)
            self._file.seek(self._length)
            os.fsync(self._file.fileno())
            self._sound = True


# --- files and locks ---------------------------------------------------------------------------------


def _named(path: StrPath) -> str:
    return f"journal {os.fspath(path)!r}"


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


def _require_file(path: StrPath) -> None:
    if not os.path.isfile(path):  # unlike Path.is_file, false for every path that cannot be
        what = "is not a file" if os.path.exists(path) else "does not exist"
        raise InputError(f"{_named(path)} {what}; check the path")


def _contents(path: StrPath) -> bytes:
    _require_file(path)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{_named(path)} cannot be read: {_why(error)}; check the path") from error


def _locked(path: StrPath, flags: int) -> Any:
    """The file at `path`, unbuffered, with its lock held; the lock goes when the process does."""
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)
    except (OSError, ValueError) as error:  # a path may hold what no path can
        raise InputError(f"{_named(path)} cannot be opened: {_why(error)}; check the path") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(f"{_named(path)} is not a file; choose another path")
    file = os.fdopen(descriptor, "r+b", buffering=0)
    try:
        _lock(file.fileno())
    except OSError as error:
        file.close()
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK):
            raise JournalInUseError(
                f"{_named(path)} is in use by another session; end that one first, or choose another path"
            ) from None
        raise JournalError(
            f"{_named(path)} cannot be locked: {_why(error)}; put it on a disk that supports locks"
        ) from error
    return file


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Windows keeps others from reading what is locked, so the locked byte lies beyond any journal
        os.lseek(descriptor, 1 << 62, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

    def _sync_folder(path: StrPath) -> None:
        """Windows writes the name of a new file by itself."""

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _sync_folder(path: StrPath) -> None:
        """Make the name of a new file as durable as its content, where the file system can."""
        with suppress(OSError):
            descriptor = os.open(Path(path).parent, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# --- lines -------------------------------------------------------------------------------------------


def _body(content: Mapping[str, Json]) -> bytes:
    """A line without its end: the closing brace, or the check and the closing brace."""
    return json.dumps(content, ensure_ascii=True, allow_nan=False)[:-1].encode("ascii")


def _torn_header(data: bytes) -> bool:
    return b"\n" not in data and (data.startswith(_START) or _START.startswith(data))


def _parse(data: bytes, path: StrPath) -> Record:
    """Every whole line of `data`, checked and decoded."""
    *lines, _torn = data.split(b"\n")
    if not lines:
        if _torn_header(data):
            raise JournalError(f"{_named(path)} has no complete header, so nothing is in it; begin it anew")
        raise _damage(path, 1, "expected the header of a journal, found something else")
    header, check = _first_line(lines[0], path)
    facts: list[Fact] = []
    times: list[float | None] = []
    cached: dict[Mask, Measured | Failure] = {}
    claims: list[Claimed] = []
    places: list[int] = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            content, check = _content(line, check)
            if "fact" in content:
                fact, time = _fact_in(content, header)
                facts.append(fact)
                times.append(time)
                places.append(number)
            elif "claim" in content:
                claims.append(Claimed(len(facts), number, _claim_in(content)))
            else:
                subset, result = _cached_in(content, header)
                cached[subset] = result
        except InputError as error:
            raise _damage(path, number, str(error)) from None
    whole = len(data) - len(_torn)
    return Record(header, tuple(facts), tuple(times), cached, whole, check, tuple(claims), tuple(places))


def _first_line(line: bytes, path: StrPath) -> tuple[Header, int]:
    try:
        if not line.startswith(_START):
            raise InputError("expected the header of a journal, found something else")
        # the version comes first: what follows it, another version may write differently
        found = re.match(rb'\{"journal": ([0-9]{1,9})[,}]', line)
        if found and int(found[1]) != FORMAT:
            raise JournalError(
                f"{_named(path)}, line 1: format {int(found[1])} is unknown, this Elicit reads format "
                f"{FORMAT}; open it with the Elicit that wrote it, or a later one"
            )
        content, check = _content(line, 0)
        return _header_in(content), check
    except (InputError, RecursionError) as error:
        raise _damage(path, 1, str(error)) from None


def _damage(path: StrPath, number: int, what: str) -> JournalError:
    return JournalError(f"{_named(path)}, line {number}: {what}; restore the file from a copy")


def _content(line: bytes, previous: int) -> tuple[dict[str, Json], int]:
    """The content of a line whose check holds, and that check. Nothing else is even parsed."""
    end = _CHECK.fullmatch(line[-_CHECK_LENGTH:])
    body = line[:-_CHECK_LENGTH]
    check = zlib.crc32(body, previous)
    if end is None or int(end[1], 16) != check:
        raise InputError("the check does not hold: this line was changed, or one before it is missing")
    try:
        content = json.loads((body + b"}").decode("ascii"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected one JSON object, found something else ({error})") from None
    if not isinstance(content, dict):
        raise InputError("expected one JSON object, found something else")
    return content, check


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("a key occurs twice in one object")
    return found


def _no_constant(name: str) -> Json:
    raise InputError(f"{name} is not a number")


# --- fields: each is written and read by a function that also checks it ------------------------------


def _kind_of(value: Json) -> str:
    return f"{value!r:.60}" if not isinstance(value, list | dict) else f"a {type(value).__name__}"


def _integer(value: Json, _: Header | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"expected a whole number, found {_kind_of(value)}")
    return value


def _text(value: Json, _: Header) -> str:
    if not isinstance(value, str):
        raise InputError(f"expected a text, found {_kind_of(value)}")
    return value


def _number(value: Json, _: Header | None = None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"expected a number, found {_kind_of(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"expected a finite number, found {_kind_of(value)}")
    return number


def _sequence(value: Json) -> Iterable[Json]:
    if not isinstance(value, list | tuple):
        raise InputError(f"expected a list, found {_kind_of(value)}")
    return value


def _two(value: Json) -> tuple[Json, Json]:
    found = tuple(_sequence(value))
    if len(found) != 2:
        raise InputError(f"expected two entries, found {len(found)}")
    return found


def _truth(value: Json) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, found {_kind_of(value)}")
    return value


def _a_criterion(values: list[Json], header: Header, may_be_empty: bool) -> list[Json]:
    """The values themselves when there is one for each criterion, or none where that is allowed."""
    wanted = len(header.criteria)
    if len(values) != wanted and (values or not may_be_empty):
        raise InputError(f"expected {wanted} entries, one a criterion, found {len(values)}")
    return values


def _subset_out(mask: Json, header: Header) -> list[str]:
    return list(header.attributes.subset(mask))


def _subset_in(names: Json, header: Header) -> Mask:
    mask = header.attributes.mask(_text(name, header) for name in _sequence(names))
    if header.attributes.subset(mask) != tuple(names):
        raise InputError("expected attributes once each and in attribute order, found another order")
    return mask


def _criteria_out(values: Json, header: Header) -> list[float]:
    return _a_criterion([_number(value) for value in _sequence(values)], header, may_be_empty=False)


def _folds_out(values: Json, header: Header) -> list[list[float]]:
    folds = [[_number(score) for score in _sequence(scores)] for scores in _sequence(values)]
    return _a_criterion(folds, header, may_be_empty=True)


def _spread_out(values: Json, header: Header) -> list[float | None]:
    spread = [None if value is None else _number(value) for value in _sequence(values)]
    return _a_criterion(spread, header, may_be_empty=True)


def _answer_in(value: Json, header: Header) -> Answer:
    try:
        return Answer(_text(value, header))
    except ValueError:
        raise InputError(f"expected an answer ({', '.join(Answer)}), found {_kind_of(value)}") from None


@dataclass(frozen=True)
class _Codec:
    write: Callable[[Json, Header], Json]
    read: Callable[[Json, Header], Json]


_INTEGER = _Codec(_integer, _integer)
_TEXT = _Codec(_text, _text)
_NUMBER = _Codec(_number, _number)
_INTEGER_OR_NONE = _Codec(
    lambda value, header: None if value is None else _integer(value, header),
    lambda value, header: None if value is None else _integer(value, header),
)
_SUBSET = _Codec(_subset_out, _subset_in)
_SUBSETS = _Codec(
    lambda masks, header: [_subset_out(mask, header) for mask in _sequence(masks)],
    lambda lists, header: tuple(_subset_in(names, header) for names in _sequence(lists)),
)
_PAIR = _Codec(
    lambda pair, header: None if pair is None else [_subset_out(mask, header) for mask in _two(pair)],
    lambda pair, header: None if pair is None else tuple(_subset_in(names, header) for names in _two(pair)),
)
_PRICES = _Codec(
    lambda priced, header: [
        [_subset_out(mask, header), _number(price)] for mask, price in map(_two, _sequence(priced))
    ],
    lambda priced, header: tuple(
        (_subset_in(names, header), _number(price)) for names, price in map(_two, _sequence(priced))
    ),
)
_INTEGERS = _Codec(
    lambda values, header: [_integer(value, header) for value in _sequence(values)],
    lambda values, header: tuple(_integer(value, header) for value in _sequence(values)),
)
_TRUTH = _Codec(lambda value, _: _truth(value), lambda value, _: _truth(value))
_ANSWER = _Codec(lambda value, header: str(_answer_in(value, header)), _answer_in)
_MEASURES = {
    "criteria": _Codec(_criteria_out, lambda value, header: tuple(_criteria_out(value, header))),
    "folds": _Codec(_folds_out, lambda value, header: tuple(map(tuple, _folds_out(value, header)))),
    "spread": _Codec(_spread_out, lambda value, header: tuple(_spread_out(value, header))),
}

#: Every kind of fact, and of result ahead of need, with its fields in the order in which they are written.
_FACTS: dict[type[Any], dict[str, _Codec]] = {
    Asked: {
        "request": _INTEGER,
        "evaluate": _SUBSETS,
        "compare": _PAIR,
        "check": _TRUTH,
        "reconcile": _INTEGERS,
        "rejected": _PRICES,
        "why": _TEXT,
    },
    Evaluated: {"request": _INTEGER, "subset": _SUBSET, **_MEASURES},
    Failed: {"request": _INTEGER, "subset": _SUBSET, "reason": _TEXT},
    Preferred: {"request": _INTEGER, "first": _SUBSET, "second": _SUBSET, "answer": _ANSWER},
    Assumed: {"request": _INTEGER, "better": _SUBSET, "worse": _SUBSET, "relation": _TEXT, "source": _TEXT},
    Retracted: {"request": _INTEGER, "retracts": _INTEGER},
    Settled: {"request": _INTEGER, "conflict": _INTEGERS},
    Stopped: {"request": _INTEGER, "reason": _TEXT},
    Resumed: {"request": _INTEGER, "budget": _INTEGER_OR_NONE},
}
_RESULTS: dict[type[Any], dict[str, _Codec]] = {Measured: _MEASURES, Failure: {"reason": _TEXT}}


def _fields_out(value: object, fields: Mapping[str, _Codec], header: Header) -> dict[str, Json]:
    found = {}
    for name, codec in fields.items():
        try:
            found[name] = codec.write(getattr(value, name), header)
        except InputError as error:
            raise InputError(f"{type(value).__name__}.{name} cannot be recorded: {error}") from None
    return found


def _fields_in(
    content: dict[str, Json], kind: str, kinds: dict[type[Any], dict[str, _Codec]], header: Header
) -> tuple[Any, float | None]:
    """The value of the kind that `content` names, and its time; every entry of `content` must be used."""
    name = content.pop(kind)
    types = {each.__name__.lower(): each for each in kinds}
    if not isinstance(name, str) or name not in types:
        raise InputError(f"unknown {kind} {_kind_of(name)}, expected one of {', '.join(types)}")
    fields = kinds[types[name]]
    time = _number(content.pop("time")) if "time" in content else None
    if set(content) != set(fields):
        raise InputError(f"a {name} {kind} has the fields {', '.join(fields)}, found {', '.join(map(repr, content))}")
    values = {}
    for field_name, codec in fields.items():
        try:
            values[field_name] = codec.read(content[field_name], header)
        except InputError as error:
            raise InputError(f"{field_name}: {error}") from None
    return types[name](**values), time


def _fact_out(fact: Fact, header: Header) -> dict[str, Json]:
    if type(fact) not in _FACTS:
        raise InputError(f"expected a fact, found {_kind_of(fact)}")
    return {"fact": type(fact).__name__.lower(), **_fields_out(fact, _FACTS[type(fact)], header)}


def _fact_in(content: dict[str, Json], header: Header) -> tuple[Fact, float | None]:
    return _fields_in(content, "fact", _FACTS, header)


def _cached_out(subset: Mask, result: Measured | Failure, header: Header) -> dict[str, Json]:
    if type(result) not in _RESULTS:
        raise InputError(f"expected a result of an oracle, found {_kind_of(result)}")
    start = {"cache": type(result).__name__.lower(), "subset": _subset_out(subset, header)}
    return start | _fields_out(result, _RESULTS[type(result)], header)


def _cached_in(content: dict[str, Json], header: Header) -> tuple[Mask, Measured | Failure]:
    if "cache" not in content or "subset" not in content:
        raise InputError("expected a fact or a cached result (or a claim), found neither")
    subset = _subset_in(content.pop("subset"), header)
    return subset, _fields_in(content, "cache", _RESULTS, header)[0]


def _claim_in(content: dict[str, Json]) -> Mapping[str, Json]:
    found = content.pop("claim")
    if "time" in content:
        _number(content.pop("time"))
    if content or not isinstance(found, dict):
        raise InputError("a claim is one object, and nothing else is on its line; found something else")
    return found


def _with_time(content: dict[str, Json], at: float | None) -> None:
    if at is not None:
        content["time"] = _number(at)


def _plain(value: Json, what: str) -> Json:
    """A deep copy of `value` as JSON would return it, with sorted keys."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise InputError(f"{what}: expected texts as keys, found others")
        return {key: _plain(value[key], f"{what}.{key}") for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_plain(item, what) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InputError(f"{what}: expected what JSON can hold, found {_kind_of(value)}")


def _header_out(header: Header) -> dict[str, Json]:
    return {
        "journal": FORMAT,
        "seed": _integer(header.seed, header),
        "settings": header.settings,
        "fingerprint": _text(header.fingerprint, header),
        "attributes": list(header.attributes.names),
        "criteria": [
            {"name": _text(c.name, header), "maximise": c.maximise, "unit": _text(c.unit, header)}
            for c in header.criteria
        ],
        "versions": header.versions,
    }


def _header_in(content: dict[str, Json]) -> Header:
    content.pop("time", None)
    expected = ("journal", "seed", "settings", "fingerprint", "attributes", "criteria", "versions")
    if set(content) != set(expected):
        raise InputError(f"a header has the fields {', '.join(expected)}, found {', '.join(map(repr, content))}")
    if _integer(content["journal"], None) != FORMAT:
        raise InputError(f"expected format {FORMAT}, found {content['journal']}")
    if not isinstance(content["settings"], dict) or not isinstance(content["versions"], dict):
        raise InputError("settings and versions: expected objects, found others")
    criteria = []
    for entry in _sequence(content["criteria"]):
        if not isinstance(entry, dict) or set(entry) != {"name", "maximise", "unit"}:
            raise InputError("criteria: expected name, maximise and unit of each, found others")
        if not isinstance(entry["maximise"], bool):
            raise InputError(f"criteria: maximise is true or false, found {_kind_of(entry['maximise'])}")
        criteria.append(Criterion(**entry))
    header = Header(
        seed=content["seed"],
        fingerprint=content["fingerprint"],
        attributes=Attributes(tuple(_sequence(content["attributes"]))),
        criteria=tuple(criteria),
        settings=content["settings"],
        versions=content["versions"],
    )
    _header_out(header)  # checks what the fields above take as they come
    return header
