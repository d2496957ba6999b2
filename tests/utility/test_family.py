"""What holds over a whole family: three ways to it, one value, and that is the judge's."""

import warnings
from functools import cache
from itertools import pairwise

import judge
import numpy as np
import pulp
import pytest
from instances import BAND, BATCHES, NEAR, batch, plainly, random_case, stated

from elicit.errors import InputError
from elicit.subsets import Family, simplest
from elicit.utility.certificates import certify_optimal
from elicit.utility.exact import ExactSet
from elicit.utility.family import (
    _bound_by_cuts,
    _Search,
    climb,
    family_regret,
    interior_theta,
    programmed_regret,
    regret_over,
)
from elicit.utility.monomials import Monomials, Utility
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.partition import Partition, partition
from elicit.utility.scopes import within_flips
from elicit.utility.tolerances import NUDGE
from elicit.utility.verify import verify

UNIT = 1e-6


def sets(case):
    """Both sets of a case, each with the judge's regret of x over ys; an empty slice is left out."""

    def regret_by(most):
        return lambda x, ys: max([0.0, *(most(judge.difference(y, x)) for y in ys if y != x)])

    found = [(case.parsimonious(), regret_by(case.most_in_budget))]
    if case.consistent:
        exact = case.exact()
        found.append((exact, regret_by(lambda form: case.most_in_slice(form, exact.delta))))
    return found


def families(case, rng):
    """All subsets, and a family with something kept, something dropped and a size."""
    n = case.told.n
    everything = (1 << n) - 1
    keep = 1 << int(rng.integers(0, n)) if rng.random() < 0.5 else 0
    drop = int(rng.integers(0, everything + 1)) & ~keep if rng.random() < 0.5 else 0
    drop = 0 if drop == everything else drop
    size = int(rng.integers(1, n + 1)) if rng.random() < 0.6 else None
    return [Family(n), Family(n, keep, drop, size)]


def listed(family):
    return judge.family(family.n, family.keep, family.drop, family.max_size)


# The judge


@pytest.mark.parametrize("k", BATCHES)
def test_the_regret_over_a_family_agrees_with_the_judge(k):
    for case in batch(k):
        rng = case.rng()
        for theirs, judged in sets(case):
            for family in families(case, rng):
                members = listed(family)
                assert sorted(family) == members
                x = members[int(rng.integers(0, len(members)))]
                expected = judged(x, members)
                found = family_regret(theirs, x, family)
                assert found.lower == pytest.approx(expected, abs=NEAR)
                assert found.upper == pytest.approx(expected, abs=NEAR)
                assert found.upper >= found.lower
                check_rival(theirs, found)
                if found.rival is not None:
                    assert found.rival in family
                check_decision(case, found.optimal, expected)
                decided = family_regret(theirs, x, family, decide_only=True)
                check_decision(case, decided.optimal, expected)
                assert decided.lower <= expected + NEAR
                assert decided.upper >= expected - NEAR


@pytest.mark.parametrize("k", BATCHES)
def test_a_rival_that_is_named_spares_the_search_and_any_other_changes_no_decision(k, monkeypatch):
    rng, spared = np.random.default_rng([77, k]), 0
    for case in batch(k):
        for utilities, regret_of in sets(case):
            for family in families(case, rng):
                x, *others = rng.permutation(list(family)).tolist()
                found = family_regret(utilities, x, family, decide_only=True)
                again = family_regret(utilities, x, family, decide_only=True, rivals=others)
                assert again.optimal == found.optimal
                assert again.lower <= regret_of(x, others) + UNIT
                if found.proof is not None and found.optimal is False and utilities.informative:
                    with monkeypatch.context() as without:
                        without.setattr("elicit.utility.family.partition", None)
                        assert family_regret(utilities, x, family, decide_only=True, rivals=others).optimal is False
                    spared += 1
    assert spared, "in no case the first look found nothing"


@pytest.mark.parametrize("seed", range(4))
def test_every_cut_holds_for_every_member_and_few_of_them_close_the_gap(seed):
    rng, family = np.random.default_rng(seed), Family(6)
    monomials = Monomials.full(6, 2)
    truth = Utility.of(monomials, rng.normal(size=len(monomials)))
    order = sorted(rng.choice(range(1, 1 << 6), 8, replace=False).tolist(), key=truth, reverse=True)
    said = [stated(a, b, ["strict", "weak"][k % 2]) for k, (a, b) in enumerate(pairwise(order))]
    theirs = ExactSet(6, order, said, degree=2)
    for x in (order[0], order[-1]):
        most, told = regret_over(theirs, x, family).lower, []
        search = _Search(theirs, x, family)  # with no rival found beforehand, the bounds alone say where to look
        upper = _bound_by_cuts(theirs, x, family, search, lambda *bounds, told=told: told.append(bounds))
        assert upper == pytest.approx(most, abs=NEAR)
        assert search.lower == pytest.approx(most, abs=NEAR)
        assert all(lower <= most + NEAR and upper >= most - NEAR for lower, upper in told)
        assert [upper for _, upper in told] == sorted((upper for _, upper in told), reverse=True)
        assert len(told) <= family.count() // 3


def test_cuts_end_when_they_are_told_to():
    theirs, family, told = ExactSet(4, [1, 2], [stated(1, 2)]), Family(4), []
    whole = family_regret(theirs, 1, family)
    upper = _bound_by_cuts(theirs, 1, family, _Search(theirs, 1, family), lambda *bounds: told.append(bounds) or True)
    assert len(told) == 1
    assert upper == told[0][1] >= whole.lower


@pytest.mark.parametrize("k", BATCHES)
def test_the_regret_over_a_list_agrees_with_the_judge(k):
    for case in batch(k):
        rng = case.rng()
        for theirs, judged in sets(case):
            x = int(rng.choice(case.told.evaluated))
            flips = within_flips(x, 1, Family(case.told.n))
            for rivals in (case.told.evaluated, flips, []):
                expected = judged(x, rivals)
                found = regret_over(theirs, x, rivals)
                assert found.lower == found.upper == pytest.approx(expected, abs=NEAR)
                check_rival(theirs, found)
                check_decision(case, found.optimal, expected)
                check_decision(case, regret_over(theirs, x, rivals, decide_only=True).optimal, expected)


@pytest.mark.parametrize("k", BATCHES)
def test_the_mixed_integer_program_agrees_with_the_judge(k):
    for case in batch(k)[::2]:
        rng = case.rng()
        for theirs, judged in sets(case):
            for family in families(case, rng):
                members = listed(family)
                x = members[int(rng.integers(0, len(members)))]
                expected = judged(x, members)
                found = programmed_regret(theirs, x, family)
                assert found.lower == pytest.approx(expected, abs=10 * NEAR)
                assert found.upper == pytest.approx(expected, abs=10 * NEAR)
                if abs(expected) > 5 * BAND or expected == 0:
                    check_decision(case, found.optimal, expected)
                if found.rival is not None:
                    assert found.rival in family
                    assert found.rival != x


def check_rival(theirs, found):
    """The rival and the witness reach the lower bound, as a program confirms."""
    if found.rival is None:
        assert found.lower <= NEAR
    else:
        assert found.witness(found.rival) - found.witness(found.subset) == pytest.approx(found.lower, abs=NEAR)
        assert theirs.maximum({found.rival: 1.0, found.subset: -1.0}).value == pytest.approx(found.lower, abs=NEAR)


def check_decision(case, optimal, regret):
    """Without a strict statement nothing is necessarily optimal; in the band it may go either way."""
    if not case.informative or regret > BAND:
        assert optimal is False
    elif regret <= 1e-8:
        assert optimal is True


# CBC is a process of its own each time
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3))])
def test_the_mixed_integer_program_agrees_with_cbc(seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=5, evaluated=7, answers=4, degree=2)
    for theirs, _ in sets(case):
        family = Family(5, max_size=[None, 3][seed % 2])
        x = next(v for v in case.told.evaluated if v in family)
        expected = by_cbc(theirs, x, family)
        assert programmed_regret(theirs, x, family).lower == pytest.approx(expected, abs=1e-5)
        assert family_regret(theirs, x, family).lower == pytest.approx(expected, abs=1e-5)


def by_cbc(theirs, x, family):
    """The same maximum, written out once more and solved by CBC: y picks one member, θ is free to favour it."""
    monomials = theirs.monomials
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        problem = pulp.LpProblem("cross_check", pulp.LpMaximize)
        exact = isinstance(theirs, ExactSet)
        most = [1.0 if exact else theirs.budget / theirs.settings.weights[d - 1] for d in monomials.degrees]
        theta = [pulp.LpVariable(f"t{k}", -b, b) for k, b in enumerate(most)]
        size = [pulp.LpVariable(f"a{k}", 0) for k in range(len(theta))]
        gain = pulp.LpVariable("gain")
        problem += gain
        big, picks = 2 * sum(most), []
        for y in listed(family):
            pick = pulp.LpVariable(f"pick{y}", cat=pulp.LpBinary)
            picks.append(pick)
            row = monomials.row(y) - monomials.row(x)
            problem += gain <= pulp.lpSum(float(c) * t for c, t in zip(row, theta, strict=True)) + big * (1 - pick)
        problem += pulp.lpSum(picks) == 1
        paid = []
        for r, s in enumerate(theirs.statements):
            row = monomials.row(s.better) - monomials.row(s.worse)
            gained = pulp.lpSum(float(c) * t for c, t in zip(row, theta, strict=True))
            slack = 0 if exact else pulp.LpVariable(f"s{r}", 0)
            problem += gained + slack >= ((theirs.delta if exact else 1.0) if s.strict else 0.0)
            if s.relation.value == "equal":
                problem += gained - slack <= 0
            if not exact:
                paid.append(float(theirs.limits[r]) * slack)
        if not exact:
            for t, a, d in zip(theta, size, monomials.degrees, strict=True):
                problem += a >= t
                problem += a >= -t
                paid.append(theirs.settings.weights[d - 1] * a)
            problem += pulp.lpSum(paid) <= theirs.budget
        problem.solve(pulp.PULP_CBC_CMD(msg=False, gapRel=0, gapAbs=1e-8))
        assert pulp.LpStatus[problem.status] == "Optimal"
        return gain.value()


# Branch and bound


@pytest.mark.parametrize("k", BATCHES)
def test_the_pieces_cover_the_family_and_each_bound_holds(k):
    for case in batch(k)[::3]:
        rng = case.rng()
        for theirs, _ in sets(case):
            for family in families(case, rng):
                members = listed(family)
                x = members[int(rng.integers(0, len(members)))]
                proof = partition(theirs, x, family)
                for y in members:
                    if y != x:
                        gain = theirs.maximum({y: 1.0, x: -1.0}).value
                        over = [p.bound for p in proof.pieces if y & p.inside == p.inside and not y & p.outside]
                        assert over, "a member in no piece"
                        assert gain <= min(over) + NEAR
                assert all(p.bound <= proof.upper for p in proof.pieces)
                # what is rounded for a certificate needs a hair to spare; one subset has none where it gains the most
                several = [p for p in proof.pieces if p.inside | p.outside != (1 << case.told.n) - 1]
                assert all(p.bound <= proof.upper - NUDGE for p in several)


def told_apart(n, best):
    """A slice of degree 1 in which every attribute is said to belong in or not, beside some other attribute."""
    said = []
    for i in range(n):
        with_it, without = 1 << i | 1 << (i + 1) % n, 1 << (i + 1) % n
        said.append(stated(with_it, without) if best >> i & 1 else stated(without, with_it))
    return said


@pytest.mark.parametrize(("n", "step"), [(3, 1), (4, 3)])
def test_what_attributes_do_apart_is_decided_as_the_judge_does(n, step):
    for best in range(0, 1 << n, step):
        said = told_apart(n, best)
        if not best:  # nothing belongs in: then it is the least bad alone
            best, said = 1, [*said, *(stated(1, 1 << i) for i in range(1, n))]
        named = sorted({m for s in said for m in (s.better, s.worse)} | {best})
        theirs = ExactSet(n, named, said, degree=1)
        monos, plain = judge.monomials(n, 1), plainly(said)

        @cache
        def most(y, x, plain=plain, monos=monos, delta=theirs.delta):
            return judge.slice_max(judge.difference(y, x), plain, monos, delta)

        for family in (Family(n), Family(n, max_size=2), Family(n, keep=0b10)):
            for x in listed(family):
                gains = (most(y, x) for y in listed(family))
                decided = family_regret(theirs, x, family, decide_only=True)
                assert decided.optimal is all(gain <= 0 for gain in gains)
                if decided.optimal:
                    certificate = certify_optimal(theirs, x, family)
                    assert certificate is not None
                    verify(certificate)


@pytest.mark.parametrize("n", [12, 40])
def test_what_attributes_do_apart_is_proven_by_a_piece_for_each(n):
    best = sum(1 << i for i in range(0, n, 3))
    said = told_apart(n, best)
    theirs = ExactSet(n, sorted({m for s in said for m in (s.better, s.worse)}), said, degree=1)
    certificate = certify_optimal(theirs, best, Family(n))
    assert len(certificate["proof"]["pieces"]) <= n + 2
    assert family_regret(theirs, best | 0b10, Family(n), decide_only=True).optimal is False


def judged_flips(best, n, pairs):
    """Statements of every flip, for each state of what it shares a pair with: as it is in `best` it is better."""
    said = []
    for i in range(n):
        near = [j for j in range(n) if 1 << i | 1 << j in pairs]
        far = next((1 << j for j in range(n) if j != i and j not in near), 0)
        for chosen in range(1 << len(near)):
            without = far | sum(1 << j for k, j in enumerate(near) if chosen >> k & 1)
            both = (without | 1 << i, without)
            if without:
                said.append(stated(*(both if best >> i & 1 else both[::-1])))
    return said


@pytest.mark.parametrize("shape", ["line", "ring", "star", "clique"])
@pytest.mark.parametrize("best", [0b1, 0b101010101010, 0b000000111111, 0b111111111111])
def test_what_follows_flip_by_flip_takes_few_programs(shape, best):
    n = 12
    pairs = {
        "line": [3 << i for i in range(n - 1)],
        "ring": [*(3 << i for i in range(n - 1)), 1 | 1 << n - 1],
        "star": [1 | 1 << i for i in range(1, 6)],
        "clique": [1 << i | 1 << j for i in range(4) for j in range(i)],
    }[shape]
    said = judged_flips(best, n, set(pairs))
    named = sorted({m for s in said for m in (s.better, s.worse)} | {best})
    theirs = ExactSet(n, named, said, support=pairs)
    found = partition(theirs, best, Family(n), enough=UNIT, most_cubes=8 * n, by_steps=True)
    assert found.upper <= 0
    # a step for each flip and state of its neighbours at most, some subcubes with several neighbours decided at once
    assert len(found.pieces) <= len(said) + n + 1
    assert certify_optimal(theirs, best, Family(n), most_cubes=16 * n) is not None


def test_a_flip_that_leads_nowhere_gives_way_to_the_next():
    # of the last two either loses alone, and the last one beside the other too: of both, only the last can go first
    n, best = 8, 0b1
    said = [s for s in told_apart(n, best) if s.better != 1 << n - 1]
    said += [stated(1, 1 | 1 << n - 2), stated(1 << n - 2, 3 << n - 2)]
    named = sorted({m for s in said for m in (s.better, s.worse)} | {best})
    theirs = ExactSet(n, named, said, support=[3 << n - 2])
    found = family_regret(theirs, best, Family(n), decide_only=True, most_cubes=4 * n)
    assert found.optimal is True
    assert len(found.proof.pieces) <= n + 2
    verify(certify_optimal(theirs, best, Family(n)))


@pytest.mark.parametrize("only", range(6))
def test_where_one_attribute_alone_belongs_in_the_empty_subset_has_a_piece_of_its_own(only):
    # all but that attribute are left out step by step, and the last step leads to the empty subset
    said = told_apart(6, 1 << only)
    theirs = ExactSet(6, sorted({m for s in said for m in (s.better, s.worse)} | {1 << only}), said, degree=1)
    assert len(certify_optimal(theirs, 1 << only, Family(6))["proof"]["pieces"]) <= 7


@pytest.mark.parametrize("n", [4, 9])
def test_where_the_empty_subset_may_be_better_steps_lead_past_it(n):
    # nothing belongs in, and the first attribute is the least bad alone: the others are compared with it one by one
    said = [*told_apart(n, 0), *(stated(1, 1 << i) for i in range(1, n))]
    theirs = ExactSet(n, sorted({m for s in said for m in (s.better, s.worse)}), said, degree=1)
    found = partition(theirs, 1, Family(n), enough=UNIT, by_steps=True)
    assert found.upper <= 0
    assert len(found.pieces) <= n * (n + 1) // 2  # each alone, and beside each of those before it
    verify(certify_optimal(theirs, 1, Family(n)))


@pytest.mark.parametrize("most", range(1, 6))
def test_a_flip_by_which_nothing_is_lost_for_sure_but_perhaps_nothing_gained_is_no_step(most):
    theirs = ExactSet(3, [3, 5, 6, 7], [stated(7, 6, "weak"), stated(7, 5), stated(7, 3)], degree=1)
    found = partition(theirs, 7, Family(3), enough=UNIT, by_steps=True, most_cubes=most)
    assert all(p.flip is None or p.bound <= -NUDGE for p in found.pieces)  # rounding would lose its proof


@pytest.mark.parametrize("effort", [1, 2, 7, 1000])
def test_what_steps_leave_open_branch_and_bound_decides_with_what_is_left_of_the_effort(effort, monkeypatch):
    theirs, efforts = ExactSet(2, [1, 2, 3], [stated(3, 1), stated(3, 2)], degree=1), []

    def looked(*args, most_cubes, by_steps, **more):
        efforts.append((by_steps, most_cubes))
        found = partition(*args, most_cubes=most_cubes, by_steps=by_steps, **more)
        return Partition(1.0, found.pieces) if by_steps else found

    monkeypatch.setattr("elicit.utility.family.partition", looked)
    assert family_regret(theirs, 3, Family(2), decide_only=True, most_cubes=effort).optimal is (effort > 2 or None)
    assert [by_steps for by_steps, _ in efforts] == [True, False]
    assert sum(most for _, most in efforts) == effort


@pytest.mark.parametrize("decide_only", [True, False])
def test_steps_are_looked_for_only_where_optimality_in_the_slice_is_all_that_is_asked(decide_only, monkeypatch):
    said, efforts = [stated(3, 1), stated(3, 2)], []

    def looked(*args, by_steps, **more):
        efforts.append(by_steps)
        return partition(*args, by_steps=by_steps, **more)

    monkeypatch.setattr("elicit.utility.family.partition", looked)
    for theirs in (ExactSet(2, [1, 2, 3], said, degree=1), ParsimoniousSet(2, [1, 2, 3], said)):
        family_regret(theirs, 3, Family(2), decide_only=decide_only, with_proof=True)
    assert efforts == [decide_only, False]


@pytest.mark.parametrize("seed", range(12))
def test_where_few_pairs_matter_steps_decide_as_the_judge_does(seed):
    rng, n = np.random.default_rng(seed), 5
    pairs = [1 << i | 1 << j for i in range(n) for j in range(i) if rng.random() < 0.3]
    theta = {t: float(rng.normal()) for t in [*(1 << i for i in range(n)), *pairs]}
    truth = Utility(n, theta)
    best = max(range(1, 1 << n), key=lambda v: (truth(v), v))
    said, share = [], (1.0, 0.9)[seed % 2]  # every flip is judged, or nearly
    for v in range(1, 1 << n):
        for i in range(n):
            w = v | 1 << i
            if v != w and rng.random() < share:
                said.append(stated(w, v) if truth(w) > truth(v) else stated(v, w))
    named = sorted({m for s in said for m in (s.better, s.worse)} | {best})
    theirs = ExactSet(n, named, said, support=pairs, degree=2)
    monos = [1 << i for i in range(n)] + pairs
    for family in (Family(n), Family(n, max_size=3), Family(n, drop=0b1)):
        for x in {best, 0b10}:
            if x in family:
                expected = judge.slice_regret(x, listed(family), plainly(said), monos, theirs.delta)
                decided = family_regret(theirs, x, family, decide_only=True)
                assert decided.optimal is (expected <= UNIT)
                if decided.optimal:
                    assert certify_optimal(theirs, x, family) is not None


@pytest.mark.parametrize("k", BATCHES)
def test_every_piece_of_a_decision_holds_for_every_member_and_its_steps_lead_to_the_subset(k):
    for case in batch(k)[::3]:
        if not case.consistent:
            continue
        rng, theirs = case.rng(), case.exact()
        for family in families(case, rng):
            members = listed(family)
            x = members[int(rng.integers(0, len(members)))]
            for most in (1, 4, 10_000):
                pieces = partition(theirs, x, family, enough=1e9, by_steps=True, most_cubes=most).pieces
                check_steps(pieces, x, members)
                for piece in pieces:
                    for y in range(1 << case.told.n):
                        if y & piece.inside == piece.inside and not y & piece.outside:
                            other = x if piece.flip is None else y ^ 1 << piece.flip
                            gain = theirs.maximum({y: 1.0, other: -1.0}).value if y and other and y != other else 0.0
                            assert gain <= piece.bound + NEAR or y == x or not (y and other)


def check_steps(pieces, x, members):
    """Every rival is in one piece; a step has a hair to spare and leads nearer, to a member or to the empty subset."""
    for y in set(members) - {x}:
        (piece,) = (p for p in pieces if y & p.inside == p.inside and not y & p.outside)
        if piece.flip is not None:
            nearer = y ^ 1 << piece.flip
            assert nearer in members or (nearer == 0 and any(not p.inside for p in pieces))
            assert (nearer ^ x).bit_count() < (y ^ x).bit_count()
            assert piece.bound <= -NUDGE


@pytest.mark.parametrize("most", [1, 2, 5, 17])
def test_a_search_cut_short_still_bounds_from_both_sides(most):
    for seed in range(4):
        case = random_case(np.random.default_rng(seed), n=5, evaluated=6, answers=3)
        for theirs, judged in sets(case):
            x = case.told.evaluated[0]
            expected = judged(x, case.everything)
            found = family_regret(theirs, x, Family(5), most_cubes=most)
            assert found.lower - NEAR <= expected <= found.upper + NEAR
            if found.optimal is not None:
                assert found.optimal == (expected <= NEAR)


@pytest.mark.parametrize("search", [family_regret, programmed_regret])
def test_progress_is_told_bounds_that_hold_and_may_stop_the_search(search):
    case = random_case(np.random.default_rng(2), n=5, evaluated=6, answers=3)
    for theirs, judged in sets(case):
        x = case.told.evaluated[0]
        expected, told = judged(x, case.everything), []

        def listen(lower, upper, told=told):
            told.append((lower, upper))
            return False

        search(theirs, x, Family(5), progress=listen)
        assert told
        for lower, upper in told:
            assert upper >= expected - 1e-5
            assert lower <= expected + 1e-5
        stopped = search(theirs, x, Family(5), progress=lambda _lower, _upper: True)
        assert stopped.upper >= expected - NEAR
        assert stopped.lower <= expected + NEAR


def test_the_program_stops_at_its_time_limit_with_a_bound():
    case = random_case(np.random.default_rng(5), n=8, evaluated=10, answers=4)
    theirs = case.parsimonious()
    x = case.told.evaluated[0]
    stopped = programmed_regret(theirs, x, Family(8), time_limit=1e-4)
    full = family_regret(theirs, x, Family(8))
    assert stopped.lower <= full.lower + 1e-5
    assert stopped.upper >= full.lower - 1e-5


@pytest.mark.parametrize("seed", range(5))
def test_search_and_listing_agree_beyond_five_attributes_in_both_sets(seed):
    rng = np.random.default_rng(seed)
    family = Family(7, max_size=4)
    contradictory, consistent = (random_case(rng, n=7, evaluated=16, answers=answers) for answers in (6, 0))
    both = sets(consistent)
    assert len(both) == 2  # no answer speaks against what was measured, so that the exact set is not empty
    for theirs, _ in (*sets(contradictory), *both):
        x = min(theirs.candidates(theirs.evaluated), key=simplest)
        if x not in family:
            x = 1
        found, listed_all = family_regret(theirs, x, family), regret_over(theirs, x, family)
        assert found.lower == pytest.approx(listed_all.lower, abs=NEAR)
        assert found.upper == pytest.approx(listed_all.upper, abs=NEAR)
        assert found.optimal == listed_all.optimal


def test_only_a_member_can_be_best_in_a_family():
    theirs = ParsimoniousSet(3, [1, 2], [stated(1, 2)])
    for search in (family_regret, programmed_regret):
        with pytest.raises(InputError, match="not in the family"):
            search(theirs, 0b111, Family(3, max_size=2))


def test_the_only_member_of_a_family_is_optimal_once_anything_is_known():
    theirs = ParsimoniousSet(3, [1, 2], [stated(1, 2)])
    family = Family(3, keep=0b101, drop=0b010)
    for search in (family_regret, programmed_regret):
        assert search(theirs, 0b101, family).optimal is True
        assert search(ParsimoniousSet(3, [1, 2], []), 0b101, family).optimal is False


def test_a_preference_for_everything_makes_everything_optimal():
    # every attribute added is preferred: the whole set is the best of all, in both sets, proven
    chain = [stated(0b111, 0b110), stated(0b111, 0b101), stated(0b111, 0b011)]
    evaluated = [0b111, 0b110, 0b101, 0b011]
    exact = ExactSet(3, evaluated, chain, degree=1)
    parsimonious = ParsimoniousSet(3, evaluated, chain, Parsimony(degree=1))
    for theirs in (exact, parsimonious):
        assert family_regret(theirs, 0b111, Family(3)).optimal is True
        assert programmed_regret(theirs, 0b111, Family(3)).optimal is True
        assert family_regret(theirs, 0b110, Family(3)).optimal is False


# Climbing and neighbourhoods


def test_climbing_ends_where_no_flip_or_swap_gains():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n = int(rng.integers(1, 6))
        monos = judge.monomials(n, min(2, n))
        theta = Utility(n, dict(zip(monos, rng.integers(-3, 4, size=len(monos)).tolist(), strict=True)))
        family = families_of(n, rng)
        start = int(rng.choice(listed(family)))
        top = climb(theta, start, family)
        assert top in family
        assert theta(top) >= theta(start)
        for y in [*family.neighbours(top), *family.swaps(top)]:
            assert theta(y) <= theta(top) + UNIT


def families_of(n, rng):
    keep = 1 << int(rng.integers(0, n)) if rng.random() < 0.5 else 0
    return Family(n, keep=keep, max_size=int(rng.integers(1, n + 1)))


@pytest.mark.parametrize("flips", [0, 1, 2, 3])
def test_a_neighbourhood_is_all_members_so_many_flips_away(flips):
    rng = np.random.default_rng(flips)
    for _ in range(20):
        family = families_of(int(rng.integers(1, 6)), rng)
        x = int(rng.choice(listed(family)))
        expected = [y for y in listed(family) if (x ^ y).bit_count() <= flips]
        assert sorted(within_flips(x, flips, family)) == expected


def test_the_theta_to_begin_with_is_inside_the_set():
    case = random_case(np.random.default_rng(0), n=5, evaluated=6, answers=2)
    for theirs, _ in sets(case):
        assert theirs.admits([interior_theta(theirs)]) == [True]


def test_who_stops_the_search_once_is_not_asked_again():
    asked = {}
    for decide_only in (True, False):
        for seed in range(8):
            case = random_case(np.random.default_rng([seed, 57]), n=5, evaluated=6, answers=0)
            theirs = case.exact()
            for x in case.told.evaluated:
                calls = []
                family_regret(
                    theirs, x, Family(5), decide_only=decide_only, progress=lambda *b, c=calls: not c.append(b)
                )
                assert len(calls) <= 1
                asked[decide_only] = asked.get(decide_only, 0) + len(calls)
    assert all(asked.values()), "somebody was asked"
