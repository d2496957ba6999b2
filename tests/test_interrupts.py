"""Interrupts wait while an answer is kept, and come right after it."""

import signal
import threading

import pytest
from journals import truth

from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError
from elicit.events import Answer, Preferred
from elicit.interrupts import held, until_kept, waiting
from elicit.journal import read
from elicit.sessions import begin

NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.fixture(autouse=True)
def ending():
    """Every interrupt raises KeyboardInterrupt, as in the command; the handlers are the same after a test."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in NUMBERS}
    yield
    assert {signal.getsignal(number) for number in NUMBERS} == {signal.default_int_handler}
    for number, handler in before.items():
        signal.signal(number, handler)


def nothing():
    """For whoever need not be told."""


@pytest.mark.parametrize("number", NUMBERS)
def test_one_that_comes_between_an_answer_and_its_being_kept_comes_after_it(number):
    done = []

    def keep():
        with until_kept():
            with held(nothing):
                signal.raise_signal(number)
                signal.raise_signal(number)
                assert waiting()
            signal.raise_signal(number)
            done.append("kept")
        done.append("gone on")

    with pytest.raises(KeyboardInterrupt):
        keep()
    assert done == ["kept"]
    assert not waiting()


def test_one_that_comes_before_anything_is_held_comes_at_once():
    done = []

    def keep():
        with until_kept():
            signal.raise_signal(signal.SIGINT)
            done.append("gone on")

    with pytest.raises(KeyboardInterrupt):
        keep()
    assert done == []


def test_where_nothing_is_kept_one_comes_at_the_end_of_what_holds_it_and_whoever_holds_it_is_told():
    done = []

    def hold():
        with held(lambda: done.append(waiting())):
            signal.raise_signal(signal.SIGINT)
            done.append("to the end")
        done.append("gone on")

    with pytest.raises(KeyboardInterrupt):
        hold()
    assert done == [True, "to the end"]


def test_an_error_ends_the_waiting_too():
    def fail():
        with until_kept() as hold:
            hold()
            raise InputError("something else")

    with pytest.raises(InputError):
        fail()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_those_that_are_ignored_or_handled_by_nobody_stay_so():
    for handler in (signal.SIG_IGN, signal.SIG_DFL):
        signal.signal(signal.SIGTERM, handler)
        with held(nothing):
            assert signal.getsignal(signal.SIGTERM) is handler
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def test_other_threads_hold_nothing():
    seen = []

    def look():
        with until_kept() as hold, held(nothing):
            hold()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_an_answer_that_an_interrupt_follows_is_in_the_journal(tmp_path):
    oracle = truth(4)

    def operator(_):
        with held(nothing):
            signal.raise_signal(signal.SIGINT)
            return Answer.FIRST

    with (
        begin(tmp_path / "j", oracle, Settings(budget=8, questions=3)) as session,
        pytest.raises(KeyboardInterrupt),
    ):
        drive(session.elicitation, oracle, operator, session.journal)
    assert sum(isinstance(fact, Preferred) for fact in read(tmp_path / "j").facts) == 1


@pytest.mark.parametrize("number", NUMBERS)
def test_one_that_comes_while_handlers_are_put_back_leaves_all_of_them_as_they_were(number, monkeypatch):
    put_back = signal.signal

    def interrupted(this, handler):
        if this == number:
            monkeypatch.setattr(signal, "signal", put_back)
            raise KeyboardInterrupt  # before this one is put back
        return put_back(this, handler)

    def keep():
        with until_kept() as hold:
            hold()
            monkeypatch.setattr(signal, "signal", interrupted)

    with pytest.raises(KeyboardInterrupt):
        keep()
    assert {signal.getsignal(number) for number in NUMBERS} == {signal.default_int_handler}
    assert not waiting()
