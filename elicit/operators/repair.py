"""A repair: answers that contradict each other, one below the other, and what taking each of them back would change.

The rule: it is told what changes, and chooses; who is asked for it, and what then happens, is the dialogue's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from elicit.asks import Reconcile
from elicit.events import MEANING, Criterion
from elicit.operators.desk import Desk, Given
from elicit.operators.picture import Line, named, text_lines
from elicit.printable import fitted, paragraph, rounded, wrapped
from elicit.subsets import Attributes, Mask

#: Shown until a look-up is done, which with many subsets takes seconds.
WAITING = "working it out …"


class RepairPage:
    """The answers of one contradiction, of which one is chosen."""

    def __init__(
        self, request: Reconcile, attributes: Attributes, criteria: Sequence[Criterion], desk: Desk | None
    ) -> None:
        self._attributes, self._criteria, self._why = attributes, criteria, request.why
        self._given = {} if desk is None else {given.request: given for given in desk.answers()}
        self._answers = [id for id in request.conflict if desk is None or id in self._given]
        #: the measured orders that the answers contradict
        self._orders = [] if desk is None else desk.conflict(request)
        self._chosen = 0
        self._changes: dict[int, list[str]] = {}

    @property
    def chosen(self) -> int:
        """The request whose answer is chosen."""
        return self._answers[self._chosen]

    def choose(self, key: str) -> bool:
        """Choose the answer that a key leads to; whether it leads to one."""
        count = len(self._answers)
        if key in ("up", "down"):
            self._chosen = (self._chosen + (1 if key == "down" else -1)) % count
        elif len(key) == 1 and key.isdecimal() and 1 <= int(key) <= count:
            self._chosen = int(key) - 1
        else:
            return False
        return True

    @property
    def unexplained(self) -> int | None:
        """The next answer of which it is not known yet what taking it back would change; None where there is none."""
        return next((id for id in self._answers if id not in self._changes), None)

    def explain(self, id: int, lines: list[str]) -> None:
        """Take what taking this answer back would change."""
        self._changes[id] = lines

    def page(self, columns: int) -> list[Line]:
        """The answers, and the measured orders that they contradict."""
        lines: list[Line] = [[]]
        count = len(self._answers)
        if count == 1:
            told = f"{self._why.capitalize()}. Take it back, or keep it: then both are weighed."
        else:
            weighed = "then they are weighed against each other"
            told = f"These {count} answers cannot all hold. Take one back, or keep all: {weighed}."
        lines += text_lines(told, columns)
        lines.append([])
        for id in self._answers:
            lines += self._one_of_them(id, columns)
        if self._orders:
            lines.append([])
            lines += text_lines("Together with:", columns)
            for order in self._orders:
                lines += text_lines(f"  {order}", columns)
        return lines

    def _one_of_them(self, id: int, columns: int) -> list[Line]:
        """One of the answers that contradict each other; of the chosen one also what taking it back changes."""
        chosen = id == self.chosen
        if id not in self._given:  # nobody keeps the answers where there is no desk
            mark, style = (">", "bold") if chosen else (" ", "")
            return [[(style, fitted(f" {mark} the answer to request {id}", columns))]]
        lines = answer_lines([self._given[id]], 0 if chosen else None, self._attributes, self._criteria, columns)
        for text in self._changes.get(id, [WAITING]) if chosen else ():
            lines += [[("dim", line)] for line in paragraph(f"     {text}", columns, 2)]
        return lines


def answer_lines(
    items: Sequence[Given], chosen: int | None, attributes: Attributes, criteria: Sequence[Criterion], columns: int
) -> list[Line]:
    """Answers one below the other; the chosen one is told in full."""
    lines: list[Line] = []
    for k, given in enumerate(items):
        mark, style = (">", "bold") if k == chosen else (" ", "")
        lines.append([(style, fitted(f" {mark} question {given.number}: {MEANING[given.answer]}", columns))])
        if k == chosen:
            for side in answer_in_words(given, attributes, criteria)[:2]:
                lines += [[("", text)] for text in wrapped(side.split(), columns, 8, "     ")]
    return lines


def answer_in_words(given: Given, attributes: Attributes, criteria: Sequence[Criterion]) -> list[str]:
    """An answer in words: its two subsets, and what was said of them."""

    def told(subset: Mask, values: Sequence[float]) -> str:
        numbers = ", ".join(f"{c.name} {rounded(v)}" for c, v in zip(criteria, values, strict=True))
        return f"{named(subset, attributes)} ({numbers})"

    return [
        f"A = {told(given.first.subset, given.first.criteria)}",
        f"B = {told(given.second.subset, given.second.criteria)}",
        f"you said: {MEANING[given.answer]}",
    ]
