"""Pruning: an estimator that selects columns itself, reduced to the columns of a subset.

A ColumnTransformer names the columns that each of its parts takes. Given a subset it would miss the
others, so a clone is made whose parts take only what is there: by name in a frame, by their new
positions otherwise. Only a ColumnTransformer that receives X itself can be reduced; what selects by name or
position further down would take other columns, and is refused. A callable that selects columns is left
as it is: it looks at what it is given. Where that was a frame and will be an array, which tells it less, it
looks beforehand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils._tags import get_tags

from elicit.errors import InputError
from elicit.numeric import is_whole
from elicit.oracles.columns import is_frame
from elicit.printable import many

#: Parameters of transformers that may have one entry for each column.
_PER_COLUMN = ("categories", "drop", "n_bins")

#: What holds an entry for each of several.
_LISTS = (list, tuple, np.ndarray)

#: Parameters of models that may, and of a ColumnTransformer.
_OF_COLUMNS = ("categorical_features", "monotonic_cst", "interaction_cst", "transformers")

#: Where a search, such as GridSearchCV, lists what it tries.
_SEARCHED = ("param_grid", "param_distributions")

#: Settings by which an estimator takes a table of the rows with each other.
_TABLING = ("affinity", "kernel", "metric")


def prunes(estimator: Any) -> bool:
    """Whether the estimator chooses columns of X itself."""
    return next(_column_transformers(estimator), None) is not None


def refuse_misplaced(estimator: Any) -> None:
    """Refuse what takes all columns or none, and what selects some by name or position where a subset shifts them."""
    # a search may set another kernel than the one that it was given
    retabled = any(name.rpartition("__")[2] in _TABLING for part in parts_of(estimator) for name, _ in _tried(part))
    for part in _given_all(estimator):
        if isinstance(part, FrozenEstimator) and hasattr(part, "n_features_in_"):
            raise InputError(
                f"{type(part.estimator).__name__} is frozen as it was fitted to {many(part.n_features_in_, 'column')}, "
                "and takes no subset of them; give it without FrozenEstimator"
            )
        if not retabled and hasattr(part, "__sklearn_tags__") and get_tags(part).input_tags.pairwise:
            raise InputError(
                f"{type(part).__name__} is set to take a table of the rows with each other, whose columns are no "
                "features to choose from; give the features, and a kernel or metric that is not precomputed"
            )
    reached = list(_column_transformers(estimator))
    cut = {
        id(inner)
        for chooser in reached
        for _, part, chosen in chooser.transformers
        if not callable(chosen)
        for inner in parts_of(part)
    }
    for part in parts_of(estimator):
        if not any(part is chooser for chooser in reached):
            for what in _misplaced(part, cut=id(part) in cut):
                raise InputError(what)


def _misplaced(part: Any, *, cut: bool) -> Iterator[str]:
    """What is wrong with a part, of an estimator that is fitted to subsets, which selects or lists single columns.

    cut: a ColumnTransformer in front reduces its settings to the columns that are left.
    """
    kind, shifted = type(part).__name__, "which a subset of the features shifts"
    if isinstance(part, ColumnTransformer) and not all(callable(chosen) for _, _, chosen in part.transformers):
        yield (
            "a ColumnTransformer behind another step, inside another, or among what a search tries chooses columns "
            f"by name or position, {shifted}; put it first, or let a callable choose (make_column_selector)"
        )
    for name, value in _tried(part):
        if name.rpartition("__")[2] in (*_PER_COLUMN, *_OF_COLUMNS) and isinstance(value, _LISTS):
            yield f"{kind} tries {name} for single columns, {shifted}; leave it out"
    if _given(part, "categorical_features"):
        yield (
            f"{kind} lists its categorical_features, {shifted}; "
            "give a frame with categories, and categorical_features='from_dtype'"
        )
    for name in () if cut else _settings_per_column(part):
        yield f"{kind} has {name} for single columns, {shifted}; put it in a ColumnTransformer that names its columns"
    for name in ("monotonic_cst", "interaction_cst"):
        if _given(part, name):
            yield f"{kind} has {name} for single columns, {shifted}; leave it out"


def _given(part: Any, name: str) -> bool:
    """Whether a setting that may be a word for all columns lists them."""
    value = getattr(part, name, None)
    return value is not None and not isinstance(value, str)


def _given_all(estimator: Any) -> Iterator[Any]:
    """The innermost estimators that receive X as it is."""
    if isinstance(estimator, Pipeline):
        inner = [first_step(estimator)]
    else:
        inner = [] if isinstance(estimator, FrozenEstimator) else handed_on(estimator)
    if not inner:
        yield estimator
    for part in inner:
        yield from _given_all(part)


def checked_once(estimator: Any) -> bool:
    """Whether scikit-learn need look at the settings of an estimator in one fold only: they are the same in all.

    Of a search they are not, for it sets what it tries; and what other code sets while it fits nobody knows.
    """
    parts = parts_of(estimator)
    set_by_fits = any(hasattr(part, listed) for part in parts for listed in _SEARCHED)
    called = any(callable(value) for part in parts for value in part.get_params(deep=False).values())
    return all(map(of_sklearn, parts)) and not set_by_fits and not called


def of_sklearn(estimator: Any) -> bool:
    """Whether an estimator is scikit-learn's own."""
    return type(estimator).__module__.partition(".")[0] == "sklearn"


def parts_of(estimator: Any) -> list[Any]:
    """An estimator and all those in it, or tried by a search in it."""
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return []
    inner = estimator.get_params(deep=True).values()
    parts = [estimator, *(part for part in inner if hasattr(part, "get_params") and not isinstance(part, type))]
    return parts + [other for part in parts for _, value in _tried(part) for other in parts_of(value)]


def _tried(search: Any) -> Iterator[tuple[str, Any]]:
    """The settings that a search tries, each a name and a value."""
    for listed in _SEARCHED:
        given = getattr(search, listed, None)
        for grid in given if isinstance(given, list | tuple) else [given]:
            for name, values in grid.items() if isinstance(grid, Mapping) else ():
                yield from ((name, value) for value in (values if isinstance(values, _LISTS) else ()))


def pruned(estimator: Any, X: Any, columns: Sequence[int], *, named: bool = True) -> Any:
    """A clone whose ColumnTransformers take, of what they would take of X, only the given columns.

    named: these columns keep their names, if X has names.
    """
    named = named and is_frame(X)
    mine = clone(estimator)
    for chooser in _column_transformers(mine):
        parts = []
        for name, part, chosen in chooser.transformers:
            choice = int(chosen) if is_whole(chosen) else chosen
            if not callable(choice):
                _cut_settings(part, _positions(choice, X), columns)
                choice = _remaining_choice(choice, X, columns, named)
            elif is_frame(X) and not named:
                choice = _looked_up(choice, X, columns)
            parts.append((name, part, choice))
        chooser.set_params(transformers=parts)
    return mine


def unread(estimator: Any, X: Any) -> set[int]:
    """The positions of the columns of X that a ColumnTransformer drops before anything else sees them."""
    if isinstance(estimator, Pipeline):
        return unread(first_step(estimator), X)
    if not isinstance(estimator, ColumnTransformer):
        if getattr(estimator, "passthrough", False) or not of_sklearn(estimator):
            return set()  # the last estimator of such a stack sees X, too; and of other code nobody knows what does
        inner = [unread(part, X) for part in handed_on(estimator)]
        return set.intersection(*inner) if inner else set()
    whole = set(range(X.shape[1]))
    parts = [(part, _positions(_resolved_choice(chosen, X), X)) for _, part, chosen in estimator.transformers]
    parts.append((estimator.remainder, list(whole.difference(*(found for _, found in parts)))))
    read = {column for part, found in parts if not (isinstance(part, str) and part == "drop") for column in found}
    return whole - read


def never_read(estimator: Any, X: Any) -> set[int]:
    """The positions of the columns that are `unread` in every subset of those of X, too.

    A callable that chooses columns may choose others of a subset; scikit-learn's own looks at each column alone. And a
    search may try what reads more.
    """
    choices = [chosen for chooser in _column_transformers(estimator) for _, _, chosen in chooser.transformers]
    settled = all(isinstance(chosen, make_column_selector) for chosen in choices if callable(chosen))
    searched = any(next(_tried(part), None) for part in parts_of(estimator))
    return unread(estimator, X) if settled and not searched else set()


def handed_on(estimator: Any) -> list[Any]:
    """The inner estimators that receive X unchanged: of a search, bag, transformed target, vote, stack or union."""
    inside = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    parts = [inside.get("estimator"), inside.get("regressor")]
    for name in ("estimators", "transformer_list"):
        parts += [_without_name(part) for part in inside[name]] if isinstance(inside.get(name), list | tuple) else []
    return [part for part in parts if hasattr(part, "fit") or (isinstance(part, str) and part == "passthrough")]


def _without_name(part: Any) -> Any:
    """The estimator in a (name, estimator) pair, or the value itself."""
    return part[1] if isinstance(part, tuple) and len(part) == 2 else part


def _resolved_choice(choice: Any, X: Any) -> Any:
    """The columns of a choice, after a callable has looked at X."""
    found = choice(X) if callable(choice) else choice
    return int(found) if is_whole(found) else found


def first_step(pipeline: Pipeline) -> Any:
    """The first step that is not a passthrough, None where there is none."""
    return next((step for _, step in pipeline.steps if step is not None and step != "passthrough"), None)


def _settings_per_column(part: Any) -> list[str]:
    """The parameters of a transformer that have an entry for each of its columns."""
    return [name for name in _PER_COLUMN if isinstance(getattr(part, name, None), _LISTS)]


def _cut_settings(part: Any, taken: Sequence[int], columns: Sequence[int]) -> None:
    """Reduce parameters per column to the entries of the columns that are left."""
    left = [k for k, column in enumerate(taken) if column in columns]
    for inner in parts_of(part):
        for name in _settings_per_column(inner):
            given = getattr(inner, name)
            if left and len(given) == len(taken):
                inner.set_params(**{name: given[left] if isinstance(given, np.ndarray) else [given[k] for k in left]})


def _column_transformers(estimator: Any) -> Iterator[ColumnTransformer]:
    """The ColumnTransformers that receive the columns of X as they are."""
    if isinstance(estimator, ColumnTransformer):
        yield estimator
    elif isinstance(estimator, Pipeline):
        yield from _column_transformers(first_step(estimator))
    elif hasattr(estimator, "get_params") and not isinstance(estimator, type):
        for name, value in estimator.get_params(deep=False).items():
            if name == "final_estimator":  # of a stack: it gets predictions
                continue
            listed = value if isinstance(value, list | tuple) else [value]
            for part in listed:  # such as (name, estimator) in a FeatureUnion or a VotingClassifier
                if hasattr(inner := _without_name(part), "get_params"):
                    yield from _column_transformers(inner)


def _remaining_choice(chosen: Any, X: Any, columns: Sequence[int], named: bool) -> Any:
    """What is left of a choice of columns, in the form in which it was made."""
    kept = {column: k for k, column in enumerate(columns)}
    left = [column for column in _positions(chosen, X) if column in kept]
    if isinstance(chosen, str | int) and left:  # one column, handed on as a vector
        return chosen if isinstance(chosen, str) and named else kept[left[0]]
    if named and all(isinstance(X.columns[column], str) for column in left):
        return [X.columns[column] for column in left]
    return [kept[column] for column in left]


def _looked_up(looks: Any, X: Any, columns: Sequence[int]) -> Any:
    """What a callable chooses of these columns of a frame, by their positions among them."""
    part = _safe_indexing(X, list(columns), axis=1)
    return _remaining_choice(_resolved_choice(looks, part), part, range(len(columns)), named=False)


def _positions(chosen: Any, X: Any) -> list[int]:
    """The positions in X of columns chosen by name, position, slice or truth values."""
    width = X.shape[1]
    if is_frame(X):
        place = {str(name): k for k, name in enumerate(X.columns)}
        listed = [chosen] if isinstance(chosen, str) else chosen
        if isinstance(chosen, slice) and _by_name(chosen):
            return _positions_between(chosen, place, width)
        if isinstance(listed, Collection) and len(listed) and all(isinstance(name, str) for name in listed):
            return [_place(place, name) for name in listed]
    elif _by_name(chosen):
        raise InputError(f"the estimator's ColumnTransformer selects columns by name, {chosen!r}; give X as a frame")
    try:
        found = _safe_indexing(np.arange(width), chosen if isinstance(chosen, slice | int) else list(chosen))
    except (IndexError, TypeError, ValueError):  # as scikit-learn would refuse it in every fit
        found = None
    if found is None or found.ndim > 1:
        raise InputError(
            f"the estimator's ColumnTransformer selects {chosen!r:.80}, but X has {many(width, 'column')}; "
            "give positions of those, or one truth value for each"
        )
    return list(np.atleast_1d(found).tolist())


def _positions_between(names: slice, place: dict[str, int], width: int) -> list[int]:
    """The positions of the columns from one name to another, which is among them."""
    if names.step not in (None, 1):
        raise InputError(
            f"the estimator's ColumnTransformer selects {names!r}, but a slice of names has no step; list the names"
        )
    first = 0 if names.start is None else _place(place, names.start)
    last = width - 1 if names.stop is None else _place(place, names.stop)
    return list(range(first, last + 1))


def _by_name(chosen: Any) -> bool:
    """Whether a choice of columns names some of them."""
    if isinstance(chosen, slice):
        return isinstance(chosen.start, str) or isinstance(chosen.stop, str)
    return any(isinstance(which, str) for which in (chosen if isinstance(chosen, Iterable) else [chosen]))


def _place(place: dict[str, int], name: str) -> int:
    if name not in place:
        raise InputError(f"the estimator's ColumnTransformer selects column {name!r}, which X does not have")
    return place[name]
