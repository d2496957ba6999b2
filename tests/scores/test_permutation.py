"""Permutation importance: its ways of exchanging against their definitions, and equal to scikit-learn."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import permutation_importance as of_scikit_learn
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit.errors import InputError
from elicit.scores import permutation_importance
from elicit.scores.permutation import exchanges, measured_errors
from elicit.scores.sheet import Sheet

DX, dy = load_diabetes(return_X_y=True)
DX, dy = DX[:80], dy[:80]
LINEAR = LinearRegression().fit(DX, dy)


def orders_of_scikit_learn(n, repeats, seed):
    """The orders that its routine draws, the same for every column: it shuffles what was shuffled before."""
    column = np.random.RandomState(np.random.RandomState(seed).randint(np.iinfo(np.int32).max + 1))
    order, values, found = np.arange(n), np.arange(n), []
    for _ in range(repeats):
        column.shuffle(order)
        values = values[order]
        found.append(values)
    return np.array(found)


def test_free_permutations_are_those_of_scikit_learn():
    theirs = of_scikit_learn(LINEAR, DX, dy, scoring="neg_mean_squared_error", n_repeats=5, random_state=3)
    held = [[j] for j in range(DX.shape[1])]
    error, errors = measured_errors(LINEAR, Sheet(DX), dy, orders_of_scikit_learn(80, 5, 3), held, "mse")
    assert errors - error == pytest.approx(theirs.importances, rel=1e-9)


def test_any_scorer_may_measure():
    wine, label = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(wine, label)
    by_score = permutation_importance(model, wine, label, scoring="accuracy")
    assert by_score.importances == pytest.approx(permutation_importance(model, wine, label).importances)


@given(n=st.integers(2, 30), seed=st.integers(0, 1000))
def test_every_way_of_exchanging_uses_every_value_once(n, seed):
    rng = np.random.default_rng(seed)
    for how in ("permute", "cycle", "swap", "pairs"):
        for order in exchanges(how, n, None, rng):
            assert sorted(order) == list(range(n))
            assert how == "permute" or not (order == np.arange(n)).any()


@given(n=st.integers(2, 30), seed=st.integers(0, 1000))
def test_cycles_never_give_a_row_the_same_value_twice(n, seed):
    orders = exchanges("cycle", n, n - 1, np.random.default_rng(seed))
    for column in orders.T:
        assert len(set(column)) == n - 1


@given(half=st.integers(1, 15), seed=st.integers(0, 1000))
def test_the_swap_of_halves_undoes_itself(half, seed):
    for order in exchanges("swap", 2 * half, 2, np.random.default_rng(seed)):
        assert (order[order] == np.arange(2 * half)).all()


def pairs_by_brute_force(model, X, y, j):
    """Mean squared error over all n(n−1) rows with the value of another row."""
    lost = []
    for i in range(len(X)):
        for k in range(len(X)):
            if i != k:
                row = X[i].copy()
                row[j] = X[k, j]
                lost.append((y[i] - model.predict(row[None])[0]) ** 2)
    return np.mean(lost)


def test_pairs_are_all_of_them():
    X, y = DX[:12, :3], dy[:12]
    model = LinearRegression().fit(X, y)
    found = permutation_importance(model, X, y, how="pairs")
    assert found.errors.mean(axis=1) == pytest.approx([pairs_by_brute_force(model, X, y, j) for j in range(3)])


def test_permuting_is_not_swapping():
    # over all orders: E[e_permute] = (1 − 1/n) e_pairs + e/n, here with n = 5
    X, y = DX[:5, :2], dy[:5]
    model = LinearRegression().fit(DX[:, :2], dy)
    orders = np.array(list(permutations(range(5))))
    error, errors = measured_errors(model, Sheet(X), y, orders, [[0], [1]], "mse")
    pairs = permutation_importance(model, X, y, how="pairs").errors.mean(axis=1)
    assert errors.mean(axis=1) == pytest.approx((1 - 1 / 5) * pairs + error / 5)
    assert not np.allclose(errors.mean(axis=1), pairs)


def test_cycles_spread_less_than_free_permutations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 1))
    y = X[:, 0] + rng.normal(size=20) / 2
    model = LinearRegression().fit(X, y)
    spread = {
        how: np.std([permutation_importance(model, X, y, how=how, random_state=s).mean[0] for s in range(150)])
        for how in ("cycle", "permute")
    }
    assert spread["cycle"] < 0.85 * spread["permute"]


def test_ratio_and_difference():
    difference = permutation_importance(LINEAR, DX, dy)
    ratio = permutation_importance(LINEAR, DX, dy, compare="ratio")
    assert difference.error == pytest.approx(mean_squared_error(dy, LINEAR.predict(DX)))
    assert ratio.importances == pytest.approx(1 + difference.importances / difference.error)
    assert ratio.ranking == difference.ranking
    assert difference.mean[list(difference.ranking)].tolist() == sorted(difference.mean, reverse=True)
    assert difference.spread.shape == difference.mean.shape == (10,)


def test_a_ratio_of_small_errors_is_one_of_errors_too():
    wine, label = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.01)).fit(wine[::2], label[::2])
    found = permutation_importance(model, wine, label, compare="ratio")
    assert found.error == pytest.approx(1 - model.score(wine, label))
    assert 0 < found.error < 0.1
    assert found.importances == pytest.approx(found.errors / found.error)


def test_losses_by_name_and_of_ones_own():
    named = permutation_importance(LINEAR, DX, dy, loss="mae")
    own = permutation_importance(LINEAR, DX, dy, loss=mean_absolute_error)
    assert named.importances == pytest.approx(own.importances)
    wine, label = load_wine(return_X_y=True)
    model = RandomForestClassifier(5, random_state=0).fit(wine, label)
    some = label != 2  # a class that these rows do not have
    found = permutation_importance(model, wine[some], label[some], loss="log-loss")
    assert found.error == pytest.approx(log_loss(label[some], model.predict_proba(wine[some]), labels=[0, 1, 2]))


@pytest.mark.parametrize("loss", ["mse", "mae"])
@pytest.mark.parametrize("kind", [str, object])
def test_a_loss_that_subtracts_needs_numbers(loss, kind):
    label = np.where(dy > np.median(dy), "high", "low").astype(kind)
    model = LogisticRegression().fit(DX, label)
    with pytest.raises(InputError, match=f"the loss '{loss}' subtracts, and the target holds texts; choose zero-one"):
        permutation_importance(model, DX, label, loss=loss)


@pytest.mark.parametrize("loss", ["nonsense", ["mse"]])
def test_a_loss_that_is_none_is_told(loss):
    with pytest.raises(InputError, match=r"loss is one of .* or a function"):
        permutation_importance(LINEAR, DX, dy, loss=loss)


def test_columns_of_a_group_move_together():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X = np.column_stack([x, x, rng.normal(size=60)])

    def same(rows):
        return np.where(np.isclose(rows[:, 0], rows[:, 1]), 0.0, 100.0)

    class Model:
        def predict(self, rows):
            return same(rows)

    assert permutation_importance(Model(), X, np.zeros(60), loss="mse", groups=[[0, 1], [2]]).mean.tolist() == [0, 0]
    assert permutation_importance(Model(), X, np.zeros(60), loss="mse").mean[0] > 1000


def test_frames_keep_their_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(DX, columns=list("abcdefghij"))
    model = LinearRegression().fit(frame, dy)
    found = permutation_importance(model, frame, dy)
    assert found.names == tuple("abcdefghij")
    assert found.importances == pytest.approx(permutation_importance(LINEAR, DX, dy).importances)


def test_a_column_that_the_model_does_not_use_has_no_importance():
    model = LinearRegression().fit(DX * ([1] * 9 + [0]), dy)
    assert permutation_importance(model, DX, dy).importances[9] == pytest.approx(0, abs=1e-9)


def test_the_same_seed_gives_the_same():
    first, again, other = (permutation_importance(LINEAR, DX, dy, random_state=s).importances for s in (1, 1, 2))
    assert (first == again).all()
    assert not (first == other).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"how": "other"}, "how is one of"),
        ({"compare": "quotient"}, "'difference' or 'ratio'"),
        ({"compare": "ratio", "scoring": "r2"}, "give a loss"),
        ({"scoring": ["r2", "max_error"]}, "must be one score, found several"),
        ({"scoring": "neg_log_loss"}, "cannot be measured by this scoring: .* predict_proba; choose another scoring"),
        ({"loss": "mse", "scoring": "r2"}, "not both"),
        ({"loss": "other"}, "loss is one of"),
        ({"loss": "log-loss"}, "needs a model with predict_proba"),
        ({"repeats": 80}, "79 distinct shifts"),
        ({"how": "pairs", "repeats": 3}, "leave repeats out"),
        ({"repeats": 0}, "repeats"),
    ],
)
def test_bad_options_are_named(options, words):
    with pytest.raises(InputError, match=words):
        permutation_importance(LINEAR, DX, dy, **options)


def test_a_model_without_error_has_no_ratio():
    model = LinearRegression().fit(np.eye(3), np.zeros(3))
    with pytest.raises(InputError, match="makes no error"):
        permutation_importance(model, np.eye(3), np.zeros(3), compare="ratio")


@pytest.mark.parametrize(
    ("X", "y", "words"), [(DX[:1], dy[:1], "at least 2 rows.* more rows"), (DX, dy[:5], "one value a row")]
)
def test_bad_data_is_named(X, y, words):
    with pytest.raises(InputError, match=words):
        permutation_importance(LINEAR, X, y)


def test_an_error_of_rounding_is_no_number_to_divide_by():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    X[:, 1] = X[:, 0] + 3e-6 * X[:, 1]
    model = LinearRegression().fit(X, 2 * X[:, 0])
    with pytest.raises(InputError, match="makes no error"):
        permutation_importance(model, X, 2 * X[:, 0], compare="ratio")
