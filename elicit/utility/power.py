"""Power indices: one number an attribute, saying how much it adds to the subsets it joins.

For one θ the mean marginal has a closed form (`Utility.power`, `KernelUtility.power`). The other index
of the source looks at the whole set of utilities: Σ_v [min_θ f(v∪i) − max_θ f(v)] over sampled v.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import numpy as np

from elicit.errors import InputError
from elicit.subsets import Mask, masks_from
from elicit.utility.any_set import AnySet
from elicit.utility.exact import ExactSet
from elicit.utility.kernel import KernelUtility, Pair, least_norm
from elicit.utility.monomials import Utility, Vector
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.sets import difference


def standardised(index: Vector) -> Vector:
    """The index with mean 0 and spread 1; all zero when it does not tell attributes apart."""
    spread = float(index.std())
    if spread <= 1e-12 * max(1.0, float(np.abs(index).max(initial=0.0))):
        return np.zeros_like(index)
    scaled: Vector = (index - index.mean()) / spread
    return scaled


#: The θ_k by name: of largest margin, of least L1 cost, of least L2 norm, and an average over the set.
THETAS = ("max-margin", "L1", "L2", "mean")


def chosen_theta(
    name: str, utilities: AnySet, pairs: Sequence[Pair] = (), margins: Vector | None = None
) -> Utility | KernelUtility:
    """θ_k by name, for the statements of a set; always a function of the statements alone.

    `pairs` are those expected to interact, and `margins` what statements demand instead of 1; only the least L2 norm
    knows of either. A support that the set was given binds the others; the L2 norm goes by a kernel, which knows none.
    """
    if name not in THETAS:
        raise InputError(f"theta is one of {', '.join(THETAS)}; found {name!r}")
    n, evaluated, statements = utilities.n, utilities.evaluated, utilities.statements
    settings = utilities.settings if isinstance(utilities, ParsimoniousSet) else Parsimony(degree=utilities.degree)
    if name == "L2":
        return least_norm(n, statements, degree=settings.degree, slack=settings.slack, pairs=pairs, margins=margins)
    if name == "L1" and isinstance(utilities, ParsimoniousSet):
        return utilities.simplest.theta
    # which of several best θ a set gives may depend on what was asked of it before, so the others take a fresh one
    if name == "L1" or (name == "mean" and isinstance(utilities, ParsimoniousSet)):
        fresh = ParsimoniousSet(n, evaluated, statements, settings, support=utilities.support)
        return mean_theta(fresh) if name == "mean" else fresh.simplest.theta
    slice_ = ExactSet(n, evaluated, statements, degree=settings.degree, support=utilities.support)
    return mean_theta(slice_) if name == "mean" else slice_.roomiest


def mean_theta(utilities: AnySet) -> Utility:
    """The mean of those θ of a set by which the power of an attribute is largest or least; 0 where it decides nothing.

    For degree 2 the power u_i + ½ Σ_j u_ij is ½ [f(i) + f(A) − f(A without i)]; for degree 3 this is what i adds, on
    the average of joining first and last. Two programs an attribute.
    """
    n = utilities.n
    if not utilities.informative or utilities.empty:
        return Utility(n, {})
    everything, total = (1 << n) - 1, defaultdict[Mask, float](float)
    for i in range(n):
        last = difference(everything, without) if (without := everything & ~(1 << i)) else {everything: 1.0}
        for sign in (0.5, -0.5):
            form = defaultdict[Mask, float](float, {x: sign * c for x, c in last.items()})
            form[1 << i] += sign
            for term, value in utilities.maximum(form).witness.theta.items():
                total[term] += value / (2 * n)
    return Utility(n, total)


def gap_index(utilities: AnySet, sampled: Sequence[Mask], *, joint: bool = False) -> Vector:
    """Mean over sampled v of min_θ f(v∪i) − max_θ f(v \\ i), or of min_θ [f(v∪i) − f(v \\ i)] when `joint`.

    The same v serve every attribute, each with and without it. Where v \\ i is empty, f is 0 there.
    """
    if not sampled:
        raise InputError("the index over a set of utilities needs sampled subsets, none was given")

    @cache
    def smallest(mask: Mask) -> float:
        return -utilities.maximum({mask: -1.0}).value

    @cache
    def largest(mask: Mask) -> float:
        return utilities.maximum({mask: 1.0}).value if mask else 0.0

    index = np.zeros(utilities.n)
    for v in sampled:
        for i in range(utilities.n):
            with_i, without = v | 1 << i, v & ~(1 << i)
            if joint:
                form = {with_i: -1.0, without: 1.0} if without else {with_i: -1.0}
                index[i] += -utilities.maximum(form).value
            else:
                index[i] += smallest(with_i) - largest(without)
    return index / len(sampled)


def sample_subsets(n: int, count: int, rng: np.random.Generator) -> list[Mask]:
    """`count` subsets drawn uniformly, the empty one included."""
    return masks_from(rng.random((count, n)) < 0.5)
