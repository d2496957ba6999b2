"""Exact numbers out of plain data, for the verifier: nothing that a certificate says may take it for ever.

A few characters can name a number that fills the memory ("1e999999999"), so a text is measured before it
is read, and its exponent before it is raised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from reprlib import repr as brief
from typing import Any

from elicit.errors import CertificateError

#: Digits of a number, and of its exponent, beyond which no honest certificate goes; of all denominators of a θ together
#: too, for sums have as many.
MOST_DIGITS = 4_000
MOST_EXPONENT = 400

#: More monomials than this are never listed at once (programs generate theirs when needed).
MOST_MONOMIALS = 500_000

#: With more attributes not even they are listed: a mask of each fills some hundred megabytes then.
MOST_ATTRIBUTES = 50_000

#: The statements of a proof name subsets that hold at most so many monomials in all: some two gigabytes.
MOST_HELD = 20_000_000

#: Steps that a check may take in all, one for each number that it looks at: some ten minutes. A number counts once more
#: for each `STEP_BITS` of its length.
MOST_STEPS = 3_000_000_000
STEP_BITS = 1_000

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:/[0-9]+)?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]{1,6}))?)", re.ASCII)


class Steps:
    """The steps that a check may still take; more are refused before they are taken."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.left = most

    def take(self, steps: int, bits: int = 0) -> None:
        """So many, each with a number of so many bits."""
        self.left -= steps * (1 + bits // STEP_BITS)
        demand(self.left >= 0, f"more than {MOST_STEPS} steps take too long to check; prove it with fewer")


def demand(holds: bool, complaint: str) -> None:
    """Go on only when something holds."""
    if not holds:
        raise CertificateError(complaint)


def told(certificate: Mapping[str, Any]) -> tuple[Any, Any]:
    """What a certificate claims, and its proof; one that only names the best by score has neither."""
    demand(isinstance(certificate, Mapping), "there is no certificate: where nothing is proven, a selector has None")
    shown = "; the best by score is read off the record, which elicit verify does" if "by" in certificate else ""
    complaint = f"the certificate holds no claim with a proof to re-check{shown}"
    demand("claim" in certificate and "proof" in certificate, complaint)
    return certificate["claim"], certificate["proof"]


def exact(value: Any) -> Fraction:
    """A number that is given as an integer, as a float, or as a text such as "-7/2" or "1e-3"."""
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value) if len(value) <= MOST_DIGITS else None
        if found is None or abs(int(found[1] or 0)) > MOST_EXPONENT:
            raise CertificateError(f"{value[:40]!r} is no number of a proof")
    elif type(value) is int:
        whole(value)
    elif not isinstance(value, Fraction) and not (isinstance(value, float) and math.isfinite(value)):
        raise CertificateError(f"{brief(value)} is no number of a proof")
    return Fraction(value)


def whole(value: Any) -> int:
    """A whole number, of a length that can be worked with."""
    if type(value) is not int:
        raise CertificateError(f"{brief(value)} is no whole number")
    if value.bit_length() > 4 * MOST_DIGITS:
        raise CertificateError("a whole number of the proof is too long")
    return value


def listed(value: Any) -> Sequence[Any]:
    """A list; a text has places, too, and its letters may be numbers."""
    if not isinstance(value, list | tuple):
        raise CertificateError(f"{brief(value)} is no list")
    return tuple(value)


def few(value: Any, most: int, what: str) -> Sequence[Any]:
    """A list with no more in it than can be worked with."""
    demand(len(value) <= most, f"more than {most} {what} are too many to check; prove it with fewer")
    return listed(value)


def kept(make: Callable[[Any], Any], length: int) -> Callable[[Any], Any]:
    """The same function, which remembers its last results, each of so many numbers: as many as fill no memory."""
    return lru_cache(1 + MOST_MONOMIALS // length)(make)


def checkable(pairs: Sequence[tuple[int, int]], degree: int) -> Sequence[tuple[int, int]]:
    """The pairs of subsets of the statements, which hold no more monomials in all than fit into the memory."""
    held = sum(math.comb(x.bit_count(), k) for pair in pairs for x in pair for k in range(1, degree + 1))
    demand(held <= MOST_HELD, f"statements of subsets that hold {held} monomials are too many to check")
    return pairs


def workable(n: Any, degree: int) -> int:
    """A number of attributes with no more monomials than can be worked with."""
    demand(whole(n) > 0 and listable(n, degree), "too many monomials")
    return whole(n)


def listable(n: int, degree: int) -> bool:
    """Whether there are few enough monomials up to a degree to list them all."""
    return n <= MOST_ATTRIBUTES and sum(math.comb(n, k) for k in range(1, degree + 1)) <= MOST_MONOMIALS


def coefficients(plain: Iterable[tuple[Any, Any]], read: Callable[[Any], int]) -> dict[int, Fraction]:
    """The coefficients of a θ, by term as `read`, each once, with a common denominator that can be worked with."""
    found, common = dict[int, Fraction](), 1
    for named, number in plain:
        term, value = read(named), exact(number)
        demand(term not in found, f"θ has two coefficients of {brief(named)}")
        common = shared(common, value, "θ")
        found[term] = value
    return found


def shared(common: int, value: Fraction, whose: str) -> int:
    """A common denominator that a value has a part in as well, of a length that can be worked with."""
    common = math.lcm(common, value.denominator)
    demand(common.bit_length() <= 4 * MOST_DIGITS, f"the common denominator of {whose} is too long")
    return common
