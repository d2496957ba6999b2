"""Linear equations in integers, solved exactly: modulo a prime, and from there lifted to fractions (Dixon).

Elimination in fractions takes minutes with two hundred unknowns, because digits grow with every step. Modulo a
prime nothing grows: there one sees which equations determine which unknowns, and inverts these. With the inverse a
solution gains the digits of a prime a step, until its fractions can be read off.

The rule: what comes out has been put into every equation, so an unlucky prime can lose a solution, never fake one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, lcm, prod

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: The largest below 2^26, so that a product of two remainders has digits to spare in 64 bits. The second is for
#: the one matrix in millions whose determinant the first divides.
PRIMES = (67108859, 67108837)

#: Entries are at most this, so that a row of remainders can be added up in 64 bits.
LARGEST_ENTRY = 1 << 20


def solve_exactly(
    matrix: Sequence[Sequence[int]], right: Sequence[Fraction], free: Sequence[Fraction]
) -> list[Fraction] | None:
    """x with Σ_j matrix[i][j] x_j = right[i] for every i; None when there is none.

    Where there are many solutions, an unknown that the equations and those before it leave free is as in `free`.
    """
    entries = np.array(matrix, dtype=np.int64).reshape(len(right), len(free))
    if np.abs(entries).max(initial=0) > LARGEST_ENTRY:
        raise ValueError(f"entries of exact equations are at most {LARGEST_ENTRY}")
    for prime in PRIMES:
        rows, columns = _pivots(entries, prime)
        determined = set(columns)
        x = [Fraction(0) if j in determined else value for j, value in enumerate(free)]
        remaining = [b - a for a, b in zip(_left_sides(entries, x), right, strict=True)]
        found = _dixon(entries[np.ix_(rows, columns)], [remaining[i] for i in rows], prime)
        for j, value in zip(columns, found, strict=True):
            x[j] = value
        if _left_sides(entries, x) == list(right):
            return x
    return None


def _left_sides(entries: Ints, x: Sequence[Fraction]) -> list[Fraction]:
    """The left side of every equation."""
    common = lcm(*(value.denominator for value in x))
    whole = [int(value * common) for value in x]
    return [Fraction(sum(int(row[j]) * whole[j] for j in np.flatnonzero(row)), common) for row in entries]


def _pivots(entries: Ints, prime: int) -> tuple[list[int], list[int]]:
    """The rows and the columns of the pivots of elimination modulo the prime, the first columns that have one."""
    table, order = entries % prime, np.arange(len(entries))
    columns: list[int] = []
    for column in range(table.shape[1]):
        here = len(columns)
        filled = np.flatnonzero(table[here:, column])
        if not len(filled):
            continue
        swapped = [here + int(filled[0]), here]
        table[[here, swapped[0]]], order[[here, swapped[0]]] = table[swapped], order[swapped]
        below = here + 1 + np.flatnonzero(table[here + 1 :, column])
        lead = pow(int(table[here, column]), -1, prime)
        factors = table[below, column] * lead % prime
        table[below, column:] = (table[below, column:] - factors[:, None] * table[here, column:]) % prime
        columns.append(column)
    return [int(i) for i in order[: len(columns)]], columns


def _inverse(square: Ints, prime: int) -> Ints:
    """The inverse modulo the prime of rows and columns in the order of `_pivots`, in which none need be swapped."""
    size = len(square)
    table: Ints = np.hstack([square % prime, np.eye(size, dtype=np.int64)])
    for k in range(size):
        table[k] = table[k] * pow(int(table[k, k]), -1, prime) % prime
        others = np.flatnonzero(table[:, k])
        others = others[others != k]
        table[others] = (table[others] - table[others, k][:, None] * table[k]) % prime
    return table[:, size:]


def _dixon(square: Ints, right: Sequence[Fraction], prime: int) -> list[Fraction]:
    """The solution of equations that determine all their unknowns, by Dixon's lifting."""
    common = lcm(*(b.denominator for b in right))
    residual = [int(b * common) for b in right]
    # Cramer's rule and Hadamard's bound: how large numerators and denominators can be
    denominator_bound = prod(isqrt(int(norm)) + 1 for norm in (square * square).sum(axis=0))
    numerator_bound = denominator_bound * (isqrt(sum(b * b for b in residual)) + 1)
    inverse, modulus = _inverse(square, prime), 1
    digits = [0] * len(square)
    while modulus <= 2 * numerator_bound * denominator_bound:
        remainders = np.array([b % prime for b in residual], dtype=np.int64)
        step = (inverse * remainders % prime).sum(axis=1) % prime
        digits = [x + modulus * int(s) for x, s in zip(digits, step, strict=True)]
        residual = [(b - int(a)) // prime for b, a in zip(residual, square @ step, strict=True)]
        modulus *= prime
    return [x / common for x in _reconstructed(digits, modulus, numerator_bound)]


def _reconstructed(digits: Sequence[int], modulus: int, numerator_bound: int) -> list[Fraction]:
    """The fractions that the remainders stand for; the common denominator grows as more are known."""
    common, found = 1, []
    for x in digits:
        value = x * common % modulus
        value -= modulus if 2 * value > modulus else 0
        if abs(value) > numerator_bound:
            numerator, denominator = _rational_reconstruction(x * common % modulus, modulus, numerator_bound)
            value, common = numerator, common * denominator
        found.append(Fraction(value, common))
    return found


def _rational_reconstruction(x: int, modulus: int, most: int) -> tuple[int, int]:
    """The fraction with a numerator of at most `most` that is x modulo the modulus: Euclid's algorithm, half-way."""
    previous, numerator, previous_denominator, denominator = modulus, x, 0, 1
    while numerator > most:
        quotient = previous // numerator
        previous, numerator = numerator, previous - quotient * numerator
        previous_denominator, denominator = denominator, previous_denominator - quotient * denominator
    return numerator, denominator
