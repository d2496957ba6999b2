"""A method played against a plain function of the subset: what it evaluated, in order, and how it ended."""

import math
from dataclasses import dataclass

import numpy as np

from elicit.methods import Ended, Space, TradeOff
from elicit.subsets import Family, Mask


@dataclass(frozen=True)
class Played:
    """`values` holds every subset in the order of its first evaluation; `best` the goal's choice in the family."""

    values: dict[Mask, float]
    ended: Ended | None
    best: Mask | None


def play(explorer, n, value, *, goal=None, start=None, family=None, seed=0, budget=None) -> Played:
    """Play a search to its end, or until it wants more than `budget` subsets."""
    goal = goal or TradeOff()
    family = family or Family(n)
    space = Space(family, goal, start, bounded=budget is not None)
    search = explorer(space, np.random.default_rng(seed))
    values: dict[Mask, float] = {}
    ended = None
    try:
        batch = next(search)
        while True:
            for mask in batch:
                assert 0 < mask < 1 << n
                assert mask & family.keep == family.keep
                assert not mask & family.drop
                if mask not in values:
                    if budget is not None and len(values) == budget:
                        raise TimeoutError
                    values[mask] = value(mask)
            batch = search.send([values[mask] for mask in batch])
    except StopIteration as end:
        ended = end.value
    except TimeoutError:
        search.close()
    inside = {mask: v for mask, v in values.items() if mask in family and v > -math.inf}
    best = max(inside, key=lambda mask: goal.rank(mask, inside[mask]), default=None)
    return Played(values, ended, best)


def drawn_value(n, seed, digits=None):
    """A value drawn for each subset; with few digits many are equal."""
    numbers = np.random.default_rng(seed).random(1 << n)
    return lambda mask: float(numbers[mask]) if digits is None else round(float(numbers[mask]), digits)
