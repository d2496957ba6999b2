"""Priors: what is thought of attributes, and of pairs of them, before anything is measured.

A prior ranks: it says where to look first, and what is measured then decides. No proof assumes anything of
it. Without any other wish an attribute's place is the better of two: by its F statistic, which sees what tells by
itself, and by ReliefF, which sees what tells together with others. Where three attributes only tell together, even
runs on a dozen attributes find them by it that would miss them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, resample

from elicit.decide.outlook import places
from elicit.effects.interaction import Interactions
from elicit.effects.pairs import interaction_prior, pair_prior
from elicit.errors import InputError
from elicit.numeric import LARGEST, given_numbers, is_number, is_whole
from elicit.oracles.columns import Columns, by_name, is_frame, refuse_ambiguous, require_one_each
from elicit.scores.agreement import as_power_index, ranks
from elicit.scores.protocol import holds_complex, holds_dates
from elicit.scores.registry import score_named
from elicit.utility.monomials import Vector

AUTO = "auto"

#: Up to so many attributes every subset is measured, by the budget "auto"; with more, the prior "auto" is one.
FEW = 4

#: ReliefF compares every row with every other, cell by cell: for more comparisons than this, rows are sampled.
MOST_COMPARED = 4 * 10**9

#: With more attributes than this the utilities of the proofs are additive: pairs would be over a hundred thousand.
MOST_WITH_PAIRS = 500

Pairs = tuple[tuple[int, int], ...]

#: Is told of work that may take long, before it begins.
Tell = Callable[[str], None]


def prior_of(
    given: Any, columns: Columns, y: NDArray[Any], *, classes: bool, tell: Tell = lambda _: None
) -> Vector | None:
    """The power index that `prior` stands for: a score's name, one number an attribute, "auto" or None."""
    if given is None or (isinstance(given, str) and given == AUTO and not _scorable(columns, y, classes)):
        return None
    if isinstance(given, str):
        if given != AUTO:
            score_named(given)  # refused first, where there is none of this name
        tell(f"working out prior = {given!r}")
        return _alone_or_together(columns, y, classes) if given == AUTO else _scored(given, columns, y, classes)
    given = by_name(given, columns.attributes.names, "prior")
    try:
        index = given_numbers(given)  # its own: the caller may change what was given
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"prior is a score's name, one number an attribute, {AUTO!r} or None; found {given!r}"
        ) from None
    require_one_each(index, columns.attributes, "prior needs one finite number")
    return index


def _scorable(columns: Columns, y: NDArray[Any], classes: bool) -> bool:
    """Whether there are more than a few attributes, and the scores that "auto" stands for are defined on these data."""
    if len(columns.attributes) <= FEW or y.ndim != 1 or holds_dates(columns.X) or holds_dates(y):
        return False
    if holds_complex(columns.X):
        return False
    try:
        values, distinct = _numbers(columns.X), len(np.unique(y))
    except (TypeError, ValueError):  # texts have no score; labels without an order are refused when a model sees them
        return False
    sound = bool((np.abs(values) <= LARGEST).all())  # NaN and infinity are not
    if not classes:
        sound = sound and bool((np.abs(y.astype(np.float64)) <= LARGEST).all())
    return sound and distinct > 1 and (len(y) > distinct if classes else len(y) > 2)


def _numbers(X: Any) -> NDArray[np.float64]:
    """The entries of X (of a sparse matrix those that it holds) as numbers."""
    return np.asarray(X.data if hasattr(X, "tocsr") else X, dtype=np.float64)


def _alone_or_together(columns: Columns, y: NDArray[Any], classes: bool) -> Vector:
    """The better of two places, by F and by ReliefF (for numbers RReliefF); F's goes before an equal one."""
    # by the F themselves: beside one that is nearly infinite, as a copy of the target has, others seem equal
    with _naming(f"prior = {AUTO!r}", "give another prior, or None"):
        alone = -ranks(score_named("f").of_target(columns.X, y, columns.positions, classes=classes))
    most = min(len(y), isqrt(MOST_COMPARED // columns.X.shape[1]))
    rows = np.sort(
        resample(np.arange(len(y)), replace=False, n_samples=most, stratify=y if classes else None, random_state=0)
    )
    if len(np.unique(y[rows])) == 1:  # all that differ are too rare for the sample: nothing to compare
        return _scored("f", columns, y, classes)
    some = replace(columns, X=_safe_indexing(columns.X, rows))
    together = _scored("relieff" if classes else "rrelieff", some, y[rows], classes)
    return as_power_index(-np.log(np.minimum(places(alone), places(together) + 0.5)))


def _scored(name: str, columns: Columns, y: NDArray[Any], classes: bool) -> Vector:
    """The power index by the score of this name."""
    measure = score_named(name)
    if y.ndim != 1:
        raise InputError(f"prior = {name!r} needs a target of one column, found {y.shape[1]}; give prior=None")
    with _naming(f"prior = {name!r}", "give another prior, or None"):
        return measure.power_index(columns.X, y, columns.positions, classes=classes)


@contextmanager
def _naming(argument: str, remedy: str) -> Iterator[None]:
    """Name the argument of the selector in an error that a score raises, such as for a missing value."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{argument}: {error}; or {remedy}") from error


def pairs_of(given: Any, columns: Columns, y: NDArray[Any], *, classes: bool, tell: Tell = lambda _: None) -> Pairs:
    """The pairs that `pairs` stands for: "h", a list of pairs, an n x n table of strengths, or None."""
    if given is None:
        return ()
    n = len(columns.attributes)
    if isinstance(given, str) and given == "h":
        if y.ndim != 1:
            raise InputError(f"pairs = 'h' needs a target of one column, found {y.shape[1]}; give pairs=None")
        refuse_many(n)  # first: it would take hours
        tell("working out pairs = 'h'")
        with _naming("pairs = 'h'", "list the pairs, or give None"):
            return interaction_prior(columns.X, y, groups=columns.positions, classes=classes)
    strengths = _strengths(given, n)
    if strengths is not None:
        if strengths.shape != (n, n):
            raise InputError(
                f"a table of pair strengths has {n} rows and columns, one an attribute; found {strengths.shape}"
            )
        return pair_prior(np.asarray(by_name(strengths, columns.attributes.names, "pairs")))
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise InputError(f'pairs is "h", a list of pairs, an n x n table or None; found {given!r}')
    return tuple(_pair(pair, columns) for pair in given)


def refuse_many(n: int) -> None:
    """Refuse pairs among more attributes than they go with."""
    if n > MOST_WITH_PAIRS:
        raise InputError(f"pairs go with at most {MOST_WITH_PAIRS} attributes, found {n}; leave them out")


def _strengths(given: Any, n: int) -> Any:
    """Pairs that are given as a table of strengths, None where they are listed.

    Two lists of two, and two columns of whole numbers, are pairs of positions.
    """
    if isinstance(given, Interactions):
        return given.strengths
    if isinstance(given, list | tuple):
        square = n > 2 and len(given) == n and all(isinstance(row, list | tuple) and len(row) == n for row in given)
        return np.array(given, dtype=np.float64) if square and all(map(is_number, chain(*given))) else None
    if is_frame(given):
        return given
    is_table = getattr(given, "ndim", 0) == 2 and (
        given.shape[1] != 2 or (given.shape == (n, n) and given.dtype.kind == "f")
    )
    return given if is_table else None


def _pair(pair: Any, columns: Columns) -> tuple[int, int]:
    n = len(columns.attributes)
    two = not isinstance(pair, str) and isinstance(pair, Sequence | np.ndarray) and len(pair) == 2
    if not two or not all(isinstance(which, str) or is_whole(which) for which in pair):
        raise InputError(f"a pair is the names or positions of two attributes, found {pair!r}")
    i, j = (columns.attributes.position(which, "pairs") if isinstance(which, str) else int(which) for which in pair)
    if not (0 <= i < n and 0 <= j < n):
        beyond = j if 0 <= i < n else i
        raise InputError(f"pairs names attribute {beyond}, but there are the attributes 0 to {n - 1}")
    refuse_ambiguous(pair, columns.X, "pairs names")
    for which in filter(is_whole, pair):
        columns.refuse_shifted(int(which), "pairs names")
    return i, j
