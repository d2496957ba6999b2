"""An explanation names the statements that a proof rests on, the weightiest first, in words."""

import pytest
from instances import batch

from elicit.knowledge.statements import Relation, Source, Statement
from elicit.subsets import Attributes, Family
from elicit.utility.certificates import (
    certify_best_among,
    certify_inconsistent,
    certify_optimal,
    certify_possible,
    certify_preference,
    certify_rejection,
)
from elicit.utility.exact import ExactSet
from elicit.utility.explain import Cause, Explanation, explain
from elicit.utility.monomials import Monomials

NAMES = Attributes(("x", "y", "z"))
X, Y, Z = 1, 2, 4
SAID = (
    Statement(X, Y, Relation.STRICT, Source.OPERATOR, 3.0, request=7),
    Statement(Y, Z, Relation.STRICT, Source.DOMINANCE),
)


def exact(statements=SAID, **options):
    return ExactSet(3, [X, Y, Z], statements, degree=1, **options)


def test_a_chain_is_told_link_by_link():
    told = explain(certify_preference(exact(), X, Z), SAID, NAMES)
    assert told.words(NAMES) == (
        "{x} is at least as good as {z}, because you preferred {x} to {y} (question 7), and {y} dominates {z}."
    )
    assert [c.share for c in told.causes] == [0.5, 0.5]


def test_claims_are_told_in_words():
    theirs = exact()
    assert explain(certify_rejection(theirs, Z), SAID, NAMES).words(NAMES).startswith("{z} cannot be best, because ")
    assert explain(certify_possible(theirs, X), SAID, NAMES).words(NAMES) == "{x} can be best."
    among = explain(certify_best_among(theirs, X, [Y, Z]), SAID, NAMES)
    assert among.claim == "{x} is at least as good as each of 2 others"
    bounded = explain(certify_optimal(theirs, X, Family(3), 3.0), SAID, NAMES)
    assert bounded.claim == "{x} is within 3 of every subset that may be chosen"
    only = explain(certify_optimal(theirs, X, Family(3, max_size=1)), SAID, NAMES)
    assert only.claim == "{x} is at least as good as every subset that may be chosen"


def test_a_contradiction_names_those_that_cannot_hold_together():
    quarrel = (*SAID, Statement(Z, X, Relation.STRICT, Source.OPERATOR, 3.0))
    told = explain(certify_inconsistent(Monomials.full(3, 1), quarrel), quarrel, NAMES)
    assert told.claim == "These statements cannot all hold"
    assert {c.statement for c in told.causes} == set(quarrel)
    assert "you preferred {z} to {x}" in told.words(NAMES)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (Statement(X, Y, Relation.WEAK), "you found {x} at least as good as {y}"),
        (Statement(X | Z, Y, Relation.EQUAL, request=2), "you found {x, z} and {y} equally good (question 2)"),
        (Statement(X, Y, Relation.STRICT, Source.PRIOR), "{x} ≻ {y} (prior)"),
        (Statement(X, Y, Relation.WEAK, Source.DEDUCED), "{x} ≽ {y} (deduced from your answers)"),
        (Statement(X, Y, Relation.EQUAL, Source.PRIOR), "{x} ~ {y} (prior)"),
        (Statement(X, Y, Relation.STRICT, Source.DOMINANCE), "{x} dominates {y}"),
    ],
)
def test_every_kind_of_statement_has_its_words(statement, words):
    assert Cause(statement, 1.0).words(NAMES) == words


@pytest.mark.parametrize(
    ("request_id", "words"),
    [
        (7, "you preferred {x} to {y} (question 7, set aside, at a price that counts)"),
        (None, "you preferred {x} to {y} (set aside, at a price that counts)"),
    ],
)
def test_an_answer_that_is_set_aside_and_still_proves_something_is_told_as_such(request_id, words):
    assert Cause(Statement(X, Y, request=request_id), 1.0, set_aside=True).words(NAMES) == words


def test_of_the_statements_behind_a_proof_those_set_aside_are_marked():
    told = explain(certify_preference(exact(), X, Z), SAID, NAMES, aside=SAID[:1])
    assert {c.statement: c.set_aside for c in told.causes} == {SAID[0]: True, SAID[1]: False}


def test_against_one_rival_it_is_named():
    told = explain(certify_best_among(exact(), X, [Z]), SAID, NAMES)
    assert told.claim == "{x} is at least as good as {z}"


def test_at_most_three_causes_come_first_and_the_rest_on_request():
    causes = tuple(Cause(Statement(1 << i, 1 << i + 1), 0.25) for i in range(4))
    told = Explanation("So it is", causes)
    many = Attributes.numbered(5)
    assert told.words(many).endswith(" (and 1 more).")
    assert told.words(many).count("you preferred") == 3
    assert told.words(many, most=None).count("you preferred") == 4
    assert "more" not in told.words(many, most=None)


def test_multipliers_too_large_for_a_float_have_their_shares():
    """Over the common denominator of many pieces they have hundreds of digits."""
    certificate = certify_preference(exact(), X, Z)
    certificate["proof"]["cuts"] = [[[0, 10**400], [1, 3 * 10**400]]]
    assert [c.share for c in explain(certificate, SAID, NAMES).causes] == [0.75, 0.25]


def test_causes_are_ranked_and_their_shares_sum_to_one():
    explained = 0
    for case in batch(0) + batch(1):
        names = Attributes.numbered(case.told.n)
        theirs = case.parsimonious()
        for v in case.everything:
            certificate = certify_rejection(theirs, v)
            if certificate is not None:
                explained += 1
                told = explain(certificate, case.statements, names)
                shares = [c.share for c in told.causes]
                assert sum(shares) == pytest.approx(1)
                assert shares == sorted(shares, reverse=True)
                used = {r: abs(x) for r, x in certificate["proof"]["multipliers"]}
                assert {c.statement for c in told.causes} == {case.statements[r] for r in used}
                assert shares == pytest.approx([x / sum(used.values()) for x in sorted(used.values(), reverse=True)])
    assert explained > 10
