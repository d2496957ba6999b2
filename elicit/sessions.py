"""Sessions: an elicitation and the journal that it is written to, begun, resumed, or read back.

The rule: a journal holds all that its elicitation needs besides the oracle, and reading it folds facts;
nothing is decided again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from elicit.asks import Oracle
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings, settings_from
from elicit.errors import ElicitError, JournalError
from elicit.journal import Header, Journal, Record, library_versions
from elicit.printable import printable
from elicit.subsets import Attributes, Family, Mask
from elicit.utility.monomials import Vector

#: What held before a setting of this name was written down: a journal without it was made under this rule.
BEFORE: Mapping[str, Any] = {"recommend": "regret", "doubt": 1}


@dataclass(frozen=True)
class Session:
    """An elicitation with its open journal; leaving the `with` block closes the journal."""

    elicitation: Elicitation
    journal: Journal

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()


def begin(
    path: str | os.PathLike[str],
    oracle: Oracle,
    settings: Settings | None = None,
    *,
    family: Family | None = None,
    seed: int = 0,
    prior: Vector | None = None,
    rows: int | None = None,
    about: Mapping[str, Any] | None = None,
) -> Session:
    """A new session with a new journal. `about` is kept in the header, such as what the oracle was made of."""
    elicitation = Elicitation(
        oracle.attributes, oracle.criteria, settings, family=family, seed=seed, prior=prior, rows=rows
    )
    header = header_of(elicitation, oracle.fingerprint, about)
    return Session(elicitation, Journal.create(path, header, at=time.time()))


def resume(path: str | os.PathLike[str], oracle: Oracle, *, budget: int | None = None, reopen: bool = True) -> Session:
    """The session of a journal, ready to go on where it stopped.

    `budget` is the number of oracle calls in all from now on. A run that was ended from outside (by time
    or by wish) goes on, unless `reopen` is False; one that ended by its own rules does so only with another budget.
    """
    journal = Journal.open(path, expect_fingerprint=oracle.fingerprint)
    try:
        elicitation = elicitation_of(journal)
        stopped = elicitation.history.stopped
        if budget is not None or (reopen and stopped is not None and stopped.from_outside):
            elicitation.resume(budget)
    except BaseException:
        journal.close()
        raise
    return Session(elicitation, journal)


def header_of(elicitation: Elicitation, fingerprint: str, about: Mapping[str, Any] | None = None) -> Header:
    """The header of an elicitation's journal: all that `elicitation_of` needs besides the facts."""
    family, prior = elicitation.family, elicitation.prior
    attributes = elicitation.history.attributes
    settings: dict[str, Any] = {
        "elicit": elicitation.settings.plain(),
        "family": {
            "keep": _names(attributes, family.keep),
            "drop": _names(attributes, family.drop),
            "max_size": family.max_size,
        },
        "prior": None if prior is None else [float(p) for p in prior],
        "about": dict(about or {}),
    }
    if prior is not None and elicitation.rows is not None:
        settings["rows"] = elicitation.rows  # it limits what the prior proposes
    criteria = elicitation.history.criteria
    return Header(elicitation.seed, fingerprint, attributes, criteria, settings, library_versions())


def _names(attributes: Attributes, mask: Mask) -> list[str]:
    return list(attributes.subset(mask)) if mask else []


def demand_session(header: Header) -> None:
    """Refuse the journal of a classical method, which is no session, with what can be done with it."""
    if isinstance(method := header.settings.get("method"), dict):
        raise JournalError(
            f"the journal is a run of the classical method {printable(str(method.get('name')))!r}, not a session: "
            "elicit compare with the same scenario and --journals goes on there, or elicit.explore.explore from Python"
        )


def elicitation_of(record: Record | Journal) -> Elicitation:
    """The elicitation that a journal holds: nothing is decided again, facts are folded."""
    header = record.header
    demand_session(header)
    try:
        chosen, family = dict(header.settings["elicit"]), dict(header.settings["family"])
        prior = header.settings["prior"]
        return Elicitation(
            header.attributes,
            header.criteria,
            settings_from({**BEFORE, **chosen}),
            family=Family(
                len(header.attributes),
                header.attributes.mask(family["keep"]),
                header.attributes.mask(family["drop"]),
                family["max_size"],
            ),
            seed=header.seed,
            prior=None if prior is None else np.array(prior, dtype=np.float64),
            rows=header.settings.get("rows"),
            facts=record.facts,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = str(error) if isinstance(error, ElicitError) else f"{type(error).__name__}: {error}"
        raise JournalError(
            f"the journal's settings or facts do not make a session ({what}); it was written by something else"
        ) from error
