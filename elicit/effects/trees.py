"""Trees as boxes: a tree ensemble is a sum of values over boxes, so partial dependences come from counting rows.

f(x) = constant + Σ_l v_l [x in box l]. For a set S of attributes, PD_S(x_S) = Σ_l v_l [x_S in box l] c_l(S),
with c_l(S) the share of rows that leave box l through attributes of S only. So every partial dependence at
every row takes one pass over boxes and rows: linear in the rows, where asking the model is quadratic.

The rule: a model qualifies when its answer is such a sum: regression trees, forests and boosting, the class
probabilities of trees and forests, the decision function of boosting. The caller checks the sum against the
model. scikit-learn's trees compare in single precision, but for boosting by histograms, so the columns are rounded
to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from elicit.scores.answers import ModelAnswers
from elicit.scores.protocol import Floats, Ints

_FORESTS = (RandomForestRegressor, RandomForestClassifier, ExtraTreesRegressor, ExtraTreesClassifier)
_TREES = (DecisionTreeRegressor, DecisionTreeClassifier)
_BOOSTED = (GradientBoostingRegressor, GradientBoostingClassifier)
_BY_HISTOGRAMS = (HistGradientBoostingRegressor, HistGradientBoostingClassifier)

#: What comes of reading the fields of another release, which may keep its trees in another way.
_OTHERWISE_KEPT = (AttributeError, LookupError, TypeError, ValueError)

Ranks = NDArray[np.unsignedinteger[Any]]

#: Cells of one pass (boxes × rows): small enough for the processor's cache.
CELLS = 1 << 18


@dataclass(frozen=True)
class Boxes:
    """lower < x ≤ upper, both (boxes, d), and the value of each box; whether x counts in single precision."""

    lower: Floats
    upper: Floats
    value: Floats
    single: bool = True


class _Tree(NamedTuple):
    """By node: the two below it, the attribute and the border that part them (none at a leaf: −1), its value."""

    left: Ints
    right: Ints
    attribute: Ints
    border: Floats
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
    model, classifies = ask.model, hasattr(ask.model, "classes_")
    if getattr(model, "n_outputs_", 1) > 1 and ask.column is None:
        return None
    if type(model) in (*_TREES, *_FORESTS) and (ask.method == "predict_proba") == classifies:
        trees = [model] if type(model) in _TREES else model.estimators_
        return _boxes([_tree(tree, ask.column, 1 / len(trees)) for tree in trees], model.n_features_in_)
    if ask.method != ("decision_function" if classifies else "predict"):
        return None
    if type(model) in _BOOSTED and (model.init is None or model.init == "zero"):  # another need not be constant
        which, sign = _stage_of(ask, model.estimators_.shape[1])
        stages = [stage[which] for stage in model.estimators_]
        return _boxes([_tree(tree, None, sign * model.learning_rate) for tree in stages], model.n_features_in_)
    if type(model) in _BY_HISTOGRAMS:
        try:
            return _boxes_by_histograms(ask)
        except _OTHERWISE_KEPT:  # the fields that are read are its own: then the model is asked
            return None
    return None


def _stage_of(ask: ModelAnswers, trees: int) -> tuple[int, float]:
    """Which tree of each stage counts, and its sign: two classes share one tree."""
    if trees > 1 and ask.column is not None:
        return ask.column, 1.0
    return 0, -1.0 if trees == 1 and ask.column == 0 and hasattr(ask.model, "classes_") else 1.0


def _tree(tree: Any, column: int | None, scale: float) -> _Tree:
    held = tree.tree_
    value = _values(held, column) * scale
    return _Tree(held.children_left, held.children_right, held.feature, held.threshold, value)


def _boxes_by_histograms(ask: ModelAnswers) -> Boxes | None:
    """Those of boosting by histograms, where nothing is a category."""
    stages = ask.model._predictors
    which, sign = _stage_of(ask, len(stages[0]))
    trees = []
    for nodes in (stage[which].nodes for stage in stages):
        leaf = nodes["is_leaf"] == 1
        if nodes["is_categorical"][~leaf].any() or ask.model._preprocessor is not None:
            return None
        left, right, attribute = (
            np.where(leaf, -1, nodes[field].astype(np.intp)) for field in ("left", "right", "feature_idx")
        )
        trees.append(_Tree(left, right, attribute, nodes["num_threshold"], sign * nodes["value"]))
    return _boxes(trees, ask.model.n_features_in_, single=False)


def _boxes(trees: Sequence[_Tree], d: int, *, single: bool = True) -> Boxes:
    starts = np.concatenate([[0], np.cumsum([len(tree.value) for tree in trees])])
    left, right = (
        np.concatenate([below + start for below, start in zip(side, starts, strict=False)])
        for side in ([tree.left for tree in trees], [tree.right for tree in trees])
    )
    attribute, border, value = (
        np.concatenate(parts) for parts in zip(*((t.attribute, t.border, t.value) for t in trees), strict=True)
    )
    lower, upper = np.full((starts[-1], d), -np.inf), np.full((starts[-1], d), np.inf)
    level = starts[:-1]
    while len(level := level[attribute[level] >= 0]):  # the inner nodes of this depth, of all trees at once
        to_left, to_right, j = left[level], right[level], attribute[level]
        for child in (to_left, to_right):
            lower[child], upper[child] = lower[level], upper[level]
        upper[to_left, j] = border[level]
        lower[to_right, j] = border[level]
        level = np.concatenate([to_left, to_right])
    leaf = attribute < 0
    return Boxes(lower[leaf], upper[leaf], value[leaf], single)


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
    ranked = _ranked(boxes, X.astype(np.float32).astype(np.float64) if boxes.single else X)
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
