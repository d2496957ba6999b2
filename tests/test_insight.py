"""What a person is told between two questions, against what the facts say."""

from dataclasses import replace
from types import SimpleNamespace

import journals
import pytest

from elicit.alongside.insight import MOST_ORDERS, Insight
from elicit.asks import Compare, Done, Evaluate, Reconcile
from elicit.commands.ending_bounds import Bounds, _bounds
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.events import Answer, Asked, Evaluated, Failed, Preferred, Retracted
from elicit.operators import SimulatedOperator
from elicit.operators.desk import RunStatus
from elicit.printable import rounded
from elicit.subsets import Attributes
from elicit.utility.regret import Regrets

#: Two of every size from 1 to 6, of which the first is a little better and every other order is for a person to say.
ABOVE = [(1 << size) - 1 for size in range(1, 7)]
BELOW = [mask ^ (mask + 1) >> 1 ^ 1 << 6 for mask in ABOVE]


def asking(pairs, *more):
    """A run in which these were measured, and each first preferred to its second."""
    measured = [(mask, 0.1 * mask.bit_count() + 0.05 * (mask in ABOVE)) for mask in (*ABOVE, *BELOW)]
    facts = [Asked(0, tuple(mask for mask, _ in measured))]
    facts += [Evaluated(k, mask, (score, float(mask.bit_count()))) for k, (mask, score) in enumerate(measured)]
    for k, pair in enumerate(pairs, start=len(measured)):
        facts += [Asked(k, compare=pair), Preferred(k, *pair, Answer.FIRST)]
    settings = Settings(budget=20, check_every=0, stop=())
    return Elicitation(Attributes.numbered(7), settings=settings, facts=[*facts, *more])


#: Six answers that close a circle with six measured orders.
CIRCLE = [*zip(BELOW, [*ABOVE[1:], ABOVE[0]], strict=True)]


def test_a_few_measured_orders_of_a_conflict_are_told_by_name_and_the_others_counted():
    elicitation = asking(CIRCLE)
    request = elicitation.ask()
    assert isinstance(request, Reconcile)
    assert len(request.conflict) == 6
    *named, last = Insight(elicitation).conflict(request)
    assert len(named) == MOST_ORDERS
    assert last == "and 2 more such orders"
    braced = elicitation.history.attributes.braced
    sizes = {a: a.bit_count() for a in ABOVE}
    every = {
        f"measured: {braced(a)} (score {rounded(0.1 * sizes[a] + 0.05)}, size {sizes[a]}) better than "
        f"{braced(b)} (score {rounded(0.1 * sizes[a])}, size {sizes[a]})"
        for a, b in zip(ABOVE, BELOW, strict=True)
    }
    assert len(set(named)) == MOST_ORDERS
    assert set(named) < every


def test_where_all_measured_orders_are_told_nothing_is_counted():
    pairs = [*zip(BELOW[:4], [*ABOVE[1:4], ABOVE[0]], strict=True)]
    elicitation = asking(pairs)
    told = Insight(elicitation).conflict(elicitation.ask())
    assert len(told) == MOST_ORDERS
    assert all(line.startswith("measured: ") for line in told)


def test_answers_are_numbered_as_they_were_given_and_one_that_was_taken_back_keeps_its_number():
    insight = Insight(asking(CIRCLE, Retracted(18, 13)))
    assert [(g.request, g.number) for g in insight.answers()] == [(12, 1), (14, 3), (15, 4), (16, 5), (17, 6)]
    assert [(g.first.subset, g.second.subset) for g in insight.answers()] == [CIRCLE[k] for k in (0, 2, 3, 4, 5)]
    assert [insight.number(k) for k in range(12, 19)] == [1, 2, 3, 4, 5, 6, 7]


def test_an_answer_that_closes_a_circle_settles_it_when_it_is_taken_back():
    told = Insight(asking(CIRCLE)).without(17)
    assert told[-1] == "  no answers contradict each other any more."
    assert not any("contradict" in line for line in Insight(asking(CIRCLE[:3])).without(13))


def test_answers_that_still_contradict_something_are_counted_and_a_single_one_contradicts_no_other():
    against = [*zip(BELOW, ABOVE, strict=True)]  # each speaks against one measured order
    assert Insight(asking(against[:2])).without(12)[-1] == "  1 answer still contradicts what was measured."
    assert Insight(asking([*CIRCLE, against[0]])).without(18)[-1] == "  6 answers still contradict each other."


@pytest.mark.parametrize("failed", [False, True])
def test_of_the_neighbours_of_the_best_those_are_counted_of_which_something_is_known(failed):
    elicitation = asking([(a, b) for b, a in zip(ABOVE[1:], ABOVE, strict=False)])
    best = 0b1  # fewer attributes were preferred throughout
    unseen = next(y for y in elicitation.family.neighbours(best) if y not in elicitation.history.evaluated)
    if failed:
        facts = [*elicitation.facts, Asked(90, (unseen,)), Failed(90, unseen, "no")]
        elicitation = Elicitation(Attributes.numbered(7), settings=elicitation.settings, facts=facts)
    lines = Insight(elicitation).best()
    assert lines[0] == "Best so far: {a1} (score 0.15, size 1)."
    assert lines[2] == f"Evaluated of the 6 subsets with one attribute more or fewer: {2 + failed}."
    assert lines[3].startswith("Evaluated of 127 subsets: 12, rejected unseen: 0. Better and rejected: by every")


def test_the_bottom_line_counts_what_was_measured_in_vain_too_and_a_question_more_for_each_answer_taken_back():
    more = [
        Retracted(14, 13),
        Asked(15, (0b1001, 0b10001), rejected=((0b1010, 0.5), (0b1100, 0.6))),
        Failed(15, 0b1001, "no"),
        Evaluated(16, 0b10001, (0.1, 2.0)),
    ]
    elicitation = asking([(ABOVE[0], ABOVE[1]), (ABOVE[1], ABOVE[2])], *more)
    insight = Insight(elicitation)
    settings = Settings()
    spare = settings.questions - settings.undoubted_questions
    assert insight.status() == RunStatus(14, 20, 2, 2, settings.undoubted_questions + 1, None, spare)
    insight.latest = SimpleNamespace(regret=0.25)
    assert insight.status().regret == 0.25


@pytest.mark.parametrize(("wrong", "beyond"), [(0.0, False), (0.3, True)])
def test_no_question_follows_one_that_was_called_the_last(wrong, beyond):
    """But for doubts: with wrong answers the run goes on after its ninth."""
    oracle = journals.truth(6, 7)
    operator = SimulatedOperator("score - 0.05 * size", oracle.criteria, noise=wrong, seed=7)
    settings = Settings(budget=40, ask_every=1, worth=0.0, stop=())
    elicitation, told = Elicitation(oracle.attributes, settings=settings, seed=7), []
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Compare):
            told.append(Insight(elicitation).status())
        reply = oracle if isinstance(request, Evaluate) else operator
        elicitation.tell(request.id, reply(request))
    asked = len(elicitation.history.answers)
    assert (asked > settings.undoubted_questions) == beyond
    assert all(asked <= status.most_questions + status.spare <= settings.questions for status in told)
    last = ["the last but for doubts" in status.words(100) for status in told]
    assert any(last) or not beyond
    assert not any("the last question  " in status.words(100) for status in told[:-1])


def test_the_reason_for_a_question_begins_as_a_sentence_and_a_check_is_called_one():
    elicitation = asking([])
    a, b = (elicitation.history.evaluated[mask] for mask in ABOVE[:2])
    insight = Insight(elicitation)
    plain, given, check = (
        insight.why(Compare(12, a, b, **more)) for more in ({}, {"why": "one of you errs"}, {"check": True})
    )
    assert plain[:3] == [
        "It tells your preferences apart.",
        "",
        "Neither subset is better in every measured number, so only you can say.",
    ]
    assert given == ["One of you errs.", *plain[1:]]
    assert check == [
        plain[0],
        "",
        "It is a check: your earlier answers speak of it, and a wrong one shows here.",
        *plain[1:],
    ]
    assert [line.partition(":")[0] for line in plain if line.startswith("If")] == ["If A is better", "If B is better"]


def test_why_a_question_is_open_is_told_as_it_is_where_dominance_must_hold_beyond_noise():
    """The first subset is better in every number; its folds do not show it, and so it is asked about."""
    folds = [((0.3, 1.2, 1.2), ()), ((0.8, 0.8, 0.8), ())]
    facts = [Asked(0, (1, 6)), Evaluated(0, 1, (0.9, 1.0), folds[0]), Evaluated(1, 6, (0.8, 2.0), folds[1])]
    elicitation = Elicitation(Attributes.numbered(3), settings=Settings(noise_level=0.05), facts=facts)
    told = Insight(elicitation).why(Compare(2, *elicitation.history.evaluated.values()))
    assert told[2] == "Neither subset is better in every measured number beyond noise, so only you can say."


def test_before_anything_is_known_it_is_said_that_nothing_is():
    none = Insight(Elicitation(Attributes.numbered(3)))
    assert none.best() == ["Nothing was evaluated yet, so nothing would be recommended."]
    facts = [Asked(0, (1, 3)), Evaluated(0, 1, (0.5, 1.0)), Evaluated(1, 3, (0.6, 2.0))]
    two = Insight(Elicitation(Attributes.numbered(3), facts=facts))
    assert two.best()[0] == "Best so far: {a1} (score 0.5, size 1)."
    assert two.best()[1] == "Nothing is known yet of what you prefer beyond the measured numbers."
    ordered = [*facts[:2], Evaluated(1, 4, (0.6, 1.0))]
    one_above = Insight(Elicitation(Attributes.numbered(3), facts=ordered)).best()
    assert one_above[0] == "Best so far: {a3} (score 0.6, size 1)."
    assert one_above[1].startswith("Among the 2 evaluated subsets none is better in any utility that explains")


#: {a1} to {a1, a2, a3}, each a little better than the one before it.
THREE = [Asked(0, (1, 3, 7)), *(Evaluated(k, x, (0.5 + 0.1 * k, 1.0 + k)) for k, x in enumerate((1, 3, 7)))]


def among_three(*pairs, facts=THREE, **choices):
    """A run in which these were measured, and each first preferred to its second."""
    for k, pair in enumerate(pairs, start=3):
        facts = [*facts, Asked(k, compare=pair), Preferred(k, *pair, Answer.FIRST)]
    return Elicitation(Attributes.numbered(3), settings=Settings(**choices), facts=facts)


def test_who_may_still_be_better_is_named_and_by_how_much_is_never_rounded_down():
    told = Insight(among_three((3, 1), parsimony=0.1234)).best()
    assert told[1] == (
        "Among the 3 evaluated subsets, {a1, a2, a3} (score 0.7, size 3) may still be better, by at most 0.13 "
        "(1 is the margin of one clear answer)."
    )


def test_what_if_tells_whether_the_regret_stays_whatever_becomes_of_the_recommendation():
    regret = "  the regret (how much better another may still be)"
    stays = "Without it: the best so far stays A (score 0.6, size 2)."
    assert Insight(among_three((3, 1), (3, 7))).without(3) == [stays, f"{regret} goes from 0 to 0.1."]

    elicitation = among_three(facts=[Asked(0, (1, 3)), *THREE[1:3]])
    first, second = (elicitation.history.evaluated[x] for x in (1, 3))
    assert Insight(elicitation).why(Compare(9, first, second))[-4:] == [
        "If A is better: the best so far stays A (score 0.5, size 1).",
        f"{regret} goes from unknown to 0.",
        "If B is better: the best so far becomes B (score 0.6, size 2) instead of A (score 0.5, size 1).",
        f"{regret} goes from unknown to 0.",
    ]
    again = among_three((3, 1), (3, 7))
    first, second = (again.history.evaluated[x] for x in (1, 7))
    assert Insight(again).why(Compare(9, first, second))[-1] == f"{regret} stays 0."


def test_what_rounding_leaves_of_a_regret_without_a_rival_is_told_as_nothing(monkeypatch):
    exactly = Regrets._result
    monkeypatch.setattr(Regrets, "_result", lambda self, v: replace(r := exactly(self, v), value=r.value or 2e-15))
    elicitation = among_three((3, 1), (3, 7))
    assert elicitation.beliefs.incumbent_regret.value == 2e-15
    assert Insight(elicitation).without(3)[1].endswith(" goes from 0 to 0.1.")
    told, *_ = _bounds(elicitation, "the set", Bounds())
    assert told.startswith("computed, though no proof was found: none of the 3 measured is better in any utility")
