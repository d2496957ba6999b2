"""Printable text: names are data, and nothing in them may steer a terminal."""

from __future__ import annotations

import math
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from itertools import accumulate, zip_longest


def printable(text: str) -> str:
    """The text with every character that does not print (control, direction, half a pair) as its escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def width(text: str) -> int:
    """Columns that a printable text takes on a terminal: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def listable(name: str) -> str:
    """A name as it stands between commas, to be read back by the commands: in quotes where it needs them."""
    return '"' + name.replace('"', '""') + '"' if "," in name or name.startswith('"') else name


def pasted(path: str) -> str:
    """A path as one writes it in a command: quoted where a shell needs it, and never taken for an option."""
    return shlex.quote(printable(f"./{path}" if path.startswith("-") else path))


#: Larger counts, as those of all subsets of many attributes, are told by their order of magnitude.
LARGEST_TOLD = 10**12


def counted(count: int) -> str:
    """A count in digits, unless these are more than anybody reads (or Python writes)."""
    return str(count) if count < LARGEST_TOLD else f"about 10^{math.log10(count):.0f}"


def many(count: int, what: str) -> str:
    """So many of something, in words."""
    return f"{counted(count)} {what}{'' if count == 1 else 's'}"


def bounded(most: float, digits: int = 2) -> str:
    """A bound in so many digits, rounded up: with less, more would be said than is known.

    What is beyond its sixth digit is a solver's rounding and counts for nothing.
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).plus(Decimal(f"{most:.6g}"))
    return f"{float(up):.{digits}g}"


def aligned(rows: Sequence[Sequence[str]], columns: int | None = None, keys: int = 1) -> list[str]:
    """Rows of cells as lines whose cells stand below one another.

    What takes more than so many columns goes on in a block below, which begins with the first `keys` cells again.
    """
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)]
    blocks = _blocks(widths, columns, keys)
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines else []
        lines += ["  ".join(row[k] + " " * (widths[k] - width(row[k])) for k in block).rstrip() for row in rows]
    return lines


def _blocks(widths: Sequence[int], columns: int | None, keys: int) -> list[list[int]]:
    """The places of the columns of each block: as many as fit beside the first `keys`, at least one."""
    blocks = [list(range(min(keys, len(widths))))]
    for k in range(keys, len(widths)):
        taken = sum(widths[j] + 2 for j in blocks[-1])
        if columns is not None and taken + widths[k] > columns and len(blocks[-1]) > keys:
            blocks.append(list(range(keys)))
        blocks[-1].append(k)
    return blocks


#: Columns of a name in a picture, as on a terminal: of longer ones the middle is left out.
LONGEST_LABEL = 32


def drawable(name: object) -> str:
    """A name as it may be drawn: printable, not too long, and nothing that begins a formula."""
    return shortened(printable(str(name))).replace("$", r"\$")


def drawable_names(names: Iterable[object]) -> list[str]:
    """Names of one picture as they may be drawn: those that would look alike when shortened are not."""
    given = [printable(str(name)) for name in names]
    short = [shortened(text) for text in given]
    told = [text if short.count(less) > 1 else less for text, less in zip(given, short, strict=True)]
    return [text.replace("$", r"\$") for text in told]


def shortened(text: str, most: int = LONGEST_LABEL) -> str:
    """The text with its middle left out where it takes more columns: names that begin alike may end apart."""
    half = (most - 1) // 2
    return text if width(text) <= most else f"{_beginning(text, half)}…{_beginning(text[::-1], half)[::-1]}"


def _beginning(text: str, most: int) -> str:
    """The first characters of a text that take at most so many columns together."""
    taken = accumulate(map(width, text))
    return "".join(c for c, so_far in zip(text, taken, strict=True) if so_far <= most)


def told_apart(names: Sequence[str], most: int = LONGEST_LABEL) -> list[str]:
    """Names of at most so many columns each; those that would look alike are shown from where they first differ."""
    given = [printable(name) for name in names]
    short = [shortened(name, most) for name in given]
    told = list(short)
    for label in {label for label in short if short.count(label) > 1}:
        alike = [k for k, other in enumerate(short) if other == label]
        letters = enumerate(zip_longest(*(given[k] for k in alike)))
        start = next((place for place, each in letters if len(set(each)) > 1), 0)
        for k in alike:
            told[k] = "…" + shortened(given[k][start:], most - 1)
    return told


def label_of(label: object) -> str:
    """The name of a class; of a whole number as it is counted, for in a file it stood without a point."""
    return f"{label:.0f}" if isinstance(label, float) and label.is_integer() else str(label)
