"""Honest scores: what the selected features are worth on rows that had no part in selecting them.

The score that a selection ends with is the best of many, hence too high. Here the whole selection is
repeated on the training rows of each outer fold, a fresh estimator is fitted to what it selected, and that
is judged on the rows held out, beside an estimator with every feature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from elicit.asks import Evaluate, Failure
from elicit.errors import InputError
from elicit.estimator.carried import Answers
from elicit.estimator.fitting import seed_of
from elicit.estimator.inputs import WITHOUT_ROUTING, checked_features, checked_target
from elicit.estimator.judges import is_utility
from elicit.oracles import WrapperOracle
from elicit.oracles.columns import is_frame
from elicit.oracles.splits import Split, splits_of

if TYPE_CHECKING:
    from elicit.selector import ElicitSelector


@dataclass(frozen=True)
class NestedScore:
    """One entry for each outer fold: on held-out rows, during the selection, and with every feature."""

    scores: tuple[float, ...]
    selection_scores: tuple[float, ...]
    all_features: tuple[float, ...]
    subsets: tuple[tuple[str, ...], ...]

    @property
    def mean(self) -> float:
        """The honest score."""
        return float(np.mean(self.scores))

    @property
    def spread(self) -> float:
        """Standard deviation of the honest score over the outer folds."""
        return float(np.std(self.scores, ddof=1)) if len(self.scores) > 1 else float("nan")

    @property
    def optimism(self) -> float:
        """By how much the selection promised more than held-out rows gave, on average."""
        return float(np.mean(self.selection_scores)) - self.mean

    @property
    def agreement(self) -> float:
        """Mean Jaccard similarity of the subsets selected in two outer folds: 1 when all are equal."""
        pairs = list(combinations(map(set, self.subsets), 2))
        return float(np.mean([len(a & b) / len(a | b) for a, b in pairs])) if pairs else 1.0

    def __str__(self) -> str:
        return (
            f"{self.mean:.4f} ± {self.spread:.4f} on held-out rows (selection promised "
            f"{np.mean(self.selection_scores):.4f}, every feature gives {np.mean(self.all_features):.4f})"
        )


def nested_score(
    selector: ElicitSelector, X: Any, y: Any, cv: Any, *, n_jobs: int | None, params: Mapping[str, Any]
) -> NestedScore:
    """Repeat the selection in each outer fold. An operator that is asked is not asked again and again:
    the answers of the fitted selector are reused."""
    for name in params:
        if name not in WITHOUT_ROUTING:
            raise InputError(f"nested_score takes {' and '.join(WITHOUT_ROUTING)}, found {name!r}")
    # not clone(): an operator who talks to a person cannot be copied
    fresh = type(selector)(**selector.get_params(deep=False) | {"operator": _operator_for_folds(selector)})
    X, y = checked_features(fresh, X), checked_target(fresh, y)
    outer = splits_of(
        cv,
        X,
        y,
        classifies=is_classifier(selector.estimator),
        groups=params.get("groups"),
        random_state=seed_of(selector.random_state),
    )
    rows = Parallel(n_jobs=n_jobs)(delayed(_one_fold)(fresh, X, y, split, dict(params)) for split in outer)
    scores, promised, everything, subsets = zip(*rows, strict=True)
    return NestedScore(tuple(scores), tuple(promised), tuple(everything), tuple(subsets))


def _operator_for_folds(selector: ElicitSelector) -> Any:
    operator = selector.operator
    if operator is None or is_utility(operator) or isinstance(operator, Answers) or not callable(operator):
        return operator
    if not hasattr(selector, "session_"):
        raise InputError(
            "fit the selector first: its operator is asked once, and the answers are reused in every outer fold"
        )
    return Answers.of(selector.session_.facts, selector.session_.history.attributes)


def _one_fold(
    selector: ElicitSelector, X: Any, y: NDArray[Any], split: Split, params: dict[str, Any]
) -> tuple[float, float, float, tuple[str, ...]]:
    train, _ = split
    inside = {name: _safe_indexing(value, train) for name, value in params.items() if value is not None}
    fitted = clone(selector).fit(_safe_indexing(X, train), y[train], **inside)
    judged = WrapperOracle(
        selector.estimator,
        X,
        y,
        attributes=[str(name) for name in X.columns] if is_frame(X) else [f"x{k}" for k in range(X.shape[1])],
        feature_groups=selector.feature_groups,
        cv=[split],
        scoring=selector.scoring,
        sample_weight=params.get("sample_weight"),
        random_state=seed_of(selector.random_state),
    )
    return (
        _score(judged, judged.attributes.mask(fitted.feature_names_)),
        fitted.best_score_,
        _score(judged, judged.attributes.everything),
        fitted.feature_names_,
    )


def _score(oracle: WrapperOracle, mask: int) -> float:
    reply = oracle(Evaluate(0, mask))
    if isinstance(reply, Failure):
        raise InputError(f"the outer fold could not be judged: {reply.reason}")
    return reply.criteria[0]
