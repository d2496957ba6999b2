"""Rejections: what is recorded of them does not hang on the last digits of a solver, and when none is looked for."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide import exploring
from elicit.decide.elicitation import Elicitation
from elicit.decide.exploring import recorded
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.operators import SimulatedOperator
from elicit.oracles import SyntheticOracle


@given(st.integers(0, 2**12), st.integers(0, 12), st.floats(-1e-11, 1e-11))
def test_a_price_that_is_a_simple_fraction_is_recorded_the_same_whatever_the_solver_adds(numerator, power, dust):
    price = float(Fraction(numerator, 2**power))
    assert recorded(price + dust) == recorded(price)
    assert recorded(price) == pytest.approx(price, abs=6e-7)


def rejections(**changes):
    """How many subsets were evaluated at each round of one run in which a proposal was rejected."""
    oracle = SyntheticOracle.drawn(9, np.random.default_rng(0), size=True)
    elicitation = Elicitation(oracle.attributes, oracle.criteria, Settings(ask_every=1, budget=60, **changes), seed=0)
    drive(elicitation, oracle, SimulatedOperator("score - 0.1 * size", oracle.criteria))
    rounds = elicitation.history.rounds
    known = np.cumsum([0, *(len(r.evaluate) for r in rounds)]).tolist()
    return [k for k, r in zip(known, rounds, strict=False) if r.rejected]


def test_a_forecast_that_knows_very_many_is_believed_unless_rejections_are_counted(monkeypatch):
    found = rejections()
    assert min(found) < 28
    assert max(found) > 50
    monkeypatch.setattr(exploring, "MOST_ASKED", 28)
    found = rejections()
    assert 26 <= min(found) <= max(found) <= 28
    monkeypatch.setattr(exploring, "MOST_ASKED", 20)
    assert not rejections()
    assert rejections(stop=("rejections",))
    assert max(rejections(explore="law")) > 50
