"""Playing: how the commands whose work takes long show that it goes on, and say what is kept when it is broken off."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from elicit.experiments.experiment import Stage
from elicit.printable import printable
from elicit.scenario import Scenario
from elicit.session.display import Meter, standing


@contextmanager
def metered(after_an_interrupt: Callable[[], str]) -> Iterator[Meter]:
    """A meter while the work lasts; who breaks it off is told what became of it."""
    with Meter(sys.stderr) as meter:
        try:
            yield meter
        except KeyboardInterrupt:
            meter.clear()
            print(after_an_interrupt(), file=sys.stderr)
            raise


def show(meter: Meter, now: Stage, done: int = 0, of: int = 1) -> None:
    """Where an experiment stands, when `done` of several were played before it."""
    # a run may have questions left when its budget is spent: it is finished when it says so
    share = 0.99 * now.run.evaluations / now.run.budget if now.run is not None else 0.0
    words = [f"scenario {done + 1} of {of}"] if of > 1 else []
    words += [f"{now.finished} of {now.total} runs finished"] if now.total > 1 or now.run is None else []
    words += [standing(now.run)] if now.run is not None else []
    meter.update((done + (now.finished + share) / now.total) / of, "; ".join(words))


def noted(scenario: Scenario, called: str = "") -> list[str]:
    """What was decided for the user when the data of a scenario were read; `called` tells one of several apart."""
    where = f"note on {printable(called)}" if called else "note"
    return [f"{where}: {printable(note)}" for note in scenario.notes]


def kept_runs(journals: str | None) -> str:
    """What becomes of the runs of an experiment that is broken off."""
    if journals is None:
        return "no run was kept; --journals FOLDER keeps each as it goes, and goes on with them"
    return f"what was played is in {printable(journals)}; the same command goes on there"
