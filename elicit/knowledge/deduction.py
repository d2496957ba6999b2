"""Deduction: what answers say of other subsets, if something is assumed of how the operator values criteria.

"linear" (`linear.py`): criteria are traded at fixed rates. "additive" (`additive.py`): each criterion has a worth
of its own, on any scale, and the worths add up. Either way one answer orders many pairs. Both work in whole numbers,
so that a check comes to the same result.

The rule: an assumption is off unless asked for, and what follows from it carries its own source. Answers that
refute it leave nothing to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from elicit.knowledge.additive import additive_order
from elicit.knowledge.linear import Order, Pair, Step, Whole, linear_order
from elicit.knowledge.statements import (
    WEIGHTS,
    Relation,
    Source,
    Statement,
    contradiction,
    edges_down,
    reachable_by_steps,
    transitive_reduction,
)
from elicit.subsets import Mask

#: What follows from the steps of answers and from measured dominance; None where no value of the kind gives them all.
Rule = Callable[[Mapping[Mask, Whole], Sequence[Step], Sequence[Pair]], Order | None]

_RULES: dict[str, Rule] = {"linear": linear_order, "additive": additive_order}

#: What may be assumed of the operator, and how one says so.
ASSUMPTIONS = {
    "nothing": "nothing",
    "linear": "a linear trade-off of the criteria",
    "additive": "an additive value of the criteria",
}


def deduce(
    assume: str, vectors: Mapping[Mask, Whole], dominance: Sequence[Statement], stated: Sequence[Statement]
) -> tuple[Statement, ...]:
    """What follows from the statements under an assumption, less what chains of them already imply.

    Where statements contradict each other nothing follows. Dominance is never deduced: a dominance that is not among
    the statements was doubted as noise.
    """
    order = _implied_order(assume, vectors, dominance, stated)
    if order is None:
        return ()
    weight = WEIGHTS[Source.DEDUCED]
    found = [
        Statement(x, y, Relation.STRICT, Source.DEDUCED, weight)
        for x, y in order.strict
        if any(a < b for a, b in zip(vectors[x], vectors[y], strict=True))
    ]
    equal = [s for s in stated if s.relation is Relation.EQUAL]
    found += [Statement(x, y, Relation.EQUAL, Source.DEDUCED, weight) for x, y in _spanning_pairs(order.equal, equal)]
    kept = transitive_reduction([*dominance, *stated, *found])
    return tuple(s for s in kept if s.source is Source.DEDUCED)


def follow_from(statements: Sequence[Statement], by: Sequence[Statement]) -> list[Statement]:
    """Those of the statements, equal or strict, that chains of others imply; these must not contradict each other."""
    equal = [s for s in by if s.relation is Relation.EQUAL]
    outgoing = edges_down(by)

    def holds(s: Statement) -> bool:
        if s.relation is Relation.EQUAL:
            return not any(_spanning_pairs([(s.better, s.worse)], equal))
        return (s.worse, True) in reachable_by_steps([s.better], outgoing)

    return [s for s in statements if holds(s)]


def is_refuted(
    assume: str, vectors: Mapping[Mask, Whole], dominance: Sequence[Statement], stated: Sequence[Statement]
) -> bool:
    """Whether the answers, without contradicting each other, refute what is assumed."""
    consistent = assume in _RULES and not contradiction([*dominance, *stated])
    return consistent and _implied_order(assume, vectors, dominance, stated) is None


def _implied_order(
    assume: str, vectors: Mapping[Mask, Whole], dominance: Sequence[Statement], stated: Sequence[Statement]
) -> Order | None:
    """All that follows; None where the assumption is refuted, or the statements contradict each other."""
    steps = [
        (above, below, s.strict) for s in stated for above, below in s.edges if above in vectors and below in vectors
    ]
    if assume not in _RULES or not steps:
        return Order([], [])
    if contradiction([*dominance, *stated]):
        return None
    return _RULES[assume](vectors, steps, [(s.better, s.worse) for s in dominance])


def _spanning_pairs(pairs: Sequence[Pair], equalities: Sequence[Statement]) -> Iterator[Pair]:
    """Those of the equal pairs that join two classes of equal subsets which were separate until then."""
    group: dict[Mask, set[Mask]] = {}
    for k, (x, y) in enumerate([*((s.better, s.worse) for s in equalities), *pairs]):
        one, other = group.setdefault(x, {x}), group.setdefault(y, {y})
        if one is not other:
            one |= other
            group.update(dict.fromkeys(other, one))
            if k >= len(equalities):
                yield x, y
