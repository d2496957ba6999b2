"""Beliefs: what is recommended is in the family, ties go to the simplest, and unasked the score decides."""

import pytest

from elicit.decide.beliefs import Beliefs, best_by_score
from elicit.decide.settings import Settings
from elicit.events import Answer, Assumed, Evaluated, Preferred
from elicit.knowledge.history import History
from elicit.subsets import Attributes, Family


def knowing(scores, *answers, family=None, carried=(), **choices):
    """Beliefs where these subsets have these scores, after answers that prefer the first of two, here or before."""
    facts = [Assumed(200 + k, a, b, "strict", "prior") for k, (a, b) in enumerate(carried)]
    facts += [Evaluated(k, m, (score, float(m.bit_count()))) for k, (m, score) in enumerate(scores.items())]
    facts += [Preferred(100 + k, a, b, Answer.FIRST) for k, (a, b) in enumerate(answers)]
    history = History.of(Attributes.numbered(4), facts)
    return Beliefs(history, Family(4) if family is None else family, Settings(**choices))


@pytest.mark.parametrize("choices", [{}, {"questions": 0}, {"recommend": "regret"}, {"parsimony": "exact"}])
def test_what_was_measured_outside_the_family_is_neither_recommended_nor_in_the_way(choices):
    family = Family(4, keep=0b10, drop=0b1000)
    beliefs = knowing({0b1: 0.9, 0b1010: 0.8, 0b10: 0.3, 0b110: 0.2}, family=family, **choices)
    assert beliefs.incumbent == beliefs.favourite == 0b10
    assert beliefs.candidates == [0b10]
    assert knowing({0b1: 0.9}, family=family, **choices).incumbent is None


def test_of_those_liked_alike_or_scored_alike_the_simplest_comes_first():
    nothing_said = knowing({0b111: 0.5, 0b1000: 0.2, 0b11: 0.3, 0b100: 0.2})  # none dominates another
    assert nothing_said.by_liking([0b111, 0b1000, 0b11, 0b100]) == [0b100, 0b1000, 0b11, 0b111]
    assert nothing_said.liked_best([0b111, 0b1000, 0b100]) == 0b100
    alike = knowing({0b111: 0.5, 0b1000: 0.5, 0b100: 0.5, 0b1: 0.4}).history
    assert best_by_score(alike, [0b111, 0b1000, 0b100, 0b1]) == 0b100
    assert best_by_score(alike, []) is None


def test_where_nobody_is_asked_the_score_decides_among_what_no_answer_of_before_puts_below_another():
    scores = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9}
    assert knowing(scores, questions=0).incumbent == 0b111
    said = knowing(scores, (0b1, 0b111), (0b1, 0b11), questions=0)
    assert said.incumbent == 0b1


def test_answers_in_a_circle_leave_something_to_recommend():
    scores = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9}
    circle = ((0b1, 0b11), (0b11, 0b111), (0b111, 0b1))
    for choices in ({}, {"recommend": "regret"}, {"parsimony": "exact"}, {"parsimony": "exact", "recommend": "regret"}):
        beliefs = knowing(scores, *circle, **choices)
        assert beliefs.incumbent in scores
        assert beliefs.incumbent_regret.subset == beliefs.incumbent


def test_a_recommendation_outside_the_stated_part_of_the_family_is_not_said_to_be_proven_in_it():
    large = knowing({0b1: 0.5, 0b111: 0.9}, (0b111, 0b1), scope="size:2")
    assert large.incumbent == 0b111
    assert large.scope_regret is None
    assert not large.proven_optimal


@pytest.mark.parametrize("choices", [{}, {"questions": 0}, {"recommend": "regret"}, {"parsimony": "exact"}])
def test_what_carried_answers_put_below_by_way_of_one_that_was_not_measured_is_not_recommended(choices):
    scores = {0b1: 0.5, 0b110: 0.7, 0b111: 0.75, 0b1111: 0.8}
    chain = ((0b1, 0b1000), (0b1000, 0b110))  # {a4} was measured in another run
    beliefs = knowing(scores, carried=chain, **choices)
    assert beliefs.candidates == [0b1, 0b111, 0b1111]
    assert beliefs.incumbent != 0b110
    assert knowing(scores, carried=chain[1:], **choices).candidates == [*scores]
