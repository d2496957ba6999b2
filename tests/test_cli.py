"""The command line: bad input is one line and exit status 2, and nothing that was there is damaged."""

import dataclasses
import errno
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import journals
import pytest

from elicit import __version__
from elicit.alongside.display import Meter, activity, clock_time
from elicit.alongside.progress import Progress
from elicit.asks import Evaluate, Failure, Measured
from elicit.cli import main
from elicit.commands import session
from elicit.commands.output import destination
from elicit.commands.playing import progress_meter
from elicit.commands.session import unfinished_note
from elicit.commands.table import _save, _usable
from elicit.data import load
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.errors import InputError, OracleError
from elicit.events import Asked, Criterion, Evaluated, Preferred, Resumed, Retracted, Stopped
from elicit.journal import Header, Journal, identity, read
from elicit.journal.files import locked
from elicit.operators import SimulatedOperator
from elicit.oracles import TableOracle, WrapperOracle
from elicit.printable import pasted, width
from elicit.sessions import begin, resume
from elicit.sources.oracle import oracle_from
from elicit.subsets import Attributes

posix = pytest.mark.skipif(os.name != "posix", reason="limits, signals and devices of POSIX")

TABLE = "alcohol,hue,ash,score\n" + "".join(
    f"{m & 1},{m >> 1 & 1},{m >> 2 & 1},{0.5 + 0.1 * (m & 1) + 0.2 * (m >> 1 & 1) + 0.05 * (m >> 2):.2f}\n"
    for m in range(1, 8)
)
SCENARIO = """
[oracle]
kind = "table"
path = "t.csv"
[operator]
utility = "score - 0.06 * size"
[elicit]
budget = 7
[experiment]
seeds = 2
"""


#: A session that measures in no time.
IRIS = ("ask", "iris", "--model", "knn:5", "--folds", "3")

DATA = "a,b,y\n" + "".join(f"{k % 7},{k * k % 11},{k % 2}\n" for k in range(40))
CONSTANT = "a,b,y\n" + "".join(f"{k % 7},{k * k % 11},3.5\n" for k in range(40))


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to be in, with a scenario and its table, and data."""
    (tmp_path / "d.csv").write_text(DATA)
    (tmp_path / "c.csv").write_text(CONSTANT)
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "s.toml").write_text(SCENARIO)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def small(monkeypatch):
    """The first session is a short one: iris has four attributes."""
    monkeypatch.setattr(session, "FIRST_SESSION", {"kind": "wrapper", "data": "iris", "model": "knn:5", "folds": 3})


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """The journal of a short session that was answered to its end."""
    path = tmp_path_factory.mktemp("ended") / "j"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("a\n" * 30))
        assert main([*IRIS, "--journal", str(path)]) == 0
    return path.read_bytes()


def run(*arguments, capsys, text=None, monkeypatch=None):
    """Exit status, output and complaint of one command."""
    if text is not None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as end:
        status = end.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def elicit(*arguments, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "elicit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def complains(status, out, err, *words):
    assert status == 2
    assert out == ""
    progress = ("runs finished", "evaluated ")
    lines = [line for line in err.splitlines() if not any(words in line for words in progress)]
    assert len(lines) == 1, err
    assert lines[0].startswith("elicit: ")
    for word in words:
        assert word in lines[0]


# bad input

BAD = {
    "an unknown command": (["rum", "s.toml"], ["rum", "--help"]),
    "data in place of a command": (["d.csv", "--target", "y"], ["'d.csv'", "elicit ask DATA --target COLUMN"]),
    "a session's option in place of a command": (["--budget", "30"], ["'30'", "elicit ask DATA", "--help"]),
    "an unknown option": (["run", "s.toml", "--sed", "3"], ["--sed"]),
    "no scenario": (["run"], ["SCENARIO.toml"]),
    "a missing scenario": (["run", "none.toml"], ["none.toml: no such file"]),
    "a budget of zero": (["run", "s.toml", "--budget", "0"], ["--budget", "at least 1", "'0'"]),
    "a budget of words": (["run", "s.toml", "--budget", "many"], ["--budget", "'many'"]),
    "one fold": (["ask", "iris", "--folds", "1"], ["--folds", "at least 2", "'1'"]),
    "one fold by its other name": (["ask", "iris", "--cv", "1"], ["--cv", "at least 2", "'1'"]),
    "questions below none": (["ask", "iris", "--questions", "-1"], ["--questions", "-1"]),
    "a seed below none": (["ask", "iris", "--seed", "-1"], ["--seed", "at least 0", "'-1'"]),
    "a journal for what keeps none": (["--journal", "x.jsonl", "run", "s.toml"], ["--journal", "not for run"]),
    "a journal for the defaults": (["--journal", "x.jsonl", "--defaults"], ["--journal", "not for defaults"]),
    "defaults of a command": (["--defaults", "run", "s.toml"], ["--defaults", "no command", "leave out run"]),
    "scores of data to be listed": (["score", "--list", "wine"], ["leave out DATA, or --list"]),
    "tables with an option of scores": (
        ["score", "--reproduce", "shares", "--level", "0"],
        ["--reproduce goes by itself", "leave out --level, or --reproduce"],
    ),
    "a list and tables at once": (["score", "--list", "--reproduce", "shares"], ["leave out --reproduce, or --list"]),
    "methods of a scenario to be listed": (["compare", "s.toml", "--list"], ["leave out SCENARIO.toml, or --list"]),
    "methods listed by many": (["compare", "--list", "--n-jobs", "2"], ["leave out --n-jobs, or --list"]),
    "an output that is the data": (["ask", "d.csv", "--target", "y", "-o", "d.csv"], ["d.csv", "another file"]),
    "an output that is the journal": (["ask", "iris", "--journal", "j", "-o", "./j"], ["./j", "another file"]),
    "an output that is the scenario": (["run", "s.toml", "--json", "s.toml"], ["s.toml", "another file"]),
    "a table in place of its data": (["table", "d.csv", "--target", "y", "-o", "d.csv"], ["d.csv", "another file"]),
    "a table in place of a device": (["table", "iris", "-o", "/dev/null"], ["/dev/null", "no ordinary file"]),
    "a target that is always the same": (["ask", "c.csv", "--target", "y"], ["the target is 3.5 in every row"]),
    "more seeds than days": (["run", "s.toml", "--seeds", "99999999999999"], ["at most 1000000"]),
    "a table of failures": (["table", "iris", "--model", "knn:200", "-o", "o.csv"], ["no subset could be measured"]),
    "names in broken quotes": (["table", "iris", "--drop", '"a" b', "-o", "o.csv"], ["correct the quotes"]),
    "seeds below one": (["run", "s.toml", "--seeds", "-1"], ["--seeds"]),
    "no jobs": (["run", "s.toml", "--n-jobs", "0"], ["--n-jobs", "-1 for every processor"]),
    "a missing journal": (["resume", "none.jsonl"], ["none.jsonl", "does not exist"]),
    "something that is no journal": (["resume", "t.csv"], ["t.csv", "is no journal", "first line", "header"]),
    "a folder as journal": (["resume", "."], ["is not a file"]),
    "a table of unknown data": (["table", "vine", "-o", "o.csv"], ["did you mean 'wine'"]),
    "a table without a place": (["table", "wine"], ["-o"]),
    "a table that is too large": (["table", "digits", "-o", "o.csv"], ["too many for one table", "max size"]),
    "a table of nothing known": (
        ["table", "iris", "--drop", "petal", "-o", "o.csv"],
        ["--drop: unknown attribute 'petal'"],
    ),
    "an output folder that is not there": (
        ["run", "s.toml", "--json", "no/o.json"],
        ["no/o.json", "cannot be written"],
    ),
    "a folder as output": (["run", "s.toml", "--json", "."], ["is a folder"]),
}


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_one_line_and_exit_status_2(here, capsys, arguments, words):
    before = {path: path.read_bytes() for path in here.iterdir()}
    complains(*run(*arguments, capsys=capsys), *words)
    assert {path: path.read_bytes() for path in here.iterdir()} == before


BAD_FILES = {
    "an unknown key": ("s.toml", SCENARIO.replace("budget", "bugdet"), ["s.toml: [elicit]", "did you mean 'budget'"]),
    "no TOML": ("s.toml", "[oracle\n", ["s.toml: is not TOML", "line 1"]),
    "zero budget": ("s.toml", SCENARIO.replace("= 7", "= 0"), ["[elicit] budget must be", "found 0"]),
    "an unknown criterion": ("s.toml", SCENARIO.replace("score -", "scor -"), ["[operator]", "did you mean score"]),
    "a malformed table": ("t.csv", TABLE.replace("0.6", "x", 1), ["t.csv, line 2", "'x0'"]),
    "a table of one column": ("t.csv", "score\n1\n", ["t.csv, line 1", "no attribute"]),
    "a price beyond all": ("s.toml", SCENARIO.replace("= 7", "= 7\nparsimony = 1e300"), ["between 0 and 10000"]),
    "a name that steers the terminal": ("s.toml", SCENARIO + '"\\u001b[31m" = 1\n', ["\\x1b[31m"]),
}


@pytest.mark.parametrize(("name", "content", "words"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_one_line_and_exit_status_2(here, capsys, name, content, words):
    (here / name).write_text(content)
    complains(*run("run", "s.toml", "--json", "o.json", capsys=capsys), *words)
    assert not (here / "o.json").exists()


@pytest.mark.usefixtures("here")
def test_what_ends_a_run_is_told_with_the_scenario(capsys, monkeypatch):
    def ends(*_):
        raise OracleError("the oracle is gone")

    monkeypatch.setattr("elicit.commands.run.run_scenario", ends)
    complains(*run("run", "s.toml", capsys=capsys), "s.toml: the oracle is gone")


def test_bad_input_leaves_no_traceback_in_a_process_of_its_own(here):
    told = elicit("run", "none.toml", cwd=here)
    complains(told.returncode, told.stdout, told.stderr, "none.toml: no such file")


@pytest.mark.usefixtures("here", "small")
def test_a_session_may_go_without_questions_or_checks(capsys, monkeypatch):
    status, out, _ = run(
        *IRIS, "--questions", "0", "--check-every", "0", "--budget", "6", capsys=capsys, monkeypatch=monkeypatch
    )
    assert status == 0
    assert "question 1" not in out.lower()
    assert "X = X[[" in out


@pytest.mark.usefixtures("here", "small")
@pytest.mark.parametrize(
    ("options", "doubt"), [(("--check-every", "0"), 1.0), (("--check-every", "2"), 0.5), ((), 0.5)]
)
def test_without_checks_no_answer_is_checked_for_doubt_either(capsys, monkeypatch, options, doubt):
    command = (*IRIS, *options, "--budget", "6", "--questions", "1", "--journal", "j")
    assert run(*command, text="", capsys=capsys, monkeypatch=monkeypatch)[0] == 0
    assert read("j").header.settings["elicit"]["doubt"] == doubt


@pytest.mark.usefixtures("here", "small")
def test_a_journal_of_other_data_is_refused(capsys, monkeypatch):
    status, _, _ = run("--journal", "j", text="a\n", capsys=capsys, monkeypatch=monkeypatch)
    assert status == 0
    header = dataclasses.replace(read("j").header, fingerprint="of other data")
    Journal.create("other", header).close()
    data = Path("other").read_bytes()
    complains(*run("resume", "other", capsys=capsys), "is not what it was")
    assert Path("other").read_bytes() == data


@pytest.mark.usefixtures("here", "small")
def test_a_damaged_journal_is_refused_with_its_line(capsys, monkeypatch):
    run("--journal", "j", text="a\n", capsys=capsys, monkeypatch=monkeypatch)
    data = Path("j").read_bytes().replace(b'"evaluated"', b'"evaluate"', 1)
    Path("j").write_bytes(data)
    complains(*run("resume", "j", capsys=capsys), "line 4", "restore the file from a copy")
    assert Path("j").read_bytes() == data


def test_a_session_is_resumed_from_a_folder_without_its_data_where_they_lie_beside_the_journal(
    here, capsys, monkeypatch
):
    (here / "kept").mkdir()
    asked = ("ask", "d.csv", "--target", "y", "--cv", "3", "--journal", "kept/j")
    assert run(*asked, text="", capsys=capsys, monkeypatch=monkeypatch)[0] == 0
    (here / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    complains(*run("resume", "../kept/j", capsys=capsys), "'d.csv'", "where the session began", "beside the journal")
    (here / "kept" / "d.csv").write_text(DATA)
    assert run("resume", "../kept/j", text="", capsys=capsys, monkeypatch=monkeypatch)[0] == 0


@pytest.mark.usefixtures("here")
def test_a_journal_begun_from_python_says_where_to_resume_it(capsys):
    oracle = TableOracle("t.csv")
    with begin("j", oracle, Settings(budget=3)) as session:
        drive(session.elicitation, oracle, SimulatedOperator("score", oracle.criteria), session.journal)
    complains(*run("resume", "j", capsys=capsys), "elicit.sessions.resume")


@pytest.mark.usefixtures("here", "small")
def test_a_locked_journal_is_refused(capsys, monkeypatch):
    run("--journal", "j", text="a\n", capsys=capsys, monkeypatch=monkeypatch)
    data = Path("j").read_bytes()
    with Journal.open("j"):
        complains(*run("resume", "j", capsys=capsys), "in use by another session")
    assert Path("j").read_bytes() == data


@pytest.mark.usefixtures("here", "small")
def test_a_budget_that_is_no_number_is_refused(capsys, monkeypatch):
    run("--journal", "j", text="a\n", capsys=capsys, monkeypatch=monkeypatch)
    data = Path("j").read_bytes()
    for text in ("0", "+0", "-3", "+", "many"):
        complains(*run("resume", "j", f"--budget={text}", capsys=capsys), "--budget", "+N")
        complains(*run("resume", "no journal", f"--budget={text}", capsys=capsys), "--budget", "+N")  # told at once
    assert Path("j").read_bytes() == data


@pytest.mark.usefixtures("here", "small")
def test_a_misspelt_answer_on_a_pipe_is_named_with_its_line(capsys, monkeypatch):
    status, _, err = run("--journal", "j", text="\nequall\n", capsys=capsys, monkeypatch=monkeypatch)
    assert status == 2
    assert "standard input, line 2: unknown answer 'equall'; did you mean 'equal'" in err
    assert any(isinstance(fact, Asked) and fact.compare for fact in read("j").facts)


# a full disk

#: What is written stays in the stream until it is flushed, as it does where nobody asks for anything else.
BUFFERED = os.environ | {"PYTHONUNBUFFERED": ""}


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
@pytest.mark.parametrize("option", ["--help", "--version", "--defaults"])
def test_a_full_disk_under_the_output_is_one_line(option):
    command = [sys.executable, "-m", "elicit", option]
    with open("/dev/full", "w") as full:
        told = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=BUFFERED, text=True, check=False)
    complains(told.returncode, "", told.stderr, "cannot be written", "No space left")


@posix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device that is always full")
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "command", [["run", "s.toml"], ["compare", "s.toml"], ["score", "d.csv", "--target", "y", "--by", "fisher,relieff"]]
)
def test_a_full_disk_under_the_results_is_one_line_beside_what_came_of_hours(command, capsys):
    status, out, err = run(*command, "--json", "/dev/full", capsys=capsys)
    complains(status, "", err, "/dev/full: cannot be written")
    first_words = [line.split()[:1] for line in out.splitlines()]  # other numbers are seconds
    assert first_words == [line.split()[:1] for line in run(*command, capsys=capsys)[1].splitlines()]
    assert len(first_words) > 1


@posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("sound", [True, False])
def test_verify_says_by_its_status_whether_all_holds_though_nobody_reads_on(here, ended, sound, unbuffered):
    (here / "j").write_bytes(ended)
    if not sound:
        lines = journals.lines_of(here / "j")
        (claim,) = (line["claim"] for line in lines if "claim" in line)
        claim["statements"] = claim["statements"][:-1]
        journals.write(here / "j", lines)
    reading, writing = os.pipe()
    os.close(reading)  # as where `grep -q holds` has found what it looks for
    with os.fdopen(writing, "w") as pipe:
        command = [sys.executable, "-m", "elicit", "verify", "j"]
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        told = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, env=environment, text=True, check=False)
    assert told.returncode == (0 if sound else 1)
    assert len(told.stderr.splitlines()) == (0 if sound else 1)


@posix
def test_a_full_disk_under_the_journal_loses_nothing_that_was_there(here, capsys, monkeypatch):
    import resource

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    told = elicit("--journal", "j", cwd=here, stdin=subprocess.DEVNULL, preexec_fn=limit)
    assert told.returncode == 2
    assert "cannot be written" in told.stderr.splitlines()[-1]
    assert "Traceback" not in told.stderr
    facts = read(here / "j").facts
    assert any(isinstance(fact, Evaluated) for fact in facts)
    assert run("resume", "j", text="", capsys=capsys, monkeypatch=monkeypatch)[0] == 0
    assert read(here / "j").facts[: len(facts)] == facts


@pytest.mark.usefixtures("here")
def test_trouble_of_the_work_is_not_taken_for_that_of_the_file_it_is_written_to():
    with pytest.raises(ConnectionRefusedError), destination("out.json"):
        raise ConnectionRefusedError("the cluster")
    assert not Path("out.json").exists()


@posix
def test_results_that_stood_there_before_stay_when_the_disk_is_full(here):
    import resource

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    (here / "o.json").write_text("what was there")
    told = elicit("run", "s.toml", "--json", "o.json", cwd=here, preexec_fn=limit)
    complains(told.returncode, "", told.stderr, "o.json: cannot be written")
    assert (here / "o.json").read_text() == "what was there"
    assert sorted(path.name for path in here.iterdir()) == ["c.csv", "d.csv", "o.json", "s.toml", "t.csv"]


# what is done


def test_version_and_defaults(capsys):
    assert run("--version", capsys=capsys)[:2] == (0, f"elicit {__version__}\n")
    status, out, _ = run("--defaults", capsys=capsys)
    assert status == 0
    told = re.findall(r"^  (\w+) = .*\n((?:      .+\n)+)", out, re.MULTILINE)
    for (name, meaning), setting in zip(told, dataclasses.fields(Settings), strict=True):
        assert (name, " ".join(meaning.split())) == (setting.name, setting.metadata["meaning"])
    assert max(map(len, "".join(meaning for _, meaning in told).splitlines())) <= 100
    for name, value in (
        ("parsimony", "0.1"),
        ("slack", "10.0"),
        ("weights", "[1.0, 2.0, 4.0]"),
        ("temperature", "1.0"),
    ):
        assert f"  {name} = {value}\n" in out
    assert "dominance = " in out
    assert "operator = " in out


def test_run_prints_a_table_and_writes_every_result(here, capsys, monkeypatch):
    monkeypatch.setattr("elicit.alongside.display._SECONDS_OF_SILENCE", 0.0)
    status, out, err = run("run", "s.toml", "--json", "o.json", capsys=capsys)
    assert status == 0
    assert out.splitlines()[0].startswith("method")
    assert len(out.splitlines()) == 2
    assert "2 of 2 runs finished" in err
    assert "\r" not in err, "plain lines where there is no terminal"
    written = json.loads((here / "o.json").read_text())
    assert written["scenario"]["elicit"] == {"budget": 7}
    assert [result["seed"] for result in written["results"]] == [0, 1]
    assert run("run", "s.toml", "--budget", "3", "--seeds", "3", "--json", "o.json", capsys=capsys)[0] == 0
    assert [r["evaluations"] for r in json.loads((here / "o.json").read_text())["results"]] == [3, 3, 3]


@pytest.mark.parametrize("command", ["run", "compare"])
def test_below_the_table_stands_where_a_utility_goes_against_what_is_measured(here, capsys, command):
    (here / "t.csv").write_text("a,b,score\n1,0,0.5\n0,1,0.6\n1,1,0.7\n")
    (here / "s.toml").write_text(
        '[oracle]\nkind = "table"\npath = "t.csv"\n[operator]\nutility = "score + size"\n'
        '[elicit]\nbudget = 3\n[experiment]\nseeds = 1\nmethods = ["elicit"]\n'
    )
    status, out, _ = run(command, "s.toml", capsys=capsys)
    assert status == 0
    assert "the utility likes" not in out, "more attributes are worth more, but no subset of these is dominated so"
    (here / "t.csv").write_text("a,b,score\n1,0,0.5\n0,1,0.6\n1,1,0.4\n")
    status, out, _ = run(command, "s.toml", capsys=capsys)
    assert status == 0
    assert "operator score + size: the utility likes {a, b} better than " in out


def full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("folds", [(), ("--keep-folds",)])
def test_a_table_that_was_interrupted_goes_on_where_it_was(folds, capsys, monkeypatch):
    command, asked = ("table", "iris", *folds, "--folds", "3", "--n-jobs", "1", "-o", "o.csv"), []

    def measured(self, request, whole=WrapperOracle.__call__):
        asked.append(request.subset)
        if len(asked) == 10:
            raise KeyboardInterrupt
        return whole(self, request)

    monkeypatch.setattr(WrapperOracle, "__call__", measured)
    monkeypatch.setattr("elicit.oracles.table_writing._next_batch", lambda *_: 4)
    status, _, err = run(*command, capsys=capsys)
    assert status == 130
    assert "what was measured is in o.csv.part; the same command goes on there" in err
    assert not Path("o.csv").exists()
    complains(*run(*command, "--model", "knn:5", capsys=capsys), "o.csv.part", "another table", "delete it")
    with Path("o.csv.part").open("a") as file:
        file.write('{"cache": "meas')  # the death of a process leaves half a line
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "open_or_create", full)
        complains(*run(*command, capsys=capsys), "No space left")
    assert Path("o.csv.part").exists(), "where the file cannot be mended nothing of it is lost"
    assert run(*command, capsys=capsys)[0] == 0
    assert sorted(asked[:9] + asked[10:]) == list(range(1, 16)), "a subset was measured twice, or not at all"
    assert not Path("o.csv.part").exists()
    assert run(*command[:-1], "whole.csv", capsys=capsys)[0] == 0
    assert Path("o.csv").read_text() == Path("whole.csv").read_text()


def test_what_was_kept_without_the_scores_of_its_folds_is_measured_anew_where_they_are_wanted():
    bare, whole, failed = Measured((0.5, 1.0)), Measured((0.5, 1.0), ((0.4, 0.6), ())), Failure("no")
    known = {1: bare, 2: whole, 3: failed}
    assert _usable(known, folds=True) == {2: whole, 3: failed}
    assert _usable(known, folds=False) == known


def test_a_batch_of_a_table_is_on_the_disk_at_once_when_it_is_saved(tmp_path, monkeypatch):
    path, synced = tmp_path / "o.csv.part", []
    with Journal.create(path, Header(0, "", Attributes.numbered(2), (Criterion("score"),))) as journal:
        monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.read_bytes()))
        _save(journal, False, {1: Measured((0.5,)), 2: Failure("no"), 3: Measured((0.7,))})
    assert synced == [path.read_bytes()]


@pytest.mark.usefixtures("here")
def test_a_table_whose_place_takes_no_file_is_refused_by_its_own_name(capsys, monkeypatch):
    def none(*_):
        raise AssertionError("no journal is begun beside it")

    def closed(**_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("elicit.commands.table.Journal.open_or_create", none)
    told = run("table", "iris", "-o", "/dev/null", capsys=capsys)
    complains(*told, "/dev/null: is no ordinary file; choose another place")
    told = run("table", "iris", "-o", "no/o.csv", capsys=capsys)
    complains(*told, "no/o.csv: cannot be written; give a file in a folder that exists")
    monkeypatch.setattr("elicit.complete.tempfile.TemporaryFile", closed)
    told = run("table", "iris", "-o", "o.csv", capsys=capsys)
    complains(*told, "o.csv: cannot be written (Permission denied); choose another place")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("before", [False, True])
def test_a_table_that_could_not_be_begun_leaves_nothing_behind(capsys, monkeypatch, before):
    command = ("table", "d.csv", "--target", "y", "-o", "o.csv")
    if before:
        Path("o.csv.part").write_text("no journal\n")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert run(*command, capsys=capsys)[0] == 2
    assert Path("o.csv.part").exists() == before, "what somebody else wrote there stays"


@pytest.mark.usefixtures("here")
def test_a_table_that_somebody_else_is_about_to_begin_is_left_to_them(capsys):
    with locked("o.csv.part", os.O_RDWR | os.O_CREAT):
        complains(*run("table", "d.csv", "--target", "y", "-o", "o.csv", capsys=capsys), "in use by another")
        assert Path("o.csv.part").exists()


@pytest.mark.usefixtures("here")
def test_partial_results_that_cannot_be_deleted_spoil_no_table_and_hide_no_other_trouble(capsys, monkeypatch):
    def kept(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    command = ("table", "iris", "--folds", "2", "--n-jobs", "1", "-o", "o.csv")
    with monkeypatch.context() as patch:
        patch.setattr("elicit.commands.table.Path.unlink", kept)
        patch.setattr(os, "fsync", full)
        complains(*run(*command, capsys=capsys), "'o.csv.part' cannot be written: No space left on device")
    with monkeypatch.context() as patch:
        patch.setattr("elicit.commands.table.Path.unlink", lambda path, **_: kept() if path.suffix == ".part" else None)
        status, out, err = run(*command, capsys=capsys)
    assert (status, err, "o.csv: 15 subsets" in out) == (0, "", True)


@posix
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("when", [1, 15])
def test_a_table_whose_partial_results_are_deleted_names_them(capsys, monkeypatch, when):
    def measured(self, request, whole=WrapperOracle.__call__):
        if request.subset == when:
            Path("o.csv.part").unlink()
        return whole(self, request)

    monkeypatch.setattr(WrapperOracle, "__call__", measured)
    status, out, err = run("table", "iris", "--folds", "2", "-o", "o.csv", "--n-jobs", "1", capsys=capsys)
    complains(status, out, err, "'o.csv.part' was deleted, moved or changed while it was written to")
    assert not list(Path().glob("o.csv*"))


@pytest.mark.usefixtures("here")
def test_a_table_ends_at_once_where_small_and_large_subsets_fail_alike(capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(WrapperOracle, "__call__", lambda _, r: asked.append(r.subset) or Failure("ValueError: f1"))
    status, _, err = run("table", "wine", "-o", "o.csv", "--n-jobs", "1", capsys=capsys)
    complains(status, "", err, "of size 1 to 13, failed alike, the first because: ValueError: f1; another model")
    assert len(asked) < 15
    assert not list(Path().glob("o.csv*"))


@pytest.mark.usefixtures("here")
def test_a_table_of_which_only_the_largest_subset_can_be_measured_is_written(capsys, monkeypatch):
    def measured(self, request, whole=WrapperOracle.__call__):
        return whole(self, request) if request.subset == 15 else Failure("ValueError: too few")

    monkeypatch.setattr(WrapperOracle, "__call__", measured)
    status, out, _ = run("table", "iris", "-o", "o.csv", "--n-jobs", "1", capsys=capsys)
    assert status == 0
    assert "not measured, 14 times: ValueError: too few" in out
    assert TableOracle("o.csv").masks() == [15]


def test_table_writes_what_an_oracle_reads(here, capsys):
    status, out, _ = run("table", "iris", "--folds", "3", "--max-size", "2", "-o", "o.csv.gz", capsys=capsys)
    assert (status, out.splitlines()[0]) == (0, "o.csv.gz: 10 subsets")
    assert "no subset is larger than 2; who plays this table needs the same max_size" in out
    all_four = run("table", "iris", "--folds", "3", "--max-size", "4", "-o", "all.csv", capsys=capsys)
    assert all_four == (0, "all.csv: 15 subsets\n", ""), "no limit to speak of"
    table = TableOracle("o.csv.gz")
    oracle = oracle_from({"kind": "wrapper", "data": "iris", "model": "knn:3", "folds": 3}, here)
    for mask in table.masks():
        assert table(Evaluate(0, mask)).criteria == oracle(Evaluate(0, mask)).criteria


@pytest.mark.parametrize("tidy", [[], ["--tidy"]])
def test_a_table_asks_nothing_of_what_is_dropped_and_takes_groups(here, capsys, tidy):
    rows = [f"{k % 7},{k % 5},{'<5' if k == 3 else k},{k % 3},p{k // 6},{k % 2}" for k in range(42)]
    (here / "odd.csv").write_text("\n".join(["a,b,odd,c,who,y", *rows]))
    given = ("--target", "y", "--folds", "3", "--groups", "G=a,b", "--group-col", "who", *tidy)
    assert run("table", "odd.csv", *given, "--drop", "odd", "-o", "o.csv", capsys=capsys)[0] == 0
    assert (here / "o.csv").read_text().splitlines()[0] == "G,c,score,score_sd"
    section = {"kind": "wrapper", "data": "odd.csv", "model": "knn:3", "folds": 3, "target": "y", "dropped": ["odd"]}
    oracle = oracle_from(section | {"groups": {"G": ["a", "b"]}, "group_col": "who"}, here)
    for mask in (table := TableOracle("o.csv")).masks():
        assert table(Evaluate(0, mask)).criteria == oracle(Evaluate(0, mask)).criteria
    status, _, err = run("table", "odd.csv", *given, "--drop", "odd,G,c", "-o", "p.csv", capsys=capsys)
    assert (status, "--drop leaves no attribute; drop fewer" in err) == (2, True)


def test_a_table_with_its_folds_tells_noise_from_a_lead(here, capsys):
    played = ("--folds", "3", "--n-jobs", "1", "--keep-folds")
    assert run("table", "iris", *played, "-o", "o.csv", capsys=capsys)[0] == 0
    header, *rows = [line.split(",") for line in (here / "o.csv").read_text().splitlines()]
    assert header[-4:] == ["score_sd", "fold_1", "fold_2", "fold_3"]
    assert all(float(row[4]) == pytest.approx(fmean(map(float, row[6:]))) for row in rows)
    scenario = '[oracle]\nkind = "table"\npath = "o.csv"\n[operator]\nutility = "score - 0.01 * size"\n'
    (here / "s.toml").write_text(scenario + "[elicit]\nnoise_level = 0.05\n[experiment]\nseeds = 1\n")
    assert run("run", "s.toml", "--json", "out.json", capsys=capsys)[0] == 0
    (result,) = json.loads((here / "out.json").read_text())["results"]
    assert isinstance(result["noise_decides"], bool)


def test_what_a_library_warns_of_while_a_table_is_made_is_told_once(here, capsys):
    rows = "".join(f"{k % 7},{k * k % 5},{k % 23}\n" for k in range(46))
    (here / "many.csv").write_text("a,b,y\n" + rows)
    arguments = ["table", "many.csv", "--target", "y", "--holds", "classes", "--model", "knn:1", "--folds", "2"]
    assert main([*arguments, "-o", "t.csv", "--n-jobs", "1"]) == 0
    captured = capsys.readouterr()
    assert "UserWarning" not in captured.err
    assert captured.out.count("while measuring: UserWarning: The number of unique classes is greater than 50%") == 1


@pytest.mark.usefixtures("here", "small")
def test_a_session_asks_side_by_side_and_ends_with_the_input(capsys, monkeypatch):
    status, out, _ = run(text="", capsys=capsys, monkeypatch=monkeypatch)
    assert status == 0
    assert out.startswith("journal: elicit-wine.jsonl\n")
    assert "Question 1" in out
    assert "score (more is better)" in out
    assert "only in A (" in out
    assert out.rstrip().endswith("go on with: elicit resume elicit-wine.jsonl")
    assert "Which is better?" not in out, "nothing prompts without a terminal"


@pytest.mark.usefixtures("here", "small")
def test_a_session_goes_on_exactly_where_it_stopped_and_further(capsys, monkeypatch):
    answers = "a\ncannot\nequal\nlater\nb\n" * 12
    status, out, _ = run("--journal", "whole", text=answers, capsys=capsys, monkeypatch=monkeypatch)
    assert status == 0
    assert "recommended: " in out
    given = [fact for fact in read("whole").facts if isinstance(fact, Preferred)]
    assert given

    run("--journal", "j", text="quit\na\n", capsys=capsys, monkeypatch=monkeypatch)
    assert not any(isinstance(fact, Stopped) for fact in read("j").facts)
    status, out, _ = run("resume", "j", text=answers, capsys=capsys, monkeypatch=monkeypatch)
    assert status == 0
    assert identity("j") == identity("whole")
    data = Path("j").read_bytes()
    run("resume", "j", text=answers, capsys=capsys, monkeypatch=monkeypatch)
    assert Path("j").read_bytes() == data

    assert run("resume", "j", "--budget", "+50", text=answers, capsys=capsys, monkeypatch=monkeypatch)[0] == 0
    resumed = [fact.budget for fact in read("j").facts if isinstance(fact, Resumed)]
    assert resumed == [15 + 50]  # iris has 15 subsets, all of them in the first budget


@pytest.mark.usefixtures("here", "small")
def test_sessions_without_a_path_do_not_meet(capsys, monkeypatch):
    for name in ("elicit-wine.jsonl", "elicit-wine-2.jsonl"):
        assert f"journal: {name}\n" in run(text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    complains(*run("--journal", "elicit-wine.jsonl", capsys=capsys), "already exists")


@pytest.mark.usefixtures("here", "small")
@pytest.mark.parametrize("arguments", [(), ("ask", "wine", "--model", "knn:3", "--budget", "15")])
def test_a_new_session_names_the_unfinished_one_beside_it(arguments, capsys, monkeypatch):
    told = "an unfinished session is in elicit-wine.jsonl: elicit resume elicit-wine.jsonl goes on there"
    assert "unfinished" not in run(*arguments, text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    Path("elicit-wine-2.jsonl").write_text("no journal\n")
    assert f"\n{told}\n" in run(*arguments, text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    other = run("ask", "wine", "--model", "knn:5", "--budget", "15", text="", capsys=capsys, monkeypatch=monkeypatch)
    assert "unfinished" not in other[1], "it measured something else"


@pytest.mark.usefixtures("here", "small")
def test_a_session_that_ended_is_not_called_unfinished(capsys, monkeypatch):
    assert run(text="equal\n" * 40, capsys=capsys, monkeypatch=monkeypatch)[0] == 0
    assert "unfinished" not in run(text="", capsys=capsys, monkeypatch=monkeypatch)[1]


@pytest.mark.usefixtures("here")
def test_of_several_unfinished_sessions_the_latest_is_named_and_one_that_was_opened_again_is_one():
    oracle = journals.truth(4)

    def named():
        return [re.search(r"in (\S+): elicit resume", note)[1] for note in unfinished_note("s", oracle)]

    def change(path, how):
        with resume(path, oracle, reopen=False) as found:
            how(found.elicitation)
            found.journal.catch_up(found.elicitation.facts, time.time)

    for path in ("s.jsonl", "s-2.jsonl", "s-3.jsonl"):
        with begin(path, oracle):
            pass
    assert named() == []  # nothing was begun but the files
    for path in ("s.jsonl", "s-2.jsonl"):
        change(path, lambda elicitation: elicitation.ask())
    assert named() == ["s-2.jsonl"]
    change("s-2.jsonl", lambda elicitation: elicitation.stop("enough"))
    assert named() == ["s.jsonl"]
    change("s-2.jsonl", lambda elicitation: elicitation.resume())
    assert named() == ["s-2.jsonl"]


@pytest.mark.usefixtures("here", "small")
def test_a_journal_that_may_not_be_read_keeps_nobody_from_beginning(capsys, monkeypatch):
    Path("elicit-wine.jsonl").write_text("another's\n")

    def refused(path):
        if path == "elicit-wine.jsonl":
            raise InputError(f"journal {path!r} cannot be read: Permission denied; check the path")
        return False

    monkeypatch.setattr(session, "begun", refused)
    monkeypatch.setattr(session, "read", refused)
    status, out, _ = run(text="", capsys=capsys, monkeypatch=monkeypatch)
    assert (status, out.splitlines()[0]) == (0, "journal: elicit-wine-2.jsonl")


@pytest.mark.usefixtures("here", "small")
def test_where_nothing_can_be_written_the_remedy_is_another_place(capsys, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    refused = "this folder, in which the session would be kept, cannot be written; give --journal FILE"
    complains(*run(capsys=capsys), refused)
    complains(*run("ask", "wine", capsys=capsys), refused)
    status, out, _ = run("--journal", "other.jsonl", text="", capsys=capsys, monkeypatch=monkeypatch)
    assert (status, out.splitlines()[0]) == (0, "journal: other.jsonl")


@posix
@pytest.mark.parametrize("name", ["SIGINT", *(pytest.param(k, marks=pytest.mark.slow) for k in ("SIGTERM", "SIGHUP"))])
def test_an_interrupt_says_how_to_resume_and_gives_130(here, name):
    child = subprocess.Popen(
        [sys.executable, "-m", "elicit", "--journal", "j"],
        cwd=here, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with child:
        for line in child.stdout:
            if line.startswith("Question"):
                break
        time.sleep(0.2)
        child.send_signal(getattr(signal, name))
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert err.splitlines()[-1].endswith("go on with: elicit resume j")
    assert "Traceback" not in err
    assert any(isinstance(fact, Asked) and fact.compare for fact in read(here / "j").facts)


LEAVING = """
import atexit, sys, time
atexit.register(lambda: print("leaving", flush=True) or time.sleep(600))  # as libraries wait for their workers
from elicit import cli
from elicit.commands import defaults

def run(args):
    raise KeyboardInterrupt

defaults.run = run
sys.exit(cli.main(["--defaults"]))
"""


@posix
def test_one_more_interrupt_while_the_program_leaves_is_without_words():
    command, pipe = [sys.executable, "-c", LEAVING], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == "leaving\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "elicit: interrupted\n")
    assert process.returncode == -signal.SIGINT  # which a shell calls 130


@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_utility_without_a_value_is_an_error_that_names_the_file(command, tmp_path, capsys):
    table = Path(__file__).parents[1] / "scenarios" / "wine_knn3.csv.gz"
    path = tmp_path / "odd.toml"
    path.write_text(
        f'[oracle]\nkind = "table"\npath = "{table}"\n[operator]\nutility = "1 / (size - size)"\n'
        "[elicit]\nbudget = 5\n[experiment]\nseeds = 1\n"
    )
    assert main([command, str(path)]) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert "odd.toml: " in told
    assert "divides by zero" in told


# progress


class Screen:
    def __init__(self, terminal=True):
        self.text, self.terminal = "", terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return self.terminal


def test_a_terminal_gets_one_line_that_is_drawn_again(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    screen = Screen()
    meter = Meter(screen)
    meter.update(0.0, "begun")
    meter.update(1.0, "evaluated 9 of 9, 狭い端末の幅にはとても入らない長い文章です")
    meter.clear()
    assert "\n" not in screen.text
    lines = [line for line in screen.text.replace("\x1b[K", "").split("\r") if line]
    assert lines[0].startswith("[........................] begun, time left unknown")
    assert lines[1].startswith("[########################] evaluated 9 of 9")
    assert max(map(width, lines)) <= 59
    assert screen.text.endswith("\r\x1b[K")


def test_the_bar_is_gone_when_the_work_is_over_and_when_it_is_broken_off():
    for end in (None, KeyboardInterrupt()):
        screen = Screen()
        with suppress(KeyboardInterrupt), Meter(screen) as meter:
            meter.update(0.5, "half done")
            assert not screen.text.endswith("\r\x1b[K")
            if end is not None:
                raise end
        assert screen.text.endswith("\r\x1b[K")


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("lost", [BrokenPipeError, OSError])
def test_work_goes_on_though_its_progress_cannot_be_written(monkeypatch, terminal, lost):
    monkeypatch.setattr("elicit.alongside.display._SECONDS_OF_SILENCE", 0.0)
    tried = []

    def refuse(text):
        tried.append(text)
        raise lost

    screen = Screen(terminal=terminal)
    monkeypatch.setattr(screen, "write", refuse)
    with Meter(screen) as meter:
        meter.update(0.5, "half done")
        meter.update(1.0, "done")
    assert tried


def test_an_interrupt_stays_one_where_what_is_kept_cannot_be_told(monkeypatch):
    screen = Screen(terminal=False)
    monkeypatch.setattr(screen, "flush", lambda: (_ for _ in ()).throw(BrokenPipeError))
    monkeypatch.setattr("sys.stderr", screen)
    with pytest.raises(KeyboardInterrupt), progress_meter(lambda: "all is kept"):
        raise KeyboardInterrupt
    assert screen.text == "all is kept\n"


def test_elsewhere_a_plain_line_now_and_then(monkeypatch):
    monkeypatch.setattr("elicit.alongside.display._SECONDS_OF_SILENCE", 0.0)
    screen = Screen(terminal=False)
    meter = Meter(screen)
    for k in range(101):
        meter.update(k / 100, f"{k} done")
    meter.clear()
    assert len(screen.text.splitlines()) == 10
    assert "\r" not in screen.text
    assert "\x1b" not in screen.text
    assert screen.text.splitlines()[-1] == "100 done, 0:00 left"


def test_work_that_is_soon_over_goes_untold(monkeypatch):
    now = iter(k * 0.04 for k in range(300))  # telling the time left looks at the clock, too
    monkeypatch.setattr("elicit.alongside.display.time", SimpleNamespace(monotonic=lambda: next(now)))
    screen = Screen(terminal=False)
    meter = Meter(screen)
    for k in range(99):
        meter.update(k / 98, f"{k} done")
    told = [int(line.partition(" ")[0]) for line in screen.text.splitlines()]
    assert min(told) >= 49, "two seconds are over by then"
    assert len(told) == 6


def test_long_work_is_heard_of_though_little_of_it_is_done(monkeypatch):
    now = iter(range(0, 10_000, 4))  # four seconds a step
    monkeypatch.setattr("elicit.alongside.display.time", SimpleNamespace(monotonic=lambda: next(now)))
    screen = Screen(terminal=False)
    meter = Meter(screen)
    for k in range(10):
        meter.update(k / 1000, f"{k} done")
    told = [line.partition(",")[0] for line in screen.text.splitlines()]
    assert told
    assert "0 done" not in told
    assert len(told) < 6


def test_the_time_left_is_told_by_the_time_it_took(monkeypatch):
    at = [100.0]
    monkeypatch.setattr("elicit.alongside.display.time", SimpleNamespace(monotonic=lambda: at[0]))
    screen = Screen(terminal=False)
    meter = Meter(screen)
    for at[0], share in ((130.0, 0.25), (160.0, 0.5), (220.0, 0.8)):
        meter.update(share, f"{share:.0%}")
    assert screen.text.splitlines() == ["25%, 1:30 left", "50%, 1:00 left", "80%, 0:30 left"]


def test_the_time_left_is_told_by_what_this_sitting_did(monkeypatch):
    at = [100.0]
    monkeypatch.setattr("elicit.alongside.display.time", SimpleNamespace(monotonic=lambda: at[0]))
    screen = Screen(terminal=False)
    meter = Meter(screen)
    for at[0], share in ((130.0, 0.8), (160.0, 0.85), (220.0, 0.9), (280.0, 1.0)):
        meter.update(share, f"{share:.0%}", before=0.8)
    told = ["80%, time left unknown", "85%, 3:00 left", "90%, 2:00 left", "100%, 0:00 left"]
    assert screen.text.splitlines() == told
    over = Screen()
    Meter(over).update(1.0, "all was done before", before=1.0)
    assert "all was done before, 0:00 left" in over.text


def test_no_question_is_promised_when_none_may_come():
    def at(evaluations, questions):
        return activity(Progress(evaluations, 121, questions, 15, None, {}, 1.0))

    assert at(100, 3) == "evaluated 100 of 121, until there is something to ask"
    assert at(121, 3) == "evaluated 121 of 121, working out what your answers decide"
    assert at(100, 15) == "evaluated 100 of 121, all questions are answered"


def test_times_are_told_as_on_a_clock():
    assert [clock_time(s) for s in (0.2, 59.7, 61, 3601)] == ["0:00", "1:00", "1:01", "1:00:01"]


@pytest.mark.usefixtures("here")
def test_reduced_data_are_zipped_where_the_name_says_so(capsys):
    status, _, _ = run(
        *("ask", "d.csv", "--target", "y", "--folds", "3", "--questions", "0", "--budget", "3", "--journal", "j"),
        *("-o", "o.csv.gz"),
        capsys=capsys,
    )
    assert status == 0
    with gzip.open("o.csv.gz", "rt") as lines:
        assert next(lines).strip().endswith("y")


def test_the_same_command_can_be_run_on_the_reduced_data(here, capsys):
    rows = [f"{k % 5},{k * k % 7},{k // 3},{k % 2}" for k in range(24)]
    (here / "x.csv").write_text("\n".join(["a,b,who,y", *rows]) + "\n")
    options = ("--target", "y", "--group-col", "who", "--folds", "3", "--questions", "0", "--budget", "3")
    status, _, _ = run("ask", "x.csv", *options, "--journal", "j", "-o", "o.csv", capsys=capsys)
    assert status == 0
    *chosen, by, target = (here / "o.csv").read_text().splitlines()[0].split(",")
    assert (bool(chosen), by, target) == (True, "who", "y")
    assert load("o.csv", "y", group_col="who").columns == tuple(chosen)


@pytest.mark.parametrize("columns", [60, 80, 100])
@pytest.mark.parametrize("command", ["ask", "score", "run", "compare", "table", "resume", "report"])
def test_no_name_is_broken_at_a_hyphen_by_the_help(command, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    with pytest.raises(SystemExit):
        main([command, "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 10
    assert [line for line in lines if re.search(r"\w-$", line)] == []


@pytest.mark.parametrize("option", ["--help", "--version", "--defaults"])
def test_whoever_reads_less_than_all_is_not_complained_to(option):
    command, pipe = [sys.executable, "-m", "elicit", option], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=BUFFERED, text=True) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == ("", 0)


@pytest.mark.parametrize(
    ("path", "written"),
    [("a.jsonl", "a.jsonl"), ("a b.jsonl", "'a b.jsonl'"), ("-a", "./-a"), ("$x;'q", "'$x;'\"'\"'q'")],
)
def test_a_path_in_a_command_is_written_as_a_shell_reads_it(path, written):
    assert pasted(path) == written


NUMBERS = [f"{k}.5,{k % 7},{k % 2}" for k in range(60)]
BAD_DATA = {
    "a stray entry": (["inf,3,1", *NUMBERS], ["x.csv, line 2: column 'a' holds numbers, but here 'inf'"]),
    "a stray target": ([*(f"{k % 3},{k % 7},{k}.5" for k in range(60)), "1,2,one"], ["line 62: column 'y'", "'one'"]),
    "no target at all": (["1,2,", "3,4,"], ["the target 'y' is missing in every row"]),
    "nothing but constants": (["1,2,0", "1,2,1", "1,2,0"], ["no attribute is left: 'a' is left out: it is constant"]),
}


@pytest.mark.parametrize(("lines", "words"), BAD_DATA.values(), ids=BAD_DATA)
def test_data_that_cannot_be_used_say_where_and_why(here, capsys, lines, words):
    (here / "x.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    complains(*run("ask", "x.csv", "--target", "y", "--journal", "j", capsys=capsys), *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b;y\n1;2;0\n1;2\n", ["line 3", "the header has 3 columns, this line 2 cells"]),
        ("a,y\n1,0\n2,1\n3,0\n4,1\n", ["'a' is the only attribute", "nothing to choose"]),
    ],
)
def test_a_file_that_is_no_table_of_attributes_is_named_as_such(here, capsys, text, words):
    (here / "x.csv").write_text(text)
    complains(*run("ask", "x.csv", "--target", "y", "--folds", "2", "--journal", "j", capsys=capsys), *words)


def test_a_gap_is_named_with_the_way_round_it(here, capsys):
    lines = "".join(f"{k},{'' if k == 3 else k % 5},{k % 2}\n" for k in range(20))
    (here / "x.csv").write_text("a,b,y\n" + lines)
    table = ("table", "x.csv", "--target", "y", "--folds", "2", "-o", "o.csv")
    complains(*run(*table, capsys=capsys), "line 5: 'b' is empty", "--tidy")
    status, out, _ = run(*table, "--tidy", capsys=capsys)
    assert status == 0
    assert out.splitlines()[0] == "o.csv: 3 subsets"
    assert "note: 'b' has 1 missing value:" in out


def test_a_report_does_not_replace_the_data(here, capsys, monkeypatch):
    (here / "x.csv").write_text("a,b,y\n" + "".join(f"{k},{k * k % 7},{k % 2}\n" for k in range(20)))
    asked = ("ask", "x.csv", "--target", "y", "--folds", "2", "--budget", "2", "--journal", "j")
    assert run(*asked, capsys=capsys, text="a\n" * 9, monkeypatch=monkeypatch)[0] == 0
    before = (here / "x.csv").read_bytes()
    complains(*run("report", "j", "-o", "x.csv", capsys=capsys), "x.csv", "another file")
    assert (here / "x.csv").read_bytes() == before


@pytest.mark.usefixtures("here")
def test_who_names_no_target_is_told_the_columns(capsys):
    complains(*run("ask", "d.csv", capsys=capsys), "d.csv: say which column is the target", "'a', 'b', 'y'")
    complains(*run("ask", "nope.csv", capsys=capsys), "nope.csv: no such file")
    complains(*run("ask", "n" * 300, capsys=capsys), "nnn: no such file or built-in data")


@pytest.mark.parametrize("command", ["run", "compare"])
@pytest.mark.parametrize(("key", "kept"), [('kind = "table"\npath', "t.csv"), ('kind = "wrapper"\ndata', "d.csv")])
def test_what_a_scenario_reads_is_not_written_over(here, capsys, command, key, kept):
    model = 'model = "knn:3"\ntarget = "y"' if kept == "d.csv" else ""
    (here / "own.toml").write_text(f'[oracle]\n{key} = "{kept}"\n{model}\n[operator]\nutility = "score"\n')
    before = (here / kept).read_text()
    for target in (kept, "own.toml"):
        complains(*run(command, here / "own.toml", "--json", here / target, capsys=capsys), "is read or kept by this")
    assert (here / kept).read_text() == before


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "d.csv", "--target", "y", "--journal", "new", "-o", "j"),
        ("report", "other", "-o", "j"),
        ("run", "own.toml", "--json", "j"),
        ("score", "d.csv", "--target", "y", "--json", "j"),
        ("table", "d.csv", "--target", "y", "-o", "j"),
    ],
    ids=lambda command: command[0],
)
def test_no_journal_is_written_over(here, capsys, ended, command):
    for journal in ("j", "other"):
        Path(journal).write_bytes(ended)
    (here / "own.toml").write_text(
        '[oracle]\nkind = "wrapper"\ndata = "d.csv"\ntarget = "y"\nmodel = "knn:3"\n[operator]\nutility = "score"\n'
    )
    complains(*run(*command, capsys=capsys), "j: is a journal, which writing would destroy; give another file")
    assert Path("j").read_bytes() == ended
    assert not Path("new").exists()


def test_a_path_that_no_system_takes_is_one_line(here, capsys):
    (here / "own.toml").write_text('[oracle]\nkind = "table"\npath = "a\\u0000b"\n[operator]\nutility = "score"\n')
    complains(*run("run", here / "own.toml", capsys=capsys), "no such file")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are in UTF-8, or in no bytes at all")
@pytest.mark.parametrize("key", ['kind = "table"\npath', 'kind = "wrapper"\nmodel = "knn:3"\ntarget = "y"\ndata'])
def test_a_name_that_has_no_bytes_in_this_locale_is_one_line(here, key):
    (here / "own.toml").write_bytes(f'[oracle]\n{key} = "dü.csv"\n[operator]\nutility = "score"\n'.encode())
    done = elicit("run", "own.toml", env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"})
    told = "cannot be read (its name has characters that are not in ascii, the encoding of names of files here)"
    complains(done.returncode, done.stdout, done.stderr, told)


@pytest.mark.usefixtures("here")
def test_a_budget_below_what_is_spent_is_refused(capsys, ended):
    Path("j").write_bytes(ended)
    spent = sum(isinstance(fact, Evaluated) for fact in read("j").facts)
    complains(*run("resume", "j", "--budget", "5", capsys=capsys), f"5 is less than the {spent} evaluations", "+5")
    assert Path("j").read_bytes() == ended


@pytest.mark.usefixtures("here")
def test_a_claim_that_is_none_is_said_to_be_so(capsys, ended, monkeypatch):
    Path("j").write_bytes(ended)
    lines = journals.lines_of(Path("j"))
    (claim,) = [line for line in lines if "claim" in line]
    for proofs in ("x", [1], [{"claim": "x"}], [{"claim": {"kind": "regret"}}], 5):
        claim["claim"]["proofs"] = proofs
        journals.write(Path("forged"), lines)
        status, out, err = run("resume", "forged", text="", capsys=capsys, monkeypatch=monkeypatch)
        assert (status, err) == (1, "")
        assert "a claim that the journal holds is false, and nothing here relies on it: line" in " ".join(out.split())
        assert "proven:" not in out
        assert run("verify", "forged", capsys=capsys)[0] == 1


@pytest.mark.usefixtures("here")
def test_an_answer_of_a_run_that_ended_can_be_taken_back(capsys, ended, monkeypatch):
    answers = "a\n" * 30
    Path("j").write_bytes(ended)
    given = [fact for fact in read("j").facts if isinstance(fact, Preferred)]
    status, out, _ = run("resume", "j", "--undo", len(given), text=answers, capsys=capsys, monkeypatch=monkeypatch)
    assert status == 0
    assert (
        f"the answer to question {len(given)} was taken back\ngoes on where it stopped: {len(given) - 1} answer" in out
    )
    assert [fact.retracts for fact in read("j").facts if isinstance(fact, Retracted)] == [given[-1].request]
    status, out, err = run("resume", "j", "--undo", len(given), text="", capsys=capsys, monkeypatch=monkeypatch)
    complains(status, out, err, "--undo needs the number of a question whose answer stands")
    assert run("verify", "j", capsys=capsys)[0] == 0


@pytest.mark.usefixtures("here")
def test_whoever_resumes_is_told_of_the_questions_that_are_kept_for_doubts(capsys, monkeypatch):
    run(*IRIS, "--journal", "j", text="a\n", capsys=capsys, monkeypatch=monkeypatch)
    out = run("resume", "j", text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    assert "in all, and 8 more questions (14 where answers are doubted)\n" in out
    run(*IRIS, "--journal", "k", "--questions", "3", text="a\n", capsys=capsys, monkeypatch=monkeypatch)
    out = run("resume", "k", text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    assert "in all, and 2 more questions\n" in out  # so few that none is kept for doubts


@pytest.mark.usefixtures("here", "small")
def test_whoever_resumes_under_other_libraries_is_told_so(capsys, monkeypatch):
    run("--journal", "j", text="", capsys=capsys, monkeypatch=monkeypatch)
    assert "begun with" not in run("resume", "j", text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    lines = journals.lines_of(Path("j"))
    lines[0]["versions"]["numpy"] = "1.0\x1b[2J"
    journals.write(Path("j"), lines)
    out = run("resume", "j", text="", capsys=capsys, monkeypatch=monkeypatch)[1]
    told = r"^begun with numpy 1\.0\S+ \(here \S+\): what is measured now may differ a little from what is kept$"
    assert re.search(told, out, re.MULTILINE)
    assert "\x1b" not in out


@pytest.mark.usefixtures("here", "small")
def test_a_word_of_a_stream_that_means_nothing_says_how_to_go_on(capsys, monkeypatch):
    status, _, err = run("--journal", "j", text="xyzzy\n", capsys=capsys, monkeypatch=monkeypatch)
    assert status == 2
    assert err.splitlines()[-1].endswith("everything is kept, go on with: elicit resume j")
    assert run("why", "j", capsys=capsys)[1].startswith("recommended so far (the run has not ended): ")


@pytest.mark.usefixtures("here", "small")
def test_after_a_proof_nobody_is_sent_to_measure_more(capsys, monkeypatch):
    for answers in ("a\n" * 30, "b\n" * 30):
        _, out, _ = run("--journal", f"j{answers[0]}", text=answers, capsys=capsys, monkeypatch=monkeypatch)
        assert ("go on, with more evaluations" in out) == (
            "proven: no subset of the 15" not in out and "15 eval" not in out
        )
