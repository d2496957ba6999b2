"""Parsers: every command with its arguments, and nothing that takes long to import.

What a command does is in the file of its name, which the command line imports only after the arguments have been
parsed. So help, and errors in arguments, come at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, TypeVar

from elicit.commands.arguments import fold_count, further, job_count, non_negative, positive, share
from elicit.commands.help_layout import LaidOutHelp
from elicit.commands.repeated import Joined, Once
from elicit.data import BUILT_IN
from elicit.data.models import MODELS
from elicit.events import EXTRAS

#: The model when none is named.
CLASSIFIER, REGRESSOR = "logistic", "ridge"
TABLE_MODEL = RELEVANCE_MODEL = "knn:3"

#: The short names of models, as help tells them.
_KNOWN_MODELS = ", ".join(MODELS)

#: Subsets that `best` lists unless told otherwise.
LISTED = 5

#: The scores that are shown when none is asked for, as far as they serve the target.
FIRST_SCORES = ("correlation", "fisher", "mutual-information", "relieff", "rrelieff", "trees")

#: The scores that --model may give a model to.
EXPLAINED = ("permutation", "shapley", "johnson-shapley", "pimp")

#: What `score --reproduce` knows.
TABLE_SETS = ("shares",)

ParserT = TypeVar("ParserT", bound=argparse.ArgumentParser)

#: Arguments that several commands take; a command may override parts of one.
_SHARED: Mapping[str, Mapping[str, Any]] = {
    "data": {"metavar": "DATA", "help": f"a CSV file (.gz too), or {', '.join(BUILT_IN)}"},
    "path": {"metavar": "JOURNAL", "help": "the journal of the session"},
    "--target": {"metavar": "COL", "help": "the column to predict, when DATA is a file"},
    "--holds": {"metavar": "KIND", "help": "what the target holds: classes or numbers (default: by model and values)"},
    "--tidy": {"action": "store_true", "help": "allow missing values, leave out columns that say nothing"},
    "--groups": {
        "action": Joined,
        "separator": ";",
        "default": "",
        "metavar": "G=A,B;H=C,D",
        "help": "columns that count as one attribute (quote the ;)",
    },
    "--scoring": {"metavar": "NAME", "help": "a scikit-learn scorer (default: the model's own)"},
    "--group-col": {"metavar": "COL", "help": "a column: rows with the same value in it stay in one fold"},
    "--folds": {"type": fold_count, "metavar": "N", "help": "folds (default 10)"},
    "--drop": {
        "action": Joined,
        "default": "",
        "metavar": "A,B",
        "help": "attributes to leave out (a name with a comma in quotes)",
    },
    "--max-size": {"type": positive, "metavar": "N", "help": "the most attributes a subset may have"},
    "-o": {"metavar": "OUT.csv", "help": "write the recommended columns and the target (and the --group-col)"},
    "--n-jobs": {"type": job_count, "metavar": "N", "help": "processes (default: one per processor)"},
}

#: The sections of a scenario with their keys, the required ones first.
_SCENARIO = """\
A scenario is a TOML file; scenarios/wine_live.toml is a short one. Sections:

  [oracle]      what measures a subset. Its kind, with the keys that it must
                have; and those that it may have:
                  table      path; minimise, data, model
                  wrapper    data, model; folds, scoring, random_state,
                             stability, fit_time, scorers, costs, cost_unit
                  filter     data, merit; scores, bins, costs, cost_unit
                  synthetic  n; interaction, size
                where there are data also: target, holds, tidy
                and, but for a filter: group_col, groups, dropped
  [operator]    who judges, by one of:
                  utility    arithmetic on the criteria
                  order      criteria, what counts first at the front; with
                             steps, in which each counts: { score = 0.01 }
                  hidden     true: the truth behind kind = "synthetic"
                and name; noise, the chance of a wrong answer; hesitation,
                the lead in utility within which it cannot compare.
                [[operator]] for several
  [elicit]      the search: every setting that elicit --defaults prints; name,
                preset, keep, drop, max_size, prior. [[elicit]] for several
  [experiment]  seeds; trace_every, evaluations between two looks at the
                regret; for compare: methods, among which "elicit" is ours
                (default: all that can play), goal (as size:6, reach:0.97)

A key that is not known is refused, and the nearest is named.
"""


def add_commands(commands: argparse._SubParsersAction[ParserT]) -> None:
    """Add a parser for every command; the parsed arguments hold the name of the one that was given."""
    for add in (
        _add_ask,
        _add_resume,
        _add_run,
        _add_compare,
        _add_table,
        _add_verify,
        _add_why,
        _add_best,
        _add_report,
        _add_score,
    ):
        add(commands)


def _add_shared(command: argparse.ArgumentParser, name: str, *aliases: str, **overrides: Any) -> None:
    """Add a shared argument, perhaps with aliases and with parts of it overridden."""
    command.add_argument(name, *aliases, **{**_SHARED[name], **overrides})


def _add_unchanged(command: argparse.ArgumentParser, *names: str) -> None:
    """Add shared arguments as they are."""
    for name in names:
        _add_shared(command, name)


def _add_play_options(command: argparse.ArgumentParser) -> None:
    """Add what the two commands that play scenarios have in common."""
    command.add_argument("--json", metavar="OUT", help="write every result to this file")
    command.add_argument("--budget", type=positive, metavar="N", help="oracle calls, instead of the scenario's budget")
    command.add_argument("--seeds", type=positive, metavar="N", help="seeds, instead of the scenario's number")
    _add_shared(
        command, "--n-jobs", help="runs at once (default: one per processor if kind = table or synthetic, else 1)"
    )
    command.add_argument("--journals", metavar="FOLDER", help="keep every run here; the same command goes on with them")


def _scenario_command(
    commands: argparse._SubParsersAction[ParserT], name: str, summary: str, description: str
) -> argparse.ArgumentParser:
    """The parser of a command that plays scenarios; its help ends with how one is written."""
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=_SCENARIO,
        formatter_class=LaidOutHelp,
    )


def _add_ask(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "ask",
        help="a session on your data",
        description="Measures subsets of the attributes and asks now and then which of two you prefer. Recommends the "
        "subset that is best for you. Every answer is kept in a journal.",
        epilog="elicit --defaults explains how a session searches and asks unless told otherwise.",
    )
    _add_unchanged(command, "data", "--target", "--holds")
    command.add_argument(
        "--model",
        metavar="M",
        help=f"{_KNOWN_MODELS}; a number may follow, as in knn:3 or forest:100 (default: {CLASSIFIER} for classes, "
        f"{REGRESSOR} for numbers)",
    )
    _add_shared(command, "--scoring")
    command.add_argument(
        "--criteria",
        action=Joined,
        metavar="A,B",
        default="",
        help=f"criteria besides score and size: {', '.join(EXTRAS)}, or scikit-learn scorers (stability: minus the "
        "score's standard deviation over folds)",
    )
    command.add_argument("--cost", metavar="FILE", help="a CSV of attribute,cost: adds the criterion cost")
    command.add_argument("--keep", action=Joined, default="", metavar="A,B", help="attributes that every subset holds")
    _add_unchanged(command, "--drop", "--max-size", "--groups")
    # --cv is what it was called before, and scripts say so still
    _add_shared(command, "--folds", "--cv", default=10)
    _add_shared(command, "--group-col")
    command.add_argument(
        "--journal",
        metavar="PATH",
        default=argparse.SUPPRESS,  # what stands before the command is not overwritten
        help="where the session is kept (default: in this folder, named after DATA)",
    )
    command.add_argument(
        "--budget", type=positive, metavar="N", help="subsets to evaluate at most (default: see elicit --defaults)"
    )
    command.add_argument(
        "--questions",
        type=non_negative,
        metavar="N",
        help="questions at most (default 15); up to six beyond nine are kept for answers that are doubted",
    )
    command.add_argument(
        "--check-every",
        type=non_negative,
        metavar="N",
        help="answers after which a question repeats what they imply, to catch slips (default 3), 0 for never",
    )
    command.add_argument(
        "--prior",
        metavar="SCORE",
        help="an attribute score that says of which attributes to expect most, such as relieff (elicit score --list)",
    )
    command.add_argument(
        "--assume",
        metavar="HOW",
        help="linear or additive: how you trade criteria, so that answers imply more",
    )
    command.add_argument(
        "--seed",
        type=non_negative,
        default=0,
        metavar="N",
        help="another seed is another course of the session (default 0)",
    )
    _add_shared(command, "-o", "--output")
    _add_shared(command, "--n-jobs")


def _add_resume(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "resume",
        help="go on exactly where a session stopped, or further",
        description="Goes on with a session at the question that was open. One that has ended goes on with more "
        "budget, or with an answer taken back.",
    )
    _add_shared(command, "path")
    command.add_argument(
        "--budget", type=further, metavar="N", help="evaluations in all, or as +N so many beyond those planned"
    )
    command.add_argument(
        "--undo", action=Once, type=positive, metavar="N", help="first take back the answer to question N"
    )
    _add_shared(command, "-o", "--output")
    _add_shared(command, "--n-jobs")


def _add_run(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = _scenario_command(
        commands,
        "run",
        "simulated operators over many seeds, from a file",
        "Plays a scenario with simulated operators, once for each seed, and prints a\nsummary.",
    )
    command.add_argument("scenario", metavar="SCENARIO.toml", help="the file")
    _add_play_options(command)


def _add_compare(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = _scenario_command(
        commands,
        "compare",
        "every method on the same oracle, side by side",
        "Plays every method of a scenario on the same oracle, side by side. Classical\n"
        "methods are told the utility; Elicit has to ask.",
    )
    command.add_argument(
        "scenarios", metavar="SCENARIO.toml", nargs="*", help="a file; several, or a folder, make one table of a suite"
    )
    command.add_argument("--list", action="store_true", help="print the methods that a scenario may name")
    command.add_argument(
        "--choices",
        metavar="FILE",
        help="play the [[elicit]] choices of this file on each table, and tell which one all other tables choose",
    )
    command.add_argument(
        "--wrong", type=share, metavar="SHARE", help="play Elicit once more, with this share of wrong answers, as 0.1"
    )
    _add_play_options(command)
    command.add_argument("--plot", metavar="FILE", help="draw regret against evaluations (.png, .svg or .pdf)")


def _add_table(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "table",
        help="evaluate every subset, to an oracle table",
        description="Evaluates every subset of small data and writes an oracle table: a CSV with one 0/1 column for "
        "each attribute, then the score and its spread. The same command goes on where it was interrupted.",
    )
    _add_unchanged(command, "data", "--target", "--holds", "--tidy")
    command.add_argument(
        "--model", default=TABLE_MODEL, metavar="M", help=f"{_KNOWN_MODELS}; as in elicit ask (default {TABLE_MODEL})"
    )
    _add_shared(command, "--folds", default=10)
    _add_unchanged(command, "--group-col", "--scoring", "--groups", "--drop", "--max-size")
    command.add_argument("-o", "--output", required=True, metavar="T.csv.gz", help="the table to write")
    command.add_argument(
        "--keep-folds",
        action="store_true",
        help="write the score of each fold, too: who plays the table can then tell what is noise",
    )
    _add_shared(command, "--n-jobs", help="evaluations at once (default 1)")


def _add_verify(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "verify",
        help="re-check all that a session claims, exactly; exit 1 when it does not hold",
        description="Re-checks a session in exact arithmetic, without a solver: that every line is as it was written, "
        "which statements follow from the measurements and answers, and each claim with its proof at its scope. "
        "Where a step does not hold, the first is named, and the exit status is 1.",
    )
    _add_shared(command, "path")


def _add_why(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "why",
        help="why this subset and not another, in your own answers",
        description="Explains why a subset is recommended, or why another is not: the causes with their share of the "
        "proof, the answers that matter, and what other answers would have led to. Nothing is measured anew.",
    )
    _add_shared(command, "path")
    command.add_argument(
        "--not",
        action=Joined,
        dest="rival",
        metavar="A,B,…",
        help="explain why not the subset of these attributes",
    )
    command.add_argument("--all", action="store_true", help="show every cause, not only the first ones")


def _add_best(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "best",
        help="what another utility would choose on the same record",
        description="Ranks the measured subsets by a utility, such as 'score - 0.01 * size'. Nothing is measured "
        "anew, so other subsets are not considered.",
    )
    _add_shared(command, "path")
    command.add_argument(
        "--utility", required=True, metavar="EXPR", help="arithmetic on the criteria; higher is better"
    )
    command.add_argument("--top", type=positive, default=LISTED, metavar="N", help=f"subsets listed (default {LISTED})")


def _add_report(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "report",
        help="one self-contained page of a session",
        description="Writes one page that needs no network: the result and what is proven of it, the front, why, what "
        "the model does with the chosen subset, every question and answer, and how to reproduce it.",
    )
    _add_shared(command, "path")
    command.add_argument("-o", "--output", required=True, metavar="OUT.html", help="the page to write")
    command.add_argument("--no-model", action="store_true", help="leave out the parts that fit the model again")


def _add_score(commands: argparse._SubParsersAction[ParserT]) -> None:
    command = commands.add_parser(
        "score",
        help="attribute scores side by side",
        description="Prints scores of the attributes side by side, with their ranks and how far they agree.",
    )
    _add_shared(command, "data", nargs="?")
    command.add_argument("--list", action="store_true", help="print every score with its meaning and its options")
    _add_unchanged(command, "--target", "--holds", "--tidy", "--groups", "--drop")
    command.add_argument(
        "--by",
        action=Joined,
        metavar="A,B",
        help=f"scores by name (default: {', '.join(FIRST_SCORES)}, where they suit)",
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="SCORE.NAME=VALUE",
        help="an option of a score, such as relieff.neighbours=20",
    )
    command.add_argument(
        "--relevance",
        action="store_true",
        help="say what is relevant, weakly relevant or irrelevant to a model",
    )
    command.add_argument(
        "--model",
        metavar="M",
        help=f"for --relevance (default {RELEVANCE_MODEL}) and {', '.join(EXPLAINED)}, such as tree:3",
    )
    _add_shared(command, "--folds", help="folds of --relevance (default 10)")
    command.add_argument(
        "--subsets",
        type=positive,
        metavar="N",
        help="random subsets tried by --relevance (default: 30, or all of up to 8 attributes)",
    )
    command.add_argument("--reproduce", choices=TABLE_SETS, help="print published tables beside what is computed here")
    command.add_argument("--level", type=float, metavar="P", help="level of the tests of --relevance (default 0.05)")
    command.add_argument("--json", metavar="OUT", help="write everything to this file")
