"""Judges: what the `operator` of a selector may be, and what each kind means.

    None                  the score, ties to fewer attributes: declared, so that nothing is ever asked
    text, a function      a utility of the criteria: a simulated operator answers by it, asked and counted
    a journal, Answers    answers of an earlier run: carried over as statements, and nothing is asked
    another callable      an operator: it is asked; one that talks to a person refuses to run in a worker

A function takes the criteria by name and gives a number; an object with a `__call__` is an operator.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from elicit.asks import Compare, Operator, Reconcile, Settlement
from elicit.errors import InputError
from elicit.estimator.carried import Answers
from elicit.events import Answer, Criterion
from elicit.operators import ScriptedOperator, SimulatedOperator
from elicit.operators.person import Person, refusal
from elicit.worth import is_utility, kind_of

#: How the name of a journal ends, when it is given as text.
JOURNAL_SUFFIX = ".jsonl"


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
            f"criteria), an operator, or the path of a journal; found {kind_of(operator)}"
        )
    _refuse_in_worker(operator)
    if isinstance(operator, ScriptedOperator):
        operator = copy(operator)  # a fit must not use up what it was given: the next one is answered alike
    return Judge(operator, utility=operator if isinstance(operator, SimulatedOperator) else None)


def _nobody(request: Compare | Reconcile) -> Answer | Settlement:
    """There is nobody to compare anything; whatever contradicts is kept, and weighed."""
    return Settlement(None) if isinstance(request, Reconcile) else Answer.INCOMPARABLE


def _refuse_in_worker(operator: object) -> None:
    """A person answers at one place: in the main thread of the process that was started."""
    at_home = multiprocessing.parent_process() is None and threading.current_thread() is threading.main_thread()
    if isinstance(operator, Person) and not at_home:
        raise refusal(operator)
