"""The model learned from a model's answers: what it foretells of rounds, against brute force and plain refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsRegressor

from elicit.errors import InputError
from elicit.scores import shapley_values
from elicit.scores.blocks import block
from elicit.scores.games import shapley_of_game
from elicit.scores.learned import (
    FEWEST,
    POINTS,
    RIDGE,
    WIDTHS,
    ControlVariate,
    Coordinates,
    Round,
    _shapley_of_products,
)
from elicit.scores.predictions import _batches
from elicit.scores.sheet import Sheet

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 6))


def bends(X):
    """Interactions of three and more, which blocks err by."""
    return np.sin(X[:, 0] * X[:, 1] * X[:, 2]) + np.tanh(X[:, 2] + 2 * X[:, 3] * X[:, 4]) + X[:, 5]


def exact(model, x, background):
    d = len(x)
    held = (np.arange(1 << d)[:, None] >> np.arange(d) & 1).astype(bool)
    return shapley_of_game(np.array([model(np.where(mask, x, background)).mean() for mask in held]))


def rounds_of(model, x, background, seed, count):
    """Rounds with drawn rows, sizes and places."""
    rng = np.random.default_rng(seed)
    d = len(x)
    found = []
    for _ in range(count):
        row, size = int(rng.integers(len(background))), int(rng.integers(1, d // 2 + 1))
        part, place = block(d, size, 1), rng.permutation(d)
        answers = model(np.where(part.coalitions[:, place], x, background[row]))[:, None]
        found.append(Round(row, part, place, answers, model(x[None]) - model(background[row : row + 1])))
    return found


@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_games_of_products_have_the_values_of_all_coalitions(d, points, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.01, 1, (2, d, points))
    weights = rng.normal(size=(points, 2))
    masks = (np.arange(1 << d)[:, None] >> np.arange(d) & 1).astype(bool)
    games = np.array([np.where(mask[:, None], a, b).prod(axis=0) @ weights for mask in masks])
    judge = np.column_stack([shapley_of_game(games[:, k]) for k in range(2)])
    assert _shapley_of_products(a, b, weights) == pytest.approx(judge, abs=1e-12)


def test_many_attributes_need_no_more_nodes():
    rng = np.random.default_rng(0)
    a, b = np.exp(-rng.uniform(0, 3 / 60, (2, 60, 8)))
    found = _shapley_of_products(a, b, np.ones((8, 1)))
    assert found.sum() == pytest.approx((a.prod(axis=0) - b.prod(axis=0)).sum(), rel=1e-10)


@pytest.mark.parametrize(("seed", "chosen"), [(0, WIDTHS[1]), (1, WIDTHS[0])])
def test_a_round_is_told_by_a_model_that_never_saw_it(seed, chosen):
    background, x = ROWS[:20], ROWS[30]
    rounds = rounds_of(bends, x, background, seed, 12)
    told = ControlVariate.of(rounds, Coordinates(Sheet(background), Sheet(x[None])), len(background))
    deviations = np.vstack([background, x]).std(axis=0)
    best = None
    for width in WIDTHS:  # refitted for each round, in plain words
        points = [np.where(part.block.coalitions[:, part.place], x, background[part.row]) for part in rounds]
        every, answers = np.concatenate(points), np.concatenate([part.answers for part in rounds])
        line = np.column_stack([np.ones(len(every)), (every - np.vstack([background, x]).mean(axis=0)) / deviations])
        bent = answers - line @ np.linalg.lstsq(line, answers, rcond=None)[0]
        kernel = np.exp(-width / 6 * np.abs((every[:, None] - every[None]) / deviations).sum(axis=2))
        missed, start = [], 0
        for part in points:
            own = np.arange(start, start + len(part))
            rest = np.setdiff1d(np.arange(len(every)), own)
            inner = kernel[np.ix_(rest, rest)] + RIDGE * np.eye(len(rest))
            missed.append(bent[own] - kernel[np.ix_(own, rest)] @ np.linalg.solve(inner, bent[rest]))
            start += len(part)
        size = (np.concatenate(missed) ** 2).sum()
        if best is None or size < best[0]:
            best = (size, missed, width)
    assert best[2] == chosen
    judge = [part.block.values(left)[part.place] for part, left in zip(rounds, best[1], strict=True)]
    assert told.residual_values == pytest.approx(np.array(judge), abs=1e-9)


def test_what_is_taken_off_is_nothing_on_the_mean():
    background, x = ROWS[:20], ROWS[30]
    at = Coordinates(Sheet(background), Sheet(x[None]))
    taken = np.array(
        [ControlVariate.of(rounds_of(bends, x, background, s, 12), at, 20).errors.mean(axis=0) for s in range(150)]
    )
    spread = taken.std(axis=0, ddof=1) / np.sqrt(len(taken))
    assert spread.max() > 1e-4  # blocks do err
    assert np.abs(taken.mean(axis=0) / spread).max() < 4


def test_where_a_model_always_answers_the_same_no_attribute_has_a_part():
    found = shapley_values(lambda X: np.zeros(len(X)), ROWS[40:42], ROWS[:20], rounds=10, learned=True)
    assert not found.values.any()
    assert not found.errors.any()


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_the_unit_of_a_column_does_not_matter_to_what_is_learned(unit):
    units = np.array([1.0, unit, 1, 1, 1, unit])
    plain, other = (
        shapley_values(lambda X, by=by: bends(X / by), ROWS[40:42] * by, ROWS[:20] * by, rounds=20, learned=True)
        for by in (np.ones(6), units)
    )
    assert other.values == pytest.approx(plain.values, abs=1e-9)
    assert other.errors == pytest.approx(plain.errors, abs=1e-9)


@pytest.mark.parametrize("rounds", [40, pytest.param(60, marks=pytest.mark.slow)])
def test_values_err_less_and_about_as_much_as_their_errors_say(rounds):
    background = ROWS[:40]
    judge = np.array([exact(bends, x, background) for x in ROWS[40:]])
    plain, learned = (
        shapley_values(bends, ROWS[40:], background, rounds=rounds, learned=hear) for hear in (False, True)
    )
    assert ((learned.values - judge) ** 2).mean() < 0.7 * ((plain.values - judge) ** 2).mean()
    assert np.sqrt((((learned.values - judge) / learned.errors) ** 2).mean()) < 1.25
    assert learned.rows_asked == plain.rows_asked


def test_a_model_that_it_cannot_follow_is_none_the_worse():
    def noise(X):
        return np.abs(np.sin(1e6 * X).sum(axis=1))

    judge = np.array([exact(noise, x, ROWS[:40]) for x in ROWS[40:]])
    plain, learned = (shapley_values(noise, ROWS[40:], ROWS[:40], rounds=40, learned=hear) for hear in (False, True))
    assert ((learned.values - judge) ** 2).mean() < 1.1 * ((plain.values - judge) ** 2).mean()


@pytest.mark.parametrize("rounds", [10, 19, 40, 45])
def test_the_sum_is_exact(rounds):
    found = shapley_values(bends, ROWS[:3], ROWS[20:60], rounds=rounds, learned=True)
    assert found.base + found.values.sum(axis=1) == pytest.approx(bends(ROWS[:3]), abs=1e-10)


def test_pairs_stay_exact_once_the_background_was_used():
    def pairs(X):
        return X[:, 0] * X[:, 1] + np.abs(X[:, 2]) - X[:, 3] ** 3

    judge = np.array([exact(pairs, x, ROWS[:20]) for x in ROWS[40:43]])
    found = shapley_values(pairs, ROWS[40:43], ROWS[:20], rounds=20, learned=True)
    assert found.values == pytest.approx(judge, abs=1e-9)


def test_more_answers_than_are_inverted_at_once_are_learned_from_in_parts(monkeypatch):
    whole = shapley_values(bends, ROWS[:20], ROWS[20:60], rounds=40, learned=True)
    plain = shapley_values(bends, ROWS[:20], ROWS[20:60], rounds=40)
    monkeypatch.setattr("elicit.scores.predictions.POINTS", 300)
    parts = shapley_values(bends, ROWS[:20], ROWS[20:60], rounds=40, learned=True)
    judge = np.array([exact(bends, x, ROWS[20:60]) for x in ROWS[:20]])
    errs = [((found.values - judge) ** 2).mean() for found in (whole, parts, plain)]
    assert errs[0] < errs[1] < errs[2]


def test_no_unit_matters():
    X, y = make_friedman1(120, n_features=5, random_state=0)
    scale, shift = np.array([1e-9, 1, 1e12, 7, 1e150]), np.array([0, 1e3, 0, -5, 0])
    model = KNeighborsRegressor(5).fit(X, y)
    found = shapley_values(model, X[:3], X[20:60], rounds=40, learned=True)
    other = shapley_values(
        lambda Z: model.predict((Z - shift) / scale),
        X[:3] * scale + shift,
        X[20:60] * scale + shift,
        rounds=40,
        learned=True,
    )
    assert other.values == pytest.approx(found.values, abs=1e-6)


def test_categories_gaps_and_constants_have_their_places():
    rng = np.random.default_rng(1)
    pandas = pytest.importorskip("pandas")
    n = 30
    frame = pandas.DataFrame(
        {
            "colour": pandas.Categorical(rng.choice(["r", "g", "b"], n)),
            "size": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "same": 1.0,
            "weight": rng.normal(size=n),
            "on": rng.random(n) < 0.5,
        }
    )

    def model(rows):
        size = rows["size"].fillna(-1).to_numpy()
        red = (rows["colour"] == "r").to_numpy()
        return size * red * rows["weight"].to_numpy() + rows["on"].to_numpy() * red * size

    at = Coordinates(Sheet(frame), Sheet(frame.iloc[:2]))
    assert np.isfinite(at.places).all()
    assert at.nominal.tolist() == [True, False, False, False, True]
    assert (at.empty[:n, 1] == frame["size"].isna()).all()
    rows, colours = np.arange(n), frame["colour"].to_numpy()
    assert (5 * at.distances(rows[:, None], rows, 0) == (colours[:, None] != colours)).all()
    place, gap = at.places[:n, 1], at.empty[:n, 1]  # a gap lies at the mean, and one step from any number
    apart = np.abs(place[:, None] - place) + (gap[:, None] != gap)
    assert 5 * at.distances(rows[:, None], rows, 1) == pytest.approx(apart)
    found = shapley_values(model, frame.iloc[:2], frame, rounds=n, learned=True)
    assert found.base + found.values.sum(axis=1) == pytest.approx(model(frame.iloc[:2]))
    assert np.abs(found.values[:, 2]).max() < 10 * found.errors[:, 2].max()


def test_classes_are_heard_one_by_one():
    X, y = make_friedman1(150, n_features=5, random_state=1)
    model = RandomForestClassifier(10, random_state=0).fit(X, np.digitize(y, np.quantile(y, [0.3, 0.6])))
    every = shapley_values(model, X[:2], X[20:50], rounds=30, learned=True)
    assert every.values.shape == (2, 5, 3)
    assert every.base + every.values.sum(axis=1) == pytest.approx(model.predict_proba(X[:2]))


@given(st.integers(10, 300), st.integers(2, 100))
def test_every_part_is_enough_to_learn_from_and_not_too_much(rounds, d):
    parts = _batches(rounds, 2 * d, d, learned=True)
    sizes = [part.stop - part.start for part in parts]
    assert parts[0].start == 0
    assert parts[-1].stop == rounds == sum(sizes)
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= FEWEST
    assert max(sizes) * 2 * d < 2 * POINTS


@pytest.mark.parametrize(
    ("rounds", "sets", "d", "words"),
    [
        (9, 1, 6, "10 rounds, found 9"),
        (20, 1, 101, "100 attributes where sets is 1"),
        (20, 2, 51, "50 attributes where sets is 2"),
    ],
)
def test_where_nothing_could_be_learned_that_is_said(rounds, sets, d, words):
    with pytest.raises(InputError, match=words):
        shapley_values(bends, np.ones((1, d)), np.zeros((2, d)), rounds=rounds, sets=sets, learned=True)
