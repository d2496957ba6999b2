"""The verdict: the result with what is proven of it, the reasons, the proofs, and how to get the same again."""

from __future__ import annotations

from collections.abc import Iterator

from elicit.printable import many, pasted
from elicit.report.content import Content, listed
from elicit.report.markup import Html, element
from elicit.report.pieces import capital, folded, lines_of, names_of, table, value_of

#: The kinds of steps that speak of the recommended subset; the others speak of those beside it.
_OF_THE_RESULT = ("optimal", "regret", "inconsistent")


def result(content: Content) -> Iterator[Html]:
    """The section on the result and what is proven of it."""
    best = content.recommended
    told = "; ".join(f"{c.name} {value_of(best, k)}" for k, c in enumerate(content.criteria))
    proven = [step for step in content.current if step.kind in _OF_THE_RESULT]
    yield element(
        "div",
        element("p", names_of(best), class_="chosen"),
        element("p", f"{len(best.names)} of {_choice(content)}; {told}."),
        element("p", content.ended),
        class_="result",
    )
    if content.false_step is not None:
        yield element("p", f"A claim of this record does not hold: {content.false_step}", class_="fails", role="alert")
    yield element("h3", "What is proven, and where")
    if proven:
        yield element("ul", [element("li", capital(step.words) + ".") for step in proven])
        if any(step.kind == "regret" for step in proven):
            yield element("p", f"A loss of {content.clear:g} is the margin of one clear answer.", class_="soft")
    else:
        yield element("p", content.unproven)
    yield element(
        "p",
        f"Measured: {len(content.measured)} of {many(content.family.count(), 'subset')} that may be chosen; "
        f"{many(len(content.questions), 'question')} answered. What was not measured is judged by "
        f"{content.meaning} ({content.scope}).",
        class_="soft",
    )
    if content.set_aside:
        yield element("h3", "Statements that are set aside, or not honoured in full")
        yield element("ul", [element("li", capital(line) + ".") for line in content.set_aside])


def _choice(content: Content) -> str:
    """Among how many attributes the choice was, and which were dropped before it."""
    count = many(len(content.candidates), "attribute")
    return f"{count} that may be chosen (dropped: {listed(content.dropped)})" if content.dropped else count


def why(content: Content) -> Iterator[Html]:
    """The section on the reasons for the result."""
    if content.reasons:
        yield lines_of(content.reasons)
    else:
        yield element(
            "p", "The statements of this record decide nothing, so there is no reason beyond the measurements."
        )
    yield element("h3", "Had you answered differently")
    yield lines_of(content.otherwise)


def proofs(content: Content) -> Iterator[Html]:
    """The section on the proofs that were checked."""
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
        yield folded(f"{len(rest)} more", element("ul", [element("li", words) for words in rest]))


def reproduce(content: Content, journal: str) -> Iterator[Html]:
    """The section on how to get the same results again."""
    path = pasted(journal)
    commands = (f"elicit verify {path}", f"elicit why {path}", f"elicit report {path} -o report.html")
    yield element(
        "p", "The record holds every measurement and answer; with it each of these says the same as this page:"
    )
    yield element("pre", [element("code", command) for command in commands])
    yield element("p", f"Seed {content.seed}; data and model are identified as {content.fingerprint}.")
    if content.measured_with:
        yield folded("Measured with", table(("what", "value"), content.measured_with, "What measured the subsets"))
    yield folded("Settings", table(("setting", "value"), content.settings, "Settings of the run"))
    yield folded("Versions", table(("library", "version"), content.versions, "Versions that wrote the record"))
