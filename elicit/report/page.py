"""The page: sections in the order in which a sceptic reads them, in one file that loads nothing.

The rule: its content security policy forbids everything but the one style sheet and the one script, each named
by the hash of its text; so even a mistake in escaping could not run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from elicit import __version__
from elicit.operators.picture import heading
from elicit.printable import in_a_list, printable, rounded
from elicit.report.content import Content
from elicit.report.front import front_section
from elicit.report.markup import Html, data, element, raw
from elicit.report.model import ModelStory
from elicit.report.pieces import capital, names_of
from elicit.report.power import power
from elicit.report.scores import scores
from elicit.report.session import passed_over, session
from elicit.report.verdict import proofs, reproduce, result, why

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
        element("title", f"Elicit: {names_of(content.recommended)}"),
        element("style", raw(style)),
    )
    body = element(
        "body",
        element(
            "header",
            element("h1", "The subset recommended to its operator"),
            element("p", f"A report of {journal}, by Elicit {__version__}.{_of_what(content)}", class_="soft"),
            element(
                "nav", [element("a", title, href=f"#{anchor}") for anchor, title in SECTIONS], aria_label="Sections"
            ),
        ),
        element("main", *_sections(content, story, journal)),
        element("script", data(_for_the_script(content)), type="application/json", id="record"),
        element("script", raw(script)),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _of_what(content: Content) -> str:
    """The data and the model, where the record names them."""
    known = dict(content.measured_with)
    told = "; ".join(f"{key}: {known[key]}" for key in ("data", "target", "model") if key in known)
    return f" {capital(told)}." if told else ""


_STATIC = ("page.css", "page.js")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _sections(content: Content, story: ModelStory, journal: str) -> Iterator[Html]:
    bodies = {
        "result": result(content),
        "why": why(content),
        "front": front_section(content),
        "scores": scores(content, story),
        "power": power(content),
        "session": session(content),
        "passed": passed_over(content),
        "proofs": proofs(content),
        "reproduce": reproduce(content, journal),
    }
    for anchor, title in SECTIONS:
        yield element("section", element("h2", title, id=anchor), *bodies[anchor], aria_labelledby=anchor)


def _for_the_script(content: Content) -> dict[str, object]:
    """What the script needs to tell and compare: texts are made here, as everywhere else on the page."""
    position = {name: k for k, name in enumerate(content.attributes)}
    return {
        "attributes": [in_a_list(printable(name)) for name in content.attributes],
        "criteria": [{"name": printable(c.name), "heading": heading(c)} for c in content.criteria],
        "best": content.best,
        "measured": [
            {
                "names": [position[name] for name in m.names],
                "values": [rounded(value) for value in m.values],
                "spread": [None if s is None else rounded(s, 2) for s in m.spread],
                "front": m.in_front,
            }
            for m in content.measured
        ],
        "questions": [
            {
                "first": q.first,
                "second": q.second,
                "told": [
                    f"Question {q.number}: {answer}{' (taken back)' if q.retracted else ''}"
                    for answer in (q.answer, q.answer_turned)
                ],
            }
            for q in content.questions
        ],
    }
