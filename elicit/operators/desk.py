"""The desk: what an operator may look up during a question. The session provides it.

Nothing here changes a run. Lines of text may hold names as they are in the data; the caller escapes them before they
are shown (`printable`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import Protocol

from elicit.asks import Compare, Reconcile
from elicit.events import Answer, Evaluated
from elicit.printable import bounded


@dataclass(frozen=True)
class RunStatus:
    """What the bottom line shows. `regret` is None while nothing can be said, infinite when it is only above 1.

    Before the first answer it is not shown: it would be small where little is known, and mean nothing.
    spare: questions beyond the most that may be put, should an answer be doubted.
    """

    evaluated: int
    budget: int
    rejected: int
    asked: int
    most_questions: int
    regret: float | None
    spare: int = 0

    def words(self, columns: int) -> str:
        """The bottom line, in fewer words where there is little room."""
        left = max(self.most_questions - self.asked, 0)
        last = "the last but for doubts" if self.spare else "the last question"
        questions = f"1 to {left} questions left" if left > 1 else last
        regret = "unknown" if self.regret is None else "above 1" if isinf(self.regret) else bounded(self.regret)
        told = f"  regret {regret}" if self.asked else ""
        spent = f"{self.evaluated}/{self.budget}"
        full = f"evaluated {spent}  rejected {self.rejected}  asked {self.asked}  {questions}{told}"
        most = left if left > 1 else left + self.spare
        few = f"1 to {most} left" if most > 1 else "the last"
        told = told.replace("unknown", "?")
        rejected, asked = f"  rej. {self.rejected}", f"asked {self.asked}, "
        shorter = (full, *(f"{spent}{more}{few}{told}" for more in (f"{rejected}  {asked}", f"{rejected}  ", "  ")))
        return next((text for text in shorter if len(text) <= columns), shorter[-1])


@dataclass(frozen=True)
class Given:
    """An answer that stands: to the question of this number, put by this request."""

    request: int
    number: int
    first: Evaluated
    second: Evaluated
    answer: Answer


class Desk(Protocol):
    """What may be looked up. Those that return lines may take a second or two."""

    def status(self) -> RunStatus:
        """Where the run stands."""
        ...

    def number(self, request: int) -> int:
        """The number of the question that a request puts, counted from 1 over the whole session."""
        ...

    def best(self) -> list[str]:
        """What would be recommended now, and how sure that is."""
        ...

    def front(self) -> list[Evaluated]:
        """The evaluated subsets that no other dominates."""
        ...

    def answers(self) -> list[Given]:
        """Every answer that stands, in order."""
        ...

    def why(self, request: Compare) -> list[str]:
        """The reason for a question, and what either answer would settle."""
        ...

    def without(self, request: int) -> list[str]:
        """What would change if the answer to this request were taken back."""
        ...

    def conflict(self, request: Reconcile) -> list[str]:
        """The measured orders that contradict the answers of a conflict together with each other."""
        ...
