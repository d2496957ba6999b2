"""Descent: the way down from all attributes, one fewer at a time, by what is not known beforehand: the score.

What only matters together is together at the start, and shows when one of it goes. At each size up to four removals
are tried: the first that scores no worse than the subset it comes from is gone on from at once, else the best of the
four. The first half of the way belongs to no operator; on the second a step waits while something else promises much
more to those who may be the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.forecast import Forecast
from elicit.decide.process import Process
from elicit.decide.settings import SHARE_OF_THE_START, Settings
from elicit.subsets import Family, Mask, members, simplest
from elicit.utility.monomials import Vector

#: Subsets of one size that are looked at, at most: less would go by a forecast that knows little yet, and lose
#: what only matters together; more leave too little for what comes after.
MOST_LOOKS = 4

#: One goes down when the budget is at least so many times the attributes, and of these there are at most so many:
#: of more, nearly all that is looked at on the way is larger than what anybody wants, and alike.
LEAST_BUDGET, MOST_DOWN = 3, 20

#: Evaluations between two questions, where nothing else is said, of a run that goes down and of others. On the way
#: down nothing that is measured depends on answers, and those about its first, large subsets tell little.
ASK_EVERY_DOWN, ASK_EVERY = 6, 4

#: Where nothing else is said, one evaluation in so many goes to what promises most though it may be rejected, in a run
#: that goes down, in the parsimonious set: a rejection by the exact one is no matter of a threshold. With the 30
#: attributes of `bench_live.py` asked sessions took longer by it, so not in other runs.
UNASKED_DOWN = 2

#: How much it counts that operators agree, where nothing else is said, in a run that goes down. At 1 a single one of a
#: sample often makes up all of the gain, and in the next round another; 3 did as well as 2. What it does on more
#: attributes has not been looked at.
AGREEMENT_DOWN = 2.0


def looks_a_size(settings: Settings, family: Family) -> int:
    """How many subsets of one size are looked at, at most: as the budget allows; 0 where no way down is taken."""
    free = len(family.free)
    times = settings.evaluations(family) // max(1, free)
    down = settings.first == "path" and times >= LEAST_BUDGET and free <= MOST_DOWN
    return min(MOST_LOOKS, times - 1) if down else 0


def first_draws(settings: Settings, family: Family) -> int:
    """Subsets that are evaluated before anything is modelled, where no prior says which ones."""
    if settings.start is not None or settings.explore != "gain" or looks_a_size(settings, family):
        return settings.begun_with
    return max(settings.begun_with, settings.evaluations(family) // SHARE_OF_THE_START)


def between_questions(settings: Settings, family: Family) -> int:
    """Evaluations that lie between two questions."""
    if settings.ask_every is not None:
        return settings.ask_every
    return ASK_EVERY_DOWN if settings.explore == "gain" and looks_a_size(settings, family) else ASK_EVERY


def unasked_every(settings: Settings, family: Family) -> int:
    """One evaluation in how many goes to what promises most, though it may be rejected; 0: none."""
    if settings.unasked is not None:
        return settings.unasked
    return UNASKED_DOWN if looks_a_size(settings, family) and not settings.exact else 0


def agreement_of(settings: Settings, family: Family) -> float:
    """How much it counts that operators agree on what they gain by; 1: not at all."""
    if settings.agreement is not None:
        return settings.agreement
    return AGREEMENT_DOWN if looks_a_size(settings, family) else 1.0


def on_the_way(beliefs: Beliefs) -> bool:
    """Whether a run goes down, and is not yet through with it."""
    most = looks_a_size(beliefs.settings, beliefs.family) * len(beliefs.family.free)
    return most > 0 and len(beliefs.evaluated) < beliefs.settings.begun_with + most


def may_wait(beliefs: Beliefs) -> bool:
    """Whether a step down may wait for what promises more: what only matters together had half of the way to show."""
    half = looks_a_size(beliefs.settings, beliefs.family) * len(beliefs.family.free) / 2
    return beliefs.settings.detour > 0 and len(beliefs.evaluated) > half


def next_down(beliefs: Beliefs, forecast: Forecast, new: Callable[[Mask], bool], chosen: Sequence[Mask]) -> Mask | None:
    """The next subset on the way down; None where it ends, or waits for what is `chosen` already."""
    column = next((c for c, criterion in enumerate(forecast.criteria) if isinstance(criterion, Process)), None)
    if column is None:
        return None
    history, most = beliefs.history, looks_a_size(beliefs.settings, beliefs.family)
    score = dict(zip(history.subsets, history.vectors[:, column].tolist(), strict=True))
    by_size: dict[int, list[Mask]] = {}
    for subset in [*score, *chosen]:
        by_size.setdefault(subset.bit_count(), []).append(subset)
    here = beliefs.family.largest
    while here in score:
        tried = [m for m in by_size.get(here.bit_count() - 1, ()) if m & here == m]
        seen = [m for m in tried if m in score]
        if len(tried) < most and not any(score[m] >= score[here] for m in seen):
            fresh = [m for i in members(here) if (m := here ^ (1 << i)) in beliefs.family and new(m)]
            if fresh:
                return _foremost(fresh, forecast.outcomes(fresh)[column] @ forecast.chances)
        if not seen:
            return None
        here = min(seen, key=lambda m: (-score[m], simplest(m)))
    return None


def _foremost(subsets: Sequence[Mask], values: Vector) -> Mask:
    """The one of greatest value; of those equal the simplest."""
    # values are in steps of the grid, a billion for a score of 1: the last digits differ from library to library
    values = np.round(values / max(float(np.abs(values).max()), 1.0), 9)
    most = values.max()
    return min((m for m, v in zip(subsets, values, strict=True) if v == most), key=simplest)
