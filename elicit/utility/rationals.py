"""Exact numbers for a solver's floats: the simple fraction that a float stands for, or one that solves exactly.

Nothing here knows a set of utilities: rows, multipliers and θ are plain arguments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from elicit.subsets import Mask, members
from elicit.utility import tolerances
from elicit.utility.lifting import solve_exactly
from elicit.utility.monomials import Utility

#: θ is printed with this denominator: fine enough for any margin that a decision may rest on.
THETA_UNIT = 1 << 40

#: The largest denominator of a fraction that counts as simple.
SIMPLE = 1_000

#: The largest denominators of multipliers that a solution keeps as they are, the plainest of them before all others.
HELD, PLAIN = 10_000, 64


def simple_fraction(x: float) -> Fraction:
    """The fraction of small denominator that a float stands for, where there is one; else rounded to `DENOMINATOR`."""
    near = Fraction(x).limit_denominator(SIMPLE)
    if abs(near - Fraction(x)) <= tolerances.MULTIPLIER:
        return near
    return Fraction(round(x * tolerances.DENOMINATOR), tolerances.DENOMINATOR)


def fractions_of(theta: Utility) -> dict[Mask, Fraction]:
    """θ rounded to `THETA_UNIT`."""
    rounded = {term: Fraction(round(x * THETA_UNIT), THETA_UNIT) for term, x in theta.theta.items()}
    return {term: x for term, x in rounded.items() if x}


def plain_theta(theta: Mapping[Mask, Fraction]) -> list[list[Any]]:
    return [[members(term), str(x)] for term, x in theta.items() if x]


def rounded_up(value: float) -> str:
    """A bound a little above a float, as a text; 0 for what is no more than a rounding error."""
    return str(Fraction(math.ceil(value * 10**6) + 1, 10**6)) if value > tolerances.DECISION / 2 else "0"


def gain_of(theta: Mapping[Mask, Fraction], y: Mask, x: Mask) -> Fraction:
    """f_θ(y) − f_θ(x)."""
    return sum((((t & y == t) - (t & x == t)) * value for t, value in theta.items()), Fraction(0))


def rational_combination(
    rows: Sequence[Sequence[int]], target: Sequence[int], near: Sequence[float]
) -> list[Fraction] | None:
    """Multipliers with Σ λ_r rows_r = target exactly, near the given floats; None when there are none.

    Simple fractions are tried first: multipliers of such programs are mostly small integers. Fractions that come to
    the target far from the floats are taken last: they prove something, and less.
    """
    guesses = [[Fraction(float(x)).limit_denominator(most) for x in near] for most in (1, PLAIN, HELD)]
    # multipliers that are all 0 count only where `near` is all 0
    guesses = [g for g in guesses if (any(g) or not any(near)) and _combines(rows, target, g)]
    close = (g for g in guesses if all(abs(float(x) - y) <= tolerances.DECISION for x, y in zip(g, near, strict=True)))
    return next(close, None) or _solved_exactly(rows, target, near) or next(iter(guesses), None)


def _solved_exactly(
    rows: Sequence[Sequence[int]], target: Sequence[int], near: Sequence[float]
) -> list[Fraction] | None:
    """The same by exact solving: multipliers that are plain fractions already are kept, as far as they are free."""
    close = [Fraction(float(x)).limit_denominator(HELD) for x in near]
    plain = [
        abs(float(x.limit_denominator(PLAIN)) - y) <= tolerances.MULTIPLIER for x, y in zip(close, near, strict=True)
    ]
    order = sorted(range(len(rows)), key=lambda r: plain[r])
    columns = list(zip(*(rows[r] for r in order), strict=True))
    solved = solve_exactly(columns, [Fraction(x) for x in target], [close[r] for r in order])
    if solved is None or (any(near) and not any(solved)):
        return None
    exact = dict(zip(order, solved, strict=True))
    return [exact[r] for r in range(len(rows))]


def _combines(rows: Sequence[Sequence[int]], target: Sequence[int], multipliers: Sequence[Fraction]) -> bool:
    return all(
        sum(x * row[k] for x, row in zip(multipliers, rows, strict=True) if row[k]) == target[k]
        for k in range(len(target))
    )
