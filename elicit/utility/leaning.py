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
from numpy.typing import NDArray
from scipy.linalg.lapack import dgeqp3, dgesv, dposv

from elicit.knowledge.statements import Statement
from elicit.subsets import Mask
from elicit.utility.monomials import Matrix, Vector
from elicit.utility.solver import Places

#: With fewer entries than this (statements times monomials) the pivots saved take no longer than the guess.
WORTH_A_GUESS = 30_000

#: Nor with more statements than so many times the monomials: most forms then have no basis of statements alone, and
#: what is kept grows with the square of the statements.
STATEMENTS_A_MONOMIAL = 2

#: Least squares are solved by exchanging blocks of statements, so many times at most; then they are reweighted so many
#: times, with so many exchanges each; and a basis is cut down so many times at most.
_EXCHANGES, _REWEIGHTED, _AGAIN, _CUTS = 10, 4, 2, 6

#: What remains counts as at least this share of the most that does, and that falls by this factor each time, to _LEAST.
_FIRST, _FALLING, _LEAST = 0.1, 0.3, 1e-3

#: The basis is sought among so many times as many monomials as there are statements in it, and so many more.
_AMONG, _MORE = 3, 30

#: Rows that depend on each other are told apart by so much of the diagonal; multipliers up to this are none.
_RIDGE, _NONE = 1e-6, 1e-9

#: A basis by which multipliers are larger than this is nearly singular.
_WILD = 1e3


@dataclass(frozen=True)
class Lean:
    """A basis: the statements that hold back, the monomials that give way, and what remains of the form by monomial."""

    statements: Places
    monomials: Places
    remaining: Vector


class Leaning:
    """Guesses for one set of statements, whose rows have length 1."""

    def __init__(self, rows: Matrix, statements: Sequence[Statement]) -> None:
        self._rows = rows
        self._ends = [(s.better, s.worse) for s in statements]
        self._alike = rows @ rows.T + _RIDGE * np.eye(len(rows))

    def of(self, gain: Vector) -> Lean | None:
        """How a form leans; None where no basis was found, or nothing holds it back."""
        pull = self._rows @ gain
        found = _nonnegative(self._alike, pull, pull < 0, _EXCHANGES)
        if found is None:
            return None
        held = np.flatnonzero(found > _NONE)
        if len(held) == 0:
            return None
        held, multipliers, left = self._reweighted(gain, held, found[held])
        held = held[_without_circles([self._ends[k] for k in held.tolist()], multipliers)]
        return self._basis(gain, held, left)

    def _reweighted(self, gain: Vector, held: Places, multipliers: Vector) -> tuple[Places, Vector, Vector]:
        """Of these statements those that hold back, how much, and how much remains of the form, by absolute values."""
        rows = self._rows[held]
        left = np.abs(gain + multipliers @ rows)
        most = max(_NONE, float(left.max()))  # nothing remains of a form that statements combine to
        at_least, least = _FIRST * most, _LEAST * most
        inside = np.ones(len(held), dtype=np.bool_)
        for _ in range(_REWEIGHTED):
            weighted = rows / np.maximum(left, at_least)
            alike = weighted @ rows.T
            alike[np.diag_indices(len(held))] *= 1 + _RIDGE
            found = _nonnegative(alike, weighted @ gain, inside, _AGAIN)
            if found is None:
                break
            now = np.abs(gain + found @ rows)
            if now.sum() > left.sum():  # blocks that go in circles
                break
            multipliers, left, inside = found, now, found > 0
            at_least = max(at_least * _FALLING, least)
        counts = multipliers > _NONE
        return held[counts], multipliers[counts], left + least

    def _basis(self, gain: Vector, held: Places, left: Vector) -> Lean | None:
        """As many monomials as statements, where least remains; without the statements that would push.

        Of more statements than there are monomials none is made.
        """
        if len(held) > len(gain):
            return None
        among = np.argsort(left)[: _AMONG * len(held) + _MORE]
        for _ in range(_CUTS):
            if len(held) == 0:
                return None
            rows = self._rows[held]
            among = among[dgeqp3(rows[:, among] / left[among])[1][: len(held)] - 1]
            _, _, multipliers, singular = dgesv(rows[:, among].T, -gain[among])
            if singular or np.abs(multipliers).max() > _WILD:
                return None
            pushing = multipliers < -_NONE
            if not pushing.any():
                return Lean(held, among, gain + multipliers @ rows)
            held = held[~pushing]
        return None


def _nonnegative(alike: Matrix, pull: Vector, inside: NDArray[np.bool_], exchanges: int) -> Vector | None:
    """About the λ ≥ 0 that minimises λ·alike·λ / 2 + pull·λ, by exchanging all that is on the wrong side at once.

    None where rows are too dependent, or nothing is inside. The exchanges may go in circles: then it is where they
    were stopped.
    """
    close = -_NONE * max(1.0, float(np.abs(pull).max()))
    for left in reversed(range(exchanges)):
        held = inside.nonzero()[0]
        if len(held) == 0:
            return None
        _, multipliers, dependent = dposv(alike[held[:, None], held], -pull[held])
        if dependent:
            return None
        if left:
            slope = alike[:, held] @ multipliers + pull
            slope[held] = multipliers
            wrong = slope < close
            if not wrong.any():
                break
            inside = inside ^ wrong
    found = np.zeros(len(pull))
    found[held] = np.maximum(multipliers, 0.0)
    return found


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
