"""Cells: a CSV file as it stands there, whichever separator and decimal mark the spreadsheet wrote it with.

Where the columns stand between semicolons, tabs or bars, a comma may be the decimal mark: a column of such numbers
is handed on with points, so that whoever reads the cells need not know.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elicit.complete import opened
from elicit.errors import InputError
from elicit.printable import many, printable
from elicit.session.tidying import MISSING, as_numbers, comma_numbers, with_point

#: What may stand between the columns; where the header has several, a comma is taken first.
SEPARATORS = (",", ";", "\t", "|")

#: A name in quotes: they open where a name begins, and elsewhere are letters like others.
_QUOTED = re.compile(r'(?:^|(?<=[,;\t|]))\s*"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Cells:
    """Header, rows of stripped cells with decimal points, and the line of each row; and how the file wrote them.

    `padded`: names in the header stand between spaces, which are no part of them here. `commas`: the columns whose
    numbers have a decimal comma in the file, each with such a number.
    """

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    separator: str
    padded: bool
    commas: Mapping[str, str]


def cells_of(path: Path) -> Cells:
    """The cells of a CSV file; whatever is wrong with it is one line that names the place."""
    shown = printable(str(path))
    text = _lines(path, shown)
    try:
        separator = _separator(text)
        reader = csv.reader(text, delimiter=separator, skipinitialspace=True)
        header = [name.strip() for name in next(reader, [])]
        placed = [([cell.strip() for cell in row], reader.line_num) for row in reader if row]
        padded = any(name != name.strip() for name in next(csv.reader(text, delimiter=separator), []))
    except csv.Error as error:
        raise InputError(f"{shown}: not a CSV file ({error}); expected text with a header line") from error
    rows, lines = [row for row, _ in placed], [line for _, line in placed]
    _check_header(header, shown)
    _check_rows(header, rows, lines, shown)
    return Cells(header, rows, lines, separator, padded, {} if separator == "," else _pointed(header, rows))


def _lines(path: Path, shown: str) -> list[str]:
    try:
        with opened(path) as text:
            return text.readlines()
    except FileNotFoundError:
        raise InputError(f"{shown}: no such file; check the path") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: is not text in UTF-8; save it as UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{shown}: cannot be read ({reason}); check the file") from error


def _separator(text: Sequence[str]) -> str:
    """What stands most often between the names of a header without a comma; what is in quotes is a name's own."""
    reader = csv.reader(text, skipinitialspace=True)
    next(reader, [])
    bare = _QUOTED.sub("", "".join(text[: reader.line_num]))
    return "," if "," in bare else max(SEPARATORS, key=bare.count)


def _check_header(header: Sequence[str], shown: str) -> None:
    if not header:
        raise InputError(f"{shown}: the file is empty, or its first line is; expected a header and one row a case")
    for i, name in enumerate(header, start=1):
        if not name:
            raise InputError(f"{shown}, line 1: column {i} has no name; name every column")
        if header.count(name) > 1:
            raise InputError(f"{shown}, line 1: the column {name!r} occurs {header.count(name)} times; rename one")


def _check_rows(header: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int], shown: str) -> None:
    if not rows:
        raise InputError(f"{shown}, line 1: no row follows the header; add one row a case")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise InputError(
                f"{shown}, line {line}: the header has {many(len(header), 'column')}, this line "
                f"{many(len(row), 'cell')}; correct it"
            )


# --- decimal commas ----------------------------------------------------------------------------------


def _pointed(header: Sequence[str], rows: Sequence[list[str]]) -> dict[str, str]:
    """Write a point for the comma in every column of numbers that has some; those columns, with a number as it was."""
    found: dict[str, str] = {}
    for i, name in enumerate(header):
        cells = [row[i] for row in rows]
        if comma_numbers(cells):
            found[name] = next(cell for cell in cells if "," in cell)
            for row in rows:
                row[i] = with_point(row[i])
    return found


def commas_told(commas: Mapping[str, str]) -> Iterator[str]:
    """A note on the columns that were read with a decimal comma: 1,234 may have been meant otherwise."""
    if commas:
        name, cell = next(iter(commas.items()))
        others = f" and {many(len(commas) - 1, 'more column')}" if len(commas) > 1 else ""
        yield f"commas in {name!r}{others} are read as decimal points: {cell!r} as {with_point(cell)}"


def points_elsewhere(cells: Cells) -> bool:
    """Whether a column of numbers besides those with a decimal comma has a decimal point."""
    for i, name in enumerate(cells.header):
        known = [row[i] for row in cells.rows if row[i].lower() not in MISSING]
        if name not in cells.commas and any("." in cell for cell in known) and as_numbers(known) is not None:
            return True
    return False


# --- two columns -------------------------------------------------------------------------------------


def pairs_of(path: Path, names: Iterable[str]) -> tuple[list[list[str]], str]:
    """The lines of a file of name and number, and its separator: that which finds the most names."""
    known, text = set(names), _lines(path, printable(str(path)))
    read = {mark: list(csv.reader(text, delimiter=mark)) for mark in SEPARATORS}
    best = max(SEPARATORS, key=lambda mark: sum(len(row) == 2 and row[0].strip() in known for row in read[mark]))
    return read[best], best
