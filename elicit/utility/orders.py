"""Orders: a θ that ranks one subset first, without any program.

While the rows φ of the evaluated subsets are affinely independent, every order of them has a θ. A topological order of
the statements that begins with the subset is turned into values, and least squares give a θ of these. It must still
pass the margin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg import lstsq

from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Mask
from elicit.utility.monomials import Monomials, Utility


def ranking_first(
    subset: Mask, evaluated: Sequence[Mask], statements: Sequence[Statement], monomials: Monomials
) -> Utility | None:
    """A θ, max |θ_S| = 1, that ranks `subset` first of the evaluated ones; None where this way finds none."""
    order = _topological_values(statements, (*evaluated, subset), subset)
    if order is None:
        return None
    phi = monomials.rows(list(order))
    # by QR: an SVD of this size costs more than the programs it would save
    theta, *_ = lstsq(
        np.hstack([phi, np.ones((len(order), 1))]),
        np.array(list(order.values())),
        lapack_driver="gelsy",
        check_finite=False,
    )
    size = np.abs(theta[:-1]).max(initial=0.0)
    if size == 0:
        return None
    found = Utility.of(monomials, theta[:-1] / size)
    values = found.values([subset, *evaluated])
    return found if values[0] >= values.max() else None


def _topological_values(
    statements: Sequence[Statement], masks: Iterable[Mask], first: Mask
) -> dict[Mask, float] | None:
    """A value for each subset that the statements allow, `first` on top; None when there is no such order.

    Equalities are left to the programs.
    """
    below: dict[Mask, set[Mask]] = {mask: set() for mask in masks}
    above = dict.fromkeys(below, 0)
    for s in statements:
        if s.relation is Relation.EQUAL or s.worse == first:
            return None
        for mask in (s.better, s.worse):
            below.setdefault(mask, set())
            above.setdefault(mask, 0)
        if s.worse not in below[s.better]:
            below[s.better].add(s.worse)
            above[s.worse] += 1
    ready = sorted((m for m, count in above.items() if count == 0 and m != first), reverse=True)
    order = []
    here: Mask | None = first
    while here is not None:
        order.append(here)
        for mask in sorted(below[here]):
            above[mask] -= 1
            if above[mask] == 0:
                ready.append(mask)
        here = ready.pop() if ready else None
    return {m: -float(k) for k, m in enumerate(order)} if len(order) == len(below) else None
