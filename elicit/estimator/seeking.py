"""Seeking: which subsets to measure next when the utility is known and nobody is asked.

First a look around: with a prior, its 1, 2, 4, … best attributes, all of them, and some draws that follow
it; without one, draws at even odds. Then those by which most may be gained on the best score so far (an
attribute fewer counts a little), found by climbing from what is around the best subsets and from draws. Where nothing
was gained for long the search begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from elicit.decide.climbing import climbed
from elicit.decide.exploring import MOST_LISTED, MOST_STALE, forecast_at_once, sampled
from elicit.decide.forecast import CENTRES, Forecast, log_improvement
from elicit.decide.outlook import Outlook
from elicit.decide.restarts import ANEW, draws_missing, last_beginning
from elicit.knowledge.history import History
from elicit.subsets import Family, Mask, members
from elicit.utility.monomials import Vector

#: What all attributes together are worth, as a share of what the best score is above the middle one.
FEWER = 0.05

#: Draws that are looked at besides what is around the best, which may all lie close together.
DRAWS = 30

BEGINNING, GAIN = "a first look at the family", "where most may be gained"


def next_subsets(
    history: History, family: Family, outlook: Outlook, budget: int, count: int, rng: np.random.Generator
) -> tuple[tuple[Mask, ...], str]:
    """Up to `count` members to measure next, and why; fewer only when the family holds no more.

    budget: of the whole run.
    """
    ground = _Ground(family, outlook, rng)
    tried = {*history.evaluated, *history.failed}
    since = last_beginning(_worth(history, family.n), budget) if history.evaluated else 0
    ladder = outlook.ladder(family)
    chosen = [m for m in ladder if m not in tried][:count]
    first = min(len(ladder) + outlook.draws, family.count()) - len(tried)
    wanted = min(count, max(first, draws_missing(since, len(history.evaluated))))
    while len(chosen) < wanted:
        drawn = next((m for m in ground.draws() if m not in tried and m not in chosen), None)
        if drawn is None:
            break
        chosen.append(drawn)
    why = (ANEW if since else BEGINNING) if chosen else GAIN
    if wanted <= len(chosen) < count and len(history.evaluated) > since:
        chosen += _of_most_gain(history, since, ground, count - len(chosen), tried | set(chosen))
    if len(chosen) < count:
        chosen += ground.left(count - len(chosen), tried | set(chosen))
    return tuple(chosen), why


def _worth(history: History, n: int) -> Vector:
    """The scores, in steps of the grid; of those equal, fewer attributes are worth more, by half a step at most."""
    return np.asarray(history.vectors[:, 0] - _sizes(history.subsets) / (2 * n))


class _Ground:
    """Where one looks: members of the family that are drawn, that lie around others, or that are left."""

    def __init__(self, family: Family, outlook: Outlook, rng: np.random.Generator) -> None:
        self.family, self.outlook, self._rng = family, outlook, rng

    def draws(self, around: Sequence[Mask] = ()) -> Iterator[Mask]:
        """Draws, until nothing new is to be expected of more."""
        return (self.outlook.drawn(self.family, self._rng, around) for _ in range(MOST_STALE))

    def around_any(self, centres: Sequence[Mask]) -> list[Mask]:
        """One flip or one swap away from a centre; of more than can be judged at once, a sample."""
        found = list(dict.fromkeys(m for centre in centres for m in self.around(centre)))
        return sampled(found, forecast_at_once(self.family.n), self._rng)

    def around(self, centre: Mask) -> list[Mask]:
        """One flip or one swap away; of more than can be judged at once, a sample that follows the prior."""
        family, inside = self.family, centre.bit_count()
        if family.n + inside * (family.n - inside) <= forecast_at_once(family.n):
            return list(family.around(centre))
        return list(dict.fromkeys(self._some_around(centre, forecast_at_once(family.n) // CENTRES)))

    def _some_around(self, centre: Mask, most: int) -> Iterator[Mask]:
        """Subsets with one attribute less than the centre, one more, or one traded; what comes in follows the prior."""
        family, rng = self.family, self._rng
        inside = np.array([i for i in members(centre) if not family.keep >> i & 1], dtype=np.intp)
        outside = np.array([i for i in family.free if not centre >> i & 1], dtype=np.intp)
        changed = [centre ^ 1 << i for i in inside.tolist()]
        if len(outside):
            chance = self.outlook.weights(family.n)[outside]
            enters = rng.choice(outside, most // 2, p=chance / chance.sum()).tolist()
            half = len(enters) // 2 if len(inside) else len(enters)
            changed += [centre | 1 << i for i in enters[:half]]
            leaves = rng.choice(inside, len(enters) - half).tolist() if len(inside) else []
            changed += [(centre | 1 << i) ^ 1 << j for i, j in zip(enters[half:], leaves, strict=True)]
        yield from (m for m in changed if m in family)

    def left(self, count: int, tried: set[Mask]) -> list[Mask]:
        """What neighbours and draws keep missing: the simplest of what is left, in a large family more draws."""
        if self.family.count() <= MOST_LISTED:
            return [m for m in self.family if m not in tried][:count]
        return list(dict.fromkeys(m for m in self.draws() if m not in tried))[:count]


def _of_most_gain(history: History, since: int, ground: _Ground, count: int, tried: set[Mask]) -> list[Mask]:
    """Those by which most may be gained on what was measured since, each given that the others come out as forecast."""
    n, outlook = ground.family.n, ground.outlook
    subsets, scores = history.subsets[since:], history.vectors[since:, 0]
    weights = None if outlook.prior is None else outlook.weights(n)
    forecast = Forecast(n, subsets, scores[:, None], scores, weights)
    aim = _Aim.of(subsets, scores, n)
    ranked = (subsets[k] for k in np.lexsort((_sizes(subsets), -scores)))  # the best score first, then fewer attributes
    centres = list(islice((m for m in ranked if m in ground.family), CENTRES))
    drawn = islice(ground.draws(centres), DRAWS)
    pool = [m for m in dict.fromkeys([*ground.around_any(centres), *drawn]) if m not in tried]
    candidates = climbed(pool, partial(aim.gain, forecast), ground.around, lambda m: m not in tried)
    found: list[Mask] = []
    while candidates.subsets:
        found += candidates.foremost(1)
        if len(found) == count:
            break
        forecast = forecast.believing(found[-1])
        # what is believed to come out as forecast leaves every mean where it was, and no spread grows: no gain does
        candidates = candidates.without(found[-1], partial(aim.gain, forecast))
    return found


@dataclass(frozen=True)
class _Aim:
    """What is gained on: the score, less a little for each attribute, so that among equals the fewer win."""

    fewer: float
    best: float
    n: int

    @classmethod
    def of(cls, subsets: Sequence[Mask], scores: Vector, n: int) -> _Aim:
        fewer = FEWER * float(scores.max() - np.median(scores)) / n
        return cls(fewer, float((scores - fewer * _sizes(subsets)).max()), n)

    @property
    def at_once(self) -> int:
        """How many gains are worked out at once: a table of all subsets could fill the memory."""
        return forecast_at_once(self.n)

    def gain(self, forecast: Forecast, subsets: Sequence[Mask]) -> Vector:
        """The logarithm of the expected gain, as a share of the best: steps of the grid are too many to be rounded."""
        parts = [subsets[k : k + self.at_once] for k in range(0, len(subsets), self.at_once)]
        return np.concatenate([self._gain_at_once(forecast, part) for part in parts])

    def _gain_at_once(self, forecast: Forecast, subsets: Sequence[Mask]) -> Vector:
        value = forecast.outcomes(subsets)[0] - self.fewer * _sizes(subsets)[:, None]
        return log_improvement((value - self.best) / max(abs(self.best), 1.0), forecast.chances)


def _sizes(subsets: Sequence[Mask]) -> Vector:
    return np.array([m.bit_count() for m in subsets], dtype=np.float64)
