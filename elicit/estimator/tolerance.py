"""Tolerance: fewer features for a score that is as good as the best, as far as anybody can tell.

The one-standard-error rule is Breiman's: the simplest model within one standard error of the best. The
error is that of the best subset's fold scores, s/√k; folds share training rows, so it is a habit rather
than a test. Of repeated folds all k count, though those of another round tell little that is new: it is smaller then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from elicit.decide.beliefs import best_by_score
from elicit.errors import InputError
from elicit.estimator.judges import Judge
from elicit.knowledge.history import History
from elicit.numeric import LARGEST_MEASURED, is_finite, step_of, steps_of
from elicit.subsets import Family, Mask, simplest

ONE_SE = "1-se"

#: How far below the best a score may be: a number, or ONE_SE.
Tolerance = float | str


def tolerance_of(given: Any, judge: Judge, folds: int) -> Tolerance | None:
    """The checked tolerance: a number or "1-se". It needs operator=None, and "1-se" at least two folds."""
    if given is None:
        return None
    one_se = isinstance(given, str) and given == ONE_SE
    if not one_se and not (is_finite(given) and given >= 0):
        raise InputError(f'tolerance is a number of at least 0, "{ONE_SE}" or None; found {given!r}')
    if not judge.declared:
        raise InputError("tolerance goes with operator=None; an operator says itself what a smaller subset is worth")
    if one_se and folds < 2:
        raise InputError(f'tolerance "{ONE_SE}" needs the scores of at least two folds; give a number instead')
    return ONE_SE if one_se else float(given)


def least_within(history: History, family: Family, tolerance: Tolerance) -> Mask | None:
    """The smallest evaluated subset whose score is within the tolerance of the best; the better of two such."""
    lowest = lowest_within(history, family, tolerance)
    score = {x: fact.criteria[0] for x, fact in history.evaluated.items() if x in family}
    close = [x for x in score if lowest is not None and score[x] >= lowest]
    return min(close, key=lambda x: (x.bit_count(), -steps_of(score[x]), simplest(x)), default=None)


def lowest_within(history: History, family: Family, tolerance: Tolerance) -> float | None:
    """The lowest score that is within the tolerance of the best; None before anything in the family is evaluated."""
    best = best_by_score(history, family)
    if best is None:
        return None
    fact = history.evaluated[best]
    away = _standard_error(fact.folds[0]) if isinstance(tolerance, str) else tolerance
    lowest = fact.criteria[0] - away - step_of(fact.criteria[0])
    return max(lowest, -LARGEST_MEASURED)  # a lower one has no steps


def _standard_error(scores: Sequence[float]) -> float:
    return float(np.std(scores, ddof=1)) / math.sqrt(len(scores))
