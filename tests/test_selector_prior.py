"""What is thought of features beforehand: the `prior` and the `pairs` of a selector, and thousands of features."""

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from elicit import ElicitSelector
from elicit.effects import interaction_prior
from elicit.errors import InputError
from elicit.estimator import priors
from elicit.journal import read
from elicit.oracles.columns import columns_of
from elicit.scores import f_statistic, fisher, mutual_information, relieff, rrelieff, univariate
from elicit.scores.agreement import as_power_index
from elicit.sessions import elicitation_of
from elicit.subsets import Family

WINE, CLASSES = load_wine(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)


def selector(**changed):
    return ElicitSelector(**({"estimator": GaussianNB(), "cv": 3, "budget": 12} | changed))


def wide(rows=60, columns=40, seed=0):
    return make_classification(rows, columns, n_informative=4, n_redundant=0, shuffle=False, random_state=seed)


# --- the prior -----------------------------------------------------------------------------------------


def test_a_prior_is_the_name_of_any_score_or_one_number_an_attribute():
    named = selector(prior="fisher").fit(WINE, CLASSES)
    assert named.prior_ == pytest.approx(as_power_index(fisher(WINE, CLASSES)))
    listed = selector(prior=named.prior_.tolist()).fit(WINE, CLASSES)
    assert listed.session_.facts == named.session_.facts
    mutual = selector(prior="mutual_information").fit(WINE, CLASSES)
    assert mutual.prior_ == pytest.approx(as_power_index(mutual_information(WINE, CLASSES)))
    wrong_way_round = selector(prior=-named.prior_).fit(WINE, CLASSES)
    assert wrong_way_round.session_.facts != named.session_.facts


def test_an_honest_score_works_out_a_prior_that_is_named_and_is_told_not_to_trust_one_given_as_numbers():
    named, given = [], []
    for seed in range(2):
        X, y = np.random.default_rng(seed).normal(size=(60, 500)), np.arange(60) % 2  # nothing tells anything
        for found, prior in ((named, "fisher"), (given, fisher(X, y))):
            found.append(selector(budget=8, prior=prior).nested_score(X, y, cv=3).mean)
    assert np.mean(named) < 0.55
    assert np.mean(given) > 0.65
    readme = Path(__file__).parents[1] / "README.md"
    for text in (ElicitSelector.nested_score.__doc__, readme.read_text(encoding="utf-8")):
        assert "prior=fisher(X, y)" in text


def test_the_subsets_that_the_prior_puts_first_are_measured_first():
    found = selector(prior="fisher").fit(WINE, CLASSES)
    best = np.argsort(-fisher(WINE, CLASSES), kind="stable")
    wanted = [tuple(f"x{i}" for i in sorted(best[:k])) for k in (1, 2, 4, 8, 13)]
    assert list(found.cv_results_["features"][:5]) == wanted


@pytest.mark.parametrize("operator", ["score - 0.005 * size", "score"])
def test_with_an_operator_too_what_the_prior_puts_first_is_measured_first_where_no_way_down_is_affordable(operator):
    X, y = wide(rows=80, columns=40)
    found = selector(prior="fisher", operator=operator, questions=2).fit(X, y)
    best = np.argsort(-fisher(X, y), kind="stable")
    wanted = [tuple(f"x{i}" for i in sorted(best[:k])) for k in (1, 2, 4, 8, 40)]
    assert list(found.cv_results_["features"][:5]) == wanted
    drawn = found.cv_results_["features"][5:9]
    assert max(map(len, drawn)) <= 8, "draws hold at most a tenth as many attributes as there are rows"


def test_a_resumed_run_draws_with_the_same_limit(tmp_path):
    X, y = wide(rows=80, columns=40)
    whole = selector(prior="fisher", operator="score", questions=0, journal=tmp_path).fit(X, y)
    (path,) = tmp_path.iterdir()
    assert elicitation_of(read(path)).outlook.widest(Family(40)) == 8
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    again = selector(prior="fisher", operator="score", questions=0, journal=tmp_path).fit(X, y)
    assert again.session_.facts == whole.session_.facts


@pytest.mark.parametrize("prior", ["auto", "fisher", "relieff", "chi2"])
def test_many_classes_that_are_whole_numbers_are_classes(prior):
    y = np.repeat(np.arange(26), 4)
    X = np.abs(np.random.default_rng(0).normal(size=(104, 6)))
    X[:, 0] += y
    found = selector(estimator=KNeighborsClassifier(), prior=prior, cv=2, budget=6)  # GaussianNB may warn of so many
    assert found.fit(X, y).prior_ == pytest.approx(found.fit(X, y.astype(str)).prior_)


def better_place(*scores):
    """By falling prior: the attributes in the order in which these scores, in turn, put them."""
    orders = [np.argsort(-score, kind="stable").tolist() for score in scores]
    return list(dict.fromkeys(i for one_each in zip(*orders, strict=True) for i in one_each))


def test_left_open_it_is_the_better_place_by_f_and_by_relieff_of_many_features_and_nothing_for_few():
    X, y = wide()
    found = selector().fit(X, y).prior_
    assert np.argsort(-found).tolist() == better_place(f_statistic(X, y), relieff(X, y))
    assert found.mean() == pytest.approx(0, abs=1e-9)
    assert found.std() == pytest.approx(1)
    assert selector().fit(X[:, :4], y).prior_ is None
    assert selector().fit(X[:, :5], y).prior_ is not None
    assert selector(prior=None).fit(X, y).prior_ is None
    numbers = X[:, 0] + X[:, 1] + np.random.default_rng(0).normal(size=60)
    regression = selector(estimator=DecisionTreeRegressor()).fit(X, numbers).prior_
    assert np.argsort(-regression).tolist() == better_place(f_statistic(X, numbers), rrelieff(X, numbers))


def test_left_open_it_puts_first_what_tells_together_with_others_and_what_tells_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 40))
    y = (X[:, 3] * X[:, 7] + 0.5 * X[:, 11] > 0).astype(int)
    found = selector().fit(X, y).prior_
    assert set(np.argsort(-found)[:6]) >= {3, 7, 11}
    assert {3, 7} - set(np.argsort(-f_statistic(X, y))[:10]), "F does not see what only tells together"


@pytest.mark.parametrize("seed", [1, 15])
def test_left_open_it_finds_three_of_a_dozen_that_only_tell_together(seed):
    rng = np.random.default_rng(seed)  # of twenty seeds those with which a fit without a prior misses the three
    X = rng.normal(size=(400, 12))
    three = rng.choice(12, 3, replace=False)
    other = min(i for i in range(12) if i not in three)
    signal = 1.4 * np.sign(X[:, three].prod(axis=1)) + 0.7 * X[:, other]
    y = (signal + 0.5 * rng.normal(size=400) > 0).astype(int)
    found = ElicitSelector(KNeighborsClassifier(7), cv=5, budget=60, random_state=seed).fit(X, y)
    assert found.support_[three].all()


def test_left_open_it_compares_a_sample_of_very_many_rows_and_only_f_where_the_sample_holds_one_class(monkeypatch):
    X, y = wide(rows=200)
    whole = selector().fit(X, y).prior_
    monkeypatch.setattr(priors, "MOST_COMPARED", 40 * 50 * 50)  # fifty rows of forty columns
    sampled = [selector().fit(X, y).prior_ for _ in range(2)]
    assert np.array_equal(*sampled)
    assert not np.array_equal(sampled[0], whole)
    rare = (np.arange(200) < 1).astype(int)
    found = priors.prior_of("auto", columns_of(X), rare, classes=True)
    assert found == pytest.approx(as_power_index(f_statistic(X, rare)))


def test_left_open_it_is_nothing_where_a_column_has_no_f_statistic():
    X, y = wide()
    gaps = X.copy()
    gaps[0, 0] = np.nan
    assert selector(estimator=DecisionTreeClassifier()).fit(gaps, y).prior_ is None
    assert selector(estimator=GaussianNB()).fit(X * 1e151, y).prior_ is None
    mixed = pd.DataFrame(X).add_prefix("c").assign(colour=np.where(y > 0, "red", "blue"))
    model = make_pipeline(make_column_transformer((OneHotEncoder(), ["colour"]), remainder="passthrough"), GaussianNB())
    assert selector(estimator=model).fit(mixed, y).prior_ is None
    assert selector(estimator=DecisionTreeRegressor()).fit(X, np.column_stack([y, X[:, 1]])).prior_ is None
    with pytest.raises(InputError, match=r"^prior = '\w+': X is nan in row .*fill or drop .*or give another prior"):
        selector(estimator=DecisionTreeClassifier(), prior="f").fit(gaps, y)
    with pytest.raises(InputError, match=r"^pairs = 'h': X is nan in row .*or list the pairs"):
        selector(estimator=DecisionTreeClassifier(), pairs="h").fit(gaps, y)


def test_left_open_it_is_nothing_where_the_features_or_the_target_are_dates():
    X, y = wide(columns=5)
    days = np.argsort(X, axis=0).astype("timedelta64[D]") + np.datetime64("2020-01-01", "s")
    columns = {f"c{j}": days[:, j].astype("datetime64[ms]") for j in range(5)}
    frames = pd.DataFrame(columns), pl.DataFrame(columns)
    for dates in (days, *frames, days - days[0]):
        assert selector(estimator=DecisionTreeClassifier(), budget=2).fit(dates, y).prior_ is None
    assert selector(estimator=Ridge(), budget=2).fit(X, days[:, 0]).prior_ is None
    for dates in (days, *frames):
        with pytest.raises(InputError, match=r"^prior = 'f': a column of X holds dates"):
            selector(estimator=DecisionTreeClassifier(), prior="f").fit(dates, y)


def test_frames_sparse_matrices_and_groups_have_the_prior_of_the_array():
    X, y = wide()
    array = selector(estimator=LogisticRegression()).fit(X, y).prior_
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(40)])
    assert selector(estimator=LogisticRegression()).fit(frame, y).prior_ == pytest.approx(array)
    assert selector(estimator=LogisticRegression()).fit(sparse.csc_array(X), y).prior_ == pytest.approx(array)
    grouped = selector(feature_groups={"first": [0, 1]}, prior="f").fit(X, y)
    best = np.append(f_statistic(X, y)[:2].max(), f_statistic(X, y)[2:])
    assert grouped.prior_ == pytest.approx(as_power_index(best))


def test_a_sparse_matrix_has_the_prior_of_its_array_and_is_never_made_dense(monkeypatch):
    monkeypatch.setattr(univariate, "CELLS_AT_ONCE", 1 << 16)
    X = sparse.random(300, 3000, density=0.01, format="csr", random_state=0)
    rng = np.random.default_rng(0)
    y = (X[:, :200].sum(axis=1).A1 + 0.3 * rng.normal(size=300) > 1).astype(int)
    for target, classes in ((y, True), (y + rng.normal(size=300), False)):
        whole = priors.prior_of("auto", columns_of(X.toarray()), target, classes=classes)
        tracemalloc.start()
        found = priors.prior_of("auto", columns_of(X), target, classes=classes)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == pytest.approx(whole, abs=1e-6)
        assert peak < X.shape[0] * X.shape[1] * 8


def test_what_takes_long_beforehand_is_told_of_where_progress_is_wanted(capsys):
    X, y = wide(columns=6)
    for verbose, told in ((0, []), (1, ["working out prior = 'auto'", "working out pairs = 'h'"])):
        selector(budget=2, pairs="h", verbose=verbose).fit(X, y)
        assert capsys.readouterr().err.splitlines()[:2] == told


@pytest.mark.parametrize("stream", ["none", "full", "closed"])
def test_a_fit_goes_on_though_its_progress_has_nowhere_to_go(monkeypatch, capsys, stream):
    class Full(io.StringIO):
        def write(self, _):
            raise OSError(28, "No space left on device")

    X, y = wide(columns=6)
    expected = selector(budget=8).fit(X, y).get_support()
    given = {"none": None, "full": Full(), "closed": io.StringIO()}  # none: as behind pythonw
    given["closed"].close()
    monkeypatch.setattr("sys.stderr", given[stream])
    np.testing.assert_array_equal(selector(budget=8, verbose=1).fit(X, y).get_support(), expected)
    assert capsys.readouterr().out == ""


def test_a_prior_serves_a_run_that_asks_an_operator():
    found = selector(operator="score - 0.01 * size", prior="fisher", questions=3).fit(WINE, CLASSES)
    assert found.session_.prior == pytest.approx(found.prior_)


def test_runs_with_different_priors_keep_journals_of_their_own(tmp_path):
    for prior in (None, "f", "fisher"):
        selector(prior=prior, budget=6, journal=tmp_path).fit(WINE, CLASSES)
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


# --- pairs ---------------------------------------------------------------------------------------------


def test_pairs_come_from_the_h_statistic_a_table_or_a_list():
    wanted = selector(pairs="h").fit(IRIS, SPECIES).session_.settings.pairs
    assert wanted == interaction_prior(IRIS, SPECIES, classes=True)
    table = np.zeros((4, 4))
    table[0, 2] = table[2, 0] = 1.0
    for given in (table, pd.DataFrame(table), [("x2", "x0")], [[0, 2]], np.array([[0, 2]])):
        assert selector(pairs=given).fit(IRIS, SPECIES).session_.settings.pairs == ((0, 2),)
    assert selector().fit(IRIS, SPECIES).session_.settings.pairs == ()


def test_expected_pairs_take_more_of_what_is_found_to_interact():
    plain = selector(budget=15).fit(IRIS, SPECIES)
    expected = selector(budget=15, pairs=[(0, 3)]).fit(IRIS, SPECIES)
    assert expected.session_.facts == plain.session_.facts  # every subset either way
    share = [abs(s.interactions_[0, 3]) / np.abs(s.interactions_).sum() for s in (plain, expected)]
    assert share[1] > share[0]


# --- wrong arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"prior": "fischer"}, "did you mean 'fisher'"),
        ({"prior": "rrelieff"}, "needs a target of numbers"),
        ({"prior": [1.0, 2.0]}, "one finite number for each of the 4 attributes"),
        ({"prior": [1.0, 2.0, np.nan, 0.0]}, "one finite number for each of the 4 attributes"),
        ({"prior": {"x0": 1.0}}, "labels of prior are not the attributes; label each attribute once, or give a list"),
        ({"prior": object()}, "prior is a score's name"),
        ({"pairs": "sobol"}, 'pairs is "h", a list of pairs'),
        ({"pairs": np.ones((3, 3))}, "has 4 rows and columns"),
        ({"pairs": [("x0", "x9")]}, "^pairs: unknown attribute 'x9'"),
        ({"pairs": [(0, 9)]}, "pairs names attribute 9"),
        ({"pairs": ["x0"]}, "a pair is the names or positions"),
        ({"pairs": [(1, 1)]}, "two different attributes"),
        ({"pairs": 3}, 'pairs is "h", a list of pairs'),
    ],
)
def test_what_cannot_be_thought_is_one_clear_error(changed, said):
    with pytest.raises(InputError, match=said) as caught:
        selector(**changed).fit(IRIS, SPECIES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pairs", [[(0, 1)], "h"])
def test_pairs_of_thousands_of_features_are_refused(pairs, monkeypatch):
    monkeypatch.setattr(priors, "interaction_prior", None)  # it would take hours
    X, y = wide(columns=501)
    with pytest.raises(InputError, match="pairs go with at most 500 attributes"):
        selector(pairs=pairs).fit(X, y)
    selector(pairs=[], budget=2).fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"budget": "much"}, "budget is a number of oracle calls"),
        ({"questions": -1}, "questions must be a whole number"),
        ({"batch": 0}, "batch"),
        ({"parsimony": "none"}, "parsimony"),
    ],
)
def test_a_wrong_argument_is_refused_before_a_prior_is_worked_out(wrong, said, monkeypatch):
    monkeypatch.setattr(priors, "score_named", None)  # it may take minutes
    with pytest.raises(InputError, match=said):
        selector(**wrong).fit(WINE, CLASSES)


# --- thousands of features -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def thousands():
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(600) % 2)
    X = rng.normal(size=(600, 5000))
    X[:, :6] += 0.7 * y[:, None]
    return X, y, ElicitSelector(GaussianNB(), cv=3, budget=30).fit(X[:300], y[:300])


def test_from_five_thousand_features_a_few_are_chosen_that_beat_chance_and_the_filter(thousands):
    X, y, found = thousands
    k = int(found.support_.sum())
    assert k <= 50, "one column in a hundred"
    cv = StratifiedKFold(3, shuffle=True, random_state=0)

    def score(columns):
        return cross_val_score(GaussianNB(), X[:300][:, columns], y[:300], cv=cv).mean()

    filtered = np.argsort(-f_statistic(X[:300], y[:300]), kind="stable")[:k]
    drawn = [np.random.default_rng(seed).choice(5000, k, replace=False) for seed in range(5)]
    assert found.best_score_ == pytest.approx(score(found.support_))
    assert found.best_score_ > score(filtered)
    assert found.best_score_ > max(score(columns) for columns in drawn) + 0.1
    # on rows that had no part in it, what was chosen tells the classes apart as well
    held_out = GaussianNB().fit(found.transform(X[:300]), y[:300]).score(found.transform(X[300:]), y[300:])
    whole = GaussianNB().fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert held_out > whole + 0.1


def test_of_five_thousand_features_each_is_ranked_and_the_whole_is_measured(thousands):
    _, _, found = thousands
    assert found.n_evaluations_ == 30
    assert found.ranking_.shape == (5000,)
    assert found.cv_results_["size"].max() == 5000


@pytest.mark.slow
def test_five_thousand_features_need_little_memory(thousands):
    X, y, _ = thousands
    tracemalloc.start()
    ElicitSelector(GaussianNB(), cv=3, budget=14).fit(X[:300], y[:300])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * X.nbytes


@pytest.mark.parametrize("copy", [0.0, 1e-7])
def test_a_copy_of_the_target_comes_first_and_hides_no_order_of_the_others(copy):
    rng = np.random.default_rng(1)
    y = np.repeat([0.0, 1.0], 30)
    X = np.column_stack([rng.normal(size=(60, 4)) + y[:, None] * [0.0, 0.3, 1.5, 0.6], y + copy * rng.normal(size=60)])
    found = priors.prior_of("auto", columns_of(X), np.where(y > 0, "yes", "no"), classes=True)
    assert np.argsort(-found)[:2].tolist() == [4, 2]
    assert len(set(found[:4].tolist())) > 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "given",
    [["1"] * 6, dict.fromkeys("abcdef", "1"), np.full(6, 1j), np.arange(6).astype("datetime64[ns]"), [10**400] * 6],
    ids=["texts", "texts by name", "complex", "dates", "beyond every float"],
)
def test_a_prior_of_what_could_only_be_taken_for_numbers_is_refused(given):
    X, y = wide(columns=6)
    with pytest.raises(InputError, match="prior is a score's name, one number an attribute"):
        priors.prior_of(given, columns_of(X, tuple("abcdef")), y, classes=True)


def test_a_score_that_there_is_not_is_not_said_to_be_worked_out():
    X, y = wide(columns=6)
    told = []
    with pytest.raises(InputError, match="unknown score 'relief-f'"):
        priors.prior_of("relief-f", columns_of(X), y, classes=True, tell=told.append)
    assert told == []


@pytest.mark.parametrize("beforehand", [{"prior": "f"}, {"pairs": "h"}])
def test_where_the_target_has_two_columns_there_is_no_score_and_it_is_said_what_to_give(beforehand):
    (name,) = beforehand
    two = np.column_stack([SPECIES, -SPECIES]).astype(float)
    with pytest.raises(InputError, match=f"^{name} = .* needs a target of one column, found 2; give {name}=None$"):
        selector(estimator=Ridge(), **beforehand).fit(IRIS, two)
    assert selector(estimator=Ridge(), prior="auto").fit(IRIS, two).n_evaluations_ == 12
