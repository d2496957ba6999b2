"""The session: its path, every question and answer, every step, and the subsets that were passed over."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from elicit.operators.picture import heading
from elicit.printable import many
from elicit.report.content import Content, listed
from elicit.report.drawing import path_of_session
from elicit.report.markup import Html, element
from elicit.report.pieces import capital, folded, names_of, table, value_of


def session(content: Content) -> Iterator[Html]:
    """The section on the course of the session."""
    criterion = content.criteria[0]
    scores = [m.values[0] for m in content.measured]
    best = list(accumulate(scores, max if criterion.maximise else min))
    asked, measured = [], 0
    for what, _ in content.events:
        measured += what == "measured"
        if what == "answered":
            asked.append(measured)
    title = f"{criterion.name} of each measurement, the best so far, and the questions between them"
    yield element(
        "figure",
        path_of_session(title, scores, best, asked, heading(criterion)),
        element("figcaption", f"{capital(title)} (dashed)."),
    )
    if content.questions:
        yield element("h3", "Every question and answer")
        yield _questions(content)
        if content.implied:
            yield element("p", content.implied)
    steps = [(str(k), what, detail) for k, (what, detail) in enumerate(content.events, start=1)]
    yield folded(f"Every step of the session ({len(steps)})", table(("step", "what", "which"), steps, "Steps", {0}))
    if content.failures:
        rows = [(listed(names), reason) for names, reason in content.failures]
        yield folded(f"Could not be measured ({len(rows)})", table(("subset", "why"), rows, "Failures"))


def _questions(content: Content) -> Html:
    rows = []
    for q in content.questions:
        first, second = content.measured[q.first], content.measured[q.second]
        remark = ", ".join(w for w, on in (("a check", q.check), ("taken back", q.retracted)) if on)
        told = [
            "; ".join(f"{c.name} {value_of(m, k)}" for k, c in enumerate(content.criteria)) for m in (first, second)
        ]
        rows.append(
            (str(q.number), f"{names_of(first)} ({told[0]})", f"{names_of(second)} ({told[1]})", q.answer, remark)
        )
    return table(("no.", "A", "B", "answer", "remark"), rows, "Questions in the order in which they were asked", {0})


def passed_over(content: Content) -> Iterator[Html]:
    """The section on the subsets that were passed over."""
    if not content.passed_over:
        yield element("p", "No subset was passed over: what was proposed was measured.")
        return
    shown, left = len(content.prices), content.passed_over - len(content.prices)
    if any(p.then is not None for p in content.prices):
        why = "believing that one of them is best costs too much in simplicity"
        more = " The price is what must be paid for that belief."
        more += f" Shown are the {shown} cheapest; {left} more cost as much or more." if left else ""
    else:
        why = "no utility of the exact set could find one of them best"
        more = f" Shown are {shown}, and {left} more are not." if left else ""
    yield element("p", f"Proposed and not measured: {many(content.passed_over, 'subset')}, because {why}.{more}")
    possible = {True: "yes", False: "no", None: "not known"}
    rows = [(listed(p.names), _price(p.then), _price(p.now), possible[p.possible]) for p in content.prices]
    yield table(("subset", "price then", "price now", "can it be best now"), rows, "Prices then and now", {1, 2})


def _price(price: float | None) -> str:
    return "–" if price is None else f"{price:.3g}"
