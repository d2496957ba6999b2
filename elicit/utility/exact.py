"""θ_R, the exact set: every θ that satisfies every statement, seen through its slice.

The set is a cone, so numbers come from its slice |θ_S| ≤ 1 in which each strict statement holds with
a margin of at least δ. What holds on the slice is said of the slice; `cone_multipliers` says when it
holds on the whole cone.

Programs are kept alive. A form starts with every coefficient at the bound its sign asks for, and
where it has no sign, at the sign that the θ of largest margin has there; the dual simplex then
repairs the statements. A large program starts from a guess of the active statements (`active_set.py`).
Upper bounds only tighten as statements are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np

from elicit.errors import InputError
from elicit.knowledge.statements import Statement, beaten, transitive_reduction
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.active_set import ActiveSetGuesser, worth_a_guess
from elicit.utility.conflicts import contradiction_in, farkas_multipliers, margin_program
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector
from elicit.utility.orders import ranking_first
from elicit.utility.sets import (
    Form,
    Inconsistent,
    Optimum,
    Verdict,
    check_evaluated,
    check_form,
    check_statements,
    equalities,
    lower_by_statements,
    required_margins,
    statement_rows,
)
from elicit.utility.solver import INFINITY, Program, Status

#: The message about statements whose margin floats cannot tell from none, though no contradiction is shown.
TOO_THIN = (
    f"the statements leave the exact set a margin below {tolerances.SMALLEST_MARGIN:g}, too thin to compute with "
    "(that they contradict each other is not shown)"
)

#: Rows φ(v) kept for the next form.
ROWS_KEPT = 512

#: A vector further than this from the span of the statements' rows is outside it, and no program need say so: a
#: program's own tolerance is far smaller.
OUTSIDE = 1e-5

#: The cached programs of an `ExactSet` that hold its margin δ.
_OF_SLICE = ("_form_program", "_verdict_program")


class ExactSet:
    """The slice of the exact set for the given evaluated subsets and statements."""

    def __init__(
        self,
        n: int,
        evaluated: Sequence[Mask],
        statements: Sequence[Statement],
        *,
        degree: int = 2,
        delta: float = tolerances.MARGIN,
        support: Iterable[Mask] | None = None,
    ) -> None:
        if not tolerances.SMALLEST_MARGIN <= delta < 1:
            raise InputError(f"the margin δ must lie between {tolerances.SMALLEST_MARGIN:g} and 1, found {delta:g}")
        self.n, self.delta, self._wanted_delta = n, delta, delta
        self.evaluated = check_evaluated(evaluated, n)
        self.statements = tuple(statements)
        check_statements(self.statements, n)
        self.monomials = Monomials.full(n, degree) if support is None else Monomials.support(n, support, degree)
        #: the monomials that were given, and alone may have a coefficient; None: all up to the degree
        self.support = None if support is None else self.monomials.terms
        self.degree = degree
        self.rows = list(transitive_reduction(self.statements))
        place = {id(s): r for r, s in enumerate(self.statements)}
        self._row_places = np.array([place[id(s)] for s in self.rows], dtype=np.int64)
        self._row = lru_cache(maxsize=ROWS_KEPT)(self.monomials.row)
        bounds = row_bounds(self.rows, 0.0)
        self._margins = margin_program(statement_rows(self.monomials, self.rows), self.rows, *bounds)
        self._fit_margin()

    # -- what the set is ------------------------------------------------------------------------

    @property
    def scope(self) -> str:
        """The set's name with its parameter."""
        return f"exact set, slice with margin {self.delta:g}"

    @property
    def frame(self) -> tuple[object, ...]:
        """What bounds rest on besides statements: they hold in every set in which this is the same."""
        return "exact", self.n, self.degree, self.support, self.delta

    @property
    def meaning(self) -> str:
        """Which utilities it holds, in plain words."""
        return "every utility that fits what was measured and answered outright"

    @property
    def budget(self) -> float:
        """No budget: the slice is bounded by |θ| ≤ 1."""
        return 0.0

    @property
    def clear(self) -> float:
        """The margin of one clear answer: δ."""
        return self.delta

    @property
    def informative(self) -> bool:
        """Whether any statement is strict, and the margin is not too thin to decide anything."""
        return any(s.strict for s in self.rows) and not self.thin

    @property
    def thin(self) -> bool:
        """Whether the margin is too small for floats to tell from none, and no contradiction can be shown either."""
        return not self.consistent and not self.empty

    @property
    def empty(self) -> bool:
        """Whether no θ satisfies all statements, as fractions show; which of them are in conflict takes longer."""
        return not self.consistent and self._refuted  # not solved again until something is stated

    @cached_property
    def _refuted(self) -> bool:
        return farkas_multipliers(self.monomials, self.rows) is not None

    @property
    def margin(self) -> float:
        """The largest margin that all strict statements can have at once; infinite without one."""
        return self._largest_margin[0] if any(s.strict for s in self.rows) else INFINITY

    @property
    def roomiest(self) -> Utility:
        """A θ of largest margin."""
        return Utility.of(self.monomials, self._largest_margin[1])

    @property
    def inside(self) -> Utility:
        """The roomiest."""
        return self.roomiest

    @property
    def consistent(self) -> bool:
        """Whether any θ satisfies all statements (with a margin that floats can tell from none)."""
        return self.margin >= tolerances.SMALLEST_MARGIN

    def _fit_margin(self) -> None:
        """Keep δ well below the largest margin: a consistent set never has an empty slice.

        δ is a function of the statements, whatever their order; rounded, so that no solver's noise is in it.
        """
        delta = self._wanted_delta
        if self.consistent and self.margin < 2 * delta:
            delta = max(tolerances.SMALLEST_MARGIN, float(f"{self.margin / 10:.3g}"))
        if delta != self.delta:
            self.delta = delta
            for name in _OF_SLICE:
                self.__dict__.pop(name, None)

    def _programs_of_slice(self) -> list[Program]:
        """Those of the programs with margin δ that were built so far."""
        return [self.__dict__[name] for name in _OF_SLICE if name in self.__dict__]

    @property
    def conflict(self) -> Inconsistent | None:
        """Few statements that cannot hold together (`contradiction_in`), when the cone is shown to be empty."""
        return Inconsistent(self._contradiction) if self.empty else None

    @cached_property
    def _contradiction(self) -> tuple[Statement, ...]:
        return contradiction_in(self.monomials, self.statements)

    def state(self, statement: Statement) -> None:
        """Add a statement; the programs alive take it as one more row."""
        check_statements([statement], self.n)
        self.statements = (*self.statements, statement)
        self.rows.append(statement)
        for name in ("_span", "_guesser", "_refuted", "_contradiction"):
            self.__dict__.pop(name, None)
        self._row_places = np.append(self._row_places, len(self.statements) - 1)
        d = statement_rows(self.monomials, [statement])
        row = np.hstack([d, [[-1.0 if statement.strict else 0.0]]])
        lower, upper = row_bounds([statement], 0.0)
        self._margins.add_rows(row, lower, upper)
        if "_largest_margin" in self.__dict__:
            margin, theta = self._largest_margin
            held = row @ np.append(theta, margin)
            if not lower - tolerances.NUDGE <= held <= upper + tolerances.NUDGE:
                del self._largest_margin  # otherwise a θ of largest margin remains one
        for program in self._programs_of_slice():
            wide = np.zeros((1, program.columns))
            wide[:, : len(self.monomials)] = d
            program.add_rows(wide, *row_bounds([statement], self.delta))
        self._fit_margin()

    @cached_property
    def _largest_margin(self) -> tuple[float, Vector]:
        solution = self._margins.optimum()
        return solution.values[-1], solution.values[:-1]

    # -- what the set decides -------------------------------------------------------------------

    def maximum(self, form: Form) -> Optimum:
        """The maximum of Σ c_x f(x) over the slice."""
        if self.empty:
            raise InputError("the exact set is empty: no maximum exists; look at its `conflict` first")
        if self.thin:
            raise InputError(f"{TOO_THIN}: no maximum is computed; look whether it is `informative` first")
        gain = self.gain(form)
        self._form_program.change_costs(-gain)
        self._crash(gain)
        solution = self._form_program.optimum()
        return Optimum(
            -solution.value,
            Utility.of(self.monomials, solution.values),
            self._by_statement(solution.duals),
        )

    def _crash(self, gain: Vector) -> None:
        """Set the starting basis for a form: the guessed active set or, without one, every row basic."""
        guess = None if self._guesser is None else self._guesser.of(gain)
        residual = gain if guess is None else guess.residual
        at_upper = np.where(np.abs(residual) > tolerances.NUDGE, residual > 0, self._largest_margin[1] > 0)
        if guess is None:
            self._form_program.crash(at_upper)
        else:
            self._form_program.crash(at_upper, guess.monomials, guess.statements)

    def gain(self, form: Form) -> Vector:
        """The form as a vector over the monomials."""
        check_form(form, self.n)
        gain: Vector = np.zeros(len(self.monomials))
        for mask, coefficient in form.items():
            gain += coefficient * self._row(mask)
        return gain

    def verdict(self, subset: Mask) -> Verdict:
        """Whether some θ of the slice makes `subset` at least as good as every evaluated one."""
        check_evaluated([subset], self.n)
        if self.empty:
            raise InputError("the exact set is empty: nothing is decided; look at its `conflict` first")
        if not self.informative:
            return Verdict(True, witness=None if self.thin else Utility(self.n, {}))  # θ = 0 gives nothing a margin
        witness = ranking_first(subset, self.evaluated, self.statements, self.monomials)
        if witness is not None and self.admits([witness])[0]:
            return Verdict(True, witness=witness)
        gain = np.concatenate([self.gain({subset: 1.0}), [-1.0]])
        self._verdict_program.change_costs(-gain)
        self._verdict_program.crash(np.where(gain != 0, gain > 0, np.append(self._largest_margin[1] > 0, False)))
        solution = self._verdict_program.optimum()
        tops = len(self._challengers)
        rivals = {
            x: float(m)
            for x, m in zip(self._challengers, solution.duals[:tops], strict=True)
            if m > tolerances.MULTIPLIER
        }
        return Verdict(
            possible=-solution.value >= -min(tolerances.DECISION, self.delta / 2),  # what is stated is never equal
            witness=Utility.of(self.monomials, solution.values[:-1]),
            multipliers=self._by_statement(solution.duals[tops:]),
            rivals=rivals,
        )

    def excluded(self, subset: Mask) -> Verdict | None:
        """The verdict that rejects a subset, None when it may be best."""
        verdict = self.verdict(subset)
        return None if verdict.possible else verdict

    @cached_property
    def _span(self) -> Matrix:
        """An orthonormal basis of the span of the statements' rows, one vector a column."""
        return row_space(statement_rows(self.monomials, self.rows))

    def cone_multipliers(self, form: Form) -> tuple[float, ...] | None:
        """λ with Σ c_x φ(x) = Σ λ_r d_r, λ_r ≥ 0 (any sign for an equality), of least sum; None if there are none."""
        count, gain = len(self.rows), self.gain(form)
        if count == 0:
            return None if gain.any() else ()
        if outside_span(gain, self._span):  # no program finds what no combination can be
            return None
        equal = equalities(self.rows)
        # an equality's multiplier is split, so that the sum counts its size
        d = statement_rows(self.monomials, self.rows)
        program = Program(
            np.vstack([d, -d[equal]]).T,
            cost=np.ones(count + int(equal.sum())),
            lower=np.zeros(count + int(equal.sum())),
            upper=np.full(count + int(equal.sum()), INFINITY),
            row_lower=gain,
            row_upper=gain,
        )
        solution = program.solve()
        if solution.status is not Status.OPTIMAL:
            return None
        multipliers = solution.values[:count]
        multipliers[equal] -= solution.values[count:]
        return self._by_statement(multipliers)

    def upper_bounds(self, subsets: Sequence[Mask]) -> Matrix:
        """‖φ(x) − φ(v)‖₁, and −δ or 0 where a statement already says so."""
        phi = self.monomials.rows(subsets)
        size = phi.sum(axis=1)
        bounds: Matrix = size[:, None] + size[None, :] - 2 * phi @ phi.T
        most = [-self.delta if s.strict else 0.0 for s in self.statements]
        lower_by_statements(bounds, subsets, self.statements, most)
        return bounds

    def candidates(self, subsets: Sequence[Mask]) -> list[Mask]:
        """Those that no strict statement which stands puts below another one listed."""
        below = beaten(self.rows, set(subsets))
        return [x for x in subsets if x not in below]

    def rivals(self, subsets: Sequence[Mask]) -> list[Mask]:
        """The same: whoever is below another is never the worst rival."""
        return self.candidates(subsets)

    def admits(self, theta: Sequence[Utility]) -> list[bool]:
        """Which of the utilities lie in the slice."""
        d = statement_rows(self.monomials, self.rows)
        lower, upper = row_bounds(self.rows, self.delta)
        slack = tolerances.MULTIPLIER
        found = []
        for t in theta:
            vector = np.array([t.theta.get(term, 0.0) for term in self.monomials.terms])
            held = d @ vector
            found.append(
                bool(np.abs(vector).max(initial=0.0) <= 1 + slack)
                and bool((held >= lower - slack).all())
                and bool((held <= upper + slack).all())
            )
        return found

    # -- programs -------------------------------------------------------------------------------

    @cached_property
    def _form_program(self) -> Program:
        """Columns θ, rows the statements."""
        p = len(self.monomials)
        lower, upper = row_bounds(self.rows, self.delta)
        return Program(
            statement_rows(self.monomials, self.rows),
            cost=np.zeros(p),
            lower=-np.ones(p),
            upper=np.ones(p),
            row_lower=lower,
            row_upper=upper,
            unit_rows=True,
        )

    @cached_property
    def _guesser(self) -> ActiveSetGuesser | None:
        """Guesses of active sets, where they are worth their time."""
        if not worth_a_guess(len(self.rows), len(self.monomials)):
            return None
        rows = statement_rows(self.monomials, self.rows)
        # none is 0: two subsets differ in some attribute, and every attribute has a monomial
        return ActiveSetGuesser(rows / np.linalg.norm(rows, axis=1, keepdims=True), self.rows)

    @cached_property
    def _challengers(self) -> tuple[Mask, ...]:
        """The evaluated that may be best.

        They are kept when a statement is added: the row of one that it puts below another follows from the other's row.
        """
        return tuple(self.candidates(self.evaluated))

    @cached_property
    def _verdict_program(self) -> Program:
        """max f(v) − g subject to g ≥ f(x) for every challenger x, and the statements.

        Columns θ and g, rows the challengers and then the statements; v is in the costs alone.
        """
        phi = self.monomials.rows(self._challengers)
        d = statement_rows(self.monomials, self.rows)
        lower, upper = row_bounds(self.rows, self.delta)
        p, tops = len(self.monomials), len(self._challengers)
        return Program(
            np.vstack([np.hstack([-phi, np.ones((tops, 1))]), np.hstack([d, np.zeros((len(d), 1))])]),
            cost=np.zeros(p + 1),
            lower=np.append(-np.ones(p), -float(p)),
            upper=np.append(np.ones(p), float(p)),
            row_lower=np.concatenate([np.zeros(tops), lower]),
            row_upper=np.concatenate([np.full(tops, INFINITY), upper]),
        )

    def _by_statement(self, duals: Vector) -> tuple[float, ...]:
        """Multipliers of `self.statements`, 0 for those that the reduction left out."""
        multipliers = np.zeros(len(self.statements))
        multipliers[self._row_places] = duals
        return tuple(multipliers.tolist())


def row_space(rows: Matrix) -> Matrix:
    """An orthonormal basis of the span of these rows, one vector a column."""
    basis, sizes, _ = np.linalg.svd(rows.T, full_matrices=False)
    found: Matrix = basis[:, sizes > 1e-9 * sizes.max(initial=0.0)]
    return found


def outside_span(vector: Vector, basis: Matrix) -> bool:
    """Whether a vector is further than `OUTSIDE` from the span of an orthonormal basis."""
    return bool(np.abs(vector - basis @ (basis.T @ vector)).max() > OUTSIDE)


def row_bounds(statements: Sequence[Statement], delta: float) -> tuple[Vector, Vector]:
    """δ ≤ d·θ (strict), 0 ≤ d·θ (weak), d·θ = 0 (equal)."""
    return delta * required_margins(statements), np.where(equalities(statements), 0.0, INFINITY)
