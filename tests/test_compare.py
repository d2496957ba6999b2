"""A comparison plays every method on the same oracle, and says what each loses to ours."""

import dataclasses
import json
import math
import os
import re
import signal
import sys
from functools import partial
from pathlib import Path
from threading import Event

import matplotlib
import numpy as np
import pytest
from joblib import parallel_config
from scipy import stats

from elicit.cli import main
from elicit.commands.compare import _different_choices, _ends
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError, JournalError, JournalInUseError, OracleError
from elicit.experiments import comparison, experiment
from elicit.experiments.comparison import compare, methods_of
from elicit.experiments.comparison_display import ComparisonDisplay
from elicit.experiments.experiment import play_tasks, run_scenario
from elicit.experiments.journals import file_name
from elicit.experiments.results import regret_at, summary
from elicit.experiments.side_by_side import differences, side_by_side
from elicit.explore import explore
from elicit.methods import METHODS, Method, consistency, focus, named
from elicit.numeric import GRID
from elicit.oracles import TableOracle, WrapperOracle
from elicit.scenario_file import read_scenario, scenario_from
from elicit.scores import Measure
from elicit.sessions import resume
from elicit.subsets import Family

matplotlib.use("Agg")

SCENARIOS = Path(__file__).parents[1] / "scenarios"
N = 4

#: A drawn score for each subset of four attributes.
SCORES = dict(enumerate(np.random.default_rng(3).random(1 << N).round(3)))
TABLE = "a,b,c,d,score\n" + "".join(
    f"{m & 1},{m >> 1 & 1},{m >> 2 & 1},{m >> 3 & 1},{SCORES[m]}\n" for m in range(1, 1 << N)
)
#: Sixteen cases, all different; their class is whether a and c differ.
DATA = "a,b,c,d,kind\n" + "".join(
    f"{m & 1},{m >> 1 & 1},{m >> 2 & 1},{m >> 3},{'ny'[(m & 1) ^ (m >> 2 & 1)]}\n" for m in range(16)
)

PLAIN = {
    "oracle": {"kind": "table", "path": "t.csv", "data": "d.csv", "target": "kind", "model": "logistic"},
    "operator": [
        {"name": "score", "utility": "score"},
        {"name": "small", "utility": "score - 0.05 * size"},
    ],
    "elicit": {"budget": 9, "questions": 4},
    "experiment": {"seeds": 2},
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "d.csv").write_text(DATA)
    return tmp_path


def scenario(folder, **sections):
    """PLAIN with some keys of some sections changed; None removes a key."""
    plain = dict(PLAIN)
    for name, keys in sections.items():
        plain[name] = {k: v for k, v in {**plain[name], **keys}.items() if v is not None}
    return scenario_from(plain, folder)


def utility(operator, subset):
    names = "abcd"
    mask = sum(1 << names.index(name) for name in subset)
    return SCORES[mask] - (0.05 * len(subset) if operator == "small" else 0.0)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    (folder / "t.csv").write_text(TABLE)
    (folder / "d.csv").write_text(DATA)
    return compare(scenario(folder))


# the results


def test_every_method_operator_and_seed_has_one_result_with_the_fields_of_the_contract(results):
    found = [(run["method"], run["operator"], run["seed"]) for run in results]
    assert found == [(m, o, s) for m in ("elicit", *METHODS) for o in ("score", "small") for s in (0, 1)]
    fields = "method operator seed subset criteria regret evaluations questions seconds stopped scope trace"
    for run in results:
        assert set(fields.split()) <= set(run)
        best = max(utility(run["operator"], [n for i, n in enumerate("abcd") if m >> i & 1]) for m in SCORES if m)
        assert run["regret"] == pytest.approx(best - utility(run["operator"], run["subset"]), abs=1e-9)
        assert run["evaluations"] <= 9
        assert len(run["trace"]) == run["evaluations"]
        assert run["trace"][-1] == run["regret"]
    assert json.loads(json.dumps(results)) == results


def test_runs_are_played_seed_by_seed_and_told_method_by_method(folder, monkeypatch):
    played, plain = [], comparison.walk_run

    def noted(scenario, method, operator, seed, journals, show=None):
        played.append((seed, method))
        return plain(scenario, method, operator, seed, journals, show)

    monkeypatch.setattr(comparison, "walk_run", noted)
    two = dataclasses.replace(scenario(folder, experiment={"seeds": 3}), methods=("sfs", "random"))
    told = compare(two, n_jobs=1)
    assert [run["method"] for run in told] == ["sfs"] * 6 + ["random"] * 6
    assert [seed for seed, _ in played] == [0] * 4 + [1] * 4 + [2] * 4


def test_classical_methods_are_not_asked_anything_and_keep_the_best_they_have_seen(results):
    for run in results:
        if run["method"] != "elicit":
            assert run["questions"] == 0
            assert run["trace"] == sorted(run["trace"], reverse=True)
            assert run["scope"] == "among the evaluated subsets"


def test_our_runs_are_those_of_elicit_run(folder, results):
    alone = run_scenario(scenario(folder))
    assert [untimed(run) for run in results if run["method"] == "elicit"] == [untimed(run) for run in alone]


def untimed(run):
    return {key: value for key, value in run.items() if key not in ("seconds", "kept")}


def test_the_results_are_the_same_for_any_number_of_jobs(folder):
    chosen = scenario(folder, experiment={"methods": ["sffs", "random", "genetic", "focus", "rfe"]})
    with parallel_config("threading"):
        together = compare(chosen, n_jobs=2)
    assert list(map(untimed, together)) == list(map(untimed, compare(chosen)))


def test_of_runs_at_once_each_is_told_as_soon_as_it_and_those_before_it_are_done():
    told = Event()
    tasks = [lambda _: {"told": True}, lambda _: {"told": told.wait(10)}]
    with parallel_config("threading"):
        assert all(run["told"] for run in play_tasks(tasks, 2, lambda stage: stage.finished and told.set()))


def test_what_one_run_measured_no_other_measures_again(folder, monkeypatch):
    measured, plain = [], WrapperOracle.__call__
    monkeypatch.setattr(
        WrapperOracle, "__call__", lambda self, request: (measured.append(request.subset), plain(self, request))[1]
    )
    fitted = {"kind": "wrapper", "data": "d.csv", "target": "kind", "model": "tree:2", "folds": 2, "random_state": 53}
    told = compare(
        scenario_from({**PLAIN, "oracle": fitted, "experiment": {"methods": ["sfs", "random"]}}, folder), n_jobs=1
    )
    assert len(measured) == len(set(measured)) < sum(run["evaluations"] for run in told)


def test_the_first_choice_of_elicit_is_what_classical_methods_keep_to(folder):
    choices = [{"name": "first", "budget": 9, "max_size": 2}, {"name": "second", "budget": 4}]
    told = compare(scenario_from({**PLAIN, "elicit": choices, "experiment": {"methods": ["random"]}}, folder))
    assert [run["evaluations"] for run in told] == [9, 9]
    assert all(len(run["subset"]) <= 2 for run in told)


def test_exhaustive_search_with_enough_budget_has_no_regret(folder):
    for run in compare(scenario(folder, elicit={"budget": 15}, experiment={"methods": ["exhaustive"]})):
        assert (run["regret"], run["evaluations"]) == (0.0, 15)


def test_the_family_holds_for_all(folder):
    limits = {"budget": 12, "keep": ["b"], "drop": ["d"], "max_size": 2}
    for run in compare(scenario(folder, elicit=limits)):
        if run["method"] == "focus":  # a and c are needed, and b is kept: nothing as small is consistent
            assert (run["subset"], run["regret"], run["trace"]) == ([], None, [])
            continue
        assert "b" in run["subset"]
        assert "d" not in run["subset"]
        assert len(run["subset"]) <= 2
        assert run["trace"][-1] == run["regret"] >= 0  # what is larger may be measured, and earns nothing


def test_a_method_that_recommends_nothing_is_shown_as_such(folder):
    limits = {"budget": 12, "keep": ["b"], "max_size": 2}
    found = compare(scenario(folder, elicit=limits, experiment={"methods": ["sfs", "focus"]}))
    lines = side_by_side(found)
    assert "regret" in re.split("  +", lines[0])  # known of the others
    assert lines[1].startswith("sfs")
    assert lines[2].split()[:3] == ["focus", "4", "–"]
    assert differences(found) == []
    assert set(ComparisonDisplay.of(found).regret) == {"sfs"}


def test_rarer_looks_change_nothing_but_the_trace(folder):
    elicit = {"budget": 13, "unasked": 0, "agreement": 1}
    often = run_scenario(scenario(folder, elicit=elicit, experiment={"seeds": 1}))
    rarely = run_scenario(scenario(folder, elicit=elicit, experiment={"seeds": 1, "trace_every": 4}))
    for one, other in zip(often, rarely, strict=True):
        assert {**untimed(one), "trace": None} == {**untimed(other), "trace": None}
        looked = [k for k, regret in enumerate(other["trace"], start=1) if regret is not None]
        assert looked == [4, 8, 10, 12, 13]  # after 10, a summary tells the regret
        assert [one["trace"][k - 1] for k in looked] == [other["trace"][k - 1] for k in looked]


def test_where_the_best_is_not_known_utilities_are_compared(folder):
    oracle = {"kind": "wrapper", "path": None, "data": "iris", "target": None, "model": "tree:2", "folds": 3}
    chosen = scenario(folder, oracle=oracle, elicit={"budget": 4}, experiment={"methods": ["elicit", "sfs", "rfe"]})
    found = compare(chosen)
    assert {(run["regret"], run["trace"]) for run in found} == {(None, None)}
    assert {d.method for d in differences(found)} == {"sfs", "rfe"}
    header, *rows = (re.split("  +", line) for line in side_by_side(found)[:4])
    assert "utility" in header
    assert {row[header.index("best found")] for row in rows} == {"–"}
    with pytest.raises(InputError, match="needs an oracle whose best subset is known"):
        ComparisonDisplay.of(found)


def test_a_drawn_truth_is_known_to_all(folder):
    plain = {
        "oracle": {"kind": "synthetic", "n": 4},
        "operator": {"hidden": True},
        "elicit": {"budget": 15},
        "experiment": {"seeds": 2, "methods": ["sfs", "exhaustive"]},
    }
    found = compare(scenario_from(plain, folder))
    assert [run["regret"] for run in found if run["method"] == "exhaustive"] == [0.0, 0.0]


# which methods


def test_without_data_the_methods_that_read_them_are_left_out_or_refused(folder):
    without = {"data": None, "target": None, "model": None}
    left = methods_of(scenario(folder, oracle=without))
    assert set(METHODS) - set(left) == {"focus", "rfe", "ranking"}
    assert "ranking:alone" in left
    assert "rfe" not in methods_of(scenario(folder, oracle={"model": None}))
    assert methods_of(scenario(folder)) == ("elicit", *METHODS)
    for method, needed in (("focus", "data"), ("ranking", "data"), ("rfe", "model")):
        with pytest.raises(InputError, match=f"'{method}' needs `{needed}` in .oracle. besides what is measured"):
            scenario(folder, oracle=without, experiment={"methods": [method]})


@pytest.fixture
def gaps(folder):
    """A wrapper of the same cases, in which a value of b is missing."""
    rows = DATA.splitlines()
    rows[6] = ",".join(["1", "", *rows[6].split(",")[2:]])
    (folder / "gaps.csv").write_text("\n".join(rows) + "\n")
    wrapper = {"kind": "wrapper", "path": None, "data": "gaps.csv", "model": "tree", "folds": 2, "tidy": True}
    return {"oracle": wrapper}


def test_the_methods_that_need_every_value_are_left_out_where_some_are_missing(folder, gaps):
    played = scenario(folder, **gaps, experiment={"seeds": 1})
    assert set(METHODS) - set(methods_of(played)) == {"focus", "ranking"}
    assert "ranking:alone" in methods_of(played)
    assert {run["method"] for run in compare(played, n_jobs=1)} == set(methods_of(played))
    methods = ["ranking:relieff", "rfe"]
    runs = compare(scenario(folder, **gaps, experiment={"methods": methods}), n_jobs=1)
    assert all(run["subset"] for run in runs)


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"experiment": {"methods": ["focus"]}}, r"\[experiment\] `methods`: 'focus' .* or leave it out$"),
        (
            {"experiment": {"methods": ["sfs", "ranking:fisher"]}},
            r"`methods`: 'ranking:fisher' .* or use ranking:relieff or ranking:alone$",
        ),
        (
            {"elicit": {"prior": "fisher"}},
            r"\[elicit\] `prior` = 'fisher' .* or use relieff, or list one number an attribute$",
        ),
        ({"elicit": {"pairs": "h"}}, r"\[elicit\] `pairs` = 'h' .* or list pairs of names$"),
    ],
)
def test_what_needs_every_value_is_refused_by_name_where_some_are_missing(folder, gaps, sections, message):
    with pytest.raises(InputError, match=message) as caught:
        scenario(folder, **gaps, **sections)
    assert "takes no missing values, and column 'b' has some; fill them in the file, or" in str(caught.value)


def test_the_data_behind_a_table_are_tidied_like_those_of_a_wrapper(folder, gaps):
    (folder / "more.csv").write_text(DATA.replace("a,b", "site,extra,a,b").replace("\n", "\n1,2,").removesuffix("1,2,"))
    whole = scenario(folder, oracle={"data": "more.csv", "group_col": "site"})
    assert whole.material.attributes.names == ("a", "b", "c", "d")  # extra is not measured
    tidied = scenario(folder, oracle={"data": "more.csv", "group_col": "site", "tidy": True})  # extra says nothing
    assert methods_of(tidied) == ("elicit", *METHODS)
    with pytest.raises(InputError, match=r"gaps.csv, line 7: 'b' is empty, .* tidy = true"):
        scenario(folder, oracle={"data": "gaps.csv"})
    table = {"data": "gaps.csv", "tidy": True}
    assert methods_of(scenario(folder, oracle=table)) == methods_of(scenario(folder, **gaps))
    with pytest.raises(InputError, match=r"'ranking:fisher' takes no missing values, and column 'b' has some"):
        scenario(folder, oracle=table, experiment={"methods": ["ranking:fisher"]})


def test_a_group_of_columns_is_the_attribute_of_a_table_that_has_its_name(folder):
    (folder / "d.csv").write_text(
        DATA.replace("a,b,c,d", "a,b,c1,d").replace("\n", ",1\n").replace("kind,1", "kind,c2")
    )
    grouped = scenario(folder, oracle={"groups": {"c": ["c1", "c2"]}})
    assert grouped.material.attributes.names == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (DATA.replace("a,b", "b,a"), "they stand in another order"),
        (DATA.replace("a,b", "e,b"), "'a' is measured and not in them"),
        (re.sub("^[01],", "1,", DATA, flags=re.MULTILINE), "'a' is measured and left out of them"),
    ],
)
@pytest.mark.parametrize(("key", "remedy"), [({}, "give the data behind them"), ({"prior": "f"}, "list one number")])
def test_data_of_other_attributes_than_the_table_s_are_refused(folder, text, why, key, remedy):
    (folder / "d.csv").write_text(text)
    message = f"the attributes of `data` are not those that are measured, {why}; {remedy}"
    with pytest.raises(InputError, match=re.escape(message)):
        scenario(folder, oracle={"tidy": True}, elicit=key)


def test_a_prior_that_takes_missing_values_is_worked_out_with_them(folder, gaps):
    (spec,) = scenario(folder, **gaps, elicit={"prior": "relieff"}).elicits
    assert len(spec.prior) == N


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"experiment": {"methods": ["sfss"]}}, r"\[experiment\] .*unknown method 'sfss'; did you mean"),
        ({"experiment": {"methods": ["elicits"]}}, r"\[experiment\] .*did you mean 'elicit'"),
        ({"experiment": {"methods": ["gsfs:x"]}}, r"the group's size: expected a whole number"),
        ({"experiment": {"methods": ["genetic:1"]}}, r"'genetic:1', the population: .* of at least 2, found '1'"),
        ({"experiment": {"methods": ["sfs", "sfs"]}}, r"none twice"),
        ({"experiment": {"methods": []}}, r"at least one method"),
        ({"experiment": {"trace_every": 0}}, r"`trace_every` is a whole number of at least 1"),
        (
            {"experiment": {"goal": "size"}},
            r"\[experiment\] `goal`: a goal is \"size:6\", .* or \"trade-off\", found 'size'",
        ),
        ({"experiment": {"goal": "reach:x"}}, r"`goal`: a goal is .*found 'reach:x'"),
        ({"experiment": {"goal": "reach:nan"}}, r"`goal`: a goal is .*found 'reach:nan'"),
        ({"experiment": {"goal": 6}}, r"`goal` is a text that is not empty, found 6"),
        ({"experiment": {"goal": ""}}, r"`goal` is a text that is not empty, found ''"),
        ({"experiment": {"goal": "size:5"}}, r"`goal`: the goal is a size of 5, but the sizes here are 1 to 4"),
        ({"experiment": {"goal": "size:2", "methods": ["elicit"]}}, r"'elicit' elicits the trade-off; leave it out"),
        (
            {"oracle": {"data": "wine", "target": None}},
            r"\[oracle\] the attributes of `data` are not those that are measured, 'a' is measured and not in them;",
        ),
        ({"oracle": {"target": "kid"}}, r"did you mean 'kind'"),
        ({"oracle": {"model": "logistics"}}, r"did you mean 'logistic'"),
    ],
)
def test_what_is_wrong_is_named(folder, sections, message):
    with pytest.raises(InputError, match=message):
        scenario(folder, **sections)


@pytest.mark.parametrize("method", ["focus", "ranking:chi2"])
def test_a_method_for_classes_is_refused_before_others_are_played(folder, method):
    numbers = "".join(f"{m & 1},{m >> 1 & 1},{m >> 2 & 1},{m >> 3},{m * 0.37:.2f}\n" for m in range(16))
    (folder / "d.csv").write_text("a,b,c,d,kind\n" + numbers)
    with pytest.raises(InputError, match=f"'{method}' needs a target of classes, which this is not; leave it out"):
        scenario(folder, oracle={"model": "ridge"}, experiment={"methods": ["sfs", method]})
    played = scenario(folder, oracle={"model": "ridge"}, experiment={"seeds": 1})
    assert "focus" not in {run["method"] for run in compare(played, n_jobs=1)}


def test_a_model_that_cannot_be_fitted_ends_its_method_alone_and_is_named(folder):
    found = compare(scenario(folder, experiment={"methods": ["rfe", "sfs"]}, oracle={"model": "knn:200"}), 1)
    for run in found:
        if run["method"] == "rfe":
            assert run["evaluations"] == 1  # where it began
            reason = (
                r"the elimination cannot go on: no importance of .* can be computed: ValueError: .*n_neighbors = 200"
            )
            assert re.match(reason, run["stopped"])
        else:
            assert run["evaluations"] > 1
    assert {run["method"] for run in found} == {"rfe", "sfs"}


def test_focus_gives_up_for_itself_alone_and_its_reason_is_told(folder, monkeypatch):
    monkeypatch.setattr(focus, "LARGEST_SEARCH", 2)
    played = scenario(folder, experiment={"methods": ["sfs", "focus"]})
    found = compare(played, 1)
    assert {run["evaluations"] > 0 for run in found if run["method"] == "sfs"} == {True}
    why = "the smallest consistent subsets are not found by looking at 2 subsets"
    assert all(run["stopped"].startswith(why) for run in found if run["method"] == "focus")
    assert [end for end in _ends(found, played) if end.startswith(f"focus: {why}")]


def test_too_many_pairs_of_cases_for_focus_keep_no_other_method_from_playing(folder, monkeypatch):
    monkeypatch.setattr(consistency, "LARGEST_PAIRS", 63)
    found = {run["method"]: run for run in compare(scenario(folder), 1)}  # whatever can play
    assert found["focus"]["stopped"].startswith("64 pairs of cases differ in class, too many to compare (limit 63)")
    assert (found["focus"]["evaluations"], found["focus"]["subset"]) == (0, [])
    assert all(run["subset"] for method, run in found.items() if method != "focus")


def test_a_score_that_data_do_not_suit_is_refused_before_others_are_played(folder, monkeypatch):
    (folder / "d.csv").write_text(DATA.replace("\n0,0,0,1", "\n0,0,0,-1"))
    played = scenario(folder, experiment={"methods": ["sfs", "ranking:chi2"]})
    monkeypatch.setattr(comparison, "explore", lambda *_, **__: pytest.fail("played"))
    with pytest.raises(
        InputError, match=r"\] `methods`: 'ranking:chi2' cannot be played: .* X is -1 in the column 'd'"
    ):
        compare(played, 1)


def test_a_score_is_computed_once_for_all_operators_and_seeds(folder, monkeypatch):
    computed = []
    of_target = Measure.of_target

    def counted(measure, *args, **kwargs):
        computed.append(measure.name)
        return of_target(measure, *args, **kwargs)

    monkeypatch.setattr(Measure, "of_target", counted)
    found = compare(scenario(folder, experiment={"methods": ["ranking", "ranking:relieff"], "seeds": 3}), 1)
    assert len(found) == 12
    assert computed == ["f", "relieff"]


# goals


def best_of_size(operator, size):
    subsets = [[n for i, n in enumerate("abcd") if m >> i & 1] for m in SCORES if m.bit_count() == size]
    return max(utility(operator, subset) for subset in subsets)


def test_a_fixed_size_is_what_every_method_recommends(folder):
    found = compare(scenario(folder, elicit={"budget": 15}, experiment={"goal": "size:2"}))
    assert {run["method"] for run in found} == set(METHODS)  # ours elicits the trade-off
    for run in found:
        assert (run["goal"], run["regret"], run["trace"]) == ("size:2", None, None)
        assert run["met"] == (len(run["subset"]) == 2)
        assert run["utility"] == (pytest.approx(utility(run["operator"], run["subset"])) if run["met"] else None)
        if run["method"] == "exhaustive":
            assert run["utility"] == pytest.approx(best_of_size(run["operator"], 2))
    assert json.loads(json.dumps(found)) == found


def test_the_fewest_attributes_that_reach_a_value_are_found_and_compared_by_their_number(folder):
    reached = max(score for mask, score in SCORES.items() if mask)
    smallest = min(mask.bit_count() for mask, score in SCORES.items() if mask and score >= reached)
    chosen = scenario(
        folder,
        elicit={"budget": 15},
        experiment={"goal": f"reach:{reached}", "methods": ["exhaustive", "ranking:alone", "sbs", "sffs"]},
    )
    found = compare(dataclasses.replace(chosen, operators=chosen.operators[:1]))
    assert [len(run["subset"]) for run in found if run["method"] == "exhaustive"] == [smallest, smallest]
    (header, first, *_) = side_by_side(found)
    assert f"reach:{reached:g} met" in header
    assert first.startswith("exhaustive")
    sizes = {run["method"]: len(run["subset"]) for run in found if run["met"] and run["method"] != "exhaustive"}
    assert sizes
    assert {d.method: d.mean for d in differences(found)} == {m: size - smallest for m, size in sizes.items()}


def test_what_no_subset_reaches_has_no_utility(folder):
    (run, *_) = found = compare(scenario(folder, experiment={"goal": "reach:2", "methods": ["sfs"]}))
    assert (run["met"], run["utility"]) == (False, None)
    assert run["subset"]
    assert side_by_side(found)[1].split()[:3] == ["sfs", "4", "–"]


def test_runs_after_another_goal_are_kept_apart(folder, tmp_path):
    for goal in ("size:2", "size:3", "trade-off"):
        compare(scenario(folder, experiment={"goal": goal, "methods": ["sfs"]}), journals=tmp_path)
    assert len(list(tmp_path.glob("*.jsonl"))) == 3 * 4


def test_an_unlimited_method_goes_on_to_its_own_end_and_the_others_to_the_budget(folder, tmp_path):
    chosen = scenario(folder, experiment={"seeds": 1, "methods": ["sbs", "sbs (unlimited)"]}).reduced(budget=3)
    cut, _, whole, _ = compare(chosen, journals=tmp_path)  # two operators each
    assert (cut["method"], cut["evaluations"], cut["stopped"][:6]) == ("sbs", 3, "budget")
    assert (whole["method"], whole["stopped"]) == ("sbs (unlimited)", "the walk is complete")
    assert whole["evaluations"] > 3
    assert whole["trace"][:3] == cut["trace"]
    assert len(list(tmp_path.glob("*.jsonl"))) == 4


# journals


def test_a_journal_has_a_name_that_every_system_takes_and_runs_apart_have_names_apart():
    name = file_name("größe: 50 % / <a>" + "x" * 100, "one", 3)
    assert re.fullmatch(r"gr--e--50-+a-x+-[0-9a-f]{8}-3\.jsonl", name)
    assert len(name) < 100
    assert len({name, file_name("größe", "one", 3), file_name("größe", "one", 4), file_name("größe", "two", 3)}) == 4


def test_runs_that_were_kept_are_continued(folder, tmp_path):
    chosen = scenario(folder, experiment={"methods": ["sffs", "random"]})
    kept = tmp_path / "kept"
    kept.mkdir()
    first = compare(chosen.reduced(budget=5), journals=kept)
    assert len(list(kept.iterdir())) == len(first) == 8
    again = compare(chosen, journals=kept)
    assert list(map(core, again)) == list(map(core, compare(chosen)))
    assert all(run["evaluations"] == 5 for run in first)
    assert [run["kept"] for run in again] == [5] * 8


@pytest.mark.parametrize("command", ["run", "compare"])
def test_where_all_was_kept_no_time_is_told(folder, tmp_path, command):
    chosen = scenario(folder, experiment={"methods": ["elicit", "sffs"], "seeds": 1})
    play = compare if command == "compare" else run_scenario
    timed = play(chosen, 1, journals=tmp_path)
    assert all(run["seconds"] is not None and run["kept"] == 0 for run in timed)
    again = play(chosen, 1, journals=tmp_path)
    assert all(run["seconds"] is None and run["kept"] == run["evaluations"] for run in again)
    lines = side_by_side(again) if command == "compare" else summary(again)
    place = lines[0].index("seconds")
    assert lines[1][place:].split()[0] == "–"


def interrupted(monkeypatch, after):
    """The next oracle of live data breaks off at its measurement number `after`; what was asked is listed."""
    asked = []

    def measured(self, request, whole=WrapperOracle.__call__):
        asked.append(request.subset)
        if len(asked) == after:
            raise KeyboardInterrupt
        return whole(self, request)

    monkeypatch.setattr(WrapperOracle, "__call__", measured)
    return asked


@pytest.fixture(scope="module")
def live():
    """A scenario that measures as it goes, and its runs."""
    oracle = {"kind": "wrapper", "data": "wine", "model": "tree:2", "folds": 2}
    noisy = {"name": "noisy", "utility": "score - 0.01 * size", "noise": 0.3}
    operators = [PLAIN["operator"][0], noisy]
    chosen = scenario_from({**PLAIN, "oracle": oracle, "operator": operators, "elicit": {"budget": 9}}, SCENARIOS)
    return chosen, run_scenario(chosen, n_jobs=1)


@pytest.mark.parametrize("after", [1, 7, pytest.param(16, marks=pytest.mark.slow)])
def test_our_runs_go_on_where_they_were_interrupted(live, tmp_path, monkeypatch, after):
    chosen, whole = live
    monkeypatch.setattr(experiment, "_memory", {})
    asked = interrupted(monkeypatch, after)
    with pytest.raises(KeyboardInterrupt):
        run_scenario(chosen, 1, journals=tmp_path)
    monkeypatch.setattr(experiment, "_memory", {})  # as in another process
    again = run_scenario(chosen, 1, journals=tmp_path)
    assert list(map(untimed, again)) == list(map(untimed, whole))
    assert len(asked) == len(set(asked)) + 1, "a subset was measured twice"
    assert len(list(tmp_path.glob("elicit-*.jsonl"))) == 4
    told = len(asked)
    assert list(map(untimed, run_scenario(chosen, 1, journals=tmp_path))) == list(map(untimed, whole))
    assert len(asked) == told


@pytest.mark.parametrize("after", [7, 12, 16])
def test_what_an_interrupted_comparison_kept_of_one_method_no_other_measures_again(live, tmp_path, monkeypatch, after):
    chosen = dataclasses.replace(live[0], methods=("sfs", "sbs", "random"))
    monkeypatch.setattr(experiment, "_memory", {})
    asked = interrupted(monkeypatch, after)
    with pytest.raises(KeyboardInterrupt):
        compare(chosen, 1, journals=tmp_path)
    monkeypatch.setattr(experiment, "_memory", {})  # as in another process
    compare(chosen, 1, journals=tmp_path)
    assert len(asked) == len(set(asked)) + 1, "a subset was measured twice"


def mortal(folder, lives):
    """Four runs, of which one takes its process down until it has done so `lives` times."""

    def play_or_die(number, _):  # inside: it is sent whole, and no worker has to import all that this file needs
        deaths = len(list(folder.glob("died-*")))
        if number == 1 and deaths < lives:
            (folder / f"died-{deaths}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"number": number}

    return [partial(play_or_die, number) for number in range(4)]


@pytest.mark.skipif(sys.platform == "win32", reason="a SIGKILL of POSIX")
@pytest.mark.filterwarnings("ignore:A worker stopped")
def test_runs_outlive_a_worker_that_dies_and_end_with_one_line_where_it_dies_twice(tmp_path):
    assert [run["number"] for run in play_tasks(mortal(tmp_path, 1), n_jobs=2)] == [0, 1, 2, 3]
    with pytest.raises(OracleError, match=r"died twice while runs were played.*use a smaller --n-jobs"):
        play_tasks(mortal(tmp_path, 3), n_jobs=2)
    assert len(list(tmp_path.glob("died-*"))) == 3


def test_runs_that_no_process_can_be_given_end_with_one_line_that_says_why():
    connected = Event()  # holds a lock, as an open connection does
    with pytest.raises(OracleError, match=r"^the work cannot be given to worker processes \(TypeError: cannot pickle"):
        play_tasks([lambda _: connected.is_set()] * 2, n_jobs=2)


def test_choices_that_no_method_plays_are_pointed_out(folder, capsys):
    two = "[[elicit]]\nname = 'mine'\nbudget = 9\n[[elicit]]\nname = 'other'\nbudget = 9"
    for methods, told in ((["sfs", "random"], True), (["sfs", "elicit"], False)):
        path = Path(toml(folder, methods=methods))
        path.write_text(path.read_text().replace("[elicit]\nbudget = 9", two))
        assert main(["compare", str(path)]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert ("[[elicit]] was not played: `methods` does not name 'elicit'" in out) == told
        assert ("ours has to ask" in out) != told


def test_choices_that_a_goal_keeps_from_being_played_are_pointed_out_as_such(folder, capsys):
    path = Path(toml(folder, goal="size:2"))
    two = "[[elicit]]\nname = 'mine'\nmax_size = 3\n[[elicit]]\nname = 'other'"
    path.write_text(path.read_text().replace("[elicit]\nbudget = 9", two))
    assert main(["compare", str(path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "[[elicit]] was not played: the goal 'size:2' is for classical methods" in out
    assert "each regret" not in out  # the table has none


def test_a_journal_of_a_simulated_run_says_what_goes_on_with_it(folder, tmp_path, capsys):
    run_scenario(scenario(folder, experiment={"seeds": 1}), 1, journals=tmp_path)
    kept = next(iter(tmp_path.glob("elicit-*.jsonl")))
    assert main(["resume", str(kept)]) == 2
    assert "is a run with a simulated operator: elicit run or elicit compare with the same" in capsys.readouterr().err
    assert main(["verify", str(kept)]) == 0


def test_a_table_without_what_was_dropped_is_played_with_the_data_behind_it(folder, capsys):
    wanted = "petal width (cm)"
    assert main(["table", "iris", "--drop", wanted, "--folds", "2", "-o", str(folder / "ti.csv")]) == 0
    oracle = {"path": "ti.csv", "data": "iris", "target": None, "model": "knn:3"}
    chosen = scenario(folder, oracle=oracle, elicit={"prior": "fisher"}, experiment={"methods": ["ranking:fisher"]})
    assert wanted not in chosen.material.attributes.names
    assert len(chosen.elicits[0].prior) == 3
    assert all(run["subset"] for run in compare(chosen, n_jobs=1))
    capsys.readouterr()


def test_a_kept_run_that_went_on_by_hand_is_not_taken_for_the_one_declared(folder, tmp_path):
    chosen = scenario(folder, experiment={"seeds": 1})
    run_scenario(chosen, 1, journals=tmp_path)
    with resume(next(iter(tmp_path.glob("elicit-*.jsonl"))), chosen.oracle, budget=12) as session:
        judge = chosen.operators[0].simulated(chosen.oracle, 0)
        drive(session.elicitation, chosen.oracle, judge, session.journal)
    with pytest.raises(JournalError, match="belongs to another run; choose another folder"):
        run_scenario(chosen, 1, journals=tmp_path)


def test_two_experiments_in_one_folder_at_once_are_told_so(folder, tmp_path):
    chosen = scenario(folder, experiment={"seeds": 1})
    run_scenario(chosen, 1, journals=tmp_path)
    path = next(iter(tmp_path.glob("elicit-*.jsonl")))
    with resume(path, chosen.oracle), pytest.raises(JournalInUseError, match="another experiment is playing in"):
        run_scenario(chosen, 1, journals=tmp_path)


def test_a_trace_is_the_same_for_runs_that_were_kept(folder, tmp_path):
    chosen = scenario(folder, elicit={"ask_every": 2})
    plain = run_scenario(chosen, 1)
    assert all(len(run["trace"]) == run["evaluations"] for run in plain)
    for _ in range(2):
        assert list(map(untimed, run_scenario(chosen, 1, journals=tmp_path))) == list(map(untimed, plain))


def test_what_is_played_otherwise_is_another_run(folder, tmp_path):
    run_scenario(scenario(folder, experiment={"seeds": 1}), 1, journals=tmp_path)
    for before, changed in enumerate(({"budget": 8}, {"questions": 2}, {"keep": ["b"]}), start=1):
        other = scenario(folder, elicit=changed, experiment={"seeds": 1})
        kept = run_scenario(other, 1, journals=tmp_path)
        assert list(map(untimed, kept)) == list(map(untimed, run_scenario(other, 1)))
        assert len(list(tmp_path.glob("elicit-*.jsonl"))) == 2 * before + 2


@pytest.mark.parametrize("command", ["run", "compare"])
def test_an_interrupt_says_what_was_kept(folder, capsys, monkeypatch, command):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("elicit.experiments.experiment.drive", stop)
    path = toml(folder, seeds=1, methods=["elicit"])
    assert main([command, path, "--n-jobs", "1"]) == 130
    assert "no run was kept; --journals FOLDER keeps each as it goes" in capsys.readouterr().err
    assert main([command, path, "--n-jobs", "1", "--journals", str(folder / "kept")]) == 130
    assert f"what was played is in {folder / 'kept'}; the same command goes on there" in capsys.readouterr().err


@pytest.mark.parametrize("changed", ["data", "model"])
def test_what_a_method_read_besides_the_oracle_belongs_to_its_journal(folder, tmp_path, changed):
    chosen = {"seeds": 1, "methods": ["rfe", "sfs"]}
    compare(scenario(folder, experiment=chosen), n_jobs=1, journals=tmp_path)
    if changed == "data":
        (folder / "d.csv").write_text(DATA.replace("1", "2", 1))
    other = scenario(folder, oracle={"model": "knn:3"} if changed == "model" else {}, experiment=chosen)
    before = {path.name for path in tmp_path.glob("*.jsonl")}
    kept = compare(other, n_jobs=1, journals=tmp_path)
    assert [*map(untimed, kept)] == [*map(untimed, compare(other, n_jobs=1))]
    new = {path.name for path in tmp_path.glob("*.jsonl")} - before
    assert [name[:3] for name in sorted(new)] == ["rfe"] * (len(before) // 2), "sfs reads nothing of either"


def test_with_another_utility_or_family_it_is_another_run_in_the_same_folder(folder, tmp_path):
    plain = {**PLAIN, "experiment": {"methods": ["sfs"]}}
    told, otherwise = (
        scenario_from({**plain, "operator": {"name": "one", "utility": utility}}, folder)
        for utility in ("score", "score - size")
    )
    smaller = scenario_from(
        {**plain, "operator": {"name": "one", "utility": "score"}, "elicit": {"max_size": 1}}, folder
    )
    for k, each in enumerate((told, otherwise, smaller), start=1):
        found, again = ([*map(untimed, compare(each, n_jobs=1, journals=tmp_path))] for _ in range(2))
        assert found == again == [*map(untimed, compare(each, n_jobs=1))]
        assert len(list(tmp_path.glob("sfs-*.jsonl"))) == k * len(found)


def test_a_journal_of_a_classical_run_says_what_goes_on_with_it(folder, tmp_path, capsys):
    compare(scenario(folder, experiment={"seeds": 1, "methods": ["sffs"]}), journals=tmp_path)
    kept = next(iter(tmp_path.glob("sffs*.jsonl")))
    assert main(["resume", str(kept)]) == 2
    said = capsys.readouterr().err
    assert "a run of the classical method 'sffs', not a session: elicit compare with the same scenario and" in said
    for command in (["why", str(kept)], ["report", str(kept), "-o", str(tmp_path / "r.html")]):
        assert main(command) == 2
        assert capsys.readouterr().err == said
    assert main(["verify", str(kept)]) == 0
    assert "classical method has ended; it claims nothing" in capsys.readouterr().out
    assert said.count("\n") == 1


def core(run):
    return {key: run[key] for key in ("method", "operator", "seed", "subset", "regret", "evaluations", "trace")}


# what one loses to another


def run_of(method, seed, worth, operator="o"):
    return {
        "method": method,
        "operator": operator,
        "seed": seed,
        "utility": worth,
        "regret": 1 - worth,
        "evaluations": 3,
        "questions": 1,
        "seconds": 0.5,
        "subset": ["a"],
        "trace": [None, 0.9, 1 - worth],
    }


def test_differences_are_paired_by_seed_by_hand():
    ours, theirs = [0.9, 0.8, 0.85], [0.7, 0.75, 0.75]
    found = [run_of("elicit", s, u) for s, u in enumerate(ours)] + [run_of("x", s, u) for s, u in enumerate(theirs)]
    (difference,) = differences(found)
    apart = [0.2, 0.05, 0.1]
    half = stats.t.ppf(0.975, 2) * np.std(apart, ddof=1) / math.sqrt(3)
    assert (difference.method, difference.against) == ("x", "elicit")
    assert difference.mean == pytest.approx(np.mean(apart))
    assert (difference.low, difference.high) == pytest.approx((np.mean(apart) - half, np.mean(apart) + half))


def test_one_seed_has_no_interval_and_operators_are_averaged():
    found = [
        run_of("sfs", 0, 0.5, "p"),
        run_of("sfs", 0, 0.7, "q"),
        run_of("sbs", 0, 0.6, "p"),
        run_of("sbs", 0, 0.4, "q"),
    ]
    (difference,) = differences(found)
    assert (difference.against, difference.low) == ("sfs", None)
    assert difference.mean == pytest.approx(0.1)


def reaching(method, seed, size, met=True):
    """A run that was after a value, with as few attributes as that takes."""
    run = run_of(method, seed, 0.9) | {"goal": "reach:0.9", "met": met, "subset": ["a"] * size}
    return run | {"utility": 0.9 if met else None, "regret": None}


def test_who_seldom_reaches_a_value_is_not_first_for_the_few_times_it_did():
    often = [reaching("sbs", seed, size) for seed, size in enumerate([5, 7, 6, 6])]
    seldom = [reaching("random", seed, size, met=seed == 2) for seed, size in enumerate([1, 1, 4, 9])]
    never = [reaching("sffs", seed, 2, met=False) for seed in range(4)]
    (header, *rows) = [line.split() for line in side_by_side([*often, *seldom, *never])]
    assert header[-4:] == ["more", "attributes", "than", "sbs"]
    assert [row[0] for row in rows] == ["sbs", "random", "sffs"]
    size, share = header.index("size") - 1, header.index("size")  # two words stand before: best found
    assert [row[size] for row in rows] == ["6.0", "4.0", "–"]
    assert [row[share] for row in rows] == ["100%", "25%", "0%"]
    assert " ".join(rows[1][share + 1 :]) == "-2.0000 (1 of 4 seeds)"
    assert [(d.method, d.mean, d.seeds) for d in differences([*often, *seldom, *never])] == [("random", -2.0, 1)]


def test_the_table_has_a_row_a_method_best_first_and_no_control_characters():
    found = [run_of("bad\x1b[31m", s, 0.1) for s in (0, 1)] + [run_of("elicit", s, 0.9) for s in (0, 1)]
    lines = side_by_side(found)
    assert [line.split()[0] for line in lines] == ["method", "elicit", "bad\\x1b[31m"]
    assert "worse than elicit by" in lines[0]
    assert lines[2].endswith("  +0.8000")  # of both seeds, so they are not counted
    assert side_by_side(found[:2])[0].endswith("size")  # one method is worse than none
    two = side_by_side([*found, *(dict(run, operator="p") for run in found)])
    assert two[-3].split() == ["method", "o", "p"]


def test_a_narrow_table_has_every_name_made_harmless_and_the_interval_from_its_lower_end():
    names = {"elicit\x1b[31m": (0.9, 0.9, 0.9), "y\x1b[31m": (0.6, 0.7, 0.8)}
    runs = [
        run_of(name, seed, worth, operator) | {"goal": "size:1\x1b[33m", "met": True}
        for name, worths in names.items()
        for seed, worth in enumerate(worths)
        for operator in ("o\x1b[32m", "p" * 30, "q" * 30)
    ]
    lines = side_by_side(runs, 60)
    assert max(map(len, lines)) <= 60 < max(map(len, side_by_side(runs)))
    shown = "\n".join(lines)
    assert "\x1b" not in shown
    for name in ("elicit\\x1b[31m", "y\\x1b[31m", "o\\x1b[32m", "size:1\\x1b[33m met", "worse than elicit\\x1b[31m by"):
        assert name in shown
    assert "  +0.2000 [-0.0484, +0.4484]\n" in shown  # of all three seeds, which are counted once for all operators


def test_a_subset_is_the_best_where_its_regret_cannot_be_told_from_none():
    assert side_by_side([run_of("elicit", 0, 1.0) | {"regret": GRID / 2}])[1].split()[3] == "100%"


def test_who_seldom_finds_the_size_asked_for_is_not_first_for_the_few_times_it_did():
    sized = {"goal": "size:1", "regret": None, "trace": None}
    always = [run_of("sffs", seed, 0.8) | sized | {"met": True} for seed in range(4)]
    once = [run_of("random", seed, 0.9) | sized | {"met": seed == 0} for seed in range(4)]
    once = [run | {"utility": run["utility"] if run["met"] else None} for run in once]
    (_, *rows) = side_by_side([*once, *always])
    assert [row.split()[0] for row in rows] == ["sffs", "random"]


def test_each_number_of_a_row_stands_under_its_heading():
    """Means over the runs; what was recommended at the end is not what was best on the way."""
    first = run_of("elicit", 0, 1.0) | {"evaluations": 12, "questions": 2, "seconds": 0.25, "subset": ["a", "b"]}
    second = run_of("elicit", 1, 0.995) | {"evaluations": 10, "questions": 5, "seconds": 1.0}
    traces = [[0.5] * 9 + [0.3, 0.0, 0.0], [0.6] * 9 + [0.005]]
    runs = [run | {"trace": trace} for run, trace in zip((first, second), traces, strict=True)]
    header, row = (re.split("  +", line) for line in side_by_side(runs))
    assert dict(zip(header, row, strict=True)) == {
        "method": "elicit",
        "runs": "2",
        "regret@10": "0.1525",
        "regret": "0.0025",
        "best found": "50%",
        "evaluations": "11.0",
        "questions": "3.5",
        "seconds": "0.62",
        "size": "1.5",
    }


def test_a_run_that_recommends_nothing_has_no_size():
    nothing = run_of("sbs", 1, 0.9) | {"utility": None, "regret": None, "subset": []}
    header, row = (re.split("  +", line) for line in side_by_side([run_of("sbs", 0, 0.9), nothing]))
    assert dict(zip(header, row, strict=True))["size"] == "–"


@pytest.mark.parametrize("table", [side_by_side, summary], ids=["compare", "run"])
def test_the_seconds_are_those_of_the_runs_that_were_timed(table):
    runs = [run_of("elicit", s, 0.9) | {"seconds": seconds, "failures": {}} for s, seconds in enumerate([0.5, None, 2])]
    header, row = (re.split("  +", line) for line in table(runs))
    assert dict(zip(header, row, strict=False))["seconds"] == "1.25"


def test_the_regrets_by_operator_are_those_of_its_own_runs():
    runs = [run_of("sfs", s, worth, operator) for s in (0, 1) for operator, worth in (("o", 0.9), ("p", 0.5))]
    *_, head, row = (line.split() for line in side_by_side(runs))
    assert (head, row) == (["method", "o", "p"], ["sfs", "0.1000", "0.5000"])


def test_ours_is_what_others_are_compared_with_wherever_it_stands_among_its_choices():
    runs = [run_of(method, s, 0.5 + s / 10) for method in ("sfs", "mine", "elicit") for s in (0, 1)]
    assert {d.against for d in differences(runs)} == {"elicit"}
    assert {d.against for d in differences(runs[:4])} == {"mine"}


def test_a_seed_counts_where_a_method_came_to_something_for_every_operator():
    runs = [run_of(m, s, worth, o) for m, worth in (("elicit", 0.9), ("sfs", 0.6)) for s in (0, 1) for o in "pq"]
    runs[-1] |= {"utility": None, "regret": None}  # sfs, seed 1, operator q
    (difference,) = differences(runs)
    assert (difference.mean, difference.seeds) == (pytest.approx(0.3), 1)
    assert (difference.low, difference.high) == (None, None)


def test_methods_that_share_no_seed_are_not_held_against_each_other():
    runs = [run_of("elicit", 0, 0.9), run_of("sfs", 1, 0.6), run_of("sbs", 0, 0.5)]
    assert [d.method for d in differences(runs)] == ["sbs"]


def test_what_differs_alike_for_every_seed_has_no_interval():
    runs = [run_of(m, s, worth + s / 10) for m, worth in (("elicit", 0.7), ("sfs", 0.4)) for s in range(3)]
    (difference,) = differences(runs)
    assert (difference.low, difference.seeds) == (None, 3)


# figures that are known


def test_figures_on_the_wine_table_are_those_measured_before():
    """Forward selection told four utilities: 91 evaluations, a mean regret of .0032, and never the optimum."""
    given = read_scenario(SCENARIOS / "compare_wine.toml")
    chosen = dataclasses.replace(given, methods=("sfs", "random", "hill-climb"))
    found = compare(chosen.reduced(seeds=12))
    mean = {m: np.mean([run["regret"] for run in found if run["method"] == m]) for m in chosen.methods}
    forward = [run for run in found if run["method"] == "sfs"]
    assert mean["sfs"] == pytest.approx(0.0032, abs=0.00006)
    assert {run["evaluations"] for run in forward} == {91}
    assert all(run["regret"] > 0 for run in forward)
    assert mean["random"] == pytest.approx(0.0157, abs=0.002)
    assert 0.002 < mean["hill-climb"] < 0.006


@pytest.mark.parametrize(
    ("name", "evaluations", "score", "size"),
    [("sfs", 91, 0.9889, 7), ("sbs", 91, 0.9944, 7), ("sffs", 188, 0.9889, 7), ("sfbs", 219, 0.9944, 7)],
)
def test_whole_walks_on_the_wine_table_cost_what_mlxtend_s_cost(name, evaluations, score, size):
    """188 and 219 are mlxtend's; from above, ties in mask order lead to .9944 where scikit-learn's lead to .9778."""
    found = explore(Method(name, named(name).explorer()), TableOracle(SCENARIOS / "wine_knn3.csv.gz"))
    assert (found.evaluations, len(found.names)) == (evaluations, size)
    assert found.value == pytest.approx(score, abs=5e-5)


# the command


def toml(folder, **experiment):
    lines = [
        '[oracle]\nkind = "table"\npath = "t.csv"\n[operator]\nutility = "score - 0.05 * size"\n[elicit]\nbudget = 9'
    ]
    lines += ["[experiment]", *(f"{key} = {json.dumps(value)}" for key, value in experiment.items())]
    (folder / "s.toml").write_text("\n".join(lines))
    return str(folder / "s.toml")


def measured_live(path):
    """The same scenario measured as it goes, without a goal."""
    live = 'kind = "filter"\ndata = "d.csv"\ntarget = "kind"\nmerit = "cfs"'
    text = Path(path).read_text().replace('kind = "table"\npath = "t.csv"', live)
    Path(path).write_text(text.replace('goal = "size:2"', ""))


def test_the_command_prints_a_table_and_writes_json_and_a_picture(folder, capsys):
    path = toml(folder, seeds=2, methods=["elicit", "sfs", "random"])
    out, picture = folder / "out.json", folder / "out.svg"
    assert main(["compare", path, "--json", str(out), "--plot", str(picture), "--journals", str(folder / "kept")]) == 0
    printed = capsys.readouterr().out
    assert {"elicit", "sfs", "random"} <= set(printed.split())
    assert "intervals: 95%, paired by seed" in printed
    written = json.loads(out.read_text())
    assert len(written["results"]) == 6
    assert {d["method"] for d in written["differences"]} == {"sfs", "random"}
    assert written["scenario"]["experiment"]["methods"] == ["elicit", "sfs", "random"]
    assert picture.read_text().startswith("<?xml")
    assert len(list((folder / "kept").iterdir())) == 6
    assert main(["compare", path, "--seeds", "1", "--budget", "3"]) == 0
    assert "intervals" not in capsys.readouterr().out, "one seed has none"


def test_the_command_says_what_could_not_be_measured(folder, capsys):
    lines = (folder / "t.csv").read_text().splitlines()
    (folder / "t.csv").write_text("\n".join([lines[0], *lines[8:]]))  # without d, nothing has a row
    path = toml(folder, seeds=1, methods=["sfs"])
    assert main(["compare", path]) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if "has no row for this subset" in line]
    assert len(said) == 1
    assert said[0].startswith("not measured, 3 times:")
    (folder / "other.toml").write_text((folder / "s.toml").read_text())
    assert main(["compare", path, str(folder / "other.toml")]) == 0
    assert "not measured, 6 times:" in capsys.readouterr().out


def test_a_suite_refuses_rare_looks_for_it_counts_evaluations(folder, capsys):
    path = toml(folder, seeds=1, methods=["elicit"], trace_every=2)
    (folder / "other.toml").write_text((folder / "s.toml").read_text())
    assert main(["compare", path, str(folder / "other.toml")]) == 2
    assert "s.toml: a suite counts every evaluation; leave trace_every out" in capsys.readouterr().err


def test_a_suite_tells_regret_so_a_goal_without_one_is_refused_and_a_scenario_without_one_named(folder, capsys):
    path = toml(folder, seeds=1, methods=["sfs"])
    table = Path(path).read_text()
    (folder / "other.toml").write_text(table + '\ngoal = "size:2"')
    assert main(["compare", path, str(folder / "other.toml")]) == 2
    assert "other.toml: a suite tells regret, which the goal 'size:2' has none of; play it" in capsys.readouterr().err
    measured_live(folder / "other.toml")
    assert main(["compare", path, str(folder / "other.toml"), "--n-jobs", "1"]) == 0
    known, other = capsys.readouterr().out.split("\nother: no regret is known, utilities are compared\n")
    assert known.startswith("scenario ")
    assert other.startswith("method ")


def test_a_suite_where_no_regret_is_known_compares_the_utilities_in_each_scenario(folder, capsys):
    suite = folder / "suite"
    suite.mkdir()
    measured_live(toml(folder, seeds=2, methods=["elicit", "sfs"]))
    text = (folder / "s.toml").read_text().replace('"d.csv"', '"../d.csv"')
    for name, price in (("first", "0.05"), ("second", "0.1")):
        (suite / f"{name}.toml").write_text(text.replace("0.05", price))
    assert main(["compare", str(suite), "--n-jobs", "1", "--json", str(folder / "all.json")]) == 0
    first, second = capsys.readouterr().out.split("\n\nsecond: no regret is known, utilities are compared\n")
    first = first.removeprefix("first: no regret is known, utilities are compared\n")
    for shown, part in zip((first, second), json.loads((folder / "all.json").read_text())["suite"], strict=True):
        rows = {row.split()[0]: row.split() for row in shown.splitlines()[:3]}
        column = rows["method"].index("utility")
        for method in ("elicit", "sfs"):
            mean = np.mean([run["utility"] for run in part["results"] if run["method"] == method])
            assert rows[method][column] == f"{mean:.4f}"
    assert "at most 6 questions" not in second, "no promise is told of what has no regret"


def test_a_suite_says_of_utilities_why_a_method_has_none_and_what_no_seconds_are(folder, capsys):
    measured_live(toml(folder, seeds=1, methods=["sfs", "sbs"]))
    text = (folder / "s.toml").read_text()
    for name, limits in (("free", "budget = 9"), ("small", "budget = 3\nmax_size = 1")):
        (folder / f"{name}.toml").write_text(text.replace("budget = 9", limits))
    assert main(["compare", *(str(folder / f"{name}.toml") for name in ("free", "small")), "--n-jobs", "1"]) == 0
    told = capsys.readouterr().out
    assert "\nsmall, sbs never came down to max_size (budget: 3 evaluations)\n" in told
    assert told.count("(–: all of it)") == 1
    assert "free, " not in told


def test_what_was_decided_when_the_data_were_read_is_told(folder, capsys):
    rows = "".join(f"{k % 7},{'' if k == 3 else k % 5},1,{k % 2}\n" for k in range(20))
    (folder / "d.csv").write_text("a,b,c,kind\n" + rows)
    path = toml(folder, seeds=1, methods=["sfs"])
    measured_live(path)
    text = Path(path).read_text()
    text = text.replace('kind = "filter"', 'kind = "wrapper"\ntidy = true\nmodel = "knn:1"\nfolds = 2')
    Path(path).write_text(text.replace('merit = "cfs"', ""))
    (folder / "other.toml").write_text(Path(path).read_text())
    kept = ["'b' has 1 missing value: models get the median of their training rows", "'c' is left out: it is constant"]
    for command in (["run", path], ["compare", path]):
        assert main([*command, "--n-jobs", "1"]) == 0
        said = capsys.readouterr().out.splitlines()
        assert [line for line in said if line.startswith("note")] == [f"note: {note}" for note in kept]
    assert main(["compare", path, str(folder / "other.toml"), "--n-jobs", "1"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if line.startswith("note")] == [
        f"note on {name}: {note}" for name in ("s", "other") for note in kept
    ]


def test_a_utility_against_a_direction_is_told_for_each_scenario_of_a_suite(folder, capsys):
    path, other = toml(folder, seeds=1, methods=["elicit"]), folder / "other.toml"
    Path(path).write_text(Path(path).read_text().replace("score - 0.05 * size", "-score"))
    other.write_text(Path(path).read_text())
    two = Path(path).read_text().replace("[elicit]", "[[elicit]]\nname = 'other'\n[[elicit]]")
    (folder / "c.toml").write_text(two)
    for also in ([], ["--choices", str(folder / "c.toml")]):
        assert main(["compare", path, str(other), "--n-jobs", "1", *also]) == 0
        told = [line for line in capsys.readouterr().out.splitlines() if "which is at least as good" in line]
        assert [line.partition(":")[0] for line in told] == [f"{name}, operator -score" for name in ("s", "other")]


def test_the_methods_are_listed_with_what_they_mean_and_need(capsys):
    assert main(["compare", "--list"]) == 0
    *lines, empty, whole = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "elicit", *METHODS]
    assert (empty, whole) == ("", "NAME (unlimited): to its own end, whatever the budget")
    assert "the pair of steps l,r (default 2,1)" in next(line for line in lines if line.startswith("plus-l"))
    assert next(line for line in lines if line.startswith("rfe")).endswith("model")
    assert main(["compare"]) == 2
    assert "needs a scenario file (or a folder of them), or --list" in capsys.readouterr().err


def test_a_table_and_its_picture_are_two_files(folder, capsys):
    same = str(folder / "x.svg")
    assert main(["compare", toml(folder, methods=["sfs"]), "--json", same, "--plot", same]) == 2
    assert "x.svg: is read or kept by this command too" in capsys.readouterr().err


def test_why_a_method_found_nothing_is_said(folder, capsys):
    (folder / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\ndata = "d.csv"\ntarget = "kind"\n[operator]\nutility = "score"\n'
        '[elicit]\nkeep = ["b"]\nmax_size = 2\n[experiment]\nmethods = ["sfs", "focus"]\n'
    )
    assert main(["compare", str(folder / "s.toml")]) == 0
    (why,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("focus: ")]
    assert "consistent" in why


def test_why_a_method_could_not_go_on_is_said_though_it_recommends_what_it_had(folder, capsys):
    (folder / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\ndata = "d.csv"\ntarget = "kind"\nmodel = "knn:200"\n'
        '[operator]\nutility = "score"\n[experiment]\nmethods = ["sfs", "rfe"]\n'
    )
    assert main(["compare", str(folder / "s.toml"), "--n-jobs", "1"]) == 0
    (why,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("rfe: ")]
    assert "the elimination cannot go on" in why


def test_a_method_whose_budget_was_spent_on_what_is_too_large_says_so(folder, capsys):
    (folder / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\n[operator]\nutility = "score"\n'
        '[elicit]\nmax_size = 1\nbudget = 3\n[experiment]\nmethods = ["sfs", "sbs"]\nseeds = 1\n'
    )
    assert main(["compare", str(folder / "s.toml")]) == 0
    told = capsys.readouterr().out
    assert "\nsbs never came down to max_size (budget: 3 evaluations)\n" in told
    assert "sfs never" not in told


def test_a_walk_from_above_has_the_whole_budget_though_few_subsets_are_small_enough(folder):
    for run in compare(scenario(folder, elicit={"budget": 12, "max_size": 1}, experiment={"methods": ["sbs"]})):
        assert (run["evaluations"], len(run["subset"])) == (10, 1)  # of 4, 3, 2 and 1 attributes: 1 + 4 + 3 + 2


def test_the_trace_of_a_walk_from_above_has_no_regret_before_it_comes_to_what_may_be_chosen(folder):
    (run, _) = compare(
        scenario(folder, elicit={"budget": 12, "max_size": 1}, experiment={"methods": ["sbs"], "seeds": 1})
    )
    assert run["trace"][:8] == [None] * 8  # of 4, 3 and 2 attributes
    assert run["trace"][-1] == run["regret"] >= 0


def test_what_failed_has_its_place_in_a_trace(folder):
    lines = TABLE.splitlines(keepends=True)
    (folder / "t.csv").write_text("".join(lines[:5] + lines[9:]))
    for run in compare(scenario(folder, experiment={"methods": ["random", "sfs"]})):
        assert len(run["trace"]) == run["evaluations"] == 9
    (folder / "t.csv").write_text("".join(line for k, line in enumerate(lines) if k.bit_count() in (0, 2)))
    ours = compare(scenario(folder, elicit={"questions": 0}, experiment={"methods": ["elicit"], "seeds": 4}))
    assert any(run["trace"][0] is None for run in ours), "nothing was measured yet"
    for run in ours:
        assert len(run["trace"]) == run["evaluations"] == 9
        assert run["trace"][-1] is not None


def test_without_a_budget_classical_methods_have_the_usual_one_of_so_many_attributes():
    plain = {"oracle": {"kind": "synthetic", "n": 8}, "operator": {"utility": "score - 0.01 * size"}}
    (run,) = compare(scenario_from({**plain, "experiment": {"methods": ["random"]}}, Path()), n_jobs=1)
    assert run["evaluations"] == Settings().calls(Family(8)) < 255


def test_progress_within_a_classical_run_is_told(folder):
    seen = []
    compare(scenario(folder, experiment={"methods": ["random"]}), n_jobs=1, progress=seen.append)
    assert {now.run.evaluations for now in seen if now.run is not None} == set(range(1, 10))


def test_a_picture_of_regret_is_refused_before_the_work_where_there_is_none(folder, capsys):
    path = toml(folder, goal="size:2", methods=["sfs"])
    assert main(["compare", path, "--plot", str(folder / "x.svg")]) == 2
    assert "the goal 'size:2' has none of; leave it out" in capsys.readouterr().err
    assert main(["compare", path]) == 0
    assert "size:2 met" in capsys.readouterr().out
    measured_live(path)
    assert main(["compare", path, "--plot", str(folder / "x.svg")]) == 2
    told = capsys.readouterr()
    assert "--plot draws regret, which is not known here: " in told.err
    assert told.out == ""  # nothing was played


def test_a_run_of_ours_refuses_a_goal_that_is_not_its_own(folder, capsys):
    path = toml(folder, goal="size:2", methods=["sfs"])
    assert main(["run", path]) == 2
    assert "the goal 'size:2' is for classical methods; use elicit compare" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "x.gif"], "a picture is a .png, .svg or .pdf file"),
        (["--plot", "/nowhere/x.png"], "cannot be written; give a file in a folder that exists"),
        (["--plot", "/proc/x.png"], "/proc/x.png: cannot be written"),
        (["--json", "/nowhere/x.json"], "cannot be written"),
        (["--journals", "/dev/null/x"], "cannot be made a folder"),
        (["--seeds", "0"], "at least 1"),
        (["--budget", "x"], "--budget"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_2(folder, capsys, arguments, message):
    try:
        status = main(["compare", toml(folder, seeds=1, methods=["sfs"]), *arguments])
    except SystemExit as leave:
        status = leave.code
    captured = capsys.readouterr()
    assert status == 2
    assert message in captured.err
    assert captured.out == ""


def test_a_utility_of_numbers_too_large_to_compare_is_refused_with_the_subset(folder, capsys):
    path = Path(toml(folder, seeds=1, methods=["sfs"]))
    path.write_text(path.read_text().replace("score - 0.05 * size", "1e299 * size + 1e300"))
    assert main(["compare", str(path), "--n-jobs", "1"]) == 2
    said = capsys.readouterr().err
    assert "the operator's utility is 1.1e+300 for the subset with {'score': " in said
    assert said.endswith("'size': 1.0}, but utilities must be below 1e+250; rescale it\n")


def test_a_picture_has_a_line_a_method(results):
    display = ComparisonDisplay.of(results).plot()
    assert set(display.regret) == {"elicit", *METHODS}
    exhaustive = [run["trace"] for run in results if run["method"] == "exhaustive"]
    assert display.regret["exhaustive"] == pytest.approx(np.mean(exhaustive, axis=0))
    for method in ("elicit", *METHODS):
        runs = [run for run in results if run["method"] == method]
        last = [regret_at(run, int(display.evaluations[-1])) for run in runs]
        assert display.regret[method][-1] == pytest.approx(np.mean(last))
    assert len(display.ax_.get_lines()) == len(METHODS) + 1
    assert display.figure_ is display.ax_.figure
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("evaluations", [1, 20])
def test_a_picture_shows_methods_that_lose_nothing_above_its_frame(evaluations):
    regret = {"elicit": np.zeros(evaluations), "sfs": np.full(evaluations, 0.2)}
    display = ComparisonDisplay(np.arange(1, evaluations + 1), regret).plot()
    assert display.ax_.get_ylim()[0] < 0 < display.ax_.get_ylim()[1]
    assert display.ax_.get_xlim()[0] < 1 <= evaluations < display.ax_.get_xlim()[1]
    assert all(line.get_markevery()[0] < evaluations for line in display.ax_.get_lines())
    display.ax_.set_xscale("log")
    assert display.plot(display.ax_).ax_.get_xscale() == "log"
    matplotlib.pyplot.close("all")


def test_a_picture_of_every_method_can_be_read_without_colour():
    regret = {method: np.full(5, 0.1) for method in ("elicit", *METHODS)}
    display = ComparisonDisplay(np.arange(1, 6), regret).plot()
    lines = display.ax_.get_lines()
    assert len({(line.get_linestyle(), line.get_marker()) for line in lines}) == len(lines) == len(regret)
    matplotlib.pyplot.close("all")


def test_operators_of_one_name_in_two_scenarios_have_each_their_own_best(folder):
    for weight in (0.0, 0.3):
        operator = {"name": "boss", "utility": f"score - {weight} * size"}
        plain = {**PLAIN, "operator": operator, "experiment": {"seeds": 1}}
        (result,) = run_scenario(scenario_from(plain, folder), n_jobs=1)
        best = max(SCORES[m] - weight * m.bit_count() for m in range(1, 16))
        assert result["utility"] + result["regret"] == pytest.approx(best)


def test_a_journal_of_more_evaluations_than_the_budget_is_refused(folder, tmp_path):
    played = scenario(folder, experiment={"methods": ["sfs"], "seeds": 1})
    (tmp_path / "j").mkdir()
    compare(played, n_jobs=1, journals=tmp_path / "j")
    with pytest.raises(JournalError, match="holds 9 evaluations, more than the budget of 4"):
        compare(played.reduced(budget=4), n_jobs=1, journals=tmp_path / "j")
    assert len(compare(played, n_jobs=1, journals=tmp_path / "j")) == 2  # it is as it was


def test_our_choices_are_what_others_are_compared_with_whatever_their_name(folder):
    results = compare(scenario(folder, elicit={"name": "mine"}, experiment={"methods": ["sfs", "elicit"]}), n_jobs=1)
    assert [(d.method, d.against) for d in differences(results)] == [("sfs", "mine")]


@pytest.mark.parametrize(
    ("choices", "methods", "told"),
    [
        ([{"name": "a"}, {"name": "b", "worth": 0.0}], ["elicit", "sfs"], ()),
        ([{"name": "a", "max_size": 1}, {"name": "b"}], ["elicit", "sfs"], ("each regret is against", "other methods")),
        ([{"name": "a", "budget": 3}, {"name": "b", "budget": 5}], ["elicit", "sfs"], ("all other methods have",)),
        ([{"name": "a", "max_size": 1}, {"name": "b"}], ["elicit"], ("each regret is against",)),
        ([{"name": "a", "max_size": 1}, {"name": "b"}], ["sfs"], ("all other methods have",)),
    ],
)
def test_it_is_said_where_rows_of_a_table_are_not_alike(folder, choices, methods, told):
    plain = {**PLAIN, "elicit": choices, "experiment": {"seeds": 1, "methods": methods}}
    found = " ".join(_different_choices(scenario_from(plain, folder)))
    assert bool(found) == bool(told)
    for words in ("each regret", "other methods"):
        assert (words in found) == any(words in line for line in told)
    assert all(words in found for words in told)
