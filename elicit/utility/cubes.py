"""Subcubes: what the pieces of a proof cover, what a monomial may be on one, and where a step from one leads.

A cube (inside, outside) is all subsets that hold `inside` and lack `outside`. Integers alone: the verifier
rests on this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from reprlib import repr as brief

from elicit.errors import CertificateError
from elicit.subsets import Mask
from elicit.utility.numbers import Steps

Cube = tuple[Mask, Mask]
#: Cubes of one proof: that they share nothing is checked pair by pair, which takes some seconds.
MOST_CUBES = 10_000

#: Evaluated subsets, rivals or candidates of one proof: masks that have the same hash are looked up one by one.
MOST_SUBSETS = 100_000


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
    steps: Steps = field(default_factory=Steps)

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
        self.steps.take(10 * len(self.cubes), self.n)
        shares = {(i | inside, o | outside) for i, o in self.cubes}
        if len(shares) > MOST_CUBES + 1:  # the subset that a proof speaks of is no piece, and in none of them
            raise CertificateError(f"more than {MOST_CUBES} pieces are too many to check; prove it with fewer")
        counts = {share: found for share in shares if (found := self._count(share))}
        whole = list[Cube]()
        for i, o in sorted(counts, key=lambda share: (-counts[share], share)):
            self.steps.take(len(whole), self.n)
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
            return bool(nearer and (inside ^ step or self._holds_nothing))
        return bool(nearer and self.n - outside.bit_count() < self.size)

    @cached_property
    def _holds_nothing(self) -> bool:
        """Whether one of the cubes holds the empty subset."""
        return any(not inside for inside, _ in self.cubes)

    def _count(self, cube: Cube) -> int:
        """How many non-empty subsets of at most `size` attributes a cube holds."""
        held, lacked = cube
        if held & lacked:
            return 0
        free, room = self.n - (held | lacked).bit_count(), self.size - held.bit_count()
        return max(0, self._chosen(free, room) - (not held))

    def _chosen(self, free: int, room: int) -> int:
        """How many subsets of at most `room` so many attributes have."""
        if room >= free:
            return 1 << free
        if room < 0:
            return 0
        if (free, room) not in self._known:
            self.steps.take(10 * (room + 1), free)
            found = last = 1
            for k in range(room):
                last = last * (free - k) // (k + 1)  # C(free, k + 1)
                found += last
            self._known[free, room] = found
        return self._known[free, room]

    @cached_property
    def _known(self) -> dict[tuple[int, int], int]:
        return {}


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
