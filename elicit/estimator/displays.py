"""Displays: a fitted selector as pictures, each a class with `from_estimator` and `plot`, as in scikit-learn.

They need matplotlib (the extra "plot"), which is imported only when something is drawn. Colour never
carries meaning alone: what is chosen has its own marker and is named in the legend.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from elicit.effects.drawing import SIZE, axes_for, count_below, map_of_pairs
from elicit.errors import InputError
from elicit.estimator.declared import Declared
from elicit.events import SCORE_AND_SIZE
from elicit.numeric import whole
from elicit.printable import drawable_names, many
from elicit.subsets import Mask
from elicit.worth import worth_by

if TYPE_CHECKING:
    from elicit.selector import ElicitSelector

Floats = NDArray[np.float64]

#: Attributes named in a picture; of more, those of the largest power index, and the picture says so.
MOST_NAMED = 40

#: Height of a name in a new picture.
INCHES_A_NAME = 0.17

#: Where the numbers of a picture come from: many utilities fit what was measured and answered.
BY_THE_UTILITY = "by the simplest utility that fits, not by the score"


def _require_fitted(selector: Any) -> None:
    """Refuse what is not a selector, or not fitted."""
    check_is_fitted(selector)
    if not hasattr(selector, "session_"):
        step = ": give its step, such as pipeline[0]" if isinstance(selector, Pipeline) else ""
        raise InputError(f"expected a fitted ElicitSelector, found {type(selector).__name__}{step}")


@dataclass(repr=False)  # on one line, as the displays of scikit-learn
class ParetoDisplay:
    """Score against size: everything evaluated, the front with its spread over the folds, and the choice.

    counted: what the size counts: a feature, or with groups of them an attribute. A spread is NaN where none is known.
    further: criteria that are not drawn: by them others may be on the front, too, as what was chosen.
    """

    sizes: Floats
    scores: Floats
    front_sizes: Floats
    front_scores: Floats
    front_spread: Floats
    chosen: tuple[float, float]
    chosen_features: tuple[str, ...]
    counted: str = "feature"
    further: tuple[str, ...] = ()
    ax_: Any = None
    figure_: Any = None

    @classmethod
    def from_estimator(cls, selector: ElicitSelector, *, ax: Any = None) -> Self:
        """Draw the front of a fitted selector."""
        _require_fitted(selector)
        history = selector.session_.history
        measured = history.evaluated.values()
        # with a third criterion the front is wider than what a picture of two can show: score and size alone count
        front = _upper_left([(float(f.size), f.score, f.spread) for f in selector.front_])
        return cls(
            np.array([f.subset.bit_count() for f in measured], dtype=np.float64),
            np.array([f.criteria[0] for f in measured]),
            np.array([size for size, _, _ in front]),
            np.array([score for _, score, _ in front]),
            np.array([np.nan if spread is None else spread for _, _, spread in front]),
            (float(len(selector.feature_names_)), selector.best_score_),
            selector.feature_names_,
            "attribute" if selector.feature_groups else "feature",
            tuple(criterion.name for criterion in history.criteria[len(SCORE_AND_SIZE) :]),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it."""
        ax = self.ax_ = axes_for(ax)
        self.figure_ = ax.figure
        front = f"front by score and {self.counted}s alone" if self.further else "front"
        ax.scatter(self.sizes, self.scores, s=14, color="0.7", label="evaluated", zorder=1)
        ax.errorbar(
            self.front_sizes,
            self.front_scores,
            yerr=self.front_spread,
            fmt="o-",
            color="C0",
            ecolor="C0",
            capsize=3,
            elinewidth=0.8,
            markersize=5,
            label=f"{front} ± spread of folds" if np.isfinite(self.front_spread).any() else front,
            zorder=2,
        )
        chosen = f"chosen ({many(len(self.chosen_features), self.counted)})"
        ax.scatter(*self.chosen, marker="*", s=220, color="C1", edgecolor="black", label=chosen, zorder=3)
        ax.set_xlabel(f"{self.counted}s")
        ax.set_ylabel("mean score over the folds")
        count_below(ax)
        ax.legend()
        return self


def _upper_left(points: list[tuple[float, float, float | None]]) -> list[tuple[float, float, float | None]]:
    """The points, smallest first, whose score is above that of every smaller one."""
    kept: list[tuple[float, float, float | None]] = []
    for point in sorted(points, key=lambda p: (p[0], -p[1])):
        if not kept or point[1] > kept[-1][1]:
            kept.append(point)
    return kept


@dataclass(repr=False)  # on one line, as the displays of scikit-learn
class RegretDisplay:
    """How far the best that was evaluated so far was behind the best of all that were.

    The unit is that of the utility: the score with `operator=None`, the expression's with an expression;
    for other operators that of the utility of least norm that fits all the answers.
    """

    evaluations: Floats
    regret: Floats
    unit: str
    ax_: Any = None
    figure_: Any = None

    @classmethod
    def from_estimator(cls, selector: ElicitSelector, *, ax: Any = None) -> Self:
        """Draw the path of a fitted selector."""
        _require_fitted(selector)
        worth, unit = _worth(selector)
        values = np.array([worth[x] for x in selector.session_.history.evaluated if x in worth])
        so_far = np.maximum.accumulate(values)
        return cls(np.arange(1, len(values) + 1, dtype=np.float64), so_far[-1] - so_far, unit).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it."""
        ax = self.ax_ = axes_for(ax)
        self.figure_ = ax.figure
        only = "o" if len(self.evaluations) == 1 else ""  # one point makes no line
        ax.step(self.evaluations, self.regret, where="post", color="C0", marker=only)
        ax.set_xlabel("evaluations")
        ax.set_ylabel(f"regret to the best evaluated ({self.unit})")
        count_below(ax)
        return self


def _worth(selector: ElicitSelector) -> tuple[dict[Mask, float], str]:
    """What each evaluated subset of the family is worth, and in which unit."""
    session = selector.session_
    eligible = [x for x in session.history.evaluated if x in session.family]
    if isinstance(session, Declared):
        return {x: session.history.evaluated[x].criteria[0] for x in eligible}, "score"
    if selector._utility is not None:
        known = worth_by(session, selector._utility)
        return {x: known[x] for x in eligible}, "utility"
    values = session.beliefs.theta.values(eligible)
    return dict(zip(eligible, values.tolist(), strict=True)), "fitted utility"


@dataclass(repr=False)  # on one line, as the displays of scikit-learn
class InteractionDisplay:
    """u_ij as a heat map: what a pair of attributes is worth beyond the two of them; u_i on the diagonal."""

    interactions: Floats
    names: tuple[str, ...]
    left_out: int = 0
    ax_: Any = None
    figure_: Any = None
    im_: Any = None

    @classmethod
    def from_estimator(cls, selector: ElicitSelector, *, ax: Any = None, most: int = MOST_NAMED) -> Self:
        """Draw the interactions of the utility of least norm, of the `most` attributes of largest power index."""
        _require_fitted(selector)
        chosen = _most_powerful(selector, most)
        names = tuple(selector.attributes_[i] for i in chosen)
        table = selector.interactions_[np.ix_(chosen, chosen)]
        return cls(table, names, len(selector.attributes_) - len(names)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it."""
        reach = float(np.abs(self.interactions).max(initial=0.0)) or 1.0
        meaning = "what a pair is worth beyond its two attributes\n(diagonal: an attribute by itself)"
        self.ax_, self.im_ = map_of_pairs(
            ax, self.interactions, self.names, meaning, cmap="RdBu", vmin=-reach, vmax=reach
        )
        self.figure_ = self.ax_.figure
        _entitle(self.ax_, self.left_out)
        return self


@dataclass(repr=False)  # on one line, as the displays of scikit-learn
class PowerDisplay:
    """Power indices (Shapley values of the fitted utility) as bars, largest first; what was chosen bears a star.

    Fewer attributes dominate more of them with the same score, so that indices may all be below 0: their order counts.
    """

    power: Floats
    names: tuple[str, ...]
    chosen: tuple[bool, ...]
    left_out: int = 0
    ax_: Any = None
    figure_: Any = None

    @classmethod
    def from_estimator(cls, selector: ElicitSelector, *, ax: Any = None, most: int = MOST_NAMED) -> Self:
        """Draw the `most` largest power indices of a fitted selector."""
        _require_fitted(selector)
        order = sorted(_most_powerful(selector, most), key=lambda i: (-selector.power_[i], i))
        names = tuple(selector.attributes_[i] for i in order)
        selected = set(selector.feature_names_)
        chosen = tuple(name in selected for name in names)
        return cls(selector.power_[order], names, chosen, len(selector.attributes_) - len(names)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it."""
        ax = self.ax_ = axes_for(ax, (SIZE[0], max(SIZE[1], INCHES_A_NAME * len(self.names) + 1.7)))
        self.figure_ = ax.figure
        places = np.arange(len(self.names))
        for selected, label, style in (
            (True, "\u2605 chosen", {"color": "C0", "hatch": "//", "edgecolor": "white"}),
            (False, "left out", {"color": "0.75"}),
        ):
            mine = np.array([c is selected for c in self.chosen], dtype=np.bool_)
            if mine.any():
                ax.barh(places[mine], self.power[mine], label=label, **style)
        names = zip(drawable_names(self.names), self.chosen, strict=True)
        ax.set_yticks(places, [f"\u2605 {name}" if chosen else name for name, chosen in names], fontsize="small")
        ax.invert_yaxis()
        ax.set_xlabel("power index")
        _entitle(ax, self.left_out)
        ax.legend()
        return self


def _entitle(ax: Any, left_out: int) -> None:
    """Say of which utility the numbers are, and how many attributes are not shown."""
    more = f"\n{many(left_out, 'more attribute')} {'is' if left_out == 1 else 'are'} not shown" if left_out else ""
    ax.set_title(f"{BY_THE_UTILITY}{more}", fontsize="small", wrap=True)


def _most_powerful(selector: ElicitSelector, most: int) -> list[int]:
    """Positions of the selected attributes, and of others of largest power index, in attribute order."""
    most = whole("most", most, 1)
    selected = {selector.attributes_.index(name) for name in selector.feature_names_}
    order = sorted(range(len(selector.power_)), key=lambda i: (i not in selected, -selector.power_[i], i))
    return sorted(order[:most])
