"""Types of arguments: what the text of an argument means, or why it cannot be used."""

from __future__ import annotations

import argparse
import csv
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from elicit.data import refuse_part
from elicit.errors import InputError
from elicit.numeric import whole_in
from elicit.printable import in_a_list

if TYPE_CHECKING:  # only for the signature: arguments are parsed before numeric libraries are loaded
    from elicit.subsets import Attributes, Mask

#: The most processes that may be asked for.
MOST_JOBS = 10_000

#: The most digits of a budget: no budget needs more, and Python refuses to read thousands of them.
MOST_DIGITS = 15


def at_least(least: int) -> Callable[[str], int]:
    """An argument type: a whole number of at least `least`."""

    def number(text: str) -> int:
        found = whole_in(text)
        if found is None or found < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {least}, found {text!r:.40}")
        return found

    return number


positive, non_negative, fold_count = at_least(1), at_least(0), at_least(2)


def further(text: str) -> str:
    """An argument type: a budget in all, or +N for so many beyond what was planned, which only the journal tells."""
    number = text.removeprefix("+")
    if not number.isdecimal() or len(number) > MOST_DIGITS or int(number) < 1:
        raise argparse.ArgumentTypeError(
            "expected a number of evaluations in all, or +N for so many beyond those planned, of 1 to "
            f"{MOST_DIGITS} digits and above 0, found {text!r:.40}"
        )
    return text


def share(text: str) -> float:
    """An argument type: a share of all, above 0."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        raise argparse.ArgumentTypeError(f"expected a share above 0 and at most 1, such as 0.1, found {text!r:.40}")
    return found


def job_count(text: str) -> int:
    """A number of jobs, as joblib counts them."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number == 0 or abs(number) > MOST_JOBS:
        raise argparse.ArgumentTypeError(f"expected a number of jobs, or -1 for every processor, found {text!r:.40}")
    return number


def refuse_beside(alone: str, args: argparse.Namespace) -> None:
    """Refuse whatever is given beside an option that goes by itself: it would count for nothing."""
    others = {name: value for name, value in vars(args).items() if name not in ("command", alone)}
    for name, value in others.items():
        if value not in (None, "", []) and value is not False:
            told = {"data": "DATA", "scenarios": "SCENARIO.toml"}.get(name, f"--{name.replace('_', '-')}")
            raise InputError(f"--{alone} goes by itself; leave out {told}, or --{alone}")


def listed(text: str) -> list[str]:
    """Names with commas between them; a name that holds a comma stands in double quotes."""
    try:
        cells = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error as error:
        raise InputError(f"{text!r}: names stand between commas ({error}); correct the quotes") from error
    return [name.strip() for name in cells if name.strip()]


def mask_of_listed(
    names: Iterable[str], attributes: Attributes, option: str, groups: Mapping[str, Sequence[str]] | None = None
) -> Mask:
    """The mask of names that were listed.

    Of a column of a group, and of a part of a name that holds a comma, an error says what to write instead.
    """
    names = list(names)
    for part in (name for name in names if name not in attributes.names):
        refuse_part(part, groups or {}, option)
        whole = next((name for name in attributes.names if part in re.split(r"\s*,\s*", name)), None)
        if whole is not None:
            raise InputError(
                f"{option}: {part!r} is only a part of the name {whole!r}, and names stand between commas; write "
                f"{option} {shlex.quote(in_a_list(whole))}"
            )
    return attributes.mask(names, option)


def column_groups(text: str) -> dict[str, list[str]]:
    """Groups of columns, as in G=A,B;H=C,D; what stands in double quotes is not taken apart."""
    groups: dict[str, list[str]] = {}
    outside = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', text)  # an even number of quotes follows
    for part in filter(None, (part.strip() for part in outside)):
        name, _, columns = part.partition("=")
        if not name.strip() or not listed(columns):
            raise InputError(f"--groups is such as 'petal=petal_length,petal_width;…', found {part!r}")
        if name.strip() in groups:
            raise InputError(f"--groups names {name.strip()!r} twice; give each group its own name")
        groups[name.strip()] = listed(columns)
    return groups
