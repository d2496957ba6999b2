"""Near an optimum of J* by an interior point, and where everything stands there: a start for the simplex.

With thousands of statements the simplex takes minutes from nothing, an interior point some twenty-five steps, whose
cost is the square of the monomials times the subsets. What it finds is no solution: it is close to one, and
ends up as a basis. From that the simplex has hardly anything left to do, and what it says is as exact as ever.
HiGHS has an interior point, too, but takes the statements one by one, where the subsets they are about are fewer: it
takes several times as long (`bench_engine.py --only long`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, qr
from scipy.sparse import csr_matrix, diags_array

from elicit.utility.costs import Columns
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.solver import BasisStatus

#: It ends when so small a share of the value separates both sides, or after so many steps.
CLOSE, MOST_STEPS = 1e-8, 60

#: Where many θ or multipliers are best, an interior point is in their middle, and no basis: what statements demand is
#: changed by up to this, each by another amount, and bounds of monomials are at least so wide. Then one is best.
APART, WIDE = 1e-4, 1e-3

#: A basis is looked for among so many times as many as it has, those furthest from their bounds.
AMONG = 3


@dataclass
class _Point:
    """λ and what they combine to in each monomial: distances from both bounds, and the multipliers of these; and −θ."""

    above: Vector
    below: Vector
    low: Vector
    high: Vector
    theta: Vector

    @property
    def gap(self) -> float:
        """What separates both sides when all rows are met."""
        return float(self.above @ self.low + self.below @ self.high)

    @property
    def held(self) -> Vector:
        """How firmly each is held by its bounds: the smaller, the more it is basic."""
        return self.low / self.above + self.high / self.below


def near_optimum(phi: Matrix, columns: Columns, weights: Vector) -> tuple[list[BasisStatus], list[BasisStatus]]:
    """Where the λ of statements and the rows of monomials stand near the optimum of

    max Σ wanted_r λ_r subject to |Σ λ_r d_r| ≤ w and 0 ≤ λ_r ≤ limit_r (−limit_r for an equality); phi (subsets, S).
    """
    rows = _Rows(phi, columns)
    # the fractional parts of multiples of the golden ratio: all different, and spread evenly
    wanted = columns.wanted + APART * (np.arange(1, rows.count + 1) * 0.5 * (1 + 5**0.5) % 1)
    upper = np.concatenate([columns.limits, np.maximum(weights, WIDE)])
    lower = np.concatenate([np.where(columns.equal, -columns.limits, 0.0), -upper[rows.count :]])
    found = _interior(rows, np.concatenate([-wanted, np.zeros(rows.height)]), lower, upper)
    basic = rows.independent(1 / np.sqrt(found.held))
    at = [BasisStatus.LOWER if x else BasisStatus.UPPER for x in (found.above <= found.below).tolist()]
    for k in basic:
        at[k] = BasisStatus.BASIC
    return at[: rows.count], at[rows.count :]


class _Rows:
    """Σ λ_r d_r − t = 0, one row a monomial: A z for z = (λ, t), and its products.

    Subsets are fewer than statements, so that D, the rows d_r, is worked with as differences of rows of phi.
    """

    def __init__(self, phi: Matrix, columns: Columns) -> None:
        self.phi = np.ascontiguousarray(phi, dtype=np.float64)
        self.count, self.height = len(columns.wanted), phi.shape[1]
        self._better, self._worse = columns.better, columns.worse
        each = np.arange(self.count)
        ones = np.ones(self.count)
        self._spread = csr_matrix(
            (
                np.concatenate([ones, -ones]),
                (np.concatenate([columns.better, columns.worse]), np.concatenate([each, each])),
            ),
            shape=(len(phi), self.count),
        )

    def times(self, z: Vector) -> Vector:
        """A z."""
        combined: Vector = self.phi.T @ (self._spread @ z[: self.count])
        return combined - z[self.count :]

    def across(self, y: Vector) -> Vector:
        """Aᵀ y."""
        values = self.phi @ y
        return np.concatenate([values[self._better] - values[self._worse], -y])

    def solver(self, scale: Vector) -> Callable[[Vector], Vector]:
        """How to solve A diag(scale) Aᵀ y = b."""
        among = self._spread @ diags_array(scale[: self.count]) @ self._spread.T
        normal = self.phi.T @ (among @ self.phi)
        normal[np.diag_indices(self.height)] += scale[self.count :]
        factor = cho_factor(normal, overwrite_a=True, check_finite=False)
        return lambda right: np.asarray(cho_solve(factor, right, check_finite=False))

    def independent(self, scale: Vector) -> NDArray[np.intp]:
        """As many places as there are rows, whose columns are independent, and of the largest scale."""
        largest = np.argsort(-scale, kind="stable")[: AMONG * self.height]
        stated = largest < self.count
        entries = np.zeros((self.height, len(largest)))
        entries[:, stated] = (self.phi[self._better[largest[stated]]] - self.phi[self._worse[largest[stated]]]).T
        entries[largest[~stated] - self.count, np.flatnonzero(~stated)] = -1.0
        _, order = qr(entries * scale[largest], mode="r", pivoting=True, overwrite_a=True, check_finite=False)
        return np.asarray(largest[order[: self.height]])


def _interior(rows: _Rows, cost: Vector, lower: Vector, upper: Vector) -> _Point:
    """min cost·z subject to A z = 0 within bounds, as near as rounding lets it come, by Mehrotra's method."""
    half = 0.5 * (upper - lower)
    at = _Point(half, half, np.maximum(cost, 0) + 1, np.maximum(-cost, 0) + 1, np.zeros(rows.height))
    # close to a bound rounding may end it: what it has come to by then will do
    with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
        for _ in range(MOST_STEPS):
            # of the distances that are kept the smaller one is exact
            z = np.where(at.above <= at.below, lower + at.above, upper - at.below)
            if at.gap <= CLOSE * (1 + abs(float(cost @ z))):
                break
            ahead = _ahead(rows, cost, at, z)
            if not np.isfinite(ahead.gap):
                break
            at = ahead
    return at


def _ahead(rows: _Rows, cost: Vector, at: _Point, z: Vector) -> _Point:
    """One step: towards the gap that a straight step could reach, cubed, and corrected for its curvature."""
    short, slope, held = -rows.times(z), cost - rows.across(at.theta) - at.low + at.high, at.held
    solve = rows.solver(1 / held)

    def step(low: Vector | float, high: Vector | float) -> _Point:
        """Newton's towards above·low and below·high of these."""
        right = low / at.above - at.low - high / at.below + at.high - slope
        theta = solve(short - rows.times(right / held))
        move = (rows.across(theta) + right) / held
        up, down = (low - at.low * move) / at.above - at.low, (high + at.high * move) / at.below - at.high
        return _Point(move, -move, up, down, theta)

    straight = step(0.0, 0.0)
    target = at.gap * (_moved(at, straight, 1.0).gap / at.gap) ** 3 / (2 * len(z))
    bent = step(target - straight.above * straight.low, target - straight.below * straight.high)
    return _moved(at, bent, 0.995)


def _moved(at: _Point, step: _Point, share: float) -> _Point:
    """This share of the way along a step to where a distance ends, or else a multiplier; at most all of it."""
    far = share * _reach((at.above, step.above), (at.below, step.below))
    steep = share * _reach((at.low, step.low), (at.high, step.high))
    return _Point(
        at.above + far * step.above,
        at.below + far * step.below,
        at.low + steep * step.low,
        at.high + steep * step.high,
        at.theta + steep * step.theta,
    )


def _reach(*pairs: tuple[Vector, Vector]) -> float:
    """How much of the moves keeps all positive, at most all."""
    return min(1.0, *(float((-x[move < 0] / move[move < 0]).min(initial=1.0)) for x, move in pairs))
