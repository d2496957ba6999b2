"""Seeking: which subsets to measure next when the utility is known and nobody is asked.

First a look around: with a prior, its 1, 2, 4, … best attributes, all of them, and some draws that follow
it; without one, draws at even odds. Then those by which most may be gained, of the neighbours of the two
best so far and of two more, drawn the likelier the better they are: where all of the best lie close
together, looking around them alone would never leave the place.

The rule: a prior says where to look and never what is found; it counts by its ranks alone. What a look
around holds has at most a tenth as many attributes as there are rows: a prior has read the target, so that
many attributes of few rows score well for nothing (whoever wants all of them still finds them measured).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elicit.decide.exploring import CENTRES, MOST_FORECAST, MOST_FORECAST_BITS, MOST_STALE
from elicit.estimator.guess import Guess
from elicit.estimator.priors import places
from elicit.knowledge.history import History
from elicit.subsets import Family, Mask, mask_of, members, simplest
from elicit.utility.monomials import Vector
from elicit.utility.sampling import draw

#: Rows for each attribute of a subset that a prior proposes.
ROWS_AN_ATTRIBUTE = 10

#: Of the subsets around which one looks, so many are the best; the others are drawn.
BEST_CENTRES = 2

#: A family up to this size is listed when neighbours run out.
MOST_LISTED = 1 << 14

BEGINNING, GAIN = "a first look at the family", "where most may be gained"


@dataclass(frozen=True)
class Outlook:
    """What a run starts with: how many draws, the prior (None: none), and the rows of the data."""

    draws: int
    prior: Vector | None = None
    rows: int | None = None

    def weights(self, n: int) -> Vector:
        """How much is expected of each attribute: 1 over its place by the prior."""
        return np.ones(n) if self.prior is None else 1.0 / places(self.prior)

    def ladder(self, family: Family) -> list[Mask]:
        """The attributes that the prior puts first: 1, 2, 4, … of them; and every one."""
        if self.prior is None:
            return []
        free = set(family.free)
        best = [i for i in np.argsort(-self.prior, kind="stable").tolist() if i in free]
        most = self.widest(family)
        sizes = [1 << k for k in range(most.bit_length())] if most else []
        found = [family.keep | mask_of(best[:size]) for size in sizes]
        everything = family.keep | mask_of(best)
        return list(dict.fromkeys(m for m in [*found, everything] if m in family))

    def widest(self, family: Family) -> int:
        """The most attributes, besides those kept, of a subset that the prior proposes."""
        most = family.room if self.rows is None else max(1, self.rows // ROWS_AN_ATTRIBUTE)
        return min(family.room, most)


def sought(
    history: History, family: Family, outlook: Outlook, count: int, rng: np.random.Generator
) -> tuple[tuple[Mask, ...], str]:
    """Up to `count` members to measure next, and why; fewer only when the family holds no more."""
    tried = {*history.evaluated, *history.failed}
    ladder = outlook.ladder(family)
    chosen = [m for m in ladder if m not in tried][:count]
    beginning = min(len(ladder) + outlook.draws, family.count())
    while len(chosen) < count and len(tried) + len(chosen) < beginning:
        drawn = next((m for m in _draws(family, outlook, rng) if m not in tried and m not in chosen), None)
        if drawn is None:
            break
        chosen.append(drawn)
    why = BEGINNING if chosen else GAIN
    if len(chosen) < count and history.evaluated and len(tried) + len(chosen) >= beginning:
        chosen += _gainful(history, family, outlook, count - len(chosen), tried | set(chosen), rng)
    if len(chosen) < count:
        chosen += _left(family, outlook, count - len(chosen), tried | set(chosen), rng)
    return tuple(chosen), why


def _draws(family: Family, outlook: Outlook, rng: np.random.Generator) -> Iterator[Mask]:
    """Draws for a look around: with a prior of any size (in its logarithm), and the likelier the better its place."""
    free = np.array(family.free, dtype=np.intp)
    weights = outlook.weights(family.n)[free]
    for _ in range(MOST_STALE):
        if outlook.prior is None or not len(free):
            yield draw("logistic", np.zeros(family.n), family, rng)
        else:
            size = round(float(np.exp(rng.uniform(0.0, np.log(max(1, outlook.widest(family)))))))
            arrival = rng.exponential(size=len(free)) / weights
            mask = family.keep | mask_of(free[np.argsort(arrival)[:size]].tolist())
            if mask in family:
                yield mask


def _gainful(
    history: History, family: Family, outlook: Outlook, count: int, tried: set[Mask], rng: np.random.Generator
) -> list[Mask]:
    """Those around the best so far by which most may be gained, each given that the others come out as guessed."""
    best = _best_first(history)
    centres = _centres([history.subsets[k] for k in best if history.subsets[k] in family], rng)
    pool = [m for m in _around(centres, family, outlook, rng) if m not in tried]
    if not pool:
        return []
    order = np.empty(len(best))
    order[best] = np.arange(len(best), 0, -1)
    guess = Guess(family.n, history.subsets, order, outlook.weights(family.n))
    found: list[Mask] = []
    while pool and len(found) < count:
        gains = np.round(guess.log_gain(pool), 9)
        top = gains.max()
        found.append(min((m for m, g in zip(pool, gains, strict=True) if g == top), key=simplest))
        pool.remove(found[-1])
        guess = guess.believing(found[-1])
    return found


def _centres(ranked: Sequence[Mask], rng: np.random.Generator) -> list[Mask]:
    """The best of the ranked subsets, and some of the others with a chance of 1 over their place."""
    others = ranked[BEST_CENTRES:]
    chance = 1.0 / np.arange(BEST_CENTRES + 1, len(ranked) + 1)
    count = min(CENTRES - BEST_CENTRES, len(others))
    drawn = rng.choice(len(others), count, replace=False, p=chance / chance.sum()).tolist() if count else []
    return [*ranked[:BEST_CENTRES], *(others[k] for k in drawn)]


def _best_first(history: History) -> NDArray[np.intp]:
    """Positions of the evaluated subsets, the best score first; ties go to fewer attributes."""
    sizes = np.array([x.bit_count() for x in history.subsets])
    return np.lexsort((sizes, -history.vectors[:, 0]))


def _around(centres: Sequence[Mask], family: Family, outlook: Outlook, rng: np.random.Generator) -> list[Mask]:
    """One flip or one swap away from a centre; of more than can be judged at once, a sample that follows the prior."""
    most = max(len(centres), min(MOST_FORECAST, MOST_FORECAST_BITS // family.n))
    found: dict[Mask, None] = {}
    for centre in centres:
        inside = centre.bit_count()
        if family.n + inside * (family.n - inside) <= most:
            found.update(dict.fromkeys([*family.neighbours(centre), *family.swaps(centre)]))
        else:
            found.update(dict.fromkeys(_some_around(centre, family, outlook, most, rng)))
    pool = list(found)
    if len(pool) > most:
        pool = [pool[k] for k in np.sort(rng.permutation(len(pool))[:most])]
    return pool


def _some_around(centre: Mask, family: Family, outlook: Outlook, most: int, rng: np.random.Generator) -> Iterator[Mask]:
    """Subsets that lack one attribute of the centre, hold one more, or trade one; what comes in follows the prior."""
    inside = np.array([i for i in members(centre) if not family.keep >> i & 1], dtype=np.intp)
    outside = np.array([i for i in family.free if not centre >> i & 1], dtype=np.intp)
    changed = [centre ^ 1 << i for i in inside.tolist()]
    if len(outside):
        chance = outlook.weights(family.n)[outside]
        enters = rng.choice(outside, most // 2, p=chance / chance.sum()).tolist()
        half = len(enters) // 2 if len(inside) else len(enters)
        changed += [centre | 1 << i for i in enters[:half]]
        leaves = rng.choice(inside, len(enters) - half).tolist() if len(inside) else []
        changed += [(centre | 1 << i) ^ 1 << j for i, j in zip(enters[half:], leaves, strict=True)]
    yield from (m for m in changed if m in family)


def _left(family: Family, outlook: Outlook, count: int, tried: set[Mask], rng: np.random.Generator) -> list[Mask]:
    """What neighbours and draws keep missing: the simplest of what is left, in a large family more draws."""
    if family.count() <= MOST_LISTED:
        return [m for m in family if m not in tried][:count]
    return list(dict.fromkeys(m for m in _draws(family, outlook, rng) if m not in tried))[:count]
