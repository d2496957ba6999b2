"""Warnings of libraries: collected while a command works, and reported once at its end instead of as they come."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from elicit.printable import many, printable


@contextmanager
def counted_warnings() -> Iterator[Counter[str]]:
    """A counter of the warnings that are raised in the block, by category and first line."""
    counted: Counter[str] = Counter()

    def count(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        lines = str(message).splitlines() or [""]
        counted[f"{category.__name__}: {lines[0]}"] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = count
        yield counted


def warning_lines(counted: Counter[str], doing: str = "measuring") -> Iterator[str]:
    """One line for each warning, with how often it came."""
    for words, times in counted.items():
        yield f"warned {many(times, 'time')} while {doing}: {printable(words)}"
