"""Soundness: what in a table may mislead a choice of attributes. Each finding is one line with a remedy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.data.loading import Data
from elicit.data.tidying import twins_in
from elicit.printable import label_of

#: In fewer rows than this a column may be the number of the row, or the target, by chance.
FEW_ROWS = 10

#: A class with a smaller share of the rows makes accuracy misleading.
RARE_SHARE = 0.1

#: A larger absolute correlation means that two columns tell the same.
HIGH_CORRELATION = 0.95

#: A larger absolute correlation with the target means that a column is the target, perhaps in another unit.
THE_SAME = 0.9999

#: What often stands for a missing value where all other numbers are far from it: -9, and 99 and more nines with either
#: sign.
GAP_CODES = (-9.0, *(sign * (10.0**digits - 1) for digits in range(2, 8) for sign in (1, -1)))

#: The most columns with the same code that have a warning each; more have one together, or they would bury the others.
MOST_WITH_CODE_ALONE = 5

#: The most correlations that are computed in one block.
MOST_AT_ONCE = 4_000_000

#: The most correlated pairs that are named; the others are only counted.
MOST_PAIRS_NAMED = 3


def warnings_about(data: Data, scoring: str | None = None) -> Iterator[str]:
    """Warnings about columns that look like row numbers, hold codes for missing values or tell the target, classes that
    are rare or within one group, and columns that are highly correlated."""
    yield from _row_numbers(data)
    yield from _codes_for_gaps(data)
    yield from _copies_of_the_target(data)
    if data.classes and (twins := twins_in(label_of(label) for label in np.unique(data.y))):
        yield f"the target holds {twins}; write them alike if they are one class"
    if data.classes and data.together is not None:
        yield from _classes_of_one_group(data.y, data.together)
    if data.classes and scoring in (None, "accuracy"):
        yield from _rare_classes(data)
    yield from _correlated_attributes(data)


def _row_numbers(data: Data) -> Iterator[str]:
    """A warning for each column of distinct whole numbers close together: row numbers, in whatever order."""
    grouped = _grouped(data)
    for column, values in zip(data.columns, data.X.T, strict=True):
        known = values[~np.isnan(values)]
        if column in grouped or len(known) < FEW_ROWS or not (known == np.round(known)).all():
            continue
        if len(np.unique(known)) == len(known) and known.max() - known.min() < 2 * len(known):
            yield f"{column!r} looks like the number of a row, which predicts nothing new; leave it out with --drop"


def _codes_for_gaps(data: Data) -> Iterator[str]:
    """A warning for each column of numbers, and for a target of numbers, with a code that is far from all others.

    Of a code in many columns there is one warning that names them all.
    """
    rows, remedy = len(data.y), "if that stands for a missing value, leave it empty"
    found = list(_cells_with_codes(data))
    shared = {code for code, times in Counter(code for code, _, _ in found).items() if times > MOST_WITH_CODE_ALONE}
    for code, name, count in found:
        if code not in shared:
            yield f"{name} is {code:.0f} in {count} of {rows} rows, far from its other values; {remedy}"
    for code in sorted(shared):
        counted = [f"{name} ({count})" for each, name, count in found if each == code]
        yield f"{len(counted)} columns hold {code:.0f}, far from their other values, {', '.join(counted)}; {remedy}"


def _cells_with_codes(data: Data) -> Iterator[tuple[float, str, int]]:
    """What may be codes for missing values: the code, the column, or the target, and how many rows of it hold that."""
    grouped = _grouped(data)
    named = [(repr(c), values) for c, values in zip(data.columns, data.X.T, strict=True) if c not in grouped]
    for name, values in named if data.classes else [*named, ("the target", data.y)]:
        known = values[~np.isnan(values)]
        for code in GAP_CODES:
            others = known[known != code]
            if len(others) not in (0, len(known)) and np.abs(others - code).min() > np.ptp(others):
                yield code, name, len(known) - len(others)


def _copies_of_the_target(data: Data) -> Iterator[str]:
    """A warning for each attribute that is the target in other words."""
    grouped, place = _grouped(data), {column: k for k, column in enumerate(data.columns)}
    attributes = {name: data.X[:, k] for name, k in place.items() if name not in grouped}
    attributes |= {name: data.X[:, [place[column] for column in columns]] for name, columns in data.groups.items()}
    for name, values in attributes.items():
        if _is_the_target(values, data):
            told = f"{name!r} tells the target of every row by itself"
            yield f"{told}; leave it out with --drop, unless it is known before the target is"


def _is_the_target(values: NDArray[np.float64], data: Data) -> bool:
    """Whether a column, or the 0/1 columns of texts, are the target: its classes by other names, or its numbers."""
    if len(values) < FEW_ROWS:
        return False
    if data.classes:
        return _names_the_classes(values, data.y)
    return values.ndim == 1 and _tells_the_numbers(values, data.y)


def _tells_the_numbers(values: NDArray[np.float64], y: NDArray[Any]) -> bool:
    """Whether a column is the target in another unit, wherever it is known."""
    known = ~np.isnan(values)
    x, y = values[known], y[known]
    with np.errstate(invalid="ignore", divide="ignore"):
        return len(x) > 2 and bool(np.ptp(x) and np.ptp(y)) and abs(np.corrcoef(x, y)[0, 1]) > THE_SAME


def _names_the_classes(values: NDArray[np.float64], y: NDArray[Any]) -> bool:
    """Whether a column, or 0/1 columns, have a value for each class, and that in each of its rows."""
    if np.isnan(values).any():
        return False
    labels, codes = np.unique(y, return_inverse=True)
    if values.ndim == 2 and values.shape[1] != len(labels):
        return False
    levels, found = np.unique(values.argmax(axis=1) if values.ndim == 2 else values, return_inverse=True)
    return len(levels) == len(labels) == len(np.unique(found * len(labels) + codes))


def _rare_classes(data: Data) -> Iterator[str]:
    labels, counts = np.unique(data.y, return_counts=True)
    least = int(counts.argmin())
    if counts[least] < RARE_SHARE * len(data.y) / max(1, len(labels) / 2):  # of many classes each may be small
        yield (
            f"class {label_of(labels[least])!r} has {counts[least]} of {len(data.y)} rows: accuracy hardly sees it; "
            "consider --scoring balanced_accuracy"
        )


def _classes_of_one_group(y: NDArray[Any], together: NDArray[Any]) -> Iterator[str]:
    alone = [label for label in np.unique(y) if len(np.unique(together[y == label])) == 1]
    if alone:
        which = f"class {label_of(alone[0])!r} is" if len(alone) == 1 else f"{len(alone)} classes are each"
        yield (
            f"{which} in one group only, so no fold can both learn and test it; join it with another class, or do "
            "without the groups"
        )


def _correlated_attributes(data: Data) -> Iterator[str]:
    """Warnings about highly correlated pairs of attributes that are one column each."""
    grouped = _grouped(data)
    places = [k for k, column in enumerate(data.columns) if column not in grouped]
    count, strongest = _correlated_pairs(data.X[:, places])
    for r, a, b in strongest:
        yield (
            f"{data.columns[places[a]]!r} and {data.columns[places[b]]!r} are correlated ({r:+.2f}): either can stand "
            "for the other, so which of them is chosen may be chance"
        )
    if count > MOST_PAIRS_NAMED:
        yield f"and {count - MOST_PAIRS_NAMED} more pairs of attributes are correlated beyond {HIGH_CORRELATION}"


def _grouped(data: Data) -> set[str]:
    """The columns that are no attribute by themselves."""
    return {column for columns in data.groups.values() for column in columns}


def _correlated_pairs(X: NDArray[np.float64]) -> tuple[int, list[tuple[float, int, int]]]:
    """How many pairs of columns are correlated, and the strongest: (correlation, column, column)."""
    count, strongest = 0, []
    for first, table in correlations(X):
        i, j = np.nonzero(np.triu(np.abs(table) > HIGH_CORRELATION, k=1))
        found = table[i, j]
        for k in np.argsort(-np.abs(found), kind="stable")[:MOST_PAIRS_NAMED].tolist():
            strongest.append((float(found[k]), first + int(i[k]), first + int(j[k])))
        count += len(found)
    return count, sorted(strongest, key=lambda pair: (-abs(pair[0]), pair[1], pair[2]))[:MOST_PAIRS_NAMED]


def correlations(X: NDArray[np.float64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Pearson correlations of the columns of X, each over the rows in which both are known; 0 for none.

    Some columns at a time: the number of the first, and their correlations with all from that one on. With m the
    mask of what is known and x centred and 0 elsewhere: r = (Σxy − ΣxΣy/k) / √(Σx² − (Σx)²/k) √(…), each sum over
    the k rows that a pair shares. Columns are divided by their largest value first.
    """
    known = ~np.isnan(X)
    counts = known.sum(axis=0)
    x = np.where(known, X, 0.0)
    x = x / np.maximum(np.abs(x).max(axis=0, initial=0.0), 1e-300)  # no square is too large then
    x = np.where(known, x - x.sum(axis=0) / np.maximum(counts, 1), 0.0)
    spread = np.abs(x).max(axis=0, initial=0.0)  # of a column far from 0 it is small beside the size
    x = x / np.where(spread > 1e-12, spread, np.inf)  # what rounding leaves is none
    m, xx = known.astype(np.float64), x * x
    least = 1e-12 * xx.sum(axis=0).max(initial=0.0)
    n = X.shape[1]
    columns = max(1, MOST_AT_ONCE // max(1, n))
    for first in range(0, n, columns):
        part, rest = slice(first, first + columns), slice(first, n)
        shared = np.maximum(m[:, part].T @ m[:, rest], 1.0)
        sums, others = x[:, part].T @ m[:, rest], m[:, part].T @ x[:, rest]
        spread = np.maximum(xx[:, part].T @ m[:, rest] - sums**2 / shared, 0.0)
        spread *= np.maximum(m[:, part].T @ xx[:, rest] - others**2 / shared, 0.0)
        scale = np.sqrt(spread)
        together = x[:, part].T @ x[:, rest] - sums * others / shared
        yield first, np.divide(together, scale, out=np.zeros_like(scale), where=scale > least)
