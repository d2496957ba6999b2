"""Randomness: whatever an estimator leaves to chance, set to one seed, so that a subset has one score."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.multiclass import type_of_target

from elicit.errors import InputError
from elicit.numeric import is_whole

#: Folds where a number of them is left open, as in scikit-learn.
FOLDS = 5


def seed_from(random_state: Any) -> int | None:
    """The seed that a `random_state` as scikit-learn's stands for, one drawn from a RandomState; None stays None."""
    if is_whole(random_state):
        if not 0 <= random_state < 1 << 32:
            raise InputError(f"random_state is a whole number from 0 to 2^32 - 1, found {random_state}")
        return int(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    if random_state is not None:
        raise InputError(f"random_state is a whole number, a RandomState or None, found {random_state!r}")
    return None


def settled(estimator: Any, seed: int) -> Any:
    """The estimator, in which every `random_state` that is None, its splitters' and functions' too, is the seed."""
    params = estimator.get_params(deep=True)
    changes = {}
    for name, value in params.items():
        changed = _settled(name, params, seed)
        if changed is not value:
            changes[name] = changed
    return estimator.set_params(**changes) if changes else estimator


def _settled(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """The value of one of the parameters, with the seed where it lacks one."""
    value, (owner, apart, parameter) = params[name], name.rpartition("__")
    if parameter == "random_state":
        return seed if value is None else value
    if inspect.isfunction(value):
        taken = inspect.signature(value).parameters.get("random_state")
        return value if taken is None or taken.default is not None else partial(value, random_state=seed)
    if parameter == "cv" and (value is None or is_whole(value)):
        beside = {key: params.get(f"{owner}{apart}{key}") for key in ("random_state", "shuffle", "target_type")}
        shuffles = beside["random_state"] == "deprecated" and beside["shuffle"] is not False
        return _ShuffledFolds(value or FOLDS, seed, beside["target_type"]) if shuffles else value
    return settled_splitter(value, seed)


@dataclass(frozen=True)
class _ShuffledFolds:
    """The folds of a TargetEncoder, which from scikit-learn 1.9 on takes a seed for them in no other way."""

    count: int
    seed: int
    target_type: Any

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Any]:
        """Training and held-out rows, in folds that are stratified where the target is one of classes."""
        kind = type_of_target(y) if self.target_type == "auto" else self.target_type
        folds = KFold if kind == "continuous" else StratifiedKFold
        yield from folds(self.count, shuffle=True, random_state=self.seed).split(X, y, groups)

    def get_n_splits(self, *_: Any) -> int:
        """The number of folds."""
        return self.count


def settled_splitter(given: Any, seed: Any) -> Any:
    """A copy of a splitter whose folds differ from call to call, with the seed; anything else as it is."""
    drawn = hasattr(given, "get_n_splits") and getattr(given, "shuffle", True)
    if not drawn or getattr(given, "random_state", 0) is not None:
        return given
    splitter = copy.copy(given)
    splitter.random_state = seed
    return splitter
