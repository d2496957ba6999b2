"""Blocks of coalitions: sets of attributes that are asked together, and what their answers say of each attribute.

With T = v(N) − v(∅), m⁺_s(j) the mean of v over the coalitions of size s with attribute j, and m⁻_s(j) over
those without it, the Shapley value is φ_j = T/d + 1/d Σ_{s=1..d−1} [m⁺_s(j) − m⁻_s(j)]. So it is the mean, over the
sizes s, of values that look at one size only; each of these is v itself for an additive v.

A block of size s holds the d cyclic shifts of some base sets of s attributes, and their complements. For an
additive v, u(S) = v(S) − v(S^c) = 2 Σ_{j∈S} ψ_j + constant with ψ = φ − T/d; least squares solves this for ψ, as
a division of Fourier transforms. The base sets are those, of some drawn ones, that make it most exact.

The rule: attributes take their places in a block at random. Then the expected answer of a block is the
value of its two sizes s and d − s, exactly: a linear map that treats all attributes alike and sums to zero is
a multiple of m⁺_s − m⁻_s, and that additive games come out exact leaves one multiple. What interactions of two
attributes add cancels between a coalition and its complement.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elicit.scores.protocol import Floats, Ints

#: Draws of base sets among which the best are taken.
DRAWS = 500

#: A power of the base sets at a frequency below this is zero: their block would not tell some ψ apart.
SINGULAR = 1e-9


@dataclass(frozen=True)
class Block:
    """coalitions (rows, d): those that are asked, each once, by places.

    inside, outside (sets, d): for each base set and shift, the coalition and its complement among them.
    inverse (sets, d): the multipliers of least squares, by frequency; 0 at frequency 0.
    """

    coalitions: NDArray[np.bool_]
    inside: Ints
    outside: Ints
    inverse: NDArray[np.complex128]

    def values(self, answers: Floats) -> Floats:
        """ψ at each place, (d, outputs), from the answers (rows, outputs)."""
        apart = answers[self.inside] - answers[self.outside]  # (sets, d, outputs)
        waves = (self.inverse[:, :, None] * np.fft.fft(apart, axis=1)).sum(axis=0)
        return np.asarray(np.fft.ifft(waves, axis=0).real)

    def higher_order(self, answers: Floats, total: Floats) -> Floats:
        """What the answers show of interactions of three or more attributes, (outputs,): 0 where there are none.

        Without them u(S) = 2 φ(S) − T, and over all shifts every attribute is in S as often as any other.
        """
        apart = answers[self.inside] - answers[self.outside]
        size = self.coalitions[self.inside[0, 0]].sum()
        return np.asarray(apart.mean(axis=(0, 1)) - (2 * size / self.coalitions.shape[1] - 1) * total)


def block(d: int, size: int, sets: int) -> Block:
    """The block of `sets` base sets of 1 ≤ size ≤ d/2 of d > 1 attributes; of more where that many do not suffice."""
    base = _base_sets(d, size, sets)
    shifts = (np.arange(d) - np.arange(d)[:, None]) % d  # [t, k] = k − t
    inside = base[:, shifts].reshape(-1, d)
    coalitions, places = np.unique(np.concatenate([inside, ~inside]), axis=0, return_inverse=True)
    first, second = places.reshape(2, len(base), d)
    waves = np.fft.fft(base.astype(np.float64), axis=1)
    power = (np.abs(waves) ** 2).sum(axis=0)
    power[0] = np.inf  # ψ sums to zero
    return Block(coalitions, first, second, waves / (2 * power))


@lru_cache(maxsize=256)  # the search takes longer than all the rest, and what it finds is small
def _base_sets(d: int, size: int, sets: int) -> NDArray[np.bool_]:
    """(sets, d): of some draws, those with the least Σ_f 1/power(f), which is the variance of ψ."""
    if size == 1:
        return np.eye(1, d, dtype=bool)  # its shifts are all there are
    rng = np.random.default_rng((d, size, sets))
    while True:
        drawn = rng.random((DRAWS, sets, d)).argsort(axis=2) < size
        power = (np.abs(np.fft.fft(drawn, axis=2)[:, :, 1:]) ** 2).sum(axis=1)
        told = power.min(axis=1) > SINGULAR
        if told.any():
            variance = np.where(told, (1 / np.maximum(power, SINGULAR)).sum(axis=1), np.inf)
            return np.asarray(drawn[int(variance.argmin())])
        sets += 1
