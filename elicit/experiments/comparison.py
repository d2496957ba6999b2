"""Comparison: every method of the frame on the same oracle, for the same operators and seeds, side by side.

Classical methods cannot ask, so they are told the operator's utility outright and recommend the best that
they have seen; ours must ask. All have the family of the first [elicit] section, and its budget unless their
name says that they are unlimited. What one run measured the next one remembers, so that an oracle is never
paid twice for a subset. Ours may be played once more for operators who answer some questions wrongly.

With another goal than the trade-off, a fixed size or a value to reach, classical methods are compared among
themselves: a result says whether the goal was met, and a regret, which is one of the trade-off, is not told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

from elicit.alongside.progress import Progress
from elicit.errors import InputError
from elicit.events import Evaluated, Failed
from elicit.experiments.best import best_known
from elicit.experiments.experiment import Stage, Task, elicit_run, elicit_tasks, play_tasks, with_memory
from elicit.experiments.journals import file_name
from elicit.experiments.results import RunResult, answered_wrongly, plain_result, utility_regret
from elicit.explore import Outcome, explore
from elicit.methods import METHODS, Method, Rank, TradeOff, Value, named
from elicit.methods.registry import ALONE, Named
from elicit.oracles.describe import fingerprint
from elicit.scenario import OURS, ElicitSpec, OperatorSpec, Scenario
from elicit.sources.material import DataMaterial
from elicit.subsets import Family, Mask


def compare(
    scenario: Scenario,
    n_jobs: int | None = None,
    progress: Callable[[Stage], None] | None = None,
    journals: Path | None = None,
    wrong: float = 0.0,
) -> list[RunResult]:
    """One result for each method, operator and seed, in this order.

    They are played seed by seed: methods that take long are dealt out evenly, so that the time left can be told.
    journals: a folder that keeps one journal for each run, which then goes on where it stopped.
    wrong: ours is played once more with this share of wrong answers, above 0; no other method asks.
    """
    _rank_attributes(scenario)
    tasks = list(_tasks(scenario, journals))
    if wrong:
        tasks += elicit_tasks(scenario, journals, partial(_run_once_more, wrong))
    order = sorted(range(len(tasks)), key=lambda k: k % len(scenario.seeds))
    results = dict(zip(order, play_tasks([tasks[k] for k in order], n_jobs, progress), strict=True))
    return [results[k] for k in range(len(tasks))]


def _rank_attributes(scenario: Scenario) -> None:
    """Have the attributes scored for the methods that rank them, once for all runs.

    A score that these data do not suit is refused here, before others are played.
    """
    for method in methods_of(scenario):
        if method == OURS or scenario.material is None or (by := named(method).ranks_by) is None:
            continue
        try:
            scenario.material.scores(by)
        except InputError as error:
            raise InputError(f"[experiment] `methods`: {method!r} cannot be played: {error}") from error


def _tasks(scenario: Scenario, journals: Path | None) -> Iterator[Task]:
    for method in methods_of(scenario):
        if method == OURS:
            yield from elicit_tasks(scenario, journals)
        else:
            for operator, seed in product(scenario.operators, scenario.seeds):
                yield partial(walk_run, scenario, method, operator, seed, journals)


def _run_once_more(
    wrong: float,
    scenario: Scenario,
    elicit: ElicitSpec,
    operator: OperatorSpec,
    seed: int,
    journals: Path | None,
    show: Callable[[Progress], None] | None,
) -> RunResult:
    """A run of ours for an operator who errs; its result and its journal say so."""
    called = replace(elicit, name=answered_wrongly(elicit.name, wrong))
    return elicit_run(scenario, called, replace(operator, noise=wrong), seed, journals, show) | {"wrong": wrong}


def methods_of(scenario: Scenario) -> tuple[str, ...]:
    """The methods that the scenario names, or else all whose needs its oracle meets."""
    if scenario.methods is not None:
        return scenario.methods
    found = [OURS] if scenario.goal == TradeOff() else []
    for name in METHODS:
        if _can_play(named(name), scenario.material):
            found.append(name)
        elif name == "ranking":
            found.append(f"{name}:{ALONE}")
    return tuple(found)


def _can_play(method: Named, material: DataMaterial | None) -> bool:
    """Whether the data and the model that a method needs are there, and suit it."""
    if not method.needs:
        return True
    if material is None or (method.needs == "model" and not material.fits):
        return False
    return method.serves(material.classes) and (method.gaps or material.gap is None)


def walk_run(
    scenario: Scenario,
    method: str,
    operator: OperatorSpec,
    seed: int,
    journals: Path | None,
    show: Callable[[Progress], None] | None,
) -> RunResult:
    """One run of a classical method."""
    oracle = with_memory(scenario.oracle_of(seed))
    simulated = operator.simulated(oracle, seed)
    names = [criterion.name for criterion in simulated.criteria]

    def value(subset: Mask, criteria: Sequence[float]) -> float:
        return simulated.utility(dict(zip(names, criteria, strict=True)), subset)

    limits, chosen = scenario.elicits[0], named(method)
    # a walk from above measures what is larger than max_size, too
    budget = None if chosen.unlimited else limits.settings.calls(limits.family)
    told = Method(method, chosen.explorer(scenario.material), value=value, goal=scenario.goal, budget=budget)
    trade_off = scenario.goal == TradeOff()
    about = {"operator": operator.name, "utility": repr(operator.utility)} | _read_besides(method, scenario)
    shown = f"{method}{'' if trade_off else f'-{scenario.goal}'}-{operator.name}"
    identity = fingerprint(shown, about, limits.family, oracle.fingerprint)
    outcome = explore(
        told,
        oracle,
        family=limits.family,
        seed=seed,
        journal=None if journals is None else journals / file_name(shown, identity, seed),
        about=about,
        progress=show,
    )
    best = best_known(oracle, operator, simulated, limits.family) if trade_off else None
    plain = plain_result(method, operator.name, seed, outcome, simulated, best)
    if not trade_off:
        utility = plain["utility"] if outcome.met else None
        return plain | {"goal": str(scenario.goal), "met": outcome.met, "utility": utility}
    if best is None:
        return plain
    return plain | {"trace": _trace(outcome, value, limits.family, best.utility)}


def _read_besides(method: str, scenario: Scenario) -> dict[str, str]:
    """The fingerprint of the data and model that a method reads, if it does: with another model it is another run."""
    if not named(method).needs or scenario.material is None:
        return {}
    return {"material": scenario.material.fingerprint}


def _trace(outcome: Outcome, value: Value, family: Family, best: float) -> list[float | None]:
    """The regret of the best seen after each evaluation; None while nothing could be measured."""
    found: list[float | None] = []
    leader: Rank | None = None
    regret: float | None = None
    for fact in outcome.facts:
        if isinstance(fact, Evaluated) and fact.subset in family:
            utility = value(fact.subset, fact.criteria)
            rank = TradeOff().rank(fact.subset, utility)
            if leader is None or rank > leader:
                leader, regret = rank, utility_regret(utility, best)
        if isinstance(fact, Evaluated | Failed):
            found.append(regret)
    return found
