"""The answers of an earlier run that another begins with: those that stand, by the names of the attributes."""

import pytest

from elicit import Answers
from elicit.asks import Done, Measured
from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.estimator.declared import Unattended
from elicit.events import SCORE_AND_SIZE, Answer, Assumed, Evaluated, Preferred, Retracted, Stopped
from elicit.subsets import Attributes

ABC = Attributes(("a", "b", "c"))


def carried(facts, was=ABC, now=ABC):
    return {(fact.better, fact.worse, fact.relation) for fact in Answers.of(facts, was).assumed(now)}


def test_every_answer_that_says_something_is_carried_and_what_was_carried_before_too():
    facts = [
        Evaluated(0, 1, (0.5, 1.0)),
        Preferred(1, 1, 2, Answer.FIRST),
        Preferred(2, 1, 4, Answer.SECOND),
        Preferred(3, 2, 4, Answer.EQUAL),
        Preferred(4, 3, 4, Answer.INCOMPARABLE),
        Assumed(5, 7, 1, "strict", "prior"),
        Stopped(6, "budget"),
    ]
    assert carried(facts) == {(1, 2, "strict"), (4, 1, "strict"), (2, 4, "equal"), (7, 1, "strict")}


def test_the_last_answer_that_stands_counts():
    facts = [
        Preferred(1, 1, 2, Answer.FIRST),
        Preferred(2, 2, 1, Answer.FIRST),
        Preferred(3, 1, 2, Answer.LATER),
        Preferred(4, 1, 4, Answer.FIRST),
        Retracted(5, 4),
        Preferred(6, 2, 4, Answer.FIRST),
        Preferred(7, 4, 2, Answer.INCOMPARABLE),
    ]
    assert carried(facts) == {(2, 1, "strict")}
    assert carried([*facts, Retracted(8, 7)]) == {(2, 1, "strict"), (2, 4, "strict")}, "it was not meant"


def test_subsets_are_matched_by_the_names_in_them():
    was, now = Attributes(("a", "b", "old")), Attributes(("new", "b", "a"))
    facts = [
        Preferred(1, was.mask(["a"]), was.mask(["a", "b"]), Answer.FIRST),
        Preferred(2, was.mask(["old"]), was.mask(["b"]), Answer.FIRST),
        Preferred(3, was.mask(["b"]), was.mask(["old"]), Answer.FIRST),
    ]
    assert carried(facts, was, now) == {(now.mask(["a"]), now.mask(["a", "b"]), "strict")}


def test_the_path_of_a_journal_is_no_list_of_answers_and_it_is_said_what_reads_one(tmp_path):
    for path in ("session.jsonl", tmp_path / "session.jsonl"):
        with pytest.raises(InputError, match=r"Answers\.recorded"):
            Answers(path)


@pytest.mark.parametrize(
    ("fact", "dropped"),
    [
        (Assumed(0, 0b01, 0b10, "strict", "prior"), True),
        (Assumed(0, 0b01, 0b10, "equal", "prior"), True),
        (Assumed(0, 0b10, 0b01, "equal", "prior"), True),
        (Assumed(0, 0b10, 0b01, "strict", "prior"), False),
        (Assumed(0, 0b01, 0b11, "equal", "prior"), False),  # neither dominates the other
        (Assumed(0, 0b01, 0b10, "strict", "operator"), False),  # it is the word of who is asked now
    ],
)
def test_what_was_carried_is_dropped_once_and_the_run_goes_on(fact, dropped):
    settings = Settings(budget=15, questions=0, stop=(), batch=1)
    run = Unattended(Attributes.numbered(4), SCORE_AND_SIZE, settings, facts=(fact,))
    while not isinstance(asked := run.ask(), Done):
        run.tell(asked.id, Measured((float(asked.subset), float(asked.subset.bit_count()))))  # {a2} dominates {a1}
    assert len(run.history.evaluated) == 15
    assert [each.retracts for each in run.facts if isinstance(each, Retracted)] == [0] * dropped
