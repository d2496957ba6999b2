"""How much faster the fast paths are than the plain way, on the data sets of scikit-learn.

Run it as `python tests/benchmarks/bench_oracle.py`. It asserts equal replies, and prints milliseconds
for one subset (mean of 20 random ones, 10 folds, one thread) and their ratio.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit.asks import Evaluate, Failure, Measured
from elicit.oracles import WrapperOracle


def breast_cancer_in_32_bits(**options: bool) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(**options)
    return X.astype(np.float32), y


CASES = [
    ("wine", load_wine, KNeighborsClassifier(3)),
    ("breast cancer", load_breast_cancer, KNeighborsClassifier(3)),
    ("breast cancer, Manhattan", load_breast_cancer, KNeighborsClassifier(3, p=1)),
    ("breast cancer, 32 bits", breast_cancer_in_32_bits, KNeighborsClassifier(3)),
    ("digits", load_digits, KNeighborsClassifier(3)),
    ("diabetes", load_diabetes, KNeighborsRegressor(5)),
    ("wine, logistic", load_wine, LogisticRegression()),
    ("breast cancer, logistic", load_breast_cancer, LogisticRegression()),
    ("breast cancer, frame", partial(load_breast_cancer, as_frame=True), KNeighborsClassifier(3)),
    ("... logistic, frame", partial(load_breast_cancer, as_frame=True), LogisticRegression()),
]


def timed(oracle: WrapperOracle, masks: list[int]) -> tuple[list[Measured | Failure], float]:
    oracle(Evaluate(0, masks[0]))
    start = time.perf_counter()
    replies = [oracle(Evaluate(0, mask)) for mask in masks]
    return replies, (time.perf_counter() - start) / len(masks) * 1e3


def main() -> None:
    print(f"{'data and model':28}{'path':>12}{'fast':>9}{'plain':>9}{'ratio':>8}")
    for name, load, model in CASES:
        X, y = load(return_X_y=True)
        rng = np.random.default_rng(0)
        rows = rng.random((20, X.shape[1])) < 0.5
        masks = [sum(1 << int(i) for i in np.flatnonzero(row)) for row in rows]
        pipe = make_pipeline(StandardScaler(), model)
        quick, plain = (WrapperOracle(pipe, X, y, fast=fast) for fast in (True, False))
        (ours, fast), (theirs, slow) = timed(quick, masks), timed(plain, masks)
        assert ours == theirs
        print(f"{name:28}{quick.fast_path:>12}{fast:9.2f}{slow:9.2f}{slow / fast:8.1f}")


if __name__ == "__main__":
    main()
