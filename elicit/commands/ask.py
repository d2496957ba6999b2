"""elicit ask: a session on data of one's own, with defaults that suit classes and numbers."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from elicit.commands.arguments import column_groups, count, jobs, listed
from elicit.commands.reduced import check_place
from elicit.commands.session import SETTINGS, Play, free_path, oracle_of, play
from elicit.data import BUILT_IN, Data, load, regrouped
from elicit.decide.settings import Settings
from elicit.drive import begin
from elicit.errors import InputError
from elicit.operators.lines import printable
from elicit.session.soundness import warnings_about
from elicit.subsets import Attributes, Family

#: The model when none is named.
CLASSIFIER, REGRESSOR = "logistic", "ridge"

#: What `--criteria` may name besides score and size.
EXTRAS = ("cost", "stability", "fit_time")


def add(commands: Any) -> None:
    """Make the command known to the parser."""
    command = commands.add_parser("ask", help="a session on your data", allow_abbrev=False)
    command.add_argument("data", metavar="DATA", help=f"a CSV file (.gz too), or {', '.join(BUILT_IN)}")
    command.add_argument("--target", metavar="COL", help="the column of a file that is to be predicted")
    command.add_argument("--model", metavar="M", help=f"such as knn:3, forest:100 (default {CLASSIFIER}, {REGRESSOR})")
    command.add_argument("--scoring", metavar="NAME", help="a scorer of scikit-learn (default: the model's own)")
    command.add_argument("--criteria", metavar="A,B", default="", help=f"more criteria: {', '.join(EXTRAS)}")
    command.add_argument("--cost", metavar="FILE", help="a CSV of attribute,cost: adds the criterion cost")
    command.add_argument("--keep", default="", metavar="A,B", help="attributes in every subset")
    command.add_argument("--drop", default="", metavar="A,B", help="attributes to leave out")
    command.add_argument("--max-size", type=count, metavar="N", help="the most attributes of a subset")
    command.add_argument(
        "--groups", default="", metavar="G=A,B;H=C,D", help="columns that are chosen or left together, as one attribute"
    )
    command.add_argument("--cv", type=count, default=10, metavar="N", help="folds (default 10)")
    command.add_argument("--group-col", metavar="COL", help="rows with the same value here stay in one fold")
    command.add_argument("--journal", metavar="PATH", help="where the session is kept (default: beside you, by name)")
    command.add_argument("--budget", type=count, metavar="N", help="subsets to evaluate at most")
    command.add_argument("--questions", type=count, metavar="N", help="questions at most (default 15)")
    command.add_argument("--check-every", type=count, metavar="N", help="answers between two checks (default 5)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="another course of the session (default 0)")
    command.add_argument("-o", "--output", metavar="OUT.csv", help="write the data with the recommended columns only")
    command.add_argument("--n-jobs", type=jobs, metavar="N", help="processes (default: all)")
    command.set_defaults(command=_ask)


def _ask(args: argparse.Namespace) -> int:
    check_place(args.output)
    section: dict[str, Any] = {"kind": "wrapper", "data": args.data, "tidy": True, "folds": args.cv}
    for key in ("target", "scoring", "group_col"):
        if getattr(args, key) is not None:
            section[key] = getattr(args, key)
    if args.groups:
        section["groups"] = column_groups(args.groups)
    data = load(args.data, args.target, tidy=True, group_col=args.group_col)
    data = regrouped(data, section.get("groups", {}))
    section["model"] = args.model or (CLASSIFIER if data.classes else REGRESSOR)
    section |= _criteria(args)
    oracle = oracle_of(section, Path())
    attributes = oracle.attributes
    keep, drop = (attributes.mask(listed(text)) for text in (args.keep, args.drop))
    family = Family(len(attributes), keep=keep, drop=drop, max_size=args.max_size)
    chosen = {**SETTINGS, "budget": args.budget}
    chosen |= {key: getattr(args, key) for key in ("questions", "check_every") if getattr(args, key) is not None}
    path = args.journal or free_path(f"elicit-{Path(args.data).name.partition('.')[0]}")
    about = {"oracle": section}
    with begin(path, oracle, Settings(**chosen), family=family, seed=args.seed, about=about) as session:
        notes = tuple(_notes(data, section, attributes))
        return play(session, oracle, path, section, Play(args.n_jobs, args.output, notes))


def _notes(data: Data, section: Mapping[str, Any], attributes: Attributes) -> Iterator[str]:
    """What was decided for the operator, and what to beware of."""
    kind = "classes" if data.classes else "numbers"
    scored = section.get("scoring") or ("accuracy" if data.classes else "R²")
    yield (
        f"{len(data.y)} rows, {len(attributes)} attributes; the target holds {kind}; model {section['model']}, "
        f"score: {scored} over {section['folds']} folds"
    )
    yield from (f"note: {printable(note)}" for note in data.notes)
    yield from (f"warning: {printable(warning)}" for warning in warnings_about(data, section.get("scoring")))


def _criteria(args: argparse.Namespace) -> dict[str, Any]:
    """The keys of the oracle for criteria beyond score and size."""
    wanted = [name for name in listed(args.criteria) if name not in ("score", "size")]
    for name in wanted:
        if name not in EXTRAS:
            raise InputError(f"--criteria knows {', '.join(EXTRAS)}, found {name!r}")
    if "cost" in wanted and args.cost is None:
        raise InputError("the criterion cost needs the costs; add --cost FILE, a CSV of attribute,cost")
    section: dict[str, Any] = {name: True for name in wanted if name != "cost"}
    return section if args.cost is None else section | {"costs": _costs(Path(args.cost))}


def _costs(path: Path) -> dict[str, float]:
    """The cost of every attribute, from a file of two columns; a header line is allowed."""
    shown = printable(str(path))
    try:
        lines = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{shown}: cannot be read ({reason}); expected lines of attribute,cost") from error
    costs: dict[str, float] = {}
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        if len(line) != 2:
            raise InputError(f"{shown}, line {number}: expected attribute,cost, found {len(line)} entries")
        try:
            costs[line[0].strip()] = float(line[1])
        except ValueError:
            if number > 1:
                raise InputError(f"{shown}, line {number}: {line[1]!r} is no number; correct the cost") from None
    return costs
