"""Restarts: a search that has gained nothing for long begins anew, as if nothing had been measured.

What comes next is forecast from what was measured since, and compared with the best since: another beginning
ends elsewhere, and where it ends better the waiting was in vain. What was measured before stays measured: it is
recommended, asked about and proven with, and is not proposed again.
"""

from __future__ import annotations

from elicit.utility.monomials import Vector

#: The search begins anew after so many evaluations without a gain, unless fewer than that are left.
LONG = 250

#: A new beginning consists of so many draws; and the reason that is given for them.
DRAWS = 6
ANEW = "a new beginning, since nothing was gained for long"


def last_beginning(worth: Vector, budget: int) -> int:
    """How many evaluations were made before the search began anew for the last time (0: it never did).

    worth: of what was evaluated, in that order; budget: of the whole run.
    """
    since, gained, best = 0, 0, -float("inf")
    for k, value in enumerate([*worth.tolist(), None]):
        if k - gained > LONG and budget - k >= LONG:
            since, gained, best = k, k, -float("inf")
        if value is not None and value > best:
            gained, best = k, value
    return since


def draws_missing(since: int, evaluated: int) -> int:
    """How many draws a search that began anew still needs before anything can be forecast."""
    return max(0, since + DRAWS - evaluated) if since else 0
