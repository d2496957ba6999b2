"""Methods that draw: what they draw, that they never repeat themselves, and where they end."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import drawn_value, play
from scipy.stats import chisquare

from elicit.errors import InputError
from elicit.methods import Genetic, HillClimbing, Random, Reaching, Sized, Space, Surrogate
from elicit.methods.stochastic import Seen
from elicit.subsets import Family

METHODS = [
    Random(),
    Random(1),
    HillClimbing(),
    HillClimbing(steepest=True),
    Genetic(),
    Genetic(4, mutations=0.0),
    Surrogate(),
    Surrogate(2, draws=1),
]
FAMILIES = [Family(4), Family(5, keep=0b1), Family(5, drop=0b11), Family(6, keep=0b10, max_size=3), Family(1)]


@pytest.mark.parametrize("explorer", METHODS, ids=repr)
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_without_a_budget_every_subset_is_evaluated_and_the_best_found(explorer, family):
    value = drawn_value(family.n, 1)
    found = play(explorer, family.n, value, family=family, seed=3)
    assert set(found.values) == set(family)
    assert found.best == max(family, key=value)
    assert found.ended.why == "every subset was tried"


@given(st.sampled_from(METHODS), st.integers(0, 1000), st.integers(1, 6), st.integers(1, 40))
def test_a_goal_of_one_size_keeps_to_that_size(explorer, seed, size, budget):
    found = play(explorer, 6, drawn_value(6, seed), goal=Sized(size), seed=seed, budget=budget)
    assert {mask.bit_count() for mask in found.values} == {size}


@settings(max_examples=30)
@given(st.sampled_from(METHODS), st.integers(0, 1000))
def test_the_same_seed_takes_the_same_way(explorer, seed):
    value = drawn_value(8, seed, 2)
    one, other = (play(explorer, 8, value, seed=seed, budget=25) for _ in range(2))
    assert list(one.values) == list(other.values)
    assert len(one.values) == 25
    assert list(play(explorer, 8, value, seed=seed + 1, budget=25).values) != list(one.values)


@pytest.mark.parametrize("explorer", [Random(), HillClimbing(), Genetic(), Surrogate()], ids=repr)
def test_the_start_comes_first(explorer):
    found = play(explorer, 8, drawn_value(8, 0), start=0b1010, budget=5)
    assert next(iter(found.values)) == 0b1010


@pytest.mark.parametrize("explorer", [Random(), HillClimbing(), Genetic(), Surrogate()], ids=repr)
def test_a_large_family_needs_a_budget(explorer):
    with pytest.raises(InputError, match="never ends by itself; give a budget"):
        play(explorer, 40, lambda _: 0.0)
    assert len(play(explorer, 100, lambda mask: float(mask % 7), budget=20).values) == 20


@pytest.mark.parametrize(
    "space",
    [Space(Family(4)), Space(Family(5, keep=0b100, max_size=3)), Space(Family(5, drop=0b1), Sized(2))],
    ids=["all", "narrow", "one size"],
)
def test_each_subset_is_as_likely_as_any_other(space):
    rng = np.random.default_rng(0)
    counts = Counter(space.draw(rng) for _ in range(200 * space.count()))
    assert set(counts) == {mask for mask in space.family if space.admits(mask)}
    assert chisquare(list(counts.values())).pvalue > 1e-3


@given(st.integers(1, 12), st.data())
def test_as_many_subsets_are_counted_as_there_are(n, data):
    keep = data.draw(st.integers(0, (1 << n) - 2))
    drop = data.draw(st.integers(0, (1 << n) - 1)) & ~keep
    family = Family(n, keep=keep, drop=drop if drop != (1 << n) - 1 else 0)
    space = Space(family)
    assert space.count() == sum(space.admits(mask) for mask in range(1, 1 << n)) == len(list(space.admitted()))
    size = data.draw(st.integers(space.bottom, space.top))
    fixed = Space(family, Sized(size))
    assert fixed.count() == sum(mask.bit_count() == size for mask in space.admitted())


def test_a_climb_ends_at_a_summit():
    for seed in range(20):
        value = drawn_value(6, seed)
        for steepest in (False, True):
            found = play(HillClimbing(restarts=0, steepest=steepest), 6, value, seed=seed)
            assert found.ended.why == "0 restarts have come to their summits"
            assert all(value(near) <= value(found.best) for near in Family(6).neighbours(found.best))


@pytest.mark.parametrize("steepest", [False, True])
def test_among_subsets_of_one_size_a_climb_trades_one_attribute_for_another(steepest):
    for seed in range(10):
        value = drawn_value(6, seed)
        found = play(HillClimbing(0, steepest=steepest), 6, value, goal=Sized(3), seed=seed)
        trades = [mask for mask in range(64) if mask.bit_count() == 3 and (mask ^ found.best).bit_count() == 2]
        assert len(trades) == 9
        assert max(map(value, trades)) <= value(found.best)


@pytest.mark.parametrize("steepest", [False, True])
def test_the_only_step_that_helps_is_found_whenever_its_turn_comes(steepest):
    worth = {0b0001: 0.5, 0b0011: 0.9}
    for seed in range(20):
        found = play(HillClimbing(0, steepest=steepest), 4, lambda m: worth.get(m, 0.1), start=0b0001, seed=seed)
        assert found.best == 0b0011
        assert {mask.bit_count() for mask in found.values} >= {1, 2, 3}  # and what lies around it is looked at, too


@pytest.mark.parametrize("start", [None, 0b001])
def test_the_first_are_as_many_as_asked_for_whatever_is_drawn(start):
    for seed in range(60):
        first = Seen(Space(Family(3), start=start), np.random.default_rng(seed)).first(6)
        assert len(set(first)) == 6
        assert start is None or first[0] == start


def test_more_restarts_go_further():
    sizes = [len(play(HillClimbing(restarts), 8, drawn_value(8, 0)).values) for restarts in (0, 2, 8)]
    assert sizes == sorted(set(sizes))


def test_children_have_half_of_their_attributes_from_either_parent():
    space, rng = Space(Family(12)), np.random.default_rng(0)
    parents = [0b111111_000000, 0b000000_111111]
    seen = Seen(space, rng)
    seen.note(parents, [0.5, 0.5])
    children = [Genetic(mutations=0.0)._child(space, seen, parents, rng) for _ in range(400)]
    mixed = [child for child in children if child not in parents]
    assert len(mixed) > 100  # of three pairs in eight the better wins one tournament and the other one the other
    of_first = [(child ^ parents[1]).bit_count() / 12 for child in mixed]
    assert np.mean(of_first) == pytest.approx(0.5, abs=0.05)


def test_a_genetic_algorithm_ends_after_its_generations_and_beats_drawing():
    def value(mask):
        return -float((mask ^ 0b1011001110).bit_count())

    for seed in range(5):
        bred = play(Genetic(20, generations=8), 10, value, seed=seed)
        assert bred.ended.why == "8 generations have passed"
        assert len(bred.values) <= 160
        drawn = play(Random(), 10, value, seed=seed, budget=len(bred.values))
        assert value(bred.best) >= value(drawn.best)
        assert value(bred.best) >= -1


def test_to_reach_a_value_they_look_for_the_smallest_subset():
    for explorer in METHODS:
        assert play(explorer, 5, lambda mask: mask.bit_count() / 5, goal=Reaching(0.6)).best == 0b111


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Random(0), "at_once must be a whole number of at least 1"),
        (lambda: HillClimbing(-1), "restarts must be a whole number of at least 0"),
        (lambda: HillClimbing(draws=0), "draws must be a whole number of at least 1"),
        (lambda: Genetic(1), "population must be a whole number of at least 2"),
        (lambda: Genetic(mutations=-1.0), "mutations is a number of at least 0"),
        (lambda: Genetic(generations=0), "generations must be a whole number of at least 1"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_both_generations_stay(monkeypatch, seed):
    value, parents, child = drawn_value(9, seed), [], Genetic._child

    def noted(self, space, seen, people, rng):
        if not parents or parents[-1][0] is not people:
            parents.append((people, dict(seen.ranks)))
        return child(self, space, seen, people, rng)

    monkeypatch.setattr(Genetic, "_child", noted)
    play(Genetic(6), 9, value, seed=seed, budget=150)
    assert len(parents) > 10
    worst = [min(value(mask) for mask in people) for people, _ in parents]
    assert worst == sorted(worst), "whoever stays is no worse than whoever stayed before"
    for people, ranks in parents:
        assert {*people} == {*sorted(ranks, key=ranks.__getitem__, reverse=True)[: len(people)]}


@pytest.mark.parametrize("mutations", [0.0, 1.0, 3.0])
def test_a_child_of_two_alike_differs_by_as_many_flips_as_are_expected(mutations):
    rng, space = np.random.default_rng(0), Space(Family(10), bounded=True)
    seen, parent = Seen(space, rng), 0b1010101010
    seen.note([parent], [1.0])
    children = [Genetic(mutations=mutations)._child(space, seen, [parent, parent], rng) for _ in range(2000)]
    flips = [(parent ^ c).bit_count() for c in children]
    assert np.mean(flips) == pytest.approx(mutations, abs=0.1)
