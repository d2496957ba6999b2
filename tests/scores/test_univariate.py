"""Variance, correlation, Fisher, F and chi-squared: by hand, and equal to scikit-learn where it has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.feature_selection import VarianceThreshold, f_classif, f_regression
from sklearn.feature_selection import chi2 as sklearn_chi2

from elicit.errors import CellError, InputError
from elicit.scores import chi2, correlation, f_statistic, fisher, univariate, variance

CLASSES = [load_wine(return_X_y=True), load_breast_cancer(return_X_y=True)]
X, y = CLASSES[0]
DX, dy = load_diabetes(return_X_y=True)


def test_fisher_by_hand():
    # class 0 holds 1 and 3, class 1 holds 5 and 7: between 2*4 + 2*4, within 4*1
    assert fisher([[1.0], [3.0], [5.0], [7.0]], [0, 0, 1, 1]) == pytest.approx([4.0])


def test_correlation_by_hand():
    # x − 2 = (−1, 0, 1), y − 2 = (−1, −1, 2): 3 / √(2 · 6)
    assert correlation([[1.0], [2.0], [3.0]], [1.5, 1.5, 4.5]) == pytest.approx([3 / np.sqrt(12)])


@pytest.mark.parametrize(("X", "y"), CLASSES)
def test_f_of_classes_and_chi2_are_those_of_scikit_learn(X, y):
    assert f_statistic(X, y) == pytest.approx(f_classif(X, y)[0], rel=1e-10)
    assert chi2(X, y) == pytest.approx(sklearn_chi2(X, y)[0], rel=1e-12)


def test_f_of_a_number_is_that_of_scikit_learn():
    assert f_statistic(DX, dy) == pytest.approx(f_regression(DX, dy)[0], rel=1e-10)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_f_of_a_sparse_matrix_is_that_of_its_array_some_columns_at_a_time(kind, monkeypatch):
    few = np.where(np.median(X, axis=0) > X, 0.0, X)
    monkeypatch.setattr(univariate, "CELLS_AT_ONCE", 3 * len(X))
    for target in (y, X[:, 0]):
        assert f_statistic(kind(few), target, classes=target is y) == pytest.approx(
            f_statistic(few, target, classes=target is y), rel=1e-9
        )
    few[7, 5] = np.nan
    with pytest.raises(CellError, match="X is nan in row 7, column 5; fill or drop"):
        f_statistic(kind(few), y)
    few[7, 5] = -1e200
    with pytest.raises(CellError, match=r"X is -1e\+200 in row 7, column 5, too large to square"):
        f_statistic(kind(few), y)


def test_variance_is_that_of_scikit_learns_threshold():
    assert variance(X) == pytest.approx(VarianceThreshold(1e-9).fit(X).variances_, rel=1e-12)


def test_correlation_with_a_number_and_with_two_classes_is_pearsons():
    for data, target in ((DX, dy), CLASSES[1]):
        expected = [abs(np.corrcoef(column, target)[0, 1]) for column in data.T]
        assert correlation(data, target) == pytest.approx(expected, rel=1e-10)


def test_the_correlation_ratio_and_f_and_fisher_tell_the_same_of_classes():
    eta = correlation(X, y) ** 2
    assert fisher(X, y) == pytest.approx(eta / (1 - eta), rel=1e-10)
    assert f_statistic(X, y) == pytest.approx(fisher(X, y) * (178 - 3) / (3 - 1), rel=1e-12)


@given(st.floats(1e-6, 1e6), st.floats(-1e3, 1e3), st.permutations(range(178)))
def test_no_unit_and_no_order_of_the_rows_decides(factor, shift, order):
    moved = (X * factor + shift)[order]
    for score in (correlation, fisher, f_statistic):
        assert score(moved, y[order]) == pytest.approx(score(X, y), rel=1e-4)


@pytest.mark.parametrize("score", [variance, correlation, fisher, f_statistic, chi2])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_a_constant_column_scores_0(score, value):
    data = np.column_stack([np.full(178, value), X[:, 0]])
    assert score(data, y)[0] == 0
    assert score(data, y)[1] > 0


def test_a_column_without_spread_within_the_classes_scores_infinity_by_fisher_and_f():
    column = np.array([0.1, 0.7, 0.3])[y].reshape(-1, 1)
    assert fisher(column, y) == np.inf
    assert f_statistic(column, y) == np.inf
    assert correlation(column, y) == pytest.approx([1.0], abs=1e-12)


def test_more_columns_than_rows_one_column_and_texts_as_classes():
    assert fisher(X[::40], y[::40]).shape == (13,)
    assert fisher(X[:, :1], np.array(["red", "white", "rose"])[y]) == pytest.approx(fisher(X, y)[:1], rel=1e-12)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: fisher(X, np.zeros(178)), "classes are compared by fisher, but every row of the target is 0"),
        (lambda: correlation(X, np.full(178, 0.5)), "every row of the target is"),
        (lambda: fisher(DX, dy), "needs a target of classes, .* choose f, or"),
        (lambda: fisher(np.where(X > 1679, np.nan, X), y), "X is nan in row 18, column 12"),
        (lambda: fisher(X, y[:3]), "178 rows but the target has shape"),
        (lambda: fisher(X[:, 0], y), "must have rows and columns"),
        (lambda: fisher(np.full((4, 2), "a"), [0, 1, 0, 1]), "needs numeric columns"),
        (lambda: correlation(X, np.where(y == 0, np.nan, y)), "the target is not finite in row 0"),
        (lambda: chi2(X - 20, y), "chi2 needs counts, but X is"),
        (
            lambda: chi2([[0, 1], [2, 0], [1, -3], [-4, 2]], ["a", "b", "a", "b"]),
            "X is -3 in row 2, column 1; shift the column to start at 0",
        ),
        (lambda: f_statistic(X[[0, 60, 170]], y[[0, 60, 170]]), "needs more rows than 3, found 3"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_what_differs_in_its_last_digits_alone_is_constant():
    shares = np.random.default_rng(0).dirichlet(np.ones(4), 150)
    whole = shares.sum(axis=1)
    assert len(np.unique(whole)) > 1
    percents = np.random.default_rng(1).dirichlet(np.ones(100), 150).sum(axis=1) * 100
    X = np.column_stack([shares, whole, 1e15 + np.arange(150), percents])
    target = (X[:, 0] > np.median(X[:, 0])).astype(int)
    for score in (fisher, f_statistic, correlation):
        assert score(X, target)[4] == score(X, target)[6] == 0
        assert score(X, target)[5] > 0
