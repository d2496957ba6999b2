"""A surrogate: a Bayesian model of the value, additive over attributes and pairs, says where to look next.

This is Bayesian optimisation of a combinatorial structure with a model of the second degree: a Gaussian
prior on the weight of every attribute and pair, the posterior from what was evaluated, and of the
neighbours of the best and of some draws the one of greatest expected improvement. The weights are never
formed: with x in {−1, 1}ⁿ the prior is the kernel 1 + x·y/n + ((x·y)² − n) / (n (n − 1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import ndtr

from elicit.methods.frame import Search, Space
from elicit.methods.goals import UNMEASURED
from elicit.methods.stochastic import EXHAUSTED, Seen
from elicit.numeric import whole
from elicit.subsets import Mask, indicator, mask_of

Floats = NDArray[np.float64]

#: Variances of the noise that are tried, in shares of the variance of the values; the likelihood chooses.
_NOISES = (0.001, 0.01, 0.1, 1.0)

#: The model is fitted to so many subsets, the best; the work grows with the cube of their number.
MOST_FITTED = 500

#: Neighbours by two flips that are looked at: all of them up to 200 attributes, of more so many drawn anew each time.
MOST_PAIRS = 20_000


@dataclass(frozen=True)
class Surrogate:
    """Bayesian optimisation: the next subset is the one of greatest expected improvement under the model.

    first: subsets that are drawn before there is a model. draws: candidates drawn besides the neighbours of the best.
    """

    first: int = 6
    draws: int = 30

    def __post_init__(self) -> None:
        for name, value, least in (("first", self.first, 2), ("draws", self.draws, 1)):
            object.__setattr__(self, name, whole(name, value, least))

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:
        seen = Seen(space, rng)
        values: dict[Mask, float] = {}
        batch = seen.first(self.first)
        while not seen.exhausted:
            found = yield batch
            values.update(zip(batch, found, strict=True))
            seen.note(batch, found)
            batch = [self._promising(space, seen, values)] if not seen.exhausted else []
        return EXHAUSTED

    def _promising(self, space: Space, seen: Seen, values: dict[Mask, float]) -> Mask:
        """The candidate of greatest expected improvement; ties go to fewer attributes, then to mask order."""
        best = max(values, key=seen.ranks.__getitem__)
        around = [best ^ flip for flip in self._flips(space.family.free, seen.rng) if space.admits(best ^ flip)]
        pool = [m for m in dict.fromkeys(around + seen.fresh(self.draws)) if m not in values]
        measured = {mask: value for mask, value in values.items() if value > UNMEASURED}
        if len(measured) < 2 or not pool:
            return (pool or seen.fresh(1))[0]
        kept = sorted(measured, key=lambda m: -measured[m])[:MOST_FITTED]
        gains = improvement(kept, np.array([measured[m] for m in kept]), pool, space.family.n)
        return max(zip(pool, np.round(gains, 12), strict=True), key=lambda g: (g[1], -g[0].bit_count(), -g[0]))[0]

    def _flips(self, free: Sequence[int], rng: np.random.Generator) -> list[Mask]:
        """Every attribute, and every two; of very many pairs, some."""
        pairs = list(combinations(free, 2))
        if len(pairs) > MOST_PAIRS:
            pairs = [pairs[k] for k in np.sort(rng.choice(len(pairs), MOST_PAIRS, replace=False))]
        return [mask_of(flipped) for flipped in (*((i,) for i in free), *pairs)]


def improvement(subsets: Sequence[Mask], values: Floats, candidates: Sequence[Mask], n: int) -> Floats:
    """The expected improvement of each candidate on the best of the values, under the model of degree two."""
    unit = 2.0 ** np.frexp(np.abs(values).max())[1]  # a power of two: no number is rounded, and no square overflows
    values = values / unit
    spread = values.std() or 1.0
    y = (values - values.mean()) / spread
    seen, new = _signs(subsets, n), _signs(candidates, n)
    gram, near = _kernel(seen, seen), _kernel(new, seen)
    fits = [_fit(gram, y, noise) for noise in _NOISES]
    _, root, weights, scale = max(fits, key=lambda fit: fit[0])
    mean = near @ weights
    explained = np.square(solve_triangular(root, near.T, lower=True)).sum(axis=0)
    of_itself = 3.0 if n > 1 else 2.0  # the kernel of a subset with itself
    deviation = np.sqrt(np.maximum(of_itself - explained, 1e-12) * scale)
    z = (mean - y.max()) / deviation
    return np.asarray(unit * spread * deviation * (z * ndtr(z) + np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)))


def _fit(gram: Floats, y: Floats, noise: float) -> tuple[float, Floats, Floats, float]:
    """Log likelihood (its scale profiled out), Cholesky root, weights and scale for one variance of the noise."""
    root = cholesky(gram + noise * np.eye(len(y)), lower=True)
    weights = cho_solve((root, True), y)
    scale = max(float(y @ weights) / len(y), 1e-12)
    return -0.5 * len(y) * np.log(scale) - float(np.log(np.diag(root)).sum()), root, weights, scale


def _signs(subsets: Sequence[Mask], n: int) -> Floats:
    """Shape (subsets, n): 1 where an attribute is in, −1 where it is out."""
    return np.asarray(2.0 * indicator(subsets, n) - 1.0, dtype=np.float64)


def _kernel(a: Floats, b: Floats) -> Floats:
    n = a.shape[1]
    dot = a @ b.T
    return np.asarray(1 + dot / n + (dot * dot - n) / (n * max(1, n - 1)))
