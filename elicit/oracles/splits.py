"""Splits: which rows train and which are held out in each fold, the same for every subset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target

from elicit.errors import InputError, one_line, require_instance
from elicit.numeric import is_whole
from elicit.printable import label_of, many
from elicit.scores.randomness import FOLDS, settled_splitter
from elicit.scores.sheet import gap

_GIVE_GROUPS = "give groups, one for each row"

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def splits_of(
    cv: Any, X: Any, y: NDArray[Any], *, classifies: bool, groups: Any, random_state: Any
) -> tuple[Split, ...]:
    """Training and held-out rows of every fold.

    A number of folds means shuffled folds, stratified for classifiers, which keep `groups` together
    when they are given; anything else is a splitter or the splits themselves.
    """
    if groups is not None:
        _check_groups(groups, len(y))
    require_instance(cv, "a splitter")
    if cv is None:
        cv = FOLDS
    if is_whole(cv):
        cv = _default_splitter(int(cv), y, classifies, groups, random_state)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise InputError(f"cv must be a number of folds, a splitter or a list of splits, found {cv!r}")
    else:
        cv = settled_splitter(cv, random_state)  # folds that differ from call to call belong to no journal
    try:
        pairs = list(check_cv(cv, y, classifier=classifies).split(X, y, groups))
        splits = tuple((_row_numbers(train, len(y)), _row_numbers(test, len(y))) for train, test in pairs)
    except (ValueError, TypeError) as error:
        # without them a splitter of groups either asks for them or counts all rows as one group
        lacking = groups is None and "groups" in str(error)
        remedy = _GIVE_GROUPS if lacking else "change cv"
        reason = one_line(error).rstrip(".")
        raise InputError(f"the rows cannot be split into folds: {reason}; {remedy}") from error
    if not splits:
        raise InputError(
            "cv gives no folds at all; give at least one split (an iterator gives its splits once: list them)"
        )
    for f, (train, test) in enumerate(splits, start=1):
        if not len(train) or not len(test):
            lacking = groups is None and isinstance(cv, StratifiedGroupKFold)  # scikit-learn 1.7 sees one group then
            remedy = _GIVE_GROUPS if lacking else "change cv"
            raise InputError(f"fold {f} has {len(train)} training and {len(test)} held-out rows; {remedy}")
    return splits


def ratio_of(splits: Sequence[Split], rows: int) -> float:
    """Held-out rows for each training row, in the mean; 0 for one round of folds, whose number tells it.

    In repeated folds, shuffled splits and growing training sets the number of folds says nothing of it.
    """
    held_out = np.array([len(test) for _, test in splits])
    trained_on = np.array([len(train) for train, _ in splits])
    one_round = held_out.sum() == rows and bool((held_out + trained_on == rows).all())
    return 0.0 if one_round or len(splits) < 2 else float((held_out / trained_on).mean())


def rows_of(params: Mapping[str, Any], rows: NDArray[np.intp], count: int) -> dict[str, Any]:
    """Arguments for these rows: those with one entry for each of `count` rows are indexed, others passed on whole."""
    return {name: _safe_indexing(value, rows) if length_of(value) == count else value for name, value in params.items()}


def length_of(value: Any) -> int:
    """Number of entries of a sequence or array, −1 for anything else."""
    if hasattr(value, "shape"):
        return int(value.shape[0]) if len(value.shape) else -1
    return len(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else -1


def _check_groups(groups: Any, rows: int) -> None:
    """One group for each row."""
    if np.ndim(groups) != 1:
        raise InputError(f"groups hold one value a row, found {np.ndim(groups)} dimensions")
    if len(groups) != rows:
        raise InputError(f"X has {rows} rows and there are {len(groups)} groups; give one a row")
    missing = [k for k, group in enumerate(np.asarray(groups).tolist()) if gap(group)]
    if missing:
        raise InputError(f"row {missing[0]} has no group; name one for every row")


def _default_splitter(folds: int, y: NDArray[Any], classifies: bool, groups: Any, random_state: Any) -> Any:
    if folds < 2:
        raise InputError(f"cv needs at least 2 folds, found {folds}")
    if len(y) < 2:
        raise InputError(f"{len(y)} row cannot be split into folds; give more rows")
    stratified = classifies and type_of_target(y) in ("binary", "multiclass")
    if stratified:
        _check_classes(y, folds)
    if len(y) < folds:
        raise InputError(f"{len(y)} rows cannot be split into {folds} folds; ask for {len(y)} or fewer")
    if groups is not None:
        different = len(set(np.asarray(groups).tolist()))
        if different < folds:
            remedy = f"ask for {different} or fewer" if different > 1 else "leave groups out, or give more of them"
            raise InputError(f"{many(different, 'group')} cannot be kept whole in {folds} folds; {remedy}")
        kind = StratifiedGroupKFold if stratified else GroupKFold
    else:
        kind = StratifiedKFold if stratified else KFold
    return kind(folds, shuffle=True, random_state=random_state)


def _check_classes(y: NDArray[Any], folds: int) -> None:
    classes, sizes = np.unique(y, return_counts=True)
    least = int(sizes.argmin())
    if len(classes) < 2:
        raise InputError(f"the target has the one class {label_of(classes[0])}; a classifier needs at least two")
    if sizes[least] < folds:
        size = int(sizes[least])
        numeric = y.dtype.kind in "iuf" and len(classes) > 2
        or_numbers = "; or predict numbers (--holds numbers, in Python a regressor)" if numeric else ""
        fewer = f"ask for {size} or fewer (--folds {size}, in Python cv={size})"
        raise InputError(
            f"class {label_of(classes[least])} has {many(size, 'row')}, too few for {folds} folds; "
            f"{fewer if size > 1 else 'drop its row'}, or merge it with another class{or_numbers}"
        )


def _row_numbers(given: Any, n: int) -> NDArray[np.intp]:
    """Row numbers, from row numbers or from a Boolean mask of all rows."""
    rows = np.asarray(given)
    if rows.ndim != 1:
        raise ValueError(f"a split lists rows, found shape {rows.shape}")
    if rows.dtype == np.bool_:
        if len(rows) != n:
            raise ValueError(f"a Boolean split needs {n} entries, found {len(rows)}")
        return np.flatnonzero(rows)
    if len(rows) and rows.dtype.kind not in "iu":
        raise ValueError(f"a split lists whole numbers, found {rows.tolist()[0]!r:.40}")
    if len(rows) and (rows.min() < 0 or rows.max() >= n):
        raise ValueError(f"a split lists rows from 0 to {n - 1}, found {rows.min()} to {rows.max()}")
    return rows.astype(np.intp)
