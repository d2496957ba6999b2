"""The command line and the process that it runs in: streams, signals, what is caught, and the exit status."""

import contextlib
import io
import os
import signal
import sys
import threading

import pytest

from elicit import cli
from elicit.commands import defaults
from elicit.commands.status import width_of
from elicit.errors import CertificateError, InputError

HANGUP = getattr(signal, "SIGHUP", signal.SIGTERM)
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture
def command(monkeypatch):
    """Runs a function in place of a command, and gives the exit status."""

    def run(does):
        monkeypatch.setattr(defaults, "run", lambda _: does())
        return cli.main(["--defaults"])

    return run


def handlers():
    return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, HANGUP)]


@pytest.fixture
def at_terminal(monkeypatch):
    def say(answer):
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.setattr(sys.stdin, "isatty", lambda: answer, raising=False)

    return say


# signals

INTERRUPT, DEFAULT, IGNORE = signal.default_int_handler, signal.SIG_DFL, signal.SIG_IGN


@posix
@pytest.mark.parametrize(("terminal", "during"), [(True, DEFAULT), (False, INTERRUPT)])
def test_termination_is_an_interrupt_while_a_command_runs_and_so_is_the_end_of_what_reads_no_terminal(
    command, at_terminal, terminal, during
):
    at_terminal(terminal)
    seen = []
    assert handlers() == [INTERRUPT, DEFAULT, DEFAULT]
    assert command(lambda: seen.append(handlers()) or 0) == 0
    assert seen == [[INTERRUPT, INTERRUPT, during]]
    assert handlers() == [INTERRUPT, DEFAULT, DEFAULT]


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, HANGUP])
@pytest.mark.parametrize("theirs", [IGNORE, lambda *_: None])
def test_what_somebody_else_does_with_a_signal_stays(command, at_terminal, monkeypatch, number, theirs):
    at_terminal(False)
    seen, load = [], cli.import_module
    monkeypatch.setattr(cli, "import_module", lambda name: seen.append(signal.getsignal(number)) or load(name))
    before = signal.signal(number, theirs)
    try:
        assert command(lambda: seen.append(signal.getsignal(number)) or 0) == 0
        assert [*seen, signal.getsignal(number)] == [theirs] * 3
    finally:
        signal.signal(number, before)


def test_an_interrupt_ends_the_process_only_while_libraries_load(command, monkeypatch):
    seen, load = [], cli.import_module
    monkeypatch.setattr(cli, "import_module", lambda name: seen.append(signal.getsignal(signal.SIGINT)) or load(name))
    assert command(lambda: 0) == 0
    assert seen[0] not in (INTERRUPT, DEFAULT, IGNORE)
    assert signal.getsignal(signal.SIGINT) is INTERRUPT


def test_outside_the_main_thread_signals_are_left_alone(command):
    seen, ended = [], []
    before = handlers()
    thread = threading.Thread(target=lambda: ended.append(command(lambda: seen.append(handlers()) or 0)))
    thread.start()
    thread.join(timeout=60)
    assert (ended, seen, handlers()) == ([0], [before], before)


@pytest.mark.parametrize(("status", "silenced"), [(0, False), (1, False), (2, False), (130, True)])
def test_one_more_interrupt_is_silenced_only_after_an_interrupt(command, monkeypatch, status, silenced):
    registered = []
    monkeypatch.setattr("atexit.register", lambda *call: registered.append(call))
    assert command(lambda: status) == status
    assert registered == [(signal.signal, signal.SIGINT, signal.SIG_DFL)] * silenced


# what is caught

UNWRITTEN = "elicit: the output cannot be written"


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        (KeyboardInterrupt(), 130, "elicit: interrupted\n"),
        (InputError("no such thing"), 2, "elicit: no such thing\n"),
        (CertificateError("line 3: not so"), 1, "elicit: line 3: not so\n"),
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (OSError(28, "No space left"), 2, f"{UNWRITTEN} (No space left); give it room, or another place\n"),
        (OSError("gone"), 2, f"{UNWRITTEN} (gone); give it room, or another place\n"),
    ],
)
def test_what_ends_a_command_is_one_line_and_a_status(command, capsys, raised, status, told):
    def ends():
        raise raised

    assert command(ends) == status
    assert capsys.readouterr() == ("", told)


@pytest.mark.parametrize("status", [0, 1, 2])
def test_what_came_of_a_command_does_not_depend_on_whether_all_of_it_is_read(command, monkeypatch, status):
    class Closed(io.StringIO):
        def flush(self):
            raise BrokenPipeError(32, "Broken pipe")  # as when `grep -q holds` has found what it looks for

    monkeypatch.setattr("sys.stdout", Closed())
    assert command(lambda: status) == status


def test_what_a_program_error_says_is_not_swallowed(command):
    def ends():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        command(ends)


# streams


def test_what_a_stream_cannot_show_is_escaped_and_what_cannot_be_read_is_replaced(command, monkeypatch):
    shown = {name: io.TextIOWrapper(io.BytesIO(), encoding="ascii") for name in ("stdout", "stderr")}
    for name, stream in shown.items():
        monkeypatch.setattr(f"sys.{name}", stream)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\xffb\n"), encoding="utf-8"))
    seen = []

    def shows():
        print("温度")
        print("β", file=sys.stderr)
        seen.append(sys.stdin.readline())
        return 0

    assert command(shows) == 0
    sys.stderr.flush()
    assert [stream.buffer.getvalue() for stream in shown.values()] == [b"\\u6e29\\u5ea6\n", b"\\u03b2\n"]
    assert seen == ["a\ufffdb\n"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "gbk"])
def test_a_file_of_answers_may_be_marked_as_utf_8_whatever_is_usual_where_it_is_read(command, monkeypatch, encoding):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfa\nb\n"), encoding=encoding))
    seen = []
    assert command(lambda: seen.extend(sys.stdin) or 0) == 0
    assert seen == ["a\n", "b\n"]


def test_a_stream_of_another_kind_will_do():
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert cli.main(["--defaults"]) == 0
    assert "parsimony = 0.1" in out.getvalue()


def test_a_terminal_has_room_for_all_but_its_last_column_and_a_file_for_all(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setenv("COLUMNS", "60")
    assert width_of(stream) is None
    monkeypatch.setattr(stream, "isatty", lambda: True)
    assert width_of(stream) == 59


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_a_stream_that_was_closed_is_none_that_a_command_misses(command, monkeypatch, name):
    others = {each: getattr(sys, each) for each in ("stdin", "stdout", "stderr") if each != name}
    monkeypatch.setattr(sys, name, None)
    seen, inherited = [], []
    monkeypatch.setattr(os, "set_inheritable", lambda *given: inherited.append(given))

    def uses():
        stream = getattr(sys, name)
        seen.append(stream.read() if name == "stdin" else stream.write("lost"))
        assert {each: getattr(sys, each) for each in others} == others
        return 0

    assert command(uses) == 0
    getattr(sys, name).close()
    assert seen == ["" if name == "stdin" else 4]
    assert inherited == [], "its number is another, and what has the usual one is not touched"
