"""Elicit: the subset of features that is best for its operator, and exactly what has been proven.

The names below are imported when they are first used, so that `import elicit` takes no time. What plays a
run is `drive` in `elicit.drive`; `elicit.sessions` has `begin` and `resume`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elicit.alongside.progress import Progress
    from elicit.asks import Compare, Done, Evaluate, Failure, Measured, Reconcile, Settlement
    from elicit.decide.elicitation import Elicitation
    from elicit.decide.settings import Settings
    from elicit.drive import Result
    from elicit.estimator.carried import Answers
    from elicit.estimator.displays import InteractionDisplay, ParetoDisplay, PowerDisplay, RegretDisplay
    from elicit.events import Answer, Criterion
    from elicit.operators import Lexicographic, ScriptedOperator, SimulatedOperator
    from elicit.operators.terminal import TerminalOperator
    from elicit.oracles import (
        CallableOracle,
        FilterOracle,
        SyntheticOracle,
        TableOracle,
        WrapperOracle,
        cost,
        fit_time,
        from_callable,
        scored,
        stability,
    )
    from elicit.selector import ElicitSelector
    from elicit.subsets import Attributes, Family

__version__ = "0.1.0"

#: Where each public name lives.
_HOME = {
    "Answer": "events",
    "Answers": "estimator.carried",
    "Attributes": "subsets",
    "CallableOracle": "oracles",
    "Compare": "asks",
    "Criterion": "events",
    "Done": "asks",
    "ElicitSelector": "selector",
    "Elicitation": "decide.elicitation",
    "Evaluate": "asks",
    "Failure": "asks",
    "Family": "subsets",
    "FilterOracle": "oracles",
    "InteractionDisplay": "estimator.displays",
    "Lexicographic": "operators",
    "Measured": "asks",
    "ParetoDisplay": "estimator.displays",
    "PowerDisplay": "estimator.displays",
    "Progress": "alongside.progress",
    "Reconcile": "asks",
    "RegretDisplay": "estimator.displays",
    "Result": "drive",
    "ScriptedOperator": "operators",
    "Settings": "decide.settings",
    "Settlement": "asks",
    "SimulatedOperator": "operators",
    "SyntheticOracle": "oracles",
    "TableOracle": "oracles",
    "TerminalOperator": "operators.terminal",
    "WrapperOracle": "oracles",
    "cost": "oracles",
    "fit_time": "oracles",
    "from_callable": "oracles",
    "scored": "oracles",
    "stability": "oracles",
}

__all__ = [
    "Answer",
    "Answers",
    "Attributes",
    "CallableOracle",
    "Compare",
    "Criterion",
    "Done",
    "ElicitSelector",
    "Elicitation",
    "Evaluate",
    "Failure",
    "Family",
    "FilterOracle",
    "InteractionDisplay",
    "Lexicographic",
    "Measured",
    "ParetoDisplay",
    "PowerDisplay",
    "Progress",
    "Reconcile",
    "RegretDisplay",
    "Result",
    "ScriptedOperator",
    "Settings",
    "Settlement",
    "SimulatedOperator",
    "SyntheticOracle",
    "TableOracle",
    "TerminalOperator",
    "WrapperOracle",
    "cost",
    "fit_time",
    "from_callable",
    "scored",
    "stability",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'elicit' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"elicit.{_HOME[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
