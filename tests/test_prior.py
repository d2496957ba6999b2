"""An attribute score by name as the power index that a scenario starts from."""

import numpy as np
import pytest

from elicit.asks import Evaluate
from elicit.data import load
from elicit.errors import InputError
from elicit.experiments.experiment import run_scenario
from elicit.scenario_file import scenario_from
from elicit.scores import correlation, fisher
from elicit.scores.agreement import as_power_index


def plain(**elicit):
    return {
        "oracle": {"kind": "wrapper", "data": "iris", "model": "knn:3", "folds": 3},
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
