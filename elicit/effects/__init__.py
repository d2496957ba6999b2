"""Effects: how a fitted model responds to an attribute, and to two together. Each result draws itself."""

from elicit.effects.ale import Ale, AleDisplay, ale
from elicit.effects.dependence import (
    PartialDependence,
    PartialDependenceDisplay,
    individual_expectations,
    partial_dependence,
)
from elicit.effects.interaction import HStatisticDisplay, Interactions, h_statistic
from elicit.effects.pairs import interaction_prior, pair_prior

__all__ = [
    "Ale",
    "AleDisplay",
    "HStatisticDisplay",
    "Interactions",
    "PartialDependence",
    "PartialDependenceDisplay",
    "ale",
    "h_statistic",
    "individual_expectations",
    "interaction_prior",
    "pair_prior",
    "partial_dependence",
]
