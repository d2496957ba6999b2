"""The selector: what it chooses, what it leaves behind, who is asked, and how it stands among estimators."""

import ast
import copy
import doctest
import inspect
import io
import json
import os
import pickle
import re
import sys
from dataclasses import fields
from fractions import Fraction
from functools import partial
from pathlib import Path
from statistics import stdev
from types import SimpleNamespace

import journals
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, load_wine, make_classification
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import HistGradientBoostingClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from elicit import Answers, ElicitSelector, Lexicographic, PowerDisplay, ScriptedOperator, SimulatedOperator
from elicit.asks import Compare
from elicit.cli import main
from elicit.errors import InputError, JournalError
from elicit.estimator.certificate import certificate_of
from elicit.estimator.choosing import chosen_of, warnings_of
from elicit.estimator.fitting import automatic_budget
from elicit.estimator.honest import NestedScore
from elicit.estimator.judges import Judge
from elicit.estimator.results import _ranks, front_of, ranks_of
from elicit.estimator.tolerance import least_within, tolerance_of
from elicit.events import SCORE_AND_SIZE, Answer, Assumed, Evaluated, Failed, Preferred, Retracted
from elicit.journal import read
from elicit.knowledge.dominance import Noise, within_noise
from elicit.knowledge.history import History
from elicit.operators.lines import LineOperator
from elicit.oracles import WrapperOracle, from_callable, scored, stability
from elicit.proof.record_check import check_record
from elicit.subsets import Attributes, Family, simplest
from elicit.utility.verify import verify

WINE, CLASSES = load_wine(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)
KNN = make_pipeline(StandardScaler(), KNeighborsClassifier(3))


def selector(**changed):
    return ElicitSelector(**({"estimator": KNN, "cv": 5, "budget": 24} | changed))


@pytest.fixture(scope="module")
def fitted():
    return selector().fit(WINE, CLASSES)


# --- what is chosen ------------------------------------------------------------------------------------


def test_every_subset_of_a_small_family_is_tried_and_the_best_one_is_chosen():
    found = ElicitSelector(KNN, cv=5, budget=15).fit(IRIS, SPECIES)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = {}
    for mask in range(1, 16):
        columns = [i for i in range(4) if mask >> i & 1]
        scores[mask] = cross_val_score(KNN, IRIS[:, columns], SPECIES, cv=cv).mean()
    best = max(scores, key=lambda m: (round(scores[m], 9), -m.bit_count(), -m))
    assert found.n_evaluations_ == 15
    assert [i for i in range(4) if best >> i & 1] == found.get_support(indices=True).tolist()
    assert found.best_score_ == pytest.approx(scores[best])


def test_the_chosen_subset_is_the_best_evaluated_with_ties_to_fewer(fitted):
    results = fitted.cv_results_
    evaluated = results["decision"] == "evaluated"
    best = results["mean_test_score"][evaluated].max()
    tied = results["size"][evaluated][results["mean_test_score"][evaluated] >= best - 1e-9]
    assert fitted.best_score_ == pytest.approx(best)
    assert len(fitted.feature_names_) == tied.min() == fitted.support_.sum()
    assert fitted.n_questions_ == 0
    assert fitted.n_evaluations_ == 24


def test_without_an_operator_nothing_is_read_or_written_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    selector(budget=12).fit(WINE, CLASSES)
    assert capsys.readouterr() == ("", "")


def test_a_tolerance_takes_fewer_features(fitted):
    for tolerance in (0.05, "1-se"):
        found = selector(tolerance=tolerance).fit(WINE, CLASSES)
        results = found.cv_results_
        scores = results["mean_test_score"]
        top = np.nanargmax(scores - 1e-9 * results["size"])
        one = results["std_test_score"][top] / np.sqrt(5 - 1)  # the standard error of a mean of five
        close = scores >= scores[top] - (one if tolerance == "1-se" else tolerance) - 1e-9
        assert len(found.feature_names_) == results["size"][close].min() < len(fitted.feature_names_)


def test_a_fit_with_a_tolerance_has_a_journal_of_its_own_and_measures_nothing_again(tmp_path, monkeypatch):
    calls, measure = [], WrapperOracle.__call__
    within = selector(tolerance="1-se", budget=20)
    alone = clone(within).fit(WINE, CLASSES)
    plain = clone(within).set_params(tolerance=None, journal=tmp_path).fit(WINE, CLASSES)
    monkeypatch.setattr(WrapperOracle, "__call__", lambda own, request: calls.append(request) or measure(own, request))
    kept = clone(within).set_params(journal=tmp_path).fit(WINE, CLASSES)
    shared = kept.session_.history.evaluated.keys() & plain.session_.history.evaluated.keys()
    assert len(list(tmp_path.iterdir())) == 2
    assert kept.session_.facts == alone.session_.facts
    assert 0 < len(shared) < 20, "it looks elsewhere than the fit without a tolerance"
    assert len(shared) == 20 - len(calls)
    assert clone(kept).fit(WINE, CLASSES).feature_names_ == kept.feature_names_
    assert len(shared) == 20 - len(calls)


@pytest.mark.parametrize("tolerance", ["1-se", 0.05, 0.0])
def test_why_names_what_a_tolerance_chose_where_that_is_not_the_best(tmp_path, capsys, tolerance):
    def names(line):
        return set(line.partition("{")[2].partition("}")[0].split(", "))

    fit = selector(estimator=GaussianNB(), tolerance=tolerance, journal=tmp_path, random_state=2).fit(WINE, CLASSES)
    (path,) = tmp_path.iterdir()
    assert main(["why", str(path)]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    told = [line for line in lines if line.startswith("the fit chose")]
    another = names(first) != set(fit.feature_names_)
    assert len(told) == another
    assert another or tolerance == 0
    for line in told:
        assert line.startswith(f"the fit chose the smallest within its tolerance of {tolerance}: {{")
        assert names(line) == set(fit.feature_names_)
    for other in ("much", None, -1.0, [1], True):  # which only a journal made by hand says
        lines = journals.lines_of(path)
        lines[0]["settings"]["about"]["tolerance"] = other
        journals.write(path, lines)
        assert main(["why", str(path)]) == 0
        assert "the fit chose" not in capsys.readouterr().out


@st.composite
def measured_by_folds(draw):
    """Subsets of four attributes with three fold scores each, and a family that may hold them."""
    masks = draw(st.lists(st.integers(1, 15), min_size=1, max_size=8, unique=True))
    folds = [draw(st.lists(st.integers(0, 20), min_size=3, max_size=3)) for _ in masks]
    facts = [
        Evaluated(k, m, (sum(f) / 300, float(m.bit_count())), (tuple(x / 100 for x in f), ()))
        for k, (m, f) in enumerate(zip(masks, folds, strict=True))
    ]
    return facts, Family(4, keep=draw(st.sampled_from([0, 0b1])), drop=draw(st.sampled_from([0, 0b1000])))


@given(measured_by_folds(), st.integers(0, 30).map(lambda k: k / 300) | st.just("1-se"))
def test_within_a_tolerance_the_fewest_are_taken_and_of_these_the_best(case, tolerance):
    facts, family = case
    run = SimpleNamespace(history=History(Attributes.numbered(4), facts=facts), family=family)
    able = [fact for fact in facts if fact.subset in family]
    found = least_within(run.history, family, tolerance)
    if not able:
        assert found is None
        return
    best = min(able, key=lambda fact: (-round(fact.criteria[0], 9), simplest(fact.subset)))
    away = stdev(best.folds[0]) / 3**0.5 if tolerance == "1-se" else tolerance
    close = [fact for fact in able if fact.criteria[0] >= best.criteria[0] - away - 1e-9]
    fewest = min(fact.subset.bit_count() for fact in close)
    of_these = [fact for fact in close if fact.subset.bit_count() == fewest]
    assert found == min(of_these, key=lambda fact: (-round(fact.criteria[0], 9), fact.subset)).subset


@pytest.mark.parametrize(("score", "chosen"), [(0.7, 0b01), (0.7 - 5e-9, 0b11)])
def test_what_is_a_tolerance_away_is_within_it_whatever_the_last_digits_say(score, chosen):
    scores = {0b11: 0.8, 0b01: score}
    facts = [Evaluated(k, m, (s, float(m.bit_count())), ((s,), ())) for k, (m, s) in enumerate(scores.items())]
    run = SimpleNamespace(history=History(Attributes.numbered(2), facts=facts), family=Family(2))
    assert 0.8 - 0.1 > 0.7
    assert least_within(run.history, run.family, 0.1) == chosen


def test_a_standard_error_needs_two_folds_and_nothing_is_measured_before_that_is_said():
    calls = []
    alone = [(np.arange(0, len(WINE), 2), np.arange(1, len(WINE), 2))]
    one_fold = selector(cv=alone, scoring=lambda model, X, y: calls.append(model) or model.score(X, y))
    with pytest.raises(InputError, match='tolerance "1-se" needs the scores of at least two folds'):
        clone(one_fold).set_params(tolerance="1-se").fit(WINE, CLASSES)
    assert not calls
    assert clone(one_fold).set_params(tolerance=0.0, budget=3).fit(WINE, CLASSES).best_score_ > 0


def test_a_utility_chooses_among_all_that_was_measured_whatever_its_answers_led_to():
    facts = [Evaluated(0, 0b11, (0.8, 2.0)), Evaluated(1, 0b01, (0.7, 1.0))]
    run = SimpleNamespace(history=History(Attributes.numbered(2), facts=facts), family=Family(2))
    recommended = SimpleNamespace(subset=0b11, failures={})
    assert chosen_of(run, recommended, None, None) == 0b11
    assert chosen_of(run, recommended, SimulatedOperator("score - size", run.history.criteria), None) == 0b01
    assert chosen_of(run, recommended, None, 0.2) == 0b01
    with pytest.raises(InputError, match=r"measured; the first of 3 with the same reason: no$"):
        chosen_of(run, SimpleNamespace(subset=None, failures={"no": 3, "never": 1}), None, None)


def test_whoever_measures_too_finely_is_warned_and_so_is_whoever_could_not_measure_all():
    fine = [Evaluated(k, m, (s, float(m.bit_count()))) for k, (m, s) in enumerate([(0b11, 3e-7), (0b01, 2e-7)])]
    run = SimpleNamespace(history=History(Attributes.numbered(2), facts=fine))
    told = list(warnings_of(run, SimpleNamespace(failures={"no": 2, "never": 1}, evaluations=5), "turn it round"))
    assert [type(each) for each in told] == [UserWarning, UserWarning, FitFailedWarning]
    against, too_fine, failed = map(str, told)
    assert against == "turn it round"
    assert too_fine.startswith("the measured values of 'score' all lie within 1e-06 of each other")
    assert failed == "3 of 5 subsets could not be measured and are left out; the first because: no"
    run.history.record(Evaluated(2, 0b10, (0.5, 1.0)))
    assert list(warnings_of(run, SimpleNamespace(failures={}), None)) == []


def test_two_folds_have_a_standard_error():
    folds = ((0.4, 0.6), ())  # 0.1 for their mean
    facts = [Evaluated(0, 3, (0.5, 2.0), folds), Evaluated(1, 1, (0.4, 1.0), folds), Evaluated(2, 2, (0.39, 1.0))]
    run = SimpleNamespace(history=History(Attributes.numbered(2), facts=facts), family=Family(2))
    assert least_within(run.history, run.family, "1-se") == 1
    assert tolerance_of("1-se", Judge(None, declared=True), 2) == "1-se"


def test_without_a_tolerance_or_with_one_of_nothing_the_best_is_taken(fitted):
    assert selector(tolerance=0).fit(WINE, CLASSES).feature_names_ == fitted.feature_names_


def test_keep_and_max_features_hold_for_every_subset():
    found = selector(keep=["x3", 5], max_features=4).fit(WINE, CLASSES)
    for features in found.cv_results_["features"]:
        assert {"x3", "x5"} <= set(features)
        assert len(features) <= 4


def test_a_group_of_columns_is_chosen_or_left_as_a_whole():
    groups = {"first": ["x0", "x4"], "second": [1, 2, 3]}
    found = selector(feature_groups=groups).fit(WINE, CLASSES)
    assert found.attributes_[:2] == ("first", "second")
    assert len(found.attributes_) == 10
    assert found.support_[0] == found.support_[4]
    assert len(set(found.support_[1:4])) == 1
    assert len(set(found.ranking_[1:4])) == 1
    assert found.support_.sum() == sum({"first": 2, "second": 3}.get(name, 1) for name in found.feature_names_)


def test_costs_and_other_criteria_are_recorded_and_count_in_a_utility():
    costs = [1.0] * 12 + [100.0]
    found = selector(costs=costs, criteria=[stability()], operator="score - cost", questions=5).fit(WINE, CLASSES)
    table = found.cv_results_
    measured = table["decision"] == "evaluated"
    summed = np.array([sum(100.0 if n == "x12" else 1.0 for n in f) for f in table["features"]])
    assert (table["cost"][measured] == summed[measured]).all()
    assert (table["stability"][measured] <= 0).all()
    assert 0 < found.n_questions_ <= 5
    assert "x12" not in found.best_subset_for("score - cost")


def test_criteria_may_be_named_as_on_the_command_line():
    named = selector(criteria=["score", "recall_macro", "stability", "cost"], costs=[1.0] * 13).fit(WINE, CLASSES)
    made = selector(criteria=[scored("recall_macro"), stability()], costs=[1.0] * 13).fit(WINE, CLASSES)
    assert named.session_.history.criteria == made.session_.history.criteria
    assert named.session_.history.evaluated == made.session_.history.evaluated


def test_a_second_score_counts_in_a_utility():
    found = selector(criteria=[scored("recall_macro")], operator="score + 0.5 * recall_macro", questions=5)
    table = found.fit(WINE, CLASSES).cv_results_
    assert 0 < table["recall_macro"][table["decision"] == "evaluated"].max() <= 1
    assert "recall_macro" in found.session_.history.criteria[2].name


def test_the_budget_left_open_is_a_third_of_a_forward_path_within_its_bounds():
    assert [automatic_budget(n) for n in (2, 13, 30, 64, 5000)] == [20, 65, 155, 400, 400]


# --- what is left behind -------------------------------------------------------------------------------


def test_the_record_holds_fold_scores_and_decisions(fitted):
    table = fitted.cv_results_
    columns = [table[f"split{k}_test_score"] for k in range(5)]
    evaluated = table["decision"] == "evaluated"
    assert evaluated.sum() == 24
    assert np.mean(columns, axis=0)[evaluated] == pytest.approx(table["mean_test_score"][evaluated])
    assert np.std(columns, axis=0)[evaluated] == pytest.approx(table["std_test_score"][evaluated])
    assert np.isnan(table["price"][evaluated]).all()
    assert table["rank_test_score"][np.nanargmax(table["mean_test_score"])] == 1
    assert _ranks(np.array([0.5, 0.7 + 1e-16, np.nan, 0.7, 0.7 - 1e-12])).tolist() == [4, 1, 5, 1, 1]
    assert len({len(column) for column in table.values()}) == 1


def test_what_was_rejected_is_in_the_record_with_its_price():
    table = selector(operator="score - 0.02 * size", budget=44).fit(WINE, CLASSES).cv_results_
    rejected = table["decision"] == "rejected"
    assert rejected.any()
    assert (table["price"][rejected] > 0.1).all()
    assert np.isnan(table["mean_test_score"][rejected]).all()
    assert (table["decision"][:44] == "evaluated").all()


def test_subsets_that_failed_are_in_the_record_with_the_reason():
    class Fussy(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            if X.shape[1] == 2:
                raise ValueError("two columns are one too many")
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), self.classes_[X.shape[1] % 3])

    with pytest.warns(FitFailedWarning, match="two columns are one too many"):
        table = selector(estimator=Fussy(), budget=14).fit(IRIS, SPECIES).cv_results_
    failed = table["decision"] == "failed"
    assert (table["size"][failed] == 2).all()
    assert set(table["reason"][failed]) == {"ValueError: two columns are one too many"}
    assert np.isnan(table["mean_test_score"][failed]).all()


def test_the_front_is_told_from_the_smallest_subset_on():
    facts = [Evaluated(k, x, (k / 10, float(x.bit_count())), (), ()) for k, x in enumerate((0b100, 0b011, 0b111))]
    run = SimpleNamespace(history=History(Attributes.numbered(3), facts=facts), family=Family(3))
    assert [member.size for member in front_of(run)] == [1, 2, 3]
    run.family = Family(3, keep=0b001)
    assert [member.size for member in front_of(run)] == [2, 3], "of what may be chosen"


def test_the_front_is_what_nothing_evaluated_beats(fitted):
    table = fitted.cv_results_
    front = {member.features for member in fitted.front_}
    points = [
        (s, n, f)
        for s, n, f, d in zip(
            table["mean_test_score"], table["size"], table["features"], table["decision"], strict=True
        )
        if d == "evaluated"
    ]
    for score, size, features in points:
        beaten = any((s >= score - 1e-9 and n <= size) and (s > score + 1e-9 or n < size) for s, n, _ in points)
        assert (features in front) == (not beaten)
    assert [m.size for m in fitted.front_] == sorted(m.size for m in fitted.front_)
    assert fitted.feature_names_ in front


def test_the_certificate_is_checked_exactly_and_speaks_of_the_choice():
    found = selector(operator="score - 0.01 * size", budget=16).fit(WINE, CLASSES)
    certificate = found.certificate_
    verify(certificate)
    verify(json.loads(json.dumps(certificate)))
    assert certificate["claim"]["subset"] == found.get_support(indices=True).tolist()


def test_among_very_many_a_certificate_bounds_no_more_than_a_clear_answer(monkeypatch):
    found = selector(operator="score - 0.05 * size", random_state=0).fit(WINE, CLASSES)
    bound = Fraction(certificate_of(found.session_, found._subset)["claim"]["bound"])
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 9)
    assert bound > 1, "another preference shows this"
    assert certificate_of(found.session_, found._subset) is None
    monkeypatch.setattr("elicit.utility.regret.CLEAR", float(bound))
    # a bound is rounded up to six digits, and the last of them depends on the way it was found
    again = Fraction(certificate_of(found.session_, found._subset)["claim"]["bound"])
    assert again == pytest.approx(bound, abs=2e-6)


def test_what_is_selected_ranks_first_and_the_rest_follows_the_power_index(fitted):
    assert ((fitted.ranking_ == 1) == fitted.support_).all()
    rest = np.flatnonzero(~fitted.support_)
    order = rest[np.argsort(fitted.ranking_[rest], kind="stable")]
    assert len(order) > 1
    assert sorted(fitted.ranking_[rest]) == list(range(2, 2 + len(rest)))
    assert (np.diff(fitted.power_[order]) <= 1e-8).all()


def test_a_constant_feature_that_was_left_out_ranks_behind_all_that_were_looked_at():
    assert ranks_of(np.array([0.5, -0.2, 0.0, -0.1, 0.0]), 0b1, dropped=0b10100).tolist() == [1, 3, 4, 2, 4]
    X = np.column_stack([np.ones(len(IRIS)), IRIS])
    found = selector(estimator=GaussianNB(), cv=3, max_features=2).fit(X, SPECIES)
    assert found.ranking_[0] > found.ranking_[1:].max()


def test_another_utility_is_answered_from_the_record_without_a_fit(fitted, monkeypatch):
    monkeypatch.setattr(KNeighborsClassifier, "fit", None)
    table = fitted.cv_results_
    worth = table["mean_test_score"] - 0.05 * table["size"]
    assert fitted.best_subset_for("score - 0.05 * size") == table["features"][np.nanargmax(worth)]
    smallest = fitted.best_subset_for(lambda criteria: -criteria["size"])
    assert len(smallest) == table["size"][table["decision"] == "evaluated"].min()
    assert fitted.best_subset_for(Lexicographic(("score", "size"))) == fitted.feature_names_
    with pytest.raises(InputError, match="expected a utility"):
        fitted.best_subset_for(3)


def test_the_honest_score_repeats_the_selection_and_never_sees_the_held_out_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 12)), np.tile([0, 1], 30)  # nothing to learn, much to select
    honest = selector(estimator=GaussianNB(), cv=3, budget=30).nested_score(X, y, cv=4)
    assert len(honest.scores) == len(honest.subsets) == 4
    assert honest.optimism > 0.1
    assert 0 <= honest.agreement <= 1
    outer = StratifiedKFold(4, shuffle=True, random_state=0)
    train, test = next(iter(outer.split(X, y)))
    first = selector(estimator=GaussianNB(), cv=3, budget=30).fit(X[train], y[train])
    model = GaussianNB().fit(first.transform(X[train]), y[train])
    assert honest.scores[0] == model.score(first.transform(X[test]), y[test])
    assert honest.selection_scores[0] == first.best_score_
    assert "on held-out rows" in str(honest)


def test_what_an_honest_score_says_of_its_folds():
    subsets = (("a", "b"), ("b",), ("a", "b", "c"))
    honest = NestedScore((0.5, 0.6, 0.7), (0.8, 0.9, 0.7), (0.6, 0.6, 0.75), subsets)
    assert honest.mean == pytest.approx(0.6)
    assert honest.spread == pytest.approx(stdev(honest.scores))
    assert honest.optimism == pytest.approx(0.8 - 0.6)
    assert honest.agreement == pytest.approx((1 / 2 + 2 / 3 + 1 / 3) / 3)
    told = "0.6 on held-out rows ({}selection promised 0.8, every feature gives 0.65)"
    assert str(honest) == told.format("± 0.1 over the outer folds; ")
    assert str(NestedScore((0.6,), (0.8,), (0.65,), subsets[:1])) == told.format("")
    large = NestedScore((-29850.4, -31000.0), (-28000.0, -29000.0), (-40000.0, -40000.0), subsets[:2])
    assert str(large) == (
        "-30425 on held-out rows (± 813 over the outer folds; selection promised -28500, every feature gives -40000)"
    )
    alone = NestedScore((0.5,), (0.8,), (0.6,), (("a",),))
    assert np.isnan(alone.spread)
    assert alone.agreement == 1
    assert NestedScore((0.5, 0.5), (0.8, 0.8), (0.6, 0.6), (("a",), ("b",))).agreement == 0


def test_an_honest_score_asks_nobody_where_a_function_says_what_is_better():
    def frugal(criteria):
        return criteria["score"] - 0.05 * criteria["size"]

    few = {"estimator": GaussianNB(), "cv": 3, "budget": 8, "questions": 3}
    by_function = selector(**few, operator=frugal).nested_score(IRIS, SPECIES, cv=2)
    assert by_function == selector(**few, operator="score - 0.05 * size").nested_score(IRIS, SPECIES, cv=2)


def test_an_honest_score_of_groups_is_that_of_their_columns_on_the_rows_held_out():
    groups = {"sepal": [0, 1], "petal": [2, 3]}
    outer = list(StratifiedKFold(3).split(IRIS, SPECIES))
    honest = selector(estimator=GaussianNB(), cv=3, budget=3, feature_groups=groups).nested_score(IRIS, SPECIES, outer)
    for k, (train, test) in enumerate(outer):
        for score, names in ((honest.scores[k], honest.subsets[k]), (honest.all_features[k], groups)):
            columns = [i for name in names for i in groups[name]]
            model = GaussianNB().fit(IRIS[train][:, columns], SPECIES[train])
            assert score == pytest.approx(model.score(IRIS[test][:, columns], SPECIES[test]))


def test_an_outer_fold_that_cannot_be_judged_stops_the_honest_score_with_the_reason():
    def only_inside(estimator, X, y):
        return estimator.score(X, y) if len(X) < 50 else float("nan")

    outer = [(np.arange(10, 150), np.arange(10)), (np.arange(75, 150), np.arange(75))]
    mine = selector(estimator=GaussianNB(), cv=3, budget=3, scoring=only_inside)
    with pytest.raises(InputError, match=r"^outer fold 2 of 2: what was selected could not be judged .*: score is nan"):
        mine.nested_score(IRIS, SPECIES, outer)


def test_folds_that_list_rows_of_all_the_data_cannot_be_those_within_an_outer_fold():
    listed = [(np.arange(3, len(WINE)), np.arange(3))] * 2
    with pytest.raises(InputError, match="cv of the selector lists rows of all the data; give a number of folds"):
        selector(cv=listed).nested_score(WINE, CLASSES, cv=2)


def test_progress_goes_to_the_error_stream(capsys):
    selector(verbose=1).fit(WINE, CLASSES)
    out, err = capsys.readouterr()
    assert out == ""
    assert "evaluated 24 of 24, best score so far: score" in err
    selector(verbose=1, operator="score - 0.01 * size", questions=3).fit(WINE, CLASSES)
    assert "evaluated 24 of 24, best by the answers so far: score" in capsys.readouterr().err


def test_progress_names_the_outer_fold(capsys):
    selector(verbose=1).nested_score(WINE, CLASSES, cv=2)
    told = capsys.readouterr().err.splitlines()
    assert {line[:18] for line in told} == {"outer fold 1 of 2:", "outer fold 2 of 2:"}


@pytest.mark.parametrize("verbose", [0, 1])
@pytest.mark.parametrize("operator", [None, "score - 0.01 * size"])
def test_a_callback_follows_the_fit_and_ends_it_with_the_best_so_far(operator, verbose):
    seen = []

    def follow(progress):
        seen.append(progress)
        return progress.evaluations >= 9

    found = selector(operator=operator, questions=3, verbose=verbose, callback=follow).fit(WINE, CLASSES)
    assert found.stopped_ == "callback: whoever followed the progress called the run off"
    assert found.n_evaluations_ == seen[-1].evaluations == 12, "a batch of four is measured to its end"
    assert seen[-1].budget == 24
    assert [progress.evaluations for progress in seen] == sorted(progress.evaluations for progress in seen)
    best = found.session_.incumbent
    assert seen[-1].names == found.session_.history.attributes.subset(best)
    assert seen[-1].criteria == found.session_.history.named(best)
    assert found.support_.sum() == len(found.feature_names_)
    assert found.transform(WINE).shape == (178, found.support_.sum())
    untold = selector(operator=operator, questions=3, callback=lambda _: None).fit(WINE, CLASSES)
    plain = selector(operator=operator, questions=3).fit(WINE, CLASSES)
    assert untold.session_.facts == plain.session_.facts


@pytest.mark.parametrize("operator", [None, "score - 0.01 * size"])
def test_a_fit_that_its_callback_ended_goes_on_with_its_journal_and_ends_as_if_nothing_had_been(tmp_path, operator):
    chosen = {"operator": operator, "questions": 3, "estimator": Counting(3)}
    whole = selector(**chosen).fit(WINE, CLASSES)
    Counting.fits = 0
    first = selector(**chosen, journal=tmp_path, callback=lambda p: p.evaluations >= 5).fit(WINE, CLASSES)
    assert first.n_evaluations_ == 8
    again = selector(**chosen, journal=tmp_path).fit(WINE, CLASSES)
    assert again.n_evaluations_ == whole.n_evaluations_ == 24
    assert Counting.fits == 24 * 5
    assert again.feature_names_ == whole.feature_names_
    (path,) = tmp_path.glob("*.jsonl")
    assert [step.line for step in check_record(read(path))]
    assert again.session_.history.subsets == whole.session_.history.subsets


# --- who is asked --------------------------------------------------------------------------------------


def test_an_expression_is_asked_and_counted():
    found = selector(operator="score - 0.01 * size", questions=6).fit(WINE, CLASSES)
    assert 0 < found.n_questions_ <= 6
    answers = found.session_.history.answers.values()
    truth = SimulatedOperator("score - 0.01 * size")
    evaluated = found.session_.history.evaluated
    assert all(a.answer is truth.truth(evaluated[a.first], evaluated[a.second]) for a in answers)


def test_a_function_of_the_criteria_is_a_utility_too():
    text = selector(operator="score - 0.01 * size").fit(WINE, CLASSES)
    code = selector(operator=lambda c: c["score"] - 0.01 * c["size"]).fit(WINE, CLASSES)
    assert text.feature_names_ == code.feature_names_
    assert text.n_questions_ == code.n_questions_


def test_a_function_with_some_of_its_arguments_set_is_a_utility_too():
    def worth(price, criteria):
        return criteria["score"] - price * criteria["size"]

    few = {"estimator": GaussianNB(), "cv": 3, "budget": 8}
    code = selector(**few, operator=partial(worth, 0.01)).fit(IRIS, SPECIES)
    assert code.feature_names_ == selector(**few, operator="score - 0.01 * size").fit(IRIS, SPECIES).feature_names_
    assert code.n_questions_ > 0


def test_an_operator_object_is_asked():
    scripted = ScriptedOperator([], otherwise="equal")
    found = selector(operator=scripted, questions=4).fit(WINE, CLASSES)
    assert {a.answer for a in found.session_.history.answers.values()} == {Answer.EQUAL}


def test_a_simulated_operator_is_asked_like_any_other_and_what_its_answers_lead_to_is_chosen():
    found = selector(operator=SimulatedOperator("score - 0.01 * size", hesitation=0.5)).fit(WINE, CLASSES)
    assert found.feature_names_ == found.session_.history.attributes.subset(found.session_.incumbent)


def test_the_answers_of_a_journal_are_carried_over_to_other_data(tmp_path):
    first = selector(operator="score - 0.05 * size", questions=8, journal=tmp_path).fit(WINE, CLASSES)
    (path,) = tmp_path.glob("*.jsonl")
    assert any(isinstance(fact, Preferred) for fact in read(path).facts)
    again = selector(operator=path).fit(WINE[::2], CLASSES[::2])
    assumed = list(again.session_.history.assumed.values())
    answers = list(first.session_.history.answers.values())
    assert again.n_questions_ == 0
    pairs = {frozenset((a.first, a.second)) for a in answers if a.answer is not Answer.INCOMPARABLE}
    assert len(assumed) == len(pairs) > 0, "a pair that was put twice is carried over once"
    assert {(a.better, a.worse) for a in assumed} == {
        (a.first, a.second) if a.answer is Answer.FIRST else (a.second, a.first) for a in answers
    }
    assert selector(operator=str(path)).fit(WINE[::2], CLASSES[::2]).feature_names_ == again.feature_names_


def test_what_was_carried_over_is_dropped_once_the_scores_say_otherwise():
    everything, petals = frozenset({"x0", "x1", "x2", "x3"}), frozenset({"x2", "x3"})
    strict = Answers.of([], selector().fit(IRIS, SPECIES).session_.history.attributes)
    assert strict.pairs == ()
    from elicit.knowledge.statements import Relation

    wrong = Answers(((frozenset({"x1"}), frozenset({"x3"}), Relation.STRICT), (petals, everything, Relation.STRICT)))
    found = selector(operator=wrong, budget=15).fit(IRIS, SPECIES)
    facts = found.session_.facts
    assumed = {fact.request: fact for fact in facts if isinstance(fact, Assumed)}
    dropped = {assumed[fact.retracts].better for fact in facts if isinstance(fact, Retracted)}
    assert dropped == {0b0010}  # sepal width alone scores below petal width alone, at the same size


def test_answers_about_other_attributes_are_refused():
    from elicit.knowledge.statements import Relation

    alien = Answers(((frozenset({"alcohol"}), frozenset({"hue"}), Relation.STRICT),))
    with pytest.raises(InputError, match="'alcohol' is not among them"):
        selector(operator=alien).fit(WINE, CLASSES)


def at_the_streams(answers="a\n" * 99):
    """Somebody who answers questions about the first columns of wine, one a line."""
    attributes = Attributes(tuple(f"x{k}" for k in range(4)))
    return LineOperator(attributes, SCORE_AND_SIZE, io.StringIO(answers), io.TextIOWrapper(io.BytesIO()))


def _fit_elsewhere():
    try:
        selector(operator=at_the_streams(), budget=6).fit(WINE[:, :4], CLASSES)
    except InputError as error:
        return str(error)
    return ""


def test_an_operator_who_talks_to_a_person_refuses_to_run_in_a_worker():
    from threading import Thread

    assert _fit_elsewhere() == ""
    said = []
    thread = Thread(target=lambda: said.append(_fit_elsewhere()))
    thread.start()
    thread.join()
    assert "cannot run in a worker" in said[0]


def test_a_person_is_asked_by_every_fit_around_a_selector_in_this_process_and_sent_to_no_other():
    person = at_the_streams()
    asking = selector(operator=person, budget=6, questions=1)
    assert clone(asking).operator is person
    assert copy.copy(person) is person
    grid = GridSearchCV(make_pipeline(asking, GaussianNB()), {"elicitselector__max_features": [2, 3]}, cv=2)
    assert len(cross_val_score(grid, WINE[:, :4], CLASSES, cv=2)) == 2
    person._out.seek(0)
    assert person._out.read().count("Question ") > 2
    with pytest.raises(InputError, match="cannot run in a worker; fit with n_jobs=None around it, or give the journal"):
        pickle.dumps(asking)


def test_a_fit_ends_with_the_best_so_far_when_its_operator_is_content():
    found = selector(operator=at_the_streams("done\n")).fit(WINE[:, :4], CLASSES)
    assert found.stopped_ == "wish: the operator is content with the best so far"
    assert found.n_evaluations_ < 15
    assert found.support_.any()


@pytest.mark.parametrize(
    ("cv", "ratio"),
    [
        (5, 0),
        (RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=0), 1 / 4),
        (StratifiedShuffleSplit(n_splits=12, test_size=0.5, random_state=0), 1),
    ],
)
def test_whoever_is_asked_hears_which_leads_are_noise_by_the_folds_that_there_are(cv, ratio):
    """Fold scores of repeated folds share far more rows than their number tells."""
    asked = []

    class Person:
        def __call__(self, request):
            asked.append(request)
            return Answer.FIRST

    X = np.random.default_rng(0).normal(size=(80, 6))
    found = selector(operator=Person(), cv=cv, budget=30).fit(X, X[:, 0] + X[:, 1:].sum(axis=1) / 4 > 0)
    questions = [request for request in asked if isinstance(request, Compare)]
    criteria, noise = found.session_.history.criteria, Noise(ratio=ratio)
    assert [q.noisy for q in questions] == [within_noise(q.first, q.second, criteria, noise) for q in questions]
    assert any(q.noisy for q in questions)
    assert found.session_.settings.noise_ratio == pytest.approx(ratio)


def test_the_honest_score_reuses_the_answers_of_an_operator_instead_of_asking_again():
    asked = []

    class Person:
        def __call__(self, request):
            asked.append(request.id)
            return Answer.FIRST

    mine = selector(operator=Person(), budget=16)
    with pytest.raises(InputError, match="fit the selector first"):
        mine.nested_score(WINE, CLASSES, cv=2)
    mine.fit(WINE, CLASSES)
    before = len(asked)
    assert before > 0
    assert len(mine.nested_score(WINE, CLASSES, cv=2).scores) == 2
    assert len(asked) == before


def test_an_honest_score_by_the_answers_of_a_journal_needs_no_fit_before(tmp_path):
    few = {"estimator": GaussianNB(), "cv": 3, "budget": 8}
    selector(**few, operator="score - 0.05 * size", journal=tmp_path).fit(IRIS, SPECIES)
    (path,) = tmp_path.glob("*.jsonl")
    assert len(selector(**few, operator=path).nested_score(IRIS, SPECIES, cv=2).scores) == 2


# --- what is said about it -----------------------------------------------------------------------------


def test_the_examples_of_the_documentation_hold():
    import elicit.selector as module

    failed, tried = doctest.testmod(module)
    assert (failed, tried > 5) == (0, True)


def test_every_parameter_and_every_fitted_attribute_is_documented(fitted):
    text = inspect.cleandoc(ElicitSelector.__doc__)  # Python 3.13 takes the indentation away, earlier ones do not
    said = text[text.index("Parameters") : text.index("Attributes")]
    for name in fitted.get_params(deep=False):
        assert f"\n{name} : " in said, name
    defaults = {name: ast.literal_eval(told) for name, told in re.findall(r"^(\w+) : .*default=(.*)$", said, re.M)}
    parameters = inspect.signature(ElicitSelector).parameters.values()
    assert defaults == {p.name: p.default for p in parameters if p.default is not p.empty}
    told = text[text.index("Attributes") : text.index("Examples")]
    for name in vars(fitted):
        if name.endswith("_") and not name.startswith("_"):
            assert name in told, name
    columns = fitted.cv_results_.keys() - {f"split{k}_test_score" for k in range(1, 20)}
    parts = [field.name for field in fields(fitted.front_[0])]
    for name in (*columns, *parts, "score", "size"):
        assert f"`{name}`" in told, name


# --- among estimators ----------------------------------------------------------------------------------


def test_in_a_pipeline_a_grid_search_and_a_cross_validation_with_two_workers():
    steps = make_pipeline(ElicitSelector(KNN, cv=3, budget=5), KNeighborsClassifier())
    grid = GridSearchCV(steps, {"elicitselector__max_features": [2, 3]}, cv=2)
    scores = cross_val_score(grid, IRIS, SPECIES, cv=2, n_jobs=2)
    assert scores.min() > 0.8
    assert (scores == cross_val_score(grid.set_params(n_jobs=2), IRIS, SPECIES, cv=2)).all()


def test_folds_keep_journals_of_their_own(tmp_path):
    scores = cross_val_score(
        make_pipeline(ElicitSelector(KNN, cv=3, budget=8, journal=tmp_path), GaussianNB()),
        IRIS,
        SPECIES,
        cv=3,
        n_jobs=2,
    )
    assert np.isfinite(scores).all()
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


def test_a_clone_is_unfitted_and_fits_to_the_same(fitted):
    copy = clone(fitted)
    assert not hasattr(copy, "support_")
    assert copy.fit(WINE, CLASSES).feature_names_ == fitted.feature_names_


def test_fitting_again_forgets_what_was_before():
    mine = selector(budget=8, operator="score - 0.01 * size")
    mine.fit(WINE, CLASSES)
    mine.certificate_  # noqa: B018  # made on demand, and must not survive
    mine.fit(IRIS, SPECIES)
    assert mine.certificate_["n"] == 4
    assert mine.n_features_in_ == 4


def test_pickled_and_back_it_says_the_same(fitted):
    back = pickle.loads(pickle.dumps(fitted))
    assert (back.transform(WINE) == fitted.transform(WINE)).all()
    assert back.best_subset_for("score") == fitted.best_subset_for("score")
    assert back.certificate_ == fitted.certificate_
    assert back.session_.facts == fitted.session_.facts


def test_the_number_of_workers_changes_nothing(fitted):
    with parallel_config("threading"):  # with processes in test_many_machines.py
        assert selector(n_jobs=2).fit(WINE, CLASSES).session_.facts == fitted.session_.facts


def test_another_seed_is_another_run(fitted):
    other = selector(random_state=np.random.RandomState(5)).fit(WINE, CLASSES)
    assert other.session_.facts != fitted.session_.facts


# --- journals ------------------------------------------------------------------------------------------


class Failing(KNeighborsClassifier):
    """Fails on two columns, as long as it is broken."""

    broken = False

    def fit(self, X, y):
        if type(self).broken and X.shape[1] == 2:
            raise RuntimeError("out of luck")
        return super().fit(X, y)


class Counting(KNeighborsClassifier):
    """Counts its fits, and is interrupted before one too many."""

    fits, most = 0, float("inf")

    @classmethod
    def interrupted_after(cls, most):  # what a class assigns does not belong to its fingerprint
        cls.most = most

    def fit(self, X, y):
        if type(self).fits >= self.most:
            raise KeyboardInterrupt
        type(self).fits += 1
        return super().fit(X, y)


def test_a_fit_that_was_interrupted_goes_on_and_ends_the_same(tmp_path):
    straight = selector(estimator=Counting(3)).fit(WINE, CLASSES)

    Counting.fits = 0
    Counting.interrupted_after(47)
    with pytest.raises(KeyboardInterrupt):
        selector(estimator=Counting(3), journal=tmp_path).fit(WINE, CLASSES)
    Counting.interrupted_after(float("inf"))
    (path,) = tmp_path.glob("*.jsonl")
    Counting.fits = 0
    resumed = selector(estimator=Counting(3), journal=tmp_path).fit(WINE, CLASSES)
    assert resumed.session_.facts == straight.session_.facts
    assert 0 < Counting.fits < 24 * 5
    Counting.fits = 0
    assert selector(estimator=Counting(3), journal=tmp_path).fit(WINE, CLASSES).support_.tolist()
    assert Counting.fits == 0
    assert list(tmp_path.glob("*.jsonl")) == [path]


def test_a_script_goes_on_where_a_fit_was_interrupted(tmp_path, monkeypatch):
    def script():
        return ScriptedOperator(["a", "b", "b", "a", "b", "a", "a"], otherwise="b")

    def answers(found):
        return [fact.answer for fact in found.session_.facts if isinstance(fact, Preferred)]

    straight = selector(operator=script()).fit(WINE, CLASSES)
    assert len(answers(straight)) > 3
    asked, answer = [], ScriptedOperator.__call__

    def interrupted(self, request):
        asked.append(request)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return answer(self, request)

    monkeypatch.setattr(ScriptedOperator, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        selector(operator=script(), journal=tmp_path).fit(WINE, CLASSES)
    monkeypatch.setattr("elicit.estimator.journals._before_asked", {})  # as in another process
    resumed = selector(operator=script(), journal=tmp_path).fit(WINE, CLASSES)
    assert len(list(tmp_path.glob("*.jsonl"))) == 1
    assert answers(resumed) == answers(straight)
    assert resumed.session_.facts == straight.session_.facts


def test_a_larger_budget_measures_only_what_no_journal_holds(tmp_path):
    selector(estimator=Counting(3), journal=tmp_path).fit(WINE, CLASSES)
    Counting.fits = 0
    further = selector(estimator=Counting(3), journal=tmp_path, budget=30).fit(WINE, CLASSES)
    assert Counting.fits == 6 * 5
    assert further.n_evaluations_ == 30
    assert further.session_.facts == selector(estimator=Counting(3), budget=30).fit(WINE, CLASSES).session_.facts


class Tired(GaussianNB):
    """Cannot be fitted to two columns while it is."""

    tired = True

    @classmethod
    def rested(cls):  # what a class assigns does not belong to its fingerprint
        cls.tired = False

    def fit(self, X, y):
        if self.tired and X.shape[1] == 2:
            raise MemoryError("no room for two")
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_what_failed_in_another_run_is_measured_anew(tmp_path):
    several = {"estimator": Tired(), "cv": 2, "journal": tmp_path}
    before = selector(**several, budget=14).fit(IRIS, SPECIES).cv_results_
    assert set(before["size"][before["decision"] == "failed"]) == {2}
    Tired.rested()
    assert set(selector(**several, budget=15).fit(IRIS, SPECIES).cv_results_["decision"]) == {"evaluated"}


def test_a_fit_that_its_journal_holds_whole_looks_into_no_other(tmp_path, monkeypatch):
    done = selector(journal=tmp_path).fit(WINE, CLASSES)
    monkeypatch.setattr("elicit.estimator.fitting.measured_before", None)
    assert selector(journal=tmp_path).fit(WINE, CLASSES).session_.facts == done.session_.facts


def test_a_fit_that_died_while_it_wrote_down_the_answers_carried_over_goes_on_with_all_of_them(tmp_path):
    selector(operator="score - 0.05 * size", questions=8, journal=tmp_path / "asked").fit(WINE, CLASSES)
    (answers,) = (tmp_path / "asked").glob("*.jsonl")
    carried = {"operator": answers, "random_state": 3, "journal": tmp_path / "carried"}
    whole = selector(**carried).fit(WINE, CLASSES)
    assert len(whole.session_.history.assumed) > 1
    (path,) = (tmp_path / "carried").glob("*.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))  # the header, and one of them
    again = selector(**carried).fit(WINE, CLASSES)
    assert again.session_.facts == whole.session_.facts == read(path).facts


def test_two_that_run_the_same_at_once_keep_a_journal_each(tmp_path):
    from elicit.journal import Journal

    done = selector(journal=tmp_path).fit(WINE, CLASSES)
    (path,) = tmp_path.glob("*.jsonl")
    with Journal.open(path):
        again = selector(journal=tmp_path).fit(WINE, CLASSES)
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    assert again.session_.facts == done.session_.facts


def test_a_journal_of_a_fit_is_gone_on_with_by_the_fit_and_not_by_the_command(tmp_path, capsys):
    selector(journal=tmp_path).fit(WINE, CLASSES)
    (path,) = tmp_path.glob("*.jsonl")
    before = path.read_bytes()
    assert main(["resume", str(path)]) == 2
    assert (
        "belongs to a fit of ElicitSelector: the same fit with its folder as journal goes on" in capsys.readouterr().err
    )
    assert path.read_bytes() == before


def test_a_file_that_is_no_journal_is_told_and_left_alone(tmp_path):
    (tmp_path / "notes.jsonl").write_text('{"hello": 1}\n')
    with pytest.warns(UserWarning, match="notes.jsonl.* not used"):
        selector(journal=tmp_path).fit(WINE, CLASSES)
    assert (tmp_path / "notes.jsonl").read_text() == '{"hello": 1}\n'


def test_a_fit_whose_own_journal_is_damaged_says_so_once_and_that_it_may_begin_anew(tmp_path):
    selector(journal=tmp_path, budget=3).fit(WINE, CLASSES)
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes().replace(b'"evaluated"', b'"Evaluated"', 1))
    with pytest.raises(JournalError, match=r"from a copy; or delete or move the file, and the fit begins anew$"):
        selector(journal=tmp_path, budget=3).fit(WINE, CLASSES)  # without a warning of the same
    path.unlink()
    assert selector(journal=tmp_path, budget=3).fit(WINE, CLASSES).n_evaluations_ == 3


def test_nobody_is_told_to_delete_a_journal_for_a_disk_that_fails(tmp_path, monkeypatch):
    selector(journal=tmp_path, budget=3).fit(WINE, CLASSES)
    (path,) = tmp_path.glob("*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])

    def failing(_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", failing)
        with pytest.raises(JournalError, match=r"cannot be written: Input/output error") as told:
            selector(journal=tmp_path, budget=3).fit(WINE, CLASSES)
    assert "begins anew" not in str(told.value)
    assert selector(journal=tmp_path, budget=3).fit(WINE, CLASSES).n_evaluations_ == 3


def test_a_journal_that_cannot_be_read_is_told_and_does_without(tmp_path, monkeypatch):
    (tmp_path / "theirs.jsonl").write_text("the rights of this file are somebody else's\n")
    opened = Path.open

    def guarded(path, *mode, **options):
        if path.name == "theirs.jsonl":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *mode, **options)

    monkeypatch.setattr(Path, "open", guarded)
    with pytest.warns(UserWarning, match=r"theirs\.jsonl' cannot be read: Permission denied.* not used"):
        found = selector(journal=tmp_path, budget=3).fit(WINE, CLASSES)
    assert found.n_evaluations_ == 3


def test_an_operator_is_told_apart_by_all_that_it_computes_with(tmp_path):
    def dear(k):
        return lambda criteria: criteria["score"] - k * criteria["size"]

    for k in (0.0001, 0.2):
        with_journal = selector(operator=dear(k), journal=tmp_path).fit(WINE, CLASSES)
        assert (with_journal.support_ == selector(operator=dear(k)).fit(WINE, CLASSES).support_).all()
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


class Tallying:
    """An operator that counts how often it was asked; the first time it breaks off at the third question."""

    def __init__(self, dear=0.01):
        self.dear, self.asked = dear, 0

    def __call__(self, request):
        self.asked += 1
        if self.asked == 3:
            raise KeyboardInterrupt
        first, second = (score - self.dear * size for score, size in (request.first.criteria, request.second.criteria))
        return Answer.FIRST if first > second else Answer.SECOND


def test_a_fit_on_repeated_folds_finds_the_journal_of_an_earlier_version_that_knew_no_ratio(tmp_path, monkeypatch):
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    asked = {"operator": "score - 0.05 * size", "cv": cv, "budget": 16, "journal": tmp_path}
    with monkeypatch.context() as patch:
        patch.setattr("elicit.selector.ratio_of", lambda *_: 0.0)
        earlier = selector(**asked).fit(WINE, CLASSES)
    again = selector(**asked).fit(WINE, CLASSES)
    assert again.session_.settings.noise_ratio == pytest.approx(1 / 2, rel=0.01)
    assert len(list(tmp_path.iterdir())) == 1
    assert again.session_.facts == earlier.session_.facts


def test_an_operator_that_changes_by_being_asked_goes_on_with_the_fit_that_it_broke_off(tmp_path):
    operator = Tallying()
    mine = selector(operator=operator, journal=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        mine.fit(WINE, CLASSES)
    asked = mine.fit(WINE, CLASSES).n_questions_
    assert operator.asked == asked + 1  # the question at which it broke off was put once more
    mine.fit(WINE, CLASSES)  # is read
    assert operator.asked == asked + 1
    assert len(list(tmp_path.glob("*.jsonl"))) == 1
    operator.dear = 0.2  # somebody else
    assert mine.fit(WINE, CLASSES).n_questions_ == operator.asked - asked - 1 > 0
    assert len(list(tmp_path.glob("*.jsonl"))) == 2


def test_a_failure_in_another_run_is_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(Failing, "broken", True)
    with pytest.warns(FitFailedWarning, match="could not be measured .* out of luck"):
        first = selector(estimator=Failing(3), max_features=3, journal=tmp_path).fit(WINE, CLASSES)
    assert any(isinstance(fact, Failed) for fact in first.session_.facts)
    monkeypatch.setattr(Failing, "broken", False)
    second = selector(estimator=Failing(3), max_features=3, journal=tmp_path, budget=26).fit(WINE, CLASSES)
    assert not any(isinstance(fact, Failed) for fact in second.session_.facts)


def test_what_must_be_kept_may_be_said_by_truth_values():
    mask = np.zeros(WINE.shape[1], dtype=bool)
    mask[[0, 4]] = True
    found = selector(keep=mask, max_features=3).fit(WINE, CLASSES)
    assert {"x0", "x4"} <= set(found.feature_names_)


# --- bad input -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"operator": KNN}, "operator is None, a utility .*; found an object of type Pipeline"),
        ({"operator": SimulatedOperator}, "operator is None, a utility .*; found the class SimulatedOperator"),
        ({"operator": "score - sise"}, "did you mean size"),
        ({"operator": "nowhere.jsonl"}, "does not exist"),
        ({"budget": "much"}, 'a number of oracle calls or "auto"'),
        ({"budget": None}, 'a number of oracle calls or "auto"'),
        ({"budget": 0}, "budget must be a whole number of at least 1"),
        ({"cv": 100}, "too few for 100 folds"),
        ({"keep": ["x99"]}, "^keep: unknown attribute 'x99'"),
        ({"keep": [13]}, "keep names attribute 13, but there are the attributes 0 to 12$"),
        ({"keep": [-1]}, "keep names attribute -1"),
        ({"keep": "x1"}, "found 'x1'"),
        ({"keep": 5}, "found 5"),
        ({"keep": [1.7]}, "keep names attribute 1.7"),
        ({"keep": [True, False]}, "2 truth values"),
        ({"criteria": ["recal_macro"]}, "did you mean 'recall_macro'"),
        ({"criteria": ["cost"]}, "the criterion cost needs the costs; give costs="),
        ({"criteria": "stability"}, "criteria is a list of criteria and names of criteria, found 'stability'"),
        ({"criteria": ["stability", stability()]}, "two criteria are called 'stability'"),
        ({"criteria": [from_callable("reason", lambda _: 1.0, False)]}, "may not be called 'reason'"),
        ({"operator": lambda score, size: score - size}, "it is given one mapping, from score, size"),
        ({"operator": lambda _: Answer.FIRST}, "what is to be asked instead is an object with a __call__"),
        ({"n_jobs": "all"}, r"n_jobs is None or a whole number other than 0 \(-1: all processors\), found 'all'"),
        ({"verbose": "much"}, "verbose is a whole number"),
        ({"callback": "print"}, "callback is called with the progress of the fit, found 'print'"),
        ({"journal": __file__}, "cannot be one"),
        (
            {"keep": [0, 1], "max_features": 1},
            "^max_features = 1 leaves no subset; it must be at least 2, as many as keep names$",
        ),
        ({"max_features": 0}, "^max_features = 0 leaves no subset; it must be at least 1$"),
        ({"max_features": 1.5}, "max_features is a whole number"),
        ({"costs": {"x99": 1.0}}, "^cost: unknown attribute 'x99'"),
        ({"costs": [1.0]}, "1 cost given for 13"),
        ({"feature_groups": {"g": ["nothing"]}}, "^group 'g': unknown attribute 'nothing'"),
        ({"feature_groups": ["x0", "x1"]}, "are a dictionary from a name to its columns, found a list"),
        ({"questions": -1}, "questions must be a whole number of at least 0"),
        ({"estimator": None}, "expected an estimator with fit and predict, found None"),
        ({"tolerance": "2-se"}, "tolerance is a number"),
        ({"tolerance": -1.0}, "tolerance is a number"),
        ({"tolerance": float("inf")}, "tolerance is a number"),
        ({"tolerance": 10**400}, "tolerance is a number"),
        ({"tolerance": True}, "tolerance is a number"),
        ({"tolerance": "0.1"}, "tolerance is a number"),
        ({"tolerance": 0.1, "operator": "score"}, "tolerance goes with operator=None"),
        ({"scoring": "acuracy"}, "unknown scoring"),
        ({"scoring": 3}, "scoring is the name of a scorer, a function"),
        ({"random_state": -1}, "random_state"),
        ({"parsimony": "loose"}, "parsimony is a finite number"),
        ({"estimator": KNeighborsClassifier}, r"the class KNeighborsClassifier; write KNeighborsClassifier\(\)"),
    ],
)
def test_a_setting_that_cannot_be_is_one_clear_error(changed, said):
    with pytest.raises((InputError, TypeError), match=said) as caught:
        selector(**changed).fit(WINE, CLASSES)
    assert "\n" not in str(caught.value)


def _with_nan():
    X = WINE.copy()
    X[3, 2] = np.nan
    return X, CLASSES


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (WINE, None, "requires y to be passed"),
        (WINE, np.zeros(len(CLASSES)), "one class 0;"),
        (*_with_nan(), "NaN"),
        (WINE[:50], CLASSES, "50 rows"),
        (WINE, np.where(CLASSES == 0, np.nan, CLASSES), "the target is missing in row 0"),
        (WINE[:1], CLASSES[:1], "1 sample"),
        (WINE[:, :0], CLASSES, "0 feature"),
        (WINE, np.array([0] * 176 + [1, 2]), "class 1 has 1 row"),
    ],
)
def test_data_that_cannot_be_is_one_clear_error(X, y, said):
    with pytest.raises(ValueError, match=said):
        selector().fit(X, y)


@pytest.mark.parametrize("operator", [None, "score - 0.01 * size"])
def test_when_nothing_can_be_measured_the_reason_is_told(operator):
    class Broken(KNeighborsClassifier):
        def fit(self, _X, _y):
            raise RuntimeError("no licence")

    with pytest.raises(InputError, match=r"no subset could be measured; .*RuntimeError: no licence"):
        selector(estimator=Broken(), budget=2, operator=operator).fit(WINE, CLASSES)


def test_a_scorer_that_is_found_wrong_late_costs_a_few_fits_and_leaves_nothing_to_stumble_over(tmp_path):
    tried = []

    def scoring(*_):
        tried.append(1)
        raise KeyError("no such score")

    with pytest.raises(InputError, match=r"no subset could be measured; .*of size 1 to 13.* KeyError: 'no such score'"):
        selector(scoring=scoring, budget=60, journal=tmp_path).fit(WINE, CLASSES)
    assert len(tried) <= 12
    (path,) = tmp_path.glob("*.jsonl")
    assert not any(isinstance(fact, Failed) for fact in read(path).facts)


def test_one_feature_is_selected():
    assert selector().fit(IRIS[:, :1], SPECIES).support_.tolist() == [True]


def test_constant_features_and_more_features_than_rows_are_no_trouble():
    X, y = make_classification(n_samples=40, n_features=60, n_informative=4, random_state=1)
    X[:, ::3] = 7.0
    found = selector(estimator=GaussianNB(), cv=3, budget=30).fit(X, y)
    assert found.best_score_ > 0.5
    assert not found.support_[::3].any()
    with pytest.warns(UserWarning, match="no feature tells the rows apart"):
        nothing = selector(estimator=KNeighborsClassifier(3)).fit(np.ones((20, 3)), np.tile([0, 1], 10))
    assert nothing.support_.sum() == 1
    assert nothing.certificate_["subset"] == list(nothing.feature_names_)


def test_a_feature_that_is_the_same_in_every_row_is_left_out_unless_it_is_kept():
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    X = pd.DataFrame(WINE, columns=[f"x{i}" for i in range(13)]).assign(one=1.0, gap=np.nan, other=2.0)
    found = ElicitSelector(tree, cv=5, random_state=0).fit(X, CLASSES)
    assert not {"one", "gap", "other"} & {name for subset in found.cv_results_["features"] for name in subset}
    assert found.n_evaluations_ == automatic_budget(13)
    kept = selector(estimator=tree, keep=["one"], budget=8).fit(X, CLASSES)
    assert "one" in kept.feature_names_
    assert "other" not in kept.feature_names_
    assert kept.session_.family.drop == 0b11 << 14


def test_a_group_is_left_out_when_all_of_its_columns_are_constant():
    X = np.column_stack([WINE, np.ones((len(WINE), 3))])
    groups = {"both": [13, 14], "one of them": [0, 15]}
    found = selector(feature_groups=groups, operator="score - 0.01 * size", budget=8).fit(X, CLASSES)
    both, partly = (found.attributes_.index(name) for name in groups)
    assert found.session_.family.drop == 1 << both
    assert partly in found.session_.family.free


def test_what_is_constant_in_the_rows_of_one_outer_fold_alone_does_not_stop_the_honest_score():
    rare = np.zeros((len(WINE), 1))
    rare[:3] = 1.0
    X = np.column_stack([WINE[:, :6], rare])
    found = selector(cv=3, budget=8, operator="score - 0.01 * size").fit(X, CLASSES)
    assert found.session_.family.drop == 0
    assert len(found.nested_score(X, CLASSES, cv=[(np.arange(3, len(WINE)), np.arange(3))] * 2).scores) == 2


def test_nan_passes_where_the_estimator_takes_it():
    X, y = _with_nan()
    found = selector(estimator=DecisionTreeClassifier(), budget=8).fit(X, y)
    assert found.transform(X).shape[1] == found.support_.sum()


def test_regression_is_scored_by_r_squared():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 6))
    y = X[:, 1] - 2 * X[:, 4] + 0.01 * rng.normal(size=80)
    found = selector(estimator=LinearRegression(), tolerance="1-se", budget=63).fit(X, y)
    assert found.get_support(indices=True).tolist() == [1, 4]


def test_sparse_matrices_go_where_the_estimator_takes_them():
    X = sparse.random(60, 8, density=0.5, format="csc", random_state=0)
    y = np.tile([0, 1], 30)
    found = selector(estimator=LogisticRegression(), cv=3, budget=8).fit(X, y)
    assert sparse.issparse(found.transform(X))
    assert found.transform(X).shape == (60, found.support_.sum())
    dense = selector(estimator=LogisticRegression(), cv=3, budget=8).fit(X.toarray(), y)
    assert dense.cv_results_["mean_test_score"] == pytest.approx(found.cv_results_["mean_test_score"])


class NotPicky(ClassifierMixin, BaseEstimator):
    """A classifier of somebody's own, which says nothing of sparse matrices, and takes them."""

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])


SEMANTIC = make_pipeline(TruncatedSVD(1, random_state=0), GaussianNB())


@pytest.mark.parametrize(
    "estimator",
    [
        SEMANTIC,
        make_pipeline(SimpleImputer(), StandardScaler(with_mean=False), SEMANTIC[:1], StandardScaler(), GaussianNB()),
        GridSearchCV(SEMANTIC, {"gaussiannb__var_smoothing": [1e-9]}, cv=2),
        VotingClassifier([("one", SEMANTIC), ("other", LogisticRegression())]),
        make_pipeline(FunctionTransformer(sparse.csr_matrix.toarray, accept_sparse=True), GaussianNB()),
        make_pipeline(make_column_transformer((SEMANTIC[:1], [0, 1]), remainder="passthrough"), GaussianNB()),
    ],
)
def test_sparse_matrices_pass_wherever_they_do_without_a_selector(estimator):
    X = sparse.random(60, 4, density=0.5, format="csr", random_state=0)
    y = np.tile([0, 1], 30)
    clone(estimator).fit(X, y)
    selector(estimator=estimator, cv=2, budget=2, keep=[0, 1]).fit(X, y)  # no warning


@pytest.mark.parametrize(
    "estimator",
    [
        GaussianNB(),
        make_pipeline("passthrough", GaussianNB()),
        make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()),
        make_pipeline(make_pipeline("passthrough", MaxAbsScaler()), GaussianNB()),
    ],
)
def test_sparse_matrices_are_refused_at_once_where_the_first_to_need_dense_ones_is_reached(estimator):
    X = sparse.random(60, 4, density=0.5, format="csr", random_state=0)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        selector(estimator=estimator).fit(X, np.tile([0, 1], 30))


def test_whether_code_of_ones_own_takes_sparse_matrices_the_fits_decide():
    X = sparse.random(60, 4, density=0.5, format="csr", random_state=0)
    selector(estimator=NotPicky(), cv=2, budget=2).fit(X, np.tile([0, 1], 30))


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(SimpleImputer(), StandardScaler(), KNeighborsClassifier(3)),
        make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=5)),
        GridSearchCV(make_pipeline(SimpleImputer(), GaussianNB()), {"gaussiannb__var_smoothing": [1e-9, 1e-3]}, cv=2),
        make_pipeline(ColumnTransformer([("some", SimpleImputer(), [0, 1, 2])]), GaussianNB()),
    ],
)
def test_nan_passes_where_a_part_of_the_estimator_takes_it(estimator):
    X, y = _with_nan()
    found = selector(estimator=estimator, cv=3, budget=5, max_features=3, keep=[0]).fit(X[:, :5], y)
    assert found.transform(X[:, :5]).shape == (len(X), len(found.feature_names_))
    splits = StratifiedKFold(3, shuffle=True, random_state=0)
    table = found.cv_results_
    if not isinstance(estimator.get_params().get("columntransformer"), ColumnTransformer):
        for features, score in zip(table["features"], table["mean_test_score"], strict=True):
            columns = [int(name[1:]) for name in features]
            assert score == pytest.approx(cross_val_score(estimator, X[:, columns], y, cv=splits).mean())


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), GaussianNB()),
        make_pipeline(GaussianNB()),
        make_pipeline(ColumnTransformer([("one", StandardScaler(), [0])], remainder="passthrough"), GaussianNB()),
    ],
)
def test_nan_is_refused_at_once_where_a_predictor_would_get_it(estimator):
    X, y = _with_nan()
    with pytest.raises(ValueError, match="NaN"):
        selector(estimator=estimator).fit(X, y)


ORDINAL = OrdinalEncoder(encoded_missing_value=-1, handle_unknown="use_encoded_value", unknown_value=-2)


@pytest.mark.parametrize(
    "estimator",
    [
        TransformedTargetRegressor(make_pipeline(SimpleImputer(), Ridge())),
        VotingClassifier([("a", make_pipeline(SimpleImputer(), GaussianNB())), ("b", "drop")]),
        StackingClassifier([("a", make_pipeline(SimpleImputer(), GaussianNB()))], GaussianNB(), cv=2),
        make_pipeline(make_union(SimpleImputer(), MissingIndicator(features="all")), GaussianNB()),
        make_pipeline(ORDINAL, GaussianNB()),
        make_pipeline(IterativeImputer(Ridge()), GaussianNB()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_gaps_pass_wherever_they_do_without_a_selector(estimator):
    X, y = _with_nan()
    clone(estimator).fit(X[:, :4], y)
    selector(estimator=estimator, budget=2, keep=[2]).fit(X[:, :4], y)  # no warning


def test_a_vote_refuses_gaps_when_one_of_its_voters_does():
    X, y = _with_nan()
    voters = [("a", make_pipeline(SimpleImputer(), GaussianNB())), ("b", GaussianNB())]
    with pytest.raises(ValueError, match="NaN"):
        selector(estimator=VotingClassifier(voters)).fit(X, y)


class Filling(TransformerMixin, BaseEstimator):
    """A transformer of somebody's own, which says nothing of gaps, and fills them."""

    def fit(self, X, y=None):  # noqa: ARG002
        return self

    def transform(self, X):
        return np.nan_to_num(X)


@pytest.mark.parametrize("filling", [Filling(), FunctionTransformer(np.nan_to_num)])
def test_whether_code_of_ones_own_fills_the_gaps_the_fits_decide(filling):
    X, y = _with_nan()
    few = X[:, :4]
    found = selector(estimator=make_pipeline(filling, GaussianNB()), budget=6).fit(few, y)  # no warning
    assert found.best_score_ == selector(estimator=GaussianNB(), budget=6).fit(np.nan_to_num(few), y).best_score_
    with pytest.raises(ValueError, match="NaN"):
        selector(estimator=make_pipeline(FunctionTransformer(), GaussianNB())).fit(few, y)  # it does nothing


def test_where_it_depends_on_the_columns_with_gaps_a_fit_decides():
    X, y = _with_nan()
    gaps = np.isnan(X).any(axis=0)
    others = make_column_transformer((SimpleImputer(), np.flatnonzero(gaps).tolist()), remainder="passthrough")
    selector(estimator=make_pipeline(others, GaussianNB())).fit(X, y)  # every gap is filled: no warning
    nothing = make_column_transformer((SimpleImputer(), np.flatnonzero(~gaps).tolist()), remainder="passthrough")
    first = f"column 'x{gaps.argmax()}'.*contains NaN.*fill its gaps"
    with pytest.raises(InputError, match=first):  # at once, and not by half of the budget
        selector(estimator=make_pipeline(nothing, GaussianNB())).fit(X, y)


def test_an_imputer_beside_an_encoder_takes_the_gaps_of_its_columns():
    frame = pd.DataFrame(IRIS, columns=list("abcd")).assign(kind=np.where(SPECIES > 0, "x", "y"))
    frame.loc[::7, "d"] = np.nan
    parts = make_column_transformer((OneHotEncoder(), ["kind"]), (SimpleImputer(), ["a", "b", "c", "d"]))
    found = selector(estimator=make_pipeline(parts, GaussianNB()), cv=3).fit(frame, SPECIES)
    assert found.n_evaluations_ == len(found.cv_results_["features"])


# --- what would go wrong unseen ------------------------------------------------------------------------


def test_labels_of_a_series_name_the_attributes():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(IRIS, columns=list("abcd"))
    costs = {"a": 5.0, "b": 5.0, "c": 0.0, "d": 5.0}

    def chosen(**changed):
        return ElicitSelector(GaussianNB(), cv=3, operator="score - 0.1 * cost", budget=15, **changed).fit(
            frame, SPECIES
        )

    by_name = chosen(costs=costs).feature_names_
    for order in (list("cabd"), list("dcba")):
        assert chosen(costs=pd.Series(costs)[order]).feature_names_ == by_name == ("c",)
    told = chosen(costs=costs, prior=pd.Series([4.0, 3.0, 2.0, 1.0], index=list("dcba")))
    assert told.prior_.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert chosen(costs=[5.0, 5.0, 0.0, 5.0], prior=pd.Series([1.0, 2.0, 3.0, 4.0])).feature_names_ == by_name
    kept = chosen(costs=costs, keep=pd.Series([True, False, False, False], index=list("dcba")))
    assert "d" in kept.feature_names_
    named = chosen(costs=costs, prior={"d": 4.0, "c": 3.0, "b": 2.0, "a": 1.0})
    assert named.prior_.tolist() == told.prior_.tolist()
    for wrong in (pd.Series([1.0, 2.0, 3.0, 4.0], index=list("abcx")), {"a": 1.0, "b": 2.0, "c": 3.0}):
        with pytest.raises(InputError, match="labels of prior are not the attributes"):
            chosen(costs=costs, prior=wrong)
    with pytest.raises(InputError, match="prior is a score's name, one number an attribute"):
        chosen(costs=costs, prior={"a": 1.0, "b": 2.0, "c": 3.0, "d": "much"})


@pytest.mark.slow
def test_outer_folds_do_not_depend_on_the_order_in_which_they_are_played():
    mine = ElicitSelector(DecisionTreeClassifier(), cv=3, budget=4)
    outer = list(StratifiedKFold(3).split(IRIS, SPECIES))
    found = [
        mine.set_params(random_state=np.random.RandomState(0)).nested_score(IRIS, SPECIES, outer, n_jobs=k).scores
        for k in (1, 2)
    ]
    assert found[0] == found[1]


def test_an_honest_score_does_not_need_that_of_every_feature():
    def few(estimator, X, y):
        return np.array(estimator.score(X, y)) if X.shape[1] <= 3 else float("nan")

    with pytest.warns(FitFailedWarning):
        honest = ElicitSelector(GaussianNB(), cv=3, budget=12, scoring=few).nested_score(IRIS, SPECIES, cv=2)
    assert np.isfinite(honest.scores).all()
    assert np.isnan(honest.all_features).all()


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_an_honest_score_takes_the_workers_that_a_fit_takes(n_jobs):
    for handed in (
        lambda: ElicitSelector(GaussianNB(), n_jobs=n_jobs).fit(IRIS, SPECIES),
        lambda: ElicitSelector(GaussianNB()).nested_score(IRIS, SPECIES, n_jobs=n_jobs),
    ):
        with pytest.raises(InputError, match=rf"n_jobs is .*, found {n_jobs!r}"):
            handed()


def test_a_fit_that_fails_leaves_a_selector_that_is_not_fitted():
    mine = ElicitSelector(GaussianNB(), cv=3, budget=8).fit(IRIS, SPECIES)
    mine.set_params(scoring=lambda *_: float("nan"))
    with pytest.raises(InputError, match="no subset could be measured"):
        mine.fit(IRIS[:, :3], SPECIES)
    with pytest.raises(NotFittedError):
        mine.transform(IRIS[:, :3])


def test_a_splitter_without_a_seed_has_that_of_the_selector():
    mine = ElicitSelector(GaussianNB(), cv=ShuffleSplit(3), budget=8)
    assert mine.fit(IRIS, SPECIES).best_score_ == mine.fit(IRIS, SPECIES).best_score_
    assert mine.cv.random_state is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"costs": 3}, "costs are one number an attribute"),
        ({"costs": {1.0, 2.0, 3.0, 4.0}}, "costs are one number an attribute"),
        ({"costs": iter([1.0] * 4)}, "costs are one number an attribute"),
        ({"keep": iter([0])}, "keep lists names or positions"),
        ({"criteria": stability()}, "criteria is a list of criteria"),
        ({"random_state": "a"}, "random_state is a whole number, a RandomState or None"),
        ({"random_state": 2**40}, r"random_state is a whole number from 0 to 2\^32"),
        ({"tolerance": np.array([0.1, 0.2])}, "tolerance is a number"),
        ({"feature_groups": {"g": 3}}, "group 'g' needs a list of at least one column"),
        ({"journal": 3}, "journal is a folder or None"),
    ],
)
def test_what_a_parameter_must_be_is_said(changed, words):
    with pytest.raises(InputError, match=words):
        ElicitSelector(GaussianNB(), cv=3, budget=8, **changed).fit(IRIS, SPECIES)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
@pytest.mark.parametrize("utility", ["score", "score - 0.002 * size"])
def test_of_what_was_measured_the_subset_that_an_expression_likes_best_is_chosen(utility, seed):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    found = ElicitSelector(Ridge(0.1), operator=utility, cv=3, budget=25, random_state=seed).fit(X, y)
    assert found.feature_names_ == found.best_subset_for(utility)


def test_it_is_chosen_also_where_nothing_was_asked_and_the_session_recommends_another():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    thrifty = "score - 0.002 * size"
    found = ElicitSelector(Ridge(0.1), operator=thrifty, cv=3, budget=25, questions=0, random_state=0).fit(X, y)
    session = found.session_
    assert found.feature_names_ == found.best_subset_for(thrifty)
    assert found.feature_names_ != session.history.attributes.subset(session.incumbent)


def test_a_picture_of_power_indices_shows_what_was_selected():
    pytest.importorskip("matplotlib")
    X, y = make_classification(120, 30, n_informative=4, random_state=0)
    found = ElicitSelector(GaussianNB(), budget=40, cv=3).fit(X, y)
    assert sum(PowerDisplay.from_estimator(found, most=12).chosen) == min(12, len(found.feature_names_))


@pytest.mark.parametrize("operator", [None, "score"])
@pytest.mark.parametrize("unit", [1.0, pytest.param(1e3, marks=pytest.mark.slow), 1e8])
def test_a_column_that_says_nothing_new_is_not_chosen_in_whatever_unit_the_target_is(unit, operator):
    """A squared error of a large target is a number of which only the first digits are more than rounding."""
    r = np.random.default_rng(3)
    X = r.normal(size=(90, 3))
    X = np.column_stack([X, X[:, 0] * 2.54, X[:, 1] + X[:, 2]])
    y = unit * (X[:, :3] @ [3.0, 2.0, 1.0] + r.normal(size=90))
    asked = {"cv": 3, "scoring": "neg_mean_squared_error", "budget": 31}
    found = ElicitSelector(LinearRegression(), operator=operator, **asked).fit(X, y)
    assert found.support_.sum() == 3
    results = found.cv_results_
    chosen = [set(names) == set(found.feature_names_) for names in results["features"]]
    assert results["rank_test_score"][chosen.index(True)] == 1
    assert ElicitSelector(LinearRegression(), tolerance=0.0, **asked).fit(X, y).support_.sum() == 3
