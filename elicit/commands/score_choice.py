"""Which scores elicit score computes, and with which options: what --list shows, and what was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from elicit.commands.arguments import listed
from elicit.commands.parsers import EXPLAINED, FIRST_SCORES
from elicit.data import Data, model_of, refuse_gaps
from elicit.errors import InputError
from elicit.numeric import MOST_DIGITS, whole_in
from elicit.scores.registry import MEASURES, Measure, score_named, taking_gaps

#: The options of each score, by its name.
Options = dict[str, dict[str, Any]]


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


def named_measures(by: str) -> list[Measure]:
    """The scores of --by, whatever the data: a name that is none is refused before they are read."""
    measures = [score_named(name) for name in listed(by)]
    if not measures:
        raise InputError("--by names no score; elicit score --list shows them all")
    for k, measure in enumerate(measures):
        if measure in measures[:k]:
            raise InputError(f"--by names {measure.name!r} twice; name each score once")
    return measures


def measures_of(named: Sequence[Measure] | None, data: Data, relevance: bool) -> list[Measure]:
    """The scores that were named, as far as the data allow; or those that are shown when nothing is asked for."""
    if named is None:
        return [] if relevance else [measure for measure in _first(data) if measure.gaps or not data.missing]
    for measure in named:
        if not measure.serves(data.classes):
            here = "classes" if data.classes else "numbers"
            raise InputError(f"{measure.name} needs a target of {measure.targets}, this one holds {here}; leave it out")
        if not measure.gaps:
            refuse_gaps(measure.name, data.gap, f"use {' or '.join(taking_gaps(data.classes))}")
    return list(named)


def _first(data: Data) -> list[Measure]:
    """The scores that are shown when nothing is asked for, as far as they serve the target."""
    return [measure for measure in map(score_named, FIRST_SCORES) if measure.serves(data.classes)]


def not_shown(measures: Sequence[Measure], data: Data) -> Iterator[str]:
    """Which scores would stand beside these, had the data no gaps."""
    others = [measure.name for measure in _first(data) if measure not in measures]
    if measures and others:
        yield f"note: {', '.join(others)} are not shown: they take no missing values; fill these in the file for them"


def named_options(given: Sequence[str], named: Sequence[Measure] | None) -> Options:
    """The options of each score by its name, from texts SCORE.NAME=VALUE; `named` are the scores of --by."""
    found: Options = {}
    for text in given:
        left, equals, value = text.partition("=")
        score, dot, name = left.partition(".")
        if not (equals and dot and name):
            raise InputError(f"--option is SCORE.NAME=VALUE, such as relieff.neighbours=20; found {text!r}")
        measure = score_named(score)
        chosen, key = found.setdefault(measure.name, {}), name.replace("-", "_")
        measure.check_option(key)
        if key in chosen:
            raise InputError(f"--option {text!r}: {key} of {measure.name} is given twice; give it once")
        chosen[key] = _option_value(value)
    if named is not None:
        _require_among(named, found)
    return found


def _require_among(measures: Sequence[Measure], options: Options) -> None:
    """Refuse options of a score that is not computed."""
    computed = [measure.name for measure in measures]
    for name, chosen in options.items():
        if name not in computed:
            raise InputError(f"--option {name}.{next(iter(chosen))}: {name} is not among the scores; add it to --by")


def options_of(given: Options, model: str | None, measures: Sequence[Measure], data: Data, relevance: bool) -> Options:
    """The options of each score: those that are given one by one, and the model for the scores that explain one."""
    _require_among(measures, given)
    options = {name: dict(chosen) for name, chosen in given.items()}
    if model is not None:
        explained = [measure for measure in measures if measure.name in EXPLAINED]
        if not explained and not relevance:
            raise InputError(f"--model is for --relevance and {', '.join(EXPLAINED)}; add one of them, or leave it out")
        for measure in explained:
            options.setdefault(measure.name, {})["model"] = model_of(model, data.classes, data.missing)
    return options


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
