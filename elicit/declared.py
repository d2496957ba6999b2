"""Declared: a run whose utility is known from the start, such as "the score, and fewer attributes among equals".

Nobody has to be asked, so nothing is: the incumbent is the best evaluated subset outright. What the
utility says about it and the subset that the model likes best is told now and then, as a deduced
statement: the same few statements that an operator's answers would have made. Deducing more is worse, not
better: a chain of every evaluated subset forces noise-sized steps apart as hard as real ones.

An `Unattended` run may also begin with statements carried over from before; each is dropped once what
is measured dominates the other way.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import Elicitation
from elicit.decide.questioning import Questions
from elicit.events import Assumed
from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation, Source
from elicit.subsets import Family, Mask, simplest
from elicit.utility.regret import Regret

#: What a declared run does differently: it searches near the best one, and its budget alone ends it.
#: Figures behind these: tests/benchmarks/bench_selector.py.
SETTINGS: dict[str, Any] = {"questions": 0, "neighbours": 0.9, "stop": ()}


def best_by_score(history: History, family: Family) -> Mask | None:
    """The evaluated member of the family with the best first criterion; ties go to fewer attributes."""
    eligible = [(k, x) for k, x in enumerate(history.subsets) if x in family]
    if not eligible:
        return None
    scores = history.vectors[:, 0]
    return min(eligible, key=lambda pair: (-scores[pair[0]], simplest(pair[1])))[1]


class Unattended(Elicitation):
    """An elicitation that can be pickled, and drops what was carried over once it is refuted."""

    def _decide(self) -> None:
        self._drop_refuted()
        super()._decide()

    def _drop_refuted(self) -> None:
        history = self.history
        for request, fact in history.assumed.items():
            if fact.source != Source.PRIOR.value or request in history.retracted:
                continue
            below = history.dominates
            refuted = fact.better in below.get(fact.worse, ())
            if fact.relation == Relation.EQUAL.value:
                refuted = refuted or fact.worse in below.get(fact.better, ())
            if refuted:
                self.retract(request)

    def __getstate__(self) -> dict[str, Any]:
        # beliefs hold a solver's models, and are computed anew from the facts
        return self.__dict__ | {"_beliefs": None, "_beliefs_at": -1}


class Declared(Unattended):
    """An elicitation for which the first criterion, then fewer attributes, is the whole utility."""

    @property
    def beliefs(self) -> Beliefs:
        """What the folded facts amount to."""
        if self._beliefs is None or self._beliefs_at != self.history.version:
            self._beliefs = _Declared(self.history, self.family, self.settings, self._beliefs)
            self._beliefs_at = self.history.version
        return self._beliefs

    def _decide(self) -> None:
        self._deduce()
        super()._decide()

    def _deduce(self) -> None:
        """State what the utility says about two subsets that dominance leaves open, once in a while."""
        told = max((self._evaluated_before(request) for request in self.history.assumed), default=0)
        if not self.history.evaluated or self.evaluations - told < max(1, self.settings.ask_every):
            return
        question = Questions(self.beliefs).next(np.random.default_rng([self.seed, self._next_id]))
        if question is None:
            return
        place = {x: k for k, x in enumerate(self.history.subsets)}
        better, worse = sorted(
            (question.first, question.second), key=lambda x: (-self.history.vectors[place[x], 0], simplest(x))
        )
        fact = Assumed(self._next_id, better, worse, Relation.STRICT.value, Source.DEDUCED.value)
        self.history.record(fact)
        self._log.append(fact)
        self._next_id += 1


class _Declared(Beliefs):
    """Beliefs of a run that knows what is best."""

    @cached_property
    def incumbent(self) -> Regret | None:
        """The best evaluated subset; its regret among all utilities is of no interest."""
        best = best_by_score(self.history, self.family)
        return None if best is None else Regret(best, float("inf"), None)
