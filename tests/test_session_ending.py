"""The end of a session: every number is what it says it is, checked against scikit-learn alone."""

import dataclasses
import gzip
import io
import re
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import journals
import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elicit.alongside.display import Meter, failure_lines
from elicit.alongside.fresh import FIRST_SEED, ROUNDS
from elicit.alongside.insight import Insight
from elicit.alongside.progress import progress_of, regret_of
from elicit.asks import Compare, Done, Evaluate, Failure, Reconcile, Settlement
from elicit.cli import main
from elicit.commands.defaults import SETTINGS
from elicit.commands.ending import _how_to_go_on
from elicit.commands.ending_bounds import (
    Bounds,
    _bound_in_words,
    _bounds,
    _strongest_rival,
    _unmeasured_in_words,
    proven_bounds,
)
from elicit.commands.ending_reasons import _preferred_to, _reversed_in_words, reasons, what_answers_did
from elicit.commands.ending_words import in_short
from elicit.commands.resume import session_section
from elicit.data import load
from elicit.decide.beliefs import Beliefs
from elicit.decide.elicitation import Elicitation
from elicit.decide.settings import Settings
from elicit.drive import drive
from elicit.events import Answer, Asked, Evaluated, Preferred, Retracted
from elicit.journal import read
from elicit.knowledge.history import History
from elicit.operators import ScriptedOperator, SimulatedOperator
from elicit.operators.desk import RunStatus
from elicit.oracles import CallableOracle, WrapperOracle
from elicit.printable import bounded, rounded
from elicit.proof import why_words
from elicit.proof.strained import strained_in
from elicit.proof.why import Otherwise, Why, otherwise
from elicit.sessions import begin, elicitation_of, resume
from elicit.sources.oracle import oracle_from
from elicit.sources.snippet import snippet
from elicit.subsets import Attributes

# whoever always says "a" fails a check, so there is none
PLAYED = ("--model", "knn:3", "--folds", "3", "--budget", "40", "--questions", "5", "--check-every", "0")


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A session to its end, in which subsets were passed over: where, and what it said."""
    folder = tmp_path_factory.mktemp("ended")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("elicit.decide.descent.UNASKED_DOWN", 0)
        patch.setattr("elicit.decide.descent.AGREEMENT_DOWN", 1.0)  # a run of which more can be told
        patch.setattr(sys, "stdin", io.StringIO("a\n" * 40))
        out = io.StringIO()
        patch.setattr(sys, "stdout", out)
        assert main(["ask", "wine", *PLAYED, "--journal", "j"]) == 0
    return folder, out.getvalue()


def scores(columns, seed):
    """Three shuffled folds by scikit-learn itself."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    return cross_val_score(model, X[columns], y, cv=StratifiedKFold(3, shuffle=True, random_state=seed))


def test_the_score_the_baseline_and_the_fresh_scores_are_those_of_scikit_learn(ended):
    _, told = ended
    chosen = re.search(r"recommended: (.*?)\n\n", told, re.DOTALL)[1].replace("\n", " ").split(", ")
    chosen = [name.strip() for name in chosen]
    everything = list(load_wine(as_frame=True).data.columns)
    row = re.search(r"score \(on the folds that chose it\) +(\S+) ± \S+ +(\S+) ±", told)
    fresh = re.search(rf"score on {ROUNDS} fresh shuffles into folds +(\S+) ± \S+ +(\S+) ±", told)
    for k, columns in enumerate((chosen, everything), start=1):
        assert float(row[k]) == pytest.approx(scores(columns, 0).mean(), abs=1e-5)
        anew = np.mean([scores(columns, seed).mean() for seed in range(FIRST_SEED, FIRST_SEED + ROUNDS)])
        assert float(fresh[k]) == pytest.approx(anew, abs=1e-5)
    assert re.search(rf"size +{len(chosen)} +13", told)


def test_it_is_said_what_each_answer_did(ended):
    """Told or not told: the same as turning the answer round in the facts and looking again."""
    folder, told = ended
    record = read(folder / "j")
    elicitation = elicitation_of(record)
    part = re.sub(r"\s+", " ", told.partition("what your answers did:")[2])
    unmoved = re.search(r"changed the result: ([\d, ]*\d)", part)
    kept = set() if unmoved is None else {int(k) for k in unmoved[1].split(",")}
    answers = [fact for fact in record.facts if isinstance(fact, Preferred)]
    assert answers
    for question, answer in enumerate(answers, start=1):
        assert answer.answer in (Answer.FIRST, Answer.SECOND)
        same = elicitation.beliefs.with_answer(answer.reversed[0]).incumbent == elicitation.incumbent
        assert (question in kept) == same
        assert (question in told_of(part, "the other way round:")) != same


def told_of(said, how):
    """The questions of which an ending says what they would have led to, answered in this way."""
    found = re.findall(rf"questions? ([\d, ]*\d) {re.escape(how)}", said)
    return [int(k) for numbers in found for k in numbers.split(",")]


def test_turning_an_answer_round_turns_its_statement_and_no_other(ended):
    elicitation = elicitation_of(read(ended[0] / "j"))
    first = next(iter(elicitation.history.answers.values()))
    before = History(elicitation.history.attributes, facts=elicitation.history.facts).stated
    after = elicitation.beliefs.with_answer(first.reversed[0]).history.stated
    for old, new in zip(before, after, strict=True):
        if old.request == first.request:
            assert (old.better, old.worse) == (new.worse, new.better)
        else:
            assert old == new


def test_looking_something_up_leaves_the_run_as_it_is(ended):
    elicitation = elicitation_of(read(ended[0] / "j"))
    insight = Insight(elicitation)
    facts, recommended = elicitation.facts, elicitation.incumbent
    lines = insight.best()
    assert lines[0].startswith("Best so far: ")
    assert lines[-1].endswith(
        ". Better and rejected: by every utility that fits what was measured and answered almost as simply as the "
        "simplest does (parsimonious set, tau = 0.1, C = 10)."
    )
    for given in insight.answers():
        assert insight.number(given.request) == given.number
        assert insight.without(given.request)[0].startswith("Without it: ")
    assert elicitation.facts == facts
    assert elicitation.incumbent == recommended
    assert insight.status().evaluated == 40


@pytest.mark.parametrize(
    ("name", "guess"),
    [("d.csv", None), ("d.csv.gz", "gzip"), ("D.CSV.GZ", "gzip"), ("d.csv.zip", "zip"), ("d.tar.gz", "tar")],
)
@pytest.mark.parametrize("packing", ["gzip", None])
def test_pandas_reads_a_zipped_file_and_one_that_is_not_whatever_their_names(tmp_path, name, guess, packing):
    text = b"a,b,y\n" + b"1,2,0\n2,1,1\n" * 5
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if packing else text)
    section = {"kind": "wrapper", "data": str(path), "target": "y", "model": "knn:1"}
    code, names = "\n".join(snippet(section, ("a",))), {}
    exec(code, names)
    assert names["X"].columns.tolist() == ["a"]
    assert (f"compression={packing!r}" in code) == (packing != guess)


def test_the_journal_is_enough_for_the_snippet(ended):
    path = str(ended[0] / "j")
    code = snippet(session_section(read(path), path), ("alcohol", "hue"))
    names, imports = {}, [line for line in code if "import " in line]
    assert code[: len(imports) + 1] == [*imports, ""], "as one writes it"
    exec("\n".join(code), names)
    assert list(names["X"].columns) == ["alcohol", "hue"]
    assert names["model"].score(names["X"], names["y"]) > 0.7


@pytest.mark.parametrize("model", ["tree:3", "forest:5"])
def test_the_snippet_is_the_model_that_was_measured(tmp_path, model):
    with_a_leak(tmp_path)
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": model, "tidy": True}
    names = {}
    exec("\n".join(snippet(section, ("a", "b"))), names)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    by_hand = cross_val_score(names["model"], names["X"], names["y"], cv=folds)
    measured = oracle_from(section, Path())(Evaluate(0, 0b11))
    assert measured.folds[0] == tuple(by_hand)


def test_the_snippet_names_many_columns_on_lines_that_fit_a_screen(tmp_path):
    columns = [f"it's {'long ' * (k % 5)}[{k}]" for k in range(60)]
    rows = "".join(",".join(str((k * j) % 7) for j in range(60)) + f",{k % 2}\n" for k in range(12))
    (tmp_path / "t.csv").write_text(",".join([*columns, "y"]) + "\n" + rows)
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    for chosen in (columns[:2], columns[1:]):
        code, names = snippet(section, chosen), {}
        assert code[0] == "import pandas as pd"
        assert "dropna" not in "".join(code), "every row has a target"
        assert not any("import " in line for line in code[code.index("") :])
        exec("\n".join(code), names)
        assert list(names["X"].columns) == chosen
        assert max(len(line) for line in code if str(tmp_path) not in line) < 90


def test_the_snippet_reads_a_file_whose_names_stand_between_spaces(tmp_path):
    lines = "".join(f"{k % 7}, {k * k % 5}, {'odd' if k % 2 else 'even'}\n" for k in range(20))
    (tmp_path / "t.csv").write_text(' a , "b,c" , y \n' + lines)
    names = {}
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    exec("\n".join(snippet(section, ("a", "b,c"))), names)
    assert list(names["X"].columns) == ["a", "b,c"]
    assert set(names["model"].predict(names["X"])) <= {"odd", "even"}


def test_the_snippet_reads_what_is_missing_as_the_session_did(tmp_path):
    rows = [(k % 7, "?" if k == 3 else k * k % 5, "none" if k % 6 == 1 else "nsw"[k % 3], k % 2) for k in range(24)]
    rows[5] = (*rows[5][:3], "?")
    (tmp_path / "t.csv").write_text("a,b,c,y\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    names = {}
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    exec("\n".join(snippet(section, ("a", "b", "c"))), names)
    data = load(section["data"], "y", tidy=True)
    assert sorted(names["X"].columns) == sorted(column.replace("=", "_") for column in data.columns)
    order = [column.replace("=", "_") for column in data.columns]
    np.testing.assert_array_equal(names["X"][order].to_numpy(float), data.X)
    np.testing.assert_array_equal(names["y"].to_numpy(float), data.y)


@pytest.mark.parametrize("gap", ["NA  ", " ? ", "#N/A", "<NA>", "-nan", "1.#IND"])
def test_the_snippet_reads_cells_between_blanks_as_the_session_did(tmp_path, gap):
    rows = [
        (f"{k % 7}.5 ", gap if k == 3 else f'"\u00a0{"nsw"[k % 3]}"', ("yes  ", "yes", "no")[k % 3]) for k in range(24)
    ]
    (tmp_path / "t.csv").write_text("a, b,y\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    names = {}
    exec("\n".join(snippet(section, ("a", "b"))), names)
    data = load(section["data"], "y", tidy=True)
    assert data.groups == {"b": ("b=(missing)", "b=n", "b=s", "b=w")}
    np.testing.assert_array_equal(names["X"][[column.replace("=", "_") for column in data.columns]], data.X)
    assert names["y"].tolist() == data.y.tolist()


@pytest.mark.parametrize("classes", [("True", "False"), ("0.5", "1.5")])
def test_the_snippet_fits_to_classes_that_pandas_does_not_take_for_texts(tmp_path, classes):
    cells = [*(f"{k % 7},{classes[k % 2]}" for k in range(24)), "3,"]
    (tmp_path / "t.csv").write_text("\n".join(["a,y", *cells]) + "\n")
    names = {}
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    exec("\n".join(snippet({**section, "holds": "classes"}, ("a",))), names)
    assert set(names["model"].classes_) == set(classes)


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize(
    ("smokes", "classes"),
    [
        (("True", "TRUE", "False", "false"), ("TRUE", "True", "false")),
        (("TRUE", "True", ""), ("TRUE", "FALSE", "")),
        (("True", "False", ""), ("true", "TRUE")),
        (("u", "True"), ("True", "False")),
    ],
)
def test_the_snippet_tells_the_spellings_of_true_and_false_apart_as_the_session_did(tmp_path, smokes, classes, space):
    cells = [f"{k % 7},{smokes[k % len(smokes)]},{classes[k * k % 11 % len(classes)]}" for k in range(60)]
    (tmp_path / "t.csv").write_text("\n".join([f"a,smoker{space},y{space}", *cells]) + "\n")
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    code, names = "\n".join(snippet(section, ("a", "smoker"))), {}
    exec(code, names)
    assert ("dtype={" in code) == (smokes[0] != "u"), "texts, or Booleans as pandas writes them, need none"
    data = load(section["data"], "y", tidy=True)
    assert names["y"].tolist() == data.y.tolist()
    assert names["model"].classes_.tolist() == sorted(set(classes) - {""})
    order = [column.replace("=", "_") for column in data.columns]
    np.testing.assert_array_equal(names["X"][order].to_numpy(float), data.X)


@pytest.mark.parametrize("point", [",", "."])
def test_the_snippet_reads_the_marks_of_a_spreadsheet_as_the_session_did(tmp_path, point):
    rows = [(f"{k},{k % 9}", f"{k % 7}{point}5", "?" if k == 3 else "nsw"[k % 3], f"{k * k % 5},25") for k in range(40)]
    (tmp_path / "t.csv").write_text(
        ("sep=;\n" if point == "," else "") + "a; b;c;y\n" + "".join(";".join(row) + "\n" for row in rows)
    )
    section = {"kind": "wrapper", "data": str(tmp_path / "t.csv"), "target": "y", "model": "knn:3", "tidy": True}
    code, names = "\n".join(snippet(section, ("a", "b", "c"))), {}
    assert "sep=';'" in code
    assert ("decimal=','" in code) == (point == ",")
    exec(code, names)
    data = load(section["data"], "y", tidy=True)
    order = [column.replace("=", "_") for column in data.columns]
    np.testing.assert_array_equal(names["X"][order].to_numpy(float), data.X)
    np.testing.assert_array_equal(names["y"].to_numpy(float), data.y)


def end_of(monkeypatch, capsys, folder, *options):
    """What a session on iris said at its end."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n" * 40))
    status = main(["ask", "iris", "--model", "knn:3", "--folds", "3", "--journal", "j", *options])
    told = capsys.readouterr().out
    assert status == (2 if "Nothing could be measured" in told else 0)
    return told


def test_a_set_in_which_nothing_can_be_rejected_is_told(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(SETTINGS, "parsimony", 500.0)
    assert "no subset can be rejected: setting every" in end_of(monkeypatch, capsys, tmp_path, "--budget", "8")


def test_nobody_is_sent_on_when_every_subset_was_evaluated(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(SETTINGS, "stop", ())
    told = end_of(monkeypatch, capsys, tmp_path, "--budget", "15")
    assert "no subset can be rejected" not in told
    assert "elicit resume" not in told
    assert "of the other 0 subsets" not in told
    assert "elicit report j -o report.html" in told


def test_who_could_measure_nothing_is_told_what_to_change(monkeypatch, capsys, tmp_path):
    told = end_of(monkeypatch, capsys, tmp_path, "--budget", "3", "--model", "knn:1000")
    assert "Nothing could be measured" in told
    assert "another model or score may do: --model, --scoring name them" in told
    assert "elicit resume" not in told


def told_by(folder, *options, answers=""):
    """What a small session says from the beginning to the end."""
    common = ("--model", "knn:3", "--folds", "3", "--n-jobs", "1", "--journal", "j")
    return told_in(folder, ["ask", *common, *map(str, options)], answers)


def told_in(folder, arguments, answers=""):
    """What a command says on its standard output in a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.StringIO(answers))
        out = io.StringIO()
        patch.setattr(sys, "stdout", out)
        status = main(arguments)
    ends = {"Nothing could be measured": 2, "a claim that the journal holds is false": 1}
    assert status == next((told for words, told in ends.items() if words in out.getvalue()), 0)
    return out.getvalue()


def test_done_ends_a_session_with_a_result_and_quit_says_what_was_not_written(tmp_path):
    told = told_by(tmp_path, "wine", "--budget", 30, "-o", "small.csv", answers="a\nquit\n")
    assert "you left; everything is kept, go on with: elicit resume j\n" in told
    assert told.endswith("small.csv was not written, for the session has not ended; resume it with -o, too\n")
    assert not (tmp_path / "small.csv").exists()
    (tmp_path / "j").unlink()
    told = told_by(tmp_path, "wine", "--budget", 30, "-o", "small.csv", answers="a\ndone\n")
    for words in ("recommended: ", "fresh shuffles", "ended by wish: ", "elicit resume j\n", "with pandas:"):
        assert words in told
    assert "--budget" not in told
    assert (tmp_path / "small.csv").exists()


def test_the_data_of_a_session_that_was_ended_are_written_without_opening_it_again(tmp_path, capsys, monkeypatch):
    told_by(tmp_path, "wine", "--budget", 30, answers="a\ndone\n")
    before = (tmp_path / "j").read_bytes()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["resume", "j", "-o", "small.csv"]) == 0
    assert "small.csv: 178 rows, " in capsys.readouterr().out
    assert (tmp_path / "j").read_bytes() == before
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["resume", "j"]) == 0
    assert "the session had been ended; it is open again" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("budget", "ended", "told"),
    [
        (9, "budget", ["go on, with more evaluations:  elicit resume j --budget +50"]),
        (
            8,
            "wish",
            [
                "go on after all:               elicit resume j",
                "go on, with more evaluations:  elicit resume j --budget +50",
            ],
        ),
        (15, "wish", ["go on after all:               elicit resume j"]),
        (15, "exhausted", []),
    ],
)
def test_how_to_go_on_is_told_where_there_is_something_to_go_on_with(budget, ended, told):
    """A wish may leave questions open; who has spent the budget may give more, unless all is measured."""
    oracle = journals.truth(4)
    elicitation = Elicitation(oracle.attributes, settings=Settings(budget=budget, questions=9, ask_every=3, stop=()))
    while not isinstance(request := elicitation.ask(), Done):
        if ended == "wish" and isinstance(request, Compare) and elicitation.evaluations == budget:
            elicitation.stop("the operator is content with the best so far")
        else:
            reply = {Evaluate: oracle, Compare: lambda _: Answer.FIRST, Reconcile: lambda _: Settlement(None)}
            elicitation.tell(request.id, reply[type(request)](request))
    assert elicitation.evaluations == budget
    assert elicitation.history.stopped.rule == ended
    assert list(_how_to_go_on(elicitation, "j")) == told


def test_more_evaluations_are_offered_where_a_proof_ended_the_run_and_not_where_a_wish_left_some(tmp_path):
    journals.played(tmp_path / "j", 4, 2)
    proven = elicitation_of(read(tmp_path / "j"))
    assert proven.history.stopped.rule == "optimal"
    assert proven.evaluations < proven.budget
    assert list(_how_to_go_on(proven, "j")) == ["go on, with more evaluations:  elicit resume j --budget +50"]
    wished = Elicitation(Attributes.numbered(4), settings=Settings(budget=9))
    wished.stop("enough")
    assert list(_how_to_go_on(wished, "j")) == ["go on after all:               elicit resume j"]


def test_of_what_is_proven_best_over_all_subsets_nothing_more_is_offered(tmp_path):
    told = told_by(tmp_path, "iris", "--budget", 13, answers="a\n" * 40)
    assert "proven: no subset of the 15 is better" in told
    assert "go on, with more evaluations" not in told


def test_beside_what_is_recommended_it_is_told_what_could_not_be_measured(tmp_path, monkeypatch):
    def without_pairs(self, request, whole=WrapperOracle.__call__):
        return Failure("ValueError: two are too few") if request.subset.bit_count() == 2 else whole(self, request)

    monkeypatch.setattr(WrapperOracle, "__call__", without_pairs)
    told = told_by(tmp_path, "iris", "--budget", 12, "--questions", 0).partition("\nrecommended: ")[2]
    measured = int(re.search(r"none of the (\d+) measured", told)[1])
    assert f"\nnot measured, {12 - measured} times: ValueError: two are too few\n" in told


def test_without_an_answer_nothing_is_said_of_what_answers_did():
    assert list(what_answers_did(run_measured({0b01: (0.5,), 0b10: (0.4,)}), 0b01)) == []


def test_where_everything_is_recommended_both_columns_say_the_same(tmp_path):
    told = told_by(tmp_path, "wine", "--budget", 1)
    both = re.search(rf"score on {ROUNDS} fresh shuffles into folds +(\S+ ± \S+) +(\S+ ± \S+)", told)
    assert both[1] == both[2]
    assert "the subset worth most to plausible operators is" in told
    assert "spent: 1 evaluation, 0 questions" in told
    assert f"beyond the budget: {ROUNDS} on fresh folds" in told


def test_the_reduced_data_are_written_though_nobody_reads_the_end(tmp_path, monkeypatch):
    class Closing(io.StringIO):
        def write(self, text):
            if "recommended:" in text:
                raise BrokenPipeError
            return super().write(text)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", Closing())
    assert main(["ask", "iris", "--journal", "j", "--budget", "1", "--questions", "0", "-o", "small.csv"]) == 0
    assert "recommended:" not in sys.stdout.getvalue()
    assert (tmp_path / "small.csv").read_text().startswith("sepal")


def test_whoever_reads_no_question_loses_nothing_and_hears_no_complaint(tmp_path, monkeypatch, capfd):
    class Closing(io.StringIO):
        def write(self, text):
            if "Question 1" in text:
                raise BrokenPipeError
            return super().write(text)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", Closing())
    assert main(["ask", "wine", "--folds", "2", "--budget", "6", "--journal", "j", "-o", "o.csv"]) == 0
    assert capfd.readouterr().err == ""
    measured = [fact for fact in read("j").facts if isinstance(fact, Evaluated)]
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert main(["resume", "j"]) == 0
    assert f"0 answers and {len(measured)} evaluations are kept" in sys.stdout.getvalue()
    assert "Question 1" in sys.stdout.getvalue()


@pytest.mark.parametrize(("seed", "proven"), [(0, True), (7, False)])
def test_what_is_said_of_subsets_nobody_measured_is_what_the_journal_proves(tmp_path, seed, proven):
    rng = np.random.default_rng(seed)
    rows = [f"{a},{b},{c},{int(a + b > 0)}" for a, b, c in rng.normal(size=(60, 3))]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,c,y", *rows]))
    told = told_by(tmp_path, "t.csv", "--target", "y", "--budget", 5, "--questions", 2, answers="a\n" * 9)
    claims = [proof["claim"] for proof in read(tmp_path / "j").claims[-1].content["proofs"]]
    (bound,) = [c["bound"] for c in claims if c["kind"] == "regret" and c["scope"] != {"evaluated": True}]
    told = " ".join(told.split())
    assert proven is (Fraction(bound) == 0), "another seed shows this"
    if proven:
        assert "proven: no subset of the 7 is better" in told
    else:
        assert f"of the other 2 none is better by more than {bounded(float(Fraction(bound)))}" in told


@pytest.mark.parametrize(("parsimony", "clear"), [("exact", 0.001), (3.0, 1.0)])
def test_a_regret_is_told_in_margins_of_an_answer_wherever_a_session_tells_it(tmp_path, parsimony, clear):
    journals.played(tmp_path / "j", parsimony=parsimony, budget=6, questions=1, stop=())
    elicitation = elicitation_of(read(tmp_path / "j"))
    beliefs = elicitation.beliefs
    assert beliefs.utilities.clear == clear
    margins = bounded(regret_of(beliefs))
    assert float(margins) == pytest.approx(beliefs.incumbent_regret.value / clear, rel=0.1)
    best = Insight(elicitation).best()[1]
    assert f"by at most {margins} (1 is the margin of one clear answer)" in best
    how_far, *_ = _bounds(elicitation, beliefs.utilities.scope, Bounds(family=Fraction(5 * clear)))
    assert how_far.startswith("not proven best")
    assert f"by up to {margins}, where 1 is the margin of one clear answer; " in how_far
    assert how_far.endswith("none is better by more than 5")


def test_how_far_the_measured_may_be_is_told_as_it_is_proven(tmp_path):
    """At a large C a proof's rounded numbers may leave a little where floats say that nothing is lost."""
    scores = [0.08, 0.03, -0.13, 0.09, 0.04, -0.05, 0.06, 0.04]
    oracle = CallableOracle(lambda mask: scores[mask] + 0.03 * mask.bit_count(), 3, takes="mask")
    operator = SimulatedOperator("score - 0.04 * size", oracle.criteria, noise=0.2, seed=1)
    settings = Settings(
        budget=8, questions=12, degree=1, parsimony=0.0, slack=1000, recommend="regret", policy="ranking", check_every=1
    )
    with begin(tmp_path / "j", oracle, settings, seed=1) as session:
        elicitation = session.elicitation
        drive(elicitation, oracle, operator, session.journal)
        bounds = proven_bounds(session.journal, elicitation.family)
    computed, utilities = elicitation.beliefs.incumbent_regret.value, elicitation.beliefs.utilities
    assert computed < bounds.measured, "another run shows this"
    told = " ".join(_bounds(elicitation, utilities.scope, bounds))
    assert f"proven: none of the 7 measured is better by more than {bounded(float(bounds.measured))} in" in told
    told = " ".join(_bounds(elicitation, utilities.scope, Bounds()))
    assert computed == 0
    assert "computed, though no proof was found: none of the 7 measured is better in any utility" in told


def test_among_very_many_it_is_only_said_that_the_choice_is_far_from_proven(monkeypatch, capsys, tmp_path, ended):
    monkeypatch.setattr("elicit.utility.regret.MOST_COMPARED", 30)
    monkeypatch.setattr("elicit.decide.descent.UNASKED_DOWN", 0)  # as it ended
    monkeypatch.setattr("elicit.decide.descent.AGREEMENT_DOWN", 1.0)
    folder, before = ended
    assert "may prefer another of the 40 measured by up to" in " ".join(before.split())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\n" * 40))
    assert main(["ask", "wine", *PLAYED, "--journal", "j"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "prefers another of the 40 measured by more than the margin of one clear answer" in told
    assert "strongest rival" not in told
    assert "why this one:" in told
    with_it, without = (
        [proof["claim"] for proof in read(path / "j").claims[-1].content["proofs"]] for path in (folder, tmp_path)
    )
    assert {c["kind"] for c in with_it} > {"regret"}
    assert [c for c in with_it if c["kind"] == "rejected"] == without
    assert main(["verify", "j"]) == 0
    assert main(["report", "j", "-o", "page.html"]) == 0
    capsys.readouterr()
    assert main(["why", "j"]) == 0
    assert "prefers another by more than the margin of one clear answer" in " ".join(capsys.readouterr().out.split())
    insight = Insight(elicitation_of(read("j")))
    assert "another may still be better by more than the margin" in " ".join(insight.best())
    regret = progress_of(elicitation_of(read("j")), 0.0, regret=True).regret
    assert "regret above 1" in RunStatus(40, 40, 0, 6, 6, regret).words(100)


def test_among_very_many_only_answers_say_why_this_one(monkeypatch, ended):
    elicitation = elicitation_of(read(ended[0] / "j"))
    subset = next(iter(elicitation.history.standing.values())).first  # who always says "a" prefers the first of two
    before = " ".join(" ".join(reasons(elicitation, subset, strained_in(elicitation))).split())
    monkeypatch.setattr("elicit.commands.ending_reasons.MOST_EXPLAINED", 39)
    after = " ".join(" ".join(reasons(elicitation, subset, strained_in(elicitation))).split())
    only = "more than 39 were measured, so it was not worked out which of them this one is proven better than"
    assert only in after
    assert only not in before
    assert after.count("you preferred it to") == before.count("you preferred it to") > 0
    assert "not proven, only" not in after
    assert "it dominates every other" not in after


@pytest.mark.parametrize(
    ("choices", "why_not", "but"),
    [
        (
            {"questions": 0, "recommend": "expected"},
            "chosen by its score (nobody was asked), against",
            "the score decides",
        ),
        (
            {"questions": 2, "recommend": "expected"},
            "expected to be worth more by what you said, against",
            "expect less",
        ),
        ({"questions": 2, "recommend": "regret"}, "with less to lose by what you said, against", "expect less"),
    ],
)
def test_by_what_a_subset_is_recommended_of_which_nothing_is_proven(tmp_path, choices, why_not, but):
    journals.played(tmp_path / "j", 8, 0, budget=16, ask_every=4, stop=(), last_questions=0, confirm=0, **choices)
    record = read(tmp_path / "j")
    elicitation, found = elicitation_of(record), Why(record)
    told = " ".join(" ".join(reasons(elicitation, elicitation.incumbent, strained_in(elicitation))).split())
    assert f"not proven, only {why_not}" in told
    assert found.beliefs.by_score == (choices["questions"] == 0)
    others = " ".join(why_words._about_the_others(found, 1e9))
    assert "may lose less" in others
    assert but in others
    assert ("plausible operators" in others) == (choices["questions"] > 0)


def test_where_a_claim_is_of_another_subset_what_is_recommended_now_is_claimed_too(tmp_path):
    """As another version may have recommended one."""
    oracle, path = journals.truth(4), tmp_path / "j"
    journals.played(path, oracle=oracle, budget=9)
    lines = journals.lines_of(path)
    (claim,) = [line["claim"] for line in lines if "claim" in line]
    subset, claim["subset"] = claim["subset"], ["a1", "a2", "a3", "a4"]
    assert subset != claim["subset"]
    journals.write(path, lines)
    for _ in range(2):  # and only once
        with resume(path, oracle) as session:
            drive(session.elicitation, oracle, ScriptedOperator([]), session.journal)
        claims = [line["claim"]["subset"] for line in journals.lines_of(path) if "claim" in line]
        assert claims == [["a1", "a2", "a3", "a4"], subset]


def test_what_a_found_claim_says_is_told_only_where_it_holds(tmp_path):
    told_by(
        tmp_path, "wine", "--drop", "ash,hue,proline,magnesium", "--budget", 12, "--questions", 2, answers="a\n" * 9
    )
    lines = journals.lines_of(tmp_path / "j")
    claims = [line["claim"] for line in lines if "claim" in line]
    regrets = [proof["claim"] for proof in claims[-1]["proofs"] if proof["claim"]["kind"] == "regret"]
    assert all(Fraction(each["bound"]) > 0 for each in regrets), "else nothing is tampered with"
    again = told_in(tmp_path, ["resume", "j", "--n-jobs", "1"])
    assert "does not hold" not in again
    assert "none is better by more than" in " ".join(again.split())
    for each in regrets:
        each["bound"] = "0"
    journals.write(tmp_path / "j", lines)
    again = " ".join(told_in(tmp_path, ["resume", "j", "--n-jobs", "1"]).split())
    assert "a claim that the journal holds is false, and nothing here relies on it: line" in again
    assert "proven: " not in again.replace("not proven", "")
    further = " ".join(told_in(tmp_path, ["resume", "j", "--n-jobs", "1", "--budget", "+3"], "a\n" * 9).split())
    assert "a claim that the journal holds is false, and nothing here relies on it: line" in further
    assert "none is better by more than" in further, "what is claimed anew was proven here"


@pytest.mark.parametrize("far", [False, True])
def test_what_if_tells_the_regret_before_and_after(monkeypatch, ended, far):
    """Of an answer taken back: as numbers worked out here, or as more than a clear answer's margin where it is far."""
    elicitation = elicitation_of(read(ended[0] / "j"))
    beliefs, last = elicitation.beliefs, elicitation.history.facts[-1].request
    before, answers = bounded(beliefs.incumbent_regret.value), sorted(elicitation.history.answers)
    without = {r: beliefs.with_facts((*beliefs.history.facts, Retracted(last, r))) for r in answers}
    regrets = {r: bounded(found.incumbent_regret.value) for r, found in without.items()}
    request = next(r for r in answers if regrets[r] != before)  # where there is none, another seed shows this
    then = regrets[request]
    if far:
        given = len(beliefs.history.stated)
        monkeypatch.setattr(Beliefs, "far_from_proven", property(lambda b: len(b.history.stated) == given))
        before = "more than 1"
    told = Insight(elicitation).without(request)
    assert f"  the regret (how much better another may still be) goes from {before} to {then}." in told


def test_where_nothing_could_be_measured_no_page_is_offered(tmp_path):
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *(f"{k % 7},{k % 3},{k % 2}" for k in range(12))]))
    told = told_by(tmp_path, "t.csv", "--target", "y", "--model", "knn:99")
    assert "All attributes together could not be measured: " in told, "one is not warned before the work"
    assert "Nothing could be measured, so nothing is recommended." in told
    assert "begin with another --model or --scoring." in told
    assert "another model or score may do" in told
    assert "elicit report" not in told


def test_where_a_criterion_may_be_why_nothing_could_be_measured_it_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *(f"{k % 7},{k % 2},{k % 3}" for k in range(30))]))
    told = told_by(tmp_path, "t.csv", "--target", "y", "--criteria", "recall", "--folds", 3)
    assert "begin with another --model, --scoring or --criteria." in told
    assert "another model or score may do: --model, --scoring, --criteria name them" in told


def test_nobody_is_told_that_a_subset_may_be_better_that_what_was_measured_puts_below(tmp_path):
    """Contradicting answers: the bound then comes from a θ that strains a measured order."""
    journals.played(tmp_path / "j", 5, 45, noise=0.4, ask_every=1, budget=10)
    whole = read(tmp_path / "j")
    for k in (28, 35):
        record = dataclasses.replace(whole, facts=whole.facts[:k], lines=whole.lines[:k])
        elicitation = elicitation_of(record)
        rival = elicitation.beliefs.incumbent_regret.rival
        assert rival in elicitation.history.dominates[elicitation.incumbent], "else this shows nothing"
        assert "another may still be better" in Insight(elicitation).best()[1]
        why = Why(record)
        told = "\n".join(why_words.reason_lines(why, why.not_that(rival), None))
        assert "the recommended subset dominates it" in told
        assert "could still be best" not in told


def with_a_leak(folder):
    """A table whose column `leak` tells the target."""
    rng = np.random.default_rng(2)
    rows = []
    for k, (a, b, c) in enumerate(rng.normal(size=(60, 3)).round(4)):
        y = int(a + b + rng.normal() > 0)
        rows.append(f"{a},{b},{c},{2 * y + 0.001 * (k % 3):.3f},{y}")
    (folder / "t.csv").write_text("\n".join(["a,b,c,leak,y", *rows]))
    return rows


def fresh_by_hand(rows, columns):
    """The mean score on fresh folds, by scikit-learn itself."""
    X = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    folds = [StratifiedKFold(3, shuffle=True, random_state=seed) for seed in range(FIRST_SEED, FIRST_SEED + ROUNDS)]
    return np.mean([cross_val_score(model, X[:, columns], X[:, -1].astype(int), cv=cv).mean() for cv in folds])


DROP = ("t.csv", "--target", "y", "--drop", "leak", "--questions", 0)


@pytest.mark.parametrize("limit", [(), ("--max-size", 2)])
def test_what_is_dropped_is_no_part_of_the_baseline(tmp_path, limit):
    rows = with_a_leak(tmp_path)
    told = told_by(tmp_path, *DROP, "--budget", 5, *limit)
    assert "could not be measured" not in told, "the opening measured what is dropped"
    assert re.search(r"\n +recommended +all 3 that may be chosen\n", told)
    fresh = re.search(rf"score on {ROUNDS} fresh shuffles into folds +\S+ ± \S+ +(\S+) ±", told)
    assert float(fresh[1]) == pytest.approx(fresh_by_hand(rows, [0, 1, 2]), abs=1e-5)
    subsets = [set(line["subset"]) for line in journals.lines_of(tmp_path / "j") if "subset" in line]
    assert subsets
    assert not any("leak" in subset for subset in subsets)


def test_a_baseline_that_is_recommended_is_measured_on_fresh_folds_once(tmp_path):
    with_a_leak(tmp_path)
    told = told_by(tmp_path, *DROP, "--budget", 1)
    assert f"beyond the budget: {ROUNDS} on fresh folds" in told


@pytest.mark.parametrize(
    ("groups", "options", "fresh"),
    [
        (3, ("--group-col", "g"), False),  # each is a fold, whatever is drawn
        (6, ("--group-col", "g"), True),
        (5, ("--group-col", "g", "--folds", "2"), True),  # the first draw is that of the folds that chose
        (6, ("--drop", "g", "--folds", "12", "--scoring", "neg_mean_absolute_error"), False),  # each row is a fold
        (6, ("--drop", "g", "--scoring", "neg_mean_absolute_error"), True),
    ],
)
def test_no_folds_are_called_fresh_where_there_are_no_others(tmp_path, groups, options, fresh):
    rng = np.random.default_rng(0)
    lines = [
        f"{a:.3f},{b:.3f},{k % groups},{a + b / 2 + 0.01 * k:.3f}" for k, (a, b) in enumerate(rng.normal(size=(12, 2)))
    ]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,g,y", *lines]))
    told = told_by(tmp_path, "t.csv", "--target", "y", "--questions", 0, "--budget", 3, *options)
    told_in(tmp_path, ["report", "j", "-o", "r.html"])
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    folds = options[options.index("--folds") + 1] if "--folds" in options else 3
    alone = f"here is no other way to split the rows into {folds} folds, so none is fresh"
    assert (" fresh shuffles into folds" in told, alone in " ".join(told.split())) == (fresh, not fresh)
    assert ("Folds drawn anew" in page, alone in page) == (fresh, not fresh)
    assert ("on fresh folds" in told) == fresh, "how many were measured beyond the budget"
    told = " ".join(told.split())
    assert ("even this is too high: by little with many rows, by much with few" in told) == fresh
    assert ("even they promise too much: a little where rows are many, a lot where they are few" in page) == fresh
    assert ("the folds that chose, and too high" in told) == (not fresh)
    assert "little high" not in told + page


def test_what_was_measured_on_fresh_folds_is_kept_and_not_measured_again(tmp_path, monkeypatch, capsys):
    with_a_leak(tmp_path)
    told = told_by(tmp_path, *DROP, "--budget", 5)
    shown = re.search(r"score on .* fresh shuffles .*\n", told)[0]
    kept = read(tmp_path / "j").afresh
    baseline, chosen = 0b00111, {subset for _, subset in kept}
    assert set(kept) == set(product(range(FIRST_SEED, FIRST_SEED + ROUNDS), chosen))
    assert baseline in chosen
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "j").read_bytes()
    asked = []
    monkeypatch.setattr(WrapperOracle, "__call__", lambda _, request: asked.append(request.subset))
    assert main(["resume", "j"]) == 0
    assert shown in capsys.readouterr().out
    assert (asked, (tmp_path / "j").read_bytes()) == ([], before)
    assert main(["report", "j", "-o", "r.html"]) == 0
    means = [np.mean([kept[seed, s].criteria[0] for seed, at in kept if at == s]) for s in chosen]
    assert asked == []
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{rounded(float(mean))}[.0]* ±", page) for mean in means)


def test_a_session_that_ends_anew_measures_only_what_is_missing(tmp_path, monkeypatch):
    with_a_leak(tmp_path)
    told_by(tmp_path, *DROP, "--budget", 5)
    lines = journals.lines_of(tmp_path / "j")
    lost = [line for line in lines if "afresh" in line][-3:]
    journals.write(tmp_path / "j", [line for line in lines if line not in lost])
    monkeypatch.chdir(tmp_path)
    assert main(["resume", "j"]) == 0
    again = [line for line in journals.lines_of(tmp_path / "j") if "afresh" in line][-3:]
    for line in (*lost, *again):
        line.pop("time")
    assert again == lost


def test_a_session_that_goes_on_has_the_same_baseline(tmp_path, monkeypatch, capsys):
    with_a_leak(tmp_path)
    told_by(tmp_path, *DROP, "--budget", 3)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["resume", "j", "--budget", "+1", "--n-jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"\n +recommended +all 3 that may be chosen\n", out)
    assert "failed" not in out


def test_where_all_that_may_be_chosen_cannot_be_measured_that_is_what_is_said(tmp_path):
    with_a_leak(tmp_path)
    told = told_by(tmp_path, *DROP, "--model", "knn:99")
    assert "The 3 attributes that may be chosen together could not be measured: " in told


def test_a_reason_that_ends_a_sentence_ends_it_once(tmp_path, monkeypatch):
    with_a_leak(tmp_path)
    monkeypatch.setattr(WrapperOracle, "__call__", lambda *_: Failure("ValueError: It cannot be."))
    told = told_by(tmp_path, "t.csv", "--target", "y", "--budget", 3, "--questions", 0)
    assert "All attributes together could not be measured: ValueError: It cannot be. If that is so of every" in told


def run_measured(measured, **settings):
    """A run on three attributes of which some subsets have these fold scores, and nothing was answered."""
    facts = [
        Evaluated(k, x, (float(np.mean(folds)), float(x.bit_count())), (folds, ()))
        for k, (x, folds) in enumerate(measured.items())
    ]
    return Elicitation(["a", "b", "c"], settings=Settings(**settings), facts=[Asked(0, tuple(measured)), *facts])


@pytest.mark.parametrize(
    ("scores", "settings", "doubted"),
    [
        # what is doubted as noise: {a} above the others, of which only the second is steady
        ({1: (0.3, 1.2, 1.2), 2: (0.8, 0.81, 0.8), 4: (0.5, 0.5, 0.5)}, {"noise_level": 0.05}, True),
        # no utility without pairs has {c} above {b}, and {a, b} above {a, c}
        ({4: (0.9,), 2: (0.8,), 3: (0.7,), 5: (0.6,)}, {"degree": 1}, True),
        ({4: (0.9,), 2: (0.8,), 3: (0.7,), 5: (0.6,)}, {"degree": 2}, False),
    ],
)
def test_where_the_recommended_one_dominates_all_it_is_said_what_a_utility_denies_that_prefers_another(
    scores, settings, doubted
):
    elicitation = run_measured(scores, **settings)
    subset = elicitation.incumbent
    assert elicitation.history.front == (subset,), "else this shows nothing"
    told = " ".join(" ".join(reasons(elicitation, subset, ())).split())
    assert "it dominates every other that was measured" in told
    assert (elicitation.beliefs.incumbent_regret.value > 0) == doubted
    assert ("; a utility that prefers another takes that for noise" in told) == doubted


def test_the_strongest_rival_is_told_by_what_differs_alone():
    elicitation = run_measured({0b001: (0.5,), 0b010: (0.4,), 0b111: (0.5,)})
    rival = "its strongest rival among the evaluated is "
    close = run_measured({0b001: (0.96667,), 0b010: (0.96,)})
    assert _strongest_rival(close, 0b010, 0b001) == f"{rival}{{b}} (score 0.96000 instead of 0.96667)"
    assert _strongest_rival(elicitation, 0b010, 0b001) == f"{rival}{{b}} (score 0.4 instead of 0.5)"
    assert _strongest_rival(elicitation, 0b111, 0b001) == f"{rival}{{a, b, c}} (size 3 instead of 1)"


def test_reasons_name_long_attributes_in_short_and_the_result_in_full(tmp_path):
    names = [f"mean of the daily values of the last {weeks} weeks" for weeks in range(1, 5)]
    cells = np.random.default_rng(0).normal(size=(40, 4)).round(2)
    rows = [",".join([*map(str, row), "yes" if row[0] + row[1] > 0 else "no"]) for row in cells.tolist()]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*names, "y"]), *rows]))
    told = " ".join(told_by(tmp_path, "t.csv", "--target", "y", answers="a\n" * 9).split())
    result, _, rest = told[told.index("recommended: ") :].partition("ended by")
    why = rest.partition("spent:")[0]
    assert any(name in result for name in names)
    assert "what your answers did:" in why
    assert not any(name in why for name in names)
    assert re.search(r"\{mean of[^,}]*…[^,}]*[1-4] weeks[,}]", why)


def test_names_that_no_shortening_tells_apart_are_told_in_full():
    z = "z" * 40  # three look alike; from where one of them first differs the other two look alike still
    attributes = Attributes((f"p{z}a{z}b{z}", f"p{z}a{z}c{z}", f"p{z}d{z}b{z}"))
    assert in_short(attributes) == attributes
    assert all(map(str.startswith, in_short(Attributes(attributes.names[1:])).names, ("…a", "…d")))


@pytest.mark.parametrize(
    ("count", "bound", "words"),
    [
        (0, None, ""),
        (1, None, "; of the one other subset nothing is proven here"),
        (2, None, "; of the other 2 subsets nothing is proven here"),
        (1, 0.5, "; the one other is not better by more than 0.5"),
        (2, 0.5, "; of the other 2 none is better by more than 0.5"),
        (1, 5.21, "; the one other is not better by more than 5.3"),
        (2, 5.21, "; of the other 2 none is better by more than 5.3"),
    ],
)
def test_the_others_are_counted_in_words(count, bound, words):
    assert _unmeasured_in_words(count, bound) == words


@pytest.mark.parametrize(
    ("proven", "family", "words"),
    [
        (Fraction(1, 10), Fraction(1, 2), "is better by more than 0.1 in any {fits}{margin}; of the other {}{half}"),
        (Fraction(0), Fraction(1, 2), "is better in any {fits}; of the other {}{half}{margin}"),
        (Fraction(0), None, "is better in any {fits}; of the other {} subsets nothing is proven here"),
    ],
)
def test_where_none_that_was_measured_is_better_no_margin_is_told_of_them(tmp_path, proven, family, words):
    journals.played(tmp_path / "j", budget=5, questions=1, stop=())
    elicitation = elicitation_of(read(tmp_path / "j"))
    scope, evaluated = elicitation.beliefs.utilities.scope, len(elicitation.history.evaluated)
    told, *_ = _bounds(elicitation, scope, Bounds(proven, family))
    words = f"proven: none of the {evaluated} measured {words}"
    fits = f"utility that fits what was measured and answered ({scope})"
    margin, half = ", where 1 is the margin of one clear answer", " none is better by more than 0.5"
    left = elicitation.family.count() - evaluated
    assert told == words.format(left, fits=fits, margin=margin, half=half)


@pytest.mark.parametrize(("left_out", "around"), [((), True), ((7,), True), ((6,), True), ((3,), False), ((4,), False)])
def test_a_proof_for_the_whole_family_is_told_with_the_neighbours_only_if_all_were_measured(left_out, around):
    scores = {x: (1.0 - x / 10,) for x in range(1, 8) if x not in left_out}
    elicitation = run_measured(scores)
    assert elicitation.beliefs.incumbent_regret.subset == 1
    told, *rest = _bounds(elicitation, "set", Bounds(Fraction(0), Fraction(0)))
    words = "; all with one attribute more, fewer or another were evaluated as well"
    assert told == "proven: no subset of the 7 is better in any utility of the set" + words * around
    assert rest == []


def test_where_no_number_says_anything_of_another_that_is_all_that_is_said():
    told = list(_bounds(run_measured({1: (0.5,)}), "the set", Bounds()))
    assert told == [
        "proven: nothing beyond the measured numbers; the subset worth most to plausible operators is named"
    ]


@pytest.mark.parametrize(
    ("computed", "proven", "provable", "words"),
    [
        (0.25, 0.5, True, "proven: none of the 4 measured is better by more than 0.5 in any utility that fits "),
        (0.25, None, True, "computed, though no proof was found: none of the 4 measured is better by more than 0.25 "),
        (0.25, None, False, "computed, though no proof is written (more than "),
        (0.25, 1.0, True, "not proven best: a utility that fits what was measured and answered (the set) may prefer "),
        (1.0, None, True, "not proven best: a utility that fits what was measured and answered (the set) may prefer "),
        (1.0, 0.75, True, "proven: none of the 4 measured is better by more than 0.75 in any utility that fits "),
    ],
)
def test_how_a_bound_is_known_is_told_and_from_one_margin_on_it_shows_nothing(
    monkeypatch, computed, proven, provable, words
):
    monkeypatch.setattr("elicit.commands.ending_bounds.provable", lambda _: provable)
    bounds = Bounds(None if proven is None else Fraction(proven))
    told = _bound_in_words(computed, bounds, 4, "the set", SimpleNamespace(clear=1.0), "; and others")
    assert told.startswith(words)
    assert told.endswith(", where 1 is the margin of one clear answer; and others")


@pytest.mark.parametrize(("others", "more"), [(1, 0), (3, 0), (4, 1), (6, 3)])
def test_the_others_of_the_front_are_named_up_to_a_few_and_then_counted(others, more):
    measured = [Evaluated(k, (1 << k + 1) - 1, (0.5 + k / 10, k + 1.0)) for k in range(others + 1)]
    names = [f"a{k}" for k in range(others + 1)]
    facts = [Asked(0, tuple(fact.subset for fact in measured)), *measured]
    facts += [Asked(10, compare=(1, 3)), Preferred(10, 1, 3, Answer.FIRST)]
    elicitation = Elicitation(names, settings=Settings(), facts=facts)
    assert len(elicitation.history.front) == others + 1
    told = " ".join(" ".join(reasons(elicitation, 1, ())).split())
    assert ("more that no other subset dominates)" in told) == (more > 0)
    assert more == 0 or f"(and {more} more that no other subset dominates)" in told


def test_whom_one_was_preferred_to_is_told_by_the_answers_that_stand():
    measured = [Evaluated(k, x, (0.5 + k / 10, float(x.bit_count()))) for k, x in enumerate((1, 3, 7))]
    said = [(3, 1, Answer.SECOND), (1, 7, Answer.FIRST), (1, 3, Answer.EQUAL), (7, 1, Answer.SECOND)]
    facts = [Asked(0, (1, 3, 7)), *measured]
    for request, (first, second, answer) in enumerate(said, start=3):
        facts += [Asked(request, compare=(first, second)), Preferred(request, first, second, answer)]
    history = History(Elicitation(["a", "b", "c"]).history.attributes, facts=facts)
    assert _preferred_to(history, 1) == {3: 1, 7: 4}
    assert _preferred_to(history, 7) == {}
    history.record(Retracted(7, 6))
    assert _preferred_to(history, 1) == {3: 1, 7: 2}


@pytest.mark.parametrize(
    ("scores", "given", "words"),
    [
        ((0.5, 0.7), Answer.FIRST, "the other way round: {a, b} (score 0.7 instead of 0.5, size 2 instead of 1)"),
        ((0.5, 0.5 + 1e-10), Answer.SECOND, "the other way round: {a, b} (size 2 instead of 1)"),
        ((-1e6, 1e-6 - 1e6), Answer.SECOND, "the other way round: {a, b} (size 2 instead of 1)"),
        ((0.5, 0.7), Answer.EQUAL, "with {c} preferred: {a, b} (score 0.7 instead of 0.5, size 2 instead of 1)"),
    ],
)
def test_what_another_answer_would_have_led_to_is_told_by_what_differs(scores, given, words):
    elicitation = run_measured({1: (scores[0],), 3: (scores[1],), 4: (0.1,)})
    other = Otherwise(1, given, Answer.FIRST, preferred=4, subset=3)
    assert _reversed_in_words(elicitation, other, 3, 1) == words
    assert _reversed_in_words(elicitation, other, 1, 1).endswith(": {a} (the same numbers)")


def test_a_cost_that_is_too_fine_to_be_told_apart_is_pointed_out_and_units_are_shown(tmp_path):
    with_a_leak(tmp_path)
    for factor, fine in ((1e-10, True), (1.0, False)):
        (tmp_path / "c.csv").write_text(
            "attribute,cost\n" + "".join(f"{name},{k * factor}\n" for k, name in enumerate("abc", start=1))
        )
        told = " ".join(told_by(tmp_path, *DROP, "--budget", 2, "--cost", "c.csv", "--criteria", "fit_time").split())
        note = "note: all values of cost lie within 1e-06, and within 1e-09 they count as equal; take a smaller unit"
        assert (note in told) == fine
        assert re.search(r" fit_time \[s\] \d", told)
        (tmp_path / "j").unlink()


@pytest.mark.parametrize(("follows", "warned"), [(0.0, True), (3.0, False)])
def test_it_is_said_when_a_model_does_no_better_than_a_guess(tmp_path, follows, warned):
    a, b, noise = np.random.default_rng(1).normal(size=(3, 60)).round(3)
    rows = "".join(f"{x},{z},{y}\n" for x, z, y in zip(a, b, noise + follows * a, strict=True))
    (tmp_path / "t.csv").write_text("a,b,y\n" + rows)
    told = " ".join(told_by(tmp_path, "t.csv", "--target", "y", "--budget", 3, "--questions", 0).split())
    assert ("warning: no better than a guess without any attribute, whose score is -0." in told) == warned


def test_numbers_and_their_nouns_agree(tmp_path):
    with_a_leak(tmp_path)
    told = told_by(tmp_path, "t.csv", "--target", "y", "--drop", "c,leak", "--budget", 2, "--questions", 1)
    assert "at most 2 of 3 subsets will be evaluated and at most 1 question asked" in told
    (tmp_path / "j").unlink()
    told = told_by(tmp_path, "t.csv", "--target", "y", "--drop", "c,leak", "--budget", 1)  # no two subsets to compare
    assert "evaluated and nothing asked: " in told
    assert failure_lines([{"why": 1}, {"how": 2}]) == ["not measured, 2 times: how", "not measured, 1 time: why"]


@pytest.mark.parametrize(("seed", "by_equality"), [(1, {1}), (7, set())])
def test_the_end_tells_of_every_answer_what_why_tells_of_it_of_an_equality_too(
    tmp_path, monkeypatch, seed, by_equality
):
    oracle, seen = journals.truth(6, seed), []
    with begin(tmp_path / "j", oracle, Settings(ask_every=1, questions=6, budget=24, stop=())) as session:
        drive(session.elicitation, oracle, ScriptedOperator(["equal"], otherwise="a"), session.journal)
    elicitation, found = elicitation_of(read(tmp_path / "j")), otherwise(Why(read(tmp_path / "j")).beliefs)
    monkeypatch.setattr(Meter, "update", lambda _, *done: seen.append(done))
    lines = what_answers_did(elicitation, elicitation.incumbent)
    said = re.sub(r"\s+", " ", "\n".join(lines))
    changing = [other for other in found if other.subset != elicitation.incumbent]
    assert {other.question for other in changing if other.given is Answer.EQUAL} == by_equality
    for other in changing:
        how = "with {" if other.given is Answer.EQUAL else "the other way round: {"
        assert told_of(said, how).count(other.question) == 1
    turned = [other for other in changing if other.given is not Answer.EQUAL]
    assert len(turned) > len({other.subset for other in turned}), "else this does not show that they are told together"
    assert said.count("the other way round: ") == len({other.subset for other in turned})  # once for each end
    same = sorted({other.question for other in found} - {other.question for other in changing})
    assert ("changed the result: " in said) == bool(same)
    assert said.endswith(", ".join(map(str, same)))
    assert len(seen) == len({other.question for other in found})


def exact_run(answers):
    """Three subsets on the exact set, each better and larger than the one before, and what was answered about them."""
    measured = [Asked(0, (1, 3, 7)), *(Evaluated(k, m, (0.5 + k / 5, k + 1.0)) for k, m in enumerate((1, 3, 7)))]
    said = []
    for k, (a, b) in enumerate(answers, start=3):
        said += [Asked(k, compare=(a, b)), Preferred(k, a, b, Answer.FIRST)]
    settings = Settings(parsimony="exact", recommend="regret")
    return Elicitation(["a", "b", "c"], settings=settings, facts=[*measured, *said])


def test_on_the_exact_set_too_the_bottom_line_tells_the_regret_in_margins_of_one_clear_answer():
    elicitation = exact_run([(1, 3)])
    beliefs = elicitation.beliefs
    assert beliefs.utilities.clear < 1
    assert beliefs.incumbent_regret.value > 0
    told = progress_of(elicitation, 0.0, regret=True).regret
    assert told * beliefs.utilities.clear == pytest.approx(beliefs.incumbent_regret.value)


def test_where_no_utility_fits_the_answers_it_is_not_said_that_nothing_was_answered():
    elicitation = exact_run([(1, 3), (3, 7), (7, 1)])
    told = " ".join(Insight(elicitation).best())
    assert "No utility fits all that was measured and answered" in told
    assert "Nothing is known yet" not in told
    assert "holds for every utility" not in told


def test_the_result_is_told_though_the_data_were_changed_or_deleted_meanwhile(tmp_path, monkeypatch, capsys):
    with_a_leak(tmp_path)
    data = tmp_path / "t.csv"
    before = data.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    changes = {
        "t.csv: no such file": None,
        "t.csv: is not what it was": before.replace("1", "2", 3),
        "t.csv: the file is empty": "",
    }
    for k, (told, after) in enumerate(changes.items()):
        data.write_text(before, encoding="utf-8")

        def answers(after=after):
            data.unlink() if after is None else data.write_text(after, encoding="utf-8")
            yield from ["a\n"] * 40

        lines = answers()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(readline=lambda _, lines=lines: next(lines, ""), isatty=bool))
        status = main(["ask", *DROP[:-2], *PLAYED, "--journal", f"j{k}", "-o", f"small{k}.csv"])
        out, err = capsys.readouterr()
        assert (status, err.count("\n"), told in err) == (2, 1, True), err
        assert "recommended: " in out
        assert f"no scores on fresh folds ({told}" in " ".join(out.split())
        assert read(tmp_path / f"j{k}").afresh == {}, "scores of other data are none of this journal"
        assert not (tmp_path / f"small{k}.csv").exists()
    assert "no code for scikit-learn and pandas: t.csv" in out
