"""Missing values: whether an estimator takes or fills NaN itself, by what scikit-learn's tags say of its parts.

A pipeline's own tag says no whatever is in it. Here its steps are followed: an imputer, an encoder, or a
predictor that takes NaN, ends the way; a transformer that takes NaN hands it on.

The rule: refused is only what must fail. Where it depends on which columns have gaps, or on code that is not
scikit-learn's (a transformer or function of somebody's own), the fits decide.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder
from sklearn.utils._tags import get_tags

from elicit.oracles.pruning import handed_on
from elicit.scores.sheet import gap

#: How the names of transformers end whose output has no gaps, whatever they are given.
_FILLING = ("Imputer", "MissingIndicator", "OneHotEncoder", "SplineTransformer", "TargetEncoder")


class Fate(enum.Enum):
    """What becomes of NaN in an estimator."""

    TAKEN = "taken"
    PASSED = "passed"
    REFUSED = "refused"


def takes_missing(estimator: Any) -> bool:
    """Whether NaN may be handed to an estimator."""
    return _fate(estimator) is Fate.TAKEN


def _fate(estimator: Any) -> Fate:
    if isinstance(estimator, str) or estimator is None:
        return Fate.TAKEN if estimator == "drop" else Fate.PASSED
    if isinstance(estimator, Pipeline):
        return _in_turn(step for _, step in estimator.steps)
    if isinstance(estimator, ColumnTransformer):
        return _side_by_side([part for _, part, _ in estimator.transformers] + [estimator.remainder])
    if _fills(estimator):  # also one that fills by an estimator in it
        return Fate.TAKEN
    if inner := handed_on(estimator):
        return _together(inner)
    transforms = hasattr(estimator, "transform")
    if transforms and type(estimator).__module__.partition(".")[0] != "sklearn":
        return Fate.TAKEN  # it may fill them, and its tag says no unless somebody thought of it
    if isinstance(estimator, FunctionTransformer) and not estimator.validate:
        return Fate.PASSED if estimator.func is None else Fate.TAKEN
    if not _allows(estimator):
        return Fate.REFUSED
    return Fate.PASSED if transforms else Fate.TAKEN


def _fills(estimator: Any) -> bool:
    """Whether it takes NaN and hands on none."""
    fills = type(estimator).__name__.endswith(_FILLING) or (
        isinstance(estimator, OrdinalEncoder) and not gap(estimator.encoded_missing_value)
    )
    return fills and _allows(estimator)


def _allows(estimator: Any) -> bool:
    return hasattr(estimator, "__sklearn_tags__") and bool(get_tags(estimator).input_tags.allow_nan)


def _in_turn(steps: Iterable[Any]) -> Fate:
    """Each step gets what the one before hands on."""
    return next((fate for fate in map(_fate, steps) if fate is not Fate.PASSED), Fate.PASSED)


def _side_by_side(parts: Iterable[Any]) -> Fate:
    """Each part gets columns of its own: unless all do the same, it depends on the columns with gaps."""
    fates = {_fate(part) for part in parts if not (isinstance(part, str) and part == "drop")}
    return fates.pop() if len(fates) == 1 else Fate.TAKEN


def _together(parts: Iterable[Any]) -> Fate:
    """All parts get the same."""
    fates = {_fate(part) for part in parts}
    return Fate.REFUSED if Fate.REFUSED in fates else Fate.PASSED if Fate.PASSED in fates else Fate.TAKEN
