"""A guess scores what scikit-learn's dummy scores on the same folds, whatever the scorer."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from elicit.oracles import WrapperOracle
from elicit.oracles.guess import guess_of

WINE, CLASSES = load_wine(return_X_y=True)
DIABETES, PROGRESS = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "neg_log_loss", "precision_macro"])
def test_the_guess_of_a_classifier_is_the_likeliest_class_and_comes_without_a_warning(scoring):
    oracle = WrapperOracle(KNeighborsClassifier(3), WINE, CLASSES, scoring=scoring, cv=5)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Precision is ill-defined")  # says scikit-learn of the same model
        expected = cross_val_score(DummyClassifier(), WINE, CLASSES, cv=list(oracle.splits), scoring=scoring).mean()
    assert guess_of(oracle) == pytest.approx(expected)


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_the_guess_of_a_regressor_is_the_mean(scoring):
    oracle = WrapperOracle(Ridge(), DIABETES, PROGRESS, scoring=scoring, cv=5)
    expected = cross_val_score(DummyRegressor(), DIABETES, PROGRESS, cv=list(oracle.splits), scoring=scoring).mean()
    assert guess_of(oracle) == pytest.approx(expected)


def of_its_coefficients(model, _X, _y):
    return model.coef_.sum()


def nothing(_model, _X, _y):
    return np.nan


@pytest.mark.parametrize("scoring", [of_its_coefficients, nothing])
def test_a_scorer_that_cannot_judge_a_guess_leaves_it_out(scoring):
    assert guess_of(WrapperOracle(Ridge(), DIABETES, PROGRESS, scoring=scoring, cv=5)) is None
