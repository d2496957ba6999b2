"""Suite: several comparisons at one look, and which of the promises hold in each.

One line a scenario and kind of operator; the kind is what stands before the colon in an operator's name.
The promises: (1) our final regret is at most half that of the best search which was told the utility and had the same
budget, or at most 0.0002; (2) in the median run we reach the regret that floating forward selection ends with, which no
budget ends, within a third of its evaluations; (3) of the runs in which noise does not decide what is best (see
`best.py`), four in five find the best; (4) questions stay few; (5) where ours was played once more with wrong answers,
our final regret at most doubles, or grows by 0.0005. Means are over operators and seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from elicit.experiments.results import Results, RunResult, answered_wrongly, best_found
from elicit.methods.registry import UNLIMITED, classical
from elicit.numeric import GRID
from elicit.printable import aligned, printable
from elicit.scenario import OURS

#: The searches that ours is measured against; each is told the utility.
RIVALS = ("sfs", "sbs", "sffs", "sffs:pudil", "sfbs", "sfbs:pudil", "hill-climb")

#: The one whose end is to be reached sooner, and in which share of its evaluations.
_FLOATING, _SOON = f"sffs{UNLIMITED}", 1 / 3

#: A regret below this is next to nothing.
NEXT_TO_NOTHING = 0.0002

#: How many of the runs find the best, where noise does not decide which it is.
_FOUND = 0.8

#: By how much wrong answers may make the regret grow where it does not double.
_GROWTH = 0.0005

#: The most questions of the median run, and of nine runs in ten.
_QUESTIONS = (6, 9)


@dataclass(frozen=True)
class Line:
    """What came of one scenario for one kind of operator. `rival` is the best of `RIVALS`, told the utility.

    Ours is the choice of [elicit] called so, or else the first; without any, `ours` is None and nothing is promised.
    `rival_regret`, `surrogate` and `ours` are mean regrets.

    `found` is the share of runs of ours that found the best, and that of those in which noise does not decide which it
    is. `soon` is the evaluations of ours until it is as good as unlimited floating selection ends up, as a share of the
    latter's evaluations, in the median run (infinite: not reached). `wrong` is the share of wrong answers when ours was
    played once more, and the regret that it had then; `asked_then` the questions that it took. What was not played is
    None.
    """

    scenario: str
    kind: str
    runs: int
    rival: str | None
    rival_regret: float | None
    surrogate: float | None
    ours: float | None
    found: tuple[float, float | None]
    questions: tuple[float, float]
    soon: float | None
    milliseconds: float | None
    wrong: tuple[float, float] | None = None
    asked_then: tuple[float, float] | None = None

    @property
    def promises(self) -> dict[str, bool]:
        """Each promise that can be told, and whether it holds."""
        kept: dict[str, bool] = {}
        if self.ours is None:
            return kept
        if self.rival_regret is not None:
            promise = f"at most half the regret of the best told, or {NEXT_TO_NOTHING}"
            kept[promise] = self.ours <= max(self.rival_regret / 2, NEXT_TO_NOTHING) + GRID
        if self.soon is not None:
            kept["as good as sffs at its own end, in a third of its evaluations"] = self.soon <= _SOON
        if self.found[1] is not None:
            kept[f"the best found in {_FOUND:.0%} of the runs that noise does not decide"] = self.found[1] >= _FOUND
        kept[f"at most {_QUESTIONS[0]} questions (nine runs in ten: {_QUESTIONS[1]})"] = (
            self.questions[0] <= _QUESTIONS[0] and self.questions[1] <= _QUESTIONS[1]
        )
        if self.wrong is not None:
            share, regret = self.wrong
            promise = f"with {100 * share:g}% wrong answers at most twice the regret, or {_GROWTH} more"
            kept[promise] = regret <= max(2 * self.ours, self.ours + _GROWTH) + GRID
        return kept


def lines_of(scenario: str, results: Results) -> list[Line]:
    """The lines of one scenario; runs whose regret is not known say nothing."""
    known = [run for run in results if run["regret"] is not None]
    kinds = dict.fromkeys(_kind(run) for run in known)
    return [_line(scenario, kind, [run for run in known if _kind(run) == kind]) for kind in kinds]


def _kind(run: RunResult) -> str:
    kind, colon, _ = run["operator"].partition(":")
    return kind if colon else "all"


def _line(scenario: str, kind: str, results: Results) -> Line:
    regret = {
        method: float(np.mean([run["regret"] for run in results if run["method"] == method]))
        for method in dict.fromkeys(run["method"] for run in results)
    }
    name = _ours(results)
    ours = [run for run in results if run["method"] == name]
    rival = min((method for method in RIVALS if method in regret), key=lambda m: regret[m], default=None)
    again = [] if name is None else _played_again(name, results)
    return Line(
        scenario=scenario,
        kind=kind,
        runs=len(ours),
        rival=rival,
        rival_regret=None if rival is None else regret[rival],
        surrogate=regret.get("surrogate"),
        ours=None if name is None else regret[name],
        found=(_share_found(ours) or 0.0, _share_found([run for run in ours if run["noise_decides"] is False])),
        questions=_questions(ours) if ours else (0.0, 0.0),
        soon=_soon(ours, results),
        milliseconds=_milliseconds(ours),
        wrong=(again[0]["wrong"], float(np.mean([run["regret"] for run in again]))) if again else None,
        asked_then=_questions(again) if again else None,
    )


def _ours(results: Results) -> str | None:
    """The choice of [elicit] that is ours, None when only classical methods were played."""
    names = [run["method"] for run in results if "wrong" not in run and not classical(run["method"])]
    return OURS if OURS in names else next(iter(names), None)


def _played_again(ours: str, results: Results) -> list[RunResult]:
    """The runs of ours, which is called so, that were played once more with wrong answers."""
    return [run for run in results if "wrong" in run and run["method"] == answered_wrongly(ours, run["wrong"])]


def _questions(runs: Results) -> tuple[float, float]:
    """The questions of the median run, and of nine runs in ten."""
    asked = [run["questions"] for run in runs]
    return float(np.median(asked)), float(np.quantile(asked, 0.9))


def _share_found(runs: Results) -> float | None:
    """The share of the runs that found the best; None of no runs."""
    return float(np.mean(list(map(best_found, runs)))) if runs else None


def _soon(ours: Results, results: Results) -> float | None:
    """See `Line`; `ours` are those of the results that are ours."""
    floating = {(run["operator"], run["seed"]): run for run in results if run["method"] == _FLOATING}
    shares = [
        _evaluations_until(run, goal["regret"]) / goal["evaluations"]
        for run in ours
        if (goal := floating.get((run["operator"], run["seed"]))) is not None and goal["regret"] is not None
    ]
    return float(np.median(shares)) if shares else None


def _milliseconds(ours: Results) -> float | None:
    """Milliseconds an evaluation, in the median run; None where journals had kept them all, so that none was timed."""
    each = [1000 * run["seconds"] / (run["evaluations"] - run["kept"]) for run in ours if run["seconds"] is not None]
    return float(np.median(each)) if each else None


def _evaluations_until(run: RunResult, regret: float) -> float:
    """After how many evaluations a run is this good; infinite when it never is."""
    reached = (k for k, now in enumerate(run["trace"] or (), start=1) if now is not None and now <= regret + GRID)
    return next(reached, inf)


def table(lines: Sequence[Line], width: int | None = None) -> list[str]:
    """The lines as text of this width."""
    header = ["scenario", "operators", "runs", "best told", "regret", "surrogate", "elicit"]
    header += ["best found (beyond noise)" if any(line.found[1] is not None for line in lines) else "best found"]
    header += ["questions (90%)", "of sffs's evaluations", "ms an evaluation"]
    once_more = any(line.wrong is not None for line in lines)
    header += ["elicit with wrong answers", "questions then (90%)"] if once_more else []
    rows = [
        [
            printable(line.scenario),
            printable(line.kind),
            str(line.runs),
            line.rival or "–",
            _number(line.rival_regret),
            _number(line.surrogate),
            _number(line.ours),
            "–" if line.ours is None else _found(line.found),
            "–" if line.ours is None else _asked(line.questions),
            "–" if line.soon is None else "never" if line.soon == inf else f"{line.soon:.0%}",
            "–" if line.milliseconds is None else f"{line.milliseconds:.0f}",
            *([_number(None if line.wrong is None else line.wrong[1]), _asked(line.asked_then)] if once_more else []),
        ]
        for line in lines
    ]
    return aligned([header, *rows], width, keys=2)


def _found(shares: tuple[float, float | None]) -> str:
    """How often the best was found, and how often where noise does not decide which it is."""
    every, decided = shares
    return f"{every:.0%}" + ("" if decided is None else f" ({decided:.0%})")


def _asked(questions: tuple[float, float] | None) -> str:
    return "–" if questions is None else f"{questions[0]:g} ({questions[1]:g})"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def promises_kept(lines: Sequence[Line]) -> Iterator[str]:
    """How often each promise holds, and where it does not."""
    for promise in dict.fromkeys(promise for line in lines for promise in line.promises):
        told = [line for line in lines if promise in line.promises]
        broken = [f"{printable(line.scenario)} ({printable(line.kind)})" for line in told if not line.promises[promise]]
        yield f"{promise}: {len(told) - len(broken)} of {len(told)}" + (f"; not {', '.join(broken)}" if broken else "")
