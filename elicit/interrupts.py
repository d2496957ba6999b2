"""Interrupts that wait: Ctrl-C and its like end a run at once, but never between an answer and its being kept.

    with until_kept() as hold:
        reply = operator(request)  # an interrupt ends it, unless the operator holds interrupts itself
        hold()  # from here on one waits for the end of the block
        keep(reply)

Signals belong to the whole process, and so does what is held here; outside of the main thread nothing is.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

#: What ends a run from outside, as far as the system has it.
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class _Holding:
    """Takes the place of the handlers of all interrupts, until they are to come after all."""

    def __init__(self) -> None:
        self._handlers: dict[signal.Signals, Any] = {}  # those that stood there before
        self.keeping = 0  # blocks that keep an answer, one in another
        self.came: signal.Signals | None = None
        self.told: Callable[[], None] | None = None

    def begin(self) -> None:
        """From now on interrupts wait; those that nobody handles end the process as ever."""
        for number in [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]:
            if number not in self._handlers and callable(signal.getsignal(number)):
                self._handlers[number] = signal.signal(number, self._note)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.came = signal.Signals(number)
        if self.told is not None:
            self.told()

    def end(self) -> None:
        """Let the interrupt come that has waited, if there is one.

        As soon as one handler stands again an interrupt may come here: the others are put back all the same.
        """
        handlers, self._handlers = self._handlers, {}
        came, self.came = self.came, None
        try:
            _put_back(handlers)
        except BaseException:
            _put_back(handlers)
            raise
        if came is not None:
            signal.raise_signal(came)


def _put_back(handlers: Mapping[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


_HOLDING = _Holding()


def _here() -> bool:
    """Whether this is the thread to which interrupts come."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def until_kept() -> Iterator[Callable[[], None]]:
    """What holds interrupts in this block, the function that it gives or `held`, does so to the end of the block."""
    if not _here():
        yield lambda: None
        return
    _HOLDING.keeping += 1
    try:
        yield _HOLDING.begin
    finally:
        _HOLDING.keeping -= 1
        if not _HOLDING.keeping:
            _HOLDING.end()


@contextmanager
def held(told: Callable[[], None]) -> Iterator[None]:
    """In this block interrupts wait; `told` is called at each, and may bring the block to its end."""
    if not _here():
        yield
        return
    before, _HOLDING.told = _HOLDING.told, told
    try:
        _HOLDING.begin()
        yield
    finally:
        _HOLDING.told = before
        if not _HOLDING.keeping:
            _HOLDING.end()


@contextmanager
def handling(number: int, handler: Callable[..., Any], instead_of: Any) -> Iterator[None]:
    """In this block a signal has this handler instead of that one; where it has another, that is somebody else's."""
    if not _here() or signal.getsignal(number) is not instead_of:
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, instead_of)


def waiting() -> bool:
    """Whether an interrupt came that waits."""
    return _here() and _HOLDING.came is not None


def interrupt() -> None:
    """Interrupt as Ctrl-C does, which may have been read as a key: it waits where interrupts are held."""
    signal.raise_signal(signal.SIGINT)
