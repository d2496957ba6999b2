"""Arguments: what an elicitation is made of, checked where it is given, each in a line that says what is expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.numeric import given_numbers
from elicit.subsets import Family
from elicit.utility.monomials import Vector, check_degree
from elicit.utility.scopes import Scope


def settings_of(given: Any, family: Family) -> Settings:
    """The settings, which must go with the family; where none are given, the default ones."""
    if given is not None and not isinstance(given, Settings):
        raise InputError(f"settings are a Settings (settings_from makes one of a dict), found {given!r:.80}")
    settings = given or Settings(degree=min(Settings.degree, family.n))  # one attribute has no pair
    check_degree(settings.degree, family.n)
    Scope.of(settings.scope).check(family)
    if any(j >= family.n for _, j in settings.pairs):
        raise InputError(f"pairs name a position beyond the {family.n} attributes; they count from 0")
    return settings


def checked_prior(given: Any, n: int) -> Vector | None:
    """One finite number for each of n attributes, or None."""
    if given is None:
        return None
    try:
        prior = given_numbers(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"a prior is one number for each attribute, found {given!r:.80}") from error
    if prior.shape != (n,):
        raise InputError(f"a prior is one number for each of the {n} attributes, found shape {prior.shape}")
    if not np.isfinite(prior).all():
        raise InputError("a prior holds finite numbers only; leave out or fill what is missing")
    return prior
