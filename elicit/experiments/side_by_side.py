"""Side by side: what the runs of several methods come to, as a table, with intervals of what one loses to another.

The rule: methods are compared on the same operators and seeds, pair by pair. On one table of measurements
the seeds are those of the methods alone, so that an interval says nothing about other data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from elicit.experiments.results import (
    Results,
    RunResult,
    best_found,
    format_mean,
    mean_seconds,
    regret_at,
    regret_points,
)
from elicit.methods.registry import classical
from elicit.numeric import GRID
from elicit.printable import aligned, printable
from elicit.scenario import OURS
from elicit.utility.monomials import Vector

#: The level of the intervals.
LEVEL = 0.95

#: What tells how good a run is: how far it stayed behind the best, where that is known, or what it came to.
_What = Literal["regret", "utility"]


@dataclass(frozen=True)
class Difference:
    """How much a method loses against another, mean over the operators, paired by seed, with its interval.

    `seeds` are those where both came to something that can be compared.
    """

    method: str
    against: str
    mean: float
    low: float | None
    high: float | None
    seeds: int


def differences(results: Results) -> list[Difference]:
    """Each method against ours (the first choice of it), or else against the first; positive is worse.

    A difference of utilities: so it is known even where the best utility is not; of sizes, where the goal is to
    reach a value with few attributes. The interval is Student's, over the seeds; None for one seed, and where
    nothing differs from seed to seed.
    """
    losses = _losses(results)
    if not losses:
        return []
    methods = list(losses)
    ours = [method for method in methods if not classical(method)]
    against = OURS if OURS in ours else [*ours, *methods][0]
    found = []
    for method in methods:
        seeds = [seed for seed in losses[against] if seed in losses[method]]
        apart = np.array([losses[method][seed] - losses[against][seed] for seed in seeds])
        if method == against or not len(apart):
            continue
        mean, half = float(apart.mean()), half_interval(apart)
        low, high = (None, None) if half is None else (mean - half, mean + half)
        found.append(Difference(method, against, mean, low, high, len(apart)))
    return found


def half_interval(apart: Vector) -> float | None:
    """Half of Student's interval around the mean; None for one number, and where all are the same."""
    if apart.std() <= GRID:  # one number is all the same, too
        return None
    return float(stats.t.ppf((1 + LEVEL) / 2, len(apart) - 1) * apart.std(ddof=1) / np.sqrt(len(apart)))


def _losses(results: Results) -> dict[str, dict[int, float]]:
    """For each method and seed, the mean loss over the operators; runs without a utility are left out."""
    found: dict[str, dict[int, list[float]]] = {}
    for run in results:
        if (loss := _loss(run)) is not None:
            found.setdefault(run["method"], {}).setdefault(run["seed"], []).append(loss)
    most = max((len(v) for seeds in found.values() for v in seeds.values()), default=0)
    return {
        method: {seed: float(np.mean(v)) for seed, v in seeds.items() if len(v) == most}
        for method, seeds in found.items()
    }


def _loss(run: RunResult) -> float | None:
    """The loss of a run, the lower the better; None where it has no utility."""
    if run["utility"] is None:
        return None
    return float(len(run["subset"])) if _reaches_value(run) else -run["utility"]


def _reaches_value(run: RunResult) -> bool:
    """Whether the goal was to reach a value with few attributes."""
    return run.get("goal", "").startswith("reach:")


def side_by_side(results: Results, width: int | None = None) -> list[str]:
    """The results as lines of text of this width: a row a method, best first, then the final regrets by operator.

    Who is after a size or a value is ranked by how often that came about, then by the utility, or by the size that the
    value took: sizes are those of the runs that reached it.
    """
    known = any(run["regret"] is not None for run in results)
    what: _What = "regret" if known else "utility"
    points = regret_points(results)
    apart = {d.method: d for d in differences(results)}
    against = next(iter(apart.values())).against if apart else ""
    header = ["method", "runs", *(f"regret@{k}" for k in points), what, "best found", "evaluations", "questions"]
    goals = [f"{goal} met" for goal in dict.fromkeys(run["goal"] for run in results if "goal" in run)]
    worse = "more attributes than {}" if any(map(_reaches_value, results)) else "worse than {} by"
    header += ["seconds", "size", *map(printable, goals), worse.format(printable(against)) if apart else ""]
    methods = dict.fromkeys(run["method"] for run in results)
    by_method = {method: [run for run in results if run["method"] == method] for method in methods}
    ranked = sorted(by_method, key=lambda m: _rank_key(by_method[m]), reverse=True)
    rows = [_row(method, by_method[method], points, what, goals, apart.get(method)) for method in ranked]
    lines = aligned([header, *rows], width)
    operators = list(dict.fromkeys(run["operator"] for run in results))
    if len(operators) > 1:
        lines += ["", f"{what} by operator", *aligned(_by_operator(by_method, operators, what), width)]
    return lines


def _row(
    method: str, runs: Results, points: Sequence[int], what: _What, goals: Sequence[str], apart: Difference | None
) -> list[str]:
    """What a method did over its runs."""
    found = f"{sum(best_found(run) for run in runs) / len(runs):.0%}" if what == "regret" else "–"
    return [
        printable(method),
        str(len(runs)),
        *(format_mean([regret_at(run, k) for run in runs], ".4f") for k in points),
        format_mean([run[what] for run in runs], ".4f"),
        found,
        format_mean([run["evaluations"] for run in runs], ".1f"),
        format_mean([run["questions"] for run in runs], ".1f"),
        mean_seconds(runs),
        format_mean([len(run["subset"]) or None for run in runs if not _reaches_value(run) or run["met"]], ".1f"),
        *(f"{_share_met(runs):.0%}" for _ in goals),
        _difference_in_words(apart, len({run["seed"] for run in runs})),
    ]


def _by_operator(by_method: Mapping[str, Results], operators: Sequence[str], what: _What) -> list[list[str]]:
    rows = [["method", *map(printable, operators)]]
    for method, runs in by_method.items():
        cells = [[run[what] for run in runs if run["operator"] == operator] for operator in operators]
        rows.append([printable(method), *(format_mean(cell, ".4f") for cell in cells)])
    return rows


def _rank_key(runs: Results) -> tuple[float, float]:
    """The key by which methods are ranked: the share of runs that met the goal, then minus the mean loss."""
    found = [-loss for run in runs if (loss := _loss(run)) is not None]
    return _share_met([run for run in runs if "goal" in run]), float(np.mean(found)) if found else -np.inf


def _share_met(runs: Results) -> float:
    """The share of runs that did what the goal asks for."""
    return sum(run["met"] for run in runs) / len(runs) if runs else 1.0


def _difference_in_words(difference: Difference | None, seeds: int) -> str:
    """The mean difference with its interval, and the number of seeds, where some cannot be compared."""
    if difference is None:
        return ""
    some = f" ({difference.seeds} of {seeds} seeds)" if difference.seeds < seeds else ""
    if difference.low is None or difference.high is None:
        return f"{difference.mean:+.4f}{some}"
    return f"{difference.mean:+.4f} [{difference.low:+.4f}, {difference.high:+.4f}]{some}"
