"""An oracle table is read as it was written, and whatever is wrong with a file is one clear line."""

from __future__ import annotations

import gzip
import math
import os
import pickle
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit.asks import Evaluate, Failure, Measured
from elicit.complete import complete
from elicit.errors import InputError, OracleError
from elicit.events import SCORE_AND_SIZE, Criterion
from elicit.oracles import CallableOracle, SyntheticOracle, TableOracle, write_table
from elicit.oracles.table_writing import _next_batch
from elicit.subsets import Attributes, Family

GOOD = "malt,hue,score,score_sd,cost\n1,0,0.5,0.1,3\n0,1,0.25,0.2,4\n1,1,0.75,0,7\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="t.csv"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        return path

    return write


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_table_gives_its_criteria_and_counts_the_size(write, name):
    oracle = TableOracle(write(GOOD, name), minimise=["cost"])
    assert oracle.attributes.names == ("malt", "hue")
    assert [(c.name, c.maximise) for c in oracle.criteria] == [
        ("score", True),
        ("size", False),
        ("cost", False),
    ]
    assert oracle(Evaluate(0, 3)) == Measured((0.75, 2.0, 7.0), ((), (), ()), (0.0, None, None))
    assert oracle(Evaluate(0, 1)) == Measured((0.5, 1.0, 3.0), ((), (), ()), (0.1, None, None))
    assert oracle.masks() == [1, 2, 3]
    assert oracle.values().tolist() == [[0.5, 1, 3], [0.25, 1, 4], [0.75, 2, 7]]


def test_a_subset_that_is_not_in_the_table_is_a_failure(write):
    oracle = TableOracle(write("a,b,score\n1,0,1\n"))
    assert oracle(Evaluate(0, 2)) == Failure("the table t.csv has no row for this subset")
    assert oracle(Evaluate(0, 1)).spread == (None, None)
    with pytest.raises(InputError, match="beyond the 2 there are"):
        oracle(Evaluate(0, 4))


def test_the_fingerprint_is_of_the_contents_not_of_the_file(write):
    base = TableOracle(write(GOOD))
    assert base.fingerprint == TableOracle(write(GOOD.replace("\n", "\r\n"), "u.csv.gz")).fingerprint
    assert base.fingerprint == pickle.loads(pickle.dumps(base)).fingerprint
    others = [GOOD.replace("0.75", "0.76"), GOOD.replace("malt", "ash"), GOOD.replace("0.2,4", "0.3,4")]
    assert len({base.fingerprint, *(TableOracle(write(o)).fingerprint for o in others)}) == 4
    assert base.fingerprint != TableOracle(write(GOOD), minimise=["cost"]).fingerprint


FOLDS = "malt,hue,score,fold_1,score_sd,fold_2\n1,0,0.5,0.4,0.1,0.6\n0,1,0.25,0.2,0.2,0.3004\n1,1,0.75,1,0,0.5\n"


def test_folds_are_the_scores_behind_a_score_and_no_criteria(write):
    oracle = TableOracle(write(FOLDS))
    assert [criterion.name for criterion in oracle.criteria] == ["score", "size"]
    assert oracle(Evaluate(0, 1)) == Measured((0.5, 1.0), ((0.4, 0.6), ()), (0.1, None))
    assert oracle.folds().tolist() == [[0.4, 0.6], [0.2, 0.3004], [1, 0.5]]
    assert TableOracle(write(GOOD)).folds() is None
    other = TableOracle(write(FOLDS.replace("0.4,0.1,0.6", "0.6,0.1,0.4")))
    assert len({oracle.fingerprint, other.fingerprint, TableOracle(write(GOOD)).fingerprint}) == 3


def test_a_spread_that_nobody_knows_is_not_written(tmp_path):
    known = CallableOracle(lambda mask: float(mask), ["a", "b"], takes="mask")
    write_table(tmp_path / "t.csv", known)
    assert (tmp_path / "t.csv").read_text().splitlines()[0] == "a,b,score"
    assert TableOracle(tmp_path / "t.csv")(Evaluate(0, 1)).spread in ((), (None, None))

    class Mixed:
        attributes, criteria, fingerprint = Attributes.numbered(2), SCORE_AND_SIZE, ""

        def __call__(self, request):
            return Measured((0.5, 1.0), ((), ()), (0.1 if request.subset < 3 else None, None))

    with pytest.raises(InputError, match="some scores came with a spread and others without"):
        write_table(tmp_path / "u.csv", Mixed())


@pytest.mark.parametrize(
    "reply", [0.5, None, Measured((0.5,)), Measured(0.5), Measured((np.nan, 1.0)), Measured(("0.5", 1.0))]
)
def test_a_reply_that_no_table_can_hold_is_refused_at_once_and_no_file_appears(tmp_path, reply):
    class Wrong:
        attributes, criteria, fingerprint, asked = Attributes.numbered(4), SCORE_AND_SIZE, "", 0

        def __call__(self, _):
            self.asked += 1
            return reply

    wrong = Wrong()
    with pytest.raises(OracleError, match="expected a Failure, or a Measured with 2 finite numbers, found"):
        write_table(tmp_path / "t.csv", wrong, n_jobs=1)
    assert wrong.asked == 1
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="an oracle measures subsets of its attributes by its criteria, found"):
        write_table(tmp_path / "t.csv", len)


def test_a_dropped_attribute_may_be_called_as_columns_are(tmp_path):
    oracle = CallableOracle(lambda mask: float(mask), ["score", "b"], takes="mask")
    write_table(tmp_path / "t.csv", oracle, family=Family(2, drop=0b1))
    assert (tmp_path / "t.csv").read_text().splitlines()[0].startswith("b,score")
    with pytest.raises(InputError, match="an attribute of a table cannot be called 'score'"):
        write_table(tmp_path / "u.csv", oracle)


def test_a_table_is_written_with_its_folds_where_that_is_wanted(tmp_path):
    class OfTwoFolds:
        attributes, criteria, fingerprint = Attributes.numbered(2), SCORE_AND_SIZE, ""

        def __call__(self, request):
            return Measured((request.subset / 4, 1.0), ((request.subset / 8, request.subset * 3 / 8), ()), (0.1, None))

    oracle = OfTwoFolds()
    write_table(tmp_path / "t.csv", oracle, folds=2)
    assert (tmp_path / "t.csv").read_text().splitlines()[0].endswith("score,score_sd,fold_1,fold_2")
    assert TableOracle(tmp_path / "t.csv").folds().tolist() == [[k / 8, k * 3 / 8] for k in (1, 2, 3)]
    write_table(tmp_path / "t.csv", oracle)
    assert TableOracle(tmp_path / "t.csv").folds() is None
    with pytest.raises(InputError, match="a table of 3 folds was to be written, but 2 scores came"):
        write_table(tmp_path / "t.csv", oracle, folds=3)
    with pytest.raises(InputError, match="a table of 1 folds was to be written, but 2 scores came"):
        write_table(tmp_path / "t.csv", oracle, folds=1)
    with pytest.raises(InputError, match="a table of 2 folds was to be written, but 0 scores came"):
        write_table(tmp_path / "t.csv", truth(), folds=2)


def test_the_table_of_the_wine_data():
    oracle = TableOracle(Path(__file__).parents[2] / "scenarios" / "wine_knn3.csv.gz")
    assert len(oracle) == 8191
    assert oracle(Evaluate(0, 8191)) == Measured((0.9552287582, 13.0), ((), ()), (0.0352662, None))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,merit\n1,0,1\n", "line 1: no column is called 'score'"),
        ("", "line 1: no column is called 'score'"),
        ("a;b;score\n1;0;1\n", "line 1: one cell, 'a;b;score', is all there is; put commas between the cells"),
        ("a\tb\tscore\n1\t0\t1\n", r"line 1: one cell, 'a\tb\tscore', is all"),
        ("score\n1\n", "line 1: no attribute comes before 'score'"),
        ("a,a,score\n1,0,1\n", "line 1: the column 'a' occurs 2 times"),
        ("a,,score\n1,0,1\n", "line 1: column 2 needs a printable name"),
        ('a,"b\x1b",score\n1,0,1\n', "line 1: column 2 needs a printable name"),
        ("a,score_sd,score\n1,0,1\n", "'score_sd' comes before 'score'"),
        ("a,score,size\n1,0,1\n", "line 1: 'size' is counted"),
        ("a,b,score\n", "line 1: no subset follows the header"),
        ("a,b,score\n1,0,.5\n1,2,.5\n", "line 3: 'b' is 2, but an attribute is 0 or 1"),
        ("a,b,score\n1,0,.5\n1,nan,.5\n", "line 3: 'b' is nan"),
        ("a,b,score\n1,0,.5\n\n0,1,nan\n", "line 4: 'score' is nan, but a criterion is a finite number"),
        ("a,b,score,cost\n1,0,.5,1\n0,1,1,inf\n", "line 3: 'cost' is inf"),
        ("a,b,score\n1,0,.5\n0,1,-1e250\n", "line 3: 'score' is -1e+250, but a criterion is a number below 1e+250"),
        ("a,b,score,score_sd\n1,0,.5,-1\n", "line 2: 'score_sd' is -1, but a spread is at least 0"),
        ("a,score,fold_1\n1,1,1\n", "line 1: folds are the columns fold_1, fold_2, … in this order; found fold_1;"),
        ("a,score,fold_2,fold_1\n1,1,1,1\n", "in this order; found fold_2, fold_1; add what is missing, or rename"),
        ("a,score,fold_0,fold_1\n1,1,1,1\n", "in this order; found fold_0, fold_1"),
        ("a,fold_1,score,fold_2\n1,1,1,1\n", "in this order; found fold_2"),
        ("a,b,score,fold_1,fold_2\n1,0,2,1,3\n0,1,.5,.6,.5\n", "line 3: 'score' is 0.5, but the mean of its folds is"),
        ("a,b,score,fold_1,fold_2\n1,0,1,nan,1\n", "line 2: 'fold_1' is nan"),
        ("a,b,score\n1,0,.5\n0,1,.5\n1,0,.4\n", "line 4: line 2 has this subset, too"),
        ("a,b,score\n1,0,.5\n0,0,.5\n", "line 3: the subset is empty"),
        ("a,b,score\n1,0,.5\n0,1\n", "line 3: 2 entries were found where the header has 3"),
        ("a,b,score\n1,0\n0,1\n", "line 2: 2 entries were found where the header has 3"),
        ("a,b,score\n1,0,.5\n0,1,high\n", "line 3: 'score' is 'high', expected a number"),
        ("a,b,score\n1,0,.5\n0,1,\n", "line 3: 'score' is '', expected a number"),
        ("a,b,score\n1,0,\x1b[2J\n", "expected a number"),
        ("a,b,score\n1,0,.5\n,,\n0,1,.6\n", "line 3: 'a' is '', expected a number"),
        ("a,b,score\n1,0,.5\n0,1,٣\n", "line 3: 'score' is '٣', expected a number"),
        ("a,b,score\n1,0,.5\n" + "1" * 200_000 + ",0,1\n", "line 3: not a row of CSV (field larger"),
        ("a" * 200_000 + ",b,score\n1,0,.5\n", "line 1: not a CSV file (field larger"),
        (b"\xff\xfe\x00\x01", "not a CSV file"),
        (b"a,b,score\n1,0,\xff\n", "not a CSV file"),
        (b"\x1f\x8b\x08broken", "cannot be read"),
        (gzip.compress(GOOD.encode(), mtime=0)[:-12], "cannot be read"),
    ],
)
def test_a_bad_table_is_one_line_with_the_file_and_the_line(write, text, says):
    path = write(text)
    with pytest.raises(InputError) as caught:
        TableOracle(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert says in message
    assert message.isprintable()


def test_a_pipe_is_read_once_and_its_errors_have_their_lines():
    def piped(text):
        out, into = os.pipe()
        with os.fdopen(into, "w") as file:
            file.write(text)
        try:
            return TableOracle(f"/dev/fd/{out}")
        finally:
            os.close(out)

    assert len(piped(GOOD)) == len(GOOD.splitlines()) - 1
    with pytest.raises(InputError, match="line 3: 'score' is nan, but a criterion is a finite number"):
        piped("a,b,score\n1,0,.5\n0,1,nan\n")
    with pytest.raises(InputError, match="line 3: 'score' is 'x', expected a number"):
        piped("a,b,score\n1,0,.5\n0,1,x\n")


def test_bad_paths_and_names(write, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        TableOracle(tmp_path / "none.csv")
    with pytest.raises(InputError, match="is a folder"):
        TableOracle(tmp_path)
    with pytest.raises(InputError, match="minimise names 'price', not a criterion; the criteria are score, cost, size"):
        TableOracle(write(GOOD), minimise=["price"])
    for single in ("cost", 3):
        with pytest.raises(InputError, match=r"minimise is a list of names of criteria, such as \['cost'\]"):
            TableOracle(write(GOOD), minimise=single)


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda b: b.decode("latin-1")))
@settings(max_examples=150, deadline=None)
def test_no_file_whatever_is_more_than_an_input_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("any") / "t.csv"
    for prefix in ("", "a,b,score\n1,0,1\n"):
        path.write_text(prefix + text, encoding="utf-8", newline="")
        try:
            TableOracle(path)
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017


def truth(n=5):
    theta = {1 << i: math.sqrt(i + 2) / 7 for i in range(n)} | {3: -1 / 3}
    return SyntheticOracle(n, theta, size=True)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_what_is_written_is_read_to_the_last_bit(tmp_path, name, n_jobs):
    seen = []
    written = write_table(tmp_path / name, truth(), n_jobs=n_jobs, progress=lambda *at: seen.append(at))
    assert (written.rows, written.failures) == (31, {})
    assert seen[-1] == (31, 31)
    table = TableOracle(tmp_path / name)
    assert sorted(table.masks()) == list(range(1, 32))
    for mask in table.masks():
        assert table(Evaluate(0, mask)).criteria == truth()(Evaluate(0, mask)).criteria
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_link_stays_one_and_a_file_keeps_who_may_read_it(tmp_path):
    (tmp_path / "real.csv").write_text("")
    (tmp_path / "real.csv").chmod(0o600)
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    long = tmp_path / ("x" * 251 + ".csv")
    for path in (tmp_path / "link.csv", long):
        write_table(path, truth())
        assert len(TableOracle(path)) == 31
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").stat().st_mode & 0o777 == 0o600
    assert len(TableOracle(tmp_path / "real.csv")) == 31


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_file_is_whole_on_the_disk_before_it_takes_the_place_of_another(tmp_path, monkeypatch, name):
    path, synced = tmp_path / name, []
    path.write_text("another")
    monkeypatch.setattr(os, "fsync", lambda file: synced.append((os.fstat(file).st_size, path.read_bytes())))
    write_table(path, truth())
    assert synced == [(path.stat().st_size, b"another")]


def test_the_same_table_has_the_same_bytes(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(tmp_path / name, truth())
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_only_the_family_is_written_and_failures_have_no_row(tmp_path):
    def fn(names):
        if "a1" in names and len(names) == 2:
            raise ValueError("no")
        return {"score": 1.0, "price": 2.0 * len(names)}

    criteria = (*SCORE_AND_SIZE, Criterion("price", maximise=False))
    oracle = CallableOracle(fn, 4, criteria)
    written = write_table(tmp_path / "t.csv", oracle, Family(4, keep=1, max_size=3))
    assert written.failures == dict.fromkeys((3, 5, 9), "ValueError: no")
    table = TableOracle(tmp_path / "t.csv", minimise=["price"])
    assert table.criteria == criteria
    assert set(table.masks()) == {1, 7, 11, 13}
    assert table(Evaluate(0, 7)).criteria == (1.0, 3.0, 6.0)


def test_what_is_known_is_written_without_being_measured_again_or_kept(tmp_path):
    asked, kept = [], {}
    oracle = CallableOracle(lambda names: asked.append(names) or float(len(names)), 2)
    known = {2: Measured((9.0, 1.0), ((), ()), (None, None))}
    write_table(tmp_path / "t.csv", oracle, known=known, keep=kept.update)
    assert sorted(asked) == [("a1",), ("a1", "a2")]
    assert sorted(kept) == [1, 3]
    assert TableOracle(tmp_path / "t.csv")(Evaluate(0, 2)).criteria == (9.0, 1.0)


def test_all_that_was_measured_before_an_interrupt_is_kept(tmp_path, monkeypatch):
    asked, kept = [], {}

    def measured(names):
        asked.append(names)
        if len(asked) == 27:
            raise KeyboardInterrupt
        return float(len(names))

    monkeypatch.setattr("elicit.oracles.table_writing.time", SimpleNamespace(monotonic=lambda: 0.0))  # so batches grow
    with pytest.raises(KeyboardInterrupt):
        write_table(tmp_path / "t.csv", CallableOracle(measured, 9), keep=kept.update)
    assert len(kept) == 26
    write_table(tmp_path / "t.csv", CallableOracle(measured, 9), known=kept)
    assert len(asked) == 511 + 1, "but for the one under way nothing is measured twice"


def test_dropped_attributes_have_no_column(tmp_path):
    write_table(tmp_path / "whole.csv", truth())
    write_table(tmp_path / "part.csv", truth(), Family(5, drop=0b01010))
    whole, part = TableOracle(tmp_path / "whole.csv"), TableOracle(tmp_path / "part.csv")
    assert part.attributes.names == tuple(whole.attributes.names[i] for i in (0, 2, 4))
    assert sorted(part.masks()) == list(range(1, 8))
    for mask in part.masks():
        names = part.attributes.subset(mask)
        assert part(Evaluate(0, mask)) == whole(Evaluate(0, whole.attributes.mask(names)))


@pytest.mark.parametrize(("seconds", "most"), [(0.2, 4096), (1.5, 2), (30.0, 2)])
def test_a_batch_takes_a_second_or_two(seconds, most):
    """Whoever interrupts workers loses what is under way, however slow a subset is."""
    counts = [2]
    for _ in range(20):
        counts.append(_next_batch(counts[-1], seconds, 2))
    assert counts[-1] == max(counts) == most
    assert _next_batch(4096, 30.0, 2) == 2048


def test_of_slow_subsets_in_a_batch_that_quick_ones_made_large_one_or_two_wait_to_be_kept(tmp_path, monkeypatch):
    now, asked, kept, waiting = [0.0], [], {}, set()

    def measured(names):
        if now[0] > 1:
            waiting.add(len(asked) - len(kept))
        asked.append(names)
        now[0] += 0.0 if len(asked) < 150 else 0.7
        return float(len(names))

    monkeypatch.setattr("elicit.oracles.table_writing.time", SimpleNamespace(monotonic=lambda: now[0]))
    write_table(tmp_path / "t.csv", CallableOracle(measured, 9), keep=kept.update)
    assert len(kept) == len(asked) == 511
    assert waiting == {0, 1}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_what_is_kept_is_kept_once(tmp_path, n_jobs, monkeypatch):
    kept, clock = [], count(step=2)  # so that all is handed on at once
    monkeypatch.setattr("elicit.oracles.table_writing.time", SimpleNamespace(monotonic=lambda: next(clock)))
    with joblib.parallel_config("threading"):
        write_table(tmp_path / "t.csv", truth(), n_jobs=n_jobs, keep=kept.extend)
    assert sorted(kept) == sorted(TableOracle(tmp_path / "t.csv").masks())


def test_a_process_that_is_killed_on_the_way_leaves_no_file_of_its_own(tmp_path):
    with complete(tmp_path / "t.csv") as out:
        out.write("row\n")
        assert list(tmp_path.iterdir()) == []  # what is not there need not be tidied up
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    with pytest.raises(FileNotFoundError), complete(tmp_path / "gone" / "t.csv"):
        pytest.fail("the work began, though it cannot be written")


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupted_table_leaves_no_file_and_keeps_the_old_one(tmp_path, error):
    path = tmp_path / "t.csv"
    path.write_text("old")

    def stop(*_):
        raise error

    with pytest.raises(error):
        write_table(path, truth(), progress=stop)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_tables_that_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="2097151 subsets are too many for one table"):
        write_table(tmp_path / "t.csv", SyntheticOracle(21, {1: 1.0}))
    with pytest.raises(InputError, match="cannot be written"):
        write_table(tmp_path / "nowhere" / "t.csv", truth())
    with pytest.raises(InputError, match="a criterion called 'score'"):
        write_table(tmp_path / "t.csv", CallableOracle(len, 2, [Criterion("merit")]))
    with pytest.raises(InputError, match="cannot be called 'score'"):
        write_table(tmp_path / "t.csv", SyntheticOracle(["score", "b"], {}))
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("elicit.oracles.table_writing.LARGEST_TABLE", 30)
    with pytest.raises(InputError, match="31 subsets are too many for one table \\(limit 30\\)"):
        write_table(tmp_path / "t.csv", truth())


def test_cells_may_stand_in_quotes_and_python_s_own_numbers_are_named(write):
    quoted = write('"malt","hue","score"\n"1","0","0.5"\n"0","1",0.25\n')
    assert TableOracle(quoted).values().tolist() == [[0.5, 1.0], [0.25, 1.0]]
    with pytest.raises(InputError, match=r"line 3: 'score' is '0_0\.25', expected a number"):
        TableOracle(write("malt,hue,score\n1,0,0.5\n0,1,0_0.25\n"))


@pytest.mark.parametrize("name", ["a\x1b[31m", " a", "a "])
def test_names_that_could_not_be_read_are_not_written(tmp_path, name):
    oracle = CallableOracle(lambda _: 1.0, [name, "b"])
    with pytest.raises(InputError, match="needs printable names"):
        write_table(tmp_path / "t.csv", oracle)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("attributes", "extra", "twice"), [(["cost", "b"], "cost", "cost"), (["a", "b"], "score_sd", "score_sd")]
)
def test_a_table_that_could_not_be_read_is_not_measured(tmp_path, attributes, extra, twice):
    criteria = [Criterion("score"), Criterion("size", maximise=False), Criterion(extra, maximise=False)]
    measured = []

    def measure(names):
        measured.append(names)
        return {"score": 1.0, extra: 1.0}

    with pytest.raises(InputError, match=f"two columns called '{twice}'"):
        write_table(tmp_path / "t.csv", CallableOracle(measure, attributes, criteria))
    assert not measured


def test_a_criterion_that_would_be_read_as_a_fold_is_not_written(tmp_path):
    criteria = [Criterion("score"), Criterion("fold_7")]
    with pytest.raises(InputError, match="a criterion of a table cannot be called 'fold_7', as scores of folds are"):
        write_table(tmp_path / "t.csv", CallableOracle(lambda _: {"score": 1.0, "fold_7": 1.0}, 2, criteria))


@pytest.mark.parametrize("number", [np.float64, np.float32, np.array])  # an array of one number is taken as it
def test_numbers_of_numpy_are_written_as_plain_ones(tmp_path, number):
    class OfNumpy:
        attributes, criteria, fingerprint = Attributes.numbered(2), SCORE_AND_SIZE, ""

        def __call__(self, request):
            return Measured((number(request.subset / 4), number(1)), (), (number(0.5), None))

    write_table(tmp_path / "t.csv", OfNumpy())
    assert TableOracle(tmp_path / "t.csv")(Evaluate(0, 3)).criteria == (0.75, 2.0)
