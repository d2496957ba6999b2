"""A person at a terminal: the one file that talks to prompt_toolkit.

    with TerminalOperator(attributes, criteria, desk) as operator:
        drive(elicitation, oracle, operator, …)

The screen is kept from question to question, and restored at the end. What a key means stands in
`dialogue.py`; here are the keys, the screen and the clock. Keys that were pressed before a question could
be read are discarded, so that no answer is given by accident.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import clear_typeahead, get_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from elicit.asks import Compare, Reconcile, TakeBack
from elicit.errors import InputError
from elicit.events import Criterion
from elicit.interrupts import handling, held, interrupt, waiting
from elicit.operators.desk import Desk
from elicit.operators.dialogue import Dialogue
from elicit.operators.page import Begin, Leave, Opening, Page, Reply
from elicit.operators.person import Person
from elicit.printable import bar, fitted, printable
from elicit.subsets import Attributes

#: Seconds for which a new question takes no key: a key held down must not answer it unread.
SETTLE = 0.15

#: Seconds in which keys that were pressed before an interrupt are read.
_UNREAD = 0.02

#: Columns of the bar that shows how much of the run is done; what is being done beside it fits into 80 columns.
_BAR = 16

#: Styles only emphasise: what they mean stands in the text. No background is assumed, and NO_COLOR is respected.
_STYLE = Style.from_dict({"title": "reverse", "bold": "bold", "better": "bold ansigreen", "dim": "italic"})

#: The keys that a page knows by the names that prompt_toolkit gives them.
_NAMED_KEYS = ("up", "down", "pageup", "pagedown", "enter", "escape", "backspace", "c-c", "c-d")


class TerminalOperator(Person):
    """Puts questions on the whole screen of a terminal, and takes single keys as answers.

    desk: what may be looked up beside the question; without one, the keys that look something up mean nothing.
    title: stands at the top of the screen.
    input, output: of prompt_toolkit; by default the terminal of the process.
    """

    def __init__(
        self,
        attributes: Attributes,
        criteria: Sequence[Criterion],
        desk: Desk | None = None,
        *,
        title: str = "elicit",
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._attributes, self._criteria, self._desk, self._title = attributes, tuple(criteria), desk, title
        if (input is None and not sys.stdin.isatty()) or (output is None and not sys.stdout.isatty()):
            raise InputError(
                "a terminal operator needs a terminal at the standard input and output; "
                "use elicit.operators.lines.LineOperator where there is none"
            )
        self._input = create_input() if input is None else input
        self._output = _default_output() if output is None else output
        self._holding: ExitStack | None = None
        self._put = 0  # questions, where no desk counts them
        self._note = ""  # stands above the keys of the next question
        self._drawn_for: Size | None = None  # the size of the screen that `show` has made its own
        self._shown: tuple[float, str] | None = None  # what `show` showed last
        self._talking: _Conversation | None = None

    def __enter__(self) -> TerminalOperator:
        self._hold()
        return self

    def __exit__(self, *_: object) -> None:
        self._release()

    def _hold(self) -> None:
        """Take the screen, and stop the echo of keys."""
        self._drawn_for = None
        self._holding = ExitStack()
        if isinstance(self._output, _AlternateScreen):
            self._output.hold()
            self._holding.callback(self._output.give_back)
        self._holding.enter_context(_without_echo(self._input))
        self._holding.enter_context(_handling_stop(self._input, self._release, self._go_on))

    def _release(self) -> None:
        """Restore the terminal."""
        if self._holding is not None:
            self._holding.close()
        self._holding = None

    def _go_on(self) -> None:
        """Take the screen again after a stop, and show the page, or what is being done, which may take long."""
        self._hold()
        if self._talking is not None:
            self._talking.redraw()
        elif self._shown is not None:
            self.show(*self._shown)

    def __call__(self, request: Compare | Reconcile) -> Reply:
        if self._holding is None:  # nobody holds the screen: take it for this question alone
            with self:
                return self(request)
        if isinstance(request, Compare):
            self._put += 1
        dialogue = Dialogue(
            request, self._attributes, self._criteria, self._desk, self._title, self._note, number=self._put
        )
        reply = self._converse(dialogue)
        assert not isinstance(reply, Begin)
        self._note = ""
        if isinstance(reply, TakeBack) and self._desk is not None:
            self._note = f"The answer to question {self._desk.number(reply.request)} was taken back."
        return reply

    def open(self, lines: Sequence[str]) -> None:
        """Show what will happen, and wait until the operator wants to begin."""
        self._converse(Opening(lines, self._title))

    def _converse(self, page: Page) -> Reply | Begin:
        """The reply to a page."""
        _discard_typed_keys(self._input)
        self._talking = _Conversation(page, self._input, self._output)
        try:
            reply = self._talking.run()
        finally:
            self._talking = None
        self._drawn_for = None
        return reply

    def show(self, share: float, text: str) -> None:
        """Show on the bottom line what is being done until the next question, and the share of the run that is done."""
        if not isinstance(self._output, _AlternateScreen):
            return
        self._shown = share, text
        size = self._output.get_size()
        if size != self._drawn_for:  # what stood there takes no keys any more, or is torn
            self._output.erase_screen()
            self._output.cursor_goto(1, 1)
            self._output.write(
                fitted(f" {printable(self._title)}  everything is kept; Ctrl-C leaves", size.columns - 1)
            )
            self._drawn_for = size
        self._output.cursor_goto(size.rows, 1)
        self._output.write(fitted(f"{bar(share, _BAR)} {text} …", size.columns - 1))
        self._output.erase_end_of_line()
        self._output.flush()


class _Conversation:
    """A page on the screen until it has a reply, with a thread that runs its jobs."""

    def __init__(self, page: Page, input: Input, output: Output) -> None:
        self._page = page
        self._output = output
        self._since = time.monotonic()
        self._thread = ThreadPoolExecutor(1)
        self._looking: asyncio.Task[None] | None = None
        window = Window(FormattedTextControl(self._text, show_cursor=False), wrap_lines=False, always_hide_cursor=True)
        self._app: Application[Reply | Begin] = Application(
            Layout(window),
            key_bindings=self._keys(),
            style=_STYLE,
            full_screen=True,
            input=input,
            output=output,
        )
        self._app.ttimeoutlen = 0.05  # Esc is a key here, not the beginning of others

    def run(self) -> Reply | Begin:
        """The reply; leaving raises Leave, an interrupt KeyboardInterrupt. One that comes after the reply waits."""
        # at the end of the thread nobody looks any more at what the reply is about to change
        with held(self._interrupt_soon), self._thread:
            try:
                reply = self._app.run(pre_run=self._begin, handle_sigint=False)
            except EOFError:
                raise Leave("the terminal is gone") from None
            if any(typed.key == Keys.ControlC for typed in get_typeahead(self._app.input)):
                interrupt()  # it was read with the key that replied, and a key it was: no signal comes
            return reply

    def redraw(self) -> None:
        """Called where somebody else had the screen, wherever the main thread is: the loop draws the page anew."""
        loop = self._app.loop
        if loop is not None:
            loop.call_soon_threadsafe(self._redraw)

    def _redraw(self) -> None:
        self._app.renderer.reset(leave_alternate_screen=True)  # nothing of the page is on the screen any more
        self._app.invalidate()

    def _begin(self) -> None:
        """What is done once there is a loop."""
        if waiting():
            self._interrupt()
        self._start_jobs()

    def _interrupt_soon(self) -> None:
        """Called at an interrupt, wherever the main thread is: the loop takes it, after the keys pressed before it."""
        loop = self._app.loop
        if loop is not None:
            loop.call_soon_threadsafe(loop.call_later, _UNREAD, self._interrupt)

    def _interrupt(self) -> None:
        if not self._app.is_done:
            self._app.exit(exception=KeyboardInterrupt())

    def _text(self) -> StyleAndTextTuples:
        size = self._output.get_size()
        text: StyleAndTextTuples = []
        for line in self._page.page(size.columns, size.rows):
            text += [(f"class:{style}" if style else "", part) for style, part in line]
            text.append(("", "\n"))
        return text[:-1]

    def _keys(self) -> KeyBindings:
        bindings = KeyBindings()
        for key in _NAMED_KEYS:
            bindings.add(key, eager=key == "escape")(lambda event, key=key: self._press(event, key))
        bindings.add(Keys.BracketedPaste)(lambda _: None)  # no key was pressed, whatever the text says
        bindings.add("<any>")(lambda event: self._press(event, event.data.lower()))
        return bindings

    def _press(self, event: KeyPressEvent, key: str) -> None:
        leaving = key in ("c-c", "c-d")
        if not leaving and time.monotonic() - self._since < SETTLE:
            return
        try:
            reply = self._page.press(key)
        except (Leave, KeyboardInterrupt) as leave:
            event.app.exit(exception=leave)
            return
        if reply is not None:
            event.app.exit(result=reply)
        else:
            self._start_jobs()

    def _start_jobs(self) -> None:
        """See to it that the jobs of the page are run."""
        if self._looking is None or self._looking.done():
            self._looking = self._app.create_background_task(self._run_jobs())

    async def _run_jobs(self) -> None:
        """Run the job of the page in the thread, and then the next one, which waited for its end."""
        while (job := self._page.job) is not None:
            try:
                lines = await asyncio.get_running_loop().run_in_executor(self._thread, job)
            except Exception as error:  # whatever it is ends the session as it would in the main thread
                if not self._app.is_done:
                    self._app.exit(exception=error)
                return
            self._page.finish(job, lines)
            self._app.invalidate()


class _AlternateScreen(Vt100_Output):
    """An output that keeps the alternate screen between two questions."""

    def hold(self) -> None:
        """Take the whole screen."""
        super().enter_alternate_screen()
        self.erase_screen()
        self.cursor_goto(1, 1)
        self.hide_cursor()
        self.flush()

    def give_back(self) -> None:
        """Show what stood there before."""
        super().quit_alternate_screen()
        self.show_cursor()
        self.flush()

    def enter_alternate_screen(self) -> None:
        """Held already; a question is drawn from the first line on."""
        self.erase_screen()
        self.cursor_goto(1, 1)

    def quit_alternate_screen(self) -> None:
        """Given back at the end."""


if sys.platform == "win32":

    def _default_output() -> Output:
        return create_output()  # each question takes the screen and gives it back

    def _discard_typed_keys(input: Input) -> None:
        """Discard what was typed before the question could be read."""
        clear_typeahead(input)

    @contextmanager
    def _without_echo(input: Input) -> Iterator[None]:  # noqa: ARG001  # the same signature everywhere
        """Windows shows no keys that nobody reads."""
        yield

    @contextmanager
    def _handling_stop(input: Input, release: Callable[[], None], take: Callable[[], None]) -> Iterator[None]:  # noqa: ARG001  # as below
        """Windows stops no process by a key."""
        yield

else:
    import signal
    import termios

    def _default_output() -> Output:
        term, depth = os.environ.get("TERM"), ColorDepth.from_env()  # which respects NO_COLOR
        return _AlternateScreen.from_pty(sys.stdout, term=term, default_color_depth=depth)

    def _discard_typed_keys(input: Input) -> None:
        """Discard what was typed before the question could be read."""
        clear_typeahead(input)
        try:
            termios.tcflush(input.fileno(), termios.TCIFLUSH)
        except (termios.error, NotImplementedError):  # not a terminal: nothing was typed
            return

    def _modes(input: Input) -> list[Any] | None:
        """How keys come from a terminal; None where it is none."""
        try:
            return termios.tcgetattr(input.fileno())
        except (termios.error, NotImplementedError):
            return None

    @contextmanager
    def _same_modes(input: Input) -> Iterator[None]:
        """After the block, keys come as before it, as a page wants them or as between two of them."""
        before = _modes(input)
        yield
        if before is not None:
            termios.tcsetattr(input.fileno(), termios.TCSADRAIN, before)

    @contextmanager
    def _without_echo(input: Input) -> Iterator[None]:
        """Between two questions, keys are not shown on the screen; Ctrl-C still interrupts."""
        before = _modes(input)
        if before is None:  # nothing is shown
            yield
            return
        quiet = list(before)
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(input.fileno(), termios.TCSADRAIN, quiet)
        try:
            yield
        finally:
            termios.tcsetattr(input.fileno(), termios.TCSAFLUSH, before)  # keys that nobody read are no commands

    @contextmanager
    def _handling_stop(input: Input, release: Callable[[], None], take: Callable[[], None]) -> Iterator[None]:
        """A stop, by Ctrl-Z or (while a page takes the keys) from outside: the shell has the screen until it ends."""

        def pause(*_: object) -> None:
            with _same_modes(input):
                release()
                os.kill(os.getpid(), signal.SIGSTOP)
                take()

        with handling(signal.SIGTSTP, pause, signal.SIG_DFL):
            yield
