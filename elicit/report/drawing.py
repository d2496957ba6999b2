"""Drawings as SVG: the front with its spread, the path of the session, bars, curves. Sizes are those of a phone.

The rule: colours are classes of the style sheet, so that light, dark and print each have their own; those of light
are attributes, too, for who draws without a style sheet. Every drawing has a title that says what it shows, and the
same figures stand in a table beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from elicit.printable import numbers_apart, shortened, told_apart
from elicit.report.markup import Child, Html, element

WIDTH, HEIGHT = 400, 260
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 34

#: Columns of a name beside a bar, and where it ends; the table below the drawing holds it whole.
LONGEST_LABEL, NAMES_END = 20, 165

#: Round values on an axis, and the least span that has any.
MOST_TICKS, LEAST_SPAN = 5, 1e-300

#: The attributes of a shape of each class, in the light colours of the style sheet, which overrides them.
LOOKS: Mapping[str, Mapping[str, str]] = {
    "tick": {"fill": "#1b1f24", "font-size": "11px"},
    "axis": {"fill": "#57606a", "font-size": "11px"},
    "end": {"text-anchor": "end"},
    "name": {"text-anchor": "end"},
    "middle": {"text-anchor": "middle"},
    "grid": {"stroke": "#d0d7de", "stroke-width": ".7"},
    "dot": {"fill": "#8c959f"},
    "beyond": {"fill": "none", "stroke": "#8c959f"},
    "front": {"fill": "#0b5cad"},
    "recommended": {"fill": "#b3261e"},
    "ring": {"fill": "none", "stroke": "none"},
    "spread": {"stroke": "#1b1f24", "stroke-width": "1", "opacity": ".65"},
    "line": {"fill": "none", "stroke": "#0b5cad", "stroke-width": "1.6"},
    "asked": {"stroke": "#b3261e", "stroke-width": ".8", "stroke-dasharray": "2 3", "opacity": ".7"},
    "bar": {"fill": "#0b5cad"},
    "below": {"fill": "#b3261e"},
}

Scale = Callable[[float], float]


def scale(values: Sequence[float], start: float, end: float) -> tuple[Scale, list[float]]:
    """A linear scale that holds the values between start and end, and round values for its axis."""
    low, high = min(values), max(values)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), LEAST_SPAN):
        pad = max(0.5, 1e-6 * abs(high))  # half of one would be lost in the rounding of a very large number
        low, high = low - pad, high + pad
    ticks = _round_values(low, high, whole=all(value == int(value) for value in values))
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def at(value: float) -> float:
        return start + (value - low) / (high - low) * (end - start)

    return at, ticks


def _round_values(low: float, high: float, *, whole: bool) -> list[float]:
    """At most `MOST_TICKS` round values, and one more; whole ones where the values are whole."""
    step = 10.0 ** math.floor(math.log10((high - low) / MOST_TICKS))
    step *= next((k for k in (1, 2, 2.5, 5) if (high - low) / (step * k) <= MOST_TICKS), 10)
    step = max(1, math.ceil(step)) if whole else step
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)] or [low, high]


def shape(name: str, *children: Child, class_: str, **attributes: str | float) -> Html:
    """An element of a drawing, with the light colours of its classes as attributes."""
    looks: dict[str, str] = {}
    for each in class_.split():
        looks |= LOOKS[each]
    return element(name, *children, **attributes, class_=class_, **looks)


def axes(x: Scale, y: Scale, x_ticks: Sequence[float], y_ticks: Sequence[float], x_name: str, y_name: str) -> Html:
    """Grid lines, tick labels and the names of both axes."""
    parts = []
    for tick, told in zip(y_ticks, numbers_apart(y_ticks, 6), strict=True):
        parts.append(shape("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(tick), y2=y(tick), class_="grid"))
        parts.append(shape("text", told, x=LEFT - 5, y=y(tick) + 4, class_="tick end"))
    for tick, told in zip(x_ticks, numbers_apart(x_ticks, 6), strict=True):
        parts.append(shape("text", told, x=x(tick), y=HEIGHT - BOTTOM + 15, class_="tick middle"))
    parts.append(shape("text", shortened(x_name), x=(LEFT + WIDTH - RIGHT) / 2, y=HEIGHT - 3, class_="axis middle"))
    parts.append(shape("text", shortened(y_name), x=3, y=TOP - 4, class_="axis"))
    return element("g", parts, aria_hidden="true")


def figure(title: str, *children: Html, height: int = HEIGHT, label: str | None = None) -> Html:
    """An SVG that tells its title to whoever cannot see it."""
    return element(
        "svg",
        element("title", title),
        *children,
        viewbox=f"0 0 {WIDTH} {height}",
        overflow="visible",  # a long number beside an axis goes beyond its edge
        role="img" if label is None else "group",
        aria_label=title if label is None else label,
    )


def bars(title: str, rows: Sequence[tuple[str, float, float | None]], unit: str) -> Html:
    """Horizontal bars with an optional spread, one a row, from zero."""
    row = 22
    height = row * len(rows) + 26
    ends = [v + (s or 0.0) for _, v, s in rows] + [v - (s or 0.0) for _, v, s in rows] + [0.0]
    x, ticks = scale(ends, NAMES_END, WIDTH - RIGHT)
    parts = [shape("line", x1=x(t), x2=x(t), y1=4, y2=height - 22, class_="grid") for t in ticks]
    for t, told in zip(ticks, numbers_apart(ticks, 6), strict=True):
        parts.append(shape("text", told, x=x(t), y=height - 9, class_="tick middle"))
    names = told_apart([name for name, _, _ in rows], LONGEST_LABEL)
    for k, (name, (_, value, spread)) in enumerate(zip(names, rows, strict=True)):
        y, (left, right) = 6 + row * k, sorted((x(0.0), x(value)))
        parts.append(shape("text", name, x=NAMES_END - 6, y=y + 12, class_="tick name"))
        kind = "bar" if value >= 0 else "bar below"
        parts.append(shape("rect", x=left, y=y, width=max(right - left, 1.0), height=row - 8, class_=kind))
        if spread:
            middle = y + (row - 8) / 2
            parts.append(
                shape("line", x1=x(value - spread), x2=x(value + spread), y1=middle, y2=middle, class_="spread")
            )
    return figure(f"{title} ({unit})", *parts, height=height)


def curve(title: str, at: Sequence[float], values: Sequence[float], x_name: str, y_name: str) -> Html:
    """One line."""
    x, x_ticks = scale(at, LEFT, WIDTH - RIGHT)
    y, y_ticks = scale([*values, 0.0], HEIGHT - BOTTOM, TOP + 6)
    points = " ".join(f"{x(a):.1f},{y(v):.1f}" for a, v in zip(at, values, strict=True))
    return figure(title, axes(x, y, x_ticks, y_ticks, x_name, y_name), shape("polyline", points=points, class_="line"))


def path_of_session(
    title: str, scores: Sequence[float], best: Sequence[float], asked: Sequence[int], name: str
) -> Html:
    """Each measurement's first criterion, the best so far, and when questions were answered."""
    end = max(2.0, float(len(scores)), *(after + 0.5 for after in asked))  # some are asked after the last measurement
    x, x_ticks = scale([1.0, end], LEFT, WIDTH - RIGHT)
    y, y_ticks = scale(scores, HEIGHT - BOTTOM, TOP + 6)
    parts = [axes(x, y, [t for t in x_ticks if t == int(t)], y_ticks, "measurements", name)]
    for after in asked:
        parts.append(shape("line", x1=x(after + 0.5), x2=x(after + 0.5), y1=TOP, y2=HEIGHT - BOTTOM, class_="asked"))
    # a step at each measurement: before it, nobody knew of a better one
    before = [best[0], *best[:-1]]
    steps = [f"{x(k):.1f},{y(v):.1f}" for k, two in enumerate(zip(before, best, strict=True), start=1) for v in two]
    parts.append(shape("polyline", points=" ".join(steps), class_="line"))
    parts += [shape("circle", cx=x(k), cy=y(v), r=2.2, class_="dot") for k, v in enumerate(scores, start=1)]
    return figure(title, *parts)
