"""Plausible operators: a guess at who is asking, by which one chooses what to look at and what to ask.

A crowd of operators is drawn once and for all: each weighs the criteria in its own way, some see
diminishing returns, some want one criterion to be good enough and then the rest. Every answer makes
those more likely who would have given it. The crowd is a guess and never a statement: nothing is
proven with it, and no row of R comes from it.

The rule: whatever is monotone in the criteria may be plausible; nothing here looks at attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Mask
from elicit.utility.monomials import Matrix, Vector

#: Operators in the crowd, and the seed that draws them: the same crowd for every run.
CROWD = 600
_SEED = 20

#: Shares of operators with a linear trade-off and of those with a threshold; the rest have diminishing
#: or growing returns.
_LINEAR, _THRESHOLD = 0.55, 0.27

#: Natural logarithms between which the weight of a criterion is drawn: ratios up to e^4 = 55.
_WEIGHTS = (-2.0, 2.0)

#: Natural logarithms between which the exponent of the returns is drawn.
_RETURNS = (-0.9, 1.4)

#: How much missing the threshold counts against all the rest.
_MISSED = 10.0

#: An operator errs this often for no reason, and more often where two subsets are worth nearly the same:
#: the difference, in shares of what the front spans, at which the odds are e to 1.
_ERRS, _BLUR = 0.03, 1 / 60


class PlausibleOperators:
    """The crowd in one state of knowledge: what each would give for each evaluated subset, and its weight.

    `values` has shape (operators, evaluated); each row is scaled so that the best and the worst member
    of the front are 1 and 0. `weights` sum to 1.
    """

    def __init__(self, history: History) -> None:
        self.subsets = history.subsets
        self._place = {x: k for k, x in enumerate(self.subsets)}
        self.front = [self._place[x] for x in history.front]
        self.values = _scaled(_worth(_goodness(history.vectors, self.front)), self.front)
        self.weights = self._weighted(history.stated)

    def _weighted(self, stated: Sequence[Statement]) -> Vector:
        """The weight of each operator, given what was stated about evaluated subsets."""
        log = np.zeros(len(self.values))
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

    def sample(self, count: int) -> tuple[NDArray[np.intp], Vector]:
        """Up to `count` operators that stand for the crowd, and their shares (systematic resampling)."""
        marks = (np.arange(count) + 0.5) / count
        drawn = np.minimum(np.searchsorted(np.cumsum(self.weights), marks), len(self.weights) - 1)
        chosen, times = np.unique(drawn, return_counts=True)
        return chosen, times / count

    def question_values(self, subsets: Sequence[Mask]) -> Matrix:
        """Shape (k, k), symmetric: how much an answer about each pair is expected to add to the best choice.

        Σ_answers P(answer) max_x E[worth of x | answer] − max_x E[worth of x], x and the pair among `subsets`.
        """
        worth = self.values[:, [self._place[x] for x in subsets]]
        now = float((self.weights @ worth).max())
        first, second = np.triu_indices(len(subsets), 1)
        chance = _chance(worth[:, first] - worth[:, second])  # (operators, pairs)
        found = np.zeros((len(subsets), len(subsets)))
        for answer in (chance, 1 - chance):
            found[first, second] += ((self.weights[:, None] * answer).T @ worth).max(axis=1)
        found[first, second] -= now
        return found + found.T


def _chance(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance that who gains this much by the first of two subsets says so."""
    return np.asarray(_ERRS + (1 - 2 * _ERRS) * expit(gain / _BLUR))


def _chance_equal(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """Up to a factor, the chance that who gains this much by the first of two says they are equal."""
    p = expit(gain / _BLUR)
    return np.asarray(_ERRS + (1 - 2 * _ERRS) * 4 * p * (1 - p))


def _goodness(vectors: Matrix, front: Sequence[int]) -> Matrix:
    """Shape (evaluated, criteria): each criterion as a share of what the front spans, 1 for its best."""
    best, worst = vectors[front].max(axis=0), vectors[front].min(axis=0)
    span = np.where(best > worst, best - worst, 1.0)
    return np.asarray((vectors - worst) / span)


def _worth(x: Matrix) -> Matrix:
    """Shape (operators, evaluated): what each operator gives for goodness x."""
    criteria = x.shape[1]
    rng = np.random.default_rng(_SEED)
    kind = rng.random(CROWD)
    weights = np.exp(rng.uniform(*_WEIGHTS, size=(CROWD, criteria)))
    weights /= weights.sum(axis=1, keepdims=True)
    returns = np.exp(rng.uniform(*_RETURNS, size=(CROWD, criteria)))
    returns[kind < _LINEAR] = 1.0
    least, which = rng.uniform(0.2, 1.0, size=CROWD), rng.integers(criteria, size=CROWD)
    worth = np.einsum("pc,pmc->pm", weights, _returning(x[None], returns[:, None]))
    demanding = kind > 1 - _THRESHOLD
    missed = np.minimum(0.0, x.T[which[demanding]] - least[demanding, None])
    worth[demanding] = _MISSED * missed + worth[demanding]
    return np.asarray(worth)


def _returning(x: NDArray[np.float64], power: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 − (1 − x)^power between 0 and 1 (diminishing returns for power > 1), linear beyond."""
    inside = np.clip(x, 0.0, 1.0)
    return np.asarray(1 - (1 - inside) ** power + power * np.minimum(x, 0.0) + np.maximum(x - 1, 0.0))


def _scaled(worth: Matrix, front: Sequence[int]) -> Matrix:
    """Each row with the worst of the front at 0 and the best at 1."""
    low, high = worth[:, front].min(axis=1, keepdims=True), worth[:, front].max(axis=1, keepdims=True)
    return np.asarray((worth - low) / np.maximum(high - low, 1e-12))
