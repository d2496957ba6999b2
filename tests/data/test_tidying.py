"""Tidying: what is filled, what is left out and why, what becomes a category, and which groups are one attribute."""

import re
from dataclasses import replace

import numpy as np
import pytest
from tables import number, table

from elicit.data import load, model_of, regrouped, tidying
from elicit.data.tidying import MISSING_LEVEL, stray_position
from elicit.errors import InputError


def test_missing_values_are_filled_by_each_fold_or_become_a_level(tmp_path):
    path = table(
        tmp_path / "t.csv",
        a=lambda k, r: "" if k == 3 else f"{r:.3f}",
        site=lambda k, r: "NA" if k in (5, 6) else "north" if r < 0.5 else "south",
        y=lambda k, _: "" if k == 7 else str(k % 2),
    )
    data = load(str(path), "y", tidy=True)
    assert data.X.shape[0] == 59
    assert data.missing
    assert np.isnan(data.X[3, 0])
    assert f"site={MISSING_LEVEL}" in data.groups["site"]
    assert not np.isnan(data.X[:, 1:]).any()
    assert [note.partition(" ")[0] for note in data.notes] == ["left", "'a'", "'site'"]
    model = model_of("knn:3", data.classes, data.missing).fit(data.X, data.y)
    assert model.steps[0][0] == "simpleimputer"
    with pytest.raises(InputError, match="expected a value"):
        load(str(path), "y")


def test_a_column_of_numbers_that_holds_something_else_is_said_to_be_categories(tmp_path):
    path = table(
        tmp_path / "t.csv",
        a=number,
        dash=lambda k, _: "-" if k == 3 else str(k % 5),
        far=lambda k, _: "inf" if k == 3 else str(k % 5),
        comma=lambda k, _: f"{k % 3},5" if k % 4 else "1",
        half=lambda k, _: f"{k % 3},5",
        year=lambda k, _: f"202{k % 4}_1",
        site=lambda k, _: "n" if k % 2 else "7",
    )
    data = load(str(path), "y", tidy=True)
    assert set(data.groups) == {"dash", "far", "comma", "half", "year", "site"}
    assert "'dash' is taken as 6 categories: '-' is no number" in data.notes
    assert "'far' is taken as 6 categories: 'inf' is no number" in data.notes
    for name, count in (("comma", 4), ("half", 3)):
        note = f"{name!r} is taken as {count} categories: '0,5' is no number; write decimals with a point"
        assert note in data.notes
    assert not any("year" in note or "site" in note for note in data.notes)  # texts, as anybody would say


def test_what_says_nothing_is_left_out_and_told(tmp_path):
    path = table(
        tmp_path / "t.csv",
        a=number,
        same=lambda *_: "3",
        empty=lambda *_: "",
        name=lambda k, _: f"person {k}",
    )
    data = load(str(path), "y", tidy=True)
    assert data.columns == ("a",)
    text = "\n".join(data.notes)
    assert "'same' is left out: it is constant" in text
    assert "'empty' is left out" in text
    assert "'name' is left out: 60 different texts in 60 rows" in text


@pytest.mark.parametrize("tidy", [False, True])
def test_group_labels_may_not_be_missing_even_where_gaps_are_filled(tmp_path, tidy):
    table(tmp_path / "t.csv", a=number, site=lambda k, _: "north" if k else "")
    with pytest.raises(InputError, match="line 2: 'site' is empty, expected a value; fill it"):
        load(str(tmp_path / "t.csv"), "y", tidy=tidy, group_col="site")


@pytest.mark.parametrize("gap", ["?", "null", "#N/A", "None"])
def test_a_group_label_that_stands_for_a_missing_one_is_none_where_data_are_tidied(tmp_path, gap):
    table(tmp_path / "t.csv", a=number, site=lambda k, _: gap if k == 3 else f"north{k % 3}")
    with pytest.raises(InputError, match=rf"line 5: 'site' is {re.escape(gap)}, expected a value; fill it, or remove"):
        load(str(tmp_path / "t.csv"), "y", tidy=True, group_col="site")
    assert set(load(str(tmp_path / "t.csv"), "y", group_col="site").together) == {gap, "north0", "north1", "north2"}


def test_a_text_among_twenty_values_is_one_of_them_and_among_more_it_is_astray():
    twenty = [*map(str, range(19)), "x"]
    assert stray_position(twenty, commas=False) is None
    assert stray_position(["19", *twenty], commas=False) == 20


def test_dates_and_decimal_commas_are_left_out_as_what_they_look_like(tmp_path):
    path = table(
        tmp_path / "t.csv",
        a=number,
        day=lambda k, _: f"2021-{k // 28 + 1:02}-{k % 28 + 1:02}",
        time=lambda k, _: f"{k % 28 + 1}.{k // 28 + 1}.2021 12:30" if k else "",
        comma=lambda k, r: f"1.{k:03},{r:.3f}".replace(",0.", ",") if k else "12",
        price=lambda _, r: f"{r:.4f}".replace(".", ","),
        person=lambda k, _: f"2021-{k}",
    )
    data = load(str(path), "y", tidy=True)
    assert data.columns == ("a",)
    assert data.notes == (
        "'day' is left out: it looks like dates; turn it into numbers, such as days",
        "'time' is left out: it looks like dates; turn it into numbers, such as days",
        "'comma' is left out: it holds numbers with a decimal comma; write them with a point",
        "'price' is left out: it holds numbers with a decimal comma; write them with a point",
        "'person' is left out: 60 different texts in 60 rows look like names",
    )


@pytest.mark.parametrize(
    ("different", "rows", "kept"), [(20, 21, True), (21, 41, False), (21, 42, True), (40, 79, False), (40, 80, True)]
)
@pytest.mark.parametrize("text", ["{:02}.5%", "€{:02}.8", "2024-01-{:02}", "1,1{:02}", "name {}"])
def test_more_than_twenty_texts_in_fewer_than_twice_as_many_rows_are_left_out_and_fewer_are_categories(
    text, different, rows, kept
):
    column = tidying.tidy_column("c", [text.format(k % different) for k in range(rows)])
    assert (column.block is not None, len(column.levels)) == ((True, different) if kept else (False, 0))
    assert kept or column.note.startswith("'c' is left out: ")


def test_numbers_with_signs_are_left_out_as_what_they_are(tmp_path):
    table(tmp_path / "t.csv", a=number, b=lambda k, r: f"{k}.{9 * r:.0f}%", c=lambda k, r: f"${k}.{9 * r:.0f}")
    notes = load(str(tmp_path / "t.csv"), "y", tidy=True).notes
    assert [note.partition(", as in ")[0] for note in notes] == [
        "'b' is left out: it holds numbers with signs or blanks",
        "'c' is left out: it holds numbers with signs or blanks",
    ]


@pytest.mark.parametrize("written", ["{} 000", "{}\u202f000", "{}'000,5", "−{}.5"])
def test_numbers_with_blanks_and_printed_signs_are_no_names(tmp_path, written):
    table(tmp_path / "t.csv", a=number, b=lambda k, _: written.format(k + 1))
    (note,) = load(str(tmp_path / "t.csv"), "y", tidy=True).notes
    assert note.startswith("'b' is left out: it holds numbers with signs or blanks, as in ")


@pytest.mark.parametrize("mark", ["-", "<0.5", "."])
def test_numbers_among_which_texts_stand_often_are_said_to_be_such(tmp_path, mark):
    cells = {"a": number, "b": lambda k, r: mark if k % 4 == 1 else "x" if k == 7 else f"{r:.4f}"}
    table(tmp_path / "t.csv", **cells)
    told = f"it holds numbers, but also {mark!r}; correct that, or leave it empty"
    assert load(str(tmp_path / "t.csv"), "y", tidy=True).notes == (f"'b' is left out: {told}",)
    (tmp_path / "t.csv").write_text((tmp_path / "t.csv").read_text().replace(",", ";").replace(".", ","))
    told = told.replace("<0.5", "<0,5").replace("'.'", "','")
    assert load(str(tmp_path / "t.csv"), "y", tidy=True).notes[0] == f"'b' is left out: {told}"


def test_so_many_texts_that_their_columns_would_fill_the_memory_are_not_made_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(tidying, "MOST_CODED", 60 * 26)
    table(tmp_path / "t.csv", a=number, few=lambda k, _: f"u{k % 25}", user=lambda k, _: f"u{k % 27}")
    told = "27 different texts in 60 rows are too many for a 0/1 column each; join them into fewer"
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    assert data.notes == (f"'user' is left out: {told}",)
    assert set(data.groups) == {"few"}
    with pytest.raises(InputError, match=rf"t\.csv: in the column 'user', {re.escape(told)}, or drop it"):
        load(str(tmp_path / "t.csv"), "y")
    assert set(load(str(tmp_path / "t.csv"), "y", dropped=["user"]).groups) == {"few"}


def test_texts_of_several_columns_that_together_would_fill_the_memory_are_refused(tmp_path, monkeypatch):
    table(tmp_path / "t.csv", a=number, few=lambda k, _: f"u{k % 9}", some=lambda k, _: f"v{k % 12}")
    for tidy in (True, False):
        monkeypatch.setattr(tidying, "MOST_CODED", 60 * 22)  # a, and 21 texts
        assert load(str(tmp_path / "t.csv"), "y", tidy=tidy).X.shape == (60, 22)
        monkeypatch.setattr(tidying, "MOST_CODED", 60 * 22 - 1)
        with pytest.raises(
            InputError, match=r"t\.csv: a 0/1 column for each of 21 texts .*: the most, 12, are in 'some'"
        ):
            load(str(tmp_path / "t.csv"), "y", tidy=tidy)


def test_few_dates_and_numbers_with_signs_are_categories_and_a_note_says_what_they_look_like(tmp_path):
    table(
        tmp_path / "t.csv",
        a=number,
        day=lambda k, _: f"2021-01-{k % 28 + 1:02}",
        share=lambda k, _: f"{k % 5}0%",
        size=lambda k, _: "SML"[k % 3],
        version=lambda k, _: f"3.{k % 4}.1",
        due=lambda k, _: ("2021-01-01", "soon", "later")[k % 3],
    )
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    assert set(data.groups) == {"day", "share", "size", "version", "due"}
    assert data.notes == (
        "'day' is taken as 28 categories: it looks like dates; turn it into numbers, such as days",
        "'share' is taken as 5 categories: it holds numbers with signs or blanks, as in '00%'; write the numbers alone",
    )


def test_groups_join_columns_and_texts_into_one_attribute(tmp_path):
    path = table(tmp_path / "t.csv", a=number, b=number, site=lambda k, _: "nsw"[k % 3])
    data = regrouped(load(str(path), "y", tidy=True), {"place": ["a", "site"]})
    assert data.groups == {"place": ("a", "site=n", "site=s", "site=w")}
    with pytest.raises(InputError, match="did you mean 'a'"):
        regrouped(data, {"g": ["aa"]})
    with pytest.raises(InputError, match="'place' already"):
        regrouped(data, {"place": ["b"]})
    with pytest.raises(InputError, match="'g' names 'same', which is left out of the data; take it out of the group"):
        regrouped(replace(data, left_out={"same": ""}), {"g": ["b", "same"]})
    texts = replace(data, columns=(*data.columns[:-1], "c=r"), groups={"c": ("c=r",)})
    with pytest.raises(
        InputError, match="'h' names 'c', which is in a group already; a column may be in one group only"
    ):
        regrouped(texts, {"g": ["c"], "h": ["c"]})
    with pytest.raises(InputError, match="'g' names 'cc', which is no attribute; did you mean 'c'"):
        regrouped(texts, {"g": ["cc"]})


@pytest.mark.parametrize(("columns", "alone"), [(5, True), (6, False)])
def test_gaps_in_many_columns_are_told_in_one_note_that_names_them_all(tmp_path, columns, alone):
    def with_gaps(j):
        return lambda k, r: "" if k <= j else f"{r:.4f}"

    path = table(
        tmp_path / "t.csv",
        **{f"c{j}": with_gaps(j) for j in range(columns)},
        empty=lambda *_: "",
        text=lambda k, _: "" if k < 3 else "uv"[k % 2],
        gone=with_gaps(9),
    )
    data = load(str(path), "y", tidy=True, dropped=["gone"])  # no model sees it
    notes = [note for note in data.notes if note.endswith(tidying.FILLED)]
    assert len(notes) == (columns if alone else 1)
    assert set(data.notes) - set(notes) == {
        "'empty' is left out: it is empty",
        "'text' has 3 missing values, a level of its own",
    }
    if not alone:
        counted = ", ".join(f"'c{j}' ({j + 1})" for j in range(columns))
        assert notes == [f"{columns} columns have missing values, {counted}{tidying.FILLED}"]


def test_one_text_beside_gaps_is_a_category_and_one_number_is_told_to_be_no_constant(tmp_path):
    rows = "".join(f"{k},{'yes' * (k % 3 > 0)},{'1' * (k % 3 > 0)},yes,,{'ab'[k % 2]}\n" for k in range(30))
    (tmp_path / "t.csv").write_text(f"a,smoker,flag,same,nothing,y\n{rows}")
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    assert data.columns == ("a", "smoker=(missing)", "smoker=yes")
    assert data.X[:4, 1:].tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert data.notes == (
        "'smoker' has 10 missing values, a level of its own",
        "'flag' is left out: it is '1' or missing; where a gap stands for another value, write that",
        "'same' is left out: it is constant",
        "'nothing' is left out: it is empty",
    )


@pytest.mark.parametrize("gap", ["?", "N/A", "NULL", "none", "#NA"])
def test_read_strictly_a_mark_of_a_gap_among_numbers_is_one_and_among_texts_a_category(tmp_path, gap):
    rows = "".join(f"{gap if k == 3 else k},{gap if k == 3 else 'uv'[k % 2]},{'ab'[k % 2]}\n" for k in range(12))
    (tmp_path / "t.csv").write_text(f"m,kind,y\n{rows}")
    with pytest.raises(
        InputError, match=rf"line 5: 'm' is {re.escape(gap)}, expected a value; fill it, remove the row"
    ):
        load(str(tmp_path / "t.csv"), "y")
    assert len(load(str(tmp_path / "t.csv"), "y", dropped=["m"]).groups["kind"]) == 3
