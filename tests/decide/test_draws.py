"""Draws follow the law in force: which index, whose places, and when one of the first is smaller."""

from types import SimpleNamespace

import numpy as np
import pytest

from elicit.decide.draws import MOST_INDEXED, ONE_SMALLER_IN, Draws
from elicit.decide.outlook import Outlook
from elicit.decide.settings import Settings
from elicit.subsets import Family

N = 4
PRIOR, POWER = np.array([4.0, 3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0])


def draws(
    *,
    family=None,
    prior=None,
    evaluated=1,
    spent=0.0,
    informative=True,
    decides=True,
    by_prior=False,
    starting=False,
    **chosen,
):
    beliefs = SimpleNamespace(
        family=Family(N) if family is None else family,
        settings=Settings(**chosen),
        evaluated=range(evaluated),
        spent=spent,
        decides=decides,
        utilities=SimpleNamespace(informative=informative),
        theta=SimpleNamespace(power=lambda: POWER),
    )
    outlook = Outlook(0, None if prior is None else np.array(prior))
    return Draws(beliefs, np.random.default_rng(0), outlook, by_prior=by_prior, starting=starting)


@pytest.fixture
def drawn(monkeypatch):
    """The law, the index and the temperature of each draw."""
    found = []

    def draw(law, index, family, _rng, temperature=None):
        found.append((law, index.tolist(), temperature))
        return family.largest

    monkeypatch.setattr("elicit.decide.draws.draw", draw)
    return found


@pytest.mark.parametrize(
    ("known", "index"),
    [
        ({}, POWER),
        ({"prior": PRIOR}, POWER),
        ({"informative": False}, [0.0] * N),
        ({"informative": False, "prior": PRIOR}, PRIOR),
        ({"evaluated": MOST_INDEXED}, POWER),
        ({"evaluated": MOST_INDEXED + 1}, [0.0] * N),
        ({"evaluated": MOST_INDEXED + 1, "prior": PRIOR}, PRIOR),
        ({"evaluated": MOST_INDEXED + 1, "explore": "law"}, POWER),
        ({"index": "gap", "decides": False}, POWER),
        ({"explore": "sequential", "decides": False}, POWER),
        ({"starting": True, "prior": PRIOR, "informative": False}, PRIOR),
    ],
)
def test_draws_go_by_the_prior_until_something_is_known_and_then_by_what_is(known, index, drawn):
    draws(law="logistic", temperature=2.5, **known).one()
    assert drawn == [("logistic", list(index), 2.5)]


@pytest.mark.parametrize(("spent", "temperature"), [(0.0, 2.0), (0.5, 1.0), (1.0, 0.5)])
def test_draws_cool_down_as_the_budget_is_spent(spent, temperature, drawn):
    draws(law="logistic", temperature=2.0, cooling=0.25, spent=spent).one()
    assert drawn[0][2] == temperature


@pytest.mark.parametrize("index", ["gap", "joint"])
def test_an_index_over_the_set_is_the_one_that_is_named_and_its_dust_is_neither_above_nor_below_0(
    index, drawn, monkeypatch
):
    asked = []

    def gap_index(_utilities, some, joint):
        asked.append((len(some), joint))
        return np.array([-1e-12, 1e-12, 0.5, -0.5])

    monkeypatch.setattr("elicit.decide.draws.gap_index", gap_index)
    for parsimony, share in (("exact", 0.5), (0.1, 2**0.5)):
        draws(index=index, index_samples=3, law="sized", parsimony=parsimony).one()
        law, found, _ = drawn.pop()
        assert law == "sized"
        assert found == pytest.approx([0.0, 0.0, share, -share])
        assert not np.signbit(found[:2]).any()
        assert found[:2] == [0.0, 0.0]
    assert asked == [(3, index == "joint")] * 2


def test_an_index_below_0_throughout_tells_attributes_apart_in_the_parsimonious_set_alone(monkeypatch):
    below = np.array([-4.0, -9.0, -8.0, -7.0])  # laws take what is below 0 for 0
    monkeypatch.setattr("elicit.decide.draws.gap_index", lambda _utilities, _some, joint: below)  # noqa: ARG005
    for parsimony, favours in (("exact", False), (0.1, True)):
        drawing = draws(index="gap", law="proportional", parsimony=parsimony)
        masks = [drawing.one() for _ in range(300)]
        assert all(mask & 1 for mask in masks) == favours


@pytest.mark.parametrize(("explore", "by"), [("sequential", "joining"), ("sequential-source", "joining_as_printed")])
def test_attribute_by_attribute_one_draws_as_it_is_meant_or_as_it_is_printed(explore, by, monkeypatch):
    monkeypatch.setattr(f"elicit.decide.draws.{by}", lambda _: lambda _v, x: float(x == 2))
    assert draws(explore=explore).one() == 0b100


def test_draws_by_a_prior_are_around_the_best(monkeypatch):
    asked = []

    def outlooks(_outlook, _family, _rng, around):
        asked.append(around)
        return 1 + len(asked) % 2

    monkeypatch.setattr(Outlook, "drawn", outlooks)
    assert draws(prior=PRIOR, by_prior=True, draws=3).some([0b11]) == [2, 1]
    assert asked == [[0b11]] * 3


def test_where_a_family_ends_far_below_half_one_first_draw_in_so_many_is_smaller():
    far = Family(30, keep=0b1, max_size=9)  # eight of twenty-nine
    smaller = draws(family=far, evaluated=0, starting=True)
    sizes = {smaller.one(chosen=ONE_SMALLER_IN * k).bit_count() for k in range(200)}
    assert sizes == set(range(2, 9)), "smaller than most, and never without an attribute besides those kept"
    for k in range(1, ONE_SMALLER_IN):
        assert draws(family=far, evaluated=k, starting=True).one().bit_count() == 9
        assert draws(family=far, evaluated=0, starting=True).one(chosen=k).bit_count() == 9
    assert draws(family=far, evaluated=1, starting=True).one(chosen=ONE_SMALLER_IN - 1).bit_count() < 9


@pytest.mark.parametrize(("most", "smaller"), [(1, False), (2, True), (31, True), (32, False), (64, False)])
def test_far_below_half_are_two_standard_deviations_and_more_than_one_attribute(most, smaller, drawn):
    # 40 are half, and 8.9 the deviation twice
    looks = draws(family=Family(80, max_size=most), evaluated=0, starting=True)
    found = {looks.one().bit_count() for _ in range(10)}
    assert bool(drawn) != smaller
    assert (max(found) < most) == smaller
