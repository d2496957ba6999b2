"""Near rows, for the Relief family: differences by attribute, distances, and who is nearest.

The difference of two rows in a column of numbers is |a − b| / range, in a column of codes 0 or 1, and in
a group of columns the largest of theirs (so a one-hot block is one attribute, equal or not). Their
distance is the mean of the differences over the attributes that both rows have: a gap is left out, which
is neutral. Neighbours at the same distance share their places evenly, so that the order of the rows
decides nothing. Rows of a sparse matrix are compared by what it stores; only a group is made dense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics.pairwise import manhattan_distances

from elicit.errors import InputError
from elicit.scores.protocol import Floats, Groups, Ints, column_mask, columns_of_groups, constant

#: Distances (of at most 1) closer than this are equal.
TIE = 1e-12

#: Numbers that one step over pairs holds at once: they stay near the processor.
LARGEST_BLOCK = 1 << 18

#: Cells that a sparse matrix may store: distances of its rows are known for 32-bit indices alone.
MOST_STORED = 2**31 - 1

#: Distances of all pairs are kept up to this many numbers; beyond, they are computed block by block, twice.
LARGEST_MATRIX = 1 << 22


@dataclass(frozen=True)
class CaseSpace:
    """Rows as points: `points` (rows, columns) has the columns of an attribute side by side.

    Numbers are scaled to [0, 1] with gaps at 0; codes are whole, with gaps at −1, so that |a − b| cut at 1
    is the difference in both. `starts` is the first column of each attribute, `gaps` (rows, attributes).
    """

    points: Floats
    nominal: NDArray[np.bool_]
    starts: Ints
    gaps: NDArray[np.bool_]

    @property
    def n(self) -> int:
        """Number of attributes."""
        return len(self.starts)

    @property
    def complete(self) -> bool:
        """Whether there is no gap."""
        return not self.gaps.any()

    @property
    def size(self) -> int:
        """Numbers that the comparison of one pair takes."""
        return int(self.points.shape[1])

    def differences(self, i: Ints, j: Ints) -> Floats:
        """(pairs, attributes): of row i and row j of each pair, in [0, 1]; 0 where one of them has a gap."""
        apart = self.points[i]
        apart -= self.points[j]
        np.abs(apart, out=apart)
        if self.nominal.any():
            np.minimum(apart, 1.0, out=apart)
        if self.n < self.points.shape[1]:
            apart = np.maximum.reduceat(apart, self.starts, axis=1)
        if not self.complete:
            apart[self.gaps[i] | self.gaps[j]] = 0.0
        return apart

    def distances(self, rows: Ints, others: Ints) -> Floats:
        """(rows, others): the mean difference over the attributes that both have; 1 where they share none."""
        if len(self.points) ** 2 <= LARGEST_MATRIX:
            sums = self._all_sums[np.ix_(rows, others)]
        else:
            # each row is held against all others, which would come from afar where they have thousands of columns
            together = max(1, LARGEST_BLOCK // self.size)
            parts = (others[k : k + together] for k in range(0, len(others), together))
            sums = np.hstack([self._sums_between(rows, part) for part in parts])
        if self.complete:
            return sums / self.n
        gap_i, gap_j = self.gaps[rows].astype(np.float64), self.gaps[others].astype(np.float64)
        sums -= gap_i @ self._from_gap(others).T + self._from_gap(rows) @ gap_j.T  # counted with one side missing
        common = (1.0 - gap_i) @ (1.0 - gap_j).T
        return np.where(common > 0, sums / np.maximum(common, 1.0), 1.0)

    @cached_property
    def _all_sums(self) -> Floats:
        """(rows, rows): each pair is computed once."""
        found = self._summed(lambda columns, metric: pdist(self.points[:, columns], metric))
        return np.asarray(squareform(found, checks=False))

    def _sums_between(self, rows: Ints, others: Ints) -> Floats:
        """(rows, others)."""
        a, b = self.points[rows], self.points[others]
        return self._summed(lambda columns, metric: cdist(a[:, columns], b[:, columns], metric))

    def _summed(self, apart: Callable[[Any, str], Floats]) -> Floats:
        """Σ over attributes of the differences, gaps taken at their fill; `apart` measures some columns by a metric."""
        single, wide = _by_width(self.starts, self.points.shape[1])
        nominal = self.nominal[single]
        parts = []
        if (numbers := single[~nominal]).size:
            parts.append(apart(numbers, "cityblock"))
        if (codes := single[nominal]).size:
            parts.append(apart(codes, "hamming") * len(codes))
        parts += [np.minimum(apart(columns, "chebyshev"), 1.0) for columns in wide]
        return np.asarray(sum(parts[1:], start=parts[0]))

    def _from_gap(self, rows: Ints) -> Floats:
        """(rows, attributes): the difference between each value and the value that fills a gap."""
        apart = np.minimum(np.abs(self.points[rows] + self.nominal), 1.0)  # codes have their fill at −1
        return np.asarray(np.maximum.reduceat(apart, self.starts, axis=1))


@dataclass(frozen=True)
class SparseSpace:
    """Rows of a sparse matrix of numbers without gaps, as points of a `CaseSpace`; differences are sparse, too.

    points: a `csr_array` whose columns have the range 1. A difference is the same wherever a column begins, so those
    that hold a zero keep it.
    """

    points: Any
    starts: Ints
    complete: ClassVar[bool] = True

    @property
    def n(self) -> int:
        """Number of attributes."""
        return len(self.starts)

    @property
    def size(self) -> int:
        """Numbers that the comparison of one pair takes, on average."""
        return 1 + 2 * int(self.points.nnz // self.points.shape[0])

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """(rows, 1): none in any attribute."""
        return np.zeros((self.points.shape[0], 1), dtype=np.bool_)

    def differences(self, i: Ints, j: Ints) -> Any:
        """(pairs, attributes): of row i and row j of each pair, in [0, 1]."""
        apart = abs(self.points[i] - self.points[j])
        if self.n == apart.shape[1]:
            return apart
        apart.sort_indices()
        pair = np.repeat(np.arange(len(i)), np.diff(apart.indptr))
        attribute = np.searchsorted(self.starts, apart.indices, side="right") - 1
        first = np.flatnonzero(np.diff(pair * self.n + attribute, prepend=-1))  # of each attribute of a pair
        largest = np.maximum.reduceat(apart.data, first) if len(first) else apart.data
        return csr_array((largest, (pair[first], attribute[first])), shape=(len(i), self.n))

    def distances(self, rows: Ints, others: Ints) -> Floats:
        """(rows, others): the mean difference over the attributes."""
        a, b = self.points[rows], self.points[others]
        single, wide = _by_width(self.starts, a.shape[1])
        sums = manhattan_distances(a[:, single], b[:, single]) if single.size else np.zeros((len(rows), len(others)))
        for columns in wide:
            sums += cdist(a[:, columns].toarray(), b[:, columns].toarray(), "chebyshev")
        return np.asarray(sums / self.n)


Space = CaseSpace | SparseSpace


def _by_width(starts: Ints, columns: int) -> tuple[Ints, list[slice]]:
    """The attributes of one column, by that column, and the columns of each of the others."""
    ends = np.append(starts[1:], columns)
    alone = ends - starts == 1
    return starts[alone], [slice(start, end) for start, end in zip(starts[~alone], ends[~alone], strict=True)]


def space_of(X: Any, discrete: Any, groups: Groups | None) -> Space:
    """The points of X; `discrete` names columns of codes (a mask, positions, or one truth value for all)."""
    nominal = column_mask(discrete, X.shape[1])
    listed = columns_of_groups(groups, X.shape[1])
    order = np.array([column for g in listed for column in g], dtype=np.intp)
    starts = np.cumsum([0] + [len(g) for g in listed[:-1]], dtype=np.intp)
    if not isinstance(X, np.ndarray):
        if not nominal.any() and not np.isnan(X.data).any():
            return SparseSpace(_scaled_stored(X)[:, order], starts)
        X = X.toarray()
    missing = np.isnan(X)
    points = np.empty_like(X)
    for i, column in enumerate(X.T):
        points[:, i] = _coded(column, missing[:, i]) if nominal[i] else _scaled(column, missing[:, i])
    points, nominal = points[:, order], nominal[order]
    gaps = np.logical_or.reduceat(missing[:, order], starts, axis=1)
    wide = np.repeat(gaps, np.diff(np.append(starts, len(order))), axis=1)  # a group with a gap is a gap as a whole
    points[wide] = np.broadcast_to(-1.0 * nominal, points.shape)[wide]
    return CaseSpace(points, nominal, starts, gaps)


def nearest(space: Space, rows: Ints, others: Ints, weights: Floats) -> tuple[Ints, Ints, Floats]:
    """Pairs (row, neighbour, share) sorted by row; the shares of a row sum to 1.

    `weights` (k,) belong to the nearest, the second … k-th of `others`; fewer others take the first of them.
    A row is no neighbour of itself. Neighbours at one distance get the mean weight of the places they take.
    """
    apart = space.distances(rows, others)
    apart[rows[:, None] == others] = np.inf
    available = len(others) - int(np.isin(rows[0], others))  # the rows are all among the others, or none is
    k = min(len(weights), available)
    if k == 0:
        nobody = np.empty(0, dtype=np.intp)
        return nobody, nobody, np.empty(0)
    reach = np.partition(apart, k - 1, axis=1)[:, k - 1 : k] + TIE
    i, j = np.nonzero(apart <= reach)
    distance = apart[i, j]
    order = np.lexsort((distance, i))
    i, j, distance = i[order], j[order], distance[order]
    place = np.arange(len(i)) - np.searchsorted(i, np.arange(len(rows)))[i]
    fresh = (np.diff(i, prepend=-1) > 0) | (np.diff(distance, prepend=-1.0) > TIE)
    tied = np.cumsum(fresh) - 1
    of_place = np.append(weights[:k] / weights[:k].sum(), np.zeros(int(place.max()) + 1))[place]
    share = (np.bincount(tied, of_place) / np.bincount(tied))[tied]
    return rows[i], others[j], share


def neighbourhoods(space: Space, rows: Ints, others: Ints, weights: Floats) -> Iterator[tuple[Ints, Ints, Floats]]:
    """The pairs of `nearest` in parts of whole rows, such that their differences are about `LARGEST_BLOCK` numbers."""
    together = max(1, LARGEST_BLOCK // len(others))
    most = max(1, LARGEST_BLOCK // space.size)
    for start in range(0, len(rows), together):
        i, j, share = nearest(space, rows[start : start + together], others, weights)
        first = np.flatnonzero(np.diff(i, prepend=-1))  # of each row; ties may make a row long
        cuts = first[np.diff(first // most, prepend=-1) > 0]
        ends = np.append(cuts[1:], len(i))[: len(cuts)]  # without neighbours there is no part
        for begin, end in zip(cuts, ends, strict=True):
            yield i[begin:end], j[begin:end], share[begin:end]


def _coded(column: Floats, missing: NDArray[np.bool_]) -> Floats:
    codes = np.full(len(column), -1.0)
    codes[~missing] = np.unique(column[~missing], return_inverse=True)[1]
    return codes


def _scaled(column: Floats, missing: NDArray[np.bool_]) -> Floats:
    """(x − min) / (max − min); 0 for a constant column."""
    scaled = np.zeros(len(column))
    seen = column[~missing]
    if len(seen) and not constant(seen[:, None])[0]:
        scaled[~missing] = (seen - seen.min()) / (seen.max() - seen.min())
    return scaled


def _scaled_stored(X: Any) -> Any:
    """What X, a `csr_array`, stores divided by the range of its column; 0 in a constant one.

    A column that stores every cell begins at its least: far from 0 its differences would lose their digits.
    """
    if X.nnz > MOST_STORED:
        raise InputError(
            f"X stores {X.nnz} cells, of which at most {MOST_STORED} can be compared; take fewer rows, or another score"
        )
    least, most = (np.ravel(end.toarray()) for end in (X.min(axis=0), X.max(axis=0)))
    full, same = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0], constant(np.array([least, most]))
    origin, extent = np.where(full, least, 0.0), np.where(same, np.inf, most - least)
    scaled = (X.data - origin[X.indices]) / extent[X.indices]
    return csr_array((scaled, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
