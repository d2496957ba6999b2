"""Solutions polished for certificates: a θ in the interior of the set, and sparse multipliers.

A program's own θ is a vertex, on the boundary of the set, where rounding may lose it, and its multipliers name more
causes than are needed. Each is solved for once more, by a fresh program, so that the same question always gives the
same answer.
"""

from __future__ import annotations

import numpy as np

from elicit.subsets import Mask
from elicit.utility import tolerances
from elicit.utility.any_set import AnySet
from elicit.utility.exact import ExactSet, row_bounds
from elicit.utility.monomials import Utility
from elicit.utility.sets import equalities, required_margins, statement_rows
from elicit.utility.solver import INFINITY, Program

#: What a θ of the slice should have to spare before it is rounded: more than the solver's tolerance.
SPARE = 1e-5


def interior_witness(utilities: ExactSet, subset: Mask) -> Utility:
    """A θ of the slice that ranks the subset first with something to spare, so that rounding does not lose it.

    max t + u subject to f(subset) ≥ f(x) + t for every other evaluated x, and margins of at least δ + u,
    where t, u ≤ SPARE: a tie leaves no t, and still some u. From a fresh program.
    """
    others = [x for x in utilities.evaluated if x != subset]
    ahead = utilities.monomials.row(subset) - utilities.monomials.rows(others)
    d = statement_rows(utilities.monomials, utilities.rows)
    lead = np.repeat([[-1.0, 0.0], [0.0, -1.0]], [len(others), len(d)], axis=0)
    lead[len(others) :, 1] *= [s.strict for s in utilities.rows]
    lower, upper = row_bounds(utilities.rows, utilities.delta)
    p = len(utilities.monomials)
    program = Program(
        np.hstack([np.vstack([ahead, d]), lead]),
        cost=np.append(np.zeros(p), [-1.0, -1.0]),
        lower=np.append(-np.ones(p), [-1.0, 0.0]),
        upper=np.append(np.ones(p), [SPARE, SPARE]),
        row_lower=np.concatenate([np.zeros(len(others)), lower]),
        row_upper=np.concatenate([np.full(len(others), INFINITY), upper]),
    )
    return Utility.of(utilities.monomials, program.optimum().values[:-2])


def sparse_multipliers(utilities: AnySet, y: Mask, subset: Mask, value: float) -> tuple[float, ...] | None:
    """Multipliers of least sum that still prove half of what can be proven: few causes instead of many.

    `value` is the least bound on f(y) − f(subset); None where it is not below 0. With g = φ(y) − φ(subset):
      min Σ |λ_r|, λ_r ≥ 0 (of either sign for an equality), subject to
      slice  |g + Dᵀλ|_S ≤ t_S                                  and  Σ_S t_S − δ Σ_strict λ ≤ value / 2
      Θ_τ    |g + Dᵀλ|_S ≤ σ w_|S|, |λ_r| ≤ σ C c_r             and  B σ − Σ_strict λ ≤ value / 2
    Columns are the λ, then the t or σ.
    """
    if value > -tolerances.DECISION:
        return None
    monomials = utilities.monomials
    every = np.vstack([statement_rows(monomials, utilities.statements), monomials.row(y) - monomials.row(subset)])
    # monomials that neither a statement nor the pair tells apart make one row: of hundreds of attributes most are such
    as_bytes = np.ascontiguousarray(every.T.astype(np.int8)).view(np.dtype((np.void, len(every)))).ravel()
    _, first, kind, times = np.unique(as_bytes, return_index=True, return_inverse=True, return_counts=True)
    d, gain = every[:-1, first], every[-1, first]
    m, p = d.shape
    strict = required_margins(utilities.statements)
    equal = equalities(utilities.statements)
    # an equality's multiplier is split in two, so that the sum counts its size
    split = np.vstack([d, -d[equal]])
    count = len(split)
    if isinstance(utilities, ExactSet):
        paid, cost, promised = np.eye(p), times.astype(np.float64), utilities.delta * strict
        kept = np.zeros((0, count + p))
    else:
        w = np.full(p, INFINITY)
        np.minimum.at(w, kind, utilities.settings.weights_of(monomials))
        paid, cost, promised = w[:, None], np.array([utilities.budget]), strict
        limits = np.concatenate([utilities.limits, utilities.limits[equal]])
        kept = np.hstack([np.eye(count), -limits[:, None]])
    promised = np.concatenate([promised, np.zeros(int(equal.sum()))])
    program = Program(
        np.vstack(
            [
                np.hstack([split.T, -paid]),
                np.hstack([split.T, paid]),
                kept,
                np.concatenate([-promised, cost])[None, :],
            ]
        ),
        cost=np.concatenate([np.ones(count), np.zeros(len(cost))]),
        lower=np.zeros(count + len(cost)),
        upper=np.full(count + len(cost), INFINITY),
        row_lower=np.concatenate([np.full(p, -INFINITY), -gain, np.full(len(kept) + 1, -INFINITY)]),
        row_upper=np.concatenate([-gain, np.full(p, INFINITY), np.zeros(len(kept)), [value / 2]]),
    )
    solution = program.optimum()
    multipliers = solution.values[:m]
    multipliers[equal] -= solution.values[m:count]
    return tuple(multipliers.tolist())
