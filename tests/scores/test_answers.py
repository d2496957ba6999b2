"""What a model answers: one number a row, of the class that is meant, or one clear error."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.inspection import partial_dependence as of_scikit_learn
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from elicit.effects import ale, h_statistic, individual_expectations, partial_dependence
from elicit.errors import InputError
from elicit.scores import johnson_shapley, permutation_importance, shapley_values
from elicit.scores.answers import answers, in_calls

X, LABEL = load_iris(return_X_y=True)
TWO = np.where(LABEL == 0, "no", "yes")
THREE = LogisticRegression(max_iter=2000).fit(X, LABEL)
PAIR = LogisticRegression(max_iter=2000).fit(X, TWO)
MARGIN = LinearSVC().fit(X, TWO)


def test_a_classifier_answers_with_probabilities():
    assert answers(PAIR)(X) == pytest.approx(PAIR.predict_proba(X)[:, 1])
    assert answers(PAIR, target="no")(X) == pytest.approx(PAIR.predict_proba(X)[:, 0])
    assert answers(THREE, target=2)(X) == pytest.approx(THREE.predict_proba(X)[:, 2])
    assert answers(THREE, single=False)(X) == pytest.approx(THREE.predict_proba(X))


def test_without_probabilities_the_decision_function_answers_with_the_sign_of_the_class():
    assert answers(MARGIN)(X) == pytest.approx(MARGIN.decision_function(X))
    assert answers(MARGIN, target="no")(X) == pytest.approx(-MARGIN.decision_function(X))


def test_effects_of_a_margin_are_those_of_scikit_learn():
    theirs = of_scikit_learn(MARGIN, X, [2], method="brute", response_method="decision_function").average[0]
    assert partial_dependence(MARGIN, X, 2).average == pytest.approx(theirs)
    assert partial_dependence(MARGIN, X, 2, target="no").average == pytest.approx(-theirs)


def test_a_regressor_of_several_outputs_and_a_function_have_positions():
    model = LinearRegression().fit(X, X[:, :2] ** 2)
    assert answers(model, target=1)(X) == pytest.approx(model.predict(X)[:, 1])
    assert answers(lambda X: X, target=3)(X) == pytest.approx(X[:, 3])
    assert answers(lambda X: X[:, :1])(X) == pytest.approx(X[:, 0])


def test_probabilities_of_a_model_that_names_no_classes_have_positions():
    class Plain:
        def predict(self, X):
            return X[:, 0]

        def predict_proba(self, X):
            return np.column_stack([X[:, 0], X[:, 1]])

    found = partial_dependence(Plain(), X, 0, response="predict_proba", target=1)
    assert found.average == pytest.approx(np.full(len(found.grids[0]), X[:, 1].mean()))
    assert found.answer == "output 1"


class Wrapped:
    """A model of one's own that only answers, or that can be fitted, too: no estimator of scikit-learn."""

    def __init__(self, model):
        self._model = model
        self.predict = model.predict
        if hasattr(model, "classes_"):
            self.classes_, self.predict_proba = model.classes_, model.predict_proba


class Fitting(Wrapped):
    def fit(self, *_):
        return self


@pytest.mark.parametrize("kind", [Wrapped, Fitting])
@pytest.mark.parametrize("model", [LinearRegression().fit(X, LABEL), PAIR], ids=["numbers", "classes"])
def test_a_model_that_is_no_estimator_of_scikit_learn_is_asked_as_one_that_is(kind, model):
    y = LABEL if model is not PAIR else TWO
    wrapped = kind(model)
    assert answers(wrapped)(X) == pytest.approx(answers(model)(X))
    assert ale(wrapped, X, 2).effect == pytest.approx(ale(model, X, 2).effect)
    told, wanted = (permutation_importance(each, X, y).mean for each in (wrapped, model))
    assert told == pytest.approx(wanted)
    values = shapley_values(wrapped, X[:2], X, rounds=5).values
    assert values == pytest.approx(shapley_values(model, X[:2], X, rounds=5).values)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: answers(THREE), "3 classes; name one"),
        (lambda: answers(PAIR, target="maybe"), "no class"),
        (lambda: answers(PAIR, "predict")(X), "answers with texts"),
        (lambda: answers(LinearRegression()), "not fitted"),
        (lambda: answers(lambda X: X, target="b"), "position of an output"),
        (lambda: answers(lambda X: X, target=7)(X), "counted from 0"),
        (lambda: answers(lambda X: X[:, 0], "predict"), "leave `response` out"),
        (lambda: answers(3), "estimator or a function"),
        (lambda: answers(lambda X: X[:, 0][:5])(X), "one number a row"),
    ],
)
def test_what_is_no_answer_is_named(ask, words):
    with pytest.raises(InputError, match=words):
        ask()


@pytest.mark.parametrize(
    "effect",
    [
        lambda ask, X: ale(ask, X, 0, intervals=5).effect,
        lambda ask, X: ale(ask, X, 2, categorical=True).effect,
        lambda ask, X: partial_dependence(ask, X, 0).average,
        lambda ask, X: individual_expectations(ask, X, 1).individual,
        lambda ask, X: partial_dependence(ask, X, [0, 2]).average,
        lambda ask, X: h_statistic(ask, X).strength,
        lambda ask, X: h_statistic(ask, X).overall,
        lambda ask, X: shapley_values(ask, X[:2], X[2:], rounds=5).values,
        lambda ask, X: johnson_shapley(ask, X[:, :2], estimator="arrays", runs=1000).shares,
    ],
)
def test_what_is_asked_in_several_calls_comes_out_as_in_one(effect, monkeypatch):
    rng = np.random.default_rng(0)
    X, sizes = np.column_stack([rng.normal(size=(14, 2)), rng.integers(3, size=14)]), []

    def ask(rows):
        sizes.append(len(rows))
        return np.exp(rows).sum(axis=1) + rows.prod(axis=1)

    at_once = effect(ask, X)
    calls = len(sizes)
    monkeypatch.setattr("elicit.scores.answers.CELLS_A_CALL", 24)
    assert effect(ask, X) == pytest.approx(at_once, abs=1e-12)
    assert len(sizes) - calls > calls


def test_many_rows_are_asked_in_several_calls(monkeypatch):
    monkeypatch.setattr("elicit.scores.answers.CELLS_A_CALL", 12)
    sizes = []

    def ask(batch):
        sizes.append(len(batch))
        return batch * 2.0

    assert in_calls(ask, 10, 3, lambda start, stop: np.arange(start, stop)).tolist() == [2.0 * k for k in range(10)]
    assert sizes == [4, 4, 2]
    sizes.clear()
    assert in_calls(ask, 3, 30, lambda start, stop: np.arange(start, stop)).tolist() == [0, 2, 4]
    assert sizes == [1, 1, 1]  # a row that has more by itself
