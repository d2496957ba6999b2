"""What methods read of the data: scores, consistency and importances, one number an attribute."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from elicit.data import Data
from elicit.errors import InputError, ModelError
from elicit.scores import fisher, permuted
from elicit.scores.models import own_importances
from elicit.scores.registry import Measure
from elicit.sources.material import DataMaterial, _importances

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)) * (1.0, 10.0, 0.1, 1.0)
Y = (X[:, 0] + X[:, 1] / 10 + RNG.normal(size=60) > 0).astype(int) + (X[:, 3] > 1)
PLAIN = Data(X, Y, ("a", "b", "c", "d"))
#: Columns b and c are one attribute, in second place.
GROUPED = Data(X, Y, ("a", "b", "c", "d"), {"bc": ("b", "c")})


def test_importances_are_squared_coefficients_summed_over_the_classes():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    found = DataMaterial(PLAIN, model).importance(0b1011)
    fitted = model.fit(X[:, [0, 1, 3]], Y)[-1]
    assert found == pytest.approx((fitted.coef_**2).sum(axis=0))


def test_importances_of_a_tree_are_its_own():
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    assert DataMaterial(PLAIN, model).importance(0b1111) == pytest.approx(model.fit(X, Y).feature_importances_ ** 2)


def test_a_model_without_either_is_judged_by_permutation():
    model = KNeighborsClassifier(3).fit(X, Y)
    theirs = permutation_importance(model, X, Y, n_repeats=5, random_state=7).importances_mean
    assert DataMaterial(PLAIN, KNeighborsClassifier(3), random_state=7).importance(0b1111) == pytest.approx(theirs)


def test_importances_of_a_model_that_draws_are_the_same_each_time():
    found = set()
    for _ in range(4):
        _importances.clear()  # as in another process
        found.add(tuple(DataMaterial(PLAIN, RandomForestClassifier(5)).importance(0b1111)))
    other = tuple(DataMaterial(PLAIN, RandomForestClassifier(5), random_state=3).importance(0b1111))
    assert len(found) == 1
    assert other not in found


def test_scores_hear_what_the_target_holds():
    few = Data(X, np.arange(60) % 5, PLAIN.columns, holds="numbers")
    with pytest.raises(InputError, match="the score 'fisher' needs a target of classes, which this is not"):
        DataMaterial(few).scores("fisher")


def test_importances_are_those_of_its_own_data():
    other = Data(X[::-1].copy(), Y, PLAIN.columns)
    found = [DataMaterial(data, LinearRegression()).importance(0b11) for data in (PLAIN, other)]
    assert found[0] != pytest.approx(found[1])
    spread = other.X[:, :2].std(axis=0)
    assert found[1] == pytest.approx((LinearRegression().fit(other.X[:, :2], Y).coef_ * spread) ** 2)


@pytest.mark.parametrize("model", [LinearRegression(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_importances_are_the_same_in_any_unit_of_a_column(model):
    units = np.array([1e3, 10.0, 0.1, 1.0])
    inches = Data(X * units, Y, PLAIN.columns)
    assert DataMaterial(inches, model).importance(0b1111) == pytest.approx(
        DataMaterial(PLAIN, model).importance(0b1111)
    )


def test_what_a_model_says_of_its_columns_is_read_wherever_it_says_it():
    fitted = SimpleNamespace(coef_=None, feature_importances_=np.array([0.5, 0.3]))
    assert own_importances(fitted, X[:, :2]) == pytest.approx([0.25, 0.09])
    fitted.coef_ = np.ones(7)
    assert own_importances(fitted, X[:, :2]) == pytest.approx([0.25, 0.09])
    assert own_importances(fitted, X) is None


@pytest.mark.parametrize("steps", [[StandardScaler(), PCA()], [SelectKBest(k=2)], [SelectKBest(k=2), PCA(2)]])
def test_numbers_of_other_columns_are_none_of_the_attributes(steps):
    model = make_pipeline(*steps, LogisticRegression())
    theirs = permutation_importance(clone(model).fit(X, Y), X, Y, n_repeats=5, random_state=0).importances_mean
    assert DataMaterial(PLAIN, model).importance(0b1111) == pytest.approx(theirs)


def test_the_columns_of_a_group_are_permuted_together():
    one = Data(np.column_stack([X[:, [0]], X[:, [0]], X[:, [3]]]), Y, ("a", "b", "c"), {"ab": ("a", "b")})
    found = DataMaterial(one, KNeighborsClassifier(3)).importance(0b11)
    fitted = KNeighborsClassifier(3).fit(one.X, Y)
    assert found == pytest.approx(permuted(one.X, Y, model=fitted, groups=[[0, 1], [2]]))
    apart = permutation_importance(fitted, one.X, Y, n_repeats=5, random_state=0).importances_mean
    assert found[0] != pytest.approx(apart[0] + apart[1])


def test_where_a_model_cannot_be_fitted_the_attributes_that_it_was_given_are_named():
    with pytest.raises(ModelError, match=r"no importance of a, d can be computed: .*; choose another model"):
        DataMaterial(PLAIN, KNeighborsClassifier(1000)).importance(0b1001)


def test_a_group_has_the_sum_of_its_columns():
    model = LinearRegression()
    columns = DataMaterial(PLAIN, model).importance(0b1111)
    grouped = DataMaterial(GROUPED, model)
    assert grouped.attributes.names == ("a", "bc", "d")
    assert grouped.importance(0b111) == pytest.approx([columns[0], columns[1] + columns[2], columns[3]])
    assert len(grouped.scores("fisher")) == 3
    assert grouped.inconsistency(0.0)(0b010) == 0.0


def test_scores_are_turned_so_that_more_is_better(monkeypatch):
    assert DataMaterial(PLAIN).scores("fisher") == pytest.approx(fisher(X, Y))
    p_value = Measure("p", lambda *_: np.array([0.5, 0.1, 0.3, 0.2]), "less is better", higher_is_better=False)
    with monkeypatch.context() as patch:
        patch.setattr("elicit.sources.material.score_named", lambda _: p_value)
        assert DataMaterial(PLAIN).scores("p") == (-0.5, -0.1, -0.3, -0.2)
    with pytest.raises(InputError, match="did you mean 'fisher'"):
        DataMaterial(PLAIN).scores("fischer")


def test_a_tolerance_is_in_standard_deviations():
    rows = np.array([[0.0, 7.0], [10.0, 7.0], [0.0, 7.0], [10.0, 7.0]])
    material = DataMaterial(Data(rows, np.array([0, 1, 0, 1]), ("a", "b")))  # a has a deviation of 5, b none
    assert material.inconsistency(1.99)(0b01) == 0.0
    assert material.inconsistency(2.01)(0b01) == 1.0
    assert material.inconsistency(0.0)(0b10) == 1.0


def test_what_is_missing_is_said():
    with pytest.raises(InputError, match="need a `model`"):
        DataMaterial(PLAIN).importance(0b1)
    numbers = Data(X, X[:, 0] * 1.5, ("a", "b", "c", "d"))
    assert not DataMaterial(numbers).classes
    with pytest.raises(InputError, match="consistency is about classes"):
        DataMaterial(numbers).inconsistency(0.5)


def test_a_column_that_differs_by_rounding_alone_tells_no_rows_apart():
    y = np.repeat([0, 1], 10)
    first = np.where(y > 0, 0.3, np.nextafter(np.nextafter(0.3, 1), 1))
    data = Data(np.column_stack([first, np.arange(20.0)]), y, ("a", "b"))
    assert DataMaterial(data, LogisticRegression()).inconsistency(0.5)(0b1) == 1.0
