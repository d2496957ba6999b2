"""Exploring: which subset is worth an evaluation.

Candidates are drawn (by a law from a power index, or attribute by attribute) or are neighbours of the
front member that θ_k likes best; the one that θ_k likes best is proposed. A proposal that no utility in
the set finds best is rejected and remembered with its price; in the parsimonious set a rejection is
provisional, so old ones are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.subsets import Mask, mask_of, simplest
from elicit.utility.monomials import Vector
from elicit.utility.power import gap_index, sample_subsets
from elicit.utility.sampling import draw, sequential, sequential_as_printed

#: A rejection made this many evaluations ago is looked at again.
SECOND_LOOK = 10

#: Draws in a row that bring nothing new before the family is searched for what is left.
MOST_STALE = 200


@dataclass(frozen=True)
class Proposal:
    """Subsets to evaluate, those rejected on the way with their price, and why these."""

    evaluate: tuple[Mask, ...]
    rejected: tuple[tuple[Mask, float], ...]
    why: str


def propose(
    beliefs: Beliefs, count: int, rng: np.random.Generator, prior: Vector | None = None, wanted: Sequence[Mask] = ()
) -> Proposal:
    """Up to `count` subsets to evaluate next; fewer only when the family holds no more.

    `prior` is a power index to start from; `wanted` are subsets that a proof is waiting for.
    """
    search = _Explorer(beliefs, rng, prior)
    chosen: list[Mask] = []
    rejected: dict[Mask, float] = {}
    for subset in wanted:
        if len(chosen) < count and search.new(subset, chosen, rejected):
            chosen.append(subset)
    why = "a proof of optimality needs it" if chosen else search.reason
    while len(chosen) < count:
        candidate = search.next(chosen, rejected)
        if candidate is None:
            break
        price = search.rejection_price(candidate)
        if price is None:
            chosen.append(candidate)
        else:
            rejected[candidate] = price
            if "rejections" in beliefs.settings.stop:
                if len(rejected) >= beliefs.settings.rejections:
                    break
            elif len(rejected) >= beliefs.settings.patience:
                chosen.append(_cheapest(rejected))
    if not chosen and rejected and "rejections" not in beliefs.settings.stop:
        chosen.append(_cheapest(rejected))  # the family holds no more than these: patience cannot run out
    return Proposal(tuple(chosen), tuple(rejected.items()), why)


def _cheapest(rejected: dict[Mask, float]) -> Mask:
    """Take the rejected subset of least price back out."""
    cheapest = min(rejected, key=lambda m: (rejected[m], simplest(m)))
    del rejected[cheapest]
    return cheapest


class _Explorer:
    """Candidates one after the other, for one state of beliefs."""

    def __init__(self, beliefs: Beliefs, rng: np.random.Generator, prior: Vector | None) -> None:
        self._beliefs, self._rng, self._prior = beliefs, rng, prior
        self._history, self._family, self._settings = beliefs.history, beliefs.family, beliefs.settings
        self._index_known: Vector | None = None
        self._starting = len(beliefs.evaluated) < self._settings.start

    @property
    def reason(self) -> str:
        """Why these candidates, in a few words."""
        if self._starting:
            return "a first look at the family"
        if self._settings.explore == "model":
            return "the most promising of the favourite's neighbours, or of the draws"
        return "drawn"

    def new(self, subset: Mask, chosen: Sequence[Mask], rejected: dict[Mask, float]) -> bool:
        """Whether a subset may still be proposed."""
        history = self._history
        if subset not in self._family or subset in history.evaluated or subset in history.failed:
            return False
        if subset in chosen or subset in rejected:
            return False
        before = history.rejected.get(subset)
        return before is None or self._age(before.request) >= SECOND_LOOK

    def _age(self, request: int) -> int:
        """Evaluations since a request."""
        return sum(1 for fact in self._history.evaluated.values() if fact.request >= request)

    def next(self, chosen: Sequence[Mask], rejected: dict[Mask, float]) -> Mask | None:
        """The best candidate left, None when the family holds no other."""
        if self._settings.explore != "model" or self._starting:
            return self._drawn_new(chosen, rejected)
        around = self._rng.random() < self._settings.neighbours
        for pool in (self._near, self._drawn) if around else (self._drawn, self._near):
            fresh = [m for m in pool() if self.new(m, chosen, rejected)]
            if fresh:
                return self._liked_best(fresh)
        return self._drawn_new(chosen, rejected)

    def _drawn_new(self, chosen: Sequence[Mask], rejected: dict[Mask, float]) -> Mask | None:
        for _ in range(MOST_STALE):
            subset = self._one_draw()
            if self.new(subset, chosen, rejected):
                return subset
        return self._anything(chosen, rejected)

    def _anything(self, chosen: Sequence[Mask], rejected: dict[Mask, float]) -> Mask | None:
        """A member that draws keep missing: the one θ_k likes best, or in a large family a random walk's."""
        if self._family.count() <= 1 << 14:
            left = [m for m in self._family if self.new(m, chosen, rejected)]
            if not left:  # the rejected are all that is left: look at them again
                left = [
                    m
                    for m in self._family
                    if m not in self._history.evaluated and m not in self._history.failed and m not in chosen
                ]
                left = [m for m in left if m not in rejected]
            return self._liked_best(left) if left else None
        subset = self._one_draw()
        for _ in range(50 * self._family.n):
            subset = self._family.neighbours(subset)[int(self._rng.integers(len(self._family.neighbours(subset))))]
            if self.new(subset, chosen, rejected):
                return subset
        return None

    def _liked_best(self, candidates: Sequence[Mask]) -> Mask:
        if not self._beliefs.utilities.informative:
            return candidates[int(self._rng.integers(len(candidates)))]
        values = self._beliefs.theta.values(candidates)
        best = values.max()
        return min((m for m, v in zip(candidates, values, strict=True) if v >= best - 1e-9), key=simplest)

    def _near(self) -> list[Mask]:
        if self._beliefs.incumbent is None:
            return []
        centre = self._beliefs.favourite
        return self._family.neighbours(centre) + self._family.swaps(centre)

    def _drawn(self) -> list[Mask]:
        return list(dict.fromkeys(self._one_draw() for _ in range(self._settings.draws)))

    def _one_draw(self) -> Mask:
        """One draw by the law in force; uniform over sizes at the start, for lack of an index."""
        if self._starting and self._prior is None:
            return self._uniform()
        if self._settings.explore.startswith("sequential") and self._usable:
            by: Callable[..., Mask] = sequential if self._settings.explore == "sequential" else sequential_as_printed
            return by(self._beliefs.utilities, self._family, self._rng)
        return draw(self._settings.law, self._index, self._family, self._rng, self._settings.temperature)

    def _uniform(self) -> Mask:
        """A subset of uniform size."""
        free = self._family.free
        while True:
            size = int(self._rng.integers(0, self._family.room + 1))
            mask = self._family.keep | mask_of(self._rng.permutation(free)[:size].tolist())
            if mask:
                return mask

    @property
    def _usable(self) -> bool:
        """Whether the set of utilities can be asked anything."""
        return self._beliefs.conflict is None and self._beliefs.utilities.informative

    @property
    def _index(self) -> Vector:
        """The power index in force: the prior until something is known."""
        if self._index_known is None:
            self._index_known = self._compute_index()
        return self._index_known

    def _compute_index(self) -> Vector:
        if not self._beliefs.utilities.informative:
            return np.zeros(self._family.n) if self._prior is None else self._prior
        if self._settings.index == "theta" or not self._usable:
            return self._beliefs.theta.power()
        sampled = sample_subsets(self._family.n, self._settings.index_samples, self._rng)
        return gap_index(self._beliefs.utilities, sampled, joint=self._settings.index == "joint")

    def rejection_price(self, subset: Mask) -> float | None:
        """The price at which a subset is rejected, None when it may be best (or nothing is known)."""
        if self._starting or not self._usable:
            return None
        verdict = self._beliefs.utilities.verdict(subset)
        if verdict.possible:
            return None
        # rounded, since it is recorded: its last digits depend on what the solver did before
        return -1.0 if verdict.price is None else round(verdict.price, 6)
