"""What a model answers: one number (or one a class) a row, from a fitted estimator or from any function of X.

The rule: a classifier answers with probabilities when it has them, with its decision function otherwise; a
regressor with its prediction; `response` says it outright. Two classes are one number, the probability of
the second; of more classes, `target` names the one that is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from elicit.errors import InputError, first_line, nearest, require_instance
from elicit.numeric import is_whole
from elicit.scores.protocol import Floats

RESPONSES = ("auto", "predict", "predict_proba", "decision_function")

#: The most cells that a model is given in one call (or one row, if that has more); more are given in several.
CELLS_A_CALL = 2_000_000


@dataclass(frozen=True)
class ModelAnswers:
    """A model as a function of rows: (rows,) numbers, or (rows, classes) while no class is chosen.

    single: one number a row is wanted, so several outputs of which none is chosen are refused.
    """

    model: Any
    method: str
    column: int | None
    single: bool = False

    @property
    def label(self) -> Any:
        """The class that the answer is about, None where it is about none."""
        labels = getattr(self.model, "classes_", None)
        if labels is None or self.column is None or self.method not in ("predict_proba", "decision_function"):
            return None
        return np.asarray(labels).tolist()[self.column]

    def __call__(self, X: Any) -> Floats:
        given = self.model(X) if self.method == "call" else getattr(self.model, self.method)(X)
        if self.method == "predict_proba" and isinstance(given, list):
            raise InputError("the model answers for several targets at once; give a function of X for the one meant")
        try:
            answer = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("the model answers with texts; use response='predict_proba', or a regressor") from error
        if answer.ndim == 2 and answer.shape[1] == 1:
            answer = answer[:, 0]
        if answer.ndim == 2 and self.column is None and self.single:
            raise InputError(
                f"the model answers with {answer.shape[1]} outputs; name one as `target`, by its position from 0"
            )
        if answer.ndim == 1 and self.method in ("predict", "call") and self.column:
            raise InputError(f"the model answers with one number a row; leave the target {self.column} out")
        if answer.ndim == 2 and self.column is not None:
            if self.column >= answer.shape[1]:
                raise InputError(
                    f"the model answers with {answer.shape[1]} outputs, counted from 0; found {self.column}"
                )
            answer = answer[:, self.column]
        elif self.method == "decision_function" and self.column == 0:
            answer = -answer  # with two classes the one number is that of the second
        if answer.ndim not in (1, 2) or len(answer) != len(X):
            raise InputError(f"the model must answer one number a row, found shape {answer.shape} for {len(X)} rows")
        if not np.isfinite(answer).all():
            raise InputError("the model answers with a number that is not finite; look at its input and its output")
        return answer


def answers(model: Any, response: str = "auto", target: Any = None, *, single: bool = True) -> ModelAnswers:
    """How the model is asked; `single` refuses a model of several classes without a `target`."""
    if response not in RESPONSES:
        raise InputError(f"response is one of {', '.join(RESPONSES)}; found {response!r}")
    require_instance(model, "a fitted estimator")
    if not hasattr(model, "predict"):
        if not callable(model):
            raise InputError(f"expected a fitted estimator or a function of X, found {type(model).__name__}")
        if response != "auto":
            raise InputError("a function of X has one response; leave `response` out")
        return ModelAnswers(model, "call", _position(target) if target is not None else None, single)
    require_fitted(model)
    method = _method(model) if response == "auto" else response
    if not hasattr(model, method):
        raise InputError(f"{type(model).__name__} has no {method}; use another response")
    return ModelAnswers(model, method, _column(model, method, target, single), single)


def refuse_unknown_scoring(name: str) -> None:
    """Refuse a name of a scorer that scikit-learn does not know."""
    if name not in get_scorer_names():
        hint = nearest(name, get_scorer_names(), "sklearn.metrics.get_scorer_names() lists them")
        raise InputError(f"unknown scoring {name!r}{hint}")


def scorer_of(model: Any, scoring: Any) -> Any:
    """The scorer of scikit-learn that is meant: one number, more is better."""
    if isinstance(scoring, Mapping | list | tuple | set):
        raise InputError("scoring must be one score, found several; name the one that counts")
    if isinstance(scoring, str):
        refuse_unknown_scoring(scoring)
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise InputError(f"scoring is the name of a scorer, a function (model, X, y), or None; found {scoring!r:.40}")
    return check_scoring(model, scoring=scoring)


def scored(scorer: Any, model: Any, X: Any, y: Any) -> float:
    """What a scorer says of a model; one that needs a model of another kind, or another target, is refused."""
    try:
        return float(scorer(model, X, y))
    except (AttributeError, TypeError, ValueError) as error:
        kind, why = type(model).__name__, first_line(error).rstrip(".")
        raise InputError(
            f"{kind} cannot be measured by this scoring: {why}; choose another scoring, or model"
        ) from error


def require_fitted(model: Any) -> None:
    """Refuse a model of scikit-learn that is not fitted. Whether one of one's own is, shows when it is asked."""
    if not _has_tags(model):
        return
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise InputError(f"{type(model).__name__} is not fitted; fit it first") from error
    except (TypeError, AttributeError):  # it cannot be fitted, or holds a model without tags
        return


def classifies(model: Any) -> bool:
    """Whether a fitted model predicts classes; one that is no estimator of scikit-learn does if it names them."""
    try:
        return bool(is_classifier(model)) if _has_tags(model) else hasattr(model, "classes_")
    except AttributeError:  # it holds a model without tags
        return hasattr(model, "classes_")


def _has_tags(model: Any) -> bool:
    """Whether a model is an estimator of scikit-learn, which up to 1.7 gives any other the tags of one, and warns."""
    return hasattr(model, "__sklearn_tags__")


def _method(model: Any) -> str:
    for method in ("predict_proba", "decision_function") if classifies(model) else ():
        if hasattr(model, method):
            return method
    return "predict"


def _column(model: Any, method: str, target: Any, single: bool) -> int | None:
    classes = getattr(model, "classes_", None)
    if method == "predict" or classes is None:
        return None if target is None else _position(target)
    if isinstance(classes, list):  # a classifier of several targets has a list of classes for each
        raise InputError("the model answers for several targets at once; give a function of X for the one meant")
    labels: list[Any] = np.asarray(classes).tolist()
    of_pairs = getattr(_innermost(model), "decision_function_shape", "") == "ovo"
    if method == "decision_function" and len(labels) > 2 and of_pairs:
        raise InputError(
            "this decision function has one number a pair of classes; set decision_function_shape='ovr' in the model"
        )
    if target is not None:
        if np.ndim(target) or target not in labels:
            raise InputError(f"the target {target!r} is no class of the model; its classes are {labels}")
        return labels.index(target)
    if len(labels) == 2:
        return 1
    if single:
        raise InputError(f"the model has {len(labels)} classes; name one of {labels} as `target`")
    return None


def _innermost(model: Any) -> Any:
    """The estimator whose answers a model hands on: the last step of a pipeline, what a search found to be best."""
    inner = model[-1] if isinstance(model, Pipeline) else getattr(model, "best_estimator_", None)
    return model if inner is None else _innermost(inner)


def _position(target: Any) -> int:
    if not is_whole(target) or target < 0:
        raise InputError(f"the target of this model is the position of an output, found {target!r}")
    return int(target)


def at_once(cells: int) -> int:
    """How many items, of so many cells each, fit into one call."""
    return max(1, CELLS_A_CALL // cells)


def in_calls(ask: Callable[[Any], Floats], count: int, cells: int, batch: Callable[[int, int], Any]) -> Floats:
    """The answers for `count` items of so many cells each, a call at a time; `batch(start, stop)` makes some items."""
    step = at_once(cells)
    return np.concatenate([ask(batch(at, min(at + step, count))) for at in range(0, count, step)])
