"""Live data with more attributes than a table could list: evaluations until what the classical searches reach.

    python tests/benchmarks/bench_live.py [--data breast_cancer digits madelon few_rows] [--ways told asked] [--seeds N]
        [--budget N]

breast_cancer, digits: 3 nearest neighbours, 10 folds. SFFS and SFBS ended with some score and some number of
attributes, here the most that may be taken (as by --max-size). Printed is after how many evaluations that score is
reached, beside the distinct evaluations that theirs took (scikit-learn 1.9.1 and mlxtend 0.25.0 on the same folds):
"told", by a selector to which the score is all that counts, as it was to them; "asked", by a session with a simulated
operator, which has to learn by questions that an attribute counts for next to nothing; and what decisions take.
madelon: 20 useful columns of 1,000. Printed are scores on held-out rows: of the estimator, and of forward selection
among the best columns of a filter with as many evaluations; and the most memory the process ever held.
few_rows: 30 useful columns of 3,000, and 60 rows. Printed are scores on held-out rows, of the estimator and of models
that select by their own coefficients.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from elicit.asks import Compare, Done, Evaluate, Measured
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.estimator.fitting import Run
from elicit.estimator.judges import judge_of
from elicit.estimator.keeping import family_of
from elicit.estimator.priors import prior_of
from elicit.explore import explore
from elicit.methods import Method, Sequential, TradeOff
from elicit.operators import SimulatedOperator
from elicit.oracles import WrapperOracle
from elicit.scores.registry import score_named
from elicit.selector import ElicitSelector
from elicit.sources.oracle import oracle_from
from elicit.subsets import Family

#: An attribute more costs the operator so little that accuracy decides.
UTILITY = "score - 0.0001 * size"

#: Filters behind the rival on many attributes.
FILTERS = ("f", "mutual-information", "relieff")


@dataclass(frozen=True)
class Bar:
    """What a classical search reached, with how many attributes and distinct evaluations."""

    method: str
    score: float
    size: int
    evaluations: int


BARS = {
    "breast_cancer": [Bar("SFFS", 0.9824, 14, 1548), Bar("SFBS", 0.9824, 14, 1586)],
    "digits": [Bar("SFFS", 0.9922, 43, 6965), Bar("SFBS", 0.9917, 28, 6597)],
}

#: Half a unit of the last digit that the bars are told to.
ROUNDED = 0.5e-4


def asked(oracle: WrapperOracle, size: int, seed: int, budget: int) -> Elicitation:
    """A session that has to ask."""
    family = Family(len(oracle.attributes), max_size=size)
    return Elicitation(oracle.attributes, oracle.criteria, Settings(budget=budget, stop=()), family=family, seed=seed)


def told(oracle: WrapperOracle, size: int, seed: int, budget: int) -> Elicitation:
    """What a selector without an operator plays: the score is all that counts."""
    family = family_of(None, size, oracle.columns)
    prior = prior_of("auto", oracle.columns, oracle.target, classes=True)
    rows, judge = len(oracle.target), judge_of(None, oracle.criteria)
    run = Run(judge, family, seed, budget, 0, Settings().parsimony, batch=4, operator=None, prior=prior, rows=rows)
    return run.elicitation(oracle)


def raced(data: str, size: int, ways: Callable[..., Elicitation], seed: int, budget: int | None) -> None:
    """One run for the bars of one size, until they are met or a third of their evaluations is spent."""
    bars = [bar for bar in BARS[data] if bar.size == size]
    oracle = oracle_from({"kind": "wrapper", "data": data, "model": "knn:3", "folds": 10}, Path())
    judge = SimulatedOperator(UTILITY, oracle.criteria)
    run = ways(oracle, size, seed, budget or max(bar.evaluations for bar in bars) // 3)
    met: dict[str, int] = {}
    deciding, best, questions = 0.0, (0.0, 0), 0
    while len(met) < len(bars):
        start = time.perf_counter()
        request = run.ask()
        deciding += time.perf_counter() - start
        if isinstance(request, Done):
            break
        if isinstance(request, Evaluate):
            reply = oracle(request)
            run.tell(request.id, reply)
            if isinstance(reply, Measured):
                best = max(best, (reply.criteria[0], -request.subset.bit_count()))
                for bar in bars:
                    if best[0] >= bar.score - ROUNDED:
                        met.setdefault(bar.method, run.evaluations)
        else:
            questions += isinstance(request, Compare)
            run.tell(request.id, judge(request))
    reached = "; ".join(
        f"{bar.method} ({bar.score:.4f} after {bar.evaluations}): {met.get(bar.method, 'not reached')}" for bar in bars
    )
    print(
        f"{data}, at most {size}, {ways.__name__}, seed {seed}: {reached}; {run.evaluations} evaluations, {questions} "
        f"questions, best {best[0]:.4f}@{-best[1]}, decisions {1e3 * deciding / run.evaluations:.0f} ms an evaluation",
        flush=True,
    )


def madelon(seed: int) -> tuple[np.ndarray, ...]:
    """5 informative columns, 15 linear combinations of them, 980 of noise; rows to learn from and held out.

    Ten thousand are held out: a score is known to .004, for the methods differ by less than a hundredth.
    """
    X, y = make_classification(
        12_000, 1000, n_informative=5, n_redundant=15, n_clusters_per_class=16, flip_y=0.01, random_state=seed
    )
    found: tuple[np.ndarray, ...] = tuple(train_test_split(X, y, train_size=2000, stratify=y, random_state=seed))
    return found


def model() -> Pipeline:
    """Five nearest neighbours after scaling."""
    return make_pipeline(StandardScaler(), KNeighborsClassifier(5, algorithm="brute"))


def held_out(seed: int, budget: int) -> None:
    """One data set: the estimator beside each filter with forward selection, at equal evaluations."""
    X, rest, y, truth = madelon(seed)

    def judged(columns: np.ndarray) -> float:
        return float(model().fit(X[:, columns], y).score(rest[:, columns], truth))

    start = time.perf_counter()
    ours = ElicitSelector(model(), budget=budget, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    rivals = {name: judged(forward(X, y, name, budget, seed)) for name in FILTERS}
    told = ", ".join(f"{name} + forward {score:.4f}" for name, score in rivals.items())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    mine = judged(np.flatnonzero(ours.support_))
    print(
        f"madelon, seed {seed}: {'higher' if mine > max(rivals.values()) else 'not higher'}: {mine:.4f} with "
        f"{ours.support_.sum()} columns after {ours.n_evaluations_} evaluations in {seconds:.0f} s; {told}; "
        f"at most {peak:.1f} GiB",
        flush=True,
    )


def forward(X: np.ndarray, y: np.ndarray, name: str, budget: int, seed: int) -> np.ndarray:
    """Columns by a filter, of which as many are walked through as a whole forward path has evaluations for."""
    measure = score_named(name)
    scores = measure.scores(X, y, None)
    most = int((np.sqrt(8 * budget + 1) - 1) / 2)
    first = np.argsort(-scores if measure.higher_is_better else scores, kind="stable")[:most]
    oracle = WrapperOracle(model(), X[:, first], y, random_state=seed)
    found = explore(Method("sfs", Sequential(), goal=TradeOff(), budget=budget), oracle, seed=seed)
    assert found.subset is not None
    return np.sort(first[[i for i in range(most) if found.subset >> i & 1]])


def few_rows(seed: int) -> tuple[np.ndarray, ...]:
    """30 columns that differ between two classes, 2,970 that do not, all moved by five factors that nobody sees."""
    rng = np.random.default_rng(seed)
    y = np.arange(3060) % 2
    X = rng.normal(size=(len(y), 3000)) + rng.normal(size=(len(y), 5)) @ rng.normal(scale=0.4, size=(5, 3000))
    X[:, :30] += 0.8 * (y[:, None] - 0.5)
    return X[:60], X[60:], y[:60], y[60:]


def beside_coefficients(seed: int, budget: int) -> None:
    """One data set of few rows: the estimator beside selection by the coefficients of a model."""
    X, rest, y, truth = few_rows(seed)
    linear = make_pipeline(StandardScaler(), LinearSVC(C=0.1))
    ours = ElicitSelector(linear, cv=5, budget=budget, random_state=seed).fit(X, y)
    rivals = {
        "RFE": RFE(LinearSVC(C=0.1), n_features_to_select=20, step=0.1),
        "L1": SelectFromModel(LinearSVC(penalty="l1", dual=False, random_state=seed)),
    }
    chosen = {"ours": ours.support_} | {name: rival.fit(X, y).get_support() for name, rival in rivals.items()}
    told = ", ".join(
        f"{name} {linear.fit(X[:, columns], y).score(rest[:, columns], truth):.3f} with {columns.sum()} columns"
        for name, columns in chosen.items()
    )
    print(f"few_rows, seed {seed}: {told}; our selection score was {ours.best_score_:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = (*BARS, "madelon", "few_rows")
    parser.add_argument("--data", choices=list(known), nargs="+", default=list(known))
    parser.add_argument("--ways", choices=["told", "asked"], nargs="+", default=["told", "asked"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, help="evaluations at most (default: a third of theirs; 400; 100)")
    args = parser.parse_args()
    with threadpool_limits(1):
        for data in args.data:
            for seed in range(args.first_seed, args.first_seed + args.seeds):
                if data == "madelon":
                    held_out(seed, args.budget or 400)
                elif data == "few_rows":
                    beside_coefficients(seed, args.budget or 100)
                else:
                    for size in sorted({bar.size for bar in BARS[data]}):
                        for ways in (told, asked):
                            if ways.__name__ in args.ways:
                                raced(data, size, ways, seed, args.budget)


if __name__ == "__main__":
    main()
