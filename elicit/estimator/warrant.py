"""Warrant: what the record of a finished run proves about the chosen subset, as one certificate.

The strongest claim that can be shown is made: that every compatible utility finds it best in the whole
family; or among the evaluated subsets; or else how much any of those may gain on it at most. Every
certificate has passed `elicit.utility.verify` in exact arithmetic before it is returned.
"""

from __future__ import annotations

from elicit.decide.elicitation import Elicitation
from elicit.subsets import Mask
from elicit.threads import one_thread
from elicit.utility.certificates import Certificate, certify_best_among, certify_optimal

#: The whole family is searched for a better subset up to this many attributes; beyond, it takes too long.
MOST_ATTRIBUTES = 14


def warrant_of(elicitation: Elicitation, subset: Mask) -> Certificate | None:
    """The certificate, None when the record holds no strict statement (then nothing is proven)."""
    with one_thread():
        beliefs = elicitation.beliefs
        utilities = beliefs.fresh_utilities()
        if not utilities.informative or beliefs.conflict is not None:
            return None
        if elicitation.family.n <= MOST_ATTRIBUTES:
            found = certify_optimal(utilities, subset, elicitation.family, most_cubes=elicitation.settings.effort)
            if found is not None:
                return found
        everything = [x for x in utilities.evaluated if x in elicitation.family]
        return certify_best_among(utilities, subset, everything) or certify_best_among(
            utilities, subset, everything, bound=None
        )
