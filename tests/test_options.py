"""Options: what each takes and refuses, what it is when it is not given, and what its help says of that."""

import argparse
import ast
import inspect
import re
import shlex
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elicit.cli import _DESCRIPTION, _EPILOG, _parser
from elicit.commands.arguments import column_groups, listed, mask_of_listed
from elicit.commands.defaults import SETTINGS
from elicit.commands.parsers import _SCENARIO, RELEVANCE_MODEL, add_commands
from elicit.commands.score import FOLDS, LEVEL
from elicit.decide.settings import Settings
from elicit.errors import InputError
from elicit.printable import in_a_list
from elicit.subsets import Attributes

#: The arguments that a command cannot go without, each with its name where it is an option.
NEEDED = {
    "ask": [["wine"]],
    "resume": [["j"]],
    "run": [["s.toml"]],
    "compare": [],
    "table": [["wine"], ["-o", "t.csv"]],
    "verify": [["j"]],
    "why": [["j"]],
    "best": [["j"], ["--utility", "score"]],
    "report": [["j"], ["-o", "r.html"]],
    "score": [],
}

#: The least whole number that an option takes, whichever command it belongs to.
LEAST = {
    "--budget": 1,
    "--seeds": 1,
    "--questions": 0,
    "--check-every": 0,
    "--seed": 0,
    "--undo": 1,
    "--max-size": 1,
    "--folds": 2,
    "--cv": 2,
    "--top": 1,
    "--subsets": 1,
}


def parsers():
    """The parser of each command, by its name."""
    found = argparse.ArgumentParser().add_subparsers()
    add_commands(found)
    return found.choices


PARSERS = parsers()
OPTIONS = [(name, o) for name, command in PARSERS.items() for o in command._option_string_actions if o[:2] == "--"]
OWN = [(name, option) for name, option in OPTIONS if option != "--help"]


def action(name, option):
    return PARSERS[name]._option_string_actions[option]


VALUED = [(name, option) for name, option in OWN if action(name, option).nargs != 0]
COUNTED = [each for each in VALUED if each[1] in LEAST and each != ("resume", "--budget")]  # which takes +N, too


def command_with(name, *arguments):
    """A command with all that it needs and is not among these arguments, and these."""
    given = {text.partition("=")[0] for text in arguments}
    known = PARSERS[name]._option_string_actions
    others = [
        needed for needed in NEEDED[name] if needed[0] not in known or not given & {*known[needed[0]].option_strings}
    ]
    return [name, *(word for needed in others for word in needed), *arguments]


def parsed(name, *arguments):
    """What a command with all that it needs and these arguments is given."""
    return vars(_parser().parse_args(command_with(name, *arguments)))


def refusal(capsys, *arguments):
    """The one line that says why arguments are refused."""
    with pytest.raises(SystemExit) as end:
        _parser().parse_args(arguments)
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1)
    return err


def test_every_command_and_argument_is_explained_and_what_takes_a_value_names_it():
    commands = argparse.ArgumentParser().add_subparsers()
    add_commands(commands)
    assert {each.dest: bool(each.help) for each in commands._choices_actions} == dict.fromkeys(NEEDED, True)
    for command in (_parser(), *PARSERS.values()):
        assert command.description
        for each in command._actions:
            if isinstance(each, argparse._SubParsersAction):
                continue
            assert each.help
            assert each.metavar or each.choices or each.nargs == 0, each


@pytest.mark.parametrize("name", NEEDED)
def test_a_command_looks_at_all_that_it_may_be_given_and_at_nothing_else(name):
    nodes = list(ast.walk(ast.parse(inspect.getsource(import_module(f"elicit.commands.{name}")))))
    read = {
        n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "args"
    }
    listed = {n.value for n in nodes if isinstance(n, ast.Constant)}  # and looked at one by one, with getattr
    known = {each.dest for each in PARSERS[name]._actions} - {"help"}
    assert read <= known <= read | listed


@pytest.mark.parametrize("name", NEEDED)
def test_a_command_needs_no_more_and_no_less_than_what_is_said(name, capsys):
    assert parsed(name)["command"] == name
    for left_out in NEEDED[name]:
        rest = [word for needed in NEEDED[name] if needed is not left_out for word in needed]
        assert "the following arguments are required: " in refusal(capsys, name, *rest)


@pytest.mark.parametrize(("name", "option"), OPTIONS)
def test_no_option_may_be_abbreviated(name, option, capsys):
    short = option[:-1] if action(name, option).nargs == 0 else f"{option[:-1]}=1"
    told = refusal(capsys, *command_with(name, short))
    meant = f"did you mean {option}? elicit {name} --help shows what is possible"
    assert told == f"elicit: unrecognized arguments: {short}; {meant}\n"


def test_no_option_before_a_command_may_be_abbreviated(capsys):
    for short, meant in (
        ("--default", "defaults"),
        ("--journa=j", "journal"),
        ("--versio", "version"),
        ("--hel", "help"),
    ):
        told = refusal(capsys, short)
        help = f"did you mean --{meant}? elicit --help shows what is possible"
        assert told == f"elicit: unrecognized arguments: {short}; {help}\n"


def test_what_resembles_no_option_is_refused_without_a_guess(capsys):
    for unknown in ("--xyzzy=1", "-x", "stray"):
        told = refusal(capsys, *command_with("verify", unknown))
        assert told == f"elicit: unrecognized arguments: {unknown}; elicit verify --help shows what is possible\n"


LISTS = {"--criteria": ",", "--keep": ",", "--drop": ",", "--by": ",", "--not": ",", "--groups": ";"}


@pytest.mark.parametrize(("name", "option"), VALUED)
def test_of_an_option_given_twice_none_is_lost_but_where_the_last_alone_can_count(name, option, capsys):
    known = action(name, option)
    value = known.choices[0] if known.choices else str(max(1, LEAST.get(option, 1)))
    twice = [f"{option}={value}"] * 2
    if isinstance(known, argparse._AppendAction):
        assert parsed(name, *twice)[known.dest] == [value, value]
    elif option in LISTS:
        assert parsed(name, *twice)[known.dest] == f"{value}{LISTS[option]}{value}"
        assert parsed(name, twice[0])[known.dest] == value, "of another command line nothing is kept"
    elif option == "--undo":
        assert "--undo: given twice, as 1 and as 1; leave one out" in refusal(capsys, *command_with(name, *twice))
    else:
        assert parsed(name, *twice)[known.dest] == parsed(name, twice[0])[known.dest]


@pytest.mark.parametrize(("name", "option"), VALUED)
def test_an_option_without_its_value_is_told_how_to_give_one_that_begins_with_a_dash(name, option, capsys):
    if action(name, option).choices is None:
        given = "1" if option == "--wrong" else "7"  # a share is at most 1
        assert parsed(name, f"{option}={given}")[action(name, option).dest] in (int(given), given, [given])
    for tail in ([option], [option, "--help-me"]):
        told = refusal(capsys, *command_with(name, *tail))
        assert option in told.partition(": ")[2].partition(": ")[0]
        ending = f": expected one argument, after = if it begins with -; elicit {name} --help shows what is possible\n"
        assert told.endswith(ending)


@pytest.mark.parametrize(("name", "option"), [each for each in OWN if each not in VALUED])
def test_an_option_that_takes_no_value_is_off_unless_it_is_given(name, option, capsys):
    dest = action(name, option).dest
    assert (parsed(name)[dest], parsed(name, option)[dest]) == (False, True)
    assert "ignored explicit argument 'x'" in refusal(capsys, *command_with(name, f"{option}=x"))


@pytest.mark.parametrize(("name", "option"), COUNTED)
def test_a_number_has_the_same_least_value_in_every_command(name, option, capsys):
    least, dest = LEAST[option], action(name, option).dest
    for number in (least, least + 1, 10**9):
        assert parsed(name, option, str(number))[dest] == number
    for wrong in (str(least - 1), "1.0", "", " ", "one", "1_0", "+2", "²"):
        told = refusal(capsys, *command_with(name, f"{option}={wrong}"))
        assert option in told
        assert f": expected a whole number of at least {least}, found {wrong!r}; elicit {name} --help" in told


@pytest.mark.parametrize("name", [name for name, option in OWN if option == "--n-jobs"])
def test_jobs_are_counted_as_joblib_does(name, capsys):
    assert parsed(name)["n_jobs"] is None
    for number in (1, 2, 10_000, -1, -2, -10_000):
        assert parsed(name, f"--n-jobs={number}")["n_jobs"] == number
    for wrong in ("0", "10001", "-10001", "1.0", "", "all"):
        told = refusal(capsys, *command_with(name, f"--n-jobs={wrong}"))
        assert f"--n-jobs: expected a number of jobs, or -1 for every processor, found {wrong!r}; elicit {name}" in told


def test_help_tells_the_default_of_every_option_that_has_one():
    """Where nothing is given, the command may take what stands for it in another file."""
    elsewhere = {
        ("ask", "--questions"): Settings().questions,
        ("ask", "--check-every"): SETTINGS["check_every"],
        ("score", "--folds"): FOLDS,
        ("score", "--level"): LEVEL,
        ("score", "--model"): RELEVANCE_MODEL,
        ("table", "--n-jobs"): 1,
    }
    told = {}
    for name, option in OWN:
        found = re.search(r"\(default ([^\s)]+)", action(name, option).help)
        if found:
            told[name, option] = found[1]
            default = action(name, option).default
            assert str(elsewhere.get((name, option), default)) == found[1], (name, option)
            assert ((name, option) in elsewhere) == (default is None)
    assert told.keys() >= elsewhere.keys()
    assert {option for _, option in told} >= {"--folds", "--cv", "--seed", "--top", "--model"}


def test_help_says_which_options_of_a_score_are_for_relevance_alone():
    for option in ("--folds", "--subsets", "--level"):
        assert "--relevance" in action("score", option).help
    assert parsed("score", "--level", "0.1")["level"] == 0.1


def test_help_says_what_a_budget_counts_from_and_what_an_output_holds():
    assert "or as +N so many beyond those planned" in action("resume", "--budget").help
    for name in ("ask", "resume"):
        assert "the recommended columns and the target (and the --group-col)" in action(name, "--output").help


@pytest.mark.parametrize(("arguments", "text"), [([], _EPILOG), (["run"], _SCENARIO), (["compare"], _SCENARIO)])
def test_what_help_sets_out_in_lines_is_shown_in_these_lines(arguments, text, capsys):
    with pytest.raises(SystemExit):
        _parser().parse_args([*arguments, "--help"])
    told = capsys.readouterr().out
    assert told.endswith(f"\n\n{text}")
    if not arguments:
        assert f"\n\n{_DESCRIPTION}\n" in told
        assert "\n\ncommands:\n  COMMAND\n    ask" in told


def test_help_of_a_session_says_where_the_defaults_are(capsys):
    with pytest.raises(SystemExit):
        _parser().parse_args(["ask", "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert told.endswith("elicit --defaults explains how a session searches and asks unless told otherwise.")


def test_how_many_runs_go_at_once_is_told_by_the_kind_of_oracle():
    for name in ("run", "compare"):
        assert "kind = table or synthetic, else 1" in action(name, "--n-jobs").help  # test_scenario holds it to that


@pytest.mark.parametrize("name", ["ask", "resume", "table", "report"])
def test_an_output_has_a_short_name_and_a_long_one(name):
    for option in ("-o", "--output"):
        assert parsed(name, option, "other")["output"] == "other"


def test_a_journal_may_stand_before_the_command_or_after_it():
    assert _parser().parse_args(["ask", "wine"]).journal is None
    assert _parser().parse_args(["--journal", "j", "ask", "wine"]).journal == "j"
    assert _parser().parse_args(["ask", "wine", "--journal", "j"]).journal == "j"
    assert _parser().parse_args(["--journal", "i", "ask", "wine", "--journal", "j"]).journal == "j"


def test_what_may_be_given_several_times_or_not_at_all():
    assert parsed("score")["option"] == []
    assert parsed("score", "--option", "a.b=1", "--option", "a.c=2")["option"] == ["a.b=1", "a.c=2"]
    assert (parsed("score")["data"], parsed("score", "wine")["data"]) == (None, "wine")
    assert (parsed("compare")["scenarios"], parsed("compare", "a", "b")["scenarios"]) == ([], ["a", "b"])


NAMES = st.lists(st.text(st.sampled_from("ab,;=\"' ("), min_size=1).map(str.strip).filter(bool), min_size=1, max_size=3)


@given(NAMES)
def test_names_are_read_back_as_they_are_listed(names):
    for comma in (",", ", "):
        assert listed(comma.join(map(in_a_list, names))) == names
    assert listed(f" ,, {', '.join(map(in_a_list, names))},, ,") == names


@given(st.tuples(*[st.text("ab\"' (", min_size=1).map(str.strip).filter(bool)] * 2))
def test_of_a_part_of_a_name_that_holds_a_comma_the_error_says_how_to_write_it(parts):
    name = ", ".join(parts)
    attributes = Attributes((name, "other"))
    with pytest.raises(InputError, match=r"^--keep: ") as refused:
        mask_of_listed(["other", parts[1]], attributes, "--keep")
    *_, option, written = shlex.split(str(refused.value).rpartition("; write ")[2])
    assert (option, listed(written)) == ("--keep", [name])
    assert mask_of_listed(listed(written), attributes, "--keep") == 0b01


@given(st.dictionaries(st.sampled_from(("g", "two words", "h,i")), NAMES))
def test_groups_are_read_back_as_they_are_written(groups):
    quoted = {name: ",".join('"' + each.replace('"', '""') + '"' for each in names) for name, names in groups.items()}
    assert column_groups(";".join(f"{name}={names}" for name, names in quoted.items())) == groups
    assert column_groups(" ; ".join(["", *(f" {name} = {names}" for name, names in quoted.items()), ""])) == groups


@pytest.mark.parametrize("text", ["g", "g=", "=a", " = a", "g= , ", "g=a;h", "g=a;=b", "g=a;h="])
def test_a_group_without_a_name_or_without_columns_is_shown_as_it_was_found(text):
    part = text.split(";")[-1].strip()
    with pytest.raises(InputError, match=rf"^--groups is such as 'petal=petal_length,petal_width;…', found '{part}'$"):
        column_groups(text)


def test_a_group_has_one_name_of_its_own():
    with pytest.raises(InputError, match=r"^--groups names 'g' twice; give each group its own name$"):
        column_groups("g=a;h=b; g =c")


@pytest.mark.parametrize("text", ['"a" b', '"a', 'a,"b" c', "a\nb"])
def test_names_in_broken_quotes_are_refused_with_the_text(text):
    shown = re.escape(repr(text))
    with pytest.raises(InputError, match=rf"^{shown}: names stand between commas \(.+\); correct the quotes$"):
        listed(text)
