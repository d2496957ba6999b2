"""What commands that play scenarios share: a meter while they work, notes, and what is kept after an interrupt."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from elicit.alongside.display import Meter, run_status
from elicit.commands.status import tell
from elicit.experiments.best import tells_regret
from elicit.experiments.experiment import Stage
from elicit.printable import printable
from elicit.scenario import Scenario


@contextmanager
def progress_meter(after_an_interrupt: Callable[[], str]) -> Iterator[Meter]:
    """A progress meter on standard error; after Ctrl-C the text of `after_an_interrupt` is printed."""
    with Meter(sys.stderr) as meter:
        try:
            yield meter
        except KeyboardInterrupt:
            meter.clear()
            with suppress(OSError):  # an interrupt stays one where it cannot be told: Ctrl-C may end `| tee`, too
                tell(after_an_interrupt(), sys.stderr)
            raise


def show_stage(meter: Meter, now: Stage, done: int = 0, of: int = 1) -> None:
    """Show how far an experiment is; it is the one after `done` others, `of` in all."""
    # a run may have questions left when its budget is spent: it is finished when it says so
    share = 0.99 * now.run.evaluations / now.run.budget if now.run is not None else 0.0
    words = [f"scenario {done + 1} of {of}"] if of > 1 else []
    words += [f"{now.finished} of {now.total} runs finished"] if now.total > 1 or now.run is None else []
    words += [run_status(now.run)] if now.run is not None else []
    meter.update((done + (now.finished + share) / now.total) / of, "; ".join(words))


def data_notes(scenario: Scenario, called: str = "") -> list[str]:
    """The notes on how the data of a scenario were read; `called` is its name where there are several."""
    where = f"note on {printable(called)}" if called else "note"
    return [f"{where}: {printable(note)}" for note in scenario.notes]


def regret_notes(scenario: Scenario) -> list[str]:
    """A note where the regrets of a table are against different subsets: of two rows the better may lose more."""
    first, *others = scenario.elicits
    if all(other.family == first.family for other in others) or not tells_regret(scenario):
        return []
    return ["each regret is against the best of its own row's family: [[elicit]] differ in keep, drop or max_size"]


def what_is_kept(journals: str | None) -> str:
    """What is kept of an experiment that is interrupted."""
    if journals is None:
        return "no run was kept; --journals FOLDER keeps each as it goes, and goes on with them"
    return f"what was played is in {printable(journals)}; the same command goes on there"
