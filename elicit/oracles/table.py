"""Every subset measured beforehand: reading an oracle table, and writing one.

A table is a CSV file, perhaps gzipped: one 0/1 column an attribute up to the column `score`, then more
criterion columns; `score_sd` is the spread of the score, not a criterion, and size is counted, not
stored. Whatever is wrong with a file is one line that names the file, the line and the remedy.
"""

from __future__ import annotations

import csv
import os
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elicit.asks import Evaluate, Failure, Measured, Oracle
from elicit.complete import complete, opened
from elicit.errors import InputError
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.numeric import LARGEST_MEASURED
from elicit.oracles.describe import fingerprint
from elicit.oracles.parallel import Workers
from elicit.printable import counted
from elicit.subsets import Attributes, Family, Mask, masks_from

#: More subsets than this are not written to one table: it would be some 60 MB, and days of fits.
LARGEST_TABLE = 1 << 20

_SCORE, _SPREAD = "score", "score_sd"

#: A batch, after which results are saved, takes about so many seconds, and never holds more subsets than this.
_SECONDS_PER_BATCH, _LARGEST_BATCH = 1.0, 4096


class TableOracle:
    """Looks subsets up in an oracle table; a subset that is not in it is a failure.

    minimise: names of the criterion columns where less is better (size always is).
    """

    def __init__(self, path: str | os.PathLike[str], minimise: Sequence[str] = ()) -> None:
        self._path = Path(path)
        header, numbers, lines = _read(self._path)
        at = header.index(_SCORE)
        self.attributes = Attributes(tuple(header[:at]))
        columns = [name for name in header[at:] if name != _SPREAD]
        less = _checked_names(minimise, columns, self._path)
        score, *more = (Criterion(name, maximise=name not in less) for name in columns)
        self.criteria = (score, SCORE_AND_SIZE[1], *more)
        subsets = numbers[:, :at] == 1
        _check_values(self._path, lines, numbers, at, subsets, header)
        self._masks = masks_from(subsets)
        self._row: dict[Mask, int] = {}
        for row, mask in enumerate(self._masks):
            if self._row.setdefault(mask, row) != row:
                first = lines[self._row[mask]]
                raise _line_error(self._path, lines[row], f"line {first} has this subset, too; keep one of them")
        measured = numbers[:, [header.index(name) for name in columns]]
        sizes = subsets.sum(axis=1, dtype=np.float64)
        self._values = np.column_stack([measured[:, 0], sizes, measured[:, 1:]])
        self._spread = numbers[:, header.index(_SPREAD)] if _SPREAD in header else None
        self.fingerprint = fingerprint(
            "table", self.attributes.names, columns, sorted(less), subsets, self._values, self._spread
        )

    def masks(self) -> list[Mask]:
        """The subsets in the table, in its order."""
        return list(self._masks)

    def values(self) -> NDArray[np.float64]:
        """Shape (rows, criteria): the criteria of every subset, in the order of `masks`."""
        return self._values.copy()

    def lacking(self, family: Family) -> int:
        """How many subsets of a family have no row."""
        return family.count() - sum(mask in family for mask in self._masks)

    def __len__(self) -> int:
        return len(self._masks)

    def __call__(self, request: Evaluate) -> Measured | Failure:
        mask = self.attributes.check(request.subset)
        row = self._row.get(mask)
        if row is None:
            return Failure(f"the table {self._path.name} has no row for this subset")
        values = tuple(self._values[row].tolist())
        spread = None if self._spread is None else float(self._spread[row])
        return Measured(values, ((),) * len(values), (spread, *(None,) * (len(values) - 1)))


def _lines(path: Path) -> list[str]:
    try:
        with opened(path) as text:
            return text.readlines()
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a CSV file ({error}); save it as CSV in UTF-8") from error


def _read(path: Path) -> tuple[list[str], NDArray[np.float64], list[int]]:
    """The header, the numbers below it, shape (rows, columns), and the line of each row."""
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
    return header, np.array(numbers).reshape(len(lines), len(header)), lines


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
    if len(header) == 1 and header[0] != _SCORE and _SCORE in header[0]:
        raise _line_error(
            path, 1, f"one cell, {header[0][:40]!r}, is all there is; put commas between the cells of a table"
        )
    if _SCORE not in header:
        raise _line_error(path, 1, "no column is called 'score'; name the column of the score so, after the attributes")
    for name in header:
        if not name or not name.isprintable():
            raise _line_error(path, 1, f"column {header.index(name) + 1} needs a printable name, found {name!r}")
        if header.count(name) > 1:
            raise _line_error(path, 1, f"the column {name!r} occurs {header.count(name)} times; rename or remove one")
    at = header.index(_SCORE)
    if at == 0:
        raise _line_error(path, 1, "no attribute comes before 'score'; add one 0/1 column an attribute")
    if _SPREAD in header[:at]:
        raise _line_error(path, 1, "'score_sd' comes before 'score'; put it after")
    if "size" in header[at:]:
        raise _line_error(path, 1, "'size' is counted, not stored; remove the column")
    return header


def _check_values(
    path: Path,
    lines: Sequence[int],
    numbers: NDArray[np.float64],
    at: int,
    subsets: NDArray[np.bool_],
    header: list[str],
) -> None:
    """Refuse entries other than 0 and 1, empty subsets, criteria that are no usable numbers, and negative spreads."""
    strange = ~subsets & (numbers[:, :at] != 0)
    faults = [
        (strange, "an attribute is 0 or 1", 0),
        (~np.isfinite(numbers[:, at:]), "a criterion is a finite number", at),
        (np.abs(numbers[:, at:]) >= LARGEST_MEASURED, f"a criterion is a number below {LARGEST_MEASURED:g}", at),
    ]
    if _SPREAD in header:
        spread = header.index(_SPREAD)
        faults.append((numbers[:, [spread]] < 0, "a spread is at least 0", spread))
    for fault, rule, first in faults:
        if fault.any():
            row, column = (int(i) for i in np.argwhere(fault)[0])
            name, value = header[first + column], numbers[row, first + column]
            raise _line_error(path, lines[row], f"{name!r} is {value:g}, but {rule}; correct or remove the row")
    empty = np.flatnonzero(~subsets.any(axis=1))
    if empty.size:
        raise _line_error(path, lines[int(empty[0])], "the subset is empty; remove the row")


def _line_error(path: Path, line: int, what: str) -> InputError:
    return InputError(f"{path}, line {line}: {what}")


def _unreadable(path: Path, error: Exception) -> InputError:
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path}: no such file; give the path of an oracle table (CSV or CSV.gz)")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{path}: is a folder; give the path of an oracle table (CSV or CSV.gz)")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"{path}: cannot be read ({reason}); check the file")


def _checked_names(minimise: Sequence[str], columns: Sequence[str], path: Path) -> frozenset[str]:
    if isinstance(minimise, str) or not isinstance(minimise, Iterable):
        raise InputError(f"minimise is a list of names of criteria, such as ['cost'], found {minimise!r}")
    known = [*columns, "size"]
    for name in minimise:
        if name not in known:
            raise InputError(f"{path}: minimise names {name!r}, not a criterion; the criteria are {', '.join(known)}")
    return frozenset(minimise) - {"size"}


@dataclass(frozen=True)
class Written:
    """What a table holds: how many rows, and the subsets that failed and were left out, with why."""

    rows: int
    failures: dict[Mask, str]


def write_table(
    path: str | os.PathLike[str],
    oracle: Oracle,
    family: Family | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    known: Mapping[Mask, Measured | Failure] | None = None,
    keep: Callable[[Mapping[Mask, Measured | Failure]], None] | None = None,
) -> Written:
    """Measure every subset of the family (default: all) and write them to a table.

    The file appears complete or not at all. What is `known` is not measured again; after every batch, which takes a
    second or two, `keep` is given what is new, and `progress(done, total)` is called. Failed subsets
    have no row, dropped attributes no column: a reader could learn only by trying that they cannot be chosen.
    """
    path = Path(path)
    family = Family(len(oracle.attributes)) if family is None else family
    total = family.count()
    if total > LARGEST_TABLE:
        many = f"{counted(total)} subsets are too many for one table (limit {LARGEST_TABLE})"
        raise InputError(f"{many}; drop attributes or set a max size")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no ordinary file; choose another place")
    columns, places = _columns(oracle)
    free = [i for i in range(len(oracle.attributes)) if not family.drop >> i & 1]
    failures: dict[Mask, str] = {}
    done = 0
    try:
        with complete(path) as text, Workers(n_jobs) as workers:
            rows = csv.writer(text, lineterminator="\n")
            rows.writerow([*(oracle.attributes.names[i] for i in free), *columns])
            for replies in _measured_in_batches(oracle, iter(family), workers, known or {}, keep):
                for mask, reply in replies.items():
                    if isinstance(reply, Failure):
                        failures[mask] = reply.reason
                    else:
                        rows.writerow(_row(mask, reply, free, places))
                done += len(replies)
                if progress is not None:
                    progress(done, total)
            if len(failures) == total:
                reason = next(iter(failures.values()))
                raise InputError(f"no subset could be measured, there is no table to write: {reason}")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror or error}); free space or choose another place"
        ) from error
    return Written(total - len(failures), failures)


def _measured_in_batches(
    oracle: Oracle,
    subsets: Iterator[Mask],
    workers: Workers,
    known: Mapping[Mask, Measured | Failure],
    keep: Callable[[Mapping[Mask, Measured | Failure]], None] | None,
) -> Iterator[Mapping[Mask, Measured | Failure]]:
    """The replies for the subsets, in batches and in their order."""
    count = workers.count
    while batch := list(islice(subsets, count)):
        start = time.monotonic()
        asked = [mask for mask in batch if mask not in known]
        new = dict(zip(asked, workers.measure(oracle, asked), strict=True))
        if keep is not None:
            keep(new)
        seconds = time.monotonic() - start
        yield {mask: new[mask] if mask in new else known[mask] for mask in batch}
        count = _next_batch(count, seconds, workers.count)


def _columns(oracle: Oracle) -> tuple[list[str], list[int]]:
    """The column names after the attributes, and which criterion each holds; −1 stands for the spread."""
    names = [criterion.name for criterion in oracle.criteria]
    if _SCORE not in names:
        raise InputError(f"a table needs a criterion called 'score', found {', '.join(names)}; rename one")
    taken = {_SCORE, _SPREAD} & set(oracle.attributes.names)
    if taken:
        raise InputError(f"an attribute of a table cannot be called {taken.pop()!r}; rename it")
    for name in (*oracle.attributes.names, *names):
        if not name.isprintable() or name != name.strip():
            raise InputError(f"a table needs printable names without blanks at their ends, found {name!r}; rename it")
    first = names.index(_SCORE)
    places = [first, -1, *(i for i, name in enumerate(names) if i != first and name != "size")]
    columns = [_SPREAD if i < 0 else names[i] for i in places]
    whole = [*oracle.attributes.names, *columns]
    twice = next((name for name in whole if whole.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"a table cannot have two columns called {twice!r}; rename an attribute or a criterion")
    return columns, places


def _row(mask: Mask, reply: Measured, attributes: Sequence[int], places: Sequence[int]) -> list[str]:
    bits = [str(mask >> i & 1) for i in attributes]
    spread = reply.spread[places[0]] if reply.spread else None
    return bits + [repr(float((spread or 0.0) if i < 0 else reply.criteria[i])) for i in places]


def _next_batch(count: int, seconds: float, workers: int) -> int:
    """How many subsets come next: what takes a second or two, for whoever interrupts loses the batch under way."""
    wanted = 2 * count if seconds < _SECONDS_PER_BATCH else count if seconds < 2 * _SECONDS_PER_BATCH else count // 2
    return max(workers, min(wanted, _LARGEST_BATCH))
