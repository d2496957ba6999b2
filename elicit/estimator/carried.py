"""Carried over: an operator's answers of an earlier run, as statements that another run begins with.

Subsets are matched by the names of their attributes; an answer about an attribute that is not there any
more does not apply, and is left out. The data may be others (other folds, more rows): that is the purpose.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from elicit.errors import InputError
from elicit.events import Answer, Assumed, Fact, Preferred, Retracted
from elicit.journal import read
from elicit.knowledge.history import answer_statement, assumption_statement
from elicit.knowledge.statements import Relation, Source
from elicit.subsets import Attributes, Mask


@dataclass(frozen=True)
class Answers:
    """The answers of a run. Each is a subset, by the names of its attributes, and another that is worse or equal."""

    pairs: tuple[tuple[frozenset[str], frozenset[str], Relation], ...]

    def __post_init__(self) -> None:
        if isinstance(self.pairs, str | os.PathLike):
            raise InputError(f"expected pairs of subsets, found {self.pairs!r:.80}; Answers.recorded reads a journal")

    @classmethod
    def of(cls, facts: Iterable[Fact], attributes: Attributes) -> Answers:
        """The answers that stand; the last one for each pair of subsets counts.

        What was carried over into those facts is carried on.
        """
        facts = tuple(facts)
        retracted = {fact.retracts for fact in facts if isinstance(fact, Retracted)}
        standing: dict[frozenset[Mask], tuple[Mask, Mask, Relation]] = {}
        for fact in facts:
            stated = None if fact.request in retracted else _stated(fact)
            if stated is not None:
                standing[frozenset(stated[:2])] = stated
            elif isinstance(fact, Preferred) and fact.answer is Answer.INCOMPARABLE and fact.request not in retracted:
                standing.pop(frozenset((fact.first, fact.second)), None)
        named = ((_names(attributes, x), _names(attributes, y), relation) for x, y, relation in standing.values())
        return cls(tuple(named))

    @classmethod
    def recorded(cls, path: str | os.PathLike[str]) -> Answers:
        """The answers in a journal, whatever its data were."""
        record = read(path)
        return cls.of(record.facts, record.header.attributes)

    def assumed(self, now: Attributes) -> tuple[Assumed, ...]:
        """As facts that a run over these attributes may begin with."""
        known = set(now.names)
        applying = [pair for pair in self.pairs if pair[0] | pair[1] <= known]
        if not self.pairs:
            raise InputError("the journal given as operator holds no answers; name one of a session, or operator=None")
        if not applying:
            some = min(self.pairs[0][0] - known or self.pairs[0][1] - known)
            raise InputError(f"none of the recorded answers is about these attributes; {some!r} is not among them")
        return tuple(
            Assumed(k, now.mask(x), now.mask(y), relation.value, Source.PRIOR.value)
            for k, (x, y, relation) in enumerate(applying)
        )


def _stated(fact: Fact) -> tuple[Mask, Mask, Relation] | None:
    """What a fact says about two subsets on somebody's word."""
    said = None
    if isinstance(fact, Preferred):
        said = answer_statement(fact)
    elif isinstance(fact, Assumed) and fact.source == Source.PRIOR:
        said = assumption_statement(fact)
    return None if said is None else (said.better, said.worse, said.relation)


def _names(attributes: Attributes, mask: Mask) -> frozenset[str]:
    return frozenset(attributes.subset(mask))
