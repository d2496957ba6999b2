"""What a recommendation strains: told by whose it is, and by whether anything of it is left."""

import re
from types import SimpleNamespace

import pytest

from elicit.alongside.insight import Insight
from elicit.asks import Compare
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.errors import CertificateError
from elicit.events import Answer, Asked, Assumed, Evaluated, Preferred, Settled
from elicit.journal import read
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.oracles import CallableOracle
from elicit.proof.claims import claim_of
from elicit.proof.record_check import check_record
from elicit.proof.strained import answers_set_aside, kept_words, set_aside_of, strained_in, strained_words
from elicit.proof.why import Why
from elicit.proof.why_words import reason_lines
from elicit.sessions import begin


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


#: {a} to {a, b, c, d} and what they score; who weighs the score most says so three times, and slips once.
SCORES = {0b1: 0.5, 0b11: 0.6, 0b111: 0.7, 0b1111: 0.95}
SAID = ((0b1111, 0b1), (0b1111, 0b11), (0b111, 0b1), (0b111, 0b1111))


def answered(*pairs, equal=()):
    """A run in which this was measured, the first of each pair was preferred, and then these were called equal."""
    facts = [Asked(0, tuple(SCORES))]
    facts += [Evaluated(k, x, (score, float(x.bit_count()))) for k, (x, score) in enumerate(SCORES.items())]
    said = [*((pair, Answer.FIRST) for pair in pairs), *((pair, Answer.EQUAL) for pair in equal)]
    for request, (pair, answer) in enumerate(said, start=len(SCORES)):
        facts += [Asked(request, compare=pair), Preferred(request, *pair, answer)]
    return facts


def slipped(*more, **called):
    """A run in which who weighs the score most slipped once, and then answered more."""
    return answered(*SAID, *more, **called)


def test_an_answer_that_is_doubted_is_named_wherever_the_recommendation_is_told_of(tmp_path):
    elicitation = Elicitation(tuple("abcd"), settings=Settings(), facts=slipped())
    assert elicitation.incumbent == 0b1111
    ((doubted, slack),) = [(s, slack) for s, slack in strained_in(elicitation) if s.source is Source.OPERATOR]
    assert (doubted.better, doubted.worse, answers_set_aside([(doubted, slack)])) == (0b111, 0b1111, 1)
    told = Insight(elicitation).best()
    assert told[2] == "Your answer to question 4 speaks against it, but your other answers make that one unlikely."
    meant = Elicitation(tuple("abcd"), settings=Settings(), facts=slipped(SAID[-1]))
    assert (meant.incumbent, len(Insight(meant).best())) == (0b111, len(told) - 1)

    path = tmp_path / "slipped.jsonl"
    with begin(path, CallableOracle(SCORES.get, tuple("abcd"), takes="mask"), Settings()) as session:
        for fact in slipped():
            session.journal.append(fact)
    why = Why(read(path))
    words = reason_lines(why, why.this(), None)
    assert "you preferred another to it in question 4, but your other answers make that unlikely." in words


def test_a_doubted_answer_is_set_aside_altogether_though_the_simplest_utility_strains_it_in_part_only():
    """By a set that no earlier state has touched, as a page that is made of the journal has it."""
    doubted, other = Statement(1, 2, request=7), Statement(2, 4, request=8)
    fresh = SimpleNamespace(set_aside=lambda: ((doubted, 0.5), (other, 0.25)))
    beliefs = SimpleNamespace(fresh_utilities=lambda: fresh, doubted=(doubted,))
    assert strained_in(SimpleNamespace(beliefs=beliefs)) == ((doubted, float("inf")), (other, 0.25))


def test_contradictions_that_were_kept_are_told_in_the_order_of_their_questions():
    facts = slipped((0b1, 0b1111), (0b11, 0b1111))  # against the answers to questions 1 and 2
    facts += [Settled(20, (5, 9)), Settled(21, (4, 8))]
    assert list(kept_words(Elicitation(tuple("abcd"), facts=facts).history)) == [
        "kept and weighed, though they cannot all hold: your answers to questions 1, 5",
        "kept and weighed, though they cannot all hold: your answers to questions 2, 6",
    ]


def test_why_a_question_is_asked_takes_either_answer_as_meant_though_it_would_be_doubted():
    elicitation = Elicitation(tuple("abcd"), settings=Settings(), facts=slipped()[:-2])
    a, b = (elicitation.history.evaluated[x] for x in SAID[-1])
    told = Insight(elicitation).why(Compare(20, a, b))
    assert "If A is better: the best so far becomes A (score 0.7, size 3) instead of B (score 0.95, size 4)." in told


def test_a_doubted_answer_about_others_is_not_said_to_speak_against_what_is_recommended(tmp_path):
    path = tmp_path / "others.jsonl"
    with begin(path, CallableOracle(SCORES.get, tuple("abcd"), takes="mask"), Settings()) as session:
        for fact in answered((0b1111, 0b111), (0b111, 0b11), (0b1, 0b11)):
            session.journal.append(fact)
    why = Why(read(path))
    assert [(s.better, s.worse) for s in why.beliefs.doubted] == [(0b1, 0b11)]
    assert why.best == 0b1111
    for told in (Insight(why.elicitation).best(), reason_lines(why, why.this(), None)):
        assert not any("unlikely" in line for line in told)


def claimed(path, facts, change=None, **choices):
    """A run with this record that ended and claims what it proves, after a change of the claim; the steps that hold."""
    begun = begin(path, CallableOracle(SCORES.get, tuple("abcd"), takes="mask"), Settings(**choices))
    with begun as session:
        session.elicitation.adopt(facts)
        session.elicitation.stop("enough")
        for fact in session.elicitation.facts:
            session.journal.append(fact)
        content = claim_of(session.elicitation)
        if change is not None:
            change(content)
        session.journal.claim(content)
    return [step.words for step in check_record(read(path))]


def test_the_proofs_of_a_run_name_the_answers_that_it_doubts_and_no_others_pass(tmp_path):
    told = claimed(tmp_path / "doubted.jsonl", slipped())
    assert any("(1 answer that plausible operators doubt left out)" in words for words in told)
    assert not any("doubt" in words for words in claimed(tmp_path / "meant.jsonl", slipped(SAID[-1])))

    called_equal = claimed(tmp_path / "equal.jsonl", slipped(equal=SAID[-1:]))  # once more, and not as before
    assert any("(1 answer that plausible operators doubt left out)" in words for words in called_equal)

    def without(content):
        del content["doubted"]

    def of_others(content):
        content["doubted"] = [0]  # which is a measurement

    def of_all(content):
        content["doubted"] = [4, 5, 6, 7, 8]

    def of_the_slip(content):
        content["doubted"] = [7]

    def of_what_was_assumed(content):
        content["doubted"] = [7, 20]

    assumed = Assumed(20, 0b100, 0b1000, "strict", "operator")
    with pytest.raises(CertificateError, match="what is said to be doubted are no preferences of the operator"):
        claimed(tmp_path / "assumed.jsonl", [*slipped(), assumed], of_what_was_assumed)

    def of_an_equality(content):
        content["doubted"] = [7, 8]

    with pytest.raises(CertificateError, match="what is said to be doubted are no preferences of the operator"):
        claimed(tmp_path / "equality.jsonl", slipped(equal=[(0b1, 0b11)]), of_an_equality)

    for name, change, more, choices, why in (
        ("without", without, (), {}, "what was answered puts the subset claimed as best below {a, b, c}"),
        ("others", of_others, (), {}, "what is said to be doubted are no preferences of the operator"),
        ("twice", of_all, SAID[-1:], {}, "an answer that was given twice is not doubted"),
        *(
            (name, of_the_slip, (), {name: choice}, "answers are said to be doubted, and by the settings none is")
            for name, choice in (("doubt", 1.0), ("parsimony", "exact"), ("recommend", "regret"), ("policy", "current"))
        ),
    ):
        with pytest.raises(CertificateError, match=re.escape(why)):
            claimed(tmp_path / f"{name}.jsonl", slipped(*more), change, **choices)


@pytest.mark.parametrize("parsimony", [0.1, "exact"])
def test_what_is_recommended_may_be_in_a_circle_of_answers_and_not_below_others(tmp_path, parsimony):
    circle = answered((0b111, 0b1111), (0b1111, 0b111), (0b1, 0b111))

    def choosing(subset):
        names = list("abcd"[: subset.bit_count()])
        return lambda content: content.update(subset=names, criteria=[SCORES[subset], float(len(names))], proofs=[])

    assert any("is recommended" in words for words in claimed(tmp_path / "j", circle, parsimony=parsimony, doubt=1.0))
    claimed(tmp_path / "in", circle, choosing(0b1111), parsimony=parsimony, doubt=1.0)
    with pytest.raises(CertificateError, match=r"what was answered puts .* below \{a\}"):
        claimed(tmp_path / "below", circle, choosing(0b111), parsimony=parsimony, doubt=1.0)


def test_in_the_exact_set_a_choice_out_of_a_circle_of_answers_about_all_of_them_holds(tmp_path):
    told = claimed(tmp_path / "j", answered((1, 3), (3, 7), (7, 15), (15, 1)), parsimony="exact")
    assert any("is recommended" in words for words in told)
    assert any("no utility of this degree satisfies every statement" in words for words in told)
