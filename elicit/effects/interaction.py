"""Friedman's H: how much of what attributes do together is more than the sum of what they do apart.

With every partial dependence and f centred over the rows,
  H_jk² = Σ_i [PD_jk − PD_j − PD_k]²(x_i) / Σ_i PD_jk²(x_i)     for a pair,
  H_j²  = Σ_i [f − PD_j − PD_−j]²(x_i) / Σ_i f²(x_i)             for one attribute against all others.
0: no interaction. H is a ratio, so two attributes that hardly matter can have a large H. It is a share, 1 at most,
where the values of each attribute occur evenly with those of all others; where attributes depend on each other it
may be far above 1, for what is averaged over are combinations that the rows lack. `strength`, the root mean square
of the numerator in units of the model's answer, says how much an interaction matters.

Two paths with one result: any model is asked in large batches (n² rows a pair), and tree ensembles are
taken apart into boxes (`trees.py`), linear in n.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from elicit.effects.dependence import levels, means_at_points
from elicit.effects.drawing import answer_label, axis_label, map_of_pairs
from elicit.effects.trees import boxes_of, dependences
from elicit.errors import InputError
from elicit.numeric import LARGEST
from elicit.scores.answers import ModelAnswers, answers, in_calls
from elicit.scores.protocol import Floats
from elicit.scores.sheet import Sheet

#: What is below this share of the spread of the answers is rounding: H and strength are 0 there. So is what is below
#: so many last digits of the answers themselves.
ROUNDING, LAST_DIGITS = 1e-9, 32

#: Boxes must give the model's answers to this share of their spread.
_AGREE = 1e-9


@dataclass(frozen=True)
class Interactions:
    """H and strength of each pair of positions, and H of each attribute against all others (None if left out).

    path: "trees" when boxes were counted, "batches" when the model was asked. answer: what it answers with, such as
        "chance of class 1"; "" for its prediction.
    """

    names: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    h: Floats
    strength: Floats
    overall: Floats | None
    path: str
    answer: str = ""

    @property
    def matrix(self) -> Floats:
        """H as a symmetric matrix, 0 on the diagonal and where a pair was left out."""
        return self.spread_out(self.h)

    @property
    def strengths(self) -> Floats:
        """The strengths as such a matrix."""
        return self.spread_out(self.strength)

    def strongest(self, count: int = 3) -> tuple[tuple[str, str, float, float], ...]:
        """The pairs of most strength: both names, H, strength."""
        order = np.argsort(-self.strength, kind="stable")[:count]
        named = [(self.pairs[p], float(self.h[p]), float(self.strength[p])) for p in order]
        return tuple((self.names[i], self.names[j], h, strength) for (i, j), h, strength in named)

    def plot(self, ax: Any = None) -> HStatisticDisplay:
        """Draw it (needs matplotlib)."""
        return HStatisticDisplay(self).plot(ax)

    def spread_out(self, values: Floats, empty: float = 0.0) -> Floats:
        """One number a pair as a matrix, with `empty` on its diagonal and for pairs that were left out."""
        table = np.full((len(self.names), len(self.names)), empty)
        for (i, j), value in zip(self.pairs, values, strict=True):
            table[i, j] = table[j, i] = value
        return table


class HStatisticDisplay:
    """H of all pairs as a map; on the diagonal, H of each attribute against all others."""

    def __init__(self, result: Interactions) -> None:
        self.result = result

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, ax: Any = None, **options: Any) -> HStatisticDisplay:
        """Compute and draw; options as for `h_statistic`."""
        return cls(h_statistic(model, X, **options)).plot(ax)

    def plot(self, ax: Any = None) -> HStatisticDisplay:
        """Draw on this axis, or on a new one."""
        table = self.result.spread_out(self.result.h, empty=np.nan)
        if self.result.overall is not None:
            np.fill_diagonal(table, self.result.overall)
        most = float(np.nanmax(table, initial=0.0)) or 1.0
        meaning = axis_label("H (diagonal: against all others)", self.result.answer)
        colours = {"cmap": "viridis", "vmin": 0.0, "vmax": most}
        self.ax_, _ = map_of_pairs(ax, table, self.result.names, meaning, **colours)
        self.figure_ = self.ax_.figure
        return self


def h_statistic(
    model: Any,
    X: Any,
    *,
    pairs: Sequence[tuple[int | str, int | str]] | None = None,
    overall: bool = True,
    path: str = "auto",
    response: str = "auto",
    target: Any = None,
) -> Interactions:
    """H of pairs (all, unless some are named) and of each attribute against all others, over the rows of X.

    path: "auto" counts boxes where the model is a sum of trees, "batches" always asks the model.
    """
    if path not in ("auto", "batches"):
        raise InputError(f"path is 'auto' or 'batches', found {path!r}")
    ask, sheet = answers(model, response, target), Sheet(X)
    chosen = _pairs(sheet, pairs)
    if sheet.n < 2:
        raise InputError("interactions are spreads over rows; give at least 2 rows")
    looked_at = list(range(sheet.d)) if overall else sorted({j for pair in chosen for j in pair})
    for j in looked_at:
        if not sheet.numeric(j):
            levels(sheet, j)  # gaps, and kinds that cannot be put in order, are refused in its words
    answered = ask(sheet.X)
    size = float(np.abs(answered).max())
    if size > LARGEST or 0 < size < 1 / LARGEST:
        raise InputError(f"the model answers with numbers as {size:g}, which cannot be squared; rescale its target")
    f = _centred(answered)
    by_boxes = _by_boxes(ask, sheet, chosen, f, overall) if path == "auto" else None
    single, joint, without = by_boxes or _by_batches(ask, sheet, chosen, looked_at, overall)
    floor = max(ROUNDING**2 * float(f @ f), sheet.n * (LAST_DIGITS * np.finfo(np.float64).eps * size) ** 2)
    h, strength = np.zeros(len(chosen)), np.zeros(len(chosen))
    for p, (j, k) in enumerate(chosen):
        extra = joint[j, k]
        h[p] = _ratio(extra, extra + single[j] + single[k], floor)
        strength[p] = np.sqrt(extra @ extra / sheet.n) if extra @ extra > floor else 0.0
    against = np.array([_ratio(f - single[j] - without[j], f, floor) for j in range(sheet.d)]) if overall else None
    return Interactions(
        sheet.names, tuple(chosen), h, strength, against, "trees" if by_boxes else "batches", answer_label(ask)
    )


Parts = tuple[dict[int, Floats], dict[tuple[int, int], Floats], dict[int, Floats]]


def _by_boxes(ask: ModelAnswers, sheet: Sheet, pairs: list[tuple[int, int]], f: Floats, overall: bool) -> Parts | None:
    """Centred PD_j, PD_jk − PD_j − PD_k and PD_−j by boxes, or None where the model is no sum of them."""
    boxes = boxes_of(ask)
    if boxes is None or not all(sheet.numeric(j) for j in range(sheet.d)):
        return None
    rows = np.column_stack([sheet.column(j).astype(np.float64) for j in range(sheet.d)])
    if not np.isfinite(rows).all():
        return None
    found = dependences(boxes, rows, pairs, overall=overall)
    if np.abs(_centred(found.f) - f).max() > _AGREE * max(np.abs(f).max(), np.abs(found.f).max()):
        return None  # the model does something besides: it is asked instead
    single = {j: _centred(found.single[j]) for j in range(sheet.d)}
    without = {j: _centred(found.without[j]) for j in range(sheet.d)}
    return single, {pair: _centred(extra) for pair, extra in found.joint.items()}, without


def _by_batches(
    ask: ModelAnswers, sheet: Sheet, pairs: list[tuple[int, int]], looked_at: list[int], overall: bool
) -> Parts:
    """The same from the model's answers; `looked_at`: the attributes of the pairs, or all."""
    codes = {j: np.unique(sheet.column(j), return_inverse=True) for j in looked_at}
    single = {}
    for j, (distinct, code) in codes.items():
        single[j] = _centred(means_at_points(ask, sheet, {j: distinct}, len(distinct))[code])
    joint = {}
    for j, k in pairs:
        width = len(codes[k][0])
        met, code = np.unique(codes[j][1] * width + codes[k][1], return_inverse=True)
        points = {j: codes[j][0][met // width], k: codes[k][0][met % width]}
        together = means_at_points(ask, sheet, points, len(met))[code]
        joint[j, k] = _centred(together) - single[j] - single[k]
    without = {j: _centred(_dependence_without(ask, sheet, j)) for j in range(sheet.d)} if overall else {}
    return single, joint, without


def _dependence_without(ask: ModelAnswers, sheet: Sheet, j: int) -> Floats:
    """PD_−j at every row: its answer averaged over the values that the attribute has in all rows."""
    distinct, counts = np.unique(sheet.column(j), return_counts=True)

    def batch(start: int, stop: int) -> Any:
        row, value = np.divmod(np.arange(start * len(distinct), stop * len(distinct)), len(distinct))
        return sheet.replaced(row, {j: distinct[value]})

    def mean(rows: Any) -> Floats:
        return np.asarray(ask(rows).reshape(-1, len(distinct)) @ (counts / sheet.n))

    return in_calls(mean, sheet.n, len(distinct) * sheet.d, batch)


def _pairs(sheet: Sheet, pairs: Sequence[tuple[int | str, int | str]] | None) -> list[tuple[int, int]]:
    if pairs is None:
        return list(combinations(range(sheet.d), 2))
    if not isinstance(pairs, Iterable):
        raise InputError(f"pairs are a list of two attributes each, or None for all; found {pairs!r}")
    chosen = []
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Collection) or len(pair) != 2:
            raise InputError(f"a pair is two attributes, found {pair!r}")
        i, j = sorted(sheet.position(attribute) for attribute in pair)
        if i == j:
            raise InputError(f"a pair is two different attributes, found {pair!r}")
        chosen.append((i, j))
    return list(dict.fromkeys(chosen))


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean())


def _ratio(part: Floats, whole: Floats, floor: float) -> float:
    """√(Σ part² / Σ whole²); 0 where either is rounding."""
    above, below = float(part @ part), float(whole @ whole)
    return float(np.sqrt(above / below)) if above > floor and below > floor else 0.0
