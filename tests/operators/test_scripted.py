"""A scripted operator says what its script says."""

import numpy as np
import pytest

from elicit.asks import Compare, Enough, Reconcile, Settlement, TakeBack
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError
from elicit.events import BY_WISH, Answer, Evaluated, Preferred, Retracted, Settled
from elicit.operators import ScriptedOperator, answer_from
from elicit.oracles import CallableOracle


def compare(first, second, id=7):
    return Compare(id, Evaluated(0, first, (0.5, 1.0)), Evaluated(1, second, (0.6, 2.0)))


def test_answers_come_in_order_in_words_or_as_answers():
    operator = ScriptedOperator(["a", " B ", "equal", "cannot", "later", Answer.FIRST, "second", "incomparable"])
    assert [operator(compare(1, 2, id)) for id in range(8)] == [
        Answer.FIRST,
        Answer.SECOND,
        Answer.EQUAL,
        Answer.INCOMPARABLE,
        Answer.LATER,
        Answer.FIRST,
        Answer.SECOND,
        Answer.INCOMPARABLE,
    ]


def test_every_answer_is_a_word():
    assert [answer_from(answer) for answer in Answer] == list(Answer)


def test_a_script_that_runs_out_is_an_error():
    operator = ScriptedOperator(["a"])
    operator(compare(1, 2))
    for _ in range(2):
        with pytest.raises(InputError, match="the script holds 1 answer and request 9"):
            operator(compare(1, 2, id=9))


def test_a_script_that_runs_out_answers_otherwise():
    operator = ScriptedOperator(iter(["a"]), otherwise="cannot")
    assert [operator(compare(1, 2)) for _ in range(3)] == ["first", "incomparable", "incomparable"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["frist"], "unknown answer 'frist'; did you mean 'first'"),
        (["xyz\x1b"], r"unknown answer 'xyz\\x1b'; write one of a, first"),
        ([1], "expected an answer as one of the words"),
        ("abba", "expected a list of answers, found 'abba'"),
        (None, "expected a list of answers, found None"),
    ],
)
def test_wrong_words_are_refused_at_once(answers, said):
    with pytest.raises(InputError, match=said):
        ScriptedOperator(answers)


def test_a_contradiction_keeps_every_answer_and_uses_up_none():
    operator = ScriptedOperator(["b"])
    assert operator(Reconcile(3, (1, 2))) == Settlement(None)
    assert operator(compare(1, 2)) is Answer.SECOND


def facts_of(operator, seed):
    rng = np.random.default_rng(seed)
    weights = dict(zip("abcd", rng.normal(size=4).tolist(), strict=True))
    oracle = CallableOracle(lambda names: sum(weights[name] for name in names), list("abcd"))
    settings = Settings(budget=12, questions=10, ask_every=1, stop=())
    run = Elicitation(oracle.attributes, oracle.criteria, settings, seed=seed)
    drive(run, oracle, operator(run))
    return run.history.facts


def capricious(seed):
    """Makes an operator who answers by chance, takes answers back, and settles contradictions as it likes."""
    rng = np.random.default_rng(seed)

    def made(run):
        def reply(request):
            standing = list(run.history.standing)
            if isinstance(request, Reconcile):
                if rng.random() < 0.3:
                    return TakeBack(int(rng.choice(standing)))
                return Settlement(rng.choice([None, *request.conflict]))
            if rng.random() < 0.05:
                return Enough()
            if standing and rng.random() < 0.2:
                return TakeBack(int(rng.choice(standing)))
            return Answer(rng.choice([a.value for a in Answer]))

        return reply

    return made


def test_what_the_operator_of_a_record_said_makes_the_same_run_again():
    kinds, wished = set(), 0
    for seed in range(20):
        told = facts_of(capricious(seed), seed)
        assert facts_of(lambda _, told=told: ScriptedOperator.recorded(told), seed) == told
        kinds |= {type(fact) for fact in told}
        wished += told[-1].reason.startswith(BY_WISH)
    assert kinds >= {Preferred, Retracted, Settled}
    assert 0 < wished < 20


@pytest.mark.parametrize("seed", [0, 4, 7, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2, 3, 5, 6, 8, 9))])
def test_who_goes_on_with_a_run_that_was_interrupted_stands_where_its_facts_end(seed):
    told = facts_of(capricious(seed), seed)
    for most in (0, 1, 2, 3, 5, 8):

        def interrupted_and_another(run, most=most):
            script, calls = ScriptedOperator.recorded(told), []

            def reply(request):
                nonlocal script
                calls.append(request)
                if len(calls) == most + 1:  # here it was interrupted: another one, made anew, goes on
                    script = ScriptedOperator.recorded(told)
                    script.catch_up(run.facts)
                return script(request)

            return reply

        assert facts_of(interrupted_and_another, seed) == told


def test_what_settled_a_contradiction_before_an_interrupt_settles_no_other():
    operator = ScriptedOperator.recorded([Settled(3, (1, 2)), Retracted(4, 1)])
    operator.catch_up([Settled(3, (1, 2))])
    assert operator(Reconcile(4, (1, 2))) == Settlement(1)


def test_a_settlement_that_was_passed_over_is_passed_over_by_who_goes_on_too():
    first, second, last = Answer.FIRST, Answer.SECOND, Answer.EQUAL
    script = [Preferred(1, 1, 2, first), Settled(2, (1,)), Retracted(3, 1)]
    operator = ScriptedOperator.recorded([*script, Preferred(4, 1, 2, second), Preferred(5, 1, 2, last)])
    operator.catch_up([Preferred(1, 1, 2, first), Retracted(2, 1), Preferred(3, 1, 2, second)])
    assert operator(compare(1, 2)) is last
    operator.catch_up([Preferred(1, 1, 2, first)])
    assert operator(Reconcile(2, (1,))) == Settlement(None)
    operator = ScriptedOperator.recorded([Settled(2, (1,)), Preferred(3, 1, 2, first), Preferred(4, 1, 2, last)])
    operator.catch_up([Preferred(2, 1, 2, first)])
    assert operator(compare(1, 2)) is last


def test_a_settlement_of_another_run_answers_no_question():
    operator = ScriptedOperator.recorded([Settled(3, (1, 2)), Preferred(4, 1, 2, Answer.SECOND), Retracted(5, 4)])
    assert operator(compare(1, 2)) is Answer.SECOND
    assert operator(Reconcile(9, (1, 2))) == Settlement(None)
    assert operator(compare(1, 2)) == TakeBack(4)
    with pytest.raises(InputError, match="the script holds 1 answer and request 9"):
        operator(compare(1, 2, id=9))
