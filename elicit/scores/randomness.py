"""Randomness: whatever an estimator leaves to chance, set to one seed, so that a subset has one score."""

from __future__ import annotations

import copy
from typing import Any


def settled(estimator: Any, seed: int) -> Any:
    """The estimator, in which every `random_state` that is None, its splitters' too, is the seed."""
    params = estimator.get_params(deep=True)
    changes = {name: seed for name, value in params.items() if _is_seed(name) and value is None}
    for name, value in params.items():
        splitter = settled_splitter(value, seed)
        if splitter is not value:
            changes[name] = splitter
    return estimator.set_params(**changes) if changes else estimator


def settled_splitter(given: Any, seed: Any) -> Any:
    """A copy of a splitter whose folds differ from call to call, with the seed; anything else as it is."""
    drawn = hasattr(given, "get_n_splits") and getattr(given, "shuffle", True)
    if not drawn or getattr(given, "random_state", 0) is not None:
        return given
    splitter = copy.copy(given)
    splitter.random_state = seed
    return splitter


def _is_seed(name: str) -> bool:
    return name.split("__")[-1] == "random_state"
