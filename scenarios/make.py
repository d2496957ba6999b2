"""Makes the oracle tables of `suite` and `further` anew: python scenarios/make.py [FOLDER/NAME …]

Each table is every subset of one data set, measured with one model by ten folds, as `elicit table` does it, with the
score of each fold: by these `elicit compare` tells where noise decides which subset is best.
Data that scikit-learn ships are used as they are or in part; the rest is drawn here, from fixed seeds.
"""

import csv
import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine, make_classification

from elicit.cli import main

HERE = Path(__file__).parent

#: What a measurement of breast tissue costs, by the kind of statistic: means are cheap, extremes dear.
COSTS = {"mean": 1.0, "error": 3.0, "worst": 6.0}


def breast():
    """Twelve measurements of breast tissue, four statistics of each of three kinds."""
    data = load_breast_cancer()
    chosen = [0, 1, 4, 6, 10, 11, 14, 16, 21, 24, 27, 28]
    return data.data[:, chosen], _words(data.target), [data.feature_names[k].replace(" ", "_") for k in chosen]


def digits():
    """Ten pixels, every third of those that vary most: is it an even digit?"""
    data = load_digits()
    order = np.argsort(-data.data.var(axis=0), kind="stable")[:30:3]
    rows = np.random.default_rng(3).permutation(len(data.data))[:500]
    return data.data[rows][:, order], _words(data.target[rows] % 2 == 0), [f"pixel_{k}" for k in order]


def diabetes():
    """The ten measurements of the diabetes data: how far did the disease go in a year?"""
    data = load_diabetes()
    return data.data, data.target, list(data.feature_names)


def three_way(seed=11):
    """The sign of a product of three attributes, hidden from any pair, beside one plain attribute and six idle ones."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(400, 10))
    signal = 1.4 * np.sign(x[:, 2] * x[:, 5] * x[:, 7]) + 0.7 * x[:, 0]
    return x, _words(signal + 0.5 * rng.normal(size=400) > 0), _numbered(10)


def two_pairs(seed=15):
    """Two pairs that only matter together, each as the sign of its product, a plain attribute and six idle ones."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(400, 11))
    signal = np.sign(x[:, 1] * x[:, 4]) + np.sign(x[:, 6] * x[:, 9]) + 0.6 * x[:, 2]
    return x, _words(signal + 0.5 * rng.normal(size=400) > 0), _numbered(11)


def redundant(seed=12):
    """Twelve noisy copies of four causes."""
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=(300, 4))
    x = cause[:, np.arange(12) % 4] + 0.4 * rng.normal(size=(300, 12))
    y = cause[:, 0] + 0.7 * cause[:, 1] - 0.8 * np.abs(cause[:, 2]) + 0.3 * rng.normal(size=300)
    return x, y, _numbered(12)


def noisy(seed=13):
    """Eighty cases, weak causes: most differences between subsets are noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 9))
    return x, _words(x[:, 0] + 0.6 * x[:, 3] - 0.5 * x[:, 6] + 1.8 * rng.normal(size=80) > 0), _numbered(9)


def curved(seed=14):
    """Friedman's function of five attributes out of eleven, with its product of two and its square."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(300, 11))
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return x, y + rng.normal(size=300), _numbered(11)


def wine():
    """The thirteen measurements of the wine data: of which of three growers is it?"""
    return _columns(load_wine(), range(13))


def some_wine():
    """Ten of the thirteen measurements of the wine data."""
    return _columns(load_wine(), [0, 1, 2, 3, 4, 6, 7, 9, 10, 11])


def tissue(chosen):
    """Other measurements of breast tissue than those of the suite, but for one or two."""
    return _columns(load_breast_cancer(), chosen)


def pixels():
    """Ten other pixels: which of the ten digits is it?"""
    data = load_digits()
    order = np.argsort(-data.data.var(axis=0), kind="stable")[1:31:3]
    rows = np.random.default_rng(5).permutation(len(data.data))[:400]
    return data.data[rows][:, order], _classes(data.target[rows]), [f"pixel_{k}" for k in order]


def three_classes():
    """Three classes around four causes, with three mixtures of these and three idle attributes."""
    x, y = make_classification(300, 10, n_informative=4, n_redundant=3, n_classes=3, random_state=7)
    return x, _classes(y), _numbered(10)


def six_clusters():
    """Two classes of three clusters each around five causes, with two mixtures of these and two idle attributes."""
    x, y = make_classification(250, 9, n_informative=5, n_redundant=2, n_clusters_per_class=3, random_state=3)
    return x, _classes(y), _numbered(9)


def _columns(data, chosen):
    names = [str(data.feature_names[k]).replace(" ", "_") for k in chosen]
    return data.data[:, list(chosen)], _classes(data.target), names


def _classes(target):
    return [f"c{k}" for k in target]


def _words(target):
    return np.where(target, "yes", "no")


def _numbered(n):
    return [f"a{k}" for k in range(1, n + 1)]


#: Each table: its data and its model.
TABLES = {
    "suite/breast_knn": (breast, "knn:5"),
    "suite/digits_logistic": (digits, "logistic"),
    "suite/diabetes_ridge": (diabetes, "ridge"),
    "suite/three_way_knn": (three_way, "knn:7"),
    "suite/three_way_knn9": (lambda: three_way(seed=16), "knn:9"),
    "suite/two_pairs_knn": (two_pairs, "knn:7"),
    "suite/redundant_knn": (redundant, "knn:5"),
    "suite/redundant_tree": (lambda: redundant(seed=17), "tree:4"),
    "suite/noisy_logistic": (noisy, "logistic"),
    "suite/curved_tree": (curved, "tree:5"),
    "suite/wine": (wine, "knn:3"),
    "further/breast_svm": (lambda: tissue([1, 7, 9, 13, 17, 19, 23, 26, 29]), "svm"),
    "further/breast_tree": (lambda: tissue([2, 3, 5, 8, 12, 15, 18, 20, 22, 25]), "tree"),
    "further/clusters_svm": (six_clusters, "svm"),
    "further/clusters_tree": (three_classes, "tree"),
    "further/diabetes_knn": (diabetes, "knn:7"),
    "further/digits_knn": (pixels, "knn:3"),
    "further/wine_tree": (some_wine, "tree"),
}


def make(name):
    """One table."""
    data, model = TABLES[name]
    x, y, names = data()
    path = HERE / f"{name}.csv.gz"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / path.name.removesuffix(".gz")
        with source.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*names, "target"])
            writer.writerows([*(f"{v:.8g}" for v in row), target] for row, target in zip(x, y, strict=True))
        if main(["table", str(source), "--target", "target", "--model", model, "--keep-folds", "-o", str(path)]):
            raise SystemExit(1)
    if name == "suite/breast_knn":
        with_costs(path)


def with_costs(path):
    """The same table with what the attributes of each subset cost together."""
    with gzip.open(path, "rt", newline="") as file:
        header, *rows = csv.reader(file)
    price = [next(cost for word, cost in COSTS.items() if word in name) for name in header[: header.index("score")]]
    with gzip.open(path, "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*header, "cost"])
        for row in rows:
            writer.writerow([*row, sum(p for p, inside in zip(price, row, strict=False) if inside == "1")])


if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        make(name)
