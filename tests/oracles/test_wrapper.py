"""The wrapper measures what cross-validation measures, and a failing estimator is a fact."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from elicit.asks import Evaluate, Failure
from elicit.errors import InputError
from elicit.oracles import FilterOracle, WrapperOracle, cost, fit_time, from_callable, scored, stability
from elicit.oracles.columns import laid_out_by_columns
from elicit.oracles.pruning import checked_once
from elicit.oracles.splits import ratio_of

X, y = load_wine(return_X_y=True)


def measure(oracle, mask):
    return oracle(Evaluate(0, mask))


def test_score_is_the_mean_over_the_folds_and_size_is_counted():
    oracle = WrapperOracle(GaussianNB(), X, y)
    reply = measure(oracle, 0b101)
    folds = cross_val_score(GaussianNB(), X[:, [0, 2]], y, cv=StratifiedKFold(10, shuffle=True, random_state=0))
    assert reply.folds == (tuple(folds), ())
    assert reply.criteria == (folds.mean(), 2.0)
    assert reply.spread == (folds.std(ddof=1), None)
    assert [(c.name, c.maximise) for c in oracle.criteria] == [("score", True), ("size", False)]
    assert oracle.attributes.names[:2] == ("a1", "a2")


def test_the_table_of_the_wine_data_is_reproduced():
    oracle = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), X, y)
    reply = measure(oracle, (1 << 13) - 1)
    assert reply.criteria[0] == pytest.approx(0.9552287582, abs=1e-10)
    assert reply.spread[0] == pytest.approx(0.0352662, abs=1e-6)


def test_a_regressor_gets_plain_shuffled_folds():
    X, y = load_diabetes(return_X_y=True)
    oracle = WrapperOracle(Ridge(), X, y, cv=4, scoring="neg_mean_absolute_error", random_state=7)
    cv = KFold(4, shuffle=True, random_state=7)
    expected = cross_val_score(Ridge(), X[:, [1, 3]], y, cv=cv, scoring="neg_mean_absolute_error")
    assert measure(oracle, 0b1010).folds[0] == tuple(expected)


@pytest.mark.parametrize("cv", [RepeatedKFold(n_splits=3, n_repeats=2, random_state=None), KFold(3)])
def test_any_splitter_is_asked_once(cv):
    oracle = WrapperOracle(GaussianNB(), X, y, cv=cv)
    assert measure(oracle, 7) == measure(oracle, 7)
    assert len(measure(oracle, 7).folds[0]) == cv.get_n_splits()


def test_splits_may_be_listed_by_rows_or_by_mask():
    train = np.arange(len(y)) % 2 == 0
    by_mask = WrapperOracle(GaussianNB(), X, y, cv=[(train, ~train)])
    by_rows = WrapperOracle(GaussianNB(), X, y, cv=[(np.flatnonzero(train), np.flatnonzero(~train))])
    assert measure(by_mask, 3) == measure(by_rows, 3)
    assert by_mask.fingerprint == by_rows.fingerprint


@pytest.mark.parametrize(
    ("cv", "ratio"),
    [
        (KFold(5), 0),
        (StratifiedKFold(7), 0),
        (LeaveOneOut(), 0),
        (RepeatedKFold(n_splits=5, n_repeats=3, random_state=0), 1 / 4),
        (ShuffleSplit(n_splits=5, test_size=0.5, random_state=0), 1),
        (ShuffleSplit(n_splits=1, test_size=0.5, random_state=0), 0),
        (TimeSeriesSplit(n_splits=2, test_size=60), (60 / (len(y) - 120) + 60 / (len(y) - 60)) / 2),
    ],
)
def test_held_out_rows_for_each_training_row_are_told_where_the_number_of_folds_does_not(cv, ratio):
    assert ratio_of(WrapperOracle(GaussianNB(), X, y, cv=cv).splits, len(y)) == pytest.approx(ratio, rel=0.01)


def test_rows_of_a_group_stay_together():
    groups = np.arange(len(y)) // 2 % 20
    for cv in (5, GroupKFold(5)):
        for estimator in (GaussianNB(), Ridge()):
            oracle = WrapperOracle(estimator, X, y, cv=cv, groups=groups)
            for train, test in oracle.splits:
                assert not set(groups[train]) & set(groups[test])


def test_a_group_of_columns_is_one_attribute_in_the_place_of_its_first_column():
    oracle = WrapperOracle(GaussianNB(), X, y, feature_groups={"pair": [3, 1]})
    assert oracle.attributes.names == ("a1", "pair", "a3", *(f"a{i}" for i in range(5, 14)))
    reply = measure(oracle, oracle.attributes.mask(["pair", "a3"]))
    assert reply.criteria == measure(WrapperOracle(GaussianNB(), X, y), 0b1110).criteria[:1] + (2.0,)  # noqa: RUF005


def test_groups_and_fast_paths_go_together():
    pipe = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    options = {"feature_groups": {"g": [0, 5, 9]}, "cv": 4}
    quick, plain = (WrapperOracle(pipe, X, y, fast=fast, **options) for fast in (True, False))
    assert quick.fast_path == "neighbours"
    assert [measure(quick, m) for m in (1, 2, 3, 1000)] == [measure(plain, m) for m in (1, 2, 3, 1000)]
    assert quick.fingerprint == plain.fingerprint


def test_sparse_columns():
    model = LogisticRegression(max_iter=2000)
    dense = WrapperOracle(model, np.round(X), y, cv=3)
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        oracle = WrapperOracle(model, kind(np.round(X)), y, cv=3)
        assert measure(oracle, 0b1011).criteria[0] == pytest.approx(measure(dense, 0b1011).criteria[0], abs=0.02)


class NeedsFrame(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        assert list(X.columns) == ["malt", "hue"]
        return super().fit(X, y, sample_weight)


def test_frames_stay_frames_with_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:, :4], columns=["malt", "ash", "hue", "tint"])
    oracle = WrapperOracle(NeedsFrame(), frame, y, cv=3)
    assert oracle.attributes.names == ("malt", "ash", "hue", "tint")
    assert measure(oracle, 0b101) == measure(WrapperOracle(GaussianNB(), X[:, :4], y, cv=3), 0b101)
    grouped = WrapperOracle(NeedsFrame(), frame, y, cv=3, feature_groups={"both": ["hue", "malt"]})
    assert measure(grouped, 1).criteria[1] == 1
    assert grouped.fingerprint != oracle.fingerprint


def frames(pandas):
    """Frames of the same kind of numbers that pandas keeps in different ways, by what is special about them."""
    names = [f"c{i}" for i in range(13)]
    by_rows, by_columns = (pandas.DataFrame(np.array(X, order=order), columns=names, copy=False) for order in "CF")
    added = by_rows.iloc[:, :4].copy(deep=False)
    added["new"] = X[:, 12]
    whole = by_rows.copy()
    whole[["c0", "c3", "c12"]] = whole[["c0", "c3", "c12"]].round().astype("int64")
    return {
        "by rows": by_rows,
        "by columns": by_columns,
        "a column added": added,
        "a column put in between": by_rows.copy().assign(new=1.0 + np.arange(len(y)))[[*names[:5], "new", *names[5:]]],
        "columns turned round": by_rows.iloc[:, ::-1],
        "rows mixed": by_rows.sample(frac=1, random_state=0),
        "whole numbers among others": whole,
        "whole numbers alone": pandas.DataFrame((100 * X).astype("int64"), copy=False),
        "single precision": pandas.DataFrame(X.astype("float32"), columns=names, copy=False),
    }


@pytest.mark.parametrize("model", [KNeighborsClassifier(3), LogisticRegression(max_iter=20)], ids=repr)
def test_fast_paths_on_frames(model):
    pipe = make_pipeline(StandardScaler(), model)
    for kept, frame in frames(pytest.importorskip("pandas")).items():
        quick, plain = (WrapperOracle(pipe, frame, y, cv=3, fast=fast) for fast in (True, False))
        assert quick.fast_path == ("neighbours" if isinstance(model, KNeighborsClassifier) else "scaler"), kept
        assert quick.fingerprint == plain.fingerprint
        everything = (1 << frame.shape[1]) - 1
        for mask in (1, 2, 3, 5, 7, 22, 26, everything - 8, everything):
            assert measure(quick, mask) == measure(plain, mask), kept


@pytest.mark.parametrize("other", ["int64", "float32"])
@pytest.mark.parametrize("others", [(), range(13), (3, 6)])
def test_frames_of_polars_share_where_all_columns_are_of_one_type(others, other):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({f"c{k}": (10 * c).astype(other) if k in others else c for k, c in enumerate(X.T)})
    pipe = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    quick, plain = (WrapperOracle(pipe, frame, y, cv=3, fast=fast) for fast in (True, False))
    assert quick.fast_path == ("" if len(others) == 2 else "neighbours")
    for mask in (1, 3, 22, 8191):
        assert measure(quick, mask) == measure(plain, mask)


@pytest.mark.parametrize("kind", ["category", "bool", "int32", "float32", "Float64"])
def test_nothing_is_shared_between_subsets_of_other_columns_than_plain_numbers(kind):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(13)])
    frame["c0"] = (frame["c0"] > 13).astype(kind)
    assert WrapperOracle(make_pipeline(StandardScaler(), GaussianNB()), frame, y, cv=3).fast_path == ""


def test_a_frame_is_laid_out_by_columns_and_stays_what_it_was():
    pandas = pytest.importorskip("pandas")
    for kept, frame in frames(pandas).items():
        twice = frame.set_axis([0, 0, *frame.columns[2:]], axis=1)  # names need not differ
        made = laid_out_by_columns(twice)
        pandas.testing.assert_frame_equal(made, twice)
        assert all(made.iloc[:, k].to_numpy().flags.c_contiguous for k in range(made.shape[1])), kept
        assert laid_out_by_columns(made) is made
    for other in (X, frame.astype("category"), frame.astype("Float32")):
        assert laid_out_by_columns(other) is other


def test_what_is_laid_out_anew_stays_the_kind_of_frame_that_it_was_with_what_is_noted_on_it():
    pandas = pytest.importorskip("pandas")

    class Noted(pandas.DataFrame):
        @property
        def _constructor(self):
            return Noted

    class Owned(pandas.DataFrame):
        def __init__(self, owner, *args, **how):
            super().__init__(*args, **how)
            self.attrs["owner"] = owner

    noted, owned = Noted(np.array(X), copy=False), Owned("us", np.array(X), copy=False)
    noted.attrs["unit"] = "mg"
    made = laid_out_by_columns(noted)
    assert made is not noted
    assert (type(made), made.attrs) == (Noted, {"unit": "mg"})
    assert laid_out_by_columns(owned).attrs == {"owner": "us"}


class Moody(ClassifierMixin, BaseEstimator):
    """Fails where its only column holds a certain kind of value."""

    def fit(self, X, y):
        if X.shape[1] == 1:
            raise RuntimeError("one column\nis too few")
        if X.shape[1] == 3:
            raise KeyboardInterrupt
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_an_estimator_that_raises_makes_a_failure_of_one_line():
    assert measure(WrapperOracle(Moody(), X, y), 1) == Failure("RuntimeError: one column")
    assert measure(WrapperOracle(Moody(), X, y), 3).criteria[1] == 2


def test_the_settings_of_a_model_are_looked_at_once_a_subset(monkeypatch):
    seen = []

    def fit(self, X, y):
        seen.append(get_config()["skip_parameter_validation"])
        return plain(self, X, y)

    plain = GaussianNB.fit
    monkeypatch.setattr(GaussianNB, "fit", fit)
    measure(WrapperOracle(GaussianNB(), X, y, cv=3), 0b1)
    assert seen == [False, True, True]
    assert not get_config()["skip_parameter_validation"]
    wrong = measure(WrapperOracle(LogisticRegression(C=-1.0), X, y, cv=3), 0b1)
    assert isinstance(wrong, Failure)
    assert "C" in wrong.reason


def test_arguments_of_a_criterion_that_is_no_score_are_refused():
    given = {"criteria": [scored("accuracy")], "criteria_params": {"accuracy": {}, "cost": {"sample_weight": 1}}}
    with pytest.raises(InputError, match="criteria_params are for the scores among the criteria, and 'cost' is none"):
        WrapperOracle(GaussianNB(), X, y, **given)


class Stepwise(ClassifierMixin, BaseEstimator):
    """Sets the parameters of a model while it is fitted."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.depth_ = 1
        for depth in (-1, 3):
            with contextlib.suppress(ValueError):
                self.depth_ = DecisionTreeClassifier(max_depth=depth).fit(X, y).get_depth()
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.depth_ % len(self.classes_)])


@pytest.mark.parametrize(
    "model",
    [
        GridSearchCV(DecisionTreeClassifier(random_state=0), {"min_samples_split": [1, 300]}, cv=3),
        make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), {"C": [-1.0, 1e-6]}, cv=3)),
        Stepwise(),
        make_pipeline(FunctionTransformer(lambda X: X[:, :1]), GaussianNB()),
    ],
)
def test_what_a_fit_sets_is_looked_at_in_every_fold(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of candidates that fail
        found = measure(WrapperOracle(model, X, y, cv=3), 0b11)
        plain = cross_val_score(model, X[:, :2], y, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    assert found.folds[0] == tuple(plain)
    assert not checked_once(model)


def test_an_interrupt_is_not_a_failure():
    with pytest.raises(KeyboardInterrupt):
        measure(WrapperOracle(Moody(), X, y), 7)


def test_a_score_that_is_not_a_number_names_the_fold():
    calls = []

    def scorer(*_):
        calls.append(1)
        return np.nan if len(calls) == 3 else 0.5

    assert measure(WrapperOracle(GaussianNB(), X, y, scoring=scorer), 1) == Failure(
        "score is nan in fold 3, expected a finite number"
    )
    oracle = WrapperOracle(GaussianNB(), X, y, scoring=lambda *_: "high")
    assert measure(oracle, 1) == Failure("TypeError: the scorer gave str, expected one number")


def test_warnings_of_the_estimator_are_heard():
    def warns(*_):
        warnings.warn("mind this", UserWarning, stacklevel=1)
        return 1.0

    with pytest.warns(UserWarning, match="mind this"):
        measure(WrapperOracle(GaussianNB(), X, y, scoring=warns), 1)


def test_an_estimator_left_to_chance_gives_a_subset_one_score():
    oracle = WrapperOracle(ExtraTreesClassifier(5), X, y, cv=3)
    assert measure(oracle, 77) == measure(oracle, 77)
    assert measure(oracle, 77) == measure(WrapperOracle(ExtraTreesClassifier(5, random_state=0), X, y, cv=3), 77)
    other = WrapperOracle(ExtraTreesClassifier(5, random_state=1), X, y, cv=oracle.splits)
    assert other.fingerprint != oracle.fingerprint


def test_sample_weights_reach_fit_and_the_last_step():
    weights = np.where(y == 1, 1000.0, 1e-9)
    heavy = WrapperOracle(DummyClassifier(strategy="prior"), X, y, cv=3, sample_weight=weights)
    assert measure(heavy, 1).criteria[0] == pytest.approx((y == 1).mean(), abs=0.01)
    pipe = make_pipeline(StandardScaler(), GaussianNB())
    inside = WrapperOracle(pipe, X, y, cv=3, sample_weight=weights)
    assert inside.fast_path == "scaler"
    params = {"gaussiannb__sample_weight": weights}
    expected = cross_val_score(pipe, X[:, [0, 1]], y, cv=list(inside.splits), params=params)
    assert measure(inside, 3).folds[0] == tuple(expected)
    scaled_too = {"standardscaler__sample_weight": weights}
    assert WrapperOracle(pipe, X, y, cv=3, fit_params=scaled_too).fast_path == ""
    with config_context(enable_metadata_routing=True):  # which steps take them is then for these to say
        pipe = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), GaussianNB().set_fit_request(sample_weight=True)
        )
        routed = WrapperOracle(pipe, X, y, cv=3, sample_weight=weights)
        assert measure(routed, 3).folds[0] == tuple(expected)


def test_weights_of_the_score_are_split_like_rows():
    weights = np.arange(len(y), dtype=float)
    for fast in (True, False):
        model = KNeighborsClassifier(3)
        oracle = WrapperOracle(
            model, X, y, cv=3, scoring="accuracy", fast=fast, score_params={"sample_weight": weights}
        )
        train, test = oracle.splits[1]
        right = model.fit(X[train][:, :4], y[train]).predict(X[test][:, :4]) == y[test]
        assert measure(oracle, 15).folds[0][1] == pytest.approx(np.average(right, weights=weights[test]), rel=1e-12)


@pytest.mark.parametrize("model", [KNeighborsClassifier(3), LogisticRegression(max_iter=500), GaussianNB()])
def test_further_scores_are_those_of_cross_validate(model):
    model = make_pipeline(StandardScaler(), model)
    wide = scored(lambda _, X, __: X.shape[1], "columns")
    extras = [scored("recall_macro"), scored("neg_log_loss", "loss"), wide]
    oracle = WrapperOracle(model, X, y, cv=4, scoring="accuracy", criteria=extras)
    assert [c.name for c in oracle.criteria] == ["score", "size", "recall_macro", "loss", "columns"]
    names = ["accuracy", "recall_macro", "neg_log_loss"]
    theirs = cross_validate(oracle.estimator_for([1, 2, 5]), X[:, [1, 2, 5]], y, cv=oracle.splits, scoring=names)
    reply = measure(oracle, 0b100110)
    for place, name in zip((0, 2, 3), names, strict=True):
        assert reply.folds[place] == tuple(theirs[f"test_{name}"])
        assert reply.criteria[place] == pytest.approx(theirs[f"test_{name}"].mean(), abs=1e-15)
    assert reply.criteria[4] == 3
    assert oracle.fast_path == ""
    without = WrapperOracle(model, X, y, cv=4, scoring="accuracy")
    assert measure(without, 0b100110).folds[0] == reply.folds[0]
    assert without.fingerprint != oracle.fingerprint


def test_a_further_score_that_cannot_be_had_is_named():
    with pytest.raises(InputError, match="unknown scoring 'recal'; did you mean 'recall'"):
        WrapperOracle(KNeighborsClassifier(3), X, y, cv=3, criteria=[scored("recal")])
    with pytest.raises(InputError, match=r"found \['recall'\]"):
        scored(["recall"])
    with pytest.raises(InputError, match="two criteria are called 'score'"):
        WrapperOracle(KNeighborsClassifier(3), X, y, cv=3, criteria=[scored("recall_macro", "score")])
    with pytest.raises(InputError, match="needs an oracle that fits models"):
        FilterOracle(X, y, criteria=[scored("recall_macro")])
    no_number = scored(lambda *_: "high", "words")
    failed = measure(WrapperOracle(KNeighborsClassifier(3), X, y, cv=3, criteria=[no_number]), 0b11)
    assert failed == Failure("words cannot be worked out (TypeError: the scorer gave str, expected one number)")


def test_metadata_that_a_criterion_does_not_route_are_no_matter_of_the_subset():
    def priced(_):
        raise UnsetMetadataPassedError(message="[groups] are passed", unrequested_params={}, routed_params={})

    oracle = WrapperOracle(GaussianNB(), X, y, cv=3, criteria=[from_callable("price", priced, False)])
    with pytest.raises(InputError, match=r"\[groups\] are passed"):
        measure(oracle, 1)


def test_further_criteria_follow_score_and_size():
    extras = [
        cost(range(13)),
        fit_time(),
        stability(),
        from_callable("first", lambda names: len(names[0]), True),
    ]
    oracle = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), X, y, cv=3, criteria=extras)
    assert [c.name for c in oracle.criteria] == ["score", "size", "cost", "fit_time", "stability", "first"]
    reply = measure(oracle, 0b110)
    assert reply.criteria[2] == 3
    assert reply.criteria[3] > 0
    assert reply.criteria[4] == -reply.spread[0]
    assert reply.criteria[5] == 2
    assert [len(f) for f in reply.folds] == [3, 0, 0, 3, 0, 0]
    assert reply.spread[3] is not None
    assert oracle.fast_path == ""  # fit times are honest


def test_a_criterion_that_fails_is_a_failure_of_the_subset():
    broken = from_callable("ratio", lambda names: 1 / (len(names) - 1), True)
    oracle = WrapperOracle(GaussianNB(), X, y, cv=3, criteria=[broken])
    assert measure(oracle, 1) == Failure("ratio cannot be worked out (ZeroDivisionError: division by zero)")
    assert measure(oracle, 3).criteria[2] == 1
    unknown = WrapperOracle(GaussianNB(), X, y, cv=3, criteria=[from_callable("n", lambda _: np.nan, True)])
    assert "n is nan" in measure(unknown, 1).reason


small = np.array([0] * 9 + [1] * 3)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda: WrapperOracle(GaussianNB(), X[:12], small),
            "class 1 has 3 rows, too few for 10 folds; ask for 3 or fewer (--folds 3, in Python cv=3), or merge it",
        ),
        (
            lambda: WrapperOracle(GaussianNB(), X[:12], np.arange(12) % 3),
            "or merge it with another class; or predict numbers (--holds numbers, in Python a regressor)",
        ),
        (
            lambda: WrapperOracle(GaussianNB(), X[:12], np.arange(12) == 3),
            "class True has 1 row, too few for 10 folds; drop its row, or merge it with another class",
        ),
        (lambda: WrapperOracle(GaussianNB(), X[:12], small * 0), "one class"),
        (lambda: WrapperOracle(Ridge(), X[:5], y[:5]), "5 rows cannot be split into 10 folds; ask for 5"),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv=1), "at least 2 folds"),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv="ten"), "cv must be"),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv=[]), "no folds"),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv=[([0, 1], [178])]), "0 to 177"),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv=[([0, 1], [])]), "has 2 training and 0 held-out rows; change cv"),
        (
            lambda: WrapperOracle(GaussianNB(), X, y, cv=[(["a"], ["b"])]),
            "lists whole numbers, found 'a'; change cv",
        ),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv=[([0.0, 1.0], [2.0])]), "a split lists whole numbers, found 0.0"),
        (lambda: WrapperOracle(GaussianNB(), X, y, cv=GroupKFold(3)), "groups"),
        (lambda: WrapperOracle(GaussianNB(), X, y, groups=y), "3 groups cannot be kept whole"),
        (lambda: WrapperOracle(GaussianNB(), X, y, groups=y[:5]), "groups needs one entry"),
        (lambda: WrapperOracle(GaussianNB(), X, y, groups=np.c_[y, y]), "one value a row, found 2 dimensions"),
        (lambda: WrapperOracle(GaussianNB(), X, y, groups=[*y[1:], None]), "row 177 has no group; name one for every"),
        (lambda: WrapperOracle(GaussianNB(), X, y[:9]), "178 rows but the target has shape (9,)"),
        (lambda: WrapperOracle(Ridge(), X, np.where(y == 2, np.nan, y)), "the target is missing in row 130"),
        (lambda: WrapperOracle(GaussianNB(), X[0], y), "two dimensions"),
        (lambda: WrapperOracle(GaussianNB(), X[:, :0], y), "at least one row and one column"),
        (lambda: WrapperOracle(GaussianNB, X, y), "write GaussianNB()"),
        (lambda: WrapperOracle("svm", X, y), "cannot be used"),
        (lambda: WrapperOracle(GaussianNB(), X, y, random_state=-3), "is a whole number from 0 to 2^32 - 1"),
        (lambda: WrapperOracle(GaussianNB(), X, y, random_state="3"), "is a whole number, a RandomState or None"),
        (lambda: WrapperOracle(GaussianNB(), X, y, scoring="acuracy"), "acuracy"),
        (lambda: WrapperOracle(GaussianNB(), X, y, scoring=["accuracy", "f1"]), "one score"),
        (lambda: WrapperOracle(GaussianNB(), X, y, attributes=["a", "b"]), "13 columns but 2"),
        (lambda: WrapperOracle(GaussianNB(), X, y, feature_groups={"g": [13]}), "columns 0 to 12"),
        (lambda: WrapperOracle(GaussianNB(), X, y, feature_groups={"g": ["a99"]}), "unknown attribute 'a99'"),
        (lambda: WrapperOracle(GaussianNB(), X, y, feature_groups={"g": [1], "h": [1]}), "one group only"),
        (lambda: WrapperOracle(GaussianNB(), X, y, feature_groups={"g": []}), "at least one column"),
        (lambda: WrapperOracle(GaussianNB(), X, y, feature_groups={"a1": [4, 5]}), "'a1' occurs twice"),
        (
            lambda: WrapperOracle(KNeighborsClassifier(), X, y, sample_weight=np.ones(178)),
            "no sample weights",
        ),
        (lambda: WrapperOracle(GaussianNB(), X, y, sample_weight=-np.ones(178)), "at least 0"),
        (lambda: WrapperOracle(GaussianNB(), X, y, sample_weight=np.where(y == 2, np.nan, 1.0)), "finite numbers"),
        (lambda: WrapperOracle(GaussianNB(), X, y, sample_weight=["heavy"] * 178), "must hold finite numbers"),
        (lambda: WrapperOracle(GaussianNB(), X, y, sample_weight=np.ones((178, 1))), "one a row"),
        (
            lambda: WrapperOracle(GaussianNB(), X, y, sample_weight=np.ones(3)),
            "sample_weight needs one entry",
        ),
        (
            lambda: WrapperOracle(GaussianNB(), X, y, criteria=[cost({"a1": 1.0})]),
            "no cost is given for 'a2'",
        ),
        (lambda: WrapperOracle(GaussianNB(), X, y, criteria=[len]), "expected criteria"),
        (lambda: WrapperOracle(GaussianNB(), X, y, criteria=5), "expected criteria"),
    ],
)
def test_bad_input_is_one_clear_line(make, says):
    with pytest.raises(InputError) as caught:
        make()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("enough", "settings"),
    [
        (5, {"estimator": Ridge(), "X": X[::36], "y": y[::36]}),
        (3, {"estimator": GaussianNB(), "X": X[:12], "y": small}),
        (4, {"estimator": GaussianNB(), "X": X, "y": y, "groups": np.arange(178) % 4}),
    ],
    ids=["rows", "rows of a class", "groups"],
)
def test_as_many_folds_as_there_is_something_to_hold_out_are_enough_and_one_more_is_not(enough, settings):
    assert len(WrapperOracle(**settings, cv=enough).splits) == enough
    with pytest.raises(InputError, match=f"{enough + 1} folds; ask for {enough} or fewer"):
        WrapperOracle(**settings, cv=enough + 1)


def test_leave_one_out_with_too_many_neighbours_fails_plainly():
    oracle = WrapperOracle(KNeighborsClassifier(20), X[::12], y[::12], cv=LeaveOneOut())
    assert measure(oracle, 1).reason.startswith("ValueError: Expected n_neighbors <=")


def test_a_pickled_oracle_measures_and_identifies_the_same():
    for model in (KNeighborsClassifier(3), GaussianNB()):
        oracle = WrapperOracle(make_pipeline(StandardScaler(), model), X, y, cv=3, criteria=[stability()])
        copy = pickle.loads(pickle.dumps(oracle))
        assert measure(copy, 99) == measure(oracle, 99)
        assert copy.fingerprint == oracle.fingerprint


IDENTITY = """
from sklearn.datasets import load_wine
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import make_scorer, f1_score
from sklearn.neighbors import KNeighborsClassifier
from elicit.oracles import WrapperOracle, cost
X, y = load_wine(return_X_y=True)
scorer = make_scorer(f1_score, average="macro")
model = BaggingClassifier(KNeighborsClassifier(3))
print(WrapperOracle(model, X, y, scoring=scorer, criteria=[cost([1] * 13)]).fingerprint)
"""


def test_the_fingerprint_is_the_same_in_every_process(capsys):
    exec(IDENTITY, {})
    here = capsys.readouterr().out
    assert len(here.strip()) == 64
    assert subprocess.run([sys.executable, "-c", IDENTITY], capture_output=True, text=True, check=True).stdout == here


def test_the_fingerprint_tells_data_and_settings_apart():
    base = {"estimator": KNeighborsClassifier(3), "X": X, "y": y, "cv": 3}
    shifted = X.copy()
    shifted[0, 0] += 1e-12
    changes = [
        {},
        {"X": shifted},
        {"y": np.where(np.arange(178) == 0, 1, y)},
        {"cv": 4},
        {"random_state": 1},
        {"estimator": KNeighborsClassifier(4)},
        {"estimator": GaussianNB()},
        {"scoring": "accuracy"},
        {"scoring": lambda e, X, y: e.score(X, y)},
        {"scoring": lambda e, X, y: -e.score(X, y)},
        {"criteria": [cost([1.0] * 13)]},
        {"criteria": [cost([2.0] * 13)]},
        {"attributes": [f"b{i}" for i in range(13)]},
        {"feature_groups": {"a1": [0]}},
        {"feature_groups": {"a1": [0, 1]}},
        {"feature_groups": {"g": [0, 1], "h": [2, 3]}},
        {"feature_groups": {"g": [0, 2], "h": [1, 3]}},  # of the same names
        {"fit_params": {"sample_weight": np.ones(178)}},
        {"score_params": {"sample_weight": np.ones(178)}},
    ]
    prints = [WrapperOracle(**(base | change)).fingerprint for change in changes]
    assert len(set(prints)) == len(prints) - 1  # a group of one column changes nothing
