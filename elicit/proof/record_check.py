"""Re-checks every claim of a journal against its facts, in exact arithmetic, without a solver.

The rule: nothing that the claim says is believed, and no solver is asked. Dominance is read off the recorded
scores as integers on the grid, answers off the questions that they answer, and both must give exactly the
statements that the claim's proofs rest on, with their sources. Then each proof is checked (`proof_check.py`).
The first step that fails is a CertificateError that names the line.

Dominance that must hold beyond noise (`noise_level`) depends on the quantile of a distribution; that one
choice is worked out in floating point, and the output says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from elicit.errors import CertificateError, InputError
from elicit.events import BY_PROOF, EVALUATED, FEWEST_FIRST, REGRET, Resumed, ended_by, little_regret
from elicit.journal import Claimed, Record
from elicit.journal.fields import subset_in
from elicit.knowledge.deduction import ASSUMPTIONS
from elicit.knowledge.statements import Source, Statement, beaten, edges_down, reachable_by_steps, standing
from elicit.numeric import steps_of
from elicit.printable import many, rounded
from elicit.proof.proof_check import Plain, Proofs, decimal
from elicit.proof.record_facts import KnownFacts
from elicit.subsets import Mask, simplest
from elicit.utility.cubes import subset_of
from elicit.utility.numbers import demand, exact, listable
from elicit.utility.scopes import Scope
from elicit.utility.tolerances import MARGIN, SMALLEST_MARGIN

#: What plain data of another shape than expected raise when they are looked into.
_MALFORMED = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Step:
    """One thing that holds, and the line of the journal that says it (None: the journal as a whole).

    kind: of what a proof shows: "optimal", "regret" (a bound above 0), "least", "rejected" or "inconsistent"; "" where
    no proof is needed.
    """

    line: int | None
    words: str
    kind: str = ""


def check_record(record: Record) -> Iterator[Step]:
    """Every step that holds, as it is checked; a step that does not is a CertificateError."""
    yield Step(None, f"every line is as it was written, chained to the one before it{torn_end(record)}")
    known = KnownFacts(record.header)
    claims = list(record.claims)
    for k, (fact, line) in enumerate(zip(record.facts, record.lines, strict=True)):
        if isinstance(fact, Resumed):  # an end from which the run went on is checked as the last one is
            yield from (replace(step, words=f"{step.words}, and went on") for step in _ended(known))
            yield from _left_unproven(known, any(claimed.facts == k for claimed in claims))
        while claims and claims[0].facts <= k:
            yield from _checked_claim(known, claims.pop(0))
        known.fold(fact, line)
    yield Step(None, known.summary())
    yield from _ended(known)
    for claimed in claims:
        yield from _checked_claim(known, claimed)
    if record.last_claim is None:
        yield Step(None, _unclaimed(known))


def _ended(known: KnownFacts) -> Iterator[Step]:
    """How the run ended, where it has; that it ended by a proof is for the claim to show."""
    try:
        words = known.ended()
    except CertificateError as error:
        raise CertificateError(f"line {known.line}: {error}") from None
    except _MALFORMED as error:
        raise CertificateError(f"line 1: the settings are malformed: {type(error).__name__}: {error!s:.80}") from error
    if words is not None:
        yield Step(known.line, words)


def _left_unproven(known: KnownFacts, claimed: bool) -> Iterator[Step]:
    """That a run ended by a proof, and went on before it was claimed, as one does that was interrupted."""
    stopped = known.history.stopped
    if stopped is not None and stopped.rule in BY_PROOF and not claimed:
        yield Step(known.line, f"the run ended as {stopped.reason!r:.80}, and went on; no proof of that is claimed")


def torn_end(record: Record) -> str:
    """That the file does not end with a whole line, where it does not."""
    if not record.torn:
        return ""
    return f"; {many(record.torn, 'byte')} after the last whole line, never completed, count for nothing"


# --- a claim -----------------------------------------------------------------------------------------


def _unclaimed(known: KnownFacts) -> str:
    """What is said of facts without a claim; that a run ended by proof is itself a claim."""
    if known.history.stopped is None:
        return "nothing is claimed yet of these facts: the run has not ended"
    proven = known.history.stopped.rule in BY_PROOF
    demand(
        not proven,
        f"line {known.line}: the run ended as necessarily optimal, and no proof of that is claimed; if it was "
        "interrupted while its proofs were made, elicit resume adds them",
    )
    if "method" in known.header.settings:
        return "the run of a classical method has ended; it claims nothing of its result"
    told = "the run has ended, and nothing is claimed of its result"
    goes_on = known.history.stopped.from_outside
    return f"{told} (elicit resume {'goes on with it' if goes_on else 'adds what can be proven'})"


def _checked_claim(known: KnownFacts, claimed: Claimed) -> Iterator[Step]:
    try:
        for words, kind in _Claim(known, claimed.content).check():
            yield Step(claimed.line, words, kind)
    except (CertificateError, InputError) as error:
        raise CertificateError(f"line {claimed.line}: {error}") from None
    except _MALFORMED as error:
        raise CertificateError(
            f"line {claimed.line}: the claim is malformed: {type(error).__name__}: {error!s:.80}"
        ) from error


class _Claim:
    """One claim against what was known when it was made."""

    def __init__(self, known: KnownFacts, content: Plain) -> None:
        self.known, self.content = known, content
        self.evaluated, self._braced = list(known.history.evaluated), known.header.attributes.braced

    def check(self) -> Iterator[tuple[str, str]]:
        """What holds, step by step, in words and by its kind."""
        version = self.content["version"]
        demand(type(version) is int and version == 1, f"a claim of version {version!r:.20} is unknown here")
        stopped = self.known.history.stopped
        demand(self.content["request"] == (None if stopped is None else stopped.request), "the claim is of another end")
        if "by" in self.content:
            yield self._check_best_by_score(), ""
            return
        self._check_set()
        yield self._check_statements(), ""
        if self.content["subset"] is None:
            yield self._check_nothing(), ""
            return
        yield self._check_subset(), ""
        proofs = Proofs(self.known, self.content, self.subset, self.beaten)
        for proof in self.content["proofs"]:
            yield proofs.check(proof)
        if stopped is not None and stopped.rule in BY_PROOF:
            stated = Scope.of(EVALUATED) if stopped.rule == EVALUATED else self.known.scope
            told = ended_by(stopped.rule, stated.optimal)
            demand(stopped.reason == told, f"the run ended as {stopped.reason!r}, its settings say {told!r}")
            # of those that an earlier run measured outside the family a proof over the family says nothing
            wider = {"family"} if stated.kind != "evaluated" or len(self.eligible) == len(self.evaluated) else set()
            demand(
                not proofs.proven.isdisjoint({stated.text, *wider}),
                "the run ended as necessarily optimal, and no proof of that is claimed",
            )
            if not self.known.is_exact and stated.kind != "evaluated":
                yield self._check_neighbours(), ""
        if stopped is not None and stopped.rule == REGRET:
            yield self._check_neighbours(), ""
            yield self._check_little_regret(stopped.reason, proofs.bound), ""

    def _check_best_by_score(self) -> str:
        """The subset is the best measured by the first criterion, then by fewer attributes; no more is claimed."""
        demand(self.content["by"] == "score", f"a choice by {self.content['by']!r:.20} is unknown here")
        demand("proofs" not in self.content, "a choice by score alone rests on no proof")
        demand(
            self.known.asks_nothing,
            "a choice by score alone is for a run that asks nothing and that no rule but its budget ends",
        )
        if self.content["subset"] is None:
            return self._check_nothing()
        demand(self.subset in self.eligible, "the subset claimed as best was not measured, or may not be chosen")
        measured, criterion = self._measured_as_claimed(), self.known.header.criteria[0]
        self._demand_best_by_score(self.eligible)
        return (
            f"{self._braced(self.subset)} is the best of {many(len(self.eligible), 'measured subset')} by "
            f"{criterion.name} ({rounded(measured[0])}), ties to fewer attributes; "
            "nothing is claimed of those that were not measured"
        )

    @cached_property
    def eligible(self) -> list[Mask]:
        """The measured subsets that may be chosen."""
        return [x for x in self.evaluated if x in self.known.family]

    @cached_property
    def subset(self) -> Mask:
        """The one that is claimed as best."""
        return subset_in(self.content["subset"], self.known.header)

    @cached_property
    def beaten(self) -> set[Mask]:
        """What the statements that stand put below a measured subset."""
        return beaten(self.implied, self.known.history.evaluated)

    @cached_property
    def implied(self) -> list[Statement]:
        """The statements that the facts imply."""
        return self.known.statements()

    def _check_nothing(self) -> str:
        """Nothing is claimed where nothing could be."""
        demand(not self.eligible, "subsets were measured, none is claimed")
        return "nothing that may be chosen was measured, so nothing is recommended"

    def _measured_as_claimed(self) -> tuple[float, ...]:
        """The criteria of the subset, which are those that are claimed."""
        measured = self.known.history.evaluated[self.subset].criteria
        demand(tuple(self.content["criteria"]) == measured, "the subset was not measured as claimed")
        return measured

    def _demand_best_by_score(self, among: Sequence[Mask]) -> None:
        """The subset is the best of these by the first criterion, then by fewer attributes."""
        criterion, evaluated = self.known.header.criteria[0], self.known.history.evaluated
        sign = -1 if criterion.maximise else 1
        best = min(among, key=lambda x: (sign * steps_of(evaluated[x].criteria[0]), simplest(x)))
        demand(self.subset == best, f"{self._braced(best)} is better by {criterion.name}, or as good with less")

    def _check_set(self) -> None:
        """The set of utilities is the one that the settings name."""
        degree = self.content["set"]["degree"]
        demand(type(degree) is int and 1 <= degree <= 3, "the degree is 1, 2 or 3")
        demand(
            listable(len(self.known.header.attributes), degree) or not self.content["proofs"],
            "too many monomials to check",
        )
        told = dict(self.content["set"])
        if self.known.is_exact:
            margin = exact(told.pop("delta"))
            demand(decimal(SMALLEST_MARGIN) <= margin <= decimal(MARGIN), "the margin of the slice is out of its range")
        demand(told == self.known.space, "the claim is about another set of utilities than the settings name")

    def _check_statements(self) -> str:
        """The statements are those that the facts imply: no more, no fewer, each from its source."""
        implied, n = self.implied, len(self.known.header.attributes)
        listed = [
            (
                subset_of(n, s["better"], 1),
                subset_of(n, s["worse"], 1),
                s["relation"],
                exact(s["weight"]),
                s["source"],
                s["request"],
            )
            for s in self.content["statements"]
        ]
        wanted = [
            (s.better, s.worse, s.relation.value, exact(repr(s.weight)), s.source.value, s.request) for s in implied
        ]
        odd = set(listed) ^ set(wanted)
        for entry in (entry for entry in (*listed, *wanted) if entry in odd):  # the first of the claim, always
            which = "rests on" if entry in listed else "leaves out"
            words = f"{self._braced(entry[0])} against {self._braced(entry[1])}, {entry[2]}, from {entry[4]}"
            raise CertificateError(f"the claim {which} a statement that the facts decide otherwise: {words}")
        demand(len(listed) == len(wanted), "the claim repeats a statement")
        measured = sum(s.source is Source.DOMINANCE for s in implied)
        how = " (beyond noise, in floating point)" if self.known.noise is not None else ""
        deduced = sum(s.source is Source.DEDUCED for s in implied)
        why = f", {deduced} of them by {ASSUMPTIONS[self.known.assumption]}" if deduced else ""
        return (
            f"{many(len(implied), 'statement')} follow from the facts: "
            f"{measured} by dominance{how}, {len(implied) - measured} by answers and assumptions{why}"
        )

    def _check_subset(self) -> str:
        """The subset that is recommended was measured as claimed, may be chosen, and none that may be dominates it."""
        subset = self.subset
        demand(subset in self.known.family, "the subset claimed as best may not be chosen")
        demand(subset in self.known.history.evaluated, "the subset claimed as best was not measured")
        measured = self._measured_as_claimed()
        down = edges_down(s for s in self.implied if s.source is Source.DOMINANCE)
        below = reachable_by_steps(self.eligible, down)  # what only an earlier run measured may be above it
        if (subset, True) in below:
            better = next(x for x in self.eligible if (subset, True) in reachable_by_steps([x], down))
            raise CertificateError(f"the subset claimed as best is dominated by {self._braced(better)}")
        doubted = self._doubted()
        self._check_answers(doubted)
        criteria = zip(self.known.header.criteria, measured, strict=True)
        told = ", ".join(f"{c.name} {rounded(value)}" for c, value in criteria)
        by = " (that it loses least is not shown)" if not self._proves("least") else ""
        if self._by_worth:
            by = " (that it is worth most to plausible operators is a choice, and not checked)"
            if self.known.asks_nobody and all(s.source is Source.DOMINANCE for s in self.implied):
                self._demand_best_by_score([x for x in self.eligible if (x, True) not in below])
                by = " by its score, for nobody is asked"
        but = f" ({many(len(doubted), 'answer')} that plausible operators doubt left out)" if doubted else ""
        which = "measured subset" + ("" if len(self.eligible) == len(self.evaluated) else " that may be chosen")
        none = f"no {which} dominates it" + (" beyond noise" if self.known.noise is not None else "")
        return f"{self._braced(subset)} is recommended{by}: measured with {told}; {none}{but}"

    def _doubted(self) -> list[Statement]:
        """The answers that the run says it doubted: preferences that were given once, in a run that may doubt.

        That plausible operators would rather have given the opposite is a choice, and not checked.
        """
        requests, settings = self.content.get("doubted", []), self.known.settings
        stated = [s for s in self.implied if s.strict and s.request in self.known.history.answers]  # nothing assumed
        found = [s for s in stated if s.request in requests]
        demand([s.request for s in found] == requests, "what is said to be doubted are no preferences of the operator")
        if found:
            may = self._by_worth and settings["policy"] == "value" and settings["doubt"] < 1
            demand(may and not self.known.is_exact, "answers are said to be doubted, and by the settings none is")
            given = Counter((s.better, s.worse) for s in stated)
            demand(all(given[s.better, s.worse] == 1 for s in found), "an answer that was given twice is not doubted")
        return found

    def _check_answers(self, doubted: Sequence[Statement]) -> None:
        """No answer puts the subset below another that may be chosen; by worth no chain of answers does.

        Neither answers that are doubted count, nor those that go in circles; nor any where a run goes by regret in an
        exact set that is empty.
        """
        if self._proves("inconsistent") and not self._by_worth:
            return
        rows = standing([s for s in self.implied if s not in doubted])
        directly = edges_down(s for s in rows if s.worse == self.subset)
        for down in (directly, edges_down(rows)) if self._by_worth else (directly,):
            if (self.subset, True) in reachable_by_steps(self.eligible, down):
                better = next(x for x in self.eligible if (self.subset, True) in reachable_by_steps([x], down))
                below = f"below {self._braced(better)}"
                raise CertificateError(f"what was answered puts the subset claimed as best {below}")

    @property
    def _by_worth(self) -> bool:
        """Whether the run recommends what is worth most to plausible operators, instead of what loses least."""
        return bool(self.known.settings.get("recommend") == "expected")

    def _proves(self, kind: str) -> bool:
        """Whether the claim has a proof of a kind; all its proofs are checked."""
        return any(proof["claim"]["kind"] == kind for proof in self.content["proofs"])

    def _check_little_regret(self, reason: str, bound: Fraction | None) -> str:
        """The rule `regret` may end the run, as it is said; whether so little regret is proven, too, is told.

        `bound` is what is proven of the regret among the measured. It may be above the regret, so that a large one
        disproves nothing.
        """
        settings, start = self.known.settings, self.known.settings["start"]
        most, least = float(settings["epsilon"]), FEWEST_FIRST if start is None else start
        demand(len(self.evaluated) >= least, "the run ended by little regret before its first subsets were measured")
        told = reason.removeprefix(ended_by(REGRET, "model regret ")).partition(" ")[0]
        demand(
            reason == little_regret(told, most) and 0 <= exact(told) <= exact(f"{most:.3g}"),
            f"the run ended as {reason!r:.80}, which its settings do not say",
        )
        margin = exact(self.content["set"]["delta"]) if self.known.is_exact else 1
        proven = bound is not None and bound <= margin * exact(repr(most))
        what = f"that it loses at most {most:g} clear answers to any measured subset"
        return f"{what} is proven" if proven else f"{what} is told as it was written"

    def _check_neighbours(self) -> str:
        done = self.known.history.evaluated.keys() | self.known.history.failed.keys()
        around = list(self.known.family.around(self.subset))
        demand(all(y in done for y in around), "a neighbour of the recommended subset was never measured")
        failed = sum(y in self.known.history.failed for y in around)
        but = f", {failed} of them in vain" if failed else ""
        return f"all {many(len(around), 'subset')} one flip or one swap away from it were measured{but}"
