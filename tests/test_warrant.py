"""The warrant of a choice: the strongest claim that can be shown, and none where nothing worth it can be."""

from types import SimpleNamespace

import pytest

from elicit.estimator import warrant
from elicit.estimator.warrant import MOST_ATTRIBUTES, warrant_of
from elicit.subsets import Family


@pytest.mark.parametrize(
    ("known", "claim"),
    [
        ({}, "best in the family"),
        ({"n": MOST_ATTRIBUTES + 1}, "best of [1, 2] by 0"),  # what was measured outside the family does not count
        ({"in_family": False}, "best of [1, 2] by 0"),
        ({"in_family": False, "least": 1}, "best of [1, 2] by None"),
        ({"in_family": False, "least": None}, None),
        ({"in_family": False, "beyond": True}, None),
        ({"beyond": True}, "best in the family"),
        ({"decides": False}, None),
    ],
)
def test_the_warrant_is_the_strongest_claim_that_can_be_shown(monkeypatch, known, claim):
    known = {"n": MOST_ATTRIBUTES, "in_family": True, "least": 0, "beyond": False, "decides": True} | known
    utilities = SimpleNamespace(evaluated=[1, 2, 4])
    family = Family(known["n"], drop=4)

    def optimal(_, subset, scope, *, most_cubes):
        assert (subset, scope, most_cubes) == (1, family, 7)
        return "best in the family" if known["in_family"] else None

    def best_among(_, subset, rivals, bound=0):
        shown = known["least"] is not None and (bound is None or known["least"] <= bound)
        return f"best of {rivals} by {bound}" if subset == 1 and shown else None

    monkeypatch.setattr(warrant, "certify_optimal", optimal)
    monkeypatch.setattr(warrant, "certify_best_among", best_among)
    monkeypatch.setattr(warrant, "Regrets", lambda of: of)
    monkeypatch.setattr(warrant, "beyond_worth", lambda *_: known["beyond"])
    beliefs = SimpleNamespace(decides=known["decides"], fresh_utilities=lambda: utilities)
    elicitation = SimpleNamespace(beliefs=beliefs, family=family, settings=SimpleNamespace(effort=7))
    assert warrant_of(elicitation, 1) == claim
