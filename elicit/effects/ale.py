"""Accumulated local effects: what a small step of an attribute changes, added up along its values.

Intervals (b_k−1, b_k], the first one closed. For the n_k rows of interval k the mean of
f(x with b_k) − f(x with b_k−1) is its local effect; they are added up from 0 at b_0, and the curve is moved
so that its mean over the rows (each at the middle of its interval) is 0. No row is asked about values that
are far from its own, so correlated attributes do not mislead it. It takes 2n rows of the model.

Ordered categories: the step between neighbouring levels, over the rows of both; centred by their counts.

The rule: quantile borders are order statistics, b_k the value of rank ⌈kn/K⌉, found in whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.effects.dependence import levels
from elicit.effects.drawing import (
    FAINT,
    LINE,
    SIZE,
    answer_label,
    axes_for,
    axis_label,
    bars_size,
    count_where_whole,
    label_bars,
    tick_labels,
)
from elicit.errors import InputError
from elicit.numeric import whole
from elicit.printable import drawable
from elicit.scores.answers import ModelAnswers, answers, in_calls
from elicit.scores.protocol import Floats, Ints, quantile_borders
from elicit.scores.sheet import Sheet

#: Intervals, unless asked otherwise.
INTERVALS = 20


@dataclass(frozen=True)
class Ale:
    """The effect at each border (K+1,) or level; counts: rows of each interval (K,) or level.

    answer: what the model answers with, such as "chance of class 1"; "" for its prediction.
    """

    attribute: str
    at: NDArray[Any]
    effect: Floats
    counts: Ints
    categorical: bool
    answer: str = ""

    def plot(self, ax: Any = None) -> AleDisplay:
        """Draw it (needs matplotlib)."""
        return AleDisplay(self).plot(ax)


class AleDisplay:
    """The accumulated effect with the borders of its intervals, or bars of levels."""

    def __init__(self, result: Ale) -> None:
        self.result = result

    @classmethod
    def from_estimator(cls, model: Any, X: Any, attribute: int | str, *, ax: Any = None, **options: Any) -> AleDisplay:
        """Compute and draw; options as for `ale`."""
        return cls(ale(model, X, attribute, **options)).plot(ax)

    def plot(self, ax: Any = None) -> AleDisplay:
        """Draw on this axis, or on a new one."""
        self.ax_ = axes_for(ax, bars_size(len(self.result.at)) if self.result.categorical else SIZE)
        self.figure_ = self.ax_.figure
        self.ax_.axhline(0.0, color=FAINT, linewidth=0.8)
        if self.result.categorical:
            places = np.arange(len(self.result.at))
            self.ax_.bar(places, self.result.effect, color=LINE)
            label_bars(self.ax_, tick_labels(self.result.at))
        else:
            self.ax_.plot(self.result.at, self.result.effect, color=LINE, marker=".")
            count_where_whole(self.ax_, self.result.at)
        self.ax_.set_xlabel(drawable(self.result.attribute))
        self.ax_.set_ylabel(axis_label("accumulated effect", self.result.answer))
        return self


def ale(
    model: Any,
    X: Any,
    attribute: int | str,
    *,
    intervals: int = INTERVALS,
    spacing: str = "quantile",
    borders: Any = None,
    categorical: bool | Sequence[Any] | None = None,
    response: str = "auto",
    target: Any = None,
) -> Ale:
    """Accumulated local effects of one attribute.

    spacing: "quantile" (about as many rows each) or "width". borders: borders of one's own instead.
    categorical: the levels in their order; True for sorted levels or the order that a frame knows.
    """
    ask, sheet = answers(model, response, target), Sheet(X)
    j = sheet.position(attribute)
    kind = sheet.categories(j)
    if categorical is None and kind is not None and kind.ordered:
        categorical = True  # the frame itself knows the order
    if categorical is not None and categorical is not False:
        return _ale_of_levels(
            ask, sheet, j, levels(sheet, j) if categorical is True else _levels_in_order(sheet, j, categorical)
        )
    if not sheet.numeric(j):
        raise InputError(
            f"the column {sheet.names[j]!r} holds categories; say their order (categorical=[…]), "
            "since effects add up along it, or use partial dependence, which needs none"
        )
    column = sheet.numbers(j)
    edges = _borders(column, intervals, spacing) if borders is None else _checked_borders(borders, column)
    if len(edges) < 2:
        raise InputError(f"the column {sheet.names[j]!r} holds one value only, so it has no effect to show")
    place = np.maximum(np.searchsorted(edges, column, side="left"), 1)  # interval k is (b_k−1, b_k]
    steps = _difference(ask, sheet, j, edges[place], edges[place - 1])
    counts = np.bincount(place, minlength=len(edges))[1:]
    sums = np.bincount(place, steps, minlength=len(edges))[1:]
    effect = np.concatenate([[0.0], np.cumsum(sums / np.maximum(counts, 1))])  # an empty interval adds nothing
    middle = (effect[1:] + effect[:-1]) / 2
    return Ale(sheet.names[j], edges, effect - counts @ middle / sheet.n, counts, False, answer_label(ask))


def _borders(column: Floats, intervals: int, spacing: str) -> Floats:
    """The borders of so many intervals or, where some would be the same, fewer."""
    if spacing == "quantile":
        edges = quantile_borders(column, whole("intervals", intervals))
    elif spacing == "width":
        edges = np.linspace(column.min(), column.max(), whole("intervals", intervals) + 1)
    else:
        raise InputError(f"spacing is 'quantile' or 'width', found {spacing!r}")
    return np.unique(edges)


def _ale_of_levels(ask: ModelAnswers, sheet: Sheet, j: int, order: NDArray[Any]) -> Ale:
    if len(order) < 2:
        raise InputError(f"the column {sheet.names[j]!r} holds one level only, so it has no effect to show")
    known = {level: k for k, level in enumerate(order.tolist())}
    code = np.array([known[value] for value in sheet.column(j).tolist()])
    # step k is between the levels k−1 and k: rows of k−1 look up, rows of k look down
    up, down = np.flatnonzero(code < len(order) - 1), np.flatnonzero(code > 0)
    rows = np.concatenate([up, down])
    step = np.concatenate([code[up] + 1, code[down]])
    change = _difference(ask, sheet, j, order[step], order[step - 1], rows)
    among = np.bincount(step, minlength=len(order))[1:]
    effect = np.concatenate([[0.0], np.cumsum(np.bincount(step, change, minlength=len(order))[1:] / among)])
    counts = np.bincount(code, minlength=len(order))
    return Ale(sheet.names[j], order, effect - counts @ effect / sheet.n, counts, True, answer_label(ask))


def _difference(
    ask: ModelAnswers, sheet: Sheet, j: int, upper: NDArray[Any], lower: NDArray[Any], rows: Ints | None = None
) -> Floats:
    """f with the attribute at `upper` less f with it at `lower`, for these rows."""
    held = np.tile(np.arange(sheet.n) if rows is None else rows, 2)
    values = np.concatenate([upper, lower])

    def batch(start: int, stop: int) -> Any:
        return sheet.replaced(held[start:stop], {j: values[start:stop]})

    both = in_calls(ask, len(held), sheet.d, batch)
    return np.asarray(both[: len(upper)] - both[len(upper) :])


def _levels_in_order(sheet: Sheet, j: int, order: Any) -> NDArray[Any]:
    """The levels in the given order: each level of the column once, and no other."""
    if not isinstance(order, Iterable):
        raise InputError(f"categorical is true, false or the levels in their order, found {order!r}")
    column, listed = sheet.column(j), list(order)
    if any(map(np.ndim, listed)) or len(set(listed)) < len(listed) or set(listed) != set(column.tolist()):
        held = sorted(set(column.tolist()), key=str)
        raise InputError(f"the order of {sheet.names[j]!r} must list each of its levels once: {held}")
    return np.array(listed, dtype=column.dtype)


def _checked_borders(borders: Any, column: Floats) -> Floats:
    edges = np.asarray(borders)
    numbers = edges.dtype.kind in "iuf" and edges.ndim == 1 and bool(np.isfinite(edges).all())
    if not numbers or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise InputError("borders must be at least two finite numbers in increasing order")
    if edges[0] > column.min() or edges[-1] < column.max():
        raise InputError(f"borders must reach from {column.min():g} to {column.max():g}, where the values lie")
    return edges.astype(np.float64)
