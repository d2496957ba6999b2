"""Θ_τ, the parsimonious set: every θ that explains the statements almost as simply as the simplest.

J* is the least cost of a θ, S* the least slack, N = max(w_1, J* − C S*) the cost of the consistent part, and
Θ_τ = {θ : J ≤ B} with B = J* + τ N. Three programs are kept alive: for prices, for slacks and for forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from elicit.knowledge.statements import Statement, beaten
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.costs import Costs, Parsimony
from elicit.utility.forms import FormProgram
from elicit.utility.monomials import Matrix, Utility, Vector
from elicit.utility.prices import STATEMENTS_AT_LENGTH, LeastCost, PriceProgram, WarmStart
from elicit.utility.sets import Form, Optimum, Verdict, check_evaluated, check_form, lower_by_statements
from elicit.utility.solver import Simplex

__all__ = ["ParsimoniousSet", "Parsimony"]


class ParsimoniousSet(Costs):
    """Θ_τ for the given evaluated subsets and statements."""

    _previous: ParsimoniousSet | None

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
        super().__init__(n, evaluated, statements, settings, support=support)
        if previous is not None and "_prices" not in previous.__dict__:
            previous = previous._previous  # one that solved nothing would keep all states before it alive
        self._previous = previous

    # -- what the set is ------------------------------------------------------------------------

    @property
    def scope(self) -> str:
        """The set's name with its parameters."""
        return f"parsimonious set, tau = {self.settings.tau:g}, C = {self.settings.slack:g}"

    @property
    def frame(self) -> tuple[object, ...]:
        """What bounds rest on besides statements: they hold in every set in which this is the same."""
        return "parsimonious", self.n, self.settings, self.support

    @property
    def meaning(self) -> str:
        """Which utilities it holds, in plain words."""
        return "every utility that fits what was measured and answered almost as simply as the simplest does"

    @property
    def clear(self) -> float:
        """The margin of one clear answer: 1."""
        return 1.0

    @property
    def conflict(self) -> None:
        """Never: slack at the optimum is a normal state."""
        return

    @property
    def empty(self) -> bool:
        """Never: θ = 0 with enough slack satisfies everything."""
        return False

    @cached_property
    def simplest(self) -> LeastCost:
        """A θ of least cost; always from a program without a warm start, so it is reproducible."""
        return self._prices.base if self._warm_starts[0] is None else PriceProgram(self, None, Simplex.DUAL).base

    @property
    def inside(self) -> Utility:
        """A θ of least cost; which of several may depend on an earlier state."""
        return self._prices.base.theta

    @property
    def least_cost(self) -> float:
        """J*."""
        return self._prices.base.value

    @cached_property
    def least_slack(self) -> float:
        """S* = min Σ c_r s_r with θ free."""
        return 0.0 if self._simplest_keeps_all else max(0.0, self._slacks.base.value) / self.settings.slack

    @cached_property
    def _simplest_keeps_all(self) -> bool:
        """Whether the simplest θ satisfies every statement, so that S* = 0 without a program."""
        return self._simplest_slack <= tolerances.MULTIPLIER

    @cached_property
    def _simplest_slack(self) -> float:
        """Σ c_r s_r of a θ of least cost: S* or more."""
        return self.slack_used(self._prices.base.theta)

    @cached_property
    def _fresh_least_slack(self) -> LeastCost:
        """C S* with a θ and multipliers, from a program without a warm start, so it is reproducible."""
        return PriceProgram(self, None, Simplex.DUAL, free=True).base

    @property
    def least_strained(self) -> Utility:
        """A θ that strains the statements least."""
        return self._prices.base.theta if self._simplest_keeps_all else self._fresh_least_slack.theta

    @property
    def slack_multipliers(self) -> Vector:
        """Multipliers λ with Σ λ d = 0 that prove S*, when it is not 0."""
        return self._fresh_least_slack.multipliers / self.settings.slack

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
        return (float(self.limits @ self.wanted) - self.least_cost) / self.unit

    # -- what a θ costs -------------------------------------------------------------------------

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
        return self._verdict_at(self._cost_of(subset))

    def excluded(self, subset: Mask) -> Verdict | None:
        """The verdict that rejects a subset, None when it may be best.

        N is at least what the simplest θ costs besides slack, so most of what may be best needs no S*.
        """
        check_evaluated([subset], self.n)
        cost = self._cost_of(subset)
        least_unit = self.least_cost - self.settings.slack * self._simplest_slack
        if cost.value - self.least_cost <= self.settings.tau * least_unit:
            return None
        verdict = self._verdict_at(cost)
        return None if verdict.possible else verdict

    def _cost_of(self, subset: Mask) -> LeastCost:
        """J_v and what comes with it."""
        with self._dropped_if_broken_off("_prices"):
            return self._prices.of(subset)

    @contextmanager
    def _dropped_if_broken_off(self, program: str) -> Iterator[None]:
        """An interrupt in the block may leave half of a change in this program: then it is built anew when needed."""
        try:
            yield
        except BaseException:
            self.__dict__.pop(program, None)
            raise

    def _verdict_at(self, cost: LeastCost) -> Verdict:
        """The verdict on the subset whose J_v is `cost`."""
        price = max(0.0, (cost.value - self.least_cost) / self.unit)
        rivals = {x: float(m) for x, m in zip(self.evaluated, cost.rivals, strict=True) if m > tolerances.MULTIPLIER}
        return Verdict(
            possible=not self.informative or price <= self.settings.tau + tolerances.DECISION,
            price=price,
            witness=cost.theta,
            multipliers=tuple(cost.multipliers.tolist()),
            rivals=rivals,
        )

    def maximum(self, form: Form) -> Optimum:
        """The maximum of Σ c_x f(x) over Θ_τ."""
        check_form(form, self.n)
        with self._dropped_if_broken_off("_forms"):
            return self._forms.maximum(form)

    def upper_bounds(self, subsets: Sequence[Mask]) -> Matrix:
        """Bounds σB − Σ_strict λ on f(x) − f(v) that no program is needed for.

        With no multiplier σ is 1 / min_j w_j, for g = φ(x) − φ(v) has entries of at most 1. Where a statement puts v
        above x, g is −d_r: by λ_r = 1 nothing is left of it, σ is 1 / (C c_r), and 1 is taken off if it is strict.
        """
        bounds = np.full((len(subsets), len(subsets)), self.budget / min(self.settings.weights[: self.settings.degree]))
        np.fill_diagonal(bounds, 0.0)
        lower_by_statements(bounds, subsets, self.statements, (self.budget / self.limits - self.wanted).tolist())
        return bounds

    def candidates(self, subsets: Sequence[Mask]) -> list[Mask]:
        """Those that no strict statement which stands puts below another: Θ_τ could prefer one, but nobody said so."""
        below = beaten(self.statements, set(subsets))
        return [x for x in subsets if x not in below]

    def rivals(self, subsets: Sequence[Mask]) -> list[Mask]:
        """All of them: with slack, even a dominated subset may be the worst rival."""
        return list(subsets)

    # -- programs -------------------------------------------------------------------------------

    @cached_property
    def _warm_starts(self) -> tuple[WarmStart | None, WarmStart | None]:
        """The bases of the previous state's J* and S*, by name, when there are any."""
        previous, self._previous = self._previous, None  # not kept alive any longer than needed
        if previous is None:
            return None, None
        strained = previous._slacks.warm_start() if "_slacks" in previous.__dict__ else previous._warm_starts[1]
        return previous._prices.warm_start(), strained

    @cached_property
    def _prices(self) -> PriceProgram:
        warm_start = self._warm_starts[0]
        return PriceProgram(self, warm_start, Simplex.DUAL if warm_start is None else Simplex.PRIMAL)

    @cached_property
    def _slacks(self) -> PriceProgram:
        """C S*: from where it stood in the previous state, else from J*; of very many statements from nothing."""
        warm_start = self._warm_starts[1]
        if warm_start is None and len(self.statements) > STATEMENTS_AT_LENGTH:
            return PriceProgram(self, None, Simplex.DUAL, free=True)
        if warm_start is None:
            return PriceProgram(self, self._prices.warm_start(), Simplex.DUAL, free=True)
        return PriceProgram(self, warm_start, Simplex.PRIMAL, free=True)

    @cached_property
    def _forms(self) -> FormProgram:
        return FormProgram(self, self._prices, self.budget)
