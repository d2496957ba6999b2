"""From interactions to a prior support of pairs: which two attributes a utility should let interact.

Any symmetric table of pair strengths will do: H-statistics (their strengths rather than their ratios, which
are large between attributes that hardly matter), or Sobol indices of second order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elicit.effects.interaction import Interactions
from elicit.errors import InputError


def pair_prior(
    interactions: Interactions | Any, *, count: int | None = None, share: float = 0.95
) -> tuple[tuple[int, int], ...]:
    """The strongest pairs (i < j), strongest first.

    interactions: the result of `h_statistic`, or a symmetric table (n, n) of strengths.
    count: how many; by default as few as hold `share` of the sum of squared strengths.
    """
    table = interactions.strengths if isinstance(interactions, Interactions) else np.asarray(interactions, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all():
        raise InputError(f"expected a square table of finite pair strengths, found shape {table.shape}")
    if not np.allclose(table, table.T):
        raise InputError("the table of pair strengths must be symmetric")
    if not 0 < share <= 1:
        raise InputError(f"share lies between 0 and 1, found {share}")
    above, beside = np.triu_indices(len(table), k=1)
    strength = np.maximum(table[above, beside], 0.0)  # an estimate below 0 is no interaction
    order = np.argsort(-strength, kind="stable")
    held = np.cumsum(strength[order] ** 2)
    total = held[-1] if len(held) else 0.0
    if count is None:
        count = int(np.searchsorted(held, share * total * (1 - 1e-12))) + 1 if total > 0 else 0
    elif isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InputError(f"count must be a whole number of at least 0, found {count!r}")
    return tuple((int(above[p]), int(beside[p])) for p in order[:count] if strength[p] > 0)
