"""Forecast: what a subset that nobody evaluated may measure, criterion by criterion, and what that may be worth.

Criteria are forecast, not utilities: how a score depends on the attributes is the same for every
operator, and the size of a subset needs no guess. What plausible operators may gain is the mean of
their improvement over everything that a subset may turn out to measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elicit.decide.plausible import PlausibleOperators
from elicit.decide.process import Process, Scale, by_flips, likeliest
from elicit.subsets import Mask, indicator
from elicit.utility.monomials import Matrix, Vector

#: More evaluated subsets than this are not fitted: the work grows with the cube. Those worth most are kept.
MOST_FITTED = 400

#: Limits of the scales on which a criterion may be read: how far above the best seen, in shares of what was seen.
_BEYOND = (0.1, 1.0)

#: A criterion that is a sum over attributes is taken for one when so many subsets more than needed agree.
_TO_SPARE = 3

#: Standard deviations between which outcomes are looked at, and how many (four times as many with a second
#: criterion that is not known, and once more with a third). Below, nobody gains.
_FROM, _TO, _OUTCOMES = -3.0, 5.0, 17


@dataclass(frozen=True)
class Sum:
    """A criterion that is known beforehand: a sum over the attributes in a subset, plus a constant."""

    weights: Vector
    constant: float

    def of(self, subsets: Matrix) -> Vector:
        return np.asarray(subsets @ self.weights + self.constant)


class Forecast:
    """The criteria of subsets (larger is better), seen as sums or as samples of random functions of subsets.

    vectors: shape (subsets, criteria).
    """

    def __init__(self, n: int, subsets: Sequence[Mask], vectors: Matrix) -> None:
        self._n = n
        seen = bits(subsets, n)
        self.criteria: tuple[Sum | Process, ...] = tuple(_criterion(seen, column) for column in vectors.T)
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
        after: Forecast = object.__new__(Forecast)
        after._n, after._points, after.chances = self._n, self._points, self.chances
        chosen = bits([subset], self._n)
        after.criteria = tuple(c if isinstance(c, Sum) else c.believing(chosen) for c in self.criteria)
        return after


def log_gain(
    forecast: Forecast, crowd: PlausibleOperators, operators: NDArray[np.intp], shares: Vector, subsets: Sequence[Mask]
) -> Vector:
    """The logarithm of what these operators may expect to gain by each subset on the best they have.

    Where none gains by any outcome, minus a large number that is the larger the more the best outcome misses.
    """
    worth = crowd.worth(forecast.outcomes(subsets), operators)  # (operators, subsets, outcomes)
    ahead = worth - crowd.values[operators].max(axis=1)[:, None, None]
    gain = shares @ (np.maximum(ahead, 0.0) @ forecast.chances)
    missed = shares @ ahead.max(axis=2)
    return np.asarray(np.where(gain > 0, np.log(np.maximum(gain, 1e-300)), np.minimum(missed, 0.0) - 1e3))


def _criterion(seen: Matrix, column: Vector) -> Sum | Process:
    known = _sum(seen, column)
    if known is not None:
        return known
    top, span = float(column.max()), float(column.max() - column.min())
    limits = [None] + ([top + share * span for share in _BEYOND] if span > 0 else [])
    scales = [Scale.of(column, limit) for limit in limits]
    return likeliest(seen, column, by_flips(seen.shape[1]), scales)


def _sum(seen: Matrix, column: Vector) -> Sum | None:
    """The sum that a criterion is, by all that was seen: the same for every attribute, or one number for each."""
    n = seen.shape[1]
    if np.ptp(column) == 0:
        return None  # what has been the same so far need not stay so
    for shared in (True, False):
        parts = seen.sum(axis=1, keepdims=True) if shared else seen
        design = np.column_stack([np.ones(len(seen)), parts])
        found, _, rank, _ = np.linalg.lstsq(design, column, rcond=None)
        varied = int((np.ptp(parts, axis=0) > 0).sum())
        exact = np.abs(design @ found - column).max() <= 1e-9 * max(1.0, float(np.abs(column).max()))
        if exact and rank == varied + 1 and len(seen) >= rank + _TO_SPARE:
            return Sum(np.full(n, found[1]) if shared else found[1:], float(found[0]))
    return None


def _outcomes(criteria: int) -> tuple[Matrix, Vector]:
    """Standard normal outcomes of independent criteria: shape (outcomes, criteria), and the chance of each.

    Evenly spread over a box (by the sequence of least discrepancy that is a sum), weighted by their density.
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
