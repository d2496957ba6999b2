"""f_θ(v) = Σ θ_S over the monomials S ⊆ v, and the 0/1 rows φ(v) that make it θ·φ(v).

A monomial is itself a mask: of one attribute, two or three. `Monomials` lists those that may have a
coefficient; `Utility` is one θ over such a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from elicit.errors import InputError
from elicit.subsets import Mask, indicator, mask_of, members
from elicit.utility.numbers import MOST_MONOMIALS, listable

#: The largest degree of a monomial.
HIGHEST_DEGREE = 3

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def check_degree(degree: int, n: int) -> None:
    """An error unless 1 ≤ degree ≤ min(3, n)."""
    if not 1 <= degree <= HIGHEST_DEGREE:
        raise InputError(f"the degree must be 1, 2 or {HIGHEST_DEGREE}, found {degree}")
    if degree > n:
        raise InputError(f"degree {degree} needs at least {degree} attributes, there are {n}; lower the degree")


class Monomials:
    """M: an ordered list of monomials over n attributes."""

    def __init__(self, n: int, terms: Iterable[Mask]) -> None:
        self.n = n
        self.terms: tuple[Mask, ...] = tuple(terms)
        for term in self.terms:
            if not 0 < term < 1 << n or term.bit_count() > HIGHEST_DEGREE:
                raise InputError(f"a monomial holds 1 to {HIGHEST_DEGREE} of the {n} attributes, found mask {term}")

    @classmethod
    def support(cls, n: int, terms: Iterable[Mask], degree: int = HIGHEST_DEGREE) -> Monomials:
        """All single attributes, then the given monomials, of at most this degree, by degree and position."""
        higher = {t for t in terms if t.bit_count() > 1}
        highest = max((t.bit_count() for t in higher), default=1)
        if degree < highest <= HIGHEST_DEGREE:  # it would have no weight
            raise InputError(f"the support has a monomial of {highest} attributes, the degree is {degree}")
        singles = [1 << i for i in range(n)]
        return cls(n, [*singles, *sorted(higher, key=lambda t: (t.bit_count(), members(t)))])

    @classmethod
    def full(cls, n: int, degree: int) -> Monomials:
        """Every monomial up to `degree`."""
        check_degree(degree, n)
        if not listable(n, degree):
            raise InputError(
                f"{n} attributes have too many monomials of degree {degree} to list (limit {MOST_MONOMIALS}); "
                "take degree 1, give a support, or take the parsimonious set, whose programs need no list"
            )
        return cls(n, [mask_of(c) for k in range(1, degree + 1) for c in combinations(range(n), k)])

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """|S| of every monomial."""
        return np.array([t.bit_count() for t in self.terms], dtype=np.int64)

    @cached_property
    def position(self) -> dict[Mask, int]:
        """The index of each monomial."""
        return {term: k for k, term in enumerate(self.terms)}

    @cached_property
    def _blocks(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each degree: which columns have it, and their attribute positions, (count, degree)."""
        blocks = []
        for degree in range(1, HIGHEST_DEGREE + 1):
            columns = np.flatnonzero(self.degrees == degree)
            held = np.array([members(self.terms[k]) for k in columns], dtype=np.int64)
            blocks.append((columns, held.reshape(len(columns), degree)))
        return blocks

    def rows(self, masks: Sequence[Mask]) -> Matrix:
        """φ, shape (len(masks), len(self)): entry (r, S) is 1 when S ⊆ masks[r]."""
        inside = indicator(masks, self.n)
        phi = np.empty((len(masks), len(self)))
        for columns, held in self._blocks:
            if len(columns):
                phi[:, columns] = np.logical_and.reduce([inside[:, h] for h in held.T])
        return phi

    @cached_property
    def held(self) -> NDArray[np.int64]:
        """The attributes of each monomial, shape (len(self), largest degree), padded with the last one."""
        most = int(self.degrees.max(initial=1))
        held = np.empty((len(self), most), dtype=np.int64)
        for degree, (columns, places) in enumerate(self._blocks, start=1):
            held[columns] = places[:, np.minimum(np.arange(most), degree - 1)]
        return held

    @cached_property
    def _masks(self) -> NDArray[np.int64] | NDArray[np.object_]:
        """The terms as one array; of Python's own integers where they are too large for the machine's."""
        return np.array(self.terms, dtype=np.int64 if self.n < 63 else object)

    def entries_between(self, inside: Mask, outside: Mask) -> tuple[Vector, Vector]:
        """The least and the largest value that each entry of φ(y) may have, for a y that holds and lacks so much."""
        terms = self._masks
        return (terms & inside == terms).astype(np.float64), (terms & outside == 0).astype(np.float64)

    def holding(self, attribute: int) -> NDArray[np.bool_]:
        """Which monomials hold an attribute."""
        found: NDArray[np.bool_] = self._masks & 1 << attribute != 0
        return found

    def by_attribute(self, values: Vector) -> Vector:
        """Σ_{S ∋ i} values_S of every attribute i, shape (n,)."""
        total = np.bincount(self.held[:, 0], values, self.n)
        for k in range(1, self.held.shape[1]):
            total = total + np.bincount(self.held[:, k], np.where(self.degrees > k, values, 0.0), self.n)
        return np.asarray(total)

    def row(self, mask: Mask) -> Vector:
        """φ(v), shape (len(self),)."""
        if self._masks.dtype == object:  # Python's own integers: bit by bit is sooner
            vector: Vector = self.rows([mask])[0]
        else:
            vector = (self._masks & mask == self._masks).astype(np.float64)
        return vector


class Utility:
    """One θ: a coefficient for every monomial that has one."""

    def __init__(self, n: int, theta: Mapping[Mask, float]) -> None:
        self.n = n
        self._monomials = Monomials(n, theta)
        self._vector: Vector = np.array(list(theta.values()), dtype=np.float64)

    @classmethod
    def of(cls, monomials: Monomials, values: Vector) -> Utility:
        """θ given as a vector over monomials."""
        found = cls.__new__(cls)
        found.n, found._monomials = monomials.n, monomials
        found._vector = np.asarray(values, dtype=np.float64)
        return found

    @cached_property
    def theta(self) -> dict[Mask, float]:
        """The coefficients that are not 0."""
        return {t: x for t, x in zip(self._monomials.terms, self._vector.tolist(), strict=True) if x}

    def values(self, masks: Sequence[Mask]) -> Vector:
        """f_θ of every mask."""
        values: Vector = self._monomials.rows(masks) @ self._vector
        return values

    def __call__(self, mask: Mask) -> float:
        return float(self.values([mask])[0])

    def power(self, kind: str = "shapley") -> Vector:
        """Power index of every attribute: Σ_{S∋i} θ_S / q_|S| with q = |S| (Shapley) or 2^(|S|−1) (Banzhaf).

        The two agree up to degree 2, where both are u_i + ½ Σ_j u_ij.
        """
        index = np.zeros(self.n)
        for term, value in self.theta.items():
            index[members(term)] += value / index_divisor(term.bit_count(), kind)
        return index

    def interactions(self) -> Matrix:
        """u_ij, symmetric, shape (n, n); the diagonal holds u_i."""
        table = np.zeros((self.n, self.n))
        for term, value in self.theta.items():
            if term.bit_count() <= 2:
                held = members(term)
                table[held[0], held[-1]] = table[held[-1], held[0]] = value
        return table


def index_divisor(degree: int, kind: str) -> float:
    """q_j: by what an index divides the coefficient of a monomial of this degree, for each of its attributes."""
    if kind == "shapley":
        return float(degree)
    if kind == "banzhaf":
        return float(2 ** (degree - 1))
    raise InputError(f"a power index is 'shapley' or 'banzhaf', found {kind!r}")
