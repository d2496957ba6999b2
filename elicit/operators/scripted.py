"""A scripted operator says in order what its script holds: a list of answers, or what an operator said in another run.

From a list it never settles a contradiction: all its answers are kept, and weighed.
"""

from __future__ import annotations

from collections.abc import Iterable

from elicit.asks import Compare, Enough, Reconcile, Settlement, TakeBack
from elicit.errors import InputError, nearest
from elicit.events import BY_WISH, Answer, Fact, Preferred, Retracted, Settled, Stopped
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
        if isinstance(answers, str) or not isinstance(answers, Iterable):
            raise InputError(f"expected a list of answers, found {answers!r:.80}")
        self._script: list[Answer | TakeBack | Settlement | Enough] = [answer_from(answer) for answer in answers]
        #: by the place in the script, the request under which something was taken back
        self._taken_back_at: dict[int, int] = {}
        self._otherwise = None if otherwise is None else answer_from(otherwise)
        self._given = 0

    @classmethod
    def recorded(cls, facts: Iterable[Fact], *, otherwise: Answer | str | None = None) -> ScriptedOperator:
        """Says what the operator of a record said, takes back what that one took back, and ends where that one did.

        In a run of the same data, settings and seed all comes out the same. In another the order alone decides, so
        an answer may meet another question.
        """
        operator, last = cls((), otherwise=otherwise), None
        for fact in facts:
            if isinstance(fact, Preferred):
                operator._script.append(fact.answer)
            elif isinstance(fact, Retracted):
                operator._taken_back_at[len(operator._script)] = fact.request
                operator._script.append(TakeBack(fact.retracts))
            elif isinstance(fact, Settled):
                operator._script.append(Settlement(None))
            last = fact
        if isinstance(last, Stopped) and last.rule == BY_WISH:
            operator._script.append(Enough())
        return operator

    def catch_up(self, facts: Iterable[Fact]) -> None:
        """Stand in the script where these facts, which were said by it, end."""
        self._given = 0
        for fact in facts:
            if isinstance(fact, Preferred):
                self._skip_settlements()
                self._given += 1
            elif isinstance(fact, Retracted):
                before = self._given
                self._skip_settlements()
                self._given = self._given + 1 if isinstance(self._next, TakeBack) else before
            elif isinstance(fact, Settled):
                self._given += isinstance(self._next, Settlement)

    @property
    def _next(self) -> Answer | TakeBack | Settlement | Enough | None:
        """What comes next in the script, None at its end."""
        return self._script[self._given] if self._given < len(self._script) else None

    def _skip_settlements(self) -> None:
        """Pass over what settled contradictions that this run does not have."""
        while isinstance(self._next, Settlement):
            self._given += 1

    def __call__(self, request: Compare | Reconcile) -> Answer | Settlement | TakeBack | Enough:
        if isinstance(request, Reconcile):
            return self._settlement(request)
        self._skip_settlements()
        if (said := self._next) is not None:
            self._given += 1
            return said
        if self._otherwise is None:
            answers = sum(isinstance(said, Answer) for said in self._script)
            raise InputError(
                f"the script holds {many(answers, 'answer')} and request {request.id} asks for one more; "
                "add answers, or say what to answer otherwise"
            )
        return self._otherwise

    def _settlement(self, request: Reconcile) -> Settlement | TakeBack:
        """What comes next in the script, where that settles a contradiction; else all answers are kept."""
        said = self._next
        if isinstance(said, TakeBack) and self._taken_back_at.get(self._given, request.id) > request.id:
            self._given += 1
            return said  # of its own accord, while it was shown what contradicts: that may be asked again
        settles = isinstance(said, Settlement) or (isinstance(said, TakeBack) and said.request in request.conflict)
        self._given += settles
        return Settlement(said.request if settles and isinstance(said, TakeBack) else None)
