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

from elicit.commands.arguments import column_groups, listed
from elicit.commands.grammar import EXPLAINED, FIRST_SCORES
from elicit.commands.output import destination, screen_width
from elicit.commands.reproduce import reproduce
from elicit.commands.status import DONE, complain
from elicit.commands.verdicts import verdicts
from elicit.data import Data, load, model_of, refuse_gaps, regrouped, without
from elicit.errors import InputError
from elicit.oracles.columns import Columns, columns_of
from elicit.printable import aligned, many, printable
from elicit.scores.agreement import kendall, ranks, spearman
from elicit.scores.protocol import Floats
from elicit.scores.registry import MEASURES, Measure, score_named, taking_gaps
from elicit.scores.relevance import ALL_SUBSETS, Relevance
from elicit.session.display import Meter

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
        print("\n".join(listing()))
        return DONE
    if args.reproduce is not None:
        return reproduce()
    if args.data is None:
        raise InputError("say which data: elicit score DATA --target COL, or elicit score --list")
    _refuse_what_serves_nothing(args)
    level = LEVEL if args.level is None else args.level
    data = _data(args)
    columns = columns_of(data.X, data.columns, data.groups)
    measures = _chosen(args.by, data, args.relevance)
    options = _options(args.option, measures)
    if args.model is not None:
        explained = [measure for measure in measures if measure.name in EXPLAINED]
        if not explained and not args.relevance:
            raise InputError(f"--model is for --relevance and {', '.join(EXPLAINED)}; add one of them, or leave it out")
        for measure in explained:
            options.setdefault(measure.name, {})["model"] = model_of(args.model, data.classes, data.missing)
    judged: tuple[Relevance, ...] = ()
    with destination(args.json, args.data) as out:
        with Meter(sys.stderr) as meter:
            found, troubles = _scored(measures, options, data, columns, meter)
            if args.relevance:
                judged = verdicts(data, args.model, args.folds or FOLDS, args.subsets, level, meter)
        if out is not None:
            json.dump(_plain(args, columns.attributes.names, found, judged), out, indent=1, allow_nan=False)
            out.write("\n")
    kind = "classes" if data.classes else "numbers"
    names = [printable(name) for name in columns.attributes.names]
    size = f"{many(len(data.X), 'row')}, {many(len(names), 'attribute')}"
    print(f"{printable(args.data)}: {size}, a target of {kind}")
    for note in data.notes:
        print(f"note: {printable(note)}")
    if found:
        print("\n".join(_side_by_side(names, found)))
    if len(found) > 1 and len(names) > 1:
        print("\n".join(_agreement(found)))
    if judged:
        print("\n".join(_judged(names, judged, level)))
    _tell(troubles)
    return DONE


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


def _refuse_what_serves_nothing(args: argparse.Namespace) -> None:
    """Refuse options that only a part of the command listens to, where that part was not asked for."""
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
            yield "    options: " + ", ".join(f"{name}={_told(value)}" for name, value in measure.options.items())


def _told(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool | None) else str(value)


def _chosen(by: str | None, data: Data, relevance: bool) -> list[Measure]:
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


def _options(given: Sequence[str], measures: Sequence[Measure]) -> dict[str, dict[str, Any]]:
    """SCORE.NAME=VALUE, several times."""
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        left, equals, value = text.partition("=")
        score, dot, name = left.partition(".")
        if not (equals and dot and name):
            raise InputError(f"--option is SCORE.NAME=VALUE, such as relieff.neighbours=20; found {text!r}")
        measure = score_named(score)
        if measure not in measures:
            raise InputError(f"--option {text!r}: {measure.name} is not among the scores; add it to --by")
        mine, plain = found.setdefault(measure.name, {}), name.replace("-", "_")
        measure.check_option(plain)
        if plain in mine:
            raise InputError(f"--option {text!r}: {plain} of {measure.name} is given twice; give it once")
        mine[plain] = _value(value)
    return found


def _value(text: str) -> Any:
    """A number, true, false, null or a list of these as JSON has them; a text otherwise."""
    try:
        return json.loads(text, parse_constant=_refused)
    except json.JSONDecodeError:
        return {"none": None, "None": None}.get(text, text)


def _refused(text: str) -> Any:
    raise InputError(f"--option takes finite numbers, found {text}")


def _scored(
    measures: Sequence[Measure],
    options: Mapping[str, Mapping[str, Any]],
    data: Data,
    columns: Columns,
    meter: Meter,
) -> tuple[list[Column], list[InputError]]:
    """Every score that these data allow, and why others are not there; by these nothing is lost."""
    found, troubles = [], []
    for k, measure in enumerate(measures):
        meter.update(k / len(measures), f"computing {measure.name}")
        mine = {**measure.told(data.classes), **options.get(measure.name, {})}
        try:
            with warnings.catch_warnings(record=True) as caught:
                values = measure.scores(data.X, data.y, columns.positions, **mine)
        except (TypeError, ValueError) as error:  # perhaps an option that only the library behind it understands
            troubles.append(_named(error, measure, mine))
            continue
        meter.clear()
        for said in dict.fromkeys(str(warning.message) for warning in caught):
            complain(f"{measure.name}: {said}")
        found.append(Column(measure, mine, values))
    if not found:
        _tell(troubles)
    return found, troubles


def _tell(troubles: Sequence[InputError]) -> None:
    """Say of each what is wrong; the last one ends the command."""
    for trouble in troubles[:-1]:
        complain(str(trouble))
    if troubles:
        raise troubles[-1]


def _named(error: Exception, measure: Measure, options: Mapping[str, Any]) -> InputError:
    """An error that says which score it is about."""
    if not isinstance(error, InputError):
        return InputError(f"{measure.name} cannot be computed with {dict(options)}: {error}")
    return error if measure.name in str(error) else InputError(f"{measure.name}: {error}")


def _side_by_side(names: Sequence[str], found: Sequence[Column]) -> list[str]:
    """A row an attribute, the best mean rank first; the rank stands behind each score."""
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
    """A column of numbers below its head, at least so wide."""
    column = [head, *cells]
    wide = max(least, *map(len, column))
    return [cell.rjust(wide) for cell in column]


def _agreement(found: Sequence[Column]) -> Iterator[str]:
    """Spearman's ρ above the diagonal, Kendall's τ below."""
    names = [column.measure.name for column in found]
    rho, tau = (how([column.ranks for column in found]) for how in (spearman, kendall))
    yield "agreement of the ranks: Spearman's rho above the diagonal, Kendall's tau below"
    columns = [["", *names]]
    for j, name in enumerate(names):
        cells = ["" if i == j else f"{(rho if j > i else tau)[i, j]:.3f}" for i in range(len(names))]
        columns.append(_to_the_right(name, cells, 6))
    yield from aligned(list(zip(*columns, strict=True)), screen_width())


def _judged(names: Sequence[str], judged: Sequence[Relevance], level: float) -> Iterator[str]:
    rows = []
    yield f"relevance at level {level:g}, with the comparison that speaks for each attribute the most:"
    for name, verdict in zip(names, judged, strict=True):
        everything = len(names) > 1 and len(verdict.among) == len(names) - 1
        among = "all others" if everything else ", ".join(names[j] for j in verdict.among)
        gain = f"gain {verdict.gain:+.4f}, p {verdict.p:.2g}"
        rows.append((name, f"{verdict.kind:<15}", f"{gain}, beside {among or 'none'}"))
    yield from aligned(rows)
    if len(names) > ALL_SUBSETS:
        yield "irrelevant: not shown by the subsets that were tried; more --subsets and --folds show more"


def _plain(
    args: argparse.Namespace, names: Sequence[str], found: Sequence[Column], judged: Sequence[Relevance]
) -> dict[str, Any]:
    """As JSON holds it; a number that JSON cannot hold (infinity, no agreement) is null, its rank tells."""
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
    if judged:
        plain["relevance"] = [
            {"kind": v.kind, "gain": v.gain, "p": v.p, "among": [names[j] for j in v.among]} for v in judged
        ]
    return plain


def _finite(values: Floats) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list)
