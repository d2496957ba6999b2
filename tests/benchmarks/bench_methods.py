"""Forward selection against scikit-learn's and mlxtend's: the same estimator, the same folds, one core.

Run it as `python tests/benchmarks/bench_methods.py [--size N] [--repeats N]`. For each data set and model all
three select N attributes; it asserts that they score the same subsets equally well, and prints the processor seconds of
each (the fastest of the repeats, taken in turns) and how many times as long the others take.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from mlxtend.feature_selection import SequentialFeatureSelector as MlxtendSelector
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from elicit.explore import explore
from elicit.methods import Method, Sequential, Sized
from elicit.oracles import WrapperOracle
from elicit.subsets import mask_of

DATA = {"wine": load_wine, "breast cancer": load_breast_cancer}
MODELS = {
    "KNN(3)": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "naive Bayes": make_pipeline(StandardScaler(), GaussianNB()),
    "ridge": make_pipeline(StandardScaler(), RidgeClassifier()),
    "tree, no scaler": DecisionTreeClassifier(max_depth=3, random_state=0),
}


def selections(model: Pipeline, X: np.ndarray, y: np.ndarray, size: int) -> dict[str, Callable[[], tuple[float, int]]]:
    """For each library, a selection of `size` attributes: its score and its mask."""
    folds = StratifiedKFold(10, shuffle=True, random_state=0)

    def elicit() -> tuple[float, int]:
        found = explore(Method("sfs", Sequential(), goal=Sized(size)), WrapperOracle(model, X, y, cv=folds))
        assert found.subset is not None
        return found.value, found.subset

    def scikit_learn() -> tuple[float, int]:
        selector = SequentialFeatureSelector(model, n_features_to_select=size, cv=folds).fit(X, y)
        return np.nan, mask_of(np.flatnonzero(selector.support_))

    def mlxtend() -> tuple[float, int]:
        selector = MlxtendSelector(model, size, scoring="accuracy", cv=folds).fit(X, y)
        return selector.k_score_, mask_of(selector.k_feature_idx_)

    return {"elicit": elicit, "scikit-learn": scikit_learn, "mlxtend": mlxtend}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{'data':15}{'model':17}{'elicit s':>9}{'sklearn s':>10}{'mlxtend s':>10}{'sklearn ×':>10}{'mlxtend ×':>10}")
    for data, load in DATA.items():
        X, y = load(return_X_y=True)
        for name, model in MODELS.items():
            seconds: dict[str, list[float]] = {}
            found = {}
            for _ in range(options.repeats):
                for library, select in selections(model, X, y, options.size).items():
                    start = time.process_time()
                    found[library] = select()
                    seconds.setdefault(library, []).append(time.process_time() - start)
            assert found["elicit"][1] == found["scikit-learn"][1] == found["mlxtend"][1]
            assert abs(found["elicit"][0] - found["mlxtend"][0]) < 1e-9
            best = {library: min(times) for library, times in seconds.items()}
            row = f"{data:15}{name:17}{best['elicit']:9.2f}{best['scikit-learn']:10.2f}{best['mlxtend']:10.2f}"
            ratios = (best[library] / best["elicit"] for library in ("scikit-learn", "mlxtend"))
            print(row + "".join(f"{ratio:10.1f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
