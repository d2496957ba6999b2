"""Sections: reading the values of a table of keys, each checked as it is read.

The rule: the caller says what a value must be; an error is one line with the place and the remedy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from elicit.errors import InputError, nearest
from elicit.numeric import is_number, is_whole

Section = Mapping[str, Any]
T = TypeVar("T")


#: What keys are called elsewhere, in formulas and in the estimator, from which no spelling leads to them.
_CALLED_ELSEWHERE = {"tau": "parsimony", "max_features": "max_size", "C": "slack", "cv": "folds", "estimator": "model"}


def only_known(section: Section, keys: Sequence[str]) -> None:
    """Refuse a key that is not among the keys."""
    for key in section:
        if key not in keys:
            if (meant := _CALLED_ELSEWHERE.get(key)) in keys:
                raise InputError(f"unknown key {key!r}; did you mean {meant!r}?")
            raise InputError(f"unknown key {key!r}{nearest(key, keys, 'the keys are ' + ', '.join(keys))}")


def table(value: Any, key: str = "") -> Section:
    """A table of keys; `key` is where it stands, if not in a section of its own."""
    if not isinstance(value, dict):
        what = f"`{key}` is" if key else "expected"
        raise InputError(f"{what} a table of keys, found {value!r}")
    return value


def text(section: Section, key: str) -> str:
    """A text that is not empty."""
    value = section[key]
    if not isinstance(value, str) or not value:
        raise InputError(f"`{key}` is a text that is not empty, found {value!r}")
    return value


def texts(section: Section, key: str) -> tuple[str, ...]:
    """A list of texts; without the key there are none."""
    value = section.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"`{key}` is a list of texts, found {value!r}")
    return tuple(value)


def finite(key: str, value: Any) -> float:
    """A finite number."""
    try:
        found = float(value) if is_number(value) else math.nan
    except OverflowError:  # a whole number beyond every float
        raise InputError(f"`{key}` is too large a number; write a smaller one") from None
    if not math.isfinite(found):
        raise InputError(f"`{key}` is a number, found {value!r}")
    return found


def number(section: Section, key: str, default: float, least: float = -math.inf, most: float = math.inf) -> float:
    """A number between bounds, or the default without the key."""
    given = section.get(key, default)
    value = finite(key, given)
    if not least <= value <= most:
        upper = "" if most == math.inf else f" and at most {most:g}"
        raise InputError(f"`{key}` is at least {least:g}{upper}, found {given!r}")
    return value


def numbers(section: Section, key: str) -> tuple[float, ...]:
    """A list of numbers."""
    value = section[key]
    if not isinstance(value, list):
        raise InputError(f"`{key}` is a list of numbers, found {value!r}")
    for item in value:
        if not is_number(item):
            raise InputError(f"`{key}` is a list of numbers, found {item!r} in it")
    return tuple(finite(key, item) for item in value)


def integer(section: Section, key: str, default: int | None, least: int, most: int | None = None) -> int:
    """A whole number between bounds, or the default without the key."""
    value = section.get(key, default)
    if not is_whole(value) or value < least or (most is not None and value > most):
        upper = "" if most is None else f" and at most {most}"
        raise InputError(f"`{key}` is a whole number of at least {least}{upper}, found {value!r}")
    return int(value)


def boolean(section: Section, key: str, default: bool) -> bool:
    """True or false, or the default without the key."""
    value = section.get(key, default)
    if not isinstance(value, bool):
        raise InputError(f"`{key}` is true or false, found {value!r}")
    return value


def with_place(place: str, read: Callable[[], T], between: str = " ") -> T:
    """The result of `read`; the text of an error begins with the place."""
    try:
        return read()
    except InputError as error:
        raise InputError(f"{place}{between}{error}") from error


def named_specs(kind: str, sections: Any, read: Callable[[Section], Any]) -> tuple[Any, ...]:
    """The specifications in one section or a list of them, whose names must differ."""
    several = sections if isinstance(sections, list) else [sections]
    if not several:
        raise InputError(f"[[{kind}]] is empty; add one")
    found = []
    for k, section in enumerate(several, start=1):
        place = f"[{kind}]" if len(several) == 1 else f"[[{kind}]] number {k}"
        found.append(with_place(place, lambda: read(table(section))))  # noqa: B023  # called at once
    names = [spec.name for spec in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"[[{kind}]]: the name {twice!r} occurs {names.count(twice)} times; give each its own `name`")
    return tuple(found)
