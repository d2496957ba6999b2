"""A drive loses nothing: the same journal for any number of jobs, from any byte of it, and after any kill."""

import dataclasses
import os
import re
import subprocess
import sys
import textwrap
import time
from contextlib import nullcontext
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import parallel_config

from elicit.alongside.hopeless import only_failures, require_hope
from elicit.alongside.measuring import JournalWriter, looked_at, measure, measured_by, remembering
from elicit.asks import Compare, Enough, Evaluate, Failure, Measured, Reconcile, Settlement, TakeBack
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError, JournalError, OracleError
from elicit.events import Answer, Asked, Criterion, Evaluated, Failed, Preferred, Resumed, Retracted, Settled, Stopped
from elicit.explore import explore
from elicit.journal import Header, Journal, identity, read
from elicit.journal.record import FORMER_DEFAULTS
from elicit.methods import Floating, Method
from elicit.operators import ScriptedOperator, SimulatedOperator
from elicit.operators.page import Leave
from elicit.oracles import CallableOracle, Remembering, SyntheticOracle
from elicit.oracles.criteria import failed_criterion
from elicit.oracles.parallel import Workers
from elicit.proof.claims import claim_of
from elicit.proof.record_check import check_record
from elicit.proof.record_facts import KnownFacts
from elicit.sessions import begin, elicitation_of, header_of, resume
from elicit.subsets import Attributes, Family
from elicit.utility.regret import Regrets

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

#: Small, and yet with rounds of several evaluations, questions among them, and questions at the end.
SETTINGS = Settings(start=3, questions=6, ask_every=3, batch=2, budget=9, stop=())


def truth(n=4, seed=3):
    """Every attribute adds to the score, so that larger and better stand against smaller: much to ask about."""
    rng = np.random.default_rng(seed)
    theta = {1 << i: float(rng.uniform(0.5, 1.5)) for i in range(n)}
    theta |= {1 << i | 1 << j: float(rng.uniform(-0.3, 0.2)) for i in range(n) for j in range(i)}
    return SyntheticOracle(n, theta, size=True)


def judge(oracle, noise=0.2):
    return SimulatedOperator("score - 0.8 * size", oracle.criteria, noise=noise, seed=1)


def journal_of(path, oracle, operator=None, settings=SETTINGS, seed=5, **options):
    with begin(path, oracle, settings, seed=seed) as session:
        return drive(session.elicitation, oracle, operator or judge(oracle), session.journal, **options)


class Counting:
    """An oracle that counts how often each subset is asked for; a test may make it fail or hang up."""

    def __init__(self, inner, before=lambda _: None):
        self.inner, self.before, self.asked = inner, before, []

    attributes = property(lambda self: self.inner.attributes)
    criteria = property(lambda self: self.inner.criteria)
    fingerprint = property(lambda self: self.inner.fingerprint)

    def __call__(self, request):
        self.asked.append(request.subset)
        return self.before(request.subset) or self.inner(request)


# what a drive gives


def test_the_result_says_what_is_recommended_why_and_what_it_took():
    oracle = truth()
    elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    result = drive(elicitation, oracle, judge(oracle))
    assert result.subset == elicitation.incumbent
    assert result.names == oracle.attributes.subset(result.subset)
    assert result.criteria == {"score": oracle.value(result.subset), "size": float(result.subset.bit_count())}
    assert result.reason == "budget: 9 evaluations"
    assert result.scope == elicitation.beliefs.utilities.scope
    assert (result.evaluations, result.questions) == (9, len(elicitation.history.answers))
    assert result.failures == {}
    assert result.seconds > 0


def test_subsets_that_fail_are_counted_by_reason_and_never_recommended():
    oracle = Counting(truth(), before=lambda mask: Failure("odd") if mask.bit_count() % 2 else None)
    elicitation = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=15), seed=0)
    result = drive(elicitation, oracle, judge(oracle.inner))
    assert result.failures == {"odd": sum(1 for mask in oracle.asked if mask.bit_count() % 2)}
    assert result.failures["odd"] > 0
    assert result.subset.bit_count() % 2 == 0


def test_when_everything_fails_nothing_is_recommended():
    oracle = Counting(truth(2), before=lambda _: Failure("broken"))
    result = drive(Elicitation(oracle.attributes, oracle.criteria, seed=0), oracle, judge(oracle.inner))
    assert (result.subset, result.names, result.criteria) == (None, (), {})
    assert result.failures == {"broken": 3}


def test_what_fails_alike_on_small_and_large_subsets_ends_the_run_at_once():
    oracle = Counting(truth(8), before=lambda mask: Failure(f"ValueError: no scorer for {mask} columns."))
    elicitation = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=40), seed=0)
    first = (
        r"no subset could be measured; all of the first (\d+), of size 1 to 8, .* no scorer for 255 columns; another"
    )
    with pytest.raises(InputError, match=first) as told:
        drive(elicitation, oracle, judge(oracle.inner))
    assert len(oracle.asked) == len(set(oracle.asked)) == int(re.search(first, str(told.value))[1]) <= 10


@pytest.mark.parametrize(
    "fails",
    [
        lambda mask: mask.bit_count() > 1 and "ValueError: too many",
        lambda mask: mask.bit_count() < 8 and "ValueError: too few",
        lambda mask: mask & 0b01101111 and "ValueError: an attribute of text",
        lambda mask: "ValueError: too many" if mask.bit_count() > 1 else "TypeError: too few",
        lambda mask: failed_criterion("price", ValueError("many") if mask.bit_count() > 1 else KeyError("one")),
    ],
)
def test_where_small_or_large_subsets_do_not_fail_alike_a_run_goes_on_to_its_budget(tmp_path, fails):
    oracle = Counting(truth(8), before=lambda mask: (why := fails(mask)) and Failure(why))
    result = journal_of(tmp_path / "j", oracle, judge(oracle.inner), Settings(budget=20, questions=0))
    assert result.evaluations == 20
    assert len(read(tmp_path / "j").cached) == sum(not fails(mask) for mask in (0b1, 0b100, 0b10000, 0b1000000))


def test_a_run_that_ended_with_failures_alone_has_them_in_its_journal(tmp_path):
    def fails(subset):
        return Failure(f"{chr(ord('a') + subset)}: another reason each time")

    result = journal_of(tmp_path / "j", Counting(truth(), before=fails))
    assert result.subset is None
    facts = read(tmp_path / "j").facts
    assert sum(isinstance(fact, Failed) for fact in facts) == result.evaluations > 0
    assert isinstance(facts[-1], Stopped)


def test_where_only_attributes_alone_can_be_measured_the_best_of_those_that_were_tried_is_recommended():
    oracle = CallableOracle(worth_alone, 30)
    result = drive(Elicitation(oracle.attributes, settings=Settings(budget=12, questions=0)), oracle, None)
    assert result.names == ("a1",)
    assert set(result.failures) == {"ValueError: one at a time"}


def worth_alone(names):
    if len(names) > 1:
        raise ValueError("one at a time")
    return 1 / int(names[0][1:])


@pytest.mark.parametrize(
    ("failed", "further"),
    [
        ([1, 2, 3, 6], []),  # too few to doubt
        ([1, 2, 3, 6, -12], []),  # not alike
        ([3, 6, 12, 10, 9], [15, 1, 2, 4, 8]),
        ([1, 2, 3, 6, 15], [4, 8]),  # what was tried already is not tried again
    ],
)
def test_only_where_enough_failed_alike_are_all_and_some_alone_tried_too(failed, further):
    facts = [Failed(k, abs(m), f"{'Type' if m < 0 else 'Value'}Error: no {m}") for k, m in enumerate(failed)]
    asked = []

    def measure(subsets):
        asked.extend(subsets)
        return [Measured((0.5, 1.0))] * len(subsets)

    require_hope(only_failures(facts), Family(4), measure)
    assert asked == further
    assert only_failures([*facts, Evaluated(99, 7, (0.5, 3.0))]) == {}  # one that could be measured is hope enough


def test_a_family_that_was_all_tried_ends_by_itself_though_all_failed_alike():
    failed = {m: f"ValueError: no {m}" for m in range(1, 8)}
    require_hope(failed, Family(3), lambda subsets: [Failure("ValueError")] * len(subsets))
    with pytest.raises(InputError, match="all of the first 9, of size 1 to 4, failed alike"):
        require_hope(failed, Family(4), lambda subsets: [Failure("ValueError")] * len(subsets))


@pytest.mark.parametrize("batch", [1, 4])
def test_a_run_that_could_measure_nothing_is_tried_again_when_it_is_resumed(tmp_path, batch):
    settings, oracle = dataclasses.replace(SETTINGS, batch=batch), truth()
    journal_of(tmp_path / "whole", oracle, settings=settings)
    broken = Counting(oracle, before=lambda _: Failure("ImportError: no such library"))
    with pytest.raises(InputError, match="no such library"):
        journal_of(tmp_path / "j", broken, judge(oracle), settings)
    with resume(tmp_path / "j", oracle) as session:
        drive(session.elicitation, oracle, judge(oracle), session.journal)
    assert identity(tmp_path / "j") == identity(tmp_path / "whole")


def slipping(oracle):
    """An operator whose answers are right, except to the questions that check them."""
    right = judge(oracle, noise=0.0)

    def answer(request):
        said = right(request)
        if isinstance(request, Reconcile) or not request.check:
            return said
        return Answer.SECOND if said is Answer.FIRST else Answer.FIRST

    return answer


#: Every second question repeats what the answers before it imply.
CHECKED = Settings(start=4, ask_every=1, questions=30, budget=16, check_every=1, stop=())


def test_statements_that_the_recommendation_does_not_honour_are_listed():
    oracle = truth(5)
    elicitation = Elicitation(oracle.attributes, oracle.criteria, CHECKED, seed=2)
    result = drive(elicitation, oracle, slipping(oracle))
    assert result.set_aside
    assert all(slack > 0 and statement in elicitation.history.statements for statement, slack in result.set_aside)
    again = Elicitation(oracle.attributes, oracle.criteria, CHECKED, seed=2)
    untold = drive(again, oracle, slipping(oracle), strained=False)
    assert untold == dataclasses.replace(result, set_aside=(), seconds=untold.seconds)


def test_progress_is_told_after_every_reply():
    oracle = truth()
    seen = []
    elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    result = drive(elicitation, oracle, judge(oracle), progress=seen.append)
    settled = sum(bool(asked.reconcile) for asked in elicitation.history.rounds)
    assert len(seen) == result.evaluations + result.questions + settled
    assert sorted({p.evaluations for p in seen}) == list(range(1, 10)), "those of a round that is open, too"
    assert [p.evaluations for p in seen] == sorted(p.evaluations for p in seen)
    assert (seen[-1].evaluations, seen[-1].budget, seen[-1].most_questions) == (9, 9, 6)
    assert seen[-1].subset == result.subset
    assert seen[-1].criteria == result.criteria


def test_regret_is_worked_out_only_for_those_who_show_it(monkeypatch):
    oracle, of, solved = truth(), Regrets.of, []
    monkeypatch.setattr(Regrets, "of", lambda self, subset: (solved.append(subset), of(self, subset))[1])

    def solved_by(**how):
        solved.clear()
        elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
        drive(elicitation, oracle, judge(oracle), **how)
        return len(solved)

    cheap, dear = [], []
    assert solved_by() == solved_by(progress=cheap.append) < solved_by(progress=dear.append, attended=True)
    assert all(progress.regret is None for progress in cheap)
    assert any(progress.regret is not None for progress in dear)
    after = {(p.evaluations, p.questions): p.subset for p in cheap}
    assert all(p.subset in (None, after[p.evaluations, p.questions]) for p in dear)


def test_whoever_reads_along_is_told_before_each_question_what_would_be_recommended_and_not_after_a_reply():
    oracle, seen, before = truth(), [], []
    operator = judge(oracle)

    def answer(request):
        before.append(seen[-1])
        return operator(request)

    elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    drive(elicitation, oracle, answer, progress=seen.append, attended=True)
    assert [told for told in seen if told.subset is not None] == before
    assert len(before) > 3


def test_what_progress_tells_of_is_in_the_journal_already(tmp_path):
    oracle, seen = truth(), []
    with begin(tmp_path / "j", oracle, SETTINGS, seed=5) as session:

        def told(_):
            seen.append(session.journal.facts == session.elicitation.facts)

        drive(session.elicitation, oracle, judge(oracle), session.journal, progress=told)
    assert len(seen) > 9
    assert all(seen)


def test_that_an_answer_was_taken_back_is_told_before_the_question_is_put_again():
    oracle, asked, seen, told = truth(), [], [], []
    operator = judge(oracle)

    def answer(request):
        asked.append(request)
        told.append(len(seen))
        return TakeBack(asked[0].id) if len(asked) == 2 else operator(request)

    drive(Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5), oracle, answer, progress=seen.append)
    assert asked[2] == asked[1]
    assert told[2] == told[1] + 1


def test_a_round_is_measured_by_as_many_workers_as_there_are(monkeypatch):
    oracle, parts = truth(), []
    at_once = Workers.measure
    monkeypatch.setattr(
        Workers, "measure", lambda self, of, some, *more: (parts.append(len(some)), at_once(self, of, some, *more))[1]
    )
    elicitation = Elicitation(oracle.attributes, oracle.criteria, dataclasses.replace(SETTINGS, batch=3), seed=5)
    with parallel_config("threading"):
        drive(elicitation, oracle, judge(oracle), n_jobs=2)
    assert max(parts) == 2


def test_watching_changes_nothing(tmp_path):
    oracle = truth()
    journal_of(tmp_path / "watched", oracle, progress=lambda _: None)
    journal_of(tmp_path / "alone", oracle)
    assert identity(tmp_path / "watched") == identity(tmp_path / "alone")


# the journal


def test_the_journal_holds_every_fact_with_its_time(tmp_path):
    path, oracle, ticks = tmp_path / "j", truth(), iter(range(10**6))
    with begin(path, oracle, SETTINGS, seed=5) as session:
        drive(session.elicitation, oracle, judge(oracle), session.journal, clock=lambda: next(ticks))
    record = read(path)
    assert record.facts == session.elicitation.facts
    assert isinstance(record.facts[0], Asked)
    assert isinstance(record.facts[-1], Stopped)
    assert list(record.times) == sorted(record.times)
    assert record.header.settings["elicit"] == SETTINGS.plain()


def test_without_a_clock_the_times_in_a_journal_are_those_of_the_day(tmp_path):
    before = time.time()
    journal_of(tmp_path / "j", truth())
    times = read(tmp_path / "j").times
    assert before - 1 < times[0] <= times[-1] < time.time() + 1


def test_what_is_proven_at_the_end_takes_no_second_from_a_run(tmp_path, monkeypatch):
    now = [5.0]

    def slowly(elicitation):
        now[0] += 1000
        return claim_of(elicitation)

    monkeypatch.setattr("elicit.drive.claim_of", slowly)
    assert journal_of(tmp_path / "j", truth(), clock=lambda: now[0]).seconds == 0
    assert now == [1005.0]


def test_a_prior_is_in_the_journal_and_goes_on(tmp_path):
    oracle = truth()
    wanted = [float(k) for k in range(len(oracle.attributes))]
    with begin(tmp_path / "j", oracle, SETTINGS, prior=wanted) as session:
        assert list(session.elicitation.prior) == wanted
    with resume(tmp_path / "j", oracle) as session:
        assert list(session.elicitation.prior) == wanted


@pytest.mark.parametrize("rows", [None, 35])
@pytest.mark.parametrize("prior", [None, [0.1, 0.4, 0.3, 0.2]])
def test_a_journal_holds_all_that_its_run_was_made_of(tmp_path, prior, rows):
    oracle, family = truth(), Family(4, keep=0b1, drop=0b1000, max_size=2)
    made = Elicitation(
        oracle.attributes, oracle.criteria, SETTINGS, family=family, seed=7, prior=prior, rows=prior and rows
    )
    with begin(tmp_path / "begun", oracle, SETTINGS, family=family, seed=7, prior=prior, about={"data": "wine"}) as new:
        assert new.elicitation.family == family
        assert new.journal.header.settings["about"] == {"data": "wine"}
        assert new.journal.header == header_of(new.elicitation, oracle.fingerprint, {"data": "wine"})
    Journal.create(tmp_path / "made", header_of(made, oracle.fingerprint)).close()
    for path, wanted in (("begun", None), ("made", made.rows)):
        found = elicitation_of(read(tmp_path / path))
        assert (found.family, found.seed, found.settings) == (made.family, made.seed, made.settings)
        assert found.rows == wanted
        assert (found.prior is None) == (prior is None)
        assert prior is None or [*found.prior] == prior


def test_a_fact_is_in_the_journal_before_anything_else_is_asked(tmp_path):
    path = tmp_path / "j"
    written = []

    def look(mask):
        facts = read(path).facts
        written.append(sum(isinstance(fact, Evaluated) for fact in facts))
        assert any(isinstance(fact, Asked) and mask in fact.evaluate for fact in facts)

    oracle = Counting(truth(), before=look)
    journal_of(path, oracle, judge(oracle.inner))
    assert written == list(range(9))


@pytest.mark.parametrize(("batch", "jobs"), [(1, 2), (4, 2), pytest.param(4, 3, marks=pytest.mark.slow)])
def test_the_journal_is_the_same_for_any_number_of_jobs(tmp_path, batch, jobs):
    settings = Settings(start=4, questions=4, ask_every=4, batch=batch, budget=13)
    for path, n_jobs in ((tmp_path / "alone", 1), (tmp_path / "shared", jobs)):
        journal_of(path, truth(5), settings=settings, n_jobs=n_jobs)
    assert identity(tmp_path / "shared") == identity(tmp_path / "alone")


def test_another_seed_is_another_journal(tmp_path):
    oracle = truth()
    for seed in (1, 2):
        journal_of(tmp_path / f"{seed}", oracle, seed=seed)
    assert read(tmp_path / "1").facts != read(tmp_path / "2").facts


# resuming


def cut_at(data, byte, path):
    path.write_bytes(data[:byte])
    return path


def test_cut_at_every_byte_a_journal_holds_its_whole_lines_and_no_more(tmp_path):
    path, oracle = tmp_path / "j", truth(3)
    journal_of(path, oracle, settings=Settings(start=2, questions=2, ask_every=2, batch=2, budget=4))
    data, facts = path.read_bytes(), read(path).facts
    first = data.index(b"\n") + 1
    for byte in range(first, len(data) + 1):
        assert read(cut_at(data, byte, tmp_path / "cut")).facts == facts[: data[:byte].count(b"\n") - 1]
        if byte % 40 == 0:
            Journal.open(tmp_path / "cut").close()
            assert (tmp_path / "cut").read_bytes() == data[: data[:byte].rindex(b"\n") + 1]


@pytest.mark.parametrize(
    "settings",
    [SETTINGS, Settings(start=3, questions=6, ask_every=0, policy="ranking", parsimony="exact", budget=6)],
    ids=["parsimonious", "exact"],
)
def test_cut_after_every_line_and_resumed_the_rest_is_identical(tmp_path, settings):
    path, oracle = tmp_path / "j", truth()
    journal_of(path, oracle, settings=settings)
    data, whole = path.read_bytes(), identity(path)
    ends = [k + 1 for k, byte in enumerate(data) if byte == ord("\n")]
    for line, end in enumerate(ends):
        cut = cut_at(data, end + line % 7, tmp_path / "cut")  # torn lines as well
        counted = Counting(oracle)
        with resume(cut, counted) as session:
            known = {f.subset for f in session.journal.facts if isinstance(f, Evaluated)}
            drive(session.elicitation, counted, judge(oracle), session.journal)
        assert identity(cut) == whole
        assert not known & set(counted.asked)


@pytest.mark.slow
def test_cut_at_every_byte_and_resumed_the_rest_is_identical(tmp_path):
    path, oracle = tmp_path / "j", truth(3)
    journal_of(path, oracle, settings=Settings(start=2, questions=4, ask_every=2, batch=2, budget=7))
    data, whole = path.read_bytes(), identity(path)
    for byte in range(data.index(b"\n") + 1, len(data) + 1):
        cut = cut_at(data, byte, tmp_path / "cut")
        with resume(cut, oracle) as session:
            drive(session.elicitation, oracle, judge(oracle), session.journal)
        assert identity(cut) == whole, byte


def test_a_header_that_was_never_finished_is_begun_anew(tmp_path):
    path, oracle = tmp_path / "j", truth()
    journal_of(path, oracle)
    whole = identity(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(JournalError, match="begin it anew"):
        resume(path, oracle)
    journal_of(path, oracle)
    assert identity(path) == whole


def test_results_ahead_of_need_are_not_measured_again(tmp_path):
    path, oracle = tmp_path / "j", Counting(truth())
    with begin(path, oracle, SETTINGS, seed=5) as session:
        for mask in Family(4):
            session.journal.cache(mask, oracle.inner(Evaluate(0, mask)))
        drive(session.elicitation, oracle, judge(oracle.inner), session.journal)
    assert oracle.asked == []
    journal_of(tmp_path / "k", truth())
    assert identity(path) == identity(tmp_path / "k")


def test_whoever_goes_on_has_an_oracle_that_knows_what_was_measured_before(tmp_path):
    oracle = Counting(truth())
    journal_of(tmp_path / "j", oracle.inner, settings=dataclasses.replace(SETTINGS, questions=0))
    with resume(tmp_path / "j", oracle) as session:
        remembering = Remembering(oracle)
        drive(session.elicitation, remembering, None, session.journal)
        for subset in session.elicitation.history.evaluated:
            remembering(Evaluate(0, subset))
    assert oracle.asked == []


def test_a_finished_run_stays_finished_until_the_budget_grows(tmp_path):
    path, oracle = tmp_path / "j", truth()
    before = journal_of(path, oracle)
    data = path.read_bytes()
    with resume(path, oracle) as session:
        again = drive(session.elicitation, oracle, judge(oracle), session.journal)
    assert (again.subset, again.reason, again.evaluations) == (before.subset, before.reason, before.evaluations)
    assert path.read_bytes() == data

    with resume(path, oracle, budget=12) as session:
        further = drive(session.elicitation, oracle, judge(oracle), session.journal)
    assert further.reason == "budget: 12 evaluations"
    assert path.read_bytes().startswith(data)
    facts = read(path).facts
    (resumed,) = [fact for fact in facts if isinstance(fact, Resumed)]
    assert resumed == Resumed(resumed.request, 12)
    rounds = [fact.requests for fact in facts if isinstance(fact, Asked)]
    ids = [id for requests in rounds for id in requests]
    assert len(set(ids)) == len(ids), "an id is used once"


def test_a_run_that_went_further_resumes_identically_from_every_line(tmp_path):
    path, oracle = tmp_path / "j", truth()
    journal_of(path, oracle)
    with resume(path, oracle, budget=13) as session:
        drive(session.elicitation, oracle, judge(oracle), session.journal)
    data, whole = path.read_bytes(), identity(path)
    ends = [k + 1 for k, byte in enumerate(data) if byte == ord("\n")]
    record = read(path)
    (resumed,) = [line for line, fact in zip(record.lines, record.facts, strict=True) if isinstance(fact, Resumed)]
    for end in ends[resumed - 1 :]:
        cut = cut_at(data, end, tmp_path / "cut")
        with resume(cut, oracle) as session:
            drive(session.elicitation, oracle, judge(oracle), session.journal)
        assert identity(cut) == whole


# the clock, and leaving


def test_a_time_limit_ends_the_run_and_resuming_goes_on(tmp_path):
    path, oracle, ticks = tmp_path / "j", truth(), iter(range(10**6))
    stopped = journal_of(path, oracle, clock=lambda: next(ticks), time_limit=20)
    assert stopped.reason == "time: 20 seconds have passed"
    assert 0 < stopped.evaluations < 9
    assert read(path).facts[-1].from_outside
    with resume(path, oracle) as session:
        result = drive(session.elicitation, oracle, judge(oracle), session.journal)
    assert result.reason == "budget: 9 evaluations"
    measured = [fact.subset for fact in read(path).facts if isinstance(fact, Evaluated)]
    assert len(set(measured)) == len(measured) == 9


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_a_run_that_time_stops_over_and_over_throws_no_round_away_and_ends(tmp_path, limit):
    path, oracle = tmp_path / "j", truth()
    found = journal_of(path, oracle, clock=count().__next__, time_limit=limit)
    sittings = 1
    while found.reason.startswith("time"):
        with resume(path, oracle) as session:
            asks = session.elicitation, oracle, judge(oracle), session.journal
            found = drive(*asks, clock=count().__next__, time_limit=limit)
        sittings += 1
        assert sittings < 40, "a sitting brings the run no further"
    assert sittings > 1
    facts = read(path).facts
    asked = [request for fact in facts if isinstance(fact, Asked) for request in fact.requests]
    assert sorted(asked) == sorted(fact.request for fact in facts if isinstance(fact, Evaluated | Preferred | Settled))
    assert found.reason == "budget: 9 evaluations"


@pytest.mark.parametrize("limit", [0, 3])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path, limit, seed):
    path, oracle, sittings = tmp_path / "j", truth(), 1
    exact = SimulatedOperator("score - 0.1 * size", oracle.criteria)  # by no number of a question, as one that errs
    found = journal_of(path, oracle, exact, seed=seed, clock=count().__next__, time_limit=limit)
    while found.reason.startswith("time"):
        with resume(path, oracle) as session:
            found = drive(session.elicitation, oracle, exact, session.journal, clock=count().__next__, time_limit=limit)
        sittings += 1
    assert sittings > 1
    journal_of(tmp_path / "whole", oracle, exact, seed=seed)
    assert course(read(path).facts) == course(read(tmp_path / "whole").facts)


def course(facts):
    """What was measured and answered, in order."""
    kept = [fact for fact in facts if isinstance(fact, Evaluated | Preferred | Settled)]
    return [dataclasses.replace(fact, request=0) for fact in kept]


@pytest.mark.parametrize(("at", "yes"), [(4, True), (4, np.True_), (5, True), (6, True)])
def test_who_follows_the_progress_may_call_the_run_off_and_resuming_goes_on(tmp_path, at, yes):
    path, oracle, seen = tmp_path / "j", truth(), []

    def follow(progress):
        seen.append(progress)
        return len(seen) == at and yes  # only once: what was called off stays so, until the round is over

    stopped = journal_of(path, oracle, progress=follow)
    assert stopped.reason == "callback: whoever followed the progress called the run off"
    assert seen[-1].evaluations == stopped.evaluations < 9
    assert at <= len(seen) <= at + 2, "a round of two and a question is played to its end, and no other"
    facts = read(path).facts
    assert facts[-1].from_outside
    asked = [request for fact in facts if isinstance(fact, Asked) for request in fact.requests]
    assert sorted(asked) == sorted(fact.request for fact in facts if isinstance(fact, Evaluated | Preferred | Settled))
    assert {progress.kept for progress in seen} == {0}
    later = []
    with resume(path, oracle) as session:
        result = drive(session.elicitation, oracle, judge(oracle), session.journal, progress=later.append)
    assert result.reason == "budget: 9 evaluations"
    assert {progress.kept for progress in later} == {stopped.evaluations}
    assert [step.line for step in check_record(read(path))]


@pytest.mark.parametrize("no", [None, False, np.False_, 1, "stop", [True]])
def test_nothing_but_true_calls_a_run_off(no):
    oracle = truth()
    elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    assert drive(elicitation, oracle, judge(oracle), progress=lambda _: no).reason == "budget: 9 evaluations"


def test_an_operator_who_is_content_ends_the_run_with_its_result_and_its_claim(tmp_path):
    path, oracle = tmp_path / "j", truth()
    asked, plain = [], judge(oracle)

    def content(request):
        asked.append(request)
        return Enough() if len(asked) == 2 else plain(request)

    settings = dataclasses.replace(SETTINGS, batch=1)
    ended = journal_of(path, oracle, content, settings, clock=count().__next__, time_limit=0)
    while ended.reason.startswith("time"):  # time that is over as well ends nothing twice
        with resume(path, oracle) as session:
            ended = drive(session.elicitation, oracle, content, session.journal, clock=count().__next__, time_limit=0)
    assert ended.reason == "wish: the operator is content with the best so far"
    assert ended.subset is not None
    assert ended.evaluations < 9
    assert ended.questions == 1
    record = read(path)
    assert record.facts[-1].from_outside
    assert record.claims[-1].facts == len(record.facts)
    assert [step.line for step in check_record(record)], "its claims are checked like any other's"
    with resume(path, oracle) as session:
        result = drive(session.elicitation, oracle, plain, session.journal)
    assert result.reason == "budget: 9 evaluations"
    measured = [fact.subset for fact in read(path).facts if isinstance(fact, Evaluated)]
    assert len(set(measured)) == len(measured) == 9


def test_an_interrupt_keeps_what_had_arrived_from_other_workers(tmp_path):
    path, oracle, done = tmp_path / "j", truth(), Measured((0.5, 1.0))

    class BrokenOff:
        count = 2

        def measure(self, _oracle, _subsets, arrived):
            arrived({0b10: done})
            arrived({0b11: Failure("for lack of memory, say")})
            raise KeyboardInterrupt

    with begin(path, oracle, SETTINGS) as session:
        writer = JournalWriter(session.elicitation, session.journal, time.time)
        with pytest.raises(KeyboardInterrupt):
            measured_by(BrokenOff(), oracle, [0b1, 0b10, 0b11], writer)
    assert read(path).cached == {0b10: done}
    with resume(path, Counting(oracle)) as session:
        known = remembering(oracle, session.elicitation.facts, session.journal.cached)
        assert known(Evaluate(0, 0b10)) == done


def test_what_takes_long_is_in_the_journal_while_others_are_still_measured(tmp_path, monkeypatch):
    path, oracle, done, now = tmp_path / "j", truth(), Measured((0.5, 1.0)), [0.0]
    monkeypatch.setattr("elicit.alongside.measuring.time", SimpleNamespace(monotonic=lambda: now[0]))

    class Slow:
        count, kept = 3, ()

        def measure(self, _oracle, _subsets, arrived):
            for subset, seconds in ((0b1, 0.1), (0b10, 0.6), (0b11, 5.0), (0b111, 5.0)):
                now[0] += seconds
                arrived({subset: Failure("no") if subset == 0b11 else done})
                self.kept += (sorted(read(path).cached),)
            return [done] * 4

    slow = Slow()
    with begin(path, oracle, SETTINGS) as session:
        writer = JournalWriter(session.elicitation, session.journal, time.time)
        measured_by(slow, oracle, [0b1, 0b10, 0b11, 0b111], writer)
    assert slow.kept == ([], [0b10], [0b10], [0b10]), "what is quick is soon measured again, and the last told at once"


class Threads:
    """Workers that measure all at once, or are broken off when one part has arrived."""

    count = 3

    def __init__(self, breaks_off):
        self.breaks_off = breaks_off

    def measure(self, oracle, subsets, arrived):
        replies = [oracle(Evaluate(0, subset)) for subset in subsets]
        if self.breaks_off:
            arrived({subsets[1]: replies[1]})
            raise KeyboardInterrupt
        return replies


@pytest.mark.parametrize("breaks_off", [True, False])
def test_what_breaks_a_round_off_leaves_what_was_measured_in_the_journal(tmp_path, breaks_off):
    """By the workers themselves, or by whoever is told after the first reply."""
    path, oracle = tmp_path / "j", truth()

    def told():
        raise KeyboardInterrupt

    with begin(path, oracle, dataclasses.replace(SETTINGS, batch=3)) as session:
        run, writer = session.elicitation, JournalWriter(session.elicitation, session.journal, time.time)
        run.ask()
        requests = run.pending()
        with pytest.raises(KeyboardInterrupt):
            measure(run, requests, oracle, Threads(breaks_off), writer, told)
    first, second, third = (request.subset for request in requests)
    kept = read(path)
    assert set(kept.cached) == ({second} if breaks_off else {second, third})
    assert [fact.subset for fact in kept.facts if isinstance(fact, Evaluated)] == ([] if breaks_off else [first])


def test_what_breaks_a_first_look_off_leaves_what_was_measured_in_the_journal(tmp_path):
    oracle = truth()
    for k, breaks_off in enumerate((True, False)):
        path = tmp_path / str(k)
        with begin(path, oracle, SETTINGS) as session:
            writer = JournalWriter(session.elicitation, session.journal, time.time)
            with pytest.raises(KeyboardInterrupt) if breaks_off else nullcontext():
                looked_at(remembering(oracle, (), {}), Threads(breaks_off), writer, [0b1, 0b10, 0b11])
        assert set(read(path).cached) == ({0b10} if breaks_off else {0b1, 0b10, 0b11})


@pytest.mark.parametrize("at", [0, 3, 8])
def test_an_interrupt_while_measuring_leaves_a_journal_that_resumes_identically(tmp_path, at):
    path, oracle = tmp_path / "j", truth()
    journal_of(tmp_path / "whole", oracle)

    def interrupt(_):
        if len(interrupted.asked) > at:
            raise KeyboardInterrupt

    interrupted = Counting(oracle, before=interrupt)
    with pytest.raises(KeyboardInterrupt):
        journal_of(path, interrupted, judge(oracle))
    assert sum(isinstance(fact, Evaluated) for fact in read(path).facts) == at
    with resume(path, oracle) as session:
        drive(session.elicitation, oracle, judge(oracle), session.journal)
    assert identity(path) == identity(tmp_path / "whole")


@pytest.mark.parametrize("disk_is_full", [False, True])
def test_an_interrupt_just_before_a_fact_is_written_leaves_it_written_and_is_what_is_told(
    tmp_path, monkeypatch, disk_is_full
):
    interrupted, plain = [], Journal.catch_up

    def stopped(journal, facts, clock):
        if not interrupted and any(isinstance(fact, Evaluated) for fact in facts):
            interrupted.append(True)
            raise KeyboardInterrupt
        if interrupted and disk_is_full:
            raise JournalError("no space left")
        plain(journal, facts, clock)

    monkeypatch.setattr(Journal, "catch_up", stopped)
    with pytest.raises(KeyboardInterrupt):
        journal_of(tmp_path / "j", truth())
    assert sum(isinstance(fact, Evaluated) for fact in read(tmp_path / "j").facts) == (0 if disk_is_full else 1)


def test_an_operator_who_leaves_is_asked_the_same_question_again(tmp_path):
    path, oracle = tmp_path / "j", truth()
    asked = []

    def leaving(request):
        asked.append(request)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        journal_of(path, oracle, leaving)
    with resume(path, oracle) as session:
        assert session.elicitation.ask() == asked[0]
        assert isinstance(asked[0], Compare)


def test_an_error_of_the_oracle_keeps_what_was_measured_before(tmp_path):
    path = tmp_path / "j"

    def raising(_):
        if len(oracle.asked) == 4:
            raise OracleError("the disk of the oracle is gone")

    oracle = Counting(truth(), before=raising)
    with pytest.raises(OracleError, match="gone"):
        journal_of(path, oracle, judge(oracle.inner))
    assert sum(isinstance(fact, Evaluated) for fact in read(path).facts) == 3


# parts that do not fit


def test_an_oracle_of_other_data_is_refused(tmp_path):
    path, oracle = tmp_path / "j", truth()
    journal_of(path, oracle)
    data = path.read_bytes()
    with pytest.raises(JournalError, match="other data"):
        resume(path, truth(seed=4))
    with begin(tmp_path / "k", oracle) as session, pytest.raises(JournalError, match="other data"):
        drive(session.elicitation, truth(seed=4), judge(oracle), session.journal)
    with pytest.raises(InputError, match="other attributes"):
        drive(Elicitation(oracle.attributes, oracle.criteria), truth(5), judge(oracle))
    assert path.read_bytes() == data


def test_a_plain_function_is_no_oracle_and_it_is_said_what_makes_one_of_it(tmp_path):
    def measure(names):
        return len(names)

    for play in (
        lambda: drive(Elicitation(["a", "b"]), measure, ScriptedOperator([])),
        lambda: begin(tmp_path / "j", measure),
        lambda: resume(tmp_path / "j", measure),
        lambda: explore(Method("sffs", Floating()), measure),
    ):
        with pytest.raises(InputError, match=r"measures subsets of its attributes.*CallableOracle"):
            play()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"attributes": ["a1", "a2", "a3"]}, r"found \['a1'.*; write Attributes\.of\(names\)"),
        ({"criteria": Criterion("score")}, "a tuple of them, found one alone"),
        ({"fingerprint": None}, "an oracle has a fingerprint, a text .*, found None"),
        ({"fingerprint": 3}, "an oracle has a fingerprint, a text .*, found 3"),
    ],
)
def test_an_oracle_of_one_s_own_is_told_what_it_lacks_before_anything_is_measured(tmp_path, changed, told):
    class Mine:
        def __call__(self, request):
            raise AssertionError(f"{request.subset} was measured")

    whole, mine = truth(3), Mine()
    vars(mine).update({"attributes": whole.attributes, "criteria": whole.criteria, "fingerprint": "mine", **changed})
    for play in (
        lambda: drive(Elicitation(whole.attributes, whole.criteria), mine, ScriptedOperator([])),
        lambda: begin(tmp_path / "j", mine),
        lambda: resume(tmp_path / "j", mine),
        lambda: explore(Method("sffs", Floating()), mine),
    ):
        with pytest.raises(InputError, match=told):
            play()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("limit", ["60", -1, float("nan"), True])
def test_a_time_limit_is_a_number_of_seconds(limit):
    counting, nobody = Counting(truth()), ScriptedOperator([])
    for play in (
        lambda: drive(Elicitation(counting.attributes, counting.criteria), counting, nobody, time_limit=limit),
        lambda: explore(Method("sffs", Floating()), counting, time_limit=limit),
    ):
        with pytest.raises(InputError, match="time_limit is a number of seconds of at least 0, or None; found"):
            play()
    assert counting.asked == []


@pytest.mark.parametrize("operator", ["score - size", None])
def test_what_cannot_answer_is_no_operator_and_nothing_is_measured_for_it(operator):
    counting = Counting(truth())
    with pytest.raises(InputError, match=f"found {operator!r}; SimulatedOperator"):
        drive(Elicitation(counting.attributes, counting.criteria), counting, operator)
    assert counting.asked == []


def test_a_journal_of_another_run_is_refused(tmp_path):
    oracle = truth()
    journal_of(tmp_path / "j", oracle)
    other = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    with Journal.open(tmp_path / "j") as journal, pytest.raises(JournalError, match="other facts"):
        drive(other, oracle, judge(oracle), journal)
    *facts, last = read(tmp_path / "j").facts
    other = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5, facts=facts)
    other.stop("ended otherwise")  # as many facts, and the last one is another
    assert isinstance(last, Stopped)
    with Journal.open(tmp_path / "j") as journal, pytest.raises(JournalError, match="other facts"):
        drive(other, oracle, judge(oracle), journal)
    other = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=6)
    with Journal.open(tmp_path / "j") as journal, pytest.raises(JournalError, match="another run"):
        drive(other, oracle, judge(oracle), journal)
    criteria = (Criterion("score"), Criterion("weight", maximise=False))
    for attributes, measures in ((Attributes(("a", "b", "c", "d")), oracle.criteria), (oracle.attributes, criteria)):
        (tmp_path / "k").unlink(missing_ok=True)
        header = dataclasses.replace(read(tmp_path / "j").header, attributes=attributes, criteria=measures)
        fresh = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
        with Journal.create(tmp_path / "k", header) as journal, pytest.raises(JournalError, match="another run"):
            drive(fresh, oracle, judge(oracle), journal)


def test_a_path_will_do_for_a_journal_that_is_begun_and_for_one_that_is_resumed(tmp_path):
    oracle = truth()
    journal_of(tmp_path / "j", oracle)
    fresh = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    drive(fresh, oracle, judge(oracle), str(tmp_path / "k"))
    written = read(tmp_path / "k")
    assert (written.header, written.facts) == (read(tmp_path / "j").header, fresh.facts)
    assert written.claims
    again = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    with pytest.raises(JournalError, match="other facts"):
        drive(again, oracle, judge(oracle), tmp_path / "k")
    resumed = elicitation_of(written)
    resumed.resume(fresh.evaluations + 2)
    drive(resumed, oracle, judge(oracle), tmp_path / "k")
    assert read(tmp_path / "k").facts == resumed.facts
    assert len(resumed.facts) > len(fresh.facts)
    fresh.resume(fresh.evaluations + 2)
    drive(fresh, oracle, judge(oracle), tmp_path / "l")  # kept only now: of the budget it began with, and the later one
    assert read(tmp_path / "l").header == written.header
    assert list(check_record(read(tmp_path / "l"))), "each step holds, or this is an error"
    Journal.open(tmp_path / "k").close()  # nobody holds it any more
    with pytest.raises(InputError, match="journal is a Journal, the path of one, or None; found 3"):
        drive(again, oracle, judge(oracle), 3)


@pytest.mark.parametrize(
    "other",
    [
        {"settings": dataclasses.replace(SETTINGS, parsimony=0.2)},
        {"family": Family(4, keep=1)},
        {"prior": [1.0, 2.0, 3.0, 4.0]},
    ],
)
def test_a_journal_of_other_choices_is_refused_before_anything_is_measured(tmp_path, other):
    oracle = Counting(truth())
    given = {"settings": SETTINGS, **other}
    begin(tmp_path / "j", oracle, SETTINGS, seed=5).journal.close()
    with Journal.open(tmp_path / "j") as journal, pytest.raises(JournalError, match="another run: its seed, settings"):
        drive(Elicitation(oracle.attributes, oracle.criteria, seed=5, **given), oracle, judge(oracle), journal)
    assert oracle.asked == []


@pytest.mark.parametrize("settings", [{}, {"elicit": [1]}, {"elicit": {"bogus": 1}}, {"elicit": SETTINGS.plain()}])
def test_a_journal_whose_header_makes_no_session_is_refused_in_words(tmp_path, settings):
    oracle = Counting(truth())
    header = Header(5, oracle.fingerprint, oracle.attributes, oracle.criteria, settings)
    begun = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    with Journal.create(tmp_path / "j", header) as journal, pytest.raises(JournalError, match="do not make a session"):
        drive(begun, oracle, judge(oracle), journal)
    assert oracle.asked == []


def test_a_journal_in_use_is_refused(tmp_path):
    path, oracle = tmp_path / "j", truth()
    with begin(path, oracle), pytest.raises(JournalError, match="in use"):
        resume(path, oracle)


def test_a_journal_that_holds_no_session_is_refused(tmp_path):
    path, oracle = tmp_path / "j", truth()
    journal_of(path, oracle)
    record = read(path)
    for settings in ({}, {**record.header.settings, "family": {"keep": ["nobody"], "drop": [], "max_size": None}}):
        header = type(record.header)(5, oracle.fingerprint, oracle.attributes, oracle.criteria, settings)
        broken = tmp_path / "broken"
        broken.unlink(missing_ok=True)
        Journal.create(broken, header).close()
        with pytest.raises(JournalError, match="do not make a session"):
            resume(broken, oracle)
        with pytest.raises(JournalError, match="do not make a session"):
            elicitation_of(read(broken))


def test_a_reply_that_cannot_be_recorded_is_the_oracle_s_fault():
    oracle = CallableOracle(lambda names: (0.5, float(len(names))), 3)
    elicitation = Elicitation(oracle.attributes, oracle.criteria)
    short = Counting(oracle, before=lambda _: Measured((0.5,)))
    with pytest.raises(OracleError, match="2 criteria"):
        drive(elicitation, short, ScriptedOperator([]))


@pytest.mark.parametrize("parsimony", [0.1, "exact"])
def test_contradictions_are_put_to_the_operator_who_may_take_an_answer_back(parsimony):
    oracle, settled = truth(5), []
    slips = slipping(oracle)

    def answer(request):
        if isinstance(request, Compare):
            return slips(request)
        settled.append(request)
        return Settlement(request.conflict[-1] if len(settled) % 2 else None)

    settings = dataclasses.replace(CHECKED, parsimony=parsimony)
    elicitation = Elicitation(oracle.attributes, oracle.criteria, settings, seed=1)
    assert drive(elicitation, oracle, answer).subset is not None
    assert len(settled) > 1
    assert elicitation.history.retracted == {request.conflict[-1] for request in settled[::2]}
    assert elicitation.history.settled == {request.conflict for request in settled[1::2]}


def test_a_contradiction_that_is_none_any_more_is_not_put_again():
    oracle, put = truth(5), []
    slips = slipping(oracle)

    def answer(request):
        if isinstance(request, Compare):
            return slips(request)
        put.append(request.id)
        return TakeBack(request.conflict[-1]) if len(put) == 1 else Settlement(None)

    drive(Elicitation(oracle.attributes, oracle.criteria, CHECKED, seed=1), oracle, answer)
    assert len(put) == len(set(put)) > 0


def test_a_check_is_no_check_any_more_once_an_answer_was_taken_back():
    oracle, seen, told = truth(5), [], []
    plain = judge(oracle, 0.0)

    def answer(request):
        if isinstance(request, Reconcile):
            return Settlement(None)
        seen.append(request)
        if request.check:
            return TakeBack(min(r for r in elicitation.history.answers if r not in elicitation.history.retracted))
        return plain(request)

    elicitation = Elicitation(oracle.attributes, oracle.criteria, CHECKED, seed=1)
    drive(elicitation, oracle, answer, progress=told.append)
    put = next(k for k, request in enumerate(seen) if request.check)
    assert seen[put + 1].id == seen[put].id
    assert not seen[put + 1].check
    assert "a check" in seen[put].why
    assert "taken back" in seen[put + 1].why
    assert elicitation.history.retracted


# kills

#: Kills runs that it forks off itself, so that a kill meets the run and not the imports.
KILLER = textwrap.dedent(
    """
    import os, random, signal, sys, time
    from pathlib import Path
    from elicit.decide.settings import Settings
    from elicit.drive import drive
    from elicit.sessions import begin, resume
    from elicit.events import Asked, Stopped
    from elicit.journal import begun, identity, read
    from elicit.operators import SimulatedOperator
    from elicit.oracles import SyntheticOracle

    folder, kills, chance = Path(sys.argv[1]), int(sys.argv[2]), random.Random(int(sys.argv[3]))
    oracle = SyntheticOracle(6, {1 << i: 0.5 + i / 10 for i in range(6)} | {3: -0.2, 10: 0.3, 48: -0.4}, size=True)
    operator = SimulatedOperator("score - 0.8 * size", oracle.criteria, noise=0.1, seed=1)
    settings = Settings(start=5, questions=10, ask_every=2, batch=2, budget=18, stop=())

    def run(path, acknowledge):
        with (resume(path, oracle) if begun(path) else begin(path, oracle, settings, seed=3)) as session:
            drive(session.elicitation, oracle, operator, session.journal, progress=acknowledge)

    def killed(path):
        # what the run acknowledged until it was killed, and whether it had got to its end
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            run(path, lambda progress: os.write(writing, b"."))
            os.write(writing, b"!")
            os._exit(0)
        os.close(writing)
        time.sleep(chance.uniform(0, 1.2 * seconds))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with os.fdopen(reading, "rb") as pipe:
            return pipe.read()

    def replies(path):
        return [fact for fact in read(path).facts if not isinstance(fact, Asked | Stopped)]

    whole, path, before, finished = folder / "whole", folder / "j", 0, 0
    start = time.monotonic()
    run(whole, None)
    seconds = time.monotonic() - start
    for _ in range(kills):
        told = killed(path)
        there = replies(path) if begun(path) else []
        assert there == replies(whole)[: len(there)], "the journal holds another run"
        assert len(there) >= before + told.count(b"."), "something acknowledged is lost"
        before = len(there)
        if told.endswith(b"!"):
            assert identity(path) == identity(whole)
            path.unlink()
            before, finished = 0, finished + 1
    run(path, None)
    assert identity(path) == identity(whole)
    print("survived", kills)
    """
)


def killed_at_random(tmp_path, kills, seed):
    """Kill a live run at random moments, again and again; begin a new one whenever it gets to its end."""
    script = tmp_path / "killer.py"
    script.write_text(KILLER)
    told = subprocess.run(
        [sys.executable, script, tmp_path, str(kills), str(seed)], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, f"survived {kills}\n", "")


@posix
def test_killed_at_random_moments_nothing_acknowledged_is_lost(tmp_path):
    killed_at_random(tmp_path, 5, seed=1)


@posix
@pytest.mark.slow
def test_killed_fifty_times_nothing_acknowledged_is_lost(tmp_path):
    killed_at_random(tmp_path, 50, seed=2)


def test_a_journal_from_before_some_settings_were_there_is_read_by_the_rules_of_its_time(tmp_path):
    """Runs then asked for no answer again, and believed all rejections."""
    oracle = truth(5)
    plain = journal_of(tmp_path / "now", oracle, settings=CHECKED, seed=2)
    record = read(tmp_path / "now")
    earlier = dict(record.header.settings["elicit"])
    then = {
        "confirm": 0,
        "unasked": 0,
        "detour": 0,
        "agreement": 1,
        "doubt": 1,
        "spare": 0,
    }
    assert then == FORMER_DEFAULTS
    for later in (*then, "scope", "assume", "noise_ratio", "pairs", "worth"):
        del earlier[later]
    header = dataclasses.replace(record.header, settings={**record.header.settings, "elicit": earlier})
    with Journal.create(tmp_path / "then", header) as journal:
        for fact in record.facts:
            journal.append(fact)
    found = elicitation_of(read(tmp_path / "then"))
    assert found.settings == dataclasses.replace(CHECKED, **then)
    asked, checked = found.settings.undoubted_questions, KnownFacts(header)
    assert checked._undoubted_questions == asked, "a check reads it as whoever goes on with it"
    assert found.incumbent == elicitation_of(record).incumbent == plain.subset


def test_who_only_compares_leaves_contradictions_to_be_weighed():
    settled = 0
    for seed in range(4):
        oracle = truth(seed=seed)
        elicitation = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=12, ask_every=1), seed=seed)
        drive(elicitation, oracle, lambda _: Answer.EQUAL, claim=False)
        settled += sum(isinstance(fact, Settled) for fact in elicitation.facts)
        assert not elicitation.history.retracted  # nobody took anything back
    assert settled


def test_what_is_taken_back_is_in_the_journal_before_the_question_is_put_again(tmp_path):
    path, oracle, asked = tmp_path / "j", truth(), []

    def answer(request):
        asked.append(request)
        if len(asked) == 2:
            return TakeBack(asked[0].id)
        if len(asked) == 3:
            assert Retracted(read(path).facts[-1].request, asked[0].id) == read(path).facts[-1]
        return judge(oracle)(request)

    journal_of(path, oracle, answer)
    assert len(asked) > 2


def test_who_wants_no_claim_gets_none_in_the_journal(tmp_path):
    for wanted in (True, False):
        with begin(tmp_path / str(wanted), oracle := truth(), SETTINGS, seed=5) as session:
            drive(session.elicitation, oracle, judge(oracle), session.journal, claim=wanted)
        assert bool(read(tmp_path / str(wanted)).claims) == wanted


def test_a_clock_that_is_set_back_takes_no_second_from_a_run(monkeypatch):
    back = count(10**9, -3600)
    monkeypatch.setattr("time.time", lambda: float(next(back)))
    oracle = truth()
    elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    assert 0 < drive(elicitation, oracle, judge(oracle)).seconds < 3600


def test_the_questions_of_a_result_are_all_that_were_answered_those_taken_back_too():
    oracle, asked = truth(), []

    def answer(request):
        asked.append(request)
        return TakeBack(asked[0].id) if len(asked) == 2 else judge(oracle)(request)

    elicitation = Elicitation(oracle.attributes, oracle.criteria, SETTINGS, seed=5)
    result = drive(elicitation, oracle, answer)
    assert elicitation.history.undone
    assert (
        result.questions
        == len(elicitation.history.answers)
        == sum(isinstance(fact, Preferred) for fact in elicitation.facts)
    )


def test_a_check_is_none_any_more_when_what_implied_it_was_taken_back_before_the_run_went_on(tmp_path):
    oracle, shown = truth(5), []
    settings = dataclasses.replace(SETTINGS, check_every=1, ask_every=1, questions=20, budget=20)

    def leaves(request):
        if isinstance(request, Compare) and request.check:
            raise Leave("a check")
        return judge(oracle, noise=0.0)(request)

    def looks(request):
        shown.append(request)
        return judge(oracle, noise=0.0)(request)

    with pytest.raises(Leave):
        journal_of(tmp_path / "j", oracle, leaves, settings)
    with resume(tmp_path / "j", oracle) as session:
        (open_one,) = (r for r in session.elicitation.pending() if isinstance(r, Compare))
        assert open_one.check
        session.elicitation.retract(next(iter(session.elicitation.history.answers)))
        drive(session.elicitation, oracle, looks, session.journal)
    assert not shown[0].check
    assert "one was taken back" in shown[0].why
    assert any(request.check for request in shown[1:])
