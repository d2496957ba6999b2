"""Deduction from a linear trade-off: all that follows and no more, held against linear programs and drawn weights."""

import journals
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from elicit.decide.settings import Settings
from elicit.drive import begin, drive
from elicit.errors import CertificateError, InputError
from elicit.events import Answer, Criterion, Evaluated, Preferred
from elicit.journal import read
from elicit.knowledge.deduction import deduced, rays_of
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.operators import SimulatedOperator
from elicit.proof.record_check import check_record
from elicit.subsets import Attributes

ABC = Attributes(("a", "b", "c", "d", "e"))
CRITERIA = (Criterion("score"), Criterion("size", maximise=False), Criterion("cost", maximise=False))


def least(constraints, d):
    """The least w · d over w ≥ 0, Σ w = 1 and the constraints; None where there is no such w."""
    m = len(d)
    rows = -np.array(constraints, dtype=float).reshape(-1, m)
    found = linprog(d, A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=np.ones((1, m)), b_eq=[1.0])
    return found.fun if found.status == 0 else None


rows = st.integers(2, 4).flatmap(
    lambda m: st.tuples(
        st.lists(st.lists(st.integers(-6, 6), min_size=m, max_size=m), max_size=6),
        st.lists(st.integers(-6, 6), min_size=m, max_size=m),
    )
)


@given(rows)
def test_the_rays_give_the_least_that_any_weights_give(given_rows):
    constraints, d = given_rows
    rays = rays_of(len(d), constraints)
    wanted = least(constraints, d)
    if wanted is None:
        assert rays == []
    else:
        shares = [np.array(ray) / sum(ray) for ray in rays]
        assert min(float(share @ d) for share in shares) == pytest.approx(wanted, abs=1e-7)
        assert all(share @ c >= -1e-12 for share in shares for c in constraints)


def history(seed, answers=4, noise=None, linear=True):
    """Subsets measured by drawn criteria, compared by drawn weights."""
    rng = np.random.default_rng(seed)
    found = History(ABC, CRITERIA, linear=linear, noise=noise)
    weights = rng.dirichlet(np.ones(3)) * [1, -1, -1]
    request = 0
    for mask in rng.permutation(np.arange(1, 32))[:12].tolist():
        vector = (float(rng.integers(20)), float(mask.bit_count()), float(rng.integers(9)))
        found.record(Evaluated(request, mask, vector))
        request += 1
    asked = [(a, b) for a in found.evaluated for b in found.evaluated if a < b and b not in found.dominates[a]]
    for k in rng.permutation(len(asked))[:answers].tolist():
        a, b = asked[k]
        if a in found.dominates[b] or found.same_criteria(a, b):
            continue
        gain = weights @ (np.array(found.evaluated[a].criteria) - found.evaluated[b].criteria)
        found.record(Preferred(request, a, b, Answer.FIRST if gain > 0 else Answer.SECOND))
        request += 1
    return found, weights


@pytest.mark.parametrize("seed", range(25))
def test_what_is_deduced_is_true_and_all_that_follows_is_implied(seed):
    found, weights = history(seed)
    value = {x: weights @ np.array(f.criteria) for x, f in found.evaluated.items()}
    assert all(value[s.better] > value[s.worse] for s in found.deduced)
    assert all((s.source, s.relation) == (Source.DEDUCED, Relation.STRICT) for s in found.deduced)
    whole = dict(zip(found.subsets, found.vectors, strict=True))
    constraints = [whole[s.better] - whole[s.worse] for s in found.stated]
    reach = {(s.better, s.worse) for s in found.statements}
    for k in found.subsets:
        reach |= {(a, b) for a, x in list(reach) if x == k for y, b in list(reach) if y == k}
    for a in found.subsets:
        for b in found.subsets:
            d = (whole[a] - whole[b]) / 1e9
            low = least([c / 1e9 for c in constraints], d) if a != b else None
            if low is not None and low > 1e-6 and constraints:
                assert (a, b) in reach


def test_without_the_assumption_or_an_answer_nothing_is_deduced():
    assert history(1, linear=False)[0].deduced == ()
    assert history(1, answers=0)[0].deduced == ()


def test_answers_that_no_weights_give_refute_the_assumption():
    vectors = {1: (0, 10), 2: (5, 5), 4: (10, 0), 3: (0, 8)}
    assert (2, 4) in {(s.better, s.worse) for s in deduced(vectors, (), [Statement(1, 2)], 1.0)}
    both_ends = [Statement(1, 2), Statement(4, 2)]  # before the middle: equal weights, which tell none of them apart
    assert deduced(vectors, (), both_ends, 1.0) == ()
    assert deduced(vectors, (), [Statement(1, 2), Statement(2, 1)], 1.0) == ()


def test_what_noise_doubts_is_not_let_in_again():
    found = History(
        Attributes(("a", "b")), (Criterion("score"), Criterion("size", maximise=False)), noise=Noise(0.05), linear=True
    )
    folds = [(0.1, 0.9, 0.5), (0.2, 0.7, 0.6)]
    for request, (mask, scores) in enumerate(zip((1, 2), folds, strict=True)):
        found.record(Evaluated(request, mask, (float(np.mean(scores)) + mask / 100, 1.0), (scores, ()), (0.1, None)))
    found.record(Evaluated(2, 3, (0.9, 2.0), ((0.9, 0.9, 0.9), ()), (0.1, None)))
    found.record(Preferred(3, 3, 1, Answer.FIRST))
    assert all({s.better, s.worse} != {1, 2} for s in found.deduced)


def test_it_is_a_setting_with_two_values():
    with pytest.raises(InputError, match="assume is one of nothing, linear"):
        Settings(assume="linaer")


def played(path, **choices):
    oracle = journals.truth(6)
    operator = SimulatedOperator("score - 0.2 * size", oracle.criteria)
    settings = Settings(budget=40, ask_every=1, questions=40, last_questions=10, worth=0.0, **choices)
    with begin(path, oracle, settings) as session:
        return drive(session.elicitation, oracle, operator, session.journal), session.elicitation


def test_fewer_questions_are_open_and_the_record_is_checked_with_what_was_deduced(tmp_path):
    free, _ = played(tmp_path / "free")
    linear, elicitation = played(tmp_path / "linear", assume="linear")
    assert elicitation.history.deduced
    assert linear.questions < free.questions
    told = "\n".join(step.words for step in check_record(read(tmp_path / "linear")))
    assert "by a linear trade-off of the criteria" in told
    lines = journals.lines_of(tmp_path / "linear")
    settings = lines[0]["settings"]
    header = lines[0] | {"settings": settings | {"elicit": settings["elicit"] | {"assume": "nothing"}}}
    changed = journals.write(tmp_path / "changed", [header, *lines[1:]])
    with pytest.raises(CertificateError, match="from deduced"):
        list(check_record(read(changed)))


def test_what_was_stated_weakly_may_be_deduced_strictly():
    vectors = {2: (0, 3, 3), 3: (0, 3, 3), 4: (1, 3, 2), 6: (3, 3, 0)}
    stated = [Statement(4, 2, Relation.WEAK), Statement(6, 3)]  # the second says that the first counts for more
    assert (4, 2) in {(s.better, s.worse) for s in deduced(vectors, (), stated, 1.0)}
