"""Θ_τ, the parsimonious set: every θ that explains the statements almost as simply as the simplest.

J(θ, s) = Σ w_|S| |θ_S| + C Σ c_r s_r is what a belief costs: its coefficients, and the slack of the
statements it strains. J* is the least cost, S* the least slack, N = max(w_1, J* − C S*) the cost of
the consistent part, and Θ_τ = {θ : J ≤ B} with B = J* + τ N.

Two programs are kept alive. Prices are solved in dual form (rows are monomials, columns are
multipliers), where a candidate is one more column; forms are maximised in primal form (rows are
statements and the budget). Monomials enter either one when they are needed: the violated ones are
the entries of Vᵀ diag(c) V above w_2, one matrix product. Values are exact whatever the degree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from elicit.errors import InputError
from elicit.knowledge.statements import Relation, Source, Statement, uncontradicted
from elicit.subsets import Mask, indicator
from elicit.utility import tolerances
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector, check_degree
from elicit.utility.sets import Form, Optimum, Verdict, check_evaluated, check_form
from elicit.utility.solver import INFINITY, Method, Program, Standing, standings

#: Up to this many monomials are all in the programs from the start; beyond, they enter on demand.
LISTED_AT_ONCE = 600

#: At most this many monomials enter in one round of column generation.
ENTER_AT_ONCE = 50


@dataclass(frozen=True)
class Parsimony:
    """The settings of Θ_τ: τ, C, w by degree, and the degree k."""

    tau: float = 0.1
    slack: float = 10.0
    weights: tuple[float, ...] = (1.0, 2.0, 4.0)
    degree: int = 2

    def __post_init__(self) -> None:
        if not 0 <= self.tau < float("inf"):
            raise InputError(f"parsimony τ must be at least 0 and finite, found {self.tau}")
        if len(self.weights) < self.degree or not all(0 < w < float("inf") for w in self.weights):
            raise InputError(f"{self.degree} positive weights w are needed, found {self.weights}")
        if not self.weights[0] < self.slack < float("inf"):
            raise InputError(
                f"the slack weight C must exceed w_1 = {self.weights[0]} and be finite, found {self.slack}"
            )


@dataclass(frozen=True)
class Cost:
    """The solution of a least-cost program: J, the θ and slacks that reach it, and its multipliers."""

    value: float
    theta: Utility
    multipliers: Vector
    rivals: Vector


class ParsimoniousSet:
    """Θ_τ for the given evaluated subsets and statements."""

    def __init__(
        self,
        n: int,
        evaluated: Sequence[Mask],
        statements: Sequence[Statement],
        settings: Parsimony | None = None,
        *,
        support: Sequence[Mask] | None = None,
        previous: ParsimoniousSet | None = None,
    ) -> None:
        """`previous`, an earlier state of knowledge, only speeds the first program up."""
        self.n = n
        self.settings = settings or Parsimony()
        check_degree(self.settings.degree, n)
        self.evaluated = check_evaluated(evaluated, n)
        self.statements = tuple(statements)
        check_statements(self.statements, n)
        self._support = None if support is None else Monomials.support(n, support)
        named = {m for s in self.statements for m in (s.better, s.worse)}
        self._subsets = (*self.evaluated, *sorted(named - set(self.evaluated)))
        self._place = {mask: k for k, mask in enumerate(self._subsets)}
        self.limits = np.array([self.settings.slack * s.weight for s in self.statements])
        self._wanted = np.array([1.0 if s.strict else 0.0 for s in self.statements])
        self._better = np.array([self._place[s.better] for s in self.statements], dtype=np.int64)
        self._worse = np.array([self._place[s.worse] for s in self.statements], dtype=np.int64)
        self._previous = previous

    # -- what the set is ------------------------------------------------------------------------

    @property
    def scope(self) -> str:
        """The set's name with its parameters."""
        return f"parsimonious set, tau = {self.settings.tau:g}, C = {self.settings.slack:g}"

    @property
    def conflict(self) -> None:
        """Never: slack at the optimum is a normal state."""
        return

    @property
    def informative(self) -> bool:
        """Whether any statement is strict."""
        return bool(self._wanted.any())

    @cached_property
    def simplest(self) -> Cost:
        """A θ of least cost; always from a program that knows nothing earlier, so it is reproducible."""
        return self._prices.base if self._warmth is None else _PriceProgram(self, None).base

    @property
    def least_cost(self) -> float:
        """J*."""
        return self._prices.base.value

    @cached_property
    def least_slack(self) -> float:
        """S* = min Σ c_r s_r with θ free."""
        return 0.0 if self._unstrained else self._strain[0]

    @cached_property
    def _unstrained(self) -> bool:
        """Whether the simplest θ satisfies every statement, so that S* = 0 without a program."""
        return self.slack_used(self._prices.base.theta) <= tolerances.MULTIPLIER

    @cached_property
    def _strain(self) -> tuple[float, Utility, Vector]:
        """S*, a θ that reaches it, and multipliers that prove it."""
        return self._forms.least_slack()

    @property
    def least_strained(self) -> Utility:
        """A θ that strains the statements least."""
        return self._prices.base.theta if self._unstrained else self._strain[1]

    @property
    def slack_multipliers(self) -> Vector:
        """Multipliers λ with Σ λ d = 0 that prove S*, when it is not 0."""
        return self._strain[2]

    @property
    def cost_multipliers(self) -> tuple[float, ...]:
        """Multipliers that prove J*."""
        return tuple(self._prices.base.multipliers.tolist())

    @property
    def unit(self) -> float:
        """N: what the consistent part of the statements costs, the unit of prices."""
        consistent = self.least_cost - self.settings.slack * self.least_slack
        return max(self.settings.weights[0], consistent)

    @property
    def budget(self) -> float:
        """B = J* + τ N."""
        return self.least_cost + self.settings.tau * self.unit

    @property
    def cap(self) -> float:
        """The largest price there can be: that of θ = 0, all slack. At or below τ nothing is rejected."""
        return (float(self.limits @ self._wanted) - self.least_cost) / self.unit

    # -- what a θ costs -------------------------------------------------------------------------

    def slacks(self, theta: Utility) -> Vector:
        """s_r: by how much θ falls short of each statement."""
        if not self.statements:
            return np.zeros(0)
        values = theta.values(self._subsets)
        gained = values[self._better] - values[self._worse]
        short = np.maximum(0.0, self._wanted - gained)
        equal = np.array([s.relation is Relation.EQUAL for s in self.statements])
        slacks: Vector = np.where(equal, np.abs(gained), short)
        return slacks

    def slack_used(self, theta: Utility) -> float:
        """Σ c_r s_r."""
        return float(self.limits @ self.slacks(theta)) / self.settings.slack

    def cost(self, theta: Utility) -> float:
        """J(θ) with the least slacks."""
        weights = self.settings.weights
        simple = sum(weights[term.bit_count() - 1] * abs(x) for term, x in theta.theta.items())
        return simple + self.settings.slack * self.slack_used(theta)

    def set_aside(self) -> tuple[tuple[Statement, float], ...]:
        """The statements that the simplest θ strains, with their slack."""
        slacks = self.slacks(self.simplest.theta)
        return tuple((s, float(x)) for s, x in zip(self.statements, slacks, strict=True) if x > tolerances.DECISION)

    def admits(self, theta: Sequence[Utility]) -> list[bool]:
        """Which of the utilities cost at most B."""
        return [self.cost(t) <= self.budget + tolerances.MULTIPLIER for t in theta]

    # -- what the set decides -------------------------------------------------------------------

    def price(self, subset: Mask) -> float:
        """(J_v − J*) / N: what one must pay, in simplicity, to believe that `subset` is best."""
        price = self.verdict(subset).price
        assert price is not None
        return price

    def verdict(self, subset: Mask) -> Verdict:
        """The price of a subset with its witness and multipliers, and whether it is at most τ."""
        check_evaluated([subset], self.n)
        cost = self._prices.of(subset)
        price = max(0.0, (cost.value - self.least_cost) / self.unit)
        rivals = {x: float(m) for x, m in zip(self.evaluated, cost.rivals, strict=True) if m > tolerances.MULTIPLIER}
        return Verdict(
            possible=not self.informative or price <= self.settings.tau + tolerances.DECISION,
            price=price,
            witness=cost.theta,
            multipliers=tuple(cost.multipliers.tolist()),
            rivals=rivals,
        )

    def lower_bound(self, subset: Mask, multipliers: Vector, rivals: Mapping[Mask, float]) -> float:
        """The bound that stored multipliers give on J_v, whatever has been learnt since.

        κ scales any λ, μ ≥ 0 into the feasible set of the dual: J_v ≥ Σ_strict λ / κ.
        """
        weights = self.combined(multipliers)
        for x, mu in rivals.items():
            weights[subset] = weights.get(subset, 0.0) + mu
            weights[x] = weights.get(x, 0.0) - mu
        kappa = max(self.largest_share(weights), float((np.abs(multipliers) / self.limits).max(initial=0.0)))
        return float(multipliers @ self._wanted) / kappa if kappa > 0 else 0.0

    def combined(self, multipliers: Vector) -> dict[Mask, float]:
        """Σ_r λ_r d_r as one coefficient for each subset."""
        total = np.zeros(len(self._subsets))
        np.add.at(total, self._better, multipliers)
        np.add.at(total, self._worse, -multipliers)
        return {x: float(c) for x, c in zip(self._subsets, total, strict=True) if c}

    def largest_share(self, weights: Form) -> float:
        """max_S |Σ_x c_x φ(x)_S| / w_|S| over every monomial of the degree."""
        masks = list(weights)
        shares = [
            np.abs(values).max(initial=0.0) / w
            for values, w in zip(
                self._by_degree(masks, np.array([weights[m] for m in masks])),
                self.settings.weights,
                strict=False,
            )
        ]
        return float(max(shares, default=0.0))

    def maximum(self, form: Form) -> Optimum:
        """The maximum of Σ c_x f(x) over Θ_τ."""
        check_form(form, self.n)
        return self._forms.maximum(form)

    def upper_bounds(self, subsets: Sequence[Mask]) -> Matrix:
        """Bounds on f(x) − f(v) that no program is needed for.

        With no multiplier at all it is B / w_1; where a statement puts v above x, its own multiplier
        (the largest that the recipe σ ≥ λ_r / (C c_r) allows for free) gives B / (C c_r) − 1.
        """
        bounds = np.full((len(subsets), len(subsets)), self.budget / min(self.settings.weights[: self.settings.degree]))
        np.fill_diagonal(bounds, 0.0)
        place = {mask: k for k, mask in enumerate(subsets)}
        for s, limit in zip(self.statements, self.limits.tolist(), strict=True):
            for above, below in s.edges:
                if above in place and below in place:
                    i, j = place[below], place[above]
                    bounds[i, j] = min(bounds[i, j], self.budget / limit - s.strict)
        return bounds

    def candidates(self, subsets: Sequence[Mask]) -> list[Mask]:
        """Those that no strict statement puts below another: Θ_τ could prefer one, but nobody said so.

        Answers that go in circles cancel out here; dominance never does.
        """
        listed = set(subsets)  # a prior may name subsets that are not
        standing = (*uncontradicted(self.statements), *(s for s in self.statements if s.source is Source.DOMINANCE))
        beaten = {s.worse for s in standing if s.strict and s.better in listed}
        return [x for x in subsets if x not in beaten]

    def rivals(self, subsets: Sequence[Mask]) -> list[Mask]:
        """All of them: with slack, even a dominated subset may be the worst rival."""
        return list(subsets)

    # -- monomials on demand --------------------------------------------------------------------

    @cached_property
    def starting_monomials(self) -> Monomials:
        """All of them when they are few or given, else the single attributes."""
        if self._support is not None:
            return self._support
        degree = self.settings.degree
        count = sum(comb(self.n, k) for k in range(1, degree + 1))
        return Monomials.full(self.n, degree) if count <= LISTED_AT_ONCE else Monomials.support(self.n, ())

    @cached_property
    def support(self) -> Monomials:
        """Every monomial that may have a coefficient."""
        return self._support or Monomials.full(self.n, self.settings.degree)

    @cached_property
    def complete(self) -> bool:
        """Whether the starting monomials are all that may ever be used."""
        return self._support is not None or len(self.starting_monomials) > self.n or self.settings.degree == 1

    def _by_degree(self, masks: Sequence[Mask], weights: Vector) -> list[Vector]:
        """Σ_x c_x φ(x)_S for all S, degree by degree (restricted to the support when there is one)."""
        if self._support is not None:
            values = weights @ self._support.rows(masks)
            return [values[self._support.degrees == k] for k in range(1, self.settings.degree + 1)]
        v = indicator(masks, self.n).astype(np.float64)
        found: list[Vector] = [weights @ v]
        if self.settings.degree >= 2:
            found.append(((v * weights[:, None]).T @ v)[np.triu_indices(self.n, 1)])
        if self.settings.degree >= 3:
            found.append(
                np.concatenate(
                    [
                        ((v * (weights * v[:, i])[:, None]).T @ v)[i + 1 :, i + 1 :][np.triu_indices(self.n - i - 1, 1)]
                        for i in range(self.n)
                    ]
                )
            )
        return found

    def violated(self, weights: Form, sigma: float, known: Monomials) -> list[Mask]:
        """Monomials not yet in a program whose |Σ_x c_x φ(x)_S| exceeds σ w_|S|, worst first."""
        if self.complete:
            return []
        masks = [m for m, c in weights.items() if abs(c) > tolerances.MULTIPLIER]
        v = indicator(masks, self.n).astype(np.float64)
        c = np.array([weights[m] for m in masks])
        worst: list[tuple[float, Mask]] = []
        w = self.settings.weights
        table = (v * c[:, None]).T @ v
        over = np.triu(np.abs(table) - sigma * w[1], 1)
        worst += _worst_pairs(over, 0)
        if self.settings.degree >= 3:
            for i in range(self.n - 2):
                table = (v * (c * v[:, i])[:, None]).T @ v
                over = np.triu(np.abs(table) - sigma * w[2], 1)
                over[: i + 1] = 0.0
                worst += _worst_pairs(over, 1 << i)
        worst.sort(key=lambda entry: (-entry[0], entry[1]))
        fresh = (term for _, term in worst if term not in known.position)
        return [term for term, _ in zip(fresh, range(ENTER_AT_ONCE), strict=False)]

    @cached_property
    def _warmth(self) -> _Warmth | None:
        """The basis of the previous state's J*, by name, when there is one."""
        previous, self._previous = self._previous, None  # not kept alive any longer than needed
        return None if previous is None else previous._prices.warmth()

    @cached_property
    def _prices(self) -> _PriceProgram:
        return _PriceProgram(self, self._warmth)

    @cached_property
    def _forms(self) -> _FormProgram:
        return _FormProgram(self)

    @property
    def programs(self) -> int:
        """How many programs were solved so far."""
        made = [self.__dict__[k].solved for k in ("_prices", "_forms") if k in self.__dict__]
        return sum(made)


def check_statements(statements: Sequence[Statement], n: int) -> None:
    """An error when a statement names attributes beyond the n there are."""
    for s in statements:
        if max(s.better, s.worse) >= 1 << n:
            raise InputError(f"a statement names attributes beyond the {n} there are: {s.better} against {s.worse}")


def _worst_pairs(over: Matrix, base: Mask) -> list[tuple[float, Mask]]:
    """The largest positive entries of an upper triangle, as (excess, monomial)."""
    rows, columns = np.nonzero(over > tolerances.PRICING)
    if len(rows) > ENTER_AT_ONCE:
        largest = np.argpartition(over[rows, columns], -ENTER_AT_ONCE)[-ENTER_AT_ONCE:]
        rows, columns = rows[largest], columns[largest]
    return [(float(over[i, j]), base | 1 << int(i) | 1 << int(j)) for i, j in zip(rows, columns, strict=True)]


@dataclass(frozen=True)
class _Warmth:
    """Where the columns and rows of a price program stood: by statement, subset and monomial."""

    statements: Mapping[Statement, Standing]
    rivals: Mapping[Mask, Standing]
    monomials: Mapping[Mask, Standing]
    link: Standing


class _PriceProgram:
    """max Σ_strict λ subject to |Σ λ_r d_r + M φ(v) − Σ μ_x φ(x)|_S ≤ w_|S|, M = Σ μ_x, 0 ≤ λ_r ≤ C c_r.

    Row 0 is M = Σ μ_x, row k + 1 the k-th monomial; columns are the λ, then the μ. The duals of the
    rows are −θ. Every price starts from the basis of J*, where its candidate's column M is at zero.
    """

    def __init__(self, owner: ParsimoniousSet, warmth: _Warmth | None) -> None:
        self._set = owner
        self._statements = len(owner.statements)
        self.monomials = owner.starting_monomials
        if warmth is not None and not owner.complete:
            entered = [t for t in warmth.monomials if t not in self.monomials.position]
            self.monomials = Monomials(owner.n, (*self.monomials.terms, *entered))
        self._program = self._start()
        if warmth is not None:
            self._program.resume(
                [warmth.statements.get(s, Standing.LOWER) for s in owner.statements]
                + [warmth.rivals.get(x, Standing.LOWER) for x in owner.evaluated],
                [warmth.link, *(warmth.monomials.get(t, Standing.BASIC) for t in self.monomials.terms)],
            )
        self.base = self._solve({}, Method.DUAL if warmth is None else Method.PRIMAL)
        self._home = self._program.basis()

    def warmth(self) -> _Warmth:
        """Where everything stands at J*."""
        owner = self._set
        columns, rows = standings(self._home)
        return _Warmth(
            dict(zip(owner.statements, columns, strict=False)),
            dict(zip(owner.evaluated, columns[self._statements :], strict=False)),
            dict(zip(self.monomials.terms, rows[1:], strict=False)),
            rows[0],
        )

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    def _start(self) -> Program:
        owner, count = self._set, len(self._set.evaluated)
        limits = owner.limits
        equal = [s.relation is Relation.EQUAL for s in owner.statements]
        w = self._weights(self.monomials.terms)
        link = np.concatenate([np.zeros(self._statements), -np.ones(count)])
        return Program(
            np.vstack([link, self._entries(self.monomials)]),
            cost=np.concatenate([-owner._wanted, np.zeros(count)]),
            lower=np.concatenate([np.where(equal, -limits, 0.0), np.zeros(count)]),
            upper=np.concatenate([limits, np.full(count, INFINITY)]),
            row_lower=np.concatenate([[0.0], -w]),
            row_upper=np.concatenate([[0.0], w]),
        )

    def _weights(self, terms: Sequence[Mask]) -> Vector:
        return np.array([self._set.settings.weights[t.bit_count() - 1] for t in terms])

    def _entries(self, monomials: Monomials) -> Matrix:
        """The rows of the monomials: d_r for the λ, −φ(x) for the μ."""
        owner = self._set
        phi = monomials.rows(owner._subsets).T
        entries: Matrix = np.hstack([phi[:, owner._better] - phi[:, owner._worse], -phi[:, : len(owner.evaluated)]])
        return entries

    def of(self, subset: Mask) -> Cost:
        """J_v: the least cost of a θ by which `subset` is at least as good as every evaluated one."""
        owner = self._set
        if not owner.informative or all(x == subset for x in owner.evaluated):
            return self.base
        own = owner._place.get(subset) if subset in owner.evaluated else None
        if own is not None:
            self._program.change_bounds(self._statements + own, 0.0, 0.0)
        self._program.return_to(self._home)
        rows = [0] + [k + 1 for k, t in enumerate(self.monomials.terms) if t & subset == t]
        column = self._program.add_column(0.0, 0.0, INFINITY, rows, np.ones(len(rows)))
        cost = self._solve({subset: column}, Method.PRIMAL)
        self._program.drop_column(column)
        if own is not None:
            self._program.change_bounds(self._statements + own, 0.0, INFINITY)
        return cost

    def _solve(self, candidate: Mapping[Mask, int], method: Method) -> Cost:
        """Solve, let violated monomials in, and solve again until none is violated."""
        owner = self._set
        if not owner.informative:
            zero = np.zeros(self._statements)
            return Cost(0.0, Utility(owner.n, {}), zero, np.zeros(len(owner.evaluated)))
        while True:
            solution = self._program.optimum(method)
            multipliers = solution.values[: self._statements]
            rivals = solution.values[self._statements : self._statements + len(owner.evaluated)]
            entering: list[Mask] = []
            if not owner.complete:
                weights = owner.combined(multipliers)
                for x, mu in zip(owner.evaluated, rivals.tolist(), strict=True):
                    weights[x] = weights.get(x, 0.0) - mu
                for v, column in candidate.items():
                    weights[v] = weights.get(v, 0.0) + float(solution.values[column])
                entering = owner.violated(weights, 1.0, self.monomials)
            if not entering:
                theta = Utility.of(self.monomials, -solution.duals[1:])
                return Cost(-solution.value, theta, multipliers, rivals)
            self._admit(entering, candidate)
            method = Method.DUAL

    def _admit(self, terms: Sequence[Mask], candidate: Mapping[Mask, int]) -> None:
        """Append the rows of more monomials; the order of the rows is the order of entry."""
        more = Monomials(self._set.n, terms)
        block = self._entries(more)
        if candidate:
            (subset,) = candidate
            block = np.hstack([block, more.rows([subset]).T])
        w = self._weights(terms)
        self._program.add_rows(block, -w, w)
        self.monomials = Monomials(self._set.n, (*self.monomials.terms, *terms))


class _FormProgram:
    """max Σ c_x f(x) subject to d_r·θ + s_r ≥ [strict], |d_r·θ| ≤ s_r (equal) and J(θ, s) ≤ B.

    Columns are the slacks, then θ⁺ and θ⁻ of each monomial in turn; rows are the statements, one
    more for each equality, and the budget last.
    """

    def __init__(self, owner: ParsimoniousSet) -> None:
        self._set = owner
        self._monomials = owner._prices.monomials  # they hold a θ of cost J*, so B can be met
        self._equal = np.flatnonzero([s.relation is Relation.EQUAL for s in owner.statements])
        self._budget_row = len(owner.statements) + len(self._equal)
        self._program = self._start()
        self._program.resume(*self._complement(owner._prices.warmth()))
        self._program.optimum(Method.DUAL)  # J* again, no pivots: a feasible start
        self._home = self._program.basis()
        self._within_budget = False

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    def _start(self) -> Program:
        owner, m, e = self._set, len(self._set.statements), len(self._equal)
        slack_block = np.vstack([np.eye(m), -np.eye(m)[self._equal], owner.limits.reshape(1, m)])
        columns, cost = self._entries(self._monomials)
        return Program(
            np.hstack([slack_block, columns]),
            cost=np.concatenate([owner.limits, cost]),
            lower=np.zeros(m + len(cost)),
            upper=np.full(m + len(cost), INFINITY),
            row_lower=np.concatenate([owner._wanted, np.full(e + 1, -INFINITY)]),
            row_upper=np.concatenate([np.full(m, INFINITY), np.zeros(e), [INFINITY]]),
        )

    def _complement(self, warmth: _Warmth) -> tuple[list[Standing], list[Standing]]:
        """The basis of J* in this form: what is basic there is at a bound here, and the other way round.

        A multiplier at 0 leaves its row loose, one at C c_r means slack, one in between a tight row;
        a monomial's row at a bound means that its θ is not 0.
        """
        slacks, rows, doubled = [], [], []
        for s in self._set.statements:
            at = warmth.statements[s]
            equal = s.relation is Relation.EQUAL
            strained = at is Standing.UPPER or (equal and at is Standing.LOWER)
            slacks.append(Standing.BASIC if strained else Standing.LOWER)
            if equal:
                rows.append(Standing.BASIC if at is Standing.LOWER else Standing.LOWER)
                doubled.append(Standing.UPPER if at is Standing.LOWER else Standing.BASIC)
            else:
                rows.append(Standing.BASIC if at is Standing.LOWER else Standing.LOWER)
        halves = []
        for term in self._monomials.terms:
            at = warmth.monomials.get(term, Standing.BASIC)  # one that entered after J* has no θ there
            # the row's upper bound w means θ⁻'s twin: the dual form's θ is minus the row's dual
            halves += [
                Standing.BASIC if at is Standing.UPPER else Standing.LOWER,
                Standing.BASIC if at is Standing.LOWER else Standing.LOWER,
            ]
        return slacks + halves, [*rows, *doubled, Standing.BASIC]

    def _entries(self, monomials: Monomials) -> tuple[Matrix, Vector]:
        """Columns θ⁺, θ⁻ of each monomial in turn, and their cost w."""
        owner = self._set
        phi = monomials.rows(owner._subsets)
        d = phi[owner._better] - phi[owner._worse] if len(owner.statements) else np.zeros((0, len(monomials)))
        w = np.array([owner.settings.weights[t.bit_count() - 1] for t in monomials.terms])
        signed = np.vstack([d, d[self._equal], np.zeros((1, len(w)))])
        block = np.repeat(signed, 2, axis=1)
        block[:, 1::2] *= -1
        block[-1] = np.repeat(w, 2)
        return block, np.repeat(w, 2)

    def maximum(self, form: Form) -> Optimum:
        """The maximum of a form over Θ_τ, monomials entering as they are needed."""
        owner = self._set
        if not self._within_budget:
            self._program.change_row(self._budget_row, -INFINITY, owner.budget)
            self._program.return_to(self._home)
            self._within_budget = True
        while True:
            gain = self._gain(form)
            self._program.change_costs(np.concatenate([np.zeros(len(owner.statements)), gain]))
            solution = self._program.optimum(Method.PRIMAL)
            multipliers, sigma = self._multipliers(solution.duals), -float(solution.duals[self._budget_row])
            entering: list[Mask] = []
            if not owner.complete:
                weights = owner.combined(multipliers)
                for x, c in form.items():
                    weights[x] = weights.get(x, 0.0) + c
                entering = owner.violated(weights, sigma, self._monomials)
            if not entering:
                theta = self._theta(solution.values)
                return Optimum(-solution.value, theta, tuple(multipliers.tolist()), sigma)
            self._admit(entering)

    def least_slack(self) -> tuple[float, Utility, Vector]:
        """S*: θ costs nothing, the slacks cost c_r."""
        owner = self._set
        weights = owner.limits / owner.settings.slack
        while True:
            costs = np.concatenate([weights, np.zeros(2 * len(self._monomials))])
            self._program.change_costs(costs)
            solution = self._program.optimum(Method.PRIMAL)
            multipliers = self._multipliers(solution.duals)
            entering = owner.violated(owner.combined(multipliers), 0.0, self._monomials)
            if not entering:
                return max(0.0, solution.value), self._theta(solution.values), multipliers
            self._admit(entering)

    def _gain(self, form: Form) -> Vector:
        """Costs of θ⁺ and θ⁻ for a form: −g_S and g_S."""
        masks = list(form)
        g = (
            np.array([form[m] for m in masks]) @ self._monomials.rows(masks)
            if masks
            else np.zeros(len(self._monomials))
        )
        return np.column_stack([-g, g]).ravel()

    def _multipliers(self, duals: Vector) -> Vector:
        """λ_r by statement: an equality's two rows add up."""
        m = len(self._set.statements)
        multipliers = duals[:m].copy()
        multipliers[self._equal] += duals[m : m + len(self._equal)]
        return multipliers

    def _theta(self, values: Vector) -> Utility:
        signed = values[len(self._set.statements) :]
        return Utility.of(self._monomials, signed[0::2] - signed[1::2])

    def _admit(self, terms: Sequence[Mask]) -> None:
        """Append the columns of more monomials."""
        block, cost = self._entries(Monomials(self._set.n, terms))
        zero, infinite = np.zeros(len(cost)), np.full(len(cost), INFINITY)
        self._program.add_columns(block, cost, zero, infinite)
        self._monomials = Monomials(self._set.n, (*self._monomials.terms, *terms))
