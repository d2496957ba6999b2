"""What is issued holds, what is tampered with is caught, and what is true can nearly always be certified.

The mutation test changes the plain data of a certificate anyhow. A change that still verifies must have left
a true claim, and the judge says whether it is.
"""

import copy
import itertools
import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import judge
import numpy as np
import pytest
from instances import BATCHES, Case, batch, random_case, stated

from elicit.errors import CertificateError
from elicit.knowledge.statements import Relation, Statement
from elicit.subsets import Family, mask_of
from elicit.utility import certificates
from elicit.utility import verify as verifier
from elicit.utility.certificates import (
    certify_best_among,
    certify_inconsistent,
    certify_least,
    certify_optimal,
    certify_possible,
    certify_preference,
    certify_rejection,
)
from elicit.utility.exact import ExactSet
from elicit.utility.issuing import plain_statements
from elicit.utility.monomials import Monomials
from elicit.utility.numbers import Steps
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.rationals import rational_combination
from elicit.utility.regret import Regrets
from elicit.utility.verify import verify

HAIR = 1e-6  # the judge works in floats
ROOM = 1e-4  # a claim true by this much should get its certificate


# Whether a claim is true


def claim_holds(certificate):
    """What the judge says of a certificate's claim about the set and statements that it states itself."""
    return what_is_said_holds(json.dumps([certificate[part] for part in ("set", "claim", "statements", "n")]))


@cache  # many a change spoils the proof alone
def what_is_said_holds(text):
    space, claim, statements, n = json.loads(text)
    monos = judge.monomials(n, max(1, space["degree"]))  # single attributes are always there
    if "support" in space:
        monos = [1 << i for i in range(n)] + [mask_of(t) for t in space["support"]]
    said = [
        (mask_of(s["better"]), mask_of(s["worse"]), s["relation"], float(Fraction(s["weight"]))) for s in statements
    ]
    of_kind = {"cone": in_cone, "slice": in_slice, "parsimonious": in_budget}[space["kind"]]
    if claim["kind"] == "regret" and Fraction(claim["bound"]) == 0 and not judge.has_strict(said):
        return False  # a rule: without a strict statement nothing is necessarily optimal
    return of_kind(space, claim, said, monos, n)


def scope_of(claim, n):
    scope = claim["scope"]
    if "subsets" in scope:
        return [mask_of(y) for y in scope["subsets"]]
    return judge.family(n, mask_of(scope["keep"]), mask_of(scope["drop"]), int(scope["max_size"]))


def in_cone(_space, claim, said, monos, n):
    consistent = judge.cone_consistent(said, monos)
    if claim["kind"] == "inconsistent":
        return not consistent
    x = mask_of(claim["subset"])
    if claim["kind"] == "regret":  # a cone has no scale, so any bound is a bound of 0
        return consistent and judge.cone_necessarily_optimal(x, scope_of(claim, n), said, monos)
    evaluated = [mask_of(v) for v in claim["evaluated"]]
    if claim["kind"] == "least":  # nor has what is lost: it is nothing, or as much as one likes
        optimal = judge.cone_necessarily_optimal
        return consistent and lose(claim, lambda v: 0.0 if optimal(v, evaluated, said, monos) else np.inf)
    possible = judge.cone_potentially_optimal(x, evaluated, said, monos)
    return possible if claim["kind"] == "possible" else consistent and not possible


def in_slice(space, claim, said, monos, n):
    delta, x = float(Fraction(space["delta"])), mask_of(claim["subset"])
    if not judge.slice_consistent(said, monos, delta):
        return False
    if claim["kind"] == "regret":
        return gains_little(claim, x, n, lambda form: judge.slice_max(form, said, monos, delta))
    evaluated = [mask_of(v) for v in claim["evaluated"]]
    if claim["kind"] == "least":
        return lose(claim, lambda v: judge.slice_regret(v, evaluated, said, monos, delta))
    return judge.slice_potentially_optimal(x, evaluated, said, monos, delta) == (claim["kind"] == "possible")


def in_budget(space, claim, said, monos, n):
    tau, C, w = (
        float(Fraction(space["tau"])),
        float(Fraction(space["C"])),
        tuple(float(Fraction(x)) for x in space["w"]),
    )
    x = mask_of(claim["subset"])
    if claim["kind"] == "regret":
        limit = judge.budget(said, monos, tau, C, w)
        limit += 1e-9 * max(1.0, limit)  # as the judge does for a regret
        return gains_little(
            claim, x, n, lambda form: -judge.set_extreme({v: -c for v, c in form.items()}, said, monos, C, w, limit)[0]
        )
    if claim["kind"] == "least":
        evaluated = [mask_of(v) for v in claim["evaluated"]]
        return lose(claim, lambda v: judge.set_regret(v, evaluated, said, monos, tau, C, w))
    spare = judge.budget(said, monos, tau, C, w) - judge.j_of(
        x, [mask_of(v) for v in claim["evaluated"]], said, monos, C, w
    )
    return spare >= -HAIR if claim["kind"] == "possible" else spare <= HAIR


def gains_little(claim, x, n, most):
    """Whether nothing of the scope gains more than the bound on a subset; the first that does settles it."""
    bound = float(Fraction(claim["bound"])) + HAIR
    return bound >= 0 and all(most(judge.difference(y, x)) <= bound for y in scope_of(claim, n) if y != x)


def lose(claim, regret):
    """Whether every candidate may lose as much as the floor."""
    return all(regret(mask_of(v)) >= float(Fraction(claim["floor"])) - HAIR for v in claim["candidates"])


def verifies(certificate, record=None):
    try:
        verify(certificate, record)
    except CertificateError:
        return False
    return True


# Issuing


def claims_of(case):
    """(kind, room, certificate) of every claim that the judge finds true; room says by how much."""
    told, rng = case.told, case.rng()
    monomials = Monomials.full(told.n, told.degree)
    some = [int(v) for v in rng.permutation(case.everything)[:6]]
    if not case.consistent:
        yield "inconsistent", 1.0, certify_inconsistent(monomials, case.statements)
    theirs = case.parsimonious()
    if case.informative:
        for v in some:
            spare = (case.told.tau - case.price(v)) * case.unit
            if spare >= 0:
                yield "possible, parsimonious", spare, certify_possible(theirs, v)
            else:
                yield "rejected, parsimonious", -spare, certify_rejection(theirs, v)
        for x, y in itertools.pairwise(some):
            most = case.most_in_budget({y: 1.0, x: -1.0})
            if most < 0:
                yield "preferred, parsimonious", -most, certify_preference(theirs, x, y)
        yield from over_families(case, theirs, lambda x, y: case.most_in_budget({y: 1.0, x: -1.0}), "parsimonious")
        yield from that_lose(theirs, some[0], "parsimonious")
    if case.consistent and case.informative:
        exact = case.exact()
        for v in some:
            lead = case.lead_in_slice(v, exact.delta)
            if lead >= 0:
                yield "possible, slice", lead, certify_possible(exact, v)
            else:
                yield "rejected, slice", -lead, certify_rejection(exact, v)
        for s in case.statements[:3]:
            yield "preferred, exact", 1.0, certify_preference(exact, s.better, s.worse)
        for x, y in itertools.pairwise(some):
            most = case.most_in_slice({y: 1.0, x: -1.0}, exact.delta)
            if most < 0:
                yield "preferred, slice", -most, certify_preference(exact, x, y)
        yield from over_families(case, exact, lambda x, y: case.most_in_slice({y: 1.0, x: -1.0}, exact.delta), "slice")
        yield from that_lose(exact, some[0], "slice")


def that_lose(theirs, subset, name):
    """What two of the evaluated subsets may lose at least, whatever the one that is said to lose no more."""
    regrets = Regrets(theirs)
    losing = [r for r in map(regrets.of, theirs.evaluated[:2]) if r.rival is not None and r.value > 0]
    if losing:
        least = min(r.value for r in losing)
        yield f"least, {name}", least, certify_least(theirs, subset, {r.subset: r.rival for r in losing}, least)


def over_families(case, theirs, most, name):
    """Regret over lists and over families: a bound a little above the truth, and 0 where that is true."""
    n, rng = case.told.n, case.rng()
    x = int(rng.choice(theirs.candidates(case.told.evaluated)))
    for family in (Family(n), Family(n, keep=x & -x, max_size=max(x.bit_count(), 2 if n > 1 else 1))):
        gains = [most(x, y) for y in judge.family(n, family.keep, family.drop, family.max_size) if y != x]
        worst = max(gains, default=-1.0)
        if worst < 0:
            yield f"optimal in a family, {name}", -worst, certify_optimal(theirs, x, family)
            yield f"optimal in a list, {name}", -worst, certify_best_among(theirs, x, list(family))
        yield f"bounded in a family, {name}", 1.0, certify_optimal(theirs, x, family, max(worst, 0.0) + 0.01)


@cache
def decided():
    """Cases in which one subset is known to beat all others, with a margin as large as it may be."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng([7, seed])
        n, degree = 3 + seed % 2, 1 + seed // 2 % 2
        monos = judge.monomials(n, degree)
        theta = rng.integers(1, 4, size=len(monos)) * rng.choice([-1, 1], size=len(monos))
        everything = range(1, 1 << n)
        value = {v: judge.utility(theta, v, monos) for v in everything}
        best = max(everything, key=value.__getitem__)
        said = [(best, v, "strict", 1.0) for v in everything if v != best and rng.random() < 0.8]
        said += [(a, b, "strict", 3.0) for a, b in rng.integers(1, 1 << n, size=(6, 2)).tolist() if value[a] > value[b]]
        margin = judge.slice_margin(said, monos)
        criteria = dict.fromkeys([best, *(b for _, b, _, w in said if w == 1.0)], ())
        delta = min(0.9, round(margin / 2.2, 3))
        found.append(Case(judge.Instance(n, degree, criteria, (), said, 0.1, 6.0, (1.0, 1.5), delta)))
    return tuple(found)


@cache
def certified(k):
    """The cases of a batch, each with its claims."""
    return tuple((case, tuple(claims_of(case))) for case in batch(k))


@pytest.mark.parametrize("k", BATCHES)
def test_every_certificate_issued_verifies_and_states_a_truth(k):
    for case, claims in certified(k):
        for kind, room, certificate in claims:
            if certificate is not None:
                record = plain_statements(case.statements)
                assert verify(certificate, record), kind
                assert verify(json.loads(json.dumps(certificate)), record), "a certificate is plain data"
                if room > 10 * HAIR:
                    assert claim_holds(certificate), kind


@pytest.mark.slow
def test_nearly_every_claim_with_room_to_spare_is_certified():
    made, missed = Counter(), Counter()
    for case in itertools.chain(batch(0), batch(1), batch(2), decided()):
        for kind, room, certificate in claims_of(case):
            if room > ROOM:
                made[kind] += 1
                missed[kind] += certificate is None
    assert len(made) >= 12
    assert made.total() > 400
    assert {kind: n for kind, n in missed.items() if n > 0.02 * made[kind]} == {}


@pytest.mark.parametrize("k", BATCHES)
def test_nothing_false_is_certified(k):
    for case in batch(k)[::2]:
        told = case.told
        sets = [case.parsimonious(), *([case.exact()] if case.consistent else [])]
        for theirs in sets:
            for v in case.everything[::3]:
                issued = [certify_possible(theirs, v), certify_rejection(theirs, v)]
                assert None in issued
                issued += [certify_optimal(theirs, v, Family(told.n)), certify_preference(theirs, v, told.evaluated[0])]
                if not case.informative:
                    assert issued[1:] == [None] * 3
                assert all(claim_holds(c) for c in issued if c is not None)
        if case.consistent:
            assert certify_inconsistent(Monomials.full(told.n, told.degree), case.statements) is None


def test_the_least_bound_is_certified_where_a_large_c_makes_rounding_count():
    case = random_case(np.random.default_rng(9), n=4, evaluated=10, answers=5, C=1000.0)
    utilities = case.parsimonious()
    regrets = Regrets(utilities)
    assert utilities.budget > 10_000
    for x in utilities.evaluated:
        among = certify_best_among(utilities, x, utilities.evaluated, bound=None)
        over_all = certify_optimal(utilities, x, Family(4), bound=None)
        assert float(Fraction(among["claim"]["bound"])) == pytest.approx(regrets.of(x).value, abs=1e-3)
        assert Fraction(over_all["claim"]["bound"]) >= Fraction(among["claim"]["bound"]) - Fraction(1, 1000)


def test_a_least_bound_of_nothing_that_rounding_would_break_is_certified_with_a_hair_more():
    # λ = 133/1528 proves that nothing is gained, but rounded it does not
    prices = Parsimony(tau=0.0, slack=49.0, weights=(1.661, 0.133))
    utilities = ParsimoniousSet(3, [0b100, 0b001], [stated(0b101, 0b011)], prices)
    assert utilities.maximum({0b001: 1.0, 0b100: -1.0}).value == pytest.approx(0)
    for certificate in (
        certify_best_among(utilities, 0b100, [0b001], bound=None),
        certify_optimal(utilities, 0b100, Family(3, drop=0b010, max_size=1), bound=None),
    ):
        assert claim_holds(certificate)
        assert Fraction(certificate["claim"]["bound"]) < Fraction(1, 10**5)


def test_a_tie_that_rounding_would_break_is_certified_with_a_hair_more_for_the_subset():
    # θ_5 ≥ 1 and θ_1 + θ_2 + θ_3 ≥ θ_5 + 1 in equal parts: thirds of 2, which are rounded up. The sixth alone must
    # then be worth 2, which is 2 more than J* = 3, and B = 3 + 3 τ
    alike = [stated(0b001, 0b010, "equal"), stated(0b010, 0b100, "equal")]
    said = [stated(0b001111, 0b011000), stated(0b011000, 0b001000), *alike]
    evaluated = [0b000111, 0b100000, 0b001111, 0b011000, 0b001, 0b010, 0b100, 0b1000]
    theirs = ParsimoniousSet(6, evaluated, said, Parsimony(tau=1.0, slack=10.0, degree=1))
    certificate = certify_possible(theirs, 0b100000)
    assert claim_holds(certificate)
    theta = {mask_of(term): Fraction(x) for term, x in certificate["proof"]["theta"]}
    assert 0 < theta[0b100000] - (theta[0b001] + theta[0b010] + theta[0b100]) < Fraction(1, 10**8)
    assert 0 < theta[0b100000] - 2 < Fraction(1, 10**8)


def test_the_least_bound_and_the_most_that_is_lost_are_what_they_are_by_hand():
    # |θ| ≤ 1, so {a1} gains 2 on {a2} at most; where θ_1 − θ_2 costs as much as it gains, B = 11/10
    said = [stated(0b01, 0b10)]
    slice, theirs = ExactSet(2, [1, 2], said, degree=1), ParsimoniousSet(2, [1, 2], said, Parsimony(0.1, 3.0, degree=1))
    for utilities, most in ((slice, Fraction(2)), (theirs, Fraction(11, 10))):
        bound = Fraction(certify_best_among(utilities, 2, [1], bound=None)["claim"]["bound"])
        floor = Fraction(certify_least(utilities, 1, {2: 1}, float(most))["claim"]["floor"])
        assert most - Fraction(2, 10**6) <= floor <= most <= bound <= most + Fraction(3, 10**6)
        assert certify_best_among(utilities, 2, [1], bound=float(most) + 1e-5) is not None
        assert certify_best_among(utilities, 2, [1], bound=float(most) - 1e-5) is None
        assert certify_least(utilities, 1, {2: 2}, 0.0) is None, "nothing is lost to oneself"


def test_a_utility_at_the_edge_that_rounding_puts_outside_is_moved_further_inwards(monkeypatch):
    said = [stated(0b01, 0b10)]
    theirs = ParsimoniousSet(2, [1, 2], said, Parsimony(0.1, 3.0, degree=1))
    outwards_first = Fraction(-1, 1 << 24), Fraction(1, 1 << 24)
    monkeypatch.setattr(certificates, "INWARD", outwards_first)
    assert claim_holds(certify_least(theirs, 1, {2: 1}, 1.1))


def test_where_no_exact_multipliers_are_found_on_the_cone_it_is_proven_of_the_slice(monkeypatch):
    theirs = ExactSet(2, [1, 2], [stated(0b01, 0b10)], degree=1)
    assert certify_preference(theirs, 1, 2)["set"]["kind"] == "cone"
    monkeypatch.setattr(certificates, "exact_multipliers", lambda *_: None)
    proven = certify_preference(theirs, 1, 2)
    assert claim_holds(proven)
    assert proven["set"]["kind"] == "slice"


def test_where_the_cone_takes_numbers_that_no_journal_could_hold_it_is_proven_of_the_slice(monkeypatch):
    """With hundreds of rivals the common denominator of their multipliers has thousands of digits."""
    longest = certificates.TOO_LONG - 1
    assert int(str(longest)) == longest
    with pytest.raises(ValueError, match="4300 digits"):
        str(certificates.TOO_LONG)
    theirs = ExactSet(2, [1, 2], [stated(0b01, 0b10)], degree=1)
    found = [(0, Fraction(1, longest))]
    monkeypatch.setattr(certificates, "valid_certificate", lambda _n, space, *_: {"set": space})
    for multipliers, kind in (found, "cone"), ([(0, Fraction(1, longest + 1))], "slice"):
        monkeypatch.setattr(certificates, "exact_multipliers", lambda *_, found=multipliers: found)
        assert certify_preference(theirs, 1, 2)["set"]["kind"] == kind


def test_one_utility_serves_every_candidate_that_loses_enough_by_it():
    # where θ_1 = 1 and the others are near −1, both lose nearly 2 to {a1}
    said = [stated(0b001, 0b010), stated(0b010, 0b100)]
    theirs = ExactSet(3, [0b001, 0b010, 0b100], said, degree=1)
    one = certify_least(theirs, 1, {0b010: 0b001, 0b100: 0b001}, 1.9)
    assert [len(one["proof"]["thetas"]), *(k for k, _ in one["proof"]["gaps"])] == [1, 0, 0]
    # there {a3} loses hardly anything to {a2}: for that θ_2 must be near 1
    two = certify_least(theirs, 1, {0b010: 0b001, 0b100: 0b010}, 1.9)
    assert [len(two["proof"]["thetas"]), *(k for k, _ in two["proof"]["gaps"])] == [2, 0, 1]


@pytest.mark.parametrize("relation", ["weak", "equal"])
def test_where_nothing_strict_was_said_no_bound_is_certified(relation):
    said = [stated(1, 2, relation)]
    for theirs in (ExactSet(2, [1, 2], said, degree=1), ParsimoniousSet(2, [1, 2], said, Parsimony(degree=1))):
        for bound in (0.0, 5.0, None):
            assert certify_best_among(theirs, 1, [2], bound) is None
            assert certify_optimal(theirs, 1, Family(2), bound) is None


def test_the_subset_itself_is_no_rival_of_its_own_and_each_other_is_listed_once():
    theirs = ExactSet(2, [1, 2], [stated(1, 2)], degree=1)
    for subset, rival in ((1, [1]), (2, [0])):
        certificate = certify_best_among(theirs, subset, [2, 1, 2, 1], bound=None)
        assert certificate["claim"]["scope"] == {"subsets": [rival]}
        assert len(certificate["proof"]["pieces"]) == 1


def test_a_lowered_margin_is_stated_and_proven():
    # 16 > 8 > 4 > 2 > 1 together: the margin asked for is more than the set has, so a smaller one is in force
    said = [stated(1 << i, (1 << i) - 1) for i in range(1, 5)]
    theirs = ExactSet(5, [1, 2, 4], said, degree=1, delta=0.6)
    certificate = certify_possible(theirs, 4)
    assert certificate["set"]["delta"] == repr(theirs.delta)
    assert float(certificate["set"]["delta"]) < 0.6
    assert certify_rejection(theirs, 1) is not None


def test_the_same_question_always_gets_the_same_certificate():
    case = random_case(np.random.default_rng(0), n=5, evaluated=8, answers=4)
    for build in (case.parsimonious, case.exact):
        first, again = build(), build()
        for v in case.everything[::4]:
            assert certify_possible(first, v) == certify_possible(again, v)
            assert certify_rejection(first, v) == certify_rejection(again, v)
            assert certify_preference(first, 31, v) == certify_preference(again, 31, v)


def test_a_support_is_part_of_the_certificate():
    case = random_case(np.random.default_rng(1), n=5, evaluated=7, answers=4)
    for theirs in (
        ParsimoniousSet(5, case.told.evaluated, case.statements, case.settings(), support=[0b00011, 0b01100]),
        ExactSet(5, case.told.evaluated, case.statements[:3], support=[0b00011, 0b01100]),
    ):
        issued = [certify_possible(theirs, v) or certify_rejection(theirs, v) for v in case.everything]
        assert sum(c is not None for c in issued) > 28
        for c in issued:
            if c is not None:
                assert c["set"]["support"] == [[0, 1], [2, 3]]
                assert claim_holds(c)


# Tampering


@cache
def issued():
    """Certificates of every kind."""
    found = {}
    claimed = [(case, tuple(claims_of(case))) for case in decided()]
    for case, claims in (*claimed, *certified(0), *certified(1)):
        for kind, room, certificate in claims if case.told.n >= 3 else ():
            if certificate is not None and room > ROOM:
                kept = found.setdefault(f"{kind}, {certificate['set']['kind']}", [])
                # two of the decided cases, two of the others
                kept += [certificate] if len(kept) < (2 if case in decided() else 4) else []
    found["optimal by steps, slice, slice"] = by_steps()
    return found


def by_steps():
    """Certificates whose pieces are steps: what belongs in was said of each attribute on its own, or beside a pair."""
    found = []
    for n, best, pairs, family in (
        (3, 0b001, [], Family(3)),
        (4, 0b0110, [], Family(4, drop=0b1000)),
        (4, 0b0011, [0b0011], Family(4, max_size=3)),
        (4, 0b1010, [0b0011, 0b0110], Family(4)),
    ):
        said = []
        for i in range(n):
            beside = [j for pair in pairs if pair >> i & 1 for j in range(n) if pair >> j & 1 and j != i]
            far = 1 << next(j for j in range(n) if j != i and j not in beside)
            for chosen in range(1 << len(beside)):
                without = far | mask_of(j for k, j in enumerate(beside) if chosen >> k & 1)
                both = (without | 1 << i, without)
                said.append(stated(*(both if best >> i & 1 else both[::-1])))
        evaluated = sorted({m for s in said for m in (s.better, s.worse)} | {best})
        utilities = ExactSet(n, evaluated, said, support=pairs, degree=2)
        certificate = certify_optimal(utilities, best, family)
        assert any("flip" in piece for piece in certificate["proof"]["pieces"])
        found.append(certificate)
    return found


KINDS = [
    "bounded in a family, parsimonious, parsimonious",
    "bounded in a family, slice, slice",
    "inconsistent, cone",
    "least, parsimonious, parsimonious",
    "least, slice, slice",
    "optimal by steps, slice, slice",
    "optimal in a family, parsimonious, parsimonious",
    "optimal in a family, slice, slice",
    "optimal in a list, parsimonious, parsimonious",
    "optimal in a list, slice, cone",
    "optimal in a list, slice, slice",
    "possible, parsimonious, parsimonious",
    "possible, slice, slice",
    "preferred, exact, cone",
    "preferred, parsimonious, parsimonious",
    "preferred, slice, cone",
    "rejected, parsimonious, parsimonious",
    "rejected, slice, slice",
]


def paths(data, here=()):
    """The way to every place in plain data."""
    yield here
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from paths(value, (*here, key))


WORDS = {
    "relation": ["strict", "weak", "equal"],
    "kind": ["cone", "slice", "parsimonious", "rejected", "possible", "regret", "inconsistent"],
}


def another(value, key, rng):
    """Something else in place of a value."""
    if isinstance(value, str):
        if key in WORDS:
            return str(rng.choice(WORDS[key]))
        number = Fraction(value)
        ways = [-number, 2 * number, number / 2, number + 1, number - Fraction(1, 7), number * Fraction(999, 1000)]
        ways += [Fraction(0), number * Fraction(1001, 1000)]
        return str(ways[int(rng.integers(0, len(ways)))])
    if isinstance(value, int):
        ways = [value + 1, value - 1, -value, 0, value * 2, value // 2, value * 1000 // 999, int(rng.integers(0, 5))]
        return ways[int(rng.integers(0, len(ways)))]
    if isinstance(value, list) and value:
        k = int(rng.integers(0, len(value)))
        ways = [
            value[:k] + value[k + 1 :],
            [*value, copy.deepcopy(value[k])],
            value[::-1],
            [],
            [value[i] for i in rng.permutation(len(value))],
        ]
        if all(isinstance(x, int) for x in value):
            ways += [sorted(rng.choice(5, size=int(rng.integers(1, 5)), replace=False).tolist())] * 3
        return ways[int(rng.integers(0, len(ways)))]
    if isinstance(value, list):
        return [int(rng.integers(0, 5))]
    return value


def tampered(certificate, rng):
    """The certificate with one to three places changed; the claim, the set and the statements more often."""
    changed = copy.deepcopy(certificate)
    for _ in range(int(rng.integers(1, 4))):
        part = str(rng.choice(["claim", "proof", "statements", "set", "all"]))
        parts = {key: changed[key] for key in changed if (part == key or part == "all") and key not in ("version", "n")}
        places = [p for p in paths(parts) if p]
        if len(places) > 1:
            places = [p for p in places if len(p) > 1]
        place = places[int(rng.integers(0, len(places)))]
        at = changed
        for step in place[:-1]:
            at = at[step]
        at[place[-1]] = another(at[place[-1]], place[-1], rng)
    return changed


@pytest.mark.parametrize("kind", KINDS)
def test_tampering_is_caught_whenever_it_invalidates_the_claim(kind):
    rng = np.random.default_rng(KINDS.index(kind))
    changes = survived = 0
    for certificate in issued()[kind]:
        record = certificate["statements"]
        assert claim_holds(certificate)
        for _ in range(30):
            changed = tampered(certificate, rng)
            if changed == certificate:
                continue
            changes += 1
            if verifies(changed):
                survived += 1
                assert claim_holds(changed), changed
            if verifies(changed, record):
                assert claim_holds({**changed, "statements": record}), changed
    assert changes >= 25
    assert survived < changes / 2  # most changes break the proof


def test_there_are_certificates_of_every_kind():
    assert set(KINDS) <= set(issued())


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_moved_to_another_subset_verifies_only_if_true(kind):
    false = 0
    for certificate in issued()[kind][::3]:
        if kind.startswith(("inconsistent", "least")):
            continue  # these say nothing of the subset
        n = certificate["n"]
        for v in range(1, 1 << n):
            moved = copy.deepcopy(certificate)
            moved["claim"]["subset"] = [i for i in range(n) if v >> i & 1]
            if not claim_holds(moved):
                false += 1
                assert not verifies(moved)
    assert false > 3 or kind.startswith(("inconsistent", "least"))


@pytest.mark.parametrize("kind", [k for k in KINDS if k.startswith(("optimal", "bounded", "preferred"))])
def test_a_bound_or_scope_that_claims_too_much_never_verifies(kind):
    refused = 0
    for certificate in issued()[kind]:
        n, scope = certificate["n"], certificate["claim"]["scope"]
        wider = [{"keep": [], "drop": [], "max_size": n}, {"subsets": [[i] for i in range(n)]}]
        wider += [{**scope, key: value} for key, value in (("keep", []), ("max_size", n)) if key in scope]
        for new in wider:
            for bound in ("0", "1/1000000", certificate["claim"]["bound"]):
                greedy = copy.deepcopy(certificate)
                greedy["claim"]["scope"], greedy["claim"]["bound"] = new, bound
                if not claim_holds(greedy):
                    refused += 1
                    assert not verifies(greedy)
    assert refused or kind.startswith("optimal ")


@pytest.mark.slow
def test_random_multipliers_never_prove_a_falsehood():
    rng, false = np.random.default_rng(8), 0
    for kind in KINDS:
        for certificate in issued()[kind][:2]:
            forged = copy.deepcopy(certificate)
            n, m = forged["n"], len(forged["statements"])
            for _ in range(8):
                v = int(rng.integers(1, 1 << n))
                if "subset" in forged["claim"]:
                    forged["claim"]["subset"] = [i for i in range(n) if v >> i & 1]
                unit = forged["proof"]["unit"]
                some = [[r, int(unit * rng.choice([0.5, 1, 2, 50]))] for r in range(m) if rng.random() < 0.6]
                proof = forged["proof"]
                if "multipliers" in proof:
                    proof["multipliers"] = some
                if "cuts" in proof:
                    proof["cuts"] = [some for _ in proof["cuts"]]
                if "rivals" in proof:
                    proof["rivals"] = [[x, int(unit * rng.random() * 3)] for x, _ in proof["rivals"]]
                if not claim_holds(forged):
                    false += 1
                    assert not verifies(forged)
    assert false > 50


def test_a_changed_proof_that_is_still_a_proof_passes():
    for kind in KINDS:
        for certificate in issued()[kind]:
            changed = copy.deepcopy(certificate)
            proof = changed["proof"]
            proof["unit"] *= 3
            for part in [*proof.get("cuts", []), *(proof[k] for k in ("multipliers", "rivals", "least") if k in proof)]:
                for entry in part:
                    entry[1] *= 3
            if "pieces" in proof:
                proof["pieces"].reverse()
            if "rivals" in proof:  # every evaluated subset may be one, if it counts for nothing
                named = [x for x, _ in proof["rivals"]]
                proof["rivals"] += [[x, 0] for x in changed["claim"]["evaluated"] if x not in named]
            assert verifies(changed), kind
            assert verifies(changed, certificate["statements"][::-1]), "the order of the record is no matter"


def test_a_record_with_other_statements_is_refused():
    for kind in KINDS:
        for certificate in issued()[kind]:
            record = certificate["statements"]
            assert verifies(certificate, record)
            assert not verifies(certificate, record[1:])
            assert not verifies(certificate, [*record, record[0]])
            heavier = [{**record[0], "weight": "77"}, *record[1:]]
            assert not verifies(certificate, heavier)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"version": 2},
        {"proof": None},
        {"proof": {}},
        {"claim": {"kind": "wishful"}},
        {"n": "many"},
        {"statements": [{}]},
        {"set": {"kind": "ring"}},
        {"set": {"kind": "slice", "degree": 2, "delta": "nan"}},
        {"set": {"kind": "slice", "degree": 2, "delta": "0"}},
        {"set": {"kind": "slice", "degree": 2, "delta": "-1/2"}},
        {"set": {"kind": "cone", "degree": 2, "delta": "1/1000"}},
    ],
)
def test_a_malformed_certificate_is_refused_with_a_certificate_error(broken):
    certificate = copy.deepcopy(issued()["rejected, slice, slice"][0])
    with pytest.raises(CertificateError):
        verify({**certificate, **broken} if broken else {})


def nested(depth):
    found = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize(
    "value", [nested(5000), [0] * 10_000, "9" * 10_000, 1 << 70_000], ids=["deep", "long", "digits", "huge"]
)
@pytest.mark.parametrize("where", ["subset", "kind", "evaluated", "bound", "scope"])
def test_what_is_nested_deeply_or_very_long_is_refused_in_a_few_words(where, value):
    kind = "optimal by steps, slice, slice" if where in ("bound", "scope") else "rejected, slice, slice"
    certificate = copy.deepcopy(issued()[kind][0])
    certificate["claim"][where] = value
    with pytest.raises(CertificateError) as refused:
        verify(certificate)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("weight", ["0", "-1"])
def test_a_statement_without_weight_is_refused_in_the_parsimonious_set(weight):
    certificate = copy.deepcopy(issued()["possible, parsimonious, parsimonious"][0])
    certificate["statements"][0]["weight"] = weight
    assert not verifies(certificate)


# By hand


def by_hand(claim, proof, statements, space):
    n = 3 if any(2 in s["worse"] for s in statements) else 2
    return {"version": 1, "n": n, "set": space, "statements": statements, "claim": claim, "proof": proof}


ONE_OVER_TWO = [{"better": [0], "worse": [1], "relation": "strict", "weight": "1"}]


def test_a_proof_on_the_cone_by_hand():
    # φ({a1}) − φ({a2}) is the one row itself
    claim = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    proof = {
        "unit": 1,
        "cuts": [[[0, 1]]],
        "pieces": [{"in": [1], "out": [0], "cut": 0}],
        "witness": [[[0], "1"]],
    }
    space = {"kind": "cone", "degree": 1}
    assert verify(by_hand(claim, proof, ONE_OVER_TWO, space)) == "the subset is optimal in the scope"
    assert verifies(by_hand(claim, {**proof, "witness": [[[0], "9"], [[1], "-9"]]}, ONE_OVER_TWO, space))
    spoiled_witnesses = [{"witness": w} for w in ([], [[[1], "1"]], [[[0], "2"], [[0, 1], "-1"]])]
    for spoiled in (*spoiled_witnesses, {"cuts": [[[0, 2]]]}, {"cuts": [[]]}, {"pieces": []}):
        assert not verifies(by_hand(claim, {**proof, **spoiled}, ONE_OVER_TWO, space))
    # {a1,a2} is not covered, and could be better
    assert not verifies(by_hand({**claim, "scope": {"subsets": [[1], [0, 1]]}}, proof, ONE_OVER_TWO, space))


@pytest.mark.parametrize("empty", ["better", "worse"])
def test_no_statement_is_about_the_empty_subset(empty):
    claim = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    proof = {"unit": 1, "cuts": [[[0, 1]]], "pieces": AGAINST_SECOND, "witness": [[[0], "1"], [[1], "-1"]]}
    for subset, holds in ([0, 1], True), ([], False):  # by θ both are worth 0
        more = {"better": [0], "worse": [1], "relation": "strict", "weight": "1", empty: subset}
        assert verifies(by_hand(claim, proof, [*ONE_OVER_TWO, more], CONE)) == holds


@pytest.mark.parametrize(
    ("relation", "gained", "holds"),
    [
        ("strict", "-1/2", False),
        ("strict", "0", False),
        ("strict", "1/9", True),
        ("weak", "-1/9", False),
        ("weak", "0", True),
        ("weak", "1/9", True),
        ("equal", "-1/9", False),
        ("equal", "0", True),
        ("equal", "1/9", False),
    ],
)
def test_a_witness_satisfies_each_statement_as_it_was_said(relation, gained, holds):
    claim = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    proof = {"unit": 1, "cuts": [[[0, 1], [1, 0]]], "pieces": AGAINST_SECOND, "witness": [[[0], "1"], [[1], gained]]}
    said = [*ONE_OVER_TWO, *plain(([0, 1], [0], relation))]  # which says this of the second attribute
    assert verifies(by_hand(claim, proof, said, CONE)) == holds
    if relation == "strict":
        for least in ("1/9", "1/8"):
            slice = {**HALF, "delta": least}
            assert verifies(by_hand(claim, proof, said, slice)) == (holds and least == gained)


@pytest.mark.parametrize(
    ("witness", "holds"), [([[0], "1"], True), ([[1], "-1"], True), ([[0], "10/9"], False), ([[1], "-10/9"], False)]
)
def test_a_witness_of_the_slice_has_no_coefficient_beyond_one(witness, holds):
    claim = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    proof = {"unit": 1, "cuts": [[[0, 1]]], "pieces": AGAINST_SECOND, "witness": [witness]}
    assert verifies(by_hand(claim, proof, ONE_OVER_TWO, CONE))
    assert verifies(by_hand(claim, proof, ONE_OVER_TWO, HALF)) == holds


def test_a_bound_in_the_slice_by_hand():
    # no coefficient is beyond one, so what one attribute gains on another is 2 at most, whatever was said
    proof = {"unit": 1, "cuts": [[]], "pieces": [{"in": [], "out": [], "cut": 0}], "witness": []}
    said = plain(([0], [1], "weak"))
    assert verify(by_hand(over([0], "2"), proof, said, HALF)) == "no subset of the scope gains over 2"
    assert not verifies(by_hand(over([0], "199/100"), proof, said, HALF))
    # nor is a bound below what a subset gains on itself
    strictly = {**proof, "cuts": [[[0, 1]]], "pieces": AGAINST_SECOND, "witness": [[[0], "1"]]}
    among = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    assert verifies(by_hand(among, strictly, ONE_OVER_TWO, HALF))
    assert not verifies(by_hand({**among, "bound": "-1/2"}, strictly, ONE_OVER_TWO, HALF))
    # the two together are too many to be chosen, and need no piece then
    narrow = {**proof, "pieces": AGAINST_SECOND}
    assert verifies(by_hand(over([0], "2", max_size=1), narrow, said, HALF))
    assert not verifies(by_hand(over([0], "2"), narrow, said, HALF))


def test_a_proof_by_steps_by_hand():
    # each attribute that is missing gains something, so that both together are best
    pieces = ([0], [1], 0, 1), ([1], [0], 1, 0)
    proof = stepping([[[1, 1]], [[0, 1], [1, 1]]], *pieces, witness=[[[0], "1"], [[1], "1/2"]])
    for space in (CONE, HALF):
        assert verify(by_hand(over([0, 1]), proof, STEEP, space)) == "the subset is optimal in the scope"
    for claim in (over([0]), over([0, 1], drop=[1]), {**over([0, 1]), "scope": {"subsets": [[0], [1]]}}):
        assert not verifies(by_hand(claim, proof, STEEP, HALF))


def test_a_rejection_in_the_exact_set_by_hand():
    # what {a2} gains on {a1} is minus the one row
    claim = {"kind": "rejected", "subset": [1], "evaluated": [[0]]}
    proof = {"unit": 1, "multipliers": [[0, 1]], "rivals": [[[0], 1]], "witness": [[[0], "1"]]}
    said = "the subset is not potentially optimal: every utility of the set prefers some evaluated one"
    assert verify(by_hand(claim, proof, ONE_OVER_TWO, CONE)) == said
    assert verify(by_hand(claim, proof, ONE_OVER_TWO, HALF)) == said
    # in the slice rounded multipliers will do, as long as 2 is less than δ = 1/2 times the multiplier of the row
    for multiplier, holds in ((5, True), (4, False)):
        rounded = {**proof, "multipliers": [[0, multiplier]], "rivals": [[[0], multiplier - 1]]}
        assert verifies(by_hand(claim, rounded, ONE_OVER_TWO, HALF)) == holds
        assert not verifies(by_hand(claim, rounded, ONE_OVER_TWO, CONE))


def test_a_contradiction_by_hand():
    for second, multiplier in ((([1], [0], "strict"), 1), (([0], [1], "equal"), -1), (([1], [0], "weak"), 1)):
        said = [*ONE_OVER_TWO, *plain(second)]
        contradiction = by_hand(
            {"kind": "inconsistent"}, {"unit": 1, "multipliers": [[0, 1], [1, multiplier]]}, said, CONE
        )
        assert verify(contradiction) == "no utility satisfies all statements"
        with pytest.raises(CertificateError, match="no contradiction is shown"):
            verify({**contradiction, "set": HALF})


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({"tau": "0"}, True),
        ({"tau": "-1/10"}, False),
        ({"C": "0"}, False),
        ({"C": "-3"}, False),
        ({"w": ["0"]}, False),
        ({"w": ["-1"]}, False),
        ({"weight": "0"}, False),
        ({"weight": "-1"}, False),
    ],
)
def test_what_counts_in_the_parsimonious_set_has_a_price(changes, holds):
    claim = {"kind": "regret", "subset": [0], "bound": "9", "scope": {"subsets": [[1]]}}
    proof = {"unit": 1, "simple": [[[0], "1"]], "strain": [], "cuts": [[]], "pieces": AGAINST_SECOND}
    said = [{**ONE_OVER_TWO[0], "weight": changes.get("weight", "1")}]
    forged = by_hand(claim, proof, said, {**parsimonious(), **changes})
    assert verifies(forged) == holds
    if not holds:
        with pytest.raises(CertificateError, match="has the wrong sign"):
            verify(forged)


def test_a_rejection_in_the_parsimonious_set_by_hand():
    # J* = 1 with θ_1 = 1; to put {a2} first costs the slack: min over θ_1 = θ_2 of C·1 = 3 > B = 1 + τ
    claim = {"kind": "rejected", "subset": [1], "evaluated": [[0], [1]]}
    space = {"kind": "parsimonious", "tau": "1/10", "C": "3", "w": ["1"], "degree": 1}
    proof = {"unit": 1, "simple": [[[0], "1"]], "strain": [], "multipliers": [[0, 3]], "rivals": [[[0], 3]]}
    assert verifies(by_hand(claim, proof, ONE_OVER_TWO, space))
    # small numbers prove the same, so that κ is below 1
    assert verifies(by_hand(claim, {**proof, "multipliers": [[0, 1]], "rivals": [[[0], 1]]}, ONE_OVER_TWO, space))
    # what is passed over was not measured, and whoever was measured may count for nothing
    assert verifies(by_hand({**claim, "evaluated": [[0]]}, proof, ONE_OVER_TWO, space))
    assert verifies(by_hand(claim, {**proof, "rivals": [[[0], 3], [[1], 0]]}, ONE_OVER_TWO, space))
    # J_v = 3 is proven, so τ may go to 2 and no further
    assert verifies(by_hand(claim, proof, ONE_OVER_TWO, {**space, "tau": "1999/1000"}))
    assert not verifies(by_hand(claim, proof, ONE_OVER_TWO, {**space, "tau": "2"}))
    assert not verifies(by_hand({**claim, "subset": [0]}, proof, ONE_OVER_TWO, space))
    assert not verifies(by_hand({**claim, "evaluated": [[1]]}, proof, ONE_OVER_TWO, space))
    assert not verifies(by_hand(claim, {**proof, "rivals": [[[0], -3]]}, ONE_OVER_TWO, space))
    # {a1} is not rejected: what it gains on {a2} adds to what the statement says, and nothing said proves no cost
    assert not verifies(by_hand({**claim, "subset": [0]}, {**proof, "rivals": [[[1], 3]]}, ONE_OVER_TWO, space))
    nothing = {**proof, "simple": [], "multipliers": [], "rivals": [[[0], 1]]}
    with pytest.raises(CertificateError, match="not shown to cost more"):
        verify(by_hand({**claim, "subset": [0]}, nothing, ONE_OVER_TWO, {**space, "C": "1/2"}))


def test_every_candidate_that_is_said_to_lose_has_its_gap():
    claim = {"kind": "least", "subset": [0], "candidates": [[1]], "evaluated": [[0], [1]], "floor": "2"}
    proof = {"unit": 1, "witness": [[[0], "1"]], "thetas": [[[[0], "1"], [[1], "-1"]]], "gaps": [[0, [0]]]}
    space = {"kind": "slice", "degree": 1, "delta": "1/1000"}
    assert verify(by_hand(claim, proof, ONE_OVER_TWO, space)) == "every candidate may lose 2 or more"
    assert not verifies(by_hand({**claim, "candidates": [[1], [0]]}, proof, ONE_OVER_TWO, space))
    assert not verifies(by_hand({**claim, "floor": "2001/1000"}, proof, ONE_OVER_TWO, space))
    assert not verifies(by_hand({**claim, "evaluated": [[1], [0, 1]]}, proof, ONE_OVER_TWO, space))


def test_a_utility_that_costs_exactly_what_is_allowed_is_in_the_parsimonious_set():
    claim = {"kind": "possible", "subset": [0], "evaluated": [[0], [1]]}
    space = {"kind": "parsimonious", "tau": "1/10", "C": "3", "w": ["1"], "degree": 1}
    proof = {"unit": 1, "least": [[0, 1]], "strained": [[[0], "1"]], "theta": [[[0], "11/10"]]}  # J* = 1, B = 11/10
    said = "the subset is potentially optimal: a utility of the set ranks it first"
    assert verify(by_hand(claim, proof, ONE_OVER_TWO, space)) == said
    assert not verifies(by_hand(claim, {**proof, "theta": [[[0], "111/100"]]}, ONE_OVER_TWO, space))


def test_a_piece_in_the_parsimonious_set_by_hand():
    # f({a2}) − f({a1}) is minus the one row, of which at most B = 1.1 of C = 3 is slack
    claim = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    space = {"kind": "parsimonious", "tau": "1/10", "C": "3", "w": ["1"], "degree": 1}
    pieces = [{"in": [1], "out": [0], "cut": 0}]
    proof = {"unit": 1, "simple": [[[0], "1"]], "strain": [], "cuts": [[[0, 1]]], "pieces": pieces}
    assert verifies(by_hand(claim, proof, ONE_OVER_TWO, space))
    assert not verifies(by_hand(claim, proof, ONE_OVER_TWO, {**space, "C": "1"}))


def test_the_slack_of_a_contradiction_lowers_the_unit_of_prices():
    # a1 ≻ a2 and a2 ≻ a1: J* = 2C with θ = 0, S* = 2, N = w_1, so B = 2C + τ; the strain must be proven
    statements = [*ONE_OVER_TWO, {"better": [1], "worse": [0], "relation": "strict", "weight": "1"}]
    theirs = ParsimoniousSet(2, [1, 2, 3], [stated(1, 2), stated(2, 1)], Parsimony(tau=1.0, slack=3.0, degree=1))
    assert theirs.budget == pytest.approx(7.0)
    certificate = certify_optimal(theirs, 1, Family(2), 1.01)
    assert certificate["statements"] == statements
    assert certificate["proof"]["strain"] == [[0, 1], [1, 1]]
    assert verifies(certificate)
    without = {**certificate, "proof": {**certificate["proof"], "strain": []}}
    assert not verifies(without)  # B is then at most 12, and the bound no longer proven


def parsimonious(tau="1/10", C="3"):
    return {"kind": "parsimonious", "tau": tau, "C": C, "w": ["1"], "degree": 1}


def plain(*statements):
    return [{"better": b, "worse": w, "relation": r, "weight": "1"} for b, w, r in statements]


CONE = {"kind": "cone", "degree": 1}
HALF = {"kind": "slice", "delta": "1/2", "degree": 1}
AGAINST_FIRST = [{"in": [0], "out": [1], "cut": 0}]
AGAINST_SECOND = [{"in": [1], "out": [0], "cut": 0}]
BOTH_WAYS = [*ONE_OVER_TWO, *plain(([1], [0], "strict"))]
#: θ_2 ≥ 1 and θ_1 ≥ θ_2 + 1, so that J* = 3
STEEP = [*ONE_OVER_TWO, *plain(([0, 1], [0], "strict"))]


def over(subset, bound="0", **scope):
    """A claim about a family."""
    whole = {"keep": [], "drop": [], "max_size": 2, **scope}
    return {"kind": "regret", "subset": subset, "bound": bound, "scope": whole}


def stepping(cuts, *pieces, witness):
    """A proof by pieces [in, out, cut, flip], flip None where the piece is no step."""
    plain = [{"in": i, "out": o, "cut": c} | ({} if flip is None else {"flip": flip}) for i, o, c, flip in pieces]
    return {"unit": 1, "cuts": cuts, "pieces": plain, "witness": witness}


#: That it would cost 11/2 to put {a2} first: less than B = 6.
STEEPLY = {"unit": 1, "simple": [[[0], "2"], [[1], "1"]], "multipliers": [[0, 7], [1, 4]], "rivals": [[[0], 5]]}
#: θ_1 may be nothing, and would be worth so much: the set says what that costs, in either direction.
NOTHING = {
    "up": plain(([0], [1], "strict"), ([0, 2], [2], "equal")),
    "down": plain(([0], [1], "strict"), ([2], [0, 2], "equal")),
}
#: θ_3 ≤ −1, beside two statements that contradict each other, the second or the first of them heavier
BESIDE = plain(([1], [1, 2], "strict"))
HEAVIER = [*BOTH_WAYS[:1], {**BOTH_WAYS[1], "weight": "2"}, *BESIDE]
HEAVIER_THAN_EQUAL = [{**ONE_OVER_TWO[0], "weight": "2"}, *plain(([0], [1], "equal")), *BESIDE]
WITHOUT_THIRD = [{"in": [1], "out": [0, 2], "cut": 0}]

#: False claims that only one step of the verifier stands against: (what is tried, claim, proof, statements, set).
ATTACKS = [
    (
        "an undecided attribute is taken at its better value",
        {"kind": "regret", "subset": [0, 1], "bound": "0", "scope": {"keep": [], "drop": [], "max_size": 2}},
        {"unit": 1, "cuts": [[]], "pieces": [{"in": [], "out": [], "cut": 0}], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "a statement is turned round by a negative multiplier",
        {"kind": "regret", "subset": [1], "bound": "0", "scope": {"subsets": [[0]]}},
        {"unit": 1, "cuts": [[[0, -1]]], "pieces": AGAINST_FIRST, "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        CONE,
    ),
    (
        "a gain is turned round by a negative unit",
        {"kind": "regret", "subset": [1], "bound": "0", "scope": {"subsets": [[0]]}},
        {"unit": -1, "cuts": [[[0, 1]]], "pieces": AGAINST_FIRST, "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        CONE,
    ),
    (
        "what two attributes are worth together is forgotten",
        {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[0, 1]]}},
        {"unit": 1, "cuts": [[[0, 1]]], "pieces": [{"in": [0, 1], "out": [2], "cut": 0}], "witness": [[[1], "-1"]]},
        plain(([2], [1, 2], "strict")),
        {**CONE, "degree": 2},
    ),
    (
        "a rival is turned round by a negative multiplier",
        {"kind": "rejected", "subset": [0], "evaluated": [[0], [1]]},
        {"unit": 1, "multipliers": [[0, 1]], "rivals": [[[1], -1]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "a rival is turned round beside one that counts for nothing",
        {"kind": "rejected", "subset": [0], "evaluated": [[0], [1]]},
        {"unit": 1, "multipliers": [[0, 1]], "rivals": [[[1], -1], [[0], 0]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "what the subset gains is taken off what was said",
        {"kind": "rejected", "subset": [0], "evaluated": [[0], [1]]},
        {"unit": 1, "multipliers": [[0, 1]], "rivals": [[[1], 1]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "a subset is rejected for nothing",
        {"kind": "rejected", "subset": [0], "evaluated": [[0], [1]]},
        {"unit": 1, "multipliers": [], "rivals": [[[1], 0]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "a θ costs more than the budget",
        {"kind": "possible", "subset": [1], "evaluated": [[0], [1]]},
        {"unit": 1, "least": [[0, 1]], "strained": [[[0], "1"]], "theta": []},
        ONE_OVER_TWO,
        parsimonious(),
    ),
    (
        "the unit of prices sinks below w_1",
        {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}},
        {"unit": 1, "simple": [], "strain": [[0, 1], [1, 1]], "cuts": [[[0, 3], [1, 3]]], "pieces": AGAINST_SECOND},
        BOTH_WAYS,
        parsimonious(tau="1"),
    ),
    (
        "slack is claimed by multipliers that do not cancel",
        {"kind": "regret", "subset": [1], "bound": "2", "scope": {"subsets": [[0]]}},
        {
            "unit": 1,
            "simple": [[[0], "2"], [[1], "1"]],
            "strain": [[0, 1]],
            "cuts": [[[1, 2]]],
            "pieces": AGAINST_FIRST,
        },
        STEEP,
        parsimonious(tau="1", C="10"),
    ),
    (
        "slack is claimed by multipliers of which one attribute is left",
        {"kind": "rejected", "subset": [1], "evaluated": [[0], [1]]},
        {**STEEPLY, "strain": [[1, 1]]},
        STEEP,
        parsimonious(tau="1", C="7/2"),
    ),
    (
        "slack is counted that nobody claimed",
        {"kind": "rejected", "subset": [1], "evaluated": [[0], [1]]},
        {**STEEPLY, "strain": []},
        STEEP,
        parsimonious(tau="1", C="7/2"),
    ),
    (
        "the slack of a heavy statement is claimed of a light one",
        {"kind": "regret", "subset": [1, 2], "bound": "2", "scope": {"subsets": [[1]]}},
        {
            "unit": 1,
            "simple": [[[1], "1"], [[2], "-1"]],
            "strain": [[0, 1], [1, 1]],
            "cuts": [[[0, 3], [1, 4]]],
            "pieces": WITHOUT_THIRD,
        },
        HEAVIER,
        parsimonious(tau="1"),
    ),
    (
        "the slack of an equality counts only one way",
        {"kind": "regret", "subset": [1, 2], "bound": "2", "scope": {"subsets": [[1]]}},
        {
            "unit": 1,
            "simple": [[[0], "1"], [[2], "-1"]],
            "strain": [[0, 1], [1, -1]],
            "cuts": [[[0, 4], [1, -3]]],
            "pieces": WITHOUT_THIRD,
        },
        HEAVIER_THAN_EQUAL,
        parsimonious(tau="1"),
    ),
    *(
        (
            f"a θ breaks an equality {way} for nothing",
            {"kind": "possible", "subset": [0, 1], "evaluated": [[0, 1], [2]]},
            {"unit": 1, "least": [[0, 1]], "strained": [[[1], "-1"]], "theta": [[[0], "1"]]},
            NOTHING[way],
            parsimonious(),
        )
        for way in NOTHING
    ),
    (
        "a coefficient is cheap and taken for dear",
        {"kind": "rejected", "subset": [0], "evaluated": [[0], [1]]},
        {"unit": 1, "simple": [[[0], "1"]], "strain": [], "multipliers": [[0, 1]], "rivals": [[[1], 0]]},
        ONE_OVER_TWO,
        {**parsimonious(), "w": ["1/2"]},
    ),
    (
        "a coefficient below zero costs nothing",
        {"kind": "rejected", "subset": [1], "evaluated": [[1], [0, 1]]},
        {"unit": 1, "simple": [[[0], "-1"]], "strain": [], "multipliers": [[0, 1]], "rivals": [[[0, 1], 0]]},
        plain(([1], [0, 1], "strict")),
        parsimonious(),
    ),
    (
        "a negative multiplier exceeds what its slack costs",
        {"kind": "rejected", "subset": [0], "evaluated": [[0], [1]]},
        {"unit": 1, "simple": [[[0], "1"]], "strain": [], "multipliers": [[0, 3], [1, -3]], "rivals": [[[1], 0]]},
        [*ONE_OVER_TWO, {**ONE_OVER_TWO[0], "relation": "equal", "weight": "1/10"}],
        parsimonious(),
    ),
    (
        "a negative multiplier of a cut exceeds what its slack costs",
        {"kind": "regret", "subset": [1], "bound": "1", "scope": {"subsets": [[0]]}},
        {"unit": 1, "simple": [[[0], "1"]], "strain": [], "cuts": [[[0, 3], [1, -4]]], "pieces": AGAINST_FIRST},
        [*ONE_OVER_TWO, {**ONE_OVER_TWO[0], "relation": "equal", "weight": "1/10"}],
        parsimonious(),
    ),
    (
        "a statement counts once more by its place from the end",
        {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}},
        {
            "unit": 2,
            "simple": [[[0], "1"]],
            "strain": [],
            "cuts": [[[0, 1], [-1, 1]]],
            "pieces": AGAINST_SECOND,
        },
        ONE_OVER_TWO,
        parsimonious(tau="3"),
    ),
    (
        "a multiplier exceeds what its slack costs",
        {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}},
        {"unit": 1, "simple": [[[0], "1"]], "strain": [], "cuts": [[[0, 1]]], "pieces": AGAINST_SECOND},
        ONE_OVER_TWO,
        parsimonious(tau="3"),
    ),
    (
        "a θ leaves the slice",
        {"kind": "possible", "subset": [0, 1], "evaluated": [[0, 1], [0], [1]]},
        {"unit": 1, "theta": [[[0], "9/5"], [[1], "9/10"]], "witness": [[[0], "9/5"], [[1], "9/10"]]},
        STEEP,
        {**HALF, "delta": "9/10"},
    ),
    (
        "a θ prefers a rival",
        {"kind": "possible", "subset": [1], "evaluated": [[0], [1]]},
        {"unit": 1, "theta": [[[0], "1"]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "θ prefers a rival that is worth less than nothing",
        {"kind": "possible", "subset": [1], "evaluated": [[0], [1]]},
        {"unit": 1, "theta": [[[0], "-1/2"], [[1], "-1"]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "θ prefers a rival that is worth twice as much",
        {"kind": "possible", "subset": [1], "evaluated": [[0], [1]]},
        {"unit": 1, "theta": [[[0], "1"], [[1], "1/2"]], "witness": [[[0], "1"]]},
        ONE_OVER_TWO,
        HALF,
    ),
    (
        "a bound is claimed for utilities of any size",
        {"kind": "regret", "subset": [1], "bound": "2", "scope": {"subsets": [[0]]}},
        {"unit": 1, "cuts": [[]], "pieces": [{"in": [0], "out": [1, 2], "cut": 0}], "witness": [[[0], "1"]]},
        plain(([0], [2], "strict")),
        CONE,
    ),
    (
        "something is optimal although nothing strict was said",
        {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}},
        {"unit": 1, "cuts": [[[0, 1]]], "pieces": AGAINST_SECOND, "witness": []},
        plain(([0], [1], "weak")),
        CONE,
    ),
    (
        "a subset is said to be better than itself",
        {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[0, 1]]}},
        {"unit": 1, "cuts": [[[0, 1]]], "pieces": [{"in": [0, 1], "out": [], "cut": 0}], "witness": [[[1], "-1"]]},
        plain(([1], [1], "strict")),
        CONE,
    ),
    (
        "a contradiction is shown by multipliers that do not cancel",
        {"kind": "inconsistent"},
        {"unit": 1, "multipliers": [[0, 1]]},
        ONE_OVER_TWO,
        CONE,
    ),
    (
        "a contradiction is shown by multipliers of which one attribute is left",
        {"kind": "inconsistent"},
        {"unit": 1, "multipliers": [[0, 1]]},
        plain(([0, 1], [1], "strict")),
        CONE,
    ),
    (
        "a contradiction rests on nothing strict",
        {"kind": "inconsistent"},
        {"unit": 1, "multipliers": [[0, 1], [1, 1]]},
        plain(([0], [1], "weak"), ([1], [0], "weak")),
        CONE,
    ),
    (
        "two steps go round in a circle",
        over([1]),
        stepping([[[1, 1]], [[1, -1]]], ([0], [1], 0, 1), ([0, 1], [], 1, 1), witness=[[[0], "1"]]),
        [*ONE_OVER_TWO, *plain(([0, 1], [0], "equal"))],
        HALF,
    ),
    (
        "a step leads to a subset that is too large",
        over([1], max_size=1),
        stepping([[[1, 1]]], ([0], [1], 0, 1), witness=[[[0], "1"], [[1], "1/2"]]),
        [*ONE_OVER_TWO, *plain(([0, 1], [0], "strict"))],
        HALF,
    ),
    (
        "a step leads to nothing",
        over([1]),
        stepping([[[1, 1]]], ([0], [], 0, 0), witness=[[[0], "-1/2"], [[1], "-1"]]),
        [*ONE_OVER_TWO, *plain(([1], [0, 1], "strict"))],
        HALF,
    ),
    (
        "a step leaves out what is kept",
        over([2], keep=[0, 1], max_size=3),
        stepping([[[0, 1]]], ([0, 1], [], 0, 0), witness=[[[0], "-1/2"], [[1], "1"]]),
        plain(([1], [0, 1], "strict"), ([0, 1], [2], "strict")),
        HALF,
    ),
    (
        "a step leads out of a list",
        {"kind": "regret", "subset": [1], "bound": "0", "scope": {"subsets": [[0]]}},
        stepping([[[1, 1]]], ([0], [1], 0, 1), witness=[[[0], "1"], [[1], "1/2"]]),
        [*ONE_OVER_TWO, *plain(([0, 1], [0], "strict"))],
        HALF,
    ),
    (
        "a step gains as much as the whole may",
        over([0], bound="1"),
        stepping([[]], ([], [0], 0, 0), ([0], [], 0, None), witness=[[[1], "1/2"]]),
        plain(([0, 1], [0], "strict")),
        HALF,
    ),
]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "unknown version"),
        ({"proof": {"unit": 0}}, "unknown version or unit"),
        ({"set": {"kind": "ring", "degree": 1, "delta": "1/2"}}, "unknown set"),
        ({"set": {**CONE, "degree": 0}}, "unknown set or degree"),
        ({"set": {**CONE, "degree": 4}}, "unknown set or degree"),
        ({"set": {**CONE, "delta": "1/1000"}}, "wrong margin"),
        ({"set": {**HALF, "delta": "0"}}, "wrong margin"),
        ({"set": {**HALF, "delta": "1"}}, "wrong margin"),
        ({"set": {**HALF, "delta": "-1/2"}}, "wrong margin"),
        ({"statements": [{**ONE_OVER_TWO[0], "relation": "better"}]}, "unknown relation"),
        ({"claim": {"kind": "wishful"}}, "unknown claim"),
    ],
)
def test_what_a_certificate_speaks_of_is_known_or_it_is_refused(changes, words):
    claim = {"kind": "regret", "subset": [0], "bound": "0", "scope": {"subsets": [[1]]}}
    proof = {"unit": 1, "cuts": [[[0, 1]]], "pieces": AGAINST_SECOND, "witness": [[[0], "1"]]}
    sound = by_hand(claim, proof, ONE_OVER_TWO, CONE)
    for space in (CONE, {**CONE, "degree": 2}, {**CONE, "degree": 3}, HALF, {**HALF, "delta": "999/1000"}):
        assert verifies({**sound, "set": space})
    every = [*ONE_OVER_TWO, *plain(([0], [2], "weak"), ([1], [2], "equal"))]
    assert verifies(by_hand(claim, {**proof, "pieces": WITHOUT_THIRD}, every, CONE))
    with pytest.raises(CertificateError, match=words):
        verify({**sound, **changes})


@pytest.mark.parametrize(
    ("claim", "proof", "statements", "space"), [a[1:] for a in ATTACKS], ids=[a[0] for a in ATTACKS]
)
def test_a_false_claim_is_refused_when(claim, proof, statements, space):
    forged = by_hand(claim, proof, statements, space)
    assert not claim_holds(forged)
    with pytest.raises(CertificateError) as refused:
        verify(forged)
    assert "malformed" not in str(refused.value)  # refused for what it says, not for how it is written


@pytest.mark.parametrize(
    ("statements", "multipliers", "strained", "theta", "holds"),
    [
        # J* = 3 and nothing contradicts it: N = 3, and B = 33/10
        (STEEP, [[0, 1], [1, 2]], [[[0], "2"], [[1], "1"]], [[[0], "23/10"], [[1], "1"]], True),
        (STEEP, [[0, 1], [1, 2]], [[[0], "2"], [[1], "1"]], [[[0], "231/100"], [[1], "1"]], False),
        # J* = 6 is slack alone: N = w_1 = 1, and B = 61/10
        (BOTH_WAYS, [[0, 3], [1, 3]], [], [[[0], "1/10"]], True),
        (BOTH_WAYS, [[0, 3], [1, 3]], [], [[[0], "11/100"]], False),
    ],
)
def test_prices_are_counted_in_what_the_consistent_part_costs(statements, multipliers, strained, theta, holds):
    claim = {"kind": "possible", "subset": [0], "evaluated": [[0], [1]]}
    proof = {"unit": 1, "least": multipliers, "strained": strained, "theta": theta}
    assert verifies(by_hand(claim, proof, statements, parsimonious())) == holds


def test_a_text_is_no_list_of_weights():
    statements = plain(([0, 1], [0], "strict"))
    claim = {"kind": "rejected", "subset": [0], "evaluated": [[0], [0, 1]]}
    proof = {"unit": 1, "multipliers": [[0, 20]], "rivals": [[[0, 1], 20]], "simple": [[[1], "1"]], "strain": []}
    space = parsimonious("5", "20")
    assert verifies(by_hand(claim, proof, statements, space))
    for w in ("10.0", "15", "1", {"0": "1"}):
        assert not verifies(by_hand(claim, proof, statements, {**space, "w": w}))


@pytest.mark.parametrize(
    "scope",
    [
        {"keep": [], "drop": [], "max_size": 0},
        {"keep": [], "drop": [], "max_size": -5},
        {"keep": [1], "drop": [1], "max_size": 2},
        {"keep": [], "drop": [0, 1], "max_size": 2},
        {"keep": [0, 1], "drop": [], "max_size": 1},
        {"subsets": []},
        {"keep": [], "drop": [], "max_size": 2, "subsets": []},
        {"keep": [], "drop": [], "max_size": 2, "subsets": [[1]]},
    ],
)
def test_a_scope_without_a_subset_proves_nothing(scope):
    claim = {"kind": "regret", "subset": [1], "bound": "0", "scope": scope}
    proof = {"unit": 1, "cuts": [], "pieces": [], "witness": [[[0], "1"]]}
    assert not verifies(by_hand(claim, proof, ONE_OVER_TWO, CONE))
    with pytest.raises(CertificateError, match=r"gap|scope|malformed"):
        verify(by_hand(claim, proof, ONE_OVER_TWO, CONE))


def test_a_monomial_above_the_degree_is_refused():
    claim = {"kind": "possible", "subset": [0], "evaluated": [[0], [1]]}
    proof = {"unit": 1, "witness": [[[0], "1/2"]], "theta": [[[0], "1/2"]]}
    assert verifies(by_hand(claim, proof, ONE_OVER_TWO, {**HALF, "degree": 2, "support": [[0, 1]]}))
    assert not verifies(by_hand(claim, proof, ONE_OVER_TWO, {**HALF, "support": [[0, 1]]}))


def test_light_statements_that_contradict_each_other_are_certified_too():
    # every multiplier is at most one half: the nearest whole numbers are all 0, which cancels and proves nothing
    light = [Statement(2, 1, Relation.EQUAL), Statement(2, 1, weight=0.3)]
    theirs = ParsimoniousSet(2, [1, 2], light, Parsimony(0.5, 10.0, (1.0, 2.0, 4.0), 2))
    assert rational_combination([[0, 1], [0, -1]], [0, 0], [0.5, 0.5]) == [Fraction(1, 2)] * 2
    for certificate in (
        certify_best_among(theirs, 2, [1, 2], bound=None),
        certify_optimal(theirs, 2, Family(2, keep=2), bound=None),
    ):
        assert certificate is not None
        assert certificate["proof"]["strain"]
        assert verifies(certificate)
        assert claim_holds(certificate)


def test_multipliers_are_rationalised_exactly():
    rows = [[1, -1, 0], [0, 1, -1], [-1, 0, 1]]
    assert rational_combination(rows, [0, 0, 0], [0.33333, 0.333334, 0.33333]) is not None
    # whole numbers would cancel, too, but they are far from where the solver was and prove less
    near = [Fraction(1), Fraction(2, 5), Fraction(1), Fraction(2, 5)]
    assert rational_combination([[1], [1], [-1], [-1]], [0], [1, 0.4, 1, 0.4]) == near
    exact = rational_combination([[3, 0], [0, 7]], [1, 1], [0.3333333333, 0.142857142857])
    assert exact == [Fraction(1, 3), Fraction(1, 7)]
    assert rational_combination([[1, 0], [2, 0]], [0, 1], [1.0, 1.0]) is None


@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_multipliers_are_rationalised_close_to_where_the_solver_was(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, size=(200, 150)) * (rng.random((200, 150)) < 0.1)
    free = rng.integers(1, 9, size=50) / 8  # the last fifty are plain, the others whatever cancels them
    near = np.concatenate([np.linalg.lstsq(rows[:150].T.astype(float), -free @ rows[150:], rcond=None)[0], free])
    assert np.abs(near @ rows).max() < 1e-9
    exact = rational_combination(rows.tolist(), [0] * 150, near.tolist())
    assert exact is not None
    assert exact[150:] == [Fraction(x) for x in free.tolist()]
    assert [float(x) for x in exact] == pytest.approx(near.tolist(), abs=1e-6)
    assert all(sum(x * int(row[k]) for x, row in zip(exact, rows, strict=True) if row[k]) == 0 for k in range(150))


def test_the_verifier_is_short_and_loads_no_solver():
    assert len(Path(verifier.__file__).read_text(encoding="utf-8").splitlines()) < 200
    loaded = "import sys, elicit.utility.verify; print({'highspy', 'pulp', 'scipy'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def by_pieces(pieces, cuts, n=3):
    """What no rival of the first attribute gains is bounded by these."""
    claim = {"kind": "regret", "subset": [0], "bound": "1000", "scope": {"subsets": [[1]]}}
    space = {"kind": "parsimonious", "tau": "0", "C": "10", "w": ["1", "2"], "degree": 2}
    proof = {"unit": 1, "simple": [], "strain": [], "cuts": cuts, "pieces": pieces}
    return {**by_hand(claim, proof, ONE_OVER_TWO, space), "n": n}


def test_more_pieces_than_a_search_may_keep_are_refused_though_they_are_the_same():
    piece = {"in": [1], "out": [0, 2], "cut": 0}
    assert verifies(by_pieces([piece] * 5, [[]]))
    with pytest.raises(CertificateError, match="more than 10000 pieces are too many to check"):
        verify(by_pieces([piece] * 10_001, [[]]))


def test_statements_that_would_fill_the_memory_are_refused_before_they_do():
    large = {"better": list(range(300)), "worse": list(range(1, 301)), "relation": "strict", "weight": "1"}
    certificate = by_pieces([{"in": [1], "out": [0, *range(2, 301)], "cut": 0}], [[]], 301)
    with pytest.raises(CertificateError, match="hold 21672000 monomials are too many to check"):
        verify({**certificate, "statements": [large] * 240})


def hostile(n=12, statements=(), **proof):
    """A proof that is taken, but for what of it is long."""
    claim = {"kind": "least", "subset": [0], "floor": "0", "evaluated": [[0], [1]], "candidates": []}
    space = {"kind": "parsimonious", "tau": "1", "C": "10", "w": ["1", "2"], "degree": 2}
    empty = {"unit": 1, "simple": [], "strain": [], "least": [[0, 1]], "strained": [], "thetas": [], "gaps": []}
    stated = [{"better": [0], "worse": [1], "relation": "strict", "weight": "1"}, *statements]
    return {**by_hand(claim, {**empty, **proof}, stated, space), "n": n}


LARGE = {"better": list(range(12)), "worse": [0], "relation": "strict", "weight": "1/1000"}
CUBES = [{"in": [i], "out": list(range(i)), "cut": i} for i in range(12)]
FAMILY = {"kind": "regret", "subset": [0], "bound": "1000000", "scope": {"keep": [], "drop": [], "max_size": 12}}


@pytest.mark.parametrize(
    "certificate",
    [
        hostile(statements=[LARGE] * 50),
        hostile(thetas=[[[[0], "1"]]] * 50),
        hostile(thetas=[[[[i], f"1/{10**1000 + i}"] for i in range(3)]]),
        {**hostile(cuts=[[[0, i + 1]] for i in range(12)], pieces=CUBES), "claim": FAMILY},
        {**hostile(cuts=[[[0, 10**3000]] for i in range(3)] * 4, pieces=CUBES), "claim": FAMILY},
    ],
    ids=["statements", "utilities", "digits of a utility", "pieces", "digits of multipliers"],
)
def test_a_proof_that_would_take_for_ever_is_refused_before_it_does(certificate, monkeypatch):
    usual = Steps().left
    monkeypatch.setattr("elicit.utility.terms.Steps", lambda: Steps(1500))
    with pytest.raises(CertificateError, match=f"more than {usual} steps take too long to check"):
        verify(certificate)
    assert verifies({**hostile(), "n": 3})


SAME = (1 << 61) - 1  # whole numbers that differ by it have the same hash


def test_weights_of_the_same_hash_are_not_compared_with_each_other(monkeypatch):
    compared, plain = [0], Fraction.__eq__

    def counted(one, other):
        compared[0] += 1
        return plain(one, other)

    weights = [f"{i * SAME + 1}" for i in range(100)]
    certificate = hostile(
        statements=[{"better": [0], "worse": [1], "relation": "strict", "weight": weight} for weight in weights]
    )
    monkeypatch.setattr(Fraction, "__eq__", counted)
    verifies(certificate)
    assert 0 < compared[0] < 10 * len(weights), "each with all others would be five thousand"


def test_multipliers_of_no_statement_are_refused_at_the_first_of_them():
    read = []

    class Listed(list):
        def __iter__(self):
            for item in super().__iter__():
                read.append(item)
                yield item

    with pytest.raises(CertificateError, match=f"there is no statement {SAME}"):
        verify(hostile(least=Listed([i * SAME, 0] for i in range(1000)), thetas=[[]]))
    assert len(read) == 2


@pytest.mark.parametrize(
    ("what", "claim", "proof"),
    [
        ("evaluated subsets", {"evaluated": [[0]] * 100_001}, {}),
        ("candidates", {"candidates": [[1]] * 100_001}, {"gaps": [[0, [0]]] * 100_001}),
        ("rivals", {"kind": "rejected"}, {"rivals": [[[0], 1]] * 100_001}),
    ],
)
def test_more_subsets_than_can_be_looked_up_are_refused(what, claim, proof):
    certificate = hostile(**proof)
    certificate["claim"] |= claim
    with pytest.raises(CertificateError, match=f"more than 100000 {what} are too many to check"):
        verify(certificate)


def test_more_cuts_than_pieces_are_refused():
    piece = {"in": [1], "out": [0, 2], "cut": 0}
    with pytest.raises(CertificateError, match="more than 1 cuts are too many to check"):
        verify(by_pieces([piece], [[], []]))


def test_a_cut_that_no_piece_uses_is_not_worked_out():
    piece = {"in": [1], "out": [0, 2], "cut": 0}
    assert verifies(by_pieces([piece, piece], [[], [[99, 1]]]))
    with pytest.raises(CertificateError, match="there is no statement 1"):
        verify(by_pieces([piece, {**piece, "cut": 1}], [[], [[1, 1]]]))


@pytest.mark.parametrize("space", ["parsimonious", "exact"])
def test_what_one_theta_at_hand_refutes_takes_no_program(monkeypatch, space):
    case = random_case(np.random.default_rng(2), n=5, evaluated=9, answers=4)
    theirs = case.parsimonious() if space == "parsimonious" else case.exact(case.statements[:3])
    values = theirs.inside.values(theirs.evaluated)
    worst, best = theirs.evaluated[int(values.argmin())], theirs.evaluated[int(values.argmax())]
    monkeypatch.setattr(theirs, "maximum", None)
    assert certify_best_among(theirs, worst, [best]) is None
