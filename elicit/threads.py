"""One numeric thread inside one measurement or decision: a result never depends on how many cores there are.

scikit-learn's nearest neighbours break ties differently for another number of threads, and matrix
products round differently; candidates run in parallel instead. Matrices as small as those of a decision are
slower with more, and much slower where others want the processors too.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside = 0
_before: dict[str, tuple[Any, int]] = {}  # the shared pools by file, and what each had when it was first limited


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit every numeric library to one thread until the block ends.

    Some libraries count per calling thread: each caller restores its own. Others have one number for
    the whole process: the first caller in sets it (or the next one, where it is loaded later), the last one out
    restores it.
    """
    global _inside
    own, shared = _pools(len(sys.modules))
    mine = [pool.num_threads for pool in own]
    for pool in own:
        _set(pool, 1)
    with _lock:
        for pool in shared:
            if pool.filepath not in _before:
                _before[pool.filepath] = pool, pool.num_threads
                _set(pool, 1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                for pool, number in _before.values():
                    _set(pool, number)
                _before.clear()
        for pool, number in zip(own, mine, strict=True):
            _set(pool, number)


@lru_cache(maxsize=1)
def _pools(modules: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:  # noqa: ARG001  # looked for anew with each import
    """The loaded libraries that count per calling thread, and those that count per process."""
    pools = ThreadpoolController().lib_controllers
    shared = [pool for pool in pools if _counts_per_process(pool)]
    return tuple(pool for pool in pools if pool not in shared), tuple(shared)


def _counts_per_process(pool: Any) -> bool:
    layer = getattr(pool, "threading_layer", "")
    return pool.internal_api in ("openblas", "blis", "flexiblas") and layer != "openmp"


def _set(pool: Any, number: int) -> None:
    pool.set_num_threads(number)
    # newer threadpoolctl lets only the thread that set a shared number set it again; give that up
    release = getattr(type(pool), "clear_controlling_thread", None)
    if release is not None:
        release()
