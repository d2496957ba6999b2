"""Partial dependence: equal to scikit-learn, to its definition, and for categories and frames."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.inspection import partial_dependence as of_scikit_learn
from sklearn.linear_model import LogisticRegression

from elicit.effects import individual_expectations, partial_dependence
from elicit.effects.dependence import number_grid
from elicit.errors import InputError
from elicit.scores.sheet import Sheet

X, y = load_diabetes(return_X_y=True)
X, y = X[:90], y[:90]
FOREST = RandomForestRegressor(8, random_state=0).fit(X, y)
WINE, LABEL = load_wine(return_X_y=True)


@pytest.mark.parametrize("attribute", [1, 2, 8])
@pytest.mark.parametrize("options", [{}, {"percentiles": (0.0, 1.0), "points": 17}])
def test_one_attribute_is_that_of_scikit_learn(attribute, options):
    theirs = of_scikit_learn(
        FOREST,
        X,
        [attribute],
        kind="both",
        method="brute",
        percentiles=options.get("percentiles", (0.05, 0.95)),
        grid_resolution=options.get("points", 100),
    )
    ours = individual_expectations(FOREST, X, attribute, **options)
    assert ours.grids[0] == pytest.approx(theirs.grid_values[0], abs=1e-14)
    assert ours.average == pytest.approx(theirs.average[0], rel=1e-12)
    assert ours.individual == pytest.approx(theirs.individual[0], rel=1e-12)


def test_two_attributes_are_those_of_scikit_learn():
    theirs = of_scikit_learn(FOREST, X, [2, 1], method="brute", grid_resolution=12)
    ours = partial_dependence(FOREST, X, [2, 1], points=12)
    assert ours.average == pytest.approx(theirs.average[0], rel=1e-12)
    assert ours.average.shape == (12, 2)


def test_a_class_is_that_of_scikit_learn():
    model = LogisticRegression(max_iter=5000).fit(WINE, LABEL)
    theirs = of_scikit_learn(model, WINE, [0], method="brute", grid_resolution=10, response_method="predict_proba")
    for label in range(3):
        ours = partial_dependence(model, WINE, 0, points=10, target=label)
        assert ours.average == pytest.approx(theirs.average[label], rel=1e-12)


def test_the_definition_by_hand():
    found = partial_dependence(lambda X: X[:, 0] * X[:, 1], [[1, 2], [3, 6]], 0)
    assert found.grids[0].tolist() == [1, 3]
    assert found.average.tolist() == [1 * 4, 3 * 4]
    both = partial_dependence(lambda X: X[:, 0] + 10 * X[:, 1], [[1, 2], [3, 6]], [0, 1])
    assert both.average.tolist() == [[21, 61], [23, 63]]


def test_a_grid_of_ones_own():
    found = partial_dependence(lambda X: X[:, 0] ** 2, np.eye(2), 0, grids=[[-1.0, 0.5]])
    assert found.average.tolist() == [1, 0.25]


def test_a_category_that_a_frame_does_not_know_is_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": pandas.Categorical(["S", "M", "S"])})
    with pytest.raises(InputError, match="the column 'size' has no category 'L'"):
        partial_dependence(lambda rows: np.zeros(len(rows)), frame, "size", grids=[["S", "L"]])


def test_centred_curves_begin_at_0():
    found = individual_expectations(FOREST, X, 2).centred()
    assert found.average[0] == 0
    assert (found.individual[:, 0] == 0).all()
    assert found.individual.mean(axis=0) == pytest.approx(found.average, abs=1e-9)
    assert partial_dependence(FOREST, X, [1, 2], points=5).centred().average[0, 0] == 0


def test_categories_have_a_value_each():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, 2.0, 4.0], "colour": ["red", "blue", "red"]})

    def model(rows):
        return (rows["size"] * (rows["colour"] == "red")).to_numpy()

    found = partial_dependence(model, frame, "colour")
    assert found.categorical == (True,)
    assert found.grids[0].tolist() == ["blue", "red"]
    assert found.average == pytest.approx([0, 7 / 3])
    assert partial_dependence(model, frame, ["colour", "size"]).average == pytest.approx(
        np.array([[0, 0, 0], [1, 2, 4]])
    )


def test_numbers_may_be_labels_and_a_frame_may_order_them():
    pandas = pytest.importorskip("pandas")
    assert partial_dependence(FOREST, X, 1, categorical=[1]).categorical == (True,)
    assert partial_dependence(FOREST, X, 1, categorical=1).categorical == (True,)
    assert partial_dependence(FOREST, X, 1, categorical="x1").categorical == (True,)
    kind = pandas.CategoricalDtype(["low", "mid", "high", "unseen"], ordered=True)
    frame = pandas.DataFrame({"level": pandas.Series(["high", "low", "mid"], dtype=kind), "x": [1.0, 2.0, 3.0]})
    found = partial_dependence(lambda rows: rows["x"].to_numpy(), frame, "level")
    assert found.grids[0].tolist() == ["low", "mid", "high"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: partial_dependence(FOREST, X, [0, 1, 2]), "one attribute or on two"),
        (lambda: partial_dependence(FOREST, X, [1, 1]), "different"),
        (lambda: partial_dependence(FOREST, X, 99), "from 0 to 9"),
        (lambda: partial_dependence(FOREST, X, "age"), "no column is called"),
        (lambda: partial_dependence(FOREST, X, 0, percentiles=(0.9, 0.1)), "increasing"),
        (lambda: partial_dependence(FOREST, X, 0, points=1), "points"),
        (lambda: partial_dependence(FOREST, X, [0, 1], grids=[[1.0]]), "one list of values"),
        (lambda: partial_dependence(FOREST, X, 0, grids=[[]]), "one list of values"),
        (lambda: partial_dependence(FOREST, X, 0, grids=[["a"]]), "the grid of 'x0' holds numbers, found"),
        (lambda: partial_dependence(FOREST, X, 0, grids=[[0.0, np.nan]]), "the grid of 'x0' holds numbers, found"),
        (lambda: partial_dependence(FOREST, X, 0, grids=[[[1.0, 2.0]]]), "one list of values"),
        (lambda: partial_dependence(RandomForestClassifier(2).fit(WINE, LABEL), WINE, 0), "3 classes; name one"),
        (lambda: partial_dependence(RandomForestClassifier(2).fit(WINE, LABEL), WINE, 0, target=7), "no class"),
        (lambda: partial_dependence(FOREST, X, 0, response="other"), "response is one of"),
        (lambda: partial_dependence(lambda X: X[:, 0], np.array([["a"], [None]], dtype=object), 0), "gaps"),
        (lambda: partial_dependence(lambda X: X[:, 0], np.array([["a"], [1]], dtype=object), 0), "mixes"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


@pytest.mark.parametrize(("points", "distinct"), [(11, False), (12, True)])
def test_a_column_of_as_many_values_as_points_is_cut_by_percentiles_as_in_scikit_learn(points, distinct):
    column = np.repeat(np.arange(11.0), [1, *[20] * 10])  # the first lies below the percentiles
    X = np.column_stack([column, np.random.default_rng(0).normal(size=len(column))])
    model = RandomForestRegressor(3, random_state=0).fit(X, column)
    theirs = of_scikit_learn(model, X, [0], grid_resolution=points, kind="average")["grid_values"][0]
    grid = number_grid(Sheet(X), 0, points, (0.05, 0.95))
    assert grid == pytest.approx(theirs)
    assert (grid.tolist() == list(range(11))) == distinct
