"""What becomes of an option that is given more than once: lists are joined, and anything else is refused.

argparse itself would keep the last one without a word, and what was left out by the first would be back.
"""

from __future__ import annotations

import argparse
from typing import Any


class Once(argparse.Action):
    """An option whose value is stored, and that may be given once."""

    _given_to: argparse.Namespace | None = None

    def __call__(self, _parser: object, namespace: argparse.Namespace, values: Any, _option: str | None = None) -> None:
        before = getattr(namespace, self.dest) if self._given_to is namespace else None
        self._given_to = namespace
        setattr(namespace, self.dest, values if before is None else self.joined(before, values))

    def joined(self, before: Any, values: Any) -> Any:
        """What two values amount to."""
        if not self.option_strings:  # a positional argument is parsed once; its parts may be stored one by one
            return values
        raise argparse.ArgumentError(self, f"given twice, as {before!r:.40} and as {values!r:.40}; leave one out")


class Joined(Once):
    """A list in one text: what is given once more is added to it."""

    def __init__(self, *args: Any, separator: str = ",", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._separator = separator

    def joined(self, before: str, values: str) -> str:
        return f"{before}{self._separator}{values}"
