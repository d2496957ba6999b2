"""Merits of filters, against their formulas written out by hand."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import f_classif
from sklearn.metrics import mutual_info_score

from elicit.asks import Evaluate
from elicit.errors import InputError
from elicit.oracles import FilterOracle, cost, fit_time
from elicit.scores import f_statistic, fisher, pimp
from elicit.scores.information import mutual_information_of_codes
from elicit.subsets import members

X, y = load_wine(return_X_y=True)
MASKS = [1, 6, 4096, 1234, 8191]


def score(oracle, mask):
    return oracle(Evaluate(0, mask)).criteria[0]


@pytest.mark.parametrize("merit", ["cfs", "mrmr"])
def test_merits_are_of_the_target_however_it_is_stored(merit):
    target = load_diabetes().target
    data = load_diabetes().data
    found = {score(FilterOracle(data, target.astype(kind), merit), 0b1011) for kind in ("float64", "float32", "int64")}
    assert len(found) == 1


def test_sums_and_means_of_attribute_scores():
    values = np.arange(13.0) ** 2
    assert score(FilterOracle(X, y, "sum", scores=values), 0b1010) == 10
    assert score(FilterOracle(X, y, "mean", scores=list(values)), 0b1010) == 5
    by_function = FilterOracle(X, y, "sum", scores=lambda X, y: f_classif(X, y)[0])
    assert score(by_function, 0b11) == pytest.approx(f_classif(X, y)[0][:2].sum())


def test_attribute_scores_by_name():
    by_name = FilterOracle(X, y, "mean", scores="fisher")
    assert score(by_name, 0b1010) == pytest.approx(fisher(X, y)[[1, 3]].mean())
    with pytest.raises(InputError, match="did you mean 'fisher'"):
        FilterOracle(X, y, "mean", scores="fischer")


@pytest.mark.parametrize("mask", MASKS)
def test_cfs_for_a_number_is_halls_ratio_of_correlations(mask):
    X, y = load_diabetes(return_X_y=True)
    v = [i for i in members(mask) if i < 10] or [3]
    r = np.abs(np.corrcoef(np.column_stack([X, y]).T))
    k = len(v)
    between = np.mean([r[i, j] for i in v for j in v if i != j]) if k > 1 else 0.0
    expected = k * r[v, 10].mean() / math.sqrt(k + k * (k - 1) * between)
    oracle = FilterOracle(X, y, "cfs")
    assert score(oracle, sum(1 << i for i in v)) == pytest.approx(expected, rel=1e-10)


def test_cfs_relevance_for_two_classes_is_the_correlation():
    two = y < 1
    as_class, as_number = (FilterOracle(X, two.astype(float), "cfs", classes=c) for c in (True, False))
    for mask in MASKS:
        assert score(as_class, mask) == pytest.approx(score(as_number, mask), rel=1e-9)


def test_cfs_relevance_for_three_classes_is_the_correlation_ratio():
    column = X[:, 0]
    between = sum((y == c).sum() * (column[y == c].mean() - column.mean()) ** 2 for c in range(3))
    expected = math.sqrt(between / ((column - column.mean()) ** 2).sum())
    assert score(FilterOracle(X, y, "cfs"), 1) == pytest.approx(expected, rel=1e-10)


def test_a_constant_column_has_no_merit():
    data = np.column_stack([np.full(178, 0.1), X[:, 0]])
    oracle = FilterOracle(data, y, "cfs")
    assert score(oracle, 1) == 0
    assert score(FilterOracle(data, y, "mrmr"), 1) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("merit", ["cfs", "mrmr", "consistency"])
def test_a_column_that_is_constant_but_for_rounding_has_the_merit_of_a_constant(merit):
    rounded = np.where(y == 0, 0.1 + 0.2, 0.3)  # they differ in the last digit, and by the target
    expected = score(FilterOracle(np.column_stack([np.full(178, 0.3), X[:, 0]]), y, merit), 1)
    assert score(FilterOracle(np.column_stack([rounded, X[:, 0]]), y, merit), 1) == pytest.approx(expected, abs=1e-12)


def grid(X):
    return np.round(X[:, :6] / X[:, :6].max(axis=0) * 3).astype(int)


@pytest.mark.parametrize("mask", [1, 6, 33, 63])
def test_mrmr_is_relevance_minus_redundancy(mask):
    codes, v = grid(X), members(mask)
    relevance = np.mean([mutual_info_score(codes[:, i], y) for i in v])
    pairs = [mutual_info_score(codes[:, i], codes[:, j]) for i in v for j in v if i < j]
    expected = relevance - (np.mean(pairs) if pairs else 0.0)
    assert score(FilterOracle(codes, y, "mrmr"), mask) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("mask", [1, 6, 33, 63])
def test_consistency_counts_the_rows_of_the_majority_of_each_pattern(mask):
    codes, v = grid(X), members(mask)
    patterns = {}
    for row, label in zip(codes[:, v].tolist(), y.tolist(), strict=True):
        patterns.setdefault(tuple(row), Counter())[label] += 1
    expected = sum(max(counter.values()) for counter in patterns.values()) / len(y)
    assert score(FilterOracle(codes, y, "consistency"), mask) == expected


def test_consistency_never_falls_when_an_attribute_joins():
    oracle = FilterOracle(X, y, "consistency", bins=3)
    rng = np.random.default_rng(0)
    for mask in rng.integers(1, 8192, 30):
        larger = int(mask) | 1 << int(rng.integers(13))
        assert score(oracle, larger) >= score(oracle, int(mask))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40))
@settings(max_examples=60, deadline=None)
def test_mutual_information_is_symmetric_and_that_of_scikit_learn(pairs):
    a, b = (np.array(column, dtype=np.intp) for column in zip(*pairs, strict=True))
    assert mutual_information_of_codes(a, b) == pytest.approx(mutual_info_score(a, b), abs=1e-12)
    assert mutual_information_of_codes(a, b) == pytest.approx(mutual_information_of_codes(b, a), abs=1e-12)


def test_many_values_are_cut_at_quantiles_and_a_numeric_target_too():
    X, y = load_diabetes(return_X_y=True)
    for merit in ("mrmr", "consistency"):
        assert 0 < score(FilterOracle(X, y, merit, bins=4), 0b101) < 1


def test_texts_are_classes():
    named = np.array(["red", "white", "rose"])[y]
    for merit in ("cfs", "mrmr", "consistency"):
        assert score(FilterOracle(X, named, merit), 77) == pytest.approx(score(FilterOracle(X, y, merit), 77))


@pytest.mark.parametrize("merit", ["cfs", "mrmr", "consistency"])
def test_numbers_that_are_kept_as_objects_are_numbers(merit):
    X, y = load_diabetes(return_X_y=True)
    assert score(FilterOracle(X, y.astype(object), merit), 0b101) == score(FilterOracle(X, y, merit), 0b101)


@pytest.mark.parametrize("merit", ["cfs", "mrmr", "consistency"])
def test_truth_values_may_count_as_the_numbers_0_and_1(merit):
    numbers, truths = (FilterOracle(X, target, merit, classes=False) for target in ((y == 1).astype(float), y == 1))
    assert score(truths, 77) == score(numbers, 77)


def test_size_and_further_criteria_join():
    oracle = FilterOracle(X, y, "cfs", criteria=[cost([2.0] * 13)])
    assert oracle(Evaluate(0, 7)).criteria[1:] == (3.0, 6.0)
    assert oracle(Evaluate(0, 7)).folds == ((), (), ())
    assert oracle.fingerprint != FilterOracle(X, y, "cfs").fingerprint != FilterOracle(X, y, "mrmr").fingerprint


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: FilterOracle(X, y, "chi"), "unknown merit 'chi'"),
        (lambda: FilterOracle("cfs", X, y), "unknown merit array"),
        (lambda: FilterOracle(X, y, "sum"), "needs scores"),
        (lambda: FilterOracle(X, y, "cfs", scores=[1]), "takes no scores"),
        (lambda: FilterOracle(X, y, "sum", scores=[1, 2]), "for each of the 13"),
        (lambda: FilterOracle(X, y, "sum", scores=["a"] * 13), "cannot be used"),
        (lambda: FilterOracle(X, y, "sum", scores=[*range(12), np.nan]), "13 attributes, found nan for 'a13'"),
        (lambda: FilterOracle(X, y, "mrmr", bins=1), "at least 2"),
        (lambda: FilterOracle(X, y, "cfs", criteria=[fit_time()]), "fits estimators; use WrapperOracle"),
        (lambda: FilterOracle(X, y[:3], "cfs"), "178 rows"),
        (lambda: FilterOracle(np.where(X > 1679, np.nan, X), y, "cfs"), "X is nan in row"),
        (
            lambda: FilterOracle(X, [2] * len(y), "cfs"),
            "classes are compared by the merit 'cfs', but every row of the target is 2",
        ),
        (lambda: FilterOracle(X, ["a"] * len(y), "consistency"), "every row of the target is a; add others"),
        (lambda: FilterOracle(X, [0.5] * len(y), "mrmr"), "every row of the target is 0.5, so nothing explains it"),
        (lambda: FilterOracle(X, y.astype(str), "cfs", classes=False), "needs a target of numbers, but this one holds"),
        (lambda: FilterOracle(X.astype(str).astype(object) + "x", y, "cfs"), "numeric columns"),
    ],
)
def test_bad_input(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_scores_that_are_given_as_numbers_need_no_target_that_varies():
    assert score(FilterOracle(X, np.zeros(len(y)), "sum", scores=range(13)), 0b110) == 3


def test_columns_of_one_name_are_refused():
    frame = pd.DataFrame(np.zeros((4, 3)), columns=["a", "a", "b"])
    with pytest.raises(InputError, match="'a' occurs twice"):
        FilterOracle(frame, [0, 1, 0, 1])


def test_a_score_of_which_less_is_better_is_turned(monkeypatch):
    few = {"draws": 4}
    monkeypatch.setattr("elicit.scores.explained.pimp", lambda *given, **options: pimp(*given, **options | few))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    oracle = FilterOracle(X, (X[:, 0] > 0).astype(str), "mean", scores="pimp")
    values = [oracle(Evaluate(0, 1 << i)).criteria[0] for i in range(4)]
    assert values[0] > max(values[1:])


def test_what_the_target_holds_is_what_a_score_by_name_goes_by():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, (300, 3))
    y = 2 * X[:, 0] + X[:, 1]
    for classes in (True, False):
        oracle = FilterOracle(X, y, "sum", scores="f", classes=classes)
        values = [oracle(Evaluate(0, 1 << i)).criteria[0] for i in range(3)]
        assert values == pytest.approx(f_statistic(X, y, classes=classes))
    with pytest.raises(InputError, match="needs a target of classes, which this is not"):
        FilterOracle(X, y, "sum", scores="fisher", classes=False)
