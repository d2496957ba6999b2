"""What the model does with the chosen subset: what its score is worth on fresh folds, and what its attributes do.

The rule: the score is told on folds that are drawn anew, though of rows that chose; the importance of an attribute is
how much the error on held-out rows grows when its values are permuted. What cannot be computed again (the oracle was a
table, the data have moved) is left out with the reason; what the record keeps is shown all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from elicit.alongside.display import Update
from elicit.alongside.fresh import fresh_scores, no_other_folds, unmeasured
from elicit.asks import Failure, Measured
from elicit.effects import Ale, ale, h_statistic
from elicit.errors import ElicitError, InputError
from elicit.journal import Shuffled
from elicit.oracles import WrapperOracle
from elicit.oracles.guess import guess_of
from elicit.printable import label_of
from elicit.scores import permutation_importance
from elicit.sources.oracle import oracle_from
from elicit.subsets import Family, Mask, members

#: Permutations of an attribute's values in each fold.
REPEATS = 5

#: How many attributes have their effect drawn, the most important first.
DRAWN = 3

#: Interactions are computed for the pairs of the most important attributes, over so many rows (a pair takes their
#: square in predictions), and the strongest pairs are shown.
PAIRED, PAIRED_ROWS, TOLD_PAIRS = 5, 100, 5


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
    """How much the error grows when the values of an attribute are permuted: mean and spread over the folds.

    A fold of one row tells nothing of it. Where only one fold has more, there is no spread.
    """

    name: str
    mean: float
    spread: float | None


@dataclass(frozen=True)
class Effect:
    """Accumulated local effects of one attribute: what the model's answer does along its values.

    left_out: rows without a value of it, from which nothing can be learned.
    """

    name: str
    at: tuple[float, ...]
    effect: tuple[float, ...]
    left_out: int = 0


class Interaction(NamedTuple):
    """What two attributes do together beyond what each does apart: as a share (H), and in units of the answer."""

    first: str
    second: str
    h: float
    strength: float


@dataclass(frozen=True)
class ModelStory:
    """What is known of the model on the chosen subset; `missing` says why a part is not.

    `guess` is the score without any attribute on the folds that chose, None where it is not known.
    `interactions`: the strongest among the most important attributes, over so many rows (`paired_rows`).
    """

    honest: tuple[Honest, ...] = ()
    importance: tuple[Importance, ...] = ()
    error: str = ""
    effects: tuple[Effect, ...] = ()
    interactions: tuple[Interaction, ...] = ()
    paired_rows: int = 0
    answer: str = ""
    missing: tuple[str, ...] = ()
    guess: float | None = None
    complaint: str = ""  # for the terminal alone: it may quote a file, and the page is made to be sent on


def story_of(
    section: Mapping[str, Any],
    subset: Mask,
    chosen: Mapping[Mask, float],
    fingerprint: str,
    family: Family,
    progress: Update | None = None,
    afresh: Mapping[Shuffled, Measured | Failure] | None = None,
) -> ModelStory:
    """The story of the model that the section of an oracle describes, on one subset of a family.

    chosen: scores on the folds that chose, by subset.
    afresh: what was measured on fresh folds before, such as at the end of the session.
    progress: called before each part of the work with the share that is done and what comes next.
    """
    compared, known = (subset, family.largest), afresh or {}
    oracle = _rebuilt_oracle(section, fingerprint)
    if isinstance(oracle, _Gone):
        there = not unmeasured(section, compared, known)
        honest = _fresh_and_chosen(family, subset, chosen, fresh_scores(section, compared, known)) if there else ()
        return ModelStory(honest, missing=(oracle.reason,), complaint=oracle.complaint)
    alone = no_other_folds(section, oracle.splits)
    missing = [alone] if alone else []
    work = _FitCounter(progress, len(oracle.splits), 0 if alone else len(unmeasured(section, compared, known)))
    error, importance = _importance(oracle, subset, work)
    work.tell("effects of the attributes", 1)
    fitted, ranked = _Fitted(oracle, subset), [i.name for i in importance]
    effects = _effects(fitted, ranked, missing)
    interactions, rows = _interactions(fitted, ranked, missing)
    told = partial(work.tell, fits=work.folds)
    scores = {} if alone else fresh_scores(section, compared, known, tell=told)
    return ModelStory(
        honest=() if alone else _fresh_and_chosen(family, subset, chosen, scores),
        importance=importance,
        error=error,
        effects=effects,
        interactions=interactions,
        paired_rows=rows,
        answer=fitted.answer,
        missing=tuple(missing),
        guess=guess_of(oracle),
    )


class _Gone(NamedTuple):
    """Why the oracle of a session cannot be had again, on the page; and what of it is complained of beside the page."""

    reason: str
    complaint: str = ""


def _rebuilt_oracle(section: Mapping[str, Any], fingerprint: str) -> WrapperOracle | _Gone:
    """The oracle of the session, made again, or the reason why that cannot be done."""
    gone = "the data or the model cannot be made again"
    without = "; the page goes without what needs a new fit"
    try:
        oracle = oracle_from(section, Path())
    except ElicitError as problem:
        return _Gone(f"{gone}; the command that wrote this page said why", f"{gone}: {problem}{without}")
    if not isinstance(oracle, WrapperOracle):
        return _Gone("the scores of this run came from no model that could be fitted again")
    if oracle.fingerprint != fingerprint:
        changed = "the data or the model are no longer those of the session"
        return _Gone(changed, f"{changed}{without}")
    return oracle


class _FitCounter:
    """Progress of a story, counted in fits: one per fold, one for the effects, and one per fold of each fresh score."""

    def __init__(self, progress: Update | None, folds: int, fresh: int) -> None:
        self._progress, self.folds = progress, folds
        self._done, self._all = 0, folds + 1 + fresh * folds

    def tell(self, text: str, fits: int) -> None:
        """Report what comes next, and count the fits that it takes."""
        if self._progress is not None:
            self._progress(self._done / self._all, text)
        self._done += fits


def _fresh_and_chosen(
    family: Family, subset: Mask, chosen: Mapping[Mask, float], fresh: Mapping[Mask, tuple[float, ...]]
) -> tuple[Honest, ...]:
    """The scores of the recommended and of the largest subset, on the folds that chose and on fresh ones."""
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


def _importance(oracle: WrapperOracle, subset: Mask, work: _FitCounter) -> tuple[str, tuple[Importance, ...]]:
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
    error = "share of wrong classes" if oracle.classifies else "mean squared error"
    if not grown:
        return error, ()
    mean = np.mean(grown, axis=0)
    spread = np.std(grown, axis=0, ddof=1).tolist() if len(grown) > 1 else [None] * len(names)
    ranked = sorted(range(len(names)), key=lambda i: -mean[i])
    return error, tuple(Importance(names[i], float(mean[i]), spread[i]) for i in ranked)


class _Fitted:
    """The model fitted to all rows, of whose answers the effects speak: for one class, where there are several."""

    def __init__(self, oracle: WrapperOracle, subset: Mask) -> None:
        columns, self._names, self._groups = _parts(oracle, subset)
        self.X, y = np.asarray(oracle.columns.take(columns)), oracle.target
        self.model = oracle.estimator_for(columns).fit(self.X, y)
        self.target, self.answer = None, "prediction"
        if oracle.classifies:
            labels, counts = np.unique(y, return_counts=True)
            self.target = labels[int(counts.argmax())] if len(labels) > 2 else None
            self.answer = f"answer for class {label_of(self.target if self.target is not None else labels[-1])}"

    def columns(self, name: str) -> list[int]:
        """The columns of an attribute."""
        return self._groups[self._names.index(name)]


def _effects(fitted: _Fitted, ranked: Sequence[str], missing: list[str]) -> tuple[Effect, ...]:
    """The effect of the most important attributes that are one column of numbers."""
    found: list[Effect] = []
    for name in ranked[:DRAWN]:
        column, *more = fitted.columns(name)
        if more:
            missing.append(f"no curve is drawn of {name}, which is {1 + len(more)} columns")
            continue
        gaps = np.isnan(fitted.X[:, column])  # the model fills them, but an effect is told along values
        try:
            curve: Ale = ale(fitted.model, fitted.X[~gaps], column, target=fitted.target)
        except InputError as error:
            missing.append(f"no curve of {name}: {error}")
            continue
        found.append(Effect(name, tuple(map(float, curve.at)), tuple(map(float, curve.effect)), int(gaps.sum())))
    return tuple(found)


def _interactions(fitted: _Fitted, ranked: Sequence[str], missing: list[str]) -> tuple[tuple[Interaction, ...], int]:
    """The strongest interactions of the most important attributes that are one column; and over how many rows."""
    name_of = {fitted.columns(name)[0]: name for name in ranked[:PAIRED] if len(fitted.columns(name)) == 1}
    pairs = list(combinations(sorted(name_of), 2))
    if not pairs:
        return (), 0
    whole = np.flatnonzero(~np.isnan(fitted.X[:, sorted(name_of)]).any(axis=1))
    if len(whole) > PAIRED_ROWS:
        whole = np.sort(np.random.default_rng(0).choice(whole, PAIRED_ROWS, replace=False))
    try:
        found = h_statistic(fitted.model, fitted.X[whole], pairs=pairs, overall=False, target=fitted.target)
    except InputError as error:
        missing.append(f"no interactions: {error}")
        return (), 0
    told: list[Interaction] = []
    for k in np.argsort(-found.strength, kind="stable")[:TOLD_PAIRS].tolist():
        first, second = (name_of[i] for i in found.pairs[k])
        told.append(Interaction(first, second, float(found.h[k]), float(found.strength[k])))
    return tuple(told), len(whole)
