"""Naming: criteria beyond score and size by their names, which mean the same on the command line and in Python.

A name is that of a scorer of scikit-learn, or one of a few; the cost needs the costs besides, from whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.metrics import get_scorer_names

from elicit.errors import InputError, nearest
from elicit.events import EXTRAS, SCORE_AND_SIZE
from elicit.oracles.criteria import Extra, fit_time, scored, stability

#: The criteria that are made of nothing but their name.
MADE = {"stability": stability, "fit_time": fit_time}


def known_names(names: Iterable[str], asked: str) -> tuple[str, ...]:
    """The names without score and size, once each; `asked` is how an error calls the list that holds them."""
    always = [criterion.name for criterion in SCORE_AND_SIZE]
    wanted = tuple(name for name in dict.fromkeys(names) if name not in always)
    for name in wanted:
        if name not in EXTRAS and name not in (known := get_scorer_names()):
            hint = nearest(name, [*EXTRAS, *known])
            raise InputError(f"{asked} knows {', '.join(EXTRAS)} and scikit-learn's scorers, found {name!r}{hint}")
    return wanted


def extras_of(criteria: Any, costs: Extra | None) -> list[Extra]:
    """A list of criteria and names of criteria, then the cost if there is one, as an oracle takes them."""
    known = set(known_names((one for one in criteria if isinstance(one, str)), "criteria"))
    if "cost" in known and costs is None:
        raise InputError("the criterion cost needs the costs; give costs= one number an attribute")
    found: list[Extra] = []
    for one in criteria:
        if not isinstance(one, str):
            found.append(one)
        elif one in known - {"cost"}:
            found.append(MADE[one]() if one in MADE else scored(one))
            known.remove(one)  # named twice it is one criterion all the same
    return [*found, costs] if costs is not None else found
