"""From interactions to a prior over pairs: which two attributes a utility should let interact.

Any symmetric table of pair strengths will do: H-statistics (their strengths rather than their ratios, which
are large between attributes that hardly matter), or the square roots of Sobol indices of second order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from elicit.effects.interaction import Interactions, h_statistic
from elicit.errors import InputError
from elicit.numeric import whole
from elicit.scores.models import fit, learner, modelled
from elicit.scores.protocol import Groups, columns_of_groups, generator


def pair_prior(
    interactions: Interactions | Any, *, count: int | None = None, share: float = 0.95
) -> tuple[tuple[int, int], ...]:
    """The strongest pairs (i < j), strongest first.

    interactions: the result of `h_statistic`, or a symmetric table (n, n) of strengths.
    count: how many; by default as few as hold `share` of the sum of squared strengths.
    """
    try:
        strengths = (
            interactions.strengths if isinstance(interactions, Interactions) else np.asarray(interactions, float)
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"expected a square table of pair strengths, found {interactions!r:.60}") from error
    if strengths.ndim != 2 or strengths.shape[0] != strengths.shape[1]:
        raise InputError(f"expected a square table of pair strengths, found shape {strengths.shape}")
    if not np.isfinite(strengths).all():
        i, j = np.argwhere(~np.isfinite(strengths))[0].tolist()
        found = f"{strengths[i, j]} in row {i}, column {j}"
        raise InputError(f"pair strengths are finite numbers, found {found}; give 0 where nothing is known")
    if not np.allclose(strengths, strengths.T):
        raise InputError("the table of pair strengths must be symmetric")
    if not isinstance(share, int | float | np.floating) or not 0 < share <= 1:
        raise InputError(f"share lies between 0 and 1, found {share!r}")
    above, beside = np.triu_indices(len(strengths), k=1)
    strength = np.maximum(strengths[above, beside], 0.0)  # an estimate below 0 is no interaction
    order = np.argsort(-strength, kind="stable")
    held = np.cumsum(strength[order] ** 2)
    total = held[-1] if len(held) else 0.0
    if count is None:
        count = int(np.searchsorted(held, share * total * (1 - 1e-12))) + 1 if total > 0 else 0
    return tuple((int(above[p]), int(beside[p])) for p in order[: whole("count", count, 0)] if strength[p] > 0)


def interaction_prior(
    X: Any,
    y: Any,
    *,
    model: Any = None,
    rows: int = 150,
    share: float = 0.95,
    groups: Groups | None = None,
    seed: int = 0,
    classes: bool | None = None,
) -> tuple[tuple[int, int], ...]:
    """Pairs of attributes that a model of the data lets interact, strongest first, by the strength of their H.

    model: fitted to the data first; a random forest when none is given. rows: at most so many, drawn at random,
    are averaged over. groups: the columns of each attribute; strengths of their columns are added in squares.
    Several classes are added up in the same way.
    """
    given = modelled(X, y, "interaction-prior", model, classes)
    chosen_model, columns, target = learner(model, given, seed)
    fitted = fit(chosen_model, columns, target)
    chosen = generator(seed, "seed").permutation(len(given.X))[: whole("rows", rows, 2)]
    labels = list(fitted.classes_) if given.classes else [None]
    squares = np.zeros((given.X.shape[1],) * 2)
    for label in labels[1:] if len(labels) == 2 else labels:
        squares += h_statistic(fitted, columns[np.sort(chosen)], overall=False, target=label).strengths ** 2
    held = columns_of_groups(groups, len(squares))
    member = np.array([np.isin(np.arange(len(squares)), own) for own in held], dtype=float)
    return pair_prior(np.sqrt(member @ squares @ member.T), share=share)
