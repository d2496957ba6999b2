"""Requests: what the core wants next, what counts as a reply, and who may give it.

The core never acts; a driver hands each request to an oracle or an operator and tells the reply.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from elicit.errors import InputError
from elicit.events import Answer, Criterion, Evaluated, checked_criteria
from elicit.numeric import plain_numbers
from elicit.subsets import Attributes, Mask


@dataclass(frozen=True)
class Evaluate:
    """Measure this subset."""

    id: int
    subset: Mask
    why: str = ""


@dataclass(frozen=True)
class Compare:
    """Which of these two evaluated subsets is better for the operator?

    `check` marks a question that was answered before, one way or both, or whose answer follows from earlier ones; it is
    there to catch mistakes. `noisy` names the criteria in which one leads by no more than its folds leave to chance.
    """

    id: int
    first: Evaluated
    second: Evaluated
    why: str = ""
    check: bool = False
    noisy: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reconcile:
    """These answers (by request id) cannot all hold: retract one, or keep them all and weigh them."""

    id: int
    conflict: tuple[int, ...]
    why: str = ""


@dataclass(frozen=True)
class Done:
    """Nothing more is asked: which rule ended the run, what is recommended, what is proven and where."""

    id: int
    reason: str
    subset: Mask | None
    scope: str


Request = Evaluate | Compare | Reconcile | Done


@dataclass(frozen=True)
class Measured:
    """An oracle's reply: one number a criterion, with fold scores and spread where it has them."""

    criteria: tuple[float, ...]
    folds: tuple[tuple[float, ...], ...] = ()
    spread: tuple[float | None, ...] = ()

    @property
    def plain(self) -> Measured:
        """The same in Python's own numbers, which are what is recorded, whatever the oracle computes with."""
        return Measured(*map(plain_numbers, (self.criteria, self.folds, self.spread)))


@dataclass(frozen=True)
class Failure:
    """An oracle's reply when the subset cannot be measured: the reason, in one line."""

    reason: str


@dataclass(frozen=True)
class Settlement:
    """An operator's reply to Reconcile: the request id of the answer to retract, or None to keep all."""

    retract: int | None


#: What a request may be answered with.
Reply = Measured | Failure | Answer | Settlement


@dataclass(frozen=True)
class TakeBack:
    """What an operator may say instead of a reply: the answer to this earlier request no longer holds.

    The open request stays open, and is put again.
    """

    request: int


@dataclass(frozen=True)
class Enough:
    """What an operator may say instead of a reply: content with the best so far, and the run shall end."""


class Oracle(Protocol):
    """Measures subsets. `fingerprint` identifies its data and settings in a journal."""

    @property
    def attributes(self) -> Attributes: ...
    @property
    def criteria(self) -> tuple[Criterion, ...]: ...
    @property
    def fingerprint(self) -> str: ...
    def __call__(self, request: Evaluate) -> Measured | Failure: ...


def subset_asked_for(request: Evaluate, attributes: Attributes) -> Mask:
    """What an oracle of these attributes is to measure; whoever calls it with names or a mask is told what it takes."""
    if not isinstance(request, Evaluate):
        raise InputError(
            f"an oracle is called with an Evaluate, found {request!r:.80}; "
            "Evaluate(0, oracle.attributes.mask(names)) makes one"
        )
    return attributes.check(request.subset)


def require_oracle(oracle: Oracle) -> None:
    """Refuse what only measures, such as a plain function: what it measures must be known beforehand, and by name.

    It must be told apart from others, too.
    """
    if not callable(oracle) or not hasattr(oracle, "attributes") or not hasattr(oracle, "criteria"):
        raise InputError(
            "an oracle measures subsets of its attributes by its criteria, "
            f"found {oracle!r:.80}; CallableOracle(function, attributes) makes one of a function"
        )
    given: Any = oracle
    if not isinstance(given.attributes, Attributes):
        raise InputError(
            f"the attributes of an oracle are Attributes, found {given.attributes!r:.80}; write Attributes.of(names)"
        )
    if isinstance(given.criteria, Criterion):
        raise InputError(f"the criteria of an oracle are a tuple of them, found one alone: {given.criteria!r:.80}")
    checked_criteria(given.criteria)
    if not isinstance(found := getattr(given, "fingerprint", None), str):
        raise InputError(
            f"an oracle has a fingerprint, a text that differs where its data or settings do, found {found!r:.80}; "
            "where no journal is kept, any text will do"
        )


class Operator(Protocol):
    """Compares subsets, and settles contradictions between its answers."""

    def __call__(self, request: Compare | Reconcile) -> Answer | Settlement | TakeBack | Enough: ...


class Comparer(Protocol):
    """Compares subsets, and knows nothing of contradictions: answers of which not all can hold are weighed."""

    def __call__(self, request: Compare) -> Answer: ...
