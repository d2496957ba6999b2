"""A person at a stream of lines: what is shown, what a line means, and what leaves the session."""

import io

import pytest

from elicit.asks import Compare, Reconcile, Settlement
from elicit.errors import InputError
from elicit.events import SCORE_AND_SIZE, Answer, Evaluated, Preferred
from elicit.operators.lines import Leave, LineOperator, printable, side_by_side
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
    lines = iter(text.splitlines(keepends=True))
    return LineOperator(ATTRIBUTES, SCORE_AND_SIZE, lines, out, prompt=prompt, **options), out


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
    assert operator(f"\n\n{line}\nb\n")[0](QUESTION) is answer


@pytest.mark.parametrize("text", ["", "\n\n", "quit\na\n", "Q\n"])
def test_quit_and_the_end_of_the_lines_leave(text):
    with pytest.raises(Leave):
        operator(text)[0](QUESTION)


def test_both_are_shown_side_by_side_and_nothing_steers_the_terminal():
    lines = side_by_side(QUESTION.first, QUESTION.second, ATTRIBUTES, SCORE_AND_SIZE)
    assert [line.rstrip() for line in lines] == [
        "                          A                 B",
        "  score (more is better)  0.912346 ± 0.031  0.9",
        "  size (less is better)   2                 2",
        "  in both: hue",
        "  only in A: ash\\x1b[2J",
        "  only in B: proline",
    ]


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


def test_contradicting_answers_are_listed_and_one_is_taken_back_or_all_are_kept():
    answers = {3: Preferred(3, 0b001, 0b010, Answer.FIRST), 5: Preferred(5, 0b001, 0b010, Answer.SECOND)}
    conflict = Reconcile(9, (3, 5), "these answers cannot all hold")
    asking, out = operator("5\nkeep\n7\n", recall=answers.__getitem__)
    assert asking(conflict) == Settlement(5)
    assert "3: A = hue; B = ash\\x1b[2J; you said: A is better than B" in out.getvalue()
    assert asking(conflict) == Settlement(None)
    with pytest.raises(InputError, match=r"expected 'keep' or the number of an answer to take back \(3, 5\)"):
        asking(conflict)


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
