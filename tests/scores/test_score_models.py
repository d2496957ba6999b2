"""Scores that a model gives: equal to scikit-learn's and to closed forms, one number for a group of columns."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from elicit.errors import InputError, ModelError
from elicit.scores import coefficients, permuted, trees

X, y = load_wine(return_X_y=True)
DX, dy = load_diabetes(return_X_y=True)
Z = StandardScaler().fit_transform(X)
KNN = make_pipeline(StandardScaler(), KNeighborsClassifier(3))


def test_a_fitted_model_is_measured_as_scikit_learn_does():
    few = X[:, :5]
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(few[::2], y[::2])
    expected = permutation_importance(model, few, y, n_repeats=3, random_state=3).importances_mean
    assert permuted(few, y, model=model, repeats=3, seed=3) == pytest.approx(expected, abs=1e-12)
    expected = permutation_importance(model, few, y, n_repeats=3, random_state=3, scoring="f1_macro").importances_mean
    found = permuted(few, y, model=model, repeats=3, seed=3, scoring="f1_macro")
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.filterwarnings("ignore:The number of unique classes")  # before it refuses them, scikit-learn 1.7 warns
@pytest.mark.parametrize("groups", [None, [[0, 1], [2]]])
@pytest.mark.parametrize(
    ("model", "target", "scoring", "why"),
    [
        (LinearRegression(), dy, "neg_log_loss", "none of the following attributes: predict_proba"),
        (LinearRegression(), dy, "f1", "multiclass and continuous targets"),
        (DecisionTreeClassifier(max_depth=1), np.where(dy > 140, "high", "low"), "r2", "could not convert"),
    ],
)
def test_a_scoring_that_does_not_suit_the_model_is_refused(model, target, scoring, why, groups):
    with pytest.raises(InputError, match=f"^{type(model).__name__} cannot be measured by this scoring: .*{why}"):
        permuted(DX[:, :3], target, model=model, scoring=scoring, groups=groups)


def test_a_fitted_model_keeps_the_labels_it_knows():
    named = np.array(["red", "white", "rose"])[y]
    model = LogisticRegression().fit(Z, named)
    assert permuted(Z, named, model=model).max() > 0.05


def test_a_model_fitted_on_a_frame_is_asked_with_a_frame():
    frame, _ = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(frame, y)  # a missing name would warn
    plain = permuted(X, y, model=make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(X, y), repeats=1)
    assert permuted(frame, y, model=model, repeats=1) == pytest.approx(plain, abs=1e-12)
    one_each = [[i] for i in range(X.shape[1])]
    assert permuted(frame, y, model=model, repeats=1, groups=one_each).shape == plain.shape


def test_labels_that_no_model_takes_are_refused_in_one_line():
    with pytest.raises(ModelError, match="LogisticRegression cannot be fitted to these columns: Unknown label type"):
        permuted(Z, y + 0.5, model=LogisticRegression(), classes=True)


def test_classes_may_be_kept_in_any_way():
    few, target = X[:, :4], y > 0
    expected = permuted(few, target, repeats=1, folds=2)
    assert expected.max() > 0.05
    for kept in (target.astype(object), target.astype(int).astype(object), target + 0.5):
        assert permuted(few, kept, repeats=1, folds=2, classes=True) == pytest.approx(expected, abs=1e-12)


def test_truth_values_kept_as_objects_are_labels_that_a_model_takes():
    target = y > 0
    expected = permuted(Z, target, model=LogisticRegression(), repeats=1)
    found = permuted(Z, target.astype(object), model=LogisticRegression(), repeats=1)
    assert found == pytest.approx(expected, abs=1e-12)


def test_another_model_is_measured_on_the_rows_that_its_folds_left_out():
    noise = np.random.default_rng(0).normal(size=(178, 30))
    target = np.random.default_rng(1).integers(0, 2, 178)
    # a tree learns noise by heart: shuffling then hurts on the rows it was fitted on, and on no others
    tree = DecisionTreeClassifier(random_state=0)
    by_heart = permuted(noise, target, model=clone(tree).fit(noise, target))
    assert by_heart.min() >= 0
    assert by_heart.mean() > 0.01
    assert abs(permuted(noise, target, model=tree).mean()) < 0.005


def test_the_columns_of_a_group_move_together():
    few = X[:, [0, 6, 12]]
    alone = permuted(np.column_stack([few, few]), y, model=KNN, repeats=2)
    together = permuted(np.column_stack([few, few]), y, model=KNN, repeats=2, groups=[[i, i + 3] for i in range(3)])
    # every column doubled is the same metric, so a pair that moves together is the column of the plain table
    assert together == pytest.approx(permuted(few, y, model=KNN, repeats=2), abs=1e-12)
    assert alone[:3].sum() < together.sum()


def test_groups_of_one_column_change_nothing():
    alone = permuted(X[:, :4], y, model=KNN, repeats=2)
    assert permuted(X[:, :4], y, model=KNN, repeats=2, groups=[[0], [1], [2], [3]]) == pytest.approx(alone, abs=1e-12)


def test_coefficients_are_those_on_standardised_columns():
    DZ = StandardScaler().fit_transform(DX)
    found = coefficients(DX * np.arange(1, 11) + 3, dy, model=LinearRegression())
    assert found == pytest.approx(np.abs(LinearRegression().fit(DZ, dy).coef_), rel=1e-8)
    assert coefficients(DX, dy) == pytest.approx(np.abs(Ridge(1.0).fit(DZ, dy).coef_), rel=1e-8)


def test_coefficients_of_several_classes_rank_the_first_elimination_of_rfe():
    found = coefficients(X, y)
    eliminated = RFE(LogisticRegression(max_iter=5000), n_features_to_select=12).fit(Z, y)
    assert found.argmin() == int(np.flatnonzero(~eliminated.support_)[0])


def test_a_groups_coefficient_is_the_spread_of_its_part_of_the_prediction():
    groups = [[0, 3], [1], [2, 4, 5], [6, 7, 8, 9]]
    DZ = StandardScaler().fit_transform(DX)
    beta = Ridge(1.0).fit(DZ, dy).coef_
    expected = [(DZ[:, g] @ beta[g]).std() for g in groups]
    assert coefficients(DX, dy, groups=groups) == pytest.approx(expected, rel=1e-8)


def test_trees_share_out_the_impurity():
    expected = RandomForestClassifier(30, random_state=5).fit(X, y).feature_importances_
    found = trees(X, y, trees=30, seed=5)
    assert found == pytest.approx(expected, abs=1e-12)
    assert found.sum() == pytest.approx(1)
    assert trees(DX, dy, trees=20).argmax() in (2, 8)


@pytest.mark.parametrize("score", [coefficients, trees])
def test_a_constant_column_scores_0_and_a_wide_table_and_one_column_have_scores(score):
    data = np.column_stack([np.full(178, 0.1), X])
    assert score(data, y)[0] == 0
    assert np.isfinite(score(np.hstack([X, X])[::10], y[::10])).all()
    assert score(X[:, 6:7], y)[0] > 0


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: coefficients(X, y, model=SVC()), "SVC has no coef_; choose another model"),
        (lambda: trees(X, y, model=Ridge()), "Ridge has no feature_importances_"),
        (lambda: trees(X, y, trees=0), "trees must be a whole number"),
        (lambda: trees(X, y, model=SimpleNamespace(fit=print)), "expected an estimator, found namespace"),
        (lambda: coefficients(X, y, seed=-1), "seed must be a whole number from 0"),
        (lambda: permuted(X, y, repeats=0), "repeats must be a whole number"),
        (lambda: permuted(X, y, folds=1), "folds must be a whole number of at least 2"),
        (lambda: permuted(X[:62], y[:62]), "5 folds need as many rows of every class, found 3"),
        (
            lambda: coefficients(X, y, model=make_pipeline(RFE(Ridge(), n_features_to_select=2), Ridge())),
            "make other columns",
        ),
        (lambda: coefficients(np.where(X > 1679, np.nan, X), y), "X is nan in row"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(InputError, match=says):
        make()


def test_coefficients_of_a_model_without_a_seed_are_the_same_every_time():
    model = SGDClassifier(max_iter=3, tol=None)
    assert coefficients(X, y, model=model).tolist() == coefficients(X, y, model=model).tolist()
    assert coefficients(X, y, model=model).tolist() != coefficients(X, y, model=model, seed=1).tolist()


def test_a_fitted_model_is_not_asked_about_a_target_with_gaps():
    model = LinearRegression().fit(DX, dy)
    for target, words in ((dy[:-1], "442 rows"), (np.where(dy > 300, np.nan, dy), "not finite in row")):
        with pytest.raises(InputError, match=words):
            permuted(DX, target, model=model)


@pytest.mark.parametrize(("score", "options"), [(trees, {}), (permuted, {"folds": 2, "repeats": 2})])
def test_a_forest_scores_the_same_in_any_unit_of_the_target(score, options):
    columns, target = (part[::4] for part in load_diabetes(return_X_y=True))
    usual = score(columns, target, **options)
    for other in (3 * target + 1, 2.54 * target, target - 1000):
        assert score(columns, other, **options).tolist() == usual.tolist()


def test_what_a_linear_model_makes_of_rounding_is_nothing():
    full = np.array(list(product(range(2), range(3), range(4), range(3))) * 2, dtype=float)
    found = coefficients(np.column_stack([full[:, 1:], np.ones(len(full))]), 1.7 * full[:, 0] + 0.3)
    assert found.tolist() == [0.0, 0.0, 0.0, 0.0]
    assert coefficients(full, 1.7 * full[:, 0] + 0.3)[0] > 0.5


def test_what_falls_and_rises_as_much_when_it_is_shuffled_scores_0():
    rng = np.random.default_rng(28)
    columns = rng.normal(size=(40, 5))
    found = permuted(columns, columns[:, 0] > 0, folds=3, repeats=3)
    assert (np.abs(found) < 1e-9).tolist() == (found == 0).tolist() == [False, False, True, False, True]


def test_coefficients_have_the_unit_of_a_target_however_small_it_is():
    tiny = coefficients(DX, dy * 1e-15)
    assert tiny * 1e15 == pytest.approx(coefficients(DX, dy), rel=1e-6)
    assert (tiny > 0).all()
