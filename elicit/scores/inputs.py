"""Inputs of a function under study: X = μ + D R^½ Z, with columns of Z that are drawn one by one.

From a sample, Z = U R^-½ (U standardised) holds the uncorrelated columns nearest to the inputs, and each
column of Z is drawn through its own empirical quantiles. Gaussian inputs have Gaussian columns of Z.

The rule: uncorrelated is not independent. Where the ranks of the columns of Z (or their sizes) are
associated beyond chance, and those of the inputs as well, a `DependenceWarning` says that splitting variance over Z is
not exact. The inputs are looked at because Z takes their correlations out, those by chance, too: each of its columns
then holds a trace of the others, by which those of equal values, or of a few very large ones, are ranked.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from elicit.errors import InputError
from elicit.numeric import LARGEST
from elicit.scores.johnson import roots
from elicit.scores.moments import unit_columns
from elicit.scores.protocol import Floats, Ints, constant, numbers

#: f(X (rows, d)) -> (rows,).
Function = Callable[[Floats], Any]

#: How small the probability of an association as large must be, over all pairs, for a warning.
LEVEL = 1e-3

#: Correlations may differ from symmetric ones without negative eigenvalues by this much.
_SLACK = 1e-10


class DependenceWarning(UserWarning):
    """Two columns of Z are uncorrelated but not independent; whoever knows what their inputs are called may say so."""

    def __init__(self, text: str, first: int = 0, second: int = 0) -> None:
        super().__init__(text, first, second)

    def __str__(self) -> str:
        return str(self.args[0])

    def called(self, names: Sequence[str]) -> str:
        """The text with the names of the inputs, of which Z has the uncorrelated parts."""
        text, first, second = self.args
        return str(text).replace(
            f"columns {first} and {second} of Z",
            f"the parts of {names[first]} and {names[second]} that no other shares",
        )


@dataclass(frozen=True)
class Inputs:
    """mean (d,), scale D (d,), root R^½ (d, d), and the sorted columns of Z (n, d), None when Gaussian."""

    mean: Floats
    scale: Floats
    root: Floats
    columns: Floats | None = None

    @property
    def d(self) -> int:
        """The number of inputs."""
        return len(self.mean)

    @property
    def weights(self) -> Floats:
        """(R^½)∘²: the part of each column of Z (second axis) that belongs to each input (first axis)."""
        return np.asarray(self.root**2)

    def quantiles(self, u: Floats) -> Floats:
        """Z (rows, d) from numbers in [0, 1)."""
        if self.columns is None:
            return np.asarray(ndtri(u))
        at = (u * len(self.columns)).astype(np.intp)
        return np.take_along_axis(self.columns, at, axis=0)

    def draw(self, rows: int, rng: np.random.Generator) -> Floats:
        """Independent columns of Z, (rows, d)."""
        if self.columns is None:
            return rng.standard_normal((rows, self.d))
        return self.quantiles(rng.random((rows, self.d)))

    def of(self, Z: Floats) -> Floats:
        """X = μ + D R^½ Z, one row each."""
        return np.asarray(self.mean + (Z @ self.root) * self.scale)


def gaussian_inputs(mean: Any, covariance: Any) -> Inputs:
    """Gaussian inputs; the covariance may be singular."""
    centre, cov = checked_moments(mean, covariance)
    scale = np.sqrt(np.diag(cov))
    if not (scale > 0).all():
        raise InputError(f"input {int(np.argmin(scale))} has no variance; leave it out")
    return Inputs(centre, scale, roots(cov / np.outer(scale, scale))[0])


def checked_moments(mean: Any, covariance: Any) -> tuple[Floats, Floats]:
    """mean (d,) and covariance (d, d), which must be symmetric without negative eigenvalues."""
    centre, cov = np.asarray(mean, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    if centre.ndim != 1 or cov.shape != (len(centre), len(centre)) or len(centre) == 0:
        raise InputError(f"expected d means and a (d, d) covariance, found shapes {centre.shape} and {cov.shape}")
    if not (np.isfinite(centre).all() and np.isfinite(cov).all()):
        raise InputError("the means and the covariance must be finite")
    unit = scaled_to_units(cov)[0]
    if (np.diag(cov) < 0).any() or np.abs(unit - unit.T).max() > _SLACK or np.linalg.eigvalsh(unit)[0] < -_SLACK:
        raise InputError("the covariance must be symmetric, without negative eigenvalues")
    return centre, cov


def scaled_to_units(covariance: Floats) -> tuple[Floats, Floats]:
    """The covariance of the inputs in units of their deviations, and these units; 1 where there is no variance."""
    variances = np.diag(covariance)
    units = np.sqrt(np.where(variances > 0, variances, 1.0))
    return np.asarray(covariance / np.outer(units, units)), np.asarray(units)


def inputs_of_sample(X: Any, *, independent: bool = False, places: Ints | None = None) -> Inputs:
    """Inputs with the correlations of a sample; `independent` takes its columns as they are, as independent.

    places: the positions by which a warning calls the columns, where X is what varies of a wider table.
    """
    data = numbers(X)
    n, d = data.shape
    if constant(data).any():
        raise InputError(f"column {int(np.argmax(constant(data)))} of X holds one value only; leave it out")
    mean, scale = data.mean(axis=0), data.std(axis=0)
    unit = unit_columns(data) * np.sqrt(n)
    if independent:
        return Inputs(mean, scale, np.eye(d), np.sort(unit, axis=0))
    root, inverse = roots(np.asarray(unit.T @ unit) / n)
    if np.linalg.matrix_rank(root, tol=1e-6) < d:
        which = f"{d} columns of X" if places is None else f"{d} columns of X that vary"
        raise InputError(
            f"the {which} hold fewer independent directions (duplicates, fewer rows than columns, or the "
            "columns of one text column); leave columns out until none follows from the others, or use johnson or lmg"
        )
    Z = unit @ inverse
    if _association(unit)[0] > _chance(unit):
        warn_of_dependence(Z, places)
    return Inputs(mean, scale, root, np.sort(Z, axis=0))


def warn_of_dependence(Z: Floats, places: Ints | None = None) -> None:
    """Warn when the ranks of two columns, or of their distances from the centre, are associated beyond chance."""
    (worst, (i, j)), limit = _association(Z), _chance(Z)
    if worst > limit:
        first, second = (i, j) if places is None else (int(places[i]), int(places[j]))
        text = (
            f"columns {first} and {second} of Z are uncorrelated but not independent (rank association "
            f"{worst:.2f}, chance stays below {limit:.2f}); the shares treat them as independent"
        )
        warnings.warn(DependenceWarning(text, first, second), stacklevel=3)


def _association(columns: Floats) -> tuple[float, tuple[int, int]]:
    """The largest rank correlation of two columns, or of their distances from the centre, and which two they are."""
    worst, where = 0.0, (0, 0)
    for each in (columns, np.abs(columns - np.median(columns, axis=0))):
        ranks = unit_columns(rankdata(each, axis=0))
        between = np.abs(np.triu(ranks.T @ ranks, k=1))
        i, j = np.unravel_index(int(between.argmax()), between.shape)
        if between[i, j] > worst:
            worst, where = float(between[i, j]), (int(i), int(j))
    return worst, where


def _chance(columns: Floats) -> float:
    """What the largest rank correlation stays below by chance, but for a share `LEVEL`; infinite for one column.

    Under independence a rank correlation times √(n−1) is about standard normal, whatever the distributions.
    """
    n, d = columns.shape
    return np.inf if d < 2 else -float(ndtri(LEVEL / 2 / (d * (d - 1)))) / np.sqrt(n - 1)


def checked_answers(function: Function, X: Floats) -> Floats:
    """The function's answers, checked: one finite number a row."""
    answer = np.asarray(function(X), dtype=np.float64)
    if answer.shape != (len(X),):
        raise InputError(f"the function must give one number a row, found shape {answer.shape} for {len(X)} rows")
    if not np.isfinite(answer).all():
        raise InputError("the function gives numbers that are not finite; look at its inputs")
    if (np.abs(answer) > LARGEST).any():
        raise InputError(f"the function gives {np.abs(answer).max():g}, which is too large to square; rescale it")
    return answer


def require_variance(variance: float) -> None:
    """Refuse a function that gives nothing to share."""
    if not variance > 0:
        raise InputError(
            "the function gives the same number at every input that was looked at, so there is no variance to share; "
            "where it varies, give more runs or rows"
        )
