"""A suite: several scenarios in one table, and which promises hold in each."""

import json
import re
from math import inf

import numpy as np
import pytest

from elicit.cli import main
from elicit.experiments import suite
from elicit.experiments.suite import Line, lines_of, promises_kept, table
from elicit.methods.registry import classical
from elicit.numeric import GRID

PROMISED = [
    "at most half the regret of the best told, or 0.0002",
    "as good as sffs at its own end, in a third of its evaluations",
    "at most 6 questions (nine runs in ten: 9)",
]


def run(method, regret, *, operator="linear: a", seed=0, evaluations=10, questions=0, trace=(), noise_decides=None):
    """A result as far as a suite reads it."""
    return {
        "method": method,
        "operator": operator,
        "seed": seed,
        "regret": regret,
        "noise_decides": noise_decides,
        "evaluations": evaluations,
        "questions": questions,
        "kept": 0,
        "seconds": 0.05 * evaluations,
        "trace": list(trace),
    }


def test_the_best_rival_is_the_one_of_least_mean_regret_among_those_told():
    results = [
        run("elicit", 0.01, trace=[0.5, 0.01], questions=3),
        run("elicit", 0.0, seed=1, trace=[0.0], questions=5),
        run("sfs", 0.02),
        run("sfs", 0.06, seed=1),
        run("sbs", 0.03),
        run("sbs", 0.01, seed=1),
        run("random", 0.0),
        run("surrogate", 0.004),
    ]
    (line,) = lines_of("here", results)
    assert (line.scenario, line.kind, line.runs) == ("here", "linear", 2)
    assert (line.rival, line.rival_regret) == ("sbs", pytest.approx(0.02))
    assert line.surrogate == 0.004
    assert line.ours == pytest.approx(0.005)
    assert line.found == (0.5, None)
    assert line.questions == (4.0, pytest.approx(4.8))
    assert line.soon is None
    assert line.milliseconds == pytest.approx(50)


def test_which_method_is_ours_is_looked_up_once_and_not_for_every_run(monkeypatch):
    asked = []
    monkeypatch.setattr(suite, "classical", lambda name: (asked.append(name), classical(name))[1])
    lines_of("s", [run(method, 0.1, seed=seed) for method in ("elicit", "sffs") for seed in range(10)])
    assert len(asked) == 20


def test_operators_are_told_apart_by_what_stands_before_the_colon():
    results = [run("elicit", 0.1), run("elicit", 0.2, operator="other: b"), run("elicit", 0.3, operator="plain")]
    assert [(line.kind, line.ours) for line in lines_of("s", results)] == [
        ("linear", 0.1),
        ("other", 0.2),
        ("all", 0.3),
    ]


def test_runs_without_a_known_regret_say_nothing():
    assert lines_of("s", [run("elicit", None), run("sfs", None)]) == []
    (line,) = lines_of("s", [run("elicit", 0.2), run("elicit", None, seed=1)])
    assert (line.runs, line.ours) == (1, 0.2)


@pytest.mark.parametrize(
    ("traces", "share"),
    [
        ([[0.9, 0.2, 0.1]], 0.2),  # as good as 0.2 after 2 of 10
        ([[0.9, None, 0.2]], 0.3),  # where nobody looked nothing is known
        ([[0.9, 0.3]], inf),
        ([[0.2], [0.9, 0.9, 0.2], [0.9]], 0.3),  # the median of 0.1, 0.3 and never
    ],
)
def test_how_soon_ours_is_as_good_as_floating_selection_ends_up(traces, share):
    ours = [run("elicit", t[-1], seed=k, trace=t) for k, t in enumerate(traces)]
    theirs = [run("sffs (unlimited)", 0.2, seed=k) for k in range(len(traces))]
    cut = [run("sffs", 0.95, seed=k, evaluations=4) for k in range(len(traces))]  # this one the budget ended
    (line,) = lines_of("s", ours + cut + theirs)
    assert line.soon == pytest.approx(share)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, [True, True, True]),
        ({"ours": 0.011}, [False, True, True]),
        ({"rival_regret": 0.0005 - 1e-16, "ours": 0.00025}, [True, True, True]),  # half, but for rounding
        ({"rival_regret": 0.0, "ours": 0.0002}, [True, True, True]),
        ({"rival_regret": 0.0, "ours": 0.00021}, [False, True, True]),
        ({"soon": 0.34}, [True, False, True]),
        ({"soon": inf}, [True, False, True]),
        ({"questions": (7, 8)}, [True, True, False]),
        ({"questions": (6, 9.1)}, [True, True, False]),
    ],
)
def test_each_promise_is_told_as_it_is(change, kept):
    plain = {
        "rival": "sfs",
        "rival_regret": 0.02,
        "surrogate": None,
        "ours": 0.01,
        "found": (1.0, None),
        "questions": (6, 9),
    }
    line = Line("s", "linear", 4, **{**plain, "soon": 1 / 3, "milliseconds": 1.0, **change})
    assert line.promises == dict(zip(PROMISED, kept, strict=True))


def test_how_often_the_best_is_found_is_promised_of_runs_that_noise_does_not_decide():
    def played(found, lost, noise_decides):
        runs = [run("elicit", 0.0)] * found + [run("elicit", 0.1)] * lost
        return [result | {"noise_decides": noise_decides} for result in runs]

    promise = "the best found in 80% of the runs that noise does not decide"
    noise, theirs = played(0, 5, True), [run("sfs", 0.5, noise_decides=False)]
    (kept,) = lines_of("s", played(4, 1, False) + noise + theirs)
    assert (kept.found, kept.promises[promise]) == ((0.4, 0.8), True)
    (broken,) = lines_of("s", played(3, 1, False) + played(5, 0, None) + noise)
    assert (broken.found[1], broken.promises[promise]) == (0.75, False)
    (untold,) = lines_of("s", noise)
    assert untold.found == (0.0, None)
    assert promise not in untold.promises
    header, *shown = [" ".join(row.split()) for row in table([kept, untold])]
    assert "elicit best found (beyond noise) questions" in header
    assert [re.search(r"0\.\d{4} (\S+%( \(\S+%\))?)", row)[1] for row in shown] == ["40% (80%)", "0%"]


@pytest.mark.parametrize(
    ("ours", "wrong", "kept"),
    [
        (0.01, 0.02, True),
        (0.01, 0.0201, False),
        (0.0, 0.0005, True),
        (0.0, 0.00051, False),
        (0.0001, 0.0006, True),  # more than doubled, and still only 0.0005 more
        (0.02, 0.01, True),
    ],
)
def test_what_wrong_answers_may_cost(ours, wrong, kept):
    line = Line("s", "all", 4, None, None, None, ours, (1.0, None), (6, 9), None, None, (0.1, wrong))
    assert line.promises == {
        PROMISED[2]: True,
        "with 10% wrong answers at most twice the regret, or 0.0005 more": kept,
    }


def test_runs_with_wrong_answers_are_held_against_those_of_the_same_choice_without():
    def wrongly(method, regret, **other):
        return run(f"{method} (12.5% wrong)", regret, **other) | {"wrong": 0.125}

    results = [run("first", 0.1, questions=4), run("second", 0.0), run("sffs", 0.3)]
    results += [wrongly("first", 0.2, questions=9), wrongly("second", 0.5), wrongly("first", 0.3, seed=1)]
    for order in (results, results[::-1][:3] + results[:3]):  # those with wrong answers are ours in neither
        (line,) = lines_of("s", order)
        assert (line.ours, line.runs, line.questions) == (0.1, 1, (4.0, 4.0))
        assert (line.rival, line.wrong) == ("sffs", (0.125, pytest.approx(0.25)))
        assert line.asked_then == (4.5, pytest.approx(8.1))
    header, row = (re.split("  +", text) for text in table([line]))
    told = dict(zip(header, row, strict=True))
    assert (told["elicit with wrong answers"], told["questions then (90%)"]) == ("0.2500", "4.5 (8.1)")
    plain = lines_of("t", results[:3])
    assert [re.split("  +", text)[-2:] for text in table([line, *plain])[1:]] == [["0.2500", "4.5 (8.1)"], ["–", "–"]]
    assert "wrong" not in table(plain)[0]


def test_a_suite_without_ours_promises_nothing_and_another_name_of_ours_counts():
    (line,) = lines_of("s", [run("sfs", 0.1), run("sffs", 0.2)])
    assert (line.ours, line.promises) == (None, {})
    (_, row) = table([line])
    assert row.split() == ["s", "linear", "0", "sfs", "0.1000", "–", "–", "–", "–", "–", "–"]
    assert list(promises_kept([line])) == []
    (mine,) = lines_of("s", [run("mine", 0.1, trace=[0.1]), run("second", 0.0), run("sffs (unlimited)", 0.2)])
    assert (mine.ours, mine.runs, mine.soon) == (0.1, 1, 0.1)


def test_of_several_choices_the_one_called_elicit_is_ours_wherever_it_stands():
    (line,) = lines_of("s", [run("mine", 0.1), run("elicit", 0.2), run("sfs", 0.3)])
    assert line.ours == 0.2


def test_where_a_promise_is_broken_is_told():
    results = [run("elicit", 0.1, trace=[0.1], questions=2), run("sffs", 0.05), run("sffs (unlimited)", 0.05)]
    good = [run("elicit", 0.0, trace=[0.0]), run("sffs", 0.1), run("sffs (unlimited)", 0.1)]
    lines = lines_of("one", results) + lines_of("two", good)
    assert list(promises_kept(lines)) == [
        f"{PROMISED[0]}: 1 of 2; not one (linear)",
        f"{PROMISED[1]}: 1 of 2; not one (linear)",
        f"{PROMISED[2]}: 2 of 2",
    ]
    assert "never" in table(lines)[1]


def test_each_number_of_a_line_stands_under_its_heading():
    line = Line("wine", "linear", 4, "sbs", 0.02, 0.004, 0.01, (0.75, None), (3.0, 5.5), 0.25, 12.4)
    header, row, *_ = (re.split("  +", text) for text in table([line]))
    assert dict(zip(header, row, strict=True)) == {
        "scenario": "wine",
        "operators": "linear",
        "runs": "4",
        "best told": "sbs",
        "regret": "0.0200",
        "surrogate": "0.0040",
        "elicit": "0.0100",
        "best found": "75%",
        "questions (90%)": "3 (5.5)",
        "of sffs's evaluations": "25%",
        "ms an evaluation": "12",
    }


def test_where_ours_was_played_alone_there_is_nothing_to_be_told_of_others():
    (_, row) = (re.split("  +", text) for text in table(lines_of("s", [run("elicit", 0.1)])))
    assert row == ["s", "linear", "1", "–", "–", "–", "0.1000", "0%", "0 (0)", "–", "50"]


def test_names_send_nothing_to_the_terminal_and_stand_before_every_part_of_a_narrow_table():
    lines = lines_of("s\x1b[31m", [run("elicit", 0.1, operator="o\x1b[32m: a", questions=7)])
    rows = [text for text in table(lines, 60) if text and not text.startswith("scenario")]
    assert len(rows) > 1
    assert all(text.startswith("s\\x1b[31m  o\\x1b[32m  ") for text in rows)
    assert list(promises_kept(lines)) == [f"{PROMISED[2]}: 0 of 1; not s\\x1b[31m (o\\x1b[32m)"]


def test_only_searches_that_are_named_as_rivals_are_the_best_told():
    (line,) = lines_of("s", [run("elicit", 0.1), run("genetic", 0.01), run("sffs (unlimited)", 0.0), run("sffs", 0.2)])
    assert (line.rival, line.rival_regret) == ("sffs", 0.2)


@pytest.mark.parametrize("told", ["sfs", "sbs", "sffs", "sffs:pudil", "sfbs", "sfbs:pudil", "hill-climb"])
def test_every_step_by_step_search_may_be_the_best_told(told):
    (line,) = lines_of("s", [run("elicit", 0.1), run("random", 0.0), run(told, 0.2)])
    assert line.rival == told


def test_each_run_of_ours_is_held_against_floating_selection_of_its_own_seed():
    ours = [run("elicit", 0.0, seed=k, trace=[0.5, 0.3, 0.0]) for k in (0, 1)]
    theirs = [run("sffs (unlimited)", 0.5, seed=0), run("sffs (unlimited)", 0.0, seed=1, evaluations=30)]
    (line,) = lines_of("s", ours + theirs)
    assert line.soon == pytest.approx((1 / 10 + 3 / 30) / 2)
    (line,) = lines_of("s", [*ours[1:], theirs[1]])
    assert line.soon == pytest.approx(3 / 30)


def test_each_run_of_ours_is_held_against_floating_selection_told_its_own_operator():
    took = {"linear: a": 10, "linear: b": 50}
    ours = [run("elicit", 0.1, operator=operator, trace=[0.1]) for operator in took]
    theirs = [run("sffs (unlimited)", 0.1, operator=operator, evaluations=count) for operator, count in took.items()]
    (line,) = lines_of("s", ours + theirs)
    assert line.soon == pytest.approx((1 / 10 + 1 / 50) / 2)


def test_regrets_that_differ_by_less_than_can_be_told_apart_are_the_same():
    (line,) = lines_of("s", [run("elicit", GRID / 2, trace=[GRID / 2]), run("sffs (unlimited)", 0.0)])
    assert (line.found[0], line.soon) == (1.0, 0.1)


def test_a_run_of_many_questions_does_not_stand_for_all():
    runs = [run("elicit", 0.0, seed=k, questions=asked) for k, asked in enumerate((2, 3, 40))]
    assert lines_of("s", runs)[0].questions[0] == 3


def test_the_better_of_two_rules_of_floating_is_the_rival():
    (line,) = lines_of("s", [run("elicit", 0.1), run("sffs", 0.3), run("sfbs:pudil", 0.2), run("sffs:pudil", 0.1)])
    assert (line.rival, line.rival_regret) == ("sffs:pudil", 0.1)


def test_a_run_that_takes_long_for_each_evaluation_does_not_stand_for_all():
    runs = [run("elicit", 0.0, seed=k) | {"seconds": seconds} for k, seconds in enumerate((0.1, 0.2, 90.0))]
    assert lines_of("s", runs)[0].milliseconds == pytest.approx(20)


def test_the_time_of_an_evaluation_leaves_out_those_that_were_kept():
    kept = run("elicit", 0.0) | {"kept": 10, "seconds": None}
    (line,) = lines_of("s", [kept])
    assert line.milliseconds is None
    assert re.split("  +", table([line])[1])[-1] == "–"
    partly = run("elicit", 0.0, seed=1) | {"kept": 8, "seconds": 0.06}
    assert lines_of("s", [kept, partly])[0].milliseconds == pytest.approx(30)


def written(folder, name, seed):
    """A scenario of four attributes with its table."""
    scores = np.random.default_rng(seed).random(16).round(3)
    rows = "".join(f"{m & 1},{m >> 1 & 1},{m >> 2 & 1},{m >> 3},{scores[m]}\n" for m in range(1, 16))
    (folder / f"{name}.csv").write_text("a,b,c,d,score\n" + rows)
    (folder / f"{name}.toml").write_text(
        f'[oracle]\nkind = "table"\npath = "{name}.csv"\n[operator]\nname = "linear: one"\n'
        'utility = "score - 0.05 * size"\n[elicit]\nbudget = 8\n'
        '[experiment]\nseeds = 2\nmethods = ["elicit", "sffs", "sffs (unlimited)", "surrogate"]\n'
    )


def test_a_folder_of_scenarios_is_played_in_one_table(tmp_path, capsys):
    written(tmp_path, "second", 1)
    written(tmp_path, "first", 2)
    journals = tmp_path / "journals"
    out = tmp_path / "all.json"
    assert main(["compare", str(tmp_path), "--n-jobs", "1", "--json", str(out), "--journals", str(journals)]) == 0
    text = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in text[:3]] == ["scenario", "first", "second"]
    suite = json.loads(out.read_text())["suite"]
    assert [len(part["results"]) for part in suite] == [8, 8]
    assert suite[0]["scenario"]["oracle"]["path"] == "first.csv"
    assert sorted(path.name for path in journals.iterdir()) == ["first", "second"]


@pytest.mark.parametrize("alone", [False, True])
def test_ours_is_played_once_more_with_wrong_answers(tmp_path, capsys, alone):
    written(tmp_path, "first", 1)
    written(tmp_path, "second", 2)
    given = tmp_path / "first.toml" if alone else tmp_path
    out, kept = tmp_path / "all.json", ["--journals", str(tmp_path / "kept")]
    assert main(["compare", str(given), "--n-jobs", "1", "--json", str(out), *kept, "--wrong", "1"]) == 0
    told = capsys.readouterr().out
    played = json.loads(out.read_text())
    results = (played if alone else played["suite"][0])["results"]
    assert [run["method"] for run in results[-2:]] == ["elicit (100% wrong)"] * 2
    assert [run.get("wrong") for run in results] == [None] * 8 + [1.0] * 2
    ours, erring = [run for run in results if run["method"] == "elicit"], results[-2:]
    assert [run["seed"] for run in erring] == [run["seed"] for run in ours] == [0, 1]
    assert np.mean([run["regret"] for run in erring]) > np.mean([run["regret"] for run in ours])
    asked = sum(run["questions"] for part in ([played] if alone else played["suite"]) for run in part["results"][-2:])
    note = f"wrong answers: {asked} of {asked} (100.0%), and "
    assert "all operators of a seed err at the same questions" in told[told.index(note) :]
    assert [(run["erred"], run["contradictions"]) for run in ours] == [(0, 0)] * 2
    if alone:
        assert any(row.startswith("elicit (100% wrong)     2 ") for row in told.splitlines())
    else:
        assert "with 100% wrong answers at most twice the regret, or 0.0005 more: " in told
        assert told.splitlines()[0].endswith("  elicit with wrong answers  questions then (90%)")
    assert main(["compare", str(given), "--n-jobs", "1", "--json", str(out), *kept, "--wrong", "1"]) == 0
    again = json.loads(out.read_text())
    again = (again if alone else again["suite"][0])["results"]
    assert [run["kept"] for run in again] == [run["evaluations"] for run in results]


def test_how_many_answers_were_wrong_and_how_often_some_could_not_all_hold_is_what_the_journals_hold(tmp_path, capsys):
    written(tmp_path, "first", 1)
    written(tmp_path, "second", 2)
    out, kept = tmp_path / "all.json", tmp_path / "kept"
    given = ["--n-jobs", "1", "--json", str(out), "--journals", str(kept), "--wrong", "0.5"]
    assert main(["compare", str(tmp_path), *given]) == 0
    told = capsys.readouterr().out
    asked = erred = contradictions = 0
    for name, part in zip(("first", "second"), json.loads(out.read_text())["suite"], strict=True):
        _, *rows = (line.split(",") for line in (tmp_path / f"{name}.csv").read_text().splitlines())
        subsets = [frozenset(letter for letter, bit in zip("abcd", row[:4], strict=True) if bit == "1") for row in rows]
        worth = {s: float(row[4]) - 0.05 * len(s) for s, row in zip(subsets, rows, strict=True)}
        found = []
        for journal in (kept / name).glob("elicit-*.jsonl"):  # of the runs without wrong answers, too
            facts = [json.loads(text) for text in journal.read_text().splitlines()]
            answers = [fact for fact in facts if fact.get("fact") == "preferred"]
            wrong = 0
            for fact in answers:
                first, second = worth[frozenset(fact["first"])], worth[frozenset(fact["second"])]
                truth = "equal" if abs(first - second) < GRID else "first" if first > second else "second"
                wrong += fact["answer"] != truth
            found.append((len(answers), wrong, sum(bool(fact.get("reconcile")) for fact in facts)))
        ours = [run for run in part["results"] if not classical(run["method"])]
        assert sorted(found) == sorted((run["questions"], run["erred"], run["contradictions"]) for run in ours)
        assert all(run["erred"] == run["contradictions"] == 0 for run in ours if "wrong" not in run)
        again = [run for run in ours if "wrong" in run]
        asked += sum(run["questions"] for run in again)
        erred += sum(run["erred"] for run in again)
        contradictions += sum(run["contradictions"] for run in again)
    assert 0 < erred < asked
    assert contradictions > 1
    note = (
        f"wrong answers: {erred} of {asked} ({erred / asked:.1%}), and {contradictions} contradictions to look at; all"
    )
    assert note in told


def test_wrong_answers_where_nobody_is_asked_are_refused(tmp_path, capsys):
    written(tmp_path, "one", 1)
    written(tmp_path, "two", 2)
    choices = tmp_path / "choices.toml"
    choices.write_text(
        (tmp_path / "one.toml").read_text().replace("[elicit]", '[[elicit]]\nname = "a"\n[[elicit]]\nname = "b"')
    )
    both = [str(tmp_path / "one.toml"), str(tmp_path / "two.toml")]
    assert main(["compare", *both, "--choices", str(choices), "--wrong", "0.1"]) == 2
    assert "--wrong plays the scenarios' own [elicit] once more; leave it out, or --choices" in capsys.readouterr().err
    two = tmp_path / "two.toml"
    two.write_text(two.read_text().replace('"elicit", "sffs",', '"sffs",'))
    assert main(["compare", *both, "--wrong", "0.1"]) == 2
    assert f"{two}: --wrong plays 'elicit' once more, which is not compared there" in capsys.readouterr().err
    for share in ("0", "1.1", "-0.1", "nan", "a lot"):
        with pytest.raises(SystemExit, match="2"):
            main(["compare", *both, f"--wrong={share}"])
        assert f"a share above 0 and at most 1, such as 0.1, found {share!r}" in capsys.readouterr().err


@pytest.mark.parametrize("before", [["first"], ["first", "second"]])
def test_what_was_played_before_a_scenario_that_fails_is_told_and_then_the_failure(tmp_path, capsys, before):
    for seed, name in enumerate([*before, "third"]):
        written(tmp_path, name, seed)
    third = tmp_path / "third.toml"
    third.write_text(third.read_text().replace("score - 0.05", "1e299 * size + 1e300 - 0.05"))
    assert main(["compare", str(tmp_path), "--n-jobs", "1"]) == 2
    told = capsys.readouterr()
    assert [row.split()[0] for row in told.out.splitlines()[: len(before) + 1]] == ["scenario", *before]
    (error,) = [line for line in told.err.splitlines() if line.startswith("elicit:")]
    assert f"{third}: the operator's utility is 1.1e+300" in error


def test_wrong_answers_of_an_operator_who_errs_as_often_already_are_a_run_of_their_own(tmp_path):
    written(tmp_path, "only", 1)
    text = (tmp_path / "only.toml").read_text()
    (tmp_path / "only.toml").write_text(text.replace("[elicit]", "noise = 0.5\n[elicit]"))
    out, kept = tmp_path / "all.json", tmp_path / "kept"
    given = ["compare", str(tmp_path / "only.toml"), "--json", str(out), "--journals", str(kept), "--wrong", "0.5"]
    assert main([*given, "--n-jobs", "1"]) == 0
    ours = [run for run in json.loads(out.read_text())["results"] if not classical(run["method"])]
    assert sorted(run["method"] for run in ours) == ["elicit", "elicit", *["elicit (50% wrong)"] * 2]
    assert len(list(kept.glob("elicit*.jsonl"))) == 4
    assert not any(run["kept"] for run in ours), "each was played"


def test_a_suite_has_no_picture_and_an_empty_folder_no_scenario(tmp_path, capsys):
    assert main(["compare", str(tmp_path)]) == 2
    assert "without a scenario" in capsys.readouterr().err
    written(tmp_path, "one", 1)
    written(tmp_path, "two", 2)
    assert main(["compare", str(tmp_path), "--plot", str(tmp_path / "p.png")]) == 2
    assert "--plot draws one scenario" in capsys.readouterr().err
    (tmp_path / "more").mkdir()
    written(tmp_path / "more", "two", 3)
    assert main(["compare", str(tmp_path), str(tmp_path / "more")]) == 2
    assert "two of the scenarios are called 'two'; rename one" in capsys.readouterr().err
