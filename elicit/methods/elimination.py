"""Recursive elimination (RFE): a model is fitted, its least important attributes go, and so on from above.

Which attributes go is the model's say alone; the oracle measures the subsets on the way, so that the
goal can choose among them. For a goal of one size only the last subset is measured. Where the model cannot be
fitted the elimination ends, and says so; what was on the way is measured all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from elicit.errors import InputError, ModelError
from elicit.methods.frame import Ended, Search, Space
from elicit.numeric import is_finite
from elicit.subsets import Mask, members

#: How the reason begins when an elimination ends because its model cannot be fitted.
HINDERED = "the elimination cannot go on"


@dataclass(frozen=True)
class Elimination:
    """RFE; `importance` gives one number for each attribute of a subset, in their order.

    step: how many attributes go at once, or, below 1, which share of all of them.
    Among equally important attributes the later ones go first.
    """

    importance: Callable[[Mask], Sequence[float]]
    step: float = 1

    def __post_init__(self) -> None:
        if not is_finite(self.step) or not (0 < self.step < 1 or (self.step >= 1 and self.step == int(self.step))):
            raise InputError(f"a step is a whole number of attributes, or a share below 1; found {self.step!r}")

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        wanted: list[Mask] = []
        hindrance = None
        try:
            wanted.extend(mask for mask in self._path(space) if mask.bit_count() <= space.top)
        except ModelError as error:
            hindrance = str(error)
        yield wanted
        if hindrance is not None:
            return Ended(f"{HINDERED}: {hindrance}")
        return Ended("the elimination is complete", wanted[-1] if space.bottom == space.top else None)

    def _path(self, space: Space) -> Iterator[Mask]:
        """From above down to the smallest size that matters."""
        current = space.from_above()
        step = max(1, int(self.step * space.family.n)) if self.step < 1 else int(self.step)
        yield current
        while current.bit_count() > space.bottom:
            current = self._reduced(space, current, min(step, current.bit_count() - space.bottom))
            yield current

    def _reduced(self, space: Space, current: Mask, by: int) -> Mask:
        """The subset without its `by` least important attributes, of those that need not be kept."""
        inside = members(current)
        importance = self.importance(current)
        if len(importance) != len(inside):
            raise InputError(f"expected an importance for each of {len(inside)} attributes, found {len(importance)}")
        free = [(value, -i) for i, value in zip(inside, importance, strict=True) if not space.family.keep >> i & 1]
        for _, negative in sorted(free)[:by]:
            current &= ~(1 << -negative)
        return current
