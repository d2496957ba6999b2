"""A basis near the optimum of J*, by an interior point method: a start for the simplex.

With thousands of statements the simplex takes minutes from nothing. An interior point method takes some twenty-five
steps, each of which costs the square of the monomials times the subsets. Its result is only close to a solution, so
it is turned into a basis; from that the simplex has hardly anything left to do, and is as exact as ever. HiGHS has an
interior point method, too, but handles the statements one by one and not by the subsets they name, which are fewer:
it takes several times as long (`bench_engine.py --only long`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, qr
from scipy.sparse import csr_matrix, diags_array

from elicit.utility.costs import StatementArrays
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.solver import BasisStatus

#: The method ends when the duality gap is this share of the value, or after so many steps.
GAP, MOST_STEPS = 1e-8, 60

#: Where many θ or multipliers are optimal, the method ends in their middle, at no basis. So the margin that each
#: statement demands is perturbed by up to this, each by another amount, and the bounds of monomials are at least so
#: wide: then a single one is optimal.
PERTURBATION, LEAST_BOUND = 1e-4, 1e-3

#: A basis is looked for among so many times as many columns as it has, those furthest from their bounds.
CANDIDATES = 3


@dataclass
class _Point:
    """A primal-dual point: distances of z = (λ, t) above its lower and below its upper bounds, the multipliers of both
    bounds (`low`, `high`), and −θ. Also a step in these."""

    above: Vector
    below: Vector
    low: Vector
    high: Vector
    theta: Vector

    @property
    def gap(self) -> float:
        """The duality gap of a feasible point."""
        return float(self.above @ self.low + self.below @ self.high)

    @property
    def barrier_weight(self) -> Vector:
        """The second derivative of the barrier: the smaller, the further a variable is from its bounds, as if basic."""
        return self.low / self.above + self.high / self.below


def near_optimum(phi: Matrix, arrays: StatementArrays, weights: Vector) -> tuple[list[BasisStatus], list[BasisStatus]]:
    """The basis statuses of the λ of statements and of the rows of monomials near the optimum of

    max Σ wanted_r λ_r subject to |Σ λ_r d_r| ≤ w and 0 ≤ λ_r ≤ limit_r (−limit_r for an equality); phi (subsets, S).
    """
    rows = _Constraints(phi, arrays)
    # the fractional parts of multiples of the golden ratio: all different, and spread evenly
    wanted = arrays.wanted + PERTURBATION * (np.arange(1, rows.count + 1) * 0.5 * (1 + 5**0.5) % 1)
    upper = np.concatenate([arrays.limits, np.maximum(weights, LEAST_BOUND)])
    lower = np.concatenate([np.where(arrays.equal, -arrays.limits, 0.0), -upper[rows.count :]])
    found = _mehrotra(rows, np.concatenate([-wanted, np.zeros(rows.height)]), lower, upper)
    basic = rows.independent(1 / np.sqrt(found.barrier_weight))
    at = [BasisStatus.LOWER if x else BasisStatus.UPPER for x in (found.above <= found.below).tolist()]
    for k in basic:
        at[k] = BasisStatus.BASIC
    return at[: rows.count], at[rows.count :]


class _Constraints:
    """The constraints A z = 0 for z = (λ, t): Σ λ_r d_r − t = 0, one row a monomial.

    Subsets are fewer than statements, so the rows d_r are never formed but taken as differences of rows of phi.
    """

    def __init__(self, phi: Matrix, arrays: StatementArrays) -> None:
        self.phi = np.ascontiguousarray(phi, dtype=np.float64)
        self.count, self.height = len(arrays.wanted), phi.shape[1]
        self._better, self._worse = arrays.better, arrays.worse
        each = np.arange(self.count)
        ones = np.ones(self.count)
        self._spread = csr_matrix(
            (
                np.concatenate([ones, -ones]),
                (np.concatenate([arrays.better, arrays.worse]), np.concatenate([each, each])),
            ),
            shape=(len(phi), self.count),
        )

    def times(self, z: Vector) -> Vector:
        """A z."""
        combined: Vector = self.phi.T @ (self._spread @ z[: self.count])
        return combined - z[self.count :]

    def transposed_times(self, y: Vector) -> Vector:
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
        """The indices of as many independent columns as there are rows, those of the largest scale."""
        largest = np.argsort(-scale, kind="stable")[: CANDIDATES * self.height]
        stated = largest < self.count
        entries = np.zeros((self.height, len(largest)))
        entries[:, stated] = (self.phi[self._better[largest[stated]]] - self.phi[self._worse[largest[stated]]]).T
        entries[largest[~stated] - self.count, np.flatnonzero(~stated)] = -1.0
        _, order = qr(entries * scale[largest], mode="r", pivoting=True, overwrite_a=True, check_finite=False)
        return np.asarray(largest[order[: self.height]])


def _mehrotra(rows: _Constraints, cost: Vector, lower: Vector, upper: Vector) -> _Point:
    """min cost·z subject to A z = 0 within bounds, by Mehrotra's method, as near as rounding lets it come."""
    half = 0.5 * (upper - lower)
    at = _Point(half, half, np.maximum(cost, 0) + 1, np.maximum(-cost, 0) + 1, np.zeros(rows.height))
    # close to a bound rounding may make a step fail: the last point before it will do
    with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
        for _ in range(MOST_STEPS):
            # of the two distances the smaller one is exact
            z = np.where(at.above <= at.below, lower + at.above, upper - at.below)
            if at.gap <= GAP * (1 + abs(float(cost @ z))):
                break
            following = _predictor_corrector_step(rows, cost, at, z)
            if not np.isfinite(following.gap):
                break
            at = following
    return at


def _predictor_corrector_step(rows: _Constraints, cost: Vector, at: _Point, z: Vector) -> _Point:
    """One step: the target is the gap that the predictor could reach, cubed; the corrector allows for curvature."""
    primal_residual = -rows.times(z)
    dual_residual = cost - rows.transposed_times(at.theta) - at.low + at.high
    barrier_weight = at.barrier_weight
    solve = rows.solver(1 / barrier_weight)

    def step(low: Vector | float, high: Vector | float) -> _Point:
        """Newton's step towards above·low = low and below·high = high."""
        right = low / at.above - at.low - high / at.below + at.high - dual_residual
        theta = solve(primal_residual - rows.times(right / barrier_weight))
        move = (rows.transposed_times(theta) + right) / barrier_weight
        up, down = (low - at.low * move) / at.above - at.low, (high + at.high * move) / at.below - at.high
        return _Point(move, -move, up, down, theta)

    predictor = step(0.0, 0.0)
    target = at.gap * (_moved(at, predictor, 1.0).gap / at.gap) ** 3 / (2 * len(z))
    corrector = step(target - predictor.above * predictor.low, target - predictor.below * predictor.high)
    return _moved(at, corrector, 0.995)


def _moved(at: _Point, step: _Point, share: float) -> _Point:
    """The point moved by this share of the longest primal and dual steps, each at most the whole step."""
    primal_length = share * longest_step((at.above, step.above), (at.below, step.below))
    dual_length = share * longest_step((at.low, step.low), (at.high, step.high))
    return _Point(
        at.above + primal_length * step.above,
        at.below + primal_length * step.below,
        at.low + dual_length * step.low,
        at.high + dual_length * step.high,
        at.theta + dual_length * step.theta,
    )


def longest_step(*pairs: tuple[Vector, Vector]) -> float:
    """The largest multiple, up to 1, of the moves that keeps everything positive."""
    return min(1.0, *(float((-x[move < 0] / move[move < 0]).min(initial=1.0)) for x, move in pairs))
