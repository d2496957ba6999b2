"""The classical methods of feature selection in one frame: how each explores, what it is after, when it stops."""

from elicit.methods.consistency import Inconsistency
from elicit.methods.elimination import Elimination
from elicit.methods.focus import Focus
from elicit.methods.frame import Ended, Explorer, Search, Space
from elicit.methods.goals import Goal, Rank, Reaching, Sized, TradeOff, goal_from
from elicit.methods.method import Method, Value, first_criterion
from elicit.methods.registry import METHODS, Entry, Material, Named, named
from elicit.methods.sequential import Floating, PlusMinus, Sequential
from elicit.methods.stochastic import Genetic, HillClimbing, Random
from elicit.methods.surrogate import Surrogate
from elicit.methods.systematic import Adaptive, Exhaustive, Ranking

__all__ = [
    "METHODS",
    "Adaptive",
    "Elimination",
    "Ended",
    "Entry",
    "Exhaustive",
    "Explorer",
    "Floating",
    "Focus",
    "Genetic",
    "Goal",
    "HillClimbing",
    "Inconsistency",
    "Material",
    "Method",
    "Named",
    "PlusMinus",
    "Random",
    "Rank",
    "Ranking",
    "Reaching",
    "Search",
    "Sequential",
    "Sized",
    "Space",
    "Surrogate",
    "TradeOff",
    "Value",
    "first_criterion",
    "goal_from",
    "named",
]
