"""J* and J_v in dual form: the program in which a candidate is one more column.

Rows are monomials, columns are multipliers; every price starts from the basis of J*. Where either are very many,
not all are in the program from the start. By column and row generation those that a solution violates enter, and it
is solved again: as columns statements that its θ strains, and rivals that it puts above the candidate; as rows
monomials whose bound it breaks. Where θ is free (w = 0), the optimum is C S* instead of J*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import proxy

import numpy as np

from elicit.knowledge.statements import Statement
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.costs import Costs
from elicit.utility.interior import near_optimum
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector
from elicit.utility.solver import INFINITY, BasisStatus, Program, Simplex, basis_statuses

#: Up to this many statements are all in the program from the start, and every rival of theirs; beyond, they
#: enter on demand.
STATEMENTS_AT_ONCE = 400

#: At most so many statements and rivals enter in one round.
STATEMENTS_ENTER, RIVALS_ENTER = 100, 10

#: With more statements than this a program that knows nothing earlier begins near the optimum, by an interior point.
STATEMENTS_AT_LENGTH = 1000

#: The number of the candidate's column.
_CANDIDATE = -1


@dataclass(frozen=True)
class LeastCost:
    """The solution of a least-cost program: J, a θ that reaches it, and the multipliers of statements and rivals."""

    value: float
    theta: Utility
    multipliers: Vector
    rivals: Vector


@dataclass(frozen=True)
class WarmStart:
    """The basis of an earlier price program at its J*, by statement and monomial; every μ is at its lower bound, 0.

    `link` is the status of the row M = Σ μ_x.
    """

    statements: Mapping[Statement, BasisStatus]
    monomials: Mapping[Mask, BasisStatus]
    link: BasisStatus


class PriceProgram:
    """max Σ_strict λ subject to |Σ λ_r d_r + M φ(v) − Σ μ_x φ(x)|_S ≤ w_|S|, M = Σ μ_x, 0 ≤ λ_r ≤ C c_r
    (|λ_r| ≤ C c_r for an equality).

    Row 0 is M = Σ μ_x, row k + 1 the k-th monomial; the duals of the rows are −θ. Multipliers are numbered: the λ of
    the statements, from `_first_dropped` on those of dropped ones, and from `_first_rival` on the μ of the evaluated.
    `_columns` are the numbers of those in the program. Every price starts from the basis of J*, where its candidate's
    column M is at zero. With `free` a θ costs nothing, w = 0. `warm_start` is of an earlier state; with another w it is
    still feasible for the dual simplex.

    Dropped is a statement of that state that is none any longer (another put between made it follow). It keeps its λ
    until all else is optimal, and only then is it held at 0: with it the old basis is feasible, without it hundreds of
    pivots are lost.
    """

    def __init__(self, costs: Costs, warm_start: WarmStart | None, method: Simplex, *, free: bool = False) -> None:
        self._costs: Costs = proxy(costs)  # whose own this is: in a circle neither would go before a collection
        self._free = free
        dropped = () if warm_start is None else _dropped_statements(costs, warm_start)
        known = (*costs.statements, *dropped)
        self._first_dropped, self._first_rival = len(costs.statements), len(known)
        self._arrays = costs.arrays_of(known)
        self.monomials = costs.starting_monomials
        if warm_start is None and len(known) > STATEMENTS_AT_LENGTH and costs.informative:
            warm_start = self._interior_start(costs)
        if warm_start is not None and not costs.complete:
            entered = [t for t in warm_start.monomials if t not in self.monomials.position]
            self.monomials = Monomials(costs.n, (*self.monomials.terms, *entered))
        self._phi = self.monomials.rows(costs.subsets)
        statuses = None if warm_start is None else [warm_start.statements.get(s, BasisStatus.LOWER) for s in known]
        self._columns = self._starting_columns(statuses)
        self._program = self._build()
        if warm_start is not None and statuses is not None:
            self._program.resume(
                [statuses[k] if k < len(statuses) else BasisStatus.LOWER for k in self._columns],
                [warm_start.link, *(warm_start.monomials.get(t, BasisStatus.BASIC) for t in self.monomials.terms)],
            )
        if dropped:
            self._program.optimum(method)
            self._hold_dropped_at_zero()
            method = Simplex.DUAL
        self.base, self._base_duals = self._solve(None, method)
        self._base_basis = self._program.basis()

    def _interior_start(self, costs: Costs) -> WarmStart:
        """A basis near the optimum of the program with the first monomials alone, found by an interior point method."""
        phi, weights = self.monomials.rows(costs.subsets), self._weights(self.monomials)
        statements, rows = near_optimum(phi, self._arrays, weights)
        return WarmStart(
            dict(zip(costs.statements, statements, strict=True)),
            dict(zip(self.monomials.terms, rows, strict=True)),
            BasisStatus.LOWER,
        )

    def _hold_dropped_at_zero(self) -> None:
        """Leave the λ of dropped statements no choice but 0."""
        for column, k in enumerate(self._columns):
            if self._first_dropped <= k < self._first_rival:
                self._program.change_bounds(column, 0.0, 0.0)

    def warm_start(self) -> WarmStart:
        """The basis of J*."""
        columns, rows = basis_statuses(self._base_basis)
        status = dict(zip(self._columns, columns, strict=True))
        return WarmStart(
            {s: status.get(r, BasisStatus.LOWER) for r, s in enumerate(self._costs.statements)},
            dict(zip(self.monomials.terms, rows[1:], strict=False)),
            rows[0],
        )

    # -- what the program holds -----------------------------------------------------------------

    def _starting_columns(self, statuses: Sequence[BasisStatus] | None) -> list[int]:
        """The numbers to start with: all of few; of many the statements that counted before, or else some.

        An equality's λ is not at its lower bound while it is out, so it is always in.
        """
        count = self._first_rival
        if count <= STATEMENTS_AT_ONCE:
            return list(range(count + len(self._costs.evaluated)))
        listed = self._arrays.equal.copy()
        counted = np.array([s is not BasisStatus.LOWER for s in statuses or ()], dtype=np.bool_)
        if counted.any():
            listed |= counted
        else:  # nothing stood before, or nothing of it counted
            listed[:: -(-count // STATEMENTS_AT_ONCE)] = True
        return [int(k) for k in np.flatnonzero(listed)]

    def _build(self) -> Program:
        arrays, w = self._arrays, self._weights(self.monomials)
        rivals = len(self._costs.evaluated)
        cost = np.concatenate([-arrays.wanted, np.zeros(rivals)])
        lower = np.concatenate([np.where(arrays.equal, -arrays.limits, 0.0), np.zeros(rivals)])
        upper = np.concatenate([arrays.limits, np.full(rivals, INFINITY)])
        return Program(
            self._entries(self._columns),
            cost=cost[self._columns],
            lower=lower[self._columns],
            upper=upper[self._columns],
            row_lower=np.concatenate([[0.0], -w]),
            row_upper=np.concatenate([[0.0], w]),
        )

    def _weights(self, monomials: Monomials) -> Vector:
        """The bound of each monomial's row: its weight, or 0 where θ is free."""
        return np.zeros(len(monomials)) if self._free else self._costs.settings.weights_of(monomials)

    def _entries(self, numbers: Sequence[int]) -> Matrix:
        """The columns of λ and μ in every row."""
        link = np.where(np.asarray(numbers, dtype=np.intp) < self._first_rival, 0.0, -1.0)
        return np.vstack([link, self._in_monomials(numbers, self._phi)])

    def _in_monomials(self, numbers: Sequence[int], phi: Matrix, candidate: Vector | None = None) -> Matrix:
        """The columns of these numbers in the rows of monomials: d_r for a λ, −φ(x) for a μ, φ(v) for the candidate.

        phi has shape (subsets, monomials), the candidate (monomials,).
        """
        arrays, first, number = self._arrays, self._first_rival, np.asarray(numbers, dtype=np.intp)
        rival, stated = number >= first, (number >= 0) & (number < first)
        entries = np.zeros((phi.shape[1], len(number)))
        entries[:, stated] = (phi[arrays.better[number[stated]]] - phi[arrays.worse[number[stated]]]).T
        entries[:, rival] = -phi[number[rival] - first].T
        if candidate is not None:
            entries[:, number == _CANDIDATE] = candidate[:, None]
        return entries

    # -- prices ---------------------------------------------------------------------------------

    def of(self, subset: Mask) -> LeastCost:
        """J_v: the least cost of a θ by which `subset` is at least as good as every evaluated one."""
        costs = self._costs
        if not costs.informative or all(x == subset for x in costs.evaluated):
            return self.base
        own = self._own_column(subset)
        if own is not None:
            self._program.change_bounds(own, 0.0, 0.0)
        self._program.return_to(self._base_basis)
        columns_before = len(self._columns)
        rows = [0] + [k + 1 for k, t in enumerate(self.monomials.terms) if t & subset == t]
        self._columns.append(_CANDIDATE)
        self._program.add_column(0.0, 0.0, INFINITY, rows, np.ones(len(rows)))
        rows_added = len(self.monomials) + 1 - len(self._base_duals)  # since J*, where their θ is 0
        self._add_columns(self._entering_columns(np.append(self._base_duals, np.zeros(rows_added)), subset))
        cost, _ = self._solve(subset, Simplex.PRIMAL)
        self._program.drop_columns(columns_before)  # a price is the same to the last digit whatever was asked before
        del self._columns[columns_before:]
        if own is not None:
            self._program.change_bounds(own, 0.0, INFINITY)
        return cost

    def _own_number(self, subset: Mask) -> int | None:
        """The number of a subset's own μ, when it is evaluated: it is no rival of itself."""
        at = self._costs.place.get(subset, len(self._costs.evaluated))
        return self._first_rival + at if at < len(self._costs.evaluated) else None

    def _own_column(self, subset: Mask) -> int | None:
        """Where the μ of a subset stands; None when the program does not hold it."""
        own = self._own_number(subset)
        return self._columns.index(own) if own in self._columns else None

    def _solve(self, candidate: Mask | None, method: Simplex) -> tuple[LeastCost, Vector]:
        """Solve, let in what is lacking, and solve again until nothing is; with it the duals of the rows."""
        costs = self._costs
        count = self._first_rival + len(costs.evaluated)
        if not costs.informative:
            nothing = np.zeros(count)
            least = LeastCost(0.0, Utility(costs.n, {}), nothing[: self._first_dropped], nothing[self._first_rival :])
            return least, np.zeros(1 + len(self.monomials))
        while True:
            solution = self._program.optimum(method)
            entering = self._entering_columns(solution.duals, candidate)
            if entering:
                self._add_columns(entering)
                method = Simplex.PRIMAL
                continue
            found = np.zeros(count + 1)
            found[self._columns] = solution.values  # the candidate's M is the last
            multipliers, rivals = found[: self._first_dropped], found[self._first_rival : count]
            terms = self._entering_monomials(multipliers, rivals, candidate, float(found[_CANDIDATE]))
            if not terms:
                theta = Utility.of(self.monomials, -solution.duals[1:])
                return LeastCost(-solution.value, theta, multipliers, rivals), solution.duals
            self._add_rows(terms, candidate)
            method = Simplex.DUAL

    # -- columns and rows on demand -------------------------------------------------------------

    def _entering_columns(self, duals: Vector, candidate: Mask | None) -> list[int]:
        """The numbers of multipliers that are not in the program and would raise its value.

        They are the λ of statements that θ strains, and the μ of rivals that it puts above the candidate.
        """
        if self._first_rival <= STATEMENTS_AT_ONCE:
            return []
        arrays, theta = self._arrays, -duals[1:]
        values = self._phi @ theta
        over = np.zeros(self._first_rival + len(self._costs.evaluated))
        over[: self._first_rival] = arrays.wanted - (values[arrays.better] - values[arrays.worse])
        over[self._first_dropped : self._first_rival] = 0.0
        if candidate is not None:
            rivals = values[: len(self._costs.evaluated)]
            over[self._first_rival :] = rivals - theta @ self.monomials.row(candidate)
            own = self._own_number(candidate)
            if own is not None:
                over[own] = 0.0
        over[[k for k in self._columns if k != _CANDIDATE]] = 0.0
        stated = _largest(over[: self._first_rival], STATEMENTS_ENTER)
        return stated + [self._first_rival + k for k in _largest(over[self._first_rival :], RIVALS_ENTER)]

    def _add_columns(self, numbers: Sequence[int]) -> None:
        """Append the columns of λ and μ, all at 0."""
        stated = [k for k in numbers if k < self._first_rival]
        rivals = len(numbers) - len(stated)
        if numbers:
            self._program.add_columns(
                self._entries(numbers),
                np.concatenate([-self._arrays.wanted[stated], np.zeros(rivals)]),
                np.zeros(len(numbers)),
                np.concatenate([self._arrays.limits[stated], np.full(rivals, INFINITY)]),
            )
            self._columns += numbers

    def _entering_monomials(
        self, multipliers: Vector, rivals: Vector, candidate: Mask | None, size: float
    ) -> list[Mask]:
        """The monomials that are not in the program and whose bound these λ, μ and M break."""
        costs = self._costs
        if costs.complete:
            return []
        weights = costs.combined(multipliers)
        for x, mu in zip(costs.evaluated, rivals.tolist(), strict=True):
            weights[x] = weights.get(x, 0.0) - mu
        if candidate is not None:
            weights[candidate] = weights.get(candidate, 0.0) + size
        return costs.violated(weights, 0.0 if self._free else 1.0, self.monomials)

    def _add_rows(self, terms: Sequence[Mask], candidate: Mask | None) -> None:
        """Append the rows of more monomials; the order of the rows is the order of entry."""
        more = Monomials(self._costs.n, terms)
        phi, w = more.rows(self._costs.subsets), self._weights(more)
        v = None if candidate is None else more.row(candidate)
        self._program.add_rows(self._in_monomials(self._columns, phi, v), -w, w)
        self.monomials = Monomials(self._costs.n, (*self.monomials.terms, *terms))
        self._phi = np.hstack([self._phi, phi])


def _largest(over: Vector, most: int) -> list[int]:
    """The indices of those that count, ascending; the largest ones where there are more than `most`."""
    indices = np.flatnonzero(over > tolerances.PRICING)
    if len(indices) > most:
        indices = np.sort(indices[np.argsort(-over[indices], kind="stable")[:most]])
    found: list[int] = indices.tolist()
    return found


def _dropped_statements(costs: Costs, warm_start: WarmStart) -> tuple[Statement, ...]:
    """The statements of an earlier state that are none any longer, and whose λ is not 0 there."""
    kept, place = set(costs.statements), costs.place
    return tuple(
        s
        for s, status in warm_start.statements.items()
        if status is not BasisStatus.LOWER and s not in kept and s.better in place and s.worse in place
    )
