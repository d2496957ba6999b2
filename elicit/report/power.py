"""Power and interaction: what each attribute, and each pair, is worth in one utility, the simplest by default."""

from __future__ import annotations

from collections.abc import Iterator

from elicit.printable import many, told_apart
from elicit.report.content import ROUNDING, Content
from elicit.report.drawing import bars
from elicit.report.markup import Html, element
from elicit.report.pieces import boxed, folded, table

#: How many attributes the map of pairs shows, those of the largest power.
MOST_INTERACTIONS = 30

#: With more attributes than these the map of pairs is printed on a page that lies on its side.
MOST_UPRIGHT = 12

#: Which utility it is, by the name of the setting theta.
_SIMPLEST = "the simplest utility that agrees with the record"
_WHICH = {
    "L2": _SIMPLEST,
    "L1": _SIMPLEST,
    "max-margin": "the utility that keeps what was measured and answered furthest from a tie",
    "mean": "the average of utilities that agree with the record, those by which an attribute counts most or least",
}


def power(content: Content) -> Iterator[Html]:
    """The section on power indices and interactions."""
    yield element(
        "p",
        f"How much each attribute adds to the subsets that it joins, in {_WHICH[content.theta]} "
        "(Shapley value, up to pairs the same as Banzhaf's). It is one utility of many: a guide, not a proof.",
    )
    order = sorted(content.candidates, key=lambda i: -content.power[i])
    may = " that may be chosen" if content.dropped else ""
    title = f"Power index of every attribute{may}"
    smaller = any(c.name == "size" and not c.maximise for c in content.criteria)
    below = (
        ": fewer attributes dominate more of them with the same score, so that all may be below 0" if smaller else ""
    )
    yield element(
        "figure",
        bars(title, [(content.attributes[i], content.power[i], None) for i in order], "no unit"),
        element("figcaption", f"Power index. Their order counts{below}."),
    )
    chosen = content.recommended.names
    rows = [
        (content.attributes[i], f"{content.power[i]:.3g}", "yes" if content.attributes[i] in chosen else "")
        for i in order
    ]
    yield folded("The same as a table", table(("attribute", "power index", "recommended"), rows, title, {1}))
    yield from _interaction(content)


def strongest(content: Content) -> list[int]:
    """Positions of the attributes that the map of pairs shows, in their order."""
    return sorted(sorted(content.candidates, key=lambda i: -abs(content.power[i]))[:MOST_INTERACTIONS])


def _interaction(content: Content) -> Iterator[Html]:
    """The map of pairs, of those attributes that count most; what it shows stands above, since the map may scroll."""
    shown = strongest(content)
    left = len(content.candidates) - len(shown)
    note = f"; {many(left, 'attribute')} of least power {'is' if left == 1 else 'are'} left out" if left else ""
    if dict(content.settings).get("degree") == "3":
        note += "; of the two alone, without the triples that they are part of"
    most = max((abs(content.interactions[i][j]) for i in shown for j in shown if i != j), default=0.0)
    head = element("tr", element("th", ""), [element("th", str(i + 1), scope="col") for i in shown])
    names = told_apart([content.attributes[i] for i in shown])
    body = [
        element(
            "tr",
            element("th", f"{i + 1} {name}", scope="row"),
            [_heat(content.interactions[i][j], most) if i != j else element("td", "") for j in shown],
        )
        for i, name in zip(shown, names, strict=True)
    ]
    told = "Of pairs: positive (blue), they add to each other; negative (red), one makes up for the other"
    yield element("p", f"{told}{note}.", class_="soft")
    yield boxed(head, body, "Interaction of pairs", class_="heat wide" if len(shown) > MOST_UPRIGHT else "heat")


def _heat(value: float, most: float) -> Html:
    """A cell in one of three strengths of its sign; the number says it too."""
    step = min(3, int(3 * abs(value) / most + 0.999)) if most > 0 and abs(value) > ROUNDING * most else 0
    return element("td", f"{value:.2g}" if step else "0", class_=f"{'p' if value > 0 else 'm'}{step}" if step else None)
