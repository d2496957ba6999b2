"""Drawing: subsets by chance, by the law in force.

Where a prior says what to look at first, draws follow its places. Else the first ones are at even odds, and then an
attribute joins with its own chance, or by a law from a power index.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from elicit.decide.beliefs import Beliefs
from elicit.decide.outlook import Outlook
from elicit.subsets import Mask, mask_of
from elicit.utility.monomials import Vector
from elicit.utility.power import gap_index, sample_subsets, standardised
from elicit.utility.sampling import Joining, draw, joining, joining_as_printed, sequential

#: Of the first draws in a family of small subsets one in so many is smaller than most.
ONE_SMALLER_IN = 4

#: With more evaluated subsets than this, draws among which a forecast chooses follow the prior, not θ_k.
MOST_INDEXED = 150


class Draws:
    """Draws for one state of beliefs.

    by_prior: whether they follow the places of the prior. starting: whether nothing is modelled yet. `around`: the
    best that were seen, than which a draw by the prior is not much larger.
    """

    def __init__(
        self, beliefs: Beliefs, rng: np.random.Generator, outlook: Outlook, *, by_prior: bool, starting: bool
    ) -> None:
        self._beliefs, self._rng, self._outlook = beliefs, rng, outlook
        self._family, self._settings = beliefs.family, beliefs.settings
        self._by_prior, self._starting = by_prior, starting

    def some(self, around: Sequence[Mask] = ()) -> list[Mask]:
        """As many draws as a proposal is chosen among, each once."""
        return list(dict.fromkeys(self.one(around) for _ in range(self._settings.draws)))

    def one(self, around: Sequence[Mask] = (), chosen: int = 0) -> Mask:
        """One draw; so many subsets were chosen before it in this round."""
        if self._by_prior:
            return self._outlook.drawn(self._family, self._rng, around)
        if self._starting and self._outlook.prior is None:
            return self._first(len(self._beliefs.evaluated) + chosen)
        if self._settings.explore.startswith("sequential") and self._beliefs.decides:
            return sequential(self._joining, self._family, self._rng)
        temperature = self._settings.temperature * self._settings.cooling**self._beliefs.spent
        return draw(self._settings.law, self._index, self._family, self._rng, temperature)

    def _first(self, before: int) -> Mask:
        """A draw at even odds, after so many looks; where the family ends far below half, one in four is smaller.

        Far are two standard deviations: all would have one size, so that how a size counts would not be seen, and
        smaller subsets not be looked at.
        """
        free, room = self._family.free, self._family.room
        far = 1 < room < len(free) / 2 - len(free) ** 0.5
        if not far or before % ONE_SMALLER_IN:
            return draw("logistic", np.zeros(self._family.n), self._family, self._rng)
        chosen = self._rng.choice(free, size=int(self._rng.integers(1, room)), replace=False)
        return self._family.keep | mask_of(chosen.tolist())

    @cached_property
    def _joining(self) -> Joining:
        """With which chance an attribute joins a subset that is drawn attribute by attribute."""
        by = joining if self._settings.explore == "sequential" else joining_as_printed
        return by(self._beliefs.utilities)

    @cached_property
    def _index(self) -> Vector:
        """The power index in force: the prior until something is known, then that of θ_k.

        Where a forecast chooses, draws only bring what the neighbours of the best would never show; with more than
        MOST_INDEXED subsets evaluated they follow the prior again (without one, even odds), for θ_k takes the
        longer the more there is.
        """
        forecast_alone = self._settings.explore == "gain" and len(self._beliefs.evaluated) > MOST_INDEXED
        if forecast_alone or not self._beliefs.utilities.informative:
            return np.zeros(self._family.n) if self._outlook.prior is None else self._outlook.prior
        if self._settings.index == "theta" or not self._beliefs.decides:
            return self._beliefs.theta.power()
        some = sample_subsets(self._family.n, self._settings.index_samples, self._rng)
        # the last digits depend on what was solved before, and a law may ask whether a number is above 0
        index = np.round(gap_index(self._beliefs.utilities, some, joint=self._settings.index == "joint"), 9) + 0.0
        # most of it, or all, is below 0, which most laws take for 0; of the exact set it is left so, as printed
        return index if self._settings.exact else np.round(standardised(index), 9) + 0.0
