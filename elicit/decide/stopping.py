"""Stopping: each rule looks at the beliefs and gives the reason to end the run, or nothing.

Rules combine: the first that fires ends the run. The budget always counts; what is proven, and at
which scope, is said whatever rule ended it.
"""

from __future__ import annotations

from elicit.decide.beliefs import Beliefs
from elicit.events import (
    EVALUATED,
    OPTIMAL,
    QUESTIONS,
    REGRET,
    REJECTIONS,
    ended_by,
    little_regret,
    questions_asked,
    rejected_in_a_row,
)
from elicit.utility.scopes import Scope


class Stopping:
    """The rules of one state of beliefs."""

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs
        self._settings = beliefs.settings

    def reason(self) -> str | None:
        """The reason of the first rule that fires, None when none does. The budget is the caller's to watch."""
        rules = {
            OPTIMAL: self._optimal,
            REGRET: self._regret,
            REJECTIONS: self._rejections,
            QUESTIONS: self._questions,
            EVALUATED: self._evaluated,
        }
        return next((reason for rule in self._settings.stop if (reason := rules[rule]()) is not None), None)

    def neighbourhood_evaluated(self) -> bool:
        """Whether all one flip or one swap away from the incumbent was measured (or failed).

        Flips alone let a run end at a subset that trading one attribute would have bettered.
        """
        incumbent = self._beliefs.incumbent
        if incumbent is None:
            return False
        history = self._beliefs.history
        return all(y in history.evaluated or y in history.failed for y in self._beliefs.family.around(incumbent))

    def may_be_proven(self) -> bool:
        """Whether a proof would end the run: in Θ_τ every neighbour must have been evaluated too."""
        if self._settings.exact or self._beliefs.scope.kind == "evaluated":
            return True
        return self.neighbourhood_evaluated()

    def _optimal(self) -> str | None:
        """Necessarily optimal at the stated scope, exactly."""
        if not self.may_be_proven() or not self._beliefs.proven_optimal:
            return None
        return ended_by(OPTIMAL, self._beliefs.scope.optimal)

    def _regret(self) -> str | None:
        """Little regret among the evaluated: after few of them it means little, so those around must be among them."""
        found = self._beliefs.incumbent_regret
        few = len(self._beliefs.history.evaluated) < self._settings.begun_with
        if found is None or few or not self.neighbourhood_evaluated():
            return None
        # in margins of one clear answer; the last digits depend on what the solver did before
        regret = round(found.value / self._beliefs.utilities.clear, 9)
        if regret > self._settings.epsilon:
            return None
        return little_regret(f"{regret:.3g}", self._settings.epsilon)

    def _rejections(self) -> str | None:
        in_a_row = self._beliefs.history.rejections_in_a_row
        return rejected_in_a_row(in_a_row) if in_a_row >= self._settings.rejections else None

    def _questions(self) -> str | None:
        history = self._beliefs.history
        return questions_asked(len(history.answers)) if history.asked >= self._settings.undoubted_questions else None

    def _evaluated(self) -> str | None:
        """Necessarily optimal among the evaluated: reached early and worth little, so only on request."""
        if not self._beliefs.proven_among_evaluated:
            return None
        return ended_by(EVALUATED, Scope.of(EVALUATED).optimal)
