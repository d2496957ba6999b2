"""Which answers a proof needs: a smallest set of them that suffices (a reduct), and those in every such set (the core).

What is proven is a bound on what any of some rivals gains on a subset. Measured dominance always counts; answers may
be left out. An answer that is left out has no multiplier, while the budget B (or the margin δ) stays the same. So
proving is monotone: what some answers prove, more of them prove as well. (If B were that of the remaining answers it
would not be: without a contradiction Θ_τ may be smaller.)

A reduct must hit the complement of every set of answers that proves too little. So a smallest reduct is a smallest
hitting set of such complements; sets and complements are found in alternation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from elicit.knowledge.statements import Source
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.cube_program import cube_program
from elicit.utility.solver import cheapest_hitting_set

#: Hitting sets tried before a reduct that is only minimal, not smallest, is given.
MOST_ROUNDS = 100

Proves = Callable[[frozenset[int]], bool]


@dataclass(frozen=True)
class Reduct:
    """The places of answers that prove it, none of which can be left out; `smallest` when no fewer do."""

    places: frozenset[int]
    smallest: bool


class ProofByAnswers:
    """Whether chosen answers still prove that no rival gains more than `bound` on `subset`.

    `places` are the answers among the statements of the set; `following` gives the places of what is deduced from
    some of them. Rivals that measured dominance alone bounds need none.
    """

    def __init__(
        self,
        utilities: AnySet,
        subset: Mask,
        rivals: Collection[Mask],
        bound: float,
        following: Callable[[frozenset[int]], frozenset[int]] = lambda _: frozenset(),
    ) -> None:
        self._program = cube_program(utilities, subset)
        self._everything = (1 << utilities.n) - 1
        self._most = bound + tolerances.DECISION
        sources = [s.source for s in utilities.statements]
        self._measured = frozenset(r for r, source in enumerate(sources) if source is Source.DOMINANCE)
        deduced = frozenset(r for r, source in enumerate(sources) if source is Source.DEDUCED)
        self.places = frozenset(range(len(sources))) - self._measured - deduced
        self._deduced_from = following
        self._known: dict[frozenset[int], bool] = {}
        #: what each proof of a rival used; most use few of the answers, and hold without the others
        self._used: dict[Mask, list[frozenset[int]]] = {y: [] for y in rivals if y != subset}
        self._undecided_rivals = [y for y in self._used if not self._bounded(y, self._measured)]

    def proves(self, chosen: frozenset[int]) -> bool:
        """Whether the chosen answers, with what was measured, bound every rival."""
        if chosen not in self._known:
            counting = self._measured | chosen | self._deduced_from(chosen)
            failing = next((y for y in self._undecided_rivals if not self._bounded(y, counting)), None)
            if failing is not None:  # the same one is likely to fail the next time
                self._undecided_rivals.remove(failing)
                self._undecided_rivals.insert(0, failing)
            self._known[chosen] = failing is None
        return self._known[chosen]

    def _bounded(self, y: Mask, counting: frozenset[int]) -> bool:
        """Whether these statements bound a rival; no program need say so where an earlier proof used no others."""
        if any(used <= counting for used in self._used[y]):
            return True
        self._program.restrict_to(counting)
        bound = self._program.least_bound(y, self._everything & ~y)
        if bound.value > self._most:
            return False
        self._used[y].append(frozenset(r for r, x in enumerate(bound.multipliers) if x))
        return True


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
        missed.append({order.index(r) for r in whole - _maximal_insufficient(proves, trial, order)})
    return Reduct(_minimal_set(proves, order, needed), False)


def _maximal_insufficient(proves: Proves, start: frozenset[int], order: Sequence[int]) -> frozenset[int]:
    """A set that holds `start` and proves too little, grown until any further place would make it suffice."""
    grown = start
    for r in order:
        if r not in grown and not proves(grown | {r}):
            grown |= {r}
    return grown


def _minimal_set(proves: Proves, order: Sequence[int], needed: frozenset[int]) -> frozenset[int]:
    """A minimal set that suffices: all places, less one after the other that the rest can do without."""
    left = frozenset(order)
    for r in order:
        if r not in needed and proves(left - {r}):
            left -= {r}
    return left
