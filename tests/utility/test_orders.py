"""A θ that ranks a subset first keeps to the statements, and is missing where no order of theirs allows it."""

from hypothesis import given, settings
from hypothesis import strategies as st
from instances import stated

from elicit.knowledge.statements import Relation
from elicit.utility.monomials import Monomials
from elicit.utility.orders import ranking_first


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_order_of_independent_rows_has_a_utility_with_any_subset_that_nothing_beats_first(data):
    n = data.draw(st.integers(2, 3))
    monomials = Monomials.full(n, n)  # of full degree the rows of all subsets are independent
    masks = data.draw(st.permutations(range(1, 1 << n)))
    # whoever is said to be better stands earlier, so no statements go in a circle
    pairs = data.draw(
        st.lists(st.tuples(*[st.integers(0, len(masks) - 1)] * 2).filter(lambda p: p[0] < p[1]), max_size=8)
    )
    said = [stated(masks[i], masks[j]) for i, j in pairs]
    for subset in masks:
        found = ranking_first(subset, masks, said, monomials)
        assert (found is None) == any(s.worse == subset for s in said)
        if found is not None:
            values = dict(zip(masks, found.values(masks), strict=True))
            assert max(values.values()) == values[subset]
            assert all(values[s.better] > values[s.worse] for s in said)
            assert max(map(abs, found.theta.values())) == 1


def test_circles_and_equalities_are_left_to_the_programs():
    monomials = Monomials.full(3, 2)
    circle = [stated(1, 2), stated(2, 1)]
    assert ranking_first(4, [1, 2, 4], circle, monomials) is None
    assert ranking_first(4, [1, 2, 4], [stated(1, 2, Relation.EQUAL)], monomials) is None


def test_where_the_rows_depend_on_each_other_what_is_found_is_first_or_nothing_is():
    monomials = Monomials.full(3, 1)
    masks = list(range(1, 8))
    found = [ranking_first(subset, masks, [], monomials) for subset in masks]
    for subset, theta in zip(masks, found, strict=True):
        if theta is not None:
            values = theta.values(masks)
            assert values[masks.index(subset)] == values.max()
    assert any(theta is not None for theta in found)
