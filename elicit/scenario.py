"""Scenario: what is measured, who judges, how it is elicited, and how often; checked, and ready to be played.

It is read from a file by `elicit.scenario_file`, and played by `experiments/`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from elicit.asks import Oracle
from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.methods import Goal, TradeOff
from elicit.numeric import is_whole
from elicit.operators import HiddenTheta, Lexicographic, SimulatedOperator
from elicit.oracles import SyntheticOracle, TableOracle
from elicit.printable import counted, many
from elicit.sources.material import DataMaterial
from elicit.sources.oracle import SyntheticSpec
from elicit.sources.sections import Section
from elicit.subsets import Family

#: The name of our own method among the `methods` of [experiment].
OURS = "elicit"


@dataclass(frozen=True)
class OperatorSpec:
    """A simulated operator before it has a seed. `utility` None means the hidden θ of the synthetic oracle.

    Journals tell its runs apart by its description, which begins with where this class is: moved, it would find none.
    """

    name: str
    utility: str | Lexicographic | None
    noise: float = 0.0
    hesitation: float = 0.0

    def simulated(self, oracle: Oracle, seed: int) -> SimulatedOperator:
        """The operator of one seed, who judges what this oracle measures."""
        utility: str | Lexicographic | HiddenTheta | None = self.utility
        if utility is None:
            assert isinstance(oracle, SyntheticOracle)
            utility = HiddenTheta(oracle.theta)
        return SimulatedOperator(utility, oracle.criteria, noise=self.noise, hesitation=self.hesitation, seed=seed)


@dataclass(frozen=True)
class ElicitSpec:
    """One choice of [elicit], by its name."""

    name: str
    settings: Settings
    family: Family
    prior: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Scenario:
    """A checked scenario. `plain` is the file as it was read, and as it was changed since.

    methods: what is compared, None for all that can be. material: the data behind the oracle, where they are
    known. trace_every: evaluations between two looks at what would be recommended. goal: what the classical
    methods are after; ours elicits the trade-off, so with another goal it is not among them.
    """

    oracle: Oracle | SyntheticSpec
    operators: tuple[OperatorSpec, ...]
    elicits: tuple[ElicitSpec, ...]
    seeds: tuple[int, ...]
    plain: Section
    methods: tuple[str, ...] | None = None
    material: DataMaterial | None = None
    trace_every: int = 1
    goal: Goal = field(default_factory=TradeOff)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of the data behind the oracle, or filled in them, and what a table lacks."""
        told = () if self.material is None else self.material.notes
        if isinstance(self.oracle, TableOracle):
            told += _lacking(self.oracle, self.elicits)
        return told

    def oracle_of(self, seed: int) -> Oracle:
        """The oracle of one seed."""
        return self.oracle.drawn(seed) if isinstance(self.oracle, SyntheticSpec) else self.oracle

    def reduced(self, budget: int | None = None, seeds: int | None = None) -> Scenario:
        """A copy with another budget or number of seeds: the first of its own seeds, then further ones from 0."""
        elicits, kept, plain = self.elicits, self.seeds, dict(self.plain)
        if budget is not None:
            elicits = tuple(
                dataclasses.replace(e, settings=dataclasses.replace(e.settings, budget=budget)) for e in elicits
            )
            given = self.plain.get("elicit", {})
            changed = [{**section, "budget": budget} for section in (given if isinstance(given, list) else [given])]
            plain["elicit"] = changed if isinstance(given, list) else changed[0]
        if seeds is not None:
            others = sorted(set(seeds_of(seeds)).difference(kept))
            kept = (*kept, *others)[:seeds]
            plain["experiment"] = {**self.plain.get("experiment", {}), "seeds": list(kept)}
        return dataclasses.replace(self, elicits=elicits, seeds=kept, plain=plain)


def _lacking(table: TableOracle, elicits: Sequence[ElicitSpec]) -> tuple[str, ...]:
    """A note where a table lacks subsets that may be chosen."""
    for family in (elicit.family for elicit in elicits):
        if lacking := table.lacking(family):
            among = f"{counted(lacking)} of the {many(family.count(), 'subset')} that may be chosen"
            return (f"the table lacks {among}: what is best is known of its rows alone",)
    return ()


#: More seeds than this are not played: a run takes a tenth of a second at least, so that would be days.
MOST_SEEDS = 1_000_000


def seeds_of(given: Any) -> tuple[int, ...]:
    """So many seeds from 0, or the listed ones."""
    if not isinstance(given, list):
        if not is_whole(given) or given < 1:
            raise InputError(f"`seeds` is a number of at least 1 or a list of seeds, found {given!r}")
        if given > MOST_SEEDS:
            raise InputError(f"`seeds` is a number of at most {MOST_SEEDS}, found {given}")
        return tuple(range(given))
    if not given or any(not is_whole(seed) or seed < 0 for seed in given):
        raise InputError(f"`seeds` lists whole numbers of at least 0, found {given!r}")
    if len(set(given)) < len(given):
        raise InputError("`seeds` lists a seed twice; the runs would be the same")
    return tuple(given)
