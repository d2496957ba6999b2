"""Shapley effects against their exact values for linear functions, and the neighbours against brute force."""

from itertools import product

import numpy as np
import pytest

from elicit.errors import InputError
from elicit.scores import lmg, shapley_effects, shapley_effects_of_function
from elicit.scores.games import shapley_of_game
from elicit.scores.lmg import lmg_of
from elicit.scores.moments import Correlations
from elicit.scores.quadrature import closed_indices, exact_correlations

MEAN = np.array([1.0, 0.0, -1.0])
COV = np.array([[1.0, 0.8, 0.0], [0.8, 2.0, 0.3], [0.0, 0.3, 1.0]])
A = np.array([1.0, 0.5, -1.0])


def linear(X):
    return X @ A


def curved(X):
    return X[:, 0] * X[:, 1] + np.sin(X[:, 2])


def exact_linear():
    """For a linear function of Gaussian inputs the effects are LMG's."""
    scale = np.sqrt(np.diag(COV))
    return lmg_of(Correlations.given(COV / np.outer(scale, scale), COV @ A / scale / np.sqrt(A @ COV @ A)))


@pytest.mark.parametrize("orders", [False, True])
@pytest.mark.parametrize("inner", [2, 4])
def test_nested_draws_find_lmg_for_a_linear_function(orders, inner):
    found = shapley_effects_of_function(linear, MEAN, COV, outer=8000, inner=inner, orders=orders)
    assert (np.abs(found.shares - exact_linear()) < 4.5 * found.errors).all()
    assert found.shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.errors.max() < 0.04


def test_nested_draws_find_the_exact_effects_of_a_curved_function():
    exact = shapley_of_game(closed_indices(curved, MEAN, COV))
    found = shapley_effects_of_function(curved, MEAN, COV, outer=20_000)
    drawn = np.random.default_rng(0).multivariate_normal(MEAN, COV, 100_000)
    assert found.variance == pytest.approx(curved(drawn).var(), rel=0.03)
    assert (np.abs(found.shares - exact) < 4.5 * found.errors).all()


@pytest.mark.parametrize("orders", [False, True])
def test_the_errors_are_the_spread_of_repeated_estimates(orders):
    found = [
        shapley_effects_of_function(curved, MEAN, COV, outer=400, orders=orders, random_state=seed)
        for seed in range(100)
    ]
    spread = np.std([part.shares for part in found], axis=0)
    assert spread == pytest.approx(np.sqrt(np.mean([part.errors**2 for part in found], axis=0)), rel=0.15)


@pytest.mark.parametrize("orders", [False, True])
def test_the_only_input_has_all_of_the_variance_without_error(orders):
    found = shapley_effects_of_function(lambda X: X[:, 0] ** 2, [0], [[1.0]], outer=50, orders=orders)
    assert (found.shares.tolist(), found.errors.tolist()) == ([1], [0])


def test_runs_are_counted():
    calls = []

    def counted(X):
        calls.append(len(X))
        return linear(X)

    for orders, inner in product((False, True), (2, 4)):
        calls.clear()
        found = shapley_effects_of_function(counted, MEAN, COV, outer=50, inner=inner, orders=orders)
        assert found.runs == sum(calls)


def test_inputs_that_are_copies_share_equally():
    found = shapley_effects_of_function(lambda X: X[:, 0] ** 2, [0, 0], np.ones((2, 2)), outer=4000)
    assert found.shares == pytest.approx([0.5, 0.5], abs=0.02)


def by_neighbours(X, y, k):
    """The definition: mean sample variance of y among the k nearest rows in every subset of columns."""
    d = X.shape[1]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    left = np.zeros(1 << d)
    left[0] = y.var(ddof=1)
    for mask in range(1, 1 << d):
        held = [j for j in range(d) if mask >> j & 1]
        distance = ((Z[:, None, held] - Z[None, :, held]) ** 2).sum(axis=2)
        near = np.argsort(distance, axis=1, kind="stable")[:, :k]
        left[mask] = np.mean([y[rows].var(ddof=1) for rows in near])
    return -shapley_of_game(left / left[0])


def test_neighbours_are_those_of_brute_force():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COV, 150)
    y = curved(X) + np.random.default_rng(1).normal(size=150)
    assert shapley_effects(X, y) == pytest.approx(by_neighbours(X, y, 3), abs=1e-6)
    assert shapley_effects(X, y, neighbours=6) == pytest.approx(by_neighbours(X, y, 6), abs=1e-6)


def test_neighbours_come_near_the_exact_effects():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COV, 4000)
    exact = shapley_of_game(closed_indices(curved, MEAN, COV))
    assert shapley_effects(X, curved(X), exact=True) == pytest.approx(exact, abs=0.05)


def test_many_orders_approach_all_subsets():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COV, 300)
    all_subsets = shapley_effects(X, curved(X))
    assert shapley_effects(X, curved(X), orders=400) == pytest.approx(all_subsets, abs=0.06)


def test_a_column_of_two_values_sorted_by_the_target_is_not_taken_for_more_than_it_is():
    # the rows of a tie are equally near; taking the first ones would see neighbours in the target as well
    x = np.repeat([0.0, 1.0], 300)
    y = np.sort(np.random.default_rng(0).normal(size=600))
    assert shapley_effects(x[:, None], y)[0] == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2, abs=0.06)


def test_a_constant_column_gets_nothing_and_changes_nothing():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COV, 200)
    more = np.column_stack([X, np.full(200, 4.0)])
    for options in ({}, {"exact": True}, {"orders": 5}):
        assert shapley_effects(more, curved(X), **options)[3] == 0
    assert shapley_effects(more, curved(X))[:3] == pytest.approx(shapley_effects(X, curved(X)), abs=1e-6)


def test_a_column_and_its_copy_get_the_same():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COV, 800)
    shares = shapley_effects(np.column_stack([X, X[:, 0]]), linear(X), exact=True)
    assert shares[0] == pytest.approx(shares[3], abs=0.02)


def test_classes_are_shared_out_as_their_indicators():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    label = np.digitize(X[:, 0], [-0.5, 0.5])
    shares = shapley_effects(X, label)
    assert shares[0] > 0.6
    assert np.abs(shares[1:]).max() < 0.2
    assert shapley_effects(X, np.array(["a", "b", "c"])[label]) == pytest.approx(shares)


def test_quadrature_agrees_with_closed_forms():
    closed = closed_indices(linear, MEAN, COV)
    known = exact_correlations(linear, MEAN, COV)
    assert shapley_of_game(closed) == pytest.approx(exact_linear(), abs=1e-10)
    assert lmg_of(known) == pytest.approx(exact_linear(), abs=1e-10)


def test_a_linear_sample_has_effects_near_lmg():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COV, 3000)
    assert shapley_effects(X, linear(X), exact=True) == pytest.approx(lmg(X, linear(X)), abs=0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shapley_effects(np.eye(4), np.arange(4) + 0.5, neighbours=5), "fewer than the 4 rows"),
        (lambda: shapley_effects(np.eye(4), np.arange(4) + 0.5, neighbours=1), "neighbours"),
        # all rows are near every row then, and no column would explain anything
        (lambda: shapley_effects(np.eye(4), np.arange(4) + 0.5, neighbours=4), "fewer than the 4 rows"),
        (lambda: shapley_effects(np.eye(3), np.arange(3) + 0.5), "ask for fewer"),
        (lambda: shapley_effects(np.eye(2), np.arange(2) + 0.5, neighbours=2), "give more rows"),
        (lambda: shapley_effects(np.eye(4), np.arange(4) + 0.5, exact="no"), "exact is true or false, found 'no'"),
        (lambda: shapley_effects_of_function(lambda X: X[:, 0] * 0, MEAN, COV), "same number"),
        (lambda: shapley_effects_of_function(linear, MEAN, COV, inner=1), "inner"),
        (lambda: closed_indices(linear, np.zeros(5), np.eye(5)), "at most 4"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


@pytest.mark.parametrize("unit", [1e-100, 1e-8, 1e6])
@pytest.mark.parametrize("orders", [False, True])
def test_no_unit_of_an_input_matters(unit, orders):
    units = np.array([1.0, unit, 1.0])
    plain = shapley_effects_of_function(curved, MEAN, COV, outer=200, orders=orders)
    moved = shapley_effects_of_function(
        lambda X: curved(X / units), MEAN * units, COV * np.outer(units, units), outer=200, orders=orders
    )
    assert moved.shares == pytest.approx(plain.shares, abs=1e-9)


def test_inputs_that_are_copies_share_whatever_their_unit():
    copies = np.array([[1.0, 1e-9], [1e-9, 1e-18]])
    found = shapley_effects_of_function(lambda X: X[:, 0], [0, 0], copies, outer=2000)
    assert found.shares == pytest.approx([0.5, 0.5], abs=0.05)


@pytest.mark.parametrize("cov", [[[1e-9, 2e-9], [2e-9, 1e-9]], [[1, 1e-6], [0, 1e-12]], [[1, 0], [0, -1e-12]]])
def test_no_covariance_is_refused_in_any_unit(cov):
    with pytest.raises(InputError, match="symmetric, without negative"):
        shapley_effects_of_function(lambda X: X[:, 0], [0, 0], cov)


def test_more_subsets_than_can_be_kept_are_refused():
    with pytest.raises(InputError, match="all subsets of 30 inputs"):
        shapley_effects_of_function(lambda X: X[:, 0], np.zeros(30), np.eye(30), outer=2, orders=False)


def test_quadrature_refuses_inputs_that_follow_from_each_other():
    with pytest.raises(InputError, match="none follows from the others"):
        closed_indices(lambda X: X[:, 0], [0, 0], [[1, 1], [1, 1]])
