"""Sessions in a pseudo-terminal: real keystrokes, from the opening to the end, and out at every prompt."""

import io
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from elicit.cli import main
from elicit.events import Asked, Evaluated, Preferred, Retracted, Settled, Stopped
from elicit.journal import identity, read

pytest.importorskip("pexpect", reason="the tests of the terminal drive real keystrokes")
screens = pytest.importorskip("screens", reason="a pseudo-terminal of POSIX")

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")

#: Small data of several questions: n = 13, few evaluations. One process at the side is enough to show it.
WINE = ("ask", "wine", "--model", "knn:3", "--folds", "3", "--n-jobs", "1")


def session(path, *arguments, budget=18, questions=4, **options):
    return screens.Terminal(
        *WINE, "--budget", budget, "--questions", questions, "--journal", "j", *arguments, cwd=path, **options
    )


def resumed(path):
    return screens.Terminal("resume", "j", "--n-jobs", "1", cwd=path)


def to_the_end(terminal, number):
    """Answer every question from here with the better score, keep contradictions."""
    while number != "end":
        terminal.answer("k" if number == "repair" else terminal.leader())
        number = terminal.asked(number if isinstance(number, int) else 0)


def facts(path, kind):
    return [fact for fact in read(path / "j").facts if isinstance(fact, kind)]


def test_a_whole_session_from_the_opening_to_a_subset_that_can_be_used(tmp_path):
    with session(tmp_path, "-o", "out.csv") as terminal:
        opening = terminal.until("[Enter] begin")
        for words in ("journal: j", "13 attributes", "18 of 8191 subsets", "of computing"):
            assert words in opening
        number = terminal.begin()
        assert number == 1
        assert "A is better" in terminal.text

        terminal.press("w")
        terminal.until("If B is better:")
        terminal.press("f")
        terminal.until("size")
        terminal.press("s")
        terminal.until("with one attribute more or fewer")
        terminal.press("h")
        terminal.until("Ctrl-C")
        terminal.press("\x1b")
        assert terminal.asked() == 1

        terminal.resize(100, 30)
        terminal.until(lambda text: "evaluated" in text.splitlines()[-1] and len(text.splitlines()) == 30)
        terminal.resize(44, 16)
        terminal.until(lambda text: len(text.splitlines()) == 16 and "evaluated" in text.splitlines()[-1])
        terminal.resize(80, 24)
        terminal.until("[Q] save and leave")

        to_the_end(terminal, 1)
        status, told = terminal.end()
    assert status == 0
    for words in (
        "recommended: ",
        "all 13",
        "fresh shuffles into folds",
        "ended by",
        "proven",
        "elicit resume j --budget +50",
        "elicit report j",
        "elicit verify j",
        "in scikit-learn, with pandas:",
        "out.csv: 178 rows",
    ):
        assert words in told, told
    snippet = told.partition("in scikit-learn, with pandas:")[2].partition("out.csv:")[0]
    names = {}
    exec("\n".join(line.strip() for line in snippet.splitlines()), names)
    assert names["model"].predict(names["X"]).shape == (178,)
    header = (tmp_path / "out.csv").read_text().splitlines()[0].split(",")
    assert header == [*names["X"].columns, "target"]


@pytest.mark.slow
def test_undo_takes_an_answer_back_and_the_session_goes_on(tmp_path):
    with session(tmp_path, budget=30, questions=6) as terminal:
        assert terminal.begin() == 1
        terminal.press("u")
        terminal.until("no answer to take back")
        terminal.answer("a")
        assert terminal.asked(1) == 2
        terminal.press("u")
        terminal.until("> question 1")
        terminal.press("\r")
        terminal.until("Without it")
        terminal.answer("t")
        assert terminal.asked() == 2, "the open question is put again"
        to_the_end(terminal, 2)
        assert terminal.end()[0] == 0
    assert [fact.retracts for fact in facts(tmp_path, Retracted)] == [facts(tmp_path, Preferred)[0].request]


@pytest.mark.slow
def test_who_is_content_ends_the_session_with_all_that_an_end_has_and_may_still_go_on(tmp_path):
    with session(tmp_path, "-o", "out.csv", budget=30, questions=8) as terminal:
        assert terminal.begin() == 1
        terminal.press("d")
        terminal.until("Best so far")
        terminal.press("\x1b")
        terminal.until("[A] A is better")
        terminal.answer("a")
        assert terminal.asked(1) == 2
        terminal.press("d")
        terminal.until("Best so far")
        terminal.press("d")
        status, told = terminal.end()
    assert status == 0
    for words in (
        "recommended: ",
        "fresh shuffles",
        "ended by wish: ",
        "elicit resume j\n",
        "in scikit-learn, with pandas:",
        "out.csv: ",
    ):
        assert words in told, told
    assert len(facts(tmp_path, Preferred)) == 1
    with resumed(tmp_path) as terminal:
        assert terminal.begin() == 2
        to_the_end(terminal, 2)
        assert terminal.end()[0] == 0
    assert len(facts(tmp_path, Evaluated)) == 30


def contradict(terminal, number):
    """Answer by the score, and every check the other way round, until a repair opens."""
    while number not in ("repair", "end"):
        key = terminal.leader()
        if "a check" in terminal.text:
            key = {"a": "b", "b": "a", "e": "a"}[key]
        terminal.answer(key)
        number = terminal.asked(number)
    return number


@pytest.mark.parametrize(("key", "kind"), [("t", Retracted), pytest.param("k", Settled, marks=pytest.mark.slow)])
def test_a_contradiction_opens_a_repair(tmp_path, key, kind):
    with session(tmp_path, "--check-every", 1, budget=60, questions=10) as terminal:
        assert contradict(terminal, terminal.begin()) == "repair"
        terminal.until("Without it")
        assert "cannot all hold" in terminal.text
        terminal.answer(key)
        terminal.until(lambda _: terminal.asked() != "repair")  # the screen may still show what was just answered
        assert isinstance(terminal.asked(), int)
        terminal.press("q")
        status, told = terminal.end()
    assert status == 0
    assert "go on with: elicit resume j" in told
    assert len(facts(tmp_path, kind)) == 1


def interrupted(terminal, keys, shows):
    """Interrupt a session at what some keys show; the number of its question."""
    number = 0
    if keys is not None:
        number = terminal.begin()
        for key in keys:
            terminal.press(key)
    terminal.until(shows)
    terminal.press("\x03")
    status, told = terminal.end()
    assert status == 130, told
    assert "interrupted; everything is kept, go on with: elicit resume j" in told
    assert b"Traceback" not in terminal.raw
    return number


@pytest.fixture
def by_lines(tmp_path, monkeypatch, capsys):
    """The same command with answers from a pipe; what it says."""

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "stdin", io.StringIO("a\n" * 20))
        assert main([*map(str, arguments)]) == 0
        return capsys.readouterr().out

    return run


def test_an_interrupt_at_the_opening_and_at_a_question_resumes_to_the_identical_state(tmp_path, by_lines):
    with session(tmp_path, "--check-every", 9, budget=14) as terminal:  # whoever says A always would fail a check
        interrupted(terminal, None, "[Enter] begin")
    with resumed(tmp_path) as terminal:
        number = terminal.begin()
        terminal.answer("a")
        assert terminal.asked(number) == 2
        terminal.press("\x03")
        assert terminal.end()[0] == 130
    assert facts(tmp_path, Asked)[-1].compare is not None
    assert "Question 2: " in by_lines("resume", "j"), "numbers go on after a resume"
    by_lines(*WINE, "--check-every", 9, "--budget", 14, "--questions", 4, "--journal", "whole")
    assert identity(tmp_path / "j") == identity(tmp_path / "whole")


@pytest.mark.slow
def test_an_interrupt_in_every_panel_resumes_to_the_identical_state(tmp_path):
    with session(tmp_path) as terminal:
        interrupted(terminal, "", "[A] A is better")
    before = identity(tmp_path / "j")
    panels = {"w": "If A is better", "f": "size", "u": "no answer", "s": "one attribute more or fewer", "h": "Esc"}
    for keys, shows in panels.items():
        with resumed(tmp_path) as terminal:
            assert interrupted(terminal, keys, shows) == 1, "the number of the question stays"
        assert identity(tmp_path / "j") == before


@pytest.mark.slow
def test_an_interrupt_in_a_repair_and_in_undo_resumes_to_the_identical_state(tmp_path):
    with session(tmp_path, "--check-every", 1, budget=60, questions=10) as terminal:
        assert contradict(terminal, terminal.begin()) == "repair"
        terminal.press("\x03")
        assert terminal.end()[0] == 130
    before = identity(tmp_path / "j")
    for keys, shows in (("", "cannot all hold"), ("u", "> question"), ("u\r", "Without it")):
        with resumed(tmp_path) as terminal:
            interrupted(terminal, keys, shows)
        assert identity(tmp_path / "j") == before


def test_the_end_of_the_input_and_a_terminal_that_goes_away_lose_nothing(tmp_path):
    with session(tmp_path) as terminal:
        terminal.begin()
        terminal.press("\x04")
        status, told = terminal.end()
        assert status == 0
        assert "you left; everything is kept" in told
    kept = identity(tmp_path / "j")
    with resumed(tmp_path) as terminal:
        terminal.begin()
        terminal.child.close(force=False)  # the terminal hangs up
    assert identity(tmp_path / "j") == kept


@pytest.mark.slow  # without a screen in test_session_ending.py
def test_a_model_that_never_fits_ends_in_words_and_not_in_a_traceback(tmp_path):
    with session(tmp_path, "--model", "knn:500", budget=5) as terminal:
        terminal.until("[Enter] begin")
        terminal.press("\r")
        status, told = terminal.end()
    assert status == 2, "a script that goes on has nothing to go by"
    assert "Nothing could be measured" in told
    assert "not measured, 5 times" in told
    assert b"Traceback" not in terminal.raw


@pytest.mark.slow
def test_a_process_at_the_side_that_is_killed_takes_nothing_along(tmp_path):
    with session(tmp_path) as terminal:
        number = terminal.begin()
        children = subprocess.run(
            ["pgrep", "-P", str(terminal.child.pid), "-f", "spawn_main"], capture_output=True, text=True
        ).stdout.split()
        assert children
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        to_the_end(terminal, number)
        assert terminal.end()[0] == 0
    assert facts(tmp_path, Stopped)


@pytest.mark.parametrize("answers", [pytest.param("", marks=pytest.mark.slow), "a\nb\n"])
def test_without_a_terminal_nothing_prompts_and_the_end_of_the_input_saves_and_leaves(tmp_path, answers):
    command = [sys.executable, "-m", "elicit", "--journal", "j"]
    told = subprocess.run(command, input=answers, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("Question ") == 1 + answers.count("\n")
    assert "Which is better?" not in told.stdout
    assert told.stdout.rstrip().endswith("everything is kept, go on with: elicit resume j")
    assert "\x1b" not in told.stdout + told.stderr
    assert "Traceback" not in told.stderr
    assert len(facts(tmp_path, Preferred)) == answers.count("\n")


WILD = "\x1b[31mred,アルコール度数の値,a\u202eb,\x07bell,y\n"


def test_names_with_escape_sequences_never_reach_the_terminal(tmp_path):
    rows = "".join(f"{k % 7},{k % 5},{k % 3},{k * k % 11},{(k % 7 + k % 3) > 4:d}\n" for k in range(60))
    (tmp_path / "w.csv").write_text(WILD + rows, encoding="utf-8")
    arguments = ("ask", "w.csv", "--target", "y", "--model", "knn:3", "--folds", "3", "--n-jobs", "1", "--journal", "j")
    with screens.Terminal(*arguments, cwd=tmp_path, NO_COLOR="1") as terminal:
        number = terminal.begin()
        if number != "end":
            assert any(shown in terminal.text for shown in ("アルコール", "31mred", "bell", "202eb"))
            for key in ("w", "s", "f", "u"):
                terminal.press(key)
                terminal.until(lambda text: "[Esc] back" in text or "no answer" in text)
            terminal.press("\x1b")
            to_the_end(terminal, terminal.asked())
        status, told = terminal.end()
    assert status == 0
    assert "\\x1b[31mred" in told
    for byte in (b"\x1b[31m", b"\x07", "\u202e".encode()):
        assert byte not in terminal.raw
    coloured = re.search(rb"\x1b\[[0-9;]*(?<![0-9])(?:3[0-7]|9[0-7])[;m]", terminal.raw)
    assert coloured is None, "NO_COLOR is heard"


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_answer_is_kept_though_the_session_is_interrupted_right_after_it(tmp_path, number):
    with session(tmp_path) as terminal:
        assert terminal.begin() == 1
        terminal.press("a")
        time.sleep(0.01)
        os.kill(terminal.child.pid, number)
        status, told = terminal.end()
    assert status == 130
    assert told.strip() == "elicit: interrupted; everything is kept, go on with: elicit resume j"
    assert len(facts(tmp_path, Preferred)) == 1


def test_a_session_that_is_terminated_again_and_again_says_one_line(tmp_path):
    with session(tmp_path) as terminal:
        assert terminal.begin() == 1
        time.sleep(screens.PAUSE)
        for _ in range(6):
            os.kill(terminal.child.pid, signal.SIGTERM)
            time.sleep(0.001)
        status, told = terminal.end()
    assert status == 130
    assert told.strip() == "elicit: interrupted; everything is kept, go on with: elicit resume j"
