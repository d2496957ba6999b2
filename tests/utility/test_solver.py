"""One door to the solver: every end by name, changes take effect, and the same data gives the same value."""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from elicit import utility
from elicit.errors import SolverError
from elicit.subsets import Family
from elicit.utility.monomials import Monomials
from elicit.utility.solver import (
    INFINITY,
    BasisStatus,
    Box,
    Program,
    Simplex,
    Status,
    basis_statuses,
    best_rival,
    cheapest_hitting_set,
)


def program(matrix, cost, lower, upper, row_lower, row_upper):
    arrays = {"cost": cost, "lower": lower, "upper": upper, "row_lower": row_lower, "row_upper": row_upper}
    return Program(np.array(matrix, dtype=float), **{k: np.array(v, dtype=float) for k, v in arrays.items()})


def one_row(row_lower=-INFINITY, row_upper=1.0, upper=INFINITY):
    """min −x − y subject to x + y ≤ 1 and x, y ≥ 0."""
    return program([[1, 1]], [-1, -1], [0, 0], [upper] * 2, [row_lower], [row_upper])


def test_every_end_has_its_name():
    assert one_row().solve().status is Status.OPTIMAL
    assert one_row(row_lower=2.0, row_upper=INFINITY, upper=0.5).solve().status is Status.INFEASIBLE
    assert one_row(row_upper=INFINITY).solve().status is Status.UNBOUNDED


def test_no_solver_writes_anything():
    code = """
        import numpy as np
        from test_solver import *
        one_row().solve()
        best_rival(0b1, Monomials.full(2, 1), [(0b10, 0b1, "strict")], Family(2), Box(0.1))
        cheapest_hitting_set([{0, 1}], np.ones(2))
    """
    # of a process of its own, for what a library in C writes comes when its buffer is full, or at the end
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@pytest.mark.parametrize("method", Simplex)
def test_an_end_without_an_optimum_is_never_read_as_one(method):
    with pytest.raises(SolverError, match="infeasible"):
        one_row(row_lower=2.0, row_upper=INFINITY, upper=0.5).optimum(method)
    with pytest.raises(SolverError, match="unbounded"):
        one_row(row_upper=INFINITY).optimum(method)


def test_what_the_solver_does_not_accept_is_an_error():
    with pytest.raises(SolverError, match="bounds were not accepted"):
        one_row().change_bounds(99, 0.0, 1.0)


def random_program(rng, rows=8, columns=12):
    matrix = rng.integers(-1, 2, size=(rows, columns)).astype(float)
    inside = rng.uniform(-1, 1, size=columns)
    return matrix, rng.integers(-5, 6, size=columns).astype(float), matrix @ inside + rng.uniform(0, 1, size=rows)


def expected(matrix, cost, limit, upper):
    return linprog(cost, A_ub=matrix, b_ub=limit, bounds=list(zip(-np.ones(len(cost)), upper, strict=True))).fun


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("method", Simplex)
def test_a_program_kept_alive_agrees_with_one_built_afresh(seed, method):
    rng = np.random.default_rng(seed)
    matrix, cost, limit = random_program(rng)
    upper = np.ones(12)
    alive = program(matrix, cost, -np.ones(12), upper, np.full(8, -INFINITY), limit)
    for change in range(12):
        kind = change % 6
        if kind == 0:
            cost = rng.integers(-5, 6, size=len(cost)).astype(float)
            alive.change_costs(cost)
        elif kind == 1:
            column = int(rng.integers(0, len(cost)))
            upper[column] = rng.uniform(0.9, 2)
            alive.change_bounds(column, -1.0, upper[column])
        elif kind == 2:
            row = int(rng.integers(0, len(limit)))
            limit[row] += rng.uniform(0, 1)
            alive.change_row(row, -INFINITY, limit[row])
        elif kind == 3:
            row = rng.integers(-1, 2, size=len(cost)).astype(float)
            matrix, limit = np.vstack([matrix, row]), np.append(limit, np.abs(row).sum())
            alive.add_rows(row[None, :], np.array([-INFINITY]), limit[-1:])
        elif kind == 4:
            column = rng.integers(-1, 2, size=len(limit)).astype(float)
            where = np.flatnonzero(column)
            alive.add_column(2.0, -1.0, 1.0, where.tolist(), column[where])
            matrix, cost, upper = np.hstack([matrix, column[:, None]]), np.append(cost, 2.0), np.append(upper, 1.0)
        else:
            block = rng.integers(-1, 2, size=(len(limit), 2)).astype(float)
            alive.add_columns(block, np.array([-1.0, 1.0]), -np.ones(2), np.ones(2))
            alive.drop_columns(alive.columns - 1)
            matrix, cost = np.hstack([matrix, block[:, :1]]), np.append(cost, -1.0)
            upper = np.append(upper, 1.0)
        assert (alive.rows, alive.columns) == matrix.shape
        if change % 4 == 1:
            alive.crash(rng.random(alive.columns) < 0.5)
        if change % 4 == 3:
            kinds = list(BasisStatus)
            alive.resume(
                [kinds[k] for k in rng.integers(0, 3, size=alive.columns)],
                [kinds[k] for k in rng.integers(0, 2, size=alive.rows)],
            )
        solution = alive.optimum(method)
        assert solution.value == pytest.approx(expected(matrix, cost, limit, upper), abs=1e-6)
        assert solution.value == pytest.approx(cost @ solution.values, abs=1e-6)
        assert (solution.duals <= 1e-7).all()  # of rows that only have an upper limit
        reduced = cost - matrix.T @ solution.duals
        dual = solution.duals @ limit + np.where(reduced > 0, -reduced, reduced * upper).sum()
        assert dual == pytest.approx(solution.value, abs=1e-6)
    assert alive.solved == 12


def test_a_basis_kept_serves_after_rows_and_columns_were_added():
    rng = np.random.default_rng(0)
    matrix, cost, limit = random_program(rng)
    alive = program(matrix, cost, -np.ones(12), np.ones(12), np.full(8, -INFINITY), limit)
    alive.optimum()
    home = alive.basis()
    columns, rows = basis_statuses(home)
    assert columns.count(BasisStatus.BASIC) + rows.count(BasisStatus.BASIC) == 8
    alive.add_rows(np.ones((1, 12)), np.array([-INFINITY]), np.array([50.0]))
    alive.add_column(1.0, 0.0, 1.0, [0], np.array([1.0]))
    alive.return_to(home)
    again = alive.optimum()
    assert again.pivots == 0
    assert again.value == pytest.approx(expected(matrix, cost, limit, np.ones(12)), abs=1e-6)


def least_weight_of_all(sets, weights):
    """The weight of the cheapest hitting set, by a look at every choice."""
    chosen = np.arange(1 << len(weights))[:, None] >> np.arange(len(weights)) & 1
    hits = np.all([chosen[:, list(s)].any(axis=1) for s in sets], axis=0)
    return (chosen[hits] @ weights).min()


@pytest.mark.parametrize("seed", range(12))
def test_a_hitting_set_is_the_cheapest(seed):
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(8, size=int(rng.integers(1, 4)), replace=False).tolist()) for _ in range(6)]
    weights = rng.uniform(1, 3, size=8)
    found = cheapest_hitting_set(sets, weights)
    assert all(found & s for s in sets)
    assert weights[list(found)].sum() == pytest.approx(least_weight_of_all(sets, weights))


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("apart", [1e-5, 1e4])
def test_weights_that_are_small_or_near_or_far_apart_are_told_apart(unit, apart):
    rng = np.random.default_rng(3)
    for _ in range(30):
        sets = [set(rng.choice(9, size=int(rng.integers(2, 5)), replace=False).tolist()) for _ in range(8)]
        weights = unit * (1 + apart * rng.integers(0, 20, size=9))
        found = cheapest_hitting_set(sets, weights)
        assert weights[list(found)].sum() == pytest.approx(least_weight_of_all(sets, weights), rel=1e-9)


def test_nothing_to_hit_needs_nothing():
    assert cheapest_hitting_set([], np.ones(3)) == set()


def test_no_set_can_be_hit_when_it_is_empty():
    with pytest.raises(SolverError, match="covering program"):
        cheapest_hitting_set([{1}, set()], np.ones(3))


def test_a_rival_is_none_other_than_a_member():
    # f({a1}) ≥ 0.5 above f({a2}) in the box: against {a2}, {a1} gains 2 and {a1,a2} gains 1
    rival = best_rival(0b10, Monomials.full(2, 1), [(1, 2, "strict")], Family(2), Box(0.5))
    assert (rival.subset, rival.gain, rival.bound) == (1, pytest.approx(2.0), pytest.approx(2.0, abs=1e-5))
    assert rival.theta == pytest.approx(np.array([1.0, -1.0]))
    kept = best_rival(0b10, Monomials.full(2, 1), [(1, 2, "strict")], Family(2, keep=0b10), Box(0.5))
    assert (kept.subset, kept.gain) == (3, pytest.approx(1.0))


def test_a_program_over_an_empty_set_is_an_error():
    with pytest.raises(SolverError, match="over all subsets"):
        best_rival(1, Monomials.full(2, 1), [(1, 2, "strict"), (2, 1, "strict")], Family(2), Box(0.5))


def test_only_one_file_of_the_room_talks_to_a_solver():
    for path in Path(utility.__file__).parent.glob("*.py"):
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""])
        }
        assert not names & {"highspy", "pulp"} or path.name == "solver.py", path


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_length_one_change_no_value_and_no_multiplier(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 2, size=(8, 12)).astype(float)
    more = rng.integers(-1, 2, size=(2, 12)).astype(float)
    cost = rng.normal(size=12)
    solved = []
    for unit_rows in (False, True):
        program = Program(
            matrix,
            cost=cost,
            lower=-np.ones(12),
            upper=np.ones(12),
            row_lower=np.full(8, -2.0),
            row_upper=np.full(8, 0.3),
            unit_rows=unit_rows,
        )
        program.crash(cost < 0)
        found = [program.optimum()]
        program.add_rows(more, np.full(2, -0.2), np.full(2, INFINITY))
        program.change_row(0, -0.1, 0.1)
        found.append(program.optimum())
        program.change_rows(np.full(3, -0.4), np.full(3, 0.2))
        found.append(program.optimum())
        solved.append(found)
    for plain, unit in zip(*solved, strict=True):
        assert unit.value == pytest.approx(plain.value, abs=1e-7)
        assert unit.duals == pytest.approx(plain.duals, abs=1e-7)  # the costs are random: no ties
