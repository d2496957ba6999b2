"""A scenario is checked whole before anything runs, and its runs depend on nothing but themselves."""

import dataclasses
import gzip
import json
import re

import numpy as np
import pytest

from elicit.asks import Evaluate
from elicit.cli import main
from elicit.data import load, model_of
from elicit.decide.settings import Settings
from elicit.drive import Result
from elicit.errors import InputError
from elicit.events import Criterion
from elicit.experiments.experiment import (
    play_tasks,
    run_scenario,
    runs_at_once,
    with_memory,
)
from elicit.experiments.results import not_followed, plain_result, summary
from elicit.knowledge.statements import Source, Statement
from elicit.operators import SimulatedOperator
from elicit.oracles import SyntheticOracle, WrapperOracle
from elicit.scenario_file import read_scenario, scenario_from
from elicit.sources.oracle import _ORACLES, SyntheticSpec, oracle_from
from elicit.subsets import Family

TABLE = "a,b,c,score,cost\n" + "".join(
    f"{m & 1},{m >> 1 & 1},{m >> 2 & 1},{0.5 + 0.1 * (m & 1) + 0.2 * (m >> 1 & 1) + 0.05 * (m >> 2):.2f},{m}\n"
    for m in range(1, 8)
)

PLAIN = {
    "oracle": {"kind": "table", "path": "t.csv", "minimise": ["cost"]},
    "operator": {"utility": "score - 0.06 * size"},
    "elicit": {"budget": 6, "questions": 5},
    "experiment": {"seeds": 2},
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "d.csv").write_text(
        "height,colour,kind\n" + "".join(f"{i % 7},{'rgb'[i % 3]},{'yn'[i % 2]}\n" for i in range(40))
    )
    (tmp_path / "same.csv").write_text("height,y\n" + "".join(f"{i % 7},2.5\n" for i in range(40)))
    return tmp_path


def changed(**sections):
    """PLAIN with some keys of some sections changed; None removes a key."""
    plain = {name: dict(section) for name, section in PLAIN.items()}
    for name, keys in sections.items():
        if isinstance(keys, dict):
            section = {**plain.get(name, {}), **keys}
            plain[name] = {k: v for k, v in section.items() if v is not None}
        else:
            plain[name] = keys
    return plain


def without_seconds(results):
    return [{key: value for key, value in result.items() if key not in ("seconds", "kept")} for result in results]


# what is wrong is named

WRONG = [
    (changed(oracl={"kind": "table"}), r"unknown key 'oracl'; did you mean 'oracle'"),
    (changed(elicit={"bugdet": 3}), r"\[elicit\] unknown key 'bugdet'; did you mean 'budget'"),
    (changed(elicit={"colour": 3}), r"\[elicit\] unknown key 'colour'; the keys are name, keep"),
    (changed(elicit={"tau": 0.2}), r"\[elicit\] unknown key 'tau'; did you mean 'parsimony'\?$"),
    (changed(elicit={"max_features": 2}), r"\[elicit\] unknown key 'max_features'; did you mean 'max_size'\?$"),
    (changed(oracle={"cv": 3}), r"\[oracle\] unknown key 'cv'; the keys are"),  # a table has no folds
    (changed(elicit={"budget": 0}), r"\[elicit\] budget must be a whole number of at least 1, found 0"),
    (changed(elicit={"budget": 2.5}), r"\[elicit\] budget"),
    (changed(elicit={"stop": ["questions"], "questions": 0}), r"\[elicit\] stop = 'questions' with questions = 0"),
    (changed(elicit={"stop": 5}), r"\[elicit\] stop is a list, found 5"),
    (changed(elicit={"weights": ["x"]}), r"\[elicit\] weights are finite numbers, one a degree, found \['x'\]"),
    (changed(elicit={"preset": "sauce"}), r"preset is one of default, source; found 'sauce'; did you mean 'source'"),
    (changed(elicit={"law": "propotional"}), r"did you mean 'proportional'"),
    (changed(elicit={"keep": ["d"]}), r"\[elicit\] `keep`: unknown attribute 'd'"),
    (changed(elicit={"keep": ["a"], "drop": ["a"]}), r"both kept and dropped"),
    (changed(elicit={"max_size": 0}), r"`max_size` is a whole number of at least 1"),
    (changed(elicit={"degree": 4}), r"\[elicit\] degree must be a whole number from 1 to 3, found 4"),
    (changed(elicit={"prior": 3}), r"\[elicit\] `prior` is a list of numbers, found 3"),
    (changed(elicit={"prior": [1.0]}), r"`prior` has 1 number for 3 attributes"),
    (changed(elicit=[{}, {}]), r"\[\[elicit\]\]: the name 'elicit' occurs 2 times"),
    (changed(elicit=[]), r"\[\[elicit\]\] is empty"),
    (changed(elicit=[{"name": "x"}, {"name": "y", "tau": 1}]), r"\[\[elicit\]\] number 2 unknown key 'tau'"),
    (changed(oracle={"kind": "tabel"}), r"\[oracle\] `kind` is one of .*did you mean 'table'"),
    (changed(oracle={"kind": None}), r"\[oracle\] needs a `kind`"),
    (changed(oracle={"path": None}), r"\[oracle\] of kind 'table' needs `path`"),
    (changed(oracle={"path": "u.csv"}), r"u\.csv: no such file"),
    (changed(oracle={"minimise": ["price"]}), r"minimise names 'price'"),
    (changed(oracle={"minimise": "cost"}), r"`minimise` is a list of texts"),
    (changed(oracle={"minimise": ["cost", 3]}), r"`minimise` is a list of texts, found \['cost', 3\]"),
    (changed(oracle={"folds": 3}), r"\[oracle\] unknown key 'folds'"),
    (changed(operator={"utility": "score - prize"}), r"\[operator\] .*unknown criterion 'prize'"),
    (changed(operator={"utility": "score -"}), r"\[operator\] in expression"),
    (changed(operator={"utility": None}), r"exactly one of `utility`, `order` and `hidden`, found none"),
    (changed(operator={"order": ["score"]}), r"exactly one of .*found utility, order"),
    (changed(operator={"noise": 1.5}), r"`noise` is at least 0 and at most 1"),
    (changed(operator={"hesitation": "much"}), r"`hesitation` is a number, found 'much'"),
    (changed(operator={"hesitation": float("inf")}), r"`hesitation` is a number, found inf"),
    (changed(operator={"hesitation": -1}), r"`hesitation` is at least 0, found -1"),
    (changed(operator={"kind": "person"}), r"`kind` is 'simulated', found 'person'"),
    (changed(operator={"steps": {"score": 0.1}}), r"`steps` belong to an `order`"),
    (changed(operator={"utility": None, "hidden": True}), r"goes with an oracle of kind 'synthetic' alone"),
    (changed(operator={"utility": None, "order": ["merit"]}), r"\[operator\].*'merit'"),
    (changed(operator="me"), r"\[operator\] expected a table of keys, found 'me'"),
    (changed(experiment={"seeds": 0}), r"\[experiment\] `seeds` is a number of at least 1"),
    (changed(experiment={"seeds": [1, 1]}), r"lists a seed twice"),
    (changed(experiment={"seeds": [-1]}), r"lists whole numbers of at least 0"),
    (changed(experiment={"methods": ["elicits"]}), r"did you mean 'elicit'"),
    (changed(experiment={"seed": 3}), r"unknown key 'seed'; did you mean 'seeds'"),
    (
        changed(experiment={"budget": 3}),
        r"\[experiment\] has the key 'budget', which belongs in \[elicit\]; move it there",
    ),
    (changed(elicit=[{"name": "x"}, {"scores": [1]}]), r"\[elicit\] has the key 'scores', which belongs in \[oracle\]"),
    (changed(experiment={"name": "x"}), r"'name', which belongs in \[operator\] or \[elicit\]"),
    (changed(experiment={"methods": ["SFS"]}), r"unknown method 'SFS'; did you mean 'sfs'"),
    (changed(experiment={"goal": 5}), r"\[experiment\] `goal` is a text that is not empty, found 5"),
    (changed(operator={"utility": None, "order": ["scor"]}), r"unknown criterion 'scor'; did you mean 'score'"),
    (changed(operator={"utility": None, "order": ["score"], "steps": 3}), r"`steps` is a table of keys, found 3"),
    (changed(elicit={"prior": [1, 2, "a"]}), r"\[elicit\] `prior` is a list of numbers, found 'a' in it"),
    ({"operator": PLAIN["operator"]}, r"\[oracle\] is missing"),
    (changed(oracle={"kind": ["table"]}), r"\[oracle\] `kind` is one of"),
    (changed(oracle={"target": "kind"}), r"\[oracle\] `target` speaks of `data`, which is not there"),
    (changed(oracle={"tidy": True}), r"\[oracle\] `tidy` speaks of `data`, which is not there"),
    (changed(oracle={"groups": {"d": ["a"]}}), r"\[oracle\] `groups` speaks of `data`"),
    (changed(oracle={"model": float("nan")}), r"\[oracle\] `model` speaks of `data`"),
    (changed(operator={"noise": 10**400}), r"\[operator\] `noise` is too large a number"),
    (changed(elicit={"slack": 10**400}), r"\[elicit\] slack must be a number"),
    (changed(elicit={"weights": [10**400]}), r"\[elicit\] weights are finite numbers, one a degree"),
    (changed(elicit={"parsimony": 10**400}), r"\[elicit\] parsimony is a finite number"),
    (changed(elicit={"prior": [1, 2, 10**400]}), r"`prior` is too large a number"),
    (changed(elicit=[{"name": "mine"}, {"name": "sfs"}]), r"`name` = 'sfs' is that of a classical method"),
    (changed(operator={"utility": None, "order": ["score", "cost", "size"]}), r"give larger `steps`"),
    (changed(elicit={"noise_level": 0.05}), r"`noise_level` needs fold scores, and .* has none; write the table with"),
    (changed(elicit={"margins": 1}), r"`margins` needs fold scores, and .* has none; write the table with"),
]


@pytest.mark.parametrize(("plain", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_is_named_in_one_line(folder, plain, message):
    with pytest.raises(InputError, match=message) as caught:
        scenario_from(plain, folder)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"kind": "wrapper", "data": "wine"}, r"needs `model`"),
        ({"kind": "wrapper", "data": "vine", "model": "knn:3"}, r"did you mean 'wine'"),
        ({"kind": "wrapper", "data": "wine", "model": "knnn:3"}, r"unknown model 'knnn:3'; did you mean 'knn'"),
        ({"kind": "wrapper", "data": "wine", "model": "knn:0"}, r"number of neighbours must be a whole number above 0"),
        ({"kind": "wrapper", "data": "wine", "model": "linear"}, r"predicts numbers, but the target holds classes"),
        ({"kind": "wrapper", "data": "diabetes", "model": "logistic"}, r"predicts classes"),
        ({"kind": "wrapper", "data": "diabetes", "model": "linear:3"}, r"takes no parameter"),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "folds": 1}, r"`folds` is a whole number of at least 2"),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "scoring": "acuracy"}, r"did you mean 'accuracy'"),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "costs": {"hue": 1}}, r"no cost is given for 'alcohol'"),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "cost_unit": "EUR"}, r"has no `costs` beside it"),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "target": "class"}, r"has its own target"),
        ({"kind": "wrapper", "data": "d.csv", "model": "knn:3"}, r"say which column is the target"),
        ({"kind": "wrapper", "data": "d.csv", "model": "knn:3", "target": "kin"}, r"did you mean 'kind'"),
        (
            {"kind": "wrapper", "data": "d.csv", "model": "knn:3", "target": "kind", "dropped": ["heigth"]},
            r"`dropped` names 'heigth', which is no attribute of the data; did you mean 'height'",
        ),
        (
            {"kind": "wrapper", "data": "wine", "model": "knn:3", "dropped": ["kind"]},
            r"`dropped` names 'kind', which is no attribute of the data; check the name",
        ),
        (
            {"kind": "wrapper", "data": "same.csv", "model": "knn:3", "target": "y"},
            r"'same.csv': the target is 2.5 in every row, nothing can be learnt; choose another column",
        ),
        ({"kind": "filter", "data": "wine", "merit": "cfss"}, r"unknown merit"),
        ({"kind": "filter", "data": "d.csv", "target": "kind", "merit": "cfs"}, r"'colour' holds texts"),
        (
            {"kind": "filter", "data": "wine", "merit": "cfs", "bins": 5},
            r"'cfs' cuts no column into `bins`; leave them out, or take 'mrmr' or 'consistency'",
        ),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "random_state": -1}, r"`random_state` .* at least 0"),
        (
            {"kind": "wrapper", "data": "wine", "model": "knn:3", "random_state": 2**32},
            r"`random_state` .* 4294967295,",
        ),
        ({"kind": "wrapper", "data": "wine", "model": "knn:3", "groups": 3}, r"`groups` is a table of keys, found 3"),
        ({"kind": "synthetic", "n": 0}, r"`n` is a whole number of at least 1"),
        ({"kind": "synthetic", "n": 1001}, r"`n` is a whole number of at least 1 and at most 1000, found 1001"),
        ({"kind": "synthetic", "n": 3, "interaction": 1e308}, r"`interaction` is at least 0 and at most 1e\+06"),
        ({"kind": "synthetic", "n": 3, "interaction": 1000001}, r"at most 1e\+06, found 1000001"),
        ({"kind": "synthetic", "n": 3, "size": 1}, r"`size` is true or false"),
    ],
)
def test_an_oracle_that_cannot_be_made_is_refused(folder, section, message):
    with pytest.raises(InputError, match=message) as caught:
        oracle_from(section, folder)
    assert len(str(caught.value).splitlines()) == 1


def test_a_filter_cuts_columns_into_five_bins_unless_told_otherwise(folder):
    section = {"kind": "filter", "data": "iris", "merit": "mrmr"}
    told, five, four = (oracle_from(section | bins, folder).fingerprint for bins in ({}, {"bins": 5}, {"bins": 4}))
    assert told == five != four


@pytest.mark.parametrize("size", [False, True])
def test_a_hidden_truth_is_drawn_with_the_interaction_and_the_size_that_are_set(folder, size):
    spec = oracle_from({"kind": "synthetic", "n": 4, "interaction": 0.25, "size": size}, folder)
    drawn = SyntheticOracle.drawn(4, np.random.default_rng([7, 4]), interaction=0.25, size=size)
    assert (spec.drawn(7).fingerprint, spec.drawn(7).criteria) == (drawn.fingerprint, drawn.criteria)
    assert spec.drawn(8).fingerprint != drawn.fingerprint


@pytest.mark.parametrize(
    ("data", "name"),
    [({"data": "d.csv", "target": "kind", "tidy": True}, "colour"), ({"data": "iris"}, "petal width (cm)")],
)
def test_what_is_said_to_be_dropped_and_would_be_measured_is_refused(folder, data, name):
    plain = {
        "oracle": {"kind": "wrapper", "model": "knn:3", "dropped": [name], **data},
        "operator": {"utility": "score"},
    }
    both = [{"name": "fewer", "drop": [name]}, {"name": "all"}]
    for elicit in ({}, both):
        with pytest.raises(InputError, match=r"\[oracle\] `dropped` names .* write drop = \[.*\] in \[elicit\]"):
            scenario_from({**plain, "elicit": elicit}, folder)
    assert scenario_from({**plain, "elicit": both[0]}, folder).elicits[0].family.drop


def test_one_attribute_has_no_pair_so_nobody_has_to_lower_the_degree(tmp_path):
    (tmp_path / "t.csv").write_text("a,score\n1,0.5\n")
    plain = {"oracle": {"kind": "table", "path": "t.csv"}, "operator": {"utility": "score"}}
    assert scenario_from(plain, tmp_path).elicits[0].settings.degree == 1
    with pytest.raises(InputError, match="lower the degree"):
        scenario_from(plain | {"elicit": {"degree": 2}}, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("height,kind\n1,y\n,n\n", r"line 3: 'height' is empty"),
        ("height,kind\n1,y\nnan,n\n", r"line 3: 'height' is nan"),
        ("height,kind\n1,2\n3,1e999\n", r"line 3: 'kind' is 1e999"),
        ("height,kind\n1,2\nInfinity,3\n", r"line 3: 'height' is Infinity, expected a value"),
        (
            "height,kind\n1,y\n1,n,3\n",
            r"line 3: with ',' between cells the header has 2 columns, this line 3 cells; correct it",
        ),
        ("height,height\n1,y\n", r"line 1: the column 'height' occurs 2 times"),
        ("height,\n1,y\n", r"line 1: column 2 has no name"),
        ("height,kind\n", r"no row follows the header"),
        ("", r"the file is empty"),
        ("kind\ny\n", r"no column besides the target"),
    ],
)
def test_a_malformed_data_file_is_named_with_its_line(tmp_path, text, message):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError, match=rf"x\.csv.*{message}"):
        load("x.csv", "kind", tmp_path)


def test_a_scenario_that_an_editor_saved_with_a_mark_of_utf_8_is_read(tmp_path):
    """Some editors on Windows put a byte order mark before the first character."""
    (tmp_path / "s.toml").write_text(
        '[oracle]\nkind = "synthetic"\nn = 3\n[operator]\nhidden = true\n', encoding="utf-8-sig"
    )
    assert read_scenario(tmp_path / "s.toml").oracle == SyntheticSpec(3)


def test_a_file_that_is_no_scenario_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml: no such file"):
        read_scenario(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read"):
        read_scenario(tmp_path)
    for content, message in (
        (b"[oracle\n", "is not TOML.*line 1"),
        (b"\xff", "not text in UTF-8"),
        (b"budget = " + b"1" * 5001, "is not TOML"),
        (b"x = " + b"[" * 3000, "is not TOML"),
        (b"oracl = 1", r"x\.toml: unknown key 'oracl'"),
    ):
        (tmp_path / "x.toml").write_bytes(content)
        with pytest.raises(InputError, match=message):
            read_scenario(tmp_path / "x.toml")


# what is read


def test_data_are_read_with_texts_as_one_attribute_each(folder):
    data = load("d.csv", "kind", folder)
    assert data.columns == ("height", "colour=b", "colour=g", "colour=r")
    assert data.groups == {"colour": ("colour=b", "colour=g", "colour=r")}
    assert data.X[:3].tolist() == [[0, 0, 0, 1], [1, 0, 1, 0], [2, 1, 0, 0]]
    assert data.y[:2].tolist() == ["y", "n"]
    assert data.classes
    with gzip.open(folder / "d.csv.gz", "wt") as file:
        file.write((folder / "d.csv").read_text())
    again = load("d.csv.gz", "kind", folder)
    assert (again.X == data.X).all()
    oracle = oracle_from({"kind": "wrapper", "data": "d.csv", "target": "kind", "model": "tree", "folds": 3}, folder)
    assert oracle.attributes.names == ("height", "colour")


@pytest.mark.parametrize(
    ("name", "classes", "parameter", "value"),
    [
        ("knn:3", True, "kneighborsclassifier__n_neighbors", 3),
        ("logistic:0.5", True, "logisticregression__C", 0.5),
        ("tree:2", True, "max_depth", 2),
        ("forest:5", True, "n_estimators", 5),
        ("ridge:0.5", False, "ridge__alpha", 0.5),
        ("svm:10", False, "svr__C", 10),
    ],
)
def test_what_follows_the_colon_is_the_parameter_of_the_model(name, classes, parameter, value):
    assert model_of(name, classes).get_params()[parameter] == value


@pytest.mark.parametrize("name", ["knn:3", "knn", "logistic", "tree:2", "forest:5", "svm"])
def test_models_of_classes_measure(name):
    data = load("iris")
    oracle = WrapperOracle(model_of(name, data.classes), data.X, data.y, cv=3)
    assert 0.5 < oracle(Evaluate(0, 0b1100)).criteria[0] <= 1


@pytest.mark.parametrize("name", ["knn:9", "linear", "ridge:0.5", "tree:2", "svm:10"])
def test_models_of_numbers_measure(name):
    data = load("diabetes")
    oracle = WrapperOracle(model_of(name, data.classes), data.X, data.y, cv=3)
    assert -0.5 < oracle(Evaluate(0, 0b101)).criteria[0] <= 1


def test_the_data_of_a_filter_are_tidied_as_far_as_it_can_do_with_them(tmp_path):
    rows = "a,b,c,y\n,1,1,\n" + "".join(f"{k % 7},{k * k % 5},1,{k % 2}\n" for k in range(20))
    (tmp_path / "d.csv").write_text(rows)
    section = {"kind": "filter", "data": "d.csv", "target": "y", "merit": "cfs"}
    with pytest.raises(InputError, match=r"line 2: 'a' is empty, .* tidy = true"):
        oracle_from(section, tmp_path)
    assert oracle_from({**section, "tidy": True}, tmp_path).attributes.names == ("a", "b")
    (tmp_path / "d.csv").write_text(rows + "1,,1,0\n")
    message = "a filter takes no missing values, and column 'b' has some; fill them in the file, or measure by kind ="
    with pytest.raises(InputError, match=message):
        oracle_from({**section, "tidy": True}, tmp_path)


def test_criteria_beyond_score_and_size_are_made_as_asked():
    section = {"kind": "wrapper", "data": "iris", "model": "knn:3", "folds": 3, "costs": [1, 2, 3, 4]}
    oracle = oracle_from(
        {**section, "cost_unit": "EUR", "stability": True, "fit_time": True, "scorers": ["recall_macro"]}, None
    )
    assert [c.name for c in oracle.criteria] == ["score", "size", "cost", "recall_macro", "stability", "fit_time"]
    assert oracle(Evaluate(0, 0b101)).criteria[2] == 4


def test_choices_of_elicit_stand_side_by_side(folder):
    plain = changed(elicit=[{"name": "ours", "budget": 3}, {"name": "source", "preset": "source", "max_size": 2}])
    ours, source = scenario_from(plain, folder).elicits
    assert (ours.name, ours.settings.budget, ours.family) == ("ours", 3, Family(3))
    assert (source.settings.exact, source.family.max_size) == (True, 2)


def test_another_budget_is_that_of_every_choice_and_written_down_for_each(folder):
    choices = [{"name": "first"}, {"name": "second", "budget": 3}]
    fewer = scenario_from({**PLAIN, "elicit": choices}, folder).reduced(budget=5)
    assert [choice.settings.budget for choice in fewer.elicits] == [5, 5]
    assert fewer.plain["elicit"] == [{"name": "first", "budget": 5}, {"name": "second", "budget": 5}]


def test_other_seeds_leave_the_rest_of_an_experiment_as_it_was_written(folder):
    written = {"seeds": [3, 4], "trace_every": 2}
    fewer = scenario_from({**PLAIN, "experiment": written}, folder).reduced(seeds=3)
    assert fewer.plain["experiment"] == {"seeds": [3, 4, 0], "trace_every": 2}


def test_a_choice_has_its_own_settings_where_the_scenario_has_others(folder):
    (folder / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\n[operator]\nutility = "score"\n[elicit]\nbudget = 6\nquestions = 5\n'
    )
    (chosen,) = read_scenario(folder / "s.toml", [{"name": "short", "budget": 3}]).elicits
    assert (chosen.settings.budget, chosen.settings.questions) == (3, 5)


def test_an_operator_is_made_as_described_and_errs_at_other_questions_with_each_seed(folder):
    made = scenario_from({**PLAIN, "operator": {"utility": "score", "noise": 0.3, "hesitation": 0.02}}, folder)
    found = [made.operators[0].simulated(made.oracle, seed) for seed in (0, 4)]
    assert [(one.noise, one.hesitation, one.seed) for one in found] == [(0.3, 0.02, 0), (0.3, 0.02, 4)]


def test_fewer_seeds_and_another_budget(folder):
    scenario = scenario_from(changed(experiment={"seeds": [7, 8, 9]}), folder)
    assert scenario.reduced(seeds=2).seeds == (7, 8)
    more = scenario.reduced(budget=4, seeds=5)
    assert more.seeds == (7, 8, 9, 0, 1)
    assert more.elicits[0].settings.budget == 4
    written = scenario_from(more.plain, folder)
    assert (written.seeds, written.elicits) == (more.seeds, more.elicits), "what is kept is not what was played"
    assert scenario.reduced() == scenario


# what is run


def test_each_result_has_the_fields_of_the_contract(folder):
    results = run_scenario(scenario_from(PLAIN, folder))
    assert [(r["method"], r["operator"], r["seed"]) for r in results] == [
        ("elicit", "score - 0.06 * size", 0),
        ("elicit", "score - 0.06 * size", 1),
    ]
    for result in results:
        assert set(result["criteria"]) == {"score", "size", "cost"}
        assert len(result["trace"]) == result["evaluations"] == 6
        assert result["trace"][-1] == result["regret"] >= 0
        utility = result["criteria"]["score"] - 0.06 * result["criteria"]["size"]
        assert result["regret"] == pytest.approx(0.68 - utility, abs=1e-9)  # a and b: 0.8 - 0.12
        assert result["stopped"]
        assert result["scope"].startswith("parsimonious set")
    assert json.loads(json.dumps(results)) == results


def test_what_is_set_aside_counts_answers_and_neither_what_was_measured_nor_what_is_honoured_in_part():
    measured = Statement(1, 2, source=Source.DOMINANCE)
    strained = ((measured, 3.0), (Statement(1, 2, request=1), 0.5), (Statement(2, 3, request=2), 1.0))
    ended = Result(0b1, ("a",), {"score": 1.0}, "budget", "", 3, 2, {}, strained, 0.0, 0)
    told = SimulatedOperator("score", (Criterion("score"),))
    assert plain_result("elicit", "score", 0, ended, told, None)["set_aside"] == 1


@pytest.mark.parametrize(
    ("oracle", "utility"),
    [
        ({"minimise": ["cost", "score"]}, "score - 0.06 * size"),
        ({"minimise": ["cost"]}, "score + 0.5 * size"),
    ],
)
def test_a_utility_that_goes_against_the_direction_of_a_criterion_is_told_with_two_subsets(folder, oracle, utility):
    scenario = changed(oracle=oracle, operator={"utility": utility}, experiment={"seeds": 2})
    (told,) = not_followed(run_scenario(scenario_from(scenario, folder)))  # once, whatever the number of seeds
    assert told.startswith(f"operator {utility}: the utility likes {{")
    assert "which is at least as good in every criterion" in told
    assert not_followed(run_scenario(scenario_from(PLAIN, folder))) == []


def test_where_the_best_is_not_known_there_is_no_regret():
    plain = {
        "oracle": {"kind": "wrapper", "data": "iris", "model": "tree:3", "folds": 3},
        "operator": {"utility": "score - 0.01 * size"},
        "elicit": {"budget": 5},
    }
    (result,) = run_scenario(scenario_from(plain, None))
    assert result["regret"] is None
    assert result["trace"] is None
    assert result["utility"] == pytest.approx(result["criteria"]["score"] - 0.01 * result["criteria"]["size"])
    assert "–" in summary([result])[1]


def test_a_drawn_truth_differs_from_seed_to_seed_and_is_the_operator_s():
    plain = {
        "oracle": {"kind": "synthetic", "n": 4},
        "operator": {"hidden": True},
        "elicit": {"budget": 15, "questions": 60},
        "experiment": {"seeds": 3},
    }
    scenario = scenario_from(plain, None)
    assert isinstance(scenario.oracle, SyntheticSpec)
    assert scenario.oracle_of(0).theta != scenario.oracle_of(1).theta
    assert scenario.oracle_of(1).theta == scenario.oracle_of(1).theta
    results = run_scenario(scenario)
    for result in results:
        oracle = scenario.oracle_of(result["seed"])
        best = max(oracle.value(mask) for mask in Family(4))
        chosen = oracle.value(oracle.attributes.mask(result["subset"]))
        assert result["regret"] == pytest.approx(best - chosen, abs=1e-9)


def test_a_round_of_several_evaluations_has_an_entry_of_the_trace_for_each(folder):
    results = run_scenario(scenario_from(changed(elicit={"batch": 4, "budget": 7}), folder))
    for result in results:
        assert len(result["trace"]) == result["evaluations"] == 7
        assert None not in result["trace"]  # what is measured counts, though its round is not complete


def test_runs_are_the_same_for_any_number_of_jobs(folder):
    plain = changed(elicit=[{"name": "a", "budget": 5}, {"name": "b", "preset": "source", "budget": 5}])
    scenario = scenario_from(plain, folder)
    alone, seen = run_scenario(scenario), []
    together = run_scenario(scenario, n_jobs=2, progress=seen.append)
    assert without_seconds(together) == without_seconds(alone)
    assert [now.finished for now in seen if now.run is None] == [1, 2, 3, 4]


def test_progress_within_a_run_is_told_when_runs_go_one_by_one(folder):
    seen = []
    run_scenario(scenario_from(PLAIN, folder), progress=seen.append)
    assert [now.finished for now in seen] == sorted(now.finished for now in seen)
    assert {now.run.evaluations for now in seen if now.run is not None} == {1, 2, 3, 4, 5, 6}


def test_a_single_run_tells_its_progress_however_many_may_be_played_at_once():
    seen = []

    def task(show):
        show("half of it")
        return {}

    assert play_tasks([task], n_jobs=2, progress=seen.append) == [{}]
    assert [(now.finished, now.run) for now in seen] == [(0, "half of it"), (1, None)]


def test_what_fits_models_is_played_one_run_after_another_and_remembers_what_was_measured(folder):
    table = scenario_from(PLAIN, folder)
    assert (runs_at_once(table, None), runs_at_once(table, 3)) == (-1, 3)
    drawn = {"oracle": {"kind": "synthetic", "n": 3}, "operator": {"hidden": True}}
    assert runs_at_once(scenario_from(drawn, folder), None) == -1
    fitted = {"oracle": {"kind": "wrapper", "data": "iris", "model": "tree:2", "folds": 3}}
    first, second = (scenario_from({**fitted, "operator": PLAIN["operator"]}, folder) for _ in range(2))
    assert (runs_at_once(first, None), runs_at_once(first, 2)) == (1, 2)
    assert with_memory(first.oracle_of(0)) is with_memory(second.oracle_of(1))


def test_wrong_answers_are_survived_and_cost_something(folder):
    regret = {}
    for noise in (0.0, 0.1, 0.3, 1.0):
        plain = changed(operator={"noise": noise}, elicit={"budget": 7, "ask_every": 1, "questions": 20})
        results = run_scenario(scenario_from(plain, folder))
        assert all(result["subset"] for result in results)
        regret[noise] = sum(result["regret"] for result in results)
    assert regret[0.0] < regret[1.0]


def test_the_summary_has_a_row_for_each_method_and_operator(folder):
    plain = changed(operator=[{"utility": "score"}, {"name": "size\x1b[31m", "utility": "-size"}])
    lines = summary(run_scenario(scenario_from(plain, folder)))
    assert len(lines) == 3
    assert lines[0].split()[:3] == ["method", "operator", "runs"]
    assert lines[1].split()[:3] == ["elicit", "score", "2"]
    assert "\x1b" not in "".join(lines)
    assert "size\\x1b[31m" in lines[2]


def finished(regret, trace, failures=(), **changed):
    """A result as far as a summary reads it."""
    counts = {"questions": 2, "evaluations": len(trace), "seconds": 0.5, "failures": dict(failures)}
    plain = {"method": "elicit", "operator": "o", "utility": 0.5, "regret": regret, "trace": trace}
    return {**plain, **counts, **changed}


def test_each_number_of_a_summary_stands_under_its_heading():
    runs = [
        finished(0.0, [None, 0.8] + [0.4] * 7 + [0.2], {"too few rows": 2, "no fit": 1}, utility=1.0),
        finished(0.005, [0.6, 0.005], questions=5, seconds=1.0),
    ]
    header, row = (re.split("  +", line) for line in summary(runs))
    assert dict(zip(header, row, strict=True)) == {
        "method": "elicit",
        "operator": "o",
        "runs": "2",
        "utility": "0.7500",
        "regret@10": "0.1025",  # who ended before keeps its last
        "regret": "0.0025",
        "best found": "50%",
        "questions": "3.5",
        "evaluations": "6.0",
        "failed": "1.5",
        "seconds": "0.75",
    }


def test_a_mean_of_what_is_not_known_of_every_run_is_a_dash():
    lost = finished(None, [], utility=None, evaluations=3)
    _, row = (re.split("  +", line) for line in summary([finished(0.0, [0.0]), lost]))
    assert row[3:6] == ["–", "–", "–"]  # utility, regret and best found


@pytest.mark.parametrize("command", ["run", "compare"])
def test_the_help_names_every_section_and_every_key_and_defaults_those_of_the_search(folder, capsys, command):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    told = set(re.findall(r"\w+", capsys.readouterr().out))
    for kind, (_, required, optional) in _ORACLES.items():
        assert {kind, *required, *optional} <= told
    for section in ("operator", "experiment"):
        with pytest.raises(InputError, match="the keys are ") as refused:
            scenario_from({**PLAIN, section: {"xyzzy": 1}}, folder)
        assert {section, *str(refused.value).rpartition("the keys are ")[2].split(", ")} <= told
    main(["--defaults"])
    assert {field.name for field in dataclasses.fields(Settings)} <= set(re.findall(r"\w+", capsys.readouterr().out))


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("", "the table lacks 2 of the 7 subsets that may be chosen: what is best is known of its rows alone"),
        ("[elicit]\nmax_size = 2\n", "the table lacks 1 of the 6 subsets that may be chosen"),
        ("[elicit]\nmax_size = 1\n", None),  # all that may be chosen is there
    ],
)
def test_a_table_that_lacks_subsets_is_told_of(tmp_path, section, told):
    rows = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1)]  # neither a with c nor all three
    lines = ["a,b,c,score", *(",".join(map(str, (*row, 0.1 * sum(row)))) for row in rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\n[operator]\nutility = "score"\n' + section
    )
    notes = read_scenario(tmp_path / "s.toml").notes
    assert [note.startswith(told) for note in notes] == [True] if told else not notes


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize(
    ("oracle", "other", "told"),
    [
        ({"kind": "synthetic", "n": 3}, {"max_size": 1}, True),
        ({"kind": "synthetic", "n": 3}, {"worth": 0.0}, False),  # the same subsets may be chosen
        ({"kind": "filter", "data": "iris", "merit": "cfs"}, {"max_size": 1}, False),  # no regret is known
    ],
)
def test_it_is_said_where_the_regrets_of_a_table_are_against_different_subsets(
    tmp_path, capsys, command, oracle, other, told
):
    choices = [{"name": "free", "budget": 2}, {"name": "other", "budget": 2, **other}]
    sections = [("[oracle]", oracle), ("[operator]", {"utility": "score"}), *(("[[elicit]]", c) for c in choices)]
    sections.append(("[experiment]", {"seeds": 1, "methods": ["elicit"]}))
    lines = [line for name, keys in sections for line in (name, *(f"{k} = {json.dumps(v)}" for k, v in keys.items()))]
    (tmp_path / "s.toml").write_text("\n".join(lines) + "\n")
    assert main([command, str(tmp_path / "s.toml"), "--n-jobs", "1"]) == 0
    assert ("each regret is against the best of its own row's family" in capsys.readouterr().out) == told
