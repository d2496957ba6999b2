"""What the recommendation strains: the statements that it sets aside or honours in part, in words.

The rule: a statement is set aside when its slack takes all of the margin of a clear answer, so that what it says
no longer holds. With less slack it still counts, at less than full strength; the two are told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from elicit.decide.elicitation import Elicitation
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.exact import ExactSet

#: Statements with their slack: 1 is the margin of a clear answer, so from there on nothing is left of one.
Strained = Sequence[tuple[Statement, float]]

_VERB = {Relation.STRICT: "above", Relation.WEAK: "at least as good as", Relation.EQUAL: "equal to"}
_SET_ASIDE, _IN_PART = "set aside", "honoured at less than full strength"


def strained_in(elicitation: Elicitation) -> tuple[tuple[Statement, float], ...]:
    """The statements that the recommendation does not honour in full.

    In the exact set they are a group that cannot all hold (`contradiction_in`), and in the parsimonious set answers
    that are doubted are among them; the slack of either is infinite. By a fresh set: a page that is made of the journal
    says the same as the end of the run.
    """
    beliefs = elicitation.beliefs
    utilities = beliefs.fresh_utilities()
    if not isinstance(utilities, ExactSet):
        doubted = {statement: float("inf") for statement in beliefs.doubted}
        return tuple((dict(utilities.set_aside()) | doubted).items())
    conflict = beliefs.conflict
    return () if conflict is None else tuple((statement, float("inf")) for statement in conflict.conflict)


def is_set_aside(slack: float) -> bool:
    """Whether this much slack leaves nothing of a statement."""
    return slack >= 1 - tolerances.DECISION


def set_aside_of(strained: Strained) -> frozenset[Statement]:
    """The statements that are set aside altogether."""
    return frozenset(statement for statement, slack in strained if is_set_aside(slack))


def answers_set_aside(strained: Strained) -> int:
    """How many of the operator's answers are set aside altogether."""
    return sum(statement.source is Source.OPERATOR and is_set_aside(slack) for statement, slack in strained)


def not_honoured(elicitation: Elicitation, strained: Strained, shown: Callable[[Mask], str]) -> Iterator[str]:
    """All that stands against the recommendation: what it strains, and contradictions, kept or not settled."""
    history = elicitation.history
    yield from strained_words(strained, history.question_numbers, shown)
    yield from kept_words(history)
    if unsettled := elicitation.unsettled:
        how = f"goes against {history.besides_answers}" if len(unsettled) == 1 else "cannot all hold"
        yield f"not settled: {whose_words(history, unsettled)} {how}"


def strained_words(strained: Strained, numbers: Mapping[int, int], shown: Callable[[Mask], str]) -> Iterator[str]:
    """One line a statement, and measured orders only counted. `numbers` are those of questions, by request."""
    for statement, slack in strained:
        if statement.source is not Source.DOMINANCE:
            words = f"{shown(statement.better)} {_VERB[statement.relation]} {shown(statement.worse)}"
            yield f"{_how(slack)}, since the rest speaks against it: {_whose(statement, numbers)}, {words}"
    measured = [_how(slack) for statement, slack in strained if statement.source is Source.DOMINANCE]
    for how, why in ((_SET_ASIDE, ", as noise"), (_IN_PART, "")):
        if how in measured:
            yield f"{how}: {measured.count(how)} of the orders that were measured{why}"


def kept_words(history: History) -> Iterator[str]:
    """One line for each contradiction that the operator looked at and let stand, with the questions it is about."""
    for conflict in sorted(history.settled):
        if history.retracted.isdisjoint(conflict):
            yield f"kept and weighed, {although(history, conflict)}"


def refuted_words(assume: str) -> str:
    """That the answers speak against what is assumed of the operator."""
    return f"no operator with {ASSUMPTIONS[assume]} would give all your answers, so nothing is deduced"


def although(history: History, conflict: Sequence[int]) -> str:
    """What speaks against answers that contradict each other or what was measured, and which they are."""
    how = f"it goes against {history.besides_answers}" if len(conflict) == 1 else "they cannot all hold"
    return f"though {how}: {whose_words(history, conflict)}"


def whose_words(history: History, requests: Sequence[int]) -> str:
    """The answers to some requests by the numbers of their questions; what was assumed there has none."""
    numbers = [history.question_numbers[request] for request in requests if request in history.answers]
    yours = f"your answer{'s' if numbers[1:] else ''} to " if numbers else ""
    return yours + questions_and_assumptions(numbers, len(requests) - len(numbers))


def questions_and_assumptions(numbers: Sequence[int], assumed: int) -> str:
    """Some questions by their numbers, and how many assumptions."""
    words = [f"question{'s' if numbers[1:] else ''} {', '.join(map(str, numbers))}"] if numbers else []
    if assumed:
        words.append("an assumption" if assumed == 1 else f"{assumed} assumptions")
    return " and ".join(words)


def _how(slack: float) -> str:
    return _SET_ASIDE if is_set_aside(slack) else _IN_PART


def _whose(statement: Statement, numbers: Mapping[int, int]) -> str:
    if statement.request is not None and statement.request in numbers:
        return f"your answer to question {numbers[statement.request]}"
    return "deduced from your answers" if statement.source is Source.DEDUCED else "assumed"
