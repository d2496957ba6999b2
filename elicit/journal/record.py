"""Records: what a journal holds, as plain data that cannot change."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from elicit.asks import Failure, Measured
from elicit.events import Criterion, Fact
from elicit.journal.plain import Json, plain
from elicit.subsets import Attributes, Mask

#: The libraries whose versions may change a run.
LIBRARIES = ("elicit", "numpy", "scipy", "scikit-learn", "pulp", "highspy")


#: Settings that older journals do not hold, with the values under which those journals were made. (Of the others that
#: came later, today's defaults say what was done before. Whoever adds a setting of which they do not adds it here.)
FORMER_DEFAULTS: Mapping[str, Json] = {
    "confirm": 0,
    "unasked": 0,
    "detour": 0,
    "agreement": 1,
    "doubt": 1,
    "spare": 0,
}


@dataclass(frozen=True)
class Header:
    """What a run is about: everything that a replay needs besides the facts.

    `settings` is anything that JSON can hold; it reads back with sorted keys, and lists for tuples.
    """

    seed: int
    fingerprint: str
    attributes: Attributes
    criteria: tuple[Criterion, ...]
    settings: Mapping[str, Json] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "criteria", tuple(self.criteria))
        object.__setattr__(self, "settings", plain(dict(self.settings), "settings"))
        object.__setattr__(self, "versions", plain(dict(self.versions), "versions"))

    @property
    def choices(self) -> Json:
        """The settings of a session, with those of its time where the journal does not name them; not yet believed."""
        chosen = self.settings["elicit"]
        return {**FORMER_DEFAULTS, **chosen} if isinstance(chosen, dict) else chosen


#: The seed that shuffled rows into folds, and the subset that was measured on them.
Shuffled = tuple[int, Mask]


@dataclass(frozen=True)
class Claimed:
    """What the journal claims at line `line`, when it held `facts` facts: plain data, not yet believed."""

    facts: int
    line: int
    content: Mapping[str, Json]


@dataclass(frozen=True)
class Record:
    """What a journal holds: its header, its facts with the time of each, and results besides the run.

    Those are `cached`, ahead of need, and `afresh`, on folds that had no part in the run.
    `length` bytes of the file are whole lines, the last of which has the check `check`. `lines` says
    where each fact stands. `torn` bytes follow the whole lines: a last line that was never completed.
    """

    header: Header
    facts: tuple[Fact, ...]
    times: tuple[float | None, ...]
    cached: Mapping[Mask, Measured | Failure]
    length: int
    check: int
    claims: tuple[Claimed, ...] = ()
    lines: tuple[int, ...] = ()
    torn: int = 0
    afresh: Mapping[Shuffled, Measured | Failure] = field(default_factory=dict)

    @property
    def last_claim(self) -> Claimed | None:
        """The claim on all of the facts, None when there is none: once the run went on, a claim is an earlier one."""
        return self.claims[-1] if self.claims and self.claims[-1].facts == len(self.facts) else None


def library_versions() -> dict[str, str]:
    """The installed versions of the libraries that a run depends on."""
    found = {}
    for library in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[library] = importlib.metadata.version(library)
    return found | {"python": ".".join(map(str, sys.version_info[:3]))}


def other_versions(written: Mapping[str, str]) -> str:
    """Which of the versions that a journal was written with are others here, as in "numpy 1.26.0 (here 2.4.6)"."""
    here = library_versions()
    return ", ".join(f"{n} {was} (here {here.get(n, 'none')})" for n, was in written.items() if here.get(n) != was)
