"""Scores and model: what the score is worth on fresh folds, and what the model does with the chosen attributes."""

from __future__ import annotations

from collections.abc import Iterator

from elicit.printable import alike, enumerated, many, numbers_apart, rounded, with_spreads
from elicit.report.content import Content
from elicit.report.drawing import bars, curve
from elicit.report.markup import Html, element
from elicit.report.model import ModelStory
from elicit.report.pieces import capital, folded, table


def scores(content: Content, story: ModelStory) -> Iterator[Html]:
    """The section on scores and the model."""
    yield from _fresh_scores(content, story)
    if story.guess is not None:
        yield element("p", _beside_a_guess(content, story.guess))
    if story.importance:
        yield from _importance(story)
    for effect in story.effects:
        title = f"What {effect.name} does to the {story.answer}"
        caption = f"{title}: accumulated local effects, 0 is the average."
        if effect.left_out:
            rows = "row is" if effect.left_out == 1 else "rows are"
            caption += f" {effect.left_out} {rows} left out, without a value of it."
        yield element(
            "figure",
            curve(title, effect.at, effect.effect, effect.name, story.answer),
            element("figcaption", caption),
        )
        points = [*zip(numbers_apart(effect.at, 6), alike(effect.effect, 4), strict=True)]
        yield folded("The same as a table", table((effect.name, story.answer), points, title, {0, 1}))
    if story.interactions:
        yield from _interactions(story)
    for reason in story.missing:
        yield element("p", capital(reason) + ".", class_="soft")


def _fresh_scores(content: Content, story: ModelStory) -> Iterator[Html]:
    """That the score on the folds that chose promises too much, and what it is on others.

    A number without a spread may be of no folds at all, as that of a function, and then nothing be left to chance.
    """
    name, count = content.criteria[0].name, len(content.measured)
    if story.honest or content.recommended.spread[0] is not None:
        promise = f"The {name} of this subset comes from the folds on which it was chosen among {count}, so it "
    else:
        promise = f"By the {name} of this subset it was chosen among {count}: where chance has a part in it, it "
    promise += "promises too much."
    if not story.honest:
        yield element("p", promise)
        return
    yield element(
        "p",
        f"{promise} Folds drawn anew, the same for each line below, are nearer the truth. But the rows are those that "
        "chose, so of this subset even they promise too much: a little where rows are many, a lot where they are few.",
    )
    chosen = iter(alike([h.chosen for h in story.honest if h.chosen is not None]))
    fresh = with_spreads([h.mean for h in story.honest], [h.spread for h in story.honest])
    rows = [
        (h.what, "–" if h.chosen is None else next(chosen), told, str(len(h.fresh)))
        for h, told in zip(story.honest, fresh, strict=True)
    ]
    header = ("", f"{name} on the folds that chose", f"{name} on fresh folds", "rounds")
    yield table(header, rows, "± is the standard deviation over the rounds", {1, 2, 3})


def _beside_a_guess(content: Content, guess: float) -> str:
    """Whether the subset tells more than nothing does."""
    told = f"A guess without any attribute has the {content.criteria[0].name} {rounded(guess)} on the folds that chose."
    if content.recommended.values[0] > guess:
        return told
    return told + " The subset is no better: another model, or other attributes, may do."


def _importance(story: ModelStory) -> Iterator[Html]:
    """What the model relies on: in words, as bars, and as a table."""
    yield element("h3", "What the model relies on")
    first = [i for i in story.importance if i.mean > 0][:3]
    said = "; ".join(f"{i.name} ({rounded(i.mean, 3)})" for i in first) or "no attribute"
    # without the attribute it would grow by less: a model fitted to the others makes up for it
    told = f" In brackets, by how much the {story.error} grows when its values change places." if first else ""
    yield element("p", f"Above all: {said}.{told}")
    title = "Permutation importance on held-out rows"
    spread = any(i.spread is not None for i in story.importance)
    yield element(
        "figure",
        bars(title, [(i.name, i.mean, i.spread) for i in story.importance], f"growth of the {story.error}"),
        element(
            "figcaption",
            f"{title}: growth of the {story.error} when the values change places; "
            + ("lines: spread over folds." if spread else "of one fold, for all others have a single row."),
        ),
    )
    rows = [(i.name, rounded(i.mean, 4), "–" if i.spread is None else rounded(i.spread, 2)) for i in story.importance]
    yield folded("The same as a table", table(("attribute", "growth", "spread"), rows, title, {1, 2}))


def _interactions(story: ModelStory) -> Iterator[Html]:
    """Which attributes act together in the model, the strongest first."""
    yield element("h3", "What acts together")
    strong = [i for i in story.interactions if i.strength > 0]
    asked = sorted({name for i in story.interactions for name in (i.first, i.second)})
    over = f"over {many(story.paired_rows, 'row')}"
    if not strong:
        yield element("p", f"Nothing: in the model {enumerated(asked)} add up ({over}).")
        return
    yield element(
        "p",
        "H compares what two attributes do together beyond the sum of what each does apart with all that they do "
        f"together: 0 where they add up. Strength is that surplus in units of the {story.answer} (root mean square "
        f"{over}): where it is small, H says little.",
    )
    rows = [(f"{i.first} and {i.second}", f"{i.h:.2g}", rounded(i.strength, 2)) for i in strong]
    yield table(("attributes", "H", "strength"), rows, "The strongest interactions in the model", {1, 2})
