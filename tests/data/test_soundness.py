"""Soundness: what may mislead a choice of attributes is told in a line, and what may not is not."""

from itertools import combinations

import numpy as np
import pytest
from tables import number, table

from elicit.data import Data, load
from elicit.data.soundness import correlations, warnings_about


def test_columns_far_from_zero_are_correlated_whatever_stands_beside_them():
    noise = np.random.default_rng(0).normal(size=(3, 80))
    at = 1.7e12 + 1000.0 * np.arange(80)
    alike = np.column_stack([at + noise[0], at + noise[1], noise[2], np.full(80, 0.1) * (1 + 1e-16 * noise[0])])
    ((_, table),) = correlations(alike)
    assert table[0, 1] > 0.99
    assert np.abs(table[:3, 2:]).max(where=~np.eye(3, 2, k=-2, dtype=bool), initial=0.0) < 0.4
    ((_, alone),) = correlations(alike[:, :2])
    assert table[0, 1] == pytest.approx(alone[0, 1])


def test_warnings_name_what_may_mislead():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    X = np.column_stack(
        [rng.permutation(200.0 + np.arange(200)), x, -2 * x + 0.01 * rng.normal(size=200), rng.normal(size=200)]
    )
    y = np.array([0] * 190 + [1] * 10)
    found = list(warnings_about(Data(X, y, ("key", "x", "twice", "z"))))
    assert len(found) == 3
    assert "'key' looks like the number of a row" in found[0]
    assert "class '1' has 10 of 200 rows" in found[1]
    assert "balanced_accuracy" in found[1]
    assert "'x' and 'twice' are correlated (-1.00)" in found[2]
    assert list(warnings_about(Data(X, y, ("key", "x", "twice", "z")), "accuracy")) == found  # asked for by its name
    assert not any("accuracy hardly" in w for w in warnings_about(Data(X, y, tuple("abcd")), "roc_auc"))
    assert list(warnings_about(Data(X[:, 3:], y[::-1] * 0 + np.arange(200) % 2, ("z",)))) == []


def test_a_class_that_lies_in_one_group_is_told():
    X, y = np.random.default_rng(0).normal(size=(12, 1)), np.array(list("abcabcababcc"))
    together = np.array([1, 2, 3, 2, 1, 3, 1, 2, 1, 2, 3, 3])
    (found,) = warnings_about(Data(X, y, ("x",), together=together))
    assert found.startswith("class 'c' is in one group only, so no fold can both learn and test it")
    assert list(warnings_about(Data(X, y, ("x",), together=np.arange(12) % 4))) == []
    (found,) = warnings_about(Data(X, y, ("x",), together=y))
    assert found.startswith("3 classes are each in one group only")
    assert list(warnings_about(Data(X, np.arange(12.0), ("x",), together=together, holds="numbers"))) == []


@pytest.mark.parametrize(
    ("code", "values", "told"),
    [
        (-999, [0.5, 1.5, 2.5], True),
        (-9, [0, 1, 4], True),
        (9999, [-3.5, 0, 7], True),
        (99, [90, 95, 98], False),
        (-99, [-150, 0, 20], False),
        (-1, [0, 0.1, 0.2], False),
        (9, [0, 1, 2], False),
    ],
)
def test_a_code_far_from_all_other_numbers_is_pointed_out(code, values, told):
    column = np.array([*values * 8, code, code, np.nan])
    other = np.arange(len(column)) % 5.0
    words = (
        f"is {code} in 2 of {{}} rows, far from its other values; if that stands for a missing value, leave it empty"
    )
    found = list(warnings_about(Data(np.column_stack([column, other]), other % 3, ("a", "b"), holds="classes")))
    assert [line for line in found if "far from" in line] == [f"'a' {words.format(27)}"] * told
    found = list(warnings_about(Data(other[:26, None], column[:26], ("b",), holds="numbers")))
    assert [line for line in found if "far from" in line] == [f"the target {words.format(26)}"] * told


@pytest.mark.parametrize(("columns", "alone"), [(5, True), (6, False)])
def test_a_code_in_many_columns_is_pointed_out_once(columns, alone):
    rng = np.random.default_rng(0)
    X, names = rng.random((40, columns + 1)), [f"c{k}" for k in range(columns + 1)]
    for k in range(columns):
        X[: k + 1, k] = -999
    X[0, columns] = 9999
    found = [line for line in warnings_about(Data(X, np.arange(40) % 2, tuple(names))) if "far from" in line]
    assert f"'c{columns}' is 9999 in 1 of 40 rows" in "".join(found)
    assert len(found) == 1 + (columns if alone else 1)
    if not alone:
        counted = ", ".join(f"'c{k}' ({k + 1})" for k in range(columns))
        assert f"{columns} columns hold -999, far from their other values, {counted}; if that stands" in found[-1]


def test_what_is_the_target_in_other_words_is_pointed_out(tmp_path):
    columns = {
        "a": lambda k, _: k % 5,
        "code": lambda k, _: (7, 3, 5)[k % 3],
        "text": lambda k, _: ("u", "w", "v")[k % 3],
        "nearly": lambda k, _: (7, 3, 5)[k % 3] if k else 3,
        "two": lambda k, _: int(k % 3 > 0),
        "finer": lambda k, _: k % 6,
    }
    of_classes = load(str(table(tmp_path / "t.csv", **columns, y=lambda k, _: "abc"[k % 3])), "y")
    found = [line for line in warnings_about(of_classes) if "by itself" in line]
    assert [line.partition(" tells the target of every row by itself; leave it out")[0] for line in found] == [
        "'code'",
        "'text'",
    ]
    inches = {"a": number, "inches": lambda k, _: f"{k**1.5 / 2.54:.3f}", "near": lambda k, r: k**1.5 + 40 * r}
    of_numbers = load(str(table(tmp_path / "n.csv", **inches, y=lambda k, _: k**1.5)), "y")
    assert [line[:8] for line in warnings_about(of_numbers) if "by itself" in line] == ["'inches'"]


def test_correlations_are_over_the_rows_in_which_both_are_known():
    x = np.arange(50.0) ** 1.5
    X = np.column_stack([x, 2 * x])
    X[::7, 0] = np.nan
    assert "correlated (+1.00)" in next(iter(warnings_about(Data(X, np.arange(50.0) % 7, ("a", "b")))))


@pytest.mark.parametrize("at_once", [1, 13, 10**6])
def test_correlations_are_those_of_pandas(at_once, monkeypatch):
    import pandas as pd

    def table(X):
        """Above the diagonal, of which a part comes at a time."""
        found = np.zeros((X.shape[1], X.shape[1]))
        for first, part in correlations(X):
            found[first : first + len(part), first:] = part
        return np.triu(found)

    monkeypatch.setattr("elicit.data.soundness.MOST_AT_ONCE", at_once)
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 6)) @ rng.normal(size=(6, 6)) + 1e3
    X[rng.random(X.shape) < 0.2] = np.nan
    assert np.allclose(table(X), np.triu(pd.DataFrame(X).corr().to_numpy()))
    assert (table(np.ones((5, 2))) == 0).all()
    assert np.allclose(table(X * 1e300), table(X))


@pytest.mark.parametrize("at_once", [1, 10**6])
def test_the_strongest_of_many_correlated_pairs_are_named_and_the_others_counted(at_once, monkeypatch):
    monkeypatch.setattr("elicit.data.soundness.MOST_AT_ONCE", at_once)
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = np.column_stack([x + size * rng.normal(size=200) for size in (0.0, 0.2, 0.15, 0.1, 0.01)])
    found = list(warnings_about(Data(X, rng.normal(size=200), tuple("abcde"))))
    r = np.corrcoef(X.T)
    pairs = sorted(combinations(range(5), 2), key=lambda pair: -abs(r[pair]))
    assert [line[:11] for line in found[:3]] == [f"{'abcde'[a]!r} and {'abcde'[b]!r}" for a, b in pairs[:3]]
    assert found[3:] == ["and 7 more pairs of attributes are correlated beyond 0.95"]


@pytest.mark.parametrize("tidy", [True, False])
def test_texts_that_differ_in_capital_letters_alone_are_told(tmp_path, tidy):
    rows = "".join(
        f"{k},{['Yes', 'no', 'yes'][k % 3]},{['u', 'v'][k % 2]},{['ill', 'Ill'][k % 2]}\n" for k in range(30)
    )
    (tmp_path / "t.csv").write_text(f"a,smoker,kind,y\n{rows}")
    data = load(str(tmp_path / "t.csv"), "y", tidy=tidy)
    assert [note for note in data.notes if "capital" in note] == [
        "'smoker' holds 'Yes' and 'yes', which differ in capital letters alone"
    ]
    warned = [warning for warning in warnings_about(data) if "capital" in warning]
    told = "the target holds 'Ill' and 'ill', which differ in capital letters alone"
    assert warned == [f"{told}; write them alike if they are one class"]
