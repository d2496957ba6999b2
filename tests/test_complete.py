"""Files that are complete or not there, and texts that are read as they are."""

import gzip
import os
import stat
from pathlib import Path

import pytest

from elicit.complete import complete, opened

TEXT = 'a,b\r\n1,"two\nlines"\n3,é\r\n'


def put(path, text=TEXT):
    with complete(path) as out:
        out.write(text)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_what_is_written_is_read_back_to_the_last_line_break(tmp_path, name):
    put(tmp_path / name)
    raw = (tmp_path / name).read_bytes()
    assert (gzip.decompress(raw) if name.endswith(".gz") else raw) == TEXT.encode()
    with opened(tmp_path / name) as text:
        assert text.read() == TEXT


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_file_is_read_whatever_its_name_says_and_without_the_mark_of_an_editor(tmp_path, packed):
    for name in ("t.csv", "t.csv.gz"):
        (tmp_path / name).write_bytes(packed(TEXT.encode("utf-8-sig")))
        with opened(tmp_path / name) as text:
            assert text.read() == TEXT


def test_no_file_has_a_name_that_no_file_can_have():
    with pytest.raises(FileNotFoundError), opened(Path("a\0b")):
        pytest.fail("it was opened")


def test_a_zipped_file_holds_neither_its_name_nor_the_time(tmp_path):
    put(tmp_path / "t.csv.gz")
    raw = (tmp_path / "t.csv.gz").read_bytes()
    assert raw[3:8] == bytes(5), "no field but what is packed, and no time"


def test_a_new_file_may_be_read_by_whom_any_file_of_the_user_may(tmp_path):
    before = os.umask(0o027)
    try:
        put(tmp_path / "t.csv")
        assert os.umask(0o027) == 0o027, "as it was"
    finally:
        os.umask(before)
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "t.csv").stat().st_mode) == 0o640


def test_whatever_goes_wrong_what_was_there_stays_and_nothing_else_is_left(tmp_path, monkeypatch):
    put(tmp_path / "t.csv", "before")
    with pytest.raises(TypeError), complete(tmp_path / "t.csv") as out:
        out.writelines(["half", None])

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(PermissionError):
        put(tmp_path / "t.csv")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"t.csv": "before"}


def test_a_folder_that_takes_no_file_is_an_error_before_any_work_is_done(tmp_path):
    with pytest.raises(FileNotFoundError), complete(tmp_path / "none" / "t.csv"):
        pytest.fail("work was begun")


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(tmp_path, monkeypatch):
    done, replace = [], os.replace
    monkeypatch.setattr(os, "fsync", lambda _: done.append("synced"))
    monkeypatch.setattr(os, "replace", lambda *paths: (done.append("replaced"), replace(*paths)))
    put(tmp_path / "t.csv")
    assert done == ["synced", "replaced"]
