"""The certificate of a selector: the strongest claim that can be shown, none where nothing worth it can be."""

from fractions import Fraction

import pytest

from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.estimator.certificate import certificate_of
from elicit.events import Asked, Assumed, Evaluated
from elicit.subsets import Family
from elicit.utility.verify import verify

#: The third attribute may not be chosen, though it was measured; the first is better than all others that were.
FAMILY = Family(3, drop=0b100)
SCORES = {0b001: 0.9, 0b010: 0.5, 0b011: 0.8, 0b100: 0.95}
THREE = {"keep": [], "drop": [2], "max_size": 3}


def certificate(subset, measured=tuple(SCORES), *said, **settings):
    """What is proven of a subset when these were measured and this was said, with what it says re-checked."""
    facts = [Asked(0, measured)]
    facts += [Evaluated(k, x, (SCORES[x], float(x.bit_count()))) for k, x in enumerate(measured)]
    elicitation = Elicitation(("a", "b", "c"), settings=Settings(**settings), family=FAMILY, facts=[*facts, *said])
    found = certificate_of(elicitation, subset)
    if found is not None:
        verify(found)
        assert found["claim"]["subset"] == [i for i in range(3) if subset >> i & 1]
    return found


def test_what_none_that_may_be_chosen_can_beat_is_proven_so_in_the_whole_family():
    claim = certificate(0b001)["claim"]
    assert (claim["scope"], claim["bound"]) == (THREE, "0")


@pytest.mark.parametrize("limit", ["attributes", "effort"])
def test_where_the_family_is_not_searched_it_is_proven_among_those_measured_that_may_be_chosen(monkeypatch, limit):
    if limit == "attributes":
        monkeypatch.setattr("elicit.estimator.certificate.MOST_ATTRIBUTES", 2)
    claim = certificate(0b001, **({"effort": 1} if limit == "effort" else {}))["claim"]
    assert (claim["scope"], claim["bound"]) == ({"subsets": [[1], [0, 1]]}, "0")


def test_the_family_is_searched_up_to_as_many_attributes_as_may_be(monkeypatch):
    monkeypatch.setattr("elicit.estimator.certificate.MOST_ATTRIBUTES", 3)
    assert certificate(0b001)["claim"]["scope"] == THREE


def test_what_some_that_nobody_measured_may_beat_is_proven_best_among_the_measured():
    claim = certificate(0b001, (0b001, 0b010, 0b100), parsimony=1.0)["claim"]
    assert (claim["scope"], claim["bound"]) == ({"subsets": [[1]]}, "0")


def test_what_another_beats_is_bounded_in_what_it_loses():
    claim = certificate(0b010)["claim"]
    assert claim["scope"] == {"subsets": [[0], [0, 1]]}
    assert Fraction(claim["bound"]) >= 1  # the margin of a clear answer


def test_among_very_many_nothing_is_said_of_what_loses_more_than_a_clear_answer(monkeypatch):
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 3)
    assert certificate(0b010) is None
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 4)
    assert certificate(0b010) is not None


def test_nothing_is_proven_where_nothing_is_known_to_be_better_than_another():
    assert certificate(0b001, (0b001,)) is None


def test_nothing_is_proven_where_what_was_said_contradicts_what_was_measured():
    said = Assumed(4, 0b010, 0b001, "strict", "prior")
    assert certificate(0b001, tuple(SCORES), said, parsimony="exact") is None


def test_nothing_is_proven_where_a_proof_would_list_too_many_monomials(monkeypatch):
    monkeypatch.setattr("elicit.utility.costs.listable", lambda *_: False)
    assert certificate(0b001) is None
