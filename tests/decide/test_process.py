"""The process against a Gaussian process written the plain way, and its scales against themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.linalg import LinAlgError
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import approx_fprime

from elicit.decide import process as processes
from elicit.decide.process import (
    EXPONENT,
    FEW,
    LARGEST_SHIFT,
    LAST_REFIT,
    LENGTH_SCALE_SPREAD,
    NOISES,
    REFIT_SHARE,
    SIZE_VARIANCES,
    Hyperparameters,
    Kernel,
    Scale,
    candidate_kernels,
    candidate_length_scales,
    fit_hyperparameters,
    flips,
    last_refit,
    log_prior,
    negative_log_posterior,
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


def fitted(n, seen, numbers, weights=None):
    return fit_hyperparameters(seen, numbers, candidate_kernels(n, weights)).process(seen, numbers, Scale.of(numbers))


def standardised(numbers):
    """Differences count the more the nearer to the best; what is far below it counts as just as bad."""
    top, middle = numbers.max(), np.median(numbers)
    above = np.maximum(numbers, top - 20 * (top - middle)) if top > middle else numbers
    bent = -np.log(0.2 * np.ptp(above) + top - above)
    return (bent - bent.mean()) / bent.std()


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


def likelihood(seen, t, length_scale, noise):
    """Log-likelihood of targets, written the plain way."""
    similar = np.exp(-((np.abs(seen[:, None] - seen) / length_scale).sum(axis=2) ** EXPONENT)) + 0.3
    covariance = similar + noise * np.eye(len(t))
    variance = t @ np.linalg.solve(covariance, t) / len(t)
    return -0.5 * len(t) * np.log(variance) - 0.5 * np.linalg.slogdet(covariance)[1]


@given(measured())
def test_length_scales_are_likelier_than_any_that_all_attributes_share(known):
    """Those tried are worked out the plain way, and so is what one for each attribute gains on the best of them."""
    n, seen, numbers = known
    t = standardised(numbers)
    process = fitted(n, seen, numbers)
    tried = [
        (likelihood(seen, t, length_scale, noise) + log_prior(length_scale, n), length_scale, noise)
        for length_scale in candidate_length_scales(n)
        for noise in NOISES
    ]
    most, shared, noise = max(tried)
    assert process.noise == noise
    own = process.kernel.length_scales
    shifts = np.log(shared / own)
    gained = likelihood(seen, t, own, noise) - 0.5 * (shifts @ shifts) / LENGTH_SCALE_SPREAD**2
    assert gained >= most - log_prior(shared, n) - 1e-6


@given(st.integers(0, 2**32))
def test_no_length_scale_can_be_moved_to_gain(seed):
    """Where the search for length scales ends is a place that no attribute alone leads on from by a step of half."""
    rng = np.random.default_rng(seed)
    seen = as_bits(rng.permutation(np.arange(1, 2**8))[:60], 8)
    numbers = seen @ rng.normal(size=8) + 0.5 * seen[:, 0] * seen[:, 1]
    t = standardised(numbers)
    process = fitted(8, seen, numbers)
    scales = candidate_length_scales(8)
    shared = max((likelihood(seen, t, scale, process.noise) + log_prior(scale, 8), scale) for scale in scales)[1]

    def worth(shifts):
        unlike = 0.5 * (shifts @ shifts) / LENGTH_SCALE_SPREAD**2
        return likelihood(seen, t, shared * np.exp(-shifts), process.noise) - unlike

    found = np.log(shared / process.kernel.length_scales)
    for step in 0.5 * np.vstack([np.eye(8), -np.eye(8)]):
        assert worth(found + step) < worth(found)


@pytest.mark.parametrize("seed", range(3))
def test_no_length_scale_is_tried_that_would_hide_the_digits_of_all_others(monkeypatch, seed):
    """What two attributes decide alone tempts a search far beyond: to e^10 and further."""
    tried = []

    def noted(at, *rest):
        tried.append(abs(at).max())
        return negative_log_posterior(at, *rest)

    monkeypatch.setattr(processes, "negative_log_posterior", noted)
    seen = (np.random.default_rng(seed).random((200, 40)) < 0.5).astype(float)
    fitted(40, seen, seen[:, 0] + 0.3 * seen[:, 1])
    assert 1 < max(tried) <= LARGEST_SHIFT


def test_length_scales_from_short_ones_to_the_number_of_attributes_are_tried_and_those_near_it_preferred():
    for n, longest in ((3, 10), (40, 40)):
        scales = np.array(candidate_length_scales(n))
        assert scales[[0, -1]] == pytest.approx([0.6, longest])
        ratios = scales[1:] / scales[:-1]
        assert ratios == pytest.approx(np.full(len(ratios), ratios[0]))
        assert 1 < ratios[0] < 2
    assert log_prior(7.0, 7) == 0
    assert [log_prior(7 * ratio, 7) for ratio in (np.e, 1 / np.e, np.e**2)] == pytest.approx([-1, -1, -4])


@given(measured(), st.sampled_from((0.0, 0.3, 0.7)), st.sampled_from(SIZE_VARIANCES), st.data())
def test_the_search_for_length_scales_knows_the_slope(known, share, size_variance, data):
    """Against differences, also where something is expected of the attributes beforehand."""
    n, seen, numbers = known
    reading = Hyperparameters(Kernel(np.full(n, 3.0), share, np.arange(1.0, n + 1) * 2 / (n + 1), size_variance), 0.03)
    shifts = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=n, max_size=n)))
    _, slope = negative_log_posterior(shifts, reading, seen, standardised(numbers))
    plain = approx_fprime(shifts, lambda at: negative_log_posterior(at, reading, seen, standardised(numbers))[0], 1e-6)
    assert slope == pytest.approx(plain, abs=1e-3, rel=1e-3)


def test_what_tells_nothing_apart_has_a_long_length_scale():
    """Eight attributes of which two matter, together."""
    rng = np.random.default_rng(5)
    seen = as_bits(rng.permutation(np.arange(1, 2**8))[:60], 8)
    own = fitted(8, seen, seen[:, 2] * seen[:, 5] + 0.01 * rng.normal(size=60)).kernel.length_scales
    assert max(own[[2, 5]]) < min(np.delete(own, [2, 5]))


@given(measured(), st.data())
def test_believing_a_prediction_moves_no_mean_and_widens_nothing(known, data):
    n, seen, numbers = known
    process = fitted(n, seen, numbers)
    chosen = as_bits([data.draw(st.integers(1, 2**n - 1))], n)
    everything = as_bits(range(1, 2**n), n)
    before, after = process.predicted(everything), process.believing(chosen).predicted(everything)
    assert after[0] == pytest.approx(before[0], abs=1e-5)
    assert (after[1] <= before[1] + 1e-6).all()


@given(measured())
def test_what_is_read_is_read_back(known):
    _, _, numbers = known
    scale = Scale.of(numbers)
    read, above = scale.read(numbers), np.maximum(numbers, scale.floor)
    assert read == pytest.approx(standardised(numbers))
    assert scale.number(read) == pytest.approx(above)
    assert read.mean() == pytest.approx(0, abs=1e-9)
    assert read.std() == pytest.approx(1)
    steps = np.diff(read[np.argsort(numbers)])
    assert ((steps > 0) | (np.sort(numbers)[:-1] < scale.floor)).all(), "a scale keeps the order"
    assert (steps >= 0).all()


def test_where_more_than_half_are_the_best_the_others_are_told_apart():
    scale = Scale.of(np.array([0.9, 0.9, 0.9, 0.5, 0.7]))
    best, worst, middle = scale.read(np.array([0.9, 0.5, 0.7]))
    assert worst < middle < best
    assert scale.number(worst) == pytest.approx(0.5)


@pytest.mark.parametrize(("number", "times"), [(0.9, 4), (123456789.123, 11), (1e200, 7)])
def test_equal_numbers_are_read_as_they_are(number, times):
    numbers = np.full(times, number)  # the mean of some of these differs from each of them
    scale = Scale.of(numbers)
    assert scale.limit is None
    assert (scale.read(numbers) == 0).all()
    assert scale.number(scale.read(np.array([number]))) == pytest.approx([number])


@given(measured())
def test_flips_are_counted_and_weighed(known):
    n, seen, _ = known
    weights = np.arange(1.0, n + 1)
    assert flips(seen, seen) == pytest.approx(apart(seen, seen))
    assert flips(seen, seen, weights) == pytest.approx((np.abs(seen[:, None] - seen) * weights).sum(axis=2))
    other = 1 - seen[::2]
    assert flips(other, seen) == pytest.approx(np.abs(other[:, None] - seen).sum(axis=2))
    assert flips(other, seen, weights) == pytest.approx((np.abs(other[:, None] - seen) * weights).sum(axis=2))


@given(st.sampled_from((0.0, 0.3, 0.7)), st.sampled_from(SIZE_VARIANCES), st.integers(0, 2**32))
def test_a_kernel_is_the_sum_of_its_parts(share, size_variance, seed):
    """Brute force, with what is expected of attributes beforehand; no set of subsets has a negative variance."""
    rng = np.random.default_rng(seed)
    seen, weights = as_bits(rng.choice(np.arange(1, 1 << 12), 30, replace=False), 12), 1.0 / np.arange(1, 13)
    own = rng.uniform(1, 9, size=12)
    kernel = Kernel(own, share, weights / weights.mean(), size_variance)
    differ, sizes = np.abs(seen[:, None] - seen), seen.sum(axis=1)
    summing = 1 - 2 * (differ @ (weights / weights.mean())) / 12
    of_one_size = np.exp(-np.abs(np.log1p(sizes)[:, None] - np.log1p(sizes)))
    near = np.exp(-((differ / own).sum(axis=2) ** EXPONENT))
    plain = (1 - share) * near + share * summing + size_variance * of_one_size + 0.3
    assert kernel(seen, seen) == pytest.approx(plain)
    assert np.linalg.eigvalsh(plain).min() > -1e-9


def test_of_many_attributes_the_size_is_learnt_where_something_is_expected_of_them():
    """Numbers that depend on the size alone are forecast by it, far from all that was seen."""
    rng, n = np.random.default_rng(4), 200
    seen = np.array([rng.permutation(n) < size for size in rng.integers(1, 60, 80)], dtype=float)
    numbers = -np.log1p(seen.sum(axis=1)) + 0.05 * rng.normal(size=80)
    process = fitted(n, seen[:60], numbers[:60], weights=1.0 / np.arange(1, n + 1))
    assert process.kernel.size_variance > 0
    assert np.corrcoef(process.predicted(seen[60:])[0], numbers[60:])[0, 1] > 0.9
    assert {kernel.size_variance for kernel, _ in candidate_kernels(n)} == {0.0}
    assert {kernel.size_variance for kernel, _ in candidate_kernels(FEW, np.ones(FEW))} == {0.0}


def test_flips_are_computed_once_for_all_kernels_that_are_tried_with_the_same_weighting(monkeypatch):
    """Of thousands of attributes they would take most of the time of a run."""
    rng, n = np.random.default_rng(4), FEW + 10
    seen, numbers = rng.integers(0, 2, (30, n)).astype(float), rng.normal(size=30)
    kernels = candidate_kernels(n, np.arange(1.0, n + 1))
    posterior = {}
    targets = Scale.of(numbers).read(numbers)
    for kernel, prior in kernels:
        for noise in NOISES:
            root, whitened = processes._whitened(kernel(seen, seen), noise, targets)
            posterior[prior + processes._log_likelihood(root, whitened)] = kernel, noise
    computed = []
    monkeypatch.setattr(processes, "flips", lambda *given: computed.append(given) or flips(*given))
    monkeypatch.setattr(processes, "_attribute_by_attribute", lambda given, *_: given.kernel)
    found = fit_hyperparameters(seen, numbers, kernels)
    assert len(computed) == len(candidate_length_scales(n)) + 1
    assert (found.kernel, found.noise) == posterior[max(posterior)]


def test_flips_are_computed_once_for_each_place_where_the_search_for_length_scales_looks(monkeypatch):
    rng, n = np.random.default_rng(4), 12
    seen, numbers = rng.integers(0, 2, (30, n)).astype(float), rng.normal(size=30)
    computed = []
    monkeypatch.setattr(processes, "flips", lambda *given: computed.append(given) or flips(*given))
    reading = Hyperparameters(Kernel(np.full(n, 3.0)), 0.03)
    _, slope = negative_log_posterior(np.linspace(-1, 1, n), reading, seen, standardised(numbers))
    assert len(computed) == 1
    assert slope.shape == (n,)


@pytest.mark.parametrize("subsets", [1, 2, 60])
def test_the_factor_and_what_is_solved_with_it_are_those_of_scipy(subsets):
    rng, n = np.random.default_rng(subsets), 12
    seen, targets = rng.integers(0, 2, (subsets, n)).astype(float), rng.normal(size=subsets)
    process = fitted(n, seen, targets, np.arange(1.0, n + 1))
    noisy = process.kernel(seen, seen) + process.noise * np.eye(subsets)
    root = cholesky(noisy, lower=True)
    whitened = solve_triangular(root, process.targets, lower=True)
    assert process.root == pytest.approx(root, abs=1e-12)
    assert process.dual == pytest.approx(solve_triangular(root, whitened, lower=True, trans="T"), abs=1e-9)
    near = process.kernel(1 - seen, seen)
    known = solve_triangular(root, near.T, lower=True)
    left = np.maximum(process.kernel(seen[:1], seen[:1])[0, 0] - (known * known).sum(axis=0), 1e-12)
    assert process.predicted(1 - seen)[1] == pytest.approx(np.sqrt(left * process.variance), abs=1e-9)


def test_what_is_no_covariance_is_refused():
    with pytest.raises(LinAlgError, match="not positive definite"):
        processes._whitened(np.array([[1.0, 2.0], [2.0, 1.0]]), 0.1, np.ones(2))


def test_what_is_expected_of_attributes_counts_by_its_ratios_alone():
    expected = np.array([1.0, 1 / 2, 1 / 3])
    for kernel, _ in [*candidate_kernels(3, expected), *candidate_kernels(3, 7 * expected)]:
        assert kernel.weights == pytest.approx(np.array([6, 3, 2]) * 3 / 11)
    assert {kernel.additive_share for kernel, _ in candidate_kernels(3, expected)} == {0.0, 0.3, 0.7}
    assert {kernel.additive_share for kernel, _ in candidate_kernels(3)} == {0.0}


def test_sums_of_attributes_are_recognised_and_ranked():
    rng = np.random.default_rng(0)
    worth, seen = rng.normal(size=30), (rng.random((120, 30)) < 0.5).astype(float)
    process = fitted(30, seen[:60], seen[:60] @ worth, np.ones(30))
    assert np.corrcoef(process.predicted(seen[60:])[0], seen[60:] @ worth)[0, 1] > 0.85
    assert process.kernel.additive_share > 0


def test_one_terrible_number_does_not_hide_all_the_others():
    """Without a floor what is foretold with it has nothing to do with the truth."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        seen = as_bits(rng.permutation(np.arange(1, 2**8))[:60], 8)
        numbers = seen @ rng.normal(size=8)
        process = fitted(8, seen[:40], np.append(numbers[:39], -1e12))
        found.append(np.corrcoef(process.predicted(seen[40:])[0], numbers[40:])[0, 1])
    assert np.mean(found) > 0.3


@given(st.integers(1, 3000))
def test_hyperparameters_are_fitted_again_when_there_are_a_fiftieth_more(count):
    last = last_refit(count)
    assert last_refit(last) == last
    if count <= REFIT_SHARE:
        assert last == count
    elif count < LAST_REFIT:
        assert count * REFIT_SHARE < (last + last // REFIT_SHARE + 1) * REFIT_SHARE
        assert last <= count
    else:
        assert last == last_refit(LAST_REFIT)
