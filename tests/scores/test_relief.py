"""The Relief family: cases by hand, a plain judge for small data, and scikit-rebate where both are defined.

The judge is the definition written out, with a switch for each habit of scikit-rebate that is not ours, so
that every remaining difference is reproduced and not only stated:

- `own_hit`: with fewer than k other rows of its class, a row becomes its own hit, at distance 0;
- `mixed`: where there are columns of codes and of numbers, a difference of more than one standard deviation
  counts as 1, and in a distance a code weighs as much as all columns divided by the columns of codes;
- classes weigh by the number of misses found, hence evenly; ours weigh by their frequency unless told;
- ties at the k-th neighbour go by the order in which a sort leaves the rows; ours share the place.
"""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from skrebate import ReliefF

from elicit.errors import InputError
from elicit.scores import neighbours as near
from elicit.scores import relief, relieff, rrelieff

NAN = float("nan")


# --- the judge ---------------------------------------------------------------------------------------


class Judge:
    """Differences and distances of rows, one attribute (a list of columns) at a time."""

    def __init__(self, X, discrete=(), groups=None, mixed=False):
        self.X, self.discrete, self.mixed = np.asarray(X, dtype=float), set(discrete), mixed
        self.groups = groups or [[i] for i in range(self.X.shape[1])]
        self.range = [np.nanmax(c) - np.nanmin(c) if not np.isnan(c).all() else 0 for c in self.X.T]

    def column(self, f, i, j):
        a, b = self.X[i, f], self.X[j, f]
        if f in self.discrete:
            return float(a != b)
        if self.mixed and abs(a - b) > np.nanstd(self.X[:, f]):
            return 1.0
        return abs(a - b) / self.range[f] if self.range[f] else 0.0

    def diff(self, group, i, j):
        """None when one of the rows has a gap."""
        if np.isnan(self.X[[i, j]][:, group]).any():
            return None
        return max(self.column(f, i, j) for f in group)

    def distance(self, i, j):
        if self.mixed:
            heavy = self.X.shape[1] / len(self.discrete)
            numbers = [f for f in range(self.X.shape[1]) if f not in self.discrete]
            apart = sum(abs(self.X[i, f] - self.X[j, f]) / self.range[f] for f in numbers)
            return (apart + heavy * sum(self.column(f, i, j) for f in self.discrete)) / self.X.shape[1]
        found = [d for d in (self.diff(g, i, j) for g in self.groups) if d is not None]
        return sum(found) / len(found) if found else 1.0

    def shares(self, i, rows, weights):
        """Neighbour -> share; equal distances share the weight of the places they take."""
        weights = list(weights)[: len(rows)]
        apart = sorted((self.distance(i, j), j) for j in rows)
        places = [weights[p] / sum(weights) if p < len(weights) else 0.0 for p in range(len(apart))]
        found = {}
        for distance, j in apart:
            tied = [p for p, (other, _) in enumerate(apart) if abs(other - distance) < 1e-9]
            found[j] = sum(places[p] for p in tied) / len(tied)
        return {j: share for j, share in found.items() if share > 0}

    def mean(self, group, i, shares):
        seen = [(share, self.diff(group, i, j)) for j, share in shares.items()]
        seen = [(share, d) for share, d in seen if d is not None]
        return sum(s * d for s, d in seen) / sum(s for s, _ in seen) if seen else 0.0

    def relieff(self, y, k, even=False, own_hit=False):
        y, n = list(y), len(y)
        w = np.zeros(len(self.groups))
        for i in range(n):
            for c in set(y):
                others = [j for j in range(n) if y[j] == c and j != i]
                shares = self.shares(i, others, [1.0] * k)
                if c == y[i] and own_hit and len(others) < k:
                    shares = {**{j: 1 / (len(others) + 1) for j in others}, i: 1 / (len(others) + 1)}
                prior = y.count(c) / (n - y.count(y[i])) if c != y[i] else -1
                weight = 1 / (len(set(y)) - 1) if even and c != y[i] else prior
                w += [weight * self.mean(g, i, shares) / n for g in self.groups]
        return w

    def rrelieff(self, y, weights):
        n, w = len(y), []
        span = max(y) - min(y)
        for group in self.groups:
            n_dc = n_da = n_dcda = total = 0.0
            for i in range(n):
                for j, share in self.shares(i, [j for j in range(n) if j != i], weights).items():
                    d, dy = self.diff(group, i, j), abs(y[i] - y[j]) / span
                    if d is not None:
                        n_dc, n_da = n_dc + share * dy, n_da + share * d
                        n_dcda, total = n_dcda + share * dy * d, total + share
            first = n_dcda / n_dc if n_dc > 1e-12 else 0.0
            w.append(first - ((n_da - n_dcda) / (total - n_dc) if total - n_dc > 1e-12 else 0.0))
        return np.array(w)


SOME_ROWS, SOME_COLUMNS = st.integers(4, 9), st.integers(1, 4)


def table(rows=SOME_ROWS, columns=SOME_COLUMNS, gaps=False):
    """Small whole numbers, so that ties abound."""
    cell = st.one_of(st.integers(0, 3), st.just(NAN)) if gaps else st.integers(0, 3)
    return st.tuples(rows, columns).flatmap(
        lambda shape: st.lists(
            st.lists(cell, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    )


def labelled(data, data_of):
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(data_of), max_size=len(data_of)))
    assume(len(set(y)) > 1)
    return np.array(y)


# --- by hand -----------------------------------------------------------------------------------------

SQUARE = [[0, 0], [0, 1], [1, 0], [1, 1]]
BY_HAND = [
    ("the first column separates, the second is noise", SQUARE, "aabb", [1, -1]),
    ("exclusive or: the only hit differs in both columns", SQUARE, "abba", [-0.5, -0.5]),
    ("exclusive or with every row twice: the hit is the twin", SQUARE * 2, "abba" * 2, [0.5, 0.5]),
    # row by row: 0.6 − 0.2, 0.4 − 0.2, 0.4 − 0.4, 0.8 − 0.4, over 4 rows
    ("a column of numbers is scaled by its range", [[0], [2], [6], [10]], "aabb", [0.25]),
    ("a constant column tells nothing", [[0, 5], [0, 5], [1, 5], [1, 5]], "aabb", [1, 0]),
    # the row of class b has no other of its class: 1, 1 and 1 for misses, 0 and 0 for hits
    ("a class with one row has no hits", [[0], [0], [1]], "aab", [1]),
]  # fmt: skip


@pytest.mark.parametrize(("why", "X", "y", "expected"), BY_HAND, ids=[case[0] for case in BY_HAND])
def test_relief_by_hand(why, X, y, expected):
    assert relief(X, list(y)) == pytest.approx(expected, abs=1e-12), why
    assert relieff(X, list(y), neighbours=1) == pytest.approx(expected, abs=1e-12), why


def test_rrelieff_by_hand():
    # 0 and 1 have 0.5 nearest, 0.5 has both: N_dC = 1/4 + 3/4 + (1/4 + 3/4)/2, N_dA = 3/2, N_dCdA = N_dC/2;
    # w = 0.75/1.5 − (1.5 − 0.75)/(3 − 1.5)
    assert rrelieff([[0], [0.5], [1]], [0, 1, 4], neighbours=1) == pytest.approx([0], abs=1e-12)
    found = rrelieff([[0, 0], [1, 1], [2, 0], [3, 1]], [0, 1, 2, 3], neighbours=3)
    assert found[0] > 0 > found[1]


def test_relieff_of_three_classes_weighs_misses_by_how_frequent_their_class_is():
    # a at 0 (3 rows), b at 1/2 (1 row), c at 1 (2 rows): hits are twins or none
    X, y = [[0], [0], [0], [0.5], [1], [1]], list("aaabcc")
    from_a = (1 / 3 * 0.5 + 2 / 3 * 1) * 3
    from_b = (3 / 5 * 0.5 + 2 / 5 * 0.5) * 1
    from_c = (3 / 4 * 1 + 1 / 4 * 0.5) * 2
    assert relieff(X, y, neighbours=1) == pytest.approx([(from_a + from_b + from_c) / 6])
    even = (0.75 * 3 + 0.5 + 0.75 * 2) / 6
    assert relieff(X, y, neighbours=1, class_weights="equal") == pytest.approx([even])


# --- the definition, on everything small -------------------------------------------------------------


@given(st.data(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_relieff_is_its_definition(data, gaps):
    X = data.draw(table(gaps=gaps))
    y = labelled(data, X)
    k = data.draw(st.integers(1, 4))
    discrete = data.draw(st.lists(st.integers(0, len(X[0]) - 1), unique=True))
    even = data.draw(st.booleans())
    found = relieff(X, y, neighbours=k, discrete=discrete, class_weights="equal" if even else "prior")
    assert found == pytest.approx(Judge(X, discrete).relieff(y, k, even), abs=1e-9)


@given(st.data(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_rrelieff_is_its_definition(data, gaps):
    X = data.draw(table(gaps=gaps))
    y = data.draw(st.lists(st.integers(0, 9), min_size=len(X), max_size=len(X)))
    assume(len(set(y)) > 1)
    k, decay = data.draw(st.integers(1, 4)), data.draw(st.sampled_from([None, 1.0, 3.0]))
    weights = [1.0 if decay is None else np.exp(-((r / decay) ** 2)) for r in range(1, k + 1)]
    found = rrelieff(X, y, neighbours=k, decay=decay)
    assert found == pytest.approx(Judge(X).rrelieff(y, weights), abs=1e-9)


@given(st.data(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_group_of_columns_differs_as_much_as_the_column_that_differs_most(data, gaps):
    X = data.draw(table(columns=st.just(4), gaps=gaps))
    y = labelled(data, X)
    discrete = data.draw(st.lists(st.integers(0, 3), unique=True))
    groups = data.draw(st.sampled_from([[[2, 0], [1], [3]], [[0, 1, 2, 3]], [[3], [1, 0], [2]]]))
    found = relieff(X, y, neighbours=2, discrete=discrete, groups=groups)
    assert found == pytest.approx(Judge(X, discrete, groups).relieff(y, 2), abs=1e-9)


def test_a_one_hot_block_is_the_column_of_codes_it_stands_for():
    rng = np.random.default_rng(0)
    numbers, colour = rng.normal(size=(60, 2)), rng.integers(0, 4, 60)
    y = (numbers[:, 0] + (colour == 2) > 0).astype(int)
    hot = np.column_stack([numbers[:, :1], np.eye(4)[colour], numbers[:, 1:]])
    coded = np.column_stack([numbers[:, 0], colour, numbers[:, 1]])
    expected = relieff(coded, y, discrete=[1])
    assert relieff(hot, y, groups=[[0], [1, 2, 3, 4], [5]]) == pytest.approx(expected, abs=1e-12)


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_sharing_a_place_is_the_mean_over_every_way_to_break_the_tie(data):
    X = np.array(data.draw(table(rows=st.just(5), columns=st.integers(1, 2))), dtype=float)
    y = labelled(data, X)

    def first_come(order):
        judge, w = Judge(X), np.zeros(X.shape[1])
        for i in range(5):
            for c in set(y):
                others = sorted((j for j in order if y[j] == c and j != i), key=lambda j: judge.distance(i, j))[:2]
                weight = -1 if c == y[i] else (y == c).sum() / (y != y[i]).sum()
                if others:
                    w += [weight * np.mean([judge.diff(g, i, j) for j in others]) / 5 for g in judge.groups]
        return w

    mean = np.mean([first_come(order) for order in permutations(range(5))], axis=0)
    assert relieff(X, y, neighbours=2) == pytest.approx(mean, abs=1e-9)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_neither_the_order_of_the_rows_nor_the_unit_nor_the_names_of_the_classes_decide(data):
    X = np.array(data.draw(table()), dtype=float)
    y = labelled(data, X)
    order = data.draw(st.permutations(range(len(X))))
    moved, named = (8 * X - 3)[order], np.char.add("z", np.char.upper(y))[order]
    assert relieff(moved, named, neighbours=2) == pytest.approx(relieff(X, y, neighbours=2), abs=1e-9)


def test_blocks_and_distances_computed_anew_give_the_same(monkeypatch):
    X, y = load_wine(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.02, np.nan, X)
    whole = relieff(X, y), rrelieff(X, y * 1.5)
    monkeypatch.setattr(near, "LARGEST_BLOCK", 5000)
    monkeypatch.setattr(near, "LARGEST_MATRIX", 0)
    parts = relieff(X, y), rrelieff(X, y * 1.5)
    assert np.allclose(whole, parts, rtol=0, atol=1e-12)


def test_wide_rows_are_compared_with_no_more_of_the_others_than_stay_near_the_processor(monkeypatch):
    rng = np.random.default_rng(0)
    X, y, held = rng.normal(size=(60, 40)), np.arange(60) % 3, []
    monkeypatch.setattr(near, "cdist", lambda a, b, metric: held.append(b.size) or cdist(a, b, metric))
    monkeypatch.setattr(near, "LARGEST_MATRIX", 0)
    whole = relieff(X, y)
    held.clear()
    monkeypatch.setattr(near, "LARGEST_BLOCK", 200)
    assert np.allclose(relieff(X, y), whole, rtol=0, atol=1e-12)
    assert max(held) == 200


# --- sparse matrices ---------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_a_sparse_matrix_has_the_weights_of_its_array(data):
    X = np.array(data.draw(table(columns=st.just(4))), dtype=float)
    y = labelled(data, X)
    groups = data.draw(st.sampled_from([None, [[2, 0], [1], [3]], [[0, 1, 2, 3]], [[3], [1, 0], [2]]]))
    kind = data.draw(st.sampled_from([sparse.csr_array, sparse.csc_matrix, sparse.coo_array]))
    for shift in (0, 1e6):  # far from 0 every cell is stored, and none may lose its digits
        numbers = np.unique(y, return_inverse=True)[1] * 1.5
        found = relieff(kind(X + shift), y, neighbours=2, groups=groups)
        assert found == pytest.approx(relieff(X, y, neighbours=2, groups=groups), abs=1e-9)
        found = rrelieff(kind(X + shift), numbers, neighbours=2, groups=groups)
        assert found == pytest.approx(rrelieff(X, numbers, neighbours=2, groups=groups), abs=1e-9)


@pytest.mark.parametrize("groups", [None, [[2, 0], [1], [3]], [[0, 1, 2, 3]], [[3, 1], [0, 2]]])
def test_rows_of_a_sparse_matrix_are_as_far_apart_as_those_of_its_array(groups):
    X = np.random.default_rng(0).integers(0, 3, (15, 4)).astype(float)
    X[7:10] = X[6]  # between equal rows nothing differs
    dense, stored = (near.space_of(kind(X), (), groups) for kind in (np.array, sparse.csr_array))
    i, j = (places.ravel() for places in np.indices((15, 15)))
    held = groups or [[0], [1], [2], [3]]
    differences = np.column_stack([np.abs(X[i][:, g] - X[j][:, g]).max(axis=1) / 2 for g in held])
    for space in (dense, stored):
        assert isinstance(space, near.SparseSpace) == (space is stored)
        found = space.differences(i, j)
        assert (found if space is dense else found.toarray()) == pytest.approx(differences)
        apart = space.distances(np.arange(15), np.arange(15))
        assert apart.ravel() == pytest.approx(differences.mean(axis=1))


def test_a_sparse_matrix_with_cells_stored_twice_gaps_or_codes_has_the_weights_of_its_array():
    # the first column stores as many cells as there are rows, and yet two of these hold 0
    twice = sparse.csr_array(([1.0, 2.0, 1.0, -5.0, -4.0], [0, 0, 1, 0, 0], [0, 2, 3, 5, 5]), shape=(4, 2))
    assert relief(twice, list("aabb")) == pytest.approx(relief(twice.toarray(), list("aabb")), abs=1e-12)
    X, y = load_wine(return_X_y=True)
    X = np.where(np.median(X, axis=0) > X, 0.0, np.round(X))
    assert relieff(sparse.csc_array(X), y, discrete=[1]) == pytest.approx(relieff(X, y, discrete=[1]), abs=1e-12)
    X[::7, 3] = np.nan
    assert relieff(sparse.csc_array(X), y) == pytest.approx(relieff(X, y), abs=1e-12)


def test_a_sparse_matrix_of_more_cells_than_can_be_compared_is_refused(monkeypatch):
    monkeypatch.setattr(near, "MOST_STORED", 5)
    X = sparse.csr_array(np.tri(4))
    with pytest.raises(InputError, match="X stores 10 cells, of which at most 5 can be compared; take fewer rows, or"):
        relieff(X, list("abab"))


# --- scikit-rebate -----------------------------------------------------------------------------------


def theirs(X, y, k, codes=False):
    """scikit-rebate's scores; every column a number, or every column a code."""
    threshold = 10**6 if codes else 0
    model = ReliefF(n_neighbors=k, categorical_threshold=threshold, label_type=None if codes else "multiclass")
    if len(set(y)) == 2:
        model.set_params(label_type="binary")
    return model.fit(np.array(X, dtype=float), np.asarray(y)).feature_importances_


def untied(X, seed=0):
    """X with so little noise that only ties notice."""
    return X + np.random.default_rng(seed).normal(size=X.shape) * 1e-6 * X.std(axis=0)


@pytest.mark.parametrize("k", [1, 10, 40])
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_iris])
def test_relieff_is_scikit_rebates_on_numbers(load, k):
    X, y = load(return_X_y=True)
    X, y = untied(X)[::2], y[::2]  # the smallest class keeps 24 rows
    k = min(k, 20)
    assert relieff(X, y, neighbours=k, class_weights="equal") == pytest.approx(theirs(X, y, k), abs=1e-12)


def test_with_classes_of_one_size_the_weights_do_not_matter():
    X, y = load_iris(return_X_y=True)
    assert relieff(untied(X), y) == pytest.approx(theirs(untied(X), y, 10), abs=1e-12)


def test_relieff_is_scikit_rebates_with_gaps():
    X, y = load_breast_cancer(return_X_y=True)
    X = untied(X)[:150]
    X[np.random.default_rng(1).random(X.shape) < 0.05] = np.nan
    assert relieff(X, y[:150]) == pytest.approx(theirs(X, y[:150], 10), abs=1e-12)


def test_relieff_is_scikit_rebates_on_codes_where_no_tie_decides():
    k = 2
    for seed in range(200):
        X, y = np.random.default_rng(seed).integers(0, 5, (8, 200)).astype(float), np.repeat([0, 1], 4)
        apart = cdist(X, X, "hamming") + np.diag(np.full(8, 9.0))
        by_class = np.sort(apart.reshape(8, 2, 4), axis=2)
        if (by_class[:, :, k] - by_class[:, :, k - 1] > 1e-9).all():
            break
    else:
        pytest.fail("no data without a tie were found")
    assert relieff(X, y, neighbours=k, discrete=True) == pytest.approx(theirs(X, y, k, codes=True), abs=1e-12)


def test_where_a_class_has_no_k_other_rows_scikit_rebate_takes_the_row_itself_for_a_hit():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = untied(X)[:30, :5], np.repeat([0, 1], [4, 26])
    judge = Judge(X)
    assert relieff(X, y, neighbours=6) == pytest.approx(judge.relieff(y, 6), abs=1e-12)
    assert theirs(X, y, 6) == pytest.approx(judge.relieff(y, 6, own_hit=True), abs=1e-12)
    assert np.abs(relieff(X, y, neighbours=6) - theirs(X, y, 6)).max() > 1e-3


def test_where_codes_and_numbers_are_mixed_scikit_rebate_has_habits_of_its_own():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(40, 4)), rng.integers(0, 3, (40, 2))])
    y = (X[:, 0] + X[:, 4] > 0.5).astype(int)
    found = ReliefF(n_neighbors=5, categorical_features=[4, 5], label_type="binary").fit(X.copy(), y)
    assert relieff(X, y, neighbours=5, discrete=[4, 5]) == pytest.approx(Judge(X, [4, 5]).relieff(y, 5), abs=1e-12)
    habits = Judge(X, [4, 5], mixed=True).relieff(y, 5)
    assert found.feature_importances_ == pytest.approx(habits, abs=1e-12)
    assert np.abs(habits - Judge(X, [4, 5]).relieff(y, 5)).max() > 1e-3


# --- use ---------------------------------------------------------------------------------------------


def test_relieff_sees_an_interaction_that_no_column_shows_alone():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 8)).astype(float)
    y = (X[:, 2] != X[:, 5]).astype(int)
    assert set(np.argsort(relieff(X, y))[-2:]) == {2, 5}


def test_rrelieff_finds_the_columns_behind_a_number():
    rng = np.random.default_rng(0)
    X = rng.random((400, 8))
    y = X[:, 1] * X[:, 4] + 0.5 * X[:, 6]
    assert set(np.argsort(rrelieff(X, y))[-3:]) == {1, 4, 6}
    assert set(np.argsort(rrelieff(X, y, neighbours=70, decay=20))[-3:]) == {1, 4, 6}


def test_some_rows_stand_for_all_of_them():
    X, y = load_wine(return_X_y=True)
    assert relieff(X, y, rows=178) == pytest.approx(relieff(X, y), abs=1e-12)
    few = relieff(X, y, rows=60, seed=1)
    assert np.abs(few - relieff(X, y)).max() < 0.03
    assert (few != relieff(X, y, rows=60, seed=2)).all()


def test_a_column_of_gaps_alone_says_nothing():
    X, y = load_wine(return_X_y=True)
    X = np.column_stack([X, np.full(178, np.nan)])
    assert relieff(X, y)[-1] == 0
    assert relieff(X, y)[:-1] == pytest.approx(relieff(X[:, :-1], y), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda X, y: relief(X, y), "compares two classes, the target has 3; choose relieff"),
        (lambda X, _: relief(X, X[:, 0] / 7), "needs a target of classes, .* choose rrelieff, or"),
        (lambda X, _: relieff(X, X[:, 0] / 7), "needs a target of classes, .* choose rrelieff, or"),
        (lambda X, y: relieff(X, y, neighbours=0), "neighbours must be a whole number of at least 1"),
        (lambda X, y: relieff(X, y, class_weights="odd"), "'prior' or 'equal'"),
        (lambda X, y: relieff(X, y, rows=179), "at most the 178 rows"),
        (lambda X, y: relieff(X, y, discrete=[13]), "a list of column positions"),
        (lambda X, y: relieff(np.where(X > 1679, np.inf, X), y), "X is inf in row 18"),
        (lambda X, _: relieff(X, np.zeros(178)), "classes are compared by relieff, but every row of the target is 0"),
        (lambda X, _: rrelieff(X, np.full(178, "a")), "needs a target of numbers, .* choose relieff"),
        (lambda X, y: rrelieff(X, y, neighbours=0), "neighbours must be a whole number of at least 1"),
        (lambda X, y: rrelieff(X, y, decay=0), "decay is a number above 0"),
        (lambda X, y: rrelieff(X, y, decay=True), "decay is a number above 0, or None, found True"),
        (lambda X, y: rrelieff(X, y, decay="5"), "decay is a number above 0, or None, found '5'"),
    ],
)
def test_bad_input_is_named(make, says):
    with pytest.raises(InputError, match=says):
        make(*load_wine(return_X_y=True))


def test_any_decay_has_weights():
    X, y = load_diabetes(return_X_y=True)
    nearest, alike = rrelieff(X, y, neighbours=1), rrelieff(X, y, neighbours=9)
    assert rrelieff(X, y, neighbours=9, decay=1e-170) == pytest.approx(nearest, abs=1e-12)
    assert rrelieff(X, y, neighbours=9, decay=1e200) == pytest.approx(alike, abs=1e-12)
