"""How `--help` is set in lines: at spaces alone, so that a name with a hyphen can be copied."""

from __future__ import annotations

import argparse
import textwrap


class Help(argparse.HelpFormatter):
    """Help that sets in lines what an option means, and breaks no word at a hyphen."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class LaidOutHelp(Help, argparse.RawDescriptionHelpFormatter):
    """The same, but the description and the end stand as they were written."""
