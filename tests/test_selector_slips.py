"""What is easily given wrong to the selector is refused in a line, or taken as it is meant."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from elicit import ElicitSelector
from elicit.effects import h_statistic
from elicit.errors import InputError

X, y = load_iris(return_X_y=True, as_frame=True)
TWO = X.iloc[:, 2:]


def selector(estimator=None, **choices):
    return ElicitSelector(GaussianNB() if estimator is None else estimator, cv=choices.pop("cv", 3), **choices)


@pytest.mark.parametrize("how", ["array", "frame", "effect"])
def test_a_table_of_pairs_of_two_attributes_is_a_table(how):
    strengths = np.array([[0.0, 0.5], [0.5, 0.0]])
    given = {
        "array": strengths,
        "frame": pd.DataFrame(strengths, index=TWO.columns, columns=TWO.columns),
        "effect": h_statistic(RandomForestClassifier(5, random_state=0).fit(TWO, y), TWO, target=1),
    }[how]
    assert selector(pairs=given).fit(TWO, y).session_.settings.pairs == ((0, 1),)


def test_rows_of_two_positions_are_pairs():
    found = selector(pairs=np.array([[0, 1], [2, 3]])).fit(X, y)
    assert found.session_.settings.pairs == ((0, 1), (2, 3))
    assert selector(pairs=np.array([[0, 1], [1, 0]])).fit(TWO, y).session_.settings.pairs == ((0, 1),)


def test_splits_from_a_generator_are_not_used_up_by_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = selector(model, cv=KFold(3).split(X)).fit(X, y, sample_weight=np.ones(len(y)))
    plain = selector(cv=KFold(3)).fit(X, y)
    assert routed.best_score_ == plain.best_score_


# the transformer takes neither of the two columns more, so that alone they cannot be measured
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_columns_that_were_not_chosen_may_hold_what_no_array_takes():
    dated = X.assign(when=pd.date_range("2020", periods=len(X)), word="text")
    model = make_pipeline(ColumnTransformer([("numbers", "passthrough", list(X.columns))]), GaussianNB())
    fitted = selector(model).fit(dated, y)
    chosen = fitted.transform(dated)
    assert chosen.dtype == np.float64
    assert chosen.tolist() == X[list(fitted.feature_names_)].to_numpy().tolist()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"pairs": [(0, -1)]}, "pairs names attribute -1, but there are the attributes 0 to 3"),
        ({"pairs": [(4, 0)]}, "pairs names attribute 4, but there are the attributes 0 to 3"),
        ({"prior": [1, 2, 3, np.nan]}, "one finite number for each of the 4 attributes, found nan for 'petal width"),
        ({"prior": [1, 2, 3]}, r"each of the 4 attributes, found shape \(3,\)"),
        ({"journal": ""}, "journal is a folder or None, found ''"),
        ({"estimator": HistGradientBoostingClassifier(interaction_cst=[{0, 1}])}, "has interaction_cst for single"),
        ({"estimator": HistGradientBoostingClassifier(monotonic_cst=[1, 0, 0, 0])}, "has monotonic_cst for single"),
    ],
)
def test_what_cannot_be_meant_is_refused(choices, message):
    with pytest.raises(InputError, match=message):
        selector(**choices).fit(X, y)


def test_a_journal_without_answers_is_no_operator(tmp_path):
    selector(journal=tmp_path).fit(X, y)
    (journal,) = tmp_path.glob("*.jsonl")
    with pytest.raises(InputError, match="the journal given as operator holds no answers"):
        selector(operator=str(journal)).fit(X, y)


def test_a_folder_that_is_called_like_a_journal_is_no_journal(tmp_path):
    (tmp_path / "old.jsonl").mkdir()
    (tmp_path / "begun.jsonl").write_text("")
    found = selector(journal=tmp_path).fit(X, y)
    assert found.support_.tolist() == selector().fit(X, y).support_.tolist()


def test_a_file_that_is_not_named_like_a_journal_is_not_read_as_an_expression_in_silence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "session.json").write_text("{}")
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=r"'session\.json' was read as an expression"):
        ElicitSelector(GaussianNB(), operator="session.json", cv=2).fit(X, y)


def test_a_frame_of_one_row_is_refused_in_words():
    with pytest.raises(InputError, match="X has 1 row; at least 2 are needed to hold some of them out"):
        selector().fit(TWO.iloc[:1], y[:1])


def test_an_estimator_that_does_not_fit_the_target_is_named_and_nothing_else_is_blamed():
    X = np.random.default_rng(0).normal(size=(60, 6))
    with pytest.raises(ValueError, match="the estimator is a classifier, but y holds numbers that are not whole"):
        ElicitSelector(LogisticRegression(), cv=3).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="the estimator predicts numbers, but y holds texts"):
        ElicitSelector(Ridge(), cv=3).fit(X, np.where(X[:, 0] > 0, "a", "b"))
    with pytest.raises(ValueError, match="the estimator predicts numbers, but y holds texts"):
        ElicitSelector(Ridge(), cv=3).fit(X, np.where(X[:, 0] > 0, "a", "b").astype(object))
    assert ElicitSelector(Ridge(), cv=3, budget=3).fit(X, X[:, 0].astype(object)).support_.any()


def test_a_target_too_large_to_square_has_no_prior_of_its_own():
    X = np.random.default_rng(0).normal(size=(60, 6))
    found = ElicitSelector(DummyRegressor(), cv=3, budget=3, scoring=lambda *_: 0.5).fit(X, 1e160 * X[:, 0])
    assert found.prior_ is None
