"""Results: a finished run as tables, one row a subset, in the words of scikit-learn (`cv_results_`).

Nothing here decides or measures; every number was in a fact, or follows from the facts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from elicit.decide.elicitation import Elicitation
from elicit.errors import InputError
from elicit.events import Criterion, Evaluated
from elicit.numeric import in_steps
from elicit.subsets import Mask, simplest

Table = dict[str, NDArray[Any]]

#: The columns of a table of results, besides one a fold and one for each further criterion.
COLUMNS = (
    "features",
    "size",
    "mean_test_score",
    "std_test_score",
    "rank_test_score",
    "decision",
    "price",
    "reason",
)


@dataclass(frozen=True)
class FrontMember:
    """A subset that no other evaluated one beats in every criterion."""

    features: tuple[str, ...]
    criteria: Mapping[str, float]
    spread: float | None

    @property
    def score(self) -> float:
        """Mean score over the folds."""
        return self.criteria["score"]

    @property
    def size(self) -> int:
        """Number of attributes."""
        return len(self.features)


def front_of(elicitation: Elicitation) -> tuple[FrontMember, ...]:
    """The Pareto front in the family, smallest first."""
    history = elicitation.history
    found = []
    for mask in sorted((x for x in history.front if x in elicitation.family), key=simplest):
        spread = history.evaluated[mask].spread
        found.append(FrontMember(history.attributes.subset(mask), history.named(mask), spread[0] if spread else None))
    return tuple(found)


def check_names(criteria: Sequence[Criterion]) -> None:
    """A criterion beyond score and size may not be called like a column of its own."""
    for criterion in criteria[2:]:
        if criterion.name in COLUMNS or re.fullmatch(r"split\d+_test_score", criterion.name):
            raise InputError(f"a criterion may not be called {criterion.name!r}, a column of cv_results_; rename it")


def _deviation(fact: Evaluated) -> float | None:
    """The standard deviation of the score over the folds, divided by their number as scikit-learn does."""
    return float(np.std(fact.folds[0])) if fact.folds else fact.spread[0] if fact.spread else None


def results_of(elicitation: Elicitation) -> Table:
    """Every subset that was measured, failed or rejected, in the order of the record; rejected ones last.

    `decision` says which; `price` is what it would have cost, in simplicity, to believe that a rejected subset
    is best (inf where the set of utilities gives no price), and NaN for the others.
    """
    history = elicitation.history
    replies = history.evaluated | history.failed
    measured = sorted(replies, key=lambda x: replies[x].request)
    rejected = history.cheapest_rejected
    rows = [*measured, *rejected]
    facts = [history.evaluated.get(x) for x in rows]
    table: Table = {
        "features": _objects([history.attributes.subset(x) for x in rows]),
        "size": np.array([x.bit_count() for x in rows]),
        "mean_test_score": _column([None if f is None else f.criteria[0] for f in facts]),
        "std_test_score": _column([None if f is None else _deviation(f) for f in facts]),
    }
    folds = max((len(f.folds[0]) for f in facts if f is not None and f.folds), default=0)
    for k in range(folds):
        table[f"split{k}_test_score"] = _column([f.folds[0][k] if f is not None and f.folds else None for f in facts])
    table["rank_test_score"] = _ranks(table["mean_test_score"])
    for c, criterion in enumerate(history.criteria[2:], start=2):
        table[criterion.name] = _column([None if f is None else f.criteria[c] for f in facts])
    decisions = ["evaluated" if x in history.evaluated else "failed" for x in measured]
    table["decision"] = np.array([*decisions, *("rejected" for _ in rejected)], dtype=object)
    prices = [history.rejected[x].price for x in rejected]
    table["price"] = _column([*(None for _ in measured), *(np.inf if p < 0 else p for p in prices)])
    reasons = [history.failed[x].reason if x in history.failed else "" for x in rows]
    table["reason"] = np.array(reasons, dtype=object)
    return table


def ranks_of(power: NDArray[np.float64], chosen: Mask, dropped: Mask = 0) -> NDArray[np.intp]:
    """1 for every selected attribute, the others from 2 by falling power index, last those that no subset may hold.

    Equal ones share the better rank.
    """
    ranks = np.ones(len(power), dtype=np.intp)
    others = [i for i in range(len(power)) if not chosen >> i & 1]
    falling = [-inf if dropped >> i & 1 else round(float(power[i]), 9) for i in others]
    ranks[others] = 1 + rankdata(-np.array(falling), method="min")
    return ranks


def _objects(values: list[tuple[str, ...]]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)  # np.array would make a matrix of tuples of one length
    found[:] = values
    return found


def _column(values: list[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.int32]:
    """Rank 1 is best; equal within the grid is equal, and a subset without a score comes after all others."""
    known = ~np.isnan(scores)
    falling = np.full(len(scores), np.inf)
    falling[known] = -in_steps(scores[known])
    return np.asarray(rankdata(falling, method="min"), dtype=np.int32)
