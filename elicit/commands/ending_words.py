"""What the parts of a session's end share: a subset beside the recommended one, and lines as wide as the terminal."""

from __future__ import annotations

from elicit.commands.output import screen_width
from elicit.decide.elicitation import Elicitation
from elicit.numeric import are_equal
from elicit.printable import alike, paragraph, told_apart
from elicit.subsets import Attributes, Mask

#: The longest line, in columns; on a narrow terminal lines are shorter.
_MOST_WIDTH = 96


def beside(elicitation: Elicitation, subset: Mask, recommended: Mask, called: str = "the recommended one") -> str:
    """A subset in words, next to the recommended one: by the difference, where that is much shorter."""
    return in_short(elicitation.history.attributes).beside(subset, recommended, called)


def in_short(attributes: Attributes) -> Attributes:
    """The attributes by names that a sentence can hold several of, where these can be told apart."""
    short = told_apart(attributes.names)
    return Attributes(tuple(short)) if len({*short}) == len(short) else attributes


def changes(elicitation: Elicitation, other: Mask, subset: Mask) -> str:
    """The criteria in which another subset differs from the recommended one."""
    measured = elicitation.history.evaluated
    values = zip(elicitation.history.criteria, measured[other].criteria, measured[subset].criteria, strict=True)
    told = (f"{c.name} {' instead of '.join(alike(pair))}" for c, *pair in values if not are_equal(*pair))
    return ", ".join(told) or "the same numbers"


def set_in_lines(text: str, indent: int = 2) -> list[str]:
    """A text set in lines as wide as the terminal, where there is one, up to a limit."""
    return paragraph(text, line_width(), indent)


def line_width() -> int:
    """The width of the lines of a text."""
    return min(screen_width() or _MOST_WIDTH, _MOST_WIDTH)
