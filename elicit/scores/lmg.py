"""LMG: the share of R² of each attribute, averaged over every order in which a linear model may take them.

LMG_i is the Shapley value of the game R²(u) (Lindeman, Merenda, Gold 1980; "dominance analysis", "Shapley
regression"). All 2^d values are computed at once, breadth first: each attribute is either skipped or swept
out of the matrix [R r; r' 1] (a Schur complement), about 6·2^d multiplications in all. The shares sum to R².

The rule: a column whose variance the columns already in explain to all but `PIVOT` adds nothing. So
duplicated columns share equally, constant ones get 0, and with fewer rows than columns R² ends at 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.scores.games import shapley_of_game
from elicit.scores.moments import Correlations, correlations
from elicit.scores.protocol import Floats, Groups, columns_of_groups, without_rounding

#: The share of a column's variance that must be left for it to be swept.
PIVOT = 1e-10

#: The most numbers that are kept at once (a gigabyte); 24 attributes of one column each need 19 million.
MOST_KEPT = 1 << 27

#: More attributes than this have too many subsets to compute all of them (2^24: some seconds and a gigabyte).
MOST_ATTRIBUTES = 24


def lmg(X: Any, y: Any, *, classes: bool | None = None, groups: Groups | None = None) -> Floats:
    """Shares of R², one an attribute; `classes` says whether y holds classes (None decides)."""
    return lmg_of(correlations(X, y, "lmg", classes), groups)


def lmg_of(known: Correlations, groups: Groups | None = None) -> Floats:
    """Shares of R² from correlations alone."""
    return without_rounding(shapley_of_game(explained_by_subsets(known, groups)))


def explained_by_subsets(known: Correlations, groups: Groups | None = None) -> Floats:
    """R²(u) for every subset u of the attributes, shape (2^n,), by bit mask."""
    held = columns_of_groups(groups, len(known.R))
    if len(held) > MOST_ATTRIBUTES:
        raise InputError(
            f"lmg looks at all subsets and takes at most {MOST_ATTRIBUTES} attributes, found {len(held)}; "
            "use johnson, another share of R² that has no such limit, or fewer attributes"
        )
    widest = sorted(range(len(held)), key=lambda attribute: -len(held[attribute]))  # while there are few subsets
    explained = _explained(known, [held[attribute] for attribute in widest])
    last = len(held) - 1  # the axis of the attribute met first
    axes = [last - widest.index(attribute) for attribute in range(len(held))]
    return np.asarray(explained.reshape((2,) * len(held)).transpose(axes[::-1]).ravel())


def _explained(known: Correlations, held: list[list[int]]) -> Floats:
    """The same by bit mask of the groups as they are met."""
    ahead = np.cumsum([len(group) for group in held[::-1]])[::-1]  # columns left before each group
    most = max(int(width) ** 2 << met for met, width in enumerate(ahead))
    if most > MOST_KEPT:
        raise InputError(
            f"lmg keeps what is left of every two columns beside every subset, here {most} numbers of at most "
            f"{MOST_KEPT}; use johnson, fewer attributes or narrower groups"
        )
    order = [column for group in held for column in group]
    # the last axis runs over the subsets of the attributes met so far; what is left of each column and target
    left = known.R[np.ix_(order, order)][:, :, None]
    with_target = known.r[order][:, :, None]
    explained = np.zeros(1)
    for group in held:
        swept, swept_target, more = left, with_target, explained
        for _ in group:
            swept, swept_target, gain = _sweep(swept, swept_target)
            more = more + gain
        k = len(group)
        left = np.concatenate([left[k:, k:], swept], axis=2)
        with_target = np.concatenate([with_target[k:], swept_target], axis=2)
        explained = np.concatenate([explained, more])
    return explained


def _sweep(left: Floats, with_target: Floats) -> tuple[Floats, Floats, Floats]:
    """The sweep operator: the first column swept out of left (m, m, B) and with_target (m, t, B).

    left: what remains of the correlations of columns, by subset; with_target: of those with the target. The third
    result (B,) is what the column explains.
    """
    pivot = left[0, 0]
    weight = np.divide(1.0, pivot, out=np.zeros_like(pivot), where=pivot > PIVOT)
    row, target = left[0, 1:], with_target[0]
    scaled = row * weight
    gain: Floats = (target**2).sum(axis=0) * weight
    return left[1:, 1:] - scaled[:, None] * row[None], with_target[1:] - scaled[:, None] * target[None], gain
