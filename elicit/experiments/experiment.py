"""Experiment: a scenario played to its end, over and over, by our method.

A run is one choice of [elicit], one operator and one seed; it depends on nothing else, so runs may be parallel and
give the same results. What one run has measured, the next ones remember.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from elicit.alongside.progress import Progress
from elicit.asks import Oracle
from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import Elicitation
from elicit.drive import drive
from elicit.errors import OracleError
from elicit.events import Asked, Evaluated, Failed
from elicit.experiments.best import best_known
from elicit.experiments.journals import resumed_run
from elicit.experiments.results import POINTS, RunResult, plain_result, utility_regret
from elicit.operators import SimulatedOperator
from elicit.oracles import Remembering, SyntheticOracle, TableOracle
from elicit.oracles.parallel import handed_out, workers_of
from elicit.orphans import from_the_start, starting, tied
from elicit.scenario import ElicitSpec, OperatorSpec, Scenario
from elicit.sources.oracle import SyntheticSpec
from elicit.threads import one_thread
from elicit.worth import against_directions


@dataclass(frozen=True)
class Stage:
    """How far an experiment is: runs finished, runs in all, and the progress of the current run, if it is known."""

    finished: int
    total: int
    run: Progress | None = None


#: A run: a function that may report its progress, and returns its result.
Task = Callable[[Callable[[Progress], None] | None], RunResult]


def runs_at_once(scenario: Scenario, n_jobs: int | None) -> int:
    """The number of parallel runs: as given, or else -1 (one per processor) for tables and drawn truths, otherwise 1.

    Processes share no memory, so an oracle that fits models would measure the same subsets in each of them.
    """
    if n_jobs is not None:
        return n_jobs
    return -1 if isinstance(scenario.oracle, TableOracle | SyntheticSpec) else 1


def run_scenario(
    scenario: Scenario,
    n_jobs: int | None = None,
    progress: Callable[[Stage], None] | None = None,
    journals: Path | None = None,
) -> list[RunResult]:
    """One result for each choice of [elicit], operator and seed, in this order (see `RunResult`).

    journals: a folder that keeps one journal for each run, which then goes on where it stopped.
    """
    return play_tasks(elicit_tasks(scenario, journals), n_jobs, progress)


def play_tasks(
    tasks: Sequence[Task], n_jobs: int | None = None, progress: Callable[[Stage], None] | None = None
) -> list[RunResult]:
    """The result of each task, in their order, whatever ran at once."""
    results: list[RunResult] = []

    def show(run: Progress | None = None) -> None:
        if progress is not None:
            progress(Stage(len(results), len(tasks), run))

    told = show if progress is not None else None
    alone = min(workers_of(n_jobs), len(tasks)) == 1
    played = (task(told) for task in tasks) if alone else _results_of_workers(tasks, n_jobs)
    for result in played:
        results.append(result)
        show()
    return results


def _results_of_workers(tasks: Sequence[Task], n_jobs: int | None) -> Iterator[RunResult]:
    """The result of each task, in their order. If a process dies, what was not given yet is played a second time."""
    left = list(tasks)
    for last in (False, True):
        try:
            workers = Parallel(n_jobs=n_jobs, return_as="generator", **from_the_start())
            with starting():
                given = workers(delayed(tied(task))(None) for task in left[:])
            with handed_out():
                for result in given:
                    left.pop(0)
                    yield result
            return
        except TerminatedWorkerError as error:
            if last:
                raise OracleError(
                    "worker processes died twice while runs were played, perhaps for lack of memory; "
                    "use a smaller --n-jobs"
                ) from error


#: Oracles with a memory for all runs of this process, by fingerprint.
_memory: dict[str, Remembering] = {}


def with_memory(oracle: Oracle) -> Oracle:
    """The oracle with the results of earlier runs; a table needs no memory, and a drawn truth has only one run."""
    if isinstance(oracle, TableOracle | SyntheticOracle):
        return oracle
    return _memory.setdefault(oracle.fingerprint, Remembering(oracle))


def elicit_run(
    scenario: Scenario,
    elicit: ElicitSpec,
    operator: OperatorSpec,
    seed: int,
    journals: Path | None,
    show: Callable[[Progress], None] | None,
) -> RunResult:
    """One run of our method."""
    oracle = with_memory(scenario.oracle_of(seed))
    simulated = operator.simulated(oracle, seed)
    begun = Elicitation(
        oracle.attributes, oracle.criteria, elicit.settings, family=elicit.family, seed=seed, prior=elicit.prior
    )
    best = best_known(oracle, operator, simulated, elicit.family)
    with resumed_run(journals, begun, oracle, elicit.name, operator) as (elicitation, journal):
        result = drive(elicitation, oracle, simulated, journal, progress=show)
    plain = plain_result(elicit.name, operator.name, seed, result, simulated, best)
    plain["against"] = against_directions(elicitation, simulated)
    plain["erred"] = _erred(elicitation, simulated)
    plain["contradictions"] = sum(isinstance(fact, Asked) and bool(fact.reconcile) for fact in elicitation.facts)
    if best is None:
        return plain
    earlier = _utilities_on_the_way(elicitation, simulated, scenario.trace_every)
    return plain | {"trace": [*(utility_regret(utility, best.utility) for utility in earlier), plain["regret"]]}


def elicit_tasks(scenario: Scenario, journals: Path | None, play: Callable[..., RunResult] = elicit_run) -> list[Task]:
    """Our runs, in the order of their results; `play` plays one."""
    every = product(scenario.elicits, scenario.operators, scenario.seeds)
    return [partial(play, scenario, elicit, operator, seed, journals) for elicit, operator, seed in every]


def _erred(elicitation: Elicitation, operator: SimulatedOperator) -> int:
    """How many answers are not those of the operator's utility."""
    measured = elicitation.history.evaluated
    given = elicitation.history.answers.values()
    return sum(fact.answer != operator.truth(measured[fact.first], measured[fact.second]) for fact in given)


def _utilities_on_the_way(elicitation: Elicitation, operator: SimulatedOperator, every: int) -> Iterator[float | None]:
    """The utility of what would have been recommended before each measurement but the first, by all facts up to then.

    It is worked out after every `every` measurements, and at `POINTS`; elsewhere, and without any, it is None.
    """
    seen, beliefs, calls = elicitation.history.alike(), None, 0
    for fact in elicitation.facts:
        if isinstance(fact, Evaluated | Failed):
            if calls and (calls % every == 0 or calls in POINTS):
                with one_thread():
                    beliefs = Beliefs(seen, elicitation.family, elicitation.settings, beliefs)
                    subset = beliefs.incumbent
                yield None if subset is None else operator.utility(seen.named(subset), subset)
            elif calls:
                yield None
            calls += 1
        seen.record(fact)
