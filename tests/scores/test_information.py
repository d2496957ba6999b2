"""Mutual information by neighbours is scikit-learn's; by counts it is the sum over the cells of a table."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.metrics import mutual_info_score

from elicit.errors import InputError
from elicit.scores import information_gain, mutual_information

X, y = load_wine(return_X_y=True)
DX, dy = load_diabetes(return_X_y=True)
CODES = np.round(X / X.max(axis=0) * 3).astype(int)


def entropy(values):
    return -sum(c / len(values) * log(c / len(values)) for c in Counter(values).values())


def test_by_neighbours_it_is_scikit_learns():
    expected = mutual_info_classif(X, y, n_neighbors=5, random_state=7)
    assert mutual_information(X, y, neighbours=5, seed=7) == pytest.approx(expected, abs=1e-12)
    expected = mutual_info_regression(DX, dy, random_state=0)
    assert mutual_information(DX, dy) == pytest.approx(expected, abs=1e-12)


def test_it_is_the_same_however_the_numbers_lie_in_memory():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        few = np.round(rng.normal(size=(12, 2)), 1)
        assert np.array_equal(
            mutual_information(few, np.arange(12) % 2), mutual_information(np.asfortranarray(few), np.arange(12) % 2)
        )


def test_columns_of_codes_by_counts_either_way():
    expected = [mutual_info_score(column, y) for column in CODES.T]
    assert information_gain(CODES, y) == pytest.approx(expected, abs=1e-12)
    assert mutual_information(CODES, y, discrete=True) == pytest.approx(expected, abs=1e-12)
    one = [True] + [False] * 12
    assert mutual_information(CODES, y, discrete=one)[0] == pytest.approx(expected[0], abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=2, max_size=30))
def test_the_gain_is_the_entropy_that_knowing_the_column_takes_away(rows):
    column, target = zip(*rows, strict=True)
    if len(set(target)) < 2:
        return
    left = sum(
        count / len(rows) * entropy([t for c, t in rows if c == value]) for value, count in Counter(column).items()
    )
    gain = information_gain(np.array(column).reshape(-1, 1), np.array(target))
    assert gain == pytest.approx([entropy(target) - left], abs=1e-12)


def test_counting_values_that_occur_once_gives_the_entropy_of_the_target_so_they_are_cut():
    noise = np.random.default_rng(0).normal(size=(178, 1))
    assert information_gain(noise, y, bins=None) == pytest.approx([entropy(y.tolist())], abs=1e-12)
    assert information_gain(noise, y)[0] < 0.12
    assert information_gain(noise, y, bins=2)[0] < 0.02


@given(st.integers(11, 60), st.integers(2, 4), st.integers(0, 100))
def test_rows_that_are_there_several_times_change_nothing(rows, times, seed):
    rng = np.random.default_rng(seed)
    columns, target = rng.normal(size=(rows, 2)), rng.normal(size=rows)
    once = information_gain(columns, target)
    assert information_gain(np.tile(columns, (times, 1)), np.tile(target, times)) == pytest.approx(once, abs=1e-9)


@pytest.mark.parametrize("rows", [91, 171, 200])
def test_cuts_are_the_same_in_any_unit(rows):
    column = np.random.default_rng(0).permutation(rows)
    target = np.random.default_rng(1).integers(0, 2, rows)
    cuts = np.quantile(column, np.arange(1, 10) / 10, method="inverted_cdf")
    below = [sum(rank > cut for cut in cuts) for rank in column.tolist()]
    for moved in (column, column + 1000.0, column * 0.1, column / 3 - 7.1):
        assert information_gain(moved[:, None], target) == pytest.approx([mutual_info_score(below, target)], abs=1e-12)


def test_a_constant_column_holds_no_information():
    data = np.column_stack([np.full(178, 0.3), X[:, 0]])
    assert information_gain(data, y)[0] == 0
    assert mutual_information(data, y)[0] == 0


def test_a_target_of_numbers_is_cut_too():
    quarter = sum(dy > border for border in np.quantile(dy, [0.25, 0.5, 0.75], method="inverted_cdf"))
    sex = (DX[:, [1]] > 0).astype(int)  # two values, which are not cut
    assert information_gain(sex, dy, bins=4) == pytest.approx([mutual_info_score(sex[:, 0], quarter)], abs=1e-12)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: information_gain(X, y, bins=1), "bins must be a whole number of at least 2"),
        (lambda: mutual_information(X, y, neighbours=0), "neighbours must be a whole number"),
        (lambda: mutual_information(DX[:3], dy[:3] / 7), "fewer than the 3 rows"),
        (lambda: mutual_information(X, y, discrete=[0, 99]), "a list of column positions"),
        (
            lambda: mutual_information(np.column_stack([dy, np.arange(442)]), dy, discrete=True),
            "column 1 is discrete, but no value occurs twice; cut it first",
        ),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_what_is_rounding_is_no_information():
    X = np.random.default_rng(0).normal(size=(40, 3))
    found = mutual_information(X, np.where(np.arange(40) < 39, "p", "q"))  # the lone row has no neighbour of its class
    assert found.tolist() == [0.0, 0.0, 0.0]
