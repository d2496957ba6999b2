"""Choosing between settings: what the other tables would choose, and what that is worth on the one left out.

A choice that is best on the tables it was chosen by flatters itself. So each table is left out in turn: of the
choices, the one of least mean regret on all others is looked at on this one. The intervals are over tables, since
whoever chooses a default chooses it for tables not yet seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from elicit.errors import InputError
from elicit.experiments.results import Results
from elicit.experiments.side_by_side import LEVEL, half_interval
from elicit.numeric import GRID
from elicit.printable import aligned, printable
from elicit.utility.monomials import Matrix

#: The error for a scenario without a known regret.
NOT_KNOWN = "no regret is known; choices are compared on tables of every subset"


@dataclass(frozen=True)
class Choosing:
    """The mean regret of every choice on every table: shape (tables, choices). The first choice is the default."""

    tables: tuple[str, ...]
    choices: tuple[str, ...]
    regrets: Matrix

    @classmethod
    def of(cls, played: Mapping[str, Results]) -> Choosing:
        """From the results of scenarios, by name, that all played the same choices."""
        choices = tuple(dict.fromkeys(run["method"] for results in played.values() for run in results))
        regrets = np.array([[_mean(table, results, choice) for choice in choices] for table, results in played.items()])
        return cls(tuple(played), choices, regrets)

    @property
    def left_out(self) -> list[int]:
        """For each table the choice that all others make; of equal ones the first."""
        others = self.regrets.sum(axis=0) - self.regrets
        return [int(np.flatnonzero(row <= row.min() + GRID)[0]) for row in others]

    def lines(self, width: int | None = None) -> list[str]:
        """As text of this width: each table, then each choice."""
        return [*aligned(self._by_table(), width), "", *aligned(self._by_choice(), width)]

    def _by_table(self) -> list[list[str]]:
        places, left_out, best = np.arange(len(self.tables)), self.left_out, self.regrets.argmin(axis=1)
        columns = [self.regrets[:, 0], self.regrets[places, left_out], self.regrets[places, best]]
        names = [printable(choice) for choice in self.choices]
        rows = [["left out", names[0], "the others choose", "regret", "best here", "regret"]]
        for k, table in enumerate(self.tables):
            first, chosen, least = (_number(column[k]) for column in columns)
            rows.append([printable(table), first, names[left_out[k]], chosen, names[best[k]], least])
        first, chosen, least = (_number(column.mean()) for column in columns)
        return [*rows, ["mean", first, "", chosen, "", least]]

    def _by_choice(self) -> list[list[str]]:
        left_out = self.left_out
        rows = [["choice", "mean regret", f"beside the first ({LEVEL:.0%} over tables)", "chosen by the others"]]
        for k, choice in enumerate(self.choices):
            apart = self.regrets[:, k] - self.regrets[:, 0]
            half = half_interval(apart)
            beside = "" if k == 0 else f"{apart.mean():+.4f}" + ("" if half is None else f" ± {half:.4f}")
            often = f"{left_out.count(k)} of {len(self.tables)}"
            rows.append([printable(choice), _number(self.regrets[:, k].mean()), beside, often])
        return rows


def _mean(table: str, results: Results, choice: str) -> float:
    """The mean regret over operators and seeds."""
    regrets = [run["regret"] for run in results if run["method"] == choice]
    known = [regret for regret in regrets if regret is not None]
    if not known or len(known) < len(regrets):
        raise InputError(f"{table}: {NOT_KNOWN}")
    return float(np.mean(known))


def _number(value: float) -> str:
    return f"{value:.4f}"
