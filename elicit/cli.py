"""The command line: `elicit` and its commands, each in its own file of `commands`.

Exit status: 0 done, 1 a check does not hold, 2 bad input (one line: what, where, remedy), 130 interrupted.
The file of a command is imported only after the arguments have been parsed: the libraries behind it take a second
or two to load, and neither help nor an error in the arguments should wait for them.
"""

from __future__ import annotations

import argparse
import atexit
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any, NoReturn, TextIO

from elicit import __version__
from elicit.commands.help_layout import Help, LaidOutHelp
from elicit.commands.status import BAD_INPUT, DOES_NOT_HOLD, DONE, INTERRUPTED, complain
from elicit.errors import CertificateError, ElicitError, InputError, nearest, system_reason
from elicit.interrupts import handling

Command = Callable[[argparse.Namespace], int]


_DESCRIPTION = """\
Finds the subset of features that is best for its operator: the person, or the
function, that is asked to compare a few pairs of subsets. It takes few
evaluations and few questions.

Without a command: a session on the built-in wine data.
"""

_EPILOG = """\
answers of a session without a terminal, one per line:
  a, b, equal, cannot, later     answer the question
  why, front, best, help         look something up
  undo, undo N                   take an answer back
  N, keep                        where answers contradict each other: take back
                                 the one to question N, or keep them all
  done                           end with the best so far
  quit, or the end of the input  save and leave

exit status:
  0 done, 1 a check does not hold, 2 bad input, 130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line; no option may be abbreviated."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"formatter_class": Help, **settings}, allow_abbrev=False)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse what is unknown at once: argparse would leave it to the parser of all commands, with other options."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [text.partition("=")[0] for text in unknown if text.startswith("--")]
            new = [option for option in options if option not in ("--", *self._option_string_actions)]
            meant = nearest(new[0], self._option_string_actions, shown=str) if new else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        if message.startswith("argument COMMAND:"):  # most likely data, or an option of a session
            message += "; a session on your own data is elicit ask DATA --target COLUMN"
        if message.endswith("expected one argument"):
            message += ", after = if it begins with -"
        complain(f"{message}{' ' if message.endswith('?') else '; '}{self.prog} --help shows what is possible")
        raise SystemExit(BAD_INPUT)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and version; argparse itself would not say that they cannot be written."""
        stream = file or sys.stderr
        stream.write(message)
        stream.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit status."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal cannot show is escaped
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):  # a file of answers may be marked as UTF-8 where that is not the rule
        sys.stdin.reconfigure(encoding=None if sys.stdin.isatty() else "utf-8-sig", errors="replace")
    status = DONE
    try:
        with handling(signal.SIGINT, _exit_at_once, signal.default_int_handler):
            args = _parser().parse_args(argv)
            command = _command(args)
        with _terminating_like_an_interrupt():
            status = command(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        complain("interrupted")
        status = INTERRUPTED
    except CertificateError as error:
        complain(str(error))
        return _written_out(DOES_NOT_HOLD)
    except ElicitError as error:
        complain(str(error))
        return _written_out(BAD_INPUT)
    except BrokenPipeError:  # whoever reads has read enough; what came of a command that is over stays true
        _discard(sys.stdout)
        return status
    except OSError as error:  # what is left of files: the standard streams
        complain(f"the output cannot be written ({system_reason(error)}); give it room, or another place")
        _discard(sys.stdout)
        return BAD_INPUT
    if status == INTERRUPTED:  # all has been said: one more Ctrl-C, while workers are waited for, ends it without words
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return status


@contextmanager
def _terminating_like_an_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: what was begun is saved, and worker processes end with this one.

    SIGHUP too, unless standard input is a terminal: when that is gone, nothing can be said, and all of its processes
    are ended anyway.
    """
    wanted = [signal.SIGTERM] if sys.stdin.isatty() else [signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)]
    with ExitStack() as stack:
        for number in wanted:
            stack.enter_context(handling(number, signal.default_int_handler, signal.SIG_DFL))
        yield


def _open_missing_streams() -> None:
    """Connect standard streams that were closed when the program began to the null device."""
    for descriptor, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, mode)  # noqa: SIM115  # open for as long as the program runs
            setattr(sys, name, nowhere)
            if nowhere.fileno() == descriptor:  # the lowest that was free: worker processes shall have it, too
                os.set_inheritable(descriptor, True)


def _exit_at_once(*_: object) -> NoReturn:
    """End the process at Ctrl-C while libraries load: raised inside an import it may become another error."""
    complain("interrupted")
    os._exit(INTERRUPTED)  # nothing has begun, so nothing has to be tidied up


def _written_out(status: int) -> int:
    """The status of what went wrong, which nobody who stops reading before the end makes another one."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard(sys.stdout)
    return status


def _discard(stream: TextIO) -> None:
    """Discard what a stream still holds, so that it raises no further error when the program ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _parser() -> _Parser:
    from elicit.commands.parsers import add_commands

    parser = _Parser(
        prog="elicit",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=LaidOutHelp,
    )
    parser.add_argument("--version", action="version", version=f"elicit {__version__}")
    parser.add_argument("--defaults", action="store_true", help="print every default with its meaning")
    parser.add_argument("--journal", metavar="PATH", help="where to keep the session without a command")
    add_commands(parser.add_subparsers(title="commands", metavar="COMMAND", dest="command"))
    return parser


def _command(args: argparse.Namespace) -> Command:
    """The function of the command that was given, whose file is imported only now."""
    name = args.command or ("defaults" if args.defaults else "session")
    if args.journal is not None and name not in ("ask", "session"):
        raise InputError(f"--journal is for a new session, not for {name}")
    if args.defaults and args.command:
        raise InputError(f"--defaults goes with no command; leave it out, or leave out {name}")
    run: Command = import_module(f"elicit.commands.{name}").run
    return run
