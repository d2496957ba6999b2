"""Declared: a run whose utility is known from the start, such as "the score, and fewer attributes among equals".

Nobody has to be asked, so nothing is: subsets are sought by their scores alone (`seeking.py`), none is
rejected unseen, and the incumbent is the best evaluated subset outright. Its utility is not turned into
statements: a chain of every evaluated subset would force noise-sized steps apart as hard as real ones.

An `Unattended` run may also begin with statements carried over from before; each is dropped once what
is measured dominates the other way.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from elicit.decide.beliefs import Beliefs, best_by_score
from elicit.decide.elicitation import Elicitation
from elicit.estimator.seeking import next_subsets
from elicit.estimator.tolerance import Tolerance
from elicit.events import Asked, Stopped
from elicit.knowledge.statements import Relation, Source
from elicit.subsets import Mask
from elicit.utility.regret import Regret

#: What a declared run does differently: it asks nothing, and its budget alone ends it.
SETTINGS: dict[str, Any] = {"questions": 0, "policy": "none", "stop": ()}


class Unattended(Elicitation):
    """An elicitation that can be pickled, and drops what was carried over once it is refuted."""

    def _decided(self) -> Asked | Stopped:
        self._drop_refuted()
        return super()._decided()

    def _drop_refuted(self) -> None:
        history, below = self.history, self.history.dominates
        for request, fact in history.assumed.items():
            if fact.source != Source.PRIOR.value or request in history.retracted:
                continue
            refuted = fact.better in below.get(fact.worse, ())
            if fact.relation == Relation.EQUAL.value:
                refuted = refuted or fact.worse in below.get(fact.better, ())
            if refuted:
                self.retract(request)

    def __getstate__(self) -> dict[str, Any]:
        # beliefs hold a solver's models, and are computed anew from the facts
        return self.__dict__ | {"_beliefs": None, "_beliefs_at": -1}


class _DeclaredBeliefs(Beliefs):
    """Beliefs of a run whose utility is the score: the incumbent is the subset of the best score."""

    @cached_property
    def incumbent(self) -> Mask | None:
        """The best evaluated subset."""
        return best_by_score(self.history, self.family)

    @cached_property
    def incumbent_regret(self) -> Regret | None:
        """The best evaluated subset; its regret among all utilities is of no interest."""
        return None if self.incumbent is None else Regret(self.incumbent, float("inf"), None)


class Declared(Unattended):
    """An elicitation for which the first criterion, then fewer attributes, is the whole utility.

    With a tolerance it looks for the fewest attributes within that of the best, too; its incumbent is the best.
    """

    beliefs_type = _DeclaredBeliefs

    def __init__(self, *given: Any, tolerance: Tolerance | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self._tolerance = tolerance

    def _decided(self) -> Asked | Stopped:
        count = min(self.settings.batch, self.budget - self.evaluations)
        rng = self._randomness()
        if count <= 0:
            return super()._decided()  # the budget is spent
        subsets, why = next_subsets(
            self.history, self.family, self.outlook, self.budget, count, rng, tolerance=self._tolerance
        )
        if subsets:
            return Asked(self._next_id, subsets, why=why)
        return Stopped(self._next_id, "nothing new was found in the family")
