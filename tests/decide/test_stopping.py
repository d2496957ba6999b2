"""The rules that end a run, each against its definition; the first one named that fires gives the reason."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.decide.settings import Settings
from elicit.decide.stopping import Stopping
from elicit.events import FEWEST_FIRST, STOPS
from elicit.subsets import Family
from elicit.utility.regret import Regret
from elicit.utility.scopes import Scope

N = 4
EVERYTHING = range(1, 1 << N)


def stopping(
    regret=None,
    *,
    evaluated=(),
    failed=(),
    answers=0,
    undone=0,
    in_a_row=0,
    proven=False,
    proven_among_evaluated=False,
    family=None,
    clear=1.0,
    **choices,
):
    """The rules where so much is known."""
    settings = Settings(**choices)
    history = SimpleNamespace(
        evaluated=dict.fromkeys(evaluated),
        failed=dict.fromkeys(failed),
        answers=dict.fromkeys(range(answers)),
        asked=answers - undone,
        rejections_in_a_row=in_a_row,
    )
    return Stopping(
        SimpleNamespace(
            settings=settings,
            history=history,
            family=family or Family(N),
            incumbent=None if regret is None else regret.subset,
            incumbent_regret=regret,
            scope=Scope.of(settings.scope),
            proven_optimal=proven,
            proven_among_evaluated=proven_among_evaluated,
            utilities=SimpleNamespace(clear=clear),
        )
    )


def around(subset, family):
    """All one flip or one swap away."""
    changes = ((x, x ^ subset) for x in family)
    return {x for x, c in changes if c.bit_count() == 1 or (c.bit_count() == 2 and (c & x).bit_count() == 1)}


@given(
    st.integers(1, 15), st.sets(st.sampled_from(EVERYTHING)), st.sets(st.sampled_from(EVERYTHING)), st.integers(1, 4)
)
def test_all_around_the_incumbent_were_looked_at_when_each_was_measured_or_failed(subset, skipped, failed, most):
    family = Family(N, max_size=most)
    evaluated = set(EVERYTHING) - skipped - failed
    rules = stopping(Regret(subset, 1.0, None), evaluated=evaluated, failed=failed - skipped, family=family)
    assert rules.neighbourhood_evaluated() == (not around(subset, family) & skipped)


def test_without_an_incumbent_nothing_around_it_was_looked_at():
    assert not stopping(evaluated=EVERYTHING).neighbourhood_evaluated()


@pytest.mark.parametrize(
    ("choices", "needed"),
    [
        ({}, True),
        ({"scope": "size:2"}, True),
        ({"scope": "flips:1"}, True),
        ({"scope": "evaluated"}, False),
        ({"parsimony": "exact"}, False),
    ],
)
def test_a_proof_ends_a_run_once_all_around_was_looked_at_where_that_is_needed(choices, needed):
    told = f"optimal: {Scope.of(choices.get('scope', 'family')).optimal}"
    best = Regret(1, 0.0, None)
    early = stopping(best, evaluated=[1], proven=True, **choices)
    assert early.may_be_proven() == (not needed)
    assert early.reason() == (None if needed else told)
    assert stopping(best, evaluated=EVERYTHING, proven=True, **choices).reason() == told
    assert stopping(best, evaluated=EVERYTHING, proven=False, **choices).reason() is None


@pytest.mark.parametrize(
    ("value", "fires"), [(0.0, True), (0.25, True), (0.25 + 4e-10, True), (0.25 + 4e-9, False), (float("inf"), False)]
)
def test_little_regret_ends_a_run_that_looked_around(value, fires):
    choices = {"stop": "regret", "epsilon": 0.25}
    worst = Regret(0b11, value, 1)
    reason = stopping(worst, evaluated=EVERYTHING, **choices).reason()
    assert reason == (f"regret: model regret {value:.3g} is at most 0.25 among the evaluated" if fires else None)
    unseen = set(EVERYTHING) - {0b101}  # one swap away
    assert stopping(worst, evaluated=unseen, **choices).reason() is None
    assert stopping(None, evaluated=EVERYTHING, **choices).reason() is None


def test_in_the_exact_set_too_little_regret_is_meant_in_margins_of_one_clear_answer():
    choices = {"stop": "regret", "epsilon": 0.25, "parsimony": "exact", "evaluated": EVERYTHING, "clear": 1e-3}
    assert stopping(Regret(0b11, 2e-3, 1), **choices).reason() is None  # twice the margin
    told = "regret: model regret 0.2 is at most 0.25 among the evaluated"
    assert stopping(Regret(0b11, 2e-4, 1), **choices).reason() == told


@pytest.mark.parametrize(("start", "least"), [(None, FEWEST_FIRST), (3, 3), (0, 0)])
def test_little_regret_among_fewer_than_a_run_begins_with_means_nothing(start, least):
    family = Family(N, max_size=1)
    for count in range(1, N + 1):
        measured = [1 << i for i in range(count)]
        failed = [1 << i for i in range(count, N)]
        rules = stopping(
            Regret(1, 0.0, None), evaluated=measured, failed=failed, family=family, stop="regret", start=start
        )
        assert (rules.reason() is not None) == (count >= least)


@given(st.integers(0, 8), st.integers(1, 8))
def test_rejections_in_a_row_end_a_run_at_the_number_set(in_a_row, most):
    reason = stopping(in_a_row=in_a_row, stop="rejections", rejections=most).reason()
    several = "" if in_a_row == 1 else "s"
    told = f"rejections: {in_a_row} rejection{several} in a row: the rest is for the operator to weigh"
    assert reason == (told if in_a_row >= most else None)


@given(st.integers(0, 8), st.integers(0, 4), st.integers(1, 5))
def test_questions_end_a_run_at_the_number_set_and_those_taken_back_do_not_count(answers, undone, most):
    reason = stopping(answers=answers, undone=undone, stop="questions", questions=most).reason()
    told = f"questions: asked {answers} question{'' if answers == 1 else 's'}"
    assert reason == (told if answers - undone >= most else None)


@pytest.mark.parametrize("proven", [True, False])
def test_a_run_may_end_when_it_is_proven_that_nothing_measured_gains_on_the_incumbent(proven):
    told = "evaluated: necessarily optimal among the evaluated subsets"
    rules = stopping(Regret(1, 0.0, None), proven_among_evaluated=proven, stop="evaluated")
    assert rules.reason() == (told if proven else None)


@given(st.permutations([*STOPS]), st.sets(st.sampled_from([*STOPS])))
def test_the_first_of_the_rules_named_that_fires_gives_the_reason(order, firing):
    calm = Regret(1, 0.0 if "regret" in firing else 1.0, None)
    rules = stopping(
        calm,
        evaluated=EVERYTHING,
        answers=9 if "questions" in firing else 1,
        in_a_row=5 if "rejections" in firing else 4,
        proven="optimal" in firing,
        proven_among_evaluated="evaluated" in firing,
        stop=tuple(order),
        questions=9,
        rejections=5,
        epsilon=0.5,
    )
    reason = rules.reason()
    first = next((rule for rule in order if rule in firing), None)
    assert (None if reason is None else reason.partition(":")[0]) == first
    assert stopping(calm, evaluated=EVERYTHING, stop=(), in_a_row=99).reason() is None
