"""PIMP: its p-values by hand, honest when nothing matters, small when something does, the same for any n_jobs."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from elicit.errors import InputError
from elicit.scores import pimp
from elicit.scores.pimp import _rows, p_values
from elicit.scores.registry import score_named

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
y = X[:, 0] + RNG.normal(size=60) / 2


def size(model, _X, _y):
    """An importance that costs nothing."""
    return np.abs(model.coef_)


def test_p_values_by_hand():
    null = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
    assert p_values(np.array([2.0, 9.0]), null).tolist() == [3 / 4, 1 / 4]


def test_what_matters_has_the_smallest_p_and_what_does_not_has_none():
    found = pimp(LinearRegression(), X, y, draws=99)
    assert found.p_values[0] == pytest.approx(0.01)
    assert found.p_values[1:].min() > 0.03
    assert found.null.shape == (99, 3)


def test_without_any_effect_p_values_are_even():
    drawn = []
    for seed in range(40):
        noise = np.random.default_rng(seed).normal(size=60)
        found = pimp(LinearRegression(), X, noise, draws=19, importance=size, random_state=seed)
        drawn.append(found.p_values)
    assert np.mean(drawn) == pytest.approx(0.525, abs=0.1)
    assert np.mean(np.array(drawn) <= 0.05) < 0.12


def answers_moved(model, Z, _y):
    """The share of answers that change when the values of an attribute move on by one row."""
    said, moved = model.predict(Z), [Z.copy() for _ in range(Z.shape[1])]
    for j, other in enumerate(moved):
        other[:, j] = np.roll(Z[:, j], 1)
    return np.array([(model.predict(other) != said).mean() for other in moved])


def test_beside_what_matters_p_of_noise_may_be_far_too_small_and_no_text_calls_it_sound():
    small = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        Z = rng.normal(size=(120, 3))
        rare = 2.5 * Z[:, 0] - 4 + rng.logistic(size=120) > 0
        found = pimp(LogisticRegression(), Z, rare, draws=19, importance=answers_moved, random_state=seed)
        small += (found.p_values[1:] <= 0.05).tolist()
    assert np.mean(small) > 1 / 3
    assert "were there no attribute that matters" in score_named("pimp").meaning
    assert "were there no attribute that matters" in pimp.__doc__


def test_any_importance_may_be_judged():
    found = pimp(LinearRegression(), X, y, draws=50, importance=size)
    assert found.observed == pytest.approx(np.abs(LinearRegression().fit(X, y).coef_))
    assert found.p_values[0] == pytest.approx(1 / 51)


def test_rows_held_out_show_what_a_model_that_overfits_hides():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(300, 4))
    target = 2 * Z[:, 0] + Z[:, 1] + rng.normal(size=300)
    model = DecisionTreeRegressor(random_state=0)
    same, apart = (pimp(model, Z, target, draws=30, test_size=share).p_values for share in (None, 0.4))
    assert same[1] > 0.5 > 0.2 > apart[1]
    assert apart[0] == pytest.approx(1 / 31)


def test_the_result_does_not_depend_on_n_jobs():
    with parallel_config(backend="threading"):
        one, two = (pimp(LinearRegression(), X, y, draws=6, n_jobs=jobs) for jobs in (1, 2))
    assert (one.null == two.null).all()


@pytest.mark.parametrize(
    ("target", "options", "words"),
    [
        (np.zeros(60), {}, "a target that varies"),
        (y, {"draws": 0}, "draws must be a whole number"),
        (y[:, None], {}, r"one target a row, found shape \(60, 1\)"),
        (y[:50], {}, "X has 60 rows but the target has 50"),
        (y, {"test_size": 1.0}, "a share between 0 and 1, found 1.0"),
        (y, {"groups": [[0]], "importance": lambda *_: np.ones(3)}, "groups are for the default importance"),
    ],
)
def test_bad_input_is_named(target, options, words):
    with pytest.raises(InputError, match=words):
        pimp(LinearRegression(), X, target, **{"draws": 5, **options})


@pytest.mark.parametrize("by_chance", [True, False])
def test_an_importance_that_is_no_number_is_refused(by_chance):
    def undefined(_model, _X, target):
        return np.full(3, np.nan) if (target == y).all() != by_chance else np.ones(3)

    with pytest.raises(InputError, match="an importance is not a number"):
        pimp(LinearRegression(), X, y, draws=2, importance=undefined)


def test_a_model_without_a_seed_gives_the_same_every_time():
    forest = RandomForestRegressor(3, max_features=1)
    first, second = (pimp(forest, X, y, draws=9, random_state=4) for _ in range(2))
    assert first.null.tolist() == second.null.tolist()
    assert first.observed.tolist() == second.observed.tolist()
    assert forest.random_state is None


def test_what_leaves_nothing_to_fit_to_is_said():
    with pytest.raises(InputError, match="leaves no row of 60 to fit to"):
        pimp(LinearRegression(), X, y, draws=2, test_size=0.99)
    with pytest.raises(InputError, match="LogisticRegression cannot be fitted to these columns"):
        pimp(LogisticRegression(), X, y, draws=2)


def test_importances_that_differ_by_rounding_alone_tie():
    observed, null = np.array([0.1333333333333334, 1e-9]), np.array([[0.1333333333333333, 0.0], [0.2, 1.01e-9]])
    assert p_values(observed, null).tolist() == [1.0, 2 / 3]


def test_with_losses_that_tie_all_the_time_p_values_are_counts_of_whole_errors():
    rng = np.random.default_rng(20)
    X = rng.normal(size=(40, 4))
    y = np.where(X[:, 0] + rng.normal(size=40) > 0, "a", "b")
    found = pimp(DecisionTreeClassifier(max_depth=2), X, y, draws=39, test_size=0.3, random_state=20)
    counts, chance = np.round(found.observed * 120), np.round(found.null * 120)  # 12 rows, ten repeats
    assert found.p_values == pytest.approx((1 + (chance >= counts).sum(axis=0)) / 40)


def test_a_masked_target_is_refused():
    y = np.ma.array(np.arange(20.0), mask=np.arange(20) < 4)
    with pytest.raises(InputError, match="masked"):
        pimp(LinearRegression(), np.ones((20, 2)), y)


def rare(seed):
    """Four rows of a rare class among sixty, told by the first column."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), np.repeat([1, 0], [4, 56])
    X[:4, 0] += 5
    order = rng.permutation(60)
    return X[order], y[order]


def test_a_rare_class_is_on_both_sides_whatever_is_drawn():
    held, found = [], []

    def noted(_model, _X, y):
        held.append(y.sum())
        return np.zeros(3)

    for seed in range(12):
        X, y = rare(seed)
        pimp(GaussianNB(), X, y, draws=10, importance=noted, test_size=0.3, random_state=seed)
        if seed < 5:
            found.append(pimp(GaussianNB(), X, y, draws=19, test_size=0.3, random_state=seed).p_values[0])
    assert set(held) == {1}
    assert found.count(0.05) >= 4


@given(st.lists(st.integers(2, 40), min_size=2, max_size=5), st.sampled_from([0.1, 0.25, 0.3, 0.5]), st.integers(0, 99))
@example([49, 49, 2], 0.1, 0)
@example([2, 2, 20, 46], 0.3, 6)
def test_every_class_of_several_rows_is_on_both_sides_where_there_is_room(counts, share, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    held = int(np.ceil(share * len(y)))
    train, test = _rows(y, share, seed, classes=True)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert abs(len(test) - held) <= len(counts)
    if len(counts) <= min(held, len(y) - held):
        assert set(y[train]) == set(y[test]) == set(y)


@pytest.mark.parametrize("counts", [[1, 29], [1, 1, 28], [1] * 12, [2] * 15])
def test_where_a_class_cannot_be_on_both_sides_rows_are_held_out_still(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    train, test = _rows(y, 0.3, 0, classes=True)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert len(test) >= 1
    single = np.flatnonzero(np.bincount(y)[y] == 1)
    assert max(counts) == 1 or not set(single) & set(test), "a single row is fitted to"
