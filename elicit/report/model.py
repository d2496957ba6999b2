"""What the model does with the chosen subset: what its score is worth on fresh folds, and what each attribute does.

The rule: nothing that chose the subset judges it. Folds are drawn anew; the importance of an attribute is the
growth of the error on rows held out from the fit, when its values change places. What cannot be made again
(the oracle of a table, data that moved) is said, with the reason, and left out; what the record keeps is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from elicit.asks import Failure, Measured
from elicit.effects import Ale, ale
from elicit.errors import ElicitError, InputError
from elicit.journal import Shuffled
from elicit.oracles import WrapperOracle
from elicit.oracles.guess import guess_of
from elicit.printable import label_of
from elicit.scores import permutation_importance
from elicit.session.fresh import fresh_scores, unmeasured
from elicit.sources.oracle import oracle_from
from elicit.subsets import Family, Mask, members

Progress = Callable[[float, str], None]

#: Exchanges of an attribute's values in each fold.
REPEATS = 5

#: Attributes whose effect is drawn, the most important first.
DRAWN = 3


@dataclass(frozen=True)
class Honest:
    """The score of one choice of attributes: on the folds that chose (None: not measured there), and on fresh folds."""

    what: str
    chosen: float | None
    fresh: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over the rounds."""
        return float(np.mean(self.fresh))

    @property
    def spread(self) -> float:
        """Standard deviation over the rounds."""
        return float(np.std(self.fresh, ddof=1))


@dataclass(frozen=True)
class Importance:
    """How much the error grows when the values of an attribute change places: mean and spread over the folds."""

    name: str
    mean: float
    spread: float


@dataclass(frozen=True)
class Effect:
    """Accumulated local effects of one attribute: what the model's answer does along its values.

    left_out: rows without a value of it, from which nothing can be learned.
    """

    name: str
    at: tuple[float, ...]
    effect: tuple[float, ...]
    left_out: int = 0


@dataclass(frozen=True)
class ModelStory:
    """What is known of the model on the chosen subset; `missing` says why a part is not.

    `guess` is the score without any attribute on the folds that chose, None where it is not known.
    """

    honest: tuple[Honest, ...] = ()
    importance: tuple[Importance, ...] = ()
    error: str = ""
    effects: tuple[Effect, ...] = ()
    answer: str = ""
    missing: tuple[str, ...] = ()
    guess: float | None = None


def story_of(
    section: Mapping[str, Any],
    subset: Mask,
    chosen: Mapping[Mask, float],
    fingerprint: str,
    family: Family,
    progress: Progress | None = None,
    afresh: Mapping[Shuffled, Measured | Failure] | None = None,
) -> ModelStory:
    """The story of the model that the section of an oracle describes, on one subset of a family.

    chosen: scores on the folds that chose, by subset.
    afresh: what was measured on fresh folds before, such as at the end of the session.
    progress: called before each part of the work with the share that is done and what comes next.
    """
    compared, known = (subset, family.largest), afresh or {}
    oracle = _made_again(section, fingerprint)
    if isinstance(oracle, str):
        if unmeasured(section, compared, known):
            return ModelStory(missing=(oracle,))
        return ModelStory(_honest(family, subset, chosen, fresh_scores(section, compared, known)), missing=(oracle,))
    missing: list[str] = []
    work = _Work(progress, len(oracle.splits), len(unmeasured(section, compared, known)))
    error, importance = _importance(oracle, subset, work)
    work.tell("effects of the attributes", 1)
    effects, answer = _effects(oracle, subset, [i.name for i in importance], missing)
    scores = fresh_scores(section, compared, known, tell=lambda text: work.tell(text, work.folds))
    honest = _honest(family, subset, chosen, scores)
    return ModelStory(honest, importance, error, effects, answer, tuple(missing), guess_of(oracle))


def _made_again(section: Mapping[str, Any], fingerprint: str) -> WrapperOracle | str:
    """The oracle that measured, or why there is none any longer."""
    try:
        oracle = oracle_from(section, Path())
    except ElicitError as problem:
        return f"the data or the model cannot be made again: {problem}"
    if not isinstance(oracle, WrapperOracle):
        return "the scores of this run came from no model that could be fitted again"
    if oracle.fingerprint != fingerprint:
        return "the data or the model are no longer those of the session"
    return oracle


class _Work:
    """How much of a story is worked out, in fits: one a fold, one for the effects, all folds a fresh score."""

    def __init__(self, progress: Progress | None, folds: int, fresh: int) -> None:
        self._progress, self.folds = progress, folds
        self._done, self._all = 0, folds + 1 + fresh * folds

    def tell(self, text: str, fits: int) -> None:
        """Say what comes next, and how many fits it takes."""
        if self._progress is not None:
            self._progress(self._done / self._all, text)
        self._done += fits


def _honest(
    family: Family, subset: Mask, chosen: Mapping[Mask, float], fresh: Mapping[Mask, tuple[float, ...]]
) -> tuple[Honest, ...]:
    """The chosen subset and all that may be chosen, each on the same fresh folds."""
    baseline = family.largest
    told = [("the recommended subset", subset)]
    if baseline != subset:
        told.append((family.largest_told("attributes"), baseline))
    return tuple(Honest(what, chosen.get(x), fresh[x]) for what, x in told if len(fresh[x]) > 1)


def _parts(oracle: WrapperOracle, subset: Mask) -> tuple[list[int], list[str], list[list[int]]]:
    """The columns of a subset, the names of its attributes, and where the columns of each stand among them."""
    columns = oracle.columns.of(subset)
    held = [oracle.columns.positions[i] for i in members(subset)]
    return columns, list(oracle.attributes.subset(subset)), [[columns.index(c) for c in group] for group in held]


def _classifies(oracle: WrapperOracle) -> bool:
    return bool(is_classifier(oracle.estimator_for(range(len(oracle.columns.positions)))))


def _importance(oracle: WrapperOracle, subset: Mask, work: _Work) -> tuple[str, tuple[Importance, ...]]:
    """Importance on held-out rows, fold by fold; the error it speaks of in words."""
    columns, names, groups = _parts(oracle, subset)
    X, y = np.asarray(oracle.columns.take(columns)), oracle.target
    grown = []
    for fold, (train, test) in enumerate(oracle.splits):
        work.tell(f"importance of the attributes, fold {fold + 1} of {work.folds}", 1)
        model = oracle.estimator_for(columns).fit(X[train], y[train])
        if len(test) > 1:
            found = permutation_importance(
                model, X[test], y[test], groups=groups, repeats=min(REPEATS, len(test) - 1), random_state=fold
            )
            grown.append(found.mean)
    error = "share of wrong classes" if _classifies(oracle) else "mean squared error"
    if not grown:
        return error, ()
    mean, spread = np.mean(grown, axis=0), np.std(grown, axis=0, ddof=1 if len(grown) > 1 else 0)
    ranked = sorted(range(len(names)), key=lambda i: -mean[i])
    return error, tuple(Importance(names[i], float(mean[i]), float(spread[i])) for i in ranked)


def _effects(
    oracle: WrapperOracle, subset: Mask, ranked: Sequence[str], missing: list[str]
) -> tuple[tuple[Effect, ...], str]:
    """The effect of the most important attributes that are one column of numbers; and what the answer is."""
    columns, names, groups = _parts(oracle, subset)
    X, y = np.asarray(oracle.columns.take(columns)), oracle.target
    model = oracle.estimator_for(columns).fit(X, y)
    target, answer = None, "prediction"
    if _classifies(oracle):
        labels, counts = np.unique(y, return_counts=True)
        target = labels[int(counts.argmax())] if len(labels) > 2 else None
        answer = f"answer for class {label_of(target if target is not None else labels[-1])}"
    found: list[Effect] = []
    for name in ranked[:DRAWN]:
        group = groups[names.index(name)]
        if len(group) > 1:
            missing.append(f"{name} is {len(group)} columns, so no curve is drawn of it")
            continue
        gaps = np.isnan(X[:, group[0]])  # the model fills them, but an effect is told along values
        try:
            curve: Ale = ale(model, X[~gaps], group[0], target=target)
        except InputError as error:
            missing.append(f"no curve of {name}: {error}")
            continue
        found.append(Effect(name, tuple(map(float, curve.at)), tuple(map(float, curve.effect)), int(gaps.sum())))
    return tuple(found), answer
