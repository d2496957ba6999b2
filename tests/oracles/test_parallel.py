"""Many subsets at once give what one after the other gives, and no subset is ever paid for twice."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
import sklearn
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit.asks import Evaluate, Failure, Measured
from elicit.errors import OracleError
from elicit.events import SCORE_AND_SIZE
from elicit.oracles import CallableOracle, Remembering, WrapperOracle, measure_many
from elicit.oracles.parallel import Workers
from elicit.subsets import Attributes

SUBSETS = [3, 77, 1, 3, 8191, 500, 1]


def wine(model):
    X, y = load_wine(return_X_y=True)
    return WrapperOracle(make_pipeline(StandardScaler(), model), np.round(X), y, cv=3)


@pytest.mark.parametrize("model", [KNeighborsClassifier(5, algorithm="brute"), LogisticRegression()])
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing", "sequential"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_replies_come_in_order_and_are_the_same_on_every_backend(model, backend):
    oracle = wine(model)
    alone = [oracle(Evaluate(0, mask)) for mask in SUBSETS]
    assert measure_many(oracle, SUBSETS) == alone
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert measure_many(oracle, SUBSETS) == alone
    assert measure_many(oracle, []) == []


def test_workers_have_the_configuration_of_scikit_learn_that_holds_here():
    oracle = CallableOracle(lambda _: float(sklearn.get_config()["enable_metadata_routing"]), 3)
    with joblib.parallel_config(backend="threading", n_jobs=2), sklearn.config_context(enable_metadata_routing=True):
        assert [reply.criteria[0] for reply in measure_many(oracle, [1, 2, 4])] == [1, 1, 1]


@pytest.mark.filterwarnings("ignore:A worker stopped")
@pytest.mark.parametrize("noticed", [0.5, pytest.param(0.0, marks=pytest.mark.slow)])
def test_a_worker_that_dies_between_two_rounds_is_replaced(noticed):
    oracle = CallableOracle(lambda names: time.sleep(0.2) or float(f"{os.getpid()}.{len(names)}"), 4)
    with Workers(2) as workers:
        for last in (False, True):
            found = [reply.criteria for reply in workers.measure(oracle, [1, 3, 7, 15])]
            assert [round(10 * (score % 1)) for score, _ in found] == [size for _, size in found] == [1, 2, 3, 4]
            if not last:
                os.kill(int(found[0][0]), signal.SIGKILL)
                time.sleep(noticed)  # its death shows while the next round is under way, or before


def test_functions_of_a_notebook_and_failures_cross_processes():
    oracle = CallableOracle(lambda names: 1 / (len(names) - 2), 4)
    replies = measure_many(oracle, [1, 3, 7], n_jobs=2)
    assert replies[0].criteria == (-1.0, 1.0)
    assert replies[1] == Failure("ZeroDivisionError: division by zero")
    assert measure_many(oracle, [1, 3, 7]) == replies


def test_work_that_no_process_can_be_given_is_an_error_that_says_why(tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")  # in the place of a folder: not even an administrator writes there
    monkeypatch.setenv("JOBLIB_TEMP_FOLDER", str(tmp_path / "a file"))
    X = np.random.default_rng(0).normal(size=(40_000, 4))  # joblib gives what is so large in a file
    oracle = WrapperOracle(KNeighborsClassifier(3), X, X[:, 0] > 0, cv=2)
    with pytest.raises(OracleError, match=r"(?s)processes \(NotADirectoryError.*n_jobs 1.*JOBLIB_TEMP_FOLDER"):
        measure_many(oracle, [1, 2], n_jobs=2)
    lock = threading.Lock()
    with pytest.raises(OracleError, match=r"processes \(TypeError: cannot pickle '_thread.lock' object\)"):
        measure_many(CallableOracle(lambda names: float(len(names) + lock.locked()), 4), [1, 2], n_jobs=2)


def test_a_reason_of_a_failure_is_the_same_in_every_process():
    X = np.arange(40.0).reshape(20, 2)
    failing = WrapperOracle(KNeighborsClassifier(metric="x"), X, np.arange(20) % 2, cv=2)
    assert measure_many(failing, [1, 2, 3]) == measure_many(failing, [1, 2, 3], n_jobs=2)


class Counting:
    def __init__(self):
        self.asked = []

    def __call__(self, mask):
        self.asked.append(mask)
        if mask == 2:
            raise ValueError("never")
        return float(mask)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_subset_is_asked_once_and_failures_are_remembered(n_jobs):
    fn = Counting()
    known = {1: Measured((9.0, 1.0))}
    oracle = Remembering(CallableOracle(fn, 3, takes="mask"), known)
    with joblib.parallel_config(backend="threading"):
        first = measure_many(oracle, [1, 2, 3, 3, 2], n_jobs)
        again = measure_many(oracle, [3, 2, 1, 4], n_jobs)
    assert sorted(fn.asked) == [2, 3, 4]
    assert first == [known[1], Failure("ValueError: never"), oracle.known[3], oracle.known[3], first[1]]
    assert again[:3] == [first[2], first[1], first[0]]
    assert oracle.fingerprint == oracle.inner.fingerprint
    assert (oracle.attributes, oracle.criteria) == (oracle.inner.attributes, oracle.inner.criteria)


def test_replies_from_other_processes_are_remembered_here():
    oracle = Remembering(wine(KNeighborsClassifier(3)))
    measure_many(oracle, [1, 2, 3], n_jobs=2)
    assert set(oracle.known) == {1, 2, 3}


def test_threads_that_want_the_same_subset_wait_for_one_measurement():
    asked = []

    def slow(mask):
        asked.append(mask)
        time.sleep(0.05)
        return 1.0

    oracle = Remembering(CallableOracle(slow, 3, takes="mask"))
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda i: oracle(Evaluate(i, 1 + i % 2)), range(16)))
    assert sorted(asked) == [1, 2]
    assert len(set(replies)) == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("comes", [True, False])
def test_who_needs_what_another_claimed_waits_for_it_and_measures_what_that_one_gave_up(n_jobs, comes):
    asked = []

    def measure(mask):
        asked.append(mask)
        return 1.0

    oracle = Remembering(CallableOracle(measure, 3, takes="mask"))
    assert oracle.claim(1) is None
    assert not oracle.claim(1).done(), "nobody else may claim it"

    def in_threads():
        with joblib.parallel_config("threading"), Workers(n_jobs) as workers:
            return workers.measure(oracle, [1, 2, 3])

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(in_threads)
        time.sleep(0.05)
        assert not waiting.done()
        if comes:
            oracle.learn({1: Measured((7.0, 1.0))})
        else:
            oracle.give_up(1)
        replies = waiting.result(timeout=10)
    assert replies[0].criteria[0] == (7.0 if comes else 1.0)
    assert sorted(asked) == ([2, 3] if comes else [1, 2, 3])
    assert oracle.claim(1) == replies[0]


@pytest.mark.parametrize("where", ["claim", "inner"])
def test_what_breaks_a_round_of_workers_off_leaves_nothing_claimed(monkeypatch, where):
    oracle = Remembering(CallableOracle(broken, 3))
    if where == "claim":
        claim, interrupted = oracle.claim, iter([False, True])
        monkeypatch.setattr(oracle, "claim", lambda mask: raised() if next(interrupted) else claim(mask))
    with joblib.parallel_config("threading"), Workers(2) as workers, pytest.raises(KeyboardInterrupt):
        workers.measure(oracle, [1, 2, 3])
    monkeypatch.undo()
    assert [oracle.claim(mask) for mask in (1, 2, 3)] == [None] * 3


def raised():
    raise KeyboardInterrupt


def broken(_names):
    raise KeyboardInterrupt


def test_an_interrupted_measurement_is_not_remembered():
    class Interrupted:
        calls = 0
        attributes = criteria = fingerprint = None

        def __call__(self, _):
            self.calls += 1
            if self.calls == 1:
                raise KeyboardInterrupt
            return Measured((1.0,))

    oracle = Remembering(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        oracle(Evaluate(0, 1))
    assert oracle(Evaluate(0, 1)) == Measured((1.0,))


class Slow:
    """To measure all attributes together ends only by an interrupt, once the others have arrived."""

    attributes, criteria, fingerprint = Attributes.numbered(3), SCORE_AND_SIZE, "slow"

    def __init__(self, arrived):
        self.arrived = arrived

    def __call__(self, request):
        if request.subset == 7:
            for _ in range(1000):
                if len(self.arrived()) == 3:
                    raise KeyboardInterrupt
                time.sleep(0.01)
            raise AssertionError("what the others measured never arrived")
        return Measured((float(request.subset), 1.0))


@pytest.mark.parametrize("remembering", [False, True])
def test_what_some_workers_measured_arrives_while_another_is_at_work(remembering):
    arrived = {}
    oracle = Slow(lambda: arrived)
    with joblib.parallel_config(backend="threading", n_jobs=2), Workers() as workers, pytest.raises(KeyboardInterrupt):
        workers.measure(Remembering(oracle) if remembering else oracle, [7, 1, 2, 4], arrived.update)
    assert arrived == {mask: Measured((float(mask), 1.0)) for mask in (1, 2, 4)}


def test_what_had_arrived_when_a_process_died_is_not_asked_again(monkeypatch):
    asked, arrived = [], {}

    def broken_off(tasks):
        tasks = list(tasks)
        asked.append([part for _, (_, _, part), _ in tasks])
        for n, (task, arguments, _) in enumerate(tasks):
            if len(asked) == 1 and n == 1:
                raise TerminatedWorkerError("one died")
            yield task(*arguments)

    monkeypatch.setattr(Workers, "_started", lambda _: broken_off)
    monkeypatch.setattr("elicit.oracles.parallel.delayed", lambda task: lambda *arguments: (task, arguments, {}))
    with Workers(2) as workers:
        found = workers.measure(CallableOracle(len, 3), [1, 3, 7], arrived.update)
    assert [reply.criteria[0] for reply in found] == [1, 2, 3]
    assert asked == [[[1], [3], [7]], [[3], [7]]]
    assert list(arrived) == [1, 3, 7]


def test_what_is_learnt_first_stays():
    oracle = Remembering(CallableOracle(len, 3))
    oracle.learn({1: Measured((5.0, 1.0))})
    oracle.learn({1: Measured((6.0, 1.0)), 2: Measured((7.0, 1.0))})
    assert oracle(Evaluate(0, 1)).criteria == (5.0, 1.0)
    copy = pickle.loads(pickle.dumps(oracle))
    assert copy.known == oracle.known
    assert copy(Evaluate(0, 4)).criteria == (1.0, 1.0)
