"""FOCUS: the smallest subsets on which no two cases agree that differ in class (Almuallim, Dietterich 1991).

Every pair of cases that must be told apart needs one of the attributes that tell it apart. So instead of
looking at every subset of a size, the search takes a pair that is not told apart yet and tries each of its
attributes in turn; having tried one, it leaves it out, so that it meets every consistent subset once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from elicit.errors import InputError
from elicit.methods.consistency import Inconsistency, Pairs
from elicit.methods.frame import Ended, Search, Space, best_of, none_measured
from elicit.numeric import is_number
from elicit.printable import many
from elicit.subsets import Mask, mask_of, members

#: Subsets that a search looks at before it gives up: some seconds for a few hundred cases.
LARGEST_SEARCH = 1 << 17

#: So many pairs that agree nearly always show that a subset to which nothing may be added is not consistent.
_FIRST = 64


@dataclass(frozen=True)
class Focus:
    """All consistent subsets of the smallest size that has one; the oracle chooses among them.

    most: the inconsistency at which a subset still counts as consistent. Above 0 every subset is looked at.
    """

    inconsistency: Inconsistency
    most: float = 0.0

    def __post_init__(self) -> None:
        if not is_number(self.most) or not self.most >= 0:  # NaN fails here, too
            raise InputError(f"most is an inconsistency of at least 0, found {self.most!r}")

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        whole = self.inconsistency(space.family.largest)
        if whole > self.most:
            most = "all that may be chosen" if space.family.drop else "all attributes"
            return Ended(f"no subset is consistent: even {most} leave an inconsistency of {whole:.4g}")
        first, effort = space.from_below(), _Effort()
        outside = space.family.largest & ~first
        search = self._exactly if self.most == 0 else self._nearly
        for size in range(max(space.bottom, first.bit_count()), space.top + 1):
            try:
                batch = sorted(search(first, size - first.bit_count(), outside, effort))
            except _TooManyError as error:
                return Ended(str(error))
            if not batch:
                continue
            values = yield batch
            if (failed := none_measured(batch, values)) is not None:
                return failed
            chosen, value = best_of(batch, values)
            if space.goal.settled(value) or not space.goal.settled(math.inf):
                were = "were" if len(batch) > 1 else "was"
                return Ended(f"{many(len(batch), 'smallest consistent subset')} {were} evaluated", chosen)
        return Ended(f"no subset of at most {many(space.top, 'attribute')} is consistent and reaches the goal")

    def _exactly(self, subset: Mask, more: int, outside: Mask, effort: _Effort) -> Iterator[Mask]:
        """The consistent subsets with `more` attributes more, of those outside."""
        return self._telling_apart(self.inconsistency.agreeing(subset), subset, more, outside, effort)

    def _telling_apart(self, agree: Pairs, subset: Mask, more: int, outside: Mask, effort: _Effort) -> Iterator[Mask]:
        """The same for a subset on which these pairs agree."""
        effort.spend(1)
        if not agree.size:
            effort.spend(math.comb(outside.bit_count(), more) - 1)
            yield from (subset | mask_of(added) for added in combinations(members(outside), more))
        elif more > 0:
            for i in members(self.inconsistency.clash_among(agree) & outside):
                outside &= ~(1 << i)
                left = self.inconsistency.still_agreeing(agree[:_FIRST] if more == 1 else agree, i)
                if more == 1 and not left.size:
                    left = self.inconsistency.still_agreeing(agree, i)
                yield from self._telling_apart(left, subset | 1 << i, more - 1, outside, effort)

    def _nearly(self, subset: Mask, more: int, outside: Mask, effort: _Effort) -> Iterator[Mask]:
        """The nearly consistent subsets with `more` attributes more, by looking at all."""
        effort.spend(math.comb(outside.bit_count(), more))
        masks = (subset | mask_of(added) for added in combinations(members(outside), more))
        return (mask for mask in masks if self.inconsistency(mask) <= self.most)


class _TooManyError(Exception):
    """The search would look at more subsets than it may; its text says so, and what would help."""


@dataclass
class _Effort:
    """How many subsets were looked at."""

    looked: int = 0

    def spend(self, subsets: int) -> None:
        self.looked += subsets
        if self.looked > LARGEST_SEARCH:
            raise _TooManyError(
                f"the smallest consistent subsets are not found by looking at {LARGEST_SEARCH} subsets; "
                "tolerate less distance, drop attributes, or take another method"
            )
