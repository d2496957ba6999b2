"""On a narrow terminal what commands say goes on below at a space; what one copies stays whole, and so does a file."""

import io
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from elicit.cli import main
from elicit.commands import ending, ending_words
from elicit.commands.status import complain
from elicit.printable import message, width

COLUMNS = 59  # of a terminal of 60: a full last column would wrap
LONG = "a_name_of_a_column_that_somebody_exported_from_a_tool_question_"
SCENARIO = """
[oracle]
kind = "wrapper"
data = "d.csv"
target = "y"
tidy = true
model = "tree:2"
folds = 2
[operator]
utility = "score + 0.5 * size"
[elicit]
budget = 5
[experiment]
seeds = 1
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to be in, with long names in a file, and two scenarios."""
    rng = np.random.default_rng(0)
    names = ["温度 (°C)", *(f"{LONG}{k}" for k in range(12)), "y"]
    rows = [",".join([*(f"{v:.2f}" for v in rng.normal(size=13)), "ab"[k % 2]]) for k in range(40)]
    rows[3] = rows[3].replace(rows[3].split(",")[0], "", 1)
    (tmp_path / "d.csv").write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
    (tmp_path / "suite").mkdir()
    for place in (tmp_path / "one.toml", tmp_path / "suite" / "one.toml", tmp_path / "suite" / "two.toml"):
        place.write_text(SCENARIO.replace("d.csv", str(tmp_path / "d.csv")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS + 1))
    return tmp_path


@pytest.fixture
def terminal(monkeypatch):
    """Both streams of the output are those of a terminal from now on."""

    def begin():
        for stream in (sys.stdout, sys.stderr):
            monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)

    return begin


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "d.csv", "--target", "y", "--tidy", "--by", "relief,relieff"],
        [
            "score",
            "d.csv",
            "--target",
            "y",
            "--tidy",
            "--relevance",
            "--model",
            "tree:2",
            "--folds",
            "2",
            "--subsets",
            "5",
        ],
        ["score", "--list"],
        ["run", "one.toml"],
        ["compare", "one.toml"],
        ["compare", "suite"],
        ["table", "d.csv", "--target", "y", "--tidy", "--max-size", "1", "--folds", "2", "-o", "table.csv"],
    ],
    ids=" ".join,
)
def test_lines_end_at_a_space(terminal, capsys, arguments):
    assert main(arguments) == 0
    whole = capsys.readouterr().out
    terminal()
    assert main(arguments) == 0
    narrow = capsys.readouterr().out
    assert max(map(width, narrow.splitlines())) <= COLUMNS < max(map(width, whole.splitlines()))
    timed = re.compile(r"\d+\.\d\d")
    words = {word for word in narrow.split() if "…" not in word and not timed.fullmatch(word)}
    assert words <= set(whole.split()), "a word was broken"


@pytest.mark.usefixtures("here")
def test_a_session_ends_with_whole_words_and_with_commands_to_copy(terminal, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("why\na\nfront\nb\nbest\nundo\nhelp\na\na\nd\n"))
    terminal()
    asked = ["ask", "d.csv", "--target", "y", "--model", "tree:2", "--budget", "14", "--criteria", "recall_macro"]
    assert main([*asked, "--journal", "a_journal_of_a_long_name.jsonl", "-o", "small.csv"]) == 0
    told, _, code = capsys.readouterr().out.partition("in scikit-learn")
    assert "recommended: " in told
    assert "  elicit report a_journal_of_a_long_name.jsonl -o report.html\n" in told
    assert "  elicit verify a_journal_of_a_long_name.jsonl\n" in told
    lines = told.replace("  elicit report a_journal_of_a_long_name.jsonl -o report.html\n", "").splitlines()
    assert max(map(width, lines)) <= COLUMNS
    assert "make_pipeline" in code or "fit(X, y)" in code


@pytest.mark.parametrize("columns", [24, 30, 60])
def test_what_was_spent_breaks_at_spaces(monkeypatch, columns):
    monkeypatch.setattr(ending_words, "screen_width", lambda: columns)
    run = SimpleNamespace(history=SimpleNamespace(evaluated={}, failed={}))
    session = SimpleNamespace(elicitation=run, journal=SimpleNamespace(afresh={}))
    result = SimpleNamespace(subset=None, evaluations=30, questions=4, seconds=21.0)
    lines = list(ending._spent(session, SimpleNamespace(known=range(6)), result))
    assert max(map(width, lines)) <= columns
    told = "spent: 30 evaluations, 4 questions, 0:21 in this sitting beyond the budget: 6 measured ahead of need"
    assert " ".join(" ".join(lines).split()) == told


@pytest.mark.usefixtures("here")
def test_long_names_that_begin_alike_stay_apart_in_a_table(terminal, capsys):
    terminal()
    assert main(["score", "d.csv", "--target", "y", "--tidy", "--by", "relief"]) == 0
    heads = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "…" in line.split()[0]]
    assert len(heads) == len(set(heads)) == 12


@pytest.mark.usefixtures("here")
def test_a_complaint_is_one_line_but_on_a_terminal(terminal, capsys):
    told = f"a complaint of many words about '{LONG}{LONG}' on\ntwo lines; and a remedy that one may like to read"
    complain(told)
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "elicit: " + told.replace("\n", " ")
    terminal()
    complain(told)
    lines = capsys.readouterr().err.splitlines()
    assert " ".join(lines).split() == line.split()
    assert [k for k, text in enumerate(lines) if width(text) > COLUMNS] == [1], "a name to copy stays whole"


def test_a_command_to_copy_stays_on_one_line():
    told = "you left; everything is kept, go on with: elicit resume 'my session.jsonl'"
    assert message(told, 200) == [told]
    head, command = told[:41], told[42:]
    for columns in (20, 45, 70):
        *lines, last = message(told, columns)
        assert last == f"  {command}"
        assert " ".join(lines).split() == head.split()
