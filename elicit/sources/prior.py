"""A prior by name: an attribute score of the data behind an oracle, by whose ranks a run looks first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elicit.data import Data, refuse_gaps, without
from elicit.errors import columns_called
from elicit.oracles.columns import columns_of
from elicit.scores.protocol import Floats
from elicit.scores.registry import score_named, taking_gaps


def prior_named(name: str, data: Data, *, dropped: Sequence[str] = (), key: str, otherwise: str) -> Floats:
    """One number an attribute; what is dropped is not looked at, and has the least of all.

    Gaps are refused where the score takes none: `key` is what names it, `otherwise` another remedy.
    """
    left, measure = without(data, dropped), score_named(name)
    if not measure.gaps:
        refuse_gaps(key, left.gap, f"use {' or '.join(taking_gaps(data.classes))}, or {otherwise}")
    columns = columns_of(left.X, left.columns, left.groups)
    with columns_called(left.columns):
        found = measure.power_index(left.X, left.y, columns.positions, classes=data.classes)
    known = dict(zip(columns.attributes.names, found.tolist(), strict=True))
    every = columns_of(data.X, data.columns, data.groups).attributes.names
    return np.array([known.get(name, found.min()) for name in every])
