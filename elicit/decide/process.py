"""Process: a number that depends on the subset, guessed where it was not measured.

A Gaussian process over subsets. Two subsets resemble each other the less the more attributes they differ
in, exp(−flips / reach): a long reach means that attributes add up, a short one that they interact in ways
no pair explains. They may resemble each other for being of one size, too: of a thousand attributes most are
noise, and then how many a subset holds tells most of what it measures. How the numbers are read (kernel,
noise, scale) is what makes those seen most likely, with some preference for a reach about as long as there
are attributes: few numbers say little about it, and a reach that is too short makes one look nowhere in
particular.

The rule: how to read is looked at again whenever there are a fiftieth more numbers, not with each one,
and depends on nothing but the numbers up to there. So a run that was interrupted goes on alike.
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

#: Limits of scales that are tried: how far above the best number, in spans of the numbers (None: no limit).
BEYOND = (None, 0.1, 1.0)

#: Shares of the part that adds up which are tried, where something is known of the attributes beforehand.
SHARES_OF_SUM = (0.0, 0.3, 0.7)

#: Variances that are tried of what subsets of one size share, against that of the differences between subsets.
#: None is where nothing is known of the attributes beforehand, or there are no more than so many: there it makes
#: one look away from what interacts.
OF_SIZE, FEW = (0.0, 0.5, 2.0), 20

#: How to read is looked at again when there is one more for every so many numbers; with this many, no more.
EVERY, MOST_LOOKED_AT = 50, 400

#: A number is as bad as can be when it is so many times further below the best than the middle is.
_BAD = 20.0

#: How much log-likelihood a reach costs that is e times shorter or longer than there are attributes.
_PREFERENCE = 1.0


@dataclass(frozen=True)
class Likeness:
    """exp(−flips / reach), a level that all subsets share, and what else makes two subsets alike.

    share: of a part in which attributes add up, 1 − 2 Σ_{i flipped} w_i / n, instead of the first; `weights` have
    mean 1. of_size: variance of what subsets of one size share, which fades as the smaller to the larger.
    """

    reach: float
    share: float = 0.0
    weights: Vector | None = None
    of_size: float = 0.0

    def __call__(self, a: Matrix, b: Matrix) -> Matrix:
        found = (1 - self.share) * np.exp(-flips(a, b) / self.reach) + LEVEL
        if self.share:
            found += self.share * (1 - 2 * flips(a, b, self.weights) / a.shape[1])
        if self.of_size:
            sizes, others = 1 + a.sum(axis=1)[:, None], 1 + b.sum(axis=1)[None, :]
            found += self.of_size * np.minimum(sizes / others, others / sizes)
        return np.asarray(found)


@dataclass(frozen=True)
class Scale:
    """A way to read a number: as it is, or so that differences count the more the nearer to the best seen.

    `limit` is what no number reaches, and read is −log(limit − number); None: the number itself. Below
    `floor` all are equally bad. What is read is shifted and divided to mean 0 and variance 1.
    """

    limit: float | None
    floor: float
    mean: float
    spread: float

    @classmethod
    def of(cls, numbers: Vector, beyond: float | None) -> Scale:
        """With a limit so many spans of the numbers above the best; without one where all are the same."""
        top, middle = float(numbers.max()), float(np.median(numbers))
        floor = top - _BAD * (top - middle) if top > middle else float(numbers.min())
        span = top - max(floor, float(numbers.min()))
        limit = None if beyond is None or span == 0 else top + beyond * span
        plain = cls(limit, floor, 0.0, 1.0).read(numbers)
        return cls(limit, floor, float(plain.mean()), max(float(plain.std()), 1e-9))

    def read(self, numbers: Vector) -> Vector:
        above = np.maximum(numbers, self.floor)
        read = above if self.limit is None else -np.log(self.limit - above)
        return np.asarray((read - self.mean) / self.spread)

    def number(self, read: Matrix) -> Matrix:
        """What `read` would be read from."""
        plain = read * self.spread + self.mean
        return plain if self.limit is None else np.asarray(self.limit - np.exp(-plain))

    def log_stretch(self, numbers: Vector) -> float:
        """The logarithm of how much reading stretches around these numbers: likelihoods are of numbers."""
        above = np.maximum(numbers, self.floor)
        bent = 0.0 if self.limit is None else -float(np.log(self.limit - above).sum())
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
        root, half = _solved(self.kernel(seen, seen), self.noise, targets)
        weights = solve_triangular(root, half, lower=True, trans="T", check_finite=False)
        return replace(self, seen=seen, targets=targets, root=root, half=half, weights=weights)


@dataclass(frozen=True)
class Reading:
    """How numbers are read: with which kernel, noise, and scale (see `Scale.of`)."""

    kernel: Kernel
    noise: float
    beyond: float | None

    def process(self, seen: Matrix, numbers: Vector) -> Process:
        """What `numbers` tell of other subsets, read like this."""
        scale = Scale.of(numbers, self.beyond)
        targets = scale.read(numbers)
        root, half = _solved(self.kernel(seen, seen), self.noise, targets)
        variance = max(float((half * half).mean()), 1e-12)
        weights = solve_triangular(root, half, lower=True, trans="T", check_finite=False)
        return Process(seen, targets, self.kernel, self.noise, variance, scale, root, half, weights)


def likeliest(
    seen: Matrix, numbers: Vector, kernels: Iterable[tuple[Kernel, float]], beyond: Sequence[float | None] = BEYOND
) -> Reading:
    """How to read `numbers` so that they are most likely; with each kernel comes the logarithm of its preference."""
    scales = [Scale.of(numbers, share) for share in beyond]
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
                most, found = float(likelihood[k]), Reading(kernel, noise, beyond[k])
    assert found is not None
    return found


def looked_at(count: int) -> int:
    """Of so many numbers, how many there were when one last looked how to read them."""
    last, count = min(count, EVERY), min(count, MOST_LOOKED_AT)
    while last + last // EVERY <= count and last >= EVERY:
        last += last // EVERY
    return last


def _solved(similar: Matrix, noise: float, targets: Matrix) -> tuple[Matrix, Matrix]:
    root = cholesky(similar + noise * np.eye(len(similar)), lower=True, check_finite=False)
    return root, np.asarray(solve_triangular(root, targets, lower=True, check_finite=False))


def kernels(n: int, weights: Vector | None = None) -> list[tuple[Kernel, float]]:
    """What is tried, with its preference; `weights` say of which attributes much is expected beforehand."""
    shares = (0.0,) if weights is None else SHARES_OF_SUM
    sizes = (0.0,) if weights is None or n <= FEW else OF_SIZE
    mean_one = None if weights is None else weights / weights.mean()
    return [
        (Likeness(reach, share, mean_one, of_size), preference(reach, n))
        for reach in reaches(n)
        for share in shares
        for of_size in sizes
    ]


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
