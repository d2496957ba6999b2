"""Methods that draw: random search, hill climbing with restarts, and a genetic algorithm.

They go on until their budget is spent, or until every subset that the goal can want was evaluated; so a
large family needs a budget. What was evaluated is never yielded again, except as a neighbour or a child
whose value is then remembered.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from elicit.errors import InputError
from elicit.methods.frame import Ended, Search, Space
from elicit.methods.goals import Rank
from elicit.numeric import is_finite, whole
from elicit.printable import many
from elicit.subsets import LARGEST_ENUMERATION, Mask, mask_of

#: After so many draws that bring nothing new, the subsets that are left are listed, if the family is small enough.
_PATIENCE = 50

#: A crossover needs two subsets.
LEAST_POPULATION = 2

#: The end of a search that has seen everything.
EXHAUSTED = Ended("every subset was tried")

Evaluation = Generator[Sequence[Mask], Sequence[float], None]


class Seen:
    """Every subset that a search has evaluated, with its rank."""

    def __init__(self, space: Space, rng: np.random.Generator) -> None:
        if not space.bounded and space.count() > LARGEST_ENUMERATION:
            among = many(space.count(), "subset")
            raise InputError(f"a search at random among {among} never ends by itself; give a budget")
        self.space, self.rng = space, rng
        self.ranks: dict[Mask, Rank] = {}
        self._wanted = 0

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left that the goal can want."""
        return self._wanted >= self.space.count()

    def evaluate(self, masks: Sequence[Mask]) -> Evaluation:
        """Have these subsets evaluated; those seen before cost nothing."""
        new = [mask for mask in dict.fromkeys(masks) if mask not in self.ranks]
        if new:
            self.note(new, (yield new))

    def note(self, masks: Sequence[Mask], values: Sequence[float]) -> None:
        """Remember what new subsets are worth."""
        for mask, value in zip(masks, values, strict=True):
            self.ranks[mask] = self.space.goal.rank(mask, value)
            self._wanted += self.space.admits(mask)

    def fresh(self, count: int) -> list[Mask]:
        """Up to so many subsets drawn at random that were not seen before."""
        found: dict[Mask, None] = {}
        left = self.space.count() - self._wanted
        while len(found) < min(count, left):
            for _ in range(_PATIENCE):
                mask = self.space.draw(self.rng)
                if mask not in self.ranks and mask not in found:
                    found[mask] = None
                    break
            else:
                if self.space.count() <= LARGEST_ENUMERATION:
                    return [*found, *self._listed(min(count, left) - len(found), found)]
        return list(found)

    def first(self, count: int) -> list[Mask]:
        """The start, where there is one, and subsets drawn at random, so many in all."""
        begun = self.space.begun_at
        return begun + [mask for mask in self.fresh(count) if mask not in begun][: count - len(begun)]

    def _listed(self, count: int, found: dict[Mask, None]) -> list[Mask]:
        """So many of the unseen subsets, by listing them all."""
        unseen = [mask for mask in self.space.admitted() if mask not in self.ranks and mask not in found]
        return [unseen[int(i)] for i in self.rng.choice(len(unseen), count, replace=False)]


@dataclass(frozen=True)
class Random:
    """Subsets at random, each as likely as any other, without repetition; the start comes first."""

    at_once: int = 8

    def __post_init__(self) -> None:
        whole("at_once", self.at_once, 1)

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:
        seen = Seen(space, rng)
        yield from seen.evaluate(space.begun_at)
        while not seen.exhausted:
            yield from seen.evaluate(seen.fresh(self.at_once))
        return EXHAUSTED


@dataclass(frozen=True)
class HillClimbing:
    """Ascent by single flips (by trades, for a goal of one size); at a summit it starts anew.

    Each climb begins at the best of `draws` random subsets (the first one at the start, if there is one). It
    goes round the flips in a random order and takes each that helps, until a whole round was in vain; with
    `steepest` it evaluates all of them at once and takes the best, which keeps workers busy and spends more.
    """

    restarts: int | None = None
    draws: int = 3
    steepest: bool = False

    def __post_init__(self) -> None:
        whole("draws", self.draws, 1)
        if self.restarts is not None:
            whole("restarts", self.restarts, 0)

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:
        seen = Seen(space, rng)
        climbs = 0
        while not seen.exhausted:
            if self.restarts is not None and climbs > self.restarts:
                return Ended(f"{self.restarts} restarts have come to their summits")
            starts = (space.begun_at if climbs == 0 else []) or seen.fresh(self.draws)
            yield from seen.evaluate(starts)
            climb = self._steepest if self.steepest else self._rounds
            yield from climb(space, seen, max(starts, key=seen.ranks.__getitem__))
            climbs += 1
        return EXHAUSTED

    def _rounds(self, space: Space, seen: Seen, current: Mask) -> Evaluation:
        changes = space.changes()
        seen.rng.shuffle(changes)
        in_vain = 0
        for change in cycle(changes):
            if in_vain == len(changes):
                return
            in_vain += 1
            near = current ^ change
            if space.admits(near):
                yield from seen.evaluate([near])
                if seen.ranks[near] > seen.ranks[current]:
                    current, in_vain = near, 0

    def _steepest(self, space: Space, seen: Seen, current: Mask) -> Evaluation:
        changes = space.changes()
        while moves := [near for change in changes if space.admits(near := current ^ change)]:
            yield from seen.evaluate(moves)
            best = max(moves, key=seen.ranks.__getitem__)
            if seen.ranks[best] <= seen.ranks[current]:
                return
            current = best


@dataclass(frozen=True)
class Genetic:
    """A population of subsets: tournaments of two, uniform crossover, mutation, the best of both generations stay.

    mutations: flips expected a child. A child that was seen before gives its place to one drawn at random,
    so that no generation is idle. generations: None goes on until the budget is spent.
    """

    population: int = 10
    mutations: float = 1.0
    generations: int | None = None

    def __post_init__(self) -> None:
        whole("population", self.population, LEAST_POPULATION)
        if not is_finite(self.mutations) or self.mutations < 0:
            raise InputError(f"mutations is a number of at least 0, found {self.mutations!r}")
        if self.generations is not None:
            whole("generations", self.generations, 1)

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:
        seen = Seen(space, rng)
        people = seen.first(self.population)
        yield from seen.evaluate(people)
        generation = 1
        while not seen.exhausted:
            if self.generations is not None and generation >= self.generations:
                return Ended(f"{self.generations} generations have passed")
            children = dict.fromkeys(self._child(space, seen, people, rng) for _ in range(self.population))
            new = [mask for mask in children if mask not in seen.ranks]
            yield from seen.evaluate(new)
            if len(new) < self.population:
                new += (drawn := seen.fresh(self.population - len(new)))
                yield from seen.evaluate(drawn)
            people = sorted([*people, *new], key=seen.ranks.__getitem__, reverse=True)[: self.population]
            generation += 1
        return EXHAUSTED

    def _child(self, space: Space, seen: Seen, people: Sequence[Mask], rng: np.random.Generator) -> Mask:
        """A child of two winners of tournaments, of a size that the goal wants."""
        pairs = rng.integers(len(people), size=(2, 2))
        a, b = (max((people[int(i)] for i in pair), key=seen.ranks.__getitem__) for pair in pairs)
        free = space.family.free
        from_a = mask_of(i for i, heads in zip(free, rng.random(len(free)) < 0.5, strict=True) if heads)
        flips = rng.random(len(free)) < self.mutations / max(1, len(free))
        child = (a & from_a | b & ~from_a) ^ mask_of(i for i, flip in zip(free, flips, strict=True) if flip)
        return _resized(space, (child | space.family.keep) & ~space.family.drop, rng)


def _resized(space: Space, mask: Mask, rng: np.random.Generator) -> Mask:
    """The subset with as many free attributes added or removed at random as its size asks for."""
    inside = [i for i in space.family.free if mask >> i & 1]
    outside = [i for i in space.family.free if not mask >> i & 1]
    size = mask.bit_count()
    if size > space.top:
        return mask & ~mask_of(rng.choice(inside, size - space.top, replace=False))
    if size < space.bottom:
        return mask | mask_of(rng.choice(outside, space.bottom - size, replace=False))
    return mask
