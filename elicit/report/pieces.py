"""Parts that the sections share: a table that scrolls, a list of lines, details that fold, a measurement in words."""

from __future__ import annotations

from collections.abc import Sequence

from elicit.printable import with_spreads
from elicit.report.content import Measurement, listed
from elicit.report.markup import Html, element, joined


def table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, numbers: set[int] | None = None) -> Html:
    """A table of texts; `numbers` are the columns that hold such."""
    numbers = numbers or set()
    kinds = ["number" if k in numbers else None for k in range(len(header))]
    head = [element("th", title, scope="col", class_=kind) for title, kind in zip(header, kinds, strict=True)]
    body = [
        element("tr", [element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows
    ]
    return boxed(element("tr", head), body, caption)


def boxed(head: Html, rows: Sequence[Html], caption: str, label: str | None = None, class_: str | None = None) -> Html:
    """A table of a row that is its head and rows below it, in a box that scrolls sideways when it must."""
    inside = element("caption", caption), element("thead", head), element("tbody", rows)
    table = element("table", *inside, class_=class_)
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=label or caption)


def folded(title: str, *inside: Html) -> Html:
    """Details that are hidden until the reader opens them."""
    return element("details", element("summary", title), joined(inside))


def names_of(measurement: Measurement) -> str:
    """The names of the attributes of a subset."""
    return listed(measurement.names)


def value_of(measurement: Measurement, k: int) -> str:
    """The value of criterion k, with its spread where it has one."""
    return values_of((measurement,), k)[0]


def values_of(measurements: Sequence[Measurement], k: int) -> list[str]:
    """The values of criterion k as they stand below one another, each with its spread where it has one."""
    return with_spreads([m.values[k] for m in measurements], [m.spread[k] for m in measurements])


def capital(text: str) -> str:
    """The text with its first letter in upper case; the others stay as they are."""
    return text[:1].upper() + text[1:]


def lines_of(lines: Sequence[str]) -> Html:
    """Lines of text as a list; lines that are indented belong to the one above."""
    items: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and items:
            items[-1][1].append(line.strip())
        else:
            items.append((line, []))
    return element(
        "ul",
        [
            element("li", capital(line), element("ul", [element("li", inner) for inner in below]) if below else None)
            for line, below in items
        ],
    )
