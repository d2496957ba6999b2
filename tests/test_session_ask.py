"""elicit ask: what is done with data from the wild, what is warned about, and every option."""

import io
import os
import re
import sys
import time

import numpy as np
import pytest
from journals import truth
from tables import SPREADSHEET, number, table

from elicit import complete
from elicit.cli import main
from elicit.commands import chosen_data
from elicit.commands.ask import CLASSIFIER, REGRESSOR
from elicit.commands.session import begun_at
from elicit.data import load
from elicit.data.cells import cells_and_blanks_of
from elicit.errors import InputError
from elicit.events import Asked, Evaluated
from elicit.journal import Journal, read
from elicit.scores.registry import score_named
from elicit.sessions import begin, elicitation_of


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Run the command with answers from a pipe: status, output, complaint."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, answers=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        try:
            status = main(["ask", *map(str, arguments)])
        except SystemExit as end:
            status = end.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


SMALL = ("--target", "y", "--folds", 3, "--budget", 4, "--questions", 1, "--journal", "j")


@pytest.mark.parametrize(("terminal", "seconds", "told"), [(True, 0.05, True), (True, 60, False), (False, 0.05, False)])
@pytest.mark.parametrize(
    ("place", "read"),
    [
        pytest.param("elicit.commands.ask.load", load, id="at the start"),
        pytest.param("elicit.sources.snippet.cells_and_blanks_of", cells_and_blanks_of, id="for the code at the end"),
    ],
)
def test_a_terminal_hears_of_a_file_that_takes_long_to_read(
    ask, tmp_path, monkeypatch, place, read, terminal, seconds, told
):
    def slowly(*arguments, **options):
        time.sleep(0.5)
        return read(*arguments, **options)

    table(tmp_path / "d\x1b.csv")
    monkeypatch.setattr(place, slowly)
    monkeypatch.setattr(chosen_data, "_SECONDS_OF_SILENCE", seconds)
    monkeypatch.setattr(sys, "stderr", screen := io.StringIO())
    monkeypatch.setattr(screen, "isatty", lambda: terminal)
    status, out, _ = ask("d\x1b.csv", *SMALL)
    assert status == 0
    assert "reading" not in out
    shown = r"reading d\x1b.csv, time left unknown" + "\x1b[K"
    assert (shown in screen.getvalue()) is told
    assert not told or screen.getvalue().partition(shown)[2].startswith("\r\x1b[K")  # wiped, once it is read


def test_where_nobody_is_asked_the_score_decides(ask, tmp_path):
    """Two attributes are needed together, so that all there is to prefer to the score is a smaller size."""
    rng = np.random.default_rng(0)
    lines = [",".join(map(str, row)) + f",{int(row[0] * row[1] > 0)}\n" for row in rng.normal(size=(80, 4)).round(3)]
    (tmp_path / "t.csv").write_text("a,b,c,d,y\n" + "".join(lines))
    common = ("t.csv", "--target", "y", "--model", "knn:3", "--folds", 5, "--n-jobs", 1)
    status, out, _ = ask(*common, "--questions", 0, "--journal", "none")
    assert status == 0
    measured = [fact for fact in read("none").facts if isinstance(fact, Evaluated)]
    best = min(measured, key=lambda fact: (-fact.criteria[0], fact.criteria[1], fact.subset))
    assert f"recommended: {', '.join(read('none').header.attributes.subset(best.subset))}" in out
    assert "this is a guess" not in out
    assert main(["verify", "none"]) == 0
    assert main(["why", "none"]) == 0
    status, out, _ = ask(*common, "--journal", "left", answers="done\ndone\n")
    assert status == 0
    assert "you preferred none to another, so this is a guess; by score alone it would be" in out


def test_a_session_takes_a_spreadsheet_its_costs_its_drops_and_writes_a_small_one(ask, tmp_path):
    (tmp_path / "t.csv").write_text(SPREADSHEET, encoding="utf-8")
    (tmp_path / "c.csv").write_text("größe;1,5\npreis;2\n", encoding="utf-8")
    options = ("--target", "klasse", *SMALL[2:], "--cost", "c.csv", "--drop", "ort", "--keep", "größe", "-o", "s.csv")
    status, out, _ = ask("t.csv", *options)
    assert status == 0
    assert "60 rows, 2 attributes;" in out
    assert read("j").header.settings["about"]["oracle"]["costs"] == {"größe": 1.5, "preis": 2.0, "ort": 0.0}
    small = (tmp_path / "s.csv").read_text(encoding="utf-8").splitlines()
    assert small[0] in ("größe,klasse", "größe,preis,klasse")
    assert small[2].startswith("1.1,")
    assert main(["resume", "j", "--budget", "+1"]) == 0


def test_a_file_that_is_not_utf_8_says_how_to_save_it(ask, tmp_path):
    (tmp_path / "t.csv").write_text(SPREADSHEET, encoding="latin-1")
    status, out, err = ask("t.csv", "--target", "klasse")
    assert (status, out) == (2, "")
    assert err == "elicit: t.csv: is not text in UTF-8; save it as CSV in UTF-8\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--assume", "linaer"), "linear"),
        (("--criteria", "stabilty"), "did you mean 'stability'"),
        (("--criteria", "cost"), "add --cost FILE"),
        (("--prior", "relieef"), "did you mean 'relief'"),
        (("--keep", '"a'), "correct the quotes"),
        (("--scoring", "accuraci"), "did you mean 'accuracy'"),
    ],
)
def test_what_no_data_could_make_right_is_refused_before_they_are_read(ask, tmp_path, monkeypatch, options, says):
    table(tmp_path / "t.csv")
    monkeypatch.setattr("elicit.commands.ask.load", lambda *_, **__: pytest.fail("the data were read"))
    status, _, err = ask("t.csv", *SMALL, *options)
    assert status == 2
    assert says in err


@pytest.mark.parametrize("tidy", [False, True])
def test_the_index_of_a_frame_is_no_attribute(ask, tmp_path, tidy):
    import pandas as pd

    frame = pd.DataFrame({"a": np.arange(60) % 7, "b": np.arange(60) ** 2 % 11, "y": np.arange(60) % 2})
    frame.sample(frac=1, random_state=0).to_csv(tmp_path / "t.csv")
    data = load(str(tmp_path / "t.csv"), "y", tidy=tidy)
    assert data.columns == ("a", "b")
    assert data.notes == ("'Unnamed: 0' is left out: it numbers the rows",)
    (tmp_path / "u.csv").write_text(",a,y\n0.5,1,2\n0.7,2,3\n")
    with pytest.raises(InputError, match="line 1: column 1 has no name; name every column"):
        load(str(tmp_path / "u.csv"), "y", tidy=tidy)
    (tmp_path / "v.csv").write_text("Unnamed: 0,a,y\n0.5,1,2\n0.7,2,3\n")
    assert load(str(tmp_path / "v.csv"), "y", tidy=tidy).columns == ("Unnamed: 0", "a"), "it numbers no rows"
    _, out, _ = ask("t.csv", *SMALL, "-o", "out.csv", answers="done\n")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] in ("a,y", "b,y", "a,b,y")
    snippet = out.partition("with pandas:")[2].partition("out.csv:")[0]
    exec("\n".join(line.strip() for line in snippet.splitlines()), names := {})
    assert set(names["X"].columns) <= {"a", "b"}


@pytest.mark.parametrize(("questions", "asked", "reads"), [("3", "at most 3 questions", True), ("0", "nothing", False)])
def test_who_is_asked_nothing_is_not_said_to_read_meanwhile(ask, tmp_path, questions, asked, reads):
    table(tmp_path / "t.csv", a=number, b=number)
    _, out, _ = ask("t.csv", *SMALL, "--questions", questions)
    told = " ".join(out.split())
    assert f"will be evaluated and {asked} asked: roughly" in told
    assert "roughly 0:00 of computing" not in told
    assert ("while you read" in out) == reads


def test_a_session_on_a_file_says_what_was_decided_and_estimates_before_any_work(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=lambda k, r: f"{k % 2 + 0.6 * r:.3f}", same=lambda *_: "1")
    status, out, _ = ask("t.csv", *SMALL, "-o", "small.csv", answers="a\n" * 5)
    assert status == 0, out
    lines = out.splitlines()
    assert lines[0] == "journal: j"
    assert f"60 rows, 3 attributes; the target holds classes; model {CLASSIFIER}, score: accuracy over 3 folds" in out
    assert "note: 'same' is left out: it is constant" in out
    assert out.index("roughly") < out.index("recommended")
    header = (tmp_path / "small.csv").read_text().splitlines()[0].split(",")
    assert header[-1] == "y"
    assert 1 <= len(header) - 1 <= 3
    assert len((tmp_path / "small.csv").read_text().splitlines()) == 61


def test_numbers_get_a_regression_and_every_option_reaches_the_run(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, who=lambda k, _: f"p{k % 6}", y=number)
    (tmp_path / "costs.csv").write_text("attribute,cost\na,1\nbc,2.5\nd,4\n")
    options = (
        "--criteria",
        "stability,neg_max_error",
        "--cost",
        "costs.csv",
        "--keep",
        "a",
        "--max-size",
        2,
        "--groups",
        "bc=b,c",
    )
    status, out, _ = ask(
        "t.csv", *SMALL, *options, "--group-col", "who", "--seed", 3, "--scoring", "r2", answers="a\n" * 9
    )
    assert status == 0
    assert f"model {REGRESSOR}, score: r2" in out
    record = read(tmp_path / "j")
    assert record.header.attributes.names == ("a", "bc", "d")
    assert [c.name for c in record.header.criteria] == ["score", "size", "cost", "neg_max_error", "stability"]
    assert record.header.seed == 3
    assert record.header.settings["family"] == {"keep": ["a"], "drop": [], "max_size": 2}
    measured = [fact for fact in record.facts if isinstance(fact, Evaluated)]
    assert measured
    assert all(fact.subset & 1 for fact in measured)
    assert main(["resume", "j", "--budget", "+1"]) == 0


def test_a_score_as_prior_is_told_and_is_in_force_when_the_session_goes_on(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, y=lambda k, _: k % 2)
    data = load(tmp_path / "t.csv", "y", tidy=True)
    joined = [[0], [1, 2], [3]]
    expected = score_named("relieff").power_index(data.X, data.y, joined, classes=True)
    assert len(set(expected)) == 3  # a tie would not show that the order is right
    status, out, _ = ask("t.csv", *SMALL, "--groups", "bc=b,c", "--prior", "relieff", answers="q\n")
    assert status == 0
    best = ", ".join(("a", "bc", "d")[i] for i in np.argsort(-expected))
    assert f"prior: by relieff most is expected of {best};" in out
    resumed = elicitation_of(read(tmp_path / "j"))
    assert resumed.prior == pytest.approx(expected)
    assert resumed.rows == 60


def test_a_prior_that_takes_no_gaps_names_one_that_does(ask, tmp_path):
    table(tmp_path / "t.csv", a=lambda k, r: "" if k == 7 else number(k, r), b=number)
    _, _, err = ask("t.csv", *SMALL, "--prior", "fisher")
    assert "--prior fisher takes no missing values, and column 'a' has some" in err
    assert "use relieff, or leave --prior out" in err
    assert ask("t.csv", *SMALL, "--prior", "relieff")[0] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "z"), "no column is called 'z'; the columns are"),
        ((), "--target"),
        (("--target", "y", "--model", "knm:3"), "did you mean 'knn'"),
        (("--target", "y", "--criteria", "spd"), "--criteria knows"),
        (("--target", "y", "--criteria", "recal"), "did you mean 'recall'"),
        (("--target", "y", "--criteria", "stabilty"), "did you mean 'stability'"),
        (("--target", "y", "--criteria", "cost"), "--cost FILE"),
        (("--target", "y", "--cost", "none.csv"), "none.csv: no such file; check the path"),
        (("--target", "y", "--cost", "a=3"), "a=3: no such file; write the costs in a file, one line for each"),
        (("--target", "y", "--cost", "a=3," * 80), "a=3,: no such file; write the costs in a file, one line for each"),
        (("--target", "y", "--cost", "twice.csv"), "twice.csv, line 2: 'a' has a cost already"),
        (("--target", "y", "--cost", "euro.csv"), "euro.csv, line 1: '1 EUR' is no number"),
        (("--target", "y", "--groups", "ab"), "--groups is such as"),
        (("--target", "y", "--groups", "g=a,a"), "the group 'g' names column 'a' twice; take it out once"),
        (("--target", "y", "--keep", "q"), "--keep: unknown attribute 'q'"),
        (("--target", "y", "--prior", "fischer"), "did you mean 'fisher'"),
        (("--target", "y", "--prior", "rrelieff"), "needs a target of numbers"),
        (("--target", "y", "--group-col", "y"), "rows belong together"),
        (("--target", "y", "--folds", "99"), "too few for 99 folds; ask for 30 or fewer (--folds 30"),
        (("--target", "y", "--budget", "0"), "--budget"),
        (("--target", "y", "--journal", ""), "journal '' cannot be opened"),
        (("--target", "y", "-o", "no/folder.csv"), "no/folder.csv: cannot be written"),
        (("--target", "y", "-o", "elicit-t.jsonl"), "elicit-t.jsonl: is read or kept by this command too"),
    ],
)
def test_bad_input_is_one_line_and_makes_no_journal(ask, tmp_path, options, words):
    table(tmp_path / "t.csv")
    (tmp_path / "twice.csv").write_text("a,1\na,100\nb,2\n")
    (tmp_path / "euro.csv").write_text("a,1 EUR\nb,2\n")
    status, out, err = ask("t.csv", *options)
    assert status == 2
    assert out == ""
    assert words in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.glob("*.jsonl"))


def test_a_place_that_takes_no_file_is_refused_before_anybody_is_asked(ask, tmp_path, monkeypatch):
    def closed(dir):
        raise PermissionError(13, f"{dir} is closed")

    table(tmp_path / "t.csv")
    (tmp_path / "there.csv").write_text("a,y\n")
    monkeypatch.setattr(complete.tempfile, "TemporaryFile", closed)
    for place in ("new.csv", "there.csv"):
        status, out, err = ask("t.csv", "--target", "y", "-o", place)
        told = f"elicit: {place}: cannot be written ({tmp_path} is closed); choose another place\n"
        assert (status, out, err) == (2, "", told)
    assert not list(tmp_path.glob("*.jsonl"))


def test_data_that_can_be_read_only_once_are_refused_before_anybody_is_asked(ask, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    status, out, err = ask("pipe", "--target", "y")
    assert (status, out) == (2, "")
    assert "pipe: is a pipe or a device, and a session reads its data again; save a file" in err
    with open(table(tmp_path / "t.csv"), encoding="utf-8") as file:
        status, out, err = ask(f"/dev/fd/{file.fileno()}", "--target", "y")
    assert (status, out) == (2, "")
    assert "is a pipe or a device" in err
    assert not list(tmp_path.glob("*.jsonl"))


def test_advice_is_for_what_can_be_done_here(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, who=lambda k, _: "" if k == 3 else str(k % 5))
    _, _, err = ask("t.csv", "--target", "y", "--group-col", "who")
    assert "line 5: 'who' is empty, expected a value; fill it, or remove the row" in err
    assert "--tidy" not in err
    table(tmp_path / "u.csv", a=number, b=lambda *_: "4", y=number)
    _, _, err = ask("u.csv", "--target", "y")
    assert "'a' is the only attribute" in err
    assert "; 'b' is left out: it is constant" in err


def test_a_file_that_moved_along_with_its_journal_is_found(ask, tmp_path, monkeypatch):
    table(tmp_path / "t.csv", a=number, b=number)
    assert ask("t.csv", *SMALL)[0] == 0
    (tmp_path / "away").mkdir()
    for name in ("t.csv", "j"):
        (tmp_path / name).rename(tmp_path / "away" / name)
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n" * 5))
    assert main(["resume", "away/j"]) == 0


def test_answers_that_a_linear_trade_off_cannot_give_are_told_at_the_end(ask):
    arguments = ("wine", "--budget", 25, "--assume", "linear")
    status, out, _ = ask(*arguments, "--journal", "j", answers="B\nB\nA\nB\nA\nA\nA\nA\n")
    assert status == 0
    assert read("j").header.settings["elicit"]["assume"] == "linear"
    history = elicitation_of(read("j")).history
    assert history.refuted
    assert not history.deduced
    told = " ".join(out.split())
    assert "no operator with a linear trade-off of the criteria would give all your answers" in told
    assert "assumed: you have a linear trade-off of the criteria" in told
    status, out, _ = ask(*arguments, "--journal", "k", answers="A\n")
    assert not elicitation_of(read("k")).history.refuted
    assert "no operator with" not in out


def test_who_resumes_with_a_row_more_is_told_which_file_has_changed(ask, tmp_path, capsys):
    table(tmp_path / "t.csv", a=number, b=number)
    assert ask("t.csv", *SMALL)[0] == 0
    kept = (tmp_path / "j").read_bytes()
    table(tmp_path / "t.csv", rows=61, a=number, b=number)
    assert main(["resume", "j", "--budget", "+1"]) == 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("elicit: journal 'j': t.csv is not what it was when the session began: ")
    assert (tmp_path / "j").read_bytes() == kept


def test_a_session_with_costs_goes_on_in_whichever_order_they_were_given(ask, tmp_path, capsys):
    table(tmp_path / "t.csv", zeta=number, alpha=number, mid=number)
    (tmp_path / "c.csv").write_text("attribute,cost\nzeta,1\nmid,2\nalpha,3\n")
    status, _, _ = ask("t.csv", *SMALL, "--cost", "c.csv")
    assert status == 0
    assert main(["resume", "j"]) == 0
    assert capsys.readouterr().err.count("elicit:") == 0


def test_costs_and_drops_may_name_what_says_nothing(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, const=lambda *_: "5")
    (tmp_path / "c.csv").write_text("a,1\nb,2\nconst,9\n")
    status, out, err = ask("t.csv", *SMALL, "--cost", "c.csv", "--drop", "const")
    assert (status, err.count("elicit:")) == (0, 0)
    assert "'const' is left out: it is constant" in out


def test_a_stray_cell_in_what_is_dropped_does_not_matter(ask, tmp_path, capsys):
    odd = {"bad": lambda k, r: "x\x1b" if k == 3 else f"{r:.3f}"}
    table(tmp_path / "t.csv", a=number, b=number, **odd)
    (tmp_path / "c.csv").write_text("a,1\nb,2\nbad,3\n")
    assert "line 5: column 'bad' holds numbers" in ask("t.csv", *SMALL)[2]
    status, out, err = ask("t.csv", *SMALL, "--drop", "bad", "--cost", "c.csv", "-o", "small.csv")
    assert (status, err.count("elicit:")) == (0, 0)
    assert "60 rows, 2 attributes;" in out
    assert r"note: 'bad' is left out: it is dropped, and holds 'x\x1b' in line 5" in out
    assert main(["resume", "j", "--budget", "+1"]) == 0
    assert capsys.readouterr().err.count("elicit:") == 0
    table(tmp_path / "t.csv", a=number, y=odd["bad"])
    assert "line 5: column 'y' holds numbers" in ask("t.csv", *SMALL[:-1], "k", "--drop", "y")[2]


def test_what_is_dropped_is_not_counted_warned_about_or_paid_for(ask, tmp_path, capsys):
    near = {"c": lambda k, _: f"{k * k % 7}", "d": lambda k, _: f"{3 * (k * k % 7) + 1}"}
    table(tmp_path / "t.csv", id=lambda k, _: str(k), site=lambda k, _: "nsw"[k % 3], a=number, b=number, **near)
    (tmp_path / "c.csv").write_text("a,1\nb,2\nc,3\n")
    options = (*SMALL, "--cost", "c.csv", "--drop", "id,d,site")
    status, out, err = ask("t.csv", *options)
    assert (status, err.count("elicit:")) == (0, 0)
    assert "60 rows, 3 attributes;" in out
    assert "warning" not in out
    assert main(["resume", "j", "--budget", "+1"]) == 0
    assert capsys.readouterr().err.count("elicit:") == 0
    _, out, _ = ask("t.csv", *SMALL[:-1], "k")
    assert "60 rows, 6 attributes;" in out
    assert "'id' looks like the number of a row" in out
    assert "'c' and 'd' are correlated" in out


@pytest.mark.parametrize(
    ("costs", "options", "words"),
    [
        ("a,1\nb,2\nnope,3\n", (), "c.csv, line 3: 'nope' is no attribute; correct the line"),
        ("aa;1,5\nbb;2,5\n", (), "c.csv, line 1: 'aa' is no attribute; correct the line; did you mean 'a'?"),
        ("a,1\n\nb 2\n", (), "c.csv, line 3: expected an attribute and its cost with ',' between, found 1 cell; "),
        (
            "sep=;\na;1\nb;2;3\n",
            (),
            "c.csv, line 3: expected an attribute and its cost with ';' between, found 3 cells",
        ),
        ("a,1\nb,1,5\n", (), "found 3 cells; correct it, or put what holds a separator in quotes"),
        ('a,1\nb,"1,500"\n', (), "c.csv, line 2: '1,500' may be 1.500 or 1500; write it without the comma"),
        ('a,1\nb,"1,5,0"\n', (), "c.csv, line 2: '1,5,0' is no number; correct the cost"),
        ("a,nan\nb,2\n", (), "c.csv, line 1: 'nan' is no number; correct the cost"),
        ("a,-inf\nb,2\n", (), "c.csv, line 1: '-inf' is no number; correct the cost"),
        ("a,\nb,2\n", (), "c.csv, line 1: '' is no number; correct the cost"),
        ("a,1\nb,1_0\n", (), "c.csv, line 2: '1_0' is no number; correct the cost"),
        ('"a\n",1\na,2\n', (), "c.csv, line 3: 'a' has a cost already; keep one of them"),
        ("a,1\n", (), "c.csv: no cost is given for 'b'; add a line"),
        ("attribute,cost\n", (), "c.csv: no cost is given for 'a' and 1 other attribute; add a line for each"),
        ("a,1\n", ("--drop", "b"), "'a' is the only attribute left, there is nothing to choose; drop fewer"),
        ("a,1\nb,2\n", ("--keep", "a,b", "--drop", "b"), "--keep and --drop both name 'b'"),
    ],
)
def test_costs_that_do_not_fit_are_named_by_file_and_line(ask, tmp_path, costs, options, words):
    table(tmp_path / "t.csv", a=number, b=number)
    (tmp_path / "c.csv").write_text(costs)
    status, out, err = ask("t.csv", *SMALL, "--cost", "c.csv", *options)
    assert (status, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--keep", "b"), "--keep: 'b' is a column of 'g', which is one attribute; name that"),
        (("--drop", "c"), "--drop: 'c' is a column of 'g', which is one attribute; name that"),
        (("--drop", "g,d"), "'a' is the only attribute left, there is nothing to choose; drop fewer"),
        (
            ("--keep", "a,g,d"),
            "{a, g, d} is the only subset that --keep leaves, there is nothing to choose; keep fewer",
        ),
        (
            ("--keep", "a", "--max-size", "1"),
            "only subset that --keep and --max-size leave, there is nothing to choose; keep fewer, or raise --max-size",
        ),
        (("--folds", 31), "30 rows cannot be split into 31 folds; ask for 30 or fewer; left out: 30 rows in which"),
    ],
)
def test_what_cannot_be_chosen_from_is_one_line(ask, tmp_path, options, words):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, y=lambda k, r: r if k % 2 else "")
    status, out, err = ask("t.csv", *SMALL, "--groups", "g=b,c", *options)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert words in err


def test_a_score_of_two_classes_that_was_given_more_names_one_for_all(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number, d=number, y=lambda k, _: "uvw"[k % 3])
    _, out, err = ask("t.csv", *SMALL, "--scoring", "roc_auc", "--folds", 3, answers="a\n")
    assert "take one of all classes, such as roc_auc_ovr" in " ".join(f"{out} {err}".split())


def test_who_gives_a_cost_to_a_column_of_a_group_is_told_which_attribute_has_one(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number, c=number)
    (tmp_path / "c.csv").write_text("a,1\nb,2\nc,3\n")
    _, _, err = ask("t.csv", *SMALL, "--cost", "c.csv", "--groups", "both=a,b")
    assert "c.csv, line 1: 'a' is a column of 'both', which is one attribute; give 'both' one cost for all" in err


@pytest.mark.parametrize("costs", ['a,"1,5"\nb,2\n', 'attribute, cost\na, "1,5"\nb, 2\n,\n', "sep=;\na;1,500\nb;2\n"])
def test_a_cost_may_have_a_decimal_comma_where_it_can_mean_nothing_else(ask, tmp_path, costs):
    table(tmp_path / "t.csv", a=number, b=number)
    (tmp_path / "c.csv").write_text(costs)
    assert ask("t.csv", *SMALL, "--cost", "c.csv")[0] == 0
    assert read("j").header.settings["about"]["oracle"]["costs"] == {"a": 1.5, "b": 2.0}


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be deleted")
@pytest.mark.parametrize("word", ["a", "quit", "done"])
def test_a_session_whose_journal_was_deleted_says_so_and_promises_nothing(ask, tmp_path, monkeypatch, word):
    table(tmp_path / "t.csv", a=number, b=number, c=number)
    append = Journal.append

    def deleting(journal, fact, at=None, *, more=False):
        append(journal, fact, at, more=more)
        if isinstance(fact, Asked) and fact.compare is not None:
            (tmp_path / "j").unlink()

    monkeypatch.setattr(Journal, "append", deleting)
    status, out, err = ask("t.csv", "--target", "y", "--folds", 3, "--journal", "j", "--n-jobs", 1, answers=f"{word}\n")
    assert "everything is kept" not in out + err
    assert "deleted, moved or changed" in out + err
    assert status == (0 if word == "quit" else 2)


def test_answers_that_cannot_be_read_are_no_fault_of_the_output_and_nothing_is_lost(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, open(nowhere.fileno(), closefd=False) as behind_nohup:
        monkeypatch.setattr(sys, "stdin", behind_nohup)
        assert main(["ask", "wine", "--budget", "20", "--folds", "3", "--journal", "j"]) == 2
    told = "the answers cannot be read (Bad file descriptor); everything is kept, go on with: elicit resume j"
    assert capsys.readouterr().err == f"elicit: {told}\n"


@pytest.mark.parametrize("length", [9_999, 10_000, 10**6])
def test_answers_without_an_end_of_the_line_fill_no_memory(tmp_path, monkeypatch, capsys, length):
    class Endless(io.StringIO):
        def readline(self, size=-1):
            assert size > 0, "everything"
            return super().readline(size)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", Endless("x" * length))
    assert main(["ask", "wine", "--budget", "5", "--journal", "j", "--n-jobs", "1"]) == 2
    told = "a line of the answers has 10000 characters or more; put one word on each"
    assert (told in capsys.readouterr().err) == (length >= 10_000)
    assert read(tmp_path / "j").facts


def test_a_score_of_one_of_two_classes_says_how_to_name_it_where_texts_are_classes(ask, tmp_path):
    table(tmp_path / "t.csv", a=number, b=number)
    status, out, _ = ask("t.csv", *SMALL, "--scoring", "f1")
    assert status == 2
    assert "Nothing could be measured" in out
    assert "call it 1 and the other 0 in the data, or take a score of all classes, such as f1_macro" in " ".join(
        out.split()
    )
    status, out, _ = ask("t.csv", *SMALL[:-1], "k", "--scoring", "f1_macro", answers="a\n" * 5)
    assert status == 0
    assert "f1_macro" in out


def test_a_score_that_no_subset_has_ends_the_session_at_once_and_says_what_may_do(ask, tmp_path):
    table(tmp_path / "t.csv", **dict.fromkeys("abcdefgh", number))
    status, out, err = ask("t.csv", *SMALL, "--budget", 30, "--scoring", "f1")
    assert status == 2
    assert re.search(r"^elicit: no subset could be measured; all of the first 9, of size 1 to 8, failed alike", err)
    assert all(words in err for words in ("pos_label=1", "such as f1_macro", "go on with: elicit resume j"))
    assert "recommended" not in out
    record = read(tmp_path / "j")
    assert (len(record.facts), record.cached) == (1, {}), "whoever resumes could not try again"


def test_what_is_kept_and_was_left_out_is_told_with_its_reason(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b,same,y\n" + "".join(f"{k},{k % 5},7,{'ab'[k % 2]}\n" for k in range(20)))
    assert main(["ask", str(tmp_path / "t.csv"), "--target", "y", "--keep", "a,same"]) == 2
    assert capsys.readouterr().err == "elicit: --keep: 'same' is left out: it is constant\n"


@pytest.mark.parametrize("at_work", [True, False])
def test_a_session_whose_path_another_one_takes_in_that_moment_has_the_next_path(tmp_path, monkeypatch, at_work):
    monkeypatch.chdir(tmp_path)
    oracle, others = truth(4), []

    def start(path):
        if not others:
            others.append(begin(path, oracle))
            if not at_work:
                others[0].journal.close()
        return begin(path, oracle)

    with begun_at(None, "s", start) as session:
        assert session.journal.path == "s-2.jsonl"
    others[0].journal.close()


def test_a_session_that_cannot_be_kept_in_its_path_is_not_kept_in_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def start(path):
        raise InputError(f"{path}: cannot be opened")

    with pytest.raises(InputError, match="cannot be opened"):
        begun_at(None, "s", start)
