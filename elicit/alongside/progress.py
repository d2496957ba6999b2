"""Progress: where a run stands, in a few plain numbers. Whoever is told may end the run by replying True."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isinf

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import Elicitation
from elicit.errors import InputError
from elicit.events import CALLED_OFF, OUT_OF_TIME, Evaluated, Failed
from elicit.numeric import is_number
from elicit.subsets import Mask


@dataclass(frozen=True)
class Progress:
    """Where a run stands: oracle calls made and allowed, questions answered, what would be recommended now.

    `names` are those of its attributes. Until the first subsets, which are drawn together, are all measured, nothing
    would be recommended: `subset` is None, `names` and `criteria` are empty. `regret` is its max regret, as `regret_of`
    tells it; None as well where nobody asked for it. `kept` of the calls were made in an earlier sitting.
    """

    evaluations: int
    budget: int
    questions: int
    most_questions: int
    subset: Mask | None
    criteria: Mapping[str, float]
    seconds: float
    regret: float | None = None
    names: tuple[str, ...] = ()
    kept: int = 0


class Follower:
    """Tells whoever follows a run where it stands, and says when the run is to end: at their word, or by the clock."""

    def __init__(
        self,
        progress: Callable[[Progress], object] | None,
        clock: Callable[[], float],
        time_limit: float | None,
    ) -> None:
        if time_limit is not None and not (is_number(time_limit) and time_limit >= 0):
            raise InputError(f"time_limit is a number of seconds of at least 0, or None; found {time_limit!r:.80}")
        self._progress, self._clock, self._time_limit = progress, clock, time_limit
        self._start = clock()
        self._called_off = False

    @property
    def seconds(self) -> float:
        """Seconds since this sitting began."""
        return self._clock() - self._start

    @property
    def end(self) -> tuple[str, str] | None:
        """Why nothing more is begun, and by which rule; None while the run may go on."""
        if self._called_off:
            return "whoever followed the progress called the run off", CALLED_OFF
        if self._time_limit is not None and self.seconds >= self._time_limit:
            return f"{self._time_limit:g} seconds have passed", OUT_OF_TIME
        return None

    def tell(self, standing: Progress) -> None:
        """Tell whoever wants to know; True calls the run off, and nothing else does."""
        if self._progress is not None:
            reply = self._progress(standing)
            self._called_off |= isinstance(reply, bool | np.bool_) and bool(reply)


def progress_of(elicitation: Elicitation, seconds: float, *, brief: bool = False, regret: bool = False) -> Progress:
    """Where an elicitation stands, this many seconds after its drive began.

    brief: leave out what would be recommended, so that no time is spent on it.
    regret: include the regret of the recommendation, which takes linear programs.
    """
    beliefs = elicitation.beliefs
    subset = None if brief else beliefs.incumbent
    return Progress(
        # those of an open round, too, of which nothing is concluded yet
        evaluations=sum(isinstance(fact, Evaluated | Failed) for fact in elicitation.facts),
        budget=elicitation.budget,
        questions=len(elicitation.history.answers),
        most_questions=elicitation.turns.most,
        subset=subset,
        criteria=elicitation.history.named(subset),
        seconds=seconds,
        regret=regret_of(beliefs) if regret and not brief else None,
        names=() if subset is None else elicitation.history.attributes.subset(subset),
    )


def regret_of(beliefs: Beliefs) -> float | None:
    """The max regret of what would be recommended, in margins of one clear answer.

    Infinite where it is not worked out, None where it is unknown.
    """
    if beliefs.far_from_proven:
        return inf
    found = beliefs.incumbent_regret
    return None if found is None or isinf(found.value) else found.lead / beliefs.utilities.clear
