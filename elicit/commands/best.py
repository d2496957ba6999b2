"""elicit best: what another utility would choose among the measured subsets, without a new fit or question.

The utility is arithmetic on the recorded criteria. Of several best subsets, one that no other dominates comes first;
other ties go to fewer attributes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping

from elicit.commands.output import say
from elicit.commands.status import DONE
from elicit.errors import InputError
from elicit.events import Answer, Preferred
from elicit.journal import Record, read
from elicit.knowledge.history import History
from elicit.numeric import steps_of
from elicit.operators.expression import Expression, parse
from elicit.operators.simulated import SIZE
from elicit.printable import alike, many
from elicit.proof.why_words import measured_line
from elicit.sessions import elicitation_of
from elicit.subsets import Mask, simplest
from elicit.threads import one_thread
from elicit.worth import best_of, liked_though_worse, utility_of, worth_by


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    record = read(args.path)
    criteria = (*record.header.criteria, SIZE)  # the size is always known, as to a simulated operator
    expression = parse(args.utility, dict.fromkeys(criterion.name for criterion in criteria))
    for line in _lines(record, expression, args.top):
        say(line)
    return DONE


def _lines(record: Record, expression: Expression, top: int) -> Iterator[str]:
    elicitation = elicitation_of(record)
    history, family = elicitation.history, elicitation.family
    known = worth_by(elicitation, utility_of(elicitation, expression))
    worth = {x: value for x, value in known.items() if x in family}
    if not worth:
        raise InputError(
            "nothing that may be chosen was measured, so nothing can be ranked; "
            "go on with elicit resume, or begin anew with another model or score"
        )
    with one_thread():
        recommended = elicitation.incumbent
    assert recommended is not None
    best, steps = best_of(history, worth), {x: steps_of(value) for x, value in known.items()}
    ranked = sorted(worth, key=lambda x: (x != best, -steps[x], simplest(x)))
    preferences = _preferences(history)
    yield f"by {expression.text}, of the {len(worth)} measured:"
    for place, (x, told) in enumerate(zip(ranked, alike([worth[x] for x in ranked[:top]]), strict=False), start=1):
        yield f"  {place}. {told}  {measured_line(history, x)}"
    who = "the answers of the session recommend" if preferences else "the session itself recommends"
    if recommended == best:
        yield f"that is also what {who}."
    else:
        place = ranked.index(recommended) + 1
        level = ", worth as much as the first" if steps[recommended] == steps[best] else ""
        yield f"{who} another, which has place {place} here{level}:"
        # with the digits of the list, of which it is one unless --top is too few
        told = alike([worth[x] for x in (*ranked[:top], recommended)])[-1]
        yield f"  {place}. {told}  {measured_line(history, recommended)}"
    yield _agreement(history, preferences, steps)
    if (against := liked_though_worse(history, worth)) is not None:
        yield f"beware: it {against}; turn the utility round, or the direction of a criterion"
    yield _unmeasured_in_words(family.count() - len(worth))


def _unmeasured_in_words(left: int) -> str:
    if left == 0:
        return "every subset that may be chosen was measured."
    if left == 1:
        return "1 subset that may be chosen was not measured; it may be better by this utility."
    return f"{many(left, 'subset')} that may be chosen were not measured; one of them may be better by this utility."


def _preferences(history: History) -> dict[int, Preferred]:
    """The standing answers that compare the two subsets (better, worse or equal), by request."""
    return {r: a for r, a in history.standing.items() if _sign_of(a) is not None}


def _agreement(history: History, preferences: Mapping[int, Preferred], steps: Mapping[Mask, int]) -> str:
    """With how many of the operator's preferences this utility agrees."""
    numbers = history.question_numbers
    against = []
    for request, answer in preferences.items():
        gap = steps[answer.first] - steps[answer.second]
        if (gap > 0) - (gap < 0) != _sign_of(answer):
            against.append(numbers[request])
    if not preferences:
        return "no preference was told in the session."
    if len(preferences) == 1:
        does = "does not agree" if against else "agrees"
        return f"it {does} with the one preference told in the session."
    questions = "question" if len(against) == 1 else "questions"
    where = f", and differs in {questions} {', '.join(map(str, sorted(against)))}" if against else ""
    agreeing = len(preferences) - len(against)
    return f"it agrees with {agreeing} of the {len(preferences)} preferences told in the session{where}."


def _sign_of(answer: Preferred) -> int | None:
    """1 when the first is preferred, −1 when the second is, 0 for equal, None when nothing is said."""
    return {Answer.FIRST: 1, Answer.SECOND: -1, Answer.EQUAL: 0}.get(answer.answer)
