"""Readable: texts and dates in a frame that the estimator takes in no subset, refused before anything is measured.

Tags do not tell which estimators take them, so a fit decides: where all columns are refused, one after the other is
tried beside those that hold numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.oracles import WrapperOracle
from elicit.oracles.columns import is_frame
from elicit.printable import printable
from elicit.subsets import Mask


def require_readable(oracle: WrapperOracle, largest: Mask, estimator: Any) -> None:
    """An error for a column of the largest subset that holds no numbers and that the estimator refuses."""
    X, used = oracle.columns.X, oracle.columns.of(largest)
    others = [k for k in used if _kind(oracle.columns.take([k])) not in "biufc"] if is_frame(X) else []
    if not others or not oracle.refusal(used):
        return
    fitted = [k for k in used if k not in others]
    fitted = fitted or next(([k] for k in others if not oracle.refusal([k])), [])
    if not fitted or oracle.refusal(fitted):
        return  # it is something else, which the search will tell
    for k in others:
        if reason := oracle.refusal(sorted({*fitted, k})):
            raise InputError(
                f"{type(estimator).__name__} does not accept column {printable(oracle.columns.names[k])!r} of X "
                f"({reason}); leave it out, or put an encoder before it"
            )


def _kind(column: Any) -> str:
    return np.asarray(column).dtype.kind
