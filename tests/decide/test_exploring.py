"""What is recorded of a rejection does not hang on the last digits of a solver."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.exploring import recorded


@given(st.integers(0, 2**12), st.integers(0, 12), st.floats(-1e-11, 1e-11))
def test_a_price_that_is_a_simple_fraction_is_recorded_the_same_whatever_the_solver_adds(numerator, power, dust):
    price = float(Fraction(numerator, 2**power))
    assert recorded(price + dust) == recorded(price)
    assert recorded(price) == pytest.approx(price, abs=6e-7)
