"""Reading: the checksum of every line is verified before the line is parsed; the first damaged line is named."""

from __future__ import annotations

import codecs
import json
import os
import re
import zlib
from collections.abc import Mapping

from elicit.asks import Failure, Measured
from elicit.errors import InputError, JournalError, JournalFormatError
from elicit.events import Fact
from elicit.journal.files import StrPath, contents, named
from elicit.journal.lines import FORMAT, afresh_in, cached_in, claim_in, fact_in, fact_out, header_in, header_out
from elicit.journal.plain import Json
from elicit.journal.record import Claimed, Header, Record, Shuffled
from elicit.subsets import Mask

_START = b'{"journal": '
_MARK = codecs.BOM_UTF8
_CRC = re.compile(rb', "crc": "([0-9a-f]{8})"}')
_CRC_LENGTH = len(', "crc": "01234567"}')


def read(path: StrPath) -> Record:
    """What the journal at `path` holds now, whoever is writing it; the file is left as it is."""
    return parse(contents(path), path)


def header_at(path: StrPath) -> Header | None:
    """The header of the journal at `path`, None where none was completed yet; the rest is not looked at."""
    first = contents(path, lines=1)
    if torn_header(first):
        return None
    _require_journal(first, path)
    return _parse_header(first.rstrip(b"\n"), path)[0]


def begun(path: StrPath) -> bool:
    """Whether a journal was begun at `path`; if not, `Journal.create` makes a new one there."""
    return os.path.exists(path) and not torn_header(contents(path, lines=1))


def is_journal(path: StrPath) -> bool:
    """Whether a file begins as a journal does, of whatever format and however damaged."""
    try:
        return os.path.isfile(path) and contents(path, lines=1).removeprefix(_MARK).startswith(_START)
    except InputError:  # it cannot be read
        return False


def identity(path: StrPath) -> bytes:
    """The run itself, in bytes: header and facts without times, checks and results besides the run."""
    record = read(path)
    lines = [header_out(record.header), *(fact_out(fact, record.header) for fact in record.facts)]
    return b"".join(body(line) + b"}\n" for line in lines)


def body(content: Mapping[str, Json]) -> bytes:
    """The bytes of a line up to the place of its checksum: JSON without the closing brace."""
    return json.dumps(content, ensure_ascii=True, allow_nan=False)[:-1].encode("ascii")


def torn_header(data: bytes) -> bool:
    """Whether this is the beginning of a header that was never completed; not where more follows without a line end."""
    if b"\n" in data or not (data.startswith(_START) or _START.startswith(data)):
        return False
    check = _CRC.search(data)
    return check is None or check.end() == len(data)


def parse(data: bytes, path: StrPath) -> Record:
    """Every whole line of `data`, checked and decoded."""
    _require_journal(data, path)
    *lines, torn = data.split(b"\n")
    header, check = _parse_header(lines[0] if lines else torn, path)
    facts: list[Fact] = []
    times: list[float | None] = []
    cached: dict[Mask, Measured | Failure] = {}
    afresh: dict[Shuffled, Measured | Failure] = {}
    claims: list[Claimed] = []
    places: list[int] = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            content, check = _content(line, check)
            if "fact" in content:
                fact, time = fact_in(content, header)
                facts.append(fact)
                times.append(time)
                places.append(number)
            elif "claim" in content:
                claims.append(Claimed(len(facts), number, claim_in(content)))
            elif "afresh" in content:
                shuffled, result = afresh_in(content, header)
                afresh[shuffled] = result
            else:
                subset, result = cached_in(content, header)
                cached[subset] = result
        except InputError as error:
            raise _unread_line(path, number, error) from None
    whole = len(data) - len(torn)
    return Record(
        header=header,
        facts=tuple(facts),
        times=tuple(times),
        cached=cached,
        length=whole,
        check=check,
        claims=tuple(claims),
        lines=tuple(places),
        torn=len(torn),
        afresh=afresh,
    )


def _require_journal(data: bytes, path: StrPath) -> None:
    """An error for a file that is no journal, or only the start of a header. A header that was changed is damage.

    Only the first line is looked at: whatever else is in such a file may be too much to be taken apart.
    """
    first = data[: max(data.find(b"\n"), 0)]
    if not data:
        what = f"{os.fspath(path)!r} is no journal: it is empty; begin it anew, or check the path"
    elif torn_header(data):
        what = f"{named(path)} has no complete header, so nothing is in it; begin it anew"
    elif not (data.startswith(_START) or _CRC.search(first)):
        what = f"{os.fspath(path)!r} is no journal: its first line is not the header of one; check the path"
    else:
        return
    raise JournalFormatError(what)


def _parse_header(line: bytes, path: StrPath) -> tuple[Header, int]:
    """The header in the first line, and the checksum of that line."""
    try:
        if line.startswith(_MARK + _START):
            raise _Damaged(
                "the mark of an editor stands before it", "take its first three bytes away, as tail -c +4 does"
            )
        if not line.startswith(_START):
            raise _Damaged("expected the header of a journal, found something else")
        # the version comes first: what follows it, another version may write differently
        found = re.match(rb'\{"journal": ([0-9]{1,9})[,}]', line)
        if found and int(found[1]) != FORMAT:
            raise JournalFormatError(f"{named(path)}, line 1: {_other_format(int(found[1]))}")
        content, check = _content(line, 0)
        return header_in(content), check
    except (InputError, RecursionError) as error:
        raise _unread_line(path, 1, error) from None


def _other_format(found: int) -> str:
    """What a journal of another format is, and what can be done with it."""
    if found < FORMAT:
        return (
            f"format {found} was written before version 0.1.0, this Elicit reads format {FORMAT}; "
            "begin anew in another place"
        )
    return (
        f"format {found} is unknown, this Elicit reads format {FORMAT}; open it with the Elicit that wrote it, "
        "or a later one"
    )


class _Damaged(InputError):
    """A line is not what was written; `remedy` brings it back."""

    def __init__(self, text: str, remedy: str = "restore the file from a copy") -> None:
        super().__init__(text)
        self.remedy = remedy


def _unread_line(path: StrPath, number: int, error: Exception) -> JournalError:
    """The error for a line that is damaged, or whole and yet unknown here."""
    later = "a later Elicit may have written it: open it with that one"
    remedy = error.remedy if isinstance(error, _Damaged) else later
    return JournalError(f"{named(path)}, line {number}: {error}; {remedy}")


def _content(line: bytes, previous: int) -> tuple[dict[str, Json], int]:
    """The content of a line, and its checksum, which is verified before anything is parsed."""
    written = line[:-_CRC_LENGTH]
    check = zlib.crc32(written, previous)
    if not _holds(line, check):
        raise _unchecked(line, previous)
    try:
        content = json.loads(
            (written + b"}").decode("ascii"), object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        raise _Damaged(f"expected one JSON object, found something else ({error})") from None
    if not isinstance(content, dict):
        raise _Damaged("expected one JSON object, found something else")
    return content, check


def _holds(line: bytes, check: int) -> bool:
    """Whether a line ends with this checksum."""
    end = _CRC.fullmatch(line[-_CRC_LENGTH:])
    return end is not None and int(end[1], 16) == check


def _unchecked(line: bytes, previous: int) -> _Damaged:
    """The error for a line whose check does not hold; of what an editor does to line ends, nothing need be restored."""
    what, remedy = "this line was changed, or one before it is missing", "restore the file from a copy"
    if not line.strip():
        what, remedy = "the line is empty, as none is that was written", "delete it"
    elif line.endswith(b"\r") and _holds(line[:-1], zlib.crc32(line[: -_CRC_LENGTH - 1], previous)):
        what = "its end is one of Windows, which an editor or another system made of it"
        remedy = "take the carriage returns out of the file, as tr -d '\\r' does"
    elif b"}\r{" in line:
        what, remedy = "its lines end in carriage returns", "make line feeds of them, as tr '\\r' '\\n' does"
    return _Damaged(f"the check does not hold: {what}", remedy)


def _without_duplicates(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("a key occurs twice in one object")
    return found


def _refuse_constant(name: str) -> Json:
    raise InputError(f"{name} is not a number")
