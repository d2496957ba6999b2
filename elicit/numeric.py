"""Numbers: what counts as one in an argument (Python's and NumPy's, never a truth value), when two are equal, and when
those of a target are names of classes."""

from __future__ import annotations

import math
from numbers import Complex, Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError

#: Values of criteria and of utilities that are closer than this are equal.
GRID = 1e-9

#: A target of more distinct whole numbers than this holds numbers, not classes, unless somebody says otherwise.
MOST_CLASSES = 20

#: Python reads whole numbers of so many digits, whatever its own limit is set to.
MOST_DIGITS = 640

#: Larger numbers have no squares that could be summed up.
LARGEST = 1e150

#: Measurements must be smaller than this: in steps of `GRID` larger ones could overflow.
LARGEST_MEASURED = 1e250


def is_whole(value: object) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether a value is a real number; infinity and NaN count, too."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold."""
    try:
        return is_number(value) and math.isfinite(value)
    except OverflowError:  # a whole number may be larger than every float
        return False


def given_number(value: Any) -> float:
    """What somebody's function gave for a number; a text, or a complex number, is none, though Python may make one."""
    if isinstance(value, str | bytes) or (isinstance(value, Complex) and not isinstance(value, Real)):
        raise TypeError(f"found {value!r:.80}, expected a number")
    return float(value)


def whole(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number of at least `least`, and at most `most` where there is a limit."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InputError(f"{name} must be a whole number {limits}, found {value!r:.40}")
    return int(value)


def whole_in(text: str) -> int | None:
    """The whole number that a text of digits says; None where it says none, or one with too many digits."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def holds_classes(target: NDArray[Any]) -> bool:
    """Whether a target holds classes: texts and truth values do, and at most 20 distinct whole numbers."""
    if target.dtype.kind not in "iuf":
        return True
    return bool((target == np.round(target)).all()) and len(np.unique(target)) <= MOST_CLASSES


def as_float(value: Any) -> Any:
    """A number of any kind as a float; anything else, and a number too large for a float, as it is."""
    try:
        return float(value) if is_number(value) else value
    except OverflowError:
        return value


def plain_numbers(values: Any) -> Any:
    """Lists and arrays, of numbers or of such, as tuples of plain numbers; whatever else is left for who checks it."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return tuple(map(plain_numbers, values))
    return as_float(values)
