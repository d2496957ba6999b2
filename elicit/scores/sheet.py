"""Rows with some columns replaced: the one thing that every question to a model is made of.

The rule: an array stays an array and a pandas frame stays a frame with its names and types, so that a model
sees what it was fitted on. The original is never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.numeric import is_whole


class Sheet:
    """The rows and columns of X."""

    def __init__(self, X: Any) -> None:
        self._frame = hasattr(X, "iloc")
        if not self._frame and hasattr(X, "toarray"):
            raise InputError("a sparse matrix cannot be changed cell by cell; give X.toarray()")
        if np.ma.isMaskedArray(X):
            raise InputError("X is a masked array; fill or drop what is masked first (X.filled(…))")
        if not self._frame and hasattr(X, "columns"):
            raise InputError(f"expected an array or a pandas frame, found {type(X).__name__}; give X.to_pandas()")
        data: Any = X if self._frame else np.asarray(X)
        if data.ndim != 2 or 0 in data.shape:
            raise InputError(f"X must have rows and columns, at least one of each; found shape {data.shape}")
        # a grid of fractions must fit into a column of whole numbers
        self.X: Any = data.astype(np.float64) if not self._frame and data.dtype.kind in "biu" else data
        self.n, self.d = (int(k) for k in data.shape)
        self.names = tuple(str(c) for c in data.columns) if self._frame else tuple(f"x{i}" for i in range(self.d))
        if len(set(self.names)) < self.d:
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise InputError(f"two columns are called {twice!r}; rename one")

    def position(self, attribute: int | str) -> int:
        """The position of an attribute, given by position or by name."""
        if isinstance(attribute, str):
            if attribute not in self.names:
                raise InputError(f"no column is called {attribute!r}; the columns are {', '.join(self.names)}")
            return self.names.index(attribute)
        if not is_whole(attribute):
            raise InputError(f"an attribute is a name or a position, found {attribute!r}")
        if not 0 <= attribute < self.d:
            raise InputError(f"there are {self.d} columns, from 0 to {self.d - 1}; found {attribute}")
        labels = list(self.X.columns) if self._frame else []
        if attribute in labels and labels[attribute] != attribute:  # nobody knows which column is meant
            raise InputError(
                f"{attribute} may be a label of X or a position; label columns by texts, as X.rename(columns=str) does"
            )
        return int(attribute)

    def column(self, j: int) -> NDArray[Any]:
        """The values of one column."""
        return np.asarray(self.X.iloc[:, j] if self._frame else self.X[:, j])

    def numeric(self, j: int) -> bool:
        """Whether a column holds numbers (truth values are categories, and so is what a frame calls a category)."""
        if self.categories(j) is not None:
            return False
        values = self.column(j)
        if values.dtype.kind == "O":
            return all(isinstance(v, Number) and not isinstance(v, bool | complex) for v in values)
        return values.dtype.kind in "iuf"

    def categories(self, j: int) -> Any:
        """The type of a column of a frame that is a category, else None."""
        kind = self.X.dtypes.iloc[j] if self._frame else None
        return kind if hasattr(kind, "categories") else None

    def numbers(self, j: int) -> NDArray[np.float64]:
        """A column that must hold finite numbers."""
        if not self.numeric(j):
            raise InputError(f"the column {self.names[j]!r} holds no numbers; treat it as categorical")
        values = self.column(j).astype(np.float64)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise InputError(
                f"the column {self.names[j]!r} is {values[row]} in row {row}; fill or drop such rows first"
            )
        return values

    def replaced(self, rows: Any, values: Mapping[int, Any]) -> Any:
        """These rows (positions, repeats allowed), with the given values in some columns."""
        if not self._frame:
            data = self.X[rows]
            if data.dtype.kind in "US":  # texts of a fixed length would be cut
                data = data.astype(np.result_type(data.dtype, *(np.asarray(v).dtype for v in values.values())))
            for j, column in values.items():
                data[:, j] = column
            return data
        frame = self.X.iloc[rows].reset_index(drop=True)
        for j, column in values.items():
            name, kind = self.X.columns[j], self.X.dtypes.iloc[j]
            if (known := self.categories(j)) is not None:
                odd = [v for v in {v for v in column if not gap(v)} if v not in set(known.categories)]
                if odd:
                    raise InputError(
                        f"the column {str(name)!r} has no category {str(odd[0])!r}; give both frames the same ones"
                    )
            frame[name] = column
            # numbers with gaps of pandas' own are objects, which only their own type makes numbers again
            if getattr(kind, "kind", "O") not in "biuf" or np.asarray(column).dtype.kind == "O":
                frame[name] = frame[name].astype(kind)
        return frame


def gap(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or pandas' own missing value, which has no truth value."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
    except ValueError:  # a cell that holds an array is no gap
        return False
