"""Fewer rows of a model for its Shapley values: a second model, learned from the answers, is a control variate.

The learned model is g = a linear one + Σ_c α_c Π_j k_j(·, c_j), over the points c at which the true one was asked, α
by kernel ridge regression. Of such products Shapley values are known exactly: the game v(S) = Π_{j∈S} a_j Π_{j∉S} b_j
has φ_j = ∫₀¹ (a_j − b_j) Π_{k≠j} (t a_k + (1 − t) b_k) dt, a polynomial in t. So the error that the block of a round
makes on g is known; it is subtracted from what the block says of the true model. What the blocks then say of f − g is
shrunk: it counts as far as it is larger than their errors.

The rule: the g that corrects a round never learned from it, so a correction is zero in expectation however badly g
fits; and where g predicts none of the interactions that the blocks show, it is not used. k_j(u, w) = exp(−γ |u − w|),
in standard deviations; for categories, |u − w| is whether they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from elicit.scores.blocks import Block
from elicit.scores.protocol import Floats, Ints
from elicit.scores.sheet import Sheet, gap

#: About how many points g is learned from (less than twice as many): their kernel matrix is inverted.
POINTS = 2000

#: From fewer rounds no g is learned.
FEWEST = 10

#: γ times the number of attributes: the one that predicts the answers of held-out rounds best is taken.
WIDTHS = (1.5, 3.5)

#: What is added to the diagonal of the kernel matrix.
RIDGE = 0.05

#: At most so many nodes of Gauss-Legendre quadrature: d / 2 are exact, and so many are to some ten digits.
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
    """The rows as coordinates, one an attribute: those of the background, and after them those that are explained.

    places (rows, d): the coordinates; empty (rows, d): whether a cell holds none. nominal (d,): which attributes are
    categories, where only whether two coordinates differ counts.
    """

    def __init__(self, known: Sheet, explained: Sheet) -> None:
        self.nominal = np.array([not (known.numeric(j) and explained.numeric(j)) for j in range(known.d)])
        columns = [[*known.column(j).tolist(), *explained.column(j).tolist()] for j in range(known.d)]
        found = [(_codes if nominal else _numbers)(v) for v, nominal in zip(columns, self.nominal, strict=True)]
        self.empty = ~np.isfinite(found).T
        self.places = np.where(self.empty, 0.0, np.transpose(found))

    def distances(self, points: Ints, others: Ints, j: int) -> Floats:
        """What attribute j adds to the mean distance of some rows from others, broadcast."""
        here, there = self.places[points, j], self.places[others, j]
        distances = (here != there) * 1.0 if self.nominal[j] else np.abs(here - there)
        return np.asarray((distances + (self.empty[points, j] != self.empty[others, j])) / len(self.nominal))

    def linear_features(self, points: Ints) -> Floats:
        """The features of the linear part of g at points (points, d): a constant, and the numbers."""
        seen = np.take_along_axis(self.places, points, axis=0)[:, ~self.nominal]
        return np.column_stack([np.ones(len(points)), seen])


def _numbers(values: Sequence[object]) -> Floats:
    """In standard deviations from the mean; NaN where there is no finite number."""
    numbers = np.array([np.nan if gap(v) else v for v in values], dtype=np.float64)
    finite = np.isfinite(numbers)
    if not finite.any():
        return np.full(len(numbers), np.nan)
    largest = np.abs(numbers[finite]).max() or 1.0
    centred = np.where(finite, numbers, np.nan) / largest  # squares must neither overflow nor vanish
    centred -= centred[finite].mean()
    return np.asarray(centred / (centred[finite].std() or 1.0))


def _codes(values: Sequence[object]) -> Floats:
    codes: dict[object, int] = {}
    return np.array([codes.setdefault(None if gap(v) else v, len(codes)) for v in values], dtype=np.float64)


@dataclass(frozen=True)
class ControlVariate:
    """The control variate g at each round, learned from the other rounds.

    errors (rounds, d, outputs): the errors of the blocks on g. residual_values: what they say of f − g, with sum zero.
    higher_order, higher_residual (rounds, outputs): what they show of interactions of three and more attributes, in f
    and in f − g.
    """

    errors: Floats
    residual_values: Floats
    higher_order: Floats
    higher_residual: Floats

    @staticmethod
    def of(rounds: Sequence[Round], at: Coordinates, x: int) -> ControlVariate:
        """The control variate of each of these rounds, learned from the others; x is the row that they explain."""
        points = np.concatenate([np.where(part.block.coalitions[:, part.place], x, part.row) for part in rounds])
        answers = np.concatenate([part.answers for part in rounds])
        linear = at.linear_features(points)
        residual = answers - linear @ np.linalg.lstsq(linear, answers, rcond=None)[0]
        rows_of_round = np.split(np.arange(len(points)), np.cumsum([len(part.answers) for part in rounds])[:-1])
        distances = _distances(at, points)
        fits = (_KernelRidge.of(width, np.exp(-width * distances), residual, rows_of_round) for width in WIDTHS)
        fit = min(fits, key=lambda fit: (fit.held_out_errors**2).sum())
        kernel_x = np.exp(-fit.width * _distances_from(at, points, x))
        found = []
        for part, own in zip(rounds, rows_of_round, strict=True):
            held_out_errors = fit.held_out_errors[own]
            predicted = residual[own] - held_out_errors
            kernel_z = np.exp(-fit.width * _distances_from(at, points, part.row))
            values = _shapley_of_products(kernel_x, kernel_z, fit.weights - fit.inverse[:, own] @ held_out_errors)
            error = part.block.values(predicted)[part.place] - (values - values.mean(axis=0))
            higher_order = part.block.higher_order(part.answers, part.total)
            of_predictions = part.block.higher_order(predicted, values.sum(axis=0))
            rest = part.block.values(held_out_errors)[part.place]
            found.append((error, rest, higher_order, higher_order - of_predictions))
        return ControlVariate(*(np.array(kind) for kind in zip(*found, strict=True)))

    @staticmethod
    def joined(parts: Sequence[ControlVariate]) -> ControlVariate:
        """Several parts, each learned from its own rounds, as one."""
        return ControlVariate(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(ControlVariate)))

    def corrections(self) -> tuple[Floats, Floats]:
        """What to subtract from each round, which leaves no bias, and then from the mean, for a smaller error.

        The variance of the unbiased values is that of the errors of blocks on f − g: of those on g, times the ratio of
        the higher interactions of f − g and of g. The values of g err by about `residual_values`. Both are weighted by
        the inverse of their squared errors.
        """
        used = (self.higher_residual**2).sum(axis=0) < (self.higher_order**2).sum(axis=0)
        residual_values = self.residual_values.mean(axis=0)
        known = np.maximum(((self.higher_order - self.higher_residual) ** 2).sum(axis=0), np.finfo(np.float64).tiny)
        ratio = (self.higher_residual**2).sum(axis=0) / known
        variance = (self.errors**2).sum(axis=(0, 1)) / len(self.residual_values) ** 2 * ratio
        total = np.maximum(variance + (residual_values**2).sum(axis=0), np.finfo(np.float64).tiny)
        return self.errors * used, residual_values * (used * variance / total)


@dataclass(frozen=True)
class _KernelRidge:
    """Kernel ridge regression, and its errors at the points of each round when that round is held out."""

    width: float
    inverse: Floats
    weights: Floats
    held_out_errors: Floats

    @staticmethod
    def of(width: float, kernel: Floats, answers: Floats, rounds: Sequence[Ints]) -> _KernelRidge:
        inverse = np.asarray(np.linalg.inv(kernel + RIDGE * np.eye(len(kernel))), dtype=np.float64)
        weights = np.asarray(inverse @ answers)
        held_out_errors = [np.linalg.solve(inverse[np.ix_(own, own)], weights[own]) for own in rounds]
        return _KernelRidge(width, inverse, weights, np.concatenate(held_out_errors))


def _distances(at: Coordinates, points: Ints) -> Floats:
    """(points, points): mean distances over the attributes."""
    distances = np.zeros((len(points), len(points)))
    for j in range(points.shape[1]):
        distances += at.distances(points[:, None, j], points[None, :, j], j)
    return distances


def _distances_from(at: Coordinates, points: Ints, row: int) -> Floats:
    """(d, points): what each attribute adds to the distance of each point from a row."""
    return np.array([at.distances(points[:, j], np.array(row), j) for j in range(points.shape[1])])


def _shapley_of_products(a: Floats, b: Floats, weights: Floats) -> Floats:
    """Σ_c weights_c φ of the product games of a and b (d, points), (d, outputs); every factor is above zero."""
    nodes, shares = np.polynomial.legendre.leggauss(min(-(-len(a) // 2), NODES))
    integral = np.zeros_like(a)
    for t, share in zip((nodes + 1) / 2, shares / 2, strict=True):
        mixed = t * a + (1 - t) * b
        integral += share * mixed.prod(axis=0) / mixed
    return np.asarray(((a - b) * integral) @ weights)
