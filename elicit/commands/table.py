"""elicit table: evaluate every subset of small data, to an oracle table.

The rule: until the table is complete, its results are kept in a journal beside the output. After an interrupt, the
same command goes on from there, and what was kept is not measured again.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from elicit.alongside.display import failure_lines
from elicit.alongside.hopeless import require_hope
from elicit.asks import Failure, Measured
from elicit.commands.caught_warnings import counted_warnings, warning_lines
from elicit.commands.chosen_data import chosen_data
from elicit.commands.output import check_place
from elicit.commands.playing import progress_meter
from elicit.commands.status import DONE, tell
from elicit.errors import InputError, JournalInUseError
from elicit.journal import Header, Journal, begun, read
from elicit.oracles import WrapperOracle, measure_many, write_table
from elicit.oracles.table_writing import require_ordinary
from elicit.printable import many, printable
from elicit.scores.answers import refuse_unknown_scoring
from elicit.sources.oracle import wrapper_of
from elicit.subsets import Family, Mask

#: The suffix of the journal that keeps the results until the table is complete.
_PARTIAL = ".part"


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    require_ordinary(Path(args.output))
    check_place(args.output, args.data)
    if args.scoring is not None:
        refuse_unknown_scoring(args.scoring)  # before the data are read
    how = {key: getattr(args, key) for key in ("tidy", "holds", "model", "groups", "drop", "group_col")}
    data = chosen_data(args.data, args.target, **how)
    section = {"data": args.data, "model": args.model, "folds": args.folds}
    oracle = wrapper_of(section if args.scoring is None else section | {"scoring": args.scoring}, data)
    family = Family(len(oracle.attributes), max_size=args.max_size)
    part = Path(f"{args.output}{_PARTIAL}")
    with (
        counted_warnings() as warned,
        progress_meter(partial(_what_is_kept, part)) as meter,
        _partial_results(part, oracle) as kept,
    ):
        written = write_table(
            args.output,
            oracle,
            family,
            args.n_jobs,
            progress=lambda done, total: meter.update(done / total, f"evaluated {done} of {total}"),
            known=_usable(kept.cached, args.keep_folds),
            keep=partial(_save, kept, args.keep_folds),
            check=partial(_require_hope, kept, oracle, family, args.n_jobs, args.keep_folds),
            folds=args.folds if args.keep_folds else 0,
        )
    _delete(part)
    notes = [f"note: {note}" for note in data.notes]
    if args.max_size is not None and args.max_size < len(oracle.attributes):
        notes.append(f"note: no subset is larger than {args.max_size}; who plays this table needs the same max_size")
    failed = failure_lines([Counter(written.failures.values())])
    failed += warning_lines(warned)
    for line in (f"{args.output}: {many(written.rows, 'subset')}", *notes, *failed):
        tell(line, sys.stdout)
    return DONE


def _what_is_kept(part: Path) -> str:
    """What is kept of a table that is interrupted."""
    if not part.exists():
        return "nothing was measured yet"
    return f"what was measured is in {printable(str(part))}; the same command goes on there"


@contextmanager
def _partial_results(part: Path, oracle: WrapperOracle) -> Iterator[Journal]:
    """The journal of the results so far; it is deleted at the end if it holds no measurement."""
    if begun(part) and read(part).header.fingerprint != oracle.fingerprint:
        raise InputError(f"{part}: holds what was measured for another table; give another -o, or delete it")
    try:
        journal = Journal.open_or_create(part, Header(0, oracle.fingerprint, oracle.attributes, oracle.criteria))
    except JournalInUseError:  # somebody else's, who may be about to begin it
        raise
    except BaseException:
        if part.is_file() and not begun(part):  # of a full disk, say: nothing is in it
            _delete(part)
        raise
    try:
        with journal:
            yield journal
    finally:  # once it is closed: an open file cannot be deleted everywhere
        if not any(isinstance(reply, Measured) for reply in journal.cached.values()):
            _delete(part)


def _delete(part: Path) -> None:
    """Delete the journal of the results; where that fails nothing is lost, and what else went wrong is what is told."""
    with suppress(OSError):
        part.unlink(missing_ok=True)


def _require_hope(journal: Journal, oracle: WrapperOracle, family: Family, n_jobs: int | None, folds: bool) -> None:
    """Refuse to go on where all subsets fail alike."""
    failed = {mask: reply.reason for mask, reply in journal.cached.items() if isinstance(reply, Failure)}
    if failed and len(failed) == len(journal.cached):

        def look_at(subsets: Sequence[Mask]) -> list[Measured | Failure]:
            found = measure_many(oracle, subsets, n_jobs)
            _save(journal, folds, dict(zip(subsets, found, strict=True)))
            return found

        require_hope(failed, family, look_at)


def _usable(known: Mapping[Mask, Measured | Failure], folds: bool) -> dict[Mask, Measured | Failure]:
    """What was measured before; where scores of folds are wanted, what was kept without them is measured anew."""
    return {mask: reply for mask, reply in known.items() if not folds or isinstance(reply, Failure) or any(reply.folds)}


def _save(journal: Journal, folds: bool, replies: Mapping[Mask, Measured | Failure]) -> None:
    """Write what a table needs of the replies; they are on the disk when this returns."""
    for count, (mask, reply) in enumerate(replies.items(), start=1):
        row = reply if folds or isinstance(reply, Failure) else Measured(reply.criteria, (), reply.spread)
        journal.cache(mask, row, more=count < len(replies))
