"""Recursive elimination follows the importances, whatever they come from."""

import pytest
from played import play

from elicit.errors import InputError, ModelError
from elicit.methods import Elimination, Sized
from elicit.subsets import Family, members

#: The importance of each of five attributes, whatever the others.
FIXED = (3.0, 1.0, 5.0, 1.0, 4.0)


def fixed(mask):
    return [FIXED[i] for i in members(mask)]


def test_the_least_important_goes_first_and_of_equals_the_later_one():
    found = play(Elimination(fixed), 5, lambda mask: float(mask.bit_count() == 3))
    assert list(found.values) == [0b11111, 0b10111, 0b10101, 0b10100, 0b00100]
    assert found.best == 0b10101
    assert found.ended.chosen is None, "the goal chooses among them"


def test_importances_are_asked_for_again_after_each_step():
    asked = []

    def importance(mask):
        asked.append(mask)
        return [-i for i in members(mask)] if mask == 0b111 else list(members(mask))

    assert list(play(Elimination(importance), 3, lambda _: 0.0).values) == [0b111, 0b011, 0b010]
    assert asked == [0b111, 0b011]


def test_several_may_go_at_once_and_the_last_step_ends_at_the_goal():
    sizes = [mask.bit_count() for mask in play(Elimination(fixed, step=3), 5, lambda _: 0.0).values]
    assert sizes == [5, 2, 1]
    sizes = [mask.bit_count() for mask in play(Elimination(fixed, step=0.4), 5, lambda _: 0.0).values]
    assert sizes == [5, 3, 1]  # two of five each time
    sizes = [mask.bit_count() for mask in play(Elimination(fixed, step=0.1), 5, lambda _: 0.0).values]
    assert sizes == [5, 4, 3, 2, 1]  # half of one is one all the same
    found = play(Elimination(fixed, step=2), 5, lambda _: 0.0, goal=Sized(2))
    assert list(found.values) == [0b10100]
    assert found.ended.chosen == 0b10100


def test_what_is_kept_stays_and_what_is_dropped_never_comes():
    family = Family(5, keep=0b00010, drop=0b00100)
    assert list(play(Elimination(fixed), 5, lambda _: 0.0, family=family).values) == [0b11011, 0b10011, 0b10010, 0b10]
    assert next(iter(play(Elimination(fixed), 5, lambda _: 0.0, start=0b01011).values)) == 0b01011


@pytest.mark.parametrize("step", [0, -1, 1.5, True])
def test_a_step_is_a_number_or_a_share(step):
    with pytest.raises(InputError, match="a step is a whole number of attributes, or a share below 1"):
        Elimination(fixed, step)


def test_an_importance_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="expected an importance for each of 3 attributes, found 1"):
        play(Elimination(lambda _: [1.0]), 3, lambda _: 0.0)


def test_where_the_model_cannot_be_fitted_it_ends_with_what_was_on_the_way():
    def importance(mask):
        if mask.bit_count() == 3:
            raise ModelError("no importance of three")
        return fixed(mask)

    found = play(Elimination(importance), 5, lambda _: 0.0)
    assert list(found.values) == [0b11111, 0b10111, 0b10101]
    assert (found.ended.why, found.ended.chosen) == ("the elimination cannot go on: no importance of three", None)
    found = play(Elimination(importance), 5, lambda _: 0.0, goal=Sized(2))
    assert (found.values, found.ended.chosen) == ({}, None)
