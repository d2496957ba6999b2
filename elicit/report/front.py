"""The front: what no measured subset dominates, with its spread, to point at and to compare two by two.

The rule: the drawing can be used with a pointer or a keyboard, and the table below it says the same without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from elicit.operators.picture import heading
from elicit.printable import many, rounded
from elicit.report.content import Content, Measurement
from elicit.report.drawing import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Scale, axes, figure, scale, shape
from elicit.report.markup import Html, element
from elicit.report.pieces import boxed, names_of, values_of


def front_section(content: Content) -> Iterator[Html]:
    """The drawing, the panels that the script fills, and the table."""
    vertical, second = content.criteria[0], content.criteria[1] if len(content.criteria) > 1 else None
    against = second.name if second else "attributes"
    title = f"{vertical.name} against {against} of the {many(len(content.measured), 'measured subset')}"
    count = len(content.criteria)
    seeming = f" It is drawn by two of the {count} criteria: by a third, what seems to lie below it may be in it."
    # below it a run recommends only where dominance must hold beyond noise
    doubt = " But for noise: what lies above the recommended one leads by no more than folds leave to chance."
    yield element(
        "p",
        "Nobody who agrees with the criteria would choose a measured subset below the front. Which one of the front "
        f"is best, only your answers say.{'' if content.recommended.in_front else doubt}{seeming if count > 2 else ''}",
    )
    yield element(
        "figure",
        _drawing(content, title, heading(second) if second else "attributes"),
        element(
            "figcaption",
            element("span", "", class_="key recommended", aria_hidden="true"),
            "recommended; ",
            element("span", "", class_="key front", aria_hidden="true"),
            "front, with the standard deviation over folds where there is one; ",
            element("span", "", class_="key dot", aria_hidden="true"),
            "below the front.",
        ),
    )
    yield element("p", "Point at a subset to read it.", class_="soft script-only")
    yield element("div", "", id="told", class_="told script-only", aria_live="polite", role="status")
    yield element("div", "", id="compared", class_="script-only scroll", aria_live="polite")
    yield _table(content)


def _x(measurement: Measurement) -> float:
    return measurement.values[1] if len(measurement.values) > 1 else float(len(measurement.names))


def _drawing(content: Content, title: str, horizontal: str) -> Html:
    front = [m for m in content.measured if m.in_front]
    ends = [m.values[0] + sign * (m.spread[0] or 0.0) for m in front for sign in (-1, 1)]
    x, x_ticks = scale([_x(m) for m in content.measured], LEFT + 8, WIDTH - RIGHT - 8)
    y, y_ticks = scale([*ends, *(m.values[0] for m in content.measured)], HEIGHT - BOTTOM, TOP + 6)
    # the front last, so that nothing lies over it
    order = sorted(content.measured, key=lambda m: (m.place == content.best, m.in_front))
    return figure(
        title,
        axes(x, y, x_ticks, y_ticks, horizontal, heading(content.criteria[0])),
        *(_point(content, m, x, y) for m in order),
        label=f"{title}; the table below lists the front",
    )


def _point(content: Content, m: Measurement, x: Scale, y: Scale) -> Html:
    best = m.place == content.best
    across, down, spread = x(_x(m)), y(m.values[0]), m.spread[0]
    kind, radius = ("recommended", 5.5) if best else ("front", 4.2) if m.in_front else ("dot", 2.6)
    told = "; ".join(f"{c.name} {rounded(value)}" for c, value in zip(content.criteria, m.values, strict=True))
    bar = None
    if m.in_front and spread:
        bar = shape(
            "line", x1=across, x2=across, y1=y(m.values[0] - spread), y2=y(m.values[0] + spread), class_="spread"
        )
    return element(
        "g",
        bar,
        shape("circle", cx=across, cy=down, r=radius, class_=kind),
        shape("circle", cx=across, cy=down, r=radius + 3, class_="ring", pointer_events="all"),
        class_="point",
        role="button",
        tabindex=0 if m.in_front else -1,
        aria_pressed="false",
        aria_label=f"{'recommended: ' if best else ''}{names_of(m)}; {told}",
        data_place=str(m.place),
    )


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
        name = ("recommended: " if best else "") + names_of(m)
        rows.append(
            element(
                "tr",
                element("td", button, class_="script-only"),
                values,
                element("td", name, class_="subset"),
                class_="best" if best else None,
            )
        )
    titles = element("tr", element("th", "", class_="script-only"), head, element("th", "subset", scope="col"))
    caption = f"The front: {len(front)} of {many(len(content.measured), 'measured subset')}"
    return boxed(titles, rows, caption, "The front")
