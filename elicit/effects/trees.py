"""Trees as boxes: a tree ensemble is a sum of values over boxes, so partial dependences come from counting rows.

f(x) = constant + Σ_l v_l [x in box l]. For a set S of attributes, PD_S(x_S) = Σ_l v_l [x_S in box l] c_l(S),
with c_l(S) the share of rows that leave box l through attributes of S only. So every partial dependence at
every row takes one pass over boxes and rows: linear in the rows, where asking the model is quadratic.

The rule: a model qualifies when its answer is such a sum: regression trees, forests and boosting, the class
probabilities of trees and forests, the decision function of boosting. The caller checks the sum against the
model. scikit-learn's trees compare in single precision, so the columns are rounded to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from elicit.scores.answers import ModelAnswers
from elicit.scores.protocol import Floats

_FORESTS = (RandomForestRegressor, RandomForestClassifier, ExtraTreesRegressor, ExtraTreesClassifier)
_TREES = (DecisionTreeRegressor, DecisionTreeClassifier)
_BOOSTED = (GradientBoostingRegressor, GradientBoostingClassifier)

Ranks = NDArray[np.unsignedinteger[Any]]

#: Cells of one pass (boxes × rows): small enough for the processor's cache.
CELLS = 1 << 18


@dataclass(frozen=True)
class Boxes:
    """lower < x ≤ upper, both (boxes, d), and the value of each box."""

    lower: Floats
    upper: Floats
    value: Floats


@dataclass(frozen=True)
class Dependences:
    """At every row, up to a constant: f; single[j] = PD_j; without[j] = PD_−j; joint[j, k] = PD_jk − PD_j − PD_k."""

    f: Floats
    single: Floats
    without: Floats
    joint: dict[tuple[int, int], Floats]


def boxes_of(ask: ModelAnswers) -> Boxes | None:
    """The boxes of a model whose answer is a sum over them, else None."""
    model = ask.model
    if type(model) in _TREES and (ask.method == "predict_proba") == hasattr(model, "classes_"):
        parts = [(model, 1.0)]
    elif type(model) in _FORESTS and (ask.method == "predict_proba") == hasattr(model, "classes_"):
        parts = [(tree, 1 / len(model.estimators_)) for tree in model.estimators_]
    elif type(model) in _BOOSTED and ask.method == ("decision_function" if hasattr(model, "classes_") else "predict"):
        if model.init is not None and model.init != "zero":
            return None  # it starts from a model that need not be constant
        which = ask.column if model.estimators_.shape[1] > 1 and ask.column is not None else 0
        sign = -1.0 if model.estimators_.shape[1] == 1 and ask.column == 0 and hasattr(model, "classes_") else 1.0
        parts = [(stage[which], sign * model.learning_rate) for stage in model.estimators_]
        return _boxes(parts, None, model.n_features_in_)
    else:
        return None
    if getattr(model, "n_outputs_", 1) > 1 and ask.column is None:
        return None
    return _boxes(parts, ask.column, model.n_features_in_)


def _boxes(parts: list[tuple[Any, float]], column: int | None, d: int) -> Boxes:
    trees = [tree.tree_ for tree, _ in parts]
    starts = np.concatenate([[0], np.cumsum([tree.node_count for tree in trees])])
    left = np.concatenate([tree.children_left + start for tree, start in zip(trees, starts, strict=False)])
    right = np.concatenate([tree.children_right + start for tree, start in zip(trees, starts, strict=False)])
    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])
    value = np.concatenate([_values(tree, column) * scale for (_, scale), tree in zip(parts, trees, strict=True)])
    lower, upper = np.full((starts[-1], d), -np.inf), np.full((starts[-1], d), np.inf)
    level = starts[:-1]
    while len(level := level[feature[level] >= 0]):  # the inner nodes of this depth, of all trees at once
        to_left, to_right, j = left[level], right[level], feature[level]
        for child in (to_left, to_right):
            lower[child], upper[child] = lower[level], upper[level]
        upper[to_left, j] = threshold[level]
        lower[to_right, j] = threshold[level]
        level = np.concatenate([to_left, to_right])
    leaf = feature < 0
    return Boxes(lower[leaf], upper[leaf], value[leaf])


def _values(tree: Any, column: int | None) -> Floats:
    """The prediction of each node: a number, or the share of one class."""
    held = tree.value  # (nodes, outputs, classes)
    if held.shape[2] > 1:
        return np.asarray(held[:, 0, column] / held[:, 0].sum(axis=1))
    return np.asarray(held[:, column or 0, 0])


def dependences(boxes: Boxes, X: Floats, pairs: Sequence[tuple[int, int]], *, overall: bool) -> Dependences:
    """Partial dependences of the boxes at the rows of X, which are also what is averaged over.

    `without` is left at f unless `overall`.
    """
    n, d = X.shape
    found = Dependences(np.zeros(n), np.zeros((d, n)), np.zeros((d, n)), {pair: np.zeros(n) for pair in pairs})
    ranked = _ranked(boxes, X.astype(np.float32).astype(np.float64))
    at_once = max(1, CELLS // n)
    for start in range(0, len(boxes.value), at_once):
        _add(found, ranked, slice(start, start + at_once), overall)
    found.without[:] += found.f
    return found


@dataclass(frozen=True)
class _Ranked:
    """Rows and boxes by the ranks of the rows' values: a row is in a box along j when rank − first < width.

    rows (d, n); first, width (d, boxes), unsigned, so that a rank below `first` wraps round to a large number.
    """

    rows: Ranks
    first: Ranks
    width: Ranks
    value: Floats


def _ranked(boxes: Boxes, X: Floats) -> _Ranked:
    kind = np.uint16 if len(X) < 1 << 15 else np.uint32
    rows, first, width = [], [], []
    for column, lower, upper in zip(X.T, boxes.lower.T, boxes.upper.T, strict=True):
        distinct, rank = np.unique(column, return_inverse=True)
        start, stop = (np.searchsorted(distinct, edge, side="right") for edge in (lower, upper))
        rows.append(rank)
        first.append(start)
        width.append(stop - start)
    return _Ranked(np.array(rows, kind), np.array(first, kind), np.array(width, kind), boxes.value)


def _add(found: Dependences, ranked: _Ranked, part: slice, overall: bool) -> None:
    """Add what these boxes contribute."""
    value, n = ranked.value[part], ranked.rows.shape[1]
    misses = np.zeros((len(value), n), dtype=np.uint16)
    bound, out = {}, {}  # for each attribute: the boxes that it takes rows out of, and which rows
    for j, (rows, first, width) in enumerate(
        zip(ranked.rows, ranked.first[:, part], ranked.width[:, part], strict=True)
    ):
        bound[j] = np.flatnonzero(width <= rows.max())
        if len(bound[j]) == 0:
            continue
        outside = np.zeros((len(value), n), dtype=bool)
        outside[bound[j]] = rows - first[bound[j], None] >= width[bound[j], None]
        out[j] = outside
        misses += outside
    found.f[:] += value @ (misses == 0)
    alone = {j: np.zeros(len(value)) for j in out}  # the share of rows that no other attribute takes out
    for j, outside in out.items():
        held = bound[j]
        others, inside = misses[held] == outside[held], ~outside[held]
        alone[j][held] = others.mean(axis=1)
        found.single[j] += (value[held] * alone[j][held]) @ inside
        if overall:
            # where j is averaged over, a box counts with the share of rows that are within it along j
            found.without[j] += (value[held] * inside.mean(axis=1)) @ others - value[held] @ (others & inside)
    for j, k in found.joint:
        if j not in out or k not in out:
            continue
        held = np.intersect1d(bound[j], bound[k], assume_unique=True)
        if len(held) == 0:
            continue
        out_j, out_k, v = out[j][held], out[k][held], value[held]
        both = (misses[held] == out_j.view(np.uint8) + out_k.view(np.uint8)).mean(axis=1)
        # [x_j in][x_k in] c(jk) − [x_j in] c(j) − [x_k in] c(k)
        found.joint[j, k] += (
            (v * both) @ ~(out_j | out_k) - (v * alone[j][held]) @ ~out_j - (v * alone[k][held]) @ ~out_k
        )
