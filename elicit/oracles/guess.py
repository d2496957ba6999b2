"""A guess: the score of a dummy model, which sees no attribute, on the same folds. A chosen subset should beat it."""

from __future__ import annotations

import warnings
from math import isfinite
from statistics import fmean

import numpy as np
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor

from elicit.oracles.wrapper import WrapperOracle


def guess_of(oracle: WrapperOracle) -> float | None:
    """The mean score of the likeliest class, or of the mean; None for a scorer that cannot judge such a model."""
    guess = DummyClassifier() if is_classifier(oracle.estimator_for([0])) else DummyRegressor()
    y, scores = oracle.target, []
    for train, test in oracle.splits:
        model = guess.fit(np.zeros((len(train), 1)), y[train])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # scorers warn of classes that are never predicted, as most are not
                scores.append(float(oracle.scorer(model, np.zeros((len(test), 1)), y[test])))
        except (AttributeError, TypeError, ValueError):  # the scorer asks for what such a model has not
            return None
    return fmean(scores) if all(map(isfinite, scores)) else None
