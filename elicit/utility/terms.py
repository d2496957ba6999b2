"""Terms: the monomials of a proof by their places; what subsets, statements and a θ come to on them, and cost.

The rule: whole numbers and fractions alone, for the verifier rests on this file; and whatever may be long first takes
its steps from those that a check has (`Steps`), so that nothing goes on for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from elicit.errors import CertificateError
from elicit.subsets import Mask, members
from elicit.utility.numbers import Steps, demand, shared

Row = list[int]  # one number for each monomial
Places = NDArray[np.intp]
#: A difference d of two rows of monomials: the places where it is 1, and where it is −1.
Signed = tuple[Places, Places]

#: A product of long numbers takes as long as so many steps with them, and a fraction of them in lowest terms.
PRODUCT, FRACTION = 20, 200

#: Numbers of a fixed width are added up so many times as fast.
AT_ONCE = 8


@dataclass(frozen=True)
class Theta:
    """A θ: its coefficients by place, those that are not 0, as integers over a common unit."""

    entries: Mapping[int, int]
    unit: int

    @cached_property
    def most(self) -> int:
        """The largest size of a coefficient, in units; at least 1 of them."""
        return max([self.unit, *map(abs, self.entries.values())])

    def along(self, row: Signed) -> int:
        """d·θ, in units."""
        above, below = (sum(self.entries[k] for k in places.tolist() if k in self.entries) for places in row)
        return above - below


class Terms:
    """Monomials up to a degree, by place: all of them, or some."""

    def __init__(self, masks: Sequence[Mask], degree: int) -> None:
        self.masks, self.degree, self.steps = masks, degree, Steps()
        self.orders = [t.bit_count() - 1 for t in masks]
        # by positions, not by mask: of long integers with few bits many thousands have the same hash
        self._place = {tuple(members(t)): k for k, t in enumerate(masks)}
        fitting = len(self._place) == len(masks) and all(order < degree for order in self.orders)
        demand(fitting, "the support repeats a monomial, or has one above the degree")

    def __len__(self) -> int:
        return len(self.masks)

    def at(self, term: Mask) -> int:
        """The place of a monomial."""
        place = self._place.get(tuple(members(term))) if term.bit_count() <= self.degree else None
        if place is None:
            raise CertificateError("θ has a coefficient outside the support")
        return place

    def theta(self, coefficients: Mapping[int, Fraction]) -> Theta:
        """Coefficients by place over their common denominator."""
        unit = lcm(*(x.denominator for x in coefficients.values()))
        self.steps.take(FRACTION * len(coefficients), unit.bit_length())  # those of reading it, too
        return Theta({k: x.numerator * (unit // x.denominator) for k, x in coefficients.items() if x}, unit)

    def inside(self, subset: Mask) -> list[int]:
        """The places of the monomials that a subset holds."""
        held = sum(comb(subset.bit_count(), k) for k in range(1, self.degree + 1))
        self.steps.take(min(held, len(self)))
        if held > len(self):
            return [k for k, t in enumerate(self.masks) if t & subset == t]
        positions = members(subset)
        found = chain.from_iterable(combinations(positions, k) for k in range(1, self.degree + 1))
        return [self._place[t] for t in found if t in self._place]

    def signs(self, better: Mask, worse: Mask) -> Signed:
        """Where φ(better) − φ(worse) is 1, and where it is −1."""
        above, below = self.inside(better), self.inside(worse)
        both = set(above).intersection(below)
        left = ([k for k in places if k not in both] for places in (above, below))
        over, under = (np.array(places, dtype=np.intp) for places in left)
        return over, under

    def combination(self, form: Sequence[tuple[Mask, int]]) -> Row:
        """Σ c φ(x)."""
        found, bits = [0] * len(self), _bits(c for _, c in form)
        for x, c in form:
            held = self.inside(x)
            self.steps.take(len(held), bits)
            for k in held:
                found[k] += c
        return found

    def weigh(self, multipliers: Mapping[int, int], rows: Sequence[Signed]) -> Row:
        """Σ λ_r d_r."""
        most = sum(map(abs, multipliers.values()))  # of each number, so that short ones may have a fixed width
        short = most.bit_length() < 63
        count = _count(rows[r] for r in multipliers)
        self.steps.take(len(self) + (count // AT_ONCE if short else count), most.bit_length())
        found = np.zeros(len(self), dtype=np.int64 if short else object)
        for r, x in multipliers.items():
            above, below = rows[r]
            found[above] += x
            found[below] -= x
        return [int(x) for x in found.tolist()]

    def worst(self, gains: Iterable[tuple[int, int]], sums: Row, unit: int) -> Row:
        """The largest |u g + s| for each sum s of multipliers over a unit u, where g lies between two values."""
        self.steps.take(3 * len(self), _bits([unit, *sums]))
        return [max(unit * most + c, -unit * least - c) for (least, most), c in zip(gains, sums, strict=True)]

    def along(self, rows: Sequence[Signed], theta: Theta) -> list[int]:
        """d_r·θ for each row, in units of the θ."""
        self.steps.take(_count(rows), theta.most.bit_length())
        return [theta.along(row) for row in rows]

    def value(self, theta: Theta, subset: Mask) -> int:
        """f_θ of a subset, in units of the θ."""
        self.steps.take(len(theta.entries), theta.most.bit_length())
        return sum(x for k, x in theta.entries.items() if self.masks[k] & subset == self.masks[k])

    def priced(self, theta: Theta, prices: Sequence[Fraction]) -> Fraction:
        """Σ w_|S| |θ_S|."""
        sizes = [0] * len(prices)
        for k, x in theta.entries.items():
            sizes[self.orders[k]] += abs(x)
        return sum((size * price for size, price in zip(sizes, prices, strict=True)), Fraction(0)) / theta.unit


class Limits:
    """What breaking each statement by 1 costs: as integers over a common unit, and each value once."""

    def __init__(self, limits: Sequence[Fraction], steps: Steps) -> None:
        self.unit, self.steps = 1, steps
        for limit in limits:
            self.unit = shared(self.unit, limit, "the weights")
        # by their digits: as numbers, thousands of them may have the same hash
        digits = [f"{limit.numerator:x}/{limit.denominator:x}" for limit in limits]
        each = dict(zip(digits, limits, strict=True))
        kind = {text: k for k, text in enumerate(each)}
        self.values, self.kinds = list(each.values()), [kind[text] for text in digits]
        self.whole = [int(limit * self.unit) for limit in self.values]

    def total(self, slacks: Sequence[int]) -> Fraction:
        """Σ C c_r s_r."""
        self.steps.take(PRODUCT * len(slacks), _bits(slacks) + _bits(self.whole))
        return Fraction(sum(self.whole[k] * x for k, x in zip(self.kinds, slacks, strict=True) if x), self.unit)

    def most(self, multipliers: Mapping[int, int]) -> Fraction:
        """max_r |λ_r|/(C c_r)."""
        bits = _bits(multipliers.values()) + _bits(self.whole)
        self.steps.take(len(multipliers) + FRACTION * min(len(self.values), len(multipliers)), bits)
        sizes = map(abs, multipliers.values())
        return largest_share(sizes, [self.kinds[r] for r in multipliers], self.values)


def largest_share(sizes: Iterable[int], kinds: Iterable[int], prices: Sequence[Fraction]) -> Fraction:
    """The largest size as a share of its price, which depends on its kind alone: one division for each kind."""
    largest: dict[int, int] = {}
    for x, kind in zip(sizes, kinds, strict=True):
        if x > largest.get(kind, 0):
            largest[kind] = x
    return max((x / prices[kind] for kind, x in largest.items()), default=Fraction(0))


def _count(rows: Iterable[Signed]) -> int:
    return sum(len(above) + len(below) for above, below in rows)


def _bits(numbers: Iterable[int]) -> int:
    """The length of the longest of some numbers."""
    return max((x.bit_length() for x in numbers), default=0)
