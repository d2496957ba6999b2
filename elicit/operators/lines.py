"""A person who answers one line at a time: questions as plain text, answers read from a stream.

    a, first            the first is better: first ≻ second
    b, second           the second is better: second ≻ first
    equal               neither is better: first ~ second
    cannot, incomparable    no statement, and not asked again
    later               no statement, and asked again when nothing else is
    quit                leave; everything so far is kept, and the question is open when the session resumes

When answers contradict each other, they are listed: the number of one takes it back, `keep` keeps them
all, to be weighed. The end of the stream means `quit`. Nothing is prompted for unless a person is at the
other end (`prompt`); there a misspelt word is asked for again, elsewhere it is an error that names the
line. Names are data: whatever in them could steer a terminal is shown as an escape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO, TypeVar

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError
from elicit.events import Answer, Criterion, Evaluated, Preferred
from elicit.operators.scripted import answer_from
from elicit.subsets import Attributes, Mask

T = TypeVar("T")

QUIT = "quit"
KEEP = "keep"

_MEANING = {
    Answer.FIRST: "A is better than B",
    Answer.SECOND: "B is better than A",
    Answer.EQUAL: "A and B are equally good",
}


class Leave(Exception):
    """The operator leaves; what was answered stays answered."""


def printable(text: str) -> str:
    """The text with every character that does not print (control, direction, half a pair) as its escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class LineOperator:
    """Puts questions to `out` and reads answers from `lines`.

    attributes, criteria: the oracle's, for the names.
    recall: the answer given to an earlier request, so that contradictions can be shown.
    prompt: whether a person waits at the other end.
    """

    def __init__(
        self,
        attributes: Attributes,
        criteria: Sequence[Criterion],
        lines: Iterable[str],
        out: TextIO,
        *,
        recall: Callable[[int], Preferred] | None = None,
        prompt: bool = False,
    ) -> None:
        self._attributes, self._criteria = attributes, tuple(criteria)
        self._lines: Iterator[str] = iter(lines)
        self._out, self._recall, self._prompt = out, recall, prompt
        self._read = 0
        self._put = 0

    def __call__(self, request: Compare | Reconcile) -> Answer | Settlement:
        if isinstance(request, Reconcile):
            return self._settle(request)
        self._put += 1
        self._say(f"\nQuestion {self._put}: {request.why}" + (" (a check)" if request.check else ""))
        self._say("\n".join(side_by_side(request.first, request.second, self._attributes, self._criteria)))
        return self._answer("Which is better? a, b, equal, cannot, later, quit: ", answer_from)

    def _settle(self, request: Reconcile) -> Settlement:
        """Let the operator take one of the contradicting answers back, or keep them all."""
        self._say(f"\n{request.why}:")
        for id in request.conflict:
            self._say(f"  {id}: {self._told(id)}")

        def settlement(word: str) -> Settlement:
            if word == KEEP:
                return Settlement(None)
            if word.isdecimal() and int(word) in request.conflict:
                return Settlement(int(word))
            numbers = ", ".join(map(str, request.conflict))
            raise InputError(f"expected {KEEP!r} or the number of an answer to take back ({numbers}), found {word!r}")

        return self._answer(f"Which one is taken back? its number, {KEEP} or quit: ", settlement)

    def _told(self, id: int) -> str:
        if self._recall is None:
            return "an earlier answer"
        fact = self._recall(id)
        first, second = (", ".join(_names(mask, self._attributes)) for mask in (fact.first, fact.second))
        return f"A = {first}; B = {second}; you said: {_MEANING.get(fact.answer, fact.answer.value)}"

    def _answer(self, prompt: str, meaning: Callable[[str], T]) -> T:
        """What the next line means; blank lines are skipped."""
        while True:
            if self._prompt:
                self._out.write(prompt)
                self._out.flush()
            line = next(self._lines, None)
            if line is None:
                raise Leave("the answers have ended")
            self._read += 1
            word = line.strip().lower()
            if not word:
                continue
            if word in (QUIT, "q"):
                raise Leave("you left")
            try:
                return meaning(word)
            except InputError as error:
                if not self._prompt:
                    raise InputError(f"standard input, line {self._read}: {printable(str(error))}") from None
                self._say(printable(str(error)))

    def _say(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()


def side_by_side(
    first: Evaluated, second: Evaluated, attributes: Attributes, criteria: Sequence[Criterion]
) -> list[str]:
    """Two subsets as lines of text: each criterion with its spread, what is in both, and in one only."""
    rows = [("", "A", "B")]
    for i, criterion in enumerate(criteria):
        unit = f" [{criterion.unit}]" if criterion.unit else ""
        better = "more" if criterion.maximise else "less"
        rows.append((printable(f"{criterion.name}{unit} ({better} is better)"), _number(first, i), _number(second, i)))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    for what, mask in (
        ("in both", first.subset & second.subset),
        ("only in A", first.subset & ~second.subset),
        ("only in B", second.subset & ~first.subset),
    ):
        lines.append(f"  {what}: {', '.join(_names(mask, attributes)) or 'nothing'}")
    return lines


def _names(mask: Mask, attributes: Attributes) -> list[str]:
    return [printable(name) for name in attributes.subset(mask)] if mask else []


def _number(fact: Evaluated, i: int) -> str:
    spread = fact.spread[i] if fact.spread else None
    return f"{fact.criteria[i]:.6g}" + ("" if spread is None else f" ± {spread:.2g}")
