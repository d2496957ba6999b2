"""A guess: the score of a dummy model, which sees no attribute, on the same folds. A chosen subset should beat it."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import cross_val_score

from elicit.oracles.wrapper import WrapperOracle


def guess_of(oracle: WrapperOracle) -> float | None:
    """The mean score of the likeliest class, or of the mean; None for a scorer that cannot judge such a model."""
    guess = DummyClassifier() if oracle.classifies else DummyRegressor()
    X, y = np.zeros((len(oracle.target), 1)), oracle.target
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scorers warn of classes that are never predicted, as most are not
            scores = cross_val_score(guess, X, y, cv=oracle.splits, scoring=oracle.scorer, error_score="raise")
    except (AttributeError, TypeError, ValueError):  # the scorer asks for what such a model has not
        return None
    return float(scores.mean()) if np.isfinite(scores).all() else None
