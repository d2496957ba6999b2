"""Filters as oracles: the merit of a subset computed from the data alone, without fitting a model.

Five merits of a subset v, written with k = |v|:

- `sum`, `mean`: of one score an attribute, Σ s_i or Σ s_i / k.
- `cfs` (Hall 1999): Σ_i r_i / √(k + 2 Σ_{i<j} r_ij): relevant attributes that do not repeat each other.
- `mrmr` (Peng, Long, Ding 2005, difference form): mean_i I(i; y) − mean_{i<j} I(i; j).
- `consistency` (Liu, Setiono 1996): the share of rows that agree with the most frequent target among the
  rows with the same values on v.

r_ij = |Pearson correlation|. r_i is the same with a numeric target; with classes it is the correlation
ratio √(sum of squares between classes / total), equal to |Pearson| for two classes. A constant column
has r = 0. I is the mutual information in nats of the discrete versions, and patterns are those of the
discrete versions too: a numeric column with more than `bins` distinct values is cut at its quantiles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.asks import Evaluate, Failure, Measured, subset_asked_for
from elicit.errors import InputError, columns_called, one_line
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.numeric import holds_classes, whole
from elicit.oracles.columns import by_name, columns_of, require_no_gaps, require_one_each
from elicit.oracles.criteria import Extra, Reading, Trial, checked_extras, gathered
from elicit.oracles.describe import fingerprint
from elicit.scores.information import discretised, joint_counts, mutual_information_of_codes
from elicit.scores.moments import unit_columns
from elicit.scores.protocol import Floats, Ints, Table, numbers, table, target_of
from elicit.scores.registry import score_named
from elicit.subsets import Attributes, Mask, members

Merit = Callable[[Mask], float]


class FilterOracle:
    """Scores a subset by a merit that is computed from the data alone, without fitting a model.

    X, y: numeric columns without gaps, and the target.
    merit: "cfs" (relevant attributes that do not repeat each other), "mrmr" (relevance less redundancy, by mutual
        information), "consistency" (the share of rows with the most frequent target among those of the same values),
        or "sum" or "mean" of `scores`.
    scores: for sum and mean: one number an attribute, a function f(X, y) that gives them, or the name of a score.
    attributes: a name for each column.
    classes: whether the target holds classes; None decides: texts do, and at most 20 whole numbers.
    bins: intervals into which mrmr and consistency cut a numeric column.
    criteria: criteria beyond score and size, such as `cost`.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        merit: str = "cfs",
        *,
        scores: str | Sequence[float] | Floats | Callable[[Any, Any], Any] | None = None,
        attributes: Sequence[str] | Attributes | None = None,
        classes: bool | None = None,
        bins: int = 5,
        criteria: Sequence[Extra] | Extra | None = None,
    ) -> None:
        if not isinstance(merit, str) or merit not in (*_MERITS_OF_SCORES, *_MERITS_OF_DATA):
            raise InputError(
                f"unknown merit {merit!r:.80}; expected one of {', '.join((*_MERITS_OF_SCORES, *_MERITS_OF_DATA))}"
            )
        if (scores is not None) != (merit in _MERITS_OF_SCORES):
            need = "needs scores, one an attribute" if scores is None else "takes no scores; leave them out"
            raise InputError(f"the merit {merit!r} {need}")
        whole("bins", bins, 2)
        columns = columns_of(X, attributes)
        self.attributes = columns.attributes
        self._extras = checked_extras(criteria, self.attributes, 0)
        self.criteria: tuple[Criterion, ...] = (*SCORE_AND_SIZE, *(extra.criterion for extra in self._extras))
        require_no_gaps(np.asarray(y))
        data, target = numbers(columns.X), target_of(y, columns.X.shape[0])
        discrete = holds_classes(target) if classes is None else classes
        if merit in _MERITS_OF_SCORES:
            values = _scores(by_name(scores, self.attributes.names, "scores"), X, y, self.attributes, discrete)
            self._merit: Merit = _SumOfScores(values, merit == "mean")
        else:
            values = None
            given = table(columns.X, y, f"the merit {merit!r}", classes=classes, instead="another merit")
            self._merit = _MERITS_OF_DATA[merit](given, bins)
        self.fingerprint = fingerprint(
            "filter", merit, self.attributes.names, data, target, discrete, bins, values, self._extras
        )

    def __call__(self, request: Evaluate) -> Measured | Failure:
        mask = subset_asked_for(request, self.attributes)
        try:
            return gathered(Reading(self._merit(mask)), self._extras, Trial(self.attributes, mask))
        except Exception as error:
            return Failure(one_line(error))


class _SumOfScores:
    """The sum, or the mean, of given scores."""

    def __init__(self, scores: Floats, mean: bool) -> None:
        self.scores, self.mean = scores, mean

    def __call__(self, mask: Mask) -> float:
        chosen = self.scores[members(mask)]
        return float(chosen.mean() if self.mean else chosen.sum())


class _CFS:
    """Correlation-based feature selection: Σ r_i / √(k + 2 Σ_{i<j} r_ij)."""

    def __init__(self, given: Table, bins: int) -> None:  # noqa: ARG002
        unit, y = unit_columns(given.X), given.y
        self.between = np.abs(unit.T @ unit)
        if given.classes:
            self.relevance = _class_ratio(unit, y)
        else:
            self.relevance = np.abs(unit.T @ unit_columns(y.reshape(-1, 1))).ravel()

    def __call__(self, mask: Mask) -> float:
        v = members(mask)
        pairs = np.triu(self.between[np.ix_(v, v)], k=1).sum()
        return float(self.relevance[v].sum() / np.sqrt(len(v) + 2 * pairs))


class _MRMR:
    """Minimum redundancy, maximum relevance: mean_i I(i; y) − mean_{i<j} I(i; j), the latter 0 for one attribute.

    The mean goes over pairs. Where it goes over all i and j, an attribute's entropy counts as redundancy with itself.
    """

    def __init__(self, given: Table, bins: int) -> None:
        coded, target = _codes(given, bins)
        n = coded.shape[1]
        self.relevance = np.array([mutual_information_of_codes(coded[:, i], target) for i in range(n)])
        self.between = np.zeros((n, n))
        for i in range(n):
            for j in range(i):
                self.between[j, i] = mutual_information_of_codes(coded[:, i], coded[:, j])

    def __call__(self, mask: Mask) -> float:
        v = members(mask)
        pairs = len(v) * (len(v) - 1) / 2
        redundancy = self.between[np.ix_(v, v)].sum() / pairs if pairs else 0.0
        return float(self.relevance[v].mean() - redundancy)


class _Consistency:
    """The share of rows that have the most frequent target of their pattern of values."""

    def __init__(self, given: Table, bins: int) -> None:
        self.codes, self.target = _codes(given, bins)

    def __call__(self, mask: Mask) -> float:
        pattern = np.unique(self.codes[:, members(mask)], axis=0, return_inverse=True)[1].ravel()
        found, _, rows = joint_counts(pattern, self.target)
        begins = np.flatnonzero(np.diff(found, prepend=-1))
        return float(np.maximum.reduceat(rows, begins).sum() / len(self.target))


#: Merits that are made of given scores, and those made of the data; of the latter those that cut numeric columns.
_MERITS_OF_SCORES = ("sum", "mean")
_MERITS_OF_DATA: dict[str, Callable[[Table, int], Merit]] = {"cfs": _CFS, "mrmr": _MRMR, "consistency": _Consistency}
CUTTING = ("mrmr", "consistency")


def _codes(given: Table, bins: int) -> tuple[Ints, Ints]:
    """Each column, and the target, as codes: of its distinct values, or of quantile intervals when there are many."""
    coded = np.column_stack([discretised(column, bins) for column in given.X.T])
    return coded, given.y if given.classes else discretised(given.y, bins)


def _class_ratio(unit: Floats, y: NDArray[Any]) -> Floats:
    """Correlation ratio of unit columns: the root of the sum of squares between classes."""
    between = sum(unit[y == c].sum(axis=0) ** 2 / (y == c).sum() for c in np.unique(y))
    return np.asarray(np.sqrt(between))


def _scores(scores: Any, X: Any, y: Any, attributes: Attributes, discrete: bool) -> Floats:
    """One number an attribute; those of a score by its name are turned so that more is better."""
    if isinstance(scores, str):
        measure = score_named(scores)
        with columns_called(attributes.names):
            found = measure.of_target(X, y, classes=discrete)
        scores = found if measure.higher_is_better else -found
    try:
        values = np.asarray(scores(X, y) if callable(scores) else scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the attribute scores cannot be used: {one_line(error)}") from error
    require_one_each(values, attributes, "expected one finite score")
    return values
