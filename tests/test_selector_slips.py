"""What is easily given wrong to the selector is refused in a line, or taken as it is meant."""

import pickle
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, StratifiedGroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from elicit import ElicitSelector, ScriptedOperator
from elicit.effects import h_statistic
from elicit.errors import InputError
from elicit.estimator.carried import Answers
from elicit.events import Answer, Preferred

X, y = load_iris(return_X_y=True, as_frame=True)
TWO = X.iloc[:, 2:]


class Untagged:
    fit = score = staticmethod(lambda *_: 0.0)


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


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_labels_that_are_whole_numbers_go_by_the_columns_of_these_numbers(order):
    turned = X.set_axis([3, 2, 1, 0], axis=1)
    costs, held = pd.Series([10.0, 20.0, 30.0, 40.0])[order], pd.Series([True, False, False, False])[order]
    found = selector(costs=costs, keep=held, prior=costs, budget=10).fit(turned, y)
    assert found.prior_.tolist() == [40.0, 30.0, 20.0, 10.0]
    assert all("x3" in subset for subset in found.cv_results_["features"])
    each = {"x0": 40.0, "x1": 30.0, "x2": 20.0, "x3": 10.0}
    sums = [sum(each[name] for name in subset) for subset in found.cv_results_["features"]]
    assert list(found.cv_results_["cost"]) == sums
    by_order = selector(prior=pd.Series([10.0, 20.0, 30.0, 40.0]), budget=10).fit(X, y)
    assert by_order.prior_.tolist() == [10.0, 20.0, 30.0, 40.0]  # no column is called 0


class Trusting(ClassifierMixin, BaseEstimator):
    """Takes gaps, and has no tag that says so."""

    def fit(self, X, y):
        self.classes_, self.model_ = np.unique(y), HistGradientBoostingClassifier(max_iter=2).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def test_whether_a_predictor_of_ones_own_takes_gaps_its_fits_decide():
    gappy = X.copy()
    gappy.iloc[3, 1] = np.nan
    assert selector(Trusting(), budget=5).fit(gappy, y).best_score_ > 0.5
    with pytest.raises(InputError, match="row 3; GaussianNB does not accept it"):
        selector(budget=5).fit(gappy, y)


def test_a_scripted_operator_is_not_used_up_by_a_fit():
    mine = selector(operator=ScriptedOperator(["a"] * 4, otherwise="cannot"), budget=20).fit(X, y)
    first = mine.feature_names_
    said = [fact.answer for fact in mine.session_.facts if isinstance(fact, Preferred)]
    assert Answer.FIRST in said
    assert mine.fit(X, y).feature_names_ == first
    assert [fact.answer for fact in mine.session_.facts if isinstance(fact, Preferred)] == said


@pytest.mark.parametrize(
    ("says", "choices"), [("cannot", {}), pytest.param("later", {}, marks=pytest.mark.slow), ("a", {"questions": 0})]
)
def test_an_operator_who_prefers_nothing_has_an_honest_score_too(says, choices):
    mine = selector(operator=ScriptedOperator((), otherwise=says), budget=12, **choices).fit(X, y)
    honest = mine.nested_score(X, y, cv=2)
    with pytest.raises(InputError, match="holds no answers"):
        selector(operator=Answers(())).fit(X, y)
    alike = selector(operator=ScriptedOperator((), otherwise="cannot"), budget=12, **choices)
    fold = next(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))[0]
    assert alike.fit(X.iloc[fold], y.iloc[fold]).feature_names_ == honest.subsets[0]


def test_to_show_a_selector_makes_no_proof():
    found = selector(operator="score - 0.01 * size", budget=12).fit(X, y)
    before = set(vars(found))
    assert "front_" in dir(found)
    assert "operator" in found._repr_html_()
    assert set(vars(found)) == before, "nothing was made"
    assert found.certificate_["claim"]["bound"] == "0"
    found.certificate_.clear()  # a copy: what was made once stays as it is
    assert found.certificate_["claim"]["bound"] == "0"
    for other in (found.get_params(), pickle.loads(pickle.dumps(found)).interactions_):
        assert len(other) > 0
    with pytest.raises(AttributeError, match="'ElicitSelector' object has no attribute 'certificate'"):
        found.certificate  # noqa: B018  # a misspelled name
    with pytest.raises(NotFittedError):
        selector().certificate_  # noqa: B018  # the error is what is looked at


def test_rows_of_two_positions_are_pairs():
    found = selector(pairs=np.array([[0, 1], [2, 3]])).fit(X, y)
    assert found.session_.settings.pairs == ((0, 1), (2, 3))
    for twice in (np.array([[0, 1], [0, 1]]), [[0, 1], [0, 1]]):  # as a table it would not be symmetric
        assert selector(pairs=twice).fit(TWO, y).session_.settings.pairs == ((0, 1),)


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
        ({"pairs": [0, 1]}, "a pair is the names or positions of two attributes, found 0"),
        ({"pairs": [(0, 1, 2)]}, r"a pair is the names or positions of two attributes, found \(0, 1, 2\)"),
        ({"pairs": [{0, 1}]}, "a pair is the names or positions of two attributes, found {0, 1}"),
        ({"pairs": [(0, 4)]}, "pairs names attribute 4, but there are the attributes 0 to 3"),
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


@pytest.mark.parametrize("name", ["session.json", "session.jsonl.old"])
def test_a_file_that_is_not_named_like_a_journal_is_not_read_as_an_expression_in_silence(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("{}")
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=f"'{re.escape(name)}' was read as an expression"):
        ElicitSelector(GaussianNB(), operator=name, cv=2).fit(X, y)


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


@pytest.mark.parametrize("dtype", [str, object, "string"])
def test_numbers_written_as_texts_are_a_target_of_numbers_to_an_estimator_that_predicts_them(dtype):
    wide = X.assign(more=X.iloc[:, 0] ** 2)  # from five features on there is a prior, which reads the target
    numbers = X.iloc[:, 3]
    texts = pd.Series(numbers.astype(str), dtype=dtype)
    fitted, same = (selector(Ridge(), budget=4).fit(wide, target) for target in (texts, numbers))
    assert fitted.best_score_ == same.best_score_
    assert fitted.prior_.tolist() == same.prior_.tolist()


def test_a_gap_written_as_a_text_is_a_gap_in_a_target_of_numbers():
    with pytest.raises(InputError, match="the target is missing in row 0;"):
        selector(Ridge()).fit(X, ["nan", *map(str, range(1, len(y)))])


def test_a_target_too_large_to_square_has_no_prior_of_its_own():
    X = np.random.default_rng(0).normal(size=(60, 6))
    found = ElicitSelector(DummyRegressor(), cv=3, budget=3, scoring=lambda *_: 0.5).fit(X, 1e160 * X[:, 0])
    assert found.prior_ is None


def fitted(**choices):
    return selector(budget=15, **choices).fit(X, y)


@pytest.fixture(scope="module")
def by_score():
    return fitted()


@pytest.mark.parametrize("utility", ["-size", "min(score, 0.9) - 0.01 * size", "0 * score", lambda c: -c["size"]])
def test_of_subsets_that_a_utility_likes_alike_none_is_taken_that_another_dominates(utility, by_score):
    found = fitted(operator=utility)
    for chosen in (found.feature_names_, found.best_subset_for(utility), by_score.best_subset_for(utility)):
        assert chosen in [member.features for member in found.front_]
    smallest = [member.size for member in found.front_]
    assert len(found.feature_names_) == min(smallest)


def test_the_estimator_for_what_was_chosen_takes_what_transform_gives():
    parts = ColumnTransformer([("all", "passthrough", list(X)), ("some", StandardScaler(), list(X)[1:])])
    model = make_pipeline(parts, GaussianNB())
    for output in ("default", "pandas"):
        found = selector(model, budget=5).set_output(transform=output).fit(X, y)
        mine = found.pruned_estimator(X)
        direct = found.pruned_estimator(X).fit(found.transform(X), y).predict(found.transform(X))
        assert make_pipeline(found, mine).fit(X, y).predict(X).tolist() == direct.tolist()
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(InputError, match=r"selects columns by name, .* give X as a frame"),
    ):
        found.pruned_estimator(X.to_numpy())


def test_cells_that_hold_lists_or_arrays_are_cells():
    class Counted(GaussianNB):
        def fit(self, X, y):
            return super().fit(np.array([[len(cell) for cell in row] for row in X.to_numpy()]), y)

        def predict(self, X):
            return super().predict(np.array([[len(cell) for cell in row] for row in X.to_numpy()]))

    rng = np.random.default_rng(0)
    lists = pd.Series([[0] * (1 + k) for k in y])
    arrays = pd.Series([np.zeros(int(k)) for k in rng.integers(1, 4, len(y))])
    same = pd.Series([(1, 2)] * len(y))
    found = selector(Counted()).fit(pd.DataFrame({"lists": lists, "arrays": arrays, "same": same}), y)
    assert found.feature_names_ == ("lists",)
    assert found.best_score_ == 1.0
    assert "same" not in {name for names in found.cv_results_["features"] for name in names}


def test_a_display_of_regrets_speaks_of_the_fit_whatever_was_set_or_moved_since(tmp_path):
    from elicit import RegretDisplay

    found = fitted(operator="score - 0.01 * size")
    before = RegretDisplay.from_estimator(found).regret
    found.set_params(operator="-size")
    assert RegretDisplay.from_estimator(found).regret == pytest.approx(before)
    fitted(operator="score - 0.01 * size", journal=tmp_path)
    (journal,) = tmp_path.glob("*.jsonl")
    carried = fitted(operator=journal)
    before = RegretDisplay.from_estimator(carried).regret
    journal.unlink()
    assert RegretDisplay.from_estimator(carried).regret == pytest.approx(before)


def test_what_a_fit_hands_out_is_not_what_it_was_given_nor_what_it_keeps():
    given = np.array([1.0, 2.0, 3.0, 4.0])
    found = fitted(prior=given)
    found.prior_[0] = 99.0
    assert given.tolist() == [1.0, 2.0, 3.0, 4.0]
    found.certificate_["by"] = "nothing"
    assert found.certificate_["by"] == "score"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"feature_groups": {None: [0]}}, "feature groups are called by texts, found None"),
        ({"feature_groups": {"a": [0, 1]}, "keep": [X.columns[0]]}, "is in the group 'a'; name the group"),
        ({"costs": [10**400, 1, 1, 1]}, "the cost of 'sepal length .* must be a finite number, found 1000"),
        ({"costs": np.array([1j, 2, 3, 4])}, "the cost of 'sepal length .* must be a finite number, found"),
        ({"costs": [1e250] * 4}, "each cost, and all together, must be below 1e\\+250; rescale them"),
        ({"journal": "a\0b"}, "journal is a folder, and .* cannot be one: .*embedded null"),
        ({"journal": "a" * 300}, "journal is a folder, and .* cannot be one: File name too long"),
        ({"cv": iter(())}, "list them"),
        ({"cv": KFold}, r"expected a splitter, found the class KFold; write KFold\(\)"),
        ({"estimator": GaussianNB}, r"expected an estimator, found the class GaussianNB; write GaussianNB\(\)"),
        ({"estimator": make_pipeline(StandardScaler, GaussianNB())}, r"found the class StandardScaler; write Stand"),
        ({"estimator": Untagged()}, "^Untagged has no tags, .*; derive its class from sklearn.base.BaseEstimator"),
        ({"estimator": make_pipeline(StandardScaler(), Untagged())}, "^Untagged has no tags, .*; derive its class"),
    ],
)
def test_slips_of_settings_are_one_line(changed, said):
    with pytest.raises(InputError, match=said) as caught:
        selector(**changed).fit(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore:The following error was raised")  # scikit-learn 1.7 warns, and goes on
def test_a_step_before_the_last_of_a_pipeline_needs_no_tags():
    class Halved:
        def get_params(self, deep=True):  # noqa: ARG002
            return {}

        def fit(self, X, y=None):  # noqa: ARG002
            return self

        def transform(self, X):
            return X / 2

    found = selector(make_pipeline(Halved(), GaussianNB())).fit(X, y)
    assert found.best_score_ == pytest.approx(selector(GaussianNB()).fit(X, y).best_score_)


@pytest.mark.parametrize("estimator", [None, GaussianNB, Untagged()])
def test_what_is_no_estimator_is_told_by_an_honest_score_as_by_a_fit(estimator):
    with pytest.raises(InputError) as by_fit:
        ElicitSelector(estimator, cv=3).fit(X, y)
    with pytest.raises(InputError, match=f"^{re.escape(str(by_fit.value))}$"):
        ElicitSelector(estimator, cv=3).nested_score(X, y)


@pytest.mark.parametrize(
    ("target", "groups", "said"),
    [
        (y, pd.Series(["u", pd.NA] + ["v"] * (len(y) - 2), dtype="string"), "row 1 has no group"),
        (y, np.zeros((len(y), 2)), "groups hold one value a row, found 2 dimensions"),
        (np.where(y == 2, np.nan, y), None, "the target is missing in row 100; drop the rows without a target"),
        (np.where(y == 2, -np.inf, y), None, "the target is infinite in row 100; mend it, or drop the row"),
        (np.array([b"a", b"b", b"c"])[y], None, r"y holds bytes; give y.astype\(str\)"),
        (pd.Series(["a", pd.NA] + ["b"] * (len(y) - 2), dtype="string"), None, "the target is missing in row 1"),
        ({}, None, "found an object of type dict"),
        (3, None, "found an object of type int"),
        ([["a"], ["b", "c"]] * (len(y) // 2), None, "^y holds rows of different lengths; give each row of X one value"),
    ],
)
def test_slips_of_targets_and_groups_are_one_line(target, groups, said):
    with pytest.raises(InputError, match=said):
        selector().fit(X, target, groups=groups)


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (np.array([[1, "u"], [2, "w"]] * 10, dtype=object), "'u' in column 'x1', row 0"),
        (np.array([["1", 2], ["z", 2]] * 10, dtype=object), "'z' in column 'x0', row 1"),
        (np.array([["1", "2"], ["3", "w"]] * 10), "'w' in column 'x1', row 1"),
        (np.array([["1", "2"], ["3", "4"]] * 10), "'1' in column 'x0', row 0"),
        ([["u", 1], ["w", 2]] * 10, "'u' in column 'x0', row 0"),
    ],
)
def test_an_array_of_texts_is_refused_with_the_cell_and_what_to_give_instead(texts, named):
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())
    with pytest.raises(InputError, match=f"holds texts, such as {named}; give numbers, or a frame of pandas or polars"):
        selector(model).fit(texts, [0, 1] * 10)


def test_numbers_written_in_an_array_of_objects_are_numbers_and_no_excuse_for_a_gap():
    written = np.array([["1", 2.0], ["3", 1.5]] * 10, dtype=object)
    assert selector().fit(written, [0, 1] * 10).best_score_ == 1.0
    written[4, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        selector().fit(written, [0, 1] * 10)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gap_in_an_array_names_its_column_and_row_as_one_in_a_frame_does(bad):
    values, found = X.to_numpy().copy(), selector().fit(X.to_numpy(), y)
    values[7, 2] = bad
    told = "^Input X contains NaN or infinity: column 'x2', row 7; GaussianNB does not accept it, so drop the row or"
    for use in (lambda given: selector().fit(given, y), found.transform):
        for given in (values, values.tolist()):
            with pytest.raises(InputError, match=told):
                use(given)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_a_gap_in_a_sparse_matrix_names_its_column_and_row_too(kind):
    values = X.to_numpy().copy()
    values[7, 2] = np.nan
    with pytest.raises(InputError, match="contains NaN or infinity: column 'x2', row 7; LogisticRegression does not"):
        selector(LogisticRegression()).fit(kind(values), y)


@pytest.mark.parametrize("splitter", [GroupKFold(3), StratifiedGroupKFold(3), LeaveOneGroupOut()])
def test_a_splitter_that_lacks_its_groups_asks_for_them_in_a_fit_and_in_an_honest_score(splitter):
    with pytest.raises(InputError, match=r"; give groups, one for each row$"):
        selector(cv=splitter).fit(X, y)
    with pytest.raises(InputError, match=r"; give groups, one for each row$"):
        selector().nested_score(X, y, cv=splitter)


def test_what_the_training_rows_of_an_outer_fold_lack_is_told_of_that_fold():
    rows = np.arange(len(X))
    outer = [(rows[::2], rows[1::2]), (rows[y == 0], rows[y != 0])]
    with pytest.raises(InputError, match=r"^outer fold 2 of 2: the target has the one class 0;"):
        selector(budget=1).nested_score(X, y, cv=outer)


def test_a_splitter_that_has_too_few_groups_is_to_be_changed():
    with pytest.raises(InputError, match=r"; change cv$"):
        selector(cv=GroupKFold(5)).fit(X, y, groups=y)


@pytest.mark.parametrize(
    ("labels", "remedy"),
    [([1, 2], "int"), ([False, True], "bool"), ([1.0, 2.0], "float"), ([Decimal(1), Decimal(2)], "str")],
)
def test_labels_of_dtype_object_that_the_classifier_refuses_are_told_before_anything_is_measured(labels, remedy):
    target = np.empty(len(y), dtype=object)
    target[:] = [labels[value > 0] for value in y]
    measured = []
    with pytest.raises(InputError, match=rf"dtype object, and GaussianNB does not take it; give y\.astype\({remedy}\)"):
        selector(scoring=lambda *_: measured.append(1)).fit(X, target)
    assert not measured
    assert selector().fit(X, pd.Series(target).astype(remedy)).support_.any()


def test_labels_of_dtype_object_are_left_to_a_classifier_that_takes_them():
    target = (y > 0).astype(int).astype(object)
    found = selector(DummyClassifier(), budget=3, scoring=lambda model, X, y: np.mean(model.predict(X) == y))
    assert found.fit(X, target).best_score_ == pytest.approx(2 / 3)


def test_strengths_of_pairs_may_stand_in_lists():
    strengths = np.zeros((4, 4))
    strengths[1, 2] = strengths[2, 1] = 0.5
    assert selector(pairs=strengths.tolist()).fit(X, y).session_.settings.pairs == ((1, 2),)


def test_a_criterion_is_refused_only_for_the_name_of_a_column():
    from elicit.oracles import from_callable

    named = fitted(criteria=[from_callable("splitting_x", lambda names: float(len(names)), False)])
    assert len(named.cv_results_["splitting_x"]) == len(named.cv_results_["size"])
    with pytest.raises(InputError, match="may not be called 'split0_test_score'"):
        fitted(criteria=[from_callable("split0_test_score", lambda _: 1.0, False)])


def test_labels_without_an_order_are_refused_in_one_line_whatever_the_prior():
    X, y = np.random.default_rng(0).normal(size=(40, 5)), np.array([1, "a"] * 20, dtype=object)
    with pytest.raises(InputError, match=r"y has dtype object, .* give y.astype\(str\)"):
        ElicitSelector(LogisticRegression(), cv=3).fit(X, y)


def test_what_is_measured_depends_on_what_a_transformer_puts_out(tmp_path):
    class ByName(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):  # noqa: ARG002  # as scikit-learn calls it
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.full(len(X), int(hasattr(X, "columns")))

    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.array([0] * 10 + [1] * 30)

    def best(scaler):
        selector = ElicitSelector(make_pipeline(scaler, ByName()), cv=2, journal=tmp_path)
        return float(np.max(selector.fit(X, y).cv_results_["mean_test_score"]))

    assert best(StandardScaler()) == 0.25
    assert best(StandardScaler().set_output(transform="pandas")) == 0.75
    with sklearn.config_context(transform_output="pandas"):
        assert best(StandardScaler()) == 0.75


@pytest.mark.parametrize("labels", [["no", 1], [1, "no"]])
def test_labels_of_several_types_are_refused_with_the_remedy(labels):
    y = np.array(labels * 20, dtype=object)
    with pytest.raises(InputError, match=r"give y\.astype\(str\)"):
        ElicitSelector(LogisticRegression(), cv=3, budget=4).fit(np.random.default_rng(0).normal(size=(40, 3)), y)


class Frugal(ElicitSelector):
    """A selector of somebody's own, with fewer parameters."""

    def __init__(self, estimator, *, budget=4):
        super().__init__(estimator, operator="score - 0.1 * size", cv=3, budget=budget, random_state=7)


def test_a_class_derived_from_the_selector_with_fewer_parameters_has_an_honest_score_too():
    mine = Frugal(GaussianNB()).nested_score(X, y, cv=2)
    assert mine == selector(operator="score - 0.1 * size", budget=4, random_state=7).nested_score(X, y, cv=2)
