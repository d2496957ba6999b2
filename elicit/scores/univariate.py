"""Scores of a column by itself, from means and variances: variance, correlation, Fisher, F and chi².

With n_c, μ_c, σ_c the rows, mean and deviation of a column in class c, and μ its mean over all C classes:

- variance: (1/n) Σ (x − μ)², whatever the target.
- correlation: |Pearson's r|; for more than two classes the correlation ratio
  √(Σ n_c (μ_c − μ)² / Σ (x − μ)²), which for two classes equals |r| with their codes.
- fisher: Σ n_c (μ_c − μ)² / Σ n_c σ_c².
- f: fisher · (n − C) / (C − 1), or r² / (1 − r²) · (n − 2) for a target of numbers.
- chi2: Σ_c (observed_c − expected_c)² / expected_c of the column's sums by class.

A constant column tells nothing and scores 0. A column that separates the classes with no spread within
scores infinity by fisher and f. By f, a sparse matrix is looked at some columns at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.feature_selection import chi2 as chi2_test

from elicit.errors import CellError, InputError
from elicit.scores.protocol import Floats, Table, centred, constant, numbers, table

#: Cells of a sparse matrix that are made dense at once.
CELLS_AT_ONCE = 1 << 18


def variance(X: Any, y: Any = None) -> Floats:  # noqa: ARG001  # every score takes a target
    """(1/n) Σ (x − μ)², one a column; the target is not looked at."""
    data = numbers(X)
    return np.where(constant(data), 0.0, data.var(axis=0))


def correlation(X: Any, y: Any, *, classes: bool | None = None) -> Floats:
    """|Pearson's r|, or the correlation ratio for classes; 0 for a constant column."""
    given = table(X, y, "correlation", classes=classes)
    between, within = _squares(given)
    return _ratio(np.sqrt(between), np.sqrt(between + within))


def fisher(X: Any, y: Any) -> Floats:
    """Σ n_c (μ_c − μ)² / Σ n_c σ_c², between the classes over within them."""
    return _ratio(*_squares(table(X, y, "fisher", "classes", instead="f")))


def f_statistic(X: Any, y: Any, *, classes: bool | None = None) -> Floats:
    """The F of an analysis of variance (classes), or of a regression on the column alone (numbers)."""
    given = table(X, y, "f", classes=classes, sparse=True)
    rows, groups = len(given.y), len(given.counts) if given.classes else 2
    if rows <= groups:
        raise InputError(f"f needs more rows than {groups}, found {rows}; add rows, or choose fisher or correlation")
    found = np.concatenate([_ratio(*_squares(replace(given, X=part))) for part in _dense_parts(given.X)])
    return found * ((rows - groups) / (groups - 1))


def chi2(X: Any, y: Any) -> Floats:
    """χ² of the column's sums by class; columns are counts, or at least not negative."""
    given = table(X, y, "chi2", "classes", instead="f")
    if (given.X < 0).any():
        row, column = np.argwhere(given.X < 0)[0]
        raise CellError(
            f"chi2 needs counts, but X is {given.X[row, column]:g} in row {row}, column {column}; "
            "shift the column to start at 0, or choose f",
            row,
            column,
        )
    varies = ~constant(given.X)  # a constant column of zeros has no expectation to compare with
    found = np.zeros(given.X.shape[1])
    if varies.any():
        found[varies] = chi2_test(given.X[:, varies], given.y)[0]
    rounding = len(given.X) * (4 * np.finfo(np.float64).eps) ** 2 * given.X.sum(axis=0)
    return np.where(found <= rounding, 0.0, found)


def _dense_parts(X: Any) -> Iterator[Floats]:
    """X itself or, where it is sparse, some of its columns at a time."""
    if isinstance(X, np.ndarray):
        yield X
        return
    by_column, at_once = X.tocsc(), max(1, CELLS_AT_ONCE // X.shape[0])
    for start in range(0, X.shape[1], at_once):
        yield np.ascontiguousarray(by_column[:, start : start + at_once].toarray())


def _squares(given: Table) -> tuple[Floats, Floats]:
    """Sums of squares of each column that the target explains, and those that it leaves, in one unit; 0 for a constant.

    What rounding alone can leave counts as nothing.
    """
    X = centred(given.X)
    if given.classes:
        member = np.equal.outer(np.arange(len(given.counts)), given.y).astype(np.float64)  # (classes, rows)
        means = member @ X / given.counts[:, None]
        explained, left = given.counts @ means**2, ((X - means[given.y]) ** 2).sum(axis=0)
    else:
        y = given.target
        slope = y @ X / (y @ y)
        explained, left = slope**2 * (y @ y), ((X - np.outer(y, slope)) ** 2).sum(axis=0)
    span = np.where(constant(given.X), 1.0, np.ptp(given.X, axis=0))
    digit = 4 * np.finfo(np.float64).eps
    noise = digit * (1 + np.abs(given.X).max(axis=0) / span)  # of one entry of X
    rounding = len(X) * noise**2
    # of the noise of the entries little falls to the target; to that, sums over the rows add their own
    nothing = (explained <= noise**2 + len(X) * digit**2) | (explained + left <= rounding)
    return np.where(nothing, 0.0, explained), np.where(left <= rounding, 0.0, left)


def _ratio(above: Floats, below: Floats) -> Floats:
    """above / below, 0 where there is nothing above, infinity where there is nothing below."""
    found = np.where(above > 0, np.inf, 0.0)
    np.divide(above, below, out=found, where=below > 0)
    return found
