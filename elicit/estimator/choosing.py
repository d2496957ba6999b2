"""Choosing: which of the measured subsets a finished run selects, and what its user is warned of."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.exceptions import FitFailedWarning

from elicit.decide.elicitation import Elicitation
from elicit.drive import Result
from elicit.errors import InputError
from elicit.estimator.tolerance import Tolerance, least_within
from elicit.knowledge.history import FINE
from elicit.numeric import GRID
from elicit.operators import SimulatedOperator
from elicit.subsets import Mask
from elicit.worth import best_for

_TOO_FINE = (
    f"the measured values of {{!r}} all lie within {FINE:g} of each other, and within {GRID:g} they count as equal; "
    "multiply them (rescale the target, or wrap the scorer), or what is best is told badly"
)


def chosen_of(
    elicitation: Elicitation, result: Result, utility: SimulatedOperator | None, within: Tolerance | None
) -> Mask:
    """The smallest within the tolerance, or the best by a utility, or where there is neither what was recommended."""
    if within is not None:
        chosen = least_within(elicitation.history, elicitation.family, within)
    elif utility is not None:  # its answers led here; which is best of all, it can say
        chosen = best_for(elicitation, utility)
    else:
        chosen = result.subset
    if chosen is None:
        reason, times = next(iter(result.failures.items()), ("the family is empty", 0))
        raise InputError(f"no subset could be measured; the first of {times} with the same reason: {reason}")
    return chosen


def warnings_of(elicitation: Elicitation, result: Result, against: str | None) -> Iterator[Warning]:
    """What the user should know of a run that ended: a utility not followed, values too close, fits that failed."""
    if against is not None:
        yield UserWarning(against)
    for name in elicitation.history.too_fine:
        yield UserWarning(_TOO_FINE.format(name))
    if failed := sum(result.failures.values()):
        yield FitFailedWarning(
            f"{failed} of {result.evaluations} subsets could not be measured and are left out; the first because: "
            f"{next(iter(result.failures))}"
        )
