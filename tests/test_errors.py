"""What an error of a library becomes in a record or in an error of ours, and what is offered for an unknown name."""

from elicit.errors import first_line, nearest, one_line


def test_a_reason_is_one_printable_line():
    assert one_line(ValueError("\n  first\nsecond")) == "ValueError: first"
    assert one_line(RuntimeError()) == "RuntimeError"
    assert one_line(OSError("bell\x07 \x1b[31m")).isprintable()
    assert len(one_line(ValueError("x" * 999))) == 300


def test_within_an_error_of_ours_the_kind_is_told_only_where_nothing_is_said():
    assert first_line(ValueError("first\nsecond")) == "first"
    assert first_line(RuntimeError()) == "RuntimeError"


def test_the_nearest_name_is_found_in_any_case_and_spelt_as_it_is():
    assert nearest("ALCOHOL", ["hue", "Alcohol"]) == "; did you mean 'Alcohol'?"
    assert nearest("hue", ["HUE", "ash"], "look there") == "; did you mean 'HUE'?"
    assert nearest("zinc", ["HUE", "ash"], "look there") == "; look there"
