"""Fitting: one run of a selector, from its settings to its end, with a journal in a folder or without one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from elicit.alongside.display import Meter, criteria_in_words
from elicit.alongside.progress import Progress
from elicit.decide.settings import SHARE_OF_THE_START, Settings
from elicit.drive import Result, drive
from elicit.errors import InputError
from elicit.estimator.declared import SETTINGS, Declared, Unattended
from elicit.estimator.journals import made_folder, measured_before, opened_journal, told_apart
from elicit.estimator.judges import Judge
from elicit.estimator.priors import MOST_WITH_PAIRS, Pairs, refuse_many
from elicit.estimator.tolerance import Tolerance
from elicit.events import CALLED_OFF, Fact
from elicit.numeric import is_whole, whole
from elicit.oracles import Remembering, WrapperOracle
from elicit.printable import many
from elicit.proof.claims import claim_by_score, claim_of
from elicit.scores.randomness import seed_from
from elicit.sessions import header_of
from elicit.subsets import Family
from elicit.threads import one_thread
from elicit.utility.monomials import Vector

#: Oracle calls unless told otherwise: a third of a whole forward path, n(n+1)/6; for few attributes 5 n.
SHARE_OF_A_PATH = 6
CALLS_PER_ATTRIBUTE = 5
#: They are at least and at most so many; the decisions between more would take longer than most fits.
LEAST_CALLS, MOST_CALLS = 20, 400

#: Without an operator a run begins with at least so many draws, with a prior with no more.
LEAST_START = 6


def automatic_budget(n: int) -> int:
    """Oracle calls for n attributes when the caller leaves the number open."""
    wanted = max(CALLS_PER_ATTRIBUTE * n, n * (n + 1) // SHARE_OF_A_PATH)
    return max(LEAST_CALLS, min(wanted, MOST_CALLS))


def seed_of(random_state: Any) -> int:
    """The seed of a run. None is 0: a re-fit is comparable, and finds its journal again."""
    found = seed_from(random_state)
    return 0 if found is None else found


@dataclass(frozen=True)
class Run:
    """Everything that a run needs besides its oracle.

    operator: who judges, as it was given, or the answers that it stands for: by it journals are told apart, and by
    the tolerance.
    noise_ratio: of the folds, for whoever is asked to hear which leads are noise.
    """

    judge: Judge
    family: Family
    seed: int
    budget: int | str
    questions: int
    parsimony: float | str
    batch: int
    operator: Any
    prior: Vector | None = None
    pairs: Pairs = ()
    rows: int | None = None
    tolerance: Tolerance | None = None
    noise_ratio: float = 0.0

    @property
    def settings(self) -> Settings:
        """The settings of the elicitation."""
        if not is_whole(self.budget) and self.budget != "auto":
            raise InputError(f'budget is a number of oracle calls or "auto", found {self.budget!r}')
        eligible = self.family.n - self.family.drop.bit_count()
        budget = automatic_budget(eligible) if isinstance(self.budget, str) else int(self.budget)
        questions = whole("questions", self.questions, 0)
        asked = 0 if self.judge.answers is not None else questions
        own: dict[str, Any] = {"questions": asked, "noise_ratio": self.noise_ratio}
        if self.judge.declared:
            draws = LEAST_START if self.prior is not None else max(LEAST_START, budget // SHARE_OF_THE_START)
            own = SETTINGS | {"start": draws}
        if self.pairs:
            refuse_many(self.family.n)
        return Settings(
            budget=budget,
            parsimony=self.parsimony,
            degree=2 if 2 <= self.family.n <= MOST_WITH_PAIRS else 1,
            batch=self.batch,
            pairs=self.pairs,
            **own,
        )

    def elicitation(self, oracle: WrapperOracle, facts: tuple[Fact, ...] = ()) -> Unattended:
        """The elicitation at its beginning, or as far as these facts."""
        given: dict[str, Any] = {"family": self.family, "seed": self.seed, "prior": self.prior, "rows": self.rows}
        if self.judge.declared:
            given["tolerance"] = self.tolerance
            return Declared(oracle.attributes, oracle.criteria, self.settings, facts=facts, **given)
        if self.judge.answers is not None:
            carried = self.judge.answers.assumed(oracle.attributes)
            if len(facts) < len(carried):  # none yet, or a fit that died while its journal was told of them
                facts = carried
        return Unattended(oracle.attributes, oracle.criteria, self.settings, facts=facts, **given)


def play(
    run: Run,
    oracle: WrapperOracle,
    *,
    folder: str | os.PathLike[str] | None,
    n_jobs: int | None,
    verbose: int,
    callback: Callable[[Progress], object] | None,
    label: str,
) -> tuple[Unattended, Result]:
    """Play a run to its end, or until `callback` returns True.

    label: is shown before its progress, where it is one of several.
    """
    best = "best score so far" if run.judge.declared else "best by the answers so far"
    with _follower(verbose, label, best, callback) as follow:
        # a selector claims in its own way, and shows no statements that are set aside
        driven = partial(drive, operator=run.judge.ask, n_jobs=n_jobs, progress=follow, claim=False, strained=False)
        if folder is None:
            elicitation = run.elicitation(oracle)
            return elicitation, driven(elicitation, oracle)
        journals = made_folder(folder)
        with told_apart(run.operator) as who:
            about = {"operator": who} | ({} if run.tolerance is None else {"tolerance": run.tolerance})
            header = header_of(run.elicitation(oracle), oracle.fingerprint, about)
            with opened_journal(journals, header) as journal:
                elicitation = run.elicitation(oracle, journal.facts)
                _catch_up(run.judge.ask, journal.facts)
                if (stopped := elicitation.history.stopped) is not None and stopped.rule == CALLED_OFF:
                    elicitation.resume()
                over = elicitation.history.stopped is not None  # then nothing is measured any more
                known = Remembering(oracle, {} if over else measured_before(journals, oracle.fingerprint))
                result = driven(elicitation, known, journal=journal)
                if journal.last_claim is None:
                    journal.claim(_claim(run, elicitation), time.time())
                return elicitation, result


def _catch_up(operator: object, facts: tuple[Fact, ...]) -> None:
    """Tell an operator that keeps its place, as one with a script does, what it said before the fit was interrupted."""
    catch_up = getattr(operator, "catch_up", None)
    if callable(catch_up) and facts:
        catch_up(facts)


@one_thread()
def _claim(run: Run, elicitation: Unattended) -> Mapping[str, Any]:
    """What the run claims at its end, which is worked out without the proofs: `certificate_` makes them on demand."""
    return claim_by_score(elicitation) if run.judge.declared else claim_of(elicitation, proofs=False)


@contextmanager
def _follower(
    verbose: int, label: str, best: str, callback: Callable[[Progress], object] | None
) -> Iterator[Callable[[Progress], object] | None]:
    """Who follows the run while it lasts: the callback, and a meter on the standard error stream.

    best: what is shown as such. It need not be what is chosen: a tolerance and an expression choose at the end.
    """
    if not verbose:
        yield callback
        return
    with Meter(sys.stderr, asked_for=True) as meter:

        def show(progress: Progress) -> object:
            text = f"{label}{_standing(progress, best)}"
            meter.update(progress.evaluations / progress.budget, text, progress.kept / progress.budget)
            return None if callback is None else callback(progress)

        yield show


def _standing(progress: Progress, best: str) -> str:
    """Where the run stands, in one line."""
    asked = f", {many(progress.questions, 'question')}" if progress.questions else ""
    shown = criteria_in_words(progress.criteria) or "nothing"
    return f"evaluated {progress.evaluations} of {progress.budget}{asked}, {best}: {shown}"
