"""No worker process outlives the one that it works for."""

import signal
import subprocess
import sys
import threading
from contextlib import nullcontext

import pytest
from joblib import Parallel, delayed, parallel_config

from elicit.orphans import from_the_start, tied

PARENT = """
import time
from joblib import Parallel, delayed
from elicit.orphans import tied

def work(number):
    print("at work", flush=True)
    time.sleep(600)  # a measurement that hangs

if __name__ == "__main__":
    Parallel(n_jobs=2)(delayed(tied(work))(number) for number in range(2))
"""


def workers_end_with_their_parent(program, count, folder):
    """Nobody is left of a program that is killed once so many of its workers have begun."""
    (folder / "parent.py").write_text(program)
    parent = subprocess.Popen([sys.executable, "parent.py"], cwd=folder, stdout=subprocess.PIPE, text=True)
    given_up = threading.Timer(300, parent.kill)  # a worker that never begins would be waited for without an end
    given_up.start()
    with parent:
        begun = [parent.stdout.readline() for _ in range(count)]
        given_up.cancel()
        parent.kill()
        assert begun == ["at work\n"] * count
        rest, _ = parent.communicate(timeout=60)  # until nobody holds the other end
    assert rest == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells nobody that a parent has gone")
def test_workers_end_with_a_parent_that_was_killed(tmp_path):
    workers_end_with_their_parent(PARENT, 2, tmp_path)


IDLE = """
import time
from joblib import Parallel, delayed
from elicit.orphans import from_the_start, tied

def work():
    print("at work", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    Parallel(n_jobs=2, **from_the_start())([delayed(tied(work))()])  # there is nothing for the other one
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells nobody that a parent has gone")
@pytest.mark.skipif(not from_the_start(), reason="a joblib that ties workers by their first task only")
def test_a_worker_that_never_had_a_task_ends_with_a_parent_that_was_killed(tmp_path):
    workers_end_with_their_parent(IDLE, 1, tmp_path)


def test_whoever_says_how_workers_start_is_left_to_it():
    with parallel_config("loky", idle_worker_timeout=100) if from_the_start() else nullcontext():
        assert from_the_start() == {}
    with parallel_config("threading"):
        assert from_the_start() == {}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows tells nobody that a parent has gone")
def test_workers_leave_ctrl_c_to_the_process_that_they_work_for():
    handlers = Parallel(n_jobs=2)(delayed(tied(signal.getsignal))(signal.SIGINT) for _ in range(2))
    assert handlers == [signal.SIG_IGN] * 2
    before = signal.getsignal(signal.SIGINT)
    assert tied(signal.getsignal)(signal.SIGINT) == before, "which nobody else does"


def watching():
    """The threads of this process that watch another, and whether they keep it from ending."""
    return [thread.daemon for thread in threading.enumerate() if "_end_with" in thread.name]


def test_a_worker_watches_once_however_many_tasks_it_has_and_may_end_itself():
    assert Parallel(n_jobs=2)(delayed(tied(watching))() for _ in range(6)) == [[True]] * 6


def test_a_task_that_is_not_sent_to_another_process_ties_nobody():
    before = threading.active_count()
    assert tied(divmod)(7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        tied(divmod)(7, 0)
    assert threading.active_count() == before


STARTED = """
import multiprocessing, time
from elicit.orphans import tie_to_parent

def work():
    tie_to_parent()
    print("at work", flush=True)
    time.sleep(600)  # a measurement that hangs

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""


def test_a_process_of_multiprocessing_ends_with_a_parent_that_was_killed(tmp_path):
    workers_end_with_their_parent(STARTED, 1, tmp_path)


BEGINNING = """
import os, signal, sys, time
from joblib import Parallel, delayed
from joblib.externals.loky.backend.popen_loky_posix import Popen
from elicit.orphans import from_the_start, in_turn, starting, tied

launch = Popen._launch

def interrupted(self, process):
    launch(self, process)
    time.sleep(0.05)
    os.kill(self.pid, signal.SIGINT)  # as Ctrl-C does, while it loads its libraries

if __name__ == "__main__":
    Popen._launch = interrupted
    with starting():
        found = Parallel(n_jobs=2, return_as=in_turn(), **from_the_start())(delayed(tied(abs))(k) for k in range(9))
    blocked = delayed(tied(signal.pthread_sigmask))(signal.SIG_BLOCK, ())
    print(list(found), Parallel(n_jobs=2, **from_the_start())([blocked]), signal.pthread_sigmask(signal.SIG_BLOCK, ()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows blocks no signals")
@pytest.mark.skipif(not from_the_start(), reason="a joblib that ties workers by their first task only")
def test_ctrl_c_does_not_reach_a_worker_that_starts_and_nothing_stays_blocked(tmp_path):
    (tmp_path / "parent.py").write_text(BEGINNING)
    parent = subprocess.run([sys.executable, "parent.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert (parent.stdout, parent.stderr) == (f"{list(range(9))} [set()] set()\n", "")


INTERRUPTED = """
import os, signal
from elicit.orphans import starting

if __name__ == "__main__":
    try:
        with starting():
            os.kill(os.getpid(), signal.SIGINT)
            print("to the end")
    except KeyboardInterrupt:
        print("and then at once")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows blocks no signals")
@pytest.mark.skipif(not from_the_start(), reason="a joblib that ties workers by their first task only")
def test_ctrl_c_waits_while_workers_are_started(tmp_path):
    (tmp_path / "parent.py").write_text(INTERRUPTED)
    parent = subprocess.run([sys.executable, "parent.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert parent.stdout.split("\n") == ["to the end", "and then at once", ""]


HUNG_UP = """
import os, signal, time
from pathlib import Path
from elicit.oracles import CallableOracle, measure_many
from elicit.subsets import Attributes

def slow(subset):
    Path("begun").touch()
    time.sleep(0.2)
    return {"score": 0.5}

def hang_up_once_begun(*_):
    if Path("begun").exists():
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.killpg(0, signal.SIGHUP)  # as a terminal does that goes away

if __name__ == "__main__":
    os.setpgid(0, 0)
    signal.signal(signal.SIGHUP, signal.default_int_handler)
    signal.signal(signal.SIGALRM, hang_up_once_begun)
    signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
    try:
        measure_many(CallableOracle(slow, Attributes(tuple("abcdefgh"))), range(1, 256), n_jobs=2)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.skipif(not from_the_start(), reason="a joblib that ties workers by their first task only")
def test_where_a_terminal_goes_away_what_tidies_up_stays_to_the_end_and_no_traceback_is_left(tmp_path):
    (tmp_path / "parent.py").write_text(HUNG_UP)
    parent = subprocess.run([sys.executable, "parent.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert (parent.stdout, parent.stderr) == ("interrupted\n", "")
