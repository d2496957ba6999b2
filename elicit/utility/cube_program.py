"""What all subsets of a subcube gain at most: a linear program whose row bounds alone change from one to the next.

On the subcube of all y that hold `inside` and lack `outside`, the entry φ(y)_S of a monomial is known or may be 0
or 1. Any multipliers λ bound f(y) − f(x) on the whole subcube:
  slice  −δ Σ_strict λ + Σ_S |φ(y) − φ(x) + Dᵀλ|_S,                                  worst φ(y)_S allowed
  Θ_τ    B · max(max_S |φ(y) − φ(x) + Dᵀλ|_S / w_|S|, max_r |λ_r|/(C c_r)) − Σ_strict λ
The best multipliers are the solution of a linear program. An entry that may be `low` or `high` lies around a middle:
the worst of the two is |middle + Dᵀλ|_S + (high − low)/2, so that in the slice only the middles are in the program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from elicit.subsets import Mask
from elicit.utility.any_set import AnySet
from elicit.utility.exact import ExactSet
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.sets import equalities, required_margins, statement_rows
from elicit.utility.solver import INFINITY, Program


@dataclass(frozen=True)
class Bound:
    """What all subsets of a subcube gain at most, the multipliers that prove it, and where to split for a lower one.

    `undecided` tells for each attribute how much the monomials with it count that some of the subsets hold, others not.
    """

    value: float
    multipliers: tuple[float, ...]
    undecided: Vector


def cube_program(utilities: AnySet, subset: Mask) -> CubeProgram:
    """The program that bounds what is gained on a subset."""
    if isinstance(utilities, ExactSet):
        return _OfSlice(utilities, subset)
    return _OfBudget(utilities, subset)


class CubeProgram(ABC):
    """min over λ of the bound on a subcube. The first columns are λ (an equality's may be negative)."""

    def __init__(self, utilities: AnySet, subset: Mask) -> None:
        self._monomials = utilities.monomials
        self._phi_x = self._monomials.row(subset)
        self._d = statement_rows(self._monomials, utilities.statements)
        self._count, self._p = self._d.shape
        self._strict = required_margins(utilities.statements)
        self._equal = equalities(utilities.statements)
        self._used = np.ones(self._count, dtype=np.bool_)

    _program: Program

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    def restrict_to(self, chosen: Collection[int]) -> None:
        """Leave only the chosen statements a multiplier: bounds are then what they alone prove, at the same B or δ."""
        for r in range(self._count):
            if (r in chosen) != self._used[r]:
                self._used[r] = r in chosen
                most = INFINITY if self._used[r] else 0.0
                self._program.change_bounds(r, -most if self._equal[r] else 0.0, most)

    def least_bound(self, inside: Mask, outside: Mask, flip: int | None = None) -> Bound:
        """The least bound on what all y of a subcube gain on the subset; given a flip, on themselves with it."""
        low, high = self._gains(inside, outside, flip)
        self._program.change_rows(*self._row_bounds(low, high))
        solution = self._program.optimum()
        return self._bound_by(solution.values[: self._count], low, high, self._shares(solution.duals))

    def loose_bound(self, inside: Mask, outside: Mask) -> Bound:
        """A bound on what they gain on the subset that needs no program, as it has no multipliers."""
        return self._bound_by(np.zeros(self._count), *self._gains(inside, outside, None), np.ones(self._p))

    def _bound_by(self, multipliers: Vector, low: Vector, high: Vector, shares: Vector) -> Bound:
        """What multipliers prove, computed from them: the solver's own value may be 1e-7 off."""
        undecided = self._monomials.by_attribute(shares * (high - low))
        return Bound(self._value(multipliers, low, high), tuple(multipliers.tolist()), undecided)

    def _gains(self, inside: Mask, outside: Mask, flip: int | None) -> tuple[Vector, Vector]:
        """The least and the largest value of each entry of φ(y) − φ(x) on the subcube, x or y with the flip."""
        if flip is None:
            low, high = self._monomials.entries_between(inside, outside)
            return low - self._phi_x, high - self._phi_x
        chosen = 1 << flip
        low, high = self._monomials.entries_between(inside | chosen, outside & ~chosen)
        changing = self._monomials.holding(flip)
        low, high = low * changing, high * changing
        return (low, high) if inside & chosen else (-high, -low)

    @abstractmethod
    def _row_bounds(self, low: Vector, high: Vector) -> tuple[Vector, Vector]:
        """The bounds of the rows that depend on the subcube."""

    @abstractmethod
    def _shares(self, duals: Vector) -> Vector:
        """How much each monomial that is undecided counts for the bound, given the duals of the rows."""

    @abstractmethod
    def _value(self, multipliers: Vector, low: Vector, high: Vector) -> float:
        """What these multipliers prove."""


class _OfSlice(CubeProgram):
    """Σ_S |middle + Dᵀλ|_S − δ Σ_strict λ: after λ, columns for what is above 0 and below it, one row a monomial."""

    def __init__(self, utilities: ExactSet, subset: Mask) -> None:
        super().__init__(utilities, subset)
        self._promised = utilities.delta * self._strict
        p = self._p
        self._program = Program(
            np.hstack([self._d.T, -np.eye(p), np.eye(p)]),
            cost=np.concatenate([-self._promised, np.ones(2 * p)]),
            lower=np.concatenate([np.where(self._equal, -INFINITY, 0.0), np.zeros(2 * p)]),
            upper=np.full(self._count + 2 * p, INFINITY),
            row_lower=np.zeros(p),
            row_upper=np.zeros(p),
        )

    def _row_bounds(self, low: Vector, high: Vector) -> tuple[Vector, Vector]:
        middle = (low + high) / 2
        return -middle, -middle

    def _shares(self, duals: Vector) -> Vector:
        return np.ones_like(duals)  # half of high − low, whatever the multipliers

    def _value(self, multipliers: Vector, low: Vector, high: Vector) -> float:
        rest = np.abs(multipliers @ self._d + (low + high) / 2) + (high - low) / 2
        return float(rest.sum() - multipliers @ self._promised)


class _OfBudget(CubeProgram):
    """B σ − Σ_strict λ, where the column after λ is σ with σ w_S ≥ |g + Dᵀλ|_S and σ C c_r ≥ |λ_r|."""

    def __init__(self, utilities: ParsimoniousSet, subset: Mask) -> None:
        super().__init__(utilities, subset)
        self._budget, self._limits = utilities.budget, utilities.limits
        self._weights = utilities.settings.weights_of(self._monomials)
        m, p = self._d.shape
        above, below = (np.hstack([self._d.T, sign * self._weights[:, None]]) for sign in (-1, 1))
        most, least = (np.hstack([sign * np.eye(m), -self._limits[:, None]]) for sign in (1, -1))
        kept: Matrix = np.vstack([most, least[self._equal]])
        self._loose = np.full(p, INFINITY)
        self._program = Program(
            np.vstack([above, below, kept]),
            cost=np.append(-self._strict, self._budget),
            lower=np.append(np.where(self._equal, -INFINITY, 0.0), 0.0),
            upper=np.full(m + 1, INFINITY),
            row_lower=np.full(2 * p + len(kept), -INFINITY),
            row_upper=np.concatenate([np.full(2 * p, INFINITY), np.zeros(len(kept))]),
        )

    def _row_bounds(self, low: Vector, high: Vector) -> tuple[Vector, Vector]:
        return np.concatenate([-self._loose, -low]), np.concatenate([-high, self._loose])

    def _shares(self, duals: Vector) -> Vector:
        shares: Vector = np.abs(duals[: self._p]) + np.abs(duals[self._p : 2 * self._p])
        return shares

    def _value(self, multipliers: Vector, low: Vector, high: Vector) -> float:
        combined = multipliers @ self._d
        rest = np.maximum(np.abs(combined + low), np.abs(combined + high))
        share = max(
            float((rest / self._weights).max(initial=0.0)),
            float((np.abs(multipliers) / self._limits).max(initial=0.0)),
        )
        return self._budget * share - float(multipliers @ self._strict)
