"""Models by name: the estimator that a scenario or a command line means by "knn:3".

scikit-learn is imported only where a model is made: help and errors in arguments come without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from elicit.data.target import CLASSES, NUMBERS
from elicit.errors import InputError, nearest


@dataclass(frozen=True)
class _ModelKind:
    """The classes of scikit-learn behind a short name, None where it cannot predict such a target, and its parameter.

    `parameter` is the keyword that the number after the colon is for; `meaning` is how an error calls it.
    """

    module: str
    classifier: str | None
    regressor: str | None
    parameter: str = ""
    meaning: str = ""
    whole: bool = True
    scaled: bool = True
    fixed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def only(self) -> str | None:
        """What it predicts, where it cannot predict both."""
        return NUMBERS if self.classifier is None else CLASSES if self.regressor is None else None

    def made(self, classes: bool, value: float | None) -> Any:
        """The estimator, with this value of its parameter."""
        kind = getattr(import_module(f"sklearn.{self.module}"), str(self.classifier if classes else self.regressor))
        chosen = {} if value is None else {self.parameter: int(value) if self.whole else value}
        return kind(**self.fixed, **chosen)


#: The models by their short names.
MODELS = {
    "knn": _ModelKind(
        "neighbors", "KNeighborsClassifier", "KNeighborsRegressor", "n_neighbors", "the number of neighbours"
    ),
    "logistic": _ModelKind("linear_model", "LogisticRegression", None, "C", "C", whole=False, fixed={"max_iter": 2000}),
    "tree": _ModelKind(
        "tree", "DecisionTreeClassifier", "DecisionTreeRegressor", "max_depth", "the greatest depth", scaled=False
    ),
    "forest": _ModelKind(
        "ensemble",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "n_estimators",
        "the number of trees",
        scaled=False,
    ),
    "linear": _ModelKind("linear_model", None, "LinearRegression", scaled=False),
    "ridge": _ModelKind("linear_model", None, "Ridge", "alpha", "alpha", whole=False),
    "svm": _ModelKind("svm", "SVC", "SVR", "C", "C", whole=False),
}


def model_of(name: str, classes: bool, missing: bool = False) -> Any:
    """The estimator that a short name stands for: "knn:3" is three nearest neighbours, after scaling.

    `missing`: whether missing values must be filled first, with the median of the training rows.
    """
    model, value = _named(name)
    held = CLASSES if classes else NUMBERS
    if model.only not in (None, held):
        kind = name.partition(":")[0]
        raise InputError(f"the model {kind!r} predicts {model.only}, but the target holds {held}; choose another model")
    made = model.made(classes, value)
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    before = [SimpleImputer(strategy="median")] if missing else []
    before += [StandardScaler()] if model.scaled else []
    return make_pipeline(*before, made) if before else made


def target_of_model(name: str) -> str | None:
    """What the model of a short name predicts, if it is one kind only."""
    return _named(name)[0].only


def _named(name: str) -> tuple[_ModelKind, float | None]:
    """What a short name stands for, and the number after its colon."""
    if not isinstance(name, str):
        raise InputError(f"a model is a text such as 'knn:3', found {name!r}")
    kind, colon, rest = name.partition(":")
    if kind not in MODELS:
        hint = nearest(kind, MODELS, f"the models are {', '.join(MODELS)}")
        raise InputError(f"unknown model {name!r}{hint}")
    model = MODELS[kind]
    return model, _parameter(name, model, rest) if colon else None


def _parameter(name: str, model: _ModelKind, rest: str) -> float:
    if not model.parameter:
        raise InputError(f"the model {name.partition(':')[0]!r} takes no parameter, found {name!r}")
    try:
        value = float(int(rest) if model.whole else float(rest))
    except (ValueError, OverflowError):
        value = math.nan
    if not 0 < value < math.inf:
        kind = "a whole number" if model.whole else "a number"
        raise InputError(f"in the model {name!r:.60}, {model.meaning} must be {kind} above 0, found {rest!r:.40}")
    return value
