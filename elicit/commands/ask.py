"""elicit ask: a session on data of one's own, with defaults that suit classes and numbers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elicit.commands.arguments import column_groups, listed, mask_of_listed
from elicit.commands.chosen_data import reading
from elicit.commands.defaults import SETTINGS
from elicit.commands.output import check_place
from elicit.commands.parsers import CLASSIFIER, REGRESSOR
from elicit.commands.session import PlayOptions, begun_at, data_summary, free_path, play_session, unfinished_note
from elicit.data import BUILT_IN, Data, load, regrouped, without
from elicit.data.costs import listed_costs
from elicit.data.soundness import warnings_about
from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.events import EXTRAS
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.oracles.columns import columns_of
from elicit.oracles.naming import known_names
from elicit.printable import many, printable
from elicit.scores.answers import refuse_unknown_scoring
from elicit.scores.registry import score_named
from elicit.sessions import begin
from elicit.sources.oracle import wrapper_of
from elicit.sources.prior import prior_named
from elicit.subsets import Attributes, Family

#: How many of the attributes that a prior ranks first are named.
MOST_EXPECTED = 3

#: Paths of what a process has open: to the process that resumes a session they mean something else, or nothing.
_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    stem = f"elicit-{Path(args.data).name.partition('.')[0]}"
    path = free_path(stem) if args.journal is None else args.journal
    check_place(args.output, args.data, args.cost, path)
    _require_file(args.data)
    settings = _settings(args)
    if args.prior is not None:
        score_named(args.prior)  # a name that is none is refused before anything is read
    if args.scoring is not None:
        refuse_unknown_scoring(args.scoring)
    listed(args.keep)  # as are broken quotes
    section, data = _read(args)
    attributes = columns_of(data.X, data.columns, data.groups).attributes
    family = _family(args, data, attributes)
    dropped = attributes.subset(family.drop) if family.drop else ()
    if args.cost is not None:
        section["costs"] = _costs(Path(args.cost), data, attributes, dropped)
    oracle = wrapper_of(section, data)
    prior = None
    if args.prior is not None:
        prior = prior_named(
            args.prior, data, dropped=dropped, key=f"--prior {args.prior}", otherwise="leave --prior out"
        )
    left = unfinished_note(stem, oracle) if args.journal is None else ()
    start = partial(
        begin,
        oracle=oracle,
        settings=settings,
        family=family,
        seed=args.seed,
        prior=prior,
        rows=len(data.y),
        about={"oracle": section},
    )
    with begun_at(args.journal, stem, start) as session:
        notes = (*left, *_data_notes(data, section, dropped), *_assumption_note(args.assume or "nothing"))
        if prior is not None:
            notes += (_prior_note(args.prior, attributes, family, prior),)
        return play_session(session, oracle, section, PlayOptions(args.n_jobs, args.output, notes))


def _read(args: argparse.Namespace) -> tuple[dict[str, Any], Data]:
    """The [oracle] section that the arguments describe, but for the costs, and the data that it names."""
    criteria = _criteria(args)
    section: dict[str, Any] = {"kind": "wrapper", "data": args.data, "tidy": True, "folds": args.folds}
    for key in ("target", "scoring", "group_col", "holds"):
        if getattr(args, key) is not None:
            section[key] = getattr(args, key)
    if args.groups:
        section["groups"] = column_groups(args.groups)
    drop = listed(args.drop)
    how = {key: getattr(args, key) for key in ("group_col", "holds", "model")}
    with reading(args.data):
        data = load(args.data, args.target, tidy=True, dropped=drop, **how)
    if any(name in data.left_out for name in drop):
        section["dropped"] = drop
    data = regrouped(data, section.get("groups", {}))
    section["model"] = args.model or (CLASSIFIER if data.classes else REGRESSOR)
    return section | criteria, data


def _settings(args: argparse.Namespace) -> Settings:
    """The settings of a session with a person, with what the arguments change."""
    chosen = {**SETTINGS, "budget": args.budget}
    given = {key: getattr(args, key) for key in ("questions", "check_every", "assume")}
    chosen |= {key: value for key, value in given.items() if value is not None}
    if args.check_every == 0:
        chosen["doubt"] = 1  # never: an answer in doubt would be checked by one more question
    return Settings(**chosen)


def _require_file(data: str) -> None:
    """Refuse a pipe or a device: a session reads its data again at its end, and when it is resumed."""
    if data in BUILT_IN or not os.path.exists(data):
        return
    if os.path.abspath(data).startswith(_STREAMS) or not (os.path.isfile(data) or os.path.isdir(data)):
        raise InputError(f"{data}: is a pipe or a device, and a session reads its data again; save a file")


def _family(args: argparse.Namespace, data: Data, attributes: Attributes) -> Family:
    """The subsets that may be chosen; an error where there is nothing to choose."""
    for name in listed(args.keep):
        if name in data.left_out:
            raise InputError(f"--keep: {data.left_out[name]}")
    keep = mask_of_listed(listed(args.keep), attributes, "--keep", data.groups)
    there = [name for name in listed(args.drop) if name not in data.left_out]
    drop = mask_of_listed(there, attributes, "--drop", data.groups)
    if keep & drop:
        both = ", ".join(map(repr, attributes.subset(keep & drop)))
        raise InputError(f"--keep and --drop both name {both}; take it out of one of them")
    family = Family(len(attributes), keep=keep, drop=drop, max_size=args.max_size)
    left = attributes.subset(family.largest)
    if len(left) > 1 and family.count() == 1:
        only = attributes.braced(next(iter(family)))
        leave, remedy = "--keep leaves", "keep fewer"
        if family.free:  # of which --max-size lets none in
            leave, remedy = "--keep and --max-size leave", "keep fewer, or raise --max-size"
        raise InputError(f"{only} is the only subset that {leave}, there is nothing to choose; {remedy}")
    if len(left) == 1:
        only, remedy = ("attribute left", "drop fewer") if drop else ("attribute", "add another")
        why = "".join(f"; {note}" for note in data.notes)
        raise InputError(f"{left[0]!r} is the only {only}, there is nothing to choose; {remedy}{why}")
    return family


def _data_notes(data: Data, section: Mapping[str, Any], dropped: Sequence[str]) -> Iterator[str]:
    """A summary of the data, how they were tidied, and warnings about the attributes that are not dropped."""
    left = without(data, dropped)
    yield data_summary(data, section, len(columns_of(left.X, left.columns, left.groups).attributes))
    yield from (f"note: {printable(note)}" for note in data.notes)
    yield from (f"warning: {printable(warning)}" for warning in warnings_about(left, section.get("scoring")))


def _assumption_note(assume: str) -> Iterator[str]:
    """What is assumed of the operator, if anything is."""
    if assume != "nothing":
        yield f"assumed: you have {ASSUMPTIONS[assume]}, so an answer may settle other pairs, too"


def _prior_note(score: str, attributes: Attributes, family: Family, prior: NDArray[np.float64]) -> str:
    """Which attributes a prior ranks first."""
    order = [i for i in np.argsort(-prior, kind="stable").tolist() if i in family.free]
    names = ", ".join(printable(attributes.names[i]) for i in order[:MOST_EXPECTED])
    return f"prior: by {score} most is expected of {names}; what is proven does not depend on it"


def _criteria(args: argparse.Namespace) -> dict[str, Any]:
    """The keys of the [oracle] section for criteria beyond score and size."""
    wanted = known_names(listed(args.criteria), "--criteria")
    scorers = [name for name in wanted if name not in EXTRAS]
    if "cost" in wanted and args.cost is None:
        raise InputError("the criterion cost needs the costs; add --cost FILE, a CSV of attribute,cost")
    section: dict[str, Any] = {name: True for name in wanted if name in EXTRAS and name != "cost"}
    section |= {"scorers": scorers} if scorers else {}
    return section


def _costs(path: Path, data: Data, attributes: Attributes, dropped: Sequence[str]) -> dict[str, float]:
    """The cost of every attribute, from a file of two columns; a header line is allowed.

    What is dropped is in no subset: it needs no cost, and 0 stands in the journal, which wants one for every attribute.
    """
    costs = dict.fromkeys(dropped, 0.0) | listed_costs(path, [*attributes.names, *data.left_out], data.groups)
    if lacking := [name for name in attributes.names if name not in costs]:
        more = f" and {many(len(lacking) - 1, 'other attribute')}" if lacking[1:] else ""
        lines = "a line for each" if lacking[1:] else "a line"
        raise InputError(f"{path}: no cost is given for {lacking[0]!r}{more}; add {lines}")
    return {name: costs[name] for name in attributes.names}
