"""Relevant, weakly relevant, irrelevant: by performances written down, so that the verdict can be worked out."""

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel
from scipy.stats import t as student

from elicit.errors import InputError
from elicit.scores import relevance
from elicit.scores.relevance import _subsets, better, least_p, simes

NOISE = np.array([0.01, -0.01, 0.02, 0.0, -0.02, 0.01, -0.01, 0.0, 0.01, -0.01])


def performance(value):
    """Ten folds around value(U), the noise different from subset to subset."""
    return lambda chosen: value(set(chosen)) + np.roll(NOISE, len(chosen)) * 0.1


# a subset with 0 or its copy 1 knows half, 2 knows the other half, 3 is noise
def copies(U):
    return 0.5 + 0.2 * bool(U & {0, 1}) + 0.2 * (2 in U)


def kinds(found):
    return [verdict.kind for verdict in found]


def test_two_copies_are_weakly_relevant_the_only_source_is_relevant_noise_is_neither():
    found = relevance(performance(copies), 4)
    assert kinds(found) == ["weakly relevant", "weakly relevant", "relevant", "irrelevant"]
    assert found[2].among == (0, 1, 3)
    assert found[2].gain == pytest.approx(0.2, abs=0.01)
    assert not set(found[0].among) & {0, 1}


def test_what_only_helps_together_is_relevant_with_its_partner_and_weakly_so_beside_a_copy_of_it():
    # exclusive or of 0 and 1: alone they are worth nothing
    assert kinds(relevance(performance(lambda U: 0.5 + 0.4 * ({0, 1} <= U)), 3)) == [
        "relevant",
        "relevant",
        "irrelevant",
    ]
    # 3 repeats 0
    found = relevance(performance(lambda U: 0.5 + 0.4 * (1 in U and bool(U & {0, 3}))), 4)
    assert kinds(found) == ["weakly relevant", "relevant", "irrelevant", "weakly relevant"]
    assert 1 in found[0].among


def test_an_attribute_that_harms_is_irrelevant():
    found = relevance(performance(lambda U: 0.8 - 0.3 * (0 in U) + 0.1 * (1 in U)), 2)
    assert kinds(found) == ["irrelevant", "relevant"]


def test_a_single_attribute_is_compared_with_a_guess():
    (verdict,) = relevance(performance(lambda U: 0.5 + 0.3 * len(U)), 1)
    assert verdict.kind == "relevant"
    assert verdict.among == ()


def test_noise_is_called_irrelevant_however_many_subsets_are_tried():
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        wrong += sum(kind == "weakly relevant" for kind in kinds(relevance(lambda _: rng.normal(0.7, 0.05, 10), 6)))  # noqa: B023
    assert wrong <= 12  # 5% of 120 tests of families, twice over


def test_with_many_attributes_random_subsets_are_tried_and_each_is_measured_once():
    asked = []

    def measured(chosen):
        asked.append(chosen)
        return performance(copies)(chosen)

    found = relevance(measured, 12, subsets=15, seed=4)
    assert kinds(found)[:3] == ["weakly relevant", "weakly relevant", "relevant"]
    assert set(kinds(found)[3:]) == {"irrelevant"}
    assert len(asked) == len(set(asked)) <= 15 * 13 + 13
    assert found == relevance(performance(copies), 12, subsets=15, seed=4)


def test_the_test_is_the_paired_one_with_its_variance_enlarged_for_overlapping_training_rows():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.75, 0.05, 10), rng.normal(0.7, 0.05, 10)
    plain = ttest_rel(a, b, alternative="greater")
    mean, p = better(a, b)
    assert mean == pytest.approx((a - b).mean())
    assert p > plain.pvalue
    # t shrinks by √((1/k) / (1/k + 1/(k−1))) = √(9/19)
    assert p == pytest.approx(student.sf(plain.statistic * np.sqrt(9 / 19), 9), rel=1e-9)


def test_several_tests_make_one_by_simes():
    assert simes([0.04]) == 0.04
    assert simes([0.5, 0.01, 0.2]) == pytest.approx(0.03)  # the least, as by Bonferroni
    assert simes([0.03, 0.02, 0.9]) == pytest.approx(0.045)  # the two least together
    assert simes([1.0, 1.0]) == 1


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_same_gain_in_every_fold_is_judged_by_the_sign_test(k):
    gain, p = better(np.full(k, 0.8), np.full(k, 0.7))
    assert gain == pytest.approx(0.1)
    assert p == pytest.approx(binomtest(k, k, alternative="greater").pvalue, rel=1e-12)
    assert better(np.full(k, 0.7), np.full(k, 0.7)) == (0.0, 1.0)
    assert better(np.full(k, 0.6), np.full(k, 0.7))[1] == 1.0


@pytest.mark.parametrize(("folds", "shown"), [(4, False), (5, True)])
def test_with_too_few_folds_no_gain_however_large_is_shown(folds, shown):
    """As the docs say: the least p of four folds is above 0.05, also over all comparisons together."""
    found = relevance(lambda chosen: np.full(folds, float(0 in chosen)), 3)
    assert (found[0].kind == "relevant") == shown
    assert (least_p(folds) <= 0.05) == shown
    assert simes([least_p(folds)] * 9) == least_p(folds)


@pytest.mark.parametrize("rows", [(5, 5), (6, 5), (5, 5, 5), (6, 5, 5)])
def test_noise_is_called_irrelevant_where_few_folds_of_accuracies_differ_alike(rows):
    """Accuracies of folds of so few rows: in two or three of them the same gain, or nearly, is no rarity."""
    wrong = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = relevance(lambda _: rng.binomial(rows, 0.5) / rows, 4)  # noqa: B023
        wrong += sum(kind != "irrelevant" for kind in kinds(found))
    assert wrong <= 12  # 5% of 240


def test_the_p_of_one_comparison_is_kept_apart_from_that_which_decides():
    rng = np.random.default_rng(1)
    scores = {}

    def measured(chosen):
        return scores.setdefault(chosen, rng.normal(0.7 + 0.1 * (0 in chosen) + 0.02 * (1 in chosen), 0.05, 10))

    found = relevance(measured, 4)
    assert set(kinds(found)) > {"relevant"}
    for i, verdict in enumerate(found):
        with_it = tuple(sorted((*verdict.among, i)))
        assert (verdict.gain, verdict.p_beside) == better(scores[with_it], scores[verdict.among])
        assert (verdict.p == verdict.p_beside) == (verdict.kind == "relevant")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"level": 0}, "between 0 and 1"),
        ({"level": "high"}, "between 0 and 1"),
        ({"subsets": 0}, "subsets must be a whole number"),
    ],
)
def test_bad_options_are_named(options, says):
    with pytest.raises(InputError, match=says):
        relevance(performance(copies), 4, **options)


def test_of_few_attributes_every_subset_is_tried():
    asked = []
    relevance(lambda chosen: asked.append(chosen) or performance(copies)(chosen), 8)
    assert len(asked) == len(set(map(tuple, asked))) == 256


@pytest.mark.parametrize(
    "given", [lambda _: [0.5, np.nan], lambda _: [[0.5, 0.6]], lambda U: [0.5] * (2 + (0 in U)), lambda _: "good"]
)
def test_what_is_no_score_a_fold_is_refused(given):
    with pytest.raises(InputError, match="performance must give"):
        relevance(given, 2)


def test_one_fold_cannot_be_compared():
    with pytest.raises(InputError, match="at least 2 folds"):
        relevance(lambda chosen: np.array([len(chosen)]), 2)


def test_subsets_at_random_have_every_size_but_the_whole():
    drawn = _subsets(9, 400, np.random.default_rng(0))
    assert {len(subset) for subset in drawn} == set(range(9))
