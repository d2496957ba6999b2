"""Complaints: what libraries warn of while a command works is counted and told once, never printed as it comes."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from elicit.printable import many, printable


@contextmanager
def counted_warnings() -> Iterator[Counter[str]]:
    """How often each warning came."""
    counted: Counter[str] = Counter()

    def note(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
        lines = str(message).splitlines() or [""]
        counted[f"{category.__name__}: {lines[0]}"] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield counted


def told_warnings(counted: Counter[str]) -> Iterator[str]:
    """A line for each."""
    for words, times in counted.items():
        yield f"warned {many(times, 'time')} while measuring: {printable(words)}"
