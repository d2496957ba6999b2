"""What a run claims at its end, by hand: which proofs there are, in which order, and with which numbers."""

import judge
import pytest

from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.events import Asked, Evaluated, Stopped
from elicit.proof import claims
from elicit.proof.claims import claim_of

#: Dominance puts {a} above {b} and {a, b}, {b} above {c}, and {a, b} above {a, c}, by score and size.
SCORES = {0b001: 0.9, 0b010: 0.5, 0b011: 0.8, 0b101: 0.3, 0b100: 0.1}
ALL_BUT_ONE = (0b001, 0b010, 0b011, 0b101)
EVERYTHING = {"keep": [], "drop": [], "max_size": 3}
WHOLE = "optimal: necessarily optimal over the whole family"


def run(*said, rejected=(), measured=tuple(SCORES), **settings):
    """A run that measured these and passed those over."""
    facts = [Asked(0, measured, rejected=rejected)]
    facts += [Evaluated(k, x, (SCORES[x], float(x.bit_count()))) for k, x in enumerate(measured)]
    return Elicitation(("a", "b", "c"), settings=Settings(**settings), facts=[*facts, *said])


def claimed(kind, elicitation, **how):
    """The set and the claim of every proof of a kind."""
    found = [(proof["set"], proof["claim"]) for proof in claim_of(elicitation, **how)["proofs"]]
    return [(space, claim) for space, claim in found if claim["kind"] == kind]


def price_by_the_judge(elicitation, x):
    utilities = elicitation.beliefs.fresh_utilities()
    said = [(s.better, s.worse, s.relation.value, s.weight) for s in utilities.statements]
    settings, monos = utilities.settings, judge.monomials(3, utilities.settings.degree)
    return judge.price(x, utilities.evaluated, said, monos, settings.slack, settings.weights[: settings.degree])


@pytest.mark.parametrize(("most", "listed"), [(1, [0b100]), (2, [0b100, 0b110]), (9, [0b100, 0b110, 0b111])])
def test_rejections_are_claimed_cheapest_first_then_simplest_each_at_its_price(monkeypatch, most, listed):
    monkeypatch.setattr(claims, "MOST_REJECTIONS", most)
    elicitation = run(rejected=((0b111, 2.0), (0b110, 2.0), (0b100, 1.0)), measured=ALL_BUT_ONE)
    found = [claim for _, claim in claimed("rejected", elicitation)]
    assert [sum(1 << i for i in claim["subset"]) for claim in found] == listed
    for x, claim in zip(listed, found, strict=True):
        price = price_by_the_judge(elicitation, x)
        assert price - 2 * claims.PRICE_STEP < float(claim["price"]) < price
        assert claim.keys() == {"kind", "subset", "price"}


def test_what_may_be_best_by_now_is_not_claimed_as_rejected_and_takes_no_place_of_another(monkeypatch):
    monkeypatch.setattr(claims, "MOST_REJECTIONS", 1)
    elicitation = run(rejected=((0b100, 1.0), (0b110, 3.0)), measured=ALL_BUT_ONE, parsimony=1.0)
    assert price_by_the_judge(elicitation, 0b100) == pytest.approx(2 / 3)
    assert [claim["subset"] for _, claim in claimed("rejected", elicitation)] == [[1, 2]]


@pytest.mark.parametrize(("tau", "stated"), [(1.9998, "1.9999"), (1.9999, "1.9999"), (1.99995, "1.99995")])
def test_a_price_is_rounded_down_but_never_below_what_the_run_asked_for(tau, stated):
    elicitation = run(rejected=((0b110, 1.0),), parsimony=tau)
    assert [claim["price"] for _, claim in claimed("rejected", elicitation)] == [stated]


def test_in_the_exact_set_what_is_rejected_has_no_price():
    elicitation = run(rejected=((0b110, 0.0),), parsimony="exact", degree=1)
    assert claimed("rejected", elicitation) == [("slice", {"kind": "rejected", "subset": [1, 2]})]


def test_without_proofs_only_what_an_end_by_proof_needs_is_claimed():
    family = [("parsimonious", {"kind": "regret", "subset": [0], "bound": "0", "scope": EVERYTHING})]
    assert claimed("regret", run(Stopped(5, WHOLE)), proofs=False) == family
    assert claimed("regret", run(Stopped(5, "evaluated: 5 of 5")), proofs=False) == []
    assert claimed("regret", run(), proofs=False) == []
    among = ("parsimonious", {"kind": "regret", "subset": [0], "bound": "0", "scope": {"evaluated": True}})
    assert claimed("regret", run()) == [among, *family]


def test_what_was_not_proven_optimal_in_the_family_is_bounded_there():
    elicitation = run(measured=(0b001, 0b010, 0b100), parsimony=1.0)
    utilities = elicitation.beliefs.fresh_utilities()
    worst = max(utilities.maximum({y: 1.0, 0b001: -1.0}).value for y in range(2, 8))
    (_, among), (_, family) = claimed("regret", elicitation)
    assert (among["bound"], among["scope"]) == ("0", {"evaluated": True})
    assert family["scope"] == EVERYTHING
    assert worst > 0.1
    assert worst <= claims.exact(family["bound"]) <= worst + 1e-5
