"""Thinking ahead: the run is the same with it or without, and nothing that goes wrong beside it is lost."""

import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from operator import attrgetter

import numpy as np
import pytest

from elicit.alongside.ahead import Ahead, Found, replies_to
from elicit.alongside.measuring import JournalWriter
from elicit.alongside.progress import progress_of
from elicit.asks import Compare, Enough, Evaluate, Measured, Reconcile, Settlement, TakeBack
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import _ProgressReporter, drive
from elicit.errors import JournalError
from elicit.events import Answer, Evaluated, Preferred, Retracted
from elicit.journal import Journal, identity, read
from elicit.operators import SimulatedOperator
from elicit.oracles import CallableOracle, Remembering, SyntheticOracle
from elicit.sessions import begin
from elicit.subsets import Attributes

SETTINGS = Settings(start=3, questions=5, ask_every=3, last_questions=2, budget=9, stop=())
THETA = {1: 1.0, 2: 0.7, 4: 0.9, 8: 0.5, 3: -0.2, 12: 0.1}


def truth():
    return SyntheticOracle(4, THETA, size=True)


def played(path, ahead, operator=None, oracle=None, **options):
    oracle = oracle or truth()
    judge = operator or SimulatedOperator("score - 0.8 * size", oracle.criteria, noise=0.2, seed=1)
    with begin(path, oracle, SETTINGS, seed=5) as session:
        return drive(session.elicitation, oracle, judge, session.journal, ahead=ahead, **options)


class Slow:
    """An operator that waits before each answer until every process ahead had time to be done."""

    def __init__(self, seconds=0.0, meanwhile=lambda: None):
        self.inner = SimulatedOperator("score - 0.8 * size", truth().criteria, noise=0.2, seed=1)
        self.seconds, self.meanwhile = seconds, meanwhile

    def __call__(self, request):
        time.sleep(self.seconds)
        self.meanwhile()
        return self.inner(request)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "j"
    played(path, 0)
    return path


def test_every_reply_a_question_may_get_is_thought_of_the_likely_ones_first():
    fact = Evaluated(0, 1, (1.0,))
    assert set(replies_to(Compare(3, fact, fact))) == set(Answer)
    assert replies_to(Compare(3, fact, fact))[:2] == (Answer.FIRST, Answer.SECOND)
    assert replies_to(Reconcile(4, (1, 2))) == (Settlement(1), Settlement(2), Settlement(None))


@pytest.mark.parametrize("ahead", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_run_is_the_same_with_processes_ahead_and_takes_over_what_they_found(tmp_path, whole, ahead, monkeypatch):
    taken = []
    take = Ahead.take

    def noted(self, reply, show=None):
        patience = time.monotonic() + (0 if any(taken) else 60)  # on a busy machine it takes a process long to begin
        while reply not in self._question.found and time.monotonic() < patience:
            time.sleep(0.05)
        found = take(self, reply, show)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(Ahead, "take", noted)
    result = played(tmp_path / "j", ahead, Slow(0.1))
    assert identity(tmp_path / "j") == identity(whole)
    assert any(taken), "this test shows nothing when no process was ever ahead"
    assert result.questions == len([fact for fact in read(whole).facts if isinstance(fact, Preferred)])
    assert read(tmp_path / "j").cached, "what is measured ahead is in the journal before anyone asks for it"


def noted(path, names):
    """A score that takes a while, and notes in a file what it is asked for."""
    time.sleep(0.03)
    with open(path, "a") as log:
        log.write(f"{','.join(names)}\n")
    return sum(0.1 + 0.01 * len(name) for name in names) - 0.03 * len(names) ** 2


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_no_subset_is_measured_by_two_copies_or_by_a_copy_and_the_run(tmp_path, n_jobs):
    names = [f"a{'x' * k}" for k in range(6)]
    oracle = CallableOracle(partial(noted, tmp_path / "log"), names)
    inner, patience = SimulatedOperator("score - 0.05 * size", oracle.criteria), time.monotonic() + 120

    def asked():
        return (tmp_path / "log").read_text().split()

    def operator(request):
        before = len(asked())
        while len(asked()) < before + 3 and time.monotonic() < patience:  # a process takes seconds to begin
            time.sleep(0.02)
        return inner(request)

    settings = Settings(budget=30, questions=3, ask_every=4, stop=(), last_questions=0, confirm=0, batch=2 * n_jobs - 1)
    with begin(tmp_path / "j", oracle, settings, seed=5) as session:
        drive(session.elicitation, oracle, operator, session.journal, ahead=3, n_jobs=n_jobs)
    assert read(tmp_path / "j").cached, "else nothing was measured ahead"
    assert len(asked()) == len(set(asked()))


BLOCKED = """
import signal, sys
from elicit.alongside.ahead import Ahead
from elicit.asks import Compare
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.oracles import CallableOracle, Remembering

class Telling(CallableOracle):
    def __setstate__(self, state):  # in every process, once it has begun
        self.__dict__.update(state)
        print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()), flush=True)

def score(names):
    return float(len(names))

if __name__ == "__main__":
    oracle = Remembering(Telling(score, 4))
    run = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=12, ask_every=2, stop=()))
    while not isinstance(request := run.ask(), Compare):
        run.tell(request.id, oracle(request))
    with Ahead(oracle, 2, lambda *_: None) as ahead:
        ahead.begin(run, request)
        sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows blocks no signals")
def test_ctrl_c_reaches_no_process_ahead_not_even_the_first_while_it_starts(tmp_path):
    (tmp_path / "parent.py").write_text(BLOCKED)
    with subprocess.Popen(
        [sys.executable, "parent.py"], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        given_up = threading.Timer(120, parent.kill)
        given_up.start()
        told = [parent.stdout.readline() for _ in range(2)]
        parent.communicate(timeout=60)
        given_up.cancel()
    assert told == ["True\n"] * 2


def stuck(parent, marker, names):
    """A score that comes at once in one process, and in all others never."""
    if os.getpid() != parent:
        marker.write_text(f"{marker.read_text() if marker.exists() else ''}{os.getpid()} ")
        time.sleep(600)
    return float(len(names))


def test_what_a_process_was_measuring_when_it_died_is_measured_by_whoever_waits_for_it(tmp_path):
    marker = tmp_path / "pids"
    oracle = Remembering(CallableOracle(partial(stuck, os.getpid(), marker), 4))
    elicitation = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=12, ask_every=2, stop=()))
    while not isinstance(request := elicitation.ask(), Compare):
        elicitation.tell(request.id, oracle(request))
    with Ahead(oracle, 1, lambda *_: None) as ahead:
        ahead.begin(elicitation, request)
        patience = time.monotonic() + 60
        while not marker.exists() and time.monotonic() < patience:
            time.sleep(0.02)
        elicitation.tell(request.id, Answer.FIRST)
        wanted = elicitation.ask()
        reply = []
        waiting = threading.Thread(target=lambda: reply.append(oracle(wanted)), daemon=True)
        waiting.start()
        waiting.join(0.3)
        assert not reply, "a process is measuring it"
        os.kill(int(marker.read_text().split()[0]), signal.SIGTERM)
        waiting.join(60)
    assert reply == [oracle(wanted)]


def test_answers_that_come_at_once_change_nothing(tmp_path, whole):
    played(tmp_path / "j", 2, Slow(0.0))
    assert identity(tmp_path / "j") == identity(whole)


def test_processes_that_are_killed_change_nothing(tmp_path, whole):
    import multiprocessing

    killed, others = [], {child.pid for child in multiprocessing.active_children()}  # of earlier tests

    def kill():
        for child in multiprocessing.active_children():
            if child.pid not in others:
                killed.append(child.pid)
                os.kill(child.pid, signal.SIGKILL)

    played(tmp_path / "j", 1, Slow(0.3, kill))
    assert killed
    assert identity(tmp_path / "j") == identity(whole)


def test_an_oracle_that_cannot_be_sent_to_a_process_stays_where_it_is(tmp_path):
    attributes = Attributes.numbered(4)
    oracle = CallableOracle(lambda names: float(len(names)) ** 0.5, attributes)
    with pytest.warns(UserWarning, match="nothing was computed ahead"):
        result = played(tmp_path / "j", 1, SimulatedOperator("score - 0.3 * size", oracle.criteria), oracle)
    assert result.evaluations == 9


class Unknown(CallableOracle):
    """Can be sent, but what it is made of is known to this process alone, as a function of a notebook is."""

    def __reduce__(self):
        return attrgetter("nowhere"), (0,)


class Pointing(CallableOracle):
    """An oracle that no process can be sent, and whose pickling raises what it likes."""

    def __reduce__(self):
        raise ValueError("it holds a pointer")


def test_whatever_keeps_an_oracle_from_being_sent_is_told(capfd):
    oracle = Pointing(len, 3)
    fact = Evaluated(0, 1, (1.0, 1.0))
    with Ahead(Remembering(oracle), 1, lambda *_: None) as ahead:
        ahead.begin(Elicitation(oracle.attributes, oracle.criteria), Compare(3, fact, fact))
        (thread,) = ahead._threads
        thread.join(60)
        assert "it holds a pointer" in str(ahead.hindrance)
    assert capfd.readouterr().err == ""


def test_what_is_measured_ahead_in_numbers_of_another_library_is_kept_as_what_is_measured_on_request(tmp_path):
    oracle = truth()
    found = Measured((np.float32(0.5), np.int64(2)), (np.array([0.25, 0.75]), ()), (np.float32(0.25), None))
    with begin(tmp_path / "j", oracle, SETTINGS) as session:
        JournalWriter(session.elicitation, session.journal, time.time).keep(3, found)
        assert session.journal.cached == {3: Measured((0.5, 2.0), ((0.25, 0.75), ()), (0.25, None))}


def test_after_a_write_that_failed_nothing_more_is_kept_and_whoever_writes_next_is_told(tmp_path, monkeypatch):
    oracle, kept = truth(), []

    def cache(_journal, subset, _found, at):
        kept.append((subset, at))
        raise JournalError("no room")

    monkeypatch.setattr(Journal, "cache", cache)
    with begin(tmp_path / "j", oracle, SETTINGS) as session:
        writer = JournalWriter(session.elicitation, session.journal, lambda: 5.0)
        writer.keep(3, Measured((0.5, 2.0)))
        writer.keep(1, Measured((0.5, 1.0)))
        assert kept == [(3, 5.0)]
        with pytest.raises(JournalError, match="no room"):
            writer.save()


def test_an_oracle_that_another_process_cannot_load_stays_where_it_is_and_nothing_is_printed(capfd):
    oracle = Unknown(len, 3)
    elicitation = Elicitation(oracle.attributes, oracle.criteria)
    fact = Evaluated(0, 1, (1.0, 1.0))
    with Ahead(Remembering(oracle), 1, lambda *_: None) as ahead:
        ahead.begin(elicitation, Compare(3, fact, fact))
        (thread,) = ahead._threads
        thread.join(60)
        assert "nowhere" in str(ahead.hindrance)
        ahead.begin(elicitation, Compare(4, fact, fact))
        assert ahead._threads == [], "what failed once is not tried with every question"
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("seconds", [0.3, pytest.param(3.0, marks=pytest.mark.slow)], ids=["at work", "idle"])
def test_a_process_that_died_is_replaced_before_the_next_question(tmp_path, seconds):
    import multiprocessing

    seen, others = [], {child.pid for child in multiprocessing.active_children()}  # of earlier tests

    def kill():
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if children := [c for c in multiprocessing.active_children() if c.pid not in others]:
                break
            time.sleep(0.05)  # on a busy machine a process takes a while to begin
        seen.append({child.pid for child in children})
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
            child.join()

    played(tmp_path / "j", 1, Slow(seconds, kill))
    assert all(seen)
    assert len(set().union(*seen)) == len(seen) > 1


def test_an_answer_that_is_taken_back_begins_anew(tmp_path):
    """The open question is put again, and what was thought ahead of the retraction is not used."""
    given = []

    class Doubting(Slow):
        def __call__(self, request):
            if isinstance(request, Compare) and len(given) == 1:
                given.append(None)
                return TakeBack(given[0])
            reply = super().__call__(request)
            given.append(request.id)
            return reply

    for ahead in (0, 1):
        given.clear()
        played(tmp_path / str(ahead), ahead, Doubting(0.5 * ahead))
    assert identity(tmp_path / "0") == identity(tmp_path / "1")
    assert [f.retracts for f in read(tmp_path / "1").facts if isinstance(f, Retracted)] == [given[0]]


def test_a_disk_that_fills_up_meanwhile_is_told_and_not_swallowed(tmp_path, monkeypatch):
    from elicit.journal import Journal

    tried = threading.Event()

    def full(*_, **__):
        tried.set()
        raise JournalError("the disk is full")

    monkeypatch.setattr(Journal, "cache", full)
    with pytest.raises(JournalError, match="the disk is full"):
        played(tmp_path / "j", 1, Slow(meanwhile=lambda: tried.wait(60)))  # a process may take long to begin


def test_nothing_is_left_behind(tmp_path):
    import multiprocessing

    before, children = threading.active_count(), set(multiprocessing.active_children())  # joblib keeps its own
    played(tmp_path / "j", 2, Slow(0.1))
    assert threading.active_count() == before
    assert set(multiprocessing.active_children()) <= children


def test_who_ends_the_run_ends_the_processes_and_keeps_what_they_had_measured(tmp_path):
    import multiprocessing

    before, children = threading.active_count(), set(multiprocessing.active_children())
    path = tmp_path / "j"

    def only_ahead():
        record = read(path)
        return set(record.cached) - {fact.subset for fact in record.facts if isinstance(fact, Evaluated)}

    def content(_):
        end = time.monotonic() + 60
        while not only_ahead() and time.monotonic() < end:
            time.sleep(0.05)
        return Enough()

    result = played(path, 1, content)
    assert result.reason.startswith("wish: ")
    assert threading.active_count() == before
    assert set(multiprocessing.active_children()) <= children
    assert only_ahead()


def test_a_copy_is_told_everything_that_an_elicitation_is_made_of():
    elicitation = Elicitation(Attributes.numbered(4), settings=Settings(ask_every=1), prior=[4, 3, 2, 1], rows=30)
    while not isinstance(request := elicitation.ask(), Compare):
        elicitation.tell(request.id, Measured((request.subset / 16, float(request.subset.bit_count()))))
    ahead = Ahead(Remembering(truth()), 0, lambda *_: None)
    ahead.begin(elicitation, request)
    assert set(ahead._question.run) == set(inspect.signature(Elicitation).parameters)
    assert Elicitation(**ahead._question.run).outlook.widest(elicitation.family) == 3


class Pipe:
    """The end of a process that tells these, one after another, while something else happens here."""

    def __init__(self, *told, meanwhile=lambda: None):
        self.told, self.meanwhile, self.sent = [*told], meanwhile, []
        self.poll, self.send = lambda _: True, self.sent.append

    def recv(self):
        self.meanwhile()
        return self.told.pop(0)


@pytest.mark.parametrize("goes_on", [True, False], ids=["wanted", "begun anew"])
def test_what_a_copy_of_an_earlier_state_finds_is_kept_as_measured_and_never_as_decided(goes_on):
    elicitation = Elicitation(truth().attributes, truth().criteria, Settings(ask_every=1, start=2), seed=5)
    while not isinstance(request := elicitation.ask(), Compare):
        elicitation.tell(request.id, truth()(request))
    standing, result, kept, known = progress_of(elicitation, 1.0), Measured((0.25, 4.0)), [], Remembering(truth())
    ahead = Ahead(known, 0, lambda *found: kept.append(found))
    ahead.begin(elicitation, request)
    question = ahead._question
    question.doing = {Answer.FIRST}

    def anew():
        if not goes_on:
            ahead.begin(elicitation, request)
            ahead._question.doing = {Answer.FIRST}  # another process is at it already

    found = Found((), standing)
    pipe = Pipe((0b1111, result, standing), found, meanwhile=anew)
    ahead._play(pipe, question, Answer.FIRST)
    assert kept == [(0b1111, result)]
    assert known.known[0b1111] == result
    assert pipe.sent[1:] == [goes_on], "a copy that nobody wants any more is called off"
    assert ahead.under_way(Answer.FIRST) != goes_on
    assert (Answer.FIRST in ahead._question.found) == goes_on
    ahead._question.doing = set()
    assert ahead.take(Answer.FIRST) == (found if goes_on else None)
    assert Answer.FIRST not in ahead._question.found, "it is taken once"


def test_of_all_copies_under_way_only_that_of_the_answer_given_goes_on():
    standing = progress_of(Elicitation(truth().attributes), 0.0)
    ahead = Ahead(Remembering(truth()), 0, lambda *_: None)
    question = ahead._question
    question.todo, question.doing = [Answer.EQUAL], {Answer.FIRST, Answer.SECOND}
    wanted, shown, left, end = [], [], [], time.monotonic() + 60

    def process():
        while Answer.SECOND in question.doing and time.monotonic() < end:
            time.sleep(0.01)
        left.extend(question.todo)
        for reply in (Answer.SECOND, Answer.FIRST):
            pipe = Pipe((0b1, Measured((0.5, 1.0)), standing), None)
            ahead._play(pipe, question, reply)
            wanted.extend(pipe.sent[1:])

    beside = threading.Thread(target=process)
    beside.start()
    assert ahead.take(Answer.FIRST, shown.append) is None  # the copy was called off, or failed
    beside.join(60)
    assert wanted == [False, True]
    assert all(told is standing for told in shown)
    assert left == [], "no other is begun while it is waited for"


class AtOnce(Ahead):
    """Every copy is done when it is wanted, and told of it on the way."""

    def begin(self, elicitation, request):
        self.facts, self.request = elicitation.facts, request

    def take(self, reply, show=None):
        copy = Elicitation(truth().attributes, truth().criteria, SETTINGS, seed=5, facts=self.facts)
        copy.tell(self.request.id, reply)
        while isinstance(request := copy.ask(), Evaluate):
            copy.tell(request.id, truth()(request))
            if show is not None:
                show(progress_of(copy, 0.0))
        return Found(copy.facts[len(self.facts) :], progress_of(copy, 0.0))


@pytest.mark.parametrize("told", ["while it is waited for", "with what was found"])
def test_who_calls_a_run_off_is_asked_no_further_though_more_was_decided_ahead(tmp_path, monkeypatch, told):
    ends = played(tmp_path / "plain", 0)
    assert ends.questions > 2

    class Quiet(AtOnce):
        def take(self, reply, show=None):
            return super().take(reply, show if told == "while it is waited for" else None)

    monkeypatch.setattr("elicit.drive.Ahead", Quiet)
    assert played(tmp_path / "whole", 0).questions == ends.questions, "the copies do what the run does"
    found = played(tmp_path / "j", 0, progress=lambda progress: progress.questions >= 1)
    assert found.reason.startswith("callback")
    # with what was found comes the question that it ends at, which is open by then
    assert found.questions == (1 if told == "while it is waited for" else 2)


def test_what_copies_tell_on_the_way_is_told_by_the_clock_of_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr("elicit.drive.Ahead", AtOnce)
    now, seen, judge = [0.0], [], SimulatedOperator("score - 0.8 * size", truth().criteria, noise=0.2, seed=1)

    def slow(request):
        now[0] += 10.0
        return judge(request)

    played(tmp_path / "j", 0, slow, clock=lambda: now[0], progress=seen.append)
    told = [progress.seconds for progress in seen]
    assert told == sorted(told)
    assert told[-1] == now[0] > 10.0


def test_a_run_whose_time_is_over_takes_nothing_over_that_was_decided_ahead(tmp_path, monkeypatch):
    monkeypatch.setattr("elicit.drive.Ahead", AtOnce)
    now, judge = [0.0], SimulatedOperator("score - 0.8 * size", truth().criteria, noise=0.2, seed=1)

    def late(request):
        now[0] += 10.0
        return judge(request)

    found = played(tmp_path / "j", 0, late, clock=lambda: now[0], time_limit=5.0)
    assert (found.reason, found.questions) == ("time: 5 seconds have passed", 1)


def test_where_a_run_stands_at_a_question_is_told_once_whoever_worked_it_out():
    elicitation, now, seen = Elicitation(truth().attributes, truth().criteria), [100.0], []
    reporter = _ProgressReporter(elicitation, seen.append, lambda: now[0], attended=True, time_limit=None)
    now[0] = 107.0
    reporter.found_ahead(progress_of(elicitation, 2.0))
    assert [told.seconds for told in seen] == [7.0], "by the clock of the run, not of the copy"
    reporter.before_question()
    assert len(seen) == 1
    reporter.before_question()
    assert len(seen) == 2
