"""Types: code of users that is right passes a strict type checker, and what is wrong does not."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

RIGHT = """
from elicit import Answer, CallableOracle, Compare, Done, Elicitation, Evaluate, Settings, SimulatedOperator
from elicit.drive import drive
from elicit.explore import explore
from elicit.methods import Floating, Method, Sized


def measure(names: tuple[str, ...]) -> float:
    return float(len(names))


class Mine:
    def __call__(self, request: Compare) -> Answer:
        ahead = request.first.criteria[0] > request.second.criteria[0]
        return Answer.FIRST if ahead else Answer.INCOMPARABLE


oracle = CallableOracle(measure, ("age", "bmi", "sex"))
operator = SimulatedOperator("score - 0.01 * size", oracle.criteria)
run = Elicitation(oracle.attributes, oracle.criteria, Settings(budget=40), seed=0)
while not isinstance(request := run.ask(), Done):
    run.tell(request.id, oracle(request) if isinstance(request, Evaluate) else operator(request))
assert request.subset is not None
recommended: tuple[str, ...] = oracle.attributes.subset(request.subset)
for answering in (Mine(), operator, None):
    evaluations: int = drive(run, oracle, answering).evaluations
value: float | None = explore(Method("sffs", Floating(), goal=Sized(2)), oracle).value
"""

WRONG = """
from elicit import CallableOracle, Compare, Elicitation
from elicit.drive import drive

oracle = CallableOracle(lambda names: 1.0, ("age", "bmi"))


def says_who(request: Compare) -> str:
    return "first"


drive(Elicitation(oracle.attributes, oracle.criteria), oracle, says_who)
"""


def test_users_who_check_their_types_are_told_of_what_is_wrong_alone(tmp_path):
    for name, code in (("right", RIGHT), ("wrong", WRONG)):
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    files = [str(tmp_path / f"{name}.py") for name in ("right", "wrong")]
    # the cache of the checkout saves time; where that cannot be written, mypy would end with an internal error
    cache = (ROOT if os.access(ROOT, os.W_OK) else tmp_path) / ".mypy_cache"
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    errors = [line for line in checked.stdout.splitlines() if ": error: " in line]
    assert len(errors) == 1, checked.stdout + checked.stderr
    assert "wrong.py" in errors[0]
    assert 'Argument 3 to "drive"' in errors[0]
