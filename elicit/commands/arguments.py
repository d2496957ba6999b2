"""Arguments that several commands take, checked once."""

from __future__ import annotations

import argparse


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
