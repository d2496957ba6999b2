"""A snippet: scikit-learn code for the recommended subset, which runs without Elicit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from pprint import pformat

from sklearn.pipeline import Pipeline

from elicit.complete import is_zipped
from elicit.data import BUILT_IN, Data, model_of, regrouped
from elicit.data.cells import Blanks, Cells, cells_and_blanks_of, points_elsewhere
from elicit.data.tidying import MISSING_LEVEL
from elicit.data.values import MISSING_TO_PANDAS, as_numbers, is_missing
from elicit.errors import InputError
from elicit.scores.randomness import settled
from elicit.sources.oracle import ungrouped
from elicit.sources.sections import Section

#: The ends of the names of files that pandas unpacks: as our reader does, and otherwise.
_PACKED, _PACKED_OTHERWISE = ".gz", (".tar", ".tar.gz", ".bz2", ".zip", ".xz", ".zst")

#: A list of names that is longer than this stands on several lines.
_LONGEST_LINE = 80


def snippet(section: Section, names: Sequence[str]) -> list[str]:
    """Lines of Python that fit the session's model to the attributes `names`, imports first; none for other oracles."""
    if section.get("kind") != "wrapper":
        return []
    groups, data = section.get("groups", {}), ungrouped(section, Path())
    columns = [column for name in names for column in groups.get(name, (name,))]
    coded = {column: data.groups[column] for column in columns if column in data.groups}
    known = {*data.columns, *data.groups, *data.left_out}
    if gone := [column for column in columns if column not in known]:
        raise InputError(f"{section['data']}: has no column {gone[0]!r} any more; put it back as it was")
    data = regrouped(data, groups) if groups else data
    model = settled(model_of(section["model"], data.classes, data.missing), section.get("random_state", 0))
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    imports = {f"from {_public_module(type(step))} import {type(step).__name__}" for step in steps}
    if len(steps) > 1:
        imports.add("from sklearn.pipeline import make_pipeline")
    inner = ", ".join(repr(step) for step in steps)
    built_in = section["data"] in BUILT_IN
    imports.add(f"from sklearn.datasets import load_{section['data']}" if built_in else "import pandas as pd")
    return [
        *sorted(imports, key=lambda line: (line.startswith("from"), line)),
        "",
        *_reading_lines(section, columns, coded, data),
        f"model = make_pipeline({inner}).fit(X, y)" if len(steps) > 1 else f"model = {inner}.fit(X, y)",
    ]


def _pandas_reads_as_numbers(data: Data) -> bool:
    """Whether pandas would read the texts of the classes as numbers or Booleans, which a classifier may refuse."""
    texts = data.y.dtype.kind == "U"
    return texts and ({cell.lower() for cell in data.y} <= {"true", "false"} or as_numbers(data.y) is not None)


def _reading_lines(
    section: Section, columns: Sequence[str], coded: Mapping[str, Sequence[str]], data: Data
) -> list[str]:
    """Lines that read the data as the session did; `coded` holds the columns of texts with their levels."""
    listing, chosen = _columns_literal(columns)
    if section["data"] in BUILT_IN:
        return [f"X, y = load_{section['data']}(return_X_y=True, as_frame=True)", *listing, f"X = X[{chosen}]"]
    table, blanks = cells_and_blanks_of(Path(section["data"]))
    mixed = _mixed_decimal_columns(table, (*columns, section["target"]))
    texts = _respelled_columns(table, (*coded, *([section["target"]] if data.y.dtype.kind == "U" else [])))
    read = [repr(section["data"]), *_packing_arguments(Path(section["data"])), *_format_arguments(table)]
    read += _dtype_arguments([*mixed, *texts], blanks)
    read += _missing_value_arguments(blanks) if section.get("tidy") else []
    read += ["skipinitialspace=True"] if blanks.spaced else []
    renamed = ".rename(columns=str.strip)" if blanks.spaced else ""
    lines = [f"data = pd.read_csv({', '.join(read)}){renamed}"]
    lines += [f"data[{name!r}] = data[{name!r}].str.strip()" for name in coded if name in blanks.padded]
    lines += [f"data[{name!r}] = data[{name!r}].str.replace(',', '.').astype(float)" for name in mixed]
    if any(is_missing(row[table.header.index(section["target"])]) for row in table.rows):
        lines.append(f"data = data.dropna(subset=[{section['target']!r}])")
    as_text = ".astype(str)" if _pandas_reads_as_numbers(data) else ""
    as_text += ".str.strip()" if data.y.dtype.kind == "U" and section["target"] in blanks.padded else ""
    lines += [*listing, f"X, y = data[{chosen}], data[{section['target']!r}]{as_text}"]
    gaps = {column: MISSING_LEVEL for column, levels in coded.items() if f"{column}={MISSING_LEVEL}" in levels}
    lines += [f"X = X.fillna({gaps!r})"] if gaps else []
    return [*lines, f"X = pd.get_dummies(X, columns={list(coded)!r}, dtype=float)"] if coded else lines


def _columns_literal(columns: Sequence[str]) -> tuple[list[str], str]:
    """Lines that assign a long list of columns to a variable, if it is long, and the expression for the list."""
    if len(repr(list(columns))) <= _LONGEST_LINE:
        return [], repr(list(columns))
    rows = pformat(list(columns), width=_LONGEST_LINE, compact=True).removeprefix("[").removesuffix("]") + ","
    return ["columns = [", *(f"    {row.strip()}" for row in rows.splitlines()), "]"], "columns"


def _packing_arguments(path: Path) -> list[str]:
    """Arguments of `read_csv`, which goes by the name of a file, where that says something else than what is in it."""
    zipped, name = is_zipped(path), path.name.lower()
    if zipped == name.endswith(_PACKED) and not name.endswith(_PACKED_OTHERWISE):
        return []
    return [f"compression={'gzip' if zipped else None!r}"]


def _format_arguments(table: Cells) -> list[str]:
    """Arguments of `read_csv` for the separator, the lines above the header and the decimal comma."""
    marks = [f"sep={table.separator!r}"] if table.separator != "," else []
    marks += [f"skiprows={table.top - 1}"] if table.top > 1 else []
    return [*marks, "decimal=','"] if table.commas and not points_elsewhere(table) else marks


def _dtype_arguments(columns: Sequence[str], blanks: Blanks) -> list[str]:
    """Arguments of `read_csv` for the columns that it is to read as texts, by their names as the file has them."""
    types = {blanks.written[name]: "str" for name in columns}
    return [f"dtype={types!r}"] if types else []


def _respelled_columns(table: Cells, columns: Sequence[str]) -> list[str]:
    """The columns of which pandas would make Booleans that are spelled otherwise: to it TRUE and True are one."""
    found = []
    for name in columns:
        k = table.header.index(name)
        spellings = {row[k] for row in table.rows if not is_missing(row[k])}
        if {text.lower() for text in spellings} <= {"true", "false"} and not spellings <= {"True", "False"}:
            found.append(name)
    return found


def _mixed_decimal_columns(table: Cells, columns: Sequence[str]) -> list[str]:
    """The columns with decimal commas, if others have points: pandas knows only one mark for all."""
    return [name for name in columns if name in table.commas] if points_elsewhere(table) else []


def _missing_value_arguments(blanks: Blanks) -> list[str]:
    """Arguments of `read_csv` for the spellings of missing values in the file that it does not know."""
    others = sorted(blanks.gaps - MISSING_TO_PANDAS)
    return [f"na_values={others!r}"] if others else []


def _public_module(kind: type) -> str:
    """The public module of an estimator: its path up to the first private name."""
    parts = kind.__module__.split(".")
    private = next((k for k, part in enumerate(parts) if part.startswith("_")), len(parts))
    return ".".join(parts[:private])
