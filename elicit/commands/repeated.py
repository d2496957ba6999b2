"""What becomes of an option that is given more than once, where the last one alone would undo the others.

Lists are joined: of two `--drop`, the first holds as well. What is done with each value, like `--undo`, is refused the
second time. Of any other option the last one counts, as everywhere, so that a script can add to a command.
"""

from __future__ import annotations

import argparse
from typing import Any


class Once(argparse.Action):
    """An option that may be given once."""

    _given_to: argparse.Namespace | None = None

    def __call__(self, _parser: object, namespace: argparse.Namespace, values: Any, _option: str | None = None) -> None:
        again = self._given_to is namespace
        self._given_to = namespace
        setattr(namespace, self.dest, self.joined(getattr(namespace, self.dest), values) if again else values)

    def joined(self, before: Any, values: Any) -> Any:
        """What two values amount to."""
        raise argparse.ArgumentError(self, f"given twice, as {before!r:.40} and as {values!r:.40}; leave one out")


class Joined(Once):
    """A list in one text: what is given once more is added to it."""

    def __init__(self, *args: Any, separator: str = ",", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._separator = separator

    def joined(self, before: str, values: str) -> str:
        return f"{before}{self._separator}{values}"
