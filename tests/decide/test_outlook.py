"""Where a prior says to look, and that it says nothing where a way down is affordable."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.asks import Done, Evaluate, Failure, Measured
from elicit.decide.elicitation import Elicitation
from elicit.decide.outlook import WIDER, Outlook, places
from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.events import Answer
from elicit.subsets import Attributes, Family, mask_of


def first_looks(budget, n=12, **named):
    elicitation = Elicitation(
        Attributes.numbered(n), settings=Settings(budget=budget), prior=np.arange(n, 0, -1.0), **named
    )
    found = []
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Evaluate):
            found.append(request.subset)
            size = request.subset.bit_count()
            elicitation.tell(request.id, Measured((1 - abs(size - 3) / n, float(size))))
        else:
            elicitation.tell(request.id, Answer.FIRST)
    return found


def test_where_a_way_down_is_affordable_the_ladder_is_not_climbed():
    assert first_looks(40)[0] == (1 << 12) - 1
    assert first_looks(20)[:5] == [mask_of(range(k)) for k in (1, 2, 4, 8, 12)]
    assert first_looks(20, rows=40)[:4] == [mask_of(range(k)) for k in (1, 2, 4, 12)]


def test_a_failure_on_the_ladder_leads_to_its_next_step():
    elicitation = Elicitation(Attributes.numbered(12), settings=Settings(budget=20), prior=np.arange(12, 0, -1.0))
    asked = []
    for _ in range(5):
        request = elicitation.ask()
        asked.append(request.subset)
        elicitation.tell(request.id, Failure("no"))
    assert asked == [mask_of(range(k)) for k in (1, 2, 4, 8, 12)]


@given(st.data())
def test_every_draw_is_in_the_family_and_not_much_larger_than_what_it_is_drawn_around(data):
    n = data.draw(st.integers(1, 12))
    keep = data.draw(st.integers(0, (1 << n) - 2))
    most = data.draw(st.integers(max(1, keep.bit_count()), n))
    family = Family(n, keep, max_size=most)
    prior = np.array(data.draw(st.lists(st.floats(-5, 5), min_size=n, max_size=n)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    outlook = Outlook(3, data.draw(st.sampled_from([None, prior])), data.draw(st.sampled_from([None, 1, 35, 1000])))
    assert all(mask in family for mask in outlook.ladder(family))
    around = [outlook.drawn(family, rng) for _ in range(3)]
    assert all(mask in family for mask in around)
    if outlook.prior is not None:
        assert all((mask & ~keep).bit_count() <= outlook.widest(family) for mask in around)
        widest = max((mask & ~keep).bit_count() for mask in around)
        drawn = outlook.drawn(family, rng, around)
        assert drawn in family
        assert (drawn & ~keep).bit_count() <= max(1, WIDER * widest, n if not widest else 0)


FEW = Family(9, keep=0b11, drop=0b100)  # six are free


@pytest.mark.parametrize(
    ("rows", "most", "sizes"),
    [
        (None, None, [1, 2, 4, 6]),
        (40, None, [1, 2, 4, 6]),
        (39, None, [1, 2, 6]),
        (9, None, [1, 6]),
        (None, 5, [1, 2]),
        (None, 2, []),
    ],
)
def test_the_ladder_counts_what_is_free_to_come_in(rows, most, sizes):
    family = FEW if most is None else Family(9, keep=FEW.keep, drop=FEW.drop, max_size=most)
    prior = np.array([9, 8, 7, 1, 3, 6, 5, 2, 4.0])
    free = [5, 6, 8, 4, 7, 3]  # by that prior
    assert Outlook(0, prior, rows).ladder(family) == [0b11 | mask_of(free[:size]) for size in sizes]


def test_a_draw_around_nothing_is_of_any_size_and_what_is_kept_makes_none_wider():
    outlook, rng = Outlook(0, np.arange(9.0)), np.random.default_rng(0)
    sizes = {(outlook.drawn(FEW, rng) & ~0b11).bit_count() for _ in range(200)}
    assert sizes == set(range(1, 7))
    around = {(outlook.drawn(FEW, rng, [0b10011]) & ~0b11).bit_count() for _ in range(200)}
    assert around == {1, WIDER}


def test_a_draw_is_of_any_size_alike_in_its_logarithm_and_one_attribute_is_the_likelier_the_better_its_place():
    """Against the odds: of one attribute 1 over its place, and equal ones have places in their order."""
    prior, times = np.array([1.0, 3.0, 1.0, 2.0]), 4000
    outlook, rng, family = Outlook(0, prior), np.random.default_rng(0), Family(4)
    drawn = [outlook.drawn(family, rng) for _ in range(times)]
    sizes = np.bincount([m.bit_count() for m in drawn], minlength=5)[1:] / times
    assert sizes == pytest.approx(np.diff(np.log([1, 1.5, 2.5, 3.5, 4])) / np.log(4), abs=0.03)
    alone = [m for m in drawn if m.bit_count() == 1]
    odds = 1 / np.array([3, 1, 4, 2])
    assert [alone.count(1 << i) / len(alone) for i in range(4)] == pytest.approx(odds / odds.sum(), abs=0.05)


def test_without_a_prior_nothing_is_expected_of_anybody_and_draws_are_at_even_odds():
    outlook, rng = Outlook(), np.random.default_rng(0)
    drawn = [outlook.drawn(Family(20), rng) for _ in range(2000)]
    assert [sum(m >> i & 1 for m in drawn) / 2000 for i in range(20)] == pytest.approx([0.5] * 20, abs=0.06)
    assert outlook.weights(3).tolist() == [1, 1, 1]
    assert Outlook(prior=np.array([5.0, 9.0, 7.0])).weights(3).tolist() == [1 / 3, 1, 1 / 2]


def test_a_draw_may_be_as_wide_as_the_widest_that_it_is_drawn_around():
    outlook, rng = Outlook(0, np.arange(40.0)), np.random.default_rng(0)
    around = [mask_of(range(5)), 0b1, mask_of(range(2))]
    assert {outlook.drawn(Family(40), rng, around).bit_count() for _ in range(300)} == set(range(1, 5 * WIDER + 1))


def test_a_draw_has_no_more_attributes_than_the_rows_allow():
    outlook, rng = Outlook(0, np.arange(40.0), rows=39), np.random.default_rng(0)
    for around in ([], [mask_of(range(30))]):
        assert {outlook.drawn(Family(40), rng, around).bit_count() for _ in range(100)} == {1, 2, 3}


def test_where_what_is_kept_leaves_no_room_every_draw_is_what_is_kept():
    outlook = Outlook(0, np.arange(4.0))
    assert outlook.drawn(Family(4, keep=0b11, max_size=2), np.random.default_rng(0)) == 0b11


def test_of_many_attributes_that_a_prior_takes_for_equal_the_first_come_first():
    prior = np.repeat([2.0, 3.0], 50)
    steps = [mask_of(range(50, 50 + (1 << k))) for k in range(6)]
    assert Outlook(0, prior).ladder(Family(100))[:7] == [*steps, mask_of([*range(14), *range(50, 100)])]
    assert places(prior).tolist() == [*range(51, 101), *range(1, 51)]


@pytest.mark.parametrize("rows", [0, -3, 2.5, True, "many"])
def test_rows_are_a_number_of_rows(rows):
    with pytest.raises(InputError, match="rows must be a whole number of at least 1"):
        Elicitation(Attributes.numbered(3), rows=rows)
