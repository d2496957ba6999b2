"""The end of a session: what is recommended, why, how sure that is, and what to do with it.

The rule: every number is called what it is. The score by which the subset was chosen is too high, so a fresh one
stands beside it; what is proven is told with its scope.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from elicit.alongside.display import Meter, clock_time, failure_lines
from elicit.alongside.fresh import ROUNDS, fresh_scores, no_other_folds, unmeasured
from elicit.alongside.hopeless import binary_score_remedy
from elicit.asks import Evaluate, Measured, Oracle
from elicit.commands.chosen_data import reading
from elicit.commands.ending_bounds import Bounds, proven_bounds, what_is_proven
from elicit.commands.ending_reasons import reasons, statements_set_aside, what_answers_did
from elicit.commands.ending_words import beside, line_width, set_in_lines
from elicit.commands.output import screen_width
from elicit.decide.beliefs import best_by_score
from elicit.decide.elicitation import Elicitation
from elicit.drive import Result
from elicit.errors import InputError
from elicit.events import SCORE_AND_SIZE, Evaluated
from elicit.journal import Journal
from elicit.knowledge.history import FINE
from elicit.numeric import GRID
from elicit.operators.picture import numbers
from elicit.oracles import Remembering, WrapperOracle
from elicit.oracles.guess import guess_of
from elicit.printable import aligned, in_a_list, many, pasted, printable, rounded, width, with_spreads
from elicit.sessions import Session
from elicit.sources.snippet import snippet
from elicit.subsets import Mask
from elicit.threads import one_thread


def ending(
    session: Session, oracle: Remembering, section: Mapping[str, Any], result: Result, wrong: str | None = None
) -> Iterator[str]:
    """The end of a session, in lines of plain text. What takes long shows its progress on standard error.

    wrong: what did not hold in the journal when it was opened; a claim that was found there is not relied on then.
    """
    elicitation, path = session.elicitation, pasted(os.fspath(session.journal.path))
    check = _command("check the proofs again:", f"elicit verify {path}")
    yield ""
    if result.subset is None:
        yield "Nothing could be measured, so nothing is recommended."
        yield from _failures(result)
        yield from _spent(session, oracle, result)
        yield ""
        yield from _what_may_do_instead(elicitation, result)
        yield from check
        return
    told = wrong is None or not session.journal.claim_was_found
    bounds = proven_bounds(session.journal, elicitation.family) if told else Bounds()
    with one_thread():
        yield from _recommended(session, oracle, section, result.subset)
        yield from _guess_warning(elicitation, oracle, result.subset)
        yield from _best_by_score_alone(elicitation, result.subset)
        yield from what_is_proven(elicitation, result, bounds)
        if wrong is not None:
            yield from set_in_lines(f"a claim that the journal holds is false, and nothing here relies on it: {wrong}")
        yield from reasons(elicitation, result.subset, result.set_aside)
        yield from what_answers_did(elicitation, result.subset)
    yield from _failures(result)
    yield from statements_set_aside(elicitation, result)
    for name in elicitation.history.too_fine:
        text = f"note: all values of {printable(name)} lie within {FINE:g}, and within {GRID:g} they count as equal"
        yield from set_in_lines(f"{text}; take a smaller unit")
    yield from _spent(session, oracle, result)
    yield ""
    if bounds.family != 0:
        yield from _how_to_go_on(elicitation, path)
    yield from _command("a page to keep or send:", f"elicit report {path} -o report.html")
    yield from check
    yield from _code(section, result.names)


def _code(section: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    """Code for what is recommended; why there is none, where the data can no longer be read."""
    try:
        with reading(str(section.get("data", "the data"))):
            code = snippet(section, names)
    except (InputError, OSError) as error:
        yield ""
        yield from set_in_lines(f"no code for scikit-learn and pandas: {error}")
        return
    if code:
        yield from ("", "in scikit-learn, with pandas:", "", *(f"    {line}".rstrip() for line in code))


def _failures(result: Result) -> Iterator[str]:
    """Why subsets could not be measured, if some could not."""
    for line in failure_lines([result.failures]):
        yield from set_in_lines(line)


def _what_may_do_instead(elicitation: Elicitation, result: Result) -> Iterator[str]:
    """What to change where nothing could be measured."""
    further = ", --criteria" if len(elicitation.history.criteria) > len(SCORE_AND_SIZE) else ""
    told = f"another model or score may do: --model, --scoring{further} name them"
    yield from set_in_lines(told)
    for remedy in binary_score_remedy(result.failures):
        yield from set_in_lines(remedy)


def _how_to_go_on(elicitation: Elicitation, shown: str) -> Iterator[str]:
    """How to go on: a run that the operator ended has a question open, or some of its budget left."""
    stopped = elicitation.history.stopped
    ended_early = stopped is not None and stopped.from_outside
    if ended_early:
        yield from _command("go on after all:", f"elicit resume {shown}")
    spent = elicitation.evaluations >= elicitation.budget
    if (spent or not ended_early) and elicitation.evaluations < elicitation.family.count():
        yield from _command("go on, with more evaluations:", f"elicit resume {shown} --budget +50")


def _command(what: str, command: str) -> Iterator[str]:
    """What a command is for, and the command, which is to be copied: below, where it would not fit on the terminal."""
    line = f"{what:<31}{command}"
    columns = screen_width()
    yield from [line] if columns is None or width(line) <= columns else [what, f"  {command}"]


def _recommended(session: Session, oracle: Remembering, section: Mapping[str, Any], subset: Mask) -> Iterator[str]:
    """The recommended subset, and its criteria and scores on fresh folds beside those of the largest subset."""
    elicitation = session.elicitation
    history, baseline = elicitation.history, elicitation.family.largest
    names = ", ".join(map(in_a_list, history.attributes.subset(subset)))
    yield from set_in_lines(f"recommended: {names}")
    yield ""
    chosen, whole = history.evaluated[subset], _measurement(oracle, baseline)
    rows = [["", "recommended", elicitation.family.largest_told()]]
    for i, criterion in enumerate(history.criteria):
        name = "score (on the folds that chose it)" if criterion.name == "score" else criterion.name
        unit = f" [{criterion.unit}]" if criterion.unit else ""
        both = [*numbers((chosen,), i), "failed"] if whole is None else numbers((chosen, whole), i)
        rows.append([printable(name + unit), *both])
    inner = oracle.inner
    fresh: list[str] = []
    try:  # the data are read anew
        alone = no_other_folds(section, inner.splits) if isinstance(inner, WrapperOracle) else ""
        fresh = [] if alone else _fresh_scores(session.journal, section, (subset, baseline))
    except InputError as error:
        alone = f"no scores on fresh folds ({error})"
    if fresh:
        rows.append([f"score on {ROUNDS} fresh shuffles into folds", *fresh])
    yield from (f"  {line}" for line in aligned(rows, line_width() - 2))
    if fresh:
        text = (
            "(fresh folds: new splits of the same rows. These chose what is recommended, so for it even this is too "
            "high: by little with many rows, by much with few. ± does not tell that: it is the spread over folds, in "
            f"the last line over the {ROUNDS} shuffles.)"
        )
        yield from set_in_lines(f"  {text}", 1)
    if alone:
        yield from set_in_lines(f"  ({alone}: the score is that of the folds that chose, and too high.)", 1)
    yield ""


def _guess_warning(elicitation: Elicitation, oracle: Remembering, subset: Mask) -> Iterator[str]:
    """A warning, where the subset scores no better than a model without any attribute."""
    guess = guess_of(oracle.inner) if isinstance(oracle.inner, WrapperOracle) else None
    if guess is not None and elicitation.history.evaluated[subset].criteria[0] <= guess:
        told = f"warning: no better than a guess without any attribute, whose score is {rounded(guess)}"
        yield from set_in_lines(f"  {told}; another model, or other attributes, may do")
        yield ""


def _best_by_score_alone(elicitation: Elicitation, subset: Mask) -> Iterator[str]:
    """The subset of the best score, where it is another and no answer says what else counts."""
    history = elicitation.history
    best = best_by_score(history, elicitation.family)
    if history.stated or best is None or best == subset:
        return
    score, its = history.criteria[0].name, history.evaluated[best].criteria[0]
    told = f"you preferred none to another, so this is a guess; by {printable(score)} alone it would be"
    yield from set_in_lines(f"  {told} {beside(elicitation, best, subset)}: {rounded(its)}")
    yield ""


def _spent(session: Session, oracle: Remembering, result: Result) -> Iterator[str]:
    """The evaluations, questions and time of the run, and what was measured beyond its budget."""
    history = session.elicitation.history
    ahead = sum(x not in history.evaluated and x not in history.failed for x in oracle.known)
    besides = [f"{ahead} measured ahead of need"] if ahead else []
    if afresh := len(session.journal.afresh):
        besides.append(f"{afresh} on fresh folds")
    asked = f"{many(result.evaluations, 'evaluation')}, {many(result.questions, 'question')}"
    yield from set_in_lines(f"spent: {asked}, {clock_time(result.seconds)} in this sitting")
    if besides:
        yield from set_in_lines(f"beyond the budget: {', '.join(besides)}")


def _measurement(oracle: Oracle, subset: Mask) -> Evaluated | None:
    """What the oracle says of a subset, as a fact; None where it cannot be measured."""
    reply = oracle(Evaluate(0, subset))
    return Evaluated(0, subset, reply.criteria, reply.folds, reply.spread) if isinstance(reply, Measured) else None


def _fresh_scores(journal: Journal, section: Mapping[str, Any], subsets: Sequence[Mask]) -> list[str]:
    """For each subset its mean score on fresh folds ± the spread over the shuffles, in words.

    What is measured for it is kept in the journal. [] where the oracle has no folds, or a subset failed on some.
    """
    if section.get("kind") != "wrapper":
        return []
    done, needed = count(), len(unmeasured(section, subsets, journal.afresh))
    with Meter(sys.stderr) as meter:
        found = fresh_scores(
            section,
            subsets,
            journal.afresh,
            of=journal.header.fingerprint,
            tell=lambda text: meter.update(next(done) / needed, text),
            keep=lambda seed, subset, result: journal.keep_afresh(seed, subset, result, time.time()),
        )
    if any(len(each) < ROUNDS for each in found.values()):
        return []
    spreads = [float(np.std(found[subset], ddof=1)) for subset in subsets]
    means = [float(np.mean(found[subset])) for subset in subsets]
    return with_spreads(means, [spread if spread > GRID else 0.0 for spread in spreads])
