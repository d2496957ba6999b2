"""A method of the frame: how it explores, how it evaluates, what it is after and when it stops.

What the oracle measures of a subset becomes one number by `value`, the greater the better; the default is
the first criterion as it is. `budget` bounds the subsets that may be measured; None lets the explorer end
by itself.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from elicit.errors import InputError
from elicit.methods.frame import Explorer
from elicit.methods.goals import Goal, Reaching, Sized, TradeOff
from elicit.numeric import is_number, whole
from elicit.subsets import Attributes, Mask

#: One number from a subset and its criteria, the greater the better.
Value = Callable[[Mask, Sequence[float]], float]


def first_criterion(subset: Mask, criteria: Sequence[float]) -> float:  # noqa: ARG001
    """The default value of a subset: its first criterion, of which more must be better."""
    return criteria[0]


@dataclass(frozen=True)
class Method:
    """How a method explores, values subsets, what it is after and when it stops.

    value: makes one number of a subset and its criteria. start: None is the explorer's own, nothing or everything.
    budget: the most subsets that may be measured; None lets the explorer end by itself.
    """

    name: str
    explorer: Explorer
    value: Value = first_criterion
    goal: Goal = field(default_factory=TradeOff)
    start: Mask | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        if self.budget is not None:
            whole("budget", self.budget, 1)
        if self.start is not None:
            whole("start, a mask,", self.start, 0)
        for what in ("explorer", "value"):
            if not callable(getattr(self, what)):
                raise InputError(f"the {what} of a method is a function, found {getattr(self, what)!r:.40}")
        if isinstance(self.goal, type) or not isinstance(self.goal, Goal):
            raise InputError(f"the goal of a method is a Goal, such as Sized(5) or TradeOff(), found {self.goal!r:.40}")

    def plain(self, attributes: Attributes) -> dict[str, Any]:
        """What identifies it in a journal, as JSON holds it; a budget may change, so it is not part of that."""
        start = None if self.start is None else list(attributes.subset(self.start)) if self.start else []
        return {"name": self.name, "choices": _choices(self.explorer), "goal": _plain(self.goal), "start": start}


def _choices(explorer: Explorer) -> dict[str, Any]:
    """The settings of an explorer that are plain values; numbers that JSON does not know are told by name."""
    fields: tuple[Any, ...] = dataclasses.fields(explorer) if dataclasses.is_dataclass(explorer) else ()
    found = {field.name: getattr(explorer, field.name) for field in fields}
    return {
        name: _finite(value)
        for name, value in found.items()
        if value is None or isinstance(value, int | float | str | tuple)
    }


def _finite(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_finite, value))
    return repr(float(value)) if is_number(value) and not math.isfinite(value) else value


def _plain(goal: Goal) -> dict[str, float]:
    match goal:
        case Sized(size):
            return {"size": size}
        case Reaching(least):
            return {"reach": least}
        case _:
            return {}
