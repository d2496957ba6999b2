"""Operators: who says which of two subsets is better.

A simulated operator knows its utility and may err or hesitate; a scripted one says what a list
holds, or what the operator of another run said. Each sees exactly what a person would see.
"""

from elicit.operators.expression import Expression, parse, spelling
from elicit.operators.scripted import ScriptedOperator, answer_from
from elicit.operators.simulated import HiddenTheta, Lexicographic, SimulatedOperator

__all__ = [
    "Expression",
    "HiddenTheta",
    "Lexicographic",
    "ScriptedOperator",
    "SimulatedOperator",
    "answer_from",
    "parse",
    "spelling",
]
