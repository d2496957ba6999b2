"""elicit run: simulated operators over many seeds, from a scenario file."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from elicit.alongside.display import failure_lines
from elicit.commands.output import destination, input_files, journal_folder, say, screen_width, write_json
from elicit.commands.playing import data_notes, progress_meter, regret_notes, show_stage, what_is_kept
from elicit.commands.status import DONE
from elicit.errors import InputError, OracleError
from elicit.experiments.experiment import run_scenario, runs_at_once
from elicit.experiments.results import Results, not_followed, summary
from elicit.methods import TradeOff
from elicit.scenario import Scenario
from elicit.scenario_file import read_scenario


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    scenario = read_scenario(args.scenario).reduced(args.budget, args.seeds)
    if scenario.goal != TradeOff():
        goal = str(scenario.goal)
        raise InputError(f"{args.scenario}: the goal {goal!r} is for classical methods; use elicit compare")
    read_from = input_files(scenario.plain["oracle"], Path(args.scenario).parent)
    journals = journal_folder(args.journals)
    with ExitStack() as at_the_end, destination(args.json, args.scenario, *read_from) as out:
        try:
            with progress_meter(partial(what_is_kept, args.journals)) as meter:
                show = partial(show_stage, meter)
                results = run_scenario(scenario, runs_at_once(scenario, args.n_jobs), show, journals)
        except (InputError, OracleError) as error:
            raise InputError(f"{args.scenario}: {error}") from error
        at_the_end.callback(_tell, scenario, results)  # after hours, perhaps: even if the file cannot be written
        if out is not None:
            write_json(out, {"scenario": scenario.plain, "results": results})
    return DONE


def _tell(scenario: Scenario, results: Results) -> None:
    """A summary of the results, and notes on them."""
    failed = failure_lines(result["failures"] for result in results)
    print("\n".join(summary(results, screen_width())))
    for line in (*regret_notes(scenario), *data_notes(scenario), *not_followed(results), *failed):
        say(line)
