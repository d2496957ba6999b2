"""A weighted sample of plausible operators: the posterior by which one chooses what to measure and what to ask.

A crowd of utilities over the criteria is drawn once and for all: linear trade-offs, diminishing returns, and
thresholds (one criterion must be good enough, then the rest counts). Every answer multiplies the weight of each
by the likelihood of giving it. The crowd is a guess and never a statement: nothing is proven with it, and no row
of R comes from it.

The rule: whatever is monotone in the criteria may be plausible; nothing here looks at attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Mask, simplest
from elicit.utility.monomials import Matrix, Vector

Array = NDArray[np.float64]

#: Operators in the crowd, and the seed that draws them: the same crowd for every run.
CROWD = 600
_SEED = 20

#: Shares of operators with a linear trade-off and of those with a threshold; all but the linear ones have diminishing
#: or growing returns.
_LINEAR, _THRESHOLD = 0.5, 0.4

#: Natural logarithms between which the weight of a criterion is drawn: ratios up to e^4 = 55. For every so many
#: operators they lie twice as far apart: weights count for what the front spans, and from one of many attributes to the
#: best score that is far more than some would trade (.0001 for each of 64 attributes: the score counts a hundredfold).
_WEIGHTS, _ONE_IN = (-2.0, 2.0), 4

#: Natural logarithms between which the exponent of the returns is drawn.
_RETURNS = (-0.9, 1.4)

#: What an operator with a threshold demands: a quantile of the front, drawn between these.
_DEMANDS = (0.0, 1.0)

#: How much missing the threshold counts against all the rest.
_MISSED = 10.0

#: The better half of the front spans at least this share of the whole, or is taken to.
_HALF_AT_LEAST = 0.1

#: What the middle of the front is worth, to everyone.
MIDDLING = 0.0

#: With fewer answers none can be said to surprise: what speaks against it is the guess that a run begins with.
LEAST_ANSWERS = 3

#: An operator errs this often for no reason, and more often where two subsets are worth nearly the same:
#: the difference, in shares of what the better half of the front spans, at which the odds are e to 1.
_ERRS, _BLUR = 0.12, 1 / 60


class PlausibleOperators:
    """The crowd in one state of knowledge: what each would give for each evaluated subset, and its weight.

    `values` has shape (operators, evaluated); each row is scaled so that the best member of the front is 1
    and the one in the middle 0: how bad the worst is says nothing about how finely the best are told apart.
    `weights` sum to 1.
    """

    def __init__(self, history: History) -> None:
        self.subsets = history.subsets
        self._place = {x: k for k, x in enumerate(self.subsets)}
        self._linear = history.assume == "linear"
        # of subsets that measure the same one: the middle of the front is that of what there is to choose between
        alike = {tuple(np.round(history.vectors[self._place[x]], 9)): self._place[x] for x in history.front}
        front = sorted(alike.values())  # places, as of rows
        self._bottom = history.vectors[front].min(axis=0)
        self._span = _span(history.vectors[front], history.vectors)
        good = self._good(list(history.vectors.T))
        self._crowd = _drawn(history.vectors.shape[1]).demanding_of([column[front] for column in good])
        plain = self._crowd.worth(good, np.arange(CROWD))
        self._middle, self._scale = _middle_and_scale(plain[:, front])
        self.values = self._scaled(plain, np.arange(CROWD))
        self.weights = self._weighted(history.stated)

    def _weighted(self, stated: Sequence[Statement]) -> Vector:
        """The weight of each operator, given what was stated about evaluated subsets."""
        log = np.where(self._crowd.linear, 0.0, -np.inf) if self._linear else np.zeros(len(self.values))
        for s in stated:
            if s.better in self._place and s.worse in self._place:
                gain = self.values[:, self._place[s.better]] - self.values[:, self._place[s.worse]]
                log += np.log(_chance_equal(gain) if s.relation is Relation.EQUAL else _chance(gain))
        weights = np.exp(log - log.max())
        return np.asarray(weights / weights.sum())

    @cached_property
    def expected(self) -> Vector:
        """What each evaluated subset is worth on average."""
        return self.weights @ self.values

    def of(self, subset: Mask) -> float:
        """What one evaluated subset is worth on average."""
        return float(self.expected[self._place[subset]])

    def by_worth(self, subsets: Iterable[Mask]) -> list[Mask]:
        """Those worth most on average come first; of those equal the simplest."""
        return sorted(subsets, key=lambda x: (-round(self.of(x), 9), simplest(x)))

    def against(self, pairs: Sequence[tuple[Mask, Mask]]) -> Vector:
        """For each pair the chance that the operator likes its second better than its first."""
        first, second = (np.array([self._place[pair[k]] for pair in pairs], dtype=np.intp) for k in (0, 1))
        return np.asarray(self.weights @ (self.values[:, second] > self.values[:, first]))

    def gains(self, subset: Mask, others: Sequence[Mask]) -> Vector:
        """For each of the others how much the operator may gain by it on `subset`, on the scale of `values`."""
        ahead = self.values[:, [self._place[x] for x in others]] - self.values[:, [self._place[subset]]]
        return np.asarray(self.weights @ np.maximum(ahead, 0.0))

    def sample(self, count: int, power: float = 1.0) -> tuple[NDArray[np.intp], Vector]:
        """Up to `count` operators that stand for the crowd, and their shares (systematic resampling).

        power: of the weights, by which they are drawn; above 1 the likelier ones stand for more.
        """
        upto = np.cumsum((self.weights / self.weights.max()) ** power)  # of any power the likeliest is left
        marks = (np.arange(count) + 0.5) / count * upto[-1]
        chosen, times = np.unique(np.searchsorted(upto, marks), return_counts=True)
        return chosen, times / count

    def worth(self, criteria: Sequence[Array], operators: NDArray[np.intp]) -> Array:
        """What these operators would give, on the scale of `values`, for whatever measures so much.

        One array for each criterion, larger is better, of shapes that fit together; shape (operators, *theirs).
        """
        return self._scaled(self._crowd.worth(self._good(criteria), operators), operators)

    def _scaled(self, worth: Array, operators: NDArray[np.intp]) -> Array:
        each = (slice(None), *[None] * (worth.ndim - 1))
        return np.asarray((worth - self._middle[operators][each]) / self._scale[operators][each])

    def _good(self, criteria: Sequence[Array]) -> list[Array]:
        """Each criterion as a share of what the front spans, 1 for its best."""
        return [(column - self._bottom[c]) / self._span[c] for c, column in enumerate(criteria)]

    def question_values(self, subsets: Sequence[Mask], floor: float) -> Matrix:
        """Shape (k, k), symmetric: how much an answer about each pair is expected to add to the best choice.

        Σ_answers P(answer) max_x E[worth of x | answer] − max_x E[worth of x], x and the pair among `subsets`.
        What is worth less than `floor` counts as that: otherwise the few who would hate a choice outweigh the many
        who may prefer it, and they are never asked.
        """
        worth = np.maximum(self.values[:, [self._place[x] for x in subsets]], floor)
        now = float((self.weights @ worth).max())
        first, second = np.triu_indices(len(subsets), 1)
        chance = _chance(worth[:, first] - worth[:, second])  # (operators, pairs)
        found = np.zeros((len(subsets), len(subsets)))
        for answer in (chance, 1 - chance):
            found[first, second] += ((self.weights[:, None] * answer).T @ worth).max(axis=1)
        found[first, second] -= now
        return found + found.T


def _span(front: Matrix, everything: Matrix) -> Vector:
    """What each criterion spans on the front; where that is nothing, among all that was seen; else 1."""
    near, far = np.ptp(front, axis=0), np.ptp(everything, axis=0)
    return np.where(near > 0, near, np.where(far > 0, far, 1.0))


def _middle_and_scale(front: Matrix) -> tuple[Vector, Vector]:
    """For each operator what the middle of the front is worth, and what the better half spans."""
    best, middle, worst = front.max(axis=1), np.median(front, axis=1), front.min(axis=1)
    span = np.maximum(best - middle, _HALF_AT_LEAST * (best - worst))
    return middle, np.where(span > 0, span, 1.0)


def _chance(gain: Array) -> Array:
    """The chance that an operator who gains this much by the first of two subsets says so."""
    return np.asarray(_ERRS + (1 - 2 * _ERRS) * expit(gain / _BLUR))


def _chance_equal(gain: Array) -> Array:
    """Up to a factor, the chance that who gains this much by the first of two says they are equal."""
    p = expit(gain / _BLUR)
    return np.asarray(_ERRS + (1 - 2 * _ERRS) * 4 * p * (1 - p))


@dataclass(frozen=True)
class _Crowd:
    """How each operator sees the criteria: weights and returns, shape (operators, criteria); who demands what."""

    weights: Matrix
    returns: Matrix
    least: Vector
    which: NDArray[np.intp]
    demanding: NDArray[np.bool_]

    @property
    def linear(self) -> NDArray[np.bool_]:
        """Who trades criteria linearly."""
        return np.asarray((self.returns == 1).all(axis=1) & ~self.demanding)

    def demanding_of(self, front: Sequence[Array]) -> _Crowd:
        """The same where who demands something draws the line somewhere between two members of the front."""
        least = np.empty_like(self.least)
        for c, column in enumerate(front):
            least[self.which == c] = np.quantile(column, self.least[self.which == c])
        return replace(self, least=least)

    def worth(self, good: Sequence[Array], operators: NDArray[np.intp]) -> Array:
        """What these operators give for goodness; shape (operators, *that of the criteria together)."""
        shape = np.broadcast_shapes(*(x.shape for x in good))
        each = (slice(None), *[None] * len(shape))  # one number an operator, whatever is judged
        found = np.zeros((len(operators), *shape))
        bent = (self.returns[operators] != 1).any(axis=1)
        for c, x in enumerate(good):
            weights = self.weights[operators, c][each]
            found[~bent] += weights[~bent] * x
            found[bent] += weights[bent] * _returning(x[None], self.returns[operators[bent], c][each])
        for k in np.flatnonzero(self.demanding[operators]):
            found[k] += _MISSED * np.minimum(0.0, good[self.which[operators[k]]] - self.least[operators[k]])
        return found


@cache
def _drawn(criteria: int) -> _Crowd:
    """The crowd for so many criteria."""
    rng = np.random.default_rng(_SEED)
    kind = rng.random(CROWD)
    logarithms = rng.uniform(*_WEIGHTS, size=(CROWD, criteria))
    logarithms[::_ONE_IN] *= 2
    weights = np.exp(logarithms)
    weights /= weights.sum(axis=1, keepdims=True)
    returns = np.exp(rng.uniform(*_RETURNS, size=(CROWD, criteria)))
    returns[kind < _LINEAR] = 1.0
    least, which = rng.uniform(*_DEMANDS, size=CROWD), rng.integers(criteria, size=CROWD)
    return _Crowd(weights, returns, least, which, kind > 1 - _THRESHOLD)


def _returning(x: Array, power: Array) -> Array:
    """1 − (1 − x)^power between 0 and 1 (diminishing returns for power > 1), linear beyond."""
    inside = np.clip(x, 0.0, 1.0)
    return np.asarray(1 - (1 - inside) ** power + power * np.minimum(x, 0.0) + np.maximum(x - 1, 0.0))
