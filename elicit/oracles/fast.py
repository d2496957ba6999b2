"""Work shared between subsets, only where the fold scores are exactly those of a plain `cross_val_score`.

Two things can be shared. A leading scaler that treats each column by itself is fitted once a fold, on
all columns (`scaled.py`). Nearest neighbours are found for all folds at once from distances (here). The
rule: a fold that is not provably the same is left to the plain way.

What "provably" means for neighbours. scikit-learn computes squared distances by trees, by sums of
squares or as |x|² − 2x·y + |y|², and so do we; each is off the real distance by at most a small
multiple of (s + 8) ε (|x| + |y|)² for s columns, the pruning bounds of the trees included. `_slack`
is several times the sum of both errors. When the k-th and the next distance differ by more than twice
that, every way finds the same k neighbours, whatever its rounding and its rule for ties. Otherwise
all training rows within that distance of the k-th must have the same label; else the fold is undecided.
Squares of 32-bit numbers are computed in 64 bits, so that the same holds of them, but not of the distances that weigh
votes, which are rounded to 32 bits (`_votes`); nor of Manhattan distances, which are left to the plain way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from elicit.oracles.columns import Columns, holds_plain_numbers
from elicit.oracles.scaled import LARGEST_SCALED_COPY, NEIGHBOURS, Floats, Ints, ScaledFolds, Splits

#: Bytes of one fold's distances (test rows × training rows × 8) beyond which scikit-learn searches.
LARGEST_DISTANCES = 1 << 28
#: Folds are stacked while their distances (by power) stay below this many bytes, to stay in the cache.
_STACK = {2: 1 << 23, 1: 1 << 19}

_METRICS = {"euclidean": 2, "l2": 2, "manhattan": 1, "l1": 1, "cityblock": 1}
_TINY = 1e-290  # keeps differences that could be products of underflow from counting as certain


@dataclass(frozen=True)
class Task:
    """What the plain way would be given: everything a fast path needs to know about it."""

    columns: Columns
    y: NDArray[Any]
    splits: Splits
    scoring: Any
    scorer: Any
    score_params: tuple[dict[str, Any], ...]

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """The response methods that are all the scorer uses of an estimator; () when that is not known.

        A callable of the user may look at the estimator or at X, so nothing may be replaced under it.
        """
        if self.scoring is None:
            return ("predict",)
        methods = getattr(self.scorer, "_response_method", None)
        if isinstance(methods, str):
            return (methods,)
        return tuple(methods) if isinstance(methods, list | tuple) else ()


class Foretold(BaseEstimator):  # type: ignore[misc]
    """Takes the place of a fitted estimator in a scorer: returns predictions that are known already."""

    def __init__(self, predictions: Any, probabilities: Any, classes: Any) -> None:
        self.predictions = predictions
        self.probabilities = probabilities
        self.classes = classes
        self.classes_ = classes

    def predict(self, X: Any) -> Any:  # noqa: ARG002
        return self.predictions


class ForetoldClassifier(ClassifierMixin, Foretold):  # type: ignore[misc]
    def predict_proba(self, X: Any) -> Any:  # noqa: ARG002
        return self.probabilities


class ForetoldRegressor(RegressorMixin, Foretold):  # type: ignore[misc]
    pass


@dataclass(frozen=True)
class StackedRows:
    """The rows of F folds one above the other, at most Q test and T − 1 training rows (one is padding).

    Shapes: test (F, n, Q), train (F, n, T); `labels` (F, T) and `answers` (F, Q) number the distinct targets of
    training and test rows; `far` (F, T) is 0 for a training row and ∞ for padding, which is nobody's neighbour;
    `real` (F, Q) marks test rows.
    """

    test: Floats
    train: Floats
    labels: Ints
    answers: Ints
    far: Floats
    real: NDArray[np.bool_]


@dataclass(frozen=True)
class NeighbourFolds:
    """Nearest neighbours for every fold at once; `targets` are the distinct ones, in the order of their numbers.

    weighed_in: the type of number in which votes are weighed by distances.
    """

    task: Task
    model: Any
    power: int
    narrowest: int
    targets: NDArray[Any]
    rows: StackedRows
    weighed_in: np.dtype[Any]

    @property
    def k(self) -> int:
        """How many neighbours count."""
        return int(self.model.n_neighbors)

    @property
    def classifies(self) -> bool:
        """Whether neighbours vote, rather than give a mean."""
        return type(self.model) is KNeighborsClassifier

    @cached_property
    def sums_exactly(self) -> bool:
        """Whether a mean is the same in whatever order it is summed up: of whole numbers that are not too large."""
        y = self.task.y
        return bool((np.rint(y) == y).all()) and self.k * float(np.abs(y).max()) < 2**53

    @property
    def accuracy(self) -> bool:
        """Whether the score is the share of right classes, for which no scorer is needed."""
        return self.classifies and self.task.scoring in (None, "accuracy") and not any(self.task.score_params)

    def scores(self, columns: Sequence[int]) -> list[float | None]:
        """The score of every fold with these columns; None for a fold that the plain way must do."""
        if len(columns) < self.narrowest:
            return [None] * len(self.task.splits)
        found: list[float | None] = []
        at_once = max(1, _STACK[self.power] // (8 * self.rows.real.shape[1] * self.rows.far.shape[1]))
        for start in range(0, len(self.task.splits), at_once):
            found += self._stack(slice(start, start + at_once), list(columns))
        return found

    def _stack(self, folds: slice, columns: list[int]) -> list[float | None]:
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is undecided
            distance, slack = self._distances(folds, columns)
            nearest, at = _nearest(distance, self.k + 1)
            certain = at[..., self.k] - at[..., self.k - 1] > slack
            if not self.classifies and not self.sums_exactly:  # a mean depends on the order of what is summed up
                certain &= (np.diff(at, axis=-1) > slack[..., None]).all(axis=-1)
            else:
                self._accept_ties(certain, folds, distance, at[..., self.k - 1], slack)
            if not self.classifies:
                return self._scores(folds, certain, lambda i, f: self._by_means(f, nearest[i, :, :-1]))
            votes, sure = self._votes(folds, nearest[..., :-1], at[..., :-1], slack)
        if self.accuracy:
            return self._accuracies(folds, certain & sure, votes)
        return self._scores(folds, certain & sure, lambda i, f: self._by_votes(f, votes[i]))

    def _distances(self, folds: slice, columns: list[int]) -> tuple[Floats, Floats]:
        """Squared Euclidean or Manhattan distances (f, Q, T), and their `_slack` (f, Q)."""
        a = self.rows.test[folds][:, columns]
        b = self.rows.train[folds][:, columns]
        far = self.rows.far[folds]
        if self.power == 2:
            sizes_a = np.einsum("fsq,fsq->fq", a, a)
            sizes_b = np.einsum("fst,fst->ft", b, b)
            distance = np.matmul(a.transpose(0, 2, 1), b)
            distance *= -2.0
            distance += sizes_a[:, :, None]
            distance += (sizes_b + far)[:, None, :]
            reach = (np.sqrt(sizes_a) + np.sqrt(sizes_b.max(axis=1))[:, None]) ** 2
        else:
            distance = np.broadcast_to(far[:, None, :], (*self.rows.real[folds].shape, far.shape[1])).copy()
            apart = np.empty_like(distance)
            for column in range(len(columns)):
                np.subtract(a[:, column, :, None], b[:, column, None, :], out=apart)
                distance += np.abs(apart, out=apart)
            reach = np.abs(a).sum(axis=1) + np.abs(b).sum(axis=1).max(axis=1)[:, None]
        return distance, _slack(reach, len(columns))

    def _accept_ties(
        self, certain: NDArray[np.bool_], folds: slice, distance: Floats, kth: Floats, slack: Floats
    ) -> None:
        """Mark rows as certain whose doubtful neighbours all have the same label."""
        fold, row = np.nonzero(~certain & self.rows.real[folds])
        if not fold.size:
            return
        doubtful = np.abs(distance[fold, row] - kth[fold, row][:, None]) <= slack[fold, row][:, None]
        labels = self.rows.labels[folds][fold]
        least = np.where(doubtful, labels, len(self.targets)).min(axis=1)
        certain[fold, row] = least == np.where(doubtful, labels, -1).max(axis=1)

    def _votes(self, folds: slice, nearest: Ints, at: Floats, slack: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Summed weights (f, Q, classes), and whether their winner is beyond the reach of rounding."""
        classes = len(self.targets)
        labels = np.take_along_axis(self.rows.labels[folds][:, None, :], nearest, axis=2)
        rows = np.arange(labels[..., 0].size).reshape(labels.shape[:2])[..., None]
        cells = (rows * classes + labels).ravel()
        shape = (*labels.shape[:2], classes)
        votes = np.bincount(cells, minlength=rows.size * classes).reshape(shape).astype(np.float64)
        if self.model.weights != "distance":
            return votes, np.ones(shape[:2], dtype=np.bool_)
        agreed = votes.max(axis=2) == self.k
        number, closest = np.finfo(self.weighed_in), at[..., :1]
        distinct = closest[..., 0] > np.maximum(1000 * slack, float(number.tiny))  # below there are fewer digits
        safe = np.where(distinct[..., None], at, 1.0)
        weights = 1.0 / (np.sqrt(safe) if self.power == 2 else safe)
        sums = np.bincount(cells, weights=weights.ravel(), minlength=rows.size * classes).reshape(shape)
        top = np.sort(sums, axis=2)
        runner_up = top[..., -2] if classes > 1 else 0.0
        # a weight is off by a factor of at most 1 ± slack/closest, and rounding adds less than this
        rounding = max(1e-12, 4 * (self.k + 8) * float(number.eps))
        blur = (4 * slack / np.where(distinct, closest[..., 0], 1.0) + rounding) * sums.sum(axis=2)
        clear = distinct & (top[..., -1] - runner_up > 2 * blur)
        return np.where(agreed[..., None], votes, sums), agreed | clear

    def _decided(self, folds: slice, certain: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which folds of a stack are certain in every test row (f, Q)."""
        return np.asarray((certain | ~self.rows.real[folds]).all(axis=1))

    def _accuracies(self, folds: slice, certain: NDArray[np.bool_], votes: Floats) -> list[float | None]:
        """The share of right classes in each fold of a stack, None for one that is not decided."""
        real = self.rows.real[folds]
        right = ((votes.argmax(axis=2) == self.rows.answers[folds]) & real).sum(axis=1)
        counted = zip(right, real.sum(axis=1), self._decided(folds, certain), strict=True)
        return [int(r) / int(s) if ok else None for r, s, ok in counted]

    def _scores(
        self, folds: slice, certain: NDArray[np.bool_], foretold: Callable[[int, int], Foretold]
    ) -> list[float | None]:
        """What the scorer gives each fold of a stack for what is `foretold` by its place there and its number."""
        decided = self._decided(folds, certain)
        numbered = enumerate(range(len(self.task.splits))[folds])
        return [self._score(f, foretold(i, f)) if decided[i] else None for i, f in numbered]

    def _by_votes(self, f: int, votes: Floats) -> Foretold:
        """The predictions of fold f by the votes of its rows (Q, classes)."""
        train, test = self.task.splits[f]
        votes = votes[: len(test)]
        present = np.unique(self.rows.labels[f][: len(train)])
        probabilities = votes[:, present] / float(self.k)
        return ForetoldClassifier(self.targets[votes.argmax(axis=1)], probabilities, self.targets[present])

    def _by_means(self, f: int, nearest: Ints) -> Foretold:
        """The predictions of fold f by the nearest neighbours of its rows (Q, k)."""
        train, test = self.task.splits[f]
        column = self.task.y[train].reshape(-1, 1)
        return ForetoldRegressor(np.mean(column[nearest[: len(test)]], axis=1).ravel(), None, None)

    def _score(self, f: int, known: Foretold) -> float:
        y = self.task.y[self.task.splits[f][1]]
        rows = self.rows.test[f, :, : len(y)].T
        return float(self.task.scorer(known, rows, y, **self.task.score_params[f]))


def _slack(reach: Floats, columns: int) -> Floats:
    """Twice the largest difference that two ways of computing one distance may have, generously."""
    return np.asarray(16 * (columns + 8) * np.finfo(np.float64).eps * reach + _TINY)


def _nearest(distance: Floats, k: int) -> tuple[Ints, Floats]:
    """Positions and values of the k least entries along the last axis, ascending; `distance` is kept."""
    rows = distance.reshape(-1, distance.shape[-1])
    if k <= 12:  # repeated minima beat a partition for few neighbours
        every = np.arange(len(rows))
        found = np.empty((len(rows), k), dtype=np.intp)
        values = np.empty((len(rows), k))
        for j in range(k):
            found[:, j] = rows.argmin(axis=1)
            values[:, j] = rows[every, found[:, j]]
            rows[every, found[:, j]] = np.inf
        for j in reversed(range(k)):
            rows[every, found[:, j]] = values[:, j]
    else:
        found = np.argpartition(rows, k - 1, axis=1)[:, :k]
        values = np.take_along_axis(rows, found, axis=1)
        ascending = values.argsort(axis=1)
        found = np.take_along_axis(found, ascending, axis=1)
        values = np.take_along_axis(values, ascending, axis=1)
    shape = (*distance.shape[:-1], k)
    return found.reshape(shape), values.reshape(shape)


def neighbour_folds(estimator: Any, task: Task, scaled: ScaledFolds | None) -> NeighbourFolds | None:
    """The folds stacked for nearest neighbours, or None where the result could differ from the plain way."""
    model = estimator if scaled is None else scaled.rest
    power = _power(model)
    if power is None or not _reads_known(model, task) or task.y.ndim != 1:
        return None
    pairs = _unscaled(task) if scaled is None else list(zip(scaled.train, scaled.test, strict=True))
    if pairs is None:
        return None
    squared = power == 2 and get_config()["enable_cython_pairwise_dist"]
    if pairs[0][0].dtype == np.float32 and not squared:
        return None  # differences or distances are rounded to 32 bits
    if not _fits_memory(pairs) or min(len(train) for train, _ in pairs) < model.n_neighbors:
        return None
    if not _works(model, *pairs[0], task.y[task.splits[0][0]]):
        return None
    usual = task.y.dtype in (np.float64, np.int64) and np.isfinite(task.y).all()
    if type(model) is KNeighborsRegressor and not usual:
        return None
    targets, numbered = np.unique(task.y, return_inverse=True)
    narrowest = 1 if scaled is None else scaled.narrowest
    stacked = _stacked(task, pairs, numbered)
    return NeighbourFolds(task, model, power, narrowest, targets, stacked, pairs[0][0].dtype)


def _unscaled(task: Task) -> list[tuple[Floats, Floats]] | None:
    """The training and test rows of every fold as they are given; None where they are no numbers to compute with."""
    if not holds_plain_numbers(task.columns.X):
        return None
    values = np.asarray(task.columns.X)
    values = values if values.dtype == np.float32 else values.astype(np.float64)
    if not np.isfinite(values).all() or np.abs(values).max() > 2**52:
        return None
    return [(values[train], values[test]) for train, test in task.splits]


def _power(model: Any) -> int | None:
    """2 for Euclidean, 1 for Manhattan distances, None for a model whose neighbours we do not know."""
    if type(model) not in NEIGHBOURS or model.metric_params is not None:
        return None
    if model.weights not in (None, "uniform", "distance") or not isinstance(model.metric, str):
        return None
    if type(model) is KNeighborsRegressor and model.weights == "distance":
        return None  # its predictions hold the last bits of the distances
    if not isinstance(model.n_neighbors, Integral) or model.n_neighbors < 1:
        return None
    if model.metric == "minkowski":
        return int(model.p) if model.p in (1, 2) else None
    return _METRICS.get(model.metric)


def _reads_known(model: Any, task: Task) -> bool:
    """Whether the scorer reads nothing but predictions that are the same to the last bit."""
    if not task.reads or not set(task.reads) <= {"predict", "predict_proba", "decision_function"}:
        return False
    if task.reads == ("predict",):
        return True
    return type(model) is KNeighborsClassifier and model.weights != "distance"


def _fits_memory(pairs: Sequence[tuple[Floats, Floats]]) -> bool:
    most = max(len(train) for train, _ in pairs) * max(len(test) for _, test in pairs)
    copies = sum(train.size + test.size for train, test in pairs)
    return most * 8 <= LARGEST_DISTANCES and copies * 8 <= LARGEST_SCALED_COPY


def _works(model: Any, train: Floats, test: Floats, y: NDArray[Any]) -> bool:
    """A model that cannot fit, or warns, must do so in the plain way.

    It may try twice: what is said once speaks of the machine (joblib, where it cannot count the cores), not of it.
    """
    return any(_fits_quietly(model, train, test, y) for _ in range(2))


def _fits_quietly(model: Any, train: Floats, test: Floats, y: NDArray[Any]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            clone(model).fit(train, y).predict(test[:1])
    except Exception:  # an estimator may raise anything; the plain way records why
        return False
    return True


def _stacked(task: Task, pairs: Sequence[tuple[Floats, Floats]], numbered: Ints) -> StackedRows:
    """The training and test rows of every fold; `numbered` (rows,) are the numbers of their targets."""
    folds, n = len(pairs), pairs[0][0].shape[1]
    most_train = max(len(train) for train, _ in pairs) + 1
    most_test = max(len(test) for _, test in pairs)
    train, far = np.zeros((folds, n, most_train)), np.full((folds, most_train), np.inf)
    test, real = np.zeros((folds, n, most_test)), np.zeros((folds, most_test), dtype=np.bool_)
    labels = np.zeros((folds, most_train), dtype=np.intp)
    answers = np.zeros((folds, most_test), dtype=np.intp)
    for f, ((a, b), (rows, held_out)) in enumerate(zip(pairs, task.splits, strict=True)):
        train[f, :, : len(a)], far[f, : len(a)], labels[f, : len(a)] = a.T, 0.0, numbered[rows]
        test[f, :, : len(b)], real[f, : len(b)], answers[f, : len(b)] = b.T, True, numbered[held_out]
    return StackedRows(test, train, labels, answers, far, real)
