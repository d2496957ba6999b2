"""Johnson's relative weights: a share of R² for each column at the price of one eigendecomposition.

The columns are replaced by Z = U R^-½, the orthonormal ones nearest to them (U standardised columns, R their
correlations); R² splits cleanly over Z, and each part is given back by the squared correlations of Z with the
columns (Johnson 2000):  J = (R^½)∘² (R^-½ r)∘².  The shares sum to R².

Johnson equals LMG for two columns and for uncorrelated ones, not in general: with random correlations of 3 to
12 columns the largest gap is 1.3 to 2.1 points of R² in the median (`bench_importance.py` prints it).

The rule: what eigenvalues below `FLOOR` of the largest carry is rounding and counts as nothing, which makes
duplicated columns and fewer rows than columns safe; a constant column gets 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from elicit.scores.moments import Correlations, correlations
from elicit.scores.protocol import Floats, without_rounding

#: The smallest eigenvalue that counts, as a share of the largest.
FLOOR = 1e-12


def johnson(X: Any, y: Any, *, classes: bool | None = None) -> Floats:
    """Shares of R², one a column; `classes` says whether y holds classes (None decides)."""
    return johnson_of(correlations(X, y, "johnson", classes))


def johnson_of(known: Correlations) -> Floats:
    """Shares of R² from correlations alone."""
    root, inverse = roots(known.R)
    weights = ((inverse @ known.r) ** 2).sum(axis=1)  # the part of R² of each column of Z
    return without_rounding(root**2 @ weights)


def roots(R: Floats) -> tuple[Floats, Floats]:
    """R^½ and the pseudo-inverse R^-½ of a symmetric matrix without negative eigenvalues, both (d, d)."""
    values, vectors = eigh(R, driver="evd")
    kept = values > FLOOR * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    root = np.sqrt(values)
    return np.asarray((vectors * root) @ vectors.T), np.asarray((vectors / root) @ vectors.T)
