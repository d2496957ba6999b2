"""A scripted operator says what its script says."""

import pytest

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError
from elicit.events import Answer, Evaluated
from elicit.operators import ScriptedOperator, answer_from


def compare(first, second, id=7):
    return Compare(id, Evaluated(0, first, (0.5, 1.0)), Evaluated(1, second, (0.6, 2.0)))


def test_answers_come_in_order_in_words_or_as_answers():
    operator = ScriptedOperator(["a", " B ", "equal", "cannot", "later", Answer.FIRST, "second", "incomparable"])
    assert [operator(compare(1, 2, id)) for id in range(8)] == [
        Answer.FIRST,
        Answer.SECOND,
        Answer.EQUAL,
        Answer.INCOMPARABLE,
        Answer.LATER,
        Answer.FIRST,
        Answer.SECOND,
        Answer.INCOMPARABLE,
    ]


def test_every_answer_is_a_word():
    assert [answer_from(answer) for answer in Answer] == list(Answer)


def test_a_script_that_runs_out_is_an_error():
    operator = ScriptedOperator(["a"])
    operator(compare(1, 2))
    for _ in range(2):
        with pytest.raises(InputError, match="the script holds 1 answer and request 9"):
            operator(compare(1, 2, id=9))


def test_a_script_that_runs_out_answers_otherwise():
    operator = ScriptedOperator(iter(["a"]), otherwise="cannot")
    assert [operator(compare(1, 2)) for _ in range(3)] == ["first", "incomparable", "incomparable"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["frist"], "unknown answer 'frist'; did you mean 'first'"),
        (["xyz\x1b"], r"unknown answer 'xyz\\x1b'; write one of a, first"),
        ([1], "expected an answer as one of the words"),
        ("abba", "expected a list of answers, found the single text 'abba'"),
    ],
)
def test_wrong_words_are_refused_at_once(answers, said):
    with pytest.raises(InputError, match=said):
        ScriptedOperator(answers)


def test_a_contradiction_keeps_every_answer_and_uses_up_none():
    operator = ScriptedOperator(["b"])
    assert operator(Reconcile(3, (1, 2))) == Settlement(None)
    assert operator(compare(1, 2)) is Answer.SECOND
