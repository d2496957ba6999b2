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
from elicit.utility.cubes import MOST_CUBES, Cover, along, combination, gains_on, largest_share, signs, subset_of, weigh
from elicit.utility.numbers import checkable, coefficients, demand, dot, exact, few, kept, listed, told, whole, workable

Plain = Mapping[str, Any]
Row = list[Any]  # one number for each monomial


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
        self.terms = [*(1 << i for i in range(self.n)), *map(self.mask, space.get("support", higher))]
        fitting = {t for t in self.terms if t.bit_count() <= degree}
        demand(len(fitting) == len(self.terms), "the support repeats a monomial, or has one above the degree")
        self.relations = [s["relation"] for s in statements]
        demand({"strict", "weak", "equal"} >= set(self.relations), "a statement has an unknown relation")
        sides = checkable([[(self.mask(s["better"]), 1), (self.mask(s["worse"]), -1)] for s in statements], degree)
        self.rows = [signs(self.row(form)) for form in sides]  # d_r
        if self.kind == "parsimonious":
            self.tau, slack, self.prices = exact(space["tau"]), exact(space["C"]), list(map(exact, listed(space["w"])))
            self.weights = [self.prices[t.bit_count() - 1] for t in self.terms]
            self.limits = [slack * exact(s["weight"]) for s in statements]  # C c_r
            demand(min(slack, *self.weights, *self.limits) > 0 <= self.tau, "τ, C, w or c has the wrong sign")
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

    def row(self, form: Iterable[tuple[int, int]]) -> Row:
        return combination(form, self.terms)

    def theta(self, plain: Iterable[tuple[Sequence[int], str]]) -> Row:
        found = coefficients(plain, self.mask)
        demand(found.keys() <= set(self.terms), "θ has a coefficient outside the support")
        return [found.get(t, Fraction(0)) for t in self.terms]

    def member(self, plain: Iterable[tuple[Sequence[int], str]]) -> Row:
        """A θ of the cone or of the slice."""
        theta = self.theta(plain)
        for r, (row, relation) in enumerate(zip(self.rows, self.relations, strict=True)):
            gained = along(row, theta)
            holds = {"strict": 0 < gained >= self.delta, "weak": gained >= 0, "equal": gained == 0}[relation]
            demand(holds, f"the witness does not satisfy statement {r}")
        demand(self.kind == "cone" or all(-1 <= x <= 1 for x in theta), "the witness leaves the slice")
        return theta

    def multipliers(self, plain: Iterable[tuple[int, int]]) -> tuple[dict[int, int], Row, int]:
        """λ by statement, a = Σ λ d and L, in units."""
        found = {whole(r): whole(x) for r, x in plain}
        for r, x in found.items():
            demand(0 <= r < len(self.rows), f"there is no statement {r}")
            demand(x >= 0 or self.relations[r] == "equal", f"the multiplier of statement {r} is negative")
        combined = weigh(found, self.rows, len(self.terms))
        return found, combined, sum(x for r, x in found.items() if self.relations[r] == "strict")

    def cost(self, theta: Row) -> tuple[Fraction, Fraction]:
        """J(θ), and its part C Σ c_r s_r."""
        slack = Fraction(0)
        for row, relation, limit in zip(self.rows, self.relations, self.limits, strict=True):
            gained = along(row, theta)
            slack += limit * (abs(gained) if relation == "equal" else max(Fraction(0), (relation == "strict") - gained))
        return slack + dot(self.weights, list(map(abs, theta))), slack

    def budget_at_most(self) -> Fraction:
        """B ≤ J(θ̂) + τ max(w_1, J(θ̂) − C S), S = L / max(|λ_r|/c_r) ≤ S* for a λ with Σ λ d = 0."""
        cost, strained = self.cost(self.theta(self.proof["simple"]))[0], Fraction(0)
        if self.proof["strain"]:
            found, combined, strict = self.multipliers(self.proof["strain"])
            demand(not any(combined), "the multipliers of S* do not cancel")
            strained = strict / max(abs(x) / self.limits[r] for r, x in found.items())
        return cost + self.tau * max(self.weights[0], cost - strained)

    def cost_at_least(self, plain: Iterable[tuple[int, int]], gain: Row) -> Fraction:
        """J ≥ L / κ for every θ with gain·θ ≥ 0."""
        found, combined, strict = self.multipliers(plain)
        most = largest_share([abs(c + g) for c, g in zip(combined, gain, strict=True)], self.terms, self.prices)
        kappa = max([most, *(abs(x) / self.limits[r] for r, x in found.items())])
        return strict / kappa if kappa else Fraction(0)

    def rejected(self) -> str:
        """What the subset gains on a mixture μ of evaluated subsets is negative, or costs more than B."""
        phi = self.row([(self.mask(self.claim["subset"]), 1)])
        rivals = {self.mask(x): whole(mu) for x, mu in self.proof["rivals"]}
        known = rivals.keys() <= set(map(self.mask, self.claim["evaluated"]))
        demand(known and min(rivals.values()) >= 0, "a rival does not count")
        gain = [sum(rivals.values()) * p - q for p, q in zip(phi, self.row(rivals.items()), strict=True)]
        if self.kind == "parsimonious":
            believed = self.cost_at_least(self.proof["multipliers"], gain)
            demand(believed > self.budget_at_most(), "the subset is not shown to cost more than B")
        else:
            _, combined, strict = self.multipliers(self.proof["multipliers"])
            rest = sum(abs(c + g) for c, g in zip(combined, gain, strict=True))
            demand(rest < self.delta * strict or rest == 0 < strict, "no mixture of rivals is shown to be better")
        return "the subset is not potentially optimal: every utility of the set prefers some evaluated one"

    def possible(self) -> str:
        """A printed θ of the set ranks the subset first."""
        subset, theta = self.mask(self.claim["subset"]), self.inside(self.proof["theta"])
        for x in map(self.mask, self.claim["evaluated"]):
            demand(dot(self.row([(x, 1), (subset, -1)]), theta) <= 0, "θ prefers a rival")
        return "the subset is potentially optimal: a utility of the set ranks it first"

    def least(self) -> str:
        """Each candidate loses at least the floor to some evaluated subset, by a printed θ of the set."""
        floor, thetas = exact(self.claim["floor"]), list(map(self.inside, self.proof["thetas"]))
        _, *evaluated = map(self.mask, [self.claim["subset"], *self.claim["evaluated"]])
        for candidate, (k, rival) in zip(self.claim["candidates"], self.proof["gaps"], strict=True):
            lost = dot(self.row([(self.mask(rival), 1), (self.mask(candidate), -1)]), thetas[whole(k)])
            demand(self.mask(rival) in evaluated and lost >= floor, f"{brief(candidate)} is not shown to lose {floor}")
        return f"every candidate may lose {floor} or more"

    def inside(self, plain: Iterable[tuple[Sequence[int], str]]) -> Row:
        """A printed θ, shown to be in the set."""
        if self.kind != "parsimonious":
            return self.member(plain)
        least = self.cost_at_least(self.proof["least"], [0] * len(self.terms))
        strained = self.cost(self.theta(self.proof["strained"]))[1]
        budget = least + self.tau * max(self.weights[0], least - strained)
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
        cover = Cover([(subset, everything & ~subset), *cubes], self.n, whole(size))  # y = x gains nothing
        demand(all(cover.holds(i, o) for i, o in box), "the pieces overlap or leave a gap")
        cuts = few(self.proof["cuts"], len(pieces), "cuts")
        cut = kept(lambda k: self.multipliers(cuts[k]), len(self.terms))
        self.budget = self.budget_at_most() if self.kind == "parsimonious" else Fraction(0)
        for piece, cube in zip(pieces, cubes, strict=True):
            step = self.mask([piece["flip"]]) if "flip" in piece else 0
            demand(not step or (not parts and cover.stays(cube, step, subset, box[0])), "a step leads elsewhere")
            proven = self.piece(gains_on(cube, self.terms, subset, step), *cut(piece["cut"])) / self.unit
            demand(proven <= (0 if step else bound), f"the piece with {brief(piece['in'])} proves only {proven}")
        return "the subset is optimal in the scope" if bound == 0 else f"no subset of the scope gains over {bound}"

    def piece(self, gains: Iterable[tuple[int, int]], found: dict[int, int], sums: Row, strict: int) -> Any:
        """What a cut proves, in units: each entry of g takes its worst of one or two values."""
        rest = [max(self.unit * most + c, -self.unit * least - c) for (least, most), c in zip(gains, sums, strict=True)]
        if self.kind != "parsimonious":
            demand(self.kind == "slice" or not any(rest), "the identity of the cone does not hold")
            return sum(rest) - self.delta * strict
        most = largest_share(rest, self.terms, self.prices)
        return self.budget * max([most, *(abs(x) / self.limits[r] for r, x in found.items())]) - strict
