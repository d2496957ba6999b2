"""Pruning: what a subset leaves of an estimator that chooses columns; and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import linear_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

from elicit import ElicitSelector
from elicit.asks import Evaluate, Measured
from elicit.errors import InputError
from elicit.oracles import WrapperOracle
from elicit.oracles.pruning import never_read, pruned, unread

SIZES, GRADES = ["s", "m", "l"], ["lo", "hi"]


def coded(sizes=SIZES, grades=GRADES):
    return OrdinalEncoder(categories=[sizes, grades])


def shop(rows=120):
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": draw.choice(SIZES, rows), "grade": draw.choice(GRADES, rows), "x": draw.normal(size=rows)}
    )
    return frame, ((frame["size"] == "l") | (frame["x"] > 1)).to_numpy(int)


def test_settings_by_column_are_cut_with_the_columns():
    frame, y = shop()
    model = make_pipeline(
        ColumnTransformer([("o", coded(), ["size", "grade"]), ("n", StandardScaler(), ["x"])]), LogisticRegression()
    )
    oracle = WrapperOracle(model, frame, y, cv=3, random_state=0)
    replies = {mask: oracle(Evaluate(mask, mask)) for mask in range(1, 8)}
    assert all(isinstance(reply, Measured) for reply in replies.values())
    alone = make_pipeline(
        ColumnTransformer([("o", OrdinalEncoder(categories=[SIZES]), ["size"]), ("n", StandardScaler(), ["x"])]),
        LogisticRegression(),
    )
    names = [name for i, name in enumerate(oracle.attributes.names) if 0b101 >> i & 1]
    plain = WrapperOracle(alone, frame[names], y, cv=3, random_state=0)
    assert replies[0b101].criteria[0] == plain(Evaluate(0, 0b11)).criteria[0]


@pytest.mark.parametrize(("columns", "left"), [([0], [3]), ([1], [5]), ([0, 1], [3, 5]), ([1, 2], [5])])
def test_an_array_of_bins_is_cut_by_position(columns, left):
    chooser = ColumnTransformer([("b", KBinsDiscretizer(n_bins=np.array([3, 5])), [0, 1])], remainder="passthrough")
    mine = pruned(chooser, np.zeros((4, 3)), columns)
    assert mine.transformers[0][1].n_bins.tolist() == left
    assert chooser.transformers[0][1].n_bins.tolist() == [3, 5]  # the one that was given is as it was


@pytest.mark.parametrize("frame", [True, False])
@pytest.mark.parametrize(
    "chosen", [[7], 7, [0, -9], [True, False], np.array([True, True]), True, None, 1.0, [[0, 1]], [True, 2]]
)
def test_positions_and_truth_values_that_do_not_suit_the_columns_are_told_before_anything_is_measured(chosen, frame):
    data = load_iris(as_frame=frame)
    model = make_pipeline(ColumnTransformer([("s", StandardScaler(), chosen)], remainder="passthrough"), GaussianNB())
    with pytest.raises(InputError, match=r"ColumnTransformer selects .*, but X has 4 columns; give positions of those"):
        ElicitSelector(model, cv=3).fit(data.data, data.target)


def test_settings_of_another_length_are_left_alone():
    chooser = ColumnTransformer([("o", OneHotEncoder(categories=[SIZES]), [0, 1])])
    assert pruned(chooser, np.zeros((4, 3)), [1]).transformers[0][1].categories == [SIZES]


@pytest.mark.parametrize("position", [np.int64(1), np.int32(1), 1])
def test_a_position_may_be_a_number_of_numpy(position):
    chooser = ColumnTransformer([("t", "passthrough", position)])
    assert pruned(chooser, pd.DataFrame(np.zeros((4, 3)), columns=list("abc")), [0, 1]).transformers[0][2] == 1


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(
            ColumnTransformer([("o", ColumnTransformer([("n", StandardScaler(), [0])]), [1, 2])]), id="within another"
        ),
        pytest.param(
            ColumnTransformer([("o", make_pipeline(StandardScaler(), ColumnTransformer([("n", "drop", [0])])), [1])]),
            id="within a pipeline within another",
        ),
        pytest.param(
            ColumnTransformer(
                [("o", ColumnTransformer([("n", "drop", [0]), ("m", "drop", make_column_selector("x"))]), [1, 2])]
            ),
            id="beside one that looks for itself",
        ),
    ],
)
def test_a_choice_of_columns_within_another_is_refused(first):
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(InputError, match=r"inside another, .* chooses columns by name or position"):
        WrapperOracle(make_pipeline(first, LogisticRegression()), X, X[:, 0] > 0, cv=3)


def test_a_choice_of_columns_within_another_that_looks_for_itself_is_not():
    inner = ColumnTransformer([("n", StandardScaler(), make_column_selector(dtype_include=float))])
    model = make_pipeline(ColumnTransformer([("o", inner, ["x", "z"])]), LogisticRegression())
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["x", "z"])
    oracle = WrapperOracle(model, frame, (frame["z"] > 0).to_numpy(), cv=3)
    assert oracle(Evaluate(0, 0b10)).criteria[0] > 0.9


@pytest.mark.parametrize(
    "chooser",
    [coded(), ColumnTransformer([("o", coded(), make_column_selector(dtype_include=object))])],
    ids=["first step", "by a callable"],
)
def test_settings_by_column_that_nobody_can_cut_are_refused(chooser):
    frame, y = shop()
    with pytest.raises(InputError, match="OrdinalEncoder has categories for single columns"):
        WrapperOracle(make_pipeline(chooser, LogisticRegression()), frame[["size", "grade"]], y, cv=3)


@pytest.mark.parametrize(
    ("tried", "refused"),
    [
        ({"scale": [ColumnTransformer([("s", StandardScaler(), [0, 1])])]}, "among what a search tries"),
        ([{"model__C": [1.0]}, {"scale": [make_pipeline(coded())]}], "categories for single columns"),
        ({"scale__categories": [[SIZES, GRADES]]}, "tries scale__categories for single columns"),
        ({"scale": [ColumnTransformer([("s", StandardScaler(), make_column_selector("x"))])]}, None),
        ({"model__C": np.array([0.1, 1.0]), "scale": ["passthrough"]}, None),
    ],
)
def test_what_a_search_tries_may_not_choose_columns_either(tried, refused):
    frame, y = shop()
    model = GridSearchCV(Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())]), tried, cv=2)
    if refused is None:
        assert isinstance(WrapperOracle(model, frame[["x"]], y, cv=2)(Evaluate(0, 1)), Measured)
    else:
        with pytest.raises(InputError, match=refused):
            WrapperOracle(model, frame, y, cv=2)


@pytest.mark.parametrize(
    "around",
    [
        lambda frozen: frozen,
        lambda frozen: make_pipeline("passthrough", frozen),
        lambda frozen: VotingClassifier([("one", LogisticRegression()), ("two", frozen)]),
    ],
)
def test_a_frozen_estimator_that_takes_all_columns_or_none_is_refused(around):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    model = around(FrozenEstimator(LogisticRegression().fit(X, y)))
    with pytest.raises(InputError, match="LogisticRegression is frozen as it was fitted to 3 columns, and"):
        WrapperOracle(model, X, y, cv=3)


def test_a_frozen_part_that_may_have_its_columns_is_taken():
    frame, y = shop()
    coder = FrozenEstimator(OrdinalEncoder().fit(frame[["size"]]))
    model = make_pipeline(ColumnTransformer([("o", coder, ["size"])], remainder=StandardScaler()), LogisticRegression())
    anything = FrozenEstimator(FunctionTransformer(np.log1p))  # never fitted, hence to no number of columns
    numbers = frame[["x", "x"]].abs().to_numpy()
    for given, estimator in ((frame[["size", "x"]], model), (numbers, make_pipeline(anything, model[1]))):
        oracle = WrapperOracle(estimator, given, y, cv=3)
        assert isinstance(oracle(Evaluate(0, 0b01)), Measured)
        assert isinstance(oracle(Evaluate(1, 0b11)), Measured)


@pytest.mark.parametrize(
    "around", [lambda m: m, make_pipeline, lambda m: GridSearchCV(m, {}), lambda m: BaggingClassifier(m)]
)
@pytest.mark.parametrize("model", [SVC(kernel="precomputed"), KNeighborsClassifier(1, metric="precomputed")])
def test_a_table_of_the_rows_with_each_other_has_no_features_to_choose(model, around):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=f"^{type(model).__name__} is set to take a table of the rows with each other"):
        ElicitSelector(around(model), cv=2).fit(X @ X.T, y)


def test_a_search_may_set_another_kernel_than_that_of_a_table():
    X, y = load_iris(return_X_y=True)
    model = GridSearchCV(SVC(kernel="precomputed"), {"kernel": ["linear"]}, cv=2)
    assert ElicitSelector(model, cv=2, budget=3).fit(X, y).n_evaluations_ == 3


def test_kernels_that_a_pipeline_computes_itself_are_no_such_table():
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(RBFSampler(random_state=0), SVC(kernel=linear_kernel))
    assert ElicitSelector(model, cv=2, budget=3).fit(X, y).n_evaluations_ == 3


def test_what_is_never_read_is_known_where_each_column_is_looked_at_alone():
    frame = pd.DataFrame(np.zeros((4, 3)), columns=list("xyz"))
    alone = ("a", StandardScaler(), make_column_selector("x"))
    chooser = ColumnTransformer([alone])
    assert unread(chooser, frame) == never_read(chooser, frame) == {1, 2}
    beside = ColumnTransformer([alone, ("b", StandardScaler(), lambda _: ["y"])])
    assert unread(beside, frame) == {2}
    assert never_read(beside, frame) == set(), "of a subset it may choose others"


@pytest.mark.parametrize(("passthrough", "left"), [(False, {1, 2}), (True, set())])
def test_a_stack_whose_last_estimator_sees_all_columns_reads_them(passthrough, left):
    frame = pd.DataFrame(np.zeros((4, 3)), columns=list("xyz"))
    chosen = make_pipeline(ColumnTransformer([("a", StandardScaler(), ["x"])]), LogisticRegression())
    assert unread(StackingClassifier([("one", chosen)], passthrough=passthrough), frame) == left
