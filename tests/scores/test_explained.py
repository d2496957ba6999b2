"""Scores of data through a model fitted to them: known answers for models that can be read off."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from elicit.errors import InputError
from elicit.scores import DependenceWarning, johnson, johnson_shapley, score_named
from elicit.scores.answers import answers
from elicit.scores.explained import johnson_shapley_of_data, pimp_of_data, shapley_of_data

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3)) @ np.array([[1, 0.7, 0], [0, 1, 0], [0, 0, 1]])
y = X @ [1.0, 0.5, 0.0]


def test_shapley_of_a_linear_model_is_the_mean_size_of_each_part():
    few = X[:40]
    found = shapley_of_data(few, y[:40], model=LinearRegression(), rows=40, rounds=40)
    assert found == pytest.approx(np.abs([1.0, 0.5, 0.0] * (few - few.mean(axis=0))).mean(axis=0), abs=1e-9)


def test_the_parts_in_the_answers_of_a_forest_are_in_the_unit_of_the_target():
    x = np.linspace(-3, 3, 60)
    assert shapley_of_data(x[:, None], 100 * x) == pytest.approx([np.abs(100 * x).mean()], rel=0.05)


def test_johnson_shapley_of_a_linear_model_is_johnson():
    assert johnson_shapley_of_data(X, y, model=LinearRegression()) == pytest.approx(johnson(X, y), abs=0.02)


def test_pimp_finds_the_column_without_effect():
    noise = np.random.default_rng(1).normal(size=300)
    p = pimp_of_data(X, y + noise, model=LinearRegression(), draws=30)
    assert p[0] == pytest.approx(1 / 31)
    assert p[2] > 0.05


def test_johnson_shapley_of_classes_weighs_each_by_the_variance_of_its_probability():
    iris, label = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=2000).fit(iris, label)
    each = [johnson_shapley(answers(model, target=k), iris, runs=200) for k in range(3)]
    variances = np.array([part.variance for part in each])
    expected = variances @ np.array([part.shares for part in each]) / variances.sum()
    assert johnson_shapley_of_data(iris, label, model=model, runs=600) == pytest.approx(expected)


def test_columns_beside_constant_ones_keep_their_places_in_what_is_said_of_them():
    a, c = np.random.default_rng(0).normal(size=(2, 200))
    bent = np.column_stack([np.ones(200), c, np.zeros(200), a, a**2])
    with pytest.warns(DependenceWarning, match="columns 3 and 4 of Z are uncorrelated but not independent"):
        johnson_shapley_of_data(bent, bent.sum(axis=1), model=LinearRegression(), runs=100)
    with pytest.raises(InputError, match="the 4 columns of X that vary hold fewer independent directions"):
        johnson_shapley_of_data(np.column_stack([bent, a]), a, model=LinearRegression(), runs=100)


@pytest.mark.parametrize("name", ["shapley", "johnson-shapley"])
def test_several_classes_are_added_up(name):
    iris, label = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=2000)
    scores = score_named(name).scores(iris, label, model=model)
    named = score_named(name).scores(iris, np.array(["u", "v", "w"])[label], model=model)
    assert scores == pytest.approx(named)
    assert scores.shape == (4,)
    assert set(np.argsort(scores)[-2:]) == {2, 3}  # the petals


@pytest.mark.parametrize("name", ["lmg", "johnson", "shapley-effects", "johnson-shapley"])
def test_shares_of_a_group_add_up_its_columns_or_take_them_together(name):
    target = y + np.random.default_rng(1).normal(size=300)
    options = {"model": LinearRegression()} if name == "johnson-shapley" else {}
    alone = score_named(name).scores(X, target, **options)
    grouped = score_named(name).scores(X, target, groups=[[0, 1], [2]], **options)
    assert grouped.sum() == pytest.approx(alone.sum(), abs=1e-9)


def test_a_class_whose_probability_never_varies_has_no_weight():
    x = np.repeat([0, 1], 60)
    classes = np.r_[np.tile([0, 0, 2], 20), np.tile([1, 1, 2], 20)]  # a third are of class 2 on both sides
    rng = np.random.default_rng(1)
    first, other = x + 0.05 * rng.normal(size=120), rng.normal(size=120)
    other -= np.polyval(np.polyfit(first, other, 1), first)  # by chance alone they would share some of the weight
    columns = np.c_[first, other]
    found = johnson_shapley_of_data(columns, classes, model=DecisionTreeClassifier(max_depth=1), runs=3000)
    assert found == pytest.approx([1, 0], abs=0.01)


def test_a_constant_column_has_no_share_of_a_model_s_answers():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X @ [2.0, 1.0]
    with_constant = np.column_stack([X[:, 0], np.full(60, 3.0), X[:, 1]])
    told = johnson_shapley_of_data(with_constant, y, model=LinearRegression(), runs=2000)
    shares = johnson_shapley_of_data(X, y, model=LinearRegression(), runs=2000)
    assert told.tolist() == pytest.approx([shares[0], 0.0, shares[1]])
    with pytest.raises(InputError, match="no variance to share"):
        johnson_shapley_of_data(np.ones((60, 2)), y, model=LinearRegression(), runs=2000)


@pytest.mark.parametrize("name", ["shapley", "johnson-shapley", "coefficients", "pimp"])
def test_a_regressor_takes_few_whole_numbers_for_numbers(name):
    rng = np.random.default_rng(0)
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 50)[rng.permutation(200)]
    y, measure = 1000 * X[:, 0] + 5 * X[:, 1], score_named(name)
    found = measure.scores(X, y, model=LinearRegression())
    assert found == pytest.approx(measure.scores(X, y, model=LinearRegression(), classes=False))
    with pytest.raises(InputError, match="LinearRegression predicts numbers, and the target is said to hold classes"):
        measure.scores(X, y, model=LinearRegression(), classes=True)


def test_runs_that_are_too_few_for_all_classes_are_told_in_all():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="29 runs are too few for two walks for each of 3 classes; give at least 30"):
        johnson_shapley_of_data(X, y, model=DecisionTreeClassifier(random_state=0), runs=29)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_a_group_of_columns_has_the_mean_size_of_what_its_columns_add_up_to(levels):
    rows = 40  # of an additive model with every row as background, each once, values are exact
    rng = np.random.default_rng(levels)
    level = rng.permutation(np.arange(rows) % levels)
    X = np.column_stack([rng.normal(size=rows), np.eye(levels)[level]])
    effects = rng.normal(size=levels)
    y = X[:, 0] + effects[level]
    groups = [[0], list(range(1, levels + 1))]
    model = LinearRegression()
    found = shapley_of_data(X, y, model=model, groups=groups, rows=rows, rounds=rows)
    own = X[:, 0] - X[:, 0].mean(), effects[level] - effects[level].mean()
    assert found == pytest.approx([np.abs(part).mean() for part in own])
    by_name = score_named("shapley").scores(X, y, groups, model=model, rows=rows, rounds=rows)
    assert by_name.tolist() == found.tolist()
