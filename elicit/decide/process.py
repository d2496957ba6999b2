"""Process: a number that depends on the subset, guessed where it was not measured.

A Gaussian process over subsets. Two subsets resemble each other the less the more attributes they differ
in, exp(−flips / reach): a long reach means that attributes add up, a short one that they interact in ways
no pair explains. The kernel, the noise and the scale on which the number is read are those under which
what was seen is most likely, with some preference for a reach about as long as there are attributes:
few numbers say little about it, and a reach that is too short makes one look nowhere in particular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from elicit.utility.monomials import Matrix, Vector

#: Similarity of two sets of subsets, given as bits: shape (first, second); a subset resembles itself most.
Kernel = Callable[[Matrix, Matrix], Matrix]

#: Noise variances that are tried, and how many reaches, from the shortest up to the number of attributes or 10.
NOISES, REACHES, SHORTEST = (0.003, 0.03, 0.1), 8, 0.6

#: Variance of the mean, against that of the differences between subsets.
LEVEL = 0.3

#: How much log-likelihood a reach costs that is e times shorter or longer than there are attributes.
_PREFERENCE = 1.0


@dataclass(frozen=True)
class Fading:
    """exp(−flips / reach), and a level that all subsets share."""

    reach: float

    def __call__(self, a: Matrix, b: Matrix) -> Matrix:
        return np.asarray(np.exp(-flips(a, b) / self.reach) + LEVEL)


@dataclass(frozen=True)
class Scale:
    """A way to read a number: as it is, or so that differences count the more the nearer to the best seen.

    `limit` is what no number reaches, and read is −log(limit − number); None: the number itself. What is
    read is shifted and divided to mean 0 and variance 1.
    """

    limit: float | None
    mean: float
    spread: float

    @classmethod
    def of(cls, numbers: Vector, limit: float | None) -> Scale:
        read = numbers if limit is None else -np.log(limit - numbers)
        return cls(limit, float(read.mean()), max(float(read.std()), 1e-9))

    def read(self, numbers: Vector) -> Vector:
        read = numbers if self.limit is None else -np.log(self.limit - numbers)
        return np.asarray((read - self.mean) / self.spread)

    def number(self, read: Matrix) -> Matrix:
        """What `read` would be read from."""
        plain = read * self.spread + self.mean
        return plain if self.limit is None else np.asarray(self.limit - np.exp(-plain))

    def log_stretch(self, numbers: Vector) -> float:
        """The logarithm of how much reading stretches around these numbers: likelihoods are of numbers."""
        bent = 0.0 if self.limit is None else -float(np.log(self.limit - numbers).sum())
        return bent - len(numbers) * float(np.log(self.spread))


@dataclass(frozen=True)
class Process:
    """A fitted process.

    seen: bits, shape (subsets, n); targets: what was measured there, on the scale; root, half, weights: the
    root L of the covariance of what was seen, L⁻¹ targets and L⁻ᵀ L⁻¹ targets; variance: of the process, in
    units of the kernel.
    """

    seen: Matrix
    targets: Vector
    kernel: Kernel
    noise: float
    variance: float
    scale: Scale
    root: Matrix
    half: Vector
    weights: Vector

    def predicted(self, subsets: Matrix) -> tuple[Vector, Vector]:
        """Mean and standard deviation, on the scale, of subsets given as bits."""
        near = self.kernel(subsets, self.seen)
        known = solve_triangular(self.root, near.T, lower=True, check_finite=False)
        itself = self.kernel(subsets[:1], subsets[:1])[0, 0] if len(subsets) else 0.0
        left = np.maximum(itself - (known * known).sum(axis=0), 1e-12)
        return near @ self.weights, np.sqrt(left * self.variance)

    def believing(self, subset: Matrix) -> Process:
        """The same after `subset` (bits, shape (1, n)) turned out as predicted."""
        seen = np.vstack([self.seen, subset])
        targets = np.append(self.targets, self.predicted(subset)[0])
        root, half = _solved(self.kernel(seen, seen), self.noise, targets[:, None])
        weights = solve_triangular(root, half[:, 0], lower=True, trans="T", check_finite=False)
        return replace(self, seen=seen, targets=targets, root=root, half=half[:, 0], weights=weights)


def likeliest(
    seen: Matrix, numbers: Vector, kernels: Iterable[tuple[Kernel, float]], scales: Sequence[Scale]
) -> Process:
    """The process under which `numbers` are most likely; with each kernel comes the logarithm of its preference."""
    targets = np.column_stack([scale.read(numbers) for scale in scales])
    stretch = np.array([scale.log_stretch(numbers) for scale in scales])
    found, most = None, -np.inf
    for kernel, preference in kernels:
        similar = kernel(seen, seen)
        for noise in NOISES:
            root, half = _solved(similar, noise, targets)
            variance = np.maximum((half * half).mean(axis=0), 1e-12)
            likelihood = preference + stretch - 0.5 * len(seen) * np.log(variance) - np.log(np.diag(root)).sum()
            k = int(likelihood.argmax())
            if likelihood[k] > most:
                most, found = float(likelihood[k]), (kernel, noise, root, half[:, k], float(variance[k]), k)
    assert found is not None
    kernel, noise, root, half, variance_, k = found
    weights = solve_triangular(root, half, lower=True, trans="T", check_finite=False)
    return Process(seen, targets[:, k], kernel, noise, variance_, scales[k], root, half, weights)


def _solved(similar: Matrix, noise: float, targets: Matrix) -> tuple[Matrix, Matrix]:
    root = cholesky(similar + noise * np.eye(len(similar)), lower=True, check_finite=False)
    return root, np.asarray(solve_triangular(root, targets, lower=True, check_finite=False))


def by_flips(n: int) -> list[tuple[Kernel, float]]:
    """exp(−flips / reach) for every reach that is tried, and how much it is preferred."""
    return [(Fading(reach), preference(reach, n)) for reach in reaches(n)]


def reaches(n: int) -> list[float]:
    """What is tried."""
    return [float(reach) for reach in np.geomspace(SHORTEST, max(10.0, n), REACHES)]


def preference(reach: float, n: int) -> float:
    """The logarithm, up to a constant, of how much is expected of a reach before anything is seen."""
    return -_PREFERENCE * float(np.log(reach / n)) ** 2


def flips(a: Matrix, b: Matrix, weights: Vector | None = None) -> Matrix:
    """In how many attributes each row of a differs from each row of b; or their weights in all."""
    c = a if weights is None else a * weights
    d = b if weights is None else b * weights
    found: Matrix = c.sum(axis=1)[:, None] + d.sum(axis=1)[None, :] - 2 * (c @ b.T)
    return found
