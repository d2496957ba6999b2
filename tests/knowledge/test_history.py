"""Facts folded into what is known, and wrong facts refused without a trace.

The rule: a state is compared whole, before and after; what dominance should say comes from the judge.
"""

import copy

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.errors import InputError
from elicit.events import (
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Failed,
    Preferred,
    Retracted,
    Settled,
    Stopped,
)
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import _VIEWS, History, Rejection
from elicit.knowledge.statements import WEIGHTS, Relation, Source, Statement
from elicit.subsets import Attributes, Family

FOUR = Attributes.numbered(4)
DIRECTIONS = (1, -1)  # of score and size


def evaluated(subset, score, request=0, **more):
    return Evaluated(request, subset, (score, float(subset.bit_count())), **more)


#: 1 dominates 2 and 3, and 2 dominates 3; 4 failed, 8 was rejected; 3 was found better than 1.
SCORES = {1: 0.9, 2: 0.8, 3: 0.7}
FACTS = (
    *(evaluated(subset, score, request) for request, (subset, score) in enumerate(SCORES.items(), start=1)),
    Failed(4, 4, "singular"),
    Asked(5, rejected=((8, 0.3),)),
    Preferred(6, 3, 1, Answer.FIRST),
    Assumed(7, 5, 3, "weak", "prior"),
)


def told(*facts, **settings):
    history = History(FOUR, **settings)
    for fact in facts:
        history.record(fact)
    return history


def state(history):
    """Everything that is known, views included."""
    kept = {k: copy.copy(v) for k, v in vars(history).items() if k not in _VIEWS}
    vectors = history.vectors.tolist()
    return kept, vectors, history.statements, history.front, history.dominates, history.contradiction


# How finely


@pytest.mark.parametrize(
    ("scores", "fine"),
    [
        ((1e-10, 3e-10, 2e-10), True),
        ((1e-8, 3e-7, 2e-8), True),
        ((-2.0, -2.0 + 1e-8, -2.0), True),
        ((0.1, 0.2, 0.3), False),
        ((1e-5, 3e-5, 2e-5), False),
        ((0.3, 0.3, 0.3), False),
        ((0.1 + 0.2, 0.3, 0.3), False),  # apart by rounding alone
    ],
)
def test_numbers_that_the_grid_tells_apart_badly_are_named(scores, fine):
    facts = [evaluated(1 << k, score, k) for k, score in enumerate(scores)]
    assert told(*facts).too_fine == (("score",) if fine else ())
    assert told().too_fine == ()


# Folding


def test_each_fact_finds_its_place():
    history = told(*FACTS, Settled(8, (6,)), Stopped(9, "budget"))
    assert history.facts == [*FACTS, Settled(8, (6,)), Stopped(9, "budget")]
    assert history.subsets == (1, 2, 3)
    assert set(history.failed) == {4}
    assert history.failed[4].reason == "singular"
    assert history.rejected[8].price == 0.3
    assert set(history.answers) == {6}
    assert set(history.assumed) == {7}
    assert history.settled == {(6,)}
    assert history.stopped == Stopped(9, "budget")
    assert history.front == (1,)
    assert history.dominates == {1: {2, 3}, 2: {3}, 3: frozenset()}
    assert state(History(FOUR, facts=history.facts)) == state(history)


@given(judge.instance_strategy())
def test_dominance_among_the_evaluated_is_what_the_judge_says(instance):
    facts = [Evaluated(r, subset, tuple(vector)) for r, (subset, vector) in enumerate(instance.criteria.items())]
    history = History(Attributes.numbered(instance.n), facts=facts)
    expected = judge.dominance_statements(instance.criteria, instance.directions)
    assert sorted((s.better, s.worse, s.relation.value, s.weight) for s in history.dominance) == expected
    assert {s.source for s in history.dominance} <= {Source.DOMINANCE}
    pairs = judge.dominance_pairs(instance.criteria, instance.directions)
    assert {(x, y) for x, below in history.dominates.items() for y in below} == pairs
    assert history.front == tuple(
        x for x in instance.criteria if not judge.dominated(x, instance.criteria, instance.directions)
    )
    assert history.contradiction == ()


@given(st.permutations(list(SCORES)))
def test_what_dominance_says_does_not_depend_on_the_order_of_evaluation(order):
    history = told(*(evaluated(subset, SCORES[subset]) for subset in order))
    assert history.subsets == tuple(order)
    assert {(s.better, s.worse) for s in history.dominance} == {(1, 2), (2, 3)}


def test_criteria_have_directions_and_the_default_are_score_and_size():
    cost = (Criterion("cost", maximise=False),)
    history = told(Evaluated(1, 1, (5.0,)), Evaluated(2, 2, (3.0,)), criteria=cost)
    assert [(s.better, s.worse) for s in history.dominance] == [(2, 1)]
    assert [c.name for c in told().criteria] == ["score", "size"]
    with pytest.raises(InputError, match="at least one criterion"):
        History(FOUR, ())


def test_equal_vectors_record_nothing():
    history = told(evaluated(1, 0.5), evaluated(2, 0.5 + 1e-12))
    assert history.dominance == ()
    assert history.front == (1, 2)
    assert history.same_criteria(1, 2)
    assert not told(*FACTS).same_criteria(1, 2)


# Statements


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        pytest.param(Answer.FIRST, (3, 1, Relation.STRICT), id="the first"),
        pytest.param(Answer.SECOND, (1, 3, Relation.STRICT), id="the second"),
        pytest.param(Answer.EQUAL, (3, 1, Relation.EQUAL), id="equal"),
        pytest.param(Answer.INCOMPARABLE, None, id="cannot compare"),
        pytest.param(Answer.LATER, None, id="later"),
    ],
)
def test_an_answer_states_what_it_means(answer, said):
    history = told(*FACTS[:3], Preferred(6, 3, 1, answer))
    expected = () if said is None else (Statement(*said, Source.OPERATOR, WEIGHTS[Source.OPERATOR], 6),)
    assert history.stated == expected
    assert history.statements == history.dominance + expected


def test_each_statement_carries_its_source_weight_and_request(monkeypatch):
    for source, weight in zip(Source, (0.5, 7.0, 2.0, 1.5), strict=True):
        monkeypatch.setitem(WEIGHTS, source, weight)
    history = told(*FACTS, Assumed(8, 9, 1, "equal", "operator"))
    assert {s.weight for s in history.dominance} == {0.5}
    assert {s.request for s in history.dominance} == {None}
    assert history.stated == (
        Statement(3, 1, Relation.STRICT, Source.OPERATOR, 7.0, 6),
        Statement(5, 3, Relation.WEAK, Source.PRIOR, 2.0, 7),
        Statement(9, 1, Relation.EQUAL, Source.OPERATOR, 7.0, 8),
    )


def test_what_is_stated_stands_in_the_order_in_which_it_was_said():
    history = told(*FACTS[:3], Assumed(5, 5, 3, "weak", "prior"), Preferred(6, 2, 1, Answer.FIRST))
    assert [s.request for s in history.stated] == [5, 6]


def test_a_retraction_takes_back_an_answer_or_an_assumption_and_leaves_the_fact():
    history = told(*FACTS)
    assert {s.request for s in history.contradiction} == {6, None}
    history.record(Retracted(8, 6))
    assert [s.request for s in history.stated] == [7]
    assert history.contradiction == ()
    assert 6 in history.answers
    history.record(Retracted(9, 7))
    assert history.stated == ()
    assert history.statements == history.dominance


def test_a_contradiction_names_the_answer_and_the_dominance_against_it():
    history = told(*FACTS)
    assert {(s.better, s.worse, s.source) for s in history.contradiction} == {
        (3, 1, Source.OPERATOR),
        (1, 2, Source.DOMINANCE),
        (2, 3, Source.DOMINANCE),
    }


# Views


def test_views_follow_every_fact_and_are_kept_in_between():
    history = told(*FACTS[:2])
    assert history.front == (1,)
    assert history.dominance is history.dominance
    history.record(evaluated(8, 0.99))
    assert history.front == (8,)
    assert {(s.better, s.worse) for s in history.dominance} == {(8, 1), (1, 2)}
    assert len(history.vectors) == len(history.dominates) == 3
    assert history.same_criteria(8, 8)
    measured = history.vectors, history.dominance, history.dominates, history.front
    history.record(Preferred(9, 2, 1, Answer.FIRST))
    assert [s.request for s in history.stated] == [9]
    assert len(history.contradiction) == 2
    history.record(Retracted(10, 9))
    assert history.stated == history.contradiction == ()
    after = history.vectors, history.dominance, history.dominates, history.front
    assert all(a is b for a, b in zip(measured, after, strict=True)), "no answer changes them"


@given(st.permutations(FACTS[4:]), st.lists(st.integers(0, 4), max_size=5))
def test_looking_in_between_changes_nothing(order, looks):
    blind, curious = told(), told()
    for k, fact in enumerate([*FACTS[:4], *order]):
        blind.record(fact)
        curious.record(fact)
        if k in looks:
            state(curious)
    assert state(blind) == state(curious)


# Rejections and rounds


def test_a_rejected_subset_may_still_be_evaluated_and_then_is_no_longer_rejected():
    history = told(*FACTS, evaluated(8, 0.5, 8))
    assert history.rejected == {}
    assert 8 in history.evaluated


def test_a_rejected_subset_that_is_measured_in_vain_is_no_longer_rejected():
    history = told(*FACTS, Failed(8, 8, "singular"))
    assert history.rejected == {}
    assert list(history.failed) == [4, 8]


def test_the_cheapest_rejection_comes_first_and_of_those_alike_the_simplest():
    history = told(*FACTS, Asked(8, rejected=((12, 0.2), (7, 0.3), (5, 0.2))))
    assert history.cheapest_rejected == [5, 12, 8, 7]


def test_a_subset_may_be_rejected_again_at_another_price():
    assert told(*FACTS, Asked(8, rejected=((8, 0.2),))).rejected[8].price == 0.2


def test_a_round_is_kept_with_what_it_passed_over():
    asked = Asked(8, (5, 6), compare=(1, 3), rejected=((7, 0.4),), why="split")
    history = told(*FACTS, asked)
    assert history.rounds[-1] == asked
    assert history.rejected[7] == Rejection(8, 0.4)
    assert list(asked.requests) == [8, 9, 10]


@pytest.mark.parametrize(("folds", "spread"), [((), ()), (((0.4, 0.6), ()), (0.0, None)), (((), ()), (0, 2.5))])
def test_folds_and_spread_may_be_there_or_not(folds, spread):
    history = told(*FACTS, Evaluated(9, 5, (0.5, 2.0), folds, spread))
    assert (history.evaluated[5].folds, history.evaluated[5].spread) == (folds, spread)


def test_an_answer_that_was_taken_back_leaves_its_question_to_be_put_again_unless_a_repair_took_it_back():
    undone = told(*FACTS, Retracted(9, 6))
    assert undone.undone == {6}
    settled = told(*FACTS, Asked(9, reconcile=(6,)), Retracted(9, 6))
    assert settled.retracted == {6}
    assert settled.undone == set()
    assert told(*FACTS, Retracted(9, 7)).undone == set(), "an assumption was no question"


# Wrong facts


WRONG = [
    pytest.param(evaluated(1, 0.9), "measured before", id="evaluated twice"),
    pytest.param(evaluated(4, 0.9), "measured before", id="evaluated after it failed"),
    pytest.param(Evaluated(9, 0, (0.5, 0.0)), "the empty subset", id="evaluated the empty subset"),
    pytest.param(evaluated(16, 0.9), "beyond the 4", id="evaluated a stranger"),
    pytest.param(Evaluated(9, 5, (0.5,)), "expected 2 criteria .* found 1", id="a criterion missing"),
    pytest.param(Evaluated(9, 5, (0.5, 2.0, 1.0)), "expected 2 criteria .* found 3", id="a criterion too many"),
    pytest.param(
        Evaluated(9, 5, (float("nan"), 2.0)), r"'score' of \('a1', 'a3'\) is not a number", id="score not a number"
    ),
    pytest.param(Evaluated(9, 5, ("0.5", 2.0)), "'score' .* is not a number .*, found '0.5'", id="score a text"),
    pytest.param(Evaluated(9, 5, (0.5, float("nan"))), "'size' .* is not a number", id="size not a number"),
    pytest.param(Evaluated(9, 5, (float("-inf"), 2.0)), "'score' .* found -inf", id="score infinite"),
    pytest.param(Evaluated(9, 5, (1e300, 2.0)), r"below 1e\+250", id="score beyond the grid"),
    *(
        pytest.param(Evaluated(9, 5, (0.5, 2.0), folds), "folds of .* are", id=f"folds {folds}")
        for folds in [((0.5,),), ((0.5,), (), ()), ((0.5, float("nan")), ()), ((0.5, "x"), ()), (0.5, 2.0), "ab", 7]
    ),
    *(
        pytest.param(Evaluated(9, 5, (0.5, 2.0), (), spread), "spread of .* is", id=f"spread {spread}")
        for spread in [(0.1,), (-0.1, None), (float("nan"), None), (float("inf"), None), ("x", None), (True, None), 0.1]
    ),
    pytest.param(Failed(9, 1, "late"), "measured before", id="failed after it was evaluated"),
    pytest.param(Failed(9, 4, "again"), "measured before", id="failed twice"),
    pytest.param(Failed(9, 16, "who"), "beyond the 4", id="a stranger failed"),
    pytest.param(Asked(9, rejected=((1, 0.5),)), "measured before", id="rejected after it was evaluated"),
    pytest.param(Asked(9, compare=(1, 1)), "compares a subset with itself", id="asked about one subset"),
    pytest.param(Asked(9, rejected=((4, 0.5),)), "measured before", id="rejected after it failed"),
    pytest.param(Preferred(9, 5, 1, Answer.FIRST), "was not evaluated", id="preferred an unknown first"),
    pytest.param(Preferred(9, 1, 4, Answer.FIRST), "was not evaluated", id="preferred to one that failed"),
    pytest.param(Preferred(9, 1, 1, Answer.EQUAL), "with itself", id="compared with itself"),
    pytest.param(Assumed(9, 1, 1, "strict", "prior"), "against itself", id="assumed against itself"),
    pytest.param(Assumed(9, 0, 1, "strict", "prior"), "the empty subset", id="assumed of the empty subset"),
    pytest.param(Assumed(9, 1, 16, "strict", "prior"), "beyond the 4", id="assumed of a stranger"),
    pytest.param(Assumed(9, 1, 2, "better", "prior"), "'better'", id="assumed an unknown relation"),
    pytest.param(Assumed(9, 1, 2, "strict", "rumour"), "'rumour'", id="assumed from an unknown source"),
    pytest.param(Assumed(9, 1, 2, "strict", "dominance"), "one of operator, prior", id="assumed as if measured"),
    pytest.param(Assumed(9, 1, 2, "strict", "deduced"), "one of operator, prior", id="assumed as if deduced"),
    pytest.param(Retracted(9, 1), "request 1 holds no answer", id="retracted an evaluation"),
    pytest.param(Retracted(9, 77), "request 77 holds no answer", id="retracted nothing"),
    pytest.param(Asked(9, evaluate=(5, 1)), "measured before", id="asked for one evaluated"),
    pytest.param(Asked(9, evaluate=(4,)), "measured before", id="asked for one that failed"),
    pytest.param(Asked(9, compare=(1, 5)), "was not evaluated", id="asked about one not evaluated"),
    pytest.param(Asked(9, (5,), rejected=((6, 0.2), (2, 0.3))), "measured before", id="passed over one evaluated"),
]


@pytest.mark.parametrize(("fact", "complaint"), WRONG)
def test_a_wrong_fact_is_refused_and_changes_nothing(fact, complaint):
    history = told(*FACTS)
    before = state(history)
    with pytest.raises(InputError, match=complaint):
        history.record(fact)
    assert state(history) == before
    history.record(evaluated(5, 0.1, 9))
    assert state(history) == state(told(*FACTS, evaluated(5, 0.1, 9)))


# Noise


def with_folds(subset, scores, request=0):
    mean = float(np.mean(scores))
    return evaluated(subset, mean, request, folds=(tuple(scores), ()), spread=(float(np.std(scores)), None))


def test_noise_removes_a_dominance_that_the_folds_do_not_support_and_keeps_the_others():
    facts = [
        with_folds(1, [0.90, 0.91, 0.92, 0.93], 1),
        with_folds(2, [0.95, 0.80, 0.95, 0.90], 2),  # worse on average, better on two folds of four
        with_folds(4, [0.50, 0.52, 0.53, 0.50], 3),  # worse on every fold by far
    ]
    plain, careful = told(*facts), told(*facts, noise=Noise(0.05))
    assert plain.dominates == {1: {2, 4}, 2: {4}, 4: frozenset()}
    assert careful.dominates == {1: {4}, 2: {4}, 4: frozenset()}
    assert {(s.better, s.worse) for s in plain.dominance} == {(1, 2), (2, 4)}
    assert {(s.better, s.worse) for s in careful.dominance} == {(1, 4), (2, 4)}


@pytest.mark.parametrize("scores", [(), (0.95, 0.80, 0.95)])
def test_noise_is_told_from_the_same_folds_of_every_subset_and_from_nothing_else(scores):
    before, other = with_folds(1, [0.90, 0.91, 0.92, 0.93], 1), evaluated(2, 0.9, 2, folds=(scores, ()))
    with pytest.raises(InputError, match="leave noise_level out" if not scores else r"\[3, 0\] .* before \[4, 0\]"):
        told(before, other, noise=Noise())
    with pytest.raises(InputError, match="noise_level needs fold scores"):
        told(evaluated(2, 0.9, 2), noise=Noise())
    assert told(before, other).dominates == {1: {2}, 2: frozenset()}  # without noise nobody asks for folds


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
def test_a_dominance_is_as_certain_as_its_least_certain_criterion_and_all_else_is_certain(order):
    criteria = (Criterion("score"), Criterion("loss", maximise=False), Criterion("size", maximise=False))
    criteria = tuple(criteria[k] for k in order)
    clear, unclear = (0.9, 0.91, 0.92, 0.93), (0.5, 0.2, 0.4, 0.35)

    def measured(subset, score, loss, request):
        row, folds = (float(np.mean(score)), float(np.mean(loss)), float(subset.bit_count())), (score, loss, ())
        return Evaluated(request, subset, tuple(row[k] for k in order), tuple(folds[k] for k in order))

    a, b = measured(1, clear, unclear, 1), measured(2, (0.8, 0.82, 0.81, 0.83), (0.6, 0.1, 0.6, 0.5), 2)
    history = told(a, b, Preferred(3, 2, 1, Answer.FIRST), criteria=criteria)
    noise = Noise(ratio=0.2)
    score, loss = order.index(0), order.index(1)
    by_loss = noise.certainty(np.subtract(b.folds[loss], a.folds[loss])[None])
    by_score = noise.certainty(np.subtract(a.folds[score], b.folds[score])[None])
    assert by_loss[0] < by_score[0] < 1
    assert [(s.better, s.source.value) for s in history.statements] == [(1, "dominance"), (2, "operator")]
    assert history.certainties(noise).tolist() == [by_loss[0], 1.0]


@pytest.mark.parametrize("folds", [(), ((0.7,) * 3, ())])
def test_where_subsets_lack_folds_or_have_others_a_measurement_is_taken_as_it_is(folds):
    facts = [with_folds(1, [0.90, 0.91, 0.92, 0.93], 1), evaluated(2, 0.7, 2, folds=folds)]
    assert told(*facts).certainties(Noise()).tolist() == [1.0]
    assert told().certainties(Noise()).tolist() == []


def test_folds_count_in_the_direction_of_their_criterion():
    cost = (Criterion("cost", maximise=False),)
    dear, cheap = (5.0, 5.1, 5.2), (1.0, 1.2, 1.1)
    facts = [Evaluated(1, 1, (5.1,), (dear,)), Evaluated(2, 2, (1.1,), (cheap,))]
    history = told(*facts, criteria=cost, noise=Noise())
    assert history.dominates == {1: frozenset(), 2: {1}}


# Scale


def test_ten_thousand_evaluated_subsets_are_reduced():
    attributes = Attributes.numbered(14)
    masks = list(Family(14))[:10_000]
    scores = np.random.default_rng(0).integers(0, 1000, len(masks)) / 1000
    history = History(attributes, facts=[evaluated(m, float(s)) for m, s in zip(masks, scores, strict=True)])
    beaten = {s.worse for s in history.dominance}
    assert history.front == tuple(m for m in masks if m not in beaten)
    best = {}  # the best score of each size: who has it, and beats every smaller size, is on the front
    for mask, score in zip(masks, scores, strict=True):
        best[mask.bit_count()] = max(best.get(mask.bit_count(), 0.0), score)
    record = {k: max((best[j] for j in best if j < k), default=-1.0) for k in best}
    assert set(history.front) == {
        m for m, s in zip(masks, scores, strict=True) if record[m.bit_count()] < s == best[m.bit_count()]
    }
    by_mask = dict(zip(masks, scores, strict=True))
    assert all(
        by_mask[s.better] >= by_mask[s.worse] and s.better.bit_count() <= s.worse.bit_count() for s in history.dominance
    )


def test_the_next_contradiction_is_told_as_soon_as_one_is_settled():
    history = History(
        Attributes.numbered(4), facts=[evaluated(m, s) for m, s in ((1, 0.1), (3, 0.2), (7, 0.3), (15, 0.4))]
    )
    for request, (a, b, answer) in enumerate(
        [(1, 3, Answer.FIRST), (1, 3, Answer.SECOND), (7, 15, Answer.FIRST), (7, 15, Answer.SECOND)], 100
    ):
        history.record(Preferred(request, a, b, answer))
    assert [s.request for s in history.unsettled] == [100, 101]
    history.record(Settled(104, (100, 101)))
    assert [s.request for s in history.unsettled] == [102, 103]


@pytest.mark.parametrize("asked_for", [(), ("dominance", "stated", "contradiction", "front", "unsettled")])
def test_another_answer_makes_what_folding_all_facts_with_it_makes(asked_for):
    answers = [Preferred(9, 1, 3, Answer.SECOND), Preferred(10, 2, 3, Answer.EQUAL)]
    history = History(FOUR, facts=[*FACTS[:-1], *answers, Settled(11, (9,)), Retracted(12, 10)])
    for name in asked_for:
        getattr(history, name)
    before = {name: copy.copy(value) for name, value in vars(history).items() if name not in _VIEWS}
    for put in answers:
        for answer in put.reversed:
            other = history.with_answer(answer)
            anew = History(FOUR, facts=[answer if fact == put else fact for fact in history.facts])
            assert state(other) == state(anew)
            assert other.unsettled == anew.unsettled
            other.record(evaluated(12, 0.1, 20))
    assert {name: value for name, value in vars(history).items() if name not in _VIEWS} == before
