"""Costs: a file of names and numbers, each of which is read as one thing only or refused by its line."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from elicit.data.cells import pairs_of, separator_in_words
from elicit.data.values import is_missing, number_in, with_point
from elicit.errors import InputError, nearest
from elicit.printable import many

#: Between commas, a comma within a number may be decimal; here it may as well stand after the thousands.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def listed_costs(path: Path, names: Sequence[str], groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """What a file of attribute and cost says of these names, line by line; a header line is allowed.

    groups: columns that together are one of the names, and have no cost of their own.
    """
    if "=" in path.name and not os.path.exists(path):
        raise InputError(f"{path}: no such file; write the costs in a file, one line for each: attribute,cost")
    rows, separator = pairs_of(path, names)
    group_of = {column: group for group, columns in groups.items() for column in columns}
    costs: dict[str, float] = {}
    for number, (row, line) in enumerate(rows, start=1):
        place = f"{path}, line {line}"
        if len(row) != 2:
            raise InputError(
                f"{place}: expected an attribute and its cost with {separator_in_words(separator)} between, "
                f"found {many(len(row), 'cell')}; correct it, or put what holds a separator in quotes"
            )
        name, cell = row
        if number == 1 and _is_heading(cell):
            continue
        if name not in names and name in group_of:
            group = group_of[name]
            raise InputError(
                f"{place}: {name!r} is a column of {group!r}, which is one attribute; give {group!r} one cost for all"
            )
        if name not in names:
            raise InputError(f"{place}: {name!r} is no attribute; correct the line{nearest(name, names)}")
        if name in costs:
            raise InputError(f"{place}: {name!r} has a cost already; keep one of them")
        costs[name] = _cost(cell, separator, place)
    return costs


def _is_heading(cell: str) -> bool:
    """Whether a cell where a cost may stand is a word rather than a number, or the lack of one."""
    if is_missing(cell) or any(letter.isdigit() for letter in cell):
        return False
    return cell.lower().strip("+-") not in ("inf", "infinity")


def _cost(cell: str, separator: str, place: str) -> float:
    if separator == "," and _THOUSANDS.fullmatch(cell):
        one, other = with_point(cell), cell.replace(",", "")
        raise InputError(f"{place}: {cell!r} may be {one} or {other}; write it without the comma")
    value = number_in(with_point(cell))
    if value is None or not math.isfinite(value):
        raise InputError(f"{place}: {cell!r} is no number; correct the cost")
    return value
