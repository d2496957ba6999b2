"""A journal gives back what was appended, refuses what it is not sure of, and loses nothing acknowledged."""

import dataclasses
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
import typing
import zlib
from pathlib import Path

import pytest
import sklearn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elicit.asks import Failure, Measured
from elicit.errors import InputError, JournalError, JournalFormatError
from elicit.events import (
    Answer,
    Asked,
    Assumed,
    Criterion,
    Evaluated,
    Fact,
    Failed,
    Preferred,
    Resumed,
    Retracted,
    Settled,
    Stopped,
)
from elicit.journal import Header, Journal, begun, identity, is_journal, library_versions, lines, read, writing
from elicit.subsets import Attributes

GOLDEN = Path(__file__).parent / "golden" / "journal_v2.jsonl"
FIRST_FORMAT = GOLDEN.with_name("journal_v1.jsonl")

posix = pytest.mark.skipif(os.name != "posix", reason="signals, pipes and limits of POSIX")

NAMES = ("alcohol", 'a "quoted" \\ name', "θ\x1b[31m\n\u2028", "\ud800 <b>")
HEADER = Header(
    seed=7,
    fingerprint="sha256:0123",
    attributes=Attributes(NAMES),
    criteria=(Criterion("score"), Criterion("fit time", maximise=False, unit="s")),
    settings={"budget": 91, "parsimony": 0.1, "methods": ("elicit", None), "a": {"z": True, "b": 1e-300}},
    versions={"numpy": "2.0"},
)
FACTS: tuple[Fact, ...] = (
    Evaluated(0, 0b0001, (0.1 + 0.2, 1.0), ((0.25, 0.5), ()), (0.125, None)),
    Evaluated(1, 0b0110, (1 / 3, 2.0)),
    Failed(2, 0b1111, "ValueError: found\n\x1b[31m NaN"),
    Asked(3, (0b1000, 0b0010), (0b0001, 0b0110), True, (), ((0b0100, 0.37),), "the most promising"),
    Preferred(4, 0b0001, 0b0110, Answer.FIRST),
    Assumed(5, 0b0001, 0b0110, "weak", "prior"),
    Retracted(6, 4),
    Settled(7, (4, 5)),
    Stopped(8, "budget"),
    Resumed(9, 141),
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


def write(path, facts=FACTS, header=HEADER, at=None):
    path.unlink(missing_ok=True)
    with Journal.create(path, header, at) as journal:
        for fact in facts:
            journal.append(fact, at)
    return path.read_bytes()


def damage(path):
    with pytest.raises(JournalError) as caught:
        read(path)
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    with pytest.raises(JournalError, match=re.escape(message)):
        Journal.open(path)
    return message


def forged(lines):
    """Lines of JSON with checks that hold: what a forger, or a later version, could write."""
    check, found = 0, []
    for line in lines:
        body = line.encode("ascii")[:-1]
        check = zlib.crc32(body, check)
        found.append(body + b', "crc": "%08x"}\n' % check)
    return b"".join(found)


def unchecked(path):
    return [re.sub(r', "crc": "[0-9a-f]{8}"}$', "}", line) for line in path.read_text().splitlines()]


# reading back

MASKS = st.integers(1, 15)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(max_size=20)
REQUESTS = st.integers(0, 2**70)
MEASURES = {
    "criteria": st.tuples(NUMBERS, NUMBERS),
    "folds": st.one_of(st.just(()), st.tuples(*[st.lists(NUMBERS, max_size=4).map(tuple)] * 2)),
    "spread": st.one_of(st.just(()), st.tuples(*[st.none() | NUMBERS] * 2)),
}
FACT = st.one_of(
    st.builds(Evaluated, REQUESTS, MASKS, **MEASURES),
    st.builds(Failed, REQUESTS, MASKS, TEXTS),
    st.builds(
        Asked,
        REQUESTS,
        st.lists(MASKS, max_size=3).map(tuple),
        st.none() | st.tuples(MASKS, MASKS),
        st.booleans(),
        st.lists(REQUESTS, max_size=3).map(tuple),
        st.lists(st.tuples(MASKS, NUMBERS), max_size=3).map(tuple),
        TEXTS,
    ),
    st.builds(Settled, REQUESTS, st.lists(REQUESTS, max_size=3).map(tuple)),
    st.builds(Resumed, REQUESTS, st.none() | REQUESTS),
    st.builds(Preferred, REQUESTS, MASKS, MASKS, st.sampled_from(Answer)),
    st.builds(Assumed, REQUESTS, MASKS, MASKS, TEXTS, TEXTS),
    st.builds(Retracted, REQUESTS, REQUESTS),
    st.builds(Stopped, REQUESTS, TEXTS),
)
RESULT = st.one_of(st.builds(Measured, **MEASURES), st.builds(Failure, TEXTS))
ON_SHARED_PATH = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


@ON_SHARED_PATH
@given(
    facts=st.lists(st.tuples(FACT, st.none() | st.floats(0, 1e12)), max_size=8),
    cached=st.dictionaries(MASKS, RESULT, max_size=3),
    afresh=st.dictionaries(st.tuples(REQUESTS, MASKS), RESULT, max_size=3),
)
def test_every_fact_reads_back_exactly(path, facts, cached, afresh):
    path.unlink(missing_ok=True)
    with Journal.create(path, HEADER) as journal:
        for fact, at in facts:
            journal.append(fact, at)
        for subset, result in cached.items():
            journal.cache(subset, result)
        for (seed, subset), result in afresh.items():
            journal.keep_afresh(seed, subset, result)
        kept = journal.facts, journal.cached, journal.afresh
    record = read(path)
    assert (record.facts, record.cached, record.afresh) == kept
    assert record.facts == tuple(fact for fact, _ in facts)
    assert [repr(fact) for fact in record.facts] == [repr(fact) for fact, _ in facts]  # -0.0 and 1.0 too
    assert record.times == tuple(at for _, at in facts)
    assert (record.cached, record.afresh) == (cached, afresh)
    assert record.header == HEADER


def test_every_kind_of_fact_and_every_field_is_recorded():
    kinds = typing.get_args(Fact)
    assert {type(fact) for fact in FACTS} == set(kinds) == set(lines.FACTS)
    for kind in (*kinds, Measured, Failure):
        fields = (lines.FACTS | lines.RESULTS)[kind]
        assert list(fields) == [field.name for field in dataclasses.fields(kind)]


def test_the_header_reads_back(path):
    write(path)
    header = read(path).header
    assert header == HEADER
    assert header.settings == {
        "a": {"b": 1e-300, "z": True},
        "budget": 91,
        "methods": ["elicit", None],
        "parsimony": 0.1,
    }


def test_whole_numbers_are_kept_as_the_floats_they_stand_for(path):
    write(path, [Evaluated(0, 1, (1, 2))])
    assert repr(read(path).facts[0].criteria) == "(1.0, 2.0)"


@ON_SHARED_PATH
@given(st.lists(st.text(min_size=1), unique=True, min_size=1, max_size=5), TEXTS)
def test_any_name_survives_and_stays_one_line_of_ascii(path, names, text):
    attributes = Attributes(tuple(names))
    header = Header(0, text, attributes, (Criterion(text, unit=text),), {text: text})
    data = write(path, [Evaluated(0, attributes.everything, (0.5,)), Stopped(1, text)], header)
    assert data.count(b"\n") == 3
    assert all(32 <= byte < 127 for byte in data.replace(b"\n", b""))
    assert read(path).header == header
    assert read(path).facts == (Evaluated(0, attributes.everything, (0.5,)), Stopped(1, text))


def test_a_thousand_attributes_are_no_trouble(path):
    header = dataclasses.replace(HEADER, attributes=Attributes.numbered(1000))
    facts = [Evaluated(i, (1 << 1000) - 1 - (1 << i), (0.5, 1.0)) for i in range(3)]
    data = write(path, facts, header)
    assert read(path).facts == tuple(facts)
    assert len(data) < 50_000


def test_the_same_facts_give_the_same_bytes(path, tmp_path):
    reordered = dataclasses.replace(HEADER, settings=dict(reversed(HEADER.settings.items())))
    assert write(path) == write(tmp_path / "other.jsonl", header=reordered)


def test_times_and_cached_results_are_outside_the_identity(path, tmp_path):
    write(path)
    other = tmp_path / "other.jsonl"
    with Journal.create(other, HEADER, at=12.5) as journal:
        journal.cache(3, Measured((0.5, 2.0)))
        for second, fact in enumerate(FACTS):
            journal.append(fact, at=second)
            journal.cache(5, Failure("no"), at=3)
        journal.keep_afresh(1000, 3, Measured((0.4, 2.0)), at=4)
    assert other.read_bytes() != path.read_bytes()
    assert identity(other) == identity(path)
    assert read(other).cached == {3: Measured((0.5, 2.0)), 5: Failure("no")}
    assert read(other).afresh == {(1000, 3): Measured((0.4, 2.0))}
    with Journal.open(other) as journal:
        assert journal.afresh == read(other).afresh
    assert read(other).times == tuple(range(len(FACTS)))
    for different in (FACTS[:-1], (*FACTS[:-1], Resumed(9, 142)), (FACTS[1], FACTS[0], *FACTS[2:])):
        write(other, different)
        assert identity(other) != identity(path)


def test_the_lines_are_plain_json_for_other_programs(path):
    write(path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[0]["journal"] == 2
    assert lines[1]["subset"] == ["alcohol"]
    assert [line["fact"] for line in lines[1:]] == [type(fact).__name__.lower() for fact in FACTS]


def test_a_result_on_fresh_folds_names_its_seed(path):
    with Journal.create(path, HEADER) as journal:
        journal.keep_afresh(1000, 0b0010, Failure("no fit"))
    line = json.loads(path.read_text().splitlines()[1])
    del line["crc"]
    assert line == {"afresh": "failure", "seed": 1000, "subset": [HEADER.attributes.names[1]], "reason": "no fit"}


def test_library_versions_name_what_a_run_depends_on():
    versions = library_versions()
    assert {"numpy", "scipy", "scikit-learn", "highspy", "python"} <= set(versions)


# the golden journals: these files never change; the first format, of before any version, is not read any more


def test_the_golden_journal_of_format_2_is_read():
    record = read(GOLDEN)
    assert record.header == HEADER
    assert record.facts == FACTS
    assert record.times == (None, None, None, None, 1700000000.25, *[None] * (len(FACTS) - 5))
    assert record.cached == {
        0b0011: Measured((0.5, 2.0), ((0.5,), ()), (0.0, None)),
        0b0100: Failure("no fit"),
    }


def test_the_golden_journal_is_what_is_written_today(path):
    """When this fails, a new format version has begun: give it a number and a golden journal of its own."""
    with Journal.create(path, HEADER) as journal:
        for fact in FACTS:
            if fact.request == 3:
                journal.cache(0b0011, Measured((0.5, 2.0), ((0.5,), ()), (0.0, None)))
                journal.cache(0b0100, Failure("no fit"))
            journal.append(fact, 1700000000.25 if fact.request == 4 else None)
    assert path.read_bytes() == GOLDEN.read_bytes()


# continuing


def test_a_journal_is_continued_where_it_stopped(path, tmp_path):
    whole = write(tmp_path / "whole.jsonl")
    write(path, FACTS[:3])
    with Journal.open(path, expect_fingerprint="sha256:0123") as journal:
        assert journal.facts == FACTS[:3]
        for fact in FACTS[3:]:
            journal.append(fact)
        assert journal.facts == FACTS
    assert path.read_bytes() == whole


def test_truncated_at_every_byte_the_facts_are_a_prefix_and_the_rest_can_be_said_again(path):
    whole = write(path)
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        complete = sum(end <= cut for end in ends)
        assert begun(path) == (complete > 0)
        if complete == 0:
            assert "begin it anew" in damage(path)
            journal = Journal.create(path, HEADER)
        else:
            assert read(path).facts == FACTS[: complete - 1]
            assert path.stat().st_size == cut  # reading leaves the file as it is
            journal = Journal.open(path)
            assert path.read_bytes() == whole[: ends[complete - 1]]
        with journal:
            assert journal.facts == FACTS[: max(0, complete - 1)]
            if cut % 5 and cut not in ends:
                continue
            for fact in FACTS[len(journal.facts) :]:
                journal.append(fact)
        assert path.read_bytes() == whole


@pytest.mark.parametrize("tail", [b"\0" * 500, b'{"fact": "stop', b"\xff\xfe", b"}"])
def test_a_tail_that_was_never_acknowledged_is_dropped(path, tail):
    whole = write(path)
    path.write_bytes(whole + tail)
    assert read(path).facts == FACTS
    Journal.open(path).close()
    assert path.read_bytes() == whole


# damage


def test_every_flipped_byte_is_found_and_its_line_named(path):
    whole = write(path, FACTS[:6])
    chance = random.Random(1)
    for position in range(len(whole) - 1):
        changed = bytearray(whole)
        changed[position] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        number = whole[:position].count(b"\n") + 1
        # a newline that became something else joins two lines: the first of them is named
        assert f"line {number}:" in damage(path)


def test_a_flipped_last_newline_is_a_torn_line(path):
    whole = write(path)
    path.write_bytes(whole[:-1] + b"\x0b")
    assert read(path).facts == FACTS[:-1]


def test_a_line_lost_doubled_or_moved_is_found(path):
    lines = write(path).splitlines(keepends=True)
    for k in range(1, len(lines) - 1):
        for changed, number in (
            (lines[:k] + lines[k + 1 :], k + 1),
            (lines[: k + 1] + lines[k:], k + 2),
            ([*lines[:k], lines[k + 1], lines[k], *lines[k + 2 :]], k + 1),
            ([*lines[:k], b"\n", *lines[k:]], k + 1),
        ):
            path.write_bytes(b"".join(changed))
            assert f"line {number}: the check does not hold" in damage(path)


def test_line_ends_of_windows_and_empty_lines_are_told_as_such_for_nothing_of_the_run_is_lost(path):
    whole = write(path)
    path.write_bytes(whole.replace(b"\n", b"\r\n"))
    assert "line 1: the check does not hold: its end is one of Windows" in damage(path)
    assert damage(path).endswith("take the carriage returns out of the file, as tr -d '\\r' does")
    path.write_bytes(path.read_bytes().replace(b"\r", b""))
    assert read(path).facts == FACTS
    path.write_bytes(whole + b"\n")
    assert "the line is empty, as none is that was written; delete it" in damage(path)
    path.write_bytes(whole[:-2] + b"}\r\n")  # of the last line alone, which is whole but for that
    assert "one of Windows" in damage(path)
    path.write_bytes(whole[:-3] + b"}\r\n")
    assert "this line was changed" in damage(path)


def test_the_marks_of_editors_are_told_as_such_and_never_taken_for_a_journal_that_holds_nothing(path):
    whole = write(path)
    path.write_bytes(whole.replace(b"\n", b"\r"))
    assert damage(path).endswith("its lines end in carriage returns; make line feeds of them, as tr '\\r' '\\n' does")
    path.write_bytes(whole.replace(b"\n", b" "))
    assert "line 1: the check does not hold: this line was changed" in damage(path)
    for begin in (Journal.create, Journal.open_or_create):
        with pytest.raises((InputError, JournalError)):
            begin(path, HEADER)
    assert path.read_bytes() == whole.replace(b"\n", b" "), "nothing is written over it"
    path.write_bytes(b"\xef\xbb\xbf" + whole)
    assert damage(path).endswith(
        "the mark of an editor stands before it; take its first three bytes away, as tail -c +4 does"
    )
    assert is_journal(path), "it is not to be overwritten either"
    path.write_bytes(path.read_bytes()[3:])
    assert read(path).facts == FACTS


@pytest.mark.parametrize("data", [b"hello\n", b"hello", b"{}\n", b"\n", b"[1]\n", b"", b"\0\0\n", b"a" * 40])
def test_other_files_are_no_journals_and_are_left_alone(path, data):
    path.write_bytes(data)
    assert f"{str(path)!r} is no journal: " in damage(path)
    with pytest.raises(JournalFormatError):
        read(path)
    if not data:  # a new journal may be begun there
        return
    with pytest.raises(InputError, match="already exists"):
        Journal.create(path, HEADER)
    assert path.read_bytes() == data


def test_where_a_foreign_tail_cannot_be_cut_off_nothing_is_said_to_be_written(path, monkeypatch):
    with Journal.create(path, HEADER) as journal:
        journal.append(FACTS[0])
        whole = path.read_bytes()
        with path.open("ab") as file:
            file.write(b"somebody else's\n")

        class Stuck:
            def __init__(self, file):
                self._file = file

            def __getattr__(self, name):
                return getattr(self._file, name)

            def truncate(self, _):
                raise OSError(5, "Input/output error")

        monkeypatch.setattr(journal, "_file", Stuck(journal._file))
        for _ in range(2):
            with pytest.raises(JournalError):
                journal.append(FACTS[1])
        assert path.read_bytes() == whole + b"somebody else's\n"


def test_a_large_file_that_is_no_journal_is_not_taken_apart(path):
    path.write_bytes(b"\n" * 2_000_000)
    tracemalloc.start()
    try:
        assert "is no journal: its first line" in damage(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 4 * path.stat().st_size, "an entry for each of its lines takes eight times as much"


@pytest.fixture
def bounded_memory():
    """Less than four terabytes of it, for some systems promise any amount and keel over when it is used."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 42 if before[1] == resource.RLIM_INFINITY else before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that others may not keep to")
@pytest.mark.usefixtures("bounded_memory")
def test_a_file_that_is_larger_than_the_memory_is_refused_in_words(path):
    path.touch()
    try:
        os.truncate(path, 1 << 43)  # of which nothing is on the disk
    except OSError:
        pytest.skip("a file system that holds no such file")
    for use in (read, Journal.open, lambda where: Journal.create(where, HEADER)):
        with pytest.raises(InputError, match=r"8796093022208 bytes are too many for the memory; check the path$"):
            use(path)


def test_another_format_version_is_refused_before_anything_else_is_read(path):
    write(path)
    path.write_bytes(path.read_bytes().replace(b'{"journal": 2,', b'{"journal": 3, "anything": new', 1))
    assert "format 3 is unknown, this Elicit reads format 2" in damage(path)


def test_the_first_format_is_told_and_not_taken_for_damage(path):
    path.write_bytes(FIRST_FORMAT.read_bytes())
    told = "line 1: format 1 was written before version 0.1.0, this Elicit reads format 2; begin anew in another place"
    assert damage(path).endswith(told)


def test_a_header_that_was_lost_or_changed_at_its_beginning_is_damage(path):
    whole = write(path)
    for changed in (whole[whole.index(b"\n") + 1 :], b"[" + whole[1:]):
        path.write_bytes(changed)
        assert "line 1: " in damage(path)
        with pytest.raises(JournalError) as caught:
            read(path)
        assert not isinstance(caught.value, JournalFormatError)


def test_any_reader_of_json_sees_every_field_of_a_line(path):
    write(path)
    for line in path.read_text().splitlines():
        keys = json.loads(line, object_pairs_hook=lambda pairs: [key for key, _ in pairs])
        assert len(set(keys)) == len(keys)
        assert keys[-1] == "crc"
    asked = next(line for line in map(json.loads, path.read_text().splitlines()) if line.get("fact") == "asked")
    assert asked["check"] is True


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"fact": "guessed", #}', "unknown fact 'guessed'"),
        ('{"fact": ["stopped"], #}', "unknown fact a list"),
        ('{"fact": "stopped", #}', "has the fields request, reason, found 'request'"),
        ('{"fact": "stopped", #, "reason": "", "x\\u001b": 1}', "found 'request', 'reason', 'x\\x1b'"),
        ('{"fact": "stopped", #, "reason": "", "cache": 1}', "has the fields"),
        ('{"fact": "stopped", "request": 1.0, "reason": ""}', "request: expected a whole number, found 1.0"),
        ('{"fact": "stopped", "request": true, "reason": ""}', "expected a whole number, found True"),
        ('{"fact": "stopped", #, "reason": 5}', "reason: expected a text, found 5"),
        ('{"fact": "stopped", #, #, "reason": ""}', "a key occurs twice"),
        ('{"fact": "stopped", #, "reason": "", "time": "now"}', "expected a number, found 'now'"),
        ('{"fact": "rejected", #, $, "price": NaN}', "NaN is not a number"),
        ('{"fact": "evaluated", #, $, "criteria": [1e999, 1], "folds": [], "spread": []}', "expected a finite number"),
        ('{"fact": "evaluated", #, $, "criteria": ["1", 1], "folds": [], "spread": []}', "criteria: expected a number"),
        ('{"fact": "evaluated", #, $, "criteria": [true, 1], "folds": [], "spread": []}', "a number, found True"),
        ('{"fact": "failed", #, "subset": [], "reason": "no"}', "subset: the empty subset"),
        ('{"fact": "failed", #, "subset": ["hue"], "reason": "no"}', "subset: unknown attribute 'hue'"),
        ('{"fact": "failed", #, "subset": "alcohol", "reason": "no"}', "subset: expected a list"),
        ('{"fact": "failed", #, "subset": [["a"]], "reason": "no"}', "subset: expected a text"),
        ('{"fact": "failed", #, "subset": 3, "reason": "no"}', "subset: expected a list, found 3"),
        ('{"fact": "failed", #, "subset": ["alcohol", "alcohol"], "reason": "no"}', "once each"),
        (r'{"fact": "failed", #, "subset": ["a \"quoted\" \\ name", "alcohol"], "reason": "no"}', "in attribute order"),
        ('{"fact": "asked", #, "evaluate": [], "compare": [["alcohol"], ["alcohol"], ["alcohol"]], "check": false, '
         '"reconcile": [], "rejected": [], "why": ""}', "compare: expected two entries, found 3"),
        ('{"fact": "evaluated", #, $, "criteria": [1], "folds": [], "spread": []}',
         "criteria: expected 2 entries, one a criterion, found 1"),
        ('{"cache": "measured", $, "criteria": [], "folds": [], "spread": []}',
         "criteria: expected 2 entries, one a criterion, found 0"),
        ('{"fact": "evaluated", #, $, "criteria": [1, 2], "folds": [1, 2], '
         '"spread": []}', "folds: expected a list, found 1"),
        ('{"fact": "evaluated", #, $, "criteria": [1, 2], "folds": [[1]], "spread": []}', "folds: expected 2 entries"),
        ('{"fact": "evaluated", #, $, "criteria": [1, 2], "folds": [], '
         '"spread": [0]}', "spread: expected 2 entries"),
        ('{"fact": "preferred", #, "first": ["alcohol"], "second": ["alcohol"], "answer": "FIRST"}',
         "answer: expected an answer (first, second"),
        ('{"cache": "guess", $}', "unknown cache 'guess'"),
        ('{"cache": "failure", "reason": "x"}', "expected a fact or a cached result"),
        ('{"afresh": "guess", "seed": 1, $}', "unknown afresh 'guess'"),
        ('{"afresh": "failure", $, "reason": "x"}', "has a seed and a subset"),
        ('{"afresh": "failure", "seed": 1, "reason": "x"}', "has a seed and a subset"),
        ('{"afresh": "failure", "seed": 1.5, $, "reason": "x"}', "expected a whole number, found 1.5"),
        ('{"afresh": "failure", "seed": 1, $, "reason": "x", "fact": "stopped"}', "has the fields"),
        ('{"claim": 3}', "a claim is one object"),
        ('{"claim": {}, "note": "x"}', "nothing else is on its line"),
        ('{"claim": {}, "time": "now"}', "expected a number, found 'now'"),
        ('{"note": "x"}', "expected a fact or a cached result"),
        ('{"request": ' + "9" * 5000 + "}", "expected one JSON object"),
        ('{"request": ' + "[" * 100_000 + "}", "expected one JSON object"),
        ('{"__class__": "os.system", "args": ["true"]}', "expected a fact or a cached result"),
        ("[1, 2]", "expected one JSON object"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_fact_is_refused_even_if_its_check_holds(path, line, said):
    """In the lines above, # stands for a request and $ for a subset."""
    line = line.replace("#", '"request": 1').replace("$", '"subset": ["alcohol"]')
    write(path, FACTS[:2])
    path.write_bytes(forged([*unchecked(path), line, *unchecked(path)[1:]]))
    message = damage(path)
    assert "line 4: " in message
    assert said in message
    # a line that is as it was written may be of a version to come; what is no such line at all is damaged
    damaged = said in ("a key occurs twice", "NaN is not a number", "expected one JSON object")
    assert message.endswith("restore the file from a copy" if damaged else "written it: open it with that one")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"seed": 7', '"seed": "7"', "expected a whole number"),
        ('"seed": 7', '"seed": 7, "seed": 7', "a key occurs twice"),
        ('"seed": 7, ', "", "a header has the fields"),
        ('"fingerprint": "sha256:0123"', '"fingerprint": null', "expected a text"),
        ('"attributes": [', '"attributes": [7, ', "needs a non-empty text"),
        ('"attributes": [', '"attributes": ["alcohol", ', "occurs twice"),
        ('"maximise": true', '"maximise": 1', "maximise is true or false"),
        ('{"name": "score", ', "{", "expected name, maximise and unit"),
        ('"name": "score"', '"name": 3', "the name of a criterion is a text"),
        ('"versions": {', '"versions": 5, "x": {', "a header has the fields"),
        ('"versions": {"numpy": "2.0"}', '"versions": []', "expected objects"),
        ('"versions": {"numpy": "2.0"}', '"versions": {"numpy": 2.0}', "versions: expected texts"),
        ('"seed": 7', '"seed": 7, "time": "now"', "expected a number, found 'now'"),
        ('"journal": 2', '"journal": 2.0', "expected a whole number"),
        ('"journal": 2', '"journal": -1', "expected format 2, found -1"),
        ('"z": true', '"z": ' + "[" * 990 + "]" * 990, "recursion"),
    ],
)  # fmt: skip
def test_a_header_that_is_none_is_refused_even_if_its_check_holds(path, old, new, said):
    write(path)
    first, *rest = unchecked(path)
    assert old in first
    path.write_bytes(forged([first.replace(old, new, 1), *rest]))
    message = damage(path)
    assert "line 1: " in message
    assert said in message


def test_a_journal_of_other_data_is_refused(path):
    whole = write(path)
    with pytest.raises(JournalError, match=r"belongs to other data: its fingerprint begins with 'sha256:0123'"):
        Journal.open(path, expect_fingerprint="sha256:4567")
    assert path.read_bytes() == whole
    Journal.open(path).close()  # and the refusal released the lock


@pytest.mark.parametrize(
    ("versions", "said"),
    [({}, ""), ({"scikit-learn": "1.0"}, rf".* written with scikit-learn 1\.0 \(here {sklearn.__version__}\), by .*")],
)
def test_a_journal_that_other_versions_wrote_is_refused_with_their_names(path, versions, said):
    Journal.create(path, dataclasses.replace(HEADER, versions=library_versions() | versions)).close()
    with pytest.raises(JournalError, match=f"begin another journal{said}$"):
        Journal.open(path, expect_fingerprint="sha256:4567")


# what cannot be written


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (
            Evaluated(1, 1, (float("nan"), 1.0)),
            r"Evaluated.criteria cannot be recorded: expected a finite number",
        ),
        (Evaluated(1, 1, (1.0, 1.0), ((float("inf"),), ())), r"Evaluated.folds"),
        (Evaluated(1, 1, (1.0,)), r"Evaluated.criteria .* 2 entries"),
        (Evaluated(1, 0, (1.0, 1.0)), r"Evaluated.subset .* empty subset"),
        (Evaluated(1, 16, (1.0, 1.0)), r"Evaluated.subset .* beyond"),
        (Asked(1, rejected=((1, float("inf")),)), r"Asked.rejected"),
        (Asked(1, rejected=((1, 10**400),)), r"Asked.rejected"),
        (Preferred(1, 1, 2, "better"), r"Preferred.answer"),
        (Stopped(1.5, "x"), r"Stopped.request"),
        (Stopped(1, None), r"Stopped.reason"),
        (Failure("x"), "expected a fact"),
        ("stopped", "expected a fact"),
    ],
)
def test_a_wrong_fact_is_refused_and_nothing_is_written(path, fact, said):
    write(path, FACTS[:2])
    before = path.read_bytes()
    with Journal.open(path) as journal:
        with pytest.raises(InputError, match=said):
            journal.append(fact)
        with pytest.raises(InputError, match="finite"):
            journal.append(FACTS[2], at=float("nan"))
        with pytest.raises(InputError, match="expected a result"):
            journal.cache(1, FACTS[0])
        with pytest.raises(InputError, match="expected a result"):
            journal.keep_afresh(1, 1, FACTS[0])
        assert path.read_bytes() == before
        journal.append(FACTS[2])
    assert read(path).facts == FACTS[:3]


@pytest.mark.parametrize("wrong", [{1: 2}, {"a": {1}}, {"a": float("nan")}, {"a": b"x"}])
def test_settings_must_be_what_json_can_hold(wrong):
    with pytest.raises(InputError, match="settings"):
        Header(0, "", Attributes.numbered(1), (), wrong)


def test_a_closed_journal_takes_nothing(path):
    write(path)
    journal = Journal.open(path)
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match="is closed; open it again"):
        journal.append(FACTS[0])


def test_paths_that_lead_nowhere_are_bad_input(path, tmp_path):
    for where, said in (
        (path, "does not exist"),
        (tmp_path, "is not a file"),
        ("nul\0byte", "does not exist"),
        ("x" * 5000, "does not exist"),
    ):
        for use in (read, Journal.open):
            with pytest.raises(InputError, match=said):
                use(where)
    for where in (tmp_path, tmp_path / "none" / "x.jsonl", "nul\0byte", "x" * 5000):
        with pytest.raises(InputError, match="cannot be opened"):
            Journal.create(where, HEADER)
        assert where == tmp_path or not begun(where)


@posix
def test_devices_and_pipes_are_no_journals(path):
    os.mkfifo(path)
    for where in (path, "/dev/null", "/dev/full"):
        for use in (read, Journal.open, lambda where: Journal.create(where, HEADER)):
            with pytest.raises(InputError, match="is not a file"):
                use(where)


def test_an_existing_journal_is_not_overwritten(path):
    whole = write(path)
    with pytest.raises(InputError, match="already exists; resume it"):
        Journal.create(path, HEADER)
    assert path.read_bytes() == whole


def test_every_line_is_synced_before_it_is_acknowledged(path, monkeypatch):
    real, synced = os.fsync, []

    def recorded(descriptor):
        real(descriptor)
        synced.append(path.read_bytes())

    monkeypatch.setattr(os, "fsync", recorded)
    with Journal.create(path, HEADER) as journal:
        assert synced[-1] == path.read_bytes() != b""
        for fact in FACTS:
            journal.append(fact)
            assert synced[-1] == path.read_bytes()
            assert len(synced[-1].splitlines()) == 1 + len(journal.facts)
        journal.cache(1, Failure("no"))
        assert synced[-1] == path.read_bytes()
        journal.keep_afresh(1, 1, Failure("no"))
        assert synced[-1] == path.read_bytes()
        journal.catch_up([*FACTS, *FACTS], clock=lambda: 0.0)  # many at once
        assert len(journal.facts) == 2 * len(FACTS)
        assert synced[-1] == path.read_bytes()


def test_the_name_of_a_new_journal_is_made_as_durable_as_what_is_in_it(path, monkeypatch):
    found = []
    monkeypatch.setattr(writing, "sync_folder", lambda place: found.append((place, path.read_bytes())))
    with Journal.create(path, HEADER):
        assert found == [(path, path.read_bytes())], "once there is something in it to be found by that name"


@posix
def test_the_folder_of_a_new_journal_is_synced_where_the_file_system_can(path, monkeypatch):
    synced = []

    def refused(descriptor):
        synced.append(os.fstat(descriptor).st_ino)
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refused)
    writing.sync_folder(path)
    assert synced == [path.parent.stat().st_ino]
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    path.symlink_to(elsewhere / "journal.jsonl")
    writing.sync_folder(path)
    assert synced[1:] == [elsewhere.stat().st_ino], "the folder that has the new name, not that of a link to it"


def test_what_was_claimed_holds_until_another_fact_and_a_journal_goes_on_after_it(path):
    with Journal.create(path, HEADER) as journal:
        assert journal.last_claim is None
        for count, fact in enumerate(FACTS, start=1):
            journal.append(fact)
            assert journal.last_claim is None
            journal.claim({"after": count})
            assert journal.last_claim == {"after": count}
            assert journal.facts == tuple(FACTS[:count])
    assert [claim.facts for claim in read(path).claims] == [*range(1, 1 + len(FACTS))]
    with Journal.open(path) as journal:
        assert journal.last_claim == {"after": len(FACTS)}
        journal.append(Resumed(10, None))
    assert read(path).last_claim is None  # it is one of an earlier state
    with Journal.open(path) as journal:
        assert journal.last_claim is None


# a file that goes away


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be deleted")
def test_a_journal_that_was_deleted_or_moved_takes_nothing_more_and_says_so(path):
    with Journal.create(path, HEADER) as journal:
        assert journal.there
        os.rename(path, f"{path}.moved")
        assert not journal.there
        with pytest.raises(JournalError, match="was deleted, moved or changed while it was written to; resume it"):
            journal.append(FACTS[0])
        os.rename(f"{path}.moved", path)
        journal.append(FACTS[0])  # it is back, and nothing is lost
    assert read(path).facts == (FACTS[0],)


def cut_short(path):
    os.truncate(path, path.stat().st_size - 10)


def replaced(path):
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    os.replace(copy, path)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be replaced")
@pytest.mark.parametrize(("change", "kept"), [(cut_short, 1), (replaced, 2)])
def test_a_journal_that_was_changed_by_something_else_takes_nothing_more_and_says_so(path, change, kept):
    with Journal.create(path, HEADER) as journal:
        for fact in FACTS[:2]:
            journal.append(fact)
        change(path)
        assert not journal.there
        with pytest.raises(JournalError, match="was deleted, moved or changed while it was written to; resume it"):
            journal.append(FACTS[2])
    with Journal.open(path) as journal:  # what is whole in it goes on
        journal.append(FACTS[2])
    assert read(path).facts == (*FACTS[:kept], FACTS[2])


def test_what_something_else_appends_to_a_journal_does_not_damage_it(path):
    with Journal.create(path, HEADER) as journal:
        journal.append(FACTS[0])
        with path.open("a") as other:
            other.write("no line of a journal\n" * 1000)
        journal.append(FACTS[1])
    assert read(path).facts == FACTS[:2]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be deleted")
def test_where_the_process_goes_meanwhile_does_not_matter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with Journal.create("j", HEADER) as journal:
        monkeypatch.chdir(tmp_path / "elsewhere")
        journal.append(FACTS[0])
    assert read(tmp_path / "j").facts == (FACTS[0],)


# a full disk


class FullDisk:
    """Lets so many bytes of the journal through, then fails as a full disk does."""

    def __init__(self, file, room, sync_fails=False, cut_fails=False):
        self.file, self.room, self.sync_fails, self.cut_fails = file, room, sync_fails, cut_fails

    def write(self, data):
        taken = min(self.room, len(data))
        if taken == 0 and not self.sync_fails:
            raise OSError(28, "No space left on device")
        self.room -= taken
        return self.file.write(data[:taken])

    def truncate(self, length):
        if self.cut_fails:
            raise OSError(5, "Input/output error")
        return self.file.truncate(length)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 1, 40, 100])
def test_a_full_disk_leaves_whole_lines_and_can_be_mended(path, room):
    write(path, FACTS[:1])
    with Journal.open(path) as journal:
        journal.append(FACTS[1], more=True)  # a line that is not synced yet is a whole one, too
        before = path.read_bytes()
        file, journal._file = journal._file, FullDisk(journal._file, room)
        with pytest.raises(JournalError, match="cannot be written: No space left on device; what it held"):
            journal.append(Failed(2, 15, "x" * 200))
        assert journal.facts == FACTS[:2]
        assert path.read_bytes() == before
        journal._file = file
        journal.append(FACTS[2])
    assert read(path).facts == FACTS[:3]


def test_where_not_even_the_header_has_room_nobody_is_told_to_resume(path, monkeypatch):
    syncs = iter([None, OSError(28, "No space left on device"), None])  # made empty, the header, cut again

    def fsync(_):
        if (error := next(syncs)) is not None:
            raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(JournalError, match=r"No space left on device; nothing is in it yet, .* begin it anew"):
            Journal.create(path, HEADER)
    Journal.create(path, HEADER).close()
    assert read(path).facts == ()


def test_where_a_file_cannot_be_cut_to_whole_lines_as_it_is_opened_the_reason_is_told(path, monkeypatch):
    def fsync(_):
        raise OSError(5, "Input/output error")

    told = "cannot be written: Input/output error; mend the cause"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(JournalError, match=told):
            Journal.create(path, HEADER)
    write(path, FACTS[:2])
    with path.open("ab") as file:
        file.write(b'{"fact"')
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        with pytest.raises(JournalError, match=told):
            Journal.open(path)
    assert read(path).facts == FACTS[:2]


@pytest.mark.parametrize("opened", [Journal.open, lambda path: Journal.create(path, HEADER)])
def test_a_file_that_the_disk_does_not_give_is_told_as_the_journal_and_no_output(path, monkeypatch, opened):
    class Unread(io.FileIO):
        def read(self, *_):
            raise OSError(5, "Input/output error")

    write(path, FACTS[:2])
    monkeypatch.setattr("elicit.journal.writing.locked", lambda path, _: Unread(path, "r+b"))
    with pytest.raises(InputError, match=r"journal .* cannot be read: Input/output error; check the path"):
        opened(path)


def test_a_line_that_cannot_be_synced_is_not_acknowledged_and_not_kept(path, monkeypatch):
    write(path, FACTS[:2])
    before = path.read_bytes()
    with Journal.open(path) as journal:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error")))
            with pytest.raises(JournalError, match="Input/output error"):
                journal.append(FACTS[2])
        assert path.read_bytes() == before
        with pytest.raises(JournalError, match="is closed"):  # not even the cut could be synced
            journal.append(FACTS[2])
    assert read(path).facts == FACTS[:2]


def test_when_half_a_line_cannot_be_removed_nothing_follows_it(path):
    write(path, FACTS[:2])
    with Journal.open(path) as journal:
        journal._file = FullDisk(journal._file, room=30, cut_fails=True)
        with pytest.raises(JournalError, match="No space left"):
            journal.append(FACTS[2])
        journal._file.room = 10_000
        with pytest.raises(JournalError, match="is closed; open it again"):
            journal.append(FACTS[2])
    assert read(path).facts == FACTS[:2]


def test_an_interrupt_inside_a_write_leaves_a_journal_that_opens(path, monkeypatch):
    write(path, FACTS[:2])
    real = os.fsync

    def interrupted(descriptor):
        real(descriptor)
        raise KeyboardInterrupt

    with Journal.open(path) as journal:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", interrupted)
            with pytest.raises(KeyboardInterrupt):
                journal.append(FACTS[2])
        with pytest.raises(JournalError, match="is closed; open it again"):
            journal.append(FACTS[3])
    with Journal.open(path) as journal:
        assert journal.facts in (FACTS[:2], FACTS[:3])


# other processes


def python(code, *arguments, **options):
    command = [sys.executable, "-c", PRELUDE + textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


PRELUDE = """
import sys
from elicit.errors import JournalError
from elicit.events import *
from elicit.journal import *
path = sys.argv[1]
"""


def test_a_second_process_is_refused_until_the_first_is_done(path):
    write(path)
    code = """
        try:
            Journal.open(path).close()
            print("opened")
        except JournalError as error:
            print(error)
        print(len(read(path).facts))
        """
    with Journal.open(path) as journal:
        with python(code, path) as other:
            said = other.stdout.read()
        assert "is in use by another session; end that one first" in said
        assert said.splitlines()[1] == str(len(FACTS))  # reading is allowed
        with pytest.raises(JournalError, match="is in use"):
            Journal.open(path)  # in this process too
        journal.append(FACTS[0])
        read(path)
        with pytest.raises(JournalError, match="is in use"):  # reading here has not released the lock
            Journal.open(path)
    with python(code, path) as other:
        assert other.stdout.readline() == "opened\n"


def test_creating_is_locked_as_well(path):
    with Journal.create(path, HEADER), pytest.raises(JournalError, match="is in use"):
        Journal.create(path, HEADER)


@posix
def test_a_file_size_limit_is_reported_in_one_line_and_leaves_whole_lines(path):
    code = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        with Journal.open(path) as journal:
            try:
                for request in range(1000):
                    journal.append(Failed(request, 1, "no"))
                    print("safe", request)
            except JournalError as error:
                print(error)
        """
    write(path, [])
    with python(code, path) as child:
        *safe, error = child.stdout.read().splitlines()
    assert "cannot be written: File too large" in error
    assert len(safe) > 5
    assert read(path).facts == tuple(Failed(request, 1, "no") for request in range(len(safe)))
    assert path.read_bytes().endswith(b"}\n")


WRITER = """
    import itertools
    with Journal.open(path) as journal:
        for request in itertools.count(len(journal.facts)):
            journal.append(Evaluated(request, 1 + request % 15, (request / 7, 1.0), ((0.1,) * 40, ())))
            print(request, flush=True)
    """


def killed_again_and_again(path, times, seed):
    """Kill a writing process at random moments; what it acknowledged must be in the journal, in order."""
    chance = random.Random(seed)
    write(path, [])
    for _ in range(times):
        with python(WRITER, path) as child:
            heard = [child.stdout.readline()]  # it is up and writing

            def listen(heard=heard, child=child):
                heard.extend(child.stdout)

            listener = threading.Thread(target=listen)
            listener.start()
            time.sleep(chance.uniform(0, 0.04))
            os.kill(child.pid, signal.SIGKILL)
            listener.join()
        acknowledged = int([line for line in heard if line.endswith("\n")][-1])
        facts = read(path).facts
        assert len(facts) > acknowledged
        assert [fact.request for fact in facts] == list(range(len(facts)))
        assert facts[-1] == Evaluated(
            len(facts) - 1, 1 + (len(facts) - 1) % 15, ((len(facts) - 1) / 7, 1.0), ((0.1,) * 40, ())
        )
    assert len(facts) > times


@posix
def test_nothing_acknowledged_is_lost_when_killed(path):
    killed_again_and_again(path, times=8, seed=1)


@posix
@pytest.mark.slow
def test_nothing_acknowledged_is_lost_when_killed_fifty_times(path):
    killed_again_and_again(path, times=50, seed=2)
