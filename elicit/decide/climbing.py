"""Local search for candidates of great expected gain: what is around the best few joins the pool, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

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
    subsets: list[Mask] = []
    gains: Vector = np.zeros(0)
    known: set[Mask] = set()
    looked: set[Mask] = set()
    for _ in range(1 + CLIMBS):
        pool = list(dict.fromkeys(m for m in pool if m not in known))
        if not pool:
            break
        subsets += pool
        known.update(pool)
        gains = np.append(gains, np.round(gain(pool), 9))
        tops = [m for m in _foremost(subsets, gains, CLIMBERS) if m not in looked]
        looked.update(tops)
        pool = [m for top in tops for m in around(top) if m not in known and new(m)]
    return [subsets[k] for k in _falling(subsets, gains, np.argsort(-gains, kind="stable"))]


def _foremost(subsets: Sequence[Mask], gains: Vector, count: int) -> list[Mask]:
    """The first few by falling gain, without putting all the others in order."""
    least = np.partition(gains, -count)[-count] if len(gains) > count else -np.inf
    among = np.flatnonzero(gains >= least)
    return [subsets[k] for k in _falling(subsets, gains, among[np.argsort(-gains[among], kind="stable")])[:count]]


def _falling(subsets: Sequence[Mask], gains: Vector, order: NDArray[np.intp]) -> list[int]:
    """An order by falling gain, with the simplest first among equals."""
    found: list[int] = order.tolist()
    edges = [0, *(np.flatnonzero(np.diff(gains[order])) + 1).tolist(), len(found)]
    for a, b in pairwise(edges):
        if b - a > 1:
            found[a:b] = sorted(found[a:b], key=lambda k: simplest(subsets[k]))
    return found
