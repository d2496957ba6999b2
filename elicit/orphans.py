"""Orphans: a worker process ends with the process that it works for.

One that was killed tells nobody, and its workers would go on: with a task that may take hours, and then waiting
for others. Of joblib's workers only a child of whoever hands out the task is tied to it: threads, and processes of a
cluster, are not. It is tied as it starts where joblib can do that, for its first task may never come: what was killed
meanwhile may have sent the half of one. Elsewhere it is tied once its first task begins. On Windows they cannot see
that a parent has gone, and nothing ends. A process that was started by multiprocessing itself hears of it anywhere,
and at once.

Ctrl-C at a terminal reaches the workers, too. They leave it to that process, which ends them: what each of them had to
say of it would be a traceback. Until a worker can leave it, which takes a second, it is blocked: a process is born with
what is blocked in the thread that starts it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from joblib.externals.loky.backend import resource_tracker as loky_tracker
from joblib.parallel import LokyBackend, get_active_backend

Value = TypeVar("Value")

#: Seconds between two looks at whether the parent is there.
_LOOK = 1.0


def tied(task: Callable[..., Value]) -> Callable[..., Value]:
    """The same task; a worker process that runs it ends with this process from then on."""
    return partial(_run, os.getpid(), task)


def from_the_start() -> dict[str, Any]:
    """What joblib's Parallel takes so that its worker processes are tied to this one as they start.

    Nothing where joblib is too old for that (1.4), or somebody else has a say in how its workers start.
    """
    backend, _ = get_active_backend()
    if isinstance(backend, LokyBackend) and getattr(backend, "backend_kwargs", None) == {}:
        return {"initializer": _tie_started, "initargs": (os.getpid(),)}
    return {}


def in_turn() -> str:
    """How joblib's Parallel gives results in their order, so that it returns as soon as its workers have tasks."""
    return "generator" if from_the_start() else "list"


@contextmanager
def starting() -> Iterator[None]:
    """Ctrl-C waits in this block, in which Parallel is called, and does not reach the processes that it starts.

    Where workers are not tied as they start, or Parallel returns only with all results, nothing waits.
    """
    before = block_ctrl_c() if from_the_start() else None
    try:
        yield
    finally:
        if sys.platform != "win32" and before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def block_ctrl_c() -> set[int] | None:
    """Keep Ctrl-C from this thread and what it starts; return what was blocked before, None where nothing can be."""
    if sys.platform == "win32":
        return None
    else:  # noqa: RET505  # after the return mypy, as if on Windows, would call this unreachable
        _start_trackers()  # either would start with the first process, and end the blocking
        return signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _start_trackers() -> None:
    """Start what tidies up after processes. It outlives Ctrl-C and SIGTERM by itself, and here also SIGHUP.

    A terminal that goes away sends that to all processes. Without the first tracker, what is in memory would stay
    there, and the next one knows nothing of it: it would print a traceback for each thing that is taken back.
    """
    if sys.platform != "win32":
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
        try:
            resource_tracker.ensure_running()
            loky_tracker.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _tie_started(parent: int) -> None:
    _tie(parent, os.getpid())


def _run(parent: int, task: Callable[..., Value], *arguments: Any) -> Value:
    if os.getppid() == parent:
        _tie(parent, os.getpid())
    return task(*arguments)


@cache
def _tie(parent: int, _: int) -> None:
    """Once in each process; what a fork took along of another one does not count."""
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if sys.platform != "win32":  # what came while it was blocked is ignored now
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def tie_to_parent() -> None:
    """Tie this process, which multiprocessing started, to the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # this runs in a process that another one started
    parent.join()
    os._exit(1)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)
