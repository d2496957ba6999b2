"""What counts as a number: Python's and NumPy's alike, in settings and journals too."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.numeric import is_finite, is_number, is_whole, whole


@pytest.mark.parametrize("value", [0, -3, 10**30, np.int64(4), np.uint8(4)])
def test_whole_numbers_are_whole_and_numbers(value):
    assert is_whole(value)
    assert is_number(value)
    assert whole("it", value, -3) == value
    assert type(whole("it", value, -3)) is int


@pytest.mark.parametrize("value", [0.5, 4.0, math.inf, math.nan, np.float32(0.5), Fraction(1, 3)])
def test_other_numbers_are_not_whole(value):
    assert is_number(value)
    assert not is_whole(value)


@pytest.mark.parametrize("value", [True, np.True_, "4", None, 1j, np.array([4]), [4]])
def test_nothing_else_is_a_number(value):
    assert not is_number(value)
    assert not is_whole(value)
    with pytest.raises(InputError, match="it must be a whole number of at least 1, found"):
        whole("it", value)


@pytest.mark.parametrize("value", [0, -(2**1023), 0.5, np.int64(4), np.float32(0.5), Fraction(1, 3)])
def test_a_number_that_a_float_holds_is_finite(value):
    assert is_finite(value)


@pytest.mark.parametrize("value", [math.inf, math.nan, 2**1024, -(10**400), Fraction(10**400), True, "4", None])
def test_what_no_float_holds_is_not_finite(value):
    assert not is_finite(value)


def test_settings_of_numpy_numbers_are_those_of_plain_ones_and_can_be_written():
    given = Settings(
        budget=np.int64(40),
        batch=np.int32(4),
        questions=np.int16(3),
        parsimony=np.float32(0.5),
        weights=tuple(np.array([1.0, 2.0, 4.0])),
        pairs=((np.int64(2), np.int64(1)),),
    )
    plain = Settings(budget=40, batch=4, questions=3, parsimony=0.5, pairs=((1, 2),))
    assert given == plain
    assert json.dumps(given.plain()) == json.dumps(plain.plain())
