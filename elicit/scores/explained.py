"""Scores of data through a model that is fitted to them: what it answers is split among the attributes.

- shapley: mean |Shapley value| of the model's answers, over rows of the data.
- johnson-shapley: shares of the variance of the model's answers, by Johnson-Shapley.
- pimp: p-values of permutation importance on rows held out, by refitting to targets in random order.

The rule: without a model a random forest is fitted; with several classes, their probabilities are explained
one by one and added up (for shares of variance: weighted by their variances).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.numeric import whole
from elicit.scores.answers import ModelAnswers, answers
from elicit.scores.inputs import Function, inputs_of_sample, require_variance
from elicit.scores.johnson_shapley import johnson_shapley
from elicit.scores.models import fit, learner, modelled
from elicit.scores.pimp import pimp
from elicit.scores.predictions import shapley_values
from elicit.scores.protocol import Floats, Groups, Table, constant, generator


def shapley_of_data(
    X: Any,
    y: Any,
    *,
    model: Any = None,
    rows: int = 100,
    rounds: int = 20,
    seed: int = 0,
    classes: bool | None = None,
    groups: Groups | None = None,
) -> Floats:
    """Mean |Shapley value| an attribute, over at most `rows` rows of the data; all rows are the background."""
    given = modelled(X, y, "shapley", model, classes)
    rng = generator(seed, "seed")
    chosen = np.sort(rng.permutation(len(given.X))[: whole("rows", rows)])
    fitted, columns, target = _fitted(model, given, seed)
    unit = 1.0 if given.classes else float(np.ptp(given.y) / np.ptp(target))
    found = shapley_values(fitted, columns[chosen], columns, rounds=rounds, random_state=rng)
    return unit * found.importance_of(groups)


def johnson_shapley_of_data(
    X: Any, y: Any, *, model: Any = None, runs: int = 100_000, seed: int = 0, classes: bool | None = None
) -> Floats:
    """Shares of the variance of the fitted model's answers, one a column; they sum to 1, and a constant one has 0."""
    given = modelled(X, y, "johnson-shapley", model, classes)
    fitted, columns, _ = _fitted(model, given, seed)
    labels = list(fitted.classes_) if given.classes else [None]
    functions = [answers(fitted, target=label) for label in (labels[1:] if len(labels) == 2 else labels)]
    # a class that never varies has no weight
    varying = [f for f in functions if np.ptp(f(columns)) > 0] or functions[:1]
    each = max(1, whole("runs", runs) // len(varying))
    inputs = ~constant(columns)
    if not inputs.any():
        require_variance(0.0)
    if each < (least := 2 * (int(inputs.sum()) + 1)):
        answered = f" for each of {len(varying)} classes" if len(varying) > 1 else ""
        raise InputError(f"{runs} runs are too few for two walks{answered}; give at least {least * len(varying)}")

    def whole_rows(part: Floats) -> Floats:
        rows = np.repeat(columns[:1], len(part), axis=0)
        rows[:, inputs] = part
        return rows

    def of_inputs(function: ModelAnswers) -> Function:
        return lambda part: function(whole_rows(part))

    sample = inputs_of_sample(columns[:, inputs], places=None if inputs.all() else np.flatnonzero(inputs))
    found = [johnson_shapley(of_inputs(f), sample, runs=each, random_state=seed) for f in varying]
    variances = np.array([part.variance for part in found])
    shares = np.zeros(columns.shape[1])
    shares[inputs] = variances @ np.array([part.shares for part in found]) / variances.sum()
    return shares


def pimp_of_data(
    X: Any,
    y: Any,
    *,
    model: Any = None,
    draws: int = 50,
    test_size: float | None = 0.3,
    seed: int = 0,
    classes: bool | None = None,
    groups: Groups | None = None,
) -> Floats:
    """p-values of permutation importance on the share `test_size` of the rows, one an attribute.

    They are those of chance where no attribute matters; beside one that does, the others' may be too small.
    """
    given = modelled(X, y, "pimp", model, classes)
    chosen, columns, target = learner(model, given, seed)
    return pimp(chosen, columns, target, draws=draws, test_size=test_size, groups=groups, random_state=seed).p_values


def _fitted(model: Any, given: Table, seed: int) -> tuple[Any, Floats, Floats]:
    """A fitted model, and the columns and target that it was fitted to."""
    chosen, columns, target = learner(model, given, seed)
    return fit(chosen, columns, target), columns, target
