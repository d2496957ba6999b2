"""The dialogue without a terminal: what each key does, and what a page of any size holds."""

import re

import pytest

from elicit.asks import Compare, Enough, Reconcile, Settlement, TakeBack
from elicit.events import SCORE_AND_SIZE, Answer, Evaluated
from elicit.operators.desk import Given, RunStatus
from elicit.operators.dialogue import Dialogue
from elicit.operators.page import Begin, Leave, Opening
from elicit.operators.picture import plain
from elicit.printable import width
from elicit.subsets import Attributes

ATTRIBUTES = Attributes(("hue", "ash\x1b[2J", "アルコール度数", "proline"))
A, B, C = (Evaluated(k, m, (0.9 - k / 50, float(m.bit_count()))) for k, m in enumerate((0b0111, 0b0110, 0b1000)))
QUESTION = Compare(7, A, B, "the current best against the most promising other")
CONFLICT = Reconcile(9, (3, 5), "these answers cannot all hold")


class Desk:
    """A desk with three answers; it notes what it was asked."""

    def __init__(self):
        self.asked = []

    def status(self):
        return RunStatus(12, 40, 3, 3, 9, 0.25)

    def number(self, request):
        return {3: 1, 5: 2, 6: 3, 7: 4}[request]

    def best(self):
        return ["Best so far: it."]

    def front(self):
        return [A, B, C]

    def answers(self):
        return [
            Given(3, 1, A, B, Answer.FIRST),
            Given(5, 2, B, C, Answer.FIRST),
            Given(6, 3, C, A, Answer.INCOMPARABLE),
        ]

    def why(self, request):
        return [f"Because of {request.id}."]

    def without(self, request):
        self.asked.append(request)
        return [f"Without {request}: it stays."]

    def conflict(self, request):
        return [f"measured orders of {request.id}"]


def talk(request, keys, desk=None):
    """Press keys one after the other, every job done at once; the dialogue, and what the last key gave."""
    return pressed(Dialogue(request, ATTRIBUTES, SCORE_AND_SIZE, desk or Desk()), keys)


def alone(request, keys):
    """The same without a desk."""
    return pressed(Dialogue(request, ATTRIBUTES, SCORE_AND_SIZE, None, number=2), keys)


def pressed(dialogue, keys):
    reply = None
    for key in keys:
        assert reply is None, "nothing may follow a reply"
        reply = dialogue.press(key)
        while dialogue.job is not None:
            dialogue.finish(dialogue.job, dialogue.job())
    return dialogue, reply


def page(dialogue, columns=80, rows=24):
    return "\n".join(plain(line) for line in dialogue.page(columns, rows))


@pytest.mark.parametrize("key", ["w", "s", "d"])
def test_while_something_is_looked_up_the_page_says_so(key):
    dialogue = Dialogue(QUESTION, ATTRIBUTES, SCORE_AND_SIZE, Desk())
    dialogue.press(key)
    assert "working it out" in page(dialogue)
    dialogue.finish(dialogue.job, dialogue.job())
    assert "working it out" not in page(dialogue)


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("a", Answer.FIRST),
        ("b", Answer.SECOND),
        ("e", Answer.EQUAL),
        ("=", Answer.EQUAL),
        ("c", Answer.INCOMPARABLE),
        ("l", Answer.LATER),
    ],
)
def test_one_key_is_one_answer(key, answer):
    assert talk(QUESTION, [key])[1] is answer


def test_a_question_shows_both_sides_the_reason_every_key_and_where_the_run_stands():
    text = page(talk(QUESTION, [])[0])
    for words in (
        "Question 4",
        "Why now: the current best against",
        "A leads by 0.02",
        "B leads by 1",
        "in both (2)",
        "only in A (1)",
        "[A] A is better",
        "[C] cannot compare",
        "[U] undo",
        "evaluated 12/40",
        "rejected 3",
        "asked 3",
        "1 to 6 questions left",
        "regret 0.25",
        "ash\\x1b[2J",
        "アルコール度数",
    ):
        assert words in text, text
    assert "\x1b" not in text


@pytest.mark.parametrize(("key", "words"), [("w", "Because of 7."), ("s", "Best so far"), ("f", "o"), ("h", "Ctrl-C")])
def test_panels_open_with_a_key_answer_nothing_and_close_with_escape(key, words):
    dialogue, reply = talk(QUESTION, [key])
    assert reply is None
    assert words in page(dialogue, 100, 40)
    assert dialogue.press("a") is None, "what cannot be seen cannot be answered"
    assert dialogue.press("escape") is None
    assert "Question 4" in page(dialogue)
    assert dialogue.press("a") is Answer.FIRST


def test_undo_lists_the_answers_latest_first_and_says_what_changes_before_it_does_anything():
    desk = Desk()
    dialogue, _ = talk(QUESTION, ["u"], desk)
    assert "> question 3" in page(dialogue)
    dialogue, _ = talk(QUESTION, ["u", "down", "enter"], desk)
    text = page(dialogue)
    assert "Undo the answer to question 2?" in text
    assert "Without 5: it stays." in text
    assert dialogue.press("escape") is None
    assert talk(QUESTION, ["u", "down", "enter", "t"], desk)[1] == TakeBack(5)
    assert talk(QUESTION, ["u", "up", "enter", "t"], desk)[1] == TakeBack(3)
    assert set(desk.asked) == {3, 5}


def test_an_answer_is_taken_back_only_once_what_that_changes_is_shown():
    dialogue, _ = talk(QUESTION, ["u"])
    dialogue.press("enter")
    assert "working it out" in page(dialogue)
    assert dialogue.press("t") is None
    assert "once you see what that changes" in page(dialogue)
    dialogue.finish(dialogue.job, dialogue.job())
    assert "once you see what that changes" not in page(dialogue)
    assert dialogue.press("t") == TakeBack(6)


@pytest.mark.parametrize("request_", [QUESTION, CONFLICT])
def test_a_run_is_ended_by_a_second_key_which_is_pressed_before_what_it_ends_with(request_):
    dialogue, reply = talk(request_, ["d"])
    assert reply is None
    for words in ("End here?", "Best so far: it.", "elicit resume", "[D] end here", "[Esc] back to the question"):
        assert words in page(dialogue)
    assert dialogue.press("a") is None
    assert dialogue.press("enter") is None, "the key that only goes on ends nothing"
    assert "End here?" not in page(dialogue)
    assert talk(request_, ["d", "escape", "d"])[1] is None
    assert talk(request_, ["d", "d"])[1] == Enough()
    assert talk(request_, ["s", "d", "d"])[1] == Enough()


def test_every_key_of_a_question_stands_in_two_lines_of_an_ordinary_terminal():
    keys = page(talk(QUESTION, [])[0]).splitlines()[-3:-1]
    assert [text.count("[") for text in keys] == [5, 7]
    assert "[D] done" in keys[1]


@pytest.mark.parametrize("request_", [QUESTION, CONFLICT])
def test_without_a_desk_nothing_is_looked_up_and_everything_else_is_as_ever(request_):
    shown = page(alone(request_, [])[0])
    for key in ("[W]", "[U]", "[F]", "[S]", "evaluated"):
        assert key not in shown
    for key in "wufs":
        assert f"'{key}' means nothing here" in page(alone(request_, [key])[0])
    help_ = page(alone(request_, ["h"])[0], 100, 40)
    assert "best so far, and how sure" not in help_
    assert "The bottom line" not in help_
    assert "Ctrl-C" in help_
    assert "elicit resume" not in page(alone(request_, ["d"])[0])
    assert alone(request_, ["h", "escape", "d", "d"])[1] == Enough()
    with pytest.raises(Leave):
        alone(request_, ["q"])


def test_without_a_desk_a_question_is_answered_and_a_contradiction_settled():
    dialogue, reply = alone(QUESTION, ["b"])
    assert reply is Answer.SECOND
    assert "Question 2" in page(dialogue)
    assert "These 2 answers cannot all hold" in page(alone(CONFLICT, [])[0])
    against = Reconcile(9, (3,), "this answer goes against what was measured")
    assert "This answer goes against what was measured. Take it back" in page(alone(against, [])[0])
    assert alone(CONFLICT, ["down", "t"])[1] == Settlement(5)
    assert alone(CONFLICT, ["k"])[1] == Settlement(None)


def test_undo_without_answers_says_so():
    desk = Desk()
    desk.answers = list
    assert "no answer to take back" in page(talk(QUESTION, ["u"], desk)[0])


def test_a_repair_shows_what_each_retraction_changes_and_lets_the_operator_choose():
    dialogue, _ = talk(CONFLICT, [])
    while dialogue.job is not None:
        dialogue.finish(dialogue.job, dialogue.job())
    text = page(dialogue)
    assert "These 2 answers cannot all hold" in text
    assert "Without 3: it stays." in text
    assert "measured orders of 9" in text
    dialogue.press("down")
    assert "Without 5: it stays." in page(dialogue)
    assert dialogue.press("t") == Settlement(5)
    assert talk(CONFLICT, ["1", "t"])[1] == Settlement(3)
    assert talk(CONFLICT, ["1", "enter"])[1] is None  # it only goes on: no answer is taken back by it
    assert talk(CONFLICT, ["k"])[1] == Settlement(None)
    assert talk(CONFLICT, ["u", "enter", "t"])[1] == TakeBack(6)


def test_the_choice_among_answers_goes_the_way_of_the_arrow_and_stays_on_the_screen():
    conflict, desk = Reconcile(9, (3, 5, 6), "these answers cannot all hold"), Desk()
    for keys, chosen in ((["down"], 5), (["down", "down"], 6), (["up"], 6), (["up", "up"], 5), (["3", "down"], 3)):
        assert talk(conflict, [*keys, "t"], desk)[1] == Settlement(chosen)
        dialogue, _ = talk(conflict, keys, desk)
        assert [line for line in page(dialogue, 60, 8).splitlines() if line.startswith(" >")], f"after {keys}"


@pytest.mark.parametrize("request_", [QUESTION, CONFLICT])
def test_leaving_and_interrupting_work_everywhere(request_):
    for before in ([], ["s"], ["u"], ["u", "enter"], ["h"], ["d"]):
        with pytest.raises(Leave):
            talk(request_, [*before, "c-d"])
        with pytest.raises(KeyboardInterrupt):
            talk(request_, [*before, "c-c"])
    with pytest.raises(Leave):
        talk(request_, ["q"])
    assert talk(request_, ["h", "q", "h", "escape"])[1] is None, "in a panel, Q goes back"


def test_a_key_that_means_nothing_says_so():
    assert "'z' means nothing here" in page(talk(QUESTION, ["z"])[0])
    assert "'\\x9b' means nothing" in page(talk(QUESTION, ["\x9b"])[0])
    assert "'Ctrl-Z' means nothing" in page(talk(QUESTION, ["\x1a"])[0])


def test_a_result_that_comes_after_its_panel_was_closed_goes_nowhere():
    dialogue, _ = talk(QUESTION, [])
    dialogue.press("w")
    job = dialogue.job
    dialogue.press("escape")
    dialogue.finish(job, ["too late"])
    assert "too late" not in page(dialogue)


@pytest.mark.parametrize("request_", [QUESTION, CONFLICT])
@pytest.mark.parametrize(("columns", "rows"), [(20, 5), (40, 12), (80, 24), (120, 40), (200, 60)])
@pytest.mark.parametrize("keys", [[], ["f"], ["u"], ["h"], ["s"], ["d"]])
def test_every_page_fills_its_screen_and_no_more(request_, columns, rows, keys):
    lines = [plain(line) for line in talk(request_, keys)[0].page(columns, rows)]
    assert len(lines) == rows
    assert all(width(line) <= columns for line in lines)
    assert all(line.isprintable() for line in lines)


def test_what_does_not_fit_can_be_scrolled_to():
    dialogue, _ = talk(QUESTION, ["h"])
    assert "more lines" in page(dialogue, 60, 12)
    seen = page(dialogue, 60, 12)
    for _ in range(6):
        dialogue.press("pagedown")
        seen += page(dialogue, 60, 12)
    assert "The bottom line" in seen
    assert "one clear" in page(dialogue, 60, 12)
    assert "more lines" not in page(dialogue, 60, 12)


def test_a_page_is_a_screen_and_a_key_that_means_nothing_leaves_it_there():
    dialogue, _ = talk(QUESTION, ["h"])
    first = page(dialogue, 60, 14).splitlines()
    dialogue.press("pagedown")
    second = page(dialogue, 60, 14).splitlines()
    everything = page(talk(QUESTION, ["h"])[0], 60, 200).splitlines()
    last, more = first[-4], first[-3]
    assert "more lines" in more
    assert everything[everything.index(last) + 1] == second[1], "no line between two screens is left out"
    dialogue.press("pageup")
    assert page(dialogue, 60, 14).splitlines() == first
    dialogue, _ = talk(QUESTION, [])
    top = page(dialogue, 40, 9).splitlines()
    dialogue.press("down")
    below = page(dialogue, 40, 9).splitlines()
    assert below != top
    dialogue.press("x")
    assert page(dialogue, 40, 10).splitlines()[1] == below[1]


def test_the_opening_waits_for_enter():
    opening = Opening(["journal: j", "warning: \x1b[2J"], "elicit  wine")
    assert opening.press("a") is None
    assert isinstance(opening.press("enter"), Begin)
    assert "\x1b" not in page(opening)
    assert "[Enter] begin" in page(opening)
    with pytest.raises(Leave):
        opening.press("q")
    with pytest.raises(KeyboardInterrupt):
        opening.press("c-c")


def test_a_key_that_means_nothing_at_the_opening_says_so_until_the_next_key():
    opening = Opening(["journal: j"], "elicit  wine")
    opening.press("z")
    assert "'z' means nothing here" in page(opening)
    assert "[Enter] begin" in page(opening)
    assert len(opening.page(40, 6)) == 6
    opening.press("down")
    assert "means nothing" not in page(opening)


def test_the_opening_says_that_there_is_more_and_pages_to_it():
    opening = Opening(["journal: somewhere"], "elicit  wine")
    assert "more lines: Page Down" in page(opening, 30, 10)
    seen = page(opening, 30, 10)
    for _ in range(6):
        opening.press("pagedown")
        seen += page(opening, 30, 10)
    assert "journal: somewhere" in seen
    assert "more lines" not in page(opening, 30, 10)


@pytest.mark.parametrize("columns", [100, 80, 60])
def test_the_bottom_line_says_everything_at_any_width(columns):
    told = RunStatus(120, 140, 13, 3, 19, 0.25).words(columns)
    assert len(told) <= columns
    for word in ("120/140", "rej", "13", "asked 3", "1 to 16", "left", "regret 0.25"):
        assert word in told
    for spare, left in (
        (0, "  the last question|, the last"),
        (6, "  the last but for doubts|, 1 to 7 left"),
    ):
        told = RunStatus(120, 140, 13, 18, 19, 0.25, spare).words(columns)
        assert len(told) <= columns
        assert re.search(rf"asked 18({left})  regret 0.25$", told), "some are kept for answers that are doubted"
    narrow = [RunStatus(114, 120, 13, 3, 9, 0.25).words(columns) for columns in (44, 39)]
    assert narrow == ["114/120  rej. 13  1 to 6 left  regret 0.25", "114/120  1 to 6 left  regret 0.25"]
    assert "asked 3  1 to 16 questions left" in RunStatus(120, 140, 13, 3, 19, 0.25, 6).words(100)
    usual = RunStatus(85, 91, 13, 8, 9, 0.62, 6).words(79)
    assert "asked 8  the last but for doubts  regret 0.62" in usual, "a terminal of 80 columns has room for it"


def test_the_bottom_line_rounds_a_regret_up_as_the_screens_above_it_do():
    assert RunStatus(120, 140, 13, 3, 19, 0.621).words(100).endswith("regret 0.63")
    assert "regret" not in RunStatus(120, 140, 13, 0, 19, 0.621).words(100), "before the first answer it means nothing"


@pytest.mark.parametrize(
    ("keys", "first"), [("d", "[D] end here"), (("u", "enter"), "[T] take it back"), ("w", "[Esc] back to")]
)
def test_on_the_smallest_screen_a_panel_still_names_the_key_that_does_something(keys, first):
    dialogue, _ = talk(QUESTION, keys)
    assert first in page(dialogue, 30, 8)


@pytest.mark.parametrize(("columns", "rows"), [(50, 12), (40, 12), (60, 15), (60, 18), (80, 24)])
def test_what_differs_is_on_the_first_screen_and_so_are_the_keys_of_answers(columns, rows):
    shown = page(Dialogue(QUESTION, ATTRIBUTES, SCORE_AND_SIZE, Desk()), columns, rows)
    for words in ("score", "size", "only in A", "only in B", "[A]", "[B]", "[E]", "[C]", "[L]"):
        assert words in shown


def test_help_in_a_repair_is_about_its_own_keys():
    dialogue, _ = talk(CONFLICT, ["h"])
    shown = page(dialogue, 100, 40)
    assert "T          take the chosen answer back" in shown
    assert "K          keep all" in shown
    assert "both are equally good" not in shown


def test_what_a_retraction_changes_is_worked_out_though_something_else_was_looked_at_meanwhile():
    dialogue = Dialogue(CONFLICT, ATTRIBUTES, SCORE_AND_SIZE, Desk())
    for key in ("s", "escape"):
        dialogue.press(key)
    while dialogue.job is not None:
        dialogue.finish(dialogue.job, dialogue.job())
    assert "Without 3: it stays." in page(dialogue)


def test_the_screen_follows_the_choice():
    class Many(Desk):
        def answers(self):
            return [Given(k, k, A, B, Answer.FIRST) for k in range(1, 12)]

    for count in range(12):
        dialogue, _ = talk(QUESTION, ["u"], Many())
        for _ in range(count):
            dialogue.press("down")
            shown = page(dialogue, 40, 12)
        if count:
            assert f"> question {11 - count % 11}:" in shown
