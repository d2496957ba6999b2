"""Keeping: the family among whose subsets a selector searches, as `keep` and `max_features` leave it.

The rule: a feature that is the same in every row tells no rows apart, and one that the estimator drops tells it
nothing. It is left out unless it is kept: to the score it makes no difference, and to the search it doubles the family.
(A linear model without an intercept may need a constant.)
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from elicit.errors import InputError
from elicit.numeric import is_whole
from elicit.oracles.columns import Columns, by_name, gaps, is_frame, refuse_ambiguous
from elicit.subsets import Attributes, Family, Mask, mask_of


def family_of(keep: Any, largest: Any, columns: Columns, unread: Collection[int] = ()) -> Family:
    """The subsets that hold what is kept, nothing constant, and no more attributes than the largest may have.

    unread: positions of columns that the estimator drops before it looks at them. They are left out, too.
    """
    attributes = columns.attributes
    listed = _listed(keep, attributes)
    refuse_ambiguous(() if keep is None else keep, columns.X, "keep names")  # as given: truth values are no numbers
    kept = mask_of(_position(which, columns) for which in listed)
    if largest is not None and not is_whole(largest):
        raise InputError(f"max_features is a whole number of attributes or None, found {largest!r}")
    if largest is not None and largest < max(1, kept.bit_count()):
        least = "at least 1" if not kept else f"at least {kept.bit_count()}, as many as keep names"
        raise InputError(f"max_features = {largest} leaves no subset; it must be {least}")
    dropped = mask_of(k for k, places in enumerate(columns.positions) if set(places) <= set(unread)) & ~kept
    left_out = dropped | _constant_attributes(columns) & ~kept
    if left_out == attributes.everything:  # nothing else is there to choose
        left_out = 0 if dropped == left_out else dropped
        warnings.warn("no feature tells the rows apart, so which of them is chosen says nothing", stacklevel=2)
    return Family(len(attributes), keep=kept, drop=left_out, max_size=None if largest is None else int(largest))


def _constant_attributes(columns: Columns) -> Mask:
    """The attributes of which every column is the same in every row."""
    same = same_in_every_row(columns.X)
    return mask_of(k for k, positions in enumerate(columns.positions) if same[list(positions)].all())


def same_in_every_row(X: Any) -> NDArray[np.bool_]:
    """For each column whether it is the same in every row; a gap differs from everything but a gap."""
    if hasattr(X, "tocsr"):
        rows = X.tocsr(copy=True)
        rows.sum_duplicates()
        same = np.asarray(rows.max(axis=0).toarray() == rows.min(axis=0).toarray()).ravel()
        missing = np.bincount(rows.indices[gaps(rows.data)], minlength=X.shape[1])
        return np.asarray(same | (missing == X.shape[0]))
    columns = (_safe_indexing(X, k, axis=1) for k in range(X.shape[1])) if is_frame(X) else X.T
    return np.array([_same_throughout(np.asarray(column)) for column in columns], dtype=np.bool_)


def _same_throughout(column: NDArray[Any]) -> bool:
    missing = gaps(column)
    if missing.any():
        return bool(missing.all())
    if column.dtype.kind != "O":
        return bool((column == column[0]).all())
    return all(_same(cell, column[0]) for cell in column)


def _same(cell: Any, other: Any) -> bool:
    """Whether two cells are equal; cells whose comparison is no single truth value, such as arrays, are not."""
    try:
        return cell is other or bool(cell == other)
    except (TypeError, ValueError):
        return False


def _listed(keep: Any, attributes: Attributes) -> list[Any]:
    """Names and positions of what must be kept; one truth value for each attribute says it too."""
    if keep is None:
        return []
    if isinstance(keep, str) or not isinstance(keep, Collection):  # an iterator would be empty at the next fit
        raise InputError(f"keep lists names or positions of attributes, found {keep!r}")
    listed, n = list(keep), len(attributes)
    if not listed or not all(isinstance(which, bool | np.bool_) for which in listed):
        return listed
    if len(listed) != n:
        raise InputError(f"keep holds {len(listed)} truth values, but there are {n} attributes")
    return [attributes.names[k] for k, held in enumerate(by_name(keep, attributes.names, "keep")) if held]


def _position(which: Any, columns: Columns) -> int:
    attributes = columns.attributes
    if isinstance(which, str):
        if which not in attributes.names and which in columns.names:  # a group is chosen or left as a whole
            group = attributes.names[columns.attribute_of(columns.names.index(which))]
            raise InputError(f"keep names {which!r}, which is in the group {group!r}; name the group")
        return attributes.position(which, "keep")
    if is_whole(which) and 0 <= int(which) < len(attributes):
        columns.refuse_shifted(int(which), "keep names")
        return int(which)
    raise InputError(f"keep names attribute {which!r}, but there are the attributes 0 to {len(attributes) - 1}")
