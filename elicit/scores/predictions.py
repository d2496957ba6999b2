"""Shapley values of a prediction: how much each attribute moves f(x) away from the mean answer.

The game of a row x is v(S) = E_z f(x_S, z_−S), z a row of the background, and
φ_j = 1/d! Σ_σ [v(S_j(σ) ∪ j) − v(S_j(σ))] over the d! orders σ, S_j(σ) what stands before j.

Sampling: a walk takes one background row z and one order, and turns z into x attribute by attribute; the
walk in the reverse order uses the same z. Both end points are known beforehand, so a walk costs d − 1 rows
of the model. Background rows are taken in turn. Once all were used, the mean is over their means; before,
what those used differ from all in the mean of f is taken out by regression (a control variate). Either way
the sum is exact: Σ_j φ_j = f(x) − mean_z f(z).

The rule: values come with their standard errors, over pairs of walks. Where every background row was used
twice they are those within the rows; with fewer walks that cannot be known, and they are too large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.scores.answers import ROWS_A_CALL, Answers, answers
from elicit.scores.protocol import Floats, Ints, whole
from elicit.scores.sheet import Sheet


@dataclass(frozen=True)
class PredictionShares:
    """values and errors (rows, d), or (rows, d, classes); predictions = base + sum of values over d.

    rows_asked: rows of the model that it took.
    """

    values: Floats
    errors: Floats
    base: Floats
    predictions: Floats
    names: tuple[str, ...]
    rows_asked: int

    @property
    def importance(self) -> Floats:
        """Mean |value| an attribute, over the rows; classes added up. Shape (d,)."""
        sizes = np.abs(self.values).mean(axis=0)
        return np.asarray(sizes if sizes.ndim == 1 else sizes.sum(axis=1))


def shapley_values(
    model: Any,
    X: Any,
    background: Any,
    *,
    walks: int = 100,
    response: str = "auto",
    target: Any = None,
    random_state: int | np.random.Generator = 0,
) -> PredictionShares:
    """Sampled Shapley values of the rows of X; `walks` a row (an even number: each with its reverse)."""
    if whole("walks", walks, 2) % 2:
        raise InputError(f"walks come in pairs, an order and its reverse; give an even number, found {walks}")
    explained, known = Sheet(X), Sheet(background)
    if explained.d != known.d or explained.names != known.names:
        raise InputError(f"X has {explained.d} columns and the background {known.d}; they must be the same ones")
    ask = answers(model, response, target, single=False)
    rng = np.random.default_rng(random_state)
    before, after = _outputs(ask, known.X), _outputs(ask, explained.X)
    base = before.mean(axis=0)
    found = [_row(ask, explained, i, after[i], known, before, walks // 2, rng) for i in range(explained.n)]
    values, errors = (np.array([part[k] for part in found]) for k in (0, 1))
    if values.shape[2] == 1:
        values, errors, base, after = values[..., 0], errors[..., 0], base[0], after[:, 0]
    rows = known.n + explained.n + explained.n * walks * (explained.d - 1)
    return PredictionShares(values, errors, np.asarray(base), after, explained.names, rows)


def _outputs(ask: Answers, X: Any) -> Floats:
    answer = ask(X)
    return answer.reshape(len(answer), -1)


def _row(
    ask: Answers, sheet: Sheet, at: int, end: Floats, known: Sheet, before: Floats, pairs: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Values and errors (d, outputs) of one row whose answer is `end`."""
    d = sheet.d
    used = np.concatenate([rng.permutation(known.n) for _ in range(-(-pairs // known.n))])[:pairs]
    ranks = rng.permuted(np.tile(np.arange(d), (pairs, 1)), axis=1)
    both = (
        _steps(ask, sheet, at, end, known, before, used, ranks),
        _steps(ask, sheet, at, end, known, before, used, d - 1 - ranks),
    )
    steps = (both[0] + both[1]) / 2  # (pairs, d, outputs)
    return (
        _over_rows(steps, used, known.n) if pairs >= known.n else _regressed(steps, before[used], before.mean(axis=0))
    )


def _over_rows(steps: Floats, used: Ints, rows: int) -> tuple[Floats, Floats]:
    """Mean over the background rows of the mean over the pairs of walks from each, and its standard error."""
    counts = np.bincount(used, minlength=rows)
    means = np.zeros((rows, *steps.shape[1:]))
    np.add.at(means, used, steps)
    means /= counts[:, None, None]
    if len(used) < 2 * rows:
        return means.mean(axis=0), _spread(steps)
    within = ((steps - means[used]) ** 2).sum(axis=0) / (len(used) - rows)
    return means.mean(axis=0), np.sqrt(within * (1 / counts).sum()) / rows


def _regressed(steps: Floats, before: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Mean over the pairs of walks, corrected for what f is where they begin; `mean` is that of all rows."""
    slope = _slope(steps, before)
    values = steps.mean(axis=0) + slope * (before.mean(axis=0) - mean)
    return values, _spread(steps + slope * (before - before.mean(axis=0))[:, None], fitted=2)


def _spread(steps: Floats, fitted: int = 1) -> Floats:
    """Standard error of the mean over the first axis, `fitted` numbers having been fitted; NaN where unknown."""
    if len(steps) <= fitted:
        return np.full(steps.shape[1:], np.nan)
    return np.asarray(steps.std(axis=0, ddof=fitted) / np.sqrt(len(steps)))


def _steps(
    ask: Answers, sheet: Sheet, at: int, end: Floats, known: Sheet, before: Floats, used: Ints, ranks: Ints
) -> Floats:
    """What each attribute adds on each walk, (walks, d, outputs); it moves at the step that is its rank."""
    d, k = sheet.d, before.shape[1]
    found = np.empty((len(used), d, k))
    at_once = max(1, ROWS_A_CALL // max(1, d - 1))
    for start in range(0, len(used), at_once):
        z, rank = used[start : start + at_once], ranks[start : start + at_once]
        moved = rank[:, None, :] < np.arange(1, d)[None, :, None]  # (walks, steps, d)
        rows = np.repeat(z, d - 1)
        path = np.empty((len(z), d + 1, k))
        path[:, 0], path[:, d] = before[z], end
        if d > 1:
            mixed = {j: np.where(moved[:, :, j].ravel(), sheet.column(j)[at], known.column(j)[rows]) for j in range(d)}
            path[:, 1:d] = _outputs(ask, known.replaced(rows, mixed)).reshape(len(z), d - 1, k)
        found[start : start + at_once] = np.take_along_axis(np.diff(path, axis=1), rank[:, :, None], axis=1)
    return found


def _slope(steps: Floats, before: Floats) -> Floats:
    """β (d, outputs), Σ_j β_j = 1: how a walk's values answer to f(z), by regression over the walks."""
    centred = before - before.mean(axis=0)
    scale = (centred**2).sum(axis=0)
    even = np.full(steps.shape[1:], 1 / steps.shape[1])
    told = scale > 1e-24 * (before**2).sum(axis=0)
    slope = -(steps * centred[:, None]).sum(axis=0) / np.where(told, scale, 1.0)
    return np.where(told, slope, even)
