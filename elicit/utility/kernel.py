"""The utility of least L2 norm by a kernel, without a list of its monomials.

With the norm ½ Σ ω_|S| θ_S² and slacks as in the parsimonious set, the best θ is a combination of
the statements, θ_S = Σ_r α_r d_rS / ω_|S|, and everything it says follows from
K(v, w) = Σ_j C(|v∩w|, j) / ω_j. Cost grows with the cube of the subsets that statements name, or of the
statements where these are not many more, and not with n.

Pairs that are expected to interact may be named beforehand; they are as easy to believe in as single
attributes: ω_1 instead of ω_2. All other pairs stay possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.special import comb

from elicit.errors import InputError, SolverError
from elicit.knowledge.statements import Statement
from elicit.subsets import Indicator, Mask, indicator
from elicit.utility.interior import longest_step
from elicit.utility.monomials import Matrix, Vector, check_degree, index_divisor
from elicit.utility.sets import check_statements, equalities, required_margins

#: ω_j: pairs are half as easy to believe in as single attributes, triples a quarter.
NORM_WEIGHTS = (1.0, 2.0, 4.0)

#: The interior point method has converged when complementarity and residual are below `CONVERGED`. The values of the
#: utility are then off by about the root of it, so it goes on to `OPTIMALITY` while rounding lets it: those of subsets
#: that are equal must not differ by what decides.
CONVERGED, OPTIMALITY = 1e-9, 1e-15
MOST_STEPS = 100

#: Ridges on the diagonal, as shares of the largest entry, in the order in which they are tried.
RIDGES = (1e-11, 1e-13, 1e-15)

#: With more than so many statements for each subset that they name, the Gram matrix is kept by its factors among the
#: subsets; with very many statements, already with more than one for each.
LOW_RANK_RATIO, VERY_MANY = 3, 2000

Ints = NDArray[np.int64]


def kernel(left: Indicator, right: Indicator, omega: Sequence[float]) -> Matrix:
    """K(v, w) = Σ_j C(|v∩w|, j) / ω_j for every row of `left` (a, n) and `right` (b, n): shape (a, b)."""
    common = left.astype(np.float64) @ right.T.astype(np.float64)
    total = np.zeros_like(common)
    for j, weight in enumerate(omega, start=1):
        total += comb(common, j) / weight
    return total


#: Positions i < j of two attributes.
Pair = tuple[int, int]


def pair_indicators(inside: Indicator, pairs: Sequence[Pair]) -> Matrix:
    """1 where a subset, a row of (a, n), holds both of a pair, else 0: shape (a, len(pairs))."""
    held = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return (inside[:, held[:, 0]] & inside[:, held[:, 1]]).astype(np.float64)


@dataclass(frozen=True)
class KernelUtility:
    """f(v) = Σ_x β_x K(v, x): a θ given by one coefficient β for each subset that a statement names.

    `pairs` are those expected to interact: each adds [both in v][both in x] (1/ω_1 − 1/ω_2) to K(v, x).
    """

    n: int
    subsets: tuple[Mask, ...]
    beta: Vector
    omega: tuple[float, ...]
    pairs: tuple[Pair, ...] = ()

    @cached_property
    def _inside(self) -> Indicator:
        return indicator(self.subsets, self.n)

    def values(self, masks: Sequence[Mask]) -> Vector:
        """f of every mask."""
        if not self.subsets:
            return np.zeros(len(masks))
        inside = indicator(masks, self.n)
        values: Vector = kernel(inside, self._inside, self.omega) @ self.beta
        if self.pairs:
            values += pair_indicators(inside, self.pairs) @ self._pair_extra
        return values

    @cached_property
    def _pair_extra(self) -> Vector:
        """What each expected pair has in θ beyond what it would have unexpected."""
        holds_both = pair_indicators(self._inside, self.pairs)
        extra: Vector = (1 / self.omega[0] - 1 / self.omega[1]) * (holds_both.T @ self.beta)
        return extra

    def __call__(self, mask: Mask) -> float:
        return float(self.values([mask])[0])

    def power(self, kind: str = "shapley") -> Vector:
        """p(i) = Σ_x β_x z_i(x), z_i(v) = [i∈v] Σ_j C(|v|−1, j−1) / (q_j ω_j)."""
        if not self.subsets:
            return np.zeros(self.n)
        sizes = self._inside.sum(axis=1)
        z = np.zeros(len(sizes))
        for j, weight in enumerate(self.omega, start=1):
            z += comb(sizes - 1, j - 1) / (index_divisor(j, kind) * weight)
        index: Vector = self._inside.T.astype(np.float64) @ (self.beta * z)
        if self.pairs:
            np.add.at(index, np.array(self.pairs), self._pair_extra[:, None] / index_divisor(2, kind))
        return index

    def interactions(self) -> Matrix:
        """u_ij, symmetric, shape (n, n); the diagonal holds u_i."""
        inside = self._inside.astype(np.float64)
        table: Matrix = inside.T @ (self.beta[:, None] * inside)
        singles = np.diag(table) / self.omega[0]
        table = table / self.omega[1] if len(self.omega) > 1 else np.zeros_like(table)
        for (i, j), extra in zip(self.pairs, self._pair_extra.tolist() if self.pairs else (), strict=True):
            table[[i, j], [j, i]] += extra
        np.fill_diagonal(table, singles)
        return table


def least_norm(
    n: int,
    statements: Sequence[Statement],
    *,
    degree: int = 2,
    slack: float = 10.0,
    omega: Sequence[float] = NORM_WEIGHTS,
    pairs: Sequence[Pair] = (),
    margins: Vector | None = None,
) -> KernelUtility:
    """The minimiser of ½ Σ ω_|S| θ_S² + C Σ c_r s_r (C = `slack`) under the statements; `pairs` as above.

    `margins` has a number for each statement, which a strict one demands instead of 1.
    Its dual is max Σ_strict margin α − ½ αᵀGα with 0 ≤ α_r ≤ C c_r (|α_r| ≤ C c_r for an equality), where
    G = D Ω⁻¹ Dᵀ comes from the kernel. The utility is unique even where α is not.
    """
    check_degree(degree, n)
    check_statements(statements, n)
    if not 0 < slack < float("inf"):
        raise InputError(f"the slack weight C must be positive and finite, found {slack}")
    omega, pairs = tuple(omega[:degree]), tuple(pairs)
    if any(not 0 <= i < j < n for i, j in pairs) or (pairs and degree < 2):
        raise InputError(f"pairs are positions i < j among {n} attributes, with a degree of at least 2; found {pairs}")
    subsets = sorted({m for s in statements for m in (s.better, s.worse)})
    if not subsets:
        return KernelUtility(n, (), np.zeros(0), omega, pairs)
    place = {mask: k for k, mask in enumerate(subsets)}
    better = np.array([place[s.better] for s in statements])
    worse = np.array([place[s.worse] for s in statements])
    inside = indicator(subsets, n)
    among = kernel(inside, inside, omega)
    if pairs:
        holds_both = pair_indicators(inside, pairs)
        among += (1 / omega[0] - 1 / omega[1]) * (holds_both @ holds_both.T)
    wanted = required_margins(statements) * (1.0 if margins is None else margins)
    most = slack * np.array([s.weight for s in statements])
    least = np.where(equalities(statements), -most, 0.0)
    alpha = _maximise_in_box(_gram_of(among, better, worse), wanted, least, most)
    beta = np.zeros(len(subsets))
    np.add.at(beta, better, alpha)
    np.add.at(beta, worse, -alpha)
    return KernelUtility(n, tuple(subsets), beta, omega, pairs)


@dataclass(frozen=True)
class _DenseGram:
    """G as one matrix."""

    matrix: Matrix

    @property
    def largest(self) -> float:
        return float(np.abs(self.matrix).max())

    def times(self, x: Vector) -> Vector:
        return np.asarray(self.matrix @ x)

    def solver(self, diagonal: Vector) -> Callable[[Vector], Vector]:
        factor = cho_factor(self.matrix + np.diag(diagonal), check_finite=False)
        return lambda right: np.asarray(cho_solve(factor, right, check_finite=False))


@dataclass(frozen=True)
class _LowRankGram:
    """G = D K Dᵀ, by the kernel K = F Fᵀ among few subsets (F is `root`) and the statements, the rows of D.

    Many equal scores make very many statements, so nothing here is as large as statements times subsets.
    """

    root: Matrix
    better: Ints
    worse: Ints

    @staticmethod
    def of(among: Matrix, better: Ints, worse: Ints) -> _LowRankGram:
        """From the kernel among the subsets."""
        values, vectors = eigh(among, check_finite=False)
        return _LowRankGram(vectors * np.sqrt(np.maximum(values, 0.0)), better, worse)

    @cached_property
    def largest(self) -> float:
        among = self.root @ self.root.T
        own = np.diag(among)
        return float((own[self.better] + own[self.worse] - 2 * among[self.better, self.worse]).max())

    def times(self, x: Vector) -> Vector:
        return self._differences(self.root @ (self.root.T @ self._net_by_subset(x)))

    def _differences(self, values: Vector) -> Vector:
        """D values: by how much each statement's better subset exceeds its worse one."""
        return np.asarray(values[self.better] - values[self.worse])

    def _net_by_subset(self, x: Vector) -> Vector:
        """Dᵀ x: one number for each subset."""
        count = len(self.root)
        gathered = np.bincount(self.better, x, count) - np.bincount(self.worse, x, count)
        return np.asarray(gathered, dtype=np.float64)

    def solver(self, diagonal: Vector) -> Callable[[Vector], Vector]:
        """By Woodbury's identity, with one step of iterative refinement."""
        count, weight = len(self.root), 1.0 / diagonal
        joined = np.bincount(self.better * count + self.worse, weight, count * count).reshape(count, count)
        joined += joined.T
        laplacian = np.diag(joined.sum(axis=1)) - joined  # Dᵀ diag(weight) D
        factor = cho_factor(np.eye(self.root.shape[1]) + self.root.T @ laplacian @ self.root, check_finite=False)

        def once(right: Vector) -> Vector:
            inner = cho_solve(factor, self.root.T @ self._net_by_subset(right * weight), check_finite=False)
            return (right - self._differences(self.root @ inner)) * weight

        def solve(right: Vector) -> Vector:
            found = once(right)
            return found + once(right - diagonal * found - self.times(found))

        return solve


#: A positive semidefinite matrix G: its largest entry, its products, and how to solve (G + diagonal) x = b.
_Gram = _DenseGram | _LowRankGram


def _gram_of(among: Matrix, better: Ints, worse: Ints) -> _Gram:
    """G = D K Dᵀ from the kernel among the subsets, in the form that takes less time with so many statements."""
    if len(better) > (LOW_RANK_RATIO if len(better) <= VERY_MANY else 1) * len(among):
        return _LowRankGram.of(among, better, worse)
    differences_from = among[better] - among[worse]
    return _DenseGram(differences_from[:, better] - differences_from[:, worse])


def _maximise_in_box(gram: _Gram, linear: Vector, lower: Vector, upper: Vector) -> Vector:
    """The maximiser of linear·α − ½ αᵀ gram α over a box.

    A ridge keeps rounding from making a singular gram indefinite. Where statements contradict each other it may also
    keep the method from converging; then a smaller one is tried.
    """
    for ridge in RIDGES:
        with suppress(np.linalg.LinAlgError):  # too small a ridge
            found = _mehrotra(gram, linear, lower, upper, ridge * max(1.0, gram.largest))
            if found is not None:
                return found
    raise SolverError(f"the least-norm utility was not found in {MOST_STEPS} steps")


@dataclass(frozen=True)
class _Point:
    """α, its distances from its bounds, and the multipliers of α ≥ lower (`up`) and α ≤ upper (`down`); also a step.

    The distances are kept, since a difference from a large bound may cancel to nothing.
    """

    alpha: Vector
    above: Vector
    below: Vector
    up: Vector
    down: Vector

    @property
    def gap(self) -> float:
        """The mean complementarity."""
        return float(self.above @ self.up + self.below @ self.down) / (2 * len(self.alpha))

    def moved(self, step: _Point, length: float) -> _Point:
        """The point after a multiple of a step."""
        return _Point(
            self.alpha + length * step.alpha,
            self.above + length * step.above,
            self.below + length * step.below,
            self.up + length * step.up,
            self.down + length * step.down,
        )

    def longest(self, step: _Point) -> float:
        """The largest multiple of a step, up to 1, that keeps everything positive."""
        return longest_step(
            (self.above, step.above), (self.below, step.below), (self.up, step.up), (self.down, step.down)
        )


def _mehrotra(gram: _Gram, linear: Vector, lower: Vector, upper: Vector, ridge: float) -> Vector | None:
    """The same by Mehrotra's interior point method; None where it does not converge.

    Statements are often linearly dependent, so `gram` is singular as a rule; first-order and face
    methods then crawl, while an interior method takes some twenty factorisations.
    """
    middle = 0.5 * (lower + upper)
    slope = linear - gram.times(middle)
    spare = 1.0 + float(np.abs(slope).mean())
    # the multipliers balance the slope from the start, so that only complementarity is left to reach
    up, down = np.maximum(0.0, -slope) + spare, np.maximum(0.0, slope) + spare
    at = _Point(middle, middle - lower, upper - middle, up, down)
    found, least_gap = None, CONVERGED
    for _ in range(MOST_STEPS):
        residual, gap = linear - gram.times(at.alpha) + at.up - at.down, at.gap
        rounding = float(np.finfo(np.float64).eps) * gram.largest * float(np.abs(at.alpha).sum())
        if not gap < least_gap and found is not None:
            break
        if gap < CONVERGED and np.abs(residual).max() < max(CONVERGED, rounding):
            found, least_gap = at.alpha, 0.5 * gap
        if gap < OPTIMALITY and found is not None:
            break
        try:
            solve = gram.solver(at.up / at.above + at.down / at.below + ridge)
        except np.linalg.LinAlgError:
            if found is None:
                raise
            break
        predictor = _step(at, residual, solve, 0.0, 0.0)
        length = at.longest(predictor)
        # the target is the gap that the predictor could reach, cubed; the corrector allows for curvature, but only
        # of the part of the predictor that can be taken: with more, some iterations go round in circles
        target = gap * (at.moved(predictor, length).gap / gap) ** 3
        curved = length * predictor.alpha
        corrector = _step(at, residual, solve, target - curved * predictor.up, target + curved * predictor.down)
        at = at.moved(corrector, 0.995 * at.longest(corrector))
    return found


def _step(
    at: _Point, residual: Vector, solve: Callable[[Vector], Vector], up: Vector | float, down: Vector | float
) -> _Point:
    """Newton's step towards above·at.up = up and below·at.down = down."""
    right = residual + (up / at.above - at.up) - (down / at.below - at.down)
    move = solve(right)
    change_up, change_down = (up - at.up * move) / at.above - at.up, (down + at.down * move) / at.below - at.down
    return _Point(move, move, -move, change_up, change_down)
