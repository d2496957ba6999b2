"""Text for a terminal: tables that fit it, names that stay apart, and numbers in few digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.printable import (
    aligned,
    alike,
    bounded,
    counted,
    many,
    numbers_apart,
    rounded,
    shortened,
    told_apart,
    width,
)

CELLS = st.text("abcxyz0123", min_size=1, max_size=9)


def tables():
    return st.integers(1, 7).flatmap(
        lambda columns: st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=1, max_size=4)
    )


def test_columns_stand_below_one_another():
    assert aligned([["method", "needs"], ["sfs", "-"]]) == ["method  needs", "sfs     -"]


def test_numbers_stand_point_below_point():
    rows = [["method", "size", "asked"], ["sfs", "5.5", "0"], ["温度", "10.0", "–"], ["1", "–", "12"]]
    assert aligned(rows) == ["method  size  asked", "sfs      5.5      0", "温度    10.0      –", "1          –     12"]
    for mixed in (["0.95", "7"], ["0.95 ± 0.04", "7.00"], ["5 (9)", "15"]):
        assert aligned([["", "recommended"], *(["", cell] for cell in mixed)])[1:] == [f"  {cell}" for cell in mixed]


def test_what_is_wider_goes_on_below_beside_the_first_column():
    rows = [["method", "regret@10", "regret@20"], ["sfs", "0.1", "0.2"]]
    assert aligned(rows, columns=20) == [
        "method  regret@10",
        "sfs           0.1",
        "",
        "method  regret@20",
        "sfs           0.2",
    ]


def test_several_columns_may_tell_the_rows_apart():
    rows = [["a", "b", "first", "second"], ["1", "2", "3", "4"]]
    assert aligned(rows, columns=12, keys=2) == ["a  b  first", "1  2      3", "", "a  b  second", "1  2       4"]


@given(tables(), st.integers(1, 60), st.integers(1, 3))
def test_every_cell_is_there_once_and_every_row_begins_with_its_keys(rows, width, keys):
    columns, blocks = len(rows[0]), [[]]
    for line in aligned(rows, width, keys):
        blocks.append([]) if line == "" else blocks[-1].append(line.split())
    assert all(len(block) == len(rows) for block in blocks)
    for k, row in enumerate(rows):
        assert all(block[k][:keys] == row[:keys] for block in blocks)
        assert [cell for block in blocks for cell in block[k][keys:]] == row[keys:]
    assert columns <= keys or all(len(block[0]) > keys for block in blocks)


@given(tables(), st.integers(1, 60), st.integers(1, 3))
def test_a_line_is_too_wide_only_where_one_column_is(rows, width, keys):
    for line in aligned(rows, width, keys):
        assert len(line) <= width or len(line.split()) <= keys + 1


@given(tables())
def test_without_a_width_there_is_one_block(rows):
    assert len(aligned(rows)) == len(rows)


@pytest.mark.parametrize(
    ("most", "digits", "told"),
    [
        (0.341, 2, "0.35"),
        (0.034, 2, "0.034"),
        (52.04, 2, "53"),
        (1234.5, 2, "1.3e+03"),
        (0.12341, 4, "0.1235"),
        (0.1 + 0.2, 2, "0.3"),
        (2.000001, 2, "2"),
        (0, 2, "0"),
        (float("inf"), 2, "inf"),
    ],
)
def test_a_bound_is_told_in_few_digits_that_are_never_below_it(most, digits, told):
    assert bounded(most, digits) == told


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (0.520001, 5, "0.52"),
        (0.8765432, 5, "0.87654"),
        (-54321.4, 5, "-54321"),
        (123456.7, 5, "123457"),
        (99999.6, 5, "100000"),
        (3456.4, 2, "3456"),
        (99.6, 2, "100"),
        (0.00123, 2, "0.0012"),
        (1.5e20, 5, "1.5e+20"),
        (-0.0, 5, "0"),
    ],
)
def test_a_number_is_told_in_few_digits_and_a_large_one_without_an_exponent(value, digits, told):
    assert rounded(value, digits) == told


def test_columns_stand_below_one_another_beside_names_of_wide_characters():
    assert aligned([["温度", "1"], ["größe", "2"]]) == ["温度   1", "größe  2"]


@pytest.mark.parametrize("most", [20, 21, 32])
def test_a_name_of_wide_characters_takes_no_more_room_in_a_picture_than_others_do(most):
    name = "".join(map(chr, range(0x4E00, 0x4E00 + 40)))
    short = shortened(name, most)
    assert most - 4 < width(short) <= most
    assert (short[0], short[-1]) == (name[0], name[-1])
    assert shortened("x" * most, most) == "x" * most


def test_a_mark_above_a_letter_takes_no_room_of_its_own():
    assert shortened("e\u0301" * 32, 32) == "e\u0301" * 32


def test_names_that_would_look_alike_are_shown_from_where_they_differ():
    alike = [f"measurement_{k:03d}_of_the_plant_in_the_north" for k in range(120)]
    told = told_apart([*alike, "short", "a_name_that_nobody_could_mistake_for_another"], 21)
    assert len(set(told)) == len(told)
    assert max(map(width, told)) <= 21
    assert all(f"{k:03d}_of" in label for k, label in enumerate(told[:120]))
    assert told[-2:] == ["short", "a_name_tha…or_another"]


def test_names_that_differ_in_two_places_are_told_apart():
    names = [f"temperature_of_the_{place}_mean_of_all_{month}" for place in ("inlet", "outlet") for month in (11, 12)]
    ends = ["inlet_mean_of_all_11", "inlet_mean_of_all_12", "outlet_me…of_all_11", "outlet_me…of_all_12"]
    assert told_apart(names, 21) == [f"…{end}" for end in ends]


@pytest.mark.parametrize(
    ("values", "digits", "told"),
    [
        ([0.97778, 0.9719], 5, ["0.97778", "0.97190"]),
        ([0.029, 0.0298], 2, ["0.029", "0.030"]),
        ([1.0, 0.97222], 5, ["1.00000", "0.97222"]),
        ([6.0, 11.0], 5, ["6", "11"]),
        ([19.0, 0.5], 5, ["19.0", "0.5"]),
        ([-0.078229, -0.102274], 5, ["-0.078229", "-0.102274"]),  # one digit more is a digit of it
        ([1000.5, 0.0123456], 5, ["1000.5", "0.012346"]),  # as 1000.500000 nobody would read it
        ([1e-7, 0.5], 5, ["1e-07", "0.5"]),
        ([123456.7, 99.5], 5, ["123457", "99.5"]),
        ([0.0, 0.0044], 2, ["0.0000", "0.0044"]),
        ([-0.0, -0.5], 2, ["0.0", "-0.5"]),
        ([], 5, []),
    ],
)
def test_numbers_to_be_compared_have_as_many_decimals(values, digits, told):
    assert alike(values, digits) == told
    assert [alike([value], digits) for value in values] == [[rounded(value, digits)] for value in values]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([10115.0, 10117.0, 80331.0], ["10115", "10117", "80331"]),
        ([0.25, 0.5, 0.5], ["0.25", "0.5", "0.5"]),
        ([1.6e9, 1.6e9 + 500], ["1600000000", "1600000500"]),
        ([1.23451e-9, 1.23452e-9], ["1.23451e-09", "1.23452e-09"]),
        ([0.1 + 0.2, 0.3, 1.0], ["0.3", "0.3", "1"]),  # what differs is rounding
        ([], []),
    ],
)
def test_numbers_that_differ_are_told_apart(values, told):
    assert numbers_apart(values, 4) == told


@pytest.mark.parametrize(
    ("base", "power", "told"), [(999, 1, "999"), (10, 11, "1" + "0" * 11), (2, 20_000, "about 10^6021")]
)
def test_counts_that_nobody_reads_are_told_by_their_magnitude(base, power, told):
    assert counted(base**power) == told
    assert many(base**power, "subset") == f"{told} subsets"
