"""Where a form leans: which statements hold it back at its maximum, guessed before the simplex starts.

max g·θ subject to d_r·θ ≥ δ, |θ_S| ≤ 1 has the dual min ‖g + Σ λ_r d_r‖₁ over λ ≥ 0 (but for δ, which is small).
The guess solves that roughly: by least squares, then by least squares reweighted towards absolute values. The
statements with λ > 0, and as many monomials where hardly anything remains, make a basis that is feasible for the
dual simplex and near its end. A wrong guess costs pivots, never the optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dgeqp3, dgesv, dposv

from elicit.knowledge.statements import Statement
from elicit.subsets import Mask
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.solver import Indices

#: With fewer entries than this (statements times monomials) the pivots saved take no longer than the guess.
WORTH_A_GUESS = 30_000

#: Nor with more statements than so many times the monomials: most forms then have no basis of statements alone, and
#: what is kept grows with the square of the statements.
STATEMENTS_A_MONOMIAL = 2

#: Least squares are solved by exchanging blocks of statements, which may go in circles: so many times at most. Then
#: they are reweighted so many times.
_EXCHANGES, _REWEIGHTED = 20, 4

#: What remains in a monomial counts as at least this share of the most that does.
_LEAST = 1e-2

#: The basis is sought among so many times as many monomials as there are statements in it, and so many more: few
#: statements may depend on each other in three times as many monomials.
_AMONG, _MORE = 3, 30

#: Rows that depend on each other are told apart by so much of the diagonal.
_RIDGE = 1e-6


@dataclass(frozen=True)
class Lean:
    """A basis: the statements that hold back, the monomials that give way, and what remains of the form by monomial."""

    statements: Indices
    monomials: Indices
    remaining: Vector


class Leaning:
    """Guesses for one set of statements, whose rows have length 1."""

    def __init__(self, rows: Matrix, statements: Sequence[Statement]) -> None:
        self._rows = rows
        self._ends = [(s.better, s.worse) for s in statements]
        self._alike = rows @ rows.T + _RIDGE * np.eye(len(rows))

    def of(self, gain: Vector) -> Lean | None:
        """How a form leans; None where no basis was found, or nothing holds it back."""
        held, multipliers = self._least_squares(self._rows @ gain)
        if len(held) == 0:
            return None
        kept = _without_circles([self._ends[k] for k in held.tolist()], multipliers)
        return self._basis(gain, *self._reweighted(gain, held[kept], multipliers[kept]))

    def _least_squares(self, pull: Vector) -> tuple[Indices, Vector]:
        """The statements with λ > 0 and these λ, about where ‖g + Σ λ_r d_r‖₂ is least; pull holds the d_r·g.

        All that is on the wrong side is exchanged at once; it may be stopped while some still is.
        """
        inside = pull < 0
        for _ in range(_EXCHANGES):
            held = np.flatnonzero(inside)
            if len(held) == 0:
                return held, pull[held]
            multipliers = dposv(self._alike[held[:, None], held], -pull[held])[1]
            slope = self._alike[:, held] @ multipliers + pull
            slope[held] = multipliers
            wrong = slope < 0
            if not wrong.any():
                break
            inside = inside ^ wrong
        counts = multipliers > 0
        return held[counts], multipliers[counts]

    def _reweighted(self, gain: Vector, held: Indices, multipliers: Vector) -> tuple[Indices, Vector]:
        """Of these statements those that hold back by absolute values, and how much remains of the form then.

        Σ x² / |x| is Σ |x|: each time with the |x| of before as weights. A statement that would push leaves for good.
        """
        left = np.abs(gain + multipliers @ self._rows[held])
        least = _LEAST * float(left.max())
        for _ in range(_REWEIGHTED):
            rows = self._rows[held]
            weighted = rows / np.maximum(left, least)
            _, multipliers, dependent = dposv(weighted @ rows.T, -weighted @ gain)
            counts = multipliers > 0
            if dependent or not counts.any():
                break
            held = held[counts]
            left = np.abs(gain + multipliers[counts] @ rows[counts])
        return held, np.maximum(left, least)

    def _basis(self, gain: Vector, held: Indices, left: Vector) -> Lean | None:
        """As many monomials as statements, where least remains; without the statements that would push.

        Of more statements than there are monomials none is made.
        """
        if len(held) > len(gain):
            return None
        among = np.argsort(left)[: _AMONG * len(held) + _MORE]
        while len(held):
            rows = self._rows[held]
            among = among[dgeqp3(rows[:, among] / left[among])[1][: len(held)] - 1]
            _, _, multipliers, singular = dgesv(rows[:, among].T, -gain[among])
            if singular:
                return None
            pushing = multipliers < 0
            if not pushing.any():
                return Lean(held, among, gain + multipliers @ rows)
            held = held[~pushing]
        return None


def _without_circles(ends: Sequence[tuple[Mask, Mask]], multipliers: Vector) -> list[int]:
    """The places of statements that close no circle, large multipliers first: rows in a circle depend on each other."""
    above: dict[Mask, Mask] = {}

    def root(mask: Mask) -> Mask:
        while (up := above.setdefault(mask, mask)) != mask:
            mask = up
        return mask

    kept = []
    for k in np.argsort(-multipliers, kind="stable").tolist():
        better, worse = (root(end) for end in ends[k])
        if better != worse:
            above[better] = worse
            kept.append(k)
    return sorted(kept)
