"""Elicitation: the loop's core. It is asked what it wants and told what came of it; it acts on nothing.

    while not isinstance(request := elicitation.ask(), Done):
        reply = oracle(request) if isinstance(request, Evaluate) else operator(request)
        elicitation.tell(request.id, reply)

Requests are decided in rounds: some evaluations (the batch) and at most one comparison, from the facts
of all rounds before. Replies may come in any order; they fold in request order once the round is
complete, so a run does not depend on who answered first. A round is itself a fact, so a replay never
decides again: `Elicitation(…, facts=recorded)` goes on exactly where the record stops. Randomness is
keyed by the seed and the round, never by what happened to be computed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from elicit.asks import Compare, Done, Evaluate, Failure, Measured, Reconcile, Reply, Request, Settlement
from elicit.decide.arguments import checked_prior, settings_of
from elicit.decide.beliefs import Beliefs
from elicit.decide.descent import first_draws
from elicit.decide.exploring import Proposal, propose
from elicit.decide.outlook import Outlook
from elicit.decide.questioning import Question, Questions
from elicit.decide.settings import Settings
from elicit.decide.stopping import Stopping
from elicit.decide.turns import Turns
from elicit.errors import InputError, ProtocolError
from elicit.events import (
    BY_WISH,
    FROM_OUTSIDE,
    NOTHING_UNREJECTED,
    OPTIMAL,
    SCORE_AND_SIZE,
    Answer,
    Asked,
    Criterion,
    Evaluated,
    Fact,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
    budget_spent,
    checked_criteria,
    ended_by,
    nothing_left,
)
from elicit.knowledge.dominance import within_noise
from elicit.knowledge.history import History
from elicit.knowledge.statements import Statement, settled_among
from elicit.numeric import is_whole, whole
from elicit.printable import many
from elicit.subsets import Attributes, Family, Mask
from elicit.threads import one_thread
from elicit.utility.monomials import Vector

#: What an answer must be worth when the budget is spent, as a share of that before: it decides what is taken
#: home. Where a proof would end the run nothing is taken for granted, and whatever is open is asked.
LAST_WORTH = 0.03


class Elicitation:
    """The state of one run: facts, the open round, and what they amount to.

    prior: one number for each attribute, by whose ranks one looks first. rows: how many the data have, when
    that should limit what a prior proposes.
    """

    #: The class of `beliefs`; another kind of run has another.
    beliefs_type: type[Beliefs] = Beliefs

    def __init__(
        self,
        attributes: Attributes | Sequence[str],
        criteria: Sequence[Criterion] = SCORE_AND_SIZE,
        settings: Settings | None = None,
        *,
        family: Family | None = None,
        seed: int = 0,
        prior: Sequence[float] | Vector | None = None,
        rows: int | None = None,
        facts: Iterable[Fact] = (),
    ) -> None:
        attributes = Attributes.of(attributes)
        criteria = checked_criteria(criteria)
        self.family = Family.of(family, len(attributes))
        # what was chosen before the first fact, and what holds now: a fact may have set another budget
        self.chosen = self.settings = settings_of(settings, self.family)
        noise = self.settings.noise
        self.history = History(attributes, criteria, noise=noise, assume=self.settings.assume)
        self.seed = whole("seed", seed, 0)
        self.prior = checked_prior(prior, len(attributes))
        self.rows = None if rows is None else whole("rows", rows, 1)
        self._open: dict[int, Request] = {}
        self._replies: dict[int, Fact] = {}
        self._taken_back: list[Retracted] = []
        self._next_id = 0
        self._beliefs: Beliefs | None = None
        self._beliefs_at = -1
        self._log: list[Fact] = []
        for fact in facts:
            self._take(fact)

    # -- what the outside sees ------------------------------------------------------------------

    def __repr__(self) -> str:
        state = "under way" if self.history.stopped is None else "ended"
        spent = f"{self.evaluations} of {many(self.budget, 'evaluation')}, {many(len(self.history.answers), 'answer')}"
        return f"<{type(self).__name__} {state}: {many(len(self.history.attributes), 'attribute')}, {spent}>"

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact so far in the order in which it became known: what a journal must hold."""
        return tuple(self._log)

    @property
    def beliefs(self) -> Beliefs:
        """What the folded facts amount to."""
        if self._beliefs is None or self._beliefs_at != self.history.version:
            self._beliefs = self.beliefs_type(self.history, self.family, self.settings, self._beliefs)
            self._beliefs_at = self.history.version
        return self._beliefs

    @property
    def outlook(self) -> Outlook:
        """What is looked at first."""
        known = self.prior is not None
        draws = self.settings.begun_with if known else first_draws(self.settings, self.family)
        return Outlook(draws, self.prior, self.rows)

    @property
    def incumbent(self) -> Mask | None:
        """What would be recommended now."""
        with one_thread():
            return self.beliefs.incumbent

    @property
    def unsettled(self) -> tuple[int, ...]:
        """Answers that contradict each other (with what was measured) and were not settled yet."""
        if answers := self._not_settled(self.history.unsettled):
            return answers
        with one_thread():
            return () if self.beliefs.settled_alone else self._not_settled(self.beliefs.conflict_of_answers)

    def _not_settled(self, conflict: Iterable[Statement]) -> tuple[int, ...]:
        """The answers behind statements in conflict; () where the operator has looked at their contradiction before."""
        answers = self.history.answers_behind(conflict)
        return answers if settled_among(answers, self.history.settled) is None else ()

    @property
    def budget(self) -> int:
        """Oracle calls that may be made in all."""
        return self.settings.evaluations(self.family)

    @property
    def turns(self) -> Turns:
        """When a question falls, and how many are left."""
        return Turns(self.history, self.settings, self.family)

    @property
    def evaluations(self) -> int:
        """Oracle calls made: measured and failed."""
        return len(self.history.evaluated) + len(self.history.failed)

    def ask(self) -> Request:
        """The most useful open request: a comparison first (a person waits), then evaluations in order.

        Asking again before telling returns the same request.
        """
        while not self._open and self.history.stopped is None:
            with one_thread():  # sums come out the same in any worker, and sooner
                self._take(self._decided())
        return self._done(self.history.stopped) if self.history.stopped is not None else self.pending()[0]

    def pending(self) -> list[Request]:
        """Every open request, most useful first."""
        waiting = [request for id, request in sorted(self._open.items()) if id not in self._replies]
        return sorted(waiting, key=lambda request: isinstance(request, Evaluate))

    def tell(self, request: int, reply: Reply) -> Fact:
        """Take a reply; the fact that it makes is returned. A wrong or late reply is an error that changes nothing."""
        asked = self._open.get(request)
        if asked is None or request in self._replies:
            raise ProtocolError(f"request {request} is not open; ask() says what is")
        fact = self._fact_of(asked, reply)
        if isinstance(fact, Evaluated):  # refuse now what the history would refuse later
            self.history.check_measurement(fact)
        self._log.append(fact)
        self._fold_reply(fact)
        return fact

    def retract(self, request: int) -> Fact:
        """Take back the answer to an earlier request. A run that had ended goes on: its end may rest on that answer."""
        if not is_whole(request):
            raise ProtocolError(f"what is taken back is the answer to a request, a whole number; found {request!r:.40}")
        if request in self.history.retracted or request in (fact.retracts for fact in self._taken_back):
            raise ProtocolError(f"the answer to request {request} was taken back before")
        if self.history.stopped is not None:
            self.history.check_retractable(request)
            self.resume()
        return self._take(Retracted(self._next_id, int(request)))

    def adopt(self, facts: Iterable[Fact]) -> None:
        """Take over what a copy of this run did since: its facts are folded, nothing is decided again."""
        for fact in facts:
            self._take(fact)

    def stop(self, reason: str, rule: str = BY_WISH) -> Fact:
        """End the run from outside: by the operator's wish, or because whoever drives it has had enough, or no time."""
        if rule not in FROM_OUTSIDE:
            raise InputError(f"a run is ended from outside by one of {', '.join(FROM_OUTSIDE)}; found {rule!r}")
        if self.history.stopped is not None:
            raise ProtocolError("the run has ended before")
        return self._take(Stopped(self._next_id, ended_by(rule, reason)))

    def resume(self, budget: int | None = None) -> Fact:
        """Go on after the end, or with another budget of oracle calls in all (None: the same)."""
        spent = self.evaluations + sum(isinstance(request, Evaluate) for request in self._open.values())
        if budget is not None and is_whole(budget) and 0 < budget < spent:
            asked_for = " or asked for" if spent > self.evaluations else ""
            raise InputError(f"{spent} evaluations are spent{asked_for} already, more than a budget of {budget}")
        return self._take(Resumed(self._next_id, None if budget is None else whole("budget", budget)))

    # -- folding --------------------------------------------------------------------------------

    def _fact_of(self, asked: Request, reply: Reply) -> Fact:
        match asked, reply:
            case Evaluate(id, subset), Measured(plain=plain):
                return Evaluated(id, subset, plain.criteria, plain.folds, plain.spread)
            case Evaluate(id, subset), Failure(str(reason)):
                return Failed(id, subset, reason)
            case Compare(id, first, second), str() if reply in list(Answer):  # "first" is as good as Answer.FIRST
                return Preferred(id, first.subset, second.subset, Answer(reply))
            case Reconcile(id, conflict), Settlement(retract):
                if retract is None:
                    return Settled(id, conflict)
                if not is_whole(retract) or retract not in conflict:
                    raise ProtocolError(f"request {id} is about {conflict}, not about answer {retract!r:.40}")
                return Retracted(id, int(retract))
            case _:
                answers = ", ".join(f"Answer.{answer.name}" for answer in Answer)
                kinds = {
                    Evaluate: "a Measured or a Failure with its reason",
                    Compare: f"an Answer ({answers})",
                    Reconcile: "a Settlement",
                }
                raise ProtocolError(f"request {asked.id} expects {kinds[type(asked)]}, found {reply!r:.80}")

    def _fold_reply(self, fact: Fact) -> None:
        """Keep a reply until its round is complete, then fold the round in request order."""
        self._replies[fact.request] = fact
        if len(self._replies) == len(self._open):
            self._close_round()

    def _close_round(self) -> None:
        """Fold the replies there are; what was not answered is no longer asked."""
        for id in sorted(self._replies):
            self.history.record(self._replies[id])
        self._open.clear()
        self._replies.clear()
        for fact in self._taken_back:
            self.history.record(fact)
        self._taken_back.clear()

    def _take_back(self, fact: Retracted) -> None:
        """Fold a retraction; one of an answer whose round is still open waits for the round."""
        waiting = self._replies.get(fact.retracts)
        if isinstance(waiting, Preferred) and fact.retracts not in (f.retracts for f in self._taken_back):
            self._taken_back.append(fact)
        else:
            self.history.record(fact)
            self._withdraw(fact.retracts)

    def _withdraw(self, answer: int) -> None:
        """Close the request to settle a contradiction of which an answer was taken back: there may be none any more."""
        for id, request in list(self._open.items()):
            if isinstance(request, Reconcile) and answer in request.conflict:
                del self._open[id]

    def _take(self, fact: Fact) -> Fact:
        """Take a fact, new or recorded: folding it decides nothing."""
        if isinstance(fact, Asked):
            if self._open:
                raise InputError(f"the record begins round {fact.request} before the round before it was answered")
            self._open_round(fact)
        elif fact.request in self._open and fact.request not in self._replies:
            self._fold_reply(fact)
        elif isinstance(fact, Retracted):
            self._take_back(fact)
        else:
            if isinstance(fact, Stopped):
                self._close_round()
            if isinstance(fact, Resumed) and fact.budget is not None:
                self.settings = replace(self.settings, budget=fact.budget)
                self._beliefs = None  # what is on the way down depends on the budget
            self.history.record(fact)
        self._next_id = max(self._next_id, fact.request + 1)  # a round of nothing but rejections has its id, too
        self._log.append(fact)
        return fact

    def _open_round(self, fact: Asked) -> None:
        self.history.record(fact)
        ids = iter(fact.requests)
        for subset in fact.evaluate:
            id = next(ids)
            self._open[id] = Evaluate(id, subset, fact.why)
        if fact.compare is not None:
            id = next(ids)
            first, second = (self.history.evaluated[mask] for mask in fact.compare)
            noise = self.settings.noise or self.settings.spread_of_folds
            noisy = within_noise(first, second, self.history.criteria, noise)
            self._open[id] = Compare(id, first, second, fact.why, fact.check, noisy)
        if fact.reconcile:
            id = next(ids)
            self._open[id] = Reconcile(id, fact.reconcile, fact.why)
        self._next_id = fact.requests.stop

    # -- deciding -------------------------------------------------------------------------------

    def _randomness(self) -> np.random.Generator:
        """What the next decision draws from. Ends and resumptions do not count: after them a run goes on as without."""
        pauses = sum(isinstance(fact, Stopped | Resumed) for fact in self._log)
        return np.random.default_rng([self.seed, self._next_id - pauses])

    def _decided(self) -> Asked | Stopped:
        """The next round, or the end."""
        rng = self._randomness()
        conflict = self.unsettled
        if conflict:
            against = f"this answer goes against {self.history.besides_answers}"
            why = against if len(conflict) == 1 else "these answers cannot all hold"
            return Asked(self._next_id, reconcile=conflict, why=why)
        stopping = Stopping(self.beliefs)
        left = self.budget - self.evaluations
        reason = stopping.reason()
        rival = None if reason is not None else self._rival(stopping)
        question = self._question(rng, left, reason is not None) or self._proof_question(rng, rival)
        if question is None and reason is not None:
            return Stopped(self._next_id, reason)
        if question is not None and (left <= 0 or reason is not None or self.turns.at_once):
            return _round(self._next_id, question)
        if left <= 0:
            return Stopped(self._next_id, self._spent())
        proposal = propose(self.beliefs, min(left, self.settings.batch), rng, self.outlook, rival)
        if not proposal.evaluate and question is None and len(proposal.rejected) < self.settings.rejections:
            return Stopped(self._next_id, NOTHING_UNREJECTED)
        return _round(self._next_id, question, proposal)

    def _spent(self) -> str:
        """Why nothing more may be measured."""
        tried = (*self.history.evaluated, *self.history.failed)  # by an earlier run outside the family, too
        if sum(subset in self.family for subset in tried) < self.family.count():
            return budget_spent(self.budget)
        return nothing_left(len(self.history.failed))

    def _rival(self, stopping: Stopping) -> Mask | None:
        """The counterexample that a proof of optimality stumbles over, once all it needs besides is evaluated."""
        proving = OPTIMAL in self.settings.stop and len(self.history.evaluated) >= self.settings.begun_with
        if not proving or not stopping.may_be_proven():
            return None
        worst = self.beliefs.scope_regret
        return None if worst is None else worst.rival

    def _proof_question(self, rng: np.random.Generator, rival: Mask | None) -> Question | None:
        """What an answer could add to a proof: asked when its counterexample is evaluated already."""
        if rival not in self.history.evaluated or not self.turns.without_doubts:
            return None
        return Questions(self.beliefs).for_proof(rival, rng)

    def _question(self, rng: np.random.Generator, left: int, ending: bool) -> Question | None:
        """The question to ask now, when one is due."""
        turns, over = self.turns, left <= 0 or ending
        may_ask = turns.without_doubts or (over and turns.for_doubts and bool(self.beliefs.doubted))
        if not self.history.evaluated or not may_ask:
            return None
        questions, found = Questions(self.beliefs), None
        at_the_end = over and turns.last
        if at_the_end or turns.due:
            worth = 0.0 if ending else LAST_WORTH if at_the_end else 1.0
            found = questions.check(rng) if turns.check_due else None
            found = found or questions.doubted(rng) or questions.next(rng, worth=worth, last=at_the_end)
        if found is None and over and self.settings.confirm > 0:
            found = questions.confirming(rng, few=turns.for_confirming)
        return found

    def _done(self, fact: Stopped) -> Done:
        return Done(fact.request, fact.reason, self.incumbent, self.beliefs.utilities.scope)


def _round(first: int, question: Question | None, proposal: Proposal | None = None) -> Asked:
    """The round of what is proposed and of a question, which says why if there is one; a person reads that alone."""
    asked = Asked(first)
    if proposal is not None:
        asked = replace(asked, evaluate=proposal.evaluate, rejected=proposal.rejected, why=proposal.why)
    if question is not None:
        asked = replace(asked, compare=(question.first, question.second), check=question.check, why=question.why)
    return asked
