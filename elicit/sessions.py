"""Sessions: an elicitation together with its journal: begun, resumed, or read back.

The rule: a journal holds all that its elicitation needs besides the oracle. Reading it folds the facts; nothing is
decided again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elicit.asks import Oracle, require_oracle
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings, settings_from
from elicit.errors import ElicitError, JournalError
from elicit.events import Fact
from elicit.journal import Header, Journal, Record, StrPath, library_versions
from elicit.subsets import Family
from elicit.utility.monomials import Vector


@dataclass(frozen=True)
class Session:
    """An elicitation and its open journal, which is closed at the end of a `with` block."""

    elicitation: Elicitation
    journal: Journal

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()


def begin(
    path: StrPath,
    oracle: Oracle,
    settings: Settings | None = None,
    *,
    family: Family | None = None,
    seed: int = 0,
    prior: Sequence[float] | Vector | None = None,
    rows: int | None = None,
    about: Mapping[str, Any] | None = None,
) -> Session:
    """A new session with a new journal. `about` is kept in its header: what the oracle was made of, for one."""
    require_oracle(oracle)
    elicitation = Elicitation(
        oracle.attributes, oracle.criteria, settings, family=family, seed=seed, prior=prior, rows=rows
    )
    header = header_of(elicitation, oracle.fingerprint, about)
    return Session(elicitation, Journal.create(path, header, at=time.time()))


def resume(path: StrPath, oracle: Oracle, *, budget: int | None = None, reopen: bool = True) -> Session:
    """The session of a journal, ready to go on where it stopped.

    `budget` is a new limit on the oracle calls of the whole run. A run that was ended from outside, by a time limit or
    by the operator, goes on unless `reopen` is False; one that ended by its own rules goes on only with a new budget.
    """
    require_oracle(oracle)
    journal = Journal.open(path, expect_fingerprint=oracle.fingerprint)
    try:
        return Session(going_on(journal, budget, reopen), journal)
    except BaseException:
        journal.close()
        raise


def going_on(journal: Journal, budget: int | None = None, reopen: bool = True) -> Elicitation:
    """The elicitation of an open journal, ready to go on; see `resume`."""
    elicitation = elicitation_of(journal)
    stopped = elicitation.history.stopped
    if budget is not None or (reopen and stopped is not None and stopped.from_outside):
        elicitation.resume(budget)
    return elicitation


def header_of(elicitation: Elicitation, fingerprint: str, about: Mapping[str, Any] | None = None) -> Header:
    """The header of an elicitation's journal: all that `elicitation_of` needs besides the facts."""
    family, prior = elicitation.family, elicitation.prior
    attributes = elicitation.history.attributes
    settings: dict[str, Any] = {
        "elicit": elicitation.chosen.plain(),
        "family": family.plain(attributes),
        "prior": None if prior is None else [float(p) for p in prior],
        "about": dict(about or {}),
    }
    if prior is not None and elicitation.rows is not None:
        settings["rows"] = elicitation.rows  # it limits what the prior proposes
    criteria = elicitation.history.criteria
    return Header(elicitation.seed, fingerprint, attributes, criteria, settings, library_versions())


def is_header_of(header: Header, elicitation: Elicitation) -> bool:
    """Whether a journal with this header may hold the facts of this elicitation: all that was chosen is the same."""
    kept = _elicitation_of(header, ())
    # the ratio follows from the folds, which the fingerprint tells apart; older journals of fits hold none
    kept.chosen = replace(kept.chosen, noise_ratio=elicitation.chosen.noise_ratio)
    return header_of(kept, header.fingerprint) == header_of(elicitation, header.fingerprint)


def require_session(header: Header) -> None:
    """Refuse the journal of a classical method, which is no session, and say how to go on with it."""
    if isinstance(method := header.settings.get("method"), dict):
        raise JournalError(
            f"the journal is a run of the classical method {method.get('name')!r}, not a session: "
            "elicit compare with the same scenario and --journals goes on there, or elicit.explore.explore from Python"
        )


def elicitation_of(record: Record | Journal) -> Elicitation:
    """The elicitation that a journal holds: nothing is decided again, facts are folded."""
    return _elicitation_of(record.header, record.facts)


def _elicitation_of(header: Header, facts: Sequence[Fact]) -> Elicitation:
    """The elicitation of a header, as far as these facts."""
    require_session(header)
    try:
        chosen, family = dict(header.choices), dict(header.settings["family"])
        prior = header.settings["prior"]
        return Elicitation(
            header.attributes,
            header.criteria,
            settings_from(chosen),
            family=Family.from_plain(family, header.attributes),
            seed=header.seed,
            prior=None if prior is None else np.array(prior, dtype=np.float64),
            rows=header.settings.get("rows"),
            facts=facts,
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = str(error) if isinstance(error, ElicitError) else f"{type(error).__name__}: {error}"
        raise JournalError(
            f"the journal's settings or facts do not make a session ({what}); a later Elicit may have written it: open "
            "it with that one"
        ) from error
