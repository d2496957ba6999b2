"""Correlations of the columns with each other and with the target: all that linear shares of variance need.

The rule: the target is scaled by its total variance, so that for any set u of columns the explained share is
R²(u) = Σ_k r_uk' R_uu⁺ r_uk. A target of classes is its indicator columns together, one a class; with two
classes that is the same as coding them 0 and 1. A constant column has correlation 0 with everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.scores.protocol import Floats, centred, table

#: A correlation matrix may differ from symmetry, a unit diagonal and [-1, 1] by this much.
_SLACK = 1e-8


@dataclass(frozen=True)
class Correlations:
    """R (d, d) of the columns (diagonal 1, or 0 for a constant column), r (d, t) with the scaled target."""

    R: Floats
    r: Floats

    def __post_init__(self) -> None:
        d = len(self.R)
        if self.R.shape != (d, d) or self.r.ndim != 2 or len(self.r) != d or d == 0:
            raise InputError(
                f"expected R of shape (d, d) and r of shape (d, targets), found {self.R.shape} and {self.r.shape}"
            )
        if not (np.isfinite(self.R).all() and np.isfinite(self.r).all()):
            raise InputError("a correlation is not finite; drop constant columns, or give them correlation 0")
        diagonal = np.diag(self.R)
        unit = np.minimum(np.abs(diagonal), np.abs(diagonal - 1)).max() <= _SLACK
        if not unit or np.abs(self.R - self.R.T).max() > _SLACK or np.abs(self.R).max() > 1 + _SLACK:
            raise InputError("R must be a correlation matrix: symmetric, within [-1, 1], with 1 on its diagonal")

    @classmethod
    def given(cls, R: Any, r: Any) -> Correlations:
        """From known correlations; r of shape (d,) is one target."""
        target = np.asarray(r, dtype=np.float64)
        return cls(np.asarray(R, dtype=np.float64), target.reshape(len(target), -1))


def correlations(X: Any, y: Any, by: str, classes: bool | None = None) -> Correlations:
    """Correlations of the data, for the score called `by`."""
    data = table(X, y, by, classes=classes)
    unit = unit_columns(data.X)
    target = indicators(data.y) if data.classes else data.target.reshape(-1, 1)
    moved = target - target.mean(axis=0)
    R = np.asarray(unit.T @ unit)
    np.fill_diagonal(R, np.round(np.diag(R)))  # 1, or 0 for a constant column
    return Correlations(np.clip(R, -1, 1), np.asarray(unit.T @ (moved / np.sqrt((moved**2).sum()))))


def unit_columns(X: Floats) -> Floats:
    """Centred columns of length 1; a constant column becomes 0. Safe for columns of any scale."""
    scaled = centred(X)
    length = np.sqrt((scaled**2).sum(axis=0))
    return np.asarray(scaled / np.where(length > 0, length, 1.0))


def indicators(codes: Any) -> Floats:
    """One 0/1 column a class."""
    return np.asarray(codes[:, None] == np.unique(codes), dtype=np.float64)
