"""Forecast: what a subset that nobody evaluated may measure, criterion by criterion, and what that may be worth.

Criteria are forecast, not utilities: how a score depends on the attributes is the same for every
operator, and the size of a subset needs no guess. What plausible operators may gain is the mean of
their improvement over everything that a subset may turn out to measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elicit.decide.plausible import PlausibleOperators
from elicit.decide.process import (
    Hyperparameters,
    Kernel,
    Process,
    Scale,
    candidate_kernels,
    fit_hyperparameters,
    last_refit,
)
from elicit.subsets import Mask, indicator
from elicit.utility.monomials import Matrix, Vector

#: More evaluated subsets than this are not fitted: the work grows with the cube. Kept are those most alike the few
#: worth most, around which one looks (CENTRES), and some that stand for the rest (REST): of a region of which all
#: is left out one would never learn that it is bad.
MOST_FITTED, CENTRES, REST = 400, 4, 100

#: A criterion that is a sum over attributes is taken for one when so many subsets more than needed agree.
_TO_SPARE = 3

#: Standard deviations between which outcomes are looked at, and how many (four times as many with a second
#: criterion that is not known, and once more with a third). Below, nobody gains.
_FROM, _TO, _OUTCOMES = -3.0, 5.0, 17

#: Numbers that are worked on together: what is worth how much to whom fits in the cache of a core, and is computed
#: twice as fast as through memory. Parts hold a multiple of so many subsets: where it was tried, that gave the digits
#: of one product of all, and some other sizes did not.
_AT_ONCE, _ROWS = 250_000, 8


@dataclass(frozen=True)
class Sum:
    """A criterion that is known beforehand: a sum over the attributes in a subset, plus a constant."""

    weights: Vector
    constant: float

    def of(self, subsets: Matrix) -> Vector:
        return np.asarray(subsets @ self.weights + self.constant)


class Forecast:
    """The criteria of subsets (larger is better), seen as sums or as samples of random functions of subsets.

    subsets: in the order in which they were evaluated; vectors: shape (subsets, criteria). worth: what they
    are worth to whoever asks, by which some of very many are fitted. weights: how much is expected of each
    attribute beforehand. since: so many of the first are forgotten, but for what they tell of sums.
    """

    def __init__(
        self,
        n: int,
        subsets: Sequence[Mask],
        vectors: Matrix,
        worth: Vector,
        weights: Vector | None = None,
        since: int = 0,
    ) -> None:
        self._n = n
        every = bits(subsets, n)
        seen, refit = every[since:], since + last_refit(len(subsets) - since)
        before, expected = tuple(subsets[since:refit]), None if weights is None else tuple(weights.tolist())

        def process(column: Vector) -> Process:
            chosen = _hyperparameters(n, before, tuple(column[since:refit].tolist()), expected)
            fitted = _fitted(seen, worth[since:], chosen.kernel)
            return chosen.process(seen[fitted], column[since:][fitted], Scale.of(column[since:]))

        self.criteria: tuple[Sum | Process, ...] = tuple(_sum(every, column) or process(column) for column in vectors.T)
        open_ = sum(isinstance(criterion, Process) for criterion in self.criteria)
        self._points, self.chances = _outcomes(open_)

    def outcomes(self, subsets: Sequence[Mask]) -> list[Matrix]:
        """For each criterion what subsets may measure: shape (subsets, outcomes), or (subsets, 1) where it is known."""
        asked = bits(subsets, self._n)
        found: list[Matrix] = []
        points = iter(self._points.T)
        for criterion in self.criteria:
            if isinstance(criterion, Sum):
                found.append(criterion.of(asked)[:, None])
            else:
                mean, spread = criterion.predicted(asked)
                found.append(criterion.scale.number(mean[:, None] + spread[:, None] * next(points)))
        return found

    def believing(self, subset: Mask) -> Forecast:
        """The same after `subset` turned out as predicted: what is open already is not proposed twice over."""
        after, chosen = copy(self), bits([subset], self._n)
        after.criteria = tuple(c if isinstance(c, Sum) else c.believing(chosen) for c in self.criteria)
        return after


def log_gain(
    forecast: Forecast,
    crowd: PlausibleOperators,
    operators: NDArray[np.intp],
    shares: Vector,
    subsets: Sequence[Mask],
    since: int = 0,
    agreement: float = 1.0,
) -> Vector:
    """The logarithm of what these operators may expect to gain by each subset on the best evaluated since.

    Over operators it is the power mean with exponent 1 / agreement: above 1 it counts more that many gain than that
    one gains much, who may be the one that the crowd describes worst. Where none gains by any outcome, minus a large
    number that is the larger the more the best outcome misses.
    """
    best = crowd.values[operators, since:].max(axis=1)[:, None, None]
    outcomes, found = forecast.outcomes(subsets), np.empty(len(subsets))
    for part in _parts(len(subsets), len(operators) * len(forecast.chances)):
        ahead = crowd.worth([column[part] for column in outcomes], operators) - best  # (operators, part, outcomes)
        each = np.maximum(ahead, 0.0) @ forecast.chances
        found[part] = agreement * _logarithm(shares @ each ** (1 / agreement), shares @ ahead.max(axis=2))
    return found


def _parts(subsets: int, numbers: int) -> list[slice]:
    """Places of subsets that are worked on together, each with so many numbers."""
    most = max(1, _AT_ONCE // numbers // _ROWS) * _ROWS
    return [slice(k, k + most) for k in range(0, subsets, most)]


def log_improvement(ahead: Matrix, chances: Vector) -> Vector:
    """The logarithm of the expected improvement for one utility.

    ahead: shape (subsets, outcomes), how much better than the best so far each outcome of each subset would be.
    """
    return _logarithm(np.maximum(ahead, 0.0) @ chances, ahead.max(axis=1))


def _logarithm(gain: Vector, most: Vector) -> Vector:
    """log(gain); where nothing is gained, minus a large number that is the larger the more the most is missed."""
    return np.asarray(np.where(gain > 0, np.log(np.maximum(gain, 1e-300)), np.minimum(most, 0.0) - 1e3))


@lru_cache(maxsize=64)
def _hyperparameters(
    n: int, subsets: tuple[Mask, ...], numbers: tuple[float, ...], weights: tuple[float, ...] | None
) -> Hyperparameters:
    """The hyperparameters of a criterion, by what was measured up to their last fit; kept, as every step asks."""
    expected = None if weights is None else np.array(weights)
    return fit_hyperparameters(bits(subsets, n), np.array(numbers), candidate_kernels(n, expected))


def _fitted(seen: Matrix, worth: Vector, kernel: Kernel) -> NDArray[np.intp]:
    """The places of those that are fitted, of very many: most alike what is worth most, and evenly of all the rest."""
    if len(seen) <= MOST_FITTED:
        return np.arange(len(seen))
    falling = np.argsort(-worth, kind="stable")
    alike = kernel(seen, seen[falling[:CENTRES]]).max(axis=1)
    near = np.argsort(-alike, kind="stable")[: MOST_FITTED - REST]
    rest = falling[np.isin(falling, near, invert=True)]
    evenly = np.linspace(0, len(rest) - 1, REST).round().astype(np.intp)
    return np.sort(np.append(near, rest[evenly]))


def _sum(seen: Matrix, column: Vector) -> Sum | None:
    """The sum that a criterion is, by all that was seen: the same for every attribute, or one number for each."""
    n = seen.shape[1]
    if np.ptp(column) == 0:
        return None  # what has been the same so far need not stay so
    for shared in (True, False):
        parts = seen.sum(axis=1, keepdims=True) if shared else seen
        design = np.column_stack([np.ones(len(seen)), parts])
        found, _, rank, _ = np.linalg.lstsq(design[:MOST_FITTED], column[:MOST_FITTED], rcond=None)
        varied = int((np.ptp(parts, axis=0) > 0).sum())
        exact = np.abs(design @ found - column).max() <= 1e-9 * max(1.0, float(np.abs(column).max()))
        if exact and rank == varied + 1 and min(len(seen), MOST_FITTED) >= rank + _TO_SPARE:
            return Sum(np.full(n, found[1]) if shared else _weights(seen, found[1:]), float(found[0]))
    return None


def _weights(seen: Matrix, fitted: Vector) -> Vector:
    """The numbers of the attributes; of one that was in no subset nothing is known, and it is taken for an average one.

    Least squares would make it 0: an attribute that costs nothing, of all things one that nobody tried.
    """
    varied = np.ptp(seen, axis=0) > 0
    return np.where(seen.any(axis=0), fitted, fitted[varied].mean())


def _outcomes(criteria: int) -> tuple[Matrix, Vector]:
    """Standard normal outcomes of independent criteria: shape (outcomes, criteria), and the chance of each.

    Evenly spread over a box (by an additive sequence of low discrepancy), weighted by their density.
    """
    if criteria == 0:
        return np.zeros((1, 0)), np.ones(1)
    count = _OUTCOMES * 4 ** min(criteria - 1, 2)
    if criteria == 1:
        places = np.linspace(0.0, 1.0, count)[:, None]
    else:
        golden = 2.0
        for _ in range(60):  # the root of x^(d+1) = x + 1
            golden = (1 + golden) ** (1 / (criteria + 1))
        places = (0.5 + np.arange(count)[:, None] * golden ** -np.arange(1.0, criteria + 1)) % 1
    points = _FROM + (_TO - _FROM) * places
    density = np.exp(-0.5 * (points * points).sum(axis=1))
    return points, np.asarray(density / density.sum())


def bits(subsets: Sequence[Mask], n: int) -> Matrix:
    """Shape (subsets, n): 1 where an attribute is in."""
    found: Matrix = indicator(subsets, n).astype(np.float64)
    return found
