"""A simulated operator answers by its utility, errs at the stated rate, and by seed and question alone."""

import copy
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError
from elicit.events import Answer, Criterion, Evaluated, Preferred
from elicit.knowledge.history import History
from elicit.knowledge.statements import contradiction
from elicit.numeric import step_of
from elicit.operators import HiddenTheta, Lexicographic, SimulatedOperator
from elicit.operators.simulated import _within_a_step
from elicit.subsets import Attributes

SCORE_SIZE_COST = (Criterion("score"), Criterion("size", maximise=False), Criterion("cost", maximise=False))


def fact(score, subset=1):
    return Evaluated(0, subset, (score, float(subset.bit_count())))


def costly(score, size, cost):
    return Evaluated(0, (1 << size) - 1, (score, float(size), cost))


def asked(operator, first, second, id=0):
    return operator(Compare(id, first, second))


def test_an_expression_decides():
    operator = SimulatedOperator("score - 0.005 * size")
    assert asked(operator, fact(0.90, 0b1), fact(0.904, 0b11)) is Answer.FIRST
    assert asked(operator, fact(0.90, 0b1), fact(0.906, 0b11)) is Answer.SECOND
    assert asked(operator, fact(0.90, 0b1), fact(0.905, 0b11)) is Answer.EQUAL
    assert operator.utility({"score": 0.9, "size": 4.0}) == pytest.approx(0.88)
    assert operator.utility({"score": 0.9}, subset=0b1111) == pytest.approx(0.88)


def test_size_is_known_even_if_the_oracle_does_not_report_it():
    operator = SimulatedOperator("merit - size", [Criterion("merit")])
    first, second = Evaluated(0, 0b11, (5.0,)), Evaluated(1, 0b100, (4.5,))
    assert asked(operator, first, second) is Answer.SECOND
    assert list(operator.utilities({"merit": np.array([5.0, 4.5])}, [0b11, 0b100])) == [3.0, 3.5]


def test_equal_is_within_1e_9_and_hesitation_within_its_threshold():
    operator = SimulatedOperator("score", hesitation=0.01)
    assert asked(operator, fact(0.5), fact(0.5 + 5e-10)) is Answer.EQUAL
    assert asked(operator, fact(0.5), fact(0.509)) is Answer.INCOMPARABLE
    assert asked(operator, fact(0.509), fact(0.5)) is Answer.INCOMPARABLE
    assert asked(operator, fact(0.5), fact(0.511)) is Answer.SECOND


@pytest.mark.parametrize("score", [0.2, 0.33, 0.5, 0.7, 0.9])
def test_who_hesitates_over_a_hundredth_does_so_wherever_it_lies(score):
    operator = SimulatedOperator("score", hesitation=0.01)
    assert asked(operator, fact(score), fact(score + 0.01)) is Answer.INCOMPARABLE
    assert asked(operator, fact(score), fact(score + 0.01 + 1e-8)) is Answer.SECOND


@pytest.mark.parametrize("boundary", [128.0, 2.0**20])
def test_two_are_told_apart_alike_whichever_of_them_is_shown_first(boundary):
    apart = 1.5 * step_of(boundary / 1.5)
    below, above = fact(boundary - apart / 2), fact(boundary + apart / 2)
    assert step_of(below.criteria[0]) < apart < step_of(above.criteria[0])
    assert asked(SimulatedOperator("score"), below, above) is Answer.EQUAL
    assert asked(SimulatedOperator("score"), above, below) is Answer.EQUAL


def test_a_callable_decides():
    def utility(criteria):
        return criteria["score"] / criteria["size"]

    operator = SimulatedOperator(utility)
    assert asked(operator, fact(0.8, 0b1), fact(0.9, 0b11)) is Answer.FIRST
    columns = {"score": np.array([0.8, 0.9]), "size": np.array([1.0, 2.0])}
    assert list(operator.utilities(columns)) == [0.8, 0.45]
    with pytest.raises(InputError, match="utility is nan"):
        asked(SimulatedOperator(lambda _: float("nan")), fact(0.8), fact(0.9))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param((0.893, 9, 1.0), (0.899, 2, 1.0), Answer.SECOND, id="same step of score: fewer attributes"),
        pytest.param((0.899, 2, 1.0), (0.901, 9, 1.0), Answer.SECOND, id="a step of score outweighs any size"),
        pytest.param((0.90, 3, 1.0), (0.9 - 1e-12, 2, 1.0), Answer.SECOND, id="rounding does not lose a step"),
        pytest.param((0.90, 3, 1.5), (0.90, 3, 1.4), Answer.SECOND, id="the last criterion decides at last"),
        pytest.param((0.90, 3, 1.5), (0.90, 3, 1.5 + 1e-10), Answer.EQUAL, id="values count at 1e-9"),
    ],
)
def test_a_lexicographic_order_decides(first, second, expected):
    preference = Lexicographic(("score", "size", "cost"), {"score": 0.01})
    operator = SimulatedOperator(preference, SCORE_SIZE_COST)
    mirrored = {Answer.FIRST: Answer.SECOND, Answer.SECOND: Answer.FIRST}
    assert asked(operator, costly(*first), costly(*second)) is expected
    assert asked(operator, costly(*second), costly(*first)) is mirrored.get(expected, expected)


def test_truthful_answers_by_an_order_may_go_against_what_was_measured_and_never_against_each_other():
    operator = SimulatedOperator(Lexicographic(("score", "size"), {"score": 0.01}), SCORE_SIZE_COST)
    measured = {0b01: (0.893, 1.0, 5.0), 0b10: (0.896, 1.0, 5.0), 0b100: (0.899, 1.0, 9.0)}
    facts = [Evaluated(k, subset, criteria) for k, (subset, criteria) in enumerate(measured.items())]
    history = History(Attributes.numbered(3), SCORE_SIZE_COST, facts=facts)
    assert 0b01 in history.dominates[0b10]  # by less than a step
    for k, pair in enumerate([(0, 2), (1, 2)], start=3):
        one, other = (facts[place] for place in pair)
        history.record(Preferred(k, one.subset, other.subset, operator.truth(one, other)))
    assert {answer.answer for answer in history.answers.values()} == {Answer.EQUAL}
    assert history.contradiction
    assert contradiction(history.stated) == ()


def test_a_lexicographic_utility_has_the_order_of_the_answers():
    operator = SimulatedOperator(
        Lexicographic(("score", "cost", "size"), {"score": 0.05, "cost": 0.5}), SCORE_SIZE_COST
    )
    rng = np.random.default_rng(1)
    facts = [costly(rng.uniform(0.8, 1), int(rng.integers(1, 9)), rng.uniform(0, 3)) for _ in range(60)]
    columns = {name: np.array([f.criteria[i] for f in facts]) for i, name in enumerate(("score", "size", "cost"))}
    worth = operator.utilities(columns)
    for i, j in itertools.combinations(range(60), 2):
        expected = (
            Answer.EQUAL
            if abs(worth[i] - worth[j]) < 1e-9
            else (Answer.FIRST if worth[i] > worth[j] else Answer.SECOND)
        )
        assert asked(operator, facts[i], facts[j]) is expected
    assert worth[0] == operator.utility(dict(zip(("score", "size", "cost"), facts[0].criteria, strict=True)))


@pytest.mark.parametrize("order", [("size", "score"), ("score", "size"), ("size", "score", "cost")])
def test_without_steps_a_worse_subset_still_loses_something(order):
    operator = SimulatedOperator(Lexicographic(order), SCORE_SIZE_COST)
    facts = [costly(score, size, cost) for score in (0.6807, 0.7582) for size in (1, 2, 15, 16) for cost in (1.0, 2.0)]
    worth = operator.utilities(
        {name: np.array([f.criteria[i] for f in facts]) for i, name in enumerate(("score", "size", "cost"))}
    )
    for i, j in itertools.combinations(range(len(facts)), 2):
        answer = asked(operator, facts[i], facts[j])
        assert (answer is Answer.EQUAL) == (abs(worth[i] - worth[j]) <= 1e-9)
        assert answer is not Answer.FIRST or worth[i] > worth[j]


def test_below_a_score_every_size_up_to_hundreds_is_told_apart():
    operator = SimulatedOperator(Lexicographic(("score", "size")), SCORE_SIZE_COST)
    sizes = np.arange(1.0, 900.0)
    worth = operator.utilities({"score": np.full(899, 0.9), "size": sizes})
    assert (np.diff(worth) < -1e-9).all()
    more = operator.utilities({"score": np.array([0.9, 0.900001]), "size": np.array([1.0, 899.0])})
    assert more[1] - more[0] > 1e-9, "a step of the score outweighs them all"


costs = st.floats(-1e9, 1e9, allow_subnormal=False)


@given(st.lists(costs, min_size=2, max_size=20))
def test_below_a_step_costs_of_any_size_are_told_apart_by_a_hundredth(values):
    worth = _within_a_step("cost", np.array(values))
    assert ((worth > 0) & (worth < 1)).all()
    for (a, u), (b, v) in itertools.combinations(zip(values, worth, strict=True), 2):
        assert (u <= v) if a <= b else (u >= v)
        if abs(a - b) > 0.01 * max(abs(a), abs(b), 1e-3):
            assert abs(u - v) * 0.01 > 1e-9, "in steps of a hundredth of the score"


@pytest.mark.parametrize("costs", [(2.0, 2.02), (3.0, 3.04), (5.0, 5.1), (0.9, 0.91), (1.0, 1.01), (12.0, 12.5)])
def test_below_a_step_by_default_small_costs_are_told_apart_by_about_a_hundredth(costs):
    operator = SimulatedOperator(Lexicographic(("score", "cost")), SCORE_SIZE_COST)
    columns = {"score": np.full(2, 0.9), "size": np.ones(2), "cost": np.array(costs)}
    assert operator.utilities(columns).argmax() == 0


def test_costs_of_millions_are_told_apart_with_steps_of_their_own_size():
    steps = {"score": 0.02, "cost": 1e6}
    operator = SimulatedOperator(Lexicographic(("score", "cost"), steps), SCORE_SIZE_COST)
    columns = {"score": np.array([0.90, 0.91, 0.93]), "size": np.ones(3), "cost": np.array([58e6, 55e6, 99e6])}
    assert list(operator.utilities(columns).argsort()) == [0, 1, 2]


@given(st.lists(st.tuples(st.sampled_from([0.8, 0.9]), st.sampled_from([10.0, 20.0, 1e4, 1.02e4, 1.05e4])), min_size=2))
def test_where_utilities_cannot_tell_what_an_order_does_that_is_an_error(rows):
    score, cost = np.array(rows).T
    columns = {"score": score, "size": np.ones(len(rows)), "cost": cost}
    facts = [costly(s, 1, c) for s, c in rows]
    for preference in (Lexicographic(("score", "cost")), Lexicographic(("score", "cost"), {"score": 0.001})):
        operator = SimulatedOperator(preference, SCORE_SIZE_COST)
        lost = not preference.steps and any(len({c for s, c in rows if s == at and c >= 1e4}) > 1 for at in (0.8, 0.9))
        if lost:
            with pytest.raises(
                InputError, match=r"is better than .* by too little to be told from rounding; give larger"
            ):
                operator.utilities(columns)
            continue
        worth = operator.utilities(columns)
        for i, j in itertools.combinations(range(len(rows)), 2):
            ahead = worth[i] - worth[j]
            said = Answer.EQUAL if abs(ahead) <= 1e-9 else Answer.FIRST if ahead > 0 else Answer.SECOND
            assert asked(operator, facts[i], facts[j]) is said


def test_a_hidden_theta_decides_by_the_subsets():
    operator = SimulatedOperator(HiddenTheta({0b001: 1.0, 0b010: 2.0, 0b011: -2.5, 0b100: 0.25}))
    worth = {0b001: 1.0, 0b010: 2.0, 0b011: 0.5, 0b100: 0.25, 0b101: 1.25, 0b110: 2.25, 0b111: 0.75}
    for first, second in itertools.permutations(worth, 2):
        expected = Answer.FIRST if worth[first] > worth[second] else Answer.SECOND
        assert asked(operator, fact(0.5, first), fact(0.5, second)) is expected
    assert list(operator.utilities({}, list(worth))) == list(worth.values())
    assert operator.utility({}, 0b110) == 2.25
    with pytest.raises(InputError, match="pass both"):
        operator.utility({"score": 0.5})


def test_a_hidden_theta_works_far_beyond_64_attributes():
    far = 1 << 999
    operator = SimulatedOperator(HiddenTheta({far: 1.0, far | 1: 2.0}))
    assert list(operator.utilities({}, [far, far | 1, 1, far | 2])) == [1.0, 3.0, 0.0, 1.0]


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from([1, 2, 3, 4, 5, 6, 8, 9, 10, 12]), st.floats(-5, 5), max_size=10))
def test_a_hidden_theta_is_the_sum_over_what_the_subset_holds(theta):
    subsets = range(1, 16)
    found = HiddenTheta(theta).over(list(subsets))
    expected = [sum(value for mask, value in theta.items() if mask & v == mask) for v in subsets]
    assert found == pytest.approx(expected, abs=1e-9)


# noise


def test_wrong_answers_come_at_the_stated_rate():
    operator = SimulatedOperator("score", noise=0.3, seed=5)
    answers = [asked(operator, fact(0.4), fact(0.6), id) for id in range(4000)]
    assert set(answers) == {Answer.FIRST, Answer.SECOND}
    assert abs(answers.count(Answer.FIRST) / 4000 - 0.3) < 0.03  # four standard deviations


def test_errors_have_nothing_to_do_with_what_a_run_of_the_same_seed_draws():
    operator, wrong, drawn = SimulatedOperator("score", noise=0.5, seed=5), [], []
    for id in range(1, 2000):
        wrong.append(asked(operator, fact(0.4), fact(0.6), id) is Answer.FIRST)
        drawn.append(np.random.default_rng([5, id]).random() < 0.5)  # as the round of a question that is alone in it
    assert abs(np.corrcoef(wrong, drawn)[0, 1]) < 0.1  # more than four standard deviations


def test_no_noise_is_never_wrong_and_full_noise_always():
    for id in range(200):
        assert asked(SimulatedOperator("score", noise=0), fact(0.4), fact(0.6), id) is Answer.SECOND
        assert asked(SimulatedOperator("score", noise=1), fact(0.4), fact(0.6), id) is Answer.FIRST


def test_a_wrong_answer_to_an_equal_pair_is_strict_either_way_and_hesitation_stays():
    operator = SimulatedOperator("score", noise=1, hesitation=0.1)
    answers = [asked(operator, fact(0.5), fact(0.5), id) for id in range(200)]
    assert set(answers) == {Answer.FIRST, Answer.SECOND}
    assert {asked(operator, fact(0.5), fact(0.55), id) for id in range(50)} == {Answer.INCOMPARABLE}


def test_noise_depends_on_seed_and_question_alone():
    def answers(seed, ids):
        operator = SimulatedOperator("score", noise=0.5, seed=seed)
        return {id: asked(operator, fact(0.4), fact(0.6), id) for id in ids}

    forward = answers(3, range(100))
    assert answers(3, reversed(range(100))) == forward
    assert answers(3, range(50, 60)) == {id: forward[id] for id in range(50, 60)}
    assert answers(4, range(100)) != forward


def test_the_truth_is_known_beside_the_noise():
    operator = SimulatedOperator("score", noise=1)
    assert operator.truth(fact(0.4), fact(0.6)) is Answer.SECOND


def test_a_contradiction_keeps_every_answer():
    assert SimulatedOperator("score")(Reconcile(3, (1, 2))) == Settlement(None)


@pytest.mark.parametrize(
    "utility",
    ["score - 0.1 * size", Lexicographic(("score",), {"score": 0.1}), HiddenTheta({1: 0.5, 3: 1.0})],
    ids=["expression", "lexicographic", "theta"],
)
def test_an_operator_can_be_copied_and_sent_to_a_worker(utility):
    operator = SimulatedOperator(utility, noise=0.2, seed=3)
    pair = fact(0.5, 0b1), fact(0.7, 0b11)
    expected = [asked(operator, *pair, id) for id in range(30)]
    for twin in (copy.deepcopy(operator), pickle.loads(pickle.dumps(operator))):
        assert [asked(twin, *pair, id) for id in range(30)] == expected


# bad input


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: SimulatedOperator("score - cst", SCORE_SIZE_COST), "did you mean cost"),
        (lambda: SimulatedOperator(Lexicographic(("score", "cost"))), "unknown criterion 'cost'"),
        (lambda: SimulatedOperator(Lexicographic(("Score",))), "unknown criterion 'Score'; did you mean 'score'"),
        (lambda: SimulatedOperator("score", ["score"]), "criteria are a list of Criterion"),
        (lambda: SimulatedOperator(3), "expected a utility as an expression or a callable, found 3"),
        (lambda: SimulatedOperator("score", noise=1.5), "noise, a probability, .* found 1.5"),
        (lambda: SimulatedOperator("score", noise=-0.1), "noise"),
        (lambda: SimulatedOperator("score", noise=float("nan")), "noise"),
        (lambda: SimulatedOperator("score", noise="0.1"), "noise"),
        (lambda: SimulatedOperator("score", hesitation=-1), "hesitation must be a finite number at least 0"),
        (lambda: SimulatedOperator("score", noise=10**400), "noise, a probability, .* found 1000"),
        (lambda: Lexicographic(("score",), {"score": 10**400}), "the step of 'score'"),
        (lambda: SimulatedOperator("score", seed=-1), "a seed is a whole number from 0, found -1"),
        (lambda: SimulatedOperator("score", seed=True), "a seed"),
        (lambda: Lexicographic(()), "expected a list of criteria"),
        (lambda: Lexicographic("score"), "expected a list of criteria"),
        (lambda: Lexicographic(("score", "score")), "occurs twice"),
        (lambda: Lexicographic(("score",), {"size": 1.0}), "not in the order"),
        (lambda: Lexicographic(("score",), {"score": 0.0}), "the step of 'score'"),
        (lambda: HiddenTheta({0b111: 1.0}), "singletons and pairs"),
        (lambda: HiddenTheta({0: 1.0}), "singletons and pairs"),
        (lambda: HiddenTheta({1: float("inf")}), "θ of mask 1"),
    ],
)
def test_bad_settings_are_refused_at_once(build, said):
    with pytest.raises(InputError, match=said):
        build()


def test_a_text_is_no_utility_though_python_reads_a_number_in_it():
    with pytest.raises(InputError, match=r"failed with TypeError: found '0.5', expected a number"):
        asked(SimulatedOperator(lambda _: "0.5"), fact(0.5), fact(0.6))


def test_other_criteria_than_the_oracles_are_noticed():
    with pytest.raises(InputError, match="give the operator the oracle's criteria"):
        asked(SimulatedOperator("score"), costly(0.5, 1, 1.0), costly(0.6, 1, 1.0))


@pytest.mark.parametrize(
    "utility",
    [
        "where(size > 1, -1.5e308, 1.5e308)",  # the difference of such two is no number
        lambda _: 1e250,
        Lexicographic(("score",), {"score": 1e300}),
        HiddenTheta({1: -1e300}),
    ],
    ids=["expression", "callable", "lexicographic", "theta"],
)
def test_a_utility_that_no_difference_can_be_taken_of_is_refused(utility):
    with pytest.raises(InputError, match=r"the operator's utility is .* 'score': -0.5}, .* below 1e\+250; rescale it"):
        asked(SimulatedOperator(utility), fact(-0.5, 0b1), fact(-0.7, 0b11))


def test_a_criterion_without_a_finite_value_is_refused():
    with pytest.raises(InputError, match="finite"):
        asked(SimulatedOperator(Lexicographic(("score",))), fact(float("nan")), fact(0.6))
    with pytest.raises(InputError, match="needs criterion 'score'"):
        SimulatedOperator(Lexicographic(("score",))).utility({"size": 1.0})


def test_an_operator_is_shown_by_what_it_likes():
    assert repr(SimulatedOperator("score - 0.1 * size")) == "SimulatedOperator('score - 0.1 * size')"
    erring = SimulatedOperator(Lexicographic(("score",)), noise=0.1)
    assert repr(erring) == "SimulatedOperator(Lexicographic(order=('score',), steps={}), noise=0.1)"
