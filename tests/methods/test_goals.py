"""The three goals order subsets as their sentences say."""

import math
from dataclasses import asdict

import pytest
from played import play

from elicit.errors import InputError
from elicit.methods import Exhaustive, Method, Reaching, Sequential, Sized, Space, TradeOff
from elicit.methods.goals import goal_from
from elicit.subsets import Attributes, Family

WORTH = {0b001: 0.5, 0b010: 0.7, 0b100: 0.7, 0b011: 0.8, 0b101: 0.9, 0b110: 0.9, 0b111: 0.9}


@pytest.mark.parametrize(
    ("goal", "best"),
    [
        (TradeOff(), 0b101),  # .9 with two attributes, the lower mask
        (Sized(1), 0b010),
        (Sized(3), 0b111),
        (Reaching(0.7), 0b010),
        (Reaching(0.75), 0b101),  # the smallest size that reaches it, and the best there
        (Reaching(0.9 + 1e-10), 0b101),  # equal at 1e-9
        (Reaching(0.95), 0b101),  # nothing reaches it: the best there is
    ],
)
def test_the_best_is_what_the_goal_says(goal, best):
    found = play(Exhaustive(), 3, WORTH.__getitem__, goal=goal)
    assert found.best == best
    assert goal.met(best, WORTH[best]) == (goal != Reaching(0.95))


@pytest.mark.parametrize(
    ("goal", "order"),
    [
        (TradeOff(), [0b101, 0b110, 0b111, 0b011, 0b010, 0b100, 0b001]),
        (Sized(3), [0b111, 0b101, 0b110, 0b011, 0b010, 0b100, 0b001]),  # the nearest in size first
        (Sized(1), [0b010, 0b100, 0b001, 0b101, 0b110, 0b011, 0b111]),
        (Reaching(0.7), [0b010, 0b100, 0b101, 0b110, 0b011, 0b111, 0b001]),  # the smallest that reach it first
    ],
)
def test_a_goal_orders_all_subsets(goal, order):
    assert sorted(WORTH, key=lambda mask: goal.rank(mask, WORTH[mask]), reverse=True) == order


def test_of_two_as_near_in_size_and_as_good_the_smaller_comes_first():
    assert Sized(2).rank(0b001, 0.5) > Sized(2).rank(0b111, 0.5)
    assert Sized(2).rank(0b111, 0.6) > Sized(2).rank(0b001, 0.5)


def test_a_goal_is_read_as_it_is_told():
    for goal in (TradeOff(), Sized(6), Reaching(0.97)):
        assert goal_from(str(goal)) == goal
    assert goal_from(str(Reaching(0.9765432))) == Reaching(0.9765432) != goal_from("reach:0.9765434")


@pytest.mark.parametrize("text", ["size", "size:0", "size:-1", "size:2.5", "reach:", "reach:inf", "score:3", "trade"])
def test_what_names_no_goal_is_refused(text):
    with pytest.raises(InputError, match="a goal is"):
        goal_from(text)


def test_what_could_not_be_measured_is_never_better():
    for goal in (TradeOff(), Sized(1), Reaching(0.5)):
        assert goal.rank(0b1, -math.inf) < goal.rank(0b111, 0.0)
        assert not goal.met(0b1, -math.inf)


@pytest.mark.parametrize("size", [0, -1, 2.5, True])
def test_a_size_is_a_whole_number(size):
    with pytest.raises(InputError, match="whole number of at least 1"):
        Sized(size)


@pytest.mark.parametrize("least", [math.nan, math.inf, 1e300, -(10**400), "0.9", True])
def test_a_value_to_reach_is_finite(least):
    with pytest.raises(InputError, match="finite number"):
        Reaching(least)


@pytest.mark.parametrize(
    ("family", "size", "message"),
    [
        (Family(4), 5, "the goal is a size of 5, but the sizes here are 1 to 4"),
        (Family(4, max_size=2), 3, "the sizes here are 1 to 2"),
        (Family(4, keep=0b11), 1, "the sizes here are 2 to 4"),
        (Family(4, keep=0b11, drop=0b1100), 3, "the sizes here are 2"),
    ],
)
def test_a_size_outside_the_family_is_refused(family, size, message):
    with pytest.raises(InputError, match=message):
        play(Sequential(), 4, lambda _: 0.0, goal=Sized(size), family=family)


def test_a_start_must_fit():
    with pytest.raises(InputError, match="the start holds an attribute that is dropped"):
        Space(Family(3, drop=0b1), start=0b11)
    with pytest.raises(InputError, match="beyond the 3"):
        Space(Family(3), start=0b1000)


@pytest.mark.parametrize("goal", [TradeOff(), Sized(2), Reaching(0.5)])
def test_a_journal_tells_apart_whatever_can_be_set_of_a_goal(goal):
    told = Method("sfs", Sequential(), goal=goal).plain(Attributes.numbered(3))["goal"]
    assert list(told.values()) == list(asdict(goal).values())
