"""Every method by its name, with the one parameter that may follow a colon: "gsfs:3", "ranking:fisher".

A name that ends in " (unlimited)" is the method without a budget: it goes on to its own end.
The rule: a method is registered by one entry of `METHODS` and nowhere else. What a method reads of the
data, besides what the oracle measures, it reads through `Material`, and its entry says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np

from elicit.errors import InputError, nearest
from elicit.methods.consistency import Inconsistency
from elicit.methods.elimination import Elimination
from elicit.methods.focus import Focus
from elicit.methods.frame import Ended, Explorer, Search, Space
from elicit.methods.sequential import Floating, PlusMinus, Sequential
from elicit.methods.stochastic import LEAST_POPULATION, Genetic, HillClimbing, Random
from elicit.methods.surrogate import Surrogate
from elicit.methods.systematic import Adaptive, Exhaustive, Ranking
from elicit.numeric import whole_in
from elicit.scores import Measure, score_named
from elicit.subsets import Mask


class Material(Protocol):
    """What methods read of the data; every number list is one number an attribute."""

    def scores(self, by: str) -> Sequence[float]:
        """The attribute score of this name, the greater the better."""
        ...

    def inconsistency(self, tolerance: float) -> Inconsistency:
        """The share of cases that agree on a subset with a case of another class."""
        ...

    def importance(self, subset: Mask) -> Sequence[float]:
        """How much a model that is fitted on a subset relies on each of its attributes."""
        ...


@dataclass(frozen=True)
class Entry:
    """A method by its name. `needs`: what it reads besides the oracle; `classes`: whether it is for classes alone;
    `gaps`: whether what it reads of the data may have missing values (a model fills them itself).

    `read` turns the text after the colon into the parameter; `make` makes the explorer of it.
    """

    name: str
    meaning: str
    make: Callable[[Any, Any], Explorer]
    parameter: str = ""
    default: Any = None
    read: Callable[[str], Any] = str
    needs: Literal["", "data", "model"] = ""
    classes: bool = False
    gaps: bool = True


#: What ends the name of a method that no budget ends.
UNLIMITED = " (unlimited)"


def classical(name: str) -> bool:
    """Whether a name, with or without a parameter, is that of a method of this registry."""
    return name.removesuffix(UNLIMITED).partition(":")[0] in METHODS


def _whole(text: str, least: int = 1) -> int:
    found = whole_in(text)
    if found is None or found < least:
        raise InputError(f"expected a whole number of at least {least}, found {text!r:.40}")
    return found


def _pair(text: str) -> tuple[int, int]:
    first, _, second = text.partition(",")
    forward, back = whole_in(first), whole_in(second)
    if forward is None or back is None or forward == back:
        raise InputError(f"expected two different whole numbers, such as 3,1; found {text!r:.40}")
    return forward, back


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(f"expected a number of at least 0, found {text!r}")
    return value


def _score(text: str) -> str:
    return text if text == ALONE else score_named(text).name


#: The ranking by what each attribute does alone, as the oracle measures it.
ALONE = "alone"


def _ranking(material: Material | None, by: str) -> Explorer:
    if by == ALONE:
        return Ranking()
    assert material is not None
    return Ranking(tuple(material.scores(by)))


def _focus(material: Material, tolerance: float) -> Explorer:
    try:
        return Focus(material.inconsistency(tolerance))
    except InputError as error:  # more pairs of cases than can be compared
        return _Unable(str(error))


@dataclass(frozen=True)
class _Unable:
    """The explorer of a method that these data are too many for: it ends at once, and keeps no other from playing."""

    why: str

    def __call__(self, space: Space, rng: np.random.Generator) -> Search:  # noqa: ARG002
        yield from ()
        return Ended(self.why)


def _back(text: str) -> str:
    if text not in STEPS_BACK:
        raise InputError(f"expected {' or '.join(map(repr, STEPS_BACK))}, found {text!r}")
    return text


#: When a floating search takes a step back, by whose rule that is: mlxtend's, or that of its authors, Pudil and others.
STEPS_BACK = {"mlxtend": True, "pudil": False}

#: The parameter of floating searches, with its default and how it is read.
_STEP_BACK = ("the rule of steps back, mlxtend or pudil", "mlxtend", _back)

_LIST = (
    Entry("sfs", "sequential forward selection", lambda _, __: Sequential()),
    Entry("sbs", "sequential backward selection", lambda _, __: Sequential(forward=False)),
    Entry("gsfs", "forward, a group at a time", lambda _, g: Sequential(True, g), "the group's size", 2, _whole),
    Entry("gsbs", "backward, a group at a time", lambda _, g: Sequential(False, g), "the group's size", 2, _whole),
    Entry("sffs", "floating forward selection", lambda _, back: Floating(True, STEPS_BACK[back]), *_STEP_BACK),
    Entry("sfbs", "floating backward selection", lambda _, back: Floating(False, STEPS_BACK[back]), *_STEP_BACK),
    Entry(
        "plus-l-minus-r", "plus l, take away r", lambda _, lr: PlusMinus(*lr), "the pair of steps l,r", (2, 1), _pair
    ),
    Entry("ranking", "every prefix of a ranking", _ranking, f"the score (or {ALONE!r})", "f", _score, "data"),
    Entry("exhaustive", "every subset, small ones first", lambda _, __: Exhaustive()),
    Entry(
        "focus",
        "the smallest consistent subsets",
        _focus,
        "the tolerance, in standard deviations",
        0.5,
        _tolerance,
        "data",
        classes=True,
        gaps=False,
    ),
    Entry("sac", "a ranking of single performances, cut by Fisher's discriminant", lambda _, __: Adaptive()),
    Entry(
        "rfe",
        "recursive elimination by a model's importances",
        lambda material, step: Elimination(material.importance, step),
        "the number of attributes a step",
        1,
        _whole,
        "model",
    ),
    Entry("random", "subsets at random", lambda _, __: Random()),
    Entry("hill-climb", "hill climbing with restarts", lambda _, __: HillClimbing()),
    Entry("surrogate", "a Bayesian model of attributes and pairs", lambda _, __: Surrogate()),
    Entry(
        "genetic",
        "a genetic algorithm",
        lambda _, p: Genetic(p),
        "the population",
        10,
        partial(_whole, least=LEAST_POPULATION),
    ),
)

#: Every method by its name.
METHODS: Mapping[str, Entry] = {entry.name: entry for entry in _LIST}


@dataclass(frozen=True)
class Named:
    """A method as somebody wrote it: its entry, its parameter, and whether it goes on to its own end."""

    text: str
    entry: Entry
    parameter: Any
    unlimited: bool = False

    @property
    def needs(self) -> str:
        """What it reads besides the oracle: "", "data" or "model"."""
        return "" if self.entry.name == "ranking" and self.parameter == ALONE else self.entry.needs

    def serves(self, classes: bool) -> bool:
        """Whether it can do with a target of classes, or with one of numbers."""
        score = self._score
        return score.serves(classes) if score is not None else classes or not self.entry.classes

    @property
    def gaps(self) -> bool:
        """Whether it can do with data that have missing values."""
        score = self._score
        return self.entry.gaps if score is None else score.gaps

    @property
    def ranks_by(self) -> str | None:
        """The name of the attribute score that it ranks by, None where it has none."""
        return self.parameter if self.entry.name == "ranking" and self.needs else None

    @property
    def _score(self) -> Measure | None:
        return None if self.ranks_by is None else score_named(self.ranks_by)

    def explorer(self, material: Material | None = None) -> Explorer:
        """The explorer; one that needs data gets them from the material."""
        if self.needs and material is None:
            raise InputError(
                f"the method {self.text!r} needs {self.needs} besides the oracle; give it, or leave it out"
            )
        return self.entry.make(material, self.parameter)


def named(text: str) -> Named:
    """The method that a text such as "sffs", "gsfs:3" or "sffs (unlimited)" names."""
    unlimited = text.endswith(UNLIMITED)
    name, colon, rest = text.removesuffix(UNLIMITED).partition(":")
    if name not in METHODS:
        hint = nearest(name, METHODS, f"the methods are {', '.join(METHODS)}")
        raise InputError(f"unknown method {text!r:.40}{hint}")
    entry = METHODS[name]
    if not colon:
        return Named(text, entry, entry.default, unlimited)
    if not entry.parameter:
        raise InputError(f"the method {name!r} takes no parameter, found {text!r}")
    try:
        return Named(text, entry, entry.read(rest), unlimited)
    except InputError as error:
        raise InputError(f"in the method {text!r:.40}, {entry.parameter}: {error}") from None
