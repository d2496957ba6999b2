"""Where a prior over attributes proposes to look, in a run that measures too little to find out by itself.

First a ladder: the prior's best 1, 2, 4, … attributes, and all of them. Then draws, of a random size, in which
an attribute is the likelier the better its rank. Without a prior draws are at even odds.

The rule: a prior says where to look and never what is found; it counts by its ranks alone. What it proposes
has at most a tenth as many attributes as there are rows: a prior has read the target, so that many
attributes of few rows score well for nothing (whoever wants all of them still finds them measured).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elicit.subsets import Family, Mask, mask_of
from elicit.utility.monomials import Vector
from elicit.utility.sampling import draw

#: Rows for each attribute of a subset that a prior proposes.
ROWS_AN_ATTRIBUTE = 10

#: Draws have at most so many times the attributes of the widest of the best: of a thousand attributes most are
#: noise, and a subset that holds a hundred of them is unlike all that was seen without being promising.
WIDER = 2


@dataclass(frozen=True)
class Outlook:
    """What a run starts with: how many draws, the prior (None: none), and the rows of the data (None: any)."""

    draws: int = 0
    prior: Vector | None = None
    rows: int | None = None

    def weights(self, n: int) -> Vector:
        """How much is expected of each attribute: 1 over its place by the prior."""
        return np.ones(n) if self.prior is None else 1.0 / places(self.prior)

    def ladder(self, family: Family) -> list[Mask]:
        """The attributes that the prior puts first: 1, 2, 4, … of them; and every one."""
        if self.prior is None:
            return []
        free = set(family.free)
        best = [i for i in np.argsort(-self.prior, kind="stable").tolist() if i in free]
        most = self.widest(family)
        found = [family.keep | mask_of(best[: 1 << k]) for k in range(most.bit_length())]
        everything = family.keep | mask_of(best)
        return list(dict.fromkeys(m for m in [*found, everything] if m in family))

    def widest(self, family: Family) -> int:
        """The most attributes, besides those kept, of a subset that the prior proposes."""
        most = family.room if self.rows is None else max(1, self.rows // ROWS_AN_ATTRIBUTE)
        return min(family.room, most)

    def drawn(self, family: Family, rng: np.random.Generator, around: Iterable[Mask] = ()) -> Mask:
        """A draw: with a prior of any size (in its logarithm), and the likelier the better its place.

        `around` are the best that were seen: a draw is not much larger than they are.
        """
        free = np.array(family.free, dtype=np.intp)
        if self.prior is None or not family.room:
            return draw("logistic", np.zeros(family.n), family, rng)
        seen = [WIDER * (mask & ~family.keep).bit_count() for mask in around]
        most = min(self.widest(family), max(seen, default=0) or family.n)
        size = round(float(np.exp(rng.uniform(0.0, np.log(most)))))
        arrival = rng.exponential(size=len(free)) / self.weights(family.n)[free]
        return family.keep | mask_of(free[np.argsort(arrival)[:size]].tolist())


def places(index: Vector) -> NDArray[np.intp]:
    """Rank of each attribute by a power index, from 1; equal ones in their order, since a rank is a place to look."""
    found = np.empty(len(index), dtype=np.intp)
    found[np.argsort(-index, kind="stable")] = np.arange(1, len(index) + 1)
    return found
