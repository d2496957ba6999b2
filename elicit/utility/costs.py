"""J(θ, s) = Σ w_|S| |θ_S| + C Σ c_r s_r: what a belief costs, by its coefficients and by its slacks.

Here are the statements as arrays, the slacks of a θ, and the monomials that a program lacks. With many attributes
no program lists all monomials, and they enter by column generation: those whose bound is violated are the entries
of Vᵀ diag(c) V above w_2, one matrix product. Values are exact whatever the degree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.knowledge.statements import Statement
from elicit.subsets import Mask, indicator
from elicit.utility import tolerances
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector, check_degree
from elicit.utility.numbers import listable
from elicit.utility.sets import Form, check_evaluated, check_statements, equalities, required_margins

#: Up to this many monomials are all in the programs from the start; more of them enter on demand.
LISTED_AT_ONCE = 600

#: Coefficients of pairs that are worked out at once.
PAIRS_AT_ONCE = 4_000_000

#: At most this many monomials enter in one round of column generation.
ENTER_AT_ONCE = 50

#: Beyond these, programs lose accuracy: the largest τ; the largest weight (the smallest is 1 over it); and the largest
#: C, which is also at most so many times the smallest weight.
LARGEST_TAU, LARGEST_WEIGHT, LARGEST_SLACK = 1e4, 1e3, 1e5


@dataclass(frozen=True)
class Parsimony:
    """The settings of Θ_τ: τ, C, w by degree, and the degree k."""

    tau: float = 0.1
    slack: float = 10.0
    weights: tuple[float, ...] = (1.0, 2.0, 4.0)
    degree: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.tau <= LARGEST_TAU:
            raise InputError(f"parsimony τ must lie between 0 and {LARGEST_TAU:g}, found {self.tau}")
        if self.degree < 1:
            raise InputError(f"the degree of a utility is at least 1, found {self.degree}")
        least, most = 1 / LARGEST_WEIGHT, LARGEST_WEIGHT
        if len(self.weights) < self.degree or not all(least <= w <= most for w in self.weights):
            raise InputError(
                f"{self.degree} positive weights w are needed, from {least:g} to {most:g}, found {self.weights}"
            )
        most = LARGEST_SLACK * min(1.0, *self.weights[: self.degree])
        if not self.weights[0] < self.slack <= most:
            raise InputError(
                f"the slack weight C must exceed w_1 = {self.weights[0]} and be at most {most:g} "
                f"({LARGEST_SLACK:g}, or so many times the smallest weight), found {self.slack}"
            )

    def weights_of(self, monomials: Monomials) -> Vector:
        """w_|S| of every monomial."""
        return np.array([self.weights[degree - 1] for degree in monomials.degrees])


@dataclass(frozen=True)
class StatementArrays:
    """Statements as arrays: C c_r, 1 for a strict one, whether it says equal, and the places of its subsets."""

    limits: Vector
    wanted: Vector
    equal: NDArray[np.bool_]
    better: NDArray[np.int64]
    worse: NDArray[np.int64]


class Costs:
    """What θ costs under the given statements, and what multipliers of them combine to.

    `subsets` are the evaluated ones, then the others that statements name, and `better` and `worse` are
    places among them; with `limits`, `wanted` and `equal` they are the `StatementArrays` of these.
    """

    def __init__(
        self,
        n: int,
        evaluated: Sequence[Mask],
        statements: Sequence[Statement],
        settings: Parsimony | None = None,
        *,
        support: Sequence[Mask] | None = None,
    ) -> None:
        self.n = n
        self.settings = settings or Parsimony()
        check_degree(self.settings.degree, n)
        self.evaluated = check_evaluated(evaluated, n)
        self.statements = tuple(statements)
        check_statements(self.statements, n)
        self._support = None if support is None else Monomials.support(n, support, self.settings.degree)
        named = {m for s in self.statements for m in (s.better, s.worse)}
        self.subsets = (*self.evaluated, *sorted(named - set(self.evaluated)))
        self.place = {mask: k for k, mask in enumerate(self.subsets)}
        arrays = self.arrays_of(self.statements)
        self.limits, self.wanted, self.equal = arrays.limits, arrays.wanted, arrays.equal
        if (self.limits <= self.settings.weights[0]).any():  # breaking it would cost less than any θ that keeps it
            weight = self.statements[int(self.limits.argmin())].weight
            raise InputError(
                f"a statement weighs {weight:g}, but times C = {self.settings.slack:g} that must exceed "
                f"w_1 = {self.settings.weights[0]:g}; give it, or C, more weight"
            )
        self.better, self.worse = arrays.better, arrays.worse

    def arrays_of(self, statements: Sequence[Statement]) -> StatementArrays:
        """Statements, all of subsets that have a place here, as arrays."""
        return StatementArrays(
            limits=np.array([self.settings.slack * s.weight for s in statements]),
            wanted=required_margins(statements),
            equal=equalities(statements),
            better=np.array([self.place[s.better] for s in statements], dtype=np.int64),
            worse=np.array([self.place[s.worse] for s in statements], dtype=np.int64),
        )

    @property
    def informative(self) -> bool:
        """Whether any statement is strict."""
        return bool(self.wanted.any())

    # -- what a θ costs -------------------------------------------------------------------------

    def slacks(self, theta: Utility) -> Vector:
        """s_r: by how much θ falls short of each statement."""
        values = theta.values(self.subsets)
        gained = values[self.better] - values[self.worse]
        short = np.maximum(0.0, self.wanted - gained)
        slacks: Vector = np.where(self.equal, np.abs(gained), short)
        return slacks

    def slack_used(self, theta: Utility) -> float:
        """Σ c_r s_r."""
        return float(self.limits @ self.slacks(theta)) / self.settings.slack

    def cost(self, theta: Utility) -> float:
        """J(θ) with the least slacks."""
        weights = self.settings.weights
        simple = sum(weights[term.bit_count() - 1] * abs(x) for term, x in theta.theta.items())
        return simple + self.settings.slack * self.slack_used(theta)

    # -- what multipliers prove -----------------------------------------------------------------

    def combined(self, multipliers: Vector) -> dict[Mask, float]:
        """Σ_r λ_r d_r as one coefficient for each subset."""
        total = np.zeros(len(self.subsets))
        np.add.at(total, self.better, multipliers)
        np.add.at(total, self.worse, -multipliers)
        return {x: float(c) for x, c in zip(self.subsets, total, strict=True) if c}

    # -- monomials on demand --------------------------------------------------------------------

    @property
    def support(self) -> tuple[Mask, ...] | None:
        """The monomials that were given, and alone may have a coefficient; None: all up to the degree."""
        return None if self._support is None else self._support.terms

    @cached_property
    def starting_monomials(self) -> Monomials:
        """All of them when they are few or given, else the single attributes."""
        if self._support is not None:
            return self._support
        degree = self.settings.degree
        count = sum(comb(self.n, k) for k in range(1, degree + 1))
        return Monomials.full(self.n, degree) if count <= LISTED_AT_ONCE else Monomials.support(self.n, ())

    @property
    def listable(self) -> bool:
        """Whether all monomials that may have a coefficient can be listed, as proofs do; programs need no list."""
        return self._support is not None or listable(self.n, self.settings.degree)

    @cached_property
    def monomials(self) -> Monomials:
        """Every monomial that may have a coefficient."""
        return self._support or Monomials.full(self.n, self.settings.degree)

    @cached_property
    def complete(self) -> bool:
        """Whether the starting monomials are all that may ever be used."""
        return self._support is not None or len(self.starting_monomials) > self.n or self.settings.degree == 1

    def violated(self, weights: Form, sigma: float, known: Monomials) -> list[Mask]:
        """Monomials not yet in a program whose |Σ_x c_x φ(x)_S| exceeds σ w_|S|, worst first."""
        if self.complete:
            return []
        masks = [m for m, c in weights.items() if abs(c) > tolerances.MULTIPLIER]
        v = indicator(masks, self.n).astype(np.float64)
        c = np.array([weights[m] for m in masks])
        w, degree = self.settings.weights, self.settings.degree
        places = _within_reach(v, c, sigma * w[1])
        worst = _worst_pairs(v[:, places], c, sigma * w[1], places)
        if degree >= 3:
            places = _within_reach(v, c, sigma * w[2])
            for k, i in enumerate(places):
                rest = places[k + 1 :]
                worst += _worst_pairs(v[:, rest], c * v[:, i], sigma * w[2], rest, 1 << i)
        worst.sort(key=lambda entry: (-entry[0], entry[1]))
        return list(islice((term for _, term in worst if term not in known.position), ENTER_AT_ONCE))


def _within_reach(v: Matrix, c: Vector, limit: float) -> list[int]:
    """The attributes in a monomial of which |Σ_x c_x φ(x)_S| may exceed a limit.

    It is at most Σ c_x over the x with the attribute where c_x > 0, or minus that where c_x < 0.
    """
    most = np.maximum(np.maximum(c, 0.0) @ v, np.maximum(-c, 0.0) @ v)
    within: list[int] = np.flatnonzero(most > limit).tolist()
    return within


def _worst_pairs(v: Matrix, c: Vector, limit: float, places: Sequence[int], base: Mask = 0) -> list[tuple[float, Mask]]:
    """The pairs that most exceed a limit, as (excess, monomial); `places` are the attributes of the columns of v."""
    worst: list[tuple[float, Mask]] = []
    for first, table in _pairs(v, c):
        over = np.abs(table) - limit
        rows, columns = np.nonzero(over > tolerances.PRICING)
        if len(rows) > ENTER_AT_ONCE:
            largest = np.argpartition(over[rows, columns], -ENTER_AT_ONCE)[-ENTER_AT_ONCE:]
            rows, columns = rows[largest], columns[largest]
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
            worst.append((float(over[i, j]), base | 1 << places[first + i] | 1 << places[first + j]))
    return worst


def _pairs(v: Matrix, c: Vector) -> Iterator[tuple[int, Matrix]]:
    """Vᵀ diag(c) V above the diagonal, some rows at a time: the first, and from its column on an upper triangle."""
    n = v.shape[1]
    rows = max(1, PAIRS_AT_ONCE // max(1, n))
    for first in range(0, n, rows):
        yield first, np.triu((v[:, first : first + rows] * c[:, None]).T @ v[:, first:], 1)
