"""Methods that lay their subsets out beforehand: exhaustive search, rankings and SAC.

- `Exhaustive`: every subset, those nearest to the start first; from nothing that is smaller ones first.
- `Ranking`: attributes in the order of one number each: every prefix, the k best, or those above a threshold.
- `Adaptive`: SAC, adaptive selection of attributes: they are ranked by what each does alone, and the ranking
  is cut where Fisher's discriminant best separates the performances above from those below.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.methods.frame import Ended, Search, Space, best_of
from elicit.methods.goals import UNMEASURED, level
from elicit.numeric import is_number
from elicit.printable import counted
from elicit.subsets import LARGEST_ENUMERATION, Mask, mask_of, members

#: Subsets that exhaustive search gives out at once.
_AT_ONCE = 256


@dataclass(frozen=True)
class Exhaustive:
    """Every subset of the family that the goal can want."""

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        if not space.bounded and space.count() > LARGEST_ENUMERATION:
            raise InputError(
                f"all {counted(space.count())} subsets are too many to evaluate (limit {LARGEST_ENUMERATION}); "
                "give a budget, a largest size, or another method"
            )
        ascending = space.start is None
        for distance in range(len(space.family.free) + 1):
            masks, found = _at_distance(space, distance), False
            while batch := list(islice(masks, _AT_ONCE)):
                values = yield batch
                found = found or any(space.goal.settled(value) for value in values)
            if found and ascending:
                return Ended("every subset up to the first size that reaches the value was tried")
        return Ended("every subset was tried")


def _at_distance(space: Space, distance: int) -> Iterator[Mask]:
    """So many attributes away from the start; only the sizes that the goal wants are gone through."""
    inside = [i for i in space.family.free if space.origin >> i & 1]
    outside = [i for i in space.family.free if not space.origin >> i & 1]
    for removed in range(distance + 1):
        size = space.origin.bit_count() + distance - 2 * removed
        if space.bottom <= size <= space.top:
            for less in combinations(inside, removed):
                for more in combinations(outside, distance - removed):
                    yield space.origin ^ mask_of((*less, *more))


@dataclass(frozen=True)
class Ranking:
    """Prefixes of a ranking, after what is kept and the start.

    scores: one number an attribute, the greater the better; None ranks by the value of each attribute alone
        (added to the start), which the oracle measures first.
    threshold: only the attributes whose number is greater, as one subset.
    """

    scores: Sequence[float] | NDArray[np.float64] | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.scores is not None:
            object.__setattr__(self, "scores", _listed(self.scores))
        if self.threshold is not None and not (is_number(self.threshold) and -math.inf <= self.threshold <= math.inf):
            raise InputError(f"a threshold is a number, found {self.threshold!r:.40}")

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        first = space.from_below()
        scores: Any = self.scores  # a tuple by now, which identifies the method in a journal
        if scores is None:
            scores = yield from _alone(space)
        if len(scores) != space.family.n:
            raise InputError(f"a ranking of {space.family.n} attributes needs as many numbers, found {len(scores)}")
        order = sorted(members(space.family.largest & ~first), key=lambda i: (-_number(scores[i]), i))
        if self.threshold is not None:
            above = first | mask_of(i for i in order if scores[i] > self.threshold)
            if above not in space.family:
                size = above.bit_count()
                return Ended(f"{size} attributes lie above the threshold, which is no subset of the family")
            yield [above]
            return Ended("the attributes above the threshold were evaluated", above)
        prefixes = [first | mask_of(order[:k]) for k in range(len(order) + 1)]
        wanted = [mask for mask in prefixes if mask and space.bottom <= mask.bit_count() <= space.top]
        at_once = 1 if space.goal.settled(math.inf) else len(wanted)  # who waits for a value goes step by step
        while wanted:
            batch, wanted = wanted[:at_once], wanted[at_once:]
            values = yield batch
            if space.goal.settled(max(values)):
                return Ended("the value was reached", best_of(batch, values)[0])
        return Ended("every prefix was evaluated")


def _listed(scores: Any) -> tuple[float, ...]:
    try:
        return tuple(map(_given, scores))
    except (TypeError, OverflowError) as error:  # no list, or a number beyond every float
        raise InputError(f"a ranking is one number an attribute, found {scores!r:.40}") from error


def _given(score: Any) -> float:
    if not is_number(score):
        raise InputError(f"a ranking is one number an attribute, found {score!r:.40}")
    return float(score)


def _number(score: float) -> float:
    """A score for sorting; what is not a number comes last."""
    return -math.inf if math.isnan(score) else score


def _alone(space: Space) -> Generator[Sequence[Mask], Sequence[float], tuple[float, ...]]:
    """The value of each attribute alone, added to the start; −∞ for those that are in it, or dropped."""
    first = space.from_below()
    outside = members(space.family.largest & ~first) if first.bit_count() < space.most else []
    found = [UNMEASURED] * space.family.n
    if outside:
        for i, value in zip(outside, (yield [first | 1 << i for i in outside]), strict=True):
            found[i] = value
    return tuple(found)


@dataclass(frozen=True)
class Adaptive:
    """SAC. For a goal of one size the ranking is cut there; to reach a value, at the first prefix that does."""

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:
        alone = yield from _alone(space)
        order = sorted((i for i in range(len(alone)) if alone[i] > UNMEASURED), key=lambda i: (-level(alone[i]), i))
        first = space.from_below()
        if not order and space.admits(first):
            yield [first]
            return Ended("nothing is left to be ranked", first)
        if not order:
            return Ended("no attribute could be measured alone")
        if space.bottom == space.top or space.goal.settled(math.inf):
            return (yield from Ranking(alone)(space, rng))
        cut = min(discriminating_cut([alone[i] for i in order]), space.top - first.bit_count())
        chosen = first | mask_of(order[:cut])
        yield [chosen]
        return Ended(f"the ranking was cut after {cut} of {len(order)}", chosen)


def discriminating_cut(performances: Sequence[float]) -> int:
    """How many of the performances, in descending order, lie above the cut; ties go to fewer.

    It maximises |m1 − m2| / (v1 + v2) over the cuts, with m and v the mean and the variance of the
    performances above and below; two groups without spread are apart infinitely when their means differ.
    """
    levels = [int(level(value)) for value in performances]  # whole numbers, so that what is equal is exactly equal
    whole, squares = sum(levels), sum(value * value for value in levels)
    found, largest = 1, Fraction(-1)
    above = above_squares = 0
    for i, value in enumerate(levels[:-1], 1):
        above, above_squares = above + value, above_squares + value * value
        mean, variance = _moments(i, above, above_squares)
        other_mean, other_variance = _moments(len(levels) - i, whole - above, squares - above_squares)
        apart, spread = abs(mean - other_mean), variance + other_variance
        if apart and not spread:
            return i
        discriminant = apart / spread if spread else Fraction(0)
        if discriminant > largest:
            found, largest = i, discriminant
    return found


def _moments(count: int, total: int, squares: int) -> tuple[Fraction, Fraction]:
    """Mean and variance of so many numbers of this sum and sum of squares."""
    return Fraction(total, count), Fraction(squares * count - total * total, count * count)
