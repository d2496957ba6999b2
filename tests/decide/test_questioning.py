"""Questions: which pair a policy takes first, what is known and never asked, and what is asked again as a check."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from elicit.decide.beliefs import Beliefs
from elicit.decide.plausible import PlausibleOperators
from elicit.decide.questioning import CONTESTED, IMPLIED, LEAST_ANSWERS, MUCH, NEW, ONCE_MORE, TORN, UNLIKELY, Questions
from elicit.decide.settings import Settings
from elicit.events import Answer, Assumed, Evaluated, Failed, Preferred, Resumed, Retracted, Stopped
from elicit.knowledge.dominance import Noise
from elicit.knowledge.history import History
from elicit.knowledge.statements import Source
from elicit.subsets import Attributes, Family, simplest
from elicit.utility.exact import ExactSet
from elicit.utility.regret import Regret
from elicit.utility.sets import difference

N = 5


def questions(vectors, answers, **choices):
    """The questions that may be asked where subset k + 1 measures (score, size), after answers about them."""
    facts = [Evaluated(k, k + 1, (float(score), float(size))) for k, (score, size) in enumerate(vectors)]
    facts += [Preferred(100 + k, a, b, answer) for k, (a, b, answer) in enumerate(answers)]
    history = History(Attributes.numbered(N), facts=facts)
    return Questions(Beliefs(history, Family(N), Settings(**choices))), history


def reachable(history, without=()):
    """Pairs (above, below) by chains of dominance and answers, and those by dominance alone."""
    dominance = {(a, b) for a, below in history.dominates.items() for b in below}
    reach = dominance | {edge for s in history.stated if s not in without for edge in s.edges}
    while more := {(a, d) for a, b in reach for c, d in reach if b == c} - reach:
        reach |= more
    return reach, dominance


def doubts(history, asked):
    """What answers imply and nobody asked, with the chance that the operator thinks otherwise."""
    reach, dominance = reachable(history)
    crowd = PlausibleOperators(history)
    place = {x: k for k, x in enumerate(crowd.subsets)}
    same = {(a, b) for a, b in reach if history.same_criteria(a, b)}
    return {
        (a, b): float(crowd.weights @ (crowd.values[:, place[b]] > crowd.values[:, place[a]]))
        for a, b in reach - same
        if (b, a) not in reach and not {(a, b), (b, a)} & dominance and frozenset((a, b)) not in asked
    }


measured = st.lists(
    st.tuples(st.integers(0, 20).map(lambda s: s / 20), st.integers(1, 5)), min_size=4, max_size=10, unique=True
)


#: None is dominated, so that whatever is recommended hangs on answers.
fronts = st.lists(st.integers(0, 20), min_size=2, max_size=5, unique=True).map(
    lambda scores: [(score / 20, size) for size, score in enumerate(sorted(scores), start=1)]
)


@given(measured, st.data(), st.sampled_from([0.2, 0.5]))
def test_the_most_doubted_of_what_answers_imply_is_checked_if_it_is_doubted_enough(vectors, data, doubt):
    subsets = st.integers(1, len(vectors))
    pairs = data.draw(st.lists(st.tuples(subsets, subsets), max_size=5, unique_by=lambda p: frozenset(p)))
    answers = [(a, b, data.draw(st.sampled_from([Answer.FIRST, Answer.SECOND]))) for a, b in pairs if a != b]
    may_ask, history = questions(vectors, answers, doubt=doubt)
    expected = doubts(history, {frozenset((a, b)) for a, b, _ in answers})
    found = may_ask.doubted(np.random.default_rng(0))
    most = max(expected.values(), default=0.0)
    if found is None:
        assert most < doubt + 1e-6 or len(answers) < LEAST_ANSWERS
    else:
        assert len(answers) >= LEAST_ANSWERS
        pair = (found.first, found.second) if (found.first, found.second) in expected else (found.second, found.first)
        assert found.check
        assert expected[pair] >= max(doubt, most) - 1e-6


#: Score and size: who cares for the score has said so three times.
FRONT = [(0.72, 3), (0.58, 2), (0.54, 1), (0.4, 1), (0.685, 4)]
CARES = [(3, 1, Answer.SECOND), (4, 1, Answer.SECOND)]
SURPRISE = [(1, 2, Answer.SECOND)]


def test_an_answer_against_all_the_others_is_checked():
    said = [(4, 2, Answer.SECOND), (3, 2, Answer.SECOND), (5, 3, Answer.FIRST), *CARES]
    assert questions(FRONT, said)[0].doubted(np.random.default_rng(0)) is None
    found = questions(FRONT, [*said, *SURPRISE], doubt=0.3)[0].doubted(np.random.default_rng(0))
    assert found is not None
    assert {found.first, found.second} == {2, 5}, "the answer puts 2 above 1, and so above 5, which 1 dominates"
    assert questions(FRONT, [*said, *SURPRISE], doubt=1.0)[0].doubted(np.random.default_rng(0)) is None
    assert (
        questions(FRONT, [*said, *SURPRISE], doubt=0.3, policy="current")[0].doubted(np.random.default_rng(0)) is None
    )


def test_at_the_end_the_few_who_would_hate_a_choice_do_not_keep_it_from_being_asked_about():
    history = History(Attributes.numbered(6))
    measured = [(0.2427, 1), (0.3518, 2), (0.5279, 3), (0.5817, 4), (0.5187, 5), (0.5013, 4)]
    masks = [0b1, 0b11, 0b111, 0b1111, 0b111110, 0b111100]
    for request, (mask, (score, size)) in enumerate(zip(masks, measured, strict=True)):
        history.record(Evaluated(request, mask, (score, float(size))))
    for request, (better, worse) in enumerate([(5, 4), (2, 1), (2, 0)], start=10):
        history.record(Preferred(request, masks[better], masks[worse], Answer.FIRST))
    asking = Questions(Beliefs(history, Family(6), Settings()))
    rng = np.random.default_rng(0)
    assert asking.next(rng, worth=0.03) is None
    question = asking.next(rng, worth=0.03, last=True)
    assert {question.first, question.second} == {masks[2], masks[3]}


@given(measured, st.data())
def test_what_would_be_recommended_is_put_against_the_open_rival_who_is_likeliest_to_be_preferred(vectors, data):
    subsets = st.integers(1, len(vectors))
    pairs = data.draw(st.lists(st.tuples(subsets, subsets), max_size=4, unique_by=lambda p: frozenset(p)))
    answers = [(a, b, data.draw(st.sampled_from(list(Answer)[:4]))) for a, b in pairs if a != b]
    may_ask, history = questions(vectors, answers)
    beliefs, crowd = Beliefs(history, Family(N), Settings()), PlausibleOperators(history)
    best, place = beliefs.incumbent, {x: k for k, x in enumerate(crowd.subsets)}
    assume(not beliefs.doubted_against(best))  # which would come before all
    chances = {
        x: float(crowd.weights @ (crowd.values[:, place[x]] > crowd.values[:, place[best]]))
        for x in history.front
        if x in beliefs.candidates and may_ask.open(best, x)
    }
    found = may_ask.confirming(np.random.default_rng(0), few=True)
    if found is None or found.check:
        assert max(chances.values(), default=0.0) < UNLIKELY + 1e-6
    else:
        assert best in (found.first, found.second)
        rival = found.second if found.first == best else found.first
        assert chances[rival] >= max(UNLIKELY, *chances.values()) - 1e-6


@settings(max_examples=200)
@given(measured | fronts, st.data(), st.booleans())
def test_an_answer_on_which_the_choice_hangs_is_asked_for_once_more_if_it_may_well_be_wrong(vectors, data, few):
    two = st.tuples(st.integers(1, len(vectors)), st.integers(1, len(vectors)))
    apart, least = two.filter(lambda pair: pair[0] != pair[1]), data.draw(st.sampled_from([0, 4]))
    often = data.draw(st.lists(apart, min_size=1, max_size=2))  # these are put again, and answered otherwise
    pairs = data.draw(st.lists(st.sampled_from(often) | two, min_size=least, max_size=8))
    answers = [(a, b, data.draw(st.sampled_from(list(Answer)[:4]))) for a, b in pairs if a != b]
    may_ask, history = questions(vectors, answers)
    beliefs, crowd = Beliefs(history, Family(N), Settings()), PlausibleOperators(history)
    best = beliefs.incumbent
    reach, dominance = reachable(history)
    undoubted, _ = reachable(history, without=beliefs.doubted)
    put = [frozenset((a, b)) for a, b, _ in answers]
    cannot = {frozenset((a, b)) for a, b, answer in answers if answer is Answer.INCOMPARABLE}
    comparable = {x for x in history.evaluated if frozenset((best, x)) not in cannot}
    against = {x for x in beliefs.doubted_against(best) if put.count(frozenset((best, x))) < 2} & comparable
    careful, place = few or beliefs.doubted, {x: k for k, x in enumerate(crowd.subsets)}

    def may_be_due(x, slack):
        ahead = crowd.values[:, place[x]] - crowd.values[:, place[best]]
        chance, gain = crowd.weights @ (ahead > 0) + slack, crowd.weights @ np.maximum(ahead, 0.0) + slack
        return chance >= UNLIKELY and (careful or chance >= CONTESTED or gain >= MUCH)

    due = {
        x: float(crowd.against([(best, x)])[0])
        for x in comparable & set(history.front)
        if any((best, x) in chained - dominance and (x, best) not in chained for chained in (reach, undoubted))
        if put.count(frozenset((best, x))) < 2 and not history.same_criteria(best, x)
    }
    surely_due = {x: chance for x, chance in due.items() if may_be_due(x, -1e-6)}
    torn = {
        x: float(crowd.against([(best, x)])[0])
        for x in comparable & set(history.front)
        if set(preferred(answers, best, x)) == {best, x} and put.count(frozenset((best, x))) < 5
    }
    found = may_ask.confirming(np.random.default_rng(0), few=few)
    repeatable = {x for x in against if any((x, best) in c and (best, x) not in c for c in (reach, undoubted))}
    if repeatable:
        assert found.check, "what is doubted and speaks against the choice comes before all"
        assert {found.first, found.second} - {best} <= repeatable
    elif max(torn.values(), default=0.0) > UNLIKELY + 1e-6:
        (rival,) = {found.first, found.second} - {best}
        assert (found.check, found.why) == (True, TORN)
        assert torn[rival] >= max(torn.values()) - 1e-6
    elif found is not None and found.why == TORN:
        assert max(torn.values()) >= UNLIKELY - 1e-6
    elif found is not None and not found.check:
        assert careful, "a question that is new"
    elif found is None:
        assert not surely_due
    else:
        (rival,) = {found.first, found.second} - {best}
        assert may_be_due(rival, 1e-6)
        assert due[rival] >= max(surely_due.values(), default=0.0) - 1e-6
        stood = [(a, b) for a, b, _ in answers if frozenset((a, b)) == frozenset((best, rival))]
        assert not stood or (found.first, found.second) == stood[-1]
    never = Questions(Beliefs(history, Family(N), Settings(doubt=1.0))).confirming(np.random.default_rng(0), few=few)
    assert never is None or not never.check


def preferred(answers, one, other):
    """What was preferred of these two, answer by answer."""
    said = [(a if answer is Answer.FIRST else b, {a, b}, answer) for a, b, answer in answers]
    return [x for x, pair, answer in said if pair == {one, other} and answer in (Answer.FIRST, Answer.SECOND)]


def test_what_was_answered_both_ways_is_asked_again_while_the_choice_hangs_on_it_and_no_sixth_time():
    """Two of the front: one answer each way, and neither what was measured nor another answer tells."""
    said = [(1, 2, Answer.FIRST), (2, 1, Answer.FIRST)]
    rng = np.random.default_rng(0)
    for few in (True, False):
        found = questions([(0.65, 1), (0.725, 2)], said)[0].confirming(rng, few=few)
        assert (found.first, found.second, found.check, found.why) == (2, 1, True, TORN), "as it stood the last time"
    for third in (Answer.FIRST, Answer.SECOND, Answer.EQUAL):
        for more in (1, 2, 3):
            answered = questions([(0.65, 1), (0.725, 2)], [*said, *[(1, 2, third)] * more])[0]
            found, chance = answered.confirming(rng, few=False), answered._beliefs.plausible.against([(1, 2), (2, 1)])
            assert (found is not None) is (more < 3 and bool(chance.min() >= UNLIKELY))
            assert found is None or (found.first, found.second, found.check, found.why) == (1, 2, True, TORN)
    for third in (Answer.INCOMPARABLE, Answer.LATER):
        assert questions([(0.65, 1), (0.725, 2)], [*said, (1, 2, third)])[0].confirming(rng, few=True) is None
    for other in ([(2, 1, Answer.EQUAL)], [(1, 2, Answer.EQUAL)], [(2, 1, Answer.SECOND)]):
        found = questions([(0.65, 1), (0.725, 2)], [said[0], *other])[0].confirming(rng, few=True)
        assert found is None or found.why != TORN, "the two answers do not contradict each other as preferences"
    once = questions([(0.65, 1), (0.725, 2)], said, doubt=1.0)[0]
    assert once.confirming(rng, few=True) is None, "nothing is doubted"


def test_where_an_answer_is_doubted_others_are_asked_for_once_more_after_many_questions_too():
    said, rng = [(2, 1, Answer.FIRST), (2, 3, Answer.FIRST)], np.random.default_rng(0)
    may_ask = supposing({1: 0.0, 2: 1.0, 3: 0.0}, {1: 0.1, 3: 0.0}, [(0.5, 1), (0.7, 2), (0.9, 3)], said)
    assert may_ask.confirming(rng, few=False) is None
    may_ask._beliefs.doubted = may_ask._history.stated[1:]
    found = may_ask.confirming(rng, few=False)
    assert (found.first, found.second, found.why) == (2, 1, ONCE_MORE)


def test_what_only_follows_from_other_answers_is_not_said_to_have_been_asked_before():
    said, rng = [(1, 2, Answer.FIRST), (2, 3, Answer.FIRST)], np.random.default_rng(0)
    may_ask = supposing({1: 1.0, 2: 0.0, 3: 0.0}, {2: 0.0, 3: 0.1}, [(0.5, 1), (0.7, 2), (0.9, 3)], said)
    found = may_ask.confirming(rng, few=True)
    assert ({found.first, found.second}, found.why, found.check) == ({1, 3}, IMPLIED, True)
    answered = supposing(
        {1: 1.0, 2: 0.0, 3: 0.0}, {2: 0.0, 3: 0.1}, [(0.5, 1), (0.7, 2), (0.9, 3)], [*said, (3, 1, Answer.SECOND)]
    )
    assert answered.confirming(rng, few=True).why == ONCE_MORE


def test_where_an_answer_is_doubted_a_rival_may_be_new_after_many_questions_too():
    rng = np.random.default_rng(0)
    may_ask = supposing(
        {1: 0.0, 2: 1.0, 3: 0.0}, {1: 0.1, 3: 0.0}, [(0.5, 1), (0.7, 2), (0.9, 3)], [(2, 3, Answer.FIRST)]
    )
    assert may_ask.confirming(rng, few=False) is None
    may_ask._beliefs.doubted = may_ask._history.stated
    found = may_ask.confirming(rng, few=False)
    assert ({found.first, found.second}, found.why) == ({1, 2}, NEW)


def test_what_was_assumed_of_two_is_no_answer_that_differs_from_another():
    history = questions([(0.65, 1), (0.725, 2)], [(2, 1, Answer.FIRST)])[1]
    history.record(Assumed(200, 1, 2, "strict", "operator"))
    assert Questions(Beliefs(history, Family(N), Settings())).confirming(np.random.default_rng(0), few=False) is None


#: Who demands a score of .47, and wants few attributes then, has answered as one would who trades linearly.
DEMANDED = [(0.33, 1), (0.44, 2), (0.459, 3), (0.4702, 4), (0.4858, 5), (0.4886, 6), (0.489, 7), (0.466, 4)]
SAID = [(6, 8, Answer.FIRST), (3, 6, Answer.SECOND), (6, 5, Answer.SECOND)]


def test_a_choice_that_few_would_contest_is_confirmed_before_it_is_taken_home():
    rng = np.random.default_rng(0)
    may_ask, _ = questions(DEMANDED, SAID)
    assert may_ask.next(rng, worth=0.03, last=True) is None, "one answer would hardly move what is expected"
    found = may_ask.confirming(rng, few=True)
    assert {found.first, found.second} == {4, 5}
    assert (found.why, found.check) == (NEW, False)
    contested = [*SAID, (4, 5, Answer.FIRST)]
    for few in (True, False):
        found = questions(DEMANDED, contested)[0].confirming(rng, few=few)
        assert (found.first, found.second, found.check) == (4, 5, True), "as it stood, since it is unlikely"
        assert found.why == ONCE_MORE
    for policy in ("current", "none"):
        assert questions(DEMANDED, SAID, policy=policy)[0].confirming(rng, few=True) is None


@pytest.mark.parametrize(
    "since", [[Failed(101, 4, "no")], [Evaluated(101, 4, (0.4, 4.0))], [Stopped(101, "wish: enough"), Resumed(102)]]
)
def test_what_was_put_off_is_put_again_as_it_stood_once_more_is_known(since):
    """Two of the front, and nothing else to ask about."""
    for first, second in ((1, 2), (2, 1)):
        measured = [Evaluated(0, 1, (0.5, 1.0)), Evaluated(1, 2, (0.9, 4.0))]
        put_off = Preferred(100, first, second, Answer.LATER)
        history = History(Attributes.numbered(N), facts=[*measured, put_off, *since])
        may_ask = Questions(Beliefs(history, Family(N), Settings(worth=0.0)))
        for seed in range(6):
            found = may_ask.next(np.random.default_rng(seed))
            assert (found.first, found.second) == (first, second)
            assert found.why.endswith("(you put it off)")


@pytest.mark.parametrize("rule", ["time", "callback"])
def test_a_clock_or_a_program_that_interrupts_brings_nothing_back_that_was_put_off(rule):
    facts = [Evaluated(0, 1, (0.5, 1.0)), Evaluated(1, 2, (0.9, 4.0)), Preferred(100, 1, 2, Answer.LATER)]
    for since in ([], [Stopped(101, f"{rule}: enough"), Resumed(102)]):
        history = History(Attributes.numbered(N), facts=[*facts, *since])
        assert Questions(Beliefs(history, Family(N), Settings(worth=0.0))).next(np.random.default_rng(0)) is None


def test_what_was_put_off_is_not_put_again_at_once():
    """Three of the front: whoever puts off every pair has seen each once."""
    put_off = []
    for k in range(6):
        may_ask, _ = questions([(0.5, 1), (0.7, 2), (0.9, 4)], put_off, worth=0.0)
        if found := may_ask.next(np.random.default_rng(k)):
            put_off.append((found.first, found.second, Answer.LATER))
    assert sorted(sorted(pair) for *pair, _ in put_off) == [[1, 2], [1, 3], [2, 3]]


def test_a_check_that_was_put_off_does_not_come_back():
    said = [(1, 2, Answer.FIRST), (2, 3, Answer.FIRST)]
    may_ask, history = questions([(0.5, 1), (0.6, 2), (0.7, 3)], said)
    rng = np.random.default_rng(0)
    found = may_ask.check(rng)
    history.record(Preferred(200, found.first, found.second, Answer.LATER))
    history.record(Failed(201, 8, "no"))
    assert Questions(Beliefs(history, Family(N), Settings())).check(rng) is None

    said = [(4, 2, Answer.SECOND), (3, 2, Answer.SECOND), (5, 3, Answer.FIRST), *CARES, *SURPRISE]
    may_ask, history = questions(FRONT, said, doubt=0.3)
    found = may_ask.doubted(rng)
    history.record(Preferred(200, found.first, found.second, Answer.LATER))
    again = Questions(Beliefs(history, Family(N), Settings(doubt=0.3))).doubted(rng)
    assert again is None or {again.first, again.second} != {found.first, found.second}


def test_with_a_doubt_of_one_nothing_is_checked_though_everybody_would_have_answered_otherwise():
    """Each scores less than the one before it, and more on one fold, so nothing is dominated beyond noise."""
    history = History(Attributes.numbered(N), noise=Noise(0.05))
    for k, scores in enumerate([(0.9, 0.5, 0.8), (0.5, 0.85, 0.75), (0.8, 0.6, 0.4), (0.6, 0.7, 0.3)]):
        history.record(Evaluated(k, 1 << k, (sum(scores) / 3, 1.0), (scores, ())))
    for request, (better, worse) in enumerate([(8, 4), (4, 2), (2, 1)], start=10):
        history.record(Preferred(request, better, worse, Answer.FIRST))
    assert not any(history.dominates.values())
    rng = np.random.default_rng(0)
    assert PlausibleOperators(history).against([(8, 1)]) == pytest.approx(1)
    assert Questions(Beliefs(history, Family(N), Settings())).doubted(rng).check
    assert Questions(Beliefs(history, Family(N), Settings(doubt=1.0))).doubted(rng) is None


def supposing(worth, chances, vectors, answers, gains=None):
    """Questions where operators are supposed to give so much for each subset, and to prefer each with these chances.

    gains: how much better than the choice each may be, on average.
    """
    _, history = questions(vectors, answers)
    beliefs = Beliefs(history, Family(N), Settings())
    beliefs.plausible = SimpleNamespace(
        by_worth=lambda among: sorted(among, key=lambda x: -worth[x]),
        against=lambda pairs: np.array([chances[second] for _, second in pairs]),
        gains=lambda _, others: np.array([(gains or {}).get(x, 0.0) for x in others]),
        of=worth.get,
    )
    return Questions(beliefs)


@pytest.mark.parametrize(
    ("chance", "few", "new", "again"),
    [(0.04, True, False, False), (0.05, True, True, True), (0.19, False, False, False), (0.2, False, False, True)],
)
def test_a_choice_is_confirmed_against_who_is_preferred_by_one_in_twenty_and_after_many_questions_by_one_in_five(
    chance, few, new, again
):
    for answers, asked in ((), new), ([(2, 1, Answer.FIRST)], again):
        may_ask = supposing({1: 0.0, 2: 1.0}, {1: chance}, [(0.5, 1), (0.9, 3)], answers)
        assert (may_ask.confirming(np.random.default_rng(0), few=few) is not None) is asked


@pytest.mark.parametrize(
    ("chance", "gain", "asked"), [(0.05, 0.07, True), (0.05, 0.069, False), (0.049, 9.0, False), (0.2, 0.0, True)]
)
def test_after_many_questions_an_answer_on_which_much_hangs_is_asked_for_once_more(chance, gain, asked):
    answers, rng = [(2, 1, Answer.FIRST)], np.random.default_rng(0)
    may_ask = supposing({1: 0.0, 2: 1.0}, {1: chance}, [(0.5, 1), (0.9, 3)], answers, {1: gain})
    assert (may_ask.confirming(rng, few=False) is not None) is asked
    new = supposing({1: 0.0, 2: 1.0}, {1: chance}, [(0.5, 1), (0.9, 3)], (), {1: gain})
    assert new.confirming(rng, few=False) is None, "what was never asked is not contested"


def test_an_answer_is_asked_for_once_more_though_one_that_is_doubted_leads_from_it_in_a_circle():
    """Who cares for the score erred twice: 3 above 4, and 1 above 3."""
    vectors = [(0.2427, 1), (0.3518, 2), (0.5279, 3), (0.5817, 4), (0.4698, 4), (0.4714, 8), (0.4856, 3), (0.3365, 2)]
    said = [(5, 6), (4, 7), (4, 2), (3, 4), (1, 3), (2, 1), (8, 1)]
    answers = [(better, worse, Answer.FIRST) for better, worse in said]
    may_ask, history = questions(vectors, answers)
    beliefs = Beliefs(history, Family(N), Settings())
    assert [(s.better, s.worse) for s in beliefs.doubted] == [(1, 3)]
    assert {(3, 4), (4, 3)} <= reachable(history)[0]
    found = may_ask.confirming(np.random.default_rng(0), few=False)
    assert (found.first, found.second, found.why) == (3, 4, ONCE_MORE)


@pytest.mark.parametrize("second", [Answer.EQUAL, Answer.INCOMPARABLE, Answer.LATER])
@pytest.mark.parametrize("few", [True, False])
def test_an_answer_that_is_doubted_and_speaks_against_the_choice_is_asked_for_once_more_and_no_third_time(second, few):
    vectors, rng = [(0.5, 1), (0.6, 2), (0.7, 3), (0.95, 4)], np.random.default_rng(0)
    said = [(4, 1, Answer.FIRST), (4, 2, Answer.FIRST), (3, 1, Answer.FIRST), (3, 4, Answer.FIRST)]
    found = questions(vectors, said)[0].confirming(rng, few=few)
    assert (found.first, found.second, found.check) == (3, 4, True)
    _, history = questions(vectors, [*said, (3, 4, second)])
    history.record(Failed(200, 8, "no"))  # what was put off comes back at most once something happened
    beliefs = Beliefs(history, Family(N), Settings())
    assert beliefs.doubted_against(4) == [3]
    found = Questions(beliefs).confirming(rng, few=few)
    assert found is None or {found.first, found.second} != {3, 4}


def test_what_cannot_be_compared_is_not_asked_about_again_though_other_answers_imply_it():
    worth, chances, rng = {1: 0.2, 2: 0.4, 3: 0.8}, {1: 0.3, 2: 0.0}, np.random.default_rng(0)
    implied = [(3, 2, Answer.FIRST), (2, 1, Answer.FIRST)]
    for said, asked in (implied, True), ([*implied, (3, 1, Answer.INCOMPARABLE)], False):
        found = supposing(worth, chances, [(0.5, 1), (0.7, 2), (0.9, 3)], said).confirming(rng, few=True)
        assert (found is not None and {found.first, found.second} == {1, 3}) is asked


def test_an_answer_to_what_was_put_off_at_first_is_asked_for_once_more_as_any_other():
    said, rng = [(2, 1, Answer.LATER), (2, 1, Answer.FIRST)], np.random.default_rng(0)
    for answers, why in (said, ONCE_MORE), ([*said, (2, 1, Answer.SECOND)], TORN):
        may_ask = supposing({1: 0.0, 2: 1.0}, {1: 0.3}, [(0.5, 1), (0.9, 3)], answers)
        assert may_ask.confirming(rng, few=True).why == why


def test_a_choice_is_not_confirmed_against_what_an_answer_keeps_from_being_recommended():
    worth, rng = {1: 0.2, 2: 0.8, 3: 0.7}, np.random.default_rng(0)
    may_ask = supposing(worth, worth, [(0.5, 1), (0.7, 2), (0.9, 3)], [(1, 2, Answer.FIRST)])
    assert may_ask.open(3, 2)
    found = may_ask.confirming(rng, few=True)
    assert {found.first, found.second} == {1, 3}
    assert may_ask.confirming(rng, few=False) is None, "no answer about the second and the third is there to repeat"


def test_what_was_answered_once_each_way_is_asked_about_before_a_rival_that_is_new():
    chances, rng = {1: 0.3, 3: 0.4}, np.random.default_rng(0)
    each_way = [(1, 2, Answer.FIRST), (2, 1, Answer.FIRST)]
    may_ask = supposing({1: 0.2, 2: 0.8, 3: 0.5}, chances, [(0.5, 1), (0.7, 2), (0.9, 3)], each_way)
    assert may_ask.open(2, 3)
    found = may_ask.confirming(rng, few=True)
    assert (found.first, found.second, found.why) == (2, 1, TORN)


def test_where_nothing_that_may_be_chosen_was_measured_no_choice_is_confirmed():
    history = questions([(0.5, 1), (0.9, 3)], [])[1]
    may_ask = Questions(Beliefs(history, Family(N, keep=1 << 4), Settings()))
    assert may_ask.confirming(np.random.default_rng(0), few=True) is None


def test_which_of_a_check_is_shown_first_does_not_tell_what_is_expected():
    """Three of the front, the first above the second and that above the third: one pair is implied."""
    may_ask, _ = questions([(0.5, 1), (0.6, 2), (0.7, 3)], [(1, 2, Answer.FIRST), (2, 3, Answer.FIRST)])
    found = [may_ask.check(np.random.default_rng(seed)) for seed in range(20)]
    assert all(question.check for question in found)
    assert {(question.first, question.second) for question in found} == {(1, 3), (3, 1)}


def test_what_answers_put_below_another_within_noise_is_asked_about_once_more_at_most():
    def asking(*answers):
        history = History(Attributes.numbered(N), noise=Noise(0.05))
        for mask, scores in ((1, (0.9, 0.5, 0.8)), (2, (0.5, 0.9, 0.7)), (4, (0.3, 0.85, 0.4))):
            history.record(Evaluated(mask, mask, (sum(scores) / 3, 1.0), (scores, ())))
        for request, (better, worse) in enumerate(answers, start=10):
            history.record(Preferred(request, better, worse, Answer.FIRST))
        assert history.front == (1,)
        assert not any(history.dominates.values()), "the folds show nothing"
        return Questions(Beliefs(history, Family(N), Settings()))

    rng = np.random.default_rng(0)
    assert asking((2, 1)).next(rng, worth=0.0) is None, "nothing of the front is left to recommend"
    assert asking((2, 1)).confirming(rng, few=True).check, "all hangs on this answer"
    assert asking((2, 1), (2, 1)).confirming(rng, few=True) is None
    assert asking().next(rng, worth=0.0) is None, "the others only trail"


def test_of_what_was_put_off_the_most_telling_comes_back_once_nothing_else_is_open():
    vectors = [(0.2, 1), (0.5, 2), (0.9, 3)]
    rng = np.random.default_rng(0)
    open_to, asked = [], []
    for _ in range(3):
        found = questions(vectors, asked)[0].next(rng, worth=0.0)
        open_to.append((found.first, found.second))
        asked.append((found.first, found.second, Answer.LATER))
    assert len({frozenset(pair) for pair in open_to}) == 3
    _, history = questions(vectors, asked)
    history.record(Failed(200, 8, "no"))  # a pair comes back only once something happened
    again = Questions(Beliefs(history, Family(N), Settings(worth=0.0))).next(rng, worth=0.0)
    assert (again.first, again.second) == open_to[0]
    assert again.why.endswith("(you put it off)")


def test_a_question_whose_answer_was_taken_back_may_be_put_again():
    asked, history = questions([(0.2, 1), (0.9, 3)], [(1, 2, Answer.FIRST)])
    assert not asked.open(1, 2)
    history.record(Retracted(200, 100))
    again = Questions(Beliefs(history, Family(N), Settings()))
    assert again.open(1, 2)
    found = again.next(np.random.default_rng(0), worth=0.0)
    assert {found.first, found.second} == {1, 2}


@given(
    st.lists(
        st.tuples(st.integers(1, 15), st.integers(1, 15), st.sampled_from([Answer.FIRST, Answer.EQUAL])),
        min_size=1,
        max_size=5,
    ),
    st.sets(st.integers(1, 15), max_size=4),
    st.sampled_from([1, 2]),
    st.sets(st.integers(0, 4)),
)
@example([(0b0001, 0b0010, Answer.FIRST)], {0b0101, 0b0110}, 1, set())
@example([(0b0001, 0b0010, Answer.EQUAL)], {0b0101, 0b0110}, 1, set())
@example([(0b0001, 0b0010, Answer.FIRST)], {0b0101, 0b0110}, 1, {0})
def test_what_answers_imply_by_sums_is_never_asked_about(answered, others, degree, carried):
    """Against a program over all monomials; nobody is dominated, for what scores more is larger.

    Of preferences that are `carried` over from another run only chains count, no sums.
    """
    subsets = sorted({x for a, b, _ in answered for x in (a, b)} | others)
    facts = [Evaluated(k, x, (0.1 * k, float(k))) for k, x in enumerate(subsets)]
    chosen = {frozenset((a, b)): (a, b, answer) for a, b, answer in answered if a != b}
    for k, (a, b, answer) in enumerate(chosen.values()):
        relation = "equal" if answer is Answer.EQUAL else "strict"
        assumed, said = Assumed(100 + k, a, b, relation, "prior"), Preferred(100 + k, a, b, answer)
        facts.append(assumed if k in carried else said)
    history = History(Attributes.numbered(4), facts=facts)
    may_ask = Questions(Beliefs(history, Family(4), Settings(degree=degree)))
    cone = ExactSet(4, (), [s for s in history.stated if s.source is Source.OPERATOR], degree=degree)
    reach, _ = reachable(history)
    for a, b in combinations(subsets, 2):
        ordered = {(a, b), (b, a)} & reach or (
            cone.consistent and any(cone.cone_multipliers(difference(*pair)) is not None for pair in ((a, b), (b, a)))
        )
        assert may_ask.open(a, b) == (not ordered)


def test_the_cone_of_answers_about_hundreds_of_attributes_is_built_only_for_a_pair_that_their_sums_may_order():
    n = 300
    far, near, more = 1 << 299, 0b1, 0b11
    facts = [Evaluated(k, x, (0.1 * k, float(k))) for k, x in enumerate((near, more, near | far, more | far, 1 << 150))]
    history = History(Attributes.numbered(n), facts=[*facts, Preferred(100, more, near, Answer.FIRST)])
    may_ask = Questions(Beliefs(history, Family(n), Settings()))
    assert may_ask.open(near, 1 << 150)
    assert "_cone" not in vars(may_ask)
    assert may_ask.open(near | far, more | far), "the pair of far and the second attribute may be worth something"
    assert "_cone" in vars(may_ask)


def test_an_answer_worth_less_than_is_wished_for_is_not_asked_for_unless_less_is_enough_now():
    may_ask, _ = questions([(0.2, 1), (0.9, 3)], [], worth=50.0)
    assert may_ask.next(np.random.default_rng(0)) is None
    assert may_ask.next(np.random.default_rng(0), worth=0.0) is not None


def test_a_check_never_asks_what_dominance_implies():
    """The first is above the second by an answer, and that dominates the third: so the first is above the third."""
    may_ask, _ = questions([(0.5, 1), (0.6, 2), (0.55, 3)], [(1, 2, Answer.FIRST)])
    rng = np.random.default_rng(0)
    assert {frozenset((q.first, q.second)) for q in (may_ask.check(rng) for _ in range(20))} == {frozenset((1, 3))}
    assert questions([(0.5, 1), (0.4, 2)], [])[0].check(rng) is None


def test_what_is_doubted_just_as_much_as_is_needed_is_checked():
    said = [(4, 2, Answer.SECOND), (3, 2, Answer.SECOND), (5, 3, Answer.FIRST), *CARES, *SURPRISE]
    _, history = questions(FRONT, said)
    most = round(max(doubts(history, {frozenset((a, b)) for a, b, _ in said}).values()), 9)
    rng = np.random.default_rng(0)
    assert questions(FRONT, said, doubt=most)[0].doubted(rng) is not None
    assert questions(FRONT, said, doubt=most + 1e-8)[0].doubted(rng) is None


def test_a_proof_asks_about_the_rival_in_its_way_and_about_lesser_ones_once_that_is_known():
    front, rng = [(0.5, 1), (0.6, 2), (0.7, 3)], np.random.default_rng(0)
    found = questions(front, [(1, 2, Answer.FIRST)])[0].for_proof(3, rng)
    assert {found.first, found.second} == {1, 3}
    found = questions(front, [(1, 2, Answer.FIRST)])[0].for_proof(2, rng)
    assert {found.first, found.second} == {1, 3}, "about the second it was said before"
    assert questions(front, [(1, 2, Answer.FIRST)], policy="none")[0].for_proof(3, rng) is None


def test_nothing_is_asked_about_one_subset_or_about_two_that_measure_the_same():
    may_ask, _ = questions([(0.5, 1), (0.5, 1), (0.6, 2)], [])
    assert not any(may_ask.open(a, b) for a, b in [(1, 1), (1, 2), (2, 1)])
    assert may_ask.open(1, 3)
    assert may_ask.open(3, 2)


def test_what_an_assumption_deduces_from_an_answer_is_not_asked_about():
    """Each is larger by one and scores 0.1 more, so who trades at a fixed rate ranks all alike."""
    for assumption, open_to in (("nothing", True), ("linear", False)):
        history = History(Attributes.numbered(N), assume=assumption)
        for k in range(4):
            history.record(Evaluated(k, 1 << k, (0.5 + 0.1 * k, 1.0 + k)))
        history.record(Preferred(10, 0b1, 0b10, Answer.FIRST))
        assert Questions(Beliefs(history, Family(N), Settings(assume=assumption))).open(0b100, 0b1000) is open_to


@pytest.mark.parametrize("relation", ["strict", "weak", "equal"])
def test_what_was_carried_over_by_way_of_one_that_was_not_measured_is_not_asked_about(relation):
    facts = [Assumed(200 + k, a, b, relation, "prior") for k, (a, b) in enumerate([(1, 8), (8, 2)])]
    history = questions([(0.5, 1), (0.7, 2), (0.9, 3)], [])[1]
    assert Questions(Beliefs(history.alike([*history.facts, *facts[1:]]), Family(N), Settings())).open(1, 2)
    may_ask = Questions(Beliefs(history.alike([*history.facts, *facts]), Family(N), Settings()))
    assert [may_ask.open(*pair) for pair in ((1, 2), (2, 1), (1, 3), (2, 3))] == [False, False, True, True]


def test_rivals_of_the_best_come_by_what_each_could_gain_on_it():
    front = [(0.35, 3), (0.2, 2), (0.95, 6), (0.75, 4), (0.05, 1), (0.9, 5)]
    may_ask, _ = questions(front, [(6, 3, Answer.FIRST)], policy="current", recommend="regret")
    best, regrets = may_ask._beliefs.incumbent, may_ask._beliefs.regrets
    gains = [round(regrets.pair(x, best), 6) for x in may_ask._rivals_by_gain(best)]
    assert gains == sorted(gains, reverse=True)
    assert gains[0] > gains[-1]


@pytest.mark.parametrize("policy", ["current", "favourite", "split", "ranking", "one-flip"])
def test_while_nothing_was_said_the_best_is_put_against_another_of_the_front(policy):
    may_ask, history = questions([(0.5, 1), (0.7, 2), (0.8, 3), (0.4, 3)], [], policy=policy, recommend="regret")
    best = Beliefs(history, Family(N), Settings(recommend="regret")).incumbent
    found = may_ask.next(np.random.default_rng(0))
    pair = {found.first, found.second}
    assert len(pair) == 2
    assert pair <= set(history.front)
    assert best in pair or policy in ("split", "ranking")


def test_while_nothing_was_said_the_current_best_is_put_against_the_simplest_of_the_others():
    may_ask, history = questions([(0.9, 5), (0.8, 4), (0.5, 1), (0.7, 3)], [], policy="current")
    best = Beliefs(history, Family(N), Settings()).incumbent
    found = may_ask.next(np.random.default_rng(0))
    assert {found.first, found.second} == {best, min({1, 2, 3, 4} - {best}, key=simplest)}


@pytest.mark.parametrize("gain", [-1e-15, 0.0, 1e-15, 0.5])
def test_who_gains_in_the_last_digits_alone_is_no_rival(gain):
    """Only the answer about the third is known; whether the first is asked about must not depend on a solver's past."""
    _, history = questions([(0.5, 1), (0.7, 2), (0.9, 3)], [(2, 3, Answer.FIRST)])
    beliefs = Beliefs(history, Family(N), Settings(policy="current"))
    beliefs.incumbent, beliefs.incumbent_regret = 2, Regret(2, 0.0, None)
    beliefs.regrets = SimpleNamespace(pair=lambda *_: gain)
    found = Questions(beliefs).next(np.random.default_rng(0))
    assert (found is not None) is (gain == 0.5)
