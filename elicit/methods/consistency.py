"""Consistency of a subset with the data: no two cases may agree on it and differ in class.

Two cases agree on an attribute when they differ by no more than a tolerance in each of its columns, and on
a subset when they agree on all of it. For every pair of cases of two classes and every attribute, one bit
says whether they disagree; a subset is consistent when each pair has a bit in it. So a subset costs a few
operations on packed bits, and adding an attribute never makes it less consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.numeric import is_number
from elicit.subsets import Mask, mask_of, members

#: Some of the pairs of cases, by their places, ascending.
Pairs = NDArray[np.intp]

#: Pairs of cases of two classes beyond which consistency is refused: 2^26 pairs are 8 MB an attribute.
LARGEST_PAIRS = 1 << 26


class Inconsistency:
    """The share of cases that agree on a subset with a case of another class: 0 for a consistent subset.

    X: numbers, shape (rows, columns); y: a class a row.
    groups: positions of the columns of each attribute (default: one attribute a column).
    tolerance: the difference, in the unit of the columns, up to which two values count as the same.
    """

    def __init__(
        self, X: Any, y: Any, *, groups: Sequence[Sequence[int]] | None = None, tolerance: float = 0.0
    ) -> None:
        values, classes = np.asarray(X, dtype=np.float64), np.unique(np.asarray(y), return_inverse=True)[1]
        if values.ndim != 2 or len(values) != len(classes):
            raise InputError(f"expected one class for each row of X, found shapes {values.shape} and {classes.shape}")
        if not np.isfinite(values).all():
            raise InputError("consistency needs numbers without gaps; fill them or remove the rows")
        if not is_number(tolerance) or not tolerance >= 0:  # NaN fails here, too
            raise InputError(f"a tolerance is a number of at least 0, found {tolerance!r}")
        self._rows = len(values)
        self._first, self._second = _pairs(classes)
        attributes = [[i] for i in range(values.shape[1])] if groups is None else groups
        self._apart = [self._packed(values[:, list(columns)], tolerance) for columns in attributes]

    def _packed(self, columns: NDArray[np.float64], tolerance: float) -> NDArray[np.uint8]:
        """One bit a pair: whether it disagrees on these columns."""
        disagrees = np.zeros(len(self._first), dtype=np.bool_)
        for column in columns.T:
            disagrees |= np.abs(column[self._first] - column[self._second]) > tolerance
        return np.packbits(disagrees)

    def __call__(self, subset: Mask) -> float:
        """The inconsistency of a subset; the empty one agrees everywhere."""
        agree = self.agreeing(subset)
        return len(np.union1d(self._first[agree], self._second[agree])) / self._rows

    def clash_among(self, agree: Pairs) -> Mask:
        """The attributes that tell apart one of these pairs, of which there is one at least: that with the fewest.

        0 when no attribute could tell the pair apart.
        """
        pair = int(agree[self._ways[agree].argmin()])
        byte, bit = pair // 8, 7 - pair % 8
        return mask_of(i for i, apart in enumerate(self._apart) if apart[byte] >> bit & 1)

    def agreeing(self, subset: Mask) -> Pairs:
        """The pairs that agree on the subset."""
        apart = np.zeros((len(self._first) + 7) // 8, dtype=np.uint8)
        for i in members(subset):
            apart |= self._apart[i]
        return np.flatnonzero(np.unpackbits(~apart, count=len(self._first)))

    def still_agreeing(self, agree: Pairs, attribute: int) -> Pairs:
        """Which of these pairs agree on one more attribute: far fewer to look at than all, deep in a search."""
        disagree = self._apart[attribute][agree >> 3] << (agree & 7).astype(np.uint8) & 128
        return np.asarray(agree[disagree == 0])

    @cached_property
    def _ways(self) -> NDArray[np.int64]:
        """For each pair, how many attributes tell it apart."""
        found = np.zeros(len(self._first), dtype=np.int64)
        for apart in self._apart:
            found += np.unpackbits(apart, count=len(self._first))
        return found


def _pairs(classes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Every pair of rows of two classes."""
    sizes = np.bincount(classes).astype(object)  # exact
    count = (sizes.sum() ** 2 - (sizes**2).sum()) // 2
    if count > LARGEST_PAIRS:
        raise InputError(
            f"{count} pairs of cases differ in class, too many to compare (limit {LARGEST_PAIRS}); take fewer cases"
        )
    first, second = [], []
    for k in range(len(sizes)):
        inside, later = np.flatnonzero(classes == k), np.flatnonzero(classes > k)
        first.append(np.repeat(inside, len(later)))
        second.append(np.tile(later, len(inside)))
    return np.concatenate(first), np.concatenate(second)
