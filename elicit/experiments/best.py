"""The best: what is known of the best subset of a family for one operator, where all of it was measured.

Noise decides which subset is the best where its lead on the runner-up is below the standard error of that lead,
paired over the folds. The error is that of the jackknife, each fold left out in turn; where utility is a sum in which
the score counts at a fixed rate, this is the usual paired error of two means. Only a table with folds tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elicit.asks import Evaluate, Oracle
from elicit.numeric import step_of
from elicit.operators import SimulatedOperator
from elicit.oracles import SyntheticOracle, TableOracle
from elicit.oracles.describe import describe
from elicit.scenario import OperatorSpec, Scenario
from elicit.sources.oracle import SyntheticSpec
from elicit.subsets import Family, Mask, simplest
from elicit.utility.monomials import Matrix, Vector

#: Families up to this size are enumerated where that is cheap, to know the best utility.
ENUMERATED = 1 << 16


@dataclass(frozen=True)
class Best:
    """The best utility of a family, and whether noise decides which subset has it (None: no folds tell)."""

    utility: float
    noise_decides: bool | None = None


#: What is known of the best for all runs of this process, by oracle, operator and family. The operator is identified by
#: its description, not its name: another scenario may give the name to another one.
_known: dict[tuple[str, str, Family], Best | None] = {}


def best_known(oracle: Oracle, spec: OperatorSpec, operator: SimulatedOperator, family: Family) -> Best | None:
    """`best_of`, cached."""
    key = (oracle.fingerprint, describe(spec), family)
    if key not in _known:
        _known[key] = best_of(oracle, operator, family)
    return _known[key]


def tells_regret(scenario: Scenario) -> bool:
    """Whether the best utility is known for at least one choice of [elicit], so that there are regrets."""
    return any(_is_known(scenario.oracle, elicit.family) for elicit in scenario.elicits)


def _is_known(oracle: Oracle | SyntheticSpec, family: Family) -> bool:
    drawn = isinstance(oracle, SyntheticOracle | SyntheticSpec)
    return isinstance(oracle, TableOracle) or (drawn and family.count() <= ENUMERATED)


def best_of(oracle: Oracle, operator: SimulatedOperator, family: Family) -> Best | None:
    """The best in the family, where it is known: for a table, and for a small synthetic truth."""
    folds: Matrix | None = None
    if isinstance(oracle, TableOracle):
        every = oracle.masks()
        rows = [row for row, mask in enumerate(every) if mask in family]
        masks, values = [every[row] for row in rows], oracle.values()[rows]
        folds = oracle.folds()
        folds = None if folds is None else folds[rows]
    elif isinstance(oracle, SyntheticOracle) and _is_known(oracle, family):
        masks = list(family)
        values = np.array([oracle(Evaluate(0, mask)).criteria for mask in masks])
    else:
        return None
    if not masks:
        return None
    measured = _Measured(operator, masks, values, folds)
    return Best(float(measured.utilities.max()), measured.noise_decides())


class _Measured:
    """Everything that was measured of a family, as an operator sees it.

    values: shape (subsets, criteria), the score first; folds: shape (subsets, folds), the scores behind it.
    """

    def __init__(
        self, operator: SimulatedOperator, masks: Sequence[Mask], values: Matrix, folds: Matrix | None
    ) -> None:
        self._operator, self._masks, self._values, self._folds = operator, masks, values, folds
        self.utilities = self._worth(np.arange(len(masks)), values)

    def _worth(self, rows: NDArray[np.intp], values: Matrix) -> Vector:
        columns = {criterion.name: values[:, c] for c, criterion in enumerate(self._operator.criteria)}
        return np.asarray(self._operator.utilities(columns, [self._masks[row] for row in rows.tolist()]))

    def noise_decides(self) -> bool | None:
        """Whether the lead of the best on the runner-up, a subset that is worse, is below its standard error.

        The runner-up alone counts: a rival that is further behind, though it may be as near by the noise of its own
        folds, does not. So an operator is sooner said to be decided by merit, and a best that is missed to be a miss.
        """
        if self._folds is None:
            return None
        step = step_of(float(self.utilities.max()))
        best = self.utilities >= self.utilities.max() - step
        if best.all():
            return False  # whichever is found is the best
        second = ~best & (self.utilities >= self.utilities[~best].max() - step)
        pair = np.array([self._simplest(best), self._simplest(second)])
        lead = self.utilities[pair[0]] - self.utilities[pair[1]]
        return bool(lead < self._error_of_lead(pair, self._folds[pair]))

    def _simplest(self, among: NDArray[np.bool_]) -> int:
        rows: list[int] = np.flatnonzero(among).tolist()
        return min(rows, key=lambda row: simplest(self._masks[row]))

    def _error_of_lead(self, pair: NDArray[np.intp], folds: Matrix) -> float:
        """The jackknife's standard error of the lead of the first of a pair on the second; folds: those of the two."""
        count = folds.shape[1]
        leads = []
        for left_out in range(count):
            values = self._values[pair].copy()
            values[:, 0] = np.delete(folds, left_out, axis=1).mean(axis=1)
            first, second = self._worth(pair, values)
            leads.append(first - second)
        return float(np.sqrt((count - 1) * np.var(leads)))
