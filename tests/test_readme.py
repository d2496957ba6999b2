"""What the documents show works: their Python runs, on small data, and the parser takes their commands."""

import re
import shlex
from pathlib import Path

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
import sklearn.datasets
from journals import played, truth
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from elicit import Done, Elicitation, ScriptedOperator, SyntheticOracle
from elicit.cli import _parser
from elicit.decide.settings import settings_from
from elicit.drive import drive
from elicit.events import Preferred
from elicit.journal import read
from elicit.methods import METHODS

matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]


def blocks(document, language):
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


SELECTOR, CLUSTER, EXPLORE, ASK, SCORES = blocks("README.md", "python")
COMMANDS = [
    part.strip()
    for block in blocks("README.md", "sh")
    for line in block.splitlines()
    for part in line.split("&&")
    if part.split()[0] == "elicit"
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where the blocks write; no picture stays open."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    matplotlib.pyplot.close("all")


def run(block, **given):
    exec(compile(block, "README.md", "exec"), given)
    return given


def test_the_selector_in_a_pipeline(monkeypatch):
    load = sklearn.datasets.load_breast_cancer

    def small(**options):
        X, y = load(**options)
        return X.iloc[::4, :6], y[::4]

    monkeypatch.setattr(sklearn.datasets, "load_breast_cancer", small)
    selector = run(SELECTOR)["selector"]
    assert 0 < len(selector.feature_names_) <= 6


def test_a_cluster_s_block_is_python():
    compile(CLUSTER, "README.md", "exec")  # to run it takes a cluster


def test_a_classical_method_from_python(folder):
    shown = run(EXPLORE, oracle=SyntheticOracle.drawn(8, np.random.default_rng(0)))
    found, begun = shown["found"], shown["run"]
    assert len(found.names) == 5
    assert begun.evaluations == found.evaluations
    assert not isinstance(begun.ask(), Done)
    assert (folder / "sffs.jsonl").exists()


def test_asking_and_telling_by_hand():
    worth = {"age": 0.1, "bmi": 0.3, "bp": 0.2, "sex": 0.005}
    found = run(ASK, measure=lambda names: sum(worth[name] for name in names), names=list(worth))
    assert found["recommended"] == ("age", "bmi", "bp")


def test_an_operator_is_made_of_a_journal_by_the_names_that_are_told(folder):
    played(folder / "session.jsonl", n=5)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"With `read` of `elicit\.journal`,\s`(ScriptedOperator\.recorded\(.*?)`", text)
    again = eval(told, {"ScriptedOperator": ScriptedOperator, "read": read})
    facts, oracle = read("session.jsonl").facts, truth(5)
    run = Elicitation(oracle.attributes, oracle.criteria, settings_from({"recommend": "regret"}), seed=0)
    drive(run, oracle, again)
    assert any(isinstance(fact, Preferred) for fact in facts)
    assert run.facts == tuple(facts)


def test_scores_and_effects():
    X, y = sklearn.datasets.load_wine(return_X_y=True, as_frame=True)
    X, y = X[["alcohol", "hue", "proline"]][::4], y[::4]
    model = LogisticRegression(max_iter=10_000).fit(X, y)
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    run(SCORES, X=X, y=y, model=model, forest=forest, ax=matplotlib.pyplot.figure().add_subplot())


def test_the_mathematics_in_five_lines(capsys):
    (block,) = blocks(".github/CONTRIBUTING.md", "python")
    run(block)
    assert capsys.readouterr().out.count("\n") == 2


def test_every_classical_method_is_listed_and_counted():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = text[text.index("- **step by step**") :].partition("\n\n")[0]
    assert sorted(re.findall(r"`([a-z-]+)`", listed)) == sorted(METHODS)
    words = ("fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty")
    assert f"{words[len(METHODS) - 15]} classical methods in the same frame" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_one_that_there_is(command):
    words = shlex.split(command, comments=True)
    _parser().parse_args(words[1:])
    assert all((ROOT / word).exists() for word in words if word.startswith("scenarios/"))


def test_commands_are_found():
    assert len(COMMANDS) >= 14
