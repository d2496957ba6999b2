"""A scripted operator says what its script says, a recorded one what was said before."""

import itertools

import pytest

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError
from elicit.events import Answer, Assumed, Evaluated, Preferred, Retracted, Stopped
from elicit.operators import RecordedOperator, ScriptedOperator, answer_from
from elicit.subsets import Attributes

ABC = Attributes(("a", "b", "c"))


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
    assert RecordedOperator([], ABC, ABC)(Reconcile(3, (1, 2))) == Settlement(None)


def test_recorded_answers_fit_the_pair_in_either_order():
    facts = [
        Evaluated(0, 1, (0.5, 1.0)),
        Preferred(1, 1, 2, Answer.FIRST),
        Preferred(2, 1, 4, Answer.SECOND),
        Preferred(3, 2, 4, Answer.EQUAL),
        Preferred(4, 3, 4, Answer.INCOMPARABLE),
        Assumed(5, 7, 1, "strict", "prior"),
        Stopped(6, "budget"),
    ]
    operator = RecordedOperator(facts, ABC, ABC)
    known = {
        (1, 2): "first",
        (2, 1): "second",
        (1, 4): "second",
        (4, 1): "first",
        (2, 4): "equal",
        (4, 2): "equal",
    }
    for first, second in itertools.permutations(range(1, 8), 2):
        assert operator(compare(first, second)) == known.get((first, second), "incomparable")


def test_the_last_answer_that_stands_counts():
    facts = [
        Preferred(1, 1, 2, Answer.FIRST),
        Preferred(2, 2, 1, Answer.FIRST),
        Preferred(3, 1, 2, Answer.LATER),
        Preferred(4, 1, 4, Answer.FIRST),
        Retracted(5, 4),
    ]
    operator = RecordedOperator(facts, ABC, ABC)
    assert operator(compare(1, 2)) is Answer.SECOND
    assert operator(compare(1, 4)) is Answer.INCOMPARABLE


def test_subsets_are_matched_by_the_names_in_them():
    was, now = Attributes(("a", "b", "old")), Attributes(("new", "b", "a"))
    facts = [
        Preferred(1, was.mask(["a"]), was.mask(["a", "b"]), Answer.FIRST),
        Preferred(2, was.mask(["old"]), was.mask(["b"]), Answer.FIRST),
    ]
    operator = RecordedOperator(facts, was, now)
    assert operator(compare(now.mask(["a", "b"]), now.mask(["a"]))) is Answer.SECOND
    assert operator(compare(now.mask(["new"]), now.mask(["b"]))) is Answer.INCOMPARABLE
