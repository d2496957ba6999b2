"""Score, distinct fits and wall time of the selector against what people use, same estimator and folds, one run.

    python tests/benchmarks/bench_selector.py                      wine and breast cancer, every rival (minutes)
    python tests/benchmarks/bench_selector.py --data digits --model knn --rivals path   (a quarter of an hour)
    python tests/benchmarks/bench_selector.py --tolerance --rivals auto   what a tolerance takes, too

A fit here is one cross-validation of one subset (10 stratified shuffled folds, seed 0, scaler inside the
fold). The rivals run their own code; each subset that they evaluate is written down on the way, so that
"score@size" is the best of all that they evaluated (ties to fewer features). `auto` is forward selection
that stops when nothing is gained; `path` goes all the way and keeps the best; RFECV fits another subset
in every fold, so its fits are the sizes it tries. Ours runs once a seed with its own budget; "to reach"
is the evaluation at which its score first was at least the rival's, and the ratio is to the rival's fits.
With `--tolerance` a second fit takes the fewest features within one standard error of the best; beside them stand the
fewest that the first fit, which sought the best score alone, came by.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mlxtend.feature_selection.sequential_feature_selector as mlxtend_sfs
import numpy as np
import sklearn.feature_selection._sequential as sklearn_sfs
from mlxtend.feature_selection import SequentialFeatureSelector as Floating
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.feature_selection import RFECV, SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit import ElicitSelector
from elicit.estimator.tolerance import ONE_SE, least_within
from elicit.events import Evaluated
from elicit.journal import read

DATA = {"wine": load_wine, "breast_cancer": load_breast_cancer, "digits": load_digits}
MODELS = {"knn": lambda: KNeighborsClassifier(3), "logistic": lambda: LogisticRegression(max_iter=2000)}
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
CLOSE = 1e-9

#: Size and score of each evaluation, under whatever tells one subset from another.
Found = dict[Any, tuple[int, float]]


@contextlib.contextmanager
def _watched(module: Any, name: str, record: Callable[[Any], Any]) -> Iterator[None]:
    """While it lasts, what `module.name` is called with and gives is written down."""
    plain = getattr(module, name)
    setattr(module, name, record(plain))
    try:
        yield
    finally:
        setattr(module, name, plain)


def forward(model: Any, X: Any, y: Any, *, auto: bool) -> Found:
    """scikit-learn's own, which never tries a subset twice."""
    found: Found = {}

    def record(plain: Any) -> Any:
        def scoring(estimator: Any, X_new: Any, *rest: Any, **named: Any) -> Any:
            scores = plain(estimator, X_new, *rest, **named)
            found[len(found)] = X_new.shape[1], float(scores.mean())
            return scores

        return scoring

    kept: dict[str, Any] = {"tol": CLOSE} if auto else {"n_features_to_select": X.shape[1] - 1}
    with _watched(sklearn_sfs, "cross_val_score", record):
        SequentialFeatureSelector(model, cv=FOLDS, **kept).fit(X, y)
    if not auto:  # the path ends with every feature
        found[len(found)] = X.shape[1], float(cross_val_score(model, X, y, cv=FOLDS).mean())
    return found


def floating(model: Any, X: Any, y: Any) -> Found:
    """mlxtend's floating forward selection over every size."""
    found: Found = {}

    def record(plain: Any) -> Any:
        def scoring(selector: Any, X_: Any, y_: Any, indices: Any, *rest: Any, **named: Any) -> Any:
            result = plain(selector, X_, y_, indices, *rest, **named)
            found[tuple(sorted(int(k) for k in indices))] = len(indices), float(np.mean(result[1]))
            return result

        return scoring

    with _watched(mlxtend_sfs, "_calc_score", record):
        Floating(model, k_features=(1, X.shape[1]), floating=True, cv=list(FOLDS.split(X, y)), scoring="accuracy").fit(
            X, y
        )
    return found


def eliminated(model: Any, X: Any, y: Any) -> Found:
    """Recursive elimination by coefficients; the subsets differ from fold to fold, so a size stands for them."""
    rfe = RFECV(model, cv=FOLDS, importance_getter="named_steps.logisticregression.coef_").fit(X, y)
    sizes, scores = rfe.cv_results_["n_features"], rfe.cv_results_["mean_test_score"]
    return {size: (int(size), float(score)) for size, score in zip(sizes, scores, strict=True)}


RIVALS: dict[str, Callable[[Any, Any, Any], Found]] = {
    "auto": lambda model, X, y: forward(model, X, y, auto=True),
    "path": lambda model, X, y: forward(model, X, y, auto=False),
    "sffs": floating,
    "rfecv": eliminated,
}


def best(found: Found) -> tuple[float, int]:
    top = max(score for _, score in found.values())
    return top, min(size for size, score in found.values() if score >= top - CLOSE)


def ours(
    model: Any, X: Any, y: Any, seed: int, budget: int | str, n_jobs: int | None
) -> tuple[list[float], list[float], Any]:
    """Score and second of each evaluation, from the journal, and the selector."""
    with tempfile.TemporaryDirectory() as folder:
        selector = ElicitSelector(model, cv=FOLDS, budget=budget, random_state=seed, n_jobs=n_jobs, journal=folder)
        start = time.time()
        selector.fit(X, y)
        (path,) = Path(folder).glob("*.jsonl")
        record = read(path)
    pairs = [(f, t) for f, t in zip(record.facts, record.times, strict=True) if isinstance(f, Evaluated)]
    return [f.criteria[0] for f, _ in pairs], [float(t or 0) - start for _, t in pairs], selector


def within(first: Any, X: Any, y: Any) -> str:
    """How many features within one standard error the second fit takes, and the fewest that the first came by."""
    record = first.session_
    came_by = least_within(record.history, record.family, ONE_SE)
    second = clone(first).set_params(tolerance=ONE_SE, journal=None).fit(X, y)
    tops = [float(np.nanmax(each.cv_results_["mean_test_score"])) for each in (second, first)]
    assert came_by is not None
    sizes = f"{len(second.feature_names_)} features, {came_by.bit_count()} without the tolerance"
    return f"within one standard error: {sizes}; best measured {tops[0]:.4f}, {tops[1]:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="wine,breast_cancer")
    parser.add_argument("--model", default="knn,logistic")
    parser.add_argument("--rivals", default=",".join(RIVALS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--budget", type=int)
    parser.add_argument("--n-jobs", type=int)
    parser.add_argument("--tolerance", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for data in args.data.split(","):
        X, y = DATA[data](return_X_y=True)
        for name in args.model.split(","):
            model = make_pipeline(StandardScaler(), MODELS[name]())
            print(f"\n{data}, {name} (n = {X.shape[1]})", flush=True)
            runs = []
            for seed in range(args.seeds):
                start = time.perf_counter()
                scores, at, selector = ours(model, X, y, seed, args.budget or "auto", args.n_jobs)
                seconds = time.perf_counter() - start
                runs.append((scores, at))
                size = len(selector.feature_names_)
                print(
                    f"  ours, seed {seed}: {selector.best_score_:.4f}@{size}, {len(scores)} fits, {seconds:.0f} s",
                    flush=True,
                )
                if args.tolerance:
                    print(f"    {within(selector, X, y)}", flush=True)
            for rival in args.rivals.split(","):
                if rival == "rfecv" and name != "logistic":
                    continue  # needs coefficients
                start = time.perf_counter()
                found = RIVALS[rival](model, X, y)
                seconds = time.perf_counter() - start
                report(rival, found, seconds, runs)


def report(rival: str, found: Found, seconds: float, runs: list[tuple[list[float], list[float]]]) -> None:
    score, size = best(found)
    print(f"  {rival}: {score:.4f}@{size}, {len(found)} fits, {seconds:.0f} s; ours to reach that:", flush=True)
    reached = [next((k for k, s in enumerate(scores) if s >= score - CLOSE), None) for scores, _ in runs]
    for seed, (k, (_, at)) in enumerate(zip(reached, runs, strict=True)):
        if k is None:
            print(f"    seed {seed}: not reached within the budget")
        else:
            fits, second = (k + 1) / len(found), at[k] / seconds
            print(f"    seed {seed}: {k + 1} fits ({fits:.2f} of its fits), {at[k]:.0f} s ({second:.2f} of its time)")
    third = sum(k is not None and 3 * (k + 1) <= len(found) for k in reached)
    print(f"    reached in at most a third of its fits: {third} of {len(runs)} seeds", flush=True)


if __name__ == "__main__":
    main()
