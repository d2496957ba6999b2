"""Guess: what subsets that nobody measured may score, once it is known that the score is all that counts.

The score is seen as a process over subsets, by its ranks alone. Its kernel has two parts: one in which
subsets resemble each other the less the more attributes they differ in, exp(−flips / reach), and one in
which attributes add up, 1 − 2 Σ_{i flipped} w_i / n. The weights w (mean 1) say of which attributes much
is expected beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr, ndtri

from elicit.decide.forecast import MOST_FITTED, bits
from elicit.decide.process import LEVEL, Process, Scale, flips, likeliest, reaches
from elicit.subsets import Mask
from elicit.utility.monomials import Matrix, Vector

#: Shares of the part that adds up which are tried.
_SHARES = (0.0, 0.3, 0.7)

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


@dataclass(frozen=True)
class FadingAndSum:
    """The two parts: `share` is that of the sum."""

    reach: float
    share: float
    weights: Vector

    def __call__(self, a: Matrix, b: Matrix) -> Matrix:
        weighted = flips(a, b, self.weights) / len(self.weights)
        fading = np.exp(-flips(a, b) / self.reach)
        return np.asarray((1 - self.share) * fading + self.share * (1 - 2 * weighted) + LEVEL)


class Guess:
    """The scores of `subsets`, of which only the order is looked at, as a sample of a random function.

    order: shape (subsets,), larger is better; weights: shape (n,), positive.
    """

    def __init__(self, n: int, subsets: Sequence[Mask], order: Vector, weights: Vector) -> None:
        self._n = n
        if len(subsets) > MOST_FITTED:
            best = np.sort(np.argsort(-order, kind="stable")[:MOST_FITTED])
            subsets, order = [subsets[k] for k in best], order[best]
        ranked = normal_scores(order)
        mean_one = weights / weights.mean()
        kernels = [(FadingAndSum(reach, share, mean_one), 0.0) for reach in reaches(n) for share in _SHARES]
        self.process: Process = likeliest(bits(subsets, n), ranked, kernels, [Scale.of(ranked, None)])

    def predicted(self, subsets: Sequence[Mask]) -> tuple[Vector, Vector]:
        """Mean and standard deviation of each subset's place in the order."""
        return self.process.predicted(bits(subsets, self._n))

    def log_gain(self, subsets: Sequence[Mask]) -> Vector:
        """The logarithm of the expected improvement on the best seen."""
        mean, spread = self.predicted(subsets)
        z = (mean - self.process.targets.max()) / spread
        return np.asarray(np.log(spread) + log_improvement(z))

    def believing(self, subset: Mask) -> Guess:
        """The same after `subset` turned out as predicted: what is open already is not proposed twice over."""
        after: Guess = object.__new__(Guess)
        after._n, after.process = self._n, self.process.believing(bits([subset], self._n))
        return after


def normal_scores(values: Vector) -> Vector:
    """Ranks (ties share one) as quantiles of the normal distribution."""
    _, place, times = np.unique(np.round(values, 9), return_inverse=True, return_counts=True)
    middle = np.cumsum(times) - times / 2
    return np.asarray(ndtri(middle[place] / len(values)))


def log_improvement(z: NDArray[np.float64]) -> NDArray[np.float64]:
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
