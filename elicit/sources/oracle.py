"""Oracles from a scenario: what an [oracle] section describes, and the data behind it.

    kind = "table" | "wrapper" | "filter" | "synthetic", and what that kind needs

The rule: errors come before anything is measured. A table may name the `data` (and the `model`) that it was made
from, for methods that read them; such data are tidied like those of a wrapper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from elicit.asks import Oracle
from elicit.data import LEFT_OUT, Data, load, model_of, refuse_gaps, regrouped, without
from elicit.errors import InputError, nearest
from elicit.oracles import (
    Extra,
    FilterOracle,
    SyntheticOracle,
    TableOracle,
    WrapperOracle,
    cost,
    scored,
)
from elicit.oracles.columns import columns_of
from elicit.oracles.filters import CUTTING
from elicit.oracles.naming import MADE
from elicit.sources import sections
from elicit.sources.material import DataMaterial
from elicit.sources.sections import Section
from elicit.subsets import Attributes

#: The most attributes of a drawn truth, which has a number for every pair: half a million.
LARGEST_TRUTH = 1000

#: The largest `random_state`, as NumPy has it.
LARGEST_STATE = 2**32 - 1

#: The largest `interaction` of a drawn truth: the spread of pairs relative to that of single attributes.
MOST_INTERACTION = 1e6


@dataclass(frozen=True)
class SyntheticSpec:
    """A hidden truth that is drawn anew for every seed."""

    n: int
    interaction: float = 1.0
    size: bool = True

    def drawn(self, seed: int) -> SyntheticOracle:
        """The truth of one seed."""
        rng = np.random.default_rng([seed, self.n])
        return SyntheticOracle.drawn(self.n, rng, interaction=self.interaction, size=self.size)


def oracle_from(section: Section, folder: Path) -> Oracle | SyntheticSpec:
    """The oracle that a section describes; paths are relative to `folder`."""
    kind = section.get("kind")
    if kind is None:
        raise InputError(f"needs a `kind`: one of {', '.join(map(repr, _ORACLES))}")
    if not isinstance(kind, str) or kind not in _ORACLES:
        raise InputError(f"`kind` is one of {', '.join(map(repr, _ORACLES))}; found {kind!r}{nearest(kind, _ORACLES)}")
    _only_known(section, kind)
    for name in _ORACLES[kind].required:
        if name not in section:
            raise InputError(f"of kind {kind!r} needs `{name}`; add it")
    return _ORACLES[kind].make(section, folder)


def _only_known(section: Section, kind: str) -> None:
    """Refuse keys that no oracle of this kind has."""
    sections.only_known(section, ("kind", *_ORACLES[kind].required, *_ORACLES[kind].optional))


def _table(section: Section, folder: Path) -> Oracle:
    for key in ("target", "model", *_READING_KEYS):
        if key in section and "data" not in section:
            raise InputError(f"`{key}` speaks of `data`, which is not there; add it, or leave `{key}` out")
    return TableOracle(folder / sections.text(section, "path"), sections.texts(section, "minimise"))


def _wrapper(section: Section, folder: Path) -> Oracle:
    return wrapper_of(section, data_of(section, folder))


def wrapper_of(section: Section, data: Data) -> WrapperOracle:
    """The cross-validation that a section describes, on its data, which the caller has read."""
    _only_known(section, "wrapper")
    try:
        if not data.classes and np.ptp(data.y) == 0:
            raise InputError(f"the target is {data.y[0]:g} in every row, nothing can be learnt; choose another column")
        return WrapperOracle(
            model_of(sections.text(section, "model"), data.classes, data.missing),
            data.X,
            data.y,
            attributes=data.columns,
            feature_groups=data.groups,
            cv=sections.integer(section, "folds", 10, least=2),
            groups=data.together,
            scoring=sections.text(section, "scoring") if "scoring" in section else None,
            criteria=_extras(section),
            random_state=_random_state(section),
        )
    except InputError as error:
        rows = [note for note in data.notes if note.startswith(LEFT_OUT)] if " row" in str(error) else []
        raise InputError("; ".join([f"data {sections.text(section, 'data')!r}: {error}", *rows])) from error


def _filter(section: Section, folder: Path) -> Oracle:
    data = data_of(section, folder)
    if data.groups:
        raise InputError(f"a filter needs numeric columns, {next(iter(data.groups))!r} holds texts; encode it first")
    refuse_gaps("a filter", data.gap, 'measure by kind = "wrapper"')
    merit = sections.text(section, "merit")
    oracle = FilterOracle(
        data.X,
        data.y,
        merit,
        scores=_scores_of(section),
        attributes=data.columns,
        classes=data.classes,
        bins=sections.integer(section, "bins", 5, least=2),
        criteria=_extras(section),
    )
    if "bins" in section and merit not in CUTTING:
        cutting = " or ".join(map(repr, CUTTING))
        raise InputError(f"the merit {merit!r} cuts no column into `bins`; leave them out, or take {cutting}")
    return oracle


def _scores_of(section: Section) -> str | tuple[float, ...] | None:
    """`scores`: a list of numbers, or the name of a score."""
    if isinstance(section.get("scores"), str):
        return sections.text(section, "scores")
    return sections.numbers(section, "scores") if "scores" in section else None


def _synthetic(section: Section, folder: Path) -> SyntheticSpec:  # noqa: ARG001
    return SyntheticSpec(
        sections.integer(section, "n", None, least=1, most=LARGEST_TRUTH),
        sections.number(section, "interaction", 1.0, least=0.0, most=MOST_INTERACTION),
        sections.boolean(section, "size", True),
    )


_CRITERIA_KEYS = ("costs", "cost_unit", *MADE, "scorers")

#: The keys that say how data are read: see `data.load` and `data.regrouped`.
_READING_KEYS = ("tidy", "group_col", "groups", "dropped", "holds")


class _Kind(NamedTuple):
    """How an oracle of a kind is made, the keys that it needs, and those that it may have."""

    make: Callable[[Section, Path], Oracle | SyntheticSpec]
    required: tuple[str, ...]
    optional: tuple[str, ...]


_ORACLES = {
    "table": _Kind(_table, ("path",), ("minimise", "data", "target", "model", *_READING_KEYS)),
    "wrapper": _Kind(
        _wrapper,
        ("data", "model"),
        ("target", "folds", "scoring", "random_state", *_READING_KEYS, *_CRITERIA_KEYS),
    ),
    "filter": _Kind(_filter, ("data", "merit"), ("target", "tidy", "holds", "scores", "bins", "costs", "cost_unit")),
    "synthetic": _Kind(_synthetic, ("n",), ("interaction", "size")),
}

#: The keys that an [oracle] may have, of whatever kind.
KEYS = ("kind", *dict.fromkeys(key for kind in _ORACLES.values() for key in (*kind.required, *kind.optional)))


def _random_state(section: Section) -> int:
    return sections.integer(section, "random_state", 0, least=0, most=LARGEST_STATE)


def material_of(
    section: Section, folder: Path, attributes: Attributes, dropped: Sequence[str] = ()
) -> DataMaterial | None:
    """The data that an oracle's section names, and its model, for methods that read them; None without data."""
    if "data" not in section:
        return None
    data = measured_data(attributes, data_of(section, folder), "give the data behind them")
    named = "model" in section and section["model"] is not None
    model = model_of(sections.text(section, "model"), data.classes, data.missing) if named else None
    return DataMaterial(data, model, random_state=_random_state(section), dropped=dropped)


def measured_data(measured: Attributes, data: Data, remedy: str) -> Data:
    """The data of the measured attributes: others, such as those a table dropped, are left out; none may be missing."""
    names = columns_of(data.X, data.columns, data.groups).attributes.names
    left = tuple(name for name in names if name in measured.names)
    if left == measured.names:
        return without(data, [name for name in names if name not in left])
    lacking = [name for name in measured.names if name not in left]
    why = "they stand in another order"
    if lacking:
        where = "left out of" if lacking[0] in data.left_out else "not in"
        why = f"{lacking[0]!r} is measured and {where} them"
    raise InputError(f"the attributes of `data` are not those that are measured, {why}; {remedy}")


def ungrouped(section: Section, folder: Path) -> Data:
    """The data that a section names, before its groups are made."""
    target, group_col, holds = (
        sections.text(section, key) if key in section else None for key in ("target", "group_col", "holds")
    )
    return load(
        sections.text(section, "data"),
        target,
        folder,
        tidy=sections.boolean(section, "tidy", False),
        group_col=group_col,
        dropped=sections.texts(section, "dropped"),
        holds=holds,
        model=section.get("model"),
    )


def data_of(section: Section, folder: Path) -> Data:
    """The data that a section names, read as its keys say."""
    data = ungrouped(section, folder)
    groups = sections.table(section.get("groups", {}), "groups")
    known = (*data.columns, *data.groups, *data.left_out, *groups)
    for name in sections.texts(section, "dropped"):
        if name not in known:
            hint = nearest(name, known, "check the name")
            raise InputError(f"`dropped` names {name!r}, which is no attribute of the data{hint}")
    return regrouped(data, {name: sections.texts(groups, name) for name in groups}) if groups else data


def _extras(section: Section) -> list[Extra]:
    """The criteria beyond score and size that a section asks for."""
    found: list[Extra] = []
    if "costs" in section:
        given = section["costs"]
        unit = sections.text(section, "cost_unit") if "cost_unit" in section else ""
        if isinstance(given, dict):
            found.append(
                cost({name: sections.finite(f"costs.{name}", value) for name, value in given.items()}, unit=unit)
            )
        else:
            found.append(cost(sections.numbers(section, "costs"), unit=unit))
    elif "cost_unit" in section:
        raise InputError("`cost_unit` has no `costs` beside it; add them, or leave it out")
    if "scorers" in section:
        found += [scored(name) for name in sections.texts(section, "scorers")]
    return found + [made() for name, made in MADE.items() if sections.boolean(section, name, False)]
