"""LMG against its definition (every order, least squares), against pingouin, and on degenerate data."""

import tracemalloc
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit.errors import InputError
from elicit.scores import lmg
from elicit.scores.lmg import MOST_ATTRIBUTES, explained_by_subsets, lmg_of
from elicit.scores.moments import Correlations, correlations


def r_squared(X, y, columns):
    """Of least squares on these columns; y may have several columns."""
    Y = np.asarray(y, dtype=float).reshape(len(X), -1)
    Y = Y - Y.mean(axis=0)
    design = (X - X.mean(axis=0))[:, list(columns)]
    left = Y - design @ np.linalg.lstsq(design, Y, rcond=1e-9)[0] if len(columns) else Y
    return 1 - (left**2).sum() / (Y**2).sum()


def by_orders(X, y, groups):
    """The definition."""
    shares = np.zeros(len(groups))
    for order in permutations(range(len(groups))):
        held, before = [], 0.0
        for g in order:
            held = [*held, *groups[g]]
            after = r_squared(X, y, held)
            shares[g] += after - before
            before = after
    return shares / factorial(len(groups))


def drawn(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 5
    return X, X @ rng.normal(size=d) + rng.normal(size=n) * 2


@settings(max_examples=25, deadline=None)
@given(d=st.integers(1, 5), n=st.integers(8, 40), seed=st.integers(0, 10**6))
def test_lmg_is_the_mean_over_all_orders(d, n, seed):
    X, y = drawn(n, d, seed)
    assert lmg(X, y) == pytest.approx(by_orders(X, y, [[i] for i in range(d)]), abs=1e-9)


def test_lmg_is_that_of_pingouin():
    pingouin = pytest.importorskip("pingouin")
    X, y = drawn(200, 6)
    theirs = pingouin.linear_regression(X, y, relimp=True)["relimp"].to_numpy()[1:]
    assert lmg(X, y) == pytest.approx(theirs, abs=1e-12)


def test_a_group_of_columns_enters_as_one():
    X, y = drawn(60, 5)
    groups = [[0, 3], [1], [4, 2]]
    assert lmg(X, y, groups=groups) == pytest.approx(by_orders(X, y, groups), abs=1e-9)


def test_a_one_hot_block_whose_columns_sum_to_one_is_an_attribute():
    rng = np.random.default_rng(0)
    level = rng.integers(0, 3, 100)
    X = np.column_stack([np.eye(3)[level], rng.normal(size=100)])
    y = level * 1.5 + X[:, 3] + rng.normal(size=100)
    assert lmg(X, y, groups=[[0, 1, 2], [3]]) == pytest.approx(by_orders(X, y, [[0, 1, 2], [3]]), abs=1e-9)


def test_the_values_of_all_subsets_are_those_of_least_squares():
    X, y = drawn(50, 4)
    values = explained_by_subsets(correlations(X, y, "lmg"))
    for mask in range(16):
        assert values[mask] == pytest.approx(r_squared(X, y, [j for j in range(4) if mask >> j & 1]), abs=1e-10)


def test_a_column_and_its_copy_share_equally_and_leave_the_others_alone():
    X, y = drawn(80, 3)
    shares = lmg(np.column_stack([X, X[:, 0] * 3 - 1]), y)
    assert shares[0] == pytest.approx(shares[3], abs=1e-12)
    assert shares.sum() == pytest.approx(lmg(X, y).sum(), abs=1e-10)


def test_constant_columns_among_others_get_nothing_at_all():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((33, 9)), rng.standard_normal(33)
    X[:, 2], X[:, 5:8] = 0.1, [5.0, 1e8, 0.0]
    assert (lmg(X, y)[[2, 5, 6, 7]] == 0).all()
    assert (lmg(X, y, groups=[[0, 2], [1], [3, 4], [5, 6], [7], [8]])[3:5] == 0).all()


def test_a_constant_column_gets_nothing_and_changes_nothing():
    X, y = drawn(80, 3)
    shares = lmg(np.column_stack([X, np.full(80, 7.3)]), y)
    assert shares[3] == 0
    assert shares[:3] == pytest.approx(lmg(X, y), abs=1e-12)


def test_with_fewer_rows_than_columns_everything_is_explained():
    X, y = drawn(6, 9)
    shares = lmg(X, y)
    assert shares.sum() == pytest.approx(1.0, abs=1e-8)
    assert (shares >= -1e-10).all()


def test_one_attribute_has_its_r_squared():
    X, y = drawn(30, 1)
    assert lmg(X, y) == pytest.approx([np.corrcoef(X[:, 0], y)[0, 1] ** 2])


def test_units_and_origins_do_not_matter():
    X, y = drawn(60, 4)
    moved = X * [1e-9, 1, 1e9, -2] + [3, -5, 1e6, 0]
    assert lmg(moved, y * 1e-6 + 9) == pytest.approx(lmg(X, y), abs=1e-8)


def test_two_classes_are_the_numbers_0_and_1():
    X, y = drawn(60, 3)
    label = np.where(y > np.median(y), "yes", "no")
    assert lmg(X, label) == pytest.approx(lmg(X, (label == "yes").astype(float), classes=False), abs=1e-12)


def test_several_classes_are_their_indicators_together():
    X, y = drawn(90, 3)
    label = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    assert lmg(X, label) == pytest.approx(by_orders(X, np.eye(3)[label], [[0], [1], [2]]), abs=1e-9)


def test_whole_numbers_may_be_said_to_be_numbers():
    X, y = drawn(90, 3)
    stars = np.digitize(y, np.quantile(y, [0.2, 0.4, 0.6, 0.8]))
    assert lmg(X, stars, classes=False) == pytest.approx(by_orders(X, stars, [[0], [1], [2]]), abs=1e-9)


def test_known_correlations_need_no_data():
    # two columns correlated by 0.5: R² = (a² + b² − 2·0.5·a·b) / 0.75, halves of the joint part to each
    known = Correlations.given([[1, 0.5], [0.5, 1]], [0.6, 0.3])
    total = (0.36 + 0.09 - 0.18) / 0.75
    assert lmg_of(known) == pytest.approx([(0.36 + total - 0.09) / 2, (0.09 + total - 0.36) / 2])


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.ones((5, 2)), np.ones(5) * 2.5, "every row"),
        (np.array([["a"], ["b"]]), np.array([1.5, 2.5]), "numeric columns"),
        (np.array([[1.0], [np.nan]]), np.array([1.5, 2.5]), "row 1"),
        (np.ones((5, 2)), np.ones(4), "one value a row"),
        (np.zeros((5, MOST_ATTRIBUTES + 1)), np.arange(5) + 0.5, "use johnson"),
    ],
)
def test_bad_input_is_named(X, y, words):
    with pytest.raises(InputError, match=words):
        lmg(X, y)


@pytest.mark.parametrize("groups", [[[0], [1]], [[0, 1], [1, 2]], [[0, 1, 3]]])
def test_groups_hold_every_column_once(groups):
    X, y = drawn(30, 3)
    with pytest.raises(InputError, match="exactly once"):
        lmg(X, y, groups=groups)


@pytest.mark.parametrize(
    ("R", "words"),
    [
        ([[1, 2], [2, 1]], "with 1 on its diagonal"),
        ([[1, 0, 0], [0, 1, 0]], "expected R of shape"),
        ([[1, 0.5], [0.1, 1]], "symmetric"),
        ([[0.5, 0], [0, 1]], "with 1 on its diagonal"),  # a covariance
        ([[4, 0], [0, 1]], "with 1 on its diagonal"),
        ([[1, np.nan], [np.nan, 1]], "not finite"),
    ],
)
def test_what_is_no_correlation_matrix_is_refused(R, words):
    with pytest.raises(InputError, match=words):
        lmg_of(Correlations.given(R, [0.1, 0.2]))


@given(st.permutations(range(5)), st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_the_order_of_groups_of_any_width_does_not_matter(order, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 11)) @ rng.normal(size=(11, 11))
    y = X @ rng.normal(size=11) + rng.normal(size=30)
    groups = [[0], [1, 2], [3, 4, 5, 6, 7], [8], [9, 10]]
    shares = lmg(X, y, groups=groups)
    assert lmg(X, y, groups=[groups[k] for k in order]) == pytest.approx(shares[list(order)], abs=1e-9)


def test_the_last_group_may_be_wide():
    X = np.random.default_rng(0).normal(size=(100, 36))
    groups = [*([j] for j in range(16)), list(range(16, 36))]
    tracemalloc.start()
    lmg(X, X[:, 0] + X[:, 30], groups=groups)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1e8


def test_a_wide_group_beside_many_attributes_is_met_first_and_costs_little():
    X = np.random.default_rng(0).normal(size=(400, 214))
    y = X[:, 0] + X[:, 205]
    shares = lmg(X, y, groups=[list(range(200)), *([j] for j in range(200, 214))])
    assert shares.sum() == pytest.approx(1)
    assert set(np.argsort(shares)[-2:]) == {0, 6}


def test_groups_too_wide_for_their_number_are_refused():
    X = np.random.default_rng(0).normal(size=(200, 120))
    with pytest.raises(InputError, match="fewer attributes or narrower groups"):
        lmg(X, X[:, 0], groups=[list(range(5 * k, 5 * k + 5)) for k in range(24)])
