"""Exploring: which subset is worth an evaluation.

A run on few attributes goes down from all of them first, and past half of this way a step waits for what promises
much more; one that takes no way down begins with what a prior puts first, and without one with draws. Then
candidates are drawn (by a law from a power index, or attribute by attribute) or are neighbours of what is liked best
so far; the one is proposed by which plausible operators may gain most, or that θ_k likes best. A proposal that no
utility in the set finds best is rejected and remembered with its price, unless it is on the way down; in the
parsimonious set a rejection is provisional, so old ones are looked at again. On few attributes a forecast is
believed without asking the set at every other evaluation, and wherever it knows very many subsets. Where nothing was
gained for long the search begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.climbing import climbed
from elicit.decide.descent import agreement_of, looks_a_size, may_wait, next_down, on_the_way, unasked_every
from elicit.decide.draws import Draws
from elicit.decide.forecast import CENTRES, Forecast, log_gain
from elicit.decide.outlook import Outlook
from elicit.decide.restarts import ANEW, draws_missing, last_beginning
from elicit.events import REJECTIONS
from elicit.subsets import Mask, simplest
from elicit.utility.monomials import Vector

#: Once so many subsets failed and none was measured, all may be bound to fail: to see whether it is the subsets that
#: are to blame, at most so many attributes are tried alone.
ENOUGH_FAILED = 5

#: A rejection made this many evaluations ago is looked at again.
SECOND_LOOK = 10

#: Draws in a row that bring nothing new before the family is searched for what is left.
MOST_STALE = 200

#: A family up to this size is listed for what draws keep missing; in a larger one, so many steps an attribute are
#: walked from a draw.
MOST_LISTED, STEPS = 1 << 14, 50

#: Plausible operators for whom a gain is forecast.
OPERATORS = 16

#: With more evaluated subsets than this, what a forecast proposes is evaluated without asking whether it may be best:
#: the program grows with the statements, up to seconds a proposal, and on the suite's hard tables runs that never
#: asked ended no worse, within chance. Where a run of rejections may end the session, one asks to the end.
MOST_TO_REJECT = 300

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
    outlook: Outlook,
    needed: Mask | None = None,
) -> Proposal:
    """Up to `count` subsets to evaluate next; fewer when the family holds no more, or too many were rejected.

    needed: the subset that a proof is waiting for.
    """
    search = _Explorer(beliefs, rng, outlook)
    chosen, rejected = search.chosen, search.rejected
    if needed is not None and search.new(needed):
        chosen.append(needed)
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


def forecast_at_once(n: int) -> int:
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
        self._beliefs, self._rng, self._outlook = beliefs, rng, outlook
        self._history, self._family, self._settings = beliefs.history, beliefs.family, beliefs.settings
        self._believed = 0
        self._on_the_way: set[Mask] = set()
        self._ranked: list[Mask] | None = None
        best_first = self._settings.first == "path" and self._settings.explore == "gain"
        self._by_prior = best_first and outlook.prior is not None and not looks_a_size(self._settings, self._family)
        self._ladder = outlook.ladder(self._family) if self._by_prior else []
        least = 1 if self._settings.explore == "gain" else 0  # a forecast needs something to go by
        self._starting = len(beliefs.evaluated) < max(least, len(self._ladder) + outlook.draws)
        self._draws = Draws(beliefs, rng, outlook, by_prior=self._by_prior, starting=self._starting)

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
        return before is None or self._forecast_has_its_turn or before.request <= self._long_ago

    @cached_property
    def _long_ago(self) -> float:
        """The last request at which a rejection was made so long ago that one looks again."""
        latest = sorted(fact.request for fact in self._history.evaluated.values())[-SECOND_LOOK:]
        return latest[0] if len(latest) == SECOND_LOOK else -np.inf

    def next(self) -> Mask | None:
        """The best candidate left, None when the family holds no other."""
        first = next((m for m in (*self._alone, *self._ladder) if self.new(m)), None)
        if first is not None:
            return first
        if self._starting and self._settings.first != "drawn" and self.new(self._family.largest):
            return self._family.largest
        if self._starting or self._anew:
            return self._drawn_new()
        if self._settings.explore == "gain":
            ways = (self._down, self._of_most_gain, self._drawn_new)
            return next((found for way in ways if (found := way()) is not None), None)
        if self._settings.explore == "model":
            around = self._rng.random() < self._settings.neighbours
            for pool in (self._near, self._draws.some) if around else (self._draws.some, self._near):
                fresh = [m for m in pool() if self.new(m)]
                if fresh:
                    return self._liked_best(fresh)
        return self._drawn_new()

    @cached_property
    def _alone(self) -> list[Mask]:
        """Some single attributes, while many failed and nothing but single ones was measured."""
        some = self._family.alone(ENOUGH_FAILED)
        measured = self._history.evaluated.keys()
        return some if len(self._history.failed) >= ENOUGH_FAILED and measured <= set(some) else []

    def _down(self) -> Mask | None:
        """The next subset on the way down from all attributes, None when the run is not on it."""
        if not on_the_way(self._beliefs):
            return None
        found = next_down(self._beliefs, self._forecast, self.new, self.chosen)
        if found is None or self._waits(found):
            return None
        self._on_the_way.add(found)
        return found

    def _waits(self, step: Mask) -> bool:
        """Whether a step down waits, since something else promises much more: it may be too small for anybody."""
        pool = [m for m in self._pool if self.new(m)] if may_wait(self._beliefs) else []
        if not pool:
            return False
        gain, *others = self._log_gain([step, *pool])
        return bool(max(others) - gain > np.log(self._settings.detour))

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
        near = sampled(pool, forecast_at_once(self._family.n), self._rng)
        return list(dict.fromkeys(near + self._draws.some(self._best_seen)))

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
        return draws_missing(self._since, len(self._beliefs.evaluated)) > 0

    @cached_property
    def _centres(self) -> list[Mask]:
        """The evaluated subsets worth most, around which one looks."""
        since = self._since
        worth = dict(zip(self._beliefs.plausible.subsets[since:], self._worth[since:].tolist(), strict=True))
        return sorted(worth, key=lambda m: (-worth[m], simplest(m)))[:CENTRES]

    @property
    def _best_seen(self) -> Sequence[Mask]:
        """What draws by the prior are not much larger than: nothing while nothing is modelled."""
        return self._centres if self._by_prior and not self._starting else ()

    def _around(self, centre: Mask) -> list[Mask]:
        """One flip or one swap away; of very many, some."""
        found = self._family.neighbours(centre) + self._family.some_swaps(centre, MOST_FORECAST, self._rng)
        return sampled(found, max(1, MOST_AROUND_BITS // self._family.n), self._rng)

    @cached_property
    def _forecast(self) -> Forecast:
        """What subsets may measure, as far as those evaluated tell."""
        crowd = self._beliefs.plausible
        weights = None if self._outlook.prior is None else self._outlook.weights(self._family.n)
        return Forecast(self._family.n, crowd.subsets, self._history.vectors, self._worth, weights, self._since)

    def _log_gain(self, subsets: Sequence[Mask]) -> Vector:
        crowd = self._beliefs.plausible
        agreed = agreement_of(self._settings, self._family)
        operators, shares = crowd.sample(OPERATORS, agreed)
        most = forecast_at_once(self._family.n)
        parts = [subsets[k : k + most] for k in range(0, len(subsets), most)]
        found = [log_gain(self._forecast, crowd, operators, shares, part, self._since, agreed) for part in parts]
        return np.concatenate(found)

    def _drawn_new(self) -> Mask | None:
        for _ in range(MOST_STALE):
            subset = self._draws.one(self._best_seen, len(self.chosen))
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
        subset = self._draws.one(self._best_seen)
        for _ in range(STEPS * self._family.n):
            # where all members have one size none is a flip away
            around = self._family.neighbours(subset) or self._family.some_swaps(subset, STEPS, self._rng)
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
        return self._around(self._beliefs.favourite)

    @property
    def _may_believe_the_forecast(self) -> bool:
        """Whether anything is ever evaluated unasked because a forecast proposes it."""
        return self._settings.explore == "gain" and REJECTIONS not in self._settings.stop

    @property
    def _forecast_has_its_turn(self) -> bool:
        """Whether the next evaluation goes to what promises most, though it was rejected.

        The last one does, for nothing would look again at what was rejected then.
        """
        every = unasked_every(self._settings, self._family)
        if not every or not self._may_believe_the_forecast:
            return False
        spent = len(self._history.evaluated) + len(self._history.failed) + len(self.chosen)
        return (self._settings.evaluations(self._family) - spent - 1) % every == 0

    @property
    def _believes_the_forecast(self) -> bool:
        """Whether its next proposal is evaluated unasked: it has its turn, or knows very many."""
        knows_many = self._may_believe_the_forecast and len(self._beliefs.evaluated) > MOST_TO_REJECT
        return knows_many or self._forecast_has_its_turn

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
        if verdict.price is None:
            return -1.0
        return None if self._too_early(verdict.price) else recorded(verdict.price)

    def _too_early(self, price: float) -> bool:
        """Whether this price is not enough yet: early on little is known, and a rejection is wrong more often."""
        caution = self._settings.caution
        return caution > 0 and price <= float(self._settings.parsimony) * (1.0 + caution * (1.0 - self._beliefs.spent))


def recorded(price: float) -> float:
    """A price as it is recorded: the last digits depend on what the solver did before.

    It is rounded twice, so that 0.1171875, in the middle between two prices of six digits, does not fall to
    either side by chance.
    """
    return round(round(price, 9), 6)
