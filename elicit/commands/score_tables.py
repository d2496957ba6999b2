"""The tables of elicit score: scores beside each other with their ranks, how far they agree, and what is relevant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elicit.commands.output import say, screen_width
from elicit.printable import aligned, alike, padded, paragraph, printable, rounded, told_apart, width
from elicit.scores.agreement import kendall, ranks, spearman
from elicit.scores.protocol import Floats
from elicit.scores.registry import Measure
from elicit.scores.relevance import Relevance


@dataclass(frozen=True)
class Column:
    """One score of all attributes."""

    measure: Measure
    options: Mapping[str, Any]
    values: Floats

    @property
    def ranks(self) -> Floats:
        """Rank 1 is the best."""
        return ranks(self.values, self.measure.higher_is_better)


def print_results(
    heading: Sequence[str],
    names: Sequence[str],
    found: Sequence[Column],
    relevances: Sequence[Relevance],
    judged: str,
    rest: str,
) -> None:
    """What was scored, the scores beside each other, how far they agree, and what is relevant (`judged`: to what).

    rest: what may show a gain where none was.

    Nothing is printed where nothing was computed.
    """
    if not (found or relevances):
        return
    for line in heading:
        say(line)
    columns = screen_width()
    heads = list(map(printable, names)) if columns is None else told_apart(names)
    if found:
        print("\n".join(_side_by_side(heads, found)))
    if len(found) > 1 and len(names) > 1:
        say("agreement of the ranks: Spearman's rho above the diagonal, Kendall's tau below")
        print("\n".join(_agreement(found)))
    if relevances:
        say(f"relevance to {judged}, with the comparison that shows it or comes nearest, and the p that decides:")
        print("\n".join(_relevance_lines(heads, names, relevances, columns)))
    if any(verdict.kind == "irrelevant" for verdict in relevances):
        say(f"irrelevant: no gain was shown, nor ruled out; {rest}")


def _side_by_side(names: Sequence[str], found: Sequence[Column]) -> list[str]:
    """A table with a row for each attribute, the best mean rank first; each score is followed by its rank."""
    places = np.array([column.ranks for column in found])
    mean = places.mean(axis=0)
    order = np.argsort(mean, kind="stable")
    columns = [["attribute", *(names[i] for i in order)]]
    for column, place in zip(found, places, strict=True):
        told = [f"({rank:g})" for rank in place]
        longest = max(map(len, told))  # as wide for all, so that the scores end below each other
        cells = (f"{rounded(column.values[i], 4)} {told[i]:>{longest}}" for i in order)
        columns.append(_to_the_right(column.measure.name, cells, 16))
    if len(found) > 1:
        columns.append(_to_the_right("mean rank", alike(mean[order].tolist(), 4)))
    return aligned(list(zip(*columns, strict=True)), screen_width())


def _to_the_right(head: str, cells: Iterable[str], least: int = 0) -> list[str]:
    """A right-aligned column with its heading, at least `least` characters wide."""
    column = [head, *cells]
    most = max(least, *map(len, column))
    return [cell.rjust(most) for cell in column]


def _agreement(found: Sequence[Column]) -> list[str]:
    """A table of Spearman's ρ above the diagonal, Kendall's τ below."""
    names = [column.measure.name for column in found]
    rho, tau = (how([column.ranks for column in found]) for how in (spearman, kendall))
    columns = [["", *names]]
    for j, name in enumerate(names):
        between = [(rho if j > i else tau)[i, j] for i in range(len(names))]
        told = ["-" if np.isnan(value) else f"{np.round(value, 3) + 0.0:.3f}" for value in between]  # without a -0
        cells = ["" if i == j else told[i] for i in range(len(names))]
        columns.append(_to_the_right(name, cells, 6))
    return aligned(list(zip(*columns, strict=True)), screen_width())


def _relevance_lines(
    heads: Sequence[str], names: Sequence[str], relevances: Sequence[Relevance], columns: int | None
) -> Iterator[str]:
    """A line for each attribute, called by its head; on a terminal of so many columns it goes on below at a space."""
    for head, verdict in zip(heads, relevances, strict=True):
        everything = len(names) > 1 and len(verdict.among) == len(names) - 1
        among = "all others" if everything else ", ".join(printable(names[j]) for j in verdict.among)
        over = "of this comparison" if verdict.kind == "relevant" else "over all comparisons"
        found = f"gain {verdict.gain:+.4f} beside {among or 'none'}; p {verdict.p:.2g} {over}"
        key = f"{padded(head, max(map(width, heads)))}  {verdict.kind:<15}  "
        if columns is None or width(key + found) <= columns:
            yield key + found
        else:
            yield key.rstrip()
            yield from paragraph(f"    {found}", columns)
