"""A person who answers one line at a time: questions as plain text, answers read from a stream.

When answers contradict each other, they are listed: the number of one takes it back, `keep` keeps them
all, to be weighed. The end of the stream means `quit`. Nothing is prompted for unless a person is at the
other end (`prompt`); there a misspelt word is asked for again, elsewhere it is an error that names the
line. Names are data: whatever in them could steer a terminal is shown as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO

from elicit.asks import Compare, Enough, Reconcile, Settlement, TakeBack
from elicit.errors import InputError, nearest
from elicit.events import MEANING, Answer, Criterion
from elicit.operators.desk import Desk, Given
from elicit.operators.page import Leave, Reply
from elicit.operators.person import Person
from elicit.operators.picture import comparison, front, front_table, letters, named, plain
from elicit.operators.scripted import WORDS
from elicit.printable import entry, paragraph, printable, width
from elicit.subsets import Attributes

QUIT = "quit"
KEEP = "keep"
DONE = "done"

#: Characters of a line that may be an answer; what is longer is none, and its beginning says which it was.
_LONGEST_WORD = 60

#: Columns and rows of what is drawn for a stream of lines; on a narrow terminal columns are fewer.
COLUMNS, _ROWS = 78, 14

#: What `help` shows first: the words that answer a question, or settle answers that contradict each other.
ANSWERING = (
    "    a, first              A, the first, is better",
    "    b, second             B, the second, is better",
    "    equal                 both are equally good",
    "    cannot, incomparable  no statement, and not asked again",
    "    later                 no statement; uses up a question, and the pair comes back once more is known, if ever",
    "    why                   the reason for the question, and what either answer would settle",
)
SETTLING = (
    "    N, keep               take the answer to question N back, or keep all, to be weighed",
    "    why                   the measured orders that go against these answers, if there are any",
)

#: What it shows after these: the words that serve in both cases.
HELP = (
    "    undo, undo N          list the answers, or take the one to question N back; its pair may be asked about again",
    "    front                 the front: what no other evaluated subset beats in one number without losing in another",
    "    best                  what would be recommended now, and how sure that is",
    "    done                  end here with the best so far; `elicit resume` may still go on with the session later",
    "    help                  these words",
    "    quit                  leave; everything so far is kept, and the question is open when the session resumes",
)

_WORDS = "a, b, equal, cannot, later; why, undo, front, best, done, help, quit"

#: The keys of the screen are words here, too.
_SHORT = {"e": "equal", "=": "equal", "c": "cannot", "l": "later", "k": KEEP}
_SHORT |= {"w": "why", "u": "undo", "f": "front", "s": "best", "d": DONE, "h": "help", "?": "help", "q": QUIT}


class LineOperator(Person):
    """Puts questions to `out` and reads answers from `lines`.

    attributes, criteria: the oracle's, for the names.
    desk: what may be looked up; without one, only answers, `done` and `quit` are words.
    prompt: whether a person waits at the other end. columns: of what is written.
    """

    def __init__(
        self,
        attributes: Attributes,
        criteria: Sequence[Criterion],
        lines: Iterable[str],
        out: TextIO,
        *,
        desk: Desk | None = None,
        prompt: bool = False,
        columns: int = COLUMNS,
    ) -> None:
        self._attributes, self._criteria = attributes, tuple(criteria)
        self._lines: Iterator[str] = iter(lines)
        self._out, self._desk, self._prompt = out, desk, prompt
        self._columns = columns
        self._read = 0
        self._put = 0

    def __call__(self, request: Compare | Reconcile) -> Reply:
        if isinstance(request, Reconcile):
            return self._settle(request)
        self._put += 1
        number = self._put if self._desk is None else self._desk.number(request.id)
        mark = " (a check)" if request.check and "a check" not in request.why else ""
        self._write_lines(["", f"Question {number}: {request.why}{mark}"])
        pair = request.first, request.second
        compared = comparison(*pair, self._attributes, self._criteria, self._columns, request.noisy)
        self._write("\n".join(map(plain, compared)))
        words = "a, b, equal, cannot, later, done, quit" if self._desk is None else _WORDS

        def answer(word: str) -> Answer:
            if word not in WORDS:
                hint = nearest(word, re.split("[,;] ", words), f"write one of {words}")
                raise InputError(f"unknown answer {word!r}{hint}")
            return WORDS[word]

        return self._answer(f"Which is better? {words}:", request, answer)

    def _settle(self, request: Reconcile) -> Reply:
        """Let the operator take one of the contradicting answers back, or keep them all."""
        self._write_lines(["", f"{request.why}:"])
        numbers: dict[str, int] = {}
        for id in request.conflict:
            number = id if self._desk is None else self._desk.number(id)
            numbers[str(number)] = id
            self._write_lines([f"  {number}: {self._answer_of(id)}"])
            if self._desk is not None:
                self._write_lines(f"     {line.strip()}" for line in self._desk.without(id))
        if self._desk is not None:
            self._write_lines(
                f"  {'' if line.startswith('and ') else 'with '}{line}" for line in self._desk.conflict(request)
            )

        def settlement(word: str) -> Settlement:
            if word == KEEP:
                return Settlement(None)
            if word in numbers:
                return Settlement(numbers[word])
            listed = ", ".join(numbers)
            raise InputError(f"expected {KEEP!r} or the number of an answer to take back ({listed}), found {word!r}")

        return self._answer(f"Which one is taken back? its number, {KEEP}, {DONE} or quit:", request, settlement)

    def _answer_of(self, id: int) -> str:
        given = {} if self._desk is None else {given.request: given for given in self._desk.answers()}
        return self._answer_in_words(given[id]) if id in given else "an earlier answer"

    def _answer_in_words(self, given: Given) -> str:
        first, second = (named(fact.subset, self._attributes) for fact in (given.first, given.second))
        return f"A = {first}; B = {second}; you said: {MEANING[given.answer]}"

    def _answer(self, prompt: str, request: Compare | Reconcile, meaning: Callable[[str], Reply]) -> Reply:
        """What the next line means; blank lines are skipped, and what only looks something up is answered."""
        while True:
            if self._prompt:
                self._out.write("\n".join(paragraph(prompt, self._columns)) + " ")
                self._out.flush()
            line = next(self._lines, None)
            if line is None:
                raise Leave("the answers have ended")
            self._read += 1
            word = " ".join(line.lower().split())
            word = _SHORT.get(word, word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…")
            if not word:
                continue
            if word == QUIT:
                raise Leave("you left")
            if word == DONE:
                return Enough()
            try:
                if self._desk is not None:
                    if word.startswith("undo "):
                        return self._take_back(word.removeprefix("undo "), self._desk)
                    if self._look_up(word, request, self._desk):
                        continue
                return meaning(word)
            except InputError as error:
                if not self._prompt:
                    raise InputError(f"standard input, line {self._read}: {error}") from None
                self._write_lines([str(error)])

    def _look_up(self, word: str, request: Compare | Reconcile, desk: Desk) -> bool:
        """Whether the word asks for something to be shown, which then was."""
        match word:
            case "why":
                self._write_lines(desk.why(request) if isinstance(request, Compare) else desk.conflict(request))
            case "best":
                self._write_lines(desk.best())
            case "front":
                points, marks = desk.front(), letters(request)
                self._write_lines(map(plain, front(points, self._criteria, self._columns, _ROWS, marks)))
                listed = front_table(points, self._attributes, self._criteria, self._columns, marks)
                self._write_lines(map(plain, listed))
            case "undo":
                answers = desk.answers()
                self._write_lines(f"  {given.number}: {self._answer_in_words(given)}" for given in answers)
                self._write("undo N takes the answer to question N back" if answers else "there is no answer yet")
            case "help":
                self._write_lines([*(SETTLING if isinstance(request, Reconcile) else ANSWERING), *HELP, ""])
            case _:
                return False
        return True

    def _take_back(self, text: str, desk: Desk) -> TakeBack:
        """Say what taking an answer back changes, and do it."""
        answers = {str(given.number): given for given in desk.answers()}
        if text not in answers:
            there = f"one of {', '.join(answers)}" if answers else "there is none yet"
            raise InputError(f"undo needs the number of an answer ({there}), found {text!r}")
        changes = list(desk.without(answers[text].request))  # it takes a while: nothing is said before all is known
        self._write_lines([f"taken back: {self._answer_in_words(answers[text])}", *changes])
        return TakeBack(answers[text].request)

    def _write_lines(self, lines: Iterable[str]) -> None:
        for line in lines:
            line = printable(line)
            self._write("\n".join(entry(line, self._columns, 4)) if width(line) > self._columns else line)

    def _write(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()
