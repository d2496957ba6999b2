"""The process against a Gaussian process written the plain way, and its scales against themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.process import NOISES, Scale, by_flips, flips, likeliest, preference, reaches


@st.composite
def measured(draw):
    n = draw(st.integers(2, 6))
    subsets = draw(st.lists(st.integers(1, 2**n - 1), min_size=3, max_size=12, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = np.round(rng.normal(size=len(subsets)), 3) + 1e-4 * np.arange(len(subsets))
    return n, as_bits(subsets, n), numbers


def as_bits(subsets, n):
    return np.array([[m >> i & 1 for i in range(n)] for m in subsets], dtype=float)


def fitted(n, seen, numbers, limits=(None,)):
    return likeliest(seen, numbers, by_flips(n), [Scale.of(numbers, limit) for limit in limits])


def apart(a, b):
    return np.abs(a[:, None] - b).sum(axis=2)


@given(measured())
def test_mean_and_spread_are_those_of_the_textbook(known):
    n, seen, numbers = known
    process = fitted(n, seen, numbers)
    everything = as_bits(range(1, 2**n), n)
    t = (numbers - numbers.mean()) / numbers.std()
    inverse = np.linalg.inv(process.kernel(seen, seen) + process.noise * np.eye(len(seen)))
    near = process.kernel(everything, seen)
    mean, spread = process.predicted(everything)
    assert mean == pytest.approx(near @ inverse @ t, abs=1e-5)
    variance = (1.3 - np.einsum("am,mk,ak->a", near, inverse, near)) * (t @ inverse @ t) / len(seen)
    assert spread == pytest.approx(np.sqrt(np.maximum(variance, 0)), abs=1e-4)


@given(measured())
def test_no_reach_and_noise_are_likelier_than_those_chosen(known):
    n, seen, numbers = known
    t = (numbers - numbers.mean()) / numbers.std()

    def likelihood(similar, noise, preferred):
        covariance = similar + noise * np.eye(len(t))
        variance = t @ np.linalg.solve(covariance, t) / len(t)
        return preferred - 0.5 * len(t) * np.log(variance) - 0.5 * np.linalg.slogdet(covariance)[1]

    process = fitted(n, seen, numbers)
    tried = [
        (likelihood(np.exp(-apart(seen, seen) / reach) + 0.3, noise, preference(reach, n)), reach, noise)
        for reach in reaches(n)
        for noise in NOISES
    ]
    _, reach, noise = max(tried)
    assert process.noise == noise
    assert process.kernel.reach == reach
    assert process.kernel(seen, seen) == pytest.approx(np.exp(-apart(seen, seen) / reach) + 0.3)


@given(measured(), st.data())
def test_believing_a_prediction_moves_no_mean_and_widens_nothing(known, data):
    n, seen, numbers = known
    process = fitted(n, seen, numbers)
    chosen = as_bits([data.draw(st.integers(1, 2**n - 1))], n)
    everything = as_bits(range(1, 2**n), n)
    before, after = process.predicted(everything), process.believing(chosen).predicted(everything)
    assert after[0] == pytest.approx(before[0], abs=1e-5)
    assert (after[1] <= before[1] + 1e-6).all()


@given(measured(), st.sampled_from([None, 0.1, 1.0]))
def test_what_is_read_is_read_back(known, beyond):
    _, _, numbers = known
    limit = None if beyond is None else numbers.max() + beyond * np.ptp(numbers)
    scale = Scale.of(numbers, limit)
    read = scale.read(numbers)
    assert scale.number(read) == pytest.approx(numbers)
    assert read.mean() == pytest.approx(0, abs=1e-9)
    assert read.std() == pytest.approx(1)
    assert (np.diff(read[np.argsort(numbers)]) > 0).all(), "a scale keeps the order"


@given(measured(), st.sampled_from([None, 0.1, 1.0]))
def test_the_stretch_is_the_derivative_of_reading(known, beyond):
    _, _, numbers = known
    limit = None if beyond is None else numbers.max() + beyond * np.ptp(numbers)
    scale, step = Scale.of(numbers, limit), 1e-6
    slope = (scale.read(numbers + step / 2) - scale.read(numbers - step / 2)) / step
    assert scale.log_stretch(numbers) == pytest.approx(np.log(slope).sum(), abs=1e-4)


def test_numbers_of_which_most_are_far_below_the_best_are_read_bent():
    rng = np.random.default_rng(0)
    masks = rng.permutation(np.arange(1, 2**8))[:60].tolist()
    seen = as_bits(masks, 8)
    numbers = -np.exp(1.5 * (seen @ rng.normal(size=8)))
    process = fitted(8, seen, numbers, (None, numbers.max() + 0.1 * np.ptp(numbers), 0.0))
    assert process.scale.limit == 0.0, "on this scale attributes add up"


@given(measured())
def test_flips_are_counted_and_weighed(known):
    n, seen, _ = known
    weights = np.arange(1.0, n + 1)
    assert flips(seen, seen) == pytest.approx(apart(seen, seen))
    assert flips(seen, seen, weights) == pytest.approx((np.abs(seen[:, None] - seen) * weights).sum(axis=2))
