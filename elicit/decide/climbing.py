"""Climbing: from the candidates that promise most one looks further around, as long as that brings new ones."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

import numpy as np

from elicit.subsets import Mask, simplest
from elicit.utility.monomials import Vector

#: From so many of the candidates that promise most one looks further around, at most so many times.
CLIMBERS, CLIMBS = 3, 6


def climbed(
    pool: list[Mask],
    gain: Callable[[list[Mask]], Vector],
    around: Callable[[Mask], Iterable[Mask]],
    new: Callable[[Mask], bool],
) -> list[Mask]:
    """The pool and what was found from it, by falling gain; of those equal the simplest first."""
    gains: dict[Mask, float] = {}
    looked: set[Mask] = set()
    for _ in range(1 + CLIMBS):
        if not pool:
            break
        gains.update(zip(pool, np.round(gain(pool), 9).tolist(), strict=True))
        tops = heapq.nsmallest(CLIMBERS, gains, key=lambda m: (-gains[m], simplest(m)))
        found = dict.fromkeys(m for top in tops if top not in looked for m in around(top))
        looked.update(tops)
        pool = [m for m in found if m not in gains and new(m)]
    return sorted(gains, key=lambda m: (-gains[m], simplest(m)))
