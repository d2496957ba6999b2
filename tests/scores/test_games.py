"""Shapley values of a game given outright: the fold against the sum over all orders."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from elicit.errors import InputError
from elicit.scores.games import shapley_of_game, subset_sizes


def by_orders(values):
    """The mean over all d! orders of what each player adds."""
    d = len(values).bit_length() - 1
    phi = np.zeros((d, *values.shape[1:]))
    for order in permutations(range(d)):
        mask = 0
        for player in order:
            phi[player] += values[mask | 1 << player] - values[mask]
            mask |= 1 << player
    return phi / factorial(d)


GAMES = st.integers(1, 5).flatmap(lambda d: arrays(float, 1 << d, elements=st.floats(-100, 100)))


@given(GAMES)
def test_the_fold_is_the_mean_over_all_orders(values):
    assert shapley_of_game(values) == pytest.approx(by_orders(values), abs=1e-10)


@given(GAMES)
def test_the_values_share_out_what_the_whole_adds_to_nothing(values):
    assert shapley_of_game(values).sum() == pytest.approx(values[-1] - values[0], abs=1e-9)


def test_several_games_at_once_are_solved_one_by_one():
    values = np.random.default_rng(0).normal(size=(16, 3))
    together = shapley_of_game(values)
    for k in range(3):
        assert together[:, k] == pytest.approx(by_orders(values[:, k]))


def test_the_glove_game_worked_by_hand():
    # players 0 and 1 have a left glove each, player 2 a right one; a pair is worth 1
    values = np.array([0, 0, 0, 0, 0, 1, 1, 1.0])
    assert shapley_of_game(values) == pytest.approx([1 / 6, 1 / 6, 4 / 6])


def test_sizes_are_those_of_the_masks():
    assert subset_sizes(6).tolist() == [mask.bit_count() for mask in range(64)]


@pytest.mark.parametrize("length", [1, 3, 6])
def test_a_table_that_is_no_game_is_refused(length):
    with pytest.raises(InputError, match="2\\^d"):
        shapley_of_game(np.zeros(length))
