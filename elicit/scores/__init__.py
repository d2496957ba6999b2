"""Attribute scores: f(X, y, **options) -> array (n,), one number an attribute; `registered()` names them all."""

from elicit.scores.information import information_gain, mutual_information
from elicit.scores.models import coefficients, permuted, trees
from elicit.scores.registry import MEASURES, Measure, registered, score_named
from elicit.scores.relevance import Relevance, relevance
from elicit.scores.relief import relief, relieff, rrelieff
from elicit.scores.univariate import chi2, correlation, f_statistic, fisher, variance

__all__ = [
    "MEASURES",
    "Measure",
    "Relevance",
    "chi2",
    "coefficients",
    "correlation",
    "f_statistic",
    "fisher",
    "information_gain",
    "mutual_information",
    "permuted",
    "registered",
    "relevance",
    "relief",
    "relieff",
    "rrelieff",
    "score_named",
    "trees",
    "variance",
]
