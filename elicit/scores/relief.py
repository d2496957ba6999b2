"""The Relief family: an attribute is good when it differs between near rows that should differ, and only there.

With diff_a(i, j) the difference of two rows in attribute a, and T rows (all of them, or `rows` random ones)
looked at, each once:

- relief (two classes): w_a = (1/T) Σ_i [diff_a(i, nearest miss) − diff_a(i, nearest hit)]. Attributes are
  scaled to their range and the sum is divided by T, so that w lies in [−1, 1].
- relieff (any number of classes): means over k nearest hits and k nearest misses of every other class c,
  the latter weighted by P(c) / (1 − P(own)), or evenly.
- rrelieff (numbers): w_a = N_dCdA / N_dC − (N_dA − N_dCdA) / (T − N_dC), where over the k nearest rows j
  of each i, with shares that sum to 1, N_dC = Σ diff_y, N_dA = Σ diff_a and N_dCdA = Σ diff_y diff_a.

A gap is left out of distances and of means. A class with a single row has no hits, and none are counted.
A sparse matrix stays sparse, unless it has gaps or codes.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from elicit.errors import InputError
from elicit.numeric import is_finite, whole
from elicit.scores.neighbours import Space, neighbourhoods, space_of
from elicit.scores.protocol import Floats, Groups, Ints, generator, table, without_rounding

#: With this decay the nearest alone counts, and so it does with less.
LEAST_DECAY = 0.01


def relief(
    X: Any, y: Any, *, rows: int | None = None, discrete: Any = False, seed: int = 0, groups: Groups | None = None
) -> Floats:
    """Relief for two classes; `rows`: how many random rows are looked at (None: every one)."""
    given = table(X, y, "relief", "classes", gaps=True, sparse=True, instead="rrelieff")
    if len(given.counts) != 2:
        raise InputError(f"relief compares two classes, the target has {len(given.counts)}; choose relieff")
    space = space_of(given.X, discrete, groups)
    return _weights_by_classes(space, given.y, 1, _sampled_rows(len(given.y), rows, seed), np.ones((2, 2)))


def relieff(
    X: Any,
    y: Any,
    *,
    neighbours: int = 10,
    class_weights: Literal["prior", "equal"] = "prior",
    rows: int | None = None,
    discrete: Any = False,
    seed: int = 0,
    groups: Groups | None = None,
) -> Floats:
    """ReliefF by k `neighbours` of every class; fewer where a class has no more."""
    given = table(X, y, "relieff", "classes", gaps=True, sparse=True, instead="rrelieff")
    whole("neighbours", neighbours)
    if class_weights == "prior":
        prior = given.counts / len(given.y)
        weights = prior[None, :] / (1.0 - prior[:, None])
    elif class_weights == "equal":
        weights = np.full((len(given.counts),) * 2, 1.0 / (len(given.counts) - 1))
    else:
        raise InputError(f"class_weights is 'prior' or 'equal', found {class_weights!r}")
    space = space_of(given.X, discrete, groups)
    return _weights_by_classes(space, given.y, neighbours, _sampled_rows(len(given.y), rows, seed), weights)


def rrelieff(
    X: Any,
    y: Any,
    *,
    neighbours: int = 10,
    decay: float | None = None,
    rows: int | None = None,
    discrete: Any = False,
    seed: int = 0,
    groups: Groups | None = None,
) -> Floats:
    """RReliefF for numbers; the r-th nearest counts exp(−(r / decay)²), or as much as any other (None)."""
    given = table(X, y, "rrelieff", "numbers", gaps=True, sparse=True, instead="relieff")
    whole("neighbours", neighbours)
    if decay is not None and not (is_finite(decay) and decay > 0):
        raise InputError(f"decay is a number above 0, or None, found {decay!r}")
    place = np.arange(1, min(neighbours, len(given.y)) + 1)
    weights = np.ones(len(place)) if decay is None else _decaying(place, max(float(decay), LEAST_DECAY))
    space, target = space_of(given.X, discrete, groups), given.y / np.ptp(given.y)
    everyone = np.arange(len(target))
    both, apart, change, seen = np.zeros((4, space.n))
    for i, j, share in neighbourhoods(space, _sampled_rows(len(target), rows, seed), everyone, weights):
        differences = space.differences(i, j)
        weighted = share * np.abs(target[i] - target[j])
        both += weighted @ differences
        apart += share @ differences
        both_known = _both_known(space, i, j)
        change += weighted @ both_known
        seen += share @ both_known
    return without_rounding(_ratio(both, change) - _ratio(apart - both, seen - change))


def _decaying(place: Ints, decay: float) -> Floats:
    """exp(−(r / decay)²) by place, up to a factor: the nearest has 1, or a small decay would leave nothing of any."""
    return np.asarray(np.exp((1 - place**2) / decay / decay))  # the square of a large decay does not exist


def _weights_by_classes(space: Space, y: Ints, k: int, sampled: Ints, weights: Floats) -> Floats:
    """Mean over the sampled rows of −(mean difference to hits) + Σ_c weights[own, c] (mean difference to misses)."""
    total = np.zeros(space.n)
    members = [np.flatnonzero(y == c) for c in range(len(weights))]
    for own in range(len(weights)):
        mine = sampled[y[sampled] == own]
        for other, theirs in enumerate(members):
            sign = -1.0 if other == own else weights[own, other]
            for near in neighbourhoods(space, mine, theirs, np.ones(min(k, len(y)))):
                total += sign * _mean_differences(space, *near)
    return without_rounding(total / len(sampled))


def _mean_differences(space: Space, i: Ints, j: Ints, share: Floats) -> Floats:
    """Σ over the rows i of the mean difference to their neighbours j, per attribute, gaps left out."""
    differences = space.differences(i, j)
    if space.complete:
        return np.asarray(share @ differences)
    starts = np.flatnonzero(np.diff(i, prepend=-1))
    sums = np.add.reduceat(share[:, None] * differences, starts, axis=0)
    seen = np.add.reduceat(share[:, None] * _both_known(space, i, j), starts, axis=0)
    return np.asarray(_ratio(sums, seen).sum(axis=0))


def _both_known(space: Space, i: Ints, j: Ints) -> Floats:
    """(pairs, attributes): 1 where neither row has a gap; of a sparse space (pairs, 1)."""
    return np.asarray(~(space.gaps[i] | space.gaps[j]), dtype=np.float64)


def _ratio(above: Floats, below: Floats) -> Floats:
    """above / below, 0 where below is no more than rounding."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 1e-12)


def _sampled_rows(n: int, rows: int | None, seed: int) -> Ints:
    """All rows, or so many random ones."""
    rng = generator(seed, "seed")
    if rows is None:
        return np.arange(n)
    if whole("rows", rows) > n:
        raise InputError(f"rows is at most the {n} rows there are, found {rows}; leave it out to look at all")
    return np.sort(rng.choice(n, rows, replace=False))
