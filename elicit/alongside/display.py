"""Display: the progress of a long run, as a bar on a terminal and as plain lines elsewhere; and what failed in it."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Self, TextIO

from elicit.alongside.progress import Progress
from elicit.printable import bar, fitted, many, printable, rounded

#: A plain line is written once either has passed since the last one; the bar is redrawn more often.
_SECONDS_BETWEEN_FRAMES = 0.1
_SHARE_BETWEEN_LINES, _SECONDS_BETWEEN_LINES = 0.1, 15.0

#: No plain line is written before so many seconds: work that is done by then needs none.
_SECONDS_OF_SILENCE = 2.0

_BAR_WIDTH = 24

#: Told of long work: the share that is done, and what is being done. `Meter.update` is one.
Update = Callable[[float, str], None]


def write_aside(out: TextIO | None, text: str) -> None:
    """Write at once what is said beside the work, which goes on where that cannot be written.

    To a full disk, say, to a pipe that nobody reads any more, to a stream that is closed, or where there is none
    (None), as behind pythonw.
    """
    if out is not None:
        with suppress(OSError, ValueError):  # the latter where it is closed
            out.write(text)
            out.flush()


def _is_terminal(out: TextIO | None) -> bool:
    with suppress(ValueError):  # where it is closed
        return out is not None and out.isatty()
    return False


class Meter:
    """A progress meter. `update` is cheap enough to be called after every step.

    The bar is removed when the `with` block ends, however it ends.

    asked_for: the user asked for progress, so that even short work is reported.
    """

    def __init__(self, out: TextIO | None, *, asked_for: bool = False) -> None:
        self._out = out
        self._terminal = _is_terminal(out)
        self._start = time.monotonic()
        self._quiet = 0.0 if asked_for else _SECONDS_OF_SILENCE
        self._shown_at = -1.0 if self._terminal else self._start
        self._shown_share = 0.0
        self._dirty = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def update(self, share: float, text: str, before: float = 0.0) -> None:
        """Show that this share of the work is done, and a text; `before`: the share that an earlier sitting did."""
        share = min(max(share, 0.0), 1.0)
        now = time.monotonic()
        if self._terminal:
            if now - self._shown_at >= _SECONDS_BETWEEN_FRAMES or share == 1.0:
                self._shown_at = now
                self._draw(share, text, before)
        elif self._worth_a_line(share, now):
            self._shown_share, self._shown_at = share, now
            write_aside(self._out, f"{text}, {self._time_left(share, before)}\n")

    def _worth_a_line(self, share: float, now: float) -> bool:
        """Whether enough was done, or enough time has passed, since the last line; never for work that is soon over."""
        if now - self._start < self._quiet:
            return False
        done = share - self._shown_share >= _SHARE_BETWEEN_LINES - 1e-9 or (share == 1.0 and self._shown_share < 1.0)
        return done or (share > self._shown_share and now - self._shown_at >= _SECONDS_BETWEEN_LINES)

    def clear(self) -> None:
        """Remove the bar, so that something else can be written."""
        if self._dirty:
            write_aside(self._out, "\r\x1b[K")
            self._dirty = False

    def _draw(self, share: float, text: str, before: float) -> None:
        line = f"{bar(share, _BAR_WIDTH)} {text}, {self._time_left(share, before)}"
        columns = shutil.get_terminal_size().columns - 1  # a full last column would wrap
        write_aside(self._out, f"\r{fitted(line, columns)}\x1b[K")
        self._dirty = True

    def _time_left(self, share: float, before: float) -> str:
        if share <= before and share < 1.0:
            return "time left unknown"
        seconds = (time.monotonic() - self._start) * (1 - share) / (share - before) if share < 1.0 else 0.0
        return f"{clock_time(seconds)} left"


def clock_time(seconds: float) -> str:
    """Seconds as h:mm:ss, or m:ss."""
    whole = round(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"


def run_status(progress: Progress) -> str:
    """Where a run stands, in words."""
    best = criteria_in_words(progress.criteria) if progress.criteria else "nothing"
    return (
        f"evaluated {progress.evaluations} of {progress.budget}, "
        f"questions {progress.questions} of {progress.most_questions}, best so far {best}"
    )


def activity(progress: Progress) -> str:
    """What is being done between two questions, or after the last one."""
    done = f"evaluated {progress.evaluations} of {progress.budget}"
    if progress.evaluations >= progress.budget:  # a question may still come, and need not
        return f"{done}, working out what your answers decide"
    if progress.questions >= progress.most_questions:
        return f"{done}, all questions are answered"
    return f"{done}, until there is something to ask"


def criteria_in_words(criteria: Mapping[str, float]) -> str:
    """Criteria by name in one line."""
    return ", ".join(f"{printable(name)} {rounded(value)}" for name, value in criteria.items())


def failure_lines(failures: Iterable[Mapping[str, int]]) -> list[str]:
    """One line for each reason why subsets could not be measured, over one run or many."""
    times: Counter[str] = Counter()
    for counted in failures:
        times.update(counted)
    return [f"not measured, {many(count, 'time')}: {printable(reason)}" for reason, count in sorted(times.items())]
