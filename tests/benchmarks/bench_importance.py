"""How much faster the explaining scores are than their peers, and how many model rows they save.

Run it as `python tests/benchmarks/bench_importance.py`. Every line is one ratio of two measurements of this
run, in one numeric thread, and asserts that the results agree where both sides compute the same. H is compared
with pyartemis in an interpreter of its own (it needs an older numpy): make one with
`python -m venv V && V/bin/pip install pyartemis`, and give `--artemis V/bin/python`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from elicit.effects import ale, h_statistic
from elicit.scores import gaussian_inputs, johnson, johnson_shapley, lmg, shapley_values
from elicit.scores.games import shapley_of_game
from elicit.scores.lmg import lmg_of
from elicit.scores.moments import correlations
from elicit.scores.permutation import permutation_importance

#: What pyartemis runs in its own interpreter: fits the same model, prints seconds and H² of every pair.
_ARTEMIS = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from artemis.interactions_methods.model_agnostic import FriedmanHStatisticMethod
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
given = json.load(sys.stdin)
X = np.array(given["X"])
model = {"forest": RandomForestRegressor(100, random_state=0), "linear": LinearRegression()}[given["model"]]
model.fit(X, given["y"])
frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
method = FriedmanHStatisticMethod()
ask = lambda model, rows: model.predict(rows.to_numpy())
start = time.perf_counter()
method.fit(model, frame, predict_function=ask, calculate_ova=False)
seconds = time.perf_counter() - start
pairs = [[int(a[1:]), int(b[1:]), h] for a, b, h in method.ovo.values.tolist()]
print(json.dumps({"seconds": seconds, "pairs": pairs, "answers": model.predict(X).tolist()}))
"""


def timed(call: Callable[[], Any], least: float = 0.2) -> tuple[Any, float]:
    """The result, and the seconds of the quickest of some calls."""
    best, spent, found = np.inf, 0.0, None
    while spent < least:
        start = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - start)
        spent += best
    return found, best


def told(what: str, ours: str, theirs: str, ratio: float | None, bar: str = "") -> None:
    print(f"{what:58}{ours:>14}{theirs:>16}{'' if ratio is None else f'{ratio:.1f}':>9}  {bar}", flush=True)


def linear_data(n: int, d: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) @ (np.eye(d) + rng.normal(size=(d, d)) / np.sqrt(d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def shares_of_r_squared() -> None:
    import pingouin

    X, y = linear_data(500, 15)
    theirs, slow = timed(lambda: pingouin.linear_regression(X, y, relimp=True)["relimp"].to_numpy()[1:], 1e-9)
    ours, fast = timed(lambda: lmg(X, y))
    assert np.allclose(ours, theirs, atol=1e-10)
    told("LMG, 500 rows, d = 15; pingouin", f"{fast * 1e3:.2f} ms", f"{slow:.2f} s", slow / fast, "at least 500")
    known = correlations(*linear_data(500, 20), "lmg")
    _, fast = timed(lambda: lmg_of(known), 1.0)
    told("LMG, d = 20", f"{fast:.3f} s", "", None, "under 2 s")
    X, y = linear_data(3000, 1000)
    _, fast = timed(lambda: johnson(X, y), 1.0)
    told("Johnson, 3000 rows, d = 1000, correlations included", f"{fast:.3f} s", "", None, "seconds")
    X, y = linear_data(2000, 300)
    ours, fast = timed(lambda: johnson(X, y))
    theirs, slow = timed(lambda: johnson_by_svd(X, y))
    assert np.allclose(ours, theirs, atol=1e-9)
    told("Johnson, 2000 rows, d = 300; by the SVD of X", f"{fast * 1e3:.1f} ms", f"{slow * 1e3:.1f} ms", slow / fast)


def gaps() -> None:
    """Johnson is not LMG: the largest gap of a column, in points of R², on columns with random correlations."""
    rng = np.random.default_rng(0)
    for d in (3, 6, 12):
        found = []
        for _ in range(60):
            X = rng.normal(size=(1000, d)) @ rng.normal(size=(d, d))
            y = X @ rng.normal(size=d)
            y += rng.normal(size=1000) * y.std()
            found.append(100 * np.abs(johnson(X, y) - lmg(X, y)).max())
        told(f"largest gap of Johnson and LMG, d = {d}, median of 60", f"{np.median(found):.2f} points", "", None)


def johnson_by_svd(X: Any, y: Any) -> Any:
    unit = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(len(X))
    target = (y - y.mean()) / y.std() / np.sqrt(len(y))
    P, scale, Q = np.linalg.svd(unit, full_matrices=False)
    return (Q.T * scale @ Q) ** 2 @ ((P @ Q).T @ target) ** 2


def interactions(artemis: str | None) -> None:
    for n in (100, 300, 1000):
        X, y = make_friedman1(n, n_features=10, noise=0.5, random_state=0)
        forest = RandomForestRegressor(100, random_state=0).fit(X, y)
        ours, fast = timed(lambda forest=forest, X=X: h_statistic(forest, X, overall=False), 0.5)
        # asking the model for all 45 pairs of 1000 rows takes a quarter of an hour: some pairs, and in proportion
        asked = list(ours.pairs) if n < 1000 else [(0, 1), (2, 3)]
        theirs, slow = timed(
            lambda forest=forest, X=X, p=asked: h_statistic(forest, X, pairs=p, overall=False, path="batches"), 1e-9
        )
        slow *= len(ours.pairs) / len(asked)
        assert np.allclose([ours.matrix[pair] for pair in theirs.pairs], theirs.h, atol=1e-10)
        what = f"H of 45 pairs, forest of 100 trees, n = {n}"
        told(f"{what}; in batches" + ("" if n < 1000 else " (2 pairs)"), f"{fast:.3f} s", f"{slow:.2f} s", slow / fast)
        if artemis and n == 100:
            against_artemis(artemis, "forest", f"{what}; pyartemis", forest, X, y, "at least 5")
    X, y = make_friedman1(100, n_features=10, noise=0.5, random_state=0)
    what = "H of 45 pairs, linear model, n = 100"
    if artemis:
        against_artemis(artemis, "linear", f"{what}; pyartemis", LinearRegression().fit(X, y), X, y, "at least 100")
    else:
        print("H against pyartemis: left out; give --artemis PYTHON, an interpreter that has it")


def against_artemis(python: str, kind: str, what: str, model: Any, X: Any, y: Any, bar: str) -> None:
    ours, fast = timed(lambda: h_statistic(model, X, overall=False), 0.5)
    given = json.dumps({"model": kind, "X": X.tolist(), "y": y.tolist()})
    threads = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    ran = subprocess.run([python, "-c", _ARTEMIS], input=given, capture_output=True, text=True, env=threads)
    if ran.returncode != 0:
        raise SystemExit(f"pyartemis failed in {python}:\n{ran.stderr}")
    answer = json.loads(ran.stdout.splitlines()[-1])
    if not np.allclose(answer["answers"], model.predict(X)):
        raise SystemExit(f"{python} fits another model; give it the same version of scikit-learn")
    for i, j, h in answer["pairs"]:  # it gives H²
        assert abs(ours.matrix[i, j] ** 2 - h) < 1e-9, (i, j, ours.matrix[i, j] ** 2, h)
    told(what, f"{fast * 1e3:.1f} ms", f"{answer['seconds']:.2f} s", answer["seconds"] / fast, bar)


#: How many times our rows of the model the samplers of shap are given.
MORE_ROWS = 10


def predictions() -> None:
    """Rows of the model for the same root mean square error, each peer with ten times the rows that ours had.

    The ratio is that of error² × rows, what a sampler costs: above ten the peer with ten times the rows errs more.
    """
    X, y = load_diabetes(return_X_y=True)
    background, rows = X[:100], X[200:220]
    for name, model in (
        ("forest", RandomForestRegressor(30, random_state=0)),
        ("boosting", GradientBoostingRegressor(random_state=0)),
        ("support vectors", make_pipeline(StandardScaler(), SVR(C=100))),
        ("5 neighbours", KNeighborsRegressor(5)),
    ):
        model.fit(X, y)
        exact = np.array([exact_values(model, x, background) for x in rows])
        peers: dict[str, tuple[Any, int]] = {}
        for learned in (False, True):
            runs = [shapley_values(model, rows, background, learned=learned, random_state=s) for s in range(5)]
            squares = np.mean([(run.values - exact) ** 2 for run in runs])
            asked = runs[0].rows_asked
            peers = peers or samplers_of_shap(model, background, rows, MORE_ROWS * asked)
            for peer, (values, more) in peers.items():
                theirs = ((values - exact) ** 2).mean()
                what = f"{name}, {asked // len(rows)} rows{' learned' * learned}; shap {peer}, {more // len(rows)}"
                ratio = theirs * more / (squares * asked)
                told(what, f"{squares**0.5:.2g} rms", f"{theirs**0.5:.2g} rms", ratio, "at least 10")


def samplers_of_shap(model: Any, background: Any, rows: Any, budget: int) -> dict[str, tuple[Any, int]]:
    """Values of the samplers of shap within so many rows of the model, and the rows that they asked for."""
    import shap

    asked = [0]

    def counted(Z: Any) -> Any:
        asked[0] += len(Z)
        return model.predict(Z)

    each, d = budget // len(rows), rows.shape[1]
    walk = 2 * d + 1  # coalitions of a permutation and its reverse, each with the whole background
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # shap's own
        masker = shap.maskers.Independent(background, max_samples=len(background))
        permutation = shap.explainers.Permutation(counted, masker, seed=0)
        sampling = shap.explainers.Sampling(counted, background)
        kernel = shap.KernelExplainer(counted, background)
        for name, call in (
            (
                "Permutation",
                lambda: (
                    permutation(rows, max_evals=max(1, each // (walk * len(background))) * walk, silent=True).values
                ),
            ),
            ("Sampling", lambda: sampling.shap_values(rows, nsamples=each // 2, silent=True)),  # two rows a sample
            ("Kernel", lambda: kernel.shap_values(rows, nsamples=each // len(background), silent=True)),
        ):
            asked[0] = 0
            np.random.seed(0)  # noqa: NPY002  # what shap draws from
            found[name] = (call(), asked[0])
    return found


def exact_values(model: Any, x: Any, background: Any) -> Any:
    """All 2^d coalitions."""
    d = len(x)
    inside = (np.arange(1 << d)[:, None] >> np.arange(d) & 1).astype(bool)
    mixed = np.where(inside[:, None, :], x, background[None]).reshape(-1, d)
    return shapley_of_game(model.predict(mixed).reshape(1 << d, -1).mean(axis=1))


def estimators() -> None:
    """Root mean square error in points at 200,000 runs, d = 15, against the closed form of a quadratic function."""
    d = 15
    rng = np.random.default_rng(0)
    a, B = rng.normal(size=d), rng.normal(size=(d, d)) / 4
    B = (B + B.T) / 2
    root = rng.normal(size=(d, d)) / np.sqrt(d)
    inputs = gaussian_inputs(np.zeros(d), root @ root.T + np.eye(d) / 2)
    A = inputs.scale[:, None] * inputs.root
    g, H = A.T @ a, A.T @ B @ A
    first, second = g**2 + 2 * np.diag(H) ** 2, 4 * H**2
    np.fill_diagonal(second, 0)
    exact = inputs.weights @ (first + second.sum(axis=1) / 2) / (g @ g + 2 * (H**2).sum())

    def quadratic(X: Any) -> Any:
        return X @ a + ((X @ B) * X).sum(axis=1)

    for name, options in (("walk", {}), ("arrays", {"estimator": "arrays", "designs": 1})):
        start = time.perf_counter()
        runs = [
            johnson_shapley(quadratic, inputs, runs=200_000, random_state=s, **options)  # type: ignore[arg-type]
            for s in range(10)
        ]
        seconds = (time.perf_counter() - start) / 10
        rms = 100 * np.sqrt(np.mean([(part.shares - exact) ** 2 for part in runs]))
        told(f"Johnson-Shapley by {name}, d = 15, {runs[0].runs} runs", f"{seconds:.2f} s", f"{rms:.2f} points", None)


def exchanges() -> None:
    """Spread of a mean of 10 repeats at n = 20."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 1))
    y = X[:, 0] + rng.normal(size=20) / 2
    model = LinearRegression().fit(X, y)
    spread = {
        how: np.std(
            [permutation_importance(model, X, y, how=how, random_state=s, repeats=10).mean[0] for s in range(2000)]
        )
        for how in ("cycle", "permute")
    }
    told("spread of permutation importance, n = 20; cycles, free", "", "", spread["permute"] / spread["cycle"])


def local_effects() -> None:
    import pandas as pd
    from PyALE._src.ALE_1D import aleplot_1D_continuous

    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(10)])

    class Unnamed:
        def predict(self, rows: Any) -> Any:
            return model.predict(rows.to_numpy())

    theirs, slow = timed(lambda: aleplot_1D_continuous(frame, Unnamed(), "x2", 20, include_CI=False))
    ours, fast = timed(lambda: ale(model, X, 2, borders=theirs.index.to_numpy()))
    assert np.allclose(ours.effect, theirs["eff"], atol=1e-8)
    told("ALE, linear model, 442 rows; PyALE", f"{fast * 1e3:.2f} ms", f"{slow * 1e3:.2f} ms", slow / fast)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--artemis", metavar="PYTHON", help="an interpreter in which pyartemis is installed")
    args = parser.parse_args()
    print(f"{'what; against':58}{'ours':>14}{'theirs':>16}{'ratio':>9}  bar")
    with threadpool_limits(1):
        shares_of_r_squared()
        gaps()
        interactions(args.artemis)
        predictions()
        estimators()
        exchanges()
        local_effects()


if __name__ == "__main__":
    main()
