"""J* and J_v in dual form: the program in which a candidate is one more column.

Rows are monomials, columns are multipliers; every price starts from the basis of J*. Of very many neither are all
listed: what a solution lacks enters (statements that its θ strains and rivals that it puts above the candidate as
columns, monomials whose bound it breaks as rows), and it is solved again. Where θ is free instead, J* is C S*.
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
from elicit.utility.solver import INFINITY, Program, Simplex, Standing, standings

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
    """The solution of a least-cost program: J, the θ and slacks that reach it, and its multipliers."""

    value: float
    theta: Utility
    multipliers: Vector
    rivals: Vector


@dataclass(frozen=True)
class Warmth:
    """Where the columns and rows of a price program stood: by statement and monomial; a μ is 0 at J*."""

    statements: Mapping[Statement, Standing]
    monomials: Mapping[Mask, Standing]
    link: Standing


class PriceProgram:
    """max Σ_strict λ subject to |Σ λ_r d_r + M φ(v) − Σ μ_x φ(x)|_S ≤ w_|S|, M = Σ μ_x, 0 ≤ λ_r ≤ C c_r.

    Row 0 is M = Σ μ_x, row k + 1 the k-th monomial; the duals of the rows are −θ. Multipliers are numbered, the λ
    before the μ, and `_columns` are the numbers of those in the program. Every price starts from the basis of J*,
    where its candidate's column M is at zero. With `free` a θ costs nothing, w = 0. `warmth` is of an earlier
    state; with another w it is still feasible for the dual simplex.

    A statement of that state that is none any longer (another put between made it follow) keeps its λ until
    all else is optimal, and only then is it held at 0: with it the old basis is feasible, without it hundreds
    of pivots are lost.
    """

    def __init__(self, costs: Costs, warmth: Warmth | None, method: Simplex, *, free: bool = False) -> None:
        self._costs: Costs = proxy(costs)  # whose own this is: in a circle neither would go before a collection
        self._free = free
        self._statements = len(costs.statements)
        leaving = () if warmth is None else _leaving(costs, warmth)
        known = (*costs.statements, *leaving)
        self._held, self._first_rival = costs.columns(known), len(known)
        self.monomials = costs.starting_monomials
        if warmth is None and len(known) > STATEMENTS_AT_LENGTH and costs.informative:
            warmth = self._near(costs)
        if warmth is not None and not costs.complete:
            entered = [t for t in warmth.monomials if t not in self.monomials.position]
            self.monomials = Monomials(costs.n, (*self.monomials.terms, *entered))
        self._phi = self.monomials.rows(costs.subsets)
        stood = None if warmth is None else [warmth.statements.get(s, Standing.LOWER) for s in known]
        self._columns = self._first_columns(stood)
        self._program = self._start()
        if warmth is not None and stood is not None:
            self._program.resume(
                [stood[k] if k < len(stood) else Standing.LOWER for k in self._columns],
                [warmth.link, *(warmth.monomials.get(t, Standing.BASIC) for t in self.monomials.terms)],
            )
        if leaving:
            self._program.optimum(method)
            for column, k in enumerate(self._columns):
                if self._statements <= k < self._first_rival:
                    self._program.change_bounds(column, 0.0, 0.0)
            method = Simplex.DUAL
        self.base, self._home_duals = self._solve(None, method)
        self._home = self._program.basis()

    def _near(self, costs: Costs) -> Warmth:
        """Where everything stands near the optimum, as far as the first monomials go."""
        terms = self.monomials.terms
        statements, rows = near_optimum(self.monomials.rows(costs.subsets), self._held, self._weights(terms))
        return Warmth(
            dict(zip(costs.statements, statements, strict=True)), dict(zip(terms, rows, strict=True)), Standing.LOWER
        )

    def warmth(self) -> Warmth:
        """Where everything stands at J*."""
        columns, rows = standings(self._home)
        standing = dict(zip(self._columns, columns, strict=True))
        return Warmth(
            {s: standing.get(r, Standing.LOWER) for r, s in enumerate(self._costs.statements)},
            dict(zip(self.monomials.terms, rows[1:], strict=False)),
            rows[0],
        )

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    # -- what the program holds -----------------------------------------------------------------

    def _first_columns(self, stood: Sequence[Standing] | None) -> list[int]:
        """The numbers to start with: all of few; of many the statements that counted before, or else some.

        An equality's λ is not at its lower bound while it is out, so it is always in.
        """
        count = self._first_rival
        if count <= STATEMENTS_AT_ONCE:
            return list(range(count + len(self._costs.evaluated)))
        listed = self._held.equal.copy()
        counted = np.array([s is not Standing.LOWER for s in stood or ()], dtype=np.bool_)
        if counted.any():
            listed |= counted
        else:  # nothing stood before, or nothing of it counted
            listed[:: -(-count // STATEMENTS_AT_ONCE)] = True
        return [int(k) for k in np.flatnonzero(listed)]

    def _start(self) -> Program:
        held, w = self._held, self._weights(self.monomials.terms)
        rivals = len(self._costs.evaluated)
        cost = np.concatenate([-held.wanted, np.zeros(rivals)])
        lower = np.concatenate([np.where(held.equal, -held.limits, 0.0), np.zeros(rivals)])
        upper = np.concatenate([held.limits, np.full(rivals, INFINITY)])
        return Program(
            self._entries(self._columns),
            cost=cost[self._columns],
            lower=lower[self._columns],
            upper=upper[self._columns],
            row_lower=np.concatenate([[0.0], -w]),
            row_upper=np.concatenate([[0.0], w]),
        )

    def _weights(self, terms: Sequence[Mask]) -> Vector:
        weights = np.array([self._costs.settings.weights[t.bit_count() - 1] for t in terms])
        return np.zeros(len(terms)) if self._free else weights

    def _entries(self, numbers: Sequence[int]) -> Matrix:
        """The columns of λ and μ in every row."""
        link = np.where(np.asarray(numbers, dtype=np.intp) < self._first_rival, 0.0, -1.0)
        return np.vstack([link, self._in_monomials(numbers, self._phi)])

    def _in_monomials(self, numbers: Sequence[int], phi: Matrix, candidate: Vector | None = None) -> Matrix:
        """The columns of these numbers in the rows of monomials: d_r for a λ, −φ(x) for a μ, φ(v) for the candidate.

        phi has shape (subsets, monomials), the candidate (monomials,).
        """
        held, first, number = self._held, self._first_rival, np.asarray(numbers, dtype=np.intp)
        rival, stated = number >= first, (number >= 0) & (number < first)
        entries = np.zeros((phi.shape[1], len(number)))
        entries[:, stated] = (phi[held.better[number[stated]]] - phi[held.worse[number[stated]]]).T
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
        self._program.return_to(self._home)
        held, rows = len(self._columns), [0] + [k + 1 for k, t in enumerate(self.monomials.terms) if t & subset == t]
        self._columns.append(_CANDIDATE)
        self._program.add_column(0.0, 0.0, INFINITY, rows, np.ones(len(rows)))
        admitted = len(self.monomials) + 1 - len(self._home_duals)  # since J*: no θ there
        self._enter(self._lacking(np.append(self._home_duals, np.zeros(admitted)), subset))
        cost, _ = self._solve(subset, Simplex.PRIMAL)
        self._program.drop_columns(held)  # a price is the same to the last digit whatever was asked before
        del self._columns[held:]
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
            least = LeastCost(0.0, Utility(costs.n, {}), nothing[: self._statements], nothing[self._first_rival :])
            return least, np.zeros(1 + len(self.monomials))
        while True:
            solution = self._program.optimum(method)
            lacking = self._lacking(solution.duals, candidate)
            if lacking:
                self._enter(lacking)
                method = Simplex.PRIMAL
                continue
            found = np.zeros(count + 1)
            found[self._columns] = solution.values  # the candidate's M is the last
            multipliers, rivals = found[: self._statements], found[self._first_rival : count]
            terms = self._violated(multipliers, rivals, candidate, float(found[_CANDIDATE]))
            if not terms:
                theta = Utility.of(self.monomials, -solution.duals[1:])
                return LeastCost(-solution.value, theta, multipliers, rivals), solution.duals
            self._admit(terms, candidate)
            method = Simplex.DUAL

    # -- columns and rows on demand -------------------------------------------------------------

    def _lacking(self, duals: Vector, candidate: Mask | None) -> list[int]:
        """Numbers that are not in the program and would raise its value.

        They are the λ of statements that θ strains, and the μ of rivals that it puts above the candidate.
        """
        if self._first_rival <= STATEMENTS_AT_ONCE:
            return []
        held, theta = self._held, -duals[1:]
        values = self._phi @ theta
        over = np.zeros(self._first_rival + len(self._costs.evaluated))
        over[: self._first_rival] = held.wanted - (values[held.better] - values[held.worse])
        over[self._statements : self._first_rival] = 0.0  # those that leave
        if candidate is not None:
            rivals = values[: len(self._costs.evaluated)]
            over[self._first_rival :] = rivals - theta @ self.monomials.row(candidate)
            own = self._own_number(candidate)
            if own is not None:
                over[own] = 0.0
        over[[k for k in self._columns if k != _CANDIDATE]] = 0.0
        stated = _largest(over[: self._first_rival], STATEMENTS_ENTER)
        return stated + [self._first_rival + k for k in _largest(over[self._first_rival :], RIVALS_ENTER)]

    def _enter(self, numbers: Sequence[int]) -> None:
        """Append the columns of λ and μ, all at 0."""
        stated = [k for k in numbers if k < self._first_rival]
        rivals = len(numbers) - len(stated)
        if numbers:
            self._program.add_columns(
                self._entries(numbers),
                np.concatenate([-self._held.wanted[stated], np.zeros(rivals)]),
                np.zeros(len(numbers)),
                np.concatenate([self._held.limits[stated], np.full(rivals, INFINITY)]),
            )
            self._columns += numbers

    def _violated(self, multipliers: Vector, rivals: Vector, candidate: Mask | None, size: float) -> list[Mask]:
        """Monomials that are not in the program and whose bound these λ, μ and M break."""
        costs = self._costs
        if costs.complete:
            return []
        weights = costs.combined(multipliers)
        for x, mu in zip(costs.evaluated, rivals.tolist(), strict=True):
            weights[x] = weights.get(x, 0.0) - mu
        if candidate is not None:
            weights[candidate] = weights.get(candidate, 0.0) + size
        return costs.violated(weights, 0.0 if self._free else 1.0, self.monomials)

    def _admit(self, terms: Sequence[Mask], candidate: Mask | None) -> None:
        """Append the rows of more monomials; the order of the rows is the order of entry."""
        more = Monomials(self._costs.n, terms)
        phi, w = more.rows(self._costs.subsets), self._weights(terms)
        v = None if candidate is None else more.row(candidate)
        self._program.add_rows(self._in_monomials(self._columns, phi, v), -w, w)
        self.monomials = Monomials(self._costs.n, (*self.monomials.terms, *terms))
        self._phi = np.hstack([self._phi, phi])


def _largest(over: Vector, most: int) -> list[int]:
    """Places of the largest that count, in their order."""
    at = np.flatnonzero(over > tolerances.PRICING)
    if len(at) > most:
        at = np.sort(at[np.argsort(-over[at], kind="stable")[:most]])
    return [int(k) for k in at]


def _leaving(costs: Costs, warmth: Warmth) -> tuple[Statement, ...]:
    """The statements of an earlier state that are none any longer, and whose λ is not 0 there."""
    kept, place = set(costs.statements), costs.place
    return tuple(
        s
        for s, standing in warmth.statements.items()
        if standing is not Standing.LOWER and s not in kept and s.better in place and s.worse in place
    )
