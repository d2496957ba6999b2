"""Rows with replaced columns: arrays stay arrays, frames keep names and types, the original is never changed."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.ensemble import HistGradientBoostingClassifier

from elicit.errors import InputError
from elicit.scores import permutation_importance
from elicit.scores.sheet import Sheet


def test_an_array_of_whole_numbers_takes_fractions():
    X = np.array([[1, 2], [3, 4]])
    assert Sheet(X).replaced([1, 0, 1], {0: [0.5, 0.25, 0.125]}).tolist() == [[0.5, 4], [0.25, 2], [0.125, 4]]
    assert X.tolist() == [[1, 2], [3, 4]]


def test_a_frame_keeps_names_types_and_itself():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1, 2], "c": pandas.Categorical(["u", "v"]), "t": ["p", "q"]}, index=[7, 7])
    sheet = Sheet(frame)
    changed = sheet.replaced([0, 1, 1], {0: [0.5, 1.5, 2.5], 1: ["v", "v", "u"]})
    assert changed["n"].tolist() == [0.5, 1.5, 2.5]
    assert changed["c"].tolist() == ["v", "v", "u"]
    assert changed["c"].dtype == frame["c"].dtype
    assert changed["t"].tolist() == ["p", "q", "q"]
    assert frame["n"].tolist() == [1, 2]
    assert [sheet.numeric(j) for j in range(3)] == [True, False, False]
    assert sheet.position("c") == sheet.position(1) == 1


@pytest.mark.parametrize(("kind", "values"), [("Int64", [1, None, 3]), ("boolean", [True, None, False])])
def test_a_model_sees_gaps_of_pandas_own_where_values_are_exchanged(kind, values):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": pandas.array(values, dtype=kind), "b": [1.0, 2.0, 3.0]})
    sheet = Sheet(frame)
    turned = sheet.replaced(np.arange(3), {0: sheet.column(0)[::-1]})["a"]
    assert turned.dtype != object
    assert turned.isna().tolist() == [False, True, False]
    model = HistGradientBoostingClassifier(max_iter=2).fit(frame, [0, 1, 0])
    assert permutation_importance(model, frame, [0, 1, 0]).error >= 0


def test_truth_values_are_categories():
    pandas = pytest.importorskip("pandas")
    assert not Sheet(pandas.DataFrame({"b": [True, False]})).numeric(0)
    assert not Sheet(np.array([[True, "x"], [False, "y"]], dtype=object)).numeric(0)


@pytest.mark.parametrize(
    ("attribute", "words"),
    [
        ("other", "no column is called 'other'; the columns are x0, x1"),
        (2, "there are 2 columns, from 0 to 1; found 2"),
        (-1, "there are 2 columns, from 0 to 1; found -1"),
        (1.0, "a name or a position, found 1.0"),
        (True, "a name or a position, found True"),
    ],
)
def test_an_unknown_attribute_is_named(attribute, words):
    with pytest.raises(InputError, match=words):
        Sheet(np.eye(2)).position(attribute)


def test_a_number_that_is_the_label_of_another_column_is_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1.0, 2.0, 3.0]], columns=[2, 1, 0])
    with pytest.raises(InputError, match="2 may be a label of X or a position"):
        Sheet(frame).position(2)
    assert Sheet(frame).position(1) == Sheet(frame).position("1") == 1
    assert Sheet(frame.rename(columns=str)).position(2) == 2
    assert Sheet(frame.set_axis([0, 1, 2], axis=1)).position(2) == 2


def test_gaps_and_texts_are_no_numbers():
    with pytest.raises(InputError, match="row 1"):
        Sheet(np.array([[1.0], [np.nan]])).numbers(0)
    with pytest.raises(InputError, match="holds no numbers"):
        Sheet(np.array([["a"], ["b"]])).numbers(0)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (csr_matrix(np.eye(2)), r"give X.toarray\(\)"),
        (np.zeros(3), r"rows and columns, .* found shape \(3,\)"),
        (np.zeros((0, 2)), r"rows and columns, .* found shape \(0, 2\)"),
        (np.zeros((2, 0)), r"rows and columns, .* found shape \(2, 0\)"),
    ],
)
def test_what_has_no_rows_and_columns_is_refused(X, words):
    with pytest.raises(InputError, match=words):
        Sheet(X)


def test_a_polars_frame_is_told_what_to_do():
    polars = pytest.importorskip("polars")
    with pytest.raises(InputError, match="to_pandas"):
        Sheet(polars.DataFrame({"a": [1.0, 2.0]}))


def test_names_that_read_alike_are_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="two columns are called '0'"):
        Sheet(pandas.DataFrame({0: [1.0], "0": [2.0]}))


def test_numbers_kept_as_objects_are_numbers():
    pandas = pytest.importorskip("pandas")
    held = {"a": [1.5, 2.5], "b": [np.int64(1), 2], "c": [True, False], "d": [1.5, None], "e": [1j, 2]}
    frame = pandas.DataFrame(held, dtype=object)
    for sheet in (Sheet(frame), Sheet(frame.to_numpy())):
        assert [sheet.numeric(j) for j in range(5)] == [True, True, False, False, False]


def test_what_does_not_print_is_escaped_in_an_error():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError) as raised:
        Sheet(pandas.DataFrame({"\x1b[2Ja": [1.0]})).position("b")
    assert "\x1b" not in str(raised.value)
    assert r"\x1b[2Ja" in str(raised.value)
