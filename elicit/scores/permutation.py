"""Permutation importance: how much worse a fitted model predicts when the values of one attribute are exchanged.

Four ways of exchanging, each a table of orders (row i receives the value of row order[i]):

- "permute": free permutations, which leave a value in its place once in n;
- "cycle": distinct shifts of one random order, which never do; less spread for the same number of repeats;
- "swap": a random order cut into halves that change places (the shift of n/2);
- "pairs": every shift, so that every row meets every other value once: exact, n(n−1) rows an attribute.

The last is the mean over "cycle" and "swap" too. Free permutations are not the same, E[e_permute] =
(1 − 1/n) e_pairs + e/n, with e the error of the model itself.

The rule: the same orders serve every attribute. Rows on which the model was fitted tell what it relies on,
new rows tell what helps; this is the caller's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error, zero_one_loss

from elicit.errors import InputError, require_instance
from elicit.numeric import whole
from elicit.scores.answers import at_once, classifies, require_fitted, scored, scorer_of
from elicit.scores.protocol import Floats, Groups, columns_of_groups, generator, target_of
from elicit.scores.sheet import Sheet

HOW = ("permute", "cycle", "swap", "pairs")
Orders = NDArray[np.intp]
Loss = Callable[[Any, Any], float]

#: Losses by name, with the method of the model that they compare with the truth.
LOSSES: dict[str, tuple[Loss, str]] = {
    "mse": (mean_squared_error, "predict"),
    "mae": (mean_absolute_error, "predict"),
    "zero-one": (zero_one_loss, "predict"),
    "log-loss": (log_loss, "predict_proba"),
}

#: Repeats when none are asked for.
REPEATS = 10


@dataclass(frozen=True)
class PermutationImportance:
    """errors (d, repeats) after exchanging, `error` before; importances are their difference or ratio."""

    error: float
    errors: Floats
    importances: Floats
    names: tuple[str, ...]

    @property
    def mean(self) -> Floats:
        """One number an attribute."""
        return np.asarray(self.importances.mean(axis=1))

    @property
    def spread(self) -> Floats:
        """Standard deviation over the repeats."""
        return np.asarray(self.importances.std(axis=1))

    @property
    def ranking(self) -> tuple[int, ...]:
        """Attributes from the most to the least important."""
        return tuple(int(i) for i in np.argsort(-self.mean, kind="stable"))


#: An error below this share of the largest is one of rounding, and no number to divide by.
ROUNDING = 1e-14


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    how: str = "cycle",
    compare: str = "difference",
    loss: str | Loss | None = None,
    scoring: Any = None,
    repeats: int | None = None,
    groups: Groups | None = None,
    random_state: int | np.random.Generator = 0,
) -> PermutationImportance:
    """How much the error of a fitted model grows on these rows.

    compare: "difference" e_j − e, or "ratio" e_j / e.
    loss: "mse" (default of regressors), "zero-one" (of classifiers), "mae", "log-loss", or f(y, prediction).
    scoring: instead of a loss, a scorer of scikit-learn (the error is minus its score).
    repeats: number of orders (default 10, fewer rows permitting); "pairs" takes none.
    groups: positions of the columns that are exchanged together, as one attribute.
    """
    if compare not in ("difference", "ratio"):
        raise InputError(f"compare is 'difference' or 'ratio', found {compare!r}")
    if compare == "ratio" and scoring is not None:
        raise InputError("a ratio needs an error that is not negative; give a loss instead of scoring")
    require_instance(model, "a fitted estimator")
    if not hasattr(model, "predict"):
        raise InputError(f"expected a fitted estimator, found {model!r:.60}")
    require_fitted(model)
    sheet = Sheet(X)
    target = target_of(y, sheet.n)
    held = columns_of_groups(groups, sheet.d)
    orders = exchanges(how, sheet.n, repeats, generator(random_state))
    error, errors = measured_errors(model, sheet, target, orders, held, loss, scoring)
    if not np.isfinite(error) or not np.isfinite(errors).all():
        raise InputError("the loss or the scoring gives what is no finite number on these rows; choose another")
    if compare == "ratio" and not error > ROUNDING * max(error, float(errors.max())):
        raise InputError("the model makes no error on these rows, so no ratio exists; compare by difference")
    importances = errors / error if compare == "ratio" else errors - error
    names = sheet.names if groups is None else tuple("+".join(sheet.names[j] for j in group) for group in held)
    return PermutationImportance(error, errors, importances, names)


def exchanges(how: str, n: int, repeats: int | None, rng: np.random.Generator) -> Orders:
    """Orders (repeats, n): in repeat r, row i receives the value of row orders[r, i]."""
    if how not in HOW:
        raise InputError(f"how is one of {', '.join(HOW)}; found {how!r}")
    if n < 2:
        where = "in every fold, or held out, where there are such"
        raise InputError(f"exchanging values needs at least 2 rows ({where}), found {n}; give more rows")
    if how == "pairs":
        if repeats is not None:
            raise InputError("'pairs' makes every exchange once; leave repeats out")
        return _shifts(np.arange(n), range(1, n))
    most = n - 1 if how == "cycle" else None
    count = min(REPEATS, most or REPEATS) if repeats is None else whole("repeats", repeats)
    if most is not None and count > most:
        raise InputError(f"{n} rows have {most} distinct shifts, {count} were asked for; use fewer, or how='permute'")
    if how == "permute":
        return np.array([rng.permutation(n) for _ in range(count)])
    if how == "swap":
        return np.concatenate([_shifts(rng.permutation(n), [n // 2]) for _ in range(count)])
    return _shifts(rng.permutation(n), rng.choice(np.arange(1, n), count, replace=False))


def _shifts(order: NDArray[Any], shifts: Any) -> Orders:
    """One order for each cyclic shift: the row at place p receives the value of the row at place p + shift."""
    made = np.empty((len(shifts), len(order)), dtype=np.intp)
    for row, shift in zip(made, shifts, strict=True):
        row[order] = np.roll(order, -int(shift))
    return made


def measured_errors(
    model: Any,
    sheet: Sheet,
    y: NDArray[Any],
    orders: Orders,
    held: Sequence[Sequence[int]],
    loss: str | Loss | None = None,
    scoring: Any = None,
) -> tuple[float, Floats]:
    """The error as it is, and (attributes, repeats) with the values of each attribute exchanged."""
    everything = np.arange(sheet.n)

    def changed(group: Sequence[int], some: Orders) -> Any:
        rows = np.tile(everything, len(some))
        return sheet.replaced(rows, {j: sheet.column(j)[some.ravel()] for j in group})

    if scoring is not None:
        if loss is not None:
            raise InputError("give a loss or a scoring, not both")
        scorer = scorer_of(model, scoring)
        error = -scored(scorer, model, sheet.X, y)
        found = [[-scored(scorer, model, changed(group, order[None]), y) for order in orders] for group in held]
        return error, np.array(found)

    cost, method = _loss(model, loss, y)
    ask = getattr(model, method)
    step = at_once(sheet.n * sheet.d)
    errors = np.empty((len(held), len(orders)))
    for k, group in enumerate(held):
        for start in range(0, len(orders), step):
            some = orders[start : start + step]
            said = np.split(np.asarray(ask(changed(group, some))), len(some))
            errors[k, start : start + len(some)] = [cost(y, answer) for answer in said]
    return float(cost(y, ask(sheet.X))), errors


def _loss(model: Any, loss: str | Loss | None, y: NDArray[Any]) -> tuple[Loss, str]:
    if callable(loss):
        return loss, "predict"
    name = loss if loss is not None else "zero-one" if classifies(model) else "mse"
    if not isinstance(name, str) or name not in LOSSES:
        raise InputError(f"loss is one of {', '.join(LOSSES)} or a function, found {name!r}")
    cost, method = LOSSES[name]
    if not hasattr(model, method):
        raise InputError(f"the loss {name!r} needs a model with {method}, {type(model).__name__} has none")
    if name in ("mse", "mae") and any(isinstance(label, str) for label in y.tolist()):
        raise InputError(f"the loss {name!r} subtracts, and the target holds texts; choose zero-one or log-loss")
    if name == "log-loss":
        return lambda y, answer: float(log_loss(y, answer, labels=model.classes_)), method
    return cost, method
