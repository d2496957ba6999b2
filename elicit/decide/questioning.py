"""Questioning: which two evaluated subsets the operator should compare.

Never two that dominance or the answers already order, never the same two twice ("later" aside). Θ_τ's
opinion does not count as an answer. A check question is the exception: it repeats what answers imply or,
once (and more often where the answers differ), an answer on which the choice hangs, never what dominance
implies, and is there to catch a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.plausible import LEAST_ANSWERS, MIDDLING
from elicit.events import CALLED_OFF, OUT_OF_TIME, Answer, Asked, Preferred, Resumed, Stopped
from elicit.knowledge.statements import Source, Statement, reachable
from elicit.subsets import Mask, indicator, simplest
from elicit.utility.exact import ExactSet, outside_span, row_space
from elicit.utility.kernel import KernelUtility
from elicit.utility.monomials import Matrix, Utility
from elicit.utility.numbers import listable
from elicit.utility.sets import difference

#: Candidates, those worth most to plausible operators, among which the policy "value" looks for a pair.
MOST_COMPARED = 30

#: A rival that the operator likes better with less than this chance is not worth a question.
UNLIKELY = 0.05

#: Once many questions were put, and no answer is doubted, what was answered against a rival stands if that is liked
#: better with less than this chance and promises less than this, in shares of what the front's better half spans.
CONTESTED, MUCH = 0.2, 0.07

#: How often one question is put where the answers differ: of five, three agree.
MOST_ASKED = 5

#: Why a choice is confirmed at the end: by a question that is new, by one put once, by one that was never put though
#: answers about other subsets imply it, or by one answered both ways.
NEW = "one of these would be recommended now, and you may like the other better"
ONCE_MORE = "what is recommended hangs on your answers about these, so you are asked once more"
IMPLIED = "what is recommended hangs on these, and their order only follows from other answers of yours: a check"
TORN = "you gave both answers to this, and what is recommended hangs on it"


@dataclass(frozen=True)
class Question:
    """Two subsets to compare, and why."""

    first: Mask
    second: Mask
    why: str
    check: bool = False


class Questions:
    """What may be asked in one state of beliefs."""

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs
        self._history = beliefs.history
        self._asked: dict[frozenset[Mask], list[Preferred]] = {}
        self._later: dict[frozenset[Mask], Preferred] = {}
        for a in self._history.standing.values():
            pair = frozenset((a.first, a.second))
            if a.answer is Answer.LATER:
                self._later[pair] = a
            else:
                self._asked.setdefault(pair, []).append(a)
                self._later.pop(pair, None)  # it came back, and was answered

    def next(self, rng: np.random.Generator, *, worth: float = 1.0, last: bool = False) -> Question | None:
        """The question that the policy would ask now, None when it has none.

        `worth` is a share of what an answer must be worth while the run goes on; `last`: nothing will be measured
        any more, and what is chosen now is taken home.
        """
        policies: dict[str, Callable[[], Iterator[Question]]] = {
            "value": lambda: self._value(self._beliefs.settings.worth * worth, MIDDLING if last else -np.inf),
            "current": self._current,
            "favourite": self._favourite,
            "split": self._split,
            "ranking": self._ranking,
            "one-flip": self._one_flip,
            "none": lambda: iter(()),
        }
        policy = policies[self._beliefs.settings.policy]
        return None if self._beliefs.incumbent is None else self._first(policy(), rng)

    def for_proof(self, rival: Mask, rng: np.random.Generator) -> Question | None:
        """The current best against the subset that stands in the way of a proof, then against lesser rivals."""
        if self._beliefs.settings.policy == "none":
            return None
        needed = self._of_the_best([rival], "its answer may prove which subset is best")
        return self._first(chain(needed, self._current()), rng)

    def _first(self, questions: Iterable[Question], rng: np.random.Generator) -> Question | None:
        """The first of these that was not put off, else the first that was, as it stood there, once more is known."""
        postponed: Question | None = None
        for question in questions:
            pair = frozenset((question.first, question.second))
            if pair in self._later:
                before = self._later[pair]
                if postponed is None and self._more_known_since(before.request):
                    postponed = Question(before.first, before.second, f"{question.why} (you put it off)")
            elif pair in self._asked:  # put again as it stood, lest it be taken for another
                before = self._asked[pair][-1]
                return replace(question, first=before.first, second=before.second)
            else:
                return _shown_in_random_order(question, rng)
        return postponed

    def _more_known_since(self, request: int) -> bool:
        """Whether anything happened since but questions that were put off as well: else one would ask at once again."""
        interrupted = False
        for fact in (fact for fact in self._history.facts if fact.request > request):
            put_off = isinstance(fact, Preferred) and fact.answer is Answer.LATER
            # whoever a clock or a program interrupted comes back as if nothing had been
            if not (isinstance(fact, Asked | Stopped) or put_off or (interrupted and isinstance(fact, Resumed))):
                return True
            interrupted = isinstance(fact, Stopped) and fact.rule in (OUT_OF_TIME, CALLED_OFF)
        return False

    def _may_check(self, a: Mask, b: Mask) -> bool:
        """Whether a pair was not asked yet; a check that was put off does not come back, for nothing waits for it."""
        pair = frozenset((a, b))
        return pair not in self._asked and pair not in self._later

    def check(self, rng: np.random.Generator) -> Question | None:
        """A question whose answer the others imply: one drawn from the pairs that were not asked."""
        implied = [
            (a, b)
            for a, b in combinations(self._beliefs.evaluated, 2)
            if not self._by_dominance(a, b) and self._may_check(a, b) and self._implied(a, b)
        ]
        if not implied:
            return None
        a, b = implied[int(rng.integers(len(implied)))]
        question = Question(a, b, "your earlier answers imply this one: a check", check=True)
        return _shown_in_random_order(question, rng)

    def doubted(self, rng: np.random.Generator) -> Question | None:
        """A question whose answer the others imply though plausible operators would rather give another one.

        Then an earlier answer is likely to be wrong, and one of those worth most would never be recommended.
        """
        settings = self._beliefs.settings
        if settings.policy != "value" or settings.doubt >= 1 or len(self._asked) < LEAST_ANSWERS:
            return None
        crowd, below = self._beliefs.plausible, self._below
        best = crowd.by_worth(below)[:MOST_COMPARED]
        implied = [
            (a, b)
            for b in best
            for a in below
            if b in below[a] and a not in below[b] and not self._by_dominance(a, b)
            if self._may_check(a, b)
        ]
        doubts = np.round(crowd.against(implied), 9).tolist()
        worst = max(doubts, default=0.0)
        if not implied or worst < settings.doubt:
            return None
        a, b = min(pair for pair, doubt in zip(implied, doubts, strict=True) if doubt == worst)
        return _shown_in_random_order(
            Question(a, b, "an earlier answer fits badly with the others; this asks it another way", check=True), rng
        )

    def confirming(self, rng: np.random.Generator, *, few: bool) -> Question | None:
        """What would be taken home against a rival that the operator may like better, for the first time or once more.

        No expected worth says so: plausible operators err, so one answer against many hardly moves what they expect.
        But an answer about the choice itself settles it, for nothing below another is recommended. So a wrong one does
        most harm here, and is asked again: with `few` questions put, or where some answer is doubted, as long as the
        rival is not unlikely to be liked better; else only where the choice is contested, or much hangs on it. And
        before all, so is an answer that is doubted and speaks against the choice: given twice it counts. And so is
        what was answered both ways.
        """
        beliefs = self._beliefs
        best = beliefs.incumbent
        if best is None or beliefs.settings.policy != "value":
            return None
        crowd = beliefs.plausible
        rivals = [x for x in self._history.front if x != best and not self._by_dominance(best, x)]
        chances = dict(zip(rivals, np.round(crowd.against([(best, x) for x in rivals]), 9).tolist(), strict=True))
        gains = dict(zip(rivals, np.round(crowd.gains(best, rivals), 9).tolist(), strict=True))
        likely = sorted((x for x in crowd.by_worth(rivals) if chances[x] >= UNLIKELY), key=lambda x: -chances[x])
        careful = few or bool(beliefs.doubted)
        contested = [x for x in likely if careful or chances[x] >= CONTESTED or gains[x] >= MUCH]
        return self._first(self._confirmations(best, likely, contested, new=careful), rng)

    def _confirmations(
        self, best: Mask, likely: Sequence[Mask], contested: Sequence[Mask], *, new: bool
    ) -> Iterator[Question]:
        """What confirms a choice, the first thing first; `new`: also by a question that was never put."""
        for x in self._beliefs.doubted_against(best):
            if self._may_repeat(x, best):
                yield self._once_more(best, x)
        for x in likely:
            if self._torn(best, x):
                yield Question(best, x, TORN, check=True)
        for x in likely if new else ():
            if x in self._beliefs.candidates and self.open(best, x):
                yield Question(best, x, NEW)
        for x in contested:
            if self._may_repeat(best, x):
                yield self._once_more(best, x)

    def _once_more(self, a: Mask, b: Mask) -> Question:
        why = ONCE_MORE if frozenset((a, b)) in self._asked else IMPLIED
        return Question(a, b, why, check=True)

    def _torn(self, a: Mask, b: Mask) -> bool:
        """Whether the operator preferred each of these two to the other, and let the answers stand."""
        pair = frozenset((a, b))
        answers = (s for s in self._history.stated if s.request in self._history.answers and s.strict)
        preferred = {s.better for s in answers if {s.better, s.worse} == pair}
        return preferred == pair and self._may_ask_once_more(pair, MOST_ASKED)

    def _may_repeat(self, a: Mask, b: Mask) -> bool:
        """Whether answers put b below a, and one about just these two may be given, if it was, once more.

        One that is doubted may lead in a circle; without it the others may still say so.
        """
        said = any(b in below[a] and a not in below[b] for below in (self._below, self._below_undoubted))
        return said and self._may_ask_once_more(frozenset((a, b)), most=2)

    def _may_ask_once_more(self, pair: frozenset[Mask], most: int) -> bool:
        """Whether a question may be put for the `most`-th time at most, by the settings.

        One that was put off may not, nor one about what cannot be compared.
        """
        answers = [a.answer for a in self._asked.get(pair, ())]
        ruled_out = pair in self._later or Answer.INCOMPARABLE in answers
        return self._beliefs.settings.doubt < 1 and len(answers) < most and not ruled_out

    # -- what is already known ------------------------------------------------------------------

    def open(self, a: Mask, b: Mask) -> bool:
        """Whether the order of a and b is still unknown and may be asked."""
        return frozenset((a, b)) not in self._asked and not self._by_dominance(a, b) and not self._implied(a, b)

    def _by_dominance(self, a: Mask, b: Mask) -> bool:
        below = self._history.dominates
        same = self._history.same_criteria(a, b)
        return same or b in below[a] or a in below[b]

    def _implied(self, a: Mask, b: Mask) -> bool:
        """Whether statements chain from one to the other, or the exact cone of the answers orders them."""
        if b in self._below[a] or a in self._below[b]:
            return True
        if outside_span(_flips([(a, b)], self._beliefs.family.n)[0], self._along):
            return False
        cone = self._cone
        if cone is None:
            return False
        return any(cone.cone_multipliers(difference(*pair)) is not None for pair in ((a, b), (b, a)))

    @cached_property
    def _below(self) -> dict[Mask, set[Mask]]:
        """Everything that dominance and answers, chained, put below each evaluated subset."""
        return self._chained(self._history.statements)

    @cached_property
    def _below_undoubted(self) -> dict[Mask, set[Mask]]:
        """The same without the answers that are doubted."""
        if not self._beliefs.doubted:
            return self._below
        return self._chained([s for s in self._history.statements if s not in self._beliefs.doubted])

    def _chained(self, statements: Iterable[Statement]) -> dict[Mask, set[Mask]]:
        """What these statements, chained, put below each evaluated subset."""
        direct: dict[Mask, set[Mask]] = {}
        for above, below in (edge for s in statements for edge in s.edges):
            direct.setdefault(above, set()).add(below)  # a chain may lead over what only an earlier run measured
        return {x: reachable(x, direct) for x in self._beliefs.evaluated}

    @cached_property
    def _answers(self) -> list[Statement]:
        """What the operator stated."""
        return [s for s in self._history.stated if s.source is Source.OPERATOR]

    @cached_property
    def _along(self) -> Matrix:
        """A basis of what sums of the answers say of single attributes.

        What the cone orders is such a sum, too. Hardly any pair is, so the cone, which takes long where attributes
        are many, is hardly ever needed.
        """
        return row_space(_flips([(s.better, s.worse) for s in self._answers], self._beliefs.family.n))

    @cached_property
    def _cone(self) -> ExactSet | None:
        """The exact cone of the operator's answers alone, None when they say nothing or contradict themselves."""
        answers = self._answers
        n, degree = self._beliefs.family.n, self._beliefs.settings.degree
        # of a thousand attributes the program would list half a million pairs. There chains alone are seen: beyond
        # them answers order only subsets whose φ depend on each other, which takes many small ones that overlap
        if not answers or not listable(n, degree):
            return None
        cone = ExactSet(n, (), answers, degree=degree)
        return cone if cone.consistent else None

    # -- policies -------------------------------------------------------------------------------

    def _value(self, least: float, floor: float) -> Iterator[Question]:
        """Pairs of candidates, the one first whose answer is worth most to the choice among them; at least so much."""
        crowd, front = self._beliefs.plausible, set(self._history.front)
        live = [x for x in self._beliefs.candidates if x in front]
        if len(live) < 2:  # within noise even all of the front may be put below others by answers
            return
        live = crowd.by_worth(live)[:MOST_COMPARED]
        values = np.round(crowd.question_values(live, floor), 9)
        pairs = [(i, j) for i, j in combinations(range(len(live)), 2) if values[i, j] >= least]
        for i, j in sorted(pairs, key=lambda p: (-values[p], p)):
            if self.open(live[i], live[j]):
                yield Question(live[i], live[j], "its answer tells most about what to recommend")

    def _current(self) -> Iterator[Question]:
        """The incumbent against the rival that could gain most on it, then lesser rivals."""
        found = self._beliefs.incumbent_regret
        assert found is not None
        why = "the current best against its strongest rival"
        if found.rival is not None:
            yield from self._of_the_best([found.rival], why)
        yield from self._of_the_best(self._rivals_by_gain(found.subset), why)

    def _of_the_best(self, others: Iterable[Mask], why: str) -> Iterator[Question]:
        """The incumbent against each of the others, as far as that is open."""
        best = self._beliefs.incumbent
        assert best is not None
        return (Question(best, x, why) for x in others if self.open(best, x))

    def _favourite(self) -> Iterator[Question]:
        """The incumbent against the member of the front that θ_k likes best."""
        others = self._beliefs.by_liking(self._beliefs.front)
        return self._of_the_best(others, "the current best against the most promising other")

    def _rivals_by_gain(self, subset: Mask) -> list[Mask]:
        """Members of the front, those first that could gain most on `subset`."""
        front = [x for x in self._beliefs.front if x != subset]
        if not self._beliefs.decides:
            return sorted(front, key=simplest)
        open_to = [x for x in front if self.open(subset, x)]
        # the last digits depend on what was solved before
        gains = {x: round(self._beliefs.regrets.pair(x, subset), 6) for x in open_to}
        return sorted((x for x in gains if gains[x] > 0), key=lambda x: (-gains[x], simplest(x)))

    def _split(self) -> Iterator[Question]:
        """The pair of front members whose answer divides the utilities that the set allows most evenly."""
        pairs = [(a, b) for a, b in combinations(self._beliefs.front, 2) if self.open(a, b)]
        if not pairs:
            return
        theta = self._thetas_to_divide()
        values = {x: np.array([t.values([x])[0] for t in theta]) for x in self._beliefs.front}
        balance = {(a, b): abs(float(np.mean(values[a] > values[b])) - 0.5) for a, b in pairs}
        for a, b in sorted(pairs, key=lambda p: (round(balance[p], 6), simplest(p[0]), simplest(p[1]))):
            yield Question(a, b, "its answer divides what is still plausible most evenly")

    def _thetas_to_divide(self) -> list[KernelUtility | Utility]:
        """Utilities of the set that lie far apart: where a front member's value is least and greatest; and θ_k."""
        beliefs = self._beliefs
        found: list[KernelUtility | Utility] = [beliefs.theta]
        if beliefs.decides:
            utilities = beliefs.fresh_utilities()  # these θ decide, so they must not depend on what was asked before
            incumbent = beliefs.incumbent
            assert incumbent is not None
            for x in sorted(beliefs.front, key=simplest):
                if x != incumbent:
                    found.append(utilities.maximum(difference(x, incumbent)).witness)
                    found.append(utilities.maximum(difference(incumbent, x)).witness)
        return found

    def _ranking(self) -> Iterator[Question]:
        """Sort all evaluated subsets: the first one not yet placed, against the middle of its open range."""
        ranked: list[Mask] = []
        for x in self._beliefs.evaluated:
            low, high = 0, len(ranked)
            while low < high:
                middle = (low + high) // 2
                if self._history.same_criteria(x, ranked[middle]) or ranked[middle] in self._below[x]:
                    high = middle
                elif x in self._below[ranked[middle]]:
                    low = middle + 1
                elif self.open(x, ranked[middle]):
                    yield Question(x, ranked[middle], "to rank what was evaluated")
                    return
                else:  # cannot be compared, or the answers imply it by the utility alone
                    low = middle + 1
            ranked.insert(low, x)

    def _one_flip(self) -> Iterator[Question]:
        """The incumbent against its evaluated neighbours, best guess first."""
        incumbent = self._beliefs.incumbent
        assert incumbent is not None
        around = [y for y in self._beliefs.family.neighbours(incumbent) if y in self._history.evaluated]
        return self._of_the_best(self._beliefs.by_liking(around), "the current best against a neighbour")


def _flips(pairs: Sequence[tuple[Mask, Mask]], n: int) -> Matrix:
    """For each pair which attributes the first has more (1) and which it lacks (-1), shape (pairs, n)."""
    first, second = (indicator([pair[k] for pair in pairs], n).astype(np.float64) for k in (0, 1))
    return np.asarray(first - second)


def _shown_in_random_order(question: Question, rng: np.random.Generator) -> Question:
    """Which of two is shown first must not tell what is expected."""
    if rng.random() < 0.5:
        return question
    return Question(question.second, question.first, question.why, question.check)
