"""Why: the statements that a decision rests on, with their weight, in words.

The multipliers of a certificate are the explanation: a statement with a large one carries much of the
proof. At most three causes are shown first, the rest on request.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from elicit.knowledge.statements import Relation, Source, Statement
from elicit.subsets import Attributes, mask_of
from elicit.utility.issuing import Certificate

#: Causes that are shown before the rest is asked for.
FIRST_CAUSES = 3


@dataclass(frozen=True)
class Cause:
    """One statement that a proof uses, and its share of all multipliers (the shares of a proof sum to 1).

    A statement that is set aside serves a proof, too: what it costs to break it enters the proof.
    """

    statement: Statement
    share: float
    set_aside: bool = False

    def words(self, attributes: Attributes) -> str:
        """The statement as a clause."""
        s = self.statement
        better, worse = attributes.braced(s.better), attributes.braced(s.worse)
        match s.source:
            case Source.DOMINANCE:
                return f"{better} dominates {worse}"
            case Source.OPERATOR:
                verb = {
                    Relation.STRICT: f"you preferred {better} to {worse}",
                    Relation.WEAK: f"you found {better} at least as good as {worse}",
                    Relation.EQUAL: f"you found {better} and {worse} equally good",
                }[s.relation]
                aside = "set aside, at a price that counts" if self.set_aside else ""
                told = ", ".join(filter(None, ("" if s.request is None else f"question {s.request}", aside)))
                return f"{verb} ({told})" if told else verb
            case Source.PRIOR | Source.DEDUCED:
                sign = {Relation.STRICT: "≻", Relation.WEAK: "≽", Relation.EQUAL: "~"}[s.relation]
                how = "deduced from your answers" if s.source is Source.DEDUCED else s.source.value
                return f"{better} {sign} {worse} ({how})"


@dataclass(frozen=True)
class Explanation:
    """What was decided, and its causes, the weightiest first."""

    claim: str
    causes: tuple[Cause, ...]

    def words(self, attributes: Attributes, most: int | None = FIRST_CAUSES) -> str:
        """The explanation as one sentence; `most` = None tells every cause."""
        shown = self.causes if most is None else self.causes[:most]
        if not shown:
            return f"{self.claim}."
        text = f"{self.claim}, because " + ", and ".join(cause.words(attributes) for cause in shown)
        left = len(self.causes) - len(shown)
        return text + (f" (and {left} more)." if left else ".")


def explain(
    certificate: Certificate,
    statements: Sequence[Statement],
    attributes: Attributes,
    aside: Container[Statement] = (),
) -> Explanation:
    """The explanation that a certificate holds; `statements` are those it was issued for, in order.

    aside: those of them that the recommendation sets aside.
    """
    # whole numbers, which may be too large for a float
    proof, totals = certificate["proof"], dict.fromkeys(range(len(statements)), 0)
    used = [proof["cuts"][piece["cut"]] for piece in proof["pieces"]] if "pieces" in proof else []
    if "multipliers" in proof:
        used.append(proof["multipliers"])
    for cut in used:
        for r, x in cut:
            totals[r] += abs(x)
    whole = sum(totals.values())
    ranked = sorted((r for r, x in totals.items() if x), key=lambda r: (-totals[r], r))
    return Explanation(
        _claim(certificate, attributes),
        tuple(Cause(statements[r], totals[r] / whole, statements[r] in aside) for r in ranked),
    )


def _claim(certificate: Certificate, attributes: Attributes) -> str:
    claim = certificate["claim"]
    if claim["kind"] == "inconsistent":
        return "These statements cannot all hold"
    subset = attributes.braced(mask_of(claim["subset"]))
    if claim["kind"] == "rejected":
        return f"{subset} cannot be best"
    if claim["kind"] == "possible":
        return f"{subset} can be best"
    rivals = claim["scope"].get("subsets")
    if rivals is None:
        among = "every subset that may be chosen"
    elif len(rivals) == 1:
        among = attributes.braced(mask_of(rivals[0]))
    else:
        among = f"each of {len(rivals)} others"
    if claim["bound"] == "0":
        return f"{subset} is at least as good as {among}"
    return f"{subset} is within {claim['bound']} of {among}"
