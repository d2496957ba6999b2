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
from typing import Any

from elicit.errors import CertificateError
from elicit.subsets import cubes_cover

Plain = Mapping[str, Any]
Row = list[Any]  # one integer or fraction for each monomial


def verify(certificate: Plain, record: Iterable[Plain] | None = None) -> str:
    """What the certificate proves, in one line. Given a record of statements, it must rest on just those."""
    try:
        return _Checker(certificate, record).check()
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise CertificateError(f"the certificate is malformed: {type(error).__name__}: {error}") from error


def _demand(holds: bool, complaint: str) -> None:
    if not holds:
        raise CertificateError(complaint)


def _dot(row: Row, theta: Row) -> Fraction:
    return sum((d * x for d, x in zip(row, theta, strict=True) if d and x), Fraction(0))


class _Checker:
    def __init__(self, certificate: Plain, record: Iterable[Plain] | None) -> None:
        self.n, self.claim, self.proof = certificate["n"], certificate["claim"], certificate["proof"]
        self.unit, space, statements = int(self.proof["unit"]), certificate["set"], certificate["statements"]
        self.kind, known = space["kind"], {"cone", "slice", "parsimonious"}
        _demand(
            certificate["version"] == 1 and self.kind in known and self.unit > 0,
            "unknown version, set or unit",
        )
        sides = statements, statements if record is None else record
        keys = [[(s["better"], s["worse"], s["relation"], Fraction(s["weight"])) for s in side] for side in sides]
        _demand(sorted(keys[0]) == sorted(keys[1]), "the certificate rests on other statements than those recorded")
        higher = [c for k in range(2, space["degree"] + 1) for c in combinations(range(self.n), k)]
        self.terms = [*(1 << i for i in range(self.n)), *map(self.mask, space.get("support", higher))]
        _demand(len(set(self.terms)) == len(self.terms), "the support repeats a monomial")
        self.relations = [str(s["relation"]) for s in statements]
        _demand({"strict", "weak", "equal"} >= set(self.relations), "a statement has an unknown relation")
        self.rows = [self.row([(self.mask(s["better"]), 1), (self.mask(s["worse"]), -1)]) for s in statements]
        self.delta = Fraction(space.get("delta", 0))
        if self.kind == "parsimonious":
            self.tau, slack = Fraction(space["tau"]), Fraction(space["C"])
            self.weights = [Fraction(space["w"][t.bit_count() - 1]) for t in self.terms]
            self.limits = [slack * Fraction(s["weight"]) for s in statements]  # C c_r
            _demand(min(slack, *self.weights, *self.limits) > 0 <= self.tau, "τ, C, w or c has the wrong sign")
        else:
            _demand((self.kind == "cone") == (self.delta == 0) and 0 <= self.delta < 1, "wrong margin δ")

    def check(self) -> str:
        claims = {"regret": self.regret, "rejected": self.rejected, "possible": self.possible}
        if self.claim["kind"] == "inconsistent":
            _, combined, strict = self.multipliers(self.proof["multipliers"])
            _demand(self.kind == "cone" and strict > 0 and not any(combined), "no contradiction is shown")
            return "no utility satisfies all statements"
        if self.kind != "parsimonious":
            self.member(self.proof["witness"])
        return claims[self.claim["kind"]]()

    def mask(self, positions: Sequence[int], least: int = 1) -> int:
        known = {i for i in positions if type(i) is int and 0 <= i < self.n}
        _demand(len(known) == len(positions) >= least, f"{positions} is no subset")
        return sum(1 << i for i in positions)

    def row(self, form: Iterable[tuple[int, int]]) -> Row:
        return [sum(c for x, c in form if x & t == t) for t in self.terms]

    def theta(self, plain: Iterable[tuple[Sequence[int], str]]) -> Row:
        found = {self.mask(term): Fraction(value) for term, value in plain}
        _demand(found.keys() <= set(self.terms), "θ has a coefficient outside the support")
        return [found.get(t, Fraction(0)) for t in self.terms]

    def member(self, plain: Iterable[tuple[Sequence[int], str]]) -> Row:
        """A θ of the cone or of the slice."""
        theta = self.theta(plain)
        for r, (row, relation) in enumerate(zip(self.rows, self.relations, strict=True)):
            gained = _dot(row, theta)
            strict = gained >= self.delta and gained > 0
            _demand(
                {"strict": strict, "weak": gained >= 0, "equal": gained == 0}[relation],
                f"the witness does not satisfy statement {r}",
            )
        _demand(self.kind == "cone" or all(-1 <= x <= 1 for x in theta), "the witness leaves the slice")
        return theta

    def multipliers(self, plain: Iterable[tuple[int, int]]) -> tuple[dict[int, int], Row, int]:
        """λ by statement, a = Σ λ d and L, in units."""
        found = {int(r): int(x) for r, x in plain}
        for r, x in found.items():
            _demand(0 <= r < len(self.rows), f"there is no statement {r}")
            _demand(x >= 0 or self.relations[r] == "equal", f"the multiplier of statement {r} is negative")
        combined = [sum(x * self.rows[r][k] for r, x in found.items()) for k in range(len(self.terms))]
        return found, combined, sum(x for r, x in found.items() if self.relations[r] == "strict")

    def cost(self, theta: Row) -> tuple[Fraction, Fraction]:
        """J(θ), and its part C Σ c_r s_r."""
        slack = Fraction(0)
        for row, relation, limit in zip(self.rows, self.relations, self.limits, strict=True):
            gained = _dot(row, theta)
            short = max(Fraction(0), (relation == "strict") - gained)
            slack += limit * (abs(gained) if relation == "equal" else short)
        return slack + _dot(self.weights, list(map(abs, theta))), slack

    def budget_at_most(self) -> Fraction:
        """B ≤ J(θ̂) + τ max(w_1, J(θ̂) − C S), S = L / max(|λ_r|/c_r) ≤ S* for a λ with Σ λ d = 0."""
        cost, strained = self.cost(self.theta(self.proof["simple"]))[0], Fraction(0)
        if self.proof["strain"]:
            found, combined, strict = self.multipliers(self.proof["strain"])
            _demand(not any(combined), "the multipliers of S* do not cancel")
            strained = strict / max(abs(x) / self.limits[r] for r, x in found.items())
        return cost + self.tau * max(self.weights[0], cost - strained)

    def cost_at_least(self, plain: Iterable[tuple[int, int]], gain: Row) -> Fraction:
        """J ≥ L / κ for every θ with gain·θ ≥ 0."""
        found, combined, strict = self.multipliers(plain)
        shares = [abs(c + g) / w for c, g, w in zip(combined, gain, self.weights, strict=True)]
        kappa = max(Fraction(0), *shares, *(abs(x) / self.limits[r] for r, x in found.items()))
        return strict / kappa if kappa else Fraction(0)

    def rejected(self) -> str:
        """What the subset gains on a mixture μ of evaluated subsets is negative, or costs more than B."""
        phi = self.row([(self.mask(self.claim["subset"]), 1)])
        rivals = {self.mask(x): int(mu) for x, mu in self.proof["rivals"]}
        among = rivals.keys() <= set(map(self.mask, self.claim["evaluated"]))
        _demand(among and min(rivals.values()) >= 0, "a rival does not count")
        gain = [sum(rivals.values()) * p - q for p, q in zip(phi, self.row(rivals.items()), strict=True)]
        if self.kind == "parsimonious":
            believed = self.cost_at_least(self.proof["multipliers"], gain)
            _demand(believed > self.budget_at_most(), "the subset is not shown to cost more than B")
        else:
            _, combined, strict = self.multipliers(self.proof["multipliers"])
            rest = sum(abs(c + g) for c, g in zip(combined, gain, strict=True))
            better = rest < self.delta * strict or (rest == 0 and strict > 0)
            _demand(better, "no mixture of rivals is shown to be better")
        return "the subset is not potentially optimal: every utility of the set prefers some evaluated one"

    def possible(self) -> str:
        """A printed θ of the set ranks the subset first."""
        subset, plain = self.mask(self.claim["subset"]), self.proof["theta"]
        theta = self.theta(plain) if self.kind == "parsimonious" else self.member(plain)
        for x in map(self.mask, self.claim["evaluated"]):
            _demand(_dot(self.row([(x, 1), (subset, -1)]), theta) <= 0, "θ prefers a rival")
        if self.kind == "parsimonious":
            least = self.cost_at_least(self.proof["least"], [0] * len(self.terms))
            strained = self.cost(self.theta(self.proof["strained"]))[1]
            budget = least + self.tau * max(self.weights[0], least - strained)
            _demand(self.cost(theta)[0] <= budget, "θ is not shown to cost at most B")
        return "the subset is potentially optimal: a utility of the set ranks it first"

    def regret(self) -> str:
        """f(y) − f(x) ≤ bound for every y of the scope: each piece proves it on a subcube."""
        subset, bound = self.mask(self.claim["subset"]), Fraction(self.claim["bound"])
        _demand(bound > 0 or (bound == 0 and "strict" in self.relations), "no strict statement, no optimum")
        scope, everything = self.claim["scope"], (1 << self.n) - 1
        phi, cuts = self.row([(subset, 1)]), list(map(self.multipliers, self.proof["cuts"]))
        self.budget = self.budget_at_most() if self.kind == "parsimonious" else Fraction(0)
        cubes = [(subset, everything & ~subset)]  # y = x gains nothing
        for piece in self.proof["pieces"]:
            inside, outside = self.mask(piece["in"], 0), self.mask(piece["out"], 0)
            proven = self.piece(cuts[piece["cut"]], inside, outside, phi) / self.unit
            _demand(proven <= bound, f"the piece with {piece['in']} proves only {proven}")
            cubes.append((inside, outside))
        if "subsets" in scope:
            parts, size = [(y, everything & ~y) for y in map(self.mask, scope["subsets"])], self.n
        else:
            parts, size = [(self.mask(scope["keep"], 0), self.mask(scope["drop"], 0))], int(scope["max_size"])
        _demand(all(cubes_cover(cubes, *part, self.n, size) for part in parts), "the pieces do not cover the scope")
        return "the subset is optimal in the scope" if bound == 0 else f"no subset of the scope gains over {bound}"

    def piece(self, cut: Any, inside: int, outside: int, phi: Row) -> Any:
        """What a cut proves on a subcube, in units: every undetermined φ(y)_S takes its worse value."""
        found, combined, strict = cut
        values = [(0,) if t & outside else (1,) if t & inside == t else (0, 1) for t in self.terms]
        rest = [max(abs(self.unit * (y - p) + c) for y in ys) for ys, p, c in zip(values, phi, combined, strict=True)]
        if self.kind != "parsimonious":
            _demand(self.kind == "slice" or not any(rest), "the identity of the cone does not hold")
            return sum(rest) - self.delta * strict
        shares = [s / w for s, w in zip(rest, self.weights, strict=True) if s]
        return self.budget * max(Fraction(0), *shares, *(abs(x) / self.limits[r] for r, x in found.items())) - strict
