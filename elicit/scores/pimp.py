"""PIMP: is an importance more than chance? (Altmann, Toloşi, Sander, Lengauer 2010)

The model is fitted anew to targets in random order, where no attribute can matter, and measured in the same
way. p_j = (1 + number of those importances ≥ the observed one) / (s + 1): never 0.

It tests that no attribute at all matters: where none does, p_j is at most α with a chance of at most α. Where another
one does, p_j is no test of j by itself, and may be far too small: a model that answers every row with the most frequent
class once the target is noise finds nothing important then; it is the other attribute that makes its answers differ,
and where they do, j moves them a little. (In `test_pimp.py` p of noise is 0.05 in a third of the runs, or more.)

Measured on the rows it was fitted to, a model that overfits gives importance to everything once the target
is noise, and attributes of moderate effect drown in that. Rows held out tell more (`test_size`).

The rule: the null draws are made before any work is split, and a model without a seed is given one, so the result
is the same every time, for any n_jobs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils.parallel import Parallel, delayed

from elicit.errors import InputError
from elicit.numeric import whole
from elicit.orphans import from_the_start, in_turn, starting, tied
from elicit.scores.models import fit, seeded
from elicit.scores.permutation import permutation_importance
from elicit.scores.protocol import MASKED_TARGET, Floats, Groups, Ints, generator
from elicit.scores.sheet import Sheet

#: f(fitted model, X, y) -> one number an attribute.
Importance = Callable[[Any, Any, NDArray[Any]], Floats]


#: Importances closer than this share of the largest differ by rounding.
TIED = 1e-10


@dataclass(frozen=True)
class Significance:
    """observed (d,), the importances by chance (s, d), and the p-value of each attribute (d,)."""

    observed: Floats
    null: Floats
    p_values: Floats


def pimp(
    model: Any,
    X: Any,
    y: Any,
    *,
    draws: int = 100,
    importance: Importance | None = None,
    test_size: float | None = None,
    groups: Groups | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator = 0,
) -> Significance:
    """p-values of importances, were there no attribute that matters, by refitting a clone of `model` `draws` times.

    importance: how a fitted model is measured; by default permutation importance.
    test_size: the share of the rows that is held out of every fit and measured on; None: all rows serve both.
    groups: positions of the columns of each attribute, for the default importance.
    """
    whole("draws", draws)
    if np.ma.isMaskedArray(y):
        raise InputError(MASKED_TARGET)
    target = np.asarray(y)
    if target.ndim != 1:
        raise InputError(f"PIMP needs one target a row, found shape {target.shape}")
    if len(target) < 2 or (target == target[0]).all():
        raise InputError("PIMP needs a target that varies; a constant one has no other order")
    if groups is not None and importance is not None:
        raise InputError("groups are for the default importance; one of your own knows its attributes")
    rng = generator(random_state)
    seed = int(rng.integers(2**32))
    learner = seeded(model, seed)
    measure = importance if importance is not None else partial(_permuted, seed, groups)
    sheet = Sheet(X)
    if sheet.n != len(target):
        raise InputError(f"X has {sheet.n} rows but the target has {len(target)}; give one value a row")
    train, test = _rows(target, test_size, seed, classes=is_classifier(learner))
    targets = [target, *(_in_random_order(target, train, test, rng) for _ in range(draws))]
    fitted_to, measured_on = sheet.replaced(train, {}), sheet.replaced(test, {})
    with starting():
        given = Parallel(n_jobs=n_jobs, return_as=in_turn(), **from_the_start())(
            delayed(tied(_refitted))(learner, fitted_to, t[train], measured_on, t[test], measure) for t in targets
        )
    found = list(given)
    observed, null = np.asarray(found[0]), np.asarray(found[1:])
    if np.isnan(observed).any() or np.isnan(null).any():
        raise InputError("an importance is not a number, which no other can be compared with; look at the measure")
    return Significance(observed, null, p_values(observed, null))


def _rows(target: NDArray[Any], test_size: float | None, seed: int, *, classes: bool) -> tuple[Ints, Ints]:
    """The rows that models are fitted to, and those that they are measured on: the same where none are held out.

    Of every class of several rows there are some in both, if these have room for one of each; a single row is fitted
    to.
    """
    n = len(target)
    everything = np.arange(n)
    if test_size is None:
        return everything, everything
    if not isinstance(test_size, float | np.floating) or not 0 < test_size < 1:
        raise InputError(f"test_size is a share between 0 and 1, found {test_size!r}")
    if int(np.ceil(test_size * n)) >= n:  # as `train_test_split` counts
        raise InputError(f"test_size {test_size:g} leaves no row of {n} to fit to; give a smaller one")
    _, kinds, counts = np.unique(target, return_inverse=True, return_counts=True)
    several = np.flatnonzero(counts > 1)
    split = everything[counts[kinds] > 1]
    held = math.ceil(test_size * len(split))
    if not classes or not 0 < len(several) <= min(held, len(split) - held):
        train, test = train_test_split(everything, test_size=test_size, random_state=seed)
        return train, test
    _, test = train_test_split(split, test_size=held, random_state=seed, stratify=kinds[split])
    out = np.isin(everything, test)
    for kind in several:  # where there are few rows of a class, stratifying may leave one side without it
        rows = everything[kinds == kind]
        if out[rows].all() or not out[rows].any():
            out[rows[seed % len(rows)]] ^= True
    return everything[~out], everything[out]


def _in_random_order(target: NDArray[Any], train: Ints, test: Ints, rng: np.random.Generator) -> NDArray[Any]:
    """The target in random order; what is held out stays so, and with it the number of rows of each class on each side.

    Else a rare class might be missing where a model is fitted, or where it is measured, by chance alone.
    """
    found = target.copy()
    for rows in (train,) if len(train) == len(target) else (train, test):
        found[rows] = target[rng.permutation(rows)]
    return found


def p_values(observed: Floats, null: Floats) -> Floats:
    """(1 + #{null ≥ observed}) / (s + 1) for observed (d,) and null (s, d).

    What is equal but for rounding counts as equal: differences of errors tie all the time, and end in other digits.
    """
    rounding = TIED * max(np.abs(observed).max(initial=0.0), np.abs(null).max(initial=0.0))
    return np.asarray((1 + (null >= observed - rounding).sum(axis=0)) / (len(null) + 1))


def _refitted(model: Any, X: Any, y: NDArray[Any], test_X: Any, test_y: NDArray[Any], measure: Importance) -> Floats:
    return np.asarray(measure(fit(model, X, y), test_X, test_y), dtype=np.float64)


def _permuted(seed: int, groups: Groups | None, model: Any, X: Any, y: NDArray[Any]) -> Floats:
    """Permutation importance; with the same seed, by the same exchanges for every model."""
    return permutation_importance(model, X, y, groups=groups, random_state=seed).mean
