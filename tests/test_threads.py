"""While a measurement runs there is one numeric thread, and afterwards as many as before."""

from __future__ import annotations

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from elicit import threads
from elicit.decide.elicitation import Elicitation
from elicit.decide.exploring import propose
from elicit.explore import explore
from elicit.methods import Method, Surrogate
from elicit.methods.surrogate import improvement
from elicit.oracles import CallableOracle
from elicit.subsets import Attributes
from elicit.threads import one_thread


@pytest.fixture(autouse=True)
def several_before():
    """Two threads at first, so that one can be told from what was there before; the tests else run with one."""
    with threadpool_limits(2):
        assert set(counts()) == {2}
        yield


def counts():
    """Threads of every numeric library, as the calling thread sees them."""
    return [pool["num_threads"] for pool in threadpool_info()]


def test_the_limit_holds_inside_and_is_lifted_after():
    before = counts()
    with one_thread():
        assert set(counts()) == {1}
        with one_thread():
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    assert counts() == before


class Pool:
    """A numeric library with one number of threads for the whole process."""

    def __init__(self, name, number):
        self.filepath, self.num_threads = name, number

    def set_num_threads(self, number):
        self.num_threads = number


def test_a_library_that_is_loaded_meanwhile_is_limited_too_and_each_has_its_own_number_again(monkeypatch):
    first, second = Pool("first", 4), Pool("second", 3)
    loaded = [first]
    monkeypatch.setattr(threads, "_pools", lambda _: ((), tuple(loaded)))
    with one_thread():
        loaded.append(second)
        with one_thread():
            assert (first.num_threads, second.num_threads) == (1, 1)
        loaded.remove(first)
    assert (first.num_threads, second.num_threads) == (4, 3)


def test_a_decision_takes_one_thread_whoever_asks_for_it(monkeypatch):
    seen = []

    def watched(*args):
        seen.extend(counts())
        return propose(*args)

    monkeypatch.setattr("elicit.decide.elicitation.propose", watched)
    before = counts()
    Elicitation(Attributes.numbered(4)).ask()
    assert set(seen) == {1}
    assert counts() == before


def test_a_search_takes_one_thread_whoever_plays_it(monkeypatch):
    seen = []

    def watched(*args):
        seen.extend(counts())
        return improvement(*args)

    monkeypatch.setattr("elicit.methods.surrogate.improvement", watched)
    explore(Method("surrogate", Surrogate(2), budget=4), CallableOracle(lambda mask: float(mask), 3, takes="mask"))
    assert set(seen) == {1}
    assert set(counts()) == {2}


def test_overlapping_measurements_leave_the_limit_as_it_was():
    before = counts()
    entered, leave, seen = threading.Event(), threading.Event(), []

    def other():
        with one_thread():
            entered.set()
            leave.wait(10)
            seen.extend(counts())

    thread = threading.Thread(target=other)
    with one_thread():
        thread.start()
        assert entered.wait(10)
    leave.set()
    thread.join()
    assert set(seen) == {1}
    assert counts() == before
