"""Why: what is said of other answers, of answers that matter and of causes is true, by brute force.

The rule: the judge says what would be recommended; a run's own code never judges itself.
"""

import re
from dataclasses import replace
from types import SimpleNamespace

import journals
import judge
import numpy as np
import pytest
from test_verify_command import implied

from elicit.asks import Enough, Reconcile, Settlement
from elicit.cli import main
from elicit.commands.ending_bounds import proven_bounds, what_is_proven
from elicit.commands.ending_reasons import statements_set_aside
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.events import SCORE_AND_SIZE, Answer, Asked, Assumed, Criterion, Evaluated, Failed, Preferred, Retracted
from elicit.journal import Claimed, Record, read
from elicit.knowledge.history import History
from elicit.knowledge.statements import Relation, Source, Statement
from elicit.operators import ScriptedOperator
from elicit.oracles import CallableOracle
from elicit.proof import why as proof_why
from elicit.proof import why_words
from elicit.proof.record_check import check_record
from elicit.proof.strained import kept_words, strained_in, strained_words
from elicit.proof.why import NeededAnswers, Otherwise, Reason, Why, _claimed, numbered, otherwise
from elicit.report.content import gather
from elicit.report.front import front_section
from elicit.sessions import begin, elicitation_of
from elicit.subsets import Attributes, Family, members
from elicit.utility.explain import Cause
from elicit.utility.parsimony import ParsimoniousSet

VERDICTS = ("it cannot be best", "it could still be best")
RUNS = {
    "settled": {"n": 4, "seed": 3},
    "short": {"n": 5, "seed": 1, "budget": 11, "ask_every": 2, "start": 4, "stop": ()},
    "contradicted": {"n": 4, "seed": 1, "noise": 0.4, "ask_every": 1, "budget": 11, "stop": ()},
}


@pytest.fixture(scope="module", params=RUNS)
def journal(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("why") / f"{request.param}.jsonl"
    journals.played(path, **RUNS[request.param])
    return path


@pytest.fixture(scope="module")
def why(journal):
    return Why(read(journal))


def recommended(lines):
    """The evaluated subset of least max regret among those that nothing puts below another; every near one."""
    settings = lines[0]["settings"]["elicit"]
    monos = judge.monomials(len(lines[0]["attributes"]), settings["degree"])
    criteria, sourced = implied(lines)
    statements = [s[:4] for s in sourced]

    def leads(start, goal):
        seen, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            edges = [(a, b) for a, b, *_ in statements] + [(b, a) for a, b, how, _ in statements if how == "equal"]
            for above, below in edges:
                if above == here and below not in seen:
                    seen.add(below)
                    waiting.append(below)
        return goal in seen

    beaten = {
        worse
        for better, worse, how, _, source, _ in sourced
        if how == "strict" and (source == "dominance" or not leads(worse, better))
    }
    open_ones = [x for x in criteria if x not in beaten]
    how = settings["parsimony"], settings["slack"], settings["weights"]
    regrets = {x: judge.set_regret(x, list(criteria), statements, monos, *how) for x in open_ones}
    least = min(regrets.values())
    near = [x for x in open_ones if regrets[x] <= least + 1e-5]
    certain = [x for x in open_ones if regrets[x] <= least + 1e-7]
    return min(certain, key=lambda x: (x.bit_count(), x)), near


def test_what_is_explained_is_what_the_judge_recommends(journal, why):
    best, near = recommended(journals.lines_of(journal))
    assert why.best == best or why.best in near


def test_what_each_rival_may_gain_is_what_brute_force_finds(tmp_path):
    journals.played(tmp_path / "j", 3, 0, budget=5, questions=0, stop=(), start=5)
    lines, why = journals.lines_of(tmp_path / "j"), Why(read(tmp_path / "j"))
    settings = lines[0]["settings"]["elicit"]
    monos, statements = judge.monomials(3, settings["degree"]), [s[:4] for s in implied(lines)[1]]
    gains = []
    for rival in set(range(1, 8)) - {why.best}:
        how = settings["parsimony"], settings["slack"], settings["weights"]
        gains.append(max(0.0, judge.set_regret(why.best, [rival], statements, monos, *how)))
        reason = why.not_that(rival)
        assert reason.loses == pytest.approx(gains[-1], abs=1e-5)
        assert bool(reason.causes) == (gains[-1] == 0)
    assert min(gains) == 0 < 0.01 < max(gains), "some can gain, and some cannot"


def test_what_other_answers_would_have_come_to_agrees_with_brute_force(journal, why):
    found = otherwise(why.beliefs)
    lines = journals.lines_of(journal)
    asked = [k for k, line in enumerate(lines) if line.get("fact") == "preferred"]
    number = {question: request for request, question in why.questions.items()}
    assert len({o.question for o in found}) == sum(lines[k]["answer"] in ("first", "second", "equal") for k in asked)
    for other in found:
        changed = [dict(line) for line in lines]
        (told,) = [
            line for line in changed if line.get("fact") == "preferred" and line["request"] == number[other.question]
        ]
        assert told["answer"] != other.answer.value
        told["answer"] = other.answer.value
        best, near = recommended(changed)
        assert other.subset == best or other.subset in near, other


def test_another_answer_that_would_have_been_doubted_is_told_to_lead_somewhere_only_for_who_stands_by_it(tmp_path):
    """As runs recommend unless told otherwise, against the same journal with that one answer changed."""
    path = tmp_path / "j"
    journals.played(path, n=4, seed=9, noise=0.4, recommend="expected", ask_every=1, budget=13, stop=())
    why = Why(read(path))
    insisting = []
    for other in otherwise(why.beliefs):
        lines = [line for line in journals.lines_of(path) if "claim" not in line]
        request = next(r for r, question in why.questions.items() if question == other.question)
        told = next(line for line in lines if line.get("fact") == "preferred" and line["request"] == request)
        told["answer"] = other.answer.value
        then = Why(read(journals.write(tmp_path / "changed", lines)))
        insisting.append(other.insisting)
        assert other.insisting == (request in [s.request for s in then.beliefs.doubted])
        assert other.insisting or other.subset == then.now
    assert set(insisting) == {False, True}, "some would have been doubted, and some not"


def test_progress_counts_answers_and_an_equality_has_two_others(tmp_path):
    oracle, seen = journals.truth(4), []
    chosen = Settings(ask_every=1, questions=4, budget=12, unasked=0, agreement=1, stop=())
    with begin(tmp_path / "j", oracle, chosen) as session:
        operator = ScriptedOperator(["equal", "incomparable"], otherwise="a")
        drive(session.elicitation, oracle, operator, session.journal)
    found = otherwise(Why(read(tmp_path / "j")).beliefs, lambda done, words: seen.append((done, words)))
    assert [other.question for other in found] == [1, 1, 3, 4]
    assert seen == [(k / 3, f"answer {k + 1} of 3 reversed") for k in range(3)]


def test_only_answers_that_stand_are_reversed_and_go_by_the_numbers_of_their_questions():
    given = [Answer.FIRST, Answer.SECOND, Answer.INCOMPARABLE, Answer.SECOND]
    measured = [Evaluated(mask, mask, (0.5, 1.0)) for mask in (1, 2)]
    answers = [Preferred(7 + k, 1, 2, answer) for k, answer in enumerate(given)]
    history = History(Attributes(("a", "b")), facts=[*measured, *answers, Retracted(11, 8)])

    def with_answer(other):
        return SimpleNamespace(incumbent=other.request, meant_against_the_odds=other.request == 10)

    assert otherwise(SimpleNamespace(history=history, with_answer=with_answer)) == [
        Otherwise(1, Answer.FIRST, Answer.SECOND, preferred=2, subset=7),
        Otherwise(4, Answer.SECOND, Answer.FIRST, preferred=1, subset=10, insisting=True),
    ]


def test_a_statement_goes_by_the_number_of_its_question_where_it_answers_one():
    numbers = {7: 1, 9: 2}
    assert numbered(Statement(1, 2, request=9), numbers) == Statement(1, 2, request=2)
    for request in (None, 8):  # of what was measured, and of an assumption
        assert numbered(Statement(1, 2, request=request), numbers) == Statement(1, 2)


@pytest.mark.parametrize(
    ("claims", "found"),
    [
        ([], None),
        ([(5, ["a", "b"])], 0b011),
        ([(2, ["a"]), (5, ["a", "b"])], 0b011),  # the last counts
        ([(4, ["a", "b"])], None),  # facts came after it
        ([(5, None)], None),
        ([(5, ["a", "x"])], None),
        ([(5, ["a", "c"])], None),  # was not measured
    ],
)
def test_a_record_recommends_what_it_claims_of_all_its_facts(claims, found):
    claimed = tuple(Claimed(facts, 0, {"subset": names}) for facts, names in claims)
    history = SimpleNamespace(attributes=Attributes(("a", "b", "c")), evaluated={0b001: None, 0b011: None})
    assert _claimed(Record(None, range(5), (), {}, length=0, check=0, claims=claimed), history) == found


def test_what_a_record_recommends_is_explained_though_now_it_would_be_another(journal, why, tmp_path):
    lines = journals.lines_of(journal)
    claim = next(line["claim"] for line in reversed(lines) if "claim" in line)
    other = next(x for x in why.history.evaluated if x != why.best)
    claim["subset"] = list(why.attributes.subset(other))
    changed = Why(read(journals.write(tmp_path / "changed", lines)))
    assert (changed.best, changed.now) == (other, why.now)
    assert changed.not_that(why.now).subset == other


def test_an_answer_put_in_its_own_place_changes_nothing(why):
    answers = [fact for fact in why.record.facts if isinstance(fact, Preferred)]
    assert answers
    assert all(why.beliefs.with_answer(answer).incumbent == why.best for answer in answers)


def test_the_core_lies_in_every_smallest_set_and_an_answer_outside_both_is_not_needed(why):
    needed = why.this().needed
    assert set(needed.core) <= set(needed.enough)
    assert needed.smallest
    assert needed.answers == len(why.history.stated)


def test_the_causes_of_a_proof_share_all_of_it(why):
    found = [causes for x in why.history.evaluated if x != why.best and (causes := why.not_that(x).causes)]
    assert found
    for causes in found:
        assert sum(cause.share for cause in causes) == pytest.approx(1)
        assert [c.share for c in causes] == sorted((c.share for c in causes), reverse=True)


def test_a_dominated_subset_is_explained_by_the_measurement_alone(tmp_path):
    journals.played(tmp_path / "j", 4, 2, parsimony="exact", questions=12, ask_every=1, budget=12)
    why = Why(read(tmp_path / "j"))
    below = next(iter(why.history.dominates[why.best]))
    reason = why.not_that(below)
    assert (reason.loses, reason.needed.enough) == (0.0, ())


# the words


def said(a, b, request=None, source=Source.OPERATOR):
    return Statement(a, b, Relation.STRICT, source, request=request)


@pytest.mark.parametrize(
    ("requests", "words"),
    [
        ([], ""),
        ([7], "question 7"),
        ([7, 2, 11], "questions 2, 7, 11"),
        ([None], "an assumption"),
        ([None, None], "2 assumptions"),
        ([None, 3], "question 3 and an assumption"),
        ([4, None, 3, None], "questions 3, 4 and 2 assumptions"),
    ],
)
def test_answers_are_listed_by_their_numbers_and_assumptions_counted(requests, words):
    assert why_words.which_questions([said(1, 2, request) for request in requests]) == words


@pytest.mark.parametrize(
    ("needed", "lines"),
    [
        (None, []),
        (NeededAnswers((), (), True, 0), []),
        (NeededAnswers((), (), True, 1), ["your one answer is not needed for that: what was measured shows it."]),
        (NeededAnswers((), (), True, 3), ["your 3 answers are not needed for that: what was measured shows it."]),
        (
            NeededAnswers((said(1, 2, 4),), (said(1, 2, 4), said(3, 1, 2)), True, 3),
            [
                "of your 3 answers, a smallest set that shows it: questions 2, 4.",
                "no proof of it can do without: question 4.",
            ],
        ),
        (
            NeededAnswers((said(1, 2, 4), said(3, 1, 2)), (said(1, 2, 4), said(3, 1, 2)), True, 3),
            ["of your 3 answers, those that show it, and no proof can do without one of them: questions 2, 4."],
        ),
        (
            NeededAnswers((said(1, 2, 4),), (said(1, 2, 4),), True, 3),
            ["of your 3 answers, the one that shows it, and no proof can do without it: question 4."],
        ),
        (
            NeededAnswers((), (said(1, 2, 4),), False, 2),
            [
                "of your 2 answers, a set that shows it, none of it to spare: question 4.",
                "no single answer is in every proof of it.",
            ],
        ),
    ],
)
@pytest.mark.parametrize(
    ("rival", "price", "rejected", "end"),
    [
        (2, 0.25, True, "it cannot be best (to believe it costs 0.25), because:"),
        (2, None, True, "it cannot be best, because:"),
        (2, 0.25, False, "it could still be best: to believe so costs 0.25, tau is 0.1."),
        (2, None, False, "it could still be best: some utility of the set ranks it first."),
        (
            3,
            0.25,
            False,
            "to believe all the same that it is best, what was measured would be set aside: "
            "that costs 0.25, tau is 0.1.",
        ),
    ],
)
def test_what_is_said_of_one_rival_is_what_the_reason_holds(needed, lines, rival, price, rejected, end):
    names = Attributes(("a", "b", "c"))
    measured = [(1, 0.8), (3, 0.7), (2, 0.9)]  # {a} dominates {a, b}, and {b} both
    history = History(names, facts=[Evaluated(k, x, (v, float(x.bit_count()))) for k, (x, v) in enumerate(measured)])
    utilities = ParsimoniousSet(3, history.subsets, history.statements)
    why = SimpleNamespace(attributes=names, history=history, utilities=utilities, best=1)
    cause = Cause(said(1, 3, source=Source.DOMINANCE), 0.75), Cause(said(1, 2, 5), 0.25)
    found = why_words.reason_lines(
        why, Reason(1, rival, 0.0, cause, needed, price, cause if rejected else None), 1, " (all)"
    )
    score, size = (0.9, 1) if rival == 2 else (0.7, 2)
    causes = ["   75%  {a} dominates {a, b}", "   25%  1 more (all)"]
    assert found == [
        f"score (more is better): {score}, the recommended subset has 0.8.",
        f"size (less is better): {size}, the recommended subset has 1.",
        *(["the recommended subset dominates it."] if rival == 3 else []),
        f"no utility of the {utilities.scope} finds it better, because:",
        *causes,
        *lines,
        end,
        *(causes if rejected else []),
    ]


def test_a_rejection_without_an_exact_proof_is_called_so():
    names = Attributes(("a", "b", "c"))
    history = History(names, facts=[Evaluated(0, 1, (0.8, 1.0)), Evaluated(1, 2, (0.9, 1.0))])
    utilities = ParsimoniousSet(3, history.subsets, history.statements)
    why = SimpleNamespace(attributes=names, history=history, utilities=utilities, best=1)
    for price, cost in ((0.25, " (to believe it costs 0.25, tau is 0.1)"), (None, "")):
        found = why_words.reason_lines(why, Reason(1, 2, 0.125, (), None, price, ()), None)
        assert found[-1] == f"by linear programs it cannot be best{cost}; no exact proof of that was found."


def test_what_a_rival_may_gain_and_why_it_was_not_measured_are_told():
    names = Attributes(("a", "b", "c"))
    facts = [Evaluated(0, 1, (0.8, 1.0)), Evaluated(1, 2, (0.9, 1.0)), Evaluated(2, 6, (0.9, 2.0))]
    history = History(names, facts=[*facts, Failed(3, 4, "singular")])
    utilities = SimpleNamespace(scope="set", evaluated=history.subsets)
    why = SimpleNamespace(
        attributes=names,
        history=history,
        utilities=utilities,
        best=1,
        beliefs=SimpleNamespace(doubted=(), eligible=history.subsets),
    )
    gains = "no utility of the set gives it more than 0.125 beyond it."
    for rival, line in (
        (4, "it could not be measured: singular."),
        (5, "it was not measured."),
        (6, "one of the measured subsets dominates it: {b}."),
    ):
        found = why_words.reason_lines(why, Reason(1, rival, 0.125, (), None, 0.5), None)
        assert line in found
        assert gains in found
    little = why_words.reason_lines(why, Reason(1, 2, 0.0005, (), None, 0.5), None)
    assert "no utility of the set gives it more than 0.0005 beyond it." in little, "little is not nothing"
    longer = why_words.reason_lines(why, Reason(1, 2, 0.12341, (), None, 0.5), None)
    assert "no utility of the set gives it more than 0.1235 beyond it." in longer, "four digits, rounded up"
    far = why_words.reason_lines(why, Reason(1, None, None, (), None), None)
    assert far[-1] == "a utility of the set prefers another by more than the margin of one clear answer."


@pytest.mark.parametrize(
    ("others", "line"),
    [
        ({}, "every other is below another, by what was measured or by what you answered."),
        ({2: 0.25}, "the one other that nothing puts below another may lose more: 0.25 or above."),
        ({2: 0.25, 4: 0.5}, "each of the 2 others that nothing puts below another may lose more: 0.25 or above."),
        ({2: 0.125}, "the one other that nothing puts below another may lose as much or more."),
        ({2: 0.125 - 5e-7}, "the one other that nothing puts below another may lose as much or more."),
        ({4: 0.125 + 5e-7, 2: 3}, "each of the 2 others that nothing puts below another may lose as much or more."),
        (
            {2: 0.0625},
            "the one other that nothing puts below another may lose less (0.0625), but plausible operators expect "
            "less of it.",
        ),
        (
            {2: 0.0625, 4: 3},
            "one of the 2 others that nothing puts below another may lose less (0.0625), but plausible operators "
            "expect less of it.",
        ),
    ],
)
def test_what_the_others_may_lose_is_told_beside_what_the_recommended_one_may(others, line):
    names = Attributes(("a", "b", "c"))
    history = History(names, facts=[Evaluated(k, x, (k / 8, float(x.bit_count()))) for k, x in enumerate([2, 4, 3, 1])])
    for answer in (
        Preferred(6, 1, 3, Answer.FIRST),
        Assumed(7, 1, 4, "strict", "prior"),
        Preferred(8, 2, 1, Answer.SECOND),
        Preferred(9, 4, 3, Answer.FIRST),
        Preferred(10, 1, 4, Answer.EQUAL),  # which is no preference
    ):
        history.record(answer)
    why = SimpleNamespace(
        attributes=names,
        history=history,
        best=1,
        numbered=lambda s: replace(s, request=history.question_numbers[s.request]),
        beliefs=SimpleNamespace(
            doubted=(),
            eligible=history.subsets,
            by_score=False,
            regrets=SimpleNamespace(of=lambda x: SimpleNamespace(value=others[x])),
        ),
        utilities=SimpleNamespace(scope="set", evaluated=history.subsets, candidates=lambda _: [1, *others]),
    )
    causes = tuple(Cause(said(1, x), 0.25) for x in (2, 3, 4, 6))
    assert why_words.reason_lines(why, Reason(1, None, 0.125, (), None), None) == [
        "no measured subset dominates it; it dominates 3 of the 4 measured.",
        "you preferred it outright in questions 1, 2.",
        "no utility of the set gives any of the 4 measured more than 0.125 beyond it.",
        line,
    ]
    if not others:
        whole = why_words.reason_lines(why, Reason(1, None, 0.0, causes, None), None)
        assert whole[2] == "no utility of the set finds any of the 4 measured better, because:"
        assert len([text for text in whole if text.startswith("   25%  ")]) == 4
        most = why_words.reason_lines(why, Reason(1, None, 0.0, causes, None), 2, "!")
        assert most[3:6] == [*whole[3:5], "   50%  2 more!"]


def test_where_the_others_are_below_by_what_an_assumption_adds_to_answers_it_is_named():
    facts = [Evaluated(k, x, (0.5 + k / 10, k + 1.0)) for k, x in enumerate([1, 3, 7])]
    history = History(Attributes.numbered(3), assume="linear")
    for fact in (*facts, Preferred(5, 3, 1, Answer.FIRST)):
        history.record(fact)
    why = SimpleNamespace(
        attributes=history.attributes,
        history=history,
        best=7,
        beliefs=SimpleNamespace(doubted=(), eligible=history.subsets),
        utilities=SimpleNamespace(scope="set", evaluated=history.subsets, candidates=lambda _: [7]),
    )
    assert why_words.reason_lines(why, Reason(7, None, 0.0, (), None), None)[-1] == (
        "every other is below another, by what was measured or by what you answered, and by what follows from that "
        "with a linear trade-off of the criteria."
    )


@pytest.mark.parametrize(
    ("found", "rival", "lines"),
    [
        ([], None, ["no question was answered with a preference."]),
        ([(1, 2, 1)], None, ["no single answer, had it been the other way round, changes the recommendation."]),
        (
            [(1, 2, 4)],
            2,
            ["no single answer, had it been the other way round, would have made it the recommendation."],
        ),
        ([(1, 2, 2)], None, ["had you preferred {b} in question 1, it would be that one."]),
        (
            [(1, 2, 4), (2, 4, 1)],
            None,
            [
                "had you preferred {b} in question 1, it would be {c}.",
                "the other answer, reversed, changes nothing.",
            ],
        ),
        (
            [(1, 2, 4), (1, 4, 1), (2, 4, 1), (3, 4, 1)],
            None,
            [
                "had you preferred {b} in question 1, it would be {c}.",
                "the other 2 answers, each reversed alone, change nothing.",
            ],
        ),
        ([(1, 2, 4), (2, 4, 4), (3, 4, 2)], 2, ["had you preferred {c} in question 3, it would be {b}."]),
    ],
)
def test_what_other_answers_would_have_led_to_is_told_in_these_words(found, rival, lines):
    """Each is a question, what would have been preferred in it, and what would be recommended."""
    why = SimpleNamespace(attributes=Attributes(("a", "b", "c")), now=1, best=1)
    others = [Otherwise(question, Answer.FIRST, Answer.SECOND, a, b) for question, a, b in found]
    assert why_words.reversed_answers(why, others, rival) == lines


def test_of_another_answer_that_would_have_been_doubted_it_is_said_that_one_had_to_stand_by_it():
    why = SimpleNamespace(attributes=Attributes(("a", "b", "c")), now=1, best=1)
    others = [Otherwise(1, Answer.FIRST, Answer.SECOND, 2, 2, True), Otherwise(2, Answer.FIRST, Answer.SECOND, 4, 2)]
    assert why_words.reversed_answers(why, others, None) == [
        "had you preferred {b} in question 1, and stood by it, it would be that one.",
        "had you preferred {c} in question 2, it would be {b}.",
    ]


def test_a_record_that_recommends_something_else_by_now_is_told_so_first():
    why = SimpleNamespace(attributes=Attributes(("a", "b", "c")), now=1, best=3)
    others = [Otherwise(1, Answer.FIRST, Answer.SECOND, 2, 2)]
    assert why_words.reversed_answers(why, others, None) == [
        "by the rules of this version it is {a} already.",
        "had you preferred {b} in question 1, it would be that one.",
    ]


# the command


def told(capsys, *arguments):
    status = main(["why", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_says_why_and_what_other_answers_would_do(journal, why, capsys):
    status, out, _ = told(capsys, journal)
    assert status == 0
    assert out.startswith("recommended: {")
    for other in otherwise(why.beliefs):
        if other.subset != why.best:
            assert f"in question {other.question}, it would be" in out


def test_the_command_names_the_answers_that_contradict_each_other(tmp_path, capsys):
    oracle, rng = journals.truth(4), np.random.default_rng(0)

    def answer(request):
        return Settlement(None) if isinstance(request, Reconcile) else rng.choice([Answer.FIRST, Answer.SECOND])

    settings = Settings(budget=12, questions=12, ask_every=1, check_every=2, stop=())
    with begin(tmp_path / "j", oracle, settings, seed=0) as session:
        drive(session.elicitation, oracle, answer, session.journal)
    why = Why(read(tmp_path / "j"))
    aside = list(strained_words(strained_in(why.elicitation), why.questions, why.attributes.braced))
    kept = list(kept_words(why.history))
    assert aside
    assert kept
    lines = told(capsys, tmp_path / "j")[1].splitlines()
    assert [line for line in lines if line in (*aside, *kept)] == [*aside, *kept]


def test_the_command_and_the_page_name_contradictions_that_were_left_open_and_refuted_assumptions(
    tmp_path, capsys, monkeypatch
):
    oracle, rng = journals.truth(4), np.random.default_rng(0)

    def answer(request):
        return Enough() if isinstance(request, Reconcile) else rng.choice([Answer.FIRST, Answer.SECOND])

    settings = Settings(budget=12, questions=12, ask_every=1, check_every=2, stop=(), assume="linear")
    with begin(tmp_path / "j", oracle, settings, seed=0) as session:
        ended = drive(session.elicitation, oracle, answer, session.journal)
        end = " ".join(" ".join(statements_set_aside(session.elicitation, ended)).split())
    open_still = re.search(r"not settled: your answers to questions [\d, ]+ cannot all hold", end)[0]
    assert open_still in told(capsys, tmp_path / "j")[1]
    assert open_still in gather(Why(read(tmp_path / "j")), []).set_aside
    refuted = "no operator with a linear trade-off of the criteria would give all your answers, so nothing is deduced"
    assert refuted not in told(capsys, tmp_path / "j")[1]
    monkeypatch.setattr(History, "refuted", True)
    assert refuted in told(capsys, tmp_path / "j")[1]
    again = elicitation_of(read(tmp_path / "j"))
    assert refuted in " ".join(" ".join(statements_set_aside(again, ended)).split())


def test_the_command_says_why_not_another(journal, why, capsys):
    names = why.attributes
    for rival in [x for x in range(1, 1 << len(names)) if x != why.best][:5]:
        status, out, _ = told(capsys, journal, "--not", ",".join(names.subset(rival)))
        assert status == 0
        assert "why not {" + ", ".join(names.subset(rival)) + "}:" in out
        told_of, beliefs = [name for name in VERDICTS if name in out], why.elicitation.beliefs
        if beliefs.conflict is None and beliefs.utilities.informative:
            possible = beliefs.utilities.verdict(rival).possible
            assert told_of == ["it could still be best" if possible else "it cannot be best"]
        assert len(told_of) == 1


def test_what_was_measured_of_another_is_told_before_anything_is_decided(tmp_path, capsys):
    def measure(chosen):
        if "c" in chosen:
            raise ValueError("c is broken")
        return len(chosen)

    oracle = CallableOracle(measure, ("a", "b", "c"), criteria=(Criterion("score"), Criterion("size", maximise=False)))
    with begin(tmp_path / "j", oracle, Settings(budget=6)) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="cannot"), session.journal)
    assert not Why(read(tmp_path / "j")).beliefs.decides
    best = Why(read(tmp_path / "j")).best
    _, failed, _ = told(capsys, tmp_path / "j", "--not", "c")
    assert "it could not be measured: ValueError: c is broken." in failed
    other = "a,b" if best != 0b11 else "a"
    _, measured, _ = told(capsys, tmp_path / "j", "--not", other)
    its, ours = (2, best.bit_count()) if other == "a,b" else (1, 2)
    assert f"score (more is better): {its}, the recommended subset has {ours}." in measured


@pytest.mark.parametrize(
    ("rival", "complaint"),
    [
        ("b9", "--not: unknown attribute 'b9'"),
        ("", "needs the attributes"),
        (None, "the recommended subset itself"),
    ],
)
def test_a_subset_that_cannot_be_asked_about_is_one_clear_line(journal, why, capsys, rival, complaint):
    rival = ",".join(why.attributes.subset(why.best)) if rival is None else rival
    status, out, err = told(capsys, journal, "--not", rival)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert complaint in err


def test_why_not_one_that_may_not_be_chosen_is_one_clear_line(tmp_path, capsys):
    oracle = journals.truth(3)
    with begin(tmp_path / "j", oracle, Settings(budget=3), family=Family(3, keep=0b001)) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="a"), session.journal)
    status, out, err = told(capsys, tmp_path / "j", "--not", "a2,a3")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert "--not names a subset that may not be chosen" in err


def test_hostile_names_never_steer_the_terminal(tmp_path, capsys):
    names = ("a\x1b[31m", "b\u202e", "c,d")
    oracle = CallableOracle(lambda chosen: len(chosen) + 0.5 * (names[0] in chosen), names)
    with begin(tmp_path / "j", oracle) as session:
        drive(session.elicitation, oracle, ScriptedOperator([], otherwise="a"), session.journal)
    assert {Answer.FIRST} == {a.answer for a in session.elicitation.history.answers.values()}
    best = session.elicitation.incumbent
    other = next(i for i in range(3) if members(best) != [i])
    status, out, _ = told(capsys, tmp_path / "j", "--not", names[other])
    assert status == 0
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_without_any_strict_statement_nothing_is_claimed(tmp_path, capsys):
    path, oracle = tmp_path / "j", journals.truth(3)
    with begin(path, oracle) as session:
        session.elicitation.ask()
        session.journal.append(session.elicitation.facts[0])
        session.elicitation.tell(session.elicitation.pending()[0].id, oracle(session.elicitation.pending()[0]))
        session.journal.append(session.elicitation.facts[1])
    status, out, _ = told(capsys, path)
    assert status == 0
    assert "nothing was stated or measured that sets one subset above another" in out
    assert "no question was answered" in out


def test_where_no_utility_satisfies_all_statements_that_is_said_and_no_proof(tmp_path, capsys):
    journals.played(tmp_path / "j", 4, 1, noise=0.4, parsimony="exact", degree=1, ask_every=1, stop=())
    status, out, _ = told(capsys, tmp_path / "j")
    assert status == 0
    assert out.splitlines()[1] == "no utility of the exact set satisfies all statements, so nothing is proven."
    assert "because" not in out


def test_where_nothing_was_measured_there_is_nothing_to_explain(tmp_path, capsys):
    path, failing = tmp_path / "j", CallableOracle(lambda _: float("nan"), ("a", "b"))
    with begin(path, failing, Settings(budget=3)) as session:
        drive(session.elicitation, failing, ScriptedOperator([]), session.journal)
    status, out, err = told(capsys, path)
    assert (status, out) == (2, "")
    assert "nothing that may be chosen was measured, so there is nothing to explain" in err


@pytest.mark.parametrize("recommend", ["regret", "expected"])
def test_what_was_measured_outside_the_family_is_not_held_against_the_best_of_it(tmp_path, recommend):
    scores = {0b010: 0.9, 0b001: 0.5, 0b011: 0.8, 0b101: 0.7, 0b111: 0.1}
    measured = {x: (score, float(x.bit_count())) for x, score in scores.items()}
    oracle = CallableOracle(measured.__getitem__, 3, SCORE_AND_SIZE, takes="mask")
    facts = [Asked(0, (0b010,)), Evaluated(0, 0b010, measured[0b010])]  # it dominates all others
    settings = Settings(recommend=recommend, questions=0, budget=3)
    with begin(tmp_path / "j", oracle, settings, family=Family(3, keep=0b001)) as session:
        session.elicitation.adopt(facts)
        for fact in facts:
            session.journal.append(fact)
        result = drive(session.elicitation, oracle, None, session.journal)
        bounds = proven_bounds(session.journal, session.elicitation.family)
        ended = " ".join(" ".join(what_is_proven(session.elicitation, result, bounds)).split())
    record = read(tmp_path / "j")
    why, verified = Why(record), " ".join(step.words for step in check_record(record))
    told = why_words.reason_lines(why, why.this(), None)
    assert "no measured subset that may be chosen dominates it" in verified
    assert told[0] == "no measured subset that may be chosen dominates it; it dominates 1 of the 3 measured."
    assert not any("plausible operators expect less of it" in line for line in told)
    page = "".join(map(str, front_section(gather(why, ()))))
    assert "But for what may not be chosen, or for noise: what lies above the recommended one leads" in page
    assert re.search(r"; of the other 2( subsets nothing is proven| none is better)", ended), ended


@pytest.mark.parametrize("run", [RUNS["settled"], {"n": 5, "seed": 1, "budget": 8, "stop": (), "questions": 0}])
def test_a_certificate_is_worked_out_only_where_its_causes_are_told(run, tmp_path, monkeypatch):
    """That is a proof that nothing is better. With many measured, any other takes a program for each of them, too."""
    issued = []
    certify = proof_why.certify_best_among
    monkeypatch.setattr(
        proof_why, "certify_best_among", lambda *args, **kw: issued.append(args) or certify(*args, **kw)
    )
    journals.played(tmp_path / "run.jsonl", **run)
    reason = Why(read(tmp_path / "run.jsonl")).this()
    assert (reason.loses == 0) == ("questions" not in run)
    assert bool(issued) == bool(reason.causes) == (reason.loses == 0)
