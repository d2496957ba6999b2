"""A scripted operator reads its answers: in order from a list, or pair by pair from earlier facts.

A list answers the first question with its first entry, whatever the question is. Earlier facts answer
only the pairs that they hold; any other pair is one that this operator cannot compare. Neither ever
settles a contradiction: all its answers are kept, and weighed.
"""

from __future__ import annotations

from collections.abc import Iterable

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError, nearest
from elicit.events import Answer, Fact, Preferred, Retracted
from elicit.printable import many
from elicit.subsets import Attributes, Mask

#: The words for an answer, in any case; a line of standard input or a script may hold any of them.
WORDS: dict[str, Answer] = {
    "a": Answer.FIRST,
    "first": Answer.FIRST,
    "b": Answer.SECOND,
    "second": Answer.SECOND,
    "equal": Answer.EQUAL,
    "cannot": Answer.INCOMPARABLE,
    "incomparable": Answer.INCOMPARABLE,
    "later": Answer.LATER,
}

_MIRRORED = {Answer.FIRST: Answer.SECOND, Answer.SECOND: Answer.FIRST}

_Pair = tuple[frozenset[str], frozenset[str]]


def answer_from(word: str) -> Answer:
    """The answer that a word stands for; an unknown word is an error that offers the nearest."""
    if not isinstance(word, str):
        raise InputError(f"expected an answer as one of the words {', '.join(WORDS)}, found {word!r}")
    plain = word.strip().lower()
    if plain not in WORDS:
        hint = nearest(plain, WORDS, f"write one of {', '.join(WORDS)}")
        raise InputError(f"unknown answer {word!r}{hint}")
    return WORDS[plain]


class ScriptedOperator:
    """Answers from a list of answers or words, in order.

    When the list has run out, the answer is `otherwise`; without one, a further question is an error.
    """

    def __init__(self, answers: Iterable[Answer | str], *, otherwise: Answer | str | None = None) -> None:
        if isinstance(answers, str):
            raise InputError(f"expected a list of answers, found the single text {answers!r}")
        self._answers = tuple(answer_from(answer) for answer in answers)
        self._otherwise = None if otherwise is None else answer_from(otherwise)
        self._given = 0

    def __call__(self, request: Compare | Reconcile) -> Answer | Settlement:
        if isinstance(request, Reconcile):
            return Settlement(None)
        if self._given < len(self._answers):
            self._given += 1
            return self._answers[self._given - 1]
        if self._otherwise is None:
            raise InputError(
                f"the script holds {many(len(self._answers), 'answer')} and request {request.id} asks for one more; "
                "add answers, or say what to answer otherwise"
            )
        return self._otherwise


class RecordedOperator:
    """Answers a pair of subsets, in either order, as it was answered in the facts of an earlier run.

    `was` names the attributes of those facts and `now` those of the questions: subsets are matched by the
    names in them, so the two may differ in order and in number.
    """

    def __init__(self, facts: Iterable[Fact], was: Attributes, now: Attributes) -> None:
        self._answers = _answers_by_pair(facts, was)
        self._attributes = now

    def __call__(self, request: Compare | Reconcile) -> Answer | Settlement:
        if isinstance(request, Reconcile):
            return Settlement(None)
        pair = _pair(self._attributes, request.first.subset, request.second.subset)
        return self._answers.get(pair, Answer.INCOMPARABLE)


def _answers_by_pair(facts: Iterable[Fact], attributes: Attributes) -> dict[_Pair, Answer]:
    """The last answer to each pair that stands, under both orders of the pair.

    "Later" is no answer, and leaves an earlier one in force; neither does a retracted one count.
    """
    facts = tuple(facts)
    retracted = {fact.retracts for fact in facts if isinstance(fact, Retracted)}
    answers: dict[_Pair, Answer] = {}
    for fact in facts:
        if not isinstance(fact, Preferred) or fact.answer is Answer.LATER or fact.request in retracted:
            continue
        first, second = _pair(attributes, fact.first, fact.second)
        answers[first, second] = fact.answer
        answers[second, first] = _MIRRORED.get(fact.answer, fact.answer)
    return answers


def _pair(attributes: Attributes, first: Mask, second: Mask) -> _Pair:
    return frozenset(attributes.subset(first)), frozenset(attributes.subset(second))
