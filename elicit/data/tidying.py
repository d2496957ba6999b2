"""Tidying: columns of numbers from the cells of a table that nobody has cleaned.

The rule: nothing is filled or left out in silence. Every such step is a note that names the column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from elicit.data.values import (
    BEYOND_DIGITS,
    ambiguity_note,
    as_numbers,
    between_thousands,
    comma_numbers,
    is_comma_number,
    is_missing,
    is_number,
    too_large,
    too_large_note,
    with_point,
)
from elicit.numeric import LARGEST
from elicit.printable import many

#: The columns of numbers that a column of cells becomes: its own, or a 0/1 column for each level of its texts.
Block = NDArray[np.float64] | NDArray[np.bool_]

#: The level of a column of texts that stands for its missing values.
MISSING_LEVEL = "(missing)"

#: What is done with gaps among numbers where models are fitted.
FILLED = ": models get the median of their training rows"

#: The most columns of numbers with gaps that have a note each; more have one together, or they would bury the others.
MOST_FILLED_ALONE = 5

#: A column of texts with more levels than this, most of which occur once, names cases and not a property.
MOST_LEVELS = 20

#: The most cells of the 0/1 columns for one column of texts, and of a table with such columns: 2 GB.
MOST_CODED = 250_000_000

#: A day, the year first or last, and perhaps a time.
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d\d))"
    r"([T ]\d{1,2}:\d\d(:\d\d([.,]\d+)?)?( ?[APap][Mm])?(Z| ?[+-]\d\d:?\d\d)?)?"
)

#: A number as it may be written where commas are decimal: points may stand between its thousands.
_COMMA_NUMBER = re.compile(r"[+-]?\d[\d.]*(,\d+)?([eE][+-]?\d+)?")

#: The digits of a number, perhaps with blanks or the like between its thousands.
_DIGITS = r"\d([\d.,]|[ '’\u00a0\u202f](?=\d))*"

#: A number with the sign of a unit before or after it, or blanks or the like between its thousands, or a printed minus.
_WITH_SIGNS = re.compile(rf"[+\-−]?[$€£¥]? ?[+\-−]?{_DIGITS} ?[%$€£¥]?")
_SIGNS = frozenset("%$€£¥−'’ \u00a0\u202f")

#: A number and the letters of its unit, as in 86,1 kg, 4.2 mmol/l, 37 °C or 3e5 cells.
_WITH_UNIT = re.compile(rf"[+\-−]?{_DIGITS}([eE][+-]?\d+)?[ \u00a0\u202f]?(?P<unit>[^\W\d_].*|°.*)")

#: A column of many values is one of numbers when there are at least so many numbers for each cell that is none.
STRAY = 10


def plain_numbers(cells: Collection[str]) -> NDArray[np.float64] | None:
    """A column of which nothing need be said, shape (rows, 1): numbers of usual size, no gap, and not all the same."""
    values = as_numbers(cells)
    if values is None or np.abs(values).max() > LARGEST or values.min() == values.max():
        return None
    return values.reshape(-1, 1)


def encode(cells: Sequence[str]) -> tuple[Block, list[str]]:
    """A column of numbers, shape (rows, 1), and no levels; or a 0/1 column for each level of texts, and the levels."""
    numbers = as_numbers(cells)
    if numbers is not None:
        return numbers.reshape(-1, 1), []
    levels = sorted(set(cells))
    place = {level: k for k, level in enumerate(levels)}
    block = np.zeros((len(cells), len(levels)), dtype=np.bool_)  # an eighth of what numbers take, until all are joined
    block[np.arange(len(cells)), [place[cell] for cell in cells]] = True
    return block, levels


def too_many_texts(cells: Collection[str]) -> str:
    """What is wrong with a column of so many rows and different texts that 0/1 columns of it would fill the memory."""
    levels = set(cells)
    if len(levels) * len(cells) <= MOST_CODED or as_numbers(levels) is not None:
        return ""
    return (
        f"{len(levels)} different texts in {len(cells)} rows are too many for a 0/1 column each; join them into fewer"
    )


@dataclass(frozen=True)
class Column:
    """What becomes of a column: its numbers (None: it is left out), the levels of texts, and what is told of it.

    `filled`: how many of its numbers are missing, where the note tells that models fill them.
    """

    block: Block | None
    levels: Sequence[str] = ()
    note: str = ""
    filled: int = 0


def notes_on(columns: Mapping[str, Column]) -> list[str]:
    """What is told of columns: a note for each, but of many with gaps among numbers one that names them all."""
    filled = {name: column.filled for name, column in columns.items() if column.filled}
    if len(filled) <= MOST_FILLED_ALONE:
        return [column.note for column in columns.values() if column.note]
    counted = ", ".join(f"{name!r} ({gaps})" for name, gaps in filled.items())
    others = [column.note for column in columns.values() if column.note and not column.filled]
    return [*others, f"{len(filled)} columns have missing values, {counted}{FILLED}"]


def left_out(name: str, why: str) -> Column:
    """What becomes of a column that is no attribute, with the note that says why."""
    return Column(None, note=f"{name!r} is left out: {why}")


def too_many_levels(columns: Mapping[str, Column]) -> str:
    """What is wrong with a table that together with the 0/1 columns of its texts would fill the memory."""
    levels = {name: len(column.levels) for name, column in columns.items() if column.levels}
    if not levels or sum(column.block.size for column in columns.values() if column.block is not None) <= MOST_CODED:
        return ""
    most = max(levels, key=lambda name: levels[name])
    return (
        f"a 0/1 column for each of {sum(levels.values())} texts takes more memory than there may be; join some into "
        f"fewer, or remove columns from the file: the most, {levels[most]}, are in {most!r}"
    )


def tidy_column(name: str, cells: Sequence[str]) -> Column:
    """The column with its gaps, or left out where it says nothing."""
    missing = [is_missing(cell) for cell in cells]
    known, gaps = [cell for cell, gap in zip(cells, missing, strict=True) if not gap], sum(missing)
    values = as_numbers(known)
    if len(set(known)) < 2 and (values is not None or not gaps):  # one text beside gaps tells them from each other
        why = "empty" if not known else "constant"
        if known and gaps:
            why = f"{known[0]!r} or missing; where a gap stands for another value, write that"
        return left_out(name, f"it is {why}")
    if values is not None:
        if large := next(filter(too_large, known), None):
            return left_out(name, too_large_note(large))
        if values.min() == values.max():
            same = len({Decimal(cell) for cell in known}) < 2  # as 5 and 5.0
            why = "it is constant" if same else f"its values differ only {BEYOND_DIGITS}; shorten them"
            return left_out(name, why)
        numbers = np.full(len(cells), np.nan)
        numbers[np.logical_not(missing)] = values
        note = f"{name!r} has {many(gaps, 'missing value')}{FILLED}" if gaps else ""
        return Column(numbers.reshape(-1, 1), note=note, filled=gaps)
    if looks_like_names(known):
        return left_out(name, what_they_look_like(known))
    if told := too_many_texts(cells):
        return left_out(name, told)
    block, found = encode([MISSING_LEVEL if gap else cell for cell, gap in zip(cells, missing, strict=True)])
    notes = [f"{name!r} has {many(gaps, 'missing value')}, a level of its own"] if gaps else []
    return Column(block, found, "; ".join(filter(None, [*notes, categories_note(name, known, found)])))


def looks_like_names(cells: Collection[str]) -> bool:
    """Whether texts have many levels, most of which occur once, as the names of the cases would."""
    levels = set(cells)
    return len(levels) > MOST_LEVELS and 2 * len(levels) > len(cells)


def categories_note(name: str, cells: Collection[str], levels: Collection[str]) -> str:
    """A note on texts that are read as categories and hardly look like such; "" for others, and for numbers."""
    notes, why = [], _why_no_categories(cells) if levels else ""
    if why:
        notes.append(f"{name!r} is taken as {len(levels)} categories: {why}")
    if twins := twins_in(levels):
        notes.append(f"{name!r} holds {twins}")
    return "; ".join(notes)


def twins_in(levels: Iterable[str]) -> str:
    """Two texts that are alike but for capital letters, which somebody may have meant as one; "" where none are."""
    known: dict[str, str] = {}
    for level in sorted(levels):
        if (other := known.setdefault(level.casefold(), level)) != level:
            return f"{other!r} and {level!r}, which differ in capital letters alone"
    return ""


def _why_no_categories(cells: Collection[str]) -> str:
    """Why texts hardly look like categories, "" where they do."""
    distinct = set(cells)
    others = sorted(level for level in distinct if as_numbers([level]) is None)
    if looks_like_names(cells):
        return what_they_look_like(cells)
    if 2 * len(others) >= len(distinct) and not comma_numbers(cells):
        return _other_than_texts(distinct)
    hint = "; write decimals with a point" if all("," in level for level in others) else ""
    return f"{others[0]!r} is no number{hint}"


def what_they_look_like(cells: Collection[str]) -> str:
    """What a column of many different texts seems to hold, and what can be done about it."""
    levels = set(cells)
    if told := _other_than_texts(levels):
        return told
    others = Counter(cell for cell in cells if not is_number(with_point(cell)))
    if others and 2 * len(others) < len(levels):
        text = max(sorted(others), key=others.__getitem__)
        return f"it holds numbers, but also {text!r}; correct that, or leave it empty"
    if _have_one_unit(levels):
        return f"it holds numbers with a unit, as in {min(levels)!r}; write the numbers alone"
    return f"{len(levels)} different texts in {len(cells)} rows look like names"


def _have_one_unit(levels: Collection[str]) -> bool:
    """Whether all texts are numbers with the same unit: of names, such as 12a and 7c, the letters differ."""
    found = [_WITH_UNIT.fullmatch(level) for level in levels]
    return all(found) and len({match["unit"] for match in found if match}) == 1


def _other_than_texts(levels: Collection[str]) -> str:
    """What texts are that mean numbers or days, and what can be done about it; "" for texts that mean no more."""
    if all(map(_DATE.fullmatch, levels)):
        return "it looks like dates; turn it into numbers, such as days"
    if commas := between_thousands(levels, ","):
        return ambiguity_note(commas[0], ",")
    if all(map(_COMMA_NUMBER.fullmatch, levels)) and any("," in level for level in levels):
        return "it holds numbers with a decimal comma; write them with a point"
    large = next((level for level in sorted(levels) if too_large(level)), None)
    if large is not None and all(is_number(level) or too_large(level) for level in levels):  # else names, as 7e88912
        return too_large_note(large)
    if all(map(_WITH_SIGNS.fullmatch, levels)) and any(map(_SIGNS.intersection, levels)):  # not 1.2.3
        signed = min(filter(_SIGNS.intersection, levels))
        return f"it holds numbers with signs or blanks, as in {signed!r}; write the numbers alone"
    return ""


def stray_position(cells: Sequence[str], *, commas: bool) -> int | None:
    """The position of the first cell that is no number in a column of many values, nearly all of them numbers, or None.

    `commas`: whether the numbers may have a decimal comma; then none of them may have a point.
    """
    known = [cell for cell in cells if not is_missing(cell)]
    if len(set(known)) <= MOST_LEVELS or as_numbers(known) is not None:
        return None
    for number in (is_comma_number, is_number) if commas else (is_number,):
        others = {cell for cell in set(known) if not number(cell)}
        found = [k for k, cell in enumerate(cells) if cell in others]
        if found and STRAY * len(found) <= len(known):
            return found[0]
    return None
