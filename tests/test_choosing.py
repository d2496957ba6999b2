"""Choosing: what all other tables would choose, and what that is worth on the one left out."""

import json
import re

import numpy as np
import pytest

from elicit.cli import main
from elicit.errors import InputError
from elicit.experiments.choosing import Choosing

TABLE = """
[oracle]
kind = "synthetic"
n = 4

[operator]
utility = "score - 0.01 * size"

[elicit]
budget = 6

[experiment]
seeds = 2
"""

CHOICES = """
[oracle]
kind = "synthetic"
n = 4

[operator]
utility = "score - 0.5 * size"

[[elicit]]
name = "as it is"

[[elicit]]
name = "drawn"
explore = "law"
"""


def played(**regrets):
    """Results of tables by name, each a list with the regrets of every choice."""
    return {
        table: [{"method": f"c{k}", "regret": r} for k, each in enumerate(choices) for r in each]
        for table, choices in regrets.items()
    }


def test_each_table_is_left_out_of_its_own_choice():
    # c1 is best on the sum of all, and only because of the first table; without it, the others choose c2
    found = Choosing.of(played(a=[[0.9], [0.0], [0.5]], b=[[0.3], [0.3], [0.2]], c=[[0.4], [0.3], [0.2]]))
    assert found.left_out == [2, 1, 1]
    text = "\n".join(found.lines())
    assert "mean      0.5333" in text
    row = next(line for line in found.lines() if line.startswith("a "))
    assert row.split() == ["a", "0.9000", "c2", "0.5000", "c1", "0.0000"]


def test_the_tables_and_the_choices_have_each_their_means():
    found = Choosing.of(played(a=[[0.9], [0.0], [0.5]], b=[[0.3], [0.3], [0.2]], c=[[0.4], [0.3], [0.2]]))
    lines = [line.split() for line in found.lines()]
    assert lines[4] == ["mean", "0.5333", "0.3667", "0.1333"]  # of the first, of what the others choose, of the best
    assert [(choice, mean, *rest[-3:]) for choice, mean, *rest in lines[-3:]] == [
        ("c0", "0.5333", "0", "of", "3"),
        ("c1", "0.2000", "2", "of", "3"),
        ("c2", "0.3000", "1", "of", "3"),
    ]


def test_of_equal_choices_the_first_is_made():
    found = Choosing.of(played(a=[[0.1, 0.3], [0.2, 0.2]], b=[[0.7], [0.7]]))
    assert found.left_out == [0, 0]
    digits = Choosing(("a", "b"), ("c", "d"), np.array([[0.2, 0.2], [0.3, 0.3 - 1e-12]]))  # equal but for the last ones
    assert digits.left_out == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_what_is_left_out_is_what_a_plain_search_finds(seed):
    regrets = np.random.default_rng(seed).random((5, 4))
    found = Choosing(tuple("abcde"), tuple("wxyz"), regrets)
    plain = [int(np.delete(regrets, k, axis=0).mean(axis=0).argmin()) for k in range(5)]
    assert found.left_out == plain


def test_the_interval_is_over_tables():
    found = Choosing.of(played(a=[[0.1], [0.2]], b=[[0.1], [0.4]]))
    last = found.lines()[-1]
    # the mean of .1 and .3, and 12.706 (Student's t of one degree) times .1
    assert "+0.2000 ± 1.2706" in last
    assert found.lines()[-2].split() == ["c0", "0.1000", "2", "of", "2"]  # the first is not compared with itself


def test_what_differs_alike_on_all_tables_has_no_interval():
    found = Choosing.of(played(a=[[0.1], [0.2]], b=[[0.3], [0.4]]))
    assert found.lines()[-1].split() == ["c1", "0.3000", "+0.1000", "0", "of", "2"]


def test_the_regret_of_a_table_is_the_mean_over_its_runs():
    assert Choosing.of(played(a=[[0.0, 0.0, 0.3]])).regrets == pytest.approx(np.array([[0.1]]))


def test_a_narrow_terminal_has_both_parts_in_its_width():
    found = Choosing.of(played(a=[[0.1], [0.2]], b=[[0.1], [0.4]]))
    assert max(map(len, found.lines())) > 50
    assert max(map(len, found.lines(50))) <= 50
    assert {word for line in found.lines(50) for word in line.split()} == set(" ".join(found.lines()).split())


def test_names_of_tables_and_choices_send_nothing_to_the_terminal():
    run = {"method": "c\x1b[31m", "regret": 0.1}
    text = "\n".join(Choosing.of({"t\x1b[32m": [run], "u": [run]}).lines())
    assert "\x1b" not in text
    assert text.count("c\\x1b[31m") == 6  # in the heading, twice in each row of a table, and in its own
    assert text.count("t\\x1b[32m") == 1
    with pytest.raises(InputError, match=r"^t\\x1b\[32m: no regret"):
        Choosing.of({"t\x1b[32m": [{**run, "regret": None}]})


def test_a_regret_that_is_not_known_is_no_regret():
    known, unknown = {"method": "c0", "regret": 0.0}, {"method": "c1", "regret": None}
    for played_there in ([known, unknown], [known]):  # not known, or not played
        with pytest.raises(InputError, match="b: no regret is known; choices are compared on tables of every subset"):
            Choosing.of({"a": [known, {**unknown, "regret": 0.0}], "b": played_there})


@pytest.fixture
def folder(tmp_path):
    for seed in (1, 2, 3):
        (tmp_path / f"t{seed}.toml").write_text(TABLE.replace("n = 4", f"n = {seed + 2}"))
    (tmp_path / "choices").mkdir()
    (tmp_path / "choices" / "c.toml").write_text(CHOICES)
    return tmp_path


def test_the_choices_of_one_file_are_played_on_every_table(folder, capsys):
    out = folder / "out.json"
    choices = str(folder / "choices" / "c.toml")
    assert main(["compare", str(folder), "--choices", choices, "--json", str(out), "--n-jobs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "left out" in shown
    assert shown.count("as it is") >= 2
    kept = ("--journals", str(folder / "kept"))
    for _ in range(2):  # from journals, too
        assert main(["compare", str(folder), "--choices", choices, *kept, "--n-jobs", "1"]) == 0
        assert capsys.readouterr().out == shown
    assert len(list((folder / "kept").glob("*/*.jsonl"))) == 12
    suite = json.loads(out.read_text())["suite"]
    assert [len(each["results"]) for each in suite] == [4, 4, 4]
    assert {run["method"] for each in suite for run in each["results"]} == {"as it is", "drawn"}
    # each keeps its own operator and budget
    assert {run["operator"] for each in suite for run in each["results"]} == {"score - 0.01 * size"}
    assert all(run["evaluations"] <= 6 for each in suite for run in each["results"])


def test_a_file_may_hold_choices_alone(folder, capsys):
    whole, alone = folder / "choices" / "c.toml", folder / "choices" / "alone.toml"
    alone.write_text(CHOICES[CHOICES.index("[[elicit]]") :])
    for choices in (whole, alone):
        assert main(["compare", str(folder), "--choices", str(choices), "--n-jobs", "1"]) == 0
    first, second = capsys.readouterr().out.split("left out")[1:]
    assert first == second


@pytest.mark.parametrize(
    ("sections", "wrong"),
    [
        ("[[elicit]]\nname = 'a'\n[[elicit]]\nname = 'a'", "the name 'a' occurs 2 times"),
        ("[[elicit]]\n[[elicit]]\nname = 'b'\ndegre = 2", "[[elicit]] number 2 unknown key 'degre'; did you mean"),
        ("[[elicit]]\n[[elicit]]\nname = 'b'\ndegree = 9", "[[elicit]] number 2 degree must be"),
        ("[[elicit]]\n[[elicit]]\nname = 'sfs'", "[[elicit]] number 2 `name` = 'sfs' is that of a classical method"),
        ("elicit = 3", "[elicit] expected a table of keys, found 3"),
        ("elicit = []", "[[elicit]] is empty"),
        ("[elicit]\ndegree = 1", "has no choices; give a file with [[elicit]] several times"),
    ],
)
def test_what_is_wrong_with_choices_alone_names_their_file(folder, capsys, sections, wrong):
    alone = folder / "choices" / "alone.toml"
    alone.write_text(sections)
    assert main(["compare", str(folder), "--choices", str(alone)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"elicit: {alone}: ")
    assert wrong in told


def test_what_only_data_tell_to_be_wrong_with_choices_alone_is_not_said_of_the_scenario(folder, capsys):
    alone = folder / "choices" / "alone.toml"
    alone.write_text("[[elicit]]\n[[elicit]]\nname = 'b'\nkeep = ['nobody']")
    assert main(["compare", str(folder), "--choices", str(alone)]) == 2
    assert re.search(r"\.toml with the choices given: \[\[elicit\]\] number 2 .*nobody", capsys.readouterr().err)


@pytest.mark.parametrize(("wrong", "heading"), [(2, "method"), (3, "left out")])
def test_choices_on_the_tables_before_one_that_fails_are_told(folder, capsys, wrong, heading):
    failing = folder / f"t{wrong}.toml"
    failing.write_text(failing.read_text().replace("score - 0.01", "1e299 * size + 1e300 - 0.01"))
    choices = str(folder / "choices" / "c.toml")
    assert main(["compare", str(folder), "--choices", choices, "--n-jobs", "1"]) == 2
    told = capsys.readouterr()
    assert told.out.startswith(heading)
    assert "drawn" in told.out
    assert f"elicit: {failing}: the operator's utility is 1.1e+300" in told.err


def test_what_cannot_be_chosen_between_is_refused(folder, capsys):
    choices, one = str(folder / "choices" / "c.toml"), str(folder / "t1.toml")
    assert main(["compare", one, "--choices", choices]) == 2
    assert "--choices needs several scenarios" in capsys.readouterr().err
    assert main(["compare", str(folder), "--choices", str(folder / "none.toml")]) == 2
    assert "no such file" in capsys.readouterr().err
    assert main(["compare", str(folder), "--choices", one]) == 2
    assert "has no choices; give a file with [[elicit]] several times" in capsys.readouterr().err
    single = folder / "choices" / "single.toml"
    single.write_text(CHOICES[: CHOICES.rindex("[[elicit]]")])
    assert main(["compare", str(folder), "--choices", str(single)]) == 2
    assert "has no choices" in capsys.readouterr().err
    (folder / "t4.toml").write_text(TABLE.replace("n = 4", "n = 17"))  # too many subsets to know the best
    assert main(["compare", str(folder), "--choices", choices, "--json", str(folder / "out.json")]) == 2
    assert "t4.toml: no regret is known; choices are compared on tables of every subset" in capsys.readouterr().err
    assert not (folder / "out.json").exists()  # nothing was played
    (folder / "t4.toml").write_text(CHOICES)
    assert main(["compare", str(folder), "--choices", choices]) == 2
    assert "[elicit] has choices of its own already" in capsys.readouterr().err
