"""Cells: which mark parts them, which commas are decimal ones, and the line of whatever is no table."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import SPREADSHEET

from elicit.data import load
from elicit.data.cells import SEPARATORS, cells_and_blanks_of, cells_of, pairs_of, points_elsewhere
from elicit.errors import InputError


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


def test_a_quote_after_a_space_opens_a_cell(tmp_path):
    (tmp_path / "t.csv").write_text('a, name\n1, "Smith, J"\n')
    assert cells_of(tmp_path / "t.csv").rows == [["1", "Smith, J"]]


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


def test_a_line_of_blanks_is_a_blank_line(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,0\n   \n2,3,1\n \t \n")
    assert cells_of(tmp_path / "t.csv").rows == [["1", "2", "0"], ["2", "3", "1"]]


def test_a_file_whose_names_cannot_be_told_apart_says_which_and_what_to_do(tmp_path):
    (tmp_path / "t.csv").write_text("a,a=u,y\n" + "u,1,0\nv,2,1\n" * 9)
    with pytest.raises(
        InputError, match=r"t\.csv: with a column for each text .*, two are called 'a=u'; rename a column"
    ):
        load(str(tmp_path / "t.csv"), "y", tidy=True)
    (tmp_path / "t.csv").write_text("a b y\n" + "1 1 0\n2 2 1\n" * 9)
    with pytest.raises(InputError, match=r"the only one is 'a b y'; put commas, semicolons, tabs or \| between cells"):
        load(str(tmp_path / "t.csv"), "y")
