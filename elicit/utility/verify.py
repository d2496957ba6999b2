"""Re-checks a certificate in exact arithmetic: no solver, no float, only integers and fractions.

`verify` raises a CertificateError that names the first step that fails. With φ(v) the 0/1 row of the
monomials inside v, d_r = φ(better) − φ(worse), λ_r ≥ 0 (any sign if equal), L = Σ_strict λ, a = Σ λ_r d_r:
  cone          θ with d_r·θ > 0, ≥ 0, = 0:             g·θ ≤ 0 when g + a = 0; < 0 when L > 0 as well
  slice         |θ| ≤ 1 with d_r·θ ≥ δ, ≥ 0, = 0:       g·θ ≤ ‖g + a‖₁ − δL
  parsimonious  θ with J(θ) ≤ B:                        g·θ ≤ B max(max_S |g + a|_S / w_S, max_r |λ_r|/(C c_r)) − L
The first two say nothing when no θ exists, so they demand a witness. Multipliers are integers over `unit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from reprlib import repr as brief
from typing import Any

from elicit.errors import CertificateError
from elicit.utility.cubes import MOST_CUBES, MOST_SUBSETS, Cover, gains_on, subset_of
from elicit.utility.numbers import checkable, coefficients, demand, exact, few, kept, listed, told, whole, workable
from elicit.utility.terms import Limits, Row, Terms, Theta, largest_share

Plain = Mapping[str, Any]


def verify(certificate: Plain, record: Iterable[Plain] | None = None) -> str:
    """What the certificate proves, in one line. Given a record of statements, it must rest on just those."""
    try:
        return _Checker(certificate, record).check()
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise CertificateError(f"the certificate is malformed: {type(error).__name__}: {error!s:.80}") from error


class _Checker:
    def __init__(self, certificate: Plain, record: Iterable[Plain] | None) -> None:
        self.claim, self.proof = told(certificate)
        self.unit, space, statements = whole(self.proof["unit"]), certificate["set"], certificate["statements"]
        self.kind, degree = space["kind"], whole(space["degree"])
        demand(self.kind in ("cone", "slice", "parsimonious") and 1 <= degree <= 3, "unknown set or degree")
        demand(certificate["version"] == 1 and self.unit > 0, "unknown version or unit")
        self.n, self.delta = workable(certificate["n"], degree), exact(space.get("delta", 0))
        both = statements, statements if record is None else record
        keys = [[(s["better"], s["worse"], s["relation"], exact(s["weight"])) for s in side] for side in both]
        demand(sorted(keys[0]) == sorted(keys[1]), "the certificate rests on other statements than those recorded")
        higher = [c for k in range(2, degree + 1) for c in combinations(range(self.n), k)]
        self.terms = Terms([*(1 << i for i in range(self.n)), *map(self.mask, space.get("support", higher))], degree)
        self.relations = [s["relation"] for s in statements]
        demand({"strict", "weak", "equal"} >= set(self.relations), "a statement has an unknown relation")
        sides = checkable([(self.mask(s["better"]), self.mask(s["worse"])) for s in statements], degree)
        self.rows = [self.terms.signs(better, worse) for better, worse in sides]  # d_r
        if self.kind == "parsimonious":
            self.tau, slack, self.prices = exact(space["tau"]), exact(space["C"]), list(map(exact, listed(space["w"])))
            self.limits = Limits([slack * exact(s["weight"]) for s in statements], self.terms.steps)  # C c_r
            costs = [slack, *(self.prices[k] for k in set(self.terms.orders)), *self.limits.values]
            demand(min(costs) > 0 <= self.tau, "τ, C, w or c has the wrong sign")
        else:
            demand((self.kind == "cone") == (self.delta == 0) and 0 <= self.delta < 1, "wrong margin δ")

    def check(self) -> str:
        claims = {"regret": self.regret, "rejected": self.rejected, "possible": self.possible, "least": self.least}
        demand(self.claim["kind"] in (*claims, "inconsistent"), "unknown claim")
        if self.claim["kind"] == "inconsistent":
            _, combined, strict = self.multipliers(self.proof["multipliers"])
            demand(self.kind == "cone" and strict > 0 and not any(combined), "no contradiction is shown")
            return "no utility satisfies all statements"
        if self.kind != "parsimonious":
            self.member(self.proof["witness"])
        return claims[self.claim["kind"]]()

    def mask(self, positions: Sequence[int], least: int = 1) -> int:
        return subset_of(self.n, positions, least)

    def theta(self, plain: Iterable[tuple[Sequence[int], str]]) -> Theta:
        return self.terms.theta(coefficients(plain, lambda term: self.terms.at(self.mask(term))))

    def member(self, plain: Iterable[tuple[Sequence[int], str]]) -> Theta:
        """A θ of the cone or of the slice."""
        theta = self.theta(plain)
        least, gains = self.delta * theta.unit, self.terms.along(self.rows, theta)
        for r, (gained, relation) in enumerate(zip(gains, self.relations, strict=True)):
            holds = {"strict": 0 < gained >= least, "weak": gained >= 0, "equal": gained == 0}[relation]
            demand(holds, f"the witness does not satisfy statement {r}")
        demand(self.kind == "cone" or theta.most <= theta.unit, "the witness leaves the slice")
        return theta

    def multipliers(self, plain: Iterable[tuple[int, int]]) -> tuple[dict[int, int], Row, int]:
        """λ by statement, a = Σ λ d and L, in units."""
        found = dict[int, int]()
        for r, x in plain:
            demand(0 <= whole(r) < len(self.rows), f"there is no statement {r}")
            demand(whole(x) >= 0 or self.relations[r] == "equal", f"the multiplier of statement {r} is negative")
            found[r] = x
        combined = self.terms.weigh(found, self.rows)
        return found, combined, sum(x for r, x in found.items() if self.relations[r] == "strict")

    def cost(self, theta: Theta) -> tuple[Fraction, Fraction]:
        """J(θ), and its part C Σ c_r s_r."""
        slacks = [
            abs(gained) if relation == "equal" else max(0, theta.unit * (relation == "strict") - gained)
            for gained, relation in zip(self.terms.along(self.rows, theta), self.relations, strict=True)
        ]
        slack = self.limits.total(slacks) / theta.unit
        return slack + self.terms.priced(theta, self.prices), slack

    def budget_at_most(self) -> Fraction:
        """B ≤ J(θ̂) + τ max(w_1, J(θ̂) − C S), S = L / max(|λ_r|/c_r) ≤ S* for a λ with Σ λ d = 0."""
        cost, strained = self.cost(self.theta(self.proof["simple"]))[0], Fraction(0)
        if self.proof["strain"]:
            found, combined, strict = self.multipliers(self.proof["strain"])
            demand(not any(combined), "the multipliers of S* do not cancel")
            strained = strict / self.limits.most(found)
        return cost + self.tau * max(self.prices[0], cost - strained)

    def cost_at_least(self, plain: Iterable[tuple[int, int]], gain: Row) -> Fraction:
        """J ≥ L / κ for every θ with gain·θ ≥ 0."""
        found, combined, strict = self.multipliers(plain)
        sizes = [abs(c + g) for c, g in zip(combined, gain, strict=True)]
        kappa = max(largest_share(sizes, self.terms.orders, self.prices), self.limits.most(found))
        return strict / kappa if kappa else Fraction(0)

    def rejected(self) -> str:
        """What the subset gains on a mixture μ of evaluated subsets is negative, or costs more than B."""
        subset = self.mask(self.claim["subset"])
        rivals = {self.mask(x): whole(mu) for x, mu in few(self.proof["rivals"], MOST_SUBSETS, "rivals")}
        known = rivals.keys() <= self.evaluated()
        demand(known and min(rivals.values()) >= 0, "a rival does not count")
        gain = self.terms.combination([(subset, sum(rivals.values())), *((x, -mu) for x, mu in rivals.items())])
        if self.kind == "parsimonious":
            believed = self.cost_at_least(self.proof["multipliers"], gain)
            demand(believed > self.budget_at_most(), "the subset is not shown to cost more than B")
        else:
            _, combined, strict = self.multipliers(self.proof["multipliers"])
            rest = sum(abs(c + g) for c, g in zip(combined, gain, strict=True))
            demand(rest < self.delta * strict or rest == 0 < strict, "no mixture of rivals is shown to be better")
        return "the subset is not potentially optimal: every utility of the set prefers some evaluated one"

    def evaluated(self) -> set[int]:
        return set(map(self.mask, few(self.claim["evaluated"], MOST_SUBSETS, "evaluated subsets")))

    def possible(self) -> str:
        """A printed θ of the set ranks the subset first."""
        subset, theta = self.mask(self.claim["subset"]), self.inside(self.proof["theta"])
        most = self.terms.value(theta, subset)
        for x in self.evaluated():
            demand(self.terms.value(theta, x) <= most, "θ prefers a rival")
        return "the subset is potentially optimal: a utility of the set ranks it first"

    def least(self) -> str:
        """Each candidate loses at least the floor to some evaluated subset, by a printed θ of the set."""
        floor, thetas = exact(self.claim["floor"]), list(map(self.inside, self.proof["thetas"]))
        _, evaluated = self.mask(self.claim["subset"]), self.evaluated()
        candidates = few(self.claim["candidates"], MOST_SUBSETS, "candidates")
        for candidate, (k, rival) in zip(candidates, self.proof["gaps"], strict=True):
            x, y, theta = self.mask(candidate), self.mask(rival), thetas[whole(k)]
            lost = Fraction(self.terms.value(theta, y) - self.terms.value(theta, x), theta.unit)
            demand(y in evaluated and lost >= floor, f"{brief(candidate)} is not shown to lose {floor}")
        return f"every candidate may lose {floor} or more"

    def inside(self, plain: Iterable[tuple[Sequence[int], str]]) -> Theta:
        """A printed θ, shown to be in the set."""
        if self.kind != "parsimonious":
            return self.member(plain)
        least = self.cost_at_least(self.proof["least"], [0] * len(self.terms))
        strained = self.cost(self.theta(self.proof["strained"]))[1]
        budget = least + self.tau * max(self.prices[0], least - strained)
        demand(self.cost(theta := self.theta(plain))[0] <= budget, "θ is not shown to cost at most B")
        return theta

    def regret(self) -> str:
        """f(y) − f(x) ≤ bound for every y of the scope: each piece proves it on a subcube, or by a step nearer to x."""
        subset, bound = self.mask(self.claim["subset"]), exact(self.claim["bound"])
        demand(bound > 0 or (bound == 0 and "strict" in self.relations), "no strict statement, no optimum")
        scope, everything = self.claim["scope"], (1 << self.n) - 1
        demand(len(scope) == (1 if "subsets" in scope else 3), "the scope is either subsets or a family")
        parts = [(y, everything & ~y) for y in map(self.mask, scope.get("subsets", []))]
        box, size = parts or [(self.mask(scope["keep"], 0), self.mask(scope["drop"], 0))], scope.get("max_size", self.n)
        pieces = few(self.proof["pieces"], MOST_CUBES, "pieces")
        cubes = [(self.mask(p["in"], 0), self.mask(p["out"], 0)) for p in pieces]
        cover = Cover([(subset, everything & ~subset), *cubes], self.n, whole(size), self.terms.steps)  # y = x: no gain
        demand(all(cover.holds(i, o) for i, o in box), "the pieces overlap or leave a gap")
        cuts = few(self.proof["cuts"], len(pieces), "cuts")
        cut = kept(lambda k: self.multipliers(cuts[k]), len(self.terms))
        self.budget = self.budget_at_most() if self.kind == "parsimonious" else Fraction(0)
        for piece, cube in zip(pieces, cubes, strict=True):
            step = self.mask([piece["flip"]]) if "flip" in piece else 0
            demand(not step or (not parts and cover.stays(cube, step, subset, box[0])), "a step leads elsewhere")
            proven = self.piece(gains_on(cube, self.terms.masks, subset, step), *cut(piece["cut"])) / self.unit
            demand(proven <= (0 if step else bound), f"the piece with {brief(piece['in'])} proves only {proven}")
        return "the subset is optimal in the scope" if bound == 0 else f"no subset of the scope gains over {bound}"

    def piece(self, gains: Iterable[tuple[int, int]], found: dict[int, int], sums: Row, strict: int) -> Any:
        """What a cut proves, in units: each entry of g takes its worst of one or two values."""
        rest = self.terms.worst(gains, sums, self.unit)
        if self.kind != "parsimonious":
            demand(self.kind == "slice" or not any(rest), "the identity of the cone does not hold")
            return sum(rest) - self.delta * strict
        sigma = max(largest_share(rest, self.terms.orders, self.prices), self.limits.most(found))
        return self.budget * sigma - strict
