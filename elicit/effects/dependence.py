"""Partial dependence: the mean answer of a model when one or two attributes are set to each value of a grid.

PD_S(x_S) = mean over the rows of f(x_S, X_−S). The curves of the single rows, before the mean, are the
individual conditional expectations.

The rule: the grid is stated in the result. For numbers it is as scikit-learn's: the distinct values when
they are fewer than `points`, else `points` even steps between two percentiles; for categories, the levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats.mstats import mquantiles

from elicit.effects.drawing import (
    BESIDE_A_BAR,
    FAINT,
    LINE,
    SIZE,
    answer_label,
    axes_for,
    axis_label,
    bars_size,
    count_where_whole,
    label_bars,
    spread_out,
    tick_labels,
)
from elicit.errors import InputError
from elicit.numeric import whole
from elicit.printable import drawable, width
from elicit.scores.answers import ModelAnswers, answers, in_calls
from elicit.scores.protocol import Floats
from elicit.scores.sheet import Sheet, gap

Values = NDArray[Any]

#: Steps of a grid of numbers, and the percentiles between which it lies.
POINTS = 100
PERCENTILES = (0.05, 0.95)

#: Values named at a side of a map: of numbers a few, of categories all that there is room for.
MOST_NUMBERS, MOST_LEVELS = 6, 20


@dataclass(frozen=True)
class PartialDependence:
    """One or two attributes, the grid of each, and the mean answer at every point (shape of the grid).

    individual: the answers row by row, (rows, *grid), when they were asked for. answer: what the model answers with,
        such as "chance of class 1"; "" for its prediction.
    """

    attributes: tuple[str, ...]
    grids: tuple[Values, ...]
    categorical: tuple[bool, ...]
    average: Floats
    individual: Floats | None = None
    answer: str = ""

    def centred(self) -> PartialDependence:
        """The same with every curve moved to 0 at the first point of the grid."""
        first = (0,) * len(self.grids)
        rows = self.individual
        if rows is not None:
            start = rows.reshape(len(rows), -1)[:, 0]
            rows = rows - start.reshape(-1, *(1,) * len(first))
        average = self.average - self.average[first]
        return replace(self, average=average, individual=rows)

    def plot(self, ax: Any = None) -> PartialDependenceDisplay:
        """Draw it (needs matplotlib)."""
        return PartialDependenceDisplay(self).plot(ax)


class PartialDependenceDisplay:
    """A curve (numbers), points (categories) or a map (two attributes)."""

    def __init__(self, result: PartialDependence) -> None:
        self.result = result

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, attributes: int | str | Sequence[int | str], *, ax: Any = None, **options: Any
    ) -> PartialDependenceDisplay:
        """Compute and draw; options as for `partial_dependence`."""
        return cls(partial_dependence(model, X, attributes, **options)).plot(ax)

    def plot(self, ax: Any = None) -> PartialDependenceDisplay:
        """Draw on this axis, or on a new one."""
        levels = self.result.categorical == (True,)
        self.ax_ = axes_for(ax, bars_size(len(self.result.grids[0])) if levels else SIZE)
        self.figure_ = self.ax_.figure
        if len(self.result.grids) == 2:
            self._map()
        else:
            self._curve()
        return self

    def _curve(self) -> None:
        (grid,), rows = self.result.grids, self.result.individual
        if self.result.categorical[0]:
            places = np.arange(len(grid))
            if rows is not None:
                self.ax_.plot(places, rows.T, color=FAINT, linewidth=0, marker="_", markersize=12, alpha=0.7)
            # no bars: they begin at 0, which means nothing here, and hide how little or much the answers differ
            self.ax_.plot(places, self.result.average, color=LINE, linewidth=0, marker="o", markersize=7)
            self.ax_.set_xlim(-0.6, len(grid) - 0.4)
            label_bars(self.ax_, tick_labels(grid))
        else:
            if rows is not None:
                self.ax_.plot(grid, rows.T, color=FAINT, linewidth=0.5, alpha=0.5)
            only = "o" if len(grid) == 1 else ""  # one point makes no line
            self.ax_.plot(grid, self.result.average, color=LINE, linewidth=2, marker=only)
            count_where_whole(self.ax_, grid)
        self.ax_.set_xlabel(drawable(self.result.attributes[0]))
        self.ax_.set_ylabel(axis_label("mean answer", self.result.answer))

    def _map(self) -> None:
        # each cell as it is: smoothing would show answers between categories, where there are none
        image = self.ax_.imshow(
            self.result.average.T, origin="lower", aspect="auto", cmap="viridis", interpolation="nearest"
        )
        axes = (self.ax_.xaxis, self.ax_.yaxis)
        for grid, categorical, axis in zip(self.result.grids, self.result.categorical, axes, strict=True):
            # between two numbers one sees what lies there; between two categories one does not
            most = MOST_LEVELS if categorical else MOST_NUMBERS
            places = spread_out(len(grid), most)
            labels = tick_labels([grid[p] for p in places])
            axis.set_ticks(places, labels)
            if axis is self.ax_.xaxis and sum(map(width, labels)) > BESIDE_A_BAR:
                axis.set_tick_params(rotation=90)
        self.ax_.set_xlabel(drawable(self.result.attributes[0]))
        self.ax_.set_ylabel(drawable(self.result.attributes[1]))
        self.figure_.colorbar(image, ax=self.ax_, label=axis_label("mean answer", self.result.answer))


def partial_dependence(
    model: Any,
    X: Any,
    attributes: int | str | Sequence[int | str],
    *,
    points: int = POINTS,
    percentiles: tuple[float, float] = PERCENTILES,
    grids: Sequence[Any] | None = None,
    categorical: int | str | Sequence[int | str] = (),
    individual: bool = False,
    response: str = "auto",
    target: Any = None,
) -> PartialDependence:
    """Partial dependence on one attribute or two.

    grids: values of one's own, one list an attribute. categorical: attributes of numbers that are labels.
    response, target: what of the model is meant: see `elicit.scores.answers`.
    """
    ask, sheet = answers(model, response, target), Sheet(X)
    chosen = _as_list(attributes)
    held = [sheet.position(attribute) for attribute in chosen]
    if len(held) not in (1, 2) or len(set(held)) < len(held):
        raise InputError(f"partial dependence is on one attribute or on two different ones, found {chosen!r}")
    labels = {sheet.position(attribute) for attribute in _as_list(categorical)}
    kinds = tuple(j in labels or not sheet.numeric(j) for j in held)
    if grids is None:
        axes = tuple(
            levels(sheet, j) if kind else number_grid(sheet, j, points, percentiles)
            for j, kind in zip(held, kinds, strict=True)
        )
    else:
        axes = tuple(np.asarray(grid) for grid in _as_list(grids))
        _check_grids(axes, [sheet.names[j] for j in held], kinds)
    shape = tuple(len(axis) for axis in axes)
    mesh = [part.ravel() for part in np.meshgrid(*axes, indexing="ij")]
    at = dict(zip(held, mesh, strict=True)), len(mesh[0])
    rows = answers_at_points(ask, sheet, *at) if individual else None
    average = means_at_points(ask, sheet, *at) if rows is None else rows.mean(axis=1)
    names = tuple(sheet.names[j] for j in held)
    curves = None if rows is None else rows.T.reshape(sheet.n, *shape)
    return PartialDependence(names, axes, kinds, average.reshape(shape), curves, answer_label(ask))


def _as_list(given: Any) -> list[Any]:
    """One attribute (or grid), or several, as a list."""
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return list(given) if several else [given]


def _check_grids(axes: Sequence[Values], names: Sequence[str], kinds: Sequence[bool]) -> None:
    """Refuse grids of one's own that are not one list of values an attribute, of numbers where it holds numbers."""
    if len(axes) != len(names) or any(axis.ndim != 1 or len(axis) == 0 for axis in axes):
        raise InputError(f"give one list of values for each of {list(names)!r}")
    for axis, name, kind in zip(axes, names, kinds, strict=True):
        if not kind and (axis.dtype.kind not in "iuf" or not np.isfinite(axis).all()):
            raise InputError(f"the grid of {name!r} holds numbers, found {axis.tolist()!r:.80}")


def individual_expectations(model: Any, X: Any, attribute: int | str, **options: Any) -> PartialDependence:
    """The curve of every row, besides the mean; options as for `partial_dependence`."""
    return partial_dependence(model, X, attribute, individual=True, **options)


def answers_at_points(ask: ModelAnswers, sheet: Sheet, points: dict[int, Values], count: int) -> Floats:
    """f with the attributes set to each point, for every row: (points, rows), in as few calls as fit."""
    rows = partial(_rows_at_points, sheet, points)
    return in_calls(ask, count * sheet.n, sheet.d, rows).reshape(count, sheet.n)


def means_at_points(ask: ModelAnswers, sheet: Sheet, points: dict[int, Values], count: int) -> Floats:
    """Their means over the rows, (points,), without keeping the answer of every row."""

    def whole_points(start: int, stop: int) -> Any:
        return _rows_at_points(sheet, points, start * sheet.n, stop * sheet.n)

    return in_calls(lambda rows: ask(rows).reshape(-1, sheet.n).mean(axis=1), count, sheet.n * sheet.d, whole_points)


def _rows_at_points(sheet: Sheet, points: dict[int, Values], start: int, stop: int) -> Any:
    """Some of all rows with the attributes set to the first point, then to the second, and so on."""
    point, row = np.divmod(np.arange(start, stop), sheet.n)
    return sheet.replaced(row, {j: values[point] for j, values in points.items()})


def number_grid(sheet: Sheet, j: int, points: int, percentiles: tuple[float, float]) -> Floats:
    """The distinct values of a column when they are fewer than `points`, else even steps between percentiles."""
    whole("points", points, 2)
    shares = np.asarray(percentiles)
    if shares.shape != (2,) or shares.dtype.kind not in "iuf" or not 0 <= shares[0] < shares[1] <= 1:
        raise InputError(f"percentiles are two shares in increasing order, found {percentiles!r}")
    low, high = shares.tolist()
    column = sheet.numbers(j)
    distinct = np.unique(column)
    if len(distinct) < points:
        return distinct
    start, stop = mquantiles(column, prob=(low, high))
    if start == stop:
        raise InputError(
            f"the column {sheet.names[j]!r} is {start} at both percentiles; give wider percentiles, or grids"
        )
    return np.linspace(start, stop, points)


def levels(sheet: Sheet, j: int) -> Values:
    """The levels of a categorical column: in its own order when it has one, else sorted."""
    column = sheet.column(j)
    if any(map(gap, column)):
        raise InputError(f"the column {sheet.names[j]!r} has gaps; fill or drop such rows first")
    kind = sheet.categories(j)
    if kind is not None and kind.ordered:
        seen = set(column)
        return np.array([level for level in kind.categories if level in seen], dtype=column.dtype)
    try:
        return np.unique(column)
    except TypeError as error:
        raise InputError(f"the column {sheet.names[j]!r} mixes kinds of values; make them all texts") from error
