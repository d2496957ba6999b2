"""Forms maximised over Θ_τ, in primal form: rows are the statements and the budget, columns slacks and θ.

The program starts from the basis of J*, complemented. Column generation: monomials that would raise the maximum
enter as columns, and it is solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import proxy

import numpy as np
from scipy.sparse import csr_matrix, hstack, identity, vstack

from elicit.knowledge.statements import Relation
from elicit.subsets import Mask
from elicit.utility.costs import Costs
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector
from elicit.utility.prices import PriceProgram, WarmStart
from elicit.utility.sets import Form, Optimum
from elicit.utility.solver import INFINITY, BasisStatus, Program, Simplex


class FormProgram:
    """max Σ c_x f(x) subject to d_r·θ + s_r ≥ [strict], |d_r·θ| ≤ s_r (equal) and J(θ, s) ≤ B.

    Columns are the slacks, then θ⁺ and θ⁻ of each monomial in turn; rows are the statements, one
    more for each equality, and the budget last.
    """

    def __init__(self, costs: Costs, prices: PriceProgram, budget: float) -> None:
        self._costs: Costs = proxy(costs)  # as in a price program
        self._monomials = prices.monomials  # they hold a θ of cost J*, so B can be met
        self._equal = np.flatnonzero(costs.equal)
        self._budget_row = len(costs.statements) + len(self._equal)
        self._program = self._build()
        self._program.resume(*self._complement(prices.warm_start()))
        self._program.optimum(Simplex.DUAL)  # J* again, no pivots: a feasible start
        self._program.change_row(self._budget_row, -INFINITY, budget)

    def _build(self) -> Program:
        costs, m, e = self._costs, len(self._costs.statements), len(self._equal)
        each = identity(m, format="csr")  # dense, thousands of statements would take gigabytes
        slack_block = vstack([each, -each[self._equal], csr_matrix(costs.limits.reshape(1, m))])
        columns, cost = self._entries(self._monomials)
        return Program(
            hstack([slack_block, csr_matrix(columns)], format="csr"),
            cost=np.concatenate([costs.limits, cost]),
            lower=np.zeros(m + len(cost)),
            upper=np.full(m + len(cost), INFINITY),
            row_lower=np.concatenate([costs.wanted, np.full(e + 1, -INFINITY)]),
            row_upper=np.concatenate([np.full(m, INFINITY), np.zeros(e), [INFINITY]]),
        )

    def _complement(self, start: WarmStart) -> tuple[list[BasisStatus], list[BasisStatus]]:
        """The basis of J* in this primal form: what is basic in the dual is at a bound here, and the other way round.

        A multiplier at 0 leaves its row loose, one at C c_r means slack, and one in between makes the row tight.
        The row of a monomial at a bound means that its θ is not 0.
        """
        slacks, rows, doubled = [], [], []
        for s in self._costs.statements:
            status = start.statements[s]
            equal = s.relation is Relation.EQUAL
            strained = status is BasisStatus.UPPER or (equal and status is BasisStatus.LOWER)
            slacks.append(BasisStatus.BASIC if strained else BasisStatus.LOWER)
            rows.append(BasisStatus.BASIC if status is BasisStatus.LOWER else BasisStatus.LOWER)
            if equal:
                doubled.append(BasisStatus.UPPER if status is BasisStatus.LOWER else BasisStatus.BASIC)
        halves = []
        for term in self._monomials.terms:
            status = start.monomials.get(term, BasisStatus.BASIC)  # one that entered after J* has no θ there
            # the dual form's θ is minus the row's dual: a row at its upper bound w makes θ⁻ basic, at its lower θ⁺
            halves += [
                BasisStatus.BASIC if status is BasisStatus.UPPER else BasisStatus.LOWER,
                BasisStatus.BASIC if status is BasisStatus.LOWER else BasisStatus.LOWER,
            ]
        return slacks + halves, [*rows, *doubled, BasisStatus.BASIC]

    def _entries(self, monomials: Monomials) -> tuple[Matrix, Vector]:
        """Columns θ⁺, θ⁻ of each monomial in turn, and their cost w."""
        costs = self._costs
        phi = monomials.rows(costs.subsets)
        d = phi[costs.better] - phi[costs.worse]
        w = costs.settings.weights_of(monomials)
        signed = np.vstack([d, d[self._equal], np.zeros((1, len(w)))])
        block = np.repeat(signed, 2, axis=1)
        block[:, 1::2] *= -1
        block[-1] = np.repeat(w, 2)
        return block, np.repeat(w, 2)

    def maximum(self, form: Form) -> Optimum:
        """The maximum of a form where J ≤ B, monomials entering as they are needed."""
        costs = self._costs
        while True:
            gain = self._gain(form)
            self._program.change_costs(np.concatenate([np.zeros(len(costs.statements)), gain]))
            solution = self._program.optimum(Simplex.PRIMAL)
            multipliers, sigma = self._multipliers(solution.duals), -float(solution.duals[self._budget_row])
            entering: list[Mask] = []
            if not costs.complete:
                weights = costs.combined(multipliers)
                for x, c in form.items():
                    weights[x] = weights.get(x, 0.0) + c
                entering = costs.violated(weights, sigma, self._monomials)
            if not entering:
                theta = self._theta(solution.values)
                return Optimum(-solution.value, theta, tuple(multipliers.tolist()), sigma)
            self._add_columns(entering)

    def _gain(self, form: Form) -> Vector:
        """Costs of θ⁺ and θ⁻ for a form: −g_S and g_S."""
        g = np.array(list(form.values())) @ self._monomials.rows(list(form))
        return np.column_stack([-g, g]).ravel()

    def _multipliers(self, duals: Vector) -> Vector:
        """λ_r by statement: an equality's two rows add up."""
        m = len(self._costs.statements)
        multipliers = duals[:m].copy()
        multipliers[self._equal] += duals[m : m + len(self._equal)]
        return multipliers

    def _theta(self, values: Vector) -> Utility:
        signed = values[len(self._costs.statements) :]
        return Utility.of(self._monomials, signed[0::2] - signed[1::2])

    def _add_columns(self, terms: Sequence[Mask]) -> None:
        """Append the columns of more monomials."""
        block, cost = self._entries(Monomials(self._costs.n, terms))
        zero, infinite = np.zeros(len(cost)), np.full(len(cost), INFINITY)
        self._program.add_columns(block, cost, zero, infinite)
        self._monomials = Monomials(self._costs.n, (*self._monomials.terms, *terms))
