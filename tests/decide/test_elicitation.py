"""The core of the loop: requests, replies, rounds, replays, and what it never does."""

import gc
import itertools
import weakref

import journals
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit.asks import Compare, Done, Evaluate, Failure, Measured, Reconcile, Settlement
from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import LAST_WORTH, Elicitation
from elicit.decide.exploring import propose
from elicit.decide.questioning import Question, Questions
from elicit.decide.settings import Settings, settings_from
from elicit.errors import InputError, ProtocolError
from elicit.events import Answer, Asked, Evaluated, Preferred, Resumed, Retracted, Stopped
from elicit.knowledge.dominance import Noise, within_noise
from elicit.knowledge.history import History
from elicit.operators import SimulatedOperator
from elicit.oracles import CallableOracle
from elicit.subsets import Attributes, Family
from elicit.utility.solver import Program


def score(subset: int, seed: int = 0) -> float:
    """A hidden 2-additive score with a little of its own for every subset."""
    rng = np.random.default_rng([seed, 7])
    n = 12
    single, pair = rng.normal(size=n), rng.normal(size=(n, n)) * 0.5
    held = [i for i in range(n) if subset >> i & 1]
    return float(sum(single[held]) + sum(pair[i, j] for i, j in itertools.combinations(held, 2)))


def measure(request: Evaluate) -> Measured:
    return Measured((score(request.subset), float(request.subset.bit_count())))


def prefers_score(request: Compare) -> Answer:
    first, second = (e.criteria[0] - 0.3 * e.criteria[1] for e in (request.first, request.second))
    return Answer.EQUAL if abs(first - second) < 1e-9 else Answer.FIRST if first > second else Answer.SECOND


def reply(request, answer=prefers_score):
    match request:
        case Evaluate():
            return measure(request)
        case Compare():
            return answer(request)
        case Reconcile():
            return Settlement(None)


def run(elicitation: Elicitation, answer=prefers_score, most: int = 10_000) -> Done:
    for _ in range(most):
        request = elicitation.ask()
        if isinstance(request, Done):
            return request
        elicitation.tell(request.id, reply(request, answer))
    raise AssertionError("the run does not end")


def small(n=5, seed=0, **choices) -> Elicitation:
    return Elicitation(Attributes.numbered(n), settings=Settings(**choices), seed=seed)


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(k, marks=pytest.mark.slow) for k in range(4, 8))])
def test_of_those_that_the_operator_calls_equal_the_simplest_is_recommended(seed):
    elicitation = small(seed=seed, budget=16, doubt=1.0)  # a check would find that not all can be equal
    done = run(elicitation, lambda _: Answer.EQUAL)
    history, beliefs = elicitation.history, elicitation.beliefs
    assert history.answers
    for answer in history.answers.values():
        pair = (answer.first, answer.second)
        if done.subset in pair and set(pair) <= set(beliefs.candidates):
            assert done.subset == min(pair, key=lambda m: (m.bit_count(), m))


@pytest.mark.parametrize("recommend", ["expected", "regret"])
@pytest.mark.parametrize("parsimony", [0.1, "exact"])
def test_what_the_operator_calls_equal_to_a_dominated_subset_is_not_recommended(parsimony, recommend):
    history = History(Attributes.numbered(4))
    history.record(Evaluated(0, 0b0001, (0.5, 1.0)))
    history.record(Evaluated(1, 0b0110, (0.8, 2.0)))
    history.record(Preferred(2, 0b0001, 0b0110, Answer.EQUAL))
    history.record(Evaluated(3, 0b1010, (0.85, 2.0)))  # better than {a2, a3}, hence than {a1} by the answer
    beliefs = Beliefs(history, Family(4), Settings(parsimony=parsimony, recommend=recommend))
    assert beliefs.candidates == [0b1010]
    assert beliefs.incumbent == 0b1010


def test_an_answer_that_is_contradicted_carries_nothing_further_down():
    history = History(Attributes.numbered(4))
    history.record(Evaluated(0, 0b0001, (0.5, 1.0)))
    history.record(Evaluated(1, 0b0110, (0.8, 2.0)))
    history.record(Evaluated(2, 0b1010, (0.85, 2.0)))
    history.record(Preferred(3, 0b0001, 0b0110, Answer.EQUAL))
    history.record(Preferred(4, 0b0001, 0b1010, Answer.FIRST))
    assert Beliefs(history, Family(4), Settings()).candidates == [0b0001, 0b1010]


def open_round() -> Elicitation:
    """A run of which three evaluations and a comparison are open, after two evaluations."""
    rounds = [Asked(0, (0b0001, 0b0110)), Asked(2, (0b0010, 0b0100, 0b1000), compare=(0b0001, 0b0110))]
    first = [Evaluated(0, 0b0001, (0.5, 1.0)), Evaluated(1, 0b0110, (0.8, 2.0))]
    return Elicitation(Attributes.numbered(4), facts=[rounds[0], *first, rounds[1]])


def test_an_answer_is_taken_back_once_also_while_its_round_is_open():
    elicitation = open_round()
    elicitation.tell(5, Answer.FIRST)
    elicitation.retract(5)
    with pytest.raises(ProtocolError, match="request 5 was taken back before"):
        elicitation.retract(5)


def test_a_new_budget_counts_what_was_asked_for_and_not_measured_yet():
    elicitation = open_round()
    with pytest.raises(InputError, match="5 evaluations are spent or asked for already, more than a budget of 4"):
        elicitation.resume(4)
    elicitation.resume(5)
    run(elicitation)
    assert elicitation.evaluations == elicitation.budget == 5


def test_a_budget_that_was_spent_says_how_much():
    elicitation = small(budget=6, questions=0)
    run(elicitation)
    with pytest.raises(InputError, match="6 evaluations are spent already, more than a budget of 5"):
        elicitation.resume(5)
    elicitation.resume(6)  # just enough


def test_a_run_that_ended_is_not_opened_by_what_was_never_answered_and_ends_once():
    elicitation = small(budget=6, questions=0)
    run(elicitation)
    before = elicitation.facts
    with pytest.raises(InputError, match="request 0 holds no answer"):
        elicitation.retract(0)
    with pytest.raises(ProtocolError, match="the run has ended before"):
        elicitation.stop("enough")
    assert elicitation.facts == before
    assert isinstance(elicitation.ask(), Done)


def test_a_run_that_ended_goes_on_when_an_answer_is_taken_back():
    elicitation = small(6, budget=20, ask_every=2, questions=2, confirm=0, stop=())
    run(elicitation)
    count, last = len(elicitation.facts), max(elicitation.history.standing)
    elicitation.retract(last)
    assert [type(fact) for fact in elicitation.facts[count:]] == [Resumed, Retracted]
    assert last not in elicitation.history.standing
    assert isinstance(elicitation.ask(), Compare), "a question is left again"


@pytest.mark.parametrize("start", [0, 1])
def test_a_run_may_begin_without_a_look_around(start):
    assert run(small(start=start, budget=9)).subset is not None


@pytest.mark.parametrize(("parsimony", "seed"), [(0.1, 0), (0.1, 3), ("exact", 4)])  # others end for other reasons
def test_little_regret_among_a_few_that_were_looked_at_ends_no_run(parsimony, seed):
    elicitation = small(seed=seed, stop=("regret",), parsimony=parsimony, budget=31, ask_every=2, questions=20, start=6)
    done = run(elicitation)
    assert done.reason.startswith("regret: ")
    measured = elicitation.history.evaluated
    assert len(measured) >= 6
    around = elicitation.family.neighbours(done.subset) + elicitation.family.swaps(done.subset)
    assert all(y in measured for y in around)


@pytest.mark.parametrize(("start", "ended"), [(5, True), (6, False)])
def test_little_regret_ends_no_run_before_as_many_were_looked_at_as_it_begins_with(start, ended):
    around = (0b001, 0b010, 0b100, 0b011, 0b101)  # the first is best, and all that is near it is measured
    measured = [Evaluated(k, m, (0.9 - 0.1 * k, float(m.bit_count()))) for k, m in enumerate(around)]
    settings = Settings(start=start, stop=("regret",), policy="none")
    elicitation = Elicitation(Attributes.numbered(3), settings=settings, facts=[Asked(0, around), *measured])
    assert isinstance(elicitation.ask(), Done) is ended


def test_asking_twice_returns_the_same_request():
    elicitation = small()
    assert elicitation.ask() is elicitation.ask()
    assert elicitation.ask() in elicitation.pending()


def test_a_wrong_or_late_reply_is_an_error_that_changes_nothing():
    elicitation = small(batch=2)
    request = elicitation.ask()
    before = elicitation.facts, elicitation.pending()
    for id, wrong in (
        (request.id, Answer.FIRST),
        (request.id, Settlement(None)),
        (request.id + 99, measure(request)),
        (request.id, Measured((float("nan"), 1.0))),
        (request.id, Measured((1.0,))),
    ):
        with pytest.raises((ProtocolError, InputError)):
            elicitation.tell(id, wrong)
        assert (elicitation.facts, elicitation.pending()) == before
    elicitation.tell(request.id, measure(request))
    with pytest.raises(ProtocolError, match="not open"):
        elicitation.tell(request.id, measure(request))


def test_a_subset_is_never_paid_for_twice_and_stays_in_the_family():
    family = Family(6, keep=0b1, drop=0b100000, max_size=4)
    elicitation = Elicitation(Attributes.numbered(6), settings=Settings(budget=40), family=family)
    run(elicitation)
    asked = [s for fact in elicitation.facts if isinstance(fact, Asked) for s in fact.evaluate]
    assert len(asked) == len(set(asked)) <= 40
    assert all(subset in family for subset in asked)
    assert elicitation.incumbent in family


@pytest.mark.parametrize("policy", ["current", "favourite", "split", "ranking", "one-flip"])
def test_no_question_is_decided_by_dominance_or_asked_twice(policy):
    elicitation = small(6, budget=30, policy=policy, ask_every=1, questions=25, stop=())
    asked = []

    def answer(request: Compare) -> Answer:
        a, b = request.first, request.second
        better = a.criteria[0] >= b.criteria[0] and a.criteria[1] <= b.criteria[1]
        worse = a.criteria[0] <= b.criteria[0] and a.criteria[1] >= b.criteria[1]
        assert not better, "dominance knows this answer"
        assert not worse, "dominance knows this answer"
        asked.append(frozenset((a.subset, b.subset)))
        return prefers_score(request)

    run(elicitation, answer)
    assert len(asked) == len(set(asked)) <= 25
    assert asked


def test_answers_that_chain_are_not_asked_for():
    elicitation = small(5, budget=31, policy="ranking", ask_every=0, questions=500, stop=())
    asked = []

    def answer(request: Compare) -> Answer:
        pairs = {(a, b) for a, b in asked}
        reach = set(pairs)
        for _ in range(5):
            reach |= {(a, d) for a, b in reach for c, d in pairs if b == c}
        said = prefers_score(request)
        a, b = request.first.subset, request.second.subset
        assert (a, b) not in reach
        assert (b, a) not in reach
        if said is not Answer.EQUAL:
            asked.append((a, b) if said is Answer.FIRST else (b, a))
        return said

    run(elicitation, answer)


@settings(max_examples=5)  # two whole runs each
@given(st.randoms(use_true_random=False), st.integers(0, 100))
def test_replies_may_come_in_any_order(random, seed):
    straight = small(5, seed, batch=4, budget=16, ask_every=2)
    run(straight)
    shuffled = small(5, seed, batch=4, budget=16, ask_every=2)
    while not isinstance(shuffled.ask(), Done):
        waiting = shuffled.pending()
        random.shuffle(waiting)
        for request in waiting:
            shuffled.tell(request.id, reply(request))
    assert sorted(map(repr, shuffled.facts)) == sorted(map(repr, straight.facts))
    assert shuffled.ask() == straight.ask()


def test_what_was_told_in_another_order_is_known_in_the_order_in_which_it_was_asked_for():
    elicitation = small(batch=4)
    elicitation.ask()
    requests = elicitation.pending()
    assert len(requests) == 4
    for request in reversed(requests):
        elicitation.tell(request.id, reply(request))
    assert [fact.request for fact in elicitation.history.evaluated.values()] == [request.id for request in requests]


@pytest.mark.parametrize("parsimony", [0.1, "exact"])  # a run for every fact of one
@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 5))])
def test_a_run_cut_anywhere_goes_on_as_if_it_had_not_been(seed, parsimony):
    whole = small(4, seed, budget=9, ask_every=2, batch=2, parsimony=parsimony)
    run(whole)
    assert whole.history.answers, "else no question is cut off"
    for cut in range(len(whole.facts) + 1):
        again = Elicitation(Attributes.numbered(4), settings=whole.settings, seed=seed, facts=whole.facts[:cut])
        run(again)
        assert again.facts == whole.facts, f"cut after {cut} facts"


@pytest.mark.parametrize("parsimony", [0.1, "exact"])
def test_the_programs_of_a_run_go_with_it_and_wait_for_no_collection_of_garbage(parsimony):
    """HiGHS holds megabytes that Python does not count, so a collection may come late, or never."""

    def programs():
        return {id(p): weakref.ref(p) for p in gc.get_objects() if type(p) is Program}

    gc.collect()
    gc.disable()
    try:
        before = programs()
        elicitation = small(4, budget=10, parsimony=parsimony, recommend="regret")
        run(elicitation)
        used = [program for key, program in programs().items() if key not in before]
        del elicitation
        assert used, "no program was solved"
        assert [program() for program in used if program() is not None] == []
    finally:
        gc.enable()


def test_a_replay_never_decides():
    """The recorded round stands, even one that would be decided otherwise."""
    attributes = Attributes.numbered(4)
    facts = [Asked(0, (0b1010,), why="by hand"), Evaluated(0, 0b1010, (0.5, 2.0))]
    elicitation = Elicitation(attributes, facts=[*facts, Asked(1, (0b0111,), why="by hand")])
    assert elicitation.ask() == Evaluate(1, 0b0111, "by hand")


def test_a_failed_subset_is_excluded_and_counted():
    elicitation = small(4, budget=10)
    failed = set()
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Evaluate) and request.subset & 1:
            failed.add(request.subset)
            elicitation.tell(request.id, Failure("no fit"))
        else:
            elicitation.tell(request.id, reply(request))
    assert failed
    assert set(elicitation.history.failed) == failed
    assert elicitation.incumbent not in failed
    assert elicitation.evaluations <= 10


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3, 4))])
def test_the_best_by_brute_force_is_recommended_when_everything_is_evaluated(seed):
    elicitation = small(4, seed, budget=15, ask_every=1, questions=100, stop=())
    run(elicitation)
    best = max(Family(4), key=lambda m: score(m) - 0.3 * m.bit_count())
    assert elicitation.incumbent == best


def test_a_contradiction_is_settled_once_and_the_run_goes_on():
    """An operator who always says the first is better contradicts himself sooner or later."""
    elicitation = small(6, budget=40, ask_every=1, questions=40, check_every=2, stop=())
    settled = []
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Reconcile):
            settled.append(request.conflict)
        elicitation.tell(request.id, reply(request, lambda _: Answer.FIRST))
    assert len(settled) == len(set(settled))
    assert elicitation.incumbent is not None


def test_a_retracted_answer_no_longer_counts_also_in_a_replay():
    elicitation = small(6, budget=30, ask_every=2, stop=())
    while not any(isinstance(f, Preferred) for f in elicitation.facts):
        request = elicitation.ask()
        elicitation.tell(request.id, reply(request))
    answered = next(f for f in elicitation.facts if isinstance(f, Preferred))
    elicitation.retract(answered.request)  # while its round is still open
    for request in elicitation.pending():
        elicitation.tell(request.id, reply(request))
    assert answered.request in elicitation.history.answers
    assert not elicitation.history.stated
    with pytest.raises(ProtocolError):
        elicitation.retract(answered.request)
    again = Elicitation(elicitation.history.attributes, settings=elicitation.settings, facts=elicitation.facts)
    assert again.history.facts == elicitation.history.facts


def test_the_operators_wish_ends_the_run_at_once():
    elicitation = small()
    elicitation.ask()
    elicitation.stop("enough")
    done = elicitation.ask()
    assert isinstance(done, Done)
    assert done.reason == "wish: enough"
    assert elicitation.pending() == []
    assert isinstance(elicitation.facts[-1], Stopped)


@pytest.mark.parametrize(
    "choices",
    [
        {"budget": 0},
        {"questions": -1},
        {"policy": "currant"},
        {"law": "uniform"},
        {"parsimony": -0.1},
        {"parsimony": "exakt"},
        {"stop": ["optimum"]},
        {"batch": 0},
        {"effort": 10_001},
        {"temperature": 0},
        {"slack": 0.5},
        {"stop": 3},
        {"weights": 3},
        {"weights": [10**400]},
        {"pairs": [[0, 1]], "degree": "2"},
        {"parsimony": float("nan")},
        {"bugdet": 3},
        {"preset": "sauce"},
    ],
)
def test_a_wrong_setting_is_one_clear_line(choices):
    with pytest.raises(InputError) as error:
        settings_from(choices)
    assert "\n" not in str(error.value)


def test_one_attribute_alone_is_evaluated_and_recommended_without_a_setting():
    run = Elicitation(["only"])
    run.tell(run.ask().id, Measured((0.5, 1.0)))
    done = run.ask()
    assert isinstance(done, Done)
    assert done.subset == 1


def test_a_near_miss_names_the_setting_meant():
    with pytest.raises(InputError, match="did you mean 'budget'"):
        settings_from({"bugdet": 3})


def test_somebodys_words_never_pass_for_a_rule_of_the_run():
    for words in ("optimal enough for the operator", "optimal: I say so"):
        elicitation = small()
        elicitation.ask()
        assert elicitation.stop(words).rule == "wish"
    with pytest.raises(InputError, match="one of time, callback, wish; found 'optimal'"):
        small().stop("it is", rule="optimal")


def test_a_family_of_which_some_was_not_tried_is_not_said_to_have_been_whatever_was_measured_outside_it():
    before = [Evaluated(k, mask, (score(mask), float(mask.bit_count()))) for k, mask in enumerate((0b110, 0b111))]
    elicitation = Elicitation(Attributes.numbered(3), family=Family(3, max_size=1), facts=before)
    assert run(elicitation).reason == "budget: 3 evaluations"
    assert len(elicitation.history.evaluated.keys() & set(elicitation.family)) == 1


def test_a_family_that_was_tried_whole_says_how_much_could_not_be_measured():
    elicitation = Elicitation(Attributes.numbered(2), settings=Settings(questions=0))
    while not isinstance(request := elicitation.ask(), Done):
        elicitation.tell(request.id, Failure("no") if request.subset == 3 else reply(request))
    assert request.reason == "exhausted: every subset of the family was tried, and 1 could not be measured"


@pytest.mark.parametrize("seed", range(4))
def test_the_source_as_printed_is_played_in_the_exact_set_and_ends_by_its_own_rules(seed):
    settings = settings_from({"preset": "source", "budget": 15, "rejections": 5})
    elicitation = Elicitation(Attributes.numbered(4), settings=settings, seed=seed)
    done = run(elicitation)
    assert done.reason.partition(":")[0] in {"optimal", "rejections", "budget", "exhausted"}
    assert "slice" in done.scope
    assert all(
        asked.why in {"", "drawn", "a proof of optimality needs it"} or asked.compare
        for asked in elicitation.history.rounds
    )
    assert elicitation.incumbent in elicitation.history.front


def test_a_prior_may_be_a_list_and_has_a_number_for_each_attribute():
    attributes = Attributes.numbered(4)
    assert isinstance(Elicitation(attributes, prior=[1, 2, 3, 4]).ask(), Evaluate)
    with pytest.raises(InputError, match=r"one number for each of the 4 attributes, found shape \(3,\)"):
        Elicitation(attributes, prior=[1, 2, 3])
    with pytest.raises(InputError, match=r"a prior is one number for each attribute, found \['1', '2', '3', '4'\]"):
        Elicitation(attributes, prior=["1", "2", "3", "4"])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "given",
    [
        [1j, 2j, 3j, 4j],
        np.array([1j, 2j, 3j, 4j]),
        np.array(["1", "2", "3", "4"], dtype=object),
        np.arange(4).astype("datetime64[ns]"),
        [1, 2, 3, 10**400],
    ],
    ids=["complex", "complex array", "texts as objects", "dates", "beyond every float"],
)
def test_a_prior_of_what_could_only_be_taken_for_numbers_is_refused(given):
    with pytest.raises(InputError, match="a prior is one number for each attribute, found"):
        Elicitation(Attributes.numbered(4), prior=given)


def test_another_budget_counts_at_once_as_it_does_in_a_replay():
    live = small(6, budget=8, questions=0)
    run(live)
    live.resume(30)
    replay = Elicitation(Attributes.numbered(6), settings=Settings(budget=8, questions=0), facts=live.facts)
    assert live.beliefs.settings == replay.beliefs.settings
    assert live.ask() == replay.ask()


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 2))])
def test_a_check_that_is_put_off_does_not_come_back(seed):
    asked = []

    def answer(request):
        pair = frozenset((request.first.subset, request.second.subset))
        asked.append((pair, request.check))
        return Answer.LATER if request.check else prefers_score(request)

    run(small(6, seed, budget=30, questions=12, ask_every=1, check_every=1), answer)
    checks = [pair for pair, check in asked if check]
    assert checks
    assert len(checks) == len(set(checks))


def asked_at(elicitation: Elicitation) -> list[tuple[int, int, Compare]]:
    """Run to the end; for each question the evaluations and the answers before it."""
    found = []
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Compare):
            found.append((elicitation.evaluations, len(elicitation.history.answers), request))
        elicitation.tell(request.id, reply(request))
    return found


def test_questions_come_after_so_many_evaluations_and_some_are_kept_for_the_end():
    choices = {"budget": 20, "questions": 4, "last_questions": 2, "confirm": 0, "worth": 0.0, "stop": (), "doubt": 1.0}
    elicitation = small(6, ask_every=3, **choices)
    regular = [request.id for evaluated, _, request in asked_at(elicitation) if evaluated < 20]
    assert len(regular) == 2  # there was room for a third
    decided = [asked.request for asked in elicitation.history.rounds if asked.compare][1:2]
    calls = [fact.request for fact in elicitation.history.evaluated.values()]
    since = [sum(answer < call < now for call in calls) for answer, now in zip(regular, decided, strict=False)]
    assert since == [3]  # what is measured in the round of a question was asked for together with it
    assert [evaluated for evaluated, _, _ in asked_at(small(6, ask_every=50, policy="ranking", **choices))] == [20, 20]


def test_every_so_many_answers_one_question_repeats_what_they_imply():
    elicitation = small(5, budget=16, questions=9, ask_every=1, check_every=2, doubt=1.0, stop=())
    checks = [answers for _, answers, request in asked_at(elicitation) if request.check]
    assert len(checks) > 1
    assert all(answers and answers % 2 == 0 for answers in checks)


def test_an_answer_may_be_worth_less_when_the_budget_is_spent_and_few_answers_are_confirmed(monkeypatch):
    elicitation = small(6, budget=12, questions=9, ask_every=4, last_questions=2, confirm=2, stop=())
    wanted, confirmed = [], []
    plain_next, plain_confirming = Questions.next, Questions.confirming

    def noted_next(self, rng, *, worth, last):
        wanted.append((elicitation.evaluations == 12, worth, last))
        return plain_next(self, rng, worth=worth, last=last)

    def noted_confirming(self, rng, *, few):
        confirmed.append((elicitation.evaluations == 12, few == (len(elicitation.history.answers) < 2)))
        return plain_confirming(self, rng, few=few)

    monkeypatch.setattr(Questions, "next", noted_next)
    monkeypatch.setattr(Questions, "confirming", noted_confirming)
    run(elicitation)
    assert set(wanted) == {(False, 1.0, False), (True, LAST_WORTH, True)}
    assert set(confirmed) == {(True, True)}
    assert len(elicitation.history.answers) >= 2


def test_where_questions_wait_for_no_evaluation_nothing_is_measured_in_their_rounds():
    elicitation = small(5, budget=10, ask_every=0, stop=())
    run(elicitation)
    asked = [fact for fact in elicitation.history.rounds if fact.compare]
    assert asked
    assert not any(fact.evaluate for fact in asked)


def test_what_answers_imply_is_checked_for_doubt_before_anything_new_is_asked(monkeypatch):
    check = Question(0b0110, 0b0001, "is that so?", check=True)
    monkeypatch.setattr(Questions, "doubted", lambda *_: check)
    monkeypatch.setattr(Questions, "next", lambda *_, **__: Question(0b0001, 0b0110, "new"))
    first = [Asked(0, (0b0001, 0b0110)), Evaluated(0, 0b0001, (0.5, 1.0)), Evaluated(1, 0b0110, (0.8, 2.0))]
    request = Elicitation(Attributes.numbered(4), settings=Settings(ask_every=0), facts=first).ask()
    assert (request.check, request.why) == (True, "is that so?")


def test_chance_depends_on_the_seed_and_the_round_alone(monkeypatch):
    seen, plain = {}, propose

    def noted(beliefs, most, rng, *rest):
        seen[len(beliefs.history.facts)] = rng.bit_generator.state["state"]["state"]
        return plain(beliefs, most, rng, *rest)

    monkeypatch.setattr("elicit.decide.elicitation.propose", noted)

    def drawn(elicitation):
        seen.clear()
        run(elicitation)
        return dict(seen)

    whole = small(4, budget=8, questions=0, start=2)
    states = drawn(whole)
    assert len(set(states.values())) == len(states) > 3
    assert not set(states.values()) & set(drawn(small(4, seed=1, budget=8, questions=0, start=2)).values())
    half = Elicitation(whole.history.attributes, settings=whole.settings, facts=whole.facts[: len(whole.facts) // 2])
    rest = drawn(half)
    assert rest
    assert rest.items() <= states.items()


@pytest.mark.parametrize("confirm", [0, 1, 6])
def test_before_a_rule_ends_a_run_whatever_is_open_is_asked_and_then_the_choice_is_confirmed(monkeypatch, confirm):
    elicitation = small(5, budget=7, questions=9, ask_every=50, last_questions=2, confirm=confirm, stop=())
    wanted, confirmed, plain = [], [], Questions.next

    def noted(self, rng, *, worth, last):
        wanted.append((elicitation.evaluations, worth, last))
        return plain(self, rng, worth=worth, last=last)

    def ended(*_):
        return "regret: little" if elicitation.evaluations == 6 else None

    monkeypatch.setattr(Questions, "next", noted)
    monkeypatch.setattr(Questions, "confirming", lambda *_, few: confirmed.append((elicitation.history.asked, few)))
    monkeypatch.setattr("elicit.decide.stopping.Stopping.reason", ended)
    assert run(elicitation).reason == "regret: little"
    assert set(wanted) == {(6, 0.0, True)}
    asked = elicitation.history.asked
    assert set(confirmed) == ({(asked, asked < confirm)} if confirm else set())


@pytest.mark.parametrize(
    ("questions", "choices", "undoubted"),
    [
        (0, {}, 0),
        (9, {}, 9),
        (10, {}, 9),
        (15, {}, 9),
        (16, {}, 10),
        (15, {"spare": 2}, 13),
        (15, {"spare": 0}, 15),
        (15, {"spare": 40}, 9),
        (15, {"doubt": 1.0}, 15),
        (15, {"policy": "current"}, 15),
    ],
)
def test_questions_beyond_nine_are_kept_for_doubts(questions, choices, undoubted):
    assert Settings(questions=questions, **choices).undoubted_questions == undoubted


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 6))])
@pytest.mark.parametrize("contrary", [False, True])
@pytest.mark.parametrize("every", [0, 1])
def test_what_is_kept_for_doubts_is_asked_at_the_end_while_an_answer_is_doubted_and_no_more(seed, contrary, every):
    """Who answers by a coin may be doubted, who never errs is not."""
    coin = np.random.default_rng(seed)

    def tossed(_):
        return Answer.FIRST if coin.random() < 0.5 else Answer.SECOND

    elicitation = small(6, seed, budget=30, ask_every=every, last_questions=3, worth=0.0, questions=13, stop=())
    beyond = 0
    while not isinstance(request := elicitation.ask(), Done):
        asked = elicitation.history.asked
        assert elicitation.turns.most == (9 if asked < 9 else 13)
        assert elicitation.turns.left == elicitation.turns.most - asked
        if isinstance(request, Compare) and asked >= 9:
            beyond += 1
            assert elicitation.evaluations == 30
            assert elicitation.beliefs.doubted
        elicitation.tell(request.id, reply(request, tossed if contrary else prefers_score))
    assert beyond == max(elicitation.history.asked - 9, 0) <= 4
    assert contrary or not beyond


def test_some_run_asks_what_is_kept_for_doubts():
    """Else the test above would say nothing."""

    def asked(seed):
        coin = np.random.default_rng(seed)
        elicitation = small(6, seed, budget=30, ask_every=1, worth=0.0, questions=13, stop=())
        run(elicitation, lambda _: Answer.FIRST if coin.random() < 0.5 else Answer.SECOND)
        return elicitation.history.asked

    assert any(asked(seed) > 9 for seed in range(6))


@pytest.mark.parametrize(
    ("left", "asked", "doubted", "may"),
    [
        (5, 5, False, True),
        (5, 6, False, False),  # three of nine are for the end
        (5, 6, True, False),
        (0, 8, False, True),
        (0, 9, False, False),
        (0, 9, True, True),
        (0, 14, True, True),
        (0, 15, True, False),
        (5, 9, True, False),
    ],
)
def test_how_many_questions_are_put_and_when(monkeypatch, left, asked, doubted, may):
    elicitation = small(5, budget=12, ask_every=1, questions=15, stop=())
    run(elicitation)
    found, history = object(), type(elicitation.history)
    monkeypatch.setattr(Questions, "doubted", lambda *_: found)
    monkeypatch.setattr(history, "asked", property(lambda _: asked))
    monkeypatch.setattr(history, "calls_since_answer", property(lambda _: 1))
    monkeypatch.setattr(history, "asked_since_call", property(lambda _: 0))
    elicitation.beliefs.doubted = ("an answer",) if doubted else ()
    assert elicitation._question(np.random.default_rng(0), left, False) is (found if may else None)


@pytest.mark.parametrize(("asked", "may"), [(8, True), (9, False)])
def test_no_proof_takes_a_question_that_is_kept_for_doubts(monkeypatch, asked, may):
    elicitation = small(4, budget=8, questions=15)
    run(elicitation)
    rival, rng, found = next(iter(elicitation.history.evaluated)), np.random.default_rng(0), object()
    monkeypatch.setattr(Questions, "for_proof", lambda *_: found)
    monkeypatch.setattr(type(elicitation.history), "asked", property(lambda _: asked))
    assert elicitation._proof_question(rng, rival) is (found if may else None)


def test_rejections_in_a_row_are_counted_over_rounds_and_begin_anew_with_an_evaluation():
    first = [Asked(0, (0b0001, 0b0110)), Evaluated(0, 0b0001, (0.5, 1.0)), Evaluated(1, 0b0110, (0.8, 2.0))]
    rejected = [Asked(2, rejected=((0b0010, 0.2), (0b0100, 0.2))), Asked(3, rejected=((0b1000, 0.2), (0b1100, 0.2)))]
    settings = Settings(stop=("rejections",), rejections=4, questions=0)
    done = Elicitation(Attributes.numbered(4), settings=settings, facts=[*first, *rejected]).ask()
    assert isinstance(done, Done)
    assert done.reason.startswith("rejections: 4 rejections in a row")
    between = [Asked(3, (0b0011,)), Evaluated(3, 0b0011, (0.6, 2.0)), Asked(4, rejected=rejected[1].rejected)]
    facts = [*first, rejected[0], *between]
    assert isinstance(Elicitation(Attributes.numbered(4), settings=settings, facts=facts).ask(), Evaluate)


def test_who_takes_back_what_has_no_part_in_a_contradiction_is_still_to_settle_it():
    elicitation = small(6, budget=40, ask_every=1, questions=12, check_every=2, stop=())
    while not isinstance(request := elicitation.ask(), Reconcile):
        elicitation.tell(request.id, reply(request, lambda _: Answer.FIRST))
    others = [answer for answer in elicitation.history.answers if answer not in request.conflict]
    elicitation.retract(others[0])
    assert request in elicitation.pending()
    elicitation.retract(request.conflict[0])
    assert request not in elicitation.pending()


def answered_through(elicitation: Elicitation) -> list[int]:
    """Run to the end; the requests of all answers."""
    run(elicitation)
    return list(elicitation.history.answers)


@pytest.mark.parametrize("seed", range(4))
def test_whoever_takes_an_answer_back_has_a_question_for_it(seed):
    elicitation = small(6, seed, budget=20, ask_every=2, questions=3, last_questions=1, worth=0.0, stop=())
    given = answered_through(elicitation)
    assert len(given) == 3
    elicitation.retract(given[-1])
    elicitation.resume()
    again = elicitation.ask()
    assert isinstance(again, Compare)
    assert len(answered_through(elicitation)) == 4
    assert elicitation.turns.most == 4
    replayed = Elicitation(elicitation.history.attributes, settings=elicitation.settings, facts=elicitation.facts)
    assert replayed.turns.most == 4


def test_what_is_taken_back_to_settle_a_contradiction_gives_no_question_more():
    elicitation = small(6, budget=40, ask_every=1, questions=12, check_every=2, stop=())
    settled = 0
    while not isinstance(request := elicitation.ask(), Done):
        answer = reply(request, lambda _: Answer.FIRST)
        if isinstance(request, Reconcile):
            answer, settled = Settlement(request.conflict[0]), settled + 1
        elicitation.tell(request.id, answer)
    assert settled > 0
    assert elicitation.history.retracted
    assert elicitation.turns.most == 12
    assert len(elicitation.history.answers) <= 12


def test_answers_too_thin_for_floats_end_no_run_and_are_honoured_by_what_is_recommended():
    n = 22
    everything = (1 << n) - 1
    answers = [(everything, everything ^ 1 << i) for i in range(n)]
    answers += [(1 << i, everything >> i + 1 << i + 1) for i in range(n - 1)]
    subsets = list(dict.fromkeys(x for pair in answers for x in pair))
    history = History(Attributes.numbered(n))
    for k, x in enumerate(subsets):  # none dominates another: a better score has a larger size
        history.record(Evaluated(k, x, (float(k), float(k))))
    for k, (better, worse) in enumerate(answers):
        history.record(Preferred(1000 + k, better, worse, Answer.FIRST))
    for recommend in ("regret", "expected"):
        beliefs = Beliefs(history, Family(n), Settings(parsimony="exact", degree=1, recommend=recommend))
        assert beliefs.conflict is None
        assert beliefs.incumbent in (everything, 1)  # all others are below another by an answer
        assert beliefs.incumbent_regret.rival is None
        assert beliefs.certificate is None
        assert beliefs.scope_regret is None


@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.5])
def test_a_question_says_in_which_criteria_the_lead_may_be_chance(ratio):
    oracle, asked = journals.InFolds(journals.truth(5)), []
    settings = Settings(ask_every=1, questions=30, budget=31, stop=(), policy="ranking", noise_ratio=ratio)
    elicitation = Elicitation(oracle.attributes, settings=settings)
    while not isinstance(request := elicitation.ask(), Done):
        if isinstance(request, Compare):
            asked.append(request)
        reply = {Evaluate: oracle, Compare: lambda _: Answer.FIRST, Reconcile: lambda _: Settlement(None)}
        elicitation.tell(request.id, reply[type(request)](request))
    for request in asked:
        assert request.noisy == within_noise(request.first, request.second, oracle.criteria, Noise(ratio=ratio))
    assert len({request.noisy for request in asked}) == 2


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("questions", [4, 9])
@pytest.mark.parametrize("price", [0.05, 0.1, 0.15, 0.2])
def test_two_that_measure_the_same_do_not_hide_what_a_truthful_operator_prefers(questions, price, seed):
    def score(names):
        return 0.9667 if {"a", "b"} <= names else 0.7417 if names & {"a", "b"} else 0.5

    oracle = CallableOracle(lambda names: score(set(names)), list("abcde"))
    operator = SimulatedOperator(f"score - {price} * size", oracle.criteria)
    run = Elicitation(oracle.attributes, oracle.criteria, Settings(questions=questions), seed=seed)
    while not isinstance(request := run.ask(), Done):
        run.tell(request.id, oracle(request) if isinstance(request, Evaluate) else operator(request))
    worth = {x: operator.utility(run.history.named(x), x) for x in run.history.evaluated}
    assert worth[request.subset] == pytest.approx(max(worth.values()))


def played_confirming(seed: int, **choices) -> Elicitation:
    """A run whose operator demands a score that four attributes just reach, and then wants no more of them."""
    best = (0.33, 0.44, 0.459, 0.4702, 0.4858, 0.4886, 0.489)

    def measured(subset: int) -> Measured:
        size = subset.bit_count()
        return Measured((best[size - 1] - 0.01 * (subset >> size).bit_count(), float(size)))

    def demanding(request: Compare) -> Answer:
        first, second = (
            10 * min(e.criteria[0] - 0.47, 0) - 0.01 * e.criteria[1] for e in (request.first, request.second)
        )
        return Answer.FIRST if first > second else Answer.SECOND

    elicitation = small(7, seed, budget=28, ask_every=4, **choices)
    while not isinstance(request := elicitation.ask(), Done):
        told = measured(request.subset) if isinstance(request, Evaluate) else reply(request, demanding)
        elicitation.tell(request.id, told)
    return elicitation


def confirming(elicitation: Elicitation) -> list[int]:
    """How many questions were put before each that confirms the choice."""
    rounds = [asked for asked in elicitation.history.rounds if asked.compare is not None]
    return [k for k, asked in enumerate(rounds) if "would be recommended now" in asked.why]


@pytest.mark.parametrize("seed", [1, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (4, 7))])
def test_few_questions_leave_some_that_confirm_the_choice_once_the_budget_is_spent(seed):
    plain, confirmed = played_confirming(seed, confirm=0), played_confirming(seed)
    assert list(plain.history.evaluated) == list(confirmed.history.evaluated), "the search is the same"
    said, found = list(plain.history.answers.values()), confirming(confirmed)
    assert list(confirmed.history.answers.values())[: len(said)] == said
    assert not confirming(plain)
    assert found
    assert all(len(said) <= k < confirmed.settings.confirm for k in found)
    assert confirming(played_confirming(seed, confirm=len(said) + 1)) == [len(said)]
    assert confirmed.incumbent == 0b1111, "the smallest of those that reach what is demanded"


def test_a_run_is_shown_by_where_it_stands():
    run = Elicitation(["a", "b", "c"], settings=Settings(budget=1))
    assert repr(run) == "<Elicitation under way: 3 attributes, 0 of 1 evaluation, 0 answers>"
    run.tell(run.ask().id, Measured((0.5, 3.0)))
    run.ask()
    assert repr(run) == "<Elicitation ended: 3 attributes, 1 of 1 evaluation, 0 answers>"
