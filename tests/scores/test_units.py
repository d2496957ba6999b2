"""What no unit should change: scores of a target in other units, far from 0, or of another container."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

from elicit.effects import ale, h_statistic, interaction_prior, partial_dependence
from elicit.errors import InputError
from elicit.scores import (
    correlation,
    johnson,
    johnson_shapley,
    lmg,
    mutual_information,
    permuted,
    pimp,
    rrelieff,
    shapley_effects,
    shapley_values,
    trees,
)
from elicit.scores.agreement import as_power_index
from elicit.scores.explained import johnson_shapley_of_data
from elicit.scores.inputs import gaussian_inputs
from elicit.scores.models import coefficients
from elicit.scores.registry import score_named

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4))
Y = 3 * X[:, 0] + X[:, 1] + 0.5 * RNG.normal(size=200)


def permutation(X, y):
    """One shuffle in two folds; the unit goes the same way in more of them."""
    return permuted(X, y, folds=2, repeats=1)


@cache
def in_its_unit(score):
    return score(X, Y)


@pytest.mark.parametrize("score", [trees, permutation, mutual_information, lmg, johnson, shapley_effects, rrelieff])
@pytest.mark.parametrize(("factor", "offset"), [(1e-9, 0.0), (1e-200, 0.0), (1e140, 0.0), (1.0, 1e9)])
def test_the_unit_of_the_target_does_not_matter(score, factor, offset):
    usual, other = in_its_unit(score), score(X, factor * Y + offset)
    assert other == pytest.approx(usual, abs=0.02 * max(usual))
    assert usual.max() > 0


@pytest.mark.parametrize("score", [trees, lmg, correlation])
def test_a_target_too_large_to_square_is_refused(score):
    with pytest.raises(InputError, match="too large to square; rescale"):
        score(X, 1e160 * Y)


@pytest.mark.filterwarnings("error")
def test_half_precision_is_precision_enough():
    assert correlation(X.astype(np.float16), Y.astype(np.float16)) == pytest.approx(correlation(X, Y), abs=0.01)


def test_columns_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 5, size=(60, 3)).astype(float)
    y = whole[:, 0] + rng.normal(size=60)
    assert lmg(whole + 1e15, y) == pytest.approx(lmg(whole, y), abs=1e-9)


def test_numbers_kept_as_objects_are_numbers_and_dates_are_refused():
    assert correlation(X, Y.astype(object)) == pytest.approx(correlation(X, Y))
    with pytest.raises(InputError, match="holds dates"):
        correlation(X, np.arange(200).astype("datetime64[D]"))
    with pytest.raises(InputError, match="not finite in row 2"):
        correlation(X[:6], np.array([0.0, 1.0, np.nan] * 2, dtype=object))
    with pytest.raises(InputError, match="true, false or None, found 'no'"):
        correlation(X, Y, classes="no")


@pytest.mark.parametrize(
    "before",
    [ColumnTransformer([("s", StandardScaler(), [2, 3])], remainder="passthrough"), PCA()],
    ids=["columns in another order", "components"],
)
def test_a_pipeline_that_makes_other_columns_is_refused_by_scores_that_read_a_model(before):
    with pytest.raises(InputError, match="make other columns"):
        coefficients(X, Y, model=make_pipeline(before, Ridge()))
    with pytest.raises(InputError, match="make other columns"):
        trees(X, Y, model=make_pipeline(before, RandomForestRegressor(5)))
    assert coefficients(X, Y, model=make_pipeline(StandardScaler(), Ridge())) == pytest.approx(coefficients(X, Y))


def test_a_decision_function_of_pairs_of_classes_is_refused():
    labels = np.digitize(Y, [-1, 1])
    with pytest.raises(InputError, match="decision_function_shape='ovr'"):
        ale(SVC(decision_function_shape="ovo").fit(X, labels), X, 0, target=1)
    searched = make_pipeline(GridSearchCV(SVC(decision_function_shape="ovo"), {"C": [1.0, 2.0]}, cv=2))
    with pytest.raises(InputError, match="decision_function_shape='ovr'"):
        ale(searched.fit(X, labels), X, 0, target=1)
    assert np.isfinite(ale(SVC().fit(X, labels), X, 0, target=1).effect).all()


def test_values_of_another_frame_are_not_squeezed_into_the_types_of_this_one():
    background = np.array([["a", "b"]] * 10)
    background[::2, 0] = "c"

    def long(rows):
        return (np.asarray(rows)[:, 0] == "long") * 100.0

    assert shapley_values(long, np.array([["long", "b"]]), background).values.tolist() == [[100.0, 0.0]]
    assert partial_dependence(long, background, 0, grids=[["a", "long"]]).average.tolist() == [0.0, 100.0]
    known = pd.DataFrame({"a": pd.Categorical(["u", "v"] * 5), "b": np.arange(10.0)})
    other = pd.DataFrame({"a": pd.Categorical(["w"]), "b": [1.0]})
    with pytest.raises(InputError, match="no category 'w'"):
        shapley_values(lambda rows: rows["b"], other, known)
    with pytest.raises(InputError, match="two columns are called 'a'"):
        partial_dependence(lambda rows: rows.iloc[:, 0], pd.DataFrame(X, columns=list("aabc")), 0)


def test_rounding_is_no_interaction():
    constant = DummyClassifier(strategy="prior").fit(X, Y > 0)
    for rows in (20, 30, 50, 100):
        found = h_statistic(constant, X[:rows])
        assert found.h.max() == found.overall.max() == 0
    far = h_statistic(lambda rows: 1e9 + rows[:, 0] * rows[:, 1], X[:30]).matrix
    assert far[0, 1] > 0.5
    assert far[2, 3] == far[0, 2] == 0
    with pytest.raises(InputError, match="cannot be squared"):
        h_statistic(lambda rows: 1e200 * rows[:, 0], X[:30])


def test_an_importance_that_is_no_number_has_no_p_value():
    with pytest.raises(InputError, match="not a number"):
        pimp(LinearRegression(), X, Y, draws=3, importance=lambda *_: np.array([np.nan, 1.0]))


def test_a_group_has_one_p_value_and_not_the_least_of_its_columns():
    measure = score_named("pimp")
    noise = np.column_stack([X[:, :1], np.random.default_rng(1).normal(size=(200, 12))])
    groups = [(0,), tuple(range(1, 13))]
    found = measure.scores(noise, Y, groups, model=LinearRegression(), draws=19)
    expected = pimp(LinearRegression(), noise, Y, draws=19, test_size=0.3, groups=groups).p_values
    assert found.tolist() == expected.tolist()
    assert found[0] == 0.05


def test_a_seed_seeds_the_model_and_the_sampling():
    measure = score_named("permutation")
    noise = [measure.scores(X, Y, model=DecisionTreeRegressor(max_features=1), seed=s).tolist() for s in (0, 0, 1)]
    assert noise[0] == noise[1] != noise[2]
    told = [johnson_shapley_of_data(X, Y, model=KNeighborsRegressor(), seed=s, runs=2000).tolist() for s in (0, 0, 1)]
    assert told[0] == told[1] != told[2]


def test_standard_errors_of_arrays_are_those_of_a_ratio():
    inputs = gaussian_inputs(np.zeros(4), np.eye(4))
    slopes = np.array([3.0, 1.0, 0.5, 0.2])
    runs = [
        johnson_shapley(lambda x: x @ slopes, inputs, runs=2000, estimator="arrays", random_state=s) for s in range(150)
    ]
    spread = np.std([run.shares for run in runs], axis=0)
    told = np.sqrt(np.mean([run.errors**2 for run in runs], axis=0))
    assert (spread / told > 0.7).all()
    assert (spread / told < 1.35).all()


def test_small_decays_and_large_numbers_still_rank():
    assert rrelieff(X, Y, decay=0.01).argmax() == 0
    assert as_power_index(np.array([3e299, 1.0, 2.0])).argmax() == 0
    assert np.ptp(as_power_index(np.array([3e299, 1.0, 2.0]))) > 1


def test_several_outputs_are_named_as_such():
    model = LinearRegression().fit(X, np.column_stack([Y, -Y]))
    for ask in (lambda: ale(model, X, 0), lambda: partial_dependence(model, X, 0), lambda: h_statistic(model, X[:20])):
        with pytest.raises(InputError, match="2 outputs; name one as `target`"):
            ask()
    assert partial_dependence(model, X, 0, target=1).average[0] == pytest.approx(
        -partial_dependence(model, X, 0, target=0).average[0]
    )


def test_gaps_of_every_kind_are_gaps():
    texts = pd.DataFrame({"a": pd.array(["u", None, "v"], dtype="string")})
    with pytest.raises(InputError, match="'a' has gaps"):
        partial_dependence(lambda rows: np.zeros(len(rows)), texts, "a")
    ordered = pd.DataFrame({"a": pd.Categorical(["u", None, "v"], categories=["u", "v"], ordered=True)})
    with pytest.raises(InputError, match="'a' has gaps"):
        ale(lambda rows: np.zeros(len(rows)), ordered, "a", categorical=True)
    holed = pd.DataFrame(X, columns=list("abcd")).astype("Float64")
    holed.iloc[0, 2] = pd.NA
    assert np.isfinite(score_named("relieff").scores(holed, Y > 0)).all()


@pytest.mark.slow
def test_what_a_forest_of_its_own_explains_is_the_same_in_any_unit():
    factor = 1e-100
    y = X[:, 0] * X[:, 1] + X[:, 2]
    for name, options in (("pimp", {"draws": 9}), ("johnson-shapley", {"runs": 5000})):
        score = score_named(name).scores
        assert score(X, factor * y, **options) == pytest.approx(score(X, y, **options), abs=0.1)
    shapley = score_named("shapley").scores
    usual = shapley(X, y, rounds=10, rows=20)
    assert shapley(X, factor * y, rounds=10, rows=20) / factor == pytest.approx(usual, rel=0.05)
    assert interaction_prior(X, factor * y) == interaction_prior(X, y) != ()
