"""The target: whether its cells are classes or numbers, and the array that a model is given.

The rule: what the user says counts first. Then, since whole numbers may be either, what the model can predict. Then
what the values look like: texts, and at most 20 different whole numbers, are classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.data.values import BEYOND_DIGITS, as_numbers
from elicit.errors import InputError
from elicit.numeric import MOST_CLASSES, holds_classes
from elicit.printable import label_of

CLASSES, NUMBERS = "classes", "numbers"


def refuse_no_kind(holds: str | None) -> None:
    """Refuse what nobody could mean by what a target holds."""
    if holds not in (None, CLASSES, NUMBERS):
        raise InputError(f"a target holds {CLASSES} or {NUMBERS}, found {holds!r}")


def target_of(cells: Sequence[Any], holds: str | None, model_predicts: str | None) -> tuple[NDArray[Any], str]:
    """The target as an array, and what it holds; `holds` and what the model predicts are None where not known."""
    refuse_no_kind(holds)
    texts = [str(cell) for cell in cells]
    numbers = as_numbers(texts)
    if numbers is None:
        if holds == NUMBERS:
            first = next(text for text in texts if as_numbers([text]) is None)
            raise InputError(f"the target is to hold numbers, but {first!r} is none; leave that out (--holds)")
        return np.array(texts), CLASSES
    whole = bool((numbers == np.round(numbers)).all())
    exact = _exact(texts, numbers) if whole else None
    few = holds_classes(numbers) if exact is None else len(set(exact)) <= MOST_CLASSES
    by_look = CLASSES if few else NUMBERS
    found = holds or (model_predicts if whole else None) or by_look
    if exact is not None:
        if found == NUMBERS:
            raise InputError(f"the target's numbers differ {BEYOND_DIGITS}; shorten them, or --holds classes")
        return np.array(exact), CLASSES
    if found == CLASSES and by_look == NUMBERS:
        # the names of these classes are texts, so that nobody takes them for numbers; 3 and 3.0 are one class
        return np.array([label_of(number) for number in numbers.tolist()]), CLASSES
    return numbers, found


def _exact(texts: Sequence[str], numbers: NDArray[np.float64]) -> list[str] | None:
    """Whole numbers as texts, digit by digit, where floats do not tell them apart; else None."""
    if np.abs(numbers).max() < 1 / np.finfo(np.float64).eps:
        return None
    digits = [str(int(Decimal(text).to_integral_value())) for text in texts]
    return digits if len(set(digits)) > len(np.unique(numbers)) else None
