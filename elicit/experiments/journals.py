"""Journals: the journal of a run in a folder, where the run goes on when it is played again.

The name of a journal includes a checksum of all that the run depends on. So with anything changed, it is another run,
with another journal. Exploring depends on the budget, too; a classical run just goes on with a larger one, so in its
name the budget is left out.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elicit.asks import Oracle
from elicit.decide.elicitation import Elicitation
from elicit.errors import JournalError, JournalInUseError
from elicit.journal import Journal
from elicit.oracles.describe import describe, fingerprint
from elicit.scenario import OperatorSpec
from elicit.sessions import going_on, header_of


def file_name(shown: str, identity: str, seed: int) -> str:
    """A file name of plain letters for the journal of a run, with a checksum of its identity."""
    words = "".join(c if c.isascii() and c.isalnum() else "-" for c in shown)
    return f"{words[:60]}-{zlib.crc32(identity.encode()):08x}-{seed}.jsonl"


@contextmanager
def resumed_run(
    folder: Path | None, elicitation: Elicitation, oracle: Oracle, name: str, operator: OperatorSpec
) -> Iterator[tuple[Elicitation, Journal | None]]:
    """The run to play, and its journal: resumed from the folder if it was begun there, otherwise new."""
    if folder is None:
        yield elicitation, None
        return
    about = {"operator": operator.name, "utility": describe(operator)}
    header = header_of(elicitation, oracle.fingerprint, about)
    identity = fingerprint(header.settings, oracle.fingerprint)
    path = folder / file_name(f"{name}-{operator.name}", identity, elicitation.seed)
    try:
        with Journal.open_or_create(path, header, at=time.time()) as journal:
            found, run = journal.header, going_on(journal)  # what went on by hand may have another budget
            if (found.settings, found.seed, run.budget) != (header.settings, header.seed, elicitation.budget):
                raise JournalError(f"journal {os.fspath(path)!r} belongs to another run; choose another folder")
            yield run, journal
    except JournalInUseError:
        raise JournalInUseError(
            f"another experiment is playing in {os.fspath(folder)!r}; wait for its end, or choose another folder"
        ) from None
