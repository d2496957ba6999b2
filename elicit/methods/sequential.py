"""Sequential selection: walks that add or remove the attributes that help most, step by step.

- `Sequential`: SFS and SBS; with `group` > 1 GSFS and GSBS, which take the best group of that many at once.
- `PlusMinus`: plus l, take away r, over and over (Stearns 1976).
- `Floating`: SFFS and SFBS: after each step, as many steps back as lead to the best subset of their size so
  far (Pudil, Novovičová, Kittler 1994).

Candidates of one step have one size, so that a value that weighs size orders them as the score does. A
walk goes through all sizes that matter to its goal; a growing one ends early once the goal is settled.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np

from elicit.errors import InputError
from elicit.methods.frame import Ended, Search, Space, best_of, better, none_measured
from elicit.numeric import whole
from elicit.subsets import Mask

Step = Generator[Sequence[Mask], Sequence[float], tuple[Mask, float]]


@dataclass(frozen=True)
class Sequential:
    """SFS from below or SBS from above, `group` attributes a step."""

    forward: bool = True
    group: int = 1

    def __post_init__(self) -> None:
        whole("group", self.group, 1)

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        current = space.from_below() if self.forward else space.from_above()
        value = (yield [current])[0] if current else None
        while value is None or not (self.forward and space.goal.settled(value)):
            size = current.bit_count()
            by = min(self.group, space.top - size if self.forward else size - space.bottom)
            if by <= 0:
                return Ended("the walk is complete")
            steps = space.larger(current, by) if self.forward else space.smaller(current, by)
            values = yield steps
            if (failed := none_measured(steps, values)) is not None:
                return failed
            current, value = best_of(steps, values)
        return Ended("the value was reached")


@dataclass(frozen=True)
class PlusMinus:
    """Adds `plus` attributes one by one, then takes `minus` away, and so on.

    With plus > minus it grows from below, else it shrinks from above. The last round is cut short so that
    it ends at the size that the goal wants.
    """

    plus: int = 2
    minus: int = 1

    def __post_init__(self) -> None:
        whole("plus", self.plus, 0)
        whole("minus", self.minus, 0)
        if self.plus == self.minus:
            raise InputError(f"plus {self.plus} and minus {self.minus} never come to an end; give different numbers")

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        grows = self.plus > self.minus
        current = space.from_below() if grows else space.from_above()
        value = (yield [current])[0] if current else None
        while value is None or not (grows and space.goal.settled(value)):
            size = current.bit_count()
            if size >= space.top if grows else size <= space.bottom:
                return Ended("the walk is complete")
            for larger, steps in self._round(space, size):
                for _ in range(steps):
                    options = space.larger(current) if larger else space.smaller(current)
                    values = yield options
                    if (failed := none_measured(options, values)) is not None:
                        return failed
                    current, value = best_of(options, values)
                    if grows and space.goal.settled(value):
                        return Ended("the value was reached")
        return Ended("the value was reached")

    def _round(self, space: Space, size: int) -> list[tuple[bool, int]]:
        """The next round from a subset of this size: which way (larger?) first, and how many steps each way."""
        if self.plus > self.minus:
            following = min(size + self.plus - self.minus, space.top)
            up = min(self.plus, following - size + self.minus, space.most - size)
            return [(True, up), (False, size + up - following)]
        following = max(size - self.minus + self.plus, space.bottom)
        down = min(self.minus, size - following + self.plus, size - space.least)
        return [(False, down), (True, following - (size - down))]


@dataclass(frozen=True)
class Floating:
    """SFFS from below or SFBS from above.

    A step back is taken when it leads to a better subset than the last one of its size. The first one after a
    step forth never takes back what that step took. Without `demanding` this is the rule of the authors. With it,
    which is mlxtend's rule and searches less, it must be better than any of its size so far, and than the subset it
    comes from, and no later one takes back what the step forth took either.
    """

    forward: bool = True
    demanding: bool = True

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        current = space.from_below() if self.forward else space.from_above()
        best: dict[int, float] = {}
        value = None
        if current:
            value = best[current.bit_count()] = (yield [current])[0]
        while value is None or not (self.forward and space.goal.settled(value)):
            size = current.bit_count()
            if size >= space.top if self.forward else size <= space.bottom:
                return Ended("the walk is complete")
            steps = space.larger(current) if self.forward else space.smaller(current)
            values = yield steps
            if (failed := none_measured(steps, values)) is not None:
                return failed
            before = current
            current, value = best_of(steps, values)
            size = current.bit_count()
            best[size] = max(value, best.get(size, value)) if self.demanding else value
            current, value = yield from self._back(space, current, value, current ^ before, best)
        return Ended("the value was reached")

    def _back(self, space: Space, current: Mask, value: float, taken: Mask, best: dict[int, float]) -> Step:
        """The steps back that pay; `taken` is the attribute of the step forth. `best`: value by size."""
        kept = taken
        while True:
            options = self._options(space, current, kept)
            if not options:
                return current, value
            back, new = best_of(options, (yield options))
            size = back.bit_count()
            pays = not self.demanding or better(new, value)
            if not pays or not better(new, best.get(size, -np.inf)):
                return current, value
            current, value = back, new
            best[size] = new
            kept = taken if self.demanding else 0

    def _options(self, space: Space, current: Mask, kept: Mask) -> list[Mask]:
        """One step back, but of the attribute `kept` (0: of any); none where two or fewer are in (backward: out)."""
        if self.forward:
            if (current & ~space.family.keep).bit_count() <= 2:
                return []
            return [mask for mask in space.smaller(current) if mask & kept == kept]
        if (space.family.largest & ~current).bit_count() <= 2:
            return []
        return [mask for mask in space.larger(current) if not mask & kept]
