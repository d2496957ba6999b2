"""Facts: what happened, as frozen values. Everything else is computed from them.

A fact is never changed, only followed by another. Subsets are masks; the numbers of a subset come in the order of the
`Criterion` list of the history that folds the facts. What facts are made of is here, too: criteria, answers, and the
rules and words by which a run ends, so that a run and a check of it use the same.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.printable import many
from elicit.subsets import Mask


@dataclass(frozen=True)
class Criterion:
    """One number that the oracle gives every subset, and which way is better."""

    name: str
    maximise: bool = True
    unit: str = ""

    def __post_init__(self) -> None:
        for what, text in (("name", self.name), ("unit", self.unit)):
            if not isinstance(text, str):
                raise InputError(f"the {what} of a criterion is a text, found {text!r:.80}")
        if not isinstance(self.maximise, bool | np.bool_):  # a text such as "no" would count as true
            raise InputError(
                f"maximise is true where more of {self.name} is better, else false; found {self.maximise!r:.80}"
            )
        object.__setattr__(self, "maximise", bool(self.maximise))


def checked_criteria(given: Any) -> tuple[Criterion, ...]:
    """The criteria of a list; refused where it is none, holds something else, or names one twice."""
    several = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if wrong := [c for c in several if not isinstance(c, Criterion)]:
        raise InputError(f"criteria are a list of Criterion, such as Criterion('cost'), found {wrong[0]!r:.80}")
    names = [criterion.name for criterion in several]
    if not names or len(set(names)) < len(names):
        raise InputError(f"at least one criterion, each with its own name, is needed; found {names}")
    return several


#: What an oracle measures unless told otherwise: the mean score, and the number of attributes.
SCORE_AND_SIZE = (Criterion("score"), Criterion("size", maximise=False))

#: Further criteria that may be named, besides the scorers of scikit-learn.
EXTRAS = ("cost", "stability", "fit_time")


class Answer(enum.StrEnum):
    """What an operator may say about two subsets: the first is better, or the second, or they are equal.

    INCOMPARABLE says nothing of them, and the pair is not asked again; after LATER it may be.
    """

    FIRST = "first"
    SECOND = "second"
    EQUAL = "equal"
    INCOMPARABLE = "incomparable"
    LATER = "later"


#: The meaning of an answer to "A or B?", as people read it.
MEANING = {
    Answer.FIRST: "A is better than B",
    Answer.SECOND: "B is better than A",
    Answer.EQUAL: "A and B are equally good",
    Answer.INCOMPARABLE: "A and B cannot be compared",
    Answer.LATER: "later",
}


@dataclass(frozen=True)
class Asked:
    """A round of requests was decided. They are numbered from `request`: first the evaluations, then the
    comparison, then the reconciliation.

    `rejected` are the subsets passed over while deciding, each with the price that was too high. A round that is
    written down is never decided again.
    """

    request: int
    evaluate: tuple[Mask, ...] = ()
    compare: tuple[Mask, Mask] | None = None
    check: bool = False
    reconcile: tuple[int, ...] = ()
    rejected: tuple[tuple[Mask, float], ...] = ()
    why: str = ""

    @property
    def requests(self) -> range:
        """The ids of the requests."""
        return range(
            self.request,
            self.request + len(self.evaluate) + (self.compare is not None) + bool(self.reconcile),
        )


@dataclass(frozen=True)
class Evaluated:
    """The oracle measured a subset.

    `folds` holds the scores behind each criterion, in fold order, or () for a criterion that is
    known exactly; `spread` their standard deviation, or None where there is none.
    """

    request: int
    subset: Mask
    criteria: tuple[float, ...]
    folds: tuple[tuple[float, ...], ...] = ()
    spread: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Failed:
    """The oracle could not measure a subset; it is excluded from the choice."""

    request: int
    subset: Mask
    reason: str


@dataclass(frozen=True)
class Preferred:
    """The operator answered a comparison."""

    request: int
    first: Mask
    second: Mask
    answer: Answer

    @property
    def preferred(self) -> Mask | None:
        """The subset that is preferred, None where neither is."""
        return {Answer.FIRST: self.first, Answer.SECOND: self.second}.get(self.answer)

    @property
    def reversed(self) -> tuple[Preferred, ...]:
        """The answers that it might have been instead: of a preference the opposite, of an equality either."""
        first, second = Answer.FIRST, Answer.SECOND
        others = {first: [second], second: [first], Answer.EQUAL: [first, second]}
        return tuple(replace(self, answer=other) for other in others.get(self.answer, ()))


@dataclass(frozen=True)
class Assumed:
    """A preference that nobody answered here, carried over from before."""

    request: int
    better: Mask
    worse: Mask
    relation: str
    source: str


@dataclass(frozen=True)
class Retracted:
    """The answer, or assumption, of an earlier request no longer holds."""

    request: int
    retracts: int


@dataclass(frozen=True)
class Settled:
    """The operator looked at a contradiction and keeps every answer, to be weighed: not asked again."""

    request: int
    conflict: tuple[int, ...]


@dataclass(frozen=True)
class Stopped:
    """The run ended; `reason` is the rule that ended it, a colon, and what it found.

    What ends by itself, as the search of a classical method does, has its own words. The reasons that facts alone
    decide are made by the functions below, so that a check of the run finds the same words.
    """

    request: int
    reason: str

    @property
    def rule(self) -> str:
        """The rule that ended the run."""
        return rule_of(self.reason)

    @property
    def from_outside(self) -> bool:
        """Whether somebody or a clock ended the run, and not one of its own rules."""
        return self.rule in FROM_OUTSIDE


@dataclass(frozen=True)
class Resumed:
    """The run goes on: after it had ended, or with another budget of oracle calls (None: the same)."""

    request: int
    budget: int | None = None


Fact = Asked | Evaluated | Failed | Preferred | Assumed | Retracted | Settled | Stopped | Resumed


#: The rules that may end a run, where its settings name them: `Stopping` says when each does.
STOPS = "optimal", "regret", "rejections", "questions", "evaluated"
OPTIMAL, REGRET, REJECTIONS, QUESTIONS, EVALUATED = STOPS

#: Those of them that end a run by a proof, which its claim must hold.
BY_PROOF = (OPTIMAL, EVALUATED)

#: The rules that always count: the budget is spent, or nothing is left to measure.
BUDGET, EXHAUSTED = "budget", "exhausted"

#: Who ended a run besides its own rules: the clock of whoever drives it, who follows its progress, and its operator.
OUT_OF_TIME, CALLED_OFF, BY_WISH = FROM_OUTSIDE = "time", "callback", "wish"


def rule_of(reason: str) -> str:
    """The rule that a reason names."""
    return reason.partition(":")[0]


def ended_by(rule: str, found: str) -> str:
    """The reason of an end by this rule."""
    return f"{rule}: {found}"


def little_regret(regret: str, epsilon: float) -> str:
    """The reason of an end by the rule `regret`."""
    return ended_by(REGRET, f"model regret {regret} is at most {epsilon:g} among the evaluated")


#: Subsets evaluated before anything is modelled, where nothing else is said.
FEWEST_FIRST = 4

#: With no more questions than these a run keeps none for doubts.
KEEPS_NONE = 9


def undoubted_questions(questions: int, spare: int, policy: str, doubt: float) -> int:
    """The most questions of a run with these settings in which no answer is doubted."""
    kept = spare if policy == "value" and doubt < 1 else 0
    return questions - min(kept, max(questions - KEEPS_NONE, 0))


def usual_budget(n: int) -> int:
    """Oracle calls of a run that chooses from n attributes, where no budget is set."""
    return max(20, min(n * (n + 1) // 2, 10 * n))


def budget_spent(budget: int) -> str:
    """The reason of an end after so many oracle calls."""
    return ended_by(BUDGET, many(budget, "evaluation"))


def questions_asked(count: int) -> str:
    """The reason of an end after so many questions."""
    return ended_by(QUESTIONS, f"asked {many(count, 'question')}")


def rejected_in_a_row(count: int) -> str:
    """The reason of an end after so many rejections without a measurement between them."""
    return ended_by(REJECTIONS, f"{many(count, 'rejection')} in a row: the rest is for the operator to weigh")


#: The reason of an end where all that is proposed is rejected.
NOTHING_UNREJECTED = ended_by(REJECTIONS, "nothing is left in the family that was not rejected")


def nothing_left(failed: int) -> str:
    """The reason of an end after every subset of the family was tried, so many of them in vain."""
    how = f"tried, and {failed} could not be measured" if failed else "evaluated"
    return ended_by(EXHAUSTED, f"every subset of the family was {how}")
