"""What a set of utilities answers: the vocabulary that the exact and the parsimonious set share.

A set answers one question, the maximum of a linear form Σ_x c_x f(x), and whether a subset can be
best; every other decision is made of these two. An answer carries its witness θ and its multipliers,
so that it can be checked, reused and explained.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Mask
from elicit.utility.monomials import Matrix, Monomials, Utility, Vector

#: Σ_x c_x f(x), written {x: c_x}.
Form = Mapping[Mask, float]


def statement_rows(monomials: Monomials, statements: Sequence[Statement]) -> Matrix:
    """D: row r is d_r = φ(better) − φ(worse)."""
    rows: Matrix = monomials.rows([s.better for s in statements]) - monomials.rows([s.worse for s in statements])
    return rows


def required_margins(statements: Sequence[Statement]) -> Vector:
    """The margin that each statement demands, in units of δ (exact set) or 1 (parsimonious): 1 if strict, else 0."""
    return np.array([1.0 if s.strict else 0.0 for s in statements])


def equalities(statements: Sequence[Statement]) -> NDArray[np.bool_]:
    """Which of the statements say that two subsets are equal."""
    return np.array([s.relation is Relation.EQUAL for s in statements], dtype=np.bool_)


def lower_by_statements(
    bounds: Matrix, subsets: Sequence[Mask], statements: Sequence[Statement], most: Sequence[float]
) -> None:
    """Lower the bounds on f(x) − f(v), row x and column v, to the `most` that a statement with v above x allows."""
    place = {mask: k for k, mask in enumerate(subsets)}
    for s, bound in zip(statements, most, strict=True):
        for above, below in s.edges:
            if above in place and below in place:
                i, j = place[below], place[above]
                bounds[i, j] = min(bounds[i, j], bound)


def difference(a: Mask, b: Mask) -> dict[Mask, float]:
    """The form f(a) − f(b)."""
    return {a: 1.0, b: -1.0} if a != b else {}


@dataclass(frozen=True)
class Inconsistent:
    """No utility satisfies the statements, so nothing is decided; `conflict` cannot hold together.

    A set's own `conflict` returns it. It has no truth value on purpose, and such a set raises an error when it is asked
    for a number or a verdict: no value could stand for "nothing is decided".
    """

    conflict: tuple[Statement, ...]

    def __bool__(self) -> NoReturn:
        raise TypeError("an inconsistent set decides nothing; test with isinstance(answer, Inconsistent)")


@dataclass(frozen=True)
class Optimum:
    """The maximum of a form over a set, the θ that reaches it, and multipliers that prove it.

    `multipliers` has one entry a statement; `sigma` is the multiplier of the budget in the
    parsimonious set, 0 in the slice.
    """

    value: float
    witness: Utility
    multipliers: tuple[float, ...]
    sigma: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """Whether a subset can be best, and why: a θ that makes it so, or multipliers that exclude it.

    `price` is what must be paid in simplicity to believe it (parsimonious set only).
    """

    possible: bool
    price: float | None = None
    witness: Utility | None = None
    multipliers: tuple[float, ...] = ()
    rivals: Mapping[Mask, float] = field(default_factory=dict)


def check_evaluated(evaluated: Sequence[Mask], n: int) -> tuple[Mask, ...]:
    """The evaluated subsets as a tuple; one that is no mask, empty, foreign or repeated is an error."""
    for mask in evaluated:
        if type(mask) is not int:
            raise InputError(f"a subset is an integer mask, found {mask!r:.40}; Attributes.mask(names) makes one")
        if not 0 < mask < 1 << n:
            raise InputError(f"subset {mask} is empty or names attributes beyond the {n} there are")
    if len(set(evaluated)) < len(evaluated):
        raise InputError("an evaluated subset is listed twice")
    return tuple(evaluated)


def check_form(form: Form, n: int) -> None:
    """An error when a form names an empty or foreign subset, or a coefficient that is not a number."""
    check_evaluated(list(form), n)
    for mask, coefficient in form.items():
        if not isfinite(coefficient):
            raise InputError(f"the coefficient of subset {mask} is not a number: {coefficient}")


def check_statements(statements: Sequence[Statement], n: int) -> None:
    """An error when a statement names attributes beyond the n there are."""
    for s in statements:
        if max(s.better, s.worse) >= 1 << n:
            raise InputError(f"a statement names attributes beyond the {n} there are: {s.better} against {s.worse}")
