"""Power indices over a set of utilities are sums of extremes, and θ_k is a function of the statements alone."""

import itertools
from collections import Counter
from types import SimpleNamespace

import judge
import numpy as np
import pytest
from instances import NEAR, batch, dense, random_case, stated

from elicit.errors import InputError
from elicit.utility.exact import ExactSet
from elicit.utility.kernel import KernelUtility
from elicit.utility.monomials import Utility
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.power import THETAS, chosen_theta, gap_index, mean_theta, sample_subsets, standardised


def cases():
    return [case for case in batch(0) + batch(1) if case.consistent]


@pytest.mark.parametrize("kind", ["parsimonious", "exact"])
def test_the_gap_index_is_the_mean_of_the_judges_extremes(kind):
    for case in cases()[::2]:
        told, theirs = case.told, getattr(case, kind)()

        def most(form, case=case, theirs=theirs):
            return case.most_in_budget(form) if kind == "parsimonious" else case.most_in_slice(form, theirs.delta)

        sampled = [int(v) for v in case.rng().integers(0, 1 << told.n, size=3)]
        apart, joint = gap_index(theirs, sampled), gap_index(theirs, sampled, joint=True)
        for i in range(told.n):
            gaps, together = [], []
            for v in sampled:
                inside, without = v | 1 << i, v & ~(1 << i)
                gaps.append(-most({inside: -1.0}) - (most({without: 1.0}) if without else 0.0))
                together.append(-most({inside: -1.0, without: 1.0} if without else {inside: -1.0}))
            assert apart[i] == pytest.approx(np.mean(gaps), abs=NEAR)
            assert joint[i] == pytest.approx(np.mean(together), abs=NEAR)
        assert (joint >= apart - NEAR).all()


def test_the_index_needs_a_sample():
    with pytest.raises(InputError, match="none was given"):
        gap_index(batch(0)[0].parsimonious(), [])


def test_every_theta_by_name_is_what_it_says():
    for case in cases():
        told = case.told
        for theirs in (case.parsimonious(), case.exact()):
            found = {name: chosen_theta(name, theirs) for name in THETAS}
            roomy = dense(found["max-margin"], told.monos)
            strict = [s.strict for s in case.statements]
            if case.informative:
                held = judge.rows(told.statements, told.monos) @ roomy
                assert held[strict].min() == pytest.approx(case.margin, abs=NEAR)
            assert isinstance(found["L2"], KernelUtility)
        simple = dense(chosen_theta("L1", case.parsimonious()), told.monos)
        assert judge.cost(simple, *case.soft) == pytest.approx(case.least_cost, abs=NEAR)


def test_the_mean_theta_is_made_of_those_of_most_and_of_least_power():
    """Both are asked for, for each attribute: by forms that are its power, up to the sign, whatever θ is."""
    n, rng, asked = 4, np.random.default_rng(0), []
    terms = [m for m in range(1, 1 << n) if m.bit_count() <= 2]
    some = [Utility(n, dict(zip(terms, rng.normal(size=len(terms)).tolist(), strict=True))) for _ in range(3)]

    class Asked:
        informative, empty = True, False

        def maximum(self, form):
            asked.append([sum(c * u.values([x])[0] for x, c in form.items()) for u in some])
            return SimpleNamespace(witness=Utility(n, {1: float(len(asked))}))

    Asked.n = n
    assert mean_theta(Asked()).theta == {1: pytest.approx(np.mean(np.arange(1, 2 * n + 1)))}
    powers = np.array([u.power() for u in some]).T
    assert np.array(asked) == pytest.approx(np.stack([powers, -powers], axis=1).reshape(2 * n, 3))


@pytest.mark.parametrize("kind", ["parsimonious", "exact"])
def test_the_mean_theta_lies_in_its_set_and_its_power_between_the_judges_extremes(kind):
    for case in cases()[::2]:
        told, theirs = case.told, getattr(case, kind)()
        found = chosen_theta("mean", theirs)
        if not case.informative:
            assert not found.theta
            continue
        assert theirs.admits([found]) == [True]
        for i, power in enumerate(found.power()):
            form = Counter({(1 << told.n) - 1: 0.5, 1 << i: 0.5})
            if told.n == 1:
                form = Counter({1: 1.0})
            elif told.degree == 1:
                form = Counter({1 << i: 1.0})
            else:
                form[(1 << told.n) - 1 & ~(1 << i)] -= 0.5
            most = [
                case.most_in_budget(f) if kind == "parsimonious" else case.most_in_slice(f, theirs.delta)
                for f in (form, {x: -c for x, c in form.items()})
            ]
            if told.degree <= 2:
                assert -most[1] - NEAR <= power <= most[0] + NEAR


def test_the_mean_theta_is_the_one_worked_by_hand():
    # θ_0 ≥ θ_1 + 1 costs J* = 1, so B = 1.1. θ_0 is largest at (1.1, 0) and least at (-.05, -1.05); θ_1 is largest at
    # (1.05, .05) and least at (0, -1.1)
    utilities = ParsimoniousSet(2, [1, 2], [stated(1, 2)], Parsimony(degree=1))
    found = chosen_theta("mean", utilities)
    assert [found.theta[1], found.theta[2]] == pytest.approx([2.1 / 4, -2.1 / 4])


@pytest.mark.parametrize("name", THETAS)
def test_theta_does_not_depend_on_how_the_set_came_about(name):
    for seed in range(6):
        case = random_case(np.random.default_rng(seed), n=5, evaluated=9, answers=0)
        grown = case.exact(statements=[])
        for statement in case.statements:
            grown.state(statement)
            grown.maximum({1: 1.0})
        warm = case.parsimonious(previous=case.parsimonious(case.statements[:2]))
        warm.price(1)  # a program is solved before, so that the basis is another one
        for slow, fast in ((grown, case.exact()), (warm, case.parsimonious())):
            slow_power = chosen_theta(name, slow).power()
            assert slow_power.tolist() == chosen_theta(name, fast).power().tolist()


@pytest.mark.parametrize("name", ["max-margin", "L1", "mean"])
def test_theta_keeps_to_the_support_that_a_set_was_given(name):
    evaluated, support = [0b0011, 0b0101, 0b1001, 0b1111, 0b0001], [0b0011]
    statements = [stated(a, b) for a, b in itertools.pairwise(evaluated)]
    for utilities in (
        ExactSet(4, evaluated, statements, support=support),
        ParsimoniousSet(4, evaluated, statements, support=support),
    ):
        used = {term for term, value in chosen_theta(name, utilities).theta.items() if value}
        assert used <= {0b0001, 0b0010, 0b0100, 0b1000, 0b0011}


def test_an_unknown_theta_is_an_error():
    with pytest.raises(InputError, match="max-margin, L1, L2"):
        chosen_theta("L3", batch(0)[0].parsimonious())


def test_a_standardised_index_has_mean_zero_and_spread_one():
    scaled = standardised(np.array([1.0, 2.0, 6.0]))
    assert scaled.mean() == pytest.approx(0)
    assert scaled.std() == pytest.approx(1)
    assert (np.diff(scaled) > 0).all()
    assert standardised(np.full(3, 7.7)).tolist() == [0, 0, 0]
    assert standardised(np.array([1e9, 1e9 + 1e-6])).tolist() == [0, 0]
    assert standardised(np.array([0.0, 1e-13, -1e-13])).tolist() == [0, 0, 0]  # rounding, where all are nearly 0


def test_sampled_subsets_are_uniform_and_repeatable():
    drawn = sample_subsets(3, 8000, np.random.default_rng(0))
    counts = np.bincount(drawn, minlength=8)
    assert ((counts - 1000) ** 2 / 1000).sum() < 24.3  # chi-square, 7 degrees, 0.1%
    assert drawn == sample_subsets(3, 8000, np.random.default_rng(0))
    assert max(sample_subsets(70, 5, np.random.default_rng(0))) >> 60
