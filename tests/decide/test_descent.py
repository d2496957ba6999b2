"""The way down: a chain through all sizes, a few looks at each, and what only matters together is found."""

from itertools import dropwhile, takewhile
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elicit.asks import Done, Evaluate, Measured
from elicit.decide.descent import (
    LEAST_BUDGET,
    MOST_DOWN,
    MOST_LOOKS,
    agreement_of,
    first_draws,
    looks_a_size,
    next_down,
    on_the_way,
    unasked_every,
)
from elicit.decide.elicitation import Elicitation
from elicit.decide.forecast import Forecast
from elicit.decide.process import Process
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.events import Answer
from elicit.operators import SimulatedOperator
from elicit.oracles import SyntheticOracle
from elicit.subsets import Attributes, Family

WAY = "on the way down from all attributes"


def played(score, n, seed=0, family=None, whole=True, most=None, until=None, **choices):
    """What a run without questions looks at, and why, in order: all of it, or so many looks, or until one is looked at,
    or as far as the way goes."""
    choices = {"policy": "none", "parsimony": 1.0, **choices}
    elicitation = Elicitation(Attributes.numbered(n), settings=Settings(**choices), seed=seed, family=family)
    looked = []
    while not isinstance(request := elicitation.ask(), Done):
        assert isinstance(request, Evaluate)
        looked.append((request.subset, elicitation.history.rounds[-1].why))
        if not whole and looked[-1][1] != WAY and any(why == WAY for _, why in looked):
            break
        if len(looked) == most or looked[-1][0] == until:
            break
        elicitation.tell(request.id, Measured((score(request.subset), float(request.subset.bit_count()))))
    return looked


def test_what_is_looked_at_does_not_hang_on_the_last_digits_of_a_forecast(monkeypatch):
    def score(mask):
        return 0.9 + 0.01 * (mask & 1) - 0.02 * (mask >> 1 & 1) - 0.001 * mask.bit_count() ** 2  # three are alike

    plain, forecast = played(score, 5, whole=False, budget=15), Forecast.outcomes
    digits = np.random.default_rng(1)

    def perturbed(self, subsets):  # as other versions of the libraries that compute it would have them
        return [found * (1 + 1e-14 * digits.normal(size=found.shape)) for found in forecast(self, subsets)]

    monkeypatch.setattr(Forecast, "outcomes", perturbed)
    assert played(score, 5, whole=False, budget=15) == plain


@settings(max_examples=6, deadline=None)  # of few attributes nearly all subsets are looked at, on whatever way
@given(st.integers(5, 7), st.integers(0, 1000), st.integers(1, 3), st.integers(3, 5))
def test_one_of_every_size_is_looked_at_along_a_chain_unless_steps_waited_and_a_few_on_the_way(n, seed, batch, times):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=2**n), 2)
    looked = played(lambda m: float(scores[m]), n, seed, budget=times * n + 8, batch=batch)
    begun = list(dropwhile(lambda look: look[1] != WAY, looked))
    down = [m for m, _ in takewhile(lambda look: look[1] == WAY, begun)]  # with the rest of their round
    sizes = [m.bit_count() for m in down]
    beside = (batch - 1) * -(-len(down) // batch)  # what else such a round may hold is of any size
    assert all(sizes.count(size) <= min(MOST_LOOKS, (times * n + 8) // n - 1) + beside for size in sizes)
    spared = begun[: min(MOST_LOOKS, (times * n + 8) // n - 1) * n]
    waited = any(why != WAY for _, why in spared)  # what went before them may leave too few looks for the last sizes
    reached = {(1 << n) - 1}
    for size in range(n - 1, 0, -1):
        above = {m for m in reached if m.bit_count() == size + 1}
        reached |= {m for m, _ in looked if m.bit_count() == size and any(m & a == m for a in above)}
        if not any(m.bit_count() == size for m in reached):
            assert waited, "the chain is broken"
            assert size <= (n + 1) // 2, "a step waited on the first half of the way"
            break


@pytest.mark.parametrize("seed", range(8))
def test_of_each_size_the_first_that_is_no_worse_is_gone_on_from_or_else_the_best(seed):
    rng = np.random.default_rng(seed)
    n, times = 4 + seed % 3, 3 + seed % 4
    most = min(times * n, 2**n - 1) // n - 1
    scores = np.round(rng.normal(size=2**n), 1).tolist()
    if seed % 2:  # what is smaller is mostly worse, and many are as good as another
        scores = [float(m.bit_count() + rng.integers(2)) for m in range(2**n)]
    looked = played(lambda m: scores[m], n, seed, whole=False, budget=times * n)
    assert any(why == WAY for _, why in looked)
    measured = []
    for m, why in looked:
        if why == WAY:
            here = (1 << n) - 1
            while True:
                below = [x for x in measured if x.bit_count() == here.bit_count() - 1 and x & here == x]
                enough = len(below) >= min(MOST_LOOKS, most, here.bit_count())
                if not enough and all(scores[x] < scores[here] for x in below):
                    break
                here = min(below, key=lambda x: (-scores[x], x.bit_count(), x))
            assert m & here == m
            assert m.bit_count() == here.bit_count() - 1
        measured.append(m)


ALL, NO_4, NO_5 = 0b11111, 0b10111, 0b01111  # of five attributes
WITHOUT_ONE = (NO_5, NO_4, 0b11011, 0b11101, 0b11110)
UNLIKELY = (-964030275.8177991, *[-964030275.817799] * 4)


def below(measured, expected, *, chosen=(), known=(), calls=15):
    """What comes next on the way down from these scores, where so much is expected of some and nothing of the rest."""

    def outcomes(subsets):
        return [None, np.array([[0.0, expected.get(m, 0.0)] for m in subsets])]

    scores = np.array([(m.bit_count(), score) for m, score in measured.items()], dtype=float).reshape(-1, 2)
    beliefs = SimpleNamespace(
        settings=Settings(budget=calls), family=Family(5), history=SimpleNamespace(subsets=[*measured], vectors=scores)
    )
    forecast = SimpleNamespace(
        criteria=[None, Process.__new__(Process)], outcomes=outcomes, chances=np.array([0.5, 0.5])
    )
    return next_down(beliefs, forecast, lambda m: m not in {*measured, *chosen, *known}, chosen)


@pytest.mark.parametrize(
    ("measured", "expected", "more", "wanted"),
    [
        ({}, {NO_4: 1}, {}, None),  # the whole was not measured
        ({ALL: 5}, {NO_4: 1}, {}, NO_4),  # the most is expected of it
        ({ALL: 5}, {NO_4: -1}, {}, NO_5),  # of those equal the simplest
        ({ALL: 5}, {NO_4: 1 + 1e-12, NO_5: 1}, {}, NO_5),  # the last digits are nothing
        ({ALL: 5}, {NO_4: 964030275.8177991, NO_5: 964030275.817799}, {}, NO_5),  # nor of a score in steps of the grid
        ({ALL: 5}, dict(zip(WITHOUT_ONE, UNLIKELY, strict=True)), {}, NO_5),  # nor of one below 0
        ({ALL: 5, NO_4: 4}, {0b11011: 1}, {}, 0b11011),  # the first was worse
        ({ALL: 5, NO_4: 5}, {0b11011: 1}, {}, 0b00111),  # the first was no worse
        ({ALL: 5, NO_4: 4, NO_5: 3}, {}, {}, 0b00111),  # the better of two looks
        ({ALL: 5, NO_4: 4, NO_5: 3}, {0b10011: 1}, {}, 0b10011),
        ({ALL: 5, NO_4: 4, NO_5: 4}, {0b10011: 2, 0b01011: 1}, {}, 0b01011),  # the simpler of two as good
        ({ALL: 5, NO_4: 4, NO_5: 3}, {}, {"calls": 20}, 0b11011),  # a third look is in the budget
        ({ALL: 5, NO_4: 4, NO_5: 3, 0b11011: 2, 0b11101: 1}, {}, {"calls": 31}, 0b00111),  # but never a fifth
        ({ALL: 5, NO_4: 5, 0b01011: 9}, {0b10011: 1}, {}, 0b10011),  # what is not below it does not count
        ({ALL: 5}, {NO_4: 1, NO_5: 2}, {"chosen": [NO_5]}, NO_4),  # beside what is chosen already
        ({ALL: 5}, {}, {"chosen": [NO_4, NO_5]}, None),  # waits for these
        ({ALL: 5, NO_4: 4}, {}, {"chosen": [NO_5]}, 0b00111),  # waits no longer
        ({ALL: 5, NO_4: 4}, {}, {"known": [NO_5, 0b11011, 0b11101, 0b11110]}, 0b00111),  # nothing else is left
        ({ALL: 5}, {}, {"known": [NO_4, NO_5, 0b11011, 0b11101, 0b11110]}, None),
        ({ALL: 1, NO_5: 1, 0b111: 1, 0b11: 1, 0b1: 1}, {}, {}, None),  # down to one
    ],
)
def test_the_next_on_the_way_down_is(measured, expected, more, wanted):
    assert below(measured, expected, **more) == wanted


def test_where_every_criterion_is_known_without_a_look_nobody_goes_down():
    known = SimpleNamespace(criteria=[None], outcomes=None, chances=None)
    assert next_down(None, known, None, ()) is None


@pytest.mark.parametrize(("calls", "most"), [(14, 0), (15, 2), (19, 2), (20, 3), (25, 4), (31, 4), (99, 4)])
def test_looks_at_one_size_are_as_the_budget_allows_and_the_way_is_as_long_as_they_are(calls, most):
    chosen, family = Settings(budget=calls), Family(5)
    assert looks_a_size(chosen, family) == most
    measured = (SimpleNamespace(settings=chosen, family=family, evaluated=range(count)) for count in range(30))
    assert sum(on_the_way(beliefs) for beliefs in measured) == (5 * most + chosen.begun_with if most else 0)


@pytest.mark.parametrize("price", [0.1, 3.0])
@pytest.mark.parametrize("seed", range(2))
def test_who_answers_early_turns_nothing_away_on_the_way_down(seed, price):
    oracle = SyntheticOracle.drawn(8, np.random.default_rng(seed), size=True)
    elicitation = Elicitation(oracle.attributes, oracle.criteria, Settings(ask_every=1, budget=40, detour=0), seed=seed)
    drive(elicitation, oracle, SimulatedOperator(f"score - {price} * size", oracle.criteria))
    rounds = elicitation.history.rounds
    assert any(r.rejected for r in rounds), "nothing was turned away at all, so this shows nothing"
    down = [r for r in rounds if r.why == WAY]
    assert len(down) >= 8
    assert not any(r.rejected for r in down)


def test_what_only_matters_together_is_found():
    found = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        four = sum(1 << int(i) for i in rng.choice(12, 4, replace=False))
        noise = rng.normal(scale=0.01, size=2**12)

        def score(m, four=four, noise=noise):
            return float(0.6 + 0.3 * (m & four == four) * 0.95 ** (m.bit_count() - 4) + noise[m])

        found += played(score, 12, seed, most=20, until=four)[-1][0] == four  # without the way down once in five
    assert found >= 4


@pytest.mark.parametrize(
    "choices", [{"first": "all"}, {"first": "drawn"}, {"budget": LEAST_BUDGET * 6 - 1}, {"explore": "model"}]
)
def test_nobody_goes_down_who_did_not_ask_for_it_or_cannot_afford_it(choices):
    assert all(why != WAY for _, why in played(lambda m: m / 64, 6, **choices))


@pytest.mark.parametrize(("kept", "goes"), [(0, False), (1, True)])
def test_of_many_attributes_nobody_goes_down_unless_few_are_free(kept, goes):
    n = MOST_DOWN + 1
    looked = played(lambda m: m.bit_count() / n, n, family=Family(n, keep=kept), budget=4 * n, most=n)
    assert looked[0][0] == (1 << n) - 1
    assert any(why == WAY for _, why in looked) == goes


def test_the_way_leads_through_the_family_alone():
    family = Family(6, keep=0b1, drop=0b10)
    looked = played(lambda m: m / 64, 6, family=family)
    assert any(why == WAY for _, why in looked)
    assert all(m in family for m, _ in looked)


FIRST = "a first look at the family"


@given(
    n=st.integers(1, 80),
    budget=st.none() | st.integers(1, 3000),
    start=st.none() | st.integers(0, 9),
    first=st.sampled_from(["path", "all", "drawn"]),
    explore=st.sampled_from(["gain", "law"]),
)
@example(n=10, budget=200, start=None, first="path", explore="gain")
@example(n=10, budget=200, start=None, first="all", explore="gain")
@example(n=10, budget=200, start=0, first="all", explore="gain")
def test_draws_come_first_where_no_way_is_gone_down(n, budget, start, first, explore):
    family, chosen = Family(n), Settings(budget=budget, start=start, first=first, explore=explore)
    calls = chosen.evaluations(family)
    down = first == "path" and n <= MOST_DOWN and calls >= LEAST_BUDGET * n
    found = first_draws(chosen, family)
    if start is not None:
        assert found == start
    elif down or explore == "law":
        assert found == 4
    else:
        assert found == max(4, calls // 20)


@pytest.mark.parametrize(
    ("n", "choices", "every"),
    [
        (6, {}, 2),
        (6, {"unasked": 3}, 3),
        (6, {"unasked": 0}, 0),
        (6, {"parsimony": "exact"}, 0),
        (6, {"parsimony": "exact", "unasked": 2}, 2),
        (6, {"first": "all"}, 0),
        (6, {"budget": LEAST_BUDGET * 6 - 1}, 0),
        (6, {"budget": LEAST_BUDGET * 6}, 2),
        (MOST_DOWN, {}, 2),
        (MOST_DOWN + 1, {}, 0),
        (MOST_DOWN + 1, {"unasked": 1}, 1),
    ],
)
def test_the_most_promising_has_its_turn_where_a_run_goes_down_unless_told_otherwise(n, choices, every):
    assert unasked_every(Settings(**choices), Family(n)) == every


@pytest.mark.parametrize(
    ("n", "choices", "counts"),
    [
        (6, {}, 2),
        (6, {"agreement": 1}, 1),
        (6, {"agreement": 3.5}, 3.5),
        (6, {"parsimony": "exact"}, 2),
        (6, {"first": "all"}, 1),
        (6, {"budget": LEAST_BUDGET * 6 - 1}, 1),
        (MOST_DOWN, {}, 2),
        (MOST_DOWN + 1, {}, 1),
        (MOST_DOWN + 1, {"agreement": 2}, 2),
    ],
)
def test_that_operators_agree_counts_where_a_run_goes_down_unless_told_otherwise(n, choices, counts):
    assert agreement_of(Settings(**choices), Family(n)) == counts


@pytest.mark.parametrize(
    ("n", "choices", "between"),
    [
        (6, {}, 6),
        (6, {"ask_every": 4}, 4),
        (6, {"ask_every": 0}, 1),
        (6, {"first": "all"}, 4),
        (6, {"explore": "law"}, 4),
        (6, {"budget": LEAST_BUDGET * 6 - 1}, 4),
        (6, {"budget": LEAST_BUDGET * 6}, 6),
        (MOST_DOWN + 1, {}, 4),
    ],
)
def test_questions_are_further_apart_where_answers_do_not_say_what_is_measured(n, choices, between):
    elicitation, measured, asked_after = Elicitation(Attributes.numbered(n), settings=Settings(**choices)), 0, []
    while len(asked_after) < 2 and not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Evaluate):
            size = request.subset.bit_count()  # the more attributes the better, and no two subsets measure the same
            elicitation.tell(request.id, Measured((size + request.subset / (1 << n + 1), float(size))))
            measured += 1
        else:
            asked_after.append(measured)
            elicitation.tell(request.id, Answer.FIRST)
    assert np.diff([0, *asked_after]).min() in (between, between + 1)  # there is not always something to ask


@pytest.mark.parametrize(("n", "budget", "draws"), [(MOST_DOWN + 1, 300, 15), (MOST_DOWN + 1, 60, 4), (8, 20, 4)])
def test_a_run_that_goes_down_no_way_begins_with_draws(n, budget, draws):
    looked = played(lambda m: float(m % 7), n, budget=budget, most=draws + 1)
    assert [why for _, why in looked[:draws]] == [FIRST] * draws
    assert looked[0][0] == (1 << n) - 1
    assert looked[draws][1] != FIRST


def test_with_a_prior_it_is_the_prior_that_says_what_comes_first():
    n = MOST_DOWN + 1
    prior = np.arange(n, dtype=float)
    elicitation = Elicitation(Attributes.numbered(n), settings=Settings(budget=600), prior=prior)
    assert elicitation.outlook.draws == 4


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3, 4))])
def test_where_only_small_subsets_may_be_chosen_the_first_looks_differ_in_size(seed):
    family = Family(30, keep=0b1, max_size=8)
    looked = played(lambda m: (m * 37 % 101) / 100, 30, seed, family, most=30, budget=200)
    first = [m.bit_count() for m, why in looked if why == FIRST]
    assert len(first) == 10
    assert len({*first[:4]}) > 1
    assert sum(size < 8 for size in first) >= 3
    assert all(m in family for m, _ in looked)
    assert any(size < 8 for size in (m.bit_count() for m, _ in looked[10:30])), "smaller ones are not searched"
