"""Fields: how each kind of value is written as JSON and read back; both directions check it.

A subset is written as a list of names in attribute order. What is read equals what was written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from elicit.errors import InputError
from elicit.events import Answer
from elicit.journal.plain import Json, shown_value
from elicit.journal.record import Header
from elicit.subsets import Mask


def integer(value: Json, _: Header | None) -> int:
    """A whole number; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"expected a whole number, found {shown_value(value)}")
    return value


def _integer_or_none(value: Json, header: Header) -> int | None:
    return None if value is None else integer(value, header)


def text(value: Json, _: Header) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InputError(f"expected a text, found {shown_value(value)}")
    return value


def number(value: Json) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"expected a number, found {shown_value(value)}")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise InputError(f"expected a finite number, found {shown_value(value)}")
    return found


def sequence(value: Json) -> Iterable[Json]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise InputError(f"expected a list, found {shown_value(value)}")
    return value


def _pair_of(value: Json) -> tuple[Json, Json]:
    found = tuple(sequence(value))
    if len(found) != 2:
        raise InputError(f"expected two entries, found {len(found)}")
    return found


def _boolean(value: Json, _: Header) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"expected true or false, found {shown_value(value)}")
    return value


def _one_per_criterion(values: list[Json], header: Header, may_be_empty: bool) -> list[Json]:
    """The values, of which there must be one for each criterion, or none where that is allowed."""
    wanted = len(header.criteria)
    if len(values) != wanted and (values or not may_be_empty):
        raise InputError(f"expected {wanted} entries, one a criterion, found {len(values)}")
    return values


def subset_out(mask: Json, header: Header) -> list[str]:
    """The names of a subset."""
    return list(header.attributes.subset(mask))


def subset_in(names: Json, header: Header) -> Mask:
    """The subset of these names, each once and in attribute order."""
    mask = header.attributes.mask(text(name, header) for name in sequence(names))
    if header.attributes.subset(mask) != tuple(names):
        raise InputError("expected attributes once each and in attribute order, found another order")
    return mask


def _criteria_out(values: Json, header: Header) -> list[float]:
    return _one_per_criterion([number(value) for value in sequence(values)], header, may_be_empty=False)


def _folds_out(values: Json, header: Header) -> list[list[float]]:
    folds = [[number(score) for score in sequence(scores)] for scores in sequence(values)]
    return _one_per_criterion(folds, header, may_be_empty=True)


def _spread_out(values: Json, header: Header) -> list[float | None]:
    spread = [None if value is None else number(value) for value in sequence(values)]
    return _one_per_criterion(spread, header, may_be_empty=True)


def _answer_in(value: Json, header: Header) -> Answer:
    try:
        return Answer(text(value, header))
    except ValueError:
        raise InputError(f"expected an answer ({', '.join(Answer)}), found {shown_value(value)}") from None


@dataclass(frozen=True)
class Codec:
    """How one kind of value is written, and how it is read."""

    write: Callable[[Json, Header], Json]
    read: Callable[[Json, Header], Json]


INTEGER = Codec(integer, integer)
TEXT = Codec(text, text)
INTEGER_OR_NONE = Codec(_integer_or_none, _integer_or_none)
SUBSET = Codec(subset_out, subset_in)
SUBSETS = Codec(
    lambda masks, header: [subset_out(mask, header) for mask in sequence(masks)],
    lambda lists, header: tuple(subset_in(names, header) for names in sequence(lists)),
)
PAIR = Codec(
    lambda pair, header: None if pair is None else [subset_out(mask, header) for mask in _pair_of(pair)],
    lambda pair, header: None if pair is None else tuple(subset_in(names, header) for names in _pair_of(pair)),
)
PRICES = Codec(
    lambda priced, header: [
        [subset_out(mask, header), number(price)] for mask, price in map(_pair_of, sequence(priced))
    ],
    lambda priced, header: tuple(
        (subset_in(names, header), number(price)) for names, price in map(_pair_of, sequence(priced))
    ),
)
INTEGERS = Codec(
    lambda values, header: [integer(value, header) for value in sequence(values)],
    lambda values, header: tuple(integer(value, header) for value in sequence(values)),
)
BOOLEAN = Codec(_boolean, _boolean)
ANSWER = Codec(lambda value, header: str(_answer_in(value, header)), _answer_in)
MEASURES = {
    "criteria": Codec(_criteria_out, lambda value, header: tuple(_criteria_out(value, header))),
    "folds": Codec(_folds_out, lambda value, header: tuple(map(tuple, _folds_out(value, header)))),
    "spread": Codec(_spread_out, lambda value, header: tuple(_spread_out(value, header))),
}
