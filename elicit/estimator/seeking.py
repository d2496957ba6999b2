"""Seeking: which subsets to measure next when the utility is known and nobody is asked.

First a look around: with a prior, its 1, 2, 4, … best attributes, all of them, and some draws that follow
it; without one, draws at even odds. Then those by which most may be gained on the best score so far (an
attribute fewer counts a little), found by climbing from what is around the best subsets and from draws. Where nothing
was gained for long the search begins anew. With a tolerance, the second half of the budget goes in turn to what may
have the best score and to what may have fewer attributes than the smallest within that of the best.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from elicit.decide.climbing import climbed
from elicit.decide.exploring import MOST_LISTED, MOST_STALE, forecast_at_once, sampled
from elicit.decide.forecast import CENTRES, Forecast, log_improvement
from elicit.decide.outlook import Outlook
from elicit.decide.restarts import ANEW, draws_missing, last_beginning
from elicit.estimator.tolerance import Tolerance, least_within, lowest_within
from elicit.knowledge.history import History
from elicit.numeric import steps_of
from elicit.subsets import Family, Mask, members
from elicit.utility.monomials import Matrix, Vector

Ints = NDArray[np.intp]

#: What all attributes together are worth, as a share of what the best score is above the middle one.
FEWER = 0.05

#: Draws that are looked at besides what is around the best, which may all lie close together.
DRAWS = 30

#: With a tolerance, from this share of the budget on, one evaluation in so many goes to fewer attributes where at least
#: so many fewer are to be expected. Otherwise it goes to the best score, by which all others are judged.
FEWER_FROM, FEWER_EVERY, FEWER_AT_LEAST = 0.5, 2, 0.2

BEGINNING, GAIN = "a first look at the family", "where most may be gained"


def next_subsets(
    history: History,
    family: Family,
    outlook: Outlook,
    budget: int,
    count: int,
    rng: np.random.Generator,
    *,
    tolerance: Tolerance | None = None,
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
        search = _Search(history, since, ground, tried | set(chosen))
        if tolerance is not None:
            turns = _turns(range(len(tried) + len(chosen), len(tried) + count), budget)
            chosen += search.fewest(turns, tolerance)
        chosen += search.best(count - len(chosen))
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


def _turns(places: range, budget: int) -> int:
    """How many of the evaluations at these places of the run go to fewer attributes."""
    return sum(place >= FEWER_FROM * budget and place % FEWER_EVERY == 0 for place in places)


class _Search:
    """What may gain most on what was measured since, given that all that was found already comes out as forecast."""

    def __init__(self, history: History, since: int, ground: _Ground, tried: Collection[Mask]) -> None:
        self._history, self._ground, self._tried = history, ground, tried
        self._subsets, self._scores = history.subsets[since:], history.vectors[since:, 0]
        n, outlook = ground.family.n, ground.outlook
        weights = None if outlook.prior is None else outlook.weights(n)
        self._forecast = Forecast(n, self._subsets, self._scores[:, None], self._scores, weights)
        self._found: list[Mask] = []
        self._believed = 0

    def best(self, count: int) -> list[Mask]:
        """Up to so many that may have the best score."""
        aim = _BestScore.of(self._subsets, self._scores, self._ground.family.n)
        order = np.lexsort((_sizes(self._subsets), -self._scores))  # the best score first, then fewer attributes
        return self._of_most_gain(aim, order, count)

    def fewest(self, count: int, tolerance: Tolerance) -> list[Mask]:
        """Up to so many that may have fewer attributes than the smallest within the tolerance."""
        history, family = self._history, self._ground.family
        lowest, least = lowest_within(history, family, tolerance), least_within(history, family, tolerance)
        if lowest is None or least is None:
            return []
        aim = _Fewest(family.n, float(steps_of(lowest)), least.bit_count())
        sizes = np.where(self._scores >= aim.lowest, _sizes(self._subsets), np.inf)
        order = np.lexsort((-self._scores, sizes))  # the smallest within the tolerance first, then the better score
        return self._of_most_gain(aim, order, count, np.log(FEWER_AT_LEAST))

    def _of_most_gain(self, aim: _Aim, order: Ints, count: int, least: float = -np.inf) -> list[Mask]:
        """Up to so many with a logarithmic gain of at least `least`; order: of the subsets around which one looks."""
        if count == 0:
            return []
        ground, before = self._ground, len(self._found)
        centres = list(islice((m for k in order if (m := self._subsets[k]) in ground.family), CENTRES))
        drawn = islice(ground.draws(centres), DRAWS)
        pool = [m for m in dict.fromkeys([*ground.around_any(centres), *drawn]) if self._new(m)]
        candidates = climbed(pool, partial(aim.gain, self._given_found()), ground.around, self._new)
        while candidates.subsets and candidates.gains.max() >= least:
            self._found += candidates.foremost(1)
            if len(self._found) - before == count:
                break
            # what is believed to come out as forecast leaves every mean where it was, and no spread grows: no gain does
            candidates = candidates.without(self._found[-1], partial(aim.gain, self._given_found()))
        return self._found[before:]

    def _new(self, subset: Mask) -> bool:
        return subset not in self._tried and subset not in self._found

    def _given_found(self) -> Forecast:
        while self._believed < len(self._found):
            self._forecast = self._forecast.believing(self._found[self._believed])
            self._believed += 1
        return self._forecast


@dataclass(frozen=True)
class _Aim(ABC):
    """What is gained on, among subsets of n attributes."""

    n: int

    @abstractmethod
    def ahead(self, scores: Matrix, sizes: Matrix) -> Matrix:
        """How far outcomes of subsets are ahead: shape (subsets, outcomes), of scores in that shape and sizes."""

    @property
    def at_once(self) -> int:
        """How many gains are worked out at once: a table of all subsets could fill the memory."""
        return forecast_at_once(self.n)

    def gain(self, forecast: Forecast, subsets: Sequence[Mask]) -> Vector:
        """The logarithm of the expected gain."""
        parts = [subsets[k : k + self.at_once] for k in range(0, len(subsets), self.at_once)]
        return np.concatenate([self._gain_at_once(forecast, part) for part in parts])

    def _gain_at_once(self, forecast: Forecast, subsets: Sequence[Mask]) -> Vector:
        ahead = self.ahead(forecast.outcomes(subsets)[0], _sizes(subsets)[:, None])
        return log_improvement(ahead, forecast.chances)


@dataclass(frozen=True)
class _BestScore(_Aim):
    """The score, less a little for each attribute, so that among equals the fewer win.

    Gains are shares of the best: steps of the grid are too many to be rounded.
    """

    fewer: float
    best: float

    @classmethod
    def of(cls, subsets: Sequence[Mask], scores: Vector, n: int) -> _BestScore:
        fewer = FEWER * float(scores.max() - np.median(scores)) / n
        return cls(n, fewer, float((scores - fewer * _sizes(subsets)).max()))

    def ahead(self, scores: Matrix, sizes: Matrix) -> Matrix:
        return np.asarray((scores - self.fewer * sizes - self.best) / max(abs(self.best), 1.0))


@dataclass(frozen=True)
class _Fewest(_Aim):
    """How many fewer attributes than the smallest within the tolerance has, for a score that is not too low."""

    lowest: float
    size: int

    def ahead(self, scores: Matrix, sizes: Matrix) -> Matrix:
        missed = (self.lowest - scores) / max(abs(self.lowest), 1.0)
        return np.where(missed <= 0, self.size - sizes, -self.n - missed)


def _sizes(subsets: Sequence[Mask]) -> Vector:
    return np.array([m.bit_count() for m in subsets], dtype=np.float64)
