"""While a measurement runs there is one numeric thread, and afterwards as many as before."""

from __future__ import annotations

import threading

from threadpoolctl import threadpool_info

from elicit.decide.elicitation import Elicitation
from elicit.decide.exploring import propose
from elicit.subsets import Attributes
from elicit.threads import one_thread


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
