"""What is known of the best of a family: its utility, and whether noise decides which subset it is."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.experiments.best import Best, best_of
from elicit.experiments.results import utility_regret
from elicit.operators import SimulatedOperator
from elicit.operators.simulated import Lexicographic
from elicit.oracles import SyntheticOracle, TableOracle
from elicit.subsets import Family


def written(path, measured, folds=True):
    """A table of two attributes with these fold scores of each subset."""
    count = len(measured[1]) if folds else 0
    rows = [["a", "b", "score", *(f"fold_{k + 1}" for k in range(count))]]
    rows += [[mask & 1, mask >> 1, float(np.mean(scores)), *scores[:count]] for mask, scores in measured.items()]
    path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
    return TableOracle(path)


@pytest.fixture
def table(tmp_path):
    return partial(written, tmp_path / "t.csv")


def best(oracle, utility, family=None):
    return best_of(oracle, SimulatedOperator(utility, oracle.criteria), family or Family(len(oracle.attributes)))


def test_the_best_is_that_of_the_family(table):
    oracle = table({1: [0.64, 0.64], 2: [0.6, 0.7], 3: [0.7, 0.9]})
    utility = "score - 0.06 * size"
    assert best(oracle, utility).utility == pytest.approx(0.68)
    assert best(oracle, utility, Family(2, drop=0b01)).utility == pytest.approx(0.59)
    assert best(oracle, utility, Family(2, max_size=1)).utility == pytest.approx(0.59)
    assert best(oracle, utility, Family(2, keep=0b11)).noise_decides is False  # there is no other
    assert best(table({1: [0.6, 0.7]}), utility, Family(2, keep=0b10)) is None  # no row is of the family


def test_without_folds_nobody_tells_noise(table):
    assert best(table({1: [0.5, 0.7], 2: [0.6, 0.8], 3: [0.4, 0.6]}, folds=False), "score") == Best(pytest.approx(0.7))
    drawn = SyntheticOracle(3, {0b001: 0.5, 0b011: -0.2, 0b100: 0.1})
    assert best(drawn, "score") == Best(pytest.approx(0.6))


@given(st.lists(st.tuples(*[st.integers(0, 20)] * 3), min_size=2, max_size=6), st.sampled_from([0.0, 0.05, 0.2]))
def test_noise_decides_below_the_paired_standard_error_of_two_means(tmp_path_factory, folds, price):
    columns = zip(*folds, strict=True)
    measured = {mask: [k / 20 for k in column] for mask, column in zip((1, 2, 3), columns, strict=True)}
    oracle = written(tmp_path_factory.getbasetemp() / "noise.csv", measured)
    found = best(oracle, f"score - {price} * size")
    worth = {mask: np.mean(scores) - price * mask.bit_count() for mask, scores in measured.items()}
    top = max(worth.values())
    first = min((mask for mask in worth if worth[mask] >= top - 1e-9), key=lambda mask: (mask.bit_count(), mask))
    others = [mask for mask in worth if worth[mask] < top - 1e-9]
    assert found.utility == pytest.approx(top)
    if not others:
        assert found.noise_decides is False
        return
    second = max(worth[mask] for mask in others)
    runner_up = min((m for m in others if worth[m] >= second - 1e-9), key=lambda mask: (mask.bit_count(), mask))
    difference = np.array(measured[first]) - np.array(measured[runner_up])
    error = np.std(difference, ddof=1) / np.sqrt(len(difference))
    lead = top - second
    if abs(lead - error) > 1e-9:
        assert found.noise_decides == (lead < error)


def test_the_subsets_of_a_table_are_listed_once_and_not_for_every_row(table, monkeypatch):
    """With a million rows the latter would take days."""
    listed, plain = [], TableOracle.masks
    monkeypatch.setattr(TableOracle, "masks", lambda oracle: (listed.append(1), plain(oracle))[1])
    best(table({1: [0.5, 0.7], 2: [0.6, 0.8], 3: [0.4, 0.6]}), "score")
    assert len(listed) == 1


def test_where_the_two_have_the_same_folds_no_noise_decides(table):
    same = {1: [0.2, 0.9], 2: [0.3, 0.3], 3: [0.2, 0.9]}
    assert best(table(same), "score - 0.001 * size").noise_decides is False
    assert best(table(same), "score").noise_decides is True  # the two are the best alike; the third may be as good


def test_of_equals_the_simplest_stand_for_the_rest(table):
    """{a} and {a, b} are the best alike: only the folds of {a}, the simpler, are held against those of {b}."""
    unlike = {1: [0.5, 0.5], 2: [0.4, 0.4], 3: [0.1, 0.9]}
    assert best(table(unlike), "score").noise_decides is False
    runner_up = {1: [0.4, 0.4], 2: [0.5, 0.5], 3: [0.0, 0.8]}
    assert best(table(runner_up), "score").noise_decides is False


def test_scores_that_cannot_be_told_apart_are_equal(table):
    best_alike = {1: [0.5, 0.5], 2: [0.1, 0.7], 3: [0.5 + 1e-10, 0.5 + 1e-10]}
    assert best(table(best_alike), "score").noise_decides is True  # {b} is the runner-up, and its folds are wide
    runners_up_alike = {1: [0.5, 0.5], 2: [0.4, 0.4], 3: [0.1, 0.7 + 2e-10]}
    assert best(table(runners_up_alike), "score").noise_decides is False


def test_large_scores_that_count_as_equal_are_no_loss_to_who_chose_one(table):
    """The digits beyond the eleventh of a squared error in dollars are the rounding of sums."""
    large, hardly = -1.2e10, -1.2e10 - 4e-6
    oracle = table({1: [hardly - 9, hardly + 9], 2: [large - 1e9, large + 2e8], 3: [large - 9, large + 9]})
    found = best(oracle, "score")
    assert found.noise_decides is True  # {b} is the runner-up, and not {a}
    assert utility_regret(hardly, found.utility) == 0.0
    assert utility_regret(large - 1.0, found.utility) == pytest.approx(1.0)
    assert utility_regret(0.5 - 1e-6, 0.5) == pytest.approx(1e-6)


def test_one_very_bad_subset_makes_no_others_equal(table):
    wide = {1: [0.9, 0.9], 2: [0.1, 1.5]}
    assert best(table({**wide, 3: [0.0, 0.1]}), "score").noise_decides is True
    assert best(table({**wide, 3: [-1e13, -2e13]}), "score").noise_decides is True


def test_folds_are_those_of_the_family(table):
    wide = table({1: [0.0, 1.0], 2: [0.6, 0.6], 3: [0.5, 0.5]})
    assert best(wide, "score", Family(2, keep=0b10)).noise_decides is False


def test_thresholds_and_orders_have_an_error_too(table):
    measured = {1: [0.79, 0.83], 2: [0.7, 0.7], 3: [0.9, 0.92]}
    threshold = "where(score < 0.8, 10 * (score - 0.8), 0) - 0.01 * size"
    assert best(table(measured), threshold) == Best(pytest.approx(-0.01), True)  # a fold fewer, and {a} is below
    assert best(table({**measured, 1: [0.81, 0.81]}), threshold).noise_decides is False
    steps = Lexicographic(("score", "size"), {"score": 0.1})
    assert best(table(measured), steps).noise_decides is False
    above, below = [0.85, 0.85], [0.6, 0.98]  # only {b}, whose folds are wide, falls below the threshold at times
    assert best(table({1: below, 2: above, 3: [0.1, 0.1]}), threshold).noise_decides is True
    assert best(table({1: [0.79, 0.79], 2: [0.85, 0.95], 3: [0.1, 0.1]}), threshold).noise_decides is False
    only_one = "where(size < 2, score, 0.3)"  # the folds of the runner-up, {a, b}, do not count for this operator
    assert best(table({1: [0.5, 0.5], 2: [0.1, 0.1], 3: [0.0, 1.0]}), only_one).noise_decides is False
