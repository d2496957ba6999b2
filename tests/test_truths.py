"""Hidden 2-additive utilities and an operator who never errs: the proof over all subsets, and the true best.

The parsimonious set may prove what is wrong, where the truth is less simple than it believes; that is why it
names τ and C. In the exact set nothing but the answers counts, so there the proven subset is always the best.
"""

import numpy as np
import pytest
from joblib import Parallel, delayed

from elicit.asks import Done, Evaluate
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.operators import HiddenTheta, SimulatedOperator
from elicit.oracles.synthetic import SyntheticOracle
from elicit.threads import one_thread
from elicit.utility.certificates import certify_optimal
from elicit.utility.verify import verify

# An operator who never errs is believed: a statement may be set aside at a price of C, and what is proven allows for
# one where τ N exceeds C, as the truths of eight attributes do at C = 100.
PARSIMONIOUS = {"slack": 1000.0, "questions": 60, "last_questions": 60}
EXACT = {"parsimony": "exact", "policy": "ranking", "questions": 1000, "ask_every": 0}


def played(n, seed, choices):
    """Whether the run ended with a proof that verifies, whether it found the best, and its evaluations."""
    oracle = SyntheticOracle.drawn(n, np.random.default_rng([seed, n]), interaction=1.0, size=True)
    operator = SimulatedOperator(HiddenTheta(oracle.theta), oracle.criteria, seed=seed)
    settings = Settings(budget=2**n - 1, **choices)
    with one_thread():
        elicitation = Elicitation(oracle.attributes, oracle.criteria, settings, seed=seed)
        while not isinstance(request := elicitation.ask(), Done):
            elicitation.tell(request.id, oracle(request) if isinstance(request, Evaluate) else operator(request))
        proven = False
        if request.reason.startswith("optimal"):
            certificate = certify_optimal(elicitation.beliefs.utilities, request.subset, elicitation.family)
            verify(certificate)
            proven = True
    best = max(oracle.value(m) for m in range(1, 2**n))
    return proven, oracle.value(request.subset) >= best - 1e-9, elicitation.evaluations


def fifty(n, exact):
    choices = EXACT if exact else PARSIMONIOUS
    return list(zip(*Parallel(-1)(delayed(played)(n, seed, choices) for seed in range(50)), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 6, 7, 8])
def test_in_the_parsimonious_set_every_run_ends_with_a_proof_and_nearly_every_one_at_the_best(n):
    proven, found, _ = fifty(n, exact=False)
    assert sum(proven) == 50
    assert sum(found) >= 48


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 6, 7, 8])
def test_in_the_exact_set_every_proven_subset_is_the_best(n):
    proven, found, evaluations = fifty(n, exact=True)
    assert sum(proven) == sum(found) == 50
    assert max(evaluations) <= 90


@pytest.mark.parametrize("choices", [PARSIMONIOUS, EXACT])
def test_a_small_truth_is_found_and_proven(choices):
    assert played(4, 0, choices)[:2] == (True, True)
