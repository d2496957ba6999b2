"""Every scenario of the project says what it shows, is valid, and runs with a small budget."""

from dataclasses import replace
from pathlib import Path

import pytest

from elicit.decide.settings import EXPLORERS
from elicit.experiments.experiment import run_scenario
from elicit.experiments.results import summary
from elicit.scenario_file import read_scenario

SCENARIOS = sorted((Path(__file__).parents[1] / "scenarios").rglob("*.toml"))


def test_there_are_enough():
    assert len(SCENARIOS) >= 8


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_row_named_after_a_way_to_explore_plays_it(path):
    named = {e.name.removesuffix(", the default"): e.settings.explore for e in read_scenario(path).elicits}
    assert all(played == name for name, played in named.items() if name in EXPLORERS)


@pytest.mark.parametrize("every_operator", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_a_scenario_says_what_it_shows_and_runs(path, every_operator):
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ")
    assert len(first) > 30
    scenario = read_scenario(path).reduced(budget=8 if every_operator else 6, seeds=1)
    if not every_operator:  # reading has checked each, and they differ in numbers
        scenario = replace(scenario, operators=scenario.operators[-1:])
    results = run_scenario(scenario)
    assert len(results) == len(scenario.elicits) * len(scenario.operators)
    for result in results:
        assert result["subset"]
        assert result["evaluations"] <= 8
        assert result["failures"] == {}
    assert len(summary(results)) == len(results) + 1
