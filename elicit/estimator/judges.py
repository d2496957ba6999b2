"""Judges: what the `operator` of a selector may be, and what each kind means.

    None                  the score, ties to fewer attributes: declared, so that nothing is ever asked
    text, a function      a utility of the criteria: a simulated operator answers by it, asked and counted
    a journal, Answers    answers of an earlier run: carried over as statements, and nothing is asked
    another callable      an operator: it is asked; one that talks to a person refuses to run in a worker

A function takes the criteria by name and gives a number; an object with a `__call__` is an operator.
"""

from __future__ import annotations

import inspect
import multiprocessing
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from elicit.asks import Compare, Operator, Reconcile, Settlement
from elicit.decide.elicitation import Elicitation
from elicit.errors import InputError
from elicit.estimator.carried import Answers
from elicit.events import Answer, Criterion
from elicit.knowledge.history import History
from elicit.numeric import GRID
from elicit.operators import Expression, Lexicographic, SimulatedOperator
from elicit.operators.person import Person, refusal
from elicit.subsets import Mask, simplest

#: How the name of a journal ends, when it is given as text.
JOURNAL_SUFFIX = ".jsonl"

_NOT_FOLLOWED = "what is measured counts, so the utility is not followed there"


@dataclass(frozen=True)
class Judge:
    """Who says what is better: whom to ask, whether everything is declared, and what is known before."""

    ask: Operator
    declared: bool = False
    answers: Answers | None = None
    utility: SimulatedOperator | None = None


def judge_of(operator: Any, criteria: Sequence[Criterion]) -> Judge:
    """The judge that an `operator` stands for."""
    if operator is None:
        return Judge(_nobody, declared=True)
    if isinstance(operator, Answers):
        return Judge(_nobody, answers=operator)
    if isinstance(operator, os.PathLike) or (isinstance(operator, str) and operator.endswith(JOURNAL_SUFFIX)):
        return Judge(_nobody, answers=Answers.recorded(operator))
    if is_utility(operator):
        try:
            simulated = SimulatedOperator(operator, criteria)
        except InputError:
            if isinstance(operator, str) and os.path.exists(operator):
                raise InputError(
                    f"operator {operator!r} was read as an expression, for no journal is called so; if the file is "
                    "one, give its pathlib.Path"
                ) from None
            raise
        return Judge(simulated, utility=simulated)
    if isinstance(operator, type) or not callable(operator):
        raise InputError(
            "operator is None, a utility (an expression such as 'score - 0.005 * size', or a function of the "
            f"criteria), an operator, or the path of a journal; found {_kind(operator)}"
        )
    _refuse_in_worker(operator)
    return Judge(operator, utility=operator if isinstance(operator, SimulatedOperator) else None)


def is_utility(operator: Any) -> bool:
    """Whether it is a utility of the criteria rather than somebody to ask."""
    return isinstance(operator, str | Expression | Lexicographic | partial) or inspect.isroutine(operator)


def utility_of(elicitation: Elicitation, utility: Any) -> SimulatedOperator:
    """A utility of the criteria that are measured; what is none is refused."""
    if not is_utility(utility):
        raise InputError(
            f"expected a utility: an expression such as 'score - 0.005 * size', or a function; found {_kind(utility)}"
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
    equal = [x for x, value in worth.items() if value >= best - GRID]
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
            if better in worth and worse in worth and worth[worse] > worth[better] + GRID:
                return (
                    f"likes {braced(worse)} better than {braced(better)}, which is at least as good in every criterion"
                )
    return None


def worth_by(elicitation: Elicitation, operator: SimulatedOperator) -> dict[Mask, float]:
    """The true utility of every evaluated subset."""
    history = elicitation.history
    return {x: operator.utility(history.named(x), x) for x in history.evaluated}


def _nobody(request: Compare | Reconcile) -> Answer | Settlement:
    """There is nobody to compare anything; whatever contradicts is kept, and weighed."""
    return Settlement(None) if isinstance(request, Reconcile) else Answer.INCOMPARABLE


def _kind(thing: Any) -> str:
    """What something is, in one line, whatever its own text may look like."""
    if isinstance(thing, type):
        return f"the class {thing.__name__}"
    return "None" if thing is None else f"an object of type {type(thing).__name__}"


def _refuse_in_worker(operator: object) -> None:
    """A person answers at one place: in the main thread of the process that was started."""
    at_home = multiprocessing.parent_process() is None and threading.current_thread() is threading.main_thread()
    if isinstance(operator, Person) and not at_home:
        raise refusal(operator)
