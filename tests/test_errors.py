"""What an error says, however it is shown; what one of a library becomes in a record; and an unknown name."""

import pickle
import traceback

import pytest

import elicit.errors
from elicit.errors import ElicitError, first_line, nearest, one_line

OURS = [kind for kind in vars(elicit.errors).values() if isinstance(kind, type) and issubclass(kind, ElicitError)]


@pytest.mark.parametrize("kind", OURS, ids=lambda kind: kind.__name__)
def test_however_an_error_of_ours_is_shown_what_does_not_print_is_escaped(kind):
    error = pickle.loads(pickle.dumps(kind("bell\x07 \x1b[31m")))
    for shown in (str(error), f"{error}", repr(error), *traceback.format_exception_only(error)):
        assert r"bell\x07 \x1b[31m" in shown
        assert shown.rstrip("\n").isprintable()


def test_a_reason_is_one_printable_line():
    assert one_line(ValueError("\n  first\nsecond")) == "ValueError: first"
    assert one_line(RuntimeError()) == "RuntimeError"
    assert one_line(OSError("bell\x07 \x1b[31m")).isprintable()
    assert len(one_line(ValueError("x" * 999))) == 300


def test_within_an_error_of_ours_the_kind_is_told_only_where_nothing_is_said():
    assert first_line(ValueError("first\nsecond")) == "first"
    assert first_line(RuntimeError()) == first_line(RuntimeError(" \n")) == "RuntimeError"
    assert first_line(ValueError("\n\n  later\n")) == "later"


def test_the_nearest_name_is_found_in_any_case_and_spelt_as_it_is():
    assert nearest("ALCOHOL", ["hue", "Alcohol"]) == "; did you mean 'Alcohol'?"
    assert nearest("hue", ["HUE", "ash"], "look there") == "; did you mean 'HUE'?"
    assert nearest("zinc", ["HUE", "ash"], "look there") == "; look there"
