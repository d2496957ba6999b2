"""Sampled Shapley values against brute force, exact linear and tree cases of shap, and their own errors."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression

from elicit.errors import InputError
from elicit.scores import shapley_values
from elicit.scores.answers import CELLS_A_CALL
from elicit.scores.games import shapley_of_game

X, y = make_friedman1(120, n_features=5, noise=0.1, random_state=0)
FOREST = RandomForestRegressor(20, random_state=0).fit(X, y)
LINEAR = LinearRegression().fit(X, y)


def by_coalitions(f, x, background):
    """v(S) = mean over the background of f(x_S, z_−S), for every S."""
    d = len(x)
    values = []
    for mask in range(1 << d):
        mixed = background.copy()
        held = [j for j in range(d) if mask >> j & 1]
        mixed[:, held] = x[held]
        values.append(f(mixed).mean(axis=0))
    return shapley_of_game(np.array(values))


def test_values_lie_within_their_errors_of_all_coalitions():
    background = X[:40]
    found = shapley_values(FOREST, X[100:110], background, rounds=200)
    exact = np.array([by_coalitions(FOREST.predict, x, background) for x in X[100:110]])
    z = (found.values - exact) / found.errors
    assert np.abs(z).max() < 4.5
    assert 0.8 < np.sqrt((z**2).mean()) < 1.2


@pytest.mark.parametrize("rounds", [9, 30, 80])
def test_what_one_attribute_does_by_itself_is_known_however_few_the_rounds(rounds):
    rows = np.random.default_rng(0).normal(size=(42, 3))
    found = shapley_values(lambda X: 3 * X[:, 0], rows[40:], rows[:40], rounds=rounds)
    assert found.values == pytest.approx(np.outer(3 * (rows[40:, 0] - rows[:40, 0].mean()), [1, 0, 0]), abs=1e-12)
    assert found.errors == pytest.approx(np.zeros((2, 3)), abs=1e-12)


@pytest.mark.parametrize("rounds", [20, *(pytest.param(k, marks=pytest.mark.slow) for k in (30, 50))])
def test_errors_of_few_rounds_are_too_large_and_not_too_small(rounds):
    background = X[:40]
    found = shapley_values(FOREST, X[100:], background, rounds=rounds)
    exact = np.array([by_coalitions(FOREST.predict, x, background) for x in X[100:]])
    assert np.sqrt(np.mean(((found.values - exact) / found.errors) ** 2)) < 1.1


@pytest.mark.parametrize("rounds", [70, *(pytest.param(k, marks=pytest.mark.slow) for k in (79, 80, 120))])
def test_errors_are_as_large_as_they_are_told_once_thirty_rows_were_used_twice(rounds):
    background = X[:40]
    exact = np.array([by_coalitions(FOREST.predict, x, background) for x in X[100:]])
    found = [shapley_values(FOREST, X[100:], background, rounds=rounds, random_state=seed) for seed in range(3)]
    ratios = [(each.values - exact) / each.errors for each in found]
    assert 0.85 < np.sqrt(np.mean(np.square(ratios))) < 1.2


def test_two_base_sets_err_less_for_their_rows():
    background = X[:40]
    exact = np.array([by_coalitions(FOREST.predict, x, background) for x in X[100:]])
    cost = []
    for sets in (1, 2):
        found = shapley_values(FOREST, X[100:], background, rounds=160, sets=sets)
        cost.append(((found.values - exact) ** 2).mean() * found.rows_asked)
    assert cost[1] < cost[0]


def test_many_attributes_are_explained_a_few_rounds_at_once(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(8, 40))
    whole = shapley_values(lambda X: X[:, 0] * X[:, 1] + X.sum(axis=1), rows[:2], rows, rounds=16)
    monkeypatch.setattr("elicit.scores.answers.CELLS_A_CALL", 250 * 40)
    part = shapley_values(lambda X: X[:, 0] * X[:, 1] + X.sum(axis=1), rows[:2], rows, rounds=16)
    pairs = rows[:2, 0] * rows[:2, 1] - (rows[:, 0] * rows[:, 1]).mean()
    for found in (whole, part):  # pairs are exact, whatever the draws
        added = found.values - rows[:2] + rows.mean(axis=0)
        assert added[:, :2].sum(axis=1) == pytest.approx(pairs)
        assert added[:, 2:] == pytest.approx(0)


def test_the_sum_is_exact_however_few_the_rounds():
    for rounds in (1, 2, 3, 45):
        found = shapley_values(FOREST, X[:5], X[40:80], rounds=rounds)
        assert found.base + found.values.sum(axis=1) == pytest.approx(FOREST.predict(X[:5]), abs=1e-10)
        assert found.base == pytest.approx(FOREST.predict(X[40:80]).mean())


def test_a_linear_model_is_exact_as_soon_as_the_background_was_used():
    found = shapley_values(LINEAR, X[:3], X[:30], rounds=30)
    assert found.values == pytest.approx(LINEAR.coef_ * (X[:3] - X[:30].mean(axis=0)), abs=1e-10)


def test_a_linear_model_is_that_of_shap():
    shap = pytest.importorskip("shap")
    theirs = shap.explainers.Linear(LINEAR, shap.maskers.Independent(X[:30], max_samples=30))(X[:3]).values
    assert shapley_values(LINEAR, X[:3], X[:30], rounds=30).values == pytest.approx(theirs, abs=1e-8)


def test_a_forest_is_that_of_shap_within_the_errors():
    shap = pytest.importorskip("shap")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shap's own
        explainer = shap.TreeExplainer(FOREST, X[:40], feature_perturbation="interventional")
        theirs = explainer.shap_values(X[100:104], check_additivity=False)
    judge = np.array([by_coalitions(FOREST.predict, x, X[:40]) for x in X[100:104]])
    assert theirs == pytest.approx(judge, abs=1e-5)  # the judge of these tests and shap's exact trees are one
    found = shapley_values(FOREST, X[100:104], X[:40], rounds=300)
    assert (np.abs(found.values - theirs) < 4.5 * found.errors + 1e-6).all()


def test_every_class_is_explained_at_once_or_one_by_name():
    wine, label = load_wine(return_X_y=True)
    wine, names = wine[:, :4], np.array(["a", "b", "c"])[label]
    model = RandomForestClassifier(10, random_state=0).fit(wine, names)
    all_classes = shapley_values(model, wine[:3], wine[::9], rounds=20)
    assert all_classes.values.shape == (3, 4, 3)
    assert all_classes.base + all_classes.values.sum(axis=1) == pytest.approx(model.predict_proba(wine[:3]))
    one = shapley_values(model, wine[:3], wine[::9], rounds=20, target="c")
    assert one.values == pytest.approx(all_classes.values[:, :, 2], abs=1e-12)
    assert all_classes.importance.shape == (4,)


def test_two_classes_are_the_probability_of_the_second():
    model = RandomForestClassifier(10, random_state=0).fit(X, y > y.mean())
    found = shapley_values(model, X[:4], X[:20], rounds=10)
    assert found.base + found.values.sum(axis=1) == pytest.approx(model.predict_proba(X[:4])[:, 1])


def test_an_attribute_that_the_model_ignores_has_none():
    found = shapley_values(lambda X: X[:, 0] * X[:, 1], X[:4], X[:25], rounds=10)
    assert np.abs(found.values[:, 2:]).max() < 1e-12


def test_one_attribute_needs_no_round():
    found = shapley_values(lambda X: X[:, 0] ** 2, np.array([[3.0]]), np.array([[1.0], [2.0]]), rounds=1)
    assert found.values.tolist() == [[9 - 2.5]]


def test_rows_of_the_model_are_counted():
    asked = []

    def model(X):
        asked.append(len(X))
        return X[:, 0] * X[:, 1]

    found = shapley_values(model, X[:3], X[:10], rounds=4)
    assert found.rows_asked == sum(asked) == 10 + 3 + 3 * 4 * (2 * 5)


def test_frames_keep_names_and_categories():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "colour": pandas.Categorical(["r", "g", "r", "b"])})

    def model(rows):
        assert rows["colour"].dtype == frame["colour"].dtype
        return rows["size"] * (rows["colour"] == "r")

    found = shapley_values(lambda rows: model(rows).to_numpy(), frame.iloc[:1], frame, rounds=4)
    assert found.names == ("size", "colour")
    assert found.values.sum() == pytest.approx(1.0 - 4 / 4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shapley_values(FOREST, X[:2], X[:5], rounds=0), "rounds must be a whole number of at least 1"),
        (lambda: shapley_values(FOREST, X[:2], X[:5], sets=0), "sets must be a whole number of at least 1"),
        (lambda: shapley_values(FOREST, X[:2], X[:5, :4]), "the same ones"),
        (lambda: shapley_values(RandomForestRegressor(), X[:2], X), "not fitted"),
        (lambda: shapley_values("model", X[:2], X), "estimator or a function"),
        (lambda: shapley_values(FOREST, X[:2], X, response="predict_proba"), "has no predict_proba"),
        (lambda: shapley_values(lambda X: X[:, 0] * np.nan, X[:2], X), "not finite"),
        (lambda: shapley_values(lambda X: X[0], X[:2], X), "one number a row"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


@pytest.mark.parametrize(("d", "many", "rounds"), [(30, 15, 20), (30, 15, 40), (60, 30, 40), (30, 15, 50), (12, 3, 8)])
def test_errors_hold_before_every_size_has_come_up_and_where_a_turn_is_left_unfinished(d, many, rounds):
    """A product of many attributes differs between sizes, not within them."""
    truth = np.r_[np.full(many, 1 / many), np.zeros(d - many)]
    beyond, missed, told = [], [], []
    for seed in range(20):
        found = shapley_values(
            lambda X: X[:, :many].prod(axis=1), np.ones((1, d)), np.zeros((1, d)), rounds=rounds, random_state=seed
        )
        beyond.append(np.abs(found.values[0] - truth) > 3 * found.errors[0])
        missed.append(((found.values[0] - truth) ** 2).mean())
        told.append((found.errors[0] ** 2).mean())
    assert np.mean(beyond) < 0.06
    assert np.mean(missed) < 1.2 * np.mean(told)
    if rounds >= d - 1:  # once every size has come up they are not much too large either
        assert np.mean(told) < 1.5 * np.mean(missed)


def test_what_one_call_takes_is_counted_in_cells():
    sizes = []

    def ask(rows):
        sizes.append(rows.size)
        return rows[:, 0]

    shapley_values(ask, np.ones((1, 300)), np.zeros((2, 300)), rounds=30)
    assert max(sizes) <= CELLS_A_CALL
