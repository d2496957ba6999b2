"""What holds over the whole family: the worst rival of a subset among all that may be chosen.

Lower bounds come from alternating maximisation: the best y for a θ, by flips and swaps, then the best θ for that y,
a linear program. It finds a counterexample within a few programs when there is one. Upper bounds come from cuts, or
from branch and bound (`partition`), which also leaves a proof. The mixed-integer program of `solver.best_rival` says
the same in one readable model; tests and benchmarks compare the two. Either may be stopped at any time and then
returns the bounds it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from elicit.errors import InputError
from elicit.knowledge.statements import Statement
from elicit.subsets import Family, Mask, simplest
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.cubes import MOST_CUBES
from elicit.utility.exact import ExactSet
from elicit.utility.monomials import Matrix, Monomials, Utility
from elicit.utility.partition import Partition, partition
from elicit.utility.sets import Optimum, difference, required_margins, statement_rows
from elicit.utility.solver import Box, Budget, Watch, best_rival

#: Families up to this many subsets are listed when cuts are evaluated on all of them.
MOST_LISTED = 1 << 16

#: Cuts tried before branch and bound takes over.
MOST_CUTS = 300


@dataclass(frozen=True)
class FamilyRegret:
    """The max regret of `subset` over a scope lies between `lower` and `upper`.

    `rival` and `witness` reach `lower`. The bounds are those of a solver in floats; `proof` holds the
    multipliers from which a certificate can be made, when branch and bound was used.
    """

    subset: Mask
    lower: float
    upper: float
    rival: Mask | None
    witness: Utility | None
    proof: Partition | None = None
    informative: bool = True

    @property
    def optimal(self) -> bool | None:
        """Whether the subset is necessarily optimal: True, False, or None when the bounds leave it open.

        Without a strict statement nothing is: a rule, since θ = 0 then makes everything equal.
        """
        if not self.informative or self.lower > tolerances.DECISION:
            return False
        return True if self.upper <= tolerances.DECISION else None


def family_regret(
    utilities: AnySet,
    subset: Mask,
    family: Family,
    *,
    decide_only: bool = False,
    with_proof: bool = False,
    progress: Watch | None = None,
    most_cubes: int = MOST_CUBES,
    rivals: Iterable[Mask] = (),
) -> FamilyRegret:
    """The max regret of a subset over a family, by search and then by cuts or branch and bound.

    With `decide_only` the first rival that gains anything ends it; `rivals` are tried before the whole family is
    searched. In the slice, and while the family can be listed, cuts are often quicker, so they come first, unless a
    proof is wanted: branch and bound leaves a shorter one. `progress` is told the bounds and may stop it.

    Whether it is optimal in the slice is first looked for by steps, with half of the programs: where it is, these are
    far fewer. (In Θ_τ coefficients share one budget, and a single flip may spend it all: steps made proofs longer as
    often as shorter.)
    """
    stopped = False

    def watch(lower: float, upper: float) -> bool:
        nonlocal stopped
        stopped = progress is not None and bool(progress(lower, upper))
        return stopped

    search = _Search(utilities, subset, family)
    search.alternate_from(interior_theta(utilities))
    if decide_only:
        promising = iter(rivals)
        while search.lower <= tolerances.DECISION and (y := next(promising, None)) is not None:
            search.attempt(y)
        if search.lower > tolerances.DECISION or not utilities.informative:
            return search.found(np.inf, None)
    if isinstance(utilities, ExactSet) and not (with_proof or decide_only) and family.count() <= MOST_LISTED:
        upper = _bound_by_cuts(utilities, subset, family, search, watch)
        if stopped or upper <= search.lower + tolerances.DECISION:
            return search.found(upper, None)
    looks = [(most_cubes, False)]
    if decide_only and isinstance(utilities, ExactSet):
        looks = [(most_cubes // 2, True), (most_cubes - most_cubes // 2, False)]
    for most, by_steps in looks:
        proof = partition(
            utilities,
            subset,
            family,
            lower=search.lower,
            attempt=search.attempt,
            enough=tolerances.DECISION if decide_only else None,
            progress=watch,
            most_cubes=most,
            by_steps=by_steps,
        )
        if stopped or search.lower > tolerances.DECISION or proof.upper <= tolerances.DECISION:
            break
    return search.found(proof.upper, proof)


def _bound_by_cuts(
    utilities: ExactSet,
    subset: Mask,
    family: Family,
    search: _Search,
    progress: Watch | None,
) -> float:
    """A bound on what any member gains, in the slice: solve at the largest bound, add the cut, repeat.

    The multipliers λ of any maximum bound every y: f(y) − f(x) ≤ −δ Σ_strict λ + ‖φ(y) − φ(x) + Dᵀλ‖₁.
    """
    masks, phi = _listed(family, utilities.monomials)
    at_subset = masks.index(subset)
    phi_x = phi[at_subset]
    d = statement_rows(utilities.monomials, utilities.statements)
    strict = required_margins(utilities.statements)
    bound = np.full(len(masks), np.inf)
    bound[at_subset] = 0.0
    at = int(bound.argmax())
    for _ in range(MOST_CUTS):
        if bound[at] <= search.lower + tolerances.DECISION / 2:
            break
        optimum = search.largest_gain(masks[at])
        multipliers = np.array(optimum.multipliers)
        rest = multipliers @ d - phi_x
        absent, present = np.abs(rest), np.abs(rest + 1.0)
        cut = phi @ (present - absent) + (absent.sum() - utilities.delta * (multipliers @ strict))
        np.minimum(bound, cut, out=bound)
        bound[at] = min(bound[at], optimum.value)
        at = int(bound.argmax())
        if progress is not None and progress(search.lower, max(search.lower, float(bound[at]))):
            break
    return float(bound[at])


@lru_cache(maxsize=4)
def _listed(family: Family, monomials: Monomials) -> tuple[list[Mask], Matrix]:
    """Every member of a family and its row φ."""
    masks = list(family)
    return masks, monomials.rows(masks)


def regret_over(utilities: AnySet, subset: Mask, rivals: Iterable[Mask], *, decide_only: bool = False) -> FamilyRegret:
    """The max regret of a subset over listed rivals: a program each."""
    lower, best, witness = 0.0, None, None
    for y in rivals:
        if y != subset:
            optimum = utilities.maximum(difference(y, subset))
            if optimum.value > lower:
                lower, best, witness = optimum.value, y, optimum.witness
            if decide_only and lower > tolerances.DECISION:
                return FamilyRegret(subset, lower, np.inf, best, witness, informative=utilities.informative)
    return FamilyRegret(subset, lower, lower, best, witness, informative=utilities.informative)


def programmed_regret(
    utilities: AnySet,
    subset: Mask,
    family: Family,
    *,
    progress: Watch | None = None,
    time_limit: float | None = None,
) -> FamilyRegret:
    """The max regret of a subset over a family, by the mixed-integer program."""
    _check_member(subset, family)
    monomials = utilities.monomials
    if isinstance(utilities, ExactSet):
        within: Box | Budget = Box(utilities.delta)
        statements: Sequence[Statement] = utilities.rows
    else:
        within = Budget(utilities.settings.weights_of(monomials), utilities.limits, utilities.budget)
        statements = utilities.statements
    rows = [(s.better, s.worse, s.relation.value) for s in statements]
    rival = best_rival(subset, monomials, rows, family, within, progress=progress, time_limit=time_limit)
    return FamilyRegret(
        subset,
        rival.gain,
        max(rival.gain, rival.bound),
        rival.subset if rival.gain > tolerances.DECISION else None,
        Utility.of(monomials, rival.theta),
        None,
        utilities.informative,
    )


def interior_theta(utilities: AnySet) -> Utility:
    """A θ in the interior of the set: of largest margin, or simplest.

    Unlike `inside` it does not depend on what was solved before.
    """
    return utilities.roomiest if isinstance(utilities, ExactSet) else utilities.simplest.theta


def _check_member(subset: Mask, family: Family) -> None:
    if subset not in family:
        raise InputError(f"subset {subset} is not in the family whose best it might be")


class _Search:
    """The best rival found so far, and the ways to find a better one."""

    def __init__(self, utilities: AnySet, subset: Mask, family: Family) -> None:
        _check_member(subset, family)
        self._set, self._subset, self._family = utilities, subset, family
        self._tried: set[Mask] = set()
        self.lower = 0.0
        self._best: Mask | None = None
        self._witness: Utility | None = None

    def found(self, upper: float, proof: Partition | None) -> FamilyRegret:
        """The result of the search, given an upper bound."""
        upper = max(self.lower, upper)
        return FamilyRegret(self._subset, self.lower, upper, self._best, self._witness, proof, self._set.informative)

    def alternate_from(self, theta: Utility, start: Mask | None = None) -> None:
        """Alternate, while it gains: climb to a good y for θ, then take the best θ for that y."""
        y = climb(theta, self._subset if start is None else start, self._family)
        while y != self._subset and y not in self._tried:
            self._tried.add(y)
            optimum = self._set.maximum(difference(y, self._subset))
            if optimum.value <= self.lower + tolerances.DECISION:
                break
            self.lower, self._best, self._witness = optimum.value, y, optimum.witness
            y = climb(optimum.witness, y, self._family)

    def largest_gain(self, y: Mask) -> Optimum:
        """The most that y gains; kept when it is the most so far."""
        self._tried.add(y)
        optimum = self._set.maximum(difference(y, self._subset))
        if optimum.value > self.lower:
            self.lower, self._best, self._witness = optimum.value, y, optimum.witness
        return optimum

    def attempt(self, start: Mask) -> float:
        """The largest gain known after a search from this subset too, where it is a member not tried yet."""
        if start in self._family and start != self._subset and start not in self._tried:
            self.alternate_from(self.largest_gain(start).witness, start)
        return self.lower


def climb(theta: Utility, start: Mask, family: Family) -> Mask:
    """The local maximum of f_θ in the family that flips and swaps lead to from `start`."""
    here, value = start, theta(start)
    while True:
        for near in (family.neighbours, family.swaps):
            around = near(here)
            values = theta.values(around)
            if values.max(initial=-np.inf) > value + tolerances.MULTIPLIER:
                break
        else:
            return here
        best = float(values.max())
        tied = [y for y, v in zip(around, values, strict=True) if v >= best - tolerances.MULTIPLIER]
        here, value = min(tied, key=simplest), best
