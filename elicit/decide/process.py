"""A Gaussian process over subsets: the mean and the spread of a criterion where it was not measured.

The kernel is exp(−(Σ_{i flipped} 1 / reach_i)^BENT), with a length scale (`reach`) for every attribute: a long
one means that attributes add up, a short one that they interact in ways no pair explains, and an attribute that
matters little gets so long a one that subsets with it and without it count as alike. A second term may join
subsets of one size: of a thousand attributes most are noise, and then the size tells most of the score.

`Hyperparameters` are a kernel and a noise variance: the posterior mode (marginal likelihood times a prior that
prefers length scales near the number of attributes, and much alike).

The rule: hyperparameters are fitted anew whenever there are a fiftieth more numbers, not with each one, and depend
on nothing but the numbers up to there. So a run that was interrupted goes on alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

from elicit.utility.monomials import Matrix, Vector

#: Noise variances that are tried, and how many reaches, from the shortest up to the number of attributes or 10.
NOISES, REACHES, SHORTEST = (0.003, 0.03, 0.1), 8, 0.6

#: Variance of the mean, against that of the differences between subsets.
LEVEL = 0.3

#: How far above the best number the limit of the scale is, in spans of the numbers.
BEYOND = 0.2

#: The exponent by which likeness falls: below 1 the first flip tells more than each that follows.
BENT = 0.8

#: By how much the logarithms of the reaches are expected to differ between attributes (a standard deviation), and
#: the steps taken towards those that are likeliest.
UNLIKE, STEPS = 0.7, 6

#: The logarithm of a reach moves by at most this, seven times what is expected: a search for steps tries much
#: more, and where one flip counts for 10^14 others the digits of all others are lost.
FURTHEST = 5.0

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
    """How alike two subsets are: exp(−(Σ_{i flipped} 1 / reach_i)^BENT), a level that all share, and what else.

    share: of a part in which attributes add up, 1 − 2 Σ_{i flipped} w_i / n, instead of the first; `weights` have
    mean 1. of_size: variance of what subsets of one size share, which fades as the smaller to the larger.
    """

    reaches: Vector
    share: float = 0.0
    weights: Vector | None = None
    of_size: float = 0.0

    def __call__(self, a: Matrix, b: Matrix) -> Matrix:
        """Shape (first, second), of subsets given as bits; a subset resembles itself most."""
        found = (1 - self.share) * np.exp(-(flips(a, b, 1 / self.reaches) ** BENT)) + LEVEL
        if self.share:
            found += self.share * (1 - 2 * flips(a, b, self.weights) / a.shape[1])
        if self.of_size:
            sizes, others = 1 + a.sum(axis=1)[:, None], 1 + b.sum(axis=1)[None, :]
            found += self.of_size * np.minimum(sizes / others, others / sizes)
        return np.asarray(found)


@dataclass(frozen=True)
class Scale:
    """A way to read a number: differences count the more the nearer to the best seen.

    `limit` is what no number reaches, and read is −log(limit − number); None, where all are the same: the number
    itself. Below `floor` all are equally bad. What is read is shifted and divided to mean 0 and variance 1.
    """

    limit: float | None
    floor: float
    mean: float
    spread: float

    @classmethod
    def of(cls, numbers: Vector) -> Scale:
        """The scale of these numbers."""
        top, middle = float(numbers.max()), float(np.median(numbers))
        floor = top - _BAD * (top - middle) if top > middle else float(numbers.min())
        span = top - max(floor, float(numbers.min()))
        limit = top + BEYOND * span if span > 0 else None
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


@dataclass(frozen=True)
class Process:
    """A fitted process.

    seen: bits, shape (subsets, n); targets: what was measured there, on the scale; root, half, weights: the
    root L of the covariance of what was seen, L⁻¹ targets and L⁻ᵀ L⁻¹ targets; variance: of the process, in
    units of the kernel.
    """

    seen: Matrix
    targets: Vector
    kernel: Likeness
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
class Hyperparameters:
    """With which kernel and noise numbers are read."""

    kernel: Likeness
    noise: float

    def process(self, seen: Matrix, numbers: Vector, scale: Scale) -> Process:
        """What `numbers` tell of other subsets, read like this."""
        targets = scale.read(numbers)
        root, half = _solved(self.kernel(seen, seen), self.noise, targets)
        weights = solve_triangular(root, half, lower=True, trans="T", check_finite=False)
        return Process(seen, targets, self.kernel, self.noise, _variance(half), scale, root, half, weights)


def likeliest(seen: Matrix, numbers: Vector, kernels: Iterable[tuple[Likeness, float]]) -> Hyperparameters:
    """How to read `numbers` so that they are most likely; with each kernel comes the logarithm of its preference.

    The best of the kernels, then with reaches that attribute by attribute make the numbers likelier still.
    """
    targets = Scale.of(numbers).read(numbers)
    found, most = None, -np.inf
    for kernel, preference in kernels:
        similar = kernel(seen, seen)
        for noise in NOISES:
            likelihood = preference + _log_likelihood(*_solved(similar, noise, targets))
            if likelihood > most:
                most, found = likelihood, Hyperparameters(kernel, noise)
    assert found is not None
    return replace(found, kernel=_attribute_by_attribute(found, seen, targets))


def _attribute_by_attribute(given: Hyperparameters, seen: Matrix, targets: Vector) -> Likeness:
    """The kernel with the reaches that are likeliest, given by how much they are expected to differ."""
    n, options = seen.shape[1], {"maxiter": STEPS}
    within = [(-FURTHEST, FURTHEST)] * n
    found = minimize(
        lost, np.zeros(n), args=(given, seen, targets), jac=True, method="L-BFGS-B", bounds=within, options=options
    )
    return replace(given.kernel, reaches=given.kernel.reaches * np.exp(-found.x))


def lost(shifts: Vector, given: Hyperparameters, seen: Matrix, targets: Vector) -> tuple[float, Vector]:
    """What is lost in log-likelihood, and by how unlikely they are, when every reach is e^shift times shorter.

    With it comes how it grows with the shifts.
    """
    kernel = replace(given.kernel, reaches=given.kernel.reaches * np.exp(-shifts))
    root, half = _solved(kernel(seen, seen), given.noise, targets)
    weights = solve_triangular(root, half, lower=True, trans="T", check_finite=False)
    inverse = cho_solve((root, True), np.eye(len(seen)), check_finite=False)
    pull = np.outer(weights, weights) / _variance(half) - inverse  # twice what each covariance adds
    far = flips(seen, seen, 1 / kernel.reaches)
    steep = np.where(far > 0, BENT * np.exp(-(far**BENT)) / np.maximum(far, 1e-12) ** (1 - BENT), 0.0)
    pull *= (1 - kernel.share) * steep
    flipped = 2 * (pull.sum(axis=1) @ seen - ((pull @ seen) * seen).sum(axis=0))  # each attribute's share of it
    expected = shifts / UNLIKE**2
    return 0.5 * float(shifts @ expected) - _log_likelihood(root, half), 0.5 * flipped / kernel.reaches + expected


def _log_likelihood(root: Matrix, half: Vector) -> float:
    """Up to a constant, with the variance that is likeliest."""
    return float(-0.5 * len(half) * np.log(_variance(half)) - np.log(np.diag(root)).sum())


def _variance(half: Vector) -> float:
    """The variance of the process, in units of the kernel, that is likeliest."""
    return max(float((half * half).mean()), 1e-12)


def looked_at(count: int) -> int:
    """Of so many numbers, how many there were when one last looked how to read them."""
    last, count = min(count, EVERY), min(count, MOST_LOOKED_AT)
    while last + last // EVERY <= count and last >= EVERY:
        last += last // EVERY
    return last


def _solved(similar: Matrix, noise: float, targets: Matrix) -> tuple[Matrix, Matrix]:
    root = cholesky(similar + noise * np.eye(len(similar)), lower=True, check_finite=False)
    return root, np.asarray(solve_triangular(root, targets, lower=True, check_finite=False))


def kernels(n: int, weights: Vector | None = None) -> list[tuple[Likeness, float]]:
    """The likenesses tried, each with its preference; `weights` say of which attributes much is expected beforehand."""
    shares = (0.0,) if weights is None else SHARES_OF_SUM
    sizes = (0.0,) if weights is None or n <= FEW else OF_SIZE
    mean_one = None if weights is None else weights / weights.mean()
    return [
        (Likeness(np.full(n, reach), share, mean_one, of_size), preference(reach, n))
        for reach in reaches(n)
        for share in shares
        for of_size in sizes
    ]


def reaches(n: int) -> list[float]:
    """The reaches that are tried, in equal ratios, up to the number of attributes (to 10 at least)."""
    return [float(reach) for reach in np.geomspace(SHORTEST, max(10.0, n), REACHES)]


def preference(reach: float, n: int) -> float:
    """The logarithm, up to a constant, of how much is expected of a reach before anything is seen."""
    return -_PREFERENCE * float(np.log(reach / n)) ** 2


def flips(a: Matrix, b: Matrix, weights: Vector | None = None) -> Matrix:
    """In how many attributes each row of a differs from each row of b; or their weights in all."""
    c = a if weights is None else a * weights
    d = b if weights is None else b * weights
    found: Matrix = c.sum(axis=1)[:, None] + d.sum(axis=1)[None, :] - 2 * (c @ b.T)
    return np.maximum(found, 0.0)
