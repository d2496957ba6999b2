"""The recording that the README shows is what a session says today."""

import os
from pathlib import Path

import pytest

pytest.importorskip("pexpect", reason="a recording is made in a pseudo-terminal")

GOLDEN = Path(__file__).parent / "golden" / "session.txt"


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals of POSIX")
def test_the_recorded_session_comes_out_the_same(tmp_path):
    from recording import recorded

    assert recorded(tmp_path) == GOLDEN.read_text(encoding="utf-8"), (
        "python tests/recording.py > tests/golden/session.txt"
    )


def test_the_first_screen_of_the_readme_is_part_of_the_recording():
    readme = (GOLDEN.parents[2] / "README.md").read_text(encoding="utf-8")
    excerpt = readme.split("```text\n")[1].split("```")[0]
    assert excerpt.strip("\n") in GOLDEN.read_text(encoding="utf-8"), "copy it from tests/golden/session.txt"
