"""Readable: columns that the estimator takes in no subset (texts, dates, complex or infinite numbers, gaps), and labels
that it takes with none, refused before anything is measured.

Tags do not tell which estimators take them, so a fit decides: where all columns are refused, one after the other is
tried beside those that hold ordinary numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.multiclass import type_of_target

from elicit.errors import InputError
from elicit.oracles import WrapperOracle
from elicit.oracles.columns import Columns, gaps, is_frame
from elicit.subsets import Mask

#: Larger ones are infinite to whoever computes in single precision, as trees do. It has the type of such numbers, for
#: in half precision it is infinite itself.
LARGEST_SINGLE = np.finfo(np.float32).max


def warn_of_lost_categories(estimator: Any, chosen: Any) -> None:
    """A warning where an estimator that reads categories off the types of columns gets an array, which has none."""
    settings = estimator.get_params().items()
    reads = any(n.endswith("categorical_features") and isinstance(v, str) and v == "from_dtype" for n, v in settings)
    lost = [name for name in chosen.columns if reads and _holds_categories(chosen[name])]
    if lost:
        warnings.warn(
            f"{lost[0]!r} holds categories, which an array does not tell from numbers, so a model fitted to this array "
            "is not the one that was measured; call set_output(transform='pandas')",
            stacklevel=4,
        )


def _holds_categories(column: Any) -> bool:
    return hasattr(column.dtype, "categories") or type(column.dtype).__name__ in ("Categorical", "Enum")


def require_readable(oracle: WrapperOracle, largest: Mask, estimator: Any) -> None:
    """An error for a column of the largest subset that the estimator refuses and that holds no ordinary numbers."""
    used = oracle.columns.of(largest)
    others = _odd(oracle.columns, used)
    if not others or not oracle.refusal(used):
        return
    called = type(estimator).__name__
    fitted = [k for k in used if k not in others]
    fitted = fitted or next(([k] for k in others if not oracle.refusal([k])), [])
    if not fitted:
        raise InputError(
            f"{called} takes no column of X, and none holds ordinary numbers; the first is "
            f"{oracle.columns.names[others[0]]!r} ({oracle.refusal(others[:1])}); put an encoder before it, "
            "or mend what the reason says"
        )
    if oracle.refusal(fitted):
        return  # it is something else, which the search will tell
    for k in others:
        if reason := oracle.refusal(sorted({*fitted, k})):
            raise InputError(
                f"{called} does not accept column {oracle.columns.names[k]!r} of X "
                f"({reason}); leave it out, or {_remedy(_column(oracle.columns, k))}"
            )


def _remedy(column: NDArray[Any]) -> str:
    """What to do about a column that is refused."""
    large, missing = _large(column), gaps(column)
    if large.any():
        return f"mend row {int(large.argmax())}"
    if column.dtype.kind == "c":
        return "give its real and imaginary parts as columns"
    put = f"put {'an imputer' if column.dtype.kind == 'f' else 'an encoder'} before it"
    return f"fill its gaps (such as in row {int(missing.argmax())}), or {put}" if missing.any() else put


def require_labels(oracle: WrapperOracle, largest: Mask, estimator: Any) -> None:
    """An error for a target that scikit-learn takes for neither labels nor numbers, as whole numbers of dtype object
    are, where the classifier refuses it."""
    if not is_classifier(estimator) or type_of_target(oracle.target) != "unknown":
        return
    used = oracle.columns.of(largest)
    others = _odd(oracle.columns, used)
    if oracle.refusal([k for k in used if k not in others] or used):
        meant = {"b": "bool", "i": "int", "f": "float"}.get(np.asarray(oracle.target.tolist()).dtype.kind, "str")
        raise InputError(
            f"Unknown label type: y has dtype {oracle.target.dtype}, and {type(estimator).__name__} does not take it; "
            f"give y.astype({meant})"
        )


def _odd(columns: Columns, used: Sequence[int]) -> list[int]:
    """The columns that hold something else than ordinary numbers; an array is looked at as a whole first."""
    X = columns.X
    if not is_frame(X) and not _extraordinary(X.data if hasattr(X, "tocsr") else X):
        return []
    return [k for k in used if _extraordinary(_column(columns, k))]


def _extraordinary(values: NDArray[Any]) -> bool:
    """Whether there are texts, dates, complex or infinite numbers, or gaps."""
    return bool(values.dtype.kind not in "biuf" or gaps(values).any() or _large(values).any())


def _column(columns: Columns, k: int) -> NDArray[Any]:
    column = columns.take([k])
    return np.asarray(column.toarray() if hasattr(column, "tocsr") else column).ravel()


def _large(values: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(values.dtype.kind == "f" and np.abs(values) > LARGEST_SINGLE)
