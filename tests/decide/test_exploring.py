"""What is proposed and what is rejected: never anything twice, in which order, and what is recorded of it."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide import climbing, exploring
from elicit.decide.elicitation import Elicitation
from elicit.decide.exploring import ENOUGH_FAILED, SECOND_LOOK, propose, recorded, sampled
from elicit.decide.outlook import WIDER, Outlook
from elicit.decide.restarts import ANEW, DRAWS
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.operators import SimulatedOperator
from elicit.oracles import SyntheticOracle
from elicit.subsets import Attributes, Family, simplest


@given(st.integers(0, 2**12), st.integers(0, 12), st.floats(-1e-11, 1e-11))
def test_a_price_that_is_a_simple_fraction_is_recorded_the_same_whatever_the_solver_adds(numerator, power, dust):
    price = float(Fraction(numerator, 2**power))
    assert recorded(price + dust) == recorded(price)
    assert recorded(price) == pytest.approx(price, abs=6e-7)


def rejections(**changes):
    """How many subsets were evaluated at each round of one run in which a proposal was rejected."""
    oracle = SyntheticOracle.drawn(9, np.random.default_rng(0), size=True)
    chosen = Settings(ask_every=1, budget=60, detour=0, **changes)  # so that none is rejected on the way down
    elicitation = Elicitation(oracle.attributes, oracle.criteria, chosen, seed=0)
    drive(elicitation, oracle, SimulatedOperator("score - 0.1 * size", oracle.criteria))
    rounds = elicitation.history.rounds
    known = np.cumsum([0, *(len(r.evaluate) for r in rounds)]).tolist()
    return [k for k, r in zip(known, rounds, strict=False) if r.rejected]


def test_a_forecast_that_knows_very_many_is_believed_unless_rejections_are_counted(monkeypatch):
    found = rejections()
    assert min(found) < 28
    assert max(found) > 50
    monkeypatch.setattr(exploring, "MOST_TO_REJECT", 28)
    found = rejections()
    assert 26 <= min(found) <= max(found) <= 28
    monkeypatch.setattr(exploring, "MOST_TO_REJECT", 20)
    assert not rejections()
    assert rejections(stop=("rejections",))
    assert max(rejections(explore="law")) > 50


def known(family, evaluated=(), *, failed=(), rejected=(), prices=(), informative=False, spent=0.0, **choices):
    """Beliefs of which only this is known: what has a price is rejected, and if they are informative, the larger a mask
    the more it is liked.

    evaluated: subsets, the first at request 1; rejected: at which request each was before.
    """
    prices = dict(prices)
    utilities = SimpleNamespace(
        informative=informative, excluded=lambda m: SimpleNamespace(price=prices[m]) if m in prices else None
    )
    history = SimpleNamespace(
        evaluated={m: SimpleNamespace(request=k) for k, m in enumerate(evaluated, start=1)},
        failed=dict.fromkeys(failed),
        rejected={m: SimpleNamespace(request=k) for m, k in dict(rejected).items()},
        vectors=None,
    )
    return SimpleNamespace(
        history=history,
        family=family,
        settings=Settings(**{"explore": "law", **choices}),
        evaluated=[*evaluated],
        spent=spent,
        decides=True,
        incumbent=next(iter(evaluated), None),
        favourite=next(iter(evaluated), None),
        utilities=utilities,
        liked_best=max,
        theta=SimpleNamespace(power=lambda: np.zeros(family.n)),
        plausible=SimpleNamespace(
            subsets=[*evaluated], expected=np.arange(len(evaluated), 0, -1.0), sample=lambda *_: (None, None)
        ),
    )


def proposed(beliefs, count=1, *, seed=0, needed=None, outlook=None):
    return propose(beliefs, count, np.random.default_rng(seed), outlook or Outlook(), needed)


FEW = Family(3)
ALL = [*FEW]


def test_what_a_proof_waits_for_comes_first_as_far_as_it_is_new():
    assert proposed(known(FEW), 1, needed=6).evaluate == (6,)
    mixed = proposed(known(FEW), 3, needed=6)
    assert mixed.evaluate[0] == 6
    assert len(set(mixed.evaluate)) == 3
    assert mixed.why == "a proof of optimality needs it"
    assert proposed(known(FEW, [6]), 1, needed=6).why == "drawn"
    assert proposed(known(FEW, failed=[6]), 1, needed=6).why == "drawn"
    assert proposed(known(Family(3, drop=0b100)), 1, needed=6).evaluate[0] < 4, "it is not in the family"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("patience", [1, 2, 4, 7, 9])
def test_when_patience_runs_out_the_cheapest_of_the_rejected_is_evaluated_of_those_equal_the_simplest(seed, patience):
    prices = {m: float(m % 2) for m in ALL}
    found = proposed(known(FEW, prices=prices, patience=patience), seed=seed)
    (taken,) = found.evaluate
    rejected = dict(found.rejected)
    assert len({taken, *rejected}) == min(patience, len(ALL))
    assert taken not in rejected
    assert taken == min([taken, *rejected], key=lambda m: (prices[m], simplest(m)))


@pytest.mark.parametrize(("most", "count"), [(1, 1), (4, 4), (50, len(ALL))])
def test_where_rejections_may_end_a_run_none_of_them_is_evaluated_after_all(most, count):
    found = proposed(known(FEW, prices=dict.fromkeys(ALL, 0.5), stop=("rejections",), rejections=most), 3)
    assert found.evaluate == ()
    assert len(dict(found.rejected)) == count


def test_what_the_exact_set_rejects_has_no_price():
    assert dict(proposed(known(FEW, prices=dict.fromkeys(ALL, None), patience=9)).rejected).keys() < set(ALL)
    found = proposed(known(FEW, prices=dict.fromkeys(ALL, None), stop=("rejections",)))
    assert dict(found.rejected) == dict.fromkeys(ALL, -1.0)


@pytest.mark.parametrize("spent", [0.0, 0.25, 1.0])
def test_with_caution_a_rejection_needs_a_price_that_falls_to_tau(spent):
    prices = {m: 0.2 + m / 10 for m in ALL}
    chosen = {"parsimony": 0.2, "caution": 4.0, "patience": 9, "stop": ("rejections",)}
    found = [proposed(known(FEW, prices=prices, spent=spent, **chosen), seed=seed) for seed in range(30)]
    rejected = {m for proposal in found for m, _ in proposal.rejected}
    enough = 0.2 * (1 + 4.0 * (1 - spent))
    assert rejected == {m for m in ALL if prices[m] > enough}
    assert {0.0: set(), 0.25: {7}, 1.0: set(ALL)}[spent] == rejected


@pytest.mark.parametrize(("request_", "again"), [(1, True), (2, False)])
def test_a_rejection_is_looked_at_again_after_so_many_evaluations(request_, again):
    evaluated = [*Family(4)][:SECOND_LOOK]
    old, other, *failed = [*Family(4)][SECOND_LOOK:]
    beliefs = known(Family(4), evaluated, failed=failed, rejected={old: request_})
    found = {proposed(beliefs, seed=seed).evaluate[0] for seed in range(20)}
    assert found == ({old, other} if again else {other})


def test_only_the_rejected_are_looked_at_again_once_nothing_else_is_left():
    assert proposed(known(FEW, [1, 2, 3, 4], failed=[5, 6, 7]), 3).evaluate == ()
    left = known(FEW, [1, 2, 3, 4], failed=[5, 6], rejected={7: 4})
    assert proposed(left, 3).evaluate == (7,)
    again = proposed(known(FEW, [1, 2, 3, 4], failed=[5, 6], rejected={7: 4}, prices={7: 0.5}, stop=("rejections",)), 3)
    assert (again.evaluate, again.rejected) == ((), ((7, 0.5),))
    many = Family(9)  # draws miss the last one, and what was rejected is liked better
    beliefs = known(many, [m for m in many if m not in (5, 511)], rejected={511: 600})
    assert {proposed(beliefs, seed=seed).evaluate for seed in range(4)} == {(5,)}


@pytest.mark.parametrize("family", [Family(4), Family(6, keep=0b1, drop=0b10, max_size=4), Family(6, max_size=1)])
def test_in_a_family_too_large_to_list_a_walk_finds_what_draws_keep_missing(family, monkeypatch):
    monkeypatch.setattr(exploring, "MOST_LISTED", family.count() - 1)
    monkeypatch.setattr(exploring, "MOST_STALE", 0)
    monkeypatch.setattr(type(family), "__iter__", None)
    members = [m for m in range(1, 1 << family.n) if m in family]
    for left in members[::3]:
        assert proposed(known(family, [m for m in members if m != left])).evaluate == (left,)
    assert proposed(known(family, members)).evaluate == ()


def test_where_only_failures_are_known_attributes_are_tried_alone():
    family, failed = Family(9), [0b11, 0b101, 0b110, 0b111, 0b1001]
    alone = tuple(family.alone(ENOUGH_FAILED))
    assert len(failed) == ENOUGH_FAILED
    assert proposed(known(family, failed=failed), len(alone)).evaluate == alone
    assert proposed(known(family, alone[:1], failed=failed), len(alone) - 1).evaluate == alone[1:]
    for others in (known(family, [0b1010], failed=failed), known(family, failed=failed[1:])):
        assert proposed(others, len(alone)).evaluate != alone


@pytest.mark.parametrize("first", ["path", "all", "drawn"])
def test_all_attributes_come_first_unless_draws_alone_are_wished_for_and_a_first_look_rejects_nothing(first):
    beliefs = known(Family(5), prices=dict.fromkeys(Family(5), 0.5), first=first)
    found = [proposed(beliefs, seed=seed, outlook=Outlook(3)) for seed in range(8)]
    assert not any(f.rejected for f in found)
    assert {f.why for f in found} == {"a first look at the family"}
    assert ({f.evaluate for f in found} == {(0b11111,)}) == (first != "drawn")


def test_neighbours_or_draws_are_proposed_by_their_share_the_one_liked_best():
    family, centre = Family(8), 0b11
    near = {*family.neighbours(centre), *family.swaps(centre)}
    around = known(family, [centre], informative=True, explore="model", neighbours=1.0)
    assert {proposed(around, seed=seed).evaluate for seed in range(5)} == {(max(near),)}
    drawn = known(family, [centre], informative=True, explore="model", neighbours=0.0, draws=1)
    assert not {proposed(drawn, seed=seed).evaluate[0] for seed in range(9)} <= near
    unknown = known(family, [centre], explore="model", neighbours=1.0)
    chosen = {proposed(unknown, seed=seed).evaluate[0] for seed in range(20)}
    assert chosen <= near
    assert len(chosen) > 5, "while nothing is known one is as good as another"
    nothing_yet = known(family, explore="model", neighbours=1.0)
    assert proposed(nothing_yet).evaluate[0] in family
    one_left = known(FEW, ALL[:-1], explore="model", neighbours=1.0)  # far from the first, which is liked best
    assert proposed(one_left).evaluate == (7,)


@pytest.mark.parametrize("choices", [{"first": "all"}, {"explore": "law"}, {"explore": "model"}])
def test_a_prior_says_what_comes_first_only_on_a_path_that_a_forecast_goes_on(choices):
    for changed, first in ((choices, 0b11111111), ({}, 0b1)):
        prior, settings = np.arange(8, 0, -1.0), Settings(budget=16, **changed)
        assert Elicitation(Attributes.numbered(8), settings=settings, prior=prior).ask().subset == first


class Forecasts:
    """Forecasts of nothing but what was believed: each chosen one makes all around it promise less."""

    made: list[tuple] = []  # noqa: RUF012

    def __init__(self, *given, believed=()):
        self.believed = believed
        if given:
            self.made.append(given)

    def believing(self, subset):
        return Forecasts(believed=(*self.believed, subset))

    def promise(self, subset):
        return -float(subset) - sum(100.0 for m in self.believed if (m ^ subset).bit_count() == 1)


@pytest.fixture
def forecasts(monkeypatch):
    """What forecasts were made of, and what was then judged at once, with how many since the last beginning."""
    judged = []

    def log_gain(forecast, _crowd, _operators, _shares, part, since, _agreement):
        judged.append(([*part], since))
        return np.array([forecast.promise(m) for m in part])

    monkeypatch.setattr(exploring, "Forecast", Forecasts)
    monkeypatch.setattr(exploring, "log_gain", log_gain)
    monkeypatch.setattr(exploring, "CENTRES", 1)
    monkeypatch.setattr(climbing, "CLIMBS", 0)
    Forecasts.made.clear()
    return judged


def test_each_of_a_batch_is_chosen_as_if_those_before_it_had_come_out_as_forecast(forecasts):
    found = proposed(known(Family(6), [0b110000], explore="gain", first="all", draws=1), 3)
    pool = {*Family(6).neighbours(0b110000), *Family(6).swaps(0b110000)}
    believed, expected = Forecasts(), []
    drawn = set(forecasts[0][0]) - pool
    assert len(drawn) <= 1
    for _ in range(3):
        best = max((pool | drawn) - set(expected), key=believed.promise)
        expected.append(best)
        believed = believed.believing(best)
    assert found.evaluate == tuple(expected)
    assert found.why == "where plausible operators may gain most"


@pytest.mark.usefixtures("forecasts")
@pytest.mark.parametrize(("choices", "counts"), [({}, 2), ({"agreement": 3}, 3), ({"first": "all"}, 1)])
def test_agreement_counts_in_who_stands_for_the_crowd_and_in_what_they_gain(choices, counts, monkeypatch):
    told = []
    beliefs = known(Family(6), [0b110000], explore="gain", draws=1, **choices)
    beliefs.plausible.sample = lambda _, power: told.append(power) or (None, None)
    monkeypatch.setattr(exploring, "next_down", lambda *_: None)
    monkeypatch.setattr(exploring, "log_gain", lambda *given: told.append(given[-1]) or np.zeros(len(given[4])))
    proposed(beliefs)
    assert told == [counts, counts]


def test_one_looks_around_what_is_worth_most_of_what_was_measured_since_the_last_beginning(forecasts, monkeypatch):
    family, evaluated = Family(6), [0b1, 0b11, 0b111, 0b111111, 0b101010, 0b10, 0b11100, 0b1111, 0b11111]
    since = len(evaluated) - DRAWS
    beliefs = known(family, evaluated, explore="gain", first="all", draws=1)
    beliefs.plausible.expected = np.array([9, 9, 9, 1, 2 + 1e-12, 0, 2, 1, 1])  # of two the last is the simpler
    monkeypatch.setattr(exploring, "last_beginning", lambda _worth, _budget: since)
    prior = np.arange(6.0)
    proposed(beliefs, outlook=Outlook(0, prior))
    ((judged, counted),) = forecasts
    near = {*family.neighbours(0b11100), *family.swaps(0b11100)} - set(evaluated)
    assert near <= set(judged)
    assert len(set(judged) - near) <= 1
    ((n, _, _, _, weights, forecast_since),) = Forecasts.made
    assert (n, counted, forecast_since) == (6, since, since)
    assert weights.tolist() == Outlook(0, prior).weights(6).tolist()


def test_a_new_beginning_is_drawn_and_rejects_nothing(forecasts, monkeypatch):
    prices = dict.fromkeys(Family(5), 0.5)
    beliefs = known(Family(5), [1, 2, 3], explore="gain", first="all", prices=prices)
    monkeypatch.setattr(exploring, "last_beginning", lambda _worth, _budget: 3)
    found = proposed(beliefs)
    assert (found.rejected, found.why, forecasts) == ((), ANEW, [])
    assert proposed(known(Family(5), [1, 2, 3])).why == "drawn", "without a forecast nothing begins anew"


@pytest.mark.usefixtures("forecasts")
def test_where_the_most_promising_is_rejected_the_next_is_proposed():
    family = Family(6, max_size=3)
    dear, choices = {0b10: 0.5, 0b100: 0.5}, {"explore": "gain", "first": "all", "draws": 1}
    found = proposed(known(family, [0b1], prices=dear, patience=9, **choices), 2)
    assert dict(found.rejected) == dear
    assert found.evaluate[0] == 0b11


@pytest.mark.usefixtures("forecasts")
@pytest.mark.parametrize(
    ("others", "detour", "waits"), [(6, 20, True), (5, 20, False), (6, 0, False), (6, 1e26, True), (6, 1e27, False)]
)
def test_on_the_second_half_of_the_way_down_a_step_waits_for_what_promises_so_much_more(
    others, detour, waits, monkeypatch
):
    step, best = 0b111110, 0b10  # by their promises e^60 = 1.1e26 lies between
    monkeypatch.setattr(exploring, "next_down", lambda *_: step)
    evaluated = [0b1, *(0b111111 ^ 1 << k for k in range(1, 6)), 0b111111][: 1 + others]
    # two looks at each size: twelve evaluations are the way
    choices = {"explore": "gain", "budget": 18, "draws": 1, "patience": 9}
    found = proposed(known(Family(6), evaluated, detour=detour, prices={step: 0.5}, **choices))
    assert found.evaluate == (best if waits else step,)
    assert (found.why == "on the way down from all attributes") != waits
    dear = known(Family(6), evaluated, detour=detour, prices=dict.fromkeys([best, 0b11], 0.5), unasked=0, **choices)
    again = proposed(dear)
    assert ((best, 0.5) in again.rejected) == waits, "what it waits for may be rejected"
    known_best = known(Family(6), [best, *evaluated[1:]], detour=detour, **choices)
    monkeypatch.setattr(exploring, "next_down", lambda *_: 0b1)  # promises most itself
    assert proposed(known_best).evaluate == (0b1,)


@pytest.mark.usefixtures("forecasts")
@pytest.mark.parametrize("failed", [0, 1])
@pytest.mark.parametrize("unasked", [0, 1, 2, 3])
@pytest.mark.parametrize("left", range(1, 8))
def test_a_forecast_has_its_turn_at_the_last_evaluation_and_so_often_before(left, unasked, failed):
    choices = {"explore": "gain", "first": "all", "prices": {0b10: 0.5, 0b100: 0.5}, "draws": 1}
    choices |= {"failed": [0b111000][:failed], "budget": 1 + failed + left, "unasked": unasked}
    turn = unasked > 0 and (left - 1) % unasked == 0

    def found(rejected=(), **changes):
        return proposed(known(Family(6, max_size=3), [0b1], rejected=rejected, **choices | changes))

    assert (found().evaluate, found().rejected) == (((0b10,), ()) if turn else ((0b11,), ((0b10, 0.5),)))
    assert found({0b10: 1}).evaluate == ((0b10,) if turn else (0b11,)), "what was rejected has its turn, too"
    assert found(stop=("rejections",)).rejected == ((0b10, 0.5),), "where rejections are counted none is spared"
    assert found({0b10: 1}, explore="law").evaluate != (0b10,), "draws have no turn"


@pytest.mark.usefixtures("forecasts")
def test_in_a_batch_a_forecast_has_its_turn_as_often_and_what_was_rejected_there_waits():
    dear = dict.fromkeys([0b10, 0b11, 0b1000], 0.5)
    choices = {"explore": "gain", "first": "all", "draws": 1, "patience": 9, "unasked": 2, "budget": 5}
    found = proposed(known(Family(6, max_size=3), [0b1], prices=dear, **choices), 4)
    assert dict(found.rejected).keys() == {0b10, 0b11}
    assert found.evaluate[:2] == (0b100, 0b1000)


def test_a_forecast_chooses_among_draws_too_and_those_by_a_prior_are_not_much_larger_than_the_best(forecasts):
    family, outlook = Family(40), Outlook(5, np.arange(40.0))
    ladder = outlook.ladder(family)  # the first is worth most
    start = [proposed(known(family, ladder, explore="gain"), seed=s, outlook=outlook).evaluate[0] for s in range(9)]
    assert max(m.bit_count() for m in start) > WIDER, "a first draw is of any size"
    assert not forecasts
    known_now = known(family, [*ladder, *start[:5]], explore="gain", draws=50)
    proposed(known_now, outlook=outlook)
    far = set(forecasts[0][0]) - {*family.neighbours(ladder[0]), *family.swaps(ladder[0])}
    assert far
    assert {m.bit_count() for m in far} == {WIDER}


def test_a_sample_keeps_the_order_and_is_taken_only_of_more_than_enough():
    rng, some = np.random.default_rng(0), [*range(50, 0, -1)]
    assert sampled(some, 50, rng) is some
    few = sampled(some, 20, rng)
    assert len(set(few)) == 20
    assert few == sorted(few, reverse=True)
