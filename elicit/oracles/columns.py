"""The columns behind each attribute: one, or a group of them that is chosen or left as a whole.

X stays what the user gave (array, sparse matrix, frame; one of pandas may be laid out anew in memory); only the
selected columns of it are handed on, in their original order, so that an estimator sees what it would see outside
Elicit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from elicit.errors import InputError
from elicit.numeric import is_whole
from elicit.scores.sheet import gap
from elicit.subsets import Attributes, Mask, members

#: What tables of pyarrow, dask and narwhals and lazy ones of polars have, but no frame that can be indexed: how a frame
#: is made of one.
_TO_A_FRAME = {"column_names": "to_pandas", "compute": "compute", "collect": "collect", "to_native": "to_native"}


@dataclass(frozen=True)
class Columns:
    """X, the attributes, for each attribute the positions of its columns, and what the columns are called."""

    X: Any
    attributes: Attributes
    positions: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]

    def of(self, mask: Mask) -> list[int]:
        """The column positions of a subset, ascending."""
        return sorted(column for i in members(mask) for column in self.positions[i])

    def attribute_of(self, column: int) -> int:
        """The position of the attribute that a column belongs to."""
        return next(i for i, columns in enumerate(self.positions) if column in columns)

    def refuse_shifted(self, number: int, what: str) -> None:
        """Refuse the position of an attribute that, since columns are grouped, is that of a column of another one."""
        if (other := self.attribute_of(number)) != number:
            one, another = (self.attributes.names[k] for k in (number, other))
            raise InputError(
                f"{what} {number}, which with feature_groups may be the attribute {one!r} or a column of {another!r}; "
                "give its name"
            )

    def take(self, columns: Sequence[int]) -> Any:
        """These columns of X, as the same kind of container."""
        return _safe_indexing(self.X, list(columns), axis=1)


def is_frame(X: object) -> bool:
    """Whether X is a table with named columns (pandas, polars) rather than an array."""
    return hasattr(X, "columns") and hasattr(X, "shape")


def holds_plain_numbers(X: Any) -> bool:
    """Whether X is dense, and any of its columns become an array of the type of number that all would become.

    A frame holds floats of one precision (32 or 64 bits) or whole numbers of 64 bits; only pandas may have both of 64.
    Rows of polars become arrays that are laid out by the type of their columns.
    """
    if hasattr(X, "tocsr"):
        return False
    if is_frame(X):
        kinds = {str(kind) for kind in X.dtypes}  # pandas has types called "Float64", too: with gaps
        if hasattr(X, "iloc"):
            return kinds <= {"float64", "int64"} or kinds == {"float32"}
        return kinds in ({"Float64"}, {"Int64"}, {"Float32"})
    return isinstance(X, np.ndarray) and (X.dtype in (np.float64, np.float32) or X.dtype.kind in "iu")


def laid_out_by_columns(X: Any) -> Any:
    """A pandas frame of plain numbers with each column in one piece, a new one where need be; all else as it is.

    A frame around an array keeps its rows in one piece. How the rows of some of its columns are laid out then depends
    on which ones they are, and with it the last digits of their sums: equal distances of neighbours might become
    unequal, and nothing could be shared between subsets.
    """
    if not (hasattr(X, "iloc") and is_frame(X) and holds_plain_numbers(X)):
        return X
    if all(column.to_numpy().flags.c_contiguous for _, column in X.items()):
        return X
    return X.apply(lambda column: column)  # joined by pandas, which keeps the kind of frame and what is noted on it


def require_array_or_frame(X: object) -> None:
    """Refuse what passes for a frame and is indexed in another way, or for an array and would lose its masks."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise InputError("X is a masked array; fill or drop what is masked first (X.filled(…))")
    kind = type(X)
    marks = [mark for mark in _TO_A_FRAME if hasattr(kind, "columns") and hasattr(kind, mark)]
    if marks:
        raise InputError(
            f"expected an array or a frame of pandas or polars, found a {kind.__module__.partition('.')[0]} "
            f"{kind.__name__}; give X.{_TO_A_FRAME[marks[0]]}()"
        )


def labels_of(value: Any) -> list[list[Any]]:
    """The labels of a pandas series, or of the rows and columns of a frame; nothing of anything else."""
    if not (hasattr(value, "reindex") and hasattr(value, "index")):
        return []
    return [list(value.index), list(value.columns)] if is_frame(value) else [list(value.index)]


def labelled(value: Any) -> bool:
    """Whether a value is a pandas series or frame whose labels say more than the order."""
    labels = labels_of(value)
    return bool(labels) and labels[0] != list(range(len(labels[0])))


def by_name(value: Any, names: Sequence[str], what: str) -> Any:
    """A mapping or a labelled series (or square frame) in the order of the names; anything else as it is."""
    if isinstance(value, Mapping):
        axes, found = [list(value)], np.array(list(value.values()), dtype=object)
    elif labelled(value):
        axes, found = labels_of(value), np.asarray(value)
    else:
        return value
    for axis, labels in enumerate(axes):
        told = [str(label) for label in labels]
        if sorted(told) != sorted(names):
            raise InputError(f"the labels of {what} are not the attributes; label each attribute once, or give a list")
        found = np.take(found, [told.index(name) for name in names], axis=axis)
    return found


def refuse_ambiguous(listed: Collection[Any], X: Any, what: str) -> None:
    """Refuse a position that is the label of another column of a frame: nobody knows which is meant."""
    labels = list(X.columns) if is_frame(X) else []
    for number in filter(is_whole, listed):
        if number in labels and 0 <= number < len(labels) and labels[number] != number:
            raise InputError(
                f"{what} {number!r}, which may be a label of X or a position; label columns by texts, as "
                "X.rename(columns=str) does"
            )


def require_one_each(values: NDArray[np.float64], attributes: Attributes, wanted: str) -> None:
    """Refuse numbers that are not a finite one for each attribute; an error begins with what is wanted."""
    expected = f"{wanted} for each of the {len(attributes)} attributes"
    if values.shape != (len(attributes),):
        raise InputError(f"{expected}, found shape {values.shape}")
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise InputError(f"{expected}, found {values[wrong[0]]} for {attributes.names[wrong[0]]!r}")


def columns_of(
    X: Any,
    attributes: Sequence[str] | Attributes | None = None,
    groups: Mapping[str, Sequence[int | str]] | None = None,
) -> Columns:
    """Read X and name its attributes; columns outside every group are attributes by themselves.

    `attributes` names the columns; without it a frame's own names or a1 … an are used. A group takes
    the place of the first of its columns.
    """
    X = _table(X)
    names = _column_names(X, attributes)
    if groups is not None and not isinstance(groups, Mapping):
        raise InputError(f"feature groups are a dictionary from a name to its columns, found a {type(groups).__name__}")
    owner: dict[int, str] = {}
    lookup = Attributes(names)
    for group, listed in (groups or {}).items():
        if isinstance(listed, Collection):
            refuse_ambiguous(listed, X, f"the group {group!r} names")
        for column in _group(group, listed, names, lookup):
            if owner.get(column) == group:
                raise InputError(f"the group {group!r} names column {names[column]!r} twice; take it out once")
            if column in owner:
                raise InputError(
                    f"column {names[column]!r} is in the groups {owner[column]!r} and {group!r}; "
                    "a column may belong to one group only"
                )
            owner[column] = group
    slots: dict[tuple[bool, str], list[int]] = {}
    for column, name in enumerate(names):
        key = (True, owner[column]) if column in owner else (False, name)
        slots.setdefault(key, []).append(column)
    return Columns(X, Attributes(tuple(name for _, name in slots)), tuple(tuple(c) for c in slots.values()), names)


def _table(X: Any) -> Any:
    """X with two dimensions and something in both, sparse matrices in a form that can be indexed."""
    require_array_or_frame(X)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not is_frame(X):
        X = np.asarray(X)
    if len(X.shape) != 2:
        raise InputError(f"X must have two dimensions (rows, columns), found shape {tuple(X.shape)}")
    if 0 in X.shape:
        raise InputError(f"X must have at least one row and one column, found shape {tuple(X.shape)}")
    return X


def _column_names(X: Any, given: Sequence[str] | Attributes | None) -> tuple[str, ...]:
    n = X.shape[1]
    if given is None:
        return Attributes(tuple(map(str, X.columns)) if is_frame(X) else Attributes.numbered(n).names).names
    names = given.names if isinstance(given, Attributes) else tuple(given)
    if len(names) != n:
        raise InputError(f"X has {n} columns but {len(names)} attribute names were given; name each column once")
    return Attributes(names).names


def _group(group: str, listed: Sequence[int | str], names: tuple[str, ...], lookup: Attributes) -> list[int]:
    """The column positions of one group, given by position or by name."""
    if not isinstance(group, str):
        raise InputError(f"feature groups are called by texts, found {group!r}")
    if isinstance(listed, str) or not isinstance(listed, Iterable) or not len(listed := list(listed)):
        raise InputError(f"group {group!r} needs a list of at least one column, found {listed!r}")
    columns = []
    for column in listed:
        if isinstance(column, str):
            columns.append(lookup.position(column, f"group {group!r}"))
        elif is_whole(column) and 0 <= int(column) < len(names):
            columns.append(int(column))
        else:
            raise InputError(f"group {group!r} names column {column}, but X has the columns 0 to {len(names) - 1}")
    return columns


def gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where nothing is known: None, NaN, or what pandas has for one."""
    if values.dtype.kind not in "fO":
        return np.zeros(values.shape, dtype=np.bool_)
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values), dtype=np.bool_)
    with np.errstate(invalid="ignore"):  # some builds of Python raise the flag when NaN is compared with itself
        return np.asarray(np.frompyfunc(gap, 1, 1)(values), dtype=np.bool_)


def require_no_gaps(target: NDArray[Any]) -> None:
    """Refuse a target with a gap."""
    missing = gaps(target)
    if missing.any():
        row = int(np.argwhere(missing)[0][0])
        raise InputError(f"the target is missing in row {row}; drop the rows without a target")
