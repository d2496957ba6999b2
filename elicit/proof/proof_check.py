"""The proofs of a claim, each checked in exact arithmetic with all that it shares with the others put back.

A proof in a journal leaves out what the claim says once for all of them: the set of utilities, the statements, and
the measured subsets. It is refused where it speaks of another subset, set or scope than the claim and the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from elicit.errors import CertificateError
from elicit.knowledge.statements import Relation
from elicit.printable import counted
from elicit.proof.record_facts import KnownFacts
from elicit.subsets import Family, Mask, members, simplest
from elicit.utility.cubes import subset_of
from elicit.utility.numbers import coefficients, demand, exact
from elicit.utility.tolerances import MARGIN, SMALLEST_MARGIN
from elicit.utility.verify import verify

Plain = Mapping[str, Any]


class Proofs:
    """The proofs of one claim, one after the other: that of the least regret builds on the bound of one before it.

    subset: the one that is claimed as best. beaten: what statements put below a measured subset.
    """

    def __init__(self, known: KnownFacts, content: Plain, subset: Mask, beaten: Collection[Mask]) -> None:
        self.known, self.content, self.subset, self.beaten = known, content, subset, beaten
        self.evaluated = list(known.history.evaluated)
        self.bound: Fraction | None = None
        #: the scopes among which the subset is proven to be optimal
        self.proven: set[str] = set()

    def check(self, short: Plain) -> tuple[str, str]:
        """What one proof shows, in words and by its kind."""
        claim = dict(short["claim"])
        kinds: Mapping[str, Callable[[dict[str, Any], Plain], str]] = {
            "regret": self._check_regret,
            "least": self._check_least,
            "rejected": self._check_rejected,
            "inconsistent": self._check_inconsistent,
        }
        demand(claim["kind"] in kinds, f"a claim of kind {claim['kind']!r:.20} is unknown here")
        words, kind = kinds[claim["kind"]](claim, short), claim["kind"]
        return words, "optimal" if kind == "regret" and exact(short["claim"]["bound"]) == 0 else kind

    def _verify(self, claim: Plain, short: Plain, **changes: Any) -> None:
        """Check the proof with all that it shares with the others put back."""
        space = {**self.content["set"], **changes}
        allowed = {"slice", "cone"} if self.known.is_exact else {"parsimonious"}
        demand(short["set"] in allowed, "the proof is about another set of utilities than the settings name")
        if short["set"] == "cone":
            space["kind"] = "cone"
            del space["delta"]
        certificate = {
            "version": 1,
            "n": len(self.known.header.attributes),
            "set": space,
            "statements": self.content["statements"],
            "claim": claim,
            "proof": short["proof"],
        }
        verify(certificate)
        if short["set"] == "slice":
            self._check_margin(short["proof"]["witness"], exact(space["delta"]))

    def _check_margin(self, witness: Iterable[tuple[Sequence[int], str]], delta: Fraction) -> None:
        """The margin δ is far below that of the printed θ: a slice with nearly the largest margin holds few θ.

        A run takes `MARGIN` or, where the largest margin is less than twice that, a tenth of the largest. The printed
        θ has the largest margin, but for rounding.
        """
        theta = coefficients(witness, self._mask)
        strict = [
            (self._mask(s["better"]), self._mask(s["worse"])) for s in self.content["statements"] if _is_strict(s)
        ]
        spare = min((_value(theta, a) - _value(theta, b) for a, b in strict), default=None)
        most = decimal(MARGIN)
        if spare is not None and spare < 2 * most * Fraction(19, 20):
            most = max(decimal(SMALLEST_MARGIN), spare / 5)
        demand(delta <= most, f"the slice with margin {float(delta):g} leaves out too many utilities")

    def _mask(self, positions: Sequence[int]) -> Mask:
        return subset_of(len(self.known.header.attributes), positions, 1)

    def _evaluated_positions(self) -> list[list[int]]:
        return [members(x) for x in self.evaluated]

    def _check_own_subset(self, claim: Plain) -> None:
        demand(self._mask(claim["subset"]) == self.subset, "the proof is about another subset than the one claimed")

    def _check_regret(self, claim: dict[str, Any], short: Plain) -> str:
        self._check_own_subset(claim)
        bound, where, stated = exact(claim["bound"]), self._set_in_words(short), self.known.scope
        if claim["scope"] == {"evaluated": True}:
            claim["scope"] = {"subsets": [x for x in self._evaluated_positions() if self._mask(x) != self.subset]}
            scope, among = "evaluated", f"the {len(self.evaluated)} measured subsets"
        elif "flips" in claim["scope"]:
            same = stated.kind == "flips" and claim["scope"] == {"flips": stated.number}
            demand(same, "the proof is about other flips than the settings name")
            rivals = stated.listed(self.subset, self.known.family, ())
            claim["scope"] = {"subsets": [members(x) for x in rivals]}
            scope, among = stated.text, f"{stated.words} ({len(rivals)})"
        else:
            scope, family = self._family_of(claim["scope"])
            demand(self.subset in family, "the subset claimed as best is not in the part that the settings name")
            which = "that may be chosen" if scope == "family" else f"among {stated.words}"
            among = f"all {counted(family.count())} subsets {which}"
        self._verify(claim, short)
        if scope == "evaluated":
            self.bound = bound
        if bound == 0:
            self.proven.add(scope)
            return f"it is necessarily optimal among {among}, {where}"
        return f"it loses at most {_at_most(bound)} to any of {among}, {where}"

    def _family_of(self, scope: Plain) -> tuple[str, Family]:
        """The family that a proof speaks of: all that may be chosen, or the part that the settings name."""
        stated = self.known.scope
        for text, family in (("family", self.known.family), (stated.text, stated.part(self.known.family))):
            if family is not None and scope == family.claimed:
                return text, family
        raise CertificateError("the proof is about another family than the settings name")

    def _check_least(self, claim: dict[str, Any], short: Plain) -> str:
        """Those that nothing puts below another lose at least the floor; when nothing is lost, only simpler ones do."""
        self._check_own_subset(claim)
        if self.bound is None:
            raise CertificateError("no regret is proven that could be the least")
        # θ of the cone has any size: what one loses by it is no regret
        demand(short["set"] != "cone", "what others lose is not shown in the set in which the regret is")
        candidates = {self._mask(x) for x in claim["candidates"]}
        left = {x for x in self.evaluated if x != self.subset and x not in self.beaten}
        others_open = {x for x in left if simplest(x) < simplest(self.subset)} if self.bound == 0 else left
        demand(candidates >= others_open, "the proof leaves out a subset that may lose less")
        self._verify(claim | {"evaluated": self._evaluated_positions()}, short)
        floor = exact(claim["floor"])
        demand(floor > 0 or not candidates, "a floor of zero or less says nothing")
        other = "other" if others_open == left else "simpler"  # of the others that are left nothing is shown
        if not others_open:
            return f"no {other} one is left to compare: answers or measurements put every {other} one below another"
        gap = self.bound - floor
        by = f" by more than {_at_least(gap)}" if gap > 0 else ""
        others = f"each {other} one that nothing puts below another ({len(others_open)})"
        return f"{others} may lose {_at_least(floor)} or more: none loses less{by}"

    def _check_rejected(self, claim: dict[str, Any], short: Plain) -> str:
        subset = self._mask(claim["subset"])
        demand(subset in self.known.history.rejected, "the proof rejects a subset that was not passed over")
        full = claim | {"evaluated": self._evaluated_positions()}
        name, where = self.known.header.attributes.braced(subset), self._set_in_words(short)
        if self.known.is_exact:
            self._verify(full, short)
            return f"{name} cannot be best, {where}"
        price = exact(full.pop("price"))
        demand(price >= exact(self.content["set"]["tau"]), "a price below tau rejects nothing")
        self._verify(full, short, tau=str(price))
        return f"{name} cannot be best, {where}: to believe it costs more than {_at_least(price)}"

    def _check_inconsistent(self, claim: dict[str, Any], short: Plain) -> str:
        self._verify(claim, short)
        return "no utility of this degree satisfies every statement, so nothing is proven of the recommendation"

    def _set_in_words(self, short: Plain) -> str:
        space = self.content["set"]
        of_degree = f"of degree {space['degree']}"
        match short["set"]:
            case "parsimonious":
                given = f"tau = {float(space['tau']):g}, C = {float(space['C']):g}"
                return f"in the parsimonious set {of_degree} ({given})"
            case "slice":
                return f"in the exact set's slice {of_degree} with margin {float(space['delta']):g}"
            case _:
                return f"for every utility {of_degree} that satisfies the statements"


def decimal(value: float) -> Fraction:
    """A tolerance as it is written."""
    return exact(repr(value))


def _is_strict(statement: Plain) -> bool:
    return bool(statement["relation"] == Relation.STRICT)


def _value(theta: Mapping[Mask, Fraction], subset: Mask) -> Fraction:
    """f_θ of a subset."""
    return sum((value for term, value in theta.items() if term & subset == term), Fraction(0))


def _at_most(value: Fraction) -> str:
    """A bound in twelve digits (a run states millionths), rounded up: it says no more than is proven."""
    return _rounded(value, ROUND_CEILING)


def _at_least(value: Fraction) -> str:
    """A floor, or a price, rounded down."""
    return _rounded(value, ROUND_FLOOR)


def _rounded(value: Fraction, rounding: str) -> str:
    told = Context(prec=12, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return f"{told:f}" if -6 <= told.adjusted() < 12 else str(told).lower()
