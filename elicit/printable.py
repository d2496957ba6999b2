"""Printable text: names are data, and nothing in them may steer a terminal; and text set in lines of its width."""

from __future__ import annotations

import math
import re
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from itertools import accumulate, zip_longest

#: A command that a message ends with, to be copied.
_COMMAND = re.compile(r"(?<= go on with: )elicit .*")

#: A number in a table.
_NUMBER = re.compile(r"[+-]?\d+(\.(?P<decimals>\d+))?%?")

#: Digits that numbers are shown with at most, to tell them apart.
MOST_SHOWN = 12

#: With fewer columns left for what a key means, it stands below the key.
_LEAST_MEANING = 16


def printable(text: str) -> str:
    """The text with every character that does not print (control, direction, half a pair) as its escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def width(text: str) -> int:
    """Columns that a printable text takes on a terminal: wide characters take two, combining ones none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fitted(text: str, columns: int) -> str:
    """The text cut to so many columns, with a mark where something is missing."""
    if width(text) <= columns:
        return text
    kept, room = [], columns - 1
    for c in text:
        room -= width(c)
        if room < 0:
            break
        kept.append(c)
    return "".join(kept) + "…" if columns > 0 else ""


def squeezed(word: str, columns: int) -> str:
    """The word with its middle left out, so that it takes so many columns: names that begin alike may end apart."""
    if width(word) <= columns or columns < 5:
        return fitted(word, columns)
    ending = fitted(word[::-1], columns // 2 + 1)[:-1][::-1]
    return fitted(word, columns - width(ending)) + ending


def padded(text: str, columns: int) -> str:
    """The text in exactly so many columns."""
    text = fitted(text, columns)
    return text + " " * (columns - width(text))


def bar(share: float, columns: int) -> str:
    """So many columns between brackets, of which this share is filled."""
    filled = round(min(max(share, 0.0), 1.0) * columns)
    return f"[{'#' * filled}{'.' * (columns - filled)}]"


def wrapped(words: Iterable[str], columns: int, indent: int = 0, first: str = "", *, whole: bool = False) -> list[str]:
    """Words set in lines of at most so many columns; the lines after the first are indented.

    Of a word that is longer than a line the middle is left out, unless it is to stay `whole`.
    """
    lines, line = [], first
    room = max(columns, indent + 4)
    for word in words:
        marks = word[len(word.rstrip(",;}")) :]  # of a word cut short they still say where a name ends
        word = word if whole else squeezed(word.removesuffix(marks), room - indent - len(marks)) + marks
        if line.strip() and width(line) + 1 + width(word) > room:
            lines.append(line)
            line = " " * indent + word
        else:
            line = f"{line} {word}" if line and not line.endswith(" ") else line + word
    return [*lines, line]


def paragraph(text: str, columns: int, indent: int = 0) -> list[str]:
    """A text set in lines; what does not print is escaped, and spaces at its beginning are kept."""
    text = printable(text)
    start = text[: len(text) - len(text.lstrip(" "))]
    return wrapped(text.split(), columns, indent + len(start), start)


def entry(text: str, columns: int, indent: int = 0) -> list[str]:
    """A key, a gap of two spaces or more, and what it means, of which further lines stand below the first.

    A text without a gap is a paragraph.
    """
    found = re.match(r"(\s*\S.*?\s\s+)(\S.*)", printable(text))
    if found is None or width(found[1]) + _LEAST_MEANING > columns:
        return paragraph(text, columns, indent)
    return wrapped(found[2].split(), columns, width(found[1]), found[1])


def message(text: str, columns: int) -> list[str]:
    """A text set in lines, of which paths, and a command at its end, stay whole: one wants to copy them."""
    text = printable(text)
    words = _COMMAND.sub("", text).split()
    return wrapped([*words, *_COMMAND.findall(text)], columns, 2, whole=True)


def in_a_list(name: str) -> str:
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


def enumerated(words: Sequence[str]) -> str:
    """One word or several as a sentence lists them: a, b and c."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def rounded(value: float, digits: int = 5) -> str:
    """A number that was measured, as it is told everywhere: in so many digits, of a large one all the whole ones."""
    large = 10**digits - 0.5 <= abs(value) < LARGEST_TOLD
    return f"{value:.0f}" if large else f"{value:z.{digits}g}"


def alike(values: Sequence[float], digits: int = 5) -> list[str]:
    """Numbers to be compared, as `rounded` tells them, but all with as many decimals.

    As they are where one would take two digits more than it was told in, or is told as a power of ten.
    """
    told = [rounded(value, digits) for value in values]
    decimals = max((len(text.partition(".")[2]) for text in told), default=0)
    same = [f"{value:z.{decimals}f}" for value in values]
    longest = max((len(text.replace(".", "").lstrip("-0")) for text in same), default=0)
    return told if "e" in "".join(told) or (decimals and longest > digits + 1) else same


def with_spreads(values: Sequence[float], spreads: Sequence[float | None]) -> list[str]:
    """Numbers to be compared, each with its spread where it has one."""
    around = iter(alike([spread for spread in spreads if spread is not None], 2))
    told = zip(alike(values), spreads, strict=True)
    return [value + ("" if spread is None else f" ± {next(around)}") for value, spread in told]


def numbers_apart(values: Sequence[float], digits: int) -> list[str]:
    """Numbers in so many digits, or in as many more as tell them apart; beyond twelve what differs is rounding."""
    told = [[f"{value:.{shown}g}" for value in values] for shown in range(digits, MOST_SHOWN + 1)]
    apart = [texts for texts in told if len(set(texts)) == len(set(values))] or [told[-1]]
    plain = (texts for texts in apart if "e" not in "".join(texts))  # more digits may do without an exponent
    return told[0] if told[0] in apart else next(plain, apart[0])


def bounded(most: float, digits: int = 2) -> str:
    """A bound in so many digits, rounded up: with less, more would be said than is known.

    What is beyond its sixth digit is a solver's rounding and counts for nothing.
    """
    up = Context(prec=digits, rounding=ROUND_CEILING).plus(Decimal(f"{most:.6g}"))
    return f"{float(up):.{digits}g}"


def aligned(rows: Sequence[Sequence[str]], columns: int | None = None, keys: int = 1) -> list[str]:
    """Rows of cells as lines whose cells stand below one another, and so do the points of numbers below a heading.

    What takes more than so many columns goes on in a block below, which begins with the first `keys` cells again.
    """
    widths = [max(map(width, cells)) for cells in zip(*rows, strict=True)]
    blocks = _blocks(widths, columns, keys)
    to_the_right = {k for k, (_, *below) in enumerate(zip(*rows, strict=True)) if k >= keys and _are_numbers(below)}
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines else []
        for row in rows:
            gaps = {k: " " * (widths[k] - width(row[k])) for k in block}
            cells = (gaps[k] + row[k] if k in to_the_right else row[k] + gaps[k] for k in block)
            lines.append("  ".join(cells).rstrip())
    return lines


def _are_numbers(cells: Iterable[str]) -> bool:
    """Whether cells hold numbers, all with as many decimals, and nothing else but gaps."""
    told = [_NUMBER.fullmatch(cell) for cell in cells if cell not in ("", "–")]
    return all(told) and len({len(found["decimals"] or "") for found in told if found}) == 1


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
