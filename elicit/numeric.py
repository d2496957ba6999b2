"""What counts as a number in an argument: Python's and NumPy's alike, but never a truth value."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from elicit.errors import InputError


def is_whole(value: object) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether a value is a real number; it may be infinite, or not a number in name (NaN)."""
    return isinstance(value, Real) and not isinstance(value, bool)


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if not is_whole(value) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}, found {value!r}")
    return int(value)
