"""Forecast: what subsets that nobody evaluated may be worth, and how much may be gained by looking.

A Gaussian process over subsets for several plausible operators at once. Two subsets resemble each other
the less the more attributes they differ in, exp(−flips / reach): a long reach means that attributes
add up, a short one that they interact in ways no pair explains. Reach and noise are those under which
what was seen is most likely. Values enter by their ranks, so that a few very bad subsets do not
decide what is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import erfcx, logsumexp, ndtr, ndtri

from elicit.subsets import Mask, indicator
from elicit.utility.monomials import Matrix, Vector

#: Variance of the mean, against that of the differences between subsets.
_LEVEL = 0.3

#: Noise variances that are tried, and how many reaches.
_NOISES, _REACHES = (0.003, 0.03, 0.1), 8

#: More evaluated subsets than this are not fitted: the work grows with the cube. The best are kept.
MOST_FITTED = 400

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


class Forecast:
    """The values of `subsets` for several operators, seen as samples of a random function of subsets.

    values: shape (operators, subsets); shares: how much each operator counts, summing to 1.
    """

    def __init__(self, n: int, subsets: Sequence[Mask], values: Matrix, shares: Vector) -> None:
        self._n, self._shares = n, shares
        ranked = _normal_scores(values)
        if len(subsets) > MOST_FITTED:
            best = np.sort(np.argsort(-(shares @ ranked), kind="stable")[:MOST_FITTED])
            subsets, ranked = [subsets[k] for k in best], ranked[:, best]
        mean, spread = ranked.mean(axis=1, keepdims=True), ranked.std(axis=1, keepdims=True)
        self._targets = ((ranked - mean) / np.maximum(spread, 1e-9)).T  # (subsets, operators)
        self._seen = _bits(subsets, n)
        self._fit()

    def _fit(self) -> None:
        """Choose reach and noise by the likelihood, and solve for every operator at once."""
        flips = _flips(self._seen, self._seen)
        best = -np.inf
        for reach in np.geomspace(0.6, max(10.0, self._n), _REACHES):
            similar = np.exp(-flips / reach) + _LEVEL
            for noise in _NOISES:
                root = cholesky(similar + noise * np.eye(len(similar)), lower=True)
                half = solve_triangular(root, self._targets, lower=True)
                scale = np.maximum((half * half).mean(axis=0), 1e-12)
                likelihood = self._shares @ (-0.5 * len(similar) * np.log(scale)) - np.log(np.diag(root)).sum()
                if likelihood > best:
                    best, self._reach, self._noise = float(likelihood), float(reach), noise
                    self._root, self._half, self._scale = root, half, scale
        self._weights = solve_triangular(self._root, self._half, lower=True, trans="T")

    def predicted(self, subsets: Sequence[Mask]) -> tuple[Matrix, Matrix]:
        """Mean and standard deviation of each subset's value for each operator; shapes (subsets, operators)."""
        near = np.exp(-_flips(_bits(subsets, self._n), self._seen) / self._reach) + _LEVEL
        seen = solve_triangular(self._root, near.T, lower=True)
        left = np.maximum(1 + _LEVEL - (seen * seen).sum(axis=0), 1e-12)
        mean: Matrix = near @ self._weights
        spread: Matrix = np.sqrt(left[:, None] * self._scale)
        return mean, spread

    def log_gain(self, subsets: Sequence[Mask]) -> Vector:
        """The logarithm of the expected improvement on the best seen, averaged over the operators."""
        mean, spread = self.predicted(subsets)
        z = (mean - self._targets.max(axis=0)) / spread
        return np.asarray(logsumexp(np.log(spread) + _log_improvement(z), axis=1, b=self._shares), dtype=np.float64)

    def believing(self, subset: Mask) -> Forecast:
        """The same after `subset` turned out as predicted: what is open already is not proposed twice over."""
        mean, _ = self.predicted([subset])
        after = object.__new__(Forecast)
        after._n, after._shares = self._n, self._shares
        after._targets = np.vstack([self._targets, mean])
        after._seen = np.vstack([self._seen, _bits([subset], self._n)])
        after._reach, after._noise, after._scale = self._reach, self._noise, self._scale
        similar = np.exp(-_flips(after._seen, after._seen) / self._reach) + _LEVEL
        after._root = cholesky(similar + self._noise * np.eye(len(similar)), lower=True)
        after._half = solve_triangular(after._root, after._targets, lower=True)
        after._weights = solve_triangular(after._root, after._half, lower=True, trans="T")
        return after


def _bits(subsets: Sequence[Mask], n: int) -> Matrix:
    """Shape (subsets, n): 1 where an attribute is in."""
    bits: Matrix = indicator(subsets, n).astype(np.float64)
    return bits


def _flips(a: Matrix, b: Matrix) -> Matrix:
    """In how many attributes each row of a differs from each row of b."""
    flips: Matrix = a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :] - 2 * (a @ b.T)
    return flips


def _normal_scores(values: Matrix) -> Matrix:
    """Each row by its ranks (ties share one), as quantiles of the normal distribution."""
    found = np.empty_like(values)
    for row, out in zip(np.round(values, 9), found, strict=True):
        _, place, times = np.unique(row, return_inverse=True, return_counts=True)
        middle = np.cumsum(times) - times / 2
        out[:] = ndtri(middle[place] / len(row))
    return found


def _log_improvement(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """log(φ(z) + z Φ(z)), finite far below 0 where the sum itself is not a number of the machine."""
    found = np.empty_like(z)
    high = z > -1
    up, down = z[high], -z[~high]
    density = np.exp(-0.5 * up * up - _LOG_SQRT_2PI)
    found[high] = np.log(density + up * ndtr(up))
    # 1 − x Φ(−x)/φ(x), which tends to 1/x²
    rest = 1 - down * math.sqrt(math.pi / 2) * erfcx(down / math.sqrt(2))
    rest = np.where(down < 1e3, np.maximum(rest, 1e-300), 1 / np.square(down))
    found[~high] = -0.5 * down * down - _LOG_SQRT_2PI + np.log(rest)
    return found
