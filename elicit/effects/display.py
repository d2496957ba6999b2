"""Displays: each effect drawn on an axis, in the manner of scikit-learn (`from_estimator`, `ax`, `ax_`, `figure_`).

The rule: matplotlib is imported when something is drawn and not before; names are texts, never markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from elicit.effects.ale import Ale, ale
from elicit.effects.dependence import PartialDependence, partial_dependence
from elicit.effects.interaction import Interactions, h_statistic
from elicit.errors import InputError
from elicit.printable import drawable

_LINE = "#2a6f97"
_FAINT = "#9bb7c9"

#: Height of a name in a new picture, and characters that stand side by side below one.
_INCHES_A_NAME, _SIDE_BY_SIDE = 0.17, 55


class PartialDependenceDisplay:
    """A curve (numbers), bars (categories) or a map (two attributes)."""

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
        self.ax_ = _axis(ax)
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
            self.ax_.bar(places, self.result.average, color=_LINE)
            _levels(self.ax_, [_shown(level) for level in grid])
        else:
            if rows is not None:
                self.ax_.plot(grid, rows.T, color=_FAINT, linewidth=0.5, alpha=0.5)
            only = "o" if len(grid) == 1 else ""  # one point makes no line
            self.ax_.plot(grid, self.result.average, color=_LINE, linewidth=2, marker=only)
        self.ax_.set_xlabel(drawable(self.result.attributes[0]))
        self.ax_.set_ylabel("mean answer")

    def _map(self) -> None:
        image = self.ax_.imshow(self.result.average.T, origin="lower", aspect="auto", cmap="viridis")
        for grid, axis in zip(self.result.grids, (self.ax_.xaxis, self.ax_.yaxis), strict=True):
            places = np.unique(np.linspace(0, len(grid) - 1, min(len(grid), 6)).round().astype(int))
            axis.set_ticks(places, [_shown(grid[p]) for p in places])
            if axis is self.ax_.xaxis and sum(len(_shown(grid[p])) for p in places) > _SIDE_BY_SIDE:
                axis.set_tick_params(rotation=90)
        self.ax_.set_xlabel(drawable(self.result.attributes[0]))
        self.ax_.set_ylabel(drawable(self.result.attributes[1]))
        self.figure_.colorbar(image, ax=self.ax_, label="mean answer")


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
        self.ax_ = _axis(ax)
        self.figure_ = self.ax_.figure
        self.ax_.axhline(0.0, color=_FAINT, linewidth=0.8)
        if self.result.categorical:
            places = np.arange(len(self.result.at))
            self.ax_.bar(places, self.result.effect, color=_LINE)
            _levels(self.ax_, [_shown(level) for level in self.result.at])
        else:
            self.ax_.plot(self.result.at, self.result.effect, color=_LINE, marker=".")
        self.ax_.set_xlabel(drawable(self.result.attribute))
        self.ax_.set_ylabel("accumulated effect")
        return self


class InteractionDisplay:
    """H of all pairs as a map; on the diagonal, H of each attribute against all others."""

    def __init__(self, result: Interactions) -> None:
        self.result = result

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, ax: Any = None, **options: Any) -> InteractionDisplay:
        """Compute and draw; options as for `h_statistic`."""
        return cls(h_statistic(model, X, **options)).plot(ax)

    def plot(self, ax: Any = None) -> InteractionDisplay:
        """Draw on this axis, or on a new one."""
        self.ax_ = _axis(ax, len(self.result.names))
        self.figure_ = self.ax_.figure
        table = self.result.matrix.copy()
        np.fill_diagonal(table, np.nan if self.result.overall is None else self.result.overall)
        most = float(np.nanmax(table, initial=0.0)) or 1.0
        image = self.ax_.imshow(table, cmap="viridis", vmin=0.0, vmax=most)
        places, names = np.arange(len(table)), [drawable(name) for name in self.result.names]
        self.ax_.set_xticks(places, names, rotation=90, fontsize="small")
        self.ax_.set_yticks(places, names, fontsize="small")
        self.figure_.colorbar(image, ax=self.ax_, label="H (diagonal: against all others)")
        return self


def _axis(ax: Any, names: int = 0) -> Any:
    """The axes to draw on: those given, or new ones with room for so many names on both sides."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError("drawing needs matplotlib; install it with: pip install 'elicit[plot]'") from error
    if ax is not None:
        return ax
    height = max(4.8, _INCHES_A_NAME * names + 1.5)
    return pyplot.subplots(figsize=(height + 1.6, height), layout="constrained")[1]


def _levels(ax: Any, levels: Sequence[str]) -> None:
    """The names of bars below them, upright where they would run into each other."""
    upright = sum(map(len, levels)) > _SIDE_BY_SIDE
    ax.set_xticks(np.arange(len(levels)), levels, rotation=90 if upright else 0)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else drawable(value)
