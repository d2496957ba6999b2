"""Dominance, its front and its reduction, against double loops.

The rule: scores are few and often tie, some differ by less than the grid, and every mix of directions
occurs; the judge knows nothing of bits, sorting or numpy.
"""

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from elicit.errors import InputError
from elicit.events import Criterion, Evaluated
from elicit.knowledge.dominance import (
    Noise,
    covering_pairs,
    dominance_relation,
    oriented,
    pareto_front,
    reduced_dominance,
    topological_order,
    within_noise,
)
from elicit.numeric import GRID

SCORE = [Criterion("score")]


@st.composite
def tables(draw):
    """(rows of criteria, directions), with ties, equal rows and differences below the grid."""
    directions = draw(st.lists(st.sampled_from([1, -1]), min_size=1, max_size=4))
    value = st.builds(lambda tenths, hair: tenths / 10 + hair, st.integers(-2, 3), st.sampled_from([0.0, 1e-13]))
    row = st.lists(value, min_size=len(directions), max_size=len(directions))
    return draw(st.lists(row, min_size=1, max_size=9)), directions


@st.composite
def noisy_tables(draw):
    """(criteria, directions, fold scores or None for each criterion, level); a score is its folds' mean."""
    directions = draw(st.lists(st.sampled_from([1, -1]), min_size=1, max_size=3))
    count, k = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    folds = []
    for _ in directions:
        known_exactly = draw(st.booleans())
        cell = st.lists(st.integers(0, 4).map(lambda x: x / 4), min_size=k, max_size=k)
        table = np.array(draw(st.lists(cell, min_size=count, max_size=count)))
        folds.append((table, known_exactly))
    rows = np.column_stack([table.mean(axis=1) for table, _ in folds]).tolist()
    return rows, directions, [None if exact else table for table, exact in folds], draw(st.sampled_from([0.05, 0.2]))


@st.composite
def relations(draw):
    """Any bits, mostly with a cycle."""
    count = draw(st.integers(0, 6))
    return [draw(st.integers(0, (1 << count) - 1)) for _ in range(count)]


@st.composite
def numbered_relations(draw):
    """Bits j > i only, transitive or not."""
    count = draw(st.integers(0, 7))
    return [draw(st.integers(0, (1 << count) - 1)) >> i + 1 << i + 1 for i in range(count)]


def vectors(rows, directions):
    return oriented(rows, [Criterion(f"c{c}", maximise=d > 0) for c, d in enumerate(directions)])


def pairs_of(bits):
    return {(i, j) for i, row in enumerate(bits) for j in range(len(bits)) if row >> j & 1}


def judged(rows, directions):
    return judge.dominance_pairs(dict(enumerate(rows)), directions)


# Known exactly


@given(tables())
def test_dominance_is_what_the_double_loop_says(case):
    assert pairs_of(dominance_relation(vectors(*case))) == judged(*case)


@given(tables())
def test_the_front_is_what_nothing_dominates(case):
    beaten = {worse for _, worse in judged(*case)}
    assert pareto_front(vectors(*case)).tolist() == [i not in beaten for i in range(len(case[0]))]


@given(tables())
def test_the_reduction_has_the_same_closure_and_is_the_least_that_has(case):
    pairs, full = set(reduced_dominance(vectors(*case))), judged(*case)
    assert judge.transitive_closure(pairs) == full
    assert all(judge.transitive_closure(pairs - {pair}) != full for pair in pairs)
    assert reduced_dominance(vectors(*case)) == sorted(pairs)


def test_nothing_dominates_in_an_empty_table():
    none = oriented([], SCORE)
    assert dominance_relation(none) == []
    assert reduced_dominance(none) == []
    assert pareto_front(none).tolist() == []


def test_differences_below_the_grid_are_ties_and_infinity_is_a_number():
    rows = [[0.8], [0.8 + GRID / 100], [0.8 + 2 * GRID], [float("-inf")]]
    assert pairs_of(dominance_relation(oriented(rows, SCORE))) == {(2, 0), (2, 1), (0, 3), (1, 3), (2, 3)}


# Relations of any kind


@given(numbered_relations())
def test_covers_keep_the_closure_of_any_relation_and_nothing_that_follows(bits):
    kept = covering_pairs(bits)
    full = judge.transitive_closure(pairs_of(bits))
    assert set(kept) <= pairs_of(bits)
    assert len(kept) == len(set(kept))
    assert judge.transitive_closure(set(kept)) == full
    assert all(judge.transitive_closure(set(kept) - {pair}) != full for pair in kept)


@given(st.one_of(relations(), numbered_relations()), st.randoms(use_true_random=False))
def test_a_relation_is_ordered_from_the_top_unless_it_has_a_cycle(bits, random):
    names = random.sample(range(len(bits)), len(bits))  # numbered by chance, not from the top
    bits = [sum(1 << names.index(j) for j in range(len(bits)) if bits[i] >> j & 1) for i in names]
    order = topological_order(bits)
    cyclic = any(i == j for i, j in judge.transitive_closure(pairs_of(bits)))
    assert (order is None) is cyclic
    if order is not None:
        assert sorted(order) == list(range(len(bits)))
        assert all(order.index(i) < order.index(j) for i, j in pairs_of(bits))


# Known from folds


def test_the_corrected_resampled_t_is_the_one_worked_by_hand():
    # differences 0.1, 0.2, 0.3, 0.4 over k = 4 folds: mean 0.25, variance 0.05 / 3;
    # t = 0.25 / sqrt((1/4 + 1/3) · 0.05/3) = 0.25 / 0.098601 = 2.5355
    # the table of t with 3 degrees of freedom: 2.3534 at 0.05, 3.1824 at 0.025; 2.5355 itself at 0.0425
    differences = np.array([[0.1, 0.2, 0.3, 0.4]])
    assert Noise(0.05).supports(differences).tolist() == [True]
    assert Noise(0.025).supports(differences).tolist() == [False]
    level = float(stats.t.sf(0.25 / np.sqrt((1 / 4 + 1 / 3) * 0.05 / 3), 3))
    assert level == pytest.approx(0.0425, abs=1e-4)
    assert Noise(level + 1e-6).supports(differences).tolist() == [True]
    assert Noise(level - 1e-6).supports(differences).tolist() == [False]


def test_ten_folds_must_differ_by_more_than_the_uncorrected_test_would_ask():
    # mean 0.1, variance 0.1 / 9: the plain t is 0.1 / sqrt(var / 10) = 3, the corrected one
    # 0.1 / sqrt((1/10 + 1/9) · var) = 2.0647; the table has 1.8331 at 0.05 and 2.2622 at 0.025 for 9
    spread = np.sqrt(0.1 / 10)
    differences = np.array([[0.1 + spread] * 5 + [0.1 - spread] * 5])
    assert stats.ttest_1samp(differences[0], 0, alternative="greater").statistic == pytest.approx(3)
    assert Noise(0.05).supports(differences).tolist() == [True]
    assert Noise(0.025).supports(differences).tolist() == [False]


def test_of_repeated_folds_the_ratio_of_their_rows_is_named():
    # two rounds of two folds: k = 4 scores, and as many rows held out as trained on: the ratio is 1, not 1/3
    # t = 0.25 / sqrt((1/4 + 1) · 0.05/3) = 1.7321; the table of t has 2.3534 at 0.05 and 1.6377 at 0.1 for 3
    differences = np.array([[0.1, 0.2, 0.3, 0.4]])
    assert Noise(0.05).supports(differences).tolist() == [True]
    assert Noise(0.05, ratio=1).supports(differences).tolist() == [False]
    assert Noise(0.1, ratio=1).supports(differences).tolist() == [True]
    assert Noise(0.05, ratio=1 / 3).supports(differences).tolist() == [True]


@pytest.mark.filterwarnings("error")
def test_differences_whose_squares_overflow_are_judged_as_those_of_any_other_unit():
    differences = np.array([[0.1, 0.2, 0.3, 0.4]]) * np.array([[1.0], [1e240], [-1e240]])
    assert Noise(0.05).supports(differences).tolist() == [True, True, False]
    assert Noise(0.025).supports(differences).tolist() == [False, False, False]


@pytest.mark.parametrize("ratio", [-0.1, float("nan"), float("inf")])
def test_a_ratio_of_rows_is_a_number_of_at_least_zero(ratio):
    with pytest.raises(InputError, match="ratio of held-out to training rows"):
        Noise(0.05, ratio)


def test_folds_that_agree_are_equality_and_one_fold_is_taken_at_its_word():
    assert Noise().supports(np.array([[0.0, 0.0, 0.0], [-0.1, -0.1, -0.1]])).tolist() == [True, False]
    assert Noise().supports(np.array([[0.1], [-0.1]])).tolist() == [True, True]


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_folds_that_all_differ_alike_are_judged_by_the_sign_test(k):
    p, differences = 0.5**k, np.full((1, k), 0.1)
    assert p == pytest.approx(stats.binomtest(k, k, alternative="greater").pvalue, rel=1e-12)
    assert Noise(min(p * 1.01, 0.49)).supports(differences).tolist() == [True]
    assert Noise(p * 0.99).supports(differences).tolist() == [False]
    assert Noise().certainty(differences) == pytest.approx([1 - 2 * p])


@pytest.mark.parametrize("level", [0.05, 0.01])
@pytest.mark.parametrize("rows", [(15,) * 2, (15,) * 3, (15,) * 5, (30, 29), (60, 59, 59)])
def test_of_accuracies_on_few_rows_no_more_leads_by_chance_are_relied_on_than_the_level_says(rows, level):
    """The accuracies of two subsets that are equally good, on so many rows in each fold."""
    rng, k = np.random.default_rng(0), len(rows)
    differences = (rng.binomial(rows, 0.9, (4000, k)) - rng.binomial(rows, 0.9, (4000, k))) / rows
    relied_on = Noise(level).supports(differences) & differences.any(axis=1)
    assert relied_on.mean() <= level + 3 * np.sqrt(level / 4000)


@pytest.mark.parametrize("level", [0.0, -0.1, 0.5, 1.0, float("nan")])
def test_a_level_of_noise_lies_strictly_between_nothing_and_a_coin(level):
    with pytest.raises(InputError, match=r"between 0 and 0\.5"):
        Noise(level)


def supported(x, y, level):
    """By the textbook: the one-sided p-value of the corrected resampled t is below the level."""
    d = np.array(x) - np.array(y)
    k = len(d)
    if k < 2 or not d.any():
        return True
    error = np.sqrt((1 / k + 1 / (k - 1)) * d.var(ddof=1))
    if error < 1e-12:
        return d.mean() > 0 and stats.binomtest(k, k, alternative="greater").pvalue <= level
    return stats.t.sf(d.mean() / error, k - 1) < level and (k > 2 or level >= 0.25)


def test_certainty_is_what_the_table_of_t_says():
    # as above t = 2.5355 with 3 degrees of freedom, one-sided .0425: 1 - 2 * .0425; against the lead it is 0
    ahead = np.array([0.1, 0.2, 0.3, 0.4])
    rows = np.array([ahead, -ahead, 1e240 * ahead, np.zeros(4), np.full(4, 0.1), np.full(4, -0.1), [1, -1, 1, -1]])
    found = Noise().certainty(rows)
    assert found == pytest.approx([0.915, 0, 0.915, 1, 0.875, 0, 0], abs=1e-4)
    assert Noise(ratio=1).certainty(rows)[0] == pytest.approx(1 - 2 * stats.t.sf(1.7321, 3), abs=1e-4)
    assert Noise().certainty(np.array([[0.1], [-0.1]])).tolist() == [1, 1]


@given(st.lists(st.lists(st.integers(-3, 9), min_size=4, max_size=4), min_size=1, max_size=6), st.floats(0.01, 0.49))
def test_what_is_supported_at_a_level_is_certain_beyond_it_and_nothing_else(rows, level):
    differences = np.array(rows) / 10
    certain = Noise().certainty(differences)
    near = np.abs(certain - (1 - 2 * level)) < 1e-9
    supported_ = Noise(level).supports(differences)
    assert ((certain > 1 - 2 * level) == supported_)[~near].all()
    assert ((certain >= 0) & (certain <= 1)).all()


@given(noisy_tables())
def test_noise_only_ever_removes_pairs_and_just_those_that_some_criterion_does_not_support(case):
    rows, directions, folds, level = case
    signed = [None if f is None else d * f for d, f in zip(directions, folds, strict=True)]
    plain = pairs_of(dominance_relation(vectors(rows, directions)))
    found = pairs_of(dominance_relation(vectors(rows, directions), Noise(level), signed))
    assert found <= plain
    assert found == {(i, j) for i, j in plain if all(supported(f[i], f[j], level) for f in signed if f is not None)}


@given(noisy_tables())
def test_the_reduction_under_noise_keeps_all_that_is_supported_and_claims_nothing_new(case):
    rows, directions, folds, level = case
    signed = [None if f is None else d * f for d, f in zip(directions, folds, strict=True)]
    found = pairs_of(dominance_relation(vectors(rows, directions), Noise(level), signed))
    kept = set(reduced_dominance(vectors(rows, directions), Noise(level), signed))
    assert kept <= found
    assert judge.transitive_closure(kept) == judge.transitive_closure(found)
    assert judge.transitive_closure(kept) <= judged(rows, directions)


CRITERIA = (Criterion("score"), Criterion("size", maximise=False), Criterion("loss", maximise=False))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=8), st.floats(-1, 1))
def test_a_lead_is_within_noise_when_the_folds_do_not_show_it_whichever_stands_first(pairs, apart):
    a, b = (np.round(column, 3) for column in np.array(pairs).T)
    a = np.round(a + apart, 3)
    first = Evaluated(0, 1, (a.mean(), 3.0, b.mean()), (tuple(a), (), tuple(b)))
    second = Evaluated(1, 2, (b.mean(), 2.0, a.mean()), (tuple(b), (), tuple(a)))
    found = within_noise(first, second, CRITERIA, Noise(0.05))
    assert found == within_noise(second, first, CRITERIA, Noise(0.05))
    differences, k = a - b, len(a)
    if abs(differences.mean()) <= 1e-9:
        assert found == ()
        return
    error = np.sqrt((1 / k + 1 / (k - 1)) * differences.var(ddof=1))
    alike = np.ptp(differences) <= 1e-9 or k == 2
    shown = 0.5**k <= 0.05 if alike else stats.t.sf(abs(differences.mean()) / error, k - 1) < 0.05
    assert found == (() if shown else ("score", "loss"))


def test_what_counts_as_equal_beside_the_larger_value_is_no_lead_whichever_stands_first():
    # from 128 on values count as equal that are 1.86e-9 apart, below it those that are 1e-9 apart
    below = Evaluated(0, 1, (128 - 1.5e-9, 1.0), ((127.0, 129.0, 128.0), ()))
    above = Evaluated(1, 2, (128.0, 1.0), ((129.0, 127.0, 128.0), ()))
    assert within_noise(above, below, CRITERIA, Noise()) == within_noise(below, above, CRITERIA, Noise()) == ()


def test_what_has_no_folds_is_never_within_noise():
    known = Evaluated(0, 1, (0.9, 3.0, 0.1)), Evaluated(1, 2, (0.8999, 2.0, 0.2))
    assert within_noise(*known, CRITERIA, Noise()) == ()
    one = [Evaluated(k, k + 1, (0.9 + k, 3.0, 0.1), ((0.9 + k,), (), (0.1,))) for k in (0, 1)]
    assert within_noise(*one, CRITERIA, Noise()) == ()
