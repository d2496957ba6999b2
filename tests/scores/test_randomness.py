"""What an estimator leaves to chance is settled by one seed: numbers, and the splitters in it."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_regression, mutual_info_regression
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder

from elicit.asks import Evaluate
from elicit.oracles import WrapperOracle
from elicit.scores.randomness import settled, settled_splitter


@pytest.mark.parametrize("splitter", [KFold(3, shuffle=True), StratifiedKFold(3, shuffle=True), ShuffleSplit(3)])
def test_a_search_within_gives_one_score(splitter):
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = X[:, 0] + np.random.default_rng(1).normal(size=120) > 0
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, cv=splitter)
    told = {
        tuple(WrapperOracle(search, X, y, cv=3, random_state=0)(Evaluate(0, mask)).criteria[0] for mask in (1, 3, 7))
        for _ in range(2)
    }
    assert len(told) == 1
    assert splitter.random_state is None


@pytest.mark.parametrize(
    ("y", "target_type"),
    [
        (np.arange(90) % 2, "auto"),
        (np.array(list("abc"))[np.arange(90) % 3], "auto"),
        (np.random.default_rng(1).normal(size=90), "auto"),
        (np.arange(90) % 3, "continuous"),
    ],
)
@pytest.mark.parametrize("cv", [3, 5])
@pytest.mark.filterwarnings("ignore:.*random_state. are deprecated:FutureWarning")
def test_the_folds_of_a_target_encoder_are_those_of_the_seed(y, target_type, cv):
    X = np.random.default_rng(0).integers(0, 4, (90, 2))
    expected = TargetEncoder(target_type=target_type, cv=cv, random_state=7).fit_transform(X, y)
    found = settled(make_pipeline(TargetEncoder(target_type=target_type, cv=cv)), 7)
    assert np.array_equal(found.fit_transform(X, y), expected)


def test_a_target_encoder_gives_one_score_and_one_fingerprint_and_warns_of_nothing():
    X, y = np.random.default_rng(0).integers(0, 9, (90, 3)), np.random.default_rng(1).integers(0, 2, 90)
    model = make_pipeline(TargetEncoder(), KNeighborsClassifier())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        oracles = [WrapperOracle(model, X, y, cv=3, random_state=0) for _ in range(3)]
        told = {tuple(oracle(Evaluate(0, mask)).criteria[0] for mask in range(1, 8)) for oracle in oracles}
    assert len(told) == len({oracle.fingerprint for oracle in oracles}) == 1


def test_what_a_target_encoder_has_been_told_of_its_folds_stays():
    for given in (TargetEncoder(cv=KFold(3)), TargetEncoder(cv=3, shuffle=False)):
        folds = given.cv
        assert settled(given, 7).cv is folds


def test_a_score_within_that_draws_has_the_seed():
    X = np.random.default_rng(0).integers(0, 5, (60, 4)).astype(float)  # ties, which are broken by noise
    chosen = settled(make_pipeline(SelectKBest(mutual_info_regression, k=2)), 7)[0].fit(X, X[:, 0])
    assert chosen.scores_.tolist() == mutual_info_regression(X, X[:, 0], random_state=7).tolist()
    own = partial(mutual_info_regression, random_state=3)
    assert settled(SelectKBest(own), 7).score_func is own
    assert settled(SelectKBest(f_regression), 7).score_func is f_regression


def test_seeds_that_are_set_stay():
    model = make_pipeline(GridSearchCV(RandomForestClassifier(random_state=3), {}, cv=RepeatedKFold(random_state=4)))
    search = settled(model, 9).steps[-1][1]
    assert (search.estimator.random_state, search.cv.random_state) == (3, 4)


def test_what_is_no_splitter_is_handed_back():
    for thing in (5, None, GroupKFold(3), RandomForestClassifier(), [([0], [1])]):
        assert settled_splitter(thing, 1) is thing
