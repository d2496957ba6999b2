"""Values: what the text of a cell says: a number, a gap, or what may be read as either of two numbers.

The rule: what is not certain is no number; the caller says what becomes of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from elicit.numeric import LARGEST

#: What C libraries wrote for NaN, and what stands for a missing value to `pandas.read_csv`.
_C_NAN = ("1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
_NOT_AVAILABLE = ("NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>")
MISSING_TO_PANDAS = frozenset(["", *_NOT_AVAILABLE, "NaN", "nan", "-NaN", "-nan", "NULL", "null", "None", *_C_NAN])

#: The same here, in a file that may be tidied; in lower case.
_MISSING = frozenset({"?", *map(str.lower, MISSING_TO_PANDAS)})

#: For each mark, a number in which it may separate thousands; in one such as 1,234 it may as well be the decimal mark.
_THOUSANDS = {
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?"),
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?"),
}
_MARK_NAMES = {",": "commas", ".": "points"}

#: What is told of numbers that floats do not tell apart, and of those that no float holds.
BEYOND_DIGITS, TOO_LARGE = "beyond the 15 digits that are computed with", "too large to compute with"


def is_missing(cell: str) -> bool:
    """Whether a cell stands for a missing value."""
    return cell.lower() in _MISSING


def as_numbers(cells: Iterable[str]) -> NDArray[np.float64] | None:
    """The cells as finite numbers, None if one of them is not a finite number."""
    texts = list(cells)
    try:
        values = np.array(list(map(float, texts)), dtype=np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() and "_" not in "".join(texts) else None


def number_in(cell: str) -> float | None:
    """The number in a cell; None if there is none, as in 2020_1, which Python would read."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def is_number(cell: str) -> bool:
    """Whether a cell is a finite number."""
    value = number_in(cell)
    return value is not None and math.isfinite(value)


def with_point(cell: str) -> str:
    """A number with one decimal comma and no point, written with a point; any other cell as it is."""
    if cell.count(",") != 1 or "." in cell:
        return cell
    pointed = cell.replace(",", ".")
    return pointed if is_number(pointed) else cell


def comma_numbers(cells: Iterable[str]) -> bool:
    """Whether all known cells are numbers, some with a decimal comma, and none with a point.

    Beside 12,5 a point may separate thousands, so that 1.234 would be another number.
    """
    known = {cell for cell in cells if not is_missing(cell)}
    return any("," in cell for cell in known) and all(map(is_comma_number, known)) and ambiguous_number(known) is None


def is_comma_number(cell: str) -> bool:
    """Whether a cell is a finite number, with a decimal comma or without."""
    return "." not in cell and is_number(with_point(cell))


def ambiguous_number(cells: Iterable[str], mark: str = ",") -> str | None:
    """A number of the column whose commas (or points) may separate thousands, None where there is no doubt.

    Beside 274 a 6,240 may be six thousand or six: each cell with a comma has three digits after it, and others have no
    comma. Where all have one, as 6,240 and 7,115, either reading gives the same column, but for the unit.
    """
    known = set(cells)
    if not any(mark in cell for cell in known):
        return None
    known = {cell for cell in known if not is_missing(cell)}
    marked = between_thousands(known, mark)
    certain = [cell for cell in marked if not (is_comma_number if mark == "," else is_number)(cell)]
    return (certain or marked)[0] if certain or (marked and len(marked) < len(known)) else None


def between_thousands(known: Collection[str], mark: str) -> list[str]:
    """The numbers with this mark, if it may separate thousands in each, and all others are below 1000."""
    marked = sorted(cell for cell in known if mark in cell)
    plain = as_numbers(with_point(cell) for cell in known if mark not in cell)
    small = plain is not None and bool((np.abs(plain) < 1000).all())
    return marked if small and all(map(_THOUSANDS[mark].fullmatch, marked)) else []


def ambiguity_note(cell: str, mark: str) -> str:
    """A note on a column in which a number is written like this cell."""
    plainly = "write numbers without them, decimals with a point"
    return f"{_MARK_NAMES[mark]} as in {cell!r} may stand between thousands; {plainly}"


def too_large(cell: str) -> bool:
    """Whether a cell is a number that no float holds, or whose square none holds."""
    return abs(number_in(cell) or 0.0) > LARGEST and any(map(str.isdigit, cell))


def too_large_note(cell: str) -> str:
    """A note on a column that holds such a cell."""
    return f"it holds numbers {TOO_LARGE}, as in {begun(cell)!r}; write them in a larger unit"


def begun(cell: str) -> str:
    """A cell, of many characters the first ones."""
    return f"{cell[:10]}…" if len(cell) > 10 else cell
