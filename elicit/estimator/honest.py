"""Honest scores: what the selected features are worth on rows that had no part in selecting them.

The score that a selection ends with is the best of many, hence too high. Here the whole selection is
repeated on the training rows of each outer fold, a fresh estimator is fitted to what it selected, and that
is judged on the rows held out, beside an estimator with every feature.

What the selector was given beforehand is used as it is. Numbers as a prior that were worked out from all rows have seen
those held out, too, and nobody here can tell; a score that is named is worked out from the training rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed

from elicit.asks import Evaluate, Failure
from elicit.errors import InputError
from elicit.estimator.carried import Answers
from elicit.estimator.fitting import seed_of
from elicit.estimator.inputs import checked_features, checked_target, oracle_of, require_estimator
from elicit.estimator.routing import Routed, routed_arguments
from elicit.operators import ScriptedOperator
from elicit.oracles.parallel import workers_of
from elicit.oracles.splits import Split, rows_of, splits_of
from elicit.orphans import from_the_start, in_turn, starting, tied
from elicit.printable import rounded
from elicit.worth import is_utility

if TYPE_CHECKING:
    from elicit.selector import ElicitSelector


@dataclass(frozen=True)
class NestedScore:
    """One entry for each outer fold.

    scores: on held-out rows; selection_scores: those that the selection ended with; all_features: on held-out rows
    with every feature (NaN where that could not be measured); subsets: the features that were selected.
    """

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
        several = len(self.scores) > 1  # one has no spread
        around = f"± {rounded(self.spread, 2)} over the outer folds; " if several else ""
        promised, everything = (rounded(float(np.mean(s)), 4) for s in (self.selection_scores, self.all_features))
        return (
            f"{rounded(self.mean, 4)} on held-out rows ({around}selection promised {promised}, "
            f"every feature gives {everything})"
        )


def nested_score(
    selector: ElicitSelector, X: Any, y: Any, cv: Any, *, n_jobs: int | None, params: Mapping[str, Any]
) -> NestedScore:
    """Repeat the selection in each outer fold.

    An operator who is asked is not asked again in every fold: the answers to the fitted selector are reused.
    """
    workers_of(n_jobs)  # refuses what is no number of them
    require_estimator(selector.estimator)
    if isinstance(selector.cv, Iterable) and not hasattr(selector.cv, "split"):
        raise InputError("cv of the selector lists rows of all the data; give a number of folds or a splitter there")
    given = {name: value for name, value in params.items() if value is not None}
    # not clone(): an operator who talks to a person cannot be copied
    fresh = type(selector)(**selector.get_params(deep=False))
    fresh.operator = _operator_for_folds(selector)
    seed = fresh.random_state = seed_of(selector.random_state)  # drawn once: folds may go in any order
    X = checked_features(fresh, X)
    y = checked_target(fresh, y, X.shape[0])
    inner = _inner_params(fresh, given)
    routed = routed_arguments(fresh, X, y, inner)
    outer = splits_of(
        cv,
        X,
        y,
        classifies=is_classifier(selector.estimator),
        groups=params.get("groups"),
        random_state=seed,
    )
    with starting():
        folds = Parallel(n_jobs=n_jobs, return_as=in_turn(), **from_the_start())(
            delayed(tied(_one_fold))(fresh, X, y, split, inner, routed, f"outer fold {k} of {len(outer)}: ")
            for k, split in enumerate(outer, start=1)
        )
    scores, promised, everything, subsets = zip(*folds, strict=True)
    return NestedScore(tuple(scores), tuple(promised), tuple(everything), tuple(subsets))


def _inner_params(selector: ElicitSelector, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the selection within a fold is given; where metadata are routed, groups may be for the outer folds alone."""
    if "groups" not in given or not get_config()["enable_metadata_routing"]:
        return dict(given)
    wanted = selector.get_metadata_routing().consumes("fit", ["groups"])
    return {name: value for name, value in given.items() if name != "groups" or wanted}


def _operator_for_folds(selector: ElicitSelector) -> Any:
    """The operator of the selection in a fold: in place of one who is asked, the answers to the fitted selector.

    One who answered nothing, or was never asked, could compare nothing in a fold either.
    """
    operator = selector.operator
    if is_utility(operator) or not callable(operator):  # None, a utility, or answers
        return operator
    if not hasattr(selector, "session_"):
        raise InputError(
            "fit the selector first: its operator is asked once, and the answers are reused in every outer fold"
        )
    answers = Answers.of(selector.session_.facts, selector.session_.history.attributes)
    return answers if answers.pairs else ScriptedOperator((), otherwise="cannot")


def _one_fold(
    selector: ElicitSelector,
    X: Any,
    y: NDArray[Any],
    split: Split,
    params: dict[str, Any],
    routed: Routed,
    label: str,
) -> tuple[float, float, float, tuple[str, ...]]:
    train, _ = split
    of_train = rows_of(params, train, len(y))
    fitted = clone(selector)
    # a class derived from the selector's may take neither as a parameter
    fitted.operator, fitted.random_state = selector.operator, selector.random_state
    fitted._label = label
    try:
        fitted.fit(_safe_indexing(X, train), y[train], **of_train)
    except InputError as error:  # it speaks of the rows of this fold, which may lack what all rows have
        raise InputError(f"{label}{error}") from error
    judged = oracle_of(selector, X, y, seed_of(selector.random_state), replace(routed, cv=[split], groups=None))
    reply = judged(Evaluate(0, judged.attributes.mask(fitted.feature_names_)))
    if isinstance(reply, Failure):
        raise InputError(f"{label}what was selected could not be judged on the rows held out: {reply.reason}")
    every = judged(Evaluate(1, judged.attributes.everything))  # only to compare with
    everything = float("nan") if isinstance(every, Failure) else every.criteria[0]
    return reply.criteria[0], fitted.best_score_, everything, fitted.feature_names_
