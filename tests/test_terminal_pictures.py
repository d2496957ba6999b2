"""Pictures in text fit any width, count wide characters as two columns, and show escapes as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from elicit.events import SCORE_AND_SIZE, Criterion, Evaluated
from elicit.operators.picture import comparison, front, front_table, lead, plain
from elicit.printable import alike, entry, fitted, padded, paragraph, printable, squeezed, width, wrapped
from elicit.subsets import Attributes

WILD = Attributes(("アルコール度数", "ash\x1b[2J", "a" * 70, "hue\u202e", "proline"))
FIRST = Evaluated(0, 0b00111, (0.91234, 3.0), ((), ()), (0.031, None))
SECOND = Evaluated(1, 0b11101, (0.93, 4.0))


@given(st.text(), st.integers(1, 90))
def test_a_text_is_cut_to_its_columns_and_nothing_in_it_steers(text, columns):
    shown = fitted(printable(text), columns)
    assert width(shown) <= columns
    assert shown.isprintable()
    assert width(padded(printable(text), columns)) == columns


@pytest.mark.parametrize("text", ["plain", "アルコール", "naïve", "e\u0301tat", "混合 mixed"])
def test_width_is_what_terminals_count(text):
    assert width(text) == wcswidth(text)


@given(st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1), max_size=20), st.integers(8, 90))
def test_wrapped_words_keep_to_the_columns(words, columns):
    assert all(width(line) <= columns for line in wrapped(words, columns, 2))


def test_a_paragraph_keeps_its_margin():
    assert paragraph("  one two three", 9, 1) == ["  one two", "   three"]


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_two_subsets_fit_the_width_with_wide_and_wild_names(columns):
    lines = [plain(line) for line in comparison(FIRST, SECOND, WILD, SCORE_AND_SIZE, columns)]
    assert all(width(line) <= columns for line in lines)
    assert all(line.isprintable() for line in lines)
    text = "\n".join(lines)
    assert "in both (2)" in text
    assert "only in A (1)" in text
    assert "アルコール" in text


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [(0.3, 0.1 + 0.2, "the same"), (0.0, -0.0, "the same"), (1e12, 1e12 + 1, "the same"), (1e-30, 2e-12, "held equal")],
)
def test_numbers_that_count_as_equal_are_called_the_same_only_where_they_read_alike(one, other, told):
    p = Criterion("p", maximise=False)
    assert lead(Evaluated(0, 1, (one,)), Evaluated(1, 2, (other,)), 0, p) == ("", told)


@pytest.mark.parametrize("columns", [40, 60, 71, 120])
def test_a_unit_stands_beside_the_direction_where_there_is_little_room_as_min_is_minutes_too(columns):
    criteria = [Criterion("score"), Criterion("fit_time", maximise=False, unit="s")]
    lines = [plain(line) for line in comparison(FIRST, SECOND, WILD, criteria, columns)]
    told = "fit_time [s] (less is better)" if columns == 120 else "fit_time [s] (min)"
    assert any(line.startswith(f" {told}") for line in lines)


def test_who_leads_is_said_in_words_and_not_by_colour_alone():
    lines = [plain(line) for line in comparison(FIRST, SECOND, WILD, SCORE_AND_SIZE, 80)]
    assert "B leads by 0.0177" in lines[1]
    assert "* 0.93" in lines[1]
    assert "A leads by 1" in lines[2]
    assert lead(FIRST, FIRST, 0, SCORE_AND_SIZE[0]) == ("", "the same")
    less = Criterion("cost", maximise=False, unit="EUR")
    assert lead(FIRST, SECOND, 1, less)[0] == "A"


@pytest.mark.parametrize(("ahead", "better"), [(1e-6, ""), (1e-3, "A")])
def test_of_large_numbers_none_leads_by_what_rounding_leaves_between_them(ahead, better):
    first, second = Evaluated(0, 0b1, (-1234567.0 + ahead,)), Evaluated(1, 0b10, (-1234567.0,))
    assert lead(first, second, 0, Criterion("neg_mean_squared_error"))[0] == better


@pytest.mark.parametrize(("columns", "rows"), [(20, 6), (80, 24), (200, 50)])
def test_the_front_is_drawn_and_listed(columns, rows):
    points = [Evaluated(k, m, (0.5 + 0.1 * k, float(m.bit_count()))) for k, m in enumerate((0b1, 0b11, 0b10111))]
    marks = {0b11: "A"}
    lines = [plain(line) for line in front(points, SCORE_AND_SIZE, columns, rows, marks)]
    assert all(width(line) <= columns for line in lines)
    drawn = "".join(lines[1:-3])
    assert drawn.count("A") == 1
    assert drawn.count("o") == 2
    table = [plain(line) for line in front_table(points, WILD, SCORE_AND_SIZE, columns, marks)]
    assert any(line.strip().startswith("A score") for line in table)
    assert front([], SCORE_AND_SIZE, columns, rows, {}) == [[("", "Nothing was evaluated yet.")]]


def test_the_front_tells_units_and_which_way_is_better_as_the_question_does():
    criteria = (*SCORE_AND_SIZE, Criterion("cost", maximise=False, unit="EUR"), Criterion("recall"))
    points = [Evaluated(k, m, (0.5 + 0.1 * k, float(m.bit_count()), 3.0, 0.5)) for k, m in enumerate((0b1, 0b11))]
    lines = [plain(line) for line in front(points, criteria, 80, 10, {})]
    assert lines[0] == " score (more is better)"
    assert lines[-2].strip() == "size (less is better)"
    assert lines[-1] == " not drawn: cost [EUR] (less is better); recall (more is better)"
    listed = plain(front_table(points, Attributes(("a", "b")), criteria, 80, {})[0])
    assert listed == " o score 0.6, size 2, cost [EUR] 3, recall 0.5: a, b"
    narrow = [plain(line) for line in front(points, SCORE_AND_SIZE, 20, 10, {})]
    assert (narrow[0], narrow[-1].strip()) == (" score (max)", "size (min)")


def test_a_front_of_one_criterion_is_drawn_by_rank():
    points = [Evaluated(0, 1, (0.5,)), Evaluated(1, 2, (0.5,))]
    assert "rank" in plain(front(points, SCORE_AND_SIZE[:1], 40, 10, {})[-1])


@pytest.mark.parametrize("columns", [100, 72, 60])
def test_by_how_much_a_subset_leads_is_told_on_a_narrow_screen_too(columns):
    first = Evaluated(0, 0b00111, (0.93791, 5.0), ((), ()), (0.063, None))
    second = Evaluated(1, 0b00011, (0.91601, 4.0), ((), ()), (0.088, None))
    assert "by 0.0219" in "\n".join(map(plain, comparison(first, second, WILD, SCORE_AND_SIZE, columns)))
    close = Evaluated(1, 0b00011, (0.937898, 4.0), ((), ()), (0.088, None))
    assert "by 1.2e-05" in "\n".join(map(plain, comparison(first, close, WILD, SCORE_AND_SIZE, columns)))


def test_a_long_name_of_a_criterion_leaves_room_for_the_numbers_and_says_what_is_better():
    criteria = (*SCORE_AND_SIZE, Criterion("neg_mean_absolute_percentage_error"))
    first = Evaluated(0, 0b00111, (0.79837, 2.0, -0.25), ((), (), ()), (0.064, None, 0.01))
    second = Evaluated(1, 0b00011, (0.89346, 3.0, -0.15), ((), (), ()), (0.071, None, 0.02))
    shown = [plain(line) for line in comparison(first, second, WILD, criteria, 80)]
    assert shown[3].startswith(" neg_mean_ab…_error (max)")
    assert shown[3].endswith("   -0.25 ± 0.01    * -0.15 ± 0.02     B by 0.1")
    below = [plain(line) for line in comparison(first, second, WILD, criteria, 36)]
    assert " neg_mean_absolute…ntage_error (max)" in below
    alike = (*SCORE_AND_SIZE[:1], *(Criterion(f"neg_mean_absolute_{x}_percentage_error") for x in "xy"))
    shown = [plain(line) for line in comparison(first, second, WILD, alike, 80)]
    assert ["mean_absolute_x_per" in shown[2], "mean_absolute_y_per" in shown[3]] == [True, True]


def test_a_front_of_one_value_is_labelled_where_it_lies():
    lines = [plain(line) for line in front([Evaluated(0, 1, (0.5, 3.0))], SCORE_AND_SIZE, 40, 10, {})]
    (row,) = (line for line in lines if "0.5" in line)
    assert row.endswith("o")
    assert lines[-2].index("3") == pytest.approx(row.index("o"), abs=1)


def test_who_leads_is_told_in_the_same_words_in_every_line():
    criteria = (*SCORE_AND_SIZE, Criterion("cost", maximise=False))
    first = Evaluated(0, 0b00111, (0.79837, 2.0, 2078067.0), ((), (), ()), (0.064, None, None))
    second = Evaluated(1, 0b00011, (0.89346, 3.0, 4688814.0), ((), (), ()), (0.071, None, None))
    shown = [plain(line) for line in comparison(first, second, WILD, criteria, 60)]
    assert [line.split()[-2:] for line in shown[1:4]] == [["by", "0.0951"], ["by", "1"], ["by", "2610747"]]
    assert not any("A by" in line or "B by" in line for line in shown)


@given(
    st.integers(24, 110),
    st.tuples(*[st.floats(-1e9, 1e9) for _ in range(4)]),
    st.one_of(st.none(), st.floats(0, 1e6)),
    st.sampled_from(["score", "a criterion of a long name", "アルコール"]),
)
def test_no_number_is_cut_and_nothing_is_wider_than_the_screen(columns, values, spread, name):
    criteria = (Criterion(name), Criterion("size", maximise=False))
    first, second = (Evaluated(k, k + 1, values[2 * k : 2 * k + 2], ((), ()), (spread, None)) for k in range(2))
    lines = list(map(plain, comparison(first, second, WILD, criteria, columns)))
    assert max(map(width, lines)) <= columns
    words = " ".join(lines).split()
    for told in (*alike(values[::2]), *alike(values[1::2])):
        assert told in words


@given(st.integers(10, 90), st.integers(1, 60))
def test_a_name_cut_short_keeps_the_brace_and_the_comma_behind_it(columns, length):
    lines = wrapped(["{" + "a" * length + ",", "b" * length + "},", "and", "{c}"], columns, 2)
    text = " ".join(line.strip() for line in lines)
    assert all(width(line) <= columns for line in lines)
    assert (text.count("{"), text.count("}"), text.count(",")) == (2, 2, 2)


def test_what_a_key_means_stands_below_itself_where_it_needs_more_than_a_line():
    assert entry(" L    one two three four", 23) == [" L    one two three", "      four"]
    assert entry("no gap in this one", 10, 2) == paragraph("no gap in this one", 10, 2)
    assert entry(" a long key   then what it means", 20) == paragraph(" a long key   then what it means", 20)


@given(st.text(), st.integers(30, 90))
def test_an_entry_fits_and_loses_no_word(text, columns):
    lines = entry(text, columns)
    assert all(width(line) <= columns for line in lines)
    if all(width(word) <= columns // 2 for word in printable(text).split()):
        assert " ".join(lines).split() == printable(text).split()


def test_the_numbers_of_a_front_stand_on_further_lines_where_they_do_not_fit():
    many = [Criterion(name) for name in ("score", "recall", "precision", "steadiness", "fit_time")]
    point = Evaluated(0, 0b11, (0.7125, 0.755, 0.76333, 0.91, 0.0009432), (), (0.12, 0.17, 0.21, 0.011, 0.00012))
    for columns in (40, 60, 80):
        lines = [plain(line) for line in front_table([point], Attributes(("a", "b")), many, columns, {})]
        assert len(lines) > 1
        assert all(width(line) <= columns for line in lines)
        whole = " ".join(" ".join(lines).split())
        for value in ("score 0.7125 ± 0.12,", "precision 0.76333 ± 0.21,", "fit_time 0.0009432 ± 0.00012:"):
            assert value in whole
        assert whole.endswith(": a, b")


def test_names_that_begin_alike_stay_apart_where_they_are_cut():
    names = [f"this_is_a_very_long_name_that_goes_on_until_the_end_{k}" for k in range(4)]
    lines = wrapped([f"{name}," for name in names], 30, 2)
    assert len(set(lines)) == 4
    assert all(width(line) <= 30 and "…" in line for line in lines)
    assert all(squeezed("a" * 9, k) == fitted("a" * 9, k) for k in (0, 1, 4, 9, 12))
    assert squeezed("abcdefghij", 7) == "abc…hij"
    assert [width(squeezed("アルコール度数の値", k)) <= k for k in range(5, 20)] == [True] * 15
