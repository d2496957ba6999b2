"""What follows from answers of who trades criteria at fixed rates.

Who values w · c with unknown weights w ≥ 0 and prefers A to B has w · (c_A − c_B) ≥ 0. All such w form a cone, and
what is better by every extreme ray is better by all of them. The rays are computed by the double description
method, in whole numbers.

Measured numbers are rounded to the grid. Where they stand for simple fractions, as accuracies do for shares of few
rows, these are taken: rounded, gains of a row each differ by a step, and who calls one of them worth an attribute would
seem to call the next one worth more. Where they do not, "equal" is true of numbers that nobody knows to the last step:
it then leaves the rates as much room, and what follows must follow with as much to spare.

The rule: nothing is found that does not follow; of numbers that are known exactly, all that does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, gcd, lcm

import numpy as np
from numpy.typing import NDArray

from elicit.numeric import GRID, step_of
from elicit.subsets import Mask

#: Steps of the grid in 1, and the largest denominator of a simple fraction: two such lie more than a step apart.
STEPS = round(1 / GRID)
SIMPLE = 31_622

#: Whole numbers of any length: criteria as multiples of the grid (larger is better), gains in them, or rates.
Whole = Sequence[int]

#: One subset above another; and one step of an answer: above, below, whether strictly.
Pair = tuple[Mask, Mask]
Step = tuple[Mask, Mask, bool]


@dataclass(frozen=True)
class Order:
    """Pairs of which the first is better, and pairs that are equal though they measure differently."""

    strict: list[Pair]
    equal: list[Pair]


def linear_order(vectors: Mapping[Mask, Whole], steps: Sequence[Step], measured: Sequence[Pair]) -> Order | None:
    """What every such operator agrees on; None where there is no such operator.

    `measured` are strict as well: they forbid weights by which a measured improvement is worth nothing.
    """
    vectors, room = _as_fractions(vectors)
    if all(strict for *_, strict in steps):
        room = [0] * len(room)  # what then follows wrongly is wrong by less than what counts as equal
    constraints = [_gains(vectors[above], vectors[below], room, strict) for above, below, strict in steps]
    rays = extreme_rays(len(room), constraints)
    worth = {x: [_dot(ray, vector) for ray in rays] for x, vector in vectors.items()}
    # the rays at which an answer would not be true, or a measured improvement worth nothing
    strictly = [*((above, below) for above, below, strict in steps if strict), *measured]
    flat = {_tied_rays(worth[above], worth[below]) for above, below in strictly}
    if not rays or any(len(here) == len(rays) for here in flat):
        return None  # no weights give these answers, or all that do make something strict an equality
    settled = np.array([[k in here for k in range(len(rays))] for here in flat], dtype=np.bool_).reshape(-1, len(rays))
    return _agreed(vectors, worth, room, [_dot(ray, room) for ray in rays], settled)


def _agreed(
    vectors: Mapping[Mask, Whole], worth: Mapping[Mask, Whole], room: Whole, lost: Whole, settled: NDArray[np.bool_]
) -> Order:
    """What holds at every ray, where two that differ in a rounded criterion may be as much closer as is `lost` there.

    settled: shape (strict statements, rays), true where one would be an equality, so that something else is not.
    """
    subsets = list(worth)
    # by their ranks, integers of any length are compared as arrays
    both = [[*column, *(value - less for value in column)] for column, less in zip(_across(worth), lost, strict=True)]
    places, least = np.split(np.array([dense_ranks(column) for column in both]).T, 2)  # (subsets, rays) each
    doubtful = [dense_ranks(column) for column, more in zip(_across(vectors), room, strict=True) if more]
    rounded = np.array(doubtful).reshape(-1, len(subsets)).T  # (subsets, rounded criteria)
    strict: list[Pair] = []
    equal: list[Pair] = []
    for i, x in enumerate(subsets):
        unsure = (rounded[i] != rounded).any(axis=1)
        mine = np.where(unsure, least[i][:, None], places[i][:, None]).T  # in memory ray by ray, as the places are
        level = mine == places
        apart = ~level.any(axis=1)
        for here in settled:
            apart |= ~(level & ~here).any(axis=1)
        strict += [(x, subsets[j]) for j in np.flatnonzero((mine >= places).all(axis=1) & apart).tolist()]
        alike = (subsets[j] for j in np.flatnonzero(level.all(axis=1) & ~unsure).tolist() if j > i)
        equal += [(x, y) for y in alike if vectors[x] != vectors[y]]
    return Order(strict, equal)


def _across(vectors: Mapping[Mask, Whole]) -> Iterator[Whole]:
    """Entry by entry, those of all the vectors."""
    return zip(*vectors.values(), strict=True)


def _gains(above: Whole, below: Whole, room: Whole, strict: bool) -> list[int]:
    """By how much one is ahead in each criterion; of what is not strict at most, where the numbers were rounded."""
    gains = [a - b for a, b in zip(above, below, strict=True)]
    return gains if strict else [gain and gain + more for gain, more in zip(gains, room, strict=True)]


def _as_fractions(vectors: Mapping[Mask, Whole]) -> tuple[dict[Mask, Whole], Whole]:
    """The vectors, each criterion in a unit of its own, as any will do, and by how much a difference may be wrong."""
    columns, room = zip(*(_in_whole_units(column) for column in _across(vectors)), strict=True)
    return dict(zip(vectors, zip(*columns, strict=True), strict=True)), room


def _in_whole_units(column: Whole) -> tuple[Whole, int]:
    """Numbers in steps of the grid as multiples of a simple fraction that they share, if they do.

    One each does not suffice: of any three in ten numbers some simple fraction is near, so of two there would often be.
    Else they stay as they are, and two of them may differ by one step more or less than what was rounded; large ones,
    which are rounded to coarser steps before, by one of these as well.
    """
    simple = {steps: _simple_fraction(steps) for steps in column}
    found = [fraction for fraction in simple.values() if fraction is not None]
    unit = lcm(*(fraction.denominator for fraction in found))
    if len(set(found)) < len(simple) or unit > SIMPLE:
        step = step_of(max(map(abs, column)) * GRID)
        return column, 1 if step == GRID else ceil(step / GRID) + 1
    whole = {steps: int(fraction * unit) for steps, fraction in zip(simple, found, strict=True)}
    return [whole[steps] for steps in column], 0


@lru_cache(maxsize=4096)
def _simple_fraction(steps: int) -> Fraction | None:
    """The fraction with a denominator of at most `SIMPLE` that rounds to this many steps of the grid, if any."""
    exact = Fraction(steps, STEPS)
    simple = exact.limit_denominator(SIMPLE)
    return simple if 2 * STEPS * abs(simple - exact) <= 1 else None


def dense_ranks(values: Sequence[int]) -> NDArray[np.int64]:
    """For each value its rank among the distinct ones, from 0 for the lowest; integers may be of any length."""
    place = {value: k for k, value in enumerate(sorted(set(values)))}
    return np.array([place[value] for value in values])


@dataclass(frozen=True)
class _Ray:
    """An extreme ray of the cone, and the constraints that are tight there: that hold with equality."""

    weights: tuple[int, ...]
    tight: frozenset[int]


def extreme_rays(criteria: int, constraints: Sequence[Whole]) -> list[tuple[int, ...]]:
    """The extreme rays of {w ≥ 0 : w · d ≥ 0 for every constraint d}; none when w = 0 alone is left."""
    axes = range(criteria)
    rays = [_Ray(tuple(int(i == j) for j in axes), frozenset(j for j in axes if j != i)) for i in axes]
    for number, d in enumerate(constraints, start=criteria):
        gains = {ray: _dot(ray.weights, d) for ray in rays}
        kept = [ray if gains[ray] else _Ray(ray.weights, ray.tight | {number}) for ray in rays if gains[ray] >= 0]
        between = [
            _on_the_edge(good, gains[good], bad, gains[bad], number)
            for good in rays
            for bad in rays
            if gains[good] > 0 > gains[bad] and _adjacent(good, bad, rays, criteria)
        ]
        rays = kept + between
    return [ray.weights for ray in rays]


def _adjacent(a: _Ray, b: _Ray, rays: Sequence[_Ray], criteria: int) -> bool:
    """Whether an edge of the cone runs between two rays: no third one lies where both do."""
    common = a.tight & b.tight
    return len(common) >= criteria - 2 and not any(common <= c.tight for c in rays if c not in (a, b))


def _on_the_edge(good: _Ray, gain: int, bad: _Ray, loss: int, number: int) -> _Ray:
    """The ray where the edge between two others meets a new constraint."""
    mixed = [gain * y - loss * x for x, y in zip(good.weights, bad.weights, strict=True)]
    shared = gcd(*mixed)
    return _Ray(tuple(x // shared for x in mixed), (good.tight & bad.tight) | {number})


def _tied_rays(mine: Whole, other: Whole) -> frozenset[int]:
    """The rays at which two subsets are worth the same."""
    return frozenset(k for k, (a, b) in enumerate(zip(mine, other, strict=True)) if a == b)


def _dot(a: Whole, b: Whole) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))
