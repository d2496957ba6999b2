"""elicit run: simulated operators over many seeds, from a scenario file."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from elicit.commands.output import after_an_interrupt, destination, files_of, folder
from elicit.commands.status import DONE
from elicit.errors import InputError
from elicit.experiments.experiment import Stage, at_once, run_scenario, summary
from elicit.methods import TradeOff
from elicit.printable import printable
from elicit.scenario import read_scenario
from elicit.session.display import Meter, not_measured, standing


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    scenario = read_scenario(args.scenario).reduced(args.budget, args.seeds)
    if scenario.goal != TradeOff():
        goal = str(scenario.goal)
        raise InputError(f"{printable(args.scenario)}: the goal {goal!r} is for classical methods; use elicit compare")
    read_from = files_of(scenario.plain["oracle"], Path(args.scenario).parent)
    journals = folder(args.journals)
    meter = Meter(sys.stderr)

    def show(now: Stage) -> None:
        # a run may have questions left when its budget is spent: it is finished when it says so
        share = 0.99 * now.run.evaluations / now.run.budget if now.run is not None else 0.0
        words = [f"{now.finished} of {now.total} runs finished"] if now.total > 1 or now.run is None else []
        words += [standing(now.run)] if now.run is not None else []
        meter.update((now.finished + share) / now.total, "; ".join(words))

    with destination(args.json, args.scenario, *read_from) as out:
        try:
            results = run_scenario(scenario, at_once(scenario, args.n_jobs), show, journals)
        except KeyboardInterrupt:
            meter.clear()
            print(after_an_interrupt(args.journals), file=sys.stderr)
            raise
        except InputError as error:
            raise InputError(f"{printable(args.scenario)}: {error}") from error
        finally:
            meter.clear()
        if out is not None:
            json.dump({"scenario": scenario.plain, "results": results}, out, indent=1, allow_nan=False)
            out.write("\n")
    print("\n".join([*summary(results), *not_measured(result["failures"] for result in results)]))
    return DONE
