"""The cross-validated wrapper: how well an estimator does with a subset of the columns.

Splits are made once, so that every subset meets the same folds. One measurement fits one clone of the
estimator a fold, on the selected columns only; an estimator that fails is a recorded failure of that
subset, never a crash. `fast.py` shares work between subsets where the fold scores stay exactly equal.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import clone, is_classifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from elicit.asks import Evaluate, Failure, Measured, subset_asked_for
from elicit.errors import InputError, one_line, require_instance
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.numeric import is_number
from elicit.oracles.columns import Columns, columns_of, laid_out_by_columns, require_no_gaps
from elicit.oracles.criteria import Extra, Scored, Trial, checked_extras, failed_criterion, gathered, over_folds
from elicit.oracles.describe import fingerprint
from elicit.oracles.fast import NeighbourFolds, Task, neighbour_folds
from elicit.oracles.pruning import checked_once, pruned, prunes, refuse_misplaced
from elicit.oracles.scaled import ScaledFolds, scaled_folds
from elicit.oracles.splits import Split, length_of, rows_of, splits_of
from elicit.scores.answers import scorer_of
from elicit.scores.randomness import seed_from, settled
from elicit.subsets import Attributes
from elicit.threads import one_thread


class _Unscored(Exception):
    """A score among the criteria cannot be worked out; the text says which, and why."""


class WrapperOracle:
    """Scores a subset by cross-validation of any scikit-learn estimator on its columns.

    estimator: any estimator or pipeline; it is cloned, never fitted itself. Parameters called
        random_state that are None, those of its splitters too, are set from `random_state`, so that a subset
        has one score.
    X, y: array, sparse matrix or frame, and the target; only the columns of the subset are handed on. A pandas frame
        of plain numbers is laid out by columns first, as one that was read from a file is: the same values have the
        same scores, to the last bit.
    attributes: a name for each column (default: the frame's names, or a1 … an).
    feature_groups: name -> columns (positions or names); such a group is one attribute.
    cv: number of shuffled folds (stratified for classifiers), a splitter, or the splits themselves.
    scoring: a scorer's name, a callable (estimator, X, y) -> float, or None for the estimator's own.
    criteria: criteria beyond score and size, see `criteria.py`.
    groups: for the splitter: rows of one group are kept together.
    sample_weight: handed to the estimator's fit, as cross_val_score does.
    fit_params, score_params: further arguments of fit and of the scorer; one entry a row is split.
    criteria_params: arguments of the scorers among the criteria, by the names of these; one entry a row is split.
    fast: share work between subsets where the fold scores are exactly equal.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        attributes: Sequence[str] | Attributes | None = None,
        feature_groups: Mapping[str, Sequence[int | str]] | None = None,
        cv: Any = 10,
        scoring: Any = None,
        criteria: Sequence[Extra] | Extra | None = None,
        groups: Any = None,
        sample_weight: Any = None,
        fit_params: Mapping[str, Any] | None = None,
        score_params: Mapping[str, Any] | None = None,
        criteria_params: Mapping[str, Mapping[str, Any]] | None = None,
        random_state: Any = 0,
        fast: bool = True,
    ) -> None:
        #: X, and the columns behind each attribute
        self.columns: Columns = columns_of(laid_out_by_columns(X), attributes, feature_groups)
        self.attributes = self.columns.attributes
        #: one value a row
        self.target = _target(y, self.columns.X.shape[0])
        self._scoring = scoring
        #: what judges a fitted model: (model, X, y) -> float
        self.scorer: Any
        self._estimator, self.scorer = _usable(estimator, scoring, random_state)
        for name, value in (("groups", groups), ("sample_weight", sample_weight)):
            if value is not None and length_of(value) != len(self.target):
                raise InputError(f"{name} needs one entry for each of the {len(self.target)} rows")
        #: training and held-out rows of every fold
        self.splits: tuple[Split, ...] = splits_of(
            cv,
            self.columns.X,
            self.target,
            classifies=self.classifies,
            groups=groups,
            random_state=random_state,
        )
        self._fit_params = dict(fit_params or {})
        if sample_weight is not None:
            self._fit_params |= _weight_argument(self._estimator, sample_weight)
        self._score_params = dict(score_params or {})
        self._criteria_params = dict(criteria_params or {})
        self._extras = checked_extras(criteria, self.attributes, len(self.splits))
        self.criteria: tuple[Criterion, ...] = (*SCORE_AND_SIZE, *(extra.criterion for extra in self._extras))
        self._others = {
            extra.criterion.name: _usable(estimator, extra.scoring, random_state)[1]
            for extra in self._extras
            if isinstance(extra, Scored)
        }
        if unknown := self._criteria_params.keys() - self._others.keys():
            raise InputError(
                f"criteria_params are for the scores among the criteria, and {min(unknown)!r} is none; take it out"
            )
        self.fingerprint = self._identify()
        refuse_misplaced(self._estimator)
        self._chooses = prunes(self._estimator)
        self._checked_once = checked_once(self._estimator)
        self._scaled: ScaledFolds | None = None
        self._neighbours: NeighbourFolds | None = None
        if fast and not self._others and not any(extra.timed for extra in self._extras):
            self._share_work()

    @property
    def classifies(self) -> bool:
        """Whether the estimator predicts classes."""
        return bool(is_classifier(self._estimator))

    @property
    def fast_path(self) -> str:
        """Which work is shared between subsets: "neighbours", "scaler" or "" for none."""
        return "neighbours" if self._neighbours else "scaler" if self._scaled else ""

    def __call__(self, request: Evaluate) -> Measured | Failure:
        mask = subset_asked_for(request, self.attributes)
        try:
            with one_thread():
                scores, seconds, others = self._folds(self.columns.of(mask))
            trial = Trial(self.attributes, mask, tuple(scores), tuple(seconds), others)
            return gathered(over_folds(scores), self._extras, trial)
        except _Unscored as error:
            return Failure(str(error))
        except UnsetMetadataPassedError as error:  # no matter of the subset; theirs cannot be sent between processes
            raise InputError(str(error)) from None
        except Exception as error:
            return Failure(one_line(error))

    def refusal(self, columns: Sequence[int]) -> str:
        """Why a fit of these columns fails on all rows that a fold trains on; "" where it does not."""
        train = np.unique(np.concatenate([train for train, _ in self.splits]))
        try:
            with one_thread(), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of this fit nothing is kept
                self._fit(self.estimator_for(columns), _safe_indexing(self.columns.take(columns), train), train)
        except Exception as error:
            return one_line(error)
        return ""

    def estimator_for(self, columns: Sequence[int]) -> Any:
        """An unfitted clone for these columns; one that chooses columns by itself is cut down to them."""
        return pruned(self._estimator, self.columns.X, columns) if self._chooses else clone(self._estimator)

    def _folds(self, columns: list[int]) -> tuple[list[float], list[float], dict[str, tuple[float, ...]]]:
        """Score, fit time and further scores of every fold; time is 0 where the fit was shared."""
        known: list[float | None] = [None] * len(self.splits)
        if self._neighbours is not None:
            known = self._neighbours.scores(columns)
        scaled = self._scaled if self._scaled and len(columns) >= self._scaled.narrowest else None
        part = self.columns.take(columns) if scaled is None and None in known else None
        scores, seconds, further = [], [], []
        skip_checks: bool | None = None  # as scikit-learn is configured
        for f, score in enumerate(known):
            elapsed = 0.0
            if score is None:
                score, elapsed, more = self._fold(f, columns, scaled, part, skip_checks)
                skip_checks = self._checked_once or None
                further.append(more)  # with further scores no fold is known beforehand
            scores.append(score)
            seconds.append(elapsed)
        return scores, seconds, {name: tuple(more[k] for more in further) for k, name in enumerate(self._others)}

    def _fold(
        self, f: int, columns: list[int], scaled: ScaledFolds | None, part: Any, skip_checks: bool | None
    ) -> tuple[float, float, tuple[float, ...]]:
        train, test = self.splits[f]
        if scaled is not None:
            model, (X_train, X_test) = clone(scaled.rest), scaled.fold(f, columns)
        else:
            model = self.estimator_for(columns)
            X_train, X_test = _safe_indexing(part, train), _safe_indexing(part, test)
        start = time.perf_counter()
        with config_context(skip_parameter_validation=skip_checks):
            self._fit(model, X_train, train)
        elapsed = time.perf_counter() - start

        def scored(scorer: Any, params: Mapping[str, Any]) -> float:
            return _number(scorer(model, X_test, self.target[test], **rows_of(params, test, len(self.target))))

        score, more = scored(self.scorer, self._score_params), []
        for name, other in self._others.items():
            try:
                more.append(scored(other, self._criteria_params.get(name, {})))
            except UnsetMetadataPassedError:
                raise
            except Exception as error:
                raise _Unscored(failed_criterion(name, error)) from error
        return score, elapsed, tuple(more)

    def _fit(self, model: Any, X_train: Any, train: NDArray[np.intp]) -> None:
        model.fit(X_train, self.target[train], **rows_of(self._fit_params, train, len(self.target)))

    def _share_work(self) -> None:
        per_fold = tuple(rows_of(self._score_params, test, len(self.target)) for _, test in self.splits)
        task = Task(self.columns, self.target, self.splits, self._scoring, self.scorer, per_fold)
        first = self._estimator.steps[0][0] if isinstance(self._estimator, Pipeline) else ""
        fits_scaler = any(name.startswith(f"{first}__") or "__" not in name for name in self._fit_params)
        if task.reads and not fits_scaler:
            self._scaled = scaled_folds(self._estimator, self.columns, self.splits)
        if not self._fit_params:
            self._neighbours = neighbour_folds(self._estimator, task, self._scaled)

    def _identify(self) -> str:
        return fingerprint(
            "wrapper",
            self.columns.X,
            self.columns.attributes.names,
            self.columns.positions,
            self.target,
            self.splits,
            self._estimator,
            self._scoring,
            self._extras,
            self._fit_params,
            self._score_params,
            # without them, fingerprints are as they were
            *([self._criteria_params] if self._criteria_params else []),
            *([output] if (output := get_config()["transform_output"]) != "default" else []),
        )


def _number(score: Any) -> float:
    if isinstance(score, np.ndarray) and score.ndim == 0:
        score = score.item()
    if not is_number(score):
        raise TypeError(f"the scorer gave {type(score).__name__}, expected one number")
    return float(score)


def _target(y: Any, rows: int) -> NDArray[Any]:
    values = np.asarray(y)
    if values.ndim == 0 or len(values) != rows:
        raise InputError(f"X has {rows} rows but the target has shape {values.shape}; give one value a row")
    require_no_gaps(values)
    return values


def _usable(estimator: Any, scoring: Any, random_state: Any) -> tuple[Any, Any]:
    """A clone with its randomness fixed, and a scorer that gives one number."""
    require_instance(estimator)
    try:
        mine = clone(estimator)
        return _seeded(mine, random_state), scorer_of(mine, scoring)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"the estimator or its scoring cannot be used: {one_line(error)}") from error


def _seeded(estimator: Any, random_state: Any) -> Any:
    seed = seed_from(random_state)
    return estimator if seed is None else settled(estimator, seed)


def _weight_argument(estimator: Any, weights: Any) -> dict[str, Any]:
    """The argument of fit that carries sample weights; a pipeline hands them to its last step."""
    routed = get_config()["enable_metadata_routing"]
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if not routed and not _takes_weights(last):
        raise InputError(
            f"{type(last).__name__} takes no sample weights in fit; leave them out or use another estimator"
        )
    try:
        values = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.full(1, np.nan)  # said below
    if values.ndim != 1 or not np.isfinite(values).all() or (values < 0).any():
        raise InputError("sample_weight must hold finite numbers of at least 0, one a row")
    if isinstance(estimator, Pipeline) and not routed:
        return {f"{estimator.steps[-1][0]}__sample_weight": values}
    return {"sample_weight": values}


def _takes_weights(estimator: Any) -> bool:
    open_to_any = any(p.kind is p.VAR_KEYWORD for p in signature(estimator.fit).parameters.values())
    return bool(open_to_any or has_fit_parameter(estimator, "sample_weight"))
