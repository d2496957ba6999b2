"""Relevant, weakly relevant or irrelevant: what an attribute is worth to a model, by comparing subsets.

With Perf(U) the cross-validated performance on the attributes U, of all attributes F:
- relevant: Perf(F) is significantly better than Perf(F without i);
- weakly relevant: not relevant, but for some U without i, Perf(U with i) is significantly better than Perf(U);
- irrelevant: neither.

The rule: "significantly" is a paired t-test over the folds, one-sided, with the variance corrected for
training sets that overlap (Nadeau, Bengio 2003). The search for some U makes m tests, of which Simes' test
makes one: p = min_k m p_(k) / k, for the null that no U speaks for the attribute. With few attributes every
U is tried; with many, random ones. "Irrelevant" says that none of those tried showed a gain, not that there is none.
With so few folds that the least p of any comparison is above the level (four at 0.05), no data can show one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.stats import t as student

from elicit.errors import InputError
from elicit.numeric import GRID, is_number, whole
from elicit.scores.protocol import Floats, generator

#: Perf: the positions of some attributes, ascending, to one score a fold; no attributes is a guess.
Performance = Callable[[tuple[int, ...]], Floats]
Kind = Literal["relevant", "weakly relevant", "irrelevant"]

#: Up to so many attributes every subset is tried, unless told otherwise.
ALL_SUBSETS = 8

#: Random subsets that may be asked for, at the most.
MOST_SUBSETS = 100_000

#: Random subsets that are tried with more attributes.
SUBSETS = 30


@dataclass(frozen=True)
class Relevance:
    """The kind of one attribute, and a `gain` in performance by it: that when added to `among`.

    These are all others when relevant, else those where the gain is most significant. `p` decided the kind: the
    p-value of that comparison when relevant, else of all comparisons together. `p_beside` is that of the one alone.
    """

    kind: Kind
    gain: float
    p: float
    among: tuple[int, ...]
    p_beside: float


def relevance(
    performance: Performance, n: int, *, level: float = 0.05, subsets: int | None = None, seed: int = 0
) -> tuple[Relevance, ...]:
    """One verdict for each of n attributes; `subsets`: how many random U are tried (None: all, or 30 of many)."""
    whole("n", n)
    refuse_no_level(level)
    known: dict[tuple[int, ...], Floats] = {}

    def perf(chosen: Iterable[int]) -> Floats:
        key = tuple(sorted(chosen))
        if key not in known:
            known[key] = _scores(performance(key), len(next(iter(known.values()), ())))
        return known[key]

    tried = _subsets(n, subsets, generator(seed, "seed"))
    return tuple(_verdict(i, n, tried, perf, level) for i in range(n))


def refuse_no_level(level: float) -> None:
    """Refuse what is no level of a test; the command does so before it computes anything."""
    if not is_number(level) or not 0 < level < 1:
        raise InputError(f"level lies between 0 and 1, found {level!r}")


def _scores(given: Any, folds: int) -> Floats:
    """One finite score a fold, as many as before (0: this is the first)."""
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"performance must give one score a fold, found {given!r:.60}") from error
    if scores.ndim != 1 or (folds and len(scores) != folds) or not np.isfinite(scores).all():
        found = f"{scores.tolist()!r:.60}"
        raise InputError(f"performance must give a finite score for each fold, and always as many; found {found}")
    return scores


def _verdict(i: int, n: int, tried: list[frozenset[int]], perf: Callable[..., Floats], level: float) -> Relevance:
    others = frozenset(range(n)) - {i}
    gain, p = better(perf(others | {i}), perf(others))
    if p <= level:
        return Relevance("relevant", gain, p, tuple(sorted(others)), p)
    without = sorted({chosen - {i} for chosen in tried}, key=lambda u: (len(u), sorted(u)))
    found = [(*better(perf(u | {i}), perf(u)), u) for u in without]
    gain, p_beside, among = min(found, key=lambda item: item[1])
    p = simes([p for _, p, _ in found])
    return Relevance("weakly relevant" if p <= level else "irrelevant", gain, p, tuple(sorted(among)), p_beside)


def simes(p_values: Sequence[float]) -> float:
    """The p-value of several tests together, min_k m p_(k) / k (Simes 1986); sound when they depend positively."""
    m = len(p_values)
    return float(min(m * p / k for k, p in enumerate(sorted(p_values), start=1)))


def better(above: Floats, below: Floats) -> tuple[float, float]:
    """Mean difference of paired fold scores, and the p-value of its being above 0 by chance.

    t = mean / √((1/k + 1/(k−1)) var), k − 1 degrees of freedom: test rows are 1/(k−1) of the training rows. It is never
    below `least_p`: accuracies take few values, so that of few folds all may differ alike, or nearly, by chance, and
    then there is no variance to judge the mean by.
    """
    difference = above - below
    k = len(difference)
    if k < 2:
        raise InputError(f"a comparison needs at least 2 folds, found {k}; ask for more")
    mean, variance = float(difference.mean()), float(difference.var(ddof=1))
    if np.ptp(difference) <= GRID:
        return mean, least_p(k) if mean > GRID else 1.0
    return mean, max(least_p(k), float(student.sf(mean / np.sqrt((1 / k + 1 / (k - 1)) * variance), k - 1)))


def least_p(folds: int) -> float:
    """The least p of a comparison, or of several together: that of the sign test for as many gains as folds."""
    return float(0.5**folds)


def _subsets(n: int, wanted: int | None, rng: np.random.Generator) -> list[frozenset[int]]:
    """Every subset, or random ones of uniform size."""
    if wanted is None and n <= ALL_SUBSETS:
        return [frozenset(i for i in range(n) if mask >> i & 1) for mask in range(1 << n)]
    count = SUBSETS if wanted is None else whole("subsets", wanted, most=MOST_SUBSETS)
    sizes = rng.integers(0, n, size=count)
    return [frozenset(rng.permutation(n)[:size].tolist()) for size in sizes]
