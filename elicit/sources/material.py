"""Material: what classical methods read from the data, besides what the oracle measures.

Scores rank the attributes one by one, consistency looks at pairs of cases, and importances come from a
model fitted on all rows of a subset: its coefficients (in units of the spread of the columns) or its own
importances, squared and summed over the classes, as recursive elimination has it; a model that has neither
of its columns is judged by permuting them. A group of columns is one attribute: with the sum of its
importances, or permuted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from elicit.data import Data, without
from elicit.errors import InputError, ModelError, columns_called, one_line
from elicit.methods import Inconsistency
from elicit.oracles.columns import columns_of
from elicit.oracles.describe import fingerprint
from elicit.scores import score_named
from elicit.scores.models import Shuffling, own_importances, seeded
from elicit.scores.protocol import constant
from elicit.subsets import Mask
from elicit.threads import one_thread

#: Permutations of a column behind its importance.
_PERMUTATIONS = 5

#: A cache of importances for all runs of this process, by fingerprint of the material and subset.
_importances: dict[tuple[str, Mask], tuple[float, ...]] = {}


class DataMaterial:
    """The data behind an oracle, and a model for the methods that fit one; see the head of this file.

    Attributes that are dropped, so that no subset will hold them, are not looked at.
    """

    def __init__(self, data: Data, model: Any = None, *, random_state: int = 0, dropped: Sequence[str] = ()) -> None:
        self._columns = columns_of(data.X, data.columns, data.groups)
        self._data, self._random_state = data, random_state
        self._left = without(data, dropped)
        self._model = None if model is None else seeded(model, random_state)
        #: what the numbers are about, in order
        self.attributes = self._columns.attributes
        #: whether there is a model, and whether the target holds classes
        self.fits, self.classes = model is not None, data.classes
        #: the first column with missing values (None: there are none), and what was left out or filled in reading
        self.gap, self.notes = self._left.gap, data.notes
        self._scores: dict[str, tuple[float, ...]] = {}
        #: what identifies the data and the model
        self.fingerprint = fingerprint(
            "material", data.X, data.y, self.attributes.names, self._columns.positions, model, random_state
        )

    def scores(self, by: str) -> tuple[float, ...]:
        """The attribute score of this name, turned so that more is better; −∞ for what is dropped.

        It is computed once, whoever reads it how often: no run of a comparison changes it.
        """
        if by not in self._scores:
            self._scores[by] = self._scored(by)
        return self._scores[by]

    def _scored(self, by: str) -> tuple[float, ...]:
        measure, left = score_named(by), self._left
        columns = columns_of(left.X, left.columns, left.groups)
        with columns_called(left.columns):
            found = measure.of_target(left.X, left.y, columns.positions if left.groups else None, classes=self.classes)
        turned = [float(score) if measure.higher_is_better else -float(score) for score in found]
        known = dict(zip(columns.attributes.names, turned, strict=True))
        return tuple(known.get(name, -np.inf) for name in self.attributes.names)

    def inconsistency(self, tolerance: float) -> Inconsistency:
        """The inconsistency of subsets; two values agree within `tolerance` standard deviations of the column."""
        if not self.classes:
            raise InputError("consistency is about classes, but the target holds numbers; choose another method")
        X = np.where(np.isin(self._data.columns, self._left.columns), self._data.X, 0.0)
        X = np.where(constant(X), 0.0, X)  # what varies by rounding alone tells no rows apart
        spread = X.std(axis=0)
        scaled = X / np.where(spread > 0, spread, 1.0)
        return Inconsistency(scaled, self._data.y, groups=self._columns.positions, tolerance=tolerance)

    def importance(self, subset: Mask) -> Sequence[float]:
        """One number for each attribute of the subset, in their order."""
        if not self.fits:
            raise InputError("the importances of a model need a `model`; name one")
        key = (self.fingerprint, subset)
        if key not in _importances:
            _importances[key] = self._fitted_importance(subset)
        return _importances[key]

    def _fitted_importance(self, subset: Mask) -> tuple[float, ...]:
        columns = self._columns.of(subset)
        X, y = self._data.X[:, columns], self._data.y
        place = {column: k for k, column in enumerate(columns)}
        groups = [[place[column] for column in p] for i, p in enumerate(self._columns.positions) if subset >> i & 1]
        try:
            with one_thread():
                fitted = clone(self._model).fit(X, y)
                own = own_importances(fitted, X)
                if own is not None:
                    return tuple(float(own[group].sum()) for group in groups)
                shuffling = Shuffling(None, _PERMUTATIONS, self._random_state, groups if self._data.groups else None)
                return tuple(shuffling.decrease(fitted, X, y).tolist())
        except Exception as error:  # whatever the model raises, and it raises what it likes
            names = ", ".join(self.attributes.subset(subset))
            raise ModelError(
                f"no importance of {names} can be computed: {one_line(error)}; choose another model, "
                "or name `methods` that fit none"
            ) from error
