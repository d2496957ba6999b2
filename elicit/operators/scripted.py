"""A scripted operator reads its answers from a list, in order: the first entry answers the first question.

It never settles a contradiction: all its answers are kept, and weighed.
"""

from __future__ import annotations

from collections.abc import Iterable

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError, nearest
from elicit.events import Answer
from elicit.printable import many

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
