"""Numbers of a proof are read exactly, and what could take for ever is refused before it is tried."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.errors import CertificateError
from elicit.subsets import mask_of
from elicit.utility.numbers import (
    MOST_ATTRIBUTES,
    MOST_DIGITS,
    MOST_EXPONENT,
    MOST_MONOMIALS,
    coefficients,
    exact,
    few,
    kept,
    whole,
    workable,
)


@given(st.fractions())
def test_a_fraction_is_read_back_exactly(value):
    assert exact(str(value)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_as_it_is_written(value):
    assert exact(value) == Fraction(value)
    assert exact(repr(value)) == Fraction(repr(value))


@given(st.integers())
def test_a_whole_number_is_itself(value):
    assert whole(value) == exact(value) == value


@pytest.mark.parametrize(
    "text",
    [
        "1e999999999",
        "1e-999999999",
        f"1e{MOST_EXPONENT + 1}",
        "1" * (MOST_DIGITS + 1),
        "1/" + "3" * MOST_DIGITS,
        "",
        " 1",
        "1 ",
        "1_000",
        "0x10",
        "nan",
        "inf",
        "1/2/3",
        "1/-2",
        "1.5/2",
        "١",
        "--1",
        "e5",
        ".",
    ],
)
def test_a_text_that_is_no_number_of_a_proof_is_refused(text):
    with pytest.raises(CertificateError):
        exact(text)


@pytest.mark.parametrize("value", [None, True, [], {}, float("nan"), float("inf")])
def test_a_value_that_is_no_number_is_refused(value):
    with pytest.raises(CertificateError):
        exact(value)


def test_the_longest_numbers_that_can_be_worked_with_are_read():
    for text in ("7" * MOST_DIGITS, f"1e{MOST_EXPONENT}", f"1e-{MOST_EXPONENT}"):
        assert exact(text) == Fraction(text)
    longest = (1 << 4 * MOST_DIGITS) - 1
    assert exact(longest) == whole(longest) == longest
    for read in (exact, whole):
        with pytest.raises(CertificateError, match="too long"):
            read(longest + 1)


@pytest.mark.parametrize("value", [1.0, "1", True, None])
def test_a_place_that_must_hold_a_whole_number_takes_nothing_else(value):
    with pytest.raises(CertificateError):
        whole(value)


def test_no_more_monomials_than_can_be_worked_with():
    assert workable(1, 2) == 1
    assert workable(999, 2) == 999
    assert workable(MOST_ATTRIBUTES, 1) == MOST_ATTRIBUTES
    for n, degree in ((10**9, 1), (MOST_ATTRIBUTES + 1, 1), (1000, 2), (200, 3), (0, 1), (2.0, 1)):
        with pytest.raises(CertificateError):
            workable(n, degree)


def test_the_denominators_of_a_theta_may_not_be_too_long_together():
    rng = np.random.default_rng(0)
    long = ["1/" + "1" + "".join(map(str, rng.integers(0, 10, 1998))) + "1" for _ in range(9)]
    assert len(coefficients([([k], text) for k, text in enumerate(long[:2])], mask_of)) == 2
    with pytest.raises(CertificateError, match="denominator"):
        coefficients([([k], text) for k, text in enumerate(long)], mask_of)


def test_a_theta_names_each_coefficient_once():
    assert coefficients([([1, 0], "1/2"), ([2], 3)], mask_of) == {0b11: Fraction(1, 2), 0b100: 3}
    with pytest.raises(CertificateError, match=r"two coefficients of \[1, 0\]"):
        coefficients([([0, 1], "1/2"), ([2], 3), ([1, 0], "1/2")], mask_of)


def test_a_list_of_more_than_can_be_worked_with_is_refused():
    assert few([1, 2], 2, "pieces") == (1, 2)
    with pytest.raises(CertificateError, match="more than 2 pieces are too many to check"):
        few([1, 2, 3], 2, "pieces")


@pytest.mark.parametrize(("length", "made"), [(MOST_MONOMIALS, [0, 1, 2, 0]), (10, [0, 1, 2])])
def test_long_results_are_not_kept_all_at_once_and_short_ones_are(length, made):
    asked = []
    again = kept(asked.append, length)
    for k in (0, 1, 2, 0):
        again(k)
    assert asked == made
