"""Writing an oracle table: every subset is measured, a batch at a time, so that whoever interrupts loses little.

The columns are those that `table.py` reads. The rule: the file appears complete or not at all.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from elicit.asks import Failure, Measured, Oracle, require_oracle
from elicit.complete import complete
from elicit.errors import InputError, OracleError, system_reason
from elicit.numeric import is_finite, plain_numbers
from elicit.oracles.parallel import Workers
from elicit.oracles.table import FOLD, SCORE, SPREAD, is_fold
from elicit.printable import counted, many
from elicit.subsets import Family, Mask

#: More subsets than this are not written to one table: it would be some 60 MB, and days of fits.
LARGEST_TABLE = 1 << 20

#: A batch, after which results are saved, takes about so many seconds, and never holds more subsets than this.
_SECONDS_PER_BATCH, _LARGEST_BATCH = 1.0, 4096


@dataclass(frozen=True)
class Written:
    """What a table holds: how many rows, and the subsets that failed and were left out, with why."""

    rows: int
    failures: dict[Mask, str]


def require_ordinary(path: Path) -> None:
    """Refuse a place where no table can appear at once and complete: a folder, a device, a pipe."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is no ordinary file; choose another place")


def write_table(
    path: str | os.PathLike[str],
    oracle: Oracle,
    family: Family | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    known: Mapping[Mask, Measured | Failure] | None = None,
    keep: Callable[[Mapping[Mask, Measured | Failure]], None] | None = None,
    check: Callable[[], None] | None = None,
    folds: int = 0,
) -> Written:
    """Measure every subset of the family (default: all) and write them to a table.

    folds: with so many folds behind every score, each of them has a column, too. The spread of the score has one where
    the oracle knows it.

    What is `known` is not measured again. `keep` is given what is new, once a second (from then on, nothing of it is
    lost to whatever ends the process); after every batch, which takes a second or two, `check()` may raise, and
    `progress(done, total)` is called. Failed subsets have no row, dropped attributes no column: a reader could learn
    only by trying that they cannot be chosen.
    """
    require_oracle(oracle)
    path = Path(path)
    family = Family(len(oracle.attributes)) if family is None else family
    total = family.count()
    if total > LARGEST_TABLE:
        told = f"{counted(total)} subsets are too many for one table (limit {LARGEST_TABLE})"
        raise InputError(f"{told}; drop attributes or set a max size")
    require_ordinary(path)
    rows = _Rows(oracle, family, folds)
    failures: dict[Mask, str] = {}
    done = 0
    try:
        with complete(path) as text, Workers(n_jobs) as workers:
            out = csv.writer(text, lineterminator="\n")
            for replies in _measured_in_batches(oracle, iter(family), workers, known or {}, _Keeping(keep)):
                if check is not None:
                    check()
                for mask, reply in replies.items():
                    if isinstance(reply, Failure):
                        failures[mask] = reply.reason
                    else:
                        out.writerows(rows.of(mask, reply))
                done += len(replies)
                if progress is not None:
                    progress(done, total)
            if len(failures) == total:
                reason = next(iter(failures.values()))
                raise InputError(f"no subset could be measured, there is no table to write: {reason}")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({system_reason(error)}); free space or choose another place"
        ) from error
    return Written(total - len(failures), failures)


class _Rows:
    """The rows of a table: attributes, the score and perhaps its spread, further criteria, and so many folds.

    Whether the spread of a score is known, the first reply says.
    """

    def __init__(self, oracle: Oracle, family: Family, folds: int) -> None:
        criteria = [criterion.name for criterion in oracle.criteria]
        if SCORE not in criteria:
            raise InputError(f"a table needs a criterion called 'score', found {', '.join(criteria)}; rename one")
        self._count, self._score, self._folds = len(criteria), criteria.index(SCORE), folds
        self._others = [i for i, name in enumerate(criteria) if i != self._score and name != "size"]
        self._free = [i for i in range(len(oracle.attributes)) if not family.drop >> i & 1]
        self._attributes = [oracle.attributes.names[i] for i in self._free]
        self._after_spread = [*(criteria[i] for i in self._others), *(f"{FOLD}{k}" for k in range(1, folds + 1))]
        self._spread: bool | None = None  # before the first reply
        self._check(criteria)

    def _check(self, criteria: Sequence[str]) -> None:
        """Refuse names by which a reader could not tell what a column holds."""
        taken = {SCORE, SPREAD} & set(self._attributes)
        if taken:
            raise InputError(f"an attribute of a table cannot be called {taken.pop()!r}; rename it")
        for name in (*self._attributes, *criteria):
            if not name.isprintable() or name != name.strip():
                told = f"a table needs printable names without blanks at their ends, found {name!r}; rename it"
                raise InputError(told)
        fold = next(filter(is_fold, criteria), None)
        if fold is not None:
            raise InputError(f"a criterion of a table cannot be called {fold!r}, as scores of folds are; rename it")
        whole = self._header(spread=True)
        twice = next((name for name in whole if whole.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"a table cannot have two columns called {twice!r}; rename an attribute or a criterion")

    def _header(self, *, spread: bool) -> list[str]:
        return [*self._attributes, SCORE, *([SPREAD] if spread else []), *self._after_spread]

    def of(self, mask: Mask, reply: Measured) -> Iterator[list[str]]:
        """The row of a subset that was measured; before the first row comes the header."""
        self._check_reply(reply)
        spread = reply.spread[self._score] if reply.spread else None
        if self._spread is None:
            self._spread = spread is not None
            yield self._header(spread=self._spread)
        if self._spread and spread is None:
            raise InputError("some scores came with a spread and others without; a table has it of all, or of none")
        scores = reply.folds[self._score] if self._folds and reply.folds else ()
        if len(scores) != self._folds:
            told = f"a table of {self._folds} folds was to be written, but {len(scores)} scores came; write it without"
            raise InputError(told)
        known = [spread] if self._spread and spread is not None else []
        numbers = [reply.criteria[self._score], *known, *(reply.criteria[i] for i in self._others), *scores]
        yield [str(mask >> i & 1) for i in self._free] + [repr(float(number)) for number in numbers]

    def _check_reply(self, reply: object) -> None:
        """Refuse what no reader of the table would take, now rather than when all is measured."""
        given = plain_numbers(reply.criteria) if isinstance(reply, Measured) else None
        if not isinstance(given, tuple) or len(given) != self._count or not all(map(is_finite, given)):
            wanted = f"a Failure, or a Measured with {many(self._count, 'finite number')}"
            raise OracleError(f"the oracle's reply cannot be used: expected {wanted}, found {reply!r:.80}")


class _Keeping:
    """Hands on what was measured, at most once a second: to be safe on the disk takes about as long as a quick fit."""

    def __init__(self, keep: Callable[[Mapping[Mask, Measured | Failure]], None] | None) -> None:
        self._keep = keep
        self._waiting: dict[Mask, Measured | Failure] = {}
        self._last = time.monotonic()

    def take(self, replies: Mapping[Mask, Measured | Failure]) -> None:
        """Hand these on, now or later."""
        self._waiting |= replies
        if time.monotonic() - self._last >= _SECONDS_PER_BATCH:
            self.hand_on()

    def hand_on(self) -> None:
        """Hand on whatever waits."""
        waiting, self._waiting, self._last = self._waiting, {}, time.monotonic()
        if waiting and self._keep is not None:
            self._keep(waiting)


def _measured_in_batches(
    oracle: Oracle,
    subsets: Iterator[Mask],
    workers: Workers,
    known: Mapping[Mask, Measured | Failure],
    keeping: _Keeping,
) -> Iterator[Mapping[Mask, Measured | Failure]]:
    """The replies for the subsets, in batches and in their order; of one that breaks off, those so far are kept."""
    count = workers.count
    while batch := list(islice(subsets, count)):
        start = time.monotonic()
        asked = [mask for mask in batch if mask not in known]
        new: dict[Mask, Measured | Failure] = {}

        def arrived(replies: Mapping[Mask, Measured | Failure], new: dict[Mask, Measured | Failure] = new) -> None:
            keeping.take({mask: reply for mask, reply in replies.items() if mask not in new})
            new.update(replies)

        try:
            for part in [asked] if workers.count > 1 else [[mask] for mask in asked]:
                arrived(dict(zip(part, workers.measure(oracle, part, arrived), strict=True)))
        finally:
            keeping.hand_on()
        seconds = time.monotonic() - start
        yield {mask: new[mask] if mask in new else known[mask] for mask in batch}
        count = _next_batch(count, seconds, workers.count)


def _next_batch(count: int, seconds: float, workers: int) -> int:
    """How many subsets come next: what takes a second or two, for workers that break off lose what is under way."""
    wanted = 2 * count if seconds < _SECONDS_PER_BATCH else count if seconds < 2 * _SECONDS_PER_BATCH else count // 2
    return max(workers, min(wanted, _LARGEST_BATCH))
