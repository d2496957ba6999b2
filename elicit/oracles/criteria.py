"""Criteria beyond score and size: what else a subset costs, and how steady its score is.

An extra criterion reads a `Trial` (what one measurement saw) and gives a `Reading`. It is checked
against the attributes once, when the oracle is made, so that a missing cost is known at the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sklearn.exceptions import UnsetMetadataPassedError

from elicit.asks import Failure, Measured
from elicit.errors import InputError, one_line
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.numeric import LARGEST, LARGEST_MEASURED, given_number, is_finite
from elicit.oracles.columns import is_frame, labelled
from elicit.printable import many
from elicit.subsets import Attributes, Mask, members


@dataclass(frozen=True)
class Trial:
    """What a measurement saw: the subset, and a score and the seconds of the fit for each fold.

    `scores` and `seconds` are () for an oracle without folds; `others` holds what further scorers gave in each
    fold, by criterion.
    """

    attributes: Attributes
    subset: Mask
    scores: tuple[float, ...] = ()
    seconds: tuple[float, ...] = ()
    others: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The value of one criterion; folds and spread only where it was measured fold by fold."""

    value: float
    folds: tuple[float, ...] = ()
    spread: float | None = None


@runtime_checkable
class Extra(Protocol):
    """One more criterion. `timed` asks for honest fit times, which rules out shared work between subsets."""

    @property
    def criterion(self) -> Criterion:
        """Its name, and which way is better."""
        ...

    @property
    def timed(self) -> bool:
        """Whether it reads fit times."""
        ...

    def check(self, attributes: Attributes, folds: int) -> None:
        """Refuse, with an `InputError`, what it cannot be worked out for; without folds their number is 0."""
        ...

    def __call__(self, trial: Trial) -> Reading: ...


def over_folds(values: Sequence[float]) -> Reading:
    """Mean and sample standard deviation (n − 1) of one value a fold; one fold alone has no spread."""
    return Reading(float(np.mean(values)), tuple(map(float, values)), _spread(values))


def _spread(values: Sequence[float]) -> float | None:
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    if max(map(abs, values)) < LARGEST:
        return float(np.std(values, ddof=1))
    return float(np.std(np.divide(values, LARGEST), ddof=1)) * LARGEST


def cost(per_attribute: Any, name: str = "cost", unit: str = "") -> Extra:
    """The sum of the costs of the attributes in the subset, given by name or in their order; less is better."""
    if is_frame(per_attribute):
        raise InputError(
            "costs are one number an attribute, by name or in order; "
            f"found a {type(per_attribute).__name__}; give one column of it"
        )
    if labelled(per_attribute):
        per_attribute = {str(label): value for label, value in zip(per_attribute.index, per_attribute, strict=True)}
    if isinstance(per_attribute, Mapping):
        # sorted: in whichever order costs are given, they are the same criterion
        by_name = dict(sorted(per_attribute.items(), key=lambda item: str(item[0])))
        return _Cost(Criterion(name, maximise=False, unit=unit), by_name, None)
    if isinstance(per_attribute, str | Set) or not isinstance(per_attribute, Collection):  # a set has no order
        raise InputError(f"costs are one number an attribute, by name or in order; found {per_attribute!r}")
    return _Cost(Criterion(name, maximise=False, unit=unit), None, tuple(per_attribute))


def fit_time() -> Extra:
    """Mean seconds of one fit; less is better.

    Times differ from run to run, so a journal with this criterion is not reproduced byte for byte, and
    the fast paths, which share work between subsets, are off.
    """
    return _FitTime(Criterion("fit_time", maximise=False, unit="s"))


def scored(scoring: Any, name: str = "") -> Extra:
    """One more score of the same fitted models on the same folds, by a scorer's name or a callable; more is better.

    `name` is what the criterion is called: by default the scorer's name. The scorer is given no metadata, unless it
    requests some (`set_score_request`) and a selector routes them. Fast paths, which may fit no model at all, are off.
    """
    if not isinstance(scoring, str) and not callable(scoring):
        raise InputError(f"a score is a scorer's name or a callable (estimator, X, y) -> number, found {scoring!r}")
    called = name or (scoring if isinstance(scoring, str) else getattr(scoring, "__name__", ""))
    if not called:
        raise InputError("the scorer has no name of its own; give scored(scoring, name) one")
    return Scored(Criterion(called), scoring)


def stability() -> Extra:
    """Minus the standard deviation of the fold scores: 0 when every fold agrees; more is better.

    It says how much the score depends on which rows were held out. It is not the error of the mean
    score: folds share training rows, so that error cannot be had from one round of folds.
    """
    return _Stability(Criterion("stability"))


def from_callable(name: str, fn: Callable[[tuple[str, ...]], float], maximise: bool, unit: str = "") -> Extra:
    """Any number that a function of the attribute names gives."""
    return _Called(Criterion(name, maximise=maximise, unit=unit), fn)


def checked_extras(extras: Sequence[Extra] | Extra | None, attributes: Attributes, folds: int) -> tuple[Extra, ...]:
    """The extras, each checked against the attributes; names must differ from each other and the defaults."""
    given: Any = extras
    alone = isinstance(given, Extra) and not isinstance(given, type)
    several: tuple[Extra, ...] = (given,) if alone or not isinstance(given, Iterable | None) else tuple(given or ())
    taken = [criterion.name for criterion in SCORE_AND_SIZE]
    for extra in several:
        if isinstance(extra, type) or not isinstance(extra, Extra):
            raise InputError(
                f"expected criteria from cost(), fit_time(), stability(), scored() or from_callable(), found {extra!r}"
            )
        if not isinstance(extra.criterion, Criterion):
            raise InputError(f"the criterion of {extra!r:.80} is a Criterion, found {extra.criterion!r:.80}")
        if extra.criterion.name in taken:
            raise InputError(f"two criteria are called {extra.criterion.name!r}; rename one")
        taken.append(extra.criterion.name)
        extra.check(attributes, folds)
    return several


def gathered(score: Reading, extras: Sequence[Extra], trial: Trial) -> Measured | Failure:
    """The reply for one subset: score, size, then the extras. What cannot be used, or worked out, is a failure."""
    if fault := _fault(score):
        return Failure(f"{SCORE_AND_SIZE[0].name} is {fault}")
    readings = [score, Reading(float(trial.subset.bit_count()))]
    for extra in extras:
        try:
            fault = _fault(reading := extra(trial))
        except UnsetMetadataPassedError:  # no matter of the subset: whoever measures says so
            raise
        except Exception as error:
            return Failure(failed_criterion(extra.criterion.name, error))
        if fault:
            return Failure(f"{extra.criterion.name} is {fault}")
        readings.append(reading)
    return Measured(
        tuple(r.value for r in readings), tuple(r.folds for r in readings), tuple(r.spread for r in readings)
    )


def failed_criterion(name: str, error: Exception) -> str:
    """That a criterion cannot be worked out: whose function it is that failed is nothing that its error tells."""
    return f"{name} cannot be worked out ({one_line(error)})"  # no colon before its type: by that failures are alike


def _fault(reading: object) -> str:
    """What is wrong with a reading, and what is expected of it; "" where nothing is."""
    if not isinstance(reading, Reading):
        return f"{reading!r:.80}, expected a Reading"
    bad = next((f for f, value in enumerate(reading.folds, start=1) if not math.isfinite(value)), None)
    where = "" if bad is None else f" in fold {bad}"
    wanted = what_is_wanted(reading.value)
    return f"{reading.value}{where}, expected {wanted}" if wanted else ""


def what_is_wanted(value: float) -> str:
    """What is expected of the number that a criterion has, where this is not such; else ""."""
    if not math.isfinite(value):
        return "a finite number"
    return "" if abs(value) < LARGEST_MEASURED else f"a number below {LARGEST_MEASURED:g}"


@dataclass(frozen=True)
class _Cost:
    criterion: Criterion
    by_name: dict[str, float] | None
    by_position: tuple[float, ...] | None
    timed: bool = False

    def check(self, attributes: Attributes, folds: int) -> None:  # noqa: ARG002
        for name, value in zip(attributes.names, self._values(attributes), strict=True):
            if not is_finite(value):
                raise InputError(f"the {self.criterion.name} of {name!r} must be a finite number, found {value!r:.40}")
        if sum(map(abs, self._values(attributes))) >= LARGEST_MEASURED:
            raise InputError(
                f"each {self.criterion.name}, and all together, must be below {LARGEST_MEASURED:g}; rescale them"
            )

    def _values(self, attributes: Attributes) -> tuple[float, ...]:
        if self.by_name is None:
            values = self.by_position or ()
            if len(values) != len(attributes):
                given = f"{many(len(values), 'cost')} given for {many(len(attributes), 'attribute')}"
                raise InputError(f"{given}; give one each")
            return values
        for name in self.by_name:
            attributes.position(name, self.criterion.name)
        missing = [name for name in attributes.names if name not in self.by_name]
        if missing:
            raise InputError(f"no {self.criterion.name} is given for {missing[0]!r}; give one for every attribute")
        return tuple(self.by_name[name] for name in attributes.names)

    def __call__(self, trial: Trial) -> Reading:
        values = self._values(trial.attributes)
        return Reading(math.fsum(values[i] for i in members(trial.subset)))


@dataclass(frozen=True)
class _FitTime:
    criterion: Criterion
    timed: bool = True

    def check(self, attributes: Attributes, folds: int) -> None:  # noqa: ARG002
        if not folds:
            raise InputError("fit_time needs an oracle that fits estimators; use WrapperOracle")

    def __call__(self, trial: Trial) -> Reading:
        return over_folds(trial.seconds)


@dataclass(frozen=True)
class Scored:
    """A further score; an oracle that fits models sees to it that each trial holds its values."""

    criterion: Criterion
    scoring: Any
    timed: bool = False

    def check(self, attributes: Attributes, folds: int) -> None:  # noqa: ARG002
        if not folds:
            raise InputError(f"the score {self.criterion.name!r} needs an oracle that fits models; use WrapperOracle")

    def __call__(self, trial: Trial) -> Reading:
        return over_folds(trial.others[self.criterion.name])


@dataclass(frozen=True)
class _Stability:
    criterion: Criterion
    timed: bool = False

    def check(self, attributes: Attributes, folds: int) -> None:  # noqa: ARG002
        if folds < 2:
            raise InputError(f"stability needs the scores of at least two folds, found {folds}")

    def __call__(self, trial: Trial) -> Reading:
        spread = _spread(trial.scores)
        return Reading(math.nan if spread is None else -spread)


@dataclass(frozen=True)
class _Called:
    criterion: Criterion
    fn: Callable[[tuple[str, ...]], float]
    timed: bool = False

    def check(self, attributes: Attributes, folds: int) -> None:  # noqa: ARG002
        if not callable(self.fn):
            raise InputError(f"criterion {self.criterion.name!r} needs a function, found {self.fn!r}")

    def __call__(self, trial: Trial) -> Reading:
        return Reading(given_number(self.fn(trial.attributes.subset(trial.subset))))
