"""Scores that a model gives: permutation of a column, coefficients of a linear model, importances of trees.

- permutation: how much the score of a model falls when the values of the column are shuffled, by
  scikit-learn's own routine. A model that is fitted already is measured on these rows as it is; another is
  fitted on folds and measured on the rows that each fold left out.
- coefficients: the columns are standardised and a linear model is fitted; an attribute's number is the
  standard deviation of its part Z_g β_g of the prediction, √(β_g' R_gg β_g), which for a single column is
  |β|. Several outputs (classes) add up under the root.
- trees: the mean decrease in impurity of a forest; the numbers sum to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from elicit.errors import InputError, ModelError, first_line, require_instance
from elicit.numeric import whole
from elicit.scores.answers import scored, scorer_of
from elicit.scores.protocol import (
    Floats,
    Groups,
    Table,
    centred,
    columns_of_groups,
    constant,
    numbers,
    table,
    target_of,
    whole_seed,
    without_rounding,
)
from elicit.scores.randomness import settled

#: Parts of a prediction below this share of the target's spread are rounding.
ROUNDING = 1e-12

#: Trees of the forest that is fitted when no model is given.
TREES = 100


def permuted(
    X: Any,
    y: Any,
    *,
    model: Any = None,
    folds: int = 5,
    repeats: int = 5,
    scoring: Any = None,
    seed: int = 0,
    classes: bool | None = None,
    groups: Groups | None = None,
) -> Floats:
    """Fall of the score when an attribute is shuffled, mean over `repeats`; `model` None is a random forest."""
    shuffling = Shuffling(scoring, whole("repeats", repeats), whole_seed(seed), groups)
    if model is not None and _is_fitted(estimator(model)):
        data, frame = numbers(X), X if hasattr(X, "iloc") else None
        return shuffling.decrease(model, data, target_of(y, len(data)), frame)
    given = modelled(X, y, "permutation", model, classes)
    learned, columns, _ = learner(model, given, seed)
    plain = model is None and scoring is None  # what is measured then is the same in any unit
    target = _grown_to(given) if plain else target_of(y, len(given.X)) if given.classes else given.y
    whole("folds", folds, 2)
    if given.classes and given.counts.min() < folds:
        raise InputError(f"{folds} folds need as many rows of every class, found {given.counts.min()}; ask for fewer")
    if len(target) < 2 * folds:
        raise InputError(f"{folds} folds need {2 * folds} rows, found {len(target)}; ask for fewer")
    kind = StratifiedKFold if given.classes else KFold
    decreases = []
    for train, test in kind(folds, shuffle=True, random_state=seed).split(columns, given.y):
        fitted = fit(learned, columns[train], target[train])
        decreases.append(shuffling.decrease(fitted, columns[test], target[test]))
    found = np.asarray(np.mean(decreases, axis=0))
    return without_rounding(found, float(np.abs(found).max()))


def coefficients(
    X: Any, y: Any, *, model: Any = None, seed: int = 0, classes: bool | None = None, groups: Groups | None = None
) -> Floats:
    """Spread of each attribute's part of a linear prediction; `model` None is a logistic or a ridge regression."""
    given = modelled(X, y, "coefficients", model, classes)
    Z = _standardised(given.X)
    if model is None:
        model = LogisticRegression(max_iter=5000) if given.classes else Ridge(1.0)
    last = _last_step(fit(seeded(model, seed), Z, given.y), Z)
    beta = np.atleast_2d(_read(last, "coef_", Z.shape[1]))  # (outputs, columns)
    R = Z.T @ Z / len(Z)
    listed = columns_of_groups(groups, Z.shape[1])
    parts = [np.einsum("oi,ij,oj->", beta[:, g], R[np.ix_(g, g)], beta[:, g]) for g in listed]
    found = np.sqrt(np.maximum(parts, 0.0))
    unit = 1.0 if given.classes else float(given.y.std())
    return np.where(found > ROUNDING * unit, found, 0.0)


def trees(
    X: Any, y: Any, *, model: Any = None, trees: int = TREES, seed: int = 0, classes: bool | None = None
) -> Floats:
    """Mean decrease in impurity; `model` None is a random forest of so many `trees`."""
    given = modelled(X, y, "trees", model, classes)
    grown, columns, target = learner(model, given, seed, whole("trees", trees))
    return _read(_last_step(fit(grown, columns, target), columns), "feature_importances_", columns.shape[1])


@dataclass(frozen=True)
class Shuffling:
    """How often and by which seed attributes are shuffled, and which score then decreases."""

    scoring: Any
    repeats: int
    seed: int
    groups: Groups | None

    def decrease(self, model: Any, X: Floats, y: Any, frame: Any = None) -> Floats:
        """Mean decrease for each attribute; `frame` is what X comes from, whose column names the model may know."""
        scorer = scorer_of(model, self.scoring)
        if self.scoring is not None:  # what fails by a model's own score is the model's to say
            scorer = partial(scored, scorer)

        def named(values: Floats) -> Any:
            return values if frame is None else type(frame)(values, columns=frame.columns)

        if self.groups is None:
            return self._mean(model, named(X), y, scorer)
        held = columns_of_groups(self.groups, X.shape[1])

        # one column of row numbers an attribute is shuffled in place of its columns, which then move together
        def score(fitted: Any, rows: Any, target: Any) -> float:
            moved = np.empty_like(X)
            for attribute, columns in enumerate(held):
                moved[:, columns] = X[np.ix_(rows[:, attribute], columns)]
            return float(scorer(fitted, named(moved), target))

        return self._mean(model, np.repeat(np.arange(len(X))[:, None], len(held), axis=1), y, score)

    def _mean(self, model: Any, X: Any, y: Any, scorer: Any) -> Floats:
        found = permutation_importance(model, X, y, scoring=scorer, n_repeats=self.repeats, random_state=self.seed)
        return np.asarray(found.importances_mean)


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def modelled(X: Any, y: Any, by: str, model: Any, classes: bool | None) -> Table:
    """The data for the score called `by`: for a regressor few whole numbers, too, are numbers."""
    if model is not None and is_regressor(estimator(model)):
        if classes:
            kind = type(model).__name__
            raise InputError(f"{kind} predicts numbers, and the target is said to hold classes; give a classifier")
        classes = False
    return table(X, y, by, classes=classes)


def learner(model: Any, given: Table, seed: int, trees: int = TREES) -> tuple[Any, Floats, Floats]:
    """What is fitted to the table, and to which columns and target: the model as it is, or else a random forest.

    A forest works in single precision, and ends where targets differ by less than 1e-8: it is given columns and
    target without their origin and unit.
    """
    if model is not None:
        return seeded(model, seed), given.X, given.y
    forest = RandomForestClassifier if given.classes else RandomForestRegressor
    return forest(trees, random_state=whole_seed(seed)), centred(given.X), _grown_to(given)


def _grown_to(given: Table) -> Floats:
    """The target that a forest is grown to: of splits that part it equally well the last digits would choose one."""
    return given.target if given.classes else np.round(given.target, 12)


def fit(model: Any, X: Any, y: Any) -> Any:
    """A clone of the model, fitted."""
    try:
        return clone(model).fit(X, y)
    except (TypeError, ValueError) as error:
        kind = type(model).__name__
        raise ModelError(f"{kind} cannot be fitted to these columns: {first_line(error)}") from error


def estimator(model: Any) -> Any:
    """The model, if it is one that can be fitted."""
    require_instance(model)
    if not hasattr(model, "fit") or not hasattr(model, "get_params"):
        raise InputError(f"expected an estimator, found {model!r:.60}")
    return model


def seeded(model: Any, seed: int) -> Any:
    """A clone that leaves nothing to chance."""
    fresh = clone(estimator(model))
    whole_seed(seed)
    return settled(fresh, seed)


def _last_step(fitted: Any, X: Floats) -> Any:
    """The fitted model itself, or the last step of a pipeline that leaves the columns in their places."""
    if not isinstance(fitted, Pipeline):
        return fitted
    if len(fitted) > 1:
        _require_the_same_columns(fitted[:-1], X.shape[1])
    return fitted.steps[-1][1]


def _require_the_same_columns(before: Any, columns: int) -> None:
    """Refuse steps after which a number belongs to something else than the column in its place."""
    names = [f"x{k}" for k in range(columns)]
    try:
        kept = list(before.get_feature_names_out(names)) == names
    except (AttributeError, ValueError):  # a step that cannot say what its columns are
        kept = False
    if not kept:
        raise InputError(
            "the steps before the last one make other columns, so its numbers are not those of the attributes; "
            "choose a model that keeps them all, or the score permutation"
        )


def _read(model: Any, attribute: str, columns: int) -> Floats:
    """What the fitted model says of its columns."""
    if not hasattr(model, attribute):
        raise InputError(f"{type(model).__name__} has no {attribute}; choose another model, or the score permutation")
    found = np.asarray(getattr(model, attribute), dtype=np.float64)
    if found.shape[-1] != columns:
        raise InputError(
            f"{type(model).__name__} speaks of {found.shape[-1]} columns where there are {columns}; "
            "choose a model that keeps them all"
        )
    return found


def own_importances(fitted: Any, X: Floats) -> Floats | None:
    """What a fitted model says itself of the columns of X, squared and summed over its outputs.

    Coefficients count in units of the spread of what they belong to: so they are the same in any unit of a column.
    None when the model has no such numbers, or they belong to something else than the columns.
    """
    try:
        last = _last_step(fitted, X)
    except InputError:
        return None
    for name in ("coef_", "feature_importances_"):
        own = getattr(last, name, None)
        if own is not None and np.shape(own)[-1:] == (X.shape[1],):
            seen = fitted[:-1].transform(X) if isinstance(fitted, Pipeline) and len(fitted) > 1 else X
            unit = np.std(seen, axis=0) if name == "coef_" else 1.0
            return np.asarray(((np.reshape(own, (-1, X.shape[1])) * unit) ** 2).sum(axis=0), dtype=np.float64)
    return None


def _standardised(X: Floats) -> Floats:
    """Mean 0 and deviation 1; a constant column becomes 0."""
    Z = centred(X)
    return np.asarray(Z / np.where(constant(X), 1.0, Z.std(axis=0)))
