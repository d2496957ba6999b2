"""The wheel: built from the sources, it holds everything, and works where nothing else of the project is."""

import email
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "sources"  # the build leaves its traces in a copy
    copy.mkdir()
    for name in ("pyproject.toml", "README.md"):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    for path in sorted((ROOT / "elicit").rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            target = copy / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", str(folder), "."]
    subprocess.run(build, cwd=copy, check=True, capture_output=True, timeout=300)
    (found,) = folder.glob("elicit-*.whl")
    return found


def test_it_holds_every_module_the_type_marker_and_the_package_data(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    there = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "elicit").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert packed == there
    assert "elicit/py.typed" in packed


def test_it_says_its_licence_and_the_terms_are_in_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
        terms = archive.read(name.replace("METADATA", f"licenses/{metadata['License-File']}")).decode()
    text = " ".join(terms.split())
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert text.startswith("BSD 3-Clause License")
    assert "the Elicit contributors" in text
    assert "THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS" in text
    assert metadata["Requires-Python"] == ">=3.11"
    assert not metadata.get_all("Author")


def test_it_selects_features_from_where_it_is_unpacked(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = """
import elicit
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
X, y = load_iris(return_X_y=True)
found = elicit.ElicitSelector(GaussianNB(), cv=3).fit(X, y)
print(elicit.__file__, found.n_evaluations_)
"""
    path = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})"
    command = [sys.executable, "-I", "-c", f"{path}\n{script}"]
    told = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=120).stdout.split()
    assert Path(told[0]).parent == tmp_path / "site" / "elicit"
    assert told[1] == "15"
