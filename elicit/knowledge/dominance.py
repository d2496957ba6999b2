"""Pareto dominance between vectors of criteria, and its transitive reduction.

Vectors are rounded to a grid (`in_steps`), so that equality within a tolerance is transitive, and their signs are
set so that larger is better. A relation is a list of Python integers, used as rows of bits: bit j of row i says
that i stands above j. This makes the reduction of ten thousand vectors a matter of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from elicit.errors import InputError
from elicit.events import Criterion, Evaluated
from elicit.numeric import GRID, are_equal, in_steps
from elicit.subsets import members

Vectors = NDArray[np.float64]
#: A relation: for each vector those below it, as bits.
Below = list[int]


def oriented(values: Sequence[Sequence[float]], criteria: Sequence[Criterion]) -> Vectors:
    """Rows on the grid with larger always better."""
    table = np.asarray(values, dtype=np.float64).reshape(len(values), len(criteria))
    signs = np.array([1.0 if c.maximise else -1.0 for c in criteria])
    vectors: Vectors = in_steps(table) * signs
    return vectors


@dataclass(frozen=True)
class Noise:
    """Ask of every noisy criterion that its paired fold scores differ significantly.

    The statistic is the t of the folds' differences with the variance corrected for overlapping
    training sets (Nadeau and Bengio): t = mean / sqrt((1/k + ratio) · variance), one-sided at `level`.
    `ratio` is that of held-out to training rows in every fold; 0 stands for 1/(k − 1), as it is in one round of
    k folds, and is too small for repeated folds and for shuffled splits. Folds that agree one by one count as
    known equality. Where all k differ alike there is no variance to judge by, and the sign test does, 0.5^k: accuracies
    take few values, so that of two folds or three all may do so by chance. Two folds it judges always: t counts on them
    only where they differ nearly alike, as one row more does in folds of 30 and of 29 rows. A dominance that this
    doubts is dropped; none is ever added.
    """

    level: float = 0.05
    ratio: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.level < 0.5:
            raise InputError(f"the noise level must lie between 0 and 0.5, found {self.level}")
        if not 0 <= self.ratio < np.inf:
            raise InputError(f"the ratio of held-out to training rows is at least 0, found {self.ratio}")

    def supports(self, differences: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which rows of fold differences (better minus worse, one column a fold) can be relied on."""
        k = differences.shape[1]
        if k < 2:
            return np.ones(len(differences), dtype=np.bool_)
        mean, error, least = self._means(differences)
        needed = float(stdtrit(k - 1, 1 - self.level))
        shown = (mean > np.maximum(needed * error, least)) & (~_alike(differences) | (0.5**k <= self.level))
        return np.asarray(_same(differences) | shown)

    def certainty(self, differences: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far from a coin it is that the better one leads in truth, by t: 2 P(T ≤ t) − 1, 0 where it does not lead.

        Shape as in `supports`; 1 where all folds agree, or there is but one: then the difference is taken as it is.
        """
        k = differences.shape[1]
        if k < 2:
            return np.ones(len(differences))
        mean, error, _ = self._means(differences)
        chance = stdtr(k - 1, mean / np.maximum(error, np.finfo(np.float64).tiny))
        chance = np.where(_alike(differences), np.minimum(chance, 1 - 0.5**k), chance)
        return np.asarray(np.where(_same(differences), 1.0, np.maximum(0.0, 2 * chance - 1)))

    def _means(self, differences: NDArray[np.float64]) -> tuple[Vectors, Vectors, Vectors]:
        """Of every row the mean and its standard error, as shares of a unit, and the least mean that counts."""
        k = differences.shape[1]
        unit = np.maximum(1.0, np.abs(differences).max(axis=1))  # else the squares of the largest overflow
        shares = differences / unit[:, None]
        error = np.sqrt((1 / k + (self.ratio or 1 / (k - 1))) * shares.var(axis=1, ddof=1))
        return shares.mean(axis=1), error, GRID / unit


def _same(differences: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows of fold differences are all 0."""
    return np.asarray((np.abs(differences) <= GRID).all(axis=1))


def _alike(differences: NDArray[np.float64]) -> NDArray[np.bool_]:
    """In which rows all folds differ by the same, so that they hold no variance; of two folds it is none to go by."""
    return np.asarray((np.ptp(differences, axis=1) <= GRID) | (differences.shape[1] == 2))


def within_noise(first: Evaluated, second: Evaluated, criteria: Sequence[Criterion], noise: Noise) -> tuple[str, ...]:
    """The criteria in which one of two subsets leads, and their folds do not show that it does."""
    found = []
    for c, pair in enumerate(zip(first.folds, second.folds, strict=False)):
        measured = first.criteria[c], second.criteria[c]
        gap = measured[0] - measured[1]
        if not are_equal(*measured) and len(pair[0]) == len(pair[1]) > 1:
            ahead = np.sign(gap) * (np.array(pair[0]) - np.array(pair[1]))
            if not noise.supports(ahead[None])[0]:
                found.append(criteria[c].name)
    return tuple(found)


Folds = list[NDArray[np.float64] | None]


def dominance_relation(vectors: Vectors, noise: Noise | None = None, folds: Folds | None = None) -> Below:
    """Who dominates whom: bit j of entry i is set when vector i dominates vector j.

    `folds` holds, for each criterion, the fold scores (rows as in `vectors`, larger is better), or
    None for a criterion that is known exactly.
    """
    found = []
    columns = [np.ascontiguousarray(column) for column in vectors.T]
    for i in range(len(vectors)):
        below = np.ones(len(vectors), dtype=np.bool_)
        same = np.ones(len(vectors), dtype=np.bool_)
        for column in columns:
            below &= column[i] >= column
            same &= column[i] == column
        below &= ~same
        if noise is not None and below.any():
            for scores in folds or []:
                if scores is not None:
                    rows = np.flatnonzero(below)
                    below[rows] = noise.supports(scores[i] - scores[rows])
        found.append(int.from_bytes(np.packbits(below, bitorder="little").tobytes(), "little"))
    return found


def pareto_front(vectors: Vectors) -> NDArray[np.bool_]:
    """Which vectors no other dominates: one sweep from the lexicographically largest, against the front so far."""
    best_first = np.lexsort(-vectors.T[::-1])
    kept: list[int] = []
    for i in best_first:
        above = vectors[kept]
        if not ((above >= vectors[i]).all(axis=1) & (above > vectors[i]).any(axis=1)).any():
            kept.append(int(i))
    chosen = np.zeros(len(vectors), dtype=np.bool_)
    chosen[kept] = True
    return chosen


def topological_order(direct: Below) -> list[int] | None:
    """Positions ordered so that everyone stands before those below, or None when there is a cycle."""
    above = [0] * len(direct)
    for row in direct:
        for j in members(row):
            above[j] += 1
    order = [i for i, count in enumerate(above) if count == 0]
    for i in order:  # grows while it is read
        for j in members(direct[i]):
            above[j] -= 1
            if above[j] == 0:
                order.append(j)
    return order if len(order) == len(direct) else None


def covering_pairs(direct: Below) -> list[tuple[int, int]]:
    """The pairs (i, j) of the transitive reduction, "i covers j"; the numbering must be topological, so i < j.

    Of what is below i, the position of least number is covered; all below that one is reached by it, and skipped.
    The relation need not be transitive.
    """
    reached = [0] * len(direct)
    pairs = []
    for i in range(len(direct) - 1, -1, -1):
        waiting, below = direct[i], 0
        while waiting:
            low = waiting & -waiting
            j = low.bit_length() - 1
            pairs.append((i, j))
            below |= low | reached[j]
            waiting &= ~below
        reached[i] = below
    return pairs


def reduced_dominance(
    vectors: Vectors, noise: Noise | None = None, folds: Folds | None = None
) -> list[tuple[int, int]]:
    """Dominance between `vectors`, transitively reduced, as pairs (better, worse)."""
    # a dominating vector is lexicographically larger, so this numbering puts it first
    order = np.lexsort(-vectors.T[::-1])
    sorted_folds = None if folds is None else [None if f is None else f[order] for f in folds]
    pairs = covering_pairs(dominance_relation(vectors[order], noise, sorted_folds))
    return sorted((int(order[i]), int(order[j])) for i, j in pairs)
