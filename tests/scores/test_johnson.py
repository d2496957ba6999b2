"""Johnson's weights against the singular value decomposition of the data, their limits, and LMG."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_lmg import drawn

from elicit.scores import johnson, lmg
from elicit.scores.johnson import johnson_of, roots
from elicit.scores.moments import Correlations


def by_svd(X, y):
    """Johnson (2000): U = P Δ Q', Z = P Q'; weights of y on Z, squared correlations of Z with the columns."""
    U = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(len(X))
    v = (y - y.mean()) / y.std() / np.sqrt(len(y))
    P, scale, Q = np.linalg.svd(U, full_matrices=False)
    Z = P @ Q
    return (Q.T * scale @ Q) ** 2 @ (Z.T @ v) ** 2


@settings(max_examples=30, deadline=None)
@given(d=st.integers(1, 6), n=st.integers(10, 60), seed=st.integers(0, 10**6))
@example(d=5, n=26, seed=94)  # an eigenvalue of 5e-12: correlations do not tell it to more than a few digits
def test_johnson_is_the_svd_of_the_standardised_columns(d, n, seed):
    X, y = drawn(n, d, seed)
    least = np.linalg.svd((X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(n), compute_uv=False).min() ** 2
    assert johnson(X, y) == pytest.approx(by_svd(X, y), abs=1e-9 + np.finfo(np.float64).eps / least)


@settings(max_examples=30, deadline=None)
@given(d=st.integers(1, 8), n=st.integers(3, 60), seed=st.integers(0, 10**6))
def test_the_shares_sum_to_r_squared_whatever_the_shape(d, n, seed):
    X, y = drawn(n, d, seed)
    assert johnson(X, y).sum() == pytest.approx(lmg(X, y).sum(), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_with_two_columns_johnson_is_lmg(seed):
    X, y = drawn(30, 2, seed)
    assert johnson(X, y) == pytest.approx(lmg(X, y), abs=1e-10)


def test_uncorrelated_columns_have_their_squared_correlations():
    known = Correlations.given(np.eye(3), [0.5, 0.3, -0.2])
    assert johnson_of(known) == pytest.approx([0.25, 0.09, 0.04])


def test_johnson_is_not_lmg_in_general():
    gaps = [np.abs(johnson(X, y) - lmg(X, y)).max() for X, y in (drawn(400, 6, seed) for seed in range(20))]
    assert 0.005 < np.median(gaps) < 0.05


def test_a_column_and_its_copy_get_the_same():
    X, y = drawn(80, 3)
    shares = johnson(np.column_stack([X, -2 * X[:, 0]]), y)
    assert shares[0] == pytest.approx(shares[3], abs=1e-10)
    assert shares.sum() == pytest.approx(johnson(X, y).sum(), abs=1e-8)


def test_constant_columns_among_others_get_nothing_at_all():
    rng = np.random.default_rng(2)
    for _ in range(20):
        X, y = rng.standard_normal((40, 5)), rng.standard_normal(40)
        X[:, 1], X[:, 2], X[:, 4] = X[:, 0], 0.1, 5.0
        assert (johnson(X, y)[[2, 4]] == 0).all()


def test_a_constant_column_gets_nothing_and_changes_nothing():
    X, y = drawn(80, 3)
    shares = johnson(np.column_stack([np.full(80, -1e9), X]), y)
    assert shares[0] == 0
    assert shares[1:] == pytest.approx(johnson(X, y), abs=1e-12)


def test_only_constant_columns_explain_nothing():
    assert johnson(np.ones((9, 2)), np.arange(9) + 0.5).tolist() == [0.0, 0.0]


def test_units_and_origins_do_not_matter():
    X, y = drawn(60, 4)
    assert johnson(X * [1e-9, 1, 1e9, -2] + [3, -5, 1e6, 0], y) == pytest.approx(johnson(X, y), abs=1e-8)


def test_the_roots_are_roots_and_the_inverse_is_the_pseudo_inverse():
    R = np.corrcoef(np.random.default_rng(0).normal(size=(4, 50)) + np.arange(50) / 20)
    R = R[np.ix_([0, 1, 2, 3, 3], [0, 1, 2, 3, 3])]  # a copy makes it singular
    root, inverse = roots(R)
    assert root @ root == pytest.approx(R, abs=1e-12)
    assert inverse @ inverse == pytest.approx(np.linalg.pinv(R, hermitian=True), abs=1e-8)
