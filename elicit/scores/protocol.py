"""What every attribute score reads and gives: f(X, y, **options) -> one number a column.

The rule: the input is checked here, once, in the same words for every score. Columns are numbers; a gap
(NaN) is refused except by the scores that say what a gap means, and a sparse matrix is made dense except for
those that do with what it stores. A target holds classes when it holds texts or truth values, or at most 20
distinct whole numbers; the option `classes`, where a score has it, says it outright. A group of columns, such
as a one-hot block, is one attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from elicit.errors import CellError, InputError, first_line
from elicit.numeric import LARGEST, holds_classes, is_whole
from elicit.scores.sheet import gap

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Score = Callable[..., Floats]
Targets = Literal["classes", "numbers", "both"]
Groups = Sequence[Sequence[int]]

MASKED_TARGET = "the target is a masked array; drop the rows that are masked first"

#: A share below this is what sums that cancel leave of nothing: rows enough to tell it from chance do not exist.
LEAST_SHARE = 1e-13


@dataclass(frozen=True)
class Table:
    """X (rows, columns), an array or as `stored_numbers` gives it; y (rows,): codes 0, 1, … of classes, or numbers."""

    X: Any
    y: NDArray[Any]
    classes: bool

    @property
    def target(self) -> NDArray[Any]:
        """y, and where it holds numbers, centred with largest |value| 1: for scores that no unit changes."""
        return self.y if self.classes else centred(self.y[:, None])[:, 0]

    @property
    def counts(self) -> Ints:
        """Rows of each class."""
        return np.bincount(self.y)


def table(
    X: Any,
    y: Any,
    by: str,
    targets: Targets = "both",
    *,
    classes: bool | None = None,
    gaps: bool = False,
    sparse: bool = False,
    instead: str = "another score",
) -> Table:
    """X and y, checked for the score called `by`, which serves these targets; `gaps` lets NaN through in X.

    `sparse` leaves a sparse X sparse. `instead` is what an error names for targets that this score does not serve.
    """
    data = stored_numbers(X, gaps=gaps) if sparse and hasattr(X, "tocsr") else numbers(X, gaps=gaps)
    target = target_of(y, data.shape[0])
    # half precision has no number as large
    if target.dtype.kind == "f" and (np.abs(target.astype(np.float64)) > LARGEST).any():
        row = int(np.argmax(np.abs(target)))
        raise InputError(f"the target is {target[row]:g} in row {row}, too large to square; rescale it")
    if classes is not None and not isinstance(classes, bool | np.bool_):
        raise InputError(f"classes is true, false or None, found {classes!r}")
    held = targets != "numbers" and (holds_classes(target) if classes is None else classes)
    if held:
        codes = _codes(target)
        if codes.max() == 0:
            only = f"{target[0]:g}" if target.dtype.kind == "f" else str(target[0])
            raise InputError(f"classes are compared by {by}, but every row of the target is {only}; add others")
        return Table(data, codes, True)
    if targets == "classes":
        raise InputError(
            f"{by} needs a target of classes, but this one holds numbers; choose {instead}, or give labels as texts"
        )
    if target.dtype.kind not in "biuf":
        raise InputError(f"{by} needs a target of numbers, but this one holds texts; choose {instead}")
    values = target.astype(np.float64)
    if constant(values[:, None])[0]:
        rounding = "" if np.ptp(values) == 0 else ", but for rounding"
        raise InputError(
            f"every row of the target is {target[0]!s}{rounding}, so nothing explains it; give one that varies"
        )
    return Table(data, values, False)


def target_of(y: Any, rows: int) -> NDArray[Any]:
    """One value a row, without gaps. Numbers and truth values kept as objects are such; dates are neither numbers nor
    classes."""
    if np.ma.isMaskedArray(y):
        raise InputError(MASKED_TARGET)
    target = np.asarray(y)
    if target.shape != (rows,):
        raise InputError(f"X has {rows} rows but the target has shape {target.shape}; give one value a row")
    target = _plain(target)
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        raise InputError(f"the target is not finite in row {int(np.argmin(np.isfinite(target)))}; drop such rows")
    return target


def _plain(target: NDArray[Any]) -> NDArray[Any]:
    cells = target.tolist() if target.dtype.kind == "O" else []
    if holds_dates(target) or any(hasattr(v, "year") for v in cells):  # dates of Python and of pandas are objects
        raise InputError("the target holds dates; give numbers, such as days since the first")
    if target.dtype.kind == "c" or any(isinstance(v, complex | np.complexfloating) for v in cells):
        raise InputError("the target holds complex numbers; give one real number a row")
    if target.dtype.kind != "O":
        return target
    if all(isinstance(v, Number) and not isinstance(v, bool) for v in cells):
        try:
            return target.astype(np.float64)
        except OverflowError:
            raise InputError("the target holds a whole number that no float can hold; rescale it") from None
    if all(isinstance(v, bool | np.bool_) for v in cells):
        return target.astype(bool)
    holes = [row for row, v in enumerate(cells) if gap(v)]
    if holes:  # among labels a gap is no class; sorted with them it would tear classes apart
        raise InputError(f"the target has a gap in row {holes[0]}; drop such rows")
    return target


def _codes(target: NDArray[Any]) -> Ints:
    """Classes numbered 0, 1, … in order."""
    try:
        return np.unique(target, return_inverse=True)[1].astype(np.intp)
    except TypeError as error:
        raise InputError(f"the target mixes kinds of values ({error}); give all labels as texts") from error


def numbers(X: Any, *, gaps: bool = False) -> Floats:
    """The columns of X (array, frame or sparse matrix) as numbers; finite ones, or NaN where gaps are let through."""
    _refuse_no_numbers(X)
    try:
        if hasattr(X, "iloc"):  # a frame may have a gap of its own kind
            values = np.asarray(X.to_numpy(dtype=np.float64, na_value=np.nan))
        else:
            values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"a score needs numeric columns ({first_line(error)}); encode the others first") from error
    _refuse_cells(values, values, gaps)
    return np.ascontiguousarray(values)  # sums over columns that lie otherwise end in other digits


def stored_numbers(X: Any, *, gaps: bool = False) -> Any:
    """A sparse X as `numbers` takes it, but left sparse: a `csr_array` of its own that stores each cell once."""
    _refuse_no_numbers(X)
    values = csr_array(X, dtype=np.float64, copy=True)
    values.sum_duplicates()
    _refuse_cells(values, values.data, gaps)
    return values


def _refuse_cells(X: Any, cells: Floats, gaps: bool) -> None:
    """Refuse an X without cells, and among its cells (of a sparse one those that it stores) what is not finite, or
    too large."""
    if len(X.shape) != 2 or 0 in X.shape:
        raise InputError(f"X must have rows and columns, at least one of each; found shape {X.shape}")
    faults: tuple[tuple[NDArray[np.bool_], str, str], ...] = (
        (np.isinf(cells) if gaps else ~np.isfinite(cells), "", "; fill or drop such rows first"),
        (np.abs(cells) > LARGEST, "g", ", too large to square; rescale it"),
    )
    for wrong, form, remedy in faults:
        if wrong.any():
            first = tuple(np.argwhere(wrong)[0])
            row, column = first if len(first) == 2 else (places[first] for places in X.tocoo().coords)
            raise CellError(f"X is {cells[first]:{form}} in row {row}, column {column}{remedy}", row, column)


def holds_dates(values: Any) -> bool:
    """Whether an array, or a column of a frame, holds points or spans of time: numpy would make numbers of them."""
    return bool(_kinds(values) & {"m", "M"})


def holds_complex(values: Any) -> bool:
    """Whether an array, or a column of a frame, holds complex numbers: numpy would drop their imaginary parts."""
    return "c" in _kinds(values)


def _kinds(values: Any) -> set[str]:
    """The kinds of types that an array, matrix, series or frame holds."""
    held = getattr(values, "dtypes", getattr(values, "dtype", None))  # of a frame one a column, of a series one
    return {_kind(each) for each in (held if isinstance(held, Iterable) else [held])}


def _kind(held: Any) -> str:
    """The letter that numpy has for a type; polars, which has none, says whether it is one of times."""
    if hasattr(held, "is_temporal") and held.is_temporal():
        return "M"
    return str(getattr(held, "kind", "O"))


def _refuse_no_numbers(X: Any) -> None:
    """Dates and complex numbers would be taken for numbers, and what a mask hides would come back."""
    if np.ma.isMaskedArray(X):
        raise InputError("X is a masked array; fill or drop what is masked first (X.filled(…))")
    if holds_dates(X):
        raise InputError("a column of X holds dates; give numbers, such as days since the first")
    if holds_complex(X):
        raise InputError("X holds complex numbers; give their real and imaginary parts as columns")


def generator(given: Any, name: str = "random_state") -> np.random.Generator:
    """The generator that an argument stands for: a seed, or a generator itself."""
    return given if isinstance(given, np.random.Generator) else np.random.default_rng(whole_seed(given, name))


def whole_seed(value: Any, name: str = "seed") -> int:
    """A seed as every library takes it."""
    if not is_whole(value) or not 0 <= value < 2**32:
        raise InputError(f"{name} must be a whole number from 0 to 4294967295, found {value!r}")
    return int(value)


def constant(X: Floats) -> NDArray[np.bool_]:
    """Which columns hold one value only, gaps aside; a difference in the last digits counts as rounding."""
    least, most = np.fmin.reduce(X), np.fmax.reduce(X)
    rounding = 4 * np.finfo(np.float64).eps * np.maximum(np.abs(least), np.abs(most))
    return np.asarray(~(most - least > rounding))  # a column of nothing but gaps is constant


def centred(X: Floats) -> Floats:
    """Mean 0 and largest |value| 1, whatever the unit; a constant column becomes 0."""
    same = constant(X)
    moved = X - X.mean(axis=0)
    moved -= moved.mean(axis=0)  # far from 0 the first mean is rounded
    moved[:, same] = 0.0
    return np.asarray(moved / np.where(same, 1.0, np.abs(moved).max(axis=0)))


def without_rounding(values: Floats, size: float = 1.0) -> Floats:
    """What is rounding beside numbers of this size at 0, so that what tells nothing ranks with all that tells nothing.

    A share of R² is of size 1, and so is a weight of Relief.
    """
    return np.where(np.abs(values) < LEAST_SHARE * size, 0.0, values)


def columns_of_groups(groups: Groups | None, d: int) -> list[list[int]]:
    """The columns of each attribute; without groups every column is one. Together they hold each column once."""
    if groups is None:
        return [[i] for i in range(d)]
    given: Any = groups
    listed = isinstance(given, Collection) and not isinstance(given, str | Mapping)
    held: list[list[Any]] = [list(g) if isinstance(g, Collection) else [None] for g in given] if listed else []
    if not listed or not all(map(is_whole, chain.from_iterable(held))):
        raise InputError(f"groups are lists of column positions, such as [[0, 1], [2]]; found {groups!r:.80}")
    if not all(held) or sorted(i for group in held for i in group) != list(range(d)):
        raise InputError(f"groups must hold each of the {d} columns exactly once, and none be empty; found {held}")
    return [list(map(int, group)) for group in held]


def quantile_borders(column: Floats, intervals: int) -> Floats:
    """The least value, then the values of rank ⌈kn/K⌉ for k = 1 … K."""
    ordered, n = np.sort(column), len(column)
    ranks = [-(-k * n // intervals) for k in range(1, intervals + 1)]
    return np.concatenate([ordered[:1], ordered[np.array(ranks) - 1]])


def column_mask(discrete: Any, n: int) -> NDArray[np.bool_]:
    """Which of n columns hold codes: a truth value for all, one for each, or the positions of those that do."""
    if isinstance(discrete, bool | np.bool_):
        return np.full(n, bool(discrete))
    given = np.asarray(discrete)
    if given.dtype == bool and given.shape == (n,):
        return given
    if given.ndim == 1 and given.dtype.kind in "iu" and ((given >= 0) & (given < n)).all():
        return np.isin(np.arange(n), given)
    if given.shape == (0,):
        return np.zeros(n, dtype=bool)
    raise InputError(
        f"discrete is true, false, a truth value for each of the {n} columns, or a list of column positions; "
        f"found {discrete!r}"
    )
