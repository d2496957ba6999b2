"""What a target holds: classes or numbers, by what is said, by what the model can predict, and by its look."""

import csv
import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elicit.cli import main
from elicit.data import load
from elicit.data.cells import cells_and_blanks_of, cells_of
from elicit.data.target import CLASSES, NUMBERS, target_of
from elicit.data.tidying import encode
from elicit.errors import InputError
from elicit.scores import correlation
from elicit.sources.oracle import data_of, material_of, oracle_from
from elicit.sources.snippet import snippet

READER = csv.reader
COUNTS = [str(k % 5 + 3) for k in range(60)]


def written(path, target):
    rng = np.random.default_rng(0)
    rows = (f"{rng.normal():.3f},{rng.normal():.3f},{cell}\n" for cell in target)
    path.write_text("a,b,y\n" + "".join(rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("cells", "holds", "predicts", "found"),
    [
        (COUNTS, None, None, CLASSES),
        (COUNTS, None, NUMBERS, NUMBERS),
        (COUNTS, CLASSES, NUMBERS, CLASSES),
        (COUNTS, NUMBERS, CLASSES, NUMBERS),
        ([str(k) for k in range(21)], None, None, NUMBERS),
        ([str(k) for k in range(21)], None, CLASSES, CLASSES),
        (["0.5", "1", "0.5"], None, CLASSES, NUMBERS),
        (["0.5", "1", "0.5"], CLASSES, None, CLASSES),
        (["a", "b"], None, NUMBERS, CLASSES),
    ],
)
def test_what_is_said_goes_before_what_the_model_predicts_and_that_before_the_look(cells, holds, predicts, found):
    y, held = target_of(cells, holds, predicts)
    assert held == found
    assert [str(value).removesuffix(".0") for value in y] == cells


@given(
    st.lists(
        st.lists(
            st.sampled_from(["1", "2.5", "-3", "7e2", "1,234", "6", "", "?", "1e200", "5.0", "5", "x", "inf", "1_0"])
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([",", ";"]),
    st.booleans(),
)
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_column_of_plain_numbers_is_what_a_closer_look_makes_of_it(tmp_path, monkeypatch, columns, separator, tidy):
    length = max(3, *map(len, columns))
    padded = [(column * length)[:length] or ["4"] * length for column in columns]
    rows = [*zip(*padded, map(str, range(length)), strict=True)]
    text = "\n".join(separator.join(f'"{cell}"' for cell in row) for row in rows)
    path = tmp_path / "t.csv"
    path.write_text(separator.join([*"abc"[: len(columns)], "y"]) + "\n" + text + "\n")

    def found():
        try:
            data = load(str(path), "y", tidy=tidy)
        except InputError as error:
            return str(error)
        return repr(data.X.tolist()), data.X.dtype, data.columns, data.notes, data.left_out

    quick = found()
    with monkeypatch.context() as patch:
        patch.setattr("elicit.data.attributes.plain_numbers", lambda _: None)
        assert found() == quick


@pytest.mark.parametrize("tidy", [False, True])
def test_cells_of_plain_numbers_are_looked_at_once(tmp_path, monkeypatch, tidy):
    looked = []
    monkeypatch.setattr("elicit.data.attributes.is_missing", lambda cell: looked.append(cell) or not cell)
    assert load(written(tmp_path / "t.csv", ["no", "yes"] * 8), "y", tidy=tidy).X.shape == (16, 2)
    assert set(looked) == {"no", "yes"}


def test_garbage_is_not_sought_while_a_file_is_read_and_is_afterwards(tmp_path, monkeypatch):
    good, bad = written(tmp_path / "good.csv", ["no", "yes"]), tmp_path / "bad.csv"
    bad.write_text("a,b,y\n1,2\n")
    collecting = []
    monkeypatch.setattr(
        "elicit.data.cells.csv.reader", lambda *a, **k: collecting.append(gc.isenabled()) or READER(*a, **k)
    )
    for read in (cells_of, cells_and_blanks_of):
        read(Path(good))
        with pytest.raises(InputError):
            read(bad)
        assert gc.isenabled()
    assert set(collecting) == {False}
    gc.disable()
    try:
        cells_of(Path(good))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_texts_take_a_byte_a_level_until_all_columns_are_joined():
    block, levels = encode(["b", "a", "b"])
    assert (block.dtype, levels) == (np.bool_, ["a", "b"])
    assert block.tolist() == [[False, True], [True, False], [False, True]]


def test_two_spellings_of_a_number_are_one_class():
    y, held = target_of([cell for k in range(25) for cell in (f"{k}", f"{k}.0")], CLASSES, None)
    assert held == CLASSES
    assert set(y) == {str(k) for k in range(25)}
    assert set(target_of(["0.5", "1.50", "0.50"], CLASSES, None)[0]) == {"0.5", "1.5"}


def test_what_cannot_be_is_refused():
    with pytest.raises(InputError, match="classes or numbers, found 'labels'"):
        target_of(COUNTS, "labels", None)
    with pytest.raises(InputError, match="but 'b' is none"):
        target_of(["1", "b"], NUMBERS, None)


def test_texts_that_are_taken_for_gaps_are_named_since_one_may_be_a_class(tmp_path):
    path = written(tmp_path / "t.csv", [*["None", "mild", "severe", "None", ""] * 8, "NA"])
    told = "left out: 25 rows in which the target 'y' is missing; 16 rows hold 'None' and 1 row holds 'NA', which are "
    told += "taken for gaps: what is meant as a class is to be written otherwise"
    assert load(path, "y", tidy=True).notes == (told,)
    assert set(load(written(tmp_path / "t.csv", ["", "mild", "severe"] * 8), "y", tidy=True).notes) == {
        "left out: 8 rows in which the target 'y' is missing"
    }
    gaps = "8 rows hold 'None', which is taken for a gap: what is meant as a class is to be written otherwise"
    for cells, why in ((["None", "severe", ""], "is 'severe' in every row that has one"), (["None"], "is missing in ")):
        path = written(tmp_path / "t.csv", cells * 8)
        with pytest.raises(InputError, match=rf"t\.csv: the target 'y' {why}.*; {gaps}$"):
            load(path, "y", tidy=True)


def test_a_model_of_numbers_makes_numbers_of_counts_and_whoever_asks_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "t.csv", COUNTS)
    common = ["ask", "t.csv", "--target", "y", "--folds", "3", "--budget", "3", "--questions", "0", "--n-jobs", "1"]
    assert main([*common, "--model", "ridge", "--journal", "r"]) == 0
    assert "the target holds numbers; model ridge, score: R²" in capsys.readouterr().out
    assert main([*common, "--holds", "numbers", "--model", "tree:2", "--journal", "t"]) == 0
    out = capsys.readouterr().out
    assert "the target holds numbers; model tree:2, score: R²" in out
    assert "DecisionTreeRegressor" in out  # the code at the end reads the target alike
    assert main(["resume", "t", "--budget", "+1"]) == 0
    assert main([*common, "--holds", "number", "--journal", "x"]) == 2
    assert "a target holds classes or numbers, found 'number'" in capsys.readouterr().err
    assert main([*common, "--journal", "c"]) == 0
    assert "the target holds classes; model logistic, score: accuracy" in capsys.readouterr().out


def test_scores_and_scenarios_hear_what_the_target_holds(tmp_path, capsys):
    path = written(tmp_path / "t.csv", COUNTS)
    assert main(["score", path, "--target", "y", "--holds", "numbers", "--by", "correlation,rrelieff"]) == 0
    out = capsys.readouterr().out
    assert "a target of numbers" in out
    data = load(path, "y", holds=NUMBERS)
    assert f"{correlation(data.X, data.y, classes=False)[0]:.4g}" in out
    section = {"kind": "filter", "data": "t.csv", "target": "y", "holds": "numbers", "merit": "cfs"}
    assert (
        oracle_from(section, tmp_path).fingerprint != oracle_from({**section, "holds": "classes"}, tmp_path).fingerprint
    )
    section = {"kind": "wrapper", "data": "t.csv", "target": "y", "holds": "numbers", "model": "knn:3"}
    oracle = oracle_from(section, tmp_path)
    material = material_of(section, tmp_path, oracle.attributes)
    assert not material.classes
    assert material.scores("correlation") == pytest.approx(correlation(data.X, data.y, classes=False))
    assert any("KNeighborsRegressor" in line for line in snippet({**section, "data": path}, ["a"]))


def test_many_classes_keep_their_names_so_that_every_score_serves(tmp_path):
    path = written(tmp_path / "t.csv", [str(k % 26) for k in range(130)])
    section = {"kind": "wrapper", "data": path, "target": "y", "model": "logistic", "folds": 5}
    data = data_of(section, tmp_path)
    assert data.classes
    assert set(data.y) == {str(k) for k in range(26)}
    material = material_of(section, tmp_path, oracle_from(section, tmp_path).attributes)
    assert all(np.isfinite(material.scores(by)).all() for by in ("fisher", "relieff", "f"))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([f'"{k},{100 + k}"' for k in range(1, 31)] + ["7"] * 5, "commas as in '1,101' may stand between thousands"),
        ([f'"{k},{100 + k}"' for k in range(1, 31)], "commas as in '1,101' may stand between thousands"),
        ([f"2020-01-{k:02d}" for k in range(1, 31)], "it looks like dates; turn it into numbers"),
        (
            [f"{k}.5%" for k in range(1, 31)],
            r"it holds numbers with signs or blanks, as in '1\.5%'; write the numbers alone",
        ),
        ([f"{k}.5 kg" for k in range(1, 31)], r"it holds numbers with a unit, as in '1\.5 kg'; write the num"),
        ([f"{k}e{k % 3 + 3} cells" for k in range(1, 31)], "it holds numbers with a unit, as in '10e4 cells'; write"),
        ([f"{k} 000\u00a0km" for k in range(1, 31)], r"it holds numbers with a unit, as in '1 000\\xa0km'; write the"),
        ([f"{k}°C" for k in range(1, 31)], "it holds numbers with a unit, as in '10°C'; write the numbers alone"),
        ([f"name {k}" for k in range(1, 31)], "30 different texts in 30 rows look like names"),
        ([f"{k} {'ab'[k % 2]}" for k in range(1, 31)], "30 different texts in 30 rows look like names"),
    ],
)
@pytest.mark.parametrize("tidy", [False, True])
def test_a_target_that_is_neither_is_said_to_be_what_it_looks_like(tmp_path, cells, words, tidy):
    with pytest.raises(InputError, match=f"the target 'y' holds neither numbers nor classes: {words}"):
        load(written(tmp_path / "t.csv", cells), "y", tidy=tidy)


def test_a_class_is_called_as_in_the_file(tmp_path):
    path = written(tmp_path / "t.csv", [*COUNTS, "20"])
    section = {"kind": "wrapper", "data": path, "target": "y", "model": "tree"}
    with pytest.raises(InputError, match=r"class 20 has 1 row, too few .*; or predict numbers \(--holds numbers, in"):
        oracle_from(section, tmp_path)


LARGE = ["1234567890123456001", "1234567890123456002", "1234567890123456900"]


@pytest.mark.parametrize("holds", [None, CLASSES])
def test_whole_numbers_that_floats_do_not_tell_apart_are_classes_of_their_own(holds):
    y, held = target_of([*LARGE, f"{LARGE[0]}.0", "2"], holds, None)
    assert held == CLASSES
    assert y.tolist() == [*LARGE, LARGE[0], "2"]
    many = [str(10**30 + k) for k in range(60)]
    assert target_of(many, CLASSES, None)[0].tolist() == many
    signed, _ = target_of(["-0", "0", str(2**60)], NUMBERS, None)
    assert signed.tolist() == [0.0, 0.0, 2.0**60]


def test_numbers_that_floats_do_not_tell_apart_are_no_numbers_to_predict():
    for cells, holds in ((LARGE, NUMBERS), ([str(10**30 + k) for k in range(60)], None)):
        with pytest.raises(InputError, match="differ beyond the 15 digits that are computed with; shorten them, or"):
            target_of(cells, holds, None)
    apart = [str(10**30 + 10**16 * k) for k in range(60)]
    assert target_of(apart, None, None)[0].tolist() == [float(cell) for cell in apart]


def test_columns_that_floats_do_not_tell_apart_or_do_not_hold_are_left_out_for_what_they_are(tmp_path):
    rows = [f"{k % 7},{10**18 + k},{10**400 + k},,{k % 2}" for k in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a,id,huge,nothing,y", *rows]) + "\n")
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    told = "; ".join(data.notes)
    assert data.columns == ("a",)
    assert "'id' is left out: its values differ only beyond the 15 digits that are computed with; shorten them" in told
    assert "'huge' is left out: it holds numbers too large to compute with, as in '1000000000…'; write them in" in told
    assert "'nothing' is left out: it is empty" in told
    hashes = [*(f"{k:03x}f{k:03x}" for k in range(59)), "7e88912"]
    rows = [f"{k},{'5' if k % 2 else '5.0'},{cell},{k % 2}" for k, cell in enumerate(hashes)]
    (tmp_path / "u.csv").write_text("\n".join(["a,same,hash,y", *rows]) + "\n")
    told = "; ".join(load(str(tmp_path / "u.csv"), "y", tidy=True).notes)
    assert "'same' is left out: it is constant" in told
    assert "'hash' is left out: 60 different texts in 60 rows look like names" in told
    with pytest.raises(InputError, match="line 2: 'huge' is 1000000000…, too large to compute with; write it in"):
        load(str(tmp_path / "t.csv"), "huge", tidy=True)


def test_numbers_whose_squares_no_float_holds_are_too_large(tmp_path):
    rows = [f"{k % 7},{'1e151' if k % 2 else '-1e308'},{9e149 if k % 3 else 1},{k % 2}" for k in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["a,big,less,y", *rows]) + "\n")
    data = load(str(tmp_path / "t.csv"), "y", tidy=True)
    assert data.columns == ("a", "less")
    assert "'big' is left out: it holds numbers too large to compute with, as in '-1e308'; write" in "".join(data.notes)
    with pytest.raises(
        InputError, match="line 2: 'big' is -1e308, too large to compute with; write it in a larger unit"
    ):
        load(str(tmp_path / "t.csv"), "y")


def test_data_of_one_row_or_without_a_name_are_one_line(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,2,0\n")
    with pytest.raises(InputError, match="one row tells nothing apart; add rows"):
        load(str(tmp_path / "t.csv"), "y", tidy=True)
    with pytest.raises(InputError, match="the name of the data is empty"):
        load("", "y", tidy=True)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"model": "knm:3"}, "unknown model 'knm:3'; did you mean 'knn'"),
        ({"model": "knn:0"}, "the number of neighbours must be a whole number above 0, found '0'"),
        ({"model": "linear:2"}, "takes no parameter"),
        ({"holds": "class"}, "a target holds classes or numbers, found 'class'"),
    ],
)
def test_a_model_or_a_kind_that_is_none_is_refused_before_the_data_are_read(tmp_path, how, says):
    with pytest.raises(InputError, match=says):
        load(str(tmp_path / "no such file.csv"), "y", **how)
