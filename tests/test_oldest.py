"""The oldest releases: `oldest.txt` pins those that pyproject.toml admits, so that a run with it speaks of them."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_what_is_pinned_is_the_oldest_that_is_admitted():
    frames = [r for r in PROJECT["optional-dependencies"]["test"] if r.startswith(("pandas", "polars"))]
    extras = [r for name in ("plot", "dask") for r in PROJECT["optional-dependencies"][name]]
    admitted = dict(re.match(r"([\w-]+)>=([\d.]+)", r).groups() for r in [*PROJECT["dependencies"], *extras, *frames])
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)$", (ROOT / "tests" / "oldest.txt").read_text(), re.MULTILINE))
    assert {name: _parts(version) for name, version in pinned.items()} == {n: _parts(v) for n, v in admitted.items()}


def _parts(version: str) -> list[int]:
    """Its numbers, without zeros at the end: 1.26 is 1.26.0."""
    return [int(part) for part in re.sub(r"(\.0)+$", "", version).split(".")]
