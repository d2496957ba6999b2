"""Attribute scores: f(X, y, **options) -> array (n,), one number an attribute; `registered()` names them all.

What all share: `protocol`, `registry`, and rankings side by side (`agreement`). Scores of the data alone: `univariate`,
`information`, `relief` (with `neighbours`). Shares of a linear model: `lmg`, `johnson` (with `moments`). Through a
model, its `answers` to a changed `sheet` of rows and its `randomness`: `models`, `permutation`, `pimp`, `relevance`,
`predictions` (with `blocks`, `learned`), `explained`. Shares of a function of its `inputs`: `johnson_shapley`,
`shapley_effects`, exactly by `quadrature` (with `games`).
"""

from elicit.scores.information import information_gain, mutual_information
from elicit.scores.inputs import DependenceWarning, gaussian_inputs, inputs_of_sample
from elicit.scores.johnson import johnson
from elicit.scores.johnson_shapley import FunctionShares, johnson_shapley
from elicit.scores.lmg import lmg
from elicit.scores.models import coefficients, permuted, trees
from elicit.scores.permutation import PermutationImportance, permutation_importance
from elicit.scores.pimp import Significance, pimp
from elicit.scores.predictions import PredictionShares, shapley_values
from elicit.scores.registry import MEASURES, Measure, registered, score_named
from elicit.scores.relevance import Relevance, relevance
from elicit.scores.relief import relief, relieff, rrelieff
from elicit.scores.shapley_effects import shapley_effects, shapley_effects_of_function
from elicit.scores.univariate import chi2, correlation, f_statistic, fisher, variance

__all__ = [
    "MEASURES",
    "DependenceWarning",
    "FunctionShares",
    "Measure",
    "PermutationImportance",
    "PredictionShares",
    "Relevance",
    "Significance",
    "chi2",
    "coefficients",
    "correlation",
    "f_statistic",
    "fisher",
    "gaussian_inputs",
    "information_gain",
    "inputs_of_sample",
    "johnson",
    "johnson_shapley",
    "lmg",
    "mutual_information",
    "permutation_importance",
    "permuted",
    "pimp",
    "registered",
    "relevance",
    "relief",
    "relieff",
    "rrelieff",
    "score_named",
    "shapley_effects",
    "shapley_effects_of_function",
    "shapley_values",
    "trees",
    "variance",
]
