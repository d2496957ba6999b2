"""The house: which room may import what, read off the imports of every file.

The rule: a room sees itself and what the table names, besides the standard library. A file with a row of
its own (the one place that talks to a solver or a terminal, the verifier) is judged by that row.
"""

import ast
import graphlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

import elicit

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "elicit").rglob("*.py"))
WORDS = {
    "elicit.errors",
    "elicit.numeric",
    "elicit.printable",
    "elicit.subsets",
    "elicit.events",
    "elicit.asks",
    "numpy",
}
KNOWLEDGE = WORDS | {"elicit.knowledge", "scipy.special"}
UTILITY = KNOWLEDGE | {"elicit.utility", "scipy"}
EFFECTS = {
    "elicit.errors",
    "elicit.numeric",
    "elicit.printable",
    "elicit.scores",
    "elicit.effects",
    "numpy",
    "scipy",
    "sklearn",
}
ROOMS = {
    "elicit.errors": WORDS,
    "elicit.complete": set(),
    "elicit.printable": set(),
    "elicit.interrupts": set(),
    "elicit.numeric": {"elicit.errors", "numpy"},
    "elicit.threads": {"threadpoolctl"},
    "elicit.orphans": {"joblib"},
    "elicit.subsets": WORDS,
    "elicit.events": WORDS,
    "elicit.asks": WORDS,
    "elicit.knowledge": KNOWLEDGE,
    "elicit.utility": UTILITY,
    "elicit.utility.solver": UTILITY | {"pulp", "highspy"},
    "elicit.utility.verify": {
        "elicit.errors",
        "elicit.utility.cubes",
        "elicit.utility.numbers",
        "elicit.utility.terms",
    },
    "elicit.utility.cubes": {"elicit.errors", "elicit.subsets", "elicit.utility.numbers"},
    "elicit.utility.terms": {"elicit.errors", "elicit.subsets", "elicit.utility.numbers", "numpy"},
    "elicit.utility.numbers": {"elicit.errors"},
    "elicit.decide": UTILITY | {"elicit.decide", "elicit.threads"},
    "elicit.oracles": WORDS
    | {"elicit.complete", "elicit.oracles", "elicit.orphans", "elicit.scores", "elicit.threads", "sklearn", "joblib"},
    "elicit.methods": WORDS | {"elicit.methods", "elicit.scores"},
    "elicit.methods.walk": WORDS | {"elicit.methods", "elicit.knowledge", "elicit.threads"},
    "elicit.methods.surrogate": WORDS | {"elicit.methods", "scipy"},
    "elicit.scores": {
        "elicit.errors",
        "elicit.numeric",
        "elicit.orphans",
        "elicit.scores",
        "numpy",
        "scipy",
        "sklearn",
    },
    "elicit.effects": EFFECTS,
    "elicit.effects.drawing": EFFECTS | {"matplotlib"},
    "elicit.data": {
        "elicit.errors",
        "elicit.complete",
        "elicit.numeric",
        "elicit.printable",
        "elicit.data",
        "numpy",
        "sklearn",
    },
    "elicit.sources": WORDS
    | {
        "elicit.complete",
        "elicit.data",
        "elicit.methods",
        "elicit.oracles",
        "elicit.scores",
        "elicit.sources",
        "elicit.threads",
        "sklearn",
    },
    "elicit.journal": WORDS | {"elicit.journal"},
    "elicit.operators": WORDS | {"elicit.operators"},
    "elicit.operators.terminal": WORDS | {"elicit.interrupts", "elicit.operators", "prompt_toolkit"},
}
#: The other files under elicit/, the commands and the report put the rooms together: they may import all but these.
ASSEMBLY = {f"elicit.{room}" for room in ("alongside", "commands", "estimator", "experiments", "proof", "report")}
NEVER_IN_ASSEMBLY = {"pulp", "highspy", "prompt_toolkit"}


def under(module, names):
    return any(module == name or module.startswith(name + ".") for name in names)


def imports(tree, package):
    """Every module imported anywhere in a file, names from a package in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, [above, node.module]))
            yield from ([f"{base}.{alias.name}" for alias in node.names] if under(base, {"elicit"}) else [base])


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_opens_with_its_idea_and_imports_only_what_its_room_may(file):
    module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a file opens with its one idea"
    package = module.removesuffix(".__init__") if module.endswith("__init__") else module.rpartition(".")[0]
    wanted = {m for m in imports(tree, package) if m.split(".")[0] not in sys.stdlib_module_names}
    rows = [row for row in ROOMS if under(module, {row})]
    if rows:
        assert {m for m in wanted if not under(m, ROOMS[max(rows, key=len)])} == set()
    else:
        puts_together = module.count(".") == 1 or under(module, ASSEMBLY)
        assert puts_together, "a room needs a row in the table"
        assert {m for m in wanted if under(m, NEVER_IN_ASSEMBLY)} == set()


def needed(file):
    """The modules of this package that a file imports when it runs, not those that are named for types alone."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for_types = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    unused = {name for node in for_types for name in imports(node, "elicit")}
    return {name for name in imports(tree, "elicit") if under(name, {"elicit"})} - unused


def test_no_room_needs_one_that_needs_it():
    needs = {}
    for file in FILES:
        room, *_ = file.relative_to(ROOT / "elicit").with_suffix("").parts
        if room not in ("__init__", "__main__"):
            needs.setdefault(room, set()).update(name.split(".")[1] for name in needed(file))
    order = graphlib.TopologicalSorter({room: others - {room} for room, others in needs.items()})
    order.prepare()  # a cycle is an error that names it


CORE = {"elicit.knowledge", "elicit.utility", "elicit.decide", "elicit.events", "elicit.asks", "elicit.subsets"}
OUTSIDE = {"time", "datetime", "sys", "os", "io", "socket", "subprocess", "logging"}


def test_the_core_reads_no_clock_and_does_no_input_or_output():
    for file in FILES:
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        if under(module, CORE):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            assert {m for m in imports(tree, module) if under(m, OUTSIDE)} == set(), module
            called = {
                node.func.id
                for node in ast.walk(tree)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            assert not called & {"open", "print", "input"}, module


def test_the_table_of_rooms_names_what_there_is_and_nothing_else():
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = text[text.index("| room |") :].partition("\n\n")[0].splitlines()
    table = [line.split("|")[1] for line in rows if line.startswith("| `")]
    named = [part.strip(" `").removeprefix("elicit/").strip("/") for cell in table for part in cell.split(",")]
    there = {file.relative_to(ROOT / "elicit").parts[0] for file in FILES} - {"__init__.py", "__main__.py"}
    assert sorted(named) == sorted(there)


@pytest.mark.parametrize("room", ["estimator", "oracles", "scores"])
def test_the_map_of_a_large_room_names_its_files_and_nothing_else(room):
    folder = ROOT / "elicit" / room
    told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    there = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert sorted(re.findall(r"`([a-z_]+)`", told)) == sorted(there)


def test_the_rows_here_name_only_what_there_is():
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in FILES}
    allowed = {name for row in ROOMS.values() for name in row if under(name, {"elicit"})}
    assert (ROOMS.keys() | ASSEMBLY | allowed) - modules == set()


def test_a_public_name_is_the_same_for_a_type_checker_for_whoever_imports_it_and_for_a_star():
    tree = ast.parse((ROOT / "elicit" / "__init__.py").read_text(encoding="utf-8"))
    typed = {
        name.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("elicit.")
        for name in node.names
    }
    assert typed == {name: f"elicit.{home}" for name, home in elicit._HOME.items()}
    assert elicit.__all__ == sorted(typed)


def test_the_verifier_is_short_enough_to_read():
    lines = (ROOT / "elicit" / "utility" / "verify.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 200


def test_every_library_that_is_imported_is_required_by_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [*project["dependencies"], *project["optional-dependencies"]["plot"]]
    libraries = {
        name.split(".")[0].replace("sklearn", "scikit-learn")
        for file in FILES
        for name in imports(ast.parse(file.read_text(encoding="utf-8")), "elicit")
    }
    named = {re.match(r"[\w-]+", requirement)[0] for requirement in required}
    assert libraries - sys.stdlib_module_names - {"elicit"} == named


def test_nobody_is_told_to_install_what_others_publish_under_this_name():
    for file in (*FILES, ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md"):
        assert not re.search(r"pip install ['\"]?elicit\b", file.read_text(encoding="utf-8")), file
