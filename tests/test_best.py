"""What another utility chooses among what was measured."""

import io
import itertools
import re

import journals
import pytest

from elicit.cli import main
from elicit.commands import defaults, output
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.events import Criterion
from elicit.journal import read
from elicit.operators.lines import LineOperator
from elicit.oracles import CallableOracle
from elicit.sessions import begin, elicitation_of


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    path = tmp_path_factory.mktemp("best") / "j.jsonl"
    journals.played(path, 4, 12, budget=10, ask_every=2, start=4, stop=())
    return path


def told(capsys, *arguments):
    status = main(["best", *map(str, arguments)])
    return status, *capsys.readouterr()


def test_what_is_worth_as_much_as_the_first_is_not_told_as_if_it_were_worse(journal, capsys):
    for utility, level in (("0", True), ("(size > 0) * 3", True), ("-size", False)):
        _, out, _ = told(capsys, journal, f"--utility={utility}")
        line = next(line for line in out.splitlines() if "another, which has place" in line)
        assert line.endswith(" here, worth as much as the first:") == level


@pytest.mark.parametrize("weight", [0.0, 0.3, 2.0])
def test_the_first_is_the_best_of_the_measured_with_ties_to_fewer(journal, capsys, weight):
    facts = [fact for fact in read(journal).facts if hasattr(fact, "criteria")]
    names = read(journal).header.attributes
    best = min(facts, key=lambda f: (-round((f.criteria[0] - weight * f.criteria[1]) * 1e9), f.criteria[1], f.subset))
    status, out, err = told(capsys, journal, "--utility", f"score - {weight} * size", "--top", 3)
    assert (status, err) == (0, "")
    assert out.splitlines()[1].startswith("  1. ")
    assert "{" + ", ".join(names.subset(best.subset)) + "}" in out.splitlines()[1]
    assert "5 subsets that may be chosen were not measured" in out


def test_those_that_follow_the_first_are_in_the_order_of_their_worth_and_no_more_than_asked_for(journal, capsys):
    facts = [fact for fact in read(journal).facts if hasattr(fact, "criteria")]
    names = read(journal).header.attributes
    ranked = sorted(facts, key=lambda f: (-round((f.criteria[0] - 0.3 * f.criteria[1]) * 1e9), f.criteria[1], f.subset))
    _, out, _ = told(capsys, journal, "--utility", "score - 0.3 * size", "--top", 5)
    listed = out.splitlines()[1:6]
    assert [line.split()[0] for line in listed] == ["1.", "2.", "3.", "4.", "5."]
    shown = ["{" + ", ".join(names.subset(fact.subset)) + "}" for fact in ranked]
    assert all(subset in line for subset, line in zip(shown, listed, strict=False))
    assert not out.splitlines()[6].startswith("  6.")


def test_what_the_answers_recommend_is_told_with_the_place_that_it_has_in_the_whole_list(journal, capsys):
    _, out, _ = told(capsys, journal, "--utility=-size", "--top", 99)
    lines = out.splitlines()
    at = next(k for k, line in enumerate(lines) if "another, which has place" in line)
    place = int(lines[at].split("place ")[1].split()[0])
    assert lines[at + 1] == lines[place]
    assert place > 1


def test_what_the_answers_recommend_has_the_digits_of_the_list_also_beyond_its_end(journal, capsys):
    for utility, top in itertools.product(("log(5 - size)", "score - 0.3 * size", "-size / 3"), (1, 2, 99)):
        lines = told(capsys, journal, f"--utility={utility}", "--top", top)[1].splitlines()
        again = next(lines[k + 1] for k, line in enumerate(lines) if "another, which has place" in line)
        listed = lines[1 : min(top, 10) + 1]
        place = int(again.split(".")[0])
        assert place > top or listed[place - 1] == again
        assert len({len(line.split()[1].partition(".")[2]) for line in (*listed, again)}) == 1


def test_of_what_a_utility_likes_alike_what_another_dominates_is_not_the_best(journal, capsys):
    facts = [fact for fact in read(journal).facts if hasattr(fact, "criteria")]
    best = min(facts, key=lambda f: (f.criteria[1], -f.criteria[0]))
    _, out, _ = told(capsys, journal, "--utility=-size", "--top", 1)
    assert "{" + ", ".join(read(journal).header.attributes.subset(best.subset)) + "}" in out.splitlines()[1]


@pytest.mark.parametrize(("utility", "criterion", "sign"), [("-size", 1, -1), ("score", 0, 1)])
def test_it_says_which_answers_the_utility_does_not_share(journal, capsys, utility, criterion, sign):
    lines = journals.lines_of(journal)
    told_preferences = [line for line in lines if line.get("fact") == "preferred"]
    criteria = {tuple(line["subset"]): line["criteria"] for line in lines if line.get("fact") == "evaluated"}
    assert len(told_preferences) > 1
    shared = 0
    for line in told_preferences:
        first, second = (criteria[tuple(line[side])][criterion] for side in ("first", "second"))
        gap = sign * (first - second)
        said = {"first": 1, "second": -1, "equal": 0}[line["answer"]]
        shared += (gap > 0) - (gap < 0) == said
    _, out, _ = told(capsys, journal, f"--utility={utility}")
    assert f"it agrees with {shared} of the {len(told_preferences)} preferences" in out


def test_the_questions_that_a_utility_answers_otherwise_are_named(journal, capsys):
    told_preferences = [line for line in journals.lines_of(journal) if line.get("fact") == "preferred"]
    numbers = ", ".join(str(k + 1) for k in range(len(told_preferences)))
    _, out, _ = told(capsys, journal, "--utility", "1")  # a constant prefers nothing
    assert f"preferences told in the session, and differs in questions {numbers}." in out


@pytest.mark.parametrize("expression", ["scor", "score -", "1 / (size - size)", ""])
def test_a_utility_that_has_no_value_is_one_clear_line(journal, capsys, expression):
    status, out, err = told(capsys, journal, "--utility", expression)
    assert (status, out, len(err.splitlines())) == (2, "", 1)


def test_the_size_may_be_named_also_where_it_is_no_criterion(tmp_path, capsys):
    oracle = CallableOracle(lambda chosen: float(min(len(chosen), 2)), 4, criteria=(Criterion("score"),))
    path = tmp_path / "j"
    with begin(path, oracle, Settings(budget=15, questions=0)) as session:
        drive(session.elicitation, oracle, None, session.journal)
    status, out, err = told(capsys, path, "--utility", "score - 0.5 * size", "--top", 1)
    assert (status, err) == (0, "")
    assert out.splitlines()[1] == "  1. 1  {a1, a2}: score 2"
    assert told(capsys, path, "--utility", "score - 0.5 * sizes")[0] == 2


def test_a_utility_against_what_is_measured_is_warned_of(journal, capsys):
    _, out, _ = told(capsys, journal, "--utility", "size - score")
    assert "beware: it likes {" in out
    assert "at least as good in every criterion" in out
    _, out, _ = told(capsys, journal, "--utility", "score - size")
    assert "beware" not in out


def test_a_session_without_answers_is_not_said_to_have_some(tmp_path, capsys):
    path = tmp_path / "j.jsonl"
    journals.played(path, 3, 2, budget=6, questions=0, stop=())
    told_of = {told(capsys, path, f"--utility={utility}")[1] for utility in ("size", "-size", "score")}
    assert any("the session itself recommends another, which has place" in out for out in told_of)
    assert any("that is also what the session itself recommends." in out for out in told_of)
    for out in told_of:
        assert "the answers" not in out
        assert "no preference was told in the session." in out
        assert "1 subset that may be chosen was not measured; it may be better by this utility." in out


def test_what_answers_recommend_is_said_of_them(journal, capsys):
    _, out, _ = told(capsys, journal, "--utility", "score")
    assert "the answers of the session recommend" in out


def test_one_preference_is_told_in_words(tmp_path, capsys):
    path = tmp_path / "j.jsonl"
    journals.played(path, 3, 1, budget=7, ask_every=1, questions=1, stop=())
    # of two that neither dominates, each is liked better by one of these
    outs = [told(capsys, path, f"--utility={utility}")[1] for utility in ("score", "-score")]
    assert sum("it agrees with the one preference told in the session." in out for out in outs) == 1
    assert sum("it does not agree with the one preference told in the session." in out for out in outs) == 1
    assert all(out.endswith("\nevery subset that may be chosen was measured.\n") for out in outs)
    assert not any("not measured" in out for out in outs)


@pytest.mark.parametrize("command", ["best", "why", "verify", "--defaults"])
def test_on_a_terminal_prose_goes_on_below_at_a_space_and_elsewhere_every_line_is_whole(
    journal, capsys, monkeypatch, command
):
    rest = {"best": [str(journal), "--utility", "score"], "--defaults": []}.get(command, [str(journal)])
    assert main([command, *rest]) == 0
    whole = capsys.readouterr().out
    for module in (output, defaults):
        monkeypatch.setattr(module, "screen_width", lambda: 50)
    assert main([command, *rest]) == 0
    narrow = capsys.readouterr().out
    assert narrow.split() == whole.split()
    assert max(map(len, narrow.splitlines())) <= 50 < max(map(len, whole.splitlines()))


def test_a_number_is_told_alike_wherever_it_is_told(tmp_path, capsys):
    """A loss of 0.520001 is 0.52, in a question and in a report; beside others it has as many decimals as they."""
    worth = {"loss": {1: 0.7654321, 2: 0.8765432, 3: 0.5200012}, "price": {1: 123456.78, 2: 234567.89, 3: 1234567.8}}
    criteria = [Criterion(name, maximise=False) for name in worth]
    oracle = CallableOracle(lambda mask: [values[mask] for values in worth.values()], 2, criteria, takes="mask")
    path, page = tmp_path / "j.jsonl", tmp_path / "report.html"
    asked = io.StringIO()
    operator = LineOperator(oracle.attributes, oracle.criteria, ["a"] * 9, asked)
    with begin(path, oracle, Settings(budget=3, ask_every=1, questions=5, confirm=0)) as session:
        drive(session.elicitation, oracle, operator, session.journal)
    for command in (["best", "--utility=-loss"], ["why"], ["verify"], ["report", "--no-model", "-o", str(page)]):
        assert main([command[0], str(path), *command[1:]]) == 0
    told = asked.getvalue() + capsys.readouterr().out + page.read_text(encoding="utf-8")
    told = told.replace(str(tmp_path), "")  # the numbers of the test's own folder are none of the run
    losses, prices = (set(re.findall(pattern, told)) for pattern in (r"\b0\.(?:76|87|52)\d*", r"\b123[\d.e+]*\d"))
    assert losses == {"0.76543", "0.87654", "0.52", "0.52000"}
    assert prices == {"123457", "1234568"}


def answered(path, answer):
    """A journal with one question, answered so; the line of the answer."""
    journals.played(path, 3, 1, budget=7, ask_every=1, questions=1, stop=())
    lines = [line for line in journals.lines_of(path) if "claim" not in line]
    asked = next(line for line in lines if line.get("fact") == "preferred")
    asked["answer"] = answer
    journals.write(path, lines)
    return asked


def test_an_equality_is_shared_by_the_utility_that_tells_no_difference(tmp_path, capsys):
    path = tmp_path / "j.jsonl"
    answered(path, "equal")
    assert "it agrees with the one preference told" in told(capsys, path, "--utility", "1")[1]
    assert "it does not agree with the one preference told" in told(capsys, path, "--utility", "size")[1]


def test_an_answer_that_prefers_neither_is_no_preference(tmp_path, capsys):
    path = tmp_path / "j.jsonl"
    answered(path, "incomparable")
    assert "no preference was told in the session." in told(capsys, path, "--utility", "score")[1]


@pytest.mark.parametrize("answer", ["first", "second"])
@pytest.mark.parametrize(("difference", "agreeing"), [("1e-9", 1), ("1e-10", 0)])
def test_the_least_that_can_be_told_apart_is_a_preference(tmp_path, capsys, answer, difference, agreeing):
    path = tmp_path / "j.jsonl"
    asked = answered(path, answer)
    assert abs(len(asked["first"]) - len(asked["second"])) == 1
    outs = [told(capsys, path, f"--utility={sign}{difference} * size")[1] for sign in ("", "-")]
    assert sum("it agrees with the one preference told in the session." in out for out in outs) == agreeing


def test_the_one_question_that_a_utility_answers_otherwise_is_named_and_none_where_there_is_none(
    journal, tmp_path, capsys
):
    lines = [line for line in journals.lines_of(journal) if "claim" not in line]
    scores = {tuple(line["subset"]): line["criteria"][0] for line in lines if line.get("fact") == "evaluated"}
    answers = [line for line in lines if line.get("fact") == "preferred"]
    for line in answers:
        line["answer"] = "first" if scores[tuple(line["first"])] > scores[tuple(line["second"])] else "second"
    count = len(answers)
    journals.write(tmp_path / "j", lines)
    agrees = f"\nit agrees with {{}} of the {count} preferences told in the session"
    assert f"{agrees.format(count)}.\n" in told(capsys, tmp_path / "j", "--utility", "score")[1]
    answers[1]["answer"] = {"first": "second", "second": "first"}[answers[1]["answer"]]
    journals.write(tmp_path / "j", lines)
    otherwise = f"{agrees.format(count - 1)}, and differs in question 2.\n"
    assert otherwise in told(capsys, tmp_path / "j", "--utility", "score")[1]


def test_what_differs_by_less_than_can_be_told_apart_is_a_tie_that_goes_to_fewer_attributes(journal, capsys):
    _, out, _ = told(capsys, journal, "--utility", "score - score + 1e-11 * size", "--top", 9)
    listed = [line for line in out.splitlines() if line.startswith("  ")][1:9]  # after the best
    sizes = [line.partition("{")[2].partition("}")[0].count(",") for line in listed]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize("utility", ["score", "score - size", "-score"])
def test_what_was_answered_of_subsets_that_may_not_be_chosen_counts_as_all_else(journal, tmp_path, capsys, utility):
    lines = [line for line in journals.lines_of(journal) if "claim" not in line]
    (said,) = (line for line in told(capsys, journal, f"--utility={utility}")[1].splitlines() if "agrees with" in line)
    for name in lines[0]["attributes"]:
        lines[0]["settings"]["family"]["drop"] = [name]
        journals.write(tmp_path / "j", lines)
        out = told(capsys, tmp_path / "j", f"--utility={utility}", "--top", 99)[1]
        assert f"\n{said}\n" in out
        assert not re.search(rf"\b{name}\b", out)


@pytest.mark.parametrize("utility", ["score", "-size", "score - 0.3 * size", "size", "1"])
def test_whether_the_session_would_choose_the_same_is_told_by_what_comes_first(journal, capsys, utility):
    record = read(journal)
    recommended = record.header.attributes.braced(elicitation_of(record).incumbent)
    _, out, _ = told(capsys, journal, f"--utility={utility}", "--top", 1)
    first = re.search(r"^  1\. .*?(\{.*?\})", out, re.MULTILINE)[1]
    assert ("that is also what the answers of the session recommend." in out) == (first == recommended)
    assert ("the answers of the session recommend another, which has place " in out) == (first != recommended)


def test_where_nothing_that_may_be_chosen_was_measured_nothing_is_ranked(tmp_path, capsys):
    oracle = CallableOracle(lambda _: float("nan"), ("a", "b"))
    with begin(tmp_path / "j", oracle, Settings(budget=3)) as session:
        operator = LineOperator(oracle.attributes, oracle.criteria, [], io.StringIO())
        drive(session.elicitation, oracle, operator, session.journal)
    status, out, err = told(capsys, tmp_path / "j", "--utility", "score")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "nothing that may be chosen was measured, so nothing can be ranked; go on with elicit resume, or" in err
