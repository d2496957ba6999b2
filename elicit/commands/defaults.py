"""elicit --defaults: every default with its meaning."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from elicit.commands.status import DONE
from elicit.decide.settings import PRESETS, Settings
from elicit.knowledge.statements import WEIGHTS

#: What `elicit` without an argument is about.
FIRST_SESSION = {"kind": "wrapper", "data": "wine", "model": "knn:3", "folds": 10}

#: How a session with a person differs from a simulated one: now and then a question repeats what answers imply.
SETTINGS: dict[str, Any] = {"check_every": 3}

#: The meaning of every setting, for `elicit --defaults`.
MEANINGS: Mapping[str, str] = {
    "budget": "oracle calls; none: n(n+1)/2, at least 20, at most 10 n, never more than there are subsets",
    "questions": "the most questions put to the operator",
    "parsimony": 'tau of the parsimonious set, or "exact" for the exact set',
    "slack": "C, the weight of setting a statement aside",
    "weights": "w, the price of a unit of utility by degree: single attributes, pairs, triples",
    "degree": "the largest group of attributes with a utility of its own",
    "explore": "how subsets are proposed: gain, model, law, sequential or sequential-source",
    "theta": "the utility that ranks what was not evaluated: L2, L1 or max-margin",
    "pairs": "attributes expected to interact, two each: theta L2 believes in these pairs first; proofs assume nothing",
    "index": "the power index: of that utility (theta), or over the set of utilities (gap, joint); explore gain draws "
    "by the prior instead when more than 150 subsets are evaluated",
    "index_samples": "sampled subsets behind an index over the set",
    "law": "how a subset is drawn from the power index",
    "temperature": "T of the logistic law: the larger, the more even the draws",
    "draws": "draws from which the best is proposed",
    "neighbours": "explore model: share of the proposals that are neighbours of what theta likes best",
    "start": "subsets evaluated before anything is modelled",
    "first": "what is looked at first: all attributes and the way down (path), without it (all), or draws (drawn)",
    "patience": "rejections in a row after which the cheapest of the rejected is evaluated all the same",
    "recommend": "what is recommended: worth most to plausible operators (expected), or of least max regret (regret)",
    "worth": "policy value: the least worth of an answer, in shares of what the better half of the front spans",
    "policy": "who is compared: value, favourite, current, split, ranking, one-flip or none",
    "ask_every": "evaluations between two questions; 0: whenever there is something to ask",
    "last_questions": "questions kept for the end",
    "doubt": "policy value: how likely an implied answer must be wrong to be checked; 1: never",
    "check_every": "answers after which one question repeats what they imply; 0: never",
    "scope": "what the rule `optimal` proves among: family, size:K (at most K attributes), flips:R, or evaluated",
    "stop": "rules that may end the run besides the budget",
    "epsilon": "model regret at which the rule `regret` stops",
    "rejections": "rejections in a row at which the rule `rejections` stops",
    "effort": "subcubes that a check of optimality over all subsets may look at",
    "batch": "evaluations that may be open at once",
    "assume": "what is assumed of the operator: nothing, linear (fixed rates) or additive (worths add up)",
    "noise_level": "level at which paired fold scores must differ for dominance; 0: means as they are",
    "noise_ratio": "held-out rows for each training row, for noise_level; 0: those of one round of k folds",
}


def run(_: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    print("\n".join(defaults()))
    return DONE


def defaults() -> Iterator[str]:
    """Every default with its meaning."""
    yield "settings of [elicit] in a scenario, and of a session:"
    for name, value in Settings().plain().items():
        shown = "none" if value is None else json.dumps(value)
        yield f"  {name} = {shown}"
        yield f"      {MEANINGS.get(name, '')}".rstrip()
    yield "presets:"
    for name, choices in PRESETS.items():
        yield f"  {name}: " + (", ".join(f"{k} = {v}" for k, v in choices.items()) or "the settings above")
    yield "c, the weight of a statement by its source:"
    for source, weight in WEIGHTS.items():
        yield f"  {source.value} = {weight:g}"
    yield "a session without a command:"
    yield "  " + ", ".join(f"{key} = {value}" for key, value in FIRST_SESSION.items())
    yield "in every session with a person:"
    yield "  " + ", ".join(f"{key} = {value}" for key, value in SETTINGS.items())
