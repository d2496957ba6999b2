"""Numbers beyond all use are one line and status 2, whichever argument they stand in."""

import pytest

from elicit.cli import main

HUGE, VAST = "9" * 400, "9" * 5000  # of so many digits Python reads no whole number
ROWS = "a,b,y\n" + "".join(f"{k % 7},{k * k % 5},{k % 2}\n" for k in range(30))
SCENARIO = """
[oracle]
kind = "synthetic"
n = 4
[[operator]]
name = "linear"
utility = "score - 0.01 * size"
"""
GOALS = {
    "size.toml": f'goal = "size:{VAST}"',
    "group.toml": f'methods = ["gsfs:{VAST}"]',
    "pair.toml": f'methods = ["plus-l-minus-r:3,{VAST}"]',
}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(ROWS)
    (tmp_path / "s.toml").write_text(SCENARIO)
    (tmp_path / "many.toml").write_text(f"{SCENARIO}\n[elicit]\ndraws = 100001\n")
    (tmp_path / "folder.png").mkdir()
    for name, line in GOALS.items():
        (tmp_path / name).write_text(f"{SCENARIO}\n[experiment]\n{line}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "s.toml", "--n-jobs", HUGE], "expected a number of jobs"),
        (["compare", "s.toml", "--n-jobs", f"-{HUGE}"], "expected a number of jobs"),
        (["table", "d.csv", "--target", "y", "-o", "t.csv", "--n-jobs", "10001"], "expected a number of jobs"),
        (["table", "d.csv", "--target", "y", "-o", "t.csv", "--model", f"knn:{HUGE}"], "whole number above 0"),
        (["score", "d.csv", "--target", "y", "--relevance", "--subsets", HUGE], "from 1 to 100000"),
        (["run", "many.toml"], "draws must be a whole number from 1 to 100000, found 100001"),
        (["run", "s.toml", "--budget", VAST], "--budget: expected a whole number of at least 1, found '999"),
        (["resume", "j", "--undo", VAST], "--undo: expected a whole number of at least 1, found '999"),
        (
            ["score", "d.csv", "--target", "y", "--by", "relieff", "--option", f"relieff.neighbours={VAST}"],
            "--option takes whole numbers of at most 640 digits, found '999",
        ),
        (
            ["score", "d.csv", "--target", "y", "--by", "relieff", "--option", f"relieff.neighbours=-{VAST}"],
            "--option takes whole numbers of at most 640 digits, found '-999",
        ),
        (["compare", "size.toml"], "size.toml: [experiment] `goal`: a goal is"),
        (["compare", "group.toml"], "the group's size: expected a whole number of at least 1, found '999"),
        (["compare", "pair.toml"], "the pair of steps l,r: expected two different whole numbers, such as 3,1; found"),
        (["compare", "s.toml", "--plot", "folder.png"], "folder.png: cannot be written; give a file in"),
    ],
)
def test_it_is_refused_before_any_work(arguments, words, capsys):
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    told = capsys.readouterr().err
    assert status == 2
    assert words in told
    assert told.count("\n") == 1
    assert len(told) < 2000
    assert "Traceback" not in told
