"""elicit score: scores side by side as text and as JSON; bad input is one line and exit status 2."""

import gzip
import json
import os
import pickle
import re
import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr
from sklearn.datasets import load_wine

from elicit.cli import main
from elicit.commands import score_tables
from elicit.commands.parsers import RELEVANCE_MODEL
from elicit.data import load, model_of
from elicit.errors import CellError
from elicit.scores import MEASURES, chi2, fisher, relieff, score_named
from elicit.scores.registry import Measure

X, y = load_wine(return_X_y=True)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to be in, with a file of two numbers, one text of three values, and a target of classes."""
    rng = np.random.default_rng(0)
    rows = [(rng.normal(), rng.normal(), "rgb"[rng.integers(3)]) for _ in range(90)]
    lines = [f"{a:.3f},{b:.3f},{c},{'yes' if (a > 0) != (c == 'g') else 'no'}" for a, b, c in rows]
    (tmp_path / "d.csv").write_text("\n".join(["size,noise,colour,bought", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys, *arguments):
    assert main(["score", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def written(tmp_path, *arguments):
    assert main(["score", *arguments, "--json", str(tmp_path / "out.json")]) == 0
    return json.loads((tmp_path / "out.json").read_text())


def test_every_score_is_listed_with_its_meaning(capsys):
    out = "\n".join(printed(capsys, "--list"))
    for measure in MEASURES:
        assert f"{measure.name}" in out
        assert measure.meaning in out
    assert "neighbours=10" in out


def test_the_best_mean_rank_stands_first_and_ranks_stand_beside_the_scores(capsys):
    out = printed(capsys, "wine", "--by", "fisher,relieff")
    assert out[0] == "wine: 178 rows, 13 attributes, a target of classes"
    assert out[1].split() == ["attribute", "fisher", "relieff", "mean", "rank"]
    assert out[2].split() == ["flavanoids", "2.673", "(1)", "0.1682", "(2)", "1.5"]
    means = [float(line.split()[-1]) for line in out[2:15]]
    assert means == sorted(means)


@pytest.mark.filterwarnings("always")
def test_what_a_library_warns_of_is_told_once_with_the_name_of_the_score(capsys, monkeypatch):
    def warned(self, *arguments, scores=Measure.scores, **options):
        for _ in range(3):
            warnings.warn("the solver did not converge", stacklevel=1)
        return scores(self, *arguments, **options)

    monkeypatch.setattr(Measure, "scores", warned)
    assert main(["score", "wine", "--by", "fisher,variance"]) == 0
    told = [line.split(": ")[-2:] for line in capsys.readouterr().err.splitlines() if "converge" in line]
    assert told == [[name, "the solver did not converge"] for name in ("fisher", "variance")]


def test_agreement_by_spearman_stands_above_the_diagonal_and_by_kendall_below(capsys):
    rows = [line.split() for line in printed(capsys, "wine", "--by", "fisher,variance")[-2:]]
    both = fisher(X, y), X.var(axis=0)
    assert rows == [
        ["fisher", f"{spearmanr(*both).statistic:.3f}"],
        ["variance", f"{kendalltau(*both).statistic:.3f}"],
    ]


def test_rankings_that_have_nothing_in_common_agree_to_0_without_a_sign(monkeypatch):
    monkeypatch.setattr(score_tables, "spearman", lambda _: np.array([[1, -1e-17], [-1e-17, 1]]))  # as sums are rounded
    values = {"f": np.array([3, 2, 1.0]), "chi2": np.array([0, 1.0, 0])}
    rows = score_tables._agreement([score_tables.Column(score_named(name), {}, v) for name, v in values.items()])
    assert [row.split() for row in rows] == [["f", "chi2"], ["f", "0.000"], ["chi2", "0.000"]]


def test_json_holds_the_scores_the_ranks_and_their_agreement(tmp_path):
    plain = written(tmp_path, "wine", "--by", "fisher,relieff", "--option", "relieff.neighbours=5")
    assert plain["scores"]["fisher"]["values"] == pytest.approx(fisher(X, y))
    assert plain["scores"]["relieff"]["values"] == pytest.approx(relieff(X, y, neighbours=5))
    assert plain["scores"]["relieff"]["options"] == {"neighbours": 5}
    assert plain["scores"]["fisher"]["ranks"][6] == 1
    both = fisher(X, y), relieff(X, y, neighbours=5)
    assert plain["agreement"]["spearman"][0][1] == pytest.approx(spearmanr(*both).statistic)
    assert plain["agreement"]["kendall"][1][0] == pytest.approx(kendalltau(*both).statistic)


def test_a_text_column_is_one_attribute_with_one_number(here):
    plain = written(here, "d.csv", "--target", "bought", "--by", "fisher,relieff,trees,coefficients")
    assert plain["attributes"] == ["size", "noise", "colour"]
    data = load("d.csv", "bought")
    apart = fisher(data.X, data.y)
    assert plain["scores"]["fisher"]["values"][2] == pytest.approx(apart[2:].max())
    assert all(len(score["values"]) == 3 for score in plain["scores"].values())
    assert np.argmin(plain["scores"]["relieff"]["values"]) == 1


def test_missing_values_are_kept_for_the_scores_that_take_them(here, capsys):
    text = (here / "d.csv").read_text().splitlines()
    text[3] = "," + text[3].partition(",")[2]
    (here / "gap.csv").write_text("\n".join(text) + "\n")
    out = printed(capsys, "gap.csv", "--target", "bought", "--tidy")
    assert out[1] == "note: 'size' has 1 missing value", "no model fills it"
    assert out[2] == (
        "note: correlation, fisher, mutual-information, trees are not shown: they take no missing values; "
        "fill these in the file for them"
    )
    assert out[3].split() == ["attribute", "relieff"]
    assert main(["score", "gap.csv", "--target", "bought", "--tidy", "--by", "fisher"]) == 2
    assert "takes no missing values, and column 'size' has some; fill them in the file, or use relieff" in (
        capsys.readouterr().err
    )
    assert main(["score", "gap.csv", "--target", "bought"]) == 2
    assert "gap.csv, line 4: 'size' is empty" in capsys.readouterr().err
    judged = written(
        here, "gap.csv", "--target", "bought", "--tidy", "--relevance", "--folds", "6", "--model", "tree:3"
    )
    assert judged["relevance"][0]["kind"] == "relevant"


def test_columns_may_be_named_as_one_attribute(here):
    plain = written(here, "d.csv", "--target", "bought", "--by", "relieff,fisher", "--groups", "both=size,noise")
    assert plain["attributes"] == ["both", "colour"]
    assert len(plain["scores"]["relieff"]["values"]) == 2


def test_a_column_of_a_group_may_hold_any_mark_within_quotes(here):
    (here / "e.csv").write_text((here / "d.csv").read_text().replace("size,noise", '"a;b,c",n=1'))
    plain = written(here, "e.csv", "--target", "bought", "--by", "fisher", "--groups", 'g="a;b,c",n=1;h=colour')
    assert plain["attributes"] == ["g", "h"]


def test_what_is_dropped_is_scored_as_if_it_were_not_there(here):
    whole = written(here, "d.csv", "--target", "bought", "--by", "correlation,trees", "--drop", "noise")
    lines = [line.split(",") for line in (here / "d.csv").read_text().splitlines()]
    (here / "e.csv").write_text("\n".join(",".join((cells[0], *cells[2:])) for cells in lines) + "\n")
    assert whole["scores"] == written(here, "e.csv", "--target", "bought", "--by", "correlation,trees")["scores"]


def test_a_column_that_no_score_could_read_may_be_dropped(here, capsys):
    text = (here / "d.csv").read_text().splitlines()
    (here / "d.csv").write_text("\n".join([f"{line},{'when' if k == 0 else ''}" for k, line in enumerate(text)]) + "\n")
    assert main(["score", "d.csv", "--target", "bought", "--by", "variance"]) == 2
    assert "when" in capsys.readouterr().err
    assert len(printed(capsys, "d.csv", "--target", "bought", "--by", "variance", "--drop", "when")) == 5


def test_what_is_shown_when_nothing_is_asked_for_serves_the_target(capsys):
    assert "rrelieff" in printed(capsys, "diabetes", "--option", "trees.trees=5")[1]
    assert "rrelieff" not in printed(capsys, "iris", "--option", "trees.trees=5")[1]


def test_a_number_that_json_cannot_hold_is_null_and_its_rank_tells(here):
    (here / "sure.csv").write_text("a,b,kind\n0,5,x\n0,6,x\n1,5,z\n1,6,z\n")
    plain = written(here, "sure.csv", "--target", "kind", "--by", "fisher,variance")
    assert plain["scores"]["fisher"] == {"values": [None, 0.0], "ranks": [1.0, 2.0], "options": {}}


def test_one_attribute_and_constant_scores_are_shown_without_agreement(here, capsys):
    (here / "one.csv").write_text("a,kind\n0,x\n1,x\n2,z\n4,z\n")
    assert len(printed(capsys, "one.csv", "--target", "kind", "--by", "fisher,variance")) == 3
    (here / "flat.csv").write_text("a,b,kind\n1,3,x\n1,3,x\n1,3,z\n1,3,z\n")
    assert printed(capsys, "flat.csv", "--target", "kind", "--by", "fisher,variance")[-1].split() == ["variance", "-"]
    assert (
        written(here, "flat.csv", "--target", "kind", "--by", "fisher,variance")["agreement"]["kendall"][0][1] is None
    )


def test_relevance_gives_each_attribute_a_verdict(here, capsys):
    plain = written(here, "d.csv", "--target", "bought", "--relevance", "--model", "tree:3", "--folds", "5")
    capsys.readouterr()
    kinds = {name: verdict["kind"] for name, verdict in zip(plain["attributes"], plain["relevance"], strict=True)}
    assert kinds == {"size": "relevant", "noise": "irrelevant", "colour": "relevant"}
    assert plain["relevance"][0]["among"] == ["noise", "colour"]
    assert plain["scores"] == {}
    out = printed(capsys, "d.csv", "--target", "bought", "--relevance", "--model", "tree:3", "--folds", "5")
    assert out[1].startswith("relevance to tree:3 at level 0.05, with ")
    assert re.fullmatch(r"size    relevant         gain \+0\.\d+ beside all others; p \S+ of this comparison", out[2])
    noise = plain["relevance"][1]
    assert noise["p_beside"] < noise["p"]
    beside = ", ".join(noise["among"]) or "none"
    told = f"gain {noise['gain']:+.4f} beside {beside}; p {noise['p']:.2g} over all comparisons"
    assert out[3] == f"noise   irrelevant       {told}"


def test_irrelevant_never_stands_without_saying_that_it_is_no_proof(here, capsys):  # noqa: ARG001  # a folder
    few = ["--target", "bought", "--relevance", "--folds", "2"]
    for drop, told in (("noise", 0), ("size,colour", 1)):
        out = printed(capsys, "d.csv", *few, "--drop", drop, "--folds", "10", "--model", "tree:3")
        assert sum(" irrelevant " in line for line in out) == told
        assert sum("no gain was shown, nor ruled out" in line for line in out) == told
    told = "irrelevant: no gain was shown, nor ruled out; "
    assert out[-1] == f"{told}more rows or folds may show one, or more subsets where not all were tried"
    assert printed(capsys, "d.csv", *few, "--subsets", "1")[-1].startswith(told)
    none = f"{told}with 4 folds none can be shown, for p is 0.0625 at least: give --folds 5 or more"
    model = ("--folds", "4", "--model", "tree:3")
    assert printed(capsys, "d.csv", *few, *model)[-1] == none
    assert none not in printed(capsys, "d.csv", *few, *model, "--level", "0.07", "--subsets", "1")


def test_the_model_of_relevance_is_named_also_where_it_is_the_default(here, capsys):  # noqa: ARG001  # a folder
    arguments = ["d.csv", "--target", "bought", "--relevance", "--folds", "3", "--level", "0.2"]
    out = printed(capsys, *arguments)
    assert out[1].startswith(f"relevance to {RELEVANCE_MODEL} at level 0.2, with ")
    assert out == printed(capsys, *arguments, "--model", RELEVANCE_MODEL)


@pytest.mark.parametrize("level", ["2.0", "1.0", "0.0", "-0.1", "nan"])
def test_a_level_that_is_none_is_told_before_anything_is_computed(capsys, level):
    assert main(["score", "wine", "--relevance", "--by", "fisher", f"--level={level}"]) == 2
    assert capsys.readouterr() == ("", f"elicit: level lies between 0 and 1, found {level}\n")


def test_a_score_that_nobody_asked_for_is_left_out_with_a_note_where_it_does_not_suit(here, capsys):
    (here / "two.csv").write_text("a,b,y\n1,2,p\n3,1,q\n")
    why = "mutual-information needs a class with two rows, every row has its own; add rows"
    plain = written(here, "two.csv", "--target", "y")
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == f"note: left out: {why}"
    assert out.splitlines()[2].split()[:3] == ["attribute", "correlation", "fisher"]
    assert err == ""
    assert list(plain["scores"]) == ["correlation", "fisher", "relieff", "trees"]
    assert main(["score", "two.csv", "--target", "y", "--by", "fisher,mutual-information"]) == 2
    assert capsys.readouterr().err == f"elicit: {why}\n"
    # an option of it asks for it too
    assert main(["score", "two.csv", "--target", "y", "--option", "relieff.neighbours=0"]) == 2
    out, err = capsys.readouterr()
    assert f"note: left out: {why}" in out
    assert re.fullmatch(r"elicit: relieff: neighbours must be a whole number.*\n", err)


def test_where_every_score_refuses_it_is_an_error(here, capsys):
    (here / "one.csv").write_text("a,b,y\n" + "".join(f"{k},{(k * 7) % 5},1\n" for k in range(9)))
    assert main(["score", "one.csv", "--target", "y", "--holds", "classes"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "every row of the target is 1" in err


def test_a_model_by_name_serves_permutation(tmp_path):
    plain = written(tmp_path, "iris", "--by", "permutation", "--model", "knn:3", "--option", "permutation.repeats=1")
    iris = load("iris")
    expected = score_named("permutation").scores(iris.X, iris.y, model=model_of("knn:3", True), repeats=1)
    assert plain["scores"]["permutation"]["values"] == pytest.approx(expected)


def test_control_characters_of_a_name_never_reach_the_terminal(here, capsys):
    (here / "evil.csv").write_text("a\x1b[2J,b,kind\n0,5,x\n0,6,x\n1,5,z\n1,7,z\n")
    assert "\x1b" not in "\n".join(printed(capsys, "evil.csv", "--target", "kind", "--by", "fisher,variance"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "say which data"),
        (["wine", "--by", "fischer"], "did you mean 'fisher'"),
        (["wine", "--by", "rrelieff"], "rrelieff needs a target of numbers, this one holds classes"),
        (["diabetes", "--by", "f,chi2"], "chi2 needs a target of classes, this one holds numbers"),
        (["wine", "--by", "fisher,fisher"], "names 'fisher' twice"),
        (["wine", "--by", ","], "names no score"),
        (["wine", "--by", "relief"], "relief compares two classes, the target has 3"),
        (["wine", "--by", "fisher", "--option", "relieff.neighbours=3"], "relieff is not among the scores"),
        (["wine", "--by", "relieff", "--option", "relieff.neighbours=0"], "relieff: neighbours must be a whole number"),
        (["wine", "--by", "relieff", "--option", "neighbours=3"], "--option is SCORE.NAME=VALUE"),
        (["wine", "--by", "relieff", "--option", "relieff.neighbors=3"], "did you mean 'neighbours'"),
        (["wine", "--by", "relieff", "--option", "relieff.neighbours=x"], "neighbours must be a whole number"),
        (["wine", "--by", "trees", "--option", "trees.seed=x"], "trees: seed must be a whole number"),
        (
            ["wine", "--by", "trees", "--option", "trees.seed=1", "--option", "trees.seed=2"],
            "seed of trees is given twice",
        ),
        (["wine", "--by", "johnson", "--model", "knn:3"], "--model is for --relevance and permutation"),
        (["wine", "--by", "fisher", "--level", "0.1"], "--level is for --relevance"),
        (["wine", "--folds", "3"], "--folds is for --relevance"),
        (["wine", "--relevance", "--model", "knm"], "unknown model 'knm'; did you mean 'knn'?"),
        (["d.csv", "--target", "bought", "--groups", "g=sise"], "did you mean 'size'"),
        (["d.csv"], "say which column is the target"),
        (["d.csv", "--target", "bought", "--drop", "size,nois"], "--drop: unknown attribute 'nois'"),
        (["d.csv", "--target", "bought", "--drop", "size,noise,colour"], "'bought' is not dropped; drop fewer"),
        (
            ["d.csv", "--target", "bought", "--tidy", "--drop", "size,noise,colour"],
            "--drop leaves no attribute; drop fewer",
        ),
        (["wine", "--by", "fisher", "--json", "no/such/place.json"], "cannot be written"),
    ],
)
def test_bad_input_is_one_line(here, capsys, arguments, says):  # noqa: ARG001  # here: a folder to be in
    assert main(["score", *arguments]) == 2
    complaints = [line for line in capsys.readouterr().err.splitlines() if line.startswith("elicit: ")]
    assert len(complaints) == 1
    assert says in complaints[0]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--by", "fischer"), "did you mean 'fisher'"),
        (("--by", "fisher,fisher"), "names 'fisher' twice"),
        (("--by", ","), "names no score"),
        (("--option", "neighbours=3"), "--option is SCORE.NAME=VALUE"),
        (("--option", "relieff.neighbors=3"), "did you mean 'neighbours'"),
        (("--option", "trees.seed=1", "--option", "trees.seed=2"), "seed of trees is given twice"),
        (("--by", "fisher", "--option", "trees.seed=1"), "trees is not among the scores; add it to --by"),
    ],
)
def test_what_no_data_could_make_right_is_refused_before_they_are_read(capsys, monkeypatch, options, says):
    monkeypatch.setattr("elicit.commands.score.chosen_data", lambda *_, **__: pytest.fail("the data were read"))
    assert main(["score", "wine", *options]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("score", "wine", "--groups", "ash"), "--groups is such as"),
        (("table", "wine", "-o", "t.csv", "--groups", "ash"), "--groups is such as"),
        (("table", "wine", "-o", "t.csv", "--scoring", "accuraci"), "did you mean 'accuracy'"),
    ],
)
def test_groups_and_scorers_that_are_none_are_refused_before_the_data_are_read(capsys, monkeypatch, command, says):
    monkeypatch.setattr("elicit.commands.chosen_data.load", lambda *_, **__: pytest.fail("the data were read"))
    assert main(list(command)) == 2
    assert says in capsys.readouterr().err


def test_a_mistyped_option_is_told_before_anything_is_computed(capsys):
    assert main(["score", "wine", "--by", "fisher,relieff", "--option", "relieff.neighbors=3"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("elicit: the score 'relieff' has no option 'neighbors'; did you mean 'neighbours'?")


@pytest.mark.parametrize(
    ("option", "says"),
    [
        (["--model", "knm"], "unknown model 'knm'; did you mean 'knn'?"),
        (["--model", "ridge"], "predicts numbers, but the target holds classes"),
        (["--folds", "1000"], "too few for 1000 folds"),
        (["--subsets", "100001"], "subsets must be a whole number"),
    ],
)
def test_what_relevance_cannot_go_by_is_told_before_anything_is_computed(capsys, option, says):
    assert main(["score", "wine", "--by", "fisher", "--relevance", *option]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


def test_a_score_that_these_data_do_not_allow_takes_no_other_with_it(here, capsys):
    arguments = ["d.csv", "--target", "bought", "--by", "fisher,johnson-shapley", "--json", str(here / "out.json")]
    assert main(["score", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out.splitlines()[1].split() == ["attribute", "fisher"]
    assert "elicit: johnson-shapley: the 5 columns of X hold fewer independent directions" in said.err
    assert list(json.loads((here / "out.json").read_text())["scores"]) == ["fisher"]
    options = ["--option", "relieff.neighbours=0"]
    assert main(["score", "d.csv", "--target", "bought", "--by", "relieff,fisher,johnson-shapley", *options]) == 2
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("elicit: ")]
    assert [line.split(":")[1].strip() for line in told] == ["relieff", "johnson-shapley"]


def test_inputs_that_are_not_independent_are_called_by_their_names(here, capsys):
    a, c = np.random.default_rng(0).normal(size=(2, 200))
    table = np.column_stack([np.ones(200), c, a, a**2, a + a**2 + c])
    np.savetxt(here / "bent.csv", table, delimiter=",", header="one,c,a,bent,y", comments="")
    assert main(["score", "bent.csv", "--target", "y", "--by", "johnson-shapley"]) == 0
    assert (
        "the parts of a and bent that no other shares are uncorrelated but not independent" in capsys.readouterr().err
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")
def test_a_complaint_that_several_scores_have_is_made_once(here, capsys):
    (here / "one.csv").write_text("a,b,y\n" + "".join(f"{k},{(k * 7) % 5},1\n" for k in range(9)))
    assert main(["score", "one.csv", "--target", "y", "--holds", "classes", "--by", "fisher,relieff,chi2"]) == 2
    says = "classes are compared by fisher, relieff, chi2, but every row of the target is 1; add others"
    assert capsys.readouterr().err.splitlines() == [f"elicit: {says}"]
    (here / "same.csv").write_text("a,b,y\n" + "".join(f"{k},{(k * 7) % 5},1.5\n" for k in range(9)))
    assert main(["score", "same.csv", "--target", "y", "--holds", "numbers", "--by", "f,correlation"]) == 2
    says = "f, correlation: every row of the target is 1.5, so nothing explains it; give one that varies"
    assert capsys.readouterr().err.splitlines() == [f"elicit: {says}"]


def test_a_number_at_fault_is_told_with_its_column(here, capsys):  # noqa: ARG001  # here: a folder to be in
    assert main(["score", "d.csv", "--target", "bought", "--by", "chi2"]) == 2
    told = capsys.readouterr().err
    assert re.search(r"^elicit: chi2 needs counts, but X is -\S+ in the column '(size|noise)'; shift the column", told)
    with pytest.raises(CellError, match=r"but X is -1 in row 1, column 0; shift") as caught:
        chi2(np.array([[1.0], [-1.0]]), [0, 1])
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again.called("a\x1b")) == str(caught.value).replace("row 1, column 0", r"the column 'a\x1b'")


@pytest.mark.parametrize("zipped", [False, True])
def test_data_may_come_through_a_pipe(here, capsys, zipped):
    plain = (here / "d.csv").read_bytes()
    os.mkfifo(here / "pipe")
    writer = threading.Thread(target=lambda: (here / "pipe").write_bytes(gzip.compress(plain) if zipped else plain))
    writer.start()
    from_pipe = printed(capsys, "pipe", "--target", "bought", "--by", "fisher")
    writer.join()
    assert from_pipe[1:] == printed(capsys, "d.csv", "--target", "bought", "--by", "fisher")[1:]


def test_one_attribute_is_beside_no_other(here, capsys):
    lines = (here / "d.csv").read_text().splitlines()
    (here / "one.csv").write_text("\n".join(f"{row[0]},{row[3]}" for row in (line.split(",") for line in lines)) + "\n")
    out = printed(capsys, "one.csv", "--target", "bought", "--relevance", "--folds", "3")
    assert "beside none; p " in out[2]


def test_a_text_among_numbers_is_named_and_columns_of_many_texts_are_told(here, capsys):
    rows = [(k % 4, f"{k}.5%", "x" if k % 4 == 3 else k % 4, k % 2) for k in range(40)]
    (here / "t.csv").write_text("\n".join(["a,share,b,y", *(",".join(map(str, row)) for row in rows)]))
    out = printed(capsys, "t.csv", "--target", "y", "--by", "correlation")
    assert out[1:3] == [
        "note: 'share' is taken as 40 categories: it holds numbers with signs or blanks, as in '0.5%'; "
        "write the numbers alone",
        "note: 'b' is taken as 4 categories: 'x' is no number",
    ]
    (here / "t.csv").write_text("\n".join(["a,y", *(f"{k if k != 7 else 'x'},{k % 2}" for k in range(40))]))
    assert main(["score", "t.csv", "--target", "y", "--by", "correlation"]) == 2
    assert "t.csv, line 9: column 'a' holds numbers, but here 'x'; correct it, or remove the row" in (
        capsys.readouterr().err
    )


def test_an_interrupt_shows_the_scores_that_are_computed(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    slow = SimpleNamespace(name="slow", told=lambda _: {}, scores=interrupted)
    for first, shown in (([score_named("fisher")], True), ([], False)):
        monkeypatch.setattr("elicit.commands.score.measures_of", lambda *_, known=first: [*known, slow])
        assert main(["score", "iris"]) == 130
        out, err = capsys.readouterr()
        assert ("petal width (cm)" in out) is shown
        assert err.endswith("elicit: interrupted\n")


def test_scores_end_below_each_other_whatever_their_ranks(capsys):
    assert main(["score", "wine", "--by", "fisher,variance"]) == 0
    rows = capsys.readouterr().out.splitlines()[2:15]
    assert len({re.search(r"\d +\(", row).start() for row in rows}) == 1
    assert len({row.rindex(".") for row in rows}) == 1, "so do the points of mean ranks"


def test_large_scores_are_told_in_whole_numbers(capsys):
    assert main(["score", "wine", "--by", "variance"]) == 0
    assert re.search(r"^proline  +98610  \(1\)$", capsys.readouterr().out, re.MULTILINE)
