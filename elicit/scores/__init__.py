"""Attribute scores: f(X, y, **options) -> array (n,), one number an attribute; `registered()` names them all."""

from elicit.scores.information import information_gain, mutual_information
from elicit.scores.registry import MEASURES, Measure, registered, score_named
from elicit.scores.relief import relief, relieff, rrelieff
from elicit.scores.univariate import chi2, correlation, f_statistic, fisher, variance

__all__ = [
    "MEASURES",
    "Measure",
    "chi2",
    "correlation",
    "f_statistic",
    "fisher",
    "information_gain",
    "mutual_information",
    "registered",
    "relief",
    "relieff",
    "rrelieff",
    "score_named",
    "variance",
]
