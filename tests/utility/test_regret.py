"""Max regret among the evaluated: the judge's value, the right subset, and no memory of what was solved before."""

from collections import Counter
from itertools import product

import judge
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from instances import BAND, BATCHES, NEAR, batch, random_case, stated

from elicit.knowledge.statements import Statement
from elicit.subsets import simplest
from elicit.utility.exact import ExactSet
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.regret import CLEAR, MOST_WITNESSES, Regrets, beyond_worth
from elicit.utility.sets import Optimum
from elicit.utility.tolerances import DECISION

SAID = (Statement(1, 2), Statement(3, 4))


def parsimonious(**settings):
    return ParsimoniousSet(3, (1, 2, 3, 4), SAID, Parsimony(**settings))


def sets(case):
    """Both sets of a case, each with the judge's maximum of a form; an empty slice is left out."""
    found = [(case.parsimonious(), case.most_in_budget)]
    if case.consistent:
        exact = case.exact()
        found.append((exact, lambda form: case.most_in_slice(form, exact.delta)))
    return found


def judged(case, most):
    """{(x, v): max f(x) − f(v)} and {v: max regret} among the evaluated."""
    evaluated = case.told.evaluated
    pairs = {(x, v): most({x: 1.0, v: -1.0}) for x in evaluated for v in evaluated if x != v}
    return pairs, {v: max([0.0, *(pairs[x, v] for x in evaluated if x != v)]) for v in evaluated}


@pytest.mark.parametrize("k", BATCHES)
def test_regrets_pairs_and_rivals_agree_with_the_judge(k):
    for case in batch(k):
        for theirs, most in sets(case):
            pairs, regrets = judged(case, most)
            asked = Regrets(theirs)
            for v, expected in regrets.items():
                found = asked.of(v)
                assert found.subset == v
                assert found.value == pytest.approx(expected, abs=NEAR)
                if found.rival is None:
                    assert expected <= BAND
                else:
                    assert pairs[found.rival, v] == pytest.approx(expected, abs=2 * NEAR)
                    better = [x for x in theirs.rivals(case.told.evaluated) if simplest(x) < simplest(found.rival)]
                    assert all(pairs[x, v] < expected - DECISION / 2 for x in better if x != v)
            for (x, v), expected in pairs.items():
                assert asked.pair(x, v) == pytest.approx(expected, abs=NEAR)
                assert expected <= Regrets(theirs).upper[asked._place[x], asked._place[v]] + NEAR


@pytest.mark.parametrize("k", BATCHES)
def test_whether_a_regret_exceeds_a_bound_agrees_with_the_judge(k):
    for case in batch(k):
        for theirs, most in sets(case):
            _, regrets = judged(case, most)
            asked = Regrets(theirs)
            for v, expected in regrets.items():
                for bound in [0.0, expected / 2, expected - BAND, expected + BAND, 2 * expected + BAND]:
                    if abs(bound - expected) >= BAND:
                        assert asked.exceeds(v, bound) is (expected > bound)


def test_beyond_worth_are_regrets_above_a_clear_answer_among_very_many(monkeypatch):
    told, seen = random_case(np.random.default_rng(2), n=5, evaluated=9, answers=4), set()
    theirs = told.parsimonious()
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 9)
    assert not any(beyond_worth(Regrets(theirs), v) for v in theirs.evaluated)
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 8)
    for v in theirs.evaluated:
        far = Regrets(theirs).of(v).value > CLEAR
        assert beyond_worth(Regrets(theirs), v) is far
        seen.add(far)
    assert seen == {False, True}


@pytest.mark.parametrize("space", ["parsimonious", "exact"])
def test_among_very_many_one_theta_at_hand_may_be_enough(monkeypatch, space):
    """A thousand subsets have a million bounds to chain, and each program takes seconds."""
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 8)
    case = random_case(np.random.default_rng(2), n=5, evaluated=9, answers=4)
    theirs = case.parsimonious() if space == "parsimonious" else case.exact(case.statements[:3])
    values = theirs.inside.values(theirs.evaluated)
    worst = theirs.evaluated[int(values.argmin())]
    assert theirs.admits([theirs.inside]) == [True]
    for work in ("maximum", "upper_bounds"):
        monkeypatch.setattr(theirs, work, None)
    assert Regrets(theirs).exceeds(worst, float(np.ptp(values)) / 2)


@pytest.mark.parametrize("k", BATCHES)
def test_the_least_regret_is_the_judges_and_ties_go_to_the_simplest(k):
    for case in batch(k):
        for theirs, most in sets(case):
            _, regrets = judged(case, most)
            candidates = theirs.candidates(case.told.evaluated)
            least = min(regrets[v] for v in candidates)
            found = Regrets(theirs).least()
            assert found.subset in candidates
            assert found.value == pytest.approx(least, abs=2 * NEAR)
            tied = [v for v in candidates if regrets[v] <= least + DECISION / 10]
            clear = all(regrets[v] > least + BAND for v in candidates if v not in tied)
            if clear:
                assert found.subset == min(tied, key=simplest)


@pytest.mark.parametrize("k", BATCHES)
def test_what_was_asked_before_never_changes_who_is_recommended(k):
    for case in batch(k):
        for theirs, _ in sets(case):
            fresh = Regrets(theirs).least()
            rng, asked = case.rng(), Regrets(theirs)
            for v in rng.permutation(case.told.evaluated).tolist():
                asked.of(v)
                again = asked.least()
                assert (again.subset, again.rival) == (fresh.subset, fresh.rival)
                assert again.value == pytest.approx(fresh.value, abs=NEAR)


@pytest.mark.parametrize("k", BATCHES)
def test_an_inherited_state_decides_like_a_fresh_one(k):
    for case in batch(k):
        evaluated, said = case.told.evaluated, case.statements
        for kind in ("parsimonious", "exact"):
            previous = None
            for known in sorted({0, len(said) // 3, 2 * len(said) // 3, len(said)}):
                some = evaluated[: max(1, len(evaluated) * (known + 1) // (len(said) + 1))]
                utilities = getattr(case, kind)(statements=said[:known], evaluated=some)
                if utilities.conflict is not None:
                    break
                heir, fresh = Regrets(utilities, previous), Regrets(utilities)
                mine, theirs = heir.least(), fresh.least()
                assert (mine.subset, mine.rival) == (theirs.subset, theirs.rival)
                assert mine.value == pytest.approx(theirs.value, abs=NEAR)
                for x in some:
                    for v in some:
                        if x != v:
                            assert heir.upper[heir._place[x], heir._place[v]] >= fresh.pair(x, v) - NEAR
                            assert heir.pair(x, v) == pytest.approx(fresh.pair(x, v), abs=NEAR)
                previous = heir


@pytest.mark.parametrize("kind", ["parsimonious", "exact"])
@pytest.mark.parametrize("seed", range(5))
def test_inheriting_holds_over_a_longer_session_with_retractions(kind, seed):
    rng = np.random.default_rng(seed)
    case = random_case(rng, n=6, evaluated=10, answers=6)
    said, previous = list(case.statements), None
    rng.shuffle(said)
    for known in range(2, len(said) + 1, 2):
        standing = said[:known] if known % 3 else said[1:known]  # now and then the first is taken back
        utilities = getattr(case, kind)(statements=standing)
        if utilities.conflict is not None:
            continue
        heir, fresh = Regrets(utilities, previous), Regrets(utilities)
        mine, theirs = heir.least(), fresh.least()
        assert (mine.subset, mine.rival) == (theirs.subset, theirs.rival)
        assert mine.value == pytest.approx(theirs.value, abs=NEAR)
        for v in case.told.evaluated:
            assert heir.of(v).value == pytest.approx(fresh.of(v).value, abs=NEAR)
        previous = heir


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (ExactSet(3, (1, 2, 3, 4), SAID, degree=1), ExactSet(3, (1, 2, 3, 4), SAID, degree=2)),
        (ExactSet(3, (1, 2, 3, 4), SAID, support=(1, 2, 4)), ExactSet(3, (1, 2, 3, 4), SAID)),
        (ExactSet(3, (1, 2, 3, 4), SAID, delta=0.5), ExactSet(3, (1, 2, 3, 4), SAID, delta=0.1)),
        (parsimonious(degree=1), parsimonious(degree=2)),
        (parsimonious(weights=(2.0, 2.0), tau=1.0), parsimonious(weights=(1.0, 0.25), tau=1.0)),
        (parsimonious(slack=3.0), parsimonious(slack=30.0)),
    ],
)
def test_bounds_are_not_taken_over_from_a_set_of_other_utilities(before, after):
    earlier, fresh = Regrets(before), Regrets(after)
    for x in before.evaluated:
        earlier.of(x)
    heir = Regrets(after, earlier)
    for x in after.evaluated:
        assert heir.of(x).value == pytest.approx(fresh.of(x).value, abs=NEAR)


def test_a_slice_that_takes_statements_one_by_one_hands_its_bounds_on():
    case = random_case(np.random.default_rng(1), n=5, evaluated=8, answers=0)
    grown, previous = case.exact(statements=[]), None
    for known, statement in enumerate(case.statements, start=1):
        grown.state(statement)
        previous = Regrets(grown, previous)
        fresh = Regrets(case.exact(statements=case.statements[:known]))
        mine, theirs = previous.least(), fresh.least()
        assert (mine.subset, mine.rival) == (theirs.subset, theirs.rival)
        assert mine.value == pytest.approx(theirs.value, abs=NEAR)


def test_a_tie_found_late_still_goes_to_the_simplest():
    # nothing is known, so {a1}, {a2} and {a1,a2} have equal regret 2 in the slice of degree 1
    theirs = ExactSet(2, [0b11, 0b10, 0b01], [], degree=1)
    asked = Regrets(theirs)
    assert asked.of(0b01).value == pytest.approx(2.0)
    assert asked.of(0b10).value == pytest.approx(2.0)
    assert asked.of(0b11).value == pytest.approx(1.0)
    assert asked.least().subset == 0b11
    fewer = Regrets(ExactSet(2, [0b10, 0b01], [], degree=1))
    fewer.of(0b01)  # the simplest is known to lose 2 before the other is looked at
    assert fewer.least().subset == 0b01


def test_a_single_subset_has_no_regret_and_no_rival():
    for theirs in (ExactSet(2, [1], []), ParsimoniousSet(2, [1], [], Parsimony())):
        assert Regrets(theirs).least().value == 0
        assert Regrets(theirs).least().rival is None


def test_no_subset_has_no_least_regret():
    with pytest.raises(ValueError, match="no subset is evaluated"):
        Regrets(ParsimoniousSet(2, [], [])).least()


def test_a_dominated_subset_is_never_recommended():
    # the operator's word outweighs the measured difference in Θ_τ, and still {a2} is dominated
    said = [stated(1, 2), stated(2, 1, weight=4.0)]
    theirs = ParsimoniousSet(2, [1, 2], said, Parsimony())
    assert judge.price(2, [1, 2], [(1, 2, "strict", 1.0), (2, 1, "strict", 4.0)], [1, 2, 3], 10.0, (1.0, 2.0)) == 0
    assert theirs.price(2) == pytest.approx(0)
    assert Regrets(theirs).least().subset == 1


def test_a_bound_of_a_larger_margin_is_not_inherited():
    # each statement makes the margin in force smaller, and with it what a statement proves
    said = [stated(1 << i, (1 << i) - 1) for i in range(1, 5)]
    said += [stated(0b00001, 0b00110), stated(0b00110, 0b01000)]
    evaluated, previous, margins = [1, 2, 4, 3, 6, 8], None, set()
    for known in range(1, len(said) + 1):
        utilities = ExactSet(5, evaluated, said[:known], degree=1, delta=0.6)
        margins.add(utilities.delta)
        heir, fresh = Regrets(utilities, previous), Regrets(utilities)
        for x in evaluated:
            for v in evaluated:
                if x != v:
                    assert heir.upper[heir._place[x], heir._place[v]] >= fresh.pair(x, v) - NEAR
        assert heir.least().subset == fresh.least().subset
        for v in evaluated:
            assert heir.of(v).value == pytest.approx(fresh.of(v).value, abs=NEAR)
        previous = heir
    assert len(margins) > 2


@pytest.mark.parametrize("tau", [0.1, pytest.param(1e3, marks=pytest.mark.slow), 1e4])
@pytest.mark.parametrize(
    ("weights", "slack"),
    [((1.0, 2.0, 4.0), 1e5), ((1.0, 0.01, 0.01), 1e3), ((0.001, 0.001, 0.001), 100.0), ((1.0, 1e3, 1e3), 10.0)],
)
def test_at_the_limits_of_the_settings_regrets_are_found_and_depend_on_nothing_asked_before(weights, slack, tau):
    rng = np.random.default_rng(5)
    for trial in range(3):
        n, degree = int(rng.integers(4, 8)), 1 + trial % 3
        pool = rng.permutation(np.arange(1, 1 << n))[:12].tolist()
        said, before, asked = [], None, None
        for known in (6, 8, 10, 12):
            for _ in range(4):
                better, worse = rng.choice(pool[:known], 2, replace=False).tolist()
                said.append(stated(better, worse, str(rng.choice(["strict", "strict", "weak", "equal"]))))
            settings = Parsimony(tau, slack, weights, degree)
            before = ParsimoniousSet(n, pool[:known], said, settings, previous=before)
            asked = Regrets(before, asked)
            fresh = Regrets(ParsimoniousSet(n, pool[:known], said, settings))
            asked.least()
            for v in pool[:known]:
                assert asked.of(v).value == pytest.approx(fresh.of(v).value, rel=1e-4, abs=1e-4)


def test_one_of_two_equal_statements_less_is_one_less():
    said = [stated(3, 2), stated(1, 2), stated(1, 3), stated(2, 1)]
    doubled = [stated(2, 3, weight=3.0)] * 2
    before = Regrets(ParsimoniousSet(2, [2, 3, 1], [*doubled, *said], Parsimony(degree=1)))
    for v in (2, 3, 1):
        before.of(v)
    later = Regrets(ParsimoniousSet(2, [2, 3, 1], [doubled[0], *said], Parsimony(degree=1)), before)
    fresh = Regrets(ParsimoniousSet(2, [2, 3, 1], [doubled[0], *said], Parsimony(degree=1)))
    assert [later.of(v).value for v in (2, 3, 1)] == pytest.approx([fresh.of(v).value for v in (2, 3, 1)])


# A set of a few utilities in whole numbers, so that every maximum is a look at each of them


class Few:
    """f(x) = budget · (a row at x) + constant(x) for each row that no copy of a statement excludes.

    The k-th copy of a statement excludes the rows by which its gain is not above k.
    """

    frame = ("few",)

    def __init__(self, rows, constant, loose, evaluated, statements, budget):
        self.evaluated, self.statements, self.budget = tuple(evaluated), tuple(statements), budget
        self._rows, self._constant, self._loose = rows, constant, loose
        self.asked = Counter()

    def _against(self, row):
        """The first statement that excludes a row."""
        for r, s in enumerate(self.statements):
            if row[s.better] - row[s.worse] <= self.statements[:r].count(s):
                return r
        return None

    def worth(self, row, x):
        return self.budget * row[x] + self._constant[x]

    def gain(self, x, v):
        return max(self.worth(t, x) - self.worth(t, v) for t in self._rows if self._against(t) is None)

    def regret(self, v):
        return max(0, *(self.gain(x, v) for x in self.evaluated))

    def maximum(self, form):
        (x, _), (v, _) = sorted(form.items(), key=lambda part: -part[1])
        self.asked[x, v] += 1
        by_gain = sorted(self._rows, key=lambda t: t[v] - t[x])
        best = next(t for t in by_gain if self._against(t) is None)
        used = {self._against(t) for t in by_gain[: by_gain.index(best)]}
        multipliers = tuple(float(r in used) for r in range(len(self.statements)))
        return Optimum(self.gain(x, v), Fewest(self, best), multipliers, sigma=best[x] - best[v])

    def upper_bounds(self, subsets):
        return np.array(
            [[self.gain(x, v) + self._loose[x, v] * (x != v) for v in subsets] for x in subsets], dtype=float
        )

    def candidates(self, subsets):
        return [x for x in subsets if all(s.worse != x or s.better not in subsets for s in self.statements)]

    def rivals(self, subsets):
        return list(subsets)

    def admits(self, witnesses):
        return [w.of.budget == self.budget and self._against(w.row) is None for w in witnesses]


class Fewest:
    """One utility of such a set."""

    def __init__(self, of, row):
        self.of, self.row = of, row

    def values(self, subsets):
        return np.array([self.of.worth(self.row, x) for x in subsets], dtype=float)


@st.composite
def histories_of_few(draw):
    """States that follow each other: more is measured, statements come and go, and the budget changes."""
    masks = draw(st.permutations(range(1, 8)))[: draw(st.integers(2, 5))]
    table = st.fixed_dictionaries({x: st.integers(-3, 3) for x in masks})
    rows, constant = draw(st.lists(table, min_size=2, max_size=6)), draw(table)
    true = [stated(x, v) for x, v in product(masks, masks) for _ in range(max(0, rows[0][x] - rows[0][v]))]
    loose = draw(st.fixed_dictionaries({pair: st.integers(0, 9) for pair in product(masks, masks)}))
    return [
        Few(
            rows,
            constant,
            loose,
            masks[: draw(st.integers(2, len(masks)))],
            draw(st.lists(st.sampled_from(range(len(true))), unique=True).map(lambda at: [true[k] for k in at]))
            if true
            else [],
            draw(st.sampled_from([1, 2, 3])),
        )
        for _ in range(3)
    ]


def chained(upper):
    """Whether no bound is above the sum of two that chain to it."""
    return (upper[:, None, :] <= upper[:, :, None] + upper[None, :, :]).all()


@given(histories_of_few())
def test_among_few_utilities_regrets_are_those_of_looking_at_each(history):
    previous = None
    for few in history:
        asked = Regrets(few, previous)
        assert chained(asked.upper)
        worst = {v: few.regret(v) for v in few.evaluated}
        least = min(few.candidates(few.evaluated), key=lambda v: (worst[v], simplest(v)))
        found = [asked.least(), *map(asked.of, few.evaluated)]
        for regret, v in zip(found, [least, *few.evaluated], strict=True):
            beating = [x for x in few.evaluated if few.gain(x, v) == worst[v]]
            rival = min(beating, key=simplest) if worst[v] else None
            assert (regret.subset, regret.value, regret.rival) == (v, worst[v], rival)
        for v in few.evaluated:
            assert [asked.exceeds(v, worst[v] + more) for more in (-1, -0.5, 0, 1)] == [True, True, False, False]
        for x, v in product(few.evaluated, few.evaluated):
            assert asked.upper[asked._place[x], asked._place[v]] >= few.gain(x, v)
            assert x == v or asked.pair(x, v) == few.gain(x, v)
        assert chained(asked.upper)
        assert max(few.asked.values()) == 1, "a program was solved twice"
        previous = asked


@given(histories_of_few())
def test_what_an_earlier_state_found_out_takes_no_program_again(history):
    few = history[0]
    worst = {v: Regrets(few).of(v).value for v in few.evaluated}
    known = Regrets(few)
    for v in few.evaluated:
        known.of(v)
    for _ in range(2):
        known = Regrets(few, known)
        few.asked.clear()
        assert [known.exceeds(v, worst[v]) for v in few.evaluated] == [False] * len(few.evaluated)
        assert [known.exceeds(v, worst[v] - 0.5) for v in few.evaluated] == [True] * len(few.evaluated)
        assert not few.asked
    assert len(known._witnesses) <= MOST_WITNESSES
