"""Exact shares of a smooth function of few Gaussian inputs, by Gauss-Hermite quadrature: to judge estimates by.

X = μ + L Z with Z standard and L L' = Σ. With the inputs u first in the triangular L, the first |u| columns
of Z span what X_u says, so Var E[f(X) | X_u] is the variance, over them, of the mean over the others.

The rule: a product grid of `NODES` points an input; more inputs than `MOST_INPUTS` are refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial.hermite_e import hermegauss

from elicit.errors import InputError
from elicit.scores.inputs import Function, checked_answers, checked_moments, require_variance, scaled_to_units
from elicit.scores.moments import Correlations
from elicit.scores.protocol import Floats

#: Points an input: enough for functions that change a few times within their inputs' spread.
NODES = 48

#: Inputs are linearly dependent when a combination of them has a variance below this share.
SINGULAR = 1e-10

#: 48⁴ is five million points.
MOST_INPUTS = 4


def closed_indices(function: Function, mean: Any, covariance: Any) -> Floats:
    """Var E[f | X_u] / Var f for every subset u, shape (2^d,) by bit mask."""
    centre, cov = _checked_moments_of_few(mean, covariance)
    d = len(centre)
    found = np.zeros(1 << d)
    for mask in range(1, 1 << d):
        order = sorted(range(d), key=lambda j: not mask >> j & 1)
        X, weight = _grid(centre[order], cov[np.ix_(order, order)])
        Y = checked_answers(function, X[:, np.argsort(order)]).reshape((NODES,) * d)
        for _ in range(d - mask.bit_count()):
            Y = Y @ weight
        mean_of_y, square = Y, Y**2
        for _ in range(mask.bit_count()):
            mean_of_y, square = mean_of_y @ weight, square @ weight
        found[mask] = float(square - mean_of_y**2)
    require_variance(float(found[-1]))
    return np.asarray(found / found[-1])


def exact_correlations(function: Function, mean: Any, covariance: Any) -> Correlations:
    """Correlations of the inputs with each other and with the function."""
    centre, cov = _checked_moments_of_few(mean, covariance)
    X, weight = _grid(centre, cov)
    weights = weight
    for _ in range(len(centre) - 1):
        weights = np.multiply.outer(weights, weight).ravel()
    Y = checked_answers(function, X)
    Y = Y - weights @ Y
    scale = np.sqrt(np.diag(cov))
    r = (weights * Y) @ (X - centre) / scale / np.sqrt(weights @ Y**2)
    return Correlations.given(cov / np.outer(scale, scale), r)


def _checked_moments_of_few(mean: Any, covariance: Any) -> tuple[Floats, Floats]:
    centre, cov = checked_moments(mean, covariance)
    if len(centre) > MOST_INPUTS:
        raise InputError(f"quadrature takes at most {MOST_INPUTS} inputs, found {len(centre)}; use an estimate")
    if np.linalg.eigvalsh(scaled_to_units(cov)[0])[0] < SINGULAR:
        raise InputError("quadrature needs inputs of which none follows from the others; leave one out")
    return centre, cov


def _grid(mean: Floats, cov: Floats) -> tuple[Floats, Floats]:
    """All points (NODES^d, d), the last input fastest, and the weights of one axis, which sum to 1."""
    d = len(mean)
    nodes, weight = hermegauss(NODES)
    Z = np.stack([part.ravel() for part in np.meshgrid(*[nodes] * d, indexing="ij")], axis=1)
    return mean + Z @ np.linalg.cholesky(cov).T, np.asarray(weight / weight.sum())
