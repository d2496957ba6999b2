"""elicit score: attribute scores side by side, with their ranks and how far they agree; relevance on request."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from typing import Any

import numpy as np

from elicit.alongside.display import Meter
from elicit.commands.arguments import refuse_beside
from elicit.commands.chosen_data import chosen_data
from elicit.commands.output import destination, say, write_json
from elicit.commands.parsers import RELEVANCE_MODEL
from elicit.commands.relevance import judges_of, relevance_of
from elicit.commands.reproduce import reproduce
from elicit.commands.score_choice import listing, measures_of, named_measures, named_options, not_shown, options_of
from elicit.commands.score_tables import Column, print_results
from elicit.commands.status import DONE, complain
from elicit.data import Data
from elicit.data.tidying import FILLED
from elicit.errors import CellError, InputError
from elicit.numeric import whole
from elicit.oracles.columns import Columns, columns_of
from elicit.printable import many
from elicit.scores.agreement import kendall, spearman
from elicit.scores.inputs import DependenceWarning
from elicit.scores.protocol import Floats
from elicit.scores.registry import Measure
from elicit.scores.relevance import MOST_SUBSETS, Relevance, least_p, refuse_no_level

#: Folds of --relevance, and the level of its tests.
FOLDS, LEVEL = 10, 0.05


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
    return _score(args)


def _score(args: argparse.Namespace) -> int:
    """Score the attributes of the data, and tell what is relevant where that is wanted."""
    if args.data is None:
        raise InputError("say which data: elicit score DATA --target COL, or elicit score --list")
    _refuse_idle_options(args)
    level = LEVEL if args.level is None else args.level
    refuse_no_level(level)
    if args.subsets is not None:
        whole("subsets", args.subsets, most=MOST_SUBSETS)
    named = None if args.by is None else named_measures(args.by)
    given = named_options(args.option, named)
    model = args.model or RELEVANCE_MODEL
    how = {key: getattr(args, key) for key in ("tidy", "holds", "model", "groups", "drop")}
    data = chosen_data(args.data, args.target, **how)
    columns = columns_of(data.X, data.columns, data.groups)
    names = columns.attributes.names
    measures = measures_of(named, data, args.relevance)
    options = options_of(given, args.model, measures, data, args.relevance)
    folds = args.folds or FOLDS
    judges = judges_of(data, model, folds) if args.relevance else None
    heading = [*_data_lines(args.data, data, len(names)), *(not_shown(measures, data) if args.by is None else ())]
    found, relevances = list[Column](), list[Relevance]()
    with ExitStack() as at_the_end, destination(args.json, args.data) as out:
        # after hours, perhaps: it is told even if what follows is interrupted, or the file cannot be written
        judged = f"{model} at level {level:g}"
        at_the_end.callback(print_results, heading, names, found, relevances, judged, _what_may_show(folds, level))
        with Meter(sys.stderr) as meter:
            troubles = _compute_scores(measures, options, data, columns, meter, found)
            unasked = [trouble for trouble in troubles if args.by is None and trouble[0].name not in options]
            heading += [f"note: left out: {line}" for line in _in_words(unasked)]  # shown only where they suit
            if judges is not None:
                relevances += relevance_of(judges, args.subsets, level, meter)
        if out is not None:
            write_json(out, _as_json(args, names, found, relevances))
    _report_troubles([trouble for trouble in troubles if trouble not in unasked])
    return DONE


def _what_may_show(folds: int, level: float) -> str:
    """What may show a gain where none was shown; with few folds nothing can."""
    if (least := least_p(folds)) <= level:
        return "more rows or folds may show one, or more subsets where not all were tried"
    enough = next(k for k in count(folds) if least_p(k) <= level)
    return f"with {folds} folds none can be shown, for p is {least:.3g} at least: give --folds {enough} or more"


def _data_lines(called: str, data: Data, attributes: int) -> Iterator[str]:
    """What was scored, and how the data were read."""
    kind = "classes" if data.classes else "numbers"
    size = f"{many(len(data.X), 'row')}, {many(attributes, 'attribute')}"
    yield f"{called}: {size}, a target of {kind}"
    yield from (f"note: {note.removesuffix(FILLED)}" for note in data.notes)  # scores take gaps as they are, or not


def _refuse_idle_options(args: argparse.Namespace) -> None:
    """Refuse options of --relevance without it."""
    idle = [name for name in ("folds", "subsets", "level") if getattr(args, name) is not None]
    if idle and not args.relevance:
        raise InputError(f"--{idle[0]} is for --relevance; add that, or leave it out")


def _compute_scores(
    measures: Sequence[Measure],
    options: Mapping[str, Mapping[str, Any]],
    data: Data,
    columns: Columns,
    meter: Meter,
    found: list[Column],
) -> list[tuple[Measure, InputError]]:
    """Put every score that can be computed into `found`; give an error for each that cannot, or raise if none can."""
    troubles = list[tuple[Measure, InputError]]()
    for k, measure in enumerate(measures, start=1):
        # one score may take a thousand times what another does: how many are done says nothing of the time left
        meter.update(0.0, f"computing {measure.name}, {k} of {len(measures)}")
        kwargs = {**measure.told(data.classes), **options.get(measure.name, {})}
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", DependenceWarning)
                values = measure.scores(data.X, data.y, columns.positions, **kwargs)
        except (TypeError, ValueError) as error:  # perhaps an option that only the library behind it understands
            troubles.append((measure, _naming_the_score(error, measure, kwargs, data.columns)))
            continue
        meter.clear()
        for text in dict.fromkeys(_in_names(warning.message, data.columns) for warning in caught):
            complain(f"{measure.name}: {text}")
        found.append(Column(measure, kwargs, values))
    if not found:
        _report_troubles(troubles)
    return troubles


def _in_names(warning: Warning | str, columns: Sequence[str]) -> str:
    """What a warning says, with the names of columns where it tells of some."""
    return warning.called(columns) if isinstance(warning, DependenceWarning) else str(warning)


def _report_troubles(troubles: Sequence[tuple[Measure, InputError]]) -> None:
    """Complain about each error, and raise the last one, which ends the command."""
    told = _in_words(troubles)
    for line in told[:-1]:
        complain(line)
    if told:
        raise InputError(told[-1])


def _in_words(troubles: Sequence[tuple[Measure, InputError]]) -> list[str]:
    """What each error says, one of several scores once."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for measure, trouble in troubles:  # each names its score
        around = tuple(_named(measure).split(str(trouble), maxsplit=1))
        alike.setdefault(around, []).append(measure.name)
    return [", ".join(names).join(around) for around, names in alike.items()]


def _naming_the_score(
    error: Exception, measure: Measure, options: Mapping[str, Any], columns: Sequence[str]
) -> InputError:
    """The same error, with the name of the score where its text lacks it, and that of the column at fault."""
    if not isinstance(error, InputError):
        return InputError(f"{measure.name} cannot be computed with {dict(options)}: {error}")
    error = error.called(columns[error.column]) if isinstance(error, CellError) else error
    return error if _named(measure).search(str(error)) else InputError(f"{measure.name}: {error}")


def _named(measure: Measure) -> re.Pattern[str]:
    """The name of a score as a word of its own: that of `f` is in many words."""
    return re.compile(rf"(?<![\w-]){re.escape(measure.name)}(?![\w-])")


def _as_json(
    args: argparse.Namespace, names: Sequence[str], found: Sequence[Column], relevances: Sequence[Relevance]
) -> dict[str, Any]:
    """Everything as JSON; a number that JSON does not know (infinite, or undefined) is null.

    Of a relevance, `p` decided the kind, and `p_beside` is that of the one comparison with `gain` and `among`.
    """
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
            {"kind": v.kind, "p": v.p, "gain": v.gain, "among": [names[j] for j in v.among], "p_beside": v.p_beside}
            for v in relevances
        ]
    return plain


def _finite(values: Floats) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list)
