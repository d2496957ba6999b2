"""Beliefs: what is recommended is in the family, ties go to the simplest, and unasked the score decides."""

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.asks import Evaluate, Measured
from elicit.decide import beliefs as believing
from elicit.decide.beliefs import Beliefs, best_by_score
from elicit.decide.elicitation import Elicitation
from elicit.decide.plausible import LEAST_ANSWERS
from elicit.decide.settings import Settings
from elicit.events import Answer, Assumed, Criterion, Evaluated, Failed, Preferred, Settled
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import History
from elicit.subsets import Attributes, Family
from elicit.utility import exact, regret
from elicit.utility.exact import ExactSet
from elicit.utility.prices import PriceProgram


def knowing(scores, *answers, family=None, carried=(), **choices):
    """Beliefs where these subsets have these scores, after answers that prefer the first of two, here or before."""
    facts = [Assumed(200 + k, a, b, "strict", "prior") for k, (a, b) in enumerate(carried)]
    facts += [Evaluated(k, m, (score, float(m.bit_count()))) for k, (m, score) in enumerate(scores.items())]
    facts += [Preferred(100 + k, a, b, Answer.FIRST) for k, (a, b) in enumerate(answers)]
    history = History(Attributes.numbered(4), facts=facts)
    return Beliefs(history, Family(4) if family is None else family, Settings(**choices))


@pytest.mark.parametrize("choices", [{}, {"questions": 0}, {"recommend": "regret"}, {"parsimony": "exact"}])
def test_what_was_measured_outside_the_family_is_neither_recommended_nor_in_the_way(choices):
    family = Family(4, keep=0b10, drop=0b1000)
    beliefs = knowing({0b1: 0.9, 0b1010: 0.8, 0b10: 0.3, 0b110: 0.2}, family=family, **choices)
    assert beliefs.incumbent == beliefs.favourite == 0b10
    assert beliefs.candidates == [0b10]
    nothing = knowing({0b1: 0.9}, family=family, **choices)
    assert nothing.incumbent is nothing.incumbent_regret is None


def test_of_those_liked_alike_or_scored_alike_the_simplest_comes_first():
    nothing_said = knowing({0b111: 0.5, 0b1000: 0.2, 0b11: 0.3, 0b100: 0.2})  # none dominates another
    assert nothing_said.by_liking([0b111, 0b1000, 0b11, 0b100]) == [0b100, 0b1000, 0b11, 0b111]
    assert nothing_said.liked_best([0b111, 0b1000, 0b100]) == 0b100
    alike = knowing({0b111: 0.5, 0b1000: 0.5, 0b100: 0.5, 0b1: 0.4}).history
    assert best_by_score(alike, [0b111, 0b1000, 0b100, 0b1]) == 0b100
    assert best_by_score(alike, []) is None


@pytest.mark.parametrize("seed", range(20))
def test_attributes_of_which_nothing_was_said_are_no_reason_to_like_a_subset_more(seed):
    """Each of two was measured with and without a third attribute, which by the least norm is worth nothing."""
    rng = np.random.default_rng(seed)
    a, b, c = (1 << int(i) for i in rng.permutation(4)[:3])
    low, high, more = sorted(rng.uniform(0.5, 0.9, size=3).tolist())
    beliefs = knowing({a: high, b: low, a | c: high + 0.05 + more / 100, b | c: low + 0.05 + more / 100})
    assert beliefs.liked_best([a, a | c]) == beliefs.liked_best([a | c, a]) == a
    assert beliefs.by_liking([b | c, a | c, b, a]) == [a, a | c, b, b | c]
    assert beliefs.favourite == a


def test_who_goes_by_regret_where_no_utility_fits_recommends_the_simplest_of_those_liked_best():
    names, (a, b, d, e, ac, bc) = ("p", "q", "r"), (1, 2, 8, 16, 5, 6)
    scores = {a: (2, 0, 0), b: (1, 0, 0), ac: (0, 2, 0), bc: (0, 1, 0), d: (0, 0, 2), e: (0, 0, 1)}
    facts = [Evaluated(k, m, tuple(map(float, values))) for k, (m, values) in enumerate(scores.items())]
    history = History(Attributes.numbered(5), [Criterion(name) for name in names])
    for fact in (*facts, Preferred(9, e, d, Answer.FIRST)):  # against what was measured
        history.record(fact)
    beliefs = Beliefs(history, Family(5), Settings(parsimony="exact", recommend="regret"))
    assert beliefs.conflict is not None
    assert beliefs.incumbent == a


#: Subsets of five attributes with three criteria: {1} is better than {2}, {1, 3} and {2, 3} are not ordered.
UNORDERED = {0b1: (2, 0, 0), 0b10: (1, 0, 0), 0b101: (0, 2, 0), 0b110: (0, 0, 2)}

#: {4} is better than {5}, and {3, 5} than {3, 4}: no utility of single attributes says so.
CONTRADICTING = {0b1000: (0, 1, 0), 0b10000: (0, 0, 0), 0b10100: (-1, -1, 5), 0b1100: (-2, -1, 5)}


@pytest.mark.parametrize("measured", [UNORDERED, UNORDERED | CONTRADICTING])
@pytest.mark.parametrize("longest", [1, 2])
def test_nobody_is_asked_to_settle_what_no_answer_settles_or_nobody_can_judge(monkeypatch, measured, longest):
    monkeypatch.setattr(believing, "LONGEST_SHORTENED", longest)
    history = History(Attributes.numbered(5), [Criterion(name) for name in "pqr"])
    for k, (mask, values) in enumerate(measured.items()):
        history.record(Evaluated(k, mask, tuple(map(float, values))))
    history.record(Preferred(9, 0b110, 0b101, Answer.FIRST))
    beliefs = Beliefs(history, Family(5), Settings(parsimony="exact", degree=1))
    assert beliefs.conflict is not None
    told = [(s.better, s.worse) for s in beliefs.conflict_of_answers]
    assert sorted(told) == ([(0b1, 0b10), (0b110, 0b101)] if longest == 2 and measured is UNORDERED else [])


@pytest.mark.parametrize("source", ["prior", "operator"])
def test_what_is_assumed_against_what_was_measured_is_settled_by_no_answer(source):
    history = History(Attributes.numbered(5), [Criterion(name) for name in "pqr"])
    history.record(Assumed(0, 0b110, 0b101, "strict", source))
    for k, (mask, values) in enumerate(UNORDERED.items(), start=1):
        history.record(Evaluated(k, mask, tuple(map(float, values))))
    history.record(Preferred(9, 0b110, 0b101, Answer.FIRST))
    beliefs = Beliefs(history, Family(5), Settings(parsimony="exact", degree=1))
    assert beliefs.conflict is not None
    assert beliefs.conflict_of_answers == ()


@pytest.mark.parametrize("seed", [10, 478])
def test_answers_that_contradict_each_other_are_told_whatever_was_measured_beside_them(seed):
    """Beside so much that is measured the first conflict found is long; of what fits, fractions may come to no end."""
    rng, n = np.random.default_rng(seed), 8
    a, b, c, d = (1 << int(i) for i in rng.permutation(n)[:4])
    answered = [(a | c | d, b | c | d), (b | c, a | c), (b | d, a | d), (a, b)]
    apart = {x for pair in answered for x in pair}  # ordered with nothing by what is measured
    measured = rng.choice([x for x in range(1, 1 << n) if x not in apart], 60, replace=False).tolist()
    single, pairs = rng.normal(size=n), np.triu(rng.normal(size=(n, n)) / 2, 1)
    history = History(Attributes.numbered(n), [Criterion("p"), Criterion("q")])
    for x in measured:
        inside = np.array([x >> i & 1 for i in range(n)])
        score = float(inside @ single + inside @ pairs @ inside)
        history.record(Evaluated(len(history.evaluated), x, (score, float(rng.random()))))
    for x in apart:
        history.record(Evaluated(len(history.evaluated), x, (1000.0 + x, -1000.0 - x)))
    for k, pair in enumerate(answered):
        history.record(Preferred(100 + k, *pair, Answer.FIRST))
    beliefs = Beliefs(history, Family(n), Settings(parsimony="exact"))
    assert sorted((s.better, s.worse) for s in beliefs.conflict_of_answers) == sorted(answered)


def test_what_would_be_begins_where_what_is_ended(monkeypatch):
    begun = []

    class Noting(PriceProgram):
        def __init__(self, costs, warm_start, method, *, free=False):
            begun.append(warm_start is not None)
            super().__init__(costs, warm_start, method, free=free)

    beliefs = knowing({0b1: 0.5, 0b11: 0.7, 0b111: 0.9, 0b110: 0.3}, (0b11, 0b111))
    more = Preferred(200, 0b1, 0b111, Answer.FIRST)
    plain = Beliefs(beliefs.history.alike([*beliefs.history.facts, more]), beliefs.family, beliefs.settings)
    wanted = plain.utilities.least_cost
    monkeypatch.setattr("elicit.utility.parsimony.PriceProgram", Noting)
    monkeypatch.setattr(believing, "MOST_COMPARED", 2)  # four are very many
    after = [beliefs.with_facts([*beliefs.history.facts, more]), beliefs.with_answer(replace(more, request=100))]
    assert begun[:1] == [False]
    del begun[:]
    assert after[0].utilities.least_cost == pytest.approx(wanted)
    assert after[1].utilities.least_cost > 0
    assert begun == [True, True]


def test_where_nobody_is_asked_the_score_decides_among_what_no_answer_of_before_puts_below_another():
    scores = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9}
    assert knowing(scores, questions=0).incumbent == 0b111
    said = knowing(scores, (0b1, 0b111), (0b1, 0b11), questions=0)
    assert said.incumbent == 0b1


def test_answers_in_a_circle_leave_something_to_recommend():
    scores = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9}
    circle = ((0b1, 0b11), (0b11, 0b111), (0b111, 0b1))
    for choices in ({}, {"recommend": "regret"}, {"parsimony": "exact"}, {"parsimony": "exact", "recommend": "regret"}):
        beliefs = knowing(scores, *circle, **choices)
        assert beliefs.incumbent in scores
        assert beliefs.incumbent_regret.subset == beliefs.incumbent


@pytest.mark.parametrize("choices", [{"doubt": 1.0}, {"parsimony": "exact"}])
def test_where_all_are_below_another_the_answers_outside_the_circle_still_count(choices):
    scores = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9, 0b1111: 0.95}
    beliefs = knowing(scores, (0b1, 0b11), (0b11, 0b111), (0b111, 0b1), (0b1, 0b1111), **choices)
    assert beliefs.candidates == [0b1, 0b11, 0b111]


def test_a_recommendation_outside_the_stated_part_of_the_family_is_not_said_to_be_proven_in_it():
    large = knowing({0b1: 0.5, 0b111: 0.9}, (0b111, 0b1), scope="size:2")
    assert large.incumbent == 0b111
    assert large.scope_regret is None
    assert not large.proven_optimal


@pytest.mark.parametrize("choices", [{}, {"questions": 0}, {"recommend": "regret"}, {"parsimony": "exact"}])
def test_what_carried_answers_put_below_by_way_of_one_that_was_not_measured_is_not_recommended(choices):
    scores = {0b1: 0.5, 0b110: 0.7, 0b111: 0.75, 0b1111: 0.8}
    chain = ((0b1, 0b1000), (0b1000, 0b110))  # {a4} was measured in another run
    beliefs = knowing(scores, carried=chain, **choices)
    assert beliefs.candidates == [0b1, 0b111, 0b1111]
    assert beliefs.incumbent != 0b110
    assert knowing(scores, carried=chain[1:], **choices).candidates == [*scores]


@pytest.mark.parametrize("parsimony", [0.1, "exact"])
def test_before_anything_is_said_no_regret_is_known(parsimony):
    beliefs = knowing({0b1: 0.5, 0b11: 0.7, 0b111: 0.9}, parsimony=parsimony)  # none dominates another
    assert not beliefs.decides
    assert beliefs.incumbent_regret.value == float("inf")
    assert not beliefs.proven_optimal


def test_answers_of_before_count_though_nobody_is_asked_any_more():
    scores = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9, 0b1111: 0.95}
    small = ((0b1, 0b111), (0b1, 0b1111), (0b11, 0b1111))  # and of {a1} and {a1, a2} nothing
    beliefs = knowing(scores, *small, questions=0)
    assert beliefs.candidates == [0b1, 0b11]
    assert best_by_score(beliefs.history, beliefs.candidates) == 0b11
    assert beliefs.incumbent == beliefs.plausible.by_worth(beliefs.candidates)[0] == 0b1


def test_of_the_best_scores_one_that_another_dominates_is_not_recommended():
    criteria = (Criterion("score"), Criterion("cost", maximise=False))
    facts = [Evaluated(0, 0b1, (0.9, 5.0)), Evaluated(1, 0b110, (0.9, 3.0))]  # fewer attributes, but dearer
    beliefs = Beliefs(History(Attributes.numbered(4), criteria, facts=facts), Family(4), Settings(questions=0))
    assert best_by_score(beliefs.history, beliefs.evaluated) == 0b1
    assert beliefs.incumbent == 0b110


def test_who_calls_two_equal_and_prefers_one_has_called_nothing_equal():
    facts = [Evaluated(k, m, (score, float(m.bit_count()))) for k, m, score in ((0, 0b1, 0.5), (1, 0b110, 0.9))]
    facts += [Preferred(2, 0b110, 0b1, Answer.EQUAL)]
    of = {"attributes": Attributes.numbered(4)}
    equal = Beliefs(History(of["attributes"], facts=facts), Family(4), Settings())
    facts += [Preferred(3, 0b110, 0b1, Answer.FIRST)]
    against = Beliefs(History(of["attributes"], facts=facts), Family(4), Settings())
    assert equal.incumbent == 0b1, "of those equal the simplest"
    assert against.candidates == [0b1, 0b110]
    assert against.incumbent == 0b110


SCORES = {0b1: 0.5, 0b11: 0.6, 0b111: 0.7, 0b1111: 0.95}  # none dominates another


def calling_equal(scores, *pairs, answers=(), **choices):
    """Beliefs after answers that prefer the first of two, and then these pairs called equal."""
    beliefs = knowing(scores, *answers, **choices)
    for k, (a, b) in enumerate(pairs):
        beliefs.history.record(Preferred(150 + k, a, b, Answer.EQUAL))
    return Beliefs(beliefs.history, beliefs.family, beliefs.settings)


@pytest.mark.parametrize("pair", [(0b111, 0b1111), (0b1111, 0b111)])
def test_of_those_called_equal_to_the_one_worth_most_the_simplest_that_may_be_chosen_is_recommended(pair):
    beliefs = calling_equal(SCORES, pair, answers=[(0b1111, 0b1), (0b1111, 0b11)])
    assert beliefs.plausible.by_worth(beliefs.candidates)[0] == 0b1111
    assert beliefs.incumbent == 0b111
    without = calling_equal(SCORES, pair, (0b11, 0b1111), family=Family(4, keep=0b100))
    assert without.candidates == [0b111, 0b1111]
    assert without.incumbent == 0b111, "{a1, a2} is called equal to it, and may not be chosen"


def test_what_is_called_equal_to_one_that_is_below_another_is_below_that_one_too():
    beliefs = calling_equal(SCORES, (0b11, 0b1), answers=[(0b111, 0b11)])
    assert beliefs.candidates == [0b111, 0b1111]


def test_where_an_answer_is_doubted_what_is_dominated_is_still_not_recommended_though_it_is_called_equal():
    scores = {**SCORES, 0b110: 0.55}  # which {a1, a2} dominates
    fits, slip = ((0b1111, 0b1), (0b1111, 0b11), (0b111, 0b1)), (0b111, 0b1111)
    beliefs = calling_equal(scores, (0b110, 0b11), answers=(*fits, slip))
    assert [(s.better, s.worse) for s in beliefs.doubted] == [slip]
    assert beliefs.candidates == [0b111, 0b1111]
    meant = calling_equal(scores, (0b110, 0b11), answers=[slip])
    assert meant.candidates == [0b1, 0b11, 0b111]


scored = st.lists(st.integers(0, 20).map(lambda s: s / 20), min_size=4, max_size=9)


@given(scored, st.data(), st.sampled_from([0.3, 0.5]))
def test_an_answer_that_is_likely_to_be_wrong_and_was_given_once_keeps_nothing_from_being_recommended(
    scores, data, doubt
):
    subsets = range(1, len(scores) + 1)
    pairs = st.tuples(st.sampled_from(subsets), st.sampled_from(subsets)).filter(lambda pair: pair[0] != pair[1])
    answers = data.draw(st.lists(pairs, max_size=6))
    beliefs = knowing(dict(zip(subsets, scores, strict=True)), *answers, doubt=doubt)
    history, crowd = beliefs.history, beliefs.plausible
    place = {x: k for k, x in enumerate(crowd.subsets)}
    likely = {
        (a, b): float(crowd.weights @ (crowd.values[:, place[b]] > crowd.values[:, place[a]])) for a, b in answers
    }
    doubted = {pair for pair in answers if likely[pair] >= doubt - 1e-6 and answers.count(pair) == 1}
    found = {(s.better, s.worse) for s in beliefs.doubted}
    assert found <= doubted
    if len(answers) >= LEAST_ANSWERS:
        assert {pair for pair in doubted if likely[pair] > doubt + 1e-6} <= found
    else:
        assert not found
    said = [pair for pair in answers if pair not in found]
    edges = {*said, *((a, b) for a, below in history.dominates.items() for b in below)}
    while more := {(a, d) for a, b in edges for c, d in edges if b == c} - edges:
        edges |= more
    if not any(above == below for above, below in edges):  # answers in a circle cancel out
        assert beliefs.candidates == [x for x in subsets if not any(below == x for _, below in edges)]
    for choices in ({"doubt": 1.0}, {"parsimony": "exact"}, {"recommend": "regret"}, {"policy": "current"}):
        assert not knowing(dict(zip(subsets, scores, strict=True)), *answers, **choices).doubted


def test_a_slip_about_the_best_does_not_cost_it_and_twice_the_same_is_no_slip():
    """Who weighs the score most slips when asked about the best."""
    scores = {0b1: 0.5, 0b11: 0.6, 0b111: 0.7, 0b1111: 0.95}
    fits = ((0b1111, 0b1), (0b1111, 0b11), (0b111, 0b1))
    slip = (0b111, 0b1111)
    believed, taken = knowing(scores, *fits, slip), knowing(scores, *fits, slip, doubt=1.0)
    assert [(s.better, s.worse) for s in believed.doubted] == [slip]
    assert believed.doubted_against(0b1111) == [0b111]
    assert (believed.incumbent, taken.incumbent) == (0b1111, 0b111)
    twice = knowing(scores, *fits, slip, slip)
    assert not twice.doubted
    assert twice.incumbent == 0b111
    meant = believed.with_answer(believed.history.answers[103])
    assert (meant.doubted, meant.incumbent) == ((), 0b111)


def test_of_three_answers_one_may_be_doubted_and_as_much_as_is_needed_is_enough():
    scores = {0b1: 0.5, 0b11: 0.6, 0b111: 0.7, 0b1111: 0.95}
    fits, slip = ((0b1111, 0b1), (0b1111, 0b11)), (0b111, 0b1111)
    assert LEAST_ANSWERS == 3
    assert [(s.better, s.worse) for s in knowing(scores, *fits, slip).doubted] == [slip]
    doubt = round(float(knowing(scores, *fits, slip).plausible.against([slip])[0]), 9)
    assert knowing(scores, *fits, slip, doubt=doubt).doubted
    assert not knowing(scores, *fits, slip, doubt=doubt + 1e-8).doubted


def test_that_two_are_equal_is_not_doubted_nor_makes_a_preference_given_twice():
    scores = {0b1: 0.5, 0b11: 0.6, 0b111: 0.7, 0b1111: 0.95}
    fits, slip = ((0b1111, 0b1), (0b1111, 0b11), (0b111, 0b1)), (0b111, 0b1111)
    equal = Preferred(200, *slip, Answer.EQUAL)
    for said, doubted in ((fits, []), ((*fits, slip), [slip])):
        history = knowing(scores, *said).history
        history.record(equal)
        beliefs = Beliefs(history, Family(4), Settings())
        assert beliefs.plausible.against([slip])[0] > Settings().doubt
        assert [(s.better, s.worse) for s in beliefs.doubted] == doubted


def test_what_was_assumed_is_no_answer_and_is_not_doubted():
    scores = {0b1: 0.5, 0b11: 0.6, 0b111: 0.7, 0b1111: 0.95}
    facts = [Evaluated(k, m, (score, float(m.bit_count()))) for k, (m, score) in enumerate(scores.items())]
    facts += [Preferred(100 + k, 0b1111, x, Answer.FIRST) for k, x in enumerate((0b1, 0b11))]
    facts += [Assumed(200, 0b111, 0b1111, "strict", "operator"), Assumed(201, 0b100, 0b1000, "strict", "operator")]
    beliefs = Beliefs(History(Attributes.numbered(4), facts=facts), Family(4), Settings())
    assert (beliefs.doubted, beliefs.incumbent) == ((), 0b111)


def test_what_exact_arithmetic_does_not_confirm_is_not_proven(monkeypatch):
    scores, said = {0b1: 0.9, 0b10: 0.5}, {"scope": "size:1", "parsimony": "exact", "questions": 0}
    assert knowing(scores, family=Family(2), **said).proven_optimal
    monkeypatch.setattr(believing, "certify_found", lambda *_: None)
    beliefs = knowing(scores, family=Family(2), **said)
    assert beliefs.scope_regret.optimal
    assert not beliefs.proven_optimal


def test_what_is_measured_is_proven_no_better_where_exact_arithmetic_agrees_and_only_there(monkeypatch):
    above = {0b1: 0.9, 0b10: 0.5}
    assert knowing(above, parsimony="exact", questions=0).proven_among_evaluated
    assert not knowing({**above, 0b11: 0.95}, recommend="regret", questions=0).proven_among_evaluated, "one may gain"
    assert not knowing({0b1: 0.9}).proven_among_evaluated, "nothing is stated, so nothing is decided"
    assert not knowing({}).proven_among_evaluated
    monkeypatch.setattr(believing, "certify_best_among", lambda *_: None)
    assert not knowing(above, parsimony="exact", questions=0).proven_among_evaluated


@pytest.mark.parametrize("theta", ["max-margin", "L1", "mean"])
def test_where_answers_leave_no_utility_the_least_norm_ranks_whatever_theta_was_set(theta):
    scores, circle = {0b1: 0.5, 0b11: 0.7, 0b111: 0.9, 0b110: 0.8}, ((0b1, 0b11), (0b11, 0b111), (0b111, 0b1))
    ranked = [
        knowing(scores, *circle, (0b110, 0b1), theta=name, parsimony="exact").theta.values([*scores])
        for name in ("L2", theta)
    ]
    assert np.ptp(ranked[0]) > 0
    assert ranked[1] == pytest.approx(ranked[0])


def test_margins_widen_what_theta_sets_apart_by_how_certain_it_is():
    clear, unclear = (0.9, 0.9, 0.91), (0.6, 0.1, 0.6)
    scores = {0b11: (0.95, 0.94, 0.96), 0b111: clear, 0b100: unclear, 0b110: (0.4, 0.3, 0.2)}
    facts = [
        Evaluated(k, m, (float(np.mean(row)), float(m.bit_count())), (row, ()))
        for k, (m, row) in enumerate(scores.items())
    ]
    facts.append(Preferred(100, 0b100, 0b11, Answer.FIRST))
    history = History(Attributes.numbered(4), facts=facts)
    values = {}
    for ratio in (0.1, 1.0):
        theta = Beliefs(history, Family(4), Settings(margins=3.0, noise_ratio=ratio)).theta
        certain = history.certainties(Noise(ratio=ratio))
        assert 0 < certain[[(s.better, s.worse) for s in history.statements].index((0b100, 0b110))] < 0.95
        margins = 1 + 3 * certain
        assert margins[-1] == 4, "an answer is certain"
        gained = [theta(s.better) - theta(s.worse) for s in history.statements]
        assert (gained >= margins - 1e-3).all()
        assert (gained - margins).min() <= 1e-3, "and no further than one of them asks for"
        values[ratio] = theta.values([*scores]).tolist()
    assert values[0.1] != values[1.0]


def test_the_share_of_the_budget_that_was_spent_counts_failures_and_ends_at_1():
    facts = [Evaluated(0, 1, (0.5, 1.0)), Failed(1, 2, "singular")]
    history = History(Attributes.numbered(4), facts=facts)
    assert [Beliefs(history, Family(4), Settings(budget=b)).spent for b in (8, 2, 1)] == [0.25, 1.0, 1.0]


def test_the_last_digits_of_a_liking_are_nothing():
    beliefs = knowing({0b111: 0.5, 0b1: 0.2})
    beliefs.theta = SimpleNamespace(values=lambda among: np.array([1 + 1e-12 * m for m in among]))
    assert beliefs.by_liking([0b111, 0b1]) == [0b1, 0b111]
    assert beliefs.liked_best([0b111, 0b1]) == 0b1


def contradicted(rng, answers):
    """Answers at random on six subsets of which none dominates another; some that contradict each other are settled."""
    masks = [0b1, 0b10, 0b100, 0b110, 0b101, 0b011]
    facts = [Evaluated(k, x, (float(k), -float(k))) for k, x in enumerate(masks)]
    for k in range(answers):
        facts.append(Preferred(100 + k, *(masks[i] for i in rng.permutation(6)[:2]), Answer.FIRST))
    history = History(Attributes.numbered(3), [Criterion("p"), Criterion("q")], facts=facts)
    inconsistent = [
        set(c) for k in range(answers + 1) for c in combinations(history.answers, k) if impossible(history, c)
    ]
    least = [c for c in inconsistent if not any(other < c for other in inconsistent)]
    for conflict in least[: int(rng.integers(len(least) + 1))]:
        history.record(Settled(200, tuple(sorted(conflict))))
    return Beliefs(history, Family(3), Settings(parsimony="exact", degree=1)), least


def impossible(history, requests):
    """Whether these answers alone contradict each other."""
    said = [s for s in history.stated if s.request in requests]
    return not ExactSet(3, history.subsets, said, degree=1).consistent


def test_contradictions_that_were_let_stand_are_alone_just_when_no_other_is_there():
    rng, found = np.random.default_rng(2), []
    for _ in range(60):
        beliefs, least = contradicted(rng, answers=6)
        settled = [set(group) for group in beliefs.history.settled]
        found.append(beliefs.settled_alone)
        assert found[-1] == (bool(settled) and all(c in settled for c in least))
    assert 10 < sum(found) < 50


def test_a_contradiction_that_was_let_stand_is_not_searched_again_at_each_evaluation(monkeypatch):
    run = Elicitation(Attributes.numbered(4), [Criterion("p"), Criterion("q")], Settings(parsimony="exact", budget=12))
    while len(run.history.evaluated) < 6:
        run.tell(run.ask().id, reply_to(run.ask()))
    one, other = run.history.subsets[:2]
    run.adopt([Preferred(500, one, other, Answer.FIRST), Preferred(501, other, one, Answer.FIRST)])
    assert run.unsettled == (500, 501)
    run.adopt([Settled(502, (500, 501))])
    monkeypatch.setattr(exact, "contradiction_in", lambda *_: pytest.fail("searched again"))
    assert run.unsettled == ()
    while len(run.history.evaluated) < 9:
        run.tell(run.ask().id, reply_to(run.ask()))


def reply_to(request):
    """Measurements of which none dominates another; nothing can be compared."""
    if isinstance(request, Evaluate):
        return Measured((float(request.subset), -float(request.subset)))
    return Answer.INCOMPARABLE


def test_other_answers_are_looked_at_without_the_regret_of_what_is_recommended(monkeypatch):
    """With a thousand measured it takes a program for each; the one that the others begin with is enough."""
    monkeypatch.setattr(believing, "MOST_COMPARED", 2, raising=False)
    monkeypatch.setattr(regret, "MOST_COMPARED", 2)
    beliefs = knowing({0b111: 0.5, 0b1000: 0.2, 0b11: 0.3}, (0b11, 0b111))
    beliefs.with_answer(Preferred(100, 0b11, 0b111, Answer.SECOND))
    assert "_prices" in vars(beliefs.utilities)
    assert "_forms" not in vars(beliefs.utilities)
