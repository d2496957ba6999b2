"""The only file that talks to a solver.

`Program` is one linear program kept alive in HiGHS: costs, bounds, rows and columns change, the
basis stays, and every end is a `Status` by name. `best_rival` is the mixed-integer program over all
subsets, written in PuLP so that it reads like the mathematics, and driven through HiGHS.

A value is a function of the data; which optimal vertex comes with it may depend on what was solved
before. Whoever needs a reproducible θ must solve a fresh program.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import highspy
import numpy as np
import pulp
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from elicit.errors import SolverError
from elicit.subsets import Family, Mask, mask_of, members
from elicit.utility import tolerances
from elicit.utility.monomials import Matrix, Monomials, Vector

INFINITY = float("inf")


class Status(enum.Enum):
    """How a program ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    INTERRUPTED = "interrupted"  # by the caller's time limit or wish; a bound may be known


_STATUS = {
    highspy.HighsModelStatus.kOptimal: Status.OPTIMAL,
    highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
    highspy.HighsModelStatus.kUnbounded: Status.UNBOUNDED,
    highspy.HighsModelStatus.kTimeLimit: Status.INTERRUPTED,
    highspy.HighsModelStatus.kInterrupt: Status.INTERRUPTED,
    highspy.HighsModelStatus.kHighsInterrupt: Status.INTERRUPTED,  # type: ignore[attr-defined]  # not in its stubs
}


class Simplex(enum.IntEnum):
    """Which simplex, numbered as HiGHS does."""

    DUAL = 1
    PRIMAL = 4


class BasisStatus(enum.Enum):
    """Whether a column or row is basic, or at which bound it is, as HiGHS calls it."""

    BASIC = highspy.HighsBasisStatus.kBasic
    LOWER = highspy.HighsBasisStatus.kLower
    UPPER = highspy.HighsBasisStatus.kUpper


_FROM_HIGHS = {
    **{status.value: status for status in BasisStatus},
    highspy.HighsBasisStatus.kZero: BasisStatus.LOWER,
    highspy.HighsBasisStatus.kNonbasic: BasisStatus.LOWER,
}
#: The lower bound's status and the upper's, to be picked by 0 and 1.
_AT_A_BOUND = np.array([highspy.HighsBasisStatus.kLower, highspy.HighsBasisStatus.kUpper], dtype=object)

#: Indices of columns or rows.
Indices = NDArray[np.intp]
_NO_INDICES: Indices = np.zeros(0, dtype=np.intp)


@lru_cache(maxsize=16)
def _indices_below(count: int) -> NDArray[np.int32]:
    """0, 1, … as indices; shared, so not to be written to."""
    index: NDArray[np.int32] = np.arange(count, dtype=np.int32)
    index.flags.writeable = False
    return index


@dataclass
class Basis:
    """A basis kept to come back to; it grows with the program that it is of."""

    kept: Any
    columns: int
    rows: int


def basis_statuses(basis: Basis) -> tuple[list[BasisStatus], list[BasisStatus]]:
    """The statuses of the columns and of the rows in a kept basis."""
    return [_FROM_HIGHS[s] for s in basis.kept.col_status], [_FROM_HIGHS[s] for s in basis.kept.row_status]


@dataclass(frozen=True)
class Solution:
    """A solved program. `duals` are by row, `values` by column."""

    status: Status
    value: float
    values: Vector
    duals: Vector
    pivots: int


class _SilentHighs(highspy.Highs):
    """HiGHS without output; 1.16 prints its name as soon as callbacks are enabled, while it is constructed."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # neither is annotated

    def enableCallbacks(self) -> None:
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]


class Program:
    """minimise cost·z subject to row_lower ≤ A z ≤ row_upper and lower ≤ z ≤ upper, kept alive.

    With `unit_rows` every row is solved as a vector of length 1, so that the dual simplex, which takes up the
    row broken most, compares distances; bounds and duals are in the caller's units all the same.
    """

    def __init__(
        self,
        matrix: Matrix | csr_matrix,
        *,
        cost: Vector,
        lower: Vector,
        upper: Vector,
        row_lower: Vector,
        row_upper: Vector,
        unit_rows: bool = False,
    ) -> None:
        self._engine = _SilentHighs()
        for option, value in (
            ("presolve", "off"),
            ("threads", 1),
            ("simplex_scale_strategy", 0),  # the entries are 0 and ±1
        ):
            self._engine.setOptionValue(option, value)
        self._unit_rows, self._lengths = unit_rows, np.zeros(0)
        if unit_rows:
            # a row divided by its length must be met as exactly as before
            self._engine.setOptionValue("primal_feasibility_tolerance", tolerances.MULTIPLIER)
            matrix, row_lower, row_upper = self._shortened(matrix, row_lower, row_upper)
        rows, (height, width) = csr_matrix(matrix), matrix.shape
        # by arrays: the fields of a HighsLp are lists, and filling them takes longer than solving
        accepted = self._engine.passModel(
            width,
            height,
            rows.nnz,
            int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize),
            0.0,  # nothing is added to the value
            cost,
            lower,
            upper,
            row_lower,
            row_upper,
            rows.indptr,
            rows.indices,
            rows.data.astype(np.float64),
            np.zeros(width, dtype=np.int32),  # every column is continuous
        )
        self._require(accepted, "the model was not accepted")
        self._basis = highspy.HighsBasis()  # filled anew by `crash`
        self._basis.valid, self._basis.alien = True, False
        self._method: Simplex | None = None
        #: how many times it was solved, which limits a search
        self.solved = 0

    def _shortened(self, matrix: Matrix, lower: Vector, upper: Vector) -> tuple[Matrix, Vector, Vector]:
        """The rows divided by their lengths, which are remembered."""
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        lengths[lengths == 0] = 1.0
        self._lengths = np.append(self._lengths, lengths)
        return matrix / lengths[:, None], lower / lengths, upper / lengths

    @property
    def columns(self) -> int:
        """How many columns there are now."""
        return int(self._engine.getNumCol())

    @property
    def rows(self) -> int:
        """How many rows there are now."""
        return int(self._engine.getNumRow())

    def solve(self, method: Simplex = Simplex.DUAL) -> Solution:
        """Solve from the present basis; an end that no linear program of ours has is a SolverError."""
        if method is not self._method:
            self._method = method
            self._engine.setOptionValue("simplex_strategy", int(method))
        self._engine.run()
        self.solved += 1
        ended = self._engine.getModelStatus()
        if ended not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible):
            # a numerically unlucky basis: once more from scratch, with the solver's own care
            self._engine.clearSolver()
            self._engine.setOptionValue("presolve", "on")
            self._engine.run()
            self._engine.setOptionValue("presolve", "off")
            ended = self._engine.getModelStatus()
        if ended not in _STATUS:
            raise SolverError(f"a linear program ended as {self._engine.modelStatusToString(ended)!r}")
        found = self._engine.getSolution()
        duals = np.array(found.row_dual)
        return Solution(
            _STATUS[ended],
            self._engine.getObjectiveValue(),
            np.array(found.col_value),
            duals / self._lengths if self._unit_rows and len(duals) else duals,
            int(self._engine.getInfoValue("simplex_iteration_count")[1]),
        )

    def optimum(self, method: Simplex = Simplex.DUAL) -> Solution:
        """`solve` where the program always has an optimum: anything else is a SolverError."""
        solution = self.solve(method)
        if solution.status is not Status.OPTIMAL:
            raise SolverError(f"a program that must have an optimum ended as {solution.status.value!r}")
        return solution

    def change_costs(self, costs: Vector) -> None:
        """New costs for the first len(costs) columns."""
        index = _indices_below(len(costs))
        self._require(self._engine.changeColsCost(len(costs), index, costs), "the costs were not accepted")

    def change_bounds(self, column: int, lower: float, upper: float) -> None:
        """New bounds for one column."""
        self._require(self._engine.changeColBounds(column, lower, upper), "the bounds were not accepted")

    def change_row(self, row: int, lower: float, upper: float) -> None:
        """New bounds for one row."""
        if self._unit_rows:
            lower, upper = lower / self._lengths[row], upper / self._lengths[row]
        self._require(self._engine.changeRowBounds(row, lower, upper), "the row was not accepted")

    def change_rows(self, lower: Vector, upper: Vector) -> None:
        """New bounds for the first len(lower) rows."""
        if self._unit_rows:
            lower, upper = lower / self._lengths[: len(lower)], upper / self._lengths[: len(upper)]
        change = self._engine.changeRowsBounds  # type: ignore[attr-defined]  # not in its stubs
        self._require(change(len(lower), _indices_below(len(lower)), lower, upper), "the rows were not accepted")

    def add_rows(self, matrix: Matrix, lower: Vector, upper: Vector) -> None:
        """Append rows; they join the basis, so that the others keep their status."""
        if self._unit_rows:
            matrix, lower, upper = self._shortened(matrix, lower, upper)
        accepted = self._engine.addRows(len(lower), lower, upper, *_row_by_row(matrix))
        self._require(accepted, "the rows were not accepted")

    def add_column(self, cost: float, lower: float, upper: float, rows: Sequence[int], entries: Vector) -> None:
        """Append one column."""
        index = np.asarray(rows, dtype=np.int32)
        self._require(
            self._engine.addCol(cost, lower, upper, len(index), index, np.asarray(entries, dtype=np.float64)),
            "the column was not accepted",
        )

    def add_columns(self, matrix: Matrix, cost: Vector, lower: Vector, upper: Vector) -> None:
        """Append columns given as a dense (rows, count) matrix."""
        accepted = self._engine.addCols(len(cost), cost, lower, upper, *_row_by_row(matrix.T))
        self._require(accepted, "the columns were not accepted")

    def drop_columns(self, first: int) -> None:
        """Remove the columns from this one on."""
        index = np.arange(first, self.columns, dtype=np.int32)
        self._require(self._engine.deleteCols(len(index), index), "the columns were not removed")

    def basis(self) -> Basis:
        """The present basis, to come back to."""
        return Basis(self._engine.getBasis(), self.columns, self.rows)

    def return_to(self, basis: Basis) -> None:
        """Start the next solve from a basis kept earlier; rows and columns added since then join it."""
        status, kept = highspy.HighsBasisStatus, basis.kept
        if basis.rows < self.rows:
            kept.row_status = [*kept.row_status, *[status.kBasic] * (self.rows - basis.rows)]
            basis.rows = self.rows
        if basis.columns < self.columns:
            kept.col_status = [*kept.col_status, *[status.kLower] * (self.columns - basis.columns)]
            basis.columns = self.columns
        self._require(self._engine.setBasis(kept), "the basis was not accepted")

    def crash(self, at_upper: NDArray[np.bool_], columns: Indices = _NO_INDICES, rows: Indices = _NO_INDICES) -> None:
        """Start the next solve with every row basic and every column at its lower or upper bound.

        The exceptions, as many of either: `columns` are basic, and `rows` are at their lower bound.
        """
        status = _AT_A_BOUND[at_upper.view(np.int8)]
        status[columns] = highspy.HighsBasisStatus.kBasic
        self._basis.col_status = status.tolist()
        held = [highspy.HighsBasisStatus.kBasic] * self.rows
        for row in rows.tolist():
            held[row] = highspy.HighsBasisStatus.kLower
        self._basis.row_status = held
        self._require(self._engine.setBasis(self._basis), "the crash basis was not accepted")

    def resume(self, columns: Sequence[BasisStatus], rows: Sequence[BasisStatus]) -> None:
        """Start the next solve from the given statuses; too few or too many basic ones are evened out."""
        columns, rows = list(columns), list(rows)
        surplus = columns.count(BasisStatus.BASIC) + rows.count(BasisStatus.BASIC) - self.rows
        loose = [k for k, status in enumerate(rows) if status is not BasisStatus.BASIC]
        for k in loose[: max(0, -surplus)]:
            rows[k] = BasisStatus.BASIC
        held = [k for k, status in enumerate(columns) if status is BasisStatus.BASIC]
        for k in held[len(held) - max(0, surplus) :]:
            columns[k] = BasisStatus.LOWER
        basis = highspy.HighsBasis()
        basis.col_status = [s.value for s in columns]
        basis.row_status = [s.value for s in rows]
        basis.valid, basis.alien = True, False
        self._require(self._engine.setBasis(basis), "the basis was not accepted")

    @staticmethod
    def _require(status: object, complaint: str) -> None:
        if status == highspy.HighsStatus.kError:
            raise SolverError(complaint)


def _row_by_row(matrix: Matrix) -> tuple[int, NDArray[np.int32], NDArray[np.int32], Vector]:
    """A matrix as HiGHS takes it: how many entries are not 0, where each row begins, their columns, and the entries."""
    rows = csr_matrix(matrix)
    return rows.nnz, rows.indptr[:-1].astype(np.int32), rows.indices.astype(np.int32), rows.data.astype(np.float64)


#: Told the best value found and the best bound so far; returning True stops the search.
Watch = Callable[[float, float], bool | None]


@dataclass(frozen=True)
class Box:
    """The slice: |θ_S| ≤ 1 and a margin δ for every strict statement."""

    delta: float


@dataclass(frozen=True)
class Budget:
    """The parsimonious set: Σ w_S |θ_S| + Σ limit_r s_r ≤ B; `limits` are the C c_r."""

    weights: Vector
    limits: Vector
    total: float


@dataclass(frozen=True)
class Rival:
    """The best rival found of a subset, the θ that favours it, and a bound on what any rival can gain."""

    gain: float
    bound: float
    subset: Mask
    theta: Vector


def best_rival(
    subset: Mask,
    monomials: Monomials,
    statements: Sequence[tuple[Mask, Mask, str]],
    family: Family,
    within: Box | Budget,
    *,
    progress: Watch | None = None,
    time_limit: float | None = None,
) -> Rival:
    """max f_θ(y) − f_θ(x) over θ in the set and y in the family, x = `subset`.

    The product θ_S · [S ⊆ y] becomes a variable u_S that four inequalities tie to θ_S when every
    attribute of S is in y and to 0 otherwise (McCormick, exact because y is binary). A statement is
    (better, worse, relation). The search stops at the time limit or the caller's wish with the best
    rival and bound it has.
    """
    most = np.ones(len(monomials)) if isinstance(within, Box) else within.total / within.weights
    problem = pulp.LpProblem("best_rival", pulp.LpMaximize)
    with _quiet_pulp():
        y = {i: pulp.LpVariable(f"y_{i}", cat=pulp.LpBinary) for i in range(family.n)}
        theta = [pulp.LpVariable(f"theta_{k}", -b, b) for k, b in enumerate(most.tolist())]
        u = [pulp.LpVariable(f"u_{k}", -b, b) for k, b in enumerate(most.tolist())]
        f_of_x = pulp.lpSum(t for t, term in zip(theta, monomials.terms, strict=True) if term & subset == term)
        problem += pulp.lpSum(u) - f_of_x
        for t, v, b, term in zip(theta, u, most.tolist(), monomials.terms, strict=True):
            missing = pulp.lpSum(1 - y[i] for i in members(term))
            for i in members(term):
                problem += v <= b * y[i]
                problem += v >= -b * y[i]
            problem += v <= t + 2 * b * missing
            problem += v >= t - 2 * b * missing
        _add_family(problem, y, family)
        _add_statements(problem, theta, monomials, statements, within)
        solver = _HiGHS(threads=1, timeLimit=time_limit, gapAbs=1e-7, gapRel=0.0)
        solver.createAndConfigureSolver(problem)
        solver.buildSolverModel(problem)
    return _run(problem, y, theta, subset, progress)


def _add_family(problem: pulp.LpProblem, y: dict[int, pulp.LpVariable], family: Family) -> None:
    problem += pulp.lpSum(y.values()) >= 1, "not_empty"
    if family.max_size is not None:
        problem += pulp.lpSum(y.values()) <= family.max_size, "max_size"
    for i in members(family.keep):
        problem += y[i] == 1, f"keep_{i}"
    for i in members(family.drop):
        problem += y[i] == 0, f"drop_{i}"


def _add_statements(
    problem: pulp.LpProblem,
    theta: list[pulp.LpVariable],
    monomials: Monomials,
    statements: Sequence[tuple[Mask, Mask, str]],
    within: Box | Budget,
) -> None:
    """d_r·θ ≥ δ in the slice; d_r·θ ≥ 1 − s_r with everything paid from the budget in Θ_τ."""
    margin = within.delta if isinstance(within, Box) else 1.0
    slacks = []
    for r, (better, worse, relation) in enumerate(statements):
        gained = pulp.lpSum(
            ((term & better == term) - (term & worse == term)) * t
            for t, term in zip(theta, monomials.terms, strict=True)
            if (term & better == term) != (term & worse == term)
        )
        s: pulp.LpVariable | int = 0
        if isinstance(within, Budget):
            s = pulp.LpVariable(f"s_{r}", 0)
            slacks.append(float(within.limits[r]) * s)
        problem += gained + s >= (margin if relation == "strict" else 0.0), f"statement_{r}"
        if relation == "equal":
            problem += gained - s <= 0.0, f"equality_{r}"
    if isinstance(within, Budget):
        sizes = [pulp.LpVariable(f"size_{k}", 0) for k in range(len(theta))]
        for t, size in zip(theta, sizes, strict=True):
            problem += size >= t
            problem += size >= -t
        paid = pulp.lpSum(float(w) * size for w, size in zip(within.weights, sizes, strict=True))
        problem += paid + pulp.lpSum(slacks) <= within.total, "budget"


def _run(
    problem: pulp.LpProblem,
    y: dict[int, pulp.LpVariable],
    theta: list[pulp.LpVariable],
    subset: Mask,
    progress: Watch | None,
) -> Rival:
    """Run the model that PuLP built, with its bound at every stop. HiGHS minimises the negated gain."""
    engine = problem.solverModel
    if progress is not None:

        def on_event(kind: Any, _text: str, out: Any, inward: Any, _data: Any) -> None:
            asked = kind == highspy.cb.HighsCallbackType.kCallbackMipInterrupt
            if asked and progress(-out.mip_primal_bound, -out.mip_dual_bound):
                inward.user_interrupt = True

        engine.setCallback(on_event, None)
        engine.startCallback(highspy.cb.HighsCallbackType.kCallbackMipInterrupt)
    engine.run()
    ended = engine.getModelStatus()
    if _STATUS.get(ended) not in (Status.OPTIMAL, Status.INTERRUPTED):
        raise SolverError(f"the program over all subsets ended as {engine.modelStatusToString(ended)!r}")
    info, values = engine.getInfo(), list(engine.getSolution().col_value)
    bound = -float(info.mip_dual_bound)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Rival(0.0, bound, subset, np.zeros(len(theta)))
    chosen = mask_of(i for i, variable in y.items() if values[variable.index] > 0.5)
    return Rival(-float(info.objective_function_value), bound, chosen, np.array([values[t.index] for t in theta]))


def cheapest_hitting_set(sets: Sequence[set[int]], weights: Vector) -> set[int]:
    """The choice of least total weight that meets every one of the sets: a covering program.

    Weights count in units of the smallest: HiGHS takes costs closer than 1e-6 for equal.
    """
    items = sorted(set().union(*sets)) if sets else []
    if not items:
        return set()
    unit = float(weights[items].min())
    problem, take = pulp.LpProblem("hitting_set", pulp.LpMinimize), {}
    with _quiet_pulp():
        for r in items:
            take[r] = pulp.LpVariable(f"take_{r}", cat=pulp.LpBinary)
        problem += pulp.lpSum(float(weights[r]) / unit * take[r] for r in items)
        for k, members_of_set in enumerate(sets):
            problem += pulp.lpSum(take[r] for r in members_of_set) >= 1, f"hit_{k}"
        problem.solve(_HiGHS(threads=1, gapRel=0.0, gapAbs=0.0))
    if problem.status != pulp.LpStatusOptimal:
        raise SolverError(f"a covering program ended as {pulp.LpStatus[problem.status]!r}")
    return {r for r in items if take[r].value() > 0.5}


class _HiGHS(pulp.HiGHS):  # type: ignore[misc]  # pulp has no types
    """PuLP's way to HiGHS, to one that writes nothing."""

    def createAndConfigureSolver(self, lp: pulp.LpProblem) -> None:
        lp.solverModel = _SilentHighs()
        limits = {"time_limit": self.timeLimit, "mip_abs_gap": self.gapAbs, "mip_rel_gap": self.gapRel}
        for option, value in {"threads": self.threads, **limits}.items():
            if value is not None:
                lp.solverModel.setOptionValue(option, value)


@contextmanager
def _quiet_pulp() -> Iterator[None]:
    """PuLP 3.3 warns of names that 4 removes; the dependency is pinned below 4."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
