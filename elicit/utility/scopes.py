"""Scopes: the subsets among which a recommendation is proven to be optimal; every claim names its own.

    "family"      all that may be chosen
    "size:K"      those of them with at most K attributes (so the recommended one must be among them)
    "flips:R"     those at most R attributes away from the recommended one: added, or left out
    "evaluated"   those that were measured: reached early and worth little, so only on request

The rule: a scope is a text in the settings, read here alone, by what looks for a proof and by what checks one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import comb

from elicit.errors import InputError
from elicit.printable import many
from elicit.subsets import Family, Mask, simplest

KINDS = ("family", "size:K", "flips:R", "evaluated")

#: Subsets within some flips that are compared one by one; of more, no scope is made.
MOST_WITHIN = 5000


_NUMBER = re.compile("[1-9][0-9]{0,5}")


@dataclass(frozen=True)
class Scope:
    """One scope: its kind, and K or R where it has one."""

    kind: str = "family"
    number: int = 0

    @classmethod
    def of(cls, text: str) -> Scope:
        """The scope that a text names."""
        kind, colon, number = text.partition(":") if isinstance(text, str) else ("", "", "")
        if kind in ("family", "evaluated") and not colon:
            return cls(kind)
        if kind in ("size", "flips") and _NUMBER.fullmatch(number):
            return cls(kind, int(number))
        raise InputError(f"scope is one of {', '.join(KINDS)}, K and R from 1 to 999999; found {text!r:.60}")

    def check(self, family: Family) -> None:
        """Refuse what this family cannot hold, or what is too much to compare."""
        if self.kind == "size" and self.number < family.keep.bit_count():
            raise InputError(f"scope size:{self.number} holds no subset of this family; raise it")
        if self.kind == "flips":
            free = len(family.free)
            count = sum(comb(free, k) for k in range(1, min(self.number, free) + 1))
            if count > MOST_WITHIN:
                raise InputError(f"scope flips:{self.number} holds {count} subsets, the limit is {MOST_WITHIN}")

    def part(self, family: Family) -> Family | None:
        """The scope as a family of its own; None where it is a list of subsets."""
        if self.kind == "family":
            return family
        if self.kind != "size":
            return None
        return replace(family, max_size=min(self.number, family.most))

    def listed(self, subset: Mask, family: Family, evaluated: Iterable[Mask]) -> list[Mask]:
        """The others in the scope, where it is a list."""
        within = evaluated if self.kind == "evaluated" else within_flips(subset, self.number, family)
        return [x for x in within if x != subset]

    @property
    def text(self) -> str:
        """As the settings have it."""
        return f"{self.kind}:{self.number}" if self.number else self.kind

    @property
    def optimal(self) -> str:
        """In words, what a run found that ends by a proof in it."""
        return f"necessarily optimal {'over' if self.kind == 'family' else 'among'} {self.words}"

    @property
    def words(self) -> str:
        """In words, what is in it."""
        match self.kind:
            case "size":
                return f"the subsets of at most {many(self.number, 'attribute')}"
            case "flips":
                return f"the subsets at most {many(self.number, 'flip')} away"
            case "evaluated":
                return "the evaluated subsets"
            case _:
                return "the whole family"


def within_flips(subset: Mask, flips: int, family: Family) -> list[Mask]:
    """The members of the family at most `flips` flips away, `subset` included."""
    reached, edge = {subset}, {subset}
    for _ in range(min(flips, len(family.free))):
        edge = {w for v in edge for i in family.free if (w := v ^ (1 << i)) not in reached}
        reached |= edge
    return sorted((m for m in reached if m in family), key=simplest)
