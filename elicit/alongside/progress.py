"""Progress: where a run stands, in a few plain numbers. Whoever is told may end the run by replying True."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isinf

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import Elicitation
from elicit.events import Evaluated, Failed
from elicit.subsets import Mask

#: Why a run ended that somebody ended so.
CALLED_OFF_BECAUSE = "whoever followed the progress called the run off"


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


def calls_off(reply: object) -> bool:
    """Whether what somebody replied to a report ends the run: True does, and nothing else."""
    return isinstance(reply, bool | np.bool_) and bool(reply)


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
    if beliefs.far:
        return inf
    found = beliefs.incumbent_regret
    return None if found is None or isinf(found.value) else found.value / beliefs.utilities.clear
