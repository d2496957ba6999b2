"""Laws that draw a subset from a power index, and the draw that visits attributes one by one.

Every draw is a member of the family: kept attributes are in, dropped ones out, and an empty draw is drawn again. One
that is too large keeps those attributes whose random numbers are smallest against their chances (Pareto order
sampling). Among the largest subsets that is near the law of those that were drawn so large, but not the same: who has
little chance stays a little oftener.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy.special import expit

from elicit.errors import InputError
from elicit.subsets import Family, Mask, mask_of
from elicit.utility.any_set import AnySet
from elicit.utility.monomials import Vector
from elicit.utility.power import standardised

#: A draw that stays empty this often falls back on one attribute drawn uniformly.
MOST_REDRAWS = 1000

Law = Callable[[Vector, Family, np.random.Generator], Mask]


def proportional(index: Vector, family: Family, rng: np.random.Generator) -> Mask:
    """P(i) = p(i) / Σ p, negatives as 0, all zero as uniform: one attribute on average."""
    index = _checked_index(index, family)
    positive = np.maximum(index[family.free], 0.0)
    total = positive.sum()
    chance = positive / total if total > 0 else np.full(len(positive), 1.0 / max(1, len(positive)))
    return _bernoulli(chance, family, rng)


def logistic(index: Vector, family: Family, rng: np.random.Generator, temperature: float = 1.0) -> Mask:
    """i is in with probability σ(p(i) / T), p standardised."""
    if not temperature > 0:
        raise InputError(f"the temperature must be positive, found {temperature}")
    index = _checked_index(index, family)
    with np.errstate(over="ignore"):  # at such a temperature every attribute is in, or out
        chance = expit(standardised(index)[family.free] / temperature)
    return _bernoulli(chance, family, rng)


def sized(index: Vector, family: Family, rng: np.random.Generator) -> Mask:
    """A size drawn uniformly, then attributes without replacement with chances proportional to p.

    Negatives count as 0; when too few attributes have a positive p, the others share what is left evenly.
    """
    index = _checked_index(index, family)
    free = np.array(family.free, dtype=np.int64)
    least = 0 if family.keep else 1
    size = int(rng.integers(least, family.room + 1))
    weight = np.maximum(index[free], 0.0)
    # the exponential trick: the smallest of Exp(1)/weight are a sample without replacement
    exponentials = rng.exponential(size=len(free))
    with np.errstate(divide="ignore"):
        arrival = np.where(weight > 0, exponentials / np.where(weight > 0, weight, 1.0), np.inf)
    order = np.lexsort((exponentials, arrival))
    return family.keep | mask_of(free[order[:size]].tolist())


LAWS: dict[str, Law] = {"proportional": proportional, "sized": sized, "logistic": logistic}


def draw(law: str, index: Vector, family: Family, rng: np.random.Generator, temperature: float = 1.0) -> Mask:
    """A subset drawn by the named law."""
    if law == "logistic":
        return logistic(index, family, rng, temperature)
    if law not in LAWS:
        raise InputError(f"a law is one of {', '.join(LAWS)}; found {law!r}")
    return LAWS[law](index, family, rng)


def _checked_index(index: Vector, family: Family) -> Vector:
    index = np.asarray(index, dtype=np.float64)
    if index.shape != (family.n,) or not np.isfinite(index).all():
        raise InputError(f"a power index needs {family.n} finite numbers, found shape {index.shape}")
    return index


def _bernoulli(chance: Vector, family: Family, rng: np.random.Generator) -> Mask:
    """Each free attribute in with its own chance; redrawn while empty, cut to size when too large."""
    free = np.array(family.free, dtype=np.int64)
    if family.room == 0:
        return family.keep
    for _ in range(MOST_REDRAWS):
        u = rng.random(len(free))
        inside = np.flatnonzero(u < chance)
        if len(inside) > family.room:
            inside = inside[_by_odds_ratio(u[inside], chance[inside])[: family.room]]
        mask = family.keep | mask_of(free[inside].tolist())
        if mask:
            return mask
    return family.keep | 1 << int(rng.choice(free))


def _by_odds_ratio(u: Vector, chance: Vector) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The order of those drawn by the odds of u over the odds of the chance: the most clearly drawn first."""
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = (u / (1 - u)) * ((1 - chance) / chance)
    return np.lexsort((u, np.nan_to_num(odds)))


#: The chance with which an attribute joins a subset; each is worked out once, for draws ask the same again and again.
Joining = Callable[[Mask, int], float]


def joining(utilities: AnySet) -> Joining:
    """x joins v with P = clip(hi / (hi − lo), 0, 1).

    lo and hi are the least and the most that f(v∪x) − f(v) may be. When they agree, x joins if it
    gains, stays out if it loses, and a coin decides at 0.
    """

    @cache
    def chance(v: Mask, x: int) -> float:
        joined = v | 1 << x
        form = {joined: 1.0, v: -1.0} if v else {joined: 1.0}
        # the last digits are a solver's noise, and no gain
        most = round(utilities.maximum(form).value, 9)
        least = round(-utilities.maximum({mask: -c for mask, c in form.items()}).value, 9)
        if most <= least:
            return 0.5 if most == 0 else float(most > 0)
        return float(np.clip(most / (most - least), 0.0, 1.0))

    return chance


def joining_as_printed(utilities: AnySet) -> Joining:
    """The source's P(x|v) = min_θ f(v∪x) / max_θ f(v), clipped to [0, 1]; ½ when the denominator is not positive."""

    @cache
    def chance(v: Mask, x: int) -> float:
        # the last digits are a solver's noise, and no worth
        below = round(utilities.maximum({v: 1.0}).value, 9) if v else 0.0
        if below <= 0:
            return 0.5
        least = round(-utilities.maximum({v | 1 << x: -1.0}).value, 9)
        return float(np.clip(least / below, 0.0, 1.0))

    return chance


def sequential(chance: Joining, family: Family, rng: np.random.Generator) -> Mask:
    """Attributes visited once in random order, each of which joins or stays out; an empty result is drawn again."""
    if family.room == 0:
        return family.keep
    free = family.free
    for _ in range(MOST_REDRAWS):
        v = family.keep
        for x in rng.permutation(free).tolist():
            if v.bit_count() >= family.most:
                break
            if rng.random() < chance(v, x):
                v |= 1 << x
        if v:
            return v
        if not any(chance(v, x) for x in free):
            break  # every draw would be empty
    return family.keep | 1 << int(rng.choice(free))
