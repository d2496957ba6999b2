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

_LINE = "#2a6f97"
_FAINT = "#9bb7c9"


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
            self.ax_.set_xticks(places, [_shown(level) for level in grid])
        else:
            if rows is not None:
                self.ax_.plot(grid, rows.T, color=_FAINT, linewidth=0.5, alpha=0.5)
            self.ax_.plot(grid, self.result.average, color=_LINE, linewidth=2)
        self.ax_.set_xlabel(_plain(self.result.attributes[0]))
        self.ax_.set_ylabel("mean answer")

    def _map(self) -> None:
        image = self.ax_.imshow(self.result.average.T, origin="lower", aspect="auto", cmap="viridis")
        for grid, axis in zip(self.result.grids, (self.ax_.xaxis, self.ax_.yaxis), strict=True):
            places = np.unique(np.linspace(0, len(grid) - 1, min(len(grid), 6)).round().astype(int))
            axis.set_ticks(places, [_shown(grid[p]) for p in places])
        self.ax_.set_xlabel(_plain(self.result.attributes[0]))
        self.ax_.set_ylabel(_plain(self.result.attributes[1]))
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
            self.ax_.set_xticks(places, [_shown(level) for level in self.result.at])
        else:
            self.ax_.plot(self.result.at, self.result.effect, color=_LINE, marker=".")
        self.ax_.set_xlabel(_plain(self.result.attribute))
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
        self.ax_ = _axis(ax)
        self.figure_ = self.ax_.figure
        table = self.result.matrix.copy()
        np.fill_diagonal(table, np.nan if self.result.overall is None else self.result.overall)
        image = self.ax_.imshow(table, cmap="viridis", vmin=0.0)
        places, names = np.arange(len(table)), [_plain(name) for name in self.result.names]
        self.ax_.set_xticks(places, names, rotation=90)
        self.ax_.set_yticks(places, names)
        self.figure_.colorbar(image, ax=self.ax_, label="H (diagonal: against all others)")
        return self


def _axis(ax: Any) -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise InputError("drawing needs matplotlib; install it with: pip install 'elicit[plot]'") from error
    return pyplot.subplots()[1] if ax is None else ax


def _plain(name: Any) -> str:
    """A name as text: control characters shown as such, and no dollar sign that would begin mathematics."""
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(name))
    return text.replace("$", r"\$")


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else _plain(value)
