"""Many workers, for real: the same facts with processes of this machine and with a cluster, whoever dies."""

import importlib
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
from joblib import parallel_config, register_parallel_backend
from joblib.parallel import ThreadingBackend
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from elicit import ElicitSelector
from elicit.errors import OracleError

X, Y = load_wine(return_X_y=True)


def selector(**changed):
    return ElicitSelector(**({"estimator": GaussianNB(), "cv": 5, "budget": 24} | changed))


@pytest.fixture(scope="module")
def serial():
    return selector().fit(X, Y)


@pytest.fixture
def cluster():
    """Two worker processes with a nanny each, which replaces a worker that dies."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of dask, about ports and clocks; not of what is tested
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
            ) as running,
            distributed.Client(running) as client,
        ):
            yield client


def test_with_processes_of_this_machine(serial):
    with parallel_config(backend="loky", n_jobs=2):
        assert selector().fit(X, Y).session_.facts == serial.session_.facts


def test_with_threads(serial):
    with parallel_config(backend="threading", n_jobs=3):
        assert selector().fit(X, Y).session_.facts == serial.session_.facts


class Counted(ThreadingBackend):
    """Threads that count how often they were made ready."""

    made_ready = 0

    def configure(self, *given, **options):
        Counted.made_ready += 1
        return super().configure(*given, **options)


def test_workers_are_made_ready_once_for_a_whole_fit(serial):
    register_parallel_backend("counted", Counted)
    with parallel_config(backend="counted", n_jobs=2):
        found = selector().fit(X, Y)
    assert Counted.made_ready == 1
    assert found.session_.facts == serial.session_.facts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # ray's own
def test_with_ray(serial):
    ray = pytest.importorskip("ray")
    importlib.import_module("ray.util.joblib").register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with parallel_config(backend="ray", n_jobs=-1):
            assert selector().fit(X, Y).session_.facts == serial.session_.facts
    finally:
        ray.shutdown()


class Dying(GaussianNB):
    """Takes the worker process down: the first time, or every time."""

    def __init__(self, home, folder, always=False):
        super().__init__()
        self.home = home
        self.folder = folder
        self.always = always

    def fit(self, X, y):
        flag = os.path.join(self.folder, "died")
        if os.getpid() != self.home and (self.always or not os.path.exists(flag)):
            open(flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_the_death_of_a_process_of_this_machine_changes_nothing(serial, tmp_path):
    found = selector(estimator=Dying(os.getpid(), str(tmp_path)), n_jobs=2).fit(X, Y)
    assert os.path.exists(tmp_path / "died")
    assert found.session_.facts == serial.session_.facts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_processes_that_keep_dying_are_one_clear_error(tmp_path):
    with pytest.raises(OracleError, match="use a smaller n_jobs"):
        selector(estimator=Dying(os.getpid(), str(tmp_path), always=True), n_jobs=2).fit(X, Y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # dask's own
def test_with_a_cluster_of_several_processes(serial, cluster, tmp_path):
    with parallel_config(backend="dask"):
        found = selector(estimator=Telling(str(tmp_path))).fit(X, Y)
    workers = set(cluster.run(os.getpid).values())
    assert {int(name) for name in os.listdir(tmp_path)} == workers
    assert len(workers) == 2
    assert found.cv_results_["mean_test_score"] == pytest.approx(serial.cv_results_["mean_test_score"], nan_ok=True)
    assert found.feature_names_ == serial.feature_names_
    with parallel_config(backend="dask"):
        assert selector().fit(X, Y).session_.facts == serial.session_.facts


class Telling(ClassifierMixin, BaseEstimator):
    """Writes down in which process it was fitted, and takes its time when told to."""

    def __init__(self, folder=None, seconds=0.0):
        self.folder = folder
        self.seconds = seconds

    def fit(self, X, y):
        if self.folder is not None:
            with open(os.path.join(self.folder, str(os.getpid())), "a") as file:
                file.write("fit\n")
        time.sleep(self.seconds)
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # dask's own
def test_the_death_of_a_worker_in_a_cluster_changes_nothing(serial, cluster, tmp_path):
    killed = []

    def kill_one():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            at_work = {int(name): os.path.getsize(tmp_path / name) for name in os.listdir(tmp_path)}
            if sum(at_work.values()) > 100:  # some 25 fits of 4 bytes, well within the run of 120
                killed.append(max(at_work, key=at_work.get))
                os.kill(killed[0], signal.SIGKILL)
                return
            time.sleep(0.02)

    before = set(cluster.run(os.getpid).values())
    thread = threading.Thread(target=kill_one)
    thread.start()
    with parallel_config(backend="dask"):
        found = selector(estimator=Telling(str(tmp_path), 0.05)).fit(X, Y)
    thread.join()
    assert killed
    assert killed[0] in before
    assert len({int(name) for name in os.listdir(tmp_path)} - {os.getpid()}) >= 2  # both of them worked, or their heirs
    assert np.array_equal(found.support_, serial.support_)
    assert found.session_.facts == serial.session_.facts
