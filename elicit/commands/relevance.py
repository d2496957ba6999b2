"""The relevance of attributes to a model, measured by the same oracle as a session."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from elicit.alongside.display import Meter
from elicit.asks import Evaluate, Failure
from elicit.data import Data, model_of
from elicit.errors import InputError
from elicit.oracles import WrapperOracle
from elicit.printable import many
from elicit.scores.protocol import Floats
from elicit.scores.relevance import Relevance, relevance
from elicit.subsets import mask_of


class Judges(NamedTuple):
    """What measures a subset, and the empty one, which scores as a dummy model does: that sees the target alone."""

    of_attributes: WrapperOracle
    of_none: WrapperOracle


def judges_of(data: Data, model: str, folds: int) -> Judges:
    """The judges of these data; a model or folds that do not suit them are refused here, before anything is fitted."""
    dummy = DummyClassifier(strategy="prior") if data.classes else DummyRegressor()
    return Judges(
        *(
            WrapperOracle(m, data.X, data.y, attributes=data.columns, feature_groups=data.groups, cv=folds)
            for m in (model_of(model, data.classes, data.missing), dummy)
        )
    )


def relevance_of(judges: Judges, subsets: int | None, level: float, meter: Meter) -> tuple[Relevance, ...]:
    """The relevance of each attribute."""
    evaluated = 0

    def performance(chosen: tuple[int, ...]) -> Floats:
        nonlocal evaluated
        evaluated += 1
        meter.update(0.0, f"relevance: {many(evaluated, 'subset')} evaluated")
        judge = judges.of_attributes if chosen else judges.of_none
        reply = judge(Evaluate(0, mask_of(chosen) or 1))
        if isinstance(reply, Failure):
            raise InputError(f"a subset cannot be measured ({reply.reason}); choose another --model")
        return np.asarray(reply.folds[0])

    return relevance(performance, len(judges.of_attributes.attributes), level=level, subsets=subsets)
