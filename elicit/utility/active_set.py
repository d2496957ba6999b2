"""The active set of a form: which statements hold it back at its maximum, guessed before the simplex starts.

max g·θ subject to d_r·θ ≥ δ, |θ_S| ≤ 1 has the dual min ‖g + Σ λ_r d_r‖₁ over λ ≥ 0 (but for δ, which is small).
The guess solves that roughly: by least squares, then by iteratively reweighted least squares, which tend to the
1-norm. The statements with λ > 0, and as many monomials whose residual is nearly 0, make a basis that is feasible
for the dual simplex and near its end. A wrong guess costs pivots, never the optimum: single precision is enough, and
leaves more room in the caches, which the simplex has filled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import sgetrf, sgetrs, sposv

from elicit.knowledge.statements import Statement
from elicit.subsets import Mask
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.solver import Indices

#: With fewer statements, or fewer entries (statements times monomials), the pivots saved take no longer than the guess.
FEWEST_STATEMENTS, FEWEST_ENTRIES = 70, 15_000

#: Nor is one made of more statements than so many times the monomials: most forms then have no basis of statements
#: alone, and what is kept grows with the square of the statements.
STATEMENTS_A_MONOMIAL = 2

#: Least squares are solved by exchanging blocks of statements, which may go in circles: so many times at most. Then
#: they are reweighted so many times.
_EXCHANGES, _REWEIGHTINGS = 20, 6

#: The residual of a monomial counts as at least this share of the largest.
_LEAST_RESIDUAL = 1e-2

#: The basis is sought among so many times as many monomials as there are statements in it, and so many more: few
#: statements may depend on each other in three times as many monomials.
_CANDIDATES, _MORE_CANDIDATES = 3, 30

#: A ridge on the diagonal, for rows that depend on each other.
_RIDGE = 1e-5

#: A residual up to this share of the largest coefficient is 0, but for rounding.
_ROUNDED = 1e-5

Short = NDArray[np.float32]


def worth_a_guess(statements: int, monomials: int) -> bool:
    """Whether a program of this size is solved sooner from a guess."""
    large = statements >= FEWEST_STATEMENTS and statements * monomials >= FEWEST_ENTRIES
    return large and statements <= STATEMENTS_A_MONOMIAL * monomials


@dataclass(frozen=True)
class ActiveSet:
    """A basis: the active statements, the monomials strictly between their bounds, and the residual by monomial."""

    statements: Indices
    monomials: Indices
    residual: Vector


class ActiveSetGuesser:
    """Guesses for one set of statements, whose rows have length 1."""

    def __init__(self, rows: Matrix, statements: Sequence[Statement]) -> None:
        self._rows: Short = rows.astype(np.float32)
        self._compared = [(s.better, s.worse) for s in statements]
        self._gram = (rows @ rows.T + _RIDGE * np.eye(len(rows))).astype(np.float32)

    def of(self, gain: Vector) -> ActiveSet | None:
        """The active set of a form, as guessed; None where no basis was found, or nothing holds the form back."""
        short: Short = gain.astype(np.float32)
        active, multipliers = self._least_squares(self._rows @ short)
        if len(active) == 0:
            return None
        kept = _spanning_forest([self._compared[k] for k in active.tolist()], multipliers)
        return self._basis(short, *self._reweighted(short, active[kept], multipliers[kept]))

    def _least_squares(self, projected: Short) -> tuple[Indices, Short]:
        """The statements with λ > 0, and these λ, near the least ‖g + Σ λ_r d_r‖₂ over λ ≥ 0; projected: the d_r·g.

        Block pivoting: all statements on the wrong side are exchanged at once, a limited number of times.
        """
        inside, everywhere = projected < 0, np.zeros(len(projected), dtype=np.float32)
        for _ in range(_EXCHANGES):
            active = np.flatnonzero(inside)
            if len(active) == 0:
                return active, projected[active]
            multipliers = sposv(self._gram.take(active, 0).take(active, 1), -projected[active])[1]
            everywhere.fill(0.0)
            everywhere[active] = multipliers
            slope = self._gram @ everywhere + projected  # sooner than with the active columns alone, gathered first
            slope[active] = multipliers
            wrong = slope < 0
            if not wrong.any():
                break
            inside = inside ^ wrong
        counts = multipliers > 0
        return active[counts], multipliers[counts]

    def _reweighted(self, gain: Short, active: Indices, multipliers: Short) -> tuple[Indices, Short]:
        """Those of the statements that stay active for the 1-norm, and the absolute residual then.

        Σ x² / |x| is Σ |x|, so each time the |x| of before are the weights. A statement with λ ≤ 0 leaves for good.
        """
        rows = self._rows[active]
        residual = np.abs(gain + multipliers @ rows)
        least = np.float32(_LEAST_RESIDUAL) * residual.max()
        for _ in range(_REWEIGHTINGS):
            root = np.sqrt(np.maximum(residual, least))
            weighted = rows / root  # times its own transpose, of which half is computed
            _, multipliers, dependent = sposv(weighted @ weighted.T, weighted @ (gain / -root))
            counts = multipliers > 0
            if dependent or not counts.any():
                break
            if not counts.all():  # mostly all do, and rows take long to copy
                active, rows, multipliers = active[counts], rows[counts], multipliers[counts]
            residual = np.abs(gain + multipliers @ rows)
        return active, np.maximum(residual, least)

    def _basis(self, gain: Short, active: Indices, residual: Short) -> ActiveSet | None:
        """As many monomials of small residual as statements, without those whose λ would be negative.

        There is none with more statements than monomials.
        """
        if len(active) > len(gain):
            return None
        count = min(_CANDIDATES * len(active) + _MORE_CANDIDATES, len(gain))
        candidates = np.argpartition(residual, count - 1)[:count]
        while len(active):
            rows = self._rows[active]
            # divided by its residual a monomial is the larger, and the sooner a pivot, the smaller that is
            lu, pivots, singular = sgetrf((rows[:, candidates] / residual[candidates]).T)
            if singular:
                return None
            candidates = _pivoted(candidates, pivots[: len(active)].tolist())
            multipliers = sgetrs(lu[: len(active)], np.arange(len(active)), -gain[candidates] / residual[candidates])[0]
            negative = multipliers < 0
            if not negative.any():
                left = (gain + multipliers @ rows).astype(np.float64)
                rounded = np.abs(left) <= _ROUNDED * np.abs(gain).max()
                return ActiveSet(active, candidates, np.where(rounded, 0.0, left))
            active = active[~negative]
        return None


def _pivoted(rows: Indices, pivots: Sequence[int]) -> Indices:
    """The rows that became pivots, as LAPACK tells its exchanges."""
    order = rows.copy()
    for place, other in enumerate(pivots):
        order[place], order[other] = order[other], order[place]
    return order[: len(pivots)]


def _spanning_forest(ends: Sequence[tuple[Mask, Mask]], multipliers: Short) -> list[int]:
    """Indices of statements that close no cycle, large multipliers first (Kruskal); rows of a cycle are dependent."""
    parent: dict[Mask, Mask] = {}

    def root(mask: Mask) -> Mask:
        while (up := parent.setdefault(mask, mask)) != mask:
            mask = up
        return mask

    kept = []
    for k in np.argsort(-multipliers, kind="stable").tolist():
        better, worse = (root(end) for end in ends[k])
        if better != worse:
            parent[better] = worse
            kept.append(k)
    return sorted(kept)
