"""What follows from answers of who gives each criterion a worth of its own, and adds the worths up.

Nothing is known of the worths but that more is better. Cut every criterion at the values measured; a step from one
value to the next has some worth t > 0. Who prefers A to B says that the steps A is ahead by are worth more than
those B is ahead by: t · d > 0, d with entries 1, −1 and 0. If answers add up to D = Σ d, and X is ahead of Y by at
least D in every step, then t · (X − Y) ≥ t · D > 0: X is preferred, too. (Gain from .94 to .95 for a fifth
attribute, and you also gain from .93 to .95 for it.)

The rule: sums of up to ANSWERS answers are looked at, each of which may count more than once. What follows only
from more is not found; what is found follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from elicit.knowledge.linear import Pair, Step, Whole
from elicit.subsets import Mask

#: Answers that are added up.
ANSWERS = 3

Steps = NDArray[np.int64]


def additive_order(vectors: Mapping[Mask, Whole], steps: Sequence[Step]) -> list[Pair] | None:
    """The pairs that answers order strictly for every such operator; None where there is no such operator."""
    subsets = list(vectors)
    place = {x: k for k, x in enumerate(subsets)}
    levels = [_levels([vectors[x][c] for x in subsets]) for c in range(len(vectors[subsets[0]]))]
    ahead = [[_ahead(level, place[above], place[below]) for level in levels] for above, below, _ in steps]
    follows = np.zeros((len(subsets), len(subsets)), dtype=bool)
    for count in range(1, ANSWERS + 1):
        for chosen in combinations_with_replacement(range(len(steps)), count):
            total = [np.sum([ahead[r][c] for r in chosen], axis=0) for c in range(len(levels))]
            strict = any(steps[r][2] for r in chosen)
            if all((d <= 0).all() for d in total) and (strict or any(d.any() for d in total)):
                return None  # nothing is gained anywhere, and yet it is preferred
            follows |= _at_least(total, levels, strict)
    return [(subsets[i], subsets[j]) for i, j in np.argwhere(follows).tolist()]


def _levels(values: Sequence[int]) -> Steps:
    """For each subset the place of its value among the different ones, from the worst."""
    place = {value: k for k, value in enumerate(sorted(set(values)))}
    return np.array([place[value] for value in values])


def _ahead(level: Steps, above: int, below: int) -> Steps:
    """The steps of one criterion by which one subset is ahead of another: 1, or −1 where it is behind."""
    number = np.arange(level.max())
    ahead: Steps = (number < level[above]).astype(np.int64) - (number < level[below])
    return ahead


def _at_least(total: Sequence[Steps], levels: Sequence[Steps], strict: bool) -> NDArray[np.bool_]:
    """[i, j]: subset i is ahead of j by at least the total; where that is not strict, by more."""
    enough = np.ones((len(levels[0]), len(levels[0])), dtype=bool)
    same = np.full_like(enough, not strict)
    for d, level in zip(total, levels, strict=True):
        lowest, exact = _needed(d)
        enough &= level[:, None] >= lowest[level][None, :]
        same &= enough & exact[level][None, :] & (level[:, None] == lowest[level][None, :])
    return np.asarray(enough & ~same)


def _needed(d: Steps) -> tuple[Steps, NDArray[np.bool_]]:
    """For each level of the lower subset the lowest that the upper one may have, and whether that is ahead by just d.

    One beyond the highest where there is none.
    """
    below, gains = np.arange(len(d) + 1), np.flatnonzero(d > 0)
    plain = int(np.abs(d).sum())  # of entries 1, −1 and 0 alone: how many steps
    if len(gains):
        first, last = gains[0], gains[-1] + 1
        lowest = np.where((below <= first) & (d.max() == 1), last, len(d) + 1)
        return lowest, (below == first) & (plain == len(gains) == last - first)
    held = np.where(d < 0, 0, below[1:])  # steps that may not be lost: one stays above them
    lowest = np.maximum.accumulate(np.append(0, held))
    return lowest, below - lowest == plain
