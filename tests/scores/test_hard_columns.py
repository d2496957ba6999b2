"""Columns that are far away, tiny, dates, masked or coded: the same numbers as of the plain ones, or one clear line."""

import tracemalloc
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression

from elicit.effects import ale, h_statistic, interaction_prior, partial_dependence
from elicit.errors import InputError
from elicit.scores import (
    correlation,
    f_statistic,
    fisher,
    information_gain,
    mutual_information,
    permutation_importance,
    permuted,
    relieff,
    shapley_values,
    trees,
    variance,
)
from elicit.scores.information import mutual_information_of_codes
from elicit.scores.protocol import columns_of_groups
from elicit.scores.registry import registered, score_named

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
y = X[:, 0] * X[:, 1] + X[:, 2]
FOREST = RandomForestRegressor(5, random_state=0).fit(X, y)


def test_a_forest_of_ours_does_not_mind_where_columns_lie():
    usual, interacting = trees(X, y), set(interaction_prior(X, y))
    assert permuted(X, y, folds=2, repeats=1).argmax() == 2
    for moved in (X * 3 + 1.7e9, X * 1e-50, X * 1e50):
        assert trees(moved, y) == pytest.approx(usual, abs=0.05)
        assert permuted(moved, y, folds=2, repeats=1).argmax() == 2
        assert set(interaction_prior(moved, y)) == interacting


@pytest.mark.parametrize("name", registered())
def test_a_column_that_is_constant_but_for_rounding_tells_nothing(name):
    measure, positive = score_named(name), y > 0
    rounded = np.where(positive, 0.1 + 0.2, 0.3)  # they differ in the last digit, and by the target
    assert len(set(rounded.tolist())) == 2
    columns = np.column_stack([np.abs(X[:, 0]), rounded])
    few = {"permutation": {"repeats": 1}, "trees": {"trees": 5}, "johnson-shapley": {"runs": 600}}
    quick = {**few, "shapley": {"rows": 3, "rounds": 3}, "pimp": {"draws": 1}}.get(name, {})
    for target in (np.where(positive, "b", "a"), y):
        if measure.serves(target is not y):
            nothing = 0.0 if measure.higher_is_better else 1.0
            assert measure.scores(columns, target, **quick)[1] == pytest.approx(nothing, abs=1e-12)


def test_the_model_that_shows_interactions_is_seeded():
    model = RandomForestRegressor(3)
    assert interaction_prior(X, y, model=model) == interaction_prior(X, y, model=model)


@pytest.mark.parametrize("score", [permuted, relieff, lambda X, y, **o: permuted(X, y, model=LinearRegression(), **o)])
@pytest.mark.parametrize("groups", [[[0, 1]], [[0], [], [1, 2, 3]], [[0, 1], [1, 2, 3]], [[0, 1], [2, 9]], 5, "ab"])
def test_groups_hold_every_column_once(score, groups):
    with pytest.raises(InputError, match="groups"):
        score(X, (y > 0).astype(int), groups=groups)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (np.array([["2020-01-01"], ["NaT"]], dtype="datetime64[D]"), "dates"),
        (np.ma.array([[1.0], [2.0]], mask=[[0], [1]]), "masked"),
        (np.array([[1 + 1j], [2.0]]), "complex"),
    ],
)
def test_what_would_only_look_like_numbers_is_refused(columns, says):
    for score in (lambda: variance(columns, [0.5, 1.5]), lambda: correlation(columns, [0.5, 1.5])):
        with pytest.raises(InputError, match=says):
            score()


def test_a_category_with_gaps_may_be_exchanged_and_answered_for():
    pandas = pytest.importorskip("pandas")
    kinds = pandas.Categorical(np.where(np.arange(60) % 7 == 0, np.nan, np.arange(60) % 3), categories=[0, 1, 2])
    frame = pandas.DataFrame({"a": X[:, 0], "k": kinds})
    model = HistGradientBoostingRegressor(categorical_features="from_dtype", max_iter=5).fit(frame, y)
    assert permutation_importance(model, frame, y).mean.shape == (2,)
    assert shapley_values(model, frame[:2], frame, rounds=3).values.shape == (2, 2)


def test_whole_numbers_that_a_frame_calls_categories_are_categories():
    pandas = pytest.importorskip("pandas")
    codes = np.arange(60) % 6 * 10

    def model(rows):
        return rows.k.astype(float)

    frame = pandas.DataFrame({"k": pandas.Categorical(codes)})
    found = partial_dependence(model, frame, "k", points=4)
    assert found.categorical == (True,)
    assert found.grids[0].tolist() == [0, 10, 20, 30, 40, 50]
    with pytest.raises(InputError, match="say their order"):
        ale(model, frame, "k")
    turned = [50, 40, 30, 20, 10, 0]
    ordered = pandas.DataFrame({"k": pandas.Categorical(codes, categories=turned, ordered=True)})
    assert ale(model, ordered, "k").at.tolist() == turned


def test_many_distinct_values_are_counted_pair_by_pair():
    rng = np.random.default_rng(1)
    many = rng.permutation(3000)
    assert information_gain(many[:, None] * 1.0, many * 1.5, bins=None)[0] == pytest.approx(np.log(3000))
    a, b = rng.integers(0, 4, 500), rng.integers(0, 3, 500)
    joint = np.array([[np.mean((a == i) & (b == j)) for j in range(3)] for i in range(4)])
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    assert mutual_information_of_codes(a, b) == pytest.approx(np.sum(joint * np.log(joint / apart)))


@pytest.mark.parametrize("target", [1, 7])
def test_a_model_of_one_number_has_no_other_output(target):
    for model in (FOREST, LinearRegression().fit(X, y), lambda rows: rows[:, 0]):
        for effect in (
            lambda m: partial_dependence(m, X, 0, target=target),
            lambda m: ale(m, X, 0, target=target),
            lambda m: h_statistic(m, X, target=target),
            lambda m: shapley_values(m, X[:2], X, rounds=2, target=target),
        ):
            with pytest.raises(InputError, match=f"leave the target {target} out"):
                effect(model)


@pytest.mark.parametrize("seed", [-1, "a", 1.5, 2**32, True])
def test_a_seed_is_a_whole_number(seed):
    for score in (
        lambda: mutual_information(X, y, seed=seed),
        lambda: trees(X, y, seed=seed),
        lambda: permuted(X, y, seed=seed),
        lambda: relieff(X, (y > 0) * 1, seed=seed),
        lambda: permutation_importance(FOREST, X, y, random_state=seed),
        lambda: shapley_values(FOREST, X[:2], X, random_state=seed),
    ):
        with pytest.raises(InputError, match="must be a whole number from 0"):
            score()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ale(FOREST, X, 0, borders=[-np.inf, 0, np.inf]), "finite numbers"),
        (lambda: partial_dependence(LinearRegression, X, 0), r"the class LinearRegression; write LinearRegression\(\)"),
        (lambda: permutation_importance(LinearRegression(), X, y), "not fitted"),
        (lambda: permutation_importance(LinearRegression, X, y), "expected a fitted estimator, found the class Linear"),
        (lambda: permutation_importance("a", X, y), "expected a fitted estimator"),
        (lambda: permutation_importance(FOREST, X, np.where(y > 0, y, np.nan)), "not finite in row"),
        (
            lambda: permutation_importance(FOREST, X, y, scoring="neg_mean_squared_eror"),
            "did you mean .neg_mean_squared_error",
        ),
        (lambda: permutation_importance(FOREST, X, y, loss=lambda *_: np.nan), "no finite number"),
        (lambda: trees(X, y, model="a"), "expected an estimator"),
        (lambda: trees(X, y, model=RandomForestRegressor), "the class RandomForestRegressor"),
    ],
)
def test_what_cannot_be_asked_is_told_in_one_line(call, says):
    with pytest.raises(InputError, match=says) as told:
        call()
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("gap", [np.nan, None])
@pytest.mark.parametrize("labels", [[True, False], ["a", "b"]])
def test_a_gap_among_labels_is_no_class(gap, labels):
    target = np.array([*labels, gap, labels[0]] * 15, dtype=object)
    with pytest.raises(InputError, match="gap in row 2"):
        fisher(X, target)


def test_numbers_of_any_kind_are_numbers_in_a_target():
    for kind in (Decimal, Fraction):
        assert correlation(X, [kind(float(v)) for v in y]).tolist() == correlation(X, y).tolist()


def test_a_series_is_no_table():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match=r"found shape \(60,\)"):
        variance(pandas.Series(X[:, 0]))


def test_interactions_do_not_keep_what_every_row_answers():
    rows = np.random.default_rng(1).standard_normal((2500, 2))
    tracemalloc.start()
    h_statistic(lambda X: X[:, 0] * X[:, 1], rows)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1e8  # 2500² answers of 8 bytes are half of that, and were held three times


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (np.ma.array(np.arange(40.0), mask=np.arange(40) < 8), "masked array; drop the rows"),
        (np.arange(40) + 1j, "complex numbers; give one real number"),
        (np.array([complex(k, 1) for k in range(40)], dtype=object), "complex numbers; give one real number"),
        ([date(2020, 1, 1 + k // 2) for k in range(40)], "holds dates; give numbers"),
        (list(pd.date_range("2020", periods=40, tz="UTC")), "holds dates; give numbers"),
        (list(pd.period_range("2020", periods=40, freq="D")), "holds dates; give numbers"),
        ([10**400, *range(39)], "no float can hold; rescale"),
    ],
    ids=["masked", "complex", "complex objects", "dates", "times", "periods", "too large"],
)
def test_a_target_that_holds_neither_numbers_nor_classes_is_refused(target, words):
    X = np.random.default_rng(0).normal(size=(40, 2))
    for score in (correlation, f_statistic):
        with pytest.raises(InputError, match=words):
            score(X, target)


def test_a_number_that_no_float_can_hold_is_refused_in_a_column_too():
    with pytest.raises(InputError, match="a score needs numeric columns"):
        variance([[10**400, 1], [1, 2]])


def test_truth_values_are_no_positions_of_columns():
    with pytest.raises(InputError, match="groups are lists of column positions"):
        columns_of_groups([[True, False], [2]], 3)
