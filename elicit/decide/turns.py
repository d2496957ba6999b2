"""Turns: when a question falls, and how many are left. Which two it compares is for `questioning` to say.

While something is left to measure, a question waits until enough was measured since the last answer, and the
last few are kept for the end. At the end these are put, and those kept for doubts, should some answer be
doubted. A policy without evaluations between its questions (`ask_every = 0`) asks whenever it has one.
"""

from __future__ import annotations

from dataclasses import dataclass

from elicit.decide.descent import between_questions
from elicit.decide.settings import Settings
from elicit.knowledge.history import History
from elicit.subsets import Family


@dataclass(frozen=True)
class Turns:
    """The turns of one state of a run."""

    history: History
    settings: Settings
    family: Family

    @property
    def most(self) -> int:
        """Questions that may be put in all, one more for each whose answer was taken back.

        Those that are kept for doubts are among them once they begin.
        """
        return self._most_counted + len(self.history.undone)

    @property
    def spare(self) -> int:
        """Questions beyond `most` that are kept for doubts, and may be put should some answer be doubted."""
        return self.settings.questions - self._most_counted

    @property
    def left(self) -> int:
        """Questions that may still be put, as `most` counts."""
        return max(self._most_counted - self.history.asked, 0)

    @property
    def without_doubts(self) -> bool:
        """Whether a question is left of those that need no doubted answer."""
        return self.history.asked < self.settings.undoubted_questions

    @property
    def for_doubts(self) -> bool:
        """Whether a question is left for doubts, should some answer be doubted."""
        return self.history.asked < self.settings.questions

    @property
    def for_confirming(self) -> bool:
        """Whether fewer questions were put than go to the choice at the end in any case."""
        return self.history.asked < self.settings.confirm

    @property
    def at_once(self) -> bool:
        """Whether nothing need be measured between two questions."""
        return self._between == 0

    @property
    def due(self) -> bool:
        """Whether enough was measured since the last answer, and a question is left that is not kept for the end."""
        most = self.settings.undoubted_questions - self._kept_for_the_end
        return self.at_once or (self.history.calls_since_answer >= self._between and self.history.asked < most)

    @property
    def last(self) -> bool:
        """Whether, once nothing more is measured, a question is left of those kept for then."""
        return self.history.asked_since_call < self._kept_for_the_end

    @property
    def check_due(self) -> bool:
        """Whether the next question is to be a check."""
        every, asked = self.settings.check_every, self.history.asked
        return every > 0 and asked > 0 and asked % every == 0

    @property
    def _between(self) -> int:
        return between_questions(self.settings, self.family)

    @property
    def _kept_for_the_end(self) -> int:
        return min(self.settings.last_questions, self.settings.undoubted_questions)

    @property
    def _most_counted(self) -> int:
        return self.settings.undoubted_questions if self.without_doubts else self.settings.questions
