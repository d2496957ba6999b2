"""The data that a command line names, in groups, without what is dropped; and a word while a large file is read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from elicit.alongside.display import Meter
from elicit.commands.arguments import column_groups, listed, mask_of_listed
from elicit.data import Data, load, regrouped, without
from elicit.errors import InputError
from elicit.oracles.columns import columns_of
from elicit.printable import printable

#: Seconds after which a terminal is told that a file is being read: most are read sooner.
_SECONDS_OF_SILENCE = 1.0


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Tell whoever waits at a terminal what is being read in the block, once that takes long."""
    with Meter(sys.stderr) as meter:
        timer = threading.Timer(_SECONDS_OF_SILENCE, meter.update, (0.0, f"reading {printable(name)}"))
        timer.daemon = True  # an exit of the process need not wait for it
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # else it might draw what is cleared now


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
    gone, joined = listed(drop), column_groups(groups)
    with reading(name):
        data = load(name, target, tidy=tidy, group_col=group_col, dropped=gone, holds=holds, model=model)
    data = regrouped(data, joined)
    there = [name for name in gone if name not in data.left_out]
    if not there:
        return data
    attributes = columns_of(data.X, data.columns, data.groups).attributes
    dropped = mask_of_listed(there, attributes, "--drop", data.groups)
    if dropped == attributes.everything:
        raise InputError("--drop leaves no attribute; drop fewer")
    return without(data, attributes.subset(dropped))
