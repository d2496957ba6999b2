"""Max regret among the evaluated subsets, with as few programs as possible.

The regret of v is the most that some utility in the set lets another subset x gain on it. Every θ that a program
returned is kept as a witness, which bounds regrets from below. Every value is kept as an upper bound, and upper
bounds obey a triangle inequality, f(a) − f(b) ≤ U(a, k) + U(k, b), so they are closed like shortest paths (Floyd and
Warshall). A program is solved only where the two bounds still leave the decision open.

Decisions depend on values alone, compared at the decision tolerance, so that what was solved before
never changes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from elicit.knowledge.statements import Statement
from elicit.subsets import Mask, simplest
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.monomials import Matrix, Utility, Vector
from elicit.utility.sets import Optimum, difference

#: A subset that may lose more is not proven best in any sense of the word. It is the margin of one clear answer in Θ_τ,
#: and the largest coefficient in the slice, where the margin of one answer (δ) is far below it.
CLEAR = 1.0

#: With more evaluated subsets than this a regret beyond `CLEAR` is not computed exactly: that takes a program for each
#: of them, and proves nothing of use.
MOST_COMPARED = 150

#: The bounds of more evaluated subsets are not closed: that takes seconds, growing with their cube, and saves programs.
MOST_CLOSED = 500

#: Witnesses kept from one state of knowledge to the next.
MOST_WITNESSES = 100


@dataclass(frozen=True)
class Regret:
    """How much `subset` may lose to its worst rival; no rival when it loses to none."""

    subset: Mask
    value: float
    rival: Mask | None

    @property
    def lead(self) -> float:
        """By how much the worst rival leads: without one 0, whatever rounding leaves of the value."""
        return 0.0 if self.rival is None else self.value


#: A statement, and how many equal ones come before it: each copy counts, and may be retracted by itself.
Copy = tuple[Statement, int]


@dataclass(frozen=True)
class _Proof:
    """max f(x) − f(v) ≤ sigma · B + constant, as long as none of the statements used is retracted."""

    sigma: float
    constant: float
    used: frozenset[Copy]


def beyond_worth(regrets: Regrets, subset: Mask) -> bool:
    """Whether a regret is not worth computing: very many subsets are evaluated, and it exceeds `CLEAR`."""
    return len(regrets.subsets) > MOST_COMPARED and regrets.exceeds(subset, CLEAR)


class Regrets:
    """Regrets of the evaluated subsets under one set of utilities.

    The least is that of a candidate: an eligible one (None: any) that no strict statement puts below another such. In
    Θ_τ one that is below another may have less, for θ may strain the statement.
    """

    def __init__(
        self, utilities: AnySet, previous: Regrets | None = None, eligible: Sequence[Mask] | None = None
    ) -> None:
        self.utilities = utilities
        self.subsets = utilities.evaluated
        self._place = {mask: k for k, mask in enumerate(self.subsets)}
        self._keys = [simplest(mask) for mask in self.subsets]
        self._proofs: dict[tuple[Mask, Mask], _Proof] = {}
        self._solved: set[tuple[int, int]] = set()
        self._frame = utilities.frame  # as it is now: δ may change with statements
        self._candidates = self._membership(utilities.candidates(self.subsets if eligible is None else eligible))
        self._rivals = self._membership(utilities.rivals(self.subsets))
        self._copies = _numbered_copies(utilities.statements)
        self._witnesses: list[Utility] = []
        self._values = np.zeros((0, len(self.subsets)))
        if previous is not None:
            self._inherit(previous)

    @cached_property
    def upper(self) -> Matrix:
        """Bounds on f(x) − f(v) at row x, column v, with all proofs so far; closed unless there are very many."""
        upper = self.utilities.upper_bounds(self.subsets)
        for k in range(len(self.subsets) if len(self.subsets) <= MOST_CLOSED else 0):
            np.minimum(upper, upper[:, k][:, None] + upper[k, :][None, :], out=upper)
        budget = self.utilities.budget
        for (x, v), proof in self._proofs.items():
            i, j = self._place[x], self._place[v]
            bound = proof.sigma * budget + proof.constant
            if bound < upper[i, j]:
                _tighten(upper, i, j, bound)
        return upper

    def _membership(self, chosen: Sequence[Mask]) -> NDArray[np.bool_]:
        """Which of the evaluated subsets are among the chosen."""
        among = set(chosen)
        return np.array([mask in among for mask in self.subsets], dtype=np.bool_)

    # -- decisions ------------------------------------------------------------------------------

    def least(self) -> Regret:
        """The candidate of least max regret; ties go to fewer attributes, then to mask order."""
        if len(self.subsets) == 0:
            raise ValueError("no subset is evaluated, so none has a regret")
        v, lower = self._leader()
        while True:
            confirmed = self._confirm(v, lower[v], give_up_above=self._runner_up(lower, v))
            before, (v, lower) = v, self._leader()
            # confirming may have shown a tie with a simpler one
            if confirmed and v == before:
                return self._result(v)

    def _leader(self) -> tuple[int, Vector]:
        """The simplest of the candidates of least lower bound, and the lower bounds."""
        lower = np.where(self._candidates, self._lower(), np.inf)
        tied = np.flatnonzero(lower <= lower.min() + tolerances.DECISION)
        return min(tied.tolist(), key=lambda k: self._keys[k]), lower

    def of(self, subset: Mask) -> Regret:
        """The max regret of one evaluated subset."""
        v = self._place[subset]
        self._confirm(v, self._lower()[v], give_up_above=np.inf)
        return self._result(v)

    def exceeds(self, subset: Mask, bound: float) -> bool:
        """Whether the max regret of one evaluated subset is above a bound; takes fewer programs than the regret."""
        v, most = self._place[subset], bound + tolerances.DECISION
        if len(self.subsets) > MOST_COMPARED and not self._witnesses:
            self._add_witness(self.utilities.inside)  # often enough by itself, without bounds or programs
        while (lower := float(self._lower()[v])) <= most:
            if self._confirm(v, lower, give_up_above=most):
                return float(self._lower()[v]) > most
        return True

    def pair(self, x: Mask, v: Mask) -> float:
        """max f(x) − f(v) over the set, exactly."""
        return self._largest_gain(self._place[x], self._place[v])

    def _runner_up(self, lower: Vector, v: int) -> float:
        others = np.delete(lower, v)
        return float(others.min(initial=np.inf)) + tolerances.DECISION

    def _lower(self) -> Vector:
        """For each v, what some witness already lets a rival gain on it; at least 0 (v against itself)."""
        if len(self._values) == 0:
            return np.zeros(len(self.subsets))
        lower: Vector = (self._values.max(axis=1, keepdims=True) - self._values).max(axis=0)
        return np.maximum(lower, 0.0)

    def _confirm(self, v: int, lower: float, give_up_above: float) -> bool:
        """Solve for rivals of v, most promising first, until none can beat its lower bound.

        False as soon as its regret is above `give_up_above`: then another subset must be looked at.
        """
        while True:
            column = np.where(self._rivals, self.upper[:, v], -np.inf)
            x = int(column.argmax())  # v itself, which gains 0, once no other gains more
            if column[x] <= lower + tolerances.DECISION:
                return True
            lower = max(lower, self._largest_gain(x, v))
            lower = max(lower, float(self._lower()[v]))
            if lower > give_up_above:
                return False

    def _result(self, v: int) -> Regret:
        """The regret of a confirmed subset and the simplest of its worst rivals."""
        value = max(0.0, float(self._lower()[v]))
        if value <= tolerances.DECISION:
            return Regret(self.subsets[v], value, None)
        column = np.where(self._rivals, self.upper[:, v], -np.inf)
        column[v] = -np.inf
        # whose bound reaches the regret may be a worst rival, and whose program does is one. By rounding a witness may
        # let a rival gain a hair more than the program of that rival says
        close = column >= min(value, column.max()) - tolerances.DECISION
        near = [x for x in np.flatnonzero(close).tolist() if x != v]
        gains = {x: self._largest_gain(x, v) for x in near}
        worst = [x for x in near if gains[x] >= min(value, max(gains.values())) - tolerances.DECISION]
        return Regret(self.subsets[v], value, self.subsets[min(worst, key=lambda k: self._keys[k])])

    # -- bounds ---------------------------------------------------------------------------------

    def _largest_gain(self, x: int, v: int) -> float:
        """max f(x) − f(v), solved for at most once; its θ and its bound serve all other pairs, too."""
        if (x, v) not in self._solved:
            optimum = self.utilities.maximum(difference(self.subsets[x], self.subsets[v]))
            self._solved.add((x, v))
            self._record(x, v, optimum)
        return float(self.upper[x, v])

    def _record(self, x: int, v: int, optimum: Optimum) -> None:
        used = frozenset(
            s for s, m in zip(self._copies, optimum.multipliers, strict=True) if abs(m) > tolerances.MULTIPLIER
        )
        constant = optimum.value - optimum.sigma * self.utilities.budget
        self._proofs[self.subsets[x], self.subsets[v]] = _Proof(optimum.sigma, constant, used)
        self._add_witness(optimum.witness)
        _tighten(self.upper, x, v, optimum.value)
        self.upper[x, v] = optimum.value

    def _add_witness(self, theta: Utility) -> None:
        """Keep one more θ of the set, and its values."""
        self._witnesses.append(theta)
        self._values = np.vstack([self._values, theta.values(self.subsets)])

    def _inherit(self, previous: Regrets) -> None:
        """Take over from an earlier state proofs whose statements are all there still, and θ still in the set."""
        standing = set(self._copies)
        same = previous._frame == self._frame
        for (x, v), proof in previous._proofs.items() if same else ():
            if x in self._place and v in self._place and proof.used <= standing:
                self._proofs[x, v] = proof
        recent = previous._witnesses[-MOST_WITNESSES:]
        self._witnesses = [t for t, inside in zip(recent, self.utilities.admits(recent), strict=True) if inside]
        if self._witnesses:
            self._values = np.array([t.values(self.subsets) for t in self._witnesses])


def _tighten(upper: Matrix, x: int, v: int, bound: float) -> None:
    """Close the bounds again after a new one."""
    np.minimum(upper, upper[:, x][:, None] + bound + upper[v, :][None, :], out=upper)


def _numbered_copies(statements: Sequence[Statement]) -> list[Copy]:
    """The statements, each with how many equal ones come before it."""
    seen = Counter[Statement]()
    found = []
    for s in statements:
        found.append((s, seen[s]))
        seen[s] += 1
    return found
