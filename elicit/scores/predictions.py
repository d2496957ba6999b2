"""Shapley values of a prediction: how much each attribute moves f(x) away from the mean answer.

The game of a row x is v(S) = E_z f(x_S, z_−S), z a row of the background, and
φ_j = 1/d! Σ_σ [v(S_j(σ) ∪ j) − v(S_j(σ))] over the d! orders σ, S_j(σ) what stands before j.

Sampling: a round mixes x with one background row z and asks a block of coalitions of one size and their
complements (see `blocks.py`), so that every answer speaks of every attribute. Sizes and background rows are
taken in turn. Once all rows were used, the mean is over their means; before, what those used differ from
all in the mean of f is taken out by regression (a control variate). Either way the sum is exact:
Σ_j φ_j = f(x) − mean_z f(z), and so is a linear model once every background row was used.

The rule: values come with their standard errors, over the rounds, sizes apart. Where every background row, or 30 of
them, were used twice they are those within the rows; with fewer rounds that cannot be known, and they are too large
(where nearly every row was used once, many times over: values that are exact by then have errors too). Of less than
some ten rounds they are not worth much: few of the large differences have been seen. An attribute that cannot matter
has 0 in expectation, within its error, and not in every sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.numeric import whole
from elicit.scores.answers import ModelAnswers, answers, at_once
from elicit.scores.blocks import Block, block
from elicit.scores.learned import FEWEST, POINTS, ControlVariate, Coordinates, Round
from elicit.scores.protocol import Floats, Groups, Ints, columns_of_groups, generator
from elicit.scores.sheet import Sheet

#: So many rounds with rows of the background that were used before say what errors within the rows are: with 10 they
#: came out too small by nearly half, with 20 by a quarter.
_FEWEST_AGAIN = 30


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
        return self.importance_of(None)

    def importance_of(self, groups: Groups | None) -> Floats:
        """Mean |value| of each group of columns: in a row their values add up before their size is taken."""
        listed = columns_of_groups(groups, self.values.shape[1])
        sizes = np.array([np.abs(self.values[:, columns].sum(axis=1)).mean(axis=0) for columns in listed])
        return sizes if sizes.ndim == 1 else np.asarray(sizes.sum(axis=1))


def shapley_values(
    model: Any,
    X: Any,
    background: Any,
    *,
    rounds: int = 100,
    sets: int = 1,
    learned: bool = False,
    response: str = "auto",
    target: Any = None,
    random_state: int | np.random.Generator = 0,
) -> PredictionShares:
    """Sampled Shapley values of the rows of X, `rounds` for each; with d attributes a round is 2 d rows of the model.

    sets: base sets of a round. Two make a round cost 4 d rows, and are worth it once there is a round for every row
    of the background; before, more rounds are.
    learned: hear a second model, learned from the answers (see `learned.py`). It takes about half a second for every
    thousand rows of the model, and is worth it where the model is slow: `tests/benchmarks/bench_importance.py` prints
    what the error then is. The values are a little biased, towards the second model; their standard errors are those
    of values that are not, and take rounds for independent, which they are not quite, so that they may be a little too
    small. It needs 10 rounds, and at most 100 attributes (with two sets, 50).
    """
    explained, known = Sheet(X), Sheet(background)
    if explained.d != known.d or explained.names != known.names:
        raise InputError(
            f"X has the columns {', '.join(explained.names)} and the background {', '.join(known.names)}; "
            "they must be the same ones, both frames or both arrays"
        )
    whole("rounds", rounds)
    whole("sets", sets)
    if learned:
        _require_enough(rounds, sets, known.d)
    ask = answers(model, response, target, single=False)
    rng = generator(random_state)
    before, after = _outputs(ask, known.X), _outputs(ask, explained.X)
    base = before.mean(axis=0)
    mixed = [_MixedRows(ask, explained, i, known) for i in range(explained.n)]
    at = Coordinates(known, explained) if learned else None
    found = [_explained_row(part, after[i], before, rounds, sets, at, rng) for i, part in enumerate(mixed)]
    values, errors = (np.array([part[k] for part in found]) for k in (0, 1))
    asked = known.n + explained.n + sum(part[2] for part in found)
    if values.shape[2] == 1:
        values, errors, base, after = values[..., 0], errors[..., 0], base[0], after[:, 0]
    return PredictionShares(values, errors, np.asarray(base), after, explained.names, asked)


def _require_enough(rounds: int, sets: int, d: int) -> None:
    """Refuse to learn a second model where there is too little to learn from, or more than can be."""
    if rounds < FEWEST:
        raise InputError(f"learned needs at least {FEWEST} rounds, found {rounds}; give more, or leave it out")
    most = POINTS // (2 * FEWEST * sets)
    if d > most:
        raise InputError(f"learned takes at most {most} attributes where sets is {sets}, found {d}; leave it out")


def _outputs(ask: ModelAnswers, X: Any) -> Floats:
    answer = ask(X)
    return answer.reshape(len(answer), -1)


@dataclass(frozen=True)
class _MixedRows:
    """The model's answers where some attributes are those of one row of X and the others of background rows."""

    ask: ModelAnswers
    explained: Sheet
    at: int
    known: Sheet

    def __call__(self, rows: Ints, held: NDArray[np.bool_]) -> Floats:
        """For each of these background rows, with the attributes of x that are held (rows, d)."""
        x, known = self.explained, self.known
        values = {j: np.where(held[:, j], x.column(j)[self.at], known.column(j)[rows]) for j in range(known.d)}
        return _outputs(self.ask, known.replaced(rows, values))


def _explained_row(
    mixed: _MixedRows,
    end: Floats,
    before: Floats,
    rounds: int,
    sets: int,
    at: Coordinates | None,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, int]:
    """Values and errors (d, outputs) of one row whose answer is `end`, and how many rows of the model they took.

    `at` is given where a second model is learned.
    """
    d, n = mixed.known.d, len(before)
    used = _evenly(n, rounds, rng)
    sizes = 1 + _evenly(max(1, d - 1), rounds, rng)
    sizes = np.minimum(sizes, d - sizes)
    steps = np.repeat((end - before[used])[:, None] / d, d, axis=1)  # (rounds, d, outputs)
    asked, control_variates = 0, []
    for part in _batches(rounds, 2 * d * sets, d, learned=at is not None) if d > 1 else ():  # one alone has it all
        blocks = [block(d, int(size), sets) for size in sizes[part]]
        answered = _answered_rounds(mixed, used[part], blocks, end - before, rng)
        steps[part] += [each.block.values(each.answers)[each.place] for each in answered]
        asked += sum(len(each.answers) for each in answered)
        if at is not None:
            control_variates.append(ControlVariate.of(answered, at, n + mixed.at))
    errors, shift = ControlVariate.joined(control_variates).corrections() if control_variates else (0.0, 0.0)
    steps = steps - errors
    if rounds >= n:
        values, spread = _mean_over_rows(steps, sizes, used, n)
    else:
        values, spread = _mean_by_regression(steps, sizes, before[used], before.mean(axis=0))
    return values - shift, spread, asked


def _batches(rounds: int, rows: int, d: int, *, learned: bool) -> list[slice]:
    """The rounds, each of so many rows of d cells, in batches: what one call takes, or what is learned from at once.

    Batches are as even as can be, so that the last one has enough to learn from, too.
    """
    count = -(-rounds // at_once(rows * d))
    if learned:
        count = max(1, min(-(-rounds * rows // POINTS), rounds // FEWEST))
    ends = np.linspace(0, rounds, count + 1).astype(np.intp).tolist()
    return [slice(start, end) for start, end in pairwise(ends)]


def _answered_rounds(
    mixed: _MixedRows, used: Ints, blocks: Sequence[Block], totals: Floats, rng: np.random.Generator
) -> list[Round]:
    """Some rounds, answered in one call; totals (background rows, outputs)."""
    d = mixed.known.d
    places = rng.permuted(np.tile(np.arange(d), (len(used), 1)), axis=1)
    held = [part.coalitions[:, place] for part, place in zip(blocks, places, strict=True)]
    lengths = [len(part.coalitions) for part in blocks]
    answered = np.split(mixed(np.repeat(used, lengths), np.concatenate(held)), np.cumsum(lengths)[:-1])
    return [
        Round(int(row), part, place, answer, totals[row])
        for row, part, place, answer in zip(used, blocks, places, answered, strict=True)
    ]


def _evenly(n: int, count: int, rng: np.random.Generator) -> Ints:
    """`count` numbers below n, each as often as any other, to one, in random order."""
    return np.concatenate([rng.permutation(n) for _ in range(-(-count // n))])[:count]


def _mean_over_rows(steps: Floats, sizes: Ints, used: Ints, rows: int) -> tuple[Floats, Floats]:
    """Mean over the background rows of the mean over the rounds with each, and its standard error."""
    counts = np.bincount(used, minlength=rows)
    means = _means(steps, used, rows)
    if len(used) < rows + min(_FEWEST_AGAIN, rows):
        return means.mean(axis=0), np.sqrt(_variance(steps, sizes) / len(used))
    within = _variance(steps - means[used], sizes, fitted=rows)
    return means.mean(axis=0), np.sqrt(within * (1 / counts).sum()) / rows


def _mean_by_regression(steps: Floats, sizes: Ints, before: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Mean over the rounds, with f at their background rows as control variate; `mean` is f over all of these rows."""
    slope = _slope(steps, before)
    values = steps.mean(axis=0) + slope * (before.mean(axis=0) - mean)
    spread = _variance(steps + slope * (before - before.mean(axis=0))[:, None], sizes, fitted=2)
    return values, np.sqrt(spread / len(steps))


def _means(steps: Floats, by: Ints, groups: int) -> Floats:
    """Mean of the rounds of each group, (groups, d, outputs); 0 for a group without any."""
    found = np.zeros((groups, *steps.shape[1:]))
    np.add.at(found, by, steps)
    return np.asarray(found / np.maximum(np.bincount(by, minlength=groups), 1)[:, None, None])


def _variance(steps: Floats, sizes: Ints, fitted: int = 1) -> Floats:
    """What a round adds to the variance of the mean: the variance within sizes, and part of that between sizes.

    Sizes are taken in turn, so full turns of d − 1 rounds add nothing between sizes; only the turn that was begun does.
    `fitted`: numbers that were fitted besides. Before the first turn is full, or with too few rounds of a size, it is
    the variance of all rounds; NaN where even that is not known.
    """
    if len(steps) <= fitted:
        return np.full(steps.shape[1:], np.nan)
    every = np.asarray(((steps - steps.mean(axis=0)) ** 2).sum(axis=0) / (len(steps) - fitted))
    kinds = np.unique(sizes, return_inverse=True)[1]
    known, turn = len(steps) - fitted - int(kinds.max()), max(1, steps.shape[1] - 1)
    if len(steps) < turn or known < len(steps) / 4:
        return every
    within = np.asarray(((steps - _means(steps, kinds, int(kinds.max()) + 1)[kinds]) ** 2).sum(axis=0) / known)
    begun = len(steps) % turn
    return np.asarray(within + np.maximum(every - within, 0.0) * (begun * (1 - begun / turn) / len(steps)))


def _slope(steps: Floats, before: Floats) -> Floats:
    """β (d, outputs), Σ_j β_j = 1: minus the slope of a round's values on f(z), by regression over the rounds."""
    centred = before - before.mean(axis=0)
    scale = (centred**2).sum(axis=0)
    even = np.full(steps.shape[1:], 1 / steps.shape[1])
    varies = scale > 1e-24 * (before**2).sum(axis=0)
    slope = -(steps * centred[:, None]).sum(axis=0) / np.where(varies, scale, 1.0)
    return np.where(varies, slope, even)
