"""Drawing, as all displays share it: the axes to draw on, their labels, and how a value is written.

The rule: matplotlib is imported when something is drawn and not before; names are texts, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.printable import drawable, drawable_names, label_of, numbers_apart, width
from elicit.scores.answers import ModelAnswers
from elicit.scores.protocol import Floats, Ints

LINE = "#2a6f97"
FAINT = "#9bb7c9"

#: How many characters fit side by side below a new picture (beside a colour bar, fewer).
SIDE_BY_SIDE, BESIDE_A_BAR = 55, 38

#: How many columns of a label fit beside an axis or a colour bar in one line.
ON_ONE_LINE = 45

#: Inches of a map of pairs: its side at least, a cell of it, a column of a name beside and below it, its colour bar.
LEAST_SIDE, INCHES_A_CELL, INCHES_A_LETTER, INCHES_OF_BAR = 3.6, 0.2, 0.075, 1.3


#: Inches of a bar with its upright label, and of what stands beside all bars; so many are labelled, of more some.
INCHES_A_BAR, INCHES_BESIDE_BARS, MOST_LABELLED = 0.16, 1.0, 100

#: Width and height of a new picture, in inches.
SIZE = (6.4, 4.8)


def pyplot() -> Any:
    """matplotlib.pyplot, or what to do where it is missing."""
    try:
        from matplotlib import pyplot as found
    except ImportError as error:
        raise InputError("pictures need matplotlib; install it with: pip install matplotlib") from error
    return found


def axes_for(ax: Any, size: tuple[float, float] = SIZE) -> Any:
    """The axes to draw on: those given, or new ones in a picture of this width and height."""
    return pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def map_size(names: Sequence[str]) -> tuple[float, float]:
    """Width and height of a picture that a map of pairs fills: its names take as much room as they need, no more."""
    side = max(LEAST_SIDE, INCHES_A_CELL * len(names))
    beside = INCHES_A_LETTER * max(map(width, names), default=0) + 0.3
    return side + beside + INCHES_OF_BAR, side + beside + 0.4


def map_of_pairs(ax: Any, table: Floats, names: Sequence[str], meaning: str, **colours: Any) -> tuple[Any, Any]:
    """Draw a square table with the names at both sides and a colour bar; the axes and the image."""
    names = drawable_names(names)
    ax = axes_for(ax, map_size(names))
    image = ax.imshow(table, **colours)
    places = np.arange(len(names))
    ax.set_xticks(places, names, rotation=90, fontsize="small")
    ax.set_yticks(places, names, fontsize="small")
    ax.figure.colorbar(image, ax=ax, label=meaning)
    return ax, image


def bars_size(bars: int) -> tuple[float, float]:
    """Width and height of a picture of so many bars: it is as wide as their upright labels need."""
    return max(SIZE[0], INCHES_A_BAR * min(bars, MOST_LABELLED) + INCHES_BESIDE_BARS), SIZE[1]


def label_bars(ax: Any, levels: Sequence[str]) -> None:
    """Label bars below them, turned upright where the labels would overlap; of very many some, evenly spread."""
    places = spread_out(len(levels), MOST_LABELLED)
    upright = sum(map(width, levels)) > SIDE_BY_SIDE
    ax.set_xticks(places, [levels[p] for p in places], rotation=90 if upright else 0)


def spread_out(count: int, most: int) -> Ints:
    """The places of so many things, or of some that are evenly spread over all, the first and the last among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.intp))


def answer_label(ask: ModelAnswers) -> str:
    """What a model answers with, in words; "" where it is its prediction."""
    if ask.label is None:
        return "" if ask.column is None else f"output {ask.column}"
    return f"{'chance of' if ask.method == 'predict_proba' else 'decision for'} class {label_of(ask.label)}"


def axis_label(what: str, answer: str) -> str:
    """The label of an axis: what is drawn, and of which answer, in two lines where one would be cut off."""
    if not answer:
        return what
    told = f"({drawable(answer)})"
    gap = " " if len(what) + width(told) < ON_ONE_LINE else "\n"
    return what + gap + told


def tick_labels(values: Iterable[Any]) -> list[str]:
    """Values of an attribute, short enough for an axis and told apart."""
    values = list(values)
    numbers = iter(numbers_apart([value for value in values if isinstance(value, float)], 4))
    return [next(numbers) if isinstance(value, float) else drawable(_without_midnight(value)) for value in values]


def _without_midnight(value: Any) -> Any:
    """A time as it is told: to the day, the minute or what else it is given to; any other value as it is."""
    return np.datetime_as_string(value, unit="auto") if isinstance(value, np.datetime64) else value


def count_below(ax: Any) -> None:
    """Name whole numbers alone below the axes, unless whoever gave them has said what to name, as a log scale does."""
    from matplotlib.ticker import MaxNLocator

    if isinstance(locator := ax.xaxis.get_major_locator(), MaxNLocator):
        locator.set_params(integer=True, min_n_ticks=1)


def count_where_whole(ax: Any, at: Floats) -> None:
    """The same where all that is drawn lies at whole numbers, such as years, between which there are no halves."""
    if np.array_equal(at, np.round(at)):
        count_below(ax)
