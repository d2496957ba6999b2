"""The published tables of variance shares: every line within its bar, and known exact values to three digits."""

import numpy as np
import pytest

from elicit.cli import main
from elicit.commands.reproduce import (
    FUNCTIONS,
    MEAN,
    TABLES,
    Line,
    compared,
    covariance,
    exact_johnson_shapley,
    raw_recipe,
)
from elicit.scores.games import shapley_of_game
from elicit.scores.johnson import johnson_of
from elicit.scores.lmg import lmg_of
from elicit.scores.quadrature import closed_indices, exact_correlations

#: In % of the variance: LMG, Shapley, Johnson-Shapley of order 2 and of all orders, and the raw recipe.
EXACT = {
    (3, 0.0): (
        [59.230, 0.0, 0.0],
        [62.243, 18.879, 18.879],
        [59.834, 16.469, 16.469],
        [62.243, 18.879, 18.879],
        [59.834, 16.469, 16.469],
    ),
    (3, 0.9): (
        [34.895, 23.194, 0.066],
        [38.705, 37.449, 23.847],
        [37.454, 27.949, 7.451],
        [46.503, 36.998, 16.500],
        [35.350, 37.182, 23.309],
    ),
    (4, 0.0): (
        [6.759, 0.0, 0.0],
        [24.336, 37.832, 37.832],
        [22.962, 36.459, 36.459],
        [24.336, 37.832, 37.832],
        [22.962, 36.459, 36.459],
    ),
    (4, 0.9): (
        [3.545, 2.268, 0.046],
        [21.817, 35.107, 43.076],
        [19.635, 20.473, 15.885],
        [34.304, 35.142, 30.554],
        [19.114, 36.079, 42.702],
    ),
}


@pytest.mark.parametrize(("model", "rho"), EXACT)
def test_exact_values_are_known(model, rho):
    function, cov = FUNCTIONS[model], covariance(rho)
    linear, effects, second, all_orders, raw = EXACT[model, rho]
    known = exact_correlations(function, MEAN, cov)
    assert 100 * lmg_of(known) == pytest.approx(linear, abs=0.002)
    assert 100 * johnson_of(known) == pytest.approx(linear, abs=0.002)
    assert 100 * shapley_of_game(closed_indices(function, MEAN, cov)) == pytest.approx(effects, abs=0.002)
    assert 100 * exact_johnson_shapley(function, MEAN, cov, 2) == pytest.approx(second, abs=0.002)
    assert 100 * exact_johnson_shapley(function, MEAN, cov, 3) == pytest.approx(all_orders, abs=0.002)
    assert 100 * raw_recipe(function, MEAN, cov) == pytest.approx(raw, abs=0.002)


@pytest.mark.parametrize("table", [TABLES[1]])
def test_every_estimate_is_within_its_bar(table):
    lines = list(compared(table, seed=1))
    assert [line.what for line in lines if not line.holds] == []
    assert len(lines) == 9


def test_the_recipe_moves_with_the_origin_and_ours_does_not():
    function, cov = FUNCTIONS[3], covariance(0.9)

    def moved(X):
        return function(X + MEAN)

    here, there = (raw_recipe(f, mean, cov) for f, mean in ((function, MEAN), (moved, 0 * MEAN)))
    assert np.abs(here - there).max() > 0.04
    ours = [exact_johnson_shapley(f, mean, cov, 2) for f, mean in ((function, MEAN), (moved, 0 * MEAN))]
    assert ours[0] == pytest.approx(ours[1], abs=1e-9)


def test_a_line_outside_its_bar_does_not_hold():
    assert not Line("x", (0, 0, 0), np.zeros(3), np.array([0.0, 0.5, 0]), 0.4).holds
    assert Line("x", (1, 2, 3), None, np.array([1.0, 2.1, 3]), 0.11).holds


def test_a_failed_line_is_shown_and_ends_with_status_1(monkeypatch, capsys):
    from elicit.commands import reproduce

    monkeypatch.setattr(reproduce, "TABLES", TABLES[:1])
    monkeypatch.setattr(
        reproduce, "compared", lambda _table, _seed: iter([Line("x", None, np.zeros(3), np.ones(3), 0.5)])
    )
    assert main(["score", "--reproduce", "shares"]) == 1
    shown = capsys.readouterr().out
    assert "does not hold" in shown
    assert "some lines do not hold" in shown


@pytest.mark.slow
def test_the_command_reproduces_every_table(capsys):
    assert main(["score", "--reproduce", "shares"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("model (") == 4
    assert "every line holds" in shown
    assert "35.35 / 37.18 / 23.31      37.45 / 27.95 / 7.45" in shown
