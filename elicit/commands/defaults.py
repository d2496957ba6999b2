"""elicit --defaults: every default with its meaning."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from textwrap import wrap
from typing import Any

from elicit.commands.output import say, screen_width
from elicit.commands.parsers import CLASSIFIER, REGRESSOR, TABLE_MODEL
from elicit.commands.status import DONE
from elicit.decide.settings import PRESETS, Settings
from elicit.knowledge.statements import WEIGHTS
from elicit.utility.kernel import NORM_WEIGHTS
from elicit.utility.tolerances import MARGIN

#: What `elicit` without an argument is about.
FIRST_SESSION = {"kind": "wrapper", "data": "wine", "model": "knn:3", "folds": 10}

#: How a session with a person differs from a simulated one: now and then a question repeats what answers imply.
SETTINGS: dict[str, Any] = {"check_every": 3}

#: What an `ElicitSelector` does unless it is told otherwise, said here because its own file takes long to load.
SELECTOR: dict[str, Any] = {"cv": 10, "budget": "auto", "questions": 15, "parsimony": 0.1, "prior": "auto", "batch": 4}

#: What its budget "auto" is.
SELECTOR_BUDGET = "a third of a whole forward path, n(n+1)/6, at least 5 n and 20, at most 400"

#: What the meanings below speak of.
WORDS = {
    "family": "all subsets that may be chosen",
    "front": "the evaluated subsets that none dominates, being worse in no criterion and better in one",
    "incumbent": "the evaluated subset that would be recommended now",
    "flip, swap": "one attribute more or fewer; one attribute in the place of another",
    "neighbours": "the subsets one flip or one swap away",
    "statement": "what measurements or an answer say of two subsets: one is better, or both are equal",
    "set of utilities": "those that fit the statements: the parsimonious set, or the exact one",
    "rejected": "passed over unmeasured, because no utility of the set finds it best",
    "theta": "one utility that fits the statements; it guesses, and proves nothing",
    "plausible operators": "a crowd of ways to weigh the criteria, each as likely as the answers make it",
    "model regret": "how much better another subset may be, by a utility of the set; 1: one clear answer",
}

#: How a meaning is laid out: the widest line, and what it begins with.
WIDTH = 100
INDENT = " " * 6


def run(_: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    for line in defaults(min(screen_width() or WIDTH, WIDTH)):
        say(line)
    return DONE


def defaults(columns: int) -> Iterator[str]:
    """Every default with its meaning, which is set in lines of so many columns."""
    yield "words:"
    yield from (f"  {word}: {meaning}" for word, meaning in WORDS.items())
    yield "settings of [elicit] in a scenario, and of a session:"
    plain = Settings().plain()
    for setting in fields(Settings):
        yield f"  {_written({setting.name: plain[setting.name]})}"
        yield from _wrapped(setting.metadata["meaning"], columns)
    yield "presets:"
    for name, choices in PRESETS.items():
        yield f"  {name}: {_written(choices) or 'the settings above'}"
    yield "c, the weight of a statement by its source:"
    for source, weight in WEIGHTS.items():
        yield f"  {source.value} = {weight:g}"
    yield "sets of utilities:"
    yield f"  delta, the margin of a strict statement in the exact set = {MARGIN:g}"
    yield f"  omega, the norm of the utility theta L2 by degree = {', '.join(f'{weight:g}' for weight in NORM_WEIGHTS)}"
    yield "models:"
    yield f"  of ask = {CLASSIFIER} for classes, {REGRESSOR} for numbers; of table = {TABLE_MODEL}"
    yield "an ElicitSelector, where it has defaults of its own:"
    yield f"  {_written(SELECTOR)}"
    yield f"  budget auto is {SELECTOR_BUDGET}"
    yield "a session without a command:"
    yield f"  {_written(FIRST_SESSION)}"
    yield "in every session with a person:"
    yield f"  {_written(SETTINGS)}"


def _written(choices: Mapping[str, Any]) -> str:
    """Choices as a scenario would write them, but for what is none, which it would leave out."""
    return ", ".join(f"{key} = {'none' if value is None else json.dumps(value)}" for key, value in choices.items())


def _wrapped(meaning: str, columns: int) -> list[str]:
    return wrap(meaning, columns, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False)
