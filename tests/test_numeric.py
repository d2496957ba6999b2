"""What counts as a number: Python's and NumPy's alike, in settings and journals too."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.numeric import DIGITS, GRID, in_steps, is_finite, is_number, is_whole, step_of, steps_of, whole


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


#: Numbers of any size that may be measured, and such as lie where large ones begin.
VALUES = st.floats(-1e250, 1e250) | st.floats(127.9999999, 128.0000001) | st.floats(-1e6, 1e6)


@given(st.lists(VALUES, min_size=1, max_size=20))
def test_steps_turn_no_order_round_and_are_the_same_for_one_value_and_for_many(values):
    values = sorted(values)
    steps = in_steps(values)
    assert (np.diff(steps) >= 0).all()
    assert [float(steps_of(value)) for value in values] == steps.tolist()


@given(st.floats(-120, 120))
def test_values_that_are_not_large_are_told_apart_by_the_grid(value):
    assert step_of(value) == GRID
    assert steps_of(value) == round(value / GRID)


@given(st.floats(1e3, 1e200) | st.floats(-1e200, -1e3), st.integers(0, 2**20))
def test_of_large_values_the_leading_digits_tell_them_apart_and_rounding_does_not(value, seed):
    unit = step_of(value)
    assert 2.0**-DIGITS < unit / abs(value) <= 2.0 ** (1 - DIGITS)
    middle = round(value / unit) * unit  # where no rounding reaches the next one
    assert steps_of(middle) == steps_of(middle + unit * (seed / 2**21 - 0.25)), "a quarter of a step is none"
    assert steps_of(middle) < steps_of(middle + 2 * unit)
