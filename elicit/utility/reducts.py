"""Which answers a proof needs: a smallest set of them that suffices (a reduct), and those in every such set (the core).

What is proven is a bound on what any of some rivals gains on a subset. Measured dominance always counts;
answers may be left out. Left out means: without a multiplier, at the same budget B (or margin δ). Then fewer
answers leave a larger set of utilities, so what some answers prove, more of them prove as well. (With a
budget of their own they would not: a contradiction that goes makes Θ_τ smaller.)

A reduct hits, with at least one answer, the complement of every set that proves too little; so a smallest
one is a smallest hitting set of such complements, found by turns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from elicit.knowledge.statements import Source
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.exact import ExactSet
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.partition import CubeProgram
from elicit.utility.solver import cheapest_hitting_set

#: Hitting sets tried before a reduct that is only minimal, not smallest, is given.
MOST_ROUNDS = 100

Proves = Callable[[frozenset[int]], bool]


@dataclass(frozen=True)
class Reduct:
    """Places that prove it, none of which can be left out; `smallest` when no fewer places do."""

    places: frozenset[int]
    smallest: bool


class Needed:
    """Whether chosen answers still prove that no rival gains more than `bound` on `subset`.

    `places` are the answers among the statements of the set; `following` gives the places of what is deduced from
    some of them. Rivals that measured dominance alone bounds need none.
    """

    def __init__(
        self,
        utilities: ExactSet | ParsimoniousSet,
        subset: Mask,
        rivals: Collection[Mask],
        bound: float,
        following: Callable[[frozenset[int]], frozenset[int]] = lambda _: frozenset(),
    ) -> None:
        self._program = CubeProgram(utilities, subset)
        self._everything = (1 << utilities.n) - 1
        self._most = bound + tolerances.DECISION
        sources = [s.source for s in utilities.statements]
        self._measured = frozenset(r for r, source in enumerate(sources) if source is Source.DOMINANCE)
        deduced = frozenset(r for r, source in enumerate(sources) if source is Source.DEDUCED)
        self.places = frozenset(range(len(sources))) - self._measured - deduced
        self._following = following
        self._known: dict[frozenset[int], bool] = {}
        self._program.restrict_to(self._measured)
        self._open = [y for y in rivals if y != subset and not self._bounded(y)]

    def proves(self, chosen: frozenset[int]) -> bool:
        """Whether the chosen answers, with what was measured, bound every rival."""
        if chosen not in self._known:
            self._program.restrict_to(self._measured | chosen | self._following(chosen))
            failing = next((y for y in self._open if not self._bounded(y)), None)
            if failing is not None:  # the same one is likely to fail the next time
                self._open.remove(failing)
                self._open.insert(0, failing)
            self._known[chosen] = failing is None
        return self._known[chosen]

    def _bounded(self, y: Mask) -> bool:
        return self._program.least_bound(y, self._everything & ~y)[0] <= self._most


def core(proves: Proves, places: Collection[int]) -> frozenset[int]:
    """The places that every proof needs: without any one of them, all the others together fall short."""
    whole = frozenset(places)
    return frozenset(r for r in sorted(whole) if not proves(whole - {r}))


def smallest_reduct(proves: Proves, places: Collection[int], rounds: int = MOST_ROUNDS) -> Reduct | None:
    """The fewest places that prove it, None when even all of them do not. `proves` must be monotone."""
    order = sorted(places)
    whole = frozenset(order)
    if not proves(whole):
        return None
    needed = core(proves, whole)
    missed = [{order.index(r)} for r in sorted(needed)]
    for _ in range(rounds):
        trial = frozenset(order[k] for k in cheapest_hitting_set(missed, np.ones(len(order))))
        if proves(trial):
            return Reduct(trial, True)
        missed.append({order.index(r) for r in whole - _grown(proves, trial, order)})
    return Reduct(_thinned(proves, order, needed), False)


def _grown(proves: Proves, start: frozenset[int], order: Sequence[int]) -> frozenset[int]:
    """A largest set that holds `start` and proves too little."""
    grown = start
    for r in order:
        if r not in grown and not proves(grown | {r}):
            grown |= {r}
    return grown


def _thinned(proves: Proves, order: Sequence[int], needed: frozenset[int]) -> frozenset[int]:
    """All places, less every one that is not needed beside the rest."""
    left = frozenset(order)
    for r in order:
        if r not in needed and proves(left - {r}):
            left -= {r}
    return left
