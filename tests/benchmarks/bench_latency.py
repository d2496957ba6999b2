"""How long an operator waits for the next question, over whole recorded sessions at n = 13, 30 and 64.

    python tests/benchmarks/bench_latency.py [--think SECONDS] [--budget N] [--ahead PROCESSES]

A simulated operator thinks for a while before each answer (by default 5 seconds, which is quick for a person);
from the answer to the moment the next question can be drawn is the latency. Each session is played twice,
with processes that think ahead and with none, and must come out the same. "Ready" counts the questions that
were decided when the answer came.
"""

import argparse
import dataclasses
import os
import tempfile
import time
from pathlib import Path

import numpy as np

from elicit.alongside.ahead import Ahead
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.journal import identity
from elicit.operators import SimulatedOperator
from elicit.sessions import begin
from elicit.sources.oracle import oracle_from

DATA = {13: "wine", 30: "breast_cancer", 64: "digits"}


def played(path, data, budget, think, ahead):
    """Latencies of one session, and how many questions were ready when the answer came."""
    oracle = oracle_from({"kind": "wrapper", "data": data, "model": "knn:3", "folds": 10}, Path())
    judge = SimulatedOperator("score - 0.003 * size", oracle.criteria)
    waits, ready, answered = [], [], None
    take = Ahead.take

    def watched(self, reply, show=None):
        ready.append(reply in self._question.found)
        return take(self, reply, show)

    def operator(request):
        nonlocal answered
        if answered is not None:
            waits.append(time.perf_counter() - answered)
        time.sleep(think)
        reply = judge(request)
        answered = time.perf_counter()
        return reply

    Ahead.take = watched
    try:
        settings = dataclasses.replace(Settings(budget=budget), last_questions=2)
        with begin(path, oracle, settings) as session:
            drive(
                session.elicitation,
                oracle,
                operator,
                session.journal,
                progress=lambda _: None,
                ahead=ahead,
                claim=False,
                attended=True,
            )
    finally:
        Ahead.take = take
    return np.array(waits), ready[: len(waits)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--think", type=float, default=5.0)
    parser.add_argument("--budget", type=int, default=100)
    parser.add_argument("--ahead", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--n", type=int, choices=DATA, nargs="+", default=list(DATA))
    args = parser.parse_args()
    print(f"budget {args.budget}, {args.think:g} s of thinking an answer; load {os.getloadavg()[0]:.1f}")
    print(f"{'n':>3} {'ahead':>5} {'questions':>9} {'median':>8} {'p95':>8} {'ready':>7} {'both when ready':>17}")
    for n in args.n:
        runs = []
        with tempfile.TemporaryDirectory() as folder:
            for ahead, think in ((0, 0.0), (args.ahead, args.think)):
                path = Path(folder) / str(ahead)
                waits, ready = played(path, DATA[n], args.budget, think, ahead)
                runs.append(identity(path))
                when = waits[np.array(ready, dtype=bool)]
                told = f"{np.median(when):.3f}s {np.percentile(when, 95):.3f}s" if len(when) else "-"
                print(
                    f"{n:>3} {ahead:>5} {len(waits):>9} {np.median(waits):>7.3f}s {np.percentile(waits, 95):>7.3f}s "
                    f"{f'{sum(ready)}/{len(ready)}':>7} {told:>17}",
                    flush=True,
                )
        assert runs[0] == runs[1], "a run must not depend on who thinks ahead"


if __name__ == "__main__":
    main()
