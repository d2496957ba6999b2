"""What is easily given wrong by hand: refused in one line, before anything changes; or taken as it is meant."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from elicit import ElicitSelector
from elicit.asks import Compare, Evaluate, Failure, Measured
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.effects import ale, h_statistic, partial_dependence
from elicit.errors import InputError, ProtocolError
from elicit.events import Answer, Criterion
from elicit.oracles import SyntheticOracle
from elicit.scores import lmg, permutation_importance, shapley_values
from elicit.scores.johnson_shapley import johnson_shapley
from elicit.scores.registry import score_named
from elicit.subsets import Attributes, Family

X, Y = load_iris(return_X_y=True)
FRAME = pd.DataFrame(X, columns=list("abcd"))
LINE = LinearRegression().fit(X, Y)


# --- a loop of one's own ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        Measured((1.0, 1.0), folds=None),
        Measured((1.0, 1.0), folds=(1, 2)),
        Measured((1.0, 1.0), folds=((1.0,),)),
        Measured((1.0, 1.0), folds=(("a",), ())),
        Measured((1.0, 1.0), folds=((float("nan"),), ())),
        Measured((1.0, 1.0), spread=5),
        Measured((1.0, 1.0), spread=("x", None)),
        Measured((1.0, 1.0), spread=(-1.0, None)),
        Measured((1j, 1.0)),
        Measured(("a", 1.0)),
        Measured((True, 1.0)),
        Measured(None),
        Failure(None),
    ],
    ids=str,
)
def test_a_malformed_measurement_is_refused_and_the_run_goes_on(reply):
    elicitation = Elicitation(["a", "b", "c", "d"], settings=Settings(budget=8))
    request = elicitation.ask()
    with pytest.raises((InputError, ProtocolError)):
        elicitation.tell(request.id, reply)
    assert not any(isinstance(fact, type(reply)) for fact in elicitation.facts[1:])
    elicitation.tell(request.id, Measured((1.0, 4.0), folds=[[0.5, 1.5], []], spread=[0.5, None]))
    assert elicitation.ask().id > request.id


@pytest.mark.parametrize(
    "reply",
    [
        Measured(np.array([0.9, 3.0])),
        Measured((np.float32(0.9), np.int64(3))),
        Measured((0.9, 3.0), np.array([[0.9, 0.9], [3.0, 3.0]]), np.array([0.0, 0.0])),
        Measured([0.9, 3.0], (np.array([0.9, 1.0]), ()), [np.float64(0.1), None]),
    ],
    ids=str,
)
def test_numbers_of_numpy_are_numbers_and_are_kept_as_plain_ones(reply):
    elicitation = Elicitation(["a", "b", "c"])
    fact = elicitation.tell(elicitation.ask().id, reply)
    assert fact.criteria == pytest.approx((0.9, 3.0))
    assert all(type(value) in (float, int) for value in fact.criteria)
    assert all(type(value) is float for row in fact.folds for value in row)
    assert hash(fact) == hash(elicitation.facts[-1])


def test_an_answer_may_be_given_as_its_word():
    elicitation = Elicitation(["a", "b", "c"], settings=Settings(ask_every=1))
    while not isinstance(request := elicitation.ask(), Compare):
        size = request.subset.bit_count()
        elicitation.tell(request.id, Measured((size / 10, float(size))))
    for wrong in ("frist", True, None, 1):
        with pytest.raises(ProtocolError, match=r"Answer\.FIRST, Answer\.SECOND"):
            elicitation.tell(request.id, wrong)
    fact = elicitation.tell(request.id, "first")
    assert fact.answer is Answer.FIRST


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"attributes": "ab"}, "list of attribute names"),
        ({"criteria": ["score"]}, "list of Criterion"),
        ({"criteria": [Criterion("cost"), Criterion("cost", maximise=False)]}, "each with its own name"),
        ({"settings": {"budget": 3}}, "settings_from makes one"),
        ({"prior": [float("nan")] * 3}, "finite numbers"),
        ({"prior": ["x"] * 3}, "one number for each attribute"),
        ({"seed": -1}, "at least 0"),
        ({"seed": "a"}, "at least 0"),
    ],
)
def test_an_elicitation_says_what_it_is_made_of(changed, message):
    with pytest.raises(InputError, match=message):
        Elicitation(**({"attributes": ["a", "b", "c"]} | changed))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Family(3.0),
        lambda: Family(3, keep=1.0),
        lambda: Settings(weights=None),
        lambda: Settings(weights="abc"),
        lambda: Settings(pairs=5),
        lambda: Settings(pairs=[5]),
        lambda: Settings(stop=5),
        lambda: SyntheticOracle(3, {1: "a"}),
    ],
)
def test_a_part_made_by_hand_says_what_it_needs(make):
    with pytest.raises(InputError):
        make()
    assert Settings(stop="optimal").stop == ("optimal",)


# --- a selector ------------------------------------------------------------------------------------------


def fitted(**given):
    rest = {k: given.pop(k) for k in ("groups",) if k in given}
    return ElicitSelector(GaussianNB(), **({"cv": 3, "budget": 6} | given)).fit(given.pop("X", X), Y, **rest)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([None if i % 7 == 0 else i % 10 for i in range(150)], "row 0 has no group"),
        ([1] * 150, "1 group cannot be kept whole in 3 folds; leave groups out"),
        ([1] * 10, "one entry for each of the 150 rows"),
    ],
)
def test_groups_that_make_no_folds_are_named(groups, message):
    with pytest.raises(ValueError, match=message):
        fitted(groups=groups)


@pytest.mark.parametrize("count", [10, 60])
def test_a_target_of_another_length_is_told_as_such(count):
    with pytest.raises(ValueError, match=f"150.*{count}"):
        ElicitSelector(GaussianNB(), cv=3).fit(X, Y[:count])


def test_without_a_number_of_folds_there_are_five_as_in_scikit_learn():
    assert len([k for k in fitted(cv=None).cv_results_ if k.startswith("split")]) == 5


@pytest.mark.parametrize("operator", ["size", "-score", "score + 0.01 * size"])
def test_a_utility_that_goes_against_what_is_measured_is_warned_of(operator):
    told = "is at least as good in every criterion; what is measured counts, so the utility is not followed there"
    with pytest.warns(UserWarning, match=told):
        fitted(operator=operator, budget=15)


def test_a_utility_that_goes_along_is_not():
    found = fitted(operator="score - 0.01 * size", budget=15)  # a warning would be an error
    found.best_subset_for("score - 0.02 * size")


def test_another_utility_that_goes_against_what_is_measured_is_warned_of_and_followed():
    found = fitted(budget=15)
    with pytest.warns(UserWarning, match="is at least as good in every criterion; it is followed all the same"):
        best = found.best_subset_for("size")
    assert len(best) == 4


# --- scores and effects ----------------------------------------------------------------------------------


def gaps():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"o": np.where(rng.random(60) < 0.2, None, rng.choice(list("ab"), 60)), "n": rng.random(60)})
    parts = make_column_transformer((OneHotEncoder(), ["o"]), remainder="passthrough")
    return make_pipeline(parts, LinearRegression()).fit(frame, frame["n"]), frame


def several():
    return RandomForestClassifier(3, random_state=0).fit(X, np.c_[Y, Y == 1])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: lmg(FRAME, Y, groups=[["a"], ["b"], ["c"], ["d"]]), "lists of column positions"),
        (lambda: lmg(FRAME, Y, groups={"a": [0]}), "lists of column positions"),
        (lambda: lmg(FRAME, Y, groups=[0, 1, 2, 3]), "lists of column positions"),
        (lambda: permutation_importance(LINE, X, Y, groups=[["a"]]), "lists of column positions"),
        (lambda: score_named("fisher").scores(X, Y, groups=[[0, 9]]), "exactly once"),
        (lambda: score_named("fisher").scores(X, Y, groups=[[], [0, 1, 2, 3]]), "none be empty"),
        (lambda: partial_dependence(LINE, X, 0, grids=[["a", "b"]]), "holds numbers"),
        (lambda: ale(LINE, X, 0, borders="ab"), "numbers in increasing order"),
        (lambda: partial_dependence(LINE, X, 0, points=5, percentiles=(0.1,)), "two shares"),
        (lambda: partial_dependence(LINE, X, None), "a name or a position"),
        (lambda: partial_dependence(LINE, X, 1.5), "a name or a position"),
        (lambda: partial_dependence(LINE, X, 0, grids=5), "one list of values for each"),
        (lambda: h_statistic(LINE, X, pairs=[0, 1]), "a pair is two attributes"),
        (lambda: h_statistic(LINE, X, pairs=5), "pairs are a list of two attributes each"),
        (lambda: h_statistic(*gaps()), "has gaps"),
        (lambda: partial_dependence(several(), X, 0, target=1), "several targets at once"),
        (lambda: johnson_shapley(5, X), "expected a function"),
        (lambda: shapley_values(GaussianNB().fit(FRAME, Y), X[:2], FRAME, target=1), "both frames or both arrays"),
    ],
)
def test_a_score_or_an_effect_says_what_it_needs(asked, message):
    with pytest.raises(InputError, match=message):
        asked()


def test_attributes_may_be_a_list_of_names():
    assert isinstance(Elicitation(["a", "b"]).ask(), Evaluate)
    assert Elicitation(["a", "b"]).history.attributes == Attributes(("a", "b"))
