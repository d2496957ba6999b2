"""Journals of a selector: each run has its own in a folder, and finds it again by its content.

The name of a journal's file is a digest of the data, the settings and the operator, so that folds and workers never
share one by mistake. A run that was interrupted goes on; one that is finished is read; and whatever any journal of the
folder measured on the same data is not measured again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elicit.alongside.measuring import measured
from elicit.asks import Measured
from elicit.errors import InputError, JournalError, JournalInUseError, system_reason
from elicit.journal import Header, Journal, header_at, read
from elicit.oracles.describe import fingerprint
from elicit.subsets import Mask

#: Journals with the same digest in one folder, for processes that run the same thing at the same time.
MOST_SIBLINGS = 1000


def made_folder(folder: Any) -> Path:
    """The folder of the journals, made where it is not there yet."""
    if folder == "" or not isinstance(folder, str | os.PathLike):
        raise InputError(f"journal is a folder or None, found {folder!r}")
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:  # a ValueError: characters that no path has
        raise InputError(f"journal is a folder, and {str(folder)!r} cannot be one: {system_reason(error)}") from error
    return Path(folder)


#: The fingerprints of operators that were asked in this process, to those that they had before they were asked.
_before_asked: dict[str, str] = {}


@contextmanager
def told_apart(operator: Any) -> Iterator[str]:
    """What tells an operator from others. What it comes to hold by being asked, such as a count, makes it no other.

    So a fit that was interrupted goes on with the same operator. (In another process it is made anew.)
    """
    found = fingerprint(operator)
    who = _before_asked.get(found, found)
    try:
        yield who
    finally:
        _before_asked[fingerprint(operator)] = who


def opened_journal(folder: Path, header: Header) -> Journal:
    """The journal of the run that a header describes, begun or continued."""
    # the ratio follows from the folds, which the fingerprint tells apart; older journals hold none
    settings = {**header.settings, "elicit": {**header.settings["elicit"], "noise_ratio": 0.0}}
    identity = json.dumps([header.seed, header.fingerprint, settings], sort_keys=True)
    stem = hashlib.sha256(identity.encode()).hexdigest()[:16]
    for k in range(1, MOST_SIBLINGS + 1):
        path = folder / (f"{stem}.jsonl" if k == 1 else f"{stem}-{k}.jsonl")
        try:
            return Journal.open_or_create(path, header, time.time())
        except JournalInUseError:
            continue  # another worker runs the same at this moment: this one keeps a journal of its own
        except JournalError as error:
            if isinstance(error.__cause__, OSError):  # of the disk, say: what the file holds may be sound
                raise
            raise JournalError(f"{error}; or delete or move the file, and the fit begins anew") from error
    raise JournalError(f"{MOST_SIBLINGS} journals of one run in {str(folder)!r} are all in use; use another folder")


def measured_before(folder: Path, wanted: str) -> dict[Mask, Measured]:
    """What the journals of a folder hold about the same data, whatever their settings.

    Failures are left out: what failed in another run, for lack of memory say, may be measured in this one.
    """
    found: dict[Mask, Measured] = {}
    for path in sorted(filter(os.path.isfile, folder.glob("*.jsonl"))):  # Path.is_file may raise where rights lack
        try:
            header = header_at(path)
            if header is None or header.fingerprint != wanted:  # one that somebody is about to begin holds nothing yet
                continue
            record = read(path)
        except (InputError, JournalError) as error:  # that of somebody else may be damaged, closed to us or gone by now
            warnings.warn(f"{error}; its measurements are not used", stacklevel=2)
            continue
        results = {**record.cached, **measured(record.facts)}
        found |= {subset: result for subset, result in results.items() if isinstance(result, Measured)}
    return found
