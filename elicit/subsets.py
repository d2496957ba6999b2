"""A subset of the attributes is a mask: a Python integer whose bit i says whether attribute i is in.

Integers serve any number of attributes, hash, compare and combine exactly; `indicator` turns many of them into one
Boolean matrix for numpy. `Attributes` gives the bits their names, `Family` says which subsets may be chosen at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError, nearest
from elicit.printable import counted, in_a_list, many, printable

Mask = int
Indicator = NDArray[np.bool_]

#: A mask of more attributes is converted by way of an array: one bit at a time would take quadratic time.
MANY_ATTRIBUTES = 64

#: A subset of so many names is described by how it differs from another: nobody compares them by eye.
MANY_NAMES = 8

#: An error lists so many of the names there are.
SOME_NAMES = 6

#: At most so many names are written out; the first ones then stand for all.
MOST_NAMES = 30

#: Enumerating more subsets than this in one list is refused: 2^22 masks are some 150 MB.
LARGEST_ENUMERATION = 1 << 22


def members(mask: Mask) -> list[int]:
    """The positions of the attributes in `mask`, ascending."""
    if mask.bit_count() > MANY_ATTRIBUTES:
        positions: list[int] = np.flatnonzero(indicator([mask], mask.bit_length())[0]).tolist()
        return positions
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def mask_of(positions: Iterable[int]) -> Mask:
    """The mask that holds the given positions."""
    given = [int(position) for position in positions]
    if len(given) > MANY_ATTRIBUTES:
        row = np.zeros(max(given) + 1, dtype=np.bool_)
        row[given] = True
        return masks_from(row)[0]
    mask = 0
    for position in given:
        mask |= 1 << position
    return mask


def indicator(masks: Sequence[Mask], n: int) -> Indicator:
    """Boolean matrix (len(masks), n): entry (r, i) says whether attribute i is in masks[r]."""
    width = (n + 7) // 8
    packed = b"".join(mask.to_bytes(width, "little") for mask in masks)
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(masks), width)
    return np.unpackbits(rows, axis=1, count=n, bitorder="little").astype(np.bool_)


def masks_from(rows: NDArray[np.bool_]) -> list[Mask]:
    """The inverse of `indicator`."""
    packed = np.packbits(np.atleast_2d(rows), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


@dataclass(frozen=True)
class Attributes:
    """The attributes in order, with the names people use for them."""

    names: tuple[str, ...]
    _position: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if not self.names:
            raise InputError("at least one attribute is needed, none was given")
        for position, name in enumerate(self.names):
            if not isinstance(name, str) or not name:
                raise InputError(f"attribute {position} needs a non-empty text as its name, found {name!r}; rename it")
        position_of = {name: i for i, name in enumerate(self.names)}
        if len(position_of) < len(self.names):
            twice = next(name for i, name in enumerate(self.names) if position_of[name] != i)
            raise InputError(f"attribute names must differ, {twice!r} occurs twice; rename one")
        object.__setattr__(self, "_position", position_of)

    @classmethod
    def numbered(cls, n: int) -> Attributes:
        """n attributes named a1 … an."""
        return cls(tuple(f"a{i + 1}" for i in range(n)))

    @classmethod
    def of(cls, given: Attributes | Sequence[str]) -> Attributes:
        """The attributes, or those of these names."""
        if isinstance(given, str):
            raise InputError(f"expected a list of attribute names, found the single text {given!r}")
        if not isinstance(given, Attributes | Iterable):
            raise InputError(f"expected a list of attribute names, found {given!r}; Attributes.numbered(n) makes names")
        return given if isinstance(given, Attributes) else cls(tuple(given))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def everything(self) -> Mask:
        """The mask of all attributes."""
        return (1 << len(self.names)) - 1

    def position(self, name: str, where: str | None = None) -> int:
        """The position of a name; an unknown one is an error that offers the nearest, and says where it was found."""
        try:
            return self._position[name]
        except KeyError:
            # one that does not print is called as screens show it, if only one is shown so
            shown = [k for k, known in enumerate(self.names) if printable(known) == name]
            if len(shown) == 1:
                return shown[0]
            hint = nearest(name, self.names, f"the attributes are {_first_names(self.names)}")
            told = f"{where}: " if where else ""
            raise InputError(f"{told}unknown attribute {name!r}{hint}") from None

    def mask(self, names: Iterable[str], where: str | None = None) -> Mask:
        """The mask of the given names; an error says where they were found."""
        if isinstance(names, str):
            raise InputError(f"expected a list of attribute names, found the single text {names!r}")
        return mask_of(self.position(name, where) for name in names)

    def subset(self, mask: Mask) -> tuple[str, ...]:
        """The names in a mask, in attribute order."""
        return tuple(self.names[i] for i in members(self.check(mask)))

    def braced(self, mask: Mask) -> str:
        """The names in a mask as a text: {a, b}."""
        return "{" + ", ".join(map(in_a_list, self.subset(mask))) + "}"

    def beside(self, mask: Mask, named: Mask, called: str = "the same") -> str:
        """A mask as a text next to `named`, which was shown before: by the difference, where that is much shorter.

        {a, b}, the same without {c}, or the same with {a} instead of {c}; `called` is how the text refers to `named`.
        """
        more, less = mask & ~named, named & ~mask
        if mask == named or mask.bit_count() < MANY_NAMES or 2 * (more | less).bit_count() >= mask.bit_count():
            return self._braced_in_short(mask)
        if not more:
            return f"{called} without {self._braced_in_short(less)}"
        return f"{called} with {self._braced_in_short(more)}" + (
            f" instead of {self._braced_in_short(less)}" if less else ""
        )

    def _braced_in_short(self, mask: Mask) -> str:
        """The names in braces; of very many the first, and how many more there are."""
        if mask.bit_count() <= MOST_NAMES:
            return self.braced(mask)
        first = mask_of(members(mask)[:MOST_NAMES])
        return f"{self.braced(first).removesuffix('}')}, and {mask.bit_count() - MOST_NAMES} more}}"

    def check(self, mask: Mask) -> Mask:
        """The mask itself when it is a non-empty set of these attributes, else an error."""
        if isinstance(mask, bool) or not isinstance(mask, int):
            raise InputError(f"a subset is an integer mask, found {mask!r}; use Attributes.mask(names)")
        if mask == 0:
            raise InputError("the empty subset cannot be chosen, evaluated or compared")
        if mask < 0 or mask > self.everything:
            raise InputError(f"mask {mask} names attributes beyond the {len(self.names)} there are")
        return mask


def _first_names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:SOME_NAMES])
    return shown + (f" and {len(names) - SOME_NAMES} more" if len(names) > SOME_NAMES else "")


@dataclass(frozen=True)
class Family:
    """F: every non-empty subset that holds `keep`, avoids `drop` and has at most `max_size` attributes."""

    n: int
    keep: Mask = 0
    drop: Mask = 0
    max_size: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("n", self.n), ("keep", self.keep), ("drop", self.drop), ("max_size", self.max_size)):
            if isinstance(value, bool) or not (isinstance(value, int) or (name == "max_size" and value is None)):
                raise InputError(f"{name} of a family is a whole number, found {value!r}")
        if self.n < 1:
            raise InputError(f"a family needs at least one attribute, found n = {self.n}")
        if (self.keep | self.drop) & ~self._everything:
            raise InputError(f"keep and drop name attributes beyond the {self.n} there are")
        if self.keep & self.drop:
            raise InputError("an attribute cannot be both kept and dropped; remove it from one of the two")
        if self.drop == self._everything:
            raise InputError("every attribute is dropped, so no subset is left; drop fewer")
        if self.max_size is not None and self.max_size < max(1, self.keep.bit_count()):
            raise InputError(
                f"max size {self.max_size} leaves no subset: "
                f"at least {many(max(1, self.keep.bit_count()), 'attribute')} must fit; raise it or keep fewer"
            )

    @classmethod
    def of(cls, given: Family | None, n: int) -> Family:
        """What was given for a family over n attributes, which it must be; of nothing, all subsets."""
        if given is None:
            return cls(n)
        if not isinstance(given, Family):
            raise InputError(f"a family is a Family, such as Family({n}, max_size=5), found {given!r:.80}")
        if given.n != n:
            raise InputError(f"the family is over {given.n} attributes, there are {n}")
        return given

    @property
    def _everything(self) -> Mask:
        """The mask of all attributes."""
        return (1 << self.n) - 1

    @property
    def free(self) -> list[int]:
        """Positions that are neither kept nor dropped."""
        return members(self._everything & ~self.keep & ~self.drop)

    @property
    def largest(self) -> Mask:
        """All that is not dropped; not a member where `max_size` forbids it."""
        return self._everything & ~self.drop

    def largest_told(self, what: str = "") -> str:
        """`largest` in words: all there are or, where some are dropped, all that may be chosen."""
        words = ("all", str(self.largest.bit_count()), what, "that may be chosen" if self.drop else "")
        return " ".join(word for word in words if word)

    @property
    def most(self) -> int:
        """The most attributes of a member, as far as `max_size` limits it."""
        return self.n if self.max_size is None else self.max_size

    @property
    def room(self) -> int:
        """How many free attributes a member may hold."""
        return min(len(self.free), self.most - self.keep.bit_count())

    @property
    def claimed(self) -> dict[str, list[int] | int]:
        """The family as a claim names it."""
        return {"keep": members(self.keep), "drop": members(self.drop), "max_size": self.most}

    def plain(self, attributes: Attributes) -> dict[str, list[str] | int | None]:
        """The family as a journal keeps it: by names, for a mask of many attributes has too many digits."""

        def names(mask: Mask) -> list[str]:
            return list(attributes.subset(mask)) if mask else []

        return {"keep": names(self.keep), "drop": names(self.drop), "max_size": self.max_size}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], attributes: Attributes) -> Family:
        """The family that a journal keeps."""
        return cls(len(attributes), attributes.mask(plain["keep"]), attributes.mask(plain["drop"]), plain["max_size"])

    def __contains__(self, mask: Mask) -> bool:
        return (
            0 < mask < (1 << self.n)
            and mask & self.keep == self.keep
            and not mask & self.drop
            and (self.max_size is None or mask.bit_count() <= self.max_size)
        )

    def __len__(self) -> int:
        total = self.count()
        if total > 2**62:
            raise OverflowError("the family is too large for len(); use count()")
        return total

    def __bool__(self) -> bool:
        return True  # no family is empty, and many are too large for len()

    def count(self) -> int:
        """How many subsets there are, exactly."""
        free, room = len(self.free), self.room
        total = 1 << free if room == free else sum(comb(free, k) for k in range(room + 1))
        return total - (self.keep == 0)

    def __iter__(self) -> Iterator[Mask]:
        """Every subset once, smaller ones first, then in mask order."""
        if self.count() > LARGEST_ENUMERATION:
            raise InputError(f"{counted(self.count())} subsets are too many to list (limit {LARGEST_ENUMERATION})")
        free = self.free
        for k in range(self.room + 1):
            for chosen in sorted(mask_of(c) for c in combinations(free, k)):
                if self.keep | chosen:
                    yield self.keep | chosen

    def alone(self, most: int) -> list[Mask]:
        """Subsets of one attribute, at most so many, spread from first to last; where some are kept, these alone."""
        free = self.free
        return [self.keep] if self.keep else [1 << i for i in free[:: -(-len(free) // most)]]

    def neighbours(self, mask: Mask) -> list[Mask]:
        """Members of the family one flip away from `mask`, in mask order."""
        # every attribute is flipped: `mask` itself may hold what is dropped, or lack what is kept
        return sorted(w for i in range(self.n) if (w := mask ^ (1 << i)) in self)

    def some_swaps(self, mask: Mask, most: int, rng: np.random.Generator) -> list[Mask]:
        """All swaps when there are at most so many, otherwise some drawn at random, in mask order."""
        inside, outside = members(mask), members(self._everything & ~mask)
        if len(inside) * len(outside) <= most:
            return self.swaps(mask)
        drawn = zip(rng.choice(inside, most).tolist(), rng.choice(outside, most).tolist(), strict=True)
        return sorted({w for i, j in drawn if (w := mask ^ (1 << i) ^ (1 << j)) in self})

    def swaps(self, mask: Mask) -> list[Mask]:
        """Members of the family that trade one attribute of `mask` for another, in mask order."""
        inside, outside = members(mask), members(self._everything & ~mask)
        traded = (mask ^ (1 << i) ^ (1 << j) for i in inside for j in outside)
        return sorted(w for w in traded if w in self)

    def around(self, mask: Mask) -> Iterator[Mask]:
        """The neighbours of `mask`, and then its swaps, which are many: no sooner than somebody looks at them."""
        yield from self.neighbours(mask)
        yield from self.swaps(mask)


def simplest(mask: Mask) -> tuple[int, Mask]:
    """Sort key of the rule for ties: fewer attributes first, then mask order."""
    return mask.bit_count(), mask
