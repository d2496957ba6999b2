"""Why this one: reasons in the operator's own answers, what other answers would have led to, and what is set aside."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from elicit.alongside.display import Meter
from elicit.commands.ending_words import beside, changes, in_short, set_in_lines
from elicit.decide.elicitation import Elicitation
from elicit.drive import Result
from elicit.events import Answer
from elicit.knowledge.history import History
from elicit.knowledge.statements import Source
from elicit.operators.picture import named
from elicit.proof.strained import Strained, not_honoured, refuted_words, set_aside_of
from elicit.proof.why import Otherwise, numbered, otherwise
from elicit.subsets import Mask
from elicit.utility.certificates import certify_preference
from elicit.utility.explain import explain

#: How many other members of the front the recommended subset is compared with, the most promising first.
MOST_RIVALS = 3

#: With more measured subsets than this, it is not worked out which of them the recommended one is proven better than:
#: that takes a linear program for each, up to minutes in all.
MOST_EXPLAINED = 1000


def reasons(elicitation: Elicitation, subset: Mask, strained: Strained) -> Iterator[str]:
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
        yield from set_in_lines(f"  it dominates every other that was measured{doubted}", 4)
    preferred = _preferred_to(history, subset)
    answers = [statement for statement in set_aside_of(strained) if statement.source is Source.OPERATOR]
    aside = {numbered(answer, history.question_numbers).request for answer in answers}
    for other, question in preferred.items():
        which = f"question {question}, set aside" if question in aside else f"question {question}"
        yield from set_in_lines(f"  you preferred it to {beside(elicitation, other, subset, 'the same')} ({which})", 4)
    # what was preferred outright needs no other reason
    yield from _proven_better(elicitation, subset, [x for x in others[:MOST_RIVALS] if x not in preferred], strained)
    if too_many:
        told = f"  more than {MOST_EXPLAINED:,} were measured, so it was not worked out which of them this one is "
        yield from set_in_lines(f"{told}proven better than", 4)
    if len(others) > MOST_RIVALS:
        yield from set_in_lines(f"  (and {len(others) - MOST_RIVALS} more that no other subset dominates)")


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
    numbers, attributes = history.question_numbers, in_short(history.attributes)
    statements = [numbered(s, numbers) for s in utilities.statements]
    aside = {numbered(s, numbers) for s in set_aside_of(strained)}
    unproven = []
    for other in others:
        certificate = certify_preference(utilities, subset, other)
        if certificate is None:
            unproven.append(other)
            continue
        found = explain(certificate, statements, attributes, aside)
        yield from set_in_lines(f"  {found.words(attributes)}", 4)
    if unproven:
        text = "; ".join(beside(elicitation, x, subset, "the same") for x in unproven)
        yield from set_in_lines(f"  not proven, only {_unproven_reason(elicitation)}, against {text}", 4)


def _unproven_reason(elicitation: Elicitation) -> str:
    """By what a subset is recommended against another where nothing is proven. Which is liked better is another matter:
    the one worth more on the average may be liked less by most."""
    if elicitation.beliefs.by_score:
        return "chosen by its score (nobody was asked)"
    by = "what you said" if elicitation.history.stated else "what was measured (you preferred none to another)"
    expected = elicitation.settings.recommend == "expected"
    return f"{'expected to be worth more' if expected else 'with less to lose'} by {by}"


def what_answers_did(elicitation: Elicitation, subset: Mask) -> Iterator[str]:
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
        yield from set_in_lines(f"  {which} {effect}", 4)
    counting = {other.question for other, _ in moved}
    unmoved = [str(question) for question in dict.fromkeys(o.question for o in found) if question not in counting]
    if unmoved:
        yield from set_in_lines(
            f"  the other way round, none of these alone would have changed the result: {', '.join(unmoved)}", 4
        )


def _reversed_in_words(elicitation: Elicitation, other: Otherwise, instead: Mask, subset: Mask) -> str:
    """What another answer would have led to; the text follows the number of its question."""
    # the reverse of an equality is either preference, so it must be named
    reversal = (
        f"with {beside(elicitation, other.preferred, subset)} preferred"
        if other.given is Answer.EQUAL
        else "the other way round"
    )
    stood = ", had you stood by it" if other.insisting else ""
    return f"{reversal}{stood}: {beside(elicitation, instead, subset)} ({changes(elicitation, instead, subset)})"


def statements_set_aside(elicitation: Elicitation, result: Result) -> Iterator[str]:
    """The statements that the recommendation goes against, in part or in full, and answers that contradict others."""
    attributes = in_short(elicitation.history.attributes)
    for line in not_honoured(elicitation, result.set_aside, lambda subset: named(subset, attributes)):
        yield from set_in_lines(line)
    if elicitation.history.refuted:
        yield from set_in_lines(refuted_words(elicitation.settings.assume))
