"""J* and J_v in dual form: the program in which a candidate is one more column.

Rows are monomials, columns are multipliers; every price starts from the basis of J*. Monomials that the
solution violates enter as rows, and it is solved again. Where θ is free instead, J* is C S*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from elicit.knowledge.statements import Statement
from elicit.subsets import Mask
from elicit.utility.costs import Costs
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector
from elicit.utility.solver import INFINITY, Program, Simplex, Standing, standings


@dataclass(frozen=True)
class LeastCost:
    """The solution of a least-cost program: J, the θ and slacks that reach it, and its multipliers."""

    value: float
    theta: Utility
    multipliers: Vector
    rivals: Vector


@dataclass(frozen=True)
class Warmth:
    """Where the columns and rows of a price program stood: by statement, subset and monomial."""

    statements: Mapping[Statement, Standing]
    rivals: Mapping[Mask, Standing]
    monomials: Mapping[Mask, Standing]
    link: Standing


class PriceProgram:
    """max Σ_strict λ subject to |Σ λ_r d_r + M φ(v) − Σ μ_x φ(x)|_S ≤ w_|S|, M = Σ μ_x, 0 ≤ λ_r ≤ C c_r.

    Row 0 is M = Σ μ_x, row k + 1 the k-th monomial; columns are the λ, then the μ. The duals of the
    rows are −θ. Every price starts from the basis of J*, where its candidate's column M is at zero.
    With `free` a θ costs nothing, w = 0. `warmth` is of an earlier state; with another w it is still feasible
    for the dual simplex.

    A statement of that state that is none any longer (another put between made it follow) keeps its λ until
    all else is optimal, and only then is it held at 0: with it the old basis is feasible, without it hundreds
    of pivots are lost.
    """

    def __init__(self, costs: Costs, warmth: Warmth | None, method: Simplex, *, free: bool = False) -> None:
        self._costs, self._free = costs, free
        self._statements = len(costs.statements)
        self._leaving = () if warmth is None else _leaving(costs, warmth)
        self._held = costs.columns((*costs.statements, *self._leaving))
        self._first_rival = self._statements + len(self._leaving)
        self.monomials = costs.starting_monomials
        if warmth is not None and not costs.complete:
            entered = [t for t in warmth.monomials if t not in self.monomials.position]
            self.monomials = Monomials(costs.n, (*self.monomials.terms, *entered))
        self._program = self._start()
        if warmth is not None:
            self._program.resume(
                [warmth.statements.get(s, Standing.LOWER) for s in (*costs.statements, *self._leaving)]
                + [warmth.rivals.get(x, Standing.LOWER) for x in costs.evaluated],
                [warmth.link, *(warmth.monomials.get(t, Standing.BASIC) for t in self.monomials.terms)],
            )
        if self._leaving:
            self._program.optimum(method)
            for column in range(self._statements, self._first_rival):
                self._program.change_bounds(column, 0.0, 0.0)
            method = Simplex.DUAL
        self.base = self._solve({}, method)
        self._home = self._program.basis()

    def warmth(self) -> Warmth:
        """Where everything stands at J*."""
        costs = self._costs
        columns, rows = standings(self._home)
        return Warmth(
            dict(zip(costs.statements, columns, strict=False)),
            dict(zip(costs.evaluated, columns[self._first_rival :], strict=False)),
            dict(zip(self.monomials.terms, rows[1:], strict=False)),
            rows[0],
        )

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    def _start(self) -> Program:
        held, count = self._held, len(self._costs.evaluated)
        w = self._weights(self.monomials.terms)
        link = np.concatenate([np.zeros(self._first_rival), -np.ones(count)])
        return Program(
            np.vstack([link, self._entries(self.monomials)]),
            cost=np.concatenate([-held.wanted, np.zeros(count)]),
            lower=np.concatenate([np.where(held.equal, -held.limits, 0.0), np.zeros(count)]),
            upper=np.concatenate([held.limits, np.full(count, INFINITY)]),
            row_lower=np.concatenate([[0.0], -w]),
            row_upper=np.concatenate([[0.0], w]),
        )

    def _weights(self, terms: Sequence[Mask]) -> Vector:
        weights = np.array([self._costs.settings.weights[t.bit_count() - 1] for t in terms])
        return np.zeros(len(terms)) if self._free else weights

    def _entries(self, monomials: Monomials) -> Matrix:
        """The rows of the monomials: d_r for the λ, −φ(x) for the μ."""
        costs, held = self._costs, self._held
        phi = monomials.rows(costs.subsets).T
        entries: Matrix = np.hstack([phi[:, held.better] - phi[:, held.worse], -phi[:, : len(costs.evaluated)]])
        return entries

    def of(self, subset: Mask) -> LeastCost:
        """J_v: the least cost of a θ by which `subset` is at least as good as every evaluated one."""
        costs = self._costs
        if not costs.informative or all(x == subset for x in costs.evaluated):
            return self.base
        own = costs.place.get(subset) if subset in costs.evaluated else None
        if own is not None:
            self._program.change_bounds(self._first_rival + own, 0.0, 0.0)
        self._program.return_to(self._home)
        rows = [0] + [k + 1 for k, t in enumerate(self.monomials.terms) if t & subset == t]
        column = self._program.add_column(0.0, 0.0, INFINITY, rows, np.ones(len(rows)))
        cost = self._solve({subset: column}, Simplex.PRIMAL)
        self._program.drop_column(column)
        if own is not None:
            self._program.change_bounds(self._first_rival + own, 0.0, INFINITY)
        return cost

    def _solve(self, candidate: Mapping[Mask, int], method: Simplex) -> LeastCost:
        """Solve, let violated monomials in, and solve again until none is violated."""
        costs = self._costs
        if not costs.informative:
            zero = np.zeros(self._statements)
            return LeastCost(0.0, Utility(costs.n, {}), zero, np.zeros(len(costs.evaluated)))
        while True:
            solution = self._program.optimum(method)
            multipliers = solution.values[: self._statements]
            rivals = solution.values[self._first_rival : self._first_rival + len(costs.evaluated)]
            entering: list[Mask] = []
            if not costs.complete:
                weights = costs.combined(multipliers)
                for x, mu in zip(costs.evaluated, rivals.tolist(), strict=True):
                    weights[x] = weights.get(x, 0.0) - mu
                for v, column in candidate.items():
                    weights[v] = weights.get(v, 0.0) + float(solution.values[column])
                entering = costs.violated(weights, 0.0 if self._free else 1.0, self.monomials)
            if not entering:
                theta = Utility.of(self.monomials, -solution.duals[1:])
                return LeastCost(-solution.value, theta, multipliers, rivals)
            self._admit(entering, candidate)
            method = Simplex.DUAL

    def _admit(self, terms: Sequence[Mask], candidate: Mapping[Mask, int]) -> None:
        """Append the rows of more monomials; the order of the rows is the order of entry."""
        more = Monomials(self._costs.n, terms)
        block = self._entries(more)
        if candidate:
            (subset,) = candidate
            block = np.hstack([block, more.rows([subset]).T])
        w = self._weights(terms)
        self._program.add_rows(block, -w, w)
        self.monomials = Monomials(self._costs.n, (*self.monomials.terms, *terms))


def _leaving(costs: Costs, warmth: Warmth) -> tuple[Statement, ...]:
    """The statements of an earlier state that are none any longer, and whose λ is not 0 there."""
    kept, place = set(costs.statements), costs.place
    return tuple(
        s
        for s, standing in warmth.statements.items()
        if standing is not Standing.LOWER and s not in kept and s.better in place and s.worse in place
    )
