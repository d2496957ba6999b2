"""Worth: what a utility of the criteria says of the measured subsets; nothing is measured or decided anew.

An operator may be such a utility (a simulated one answers by it), and any record can be looked at by another.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

from elicit.decide.elicitation import Elicitation
from elicit.errors import InputError
from elicit.knowledge.history import History
from elicit.numeric import step_of
from elicit.operators import Expression, Lexicographic, SimulatedOperator
from elicit.subsets import Mask, simplest

_NOT_FOLLOWED = "what is measured counts, so the utility is not followed there"


def is_utility(operator: Any) -> bool:
    """Whether an operator is a utility of the criteria rather than somebody to ask."""
    return isinstance(operator, str | Expression | Lexicographic | partial) or inspect.isroutine(operator)


def utility_of(elicitation: Elicitation, utility: Any) -> SimulatedOperator:
    """A utility of the criteria that are measured; what is none is refused."""
    if not is_utility(utility):
        raise InputError(
            f"expected a utility: an expression such as 'score - 0.005 * size', or a function; found {kind_of(utility)}"
        )
    return SimulatedOperator(utility, elicitation.history.criteria)


def best_for(elicitation: Elicitation, utility: SimulatedOperator) -> Mask | None:
    """The evaluated subset of greatest utility; nothing is measured."""
    worth = worth_by(elicitation, utility)
    eligible = {x: value for x, value in worth.items() if x in elicitation.family}
    return best_of(elicitation.history, eligible) if eligible else None


def best_of(history: History, worth: Mapping[Mask, float]) -> Mask:
    """The one that is worth most; ties go to what no other of them dominates, of these to fewer attributes."""
    best, below = max(worth.values()), history.dominates
    equal = [x for x, value in worth.items() if value >= best - step_of(best)]
    return min((x for x in equal if not any(x in below[y] for y in equal)), key=simplest)


def against_directions(elicitation: Elicitation, utility: SimulatedOperator, *, followed: bool = False) -> str | None:
    """What a utility likes against every criterion, in words.

    followed: it is followed all the same, as a run never does.
    """
    found = liked_though_worse(elicitation.history, worth_by(elicitation, utility))
    counts = "it is followed all the same" if followed else _NOT_FOLLOWED
    return found and f"the utility {found}; {counts}. Turn the utility round, or the direction of a criterion"


def liked_though_worse(history: History, worth: Mapping[Mask, float]) -> str | None:
    """Two subsets of which the one that is better in no criterion is worth more, in words."""
    braced = history.attributes.braced
    for better, below in history.dominates.items():
        for worse in sorted(below, key=simplest):
            if better in worth and worse in worth and worth[worse] > worth[better] + step_of(worth[better]):
                return (
                    f"likes {braced(worse)} better than {braced(better)}, which is at least as good in every criterion"
                )
    return None


def worth_by(elicitation: Elicitation, operator: SimulatedOperator) -> dict[Mask, float]:
    """The true utility of every evaluated subset."""
    history = elicitation.history
    return {x: operator.utility(history.named(x), x) for x in history.evaluated}


def kind_of(thing: Any) -> str:
    """What something is, in one line, whatever its own text may look like."""
    if isinstance(thing, type):
        return f"the class {thing.__name__}"
    return "None" if thing is None else f"an object of type {type(thing).__name__}"
