"""A person at a stream of lines: what is shown, what a line means, and what leaves the session."""

import dataclasses
import io
import re

import pytest

from elicit.asks import Compare, Enough, Reconcile, Settlement, TakeBack
from elicit.errors import InputError
from elicit.events import SCORE_AND_SIZE, Answer, Evaluated
from elicit.knowledge.history import History
from elicit.operators import lines, page
from elicit.operators.desk import Given, RunStatus
from elicit.operators.lines import LineOperator
from elicit.operators.page import Leave
from elicit.operators.picture import comparison, plain
from elicit.printable import printable
from elicit.subsets import Attributes

ATTRIBUTES = Attributes(("hue", "ash\x1b[2J", "proline"))
QUESTION = Compare(
    7,
    Evaluated(0, 0b011, (0.912345678, 2.0), ((), ()), (0.0312, None)),
    Evaluated(1, 0b101, (0.9, 2.0)),
    "the current best against its strongest rival",
)


def operator(text, prompt=False, **options):
    out = io.StringIO()
    read = iter(text.splitlines(keepends=True))
    return LineOperator(ATTRIBUTES, SCORE_AND_SIZE, read, out, prompt=prompt, **options), out


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("a", Answer.FIRST),
        ("First", Answer.FIRST),
        (" B ", Answer.SECOND),
        ("equal", Answer.EQUAL),
        ("cannot", Answer.INCOMPARABLE),
        ("later", Answer.LATER),
    ],
)
def test_a_line_is_an_answer(line, answer):
    asked, out = operator(f"\n\n{line}\nb\n")
    assert (asked(QUESTION), asked(QUESTION)) == (answer, Answer.SECOND)
    assert [told[:12] for told in out.getvalue().splitlines() if "Question" in told] == ["Question 1: ", "Question 2: "]


@pytest.mark.parametrize("before", ["", "undo "])
def test_what_is_far_too_long_for_an_answer_is_told_by_its_beginning(before):
    with pytest.raises(InputError) as told:
        operator(f"{before}{'x' * 100_000}\n", desk=Desk())[0](QUESTION)
    assert len(str(told.value)) < 300
    assert "xxx…" in str(told.value)


@pytest.mark.parametrize("text", ["", "\n\n", "quit\na\n", "Q\n"])
def test_quit_and_the_end_of_the_lines_leave(text):
    with pytest.raises(Leave):
        operator(text)[0](QUESTION)


def test_both_are_shown_side_by_side_and_nothing_steers_the_terminal():
    lines = comparison(QUESTION.first, QUESTION.second, ATTRIBUTES, SCORE_AND_SIZE, 100)
    assert list(map(plain, lines)) == [
        "                           A                 B",
        " score (more is better)  * 0.91235 ± 0.031   0.90000          A leads by 0.0123",
        " size (less is better)     2                 2                the same",
        "",
        " only in A (1): ash\\x1b[2J",
        " only in B (1): proline",
        " in both (1):   hue",
    ]


@pytest.mark.parametrize(("noisy", "told"), [((), 0), (("score",), 1), (("score", "size", "loss\x1b[2J"), 1)])
def test_it_is_said_when_a_lead_may_be_chance(noisy, told):
    asking, out = operator("a\n")
    asking(dataclasses.replace(QUESTION, noisy=noisy))
    shown = " ".join(out.getvalue().split())
    assert shown.count(" is within noise: other data may turn it round") == told
    assert shown.count(" the lead in score, size and loss\\x1b[2J is ") == (len(noisy) == 3)
    assert "\x1b" not in shown


def test_a_misspelt_answer_is_asked_for_again_on_a_terminal_and_an_error_elsewhere():
    asking, out = operator("eqal\nequal\n", prompt=True)
    assert asking(QUESTION) is Answer.EQUAL
    assert out.getvalue().count("Which is better?") == 2
    assert "did you mean 'equal'" in out.getvalue()
    silent, out = operator("a\neqal\n")
    silent(QUESTION)
    with pytest.raises(InputError, match=r"standard input, line 2: .*did you mean 'equal'"):
        silent(QUESTION)
    assert "Which is better?" not in out.getvalue()


@pytest.mark.parametrize("columns", [59, 78])
def test_the_prompt_breaks_at_a_space_on_a_terminal(columns):
    asking, out = operator("equal\n", prompt=True, desk=Desk(), columns=columns)
    assert asking(QUESTION) is Answer.EQUAL
    prompt = out.getvalue().partition("Which is better?")[2]
    assert prompt.split() == f"{lines._WORDS}:".split()
    assert prompt.endswith("quit: ")
    assert max(map(len, out.getvalue().splitlines())) <= columns


class Desk:
    """A desk with two answers that contradict each other."""

    def __init__(self):
        facts = [Evaluated(k, 1 << k, (0.5 + k / 10, 1.0)) for k in range(3)]
        self.given = [
            Given(3, 1, facts[0], facts[1], Answer.FIRST),
            Given(5, 2, facts[0], facts[1], Answer.SECOND),
        ]
        self.points = facts

    def status(self):
        return RunStatus(3, 9, 0, 2, 5, None)

    def number(self, request):
        return 1 + sum(given.request < request for given in self.given)

    def best(self):
        return ["Best so far: {ash\x1b[2J}."]

    def front(self):
        return self.points

    def answers(self):
        return self.given

    def why(self, request):
        return [f"Because of {request.id}."]

    def without(self, request):
        return [f"Without {request}: it stays."]

    def conflict(self, request):  # noqa: ARG002  # a desk's signature
        return ["measured: this above that"]


def test_contradicting_answers_are_listed_and_one_is_taken_back_or_all_are_kept():
    conflict = Reconcile(9, (3, 5), "these answers cannot all hold")
    asking, out = operator("2\nkeep\n5\n", desk=Desk())
    assert asking(conflict) == Settlement(5)
    assert "1: A = {hue}; B = {ash\\x1b[2J}; you said: A is better than B" in out.getvalue()
    assert "Without 3: it stays." in out.getvalue()
    assert "with measured: this above that" in out.getvalue()
    assert asking(conflict) == Settlement(None)
    with pytest.raises(InputError, match=r"expected 'keep' or the number of an answer to take back \(1, 2\)"):
        asking(conflict)


def test_looking_something_up_is_no_answer_and_what_is_shown_cannot_steer_the_terminal():
    asking, out = operator("why\nbest\nfront\nundo\nhelp\nb\n", desk=Desk())
    assert asking(QUESTION) is Answer.SECOND
    shown = out.getvalue()
    assert "Question 3: " in shown, "numbers go on over the session"
    for words in ("Because of 7.", "Best so far: {ash\\x1b[2J}.", "undo N takes", "cannot, incomparable"):
        assert words in shown
    assert "\x1b" not in shown


def test_a_number_that_is_none_of_the_contradicting_answers_is_said_to_be_none():
    conflict = Reconcile(9, (3, 5), "these answers cannot all hold")
    for word in ("3", "1" * 5000, "²"):
        with pytest.raises(InputError, match="expected 'keep' or the number of an answer to take back"):
            operator(f"{word}\n", desk=Desk())[0](conflict)
    assert operator("2\n", desk=Desk())[0](conflict) == Settlement(5)


def test_more_orders_than_are_listed_are_counted_and_not_listed():
    desk = Desk()
    desk.conflict = lambda _: ["{a} is better than {b}", "and 7 more such orders"]
    asking, out = operator("1\n", desk=desk)
    asking(Reconcile(9, (3, 5), "these answers cannot all hold"))
    assert "  with {a} is better than {b}\n  and 7 more such orders\n" in out.getvalue()


def test_help_has_every_word_and_needs_no_docstring(monkeypatch):
    monkeypatch.setattr(lines, "__doc__", None)  # as under python -OO
    asking, out = operator("help\na\n", desk=Desk())
    asking(QUESTION)
    for word in re.split("[,;] ", lines._WORDS):
        assert re.search(rf"^    ([a-z]+, )?{word}\b", out.getvalue(), re.MULTILINE), word


def test_help_while_answers_contradict_each_other_has_the_words_that_then_mean_something():
    asking, out = operator("help\nkeep\n", desk=Desk())
    assert asking(Reconcile(9, (3, 5), "these answers cannot all hold")) == Settlement(None)
    told = [word for line in re.findall(r"^    (\S.*?)  ", out.getvalue(), re.MULTILINE) for word in line.split(", ")]
    assert told == ["N", "keep", "why", "undo", "undo N", "front", "best", "done", "help", "quit"]


def test_help_calls_the_front_what_it_is_where_two_subsets_are_equal_in_a_number():
    history = History(Attributes.numbered(3), SCORE_AND_SIZE)
    for request, (mask, score) in enumerate([(0b011, 0.9), (0b111, 0.9)]):
        history.record(Evaluated(request, mask, (score, float(mask.bit_count()))))
    assert list(history.front) == [0b011]  # it beats the other in size alone, and loses nothing in score
    said = "the front: what no other evaluated subset beats in one number without losing in another"
    assert all(said in " ".join(words) for words in (lines.HELP, page.HELP, page.REPAIR_HELP))


def test_what_the_words_mean_stands_below_one_another():
    places = {re.match(r" +\S.*?  +", line).end() for line in (*lines.ANSWERING, *lines.SETTLING, *lines.HELP)}
    assert len(places) == 1


def test_undo_names_the_answer_to_take_back_and_what_that_changes():
    asking, out = operator("UNDO 2\nundo 3\n", desk=Desk())
    assert asking(QUESTION) == TakeBack(5)
    assert "you said: B is better than A" in out.getvalue()
    assert "Without 5: it stays." in out.getvalue()
    with pytest.raises(InputError, match=r"line 2: undo needs the number of an answer \(one of 1, 2\), found '3'"):
        asking(QUESTION)


def test_undo_says_nothing_is_taken_back_before_it_is():
    class Interrupted(Desk):
        def without(self, request):
            yield f"one change, without {request}"
            raise KeyboardInterrupt

    asking, out = operator("undo 2\n", desk=Interrupted())
    with pytest.raises(KeyboardInterrupt):
        asking(QUESTION)
    assert "taken back" not in out.getvalue()


def test_without_a_desk_only_answers_are_words():
    with pytest.raises(InputError, match="unknown answer 'why'"):
        operator("why\n")[0](QUESTION)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("θ – μg/l", "θ – μg/l"),
        ("a\nb\tc\x1b[1m", "a\\nb\\tc\\x1b[1m"),
        ("\u202eabc", "\\u202eabc"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_does_not_print_is_escaped(name, shown):
    assert printable(name) == shown


@pytest.mark.parametrize(
    ("key", "answer"),
    [("e", Answer.EQUAL), ("=", Answer.EQUAL), ("C", Answer.INCOMPARABLE), ("l", Answer.LATER)],
)
def test_the_keys_of_the_screen_are_words_here_too(key, answer):
    asking, out = operator(f"w\n{key}\n", desk=Desk())
    assert asking(QUESTION) is answer
    assert "Because of 7." in out.getvalue()


@pytest.mark.parametrize("word", ["done", "D"])
@pytest.mark.parametrize("desk", [None, Desk()])
def test_done_ends_the_run_at_a_question_and_in_a_contradiction(word, desk):
    asking, _ = operator(f"{word}\n{word}\n", desk=desk)
    assert asking(QUESTION) == Enough()
    assert asking(Reconcile(9, (3, 5), "these answers cannot all hold")) == Enough()


def test_an_unknown_word_is_told_every_word_there_is():
    with pytest.raises(
        InputError, match="write one of a, b, equal, cannot, later; why, undo, front, best, done, help, quit"
    ):
        operator("xyzzy\n", desk=Desk())[0](QUESTION)
    with pytest.raises(InputError, match="did you mean 'front'"):
        operator("fromt\n", desk=Desk())[0](QUESTION)


def test_a_contradiction_has_its_reasons_too():
    asking, out = operator("why\nkeep\n", desk=Desk())
    assert asking(Reconcile(9, (3, 5), "these answers cannot all hold")) == Settlement(None)
    assert out.getvalue().count("measured: this above that") == 2


def test_no_line_is_wider_than_a_terminal():
    class Wordy(Desk):
        def why(self, request):  # noqa: ARG002  # a desk's signature
            return ["If A is better: " + "the best so far stays as it is, " * 9]

    asking, out = operator("why\na\n", desk=Wordy())
    asking(QUESTION)
    assert max(map(len, out.getvalue().splitlines())) <= 78
