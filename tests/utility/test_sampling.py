"""Draws obey the family and their law; the same generator draws the same."""

from collections import Counter
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from instances import batch, stated
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import chi2

from elicit.errors import InputError
from elicit.subsets import Family, mask_of
from elicit.utility.exact import ExactSet
from elicit.utility.monomials import Utility
from elicit.utility.parsimony import ParsimoniousSet, Parsimony
from elicit.utility.power import standardised
from elicit.utility.sampling import LAWS, draw, joining, joining_as_printed, logistic, proportional, sequential, sized
from elicit.utility.sets import Optimum
from elicit.utility.solver import Program

DRAWS = 6000
INDEX = np.array([0.5, 2.0, 1.0, -1.0])
ANY_LAW = pytest.mark.parametrize("law", LAWS)


def frequencies(law, index, family, seed=0):
    rng = np.random.default_rng(seed)
    return Counter(law(index, family, rng) for _ in range(DRAWS))


def fits(counts, chances):
    """Whether observed counts follow the chances: chi-square at 0.1%, cells of little expectation together."""
    assert set(counts) <= {mask for mask, p in chances.items() if p > 0}
    assert sum(chances.values()) == pytest.approx(1)
    cells = [(counts.get(mask, 0), DRAWS * p) for mask, p in chances.items() if DRAWS * p >= 5]
    rest = DRAWS - sum(seen for seen, _ in cells), DRAWS - sum(due for _, due in cells)
    cells += [rest] if rest[1] >= 5 else []
    statistic = sum((seen - due) ** 2 / due for seen, due in cells)
    return statistic <= chi2.ppf(0.999, len(cells) - 1) if len(cells) > 1 else True


def independent(chance, family):
    """The law of independent inclusions, given that the subset is not empty; for families without a size."""
    found = {}
    for mask in family:
        p = 1.0
        for i, c in zip(family.free, chance, strict=True):
            p *= c if mask >> i & 1 else 1 - c
        found[mask] = p
    total = sum(found.values())
    return {mask: p / total for mask, p in found.items()}


@pytest.mark.parametrize("family", [Family(4), Family(4, keep=0b1000, drop=0b0001), Family(4, drop=0b0010)])
def test_proportional_includes_in_proportion(family):
    positive = np.maximum(INDEX[family.free], 0)
    assert fits(frequencies(proportional, INDEX, family), independent(positive / positive.sum(), family))


@pytest.mark.parametrize("family", [Family(4), Family(4, keep=0b1000, drop=0b0001)])
@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_logistic_includes_by_the_standardised_index(family, temperature):
    chance = expit(standardised(INDEX)[family.free] / temperature)
    counts = frequencies(lambda *a: logistic(*a, temperature), INDEX, family)
    assert fits(counts, independent(chance, family))


@pytest.mark.parametrize("family", [Family(4), Family(4, max_size=2), Family(4, keep=0b1000, drop=0b0001)])
def test_sized_draws_a_size_and_then_without_replacement(family):
    counts = frequencies(sized, INDEX, family)
    least = 0 if family.keep else 1
    sizes = range(least, family.room + 1)
    chances = Counter()
    for size in sizes:
        for chosen in combinations(family.free, size):
            chances[family.keep | mask_of(chosen)] += chance_of_set(chosen, family.free) / len(sizes)
    assert fits(counts, dict(chances))


def chance_of_set(chosen, free):
    """Successive draws in proportion to p; those without any p come last, evenly."""
    if not chosen:
        return 1.0
    left = {i: max(INDEX[i], 0.0) for i in free}
    total = sum(left.values())
    weights = {i: w / total for i, w in left.items()} if total else {i: 1 / len(left) for i in left}
    return sum(weights[i] * chance_of_set([j for j in chosen if j != i], [j for j in free if j != i]) for i in chosen)


@ANY_LAW
def test_without_a_positive_index_all_attributes_are_alike(law):
    for index in (np.zeros(4), np.full(4, -2.0)):
        counts = frequencies(LAWS[law], index, Family(4))
        if law == "sized":
            expected = {m: 1 / 4 / {1: 4, 2: 6, 3: 4, 4: 1}[m.bit_count()] for m in Family(4)}
        else:
            expected = independent([0.25 if law == "proportional" else 0.5] * 4, Family(4))
        assert fits(counts, expected)


@ANY_LAW
def test_every_draw_is_a_member_of_the_family(law):
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = int(rng.integers(1, 7))
        keep = int(rng.integers(0, 1 << n)) if rng.random() < 0.5 else 0
        drop = int(rng.integers(0, 1 << n)) & ~keep if rng.random() < 0.5 else 0
        drop = 0 if drop == (1 << n) - 1 else drop
        size = int(rng.integers(max(1, keep.bit_count()), n + 1)) if rng.random() < 0.5 else None
        family = Family(n, keep, drop, size)
        index = rng.choice([0.0, -1.0, 1.0, 1e9, 1e-9], size=n) * rng.random(n)
        assert draw(law, index, family, rng) in family


@ANY_LAW
def test_a_size_keeps_the_favourites(law):
    counts = frequencies(LAWS[law], np.array([0.1, 5.0, 0.1, 0.1]), Family(4, max_size=1))
    assert set(counts) <= {1, 2, 4, 8}
    assert counts.most_common(1)[0][0] == 2
    assert len(counts) == 4


def test_of_two_drawn_the_one_drawn_more_clearly_stays():
    # chances a > b; when both are drawn and one must go, the smaller u / (1 − u) against its chance's odds stays
    index = np.array([2.0, -1.0])
    a, b = expit(standardised(index))
    odds = {c: c / (1 - c) for c in (a, b)}

    def below(r, c):
        return r * odds[c] / (1 + r * odds[c]) / c

    def density(r, c):
        return odds[c] / (1 + r * odds[c]) ** 2 / c

    wins, _ = quad(lambda r: density(r, b) * below(r, a), 0, 1)
    first, second = a * (1 - b) + a * b * wins, b * (1 - a) + a * b * (1 - wins)
    assert wins > 0.6
    counts = frequencies(logistic, index, Family(2, max_size=1))
    assert fits(counts, {1: first / (first + second), 2: second / (first + second)})


def test_of_draws_cut_to_a_size_the_law_is_near_that_of_draws_of_this_size():
    index, free, cut = np.array([0.5, -1.0, 2.0, 0.1, 0.7]), Family(5), Family(5, max_size=2)
    law = independent(expit(standardised(index)), free)
    so_large = {mask: p for mask, p in law.items() if mask.bit_count() == 2}
    counts = {mask: seen for mask, seen in frequencies(logistic, index, cut).items() if mask.bit_count() == 2}
    apart = [counts.get(mask, 0) / sum(counts.values()) - p / sum(so_large.values()) for mask, p in so_large.items()]
    assert 0.02 < np.abs(apart).sum() / 2 < 0.1
    least = min(so_large, key=lambda mask: so_large[mask])
    assert counts[least] / sum(counts.values()) > so_large[least] / sum(so_large.values())


@ANY_LAW
def test_the_generator_alone_decides(law):
    runs = [[draw(law, INDEX, Family(4), rng) for _ in range(50)] for rng in map(np.random.default_rng, (5, 5, 6))]
    assert runs[0] == runs[1] != runs[2]


@ANY_LAW
@pytest.mark.parametrize("index", [np.zeros(3), np.array([1.0, np.nan, 0.0, 0.0]), np.array([np.inf, 0, 0, 0])])
def test_a_bad_index_is_an_error(law, index):
    with pytest.raises(InputError, match="4 finite numbers"):
        draw(law, index, Family(4), np.random.default_rng(0))


def test_bad_settings_are_errors():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="a law is one of"):
        draw("uniform", INDEX, Family(4), rng)
    for temperature in (0.0, -1.0, float("nan")):
        with pytest.raises(InputError, match="must be positive"):
            draw("logistic", INDEX, Family(4), rng, temperature)


def test_where_nothing_is_likely_to_be_in_one_attribute_is_drawn_all_the_same():
    # standardised, what is left stands at -0.58: by this temperature the chance of each is some 1e-251
    family, rng = Family(4, drop=0b0001), np.random.default_rng(0)
    drawn = Counter(logistic(np.array([9.0, 0, 0, 0]), family, rng, temperature=1e-3) for _ in range(60))
    assert set(drawn) == {0b0010, 0b0100, 0b1000}


# The sequential draw


SEQUENTIAL = pytest.mark.parametrize("law", [joining, joining_as_printed])


@SEQUENTIAL
def test_a_sequential_draw_is_a_member_and_repeatable(law):
    for case in batch(0):
        n = case.told.n
        family = Family(n, keep=1 if n > 2 else 0, max_size=max(1, n - 1))
        for theirs in (case.parsimonious(), *([case.exact()] if case.consistent else [])):
            drawn = [sequential(law(theirs), family, rng) for rng in map(np.random.default_rng, (1, 1))]
            assert drawn[0] == drawn[1]
            assert drawn[0] in family


def test_an_attribute_that_only_gains_always_joins():
    # with B = J* the one θ is f({a1}) = 1: a1 gains for sure, a2 neither way, a coin decides
    theirs = ParsimoniousSet(
        3, [0b001, 0b010, 0b011, 0b111], [stated(0b001, 0b010), stated(0b011, 0b010)], Parsimony(tau=0.0, degree=1)
    )
    assert theirs.maximum({1: -1.0}).value == pytest.approx(-1.0)
    rng = np.random.default_rng(0)
    chance = joining(theirs)
    drawn = Counter(sequential(chance, Family(3), rng) for _ in range(400))
    assert all(mask & 1 for mask in drawn)
    assert set(drawn) == {0b001, 0b011, 0b101, 0b111}
    assert min(drawn.values()) > 60


def test_an_attribute_that_only_loses_is_drawn_where_there_is_no_other():
    theirs = ParsimoniousSet(2, [0b01, 0b11], [stated(0b01, 0b11)], Parsimony(tau=0.0, degree=1))
    assert theirs.maximum({2: 1.0}).value == pytest.approx(-1.0)
    assert sequential(joining(theirs), Family(2, drop=1), np.random.default_rng(0)) == 0b10


def test_where_no_attribute_may_gain_few_programs_say_so_however_many_draws():
    # with B = J* the one θ is f({a1}) = f({a2}) = f({a3}) = −1: every draw stays empty
    pairs = [(0b001, 0b011), (0b010, 0b110), (0b100, 0b101)]
    theirs = ParsimoniousSet(3, [m for pair in pairs for m in pair], [stated(*p) for p in pairs], Parsimony(0.0))
    chance, rng = joining(theirs), np.random.default_rng(0)
    with patch.object(Program, "solve", autospec=True, side_effect=Program.solve) as solve:
        drawn = Counter(sequential(chance, Family(3), rng) for _ in range(60))
    assert set(drawn) == {0b001, 0b010, 0b100}
    assert 0 < solve.call_count <= 2 * 3 + 3  # the least and the most of each, and what B takes


def test_a_gain_or_a_worth_in_the_last_digits_is_none_and_a_coin_decides():
    class Noisy:
        def maximum(self, form):
            return Optimum(1e-11 * sum(form.values()), Utility(1, {}), ())

    assert joining(Noisy())(0, 0) == 0.5
    assert joining_as_printed(Noisy())(1, 1) == 0.5


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_join_than_the_family_allows_though_all_gain(most):
    every = [stated(0b111, 0b111 ^ 1 << i) for i in range(3)]
    theirs = ParsimoniousSet(3, [0b111, 0b110, 0b101, 0b011], every, Parsimony(tau=0.0, degree=1))
    rng = np.random.default_rng(0)
    drawn = Counter(sequential(joining(theirs), Family(3, max_size=most), rng) for _ in range(60))
    assert {mask.bit_count() for mask in drawn} == {most}
    assert len(drawn) == 3


def test_the_chance_to_join_is_the_gaining_part_of_the_range():
    # one attribute, θ between -lo and hi: P = hi / (hi − lo)
    theirs = ExactSet(2, [1, 2], [stated(1, 2)], degree=1, delta=0.5)
    low, high = -theirs.maximum({2: -1.0}).value, theirs.maximum({2: 1.0}).value
    assert (low, high) == pytest.approx((-1.0, 0.5))
    family = Family(2, keep=1)
    chance = joining(theirs)
    counts = frequencies(lambda _i, f, rng: sequential(chance, f, rng), None, family)
    gain = high / (high - low)
    assert fits(counts, {1: 1 - gain, 3: gain})


def test_the_printed_law_is_a_coin_at_the_empty_subset_and_clips():
    theirs = ExactSet(2, [1, 2], [stated(1, 2)], degree=1, delta=0.5)
    chance = joining_as_printed(theirs)
    counts = frequencies(lambda _i, f, rng: sequential(chance, f, rng), None, Family(2))
    # min f({a1,a2}) < 0 in the slice, so whoever is second never joins: {a1} or {a2}, evenly
    assert fits(counts, {1: 0.5, 2: 0.5})
