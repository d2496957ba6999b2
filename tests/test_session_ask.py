"""elicit ask: data from the wild, what is done with it, what is warned about, and every option."""

import csv
import gzip
import io
import os
import re
import sys
import time
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from journals import truth

from elicit import complete
from elicit.cli import main
from elicit.commands import chosen_data
from elicit.commands.ask import CLASSIFIER, REGRESSOR
from elicit.commands.session import begun_at
from elicit.data import Data, load, model_of, regrouped, tidying
from elicit.data.cells import SEPARATORS, cells_and_blanks_of, cells_of, pairs_of, points_elsewhere
from elicit.data.soundness import correlations, warnings_about
from elicit.data.tidying import MISSING_LEVEL, stray_position
from elicit.errors import InputError
from elicit.events import Asked, Evaluated
from elicit.journal import Journal, read
from elicit.scores.registry import score_named
from elicit.sessions import begin, elicitation_of


def table(path, rows=60, seed=0, **columns):
    """A CSV file of the named columns, each a function of the row and a random number, with the target y."""
    rng = np.random.default_rng(seed)
    columns = columns or {"a": lambda _, r: f"{r:.3f}", "b": lambda k, _: f"{k % 5}"}
    columns.setdefault("y", lambda k, _: "yes" if k % 2 else "no")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for k in range(rows):
            writer.writerow([column(k, rng.random()) for column in columns.values()])
    return path


def number(k, r):  # noqa: ARG001  # a column's signature
    return f"{r:.4f}"


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Run the command with answers from a pipe: status, output, complaint."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, answers=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        try:
            status = main(["ask", *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


SMALL = ("--target", "y", "--folds", 3, "--budget", 4, "--questions", 1, "--journal", "j")


@pytest.mark.parametrize(("terminal", "seconds", "told"), [(True, 0.05, True), (True, 60, False), (False, 0.05, False)])
@pytest.mark.parametrize(
    ("place", "read"),
    [
        pytest.param("elicit.commands.ask.load", load, id="at the start"),
        pytest.param("elicit.sources.snippet.cells_and_blanks_of", cells_and_blanks_of, id="for the code at the end"),
    ],
)
def test_a_terminal_hears_of_a_file_that_takes_long_to_read(
    ask, tmp_path, monkeypatch, place, read, terminal, seconds, told
):
    def slowly(*arguments, **options):
        time.sleep(0.5)
        return read(*arguments, **options)

    table(tmp_path / "d\x1b.csv")
    monkeypatch.setattr(place, slowly)
    monkeypatch.setattr(chosen_data, "_SECONDS_OF_SILENCE", seconds)
    monkeypatch.setattr(sys, "stderr", screen := io.StringIO())
    monkeypatch.setattr(screen, "isatty", lambda: terminal)
    status, out, _ = ask("d\x1b.csv", *SMALL)
    assert status == 0
    assert "reading" not in out
    shown = r"reading d\x1b.csv, time left unknown" + "\x1b[K"
    assert (shown in screen.getvalue()) is told
    assert not told or screen.getvalue().partition(shown)[2].startswith("\r\x1b[K")  # wiped, once it is read


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


@pytest.mark.parametrize(
    ("header", "columns"),
    [('5","h;i",y', ('5"', "h;i")), ('"a;b";"c,d";y', ("a;b", "c,d")), ('a,"b;c;d",y', ("a", "b;c;d"))],
)
def test_a_comma_that_parts_the_header_is_the_separator_whatever_stands_in_quotes(tmp_path, header, columns):
    mark = ";" if header.endswith(";y") else ","
    (tmp_path / "t.csv").write_text("\n".join([header, *(mark.join(f"{k}{k}{k % 2}") for k in range(8))]))
    assert load(str(tmp_path / "t.csv"), "y").columns == columns


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_a_mark_within_a_name_and_every_cell_parts_less_than_the_commas_do(tmp_path, mark):
    rows = "".join(f"{k},x{mark}{k % 3},{k / 7},{'ab'[k % 2]}\n" for k in range(30))
    (tmp_path / "t.csv").write_text(f"age,tags (a{mark}b),dose,y\n{rows}")
    assert load(str(tmp_path / "t.csv"), "y").columns[0] == "age"
    assert tuple(load(str(tmp_path / "t.csv"), "y").groups) == (f"tags (a{mark}b)",)


@pytest.mark.parametrize("named", ["", "sep=;\n", '"SEP=;"\n'])
@pytest.mark.parametrize("point", [",", "."])
def test_a_comma_in_a_name_parts_nothing_where_the_rows_are_parted_otherwise(tmp_path, named, point):
    rows = "".join(f"{k}{point}5;{k % 7}{point}25;{'ab'[k % 2]}\n" for k in range(30))
    (tmp_path / "t.csv").write_text(f"{named}Länge, mm;Breite, mm;Art\n{rows}", encoding="utf-8")
    data = load(str(tmp_path / "t.csv"), "Art", tidy=True)
    assert data.columns == ("Länge, mm", "Breite, mm")
    assert data.X[:2].tolist() == [[0.5, 0.25], [1.5, 1.25]]


@st.composite
def written_cells(draw):
    """The text of a CSV file, its separator, whether that is named, and the rows with the lines where they begin."""
    mark, named = draw(st.sampled_from(SEPARATORS)), draw(st.booleans())
    letters = st.text('ab "\n' + (",;|\t" if named else ""), max_size=3)
    width = draw(st.integers(2, 4))
    names = draw(st.lists(letters.filter(str.strip), min_size=width, max_size=width, unique_by=str.strip))
    rows = draw(st.lists(st.lists(letters, min_size=width, max_size=width), min_size=1, max_size=4))
    text, lines = (f"sep={mark}\n" if named else ""), []
    for row in (names, *rows):
        text += "\n" * draw(st.integers(0, 1))
        lines.append(text.count("\n") + 1)
        file = io.StringIO()
        csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(row)
        text += file.getvalue()
    return text, mark, names, rows, lines


@given(written_cells())
def test_cells_come_back_as_they_were_written_each_row_with_its_line(tmp_path_factory, case):
    text, mark, names, rows, lines = case
    path = tmp_path_factory.mktemp("cells") / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    cells, blanks = cells_and_blanks_of(path)
    assert (cells.separator, cells.commas) == (mark, {})
    assert cells.header == [name.strip() for name in names]
    assert cells.rows == [[cell.strip() for cell in row] for row in rows]
    assert [cells.top, *cells.lines] == lines
    columns = zip(names, *rows, strict=True)
    assert blanks.padded == {name.strip() for name, *column in columns if any(cell != cell.strip() for cell in column)}
    assert blanks.spaced or cells.header == names
    known = [names[0], "c"]
    found, separator = pairs_of(path, known)
    if mark == separator:
        every = zip([names, *rows], lines, strict=True)
        assert found == [(told, at) for row, at in every if any(told := [cell.strip() for cell in row])]


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a;1\nb;2\n", ";"),
        ("a|1\nb|2\n", "|"),
        ("x;1,a;2\na,1;5\n", ","),  # a pair whose name is known
        ("a;1,5\nb;2,5\n", ";"),  # pairs either way: of one of them the names are known
        ("1,a;5\n2,b;6\n", ";"),  # and by neither: the first mark of all
        ("a 1\n", ","),
    ],
)
def test_names_and_numbers_are_parted_where_most_pairs_and_names_are_found(tmp_path, text, separator):
    (tmp_path / "c.csv").write_text(text)
    assert pairs_of(tmp_path / "c.csv", ["a", "b"])[1] == separator


def test_a_name_that_holds_a_separator_is_not_parted_by_it(tmp_path):
    (tmp_path / "c.csv").write_text("x;y,1\nz;y,2\n")
    assert pairs_of(tmp_path / "c.csv", ["x;y", "z;y"])[1] == ","


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


def test_a_quote_after_a_space_opens_a_cell(tmp_path):
    (tmp_path / "t.csv").write_text('a, name\n1, "Smith, J"\n')
    assert cells_of(tmp_path / "t.csv").rows == [["1", "Smith, J"]]


def test_a_text_among_twenty_values_is_one_of_them_and_among_more_it_is_astray():
    twenty = [*map(str, range(19)), "x"]
    assert stray_position(twenty, commas=False) is None
    assert stray_position(["19", *twenty], commas=False) == 20


@pytest.mark.parametrize(
    ("rows", "elsewhere"),
    [
        (["1,5;2.5;a", "2,5;3;b"], True),
        (["1,5;2;a.b", "2,5;3;b"], False),  # a text is no number
        (["1,5;NA;a", "2,5;3.5;b"], True),  # what is missing does not count
        (["1,5;x;a", "2,5;3.5;b"], False),
        (["1,5;2;a", "2,5;3;b"], False),
    ],
)
def test_points_count_in_columns_of_numbers_that_have_no_comma(tmp_path, rows, elsewhere):
    (tmp_path / "t.csv").write_text("\n".join(["p;q;r", *rows]))
    cells = cells_of(tmp_path / "t.csv")
    assert cells.commas == {"p": "1,5"}
    assert points_elsewhere(cells) == elsewhere


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "t.csv: the file is empty; expected a header and one row a case"),
        ("\n\n", "t.csv: the file is empty"),
        ("a,b,\n1,2,3\n", "t.csv, line 1: column 3 has no name; name every column"),
        ("\na, ,c\n1,2,3\n", "t.csv, line 2: column 2 has no name"),
        ("a,b,a,a\n1,2,3,4\n", "t.csv, line 1: the column 'a' occurs 3 times; rename one"),
        ("a, a\n1,2\n", "t.csv, line 1: the column 'a' occurs 2 times"),
        ("sep=;\na;b\n", "t.csv, line 2: no row follows the header; add one row a case"),
        ("a,b\n1,2,3\n", "t.csv, line 2: with ',' between cells the header has 2 columns, this line 3 cells"),
        (
            'a,b\n1,2\n"3,4\n5,6\n',
            "t.csv, line 3: with ',' between cells the header has 2 columns, this line 1 cell; "
            "correct it, or close the quote that opens here",
        ),
    ],
)
def test_a_file_without_a_header_or_a_row_is_refused_by_its_line(tmp_path, text, told):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        cells_of(tmp_path / "t.csv")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "text", ["a;y;;\n1;2;;\n3;4; ;\n", "a;y;\n1;2;\n3;4;\n;;\n", "a;y;;\n1;2\n3;4;;\n", "a;y; \n1;2;\n3;4;\n"]
)
def test_last_columns_without_a_name_and_a_cell_are_none(tmp_path, text):
    import pandas as pd

    (tmp_path / "t.csv").write_text(text)
    cells = cells_of(tmp_path / "t.csv")
    assert cells.header == ["a", "y"]
    assert cells.rows[:2] == [["1", "2"], ["3", "4"]]
    assert cells_and_blanks_of(tmp_path / "t.csv")[1].written == {"a": "a", "y": "y"}
    assert load(str(tmp_path / "t.csv"), "y", tidy=True).columns == ("a",)
    assert pd.read_csv(tmp_path / "t.csv", sep=";")[["a", "y"]].dropna().to_numpy().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("text", ["a;;y\n1;;2\n", "a;y;\n1;2;3\n", "a;y;\n1;2;;\n", ";;\n1;2;3\n"])
def test_other_columns_without_a_name_are_refused(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=r"line 1: column [123] has no name; name every column"):
        cells_of(tmp_path / "t.csv")


def test_a_folder_is_no_file_and_the_reason_is_told_without_numbers(tmp_path):
    with pytest.raises(InputError, match=r": cannot be read \([A-Z][a-z ]+\); check the file$"):
        cells_of(tmp_path)


def test_a_line_that_names_the_separator_is_counted_and_obeyed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sep=|\na;b|y\n1|2\n1;2|3|4\n")
    with pytest.raises(
        InputError, match=r"t\.csv, line 4: with '\|' between cells the header has 2 columns, this line 3"
    ):
        load(str(path), "y")
    path.write_text("sep=\t\n\na,b;c\ty\n1\t2\n")
    assert load(str(path), "y").columns == ("a,b;c",)
    with pytest.raises(InputError, match=r"t\.csv, line 3: no column is called 'z'"):
        load(str(path), "z")
    path.write_text("sep=;\n")
    with pytest.raises(InputError, match=r"t\.csv: the file is empty"):
        load(str(path), "y")


def test_where_no_separator_fits_it_is_said_which_was_taken_and_where_it_does_not(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a, x;b;y\n1;"2\n3";4\n\n5;6\n7;8;9\n')
    told = r"t\.csv, line 5: with ';' between cells the header has 3 columns, this line 2 cells; correct it"
    with pytest.raises(InputError, match=told):
        load(str(path), "y")
    path.write_text("a\ty\n1\t2\n3\n")
    with pytest.raises(InputError, match=r"t\.csv, line 3: with a tab between cells"):
        load(str(path), "y")


def test_a_wide_file_parted_by_tabs_is_not_one_long_cell(tmp_path):
    names = [f"a_gene_with_number_{k}" for k in range(9000)]
    (tmp_path / "t.tsv").write_text("".join("\t".join(row) + "\n" for row in ([*names, "y"], ["1"] * 9001)))
    assert load(str(tmp_path / "t.tsv"), "y").columns == tuple(names)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a,y\n1,2\n".encode("utf-16-le"), r"t\.csv, line 1: holds a zero byte, .* save it as CSV in UTF-8"),
        (gzip.compress(b"a,y\n1,2\n1\0,2\n", mtime=0), r"t\.csv, line 3: holds a zero byte"),
        (b'a,b,y\n1,2,3\n1,"2,3\n4,5,6\n', r"t\.csv, line 3: with ',' between cells the header has 3 columns"),
        (
            b"a,y\n1,2\n" + b"3" * 150_000 + b",4\n",
            r"t\.csv, line 3: not a CSV file .*; shorten the cell, or close its",
        ),
    ],
)
def test_what_is_no_table_is_told_by_the_line_where_that_begins(tmp_path, content, told):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=told):
        load(str(tmp_path / "t.csv"), "y")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("closed", ["no", '"no'])
def test_no_row_is_lost_in_a_quote_that_is_not_closed(tmp_path, end, closed):
    lines = [f"{k},{k % 5},no" for k in range(30)]
    lines[6], lines[12] = '6,1,"no', f"12,2,{closed}"
    (tmp_path / "t.csv").write_text(end.join(["a,b,y", *lines, ""]), newline="")
    with pytest.raises(InputError, match=r"t\.csv, line 8: a quote opens here that is not closed at the end of a cell"):
        load(str(tmp_path / "t.csv"), "y")


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


SPREADSHEET = "größe;preis;ort;klasse\n" + "".join(
    f"{k % 7},{k % 10};{'' if k == 4 else k * k % 5};{'nsw'[k % 3]};{'ja' if k % 2 else 'nein'}\n" for k in range(60)
)


@pytest.mark.parametrize("unit", ["cm", "7.25"])
@pytest.mark.parametrize("at", [1, 30, 61])
def test_a_row_of_units_without_a_target_costs_no_column_of_decimal_commas(tmp_path, at, unit):
    lines = SPREADSHEET.splitlines()
    (tmp_path / "t.csv").write_text("\n".join([*lines[:at], f"{unit};EUR;;", *lines[at:]]), encoding="utf-8")
    where = rf"t\.csv, line {at + 1}: column 'größe' holds numbers with a decimal comma, but here '{unit}'; correct it"
    with pytest.raises(InputError, match=where):
        load(str(tmp_path / "t.csv"), "klasse", tidy=True)
    assert "preis" in load(str(tmp_path / "t.csv"), "klasse", tidy=True, dropped=["größe"]).columns
    (tmp_path / "t.csv").write_text("\n".join([*lines[:at], ";;;", *lines[at:]]), encoding="utf-8")
    assert "größe" in load(str(tmp_path / "t.csv"), "klasse", tidy=True).columns


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_a_file_as_a_spreadsheet_writes_it_is_read_with_its_own_marks(tmp_path, mark):
    (tmp_path / "t.csv").write_text(SPREADSHEET.replace(";", mark), encoding="utf-8-sig")
    data = load(str(tmp_path / "t.csv"), "klasse", tidy=True)
    assert data.columns == ("größe", "preis", "ort=n", "ort=s", "ort=w")
    assert data.X[:3, 0].tolist() == [0.0, 1.1, 2.2]
    assert "commas in 'größe' are read as decimal points: '0,0' as 0.0" in data.notes


def test_a_comma_is_no_decimal_mark_where_it_may_mean_something_else(tmp_path):
    rows = "".join(
        f"{k},5;{'1.234' if k == 7 else '12,5'};{k % 9},{k % 3};Smith, {k % 3};{k % 2},5\n" for k in range(60)
    )
    (tmp_path / "t.csv").write_text('"a,b";mixed;pair;name;y\n' + rows.replace(",2;Smith", ",2,1;Smith"))
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    assert data.columns[0] == "a,b"
    assert set(data.groups) == {"pair", "name"}
    assert any(note.startswith("'mixed' is left out: points as in '1.234' may stand between") for note in data.notes)
    assert set(data.y) == {0.5, 1.5}
    assert "commas in 'a,b' and 1 more column are read as decimal points: '0,5' as 0.5" in data.notes
    (tmp_path / "t.csv").write_text(
        "a;y\n" + "".join(f"{'1.234' if k == 7 else f'{k},5'};{k % 2}\n" for k in range(60))
    )
    with pytest.raises(InputError, match=r"line 9: column 'a' holds numbers, but here '1\.234'; correct it"):
        load(str(tmp_path / "t.csv"), "y", tidy=True)


@pytest.mark.parametrize(
    ("cells", "left_out"),
    [
        (["274", "6,240", "3,342"], "3,342"),
        (["-1,234", "7.5", "12,345"], "-1,234"),
        (["6,240,000", "1,234"], "6,240,000"),
        (["1,234.25", "12.5"], "1,234.25"),
        (["6,240", "3,342"], None),  # all alike: the unit is another, and nothing else
        (["0,123", "274"], None),
        (["6,24", "274"], None),
        (["1234", "2,345"], None),  # who parts thousands parts all of them
        (["1000", "2,345"], None),
        (["-1234", "2,345"], None),
    ],
)
def test_commas_that_may_stand_between_thousands_are_not_read_as_decimal_ones(tmp_path, cells, left_out):
    rows = "".join(f"{cells[k % len(cells)]};{k % 7};{k % 2}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("income;b;y\n" + rows)
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    if left_out is None:
        assert data.columns == ("income", "b")
        assert data.X[0, 0] == float(cells[0].replace(",", "."))
        return
    assert data.columns == ("b",)
    told = f"commas as in {left_out!r} may stand between thousands; write numbers without them, decimals with a point"
    assert data.notes == (f"'income' is left out: {told}",)
    with pytest.raises(InputError, match="in the column 'income', commas as in"):
        load(str(tmp_path / "t.csv"), "y")
    assert load(str(tmp_path / "t.csv"), "y", dropped=("income",)).columns == ("b",)


@pytest.mark.parametrize(
    ("cells", "left_out"),
    [
        (["994", "1.961", "288"], "1.961"),
        (["1.234.567", "12"], "1.234.567"),
        (["1.961", "2.288"], None),
        (["0.961", "288"], None),
        (["1961", "2.288"], None),
    ],
)
def test_points_beside_decimal_commas_may_stand_between_thousands(tmp_path, cells, left_out):
    rows = "".join(f"{cells[k % len(cells)]};{k % 7},5;{k % 2}\n" for k in range(60))
    (tmp_path / "t.csv").write_text("income;b;y\n" + rows)
    columns = load(str(tmp_path / "t.csv"), "y", tidy=True).columns
    assert columns == (("income", "b") if left_out is None else ("b",))
    (tmp_path / "t.csv").write_text("income;b;y\n" + rows.replace(",5;", ".5;"))  # no comma is decimal here
    if left_out is None or left_out.count(".") == 1:
        assert load(str(tmp_path / "t.csv"), "y", tidy=True).columns == ("income", "b")


def test_numbers_with_signs_are_left_out_as_what_they_are(tmp_path):
    table(tmp_path / "t.csv", a=number, b=lambda k, r: f"{k}.{9 * r:.0f}%", c=lambda k, r: f"${k}.{9 * r:.0f}")
    notes = load(str(tmp_path / "t.csv"), "y", tidy=True).notes
    assert [note.partition(", as in ")[0] for note in notes] == [
        "'b' is left out: it holds numbers with signs or blanks",
        "'c' is left out: it holds numbers with signs or blanks",
    ]


def test_columns_far_from_zero_are_correlated_whatever_stands_beside_them():
    noise = np.random.default_rng(0).normal(size=(3, 80))
    at = 1.7e12 + 1000.0 * np.arange(80)
    alike = np.column_stack([at + noise[0], at + noise[1], noise[2], np.full(80, 0.1) * (1 + 1e-16 * noise[0])])
    ((_, table),) = correlations(alike)
    assert table[0, 1] > 0.99
    assert np.abs(table[:3, 2:]).max(where=~np.eye(3, 2, k=-2, dtype=bool), initial=0.0) < 0.4
    ((_, alone),) = correlations(alike[:, :2])
    assert table[0, 1] == pytest.approx(alone[0, 1])


def test_a_line_of_blanks_is_a_blank_line(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,0\n   \n2,3,1\n \t \n")
    assert cells_of(tmp_path / "t.csv").rows == [["1", "2", "0"], ["2", "3", "1"]]


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


def test_a_file_whose_names_cannot_be_told_apart_says_which_and_what_to_do(tmp_path):
    (tmp_path / "t.csv").write_text("a,a=u,y\n" + "u,1,0\nv,2,1\n" * 9)
    with pytest.raises(
        InputError, match=r"t\.csv: with a column for each text .*, two are called 'a=u'; rename a column"
    ):
        load(str(tmp_path / "t.csv"), "y", tidy=True)
    (tmp_path / "t.csv").write_text("a b y\n" + "1 1 0\n2 2 1\n" * 9)
    with pytest.raises(InputError, match=r"the only one is 'a b y'; put commas, semicolons, tabs or \| between cells"):
        load(str(tmp_path / "t.csv"), "y")


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


def test_where_nobody_is_asked_the_score_decides(ask, tmp_path):
    """Two attributes are needed together, so that all there is to prefer to the score is a smaller size."""
    rng = np.random.default_rng(0)
    lines = [",".join(map(str, row)) + f",{int(row[0] * row[1] > 0)}\n" for row in rng.normal(size=(80, 4)).round(3)]
    (tmp_path / "t.csv").write_text("a,b,c,d,y\n" + "".join(lines))
    common = ("t.csv", "--target", "y", "--model", "knn:3", "--folds", 5, "--n-jobs", 1)
    status, out, _ = ask(*common, "--questions", 0, "--journal", "none")
    assert status == 0
    measured = [fact for fact in read("none").facts if isinstance(fact, Evaluated)]
    best = min(measured, key=lambda fact: (-fact.criteria[0], fact.criteria[1], fact.subset))
    assert f"recommended: {', '.join(read('none').header.attributes.subset(best.subset))}" in out
    assert "this is a guess" not in out
    assert main(["verify", "none"]) == 0
    assert main(["why", "none"]) == 0
    status, out, _ = ask(*common, "--journal", "left", answers="done\ndone\n")
    assert status == 0
    assert "you preferred none to another, so this is a guess; by score alone it would be" in out


def test_a_session_takes_a_spreadsheet_its_costs_its_drops_and_writes_a_small_one(ask, tmp_path):
    (tmp_path / "t.csv").write_text(SPREADSHEET, encoding="utf-8")
    (tmp_path / "c.csv").write_text("größe;1,5\npreis;2\n", encoding="utf-8")
    options = ("--target", "klasse", *SMALL[2:], "--cost", "c.csv", "--drop", "ort", "--keep", "größe", "-o", "s.csv")
    status, out, _ = ask("t.csv", *options)
    assert status == 0
    assert "60 rows, 2 attributes;" in out
    assert read("j").header.settings["about"]["oracle"]["costs"] == {"größe": 1.5, "preis": 2.0, "ort": 0.0}
    small = (tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()
    assert small[0] in ("größe,klasse", "größe,preis,klasse")
    assert small[2].startswith("1.1,")
    assert main(["resume", "j", "--budget", "+1"]) == 0


def test_a_file_that_is_not_utf_8_says_how_to_save_it(ask, tmp_path):
    (tmp_path / "t.csv").write_text(SPREADSHEET, encoding="latin-1")
    status, out, err = ask("t.csv", "--target", "klasse")
    assert (status, out) == (2, "")
    assert err == "elicit: t.csv: is not text in UTF-8; save it as CSV in UTF-8\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--assume", "linaer"), "linear"),
        (("--criteria", "stabilty"), "did you mean 'stability'"),
        (("--criteria", "cost"), "add --cost FILE"),
        (("--prior", "relieef"), "did you mean 'relief'"),
        (("--keep", '"a'), "correct the quotes"),
        (("--scoring", "accuraci"), "did you mean 'accuracy'"),
    ],
)
def test_what_no_data_could_make_right_is_refused_before_they_are_read(ask, tmp_path, monkeypatch, options, says):
    table(tmp_path / "t.csv")
    monkeypatch.setattr("elicit.commands.ask.load", lambda *_, **__: pytest.fail("the data were read"))
    status, _, err = ask("t.csv", *SMALL, *options)
    assert status == 2
    assert says in err


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


@pytest.mark.parametrize("tidy", [False, True])
def test_the_index_of_a_frame_is_no_attribute(ask, tmp_path, tidy):
    import pandas as pd

    frame = pd.DataFrame({"a": np.arange(60) % 7, "b": np.arange(60) ** 2 % 11, "y": np.arange(60) % 2})
    frame.sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv")
    data = load(str(tmp_path / "t.csv"), "y", tidy=tidy)
    assert data.columns == ("a", "b")
    assert data.notes == ("'Unnamed: 0' is left out: it numbers the rows",)
    (tmp_path / "u.csv").write_text(",a,y\n0.5,1,2\n0.7,2,3\n")
    with pytest.raises(InputError, match="line 1: column 1 has no name; name every column"):
        load(str(tmp_path / "u.csv"), "y", tidy=tidy)
    (tmp_path / "v.csv").write_text("Unnamed: 0,a,y\n0.5,1,2\n0.7,2,3\n")
    assert load(str(tmp_path / "v.csv"), "y", tidy=tidy).columns == ("Unnamed: 0", "a"), "it numbers no rows"
    _, out, _ = ask("t.csv", *SMALL, "-o", "out.csv", answers="done\n")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] in ("a,y", "b,y", "a,b,y")
    snippet = out.partition("with pandas:")[2].partition("out.csv:")[0]
    exec("\n".join(line.strip() for line in snippet.splitlines()), names := {})
    assert set(names["X"].columns) <= {"a", "b"}


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


@pytest.mark.parametrize(("questions", "asked", "reads"), [("3", "at most 3 questions", True), ("0", "nothing", False)])
def test_who_is_asked_nothing_is_not_said_to_read_meanwhile(ask, tmp_path, questions, asked, reads):
    table(tmp_path / "t.csv", a=number, b=number)
    _, out, _ = ask("t.csv", *SMALL, "--questions", questions)
    told = " ".join(out.split())
    assert f"will be evaluated and {asked} asked: roughly" in told
    assert "roughly 0:00 of computing" not in told
    assert ("while you read" in out) == reads


def test_a_session_on_a_file_says_what_was_decided_and_estimates_before_any_work(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=lambda k, r: f"{k % 2 + 0.6 * r:.3f}", same=lambda *_: "1")
    status, out, _ = ask("t.csv", *SMALL, "-o", "small.csv", answers="a\n" * 5)
    assert status == 0, out
    lines = out.splitlines()
    assert lines[0] == "journal: j"
    assert f"60 rows, 3 attributes; the target holds classes; model {CLASSIFIER}, score: accuracy over 3 folds" in out
    assert "note: 'same' is left out: it is constant" in out
    assert out.index("roughly") < out.index("recommended")
    header = (tmp_path / "small.csv").read_text().splitlines()[0].split(",")
    assert header[-1] == "y"
    assert 1 <= len(header) - 1 <= 3
    assert len((tmp_path / "small.csv").read_text().splitlines()) == 61


def test_numbers_get_a_regression_and_every_option_reaches_the_run(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, who=lambda k, _: f"p{k % 6}", y=number)
    (tmp_path / "costs.csv").write_text("attribute,cost\na,1\nbc,2.5\nd,4\n")
    options = (
        "--criteria",
        "stability,neg_max_error",
        "--cost",
        "costs.csv",
        "--keep",
        "a",
        "--max-size",
        2,
        "--groups",
        "bc=b,c",
    )
    status, out, _ = ask(
        "t.csv", *SMALL, *options, "--group-col", "who", "--seed", 3, "--scoring", "r2", answers="a\n" * 9
    )
    assert status == 0
    assert f"model {REGRESSOR}, score: r2" in out
    record = read(tmp_path / "j")
    assert record.header.attributes.names == ("a", "bc", "d")
    assert [c.name for c in record.header.criteria] == ["score", "size", "cost", "neg_max_error", "stability"]
    assert record.header.seed == 3
    assert record.header.settings["family"] == {"keep": ["a"], "drop": [], "max_size": 2}
    measured = [fact for fact in record.facts if isinstance(fact, Evaluated)]
    assert measured
    assert all(fact.subset & 1 for fact in measured)
    assert main(["resume", "j", "--budget", "+1"]) == 0


def test_a_score_as_prior_is_told_and_is_in_force_when_the_session_goes_on(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, y=lambda k, _: k % 2)
    data = load(tmp_path / "t.csv", "y", tidy=True)
    joined = [[0], [1, 2], [3]]
    expected = score_named("relieff").power_index(data.X, data.y, joined, classes=True)
    assert len(set(expected)) == 3  # a tie would not show that the order is right
    status, out, _ = ask("t.csv", *SMALL, "--groups", "bc=b,c", "--prior", "relieff", answers="q\n")
    assert status == 0
    best = ", ".join(("a", "bc", "d")[i] for i in np.argsort(-expected))
    assert f"prior: by relieff most is expected of {best};" in out
    resumed = elicitation_of(read(tmp_path / "j"))
    assert resumed.prior == pytest.approx(expected)
    assert resumed.rows == 60


def test_a_prior_that_takes_no_gaps_names_one_that_does(ask, tmp_path):
    table(tmp_path / "t.csv", a=lambda k, r: "" if k == 7 else number(k, r), b=number)
    _, _, err = ask("t.csv", *SMALL, "--prior", "fisher")
    assert "--prior fisher takes no missing values, and column 'a' has some" in err
    assert "use relieff, or leave --prior out" in err
    assert ask("t.csv", *SMALL, "--prior", "relieff")[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "z"), "no column is called 'z'; the columns are"),
        ((), "--target"),
        (("--target", "y", "--model", "knm:3"), "did you mean 'knn'"),
        (("--target", "y", "--criteria", "spd"), "--criteria knows"),
        (("--target", "y", "--criteria", "recal"), "did you mean 'recall'"),
        (("--target", "y", "--criteria", "stabilty"), "did you mean 'stability'"),
        (("--target", "y", "--criteria", "cost"), "--cost FILE"),
        (("--target", "y", "--cost", "none.csv"), "none.csv: no such file; check the path"),
        (("--target", "y", "--cost", "a=3"), "a=3: no such file; write the costs in a file, one line for each"),
        (("--target", "y", "--cost", "a=3," * 80), "a=3,: no such file; write the costs in a file, one line for each"),
        (("--target", "y", "--cost", "twice.csv"), "twice.csv, line 2: 'a' has a cost already"),
        (("--target", "y", "--cost", "euro.csv"), "euro.csv, line 1: '1 EUR' is no number"),
        (("--target", "y", "--groups", "ab"), "--groups is such as"),
        (("--target", "y", "--groups", "g=a,a"), "the group 'g' names column 'a' twice; take it out once"),
        (("--target", "y", "--keep", "q"), "--keep: unknown attribute 'q'"),
        (("--target", "y", "--prior", "fischer"), "did you mean 'fisher'"),
        (("--target", "y", "--prior", "rrelieff"), "needs a target of numbers"),
        (("--target", "y", "--group-col", "y"), "rows belong together"),
        (("--target", "y", "--folds", "99"), "too few for 99 folds; ask for 30 or fewer (--folds 30"),
        (("--target", "y", "--budget", "0"), "--budget"),
        (("--target", "y", "--journal", ""), "journal '' cannot be opened"),
        (("--target", "y", "-o", "no/folder.csv"), "no/folder.csv: cannot be written"),
        (("--target", "y", "-o", "elicit-t.jsonl"), "elicit-t.jsonl: is read or kept by this command too"),
    ],
)
def test_bad_input_is_one_line_and_makes_no_journal(ask, tmp_path, options, words):
    table(tmp_path / "t.csv")
    (tmp_path / "twice.csv").write_text("a,1\na,100\nb,2\n")
    (tmp_path / "euro.csv").write_text("a,1 EUR\nb,2\n")
    status, out, err = ask("t.csv", *options)
    assert status == 2
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_place_that_takes_no_file_is_refused_before_anybody_is_asked(ask, tmp_path, monkeypatch):
    def closed(dir):
        raise PermissionError(13, f"{dir} is closed")

    table(tmp_path / "t.csv")
    (tmp_path / "there.csv").write_text("a,y\n")
    monkeypatch.setattr(complete.tempfile, "TemporaryFile", closed)
    for place in ("new.csv", "there.csv"):
        status, out, err = ask("t.csv", "--target", "y", "-o", place)
        told = f"elicit: {place}: cannot be written ({tmp_path} is closed); choose another place\n"
        assert (status, out, err) == (2, "", told)
    assert not list(tmp_path.glob("*.jsonl"))


def test_data_that_can_be_read_only_once_are_refused_before_anybody_is_asked(ask, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    status, out, err = ask("pipe", "--target", "y")
    assert (status, out) == (2, "")
    assert "pipe: is a pipe or a device, and a session reads its data again; save a file" in err
    with open(table(tmp_path / "t.csv"), encoding="utf-8") as file:
        status, out, err = ask(f"/dev/fd/{file.fileno()}", "--target", "y")
    assert (status, out) == (2, "")
    assert "is a pipe or a device" in err
    assert not list(tmp_path.glob("*.jsonl"))


def test_advice_is_for_what_can_be_done_here(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, who=lambda k, _: "" if k == 3 else str(k % 5))
    _, _, err = ask("t.csv", "--target", "y", "--group-col", "who")
    assert "line 5: 'who' is empty, expected a value; fill it, or remove the row" in err
    assert "--tidy" not in err
    table(tmp_path / "u.csv", a=number, b=lambda *_: "4", y=number)
    _, _, err = ask("u.csv", "--target", "y")
    assert "'a' is the only attribute" in err
    assert "; 'b' is left out: it is constant" in err


def test_a_file_that_moved_along_with_its_journal_is_found(ask, tmp_path, monkeypatch):
    table(tmp_path / "t.csv", a=number, b=number)
    assert ask("t.csv", *SMALL)[0] == 0
    (tmp_path / "away").mkdir()
    for name in ("t.csv", "j"):
        (tmp_path / name).rename(tmp_path / "away" / name)
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n" * 5))
    assert main(["resume", "away/j"]) == 0


def test_answers_that_a_linear_trade_off_cannot_give_are_told_at_the_end(ask):
    arguments = ("wine", "--budget", 25, "--assume", "linear")
    status, out, _ = ask(*arguments, "--journal", "j", answers="B\nB\nA\nB\nA\nA\nA\nA\n")
    assert status == 0
    assert read("j").header.settings["elicit"]["assume"] == "linear"
    history = elicitation_of(read("j")).history
    assert history.refuted
    assert not history.deduced
    told = " ".join(out.split())
    assert "no operator with a linear trade-off of the criteria would give all your answers" in told
    assert "assumed: you have a linear trade-off of the criteria" in told
    status, out, _ = ask(*arguments, "--journal", "k", answers="A\n")
    assert not elicitation_of(read("k")).history.refuted
    assert "no operator with" not in out


def test_who_resumes_with_a_row_more_is_told_which_file_has_changed(ask, tmp_path, capsys):
    table(tmp_path / "t.csv", a=number, b=number)
    assert ask("t.csv", *SMALL)[0] == 0
    kept = (tmp_path / "j").read_bytes()
    table(tmp_path / "t.csv", rows=61, a=number, b=number)
    assert main(["resume", "j", "--budget", "+1"]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("elicit: journal 'j': t.csv is not what it was when the session began: ")
    assert (tmp_path / "j").read_bytes() == kept


def test_a_session_with_costs_goes_on_in_whichever_order_they_were_given(ask, tmp_path, capsys):
    table(tmp_path / "t.csv", zeta=number, alpha=number, mid=number)
    (tmp_path / "c.csv").write_text("attribute,cost\nzeta,1\nmid,2\nalpha,3\n")
    status, _, _ = ask("t.csv", *SMALL, "--cost", "c.csv")
    assert status == 0
    assert main(["resume", "j"]) == 0
    assert capsys.readouterr().err.count("elicit:") == 0


def test_costs_and_drops_may_name_what_says_nothing(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, const=lambda *_: "5")
    (tmp_path / "c.csv").write_text("a,1\nb,2\nconst,9\n")
    status, out, err = ask("t.csv", *SMALL, "--cost", "c.csv", "--drop", "const")
    assert (status, err.count("elicit:")) == (0, 0)
    assert "'const' is left out: it is constant" in out


def test_a_stray_cell_in_what_is_dropped_does_not_matter(ask, tmp_path, capsys):
    odd = {"bad": lambda k, r: "x\x1b" if k == 3 else f"{r:.3f}"}
    table(tmp_path / "t.csv", a=number, b=number, **odd)
    (tmp_path / "c.csv").write_text("a,1\nb,2\nbad,3\n")
    assert "line 5: column 'bad' holds numbers" in ask("t.csv", *SMALL)[2]
    status, out, err = ask("t.csv", *SMALL, "--drop", "bad", "--cost", "c.csv", "-o", "small.csv")
    assert (status, err.count("elicit:")) == (0, 0)
    assert "60 rows, 2 attributes;" in out
    assert r"note: 'bad' is left out: it is dropped, and holds 'x\x1b' in line 5" in out
    assert main(["resume", "j", "--budget", "+1"]) == 0
    assert capsys.readouterr().err.count("elicit:") == 0
    table(tmp_path / "t.csv", a=number, y=odd["bad"])
    assert "line 5: column 'y' holds numbers" in ask("t.csv", *SMALL[:-1], "k", "--drop", "y")[2]


def test_what_is_dropped_is_not_counted_warned_about_or_paid_for(ask, tmp_path, capsys):
    near = {"c": lambda k, _: f"{k * k % 7}", "d": lambda k, _: f"{3 * (k * k % 7) + 1}"}
    table(tmp_path / "t.csv", id=lambda k, _: str(k), site=lambda k, _: "nsw"[k % 3], a=number, b=number, **near)
    (tmp_path / "c.csv").write_text("a,1\nb,2\nc,3\n")
    options = (*SMALL, "--cost", "c.csv", "--drop", "id,d,site")
    status, out, err = ask("t.csv", *options)
    assert (status, err.count("elicit:")) == (0, 0)
    assert "60 rows, 3 attributes;" in out
    assert "warning" not in out
    assert main(["resume", "j", "--budget", "+1"]) == 0
    assert capsys.readouterr().err.count("elicit:") == 0
    _, out, _ = ask("t.csv", *SMALL[:-1], "k")
    assert "60 rows, 6 attributes;" in out
    assert "'id' looks like the number of a row" in out
    assert "'c' and 'd' are correlated" in out


@pytest.mark.parametrize(
    ("costs", "options", "words"),
    [
        ("a,1\nb,2\nnope,3\n", (), "c.csv, line 3: 'nope' is no attribute; correct the line"),
        ("aa;1,5\nbb;2,5\n", (), "c.csv, line 1: 'aa' is no attribute; correct the line; did you mean 'a'?"),
        ("a,1\n\nb 2\n", (), "c.csv, line 3: expected an attribute and its cost with ',' between, found 1 cell; "),
        (
            "sep=;\na;1\nb;2;3\n",
            (),
            "c.csv, line 3: expected an attribute and its cost with ';' between, found 3 cells",
        ),
        ("a,1\nb,1,5\n", (), "found 3 cells; correct it, or put what holds a separator in quotes"),
        ('a,1\nb,"1,500"\n', (), "c.csv, line 2: '1,500' may be 1.500 or 1500; write it without the comma"),
        ('a,1\nb,"1,5,0"\n', (), "c.csv, line 2: '1,5,0' is no number; correct the cost"),
        ("a,nan\nb,2\n", (), "c.csv, line 1: 'nan' is no number; correct the cost"),
        ("a,-inf\nb,2\n", (), "c.csv, line 1: '-inf' is no number; correct the cost"),
        ("a,\nb,2\n", (), "c.csv, line 1: '' is no number; correct the cost"),
        ("a,1\nb,1_0\n", (), "c.csv, line 2: '1_0' is no number; correct the cost"),
        ('"a\n",1\na,2\n', (), "c.csv, line 3: 'a' has a cost already; keep one of them"),
        ("a,1\n", (), "c.csv: no cost is given for 'b'; add a line"),
        ("attribute,cost\n", (), "c.csv: no cost is given for 'a' and 1 other attribute; add a line for each"),
        ("a,1\n", ("--drop", "b"), "'a' is the only attribute left, there is nothing to choose; drop fewer"),
        ("a,1\nb,2\n", ("--keep", "a,b", "--drop", "b"), "--keep and --drop both name 'b'"),
    ],
)
def test_costs_that_do_not_fit_are_named_by_file_and_line(ask, tmp_path, costs, options, words):
    table(tmp_path / "t.csv", a=number, b=number)
    (tmp_path / "c.csv").write_text(costs)
    status, out, err = ask("t.csv", *SMALL, "--cost", "c.csv", *options)
    assert (status, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--keep", "b"), "--keep: 'b' is a column of 'g', which is one attribute; name that"),
        (("--drop", "c"), "--drop: 'c' is a column of 'g', which is one attribute; name that"),
        (("--drop", "g,d"), "'a' is the only attribute left, there is nothing to choose; drop fewer"),
        (
            ("--keep", "a,g,d"),
            "{a, g, d} is the only subset that --keep leaves, there is nothing to choose; keep fewer",
        ),
        (
            ("--keep", "a", "--max-size", "1"),
            "{a} is the only subset that --keep leaves, there is nothing to choose; keep fewer",
        ),
        (("--folds", 31), "30 rows cannot be split into 31 folds; ask for 30 or fewer; left out: 30 rows in which"),
    ],
)
def test_what_cannot_be_chosen_from_is_one_line(ask, tmp_path, options, words):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, y=lambda k, r: r if k % 2 else "")
    status, out, err = ask("t.csv", *SMALL, "--groups", "g=b,c", *options)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert words in err


def test_a_score_of_two_classes_that_was_given_more_names_one_for_all(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, y=lambda k, _: "uvw"[k % 3])
    _, out, err = ask("t.csv", *SMALL, "--scoring", "roc_auc", "--folds", 3, answers="a\n")
    assert "take one of all classes, such as roc_auc_ovr" in " ".join(f"{out} {err}".split())


def test_who_gives_a_cost_to_a_column_of_a_group_is_told_which_attribute_has_one(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number)
    (tmp_path / "c.csv").write_text("a,1\nb,2\nc,3\n")
    _, _, err = ask("t.csv", *SMALL, "--cost", "c.csv", "--groups", "both=a,b")
    assert "c.csv, line 1: 'a' is a column of 'both', which is one attribute; give 'both' one cost for all" in err


@pytest.mark.parametrize("costs", ['a,"1,5"\nb,2\n', 'attribute, cost\na, "1,5"\nb, 2\n,\n', "sep=;\na;1,500\nb;2\n"])
def test_a_cost_may_have_a_decimal_comma_where_it_can_mean_nothing_else(ask, tmp_path, costs):
    table(tmp_path / "t.csv", a=number, b=number)
    (tmp_path / "c.csv").write_text(costs)
    assert ask("t.csv", *SMALL, "--cost", "c.csv")[0] == 0
    assert read("j").header.settings["about"]["oracle"]["costs"] == {"a": 1.5, "b": 2.0}


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be deleted")
@pytest.mark.parametrize("word", ["a", "quit", "done"])
def test_a_session_whose_journal_was_deleted_says_so_and_promises_nothing(ask, tmp_path, monkeypatch, word):
    table(tmp_path / "t.csv", a=number, b=number, c=number)
    append = Journal.append

    def deleting(journal, fact, at=None, *, more=False):
        append(journal, fact, at, more=more)
        if isinstance(fact, Asked) and fact.compare is not None:
            (tmp_path / "j").unlink()

    monkeypatch.setattr(Journal, "append", deleting)
    status, out, err = ask("t.csv", "--target", "y", "--folds", 3, "--journal", "j", "--n-jobs", 1, answers=f"{word}\n")
    assert "everything is kept" not in out + err
    assert "deleted, moved or changed" in out + err
    assert status == (0 if word == "quit" else 2)


def test_answers_that_cannot_be_read_are_no_fault_of_the_output_and_nothing_is_lost(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, open(nowhere.fileno(), closefd=False) as behind_nohup:
        monkeypatch.setattr(sys, "stdin", behind_nohup)
        assert main(["ask", "wine", "--budget", "20", "--folds", "3", "--journal", "j"]) == 2
    told = "the answers cannot be read (Bad file descriptor); everything is kept, go on with: elicit resume j"
    assert capsys.readouterr().err == f"elicit: {told}\n"


@pytest.mark.parametrize("length", [9_999, 10_000, 10**6])
def test_answers_without_an_end_of_the_line_fill_no_memory(tmp_path, monkeypatch, capsys, length):
    class Endless(io.StringIO):
        def readline(self, size=-1):
            assert size > 0, "everything"
            return super().readline(size)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Endless("x" * length))
    assert main(["ask", "wine", "--budget", "5", "--journal", "j", "--n-jobs", "1"]) == 2
    told = "a line of the answers has 10000 characters or more; put one word on each"
    assert (told in capsys.readouterr().err) == (length >= 10_000)
    assert read(tmp_path / "j").facts


def test_a_score_of_one_of_two_classes_says_how_to_name_it_where_texts_are_classes(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number)
    status, out, _ = ask("t.csv", *SMALL, "--scoring", "f1")
    assert status == 2
    assert "Nothing could be measured" in out
    assert "call it 1 and the other 0 in the data, or take a score of all classes, such as f1_macro" in " ".join(
        out.split()
    )
    status, out, _ = ask("t.csv", *SMALL[:-1], "k", "--scoring", "f1_macro", answers="a\n" * 5)
    assert status == 0
    assert "f1_macro" in out


def test_a_score_that_no_subset_has_ends_the_session_at_once_and_says_what_may_do(ask, tmp_path):
    table(tmp_path / "t.csv", **dict.fromkeys("abcdefgh", number))
    status, out, err = ask("t.csv", *SMALL, "--budget", 30, "--scoring", "f1")
    assert status == 2
    assert re.search(r"^elicit: no subset could be measured; all of the first 9, of size 1 to 8, failed alike", err)
    assert all(words in err for words in ("pos_label=1", "such as f1_macro", "go on with: elicit resume j"))
    assert "recommended" not in out
    record = read(tmp_path / "j")
    assert (len(record.facts), record.cached) == (1, {}), "whoever resumes could not try again"


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


def test_what_is_kept_and_was_left_out_is_told_with_its_reason(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,same,y\n" + "".join(f"{k},{k % 5},7,{'ab'[k % 2]}\n" for k in range(20)))
    assert main(["ask", str(tmp_path / "t.csv"), "--target", "y", "--keep", "a,same"]) == 2
    assert capsys.readouterr().err == "elicit: --keep: 'same' is left out: it is constant\n"


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


@pytest.mark.parametrize("at_work", [True, False])
def test_a_session_whose_path_another_one_takes_in_that_moment_has_the_next_path(tmp_path, monkeypatch, at_work):
    monkeypatch.chdir(tmp_path)
    oracle, others = truth(4), []

    def start(path):
        if not others:
            others.append(begin(path, oracle))
            if not at_work:
                others[0].journal.close()
        return begin(path, oracle)

    with begun_at(None, "s", start) as session:
        assert session.journal.path == "s-2.jsonl"
    others[0].journal.close()


def test_a_session_that_cannot_be_kept_in_its_path_is_not_kept_in_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def start(path):
        raise InputError(f"{path}: cannot be opened")

    with pytest.raises(InputError, match="cannot be opened"):
        begun_at(None, "s", start)
