"""Polished multipliers: they prove half of what can be proven, and none of a smaller sum does."""

from itertools import permutations

import numpy as np
import pytest
from instances import batch, random_case
from scipy.optimize import linprog

from elicit.utility import tolerances
from elicit.utility.exact import ExactSet
from elicit.utility.polishing import sparse_multipliers
from elicit.utility.sets import difference, statement_rows


def proven(utilities, d, gain, multipliers):
    """What multipliers prove of a gain, by the bounds of the set."""
    rest = np.abs(gain + multipliers @ d)
    strict = sum(x for x, s in zip(multipliers, utilities.statements, strict=True) if s.strict)
    if isinstance(utilities, ExactSet):
        return rest.sum() - utilities.delta * strict
    shares = [*(rest / utilities.settings.weights_of(utilities.monomials)), *(np.abs(multipliers) / utilities.limits)]
    return utilities.budget * max(shares) - strict


def least_sum(utilities, d, gain, most):
    """min Σ |λ| with every monomial in a row of its own: λ = λ⁺ − λ⁻, and one share or a rest for each monomial."""
    m, p = d.shape
    strict = np.array([s.strict for s in utilities.statements], dtype=float)
    signed = [None if s.relation.value == "equal" else 0.0 for s in utilities.statements]
    if isinstance(utilities, ExactSet):
        paid, cost, promised, count = np.eye(p), np.ones(p), utilities.delta * strict, p
        limits = np.zeros((0, m + p))
    else:
        paid, cost = utilities.settings.weights_of(utilities.monomials)[:, None], np.array([utilities.budget])
        promised, count = strict, 1
        limits = np.vstack([np.hstack([sign * np.eye(m), -utilities.limits[:, None]]) for sign in (1, -1)])
    both = np.vstack([d, -d])
    signs = np.hstack([np.eye(m), -np.eye(m)])
    rows = np.vstack(
        [
            np.hstack([both.T, -paid]),
            np.hstack([-both.T, -paid]),
            np.hstack([limits[:, :m] @ signs, limits[:, m:]]),
            np.concatenate([-promised, promised, cost])[None, :],
        ]
    )
    bounds = [(0, None)] * m + [(0, None) if low is None else (0, 0) for low in signed] + [(0, None)] * count
    limit = np.concatenate([-gain, gain, np.zeros(len(limits)), [most]])
    return linprog(np.concatenate([np.ones(2 * m), np.zeros(count)]), A_ub=rows, b_ub=limit, bounds=bounds).fun


@pytest.mark.parametrize("kind", ["exact", "parsimonious"])
def test_multipliers_of_least_sum_prove_half_of_what_can_be_proven(kind):
    seen = 0
    for case in (*batch(0), *(random_case(np.random.default_rng(k), 7, 6, 2) for k in range(20))):
        utilities = getattr(case, kind)()
        if getattr(utilities, "conflict", None) is not None or not utilities.informative:
            continue
        d = statement_rows(utilities.monomials, utilities.statements)
        for x, y in list(permutations(utilities.evaluated, 2))[:12]:
            value = utilities.maximum(difference(y, x)).value
            found = sparse_multipliers(utilities, y, x, value)
            assert (found is None) == (value > -tolerances.DECISION)
            if found is None:
                continue
            gain = utilities.monomials.row(y) - utilities.monomials.row(x)
            assert proven(utilities, d, gain, np.array(found)) <= value / 2 + 1e-6
            assert np.abs(found).sum() == pytest.approx(least_sum(utilities, d, gain, value / 2), rel=1e-5, abs=1e-6)
            seen += 1
    assert seen > 20
