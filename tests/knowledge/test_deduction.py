"""Deduction from an assumption: all that follows and no more, held against linear programs and drawn operators."""

from fractions import Fraction
from functools import cache
from itertools import combinations

import journals
import numpy as np
import pytest
from hypothesis import assume as provided
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from elicit.decide.beliefs import Beliefs
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import CertificateError, InputError
from elicit.events import Answer, Asked, Criterion, Evaluated, Preferred
from elicit.journal import read
from elicit.knowledge.additive import additive_order
from elicit.knowledge.deduction import deduce, follow_from, is_refuted
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import History
from elicit.knowledge.linear import STEPS, extreme_rays, linear_order
from elicit.knowledge.statements import WEIGHTS, Relation, Source, Statement, contradiction
from elicit.operators import SimulatedOperator
from elicit.proof.record_check import check_record
from elicit.proof.why import Why
from elicit.sessions import begin
from elicit.subsets import Attributes, Family

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
    rays = extreme_rays(len(d), constraints)
    wanted = least(constraints, d)
    if wanted is None:
        assert rays == []
    else:
        shares = [np.array(ray) / sum(ray) for ray in rays]
        assert min(float(share @ d) for share in shares) == pytest.approx(wanted, abs=1e-7)
        assert all(share @ c >= -1e-12 for share in shares for c in constraints)


def exact(vectors):
    """Whole numbers in steps of the grid, of which none is rounded."""
    return {x: tuple(value * STEPS for value in vector) for x, vector in vectors.items()}


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


@pytest.mark.parametrize("seed", [*range(11), 19])  # 19 has a constraint tight at an old ray
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
            if constraints and a != b and (a, b) not in reach:
                low = least([c / 1e9 for c in constraints], (whole[a] - whole[b]) / 1e9)
                assert low is None or low <= 1e-6


def test_without_the_assumption_or_an_answer_nothing_is_deduced():
    assert history(1, assume="nothing")[0].deduced == ()
    assert history(1, answers=0)[0].deduced == ()


def test_answers_that_no_weights_give_refute_the_assumption():
    vectors = {1: (0, 10), 2: (5, 5), 4: (10, 0), 3: (0, 8)}
    assert (2, 4) in {(s.better, s.worse) for s in deduce("linear", vectors, (), [Statement(1, 2)])}
    both_ends = [Statement(1, 2), Statement(4, 2)]  # before the middle: equal weights, which tell none of them apart
    assert deduce("linear", vectors, (), both_ends) == ()
    assert deduce("linear", vectors, (), [Statement(1, 2), Statement(2, 1)]) == ()


def test_what_noise_doubts_is_not_let_in_again():
    found = History(
        Attributes(("a", "b", "c")),
        (Criterion("score"), Criterion("size", maximise=False)),
        noise=Noise(0.05),
        assume="linear",
    )
    folds = [(0.1, 0.9, 0.5), (0.2, 0.7, 0.6)]
    for request, (mask, scores) in enumerate(zip((1, 2), folds, strict=True)):
        found.record(Evaluated(request, mask, (float(np.mean(scores)) + mask / 100, 1.0), (scores, ()), (0.1, None)))
    found.record(Evaluated(2, 3, (0.9, 2.0), ((0.9, 0.9, 0.9), ()), (0.1, None)))
    found.record(Evaluated(3, 4, (1.4, 3.0), ((1.4, 1.4, 1.4), ()), (0.1, None)))
    found.record(Preferred(4, 3, 1, Answer.FIRST))
    assert (4, 3) in {(s.better, s.worse) for s in found.deduced}
    assert all({s.better, s.worse} != {1, 2} for s in found.deduced)


def worths_exist(vectors, steps, never=None):
    """Whether steps between measured values can have worths ≥ 0 that give the answers, and `never` (x, y, strict)."""
    cuts = [(c, v) for c, column in enumerate(zip(*vectors.values(), strict=True)) for v in sorted(set(column))[1:]]
    wanted = [*steps, *([] if never is None else [never])]
    if not cuts:
        return not any(strict for *_, strict in wanted)

    def reached(mask):
        return np.array([float(vectors[mask][c] >= v) for c, v in cuts])

    rows = np.array([reached(below) - reached(above) for above, below, _ in wanted])
    most = [-1.0 if strict else 0.0 for *_, strict in wanted]
    return linprog(np.zeros(len(cuts)), A_ub=rows, b_ub=most, bounds=[(0, None)] * len(cuts)).status == 0


def better(vectors, x, y):
    return vectors[x] != vectors[y] and all(a >= b for a, b in zip(vectors[x], vectors[y], strict=True))


measured = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2)), min_size=3, max_size=8)
answered = st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8), st.sampled_from("<~")), min_size=1, max_size=3)


@st.composite
def cases(draw):
    """Vectors, the steps of at least one answer about them, and what is stated of dominance; some of it is doubted."""
    rows, three = draw(measured), draw(st.booleans())
    vectors = {k: row if three else row[:2] for k, row in enumerate(rows, start=1)}
    steps = [(a, b, kind == "<") for a, b, kind in draw(answered) if a in vectors and b in vectors and a != b]
    provided(steps)
    steps += [(b, a, False) for a, b, strict in steps if not strict]
    dominance = [(x, y) for x in vectors for y in vectors if better(vectors, x, y)][draw(st.integers(0, 3)) :]
    return vectors, steps, dominance


@given(cases())
def test_an_additive_value_gives_what_every_such_operator_agrees_on(case):
    vectors, steps, dominance = case
    everything = [*steps, *((x, y, True) for x, y in dominance)]
    found = additive_order(vectors, steps, dominance)
    if found is None:
        assert not worths_exist(vectors, everything)
        return
    single = len(steps) == 1
    assert not single or worths_exist(vectors, everything)
    for x, y in found.equal:
        assert not worths_exist(vectors, everything, never=(x, y, True))
        assert not worths_exist(vectors, everything, never=(y, x, True))
    for x in vectors:
        for y in vectors:
            if (x, y) in found.strict:
                assert not worths_exist(vectors, everything, never=(y, x, False))
            elif single and x != y and not better(vectors, x, y):  # of one answer all that follows is found
                assert worths_exist(vectors, everything, never=(y, x, False))


@settings(max_examples=15)  # two programs for every pair
@given(cases())
def test_a_linear_trade_off_gives_all_that_every_such_operator_agrees_on(case):
    vectors, steps, dominance = case

    def weights_exist(*more):
        wanted = [*steps, *((x, y, True) for x, y in dominance), *more]
        gains = np.array([np.subtract(vectors[below], vectors[above]) for above, below, _ in wanted])
        most = [-1.0 if strict else 0.0 for *_, strict in wanted]
        total = np.ones((1, gains.shape[1]))  # not worth nothing at all
        free = linprog(total[0], A_ub=gains, b_ub=most, A_eq=total, b_eq=[1.0], bounds=[(0, None)] * gains.shape[1])
        some = any(strict for *_, strict in wanted)
        return linprog(total[0], A_ub=gains, b_ub=most).status == 0 if some else free.status == 0

    found = linear_order(exact(vectors), steps, dominance)
    if found is None:
        assert not weights_exist()
        return
    assert weights_exist()
    for x in vectors:
        for y in vectors:
            if x != y:
                assert ((x, y) in found.strict) == (not weights_exist((y, x, False)))
            if x < y and vectors[x] != vectors[y]:
                alike = not weights_exist((x, y, True)) and not weights_exist((y, x, True))
                assert ((x, y) in found.equal) == alike


@given(cases(), st.sampled_from([("linear", linear_order), ("additive", additive_order)]))
def test_what_is_deduced_says_with_what_was_stated_all_that_follows_and_none_of_it_twice(case, rule):
    vectors, steps, dominance = case
    name, order_of = rule
    measured = [Statement(x, y, source=Source.DOMINANCE) for x, y in dominance]
    stated = [Statement(a, b) if strict else Statement(a, b, Relation.EQUAL) for a, b, strict in steps]
    vectors = exact(vectors)
    found = deduce(name, vectors, measured, stated)
    order = order_of(vectors, steps, dominance)
    if order is None or contradiction([*measured, *stated]):
        assert found == ()
        return
    everything = [*measured, *stated, *found]
    strict = [Statement(x, y) for x, y in order.strict if not better(vectors, x, y)]
    alike = [Statement(x, y, Relation.EQUAL) for x, y in order.equal]
    assert follow_from([*strict, *alike], everything) == [*strict, *alike]
    assert all((s.better, s.worse) in order.strict for s in found if s.strict)
    for s in found:  # of those that go one way, what chains of such imply is left out
        others = [other for other in everything if other is not s and (other.relation is Relation.EQUAL) != s.strict]
        assert not follow_from([s], others)


@pytest.mark.parametrize(
    ("steps", "measured"),
    [
        ([(2, 1, True)], []),  # less of everything is preferred
        ([(3, 4, True), (6, 5, True)], []),  # an exchange, and the same one back
        ([(3, 4, True), (6, 5, False)], []),
        ([(3, 4, False), (4, 3, False), (3, 7, False), (7, 3, False)], [(4, 7)]),  # what was measured is worth nothing
    ],
)
def test_what_no_worths_give_is_seen(steps, measured):
    vectors = {1: (3, 3, 0), 2: (2, 3, 0), 3: (2, 0, 0), 4: (1, 1, 0), 5: (2, 0, 1), 6: (1, 1, 1), 7: (1, 0, 0)}
    assert additive_order(vectors, steps, measured) is None
    assert not worths_exist(vectors, [*steps, *((a, b, True) for a, b in measured)])


def test_numbers_of_any_length_are_compared_to_the_last_digit():
    most = 10**18  # in products of these neither a float nor 64 bits tell one step
    vectors = {1: (most + 1, 0), 2: (0, most), 3: (0, most + 1)}
    found = linear_order(vectors, [(1, 2, True)], [(3, 2)])
    assert (1, 2) in found.strict
    assert (1, 3) not in found.strict
    assert found.equal == []


def test_two_answers_say_together_what_neither_says_alone():
    vectors = {1: (2, 1), 2: (1, 2), 3: (1, 0), 4: (0, 1), 5: (2, 0), 6: (0, 2)}
    first, second = (1, 2, True), (3, 4, True)
    assert (5, 6) not in additive_order(vectors, [first], []).strict
    assert (5, 6) not in additive_order(vectors, [second], []).strict
    assert (5, 6) in additive_order(vectors, [first, second], []).strict
    level = [(3, 4, False), (4, 3, False)]
    assert (5, 6) in additive_order(vectors, [first, *level], []).strict, "one of them strict is enough"


def test_three_answers_say_together_what_no_two_of_them_say():
    vectors = {1: (1, 0), 2: (0, 1), 3: (2, 1), 4: (1, 2), 5: (3, 2), 6: (2, 3), 7: (3, 0), 8: (0, 3)}
    answers = [(1, 2, True), (3, 4, True), (5, 6, True)]
    assert (7, 8) in additive_order(vectors, answers, []).strict
    for left in answers:
        assert (7, 8) not in additive_order(vectors, [a for a in answers if a is not left], []).strict
    assert additive_order(vectors, [*answers, (8, 7, True)], []) is None
    assert additive_order(vectors, [*answers, (8, 7, False)], []) is None


def test_the_same_exchange_is_not_taken_here_and_refused_there():
    vectors = {1: (1, 0), 2: (0, 1), 3: (0, 1), 4: (1, 0)}
    assert additive_order(vectors, [(1, 2, True), (3, 4, True)], []) is None
    assert additive_order(vectors, [(1, 2, False), (3, 4, False)], []).equal == [(1, 2), (1, 3), (2, 4), (3, 4)]


def test_nothing_is_as_good_as_what_was_measured_to_better_it():
    """The first criterion is worth nothing, and no less than the second, by which one was measured to be better."""
    vectors = {1: (1, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (1, 0, 1), 5: (0, 1, 2), 6: (0, 0, 2)}
    assert additive_order(vectors, [(1, 2, False), (3, 4, False)], []) is not None
    assert additive_order(vectors, [(1, 2, False), (3, 4, False)], [(5, 6)]) is None


def test_what_is_gained_once_does_not_pay_for_two_losses():
    vectors = {1: (1, 1, 2), 2: (0, 2, 2), 3: (1, 2, 1), 4: (0, 2, 2), 5: (1, 1, 1), 6: (0, 2, 2)}
    assert (5, 6) not in additive_order(vectors, [(1, 2, True), (3, 4, True)], []).strict


def test_an_equal_answer_makes_the_same_exchange_equal_and_more_for_it_better():
    vectors = {1: (2, 0, 0), 2: (1, 1, 0), 3: (2, 0, 1), 4: (1, 1, 1), 5: (3, 0, 0), 6: (2, 2, 0), 7: (1, 3, 0)}
    vectors[8] = (0, 1, 0)
    found = additive_order(vectors, [(1, 2, False), (2, 1, False)], [(5, 1), (2, 8)])
    assert (3, 4) in found.equal
    assert (5, 2) in found.strict  # more is had for the same
    assert (1, 8) in found.strict  # it is as good as what is more
    assert not {(6, 7), (7, 6)} & {*found.strict, *found.equal}  # this exchange is of other steps


def test_what_was_measured_refutes_weights_by_which_it_is_worth_nothing():
    """An equal answer across sizes that a slight difference of the score tells apart: the score is worth nothing, but
    elsewhere it was measured to be worth something."""
    vectors = exact({1: (948, 8), 2: (950, 8), 3: (500, 8), 4: (600, 9)})
    equal = [Statement(1, 2, Relation.EQUAL)]
    assert (4, 2) in {(s.better, s.worse) for s in deduce("linear", vectors, (), equal)}
    assert deduce("linear", vectors, [Statement(2, 3, source=Source.DOMINANCE)], equal) == ()


def test_who_finds_two_equal_is_not_asked_of_another_pair_of_the_same_exchange():
    vectors = exact({1: (8, 5), 2: (7, 6), 3: (4, 9), 5: (9, 4)})
    found = deduce("linear", vectors, (), [Statement(1, 2, Relation.EQUAL)])
    assert {s.relation for s in found} == {Relation.EQUAL}
    assert len(found) == 2


def shares_of_rows(rows, exchange, counts):
    """Score (a share of rows) and size, with the answers of who would give an attribute for `exchange` of the rows."""
    subsets = {(1 << size) - 1: (right / rows, float(size)) for size, right in enumerate(counts, start=1)}
    facts = [Evaluated(k, subset, criteria) for k, (subset, criteria) in enumerate(subsets.items())]
    known = History(Attributes.numbered(len(counts)), CRITERIA[:2], assume="linear", facts=facts)
    worth = {(1 << size) - 1: right - exchange * size for size, right in enumerate(counts, start=1)}

    def answer(one, other):
        apart = worth[one] - worth[other]
        return Answer.FIRST if apart > 0 else Answer.SECOND if apart < 0 else Answer.EQUAL

    return known, worth, answer


def test_gains_of_as_many_rows_are_equal_though_rounded_they_are_not():
    known, _, answer = shares_of_rows(150, 1, [142, 143, 144, 145])
    known.record(Preferred(10, 0b1, 0b11, answer(0b1, 0b11)))
    assert {s.relation for s in known.deduced} == {Relation.EQUAL}
    assert Beliefs(known, Family(4), Settings(assume="linear")).incumbent == 0b1
    known.record(Preferred(11, 0b11, 0b111, answer(0b11, 0b111)))
    assert not known.refuted


@pytest.mark.parametrize("seed", range(20))
def test_what_is_deduced_of_shares_of_rows_is_true_and_true_answers_refute_nothing(seed):
    rng = np.random.default_rng(seed)
    rows, exchange = int(rng.integers(30, 3000)), int(rng.integers(1, 4))
    counts = np.cumsum(rng.integers(0, 5, size=6)) + rows // 2
    known, worth, answer = shares_of_rows(rows, exchange, counts.tolist())
    for k, pair in enumerate(combinations(worth, 2), start=10):
        if not any(pair[i] in known.dominates[pair[1 - i]] for i in (0, 1)) and rng.random() < 0.5:
            known.record(Preferred(k, *pair, answer(*pair)))
            assert not known.refuted
            said = {Relation.STRICT: Answer.FIRST, Relation.EQUAL: Answer.EQUAL}
            assert all(answer(s.better, s.worse) is said[s.relation] for s in known.deduced)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_deduced_of_means_over_uneven_folds_is_true_and_true_answers_refute_nothing(seed):
    """Their denominators are too large for simple fractions: what is equal is known to the last step at best."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(600, 3000))
    folds = np.array([rows // 10 + (k < rows % 10) for k in range(10)])
    right = np.cumsum([folds // 2, *rng.integers(0, 2, size=(6, 10))], axis=0)  # a fold gains a row, or none
    scores = [sum(Fraction(int(r), int(f)) for r, f in zip(row, folds, strict=True)) / 10 for row in right]
    sizes = np.cumsum(rng.integers(1, 3, size=7)).tolist()
    known = History(Attributes.numbered(sizes[-1]), CRITERIA[:2], assume="linear")
    measured = {(1 << size) - 1: score for size, score in zip(sizes, scores, strict=True)}
    for k, (subset, score) in enumerate(measured.items()):
        known.record(Evaluated(k, subset, (float(score), float(subset.bit_count()))))
    first, other = sorted(rng.permutation(7)[:2].tolist())  # between these the operator is indifferent
    exchange = (scores[other] - scores[first]) / (sizes[other] - sizes[first])
    worth = {subset: score - exchange * subset.bit_count() for subset, score in measured.items()}

    def answer(x, y):
        return Answer.FIRST if worth[x] > worth[y] else Answer.SECOND if worth[x] < worth[y] else Answer.EQUAL

    pairs = list(combinations(worth, 2))
    for k in rng.permutation(len(pairs)).tolist():
        x, y = pairs[k]
        if exchange > 0 and not {(x, y), (y, x)} & {(a, b) for a in known.dominates for b in known.dominates[a]}:
            known.record(Preferred(10 + k, x, y, answer(x, y)))
            assert not known.refuted
            said = {Relation.STRICT: Answer.FIRST, Relation.EQUAL: Answer.EQUAL}
            assert all(answer(s.better, s.worse) is said[s.relation] for s in known.deduced)


def test_of_rounded_scores_what_is_worth_more_than_equal_is_deduced_by_more_than_a_step():
    scores = {1: 937_500_001, 2: 937_600_003, 3: 937_500_001, 4: 937_600_004, 5: 937_600_006}
    vectors = {x: (scores[x], -size * STEPS) for x, size in {1: 1, 2: 2, 3: 3, 4: 4, 5: 4}.items()}
    found = linear_order(vectors, [(1, 2, False), (2, 1, False)], [])
    assert {(4, 3), (3, 4)}.isdisjoint(found.strict)  # a step more for an attribute than what is equal
    assert (5, 3) in found.strict  # by more than can be rounding
    assert found.equal == []


@pytest.mark.parametrize(
    ("scores", "sizes"),
    [
        # each rounds to the same as some fraction that is simple, but these fractions share no simple one
        ((265002143, 294581321, 146685427, 176264606), (5, 6, 1, 2)),
        # from 128 on, numbers are rounded to coarser steps, and then to the grid
        ((130758357136, 130803575454, 130532265533, 130667920494), (6, 7, 1, 4)),
    ],
)
def test_who_trades_rounded_scores_for_attributes_at_one_rate_finds_none_better(scores, sizes):
    vectors = {x: (scores[x], -sizes[x] * STEPS) for x in range(4)}
    gain = (scores[1] - scores[0]) / (sizes[1] - sizes[0])
    assert all(abs(scores[x] - scores[0] - gain * (sizes[x] - sizes[0])) < 20 for x in range(4))  # but for rounding
    found = linear_order(vectors, [(0, 1, False), (1, 0, False)], [])
    assert found.strict == []


def test_fractions_that_round_to_the_same_leave_numbers_as_they_are():
    tied = {1: (976563, 1), 2: (976562, 2)}  # halfway between them lies 1/1024, a simple fraction
    assert linear_order(tied, [(1, 2, True)], []).strict == [(1, 2)]


def test_of_equal_ones_as_many_pairs_are_deduced_as_join_them_to_those_stated():
    vectors = exact({1: (8, 5), 2: (7, 6), 3: (6, 7), 4: (4, 9), 5: (3, 10), 6: (5, 5)})
    stated = [Statement(1, 2, Relation.EQUAL), Statement(2, 3, Relation.EQUAL), Statement(4, 6), Statement(5, 6)]
    assert deduce("linear", {x: vectors[x] for x in (1, 2, 3)}, (), stated[:2]) == ()
    found = deduce("linear", vectors, (), stated)
    alike = [s for s in found if s.relation is Relation.EQUAL]
    assert len(alike) == 2  # 4 and 5 join the three, although both were found better than the same one
    every = [Statement(a, b, Relation.EQUAL) for a, b in combinations((1, 2, 3, 4, 5), 2)]
    assert follow_from(every, [*stated, *alike]) == every


def test_it_is_a_setting_with_three_values():
    with pytest.raises(InputError, match="assume is one of nothing, linear, additive"):
        Settings(assume="linaer")


def played(path, **choices):
    # of two criteria next to nothing follows from sums of worths: this seed is one of few that show it
    oracle = journals.truth(6, 8)
    operator = SimulatedOperator("score - 0.2 * size", oracle.criteria)
    settings = Settings(budget=40, ask_every=1, questions=40, last_questions=10, worth=0.0, **choices)
    with begin(path, oracle, settings) as session:
        return drive(session.elicitation, oracle, operator, session.journal), session.elicitation


@pytest.fixture(scope="module")
def run_of(tmp_path_factory):
    """The run with an assumption: its journal, its result and where it ended; each is played once."""

    @cache
    def run(assume):
        path = tmp_path_factory.mktemp(assume) / "j"
        return path, *played(path, assume=assume)

    return run


@pytest.mark.parametrize(("assume", "words"), [("linear", "a linear trade-off"), ("additive", "an additive value")])
def test_fewer_questions_are_open_and_the_record_is_checked_with_what_was_deduced(tmp_path, run_of, assume, words):
    _, free, _ = run_of("nothing")
    path, fewer, elicitation = run_of(assume)
    assert elicitation.history.deduced
    assert fewer.questions <= free.questions
    known = History(elicitation.history.attributes, elicitation.history.criteria, assume=assume)
    for fact in elicitation.history.facts:
        if isinstance(fact, Asked) and fact.compare is not None:
            assert not {fact.compare, fact.compare[::-1]} & {(s.better, s.worse) for s in known.deduced}
        known.record(fact)
    told = "\n".join(step.words for step in check_record(read(path)))
    assert f"by {words} of the criteria" in told
    lines = journals.lines_of(path)
    settings = lines[0]["settings"]
    header = lines[0] | {"settings": settings | {"elicit": settings["elicit"] | {"assume": "nothing"}}}
    changed = journals.write(tmp_path / "changed", [header, *lines[1:]])
    with pytest.raises(CertificateError, match="from deduced"):
        list(check_record(read(changed)))


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=8),
)
def test_what_chains_of_statements_imply_is_what_a_closure_says(worth, drawn):
    """Statements that are true of drawn worths; strict ones are chained to by any step, equal ones by equal steps."""
    said = []
    for a, b, weakly in drawn:
        if max(a, b) < len(worth) and a != b and worth[a] >= worth[b]:
            better = Relation.WEAK if weakly else Relation.STRICT if worth[a] > worth[b] else Relation.EQUAL
            said.append(Statement(a + 1, b + 1, better))
    places = range(1, len(worth) + 1)
    reach = {}  # 1: some way down is strict
    for s in said:
        for above, below in s.edges:
            reach[above, below] = max(reach.get((above, below), 0), int(s.strict))
    alike = {(x, x) for x in places} | {e for s in said if s.relation is Relation.EQUAL for e in s.edges}
    for k in places:
        alike |= {(a, b) for a in places for b in places if (a, k) in alike and (k, b) in alike}
        for a in places:
            for b in places:
                if (a, k) in reach and (k, b) in reach:
                    reach[a, b] = max(reach.get((a, b), 0), reach[a, k], reach[k, b])
    for relation, holds in (
        (Relation.STRICT, lambda a, b: reach.get((a, b)) == 1),
        (Relation.EQUAL, lambda a, b: (a, b) in alike),
    ):
        asked = [Statement(a, b, relation) for a in places for b in places if a != b]
        assert follow_from(asked, said) == [s for s in asked if holds(s.better, s.worse)]


def test_an_assumption_is_refuted_by_answers_that_hold_together_and_by_no_others():
    vectors = {1: (0, 10), 2: (5, 5), 4: (10, 0), 3: (0, 8)}
    both_ends = [Statement(1, 2), Statement(4, 2)]  # before the middle
    assert is_refuted("linear", vectors, (), both_ends)
    assert not is_refuted("additive", vectors, (), both_ends)
    assert not is_refuted("nothing", vectors, (), both_ends)
    assert not is_refuted("linear", vectors, (), both_ends[:1])
    assert not is_refuted("linear", vectors, (), [])
    in_circles = [Statement(1, 2), Statement(2, 1)]
    assert not is_refuted("linear", vectors, (), in_circles)
    assert not is_refuted("linear", vectors, [Statement(1, 3, source=Source.DOMINANCE)], [Statement(3, 1)])


def test_statements_about_what_was_not_measured_say_nothing_of_criteria():
    vectors = {1: (0, 10), 2: (5, 5), 4: (10, 0), 3: (0, 8)}
    foreign = [Statement(1, 8), Statement(8, 2)]
    assert deduce("linear", vectors, (), foreign) == ()
    with_one = deduce("linear", vectors, (), [*foreign, Statement(1, 2)])
    assert with_one == deduce("linear", vectors, (), [Statement(1, 2)])


def test_what_is_deduced_carries_the_weight_of_its_source(monkeypatch):
    monkeypatch.setitem(WEIGHTS, Source.DEDUCED, 2.5)
    vectors = exact({1: (0, 10), 2: (5, 5), 4: (10, 0), 3: (0, 8)})
    strict = deduce("linear", vectors, (), [Statement(1, 2)])
    equal = deduce("linear", vectors, (), [Statement(1, 2, Relation.EQUAL)])
    assert {s.weight for s in (*strict, *equal)} == {2.5}
    assert {s.relation for s in equal} >= {Relation.EQUAL}


def test_what_was_stated_weakly_may_be_deduced_strictly():
    vectors = exact({2: (0, 3, 3), 3: (0, 3, 3), 4: (1, 3, 2), 6: (3, 3, 0)})
    stated = [Statement(4, 2, Relation.WEAK), Statement(6, 3)]  # the second says that the first counts for more
    assert (4, 2) in {(s.better, s.worse) for s in deduce("linear", vectors, (), stated)}


@pytest.mark.parametrize("assume", ["linear", "additive"])
@pytest.mark.parametrize("seed", range(4))
def test_the_answers_behind_what_is_deduced_suffice_for_it_and_none_is_to_spare(seed, assume):
    found, _ = history(seed, answers=5, assume=assume)
    for s in found.deduced:
        behind = [one for one in found.stated if one.request in found.answers_behind([s])]
        assert s in found.deduced_from(behind)
        assert all(s not in found.deduced_from([one for one in behind if one is not left]) for left in behind)
    assert set(found.deduced_from(found.stated)) == set(found.deduced)
    assert found.deduced_from([]) == []


def test_only_answers_are_named_as_what_a_proof_needs(run_of):
    path, _, _ = run_of("linear")
    why = Why(read(path))
    assert why.history.deduced
    needed = why.this().needed
    assert needed.answers == len(why.history.stated)
    assert {s.source for s in (*needed.core, *needed.enough)} == {Source.OPERATOR}
