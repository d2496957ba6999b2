"""Shapley values of a game given outright: one number a coalition, coalitions in the order of their bit masks.

φ_i = Σ_{S∌i} s! (d−1−s)!/d! [v(S∪i) − v(S)], s = |S|, computed by folding: about 2·2^d additions.
"""

from __future__ import annotations

from math import comb

import numpy as np

from elicit.errors import InputError
from elicit.scores.protocol import Floats


def shapley_of_game(values: Floats) -> Floats:
    """φ, shape (d, ...), of v, shape (2^d, ...): entry `mask` is the value of the coalition with those bits.

    With a(t) = (t−1)!(d−t)!/d! and b(t) = t!(d−1−t)!/d!, both 0 outside their range,
    φ_i = Σ_{T∋i} (a+b)(|T|) v(T) − Σ_T b(|T|) v(T). The first sum is over the upper half of the table for
    the last attribute; adding that half to the lower one removes the attribute, and so on down.
    """
    d = len(values).bit_length() - 1
    if d < 1 or len(values) != 1 << d:
        raise InputError(f"a game has 2^d values with d at least 1, found {len(values)}")
    with_it = np.array([0.0, *(1 / (d * comb(d - 1, t - 1)) for t in range(1, d + 1))])
    without = np.array([*(1 / (d * comb(d - 1, t)) for t in range(d)), 0.0])
    sizes = subset_sizes(d)
    shape = (-1,) + (1,) * (values.ndim - 1)
    base = (without[sizes].reshape(shape) * values).sum(axis=0)
    table = (with_it + without)[sizes].reshape(shape) * values
    phi = np.empty((d, *values.shape[1:]))
    for i in reversed(range(d)):
        lower, upper = table[: 1 << i], table[1 << i :]
        phi[i] = upper.sum(axis=0) - base
        table = lower + upper
    return phi


def subset_sizes(d: int) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """|T| of every mask T below 2^d."""
    sizes = np.zeros(1, dtype=np.uint8)
    for _ in range(d):
        sizes = np.concatenate([sizes, sizes + np.uint8(1)])
    return sizes
