"""Exploring: which subset is worth an evaluation.

A run on few attributes goes down from all of them first; one that takes no way down begins with what a prior
puts first, and without one with draws. Then candidates are drawn (by a law from a power index, or attribute by
attribute) or are neighbours of what is liked best so far; the one is proposed by which plausible operators may
gain most, or that θ_k likes best. A proposal that no utility in the set finds best is rejected and remembered
with its price, unless it is on the way down; in the parsimonious set a rejection is provisional, so old ones
are looked at again. A forecast that knows very many subsets is believed without asking the set. Where nothing
was gained for long the search begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.climbing import climbed
from elicit.decide.descent import looks, next_down, on_the_way
from elicit.decide.forecast import CENTRES, Forecast, log_gain
from elicit.decide.outlook import Outlook
from elicit.decide.restarts import ANEW, last_beginning, missing
from elicit.events import REJECTIONS
from elicit.subsets import Mask, mask_of, simplest
from elicit.utility.monomials import Vector
from elicit.utility.power import gap_index, sample_subsets
from elicit.utility.sampling import Joining, draw, joining, joining_as_printed, sequential

#: So many subsets that failed while none was measured are enough to doubt, and at most so many attributes are then
#: tried alone.
FAILED = 5

#: Of the first draws in a family of small subsets one in so many is smaller than most.
ONE_SMALLER_IN = 4

#: A rejection made this many evaluations ago is looked at again.
SECOND_LOOK = 10

#: Draws in a row that bring nothing new before the family is searched for what is left.
MOST_STALE = 200

#: A family up to this size is listed for what draws keep missing; in a larger one, so many steps an attribute are
#: walked from a draw.
MOST_LISTED, STEPS = 1 << 14, 50

#: Plausible operators for whom a gain is forecast.
OPERATORS = 16

#: With more evaluated subsets than this, draws among which a forecast chooses follow the prior, not θ_k.
MOST_INDEXED = 150

#: With more evaluated subsets than this, what a forecast proposes is evaluated without asking whether it may be best:
#: the program grows with the statements, up to seconds a proposal, and on the suite's hard tables runs that never
#: asked ended no worse, within chance. Where a run of rejections may end the session, one asks to the end.
MOST_ASKED = 300

#: Candidates whose gain is forecast at once, and their attributes in all; of more, a sample is looked at.
MOST_FORECAST, MOST_FORECAST_BITS = 4000, 2_000_000

#: Attributes in all of the subsets that are looked at around one; of more, a sample.
MOST_AROUND_BITS = 10_000_000


@dataclass(frozen=True)
class Proposal:
    """Subsets to evaluate, those rejected on the way with their price, and why these."""

    evaluate: tuple[Mask, ...]
    rejected: tuple[tuple[Mask, float], ...]
    why: str


def propose(
    beliefs: Beliefs,
    count: int,
    rng: np.random.Generator,
    outlook: Outlook | None = None,
    wanted: Sequence[Mask] = (),
) -> Proposal:
    """Up to `count` subsets to evaluate next; fewer when the family holds no more, or too many were rejected.

    `wanted` are subsets that a proof is waiting for.
    """
    search = _Explorer(beliefs, rng, outlook or Outlook(beliefs.settings.begun_with))
    chosen, rejected = search.chosen, search.rejected
    for subset in wanted:
        if len(chosen) < count and search.new(subset):
            chosen.append(subset)
    proving = bool(chosen)
    while len(chosen) < count:
        candidate = search.next()
        if candidate is None:
            break
        price = search.rejection_price(candidate)
        if price is None:
            chosen.append(candidate)
        else:
            rejected[candidate] = price
            if REJECTIONS in beliefs.settings.stop:
                if len(rejected) >= beliefs.settings.rejections:
                    break
            elif len(rejected) >= beliefs.settings.patience:
                chosen.append(_cheapest(rejected))
    if not chosen and rejected and REJECTIONS not in beliefs.settings.stop:
        chosen.append(_cheapest(rejected))  # the family holds no more than these: patience cannot run out
    why = "a proof of optimality needs it" if proving else search.reason()
    return Proposal(tuple(chosen), tuple(rejected.items()), why)


def _cheapest(rejected: dict[Mask, float]) -> Mask:
    """Take the rejected subset of least price back out."""
    cheapest = min(rejected, key=lambda m: (rejected[m], simplest(m)))
    del rejected[cheapest]
    return cheapest


def at_once(n: int) -> int:
    """Of how many subsets of n attributes the gain is forecast at once."""
    return max(1, min(MOST_FORECAST, MOST_FORECAST_BITS // n))


def sampled(subsets: list[Mask], most: int, rng: np.random.Generator) -> list[Mask]:
    """All of them, or a sample of this size in the same order."""
    if len(subsets) <= most:
        return subsets
    return [subsets[k] for k in np.sort(rng.permutation(len(subsets))[:most])]


class _Explorer:
    """Candidates one after the other, for one state of beliefs.

    Whoever asks for them says what becomes of each: `chosen` holds those to be evaluated, `rejected` the others with
    their price.
    """

    def __init__(self, beliefs: Beliefs, rng: np.random.Generator, outlook: Outlook) -> None:
        self.chosen: list[Mask] = []
        self.rejected: dict[Mask, float] = {}
        self._beliefs, self._rng, self._outlook, self._prior = beliefs, rng, outlook, outlook.prior
        self._history, self._family, self._settings = beliefs.history, beliefs.family, beliefs.settings
        self._believed = 0
        self._on_the_way: set[Mask] = set()
        self._ranked: list[Mask] | None = None
        by_prior = outlook.prior is not None and self._settings.first == "path" and self._settings.explore == "gain"
        self._by_prior = by_prior and not looks(self._settings, self._family)
        self._ladder = outlook.ladder(self._family) if self._by_prior else []
        least = 1 if self._settings.explore == "gain" else 0  # a forecast needs something to go by
        self._starting = len(beliefs.evaluated) < max(least, len(self._ladder) + outlook.draws)

    def reason(self) -> str:
        """Why the chosen candidates, in a few words."""
        if self._starting:
            return "a first look at the family"
        if self._anew:
            return ANEW
        if not self._on_the_way.isdisjoint(self.chosen):
            return "on the way down from all attributes"
        if self._settings.explore == "gain":
            return "where plausible operators may gain most"
        if self._settings.explore == "model":
            return "the most promising of the favourite's neighbours, or of the draws"
        return "drawn"

    def new(self, subset: Mask) -> bool:
        """Whether a subset may still be proposed."""
        history = self._history
        if subset not in self._family or subset in history.evaluated or subset in history.failed:
            return False
        if subset in self.chosen or subset in self.rejected:
            return False
        before = history.rejected.get(subset)
        return before is None or self._age(before.request) >= SECOND_LOOK

    def _age(self, request: int) -> int:
        """Evaluations since a request."""
        return sum(1 for fact in self._history.evaluated.values() if fact.request >= request)

    def next(self) -> Mask | None:
        """The best candidate left, None when the family holds no other."""
        first = next((m for m in (*self._alone, *self._ladder) if self.new(m)), None)
        if first is not None:
            return first
        if self._starting and self._settings.first != "drawn" and self.new(self._family.largest):
            return self._family.largest
        if self._anew:
            return self._drawn_new()
        if self._settings.explore == "gain" and not self._starting:
            best = self._down()
            best = self._of_most_gain() if best is None else best
            return self._drawn_new() if best is None else best
        if self._settings.explore != "model" or self._starting:
            return self._drawn_new()
        around = self._rng.random() < self._settings.neighbours
        for pool in (self._near, self._drawn) if around else (self._drawn, self._near):
            fresh = [m for m in pool() if self.new(m)]
            if fresh:
                return self._liked_best(fresh)
        return self._drawn_new()

    @cached_property
    def _alone(self) -> list[Mask]:
        """Where so far only attributes alone could be measured, if anything: some of them."""
        some = self._family.alone(FAILED)
        measured = self._history.evaluated.keys()
        return some if len(self._history.failed) >= FAILED and measured <= set(some) else []

    def _down(self) -> Mask | None:
        """The next subset on the way down from all attributes, None when the run is not on it."""
        if not on_the_way(self._beliefs):
            return None
        found = next_down(self._beliefs, self._forecast, self.new, self.chosen)
        if found is not None:
            self._on_the_way.add(found)
        return found

    def _of_most_gain(self) -> Mask | None:
        """The candidate by which plausible operators may gain most, given that those chosen come out as forecast."""
        while self._believed < len(self.chosen):
            self._forecast = self._forecast.believing(self.chosen[self._believed])
            self._believed += 1
            self._ranked = None
        if self._ranked is None:
            pool = [m for m in self._pool if self.new(m)]
            found = climbed(pool, self._log_gain, self._around, self.new)
            self._ranked = found.in_order()
        return next((m for m in self._ranked if self.new(m)), None)

    @cached_property
    def _pool(self) -> list[Mask]:
        """What is around the evaluated subsets worth most, and draws by the law in force."""
        pool = list(dict.fromkeys(m for centre in self._centres for m in self._around(centre)))
        return list(dict.fromkeys(sampled(pool, at_once(self._family.n), self._rng) + self._drawn()))

    @cached_property
    def _worth(self) -> Vector:
        """What the evaluated subsets are worth on average, in the order in which they were evaluated."""
        return np.round(self._beliefs.plausible.expected, 9)

    @cached_property
    def _since(self) -> int:
        """How many were evaluated before the search began anew for the last time."""
        if self._settings.explore != "gain" or not self._beliefs.evaluated:
            return 0
        return last_beginning(self._worth, self._settings.evaluations(self._family))

    @property
    def _anew(self) -> bool:
        """Whether the search begins anew."""
        return missing(self._since, len(self._beliefs.evaluated)) > 0

    @cached_property
    def _centres(self) -> list[Mask]:
        """The evaluated subsets worth most, around which one looks."""
        since = self._since
        worth = dict(zip(self._beliefs.plausible.subsets[since:], self._worth[since:].tolist(), strict=True))
        return sorted(worth, key=lambda m: (-worth[m], simplest(m)))[:CENTRES]

    def _around(self, centre: Mask) -> list[Mask]:
        """One flip or one swap away; of very many, some."""
        found = self._family.neighbours(centre) + self._family.some_swaps(centre, MOST_FORECAST, self._rng)
        return sampled(found, max(1, MOST_AROUND_BITS // self._family.n), self._rng)

    @cached_property
    def _forecast(self) -> Forecast:
        """What subsets may measure, as far as those evaluated tell."""
        crowd = self._beliefs.plausible
        weights = None if self._prior is None else self._outlook.weights(self._family.n)
        return Forecast(self._family.n, crowd.subsets, self._history.vectors, self._worth, weights, self._since)

    def _log_gain(self, subsets: Sequence[Mask]) -> Vector:
        crowd = self._beliefs.plausible
        operators, shares = crowd.sample(OPERATORS)
        most = at_once(self._family.n)
        parts = [subsets[k : k + most] for k in range(0, len(subsets), most)]
        return np.concatenate([log_gain(self._forecast, crowd, operators, shares, part, self._since) for part in parts])

    def _drawn_new(self) -> Mask | None:
        for _ in range(MOST_STALE):
            subset = self._one_draw(len(self.chosen))
            if self.new(subset):
                return subset
        return self._anything()

    def _anything(self) -> Mask | None:
        """A member that draws keep missing: the one θ_k likes best, or in a large family a random walk's."""
        if self._family.count() <= MOST_LISTED:
            left = [m for m in self._family if self.new(m)]
            if not left:  # the rejected are all that is left: look at them again
                out = {*self._history.evaluated, *self._history.failed, *self.chosen, *self.rejected}
                left = [m for m in self._family if m not in out]
            return self._liked_best(left) if left else None
        subset = self._one_draw()
        for _ in range(STEPS * self._family.n):
            around = self._family.neighbours(subset)
            subset = around[int(self._rng.integers(len(around)))]
            if self.new(subset):
                return subset
        return None

    def _liked_best(self, candidates: Sequence[Mask]) -> Mask:
        if not self._beliefs.utilities.informative:
            return candidates[int(self._rng.integers(len(candidates)))]
        return self._beliefs.liked_best(candidates)

    def _near(self) -> list[Mask]:
        if self._beliefs.incumbent is None:
            return []
        centre = self._beliefs.favourite
        return self._around(centre)

    def _drawn(self) -> list[Mask]:
        return list(dict.fromkeys(self._one_draw() for _ in range(self._settings.draws)))

    def _one_draw(self, chosen: int = 0) -> Mask:
        """One draw by the law in force; at the start, for lack of an index, every attribute is in at even odds.

        So many subsets were chosen before it in this round.
        """
        if self._by_prior:
            return self._outlook.drawn(self._family, self._rng, () if self._starting else self._centres)
        if self._starting and self._prior is None:
            return self._first_draw(len(self._beliefs.evaluated) + chosen)
        if self._settings.explore.startswith("sequential") and self._beliefs.decides:
            return sequential(self._joining, self._family, self._rng)
        return draw(self._settings.law, self._index, self._family, self._rng, self._settings.temperature)

    @cached_property
    def _joining(self) -> Joining:
        """With which chance an attribute joins a subset that is drawn attribute by attribute."""
        by = joining if self._settings.explore == "sequential" else joining_as_printed
        return by(self._beliefs.utilities)

    def _first_draw(self, before: int) -> Mask:
        """A draw at even odds, after so many looks; where the family ends far below half, one in four is smaller.

        Far are two standard deviations: all would have one size, so that how a size counts would not be seen, and
        smaller subsets not be looked at.
        """
        free, room = self._family.free, self._family.room
        far = 1 < room < len(free) / 2 - len(free) ** 0.5
        if not far or before % ONE_SMALLER_IN:
            return draw("logistic", np.zeros(self._family.n), self._family, self._rng)
        chosen = self._rng.choice(free, size=int(self._rng.integers(1, room)), replace=False)
        return self._family.keep | mask_of(chosen.tolist())

    @cached_property
    def _index(self) -> Vector:
        """The power index in force: the prior until something is known, then that of θ_k.

        Where a forecast chooses, draws only bring what the neighbours of the best would never show; with more than
        MOST_INDEXED subsets evaluated they follow the prior again (without one, even odds), for θ_k takes the
        longer the more there is.
        """
        forecast_alone = self._settings.explore == "gain" and len(self._beliefs.evaluated) > MOST_INDEXED
        if forecast_alone or not self._beliefs.utilities.informative:
            return np.zeros(self._family.n) if self._prior is None else self._prior
        if self._settings.index == "theta" or not self._beliefs.decides:
            return self._beliefs.theta.power()
        some = sample_subsets(self._family.n, self._settings.index_samples, self._rng)
        # the last digits depend on what was solved before, and a law may ask whether a number is above 0
        return np.round(gap_index(self._beliefs.utilities, some, joint=self._settings.index == "joint"), 9) + 0.0

    @property
    def _believes_the_forecast(self) -> bool:
        """Whether its proposals are evaluated unasked."""
        forecast_alone = self._settings.explore == "gain" and len(self._beliefs.evaluated) > MOST_ASKED
        return forecast_alone and REJECTIONS not in self._settings.stop

    def rejection_price(self, subset: Mask) -> float | None:
        """The price at which a subset is rejected, None when it may be best (or nothing is known).

        What is on the way down is measured for what it tells of others, so it need not be able to be best.
        """
        unasked = self._starting or self._anew or subset in self._on_the_way
        if unasked or not self._beliefs.decides or self._believes_the_forecast:
            return None
        verdict = self._beliefs.utilities.excluded(subset)
        if verdict is None:
            return None
        return -1.0 if verdict.price is None else recorded(verdict.price)


def recorded(price: float) -> float:
    """A price as it is recorded: the last digits depend on what the solver did before.

    It is rounded twice, so that 0.1171875, in the middle between two prices of six digits, does not fall to
    either side by chance.
    """
    return round(round(price, 9), 6)
