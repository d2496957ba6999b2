"""Every attribute score by its name: what it means, which targets it serves, and what it makes of a group.

The rule: a score is registered by one entry of `MEASURES` and nowhere else. Its function is f(X, y,
**options) -> one number a column; the options are its keyword arguments.

A group of columns (a one-hot block) is one attribute and gets one number, in one of three ways:
"largest", the best of its columns; "sum", their total, for scores that share something out; or
"joint", by the function itself, which then takes `groups`. `gaps` says that a missing value (NaN) has a
meaning to the score; the others refuse it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from elicit.errors import InputError, nearest
from elicit.scores.agreement import as_power_index
from elicit.scores.explained import johnson_shapley_of_data, pimp_of_data, shapley_of_data
from elicit.scores.information import information_gain, mutual_information
from elicit.scores.johnson import johnson
from elicit.scores.lmg import lmg
from elicit.scores.models import coefficients, permuted, trees
from elicit.scores.protocol import Floats, Groups, Score, Targets, columns_of_groups
from elicit.scores.relief import relief, relieff, rrelieff
from elicit.scores.shapley_effects import shapley_effects
from elicit.scores.univariate import chi2, correlation, f_statistic, fisher, variance


@dataclass(frozen=True)
class Measure:
    """A score: its name, function and meaning, the targets it serves, and how a group of columns gets one number."""

    name: str
    function: Score
    meaning: str
    targets: Targets = "both"
    higher_is_better: bool = True
    groups: Literal["largest", "sum", "joint"] = "largest"
    gaps: bool = False

    @property
    def options(self) -> Mapping[str, Any]:
        """The options with their defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "groups"}

    def serves(self, classes: bool) -> bool:
        """Whether it serves a target of classes, or of numbers."""
        return self.targets in ("both", "classes" if classes else "numbers")

    def check_option(self, name: str) -> None:
        """Refuse what is no option of this score."""
        if name not in self.options:
            known = ", ".join(self.options) or "none"
            hint = nearest(name, self.options, f"its options are: {known}")
            raise InputError(f"the score {self.name!r} has no option {name!r}{hint}")

    def scores(self, X: Any, y: Any, groups: Groups | None = None, **options: Any) -> Floats:
        """One number a column, or with `groups` (positions of the columns of each attribute) one an attribute."""
        for name in options:
            self.check_option(name)
        if groups is not None and self.groups == "joint":
            return self.function(X, y, groups=groups, **options)
        found = self.function(X, y, **options)
        if groups is None:
            return found
        best: Callable[[Floats], Any] = np.max if self.higher_is_better else np.min
        one: Callable[[Floats], Any] = np.sum if self.groups == "sum" else best
        return np.array([one(found[columns]) for columns in columns_of_groups(groups, len(found))], dtype=np.float64)

    def power_index(self, X: Any, y: Any, groups: Groups, *, classes: bool) -> Floats:
        """One number an attribute as a prior, see `as_power_index`; `classes` says what the target holds."""
        return as_power_index(self.of_target(X, y, groups, classes=classes), self.higher_is_better)

    def of_target(self, X: Any, y: Any, groups: Groups | None = None, *, classes: bool) -> Floats:
        """The scores where somebody knows what the target holds, whatever it looks like."""
        if not self.serves(classes):
            raise InputError(
                f"the score {self.name!r} needs a target of {self.targets}, which this is not; choose another score"
            )
        if self.targets == "classes":  # however many: by their names nobody takes them for numbers
            y = np.asarray(y).astype(str)
        return self.scores(X, y, groups, **self.told(classes))

    def told(self, classes: bool) -> dict[str, bool]:
        """The option by which the score hears what the target holds, where it has one."""
        return {"classes": classes} if "classes" in self.options else {}


MEASURES: tuple[Measure, ...] = (
    Measure("variance", variance, "spread of the column, whatever the target"),
    Measure("correlation", correlation, "|Pearson's r| with the target, or the correlation ratio of classes"),
    Measure("fisher", fisher, "squares between the classes over squares within them", "classes"),
    Measure("f", f_statistic, "F statistic of the column alone"),
    Measure("chi2", chi2, "chi-squared of the column's sums by class; columns of counts", "classes"),
    Measure("mutual-information", mutual_information, "mutual information by nearest neighbours, in nats"),
    Measure("information-gain", information_gain, "mutual information by counts, in nats"),
    Measure(
        "relief", relief, "nearest miss further than nearest hit; two classes", "classes", groups="joint", gaps=True
    ),
    Measure(
        "relieff",
        relieff,
        "near rows of other classes further than those of one's own",
        "classes",
        groups="joint",
        gaps=True,
    ),
    Measure("rrelieff", rrelieff, "near rows differ where their targets do", "numbers", groups="joint", gaps=True),
    Measure("permutation", permuted, "fall of a model's score when the values are shuffled", groups="joint"),
    Measure("coefficients", coefficients, "spread of the attribute's part of a linear prediction", groups="joint"),
    Measure("trees", trees, "mean decrease in impurity of a random forest", groups="sum"),
    Measure("lmg", lmg, "share of R² averaged over all orders of a linear model's columns", groups="joint"),
    Measure(
        "johnson",
        johnson,
        "share of R² by relative weights; some points of R² off lmg, at a fraction of its price",
        groups="sum",
    ),
    Measure("shapley-effects", shapley_effects, "share of the target's variance, by nearest neighbours", groups="sum"),
    Measure("johnson-shapley", johnson_shapley_of_data, "share of the variance of a model's answers", groups="sum"),
    Measure("shapley", shapley_of_data, "mean size of the part in a model's answers", groups="joint"),
    Measure(
        "pimp",
        pimp_of_data,
        "p-value of permutation importance, were there no attribute that matters",
        higher_is_better=False,
        groups="joint",
    ),
)


def registered() -> tuple[str, ...]:
    """The names of all scores."""
    return tuple(measure.name for measure in MEASURES)


def taking_gaps(classes: bool) -> tuple[str, ...]:
    """The names of the scores that take missing values, for a target of numbers or of classes, however many."""
    some = (measure for measure in MEASURES if measure.function is not relief)  # it compares two, as relieff does
    return tuple(measure.name for measure in some if measure.gaps and measure.serves(classes))


def score_named(name: str) -> Measure:
    """The score of this name; underscores stand for hyphens."""
    for measure in MEASURES:
        if measure.name == name.replace("_", "-"):
            return measure
    hint = nearest(name, registered(), f"the scores are {', '.join(registered())}")
    raise InputError(f"unknown score {name!r}{hint}")
