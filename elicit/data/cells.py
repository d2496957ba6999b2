"""Cells: the contents of a CSV file, whichever separator and decimal mark the spreadsheet used.

Where semicolons, tabs or bars separate the columns, a comma may be the decimal mark. Such numbers are converted to
decimal points here, so that no other code needs to know.
"""

from __future__ import annotations

import csv
import gc
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from elicit.complete import opened
from elicit.data.values import as_numbers, comma_numbers, is_missing, with_point
from elicit.errors import InputError, system_reason
from elicit.printable import many

#: Possible separators, in order of preference: the comma is last, because texts and numbers may hold commas as well.
SEPARATORS = (";", "\t", "|", ",")

#: What pandas calls a first column without a name, as it writes the index of a frame, and so what it is called here.
INDEX = "Unnamed: 0"

#: The first line that Excel may write to declare the separator.
_SEPARATOR_LINE = re.compile(r'"?sep=([^\s"\w]|\t)"?\s*', re.IGNORECASE)


@dataclass(frozen=True)
class Cells:
    """Header, rows of stripped cells with decimal points, and the line of each row; and how the file wrote them.

    `top`: the line of the header. `commas`: the columns whose numbers have a decimal comma in the file, each with such
    a number.
    """

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    separator: str
    top: int
    commas: Mapping[str, str]


def cells_of(path: Path) -> Cells:
    """The cells of a CSV file; an error in it is one line that names the place."""
    with _uncollected():
        return _cells(*_written(path), path)


def cells_and_blanks_of(path: Path) -> tuple[Cells, Blanks]:
    """The cells of a CSV file, and what they do not show of it; the file is read once."""
    with _uncollected():
        text, separator, written = _written(path)
        return _cells(text, separator, written, path), _blanks(text, separator, written)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage while rows are made: it looks through all of them time and again, and there is none."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _cells(text: Sequence[str], separator: str, written: Sequence[tuple[list[str], int]], path: Path) -> Cells:
    placed = [([cell.strip() for cell in row], line) for row, line in written]
    if placed and placed[0][0][0] == "" and numbers_rows(row[0] for row, _ in placed[1:] if row):
        placed[0][0][0] = INDEX
    _check_shape(placed, separator, path)
    _check_quotes(text, placed, separator, path)
    (header, top), *below = placed
    rows, lines = [row for row, _ in below], [line for _, line in below]
    return Cells(header, rows, lines, separator, top, {} if separator == "," else _convert_decimal_commas(header, rows))


def numbers_rows(cells: Iterable[str]) -> bool:
    """Whether cells are different whole numbers, as in the index of a frame."""
    values = as_numbers(cells)
    return values is not None and len(values) == len(set(values.tolist())) and bool((values == values.round()).all())


@dataclass(frozen=True)
class Blanks:
    """What `Cells` do not show of a file: where blanks stand around the cells, and how missing ones are written.

    `spaced`: blanks stand around names, or perhaps spaces after a separator. `padded`: the columns of cells that have
    other blanks around them. `gaps`: the cells that stand for a missing value. `written`: for each name, how the file
    writes it.
    """

    spaced: bool
    padded: frozenset[str]
    gaps: frozenset[str]
    written: Mapping[str, str]


def _blanks(text: Sequence[str], separator: str, written: Sequence[tuple[list[str], int]]) -> Blanks:
    (header, _), *below = written
    names = [name.strip() for name in header]
    columns = {name: {row[k] for row, _ in below} for k, name in enumerate(names)}
    return Blanks(
        names != header or any(line.startswith(" ") or f"{separator} " in line for line in text),
        frozenset(name for name, cells in columns.items() if any(cell != cell.strip() for cell in cells)),
        frozenset(cell for cells in columns.values() for cell in cells if is_missing(cell.strip())),
        dict(zip(names, header, strict=True)),
    )


def _written(path: Path) -> tuple[list[str], str, list[tuple[list[str], int]]]:
    """The lines of a file, its separator, and its rows as they are written, each with its line."""
    text = _lines(path)
    separator = _declared_separator(text) or _best_separator(lambda mark: _fitting_rows(text, mark, path))
    return text, separator, _without_empty_end(list(_rows(text, separator, path)))


def _without_empty_end(written: list[tuple[list[str], int]]) -> list[tuple[list[str], int]]:
    """Rows without the last columns that have neither a name nor a cell; spreadsheets write some beside a table."""
    header = written[0][0] if written else []
    width = max((k for k, name in enumerate(header, start=1) if name.strip()), default=len(header))
    if any("".join(row[width:]).strip() or len(row) > len(header) for row, _ in written):
        return written
    return [(row[:width], line) for row, line in written]


def separator_in_words(separator: str) -> str:
    """A separator as an error message shows it."""
    return "a tab" if separator == "\t" else repr(separator)


def _lines(path: Path) -> list[str]:
    try:
        with opened(path) as text:
            lines = text.readlines()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the path") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not text in UTF-8; save it as CSV in UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({system_reason(error)}); check the file") from error
    for number, line in enumerate(lines, start=1):
        if "\0" in line:  # as in UTF-16, most of which would pass for UTF-8
            raise InputError(f"{path}, line {number}: holds a zero byte, which no text does; save it as CSV in UTF-8")
    return lines


def _declared_separator(text: Sequence[str]) -> str | None:
    """The separator that the first line declares, if it does."""
    named = _SEPARATOR_LINE.fullmatch(text[0]) if text else None
    return named[1] if named else None


def _rows(text: Sequence[str], separator: str, path: Path) -> Iterator[tuple[list[str], int]]:
    """The rows that are not blank, with the line where each begins; a first line that names the separator is none."""
    line = top = 1 + (_declared_separator(text) is not None)
    reader = csv.reader(text[top - 1 :], delimiter=separator, skipinitialspace=True)
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                yield row, line
            line = top + reader.line_num
    except csv.Error as error:
        raise InputError(
            f"{path}, line {line}: not a CSV file ({error}); shorten the cell, or close its quotes"
        ) from error


def _fitting_rows(text: Sequence[str], separator: str, path: Path) -> tuple[int, int]:
    """How many rows have as many cells as the header, itself among them, and how many that is; 0 where it has one."""
    counts = (len(row) for row, _ in _rows(text, separator, path))
    width = next(counts, 0)
    return (1 + sum(count == width for count in counts), width) if width > 1 else (0, 0)


def _best_separator(worth: Callable[[str], tuple[int, int]]) -> str:
    """The separator of the largest worth, a comma where all are worth nothing."""
    found = dict.fromkeys(SEPARATORS, (0, 0))
    for mark in SEPARATORS:
        with suppress(InputError):  # a cell is too long: this is not what parts it
            found[mark] = worth(mark)
    return max(SEPARATORS, key=found.__getitem__) if any(rows for rows, _ in found.values()) else ","


def _check_shape(placed: Sequence[tuple[list[str], int]], separator: str, path: Path) -> None:
    """Refuse a file without a header or rows, a faulty header, and a row of another length."""
    if not placed:
        raise InputError(f"{path}: the file is empty; expected a header and one row a case")
    header, top = placed[0]
    times = Counter(header)
    for i, name in enumerate(header, start=1):
        if not name:
            raise InputError(f"{path}, line {top}: column {i} has no name; name every column")
        if times[name] > 1:
            raise InputError(f"{path}, line {top}: the column {name!r} occurs {times[name]} times; rename one")
    if len(placed) == 1:
        raise InputError(f"{path}, line {top}: no row follows the header; add one row a case")
    for row, line in placed:
        if len(row) != len(header):
            remedy = "close the quote that opens here" if _spans_lines(row) else "put what holds a separator in quotes"
            raise InputError(
                f"{path}, line {line}: with {separator_in_words(separator)} between cells the header has "
                f"{many(len(header), 'column')}, this line {many(len(row), 'cell')}; correct it, "
                f"or {remedy}"
            )


def _check_quotes(text: Sequence[str], placed: Sequence[tuple[list[str], int]], separator: str, path: Path) -> None:
    """Refuse a quote that is never closed, or in the midst of a cell below: the rows between would be one cell."""
    for row, line in placed:
        if _spans_lines(row):
            lines = (text[k] for k in range(line - 1, len(text)))
            try:
                next(csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True))
            except csv.Error:
                raise InputError(
                    f"{path}, line {line}: a quote opens here that is not closed at the end of a cell; "
                    "close it, or remove it"
                ) from None


def _spans_lines(row: Sequence[str]) -> bool:
    text = "".join(row)
    return "\n" in text or "\r" in text


# --- decimal commas ----------------------------------------------------------------------------------


def _convert_decimal_commas(header: Sequence[str], rows: Sequence[list[str]]) -> dict[str, str]:
    """Convert decimal commas to points in place; return the columns that had some, each with a number as it was."""
    found: dict[str, str] = {}
    for i, name in enumerate(header):
        cells = [row[i] for row in rows]
        if comma_numbers(cells):
            found[name] = next(cell for cell in cells if "," in cell)
            for row in rows:
                row[i] = with_point(row[i])
    return found


def decimal_comma_note(commas: Mapping[str, str]) -> Iterator[str]:
    """A note on the columns read with decimal commas, since 1,234 may have been meant otherwise."""
    if commas:
        name, cell = next(iter(commas.items()))
        others = f" and {many(len(commas) - 1, 'more column')}" if len(commas) > 1 else ""
        yield f"commas in {name!r}{others} are read as decimal points: {cell!r} as {with_point(cell)}"


def points_elsewhere(cells: Cells) -> bool:
    """Whether a column of numbers besides those with a decimal comma has a decimal point."""
    for i, name in enumerate(cells.header):
        known = [row[i] for row in cells.rows if not is_missing(row[i])]
        if name not in cells.commas and any("." in cell for cell in known) and as_numbers(known) is not None:
            return True
    return False


# --- two columns -------------------------------------------------------------------------------------


def pairs_of(path: Path, names: Iterable[str]) -> tuple[list[tuple[list[str], int]], str]:
    """The rows of a file of names and numbers with their lines, and the separator that gives the most pairs of such."""
    known, text = set(names), _lines(path)

    def found(mark: str) -> tuple[int, int]:
        return sum(1 + (row[0].strip() in known) for row, _ in _rows(text, mark, path) if len(row) == 2), 2

    separator = _declared_separator(text) or _best_separator(found)
    cells = [([cell.strip() for cell in row], line) for row, line in _rows(text, separator, path)]
    return [(row, line) for row, line in cells if any(row)], separator
