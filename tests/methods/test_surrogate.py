"""The surrogate: its kernel is a model of attributes and pairs, and it finds what such a model can tell."""

import numpy as np
import pytest
from played import play
from scipy.stats import norm

from elicit.errors import InputError
from elicit.methods import Surrogate
from elicit.methods.surrogate import MOST_PAIRS, improvement


def features(masks, n):
    """1, every attribute and every pair in signs, scaled as the prior scales their weights."""
    x = np.array([[1.0 if mask >> i & 1 else -1.0 for i in range(n)] for mask in masks])
    first, second = np.triu_indices(n, 1)
    pairs = x[:, first] * x[:, second] / np.sqrt(n * (n - 1) / 2)
    return np.column_stack([np.ones(len(x)), x / np.sqrt(n), pairs])


@pytest.mark.parametrize("seed", range(5))
def test_its_gain_is_that_of_a_bayesian_regression_on_attributes_and_pairs(seed):
    rng = np.random.default_rng(seed)
    n = 5
    masks = [int(m) for m in rng.permutation(np.arange(1, 1 << n))]
    seen, new = masks[:12], masks[12:]
    y = rng.normal(size=12) * 3 + 1
    t = (y - y.mean()) / y.std()
    phi, psi = features(seen, n), features(new, n)

    def regression(noise):
        precision = phi.T @ phi / noise + np.eye(phi.shape[1])
        mean = np.linalg.solve(precision, phi.T @ t / noise)
        cover = phi @ phi.T + noise * np.eye(12)
        scale = t @ np.linalg.solve(cover, t) / 12
        likelihood = -6 * np.log(scale) - 0.5 * np.linalg.slogdet(cover)[1]
        deviation = np.sqrt(scale * np.einsum("ij,ij->i", psi @ np.linalg.inv(precision), psi))
        return likelihood, psi @ mean, deviation

    _, mean, deviation = max((regression(noise) for noise in (0.001, 0.01, 0.1, 1.0)), key=lambda fit: fit[0])
    z = (mean - t.max()) / deviation
    expected = y.std() * deviation * (z * norm.cdf(z) + norm.pdf(z))
    assert improvement(seen, y, new, n) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_truth_of_pairs_is_found_with_few_evaluations():
    n, found = 9, 0
    for seed in range(10):
        weights = np.random.default_rng(seed).normal(size=1 + n + n * (n - 1) // 2)
        values = features(range(1 << n), n) @ weights
        played = play(Surrogate(), n, lambda mask, values=values: float(values[mask]), seed=seed, budget=60)
        found += played.best == int(np.argmax(values[1:])) + 1
    assert found >= 9


@pytest.mark.parametrize("power", [-1000, 0, 800])
def test_its_gain_is_in_the_units_of_the_values_however_large_or_small_they_are(power):
    masks, values = list(range(1, 8)), np.array([0.5, 0.25, 0.75, 1.0, 0.5, 0.125, 0.875])
    gains = improvement(masks[:6], values[:6], masks[6:], 3)
    assert list(improvement(masks[:6], values[:6] * 2.0**power, masks[6:], 3)) == list(gains * 2.0**power)


def test_its_choices_are_checked():
    with pytest.raises(InputError, match="first must be a whole number of at least 2"):
        Surrogate(first=1)
    with pytest.raises(InputError, match="draws must be a whole number of at least 1"):
        Surrogate(draws=0)


@pytest.mark.parametrize(("n", "count"), [(200, 200 + 19_900), (201, 201 + MOST_PAIRS)])
def test_of_very_many_pairs_some_are_looked_at(n, count):
    flips = Surrogate()._flips(range(n), np.random.default_rng(0))
    assert len(set(flips)) == len(flips) == count
    assert {1 << i for i in range(n)} < set(flips)
    assert max(flip.bit_count() for flip in flips) == 2
