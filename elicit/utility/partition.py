"""Branch and bound over a family of subsets, and the proof that it leaves behind.

On the subcube of all y that hold `inside` and lack `outside`, the entry φ(y)_S of a monomial is known
or may be 0 or 1. Any multipliers λ bound f(y) − f(x) on the whole subcube:
  slice  −δ Σ_strict λ + Σ_S |φ(y) − φ(x) + Dᵀλ|_S,                                  worst φ(y)_S allowed
  Θ_τ    B · max(max_S |φ(y) − φ(x) + Dᵀλ|_S / w_|S|, max_r |λ_r|/(C c_r)) − Σ_strict λ
The best multipliers are the solution of a linear program; where its bound is too large the subcube is split. The
leaves, each with its multipliers, cover the family: that is a certificate.

Where it is only asked whether the subset is optimal, a subcube may also be left by a step: multipliers that
bound f(y) − f(z) by 0, z being y with one attribute flipped to what it is in the subset. Then y gains no more
than z, which is nearer, and so on to the subset. What attributes do apart is thus proven apart: n pieces
instead of 2^n for a utility without interactions.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from elicit.subsets import Family, Mask, indicator, members
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.cubes import MOST_CUBES
from elicit.utility.exact import ExactSet
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.sets import equalities, required_margins, statement_rows
from elicit.utility.solver import INFINITY, Program, Watch


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
    program = CubeProgram(utilities, subset)
    steps = _Steps(program, family, subset) if by_steps else None
    attempts = {2**k for k in range(20)}  # an attempt costs some programs, so ever more rarely
    leaves: list[Piece] = []
    queue: list[tuple[float, int, Piece, Vector, int | None]] = []

    def push(inside: Mask, outside: Mask, flip: int | None = None) -> None:
        several = cubes.single(inside, outside) is None
        step = steps.step_from(inside, outside, flip) if steps is not None and several else None
        if step is not None and step.proven:  # nothing else need be known of this subcube
            piece, branching_scores, flip = step.piece, step.branching_scores, None
        else:
            bound, multipliers, branching_scores = program.least_bound(inside, outside)
            piece = Piece(inside, outside, multipliers, bound)
            branching_scores, flip = (branching_scores, None) if step is None else step.split(bound, branching_scores)
        heapq.heappush(queue, (-piece.bound, len(leaves) + program.solved, piece, branching_scores, flip))

    for cube in cubes.start():
        push(*cube)
    while queue and program.solved < most_cubes:
        _, _, piece, branching_scores, flip = heapq.heappop(queue)
        only_member = cubes.single(piece.inside, piece.outside)
        # a subcube needs a hair to spare, so that rounding its multipliers does not lose the proof
        if piece.bound <= lower + (tolerances.DECISION / 2 if only_member is not None else -tolerances.NUDGE):
            leaves.append(piece)
            continue
        if attempt is not None and (only_member is not None or len(leaves) + len(queue) in attempts):
            lower = max(lower, attempt(piece.inside))
        if only_member is not None:
            lower = max(lower, piece.bound)  # one subset: the bound is what it gains
            leaves.append(piece)
        else:
            for half in cubes.halves(piece.inside, piece.outside, branching_scores):
                push(*half, flip)
        upper = max(lower, -queue[0][0] if queue else lower)
        if (enough is not None and lower > enough) or (progress is not None and progress(lower, upper)):
            break
    pieces = [*leaves, *(entry[2] for entry in queue), *(steps.empty_subset_pieces if steps is not None else ())]
    return Partition(max([lower, *(p.bound for p in pieces)]), tuple(pieces))


class _Cubes:
    """The subcubes of a family, without those that hold no member but `subset` itself."""

    def __init__(self, family: Family, subset: Mask) -> None:
        self._everything = (1 << family.n) - 1
        self._family, self._subset = family, subset

    def start(self) -> list[tuple[Mask, Mask]]:
        """The family as one subcube."""
        return self._useful(self._family.keep, self._family.drop)

    def halves(self, inside: Mask, outside: Mask, branching_scores: Vector) -> list[tuple[Mask, Mask]]:
        """The subcube split on the undecided attribute of the largest branching score."""
        undecided = members(self._everything & ~(inside | outside))
        split = 1 << max(undecided, key=lambda i: (branching_scores[i], -i))
        return self._useful(inside | split, outside) + self._useful(inside, outside | split)

    def single(self, inside: Mask, outside: Mask) -> Mask | None:
        """The only member of a subcube, None when there are more."""
        return inside if inside | outside == self._everything else None

    def _useful(self, inside: Mask, outside: Mask) -> list[tuple[Mask, Mask]]:
        """The subcube with what follows for it decided, or nothing when no rival is in it."""
        if inside.bit_count() == self._family.most:
            outside = self._everything & ~inside
        undecided = self._everything & ~(inside | outside)
        if not inside and undecided.bit_count() == 1:  # the empty subset is no rival
            inside, undecided = undecided, 0
        itself = not undecided and inside == self._subset
        return [] if itself else [(inside, outside)]


@dataclass(frozen=True)
class _Step:
    """A flip from every y of a subcube, what is lost by it at most, and whether that proves a step."""

    piece: Piece
    branching_scores: Vector
    proven: bool

    def split(self, bound: float, branching_scores: Vector) -> tuple[Vector, int | None]:
        """Where there is no step: the scores to split the subcube by, and the flip to try on its halves.

        bound, branching_scores: of the subcube itself.
        """
        if self.piece.bound > bound:
            return branching_scores, self.piece.flip
        return (self.branching_scores, self.piece.flip) if self.branching_scores.any() else (branching_scores, None)


class _Steps:
    """Looks for a step from a whole subcube: a flip towards the subset by which no θ of the set loses."""

    def __init__(self, program: CubeProgram, family: Family, subset: Mask) -> None:
        self._program, self._subset, self._n, self._most = program, subset, family.n, family.most
        #: a piece about the empty subset, once a step leads there: it is no member, so no other piece need hold it
        self.empty_subset_pieces: list[Piece] = []

    def step_from(self, inside: Mask, outside: Mask, flip: int | None) -> _Step | None:
        """The step from this subcube that is worth a look, proven or not; None where there is none.

        Only one flip is tried, the same as in the subcube that this is a half of: a split by the scores of a flip
        brings its halves nearer to a step.
        """
        flip = self._first_flip(inside, outside) if flip is None else flip
        if flip is None:
            return None
        bound, multipliers, branching_scores = self._program.least_bound(inside, outside, flip)
        proven = bound <= -tolerances.NUDGE and self._ends_in_a_piece(inside, flip)
        return _Step(Piece(inside, outside, multipliers, bound, flip), branching_scores, proven)

    def _first_flip(self, inside: Mask, outside: Mask) -> int | None:
        """A decided attribute in which every y of a subcube differs from the subset, the last; None without any."""
        differ = (inside & ~self._subset) | (outside & self._subset)
        return next((i for i in reversed(members(differ)) if self._fits(inside, outside, i)), None)

    def _fits(self, inside: Mask, outside: Mask, flip: int) -> bool:
        """Whether no y of the subcube becomes too large."""
        return bool(inside >> flip & 1) or self._n - outside.bit_count() < self._most

    def _ends_in_a_piece(self, inside: Mask, flip: int) -> bool:
        """Whether a piece holds whatever the step leads to; the empty subset, in none, gets a piece of its own."""
        if inside != 1 << flip or self.empty_subset_pieces:
            return True
        everything = (1 << self._n) - 1
        bound, multipliers, _ = self._program.least_bound(0, everything)
        if bound <= -tolerances.NUDGE:
            self.empty_subset_pieces.append(Piece(0, everything, multipliers, bound))
        return bool(self.empty_subset_pieces)


class CubeProgram:
    """min over λ of the bound on a subcube; only row bounds change from one subcube to the next.

    Columns are λ (an equality's may be negative), then what is paid: one e_S ≥ |g + Dᵀλ|_S for each
    monomial in the slice, the single σ with σ w_S ≥ |g + Dᵀλ|_S and σ C c_r ≥ |λ_r| in Θ_τ.
    """

    def __init__(self, utilities: AnySet, subset: Mask) -> None:
        self._set = utilities
        self.monomials = utilities.monomials
        self._phi_x = self.monomials.row(subset)
        d = statement_rows(self.monomials, utilities.statements)
        m, p = d.shape
        self._count, self._d = m, d
        strict = self._strict = required_margins(utilities.statements)
        equal = equalities(utilities.statements)
        paid: Matrix
        if isinstance(utilities, ExactSet):
            paid, cost, gain = np.eye(p), np.ones(p), utilities.delta * strict
            extra: Matrix = np.zeros((0, m + p))
        else:
            w = self._weights = utilities.settings.weights_of(self.monomials)
            paid, cost, gain = w[:, None], np.array([utilities.budget]), strict
            limits = utilities.limits[:, None]
            extra = np.vstack([np.hstack([np.eye(m), -limits]), np.hstack([-np.eye(m), -limits])[equal]]).reshape(
                -1, m + 1
            )
        self._p = p
        above, below = np.hstack([d.T, -paid]), np.hstack([d.T, paid])
        self._program = Program(
            np.vstack([above, below, extra]),
            cost=np.concatenate([-gain, cost]),
            lower=np.concatenate([np.where(equal, -INFINITY, 0.0), np.zeros(len(cost))]),
            upper=np.full(m + len(cost), INFINITY),
            row_lower=np.full(2 * p + len(extra), -INFINITY),
            row_upper=np.concatenate([np.full(2 * p, INFINITY), np.zeros(len(extra))]),
        )
        self._equal, self._used = equal, np.ones(m, dtype=np.bool_)

    @property
    def solved(self) -> int:
        """How many programs were solved."""
        return self._program.solved

    def restrict_to(self, chosen: Collection[int]) -> None:
        """Leave only the chosen statements a multiplier: bounds are then what they alone prove, at the same B or δ."""
        for r in range(self._count):
            if (r in chosen) != self._used[r]:
                self._used[r] = r in chosen
                most = INFINITY if self._used[r] else 0.0
                self._program.change_bounds(r, -most if self._equal[r] else 0.0, most)

    def least_bound(
        self, inside: Mask, outside: Mask, flip: int | None = None
    ) -> tuple[float, tuple[float, ...], Vector]:
        """The least bound on a subcube, its multipliers, and the branching score of each attribute.

        The bound is on what y gains on the subset; with `flip`, on y itself with this attribute flipped. The score
        is the sum of the duals of the monomials with the attribute that are not decided yet.
        """
        low, high = self._gains(inside, outside, flip)
        loose = np.full(self._p, INFINITY)
        self._program.change_rows(np.concatenate([-loose, -low]), np.concatenate([-high, loose]))
        solution = self._program.optimum()
        multipliers = solution.values[: self._count]
        bound = self._bound(multipliers, low, high)
        duals = np.abs(solution.duals[: self._p]) + np.abs(solution.duals[self._p : 2 * self._p])
        branching_scores = self.monomials.by_attribute(duals * (high != low))
        return bound, tuple(multipliers.tolist()), branching_scores

    def _bound(self, multipliers: Vector, low: Vector, high: Vector) -> float:
        """What the multipliers prove, computed from them: the solver's own value may be 1e-7 off."""
        combined = multipliers @ self._d
        rest = np.maximum(np.abs(combined + low), np.abs(combined + high))
        if isinstance(self._set, ExactSet):
            return float(rest.sum() - self._set.delta * (multipliers @ self._strict))
        share = max(
            float((rest / self._weights).max(initial=0.0)),
            float((np.abs(multipliers) / self._set.limits).max(initial=0.0)),
        )
        return self._set.budget * share - float(multipliers @ self._strict)

    def _gains(self, inside: Mask, outside: Mask, flip: int | None) -> tuple[Vector, Vector]:
        """The least and the largest value of each entry of φ(y) − φ(x) on the subcube, x as in `least_bound`."""
        if flip is None:
            low, high = self._entries(inside, outside)
            return low - self._phi_x, high - self._phi_x
        chosen = 1 << flip
        low, high = self._entries(inside | chosen, outside & ~chosen)
        holding = (self.monomials.held == flip).any(axis=1)  # nothing else changes
        low, high = low * holding, high * holding
        return (low, high) if inside & chosen else (-high, -low)

    def _entries(self, inside: Mask, outside: Mask) -> tuple[Vector, Vector]:
        """The least and the largest value that φ(y)_S may have on the subcube."""
        chosen, lacked = indicator([inside, outside], self._set.n)
        held = self.monomials.held
        return chosen[held].all(axis=1) * 1.0, ~lacked[held].any(axis=1) * 1.0
