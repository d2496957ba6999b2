"""Any function of a subset as an oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from elicit.asks import Evaluate, Failure, Measured, subset_asked_for
from elicit.errors import InputError, OracleError, one_line
from elicit.events import SCORE_AND_SIZE, Criterion, checked_criteria
from elicit.numeric import given_number
from elicit.oracles.criteria import what_is_wanted
from elicit.oracles.describe import fingerprint
from elicit.subsets import Attributes, Mask


class CallableOracle:
    """Asks `fn` for the criteria of a subset.

    fn: gets the attribute names (or with takes="mask" the integer mask) and gives one number, a tuple
        in the order of `criteria`, or a mapping from their names. A criterion called "size" may be
        left out of the reply: it is then counted.
    attributes: the names, or how many there are.
    version: any text; change it when `fn` changes, so that an old journal is not mistaken for a new one.
    """

    def __init__(
        self,
        fn: Callable[[Any], float | Sequence[float] | Mapping[str, float]],
        attributes: Attributes | Sequence[str] | int,
        criteria: Sequence[Criterion] = SCORE_AND_SIZE,
        *,
        takes: Literal["names", "mask"] = "names",
        version: str = "",
    ) -> None:
        if not callable(fn):
            raise InputError(f"expected a function of a subset, found {fn!r}")
        if takes not in ("names", "mask"):
            raise InputError(f"takes must be 'names' or 'mask', found {takes!r}")
        self._fn = fn
        self._takes = takes
        self.attributes = attributes_of(attributes)
        self.criteria = checked_criteria(criteria)
        self.fingerprint = fingerprint(
            "function",
            fn,
            self.attributes.names,
            [(c.name, c.maximise) for c in self.criteria],
            takes,
            version,
        )

    def __call__(self, request: Evaluate) -> Measured | Failure:
        mask = subset_asked_for(request, self.attributes)
        try:
            reply = self._fn(mask if self._takes == "mask" else self.attributes.subset(mask))
        except Exception as error:
            return Failure(one_line(error))
        values = self._values(reply, mask)
        for criterion, value in zip(self.criteria, values, strict=True):
            if wanted := what_is_wanted(value):
                return Failure(f"{criterion.name} is {value}, expected {wanted}")
        return Measured(values, ((),) * len(values), (None,) * len(values))

    def _values(self, reply: Any, mask: Mask) -> tuple[float, ...]:
        """One number a criterion; a reply of another shape is a fault of the function, not of the subset."""
        names = [criterion.name for criterion in self.criteria]
        wanted = [name for name in names if name != "size"]
        try:
            if isinstance(reply, Mapping):
                given = {str(name): given_number(value) for name, value in reply.items()}
            else:
                several = isinstance(reply, Sequence) and not isinstance(reply, str | bytes)
                values = list(map(given_number, reply if several else [reply]))
                given = dict(zip(names if len(values) == len(names) else wanted, values, strict=True))
        except (TypeError, ValueError, OverflowError) as error:
            raise OracleError(self._expected(reply)) from error
        given.setdefault("size", float(mask.bit_count()))
        if set(given) - {"size"} != set(wanted):
            raise OracleError(self._expected(reply))
        return tuple(given[name] for name in names)

    def _expected(self, reply: Any) -> str:
        names = ", ".join(criterion.name for criterion in self.criteria)
        return f"the function must give numbers for {names}, found {reply!r:.80}; return them as a tuple or mapping"


def attributes_of(given: Attributes | Sequence[str] | int) -> Attributes:
    """Attributes from themselves, from names, or from how many there are."""
    return Attributes.numbered(given) if isinstance(given, int) else Attributes.of(given)
