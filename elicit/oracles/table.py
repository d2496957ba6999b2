"""Every subset measured beforehand: an oracle that looks subsets up in a table.

A table is a CSV file, perhaps gzipped: one 0/1 column an attribute up to the column `score`, then more
criterion columns; `score_sd` is the spread of the score, `fold_1`, `fold_2`, … the score of each fold, whose mean
it is. These are no criteria, and size is counted, not stored. Whatever is wrong with a file is one line that names
the file, the line and the remedy. `table_writing.py` writes such files.
"""

from __future__ import annotations

import csv
import os
import re
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elicit.asks import Evaluate, Failure, Measured, subset_asked_for
from elicit.complete import opened
from elicit.errors import InputError, system_reason
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.numeric import LARGEST_MEASURED
from elicit.oracles.describe import fingerprint
from elicit.subsets import Attributes, Family, Mask, masks_from

#: The columns of the score and of its spread, and how those of its folds begin.
SCORE, SPREAD, FOLD = "score", "score_sd", "fold_"

#: A score is the mean of its folds but for this, in units of the score or of 1: numbers in a file may be rounded.
_ROUNDED = 1e-3


class TableOracle:
    """Looks subsets up in an oracle table; a subset that is not in it is a failure.

    minimise: names of the criterion columns where less is better (size always is).
    """

    def __init__(self, path: str | os.PathLike[str], minimise: Sequence[str] = ()) -> None:
        self._path = Path(path)
        table = _read(self._path)
        header, at = table.header, table.attributes
        self.attributes = Attributes(tuple(header[:at]))
        folds = _folds(header)
        columns = [name for name in header[at:] if name != SPREAD and name not in folds]
        less = _checked_names(minimise, columns, self._path)
        score, *more = (Criterion(name, maximise=name not in less) for name in columns)
        self.criteria = (score, SCORE_AND_SIZE[1], *more)
        _check_values(table)
        self._folds = _checked_folds(table, folds)
        self._masks = masks_from(table.subsets)
        self._row: dict[Mask, int] = {}
        for row, mask in enumerate(self._masks):
            if self._row.setdefault(mask, row) != row:
                first = table.lines[self._row[mask]]
                raise table.error(row, f"line {first} has this subset, too; keep one of them")
        measured = table.numbers[:, [header.index(name) for name in columns]]
        sizes = table.subsets.sum(axis=1, dtype=np.float64)
        self._values = np.column_stack([measured[:, 0], sizes, measured[:, 1:]])
        self._spread = table.numbers[:, header.index(SPREAD)] if SPREAD in header else None
        told = [] if self._folds is None else [self._folds]
        self.fingerprint = fingerprint(
            "table", self.attributes.names, columns, sorted(less), table.subsets, self._values, self._spread, *told
        )

    def masks(self) -> list[Mask]:
        """The subsets in the table, in its order."""
        return list(self._masks)

    def values(self) -> NDArray[np.float64]:
        """Shape (rows, criteria): the criteria of every subset, in the order of `masks`."""
        return self._values.copy()

    def folds(self) -> NDArray[np.float64] | None:
        """Shape (rows, folds): the score of each fold, in the order of `masks`; None where the table has no folds."""
        return None if self._folds is None else self._folds.copy()

    def lacking(self, family: Family) -> int:
        """How many subsets of a family have no row."""
        return family.count() - sum(mask in family for mask in self._masks)

    def __len__(self) -> int:
        return len(self._masks)

    def __call__(self, request: Evaluate) -> Measured | Failure:
        mask = subset_asked_for(request, self.attributes)
        row = self._row.get(mask)
        if row is None:
            return Failure(f"the table {self._path.name} has no row for this subset")
        values = tuple(self._values[row].tolist())
        spread = None if self._spread is None else float(self._spread[row])
        folds = () if self._folds is None else tuple(self._folds[row].tolist())
        others = len(values) - 1
        return Measured(values, (folds, *((),) * others), (spread, *(None,) * others))


@dataclass(frozen=True)
class _Table:
    """What stands in a file: the header, the numbers below it, shape (rows, columns), and the line of each row."""

    path: Path
    header: list[str]
    numbers: NDArray[np.float64]
    lines: list[int]

    @property
    def attributes(self) -> int:
        """How many columns are attributes: those before the score."""
        return self.header.index(SCORE)

    @cached_property
    def subsets(self) -> NDArray[np.bool_]:
        """Which attributes each row holds, shape (rows, attributes)."""
        return np.asarray(self.numbers[:, : self.attributes] == 1)

    def error(self, row: int, what: str) -> InputError:
        """What is wrong with a row."""
        return _line_error(self.path, self.lines[row], what)


def _lines(path: Path) -> list[str]:
    try:
        with opened(path) as text:
            return text.readlines()
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a CSV file ({error}); save it as CSV in UTF-8") from error


def _read(path: Path) -> _Table:
    reader = csv.reader(_lines(path))
    try:
        header = _header(next(reader, []), path)
    except csv.Error as error:
        raise _line_error(path, 1, f"not a CSV file ({error}); expected a header line") from error
    numbers, lines = array("d"), []
    try:
        for row in reader:
            if len(row) > 1 or "".join(row).strip():
                numbers.extend(_numbers_in(row, header, path, reader.line_num))
                lines.append(reader.line_num)
    except csv.Error as error:
        raise _line_error(path, reader.line_num, f"not a row of CSV ({error}); correct or remove it") from error
    if not lines:
        raise _line_error(path, 1, "no subset follows the header; add one row a subset")
    return _Table(path, header, np.array(numbers).reshape(len(lines), len(header)), lines)


def _numbers_in(row: Sequence[str], header: Sequence[str], path: Path, line: int) -> list[float]:
    """The numbers of a row; an error names the first entry that is none, or says that there are too few or many."""
    if len(row) != len(header):
        told = f"{len(row)} entries were found where the header has {len(header)}; correct the row"
        raise _line_error(path, line, told)
    numbers = []
    for name, entry in zip(header, row, strict=True):
        number = _number(entry)
        if number is None:
            shown = entry if entry.isprintable() else ascii(entry)
            told = f"{name!r} is {shown[:40]!r}, expected a number; correct or remove the row"
            raise _line_error(path, line, told)
        numbers.append(number)
    return numbers


def _number(entry: str) -> float | None:
    """A number that is one to others, too: 1_000 and digits of other scripts are numbers to Python alone."""
    try:
        return float(entry) if entry.isascii() and "_" not in entry else None
    except ValueError:
        return None


def _header(header: list[str], path: Path) -> list[str]:
    header = [name.strip() for name in header]
    if len(header) == 1 and header[0] != SCORE and SCORE in header[0]:
        raise _line_error(
            path, 1, f"one cell, {header[0][:40]!r}, is all there is; put commas between the cells of a table"
        )
    if SCORE not in header:
        raise _line_error(path, 1, "no column is called 'score'; name the column of the score so, after the attributes")
    for name in header:
        if not name or not name.isprintable():
            raise _line_error(path, 1, f"column {header.index(name) + 1} needs a printable name, found {name!r}")
        if header.count(name) > 1:
            raise _line_error(path, 1, f"the column {name!r} occurs {header.count(name)} times; rename or remove one")
    at = header.index(SCORE)
    if at == 0:
        raise _line_error(path, 1, "no attribute comes before 'score'; add one 0/1 column an attribute")
    if SPREAD in header[:at]:
        raise _line_error(path, 1, "'score_sd' comes before 'score'; put it after")
    folds = _folds(header)
    if folds and folds != [f"{FOLD}{k}" for k in range(1, max(2, len(folds)) + 1)]:
        told = f"folds are the columns {FOLD}1, {FOLD}2, … in this order; found {', '.join(folds)[:80]}"
        raise _line_error(path, 1, f"{told}; add what is missing, or rename what is no fold")
    if "size" in header[at:]:
        raise _line_error(path, 1, "'size' is counted, not stored; remove the column")
    return header


def _folds(header: Sequence[str]) -> list[str]:
    """The columns after the score that hold the score of one fold."""
    return list(filter(is_fold, header[header.index(SCORE) :]))


def is_fold(name: str) -> bool:
    """Whether a column after the score is called as that of a fold is."""
    return re.fullmatch(f"{FOLD}[0-9]+", name) is not None


def _checked_folds(table: _Table, names: Sequence[str]) -> NDArray[np.float64] | None:
    """The score of each fold, shape (rows, folds); refuse those of which the score is not the mean."""
    if not names:
        return None
    folds = table.numbers[:, [table.header.index(name) for name in names]]
    score, mean = table.numbers[:, table.attributes], folds.mean(axis=1)
    wrong = np.flatnonzero(np.abs(mean - score) > _ROUNDED * np.maximum(np.abs(score), 1.0))
    if wrong.size:
        row = int(wrong[0])
        told = f"'score' is {score[row]:g}, but the mean of its folds is {mean[row]:g}; correct or remove the row"
        raise table.error(row, told)
    return folds


def _check_values(table: _Table) -> None:
    """Refuse entries other than 0 and 1, empty subsets, criteria that are no usable numbers, and negative spreads."""
    header, numbers, at = table.header, table.numbers, table.attributes
    strange = ~table.subsets & (numbers[:, :at] != 0)
    faults = [
        (strange, "an attribute is 0 or 1", 0),
        (~np.isfinite(numbers[:, at:]), "a criterion is a finite number", at),
        (np.abs(numbers[:, at:]) >= LARGEST_MEASURED, f"a criterion is a number below {LARGEST_MEASURED:g}", at),
    ]
    if SPREAD in header:
        spread = header.index(SPREAD)
        faults.append((numbers[:, [spread]] < 0, "a spread is at least 0", spread))
    for fault, rule, first in faults:
        if fault.any():
            row, column = (int(i) for i in np.argwhere(fault)[0])
            name, value = header[first + column], numbers[row, first + column]
            raise table.error(row, f"{name!r} is {value:g}, but {rule}; correct or remove the row")
    empty = np.flatnonzero(~table.subsets.any(axis=1))
    if empty.size:
        raise table.error(int(empty[0]), "the subset is empty; remove the row")


def _line_error(path: Path, line: int, what: str) -> InputError:
    return InputError(f"{path}, line {line}: {what}")


def _unreadable(path: Path, error: Exception) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: no such file; give the path of an oracle table (CSV or CSV.gz)")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{path}: is a folder; give the path of an oracle table (CSV or CSV.gz)")
    return InputError(f"{path}: cannot be read ({system_reason(error)}); check the file")


def _checked_names(minimise: Sequence[str], columns: Sequence[str], path: Path) -> frozenset[str]:
    if isinstance(minimise, str) or not isinstance(minimise, Iterable):
        raise InputError(f"minimise is a list of names of criteria, such as ['cost'], found {minimise!r}")
    known = [*columns, "size"]
    for name in minimise:
        if name not in known:
            raise InputError(f"{path}: minimise names {name!r}, not a criterion; the criteria are {', '.join(known)}")
    return frozenset(minimise) - {"size"}
