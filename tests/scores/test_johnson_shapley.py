"""Johnson-Shapley: closed forms of quadratic functions, the arrays' defining property, and refusals."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from elicit.errors import InputError
from elicit.scores import DependenceWarning, gaussian_inputs, inputs_of_sample, johnson_shapley
from elicit.scores.inputs import warn_of_dependence
from elicit.scores.johnson import johnson_of
from elicit.scores.johnson_shapley import largest_prime, orthogonal_array, smallest_prime
from elicit.scores.moments import Correlations


class Quadratic:
    """f = a'x + x'Bx of Gaussian inputs, whose shares are known exactly."""

    def __init__(self, d, seed=0):
        rng = np.random.default_rng(seed)
        self.a, B = rng.normal(size=d), rng.normal(size=(d, d)) / 2
        self.B = (B + B.T) / 2
        root = rng.normal(size=(d, d))
        self.mean, self.cov = rng.normal(size=d), root @ root.T + np.eye(d)
        self.inputs = gaussian_inputs(self.mean, self.cov)

    def __call__(self, X):
        return X @ self.a + np.einsum("ni,ij,nj->n", X, self.B, X)

    @property
    def parts(self):
        """Sobol indices of Z of first and second order: f = const + g'z + z'Hz."""
        A = self.inputs.scale[:, None] * self.inputs.root
        g, H = A.T @ (self.a + 2 * self.B @ self.mean), A.T @ self.B @ A
        variance = g @ g + 2 * (H**2).sum()
        second = 4 * H**2 / variance
        np.fill_diagonal(second, 0)
        return (g**2 + 2 * np.diag(H) ** 2) / variance, second, variance

    @property
    def shares(self):
        first, second, _ = self.parts
        return self.inputs.root**2 @ (first + second.sum(axis=1) / 2)


@pytest.mark.parametrize("estimator", ["walk", "arrays"])
@pytest.mark.parametrize("d", [2, 5])
def test_the_estimate_lies_within_its_errors_of_the_closed_form(estimator, d):
    f = Quadratic(d)
    found = johnson_shapley(f, f.inputs, estimator=estimator, runs=100_000)
    assert (np.abs(found.shares - f.shares) < 4.5 * found.errors).all()
    assert found.errors.max() < 0.03
    assert found.variance == pytest.approx(f.parts[2], rel=0.06)


def test_the_walks_share_out_the_whole_variance():
    f = Quadratic(4)
    assert johnson_shapley(f, f.inputs, runs=999).shares.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"runs": 4000},
        {"estimator": "arrays", "runs": 2 * 8 * 13**2},
        {"estimator": "arrays", "runs": 2 * 2 * 13**2, "designs": 2},
    ],
    ids=str,
)
def test_the_errors_are_the_spread_of_repeated_estimates(options):
    f = Quadratic(3)
    found = [johnson_shapley(f, f.inputs, random_state=seed, **options) for seed in range(100)]
    spread = np.std([part.shares for part in found], axis=0)
    assert spread == pytest.approx(np.sqrt(np.mean([part.errors**2 for part in found], axis=0)), rel=0.2)


@pytest.mark.parametrize("options", [{"runs": 99}, {"estimator": "arrays", "runs": 1000}], ids=str)
def test_runs_are_counted_and_no_more_than_were_given(options):
    asked = []

    def counted(X):
        asked.append(len(X))
        return X.sum(axis=1)

    found = johnson_shapley(counted, gaussian_inputs(np.zeros(3), np.eye(3)), **options)
    assert found.runs == sum(asked) <= options["runs"]


def test_a_share_that_no_draw_could_change_has_no_error():
    found = johnson_shapley(lambda X: X[:, 0] ** 2, gaussian_inputs(np.zeros(3), np.eye(3)), runs=400)
    assert found.shares == pytest.approx([1, 0, 0], abs=1e-12)
    assert found.errors == pytest.approx([0, 0, 0], abs=1e-12)


def test_the_arrays_know_every_index_of_first_and_second_order():
    f = Quadratic(4)
    found = johnson_shapley(f, f.inputs, estimator="arrays", runs=200_000)
    first, second, _ = f.parts
    assert found.first == pytest.approx(first, abs=0.03)
    assert found.second == pytest.approx(second, abs=0.05)


def test_arrays_leave_out_what_three_columns_do_together():
    inputs = gaussian_inputs(np.zeros(3), np.eye(3))

    def product(X):
        return X[:, 0] * X[:, 1] * X[:, 2]

    assert johnson_shapley(product, inputs, estimator="arrays", runs=100_000).shares.sum() == pytest.approx(0, abs=0.1)
    assert johnson_shapley(product, inputs, runs=100_000).shares == pytest.approx([1 / 3] * 3, abs=0.05)


def test_a_linear_function_has_johnsons_weights():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 3)) @ rng.normal(size=(3, 3))
    a = np.array([1.0, -2.0, 0.5])
    R = np.corrcoef(X.T)
    y = X @ a
    r = [np.corrcoef(x, y)[0, 1] for x in X.T]
    found = johnson_shapley(lambda X: X @ a, inputs_of_sample(X), runs=100_000)
    assert (np.abs(found.shares - johnson_of(Correlations.given(R, r))) < 4.5 * found.errors + 1e-3).all()


def test_a_sample_is_recombined_within_the_range_of_each_column_of_z():
    X = np.random.default_rng(0).normal(size=(500, 3))
    inputs = inputs_of_sample(X)
    drawn = inputs.draw(1000, np.random.default_rng(1))
    for j in range(3):
        assert set(drawn[:, j]) <= set(inputs.columns[:, j])
    assert inputs.of(inputs.quantiles(np.zeros((1, 3))))[0] == pytest.approx(
        inputs.mean + inputs.scale * (inputs.root @ inputs.columns[0])
    )


@pytest.mark.parametrize(("q", "d"), [(2, 2), (3, 3), (7, 5), (11, 11)])
def test_any_two_columns_of_an_array_hold_every_pair_once(q, d):
    array = orthogonal_array(q, d)
    assert array.shape == (q * q, d)
    for i, j in combinations(range(d), 2):
        assert len(set(zip(array[:, i].tolist(), array[:, j].tolist(), strict=True))) == q * q


def test_primes():
    assert [largest_prime(k) for k in (1, 2, 9, 317, 320)] == [0, 2, 7, 317, 317]
    assert [smallest_prime(k) for k in (0, 4, 14, 317)] == [2, 5, 17, 317]


def test_dependent_columns_of_z_are_announced_and_independent_ones_are_not():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    bent = np.column_stack([x, x**2 + rng.normal(size=2000) / 10])  # uncorrelated, yet one follows from the other
    with pytest.warns(DependenceWarning, match="uncorrelated but not independent"):
        inputs_of_sample(bent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inputs_of_sample(rng.gamma(1.0, size=(2000, 4)))


@pytest.mark.parametrize(
    "drawn",
    [
        lambda rng: rng.exponential(size=(100, 3)),
        lambda rng: rng.standard_t(2, size=(100, 3)),
        lambda rng: rng.lognormal(size=(100, 3)),
        lambda rng: rng.integers(2, size=(100, 3)),
        lambda rng: rng.binomial(1, 0.2, size=(100, 3)),
    ],
)
def test_false_alarms_are_as_rare_as_the_level_says(drawn):
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(200):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            inputs_of_sample(drawn(rng))
        alarms += len(caught)
    assert alarms <= 3


def test_columns_of_two_values_that_belong_together_are_announced():
    rng = np.random.default_rng(0)
    x = rng.integers(2, size=300)
    with pytest.warns(DependenceWarning, match="uncorrelated but not independent"):
        inputs_of_sample(np.column_stack([x, np.where(rng.random(300) < 0.8, x, 1 - x)]))


def test_columns_that_only_go_up_and_down_together_are_announced_too():
    rng = np.random.default_rng(0)
    signs, sizes = rng.choice([-1.0, 1.0], 500), rng.gamma(1.0, size=(500, 2))
    Z = signs[:, None] * sizes  # whose sizes have nothing to do with each other
    Z[0] *= [40, -40]  # and by which they are uncorrelated
    with pytest.warns(DependenceWarning, match=r"columns 0 and 1 .* \(rank association 0.7"):
        warn_of_dependence(Z)


@pytest.mark.parametrize("d", [2, 4])
def test_the_alarm_tells_what_chance_stays_below(d):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    looks = d * (d - 1)  # the ranks and the sizes of each pair, and either may be too large or too small
    limit = norm.isf(0.001 / looks / 2) / np.sqrt(199)
    with pytest.warns(DependenceWarning, match=f"columns 0 and 1 .*, chance stays below {limit:.2f}\\)"):
        inputs_of_sample(np.column_stack([x, x**2 + rng.normal(size=200) / 10, rng.normal(size=(200, d - 2))]))


def test_gaussian_inputs_may_be_linearly_dependent():
    inputs = gaussian_inputs([0, 0], np.ones((2, 2)))
    found = johnson_shapley(lambda X: X[:, 0], inputs, runs=10_000)
    assert found.shares == pytest.approx([0.5, 0.5], abs=0.05)


@pytest.mark.parametrize(
    ("inputs", "options", "words"),
    [
        (np.ones((9, 2)), {}, "one value only"),
        (np.repeat(np.arange(9.0)[:, None], 2, axis=1), {}, "independent directions"),
        (np.random.default_rng(0).normal(size=(3, 5)), {}, "independent directions"),
        (np.random.default_rng(0).normal(size=(30, 3)), {"estimator": "other"}, "'walk' or 'arrays'"),
        (np.random.default_rng(0).normal(size=(30, 3)), {"runs": 7}, "at least 8"),
        (np.random.default_rng(0).normal(size=(30, 3)), {"runs": 100, "estimator": "arrays"}, "at least 144"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(inputs, options, words):
    with pytest.raises(InputError, match=words):
        johnson_shapley(lambda X: X[:, 0], inputs, **options)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda X: np.ones(len(X)), "same number at every input"),
        (lambda X: 1e200 * X[:, 0], "too large to square; rescale"),
        (lambda X: X, "one number a row"),
        (lambda X: X[:, 0] / 0, "not finite"),
    ],
)
@pytest.mark.parametrize("estimator", ["walk", "arrays"])
def test_what_is_no_function_of_a_row_is_refused(function, words, estimator):
    with np.errstate(all="ignore"), pytest.raises(InputError, match=words):
        johnson_shapley(function, gaussian_inputs(np.zeros(2), np.eye(2)), estimator=estimator)


@pytest.mark.parametrize(
    ("mean", "cov", "words"),
    [
        ([0, 0], np.eye(3), r"found shapes \(2,\) and \(3, 3\)"),
        ([0, 0], [[1, 2], [2, 1]], "symmetric, without negative eigenvalues"),
        ([0, 0], [[1, 0.5], [0, 1]], "symmetric, without negative eigenvalues"),
        ([0, np.inf], np.eye(2), "must be finite"),
        ([0, 0], np.diag([1, 0]), "input 1 has no variance"),
    ],
)
def test_impossible_moments_are_refused(mean, cov, words):
    with pytest.raises(InputError, match=words):
        gaussian_inputs(mean, cov)
