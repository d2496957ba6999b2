"""The frame of every method: a search yields batches of subsets, is sent their values, and says why it ends.

    search = explorer(space, rng)
    batch = next(search)                         # subsets to evaluate, at once if there are workers
    while True:
        batch = search.send([value(subset) for subset in batch])      # StopIteration carries `Ended`

The rule: a search is deterministic in what it is sent and in its generator of random numbers, and knows
nothing of oracles, budgets or journals. So whoever drives it may answer from memory, stop it anywhere,
and take it up again by sending the same values once more. It may come back to what was measured, which costs
nothing, but when nothing new is left to it, it must end: no budget is ever spent then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from elicit.errors import InputError
from elicit.methods.goals import UNMEASURED, Goal, TradeOff, level
from elicit.printable import many
from elicit.subsets import Family, Mask, mask_of, members


@dataclass(frozen=True)
class Ended:
    """Why a search is over, and the subset that its own rule selects, where it has one besides the goal."""

    why: str
    chosen: Mask | None = None


Search = Generator[Sequence[Mask], Sequence[float], Ended]


class Explorer(Protocol):
    """How a method explores. It says by itself when nothing is left to explore."""

    def __call__(self, space: Space, rng: np.random.Generator) -> Search: ...


@dataclass(frozen=True)
class Space:
    """Where a search moves: the family, the goal, and the subset to start from (None: the method's own).

    Kept attributes are in every subset and dropped ones in none. A walk from above may pass through
    subsets larger than the family allows; they are measured and never recommended.
    `bounded`: whether somebody ends the search when its budget is spent.
    """

    family: Family
    goal: Goal = field(default_factory=TradeOff)
    start: Mask | None = None
    bounded: bool = False

    def __post_init__(self) -> None:
        if self.start is not None:
            if not 0 <= self.start < 1 << self.family.n:
                raise InputError(f"the start names attributes beyond the {self.family.n} there are")
            if self.start & self.family.drop:
                raise InputError("the start holds an attribute that is dropped; take it out of one of the two")
        if self.goal.smallest > self.most or (self.goal.largest is not None and self.goal.largest < self.least):
            sizes = f"{self.least} to {self.most}" if self.most > self.least else f"{self.least}"
            raise InputError(f"the goal is a size of {self.goal.smallest}, but the sizes here are {sizes}")

    @property
    def least(self) -> int:
        """The smallest size of the family."""
        return max(1, self.family.keep.bit_count())

    @property
    def most(self) -> int:
        """The largest size of the family."""
        return self.family.keep.bit_count() + self.family.room

    @property
    def bottom(self) -> int:
        """The smallest size that matters to the goal."""
        return max(self.least, self.goal.smallest)

    @property
    def top(self) -> int:
        """The largest size that matters to the goal."""
        return self.most if self.goal.largest is None else min(self.most, self.goal.largest)

    @property
    def origin(self) -> Mask:
        """The start with what is kept; it may be empty."""
        return self.family.keep | (self.start or 0)

    @property
    def begun_at(self) -> list[Mask]:
        """The start as what a search that draws measures first: nothing where none is given, or it is empty."""
        return [self.origin] if self.start is not None and self.origin else []

    def from_below(self) -> Mask:
        """Where a growing walk starts: what is kept, or the start; it may be empty."""
        size = self.origin.bit_count()
        if size > self.top:
            start = many(size, "attribute")
            raise InputError(f"the start has {start}, the walk only adds, but {self.top} is the most")
        return self.origin

    def from_above(self) -> Mask:
        """Where a shrinking walk starts: everything, or the start."""
        if self.start is None:
            return self.family.largest
        size = self.origin.bit_count()
        if size < self.bottom:
            raise InputError(
                f"the start has {many(size, 'attribute')}, the walk only removes, but {self.bottom} is the least"
            )
        return self.origin

    def larger(self, subset: Mask, by: int = 1) -> list[Mask]:
        """The subset with `by` attributes more, in every way; in mask order."""
        outside = members(self.family.largest & ~subset)
        return sorted(subset | mask_of(added) for added in combinations(outside, by))

    def smaller(self, subset: Mask, by: int = 1) -> list[Mask]:
        """The subset with `by` attributes fewer, in every way that leaves some; in mask order."""
        inside = members(subset & ~self.family.keep)
        found = (subset & ~mask_of(removed) for removed in combinations(inside, by))
        return sorted(mask for mask in found if mask)

    def admits(self, subset: Mask) -> bool:
        """Whether a subset is in the family and of a size that the goal wants."""
        return subset in self.family and self.bottom <= subset.bit_count() <= self.top

    def changes(self) -> list[Mask]:
        """The smallest changes, as masks of what to flip: one attribute, or two where the size is fixed."""
        return [mask_of(flipped) for flipped in combinations(self.family.free, 2 if self.bottom == self.top else 1)]

    def admitted(self) -> Iterator[Mask]:
        """All that are admitted, by size; as many as `count` says, whatever else the family holds."""
        kept = self.family.keep.bit_count()
        for size in range(self.bottom, self.top + 1):
            for added in combinations(self.family.free, size - kept):
                yield self.family.keep | mask_of(added)

    def count(self) -> int:
        """How many subsets there are in the family of the sizes that the goal wants."""
        return sum(self._ways)

    @cached_property
    def _ways(self) -> list[int]:
        """How many subsets of each size; each number from the one before, for they have hundreds of digits."""
        kept, free = self.family.keep.bit_count(), len(self.family.free)
        ways = [comb(free, self.bottom - kept)]
        for added in range(self.bottom - kept, self.top - kept):
            ways.append(ways[-1] * (free - added) // (added + 1))
        return ways

    def draw(self, rng: np.random.Generator) -> Mask:
        """One of those that `count` counts, each as likely as any other."""
        kept, free, ways, total = self.family.keep.bit_count(), self.family.free, self._ways, self.count()
        size = int(rng.choice(len(ways), p=[way / total for way in ways])) + self.bottom  # exact for any width
        return self.family.keep | mask_of(rng.choice(free, size - kept, replace=False) if size > kept else ())


def best_of(batch: Sequence[Mask], values: Sequence[float]) -> tuple[Mask, float]:
    """The subset of the greatest value: ties to fewer attributes, then to mask order."""
    return max(zip(batch, values, strict=True), key=lambda found: TradeOff().rank(*found))


def better(value: float, than: float) -> bool:
    """Whether a value is greater by more than the tolerance."""
    return level(value) > level(than)


def none_measured(batch: Sequence[Mask], values: Sequence[float]) -> Ended | None:
    """The end of a walk all of whose next steps failed; None when there is one to take."""
    if any(value > UNMEASURED for value in values):
        return None
    which = "the next subset could not" if len(batch) == 1 else f"none of the next {len(batch)} subsets could"
    return Ended(f"{which} be measured")
