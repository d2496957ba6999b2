"""Deduction: what answers say of other subsets, if something is assumed of how the operator values criteria.

"linear" (`linear.py`): criteria are traded at fixed rates. "additive" (`additive.py`): each criterion has a worth
of its own, in whatever scale, and the worths add up. Either makes one answer order many pairs. Both work in whole
numbers, so that whoever checks comes to the same.

The rule: an assumption is off unless asked for, and what follows from it carries its own source. Answers that
refute it leave nothing to follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from elicit.knowledge.additive import additive_order
from elicit.knowledge.linear import Pair, Step, Whole, linear_order
from elicit.knowledge.statements import Relation, Source, Statement, contradiction, transitively_reduced
from elicit.subsets import Mask

#: The pairs that follow strictly, None where no value of the kind gives the answers.
Order = Callable[[Mapping[Mask, Whole], Sequence[Step]], list[Pair] | None]

_ORDERS: dict[str, Order] = {"linear": linear_order, "additive": additive_order}

#: What may be assumed of the operator, and how one says so.
ASSUMPTIONS = {
    "nothing": "nothing",
    "linear": "a linear trade-off of the criteria",
    "additive": "an additive value of the criteria",
}


def deduced(
    assume: str,
    vectors: Mapping[Mask, Whole],
    dominance: Sequence[Statement],
    stated: Sequence[Statement],
    weight: float,
) -> tuple[Statement, ...]:
    """What follows from the statements under an assumption, as strict statements without what these imply.

    Where statements contradict each other nothing follows. Dominance is never deduced: what is not stated of it
    was doubted.
    """
    steps = [
        (above, below, s.strict) for s in stated for above, below in s.edges if above in vectors and below in vectors
    ]
    if assume not in _ORDERS or not steps or contradiction([*dominance, *stated]):
        return ()
    said = {(s.better, s.worse) for s in (*dominance, *stated) if s.strict}
    found = [
        Statement(x, y, Relation.STRICT, Source.DEDUCED, weight)
        for x, y in _ORDERS[assume](vectors, steps) or ()
        if (x, y) not in said and any(a < b for a, b in zip(vectors[x], vectors[y], strict=True))
    ]
    kept = transitively_reduced([*dominance, *stated, *found])
    return tuple(s for s in kept if s.source is Source.DEDUCED)
