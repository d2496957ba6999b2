"""What subsets, statements and a θ come to on the monomials of a proof: judged by definitions, and counted in steps."""

from fractions import Fraction

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.errors import CertificateError
from elicit.utility.numbers import STEP_BITS, Steps
from elicit.utility.terms import Limits, Terms, Theta, largest_share

SHORT, LONG = st.integers(-(1 << 40), 1 << 40), st.integers(-(1 << 400), 1 << 400)


@st.composite
def spaces(draw):
    """Monomials: all up to a degree or, beside the single ones, some; and subsets of as many attributes."""
    n = draw(st.integers(1, 5))
    degree = draw(st.integers(1, min(3, n)))
    every = judge.monomials(n, degree)
    higher = draw(st.lists(st.sampled_from(every[n:]), unique=True)) if degree > 1 else []
    masks = draw(st.sampled_from([every, [*every[:n], *higher]]))
    return Terms(masks, degree), draw(st.lists(st.integers(1, (1 << n) - 1), min_size=2, max_size=6))


def phi(x, terms):
    return [int(t & x == t) for t in terms.masks]


@given(spaces())
def test_a_subset_holds_the_monomials_that_are_within_it(space):
    terms, subsets = space
    for x in subsets:
        assert sorted(terms.inside(x)) == [k for k, held in enumerate(phi(x, terms)) if held]


@given(spaces(), st.data())
def test_sums_of_subsets_and_of_statements_are_exact_however_long_their_numbers_are(space, data):
    terms, subsets = space
    numbers = data.draw(st.lists(data.draw(st.sampled_from([SHORT, LONG])), min_size=6, max_size=6))
    form = list(zip(subsets, numbers, strict=False))
    assert terms.combination(form) == [sum(c * (t & x == t) for x, c in form) for t in terms.masks]
    pairs = list(zip(subsets[1:], subsets[:-1], strict=True))
    rows, multipliers = [terms.signs(a, b) for a, b in pairs], dict(enumerate(numbers[: len(pairs)]))
    wanted = [
        sum(multipliers[r] * ((t & a == t) - (t & b == t)) for r, (a, b) in enumerate(pairs)) for t in terms.masks
    ]
    found = terms.weigh(multipliers, rows)
    assert found == wanted
    assert {type(x) for x in found} == {int}


@pytest.mark.parametrize("large", [(1 << 62) - 1, 1 << 62, 1 << 63, 1 << 64])
def test_multipliers_whose_sum_has_no_fixed_width_are_added_up_exactly(large):
    terms = Terms([1, 2], 1)
    rows = [terms.signs(1, 2)] * 3
    assert terms.weigh({0: large, 1: large, 2: 1}, rows) == [2 * large + 1, -2 * large - 1]


@given(spaces(), st.data())
def test_a_theta_values_and_prices_what_its_coefficients_do(space, data):
    terms, subsets = space
    given_ = data.draw(st.dictionaries(st.sampled_from(range(len(terms))), st.fractions(max_denominator=99)))
    theta = terms.theta(given_)
    dense = [given_.get(k, Fraction(0)) for k in range(len(terms))]
    values = {x: sum(c * held for c, held in zip(dense, phi(x, terms), strict=True)) for x in subsets}
    assert [Fraction(terms.value(theta, x), theta.unit) for x in subsets] == [values[x] for x in subsets]
    a, b = subsets[:2]
    assert [Fraction(x, theta.unit) for x in terms.along([terms.signs(a, b)], theta)] == [values[a] - values[b]]
    prices = [Fraction(1), Fraction(5, 2), Fraction(1, 3)]
    cost = sum(abs(c) * prices[order] for c, order in zip(dense, terms.orders, strict=True))
    assert terms.priced(theta, prices) == cost
    assert (theta.most <= theta.unit) == all(abs(c) <= 1 for c in dense)


@given(st.lists(st.tuples(st.fractions(Fraction(1, 50), 50, max_denominator=50), LONG), min_size=1, max_size=6))
def test_what_statements_cost_is_exact(said):
    limits = Limits([limit for limit, _ in said], Steps())
    assert limits.total([abs(x) for _, x in said]) == sum(limit * abs(x) for limit, x in said)
    assert limits.most({r: x for r, (_, x) in enumerate(said)}) == max(abs(x) / limit for limit, x in said)


def test_the_largest_share_is_of_each_kind_by_its_price():
    assert largest_share([6, 1, 4], [0, 1, 0], [Fraction(3), Fraction(1, 4)]) == 4
    assert largest_share([0, 0], [0, 1], [Fraction(3), Fraction(1)]) == 0


@pytest.mark.parametrize("masks", [[1, 2, 1], [1, 2, 3]])
def test_a_monomial_is_listed_once_and_of_the_degree(masks):
    with pytest.raises(CertificateError, match="the support repeats a monomial, or has one above the degree"):
        Terms(masks, 1)


@pytest.mark.parametrize("term", [0b100, 0b111])
def test_a_coefficient_of_no_monomial_is_refused(term):
    terms = Terms([1, 2, 3], 2)
    assert [terms.at(t) for t in (1, 2, 3)] == [0, 1, 2]
    with pytest.raises(CertificateError, match="outside the support"):
        terms.at(term)


# steps

TERMS = 5
ROW = (np.arange(0, 3), np.arange(3, 5))


def steps_of(take):
    """The steps that something takes."""
    terms = Terms([1 << i for i in range(TERMS)], 1)
    before = terms.steps.left
    take(terms)
    return before - terms.steps.left


@pytest.mark.parametrize(
    ("take", "steps"),
    [
        (lambda t: t.inside(0b111), 3),
        (lambda t: t.combination([(0b111, 1), (0b1, 1)]), 8),
        (lambda t: t.combination([(0b111, 1 << STEP_BITS)]), 3 + 2 * 3),
        (lambda t: t.weigh({0: 1}, [ROW] * 16), TERMS + TERMS // 8),
        (lambda t: t.weigh({0: 1 << STEP_BITS}, [ROW]), 2 * (TERMS + TERMS)),
        (lambda t: t.worst([(0, 1)] * TERMS, [0] * TERMS, 1), 3 * TERMS),
        (lambda t: t.worst([(0, 1)] * TERMS, [1 << 2 * STEP_BITS, 0, 0, 0, 0], 1), 3 * 3 * TERMS),
        (lambda t: t.along([ROW] * 3, Theta({0: 1}, 1)), 3 * TERMS),
        (lambda t: t.value(Theta({0: 1, 1: 1}, 1 << STEP_BITS), 1), 2 * 2),
    ],
)
def test_what_is_looked_at_is_counted_and_long_numbers_count_more(take, steps):
    assert steps_of(take) == steps


def test_more_steps_than_are_left_are_refused():
    steps = Steps(10)
    steps.take(10)
    with pytest.raises(CertificateError, match="more than 3000000000 steps take too long to check"):
        steps.take(1)
