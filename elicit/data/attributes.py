"""Attributes: what becomes of each column of a file, read strictly or tidied.

Read strictly, a gap or a stray text is an error that names the line. Tidied, gaps are kept for the model to fill, and
columns that say nothing are left out with a note; but a single text in a column of numbers is an error even then, for
nobody knows what was meant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elicit.data.cells import INDEX, Cells, numbers_rows
from elicit.data.tidying import (
    Column,
    categories_note,
    encode,
    left_out,
    looks_like_names,
    plain_numbers,
    stray_position,
    tidy_column,
    too_many_texts,
    what_they_look_like,
)
from elicit.data.values import (
    TOO_LARGE,
    ambiguity_note,
    ambiguous_number,
    as_numbers,
    begun,
    comma_numbers,
    is_comma_number,
    is_missing,
    number_in,
    too_large,
)
from elicit.errors import InputError, nearest
from elicit.printable import enumerated, many

#: How a note on rows begins.
LEFT_OUT = "left out: "


@dataclass(frozen=True)
class CellColumns:
    """The cells of a file, what it is called in errors, and whether its columns are tidied or must be complete.

    `unused`: the rows that were left out, each with its line.
    """

    path: Path
    cells: Cells
    tidy: bool
    unused: Sequence[tuple[list[str], int]] = ()

    def places(self, target: str, group_col: str | None) -> tuple[int, int | None]:
        """The positions of the target and of the column of group labels (None: there is none)."""
        place = f"{self.path}, line {self.cells.top}"
        at = _position_of(self.cells.header, target, place)
        by = None if group_col is None else _position_of(self.cells.header, group_col, place)
        if by == at:
            raise InputError(
                f"{self.path}: the target {target!r} cannot also say which rows belong together; choose another"
            )
        return at, by

    def where_known(self, at: int, notes: list[str]) -> CellColumns:
        """The rows in which the target is known; a stray cell in the target is an error."""
        target, rows, lines = self.cells.header[at], self.cells.rows, self.cells.lines
        known = [k for k, row in enumerate(rows) if not is_missing(row[at])]
        taken = _taken_for_gaps(row[at] for row in rows)
        if not known:
            raise InputError(
                f"{self.path}: the target {target!r} is missing in every row; choose another column{taken}"
            )
        if taken and len({rows[k][at] for k in known}) < 2:
            raise InputError(
                f"{self.path}: the target {target!r} is {rows[known[0]][at]!r} in every row that has one{taken}"
            )
        if left := len(rows) - len(known):
            notes.append(f"{LEFT_OUT}{many(left, 'row')} in which the target {target!r} is missing{taken}")
        cells = replace(self.cells, rows=[rows[k] for k in known], lines=[lines[k] for k in known])
        unused = [(row, line) for row, line in zip(rows, lines, strict=True) if is_missing(row[at])]
        found = replace(self, cells=cells, unused=unused)
        found._refuse_stray_cell(at, found._cells(at))
        return found

    def labels(self, i: int) -> list[str]:
        """The cells of a column that is no attribute: a gap in it is an error even where data are tidied."""
        cells = self._cells(i)
        self._require_complete(i, cells)
        return cells

    def target(self, i: int) -> list[str]:
        """The cells of the target; an error where they seem to be neither numbers nor classes."""
        cells = self.labels(i)
        levels = set(cells)
        many_texts = as_numbers(levels) is None and looks_like_names(cells)
        told = self._ambiguity_note(cells) or (what_they_look_like(cells) if many_texts else None)
        if told is not None:
            raise InputError(
                f"{self.path}: the target {self.cells.header[i]!r} holds neither numbers nor classes: {told}; "
                "or choose another column"
            )
        return cells

    def column(self, i: int, dropped: bool) -> Column:
        """A column as an attribute; one that is dropped may hold what would be an error elsewhere."""
        name, cells = self.cells.header[i], self._cells(i)
        if name == INDEX and i == 0 and numbers_rows(cells):
            return left_out(name, "it numbers the rows")
        if self.tidy:
            return self._tidied(i, cells, dropped)
        return Column(None) if dropped else self._complete(i, cells)

    def _complete(self, i: int, cells: Sequence[str]) -> Column:
        """A column read strictly."""
        plain = None if self.cells.commas else plain_numbers(cells)
        if plain is not None:  # as nearly all columns are: one look at each cell is enough
            return Column(plain)
        name = self.cells.header[i]
        self._require_complete(i, cells)
        if (told := self._ambiguity_note(cells)) is not None:
            raise InputError(f"{self.path}: in the column {name!r}, {told}")
        self._refuse_stray_cell(i, cells)
        if told := too_many_texts(cells):
            raise InputError(f"{self.path}: in the column {name!r}, {told}, or drop it")
        block, levels = encode(cells)
        return Column(block, levels, categories_note(name, cells, levels))

    def _tidied(self, i: int, cells: Sequence[str], dropped: bool) -> Column:
        """A column tidied: left out, with a note, where it says nothing or cannot be read."""
        name = self.cells.header[i]
        if dropped and (odd := self._stray_position(cells)) is not None:
            where = f"{cells[odd]!r} in line {self.cells.lines[odd]}"
            return left_out(name, f"it is dropped, and holds {where}")
        plain = plain_numbers(cells)
        if plain is None:
            self._refuse_stray_cell(i, cells)
            if not dropped:
                self._refuse_stray_beside(i, cells)
        elif not self.cells.commas:  # as nearly all columns are: one look at each cell is enough
            return Column(plain)
        if (told := self._ambiguity_note(cells)) is not None:
            return left_out(name, told)
        if plain is not None:
            return Column(plain)
        found = tidy_column(name, cells)
        unseen = dropped and found.block is not None  # no model will see it
        return replace(found, note="", filled=0) if unseen else found

    def nothing_left(self, target: str, notes: Sequence[str], *, dropped: bool) -> InputError:
        """The error for a file without attributes: all were left out in tidying, or dropped, or none was there."""
        if notes and len(self.cells.rows) == 1:
            return InputError(f"{self.path}: one row tells nothing apart; add rows")
        if notes:
            return InputError(f"{self.path}: no attribute is left: {'; '.join(notes)}")
        why, remedy = ("is not dropped", "drop fewer") if dropped else ("is there", "add attributes")
        return InputError(f"{self.path}: no column besides the target {target!r} {why}; {remedy}")

    def _cells(self, i: int) -> list[str]:
        return [row[i] for row in self.cells.rows]

    def _ambiguity_note(self, cells: Sequence[str]) -> str | None:
        """A note if the commas of a column, or its points in a file with decimal commas, may separate thousands."""
        for mark in (",", ".") if self.cells.commas else (",",):
            if (cell := ambiguous_number(cells, mark)) is not None:
                return ambiguity_note(cell, mark)
        return None

    def _stray_position(self, cells: Sequence[str]) -> int | None:
        return stray_position(cells, commas=self.cells.separator != ",")

    def _refuse_stray_cell(self, i: int, cells: Sequence[str]) -> None:
        """Refuse a column of numbers with a cell that is none."""
        odd = self._stray_position(cells)
        if odd is not None:
            raise self._stray(i, cells[odd], self.cells.lines[odd])

    def _refuse_stray_beside(self, i: int, cells: Sequence[str]) -> None:
        """Refuse a column of numbers whose decimal commas are none for a text in a row that is left out, as a unit."""
        if not self.unused or self.cells.separator == "," or not comma_numbers(cells):
            return
        for row, line in self.unused:
            if not is_missing(row[i]) and not is_comma_number(row[i]):
                raise self._stray(i, row[i], line, "numbers with a decimal comma")

    def _stray(self, i: int, cell: str, line: int, held: str = "numbers") -> InputError:
        """The error for a cell that is no number, or not so written, in a column of numbers."""
        otherwise = "leave it empty" if self.tidy else "remove the row"
        return InputError(
            f"{self.path}, line {line}: column {self.cells.header[i]!r} holds {held}, but here {cell!r}; "
            f"correct it, or {otherwise}"
        )

    def _require_complete(self, i: int, cells: Sequence[str]) -> None:
        remedy = "fill it, or remove the row"
        if not self.tidy:
            remedy = "fill it, remove the row, or have the data tidied (--tidy; in a scenario, tidy = true)"
        known = [cell for cell in cells if not is_missing(cell)]
        marked = self.tidy or (known and as_numbers(known) is not None)  # among texts "none" may be a category
        for cell, line in zip(cells, self.cells.lines, strict=True):
            gap = is_missing(cell) if marked else cell.lower() in ("", "na")
            if gap or not math.isfinite(number_in(cell) or 0.0) or too_large(cell):
                found, wanted = cell or "empty", f"expected a value; {remedy}"
                if too_large(cell):
                    found, wanted = begun(cell), f"{TOO_LARGE}; write it in a larger unit"
                raise InputError(f"{self.path}, line {line}: {self.cells.header[i]!r} is {found}, {wanted}")


def _taken_for_gaps(cells: Iterable[str]) -> str:
    """What to add about cells that hold something and yet count as gaps, since one may be meant as a class."""
    held = Counter(cell for cell in cells if cell and is_missing(cell))
    if not held:
        return ""
    told = [f"{many(count, 'row')} hold{'s' if count == 1 else ''} {cell!r}" for cell, count in held.items()]
    counted = "is taken for a gap" if len(held) == 1 else "are taken for gaps"
    return f"; {enumerated(told)}, which {counted}: what is meant as a class is to be written otherwise"


def _position_of(header: Sequence[str], name: str, place: str) -> int:
    """The position of a column; an unknown name is an error that offers the nearest."""
    if name not in header:
        known = f"the columns are {', '.join(map(repr, header))}"
        if len(header) == 1:
            known = f"the only one is {header[0]!r}; put commas, semicolons, tabs or | between cells"
        hint = nearest(name, header, known)
        raise InputError(f"{place}: no column is called {name!r}{hint}")
    return header.index(name)
