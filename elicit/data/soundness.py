"""Soundness: what in a table may mislead a choice of attributes. Each finding is one line with a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.data.loading import Data
from elicit.data.tidying import twins_in
from elicit.printable import label_of

#: A class with a smaller share of the rows makes accuracy misleading.
RARE_SHARE = 0.1

#: A larger absolute correlation means that two columns tell the same.
HIGH_CORRELATION = 0.95

#: The most correlations that are computed in one block.
MOST_AT_ONCE = 4_000_000

#: The most correlated pairs that are named; the others are only counted.
MOST_PAIRS_NAMED = 3


def warnings_about(data: Data, scoring: str | None = None) -> Iterator[str]:
    """Warnings about columns that look like row numbers, classes that are rare or within one group, and columns that
    are highly correlated."""
    yield from _row_numbers(data)
    if data.classes and (twins := twins_in(label_of(label) for label in np.unique(data.y))):
        yield f"the target holds {twins}; write them alike if they are one class"
    if data.classes and data.together is not None:
        yield from _classes_of_one_group(data.y, data.together)
    if data.classes and scoring is None:
        yield from _rare_classes(data)
    yield from _correlated_attributes(data)


def _row_numbers(data: Data) -> Iterator[str]:
    """A warning for each column of distinct whole numbers close together: row numbers, in whatever order."""
    grouped = _grouped(data)
    for column, values in zip(data.columns, data.X.T, strict=True):
        known = values[~np.isnan(values)]
        if column in grouped or len(known) < 10 or not (known == np.round(known)).all():
            continue
        if len(np.unique(known)) == len(known) and known.max() - known.min() < 2 * len(known):
            yield f"{column!r} looks like the number of a row, which predicts nothing new; leave it out with --drop"


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
