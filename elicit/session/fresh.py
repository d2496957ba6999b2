"""Fresh folds: the score of a choice on splits that had no part in choosing it, the same for all that are compared.

The rows are the same, and they chose: so this is nearer the truth than the score that chose, and still a little high.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from elicit.asks import Evaluate, Failure
from elicit.oracles import WrapperOracle
from elicit.sources.oracle import oracle_from
from elicit.subsets import Mask

#: Rounds of fresh folds; each is seeded by its number, counted from FIRST_SEED.
ROUNDS = 5
FIRST_SEED = 1_000


def fresh_scores(
    section: Mapping[str, Any], subsets: Sequence[Mask], tell: Callable[[str], None] = lambda _: None
) -> dict[Mask, tuple[float, ...]]:
    """The mean score of each subset in each round; a round in which it could not be measured is left out.

    tell: called before each measurement with what it is.
    """
    found: dict[Mask, list[float]] = {subset: [] for subset in subsets}
    for seed in range(FIRST_SEED, FIRST_SEED + ROUNDS):
        oracle = oracle_from({**section, "random_state": seed}, Path())
        assert isinstance(oracle, WrapperOracle)
        for subset, scores in found.items():
            tell(f"scores on fresh folds, round {seed - FIRST_SEED + 1} of {ROUNDS}")
            reply = oracle(Evaluate(0, subset))
            if not isinstance(reply, Failure):
                scores.append(reply.criteria[0])
    return {subset: tuple(scores) for subset, scores in found.items()}
