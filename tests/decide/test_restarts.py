"""Restarts: when a search begins anew, what it then goes by, and that nothing measured is lost by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.asks import Done, Evaluate, Measured
from elicit.decide import restarts
from elicit.decide.elicitation import Elicitation
from elicit.decide.restarts import ANEW, DRAWS, LONG, draws_missing, last_beginning
from elicit.decide.settings import Settings
from elicit.estimator.declared import SETTINGS, Declared
from elicit.events import SCORE_AND_SIZE
from elicit.operators import SimulatedOperator

PLENTY = 10**6


@pytest.mark.parametrize("count", [0, 1, LONG, LONG + 1, 2 * LONG + 1, 2 * LONG + 2, 5 * LONG])
def test_a_search_that_gains_nothing_begins_anew_again_and_again(count):
    assert last_beginning(np.zeros(count), PLENTY) == count // (LONG + 1) * (LONG + 1)


def test_a_search_that_gains_goes_on():
    assert last_beginning(np.arange(5.0 * LONG), PLENTY) == 0
    assert last_beginning(np.arange(5.0 * LONG) // LONG, PLENTY) == 0


def test_it_gains_on_what_was_measured_since():
    worth = np.concatenate([[9.0], np.zeros(LONG), np.linspace(1.0, 2.0, LONG + 2)])  # never 9 again
    assert last_beginning(worth, PLENTY) == LONG + 1


def test_it_goes_on_when_little_is_left():
    worth = np.zeros(LONG + 1)
    assert last_beginning(worth, 2 * LONG) == 0
    assert last_beginning(worth, 2 * LONG + 1) == LONG + 1


@given(st.integers(0, 2**32), st.integers(1, 6 * LONG), st.integers(1, 6 * LONG))
def test_when_it_began_does_not_depend_on_what_came_later(seed, one, other):
    rng = np.random.default_rng(seed)
    worth = np.round(rng.normal(size=max(one, other)) * rng.random(), 2)
    early, late = (last_beginning(worth[:k], PLENTY) for k in sorted((one, other)))
    assert late == early or late > min(one, other)
    assert last_beginning(3 * worth[:one] - 7, PLENTY) == last_beginning(worth[:one], PLENTY)


def test_draws_are_missing_until_there_are_enough_and_only_after_a_new_beginning():
    assert [draws_missing(0, k) for k in (0, 3, 99)] == [0, 0, 0]
    assert [draws_missing(50, 50 + k) for k in (0, 2, DRAWS, DRAWS + 9)] == [DRAWS, DRAWS - 2, 0, 0]


def score(mask):
    """Two tops, the lower one wide: 0.8 at the lower half of twelve attributes, 1 at three of the upper."""
    wide, narrow = (mask ^ 0b111111).bit_count(), (mask ^ 0b111 << 9).bit_count()
    return max(0.8 - 0.05 * wide, 1.0 - 0.3 * narrow)


NAMES = [f"a{i}" for i in range(12)]


def session(facts=()):
    return Elicitation(NAMES, settings=Settings(budget=60, stop=()), seed=1, facts=facts)


def selection(facts=()):
    settings = Settings(budget=60, batch=4, start=6, **SETTINGS)
    return Declared(NAMES, settings=settings, seed=1, facts=facts)


def played(run):
    """What was asked for, one after the other, with the reasons."""
    judge = SimulatedOperator("score - 0.0001 * size", SCORE_AND_SIZE)
    asked = []
    while not isinstance(request := run.ask(), Done):
        if isinstance(request, Evaluate):
            asked.append((request.subset, request.why))
            run.tell(request.id, Measured((score(request.subset), float(request.subset.bit_count()))))
        else:
            run.tell(request.id, judge(request))
    return asked


@pytest.mark.parametrize("new", [session, selection])
def test_a_run_that_began_anew_repeats_nothing_and_recommends_the_best_of_all_it_measured(new, monkeypatch):
    monkeypatch.setattr(restarts, "LONG", 10)
    run = new()
    asked = played(run)
    subsets = [subset for subset, _ in asked]
    assert len(subsets) == len(set(subsets)) == 60
    beginnings = [k for k, (_, why) in enumerate(asked) if why == ANEW]
    assert len(beginnings) >= DRAWS
    assert score(run.beliefs.incumbent) == max(map(score, subsets))


@pytest.mark.parametrize("new", [session, selection])
def test_a_run_that_was_interrupted_begins_anew_at_the_same_place(new, monkeypatch):
    monkeypatch.setattr(restarts, "LONG", 10)
    run = new()
    asked = played(run)
    first = next(k for k, (_, why) in enumerate(asked) if why == ANEW)
    facts = list(run.facts)
    cut = next(k for k, fact in enumerate(facts) if getattr(fact, "subset", None) == asked[first + 2][0])
    assert played(new(facts[:cut])) == asked[first + 2 :]
