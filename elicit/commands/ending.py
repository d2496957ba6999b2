"""The end of a session: what is recommended, why, how sure that is, and what to do with it.

The rule: every number is called what it is. The score by which the subset was chosen is too high, so a fresh one
stands beside it; what is proven is told with its scope.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count
from math import isinf
from typing import Any, NamedTuple

import numpy as np

from elicit.asks import Evaluate, Measured, Oracle
from elicit.commands.output import screen_width
from elicit.data.snippet import snippet
from elicit.decide.beliefs import best_by_score
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import unproven_choice
from elicit.drive import Result
from elicit.errors import JournalError
from elicit.events import SCORE_AND_SIZE, Answer, Evaluated
from elicit.journal import Journal
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.knowledge.history import FINE, History
from elicit.numeric import GRID
from elicit.operators.picture import named, numbers
from elicit.oracles import Remembering, WrapperOracle
from elicit.oracles.guess import guess_of
from elicit.printable import (
    aligned,
    alike,
    bounded,
    counted,
    listable,
    many,
    paragraph,
    pasted,
    printable,
    rounded,
    told_apart,
    width,
)
from elicit.proof.strained import Strained, kept_words, set_aside_of, strained_words, whose_words
from elicit.proof.why import Otherwise, numbered, otherwise
from elicit.session.display import Meter, clock_time, failure_lines
from elicit.session.fresh import ROUNDS, fresh_scores, unmeasured
from elicit.session.hopeless import binary_score_remedy
from elicit.sessions import Session
from elicit.subsets import Attributes, Family, Mask
from elicit.threads import one_thread
from elicit.utility.any_set import AnySet
from elicit.utility.certificates import certify_preference
from elicit.utility.exact import TOO_THIN, ExactSet
from elicit.utility.explain import explain
from elicit.utility.issuing import provable
from elicit.utility.numbers import MOST_MONOMIALS, exact
from elicit.utility.parsimony import ParsimoniousSet

#: How many other members of the front the recommended subset is compared with, the most promising first.
MOST_RIVALS = 3

#: With more measured subsets than this, it is not worked out which of them the recommended one is proven better than:
#: that takes a linear program for each, up to minutes in all.
MOST_EXPLAINED = 1000

#: The longest line, in columns; on a narrow terminal lines are shorter.
_MOST_WIDTH = 96


def ending(session: Session, oracle: Remembering, section: Mapping[str, Any], result: Result) -> Iterator[str]:
    """The end of a session, in lines of plain text. What takes long shows its progress on standard error."""
    elicitation, path = session.elicitation, pasted(os.fspath(session.journal.path))
    yield ""
    bounds = Bounds() if result.subset is None else proven_bounds(session.journal, elicitation.family)
    if result.subset is None:
        yield "Nothing could be measured, so nothing is recommended."
    else:
        with one_thread():
            yield from _recommended(session, oracle, section, result.subset)
            yield from _guess_warning(elicitation, oracle, result.subset)
            yield from _best_by_score_alone(elicitation, result.subset)
            yield from _proven(elicitation, result, bounds)
            yield from _reasons(elicitation, result.subset, result.set_aside)
            yield from _what_answers_did(elicitation, result.subset)
    for line in failure_lines([result.failures]):
        yield from _paragraph(line)
    if result.subset is not None:
        yield from _statements_set_aside(elicitation, result)
        for name in elicitation.history.too_fine:
            text = f"note: all values of {printable(name)} lie within {FINE:g}, and within {GRID:g} they count as equal"
            yield from _paragraph(f"{text}; take a smaller unit")
    yield from _spent(elicitation, oracle, section, result)
    yield ""
    if result.subset is None:
        yield from _what_may_do_instead(elicitation, result)
    else:
        if bounds.family != 0:
            yield from _how_to_go_on(elicitation, path)
        yield from _command("a page to keep or send:", f"elicit report {path} -o report.html")
    yield from _command("check the proofs again:", f"elicit verify {path}")
    if result.subset is not None and (code := snippet(section, result.names)):
        yield from ("", "in scikit-learn, with pandas:", "", *(f"    {line}".rstrip() for line in code))


def _what_may_do_instead(elicitation: Elicitation, result: Result) -> Iterator[str]:
    """What to change where nothing could be measured."""
    further = ", --criteria" if len(elicitation.history.criteria) > len(SCORE_AND_SIZE) else ""
    told = f"another model or score may do: --model, --scoring{further} name them"
    yield from _paragraph(told)
    for remedy in binary_score_remedy(result.failures):
        yield from _paragraph(remedy)


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
    names = ", ".join(map(listable, history.attributes.subset(subset)))
    yield from _paragraph(f"recommended: {names}")
    yield ""
    chosen, whole = history.evaluated[subset], _measurement(oracle, baseline)
    rows = [["", "recommended", elicitation.family.largest_told()]]
    for i, criterion in enumerate(history.criteria):
        name = "score (on the folds that chose it)" if criterion.name == "score" else criterion.name
        unit = f" [{criterion.unit}]" if criterion.unit else ""
        both = [*numbers((chosen,), i), "failed"] if whole is None else numbers((chosen, whole), i)
        rows.append([printable(name + unit), *both])
    fresh = _fresh_scores(session.journal, section, (subset, baseline))
    if fresh:
        rows.append([f"score on {ROUNDS} fresh shuffles into folds", *fresh])
    yield from (f"  {line}" for line in aligned(rows, _columns() - 2))
    if fresh:
        text = (
            "(fresh folds: new splits of the same rows. The rows chose the subset, so this is still a little high. "
            f"± is the spread over folds, in the last line over the {ROUNDS} shuffles.)"
        )
        yield from _paragraph(f"  {text}", 1)
    yield ""


def _guess_warning(elicitation: Elicitation, oracle: Remembering, subset: Mask) -> Iterator[str]:
    """A warning, where the subset scores no better than a model without any attribute."""
    guess = guess_of(oracle.inner) if isinstance(oracle.inner, WrapperOracle) else None
    if guess is not None and elicitation.history.evaluated[subset].criteria[0] <= guess:
        told = f"warning: no better than a guess without any attribute, whose score is {rounded(guess)}"
        yield from _paragraph(f"  {told}; another model, or other attributes, may do")
        yield ""


def _best_by_score_alone(elicitation: Elicitation, subset: Mask) -> Iterator[str]:
    """The subset of the best score, where it is another and no answer says what else counts."""
    history = elicitation.history
    best = best_by_score(history, elicitation.family)
    if history.stated or best is None or best == subset:
        return
    score, its = history.criteria[0].name, history.evaluated[best].criteria[0]
    told = f"you preferred none to another, so this is a guess; by {printable(score)} alone it would be"
    yield from _paragraph(f"  {told} {_beside(elicitation, best, subset)}: {rounded(its)}")
    yield ""


def _spent(elicitation: Elicitation, oracle: Remembering, section: Mapping[str, Any], result: Result) -> Iterator[str]:
    """The evaluations, questions and time of the run, and what was measured beyond its budget."""
    history = elicitation.history
    ahead = sum(x not in history.evaluated and x not in history.failed for x in oracle.known)
    besides = [f"{ahead} measured ahead of need"] if ahead else []
    if result.subset is not None and section.get("kind") == "wrapper":
        besides.append(f"{ROUNDS * len({result.subset, elicitation.family.largest})} on fresh folds")
    asked = f"{many(result.evaluations, 'evaluation')}, {many(result.questions, 'question')}"
    yield from _paragraph(f"spent: {asked}, {clock_time(result.seconds)} in this sitting")
    if besides:
        yield from _paragraph(f"beyond the budget: {', '.join(besides)}")


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
            tell=lambda text: meter.update(next(done) / needed, text),
            keep=lambda seed, subset, result: journal.keep_afresh(seed, subset, result, time.time()),
        )
    if any(len(each) < ROUNDS for each in found.values()):
        return []
    means = alike([float(np.mean(found[subset])) for subset in subsets])
    spreads = [float(np.std(found[subset], ddof=1)) for subset in subsets]
    around = alike([spread if spread > GRID else 0.0 for spread in spreads], 2)
    return [f"{mean} ± {spread}" for mean, spread in zip(means, around, strict=True)]


class Bounds(NamedTuple):
    """By how much another subset may be better, as the journal's last claim proves: of the measured, of the family.

    None where there is no proof.
    """

    measured: Fraction | None = None
    family: Fraction | None = None


def proven_bounds(journal: Journal, family: Family) -> Bounds:
    """The bounds that the last claim of the journal proves.

    A proof of a narrower scope says nothing of the subsets outside it, so it does not count for the family.
    """
    claim: Mapping[str, Any] = journal.last_claim or {}
    try:
        proven = [proof["claim"] for proof in claim.get("proofs", ())]
        regrets = [each for each in proven if each["kind"] == "regret"]

        def least(scope: Mapping[str, Any]) -> Fraction | None:
            return min((exact(each["bound"]) for each in regrets if each["scope"] == scope), default=None)

        return Bounds(measured=least({"evaluated": True}), family=least(family.claimed))
    except (TypeError, KeyError, ValueError) as error:
        path = os.fspath(journal.path)
        raise JournalError(f"journal {path!r}: its last claim is malformed; elicit verify says how") from error


def _proven(elicitation: Elicitation, result: Result, bounds: Bounds) -> Iterator[str]:
    """Why the run ended, and what is proven of the recommended subset, in which scope."""
    yield from _paragraph(f"ended by {result.reason}")
    for text in (*_undecided(elicitation.beliefs.utilities), *_bounds(elicitation, result.scope, bounds)):
        yield from _paragraph(text)


def _undecided(utilities: AnySet) -> Iterator[str]:
    """Where the set of utilities decides nothing: why."""
    if isinstance(utilities, ParsimoniousSet) and utilities.informative and utilities.cap <= utilities.settings.tau:
        text = f"no subset can be rejected: setting every statement aside costs only {utilities.cap:.2g}, and tau is "
        yield f"{text}{utilities.settings.tau:g}"
    if isinstance(utilities, ExactSet) and utilities.thin:
        yield f"{TOO_THIN}, so nothing is decided; the parsimonious set has no such limit"


def _bounds(elicitation: Elicitation, scope: str, bounds: Bounds) -> Iterator[str]:
    """By how much another subset may be better, of the measured ones and of the family, and the strongest rival."""
    beliefs = elicitation.beliefs
    evaluated, total = len(elicitation.history.evaluated), elicitation.family.count()
    clear = beliefs.utilities.clear
    others = _unmeasured_in_words(total - evaluated, None if bounds.family is None else float(bounds.family) / clear)
    if beliefs.far:
        yield _not_near_best(evaluated, scope) + others
        return
    found = beliefs.incumbent_regret  # not worked out where it is far
    if found is None or isinf(found.value):
        choice = unproven_choice(elicitation.settings, bool(elicitation.history.stated))
        yield f"proven: nothing beyond the measured numbers; {choice} is named"
        return
    if bounds.family == 0:
        around = elicitation.family.neighbours(found.subset) + elicitation.family.swaps(found.subset)
        measured = all(y in elicitation.history.evaluated for y in around)
        told = f"proven: no subset of the {counted(total)} is better in any utility of the {scope}"
        yield told + ("; all with one attribute more, fewer or another were evaluated as well" if measured else "")
    else:
        yield _bound_in_words(found.value, bounds, evaluated, scope, beliefs.utilities, others)
    # a bound may come from straining what was measured; what that puts below is no alternative
    if found.rival is not None and found.rival not in elicitation.history.dominates[found.subset]:
        yield _strongest_rival(elicitation, found.rival, found.subset)


def _strongest_rival(elicitation: Elicitation, rival: Mask, subset: Mask) -> str:
    """The strongest rival of the recommended subset, beside it."""
    beside = _beside(elicitation, rival, subset)
    return f"its strongest rival among the evaluated is {beside} ({_changes(elicitation, rival, subset)})"


def _not_near_best(evaluated: int, scope: str) -> str:
    """What is said where the regret exceeds one margin, and was not worked out exactly."""
    return (
        f"not proven best: a utility that fits what was measured and answered ({scope}) prefers another of the "
        f"{evaluated} measured by more than the margin of one clear answer"
    )


def _bound_in_words(computed: float, bounds: Bounds, evaluated: int, scope: str, utilities: AnySet, others: str) -> str:
    """By how much another measured subset may be better; "proven" only where the bound is proven and below one margin.

    A proven bound may be a hair above the computed one, since the numbers of a proof are rounded. Both are in the units
    of the set of utilities; the text gives them in margins of one clear answer, as during the session, and says after
    the first such number what a margin is.
    """
    most = (computed if bounds.measured is None else float(bounds.measured)) / utilities.clear
    margin = ", where 1 is the margin of one clear answer"
    if most >= 1:
        return (
            f"not proven best: a utility that fits what was measured and answered ({scope}) may prefer another of the "
            f"{evaluated} measured by up to {bounded(most)}{margin}{others}"
        )
    if bounds.measured is not None:
        known = "proven"
    elif provable(utilities):
        known = "computed, though no proof was found"
    else:
        known = f"computed, though no proof is written (more than {MOST_MONOMIALS} attributes and pairs)"
    none = f"{known}: none of the {evaluated} measured is better"
    fits = f"in any utility that fits what was measured and answered ({scope})"
    if most == 0:
        return f"{none} {fits}{others}{margin if others and bounds.family is not None else ''}"
    return f"{none} by more than {bounded(most)} {fits}{margin}{others}"


def _unmeasured_in_words(count: int, bound: float | None) -> str:
    """What is proven of the subsets that were not measured, in margins of one clear answer."""
    if count <= 0:
        return ""
    if bound is None:
        others = "the one other subset" if count == 1 else f"the other {counted(count)} subsets"
        return f"; of {others} nothing is proven here"
    if count == 1:
        return f"; the one other is not better by more than {bounded(bound)}"
    return f"; of the other {counted(count)} none is better by more than {bounded(bound)}"


def _reasons(elicitation: Elicitation, subset: Mask, strained: Strained) -> Iterator[str]:
    """Why this one and not the other members of the front, in the operator's own answers."""
    beliefs, history = elicitation.beliefs, elicitation.history
    if not beliefs.decides:
        return
    too_many = len(history.evaluated) > MOST_EXPLAINED
    others = [] if too_many else beliefs.by_liking([x for x in history.front if x != subset])
    yield ""
    yield "why this one:"
    if not others and not too_many:
        # a utility of the set may prefer another: it strains a measured order, or the order does not hold beyond noise
        doubted = "; a utility that prefers another takes that for noise" if beliefs.regrets.exceeds(subset, 0) else ""
        yield from _paragraph(f"  it dominates every other that was measured{doubted}", 4)
    preferred = _preferred_to(history, subset)
    for other, question in preferred.items():
        yield from _paragraph(
            f"  you preferred it to {_beside(elicitation, other, subset, 'the same')} (question {question})", 4
        )
    # what was preferred outright needs no other reason
    yield from _proven_better(elicitation, subset, [x for x in others[:MOST_RIVALS] if x not in preferred], strained)
    if too_many:
        told = f"  more than {MOST_EXPLAINED:,} were measured, so it was not worked out which of them this one is "
        yield from _paragraph(f"{told}proven better than", 4)
    if len(others) > MOST_RIVALS:
        yield from _paragraph(f"  (and {len(others) - MOST_RIVALS} more that no other subset dominates)")


def _preferred_to(history: History, subset: Mask) -> dict[Mask, int]:
    """The subsets to which the operator preferred this one, with the number of the question."""
    numbers = history.question_numbers
    return {
        (answer.second if answer.first == subset else answer.first): numbers[request]
        for request, answer in history.standing.items()
        if answer.preferred == subset
    }


def _proven_better(elicitation: Elicitation, subset: Mask, others: Sequence[Mask], strained: Strained) -> Iterator[str]:
    """A proof in words that the subset is better than each of the others, and those of which there is none."""
    history, utilities = elicitation.history, elicitation.beliefs.fresh_utilities()
    numbers, attributes = history.question_numbers, _in_short(history.attributes)
    statements = [numbered(s, numbers) for s in utilities.statements]
    aside = {numbered(s, numbers) for s in set_aside_of(strained)}
    unproven = []
    for other in others:
        certificate = certify_preference(utilities, subset, other)
        if certificate is None:
            unproven.append(other)
            continue
        found = explain(certificate, statements, attributes, aside)
        yield from _paragraph(f"  {found.words(attributes)}", 4)
    if unproven:
        text = "; ".join(_beside(elicitation, x, subset, "the same") for x in unproven)
        by = "what you said" if history.stated else "what was measured (you preferred none to another)"
        yield from _paragraph(f"  not proven, only more plausible by {by}, against {text}", 4)


def _what_answers_did(elicitation: Elicitation, subset: Mask) -> Iterator[str]:
    """What would be recommended, had one answer been the other way round."""
    with Meter(sys.stderr) as meter:
        found = otherwise(elicitation.beliefs, meter.update)
    if not found:
        return
    yield ""
    yield "what your answers did:"
    moved = [(other, other.subset) for other in found if other.subset is not None and other.subset != subset]
    questions_with: dict[str, list[int]] = {}
    for other, instead in moved:
        questions_with.setdefault(_reversed_in_words(elicitation, other, instead, subset), []).append(other.question)
    for effect, questions in questions_with.items():
        which = (
            f"any one of questions {', '.join(map(str, questions))}" if questions[1:] else f"question {questions[0]}"
        )
        yield from _paragraph(f"  {which} {effect}", 4)
    counting = {other.question for other, _ in moved}
    unmoved = [str(question) for question in dict.fromkeys(o.question for o in found) if question not in counting]
    if unmoved:
        yield from _paragraph(
            f"  the other way round, none of these alone would have changed the result: {', '.join(unmoved)}", 4
        )


def _reversed_in_words(elicitation: Elicitation, other: Otherwise, instead: Mask, subset: Mask) -> str:
    """What another answer would have led to; the text follows the number of its question."""
    # the reverse of an equality is either preference, so it must be named
    reversal = (
        f"with {_beside(elicitation, other.preferred, subset)} preferred"
        if other.given is Answer.EQUAL
        else "the other way round"
    )
    return f"{reversal}: {_beside(elicitation, instead, subset)} ({_changes(elicitation, instead, subset)})"


def _changes(elicitation: Elicitation, other: Mask, subset: Mask) -> str:
    """The criteria in which another subset differs from the recommended one."""
    measured = elicitation.history.evaluated
    values = zip(elicitation.history.criteria, measured[other].criteria, measured[subset].criteria, strict=True)
    told = (f"{c.name} {' instead of '.join(alike(pair))}" for c, *pair in values if abs(pair[0] - pair[1]) > GRID)
    return ", ".join(told) or "the same numbers"


def _beside(elicitation: Elicitation, subset: Mask, recommended: Mask, called: str = "the recommended one") -> str:
    return _in_short(elicitation.history.attributes).beside(subset, recommended, called)


def _in_short(attributes: Attributes) -> Attributes:
    """The attributes by names that a sentence can hold several of, where these can be told apart."""
    short = told_apart(attributes.names)
    return Attributes(tuple(short)) if len({*short}) == len(short) else attributes


def _statements_set_aside(elicitation: Elicitation, result: Result) -> Iterator[str]:
    """The statements that the recommendation goes against, in part or in full, and answers that contradict others."""
    numbers, attributes = elicitation.history.question_numbers, _in_short(elicitation.history.attributes)
    strained = strained_words(result.set_aside, numbers, lambda subset: named(subset, attributes))
    for line in (*strained, *kept_words(elicitation.history)):
        yield from _paragraph(line)
    if unsettled := elicitation.unsettled:
        how = "goes against what was measured" if len(unsettled) == 1 else "cannot all hold"
        yield from _paragraph(f"not settled: {whose_words(elicitation.history, unsettled)} {how}")
    if elicitation.history.refuted:
        kind = ASSUMPTIONS[elicitation.settings.assume]
        told = f"no operator with {kind} would give all your answers, so nothing is deduced"
        yield from _paragraph(told)


def _paragraph(text: str, indent: int = 2) -> list[str]:
    """A text set in lines as wide as the terminal, where there is one, up to a limit."""
    return paragraph(text, _columns(), indent)


def _columns() -> int:
    """The width of the lines of a text."""
    return min(screen_width() or _MOST_WIDTH, _MOST_WIDTH)
