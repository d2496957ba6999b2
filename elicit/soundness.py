"""Soundness: what in a table may mislead whoever chooses attributes by it. Each finding is one line with a remedy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from elicit.data import Data

#: A class with a smaller share of the rows makes accuracy misleading.
RARE = 0.1

#: A larger absolute correlation means that two columns tell the same.
SAME = 0.95

#: Pairs of correlated columns that are named; the others are counted.
MOST_PAIRS = 3


def warnings_about(data: Data, scoring: str | None = None) -> Iterator[str]:
    """Columns that look like names of the rows, classes that are rare, columns that tell the same."""
    yield from _like_identities(data)
    if data.classes and scoring is None:
        yield from _rare(data)
    yield from _correlated(data)


def _like_identities(data: Data) -> Iterator[str]:
    """Whole numbers that all differ and lie close together: row numbers, in whatever order."""
    own = {column for columns in data.groups.values() for column in columns}
    for column, values in zip(data.columns, data.X.T, strict=True):
        known = values[~np.isnan(values)]
        if column in own or len(known) < 10 or not (known == np.round(known)).all():
            continue
        if len(np.unique(known)) == len(known) and known.max() - known.min() < 2 * len(known):
            yield f"{column!r} looks like the number of a row, which predicts nothing new; leave it out with --drop"


def _rare(data: Data) -> Iterator[str]:
    labels, counts = np.unique(data.y, return_counts=True)
    least = int(counts.argmin())
    if counts[least] < RARE * len(data.y):
        yield (
            f"class {str(labels[least])!r} has {counts[least]} of {len(data.y)} rows: accuracy hardly sees it; "
            "consider --scoring balanced_accuracy"
        )


def _correlated(data: Data) -> Iterator[str]:
    """Pairs of attributes of one column each whose values are all but proportional."""
    own = {column for columns in data.groups.values() for column in columns}
    places = [k for k, column in enumerate(data.columns) if column not in own]
    pairs = _pairs(data, places)
    for r, a, b in pairs[:MOST_PAIRS]:
        yield (
            f"{data.columns[a]!r} and {data.columns[b]!r} are correlated ({r:+.2f}): either can stand for the other, "
            "so which of them is chosen may be chance"
        )
    if len(pairs) > MOST_PAIRS:
        yield f"and {len(pairs) - MOST_PAIRS} more pairs of attributes are correlated beyond {SAME}"


def _pairs(data: Data, places: Sequence[int]) -> list[tuple[float, int, int]]:
    """(correlation, column, column), the strongest first; over the rows in which both are known."""
    values = np.ma.masked_invalid(data.X[:, list(places)])
    if len(places) < 2:
        return []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column that is constant where both are known has no correlation
        table = np.ma.corrcoef(values, rowvar=False).filled(0.0)  # type: ignore[no-untyped-call]  # numpy.ma has no types
    found = [
        (float(table[i, j]), places[i], places[j])
        for i in range(len(places))
        for j in range(i + 1, len(places))
        if np.isfinite(table[i, j]) and abs(table[i, j]) > SAME
    ]
    return sorted(found, key=lambda pair: (-abs(pair[0]), pair[1], pair[2]))
