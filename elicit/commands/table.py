"""elicit table: evaluate every subset of small data, to an oracle table."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from elicit.commands.arguments import listed
from elicit.commands.output import keep_apart
from elicit.commands.status import DONE
from elicit.experiments.sources import data_of, wrapper_of
from elicit.oracles import write_table
from elicit.printable import printable
from elicit.session.display import Meter, not_measured
from elicit.subsets import Family


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    keep_apart(args.output, args.data)
    section = {"kind": "wrapper", "data": args.data, "model": args.model, "folds": args.folds, "tidy": args.tidy}
    section |= {key: getattr(args, key) for key in ("target", "scoring") if getattr(args, key) is not None}
    data = data_of(section, Path())
    oracle = wrapper_of(section, data)
    attributes = oracle.attributes
    dropped = attributes.mask(listed(args.drop))
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
    notes = [f"note: {printable(note)}" for note in data.notes]
    failed = not_measured([Counter(written.failures.values())])
    print("\n".join([f"{printable(args.output)}: {written.rows} subsets", *notes, *failed]))
    return DONE
