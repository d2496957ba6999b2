"""Accumulated local effects: by hand, equal to PyALE, and what must hold for any model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from elicit.effects import ale
from elicit.errors import InputError
from elicit.scores.protocol import quantile_borders

X, y = load_diabetes(return_X_y=True)
FOREST = RandomForestRegressor(10, random_state=0).fit(X, y)
SORTING = RandomForestClassifier(3, random_state=0).fit(X, y > y.mean())


class WithoutNames:
    """What PyALE asks: it gives frames to a model that was fitted on arrays."""

    def predict(self, frame):
        return FOREST.predict(frame.to_numpy())


def test_worked_by_hand():
    # borders 0, 1, 3: rows 0 and 1 are in the first interval, 3 in the second. f = x² has steps 1 and 8
    found = ale(lambda X: X[:, 0] ** 2, [[0.0], [1.0], [3.0]], 0, borders=[0, 1, 3])
    mean = (2 * 0.5 + 1 * 5) / 3
    assert found.effect == pytest.approx([0 - mean, 1 - mean, 9 - mean])
    assert found.counts.tolist() == [2, 1]


@pytest.mark.parametrize("attribute", [0, 1, 2, 9])
@pytest.mark.parametrize("intervals", [5, 20, 37])
def test_numbers_are_those_of_pyale(attribute, intervals):
    pandas = pytest.importorskip("pandas")
    pyale = pytest.importorskip("PyALE._src.ALE_1D")
    frame = pandas.DataFrame(X, columns=list("abcdefghij"))
    theirs = pyale.aleplot_1D_continuous(frame, WithoutNames(), "abcdefghij"[attribute], intervals, include_CI=False)
    ours = ale(FOREST, X, attribute, borders=theirs.index.to_numpy())
    assert ours.effect == pytest.approx(theirs["eff"].to_numpy(), abs=1e-9)
    assert ours.counts.tolist() == theirs["size"].to_numpy()[1:].tolist()


def test_levels_are_those_of_pyale():
    pandas = pytest.importorskip("pandas")
    pyale = pytest.importorskip("PyALE._src.ALE_1D")
    rounded = X.copy()
    rounded[:, 2] = np.round(X[:, 2] * 30)
    frame = pandas.DataFrame(rounded, columns=list("abcdefghij"))
    theirs = pyale.aleplot_1D_discrete(frame, WithoutNames(), "c", include_CI=False)
    ours = ale(FOREST, rounded, 2, categorical=True)
    assert ours.at == pytest.approx(theirs.index.to_numpy())
    assert ours.effect == pytest.approx(theirs["eff"].to_numpy(), abs=1e-9)


def test_borders_are_order_statistics_in_whole_numbers():
    column = np.arange(1.0, 12.0)  # ranks ⌈11k/10⌉; 0.1·11·k as fractions would slip at k = 10
    assert quantile_borders(column, 10).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    assert quantile_borders(np.array([3.0, 1.0, 2.0, 4.0]), 2).tolist() == [1, 2, 4]


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 40), K=st.integers(1, 12), spacing=st.sampled_from(["quantile", "width"]), s=st.integers(0, 99))
def test_a_sum_of_parts_gives_each_part_back_centred(n, K, spacing, s):
    Z = np.random.default_rng(s).normal(size=(n, 2))
    Z[:, 1] += Z[:, 0]
    found = ale(lambda X: X[:, 0] ** 3 + np.exp(X[:, 1]), Z, 0, intervals=K, spacing=spacing)
    # between two borders with rows in between the effect rises as the part does
    filled = found.counts > 0
    assert np.diff(found.effect)[filled] == pytest.approx(np.diff(found.at**3)[filled], abs=1e-9)
    assert np.diff(found.effect)[~filled] == pytest.approx(0)
    assert found.counts.sum() == n
    assert found.counts @ (found.effect[1:] + found.effect[:-1]) == pytest.approx(0, abs=1e-8)


def test_correlated_attributes_do_not_mislead_it():
    # f looks at X1 only where X1 and X2 differ, which no row does
    x = np.random.default_rng(0).random(500) * 10
    Z = np.column_stack([x, x + np.random.default_rng(1).normal(size=500) / 100])
    found = ale(lambda X: np.where(np.abs(X[:, 0] - X[:, 1]) > 1, 100 * X[:, 0], 0.0), Z, 0, intervals=50)
    assert np.abs(found.effect).max() < 1e-9


def test_it_takes_two_rows_of_the_model_for_each_row():
    asked = []

    def model(Z):
        asked.append(len(Z))
        return Z[:, 0]

    for K in (2, 100):
        asked.clear()
        ale(model, X, 0, intervals=K)
        assert asked == [2 * len(X)]


def test_ordered_categories():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": ["S", "M", "L", "M"], "w": [1.0, 2.0, 3.0, 4.0]})

    def model(rows):
        return rows["w"].to_numpy() * rows["size"].map({"S": 0, "M": 1, "L": 3}).to_numpy()

    found = ale(model, frame, "size", categorical=["S", "M", "L"])
    # S→M over the rows S, M, M: (1 + 2 + 4) / 3; M→L over M, M, L: 2 (2 + 4 + 3) / 3
    steps = np.array([0, 7 / 3, 7 / 3 + 6])
    assert found.effect == pytest.approx(steps - steps @ [1, 2, 1] / 4)
    assert found.counts.tolist() == [1, 2, 1]
    assert found.at.tolist() == ["S", "M", "L"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ale(FOREST, X * 0, 0), "one value only"),
        (lambda: ale(FOREST, X * 0, 0, categorical=True), "one level only"),
        (
            lambda: ale(FOREST, X, 0, borders=[0, 1]),
            f"must reach from {X[:, 0].min():g} to {X[:, 0].max():g}, where the values lie",
        ),
        (lambda: ale(FOREST, X, 0, borders=[1, 0]), "increasing"),
        (lambda: ale(FOREST, X, 0, spacing="other"), "'quantile' or 'width'"),
        (lambda: ale(FOREST, X, 0, intervals=0), "intervals"),
        (lambda: ale(lambda X: np.zeros(len(X)), np.array([["a"], ["b"]]), 0), "say their order"),
        (lambda: ale(lambda X: np.zeros(len(X)), np.array([["a"], ["b"]]), 0, categorical=["a"]), "each of its levels"),
        (
            lambda: ale(lambda X: np.zeros(len(X)), np.array([["a"], ["b"]]), 0, categorical=["a", "b", "a"]),
            "each of its levels once",
        ),
        (lambda: ale(FOREST, X, 0, categorical=[[1.0]]), "each of its levels once"),
        (lambda: ale(SORTING, X, 0, target=np.array([0, 1])), "no class of the model"),
        (lambda: ale(FOREST, X, 0, categorical=5), "the levels in their order, found 5"),
        (lambda: ale(FOREST, np.where(X[3, 0] == X, np.nan, X), 0), "row 3"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()
