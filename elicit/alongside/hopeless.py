"""Hopeless runs: every subset fails, whatever it holds, so the run had better end.

A scorer that the model does not support, or a model that always raises, fails on every subset in the same way. The
rule: once the first few have failed alike and none was measured, all attributes together and some alone are tried
as well (`decide/exploring.py` proposes those alone next). If these fail alike, too, the subsets are not to blame, and
the run ends at once instead of spending its budget.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from elicit.asks import Failure, Measured
from elicit.decide.exploring import ENOUGH_FAILED
from elicit.errors import InputError
from elicit.events import Evaluated, Fact, Failed
from elicit.subsets import Family, Mask


def only_failures(facts: Iterable[Fact]) -> dict[Mask, str]:
    """Every subset tried so far, with the reason why it failed; {} as soon as one could be measured."""
    failed = {}
    for fact in facts:
        if isinstance(fact, Evaluated):
            return {}
        if isinstance(fact, Failed):
            failed[fact.subset] = fact.reason
    return failed


def require_hope(
    failed: Mapping[Mask, str], family: Family, measure: Callable[[Sequence[Mask]], Sequence[Measured | Failure]]
) -> None:
    """An error where the largest subset and some single attributes fail in the same way as all subsets so far."""
    reasons = dict(failed)
    if len(failed) < ENOUGH_FAILED or not _fail_alike(reasons.values()):
        return
    further = [subset for subset in (family.largest, *family.alone(ENOUGH_FAILED)) if subset not in reasons]
    for subset, reply in zip(further, measure(further), strict=True):
        if isinstance(reply, Measured):
            return
        reasons[subset] = reply.reason
    if len(reasons) < family.count() and _fail_alike(reasons.values()):  # a family that was all tried ends by itself
        sizes = sorted({subset.bit_count() for subset in reasons})
        told = " to ".join(map(str, dict.fromkeys((sizes[0], sizes[-1]))))
        first = next(iter(reasons.values()))
        said = (
            f"no subset could be measured; all of the first {len(reasons)}, of size {told}, failed alike, the first "
            f"because: {first.removesuffix('.')}; another model, score, folds or data may do"
        )
        raise InputError("; ".join([said, *binary_score_remedy([first])]))


def binary_score_remedy(reasons: Iterable[str]) -> Iterator[str]:
    """What to do about a score that is for two classes only, if that is what these reasons are about."""
    reasons = list(reasons)
    if any("pos_label" in reason for reason in reasons):  # what scikit-learn says of such a score
        told = "a score of one of two classes needs to know which: call it 1 and the other 0 in the data, or take"
        yield f"{told} a score of all classes, such as f1_macro"
    if any("multi_class must be" in reason for reason in reasons):  # of the area under a curve
        yield "a score of two classes was given more; take one of all classes, such as roc_auc_ovr"


def _fail_alike(reasons: Iterable[str]) -> bool:
    """Whether all failed in the same way: their texts agree up to the first colon or digit."""
    return len({re.split(r"[:\d]", reason, maxsplit=1)[0] for reason in reasons}) == 1
