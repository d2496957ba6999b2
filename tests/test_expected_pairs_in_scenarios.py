"""The key `pairs` of a scenario: pairs by name, or those that a forest of the oracle's data lets interact."""

import numpy as np
import pytest

from elicit.data import load
from elicit.effects import interaction_prior
from elicit.errors import InputError
from elicit.experiments.experiment import run_scenario
from elicit.scenario_file import scenario_from


def plain(oracle=None, **elicit):
    return {
        "oracle": oracle or {"kind": "wrapper", "data": "iris", "model": "knn:3", "folds": 3},
        "operator": {"utility": "score - 0.01 * size"},
        "elicit": {"budget": 5, "questions": 2, **elicit},
    }


def test_pairs_are_named():
    named = plain(pairs=[["petal width (cm)", "sepal length (cm)"]])
    (spec,) = scenario_from(named, None).elicits
    assert spec.settings.pairs == ((0, 3),)


def test_pairs_may_be_those_of_a_forest_and_the_run_uses_them():
    section = plain(pairs="h")
    (spec,) = scenario_from(section, None).elicits
    iris = load("iris")
    assert set(spec.settings.pairs) == set(interaction_prior(iris.X, iris.y))
    (result,) = run_scenario(scenario_from(section, None))
    assert result["evaluations"] == 5


@pytest.mark.parametrize(
    ("section", "words"),
    [
        (plain(pairs=[["petal width", "sepal length (cm)"]]), "petal width"),
        (plain(pairs="sobol"), "list of pairs of names"),
        (plain(pairs=[["petal width (cm)"]]), "list of pairs of names"),
        (plain(pairs=[[["petal width (cm)"], "sepal length (cm)"]]), "list of pairs of names"),
        (plain(pairs="h", oracle={"kind": "synthetic", "n": 4}), "this oracle has none"),
    ],
)
def test_other_pairs_are_refused(section, words):
    if "n" in section["oracle"]:
        section["operator"] = {"hidden": True}
    with pytest.raises(InputError, match=words):
        scenario_from(section, None)


def test_pairs_of_a_forest_go_by_what_the_target_holds(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, (300, 4))
    y = 2 * X[:, 0] + 3 * ((X[:, 1] > 2) ^ (X[:, 2] > 2))
    rows = "\n".join(",".join(map(str, row)) for row in np.column_stack([X, y]).tolist())
    (tmp_path / "d.csv").write_text(f"a,b,c,d,y\n{rows}\n")
    for holds in ("numbers", "classes"):
        oracle = {"kind": "wrapper", "data": "d.csv", "target": "y", "model": "knn:3", "folds": 3, "holds": holds}
        (spec,) = scenario_from(plain(oracle, pairs="h"), tmp_path).elicits
        assert spec.settings.pairs == interaction_prior(X, y, classes=holds == "classes")
