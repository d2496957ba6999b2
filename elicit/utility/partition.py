"""Branch and bound over a family of subsets, and the proof that it leaves behind.

A linear program bounds f(y) − f(subset) on a subcube (`cube_program.py`); where its bound is too large the subcube is
split. The leaves, each with the multipliers of its bound, cover the family: that is a certificate.

Where it is only asked whether the subset is optimal, a subcube may also be left by a step: multipliers that
bound f(y) − f(z) by 0, z being y with one attribute flipped to what it is in the subset. Then y gains no more
than z, which is nearer, and so on to the subset. What attributes do apart is thus proven apart: n pieces
instead of 2^n for a utility without interactions.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from elicit.subsets import Family, Mask, members
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.cube_program import Bound, CubeProgram, cube_program
from elicit.utility.cubes import MOST_CUBES
from elicit.utility.monomials import Vector
from elicit.utility.solver import Watch


@dataclass(frozen=True)
class Piece:
    """All y that hold `inside` and lack `outside` gain at most `bound` on the subset, by these multipliers.

    With `flip` it is a step: so much on themselves with this attribute flipped.
    """

    inside: Mask
    outside: Mask
    multipliers: tuple[float, ...]
    bound: float
    flip: int | None = None

    @classmethod
    def of(cls, inside: Mask, outside: Mask, bound: Bound, flip: int | None = None) -> Piece:
        """A piece with this bound."""
        return cls(inside, outside, bound.multipliers, bound.value, flip)


@dataclass(frozen=True)
class Partition:
    """No y in the family gains more than `upper`, proven by `pieces` that cover it."""

    upper: float
    pieces: tuple[Piece, ...]


#: Given a subset y worth trying, a lower bound on the largest gain.
Try = Callable[[Mask], float]


def partition(
    utilities: AnySet,
    subset: Mask,
    family: Family,
    *,
    lower: float = 0.0,
    attempt: Try | None = None,
    enough: float | None = None,
    progress: Watch | None = None,
    most_cubes: int = MOST_CUBES,
    by_steps: bool = False,
) -> Partition:
    """Bound f(y) − f(subset) over the family by branch and bound, the subcube of the largest bound first.

    `lower` is a gain already known and `attempt` may raise it; a subcube that cannot beat it becomes a leaf.
    With `enough` the search ends as soon as a gain above it is known. `by_steps` looks for steps, too.
    """
    cubes = _Cubes(family, subset)
    program = cube_program(utilities, subset)
    steps = _Steps(program, family, subset) if by_steps else None
    attempts = {2**k for k in range(20)}  # an attempt costs some programs, so ever more rarely
    leaves: list[Piece] = []
    queue: list[tuple[float, int, _Look]] = []
    place = count()  # of equal bounds, the first comes first

    def push(inside: Mask, outside: Mask, flip: int | None = None) -> None:
        several = not cubes.single(inside, outside)
        look = steps.look(inside, outside, flip) if steps is not None and several else None
        if look is None:
            bound = program.least_bound(inside, outside)
            look = _Look(Piece.of(inside, outside, bound), bound.undecided)
        heapq.heappush(queue, (-look.piece.bound, next(place), look))

    for cube in cubes.start():
        push(*cube)
    while queue and program.solved < most_cubes:
        look = heapq.heappop(queue)[-1]
        piece = look.piece
        single = cubes.single(piece.inside, piece.outside)
        # a subcube needs a hair to spare, so that rounding its multipliers does not lose the proof
        if piece.bound <= lower + (tolerances.DECISION / 2 if single else -tolerances.NUDGE):
            leaves.append(piece)
            continue
        if attempt is not None and (single or len(leaves) + len(queue) in attempts):
            lower = max(lower, attempt(piece.inside))
        if single:
            lower = max(lower, piece.bound)  # one subset: the bound is what it gains
            leaves.append(piece)
        else:
            for half in cubes.halves(piece.inside, piece.outside, look.undecided):
                push(*half, look.flip)
        upper = max(lower, -queue[0][0] if queue else lower)
        if (enough is not None and lower > enough) or (progress is not None and progress(lower, upper)):
            break
    pieces = [*leaves, *(look.piece for *_, look in queue), *(steps.empty_subset_pieces if steps is not None else ())]
    return Partition(max([lower, *(p.bound for p in pieces)]), tuple(pieces))


@dataclass(frozen=True)
class _Look:
    """A subcube with what is known of it; it is split where most is undecided, and `flip` is tried on its halves."""

    piece: Piece
    undecided: Vector
    flip: int | None = None


class _Cubes:
    """The subcubes of a family, without those that hold no member but `subset` itself."""

    def __init__(self, family: Family, subset: Mask) -> None:
        self._everything = (1 << family.n) - 1
        self._family, self._subset = family, subset

    def start(self) -> list[tuple[Mask, Mask]]:
        """The family as one subcube."""
        return self._useful(self._family.keep, self._family.drop)

    def halves(self, inside: Mask, outside: Mask, scores: Vector) -> list[tuple[Mask, Mask]]:
        """The subcube split on an attribute that is free in it, of the largest score."""
        free = members(self._everything & ~(inside | outside))
        split = 1 << max(free, key=lambda i: (scores[i], -i))
        return self._useful(inside | split, outside) + self._useful(inside, outside | split)

    def single(self, inside: Mask, outside: Mask) -> bool:
        """Whether all is decided in a subcube, so that `inside` is its only member."""
        return inside | outside == self._everything

    def _useful(self, inside: Mask, outside: Mask) -> list[tuple[Mask, Mask]]:
        """The subcube with what follows for it decided, or nothing when no rival is in it."""
        if inside.bit_count() == self._family.most:
            outside = self._everything & ~inside
        undecided = self._everything & ~(inside | outside)
        if not inside and undecided.bit_count() == 1:  # the empty subset is no rival
            inside, undecided = undecided, 0
        itself = not undecided and inside == self._subset
        return [] if itself else [(inside, outside)]


class _Steps:
    """Looks for a step from a whole subcube: a flip towards the subset by which no θ of the set loses."""

    def __init__(self, program: CubeProgram, family: Family, subset: Mask) -> None:
        self._program, self._subset, self._n, self._most = program, subset, family.n, family.most
        #: a piece about the empty subset, once a step leads there: it is no member, so no other piece need hold it
        self.empty_subset_pieces: list[Piece] = []

    def look(self, inside: Mask, outside: Mask, flip: int | None) -> _Look | None:
        """The step from a subcube of several, or where to split it; None where no flip is of use.

        A subcube is split where most of what a flip changes is undecided, and its halves are tried by the same flip:
        they are nearer to a step. A flip of which all is decided, and no step, gives way to the next one. No program is
        spent on what the subcube itself gains: that seldom ends it, and never where the subset is among its members.
        """
        differ = (inside & ~self._subset) | (outside & self._subset)
        if not differ:
            loose = self._program.loose_bound(inside, outside)
            return _Look(Piece.of(inside, outside, loose), loose.undecided)
        for i in self._flips(inside, outside, differ, flip):
            lost = self._program.least_bound(inside, outside, i)
            if lost.value <= -tolerances.NUDGE and self._ends_in_a_piece(inside, i):
                return _Look(Piece.of(inside, outside, lost, i), lost.undecided)
            if lost.undecided.any():
                loose = self._program.loose_bound(inside, outside)
                return _Look(Piece.of(inside, outside, loose), lost.undecided, i)
        return None

    def _flips(self, inside: Mask, outside: Mask, differ: Mask, first: int | None) -> list[int]:
        """The attributes in which every y of a subcube differs from the subset, the last first, or after this one."""
        fitting = [i for i in reversed(members(differ)) if self._fits(inside, outside, i)]
        return sorted(fitting, key=lambda i: i != first)

    def _fits(self, inside: Mask, outside: Mask, flip: int) -> bool:
        """Whether no y of the subcube becomes too large."""
        return bool(inside >> flip & 1) or self._n - outside.bit_count() < self._most

    def _ends_in_a_piece(self, inside: Mask, flip: int) -> bool:
        """Whether a piece holds whatever the step leads to; the empty subset, in none, gets a piece of its own."""
        if inside != 1 << flip or self.empty_subset_pieces:
            return True
        everything = (1 << self._n) - 1
        bound = self._program.least_bound(0, everything)
        if bound.value <= -tolerances.NUDGE:
            self.empty_subset_pieces.append(Piece.of(0, everything, bound))
        return bool(self.empty_subset_pieces)
