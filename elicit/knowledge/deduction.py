"""Deduction: what answers say of other subsets, if the operator is assumed to trade criteria linearly.

Who values w · c with unknown weights w ≥ 0 and prefers A to B has w · (c_A − c_B) ≥ 0. All such w form a cone,
and what every one of its rays likes better, they all do: so one answer orders many pairs. The cone is kept by
its rays (the double description method), in whole numbers, so that whoever checks comes to the same.

The rule: an assumption is off unless asked for, and what follows from it carries its own source. Answers that no
weights can give refute it, and then nothing follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from elicit.knowledge.statements import Relation, Source, Statement, contradiction, transitively_reduced
from elicit.subsets import Mask

#: Criteria as multiples of the grid, larger is better.
Whole = Sequence[int]


@dataclass(frozen=True)
class _Ray:
    """A direction on the edge of the cone, and which constraints hold there with equality."""

    weights: tuple[int, ...]
    tight: frozenset[int]


def rays_of(criteria: int, constraints: Sequence[Whole]) -> list[tuple[int, ...]]:
    """The rays of {w ≥ 0 : w · d ≥ 0 for every constraint d}; none when w = 0 alone is left."""
    axes = range(criteria)
    rays = [_Ray(tuple(int(i == j) for j in axes), frozenset(j for j in axes if j != i)) for i in axes]
    for number, d in enumerate(constraints, start=criteria):
        gains = {ray: _dot(ray.weights, d) for ray in rays}
        kept = [ray if gains[ray] else _Ray(ray.weights, ray.tight | {number}) for ray in rays if gains[ray] >= 0]
        between = [
            _between(good, gains[good], bad, gains[bad], number)
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


def _between(good: _Ray, gain: int, bad: _Ray, loss: int, number: int) -> _Ray:
    """Where the edge between two rays meets a new constraint."""
    mixed = [gain * y - loss * x for x, y in zip(good.weights, bad.weights, strict=True)]
    shared = gcd(*mixed)
    return _Ray(tuple(x // shared for x in mixed), (good.tight & bad.tight) | {number})


def deduced(
    vectors: Mapping[Mask, Whole], dominance: Sequence[Statement], stated: Sequence[Statement], weight: float
) -> tuple[Statement, ...]:
    """What follows from the statements and a linear trade-off, as strict statements without what these imply.

    Where statements contradict each other nothing follows. Dominance is never deduced: what is not stated of it
    was doubted.
    """
    constraints = []
    for s in stated:
        for above, below in s.edges:
            if above in vectors and below in vectors:
                constraints.append([a - b for a, b in zip(vectors[above], vectors[below], strict=True)])
    if not constraints or contradiction([*dominance, *stated]):
        return ()
    rays = rays_of(len(next(iter(vectors.values()))), constraints)
    worth = {x: [_dot(ray, vector) for ray in rays] for x, vector in vectors.items()}
    preferred = [(s.better, s.worse) for s in stated if s.strict and s.better in worth and s.worse in worth]
    flat = [_equal(worth[a], worth[b]) for a, b in preferred]  # rays at which an answer would not be true
    if not rays or any(len(here) == len(rays) for here in flat):
        return ()  # no weights give these answers, or none that tells apart what somebody told apart
    said = {(s.better, s.worse) for s in (*dominance, *stated) if s.strict}
    found = [
        Statement(x, y, Relation.STRICT, Source.DEDUCED, weight)
        for x, mine in worth.items()
        for y, other in worth.items()
        if (x, y) not in said and all(a >= b for a, b in zip(mine, other, strict=True))
        if not (level := _equal(mine, other)) or any(level <= here for here in flat)
        if any(a < b for a, b in zip(vectors[x], vectors[y], strict=True))
    ]
    kept = transitively_reduced([*dominance, *stated, *found])
    return tuple(s for s in kept if s.source is Source.DEDUCED)


def _equal(mine: Whole, other: Whole) -> frozenset[int]:
    """The rays at which two subsets are worth the same."""
    return frozenset(k for k, (a, b) in enumerate(zip(mine, other, strict=True)) if a == b)


def _dot(a: Whole, b: Whole) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))
