"""What follows from the answers of an operator whose value is additive: a worth of each criterion, summed up.

Nothing is known of the worths but that more is not worse. Cut every criterion at the values measured; a step from
one value to the next has some worth t ≥ 0. Who prefers A to B says that the steps by which A is ahead are worth more
than those by which B is: t · d > 0, d with entries 1, −1 and 0. If answers add up to D = Σ d with gains of at most k,
and X is ahead of Y by at least D / k in every step, then t · (X − Y) ≥ t · D / k > 0: X is preferred, too. (An
operator who accepts a fifth attribute for a gain from .94 to .95 accepts it for one from .93 to .95.)

With two criteria, what follows from one answer in this way follows by dominance already; it takes a third.

The rule: sums of up to ANSWERS answers are tried, each of which may count more than once. What follows only from
longer sums is not found; all that is found does follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from elicit.knowledge.linear import Order, Pair, Step, Whole, dense_ranks
from elicit.subsets import Mask

#: Answers that are added up.
ANSWERS = 3

Steps = NDArray[np.int64]
Table = NDArray[np.bool_]


def additive_order(vectors: Mapping[Mask, Whole], steps: Sequence[Step], measured: Sequence[Pair]) -> Order | None:
    """What the answers imply for every such operator; None where these sums show that there is none.

    `measured` are strict as well: what follows weakly becomes strict in a chain with a measured improvement. (A
    measured improvement within a sum does not make it strict.)
    """
    subsets = list(vectors)
    index = {x: k for k, x in enumerate(subsets)}
    ranks = [dense_ranks([vectors[x][c] for x in subsets]) for c in range(len(vectors[subsets[0]]))]
    ahead = [[_ahead(rank, index[above], index[below]) for rank in ranks] for above, below, _ in steps]
    weakly, strictly = _by_sums(ahead, [strict for *_, strict in steps], ranks)
    improved = _marked([*((above, below) for above, below, strict in steps if strict), *measured], index)
    if weakly.any():
        strictly |= improved @ weakly | weakly @ improved
    stated = improved | _marked([(above, below) for above, below, _ in steps], index)
    if strictly.diagonal().any() or (strictly & stated.T).any():
        return None  # something is better than itself, or than what is better than it
    same = [(subsets[i], subsets[j]) for i, j in np.argwhere(np.triu(weakly & weakly.T, 1)).tolist()]
    return Order(
        [(subsets[i], subsets[j]) for i, j in np.argwhere(strictly).tolist()],
        [(x, y) for x, y in same if vectors[x] != vectors[y]],
    )


def _by_sums(ahead: Sequence[Sequence[Steps]], strict: Sequence[bool], ranks: Sequence[Steps]) -> tuple[Table, Table]:
    """[i, j]: subset i is above j by a sum of answers, none of which is strict, and by one with a strict answer.

    ahead: of each answer what each criterion gains by it.
    """
    weakly, strictly = (np.zeros((len(ranks[0]), len(ranks[0])), dtype=bool) for _ in range(2))
    for count in range(1, ANSWERS + 1):
        for chosen in combinations_with_replacement(range(len(ahead)), count):
            total = [np.sum([ahead[r][c] for r in chosen], axis=0) for c in range(len(ranks))]
            follows = strictly if any(strict[r] for r in chosen) else weakly
            np.logical_or(follows, _ahead_enough(total, ranks), out=follows)
    return weakly, strictly


def _marked(pairs: Sequence[Pair], index: Mapping[Mask, int]) -> Table:
    """[i, j]: subset i is above j in one of the pairs."""
    found = np.zeros((len(index), len(index)), dtype=bool)
    for above, below in pairs:
        found[index[above], index[below]] = True
    return found


def _ahead(rank: Steps, above: int, below: int) -> Steps:
    """For each step of one criterion: 1 where the subset `above` is ahead by it, −1 where it is behind, else 0."""
    number = np.arange(rank.max())
    ahead: Steps = (number < rank[above]).astype(np.int64) - (number < rank[below])
    return ahead


def _ahead_enough(total: Sequence[Steps], ranks: Sequence[Steps]) -> Table:
    """[i, j]: subset i is ahead of j by at least the total divided by its largest gain, in every step."""
    enough = np.ones((len(ranks[0]), len(ranks[0])), dtype=bool)
    most = max(1, *(int(d.max(initial=0)) for d in total))
    for d, rank in zip(total, ranks, strict=True):
        enough &= rank[:, None] >= _lowest_rank(d, most)[rank][None, :]
    return enough


def _lowest_rank(d: Steps, most: int) -> Steps:
    """For each rank of the lower subset the lowest that the upper may have; one beyond the highest for none."""
    below, gains = np.arange(len(d) + 1), np.flatnonzero(d > 0)
    if len(gains):
        return np.where(below <= gains[0], gains[-1] + 1, len(d) + 1)
    held = np.where(d <= -most, 0, below[1:])  # steps that may not be lost: one stays above them
    return np.maximum.accumulate(np.append(0, held))
