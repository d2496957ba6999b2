"""What an estimator leaves to chance is settled by one seed: numbers, and the splitters in it."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

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
        for _ in range(4)
    }
    assert len(told) == 1
    assert splitter.random_state is None


def test_seeds_that_are_set_stay():
    model = make_pipeline(GridSearchCV(RandomForestClassifier(random_state=3), {}, cv=RepeatedKFold(random_state=4)))
    search = settled(model, 9).steps[-1][1]
    assert (search.estimator.random_state, search.cv.random_state) == (3, 4)


def test_what_is_no_splitter_is_handed_back():
    for thing in (5, None, GroupKFold(3), RandomForestClassifier(), [([0], [1])]):
        assert settled_splitter(thing, 1) is thing
