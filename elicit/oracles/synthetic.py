"""A hidden 2-additive truth: the score of a subset is f_θ, the sum of the θ_S of all S inside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain, combinations

import numpy as np

from elicit.asks import Evaluate, Measured, subset_asked_for
from elicit.errors import InputError
from elicit.events import SCORE_AND_SIZE
from elicit.oracles.describe import fingerprint
from elicit.oracles.function import attributes_of
from elicit.subsets import Attributes, Mask, mask_of, members


class SyntheticOracle:
    """score = f_θ(v) = Σ_{S ⊆ v} θ_S with θ given for singletons and pairs; what is not given is 0.

    `size` adds the number of attributes as a second criterion; without it the score is all there is,
    so that dominance never contradicts an operator whose utility is f_θ.
    """

    def __init__(
        self,
        attributes: Attributes | Sequence[str] | int,
        theta: Mapping[Mask, float],
        *,
        size: bool = False,
    ) -> None:
        self.attributes = attributes_of(attributes)
        try:
            self._theta = {S: float(theta[S]) for S in sorted(theta)}
        except (TypeError, ValueError) as error:
            raise InputError(f"θ maps subsets to numbers, found {theta!r:.80}") from error
        for S, value in self._theta.items():
            self.attributes.check(S)
            if S.bit_count() > 2 or not math.isfinite(value):
                raise InputError(f"θ needs finite numbers for single attributes and pairs, found {value} for {bin(S)}")
        self.criteria = SCORE_AND_SIZE if size else SCORE_AND_SIZE[:1]
        self.fingerprint = fingerprint("synthetic", self.attributes.names, self._theta, size)

    @classmethod
    def drawn(
        cls,
        attributes: Attributes | Sequence[str] | int,
        rng: np.random.Generator,
        *,
        interaction: float = 1.0,
        size: bool = False,
    ) -> SyntheticOracle:
        """Independent normal θ: standard deviation 1 for singletons, `interaction` for pairs."""
        named = attributes_of(attributes)
        n = len(named)
        singles = {1 << i: float(rng.normal()) for i in range(n)}
        pairs = {mask_of(p): float(rng.normal()) * interaction for p in combinations(range(n), 2)}
        return cls(named, singles | pairs, size=size)

    @property
    def theta(self) -> dict[Mask, float]:
        """The hidden truth, for the simulated operator that judges by it."""
        return dict(self._theta)

    def value(self, mask: Mask) -> float:
        """f_θ(v), correctly rounded, hence the same in any order of summation."""
        inside = [1 << i for i in members(mask)]
        if len(self._theta) < len(inside) * (len(inside) + 1) // 2:
            return math.fsum(value for S, value in self._theta.items() if S & mask == S)
        pairs = (a | b for a, b in combinations(inside, 2))
        return math.fsum(self._theta.get(S, 0.0) for S in chain(inside, pairs))

    def __call__(self, request: Evaluate) -> Measured:
        mask = subset_asked_for(request, self.attributes)
        values = (self.value(mask), float(mask.bit_count()))[: len(self.criteria)]
        return Measured(values, ((),) * len(values), (None,) * len(values))
