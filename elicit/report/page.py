"""The page: sections in the order in which a sceptic reads them, in one file that loads nothing.

The rule: its content security policy forbids everything but the one style sheet and the one script, each named
by the hash of its text; so even a mistake in escaping could not run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files

from elicit import __version__
from elicit.operators.lines import printable
from elicit.report.content import Content, Measurement, Price, strongest
from elicit.report.drawing import bars, curve, path_of_session
from elicit.report.front import front_section
from elicit.report.markup import Html, data, element, joined, raw
from elicit.report.model import ModelStory

#: Sections by their anchor, as the navigation names them.
SECTIONS = (
    ("result", "Result"),
    ("why", "Why"),
    ("front", "Front"),
    ("scores", "Scores and model"),
    ("power", "Power and interaction"),
    ("session", "Session"),
    ("passed", "Passed over"),
    ("proofs", "Proofs"),
    ("reproduce", "Reproduce"),
)


def page(content: Content, story: ModelStory, journal: str) -> str:
    """The whole page; `journal` is the name under which the record is known."""
    style, script = (files("elicit.report").joinpath(name).read_text(encoding="utf-8") for name in _STATIC)
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="generator", content=f"elicit {__version__}"),
        element("title", f"Elicit: {_names(content.recommended)}"),
        element("style", raw(style)),
    )
    body = element(
        "body",
        element(
            "header",
            element("h1", "The subset that is best for its operator"),
            element("p", f"A report of {journal}, by Elicit {__version__}.", class_="soft"),
            element(
                "nav", [element("a", title, href=f"#{anchor}") for anchor, title in SECTIONS], aria_label="Sections"
            ),
        ),
        element("main", *_sections(content, story, journal)),
        element("script", data(_for_the_script(content)), type="application/json", id="record"),
        element("script", raw(script)),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


_STATIC = ("page.css", "page.js")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _sections(content: Content, story: ModelStory, journal: str) -> Iterator[Html]:
    bodies = {
        "result": _result(content),
        "why": _why(content),
        "front": front_section(content),
        "scores": _scores(content, story),
        "power": _power(content),
        "session": _session(content),
        "passed": _passed_over(content),
        "proofs": _proofs(content),
        "reproduce": _reproduce(content, journal),
    }
    for anchor, title in SECTIONS:
        yield element("section", element("h2", title, id=anchor), *bodies[anchor], aria_labelledby=anchor)


# --- the sections ------------------------------------------------------------------------------------


def _result(content: Content) -> Iterator[Html]:
    best = content.recommended
    told = "; ".join(f"{c.name} {_value(best, k)}" for k, c in enumerate(content.criteria))
    proven = [words for words in content.holds if words.startswith(("it is necessarily", "it loses", "no utility"))]
    yield element(
        "div",
        element("p", _names(best), class_="chosen"),
        element("p", f"{len(best.names)} of {len(content.attributes)} attributes; {told}."),
        element("p", f"Ended by {content.ended}."),
        class_="result",
    )
    if content.false_step is not None:
        yield element("p", f"A claim of this record does not hold: {content.false_step}", class_="fails", role="alert")
    yield element("h3", "What is proven, and where")
    if proven:
        yield element("ul", [element("li", _capital(words) + ".") for words in proven])
        if any(words.startswith("it loses") for words in proven):
            yield element("p", "A loss of 1 is the margin of one strict statement.", class_="soft")
    else:
        yield element("p", "Nothing beyond the record itself: the run has not ended, or claims nothing.")
    yield element(
        "p",
        f"Measured: {len(content.measured)} of {content.family} subsets that may be chosen; "
        f"{len(content.questions)} questions answered. What was not measured can only be judged as far as the "
        f"{content.scope} reaches.",
        class_="soft",
    )
    if content.set_aside:
        yield element("h3", "Statements that the recommendation does not honour")
        yield element("ul", [element("li", _capital(line)) for line in content.set_aside])


def _why(content: Content) -> Iterator[Html]:
    if content.reasons:
        yield _lines(content.reasons)
    else:
        yield element(
            "p", "The statements of this record decide nothing, so there is no reason beyond the measurements."
        )
    yield element("h3", "Had you answered differently")
    yield _lines(content.otherwise)


def _lines(lines: Sequence[str]) -> Html:
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
            element("li", _capital(line), element("ul", [element("li", inner) for inner in below]) if below else None)
            for line, below in items
        ],
    )


def _scores(content: Content, story: ModelStory) -> Iterator[Html]:
    name = content.criteria[0].name
    promise = f"The {name} that chose this subset is the best of {len(content.measured)}, so it promises too much."
    fresh = " Folds drawn anew, the same for each row, show what it is worth:" if story.honest else ""
    yield element("p", promise + fresh)
    if story.honest:
        rows = [
            (
                h.what,
                "–" if h.chosen is None else f"{h.chosen:.4f}",
                f"{h.mean:.4f} ± {h.spread:.4f}",
                str(len(h.fresh)),
            )
            for h in story.honest
        ]
        header = ("", f"{name} when chosen", f"{name} on fresh folds", "rounds")
        yield _table(header, rows, "± is the standard deviation over the rounds", {1, 2, 3})
    if story.importance:
        yield element("h3", "What the model relies on")
        first = [i for i in story.importance if i.mean > 0][:3]
        said = "; ".join(f"{i.name} ({i.mean:.3g})" for i in first) or "no attribute"
        yield element("p", f"Above all: {said}. In brackets, by how much the {story.error} grows without it.")
        title = "Permutation importance on held-out rows"
        yield element(
            "figure",
            bars(title, [(i.name, i.mean, i.spread) for i in story.importance], f"growth of the {story.error}"),
            element(
                "figcaption",
                f"{title}: growth of the {story.error} when the values change places; lines: spread over folds.",
            ),
        )
        yield _folded(
            "The same as a table",
            _table(
                ("attribute", "growth", "spread"),
                [(i.name, f"{i.mean:.4g}", f"{i.spread:.2g}") for i in story.importance],
                title,
                {1, 2},
            ),
        )
    for effect in story.effects:
        title = f"What {effect.name} does to the {story.answer}"
        yield element(
            "figure",
            curve(title, effect.at, effect.effect, effect.name, story.answer),
            element("figcaption", f"{title}: accumulated local effects, 0 is the average."),
        )
    for reason in story.missing:
        yield element("p", _capital(reason) + ".", class_="soft")


def _power(content: Content) -> Iterator[Html]:
    yield element(
        "p",
        "How much each attribute adds to the subsets that it joins, in the simplest utility that agrees with the "
        "record (Shapley value, up to pairs the same as Banzhaf's). It is one utility of many: a guide, not a proof.",
    )
    order = sorted(range(len(content.power)), key=lambda i: -content.power[i])
    rows = [(content.attributes[i], content.power[i], None) for i in order]
    yield element(
        "figure", bars("Power index of every attribute", rows, "no unit"), element("figcaption", "Power index.")
    )
    shown = strongest(content)
    left = len(content.attributes) - len(shown)
    note = f"; the {left} attributes of least power are left out" if left else ""
    most = max((abs(content.interactions[i][j]) for i in shown for j in shown if i != j), default=0.0)
    head = element("tr", element("th", ""), [element("th", str(i + 1), scope="col") for i in shown])
    body = [
        element(
            "tr",
            element("th", f"{i + 1} {content.attributes[i]}", scope="row"),
            [_heat(content.interactions[i][j], most) if i != j else element("td", "") for j in shown],
        )
        for i in shown
    ]
    yield element(
        "div",
        element(
            "table",
            element(
                "caption",
                "Interaction of pairs: positive (blue), they add to each other; negative (red), one makes up for the "
                f"other{note}",
            ),
            element("thead", head),
            element("tbody", body),
            class_="heat",
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label="Interaction of pairs",
    )


def _heat(value: float, most: float) -> Html:
    """A cell in one of three strengths of its sign; the number says it too."""
    step = min(3, int(3 * abs(value) / most + 0.999)) if most > 0 and abs(value) > 1e-9 * most else 0
    return element("td", f"{value:.2f}" if step else "0", class_=f"{'p' if value > 0 else 'm'}{step}" if step else None)


def _session(content: Content) -> Iterator[Html]:
    criterion = content.criteria[0]
    scores = [m.values[0] for m in content.measured]
    best, leading = [], scores[0]
    for score in scores:
        leading = max(leading, score) if criterion.maximise else min(leading, score)
        best.append(leading)
    asked, measured = [], 0
    for what, _ in content.events:
        measured += what == "measured"
        if what == "answered":
            asked.append(measured)
    title = f"{criterion.name} of each measurement, the best so far, and the questions between them"
    yield element(
        "figure",
        path_of_session(title, scores, best, asked, criterion.name),
        element("figcaption", f"{_capital(title)} (dashed)."),
    )
    if content.questions:
        yield element("h3", "Every question and answer")
        yield _questions(content)
    steps = [(str(k), what, detail) for k, (what, detail) in enumerate(content.events, start=1)]
    yield _folded(f"Every step of the session ({len(steps)})", _table(("step", "what", "which"), steps, "Steps", {0}))
    if content.failures:
        rows = [(", ".join(names), reason) for names, reason in content.failures]
        yield _folded(f"Could not be measured ({len(rows)})", _table(("subset", "why"), rows, "Failures"))


def _questions(content: Content) -> Html:
    rows = []
    for q in content.questions:
        first, second = content.measured[q.first], content.measured[q.second]
        remark = ", ".join(w for w, on in (("a check", q.check), ("taken back", q.retracted)) if on)
        told = ["; ".join(f"{c.name} {_value(m, k)}" for k, c in enumerate(content.criteria)) for m in (first, second)]
        rows.append((str(q.number), f"{_names(first)} ({told[0]})", f"{_names(second)} ({told[1]})", q.answer, remark))
    return _table(("no.", "A", "B", "answer", ""), rows, "Questions in the order in which they were asked", {0})


def _passed_over(content: Content) -> Iterator[Html]:
    if not content.passed_over:
        yield element("p", "No subset was passed over: what was proposed was measured.")
        return
    left = content.passed_over - len(content.prices)
    more = f" Shown are the {len(content.prices)} cheapest; {left} more cost more." if left > 0 else ""
    yield element(
        "p",
        f"{content.passed_over} subsets were proposed and not measured, because believing that one of them is best "
        f"costs too much in simplicity. The price is what must be paid for that belief.{more}",
    )
    rows = [(", ".join(p.names), f"{p.then:.3g}", _now(p), _today(p)) for p in content.prices]
    yield _table(("subset", "price then", "price now", "can it be best now"), rows, "Passed over", {1, 2})


def _now(price: Price) -> str:
    return "–" if price.now is None else f"{price.now:.3g}"


def _today(price: Price) -> str:
    return {True: "yes", False: "no", None: "not known"}[price.possible]


def _proofs(content: Content) -> Iterator[Html]:
    if content.false_step is None:
        yield element(
            "p", "Every claim of the record was re-checked in exact arithmetic, without a solver. It holds that:"
        )
    else:
        yield element("p", f"The first step that does not hold: {content.false_step}", class_="fails")
        yield element("p", "Before it, it holds that:")
    first, rest = content.holds[:6], content.holds[6:]
    yield element("ul", [element("li", words) for words in first])
    if rest:
        yield _folded(f"{len(rest)} more", element("ul", [element("li", words) for words in rest]))


def _reproduce(content: Content, journal: str) -> Iterator[Html]:
    commands = f"elicit verify {journal}\nelicit why {journal}\nelicit report {journal} -o report.html"
    yield element(
        "p", "The record holds every measurement and answer; with it each of these says the same as this page:"
    )
    yield element("pre", commands)
    if content.about:
        yield element("p", f"Measured with: {content.about}.")
    yield element("p", f"Seed {content.seed}; data and model are identified as {content.fingerprint}.")
    yield _folded("Settings", _table(("setting", "value"), content.settings, "Settings of the run"))
    yield _folded("Versions", _table(("library", "version"), content.versions, "Versions that wrote the record"))


# --- pieces ------------------------------------------------------------------------------------------


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, numbers: set[int] | None = None) -> Html:
    """A table in a box that scrolls sideways when it must."""
    numbers = numbers or set()
    kinds = ["number" if k in numbers else None for k in range(len(header))]
    head = [element("th", title, scope="col", class_=kind) for title, kind in zip(header, kinds, strict=True)]
    body = [
        element("tr", [element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows
    ]
    table = element("table", element("caption", caption), element("thead", element("tr", head)), element("tbody", body))
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _folded(title: str, *inside: Html) -> Html:
    return element("details", element("summary", title), joined(inside))


def _names(measurement: Measurement) -> str:
    return ", ".join(measurement.names)


def _value(measurement: Measurement, k: int) -> str:
    spread = measurement.spread[k]
    return f"{measurement.values[k]:.6g}" + ("" if spread is None else f" ± {spread:.2g}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _for_the_script(content: Content) -> dict[str, object]:
    """What the script needs to tell and compare: texts are made here, as everywhere else on the page."""
    position = {name: k for k, name in enumerate(content.attributes)}
    return {
        "attributes": [printable(name) for name in content.attributes],
        "criteria": [{"name": printable(c.name), "maximise": c.maximise} for c in content.criteria],
        "best": content.best,
        "measured": [
            {
                "names": [position[name] for name in m.names],
                "values": [f"{value:.6g}" for value in m.values],
                "spread": [None if s is None else f"{s:.2g}" for s in m.spread],
                "front": m.in_front,
            }
            for m in content.measured
        ],
        "questions": [
            {"number": q.number, "first": q.first, "second": q.second, "answer": q.answer, "retracted": q.retracted}
            for q in content.questions
        ],
    }
