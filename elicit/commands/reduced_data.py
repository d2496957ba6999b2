"""The reduced data: a table with the recommended columns, the labels of groups of rows, and the target last."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elicit.alongside.fresh import require_unchanged
from elicit.commands.output import destination
from elicit.data import BUILT_IN, load
from elicit.data.cells import cells_of
from elicit.errors import InputError
from elicit.printable import many
from elicit.sources.oracle import data_of, wrapper_of


def write_reduced(output: str, section: Mapping[str, Any], names: Sequence[str], of: str) -> str:
    """Write the columns of these attributes, the labels of groups, and the target; return in words what was written.

    of: the fingerprint of what chose them; a file that is another by now is refused.
    """
    header, rows = _table_of(section, names, of)
    with destination(output) as out:
        assert out is not None
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return f"{many(len(rows), 'row')}, {many(len(header), 'column')}, with commas between cells and decimal points"


def _table_of(section: Mapping[str, Any], names: Sequence[str], of: str) -> tuple[list[str], list[list[Any]]]:
    """The chosen columns as they stand in the file, though with decimal points, or as the built-in data holds them."""
    source = section.get("data")
    if not isinstance(source, str):
        raise InputError("only a session on data has a reduced table; leave -o out")
    groups = section.get("groups", {})
    wanted = [column for name in names for column in groups.get(name, (name,))]
    if source in BUILT_IN:
        data = load(source)
        places = [data.columns.index(name) for name in wanted]
        body = [[*row, label] for row, label in zip(data.X[:, places].tolist(), data.y.tolist(), strict=True)]
        return [*wanted, "target"], body
    require_unchanged(section, wrapper_of(section, data_of(section, Path())), of)
    table = cells_of(Path(source))
    by = [section["group_col"]] if "group_col" in section else []  # so that the same command can be run on it
    places = [table.header.index(name) for name in (*wanted, *by, section["target"])]
    return [table.header[k] for k in places], [[row[k] for k in places] for row in table.rows]
