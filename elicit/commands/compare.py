"""elicit compare: every method on the same oracle, side by side; several scenarios make one table of a suite."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from elicit.alongside.display import failure_lines
from elicit.commands.arguments import refuse_beside
from elicit.commands.output import (
    check_place,
    destination,
    input_files,
    journal_folder,
    refuse_to_overwrite,
    say,
    screen_width,
    write_json,
)
from elicit.commands.playing import data_notes, progress_meter, regret_notes, show_stage, what_is_kept
from elicit.commands.status import DONE
from elicit.effects.drawing import pyplot
from elicit.errors import InputError, OracleError, system_reason
from elicit.events import BUDGET, rule_of
from elicit.experiments.best import tells_regret
from elicit.experiments.choosing import NOT_KNOWN, Choosing
from elicit.experiments.comparison import compare, methods_of
from elicit.experiments.comparison_display import NEEDS, ComparisonDisplay
from elicit.experiments.experiment import runs_at_once
from elicit.experiments.results import Results, RunResult, not_followed
from elicit.experiments.side_by_side import LEVEL, Difference, differences, side_by_side
from elicit.experiments.suite import lines_of, promises_kept, table
from elicit.methods import METHODS, TradeOff
from elicit.methods.elimination import HINDERED
from elicit.methods.registry import UNLIMITED
from elicit.printable import aligned, many, printable
from elicit.scenario import OURS, Scenario
from elicit.scenario_file import read_choices, read_scenario

_HOW_THEY_LEARN = "classical methods are told the utility, ours has to ask"
_SECONDS = "seconds leave out what an earlier run had measured (–: all of it)"
_WHO_ERRS = "all operators of a seed err at the same questions, so only more seeds tell more of them"


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    if args.list:
        refuse_beside("list", args)
        print("\n".join(_method_table()))
        return DONE
    paths = [path for given in args.scenarios for path in _scenario_files(given)]
    if not paths:
        raise InputError("elicit compare needs a scenario file (or a folder of them), or --list; give one")
    _require_distinct_names(paths)
    choices = [] if args.choices is None else read_choices(args.choices)
    if choices and len(paths) < 2:
        raise InputError("--choices needs several scenarios, to leave each out in turn; name a folder of them")
    scenarios = [read_scenario(path, choices).reduced(args.budget, args.seeds) for path in paths]
    if args.plot is not None:
        _check_plot(args.plot, scenarios)
    if len(paths) > 1:
        _check_suite(paths, scenarios, choosing=bool(choices))
    if args.wrong is not None:
        _check_wrong(paths, scenarios, choosing=bool(choices))
    read_from = _read_by(args, paths, scenarios)
    refuse_to_overwrite(args.plot, *read_from, args.json)
    played: list[Results] = []
    with ExitStack() as at_the_end, destination(args.json, *read_from) as out:
        for results in _play_all(args, paths, scenarios):
            if not played:  # it may take hours: told even if another scenario fails, or the file cannot be written
                at_the_end.callback(_tell, paths, scenarios, played, choosing=bool(choices))
            played.append(results)
        if out is not None:
            plain = [_as_json(scenario, results) for scenario, results in zip(scenarios, played, strict=True)]
            write_json(out, plain[0] if len(plain) == 1 else {"suite": plain})
    if args.plot is not None:  # of one scenario: see above
        _draw(played[0], args.plot)
    return DONE


def _tell(paths: Sequence[Path], scenarios: Sequence[Scenario], played: Sequence[Results], choosing: bool) -> None:
    """One table of all results, and notes on them; of several scenarios, perhaps only the first were played."""
    by_name = dict(zip((path.stem for path in paths), played, strict=False))
    if len(paths) == 1 or (choosing and len(played) == 1):  # which choice others would make takes two
        lines, notes = side_by_side(played[0], screen_width()), _notes(played[0], scenarios[0])
    elif choosing:
        lines, notes = Choosing.of(by_name).lines(screen_width()), _suite_notes(by_name, scenarios)
    else:
        lines, notes = _suite(by_name, scenarios)
        notes += _suite_notes(by_name, scenarios)
    print("\n".join(lines))
    for note in ["", *notes] if notes else []:
        say(note)


def _read_by(args: argparse.Namespace, paths: Sequence[Path], scenarios: Sequence[Scenario]) -> list[str]:
    """The files that the command reads."""
    files = [str(path) for path in paths]
    for path, scenario in zip(paths, scenarios, strict=True):
        files += input_files(scenario.plain["oracle"], path.parent)
    return files if args.choices is None else [*files, args.choices]


def _play_all(args: argparse.Namespace, paths: Sequence[Path], scenarios: Sequence[Scenario]) -> Iterator[Results]:
    """Play one scenario after another; the results of each."""
    journals = journal_folder(args.journals)
    with progress_meter(partial(what_is_kept, args.journals)) as meter:
        for k, (path, scenario) in enumerate(zip(paths, scenarios, strict=True)):
            progress = partial(show_stage, meter, done=k, of=len(paths))
            kept = journals
            if journals is not None and len(paths) > 1:
                kept = journal_folder(str(journals / path.stem))
            try:
                yield compare(scenario, runs_at_once(scenario, args.n_jobs), progress, kept, args.wrong or 0.0)
            except (InputError, OracleError) as error:
                raise InputError(f"{path}: {error}") from error


def _scenario_files(given: str) -> list[Path]:
    """The path itself, or the scenario files in it, sorted by name, if it is a folder."""
    path = Path(given)
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.toml"))
    if not found:
        raise InputError(f"{given}: a folder without a scenario (a .toml file); name another")
    return found


def _require_distinct_names(paths: Sequence[Path]) -> None:
    """Refuse two scenarios of one name: it labels their lines in the table and names their folder of journals."""
    for k, path in enumerate(paths):
        if path.stem in {other.stem for other in paths[:k]}:
            raise InputError(f"two of the scenarios are called {path.stem!r}; rename one")


def _as_json(scenario: Scenario, results: Results) -> dict[str, Any]:
    """A scenario and what came of it, as JSON holds it."""
    apart = [dataclasses.asdict(difference) for difference in differences(results)]
    return {"scenario": scenario.plain, "results": results, "differences": apart}


def _check_plot(path: str, scenarios: Sequence[Scenario]) -> None:
    """Refuse, before the work begins, whatever would keep the picture from being drawn."""
    if Path(path).suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"{path}: a picture is a .png, .svg or .pdf file; choose one of these")
    check_place(path)
    pyplot()
    if len(scenarios) > 1:
        raise InputError("--plot draws one scenario; leave it out, or name one file")
    if scenarios[0].goal != TradeOff():
        goal = str(scenarios[0].goal)
        raise InputError(f"--plot draws regret, which the goal {goal!r} has none of; leave it out")
    if not tells_regret(scenarios[0]):
        raise InputError(f"--plot draws regret, which is not known here: {NEEDS}; leave it out")


def _check_wrong(paths: Sequence[Path], scenarios: Sequence[Scenario], choosing: bool) -> None:
    """Refuse to play ours once more where it is not played, or where each of its plays is a choice."""
    if choosing:
        raise InputError("--wrong plays the scenarios' own [elicit] once more; leave it out, or --choices")
    for path, scenario in zip(paths, scenarios, strict=True):
        if OURS not in methods_of(scenario):
            raise InputError(f"{path}: --wrong plays {OURS!r} once more, which is not compared there; leave it out")


def _check_suite(paths: Sequence[Path], scenarios: Sequence[Scenario], choosing: bool) -> None:
    """Refuse scenarios that do not fit a suite, which compares regrets after every single evaluation."""
    for path, scenario in zip(paths, scenarios, strict=True):
        if scenario.goal != TradeOff():
            goal = str(scenario.goal)
            raise InputError(f"{path}: a suite tells regret, which the goal {goal!r} has none of; play it alone")
        if choosing and not tells_regret(scenario):
            raise InputError(f"{path}: {NOT_KNOWN}")
        if not choosing and scenario.trace_every > 1:
            raise InputError(f"{path}: a suite counts every evaluation; leave trace_every out, or play it alone")


def _suite(played: Mapping[str, Results], scenarios: Sequence[Scenario]) -> tuple[list[str], list[str]]:
    """One table of the scenarios whose regret is known, one of utilities for each other, and notes on them."""
    lines = [line for name, results in played.items() for line in lines_of(name, results)]
    others = {name: played[name] for name in played.keys() - {line.scenario for line in lines}}
    tables = [table(lines, screen_width())] if lines else []
    tables += [_by_utility(name, others[name]) for name in played if name in others]
    notes = [*promises_kept(lines), ""] if lines else []
    notes += [_HOW_THEY_LEARN, *_wrong_notes([run for results in played.values() for run in results])]
    notes += [_SECONDS] if others else []
    notes += _interval_note([difference for results in others.values() for difference in differences(results)])
    for (name, results), scenario in zip(played.items(), scenarios, strict=False):
        notes += [f"{printable(name)}, {end}" for end in _ends(results, scenario) if name in others]
    return [row for k, rows in enumerate(tables) for row in ([""] if k else []) + rows], notes


def _by_utility(name: str, results: Results) -> list[str]:
    """The methods of one scenario of a suite side by side, under a heading."""
    return [f"{printable(name)}: no regret is known, utilities are compared", *side_by_side(results, screen_width())]


def _suite_notes(played: Mapping[str, Results], scenarios: Sequence[Scenario]) -> list[str]:
    """Notes on the results of several scenarios."""
    notes = [note for name, scenario in zip(played, scenarios, strict=False) for note in data_notes(scenario, name)]
    notes += [note for name, results in played.items() for note in not_followed(results, name)]
    return [*notes, *failure_lines(run["failures"] for results in played.values() for run in results)]


def _wrong_notes(results: Results) -> list[str]:
    """A note on the runs with wrong answers, if there are any: how many answers chance made wrong, and what came of it.

    Contradictions are told here, since an operator has to look at them, and they are no questions.
    """
    again = [run for run in results if "wrong" in run]
    asked = sum(run["questions"] for run in again)
    if not asked:
        return []
    erred, shown = sum(run["erred"] for run in again), sum(run["contradictions"] for run in again)
    wrong = f"wrong answers: {erred} of {asked} ({erred / asked:.1%}), and {many(shown, 'contradiction')} to look at"
    return [f"{wrong}; {_WHO_ERRS}"]


def _interval_note(apart: Iterable[Difference]) -> list[str]:
    """What the intervals of a table are, if it has any."""
    if all(difference.low is None for difference in apart):
        return []
    return [
        f"intervals: {LEVEL:.0%}, paired by seed; the seeds are those of the methods, or of a drawn truth: "
        "they say nothing of other data"
    ]


def _notes(results: Results, scenario: Scenario) -> list[str]:
    """Notes on how the table is to be read."""
    notes = [f"{_HOW_THEY_LEARN}; {_SECONDS}" if OURS in methods_of(scenario) else _SECONDS, *_wrong_notes(results)]
    notes += _interval_note(differences(results))
    if isinstance(scenario.plain.get("elicit"), list) and OURS not in methods_of(scenario):
        why = f"the goal {str(scenario.goal)!r} is for classical methods"
        if scenario.methods is not None:
            why = f"`methods` does not name {OURS!r}"
        notes.append(f"[[elicit]] was not played: {why}")
    notes += _different_choices(scenario)
    notes += [*data_notes(scenario), *not_followed(results), *_ends(results, scenario)]
    return [*notes, *failure_lines(run["failures"] for run in results)]


def _different_choices(scenario: Scenario) -> list[str]:
    """Notes where the choices of [elicit] differ in what may be chosen, or in how much may be measured."""
    first, *others = scenario.elicits
    # classical methods among themselves have one family, and after a goal no regret is told
    notes = regret_notes(scenario) if OURS in methods_of(scenario) else []
    differ = any(
        (other.family, other.settings.calls(other.family)) != (first.family, first.settings.calls(first.family))
        for other in others
    )
    if differ and set(methods_of(scenario)) != {OURS}:
        notes.append(
            f"all other methods have the family and the budget of the first [[elicit]], {printable(first.name)}"
        )
    return notes


def _ends(results: Results, scenario: Scenario) -> list[str]:
    """Why methods stopped early, or recommend nothing."""
    chosen = scenario.plain.get("elicit", {})
    sections = chosen if isinstance(chosen, list) else [chosen]
    limited = scenario.goal == TradeOff() and any("max_size" in section for section in sections)
    ended = [run for run in results if run["stopped"].startswith(HINDERED) or not run["subset"]]
    return [printable(end) for end in sorted({_ending_in_words(run, limited) for run in ended})]


def _ending_in_words(run: RunResult, limited: bool) -> str:
    """Why a method stopped early, or recommends nothing; `limited`: there is a max_size."""
    measured = run["evaluations"] > sum(run["failures"].values())
    if limited and measured and not run["subset"] and rule_of(run["stopped"]) == BUDGET:
        return f"{run['method']} never came down to max_size ({run['stopped']})"
    return f"{run['method']}: {run['stopped']}"


def _method_table() -> list[str]:
    """A table of all methods, with their meanings and parameters."""
    lines = [["name", "meaning", "after a colon", "needs besides the oracle"], [OURS, "ours, which asks", "", ""]]
    for entry in METHODS.values():
        default = ",".join(map(str, entry.default)) if isinstance(entry.default, tuple) else entry.default
        after = f"{entry.parameter} (default {default})" if entry.parameter else ""
        lines.append([entry.name, entry.meaning, after, entry.needs])
    return [*aligned(lines, screen_width()), "", f"NAME{UNLIMITED}: to its own end, whatever the budget"]


def _draw(results: Results, path: str) -> None:
    figure = ComparisonDisplay.of(results).plot().figure_
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({system_reason(error)}); choose another") from error
    finally:
        pyplot().close(figure)
