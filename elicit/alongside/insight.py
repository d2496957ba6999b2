"""Insight: what the operator may look up in a session: why, how sure, and what an answer would change.

Every "what if" looks at the beliefs of a history with one more fact. Nothing here decides or changes anything.
"""

from __future__ import annotations

from math import isinf

from elicit.alongside.display import criteria_in_words
from elicit.alongside.progress import Progress, regret_of
from elicit.asks import Compare, Reconcile
from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import Elicitation
from elicit.events import Answer, Evaluated, Preferred, Retracted
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.operators.desk import Given, RunStatus
from elicit.printable import bounded, many
from elicit.subsets import Mask
from elicit.threads import one_thread
from elicit.utility.regret import CLEAR

#: How many measured orders of a conflict are listed; the others are only counted.
MOST_ORDERS = 4


class Insight:
    """The desk of one elicitation: what each look-up tells is said there (`Desk`)."""

    def __init__(self, elicitation: Elicitation) -> None:
        self._elicitation = elicitation
        #: the latest standing, kept up by whoever drives, so that none is computed to show it
        self.latest: Progress | None = None

    def status(self) -> RunStatus:
        elicitation, latest, turns = self._elicitation, self.latest, self._elicitation.turns
        doubted = bool(elicitation.beliefs.doubted)  # then those that are kept for doubts may follow
        return RunStatus(
            evaluated=elicitation.evaluations,
            budget=elicitation.budget,
            rejected=len(elicitation.history.rejected),
            asked=len(elicitation.history.answers),
            most_questions=turns.most + (turns.spare if doubted else 0),
            regret=None if latest is None else latest.regret,
            spare=0 if doubted else turns.spare,
        )

    def number(self, request: int) -> int:
        return 1 + sum(1 for earlier in self._elicitation.history.answers if earlier < request)

    def answers(self) -> list[Given]:
        history = self._elicitation.history
        numbers, measured = history.question_numbers, history.evaluated
        return [
            Given(request, numbers[request], measured[fact.first], measured[fact.second], fact.answer)
            for request, fact in history.standing.items()
        ]

    def front(self) -> list[Evaluated]:
        history = self._elicitation.history
        return [history.evaluated[x] for x in history.front]

    @one_thread()
    def best(self) -> list[str]:
        elicitation = self._elicitation
        beliefs, history = elicitation.beliefs, elicitation.history
        if beliefs.incumbent is None:
            return ["Nothing was evaluated yet, so nothing would be recommended."]
        measured = many(len(history.evaluated), "evaluated subset")
        lines = [f"Best so far: {self._with_criteria(beliefs.incumbent)}.", self._how_sure(measured)]
        lines += [
            f"Your answer to question {history.question_numbers[s.request]} speaks against it, but your other answers "
            "make that one unlikely."
            for s in beliefs.doubted
            if s.worse == beliefs.incumbent and s.request is not None
        ]
        around = elicitation.family.neighbours(beliefs.incumbent)
        known = sum(1 for y in around if y in history.evaluated or y in history.failed)
        lines.append(f"Evaluated of the {many(len(around), 'subset')} with one attribute more or fewer: {known}.")
        total = elicitation.family.count()
        meant = f" Better and rejected: by {beliefs.utilities.meaning} ({beliefs.utilities.scope})."
        lines.append(
            f"Evaluated of {many(total, 'subset')}: {len(history.evaluated)}, rejected unseen: "
            f"{len(history.rejected)}.{'' if beliefs.utilities.empty else meant}"
        )
        return lines

    def _how_sure(self, measured: str) -> str:
        """By how much another measured subset may be better than the one that would be recommended."""
        beliefs = self._elicitation.beliefs
        if beliefs.utilities.empty:
            return "No utility fits all that was measured and answered, so how sure that is cannot be told."
        if beliefs.far_from_proven:
            return f"Among the {measured}, another may still be better by more than the margin of one clear answer."
        found, regret = beliefs.incumbent_regret, regret_of(beliefs)
        if found is None or regret is None:
            return "Nothing is known yet of what you prefer beyond the measured numbers."
        if found.rival is None:
            return (
                f"Among the {measured} none is better in any utility that explains what was measured and what "
                "you said, and is about as simple as can be. Your next answers may still change that."
            )
        # a measured order may be strained, too, but nobody is told that what it puts below may be better
        below = found.rival in self._elicitation.history.dominates[found.subset]
        who = "another" if below else self._with_criteria(found.rival)
        return (
            f"Among the {measured}, {who} may still be better, by at most {bounded(regret)} "
            "(1 is the margin of one clear answer)."
        )

    # -- what if ----------------------------------------------------------------------------------

    def why(self, request: Compare) -> list[str]:
        reason = request.why[:1].upper() + request.why[1:]
        lines = [f"{reason or 'It tells your preferences apart'}.", ""]
        if request.check:
            lines += ["It is a check: your earlier answers speak of it, and a wrong one shows here.", ""]
        beyond = " beyond noise" if self._elicitation.history.noise is not None else ""
        lines += [f"Neither subset is better in every measured number{beyond}, so only you can say.", ""]
        with one_thread():
            now = self._elicitation.beliefs
            for answer, words in ((Answer.FIRST, "If A is better"), (Answer.SECOND, "If B is better")):
                fact = Preferred(request.id, request.first.subset, request.second.subset, answer)
                after = now.with_facts((*now.history.facts, fact), meant=request.id)
                lines += self._compared(words, now, after, (request.first.subset, request.second.subset))
        return lines

    def without(self, request: int) -> list[str]:
        with one_thread():
            now = self._elicitation.beliefs
            facts = now.history.facts
            after = now.with_facts((*facts, Retracted(facts[-1].request, request)))
            taken = now.history.answers[request]
            lines = self._compared("Without it", now, after, (taken.first, taken.second))
        contradicting = len(after.history.answers_behind(_conflict_of(after)))
        if contradicting == 1:
            lines.append(f"  1 answer still contradicts {after.history.besides_answers}.")
        elif contradicting:
            lines.append(f"  {contradicting} answers still contradict each other.")
        elif _conflict_of(now):
            lines.append("  no answers contradict each other any more.")
        return lines

    def conflict(self, request: Reconcile) -> list[str]:
        history = self._elicitation.history
        wanted = set(request.conflict)
        for statements in (history.unsettled, history.contradiction, _conflict_of(self._elicitation.beliefs)):
            if set(history.answers_behind(statements)) == wanted:
                orders = [s for s in statements if s.source is not Source.OPERATOR]
                lines = [self._statement_in_words(s) for s in orders[:MOST_ORDERS]]
                more = len(orders) - len(lines)
                return [*lines, f"and {more} more such orders"] if more > 0 else lines
        return []

    def _compared(self, case: str, before: Beliefs, after: Beliefs, shown: tuple[Mask, Mask]) -> list[str]:
        """How the recommendation and its regret differ between two states; `shown` are the subsets A and B."""
        was, would = before.incumbent, after.incumbent
        if was is None or would is None:
            return [f"{case}: nothing would be recommended."]
        if was == would:
            lines = [f"{case}: the best so far stays {self._with_criteria(would, shown)}."]
        else:
            new, old = self._with_criteria(would, shown), self._with_criteria(was, shown)
            lines = [f"{case}: the best so far becomes {new} instead of {old}."]
        then, now = _regret_in_words(before) or "unknown", _regret_in_words(after)
        if now is not None and not (before.far_from_proven and after.far_from_proven):
            moves = f"stays {now}" if now == then else f"goes from {then} to {now}"
            lines.append(f"  the regret (how much better another may still be) {moves}.")
        return lines

    def _with_criteria(self, subset: Mask, shown: tuple[Mask, ...] = ()) -> str:
        """A subset with its criteria; it is called A or B if it is shown as such, otherwise by its attributes."""
        history = self._elicitation.history
        name = "AB"[shown.index(subset)] if subset in shown else history.attributes.braced(subset)
        return f"{name} ({criteria_in_words(history.named(subset))})"

    def _statement_in_words(self, statement: Statement) -> str:
        relation = {Relation.STRICT: "better than", Relation.WEAK: "at least as good as", Relation.EQUAL: "as good as"}
        source = "measured" if statement.source is Source.DOMINANCE else statement.source.value
        better, worse = self._with_criteria(statement.better), self._with_criteria(statement.worse)
        return f"{source}: {better} {relation[statement.relation]} {worse}"


def _conflict_of(beliefs: Beliefs) -> tuple[Statement, ...]:
    """A smallest group of statements that cannot all hold as long as no answer is taken back, () when there is none."""
    return beliefs.history.contradiction or beliefs.conflict_of_answers


def _regret_in_words(beliefs: Beliefs) -> str | None:
    """The regret of the recommendation, as text; None where it is not known."""
    found = regret_of(beliefs)
    if found is None:
        return None
    return f"more than {CLEAR:g}" if isinf(found) else bounded(found)
