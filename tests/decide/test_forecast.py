"""The forecast against a Gaussian process written the plain way, and its improvement against sampling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from elicit.decide.forecast import MOST_FITTED, Forecast, _log_improvement, _normal_scores


@st.composite
def seen(draw, least=3):
    n = draw(st.integers(2, 6))
    subsets = draw(st.lists(st.integers(1, 2**n - 1), min_size=min(least, 2**n - 1), max_size=12, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    operators = draw(st.integers(1, 3))
    return n, subsets, np.round(rng.normal(size=(operators, len(subsets))), 1), rng.dirichlet(np.ones(operators))


def plain(forecast, n, subsets, values, asked):
    """Mean and spread by the textbook, with the reach and the noise that the forecast chose."""
    bits = lambda masks: np.array([[m >> i & 1 for i in range(n)] for m in masks])  # noqa: E731  # local and short
    near = lambda a, b: np.exp(-np.abs(bits(a)[:, None] - bits(b)).sum(axis=2) / forecast._reach) + 0.3  # noqa: E731
    t = _normal_scores(values)
    t = ((t - t.mean(axis=1, keepdims=True)) / np.maximum(t.std(axis=1, keepdims=True), 1e-9)).T
    inverse = np.linalg.inv(near(subsets, subsets) + forecast._noise * np.eye(len(subsets)))
    k = near(asked, subsets)
    scale = np.maximum(np.einsum("mg,mk,kg->g", t, inverse, t) / len(subsets), 1e-12)
    variance = 1.3 - np.einsum("am,mk,ak->a", k, inverse, k)
    return k @ inverse @ t, np.sqrt(np.maximum(variance, 1e-12)[:, None] * scale)


@given(seen())
def test_mean_and_spread_are_those_of_the_textbook(known):
    n, subsets, values, shares = known
    forecast = Forecast(n, subsets, values, shares)
    asked = list(range(1, 2**n))
    for ours, theirs in zip(forecast.predicted(asked), plain(forecast, n, subsets, values, asked), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-5)


@given(seen())
def test_the_gain_is_the_mean_over_the_operators(known):
    n, subsets, values, shares = known
    forecast = Forecast(n, subsets, values, shares)
    asked = list(range(1, 2**n))
    mean, spread = forecast.predicted(asked)
    best = forecast._targets.max(axis=0)
    z = (mean - best) / spread
    improvement = spread * (norm.pdf(z) + z * norm.cdf(z))
    assert np.exp(forecast.log_gain(asked)) == pytest.approx(improvement @ shares, rel=1e-6, abs=1e-12)


@given(st.floats(-1e6, 30))
def test_the_logarithm_of_the_improvement_is_finite_and_grows(z):
    low, high = _log_improvement(np.array([z, z + max(1e-3, abs(z) * 1e-3)]))
    assert np.isfinite(low)
    assert high > low


@given(seen(), st.data())
def test_believing_a_forecast_moves_no_mean_and_widens_nothing(known, data):
    n, subsets, values, shares = known
    forecast = Forecast(n, subsets, values, shares)
    chosen = data.draw(st.integers(1, 2**n - 1))
    asked = list(range(1, 2**n))
    before, after = forecast.predicted(asked), forecast.believing(chosen).predicted(asked)
    assert after[0] == pytest.approx(before[0], abs=1e-5)
    assert (after[1] <= before[1] + 1e-6).all()


@given(seen(), st.floats(0.1, 10), st.floats(-5, 5))
def test_only_the_order_of_the_values_counts(known, factor, shift):
    n, subsets, values, shares = known
    asked = list(range(1, 2**n))
    one = Forecast(n, subsets, values, shares).log_gain(asked)
    other = Forecast(n, subsets, np.round(values * 10) * factor + shift, shares).log_gain(asked)
    assert other == pytest.approx(one)


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 100))
def test_of_more_subsets_than_can_be_fitted_the_best_are_kept(seed):
    rng = np.random.default_rng(seed)
    subsets = rng.permutation(np.arange(1, 2**10))[: MOST_FITTED + 50].tolist()
    values = rng.normal(size=(1, len(subsets)))
    forecast = Forecast(10, subsets, values, np.ones(1))
    kept = np.sort(values[0])[-MOST_FITTED:]
    whole = Forecast(
        10,
        [s for s, v in zip(subsets, values[0], strict=True) if v >= kept[0]],
        values[:, values[0] >= kept[0]],
        np.ones(1),
    )
    assert forecast._seen.shape == (MOST_FITTED, 10)
    assert np.array_equal(forecast._seen, whole._seen)
