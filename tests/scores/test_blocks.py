"""Blocks of coalitions: on average over all places they say the Shapley value of their sizes, exactly."""

from itertools import permutations

import numpy as np
import pytest

from elicit.scores.blocks import block
from elicit.scores.games import shapley_of_game


def masks(coalitions):
    return coalitions @ (1 << np.arange(coalitions.shape[1]))


def share_of_sizes(v, d, size):
    """[m⁺_s − m⁻_s] (d − 1)/d, by the definition, for s = size and d − size: the mean of both. Shape (d,)."""
    found = np.zeros(d)
    for s in (size, d - size):
        for j in range(d):
            held = [mask for mask in range(1 << d) if mask.bit_count() == s]
            inside = np.mean([v[m] for m in held if m >> j & 1])
            outside = np.mean([v[m] for m in held if not m >> j & 1])
            found[j] += (inside - outside) * (d - 1) / d / 2
    return found


def placed(part, v, order):
    """What a block says of the game v when attribute j stands at the place order[j]."""
    order = np.array(order)
    return part.values(v[masks(part.coalitions[:, order])][:, None])[order, 0]


@pytest.mark.parametrize("sets", [1, 2])
@pytest.mark.parametrize(("d", "size"), [(2, 1), (3, 1), (4, 1), (4, 2), (5, 2), (6, 2), (6, 3)])
def test_over_all_places_a_block_is_the_share_of_its_sizes(d, size, sets):
    v = np.random.default_rng(0).normal(size=1 << d)
    part = block(d, size, sets)
    mean = np.mean([placed(part, v, order) for order in permutations(range(d))], axis=0)
    assert mean == pytest.approx(share_of_sizes(v, d, size), abs=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6])
def test_the_shares_of_all_sizes_make_the_shapley_value(d):
    v = np.random.default_rng(1).normal(size=1 << d)
    shares = [share_of_sizes(v, d, min(size, d - size)) for size in range(1, d)]
    assert np.mean(shares, axis=0) + (v[-1] - v[0]) / d == pytest.approx(shapley_of_game(v), abs=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4, 7, 8, 16, 33])
@pytest.mark.parametrize("sets", [1, 2])
def test_games_of_single_attributes_and_pairs_are_exact_in_every_place(d, sets):
    rng = np.random.default_rng(d)
    a, b = rng.normal(size=d), np.triu(rng.normal(size=(d, d)), 1)
    shapley = a + (b.sum(axis=0) + b.sum(axis=1)) / 2
    order = rng.permutation(d)
    for size in range(1, d // 2 + 1):
        part = block(d, size, sets)
        S = part.coalitions[:, order].astype(float)
        answers = 3.0 + S @ a + ((S @ b) * S).sum(axis=1)
        found = part.values(answers[:, None])[order, 0]
        assert found == pytest.approx(shapley - shapley.mean(), abs=1e-9)


def test_coalitions_have_their_size_and_are_asked_once():
    for d in (2, 3, 9, 16):
        for size in range(1, d // 2 + 1):
            part = block(d, size, 2)
            assert len(np.unique(masks(part.coalitions))) == len(part.coalitions)
            assert set(part.coalitions.sum(axis=1)) == {size, d - size}
            assert (part.coalitions[part.inside] == ~part.coalitions[part.outside]).all()
    assert len(block(9, 1, 2).coalitions) == 18  # all that there are
    assert len(block(2, 1, 1).coalitions) == 2


def test_where_one_base_set_cannot_tell_attributes_apart_more_are_taken():
    assert block(16, 2, 1).inside.shape == (2, 16)
    assert block(9, 2, 1).inside.shape == (1, 9)
