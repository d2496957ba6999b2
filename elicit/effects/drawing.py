"""Drawing: what the displays of all effects share: an axis, the names on it, and how a value is told.

The rule: matplotlib is imported when something is drawn and not before; names are texts, never markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.printable import drawable

LINE = "#2a6f97"
FAINT = "#9bb7c9"

#: Height of a name in a new picture, and characters that stand side by side below one (beside a colour bar, fewer).
INCHES_A_NAME, SIDE_BY_SIDE, BESIDE_A_BAR = 0.17, 55, 38


def axes_for(ax: Any, names: int = 0) -> Any:
    """The axes to draw on: those given, or new ones with room for so many names on both sides."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError("drawing needs matplotlib; install it with: pip install 'elicit[plot]'") from error
    if ax is not None:
        return ax
    height = max(4.8, INCHES_A_NAME * names + 1.5)
    return pyplot.subplots(figsize=(height + 1.6, height), layout="constrained")[1]


def bars_named(ax: Any, levels: Sequence[str]) -> None:
    """The names of bars below them, upright where they would run into each other."""
    upright = sum(map(len, levels)) > SIDE_BY_SIDE
    ax.set_xticks(np.arange(len(levels)), levels, rotation=90 if upright else 0)


def shown(value: Any) -> str:
    """A value of an attribute, short enough for an axis."""
    return f"{value:.4g}" if isinstance(value, float) else drawable(value)
