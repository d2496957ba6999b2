"""Walk: a classical method under way, asked and told, with the same facts as an elicitation.

A method's search is deterministic in the values it is sent, so what is known is answered from memory: given
its facts, a walk goes on where they end, no subset is asked for twice, and they may begin an elicitation.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import islice

import numpy as np

from elicit.asks import Done, Evaluate, Failure, Measured, Reply
from elicit.errors import InputError, ProtocolError, WorthError, one_line
from elicit.events import BY_WISH, Asked, Criterion, Evaluated, Fact, Failed, Resumed, Stopped, budget_spent, ended_by
from elicit.knowledge.history import History
from elicit.methods.frame import Ended, Search, Space
from elicit.methods.goals import UNMEASURED
from elicit.methods.method import Method, first_criterion
from elicit.numeric import LARGEST_MEASURED, is_number, whole
from elicit.subsets import Attributes, Family, Mask
from elicit.threads import one_thread

#: Batches in a row, of subsets that it came by before, after which a search finds nothing new any more.
MOST_KNOWN = 100_000

#: The scope of whatever a classical method says.
SCOPE = "among the evaluated subsets"


class Walk:
    """The state of one run of a method: facts, the open batch, and the best so far."""

    def __init__(
        self,
        method: Method,
        attributes: Attributes,
        criteria: tuple[Criterion, ...],
        *,
        family: Family | None = None,
        seed: int = 0,
        facts: Iterable[Fact] = (),
    ) -> None:
        self.method = method
        self.family = Family.of(family, len(attributes))
        if method.value is first_criterion and criteria and not criteria[0].maximise:
            raise InputError(
                f"less of the first criterion, {criteria[0].name}, is better; say what a subset is worth with "
                "`value`, such as lambda subset, criteria: -criteria[0]"
            )
        self.space = Space(self.family, method.goal, method.start, bounded=method.budget is not None)
        self.budget = method.budget
        self.history = History(attributes, criteria)
        self.values: dict[Mask, float] = {}
        self.incumbent: Mask | None = None
        self._open: dict[int, Evaluate] = {}
        self._log: list[Fact] = []
        self._next_id = 0
        self._search = _begun(method, self.space, whole("seed", seed, 0))
        self._batch: list[Mask] | None = None
        self._ended: Ended | None = None
        for fact in facts:
            self._fold(fact)
        self.budget = method.budget  # what is wanted now counts, whatever was wanted before
        if self.budget is not None:
            left = max(0, self.budget - self.evaluations)
            self._open = {request: self._open[request] for request in sorted(self._open)[:left]}

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact so far, in order: what a journal must hold."""
        return tuple(self._log)

    @property
    def evaluations(self) -> int:
        """Oracle calls made: measured and failed."""
        return len(self.values)

    @property
    def met(self) -> bool:
        """Whether what would be recommended is what the goal asks for."""
        return self.incumbent is not None and self.method.goal.met(self.incumbent, self.values[self.incumbent])

    def ask(self) -> Evaluate | Done:
        """The first open request, or the end."""
        while not self._open and self.history.stopped is None:
            self._advance()
        stopped = self.history.stopped
        if stopped is not None:
            return Done(stopped.request, stopped.reason, self.incumbent, SCOPE)
        return self.pending(1)[0]

    def pending(self, most: int | None = None) -> list[Evaluate]:
        """The open requests, in the order of the search: every one, or the first ones."""
        return list(islice(self._open.values(), most))

    def tell(self, request: int, reply: Reply) -> Fact:
        """Take a reply; a wrong or late one is an error that changes nothing."""
        if request not in self._open:
            raise ProtocolError(f"request {request} is not open; ask() says what is")
        subset = self._open[request].subset
        match reply:
            case Measured(plain=plain):
                return self._fold(Evaluated(request, subset, plain.criteria, plain.folds, plain.spread))
            case Failure(str(reason)):
                return self._fold(Failed(request, subset, reason))
            case _:
                wanted = "a Measured or a Failure with its reason"
                raise ProtocolError(f"request {request} expects {wanted}, found {reply!r:.80}")

    def stop(self, reason: str, rule: str = BY_WISH) -> Fact:
        """End the run from outside: by somebody's wish, or because whoever plays it has no more time."""
        return self._stop(ended_by(rule, reason))

    def resume(self, budget: int | None = None) -> Fact:
        """Go on after the end, with another budget (None: the same)."""
        return self._fold(Resumed(self._next_id, budget))

    def _stop(self, reason: str) -> Fact:
        return self._fold(Stopped(self._next_id, reason))

    def _value(self, fact: Fact) -> float:
        """What the method makes of a subset that was measured; `UNMEASURED` for any other fact."""
        if not isinstance(fact, Evaluated):
            return UNMEASURED
        self.history.check_measurement(fact)  # what cannot be recorded has no worth either
        try:
            return self._worth(fact.subset, fact.criteria)
        except InputError as error:
            raise WorthError(str(error)) from error

    def _worth(self, subset: Mask, criteria: tuple[float, ...]) -> float:
        names = ", ".join(self.history.attributes.subset(subset))
        try:
            value = self.method.value(subset, criteria)
        except InputError:
            raise
        except Exception as error:  # of somebody's function
            raise InputError(f"the value of {names} cannot be worked out: {one_line(error)}") from error
        if not is_number(value) or value != value:
            raise InputError(f"the value of {names} is no number; give one for everything that can be measured")
        if value != UNMEASURED and not abs(value) < LARGEST_MEASURED:
            raise InputError(
                f"the value of {names} is {value!r:.12}, but values must be below {LARGEST_MEASURED:g}; rescale them"
            )
        return value

    def _fold(self, fact: Fact) -> Fact:
        """Take a fact, new or recorded."""
        value = self._value(fact)  # first of all: an error changes nothing
        self.history.record(fact)
        self._log.append(fact)
        match fact:
            case Asked():
                self._open = {r: Evaluate(r, m, fact.why) for r, m in zip(fact.requests, fact.evaluate, strict=True)}
                self._next_id = fact.requests.stop
            case Evaluated(request, subset) | Failed(request, subset):
                self._open.pop(request, None)
                self._take(subset, value)
            case Resumed(budget=budget):
                self.budget = self.budget if budget is None else budget
        self._next_id = max(self._next_id, fact.request + 1)
        return fact

    def _take(self, subset: Mask, value: float) -> None:
        self.values[subset] = value
        if value == UNMEASURED or subset not in self.family:
            return
        rank, best = self.method.goal.rank, self.incumbent
        if best is None or rank(subset, value) > rank(best, self.values[best]):
            self.incumbent = subset

    @property
    def ended(self) -> Ended | None:
        """How the search ended by itself; None while it goes on."""
        if self._ended is None:  # a search that is over says why only once
            self._search_on()
        return self._ended

    def _search_on(self) -> None:
        """Let the search go on as far as values are known."""
        try:
            with one_thread():  # a surrogate's sums come out the same on any number of processors, and sooner
                if self._batch is None:
                    self._batch = list(next(self._search))
                looked, passed = 0, set[Mask]()
                while all(mask in self.values for mask in self._batch):
                    if not passed.issuperset(self._batch):  # new when it was measured: a walk that is taken up again
                        passed.update(self._batch)
                        looked = 0
                    self._batch = list(self._search.send([self.values[mask] for mask in self._batch]))
                    looked += 1
                    if looked > MOST_KNOWN:
                        raise ProtocolError(
                            f"the method {self.method.name!r} went through {looked} batches of what it had measured "
                            "before; a search that finds nothing new returns Ended"
                        )
        except StopIteration as end:
            self._ended = self._checked(end.value)

    def _checked(self, end: object) -> Ended:
        """How the search ended; one that does not say so would be asked for its next batch for ever."""
        if not isinstance(end, Ended):
            raise ProtocolError(
                f"the search of the method {self.method.name!r} ended with {end!r:.40}; at its end it returns "
                'Ended("why")'
            )
        if end.chosen:
            self.history.attributes.check(end.chosen)
        return end

    def _advance(self) -> None:
        """Open the next batch of the search, or end."""
        if (ended := self.ended) is not None:
            self._stop(ended.why)
            return
        unknown = [mask for mask in dict.fromkeys(self._batch or ()) if mask not in self.values]
        left = None if self.budget is None else self.budget - self.evaluations
        if self.budget is not None and self.evaluations >= self.budget:
            self._stop(budget_spent(self.budget))
        else:
            self._fold(Asked(self._next_id, tuple(unknown[:left]), why=self.method.name))


def _begun(method: Method, space: Space, seed: int) -> Search:
    """The search of a method, of which nothing has run yet."""
    search = method.explorer(space, np.random.default_rng(seed))
    if not isinstance(search, Generator):
        raise InputError(
            f"the explorer of the method {method.name!r} is a generator: it yields lists of subsets and returns "
            f"Ended; found {search!r:.40}"
        )
    return search
