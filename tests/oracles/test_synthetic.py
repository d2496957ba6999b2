"""The synthetic oracle's score is the hidden f_θ."""

from __future__ import annotations

import math

import numpy as np
import pytest

from elicit.asks import Evaluate
from elicit.errors import InputError
from elicit.oracles import SyntheticOracle


def test_the_score_sums_what_lies_inside():
    oracle = SyntheticOracle(["a", "b", "c"], {1: 1.0, 2: 2.0, 3: -5.0, 6: 0.25})
    scores = [oracle(Evaluate(0, mask)).criteria for mask in range(1, 8)]
    assert scores == [(1.0,), (2.0,), (-2.0,), (0.0,), (1.0,), (2.25,), (-1.75,)]
    assert [c.name for c in oracle.criteria] == ["score"]


def test_size_joins_on_request():
    oracle = SyntheticOracle(3, {1: 1.0}, size=True)
    assert oracle(Evaluate(0, 5)).criteria == (1.0, 2.0)
    assert [c.name for c in oracle.criteria] == ["score", "size"]


def test_a_drawn_truth_depends_on_the_generator_alone():
    first, again, other = (SyntheticOracle.drawn(6, np.random.default_rng(s)) for s in (1, 1, 2))
    assert first.theta == again.theta
    assert first.fingerprint == again.fingerprint != other.fingerprint
    assert len(first.theta) == 6 + 15
    flat = SyntheticOracle.drawn(6, np.random.default_rng(1), interaction=0.0)
    assert flat.value(63) == pytest.approx(sum(flat.theta[1 << i] for i in range(6)), abs=1e-12)


def test_the_order_of_theta_changes_nothing():
    theta = {1 << i: 0.1 * 3**i for i in range(10)} | {3: 1e-17}
    turned = dict(reversed(theta.items()))
    one, two = SyntheticOracle(10, theta), SyntheticOracle(10, turned)
    assert one.fingerprint == two.fingerprint
    assert all(one.value(m) == two.value(m) for m in range(1, 1024))
    assert one.value(1023) == math.fsum(theta.values())


@pytest.mark.parametrize(
    ("theta", "words"),
    [
        ({7: 1.0}, "single attributes and pairs, found 1.0 for 0b111"),
        ({8: 1.0}, "beyond the 3 there are"),
        ({0: 1.0}, "the empty subset"),
        ({1: math.nan}, "finite numbers .* found nan for 0b1"),
    ],
)
def test_a_theta_that_is_not_2_additive_is_refused(theta, words):
    with pytest.raises(InputError, match=words):
        SyntheticOracle(3, theta)
