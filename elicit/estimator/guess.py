"""Guess: what subsets that nobody measured may score, once it is known that the score is all that counts.

Like the forecast for operators it is a Gaussian process over subsets, with two parts: one in which
subsets resemble each other the less the more attributes they differ in, exp(−flips / reach), and one in
which attributes add up, 1 − 2 Σ_{i flipped} w_i / n. The weights w (mean 1) say of which attributes much
is expected beforehand. Reach, share and noise are those under which what was seen is most likely.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from elicit.decide.forecast import Forecast
from elicit.subsets import Mask, indicator
from elicit.utility.monomials import Matrix, Vector

#: Variance of the mean, against that of the differences between subsets.
_LEVEL = 0.3

#: What is tried: noise variances, shares of the part that adds up, and how many reaches.
_NOISES, _SHARES, _REACHES = (0.003, 0.03, 0.1), (0.0, 0.3, 0.7), 8


class Guess(Forecast):
    """The scores of `subsets`, of which only the order is looked at, as a sample of a random function.

    order: shape (subsets,), larger is better; weights: shape (n,), positive.
    """

    def __init__(self, n: int, subsets: Sequence[Mask], order: Vector, weights: Vector) -> None:
        self._expected = weights / weights.mean()
        super().__init__(n, subsets, order[None, :], np.ones(1))

    def _fit(self) -> None:
        flips, expected = self._apart(self._seen, self._seen)
        best = -np.inf
        for reach in np.geomspace(0.6, max(10.0, self._n), _REACHES):
            for share in _SHARES:
                similar = _similar(flips, expected, reach, share)
                for noise in _NOISES:
                    root = cholesky(similar + noise * np.eye(len(similar)), lower=True)
                    half = solve_triangular(root, self._targets, lower=True)
                    scale = np.maximum((half * half).mean(axis=0), 1e-12)
                    likelihood = -0.5 * len(similar) * np.log(scale[0]) - np.log(np.diag(root)).sum()
                    if likelihood > best:
                        best = float(likelihood)
                        self._reach, self._share, self._noise = float(reach), share, noise
                        self._root, self._half, self._scale = root, half, scale
        self._weights = solve_triangular(self._root, self._half, lower=True, trans="T")

    def predicted(self, subsets: Sequence[Mask]) -> tuple[Matrix, Matrix]:
        """Mean and standard deviation of each subset's place in the order; shapes (subsets, 1)."""
        near = _similar(*self._apart(_bits(subsets, self._n), self._seen), self._reach, self._share)
        seen = solve_triangular(self._root, near.T, lower=True)
        left = np.maximum(1 + _LEVEL - (seen * seen).sum(axis=0), 1e-12)
        mean: Matrix = near @ self._weights
        spread: Matrix = np.sqrt(left[:, None] * self._scale)
        return mean, spread

    def believing(self, subset: Mask) -> Guess:
        """The same after `subset` turned out as predicted: what is open already is not proposed twice over."""
        mean, _ = self.predicted([subset])
        after: Guess = object.__new__(Guess)
        after.__dict__.update(self.__dict__)
        after._targets = np.vstack([self._targets, mean])
        after._seen = np.vstack([self._seen, _bits([subset], self._n)])
        similar = _similar(*self._apart(after._seen, after._seen), self._reach, self._share)
        after._root = cholesky(similar + self._noise * np.eye(len(similar)), lower=True)
        after._half = solve_triangular(after._root, after._targets, lower=True)
        after._weights = solve_triangular(after._root, after._half, lower=True, trans="T")
        return after

    def _apart(self, a: Matrix, b: Matrix) -> tuple[Matrix, Matrix]:
        """In how many attributes each row of a differs from each row of b; and the same weighted, as a share of n."""
        flips: Matrix = a.sum(axis=1)[:, None] + b.sum(axis=1)[None, :] - 2 * (a @ b.T)
        c, d = a * self._expected, b @ self._expected
        expected: Matrix = (c.sum(axis=1)[:, None] + d[None, :] - 2 * (c @ b.T)) / self._n
        return flips, expected


def _similar(flips: Matrix, expected: Matrix, reach: float, share: float) -> Matrix:
    """Covariance of subsets that are so far apart."""
    found: Matrix = (1 - share) * np.exp(-flips / reach) + share * (1 - 2 * expected) + _LEVEL
    return found


def _bits(subsets: Sequence[Mask], n: int) -> Matrix:
    """Shape (subsets, n): 1 where an attribute is in."""
    bits: Matrix = indicator(subsets, n).astype(np.float64)
    return bits
