"""Operators: who says which of two subsets is better.

A simulated operator knows its utility and may err or hesitate; a scripted one says what a list
holds, or what the operator of another run said. Each sees exactly what a person would see.
`TerminalOperator`, a person, is imported when it is first used, for it needs a library that takes time to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from elicit.operators.expression import Expression, parse, spelling
from elicit.operators.scripted import ScriptedOperator, answer_from
from elicit.operators.simulated import HiddenTheta, Lexicographic, SimulatedOperator

if TYPE_CHECKING:
    from elicit.operators.terminal import TerminalOperator

__all__ = [
    "Expression",
    "HiddenTheta",
    "Lexicographic",
    "ScriptedOperator",
    "SimulatedOperator",
    "TerminalOperator",
    "answer_from",
    "parse",
    "spelling",
]


def __getattr__(name: str) -> Any:
    if name != "TerminalOperator":
        raise AttributeError(f"module 'elicit.operators' has no attribute {name!r}")
    return import_module("elicit.operators.terminal").TerminalOperator
