"""A Gaussian process over subsets: the mean and the spread of a criterion where it was not measured.

The kernel is exp(−(Σ_{i flipped} 1 / length_scale_i)^EXPONENT), with a length scale for every attribute. Long ones
mean that attributes add up, short ones that they interact in ways no pair explains; an attribute that matters little
gets so long a one that subsets with it and without it count as alike. A second term may give subsets of one size
something in common: of a thousand attributes most are noise, and then the size tells most of the score.

`Hyperparameters` are a kernel and a noise variance, at the mode of their posterior: marginal likelihood times a prior
that prefers length scales near the number of attributes, and alike.

The rule: hyperparameters are fitted anew whenever there are a fiftieth more numbers, not with each one, and depend
on nothing but the numbers up to there. So a run that was interrupted goes on alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotrf, dtrtrs
from scipy.optimize import minimize

from elicit.utility.monomials import Matrix, Vector

#: Noise variances that are tried, and how many length scales, from the shortest to the number of attributes or 10.
NOISES, LENGTH_SCALES, SHORTEST = (0.003, 0.03, 0.1), 8, 0.6

#: Variance of the mean, a constant term of the kernel, where that of the differences between subsets is 1.
CONSTANT = 0.3

#: How far the limit of the scale lies above the best number, as a share of the range of the numbers.
HEADROOM = 0.2

#: The exponent by which likeness falls: below 1 the first flip tells more than each that follows.
EXPONENT = 0.8

#: Prior standard deviation of the logarithms of the length scales between attributes, and the steps of the optimiser.
LENGTH_SCALE_SPREAD, STEPS = 0.7, 6

#: The logarithm of a length scale moves by at most this, seven times its prior deviation: a line search tries much
#: more, and where one flip counts for 10^14 others the digits of all others are lost.
LARGEST_SHIFT = 5.0

#: Shares of the additive part that are tried, where there is a prior over the attributes.
ADDITIVE_SHARES = (0.0, 0.3, 0.7)

#: Variances of the term of the size that are tried, where that of the differences between subsets is 1. There is no
#: such term without a prior over the attributes, or with no more than so many: there it draws the search away from
#: what interacts.
SIZE_VARIANCES, FEW = (0.0, 0.5, 2.0), 20

#: Hyperparameters are fitted again when there is one number more for every so many; never again beyond so many.
REFIT_SHARE, LAST_REFIT = 50, 400

#: Numbers further below the best than so many times the distance of the median count as equally bad.
_BAD = 20.0

#: What is read is divided by this at least: numbers that are all the same have no spread.
_LEAST_SPREAD = 1e-9

#: How much log-likelihood a length scale costs that is e times shorter or longer than there are attributes.
_PRIOR_WEIGHT = 1.0


@dataclass(frozen=True)
class Kernel:
    """The covariance of two subsets: exp(−(Σ_{i flipped} 1 / length_scale_i)^EXPONENT) and a constant, or more.

    additive_share: this share of the first term is replaced by 1 − 2 Σ_{i flipped} w_i / n, in which attributes add
    up; the `weights` w have mean 1. size_variance: of a term that falls from 1 with the ratio of the two sizes.
    """

    length_scales: Vector
    additive_share: float = 0.0
    weights: Vector | None = None
    size_variance: float = 0.0

    def __call__(self, a: Matrix, b: Matrix, terms: _Terms | None = None) -> Matrix:
        """Shape (first, second), of subsets given as bits; `terms`: those of the two, where they are kept."""
        terms = _Terms(a, b) if terms is None else terms
        found = (1 - self.additive_share) * terms.alike(1 / self.length_scales) + CONSTANT
        if self.additive_share:
            found += self.additive_share * terms.additive(self.weights)
        if self.size_variance:
            found += self.size_variance * terms.of_sizes()
        return np.asarray(found)


class _Terms:
    """What kernels are made of between subsets given as bits.

    keep: each is computed once, for the dozens of kernels that are tried share a few. They take most of the time of a
    fit: flips between subsets of thousands of attributes, otherwise powers and exponentials.
    """

    def __init__(self, a: Matrix, b: Matrix, keep: bool = False) -> None:
        self._a, self._b = a, b
        self._kept: dict[tuple[str, bytes], Matrix] | None = {} if keep else None

    def flips(self, weights: Vector | None) -> Matrix:
        return self._term("flips", weights, lambda: flips(self._a, self._b, weights))

    def alike(self, weights: Vector) -> Matrix:
        """How alike subsets are, where a flip counts by its weight."""
        return self._term("alike", weights, lambda: np.exp(-(self.flips(weights) ** EXPONENT)))

    def additive(self, weights: Vector | None) -> Matrix:
        """The same where attributes add up."""
        return self._term("additive", weights, lambda: 1 - 2 * self.flips(weights) / self._a.shape[1])

    def of_sizes(self) -> Matrix:
        """How alike their sizes are."""
        return self._term("sizes", None, self._ratios)

    def _ratios(self) -> Matrix:
        sizes, others = 1 + self._a.sum(axis=1)[:, None], 1 + self._b.sum(axis=1)[None, :]
        return np.asarray(np.minimum(sizes / others, others / sizes))

    def _term(self, kind: str, weights: Vector | None, computed: Callable[[], Matrix]) -> Matrix:
        if self._kept is None:
            return computed()
        key = kind, b"" if weights is None else weights.tobytes()
        if key not in self._kept:
            self._kept[key] = computed()
        return self._kept[key]


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
        if span <= 0:  # all the same: their mean may be rounded, and how far large ones lie from that has no square
            return cls(None, floor, top, _LEAST_SPREAD)
        limit = top + HEADROOM * span
        plain = cls(limit, floor, 0.0, 1.0).read(numbers)
        return cls(limit, floor, float(plain.mean()), max(float(plain.std()), _LEAST_SPREAD))

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

    seen: bits, shape (subsets, n); targets: what was measured there, on the scale. With L the Cholesky factor of the
    covariance of what was seen, root: L; dual: L⁻ᵀ L⁻¹ targets, the coefficients of the mean.
    variance: of the process, in units of the kernel.
    """

    seen: Matrix
    targets: Vector
    kernel: Kernel
    noise: float
    variance: float
    scale: Scale
    root: Matrix
    dual: Vector

    def predicted(self, subsets: Matrix) -> tuple[Vector, Vector]:
        """Mean and standard deviation, on the scale, of subsets given as bits."""
        near = self.kernel(subsets, self.seen)
        known = _solved(self.root, near.T)
        itself = self.kernel(subsets[:1], subsets[:1])[0, 0]  # of all subsets alike
        left = np.maximum(itself - (known * known).sum(axis=0), 1e-12)
        return near @ self.dual, np.sqrt(left * self.variance)

    def believing(self, subset: Matrix) -> Process:
        """The same process once `subset` (bits, shape (1, n)) has turned out as predicted: a "kriging believer"."""
        seen = np.vstack([self.seen, subset])
        targets = np.append(self.targets, self.predicted(subset)[0])
        root, whitened = _whitened(self.kernel(seen, seen), self.noise, targets)
        return replace(self, seen=seen, targets=targets, root=root, dual=_dual(root, whitened))


@dataclass(frozen=True)
class Hyperparameters:
    """The kernel and the noise variance with which numbers are read."""

    kernel: Kernel
    noise: float

    def process(self, seen: Matrix, numbers: Vector, scale: Scale) -> Process:
        """The process with these hyperparameters, given the numbers measured at `seen`."""
        targets = scale.read(numbers)
        root, whitened = _whitened(self.kernel(seen, seen), self.noise, targets)
        variance, dual = _variance(whitened), _dual(root, whitened)
        return Process(seen, targets, self.kernel, self.noise, variance, scale, root, dual)


def fit_hyperparameters(seen: Matrix, numbers: Vector, kernels: Iterable[tuple[Kernel, float]]) -> Hyperparameters:
    """The hyperparameters of the highest posterior; each kernel comes with the logarithm of its prior.

    First the best of the kernels with each noise, then a length scale of its own for every attribute.
    """
    targets = Scale.of(numbers).read(numbers)
    best, most = None, -np.inf
    terms = _Terms(seen, seen, keep=True)
    for kernel, log_prior_of_kernel in kernels:
        covariance = kernel(seen, seen, terms)
        for noise in NOISES:
            posterior = log_prior_of_kernel + _log_likelihood(*_whitened(covariance, noise, targets))
            if posterior > most:
                most, best = posterior, Hyperparameters(kernel, noise)
    assert best is not None
    return replace(best, kernel=_attribute_by_attribute(best, seen, targets))


def _attribute_by_attribute(given: Hyperparameters, seen: Matrix, targets: Vector) -> Kernel:
    """The kernel with a length scale of its own for every attribute, after a few steps from the one they share."""
    n = seen.shape[1]
    found = minimize(
        negative_log_posterior,
        np.zeros(n),
        args=(given, seen, targets),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-LARGEST_SHIFT, LARGEST_SHIFT)] * n,
        options={"maxiter": STEPS},
    )
    return replace(given.kernel, length_scales=given.kernel.length_scales * np.exp(-found.x))


def negative_log_posterior(
    shifts: Vector, given: Hyperparameters, seen: Matrix, targets: Vector
) -> tuple[float, Vector]:
    """What is minimised over the length scales, each e^shift times shorter than given, and its gradient."""
    kernel = replace(given.kernel, length_scales=given.kernel.length_scales * np.exp(-shifts))
    terms, weights = _Terms(seen, seen, keep=True), 1 / kernel.length_scales
    root, whitened = _whitened(kernel(seen, seen, terms), given.noise, targets)
    dual = _dual(root, whitened)
    inverse = cho_solve((root, True), np.eye(len(seen)), check_finite=False)
    pull = np.outer(dual, dual) / _variance(whitened) - inverse  # twice the gradient by each covariance
    far, near = terms.flips(weights), terms.alike(weights)
    steep = np.where(far > 0, EXPONENT * near / np.maximum(far, 1e-12) ** (1 - EXPONENT), 0.0)
    pull *= (1 - kernel.additive_share) * steep
    flipped = 2 * (pull.sum(axis=1) @ seen - ((pull @ seen) * seen).sum(axis=0))  # each attribute's share of it
    expected = shifts / LENGTH_SCALE_SPREAD**2
    loss = 0.5 * float(shifts @ expected) - _log_likelihood(root, whitened)
    return loss, 0.5 * flipped / kernel.length_scales + expected


def _log_likelihood(root: Matrix, whitened: Vector) -> float:
    """Up to a constant, at the likeliest variance."""
    return float(-0.5 * len(whitened) * np.log(_variance(whitened)) - np.log(np.diag(root)).sum())


def _variance(whitened: Vector) -> float:
    """The likeliest variance of the process, in units of the kernel."""
    return max(float((whitened * whitened).mean()), 1e-12)


def last_refit(count: int) -> int:
    """How many of `count` numbers there were when hyperparameters were last fitted."""
    last, count = min(count, REFIT_SHARE), min(count, LAST_REFIT)
    while last + last // REFIT_SHARE <= count and last >= REFIT_SHARE:
        last += last // REFIT_SHARE
    return last


def _whitened(covariance: Matrix, noise: float, targets: Vector) -> tuple[Matrix, Vector]:
    """The Cholesky factor L of the covariance with noise, and L⁻¹ targets."""
    noisy = np.array(covariance, order="F")
    noisy.flat[:: len(noisy) + 1] += noise  # its diagonal
    root, failed = dpotrf(noisy, lower=True, overwrite_a=True)
    if failed:
        raise LinAlgError("the covariance is not positive definite")
    return root, _solved(root, targets)


def _solved(root: Matrix, right: Matrix, transposed: bool = False) -> Matrix:
    """L⁻¹ right, or L⁻ᵀ right: for few subsets the checks around LAPACK take longer than what it does."""
    found, _ = dtrtrs(root, right, lower=True, trans=transposed)
    return np.asarray(found)


def _dual(root: Matrix, whitened: Vector) -> Vector:
    """L⁻ᵀ L⁻¹ targets."""
    return _solved(root, whitened, transposed=True)


def candidate_kernels(n: int, weights: Vector | None = None) -> list[tuple[Kernel, float]]:
    """The kernels that are tried, each with its log prior; `weights`: how much is expected of each attribute."""
    shares = (0.0,) if weights is None else ADDITIVE_SHARES
    sizes = (0.0,) if weights is None or n <= FEW else SIZE_VARIANCES
    mean_one = None if weights is None else weights / weights.mean()
    return [
        (Kernel(np.full(n, length_scale), share, mean_one, size_variance), log_prior(length_scale, n))
        for length_scale in candidate_length_scales(n)
        for share in shares
        for size_variance in sizes
    ]


def candidate_length_scales(n: int) -> list[float]:
    """The length scales that are tried, in equal ratios, up to the number of attributes (to 10 at least)."""
    return [float(scale) for scale in np.geomspace(SHORTEST, max(10.0, n), LENGTH_SCALES)]


def log_prior(length_scale: float, n: int) -> float:
    """The logarithm, up to a constant, of the prior of a length scale that n attributes share."""
    return -_PRIOR_WEIGHT * float(np.log(length_scale / n)) ** 2


def flips(a: Matrix, b: Matrix, weights: Vector | None = None) -> Matrix:
    """In how many attributes each row of a differs from each row of b, or the sum of their weights."""
    # a may hold thousands of subsets, b those seen: only b is weighed, so that no second table of a is made
    d = b if weights is None else b * weights
    sizes = a.sum(axis=1) if weights is None else a @ weights
    found: Matrix = sizes[:, None] + d.sum(axis=1)[None, :] - 2 * (a @ d.T)
    return np.maximum(found, 0.0)
