"""Johnson-Shapley shares: Johnson's relative weights for a function that need not be linear.

Inputs X = μ + D R^½ Z. The variance of f is split over the independent columns of Z by their Shapley
effects, Sh_i = Σ_{u∋i} S_u / |u|, and given back as in Johnson's weights:  JSh = (R^½)∘² Sh(Z).
For a linear f these are Johnson's; for independent inputs they are the Shapley effects.

Two estimators of Sh(Z):

- "walk" (default): a walk turns one draw A of Z into another, B, column by column in a random order. With
  Y_0 … Y_d the answers on the way, ½ (Y_d − Y_0)(Y_k+1 − Y_k) is an unbiased part of the column that moves:
  all orders of interaction, N(d+1) runs, the shares sum to 1.
- "arrays": replicated orthogonal arrays of strength 2 (q² runs, q a prime ≥ d, twice), as in the source:
  all Sobol indices of first and second order at once; interactions of more than two columns are left out,
  so the shares sum to less than 1.

The rule: shares come with standard errors. The function must be able to answer at inputs that recombine
those of the sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, count
from math import isqrt
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.numeric import whole
from elicit.scores.answers import at_once, in_calls
from elicit.scores.inputs import Function, Inputs, checked_answers, inputs_of_sample, require_variance
from elicit.scores.protocol import Floats, Ints, generator

#: Independent pairs of arrays among which the runs of "arrays" are divided, to know their spread.
DESIGNS = 8


@dataclass(frozen=True)
class FunctionShares:
    """Shares of Var f of the inputs (d,), with standard errors.

    first (d,) and second (d, d): Sobol indices of Z, estimated by "arrays" only.
    """

    shares: Floats
    errors: Floats
    variance: float
    runs: int
    first: Floats | None = None
    second: Floats | None = None

    @staticmethod
    def of(parts: Floats, totals: Floats, weights: Floats, runs: int) -> FunctionShares:
        """From independent estimates of the parts of the variance (times, d), and of all of it (times,).

        weights (d, d): how much of each part (second axis) belongs to each input (first axis).
        """
        variance = float(totals.mean())
        require_variance(variance)
        shares = weights @ (parts.mean(axis=0) / variance)
        # a ratio of means: its spread is that of the residual over the denominator
        residual = parts @ weights.T - np.outer(totals, shares)
        spread = residual.std(axis=0, ddof=1) if len(parts) > 1 else np.full(len(shares), np.nan)
        return FunctionShares(shares, spread / variance / np.sqrt(len(parts)), variance, runs)


def johnson_shapley(
    function: Function,
    inputs: Any,
    *,
    estimator: str = "walk",
    runs: int = 100_000,
    designs: int = DESIGNS,
    random_state: int | np.random.Generator = 0,
) -> FunctionShares:
    """Shares of the variance of function(X), with at most `runs` rows of it.

    inputs: a sample of X (rows, d), or `gaussian_inputs(mean, covariance)`.
    designs: pairs of arrays (for "arrays"); with 1 there are no standard errors.
    """
    given = inputs if isinstance(inputs, Inputs) else inputs_of_sample(inputs)
    if not callable(function):
        raise InputError(f"expected a function of rows, found {type(function).__name__}")
    rng = generator(random_state)
    whole("runs", runs)
    if estimator == "walk":
        return _by_walks(function, given, runs, rng)
    if estimator == "arrays":
        return _by_arrays(function, given, runs, whole("designs", designs), rng)
    raise InputError(f"estimator is 'walk' or 'arrays', found {estimator!r}")


# --- walks -------------------------------------------------------------------------------------------


def _by_walks(function: Function, inputs: Inputs, runs: int, rng: np.random.Generator) -> FunctionShares:
    d = inputs.d
    walks = runs // (d + 1)
    if walks < 2:
        raise InputError(f"{runs} runs are fewer than two walks of {d + 1}; give at least {2 * (d + 1)}")
    step = at_once((d + 1) * d)
    parts = np.concatenate([_walk_parts(function, inputs, min(step, walks - at), rng) for at in range(0, walks, step)])
    return FunctionShares.of(parts, parts.sum(axis=1), inputs.weights, walks * (d + 1))


def _walk_parts(function: Function, inputs: Inputs, walks: int, rng: np.random.Generator) -> Floats:
    """½ (Y_d − Y_0)(Y_k+1 − Y_k) for the column that moves at step k, (walks, d)."""
    d = inputs.d
    start, end = inputs.draw(walks, rng), inputs.draw(walks, rng)
    ranks = rng.permuted(np.tile(np.arange(d), (walks, 1)), axis=1)
    moved = ranks[:, None, :] < np.arange(d + 1)[None, :, None]
    path = np.where(moved, end[:, None], start[:, None]).reshape(-1, d)
    Y = checked_answers(function, inputs.of(path)).reshape(walks, d + 1)
    steps = np.take_along_axis(np.diff(Y, axis=1), ranks, axis=1)
    return np.asarray(0.5 * (Y[:, d] - Y[:, 0])[:, None] * steps)


# --- replicated orthogonal arrays --------------------------------------------------------------------


def _by_arrays(function: Function, inputs: Inputs, runs: int, designs: int, rng: np.random.Generator) -> FunctionShares:
    q = largest_prime(isqrt(runs // (2 * designs)))
    if q < max(inputs.d, 2):
        least = smallest_prime(max(inputs.d, 2))
        raise InputError(
            f"arrays of {inputs.d} inputs need 2·q² runs a design with a prime q of at least {least}: "
            f"give at least {2 * designs * least**2} runs for {designs} designs"
        )
    found = [_sobol_parts(function, inputs, q, rng) for _ in range(designs)]
    first, second, variances = (np.array([part[k] for part in found]) for k in range(3))
    each = first + second.sum(axis=2) / 2  # (designs, d)
    shares = FunctionShares.of(each, variances, inputs.weights, 2 * designs * q * q)
    return replace(shares, first=first.mean(axis=0) / shares.variance, second=second.mean(axis=0) / shares.variance)


def _sobol_parts(function: Function, inputs: Inputs, q: int, rng: np.random.Generator) -> tuple[Floats, Floats, float]:
    """Sobol parts of the variance, of first order (d,) and of second order (d, d), and the variance."""
    d = inputs.d
    array = orthogonal_array(q, d)
    points = (np.arange(q)[:, None] + rng.random((q, d))) / q  # one value a level and column, the same in both
    levels = [np.stack([rng.permutation(q)[array[:, j]] for j in range(d)], axis=1) for _ in range(2)]
    values = inputs.quantiles(points)
    Y = [_answers_in_calls(function, inputs, np.take_along_axis(values, level, axis=0)) for level in levels]
    centre = (Y[0].mean() + Y[1].mean()) / 2
    variance = float(((Y[0] - centre) ** 2).mean() + ((Y[1] - centre) ** 2).mean()) / 2

    def closed(key: tuple[Ints, Ints], size: int) -> float:
        # rows of both arrays with the same key agree in the columns that made it, and in nothing else;
        # the product of means is the average over all ways of matching them
        means = [np.bincount(k, y - centre, minlength=size) * (size / q**2) for k, y in zip(key, Y, strict=True)]
        return float((means[0] * means[1]).mean())

    first = np.array([closed((levels[0][:, j], levels[1][:, j]), q) for j in range(d)])
    second = np.zeros((d, d))
    for i, j in combinations(range(d), 2):
        key = (levels[0][:, i] * q + levels[0][:, j], levels[1][:, i] * q + levels[1][:, j])
        second[i, j] = second[j, i] = closed(key, q * q) - first[i] - first[j]
    return first, second, variance


def _answers_in_calls(function: Function, inputs: Inputs, Z: Floats) -> Floats:
    return in_calls(
        lambda part: checked_answers(function, inputs.of(part)), len(Z), inputs.d, lambda start, stop: Z[start:stop]
    )


def orthogonal_array(q: int, d: int) -> Ints:
    """q² rows, d ≤ q columns, levels 0 … q−1: any two columns hold every pair once (Bush; q prime).

    Row (a, b) has the level a + j b mod q in column j.
    """
    a, b = np.divmod(np.arange(q * q), q)
    return np.asarray((a[:, None] + np.arange(d)[None] * b[:, None]) % q)


def largest_prime(most: int) -> int:
    """The largest prime up to `most`; 0 when there is none."""
    return next((k for k in range(most, 1, -1) if _is_prime(k)), 0)


def smallest_prime(least: int) -> int:
    """The smallest prime of at least `least`."""
    return next(k for k in count(least) if _is_prime(k))


def _is_prime(k: int) -> bool:
    return k >= 2 and all(k % p for p in range(2, isqrt(k) + 1))
