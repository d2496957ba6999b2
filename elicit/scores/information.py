"""Mutual information of a column and the target, in nats: by nearest neighbours, and by counts.

By counts, I(i) = Σ P(x, y) ln(P(x, y) / (P(x) P(y))), with the frequencies of the distinct values as
probabilities; it is what a decision on the column takes from the target's entropy, hence "information
gain". Columns (and targets) of many values are cut at their quantiles first: where every value occurs
once, counting them would give the entropy of the target for any column.
By neighbours: the estimators of Kraskov and Ross, as scikit-learn has them; a little noise separates
ties, so the seed is an option.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from elicit.errors import InputError
from elicit.numeric import whole
from elicit.scores.protocol import Floats, Ints, centred, column_mask, constant, quantile_borders, table, whole_seed

#: A target of less spread (its square would be nothing), or further from 0 in units of its spread, is centred first.
LEAST_SPREAD, MOST_OFFSET = 1e-100, 1e4

#: Nats below this are rounding.
ROUNDING = 1e-12


def information_gain(X: Any, y: Any, *, bins: int | None = 10, classes: bool | None = None) -> Floats:
    """Mutual information by counts; columns of more than `bins` values are cut at quantiles (None: never)."""
    given = table(X, y, "information-gain", classes=classes)
    if bins is not None:
        whole("bins", bins, 2)
    target = given.y if given.classes else discretised(given.y, bins)
    return np.array([mutual_information_of_codes(discretised(column, bins), target) for column in given.X.T])


def mutual_information(
    X: Any,
    y: Any,
    *,
    neighbours: int = 3,
    discrete: Any = False,
    seed: int = 0,
    classes: bool | None = None,
) -> Floats:
    """Mutual information by nearest neighbours; `discrete`: whether columns hold codes, for all or one by one."""
    given = table(X, y, "mutual-information", classes=classes)
    whole("neighbours", neighbours)
    if given.classes and given.counts.max() < 2:
        raise InputError("mutual-information needs a class with two rows, every row has its own; add rows")
    if not given.classes and neighbours >= len(given.X):
        raise InputError(f"neighbours must be fewer than the {len(given.X)} rows, found {neighbours}; ask for fewer")
    estimate = mutual_info_classif if given.classes else mutual_info_regression
    mask = column_mask(discrete, given.X.shape[1])
    X = np.where(mask, given.X, centred(given.X))  # the unit matters by its rounding alone
    alone = [len(np.unique(column)) == len(column) for column in given.X.T]
    if not given.classes and (mask & alone).any():
        raise InputError(f"column {int(np.argmax(mask & alone))} is discrete, but no value occurs twice; cut it first")
    target = given.y if given.classes or _near_zero(given.y) else given.target
    found = estimate(X, target, discrete_features=mask, n_neighbors=neighbours, random_state=whole_seed(seed))
    return np.where(constant(given.X) | (found < ROUNDING), 0.0, found)


def _near_zero(y: Floats) -> bool:
    """Whether the spread of numbers is about their size: the noise that separates ties is a share of their size."""
    spread = float(y.std())
    return spread > LEAST_SPREAD and abs(float(y.mean())) < MOST_OFFSET * spread


def mutual_information_of_codes(a: Ints, b: Ints) -> float:
    """I(a; b) of two columns of codes."""
    first, second, rows = joint_counts(a, b)
    joint = rows / len(a)
    apart = np.bincount(a)[first] * np.bincount(b)[second] / len(a) ** 2
    return float((joint * np.log(joint / apart)).sum())


def joint_counts(a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """The contingency table of two columns of codes: the pairs that occur, in order, and how many rows have each."""
    width = int(b.max()) + 1
    pairs, rows = np.unique(a * width + b, return_counts=True)
    return pairs // width, pairs % width, rows


def discretised(column: Floats, bins: int | None) -> Ints:
    """A column as codes: of its distinct values or, if they are more than `bins`, of intervals between quantiles.

    One that is constant but for rounding has one code.
    """
    if constant(column[:, None])[0]:
        return np.zeros(len(column), dtype=np.intp)
    distinct, coded = np.unique(column, return_inverse=True)
    if bins is not None and len(distinct) > bins:
        # values cut as quantiles do, with no rounding that a unit could change; and as where every row is there twice
        cuts = quantile_borders(column, bins)[1:-1]
        coded = np.searchsorted(cuts, column, side="left")
    return coded.astype(np.intp)
