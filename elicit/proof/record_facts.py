"""What the facts of a journal say and imply, worked out anew for a check of its claims, without a solver.

The rule: a fact must answer the request that asked for it, once, and before the end; the numbers measured are taken
as they were written. Dominance is read off the recorded scores as whole numbers on the grid; only the choice of what
holds beyond noise (`noise_level`) is worked out in floating point, as when the run made it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, assert_never

import numpy as np

from elicit.errors import CertificateError, InputError
from elicit.events import (
    BUDGET,
    BY_PROOF,
    EXHAUSTED,
    NOTHING_UNREJECTED,
    QUESTIONS,
    REJECTIONS,
    STOPS,
    Asked,
    Assumed,
    Evaluated,
    Fact,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
    budget_spent,
    nothing_left,
    questions_asked,
    rejected_in_a_row,
    undoubted_questions,
    usual_budget,
)
from elicit.journal import Header
from elicit.knowledge.deduction import deduce
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import History
from elicit.knowledge.linear import dense_ranks
from elicit.knowledge.statements import WEIGHTS, Relation, Source, Statement
from elicit.numeric import steps_of
from elicit.printable import many
from elicit.subsets import Family, Mask, masks_from, members
from elicit.utility.numbers import demand
from elicit.utility.scopes import Scope

#: The request that asked about a contradiction, and its answers; before any did.
_NO_CONTRADICTION: tuple[int, frozenset[int]] = (-1, frozenset())


class KnownFacts:
    """The facts known so far, as a history; each was checked against those before it.

    `History` refuses what no run could have recorded; what it takes on trust, that a fact answers what was asked,
    once and before the end, is checked here.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        #: those of a session; the run of a classical method has none
        self.settings: Mapping[str, Any] = header.choices if "elicit" in header.settings else {}
        demand(isinstance(self.settings, Mapping), "line 1: the settings are malformed")
        self.history = History(header.attributes, header.criteria)
        self.line = 1
        self._measure: dict[int, Mask] = {}
        self._compare: dict[int, tuple[Mask, Mask]] = {}
        self._open: set[int] = set()
        self._contradiction = _NO_CONTRADICTION
        self._next = 0
        self._budget = self.settings.get("budget")

    def fold(self, fact: Fact, line: int) -> None:
        """Take one fact; one that cannot follow those before it is a false step."""
        self.line = line
        try:
            ended = self.history.stopped is not None
            demand(not ended or isinstance(fact, Resumed | Retracted | Assumed), "the run goes on after its end")
            self._check(fact)
            self.history.record(fact)
        except (CertificateError, InputError) as error:
            raise CertificateError(f"line {line}: {error}") from None
        self._next = max(self._next, fact.requests.stop if isinstance(fact, Asked) else 0, fact.request + 1)
        if not isinstance(fact, Asked):
            self._open.discard(fact.request)

    def _check(self, fact: Fact) -> None:
        match fact:
            case Asked():
                self._check_round(fact)
            case Evaluated(request=request, subset=subset) | Failed(request=request, subset=subset):
                demand(self._measure.get(request) == subset, f"request {request} did not ask to measure this subset")
            case Preferred(request=request, first=first, second=second):
                demand(request in self._compare, f"request {request} is answered, and asked for no comparison")
                demand(self._compare[request] == (first, second), f"question {request} is answered with other subsets")
                demand(request not in self.history.answers, f"question {request} is answered twice")
            case Settled(request=request, conflict=conflict):
                asked = (request, frozenset(conflict)) == self._contradiction
                demand(asked, f"answers are kept by request {request}, which did not ask about them")
                self._contradiction = _NO_CONTRADICTION
            case Retracted(retracts=answer):
                request, answers = self._contradiction
                if answer in answers:
                    self._open.discard(request)  # withdrawn: there may be no contradiction any more
                    self._contradiction = _NO_CONTRADICTION
            case Stopped():
                self._open.clear()
            case Resumed(budget=budget):
                spent = len(self.history.evaluated) + len(self.history.failed)
                demand(budget is None or budget >= spent, f"a budget of {budget} is less than the {spent} spent before")
                self._budget = self._budget if budget is None else budget
            case Assumed():
                pass  # an assumption may be made at any time
            case _:
                assert_never(fact)

    def _check_round(self, fact: Asked) -> None:
        demand(not self._open, "a round begins before the one before it was answered")
        demand(fact.request >= self._next, f"request {fact.request!s:.20} was made before")
        self._open = set(fact.requests)
        ids = iter(fact.requests)
        self._measure |= {next(ids): subset for subset in fact.evaluate}
        if fact.compare is not None:
            self._compare[next(ids)] = fact.compare
        if fact.reconcile:
            demand(self.history.answers.keys() >= set(fact.reconcile), "a contradiction names answers that nobody gave")
            self._contradiction = next(ids), frozenset(fact.reconcile)

    def summary(self) -> str:
        """The facts in one line."""
        history = self.history
        back = len(history.answers.keys() & history.retracted)  # what was assumed may be taken back as well
        taken = f" ({back} taken back)" if back else ""
        failed = f", {len(history.failed)} could not be measured" if history.failed else ""
        return (
            f"{many(len(history.evaluated), 'subset')} measured{failed}, "
            f"{many(len(history.answers), 'question')} answered{taken}: each as it was asked, "
            "and its numbers taken as they were written"
        )

    def ended(self) -> str | None:
        """How the run ended, as far as its facts say; that it ended by a proof is for the claim to show."""
        stopped = self.history.stopped
        if stopped is None:
            return None
        if self.settings and stopped.rule in STOPS:
            demand(stopped.rule in self.settings["stop"], f"no setting lets a run end by {stopped.rule!r}")
        if stopped.rule in BY_PROOF:
            return None
        found = self._ending_by(stopped) if self.settings else None
        if found is not None:
            words, reached = found
            demand(reached and stopped.reason == words, f"the facts do not say {stopped.reason!r:.80}")
        how = "as its facts say" if found is not None else "which is told as it was written"
        return f"the run ended as {stopped.reason!r}, {how}"

    def _ending_by(self, stopped: Stopped) -> tuple[str, bool] | None:
        """How a session puts an end by this rule, and whether facts bear it out; None for what only the run knew."""
        rule = stopped.rule
        tried = self.history.evaluated.keys() | self.history.failed.keys()
        if rule == BUDGET:
            usual = usual_budget(self.family.largest.bit_count())
            most = min(usual if self._budget is None else self._budget, self.family.count())
            return budget_spent(most), len(tried) >= most
        if rule == QUESTIONS:
            return questions_asked(len(self.history.answers)), self.history.asked >= self._undoubted_questions
        if rule == EXHAUSTED:
            return nothing_left(len(self.history.failed)), sum(x in self.family for x in tried) >= self.family.count()
        if rule == REJECTIONS and stopped.reason != NOTHING_UNREJECTED:
            in_a_row = self.history.rejections_in_a_row
            return rejected_in_a_row(in_a_row), in_a_row >= self.settings["rejections"]
        return None

    @property
    def _undoubted_questions(self) -> int:
        """The most questions while no answer is doubted."""
        given = self.settings
        return undoubted_questions(given.get("questions", 0), given["spare"], given.get("policy", ""), given["doubt"])

    # -- what the facts imply -----------------------------------------------------------------------

    @property
    def asks_nothing(self) -> bool:
        """Whether nobody is asked, and no rule but the budget ends the run: its utility was declared."""
        return self.settings.get("stop") == [] and self.asks_nobody and not self.history.answers

    @property
    def asks_nobody(self) -> bool:
        """Whether the run may not put a question."""
        return bool(self.settings.get("questions") == 0)

    @property
    def noise(self) -> Noise | None:
        """The noise beyond which a dominance must hold, None when means count as they are."""
        level, ratio = float(self.settings["noise_level"]), float(self.settings.get("noise_ratio", 0.0))
        return Noise(level, ratio) if level else None

    @cached_property
    def family(self) -> Family:
        """The subsets that may be chosen."""
        return Family.from_plain(self.header.settings["family"], self.header.attributes)

    @property
    def scope(self) -> Scope:
        """The subsets among which a proof ends the run: no more than a run would admit."""
        scope = Scope.of(self.settings.get("scope", "family"))
        scope.check(self.family)
        return scope

    @property
    def is_exact(self) -> bool:
        """Whether the run worked in the exact set."""
        return bool(self.settings["parsimony"] == "exact")

    @property
    def space(self) -> dict[str, Any]:
        """The set of utilities that the settings name; the margin of the exact set is the claim's to say."""
        degree = self.settings["degree"]
        if self.is_exact:
            return {"kind": "slice", "degree": degree}
        return {
            "kind": "parsimonious",
            "tau": repr(float(self.settings["parsimony"])),
            "C": repr(float(self.settings["slack"])),
            "w": [repr(float(w)) for w in self.settings["weights"][:degree]],
            "degree": degree,
        }

    def statements(self) -> list[Statement]:
        """What the facts imply: dominance, transitively reduced, then answers and assumptions that stand."""
        measured, stated = self._dominance(), self.history.stated
        following = deduce(self.assumption, self._vectors(), measured, stated)
        return [*measured, *stated, *following]

    @property
    def assumption(self) -> str:
        """What the run assumed of its operator."""
        return str(self.settings.get("assume", "nothing"))

    def _measured(self) -> list[Evaluated]:
        """What was measured, as it was asked for: replies are folded in this order, whichever came first."""
        return sorted(self.history.evaluated.values(), key=lambda fact: fact.request)

    def _vectors(self) -> dict[Mask, list[int]]:
        """What was measured in steps of the grid, larger is better."""
        signs = [1 if criterion.maximise else -1 for criterion in self.header.criteria]
        return {
            fact.subset: [sign * steps_of(value) for sign, value in zip(signs, fact.criteria, strict=True)]
            for fact in self._measured()
        }

    def _dominance(self) -> list[Statement]:
        if self.noise is not None:
            header, measured = self.header, self._measured()
            return list(History(header.attributes, header.criteria, noise=self.noise, facts=measured).dominance)
        vectors = self._vectors()
        subsets = list(vectors)
        return [
            Statement(subsets[i], subsets[j], Relation.STRICT, Source.DOMINANCE, WEIGHTS[Source.DOMINANCE])
            for i, j in dominance(list(vectors.values()))
        ]


def dominance(vectors: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pairs (i, j): vector i is nowhere less than j and somewhere more, with no third one between them."""
    if not vectors:
        return []
    ranks = np.array([dense_ranks(column) for column in zip(*vectors, strict=True)]).T  # the same order, in any size
    table = np.array([(row >= ranks).all(axis=1) & (row > ranks).any(axis=1) for row in ranks])
    below, above = masks_from(table), masks_from(table.T)
    return [(i, j) for i in range(len(vectors)) for j in members(below[i]) if not below[i] & above[j]]
