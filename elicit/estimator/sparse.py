"""Sparse matrices: whether an estimator takes them, by what scikit-learn's tags say of its parts.

A pipeline's own tag says no when any of its steps does. Here it is asked who gets the matrix: the first step, for what
that hands on may be dense. Tags are asked of scikit-learn's own code alone; of any other the fits decide.
"""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils._tags import get_tags

from elicit.oracles.pruning import first_step, handed_on


def takes_sparse(estimator: Any) -> bool:
    """Whether a sparse matrix may be handed to an estimator."""
    if isinstance(estimator, str) or estimator is None:  # a step that does nothing
        return True
    if isinstance(estimator, Pipeline):
        return takes_sparse(first_step(estimator))
    if isinstance(estimator, ColumnTransformer):
        return all(
            takes_sparse(part) for part in [*(part for _, part, _ in estimator.transformers), estimator.remainder]
        )
    if inner := handed_on(estimator):
        return all(map(takes_sparse, inner))
    if type(estimator).__module__.partition(".")[0] != "sklearn":
        return True
    return bool(get_tags(estimator).input_tags.sparse)
