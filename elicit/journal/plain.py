"""Plain: what JSON can hold, and nothing else."""

from __future__ import annotations

import math
from typing import Any

from elicit.errors import InputError

Json = Any


def shown_value(value: Json) -> str:
    """A value as an error message shows it."""
    return f"{value!r:.60}" if not isinstance(value, list | dict) else f"a {type(value).__name__}"


def plain(value: Json, what: str) -> Json:
    """A deep copy of `value` as JSON would return it, with sorted keys."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise InputError(f"{what}: expected texts as keys, found others")
        return {key: plain(value[key], f"{what}.{key}") for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [plain(item, what) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InputError(f"{what}: expected what JSON can hold, found {shown_value(value)}")
