"""Local search for candidates of great expected gain: what is around the best few joins the pool, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from elicit.subsets import Mask, simplest
from elicit.utility.monomials import Vector

#: From so many of the candidates that promise most one looks further around, at most so many times.
CLIMBERS, CLIMBS = 3, 6

#: So many candidates are judged at once when what they promise may have become less.
JUDGED_AT_ONCE = 1000


@dataclass
class Candidates:
    """Subsets and what each promises."""

    subsets: list[Mask]
    gains: Vector

    def in_order(self) -> list[Mask]:
        """By falling gain; of those equal the simplest first."""
        return [self.subsets[k] for k in self._falling(np.argsort(-self.gains, kind="stable"))]

    def foremost(self, count: int) -> list[Mask]:
        """The first few of that order, without putting all the others in order."""
        least = np.partition(self.gains, -count)[-count] if len(self.gains) > count else -np.inf
        among = np.flatnonzero(self.gains >= least)
        return [self.subsets[k] for k in self._falling(among[np.argsort(-self.gains[among], kind="stable")])[:count]]

    def without(self, subset: Mask, gain: Callable[[list[Mask]], Vector]) -> Candidates:
        """The others, where none promises more than before: so many are judged anew that the foremost is known."""
        gone = self.subsets.index(subset)
        found = Candidates(self.subsets[:gone] + self.subsets[gone + 1 :], np.delete(self.gains, gone))
        order, judged = np.argsort(-found.gains, kind="stable"), 0
        most = -np.inf
        while judged < len(order) and most <= found.gains[order[judged]]:
            part = order[judged : judged + JUDGED_AT_ONCE]
            found.gains[part] = np.round(gain([found.subsets[k] for k in part]), 9)
            most, judged = max(most, found.gains[part].max()), judged + len(part)
        return found

    def _falling(self, order: NDArray[np.intp]) -> list[int]:
        """An order by falling gain, with the simplest first among equals."""
        found: list[int] = order.tolist()
        edges = [0, *(np.flatnonzero(np.diff(self.gains[order])) + 1).tolist(), len(found)]
        for a, b in pairwise(edges):
            if b - a > 1:
                found[a:b] = sorted(found[a:b], key=lambda k: simplest(self.subsets[k]))
        return found


def climbed(
    pool: Sequence[Mask],
    gain: Callable[[list[Mask]], Vector],
    around: Callable[[Mask], Iterable[Mask]],
    new: Callable[[Mask], bool],
) -> Candidates:
    """The pool and what was found from it."""
    found = Candidates([], np.zeros(0))
    known: set[Mask] = set()
    looked: set[Mask] = set()
    for _ in range(1 + CLIMBS):
        pool = list(dict.fromkeys(pool))
        if not pool:
            break
        found.subsets += pool
        known.update(pool)
        found.gains = np.append(found.gains, np.round(gain(pool), 9))
        tops = [m for m in found.foremost(CLIMBERS) if m not in looked]
        looked.update(tops)
        pool = [m for top in tops for m in around(top) if m not in known and new(m)]
    return found
