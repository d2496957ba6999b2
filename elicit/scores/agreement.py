"""Scores side by side: ranks, how far they agree, and a score as the power index of a start.

The rule: rank 1 is the best; equal scores share the mean of their ranks, and scores that differ in rounding alone are
equal: a column in centimetres ranks no differently from the same in inches. Agreement is Spearman's ρ and
Kendall's τ_b of two rankings; a score that is the same for every attribute ranks nothing and agrees with
nothing (NaN). Infinity is a score like any other: the best there is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import kendalltau, rankdata

from elicit.scores.protocol import Floats

#: Significant digits of a score that count; those after them differ from library to library.
DIGITS = 10


def _rounded(values: Floats) -> Floats:
    """Scores rounded to the digits that count."""
    return np.array([float(f"{value:.{DIGITS}g}") for value in np.asarray(values, dtype=np.float64).tolist()])


def ranks(values: Floats, higher_is_better: bool = True) -> Floats:
    """Rank of each attribute, from 1."""
    values = _rounded(values)
    found: Floats = rankdata(-values if higher_is_better else values)
    return found


def spearman(rankings: Sequence[Floats]) -> Floats:
    """(scores, scores): Pearson's r of the ranks, 1 on the diagonal of a score that ranks anything."""
    centred = np.array([ranking - ranking.mean() for ranking in rankings])
    length = np.sqrt((centred**2).sum(axis=1))
    length[length == 0] = np.nan
    unit = centred / length[:, None]
    return np.asarray(np.clip(unit @ unit.T, -1.0, 1.0))


def kendall(rankings: Sequence[Floats]) -> Floats:
    """(scores, scores): τ_b, which allows for equal ranks."""
    found = np.full((len(rankings),) * 2, np.nan)
    for i, a in enumerate(rankings):
        for j, b in enumerate(rankings[: i + 1]):
            if np.ptp(a) > 0 and np.ptp(b) > 0:
                found[i, j] = found[j, i] = kendalltau(a, b).statistic
    return found


def as_power_index(values: Floats, higher_is_better: bool = True) -> Floats:
    """Mean 0, deviation 1, higher is better: what a law draws subsets from.

    Infinity counts as a number that is larger than the largest by as much as this is larger than the smallest.
    """
    better = _rounded(values if higher_is_better else -values)
    finite = better[np.isfinite(better)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    beyond = (high - low) or max(abs(high), 1.0)
    better = np.clip(better, low - beyond, high + beyond)
    better = better / max(np.abs(better).max(), np.finfo(np.float64).tiny)  # its squares should exist
    centred = better - better.mean()
    deviation = better.std()
    # rounded, for a journal of a run names the prior that it was begun with
    return np.round(centred / deviation, 9) if deviation > 1e-12 else np.zeros_like(better)
