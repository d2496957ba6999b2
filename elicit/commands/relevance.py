"""The relevance of attributes to a model, measured by the same oracle as a session."""

from __future__ import annotations

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


def relevance_of(
    data: Data, model: str, folds: int, subsets: int | None, level: float, meter: Meter
) -> tuple[Relevance, ...]:
    """The relevance of each attribute. The empty subset scores as a dummy model does, which sees the target alone."""
    dummy = DummyClassifier(strategy="prior") if data.classes else DummyRegressor()
    oracle, without_attributes = (
        WrapperOracle(m, data.X, data.y, attributes=data.columns, feature_groups=data.groups, cv=folds)
        for m in (model_of(model, data.classes, data.missing), dummy)
    )
    n, evaluated = len(oracle.attributes), 0

    def performance(chosen: tuple[int, ...]) -> Floats:
        nonlocal evaluated
        evaluated += 1
        meter.update(0.0, f"relevance: {many(evaluated, 'subset')} evaluated")
        reply = (oracle if chosen else without_attributes)(Evaluate(0, mask_of(chosen) or 1))
        if isinstance(reply, Failure):
            raise InputError(f"a subset cannot be measured ({reply.reason}); choose another --model")
        return np.asarray(reply.folds[0])

    return relevance(performance, n, level=level, subsets=subsets)
