"""Scores and model: what the score is worth on fresh folds, and what the model does with the chosen attributes."""

from __future__ import annotations

from collections.abc import Iterator

from elicit.report.content import Content
from elicit.report.drawing import bars, curve
from elicit.report.markup import Html, element
from elicit.report.model import ModelStory
from elicit.report.pieces import capital, folded, table


def scores(content: Content, story: ModelStory) -> Iterator[Html]:
    name = content.criteria[0].name
    promise = (
        f"The {name} of this subset comes from the folds on which it was chosen among {len(content.measured)}, so it "
        "promises too much."
    )
    fresh = (
        " Folds drawn anew, the same for each line below, are nearer the truth; the rows are those that chose, so "
        "even this is a little high:"
        if story.honest
        else ""
    )
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
        header = ("", f"{name} on the folds that chose", f"{name} on fresh folds", "rounds")
        yield table(header, rows, "± is the standard deviation over the rounds", {1, 2, 3})
    if story.guess is not None:
        chosen = content.recommended.values[0]
        told = f"A guess without any attribute has the {name} {story.guess:.4f} on the folds that chose."
        verdict = (
            "" if chosen > story.guess else " The subset is no better: another model, or other attributes, may do."
        )
        yield element("p", told + verdict)
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
        yield folded(
            "The same as a table",
            table(
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
        yield element("p", capital(reason) + ".", class_="soft")
