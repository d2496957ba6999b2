"""Equations are solved exactly: what elimination in fractions finds, and nothing where there is nothing."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from elicit.utility import lifting
from elicit.utility.lifting import LARGEST_ENTRY, PRIMES, solve_exactly

ENTRIES = st.integers(-3, 3) | st.sampled_from([PRIMES[0] % LARGEST_ENTRY, -LARGEST_ENTRY])
FRACTIONS = st.fractions(-5, 5, max_denominator=12)


def eliminated(matrix, right, held):
    """The judge: elimination in fractions, with the unknowns left over as they are held."""
    table = [[Fraction(x) for x in row] + [Fraction(b)] for row, b in zip(matrix, right, strict=True)]
    pivots = []
    for column in range(len(held)):
        here = len(pivots)
        pivot = next((i for i in range(here, len(table)) if table[i][column]), None)
        if pivot is not None:
            table[here], table[pivot] = table[pivot], table[here]
            table[here] = [x / table[here][column] for x in table[here]]
            for i, row in enumerate(table):
                if i != here and row[column]:
                    table[i] = [x - row[column] * y for x, y in zip(row, table[here], strict=True)]
            pivots.append(column)
    if any(row[-1] for row in table[len(pivots) :]):
        return None
    x = list(held)
    for row, column in zip(table, pivots, strict=False):
        x[column] = row[-1] - sum(row[j] * held[j] for j in range(len(held)) if j not in pivots)
    return x


@st.composite
def systems(draw):
    """Equations, often dependent and often with a solution."""
    width, height = draw(st.integers(1, 6)), draw(st.integers(0, 6))
    row = st.lists(ENTRIES, min_size=width, max_size=width)
    matrix = draw(st.lists(row, min_size=height, max_size=height))
    if height > 1 and draw(st.booleans()):
        matrix[-1] = [a - b if abs(a - b) <= LARGEST_ENTRY else a for a, b in zip(matrix[0], matrix[1], strict=True)]
    held = draw(st.lists(FRACTIONS, min_size=width, max_size=width))
    behind = draw(st.lists(FRACTIONS, min_size=width, max_size=width))
    right = [sum((a * x for a, x in zip(r, behind, strict=True)), Fraction(0)) for r in matrix]
    if height and draw(st.booleans()):
        right[draw(st.integers(0, height - 1))] += draw(FRACTIONS)
    return matrix, right, held


@given(systems())
def test_solutions_are_those_of_elimination(system):
    assert solve_exactly(*system) == eliminated(*system)


@given(systems(), st.sampled_from([2, 3, 5]))
def test_an_unlucky_prime_never_fakes_a_solution(system, prime):
    matrix, right, _ = system
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifting, "PRIMES", (prime,))
        found = solve_exactly(*system)
    if found is not None:
        assert [sum(a * x for a, x in zip(row, found, strict=True)) for row in matrix] == right


@given(
    st.integers(1, 4).flatmap(
        lambda size: st.tuples(
            st.lists(st.lists(st.integers(-4, 4), min_size=size, max_size=size), min_size=size, max_size=size),
            st.lists(FRACTIONS, min_size=size, max_size=size),
        )
    ),
    st.sampled_from([2, 3, 5, 7, 101]),
)
def test_as_many_digits_are_lifted_as_a_solution_can_need_however_small_the_prime(system, prime):
    matrix, right = system
    assume(round(np.linalg.det(matrix)) % prime)
    held = [Fraction(0)] * len(right)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifting, "PRIMES", (prime,))
        assert solve_exactly(matrix, right, held) == eliminated(matrix, right, held)


def test_the_second_prime_solves_what_the_first_divides():
    # the determinant, 8192² − 5, is the first prime, so modulo that the equations are dependent
    matrix = [[8192, 5], [1, 8192]]
    right, held = [Fraction(1), Fraction(2)], [Fraction(0)] * 2
    assert PRIMES[0] == 8192**2 - 5
    assert solve_exactly(matrix, right, held) == eliminated(matrix, right, held)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lifting, "PRIMES", PRIMES[:1])
        assert solve_exactly(matrix, right, held) is None


def test_a_hundred_unknowns_with_many_digits():
    rng = np.random.default_rng(0)
    matrix = rng.integers(-1, 2, size=(100, 100))
    right = [Fraction(int(x), 7) for x in rng.integers(-9, 9, size=100)]
    found = solve_exactly(matrix.tolist(), right, [Fraction(0)] * 100)
    assert found is not None
    assert max(len(str(x.denominator)) for x in found) > 50
    assert all(
        sum(int(a) * x for a, x in zip(row, found, strict=True)) == b for row, b in zip(matrix, right, strict=True)
    )


def test_entries_that_could_overflow_are_refused():
    with pytest.raises(ValueError, match="at most"):
        solve_exactly([[LARGEST_ENTRY + 1]], [Fraction(1)], [Fraction(0)])
