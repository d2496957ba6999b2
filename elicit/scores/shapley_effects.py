"""Shapley effects: shares of Var Y when the inputs depend on each other, Shapley values of Var E[Y | X_u].

Two ways to know c(u) = E Var(Y | X_u), of which the shares are the differences:

- of a function of Gaussian inputs, nested Monte-Carlo: at a drawn X, more draws that keep X_u, and the
  sample variance of their answers (unbiased with two of them);
- of given data, nearest neighbours in X_u: the mean sample variance of Y among the k nearest rows
  (Broto, Bachoc, Depecker 2020). Biased towards too little explained when u is large and rows are few.

The rule: with few inputs all subsets count; with more, random orders, each attribute paid at its step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from elicit.errors import InputError
from elicit.numeric import whole
from elicit.scores.games import shapley_of_game
from elicit.scores.inputs import Function, checked_answers, checked_moments, scaled_to_units
from elicit.scores.johnson_shapley import FunctionShares
from elicit.scores.moments import indicators, unit_columns
from elicit.scores.protocol import Floats, constant, generator, table

#: Up to this many inputs all subsets are computed unless orders are asked for.
ALL_SUBSETS = 10

#: Orders when there are more inputs and none are asked for.
ORDERS = 100

#: The most numbers that are kept when all subsets of the inputs of a function are computed (half a gigabyte).
MOST_KEPT = 1 << 26

#: Combinations of inputs of less than this share of the largest variance are taken for none.
_SINGULAR = 1e-10

#: Ties between neighbours are broken by noise of this share of a column's spread.
_JITTER = 1e-9


def shapley_effects(
    X: Any,
    y: Any,
    *,
    neighbours: int = 3,
    exact: bool = False,
    classes: bool | None = None,
    orders: int | None = None,
    random_state: int | np.random.Generator = 0,
) -> Floats:
    """Shares of Var Y of the columns, from data alone, shape (d,); noise may make small ones negative.

    neighbours: rows, the row itself among them, whose spread stands for Var(Y | X_u).
    exact: y is a function of X, so all columns together leave nothing; else they leave what is measured.
    orders: random orders; by default all subsets up to 10 columns, 100 orders beyond.
    """
    data = table(X, y, "shapley-effects", classes=classes)
    if not isinstance(exact, bool | np.bool_):
        raise InputError(f"exact is true or false, found {exact!r}")
    n, d = data.X.shape
    if whole("neighbours", neighbours, 2) >= n:  # near every row are all rows then, and no column explains anything
        remedy = "ask for fewer" if n > 2 else "give more rows"
        raise InputError(f"neighbours must be fewer than the {n} rows, found {neighbours}; {remedy}")
    rng = generator(random_state)
    columns = unit_columns(data.X) * np.sqrt(n)
    columns = columns + _JITTER * rng.standard_normal((n, d))
    target = indicators(data.y) if data.classes else data.target.reshape(-1, 1)
    target = target / np.sqrt(target.var(axis=0, ddof=1).sum())
    varying = sum(1 << int(j) for j in np.flatnonzero(~constant(data.X)))
    known: dict[int, float] = {0: 1.0}
    if exact and varying:
        known[varying] = 0.0

    def unexplained(mask: int) -> float:
        mask &= varying  # a column of one value says nothing
        if mask not in known:
            held = [j for j in range(d) if mask >> j & 1]
            near = KDTree(columns[:, held]).query(columns[:, held], k=neighbours)[1]
            known[mask] = float(target[near].var(axis=1, ddof=1).sum(axis=1).mean())
        return known[mask]

    if orders is None and d <= ALL_SUBSETS:
        return -shapley_of_game(np.array([unexplained(mask) for mask in range(1 << d)]))
    count = ORDERS if orders is None else whole("orders", orders)
    shares = np.zeros(d)
    for _ in range(count):
        mask = 0
        for j in rng.permutation(d):
            shares[j] += unexplained(mask) - unexplained(mask | 1 << int(j))
            mask |= 1 << int(j)
    return shares / count


def shapley_effects_of_function(
    function: Function,
    mean: Any,
    covariance: Any,
    *,
    outer: int = 10_000,
    inner: int = 2,
    orders: bool | None = None,
    random_state: int | np.random.Generator = 0,
) -> FunctionShares:
    """Shares of Var f(X) for Gaussian X, with standard errors; they sum to 1.

    outer: draws of X. inner: answers with the same X_u, X itself among them, behind each variance (2 or more).
    orders: one random order a draw of X instead of all subsets (default: beyond 10 inputs).
    """
    centre, cov = checked_moments(mean, covariance)
    d = len(centre)
    whole("outer", outer, 2)
    whole("inner", inner, 2)
    by_orders = d > ALL_SUBSETS if orders is None else orders
    if not by_orders and outer << d > MOST_KEPT:
        raise InputError(
            f"all subsets of {d} inputs at {outer} draws are {outer << d} numbers, at most {MOST_KEPT} are kept; "
            "leave `orders` out, or draw less"
        )
    rng = generator(random_state)
    correlations, units = scaled_to_units(cov)  # the draws do not depend on units
    nested = _Nested(lambda Z: checked_answers(function, centre + Z * units), correlations, inner, rng)
    X = nested.drawn(outer)
    Y = nested.function(X)
    parts, runs = _along_orders(nested, X, Y) if by_orders else _over_subsets(nested, X, Y)
    return FunctionShares.of(parts, parts.sum(axis=1), np.eye(d), outer + runs)


@dataclass(frozen=True)
class _Nested:
    """A function of standard Gaussian inputs of these correlations, asked `inner` times where some inputs are kept."""

    function: Callable[[Floats], Floats]
    correlations: Floats
    inner: int
    rng: np.random.Generator

    def drawn(self, count: int) -> Floats:
        """So many draws of the inputs."""
        return np.asarray(self.rng.standard_normal((count, len(self.correlations))) @ _root(self.correlations))

    def redrawn(self, X: Floats, mask: int) -> Floats:
        """X with the inputs outside the mask drawn anew: N(R_vu R_uu⁺ x_u, R_vv − R_vu R_uu⁺ R_uv)."""
        R, d = self.correlations, len(self.correlations)
        u = [j for j in range(d) if mask >> j & 1]
        v = [j for j in range(d) if not mask >> j & 1]
        slope = R[np.ix_(v, u)] @ np.linalg.pinv(R[np.ix_(u, u)], rcond=_SINGULAR, hermitian=True)
        conditional = R[np.ix_(v, v)] - slope @ R[np.ix_(u, v)]
        drawn = X.copy()
        drawn[:, v] = X[:, u] @ slope.T + self.rng.standard_normal((len(X), len(v))) @ _root(conditional)
        return drawn

    def unexplained(self, X: Floats, Y: Floats, mask: int) -> Floats:
        """Var(Y | X_u) at each row of X: the sample variance of the answers that share X_u."""
        more = [self.function(self.redrawn(X, mask)) for _ in range(self.inner - 1)]
        return np.asarray(np.var([Y, *more], axis=0, ddof=1))


def _root(cov: Floats) -> Floats:
    values, vectors = np.linalg.eigh(cov)
    return np.asarray((vectors * np.sqrt(np.clip(values, 0, None))) @ vectors.T)


def _over_subsets(nested: _Nested, X: Floats, Y: Floats) -> tuple[Floats, int]:
    """One estimate of every share for every row of X, (rows, d), and the runs they took."""
    full = (1 << X.shape[1]) - 1
    unexplained = np.zeros((full + 1, len(X)))
    for mask in range(full):
        unexplained[mask] = nested.unexplained(X, Y, mask)
    return -shapley_of_game(unexplained).T, full * (nested.inner - 1) * len(X)


def _along_orders(nested: _Nested, X: Floats, Y: Floats) -> tuple[Floats, int]:
    """The same along one random order a row; rows at the same set of inputs are asked together."""
    n, d = X.shape
    ranks = nested.rng.permuted(np.tile(np.arange(d), (n, 1)), axis=1)
    unexplained = np.zeros((n, d + 1))
    powers = [1 << j for j in range(d)]
    for step in range(d):
        masks = [sum(p for p, r in zip(powers, rank, strict=True) if r < step) for rank in ranks.tolist()]
        where: dict[int, list[int]] = {}
        for row, mask in enumerate(masks):
            where.setdefault(mask, []).append(row)
        for mask, rows in where.items():
            unexplained[rows, step] = nested.unexplained(X[rows], Y[rows], mask)
    return np.take_along_axis(-np.diff(unexplained, axis=1), ranks, axis=1), n * d * (nested.inner - 1)
