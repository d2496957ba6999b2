"""A classical run has the facts of an elicitation: it resumes, is never asked twice, and may begin one of ours."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config

from elicit.asks import Done, Evaluate, Failure, Measured
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError, JournalError, OracleError, ProtocolError, WorthError
from elicit.events import SCORE_AND_SIZE, Answer, Asked, Evaluated, Failed, Resumed, Stopped
from elicit.explore import explore
from elicit.journal import Journal, read
from elicit.methods import Ended, Method, Random, Ranking, Reaching, Sized, named
from elicit.methods.walk import Walk
from elicit.operators import SimulatedOperator
from elicit.operators.expression import parse
from elicit.oracles import CallableOracle, TableOracle
from elicit.sessions import begin, header_of, resume
from elicit.subsets import Attributes, Family

NAMES = [
    "sfs",
    "sbs",
    "gsfs",
    "sffs",
    "sfbs",
    "plus-l-minus-r",
    "ranking:alone",
    "sac",
    "random",
    "hill-climb",
    "genetic",
]
N = 5


class Counting:
    """An oracle over drawn scores that counts, and may fail or be interrupted."""

    def __init__(self, seed=0, fails=lambda _: False, breaks_after=None):
        self.inner = CallableOracle(score, N)
        self.scores = np.random.default_rng(seed).random(1 << N).round(2)
        self.calls, self.fails, self.breaks_after = [], fails, breaks_after
        self.attributes, self.criteria, self.fingerprint = Attributes.numbered(N), self.inner.criteria, f"drawn {seed}"

    def __call__(self, request):
        if self.breaks_after is not None and len(self.calls) >= self.breaks_after:
            raise KeyboardInterrupt
        self.calls.append(request.subset)
        if self.fails(request.subset):
            return Failure("not this one")
        return Measured((float(self.scores[request.subset]), float(request.subset.bit_count())))


def score(_):
    return 0.0


def method(name="sffs", **options):
    return Method(name, named(name).explorer(), **options)


def trade_off(_, criteria):
    return criteria[0] - 0.05 * criteria[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_run_evaluates_no_subset_twice_and_recommends_the_best_it_has_seen(name):
    oracle = Counting()
    found = explore(method(name, value=trade_off), oracle, seed=1)
    assert len(oracle.calls) == len(set(oracle.calls)) == found.evaluations
    values = {mask: oracle.scores[mask] - 0.05 * mask.bit_count() for mask in oracle.calls}
    assert found.value == pytest.approx(max(values.values()))
    assert found.value == pytest.approx(values[found.subset])
    assert found.names == oracle.attributes.subset(found.subset)
    assert found.criteria == {"score": oracle.scores[found.subset], "size": found.subset.bit_count()}
    assert found.met


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupted_run_goes_on_from_its_journal_as_if_nothing_had_happened(name, tmp_path):
    family = Family(N, keep=0b1)
    whole = explore(method(name, value=trade_off), Counting(), seed=2, family=family)
    for after in (0, 1, 3, whole.evaluations - 1):
        path = tmp_path / f"{after}.jsonl"
        with pytest.raises(KeyboardInterrupt):
            explore(method(name, value=trade_off), Counting(breaks_after=after), seed=2, family=family, journal=path)
        rest = Counting()
        found = explore(method(name, value=trade_off), rest, seed=2, family=family, journal=path)
        assert len(rest.calls) == whole.evaluations - after
        assert found.facts == whole.facts
        assert read(path).facts == whole.facts
        again = Counting(breaks_after=0)  # would break when asked
        final = explore(method(name, value=trade_off), again, seed=2, family=family, journal=path)
        assert (final.facts, final.chosen, final.subset) == (whole.facts, whole.chosen, whole.subset)


def test_a_run_that_ended_before_it_measured_anything_is_read_from_its_journal(tmp_path):
    method = Method("above", Ranking((0.0,) * N, threshold=1.0))
    first, again = (explore(method, Counting(), journal=tmp_path / "above.jsonl") for _ in range(2))
    assert (again.reason, again.subset, again.chosen, again.facts) == (first.reason, None, None, first.facts)
    assert again.reason.startswith("0 attributes lie above the threshold")


def test_a_budget_ends_a_run_and_a_larger_one_lets_it_go_on(tmp_path):
    path = tmp_path / "run.jsonl"
    first = explore(method(budget=7), Counting(), journal=path)
    assert (first.evaluations, first.reason) == (7, "budget: 7 evaluations")
    assert explore(method(budget=1), Counting()).reason == "budget: 1 evaluation"
    same = explore(method(budget=7), Counting(breaks_after=0), journal=path)
    assert same.facts == first.facts
    more = explore(method(budget=None), Counting(), journal=path)
    assert more.reason == "the walk is complete"
    assert sum(isinstance(fact, Resumed) for fact in more.facts) == 1
    at_once = explore(method(), Counting())
    assert [f.subset for f in more.facts if isinstance(f, Evaluated)] == [
        f.subset for f in at_once.facts if isinstance(f, Evaluated)
    ]


@pytest.mark.parametrize("name", ["sfs", "random", "genetic"])
@pytest.mark.parametrize("budget", [2, 3, 5])
def test_a_smaller_budget_holds_for_what_was_open_already(name, budget, tmp_path):
    path = tmp_path / "j"
    with pytest.raises(KeyboardInterrupt):
        explore(method(name, budget=20), Counting(breaks_after=2), journal=path)
    assert isinstance(read(path).facts[0], Asked)
    assert len(read(path).facts[0].evaluate) >= 5
    for _ in range(2):  # and again, for nothing is left to do
        found = explore(method(name, budget=budget), Counting(), journal=path)
        assert (found.evaluations, found.reason) == (budget, f"budget: {budget} evaluations")
    whole = explore(method(name, budget=20), Counting(), journal=path)
    assert whole.value == explore(method(name, budget=20), Counting()).value


def test_a_ranking_with_a_gap_is_kept_as_it_is_played(tmp_path):
    ranked = Method("ranked", Ranking((1.0, 2.0, float("nan"), -float("inf"), 0.0)))
    for _ in range(2):
        assert explore(ranked, Counting(), journal=tmp_path / "j").evaluations == N
    changed = Method("ranked", Ranking((1.0, 2.0, float("nan"), float("inf"), 0.0)))
    with pytest.raises(JournalError, match="another method"):
        explore(changed, Counting(), journal=tmp_path / "j")


def test_a_journal_of_another_value_is_refused(tmp_path):
    path = tmp_path / "j"
    for _ in range(2):
        frugal = explore(method("hill-climb", value=trade_off, budget=9), Counting(), journal=path)
        assert frugal.evaluations == 9
    for changed in ({}, {"value": lambda _, criteria: criteria[0] - 0.5 * criteria[1]}):
        with pytest.raises(JournalError, match="another value, or was begun when none was noted; begin another"):
            explore(method("hill-climb", budget=9, **changed), Counting(), journal=path)
    explore(method("hill-climb", budget=9), Counting(), journal=tmp_path / "none noted")
    with pytest.raises(JournalError, match="begun when none was noted"):
        explore(method("hill-climb", value=trade_off, budget=9), Counting(), journal=tmp_path / "none noted")


class Only:
    """A search of one's own, which looks at one subset."""

    def __init__(self, subset):
        self.subset = subset

    def __call__(self, _space, _rng):
        yield [self.subset]
        return Ended("the search is over")


class Light:
    """A goal of one's own, to which each attribute costs so much."""

    smallest, largest = 1, None

    def __init__(self, price):
        self.price = price

    def rank(self, subset, value):
        return (value - self.price * subset.bit_count(),)

    def met(self, _subset, _value):
        return True

    def settled(self, _value):
        return False


@pytest.mark.parametrize(
    ("part", "had", "wanted"),
    [("explorer", Only(1), Only(6)), ("explorer", Only(1), named("sfs").explorer()), ("goal", Light(0.1), Light(0.9))],
)
def test_a_journal_of_another_search_or_goal_of_one_s_own_is_refused(tmp_path, part, had, wanted):
    def played(one):
        chosen = {"explorer": named("sfs").explorer(), part: one}
        return explore(Method("mine", **chosen), Counting(), journal=tmp_path / "j")

    assert played(had).facts == played(had).facts
    with pytest.raises(JournalError, match=f"another {part}, or was begun when none was noted|another method"):
        played(wanted)


def test_a_ranking_goes_on_under_libraries_that_compute_other_last_digits(tmp_path):
    scores = (1.5437442770605634, 0.42221057100781334, 0.152147442285612, -0.40881871322639096, 0.0)
    explore(Method("ranked", Ranking(scores), budget=2), Counting(), journal=tmp_path / "j")
    elsewhere = Method("ranked", Ranking((1.543744277060564, 0.4222105710078134, *scores[2:])))
    assert explore(elsewhere, Counting(), journal=tmp_path / "j").evaluations == N
    with pytest.raises(JournalError, match="another method"):
        explore(Method("ranked", Ranking((1.5437442, *scores[1:]))), Counting(), journal=tmp_path / "j")


def test_time_ends_a_run_and_it_goes_on_when_it_is_called_again(tmp_path):
    path, ticks = tmp_path / "run.jsonl", iter(range(1000))
    first = explore(method(), Counting(), journal=path, clock=lambda: float(next(ticks)), time_limit=12)
    assert first.reason == "time: 12 seconds have passed"
    assert explore(method(), Counting(), journal=path).reason == "the walk is complete"


def test_who_follows_the_progress_may_call_a_run_off_and_it_goes_on_when_it_is_called_again(tmp_path):
    path, seen = tmp_path / "run.jsonl", []

    def follow(progress):
        seen.append(progress)
        return progress.evaluations == 3

    first = explore(method(), Counting(), journal=path, progress=follow)
    assert first.reason == "callback: whoever followed the progress called the run off"
    assert first.evaluations == len(seen) == 3
    assert [progress.names for progress in seen][-1] == first.names
    assert {progress.kept for progress in seen} == {0}
    later = []
    assert explore(method(), Counting(), journal=path, progress=later.append).reason == "the walk is complete"
    assert {progress.kept for progress in later} == {3}


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_a_run_that_time_stops_over_and_over_gets_on_in_every_sitting(tmp_path, limit):
    path, done = tmp_path / "run.jsonl", []
    while not done or done[-1].reason.startswith("time"):
        done.append(explore(method(), Counting(), journal=path, clock=count().__next__, time_limit=limit))
        assert done[-1].evaluations > done[-1].kept or done[-1].reason == "the walk is complete"
    assert len(done) > 1
    assert done[-1].subset == explore(method(), Counting()).subset


def test_what_a_journal_holds_ahead_of_need_is_not_measured_again(tmp_path):
    path, oracle = tmp_path / "j", Counting()
    alone = explore(method("sfs"), Counting())
    explore(method("sfs", budget=1), Counting(), journal=path)
    (first,) = explore(method("sfs", budget=1), Counting()).facts[:1][0].evaluate
    ahead = next(fact for fact in alone.facts if isinstance(fact, Evaluated) and fact.subset != first)
    with Journal.open(path) as journal:
        journal.cache(ahead.subset, Measured(ahead.criteria, ahead.folds, ahead.spread))
    again = explore(method("sfs"), oracle, journal=path)
    assert again.subset == alone.subset
    assert again.evaluations == alone.evaluations
    assert not {first, ahead.subset} & set(oracle.calls)
    assert len(oracle.calls) == alone.evaluations - 2


@pytest.mark.parametrize("known", [[1], [1, 2]])
def test_a_search_that_goes_in_circles_is_an_error_and_no_endless_run(known, monkeypatch):
    monkeypatch.setattr("elicit.methods.walk.MOST_KNOWN", 50)

    def stuck(_space, _rng):
        while True:
            yield known

    with pytest.raises(ProtocolError, match=r"the method 'stuck' went through .* batches"):
        explore(Method("stuck", stuck, budget=5), Counting())


def test_a_search_that_does_not_say_why_it_ends_is_an_error_and_no_endless_run():
    def silent(_space, _rng):
        yield [1]

    with pytest.raises(ProtocolError, match=r"the search of the method 'mine' ended with None; .* returns Ended"):
        explore(Method("mine", silent), Counting())


def test_a_search_chooses_among_the_attributes_that_there_are():
    def beyond(_space, _rng):
        yield [1]
        return Ended("the search is over", chosen=1 << N)

    with pytest.raises(InputError, match="names attributes beyond the 5 there are"):
        explore(Method("mine", beyond), Counting())


@pytest.mark.parametrize("found", [[[1], [2]], None])
def test_an_explorer_that_gives_no_search_is_refused(found):
    with pytest.raises(InputError, match=r"the explorer of the method 'mine' is a generator: .*; found"):
        explore(Method("mine", lambda _space, _rng: found), Counting())


def test_a_search_may_come_back_to_what_it_measured_for_a_while(monkeypatch):
    monkeypatch.setattr("elicit.methods.walk.MOST_KNOWN", 50)

    def patient(_space, _rng):
        for subset in (1, 2):
            for _ in range(50):
                yield [subset]
        return Ended("the search is over")

    assert explore(Method("patient", patient), Counting()).reason == "the search is over"


def test_a_search_that_comes_back_often_is_taken_up_where_it_ended(tmp_path, monkeypatch):
    """What it came back to before each new subset, it comes back to again, though all is known by then."""
    monkeypatch.setattr("elicit.methods.walk.MOST_KNOWN", 50)

    def patient(_space, _rng):
        for subset in (1, 2, 3, 4, 5):
            for _ in range(40):
                yield [subset]
        return Ended("the search is over")

    for _ in range(2):
        found = explore(Method("patient", patient), Counting(), journal=tmp_path / "j")
        assert (found.reason, found.evaluations) == ("the search is over", 5)


def test_a_run_is_played_by_its_seed_and_its_journal_says_when_and_with_what(tmp_path):
    ticks, family = iter(range(1000)), Family(N, keep=0b1, max_size=3)
    runs = [explore(method("random", budget=6), Counting(), seed=seed, family=family) for seed in (1, 1, 2)]
    assert runs[0].facts == runs[1].facts != runs[2].facts
    path = tmp_path / "j"
    kept = explore(
        method("random", budget=6), Counting(), seed=1, family=family, journal=path, clock=lambda: float(next(ticks))
    )
    record = read(path)
    assert record.facts == kept.facts == runs[0].facts
    assert list(record.times) == sorted(set(record.times)), "every fact is written at a time of its own"
    assert record.times[-1] < 1000
    assert record.header.settings["family"] == {"keep": ["a1"], "drop": [], "max_size": 3}


def test_the_journal_of_a_session_is_no_journal_of_a_method(tmp_path):
    oracle, operator = Counting(), SimulatedOperator("score - 0.05 * size", Counting().criteria)
    with begin(tmp_path / "j", oracle, Settings(budget=4)) as session:
        drive(session.elicitation, oracle, operator, session.journal)
    before = (tmp_path / "j").read_bytes()
    with pytest.raises(JournalError, match="holds a session, not a run of a classical method; elicit resume"):
        explore(method(), oracle, journal=tmp_path / "j")
    assert (tmp_path / "j").read_bytes() == before


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"method": method("sfs")}, "belongs to a run with another method"),
        ({"method": method(goal=Sized(2))}, "belongs to a run with another method"),
        ({"method": method(start=0b1)}, "belongs to a run with another method"),
        ({"family": Family(N, keep=0b1)}, "belongs to a run with another family"),
        ({"about": {"utility": "score"}}, "with another `utility`: it has None, this one 'score'; begin"),
        ({"seed": 1}, "belongs to another run"),
        ({"oracle": Counting(seed=1)}, "belongs to other data"),
    ],
)
def test_a_journal_of_another_run_is_refused(tmp_path, other, message):
    path = tmp_path / "run.jsonl"
    explore(method(budget=3), Counting(), journal=path)
    given_ = {"method": method(budget=3), "oracle": Counting(), **other}
    with pytest.raises(JournalError, match=message):
        explore(given_.pop("method"), given_.pop("oracle"), journal=path, **given_)


def test_what_a_run_measured_may_begin_an_elicitation():
    oracle = Counting()
    classical = explore(method("sfs"), oracle)
    settings = Settings(budget=25, start=0, stop=())
    begun = Elicitation(oracle.attributes, oracle.criteria, settings, facts=classical.facts)
    begun.resume()
    assert begun.evaluations == classical.evaluations == 15
    operator = SimulatedOperator("score - 0.05 * size", oracle.criteria)
    while not isinstance(request := begun.ask(), Done):
        begun.tell(request.id, oracle(request) if isinstance(request, Evaluate) else operator(request))
    assert len(oracle.calls) == len(set(oracle.calls)) == 25


def test_a_session_that_a_classical_run_began_is_kept_and_resumed(tmp_path):
    oracle, operator = Counting(), SimulatedOperator("score - 0.05 * size", Counting().criteria)
    classical = explore(method("random", budget=8), oracle)
    settings = Settings(budget=12, start=0, stop=())
    begun = Elicitation(oracle.attributes, oracle.criteria, settings, facts=classical.facts)
    begun.resume()
    with Journal.create(tmp_path / "s.jsonl", header_of(begun, oracle.fingerprint)) as journal:
        first = drive(begun, oracle, operator, journal)
    with resume(tmp_path / "s.jsonl", oracle, budget=14) as session:
        second = drive(session.elicitation, oracle, operator, session.journal)
    assert (first.evaluations, second.evaluations) == (12, 14)
    assert len(oracle.calls) == len(set(oracle.calls)) == 14


@given(st.sampled_from(NAMES), st.integers(0, 200))
def test_what_fails_is_recorded_and_never_recommended(name, seed):
    oracle = Counting(seed, fails=lambda mask: mask % 3 == seed % 3)
    found = explore(method(name, budget=20), oracle, seed=seed)
    assert found.evaluations == len(oracle.calls) <= 20
    assert found.failures.get("not this one", 0) == sum(oracle.fails(mask) for mask in oracle.calls)
    assert found.subset is None or not oracle.fails(found.subset)


def test_when_nothing_can_be_measured_nothing_is_recommended():
    found = explore(method("sfs"), Counting(fails=lambda _: True))
    assert (found.subset, found.names, found.met) == (None, (), False)
    assert found.reason == "none of the next 5 subsets could be measured"


def test_a_walk_on_which_small_and_large_subsets_fail_alike_ends_at_once_and_the_next_one_tries_again(tmp_path):
    broken = Counting(fails=lambda _: True)
    with pytest.raises(InputError, match=r"all of the first 10, of size 1 to 5, .* not this one; another"):
        explore(method("sbs"), broken, journal=tmp_path / "j")
    assert len(broken.calls) == 10
    assert not any(isinstance(fact, Failed) for fact in read(tmp_path / "j").facts)
    assert explore(method("sbs"), Counting(), journal=tmp_path / "j").failures == {}


def test_a_walk_on_which_only_large_subsets_fail_goes_on():
    found = explore(method("random", budget=20), Counting(fails=lambda mask: mask.bit_count() > 1))
    assert (found.evaluations, found.subset.bit_count()) == (20, 1)


def test_what_was_measured_to_see_whether_there_is_hope_is_in_the_journal(tmp_path):
    def fails(mask):
        return mask.bit_count() > 1

    first, second = Counting(fails=fails, breaks_after=10), Counting(fails=fails)
    with pytest.raises(KeyboardInterrupt):
        explore(method("sbs"), first, journal=tmp_path / "j")
    alone = {mask for mask in first.calls if not fails(mask)}
    assert len(alone) == N
    assert set(read(tmp_path / "j").cached) == alone
    explore(method("sbs"), second, journal=tmp_path / "j")
    assert alone.isdisjoint(second.calls)


def test_a_walk_on_a_table_of_some_subsets_goes_on_though_others_have_no_row(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c,d,e,score\n0,1,1,0,0,0.5\n")
    found = explore(method("random", budget=20), TableOracle(tmp_path / "t.csv"), seed=1)
    assert found.evaluations == 20


def test_facts_do_not_depend_on_how_many_run_at_once():
    alone = explore(method("sfs"), CallableOracle(length, N))
    with parallel_config("threading"):
        assert explore(method("sfs"), CallableOracle(length, N), n_jobs=2).facts == alone.facts


def length(names):
    return -abs(len(names) - 2.5)


def test_progress_is_told_after_every_reply():
    seen = []
    explore(method("sfs", budget=8), Counting(), progress=seen.append)
    assert [now.evaluations for now in seen] == list(range(1, 9))
    assert {now.budget for now in seen} == {8}
    assert all(now.criteria["size"] == now.subset.bit_count() for now in seen)


def test_a_goal_that_is_not_met_is_told():
    assert not explore(method("sfs", goal=Reaching(2.0)), Counting()).met
    assert explore(method("sfs", goal=Reaching(0.5)), Counting()).met


def test_asking_is_idempotent_and_a_late_reply_is_an_error():
    oracle = Counting()
    walk = Walk(method("sfs"), oracle.attributes, oracle.criteria)
    request = walk.ask()
    assert walk.ask() == request
    walk.tell(request.id, oracle(request))
    with pytest.raises(ProtocolError, match="not open"):
        walk.tell(request.id, oracle(request))
    assert isinstance(walk.facts[0], Asked)
    assert len(walk.pending()) == N - 1
    assert walk.stop("enough") == walk.facts[-1] == Stopped(N, "wish: enough")
    assert walk.ask().subset == request.subset


def test_replies_of_a_batch_may_come_in_any_order():
    oracle = Counting()
    there, back = (Walk(method("sffs"), oracle.attributes, oracle.criteria) for _ in range(2))
    for walk, order in ((there, 1), (back, -1)):
        while not isinstance(walk.ask(), Done):
            for request in walk.pending()[::order]:
                walk.tell(request.id, oracle(request))
    assert there.values == back.values
    assert there.incumbent == back.incumbent


def test_a_reply_that_cannot_be_used_is_the_oracle_s_fault():
    oracle = Counting()
    oracle.scores[:] = np.nan
    with pytest.raises(OracleError, match="not a number"):
        explore(method("sfs"), oracle)


@pytest.mark.parametrize(
    ("utility", "said"),
    [("1 / (size - 1)", "expression .* it divides by zero"), ("1e260 + size", "the value of a1 is 1e\\+260")],
)
def test_a_value_that_cannot_be_used_is_no_fault_of_the_oracle(utility, said):
    expression = parse(utility, ["size"])
    told = Method("sfs", named("sfs").explorer(), value=lambda subset, _: expression({"size": subset.bit_count()}))
    with pytest.raises(InputError, match=f"^{said}"):
        explore(told, Counting())


def test_a_reply_without_a_value_changes_nothing():
    finite = {"value": float("nan")}
    walk = Walk(
        Method("sfs", named("sfs").explorer(), value=lambda *_: finite["value"]), Attributes.numbered(2), SCORE_AND_SIZE
    )
    request = walk.ask()
    before = walk.facts
    with pytest.raises(InputError, match="the value of a1 is no number"):
        walk.tell(request.id, Measured((0.5, 1.0)))
    assert (walk.ask(), walk.facts) == (request, before)
    finite["value"] = 1.0
    assert walk.tell(request.id, Measured((0.5, 1.0))) == walk.facts[-1]


def test_a_failure_is_a_fact():
    found = explore(method("sfs"), Counting(fails=lambda mask: mask == 1))
    assert [fact.subset for fact in found.facts if isinstance(fact, Failed)] == [1]


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match="the family is over 3 attributes, there are 5"):
        explore(method(), Counting(), family=Family(3))
    with pytest.raises(InputError, match=r"a family is a Family, such as Family\(5, max_size=5\), found 5"):
        explore(method(), Counting(), family=5)
    with pytest.raises(InputError, match=r"explore plays a Method, such as .*, found 'sffs'"):
        explore("sffs", Counting())
    with pytest.raises(InputError, match="budget must be a whole number of at least 1"):
        method(budget=0)
    for goal in (5, None, Light, type("Unbounded", (), {"rank": max})()):
        with pytest.raises(InputError, match=r"the goal of a method is a Goal, such as Sized\(5\)"):
            method(goal=goal)


def test_scores_in_single_precision_are_recorded_as_numbers(tmp_path):
    class Single:
        attributes, criteria, fingerprint = Attributes.numbered(3), SCORE_AND_SIZE, ""

        def __call__(self, request):
            return Measured(np.array([request.subset / 8, request.subset.bit_count()], dtype=np.float32), (), ())

    found = explore(Method("sfs", named("sfs").explorer(), goal=Sized(2)), Single(), journal=tmp_path / "j.jsonl")
    assert found.value == 0.75


@pytest.mark.parametrize("reply", [0.5, None, Answer.FIRST, Failure(3)])
def test_what_is_no_measurement_is_refused_with_what_is_expected(reply):
    walk = Walk(method(), Attributes.numbered(N), SCORE_AND_SIZE)
    request = walk.ask().id
    with pytest.raises(ProtocolError, match="request 0 expects a Measured or a Failure with its reason, found"):
        walk.tell(request, reply)


def test_a_run_on_very_many_attributes_is_kept_and_goes_on(tmp_path):
    n = 15_000  # a mask of so many has more digits than Python writes
    oracle = CallableOracle(len, n)
    family, random = Family(n, drop=1 << n - 1, keep=1), Method("random", Random(), budget=2)
    first = explore(random, oracle, family=family, journal=tmp_path / "j")
    assert read(tmp_path / "j").header.settings["family"]["drop"] == [f"a{n}"]
    assert explore(random, oracle, family=family, journal=tmp_path / "j").names == first.names


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (lambda _: None, "the value of .* is no number; give one for everything that can be measured"),
        (lambda _: "x", "the value of .* is no number"),
        (lambda _: 3 + 0j, "the value of .* is no number"),
        (lambda _: float("nan"), "the value of .* is no number"),
        (lambda _: 10**400, "the value of .* is 100000000000, but values must be below 1e.250; rescale them"),
        (lambda _: 1 / 0, "the value of .* cannot be worked out: ZeroDivisionError: division by zero"),
    ],
)
def test_a_value_that_is_none_is_told_with_its_subset(value, told):
    oracle = CallableOracle(lambda subset: float(subset), 3, takes="mask")
    with pytest.raises(WorthError, match=told):
        explore(Method("random", Random(), value=lambda subset, _: value(subset), budget=9), oracle)
