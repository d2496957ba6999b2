"""Pages: what fills the screen and takes keys; and the first page of a session, which says what it is about.

The rule: a page knows no terminal. `page` returns the lines of a screen of any size; `press` takes a key and
returns the reply once there is one. What takes a while to look up is a `job`: the owner of the terminal runs it and
passes its lines to `finish`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from elicit.asks import Enough, Settlement, TakeBack
from elicit.events import Answer
from elicit.operators.picture import Line, scrolled, text_lines
from elicit.printable import fitted, padded, printable

#: The keys that scroll.
SCROLLS = ("up", "down", "pageup", "pagedown")

Reply = Answer | Settlement | TakeBack | Enough
Job = Callable[[], list[str]]


class Leave(Exception):
    """The operator leaves; what was answered stays answered."""


class Begin:
    """The operator has read the opening and wants to begin."""


class Page(Protocol):
    """Something on the whole screen that takes keys."""

    job: Job | None

    def press(self, key: str) -> Reply | Begin | None: ...
    def finish(self, job: Job, lines: list[str]) -> None: ...
    def page(self, columns: int, rows: int) -> list[Line]: ...


#: What somebody who has never seen a session needs to know.
OPENING = (
    "Which of the attributes of this data are worth having? More of them may predict better; fewer are "
    "simpler and cheaper. How much of the one is worth how much of the other, only you can say.",
    "",
    "Subsets are tried one after the other. Now and then you see two of them side by side and press one key: "
    "A, B, or that they are equal. From your answers and the measured numbers follows which subsets can still "
    "be best for you, and of the others few are tried.",
    "",
    "You can leave at any time: every answer is on the disk before the next question.",
)


#: What every key does.
HELP = (
    "Say which of the two subsets you would rather use. Only your own judgement counts: how much score an "
    "attribute less, a lower cost or a steadier result is worth to you.",
    "",
    "A, B       this one is better",
    "E          both are equally good for you",
    "C          you cannot compare them; they are not asked about again",
    "L          later: it uses up a question, and the pair comes back once more is known, if it still matters",
    "W          why this question, and what either answer would settle",
    "U          undo: take an earlier answer back, having seen what that changes",
    "F          the front: what no other evaluated subset beats in one number without losing in another",
    "S          the best so far, and how sure that is",
    "D          done: end here with the best so far, having seen it; `elicit resume` may still go on later",
    "Q, Ctrl-D  save and leave; `elicit resume` goes on at this question",
    "Ctrl-C     interrupt: the same, with the exit status of an interrupt",
    "Up, Down   scroll (Page Up, Page Down: by a screen), or choose from a list; Esc goes back to the question",
    "",
    "A score is the mean over folds of rows that the model had not seen, and ± its standard deviation among them. "
    "Stability, where it is a criterion, is minus that deviation: 0 where all folds agree.",
    "",
    "The bottom line: subsets evaluated of the budget; subsets rejected, not evaluated because nothing that "
    "fits your answers finds them best; questions asked, and left: this one and at most so many as are allowed "
    "(more once an answer is doubted. Most runs ask fewer: one is put only while its answer may change what is "
    "recommended, or to check an earlier one); and the regret, "
    "which is how much better another evaluated subset may still be, where 1 is the margin of one clear answer.",
)


#: What the keys do where answers contradict each other.
REPAIR_HELP = (
    "Some of your answers cannot all hold, or one of them speaks against what was measured. Nothing is lost "
    "either way, and what is taken back may be asked again.",
    "",
    "Up, Down   choose an answer; what taking it back changes stands below it",
    "1, 2, …    choose it by its place in the list",
    "T          take the chosen answer back",
    "K          keep all: then they are weighed against each other",
    "U          undo: take any other answer back, having seen what that changes",
    "F          the front: what no other evaluated subset beats in one number without losing in another",
    "S          the best so far, and how sure that is",
    "D          done: end here with the best so far, having seen it; `elicit resume` may still go on later",
    "Q, Ctrl-D  save and leave; `elicit resume` goes on here",
    "Ctrl-C     interrupt: the same, with the exit status of an interrupt",
)


def named_key(key: str) -> str:
    """The name of a one-character key; of a control character, the keys that send it."""
    return f"Ctrl-{chr(ord(key) + 64)}" if key < " " else printable(key)


def scrolled_by(key: str, scroll: int, leaf: int) -> int:
    """Where a key that scrolls leads to: a line further, or a leaf, which is what the screen shows of a page."""
    step = leaf if "page" in key else 1
    return max(scroll + (step if key.endswith("down") else -step), 0)


class Opening:
    """What a session is about, before it begins."""

    job: Job | None = None

    def __init__(self, lines: Sequence[str], title: str) -> None:
        self._lines, self._title, self._scroll, self._leaf = tuple(lines), title, 0, 1
        self._note = ""

    def press(self, key: str) -> Begin | None:
        """Enter begins, Q leaves."""
        self._note = ""
        if key == "c-c":
            raise KeyboardInterrupt
        if key in ("q", "c-d"):
            raise Leave("you left")
        if key in SCROLLS:
            self._scroll = scrolled_by(key, self._scroll, self._leaf)
        elif key in ("enter", " "):
            return Begin()
        elif len(key) == 1:
            self._note = f"'{named_key(key)}' means nothing here."
        return None

    def finish(self, job: Job, lines: list[str]) -> None:
        """There is nothing to look up here."""

    def page(self, columns: int, rows: int) -> list[Line]:
        """The whole screen."""
        body: list[Line] = [[]]
        for text in (*OPENING, "", *self._lines):
            body += text_lines(text, columns)
        foot = [fitted(f" {text}", columns) for text in (self._note, "[Enter] begin  [Q] leave") if text]
        room = max(rows - 1 - len(foot), 1)
        self._leaf = max(room - 1, 1)
        shown, self._scroll = scrolled(body, self._scroll, room, columns)
        return [[("title", padded(f" {printable(self._title)}", columns))], *shown, *([("", line)] for line in foot)][
            :rows
        ]
