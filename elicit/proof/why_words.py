"""Why, in words: reasons and reversed answers as lines of text, the weightiest causes first.

The rule: a line that is indented belongs to the one above; names are told as they are, and whoever shows them
escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from elicit.alongside.display import criteria_in_words
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.knowledge.history import History
from elicit.knowledge.statements import Source, Statement
from elicit.printable import bounded, rounded
from elicit.proof.strained import questions_and_assumptions
from elicit.proof.why import NeededAnswers, Otherwise, Reason, Why
from elicit.subsets import Attributes, Mask
from elicit.utility import tolerances
from elicit.utility.explain import Cause
from elicit.utility.parsimony import ParsimoniousSet


def reason_lines(why: Why, reason: Reason, most: int | None, hint: str = "") -> list[str]:
    """A reason in lines of text; `most` causes of a kind, None for all; the hint says how to see the others."""
    scope = why.utilities.scope
    if reason.rival is None:
        lines, against = _against_all(why, reason), f"any of the {len(why.utilities.evaluated)} measured"
    else:
        lines, against = facts_against(why, reason.rival), "it"
    if reason.loses is None:
        return [*lines, f"a utility of the {scope} prefers another by more than the margin of one clear answer."]
    if reason.loses == 0:
        lines.append(f"no utility of the {scope} finds {against} better" + (", because:" if reason.causes else "."))
        lines += _cause_lines(reason.causes, why.attributes, most, hint)
    else:
        lines.append(
            f"no utility of the {scope} gives {against} more than {bounded(reason.loses, digits=4)} beyond it."
        )
    if reason.needed is not None:
        lines += _needed_lines(reason.needed)
    if reason.rival is None:
        return lines + _about_the_others(why, reason.loses)
    return lines + _whether_it_can_be_best(why, reason, most, hint)


def _whether_it_can_be_best(why: Why, reason: Reason, most: int | None, hint: str) -> list[str]:
    """Whether some utility of the set ranks the rival first; in the parsimonious set by what that costs."""
    costs = "" if reason.price is None else f"costs {reason.price:.4g}"
    if reason.rejected:
        believed = f" (to believe it {costs})" if costs else ""
        return [f"it cannot be best{believed}, because:", *_cause_lines(reason.rejected, why.attributes, most, hint)]
    if costs and isinstance(why.utilities, ParsimoniousSet):
        costs += f", tau is {why.utilities.settings.tau:g}"
    if reason.rejected is not None:
        believed = f" (to believe it {costs})" if costs else ""
        return [f"by linear programs it cannot be best{believed}; no exact proof of that was found."]
    if not costs:
        return ["it could still be best: some utility of the set ranks it first."]
    if reason.rival in why.history.dominates[reason.subset]:
        return [f"to believe all the same that it is best, what was measured would be set aside: that {costs}."]
    return [f"it could still be best: to believe so {costs}."]


def _against_all(why: Why, reason: Reason) -> list[str]:
    below = len(why.history.dominates[reason.subset])
    answers = [s for s in why.history.stated if s.strict and s.better == reason.subset and s.source is Source.OPERATOR]
    beyond = " beyond noise" if why.history.noise is not None else ""
    others = f"{below} of the {len(why.history.evaluated)} measured{beyond}"
    lines = [f"no measured subset{_that_may(why)} dominates it{beyond}; it dominates {others}."]
    if answers:
        lines.append(f"you preferred it outright in {which_questions([why.numbered(s) for s in answers])}.")
    doubted = [why.numbered(s) for s in why.beliefs.doubted if s.worse == reason.subset]
    if doubted:
        lines.append(
            f"you preferred another to it in {which_questions(doubted)}, but your other answers make that unlikely."
        )
    return lines


def _about_the_others(why: Why, loses: float) -> list[str]:
    """Why none of the others: what each that nothing puts below another may lose, where the subset may lose so much."""
    candidates = why.utilities.candidates(why.beliefs.eligible)
    others = [x for x in candidates if x != why.best]
    if not others:
        assumed = why.history.assume
        more = f", and by what follows from that with {ASSUMPTIONS[assumed]}" if why.history.deduced else ""
        return [f"every other{_that_may(why)} is below another, by what was measured or by what you answered{more}."]
    least = min(why.beliefs.regrets.of(x).value for x in others)
    several = len(others) > 1
    who = f"each of the {len(others)} others" if several else "the one other"
    which = f"{who} that nothing puts below another"
    if least < loses - tolerances.DECISION:
        one = f"one of the {len(others)} others" if several else "the one other"
        nobody = "nobody was asked, so the score decides"
        but = nobody if why.beliefs.by_score else "plausible operators expect less of it"
        return [f"{one} that nothing puts below another may lose less ({least:.4g}), but {but}."]
    if least <= loses + tolerances.DECISION:
        return [f"{which} may lose as much or more."]
    return [f"{which} may lose more: {least:.4g} or above."]


def _that_may(why: Why) -> str:
    """What narrows a sentence on what was measured down to the family, where an earlier run measured more than that."""
    return "" if len(why.beliefs.eligible) == len(why.history.evaluated) else " that may be chosen"


def facts_against(why: Why, rival: Mask) -> list[str]:
    """What was measured of a rival of the recommended subset, or why nothing was."""
    history = why.history
    if rival in history.failed:
        return [f"it could not be measured: {history.failed[rival].reason}."]
    if rival not in history.evaluated:
        return ["it was not measured."]
    lines = []
    for k, criterion in enumerate(history.criteria):
        ours, its = (history.evaluated[x].criteria[k] for x in (why.best, rival))
        way = "more" if criterion.maximise else "less"
        lines.append(f"{criterion.name} ({way} is better): {rounded(its)}, the recommended subset has {rounded(ours)}.")
    above = [x for x, below in history.dominates.items() if rival in below]
    if why.best in above:
        lines.append("the recommended subset dominates it.")
    elif above:
        several = f"{len(above)} of the measured subsets dominate it, such as"
        which = several if len(above) > 1 else "one of the measured subsets dominates it:"
        lines.append(f"{which} {why.attributes.braced(above[0])}.")
    return lines


def _cause_lines(causes: Sequence[Cause], names: Attributes, most: int | None, hint: str) -> list[str]:
    shown = causes if most is None else causes[:most]
    lines = [f"  {cause.share:4.0%}  {cause.words(names)}" for cause in shown]
    left = causes[len(shown) :]
    if left:
        lines.append(f"  {sum(c.share for c in left):4.0%}  {len(left)} more{hint}")
    return lines


def _needed_lines(needed: NeededAnswers) -> list[str]:
    if not needed.answers:
        return []
    yours = "your one answer" if needed.answers == 1 else f"your {needed.answers} answers"
    if not needed.enough:
        return [f"{yours} {'is' if needed.answers == 1 else 'are'} not needed for that: what was measured shows it."]
    if len(needed.core) == len(needed.enough):  # what is in every proof is in this one
        one = len(needed.core) == 1
        who, these = ("the one that shows it", "it") if one else ("those that show it", "one of them")
        return [f"of {yours}, {who}, and no proof can do without {these}: {which_questions(needed.core)}."]
    fewest = "a smallest set that shows it" if needed.smallest else "a set that shows it, none of it to spare"
    lines = [f"of {yours}, {fewest}: {which_questions(needed.enough)}."]
    if needed.core:
        lines.append(f"no proof of it can do without: {which_questions(needed.core)}.")
    else:
        lines.append("no single answer is in every proof of it.")
    return lines


def which_questions(statements: Sequence[Statement]) -> str:
    """Which questions the statements answer, and how many of them are assumptions."""
    numbers = sorted(s.request for s in statements if s.request is not None)
    return questions_and_assumptions(numbers, len(statements) - len(numbers))


def reversed_answers(why: Why, found: Sequence[Otherwise], rival: Mask | None) -> list[str]:
    """What other answers would have come to, in lines; with a rival, those that would have led to it."""
    changing = [o for o in found if o.subset != why.now and (rival is None or o.subset == rival)]

    def named(subset: Mask) -> str:
        return why.attributes.beside(subset, why.best, "the recommended one")

    now = f"by the rules of this version it is {why.attributes.braced(why.now)} already."
    lines = [] if why.now == why.best else [now]
    if not found:
        return [*lines, "no question was answered with a preference."]
    if not changing:
        what = "changes the recommendation" if rival is None else "would have made it the recommendation"
        return [*lines, f"no single answer, had it been the other way round, {what}."]
    lines += [
        f"had you preferred {named(o.preferred)} in question {o.question}"
        + (", and stood by it, it would be " if o.insisting else ", it would be ")
        + ("that one." if o.subset == o.preferred else f"{named(o.subset)}.")
        for o in changing
        if o.subset is not None
    ]
    rest = len({o.question for o in found} - {o.question for o in changing})
    if rival is None and rest:
        whose = (
            "the other answer, reversed, changes"
            if rest == 1
            else f"the other {rest} answers, each reversed alone, change"
        )
        lines.append(f"{whose} nothing.")
    return lines


def measured_line(history: History, subset: Mask) -> str:
    """A subset with its criteria in one line."""
    return f"{history.attributes.braced(subset)}: {criteria_in_words(history.named(subset))}"
