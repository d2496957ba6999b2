"""The process against a Gaussian process written the plain way, and its scales against themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.process import (
    EVERY,
    FEW,
    MOST_LOOKED_AT,
    NOISES,
    OF_SIZE,
    Likeness,
    Scale,
    flips,
    kernels,
    likeliest,
    looked_at,
    preference,
    reaches,
)


@st.composite
def measured(draw):
    n = draw(st.integers(2, 6))
    subsets = draw(st.lists(st.integers(1, 2**n - 1), min_size=3, max_size=12, unique=True))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    numbers = np.round(rng.normal(size=len(subsets)), 3) + 1e-4 * np.arange(len(subsets))
    return n, as_bits(subsets, n), numbers


def as_bits(subsets, n):
    return np.array([[m >> i & 1 for i in range(n)] for m in subsets], dtype=float)


def fitted(n, seen, numbers, beyond=(None,), weights=None):
    return likeliest(seen, numbers, kernels(n, weights), beyond).process(seen, numbers)


def standardised(numbers):
    """What is twenty times further below the best than the middle is counts as just that bad."""
    above = np.maximum(numbers, numbers.max() - 20 * (numbers.max() - np.median(numbers)))
    return (above - above.mean()) / above.std()


def apart(a, b):
    return np.abs(a[:, None] - b).sum(axis=2)


@given(measured())
def test_mean_and_spread_are_those_of_the_textbook(known):
    n, seen, numbers = known
    process = fitted(n, seen, numbers)
    everything = as_bits(range(1, 2**n), n)
    t = standardised(numbers)
    inverse = np.linalg.inv(process.kernel(seen, seen) + process.noise * np.eye(len(seen)))
    near = process.kernel(everything, seen)
    mean, spread = process.predicted(everything)
    assert mean == pytest.approx(near @ inverse @ t, abs=1e-5)
    variance = (1.3 - np.einsum("am,mk,ak->a", near, inverse, near)) * (t @ inverse @ t) / len(seen)
    assert spread == pytest.approx(np.sqrt(np.maximum(variance, 0)), abs=1e-4)


@given(measured())
def test_no_reach_and_noise_are_likelier_than_those_chosen(known):
    n, seen, numbers = known
    t = standardised(numbers)

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
    scale = Scale.of(numbers, beyond)
    read, above = scale.read(numbers), np.maximum(numbers, scale.floor)
    assert scale.number(read) == pytest.approx(above)
    assert read.mean() == pytest.approx(0, abs=1e-9)
    assert read.std() == pytest.approx(1)
    steps = np.diff(read[np.argsort(numbers)])
    assert ((steps > 0) | (np.sort(numbers)[:-1] < scale.floor)).all(), "a scale keeps the order"
    assert (steps >= 0).all()


@given(measured(), st.sampled_from([None, 0.1, 1.0]))
def test_the_stretch_is_the_derivative_of_reading(known, beyond):
    _, _, numbers = known
    scale, step = Scale.of(numbers, beyond), 1e-6
    numbers = np.maximum(numbers, scale.floor + step)
    slope = (scale.read(numbers + step / 2) - scale.read(numbers - step / 2)) / step
    assert scale.log_stretch(numbers) == pytest.approx(np.log(slope).sum(), abs=1e-4)


def test_numbers_of_which_most_are_far_below_the_best_are_read_bent():
    rng = np.random.default_rng(0)
    masks = rng.permutation(np.arange(1, 2**8))[:60].tolist()
    seen = as_bits(masks, 8)
    numbers = -np.exp(1.5 * (seen @ rng.normal(size=8)))
    assert fitted(8, seen, numbers, (None, 0.01)).scale.limit is not None, "on this scale attributes nearly add up"


@given(measured())
def test_flips_are_counted_and_weighed(known):
    n, seen, _ = known
    weights = np.arange(1.0, n + 1)
    assert flips(seen, seen) == pytest.approx(apart(seen, seen))
    assert flips(seen, seen, weights) == pytest.approx((np.abs(seen[:, None] - seen) * weights).sum(axis=2))


@given(st.sampled_from((0.0, 0.3, 0.7)), st.sampled_from(OF_SIZE), st.integers(0, 2**32))
def test_a_likeness_is_the_sum_of_its_parts(share, of_size, seed):
    """Brute force, with what is expected of attributes beforehand; no set of subsets has a negative variance."""
    rng = np.random.default_rng(seed)
    seen, weights = as_bits(rng.choice(np.arange(1, 1 << 12), 30, replace=False), 12), 1.0 / np.arange(1, 13)
    kernel = Likeness(4.0, share, weights / weights.mean(), of_size)
    differ, sizes = np.abs(seen[:, None] - seen), seen.sum(axis=1)
    summing = 1 - 2 * (differ @ (weights / weights.mean())) / 12
    of_one_size = np.exp(-np.abs(np.log1p(sizes)[:, None] - np.log1p(sizes)))
    plain = (1 - share) * np.exp(-differ.sum(axis=2) / 4) + share * summing + of_size * of_one_size + 0.3
    assert kernel(seen, seen) == pytest.approx(plain)
    assert np.linalg.eigvalsh(plain).min() > -1e-9


def test_of_many_attributes_the_size_is_learnt_where_something_is_expected_of_them():
    """Numbers that depend on the size alone are forecast by it, far from all that was seen."""
    rng, n = np.random.default_rng(4), 200
    seen = np.array([rng.permutation(n) < size for size in rng.integers(1, 60, 80)], dtype=float)
    numbers = -np.log1p(seen.sum(axis=1)) + 0.05 * rng.normal(size=80)
    process = fitted(n, seen[:60], numbers[:60], weights=1.0 / np.arange(1, n + 1))
    assert process.kernel.of_size > 0
    assert np.corrcoef(process.predicted(seen[60:])[0], numbers[60:])[0, 1] > 0.9
    assert {kernel.of_size for kernel, _ in kernels(n)} == {0.0}
    assert {kernel.of_size for kernel, _ in kernels(FEW, np.ones(FEW))} == {0.0}


def test_sums_of_attributes_are_recognised_and_ranked():
    rng = np.random.default_rng(0)
    worth, seen = rng.normal(size=30), (rng.random((120, 30)) < 0.5).astype(float)
    process = fitted(30, seen[:60], seen[:60] @ worth, (None, 0.1, 1.0), np.ones(30))
    assert np.corrcoef(process.predicted(seen[60:])[0], seen[60:] @ worth)[0, 1] > 0.85
    assert process.kernel.share > 0


def test_one_terrible_number_does_not_hide_all_the_others():
    """Without a floor what is foretold with it has nothing to do with the truth."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        seen = as_bits(rng.permutation(np.arange(1, 2**8))[:60], 8)
        numbers = seen @ rng.normal(size=8)
        process = fitted(8, seen[:40], np.append(numbers[:39], -1e12), (None, 0.1, 1.0))
        found.append(np.corrcoef(process.predicted(seen[40:])[0], numbers[40:])[0, 1])
    assert np.mean(found) > 0.3


@given(st.integers(1, 3000))
def test_one_looks_again_when_there_are_a_fiftieth_more(count):
    looked = looked_at(count)
    assert looked_at(looked) == looked
    if count <= EVERY:
        assert looked == count
    elif count < MOST_LOOKED_AT:
        assert count * EVERY < (looked + looked // EVERY + 1) * EVERY
        assert looked <= count
    else:
        assert looked == looked_at(MOST_LOOKED_AT)
