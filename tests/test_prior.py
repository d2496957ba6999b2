"""What a scenario thinks of attributes beforehand: a score as its first power index, and pairs that interact."""

import numpy as np
import pytest

from elicit.asks import Evaluate
from elicit.data import load
from elicit.effects import interaction_prior
from elicit.errors import InputError
from elicit.experiments.experiment import run_scenario
from elicit.scenario_file import scenario_from
from elicit.scores import correlation, fisher
from elicit.scores.agreement import as_power_index


def plain(oracle=None, **elicit):
    return {
        "oracle": oracle or {"kind": "wrapper", "data": "iris", "model": "knn:3", "folds": 3},
        "operator": {"utility": "score - 0.01 * size"},
        "elicit": {"budget": 5, "questions": 2, **elicit},
    }


def test_a_score_by_name_is_standardised():
    iris = load("iris")
    (spec,) = scenario_from(plain(prior="fisher"), None).elicits
    assert spec.prior == pytest.approx(as_power_index(fisher(iris.X, iris.y)))
    assert np.mean(spec.prior) == pytest.approx(0, abs=1e-12)


def test_a_score_by_name_takes_the_target_for_the_numbers_that_it_holds():
    diabetes, section = load("diabetes"), plain(prior="correlation")
    section["oracle"] |= {"data": "diabetes", "model": "ridge"}
    (spec,) = scenario_from(section, None).elicits
    assert spec.prior == pytest.approx(as_power_index(correlation(diabetes.X, diabetes.y, classes=False)))


def test_a_list_of_numbers_stays_what_it_was():
    (spec,) = scenario_from(plain(prior=[1, 2, 3, 4.5]), None).elicits
    assert spec.prior == (1, 2, 3, 4.5)


def test_the_first_subsets_follow_the_prior():
    # a prior so sharp that the law can draw one subset only
    sharp = plain(prior=[-60.0, -60.0, 60.0, 60.0], start=1, first="drawn", budget=1, explore="law")
    (result,) = run_scenario(scenario_from(sharp, None))
    assert result["subset"] == ["petal length (cm)", "petal width (cm)"]
    named = plain(prior="fisher", start=1, first="drawn", budget=1, explore="law", temperature=0.01)
    (result,) = run_scenario(scenario_from(named, None))
    assert result["subset"] == ["petal length (cm)", "petal width (cm)"]


def test_columns_of_texts_are_scored_as_one_attribute(tmp_path):
    (tmp_path / "d.csv").write_text(
        "a,colour,kind\n" + "".join(f"{i},{'rgb'[i % 3]},{'yn'[i % 2]}\n" for i in range(40))
    )
    section = {**plain(prior="relieff"), "oracle": {**plain()["oracle"], "data": "d.csv", "target": "kind"}}
    (spec,) = scenario_from(section, tmp_path).elicits
    assert len(spec.prior) == 2


def test_a_filter_oracle_adds_up_a_score_by_name():
    section = {**plain(), "oracle": {"kind": "filter", "data": "iris", "merit": "sum", "scores": "fisher"}}
    iris = load("iris")
    oracle = scenario_from(section, None).oracle_of(0)
    assert oracle(Evaluate(0, 0b0101)).criteria[0] == pytest.approx(fisher(iris.X, iris.y)[[0, 2]].sum())


def test_a_score_that_a_column_does_not_suit_names_it(tmp_path):
    (tmp_path / "d.csv").write_text("a,b,c,y\n" + "".join(f"{k},{k % 3},{1 - k},{'pq'[k % 2]}\n" for k in range(12)))
    oracle = {"kind": "filter", "data": "d.csv", "target": "y", "merit": "cfs"}
    chosen = {"oracle": oracle, "operator": {"utility": "score"}, "elicit": {"prior": "chi2", "drop": ["a"]}}
    with pytest.raises(InputError, match="chi2 needs counts, but X is -1 in the column 'c'"):
        scenario_from(chosen, tmp_path)
    chosen = {"oracle": {**oracle, "merit": "sum", "scores": "chi2"}, "operator": {"utility": "score"}}
    with pytest.raises(InputError, match="chi2 needs counts, but X is -1 in the column 'c'"):
        scenario_from(chosen, tmp_path)


@pytest.mark.parametrize(
    ("section", "says"),
    [
        (plain(prior="fischer"), r"\[elicit\] unknown score 'fischer'; did you mean 'fisher'"),
        (plain(prior="rrelieff"), "needs a target of numbers"),
        ({**plain(prior="fisher"), "oracle": {"kind": "synthetic", "n": 4}}, "this oracle has none; list one number"),
    ],
)
def test_a_prior_that_cannot_be_is_named(section, says):
    with pytest.raises(InputError, match=says):
        scenario_from(section, None)


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
def test_pairs_that_cannot_be_are_refused(section, words):
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
