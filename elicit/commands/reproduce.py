"""elicit score --reproduce shares: published tables of variance shares, computed anew beside what was printed.

The tables are those of Iooss and Clouvel, "Une méthode d'approximation des effets de Shapley en grande
dimension" (54es Journées de Statistique, 2023): two functions of three Gaussian inputs, X1 ~ N(1, 0.25²)
and X2, X3 ~ N(0, 1), with the correlation ρ of X1 and X2 at 0 and at 0.9.

Each line is one estimate of this program beside the exact value (quadrature) and the printed one, and holds
when its largest gap to the exact value is within its bar. For estimates the bar is four standard deviations
of a single run. The printed Johnson-Shapley shares for correlated inputs are those of another recipe, which
is computed here, and only here, to show what it is: it moves with the origin of an input.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from elicit.commands.status import DOES_NOT_HOLD, DONE
from elicit.scores.games import shapley_of_game
from elicit.scores.inputs import Function, gaussian_inputs
from elicit.scores.johnson import johnson, johnson_of, roots
from elicit.scores.johnson_shapley import johnson_shapley
from elicit.scores.lmg import lmg, lmg_of
from elicit.scores.protocol import Floats
from elicit.scores.quadrature import closed_indices, exact_correlations
from elicit.scores.shapley_effects import shapley_effects, shapley_effects_of_function

MEAN = np.array([1.0, 0.0, 0.0])
SPREAD = np.array([0.25, 1.0, 1.0])

#: Largest gap, in points, of what is computed from exact covariances.
EXACT = 0.02

#: Standard deviation of a single run, in points: LMG of 10⁴ rows, Johnson of 10⁵, Johnson-Shapley of 10⁵ runs
#: by arrays and of 5·10⁴ by walks; the source gives 1 point for its Shapley effects by nearest neighbours.
SD_LMG, SD_JOHNSON, SD_ARRAYS, SD_WALK, SD_NEIGHBOURS = 0.75, 0.19, 1.02, 0.64, 1.0


@dataclass(frozen=True)
class Printed:
    """One table of the source, in %."""

    model: int
    rho: float
    lmg: tuple[int, int, int]
    johnson: tuple[int, int, int]
    shapley: tuple[int, int, int]
    johnson_shapley: tuple[int, int, int]


TABLES = (
    Printed(3, 0.0, (59, 0, 0), (59, 0, 0), (62, 19, 19), (60, 16, 16)),
    Printed(3, 0.9, (35, 23, 0), (35, 23, 0), (38, 38, 24), (35, 37, 23)),
    Printed(4, 0.0, (7, 0, 0), (7, 0, 0), (25, 37, 37), (22, 37, 36)),
    Printed(4, 0.9, (4, 2, 0), (4, 2, 0), (22, 34, 44), (19, 36, 43)),
)


@dataclass(frozen=True)
class Line:
    """One estimate beside the printed values and the exact ones, in %; without exact ones the print is the measure."""

    what: str
    printed: tuple[int, int, int] | None
    exact: Floats | None
    found: Floats
    bar: float

    @property
    def gap(self) -> float:
        """The largest difference to the exact value, or to the printed one."""
        return float(np.abs(self.found - np.asarray(self.printed if self.exact is None else self.exact)).max())

    @property
    def holds(self) -> bool:
        """Whether it is within the bar."""
        return self.gap <= self.bar


def function_3(X: Floats) -> Floats:
    """Model 3."""
    return np.asarray(X[:, 0] * (1 + X[:, 0] * np.cos(X[:, 1] + X[:, 2]) ** 2))


def function_4(X: Floats) -> Floats:
    """Model 4."""
    return np.asarray(np.sin(np.pi / 2 * X[:, 0]) * (1 + X[:, 0] * np.cos(X[:, 1] + X[:, 2]) ** 2))


FUNCTIONS: dict[int, Function] = {3: function_3, 4: function_4}
#: The same as they are printed.
RULES = {3: "X1 (1 + X1 cos²(X2 + X3))", 4: "sin(π/2 X1) (1 + X1 cos²(X2 + X3))"}


def covariance(rho: float) -> Floats:
    """Of the three inputs."""
    R = np.eye(3)
    R[0, 1] = R[1, 0] = rho
    return np.asarray(R * np.outer(SPREAD, SPREAD))


def reproduce(seed: int = 0) -> int:
    """Print every table; the exit status says whether all lines hold."""
    held = True
    for table in TABLES:
        lines = list(compared(table, seed))
        held &= all(line.holds for line in lines)
        print("\n".join([*_table_lines(table, lines), *_recipe_in_other_units(table), ""]))
    print("every line holds" if held else "some lines do not hold")
    return DONE if held else DOES_NOT_HOLD


def compared(table: Printed, seed: int) -> Iterator[Line]:
    """Every estimate of one table."""
    function, cov, rng = FUNCTIONS[table.model], covariance(table.rho), np.random.default_rng(seed)
    known = exact_correlations(function, MEAN, cov)
    closed = closed_indices(function, MEAN, cov)
    linear, effects = _linear_shares(known.R, known.r[:, 0]), shapley_of_game(closed)
    second, all_orders = (exact_johnson_shapley(function, MEAN, cov, order) for order in (2, 3))
    inputs = gaussian_inputs(MEAN, cov)

    def sample(rows: int) -> tuple[Floats, Floats]:
        X = rng.multivariate_normal(MEAN, cov, rows)
        return X, function(X)

    def line(what: str, printed: tuple[int, int, int] | None, exact: Floats, found: Floats, bar: float) -> Line:
        return Line(what, printed, 100 * exact, 100 * found, bar)

    yield line("LMG, exact covariance", table.lmg, linear, lmg_of(known), EXACT)
    yield line("LMG, 10,000 rows", table.lmg, linear, lmg(*sample(10_000)), 4 * SD_LMG)
    yield line("Johnson, exact covariance", table.johnson, linear, johnson_of(known), EXACT)
    yield line("Johnson, 100,000 rows", table.johnson, linear, johnson(*sample(100_000)), 4 * SD_JOHNSON)
    nested = shapley_effects_of_function(function, MEAN, cov, outer=20_000, random_state=rng)
    bar = 400 * float(nested.errors.max())
    yield line(f"Shapley, nested, {nested.runs:,} runs", table.shapley, effects, nested.shares, bar)
    near = shapley_effects(*sample(10_000), exact=True, random_state=rng)
    yield line("Shapley, neighbours, 10,000 rows", table.shapley, effects, near, 4 * SD_NEIGHBOURS)
    arrays = johnson_shapley(function, inputs, estimator="arrays", runs=100_000, designs=1, random_state=rng)
    what = f"Johnson-Shapley order 2, arrays, {arrays.runs:,}"
    yield line(what, table.johnson_shapley, second, arrays.shares, 4 * SD_ARRAYS)
    walk = johnson_shapley(function, inputs, runs=50_000, random_state=rng)
    yield line(f"Johnson-Shapley all orders, walks, {walk.runs:,}", None, all_orders, walk.shares, 4 * SD_WALK)
    recipe = 100 * raw_recipe(function, MEAN, cov)  # its exact value; the print is an estimate of it
    yield Line("the source's recipe, beside its print", table.johnson_shapley, None, recipe, 4 * SD_ARRAYS)


def exact_johnson_shapley(function: Function, mean: Floats, cov: Floats, order: int) -> Floats:
    """(R^½)∘² Sh(Z) with interactions of at most `order` columns."""
    inputs = gaussian_inputs(mean, cov)
    closed = closed_indices(lambda Z: function(inputs.of(Z)), np.zeros(3), np.eye(3))
    return np.asarray(inputs.weights @ shares_to_order(closed, order))


def shares_to_order(closed: Floats, order: int) -> Floats:
    """Σ_{u∋i, |u| ≤ order} S_u / |u| from the closed indices of independent inputs."""
    d = len(closed).bit_length() - 1
    shares = np.zeros(d)
    for u in range(1, 1 << d):
        inside = [v for v in range(u + 1) if v & u == v]
        index = sum((-1) ** (u.bit_count() - v.bit_count()) * closed[v] for v in inside)
        if u.bit_count() <= order:
            shares[[j for j in range(d) if u >> j & 1]] += index / u.bit_count()
    return shares


def raw_recipe(function: Function, mean: Floats, cov: Floats) -> Floats:
    """What the source computed for Johnson-Shapley: the same split with inputs neither centred nor scaled.

    Z = X M^-½ with M = E XX' (mean squares, not covariances) and back X = Z M^½; the columns of Z, which are
    neither centred nor independent, are drawn independently; then order 2 and the weights (R^½)∘².
    """
    root, inverse = roots(cov + np.outer(mean, mean))
    scale = np.sqrt(np.diag(cov))
    weights = roots(cov / np.outer(scale, scale))[0] ** 2
    spread = np.diag(np.diag(inverse @ cov @ inverse))
    closed = closed_indices(lambda Z: function(Z @ root), mean @ inverse, spread)
    return np.asarray(weights @ shares_to_order(closed, 2))


def _linear_shares(R: Floats, r: Floats) -> Floats:
    """LMG of these tables, solved subset by subset (only X1 and X2 are correlated, so it is Johnson's too)."""
    values = np.zeros(8)
    for u in range(1, 8):
        held = [j for j in range(3) if u >> j & 1]
        values[u] = r[held] @ np.linalg.solve(R[np.ix_(held, held)], r[held])
    return shapley_of_game(values)


def _table_lines(table: Printed, lines: list[Line]) -> Iterator[str]:
    yield f"model ({table.model}), correlation of X1 and X2 = {table.rho:g}: f(X) = {RULES[table.model]}; shares in %"
    yield f"{'':44}{'source prints':>16}{'exact':>22}{'computed':>22}{'gap':>7}{'bar':>7}"
    for line in lines:
        source = "" if line.printed is None else " ".join(f"{v:4d}" for v in line.printed)
        exact, found = ("" if v is None else " ".join(f"{x:6.2f}" for x in v) for v in (line.exact, line.found))
        verdict = "" if line.holds else "  does not hold"
        yield f"{line.what:44}{source:>16}{exact:>22}{found:>22}{line.gap:7.2f}{line.bar:7.2f}{verdict}"


def _recipe_in_other_units(table: Printed) -> Iterator[str]:
    """Both recipes on the same function in other units: the shares by the source's recipe change."""
    if table.rho == 0:
        return
    function, cov = FUNCTIONS[table.model], covariance(table.rho)
    units: tuple[tuple[str, Floats, Floats], ...] = (
        ("as it is", np.zeros(3), np.ones(3)),
        ("X1 measured from 1", np.array([1.0, 0, 0]), np.ones(3)),
        ("X1 in units of 0.1", np.zeros(3), np.array([0.1, 1, 1])),
    )
    yield "Johnson-Shapley of order 2, exact: the source's recipe (inputs neither centred nor scaled), and ours"
    for what, origin, unit in units:

        def rescaled(X: Floats, origin: Floats = origin, unit: Floats = unit) -> Floats:
            return np.asarray(function(X * unit + origin))

        mean, scaled = (MEAN - origin) / unit, cov / np.outer(unit, unit)
        theirs, ours = raw_recipe(rescaled, mean, scaled), exact_johnson_shapley(rescaled, mean, scaled, 2)
        yield f"  {what:20}{_percent(theirs):>26}{_percent(ours):>26}"


def _percent(values: Floats) -> str:
    return " / ".join(f"{100 * v:.2f}" for v in values)
