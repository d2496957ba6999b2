"""The data that a command line names, in groups, without what is dropped."""

from __future__ import annotations

from elicit.commands.arguments import column_groups, listed, mask_of_listed
from elicit.data import Data, load, regrouped, without
from elicit.errors import InputError
from elicit.oracles.columns import columns_of


def chosen_data(
    name: str,
    target: str | None,
    *,
    tidy: bool,
    holds: str | None,
    model: str | None,
    groups: str,
    drop: str,
    group_col: str | None = None,
) -> Data:
    """The data for a command that needs nothing of what is dropped, which may be odd."""
    gone = listed(drop)
    data = load(name, target, tidy=tidy, group_col=group_col, dropped=gone, holds=holds, model=model)
    data = regrouped(data, column_groups(groups))
    there = [name for name in gone if name not in data.left_out]
    if not there:
        return data
    attributes = columns_of(data.X, data.columns, data.groups).attributes
    dropped = mask_of_listed(there, attributes, "--drop", data.groups)
    if dropped == attributes.everything:
        raise InputError("--drop leaves no attribute; drop fewer")
    return without(data, attributes.subset(dropped))
