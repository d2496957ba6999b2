"""H-statistics: the definition by brute force, both paths alike, and closed cases."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_wine, make_friedman1
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from elicit.effects import h_statistic, interaction_prior, pair_prior
from elicit.effects.trees import boxes_of
from elicit.errors import InputError
from elicit.scores import inputs_of_sample, johnson_shapley
from elicit.scores.answers import answers

X, y = make_friedman1(40, n_features=5, noise=0.3, random_state=0)
WINE, LABEL = load_wine(return_X_y=True)


def centred(values):
    return values - np.mean(values)


def dependence(f, X, held):
    """PD of these attributes at every row, one row of the model at a time."""
    found = []
    for row in X:
        mixed = X.copy()
        mixed[:, held] = row[held]
        found.append(f(mixed).mean())
    return centred(found)


def brute_force(f, X):
    d = X.shape[1]
    one = [dependence(f, X, [j]) for j in range(d)]
    rest = [dependence(f, X, [k for k in range(d) if k != j]) for j in range(d)]
    F = centred(f(X))
    pairs = np.zeros((d, d))
    for i in range(d):
        for j in range(i):
            both = dependence(f, X, [i, j])
            pairs[i, j] = pairs[j, i] = np.sqrt(((both - one[i] - one[j]) ** 2).sum() / (both**2).sum())
    overall = [np.sqrt(((F - a - b) ** 2).sum() / (F**2).sum()) for a, b in zip(one, rest, strict=True)]
    return pairs, overall


@pytest.mark.parametrize("model", [RandomForestRegressor(10, random_state=0), KNeighborsRegressor(3)])
def test_h_is_its_definition(model):
    model.fit(X, y)
    pairs, overall = brute_force(model.predict, X)
    found = h_statistic(model, X)
    assert found.matrix == pytest.approx(pairs, abs=1e-12)
    assert found.overall == pytest.approx(overall, abs=1e-12)


class Function(RegressorMixin, BaseEstimator):
    """A function of rows as a fitted model."""

    fitted_ = True

    def __init__(self, function=None):
        self.function = function

    def predict(self, rows):
        return self.function(rows)


def test_h_is_a_share_where_all_values_meet_and_may_be_far_above_1_where_attributes_depend_on_each_other():
    rng = np.random.default_rng(0)
    grid = np.array(list(product(range(3), repeat=3)), dtype=float)
    for _ in range(20):
        table = rng.normal(size=(3, 3, 3)) ** 3  # three attributes that act together
        found = h_statistic(Function(lambda rows, t=table: t[tuple(rows.astype(int).T)]), grid)
        assert 0 < max(*found.h, *found.overall) <= 1 + 1e-12
    apart = Function(lambda rows: (rows[:, 0] - rows[:, 1]) ** 2)  # two are enough
    alone = rng.normal(size=(200, 2))
    beside = alone @ np.array([[1, 0.95], [0, (1 - 0.95**2) ** 0.5]])
    assert h_statistic(apart, alone).h[0] < 1
    assert h_statistic(apart, beside).h[0] > 10


def agree(model, rows, **options):
    """Whether boxes and batches come to the same."""
    quick, asked = h_statistic(model, rows, **options), h_statistic(model, rows, path="batches", **options)
    assert (quick.path, asked.path) == ("trees", "batches")
    assert quick.h == pytest.approx(asked.h, abs=1e-11)
    assert quick.strength == pytest.approx(asked.strength, rel=1e-9, abs=1e-11)
    assert quick.overall == pytest.approx(asked.overall, abs=1e-11)


REGRESSORS = [
    DecisionTreeRegressor(random_state=0),
    RandomForestRegressor(20, random_state=0),
    ExtraTreesRegressor(20, max_depth=4, random_state=0),
    GradientBoostingRegressor(n_estimators=20, random_state=0),
    GradientBoostingRegressor(n_estimators=20, init="zero", loss="huber", random_state=0),
    HistGradientBoostingRegressor(max_iter=15, min_samples_leaf=3, random_state=0),
]
CLASSIFIERS = [
    (DecisionTreeClassifier(max_depth=4, random_state=0), {"target": 1}),
    (RandomForestClassifier(20, class_weight="balanced", random_state=0), {"target": 2}),
    (ExtraTreesClassifier(20, random_state=0), {"target": 0}),
    (GradientBoostingClassifier(n_estimators=8, random_state=0), {"target": 2, "response": "decision_function"}),
    (
        HistGradientBoostingClassifier(max_iter=6, random_state=0),
        {"target": 2, "response": "decision_function"},
    ),
]


@pytest.mark.parametrize("model", REGRESSORS)
def test_boxes_and_batches_agree_for_numbers(model):
    agree(model.fit(X, y), X)


@pytest.mark.parametrize("target", [0, 1])
def test_boxes_and_batches_agree_for_each_of_several_outputs(target):
    model = RandomForestRegressor(5, random_state=0).fit(X, np.column_stack([y, y**2]))
    agree(model, X, target=target)


@pytest.mark.parametrize(("model", "options"), CLASSIFIERS)
def test_boxes_and_batches_agree_for_classes(model, options):
    agree(model.fit(WINE, LABEL), WINE[::7], **options)


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(n_estimators=8, random_state=0),
        HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=3, random_state=0),
    ],
)
def test_two_classes_of_boosting(model):
    model.fit(X, y > y.mean())
    for label in (False, True):
        agree(model, X, response="decision_function", target=label)


def test_boosting_by_histograms_whose_answer_is_another_than_its_sum_is_asked():
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3, loss="poisson").fit(X, y - y.min() + 1)
    assert h_statistic(model, X).path == "batches"
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3).fit(X, y)
    model._predictors[0][0].nodes = None  # another release may keep its trees in another way
    assert boxes_of(answers(model)) is None


def test_boosting_by_histograms_parts_what_single_precision_does_not():
    close = 1 + 1e-12 * np.arange(40)[:, None]
    model = HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3).fit(close, np.arange(40) > 20)
    assert len(np.unique(model.predict(close))) > 1
    assert h_statistic(model, close).path == "trees"


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 30), d=st.integers(1, 5), whole=st.booleans())
def test_boxes_agree_on_any_data_ties_included(seed, n, d, whole):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, d)) * 3
    Z = np.round(Z) if whole else Z
    model = RandomForestRegressor(5, random_state=seed).fit(Z, rng.normal(size=n) + Z.prod(axis=1))
    quick, asked = h_statistic(model, Z), h_statistic(model, Z, path="batches")
    assert quick.strength == pytest.approx(asked.strength, abs=1e-9)
    assert quick.overall == pytest.approx(asked.overall, abs=1e-6)


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (GradientBoostingClassifier(n_estimators=3), {}),  # probabilities are no sum of trees
        (RandomForestClassifier(3), {"response": "predict"}),
        (GradientBoostingRegressor(n_estimators=3, init=LinearRegression()), {}),
        (HistGradientBoostingClassifier(max_iter=3), {}),
        (HistGradientBoostingRegressor(max_iter=3, categorical_features=[0]), {}),
        (LinearRegression(), {}),
    ],
)
def test_what_is_no_sum_of_boxes_is_asked(model, options):
    model.fit(X, y > y.mean())
    assert boxes_of(answers(model, **options)) is None


def test_a_model_that_does_something_besides_is_asked():
    class Doubled(RandomForestRegressor):
        def predict(self, X):
            return super().predict(X) ** 2

    model = Doubled(5, random_state=0).fit(X, y)
    pairs, _ = brute_force(model.predict, X)
    assert h_statistic(model, X).matrix == pytest.approx(pairs, abs=1e-12)


def test_a_sum_has_no_interaction_and_a_pure_product_nothing_else():
    Z = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (0, 1, 2)], dtype=float)
    assert h_statistic(lambda X: X[:, 0] + X[:, 2] ** 2, Z).h.tolist() == [0, 0, 0]
    found = h_statistic(lambda X: 5 + X[:, 0] * X[:, 1], Z)
    assert found.matrix == pytest.approx(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    assert found.overall == pytest.approx([1, 1, 0])
    assert found.strengths[0, 1] == pytest.approx(1)
    assert found.strongest(1) == (("x0", "x1", pytest.approx(1), pytest.approx(1)),)


def test_a_constant_model_has_none():
    found = h_statistic(lambda X: np.full(len(X), 3.3), X)
    assert not found.h.any()
    assert not found.overall.any()


def test_the_share_that_is_asked_for_says_how_many_pairs_there_are():
    model = DecisionTreeRegressor(random_state=0)
    few, many = (interaction_prior(X, y, model=model, share=share) for share in (0.3, 0.99))
    strengths = h_statistic(model.fit(X, y), X, overall=False).strengths
    assert few == pair_prior(strengths, share=0.3)
    assert many == pair_prior(strengths, share=0.99)
    assert 0 < len(few) < len(many)


def test_one_attribute_has_no_pair_and_no_interaction():
    model = DecisionTreeRegressor().fit(X[:, :1], y)
    for path in ("auto", "batches"):
        found = h_statistic(model, X[:, :1], path=path)
        assert found.pairs == ()
        assert found.overall == pytest.approx([0])


def test_named_pairs_only():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = RandomForestRegressor(5, random_state=0).fit(frame, y)
    some = h_statistic(model, frame, pairs=[("d", "a"), ("b", "c")], overall=False)
    everything = h_statistic(model, frame, path="batches")
    assert some.pairs == ((0, 3), (1, 2))
    assert some.overall is None
    assert some.h == pytest.approx([everything.matrix[0, 3], everything.matrix[1, 2]])


def test_categories_interact_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": ["u", "v", "u", "v"], "x": [-1.0, -1.0, 1.0, 1.0]})
    found = h_statistic(lambda rows: np.where(rows["c"] == "u", 1, -1) * rows["x"].to_numpy(), frame)
    assert found.h == pytest.approx([1])


def test_a_copied_column_changes_nothing_for_a_model_that_ignores_it():
    model = RandomForestRegressor(5, random_state=0).fit(np.column_stack([X, np.zeros(len(X))]), y)
    found = h_statistic(model, np.column_stack([X, X[:, 0]]))
    assert found.matrix[:5, :5] == pytest.approx(
        h_statistic(model, np.column_stack([X, np.zeros(len(X))])).matrix[:5, :5]
    )
    assert not found.matrix[5].any()


def test_the_strongest_pairs_are_a_prior():
    table = np.zeros((4, 4))
    table[0, 1] = table[1, 0] = 3.0
    table[2, 3] = table[3, 2] = 4.0
    table[0, 3] = table[3, 0] = 0.1
    table[1, 2] = table[2, 1] = -9.0  # an estimate below 0
    np.fill_diagonal(table, 9.0)  # of one attribute, whatever it says there: no pair
    assert pair_prior(table) == ((2, 3), (0, 1))
    assert pair_prior(table, share=0.5) == ((2, 3),)
    assert pair_prior(table, share=1.0) == ((2, 3), (0, 1), (0, 3))
    assert pair_prior(table, count=9) == ((2, 3), (0, 1), (0, 3))
    assert pair_prior(np.zeros((3, 3))) == ()
    assert pair_prior(np.zeros((1, 1))) == ()
    found = h_statistic(lambda X: X[:, 0] * X[:, 1] + X[:, 2], X)
    assert pair_prior(found) == ((0, 1),)


def test_sobol_indices_of_second_order_are_a_prior_too():
    inputs = inputs_of_sample(np.random.default_rng(0).normal(size=(500, 4)), independent=True)
    found = johnson_shapley(lambda X: X[:, 0] * X[:, 2] + X[:, 1], inputs, estimator="arrays", runs=20_000)
    assert pair_prior(np.sqrt(np.maximum(found.second, 0))) == ((0, 2),)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: h_statistic(lambda X: X[:, 0], X, path="other"), "'auto' or 'batches'"),
        (lambda: h_statistic(lambda X: X[:, 0], X, pairs=[(0, 0)]), "two different"),
        (lambda: h_statistic(lambda X: X[:, 0], X, pairs=[3]), "a pair is two attributes, found 3"),
        (lambda: h_statistic(lambda X: X[:, 0], X, pairs=["x0"]), "a pair is two attributes, found 'x0'"),
        (lambda: h_statistic(lambda X: X[:, 0], X, pairs=[(0, 1, 2)]), "a pair is two attributes, found"),
        (lambda: h_statistic(lambda X: X[:, 0], X, pairs=[(0, 9)]), "from 0 to 4"),
        (lambda: h_statistic(lambda X: X[:, 0], X[:1]), "at least 2 rows"),
        (lambda: pair_prior(np.zeros((2, 3))), "square"),
        (lambda: pair_prior(np.array([[0, 1], [2, 0]])), "symmetric"),
        (lambda: pair_prior(np.array([[0, 1], [np.nan, 0]])), "^pair .* found nan in row 1, column 0; give 0 where"),
        (lambda: pair_prior(np.eye(2), share=0), "share"),
        (lambda: pair_prior(np.eye(2), count=-1), "count"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_a_forest_finds_the_pair_that_made_the_data():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 4))
    y = np.where(Z[:, 0] > 0, 3 * Z[:, 3], 0.0) + Z[:, 1]
    assert interaction_prior(Z, y, share=0.5) == ((0, 3),)
    assert interaction_prior(Z, np.where(y > 0, "u", "v"), share=0.3)[0] == (0, 3)
    assert interaction_prior(Z, y, share=0.5, groups=[[0, 1], [2], [3]]) == ((0, 2),)
    assert interaction_prior(Z, Z[:, 0] + Z[:, 1], model=LinearRegression()) == ()


def test_a_regressor_takes_few_whole_numbers_for_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (120, 3)).astype(float)
    y = 2 * X[:, 0] + 3 * (X[:, 1] * X[:, 2])
    model = DecisionTreeRegressor(random_state=0)
    assert interaction_prior(X, y, model=model) == interaction_prior(X, y, model=model, classes=False)


def test_a_column_that_nobody_asked_about_is_not_looked_at():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "z": rng.normal(size=40)})
    frame["note"] = pd.array(["u", None] * 20, dtype="string")
    found = h_statistic(lambda Z: np.asarray(Z["x"]) * np.asarray(Z["z"]), frame, pairs=[("x", "z")], overall=False)
    assert found.strongest(1)[0][:2] == ("x", "z")
