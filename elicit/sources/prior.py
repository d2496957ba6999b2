"""A prior by name: an attribute score of the data behind an oracle, by whose ranks a run looks first."""

from __future__ import annotations

from collections.abc import Sequence

from elicit.data import Data, refuse_gaps
from elicit.scores.protocol import Floats
from elicit.scores.registry import score_named, taking_gaps


def prior_named(name: str, data: Data, positions: Sequence[Sequence[int]], *, key: str, otherwise: str) -> Floats:
    """One number an attribute; `positions` are the columns of each.

    Gaps are refused where the score takes none: `key` is what names it, `otherwise` another remedy.
    """
    measure = score_named(name)
    if not measure.gaps:
        refuse_gaps(key, data.gap, f"use {' or '.join(taking_gaps(data.classes))}, or {otherwise}")
    return measure.power_index(data.X, data.y, positions, classes=data.classes)
