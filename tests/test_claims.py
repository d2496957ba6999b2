"""What a run claims at its end, by hand: which proofs there are, in which order, and with which numbers."""

import judge
import pytest

from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.events import Answer, Asked, Evaluated, Preferred, Stopped
from elicit.proof import claims
from elicit.proof.claims import claim_of
from elicit.subsets import Family
from elicit.utility.scopes import Scope

#: Dominance puts {a} above {b} and {a, b}, {b} above {c}, and {a, b} above {a, c}, by score and size.
SCORES = {0b001: 0.9, 0b010: 0.5, 0b011: 0.8, 0b101: 0.3, 0b100: 0.1}
#: Between {a} and {a, b} nothing is said by dominance.
NEITHER = {0b001: 0.9, 0b011: 0.95, 0b100: 0.1}
ALL_BUT_ONE = (0b001, 0b010, 0b011, 0b101)
EVERYTHING = {"keep": [], "drop": [], "max_size": 3}
WHOLE = "optimal: necessarily optimal over the whole family"


def run(*said, rejected=(), measured=tuple(SCORES), scores=SCORES, **settings):
    """A run that measured these and passed those over."""
    facts = [Asked(0, measured, rejected=rejected)]
    facts += [Evaluated(k, x, (scores[x], float(x.bit_count()))) for k, x in enumerate(measured)]
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


@pytest.mark.parametrize(("most", "listed"), [(1, [0b110]), (2, [0b110, 0b111]), (9, [0b110, 0b111, 0b100])])
def test_rejections_are_claimed_in_the_order_of_their_prices_at_the_time_each_at_its_price_now(
    monkeypatch, most, listed
):
    monkeypatch.setattr(claims, "MOST_REJECTIONS", most)
    elicitation = run(rejected=((0b100, 3.0), (0b111, 2.0), (0b110, 2.0)), measured=ALL_BUT_ONE)
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


@pytest.mark.parametrize(
    ("scope", "stated"),
    [
        ("family", []),
        ("size:2", [EVERYTHING | {"max_size": 2}]),
        ("flips:1", [{"flips": 1}]),
        ("evaluated", [{"evaluated": True}]),
    ],
)
def test_a_run_that_ended_by_proof_claims_its_scope_and_the_family_even_without_other_proofs(scope, stated):
    stopped = Stopped(5, f"optimal: {Scope.of(scope).optimal}")
    claim = {"kind": "regret", "subset": [0], "bound": "0"}
    proven = [("parsimonious", claim | {"scope": where}) for where in [*stated, EVERYTHING]]
    among = ("parsimonious", claim | {"scope": {"evaluated": True}})
    assert claimed("regret", run(stopped, scope=scope), proofs=False) == proven
    assert claimed("regret", run(stopped, scope=scope)) == [*proven[:-1], among, proven[-1]]
    assert claimed("regret", run(Stopped(5, "evaluated: proven there"), scope=scope), proofs=False) == [among]
    assert claimed("regret", run(Stopped(5, "budget: 5 evaluations"), scope=scope), proofs=False) == []
    assert claimed("regret", run(scope=scope)) == [among, proven[-1]]


def test_where_the_best_loses_nothing_and_is_the_simplest_no_other_need_be_shown_to_lose():
    claim = {"kind": "least", "subset": [0], "candidates": [], "floor": "0"}
    assert claimed("least", run()) == [("parsimonious", claim)]


def test_the_family_is_searched_further_where_a_run_ended_by_that(monkeypatch):
    monkeypatch.setattr(claims, "CUBES_FOR_A_BOUND", 1)
    (_, ended), (_, going) = (claimed("regret", run(*said))[-1] for said in ([Stopped(5, WHOLE)], []))
    assert (ended["scope"], ended["bound"]) == (EVERYTHING, "0")
    assert going["scope"] == EVERYTHING
    assert 0.01 < claims.exact(going["bound"]) < 1
    (_, nearby) = claimed("regret", run(Stopped(5, f"optimal: {Scope.of('flips:1').optimal}"), scope="flips:1"))[-1]
    assert nearby == going
    (_, weak) = claimed("regret", run(Stopped(5, WHOLE), effort=1))[-1]
    assert weak == going


def test_where_only_what_may_not_be_chosen_was_measured_nothing_is_proven_of_anything():
    facts = [Evaluated(k, x, (SCORES[x], 2.0)) for k, x in enumerate((0b011, 0b101))]
    content = claim_of(Elicitation(("a", "b", "c"), family=Family(3, max_size=1), facts=facts))
    assert (content["subset"], content["proofs"], len(content["statements"])) == (None, [], 1)


def test_statements_are_listed_with_their_sources_and_requests():
    said = (Asked(5, compare=(1, 3)), Preferred(5, 1, 3, Answer.SECOND))
    content = claim_of(run(*said, measured=tuple(NEITHER), scores=NEITHER))
    assert content["subset"] == ["a", "b"]
    assert [(s["better"], s["worse"], s["source"], s["request"]) for s in content["statements"]] == [
        ([0], [2], "dominance", None),
        ([0, 1], [0], "operator", 5),
    ]


def test_what_the_best_may_lose_is_bounded_and_the_others_are_shown_to_lose_as_much():
    elicitation = run(measured=tuple(NEITHER), scores=NEITHER)
    utilities = elicitation.beliefs.fresh_utilities()
    mine, theirs = (utilities.maximum({x: 1.0, y: -1.0}).value for x, y in ((0b011, 0b001), (0b001, 0b011)))
    (_, among), *_ = claimed("regret", elicitation)
    ((_, least),) = claimed("least", elicitation)
    assert (among["subset"], among["scope"], least["candidates"]) == ([0], {"evaluated": True}, [[0, 1]])
    assert 0 < mine <= claims.exact(among["bound"]) <= mine + 1e-5
    assert theirs - 1e-5 <= claims.exact(least["floor"]) <= theirs


def test_what_was_not_proven_optimal_in_the_family_is_bounded_there():
    elicitation = run(measured=(0b001, 0b010, 0b100), parsimony=1.0)
    utilities = elicitation.beliefs.fresh_utilities()
    worst = max(utilities.maximum({y: 1.0, 0b001: -1.0}).value for y in range(2, 8))
    (_, among), (_, family) = claimed("regret", elicitation)
    assert (among["bound"], among["scope"]) == ("0", {"evaluated": True})
    assert family["scope"] == EVERYTHING
    assert worst > 0.1
    assert worst <= claims.exact(family["bound"]) <= worst + 1e-5
