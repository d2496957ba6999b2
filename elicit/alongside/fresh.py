"""Fresh folds: the score of a chosen subset on splits that had no part in the choice, the same for all compared.

The rows are those that chose, so this score is nearer the truth than the one that chose, and of the chosen subset too
high all the same: by little with many rows, by much with few. Only rows that nobody saw tell the truth.
The rule: what was measured before is not measured again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from typing import Any

from elicit.asks import Evaluate, Failure, Measured, Oracle
from elicit.errors import InputError
from elicit.journal import Shuffled
from elicit.oracles import WrapperOracle
from elicit.oracles.splits import Split
from elicit.sources.oracle import data_of, wrapper_of
from elicit.subsets import Mask

#: How many times the rows are split anew. The seeds count from FIRST_SEED and skip that of the folds that chose.
ROUNDS = 5
FIRST_SEED = 1_000

#: Called with each new result: the seed of its folds, its subset, and what was measured.
Keep = Callable[[int, Mask, Measured | Failure], None]


def no_other_folds(section: Mapping[str, Any], splits: Sequence[Split]) -> str:
    """Why there are no fresh folds: the rows can be split into so many in one way only. Empty where there are."""
    only = all(len(test) == 1 for _, test in splits)
    if not only and "group_col" in section:  # there may be as many folds as groups; one draw may be the same by chance
        only = all(_held_out(each.splits) == _held_out(splits) for each in _split_anew(section, _seeds(section)))
    return f"there is no other way to split the rows into {len(splits)} folds, so none is fresh" if only else ""


def _held_out(splits: Sequence[Split]) -> set[frozenset[int]]:
    return {frozenset(test.tolist()) for _, test in splits}


def unmeasured(
    section: Mapping[str, Any], subsets: Sequence[Mask], known: Mapping[Shuffled, Measured | Failure]
) -> list[Shuffled]:
    """What is still to be measured, in the order of measuring: round by round."""
    return [shuffled for shuffled in product(_seeds(section), dict.fromkeys(subsets)) if shuffled not in known]


def _split_anew(section: Mapping[str, Any], seeds: Sequence[int], of: str | None = None) -> Iterator[WrapperOracle]:
    """The cross-validation of a section with each of these seeds, on data that are read once."""
    data = data_of(section, Path())
    if of is not None:
        require_unchanged(section, wrapper_of(section, data), of)
    return (wrapper_of({**section, "random_state": seed}, data) for seed in seeds)


def require_unchanged(section: Mapping[str, Any], oracle: Oracle, of: str) -> None:
    """Refuse an oracle that was made anew of a section, unless its fingerprint is still this one."""
    if oracle.fingerprint != of:
        raise InputError(f"{section.get('data')}: is not what it was when the session began; put it back as it was")


def _seeds(section: Mapping[str, Any]) -> list[int]:
    """The seeds of the rounds."""
    chose = section.get("random_state")
    return [seed for seed in range(FIRST_SEED, FIRST_SEED + ROUNDS + 1) if seed != chose][:ROUNDS]


def fresh_scores(
    section: Mapping[str, Any],
    subsets: Sequence[Mask],
    known: Mapping[Shuffled, Measured | Failure],
    *,
    of: str | None = None,
    tell: Callable[[str], None] = lambda _: None,
    keep: Keep = lambda *_: None,
) -> dict[Mask, tuple[float, ...]]:
    """The mean score of each subset in each round.

    A round is left out in which one could not be measured that could in others: all are compared on the same folds.
    Where that leaves less than two rounds, the first subset has its own.

    known: what was measured before, of the same section.
    of: the fingerprint of what chose, where its data are to be the same still: they are read anew here.
    tell: called before each measurement with what it is.
    """
    seeds, results = _seeds(section), dict(known)
    rounds = {seed: list(wanted) for seed, wanted in groupby(unmeasured(section, subsets, known), itemgetter(0))}
    for seed, oracle in zip(rounds, _split_anew(section, list(rounds), of) if rounds else (), strict=True):
        for _, subset in rounds[seed]:
            tell(f"scores on fresh folds, round {seeds.index(seed) + 1} of {ROUNDS}")
            results[seed, subset] = oracle(Evaluate(0, subset))
            keep(seed, subset, results[seed, subset])
    scores = {
        subset: {s: result.criteria[0] for s in seeds if isinstance(result := results[s, subset], Measured)}
        for subset in subsets
    }
    shared = [s for s in seeds if all(s in by_round for by_round in scores.values() if by_round)]
    found = {subset: tuple(by_round[s] for s in shared if by_round) for subset, by_round in scores.items()}
    return found if len(shared) > 1 else {**found, subsets[0]: tuple(scores[subsets[0]].values())}
