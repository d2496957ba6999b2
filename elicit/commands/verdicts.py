"""The relevance of attributes to a model, measured by the same oracle as a session."""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor

from elicit.asks import Evaluate, Failure
from elicit.data import Data, model_of
from elicit.errors import InputError
from elicit.oracles import WrapperOracle
from elicit.printable import many
from elicit.scores.protocol import Floats
from elicit.scores.relevance import Relevance, relevance
from elicit.session.display import Meter
from elicit.subsets import mask_of

#: The model when none is named.
MODEL = "knn:3"


def verdicts(
    data: Data, model: str | None, folds: int, subsets: int | None, level: float, meter: Meter
) -> tuple[Relevance, ...]:
    """One verdict an attribute; without attributes the performance is that of a guess from the target alone."""
    guess = DummyClassifier(strategy="prior") if data.classes else DummyRegressor()
    oracle, nothing = (
        WrapperOracle(m, data.X, data.y, attributes=data.columns, feature_groups=data.groups, cv=folds)
        for m in (model_of(model or MODEL, data.classes, data.missing), guess)
    )
    n, asked = len(oracle.attributes), 0

    def performance(chosen: tuple[int, ...]) -> Floats:
        nonlocal asked
        asked += 1
        meter.update(0.0, f"relevance: {many(asked, 'subset')} evaluated")
        reply = (oracle if chosen else nothing)(Evaluate(0, mask_of(chosen) or 1))
        if isinstance(reply, Failure):
            raise InputError(f"a subset cannot be measured ({reply.reason}); choose another --model")
        return np.asarray(reply.folds[0])

    return relevance(performance, n, level=level, subsets=subsets)
