"""Fewer rows of a model for its Shapley values: what was asked teaches a second model, which foretells the rest.

The learned model is g = a linear one + Σ_c α_c Π_j k_j(·, c_j), over the points c at which the true one was asked, α
by kernel ridge regression. Of such products Shapley values are known exactly: the game v(S) = Π_{j∈S} a_j Π_{j∉S} b_j
has φ_j = ∫₀¹ (a_j − b_j) Π_{k≠j} (t a_k + (1 − t) b_k) dt, a polynomial in t. So it is known by how much the block of
a round errs on g; the same is taken off what it says of the true model (a control variate). What the blocks then say
of f − g is believed as far as its size is not that of their errors.

The rule: the g that corrects a round never learned from it, so a correction is zero in expectation however badly g
fits; and where blocks show no interactions that g foretells, g is not heard. k_j(u, w) = exp(−γ |u − w|) in standard
deviations; of categories, of whether they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elicit.scores.blocks import Block
from elicit.scores.protocol import Floats, Ints
from elicit.scores.sheet import Sheet, gap

#: How many points g is learned from, more or less (less than twice as many): their kernel matrix is inverted.
POINTS = 2000

#: Of fewer rounds no g can be learned.
FEWEST = 10

#: γ times the number of attributes: the one that foretells the answers of other rounds best is taken.
WIDTHS = (1.5, 3.5)

#: What is added to the diagonal of the kernel matrix.
RIDGE = 0.05

#: Most nodes of Gauss and Legendre: d / 2 are exact, and so many are to some ten digits.
NODES = 12


@dataclass(frozen=True)
class Round:
    """One background row mixed with x: the coalitions of a block, by attributes, and the model's answers to them.

    total (outputs,): f(x) − f(z).
    """

    row: int
    block: Block
    place: Ints
    answers: Floats
    total: Floats


class Coordinates:
    """Where rows stand on every attribute: those of the background, and after them those that are explained.

    places, empty (rows, d): a number whose differences count, and 1 where a cell holds none. nominal (d,): only
    whether two places are the same counts.
    """

    def __init__(self, known: Sheet, explained: Sheet) -> None:
        self.nominal = np.array([not (known.numeric(j) and explained.numeric(j)) for j in range(known.d)])
        columns = [[*known.column(j).tolist(), *explained.column(j).tolist()] for j in range(known.d)]
        found = [(_codes if nominal else _numbers)(v) for v, nominal in zip(columns, self.nominal, strict=True)]
        self.empty = ~np.isfinite(found).T
        self.places = np.where(self.empty, 0.0, np.transpose(found))

    def apart(self, points: Ints, others: Ints, j: int) -> Floats:
        """How far the values of attribute j in some rows are from those in others, broadcast; divided by d."""
        here, there = self.places[points, j], self.places[others, j]
        apart = (here != there) * 1.0 if self.nominal[j] else np.abs(here - there)
        return np.asarray((apart + (self.empty[points, j] != self.empty[others, j])) / len(self.nominal))

    def line(self, points: Ints) -> Floats:
        """What the linear part of g sees of points (points, d): a one, and the numbers."""
        seen = np.take_along_axis(self.places, points, axis=0)[:, ~self.nominal]
        return np.column_stack([np.ones(len(points)), seen])


def _numbers(values: Sequence[object]) -> Floats:
    """In standard deviations from the mean; NaN where there is no finite number."""
    numbers = np.array([np.nan if gap(v) else v for v in values], dtype=np.float64)
    finite = np.isfinite(numbers)
    if not finite.any():
        return np.full(len(numbers), np.nan)
    centred = np.where(finite, numbers, np.nan) / max(1.0, np.abs(numbers[finite]).max())  # squares must not overflow
    centred -= centred[finite].mean()
    return np.asarray(centred / (centred[finite].std() or 1.0))


def _codes(values: Sequence[object]) -> Floats:
    codes: dict[object, int] = {}
    return np.array([codes.setdefault(None if gap(v) else v, len(codes)) for v in values], dtype=np.float64)


@dataclass(frozen=True)
class Foretold:
    """What g says of rounds that it did not learn from.

    errors (rounds, d, outputs): what their blocks err by on g. left: what they say of f − g, with sum zero.
    higher, higher_left (rounds, outputs): what they show of interactions of three and more, in f and in f − g.
    """

    errors: Floats
    left: Floats
    higher: Floats
    higher_left: Floats

    @staticmethod
    def of(rounds: Sequence[Round], at: Coordinates, x: int) -> Foretold:
        """What each of these rounds is told by the others; x is the row that they explain."""
        points = np.concatenate([np.where(part.block.coalitions[:, part.place], x, part.row) for part in rounds])
        answers = np.concatenate([part.answers for part in rounds])
        line = at.line(points)
        bent = answers - line @ np.linalg.lstsq(line, answers, rcond=None)[0]
        owns = np.split(np.arange(len(points)), np.cumsum([len(part.answers) for part in rounds])[:-1])
        apart = _apart(at, points)
        fits = (_Fit.of(width, np.exp(-width * apart), bent, owns) for width in WIDTHS)
        fit = min(fits, key=lambda fit: (fit.missed**2).sum())
        to_x = np.exp(-fit.width * _apart_from(at, points, x))
        found = []
        for part, own in zip(rounds, owns, strict=True):
            missed = fit.missed[own]
            learned = bent[own] - missed
            to_z = np.exp(-fit.width * _apart_from(at, points, part.row))
            values = _shapley_of_products(to_x, to_z, fit.weights - fit.inverse[:, own] @ missed)
            error = part.block.values(learned)[part.place] - (values - values.mean(axis=0))
            higher = part.block.higher(part.answers, part.total)
            foretold = part.block.higher(learned, values.sum(axis=0))
            found.append((error, part.block.values(missed)[part.place], higher, higher - foretold))
        return Foretold(*(np.array(kind) for kind in zip(*found, strict=True)))

    @staticmethod
    def joined(parts: Sequence[Foretold]) -> Foretold:
        """Rounds that learned apart, together."""
        kinds = zip(*((part.errors, part.left, part.higher, part.higher_left) for part in parts), strict=True)
        return Foretold(*(np.concatenate(kind) for kind in kinds))

    def corrections(self) -> tuple[Floats, Floats]:
        """What to take off each round for values that stay unbiased, and off these for values that err less.

        Unbiased values vary as blocks err on f − g: as they err on g, times what they show of higher interactions in
        one and in the other. The values of g err by about what is left. Both are weighed by the inverse of that.
        """
        heard = (self.higher_left**2).sum(axis=0) < (self.higher**2).sum(axis=0)
        left = self.left.mean(axis=0)
        known = np.maximum(((self.higher - self.higher_left) ** 2).sum(axis=0), np.finfo(np.float64).tiny)
        varying = (self.errors**2).sum(axis=(0, 1)) / len(self.left) ** 2 * ((self.higher_left**2).sum(axis=0) / known)
        both = np.maximum(varying + (left**2).sum(axis=0), np.finfo(np.float64).tiny)
        return self.errors * heard, left * (heard * varying / both)


@dataclass(frozen=True)
class _Fit:
    """Kernel ridge regression, and what it misses of the points of each round when it learns from all others."""

    width: float
    inverse: Floats
    weights: Floats
    missed: Floats

    @staticmethod
    def of(width: float, kernel: Floats, answers: Floats, rounds: Sequence[Ints]) -> _Fit:
        inverse = np.asarray(np.linalg.inv(kernel + RIDGE * np.eye(len(kernel))), dtype=np.float64)
        weights = np.asarray(inverse @ answers)
        missed = [np.linalg.solve(inverse[np.ix_(own, own)], weights[own]) for own in rounds]
        return _Fit(width, inverse, weights, np.concatenate(missed))


def _apart(at: Coordinates, points: Ints) -> Floats:
    """How far points are from each other: the mean over the attributes."""
    apart = np.zeros((len(points), len(points)))
    for j in range(points.shape[1]):
        apart += at.apart(points[:, None, j], points[None, :, j], j)
    return apart


def _apart_from(at: Coordinates, points: Ints, row: int) -> Floats:
    """(d, points): what each attribute adds to how far points are from a row."""
    return np.array([at.apart(points[:, j], np.array(row), j) for j in range(points.shape[1])])


def _shapley_of_products(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Σ_c weights_c φ of the product games of a and b (d, points), (d, outputs); every factor is above zero."""
    nodes, shares = np.polynomial.legendre.leggauss(min(-(-len(a) // 2), NODES))
    gained = np.zeros_like(a)
    for t, share in zip((nodes + 1) / 2, shares / 2, strict=True):
        mixed = t * a + (1 - t) * b
        gained += share * mixed.prod(axis=0) / mixed
    return np.asarray(((a - b) * gained) @ weights)
