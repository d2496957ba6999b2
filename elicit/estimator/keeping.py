"""Keeping: the family that `keep` and `max_features` leave, the subsets among which a selector searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from elicit.errors import InputError
from elicit.numeric import is_whole
from elicit.oracles.columns import by_name
from elicit.subsets import Attributes, Family, mask_of


def family_of(keep: Any, largest: Any, attributes: Attributes, groups: Mapping[str, Sequence[int | str]]) -> Family:
    """The subsets that hold what is kept, and no more attributes than the largest may have."""
    kept = mask_of(_position(which, attributes, groups) for which in _listed(keep, attributes))
    if largest is not None and not is_whole(largest):
        raise InputError(f"max_features is a whole number of attributes or None, found {largest!r}")
    return Family(len(attributes), keep=kept, max_size=None if largest is None else int(largest))


def _listed(keep: Any, attributes: Attributes) -> list[Any]:
    """Names and positions of what must be kept; one truth value for each attribute says it too."""
    if keep is None:
        return []
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        raise InputError(f"keep lists names or positions of attributes, found {keep!r}")
    listed, n = list(keep), len(attributes)
    if not listed or not all(isinstance(which, bool | np.bool_) for which in listed):
        return listed
    if len(listed) != n:
        raise InputError(f"keep holds {len(listed)} truth values, but there are {n} attributes")
    return [k for k, held in enumerate(by_name(keep, attributes.names, "keep")) if held]


def _position(which: Any, attributes: Attributes, groups: Mapping[str, Sequence[int | str]]) -> int:
    if isinstance(which, str):
        for group, columns in groups.items():  # a group is chosen or left as a whole
            if which not in attributes.names and which in list(columns):
                raise InputError(f"keep names {which!r}, which is in the group {group!r}; name the group")
        return attributes.position(which)
    if is_whole(which) and 0 <= int(which) < len(attributes):
        return int(which)
    raise InputError(f"keep names attribute {which!r}, but there are the attributes 0 to {len(attributes) - 1}")
