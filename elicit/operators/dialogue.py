"""The dialogue about one open question: what is on the screen, and what each key does.

The rule: no terminal here, see `page`. A key is an answer only while the question is shown; a panel that hides the
question takes no answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elicit.asks import Compare, Enough, Reconcile, Settlement, TakeBack
from elicit.events import Answer, Criterion
from elicit.operators.desk import Desk, Given
from elicit.operators.page import HELP, REPAIR_HELP, SCROLLS, Job, Leave, Reply, named_key, scrolled_by
from elicit.operators.picture import Line, comparison, flowing, front, front_table, letters, scrolled, text_lines
from elicit.operators.repair import WAITING, RepairPage, answer_in_words, answer_lines
from elicit.printable import fitted, padded, printable
from elicit.subsets import Attributes

#: The keys of a question that are answers.
ANSWERS = {
    "a": Answer.FIRST,
    "b": Answer.SECOND,
    "e": Answer.EQUAL,
    "=": Answer.EQUAL,
    "c": Answer.INCOMPARABLE,
    "l": Answer.LATER,
}

_ANSWER_KEYS = ("[A] A is better", "[B] B is better", "[E] equal", "[C] cannot compare", "[L] ask later")
_REPAIR_KEYS = ("[Up] [Down] choose", "[T] take it back", "[K] keep all, weigh them")
_OTHER_KEYS = ("[W] why", "[U] undo", "[F] front", "[S] best", "[D] done", "[H] help", "[Q] save and leave")

#: The keys that look something up, for which a desk is needed.
_LOOKED_UP = ("w", "u", "f", "s")

#: The title of the panel that is drawn.
_FRONT = "The front"

#: What it means to end now: in any run, and in a session, which has a desk.
_END = "Nothing more is asked, and no other subset is tried: the best so far is the result."
_SESSION_END = (
    "It is then scored on fresh folds, and it is said what is proven of it. The session is kept: `elicit resume` "
    "may still go on with it later."
)

#: With fewer rows for the two subsets, what surrounds them is told shorter.
_LEAST_ROWS = 12


@dataclass
class _Panel:
    """Something shown instead of the question: lines, or items to choose from; `chosen` is the place of one."""

    title: str
    lines: list[str]
    keys: tuple[str, ...] = ("[Esc] back to the question",)
    items: Sequence[Given] = ()
    chosen: int = 0
    take_back: int | None = None
    ends: bool = False


class Dialogue:
    """One open request and the operator before it.

    desk: what may be looked up; without one the keys that look something up mean nothing.
    number: of the question, where no desk counts them.
    """

    def __init__(
        self,
        request: Compare | Reconcile,
        attributes: Attributes,
        criteria: Sequence[Criterion],
        desk: Desk | None,
        title: str = "elicit",
        note: str = "",
        number: int = 1,
    ) -> None:
        self._request, self._attributes, self._criteria = request, attributes, tuple(criteria)
        self._desk, self._title = desk, title
        self._number = number
        self._panel: _Panel | None = None
        self._scroll, self._leaf = 0, 1
        self._follow = False  # the screen goes where the choice went
        self._note = note
        self.job: Job | None = None
        self._then: Callable[[list[str]], None] = lambda _: None
        self._repair: RepairPage | None = None
        if isinstance(request, Reconcile):
            self._repair = RepairPage(request, attributes, self._criteria, desk)
        self._look_into_next()

    # -- keys ---------------------------------------------------------------------------------------

    def press(self, key: str) -> Reply | None:
        """What a key does; the reply when it was one. Leaving raises Leave, an interrupt KeyboardInterrupt."""
        self._note = ""
        if key == "c-c":
            raise KeyboardInterrupt
        if key in ("q", "c-d") and (self._panel is None or key == "c-d"):
            raise Leave("you left")
        if key in ("pageup", "pagedown"):
            self._scroll = scrolled_by(key, self._scroll, self._leaf)
        elif self._panel is not None:
            return self._press_in_panel(self._panel, key)
        elif self._repair is not None:
            return self._press_in_repair(self._repair, key)
        elif key in ANSWERS:
            return ANSWERS[key]
        elif key in SCROLLS:
            self._scroll = scrolled_by(key, self._scroll, self._leaf)
        else:
            self._open(key)
        return None

    def _press_in_repair(self, repair: RepairPage, key: str) -> Reply | None:
        if key == "k":
            return Settlement(None)
        if key == "t":  # an answer is never taken back by the key that only goes on
            return Settlement(repair.chosen)
        if repair.choose(key):
            self._follow |= key in SCROLLS
        else:
            self._open(key)
        return None

    def _open(self, key: str) -> None:
        """Open the panel that a key stands for."""
        before = self._panel
        if key in ("h", "?"):
            self._panel = _Panel("Help", self._help())
        elif key == "d":
            self._open_end()
        elif self._desk is not None and key in self._lookable():
            self._open_from(self._desk, key)
        elif len(key) == 1 or key == "enter":
            self._note = f"'{named_key(key)}' means nothing here; [H] lists the keys."
        if self._panel is not before:
            self._scroll = 0

    def _open_from(self, desk: Desk, key: str) -> None:
        """Open what is looked up at the desk."""
        if key == "w":
            request = self._request
            assert isinstance(request, Compare)
            self._look_up("Why this question", lambda: desk.why(request))
        elif key == "f":
            self._panel = _Panel(_FRONT, [])
        elif key == "s":
            self._look_up("Best so far, and how sure", desk.best)
        elif given := desk.answers()[::-1]:
            keys = ("[Up] [Down] choose", "[Enter] see what changes", "[Esc] back to the question")
            self._panel = _Panel("Undo: which answer?", [], keys, given)
        else:
            self._note = "There is no answer to take back yet."

    def _open_end(self) -> None:
        """Show what the run would end with; it ends by a second key alone, from this panel."""
        desk = self._desk
        self._look_up("End here?", lambda: [_END] if desk is None else [*desk.best(), "", _END, "", _SESSION_END])
        assert self._panel is not None
        self._panel.ends = True
        self._panel.keys = ("[D] end here", "[Esc] back to the question")

    def _lookable(self) -> tuple[str, ...]:
        """The keys that look something up: where answers contradict each other no question is to be explained."""
        if self._desk is None:
            return ()
        return _LOOKED_UP if isinstance(self._request, Compare) else _LOOKED_UP[1:]

    def _help(self) -> list[str]:
        """What every key does that does something here."""
        words = REPAIR_HELP if isinstance(self._request, Reconcile) else HELP
        if self._desk is not None:
            return [*words]
        absent = (*(f"{key.upper()}  " for key in _LOOKED_UP), "The bottom line")
        return [line for line in words if not line.startswith(absent)]

    def _press_in_panel(self, panel: _Panel, key: str) -> Reply | None:
        if key in ("escape", "backspace", "q") or (key == "enter" and not panel.items):
            self._panel, self._scroll, self.job = None, 0, None
            self._look_into_next()  # what was being worked out when the panel was opened
        elif panel.items and key in ("up", "down", "enter"):
            self._press_in_list(panel, key)
        elif key in SCROLLS:
            self._scroll = scrolled_by(key, self._scroll, self._leaf)
        elif key == "t" and panel.take_back is not None:
            if self.job is None:
                return TakeBack(panel.take_back)
            self._note = "[T] takes it back once you see what that changes."
        elif key == "d" and panel.ends:
            return Enough()
        elif key in ("h", "?", "d", *self._lookable()):
            self._panel, self._scroll = None, 0
            self._open(key)
        return None

    def _press_in_list(self, panel: _Panel, key: str) -> None:
        if key != "enter":
            panel.chosen, self._follow = (panel.chosen + (1 if key == "down" else -1)) % len(panel.items), True
            return
        given = panel.items[panel.chosen]
        desk = self._desk
        assert desk is not None, "without a desk no answers are listed"
        answer = answer_in_words(given, self._attributes, self._criteria)
        more = "The pair may be asked about again, when it matters."
        title = f"Undo the answer to question {given.number}?"
        self._look_up(title, lambda: [*answer, "", *desk.without(given.request), "", more])
        assert self._panel is not None
        self._panel.take_back = given.request
        self._panel.keys = ("[T] take it back", "[Esc] leave it as it is")

    # -- what takes a while ---------------------------------------------------------------------------

    def _look_up(self, title: str, job: Job) -> None:
        panel = _Panel(title, [f" {WAITING}"])
        self._panel, self._scroll = panel, 0

        def then(lines: list[str]) -> None:
            panel.lines = lines
            self._note = ""  # it spoke of the wait

        self.job, self._then = job, then

    def _look_into_next(self) -> None:
        """In a repair: what the next retraction, not looked into yet, would change."""
        desk, repair = self._desk, self._repair
        if desk is None or repair is None or (id := repair.unexplained) is None:
            return

        def then(lines: list[str]) -> None:
            repair.explain(id, lines)
            self._look_into_next()

        self.job, self._then = (lambda: desk.without(id)), then

    def finish(self, job: Job, lines: list[str]) -> None:
        """Take the lines of a job; those of a job that is no longer wanted go nowhere."""
        if job is self.job:
            self.job = None
            self._then(lines)

    # -- pages ----------------------------------------------------------------------------------------

    def page(self, columns: int, rows: int) -> list[Line]:
        """The whole screen: title, what is shown, keys, and the bottom line."""
        foot = self._foot(columns, rows)
        room = max(rows - 1 - len(foot), 1)
        self._leaf = max(room - 1, 1)
        body = self._body(columns, room)
        if self._follow:
            chosen = next((k for k, line in enumerate(body) if line and line[0][1].startswith(" >")), 0)
            self._scroll, self._follow = min(max(self._scroll, chosen - max(room - 6, 0)), chosen), False
        shown, self._scroll = scrolled(body, self._scroll, room, columns)
        return [[("title", padded(self._heading(), columns))], *shown, *foot][:rows]

    def _heading(self) -> str:
        if self._panel is not None:
            what = self._panel.title
        elif isinstance(self._request, Reconcile):
            what = "A contradiction"
        else:
            number = self._number if self._desk is None else self._desk.number(self._request.id)
            what = f"Question {number}"
        return f" {printable(self._title)}  {what}"

    def _foot(self, columns: int, rows: int) -> list[Line]:
        """The keys and the bottom line; the keys give way when there is no room for both."""
        others = tuple(key for key in _OTHER_KEYS if key[1].lower() in ("d", "h", "q", *self._lookable()))
        if self._panel is not None:
            groups: tuple[tuple[str, ...], ...] = (self._panel.keys,)
        else:
            groups = (_REPAIR_KEYS if isinstance(self._request, Reconcile) else _ANSWER_KEYS, others)
        keys = [text for group in groups for text in flowing(group, columns)]
        asks = self._panel is None and isinstance(self._request, Compare)
        if len(keys) > max(rows - (_LEAST_ROWS if asks else 8), 1):
            short = " [A] [B] [E] [C] [L] answer  [H] help" if asks else " [H] help: every key"
            # no help tells the keys of a panel; the first of them is what it is there for
            keys = [fitted(short if self._panel is None else f" {'  '.join(self._panel.keys)}", columns)]
        if self._note:
            keys = [fitted(f" {self._note}", columns), *keys]
        status = "" if self._desk is None else f" {self._desk.status().words(columns - 1)}"
        return [*([("", text)] for text in keys), [("title", padded(status, columns))]]

    def _body(self, columns: int, room: int) -> list[Line]:
        panel = self._panel
        if panel is None:
            return self._question(columns, room) if self._repair is None else self._repair.page(columns)
        if panel.title == _FRONT:
            return self._front(columns, room)
        if panel.items:
            return [[], *answer_lines(panel.items, panel.chosen, self._attributes, self._criteria, columns)]
        return [[], *(line for text in panel.lines for line in text_lines(text, columns))]

    def _question(self, columns: int, room: int) -> list[Line]:
        request = self._request
        assert isinstance(request, Compare)
        pair = request.first, request.second
        compared = comparison(*pair, self._attributes, self._criteria, columns, request.noisy)
        if room < _LEAST_ROWS:
            return compared
        why = f"Why now: {request.why}." if request.why else ""
        intro = text_lines(f"Which of these two subsets is better for you? {why}", columns)
        return [[], *intro, [], *compared]

    def _front(self, columns: int, room: int) -> list[Line]:
        assert self._desk is not None, "without a desk there is no front"
        points, marks = self._desk.front(), letters(self._request)
        drawn = front(points, self._criteria, columns, max(min(room - 4, 12), 6), marks)
        listed = front_table(points, self._attributes, self._criteria, columns, marks)
        return [[], *drawn, [], *listed]
