"""The same subsets as scikit-learn and mlxtend, on data and on drawn values; each difference is shown.

On data, the folds are the same and the score is the log loss of naive Bayes, so that ties do not decide.
On drawn values, a stand-in for an estimator looks its score up by the columns that it is given, so that
the searches themselves are compared, on many more cases than data would allow.
"""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.feature_selection import ExhaustiveFeatureSelector
from mlxtend.feature_selection import SequentialFeatureSelector as MlxtendSelector
from played import drawn_value, play
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.feature_selection import (
    RFE,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_classif,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from elicit.data import Data
from elicit.explore import explore
from elicit.methods import Elimination, Exhaustive, Floating, Method, Ranking, Sequential, Sized
from elicit.oracles import Remembering, WrapperOracle
from elicit.scores import f_statistic, variance
from elicit.sources.material import DataMaterial
from elicit.subsets import mask_of, members


def synthetic():
    return make_classification(150, 7, n_informative=4, n_redundant=2, random_state=5)


def narrow(load, step):
    """Some of the columns: every one more makes the searches longer, and shows nothing else."""
    X, y = load(return_X_y=True)
    return np.ascontiguousarray(X[:, ::step]), y


DATA = {
    "wine": lambda: narrow(load_wine, 2),
    "breast cancer": lambda: narrow(load_breast_cancer, 4),
    "synthetic": synthetic,
}
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
SCORING = "neg_log_loss"


@pytest.fixture(scope="module", params=["wine", pytest.param("breast cancer", marks=pytest.mark.slow), "synthetic"])
def measured(request):
    """Data, and an oracle that remembers what it measured for the next test."""
    X, y = DATA[request.param]()
    return X, y, Remembering(WrapperOracle(GaussianNB(), X, y, cv=FOLDS, scoring=SCORING))


def ours(explorer, oracle, size):
    return explore(Method("peer", explorer, goal=Sized(size)), oracle).subset


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_sequential_selection_is_scikit_learn_s(measured, direction):
    X, y, oracle = measured
    size = X.shape[1] // 3
    theirs = SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=size, direction=direction, scoring=SCORING, cv=FOLDS
    ).fit(X, y)
    assert ours(Sequential(direction == "forward"), oracle, size) == mask_of(np.flatnonzero(theirs.support_))


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("floating", [True, False])
def test_sequential_and_floating_selection_are_mlxtend_s(measured, forward, floating):
    X, y, oracle = measured
    size = X.shape[1] // 2  # the first two steps are never taken back
    theirs = MlxtendSelector(
        GaussianNB(), size, forward, floating, scoring=SCORING, cv=list(FOLDS.split(X, y)), clone_estimator=False
    ).fit(X, y)
    explorer = Floating(forward) if floating else Sequential(forward)
    assert ours(explorer, oracle, size) == mask_of(theirs.k_feature_idx_)


def test_exhaustive_search_is_mlxtend_s(measured):
    X, y, oracle = measured
    theirs = ExhaustiveFeatureSelector(
        GaussianNB(), 2, 2, scoring=SCORING, cv=list(FOLDS.split(X, y)), print_progress=False, clone_estimator=False
    ).fit(X, y)
    assert ours(Exhaustive(), oracle, 2) == mask_of(theirs.best_idx_)


@pytest.mark.parametrize("model", [LogisticRegression(max_iter=5000), DecisionTreeClassifier(random_state=0)])
@pytest.mark.parametrize("name", DATA)
def test_recursive_elimination_is_scikit_learn_s(name, model):
    X, y = DATA[name]()
    X = StandardScaler().fit_transform(X)
    n = X.shape[1]
    material = DataMaterial(Data(X, y, tuple(f"x{i}" for i in range(n))), model)
    for step, size in ((1, 1), (1, n // 2), (2, 3), (0.45, 2), (0.5, 2)):  # half of seven are three, not four
        theirs = RFE(model, n_features_to_select=size, step=step).fit(X, y)
        found = play(Elimination(material.importance, step), n, lambda _: 0.0, goal=Sized(size)).best
        assert found == mask_of(np.flatnonzero(theirs.support_))


@pytest.mark.parametrize("name", DATA)
def test_the_k_best_and_a_threshold_are_scikit_learn_s(name):
    X, y = DATA[name]()
    n = X.shape[1]
    for k in range(1, n + 1):
        theirs = SelectKBest(f_classif, k=k).fit(X, y).get_support()
        found = play(Ranking(tuple(f_statistic(X, y))), n, lambda _: 0.0, goal=Sized(k)).best
        assert found == mask_of(np.flatnonzero(theirs))
    spread = variance(X, y)
    for threshold in (*np.quantile(spread, (0.2, 0.5, 0.8)), float(spread.min())):
        theirs = VarianceThreshold(threshold).fit(X).get_support()
        found = play(Ranking(tuple(spread), threshold=float(threshold)), n, lambda _: 0.0)
        assert found.ended.chosen == mask_of(np.flatnonzero(theirs))


# where ties decide


def test_backward_selection_differs_from_scikit_learn_s_where_two_removals_are_equally_good():
    """Of equal removals we leave the subset that comes first in mask order; scikit-learn removes the first column."""
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    oracle = Remembering(WrapperOracle(model, X, y, cv=FOLDS))
    whole = explore(Method("sbs", Sequential(False)), oracle)
    value = {fact.subset: fact.criteria[0] for fact in whole.facts if hasattr(fact, "criteria")}
    mine, current = [], (1 << 13) - 1
    while current.bit_count() > 1:
        steps = [current ^ 1 << i for i in members(current)]
        current = max(steps, key=lambda mask: (round(value[mask], 9), -mask))
        mine.append(current)
    for size in range(12, 6, -1):
        theirs = SequentialFeatureSelector(model, n_features_to_select=size, direction="backward", cv=FOLDS).fit(X, y)
        found = mask_of(np.flatnonzero(theirs.support_))
        if found != mine[12 - size]:
            assert value[found] == pytest.approx(value[mine[12 - size]], abs=1e-12)
            assert found > mine[12 - size]
            return
    raise AssertionError("no tie decided: this test shows nothing on these folds")


def test_forward_selection_breaks_ties_as_both_do():
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    oracle = Remembering(WrapperOracle(model, X, y, cv=FOLDS))
    found = ours(Sequential(), oracle, 4)
    theirs = SequentialFeatureSelector(model, n_features_to_select=4, cv=FOLDS).fit(X, y)
    assert found == mask_of(np.flatnonzero(theirs.support_))
    third = MlxtendSelector(model, 4, scoring="accuracy", cv=list(FOLDS.split(X, y))).fit(X, y)
    assert found == mask_of(third.k_feature_idx_)


# the searches themselves, on drawn values


@contextmanager
def looked_up(n, value):
    """Both libraries score a subset by looking its value up; the subsets that they ask for are noted.

    Every column of X holds its own bit, so that the sum of a row names the columns.
    """
    asked = []

    def cross_val_score(_estimator, X, *_, **__):
        asked.append(int(X[0].sum()))
        return np.array([value(asked[-1])])

    def calc_score(_selector, _X, _y, indices, *_, **__):
        asked.append(mask_of(indices))
        return tuple(indices), np.array([value(asked[-1])])

    with (
        patch("sklearn.feature_selection._sequential.cross_val_score", cross_val_score),
        patch("mlxtend.feature_selection.sequential_feature_selector._calc_score", calc_score),
    ):
        yield np.tile(2.0 ** np.arange(n), (4, 1)), np.array([0, 1, 0, 1]), asked


@settings(max_examples=60)
@given(st.integers(3, 7), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_on_drawn_values_mlxtend_asks_for_the_same_subsets(n, seed, forward, floating):
    """Ours may then recommend a subset of the goal's size that mlxtend's floating evaluated and did not keep."""
    value = drawn_value(n, seed)
    for size in range(1, n + 1):
        with looked_up(n, value) as (X, y, asked):
            theirs = MlxtendSelector(GaussianNB(), size, forward, floating).fit(X, y)
        explorer = Floating(forward) if floating else Sequential(forward)
        found = play(explorer, n, value, goal=Sized(size))
        assert set(found.values) == set(asked)
        chosen = mask_of(theirs.k_feature_idx_)
        assert found.best == chosen or (floating and value(found.best) > value(chosen))


@settings(max_examples=60)
@given(st.integers(3, 7), st.integers(0, 10_000), st.booleans())
def test_on_drawn_values_scikit_learn_asks_for_the_same_subsets(n, seed, forward):
    """But for the subset that a walk from above starts at, which scikit-learn does not score."""
    value, direction = drawn_value(n, seed), "forward" if forward else "backward"
    for size in range(1, n):
        with looked_up(n, value) as (X, y, asked):
            theirs = SequentialFeatureSelector(GaussianNB(), n_features_to_select=size, direction=direction).fit(X, y)
        found = play(Sequential(forward), n, value, goal=Sized(size))
        start = set() if forward else {(1 << n) - 1}
        assert set(found.values) - start == set(asked)
        assert found.best == mask_of(np.flatnonzero(theirs.support_))


@pytest.mark.slow
@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("floating", [True, False])
def test_on_all_of_breast_cancer_the_subsets_are_mlxtend_s(forward, floating):
    X, y = load_breast_cancer(return_X_y=True)
    oracle = Remembering(WrapperOracle(GaussianNB(), X, y, cv=FOLDS, scoring=SCORING))
    theirs = MlxtendSelector(GaussianNB(), 12, forward, floating, scoring=SCORING, cv=list(FOLDS.split(X, y)))
    explorer = Floating(forward) if floating else Sequential(forward)
    assert ours(explorer, oracle, 12) == mask_of(theirs.fit(X, y).k_feature_idx_)
