"""Beliefs: what the history lets one say about utilities, computed once for each state of knowledge.

The set of utilities, the regrets of the evaluated subsets, the θ_k that ranks what is not evaluated,
the crowd of plausible operators, and the incumbent, which is what would be recommended now. Everything is a
function of the facts; the previous beliefs only make it faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from math import inf, isinf

import numpy as np

from elicit.decide.plausible import LEAST_ANSWERS, PlausibleOperators
from elicit.decide.settings import Settings
from elicit.events import Fact, Preferred
from elicit.knowledge.history import History
from elicit.knowledge.statements import (
    Relation,
    Source,
    Statement,
    edges_down,
    reachable,
    reachable_by_steps,
    standing,
    uncontradicted,
)
from elicit.subsets import Family, Mask, simplest
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.certificates import certify_best_among, certify_found
from elicit.utility.conflicts import LONGEST_SHORTENED
from elicit.utility.exact import ExactSet
from elicit.utility.family import FamilyRegret, family_regret, regret_over
from elicit.utility.issuing import Certificate
from elicit.utility.kernel import KernelUtility
from elicit.utility.monomials import Utility
from elicit.utility.parsimony import ParsimoniousSet
from elicit.utility.power import chosen_theta
from elicit.utility.regret import MOST_COMPARED, Regret, Regrets, beyond_worth
from elicit.utility.scopes import Scope
from elicit.utility.sets import Inconsistent

#: Measured subsets that are tried as rivals before the family is searched for one, those that θ_k likes best: each
#: takes a program or two, a search hundreds.
MOST_TRIED = 10

#: Ways to leave an answer of each contradiction out that are tried, a program for each.
MOST_LEFT_OUT = 20


class Beliefs:
    """What one state of knowledge amounts to.

    meant: the request of an answer that is not doubted: what it would come to, if the operator means it.
    """

    def __init__(
        self,
        history: History,
        family: Family,
        settings: Settings,
        previous: Beliefs | None = None,
        meant: int | None = None,
    ) -> None:
        self.history, self.family, self.settings, self._meant = history, family, settings, meant
        self.evaluated = history.subsets
        self.front = history.front
        # what is kept of earlier states are the last regrets computed, never the states themselves
        self._regrets_before: Regrets | None = (
            None if previous is None else previous.__dict__.get("regrets", previous._regrets_before)
        )
        self.utilities = self.fresh_utilities(previous)

    def with_facts(self, facts: Iterable[Fact], meant: int | None = None) -> Beliefs:
        """The beliefs of a run with these facts, and otherwise like this one."""
        return self._like_this(self.history.alike(facts), meant)

    def with_answer(self, answer: Preferred) -> Beliefs:
        """The beliefs with this answer, and meant, in place of the one that was given to the same question."""
        return self._like_this(self.history.with_answer(answer), answer.request)

    def _like_this(self, history: History, meant: int | None) -> Beliefs:
        """Other beliefs, whose first program begins where that of these ended."""
        if len(self.evaluated) > MOST_COMPARED:
            _ = self.utilities.budget  # solves it, so that not each of several others begins from nothing
        found = Beliefs(history, self.family, self.settings, self, meant)
        found._regrets_before = None  # to see which of them hold still takes more than those that will be asked for
        return found

    def fresh_utilities(self, previous: Beliefs | None = None) -> AnySet:
        """The set of utilities with no program solved yet.

        Values are functions of the facts, but which of several best θ a program returns may depend on what
        was solved before. Whoever decides by a θ, or by what was found with its help, needs a fresh set.
        """
        n, statements, settings = self.family.n, self.history.statements, self.settings
        if settings.exact:
            return ExactSet(n, self.evaluated, statements, degree=settings.degree)
        warm = previous.utilities if previous is not None else None
        known = warm if isinstance(warm, ParsimoniousSet) else None
        return ParsimoniousSet(n, self.evaluated, statements, settings.parsimony_settings, previous=known)

    @property
    def spent(self) -> float:
        """The share of the budget that was spent, from 0 to 1."""
        calls = len(self.evaluated) + len(self.history.failed)
        return min(1.0, calls / self.settings.evaluations(self.family))

    @cached_property
    def eligible(self) -> list[Mask]:
        """The evaluated subsets that may be chosen."""
        return [x for x in self.evaluated if x in self.family]

    @cached_property
    def conflict(self) -> Inconsistent | None:
        """Why the exact set is empty, None when it is not."""
        return self.utilities.conflict

    @cached_property
    def conflict_of_answers(self) -> tuple[Statement, ...]:
        """The statements of `conflict` where an operator can settle it; () where nobody can, or there is none.

        What was measured empties the exact set in the end without any answer, by its noise or because more than
        two attributes interact: then it helps nothing to take one back. Shortly before that, conflicts are of about
        as many statements as there are monomials, which nobody can judge.
        """
        if not self.history.answers or not self.utilities.empty:
            return ()
        answers, statements = self.history.answers, self.utilities.statements
        unanswered = [s for s in statements if s.request not in answers and s.source is not Source.DEDUCED]
        if ExactSet(self.family.n, self.evaluated, unanswered, degree=self.settings.degree).empty:
            return ()
        conflict = () if self.conflict is None else self.conflict.conflict
        return conflict if len(conflict) <= LONGEST_SHORTENED else ()

    @cached_property
    def settled_alone(self) -> bool:
        """Whether all that cannot hold together has every answer of a contradiction in it that was let stand.

        Then it makes no difference which conflict is the smallest, and to find that takes hundreds of programs. It is
        so if the rest can hold, whichever answer of each such contradiction is left out.
        """
        standing, ways = self.history.standing, {frozenset[int]()}
        settled = sorted(group for group in self.history.settled if all(request in standing for request in group))
        for group in settled:
            ways = {way if way & set(group) else way | {request} for way in ways for request in group}
            ways = {way for way in ways if not any(fewer < way for fewer in ways)}
            if len(ways) > MOST_LEFT_OUT:
                return False
        # an answer that is left out takes what is deduced from it along
        return (
            bool(settled) and not self.history.deduced and self.utilities.empty and all(map(self._holds_without, ways))
        )

    def _holds_without(self, answers: frozenset[int]) -> bool:
        """Whether some utility satisfies all statements but these answers."""
        rest = [s for s in self.utilities.statements if s.request not in answers]
        return ExactSet(self.family.n, self.evaluated, rest, degree=self.settings.degree).consistent

    @property
    def decides(self) -> bool:
        """Whether the set of utilities can be asked anything: some statement is strict, and none contradicts it."""
        return not self.utilities.empty and self.utilities.informative

    @cached_property
    def regrets(self) -> Regrets:
        """Regrets of the evaluated subsets; what the previous beliefs proved is reused where it stands."""
        before, self._regrets_before = self._regrets_before, None
        return Regrets(self.utilities, before, self.eligible)

    @property
    def theta_name(self) -> str:
        """Which utility θ_k is: the one that the settings name, but L2 where the exact set is empty."""
        return "L2" if self.utilities.empty else self.settings.theta

    @cached_property
    def theta(self) -> KernelUtility | Utility:
        """θ_k, by which subsets that are not evaluated are ranked."""
        grown = self.settings.margins
        margins = 1.0 + grown * self.history.certainties(self.settings.spread_of_folds) if grown else None
        return chosen_theta(self.theta_name, self.utilities, self.settings.pairs, margins)

    @cached_property
    def plausible(self) -> PlausibleOperators:
        """The crowd of operators who may be asking."""
        return PlausibleOperators(self.history)

    @cached_property
    def doubted(self) -> tuple[Statement, ...]:
        """The preferences that plausible operators, by all that was answered, hold more likely wrong than right.

        They keep nothing from being recommended; otherwise they count as all others do, and no proof knows of doubts.
        An answer that was given twice is never doubted: whoever repeats it means it, however unlikely it is.
        """
        return tuple(s for s in self._unlikely if s.request != self._meant)

    @property
    def meant_against_the_odds(self) -> bool:
        """Whether the answer that is taken as meant would be doubted, were it given once."""
        return any(s.request == self._meant for s in self._unlikely)

    @cached_property
    def _unlikely(self) -> tuple[Statement, ...]:
        """The preferences, each given once, that plausible operators hold more likely wrong than right."""
        settings, answers = self.settings, [s for s in self.history.stated if s.request in self.history.answers]
        weighed = settings.recommend == "expected" and settings.policy == "value" and not settings.exact
        if not weighed or settings.doubt >= 1 or len(answers) < LEAST_ANSWERS:
            return ()
        preferences = [s for s in answers if s.strict]
        given = Counter((s.better, s.worse) for s in preferences)
        once = [s for s in preferences if given[s.better, s.worse] == 1]
        doubts = np.round(self.plausible.against([(s.better, s.worse) for s in once]), 9).tolist()
        return tuple(s for s, doubt in zip(once, doubts, strict=True) if doubt >= settings.doubt)

    def doubted_against(self, subset: Mask) -> list[Mask]:
        """What doubted answers prefer to a subset."""
        return [s.better for s in self.doubted if s.worse == subset]

    @cached_property
    def candidates(self) -> list[Mask]:
        """Those that may be recommended: measured, in the family, and put below no other by measure or answer.

        Answers that are doubted are left out.
        """
        if self.doubted:
            return self._top(self.eligible, [s for s in self.history.statements if s not in self.doubted])
        outright, eligible = self.utilities.candidates(self.eligible), set(self.eligible)
        # then each step of a chain is strict, and from one that may be recommended it leads to another such
        if all(s.strict and s.worse in eligible for s in self.history.statements):
            return outright
        return self._top(outright, self.history.statements)

    def _top(self, subsets: Sequence[Mask], statements: Sequence[Statement]) -> list[Mask]:
        """Those that no chain of these statements puts below another of them."""
        # what is said to equal one that is below another is below that other as well; and so is what is below one
        # that an earlier run measured
        below = reachable_by_steps(subsets, edges_down(standing(statements)))
        return [x for x in subsets if (x, True) not in below]

    @property
    def by_score(self) -> bool:
        """Whether the score decides what is recommended: nobody is asked, nor was before."""
        nobody = self.settings.questions == 0 and not self.history.stated
        return nobody and self.settings.recommend == "expected"

    @cached_property
    def incumbent(self) -> Mask | None:
        """What would be recommended now; None before anything in the family is evaluated.

        Either the candidate worth most to the operators who are plausible (the simplest of those that the
        operator calls equal to it), or the one of least max regret. Where nobody is asked, nor was before, the score
        decides: what others may prefer is no reason then.
        When the exact set is empty no regret exists, and the front member that θ_k likes best stands in.
        """
        if not self.eligible:
            return None
        if self.settings.recommend == "expected":
            among = self.candidates
            if self.by_score:
                return best_by_score(self.history, set(among))
            equal = self._equal_to(self.plausible.by_worth(among)[0])
            return min((x for x in among if x in equal), key=simplest)
        if not self.decides:
            return self.favourite
        return self.regrets.least().subset

    def _equal_to(self, subset: Mask) -> set[Mask]:
        """Those that the operator calls equal to a subset, itself included, where no answers contradict it."""
        statements = self.history.statements
        if all(s.relation is not Relation.EQUAL for s in statements):
            return {subset}
        beside: dict[Mask, set[Mask]] = {}
        for one, other in (e for s in uncontradicted(statements) if s.relation is Relation.EQUAL for e in s.edges):
            beside.setdefault(one, set()).add(other)
        return {subset, *reachable(subset, beside)}

    @cached_property
    def incumbent_regret(self) -> Regret | None:
        """The max regret of the incumbent among the evaluated (infinite when none exists)."""
        if self.incumbent is None:
            return None
        if not self.decides:
            return Regret(self.incumbent, float("inf"), None)
        return self.regrets.of(self.incumbent)

    @cached_property
    def far_from_proven(self) -> bool:
        """Whether the recommended one is too far from proven best, among very many, for its regret to be worked out."""
        subset = self.incumbent
        return subset is not None and self.decides and beyond_worth(self.regrets, subset)

    @cached_property
    def scope(self) -> Scope:
        """The subsets among which a proof of optimality ends the run."""
        return Scope.of(self.settings.scope)

    @cached_property
    def scope_regret(self) -> FamilyRegret | None:
        """Whether the incumbent is necessarily optimal at the stated scope; None when nothing can be decided."""
        subset = self.incumbent
        if subset is None or not self.decides:
            return None
        part = self.scope.part(self.family)
        if part is None:
            rivals = self.scope.listed(subset, self.family, self.evaluated)
            return regret_over(self.fresh_utilities(), subset, rivals, decide_only=True)
        if subset not in part:
            return None
        liked, effort = self.by_liking([x for x in self.evaluated if x in part])[:MOST_TRIED], self.settings.effort
        return family_regret(self._fresh_for_search, subset, part, decide_only=True, most_cubes=effort, rivals=liked)

    @cached_property
    def _fresh_for_search(self) -> AnySet:
        """The set of utilities in which a part of the family is searched for a proof, and by which it is written."""
        return self.fresh_utilities()

    @cached_property
    def proven_optimal(self) -> bool:
        """Whether exact arithmetic agrees that the recommended subset is necessarily optimal at the stated scope."""
        worst = self.scope_regret
        return worst is not None and worst.optimal is True and self.certificate is not None

    @cached_property
    def certificate(self) -> Certificate | None:
        """The proof that the recommended subset is necessarily optimal at the stated scope, None without one."""
        found, part = self.scope_regret, self.scope.part(self.family)
        if found is None:
            return None
        if part is None:
            rivals = self.scope.listed(found.subset, self.family, self.evaluated)
            return certify_best_among(self.fresh_utilities(), found.subset, rivals)
        return certify_found(self._fresh_for_search, found, part)

    @cached_property
    def proven_among_evaluated(self) -> bool:
        """Whether exact arithmetic agrees that the recommended subset is necessarily optimal among the evaluated."""
        found = self.incumbent_regret
        if found is None or found.rival is not None or isinf(found.value):
            return False
        return certify_best_among(self.fresh_utilities(), found.subset, self.evaluated) is not None

    @cached_property
    def favourite(self) -> Mask:
        """The member of the front that θ_k ranks first; without any statement the simplest."""
        # it may be what is recommended: then answers that go in no circles decide what is left out
        by_answers = not self.utilities.empty and not self.utilities.informative
        able = set(self.candidates) if by_answers else self.family
        front = [x for x in self.front if x in able] or self.eligible
        return self.liked_best(front)

    def liked_best(self, among: Sequence[Mask]) -> Mask:
        """The one that θ_k ranks first; of those equal the simplest."""
        return self.by_liking(among)[0]

    def by_liking(self, subsets: Sequence[Mask]) -> list[Mask]:
        """Those that θ_k ranks first come first; of those equal the simplest."""
        values = self.theta.values(subsets).tolist() if subsets else []
        ranked: list[tuple[float, tuple[int, Mask]]] = []
        level = inf
        for value, x in sorted(zip(values, subsets, strict=True), reverse=True):
            level = value if value < level - tolerances.DECISION else level  # the highest of those equal
            ranked.append((-level, simplest(x)))
        return [x for _, (_, x) in sorted(ranked)]


def best_by_score(history: History, among: Family | Collection[Mask]) -> Mask | None:
    """The evaluated subset among these that is best by the first criterion; ties go to fewer attributes."""
    scored = zip(history.subsets, history.vectors[:, 0].tolist(), strict=True)
    scores = {x: score for x, score in scored if x in among}
    return min(scores, key=lambda x: (-scores[x], simplest(x)), default=None)
