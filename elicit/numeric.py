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

#: So many binary digits of a large value count, some eleven decimal ones: what follows is the rounding of sums, which
#: for a squared error in dollars is far more than the grid.
DIGITS = 37

#: From 2 to the power of this minus 1 on a value is large: its last digit that counts is coarser than the grid.
_LARGE = 8

#: A target of more distinct whole numbers than this holds numbers, not classes, unless somebody says otherwise.
MOST_CLASSES = 20

#: Python reads whole numbers of so many digits, whatever its own limit is set to.
MOST_DIGITS = 640

#: Larger numbers have no squares that could be summed up.
LARGEST = 1e150

#: Measurements must be smaller than this: in steps of `GRID` larger ones could overflow.
LARGEST_MEASURED = 1e250


def step_of(value: float) -> float:
    """How far apart two values are, of which this is the larger one, that just count as equal."""
    exponent = math.frexp(value)[1]
    return GRID if exponent < _LARGE else math.ldexp(1.0, exponent - DIGITS)


def are_equal(first: float, second: float) -> bool:
    """Whether two values count as equal."""
    return abs(first - second) <= step_of(max(first, second, key=abs))


def steps_of(value: float) -> int:
    """The multiple of the grid that stands for a value, as `in_steps` has it for many."""
    unit = step_of(value)
    return round((value if unit == GRID else round(value / unit) * unit) / GRID)


def in_steps(values: Any) -> NDArray[np.float64]:
    """The multiples of the grid that stand for values: equal ones are equal, and no order is turned round.

    Of a large value only its leading digits count.
    """
    found = np.asarray(values, dtype=np.float64)
    exponents = np.frexp(found)[1]
    units = np.ldexp(1.0, np.maximum(exponents, _LARGE) - DIGITS)  # powers of two: nothing but the last digits is lost
    return np.asarray(np.rint(np.where(exponents < _LARGE, found, np.rint(found / units) * units) / GRID))


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


def given_numbers(values: Any) -> NDArray[np.float64]:
    """What somebody gave for several numbers, as an array of its own, by the same rule; nor is a date a number."""
    found = np.asarray(values)
    if found.dtype.kind in "mM":
        raise TypeError(f"found {found.ravel()[:1]!r:.80}, expected numbers")
    if found.dtype.kind in "biuf":
        return np.array(found, dtype=np.float64)
    return np.array([given_number(value) for value in found.ravel()], dtype=np.float64).reshape(found.shape)


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
