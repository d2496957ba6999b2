"""Keeping: which columns are the same in every row, in whatever X comes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from elicit.estimator.keeping import same_in_every_row

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
