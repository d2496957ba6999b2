"""Pictures in text: two subsets side by side, and the front as a plot, for any width of a terminal.

A line is a list of (style, text); a style is only ever an emphasis, what it means stands in the text too.
Names are data: whatever in them could steer a terminal is shown as an escape, and wide characters count
as the two columns that they take.
"""

from __future__ import annotations

from collections.abc import Sequence

from elicit.asks import Compare, Reconcile
from elicit.events import Criterion, Evaluated
from elicit.numeric import are_equal
from elicit.printable import (
    entry,
    enumerated,
    fitted,
    in_a_list,
    padded,
    paragraph,
    printable,
    rounded,
    squeezed,
    width,
    with_spreads,
    wrapped,
)
from elicit.subsets import Attributes, Mask

Line = list[tuple[str, str]]

#: The least width of the columns in which values stand.
_LEAST_VALUE_WIDTH = 12

#: Columns of the name of a criterion that is to leave room for numbers.
_BRIEF = 24

#: Columns from which on there is room to say which way is better in words.
_ROOMY = 72


def names(mask: Mask, attributes: Attributes) -> list[str]:
    """The names in a subset, fit to be shown, each but the last with its comma."""
    found = [in_a_list(printable(name)) for name in attributes.subset(mask)] if mask else ["nothing"]
    return [*(f"{name}," for name in found[:-1]), found[-1]]


def named(mask: Mask, attributes: Attributes) -> str:
    """A subset in braces, fit to be shown."""
    return "{" + " ".join(names(mask, attributes)) + "}"


def numbers(facts: Sequence[Evaluated], i: int, *, spread: bool = True) -> list[str]:
    """A criterion of subsets that are compared, each with its spread where it has one."""
    around = [fact.spread[i] if fact.spread and spread else None for fact in facts]
    return with_spreads([fact.criteria[i] for fact in facts], around)


def called(criterion: Criterion) -> str:
    """A criterion with its unit."""
    return printable(criterion.name + (f" [{criterion.unit}]" if criterion.unit else ""))


def heading(criterion: Criterion) -> str:
    """A criterion with its unit, and which way is better."""
    return called(criterion) + (" (more is better)" if criterion.maximise else " (less is better)")


def short_heading(criterion: Criterion) -> str:
    """A criterion where there is little room; with its unit, or "(min)" would be taken for minutes."""
    return called(criterion) + (" (max)" if criterion.maximise else " (min)")


def brief_heading(criterion: Criterion) -> str:
    """The same where a long name would take the room of numbers: without its middle, as its end says what is better."""
    return squeezed(short_heading(criterion), _BRIEF)


def lead(first: Evaluated, second: Evaluated, i: int, criterion: Criterion) -> tuple[str, str]:
    """Which of the two is better in a criterion ("A", "B" or ""), and by how much, in words."""
    pair = first.criteria[i], second.criteria[i]
    if are_equal(*pair):  # of two that read differently it would be false to say that they are the same
        return "", "the same" if rounded(pair[0]) == rounded(pair[1]) else "held equal"
    gap = pair[0] - pair[1]
    better = "A" if (gap > 0) == criterion.maximise else "B"
    return better, f"{better} leads by {rounded(abs(gap), 3)}"


def comparison(
    first: Evaluated,
    second: Evaluated,
    attributes: Attributes,
    criteria: Sequence[Criterion],
    columns: int,
    noisy: Sequence[str] = (),
) -> list[Line]:
    """Two subsets side by side: every criterion with its spread and who leads, then what is in which.

    `noisy` names the criteria in which the lead may be chance.
    """
    lines = _criteria(first, second, criteria, columns)
    if noisy:
        told = f" the lead in {enumerated(noisy)} is within noise: other data may turn it round"
        lines += [[("", line)] for line in paragraph(told, columns)]
    lines.append([])
    parts = (
        ("only in A", first.subset & ~second.subset, "bold"),
        ("only in B", second.subset & ~first.subset, "bold"),
        ("in both", first.subset & second.subset, ""),
    )
    for what, mask, style in parts:
        start = f" {what} ({mask.bit_count()}): "
        for k, text in enumerate(wrapped(names(mask, attributes), columns, 16, start.ljust(16))):
            lines.append([("", text[:16]), (style, text[16:])] if k == 0 else [(style, text)])
    return lines


def _criteria(first: Evaluated, second: Evaluated, criteria: Sequence[Criterion], columns: int) -> list[Line]:
    """A line a criterion, as roomy as the columns allow; where not even bare numbers fit beside each other, three.

    A number is never cut: half of one reads like another.
    """
    apart = int(columns >= 80)  # there a column more between what stands side by side
    for title, spread, words in _LAYOUTS:
        titles = [title(criterion) for criterion in criteria]
        if len({*titles}) < len(titles):
            continue  # without their middles two would look alike
        cells = [numbers((first, second), i, spread=spread) for i in range(len(criteria))]
        value = max(
            _LEAST_VALUE_WIDTH if columns >= _ROOMY else 0, *(width(cell) + 1 for pair in cells for cell in pair)
        )
        left = max(map(width, titles)) + 2 + apart
        room = columns - left - 2 * (value + 2) - apart
        if room >= words:
            break
    else:
        return _one_below_the_other(first, second, criteria, columns)
    lines: list[Line] = [[("bold", " " * left + "  " + padded("A", value) + "  B")]]
    leads = [lead(first, second, i, criterion) for i, criterion in enumerate(criteria)]
    told_in_words = _as_long_as_fits(leads, room)
    for name, pair, (better, _), told in zip(titles, cells, leads, told_in_words, strict=True):
        line: Line = [("", padded(f" {name}", left))]
        for side, cell in zip("AB", pair, strict=True):
            mark = "* " if side == better else "  "
            line.append(("better" if side == better else "", padded(mark + cell, value + 2)))
        lines.append([*line, ("", " " * apart), ("better" if better else "", told)])
    return lines


def _as_long_as_fits(leads: Sequence[tuple[str, str]], room: int) -> list[str]:
    """Who leads by how much, in words as long as there is room for: the same for all, but for what is too long."""
    full = [told for _, told in leads]
    narrow = [told.replace(" leads by ", " by ") for told in full]
    bare = [told.removeprefix(f"{better} leads ") for better, told in leads]  # the mark says who leads
    fitting = (words for words in (full, narrow, bare) if max(map(width, words), default=0) <= room)
    return next(fitting, [told if width(told) <= room else "" for told in bare])


#: From the roomiest on: how a criterion is called, whether its spread is told, and columns for who leads by how much.
_LAYOUTS = (
    (heading, True, 17),
    (short_heading, True, 17),
    (short_heading, True, 11),
    (brief_heading, True, 11),
    (short_heading, True, 0),
    (brief_heading, True, 0),
    (brief_heading, False, 11),
    (short_heading, False, 0),
    (brief_heading, False, 0),
)


def _one_below_the_other(
    first: Evaluated, second: Evaluated, criteria: Sequence[Criterion], columns: int
) -> list[Line]:
    lines: list[Line] = []
    for i, criterion in enumerate(criteria):
        better, _ = lead(first, second, i, criterion)
        lines.append([("", f" {squeezed(short_heading(criterion), columns - 1)}")])
        for side, told in zip("AB", numbers((first, second), i, spread=False), strict=True):
            mark = "* " if side == better else "  "
            lines.append([("better" if side == better else "", f"  {side} {mark}{told}")])
    return lines


def letters(request: Compare | Reconcile) -> dict[Mask, str]:
    """The letters by which the subsets of a question are called."""
    return {request.first.subset: "A", request.second.subset: "B"} if isinstance(request, Compare) else {}


def plain(line: Line) -> str:
    """A line without its emphasis."""
    return "".join(text for _, text in line).rstrip()


def front(
    points: Sequence[Evaluated],
    criteria: Sequence[Criterion],
    columns: int,
    rows: int,
    marks: dict[Mask, str],
) -> list[Line]:
    """The front drawn: the first criterion upwards, the second to the right (or the rank, when there is only one).

    Each with its unit and which way is better, as the question has it; so are those that are only listed.
    `marks` are letters for some of the subsets; every other one is an o.
    """
    if not points:
        return [[("", "Nothing was evaluated yet.")]]
    up = [p.criteria[0] for p in points]
    along = [p.criteria[1] for p in points] if len(criteria) > 1 else [float(k) for k in range(len(points))]
    label = max(width(rounded(v)) for v in (min(up), max(up))) + 2
    across, high = max(columns - label - 4, 8), max(rows - 3, 4)
    grid = [[" "] * across for _ in range(high)]
    rows_of = [high - 1 - round(_share(y, up) * (high - 1)) for y in up]
    for point, x, row in sorted(zip(points, along, rows_of, strict=True), key=lambda each: each[0].subset in marks):
        column = round(_share(x, along) * (across - 1))
        grid[row][column] = marks.get(point.subset, "o")
    told = {min(rows_of): rounded(max(up)), max(rows_of): rounded(min(up))}  # one, where all are the same
    lines: list[Line] = [[("", fitted(" " + _axis(criteria[0], columns - 1), columns))]]
    for r, cells in enumerate(grid):
        lines.append([("", told.get(r, "").rjust(label) + " |"), ("bold", "".join(cells).rstrip())])
    least, last = rounded(min(along)), rounded(max(along))
    ends = least.ljust(across - len(last)) + last if min(along) < max(along) else least.center(across).rstrip()
    lines.append([("", " " * label + " +" + "-" * across)])
    lines.append([("", fitted(" " * (label + 2) + ends, columns))])
    axis = _axis(criteria[1], columns - label - 2) if len(criteria) > 1 else "rank"
    lines.append([("", fitted(" " * (label + 2) + axis, columns))])
    if further := "; ".join(map(heading, criteria[2:])):
        lines += [[("", line)] for line in paragraph(f" not drawn: {further}", columns)]
    return lines


def _axis(criterion: Criterion, columns: int) -> str:
    """What an axis tells, in words where there is room."""
    told = heading(criterion)
    return told if width(told) <= columns else short_heading(criterion)


def _share(value: float, values: Sequence[float]) -> float:
    low, high = min(values), max(values)
    return 0.5 if high == low else (value - low) / (high - low)


def front_table(
    points: Sequence[Evaluated],
    attributes: Attributes,
    criteria: Sequence[Criterion],
    columns: int,
    marks: dict[Mask, str],
) -> list[Line]:
    """The front in words, best score first."""
    lines: list[Line] = []
    order = sorted(points, key=lambda p: (-p.criteria[0] if criteria[0].maximise else p.criteria[0], p.subset))
    for point in order:
        values = [f"{called(c)} {numbers((point,), i)[0]}" for i, c in enumerate(criteria)]
        mark = marks.get(point.subset, "o")
        words = [*(f"{value}," for value in values[:-1]), f"{values[-1]}:", *names(point.subset, attributes)]
        for k, text in enumerate(wrapped(words, columns, 4, f" {mark} ")):
            lines.append([("bold" if mark != "o" and k == 0 else "", text)])
    return lines


def flowing(texts: Sequence[str], columns: int) -> list[str]:
    """Texts side by side, as many in a line as fit."""
    lines, line = [], ""
    for text in texts:
        longer = f"{line}  {text}" if line else f" {text}"
        if line and len(longer) > columns:
            lines.append(line)
            line = f" {text}"
        else:
            line = longer
    return [fitted(text, columns) for text in (*lines, line)]


def text_lines(text: str, columns: int) -> list[Line]:
    """A text as a paragraph with a margin; one that fits keeps its spaces."""
    if width(printable(text)) < columns:
        return [[("", f" {printable(text)}")]]
    return [[("", line)] for line in entry(f" {text}", columns)]


def scrolled(body: Sequence[Line], scroll: int, room: int, columns: int) -> tuple[list[Line], int]:
    """As many lines as there is room for from where one has scrolled to, and where that is; what is left is told."""
    most = max(len(body) - room, 0)
    scroll = min(scroll, most)
    shown = list(body[scroll : scroll + room])
    if most > scroll and shown:
        shown[-1] = [("dim", fitted(f" … {most - scroll + 1} more lines: Page Down", columns))]
    return shown + [[] for _ in range(room - len(shown))], scroll
