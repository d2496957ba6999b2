"""Results: what a run came to, in plain numbers as `--json` writes them, and what many of them come to in the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from elicit.drive import Result
from elicit.experiments.best import Best
from elicit.numeric import GRID, step_of
from elicit.operators import SimulatedOperator
from elicit.printable import aligned, printable
from elicit.proof.strained import answers_set_aside

#: A summary shows the regret after so many evaluations, which a trace therefore always includes.
POINTS = (10, 20, 40, 60, 91, 200, 500)


class RunResult(TypedDict):
    """A run in plain numbers; what is not known, or not told of such a run, is None.

    set_aside: how many answers the recommendation goes against; what it honours in part, and measured orders that it
        takes for noise, are none of them.
    against: what the utility likes against every criterion, which only ours, who must ask, does not follow.
    seconds: those of the evaluations that no journal had `kept`; None where it had them all.
    noise_decides: whether noise decides which subset is the best; None where no folds tell.
    trace: the regret after each evaluation.
    goal, met: of a classical method that is after something else than the trade-off, and whether it came to that.
    wrong: of a run that was played once more, the chance that a question was answered wrongly.
    erred, contradictions: of ours, how many questions were answered wrongly, and how often the operator was shown
        answers that cannot all hold, which is no question.
    """

    method: str
    operator: str
    seed: int
    subset: list[str]
    criteria: dict[str, float]
    utility: float | None
    regret: float | None
    noise_decides: bool | None
    evaluations: int
    questions: int
    kept: int
    seconds: float | None
    stopped: str
    scope: str
    failures: dict[str, int]
    set_aside: int
    against: str | None
    trace: list[float | None] | None
    goal: NotRequired[str]
    met: NotRequired[bool]
    wrong: NotRequired[float]
    erred: NotRequired[int]
    contradictions: NotRequired[int]


Results = Sequence[RunResult]


def plain_result(
    method: str,
    operator: str,
    seed: int,
    result: Result,
    simulated: SimulatedOperator,
    best: Best | None,
) -> RunResult:
    """A result as JSON holds it; `best` is None where it is not known. There is no trace yet."""
    utility = None if result.subset is None else simulated.utility(result.criteria, result.subset)
    return {
        "method": method,
        "operator": operator,
        "seed": seed,
        "subset": list(result.names),
        "criteria": dict(result.criteria),
        "utility": utility,
        "regret": utility_regret(utility, None if best is None else best.utility),
        "noise_decides": None if best is None else best.noise_decides,
        "evaluations": result.evaluations,
        "questions": result.questions,
        "kept": result.kept,
        "seconds": round(result.seconds, 3) if result.evaluations > result.kept else None,
        "stopped": result.reason,
        "scope": result.scope,
        "failures": dict(result.failures),
        "set_aside": answers_set_aside(result.set_aside),
        "against": None,
        "trace": None,
    }


def answered_wrongly(name: str, share: float) -> str:
    """What a choice of [elicit] is called when it is played with this share of wrong answers."""
    return f"{name} ({100 * share:g}% wrong)"


def utility_regret(utility: float | None, best: float | None) -> float | None:
    """By how much a utility is below the best; None where either is not known."""
    if utility is None or best is None:
        return None
    lost = best - utility
    return 0.0 if abs(lost) <= step_of(best) else lost  # whoever chose counts such utilities as equal


def summary(results: Results, width: int | None = None) -> list[str]:
    """The results as lines of text, of this width: one row a method and operator, means over the seeds.

    `regret@k` is the mean utility regret after k evaluations; a run that ended before keeps its last.
    Where the best is not known, the mean utility of what was recommended stands in its place.
    """
    rows: dict[tuple[str, str], list[RunResult]] = {}
    for result in results:
        rows.setdefault((result["method"], result["operator"]), []).append(result)
    points = regret_points(results)
    header = ["method", "operator", "runs", "utility", *(f"regret@{k}" for k in points)]
    header += ["regret", "best found", "questions", "evaluations", "failed", "seconds"]
    lines = [header]
    for (method, operator), runs in rows.items():
        found = [run["regret"] for run in runs]
        known = all(regret is not None for regret in found)
        lines.append(
            [
                printable(method),
                printable(operator),
                str(len(runs)),
                format_mean([run["utility"] for run in runs], ".4f"),
                *(format_mean([regret_at(run, k) for run in runs], ".4f") for k in points),
                format_mean(found, ".4f"),
                f"{sum(map(best_found, runs)) / len(runs):.0%}" if known else "–",
                format_mean([run["questions"] for run in runs], ".1f"),
                format_mean([run["evaluations"] for run in runs], ".1f"),
                format_mean([sum(run["failures"].values()) for run in runs], ".1f"),
                mean_seconds(runs),
            ]
        )
    return aligned(lines, width, keys=2)


def not_followed(results: Results, called: str = "") -> list[str]:
    """One line for each operator whose utility goes against the directions of the criteria: in which pair, for one.

    `called` tells the scenario from others.
    """
    where = f"{printable(called)}, " if called else ""
    found = {run["operator"]: run["against"] for run in reversed(results) if run["against"] is not None}
    return [f"{where}operator {printable(name)}: {printable(against)}" for name, against in sorted(found.items())]


def regret_points(results: Results) -> list[int]:
    """Evaluations at which the summary shows the regret: those of `POINTS` that runs reached."""
    if any(result["trace"] is None for result in results):
        return []
    longest = max((result["evaluations"] for result in results), default=0)
    return [k for k in POINTS if k <= longest]


def regret_at(run: RunResult, k: int) -> float | None:
    """The regret after k evaluations, None where it is not known; a run that ended keeps its last."""
    known = [regret for regret in (run["trace"] or ())[:k] if regret is not None]
    return known[-1] if known else None


def best_found(run: RunResult) -> bool:
    """Whether the run recommended a best subset."""
    return run["regret"] is not None and run["regret"] <= GRID


def format_mean(values: Sequence[float | None], form: str) -> str:
    """The mean, or a dash when a value is missing."""
    present = [value for value in values if value is not None]
    return format(sum(present) / len(present), form) if present and len(present) == len(values) else "–"


def mean_seconds(runs: Results) -> str:
    """The mean over the runs that were timed, a dash where journals had kept all of every run."""
    return format_mean([run["seconds"] for run in runs if run["seconds"] is not None], ".2f")
