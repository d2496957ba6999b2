"""elicit why: why this subset is recommended, and why not another, in the operator's own answers."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from elicit.alongside.display import Meter
from elicit.commands.arguments import listed, mask_of_listed
from elicit.commands.output import say
from elicit.commands.status import DONE
from elicit.decide.settings import unproven_choice
from elicit.errors import InputError
from elicit.estimator.tolerance import ONE_SE, Tolerance, least_within
from elicit.journal import Record, read
from elicit.numeric import is_finite
from elicit.proof.strained import not_honoured, refuted_words, strained_in
from elicit.proof.why import Why, otherwise
from elicit.proof.why_words import facts_against, measured_line, reason_lines, reversed_answers
from elicit.subsets import Mask
from elicit.threads import one_thread
from elicit.utility.exact import TOO_THIN, ExactSet
from elicit.utility.explain import FIRST_CAUSES

_HINT = " (--all shows them)"


def run(args: argparse.Namespace) -> int:
    """Run the command and give its exit status."""
    with one_thread():
        record = read(args.path)
        why = Why(record)
        rival = None if args.rival is None else _rival(args.rival, why)
        for line in (*_lines(why, rival, None if args.all else FIRST_CAUSES), *_chosen_within(record, why)):
            say(line)
    return DONE


def _rival(text: str, why: Why) -> Mask:
    names = why.attributes.names
    # a name may hold a comma: the whole text may be one name
    rival = mask_of_listed([text] if text in names else listed(text), why.attributes, "--not")
    if not rival:
        raise InputError("--not needs the attributes of a subset, separated by commas")
    if rival == why.best:
        raise InputError("--not names the recommended subset itself; leave it out to see why it is recommended")
    if rival not in why.elicitation.family:
        raise InputError("--not names a subset that may not be chosen (keep, drop or max_size of this run exclude it)")
    return rival


def _lines(why: Why, rival: Mask | None, most: int | None) -> list[str]:
    when = "" if why.history.stopped is not None else " so far (the run has not ended)"
    lines = [f"recommended{when}: {measured_line(why.history, why.best)}"]
    choice = unproven_choice(why.elicitation.settings, bool(why.history.stated))
    if rival is not None:
        lines.append(f"why not {why.attributes.braced(rival)}:")
    if rival is not None and not why.beliefs.decides:
        lines += facts_against(why, rival)
    if why.beliefs.decides:
        lines += reason_lines(why, why.this() if rival is None else why.not_that(rival), most, _HINT)
    elif isinstance(why.utilities, ExactSet) and why.utilities.thin:
        lines.append(f"{TOO_THIN}, so nothing is decided: {choice} is recommended.")
    elif not why.utilities.informative:
        lines.append(f"nothing was stated or measured that sets one subset above another: {choice} is recommended.")
    else:
        lines.append("no utility of the exact set satisfies all statements, so nothing is proven.")
    if rival is None:
        lines += not_honoured(why.elicitation, strained_in(why.elicitation), why.attributes.braced)
        lines += [refuted_words(why.history.assume)] if why.history.refuted else []
    with Meter(sys.stderr) as meter:
        found = otherwise(why.beliefs, meter.update)
    return lines + reversed_answers(why, found, rival)


def _chosen_within(record: Record, why: Why) -> list[str]:
    """What a fit with a tolerance chose: its journal recommends the best, with which the smaller were compared."""
    tolerance = _tolerance_told(record, why)
    chosen = None if tolerance is None else least_within(why.history, why.elicitation.family, tolerance)
    if chosen is None or chosen == why.best:
        return []
    return [f"the fit chose the smallest within its tolerance of {tolerance}: {measured_line(why.history, chosen)}"]


def _tolerance_told(record: Record, why: Why) -> Tolerance | None:
    """The tolerance of the fit that a journal is of; None without one, or where what the file says cannot be one."""
    about = record.header.settings.get("about")
    told: Any = about.get("tolerance") if isinstance(about, dict) else None
    if told == ONE_SE:  # it needs the scores of two folds
        by_folds = all(fact.folds and len(fact.folds[0]) > 1 for fact in why.history.evaluated.values())
        return ONE_SE if by_folds else None
    return told if is_finite(told) and told >= 0 else None
