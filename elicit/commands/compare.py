"""elicit compare: every method of the frame on the same oracle, side by side, from a scenario file."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elicit.commands.output import destination
from elicit.commands.status import DONE
from elicit.errors import InputError
from elicit.experiments.comparison import compare
from elicit.experiments.comparison_display import ComparisonDisplay, pyplot
from elicit.experiments.experiment import Standing, aligned
from elicit.experiments.side_by_side import LEVEL, differences, side_by_side
from elicit.methods import METHODS, TradeOff
from elicit.printable import printable
from elicit.scenario import OURS, read_scenario
from elicit.session.display import Meter, standing


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    if args.list:
        print("\n".join(_listed()))
        return DONE
    if args.scenario is None:
        raise InputError("elicit compare needs a scenario file, or --list; give one")
    scenario = read_scenario(args.scenario).reduced(args.budget, args.seeds)
    journals = _folder(args.journals)
    if args.plot is not None:
        _check_picture(args.plot)
        if scenario.goal != TradeOff():
            raise InputError(f"--plot draws regret, which the goal {str(scenario.goal)!r} has none of; leave it out")
    meter = Meter(sys.stderr)

    def show(now: Standing) -> None:
        share = 0.99 * now.run.evaluations / now.run.budget if now.run is not None else 0.0
        words = [f"{now.finished} of {now.total} runs finished"]
        words += [standing(now.run)] if now.run is not None else []
        meter.update((now.finished + share) / now.total, "; ".join(words))

    with destination(args.json) as out:
        try:
            results = compare(scenario, args.n_jobs, show, journals)
        finally:
            meter.clear()
        if out is not None:
            apart = [dataclasses.asdict(difference) for difference in differences(results)]
            plain = {"scenario": scenario.plain, "results": results, "differences": apart}
            json.dump(plain, out, indent=1, allow_nan=False)
            out.write("\n")
    print("\n".join(side_by_side(results)))
    print("\n" + "\n".join(_notes(results)))
    if args.plot is not None:
        _draw(results, args.plot)
    return DONE


def _notes(results: Sequence[dict[str, Any]]) -> list[str]:
    """How the table is to be read."""
    notes = [
        "classical methods are told the utility, ours has to ask; seconds leave out what an earlier run had measured"
    ]
    if any(difference.low is not None for difference in differences(results)):
        notes.append(
            f"intervals: {LEVEL:.0%}, paired by seed; the seeds are those of the methods, or of a drawn truth: "
            "they say nothing of other data"
        )
    return notes


def _listed() -> list[str]:
    """Every method with its meaning, and with what may follow its name."""
    lines = [["name", "meaning", "after a colon", "needs besides the oracle"], [OURS, "ours, which asks", "", ""]]
    for entry in METHODS.values():
        default = ",".join(map(str, entry.default)) if isinstance(entry.default, tuple) else entry.default
        after = f"{entry.parameter} (default {default})" if entry.parameter else ""
        lines.append([entry.name, entry.meaning, after, entry.needs])
    return aligned(lines)


def _folder(path: str | None) -> Path | None:
    """The folder for journals, made if need be."""
    if path is None:
        return None
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be made a folder ({error.strerror}); choose another") from error
    return Path(path)


def _check_picture(path: str) -> None:
    """Whatever would keep a picture from being drawn is said before the work begins."""
    if Path(path).suffix not in (".png", ".svg", ".pdf"):
        raise InputError(f"{printable(path)}: a picture is a .png, .svg or .pdf file; choose one of these")
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"{printable(path)}: its folder does not exist; choose another place")
    pyplot()


def _draw(results: Sequence[dict[str, Any]], path: str) -> None:
    display = ComparisonDisplay.of(results)
    figure, axes = pyplot().subplots(figsize=(9, 5.5), layout="constrained")
    display.plot(axes)
    try:
        figure.savefig(path)
    except OSError as error:
        raise InputError(f"{printable(path)}: cannot be written ({error.strerror or error}); choose another") from error
    finally:
        pyplot().close(figure)
