"""elicit score: attribute scores side by side, with their ranks and how far they agree; relevance on request."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elicit.alongside.display import Meter
from elicit.commands.arguments import column_groups, listed, refuse_beside
from elicit.commands.output import destination, say, screen_width, write_json
from elicit.commands.parsers import EXPLAINED, FIRST_SCORES
from elicit.commands.relevance import relevance_of
from elicit.commands.reproduce import reproduce
from elicit.commands.status import DONE, complain
from elicit.data import Data, load, model_of, refuse_gaps, regrouped, without
from elicit.errors import InputError
from elicit.numeric import MOST_DIGITS, whole_in
from elicit.oracles.columns import Columns, columns_of
from elicit.printable import aligned, many, padded, paragraph, printable, told_apart, width
from elicit.scores.agreement import kendall, ranks, spearman
from elicit.scores.protocol import Floats
from elicit.scores.registry import MEASURES, Measure, score_named, taking_gaps
from elicit.scores.relevance import ALL_SUBSETS, Relevance

#: Folds of --relevance, and the level of its tests.
FOLDS, LEVEL = 10, 0.05


@dataclass(frozen=True)
class Column:
    """One score of all attributes."""

    measure: Measure
    options: Mapping[str, Any]
    values: Floats

    @property
    def ranks(self) -> Floats:
        """Rank 1 is the best."""
        return ranks(self.values, self.measure.higher_is_better)


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    if args.list:
        refuse_beside("list", args)
        for line in listing():
            say(line)
        return DONE
    if args.reproduce is not None:
        refuse_beside("reproduce", args)
        return reproduce()
    if args.data is None:
        raise InputError("say which data: elicit score DATA --target COL, or elicit score --list")
    _refuse_idle_options(args)
    level = LEVEL if args.level is None else args.level
    data = _data(args)
    columns = columns_of(data.X, data.columns, data.groups)
    names = columns.attributes.names
    measures = _measures_of(args.by, data, args.relevance)
    options = _options(args, measures, data)
    relevances: tuple[Relevance, ...] = ()
    computed = False
    try:
        with destination(args.json, args.data) as out:
            with Meter(sys.stderr) as meter:
                found, troubles = _compute_scores(measures, options, data, columns, meter)
                if args.relevance:
                    relevances = relevance_of(data, args.model, args.folds or FOLDS, args.subsets, level, meter)
            computed = True
            if out is not None:
                write_json(out, _as_json(args, names, found, relevances))
    finally:  # it may have taken hours: it is told even where the file cannot be written
        if computed:
            told = [*_data_lines(args.data, data, len(names)), *(_not_shown(measures, data) if args.by is None else ())]
            for line in told:
                say(line)
            _print_results(names, found, relevances, level)
    _report_troubles(troubles)
    return DONE


def _data_lines(called: str, data: Data, attributes: int) -> Iterator[str]:
    """What was scored, and how the data were read."""
    kind = "classes" if data.classes else "numbers"
    size = f"{many(len(data.X), 'row')}, {many(attributes, 'attribute')}"
    yield f"{called}: {size}, a target of {kind}"
    yield from (f"note: {note}" for note in data.notes)


def _not_shown(measures: Sequence[Measure], data: Data) -> Iterator[str]:
    """Which scores would stand beside these, had the data no gaps."""
    suitable = [name for name in FIRST_SCORES if score_named(name).serves(data.classes)]
    others = [name for name in suitable if score_named(name) not in measures]
    if measures and others:
        yield f"note: {', '.join(others)} are not shown: they take no missing values; fill these in the file for them"


def _print_results(
    names: Sequence[str], found: Sequence[Column], relevances: Sequence[Relevance], level: float
) -> None:
    """The scores beside each other, how far they agree, and what is relevant."""
    columns = screen_width()
    heads = list(map(printable, names)) if columns is None else told_apart(names)
    if found:
        print("\n".join(_side_by_side(heads, found)))
    if len(found) > 1 and len(names) > 1:
        say("agreement of the ranks: Spearman's rho above the diagonal, Kendall's tau below")
        print("\n".join(_agreement(found)))
    if relevances:
        say(f"relevance at level {level:g}, with the comparison that speaks for each attribute the most:")
        print("\n".join(_relevance_lines(heads, names, relevances, columns)))
    if relevances and len(names) > ALL_SUBSETS:
        say("irrelevant: not shown by the subsets that were tried; more --subsets and --folds show more")


def _data(args: argparse.Namespace) -> Data:
    """The data, in groups, without what is dropped."""
    drop = listed(args.drop)
    data = load(args.data, args.target, tidy=args.tidy, dropped=drop, holds=args.holds, model=args.model)
    data = regrouped(data, column_groups(args.groups))
    there = [name for name in drop if name not in data.left_out]
    if not there:
        return data
    attributes = columns_of(data.X, data.columns, data.groups).attributes
    dropped = attributes.mask(there, "--drop")
    if dropped == attributes.everything:
        raise InputError("--drop leaves no attribute to score; drop fewer")
    return without(data, attributes.subset(dropped))


def _refuse_idle_options(args: argparse.Namespace) -> None:
    """Refuse options of --relevance without it."""
    idle = [name for name in ("folds", "subsets", "level") if getattr(args, name) is not None]
    if idle and not args.relevance:
        raise InputError(f"--{idle[0]} is for --relevance; add that, or leave it out")


def listing() -> Iterator[str]:
    """Every score with its meaning and its options."""
    for measure in MEASURES:
        serves = "" if measure.targets == "both" else f" (target of {measure.targets})"
        yield f"{measure.name}{serves}: {measure.meaning}"
        order = "more is better" if measure.higher_is_better else "less is better"
        group = {"largest": "the best of its columns", "sum": "the sum of its columns", "joint": "its columns together"}
        gaps = "; takes missing values" if measure.gaps else ""
        yield f"    {order}{gaps}; a group of columns gets: {group[measure.groups]}"
        if measure.options:
            yield "    options: " + ", ".join(
                f"{name}={_default_in_words(value)}" for name, value in measure.options.items()
            )


def _default_in_words(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | None) else str(value)


def _measures_of(by: str | None, data: Data, relevance: bool) -> list[Measure]:
    """The scores of --by, or those that are shown when nothing is asked for."""
    if by is None:
        first = [measure for measure in map(score_named, FIRST_SCORES) if measure.serves(data.classes)]
        return [] if relevance else [measure for measure in first if measure.gaps or not data.missing]
    measures = [score_named(name) for name in listed(by)]
    if not measures:
        raise InputError("--by names no score; elicit score --list shows them all")
    for k, measure in enumerate(measures):
        if measure in measures[:k]:
            raise InputError(f"--by names {measure.name!r} twice; name each score once")
        if not measure.serves(data.classes):
            here = "classes" if data.classes else "numbers"
            raise InputError(f"{measure.name} needs a target of {measure.targets}, this one holds {here}; leave it out")
        if not measure.gaps:
            refuse_gaps(measure.name, data.gap, f"use {' or '.join(taking_gaps(data.classes))}")
    return measures


def _options(args: argparse.Namespace, measures: Sequence[Measure], data: Data) -> dict[str, dict[str, Any]]:
    """The options of each score: those that are given one by one, and the model for the scores that explain one."""
    options = _given_options(args.option, measures)
    if args.model is not None:
        explained = [measure for measure in measures if measure.name in EXPLAINED]
        if not explained and not args.relevance:
            raise InputError(f"--model is for --relevance and {', '.join(EXPLAINED)}; add one of them, or leave it out")
        for measure in explained:
            options.setdefault(measure.name, {})["model"] = model_of(args.model, data.classes, data.missing)
    return options


def _given_options(given: Sequence[str], measures: Sequence[Measure]) -> dict[str, dict[str, Any]]:
    """The options of each score, from texts SCORE.NAME=VALUE."""
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        left, equals, value = text.partition("=")
        score, dot, name = left.partition(".")
        if not (equals and dot and name):
            raise InputError(f"--option is SCORE.NAME=VALUE, such as relieff.neighbours=20; found {text!r}")
        measure = score_named(score)
        if measure not in measures:
            raise InputError(f"--option {text!r}: {measure.name} is not among the scores; add it to --by")
        chosen, key = found.setdefault(measure.name, {}), name.replace("-", "_")
        measure.check_option(key)
        if key in chosen:
            raise InputError(f"--option {text!r}: {key} of {measure.name} is given twice; give it once")
        chosen[key] = _option_value(value)
    return found


def _option_value(text: str) -> Any:
    """The value of an option: as JSON where it is JSON, otherwise the text itself."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_whole_option)
    except json.JSONDecodeError:
        return {"none": None, "None": None}.get(text, text)


def _whole_option(text: str) -> int:
    size = whole_in(text.removeprefix("-"))
    if size is None:
        raise InputError(f"--option takes whole numbers of at most {MOST_DIGITS} digits, found {text!r:.40}")
    return -size if text.startswith("-") else size


def _refuse_constant(text: str) -> Any:
    raise InputError(f"--option takes finite numbers, found {text}")


def _compute_scores(
    measures: Sequence[Measure],
    options: Mapping[str, Mapping[str, Any]],
    data: Data,
    columns: Columns,
    meter: Meter,
) -> tuple[list[Column], list[InputError]]:
    """Every score that can be computed, and an error for each that cannot; if none can, the errors are raised."""
    found, troubles = [], []
    for k, measure in enumerate(measures):
        meter.update(k / len(measures), f"computing {measure.name}")
        kwargs = {**measure.told(data.classes), **options.get(measure.name, {})}
        try:
            with warnings.catch_warnings(record=True) as caught:
                values = measure.scores(data.X, data.y, columns.positions, **kwargs)
        except (TypeError, ValueError) as error:  # perhaps an option that only the library behind it understands
            troubles.append(_naming_the_score(error, measure, kwargs))
            continue
        meter.clear()
        for text in dict.fromkeys(str(warning.message) for warning in caught):
            complain(f"{measure.name}: {text}")
        found.append(Column(measure, kwargs, values))
    if not found:
        _report_troubles(troubles)
    return found, troubles


def _report_troubles(troubles: Sequence[InputError]) -> None:
    """Complain about each error, and raise the last one, which ends the command."""
    for trouble in troubles[:-1]:
        complain(str(trouble))
    if troubles:
        raise troubles[-1]


def _naming_the_score(error: Exception, measure: Measure, options: Mapping[str, Any]) -> InputError:
    """The same error, with the name of the score where its text lacks it."""
    if not isinstance(error, InputError):
        return InputError(f"{measure.name} cannot be computed with {dict(options)}: {error}")
    return error if measure.name in str(error) else InputError(f"{measure.name}: {error}")


def _side_by_side(names: Sequence[str], found: Sequence[Column]) -> list[str]:
    """A table with a row for each attribute, the best mean rank first; each score is followed by its rank."""
    places = np.array([column.ranks for column in found])
    mean = places.mean(axis=0)
    order = np.argsort(mean, kind="stable")
    columns = [["attribute", *(names[i] for i in order)]]
    for column, place in zip(found, places, strict=True):
        columns.append(
            _to_the_right(column.measure.name, (f"{column.values[i]:.4g} ({place[i]:g})" for i in order), 16)
        )
    if len(found) > 1:
        columns.append(_to_the_right("mean rank", (f"{mean[i]:.4g}" for i in order)))
    return aligned(list(zip(*columns, strict=True)), screen_width())


def _to_the_right(head: str, cells: Iterable[str], least: int = 0) -> list[str]:
    """A right-aligned column with its heading, at least `least` characters wide."""
    column = [head, *cells]
    most = max(least, *map(len, column))
    return [cell.rjust(most) for cell in column]


def _agreement(found: Sequence[Column]) -> list[str]:
    """A table of Spearman's ρ above the diagonal, Kendall's τ below."""
    names = [column.measure.name for column in found]
    rho, tau = (how([column.ranks for column in found]) for how in (spearman, kendall))
    columns = [["", *names]]
    for j, name in enumerate(names):
        cells = ["" if i == j else f"{(rho if j > i else tau)[i, j]:.3f}" for i in range(len(names))]
        columns.append(_to_the_right(name, cells, 6))
    return aligned(list(zip(*columns, strict=True)), screen_width())


def _relevance_lines(
    heads: Sequence[str], names: Sequence[str], relevances: Sequence[Relevance], columns: int | None
) -> Iterator[str]:
    """A line for each attribute, called by its head; on a terminal of so many columns it goes on below at a space."""
    for head, verdict in zip(heads, relevances, strict=True):
        everything = len(names) > 1 and len(verdict.among) == len(names) - 1
        among = "all others" if everything else ", ".join(printable(names[j]) for j in verdict.among)
        found = f"gain {verdict.gain:+.4f}, p {verdict.p:.2g}, beside {among or 'none'}"
        key = f"{padded(head, max(map(width, heads)))}  {verdict.kind:<15}  "
        if columns is None or width(key + found) <= columns:
            yield key + found
        else:
            yield key.rstrip()
            yield from paragraph(f"    {found}", columns)


def _as_json(
    args: argparse.Namespace, names: Sequence[str], found: Sequence[Column], relevances: Sequence[Relevance]
) -> dict[str, Any]:
    """Everything as JSON; a number that JSON does not know (infinite, or undefined) is null."""
    rankings = [column.ranks for column in found]
    plain: dict[str, Any] = {"data": args.data, "target": args.target, "attributes": list(names)}
    plain["scores"] = {
        column.measure.name: {
            "values": _finite(column.values),
            "ranks": column.ranks.tolist(),
            "options": {key: value if _is_plain(value) else str(value) for key, value in column.options.items()},
        }
        for column in found
    }
    if found:
        plain["agreement"] = {how.__name__: [_finite(row) for row in how(rankings)] for how in (spearman, kendall)}
    if relevances:
        plain["relevance"] = [
            {"kind": v.kind, "gain": v.gain, "p": v.p, "among": [names[j] for j in v.among]} for v in relevances
        ]
    return plain


def _finite(values: Floats) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list)
