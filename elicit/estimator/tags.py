"""Tags: whether an estimator takes sparse matrices and missing values, by what scikit-learn says of its parts.

A pipeline's own tags say no when any of its steps does. Here the parts are asked who get the data. A sparse matrix is
followed from step to step while it stays one: after a scaler it does, after a decomposition it does not. So is NaN: an
imputer, an encoder, or a predictor that takes NaN, ends the way; a transformer that takes NaN hands it on.

The rule: refused is only what must fail. Where it depends on which columns have gaps, or on code that is not
scikit-learn's (an estimator, transformer or function of somebody's own), the fits decide.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    Normalizer,
    OrdinalEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.utils._tags import get_tags

from elicit.oracles.pruning import handed_on, of_sklearn
from elicit.scores.sheet import gap

#: How the names of transformers end whose output has no gaps, whatever they are given.
_FILLING = ("Imputer", "MissingIndicator", "OneHotEncoder", "SplineTransformer", "TargetEncoder")

#: Transformers whose output is sparse where what they are given is; so is that of those that select columns.
_STAYS_SPARSE = (
    Binarizer,
    MaxAbsScaler,
    Normalizer,
    PolynomialFeatures,
    QuantileTransformer,
    RobustScaler,
    SelectorMixin,
    SimpleImputer,
    StandardScaler,
)


def takes_sparse(estimator: Any) -> bool:
    """Whether a sparse matrix may be handed to an estimator."""
    if isinstance(estimator, str) or estimator is None:  # a step that does nothing
        return True
    if isinstance(estimator, Pipeline):
        return all(map(takes_sparse, _reached_by_sparse(estimator)))
    if inner := _parts(estimator) if isinstance(estimator, ColumnTransformer) else handed_on(estimator):
        return all(map(takes_sparse, inner))
    return not of_sklearn(estimator) or bool(get_tags(estimator).input_tags.sparse)


def _reached_by_sparse(pipeline: Pipeline) -> Iterator[Any]:
    """The steps up to the first that may hand on something dense, that one included."""
    for _, step in pipeline.steps:
        yield step
        if not _stays_sparse(step):
            return


def _stays_sparse(step: Any) -> bool:
    if isinstance(step, Pipeline):
        return all(_stays_sparse(inner) for _, inner in step.steps)
    return step is None or isinstance(step, str) or (of_sklearn(step) and isinstance(step, _STAYS_SPARSE))


class _Fate(enum.Enum):
    """What becomes of NaN in an estimator."""

    TAKEN = "taken"
    PASSED = "passed"
    REFUSED = "refused"


def takes_missing(estimator: Any) -> bool:
    """Whether NaN may be handed to an estimator."""
    return _fate(estimator) is _Fate.TAKEN


def _fate(estimator: Any) -> _Fate:
    if isinstance(estimator, str) or estimator is None:
        return _Fate.TAKEN if estimator == "drop" else _Fate.PASSED
    if isinstance(estimator, Pipeline):  # each step gets what the one before hands on
        in_turn = (_fate(step) for _, step in estimator.steps)
        return next((fate for fate in in_turn if fate is not _Fate.PASSED), _Fate.PASSED)
    if isinstance(estimator, ColumnTransformer):
        # each part gets columns of its own: unless all do the same, it depends on the columns with gaps
        fates = {_fate(part) for part in _parts(estimator) if not (isinstance(part, str) and part == "drop")}
        return fates.pop() if len(fates) == 1 else _Fate.TAKEN
    if _fills(estimator):  # also one that fills by an estimator in it
        return _Fate.TAKEN
    if inner := handed_on(estimator):  # all of them get the same
        fates = set(map(_fate, inner))
        return next((fate for fate in (_Fate.REFUSED, _Fate.PASSED) if fate in fates), _Fate.TAKEN)
    if not of_sklearn(estimator):
        return _Fate.TAKEN  # it may fill them, and its tag says no unless somebody thought of it
    if isinstance(estimator, FunctionTransformer) and not estimator.validate:
        return _Fate.PASSED if estimator.func is None else _Fate.TAKEN
    if not _allows(estimator):
        return _Fate.REFUSED
    return _Fate.PASSED if hasattr(estimator, "transform") else _Fate.TAKEN


def _parts(transformer: ColumnTransformer) -> list[Any]:
    return [*(part for _, part, _ in transformer.transformers), transformer.remainder]


def _fills(estimator: Any) -> bool:
    """Whether it takes NaN and hands on none."""
    fills = type(estimator).__name__.endswith(_FILLING) or (
        isinstance(estimator, OrdinalEncoder) and not gap(estimator.encoded_missing_value)
    )
    return fills and _allows(estimator)


def _allows(estimator: Any) -> bool:
    return hasattr(estimator, "__sklearn_tags__") and bool(get_tags(estimator).input_tags.allow_nan)
