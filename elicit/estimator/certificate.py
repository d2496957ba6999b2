"""The certificate: what the record of a finished run proves about the chosen subset, as plain data.

Where the utility was declared, that is which of the measured subsets is best by it, as in the run's journal: the
record shows it, and nothing is left to prove. For any other run it is one certificate of the strongest claim that
can be shown: that every compatible utility finds the subset best in the whole family; or among the evaluated
subsets; or else how much any of those may gain on it at most (where very many were evaluated, no more than a clear
answer's margin). Every certificate has passed `elicit.utility.verify` in exact arithmetic before it is returned.
"""

from __future__ import annotations

from typing import Any

from elicit.decide.elicitation import Elicitation
from elicit.estimator.declared import Declared
from elicit.proof.claims import claim_by_score
from elicit.subsets import Mask
from elicit.threads import one_thread
from elicit.utility.certificates import certify_best_among, certify_optimal
from elicit.utility.regret import Regrets, beyond_worth

#: The whole family is searched for a better subset up to this many attributes; beyond, it takes too long.
MOST_ATTRIBUTES = 14


def certificate_of(elicitation: Elicitation, subset: Mask) -> dict[str, Any] | None:
    """The best by score where that was declared; else a certificate, or None where nothing worth it is proven."""
    if isinstance(elicitation, Declared):
        return claim_by_score(elicitation)
    with one_thread():
        if not elicitation.beliefs.decides:
            return None
        utilities = elicitation.beliefs.fresh_utilities()
        if elicitation.family.n <= MOST_ATTRIBUTES:
            found = certify_optimal(utilities, subset, elicitation.family, most_cubes=elicitation.settings.effort)
            if found is not None:
                return found
        if beyond_worth(Regrets(utilities), subset):
            return None
        everything = [x for x in utilities.evaluated if x in elicitation.family]
        return certify_best_among(utilities, subset, everything) or certify_best_among(
            utilities, subset, everything, bound=None
        )
