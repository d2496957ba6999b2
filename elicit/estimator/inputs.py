"""Inputs: what a selector is handed, checked the way scikit-learn checks it, and made an oracle.

Arrays and sparse matrices are validated as usual. A frame is kept as it is, since an estimator may select
columns by name and columns may hold texts; only its numbers are looked at.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, check_array
from sklearn.utils._set_output import ADAPTERS_MANAGER
from sklearn.utils._tags import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d, validate_data

from elicit.errors import InputError, require_instance
from elicit.estimator.routing import Routed
from elicit.oracles import Extra, WrapperOracle
from elicit.oracles.columns import gaps, is_frame, labelled, labels_of, require_array_or_frame, require_no_gaps
from elicit.oracles.pruning import prunes, unread
from elicit.printable import label_of, many

if TYPE_CHECKING:
    from elicit.selector import ElicitSelector


def require_estimator(estimator: Any) -> None:
    """Refuse what is no estimator, and one that does not say what it takes: scikit-learn asks that of its tags."""
    steps = [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else []
    for part in (estimator, *steps):
        require_instance(part)
    if not hasattr(estimator, "fit"):
        raise InputError(f"expected an estimator with fit and predict, found {estimator!r}")
    for part in (estimator, *steps[-1:]):  # a pipeline is what its last step is
        if hasattr(part, "fit") and not hasattr(part, "__sklearn_tags__"):
            raise InputError(
                f"{type(part).__name__} has no tags, by which scikit-learn tells what an estimator takes; derive its "
                "class from sklearn.base.BaseEstimator, and before that from ClassifierMixin or RegressorMixin"
            )


def checked_features(selector: ElicitSelector, X: Any) -> Any:
    """X as the estimator will see it; sets n_features_in_ and feature_names_in_."""
    require_array_or_frame(X)
    tags = get_tags(selector).input_tags
    if not is_frame(X):
        accepted = "csr" if tags.sparse else False
        return checked_array(selector, X, accept_sparse=accepted, ensure_min_samples=2)
    require_distinct_labels(X)
    validate_data(selector, X, skip_check_array=True)
    if X.shape[0] < 2:
        raise InputError(f"X has {many(X.shape[0], 'row')}; at least 2 are needed to hold some of them out")
    require_finite(selector, X, range(X.shape[1]))
    return X


def require_distinct_labels(X: Any) -> None:
    """Refuse a frame two columns of which have one label: neither could be told from the other by its name."""
    times = Counter(X.columns)
    twice = next((label for label in times if times[label] > 1), None)
    if twice is not None:
        raise InputError(f"X has {times[twice]} columns called {str(twice)!r}; rename all but one")


def checked_array(selector: ElicitSelector, X: Any, **how: Any) -> Any:
    """X, which is no frame, as scikit-learn validates it; what the estimator drops may hold gaps."""
    gaps_pass = get_tags(selector).input_tags.allow_nan
    dense = not hasattr(X, "tocsr")
    by_column = not gaps_pass and dense and prunes(selector.estimator)
    try:
        X = validate_data(selector, X, ensure_all_finite=not (gaps_pass or by_column), **how)
    except ValueError:
        if "dtype" not in how:  # only then must its cells be numbers
            _require_no_texts(X)
        if not gaps_pass:  # where it is a gap, name the column and row, as of a frame
            X = validate_data(selector, X, ensure_all_finite=False, **how)
            require_finite(selector, X, range(X.shape[1]) if dense else _columns_with_gaps(X))
        raise
    if by_column:
        require_finite(selector, X, range(X.shape[1]))
    return X


def _require_no_texts(X: Any) -> None:
    """Refuse texts in an array that could not be read as numbers, and name one."""
    kind = X.dtype.kind if hasattr(X, "dtype") else ""  # a list: one text makes texts of all its numbers
    cells: NDArray[Any] = np.asarray(X, dtype=object) if kind in "OSU" else np.empty(0)
    if cells.ndim != 2:
        return
    texts = [(place, cell) for place, cell in np.ndenumerate(cells) if isinstance(cell, str | bytes)]
    odd = [(place, text) for place, text in texts if not _says_a_number(text)]
    if told := odd or ([] if kind == "O" else texts):  # among objects a number that is written is read as one
        (row, column), text = told[0]
        raise InputError(
            f"X is an array that holds texts, such as {str(text)!r:.80} in column 'x{column}', row {row}; "
            "give numbers, or a frame of pandas or polars, whose columns of texts an encoder in the estimator may take"
        )


def _says_a_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def require_finite(selector: ElicitSelector, X: Any, columns: Iterable[int]) -> None:
    """Refuse NaN and infinity in these columns of X, unless the estimator takes NaN or drops the column."""
    if get_tags(selector).input_tags.allow_nan:
        return
    passed_by = cache(lambda: unread(selector.estimator, X))  # worked out once, and only where there is a gap
    for place in columns:
        column = np.asarray(_safe_indexing(X, place, axis=1) if is_frame(X) else _column(X, place))
        bad = np.flatnonzero(~np.isfinite(column) if column.dtype.kind == "f" else gaps(column))
        if len(bad) and place not in passed_by():
            name = X.columns[place] if is_frame(X) else names_of(selector)[place]
            raise InputError(
                f"Input X contains NaN or infinity: column {str(name)!r}, row {int(bad[0])}; "
                f"{type(selector.estimator).__name__} does not accept it, so drop the row or put an imputer before it"
            )


def _columns_with_gaps(X: Any) -> list[int]:
    """The columns of a sparse matrix that hold NaN or infinity; there may be too many others to look at each."""
    held = X.tocoo()
    return sorted(set(held.col[~np.isfinite(held.data)].tolist()))


def _column(X: Any, place: int) -> NDArray[Any]:
    column = X[:, [place]]
    return np.asarray(column.toarray() if hasattr(column, "tocsr") else column).ravel()


def names_of(selector: ElicitSelector) -> list[str]:
    """What the columns seen by `checked_features` are called, as in `get_feature_names_out`: x0, x1, … unless X is a
    frame whose labels are texts."""
    named = getattr(selector, "feature_names_in_", None)
    return [f"x{k}" for k in range(selector.n_features_in_)] if named is None else list(map(str, named))


def labelled_by_names(selector: ElicitSelector, value: Any, X: Any) -> Any:
    """A mapping, or a pandas series or frame, that is labelled like the columns of X, labelled by their names.

    Anything else is left as it is. Labels 0, 1, … in this order are labels only where the columns of X have just these.
    """
    if not is_frame(X):
        return value
    called, axes = dict(zip(X.columns, names_of(selector), strict=True)), labels_of(value)
    if isinstance(value, Mapping):
        return {called.get(label, label): each for label, each in value.items()} if set(value) == set(called) else value
    if not labelled(value) and any(set(labels) != set(called) for labels in axes):
        return value
    for axis, labels in enumerate(axes):
        value = value.set_axis([called.get(label, label) for label in labels], axis=axis)
    return value


def checked_target(selector: ElicitSelector, y: Any, rows: int) -> NDArray[Any]:
    """y as an array with one value (or row of values) a row; a classifier's holds at least two classes."""
    if y is None:
        raise InputError(f"{type(selector).__name__} requires y to be passed, but the target y is None; call fit(X, y)")
    values = _as_values(y)
    if len(values) != rows:
        raise InputError(f"X has {rows} rows and the target {len(values)} values; give one value a row")
    if is_regressor(selector.estimator) and values.dtype.kind in "UO":
        values = _read_as_numbers(values)
    if is_classifier(selector.estimator):
        _require_classes(values)
    return values


def _as_values(y: Any) -> NDArray[Any]:
    """y as an array without gaps."""
    try:
        table = y if hasattr(y, "tocsr") else np.asarray(y)
    except ValueError:  # NumPy speaks of shapes, and of no argument
        raise InputError("y holds rows of different lengths; give each row of X one value, or equally many") from None
    if table.ndim not in (1, 2):
        raise InputError(
            f"y holds one value (or row of values) for each row of X, found an object of type {type(y).__name__}"
        )
    if not hasattr(table, "tocsr"):
        _require_known(table)
    values: NDArray[Any] = check_array(y, ensure_2d=False, dtype=None, input_name="y", ensure_min_samples=0)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    return values


def _read_as_numbers(texts: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers that texts say."""
    try:
        values = texts.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError("the estimator predicts numbers, but y holds texts; give numbers, or a classifier") from None
    _require_known(values)
    return values


def _require_classes(values: NDArray[Any]) -> None:
    """Refuse what are no labels of at least two classes."""
    try:
        kind = type_of_target(values, input_name="y")
    except TypeError:  # Python's own, of labels that it cannot put in order, or scikit-learn's of bytes
        several = "bytes" if isinstance(values.flat[0], bytes) else "labels of several types"
        raise InputError(f"y holds {several}; give y.astype(str)") from None
    if kind.startswith("continuous"):
        raise InputError("the estimator is a classifier, but y holds numbers that are not whole; give labels")
    if kind in ("binary", "multiclass"):
        classes = np.unique(values)
        if len(classes) < 2:
            raise InputError(
                f"the target has the one class {label_of(classes[0])}; a classifier needs at least two, so check y"
            )


def _require_known(target: NDArray[Any]) -> None:
    """Refuse a target with a gap, or with infinity."""
    require_no_gaps(target)
    if target.dtype.kind == "f" and (infinite := np.isinf(target)).any():
        raise InputError(f"the target is infinite in row {int(np.argwhere(infinite)[0][0])}; mend it, or drop the row")


def oracle_of(
    selector: ElicitSelector, X: Any, y: NDArray[Any], seed: int, routed: Routed, criteria: Sequence[Extra] = ()
) -> WrapperOracle:
    """What measures a subset: the cross-validation of the selector's estimator on its columns."""
    return WrapperOracle(
        selector.estimator,
        X,
        y,
        attributes=names_of(selector),
        feature_groups=selector.feature_groups,
        cv=routed.cv,
        scoring=selector.scoring,
        criteria=criteria,
        groups=routed.groups,
        sample_weight=routed.sample_weight,
        fit_params=routed.fit,
        score_params=routed.score,
        criteria_params=routed.criteria,
        random_state=seed,
    )


def as_pandas(frame: Any) -> Any:
    """A frame as one of pandas, column by column: scikit-learn would make one array of all, of a single type."""
    if hasattr(frame, "iloc"):
        return frame
    pandas = ADAPTERS_MANAGER.adapters["pandas"]

    def column(name: Any) -> Any:
        values = frame[name]
        made = pandas.create_container(values.to_numpy()[:, None], None, columns=[name])
        return made.astype("category") if type(values.dtype).__name__ in ("Categorical", "Enum") else made

    return pandas.hstack([column(name) for name in frame.columns])
