"""Keeping: which columns are the same in every row, in whatever X comes, and which are left out of the choice."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit import ElicitSelector
from elicit.errors import InputError
from elicit.estimator.keeping import same_in_every_row
from elicit.oracles.pruning import never_read, unread

FEW = st.sampled_from([0.0, 1.0, -2.5])


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=FEW | st.just(np.nan)))
def test_a_column_is_constant_when_it_holds_one_value_and_a_gap_is_one(X):
    expected = [len(set(map(repr, column))) == 1 for column in X.T.tolist()]
    assert same_in_every_row(X).tolist() == same_in_every_row(pd.DataFrame(X)).tolist() == expected


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=FEW | st.just(np.nan)))
def test_a_sparse_column_is_constant_when_a_dense_one_is(X):
    for kind in (sparse.csr_matrix, sparse.csr_array):
        assert same_in_every_row(kind(X)).tolist() == same_in_every_row(X).tolist()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_texts_and_gaps_of_a_frame_are_told_apart(frame):
    X = frame({"a": ["x", "x"], "b": ["x", "y"], "c": [None, None], "d": [None, "x"], "e": [True, True]})
    assert same_in_every_row(X).tolist() == [True, False, True, False, True]


def test_columns_of_nullable_numbers_and_categories_are_looked_at_too():
    X = pd.DataFrame({"a": pd.Series([1, None], dtype="Int64"), "b": pd.Series([1, 1], dtype="Int64")})
    X["c"], X["d"] = pd.Categorical(["u", "u"]), pd.Categorical(["u", "v"])
    assert same_in_every_row(X).tolist() == [False, True, True, False]


def test_where_columns_are_labelled_by_other_numbers_than_their_positions_a_number_is_refused():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)))[[3, 2, 1, 0]]
    y = (X[1] > 0).to_numpy()
    for numbers in ({"keep": [0]}, {"feature_groups": {"g": [0, 1]}}, {"pairs": [(0, "x1")]}):
        with pytest.raises(InputError, match=r"0, which may be a label of X or a position; .*rename\(columns=str\)"):
            ElicitSelector(LogisticRegression(), cv=3, budget=4, **numbers).fit(X, y)
    in_order = ElicitSelector(LogisticRegression(), cv=3, budget=4, keep=[0]).fit(X[[0, 1, 2, 3]], y)
    assert in_order.support_[0]
    costs = {0: 900.0, 1: 1.0, 2: 2.0, 3: 3.0}
    found = [
        ElicitSelector(LogisticRegression(), cv=3, budget=15, costs=each, operator="score - 0.001 * cost").fit(X, y)
        for each in (costs, pd.Series(costs), [3.0, 2.0, 1.0, 900.0])
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.cv_results_["cost"], found[0].cv_results_["cost"])


def test_what_the_estimator_drops_is_left_out_unless_it_is_kept():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 12)), columns=[f"v{i}" for i in range(12)])
    y = (X.v0 + X.v1 > 0).astype(int)
    model = make_pipeline(make_column_transformer((StandardScaler(), ["v0", "v1", "v2"])), LogisticRegression())
    found = ElicitSelector(model, cv=3, budget=20).fit(X, y)
    assert found.n_evaluations_ == 7
    assert not found.support_[3:].any()
    with pytest.warns(FitFailedWarning, match="1 of 8 subsets"):  # what is kept alone leaves nothing to fit
        kept = ElicitSelector(model, cv=3, budget=20, keep=["v5"]).fit(X, y)
    assert kept.support_.tolist()[3:] == [False, False, True] + [False] * 6
    X["v0"], X["v1"], X["v2"] = 1.0, 2.0, 3.0
    with pytest.warns(UserWarning, match="no feature tells the rows apart"):
        constant = ElicitSelector(model, cv=3, budget=20).fit(X, y)
    assert not constant.support_[3:].any()


class Own(LogisticRegression):
    """Somebody's model around another, which looks at all of X."""

    def __init__(self, estimator=None):
        super().__init__()
        self.estimator = estimator


def test_what_an_outer_model_may_look_at_is_not_left_out():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=list("abcd"))
    inner = make_pipeline(make_column_transformer(("passthrough", ["a"])), LogisticRegression())
    for outer, read in (
        (inner, "a"),
        (StackingClassifier([("one", inner)]), "a"),
        (StackingClassifier([("one", inner)], passthrough=True), "abcd"),
        (VotingClassifier([("one", inner), ("two", LogisticRegression())]), "abcd"),
        (VotingClassifier([("one", inner), ("two", inner)]), "a"),
        (Own(inner), "abcd"),
    ):
        assert "".join(X.columns[k] for k in range(4) if k not in unread(outer, X)) == read


def test_what_a_callable_may_choose_of_a_subset_or_a_search_may_try_is_not_left_out():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": ["u", "v"]})
    for choice, read in ((make_column_selector(dtype_include="number"), "ab"), (lambda part: part.columns[:1], "abc")):
        model = make_pipeline(make_column_transformer(("passthrough", choice)), LogisticRegression())
        assert "".join(X.columns[k] for k in range(3) if k not in never_read(model, X)) == read
    model = make_pipeline(make_column_transformer(("passthrough", ["a"])), LogisticRegression())
    assert never_read(model, X) == {1, 2}
    assert never_read(GridSearchCV(model, {"columntransformer__remainder": ["drop", "passthrough"]}), X) == set()


@pytest.mark.parametrize("choice", [{"keep": [3]}, {"pairs": [(0, 3)]}])
def test_a_number_that_grouped_columns_shift_is_refused_and_a_name_or_one_that_they_do_not_shift_is_not(choice):
    X, y = np.random.default_rng(0).normal(size=(40, 6)), np.arange(40) % 2
    groups = {"g": [0, 1, 2]}
    (name,) = choice
    with pytest.raises(InputError, match=rf"{name} names 3, .* the attribute 'x5' or a column of 'x3'; give its name"):
        ElicitSelector(LogisticRegression(), cv=3, feature_groups=groups, **choice).fit(X, y)
    for kept in (["x3"], [0], ["g"], [False, True, False, False]):
        found = ElicitSelector(LogisticRegression(), cv=3, feature_groups=groups, keep=kept).fit(X, y)
        expected = "x0" if kept in ([0], ["g"]) else "x3"
        assert expected in found.get_feature_names_out()
