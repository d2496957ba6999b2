"""Deduction from an assumption: all that follows and no more, held against linear programs and drawn operators."""

import journals
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from elicit.decide.settings import Settings
from elicit.drive import begin, drive
from elicit.errors import CertificateError, InputError
from elicit.events import Answer, Asked, Criterion, Evaluated, Preferred
from elicit.journal import read
from elicit.knowledge.additive import additive_order
from elicit.knowledge.deduction import deduced
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import History
from elicit.knowledge.linear import rays_of
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


def history(seed, answers=4, noise=None, assume="linear"):
    """Subsets measured by drawn criteria, compared by drawn weights."""
    rng = np.random.default_rng(seed)
    found = History(ABC, CRITERIA, assume=assume, noise=noise)
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
    assert history(1, assume="nothing")[0].deduced == ()
    assert history(1, answers=0)[0].deduced == ()


def test_answers_that_no_weights_give_refute_the_assumption():
    vectors = {1: (0, 10), 2: (5, 5), 4: (10, 0), 3: (0, 8)}
    assert (2, 4) in {(s.better, s.worse) for s in deduced("linear", vectors, (), [Statement(1, 2)], 1.0)}
    both_ends = [Statement(1, 2), Statement(4, 2)]  # before the middle: equal weights, which tell none of them apart
    assert deduced("linear", vectors, (), both_ends, 1.0) == ()
    assert deduced("linear", vectors, (), [Statement(1, 2), Statement(2, 1)], 1.0) == ()


def test_what_noise_doubts_is_not_let_in_again():
    found = History(
        Attributes(("a", "b")),
        (Criterion("score"), Criterion("size", maximise=False)),
        noise=Noise(0.05),
        assume="linear",
    )
    folds = [(0.1, 0.9, 0.5), (0.2, 0.7, 0.6)]
    for request, (mask, scores) in enumerate(zip((1, 2), folds, strict=True)):
        found.record(Evaluated(request, mask, (float(np.mean(scores)) + mask / 100, 1.0), (scores, ()), (0.1, None)))
    found.record(Evaluated(2, 3, (0.9, 2.0), ((0.9, 0.9, 0.9), ()), (0.1, None)))
    found.record(Preferred(3, 3, 1, Answer.FIRST))
    assert all({s.better, s.worse} != {1, 2} for s in found.deduced)


def least_additive(vectors, steps, x, y):
    """The least worth of x beyond y over all worths t ≥ 0 of the steps, Σ t = 1; None where there are none."""
    columns = list(zip(*vectors.values(), strict=True))
    cuts = [(c, v) for c, column in enumerate(columns) for v in sorted(set(column))[1:]]

    def reached(mask):
        return np.array([float(vectors[mask][c] >= v) for c, v in cuts])

    rows = [reached(below) - reached(above) for above, below in steps]
    found = linprog(
        reached(x) - reached(y),
        A_ub=np.array(rows).reshape(-1, len(cuts)),
        b_ub=np.zeros(len(rows)),
        A_eq=np.ones((1, len(cuts))),
        b_eq=[1.0],
    )
    return found.fun if found.status == 0 else None


measured = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), min_size=4, max_size=9)


@given(measured, st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_an_additive_value_gives_what_every_such_operator_agrees_on(rows, seed, answers, three):
    vectors = {k: row if three else row[:2] for k, row in enumerate(rows, start=1)}
    rng = np.random.default_rng(seed)
    worths = [np.cumsum(rng.exponential(size=6) ** 2) for _ in range(3)]
    value = {k: sum(w[v] for w, v in zip(worths, row, strict=False)) for k, row in vectors.items()}
    pairs = [(a, b) for a in vectors for b in vectors if value[a] > value[b] + 1e-9]
    steps = [pairs[k] for k in rng.permutation(len(pairs))[:answers]]
    if not steps:
        return
    found = additive_order(vectors, [(a, b, True) for a, b in steps])
    assert found is not None
    assert all(value[x] > value[y] for x, y in found)
    for x in vectors:
        for y in vectors:
            low = least_additive(vectors, steps, x, y)
            if (x, y) in found:
                assert low is None or low > -1e-9
            if len(steps) == 1 and low is not None and low >= -1e-9 and vectors[x] != vectors[y]:
                assert (x, y) in found or all(a >= b for a, b in zip(vectors[x], vectors[y], strict=True))


@given(measured, st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.booleans()), min_size=1, max_size=3))
def test_answers_that_no_worths_give_leave_nothing(rows, answers):
    vectors = dict(enumerate(rows, start=1))
    steps = [(a, b, strict) for a, b, strict in answers if a in vectors and b in vectors and a != b]
    if steps and additive_order(vectors, steps) is None:
        # with every step worth something, what was preferred strictly or differs is worth more: not here
        cuts = [(c, v) for c in range(3) for v in sorted({row[c] for row in rows})[1:]]
        if cuts:
            d = np.array([[(vectors[a][c] >= v) - float(vectors[b][c] >= v) for c, v in cuts] for a, b, _ in steps])
            strict = np.array([float(s) for *_, s in steps])
            found = linprog(np.zeros(len(cuts)), A_ub=-d, b_ub=-1e-3 * strict, bounds=[(1e-3, None)] * len(cuts))
            assert found.status == 2


def test_two_answers_say_together_what_neither_says_alone():
    vectors = {1: (2, 1), 2: (1, 2), 3: (1, 0), 4: (0, 1), 5: (2, 0), 6: (0, 2)}
    first, second = (1, 2, True), (3, 4, True)
    assert (5, 6) not in {*additive_order(vectors, [first]), *additive_order(vectors, [second])}
    assert (5, 6) in additive_order(vectors, [first, second])


def test_an_equal_answer_says_no_more_than_equal_of_the_same_exchange():
    vectors = {1: (2, 0), 2: (1, 1), 3: (2, 2), 4: (1, 3), 5: (3, 0)}
    found = additive_order(vectors, [(1, 2, False), (2, 1, False)])
    assert (5, 2) in found  # more is had for the same
    assert not {(1, 2), (2, 1), (3, 4)} & set(found)


def test_it_is_a_setting_with_three_values():
    with pytest.raises(InputError, match="assume is one of nothing, linear, additive"):
        Settings(assume="linaer")


def played(path, **choices):
    oracle = journals.truth(6)
    operator = SimulatedOperator("score - 0.2 * size", oracle.criteria)
    settings = Settings(budget=40, ask_every=1, questions=40, last_questions=10, worth=0.0, **choices)
    with begin(path, oracle, settings) as session:
        return drive(session.elicitation, oracle, operator, session.journal), session.elicitation


@pytest.mark.parametrize(("assume", "words"), [("linear", "a linear trade-off"), ("additive", "an additive value")])
def test_fewer_questions_are_open_and_the_record_is_checked_with_what_was_deduced(tmp_path, assume, words):
    free, _ = played(tmp_path / "free")
    fewer, elicitation = played(tmp_path / "fewer", assume=assume)
    assert elicitation.history.deduced
    assert fewer.questions <= free.questions
    known = History(elicitation.history.attributes, elicitation.history.criteria, assume=assume)
    for fact in elicitation.history.facts:
        if isinstance(fact, Asked) and fact.compare is not None:
            assert not {fact.compare, fact.compare[::-1]} & {(s.better, s.worse) for s in known.deduced}
        known.record(fact)
    told = "\n".join(step.words for step in check_record(read(tmp_path / "fewer")))
    assert f"by {words} of the criteria" in told
    lines = journals.lines_of(tmp_path / "fewer")
    settings = lines[0]["settings"]
    header = lines[0] | {"settings": settings | {"elicit": settings["elicit"] | {"assume": "nothing"}}}
    changed = journals.write(tmp_path / "changed", [header, *lines[1:]])
    with pytest.raises(CertificateError, match="from deduced"):
        list(check_record(read(changed)))


def test_what_was_stated_weakly_may_be_deduced_strictly():
    vectors = {2: (0, 3, 3), 3: (0, 3, 3), 4: (1, 3, 2), 6: (3, 3, 0)}
    stated = [Statement(4, 2, Relation.WEAK), Statement(6, 3)]  # the second says that the first counts for more
    assert (4, 2) in {(s.better, s.worse) for s in deduced("linear", vectors, (), stated, 1.0)}
