"""The selector and frames: columns by name, their types kept, an estimator that selects columns itself."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.compose import (
    ColumnTransformer,
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
)
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from elicit import ElicitSelector
from elicit.errors import InputError
from elicit.oracles import WrapperOracle
from elicit.oracles.pruning import pruned, prunes

IRIS = load_iris(as_frame=True)
FRAME, SPECIES = IRIS.data, IRIS.target
rng = np.random.default_rng(0)
MIXED = FRAME.assign(
    colour=np.where(SPECIES == 0, "red", rng.choice(["blue", "green"], len(FRAME))),
    noise=rng.normal(size=len(FRAME)),
)
CT = ColumnTransformer(
    [
        ("numbers", StandardScaler(), ["sepal length (cm)", "petal length (cm)", "noise"]),
        ("texts", OneHotEncoder(sparse_output=False), ["colour"]),
    ],
    remainder="passthrough",
)


def selector(estimator, **changed):
    return ElicitSelector(estimator, **({"cv": 3, "budget": 20} | changed))


def test_the_names_of_a_frame_are_the_names_of_the_features():
    found = selector(KNeighborsClassifier(3)).fit(FRAME, SPECIES)
    assert found.feature_names_in_.tolist() == list(FRAME.columns)
    assert set(found.feature_names_) <= set(FRAME.columns)
    assert found.get_feature_names_out().tolist() == [n for n, s in zip(FRAME, found.support_, strict=True) if s]
    arrays = selector(KNeighborsClassifier(3)).fit(FRAME.to_numpy(), SPECIES)
    assert arrays.support_.tolist() == found.support_.tolist()
    assert arrays.cv_results_["mean_test_score"] == pytest.approx(found.cv_results_["mean_test_score"])


NUMBERED = FRAME.set_axis([30, 0, 10, 20], axis=1)


def test_names_may_come_from_the_columns_of_the_frame():
    model, few = KNeighborsClassifier(3), {"cv": 3, "budget": 6, "keep": FRAME.columns[1:3]}
    assert set(FRAME.columns[1:3]) <= set(ElicitSelector(model, **few).fit(FRAME, SPECIES).feature_names_)


def test_a_frame_whose_labels_are_numbers_has_the_names_that_scikit_learn_gives_its_columns():
    found = selector(GaussianNB(), keep=[1]).set_output(transform="pandas").fit(NUMBERED, SPECIES)
    assert found.attributes_ == ("x0", "x1", "x2", "x3")
    assert found.feature_names_ == tuple(found.get_feature_names_out()) == tuple(found.transform(NUMBERED).columns)
    assert "x1" in found.feature_names_
    honest = selector(GaussianNB(), keep=["x1"]).nested_score(NUMBERED, SPECIES, cv=2)
    assert all("x1" in subset for subset in honest.subsets)
    grouped = selector(GaussianNB(), feature_groups={"g": ["x0", "x2"]}).fit(NUMBERED, SPECIES)
    assert grouped.attributes_ == ("g", "x1", "x3")
    with pytest.raises(InputError, match="keep names attribute 10, but there are the attributes 0 to 3"):
        selector(GaussianNB(), keep=[10]).fit(NUMBERED, SPECIES)


def test_a_series_labelled_with_the_numbers_of_a_frame_is_matched_by_them():
    def chosen(X, **changed):
        return selector(GaussianNB(), operator="score - 0.1 * cost", **changed).fit(X, SPECIES)

    for labels in ([30, 0, 10, 20], [3, 0, 1, 2]):
        X, mixed_up = FRAME.set_axis(labels, axis=1), [labels[k] for k in (2, 0, 1, 3)]
        strengths = pd.DataFrame(np.zeros((4, 4)), index=labels, columns=labels)
        strengths.loc[labels[0], labels[1]] = strengths.loc[labels[1], labels[0]] = 1.0
        told = chosen(
            X,
            costs=pd.Series([5.0, 5.0, 0.0, 5.0], index=labels)[mixed_up],
            prior=pd.Series([1.0, 2.0, 3.0, 4.0], index=labels)[mixed_up],
            keep=pd.Series([False, True, False, False], index=labels)[mixed_up],
            pairs=strengths.loc[mixed_up, mixed_up],
        )
        assert told.session_.settings.pairs == ((0, 1),)
        assert told.prior_.tolist() == [1.0, 2.0, 3.0, 4.0]
        assert told.feature_names_ == ("x1", "x2")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_go_in_and_frames_of_the_same_columns_come_out(kind):
    X = MIXED if kind == "pandas" else pl.DataFrame(MIXED.to_dict("list"))
    found = selector(make_pipeline(CT, GaussianNB()), keep=["colour"]).set_output(transform=kind)
    out = found.fit(X, SPECIES).transform(X)
    assert type(out) is type(X)
    assert list(out.columns) == list(found.feature_names_)
    for name in found.feature_names_:
        assert out[name].dtype == X[name].dtype
        assert (out[name] == X[name]).all()


@pytest.mark.parametrize("X", [FRAME, pl.from_pandas(FRAME), FRAME.to_numpy()], ids=["pandas", "polars", "array"])
def test_the_array_that_comes_out_is_ones_own_to_change(X):
    before = np.array(X)
    transformed = selector(GaussianNB(), budget=5).fit(X, SPECIES).transform(X)
    transformed[:] = 0
    assert np.array_equal(X, before)


@pytest.mark.parametrize(("kind", "container"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_arrays_come_out_as_frames_on_request(kind, container):
    found = selector(KNeighborsClassifier(3)).set_output(transform=kind).fit(FRAME.to_numpy(), SPECIES)
    out = found.transform(FRAME.to_numpy())
    assert isinstance(out, container)
    assert list(out.columns) == list(found.feature_names_)


def test_a_pipeline_that_selects_columns_by_name_is_cut_down_to_the_subset():
    model = make_pipeline(CT, GaussianNB())
    found = selector(model, budget=21, max_features=2).fit(MIXED, SPECIES)
    assert (found.cv_results_["decision"] == "evaluated").all()
    table = dict(zip(found.cv_results_["features"], found.cv_results_["mean_test_score"], strict=True))
    alone = make_pipeline(OneHotEncoder(sparse_output=False), GaussianNB())
    cv = [*_splits()]
    assert table[("colour",)] == pytest.approx(cross_val_score(alone, MIXED[["colour"]], SPECIES, cv=cv).mean())
    mine = found.pruned_estimator(MIXED)
    chosen = MIXED[list(found.feature_names_)]
    assert cross_val_score(mine, chosen, SPECIES, cv=cv).mean() == pytest.approx(found.best_score_)


def _splits():
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(3, shuffle=True, random_state=0).split(FRAME, SPECIES)


def test_a_one_hot_block_is_one_attribute():
    dummies = pd.get_dummies(MIXED, columns=["colour"], dtype=float)
    block = [name for name in dummies.columns if name.startswith("colour_")]
    found = selector(GaussianNB(), feature_groups={"colour": block}).fit(dummies, SPECIES)
    chosen = found.support_[[list(dummies.columns).index(name) for name in block]]
    assert len(set(chosen.tolist())) == 1
    assert chosen[0] == ("colour" in found.feature_names_)


def test_a_missing_number_names_its_column_and_row():
    hole = FRAME.copy()
    hole.loc[[7, 9], "petal width (cm)"] = np.nan
    with pytest.raises(InputError, match=r"contains NaN.*'petal width \(cm\)', row 7"):
        selector(KNeighborsClassifier(3)).fit(hole, SPECIES)
    with pytest.raises(InputError, match="'petal width"):
        selector(KNeighborsClassifier(3)).fit(pl.DataFrame(hole.to_dict("list")), SPECIES)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_a_gap_in_a_column_of_objects_is_refused_like_one_in_a_column_of_numbers(gap):
    hole = FRAME.astype({"petal width (cm)": object})
    hole.loc[7, "petal width (cm)"] = gap
    with pytest.raises(InputError, match=r"contains NaN.*'petal width \(cm\)', row 7"):
        selector(KNeighborsClassifier(3)).fit(hole, SPECIES)


# without the two that are taken nothing is left
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.parametrize(
    "chooser",
    [
        make_column_transformer((StandardScaler(), list(FRAME)[:2])),
        make_column_transformer((StandardScaler(), lambda X: [name for name in X if name.startswith("sepal")])),
        make_column_transformer((StandardScaler(), slice(0, 2)), ("drop", [2]), ("drop", np.int64(3))),
        make_column_transformer(("drop", list(FRAME)[2:]), remainder="passthrough"),
    ],
)
def test_a_gap_in_a_column_that_the_estimator_drops_is_no_matter(chooser):
    hole = FRAME.copy()
    hole.loc[7, list(FRAME)[2:]] = np.nan
    model = make_pipeline("passthrough", chooser, KNeighborsClassifier(3))
    found = selector(model).fit(hole, SPECIES)
    assert set(found.feature_names_) <= set(list(FRAME)[:2])
    hole.loc[9, "sepal width (cm)"] = np.nan
    with pytest.raises(InputError, match=r"contains NaN.*'sepal width \(cm\)', row 9"):
        selector(GridSearchCV(model, {"kneighborsclassifier__n_neighbors": [1, 3]})).fit(hole, SPECIES)


def test_a_gap_in_a_column_that_every_voter_drops_is_no_matter():
    one, other = (
        make_pipeline(make_column_transformer((StandardScaler(), list(FRAME)[:few])), KNeighborsClassifier(3))
        for few in (2, 3)
    )
    hole = FRAME.copy()
    hole.loc[7, list(FRAME)[3]] = np.nan
    vote = VotingClassifier([("one", one), ("other", other)])
    selector(vote, budget=2, keep=[0]).fit(hole, SPECIES)
    hole.loc[9, list(FRAME)[2]] = np.nan
    with pytest.raises(InputError, match=r"'petal length \(cm\)', row 9; VotingClassifier does not accept it"):
        selector(vote).fit(hole, SPECIES)


@pytest.mark.parametrize("container", [pd.DataFrame, np.asarray])
def test_a_column_that_the_estimator_drops_is_transformed_with_its_gaps_where_it_was_chosen(container):
    hole = FRAME.to_numpy().copy()
    hole[7, 2] = np.nan
    model = make_pipeline(make_column_transformer((StandardScaler(), [0, 1])), KNeighborsClassifier(3))
    found = selector(model, keep=[0, 2]).fit(container(hole), SPECIES)
    assert np.isnan(found.transform(container(hole))).sum() == 1
    hole[9, 1] = np.nan
    with pytest.raises(InputError, match=r"contains NaN.*'(1|x1)', row 9"):
        found.fit(container(hole), SPECIES)


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"petal width (cm)": FRAME["petal width (cm)"].astype(object).replace(0.1, "oops")}, "to float: 'oops'"),
        ({"petal width (cm)": pd.date_range("2020", periods=len(FRAME))}, "DateTime64"),
        ({"petal width (cm)": pd.Categorical(MIXED["colour"])}, "to float: 'red'"),
    ],
)
def test_a_column_that_the_estimator_takes_in_no_subset_is_refused_at_once(odd, reason):
    with pytest.raises(InputError, match=rf"KNeighbors\S+ does not accept column 'petal width \(cm\)'.*{reason}"):
        selector(KNeighborsClassifier(3)).fit(FRAME.assign(fine="1", **odd), SPECIES)


@pytest.mark.parametrize("container", [pd.DataFrame, np.asarray, csr_array])
@pytest.mark.parametrize("large", [-np.inf, 1e300])
def test_an_infinite_number_is_refused_at_once_where_gaps_pass_and_it_does_not(container, large):
    values = FRAME.to_numpy().copy()
    values[7, 3] = large
    with pytest.raises(InputError, match=r"RandomForest\S+ does not accept column '(3|x3)'.*infinity.*mend row 7$"):
        selector(RandomForestClassifier(2)).fit(container(values), SPECIES)


@pytest.mark.parametrize(
    ("gap", "reason"),
    [
        (
            {"noise": MIXED["noise"].where(MIXED.index != 7)},
            r".*NaN.*fill its gaps \(such as in row 7\), or put an imputer",
        ),
        ({"colour": MIXED["colour"].astype("string").where(MIXED.index != 7)}, ".* in row 7\\), or put an encoder"),
    ],
)
def test_a_gap_in_a_column_that_no_part_of_the_estimator_fills_is_refused_at_once(gap, reason):
    """Which columns have gaps its tags do not know: it encodes one, and hands the others on."""
    encoder = ColumnTransformer(
        [("texts", OneHotEncoder(handle_unknown="ignore"), ["colour"])], remainder="passthrough"
    )
    model = make_pipeline(encoder, KNeighborsClassifier(3))
    with pytest.raises(InputError, match=f"does not accept column '{next(iter(gap))}'{reason} before it$"):
        selector(model, budget=4).fit(MIXED.assign(**gap), SPECIES)


def test_a_column_of_complex_numbers_is_named_before_anything_is_measured():
    turned = IRIS.data.assign(turned=IRIS.data.iloc[:, 0] * 1j)
    told = r"^GaussianNB does not accept column 'turned' of X \(ValueError: Complex .*give its real and imaginary parts"
    with pytest.raises(InputError, match=told):
        ElicitSelector(GaussianNB(), cv=3).fit(turned, IRIS.target)


def test_numbers_of_half_precision_are_ordinary_numbers():
    values = FRAME.to_numpy().astype(np.float16)
    for X in (values, pd.DataFrame(values)):
        assert selector(KNeighborsClassifier(3), budget=3).fit(X, SPECIES).n_evaluations_ == 3


def test_an_infinite_number_that_the_estimator_takes_is_no_matter():
    values = FRAME.to_numpy().copy()
    values[7, 3] = np.inf
    found = selector(HistGradientBoostingClassifier(max_iter=2), budget=3).fit(values, SPECIES)
    assert (found.cv_results_["decision"] == "evaluated").all()


def test_a_text_that_only_rows_outside_all_folds_hold_is_no_matter():
    word = FRAME.astype({"petal width (cm)": object})
    word.loc[7, "petal width (cm)"] = "oops"
    rest = np.delete(np.arange(len(word)), 7)
    found = selector(KNeighborsClassifier(3), cv=[(rest[::2], rest[1::2])], prior=None).fit(word, SPECIES)
    assert (found.cv_results_["decision"] == "evaluated").all()


def test_of_texts_alone_the_one_that_no_part_of_the_estimator_encodes_is_refused():
    texts = MIXED[["colour"]].assign(letter=np.where(SPECIES > 1, "a", "b"))
    encoder = ColumnTransformer([("texts", OneHotEncoder(), ["letter"])], remainder="passthrough")
    with pytest.raises(InputError, match="Pipeline does not accept column 'colour'"):
        selector(make_pipeline(encoder, KNeighborsClassifier(3))).fit(texts, SPECIES)


def test_texts_alone_that_the_estimator_takes_in_no_subset_are_refused_at_once():
    texts = MIXED[["colour"]].assign(letter=np.where(SPECIES > 1, "a", "b"))
    with pytest.raises(InputError, match=r"^KNeighbors\S+ takes no column of X.*'colour' .*float: 'red'.*encoder"):
        selector(KNeighborsClassifier(3)).fit(texts, SPECIES)


@pytest.mark.parametrize("labels", [["a", "b", "a"], [3, 0, 3], [("a", "u"), ("a", "v"), ("a", "u")]])
def test_two_columns_of_one_label_are_refused_in_a_line(labels):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=labels)
    distinct = X.set_axis(list("abc"), axis=1)
    found = selector(Ridge()).fit(distinct, distinct["a"])
    said = f"^X has 2 columns called {re.escape(repr(str(labels[0])))}; rename all but one$"
    for use in (lambda x: selector(Ridge()).fit(x, distinct["a"]), found.transform, found.pruned_estimator):
        with pytest.raises(InputError, match=said):
            use(X)


def test_other_columns_are_refused_when_transforming():
    found = selector(KNeighborsClassifier(3)).set_output(transform="pandas").fit(FRAME, SPECIES)
    with pytest.raises(ValueError, match="feature names"):
        found.transform(FRAME.rename(columns={"petal width (cm)": "width"}))


def test_one_row_is_not_enough():
    with pytest.raises(InputError, match="at least 2"):
        selector(KNeighborsClassifier(3)).fit(FRAME[:1], SPECIES[:1])


# --- pruning -------------------------------------------------------------------------------------------


def parts(transformer):
    return {name: chosen for name, _, chosen in transformer.transformers}


def test_names_that_a_subset_lacks_are_pruned_from_the_clone_alone():
    mine = pruned(CT, MIXED, [0, 4])
    assert parts(mine) == {"numbers": ["sepal length (cm)"], "texts": ["colour"]}
    assert parts(CT)["numbers"] == ["sepal length (cm)", "petal length (cm)", "noise"]


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        ([0, 3, 5], [1, 2]),
        (slice(2, 6), [1, 2]),
        (slice(None, None, -1), [2, 1, 0]),
        ([True, False, False, False, False, True], [2]),
        ([-1], [2]),
        (3, 1),
        (4, []),
    ],
)
def test_positions_follow_the_columns_that_are_left(chosen, left):
    given = ColumnTransformer([("some", "passthrough", chosen)])
    assert parts(pruned(given, np.zeros((2, 6)), [1, 3, 5]))["some"] == left


@pytest.mark.parametrize(
    ("chosen", "left"),
    [
        (slice("b", "d"), ["d"]),
        (slice(None, "b"), ["a"]),
        ("d", "d"),
        ("b", []),
        ([0, 3], ["a", "d"]),
        ([True, False, True, False, False], ["a"]),
        ([], []),
    ],
)
def test_names_stay_names_in_a_frame(chosen, left):
    frame = pd.DataFrame(np.zeros((2, 5)), columns=list("abcde"))
    assert parts(pruned(ColumnTransformer([("some", "passthrough", chosen)]), frame, [0, 3]))["some"] == left


def test_a_slice_of_names_has_no_step_for_scikit_learn_knows_none():
    frame = pd.DataFrame(np.zeros((2, 5)), columns=list("abcde"))
    with pytest.raises(InputError, match=r"slice\('a', None, 2\).*has no step; list the names"):
        pruned(ColumnTransformer([("some", "passthrough", slice("a", None, 2))]), frame, [0, 3])
    assert parts(pruned(ColumnTransformer([("some", "passthrough", slice("a", "d", 1))]), frame, [0, 3]))


def test_a_callable_looks_for_itself():
    chooser = make_column_selector(dtype_include=float)
    given = ColumnTransformer([("some", "passthrough", chooser)])
    left = parts(pruned(given, MIXED, [0, 4]))["some"]
    assert left(MIXED.iloc[:, [0, 4]]) == ["sepal length (cm)"]


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_what_a_callable_chooses_is_chosen_of_what_transform_gives(output):
    parts = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include=float)),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude=float)),
        (CountVectorizer(), lambda frame: "colour" if "colour" in frame else []),
    )
    found = selector(make_pipeline(parts, LogisticRegression()), keep=["colour", "noise"], max_features=3)
    found.set_output(transform=output).fit(MIXED, SPECIES)
    told = found.pruned_estimator(MIXED).fit(found.transform(MIXED), SPECIES)
    as_measured = pruned(found.estimator, MIXED, np.flatnonzero(found.support_))
    chosen = MIXED.loc[:, found.support_]
    expected = as_measured.fit(chosen, SPECIES).predict(chosen)
    assert told.predict(found.transform(MIXED)).tolist() == expected.tolist()


def test_only_what_x_itself_reaches_is_pruned():
    inner = ColumnTransformer([("two", "passthrough", [0, 1])])
    later = make_pipeline(StandardScaler(), inner)
    assert not prunes(later)
    assert prunes(make_pipeline("passthrough", inner, GaussianNB()))
    union = FeatureUnion([("left", inner), ("right", StandardScaler())])
    assert parts(pruned(union, np.zeros((2, 3)), [1]).transformer_list[0][1]) == {"two": [0]}
    wrapped = TransformedTargetRegressor(make_pipeline(inner, LinearRegression()))
    assert parts(pruned(wrapped, np.zeros((2, 3)), [2]).regressor.steps[0][1]) == {"two": []}


def test_a_name_that_x_lacks_altogether_is_told():
    with pytest.raises(InputError, match="selects column 'nope', which X does not have"):
        pruned(ColumnTransformer([("some", "passthrough", ["nope"])]), FRAME, [0])


def test_a_column_of_texts_reaches_a_vectoriser_as_a_vector():
    texts = pd.DataFrame({"text": np.where(SPECIES == 0, "small red", "large blue"), "noise": MIXED["noise"]})
    model = make_pipeline(
        ColumnTransformer([("words", CountVectorizer(), "text"), ("rest", "passthrough", ["noise"])]),
        FunctionTransformer(lambda X: X.toarray() if hasattr(X, "toarray") else X),
        GaussianNB(),
    )
    found = selector(model).fit(texts, SPECIES == 0)
    assert found.feature_names_ == ("text",)
    assert found.best_score_ == 1.0


def test_columns_whose_names_are_numbers_are_chosen_by_position():
    X = np.random.default_rng(0).normal(size=(90, 4))
    y = (X[:, 2] > 0).astype(int)
    model = make_pipeline(ColumnTransformer([("third", "passthrough", [2])]), GaussianNB())
    as_array, as_frame = (
        selector(model).fit(data, y).cv_results_["mean_test_score"].tolist() for data in (X, pd.DataFrame(X))
    )
    assert as_array == as_frame
    assert len(as_array) == 1  # no other column is read


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(StandardScaler(), ColumnTransformer([("one", "passthrough", [1])]), GaussianNB()),
        HistGradientBoostingClassifier(categorical_features=[0]),
        make_pipeline(StandardScaler(), HistGradientBoostingClassifier(categorical_features=[0])),
    ],
)
def test_what_would_choose_other_columns_of_a_subset_is_refused(model):
    with pytest.raises(InputError, match="a subset of the features shifts"):
        selector(model).fit(FRAME.to_numpy(), SPECIES)


def test_a_column_transformer_behind_a_step_may_let_a_callable_choose():
    chooser = ColumnTransformer([("all", "passthrough", lambda X: list(range(X.shape[1])))])
    assert (
        selector(make_pipeline(StandardScaler(), chooser, GaussianNB())).fit(FRAME.to_numpy(), SPECIES).support_.any()
    )


def test_the_types_of_columns_are_part_of_the_data(tmp_path):
    rng = np.random.default_rng(0)
    plain = pd.DataFrame({"a": rng.integers(0, 12, 200), "b": rng.normal(size=200)})
    y = plain["a"].isin([1, 4, 6, 9, 11]).astype(int)
    model = HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=3, categorical_features="from_dtype")
    for data in (plain, plain.assign(a=plain["a"].astype("category"))):
        kept = selector(model, journal=tmp_path).fit(data, y).best_score_
        assert kept == selector(model).fit(data, y).best_score_


class Table:
    """What tables that are no frames have in common with frames."""

    columns = FRAME.to_numpy().T
    shape = FRAME.shape


class Arrow(Table):
    """As of pyarrow, by what it calls its names."""

    column_names = tuple(FRAME.columns)


class Distributed(Table):
    """As of dask."""

    def compute(self):
        return FRAME


class Wrapped(Table):
    """As of narwhals."""

    def to_native(self):
        return FRAME


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (Arrow(), r"found a .* Arrow; give X.to_pandas\(\)"),
        (Distributed(), r"found a .* Distributed; give X.compute\(\)"),
        (Wrapped(), r"found a .* Wrapped; give X.to_native\(\)"),
        (pl.from_pandas(FRAME).lazy(), r"found a polars LazyFrame; give X.collect\(\)"),
        (np.ma.masked_greater(FRAME.to_numpy(), 7), r"X is a masked array; fill or drop what is masked first"),
    ],
)
def test_a_table_that_is_no_frame_is_refused_with_what_to_give_instead(table, told):
    mine = selector(GaussianNB(), budget=5).fit(FRAME, SPECIES)
    for handed in (
        lambda: selector(GaussianNB()).fit(table, SPECIES),
        lambda: mine.transform(table),
        lambda: mine.nested_score(table, SPECIES),
        lambda: WrapperOracle(GaussianNB(), table, SPECIES),
    ):
        with pytest.raises(InputError, match=told):
            handed()


def test_a_masked_array_of_which_nothing_is_masked_is_an_array():
    unmasked = np.ma.masked_greater(FRAME.to_numpy(), 100)
    assert selector(GaussianNB(), budget=5).fit(unmasked, SPECIES).transform(unmasked).shape[0] == len(FRAME)


def test_columns_of_polars_keep_their_types_where_pandas_is_wanted():
    rng = np.random.default_rng(0)
    kinds = rng.integers(0, 2, 60)
    frame = pl.DataFrame(
        {
            "x": rng.normal(size=60),
            "k": pl.Series(np.array(["u", "v"])[kinds], dtype=pl.Categorical),
            "count": rng.integers(0, 9, 60),
            "held": rng.normal(size=60) > 0,
        }
    )
    model = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype", random_state=0)
    found = selector(model, keep=["x", "k", "count", "held"]).set_output(transform="pandas").fit(frame, kinds)
    chosen = found.transform(frame)
    assert [chosen[name].dtype.kind for name in ("x", "count", "held")] == ["f", "i", "b"]
    assert chosen["k"].dtype == "category"
    assert chosen["k"].tolist() == frame["k"].to_list()
    assert found.pruned_estimator(frame).fit(chosen, kinds).score(chosen, kinds) == 1.0


def test_categories_that_an_array_would_lose_are_told_and_a_frame_keeps_them():
    """The model reads them off the types of columns, so on an array it is another one."""
    r = np.random.default_rng(0)
    code = r.integers(0, 8, 120)
    X = pd.DataFrame({"a": r.normal(size=120), "zip": pd.Categorical(code)})
    boosted = HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=3)
    found = ElicitSelector(boosted, cv=3, keep=["zip"]).fit(X, code % 2)
    with pytest.warns(UserWarning, match=r"'zip' holds categories, .* call set_output\(transform='pandas'\)"):
        found.transform(X)
    with pytest.warns(UserWarning, match="'zip' holds categories"):
        found.transform(pl.DataFrame({"a": X["a"], "zip": pl.Series(code.astype(str), dtype=pl.Categorical)}))
    assert found.set_output(transform="pandas").transform(X).dtypes["zip"] == X.dtypes["zip"]
    plain = ElicitSelector(GaussianNB(), cv=3, keep=["zip"]).fit(X, code % 2)
    assert plain.transform(X).shape[0] == 120, "who reads numbers anyway is not told"
