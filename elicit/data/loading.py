"""Data by name: what a scenario or a command line means by "wine" or "my.csv.gz".

A CSV file has a header and one row a case (see `elicit.data.cells`). A column of numbers is one attribute; a
column of texts becomes one 0/1 column a text, and these together are one attribute. Whatever is wrong with a file is
one line that names the file, the line and the remedy. Data from the wild may be tidied instead: missing values
are kept for the model to fill, and what says nothing is left out; every such step is a note.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.data.attributes import CellColumns
from elicit.data.cells import cells_of, decimal_comma_note
from elicit.data.models import target_of_model
from elicit.data.target import CLASSES, refuse_no_kind, target_of
from elicit.data.tidying import notes_on, too_many_levels
from elicit.errors import InputError, nearest
from elicit.numeric import holds_classes

#: The data sets that need no file.
BUILT_IN = ("wine", "breast_cancer", "iris", "digits", "diabetes")


@dataclass(frozen=True)
class Data:
    """X (rows, columns) with a name a column, the target, and the columns that are one attribute together.

    `together` holds one label a row when rows with the same label must stay in one fold; `notes` say what was left out
    or filled when the data was tidied, and which texts may have been meant otherwise; `left_out` names the columns that
    were left out, each with its note; `holds` is what the target holds, classes or numbers (None: what it looks like).
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    columns: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    together: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    holds: str | None = None

    @property
    def missing(self) -> bool:
        """Whether a value is missing, so that a model needs to fill it."""
        return self.gap is not None

    @property
    def gap(self) -> str | None:
        """The first column in which a value is missing, None where none is."""
        holes = np.isnan(self.X).any(axis=0)
        return self.columns[int(np.argmax(holes))] if holes.any() else None

    @property
    def classes(self) -> bool:
        """Whether the target holds classes rather than numbers."""
        return holds_classes(self.y) if self.holds is None else self.holds == CLASSES


def load(
    name: str,
    target: str | None = None,
    folder: Path | None = None,
    *,
    tidy: bool = False,
    group_col: str | None = None,
    dropped: Collection[str] = (),
    holds: str | None = None,
    model: str | None = None,
) -> Data:
    """The data of a built-in name, or of a CSV file (relative to `folder`) whose column `target` is the target.

    With `tidy`, missing values, constant columns and the like are no errors (see `Data.notes`). The rows with
    one label in `group_col` belong together; that column is no attribute. A column that is `dropped`, so that no
    subset will hold it, is left out where it could not be tidied, and not read at all without `tidy`. The target
    `holds` classes or numbers; where nobody says which, the short name of the `model` may (see `data.target`).
    """
    refuse_no_kind(holds)  # like the name of no model: before a large file is read
    predicts = None if model is None else target_of_model(model)
    if name in BUILT_IN:
        if group_col is not None:
            raise InputError(f"the built-in data {name!r} has no column to group by; leave it out")
        if target is not None:
            raise InputError(f"the built-in data {name!r} has its own target; leave --target (target) out")
        return _built_in(name, holds)
    if not name:
        raise InputError("the name of the data is empty; give a file, or the name of built-in data")
    path = Path(name) if folder is None else folder / name
    if not os.path.exists(path) and not path.suffix:  # false, too, for a path that cannot be
        hint = nearest(name, BUILT_IN, f"the built-in data are {', '.join(BUILT_IN)}")
        raise InputError(f"{path}: no such file or built-in data{hint}")
    cells = cells_of(path)
    if target is None:
        columns = ", ".join(map(repr, cells.header))
        raise InputError(
            f'{path}: say which column is the target (--target, or target = "…"); the columns are {columns}'
        )
    return _from_csv(CellColumns(path, cells, tidy), target, group_col, dropped, holds, predicts)


def refuse_gaps(what: str, gap: str | None, otherwise: str) -> None:
    """Refuse missing values in the column `gap` for a method that takes none; `otherwise` is another remedy.

    They are not filled for it. The models' median is that of the training rows of each fold, so a fit on all
    rows has no such number; and filled cells look alike, which would pass for agreement of cases and for a smaller
    spread: a score would speak of data that nobody has.
    """
    if gap is not None:
        raise InputError(
            f"{what} takes no missing values, and column {gap!r} has some; fill them in the file, or {otherwise}"
        )


def regrouped(data: Data, groups: Mapping[str, Sequence[str]]) -> Data:
    """The data with further groups of attributes, each of which becomes one attribute."""
    made = dict(data.groups)
    for group, listed in groups.items():
        columns: list[str] = []
        for name in listed:
            columns += made.pop(name, ()) or _known_column(name, data, group)
        if group in made:
            raise InputError(f"an attribute is called {group!r} already; give the group another name")
        made[group] = tuple(columns)
    return replace(data, groups=made)


def refuse_part(name: str, groups: Mapping[str, Sequence[str]], where: str) -> None:
    """Refuse the name of a column of a group, which is chosen or left as a whole."""
    group = next((group for group, columns in groups.items() if name in columns), None)
    if group is not None:
        raise InputError(f"{where}: {name!r} is a column of {group!r}, which is one attribute; name that")


def without(data: Data, dropped: Sequence[str]) -> Data:
    """The data without these attributes."""
    gone = {column for name in dropped for column in data.groups.get(name, (name,))}
    kept = [k for k, column in enumerate(data.columns) if column not in gone]
    groups = {name: columns for name, columns in data.groups.items() if name not in dropped}
    return replace(data, X=data.X[:, kept], columns=tuple(data.columns[k] for k in kept), groups=groups)


def _known_column(name: str, data: Data, group: str) -> tuple[str, ...]:
    if name in data.columns:
        return (name,)
    if name in data.left_out:
        raise InputError(f"the group {group!r} names {name!r}, which is left out of the data; take it out of the group")
    if name in data.groups:  # a column of texts, which a group has taken already
        raise InputError(
            f"the group {group!r} names {name!r}, which is in a group already; a column may be in one group only"
        )
    hint = nearest(name, (*data.columns, *data.groups), "check the name")
    raise InputError(f"the group {group!r} names {name!r}, which is no attribute{hint}")


def _built_in(name: str, holds: str | None) -> Data:
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    columns = tuple(str(column) for column in bunch.feature_names)
    y, held = target_of(bunch.target.tolist(), holds, None)  # these are known: no model decides what they hold
    # as scikit-learn has it, unless it is read as something else
    y = np.asarray(bunch.target) if y.dtype.kind == "f" else y
    return Data(np.asarray(bunch.data, dtype=np.float64), y, columns, holds=held)


def _from_csv(
    file: CellColumns,
    target: str,
    group_col: str | None,
    dropped: Collection[str],
    holds: str | None,
    model_predicts: str | None,
) -> Data:
    at, by = file.places(target, group_col)
    notes: list[str] = []
    if file.tidy:
        file = file.where_known(at, notes)
    read = {name: file.column(i, name in dropped) for i, name in enumerate(file.cells.header) if i not in (at, by)}
    y, held = target_of(file.target(at), holds, model_predicts)
    together = None if by is None else np.array(file.labels(by))
    notes += notes_on(read)
    kept = {name: (column.block, column.levels) for name, column in read.items() if column.block is not None}
    if not kept:
        raise file.nothing_left(target, notes, dropped=bool(read))
    notes += decimal_comma_note(file.cells.commas)
    groups = {name: tuple(f"{name}={level}" for level in levels) for name, (_, levels) in kept.items() if levels}
    columns = tuple(column for name in kept for column in groups.get(name, (name,)))
    twice = next((name for name, times in Counter(columns).items() if times > 1), None)
    if twice is not None:
        raise InputError(
            f"{file.path}: with a column for each text of a column, two are called {twice!r}; rename a column"
        )
    if told := too_many_levels(read):
        raise InputError(f"{file.path}: {told}")
    X = np.hstack([block for block, _ in kept.values()], dtype=np.float64)
    left_out = {name: column.note for name, column in read.items() if column.block is None}
    return Data(
        X=X, y=y, columns=columns, groups=groups, together=together, notes=tuple(notes), left_out=left_out, holds=held
    )
