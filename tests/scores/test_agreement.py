"""Ranks, their agreement, and a score as a power index."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau, spearmanr
from sklearn.datasets import load_wine

from elicit.scores.agreement import as_power_index, kendall, ranks, spearman
from elicit.scores.registry import score_named

SCORES = arrays(float, (3, 7), elements=st.integers(0, 5).map(float))


def test_rank_1_is_the_best_and_equal_scores_share():
    assert ranks(np.array([0.1, 5.0, 0.1, np.inf])).tolist() == [3.5, 2, 3.5, 1]
    assert ranks(np.array([0.1, 5.0, 0.1]), higher_is_better=False).tolist() == [1.5, 3, 1.5]


@given(SCORES)
def test_agreement_is_scipys(scores):
    assume((np.ptp(scores, axis=1) > 0).all())
    rankings = [ranks(row) for row in scores]
    rho, tau = spearman(rankings), kendall(rankings)
    assert np.abs(rho).max() <= 1  # rounding included: what is shown is never above 1
    for i in range(3):
        for j in range(3):
            assert rho[i, j] == pytest.approx(spearmanr(scores[i], scores[j]).statistic, abs=1e-12)
            assert tau[i, j] == pytest.approx(kendalltau(scores[i], scores[j]).statistic, abs=1e-12)


def test_a_score_that_ranks_nothing_agrees_with_nothing():
    rankings = [ranks(np.array([1.0, 2.0, 3.0])), ranks(np.full(3, 7.0))]
    for how in (spearman, kendall):
        found = how(rankings)
        assert found[0, 0] == pytest.approx(1)
        assert np.isnan([found[0, 1], found[1, 0], found[1, 1]]).all()


@given(arrays(float, 6, elements=st.floats(-1e3, 1e3)))
def test_a_power_index_is_standardised_and_keeps_the_order(scores):
    found = as_power_index(scores)
    if np.ptp(scores) > 1e-6:
        assert found.mean() == pytest.approx(0, abs=1e-9)
        assert found.std() == pytest.approx(1)
        assert (np.diff(found[np.argsort(scores)]) >= 0).all()
        assert as_power_index(scores, higher_is_better=False) == pytest.approx(-found)


def test_a_power_index_of_infinite_and_of_constant_scores():
    assert as_power_index(np.array([0.0, 1.0, np.inf])) == pytest.approx(as_power_index(np.array([0.0, 1.0, 2.0])))
    assert as_power_index(np.array([0.0, 0.0, np.inf])).tolist() == [-0.707106781, -0.707106781, 1.414213562]
    assert as_power_index(np.array([0.1, 0.1, 0.1])).tolist() == [0, 0, 0]
    assert as_power_index(np.array([np.inf, np.inf])).tolist() == [0, 0]


@pytest.mark.parametrize("name", ["fisher", "f", "relieff"])
def test_a_column_in_another_unit_ranks_as_it_did(name):
    wine, y = load_wine(return_X_y=True)
    found = score_named(name).scores(np.column_stack([wine, wine * 2.54, wine / 3]), y)
    assert len(set(found.tolist())) > 13, "rounding shows in none of these columns"
    for ordered in (ranks(found), as_power_index(found)):
        assert np.ptp(ordered.reshape(3, 13), axis=0).max() == 0
        assert len(set(ordered.tolist())) == 13


@pytest.mark.parametrize("name", ["correlation", "fisher", "f", "chi2", "lmg", "johnson"])
@pytest.mark.parametrize("levels", [[1.0, 2.0, 4.0], [1.1, 2.3, 2.7], [0.1, 0.2, 0.4, 0.7]])
def test_columns_that_tell_exactly_nothing_share_a_rank(name, levels):
    # every combination of levels once: what the first columns do, no other column has any part in
    design = np.array(levels)[np.array(list(product(range(len(levels)), repeat=5)))]
    a, b = design[:, 0], design[:, 1]
    others = np.column_stack([design[:, 2], 1.8 * design[:, 3] + 32, design[:, 4] / 2.54])
    measure = score_named(name)
    for target in (a.astype(str), 3 * a + b + 7 * a * b):
        if measure.serves(target.dtype.kind == "U"):
            found = measure.scores(np.column_stack([a, b, others]), target)
            assert (found[2:] == 0).all()
            assert found[0] > 0.1
