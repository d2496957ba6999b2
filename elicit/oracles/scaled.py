"""A leading scaler that treats each column by itself, fitted once a fold on all columns.

The rule: rows scaled with all columns are shared only where they are those of the scaler fitted to a subset,
to the last bit and in the same layout; otherwise there are no `ScaledFolds`, and the plain way scales.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils import _safe_indexing

from elicit.oracles.columns import Columns, holds_plain_numbers

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Splits = Sequence[tuple[Ints, Ints]]

#: Bytes of scaled copies (one a fold) beyond which a scaler is fitted anew for each subset.
LARGEST_SCALED_COPY = 1 << 28

#: Models whose neighbours are found for all folds at once (`fast.py`): they stand alone behind the scaler.
NEIGHBOURS = (KNeighborsClassifier, KNeighborsRegressor)

_SCALERS = (StandardScaler, MinMaxScaler, RobustScaler, MaxAbsScaler)


@dataclass(frozen=True)
class ScaledFolds:
    """Training and test rows of every fold after the scaler, with all columns; `rest` comes after it."""

    rest: Any
    train: tuple[Floats, ...]
    test: tuple[Floats, ...]
    order: str
    narrowest: ClassVar[int] = 2

    def fold(self, f: int, columns: Sequence[int]) -> tuple[Floats, Floats]:
        """Scaled training and test rows of fold f with these columns, laid out as the scaler would."""
        return self._take(self.train[f], columns), self._take(self.test[f], columns)

    def _take(self, rows: Floats, columns: Sequence[int]) -> Floats:
        return np.asarray(rows[:, list(columns)], order=self.order)  # type: ignore[call-overload,no-any-return]


def scaled_folds(estimator: Any, columns: Columns, splits: Splits) -> ScaledFolds | None:
    """Scale all columns once per fold; None where that could differ from scaling a subset.

    Whether a column is scaled to the same bits among others depends on the order in which numpy adds,
    hence on the layout in memory: several columns are added row by row, but one alone pairwise, so that
    a single column is never shared. Some widths are tried, too, and compared bit by bit.
    """
    rest = _after_scaler(estimator)
    if rest is None or not holds_plain_numbers(columns.X):
        return None
    n_rows, n_columns = columns.X.shape
    if n_rows * n_columns * 8 * len(splits) > LARGEST_SCALED_COPY:
        return None
    scaler = estimator.steps[0][1]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what warns is left to the plain way, which warns when it is due
            everything = list(range(n_columns))
            folds = [_scaled(scaler, columns, everything, split) for split in splits]
            order = "C" if folds[0][0].flags.c_contiguous else "F"
            made = ScaledFolds(rest, tuple(a for a, _ in folds), tuple(b for _, b in folds), order)
            widths = {w for w in (2, 3, n_columns // 2, n_columns - 1) if ScaledFolds.narrowest <= w < n_columns}
            same = all(_same_bits(made, scaler, columns, splits, w) for w in widths)
    except Exception:  # a scaler may raise anything; the plain way then raises it where it is due
        return None
    return made if same else None


def _after_scaler(estimator: Any) -> Any:
    """The steps after a leading scaler that treats each column by itself; None where there is no such scaler."""
    if type(estimator) is not Pipeline or len(estimator.steps) < 2 or estimator.memory is not None:
        return None
    scaler = estimator.steps[0][1]
    if not _well_named(estimator):  # the plain way refuses it
        return None
    if type(scaler) not in _SCALERS or getattr(estimator, "transform_input", None) is not None:
        return None
    if getattr(scaler, "_sklearn_output_config", None) or get_config()["transform_output"] != "default":
        return None
    steps = estimator.steps[1:]
    return steps[0][1] if len(steps) == 1 and type(steps[0][1]) in NEIGHBOURS else Pipeline(steps)


def _well_named(pipeline: Pipeline) -> bool:
    """Whether scikit-learn, which looks at the names of all steps when it fits them, takes these."""
    names, own = [name for name, _ in pipeline.steps], pipeline.get_params(deep=False)
    return len(set(names)) == len(names) and not any("__" in name or name in own for name in names)


def _scaled(scaler: Any, columns: Columns, chosen: Sequence[int], split: tuple[Ints, Ints]) -> list[Floats]:
    part = columns.take(chosen)
    fitted = clone(scaler).fit(_safe_indexing(part, split[0]))
    scaled = [fitted.transform(_safe_indexing(part, rows)) for rows in split]
    if not all(type(z) is np.ndarray and np.isfinite(z).all() for z in scaled):
        raise ValueError("only finite arrays are shared")
    return scaled


def _same_bits(made: ScaledFolds, scaler: Any, columns: Columns, splits: Splits, width: int) -> bool:
    """Whether `width` columns spread over X are scaled alone to the bits and layout they have in `made`."""
    chosen = np.unique(np.linspace(0, columns.X.shape[1] - 1, width).round().astype(int)).tolist()
    plain = _scaled(scaler, columns, chosen, splits[0])
    return all(
        a.tobytes() == b.tobytes()
        and (a.flags.c_contiguous, a.flags.f_contiguous) == (b.flags.c_contiguous, b.flags.f_contiguous)
        for a, b in zip(plain, made.fold(0, chosen), strict=True)
    )
