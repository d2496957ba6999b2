"""The fast paths give the fold scores of the plain way, to the last bit, whatever the data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import get_scorer, make_scorer, mean_absolute_error
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import SVC

import elicit.oracles.fast as fast
import elicit.oracles.scaled as scaled
from elicit.asks import Evaluate
from elicit.oracles import WrapperOracle
from elicit.subsets import members
from elicit.threads import one_thread

SCALERS = [StandardScaler(), MinMaxScaler(), RobustScaler(), MaxAbsScaler()]
DRAWN = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
EXAMPLES = [10, pytest.param(60, marks=pytest.mark.slow)]


def some_masks(n, how_many, seed=0):
    rng = np.random.default_rng(seed)
    return [1, 1 << (n - 1), (1 << n) - 1, *(int(m) for m in rng.integers(1, 1 << n, how_many))]


def plain_scores(oracle, estimator, X, y, mask, scoring=None):
    """What a user gets without Elicit: cross_val_score on the selected columns."""
    with one_thread():
        scores = cross_val_score(estimator, X[:, members(mask)], y, cv=list(oracle.splits), scoring=scoring)
    return tuple(scores.tolist())


def assert_equal_to_plain(estimator, X, y, masks, path, scoring=None, **options):
    oracle = WrapperOracle(estimator, X, y, scoring=scoring, **options)
    assert oracle.fast_path == path
    for mask in masks:
        assert oracle(Evaluate(0, mask)).folds[0] == plain_scores(oracle, estimator, X, y, mask, scoring)


@pytest.mark.parametrize("scaler", SCALERS, ids=lambda s: type(s).__name__)
def test_a_scaler_in_front_is_fitted_once_and_changes_no_score(scaler):
    X, y = load_wine(return_X_y=True)
    masks = some_masks(13, 3)
    assert_equal_to_plain(make_pipeline(scaler, GaussianNB()), X, y, masks, "scaler", cv=4)
    assert_equal_to_plain(make_pipeline(scaler, LogisticRegression(C=0.1)), X, y, masks, "scaler", "neg_log_loss", cv=3)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_regressions_that_show_every_last_bit_agree(layout):
    X, y = load_diabetes(return_X_y=True)
    X = layout(X * np.arange(1, 11) + 1000.0)
    for model in (LinearRegression(), Ridge(alpha=0.1)):
        assert_equal_to_plain(make_pipeline(StandardScaler(), model), X, y, some_masks(10, 5), "scaler", cv=5)


def test_scaled_rows_are_those_of_the_scaler_for_every_single_and_pair_and_their_layout():
    X, y = load_wine(return_X_y=True)
    oracle = WrapperOracle(make_pipeline(StandardScaler(), GaussianNB()), X, y, cv=3)
    rows_of = oracle._scaled
    for mask in range(1, 1 << 13):
        columns = members(mask)
        if len(columns) < rows_of.narrowest or len(columns) > 3:
            continue
        train, test = oracle.splits[0]
        fitted = StandardScaler().fit(X[:, columns][train])
        for rows, mine in zip((train, test), rows_of.fold(0, columns), strict=True):
            plain = fitted.transform(X[:, columns][rows])
            assert plain.tobytes() == mine.tobytes()
            assert plain.flags.c_contiguous == mine.flags.c_contiguous


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(3),
        KNeighborsClassifier(4, weights="distance"),
        KNeighborsClassifier(15, p=1),
        KNeighborsClassifier(1, metric="manhattan", algorithm="ball_tree"),
        KNeighborsClassifier(5, metric="euclidean", algorithm="brute"),
        KNeighborsClassifier(2, algorithm="kd_tree", weights="distance", p=1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("load", [load_wine, pytest.param(load_breast_cancer, marks=pytest.mark.slow)])
def test_neighbours_after_a_scaler_and_alone(load, model):
    X, y = load(return_X_y=True)
    masks = some_masks(X.shape[1], 2)
    assert_equal_to_plain(make_pipeline(StandardScaler(), model), X, y, masks, "neighbours", cv=5)
    assert_equal_to_plain(model, X, y, masks, "neighbours", cv=3)


@pytest.mark.parametrize("kind", ["float32", "uint8", "int16", "uint64"])
def test_numbers_of_any_size_are_shared(kind):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X if kind == "float32" else np.sqrt(X)).astype(kind)
    masks = some_masks(30, 3)
    for model in (KNeighborsClassifier(3), KNeighborsClassifier(4, weights="distance", algorithm="brute")):
        assert_equal_to_plain(make_pipeline(StandardScaler(), model), X, y, masks, "neighbours", cv=4)
        assert_equal_to_plain(model, X, y, masks, "neighbours", cv=3)
    assert_equal_to_plain(make_pipeline(MinMaxScaler(), Ridge()), X, y, masks, "scaler", "r2", cv=3)
    regressor = make_pipeline(RobustScaler(), KNeighborsRegressor(5))
    assert_equal_to_plain(regressor, X, y.astype(float), masks, "neighbours", "r2", cv=3)


def test_distances_that_are_rounded_to_32_bits_are_left_to_the_plain_way():
    rng = np.random.default_rng(1)
    X, y = (rng.integers(0, 9, (60, 12)) / 3).astype(np.float32), rng.permutation(np.arange(60) % 3)
    masks = [(1 << 12) - 1, *range(7, 27, 4)]
    assert_equal_to_plain(KNeighborsClassifier(4, p=1, algorithm="brute"), X, y, masks, "", cv=3)
    with config_context(enable_cython_pairwise_dist=False):
        assert_equal_to_plain(KNeighborsClassifier(4, algorithm="brute"), X, y, masks, "", cv=3)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
@pytest.mark.parametrize("near", [1.0, 1e-30, 1e-40])
def test_votes_are_weighed_by_distances_of_32_bits_where_the_numbers_are(near, algorithm):
    # of the two neighbours of the last row the nearer has label 1; in 32 bits both are as near, and 0 comes first
    X = np.array([[1, 0], [1, 1e-4], [3, 3], [3, 2], [0, 0]], dtype=np.float32) * np.float32(near)
    y, split = np.array([1, 0, 0, 1, 1]), [(np.arange(4), np.array([4]))]
    model = KNeighborsClassifier(2, weights="distance", algorithm=algorithm)
    assert_equal_to_plain(model, X, y, [0b11, 0b01, 0b10], "neighbours", cv=split)


@pytest.mark.parametrize(("times", "path"), [(1, "neighbours"), (99, "scaler")])
def test_who_warns_goes_the_plain_way_but_for_what_is_said_once_of_the_machine(times, path, monkeypatch):
    plain, said = KNeighborsClassifier.predict, []

    def warning(model, X):
        said.append(None)
        if len(said) <= times:
            warnings.warn("could not find the number of physical cores", stacklevel=2)
        return plain(model, X)

    monkeypatch.setattr(KNeighborsClassifier, "predict", warning)
    oracle = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), *load_wine(return_X_y=True))
    assert oracle.fast_path == path


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1_macro", "roc_auc_ovr", "neg_log_loss"])
def test_neighbours_under_other_scorers(scoring):
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(RobustScaler(), KNeighborsClassifier(5))
    assert_equal_to_plain(model, X, y, some_masks(13, 2), "neighbours", scoring, cv=5)


def test_neighbours_with_two_named_classes_and_a_made_scorer():
    X, y = load_breast_cancer(return_X_y=True)
    named = np.array(["malignant", "benign"])[y]
    model = KNeighborsClassifier(7)
    assert_equal_to_plain(model, X, named, some_masks(30, 3), "neighbours", "roc_auc", cv=4)
    scorer = make_scorer(lambda a, b: float((a == b).mean() ** 2))
    assert_equal_to_plain(model, X, named, some_masks(30, 3), "neighbours", scorer, cv=4)


@pytest.mark.parametrize("whole", [True, False])
def test_regression_by_neighbours(whole):
    X, y = load_diabetes(return_X_y=True)
    y = y if whole else y + np.random.default_rng(0).normal(size=len(y))
    for model in (KNeighborsRegressor(5), KNeighborsRegressor(3, p=1, algorithm="brute")):
        pipe = make_pipeline(MinMaxScaler(), model)
        assert_equal_to_plain(pipe, X, y, some_masks(10, 2), "neighbours", cv=5)
        assert_equal_to_plain(model, X, y, some_masks(10, 1), "neighbours", make_scorer(mean_absolute_error), cv=5)


@st.composite
def tied_data(draw):
    """Few rows on a small grid, so that nearly every neighbour is tied, many rows are equal, some far off."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(20, 60)), draw(st.integers(1, 17))
    X = rng.integers(0, draw(st.integers(1, 6)), (rows, columns)).astype(float)
    X *= draw(st.sampled_from([1.0, 0.1, 1 / 3, 1e-9, 1e9]))
    X += draw(st.sampled_from([0.0, 0.1, 1e4, -1e8]))
    if draw(st.booleans()):
        X[:, : columns // 2] += rng.normal(size=(rows, columns // 2)) * draw(st.sampled_from([1.0, 1e-8, 1e-15]))
    classes = draw(st.integers(2, 4))
    y = rng.permutation(np.arange(rows) % classes)
    X = X.astype(draw(st.sampled_from([np.float64, np.float32])))
    return X, y, [int(m) for m in rng.integers(1, 1 << columns, 2)] + [1, (1 << columns) - 1]


models = st.builds(
    KNeighborsClassifier,
    n_neighbors=st.integers(1, 13),
    weights=st.sampled_from(["uniform", "distance"]),
    algorithm=st.sampled_from(["auto", "brute", "kd_tree", "ball_tree"]),
    p=st.sampled_from([1, 2]),
)


def tied_but_for_rounding():
    """Distances that are equal, and that two ways of computing them round differently."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (40, 10)) * 1e9 + 0.1
    return X, rng.permutation(np.arange(40) % 3), [(1 << 10) - 1]


@pytest.mark.parametrize("examples", EXAMPLES)
def test_ties_never_change_a_score(examples):
    @given(tied_data(), models, st.sampled_from([None, *SCALERS]))
    @example(tied_but_for_rounding(), KNeighborsClassifier(5), None)
    @settings(DRAWN, max_examples=examples)
    def agree(data, model, scaler):
        X, y, masks = data
        estimator = model if scaler is None else make_pipeline(scaler, model)
        oracle = WrapperOracle(estimator, X, y, cv=3)
        for mask in masks:
            assert oracle(Evaluate(0, mask)).folds[0] == plain_scores(oracle, estimator, X, y, mask)

    agree()


@pytest.mark.parametrize("examples", EXAMPLES)
def test_ties_never_change_a_regression(examples):
    @given(tied_data(), st.integers(1, 9), st.sampled_from(["brute", "kd_tree"]), st.sampled_from([1, 2]))
    @settings(DRAWN, max_examples=examples)
    def agree(data, k, algorithm, p):
        X, y, masks = data
        model = KNeighborsRegressor(k, algorithm=algorithm, p=p)
        for target in (y.astype(float), y + np.random.default_rng(0).random(len(y))):
            oracle = WrapperOracle(model, X, target, cv=3)
            for mask in masks:
                assert oracle(Evaluate(0, mask)).folds[0] == plain_scores(oracle, model, X, target, mask)

    agree()


@pytest.mark.parametrize("examples", EXAMPLES)
def test_decided_predictions_are_bitwise_those_of_scikit_learn(examples):
    @given(tied_data(), models)
    @settings(DRAWN, max_examples=examples)
    def agree(data, model):
        X, y, masks = data
        assume(X.dtype == np.float64 or model.p == 2)
        seen = []

        def remember(estimator, X, _):
            seen.append(np.asarray(estimator.predict(X)))
            return 0.0

        model.set_params(weights="uniform")
        oracle = WrapperOracle(model, X, y, cv=3, scoring="f1_macro")
        assert oracle.fast_path == "neighbours"
        object.__setattr__(oracle._neighbours.task, "scorer", remember)
        with one_thread():
            for mask in masks:
                seen.clear()
                scores = oracle._neighbours.scores(members(mask))
                plain = cross_val_predict(model, X[:, members(mask)], y, cv=list(oracle.splits))
                decided = [f for f, score in enumerate(scores) if score is not None]
                for f, mine in zip(decided, seen, strict=True):
                    expected = plain[oracle.splits[f][1]]
                    assert mine.dtype == expected.dtype
                    assert mine.tobytes() == expected.tobytes()

    agree()


def test_untied_data_is_decided_without_the_plain_way_and_tied_data_is_not():
    X, y = load_breast_cancer(return_X_y=True)
    neighbours = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), X, y)._neighbours
    assert None not in neighbours.scores(range(30))
    coarse = WrapperOracle(KNeighborsClassifier(3), np.round(X[:, :1] / 10), y)._neighbours
    assert None in coarse.scores([0])


def test_a_larger_tie_than_rounding_is_never_a_doubt():
    distance = np.array([[[0.5, 0.1, np.inf, 0.3, 0.2]]])
    for k in (1, 3, 4):
        found, values = fast._nearest(distance.copy(), k)
        assert found.tolist() == [[[1, 4, 3, 0][:k]]]
        assert values.tolist() == [[[0.1, 0.2, 0.3, 0.5][:k]]]


@pytest.mark.parametrize("k", [3, 13])
def test_the_nearest_are_the_same_by_minima_and_by_partition_and_leave_the_distances_alone(k):
    distance = np.random.default_rng(0).random((2, 5, 40))
    before = distance.copy()
    found, values = fast._nearest(distance, k)
    assert (distance == before).all()
    assert (found == np.argsort(before, axis=-1)[..., :k]).all()
    assert (values == np.sort(before, axis=-1)[..., :k]).all()


class HalfScaler(StandardScaler):
    """A subclass may do anything."""


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(HalfScaler(), GaussianNB()),
        make_pipeline(StandardScaler().set_output(transform="default"), GaussianNB()).set_output(transform="default"),
        Pipeline([("scale", StandardScaler()), ("model", GaussianNB())], memory="/nonexistent"),
        KNeighborsClassifier(3, p=3),
        KNeighborsClassifier(3, metric="chebyshev"),
        KNeighborsClassifier(3, metric="minkowski", metric_params={"w": np.ones(13)}),
        KNeighborsClassifier(3, weights=lambda d: 1 / (1 + d)),
        KNeighborsRegressor(3, weights="distance"),
        SVC(),
        RandomForestClassifier(5),
        TransformedTargetRegressor(KNeighborsRegressor(3)),
    ],
    ids=lambda e: type(e).__name__,
)
def test_nothing_is_shared_where_equality_is_not_certain(estimator):
    X, y = load_wine(return_X_y=True)
    assert WrapperOracle(estimator, X, y, cv=3).fast_path == ""


def test_probabilities_that_hold_the_last_bits_of_distances_are_not_shared():
    X, y = load_wine(return_X_y=True)
    model = KNeighborsClassifier(5, weights="distance")
    paths = [WrapperOracle(model, X, y, cv=3, scoring=name).fast_path for name in ("neg_log_loss", "accuracy")]
    assert paths == ["", "neighbours"]


@pytest.mark.parametrize("routed", [False, True])
def test_a_scaler_that_gets_weights_is_fitted_anew_for_each_subset(routed):
    X, y = load_wine(return_X_y=True)
    with config_context(enable_metadata_routing=routed):
        step = StandardScaler().set_fit_request(sample_weight=True) if routed else StandardScaler()
        argument = "sample_weight" if routed else "standardscaler__sample_weight"
        weights = {argument: np.where(y == 2, 0.01, 1.0)}
        model = make_pipeline(step, KNeighborsClassifier())
        oracle, plain = (WrapperOracle(model, X, y, cv=3, fit_params=weights, fast=fast) for fast in (True, False))
        assert oracle.fast_path == ""
        assert oracle(Evaluate(0, 0b110011)) == plain(Evaluate(0, 0b110011))


def test_a_callable_scorer_sees_the_whole_estimator_and_its_own_columns():
    X, y = load_wine(return_X_y=True)
    seen = []

    def scorer(estimator, X, y):
        seen.append((type(estimator), X.shape[1], float(X.max())))
        return get_scorer("accuracy")(estimator, X, y)

    oracle = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), X, y, cv=3, scoring=scorer)
    assert oracle.fast_path == ""
    oracle(Evaluate(0, 1 << 12))
    assert {(kind, columns) for kind, columns, _ in seen} == {(Pipeline, 1)}
    assert max(top for *_, top in seen) > 1000


def test_the_option_and_the_limits_turn_it_off(monkeypatch):
    X, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    assert WrapperOracle(model, X, y, fast=False).fast_path == ""
    monkeypatch.setattr(fast, "LARGEST_DISTANCES", 18 * 161 * 8 - 1)
    assert WrapperOracle(model, X, y).fast_path == "scaler"
    monkeypatch.setattr(scaled, "LARGEST_SCALED_COPY", 178 * 13 * 8 * 10 - 1)
    assert WrapperOracle(model, X, y).fast_path == ""


def test_small_stacks_of_folds_give_the_same(monkeypatch):
    X, y = load_wine(return_X_y=True)
    oracle = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), X, y)
    whole = [oracle(Evaluate(0, mask)) for mask in some_masks(13, 5)]
    monkeypatch.setitem(fast._STACK, 2, 3 * 8 * 18 * 162)
    assert [oracle(Evaluate(0, mask)) for mask in some_masks(13, 5)] == whole


def test_what_a_scaler_cannot_take_in_one_column_is_left_to_the_plain_way():
    X, y = load_wine(return_X_y=True)
    X = X.copy()
    X[3, 5] = np.inf
    oracle = WrapperOracle(make_pipeline(StandardScaler(), KNeighborsClassifier(3)), X, y, cv=3)
    assert oracle.fast_path == ""
    assert "infinity" in oracle(Evaluate(0, 1 << 5)).reason
    assert oracle(Evaluate(0, 3)).criteria[1] == 2


@pytest.mark.parametrize("names", [("a", "a"), ("a__b", "c"), ("steps", "c")])
@pytest.mark.parametrize("model", [GaussianNB(), KNeighborsClassifier(3)])
def test_names_of_steps_that_scikit_learn_refuses_are_refused_in_every_subset(names, model):
    X, y = load_wine(return_X_y=True)
    pipeline = Pipeline([(names[0], StandardScaler()), (names[1], model)])
    oracle = WrapperOracle(pipeline, X, y, cv=3)
    for mask in some_masks(13, 1):
        assert "names" in oracle(Evaluate(0, mask)).reason.lower()
