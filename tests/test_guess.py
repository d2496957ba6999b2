"""A guess at scores by their ranks: what it gains by, and what it keeps of very many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from elicit.decide.forecast import MOST_FITTED, bits
from elicit.estimator.guess import Guess, log_improvement, normal_scores

orders = st.lists(st.integers(0, 5), min_size=3, max_size=12)


@given(st.floats(-1e6, 30))
def test_the_logarithm_of_the_improvement_is_finite_and_grows(z):
    low, high = log_improvement(np.array([z, z + max(1e-3, abs(z) * 1e-3)]))
    assert np.isfinite(low)
    assert high > low


@given(st.floats(-6, 6))
def test_the_improvement_is_that_of_the_textbook(z):
    assert np.exp(log_improvement(np.array([z])))[0] == pytest.approx(norm.pdf(z) + z * norm.cdf(z), rel=1e-6)


@given(orders, st.floats(0.1, 10), st.floats(-5, 5))
def test_only_the_order_counts(order, factor, shift):
    subsets, asked = list(range(1, len(order) + 1)), list(range(1, 32))
    order = np.array(order, dtype=float)
    one = Guess(5, subsets, order, np.ones(5)).log_gain(asked)
    assert Guess(5, subsets, order * factor + shift, np.ones(5)).log_gain(asked) == pytest.approx(one)


@given(orders)
def test_ties_share_a_rank(order):
    scores = normal_scores(np.array(order, dtype=float))
    for i, a in enumerate(order):
        for j, b in enumerate(order):
            assert np.sign(scores[i] - scores[j]) == np.sign(a - b)


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 100))
def test_of_more_subsets_than_can_be_fitted_the_best_are_kept(seed):
    rng = np.random.default_rng(seed)
    subsets = rng.permutation(np.arange(1, 2**10))[: MOST_FITTED + 50].tolist()
    order = rng.permutation(len(subsets)).astype(float)
    kept = [s for s, v in zip(subsets, order, strict=True) if v >= 50]
    assert np.array_equal(Guess(10, subsets, order, np.ones(10)).process.seen, bits(kept, 10))
