"""elicit table: evaluate every subset of small data, to an oracle table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from elicit.commands.arguments import count, jobs
from elicit.commands.session import oracle_of
from elicit.commands.status import DONE
from elicit.data import BUILT_IN
from elicit.operators.lines import printable
from elicit.oracles import write_table
from elicit.session.display import Meter
from elicit.subsets import Family


def add(commands: Any) -> None:
    """Make the command known to the parser."""
    command = commands.add_parser("table", help="evaluate every subset, to an oracle table", allow_abbrev=False)
    command.add_argument("data", metavar="DATA", help=f"a CSV file (.gz too), or {', '.join(BUILT_IN)}")
    command.add_argument("--target", metavar="COL", help="the column of a file that is to be predicted")
    command.add_argument("--model", default="knn:3", metavar="M", help="such as knn:3, logistic, ridge (default knn:3)")
    command.add_argument("--folds", type=count, default=10, metavar="N", help="folds (default 10)")
    command.add_argument("--scoring", metavar="NAME", help="a scorer of scikit-learn (default: the model's own)")
    command.add_argument("--drop", default="", metavar="A,B", help="attributes to leave out")
    command.add_argument("--max-size", type=count, metavar="N", help="the most attributes of a subset")
    command.add_argument("-o", "--output", required=True, metavar="T.csv.gz", help="the table to write")
    command.add_argument("--n-jobs", type=jobs, metavar="N", help="evaluations at once")
    command.set_defaults(command=_table)


def _table(args: argparse.Namespace) -> int:
    section = {"kind": "wrapper", "data": args.data, "model": args.model, "folds": args.folds}
    section |= {key: getattr(args, key) for key in ("target", "scoring") if getattr(args, key) is not None}
    oracle = oracle_of(section, Path())
    attributes = oracle.attributes
    dropped = attributes.mask(name for name in args.drop.split(",") if name)
    family = Family(len(attributes), drop=dropped, max_size=args.max_size)
    meter = Meter(sys.stderr)
    try:
        written = write_table(
            args.output,
            oracle,
            family,
            args.n_jobs,
            progress=lambda done, total: meter.update(done / total, f"evaluated {done} of {total}"),
        )
    finally:
        meter.clear()
    print(f"{printable(args.output)}: {written.rows} subsets")
    for reason in sorted(set(written.failures.values())):
        times = sum(1 for other in written.failures.values() if other == reason)
        print(f"not measured, {times} times: {printable(reason)}")
    return DONE
