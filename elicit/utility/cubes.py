"""Subcubes: what the pieces of a proof cover, what a monomial may be on one, and where a step from one leads.

Also: what the monomials of subsets add up to, and what the worst of such numbers costs.

A cube (inside, outside) is all subsets that hold `inside` and lack `outside`. Integers alone: the verifier
rests on this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from reprlib import repr as brief

from elicit.errors import CertificateError
from elicit.subsets import Mask

Cube = tuple[Mask, Mask]
#: A difference d of two rows of monomials: where it is 1, and where it is −1.
Signed = tuple[list[int], list[int]]

#: Cubes of one proof: that they share nothing is checked pair by pair, which takes some seconds.
MOST_CUBES = 10_000


def subset_of(n: int, positions: Sequence[int], least: int) -> Mask:
    """The mask of a subset of n attributes, given as their positions: at least so many, each once."""
    known = {i for i in positions if type(i) is int and 0 <= i < n}
    if not len(known) == len(positions) >= least:
        raise CertificateError(f"{brief(positions)} is no subset")
    return sum(1 << i for i in positions)


@dataclass(frozen=True)
class Cover:
    """The cubes of a proof over n attributes, among subsets of at most `size`."""

    cubes: Sequence[Cube]
    n: int
    size: int

    @cached_property
    def _listed(self) -> frozenset[Cube]:
        return frozenset(self.cubes)

    def holds(self, inside: Mask, outside: Mask) -> bool:
        """Whether every non-empty subset of a cube, of at most `size` attributes, is in one of the cubes only.

        The members are counted, so the cubes must not share one; a cube within another counts for nothing.
        (Whether cubes that overlap in other ways cover a cube is a question that nobody can answer fast: for
        these the answer is no.) Where there is no such subset at all, nothing is covered either.
        """
        if (inside, outside) in self._listed and inside | outside == (1 << self.n) - 1:  # one subset, as of a list
            return self._count((inside, outside)) == 1
        shares = {(i | inside, o | outside) for i, o in self.cubes}
        if len(shares) > MOST_CUBES + 1:  # the subset that a proof speaks of is no piece, and in none of them
            raise CertificateError(f"more than {MOST_CUBES} pieces are too many to check; prove it with fewer")
        counts = {share: found for share in shares if (found := self._count(share))}
        whole = list[Cube]()
        for i, o in sorted(counts, key=lambda share: (-counts[share], share)):
            meeting = [(k, m) for k, m in whole if not (k & o or m & i)]
            if any(k & i == k and m & o == m for k, m in meeting):
                continue
            if any(self._count((k | i, m | o)) for k, m in meeting):
                return False
            whole.append((i, o))
        return 0 < self._count((inside, outside)) == sum(counts[share] for share in whole)

    def stays(self, cube: Cube, step: Mask, subset: Mask, family: Cube) -> bool:
        """Whether flipping the attribute `step` leads from every member of a cube to one nearer to the subset.

        A member of the family, that is, (what is kept, what is dropped); or the empty subset, when a cube holds that.
        """
        (inside, outside), (keep, drop) = cube, family
        nearer = step & (inside | outside) and (inside ^ subset) & step and not step & (keep | drop)
        if inside & step:
            return bool(nearer and (inside ^ step or any(not held for held, _ in self.cubes)))
        return bool(nearer and self.n - outside.bit_count() < self.size)

    def _count(self, cube: Cube) -> int:
        """How many non-empty subsets of at most `size` attributes a cube holds."""
        held, lacked = cube
        if held & lacked:
            return 0
        free, room = self.n - (held | lacked).bit_count(), self.size - held.bit_count()
        return sum(comb(free, k) for k in range(0 if held else 1, min(room, free) + 1))


def gains_on(cube: Cube, terms: Iterable[Mask], subset: Mask, step: Mask) -> Iterator[tuple[int, int]]:
    """The least and the most that each entry of φ(y) − φ(subset) may be for a y of a cube.

    Given a step (0: none), of φ(y) − φ(y with it flipped).
    """
    inside, outside = cube
    least, most = (0, 1) if inside & step else (-1, 0)
    for t in terms:
        if step:
            rest = t & ~step
            if t == rest or rest & outside:  # without the attribute, nothing changes
                yield 0, 0
            else:
                yield (least + most, least + most) if rest & inside == rest else (least, most)
        elif t & subset == t:
            yield (-1 if t & ~inside else 0), (-1 if t & outside else 0)
        else:
            yield (0 if t & ~inside else 1), (0 if t & outside else 1)


def combination(form: Iterable[tuple[int, int]], terms: Sequence[int]) -> list[int]:
    """Σ c φ(x): one number for each monomial."""
    found = [0] * len(terms)
    for x, c in form:
        found = [f + c if x & t == t else f for f, t in zip(found, terms, strict=True)]
    return found


def signs(row: Sequence[int]) -> Signed:
    """Where a row of −1, 0 and 1 is 1, and where it is −1."""
    return [k for k, d in enumerate(row) if d > 0], [k for k, d in enumerate(row) if d < 0]


def along(row: Signed, theta: Sequence[Fraction]) -> Fraction:
    """d·θ."""
    above, below = (sum((theta[k] for k in places if theta[k]), Fraction(0)) for places in row)
    return above - below


def weigh(multipliers: Mapping[int, int], rows: Sequence[Signed], size: int) -> list[int]:
    """Σ λ_r d_r, one number for each of `size` monomials."""
    found = [0] * size
    for r, x in multipliers.items():
        above, below = rows[r]
        for k in above:
            found[k] += x
        for k in below:
            found[k] -= x
    return found


def largest_share(sizes: Iterable[int], terms: Iterable[Mask], prices: Sequence[Fraction]) -> Fraction:
    """max_S |…|_S / w_S for a w_S that depends on |S| alone: one division for each price."""
    largest = [0] * len(prices)
    for x, t in zip(sizes, terms, strict=True):
        order = t.bit_count() - 1
        if x > largest[order]:
            largest[order] = x
    return max(Fraction(x) / price if x else Fraction(0) for x, price in zip(largest, prices, strict=True))
