"""What a recommendation strains: told by whose it is, and by whether anything of it is left."""

import pytest

from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.events import Answer, Asked, Evaluated, Preferred
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.proof.strained import answers_set_aside, set_aside_of, strained_in, strained_words


def test_what_is_set_aside_is_told_apart_from_what_is_honoured_in_part():
    def said(slack, **about):
        return Statement(1, 2, **about), slack

    measured = [said(slack, source=Source.DOMINANCE) for slack in (3.0, 0.25, 1.0)]
    strained = [
        *measured,
        said(1.0 - 1e-12, request=9),
        said(0.5, request=4),
        said(2.0, request=6, relation=Relation.EQUAL),
        said(1.0, relation=Relation.WEAK, source=Source.DEDUCED),
        said(0.1, source=Source.PRIOR, request=5),  # a request, but of no question
    ]
    aside, part = "set aside, since the rest speaks against it: ", "honoured at less than full strength"
    assert list(strained_words(strained, {4: 1, 6: 2, 9: 3}, "abc".__getitem__)) == [
        f"{aside}your answer to question 3, b above c",
        f"{part}, since the rest speaks against it: your answer to question 1, b above c",
        f"{aside}your answer to question 2, b equal to c",
        f"{aside}deduced from your answers, b at least as good as c",
        f"{part}, since the rest speaks against it: assumed, b above c",
        "set aside: 2 of the orders that were measured, as noise",
        f"{part}: 1 of the orders that were measured",
    ]
    assert answers_set_aside(strained) == 2
    assert set_aside_of(strained) == {statement for statement, slack in strained if slack > 0.9}


@pytest.mark.parametrize(("slack", "aside"), [(0.5, False), (0.99, False), (1 - 1e-7, True), (1.0, True), (1.5, True)])
def test_nothing_is_left_of_what_a_clear_answer_falls_short_of_but_for_rounding(slack, aside):
    answer = Statement(2, 4, Relation.WEAK, Source.OPERATOR, 3.0, 7), slack
    how = "set aside" if aside else "honoured at less than full strength"
    assert list(strained_words([answer], {7: 2}, str)) == [
        f"{how}, since the rest speaks against it: your answer to question 2, 2 at least as good as 4"
    ]
    assert answers_set_aside([answer]) == aside
    assert set_aside_of([answer]) == ({answer[0]} if aside else set())


def strained(*scores_and_answer, parsimony):
    """What is strained where {a} and {b} have these scores and, with an answer, {b} was compared with {a}."""
    first, second, *answer = scores_and_answer
    facts = [Asked(0, (1, 2)), Evaluated(0, 1, (first, 1.0)), Evaluated(1, 2, (second, 1.0))]
    facts += [fact for a in answer for fact in (Asked(2, compare=(2, 1)), Preferred(2, 2, 1, a))]
    told = strained_in(Elicitation(("a", "b"), settings=Settings(parsimony=parsimony, degree=1), facts=facts))
    return [(s.source.value, pytest.approx(slack)) for s, slack in told]


@pytest.mark.parametrize("parsimony", [0.1, "exact"])
def test_what_agrees_strains_nothing(parsimony):
    assert strained(0.9, 0.5, parsimony=parsimony) == []
    assert strained(0.9, 0.5, Answer.SECOND, parsimony=parsimony) == []
    assert strained(0.5, 0.5, Answer.EQUAL, parsimony=parsimony) == []
    assert strained(0.5, 0.5, parsimony=parsimony) == []


def test_where_an_answer_contradicts_what_was_measured_the_lighter_gives_way_or_none_can_stay():
    # θ_b − θ_a = 1 as the answer wants, so the measured θ_a − θ_b ≥ 1 lacks 2; in the exact set both cannot hold
    assert strained(0.9, 0.5, Answer.FIRST, parsimony=0.1) == [("dominance", 2)]
    infinite = float("inf")
    assert strained(0.9, 0.5, Answer.FIRST, parsimony="exact") == [("dominance", infinite), ("operator", infinite)]
