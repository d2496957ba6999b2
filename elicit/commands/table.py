"""elicit table: evaluate every subset of small data, to an oracle table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from elicit.commands.output import keep_apart
from elicit.commands.session import oracle_of
from elicit.commands.status import DONE
from elicit.oracles import write_table
from elicit.printable import printable
from elicit.session.display import Meter
from elicit.subsets import Family


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    keep_apart(args.output, args.data)
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
