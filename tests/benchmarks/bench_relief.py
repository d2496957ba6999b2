"""How much faster ReliefF is than scikit-rebate's, on 2,000 rows and 100 columns in one process and one thread.

Run it as `python tests/benchmarks/bench_relief.py`. It asserts equal scores, and prints the seconds of both (the
better of two runs each) and their ratio, for several numbers of neighbours, with and without gaps.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from skrebate import ReliefF
from threadpoolctl import threadpool_limits

from elicit.scores import relieff

ROWS, COLUMNS, RUNS = 2000, 100, 2


def best_of(run: Callable[[], np.ndarray], runs: int = RUNS) -> tuple[np.ndarray, float]:
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        found = run()
        seconds.append(time.perf_counter() - start)
    return found, min(seconds)


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=ROWS) > 0).astype(int)
    holed = np.where(rng.random((ROWS, COLUMNS)) < 0.01, np.nan, X)
    print(f"ReliefF, {ROWS} x {COLUMNS}, two classes, n_jobs=1")
    print(f"{'data':12}{'neighbours':>11}{'ours, s':>10}{'skrebate, s':>13}{'ratio':>8}")
    for name, data, k, runs in (("complete", X, 10, RUNS), ("complete", X, 100, RUNS), ("1% gaps", holed[:500], 10, 1)):
        target = y[: len(data)]
        ours, fast = best_of(lambda: relieff(data, target, neighbours=k))  # noqa: B023  # called at once
        theirs, slow = best_of(
            lambda: ReliefF(n_neighbors=k, n_jobs=1).fit(data.copy(), target).feature_importances_,  # noqa: B023
            runs,
        )
        assert np.abs(ours - theirs).max() < 1e-12
        label = name if len(data) == ROWS else f"{name}, {len(data)}"
        print(f"{label:12}{k:>11}{fast:>10.3f}{slow:>13.3f}{slow / fast:>8.1f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
