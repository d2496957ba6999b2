"""Answers that cannot all hold open the repair at the next request, whether or not checks are ever asked."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import journals
import numpy as np
import pytest

from elicit.alongside.insight import Insight
from elicit.asks import Compare, Done, Evaluate, Measured, Reconcile, Settlement, TakeBack
from elicit.commands.ending_reasons import reasons, statements_set_aside
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError, ProtocolError
from elicit.events import Answer, Asked, Assumed, Evaluated, Preferred, Settled
from elicit.journal import read
from elicit.oracles import CallableOracle
from elicit.proof.record_check import check_record
from elicit.proof.strained import kept_words, set_aside_of
from elicit.sessions import begin, resume
from elicit.subsets import Attributes
from elicit.utility.explain import Cause

UNCHECKED = Settings(budget=12, check_every=0, stop=())

#: Subsets by name with (score, size): c, d and e are on the front with a and b; a dominates z.
MEASURED = {
    "a": (0b0001, (0.60, 1.0)),
    "b": (0b0011, (0.70, 2.0)),
    "c": (0b0111, (0.80, 3.0)),
    "d": (0b1111, (0.90, 4.0)),
    "z": (0b1010, (0.50, 2.0)),
}


def after(*answers):
    """A run in which these were measured, and these pairs answered in this order."""
    facts = [Asked(0, tuple(mask for mask, _ in MEASURED.values()))]
    facts += [Evaluated(k, mask, values) for k, (mask, values) in enumerate(MEASURED.values())]
    for k, (first, second, answer) in enumerate(answers, start=len(MEASURED)):
        pair = (MEASURED[first][0], MEASURED[second][0])
        facts += [Asked(k, compare=pair), Preferred(k, *pair, answer)]
    return Elicitation(Attributes.numbered(4), settings=UNCHECKED, facts=facts)


A, B, EQUAL, UNSURE = Answer.FIRST, Answer.SECOND, Answer.EQUAL, Answer.INCOMPARABLE
CONTRADICTIONS = {
    "a circle of three": ([("a", "b", A), ("b", "c", A), ("c", "a", A)], (5, 6, 7)),
    "the same question answered twice": ([("a", "b", A), ("b", "a", A)], (5, 6)),
    "a circle through an equality": ([("a", "b", EQUAL), ("b", "c", A), ("a", "c", B)], (5, 6, 7)),
    "an answer against what was measured": ([("z", "a", A)], (5,)),
    "a circle closed by what was measured": ([("z", "d", A), ("d", "a", A)], (5, 6)),
    "only those that are part of it": ([("c", "d", A), ("a", "b", A), ("b", "a", A)], (6, 7)),
}


@pytest.mark.parametrize(("answers", "conflict"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_is_asked_about_at_once(answers, conflict):
    elicitation = after(*answers)
    request = elicitation.ask()
    assert isinstance(request, Reconcile)
    assert request.conflict == conflict
    for k in range(len(answers)):
        assert not isinstance(after(*answers[:k]).ask(), Reconcile), "nothing is wrong before the last answer"


def test_answers_that_can_hold_open_no_repair():
    for answers in ([("a", "b", A), ("b", "c", A), ("a", "c", A)], [("a", "b", A), ("b", "a", UNSURE)]):
        assert not isinstance(after(*answers).ask(), Reconcile)


def test_a_contradiction_that_is_kept_is_not_asked_about_again():
    elicitation = after(("a", "b", A), ("b", "a", A))
    elicitation.tell(elicitation.ask().id, Settlement(None))
    assert isinstance(elicitation.facts[-1], Settled)
    assert not isinstance(elicitation.ask(), Reconcile)


@pytest.mark.parametrize(
    ("answers", "told", "standing"),
    [
        (
            [("a", "b", A), ("b", "a", A)],
            "not settled: your answers to questions 1, 2 cannot all hold",
            "kept and weighed, though they cannot all hold: your answers to questions 1, 2",
        ),
        (
            [("z", "a", A)],
            "not settled: your answer to question 1 goes against what was measured",
            "kept and weighed, though it goes against what was measured: your answer to question 1",
        ),
    ],
)
def test_the_end_names_the_answers_that_contradict_each_other_and_whether_they_were_kept(answers, told, standing):
    def end(elicitation):
        return " ".join(" ".join(statements_set_aside(elicitation, SimpleNamespace(set_aside=()))).split())

    left, kept = after(*answers), after(*answers)
    assert isinstance(left.ask(), Reconcile)
    left.stop("the operator is content with the best so far")
    kept.tell(kept.ask().id, Settlement(None))
    assert told in end(left)
    assert "kept" not in end(left)
    assert "settled" not in end(kept)
    assert standing in end(kept)
    kept.retract(len(MEASURED))  # the first answer
    assert "kept" not in end(kept)


def test_what_was_assumed_has_no_question_whose_number_could_be_told():
    a, b = MEASURED["a"][0], MEASURED["b"][0]
    assumed = [Assumed(20, a, b, "strict", "operator"), Assumed(21, b, 0b1110, "strict", "operator")]
    history = after(("b", "a", A)).history
    for fact in (*assumed, Settled(22, (5, 20)), Settled(23, (20,)), Settled(24, (20, 21))):
        history.record(fact)
    assert list(kept_words(history)) == [
        "kept and weighed, though they cannot all hold: your answer to question 1 and an assumption",
        "kept and weighed, though it goes against what was measured or assumed: an assumption",
        "kept and weighed, though they cannot all hold: 2 assumptions",
    ]


def test_an_answer_against_an_assumption_is_not_said_to_go_against_what_was_measured_alone():
    a, b, c = (MEASURED[name][0] for name in "abc")
    elicitation = after(("b", "a", A), ("c", "a", A))  # each of these is larger, and scores better
    elicitation.adopt([Assumed(20, a, b, "strict", "prior"), Assumed(21, a, c, "strict", "prior")])
    told = list(statements_set_aside(elicitation, SimpleNamespace(set_aside=())))
    assert told == ["not settled: your answer to question 1 goes against what was measured or assumed"]
    without = Insight(elicitation).without(5)[-1]
    assert without == "  1 answer still contradicts what was measured or assumed."
    request = elicitation.ask()
    assert request.why == "this answer goes against what was measured or assumed"
    elicitation.tell(request.id, Settlement(None))
    kept = "kept and weighed, though it goes against what was measured or assumed: your answer to question 1"
    assert kept in list(kept_words(elicitation.history))


@pytest.mark.parametrize(("answers", "conflict"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_whoever_takes_an_answer_of_it_back_is_not_asked_about_the_contradiction_any_more(answers, conflict):
    for answer in conflict:
        elicitation = after(*answers)
        asked = elicitation.ask()
        elicitation.retract(answer)
        assert asked not in elicitation.pending()
        following = elicitation.ask()
        assert not isinstance(following, Reconcile)
        again = Elicitation(Attributes.numbered(4), settings=UNCHECKED, facts=elicitation.facts)
        assert (again.ask(), again.facts) == (following, elicitation.facts)


def test_another_contradiction_that_is_left_is_asked_about_in_its_turn():
    elicitation = after(("a", "b", A), ("b", "a", A), ("c", "d", A), ("d", "c", A))
    first = elicitation.ask()
    elicitation.retract(first.conflict[0])
    second = elicitation.ask()
    assert isinstance(second, Reconcile)
    assert {*first.conflict, *second.conflict} == {5, 6, 7, 8}
    elicitation.retract(first.conflict[1])  # an answer that has no part in it
    assert elicitation.ask() == second


def test_a_run_in_which_one_was_taken_back_instead_of_settled_goes_on_and_its_journal_verifies(tmp_path):
    oracle, rng, put = journals.truth(4), np.random.default_rng(0), []

    def answer(request):
        put.append(request)
        return TakeBack(request.conflict[-1]) if isinstance(request, Reconcile) else rng.choice([A, B])

    settings = Settings(budget=12, questions=12, ask_every=1, check_every=2, stop=())
    with begin(tmp_path / "j", oracle, settings, seed=0) as session:
        drive(session.elicitation, oracle, answer, session.journal)
    contradictions = [request for request in put if isinstance(request, Reconcile)]
    assert contradictions
    assert len({request.id for request in contradictions}) == len(contradictions)
    assert len(list(check_record(read(tmp_path / "j")))) > 3


def played(replies_with):
    """A run in which answers contradict each other, played with an operator that makes this of a random answer."""
    oracle, rng = journals.truth(4), np.random.default_rng(0)
    settings = Settings(budget=12, questions=12, ask_every=1, check_every=2, stop=())
    elicitation = Elicitation(oracle.attributes, oracle.criteria, settings)
    drive(elicitation, oracle, lambda request: replies_with(request, [A, B][rng.integers(2)]))
    return elicitation.facts


def test_who_only_compares_leaves_contradictions_to_be_weighed():
    def of_two(request, answer):
        return answer if request.first.subset != request.second.subset else EQUAL

    weighed = played(lambda request, answer: Settlement(None) if isinstance(request, Reconcile) else answer)
    assert any(isinstance(fact, Settled) for fact in weighed)
    assert played(of_two) == weighed
    assert played(lambda _, answer: answer) == weighed
    assert played(lambda _, answer: answer.value) == weighed


def test_a_fault_of_an_operator_that_settles_contradictions_is_told():
    with pytest.raises(AttributeError, match="'int' object has no attribute 'first'"):
        played(lambda request, answer: answer if isinstance(request, Compare) else request.id.first)
    with pytest.raises(AttributeError, match="has no attribute 'conflicts'"):  # a slip: it is called `conflict`
        played(lambda request, answer: answer if isinstance(request, Compare) else Settlement(request.conflicts[0]))


def test_an_answer_that_is_set_aside_is_called_so_where_it_is_a_reason():
    """It serves a proof all the same: what it costs to break it is known."""
    elicitation = after(("c", "b", A), ("c", "b", B), ("b", "c", B))
    elicitation.tell(elicitation.ask().id, Settlement(None))
    strained = elicitation.beliefs.fresh_utilities().set_aside()
    assert {s.request for s in set_aside_of(strained)} == {6}
    found = " ".join(" ".join(reasons(elicitation, elicitation.incumbent, strained)).split())
    assert "you preferred {a1, a2, a3} to {a1, a2} (question 1)" in found
    assert "you preferred {a1, a2} to {a1, a2, a3} (question 2, set aside, at a price that counts)" in found
    assert found.count("set aside") == 1
    one = next(iter(set_aside_of(strained)))
    assert "set aside" in Cause(one, 1.0, set_aside=True).words(Attributes.numbered(4))
    assert "set aside" not in Cause(one, 1.0).words(Attributes.numbered(4))


def test_an_answer_that_is_set_aside_is_called_so_where_it_preferred_the_recommended_one():
    elicitation = after(("c", "b", A))
    (statement,) = elicitation.history.stated
    for slack, words in ((float("inf"), "(question 1, set aside)"), (0.5, "(question 1)")):
        found = " ".join(" ".join(reasons(elicitation, statement.better, [(statement, slack)])).split())
        assert f"you preferred it to {{a1, a2}} {words}" in found


def test_a_run_that_had_ended_goes_on_when_an_answer_is_taken_back(tmp_path):
    """Its end may rest on that answer: nobody is told that what was proven still is."""
    oracle = CallableOracle(lambda names: {1: 0.5 + 0.1 * ("b" in names), 2: 0.8}[len(names)], ("a", "b"))
    settings = Settings(budget=9, ask_every=0, questions=9, confirm=0)

    def answer(request):
        return A if request.first.criteria[0] > request.second.criteria[0] else B

    with begin(tmp_path / "j", oracle, settings) as session:
        assert drive(session.elicitation, oracle, answer, session.journal).reason.startswith("optimal")
    asked = next(fact for fact in read(tmp_path / "j").facts if isinstance(fact, Preferred))
    with resume(tmp_path / "j", oracle) as session:
        elicitation = session.elicitation
        with pytest.raises(InputError, match="holds no answer"):
            elicitation.retract(0)
        assert elicitation.history.stopped is not None
        elicitation.retract(np.int64(asked.request))
        assert elicitation.history.stopped is None
        assert not isinstance(elicitation.ask(), Done)
        assert drive(elicitation, oracle, answer, session.journal).questions == 2
    lines = (tmp_path / "j").read_bytes().splitlines(keepends=True)
    for k in range(1, len(lines) + 1):  # wherever it was cut, the record holds
        (tmp_path / "cut").write_bytes(b"".join(lines[:k]))
        with resume(tmp_path / "cut", oracle) as session:
            drive(session.elicitation, oracle, answer, session.journal)
        list(check_record(read(tmp_path / "cut")))


def test_a_reply_of_another_kind_of_number_is_kept_as_the_number_that_it_is():
    elicitation = after(("a", "b", A), ("b", "a", A))
    asked = elicitation.ask()
    for wrong in (5.0, "5", 99, True):
        with pytest.raises(ProtocolError):
            elicitation.tell(asked.id, Settlement(wrong))
        with pytest.raises((ProtocolError, InputError)):
            elicitation.retract(wrong)
    assert type(elicitation.tell(asked.id, Settlement(np.int64(5))).retracts) is int
    request = elicitation.ask()
    while not isinstance(request, Evaluate):
        elicitation.tell(request.id, A)
        request = elicitation.ask()
    fact = elicitation.tell(request.id, Measured((Fraction(1, 3), np.longdouble(2)), ((2**70,), ()), (10**30, None)))
    assert [type(value) for value in (*fact.criteria, fact.folds[0][0], fact.spread[0])] == [float] * 4
    request = elicitation.ask()
    while not isinstance(request, Evaluate):
        elicitation.tell(request.id, A)
        request = elicitation.ask()
    with pytest.raises(InputError, match="folds of"):
        elicitation.tell(request.id, Measured((0.5, 1.0), ((10**400,), ())))


def test_the_orders_that_a_second_contradiction_needs_are_told_as_those_of_the_first():
    elicitation = after(("z", "a", A), ("z", "d", A), ("d", "a", A))
    insight = Insight(elicitation)
    for conflict in ((5,), (6, 7)):
        request = elicitation.ask()
        assert (type(request), request.conflict) == (Reconcile, conflict)
        (order,) = insight.conflict(request)
        assert order.startswith("measured: {a1} (score 0.6, size 1) better than {a2, a4}")
        elicitation.tell(request.id, Settlement(None))
    assert not isinstance(elicitation.ask(), Reconcile)


def test_what_an_answer_would_change_calls_the_two_subsets_beside_it_a_and_b():
    elicitation = after(("a", "b", A), ("c", "d", A))
    insight, a, b = Insight(elicitation), *(elicitation.history.evaluated[mask] for mask in (0b1, 0b11))
    assert insight.without(5)[0] == (
        "Without it: the best so far becomes B (score 0.7, size 2) instead of A (score 0.6, size 1)."
    )
    assert insight.without(6)[0] == "Without it: the best so far stays {a1} (score 0.6, size 1)."
    assert "If A is better: the best so far stays A (score 0.6, size 1)." in insight.why(Compare(9, a, b))


def test_a_regret_that_an_answer_leaves_as_it_is_stays():
    told = Insight(after(("a", "b", A), ("c", "d", A))).without(6)
    assert told[1] == "  the regret (how much better another may still be) stays 0."


@pytest.mark.parametrize("answered", [False, True])
def test_nobody_is_asked_to_settle_what_was_only_assumed(answered):
    a, b, c = (MEASURED[name][0] for name in "abc")
    run = after(("c", "a", A)) if answered else after()
    pairs = [(a, b), (b, c)] if answered else [(a, b), (b, c), (c, a)]
    assumed = [Assumed(6 + k, *pair, "strict", "operator") for k, pair in enumerate(pairs)]
    request = Elicitation(Attributes.numbered(4), settings=UNCHECKED, facts=[*run.facts, *assumed]).ask()
    assert isinstance(request, Reconcile) == answered
    if answered:
        assert request.conflict == (len(MEASURED),)


def test_where_nobody_is_asked_what_contradicts_each_other_is_weighed():
    known = dict(MEASURED.values())
    oracle = CallableOracle(lambda mask: known.get(mask, (0.1,))[0], 4, takes="mask")
    facts = after(("a", "b", A), ("b", "a", A)).facts
    run = Elicitation(oracle.attributes, settings=replace(UNCHECKED, questions=0), facts=facts)
    drive(run, oracle, None)
    assert [fact.conflict for fact in run.facts if isinstance(fact, Settled)] == [(5, 6)]
