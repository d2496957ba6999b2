"""Pairs that are expected to interact: the least-norm utility with their own weight, and its guards."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings, settings_from
from elicit.errors import InputError
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Attributes
from elicit.utility.kernel import least_norm
from elicit.utility.monomials import Monomials, Utility

N = 4
MONOMIALS = Monomials.full(N, 2)
EVERYTHING = range(1, 1 << N)


def statements(seed):
    rng = np.random.default_rng(seed)
    drawn = rng.permutation(np.arange(1, 1 << N))[:6]
    return [Statement(int(a), int(b)) for a, b in pairwise(drawn)]


def by_brute_force(given, pairs, slack, margins=1.0):
    """min ½ Σ ω_S θ_S² + C Σ s_r with θ listed, as a smooth program with bounds."""
    expected = [sum(1 << k for k in pair) for pair in pairs]
    omega = np.array([1.0 if t.bit_count() == 1 or t in expected else 2.0 for t in MONOMIALS.terms])
    D = MONOMIALS.rows([s.better for s in given]) - MONOMIALS.rows([s.worse for s in given])
    m = len(omega)
    found = minimize(
        lambda x: 0.5 * omega @ x[:m] ** 2 + slack * x[m:].sum(),
        np.zeros(m + len(D)) + 0.1,
        jac=lambda x: np.concatenate([omega * x[:m], np.full(len(D), slack)]),
        bounds=[(None, None)] * m + [(0, None)] * len(D),
        constraints={
            "type": "ineq",
            "fun": lambda x: D @ x[:m] + x[m:] - margins,
            "jac": lambda _: np.c_[D, np.eye(len(D))],
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    return Utility.of(MONOMIALS, found.x[:m])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pairs", [(), ((0, 1),), ((0, 3), (1, 2), (2, 3))])
def test_the_least_norm_with_expected_pairs_is_that_of_brute_force(seed, pairs):
    given = statements(seed)
    ours, theirs = least_norm(N, given, pairs=pairs, slack=3.0), by_brute_force(given, pairs, 3.0)
    assert ours.values(EVERYTHING) == pytest.approx(theirs.values(EVERYTHING), abs=1e-4)
    assert ours.power("shapley") == pytest.approx(theirs.power("shapley"), abs=1e-4)
    assert ours.power("banzhaf") == pytest.approx(theirs.power("banzhaf"), abs=1e-4)
    assert ours.interactions() == pytest.approx(theirs.interactions(), abs=1e-4)


@pytest.mark.parametrize("seed", range(6))
def test_the_least_norm_with_margins_of_their_own_is_that_of_brute_force(seed):
    given, margins = statements(seed), np.random.default_rng(seed).uniform(0.5, 3.0, 5)
    ours, theirs = least_norm(N, given, slack=3.0, margins=margins), by_brute_force(given, (), 3.0, margins)
    assert ours.values(EVERYTHING) == pytest.approx(theirs.values(EVERYTHING), abs=1e-4)
    assert ours.values(EVERYTHING) != pytest.approx(least_norm(N, given, slack=3.0).values(EVERYTHING), abs=1e-2)


def test_a_margin_widens_strict_statements_alone():
    weak = Statement(0b0011, 0b0001, Relation.WEAK)
    given = [Statement(0b0100, 0b1000), weak]
    plain, wide = (least_norm(N, given, slack=50.0, margins=margins) for margins in (None, np.array([2.0, 9.0])))
    assert wide.values(EVERYTHING) == pytest.approx(2 * plain.values(EVERYTHING), abs=1e-3)


def test_an_expected_pair_takes_more_of_the_credit():
    given = [Statement(0b0011, 0b0001), Statement(0b0011, 0b0010)]
    expected, not_expected = least_norm(N, given, pairs=[(0, 1)]), least_norm(N, given)
    assert expected.interactions()[0, 1] > not_expected.interactions()[0, 1]


def test_settings_keep_pairs_through_plain_data():
    chosen = Settings(pairs=((2, 0), (0, 2), (1, 3)))
    assert chosen.pairs == ((0, 2), (1, 3))
    assert settings_from({**chosen.plain(), "pairs": [[0, 2], [1, 3]]}) == chosen


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"pairs": [[0, 0]]}, "two different"),
        ({"pairs": [[0]]}, "positions of two"),
        ({"pairs": [[0, "a"]]}, "positions of two"),
        ({"pairs": [[0, 1]], "theta": "L1"}, "theta = 'L2'"),
        ({"pairs": [[0, 1]], "degree": 1}, "degree 2 or 3"),
    ],
)
def test_impossible_pairs_are_refused(choices, words):
    with pytest.raises(InputError, match=words):
        settings_from(choices)


def test_a_pair_beyond_the_attributes_is_refused():
    with pytest.raises(InputError, match="beyond the 3 attributes"):
        Elicitation(Attributes(("a", "b", "c")), settings=Settings(pairs=((0, 3),)))
    with pytest.raises(InputError, match="positions i < j"):
        least_norm(3, [Statement(1, 2)], pairs=[(0, 3)])
