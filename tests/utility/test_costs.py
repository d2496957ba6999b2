"""Monomials that multipliers break, and the largest of them: all are looked at, a part at a time."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.subsets import mask_of
from elicit.utility import costs
from elicit.utility.costs import Costs, Parsimony
from elicit.utility.monomials import Monomials


@st.composite
def forms(draw):
    """n, a degree, and Σ_x c_x f(x) with whole c_x."""
    n = draw(st.integers(2, 7))
    masks = st.integers(1, (1 << n) - 1)
    return n, draw(st.integers(2, min(3, n))), draw(st.dictionaries(masks, st.integers(-4, 4).map(float), max_size=8))


def share(form, term):
    """|Σ_x c_x φ(x)_S|."""
    return abs(sum(c for x, c in form.items() if x & term == term))


def terms(n, degrees):
    return [mask_of(chosen) for k in degrees for chosen in combinations(range(n), k)]


@pytest.fixture(scope="module", autouse=True)
def few_at_once():
    """No program lists all monomials, and a few pairs are worked out at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs, "LISTED_AT_ONCE", 0)
        patch.setattr(costs, "PAIRS_AT_ONCE", 7)
        yield


@given(forms(), st.sampled_from([0.0, 0.4, 1.0]))
def test_all_that_exceed_their_weight_are_found_the_worst_first(form, sigma):
    n, degree, c = form
    settings = Parsimony(degree=degree)
    excess = {t: share(c, t) - sigma * settings.weights[t.bit_count() - 1] for t in terms(n, range(2, degree + 1))}
    expected = sorted((t for t in excess if excess[t] > 1e-6), key=lambda t: (-excess[t], t))
    found = Costs(n, (), (), settings).violated(c, sigma, Monomials.support(n, ()))
    assert found == expected[: costs.ENTER_AT_ONCE]


@given(forms())
def test_what_is_known_already_is_not_found_again(form):
    n, degree, c = form
    settings = Parsimony(degree=degree)
    pairs = [t for t in terms(n, [2]) if t & 1]
    found = Costs(n, (), (), settings).violated(c, 0.0, Monomials.support(n, pairs))
    assert not set(found) & set(pairs)
