"""A column that is dropped may have gaps: nothing that is made of the other columns minds them, or looks at it."""

import csv
import io
import sys

import numpy as np
import pytest

from elicit.cli import main
from elicit.data import load, without
from elicit.effects import interaction_prior
from elicit.errors import InputError
from elicit.experiments.comparison import compare
from elicit.journal import read
from elicit.scenario_file import scenario_from
from elicit.scores import fisher, score_named
from elicit.sessions import elicitation_of

RNG = np.random.default_rng(0)
COLUMNS = RNG.normal(size=(60, 4)).round(2)
TARGET = ["p" if row[1] + row[2] > 0 else "q" for row in COLUMNS]
READERS = ["ranking:fisher", "ranking:mutual-information", "focus", "rfe"]


@pytest.fixture
def gaps(tmp_path, monkeypatch):
    """A file of which the first column has gaps."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with open("g.csv", "w", newline="") as file:
        rows = (
            [*("" if k % 7 == 0 else row[0], *row[1:]), of]
            for k, (row, of) in enumerate(zip(COLUMNS, TARGET, strict=True))
        )
        csv.writer(file).writerows([["a", "b", "c", "d", "y"], *rows])
    return tmp_path


def expected_of_the_others():
    """The prior of the others by their Fisher scores, with the least of them for the one that is dropped."""
    found = score_named("fisher").power_index(COLUMNS[:, 1:], np.array(TARGET), [[0], [1], [2]], classes=True)
    return pytest.approx([found.min(), *found])


def played(folder, drop=(), **elicit):
    oracle = {"kind": "wrapper", "data": "g.csv", "target": "y", "model": "logistic", "folds": 3, "tidy": True}
    return scenario_from(
        {
            "oracle": oracle,
            "operator": {"utility": "score - 0.01 * size"},
            "elicit": {"budget": 6, "drop": list(drop), **elicit},
            "experiment": {"methods": READERS},
        },
        folder,
    )


def test_a_session_takes_a_prior_of_the_others(gaps, capsys):
    given = ("--target", "y", "--prior", "fisher", "--folds", "3", "--budget", "3", "--n-jobs", "1", "--journal", "j")
    assert main(["ask", "g.csv", *given]) == 2
    assert "takes no missing values, and column 'a' has some" in capsys.readouterr().err
    assert main(["ask", "g.csv", *given, "--drop", "a"]) == 0
    assert "median of their training rows" not in capsys.readouterr().out
    assert elicitation_of(read(gaps / "j")).prior == expected_of_the_others()


def test_a_scenario_takes_priors_pairs_and_methods_of_the_others(gaps):
    for section in ({"prior": "fisher"}, {"pairs": "h"}, {}):
        with pytest.raises(InputError, match="takes no missing values, and column 'a' has some"):
            played(gaps, **section)
    scenario = played(gaps, ["a"], prior="fisher", pairs="h")
    (spec,) = scenario.elicits
    others = without(load("g.csv", "y", gaps, tidy=True), ["a"])
    assert spec.prior == expected_of_the_others()
    assert spec.settings.pairs == tuple((i + 1, j + 1) for i, j in interaction_prior(others.X, others.y))
    assert scenario.material.scores("fisher") == pytest.approx((-np.inf, *fisher(others.X, others.y)))
    found = compare(scenario, n_jobs=1)
    assert {result["method"] for result in found} == set(READERS)
    assert not any("a" in result["subset"] for result in found)
