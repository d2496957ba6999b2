"""Arguments that several commands take, checked once."""

from __future__ import annotations

import argparse

from elicit.errors import InputError


def count(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found {text!r}")
    return int(text)


def jobs(text: str) -> int:
    """A number of jobs, as joblib counts them."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number == 0:
        raise argparse.ArgumentTypeError(f"expected a number of jobs, or -1 for every processor, found {text!r}")
    return number


def listed(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def column_groups(text: str) -> dict[str, list[str]]:
    """Groups of columns, as in G=A,B;H=C,D."""
    groups: dict[str, list[str]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, sign, columns = part.partition("=")
        if not sign or not name.strip() or not listed(columns):
            raise InputError(f"--groups is such as 'petal=petal_length,petal_width;…', found {part!r}")
        if name.strip() in groups:
            raise InputError(f"--groups names {name.strip()!r} twice; give each group its own name")
        groups[name.strip()] = listed(columns)
    return groups
