"""Sample weights, groups and whatever else reaches the estimator, the splitter and the scorer."""

from typing import ClassVar

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import BaseCrossValidator, GroupKFold, LeaveOneGroupOut, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit import ElicitSelector, scored
from elicit.errors import InputError

X, Y = load_iris(return_X_y=True)
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float) + 0.01
GROUPS = np.arange(len(Y)) % 5


def scores(found):
    order = sorted(range(len(found.cv_results_["size"])), key=lambda k: found.cv_results_["features"][k])
    return found.cv_results_["mean_test_score"][order]


def by_hand(columns, splits, *, fit_weights=None, score_weights=None):
    found = []
    for train, test in splits:
        model = GaussianNB().fit(X[train][:, columns], Y[train], None if fit_weights is None else fit_weights[train])
        weights = None if score_weights is None else score_weights[test]
        found.append(accuracy_score(Y[test], model.predict(X[test][:, columns]), sample_weight=weights))
    return np.mean(found)


def recorded(found):
    return dict(zip(found.cv_results_["features"], found.cv_results_["mean_test_score"], strict=True))


def test_weights_reach_the_estimator_without_routing():
    splits = list(GroupKFold(5).split(X, Y, GROUPS))
    found = ElicitSelector(GaussianNB(), cv=splits, budget=15).fit(X, Y, sample_weight=WEIGHTS)
    table = recorded(found)
    assert table["x1", "x2"] == pytest.approx(by_hand([1, 2], splits, fit_weights=WEIGHTS))
    assert table != recorded(ElicitSelector(GaussianNB(), cv=splits, budget=15).fit(X, Y))
    piped = ElicitSelector(make_pipeline(StandardScaler(), LogisticRegression()), cv=3, budget=6)
    assert piped.fit(X, Y, sample_weight=WEIGHTS).n_evaluations_ == 6


def test_groups_reach_the_splitter_without_routing():
    found = ElicitSelector(GaussianNB(), cv=GroupKFold(5), budget=15).fit(X, Y, groups=GROUPS)
    assert recorded(found)["x3",] == pytest.approx(by_hand([3], GroupKFold(5).split(X, Y, GROUPS)))
    kept = ElicitSelector(GaussianNB(), cv=5, budget=15).fit(X, Y, groups=GROUPS)
    folds = [c for c in kept.cv_results_ if c.startswith("split")]
    assert len(folds) == 5


def test_routing_sends_each_thing_where_it_was_requested():
    with config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        found = ElicitSelector(model, cv=LeaveOneGroupOut(), scoring=scorer, budget=15)
        found.fit(X, Y, sample_weight=WEIGHTS, groups=GROUPS)
        splits = LeaveOneGroupOut().split(X, Y, GROUPS)
        expected = by_hand([0, 3], splits, fit_weights=WEIGHTS, score_weights=WEIGHTS)
        assert recorded(found)["x0", "x3"] == pytest.approx(expected)


def test_a_criterion_whose_scorer_requests_weights_is_weighted_and_no_other(tmp_path):
    def measured(scorer, weights=WEIGHTS):
        with config_context(enable_metadata_routing=True):
            model = GaussianNB().set_fit_request(sample_weight=False).set_score_request(sample_weight=False)
            criteria = ["accuracy", scored(scorer, "scorer")]  # a name that routing knows, too
            found = ElicitSelector(model, cv=splits, budget=15, criteria=criteria, journal=tmp_path)
            make_pipeline(found, GaussianNB().set_fit_request(sample_weight=True)).fit(X, Y, sample_weight=weights)
        row = found.cv_results_["features"].tolist().index(("x1", "x2"))
        return [found.cv_results_[name][row] for name in ("mean_test_score", "accuracy", "scorer")]

    splits = list(StratifiedKFold(3).split(X, Y))
    plain, weighted = by_hand([1, 2], splits), by_hand([1, 2], splits, score_weights=WEIGHTS)
    with config_context(enable_metadata_routing=True):
        asking = make_scorer(accuracy_score).set_score_request(sample_weight=True)
    assert measured(make_scorer(accuracy_score)) == pytest.approx([plain, plain, plain])
    assert measured(asking) == pytest.approx([plain, plain, weighted])
    others = by_hand([1, 2], splits, score_weights=WEIGHTS[::-1])  # and no journal takes one for the other
    assert measured(asking, WEIGHTS[::-1]) == pytest.approx([plain, plain, others])


def test_routing_through_a_pipeline_around_the_selector():
    with config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        inner = ElicitSelector(model, cv=5, budget=15)
        outer = make_pipeline(inner, KNeighborsClassifier())
        outer.fit(X, Y, sample_weight=WEIGHTS)
        without = ElicitSelector(GaussianNB(), cv=5, budget=15)
        with config_context(enable_metadata_routing=False):
            without.fit(X, Y, sample_weight=WEIGHTS)
        assert scores(outer[0]) == pytest.approx(scores(without))


def test_groups_with_a_number_of_folds_under_routing():
    with config_context(enable_metadata_routing=True):
        routed = ElicitSelector(GaussianNB(), cv=5, budget=15).fit(X, Y, groups=GROUPS)
    plain = ElicitSelector(GaussianNB(), cv=5, budget=15).fit(X, Y, groups=GROUPS)
    assert scores(routed) == pytest.approx(scores(plain))


class Later(BaseCrossValidator):
    """Trains on what came first, and holds out what came later."""

    def split(self, X, y=None, groups=None, when=None):  # noqa: ARG002
        yield np.flatnonzero(when <= 2), np.flatnonzero(when > 2)

    def get_n_splits(self, *_):
        return 1


def test_a_splitter_that_asks_for_more_than_groups_gets_it():
    with config_context(enable_metadata_routing=True):
        by_time = Later().set_split_request(when=True)
        found = ElicitSelector(GaussianNB(), cv=by_time, budget=15).fit(X, Y, when=GROUPS)
    split = np.flatnonzero(GROUPS <= 2), np.flatnonzero(GROUPS > 2)
    assert recorded(found)["x3",] == pytest.approx(by_hand([3], [split]))


def test_what_nobody_requested_is_refused():
    with config_context(enable_metadata_routing=True), pytest.raises(ValueError, match="sample_weight"):
        ElicitSelector(GaussianNB(), cv=5, budget=6).fit(X, Y, sample_weight=WEIGHTS)
    with pytest.raises(InputError, match="fit\\(\\) takes sample_weight and groups, found 'weights'"):
        ElicitSelector(GaussianNB(), cv=5, budget=6).fit(X, Y, weights=WEIGHTS)


@pytest.mark.parametrize("scoring", ["acuracy", ["accuracy", "recall"], 3])
def test_a_wrong_score_is_told_in_the_same_words_with_routing_and_without(scoring):
    told = []
    for enabled in (False, True):
        with config_context(enable_metadata_routing=enabled), pytest.raises(InputError) as caught:
            ElicitSelector(GaussianNB(), scoring=scoring).fit(X, Y, groups=GROUPS)
        told.append(str(caught.value))
    assert told[0] == told[1]


def test_what_a_part_of_a_pipeline_did_not_say_about_weights_ends_the_fit_at_once():
    scaling = make_column_transformer((StandardScaler(), [0]), remainder="passthrough")
    with config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        piped = make_pipeline(scaling, model).set_score_request(sample_weight=True)  # scikit-learn 1.7 asks the whole
    found = ElicitSelector(piped, cv=3, budget=15)
    with (
        config_context(enable_metadata_routing=True),
        pytest.raises(InputError, match=r"^\[sample_weight\] are passed but .* not requested for StandardScaler"),
    ):
        found.fit(X, Y, sample_weight=WEIGHTS)


def test_weights_for_an_estimator_without_them_are_refused():
    with pytest.raises(InputError, match="takes no sample weights"):
        ElicitSelector(KNeighborsClassifier(), cv=5, budget=6).fit(X, Y, sample_weight=WEIGHTS)


def test_the_honest_score_hands_weights_and_groups_to_the_inner_selection():
    class Watching(ClassifierMixin, BaseEstimator):
        seen: ClassVar = set()

        def fit(self, _X, y, sample_weight=None):
            self.seen.add(None if sample_weight is None else len(sample_weight) == len(y))
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[0])

    found = ElicitSelector(Watching(), cv=2, budget=4).nested_score(X, Y, 2, sample_weight=WEIGHTS, groups=GROUPS)
    assert len(found.scores) == 2
    assert Watching.seen == {True}


def test_workers_route_what_was_requested_too():
    with config_context(enable_metadata_routing=True), parallel_config(backend="threading"):
        last = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        piped = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), last)
        piped.set_score_request(sample_weight=True)  # scikit-learn 1.7 asks the whole
        alone, shared = (ElicitSelector(piped, cv=3, budget=4, n_jobs=n_jobs) for n_jobs in (None, 2))
        assert (
            scores(shared.fit(X, Y, sample_weight=WEIGHTS)).tolist()
            == scores(alone.fit(X, Y, sample_weight=WEIGHTS)).tolist()
        )
        honest = alone.nested_score(X, Y, cv=2, n_jobs=2, sample_weight=WEIGHTS)
        assert honest == alone.nested_score(X, Y, cv=2, sample_weight=WEIGHTS)


def test_the_outer_folds_are_judged_with_what_the_scorer_and_the_estimator_request():
    weights = np.where(Y == 2, 0.01, 1.0) * WEIGHTS
    outer = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y))
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        model = GaussianNB().set_fit_request(sample_weight=True)
        honest = ElicitSelector(model, cv=3, budget=8, scoring=scorer).nested_score(X, Y, outer, sample_weight=weights)
    for score, subset, split in zip(honest.scores, honest.subsets, outer, strict=True):
        columns = [int(name[1:]) for name in subset]
        assert score == pytest.approx(by_hand(columns, [split], fit_weights=weights, score_weights=weights))


def test_weights_for_the_scorer_alone_and_groups_for_the_outer_folds_alone():
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        model = KNeighborsClassifier()
        mine = ElicitSelector(model, cv=StratifiedKFold(3), budget=6, scoring=scorer)  # which asks for no groups
        honest = mine.nested_score(X, Y, GroupKFold(3), sample_weight=WEIGHTS, groups=GROUPS)
    assert len(honest.scores) == 3


class Halves:
    """A splitter of one's own: it knows nothing of requests, and cannot do without groups."""

    def split(self, X, y, groups):
        return GroupKFold(2).split(X, y, groups)

    def get_n_splits(self, *_):
        return 2


@pytest.mark.parametrize(("inner", "routing"), [(GroupKFold(2), True), (Halves(), False)])
def test_the_folds_within_an_outer_fold_have_the_groups_of_its_rows(inner, routing):
    with config_context(enable_metadata_routing=routing):
        honest = ElicitSelector(GaussianNB(), cv=inner, budget=4).nested_score(X, Y, GroupKFold(3), groups=GROUPS)
    assert len(honest.scores) == 3


class Shrunk(GaussianNB):
    """Takes something in fit that is not one entry a row."""

    def fit(self, X, y, how=None):
        assert how == "whole", how
        return super().fit(X, y)


def test_the_honest_score_hands_on_whole_what_is_not_one_entry_a_row():
    with config_context(enable_metadata_routing=True):
        mine = ElicitSelector(Shrunk().set_fit_request(how=True), cv=3, budget=6)
        honest = mine.nested_score(X, Y, cv=2, how="whole")
    assert honest == ElicitSelector(GaussianNB(), cv=3, budget=6).nested_score(X, Y, cv=2)


def test_weights_reach_an_estimator_that_takes_them_by_its_keywords():
    model = VotingClassifier([("bayes", GaussianNB())])
    weighted = ElicitSelector(model, cv=3, budget=6).fit(X, Y, sample_weight=np.where(Y == 2, 0.01, 1.0))
    assert scores(weighted) != pytest.approx(scores(ElicitSelector(model, cv=3, budget=6).fit(X, Y)))


def test_what_was_measured_with_other_weights_is_not_taken_for_these(tmp_path):
    pandas = pytest.importorskip("pandas")

    def fitted(weights, folder):
        with config_context(enable_metadata_routing=True):
            model = GaussianNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            return ElicitSelector(model, cv=3, budget=15, journal=folder).fit(X, Y, sample_weight=weights)

    first, other = pandas.Series(WEIGHTS), pandas.Series(np.where(Y == 1, 5.0, 0.01))
    before = recorded(fitted(first, tmp_path))
    assert recorded(fitted(other, tmp_path)) == recorded(fitted(other, None)) != before
    assert recorded(fitted(first.copy(), tmp_path)) == before
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
