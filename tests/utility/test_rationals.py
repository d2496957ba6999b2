"""What a float is meant to be: a simple fraction where there is one, and multipliers that combine exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from elicit.utility import tolerances
from elicit.utility.monomials import Utility
from elicit.utility.rationals import (
    SIMPLE,
    THETA_UNIT,
    fractions_of,
    gain_of,
    plain_theta,
    rational_combination,
    rounded_up,
    simple_fraction,
)

numbers = st.floats(-1e6, 1e6)


@given(st.fractions(-50, 50, max_denominator=SIMPLE))
def test_a_float_that_stands_for_a_simple_fraction_is_read_as_that(value):
    assert simple_fraction(float(value)) == value


@given(numbers)
def test_any_other_float_is_read_as_near_as_certificates_state_multipliers(value):
    found = simple_fraction(value)
    assert abs(found - Fraction(value)) <= tolerances.MULTIPLIER
    assert found.denominator <= SIMPLE or tolerances.DENOMINATOR % found.denominator == 0


def test_a_float_is_not_taken_for_a_fraction_that_is_only_near():
    assert simple_fraction(1 / 3 + 1e-7) != Fraction(1, 3)
    assert simple_fraction(1 / 3 + 1e-11) == Fraction(1, 3)


@given(numbers)
@example(tolerances.DECISION / 2)
@example(0.51 * tolerances.DECISION)
@example(tolerances.DECISION)
def test_a_bound_is_never_rounded_below_what_it_bounds_and_nothing_is_nothing(value):
    stated = Fraction(rounded_up(value))
    if value <= tolerances.DECISION / 2:
        assert stated == 0
    else:
        assert value < stated <= Fraction(value) + Fraction(2, 10**6)


@given(st.dictionaries(st.sampled_from([1, 2, 3, 4, 5, 6]), st.floats(-3, 3), max_size=6))
def test_a_theta_in_fractions_is_that_in_floats_but_for_half_a_unit(theta):
    found = fractions_of(Utility(3, theta))
    for term, value in theta.items():
        assert abs(found.get(term, 0) - Fraction(value)) <= Fraction(1, 2 * THETA_UNIT)
    assert all(found.values())
    for y in range(1, 8):
        for x in range(1, 8):
            f = {v: sum(value for t, value in found.items() if t & v == t) for v in (x, y)}
            assert gain_of(found, y, x) == f[y] - f[x]
    assert len(plain_theta(found)) == len(found)


@pytest.mark.parametrize("largest", [1, 64, 1000, 9000])
@given(data=st.data())
def test_multipliers_that_are_fractions_are_found_again_from_floats(largest, data):
    count, width = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    entries = st.lists(st.integers(-2, 2), min_size=width, max_size=width)
    rows = data.draw(st.lists(entries, min_size=count, max_size=count))
    fraction = st.fractions(-5, 5, max_denominator=largest)
    meant = data.draw(st.lists(fraction, min_size=count, max_size=count))
    target = [sum(x * row[k] for x, row in zip(meant, rows, strict=True)) for k in range(width)]
    noise = data.draw(st.lists(st.floats(-1e-12, 1e-12), min_size=count, max_size=count))
    near = [float(x) + e for x, e in zip(meant, noise, strict=True)]
    found = rational_combination(rows, target, near)
    if found is None:  # nothing at all: what is far from the floats proves something else
        assert not any(target)
        return
    assert [sum(x * row[k] for x, row in zip(found, rows, strict=True)) for k in range(width)] == target
    if np.linalg.matrix_rank(np.array(rows, dtype=float)) == count:
        assert found == meant


def test_what_does_not_combine_has_no_multipliers():
    assert rational_combination([[1, 0], [1, 0]], [0, 1], [0.5, 0.5]) is None
