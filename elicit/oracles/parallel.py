"""Measuring many subsets in parallel, and none twice. Results never depend on the number of workers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pickle import PicklingError
from typing import Any

from joblib import effective_n_jobs
from joblib.externals.loky.process_executor import TerminatedWorkerError
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed  # they take scikit-learn's configuration to the workers

from elicit.asks import Evaluate, Failure, Measured, Oracle
from elicit.errors import InputError, OracleError
from elicit.numeric import is_whole
from elicit.orphans import from_the_start, starting, tied
from elicit.subsets import Mask

#: Tasks for each worker in one call: several, so that no worker idles while another has the slow subsets.
_TASKS_A_WORKER = 4

#: Who is told what has arrived.
Arrived = Callable[[Mapping[Mask, Measured | Failure]], None]


def measure_many(oracle: Oracle, subsets: Sequence[Mask], n_jobs: int | None = None) -> list[Measured | Failure]:
    """The reply for each subset, in their order; a subset listed twice is measured once.

    Candidates run in parallel by joblib, on any backend; None means what joblib.parallel_config says,
    otherwise one after the other in this process.
    """
    with Workers(n_jobs) as workers:
        return workers.measure(oracle, subsets)


def workers_of(n_jobs: int | None) -> int:
    """How many may be at work at once, as joblib counts them."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise InputError(f"n_jobs is None or a whole number other than 0 (-1: all processors), found {n_jobs!r}")
    return int(effective_n_jobs(n_jobs))


@contextmanager
def handed_out() -> Iterator[None]:
    """Say why worker processes cannot be given their work: mostly, that the data find no room in a temporary folder."""
    try:
        yield
    except PicklingError as error:
        told = str(error.__cause__ or error).strip('"\n ').splitlines()  # joblib's cause is the text of a traceback
        raise OracleError(
            f"the work cannot be given to worker processes ({''.join(told[-1:])}); use one process (n_jobs 1), or, if "
            "a folder is at fault, name another in JOBLIB_TEMP_FOLDER"
        ) from error


class Workers:
    """Workers that stay for as long as the context lasts, since some backends take seconds to start theirs."""

    def __init__(self, n_jobs: int | None = None) -> None:
        self._n_jobs = n_jobs
        self._parallel: Parallel | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._release()

    @property
    def count(self) -> int:
        """How many may be at work at once; a cluster may grow."""
        return workers_of(self._n_jobs)

    def measure(
        self, oracle: Oracle, subsets: Sequence[Mask], arrived: Arrived = lambda _: None
    ) -> list[Measured | Failure]:
        """As `measure_many`. `arrived` is told what workers have measured while others are still at work.

        So whoever is interrupted need not lose it. Not all backends tell: with the others it comes at the end.
        """
        asked = list(dict.fromkeys(subsets))
        if isinstance(oracle, Remembering):
            if self.count > 1 and len(asked) > 1:
                self._measure_unclaimed(oracle, asked, arrived)
            replies = {mask: oracle(Evaluate(0, mask)) for mask in asked}
        else:
            replies = dict(zip(asked, self._measured(oracle, asked, arrived), strict=True))
        return [replies[mask] for mask in subsets]

    def _measure_unclaimed(self, oracle: Remembering, subsets: Sequence[Mask], arrived: Arrived) -> None:
        """Measure what is not known, and nobody else measures; whoever needs it meanwhile waits."""
        claimed: list[Mask] = []
        try:
            for mask in subsets:
                if oracle.claim(mask) is None:
                    claimed.append(mask)
            oracle.learn(dict(zip(claimed, self._measured(oracle.inner, claimed, arrived), strict=True)))
        except BaseException as error:
            for mask in claimed:
                oracle.give_up(mask, error)
            raise

    def _measured(self, oracle: Oracle, subsets: Sequence[Mask], arrived: Arrived) -> list[Measured | Failure]:
        workers = self.count
        if workers == 1 or len(subsets) < 2:
            return _measure_in_turn(oracle, subsets)
        tasks = min(len(subsets), workers * _TASKS_A_WORKER)
        dealt = [subsets[start::tasks] for start in range(tasks)]  # neighbours in a list often cost alike
        replies: list[Any] = [None] * len(subsets)
        for start, part in self._measured_by_workers(oracle, dealt, arrived).items():
            replies[start::tasks] = part
        return replies

    def _measured_by_workers(
        self, oracle: Oracle, dealt: Sequence[Sequence[Mask]], arrived: Arrived
    ) -> dict[int, list[Measured | Failure]]:
        """The replies to each part. If a process dies, the rest is asked a second time; a cluster retries by itself."""
        found: dict[int, list[Measured | Failure]] = {}
        for last in (False, True):
            try:
                rest = [(k, part) for k, part in enumerate(dealt) if k not in found]
                tasks = (delayed(tied(_measure_part))(oracle, k, part) for k, part in rest)
                with starting():
                    given = self._started()(tasks)
                with handed_out():
                    for k, replies in given:
                        found[k] = replies
                        arrived(dict(zip(dealt[k], replies, strict=True)))
                return found
            except TerminatedWorkerError as error:
                self._release()  # one that broke off would give what is left of it among the next replies
                if last:
                    raise OracleError(
                        "worker processes died twice while subsets were measured, perhaps for lack of memory; "
                        "use a smaller n_jobs"
                    ) from error
        raise AssertionError("the second time either gives the replies or says why not")

    def _started(self) -> Parallel:
        if self._parallel is None:
            self._parallel = Parallel(n_jobs=self._n_jobs, return_as=_return_as(), **from_the_start()).__enter__()
        return self._parallel

    def _release(self) -> None:
        ready, self._parallel = self._parallel, None
        if ready is not None:
            ready.__exit__(None, None, None)


def _return_as() -> str:
    """How replies are given: as they come, where a backend of joblib itself says that it can."""
    backend, _ = get_active_backend()
    as_they_come = type(backend).__module__.startswith("joblib.") and backend.supports_return_generator
    return "generator_unordered" if as_they_come else "list"


def _measure_part(oracle: Oracle, number: int, subsets: Sequence[Mask]) -> tuple[int, list[Measured | Failure]]:
    """The replies to a part, with its number, for they may come in any order."""
    return number, _measure_in_turn(oracle, subsets)


def _measure_in_turn(oracle: Oracle, subsets: Sequence[Mask]) -> list[Measured | Failure]:
    return [oracle(Evaluate(0, mask)) for mask in subsets]


class Remembering:
    """An oracle that never asks the inner one twice for a subset, from any number of threads.

    `known` holds replies from before, such as those of a journal; failures are remembered as well.
    """

    def __init__(self, inner: Oracle, known: Mapping[Mask, Measured | Failure] | None = None) -> None:
        self.inner = inner
        self.attributes, self.criteria, self.fingerprint = inner.attributes, inner.criteria, inner.fingerprint
        self._known: dict[Mask, Measured | Failure] = dict(known or {})
        self._open: dict[Mask, Future[Measured | Failure | None]] = {}
        self._lock = threading.Lock()

    @property
    def known(self) -> Mapping[Mask, Measured | Failure]:
        """Every reply so far."""
        with self._lock:
            return dict(self._known)

    def learn(self, replies: Mapping[Mask, Measured | Failure]) -> None:
        """Take over replies that were obtained elsewhere; the first one for a subset stays."""
        with self._lock:
            self._known = {**replies, **self._known}
            waited_for = {mask: self._open.pop(mask) for mask in replies if mask in self._open}
        for mask, waiting in waited_for.items():
            waiting.set_result(replies[mask])

    def claim(self, mask: Mask) -> Measured | Failure | Future[Measured | Failure | None] | None:
        """The reply where it is known, or what to wait for where somebody measures the subset already.

        None where nobody does: then it is for the caller to measure, who must `learn` the reply or `give_up` for it.
        """
        with self._lock:
            if mask in self._known:
                return self._known[mask]
            if mask in self._open:
                return self._open[mask]
            self._open[mask] = Future()
            return None

    def give_up(self, mask: Mask, error: BaseException | None = None) -> None:
        """Leave a subset that was claimed unmeasured; whoever waits for it meets the error, or else measures it."""
        with self._lock:
            waiting = self._open.pop(mask, None)
        if waiting is not None and error is not None:
            waiting.set_exception(error)
        elif waiting is not None:
            waiting.set_result(None)

    def __call__(self, request: Evaluate) -> Measured | Failure:
        found = None
        while found is None and (known := self.claim(request.subset)) is not None:
            found = known.result() if isinstance(known, Future) else known
        if found is not None:
            return found
        try:
            reply = self.inner(request)
        except BaseException as error:
            self.give_up(request.subset, error)
            raise
        self.learn({request.subset: reply})
        return reply

    def __getstate__(self) -> dict[str, Any]:
        return {"inner": self.inner, "known": dict(self.known)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["inner"], state["known"])  # type: ignore[misc]
