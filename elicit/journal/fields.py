"""Fields: each kind of value is written and read by a function that also checks it.

A subset is a list of names in attribute order. What a reader returns is what was given to the writer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from elicit.errors import InputError
from elicit.events import Answer, Criterion
from elicit.subsets import Attributes, Mask

Json = Any


class About(Protocol):
    """What a field must know of its journal."""

    @property
    def attributes(self) -> Attributes:
        """The attributes that subsets are made of."""
        ...

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criteria that measurements are about."""
        ...


def kind_of(value: Json) -> str:
    """A value as an error names it."""
    return f"{value!r:.60}" if not isinstance(value, list | dict) else f"a {type(value).__name__}"


def integer(value: Json, _: About | None) -> int:
    """A whole number, and no truth value."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"expected a whole number, found {kind_of(value)}")
    return value


def text(value: Json, _: About) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InputError(f"expected a text, found {kind_of(value)}")
    return value


def number(value: Json, _: About | None = None) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"expected a number, found {kind_of(value)}")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise InputError(f"expected a finite number, found {kind_of(value)}")
    return found


def sequence(value: Json) -> Iterable[Json]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise InputError(f"expected a list, found {kind_of(value)}")
    return value


def _two(value: Json) -> tuple[Json, Json]:
    found = tuple(sequence(value))
    if len(found) != 2:
        raise InputError(f"expected two entries, found {len(found)}")
    return found


def _truth(value: Json) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, found {kind_of(value)}")
    return value


def _a_criterion(values: list[Json], header: About, may_be_empty: bool) -> list[Json]:
    """The values themselves when there is one for each criterion, or none where that is allowed."""
    wanted = len(header.criteria)
    if len(values) != wanted and (values or not may_be_empty):
        raise InputError(f"expected {wanted} entries, one a criterion, found {len(values)}")
    return values


def subset_out(mask: Json, header: About) -> list[str]:
    """The names of a subset."""
    return list(header.attributes.subset(mask))


def subset_in(names: Json, header: About) -> Mask:
    """The subset of these names, each once and in attribute order."""
    mask = header.attributes.mask(text(name, header) for name in sequence(names))
    if header.attributes.subset(mask) != tuple(names):
        raise InputError("expected attributes once each and in attribute order, found another order")
    return mask


def _criteria_out(values: Json, header: About) -> list[float]:
    return _a_criterion([number(value) for value in sequence(values)], header, may_be_empty=False)


def _folds_out(values: Json, header: About) -> list[list[float]]:
    folds = [[number(score) for score in sequence(scores)] for scores in sequence(values)]
    return _a_criterion(folds, header, may_be_empty=True)


def _spread_out(values: Json, header: About) -> list[float | None]:
    spread = [None if value is None else number(value) for value in sequence(values)]
    return _a_criterion(spread, header, may_be_empty=True)


def _answer_in(value: Json, header: About) -> Answer:
    try:
        return Answer(text(value, header))
    except ValueError:
        raise InputError(f"expected an answer ({', '.join(Answer)}), found {kind_of(value)}") from None


@dataclass(frozen=True)
class Codec:
    write: Callable[[Json, About], Json]
    read: Callable[[Json, About], Json]


INTEGER = Codec(integer, integer)
TEXT = Codec(text, text)
INTEGER_OR_NONE = Codec(
    lambda value, header: None if value is None else integer(value, header),
    lambda value, header: None if value is None else integer(value, header),
)
SUBSET = Codec(subset_out, subset_in)
SUBSETS = Codec(
    lambda masks, header: [subset_out(mask, header) for mask in sequence(masks)],
    lambda lists, header: tuple(subset_in(names, header) for names in sequence(lists)),
)
PAIR = Codec(
    lambda pair, header: None if pair is None else [subset_out(mask, header) for mask in _two(pair)],
    lambda pair, header: None if pair is None else tuple(subset_in(names, header) for names in _two(pair)),
)
PRICES = Codec(
    lambda priced, header: [[subset_out(mask, header), number(price)] for mask, price in map(_two, sequence(priced))],
    lambda priced, header: tuple(
        (subset_in(names, header), number(price)) for names, price in map(_two, sequence(priced))
    ),
)
INTEGERS = Codec(
    lambda values, header: [integer(value, header) for value in sequence(values)],
    lambda values, header: tuple(integer(value, header) for value in sequence(values)),
)
TRUTH = Codec(lambda value, _: _truth(value), lambda value, _: _truth(value))
ANSWER = Codec(lambda value, header: str(_answer_in(value, header)), _answer_in)
MEASURES = {
    "criteria": Codec(_criteria_out, lambda value, header: tuple(_criteria_out(value, header))),
    "folds": Codec(_folds_out, lambda value, header: tuple(map(tuple, _folds_out(value, header)))),
    "spread": Codec(_spread_out, lambda value, header: tuple(_spread_out(value, header))),
}


def plain(value: Json, what: str) -> Json:
    """A deep copy of `value` as JSON would return it, with sorted keys."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise InputError(f"{what}: expected texts as keys, found others")
        return {key: plain(value[key], f"{what}.{key}") for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [plain(item, what) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InputError(f"{what}: expected what JSON can hold, found {kind_of(value)}")
