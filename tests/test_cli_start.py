"""Starting: help, defaults and a word about wrong arguments come before any heavy library is loaded."""

import argparse
import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from importlib import import_module

import numpy as np
import pytest
from sklearn import datasets

from elicit.cli import main
from elicit.commands.defaults import SELECTOR, SELECTOR_BUDGET, SETTINGS
from elicit.commands.parsers import add_commands
from elicit.data import BUILT_IN, load
from elicit.data.models import MODELS
from elicit.decide.settings import PRESETS, Settings
from elicit.operators.lines import _WORDS, KEEP
from elicit.scores.relevance import ALL_SUBSETS, SUBSETS
from elicit.sources.oracle import _ORACLES

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

#: What takes long to load. The defaults are those of the mathematics, which needs scipy, and of nothing more.
HEAVY = ("scipy", "sklearn", "pandas", "joblib", "prompt_toolkit", "matplotlib")
WATCHED = """
import sys
from elicit.cli import main
try:
    status = main(sys.argv[1:])
except SystemExit as end:
    status = end.code
print(status, *sorted({module.partition(".")[0] for module in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "status", "allowed"),
    [
        (["--version"], 0, ()),
        (["--help"], 0, ()),
        (["compare", "--help"], 0, ()),
        (["score", "--reproduce", "nothing"], 2, ()),
        (["ask", "wine", "--budget", "many"], 2, ()),
        (["--defaults"], 0, ("scipy",)),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else None,
)
def test_what_needs_no_library_loads_none(arguments, status, allowed):
    told = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    ended, *loaded = told.stderr.splitlines()[-1].split()
    assert int(ended) == status
    assert set(loaded) & set(HEAVY) <= set(allowed)


def test_every_command_has_a_file_that_runs_it():
    commands = argparse.ArgumentParser().add_subparsers()
    add_commands(commands)
    assert len(commands.choices) == 10
    for name in commands.choices:
        assert callable(import_module(f"elicit.commands.{name}").run)


def test_what_several_commands_take_has_one_name_and_one_meaning():
    parser = argparse.ArgumentParser()
    add_commands(commands := parser.add_subparsers())
    said = {}
    for name, command in commands.choices.items():
        for option, action in command._option_string_actions.items():
            said.setdefault(option, {})[name] = action.help
    assert set(said["--folds"]) == {"ask", "table", "score"}
    assert {option: len(set(said[option].values())) for option in ("--tidy", "--groups", "--target")} == {
        "--tidy": 1,
        "--groups": 1,
        "--target": 1,
    }
    for option in ("--folds", "--cv"):  # the name that it had
        assert parser.parse_args(["ask", "iris", option, "4"]).folds == 4


def test_help_tells_the_defaults_that_are_in_force(capsys):
    with pytest.raises(SystemExit):
        main(["ask", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert f"to catch slips (default {SETTINGS['check_every']})" in told
    assert f"questions at most (default {Settings().questions})" in told
    assert ", ".join(BUILT_IN) in told


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_data_are_read_by_the_code_that_an_ending_shows(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
    ours = load(name)
    assert ours.columns == tuple(X.columns)
    assert np.array_equal(ours.X, X.to_numpy())
    assert len(ours.y) == len(y)


def test_help_names_every_word_that_a_session_without_a_terminal_understands(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = set(re.findall(r"\w+", capsys.readouterr().out.partition("one per line:")[2].partition("exit status")[0]))
    assert {*re.findall(r"\w+", _WORDS), KEEP} <= told


@pytest.mark.parametrize("command", ["ask", "table"])
def test_help_names_every_model_that_has_a_short_name(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    told = re.search(r"--model M +(.*?)[;]", " ".join(capsys.readouterr().out.split()))
    assert told[1].split(", ") == list(MODELS)


def test_help_names_every_key_of_an_oracle_and_no_other(capsys):
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    told = " ".join(capsys.readouterr().out.partition("[oracle]")[2].partition("[operator]")[0].split())
    told, _, with_data = told.partition(" where there are data also: ")
    with_data, _, but_for_a_filter = with_data.partition(" and, but for a filter: ")
    for kind, (_, required, optional) in _ORACLES.items():
        must, _, may = re.search(rf" {kind} (.*?)(?= (?:{'|'.join(_ORACLES)}) |$)", told)[1].partition("; ")
        assert must == ", ".join(required)
        named = may.split(", ")
        if "data" in (*required, *optional):
            named += with_data.split(", ") + (but_for_a_filter.split(", ") if kind != "filter" else [])
        assert sorted(named) == sorted(optional), kind


def test_help_tells_how_many_subsets_are_tried_for_relevance(capsys):
    with pytest.raises(SystemExit):
        main(["score", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert f"(default: {SUBSETS}, or all of up to {ALL_SUBSETS} attributes)" in told


def test_a_preset_is_told_as_a_scenario_would_write_it(capsys):
    assert main(["--defaults"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  source: "))
    choices = tomllib.loads(re.sub(r", (?=\w+ = )", "\n", line.removeprefix("  source: ")))
    assert choices == {key: list(v) if isinstance(v, tuple) else v for key, v in PRESETS["source"].items()}


def test_the_defaults_are_those_of_the_selector_and_of_the_sets_too(capsys):
    from elicit import ElicitSelector
    from elicit.estimator.fitting import automatic_budget
    from elicit.utility.exact import ExactSet

    assert main(["--defaults"]) == 0
    told = capsys.readouterr().out
    parameters = inspect.signature(ElicitSelector).parameters
    assert {name: parameters[name].default for name in SELECTOR} == SELECTOR
    kinds = (int, float, str)
    given = {name for name, parameter in parameters.items() if isinstance(parameter.default, kinds)}
    assert given - {"verbose"} <= SELECTOR.keys() | {"estimator"}
    assert ", ".join(f"{key} = {json.dumps(value)}" for key, value in SELECTOR.items()) in told
    assert " ".join(SELECTOR_BUDGET.split()) in " ".join((ElicitSelector.__doc__ or "").split())
    assert [automatic_budget(n) for n in (2, 9, 60, 99)] == [20, 45, 400, 400]
    assert f"in the exact set = {inspect.signature(ExactSet).parameters['delta'].default:g}\n" in told
    assert "by degree = 1, 2, 4\n" in told
    assert "logistic for classes, ridge for numbers; of table = knn:3" in told


@posix
@pytest.mark.parametrize("wait", [0.0, 0.3, 0.8])
def test_an_interrupt_while_libraries_load_is_one_line(wait, tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "elicit"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with child:
        for line in child.stderr:
            if line.endswith("elicit.commands.arguments\n"):  # the first that the command line itself imports
                break
        time.sleep(wait)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    said = [line for line in err.splitlines() if not line.startswith("import time:")]
    assert len(said) == 1
    assert said[0].startswith("elicit: interrupted")


@pytest.mark.slow
@posix
def test_workers_do_not_miss_a_standard_error_that_was_closed(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,score\n1,0,0.5\n0,1,0.4\n1,1,0.8\n")
    (tmp_path / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\n[operator]\nutility = "score"\n[experiment]\nseeds = 2\n'
    )
    command = [sys.executable, "-m", "elicit", "run", "s.toml", "--n-jobs", "2"]
    ran = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *command], cwd=tmp_path, stdout=subprocess.PIPE, text=True, timeout=120
    )
    assert ran.returncode == 0
    assert "Traceback" not in ran.stdout
    assert ran.stdout.startswith("method")
