"""The front: what no measured subset dominates, with its spread, to point at and to compare two by two.

The rule: the drawing can be used with a pointer or a keyboard, and the table below it says the same without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elicit.operators.picture import heading
from elicit.printable import many, rounded
from elicit.report.content import Content, Measurement
from elicit.report.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scale, axes, figure, scale, shape
from elicit.report.markup import Child, Html, element
from elicit.report.pieces import boxed, names_of, values_of

#: With more criteria than this the names stand before the numbers: after them they would be beyond the edge.
MOST_BEFORE_NAMES = 3

#: How far a mark of each kind reaches from its middle.
_RADIUS = {"recommended": 7.5, "front": 4.2, "dot": 2.6, "beyond": 2.6}


def front_section(content: Content) -> Iterator[Html]:
    """The drawing, the panels that the script fills, and the table."""
    vertical, second = content.criteria[0], content.criteria[1] if len(content.criteria) > 1 else None
    against = second.name if second else "attributes"
    title = f"{vertical.name} against {against} of the {many(len(content.measured), 'measured subset')}"
    count = len(content.criteria)
    seeming = f" It is drawn by two of the {count} criteria: by a third, what seems to lie below it may be in it."
    doubt = "" if content.recommended.in_front else _why_below(content)
    yield element(
        "p",
        "Nobody who agrees with the criteria would choose a measured subset below the front. Which one of the front "
        f"is best, only your answers say.{doubt}{seeming if count > 2 else ''}",
    )
    window = _Window.of(content)
    yield element(
        "figure",
        _drawing(content, window, title, heading(second) if second else "attributes"),
        element("figcaption", _caption(sum(map(window.beyond, content.measured)))),
    )
    yield element("p", "Point at a subset to read it.", class_="soft script-only")
    yield element("div", "", id="told", class_="told script-only", aria_live="polite", role="status")
    yield element("div", "", id="compared", class_="script-only scroll", aria_live="polite")
    yield _table(content)


def _why_below(content: Content) -> str:
    """Why one below the front is recommended: dominance must hold beyond noise, or what is above may not be chosen."""
    outside = any(m.subset not in content.family for m in content.measured)
    but = "what may not be chosen, or for noise" if outside else "noise"
    leads = "leads by no more than folds leave to chance" + (", or was measured by an earlier run" if outside else "")
    return f" But for {but}: what lies above the recommended one {leads}."


Ends = tuple[float, float]


@dataclass(frozen=True)
class _Window:
    """What is drawn of all that was measured: the front and what is near it. What lies beyond is drawn at the edge."""

    across: Ends
    upwards: Ends

    @classmethod
    def of(cls, content: Content) -> _Window:
        every = content.measured
        inner = [m for m in every if m.in_front or m.place == content.best]
        ends = [m.values[0] + sign * (m.spread[0] or 0.0) for m in inner for sign in (-1, 1)]
        return cls(_near([_x(m) for m in inner], [_x(m) for m in every]), _near(ends, [m.values[0] for m in every]))

    def place(self, m: Measurement) -> tuple[float, float]:
        """Where a subset is drawn."""
        return _within(_x(m), self.across), _within(m.values[0], self.upwards)

    def beyond(self, m: Measurement) -> bool:
        """Whether it is drawn elsewhere than where it lies."""
        return self.place(m) != (_x(m), m.values[0])


def _x(measurement: Measurement) -> float:
    return measurement.values[1] if len(measurement.values) > 1 else float(len(measurement.names))


def _near(inner: Sequence[float], every: Sequence[float]) -> Ends:
    """From the least to the greatest of all, but no further from the inner ones than half the width of these."""
    low, high = min(inner), max(inner)
    if low == high:
        return min(every), max(every)
    more = (high - low) / 2
    if all(value == int(value) for value in every):
        more = math.ceil(more)
    return min(low, max(low - more, min(every))), max(high, min(high + more, max(every)))


def _within(value: float, ends: Ends) -> float:
    return min(max(value, ends[0]), ends[1])


def _caption(beyond: int) -> list[Child]:
    """What the marks mean; `beyond`: how many subsets are drawn at the edge."""
    kinds = {
        "recommended": "recommended; ",
        "front": "front, with the standard deviation over folds where there is one; ",
        "dot": "below the front",
    }
    parts: list[Child] = []
    for kind, told in kinds.items():
        parts += [element("span", "", class_=f"key {kind}", aria_hidden="true"), told]
    if beyond:
        mark = element("span", "", class_="key beyond", aria_hidden="true")
        parts += ["; ", mark, f"further away, drawn at the edge ({beyond})"]
    return [*parts, "."]


def _drawing(content: Content, window: _Window, title: str, horizontal: str) -> Html:
    x, x_ticks = scale(window.across, LEFT + 8, WIDTH - RIGHT - 8)
    y, y_ticks = scale(window.upwards, HEIGHT - BOTTOM, TOP + 6)
    # the front last, so that nothing lies over it
    order = sorted(content.measured, key=lambda m: (m.place == content.best, m.in_front))
    return figure(
        title,
        axes(x, y, x_ticks, y_ticks, horizontal, heading(content.criteria[0])),
        *(_point(content, m, window, x, y) for m in order),
        label=f"{title}; the table below lists the front",
    )


def _point(content: Content, m: Measurement, window: _Window, x: Scale, y: Scale) -> Html:
    best = m.place == content.best
    across, upwards = window.place(m)
    across, down, spread = x(across), y(upwards), m.spread[0]
    kind = "beyond" if window.beyond(m) else "recommended" if best else "front" if m.in_front else "dot"
    told = "; ".join(f"{c.name} {rounded(value)}" for c, value in zip(content.criteria, m.values, strict=True))
    bar = None
    if m.in_front and spread:
        bar = shape(
            "line", x1=across, x2=across, y1=y(m.values[0] - spread), y2=y(m.values[0] + spread), class_="spread"
        )
    return element(
        "g",
        bar,
        _mark(kind, across, down),
        shape("circle", cx=across, cy=down, r=_RADIUS[kind] + 3, class_="ring", pointer_events="all"),
        class_="point",
        role="button",
        tabindex=0 if m.in_front else -1,
        aria_pressed="false",
        aria_label=f"{'recommended: ' if best else ''}{names_of(m)}; {told}",
        data_place=str(m.place),
    )


def _mark(kind: str, x: float, y: float) -> Html:
    """The mark of a subset: kinds differ in shape or size, since colour never carries meaning alone."""
    r = _RADIUS[kind]
    if kind != "recommended":
        return shape("circle", cx=x, cy=y, r=r, class_=kind)
    corners = ((x - r, y), (x, y - r), (x + r, y), (x, y + r))
    return shape("polyline", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), class_=kind)


def _table(content: Content) -> Html:
    """The front as a table, the best first criterion at the top; buttons select as the drawing does."""
    sign = -1 if content.criteria[0].maximise else 1
    front = sorted((m for m in content.measured if m.in_front), key=lambda m: sign * m.values[0])
    head = [element("th", heading(c), scope="col", class_="number") for c in content.criteria]
    columns = [values_of(front, k) for k in range(len(content.criteria))]
    rows = []
    for m, told in zip(front, zip(*columns, strict=True), strict=True):
        values = [element("td", value, class_="number") for value in told]
        best = m.place == content.best
        button = element(
            "button",
            "compare",
            type="button",
            data_place=str(m.place),
            aria_pressed="false",
            aria_label=f"compare {names_of(m)}",
        )
        name = element("td", ("recommended: " if best else "") + names_of(m), class_="subset")
        cells = element("td", button, class_="script-only"), *_ordered(values, name)
        rows.append(element("tr", *cells, class_="best" if best else None))
    heads = element("th", "", class_="script-only"), *_ordered(head, element("th", "subset", scope="col"))
    caption = f"The front: {len(front)} of {many(len(content.measured), 'measured subset')}"
    return boxed(element("tr", *heads), rows, caption, "The front", "broad" if len(head) > MOST_BEFORE_NAMES else None)


def _ordered(numbers: Sequence[Html], name: Html) -> Sequence[Html]:
    """The cells of a row: names come last, but where there are many numbers."""
    return [name, *numbers] if len(numbers) > MOST_BEFORE_NAMES else [*numbers, name]
