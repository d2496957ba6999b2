"""Goals: what a method is after, so that any method can serve any of the three of the literature.

`Sized(k)`: the best subset of k attributes; `Reaching(γ)`: the smallest subset whose value reaches γ;
`TradeOff()`: the best value, where the value itself weighs score against size. A value is one number a
subset, more is better, equal at 1e-9; ties go to fewer attributes, then to mask order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from elicit.errors import InputError
from elicit.numeric import LARGEST_MEASURED, is_number, steps_of, whole, whole_in
from elicit.subsets import Mask

#: What orders subsets: the greater tuple is the better subset.
Rank = tuple[float, ...]

#: The value of a subset that could not be measured.
UNMEASURED = -math.inf


def level(value: float) -> float:
    """The value on its grid; what could not be measured stays below everything."""
    return steps_of(value) if math.isfinite(value) else value


@runtime_checkable
class Goal(Protocol):
    """What a method is after. Walks over sizes stay within `smallest` and `largest` (None: no bound)."""

    @property
    def smallest(self) -> int: ...
    @property
    def largest(self) -> int | None: ...
    def rank(self, subset: Mask, value: float) -> Rank:
        """The order among all subsets."""
        ...

    def met(self, subset: Mask, value: float) -> bool:
        """Whether this subset is what was asked for."""
        ...

    def settled(self, value: float) -> bool:
        """Whether a walk from small to large subsets may end once one of this value was found."""
        ...


@dataclass(frozen=True)
class TradeOff:
    """The best value of all."""

    smallest: ClassVar[int] = 1
    largest: ClassVar[int | None] = None

    def __str__(self) -> str:
        return "trade-off"

    def rank(self, subset: Mask, value: float) -> Rank:
        return level(value), -subset.bit_count(), -subset

    def met(self, subset: Mask, value: float) -> bool:  # noqa: ARG002
        return value > UNMEASURED

    def settled(self, value: float) -> bool:  # noqa: ARG002
        return False


@dataclass(frozen=True)
class Sized:
    """The best subset of exactly `size` attributes; until there is one, the nearest in size."""

    size: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", whole("size", self.size, 1))

    def __str__(self) -> str:
        return f"size:{self.size}"

    @property
    def smallest(self) -> int:
        return self.size

    @property
    def largest(self) -> int:
        return self.size

    def rank(self, subset: Mask, value: float) -> Rank:
        off = abs(subset.bit_count() - self.size) if value > UNMEASURED else math.inf
        return -off, level(value), -subset.bit_count(), -subset

    def met(self, subset: Mask, value: float) -> bool:
        return subset.bit_count() == self.size and value > UNMEASURED

    def settled(self, value: float) -> bool:  # noqa: ARG002
        return False


@dataclass(frozen=True)
class Reaching:
    """The smallest subset whose value is at least `least`; until there is one, the best value."""

    least: float
    smallest: ClassVar[int] = 1
    largest: ClassVar[int | None] = None

    def __post_init__(self) -> None:
        if not is_number(self.least) or not abs(self.least) < LARGEST_MEASURED:  # NaN fails here, too
            raise InputError(
                f"the value to reach is a finite number below {LARGEST_MEASURED:g}, found {self.least!r:.40}"
            )
        object.__setattr__(self, "least", float(self.least))

    def __str__(self) -> str:
        return f"reach:{self.least!r}"

    def rank(self, subset: Mask, value: float) -> Rank:
        if self.settled(value):
            return 1.0, -subset.bit_count(), level(value), -subset
        return 0.0, level(value), -subset.bit_count(), -subset

    def met(self, subset: Mask, value: float) -> bool:  # noqa: ARG002
        return self.settled(value)

    def settled(self, value: float) -> bool:
        return level(value) >= level(self.least)


def goal_from(text: str) -> Goal:
    """The goal that "size:6", "reach:0.97" or "trade-off" says."""
    kind, _, number = text.partition(":")
    if text == "trade-off":
        return TradeOff()
    if kind == "size" and (size := whole_in(number)):
        return Sized(size)
    if kind == "reach":
        try:
            return Reaching(float(number))
        except ValueError:  # an InputError of ours is one, too: the same words serve both
            pass
    raise InputError(f'a goal is "size:6", "reach:0.97" (with your numbers) or "trade-off", found {text!r:.40}')
