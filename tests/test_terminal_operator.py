"""The terminal operator over a pipe: keys as a terminal sends them, without one."""

import io
import os
import signal
import subprocess
import sys
import threading

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from test_terminal_dialogue import ATTRIBUTES, CONFLICT, QUESTION, Desk

from elicit.asks import Enough, Settlement, TakeBack
from elicit.errors import InputError, SolverError
from elicit.events import SCORE_AND_SIZE, Answer
from elicit.interrupts import until_kept
from elicit.operators import terminal
from elicit.operators.page import Leave
from elicit.operators.terminal import TerminalOperator


@pytest.fixture
def press(monkeypatch):
    """The reply that some keys give."""
    monkeypatch.setattr(terminal, "SETTLE", 0.0)

    def reply(keys, request=QUESTION, desk=None):
        with create_pipe_input() as pipe:
            pipe.send_text(keys)
            desk = desk or Desk()
            with TerminalOperator(ATTRIBUTES, SCORE_AND_SIZE, desk, input=pipe, output=DummyOutput()) as operator:
                return operator(request)

    return reply


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("a", Answer.FIRST),
        ("B", Answer.SECOND),
        ("=", Answer.EQUAL),
        ("xC", Answer.INCOMPARABLE),
        ("h\x1b[6~ql", Answer.LATER),
        ("s\x1b[A\x1b[Bqa", Answer.FIRST),
        ("dqdd", Enough()),
    ],
)
def test_keys_as_a_terminal_sends_them_are_answers(press, keys, answer):
    assert press(keys) == answer


def test_a_repair_takes_keys_as_well(press):
    assert press("\x1b[Bt", CONFLICT) == Settlement(5)
    assert press("k", CONFLICT) == Settlement(None)


@pytest.mark.parametrize(
    ("request_", "key", "reply"), [(QUESTION, "a", Answer.FIRST), (CONFLICT, "k", Settlement(None))]
)
@pytest.mark.parametrize("pasted", ["b", "c-c", "c-d", "q", "d", "1" * 5000, "some text\n"])
def test_what_is_pasted_is_no_key(press, pasted, request_, key, reply):
    assert press(f"\x1b[200~{pasted}\x1b[201~{key}", request_) == reply


def test_ctrl_c_that_is_read_with_an_answer_comes_once_that_is_kept(press):
    kept = []
    with pytest.raises(KeyboardInterrupt), until_kept():
        kept.append(press("a\x03"))
    assert kept == [Answer.FIRST]
    assert press("ab") == Answer.FIRST, "another key is for nobody"


def test_leaving_and_interrupting(press):
    with pytest.raises(Leave):
        press("q")
    with pytest.raises(Leave):
        press("w\x04")
    with pytest.raises(KeyboardInterrupt):
        press("u\x03")


def test_an_error_while_looking_something_up_ends_the_dialogue_with_that_error(press):
    class Broken(Desk):
        def why(self, request):
            raise SolverError(f"no answer about {request.id}")

    with pytest.raises(SolverError, match="no answer about 7"):
        press("w", desk=Broken())


def test_without_a_terminal_it_refuses_and_says_what_to_use(monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(InputError, match="LineOperator"):
        TerminalOperator(ATTRIBUTES, SCORE_AND_SIZE, Desk())


def test_without_a_desk_questions_are_counted_and_answered(monkeypatch):
    monkeypatch.setattr(terminal, "SETTLE", 0.0)
    with create_pipe_input() as pipe:
        operator = TerminalOperator(ATTRIBUTES, SCORE_AND_SIZE, input=pipe, output=DummyOutput())
        with operator:
            for number, (keys, reply) in enumerate((("sa", Answer.FIRST), ("ub", Answer.SECOND)), start=1):
                threading.Timer(0.2, pipe.send_text, (keys,)).start()
                assert operator(QUESTION) == reply
                assert operator._put == number


def test_what_was_taken_back_is_said_at_the_next_question(monkeypatch):
    monkeypatch.setattr(terminal, "SETTLE", 0.0)
    notes = []

    class Noted(terminal.Dialogue):
        def __init__(self, *arguments, number):
            notes.append(arguments[-1])
            super().__init__(*arguments, number=number)

        def finish(self, job, lines):  # what the undo changes is on the screen
            super().finish(job, lines)
            pipe.send_text("t")

    monkeypatch.setattr(terminal, "Dialogue", Noted)
    with (
        create_pipe_input() as pipe,
        TerminalOperator(ATTRIBUTES, SCORE_AND_SIZE, Desk(), input=pipe, output=DummyOutput()) as operator,
    ):
        for keys, reply in (("u\x1b[B\r", TakeBack(5)), ("a", Answer.FIRST), ("b", Answer.SECOND)):
            # keys typed before a question are thrown away, so they are sent once it is there
            threading.Timer(0.2, pipe.send_text, (keys,)).start()
            assert operator(QUESTION) == reply
    assert notes[0] == notes[2] == ""
    assert notes[1].startswith("The answer to question ")
    assert notes[1].endswith(" was taken back.")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no process by a key")
def test_after_a_stop_while_measuring_the_screen_shows_again_what_is_being_done(monkeypatch):
    screen, kills = io.StringIO(), []
    monkeypatch.setattr(terminal.os, "kill", lambda *call: kills.append((call[1], screen.tell())))
    with create_pipe_input() as pipe:
        output = terminal._AlternateScreen(screen, lambda: Size(24, 80), term="xterm")
        with TerminalOperator(ATTRIBUTES, SCORE_AND_SIZE, Desk(), input=pipe, output=output) as operator:
            operator.show(0.25, "evaluated 3 of 12")
            signal.raise_signal(signal.SIGTSTP)
            ((stopped, at),) = kills
            assert stopped == signal.SIGSTOP
            after = screen.getvalue()[at:]
            assert "everything is kept; Ctrl-C leaves" in after
            assert "evaluated 3 of 12" in after
    assert signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no process by a signal")
def test_after_a_stop_from_outside_the_screen_shows_again_what_is_asked(monkeypatch):
    screen, kills = io.StringIO(), []
    monkeypatch.setattr(terminal.os, "kill", lambda *call: kills.append((call[1], screen.tell())))
    stop = threading.Timer(0.4, signal.pthread_kill, (threading.main_thread().ident, signal.SIGTSTP))
    with create_pipe_input() as pipe:
        output = terminal._AlternateScreen(screen, lambda: Size(24, 80), term="xterm")
        with TerminalOperator(ATTRIBUTES, SCORE_AND_SIZE, Desk(), input=pipe, output=output) as operator:
            operator.show(0.25, "evaluated 3 of 12")
            answer = threading.Timer(1.0, pipe.send_text, ("a",))
            stop.start()
            answer.start()
            assert operator(QUESTION) == Answer.FIRST
            ((stopped, at),) = kills
            assert stopped == signal.SIGSTOP
            after = screen.getvalue()[at:]
            assert "Which of these two subsets is better" in after
            assert "evaluated 3 of 12" not in after


def test_a_stop_from_outside_gives_the_shell_its_keys_and_then_the_page_as_it_wants_them(monkeypatch):
    termios, vt100 = pytest.importorskip("termios"), pytest.importorskip("prompt_toolkit.input.vt100")
    keyboard, line = os.openpty()
    modes = [termios.tcgetattr(line)]

    def look(*_):
        modes.append(termios.tcgetattr(line))

    monkeypatch.setattr(terminal.os, "kill", look)
    timers = [
        threading.Timer(0.3, look),
        threading.Timer(0.6, signal.pthread_kill, (threading.main_thread().ident, signal.SIGTSTP)),
        threading.Timer(0.9, look),
        threading.Timer(1.2, os.write, (keyboard, b"a")),
    ]
    with (
        open(line) as stream,
        TerminalOperator(
            ATTRIBUTES, SCORE_AND_SIZE, Desk(), input=vt100.Vt100Input(stream), output=DummyOutput()
        ) as operator,
    ):
        for timer in timers:
            timer.start()
        assert operator(QUESTION) == Answer.FIRST
    os.close(keyboard)
    shell, asked, stopped, again = modes
    assert stopped == shell != asked
    assert again == asked


def test_it_is_found_among_the_operators_and_loads_its_library_only_when_it_is_named():
    program = (
        "import sys, elicit.operators; assert 'prompt_toolkit' not in sys.modules; "
        "from elicit.operators import TerminalOperator; assert 'prompt_toolkit' in sys.modules; "
        "import elicit; assert TerminalOperator is elicit.TerminalOperator"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(ImportError, match="cannot import name 'Nobody'"):
        from elicit.operators import Nobody  # noqa: F401
