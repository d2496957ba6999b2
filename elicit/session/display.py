"""Display: how a long run shows that it goes on: a bar on a terminal, plain lines elsewhere; and what failed in it."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Self, TextIO

from elicit.printable import many, printable
from elicit.session.progress import Progress

#: Seconds between two pictures of the bar; the share of the work between two plain lines, or the seconds.
_A_PICTURE = 0.1
_A_LINE, _A_WHILE = 0.1, 15.0

#: Seconds before the first plain line: what is over by then needs none.
_SOON_OVER = 2.0

_WIDTH = 24


class Meter:
    """Shows how much of the work is done. `update` is cheap enough to be called after every step.

    The bar is taken away when the `with` block ends, however it ends.

    asked_for: tell of work that is soon over, too, to who asked to be told.
    """

    def __init__(self, out: TextIO, *, terminal: bool | None = None, asked_for: bool = False) -> None:
        self._out = out
        self._terminal = out.isatty() if terminal is None else terminal
        self._start = time.monotonic()
        self._quiet = 0.0 if asked_for else _SOON_OVER
        self._shown_at = -1.0 if self._terminal else self._start
        self._shown_share = 0.0
        self._dirty = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def update(self, share: float, text: str) -> None:
        """`share` of the work is done; `text` says more."""
        share = min(max(share, 0.0), 1.0)
        now = time.monotonic()
        if self._terminal:
            if now - self._shown_at >= _A_PICTURE or share == 1.0:
                self._shown_at = now
                self._draw(share, text)
        elif self._worth_a_line(share, now):
            self._shown_share, self._shown_at = share, now
            self._out.write(f"{text}, {self._left(share)}\n")
            self._out.flush()

    def _worth_a_line(self, share: float, now: float) -> bool:
        """Whether much was done since the last line, or nothing was said for a while; work soon over goes untold."""
        if now - self._start < self._quiet:
            return False
        done = share - self._shown_share >= _A_LINE - 1e-9 or (share == 1.0 and self._shown_share < 1.0)
        return done or (share > self._shown_share and now - self._shown_at >= _A_WHILE)

    def clear(self) -> None:
        """Take the bar away, so that something else can be written."""
        if self._dirty:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._dirty = False

    def _draw(self, share: float, text: str) -> None:
        filled = round(share * _WIDTH)
        line = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {text}, {self._left(share)}"
        width = shutil.get_terminal_size().columns - 1  # a full last column would wrap
        self._out.write(f"\r{line[:width]}\x1b[K")
        self._out.flush()
        self._dirty = True

    def _left(self, share: float) -> str:
        if share == 0.0:
            return "time left unknown"
        seconds = (time.monotonic() - self._start) * (1 - share) / share
        return f"{clock_time(seconds)} left"


def clock_time(seconds: float) -> str:
    """Seconds as h:mm:ss, or m:ss."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def standing(progress: Progress) -> str:
    """Where a run stands, in words."""
    best = criteria_told(progress.criteria) if progress.criteria else "nothing"
    return (
        f"evaluated {progress.evaluations} of {progress.budget}, "
        f"questions {progress.questions} of {progress.most_questions}, best so far {best}"
    )


def measuring(progress: Progress) -> str:
    """What is being done between two questions, or after the last one."""
    done = f"evaluated {progress.evaluations} of {progress.budget}"
    if progress.evaluations >= progress.budget:  # a question may still come, and need not
        return f"{done}, working out what your answers decide"
    if progress.questions >= progress.most_questions:
        return f"{done}, all questions are answered"
    return f"{done}, until there is something to ask"


def criteria_told(criteria: Mapping[str, float], digits: int = 4) -> str:
    """Criteria by name in one line."""
    return ", ".join(f"{printable(name)} {value:.{digits}g}" for name, value in criteria.items())


def not_measured(failures: Iterable[Mapping[str, int]]) -> list[str]:
    """One line for each reason why subsets could not be measured, over one run or many."""
    times: Counter[str] = Counter()
    for counted in failures:
        times.update(counted)
    return [f"not measured, {many(count, 'time')}: {printable(reason)}" for reason, count in sorted(times.items())]
