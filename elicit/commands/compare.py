"""elicit compare: every method on the same oracle, side by side; several scenarios make one table of a suite."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from elicit.commands.output import destination, files_of, folder, keep_apart, screen_width
from elicit.commands.playing import kept_runs, metered, noted, show
from elicit.commands.status import DONE
from elicit.effects.drawing import pyplot
from elicit.errors import InputError, OracleError
from elicit.events import BUDGET, rule_of
from elicit.experiments.choosing import NOT_KNOWN, Choosing
from elicit.experiments.comparison import compare
from elicit.experiments.comparison_display import NEEDS, ComparisonDisplay
from elicit.experiments.experiment import Results, at_once, not_followed, tells_regret
from elicit.experiments.side_by_side import LEVEL, differences, side_by_side
from elicit.experiments.suite import Line, lines_of, table
from elicit.methods import METHODS, TradeOff
from elicit.methods.elimination import HINDERED
from elicit.printable import aligned, printable
from elicit.scenario import OURS, Scenario, read_scenario
from elicit.session.display import not_measured

_TOLD = "classical methods are told the utility, ours has to ask"


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    if args.list:
        print("\n".join(_listed()))
        return DONE
    paths = [path for given in args.scenarios for path in _scenarios(given)]
    if not paths:
        raise InputError("elicit compare needs a scenario file (or a folder of them), or --list; give one")
    _tell_apart(paths)
    choices = [] if args.choices is None else _choices(args.choices, paths)
    scenarios = [read_scenario(path, choices).reduced(args.budget, args.seeds) for path in paths]
    if args.plot is not None:
        _check_plot(args.plot, scenarios)
    if len(paths) > 1:
        _check_suite(paths, scenarios, choosing=bool(choices))
    played = _played(args, paths, scenarios)
    if len(paths) == 1:
        print("\n".join([*side_by_side(played[0], screen_width()), "", *_notes(played[0], scenarios[0])]))
    else:
        by_name = dict(zip((path.stem for path in paths), played, strict=True))
        notes = _suite_notes(by_name, scenarios)
        apart = [""] if choices and notes else []
        print("\n".join([*_suite(by_name, choosing=bool(choices)), *apart, *notes]))
    if args.plot is not None:  # of one scenario: see above
        _draw(played[0], args.plot)
    return DONE


def _played(
    args: argparse.Namespace, paths: Sequence[Path], scenarios: Sequence[Scenario]
) -> list[list[dict[str, Any]]]:
    """What came of each scenario, written as JSON too where that is wished for; no file is written over."""
    each = list(zip(paths, scenarios, strict=True))
    read_from = [file for path, scenario in each for file in files_of(scenario.plain["oracle"], path.parent)]
    read_from += [] if args.choices is None else [args.choices]
    keep_apart(args.plot, *map(str, paths), *read_from, args.json)
    journals = folder(args.journals)
    played: list[list[dict[str, Any]]] = []
    with destination(args.json, *map(str, paths), *read_from) as out:
        with metered(partial(kept_runs, args.journals)) as meter:
            for k, (path, scenario) in enumerate(each):
                shown = partial(show, meter, done=k, of=len(paths))
                kept = folder(str(journals / path.stem)) if journals is not None and len(paths) > 1 else journals
                try:
                    played.append(compare(scenario, at_once(scenario, args.n_jobs), shown, kept))
                except (InputError, OracleError) as error:
                    raise InputError(f"{printable(str(path))}: {error}") from error
        if out is not None:
            told = [_plain(scenario, results) for scenario, results in zip(scenarios, played, strict=True)]
            json.dump(told[0] if len(told) == 1 else {"suite": told}, out, indent=1, allow_nan=False)
            out.write("\n")
    return played


def _scenarios(given: str) -> list[Path]:
    """A scenario file, or those of a folder in the order of their names."""
    path = Path(given)
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.toml"))
    if not found:
        raise InputError(f"{printable(given)}: a folder without a scenario (a .toml file); name another")
    return found


def _choices(path: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The choices of a scenario, to be played on each of several others."""
    found = read_scenario(path).plain.get("elicit", {})
    if not isinstance(found, list) or len(found) < 2:
        raise InputError(f"{printable(path)}: has no choices; give a file with [[elicit]] several times")
    if len(paths) < 2:
        raise InputError("--choices needs several scenarios, to leave each out in turn; name a folder of them")
    return found


def _tell_apart(paths: Sequence[Path]) -> None:
    """Refuse two scenarios of one name: the table, and the folders of journals, tell them by it."""
    for k, path in enumerate(paths):
        if path.stem in {other.stem for other in paths[:k]}:
            raise InputError(f"two of the scenarios are called {printable(path.stem)!r}; rename one")


def _plain(scenario: Scenario, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A scenario and what came of it, as JSON holds it."""
    apart = [dataclasses.asdict(difference) for difference in differences(results)]
    return {"scenario": scenario.plain, "results": results, "differences": apart}


def _check_plot(path: str, scenarios: Sequence[Scenario]) -> None:
    """Whatever would keep the picture from being drawn is said before the work begins."""
    _check_picture(path)
    if len(scenarios) > 1:
        raise InputError("--plot draws one scenario; leave it out, or name one file")
    if scenarios[0].goal != TradeOff():
        goal = str(scenarios[0].goal)
        raise InputError(f"--plot draws regret, which the goal {goal!r} has none of; leave it out")
    if not tells_regret(scenarios[0]):
        raise InputError(f"--plot draws regret, which is not known here: {NEEDS}; leave it out")


def _check_suite(paths: Sequence[Path], scenarios: Sequence[Scenario], choosing: bool) -> None:
    """A suite tells regrets, and after how many evaluations one is reached, which takes a look after each."""
    for path, scenario in zip(paths, scenarios, strict=True):
        where = printable(str(path))
        if scenario.goal != TradeOff():
            goal = str(scenario.goal)
            raise InputError(f"{where}: a suite tells regret, which the goal {goal!r} has none of; play it alone")
        if choosing and not tells_regret(scenario):
            raise InputError(f"{where}: {NOT_KNOWN}")
        if not choosing and scenario.trace_every > 1:
            raise InputError(f"{where}: a suite counts every evaluation; leave trace_every out, or play it alone")


def _suite(played: Mapping[str, Results], choosing: bool) -> list[str]:
    """What came of several scenarios, by name: which choice all but one would make, or one table of all."""
    if choosing:
        return Choosing.of(played).lines(screen_width())
    lines = [line for name, results in played.items() for line in lines_of(name, results)]
    return [*table(lines, screen_width()), "", _TOLD, *_untold(played, lines)]


def _suite_notes(played: Mapping[str, Results], scenarios: Sequence[Scenario]) -> list[str]:
    """How several scenarios are to be read: each with its own data and operators."""
    notes = [note for name, scenario in zip(played, scenarios, strict=True) for note in noted(scenario, name)]
    notes += [note for name, results in played.items() for note in not_followed(results, name)]
    return [*notes, *not_measured(run["failures"] for results in played.values() for run in results)]


def _untold(names: Iterable[str], lines: Sequence[Line]) -> list[str]:
    """The scenarios that a table of regrets has no line for."""
    told = {line.scenario for line in lines}
    names = [printable(name) for name in names if name not in told]
    return [f"no regret is known, only --json says what came of it: {', '.join(names)}"] if names else []


def _notes(results: Sequence[dict[str, Any]], scenario: Scenario) -> list[str]:
    """How the table is to be read."""
    notes = [f"{_TOLD}; seconds leave out what an earlier run had measured"]
    if any(difference.low is not None for difference in differences(results)):
        notes.append(
            f"intervals: {LEVEL:.0%}, paired by seed; the seeds are those of the methods, or of a drawn truth: "
            "they say nothing of other data"
        )
    chosen = scenario.plain.get("elicit", {})
    sections = chosen if isinstance(chosen, list) else [chosen]
    limited = scenario.goal == TradeOff() and any("max_size" in section for section in sections)
    ends = {_end(run, limited) for run in results if run["stopped"].startswith(HINDERED) or not run["subset"]}
    notes += [*noted(scenario), *not_followed(results), *map(printable, sorted(ends))]
    return [*notes, *not_measured(run["failures"] for run in results)]


def _end(run: Mapping[str, Any], limited: bool) -> str:
    """How a method ended that went no further, or recommends nothing; `limited`: there is a max_size."""
    measured = run["evaluations"] > sum(run["failures"].values())
    if limited and measured and not run["subset"] and rule_of(run["stopped"]) == BUDGET:
        return f"{run['method']} never came down to max_size ({run['stopped']})"
    return f"{run['method']}: {run['stopped']}"


def _listed() -> list[str]:
    """Every method with its meaning, and with what may follow its name."""
    lines = [["name", "meaning", "after a colon", "needs besides the oracle"], [OURS, "ours, which asks", "", ""]]
    for entry in METHODS.values():
        default = ",".join(map(str, entry.default)) if isinstance(entry.default, tuple) else entry.default
        after = f"{entry.parameter} (default {default})" if entry.parameter else ""
        lines.append([entry.name, entry.meaning, after, entry.needs])
    return aligned(lines, screen_width())


def _check_picture(path: str) -> None:
    """Whatever would keep a picture from being drawn is said before the work begins."""
    if Path(path).suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"{printable(path)}: a picture is a .png, .svg or .pdf file; choose one of these")
    if Path(path).is_dir():
        raise InputError(f"{printable(path)}: is a folder; choose another place")
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"{printable(path)}: its folder does not exist; choose another place")
    pyplot()


def _draw(results: Sequence[dict[str, Any]], path: str) -> None:
    figure = ComparisonDisplay.of(results).plot().figure_
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be written ({error.strerror or error}); choose another") from error
    finally:
        pyplot().close(figure)
